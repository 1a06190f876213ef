"""A schedule of any number of rounds, where none is known that is as even as can be.

Owns a search that is the same every time and takes a bounded number of steps: less than a second for 64 players.
Refuses to promise more than that everybody plays, and sits at a smaller table, as often as anybody, within one.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final, TypeAlias

from kille_net.server.pairing.tables import Layout

__all__ = ["Meetings", "Tables", "count", "mixed"]

Tables: TypeAlias = list[list[int]]
"""Of one round."""

Meetings: TypeAlias = list[list[int]]
"""How often each has met each."""

_TRIES: Final = 50_000
"""Exchanges of two players that are weighed; some microseconds each."""
_WORSE: Final = 2
"""The most by which one may make it worse at first."""


def count(meetings: Meetings, rounds: Sequence[Tables], times: int = 1) -> None:
    for tables in rounds:
        for table in tables:
            for one, other in combinations(table, 2):
                meetings[one][other] += times
                meetings[other][one] += times


def mixed(layout: Layout, rounds: int, meetings: Meetings) -> list[Tables]:
    """After those `meetings`, to which these are added. Worse is taken, too, but ever less (threshold accepting)."""
    draws = _draws()
    schedule = _begun(layout, rounds, meetings, draws)
    players = len(meetings)
    prices = _prices(meetings)
    seated = [{player: table for table in tables for player in table} for tables in schedule]
    for turn in range(_TRIES if len(layout.sizes) > 1 else 0):
        at, other_at = seated[next(draws) % rounds], seated[next(draws) % rounds]
        one, other = next(draws) % players, next(draws) % players
        first, second = at.get(one), at.get(other)
        if first is None or second is None or first is second:
            continue
        where = [at]
        if len(first) != len(second):  # so that everybody is at a smaller table as often as before
            back, forth = other_at.get(one), other_at.get(other)
            if back is None or forth is None or len(back) != len(second) or len(forth) != len(first):
                continue
            where.append(other_at)
        cost = sum(_exchange(meetings, prices, tables, one, other) for tables in where)
        if cost > _WORSE * (_TRIES - turn) // _TRIES:
            for tables in where:
                _exchange(meetings, prices, tables, one, other)
    return schedule


def _prices(meetings: Meetings) -> list[int]:
    """By how often a pair meets, as far as that can go: the square of how far it is from what all should have."""
    players = len(meetings)
    low = sum(map(sum, meetings)) // (players * (players - 1))
    most = max(map(sum, meetings))
    return [max(low - times, times - low - 1, 0) ** 2 for times in range(most + 2)]


def _exchange(meetings: Meetings, prices: list[int], at: dict[int, list[int]], one: int, other: int) -> int:
    """By how much the prices of all pairs have grown by it."""
    cost = 0
    for table, leaves, comes in ((at[one], one, other), (at[other], other, one)):
        for mate in table:
            if mate != leaves:
                fewer, more = meetings[leaves][mate], meetings[comes][mate]
                cost += prices[fewer - 1] - prices[fewer] + prices[more + 1] - prices[more]
                meetings[leaves][mate] = meetings[mate][leaves] = fewer - 1
                meetings[comes][mate] = meetings[mate][comes] = more + 1
        table[table.index(leaves)] = comes
    at[one], at[other] = at[other], at[one]
    return cost


def _begun(layout: Layout, rounds: int, meetings: Meetings, draws: Iterator[int]) -> list[Tables]:
    """Everybody in turn sits out, or at the smaller tables; the rest one by one where they have met the fewest."""
    players, widest = len(meetings), layout.sizes[0]
    wide = [size for size in layout.sizes if size == widest]
    narrow = layout.sizes[len(wide) :]
    apart = layout.byes + sum(narrow)
    waiting: list[int] = []
    schedule = []
    for _ in range(rounds):
        aside = waiting[:apart]
        waiting = waiting[apart:]
        if len(aside) < apart:
            again = [player for player in _any_order(players, draws) if player not in aside]
            more = apart - len(aside)
            waiting, aside = [*again[more:], *aside], [*aside, *again[:more]]
        rest = [player for player in _any_order(players, draws) if player not in aside]
        tables = [*_seated(rest, wide, meetings), *_seated(aside[layout.byes :], narrow, meetings)]
        count(meetings, [tables])
        schedule.append(tables)
    return schedule


def _any_order(players: int, draws: Iterator[int]) -> list[int]:
    return [player for _, player in sorted((next(draws), player) for player in range(players))]


def _seated(players: Sequence[int], sizes: Sequence[int], meetings: Meetings) -> Tables:
    left = list(players)
    tables: Tables = []
    for size in sizes:
        table: list[int] = []
        for _ in range(size):
            best = min(left, key=lambda one: sum(meetings[one][other] ** 2 for other in table))
            left.remove(best)
            table.append(best)
        tables.append(table)
    return tables


def _draws() -> Iterator[int]:
    """Numbers without a pattern that matters here, the same every time (the minimal standard generator)."""
    value = 20_261_130
    while True:
        value = value * 48_271 % 2_147_483_647
        yield value >> 3
