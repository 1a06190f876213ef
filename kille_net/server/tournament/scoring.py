"""What a table of a tournament is worth to those who sat at it.

Owns the places of a table after its match, and the score that they come to, in whole units. Refuses to know how tables
come about, and what the scores add up to.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from math import floor
from typing import Final

from kille_net.server.tournament.saved import Number, Seated, TableSaved
from kille_net.wire.messages import TableStatus

__all__ = ["BYE", "OVER", "POINT", "RESULT", "adjusted", "places", "rounded", "score"]

POINT: Final = 840
"""Units of a point: divisible by twice the opponents at every size of table."""
_HALF: Final = POINT // 2
BYE: Final = _HALF
"""To whoever sits out (C3)."""

RESULT: Final = frozenset({TableStatus.PLAYED, TableStatus.WALKOVER})
"""Of tables that say who has won."""
OVER: Final = RESULT | {TableStatus.VOID}
"""Of tables at which nothing more happens."""


def places(placed: Sequence[int] | None, points: Sequence[int], missing: Collection[int]) -> tuple[Seated, ...]:
    """The seats of a table whose match has ended, `missing` those that nobody of their own plays then.

    `placed`: as the match has placed them; None: it was broken off, and the points so far decide (C4). Who is missing
    is placed after all others (C2); where all are, nobody has come, and nobody has a place.
    """
    order = placed if placed is not None else [-own for own in points]
    there = [seat for seat in range(len(points)) if seat not in missing]

    def place(seat: int) -> int:
        if not there:
            return 0
        if seat in missing:
            return 1 + len(there)
        return 1 + sum(order[other] < order[seat] for other in there)

    return tuple(Seated(place=place(seat), points=own, is_missing=seat in missing) for seat, own in enumerate(points))


def score(table: TableSaved) -> dict[Number, int]:
    """By C1 and C3, of a table by itself: nothing of one that is not over."""
    if table.status is TableStatus.WALKOVER:
        return {
            number: 0 if seated.is_missing else POINT for number, seated in zip(table.seats, table.results, strict=True)
        }
    if table.status is TableStatus.VOID:
        return dict.fromkeys(table.seats, 0)
    if table.status is not TableStatus.PLAYED:
        return {}
    order = [seated.place for seated in table.results]
    return {number: _worth(own, order) for number, own in zip(table.seats, order, strict=True)}


def _worth(own: int, order: Sequence[int]) -> int:
    """Each opponent who is placed after is worth an equal part of a point, each who shares the place half of that."""
    if not own:
        return 0
    after = sum(other > own for other in order)
    beside = order.count(own) - 1
    return (2 * after + beside) * _HALF // (len(order) - 1)


def adjusted(tables: Iterable[TableSaved]) -> dict[Number, Fraction]:
    """The scores of a round of duplicates that is over, in units, exactly (C10).

    Each is compared with the same seat at all tables of that size which were played; a walkover and a void table are
    worth what they are worth by themselves.
    """
    told: dict[Number, Fraction] = {}
    by_seat: dict[tuple[int, int], dict[Number, int]] = defaultdict(dict)
    for table in tables:
        for seat, (number, worth) in enumerate(score(table).items()):
            if table.status is TableStatus.PLAYED:
                by_seat[len(table.seats), seat][number] = worth
            else:
                told[number] = Fraction(worth)
    for scores in by_seat.values():
        mean = Fraction(sum(scores.values()), len(scores))
        told.update({number: worth + _HALF - mean for number, worth in scores.items()})
    return told


def rounded(scores: Mapping[Number, Fraction]) -> dict[Number, int]:
    """In whole units, each to the nearest and halves up, so that equal results are worth the same. What a round comes
    to may be off by half a unit for each result; the exact scores come to as much as they would by themselves.
    """
    return {number: floor(worth + Fraction(1, 2)) for number, worth in scores.items()}
