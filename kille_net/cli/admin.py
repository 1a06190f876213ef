"""`kille admin`: what whoever runs a server asks of it, on the machine and in the data folder where it runs.

Owns what is typed and how answers are shown. The server decides.
"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["command"]

_SECONDS: Final = 15.0
_BACKUP_SECONDS: Final = 3600.0
_CELLS: Final = 400

_TEXTS: Final = {
    "sv": {
        "nobody": "ingen server kör med mappen {folder}; välj mapp med --data",
        "not_yours": "servern i {folder} är någon annans: kör som den användare som startade den",
        "no_such_player": "det finns ingen spelare {about}; kille admin players visar alla",
        "no_such_room": "det finns inget rum {about}; kille admin rooms visar alla",
        "not_here": "{about} är inte ansluten",
        "not_banned": "{about} är inte bannlyst; kille admin bans visar alla",
        "no_name_or_address": "{about} är varken ett namn eller en adress",
        "no_store": "servern sparar inget som kan säkerhetskopieras",
        "not_written": "det går inte att skriva {about}",
        "file_exists": "{about} finns redan; välj ett annat namn",
        "no_folder": "det finns ingen mapp för {about}; gör den först",
        "not_permitted": "servern får inte skriva {about}; välj en annan mapp",
        "no_space": "det finns inte plats för {about}; välj en annan disk",
        "cannot_save": "inget ändrades: servern kan inte spara just nu; se dess logg, och försök igen",
        "not_saved_yet": "gjort, men servern kan inte spara det än, och glömmer det om den stoppas nu; se dess logg",
        "too_long": "texten är för lång; skriv en kortare",
        "other": "servern svarade {code}; är den av en annan version?",
        "nothing": "inget",
        "person": "person",
        "bot": "bot",
        "away": "borta",
        "done": "gjort",
        "told": "{told} spelare hörde det",
        "banned": "{banned} släpps inte in",
        "sent_away": "utvisade: {names}",
    },
    "en": {
        "nobody": "no server runs with the folder {folder}; choose its folder with --data",
        "not_yours": "the server in {folder} is somebody else's: run this as the user who started it",
        "no_such_player": "there is no player {about}; kille admin players lists all",
        "no_such_room": "there is no room {about}; kille admin rooms lists all",
        "not_here": "{about} is not connected",
        "not_banned": "{about} is not banned; kille admin bans lists all",
        "no_name_or_address": "{about} is neither a name nor an address",
        "no_store": "the server keeps nothing that could be backed up",
        "not_written": "cannot write {about}",
        "file_exists": "{about} is there already; choose another name",
        "no_folder": "there is no folder for {about}; make it first",
        "not_permitted": "the server may not write {about}; choose another folder",
        "no_space": "there is no room for {about}; choose another disk",
        "cannot_save": "nothing was changed: the server cannot save now; see its log, and try again",
        "not_saved_yet": "done, but the server cannot save it yet, and forgets it if it is stopped now; see its log",
        "too_long": "the text is too long; write a shorter one",
        "other": "the server answered {code}; is it of another version?",
        "nothing": "none",
        "person": "person",
        "bot": "bot",
        "away": "away",
        "done": "done",
        "told": "{told} players heard it",
        "banned": "{banned} is not let in",
        "sent_away": "sent away: {names}",
    },
}


class _Admin:
    """What every subcommand is told."""

    def __init__(self, settings: Settings, folder: Path, *, as_json: bool) -> None:
        self.texts = _TEXTS[settings.lang]
        self._folder = folder
        self._as_json = as_json

    def ask(
        self, show: "Callable[[Any], list[str]]", command: str, *, seconds: float = _SECONDS, **arguments: str
    ) -> None:
        """Ask the server, and print its answer."""
        from kille_net.server.channel import NoChannel, Refused, TooLong, ask
        from kille_net.wire.text import safe_text

        try:
            result = ask(self._folder, {"command": command, **arguments}, seconds)
        except PermissionError:
            raise self._error("not_yours", Exit.REFUSED, folder=click.format_filename(self._folder)) from None
        except NoChannel:
            raise self._error("nobody", Exit.NO_SERVER, folder=click.format_filename(self._folder)) from None
        except TooLong:
            raise self._error("too_long", Exit.WRONG_USE) from None
        except Refused as refused:
            about = safe_text(" ".join(arguments.values()), _CELLS)
            key = refused.code if refused.code in self.texts else "other"
            raise self._error(key, Exit.REFUSED, about=about, code=safe_text(str(refused.code), _CELLS)) from None
        if self._as_json:
            click.echo(json.dumps(result, ensure_ascii=False))
            return
        for line in show(result) or [self.texts["nothing"]]:
            click.echo(safe_text(line, _CELLS))

    def _error(self, key: str, how: Exit, /, **values: object) -> CliError:
        return CliError(self.texts[key].format(**values), code=how)

    def done(self, _result: object) -> list[str]:
        return [self.texts["done"]]


@click.group("admin")
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    show_default="'server' in that of kille --data",
    help="The data folder of the server.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the answer as one line of JSON.")
@click.pass_context
def command(ctx: click.Context, *, data: Path | None, as_json: bool) -> None:
    """Look after a server that runs on this machine: who plays, send somebody away, announce, stop.

    It is reached through its data folder, by the user who started it, and by nobody over the network.
    """
    settings: Settings = ctx.obj
    ctx.obj = _Admin(settings, data or settings.folder() / "server", as_json=as_json)


@command.command("status")
@click.pass_obj
def _status(admin: _Admin) -> None:
    """How the server is."""
    admin.ask(lambda found: [f"{key}: {_word(value)}" for key, value in found.items()], "status")


@command.command("rooms")
@click.pass_obj
def _rooms(admin: _Admin) -> None:
    """All rooms, with who sits in them."""

    def show(found: list[dict[str, Any]]) -> list[str]:
        return [
            f"{room['name']}: {room['status']}, {', '.join(name or '-' for name in room['seats'])}" for room in found
        ]

    admin.ask(show, "rooms")


@command.command("players")
@click.pass_obj
def _players(admin: _Admin) -> None:
    """All players, with where they are and from which address they came."""

    def show(found: list[dict[str, Any]]) -> list[str]:
        kinds = (admin.texts["person"], admin.texts["bot"])
        return [
            ", ".join(
                part
                for part in (
                    f"{player['name']}: {kinds[player['bot']]}",
                    f"{player['place']} {player['room']}".rstrip(),
                    player["address"] if player["here"] else admin.texts["away"],
                )
                if part
            )
            for player in found
        ]

    admin.ask(show, "players")


@command.command("kick")
@click.argument("name")
@click.pass_obj
def _kick(admin: _Admin, *, name: str) -> None:
    """End a player's connection; the seat is kept as for a lost line, and the player may come back."""
    admin.ask(admin.done, "kick", name=name)


