"""What whoever runs the server may ask of it, as a table: each request by its name, with its arguments.

Owns what is shown of rooms, players and tournaments, and holds no card. Refuses to know how a request comes (`channel`
does).
"""

import errno
import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import msgspec
import trio

from kille_net import __version__
from kille_net.server.channel import Json, Refused
from kille_net.server.effects import Effect, Refusing
from kille_net.server.logs import log
from kille_net.server.people import Player
from kille_net.server.scheduling.calendar import Calendar
from kille_net.server.serve import Server
from kille_net.server.tournament.told import told
from kille_net.wire import ByeCode
from kille_net.wire import messages as m

__all__ = ["COMMANDS", "answerer"]


def answerer(server: Server) -> Callable[[dict[str, Json]], Awaitable[Json]]:
    """What answers the requests to this server."""

    async def answer(request: dict[str, Json]) -> Json:
        name = request.pop("command", None)
        command = COMMANDS.get(name) if isinstance(name, str) else None
        if command is None:
            raise Refused("no_such_command")
        if request.keys() != set(command.takes) or not all(isinstance(value, str) for value in request.values()):
            raise Refused("bad_request")
        arguments = [request[key] for key in command.takes]
        if command.is_kept and server.is_stuck:
            raise Refused("cannot_save")
        if command.changes:
            log.info("admin", command=name, about=arguments[:1])
        try:
            result = command.do(server, *arguments)
            if isinstance(result, Awaitable):
                return await result
        except Refused:
            raise
        except Refusing as refusing:
            raise Refused(refusing.code.value) from None
        except Exception:  # a bug of ours, which the channel tells
            server.counts.faults += 1
            raise
        if command.is_kept and not await server.settle():
            raise Refused("not_saved_yet")
        return result

    return answer


def _status(server: Server) -> Json:
    rooms = server.lobby.rooms
    return {
        "version": __version__,
        "seconds": round(trio.current_time() - server.started_at),
        "addresses": [f"{host} {port}" for host, port in server.addresses],
        "connections": server.admission.connections,
        "players": len(server.lobby.players),
        "rooms": len(rooms),
        "matches": sum(room.play.match is not None for room in rooms),
        "stopping": server.stop_asked.is_set(),
    }


def _rooms(server: Server) -> Json:
    return [
        {
            "name": room.name,
            "status": room.status.value,
            "seats": [chair.name for chair in room.seating.chairs],
            "watchers": len(room.seating.watchers),
            "host": "" if room.seating.host is None else room.seating.host.name,
            "locked": room.lock is not None,
            "match": "" if room.play.match is None else room.play.match.id,
        }
        for room in server.lobby.rooms
    ]


def _players(server: Server) -> Json:
    found = []
    for player in server.lobby.players:
        session, room = server.carrier.session_of(player), server.lobby.room_of(player)
        found.append(
            {
                "name": player.name,
                "bot": player.is_bot,
                "here": session is not None,
                "address": "" if session is None else session.address,
                "room": "" if room is None else room.name,
                "place": server.lobby.place(player).value,
            }
        )
    return found


def _player(server: Server, name: str) -> Player:
    player = server.lobby.named(name)
    if player is None:
        raise Refused("no_such_player")
    return player


def _kick(server: Server, name: str) -> None:
    """The line ends and the seat is kept, as after a lost one; it does not come back by itself."""
    player = _player(server, name)
    session = server.carrier.session_of(player)
    if session is None:
        raise Refused("not_here")
    session.end(ByeCode.KICKED)
    server.lose(player, session, is_done=False)


def _ban(server: Server, who: str) -> Json:
    try:
        shown, gone = server.ban(who)
    except ValueError:
        raise Refused("no_name_or_address") from None
    return {"banned": shown, "sent_away": [player.name for player in gone]}


def _unban(server: Server, who: str) -> None:
    try:
        was_there = server.unban(who)
    except ValueError:
        raise Refused("no_name_or_address") from None
    if not was_there:
        raise Refused("not_banned")


def _announce(server: Server, text: str) -> Json:
    return {"told": server.carrier.tell_everyone(m.Notice(code=m.NoticeCode.ANNOUNCE, text=text, ms=0))}


