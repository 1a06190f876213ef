"""What a server keeps so that it can go on where it was: the changes as they happen, and all of it at a start.

Owns the values that pass between what decides and the store. Refuses to know how they are kept.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from msgspec import Struct

from kille_net.game.events import HandBegan
from kille_net.game.record import EndLine, HandLine, Line, MatchLine, Played, PotLine
from kille_net.game.rules import Seat
from kille_net.server.sources import Shuffle
from kille_net.server.tournament.saved import RoundSaved, TableSaved, TournamentSaved, TournamentState
from kille_net.wire.messages import Options, RefusalCode

__all__ = [
    "Answered",
    "Banned",
    "ChairSaved",
    "Change",
    "LineKept",
    "MatchBegun",
    "MatchOver",
    "MatchSaved",
    "MatchesOpened",
    "Moved",
    "NextSaid",
    "PackDealt",
    "PlayerForgotten",
    "PlayerKept",
    "PlayerSaved",
    "Record",
    "RecordWritten",
    "Result",
    "RoomAt",
    "RoomEnded",
    "RoomKept",
    "RoomSaved",
    "RoomState",
    "RoundKept",
    "Saved",
    "SecretDrawn",
    "Step",
    "TableKept",
    "TableOf",
    "TournamentKept",
    "Unbanned",
    "last_lines",
]

# --- parts ------------------------------------------------------------------------------------------------------------


class ChairSaved(Struct, frozen=True, omit_defaults=True):
    """Who sits on a chair: a player by its id, a computer by its level and name, or both for a stand-in."""

    player: int | None = None
    level: str = ""
    name: str = ""
    is_for_match: bool = False
    stands_in: bool = False


NextSaid: TypeAlias = tuple[int, tuple[Seat, ...]]
"""After which hand these seats have said that the next one may come; 0: after none."""


class TableOf(Struct, frozen=True, kw_only=True):
    """That a room is a table of a tournament, and which."""

    tournament: int
    """Its id."""
    round: int
    number: int
    call: float
    """Seconds that it waits for its players."""
    most: float
    """Seconds after which its match is broken off."""


class RoomState(Struct, frozen=True, kw_only=True):
    """What a room is beside its match. A field that is added later needs a default, or a migration of the store."""

    name: str
    options: Options
    lock: str | None
    """What the room's password is checked by."""
    host: int | None
    maker: int | None
    is_paused: bool
    matches: int
    """Begun so far."""
    chairs: tuple[ChairSaved, ...]
    watchers: tuple[int, ...]
    next_said: NextSaid = (0, ())
    is_quick: bool = False
    """Whether it gathers players for its first match."""
    is_closed: bool = False
    """Whether nothing of its matches may be read before they are opened."""
    sat: tuple[int, ...] = ()
    """Players by their ids, who sat here when the match that is played began."""
    table: TableOf | None = None


@dataclass(frozen=True, slots=True)
class PackDealt:
    """A pack was dealt: the next one that the match wanted."""

    began: HandBegan | None = None
    """The hand that began with it; None: it was dealt again within a hand."""


Step: TypeAlias = PackDealt | Played
"""A match is its rules, its packs and these."""


@dataclass(frozen=True, slots=True)
class Record:
    """Of a match that is over (protocol/record.md)."""

    match_id: str
    """32 hexadecimal digits."""
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """How a match ended for one seat."""

    seat: Seat
    points: int
    place: int
    """From 1; seats that have as many points share one, but for the winner."""


# --- changes ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerKept:
    id: int
    name: str
    is_bot: bool
    is_here: bool
    """Whether it was connected then: being away begins with the end of the server."""
    digests: tuple[bytes, ...] = field(repr=False)
    """Of its tickets, the last one last."""


@dataclass(frozen=True, slots=True)
class PlayerForgotten:
    id: int


class Answered(Struct, frozen=True, gc=False):
    """A command that changed something was answered: None: done."""

    player: int
    id: int
    code: RefusalCode | None


@dataclass(frozen=True, slots=True)
class RoomKept:
    key: str
    state: RoomState


class RoomAt(Struct, frozen=True, gc=False):
    """How far its events and questions have come."""

    key: str
    seq: int
    turn: int


@dataclass(frozen=True, slots=True)
class RoomEnded:
    """The room is gone, and a match that was played in it is broken off."""

    key: str


