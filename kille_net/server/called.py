"""What a table of a tournament is given and gives back: who is called to it, and what came of it.

Owns the values. Refuses to know what they count for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from kille_net.server.people import Chair, Player
from kille_net.wire.messages import Level

__all__ = ["Called", "Outcome", "Sitter", "nothing", "outcome"]


@dataclass(frozen=True, slots=True)
class Sitter:
    """A computer."""

    name: str
    level: Level
    takes_part: bool
    """Whether it does itself, and sits for nobody who is missing."""


Called: TypeAlias = Player | Sitter


@dataclass(frozen=True, slots=True)
class Outcome:
    match: str
    """The id of its match, 32 hexadecimal digits; empty: none had begun."""
    places: tuple[int, ...] | None
    """By seat, from 1; None: it was not played to its end."""
    points: tuple[int, ...]
    missing: tuple[bool, ...]
    """For whom a computer played at the end, or who was not there."""
    is_void: bool = False
    """Whether it counts for nobody, whatever had begun."""


def outcome(chairs: Sequence[Chair], standing: tuple[str, tuple[int, ...], tuple[int, ...] | None]) -> Outcome:
    """`standing`: of the match (`Play.standing`), before its seats are freed."""
    match, points, places = standing
    missing = tuple(not (_sits(chair) if match else chair.is_here or chair.is_computers_own) for chair in chairs)
    return Outcome(match, places, points, missing)


def _sits(chair: Chair) -> bool:
    """Whether nobody else plays for who was called there."""
    return chair.is_computers_own or (chair.player is not None and chair.computer is None)


def nothing(seats: int) -> Outcome:
    """Of a table that broke down."""
    return Outcome("", None, (0,) * seats, (False,) * seats)
