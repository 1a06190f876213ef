"""Swiss at tables of so many seats: every round anew, those of like scores meet who have not met before.

Owns one round. Refuses to keep anything: who is there now, with their scores, and the rounds before are told every
time, so that who comes late or drops out between rounds is just there, or not.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, TypeAlias

from kille_net.server.pairing.places import most_even_places
from kille_net.server.pairing.tables import Entrant, Round, layout

__all__ = ["next_round"]

_Pair: TypeAlias = frozenset[Entrant]
_Tables: TypeAlias = list[list[int]]
"""Of the numbers of those who play, the one with the best score first."""

_AGAIN: Final = 1 << 40
"""What it costs that two meet again, or one sits at a smaller table again, for each time that it was so, squared."""
_APART: Final = 1 << 8
"""What, next to nothing beside that, a point of difference between two scores costs, squared."""
_KICKS: Final = 30
_EXCHANGES: Final = 3
_PRIME: Final = 2_147_483_647


def next_round(scores: Mapping[Entrant, float], seats: int, before: Sequence[Round]) -> Round:
    """Of all who are there now, in the order of their seeds, with their scores; `before`: all rounds so far."""
    past = _Past.of(before)
    ranked = sorted(scores, key=lambda one: -scores[one])
    last = {one: -rank for rank, one in enumerate(ranked)}
    plan = layout(len(ranked), seats)
    byes = sorted(ranked, key=lambda one: (past.byes[one], last[one]))[: plan.byes]
    playing = [one for one in ranked if one not in byes]
    found = _Search(playing, scores, past, plan.sizes).best()
    tables = [[playing[number] for number in table] for table in found]
    return Round(tuple(most_even_places(table, past.places) for table in tables), tuple(byes))


@dataclass(frozen=True, slots=True)
class _Past:
    meetings: Counter[_Pair]
    byes: Counter[Entrant]
    smaller: Counter[Entrant]
    """How often each sat at a table with fewer seats than others had."""
    places: Counter[tuple[Entrant, int]]

    @staticmethod
    def of(rounds: Iterable[Round]) -> "_Past":
        past = _Past(Counter(), Counter(), Counter(), Counter())
        for round_ in rounds:
            past.byes.update(round_.byes)
            widest = max(map(len, round_.tables), default=0)
            for table in round_.tables:
                past.meetings.update(map(frozenset, combinations(table, 2)))
                past.places.update((one, place) for place, one in enumerate(table))
                past.smaller.update(table if len(table) < widest else ())
        return past


class _Search:
    """For tables that cost little, by exchanging two players as long as that is for the better."""

    def __init__(
        self, playing: Sequence[Entrant], scores: Mapping[Entrant, float], past: _Past, sizes: Sequence[int]
    ) -> None:
        self._sizes = sizes
        self._smaller = [past.smaller[one] for one in playing]
        self._costs = [
            [
                _AGAIN * past.meetings[frozenset((one, other))] ** 2
                + round(_APART * (scores[one] - scores[other]) ** 2)
                for other in playing
            ]
            for one in playing
        ]

    def best(self) -> _Tables:
        """From the plain order, and then, as long as it could be better, from the best so far with a few exchanges that
        are drawn, always the same.
        """
        best = self._laid(self._order())
        least = sum(cost % _AGAIN for cost in map(self._cost, best))  # as if nobody had met before
        self._improve(best)
        value = 1
        for _ in range(_KICKS if len(best) > 1 else 0):
            if sum(map(self._cost, best)) <= least:
                break
            other = [list(table) for table in best]
            for _ in range(_EXCHANGES):
                value = value * 48_271 % _PRIME
                first, second = other[value % len(other)], other[value // len(other) % len(other)]
                at, to = value // 64 % len(first), value // 512 % len(second)
                first[at], second[to] = second[to], first[at]
            self._improve(other)
            best = min(other, best, key=lambda tables: sum(map(self._cost, tables)))
        return best

    def _order(self) -> list[int]:
        """By score; who sits at the smaller tables, the last ones of those who have seldom sat there, comes last."""
        numbers = range(len(self._smaller))
        few = sum(size for size in self._sizes if size < self._sizes[0])
        aside = set(sorted(numbers, key=lambda one: (self._smaller[one], -one))[:few])
        return sorted(numbers, key=lambda one: one in aside)

    def _laid(self, order: Sequence[int]) -> _Tables:
        tables, first = [], 0
        for size in self._sizes:
            tables.append(list(order[first : first + size]))
            first += size
        return tables

    def _cost(self, table: Sequence[int]) -> int:
        return sum(self._costs[one][other] for one, other in combinations(table, 2)) + self._of_smaller(table, table)

    def _of_smaller(self, table: Sequence[int], those: Iterable[int]) -> int:
        return _AGAIN * sum(self._smaller[one] ** 2 for one in those) if len(table) < self._sizes[0] else 0

    def _improve(self, tables: _Tables) -> None:
        """The nearest tables first."""
        pairs = sorted(combinations(range(len(tables)), 2), key=lambda pair: pair[1] - pair[0])
        better = True
        while better:
            better = False
            for one, other in pairs:
                better |= self._exchanged(tables[one], tables[other])

    def _exchanged(self, first: list[int], second: list[int]) -> bool:
        """Whether any exchange between two tables was for the better."""
        was = False
        for at in range(len(first)):
            for to in range(len(second)):
                one, other = first[at], second[to]
                mine, theirs = self._costs[one], self._costs[other]
                grows = sum(theirs[mate] - mine[mate] for mate in first if mate != one)
                grows += sum(mine[mate] - theirs[mate] for mate in second if mate != other)
                grows += self._of_smaller(first, [other]) + self._of_smaller(second, [one])
                grows -= self._of_smaller(first, [one]) + self._of_smaller(second, [other])
                if grows < 0:
                    first[at], second[to] = other, one
                    was = True
        return was