def _close(server: Server, room: str) -> None:
    if not server.close_room(room):
        raise Refused("no_such_room")


async def _backup(server: Server, file: str) -> None:
    if server.backup is None:
        raise Refused("no_store")
    try:
        await server.backup(Path(file))
    except (OSError, sqlite3.Error) as error:
        raise Refused(_why_not(error)) from None


def _why_not(error: Exception) -> str:
    match error:
        case FileExistsError():
            return "file_exists"
        case FileNotFoundError() | NotADirectoryError():
            return "no_folder"
        case PermissionError():
            return "not_permitted"
        case OSError(errno=errno.ENOSPC | errno.EDQUOT) | sqlite3.Error(sqlite_errorcode=sqlite3.SQLITE_FULL):
            return "no_space"
    return "not_written"


# --- tournaments ------------------------------------------------------------------------------------------------------


def _tournaments(server: Server) -> Json:
    return [
        {
            "name": one.name,
            "kind": one.plan.kind.value,
            "seats": one.plan.options.seats,
            "duplicate": one.plan.duplicate,
            "stage": one.stage.value,
            "why": one.why,
            "round": one.book.round,
            "rounds": one.rounds,
            "entrants": one.size,
            "starts": None if (starts := one.starts_in()) is None else round(starts),
            "tables": [table.room for table in one.book.unfinished if table.room],
        }
        for one in server.lobby.calendar.tournaments
    ]


def _open(server: Server, name: str, plan: str) -> None:
    try:
        read = msgspec.json.decode(plan, type=m.Plan)
    except msgspec.MsgspecError:
        raise Refused(m.RefusalCode.BAD_PLAN.value) from None
    server.schedule(lambda calendar, now: calendar.open(name, read, now))


def _of_name(step: Callable[[Calendar, str, float], list[Effect]]) -> "_Do":
    """Lets that happen to the tournament of a name."""

    def do(server: Server, name: str) -> None:
        server.schedule(lambda calendar, now: step(calendar, name, now))

    return do


def _drop(server: Server, name: str) -> None:
    player = _player(server, name)
    server.schedule(lambda calendar, now: calendar.drop(player, now))


def _standings(server: Server, name: str) -> Json:
    one = server.lobby.calendar.named(name)
    if one is None:
        raise Refused(m.RefusalCode.NO_SUCH_TOURNAMENT.value)
    return {
        "name": one.name,
        "kind": one.plan.kind.value,
        "stage": one.stage.value,
        "round": one.book.round,
        "rounds": one.rounds,
        "standings": told(one.saved()),
    }


_Do: TypeAlias = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class _Command:
    do: _Do
    takes: tuple[str, ...] = ()
    """The names of its arguments, which are texts."""
    changes: bool = True
    """Whether it is worth a line in the log."""
    is_kept: bool = False
    """Whether what it does outlives the server, and so is acknowledged when that is sure."""


COMMANDS: Final[Mapping[str, _Command]] = MappingProxyType(
    {
        "status": _Command(_status, changes=False),
        "rooms": _Command(_rooms, changes=False),
        "players": _Command(_players, changes=False),
        "bans": _Command(lambda server: list(server.bans.bans), changes=False),
        "kick": _Command(_kick, ("name",), is_kept=True),
        "ban": _Command(_ban, ("who",), is_kept=True),
        "unban": _Command(_unban, ("who",), is_kept=True),
        "announce": _Command(_announce, ("text",)),
        "close": _Command(_close, ("room",), is_kept=True),
        "drain": _Command(lambda server: server.stop_asked.set()),
        "backup": _Command(_backup, ("file",)),
        "tournaments": _Command(_tournaments, changes=False),
        "tournament open": _Command(_open, ("name", "plan"), is_kept=True),
        "tournament begin": _Command(_of_name(Calendar.begin), ("name",), is_kept=True),
        "tournament cancel": _Command(_of_name(Calendar.cancel), ("name",), is_kept=True),
        "tournament drop": _Command(_drop, ("name",), is_kept=True),
        "tournament standings": _Command(_standings, ("name",), changes=False),
    }
)
