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
from typing import Any, NamedTuple, NoReturn

import click

from kille_net import __version__
from kille_net.cli.errors import CliError, report, report_group
from kille_net.cli.exit_codes import Exit
from kille_net.cli.settings import Settings, lang_of_locale
from kille_net.cli.streams import mend
from kille_net.languages import LANGUAGES, CatalogueError


class Row(NamedTuple):
    """Where a command lives (the module's attribute `command`), and its line in the overview."""

    module: str
    help: str


COMMANDS: Mapping[str, Row] = MappingProxyType(
    {
        "play": Row("kille_net.cli.play", "Play a match against the computers, now."),
        "join": Row("kille_net.cli.join", "Take a seat at a server's table, or watch one."),
        "rules": Row("kille_net.cli.rules", "Learn to play; look up a card, a word or a format."),
        "serve": Row("kille_net.cli.serve", "Host a server that others join."),
        "admin": Row("kille_net.cli.admin", "Look after a server that runs on this machine."),
        "bot": Row("kille_net.cli.bot", "Run a bot of your own, or a built-in one, at a server's table."),
        "arena": Row("kille_net.cli.arena", "Let bots play many matches and see who is stronger."),
        "referee": Row("kille_net.cli.referee", "Judge hands by the rules."),
        "history": Row("kille_net.cli.history", "See what was played on a server of yours."),
        "identity": Row("kille_net.cli.identity", "Carry who you are to another machine."),
        "replay": Row("kille_net.cli.replay", "Look back on a match that was recorded."),
        "verify": Row("kille_net.cli.verify", "Check the records of whole matches."),
    }
)


class Kille(click.Group):
    """A group that knows its commands by name and help line, and imports one only when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        row = COMMANDS.get(cmd_name)
        if row is None:
            return None
        try:
            command = importlib.import_module(row.module).command
        except ModuleNotFoundError as error:
            if error.name != row.module:
                raise
            ctx.fail(f"The command '{cmd_name}' is not in this version.")
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, row.help) for name, row in COMMANDS.items()])

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
        try:
            result = super().main(
                args,
                prog_name or "kille",
                complete_var,
                standalone_mode=False,
                windows_expand_args=windows_expand_args,
                **extra,
            )
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


_EXIT_CODES = (
    "The exit status is 0 when all is done; 1 when what was asked about does not hold; 2 for wrong use, and for output"
    " that cannot be written; 3 when there is no server, or it was lost; 4 when it refused; and 128 and the number of"
    " the signal that ended the command, which is 141 for a reader of its output that went away."
)


@click.group(
    "kille",
    cls=Kille,
    epilog=_EXIT_CODES,
    context_settings={
        "auto_envvar_prefix": "KILLE",
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        "show_default": True,
    },
)
@click.option(
    "--lang",
    type=click.Choice(LANGUAGES),
    default=lambda: lang_of_locale(os.environ),
    show_default="the locale's, else en",
    help="The language to speak.",
)
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    show_default="where this platform keeps such",
    help="The folder of what Kille is to remember: the keys of servers, and a server's own.",
)
@click.version_option(__version__, prog_name="kille")
@click.pass_context
def main(ctx: click.Context, *, lang: str, data: Path | None) -> None:
    """Kille, the Swedish card game of exchanges, at a table that may span a network.

    Start with 'kille play'. Every option can also be given as an environment variable: KILLE_LANG, KILLE_PLAY_SEATS,
    and so on.
    """
    ctx.obj = Settings(lang=lang, data=data)
