"""`kille admin`: what whoever runs a server asks of it, on the machine and in the data folder where it runs.

Owns what is typed and how answers are shown. The server decides.
"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.shelf import apart
from kille_net.cli.speaking import Group, argument, named, option, spoken, tell, tell_many
from kille_net.languages import by_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from kille_net.cli.settings import Settings

__all__ = ["command"]

_SECONDS: Final = 15.0
_BACKUP_SECONDS: Final = 3600.0
_CELLS: Final = 400
_LADDER: Final = "ladder"
_GONE: Final = frozenset({"out", "knocked_out"})
"""How it is with who takes part no more."""
_REFUSALS: Final = frozenset(
    {
        *("no_such_player", "no_such_room", "not_here", "not_banned", "no_name_or_address", "no_store", "not_written"),
        *("file_exists", "no_folder", "not_permitted", "no_space", "cannot_save", "not_saved_yet"),
        *("no_such_tournament", "tournament_exists", "too_many_tournaments", "bad_plan", "too_late", "not_entered"),
    }
)
"""What a server may answer; the texts of each are `admin.…`."""


class _Admin:
    """What every subcommand is told."""

    def __init__(self, folder: Path, *, as_json: bool) -> None:
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
            about = safe_text(next(iter(arguments.values()), ""), _CELLS)
            key = refused.code if refused.code in _REFUSALS else "other"
            raise self._error(key, Exit.REFUSED, about=about, code=safe_text(str(refused.code), _CELLS)) from None
        if self._as_json:
            click.echo(json.dumps(result, ensure_ascii=False))
            return
        for line in show(result) or [tell("admin.nothing")]:
            click.echo(safe_text(line, _CELLS))

    def _error(self, key: str, how: Exit, /, **values: object) -> CliError:
        return CliError(tell(f"admin.{key}", **values), code=how)

    def done(self, _result: object) -> list[str]:
        return [tell("admin.done")]


@click.group("admin", cls=Group)
@option("--data", type=click.Path(file_okay=False, path_type=Path), metavar="DIR")
@option("--json", "as_json", is_flag=True)
@click.pass_context
def command(ctx: click.Context, *, data: Path | None, as_json: bool) -> None:
    settings: Settings = ctx.obj
    ctx.obj = _Admin(settings.server_folder(data), as_json=as_json)


@command.command("status")
@click.pass_obj
def _status(admin: _Admin) -> None:
    admin.ask(lambda found: [f"{named('admin.status', key)}: {_word(value)}" for key, value in found.items()], "status")


@command.command("rooms")
@click.pass_obj
def _rooms(admin: _Admin) -> None:

    def show(found: list[dict[str, Any]]) -> list[str]:
        return [
            f"{room['name']}: {named('status', room['status'])}, {', '.join(name or '-' for name in room['seats'])}"
            for room in _sorted(found)
        ]

    admin.ask(show, "rooms")


@command.command("players")
@click.pass_obj
def _players(admin: _Admin) -> None:

    def show(found: list[dict[str, Any]]) -> list[str]:
        kinds = (tell("admin.person"), tell("admin.bot"))
        return [
            ", ".join(
                part
                for part in (
                    f"{player['name']}: {kinds[player['bot']]}",
                    f"{named('admin.place', player['place'])} {player['room']}".rstrip(),
                    player["address"] if player["here"] else tell("admin.away"),
                )
                if part
            )
            for player in _sorted(found)
        ]

    admin.ask(show, "players")


@command.command("kick")
@argument("name")
@click.pass_obj
def _kick(admin: _Admin, *, name: str) -> None:
    admin.ask(admin.done, "kick", name=name)


@command.command("ban")
@argument("who", metavar="NAME|ADDRESS")
@click.pass_obj
def _ban(admin: _Admin, *, who: str) -> None:

    def show(found: dict[str, Any]) -> list[str]:
        lines = [tell("admin.banned", banned=found["banned"])]
        return lines + ([tell("admin.sent_away", names=", ".join(found["sent_away"]))] if found["sent_away"] else [])

    admin.ask(show, "ban", who=who)


@command.command("unban")
@argument("who", metavar="NAME|ADDRESS")
@click.pass_obj
def _unban(admin: _Admin, *, who: str) -> None:
    admin.ask(admin.done, "unban", who=who)


@command.command("bans")
@click.pass_obj
def _bans(admin: _Admin) -> None:
    admin.ask(lambda found: sorted(found, key=lambda who: by_name(spoken(), who)), "bans")


@command.command("announce")
@argument("text")
@click.pass_obj
def _announce(admin: _Admin, *, text: str) -> None:
    admin.ask(lambda found: [tell_many("admin.told", found["told"])], "announce", text=text)


@command.command("close")
@argument("room")
@click.pass_obj
def _close(admin: _Admin, *, room: str) -> None:
    admin.ask(admin.done, "close", room=room)


@command.command("drain")
@click.pass_obj
def _drain(admin: _Admin) -> None:
    admin.ask(admin.done, "drain")


@command.command("backup")
@argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.pass_obj
def _backup(admin: _Admin, *, file: Path) -> None:
    admin.ask(admin.done, "backup", seconds=_BACKUP_SECONDS, file=str(file.absolute()))


# --- tournaments ------------------------------------------------------------------------------------------------------


@command.command("tournaments")
@click.pass_obj
def _tournaments(admin: _Admin) -> None:
    admin.ask(lambda found: [_tournament_line(one) for one in _sorted(found)], "tournaments")


@command.group("tournament", cls=Group)
def _tournament() -> None:
    pass


@_tournament.command("open")
@argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.pass_obj
def _open(admin: _Admin, *, file: Path) -> None:
    from datetime import datetime

    from msgspec import json as packed

    from kille_net.cli.reading import fault
    from kille_net.cli.tournaments import plan_at, read_file

    now = datetime.now()
    plans = [(one, plan_at(one, now)) for one in read_file(file)]
    for one, plan in plans:
        if plan is None:
            raise fault("config.past", file=one.file, name=one.name)
    for one, plan in plans:
        admin.ask(admin.done, "tournament open", name=one.name, plan=packed.encode(plan).decode())


@_tournament.command("begin")
@argument("name")
@click.pass_obj
def _begin(admin: _Admin, *, name: str) -> None:
    admin.ask(admin.done, "tournament begin", name=name)


@_tournament.command("cancel")
@argument("name")
@click.pass_obj
def _cancel(admin: _Admin, *, name: str) -> None:
    admin.ask(admin.done, "tournament cancel", name=name)


@_tournament.command("drop")
@argument("player")
@click.pass_obj
def _drop(admin: _Admin, *, player: str) -> None:
    admin.ask(admin.done, "tournament drop", name=player)


@_tournament.command("standings")
@argument("name")
@click.pass_obj
def _standings(admin: _Admin, *, name: str) -> None:
    admin.ask(_standings_lines, "tournament standings", name=name)


def _tournament_line(one: dict[str, Any]) -> str:
    from kille_net.client.showing.texts import reason

    why = f" ({reason(spoken(), one['why'])})" if one["why"] else ""
    parts = [named("history.kind", one["kind"]), named("history.stage", one["stage"]) + why]
    if one["starts"] is not None:
        parts.append(tell("admin.tournament.starts", seconds=one["starts"]))
    if one["round"] and one["kind"] != _LADDER:
        parts.append(_round_of(one))
    parts.append(tell_many("admin.tournament.entrants", one["entrants"]))
    return f"{one['name']}: {', '.join([*parts, *one['tables']])}"


def _round_of(one: dict[str, Any]) -> str:
    key = "admin.tournament.round_of" if one["rounds"] else "admin.tournament.round"
    return tell(key, round=one["round"], rounds=one["rounds"])


def _standings_lines(found: dict[str, Any]) -> list[str]:
    names = apart([(one["name"], one["number"]) for one in found["standings"]])
    return [
        tell(
            "admin.tournament.standing_of_gone" if one["status"] in _GONE else "admin.tournament.standing",
            rank=one["rank"],
            name=name,
            score=_score(one, is_ladder=found["kind"] == _LADDER),
            tables=tell_many("admin.tournament.tables", one["played"]),
            status=named("history.entry", one["status"]),
        )
        for one, name in zip(found["standings"], names, strict=True)
    ]


def _score(one: dict[str, Any], *, is_ladder: bool) -> str:
    if is_ladder:
        return tell("rating_of", least=f"{one['score']:.2f}", rating=f"{one['mean']:.2f} ±{one['margin']:.2f}")
    return f"{one['score']:.2f}"


def _sorted(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(found, key=lambda one: by_name(spoken(), one["name"]))


def _word(value: object) -> str:
    if isinstance(value, bool):
        return tell("cli.yes" if value else "cli.no")
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
