"""An open ladder: whoever is free is paired, with those of about their strength.

Owns who plays now and who goes on waiting. Refuses to know a clock: how long each has waited is told.

*Nobody starves*: the first table is always that of who has waited longest, so one before whom p others came waits for p
tables at most as long as enough are free for a table; and where they are not, who has waited `patience` plays at a
smaller table as soon as two are free.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from kille_net.server.pairing.places import most_even_places
from kille_net.server.pairing.tables import FEWEST, MOST_SEATS, Entrant, Table

__all__ = ["Free", "paired"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Free:
    """Who would play now."""

    entrant: Entrant
    rating: float
    waited: float
    """In any unit; of several who have waited alike the one who is told first is the first."""
    last: frozenset[Entrant] = frozenset()
    """Who sat at their last table, they included."""
    places: tuple[int, ...] = field(default=(0,) * MOST_SEATS)
    """How often they have sat in each."""


def paired(free: Iterable[Free], seats: int, patience: float) -> list[Table]:
    """The tables that begin now; who is at none goes on waiting."""
    if not FEWEST <= seats <= MOST_SEATS:
        raise ValueError(f"a table has {FEWEST} to {MOST_SEATS} seats, not {seats}")
    waiting = sorted(free, key=lambda one: -one.waited)
    tables: list[list[Free]] = []
    while len(waiting) >= seats or (len(waiting) >= FEWEST and waiting[0].waited >= patience):
        table = _around(waiting, seats)
        waiting = [one for one in waiting if one not in table]
        tables.append(table)
    _part_again(tables, waiting)
    return [_in_places(table) for table in tables]


def _around(waiting: Sequence[Free], seats: int) -> list[Free]:
    """Who has waited longest, with the nearest ones; not the same table again, if somebody else is there."""
    first, *others = waiting
    others.sort(key=lambda one: abs(one.rating - first.rating))
    table = [first, *others[: seats - 1]]
    if _is_again(table) and len(others) >= seats:
        table[-1] = others[seats - 1]
    return table


def _part_again(tables: Sequence[list[Free]], waiting: list[Free]) -> None:
    """Let a table that would be the same again exchange one, who has not waited longest of them, with others."""
    for table in tables:
        others = [*(other for other in tables if other is not table), waiting]
        places = range(1, len(table))
        for other, at, to in [(those, at, to) for those in others for at in places for to in range(len(those))]:
            if not _is_again(table):
                break
            table[at], other[to] = other[to], table[at]
            if _is_again(table) or (other is not waiting and _is_again(other)):
                table[at], other[to] = other[to], table[at]


def _is_again(table: Sequence[Free]) -> bool:
    together = {one.entrant for one in table}
    return any(one.last == together for one in table)


def _in_places(table: Sequence[Free]) -> Table:
    had = {(one.entrant, place): times for one in table for place, times in enumerate(one.places)}
    return most_even_places([one.entrant for one in table], had)
