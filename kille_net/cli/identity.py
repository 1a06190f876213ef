"""`kille identity`: who you are, carried from one machine to another. Owns what is typed and told."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.settings import Settings
from kille_net.cli.speaking import Group, argument, option, spoken, tell, tell_error
from kille_net.languages import say_of_english

if TYPE_CHECKING:
    from collections.abc import Callable

    from kille_net.client.net.identity import Carried

__all__ = ["command"]

_CELLS: Final = 200
_PATH_CELLS: Final = 400
_FILE: Final = click.Path(dir_okay=False, path_type=Path)


@click.group("identity", cls=Group)
def command() -> None:
    """Only its commands do something."""


@command.command("export")
@argument("file", type=_FILE)
@click.pass_obj
def _export(settings: Settings, *, file: Path) -> None:
    from kille_net.client.net.identity import export_identity
    from kille_net.wire.text import safe_text

    carried = _carry(settings, file, lambda: export_identity(settings.folder(), file))
    name = safe_text(click.format_filename(file), _PATH_CELLS)
    click.echo(tell("identity.exported", file=name, tickets=carried.tickets, servers=carried.servers))
    click.echo(f"kille: {tell('identity.warning', file=name)}", err=True)


@command.command("import")
@argument("file", type=_FILE)
@option("--replace", is_flag=True)
@click.pass_obj
def _import(settings: Settings, *, file: Path, replace: bool) -> None:
    from kille_net.client.net.identity import import_identity

    carried = _carry(settings, file, lambda: import_identity(file, settings.folder(), replace=replace))
    click.echo(tell("identity.imported", tickets=carried.tickets, servers=carried.servers))


def _carry(settings: Settings, file: Path, do: "Callable[[], Carried]") -> "Carried":
    """What goes wrong is one line."""
    from kille_net.client.net.identity import BadIdentity, Fault
    from kille_net.client.net.trust import BadKnownServers
    from kille_net.wire.text import safe_text

    key, about, code = "io", "", Exit.WRONG_USE
    try:
        return do()
    except BadIdentity as error:
        key, about = error.fault.value, error.about
        if error.fault in {Fault.NOTHING, Fault.DIFFERS, Fault.IN_USE}:
            code = Exit.DOES_NOT_HOLD
    except BadKnownServers as error:
        key, about, file = "bad_known_servers", say_of_english(spoken(), error.why), error.path
    except FileExistsError:
        key = "exists"
    except OSError as error:
        about = tell_error(error)
    text = tell(
        f"identity.{key}",
        file=click.format_filename(file),
        folder=click.format_filename(settings.folder()),
        about=safe_text(about, _CELLS),
    )
    raise CliError(text, code=code)
