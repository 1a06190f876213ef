"""The tables of who may say what when (protocol/v1/protocol.md §4.3, §5.4). Nothing else decides that.

Owns the states of a connection and the places of a player. Refuses to know bytes, rooms and rules.
"""

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Final, TypeAlias, cast, get_args

from kille_net.wire import messages as m


class Role(Enum):
    """An end of a connection."""

    __hash__ = object.__hash__  # an enum's own is a function of Python

    CLIENT = "client"
    SERVER = "server"


class State(Enum):
    """Where a connection is, as one of its ends sees it."""

    __hash__ = object.__hash__  # likewise

    GREETING = "greeting"
    """Nothing has been said."""
    GREETED = "greeted"
    """The client has said hello."""
    OPEN = "open"
    """The server has said welcome."""
    FAILED = "failed"
    """The other end broke the protocol; only why may still be said."""
    CLOSED = "closed"
    """One end has said bye, or the line is lost."""


class Place(Enum):
    """Where a player is."""

    __hash__ = object.__hash__  # likewise

    LOBBY = "lobby"
    WATCHING = "watching"
    SEATED = "seated"


Kind: TypeAlias = type[m.Message]

COMMANDS: Final = cast("tuple[Kind, ...]", get_args(m.Command))
ANSWERS: Final = cast("tuple[Kind, ...]", get_args(m.Answer))
EVENTS: Final = cast("tuple[Kind, ...]", get_args(m.RoomEvent))

_BYE: Final[Mapping[Kind, State]] = {m.Bye: State.CLOSED}
_PINGS: Final[tuple[Kind, ...]] = (m.Ping, m.Pong)

TRANSITIONS: Final[Mapping[State, Mapping[Role, Mapping[Kind, State]]]] = {
    State.GREETING: {
        Role.CLIENT: {m.Hello: State.GREETED, **_BYE},
        Role.SERVER: _BYE,
    },
    State.GREETED: {
        Role.CLIENT: _BYE,
        Role.SERVER: {m.Welcome: State.OPEN, **_BYE},
    },
    State.OPEN: {
        Role.CLIENT: {**dict.fromkeys((*COMMANDS, *_PINGS), State.OPEN), **_BYE},
        Role.SERVER: {
            **dict.fromkeys((*ANSWERS, m.Snapshot, m.ShuffleState, m.Question, m.HandShown, m.Notice), State.OPEN),
            **dict.fromkeys((m.TournamentNews, *EVENTS, *_PINGS), State.OPEN),
            **_BYE,
        },
    },
    State.FAILED: {Role.CLIENT: _BYE, Role.SERVER: _BYE},
    State.CLOSED: {Role.CLIENT: {}, Role.SERVER: {}},
}
"""State → who speaks → message → the state after it. What is absent is forbidden."""

_ANYWHERE: Final = frozenset(Place)
_LOBBY: Final = frozenset({Place.LOBBY})
_SEATED: Final = frozenset({Place.SEATED})
_IN_ROOM: Final = frozenset({Place.WATCHING, Place.SEATED})

PLACES: Final[Mapping[Kind, frozenset[Place]]] = MappingProxyType(
    {
        m.ListRooms: _ANYWHERE,
        m.Create: _LOBBY,
        m.Join: _LOBBY,
        m.Quick: _LOBBY,
        m.Watch: _LOBBY,
        m.Leave: _IN_ROOM,
        m.Ready: _SEATED,
        m.Start: _SEATED,
        m.Pause: _SEATED,
        m.AddComputers: _SEATED,
        m.RemoveComputer: _SEATED,
        m.Kick: _SEATED,
        m.Decide: _SEATED,
        m.CallKuku: _SEATED,
        m.CommitNonce: _SEATED,
        m.RevealNonce: _SEATED,
        m.NextHand: _SEATED,
        m.Say: _IN_ROOM,
        m.ListTournaments: _ANYWHERE,
        m.OpenTournament: _ANYWHERE,
        m.SignUp: _ANYWHERE,
        m.Withdraw: _ANYWHERE,
        m.CheckIn: _ANYWHERE,
        m.BeginTournament: _ANYWHERE,
        m.CancelTournament: _ANYWHERE,
        m.AskStandings: _ANYWHERE,
        m.AskTables: _ANYWHERE,
        m.Follow: _ANYWHERE,
    }
)
"""Command → the places where it means something; elsewhere it is refused as `wrong_place`."""

LISTS: Final[Mapping[Kind, Kind]] = MappingProxyType(
    {
        m.ListRooms: m.Rooms,
        m.ListTournaments: m.Tournaments,
        m.AskStandings: m.Standings,
        m.AskTables: m.Tables,
    }
)
"""Command that asks for a page of a list → the answer that is one; all others are answered with `ok` (§5.3)."""

HOST_ONLY: Final[frozenset[Kind]] = frozenset({m.Start, m.Pause, m.AddComputers, m.RemoveComputer, m.Kick})
"""Commands that anybody but the host is refused as `not_host`."""