@command.command("ban")
@click.argument("who", metavar="NAME|ADDRESS")
@click.pass_obj
def _ban(admin: _Admin, *, who: str) -> None:
    """Send away whoever is called so, or comes from that address, and let nobody such in."""

    def show(found: dict[str, Any]) -> list[str]:
        lines = [admin.texts["banned"].format(banned=found["banned"])]
        return lines + (
            [admin.texts["sent_away"].format(names=", ".join(found["sent_away"]))] if found["sent_away"] else []
        )

    admin.ask(show, "ban", who=who)


@command.command("unban")
@click.argument("who", metavar="NAME|ADDRESS")
@click.pass_obj
def _unban(admin: _Admin, *, who: str) -> None:
    """Take a ban back."""
    admin.ask(admin.done, "unban", who=who)


@command.command("bans")
@click.pass_obj
def _bans(admin: _Admin) -> None:
    """All bans."""
    admin.ask(list, "bans")


@command.command("announce")
@click.argument("text")
@click.pass_obj
def _announce(admin: _Admin, *, text: str) -> None:
    """Say something to all players."""
    admin.ask(lambda found: [admin.texts["told"].format(told=found["told"])], "announce", text=text)


@command.command("close")
@click.argument("room")
@click.pass_obj
def _close(admin: _Admin, *, room: str) -> None:
    """Break off what is played in a room, and close it."""
    admin.ask(admin.done, "close", room=room)


@command.command("drain")
@click.pass_obj
def _drain(admin: _Admin) -> None:
    """Let the hands end that are under way, and stop the server."""
    admin.ask(admin.done, "drain")


@command.command("backup")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.pass_obj
def _backup(admin: _Admin, *, file: Path) -> None:
    """Write all that the server keeps to a file, while it runs."""
    admin.ask(admin.done, "backup", seconds=_BACKUP_SECONDS, file=str(file.absolute()))


def _word(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
