"""`kille identity`: who you are, carried from one machine to another. Owns what is typed and told."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from kille_net.client.identity import Carried

__all__ = ["command"]

_CELLS: Final = 200
_FILE: Final = click.Path(dir_okay=False, path_type=Path)

_TEXTS: Final = {
    "sv": {
        "exported": "{file}: biljetter: {tickets}, kända servrar: {servers}",
        "warning": "den som har {file} är du: visa den för ingen, och ta bort den när den har använts",
        "imported": "nytt här: biljetter: {tickets}, kända servrar: {servers}",
        "nothing": "det finns inget att bära med sig i {folder}",
        "too_big": "{file} är för stor för att vara från kille identity export",
        "foreign": "{file} är inte från kille identity export, eller skadad: {about}",
        "newer": "{file} är gjord av en senare version av kille; uppgradera",
        "differs": "här finns redan en annan för {about}; --replace byter ut den",
        "in_use": "kille körs här som {about}; avsluta det först",
        "unkept": "det går inte att skriva i {folder}: {about}",
        "exists": "{file} finns redan; välj ett annat namn",
        "io": "{file}: {about}",
        "bad_known_servers": "{file} går inte att läsa eller skriva: {about}",
    },
    "en": {
        "exported": "{file}: tickets: {tickets}, known servers: {servers}",
        "warning": "whoever has {file} is you: show it to nobody, and remove it when it has been used",
        "imported": "new here: tickets: {tickets}, known servers: {servers}",
        "nothing": "there is nothing to carry in {folder}",
        "too_big": "{file} is too big to be from kille identity export",
        "foreign": "{file} is not from kille identity export, or damaged: {about}",
        "newer": "{file} was made by a later version of kille; upgrade",
        "differs": "there is another one here already for {about}; --replace takes the file's",
        "in_use": "kille runs here as {about}; end it first",
        "unkept": "cannot write in {folder}: {about}",
        "exists": "{file} exists already; choose another name",
        "io": "{file}: {about}",
        "bad_known_servers": "cannot read or write {file}: {about}",
    },
}


@click.group("identity")
def command() -> None:
    """Carry who you are to another machine: the tickets by which servers know you, and the keys of servers you know.

    Export on the one machine, take the file to the other in a way that nobody reads, import there. Whoever has the
    file is you.

    A ticket is good on one machine at a time: as soon as you join with it on the other, the first is out, also in the
    middle of a match. And each time that you join you get a new one, so do not play on the first in between.
    """


@command.command("export")
@click.argument("file", type=_FILE)
@click.pass_obj
def _export(settings: Settings, *, file: Path) -> None:
    """Write who you are to a new FILE, which only you may read (mode 600).

    Whoever has the file is you. It is used up when one of the machines joins a server after it: that gets a new
    ticket, which the other has not.
    """
    from kille_net.client.identity import export_identity

    carried = _carry(settings, file, lambda: export_identity(settings.folder(), file))
    texts, name = _TEXTS[settings.lang], click.format_filename(file)
    click.echo(texts["exported"].format(file=name, tickets=carried.tickets, servers=carried.servers))
    click.echo(f"kille: {texts['warning'].format(file=name)}", err=True)


@command.command("import")
@click.argument("file", type=_FILE)
@click.option("--replace", is_flag=True, help="Take the file's ticket or key also where there is another one here.")
@click.pass_obj
def _import(settings: Settings, *, file: Path, replace: bool) -> None:
    """Add what is in FILE to what is known here.

    Where there is another ticket or key for the same already, nothing is changed, unless --replace is given. When you
    join with a ticket from the file, the machine that it came from is out.
    """
    from kille_net.client.identity import import_identity

    carried = _carry(settings, file, lambda: import_identity(file, settings.folder(), replace=replace))
    click.echo(_TEXTS[settings.lang]["imported"].format(tickets=carried.tickets, servers=carried.servers))


def _carry(settings: Settings, file: Path, do: "Callable[[], Carried]") -> "Carried":
    """What goes wrong is one line."""
    from kille_net.client.identity import BadIdentity, Fault
    from kille_net.client.trust import BadKnownServers
    from kille_net.wire.text import safe_text

    key, about, code = "io", "", Exit.WRONG_USE
    try:
        return do()
    except BadIdentity as error:
        key, about = error.fault.value, error.about
        if error.fault in {Fault.NOTHING, Fault.DIFFERS, Fault.IN_USE}:
            code = Exit.DOES_NOT_HOLD
    except BadKnownServers as error:
        key, about, file = "bad_known_servers", error.why, error.path
    except FileExistsError:
        key = "exists"
    except OSError as error:
        about = error.strerror or ""
    text = _TEXTS[settings.lang][key].format(
        file=click.format_filename(file),
        folder=click.format_filename(settings.folder()),
        about=safe_text(about, _CELLS),
    )
    raise CliError(text, code=code)
