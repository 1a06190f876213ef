"""What a match is worth to a seat, in several measures, and what a block is worth to a bot.

Owns the measures and between which bounds they lie; each is a table's row. Refuses to know how many blocks there are
and what is made of their numbers.

*points*: as played. *rank*: 1 for the winner, the others by their points; who tie share the mean of their ranks, so
that the ranks of a match always have one sum. *share*: points over an even share of all points of the match. *won*: 1
for the winner, over an even share of that. *ahead*: how often one seat ends before another; a tie counts half.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from itertools import combinations
from types import MappingProxyType
from typing import Final, TypeAlias

from kille_net.arena.blocks import Block, Result
from kille_net.arena.plan import Plan

__all__ = ["Bounds", "Measure", "Values", "bounds", "difference_bounds", "values_of"]

Bounds: TypeAlias = tuple[float, float]
"""The least and the most that a block may be worth."""
Values: TypeAlias = Mapping["Measure", tuple[float, ...]]


class Measure(StrEnum):
    """Of a bot: the mean over its seats in a block."""

    POINTS = "points"
    RANK = "rank"
    SHARE = "share"
    WON = "won"


def _points(result: Result) -> tuple[float, ...]:
    return tuple(map(float, result.points))


def _ranks(result: Result) -> tuple[float, ...]:
    others = [points for seat, points in enumerate(result.points) if seat != result.winner]

    def rank(points: int) -> float:
        better = sum(other > points for other in others)
        alike = others.count(points)
        return 2 + better + (alike - 1) / 2

    return tuple(1.0 if seat == result.winner else rank(points) for seat, points in enumerate(result.points))


def _shares(result: Result) -> tuple[float, ...]:
    even = sum(result.points) / len(result.points)
    return tuple(points / even for points in result.points)


def _won(result: Result) -> tuple[float, ...]:
    return tuple(float(len(result.points)) * (seat == result.winner) for seat in range(len(result.points)))


_OF_SEATS: Final[Mapping[Measure, Callable[[Result], tuple[float, ...]]]] = MappingProxyType(
    {Measure.POINTS: _points, Measure.RANK: _ranks, Measure.SHARE: _shares, Measure.WON: _won}
)


def values_of(plan: Plan, block: Block) -> tuple[Values, tuple[float, ...]]:
    """By measure and bot; and of each pair of bots, in the order of `combinations`, how often the first is ahead."""
    whose = [
        [plan.bot_of(plan.player_at(seat, rotation)) for seat in range(plan.seats)]
        for rotation in range(plan.rotations)
    ]
    bots = range(len(plan.bots))
    values = {
        measure: tuple(_mean_of(bot, whose, [of_seats(result) for result in block.results]) for bot in bots)
        for measure, of_seats in _OF_SEATS.items()
    }
    ranks = [_ranks(result) for result in block.results]
    return values, tuple(_ahead(first, second, whose, ranks) for first, second in combinations(bots, 2))


def _mean_of(bot: int, whose: list[list[int]], seats: list[tuple[float, ...]]) -> float:
    own = [
        value
        for bots, values in zip(whose, seats, strict=True)
        for of, value in zip(bots, values, strict=True)
        if of == bot
    ]
    return sum(own) / len(own)


def _ahead(first: int, second: int, whose: list[list[int]], ranks: list[tuple[float, ...]]) -> float:
    halves = count = 0
    for bots, values in zip(whose, ranks, strict=True):
        mine = [rank for of, rank in zip(bots, values, strict=True) if of == first]
        theirs = [rank for of, rank in zip(bots, values, strict=True) if of == second]
        halves += sum((own < other) + (own <= other) for own in mine for other in theirs)
        count += len(mine) * len(theirs)
    return halves / (2 * count)


def bounds(measure: Measure, plan: Plan, bot: int) -> Bounds:
    """Between which the bot's seats may be worth in a block: all that there is is shared between the seats."""
    seats, own = plan.seats, plan.lineup.count(bot)
    has_all = own == seats
    match measure:
        case Measure.POINTS:  # one more than agreed on, for a tie (F3)
            return (plan.rules.pots / seats if has_all else 0.0), (plan.rules.pots + 1) / own
        case Measure.RANK:
            return (own + 1) / 2, seats - (own - 1) / 2
        case Measure.SHARE | Measure.WON:
            return (1.0 if has_all else 0.0), seats / own


def difference_bounds(measure: Measure, plan: Plan, first: int, second: int) -> Bounds:
    """Of how much more the first is worth than the second."""
    (least, most), (of_other, at_other) = bounds(measure, plan, first), bounds(measure, plan, second)
    return least - at_other, most - of_other
