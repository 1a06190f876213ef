"""What makes the entries of `pairing/starters.py`: python -m tests.server.pairing.search [PLAYERS SEATS]...

Prints an entry for each pair of numbers: by algebra where a design is known, else by simulated annealing, for as even a
schedule as can be first, then for one that is less even by one. What it finds, `test_round_robin.py` checks. A thousand
times as many steps are worth their while; compiled with mypyc it is twenty times as fast.
"""

import sys
from itertools import combinations, product
from math import exp, gcd
from typing import Final, TypeAlias

from kille_net.server.pairing.starters import LETTERS
from kille_net.server.pairing.tables import Layout, layout

Found: TypeAlias = tuple[int, list[list[int]]]
"""The order of the group, and the players of each starter, table by table."""

_BIG: Final = 2_147_483_647


class Annealing:
    """Tables of `starters` rounds, which a cyclic group of that `order` develops."""

    def __init__(self, players: int, plan: Layout, order: int, starters: int, *, seed: int, more: int) -> None:
        self.players, self.plan, self.order = players, plan, order
        self.rounds = order * starters
        self.value = seed % (_BIG - 1) + 1
        meetings, pairs = self.rounds * plan.pairs, players * (players - 1) // 2
        self.low = meetings // pairs
        self.high = self.low + (meetings % pairs > 0) + more
        self.kinds: list[list[int]] = []
        self.times: list[int] = []
        self._class_pairs()
        self.counts = [0] * len(self.times)
        self.tables = [self._begin(starter) for starter in range(starters)]
        self.at = [[0] * players for _ in range(starters)]
        for starter, tables in enumerate(self.tables):
            for number, table in enumerate(tables):
                for player in table:
                    self.at[starter][player] = number
                if len(table) >= 2 and number < len(plan.sizes):
                    for one, other in combinations(table, 2):
                        self.counts[self.kinds[one][other]] += 1
        self.cost = sum(self._penalty(kind) for kind in range(len(self.times)))

    def _class_pairs(self) -> None:
        """By the orbit of each pair; one whose difference is its own negative comes up twice."""
        order, moving = self.order, self.players // self.order * self.order
        numbers: dict[tuple[int, int, int], int] = {}
        for one in range(self.players):
            row = [-1] * self.players
            for other in range(self.players):
                if one == other:
                    continue
                low, high = min(one, other), max(one, other)
                difference = (high - low) % order if high < moving else 0
                if low // order == high // order:
                    difference = min(difference, order - difference)
                key = (low // order, high // order, difference)
                if key not in numbers:
                    numbers[key] = len(self.times)
                    twice = low // order == high // order and 2 * difference == order
                    self.times.append(2 if twice else 1)
                row[other] = numbers[key]
            self.kinds.append(row)

    def _begin(self, starter: int) -> list[list[int]]:
        """Who sits out and who is at smaller tables in turn, orbit by orbit; who sits out is the last table."""
        orbits, widest = self.players // self.order, self.plan.sizes[0]
        narrow = [size for size in self.plan.sizes if size < widest]
        apart = self.plan.byes + sum(narrow)
        used = [0] * orbits
        aside: list[int] = []
        for turn in range(starter * apart, starter * apart + apart):
            orbit = turn % orbits
            aside.append(orbit * self.order + used[orbit])
            used[orbit] += 1
        rest = [player for player in range(self.players) if player not in aside]
        byes, aside = aside[: self.plan.byes], aside[self.plan.byes :]
        tables: list[list[int]] = []
        for size in self.plan.sizes:
            source = rest if size == widest else aside
            tables.append([source.pop() for _ in range(size)])
        return [*tables, byes]

    def _penalty(self, kind: int) -> int:
        met = self.counts[kind] * self.times[kind]
        off = self.low - met if met < self.low else met - self.high if met > self.high else 0
        return off * off

    def _move(self, starter: int, number: int, leaves: int, comes: int) -> int:
        """What it costs that one takes the other's chair at a table."""
        cost = 0
        if number < len(self.plan.sizes):
            for mate in self.tables[starter][number]:
                if mate != leaves:
                    kind = self.kinds[leaves][mate]
                    cost -= self._penalty(kind)
                    self.counts[kind] -= 1
                    cost += self._penalty(kind)
                    kind = self.kinds[comes][mate]
                    cost -= self._penalty(kind)
                    self.counts[kind] += 1
                    cost += self._penalty(kind)
        table = self.tables[starter][number]
        table[table.index(leaves)] = comes
        self.at[starter][comes] = number
        return cost

    def _draw(self, below: int) -> int:
        self.value = self.value * 48_271 % _BIG
        return self.value % below

    def _may(self, one: int, other: int, first: int, second: int) -> bool:
        """Everybody is as often at a smaller table, and who sits out stays in turn."""
        if first == second:
            return False
        if max(first, second) == len(self.plan.sizes):
            return False
        alike = self.plan.sizes[first] == self.plan.sizes[second]
        return alike or (self.order > 1 and one // self.order == other // self.order)

    def run(self, steps: int) -> bool:
        heat = 0.8
        for _ in range(steps):
            if not self.cost:
                return True
            heat = max(0.2, heat * (1 - 1.4 / steps))
            starter = self._draw(len(self.tables))
            one, other = self._draw(self.players), self._draw(self.players)
            first, second = self.at[starter][one], self.at[starter][other]
            if not self._may(one, other, first, second):
                continue
            cost = self._move(starter, first, one, other)
            cost += self._move(starter, second, other, one)
            if cost > 0 and self._draw(_BIG) > _BIG * exp(-cost / heat):
                self._move(starter, first, other, one)
                self._move(starter, second, one, other)
            else:
                self.cost += cost
        return not self.cost

    def found(self) -> Found:
        return self.order, [[player for table in tables for player in table] for tables in self.tables]


def shapes(players: int, plan: Layout) -> list[tuple[int, int]]:
    """Orders of groups with numbers of starters, the shortest schedule in which all can meet first."""
    pairs = players * (players - 1) // 2
    level = len(set(plan.sizes)) == 1 and not plan.byes
    return [
        (order, rounds // order)
        for rounds in range(-(-pairs // plan.pairs), 2 * players + 1)
        for order in range(rounds, 0, -1)
        if rounds % order == 0
        and (players % order == 0 or (order > 1 and players % order == 1 and level))
        and (not plan.byes or order in {1, players})
    ]


def search(players: int, plan: Layout, steps: int) -> Found | None:
    for more in (0, 1):
        for order, starters in shapes(players, plan):
            if starters > _STARTERS and players > _SMALL:
                continue
            for seed in range(_SEEDS):
                number = seed * 7919 + players * 64 + plan.sizes[0]
                annealing = Annealing(players, plan, order, starters, seed=number, more=more)
                if annealing.run(steps):
                    return annealing.found()
    return None


_STARTERS: Final = 4
"""As many are kept for one entry…"""
_SMALL: Final = 16
"""…of more players than that."""
_SEEDS: Final = 3


# --- what needs no search ---------------------------------------------------------------------------------------------

_FIELDS: Final = {2: 0, 3: 0, 4: 0b111, 5: 0, 7: 0, 8: 0b1011}
"""Orders of finite fields, each with the polynomial by which it is made of bits, if it is."""


def affine(players: int, seats: int) -> Found | None:
    """The lines of an affine space over a field of as many as there are seats, a round for each direction."""
    dimension = next((d for d in range(2, 7) if seats**d == players), 0)
    if seats not in _FIELDS or not dimension:
        return None
    points = list(product(range(seats), repeat=dimension))
    rounds: list[list[int]] = []
    for direction in points:
        if next((part for part in direction if part), 0) != 1:
            continue
        left, tables = set(points), []
        for point in points:
            if point in left:
                line = [
                    tuple(_plus(seats, a, _product(seats, times, b)) for a, b in zip(point, direction, strict=True))
                    for times in range(seats)
                ]
                left.difference_update(line)
                tables += [points.index(one) for one in line]
        rounds.append(tables)
    return 1, rounds


def _plus(field: int, one: int, other: int) -> int:
    return one ^ other if _FIELDS[field] else (one + other) % field


def _product(field: int, one: int, other: int) -> int:
    if not _FIELDS[field]:
        return one * other % field
    result = 0
    for bit in range(3):
        if other >> bit & 1:
            result ^= one << bit
    for bit in (4, 3, 2):
        if result >> bit & 1 and 1 << bit >= field:
            result ^= _FIELDS[field] << bit - field.bit_length() + 1
    return result


def cosets(players: int, seats: int) -> Found | None:
    """Of the subgroup of as many as there are seats, in a field of p or p² players, p an odd prime; zero sits out."""
    prime = next(factor for factor in range(2, players + 1) if players % factor == 0)
    if players % seats != 1 or prime == 2 or players not in {prime, prime**2}:
        return None
    root = next(one for one in range(2, prime) if pow(one, prime // 2, prime) == prime - 1)

    def times(one: int, other: int) -> int:
        (a, b), (c, d) = divmod(one, prime), divmod(other, prime)
        return (a * d + b * c) % prime * prime + (b * d + root * a * c) % prime

    def power(one: int, exponent: int) -> int:
        return times(one, power(one, exponent - 1)) if exponent else 1

    group = [one for one in range(1, players) if power(one, seats) == 1]
    tables: list[int] = []
    for unit in range(1, players):
        if unit not in tables:
            tables += [times(unit, one) for one in group]
    shifts = range(0, players, prime)
    return prime, [[(one + shift) % players for one in (*tables, 0)] for shift in shifts]


def doubled(players: int, seats: int) -> Found | None:
    """Two tables and one who sits out, by the core of a skew matrix of 2ⁿ rows, each orthogonal to all others."""
    if players != 2 * seats + 1 or players & (players + 1):
        return None
    skew = [[0, 1], [-1, 0]]
    while (size := len(skew)) <= players:
        ones = [[int(row == column) for column in range(size)] for row in range(size)]
        right = [[a - b for a, b in zip(*rows, strict=True)] for rows in zip(skew, ones, strict=True)]
        left = [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(skew, ones, strict=True)]
        minus = [[-a for a in row] for row in skew]
        skew = [*map(list.__add__, skew, right), *map(list.__add__, left, minus)]
    signs = [1, *skew[0][1:]]
    core = [[signs[row] * skew[row][column] * signs[column] for column in range(1, size)] for row in range(1, size)]
    sides = [[[one for one in range(players) if row[one] == sign] for sign in (1, -1, 0)] for row in core]
    return 1, [[*plus, *minus_, *out] for plus, minus_, out in sides]


def alone(players: int, plan: Layout, steps: int) -> Found | None:
    """One table only: who sits out, in turn, so that pairs sit out together as evenly as can be."""
    byes = plan.byes
    rounds = players // gcd(players, byes)
    pairs = players * (players - 1) // 2
    low = rounds * byes * (byes - 1) // 2 // pairs
    value = players * 64 + byes
    turn = [one for _ in range(rounds * byes // players) for one in range(players)]

    def cost() -> int:
        together = dict.fromkeys(combinations(range(players), 2), 0)
        twice = 0
        for first in range(0, len(turn), byes):
            out = sorted(turn[first : first + byes])
            twice += byes - len(set(out))
            for pair in combinations(dict.fromkeys(out), 2):
                together[pair] += 1
        return 9 * twice + sum(max(0, low - met, met - low - 1) ** 2 for met in together.values())

    best = cost()
    for step in range(steps):
        if not best:
            starts = range(0, len(turn), byes)
            outs = [turn[first : first + byes] for first in starts]
            return 1, [[*(one for one in range(players) if one not in out), *out] for out in outs]
        value = value * 48_271 % _BIG
        one = value % len(turn)
        value = value * 48_271 % _BIG
        other = one // players * players + value % players
        turn[one], turn[other] = turn[other], turn[one]
        now = cost()
        value = value * 48_271 % _BIG
        if value < _BIG * exp(min(0, best - now) / max(0.3, 1.5 - step / 10_000)):
            best = now
        else:
            turn[one], turn[other] = turn[other], turn[one]
    return None


def entry(players: int, seats: int, steps: int) -> Found | None:
    plan = layout(players, seats)
    if len(plan.sizes) == 1 and plan.byes:
        return alone(players, plan, steps)
    known = cosets(players, seats) or doubled(players, seats) if plan.byes == 1 else affine(players, seats)
    return known or search(players, plan, steps)


def needed(players: int, seats: int) -> bool:
    """Tables of two, one table, and one player fewer than fill all tables need none."""
    plan = layout(players, seats)
    return 2 < seats < players and plan.sizes[0] == seats and (players + 1) % seats != 0


def as_code(players: int, seats: int, found: Found) -> str:
    order, starters = found
    words = "".join(f'"{"".join(LETTERS[player] for player in starter)}", ' for starter in starters)
    return f"    ({players}, {seats}): ({order}, ({words.strip()})),"


def main(words: list[str]) -> None:
    numbers = [int(word) for word in words]
    chosen = list(zip(numbers[::2], numbers[1::2], strict=True))
    for players, seats in chosen or [(n, k) for n in range(3, 65) for k in range(3, 9) if needed(n, k)]:
        found = entry(players, seats, 200_000)
        code = as_code(players, seats, found) if found else f"    # ({players}, {seats}): none found"
        print(code, flush=True)  # noqa: T201 -- its output


if __name__ == "__main__":
    main(sys.argv[1:])
