"""Knock-out at tables of so many seats: so many of each go on, until all who are left sit at one, the final.

Owns who is in, who waits a round, and how the seeds are spread. Refuses to know how a table was decided: it is told who
finished there, the best one first. Who has dropped out is left out of that.

How many tables there are follows from the final backwards: T tables of the next round take those who go on from as many
tables as fill them. A round of fewer players than all its tables hold lets the best seeds wait, so that the next one is
full; hence only a first round, or one after somebody dropped out, has byes.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from kille_net.server.pairing.tables import FEWEST, MOST_SEATS, Entrant, Round

__all__ = ["Stage", "next_round", "stage", "still_in"]


@dataclass(frozen=True, slots=True)
class Stage:
    """A round of so many players."""

    sizes: tuple[int, ...]
    """Of its tables, the largest first; one of them is the final."""
    byes: int
    through: int
    """How many go on from each table; one from the final."""


def stage(players: int, seats: int, through: int) -> Stage:
    """`through`: how many go on from each table, at most half of it, so that every round leaves fewer."""
    if not FEWEST <= seats <= MOST_SEATS:
        raise ValueError(f"a table has {FEWEST} to {MOST_SEATS} seats, not {seats}")
    if not 1 <= through <= seats // 2:
        raise ValueError(f"1 to {seats // 2} go on from a table of {seats}, not {through}")
    if players <= seats:
        return Stage((players,) if players >= FEWEST else (), players if players < FEWEST else 0, 1)
    tables = seats // through
    while players > tables * seats:
        tables = tables * seats // through
    leave = players - tables * through
    needed = -(-leave // (seats - through))
    sizes = tuple(through + leave // needed + (table < leave % needed) for table in range(needed))
    return Stage(sizes, players - sum(sizes), through)


def still_in(
    entrants: Sequence[Entrant], seats: int, through: int, round_: Round, finished: Iterable[Sequence[Entrant]]
) -> list[Entrant]:
    """Who of those who were in goes on after a round, by seed: one who is alone has won.

    `finished`: who finished at each of its tables, the best one first, without who has dropped out.
    """
    most = stage(len(entrants), seats, through).through
    on = {*round_.byes, *(one for table in finished for one in table[:most])}
    return [one for one in entrants if one in on]


def next_round(
    entrants: Sequence[Entrant], seats: int, through: int, apart: Iterable[AbstractSet[Entrant]] = ()
) -> Round:
    """Of those who are in, the best seed first: byes are theirs, and as many of the best as there are tables sit apart.

    `apart`: who should not meet again at once, such as the tables of the last round; layer by layer, each goes to the
    table where fewest of these are, and of several to the one that a serpentine gives.
    """
    plan = stage(len(entrants), seats, through)
    groups = [set(group) for group in apart]
    tables: list[list[Entrant]] = [[] for _ in plan.sizes]
    left = list(entrants[plan.byes :])
    backwards = False
    while left:
        free = [at for at, table in enumerate(tables) if len(table) == min(map(len, _open(tables, plan)))]
        free = [at for at in free if len(tables[at]) < plan.sizes[at]]
        if backwards:
            free.reverse()
        layer, left = left[: len(free)], left[len(free) :]
        for one in layer:
            best = min(free, key=lambda at: _known(one, tables[at], groups))
            free.remove(best)
            tables[best].append(one)
        backwards = not backwards
    return Round(tuple(tuple(table) for table in tables), tuple(entrants[: plan.byes]))


def _open(tables: Sequence[Sequence[Entrant]], plan: Stage) -> list[Sequence[Entrant]]:
    return [table for table, size in zip(tables, plan.sizes, strict=True) if len(table) < size]


def _known(one: Entrant, table: Sequence[Entrant], groups: Sequence[AbstractSet[Entrant]]) -> int:
    return sum(one in group and other in group for group in groups for other in table)
