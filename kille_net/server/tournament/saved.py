"""What is kept of a tournament: the one shape of it that the server, its store and the history share.

Owns the values. Refuses to know how they came about, and what they are worth.
"""

from typing import Final, TypeAlias

from msgspec import Struct

from kille_net.wire.messages import EntryStatus, Plan, TableStatus, TournamentStage

__all__ = [
    "HERE",
    "Entry",
    "Number",
    "RoundSaved",
    "Seated",
    "TableSaved",
    "TournamentSaved",
    "TournamentState",
]

Number: TypeAlias = int
"""Of an entrant, from 1 in the order of signing up: its own for the whole tournament, and its seed."""


HERE: Final = frozenset({EntryStatus.SIGNED_UP, EntryStatus.CHECKED_IN, EntryStatus.PLAYING})
"""Who still takes part."""


class Entry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    number: Number
    name: str
    player: int | None
    """The player's id; None: a computer."""
    is_bot: bool = False
    """Of a player."""
    level: str = ""
    """Of a computer."""
    status: EntryStatus = EntryStatus.SIGNED_UP
    missed: int = 0
    """Tables in a row at which it was not there."""


class Seated(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One seat of a table that is over."""

    place: int
    """From 1, after rule C2, ties sharing one; 0: void."""
    points: int = 0
    """In the match."""
    is_missing: bool = False
    """Whether a computer played for it at the end, or it never came."""


class TableSaved(Struct, frozen=True, kw_only=True, omit_defaults=True):
    round: int
    """From 1; on a ladder each table is a round of its own."""
    number: int
    """From 1 in its round."""
    seats: tuple[Number, ...]
    status: TableStatus = TableStatus.WAITING
    room: str = ""
    """Its name, once there is one."""
    match: str = ""
    """The id of its match, 32 hexadecimal digits; empty: none has begun."""
    results: tuple[Seated, ...] = ()
    """By seat, once it is over."""


class RoundSaved(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is known of a round as soon as it is paired."""

    number: int
    byes: tuple[Number, ...] = ()
    seed: str = ""
    """What the packs of a duplicate round come from: told to nobody before its last table is over."""
    is_over: bool = False


class TournamentState(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What changes now and then. A field that is added later needs a default, or a migration of the store."""

    name: str
    plan: Plan
    maker: int | None
    """The player's id; None: whoever runs the server."""
    stage: TournamentStage
    starts: float | None = None
    """Seconds since 1970."""
    entries: tuple[Entry, ...] = ()
    planned: tuple[tuple[tuple[Number, ...], ...], ...] = ()
    """The tables of all rounds of a round robin."""
    why: str = ""
    """Why it was cancelled."""
    began: float | None = None
    ended: float | None = None
    """Seconds since 1970."""


class TournamentSaved(Struct, frozen=True, kw_only=True):
    """All of it."""

    id: int
    """Its own for ever."""
    state: TournamentState
    rounds: tuple[RoundSaved, ...]
    tables: tuple[TableSaved, ...]
    """In the order in which they were called."""
