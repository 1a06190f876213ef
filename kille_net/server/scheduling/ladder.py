"""Who of an open ladder plays now.

Owns what each has played there so far and how strong they seem, a table at a time, so that a long ladder costs no more
than a short one. Refuses to know a clock.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from kille_net.server.pairing.ladder import Free, paired
from kille_net.server.pairing.tables import FEWEST, MOST_SEATS, Table
from kille_net.server.rating import NEW
from kille_net.server.scheduling.entrants import Entrant
from kille_net.server.tournament.saved import Number, TableSaved
from kille_net.server.tournament.standings import Tally
from kille_net.wire.messages import Plan

__all__ = ["Ladder"]


class Ladder:
    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.tally = Tally()
        self._played: Counter[Number] = Counter()
        self._last: dict[Number, frozenset[str]] = {}
        self._places: Counter[tuple[Number, int]] = Counter()

    def note(self, table: TableSaved) -> None:
        """A table is over."""
        self.tally.note(table)
        for place, one in enumerate(table.seats):
            self._played[one] += 1
            self._places[one, place] += 1
            self._last[one] = frozenset(map(str, table.seats))

    def has_done(self, one: Entrant) -> bool:
        """Whether it has played as often as it may."""
        return 0 < self._plan.rounds <= self._played[one.number]

    def has_played(self, one: Entrant) -> bool:
        return one.number in self._played

    def _would_play(self, one: Entrant) -> bool:
        return one.is_here and not self.has_done(one)

    def may_pair(self, free: Iterable[Entrant]) -> bool:
        """Of who is at no table: whether they could play with each other. Computers play with somebody only."""
        waiting = [one for one in free if self._would_play(one)]
        return len(waiting) >= FEWEST and not all(one.is_computer for one in waiting)

    def tables(self, free: Iterable[Entrant], now: float) -> Sequence[Table]:
        """Of who is at no table: those that begin now."""
        rested = [one for one in free if self._would_play(one) and now - one.free_since >= self._plan.pause]
        players = {str(one.number) for one in rested if not one.is_computer}
        waiting = [self._free(one, now) for one in rested]
        tables = paired(waiting, self._plan.options.seats, self._plan.pause + self._plan.call)
        return [table for table in tables if not players.isdisjoint(table)]

    def _free(self, one: Entrant, now: float) -> Free:
        return Free(
            entrant=str(one.number),
            rating=self.tally.ratings.get(one.number, NEW).mu,
            waited=0.0 if one.is_computer else now - one.free_since,
            last=self._last.get(one.number, frozenset()),
            places=tuple(self._places[one.number, place] for place in range(MOST_SEATS)),
        )
