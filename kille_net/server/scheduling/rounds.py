"""Which round comes next in each kind of tournament, and when there is none.

Owns the choice of a pairing and what it is told of the rounds before. Refuses to know who is here, and what a table
came to beyond its places. What it returns to be done takes up to half a second for 64 players.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil, log2
from typing import Final, TypeAlias

from kille_net.server.pairing import knock_out, swiss
from kille_net.server.pairing.round_robin import round_robin, rounds_needed
from kille_net.server.pairing.tables import FEWEST, Round
from kille_net.server.tournament.saved import Number, RoundSaved, TableSaved
from kille_net.server.tournament.scoring import POINT
from kille_net.wire.messages import Plan, TournamentKind

__all__ = ["Field", "Pairing", "all_rounds", "goes_on", "next_pairing", "rounds_of", "still_in"]

_LEAST_SWISS: Final = 3

Pairing: TypeAlias = Callable[[], Round]
"""To be done where it stops nobody."""


@dataclass(frozen=True, slots=True)
class Field:
    """Where a tournament stands between two rounds."""

    plan: Plan
    playing: tuple[Number, ...]
    """Who takes part now, by seed."""
    scores: Mapping[Number, int]
    rounds: tuple[RoundSaved, ...]
    tables: tuple[TableSaved, ...]
    planned: tuple[tuple[tuple[Number, ...], ...], ...]
    """Of a round robin."""

    @property
    def number(self) -> int:
        """Of the last round; 0: none."""
        return len(self.rounds)

    def of(self, number: int) -> Round:
        """A round as the pairings know it."""
        tables = tuple(tuple(map(str, table.seats)) for table in self.tables if table.round == number)
        return Round(tables, tuple(map(str, self.rounds[number - 1].byes)))


def rounds_of(plan: Plan, entrants: int) -> int:
    """How many there will be; 0: that is not known before."""
    match plan.kind:
        case TournamentKind.ROUND_ROBIN:
            return plan.rounds or rounds_needed(entrants, plan.options.seats)
        case TournamentKind.SWISS:
            return plan.rounds or max(_LEAST_SWISS, ceil(log2(entrants)))
        case _:
            return 0


def all_rounds(plan: Plan, entrants: Sequence[Number]) -> tuple[tuple[tuple[Number, ...], ...], ...]:
    """The tables of a round robin."""
    rounds = round_robin([str(one) for one in entrants], plan.options.seats, plan.rounds or None)
    return tuple(tuple(tuple(map(int, table)) for table in round_.tables) for round_ in rounds)


def goes_on(field: Field, rounds: int) -> bool:
    """Whether there is another round; `rounds`: how many there are to be (`rounds_of`)."""
    if len(field.playing) < FEWEST:
        return False
    return field.plan.kind is TournamentKind.KNOCK_OUT or field.number < rounds


def next_pairing(field: Field) -> Pairing:
    """The next round, which there must be."""
    plan, playing = field.plan, [str(one) for one in field.playing]
    seats = plan.options.seats
    match plan.kind:
        case TournamentKind.ROUND_ROBIN:
            return partial(_planned, field)
        case TournamentKind.SWISS:
            before = [field.of(number) for number in range(1, field.number + 1)]
            scores = {one: field.scores.get(int(one), 0) / POINT for one in playing}
            return partial(swiss.next_round, scores, seats, before)
        case TournamentKind.KNOCK_OUT:
            last = field.of(field.number).tables if field.number else ()
            return partial(knock_out.next_round, playing, seats, _through(plan), [frozenset(table) for table in last])
        case TournamentKind.LADDER:
            raise ValueError("a ladder has no rounds")


def still_in(field: Field, were: Sequence[Number], best_first: Sequence[Sequence[Number]]) -> set[Number]:
    """Who goes on in a knock-out after its last round.

    `were`: who was in it, by seed; `best_first`: its tables without who has dropped out.
    """
    finished = [[str(one) for one in table] for table in best_first]
    on = knock_out.still_in(
        [str(one) for one in were],
        field.plan.options.seats,
        _through(field.plan),
        field.of(field.number),
        finished,
    )
    return {int(one) for one in on if int(one) in field.playing}


def _through(plan: Plan) -> int:
    return min(plan.through, plan.options.seats // 2)


def _planned(field: Field) -> Round:
    """The planned one, without who takes part no more; who sits out is who is in no table. Where somebody plays who
    was not planned for, it takes the places of one who is gone.
    """
    here = set(field.playing)
    planned = {one for round_ in field.planned for table in round_ for one in table}
    new = (one for one in field.playing if one not in planned)
    instead = dict(zip(sorted(planned - here), new, strict=False))
    tables = [
        tuple(str(instead.get(one, one)) for one in table if one in here or one in instead)
        for table in field.planned[field.number]
    ]
    seated = {one for table in tables for one in table}
    return Round(
        tuple(table for table in tables if table),
        tuple(str(one) for one in field.playing if str(one) not in seated),
    )
