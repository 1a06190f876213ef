"""The command `kille`: a table of commands, each loaded from its own file when it is named.

Owns what is common to all: the language, the version, the streams, the exit codes and how errors are shown. Refuses to
import anything but click before a command is named, so that `kille --help` is quick.
"""

import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

import click
from click.core import ParameterSource

from kille_net import __version__
from kille_net.cli.errors import CliError, report, report_group
from kille_net.cli.exit_codes import Exit
from kille_net.cli.settings import Settings, lang_of_locale
from kille_net.cli.speaking import Group, Option, option, speaking, spoken, tell, with_common_first
from kille_net.cli.streams import mend
from kille_net.languages import LANGUAGES, CatalogueError, must_be_whole

COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "play": "kille_net.cli.play",
        "join": "kille_net.cli.join",
        "rules": "kille_net.cli.rules",
        "serve": "kille_net.cli.serve",
        "admin": "kille_net.cli.admin",
        "bot": "kille_net.cli.bot",
        "arena": "kille_net.cli.arena",
        "solve": "kille_net.cli.solve",
        "referee": "kille_net.cli.referee",
        "history": "kille_net.cli.history",
        "identity": "kille_net.cli.identity",
        "replay": "kille_net.cli.replay",
        "verify": "kille_net.cli.verify",
        "bench": "kille_net.cli.bench",
        "doctor": "kille_net.cli.doctor",
    }
)
"""Where each lives, as the module's attribute `command`."""


class Kille(Group):
    """A group that knows its commands by name, and imports one only when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = COMMANDS.get(cmd_name)
        if module is None:
            return None
        try:
            command = importlib.import_module(module).command
        except ModuleNotFoundError as error:
            if error.name != module:
                raise
            ctx.fail(tell("cli.no_such_command_here", name=cmd_name))
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> object:
        result: object = super().invoke(ctx)
        # Here what cannot be written is an error of the command; when Python ends it would be a traceback.
        sys.stdout.flush()
        return result

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,  # noqa: FBT001, FBT002 -- click's signature
        windows_expand_args: bool = True,  # noqa: FBT001, FBT002 -- click's signature
        **extra: Any,  # noqa: ANN401 -- click's signature
    ) -> NoReturn:
        """Run the command and end the process with its exit code; an error becomes one line, an interrupt none."""
        mend()
        arguments = with_common_first(sys.argv[1:] if args is None else args)
        with speaking(arguments):
            self._main(arguments, prog_name or "kille", complete_var, windows_expand_args=windows_expand_args, **extra)

    def _main(self, args: list[str], prog_name: str, complete_var: str | None, **extra: Any) -> NoReturn:  # noqa: ANN401  click's
        try:
            must_be_whole(spoken())  # before click asks for its texts, to which a damaged catalogue is a bug
            result = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        except click.ClickException as error:
            sys.exit(report(error))
        except CatalogueError as error:
            sys.exit(report(CliError(str(error), code=Exit.WRONG_USE)))
        except click.Abort:
            sys.exit(Exit.SIGINT)
        except BaseExceptionGroup as group:  # what a nursery makes of an error or an interrupt in it
            code = report_group(group)
            if code is None:
                raise
            sys.exit(code)
        sys.exit(Exit.DONE if result is None else Exit(result))


@click.group(
    "kille",
    cls=Kille,
    context_settings={
        "auto_envvar_prefix": "KILLE",
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        "show_default": True,
    },
)
@option("--lang", type=click.Choice(LANGUAGES), default=lambda: lang_of_locale(os.environ))
@option("--data", type=click.Path(file_okay=False, path_type=Path), metavar="DIR")
@click.version_option(__version__, prog_name="kille", cls=Option)
@click.pass_context
def main(ctx: click.Context, *, lang: str, data: Path | None) -> None:
    is_typed = ctx.get_parameter_source("data") is ParameterSource.COMMANDLINE
    ctx.obj = Settings(lang=lang, data=data, is_data_typed=is_typed)
