"""The rounds and tables of one tournament, as they are known so far.

Owns which tables there are, which are not over, and what comes of an outcome. Refuses to know a clock, and whom it
concerns.
"""

from collections.abc import Sequence
from itertools import chain, count, takewhile
from typing import Final

from msgspec.structs import replace

from kille_net.server.called import Outcome
from kille_net.server.saving import Change, RoundKept, TableKept
from kille_net.server.tournament.saved import Number, RoundSaved, Seated, TableSaved
from kille_net.server.tournament.scoring import OVER, places
from kille_net.wire.messages import TableStatus

__all__ = ["Book", "verdict"]


class Book:
    """What changes in it is to be kept (`take`)."""

    def __init__(self, tournament: int) -> None:
        """`tournament`: its id."""
        self.rounds: Final[list[RoundSaved]] = []
        self.planned: tuple[tuple[tuple[Number, ...], ...], ...] = ()
        """The tables of all rounds of a round robin."""
        self._id = tournament
        self._tables: dict[tuple[int, int], TableSaved] = {}
        self._unfinished: dict[tuple[int, int], TableSaved] = {}
        self._changes: list[Change] = []

    def take(self) -> list[Change]:
        """What is to be kept since this was last asked."""
        changes, self._changes = self._changes, []
        return changes

    # --- what is known ----------------------------------------------------------------------------------------------

    @property
    def round(self) -> int:
        """The last one that is known; 0: none."""
        return len(self.rounds)

    @property
    def is_round_over(self) -> bool:
        """Whether nothing is played, nor will be before another round begins."""
        return not self.rounds or self.rounds[-1].is_over

    @property
    def tables(self) -> tuple[TableSaved, ...]:
        return tuple(self._tables.values())

    @property
    def unfinished(self) -> tuple[TableSaved, ...]:
        return tuple(self._unfinished.values())

    @property
    def waiting(self) -> list[TableSaved]:
        """Tables for which there is no place yet."""
        return [table for table in self._unfinished.values() if table.status is TableStatus.WAITING]

    @property
    def seated(self) -> set[Number]:
        """Who has a table that is not over."""
        return {one for table in self._unfinished.values() for one in table.seats}

    def find(self, round_: int, number: int) -> TableSaved:
        return self._tables[round_, number]

    def tables_of(self, round_: int) -> list[TableSaved]:
        """Also those of a round robin's later rounds, as they are planned."""
        keys = takewhile(self._tables.__contains__, ((round_, number) for number in count(1)))
        known = [self._tables[key] for key in keys]
        if known or not 0 < round_ <= len(self.planned):
            return known
        planned = enumerate(self.planned[round_ - 1], 1)
        return [TableSaved(round=round_, number=number, seats=seats) for number, seats in planned]

    @property
    def began_with(self) -> int:
        """How many were in the first round; 0: there is none yet."""
        first = takewhile(lambda table: table.round == 1, self._tables.values())
        return sum(len(table.seats) for table in first) + len(self.byes_of(1))

    def byes_of(self, round_: int) -> tuple[Number, ...]:
        return self.rounds[round_ - 1].byes if 0 < round_ <= len(self.rounds) else ()

    def knows(self, one: Number) -> bool:
        """Whether it is in any round."""
        tables = chain((table.seats for table in self._tables.values()), *self.planned)
        return any(one in who for who in chain(tables, (round_.byes for round_ in self.rounds)))

    # --- what happens -----------------------------------------------------------------------------------------------

    def open_round(self, tables: Sequence[tuple[Number, ...]], byes: Sequence[Number], seed: str) -> RoundSaved:
        round_ = RoundSaved(number=self.round + 1, byes=tuple(byes), seed=seed)
        self.rounds.append(round_)
        self._changes.append(RoundKept(self._id, round_))
        for number, seats in enumerate(tables, 1):
            self.put(TableSaved(round=round_.number, number=number, seats=seats))
        return round_

    def end_round(self, number: int) -> RoundSaved:
        round_ = self.rounds[number - 1] = replace(self.rounds[number - 1], is_over=True)
        self._changes.append(RoundKept(self._id, round_))
        return round_

    def put(self, table: TableSaved) -> None:
        self._know(table)
        self._changes.append(TableKept(self._id, table))

    def _know(self, table: TableSaved) -> None:
        key = (table.round, table.number)
        self._tables[key] = table
        if table.status in OVER:
            self._unfinished.pop(key, None)
        else:
            self._unfinished[key] = table

    def restore(
        self,
        rounds: Sequence[RoundSaved],
        tables: Sequence[TableSaved],
        planned: tuple[tuple[tuple[Number, ...], ...], ...],
    ) -> None:
        self.rounds.extend(rounds)
        self.planned = planned
        for table in tables:
            self._know(table)


def verdict(outcome: Outcome) -> tuple[TableStatus, tuple[Seated, ...]]:
    """What comes of a table (rules C2 to C4)."""
    missing = [seat for seat, is_missing in enumerate(outcome.missing) if is_missing]
    results = places(outcome.places, outcome.points, missing)
    there = len(results) - len(missing)
    if outcome.match and there and not outcome.is_void:
        return TableStatus.PLAYED, results
    if there == 1 and not outcome.is_void:
        return TableStatus.WALKOVER, results
    return TableStatus.VOID, tuple(replace(seated, place=0) for seated in results)
