"""Tables of a round: who sits where, and who sits out.

Owns how so many players are laid out over tables of so many seats. Refuses to choose who they are.
"""

from dataclasses import dataclass
from typing import Final, TypeAlias

__all__ = ["FEWEST", "MOST_SEATS", "Entrant", "Layout", "Round", "Table", "layout"]

FEWEST: Final = 2
MOST_SEATS: Final = 8

Entrant: TypeAlias = str
"""The id of who takes part; nothing is read out of it."""

Table: TypeAlias = tuple[Entrant, ...]
"""In the order of the seats."""


@dataclass(frozen=True, slots=True)
class Round:
    tables: tuple[Table, ...]
    byes: tuple[Entrant, ...] = ()
    """Who sits out."""


@dataclass(frozen=True, slots=True)
class Layout:
    sizes: tuple[int, ...]
    """Seats of each table, the largest first."""
    byes: int

    @property
    def pairs(self) -> int:
        """How many pairs meet in a round."""
        return sum(size * (size - 1) // 2 for size in self.sizes)


def layout(players: int, seats: int) -> Layout:
    """Nobody sits out where tables of `seats` and of one less take everybody, since who sits out plays nothing;
    otherwise as few as can be, so the tables are full. No table has fewer than two; fewer players than seats share one.
    """
    if not FEWEST <= seats <= MOST_SEATS:
        raise ValueError(f"a table has {FEWEST} to {MOST_SEATS} seats, not {seats}")
    if players < FEWEST:
        return Layout((), players)
    seats = min(seats, players)
    tables = -(-players // seats)
    short = tables * seats - players
    if short <= tables and (seats > FEWEST or not short):
        return Layout((seats,) * (tables - short) + (seats - 1,) * short, 0)
    return Layout((seats,) * (players // seats), players % seats)