@dataclass(frozen=True, slots=True)
class SecretDrawn:
    """A secret that a match's players are about to be told the commitment to (protocol/v1/protocol.md §7.8)."""

    match: bytes
    secret: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchBegun:
    room: str
    """Its key."""
    room_name: str
    header: MatchLine
    players: tuple[int | None, ...]
    """By seat, the ids of those who play; None: a computer."""
    secret: bytes = field(repr=False)
    """What its packs are made of, beside the header."""
    is_closed: bool = False
    """Whether nothing of it may be read, not even when it is over, before it is opened."""


@dataclass(frozen=True, slots=True)
class MatchesOpened:
    """What these matches held back may be read from now on; of one that is still played, when it is over."""

    matches: tuple[bytes, ...]
    """Their ids."""


@dataclass(frozen=True, slots=True)
class Moved:
    """Step `n`, from 0."""

    match: bytes
    n: int
    step: Step = field(repr=False)


@dataclass(frozen=True, slots=True)
class LineKept:
    """Line `n` of the record, from 0, that of the match line."""

    match: bytes
    n: int
    line: Line = field(repr=False)


@dataclass(frozen=True, slots=True)
class MatchOver:
    match: bytes
    reason: str | None
    """Why it was broken off; None: it was played to its end."""
    results: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class RecordWritten:
    """The record of a match that is over is in the folder for records."""

    match: bytes


@dataclass(frozen=True, slots=True)
class TournamentKept:
    id: int
    """Its own for ever: no other ever has it."""
    state: TournamentState


@dataclass(frozen=True, slots=True)
class RoundKept:
    """Of a tournament that is kept: what is known of its round of that number now."""

    tournament: int
    """Its id."""
    round: RoundSaved = field(repr=False)


@dataclass(frozen=True, slots=True)
class TableKept:
    """Of a tournament that is kept: what is known of its table of that round and number now."""

    tournament: int
    """Its id."""
    table: TableSaved


@dataclass(frozen=True, slots=True)
class Banned:
    what: str


@dataclass(frozen=True, slots=True)
class Unbanned:
    what: str


Change: TypeAlias = (
    PlayerKept
    | PlayerForgotten
    | Answered
    | RoomKept
    | RoomAt
    | RoomEnded
    | SecretDrawn
    | MatchBegun
    | MatchesOpened
    | Moved
    | LineKept
    | MatchOver
    | RecordWritten
    | TournamentKept
    | RoundKept
    | TableKept
    | Banned
    | Unbanned
)

# --- all of it --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerSaved:
    kept: PlayerKept
    has_played: bool
    away: float
    """Seconds since it was last here."""
    answers: tuple[Answered, ...] = ()
    """The last ones, by id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSaved:
    header: MatchLine
    secret: bytes = field(repr=False)
    steps: tuple[Step, ...] = field(repr=False)
    lines: tuple[Line, ...] = field(repr=False)
    """Of the record, without the header, as far as they are finished."""
    is_over: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomSaved:
    key: str
    state: RoomState
    seq: int
    turn: int
    match: MatchSaved | None
    """The one that is played, or the last one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    players: tuple[PlayerSaved, ...] = ()
    """Who has been away longest first."""
    rooms: tuple[RoomSaved, ...] = ()
    last_player: int = 0
    """The highest id that any player ever had."""
    bans: tuple[str, ...] = ()
    tournaments: tuple[TournamentSaved, ...] = ()
    """Those that are neither over nor cancelled, by id."""
    last_tournament: int = 0
    """The highest id that any tournament ever had."""


def last_lines(match: MatchSaved, shuffle: Shuffle, reason: str) -> Iterator[Line]:
    """What the record still lacks of a match that is broken off and not judged again (protocol/record.md)."""
    began = [n for n, step in enumerate(match.steps) if isinstance(step, PackDealt) and step.began is not None]
    if len(began) > sum(isinstance(line, HandLine) for line in match.lines):
        yield _unfinished(match.steps[began[-1] :], shuffle)
    points = [line.points for line in match.lines if isinstance(line, PotLine)]
    yield EndLine(
        winner=None,
        points=points[-1] if points else (0,) * len(match.header.seats),
        reason=reason,
        revealed=shuffle.revealed(),
    )


def _unfinished(steps: Sequence[Step], shuffle: Shuffle) -> HandLine:
    first = steps[0]
    assert isinstance(first, PackDealt)
    assert first.began is not None
    packs = sum(isinstance(step, PackDealt) for step in steps)
    return HandLine(
        n=first.began.number,
        pot=first.began.pot,
        dealer=first.began.dealer,
        lives=first.began.lives,
        packs=tuple(shuffle.pack(first.began.number, redeal) for redeal in range(packs)),
        actions=tuple(step for step in steps if isinstance(step, Played)),
        outcome=None,
    )
