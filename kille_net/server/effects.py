"""What a lobby or room wants done: the only way from what decides to what carries."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeAlias

from msgspec import Struct

from kille_net.game.actions import Action
from kille_net.game.record import Line, to_json
from kille_net.game.views import View
from kille_net.server.people import Player
from kille_net.server.saving import Change, Record
from kille_net.wire.messages import RefusalCode, ServerMessage

__all__ = ["Effect", "Fault", "Keep", "Milestone", "Note", "Part", "Refusing", "Save", "Search", "Tell", "Think"]


class Tell(Struct, frozen=True, gc=False):
    """One message, the same bytes, to each of these players, after all that they were told before."""

    players: tuple[Player, ...]
    message: ServerMessage


@dataclass(frozen=True, slots=True)
class Keep:
    """The record of a match that is over (protocol/record.md)."""

    match_id: str
    lines: tuple[Line, ...] = field(repr=False)
    is_closed: bool = False
    """Whether it may be read only once it is opened (`saving.MatchesOpened`)."""

    @property
    def record(self) -> Record:
        """Made where it is written, and not where it is played: it takes its time."""
        return Record(self.match_id, tuple(to_json(line) for line in self.lines))


@dataclass(frozen=True, slots=True)
class Fault:
    """A room broke down: a bug, to be told loudly and without a card."""

    error: Exception


@dataclass(frozen=True, slots=True)
class Part:
    """Part from these players, since nothing true can be told them any more."""

    players: tuple[Player, ...]


class Milestone(Enum):
    ROOM_MADE = "room_made"
    ROOM_CLOSED = "room_closed"
    MATCH_BEGUN = "match_begun"
    MATCH_ENDED = "match_ended"
    TOURNAMENT_OPENED = "tournament_opened"
    TOURNAMENT_BEGAN = "tournament_began"
    ROUND_BEGAN = "round_began"
    TABLE_OVER = "table_over"
    TABLE_VOID = "table_void"
    TOURNAMENT_OVER = "tournament_over"
    TOURNAMENT_CANCELLED = "tournament_cancelled"


@dataclass(frozen=True, slots=True)
class Note:
    """For whoever runs the server: something that is worth a line in its log. It holds no card."""

    milestone: Milestone
    room: str = ""
    match: str = ""
    seats: tuple[str, ...] = ()
    """Who sits there."""
    tournament: str = ""
    round: int = 0
    table: int = 0
    first: tuple[str, ...] = ()
    """Who has won a tournament."""
    why: str = ""


class Save(Struct, frozen=True, gc=False):
    """A change to keep, before anything of the same step is told."""

    change: Change


@dataclass(frozen=True, slots=True)
class Think:
    """Work something out where it stops nobody; what comes of it goes back to the tournament (`Lobby.thought`)."""

    tournament: int
    """Its id."""
    work: Callable[[], Any] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Search:
    """Let a computer search, where it stops nobody, for what it does as a seat that sees this."""

    view: View = field(repr=False)
    seconds: float
    """How long what comes of it is of use."""
    take: Callable[[Action], None] = field(repr=False)
    """Is given that; nothing else happens by it."""


Effect: TypeAlias = Tell | Keep | Fault | Part | Note | Save | Think | Search


class Refusing(Exception):
    """A command is refused, and nothing has changed."""

    def __init__(self, code: RefusalCode) -> None:
        super().__init__(code.value)
        self.code = code
