"""How well three can be answered: the most that anybody gets against two who play alike, in every pot of three.

Owns the best answer of one seat to the two others: all hands that it cannot tell apart are kept together, and of its
actions the best for all of them is taken. It asks for better cards, leaves it to the middle seat, accepts and keeps its
Kuku to itself as it likes, and forgets nothing; when one of three is out, it plays perfectly, as does the other. It
shares no line with `growing`, `learning` and `pots`, so that what they find is held against something.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, product
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kille_net.game.actions import Action
from kille_net.game.cards import Card
from kille_net.game.rules import Ruleset, Seat
from kille_net.solve.best_response import Player
from kille_net.solve.lines import Cards, Closes, Line, Lines, Moves, view_of

__all__ = ["Answer", "Lives", "State", "answer"]

Array: TypeAlias = NDArray[np.float64]
Lives: TypeAlias = tuple[int, int, int]
"""Of the first to speak, of the middle seat, of the dealer."""
State: TypeAlias = tuple[Seat, Lives]
"""Where the answerer sits (0: it speaks first)."""

_CLOSE: Final = 1e-13
_MOST_ROUNDS: Final = 500
_COPIES: Final = 2
_SEATS: Final = (0, 1, 2)
_LOST: Final[tuple[tuple[Seat, ...], ...]] = ((), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2))
"""Ends: who may lose in one hand (L5)."""
_NEW_CARDS: Final = len(_LOST)
_CLOSES: Final[Closes] = {lost: number for number, lost in enumerate(_LOST)}


@dataclass(frozen=True, slots=True)
class Answer:
    """What the best answer gets."""

    values: Mapping[State, float]
    """The chance to win the pot of who gives it."""
    residual: float
    """By how much a further round of the iteration changes a value at most."""


@dataclass(slots=True)
class _Knot:
    """All that the answerer cannot tell apart, up to its next choices."""

    ends: Array
    """How likely each end is before a further choice."""
    choices: list[list["_Knot"]] = field(default_factory=list)
    """A knot for each action, for each thing that it may see next."""

    def best(self, worth: Array) -> float:
        total = float(self.ends @ worth)
        for knots in self.choices:
            total += max(knot.best(worth) for knot in knots)
        return total

    def asks(self) -> bool:
        """Whether new cards may be dealt."""
        return bool(self.ends[_NEW_CARDS]) or any(knot.asks() for knots in self.choices for knot in knots)


@dataclass(frozen=True, slots=True)
class _World:
    """One of the hands that the answerer cannot tell apart."""

    chance: float
    """Of the deal, and that the others have chosen so."""
    cards: Cards
    moves: Moves = ()


def answer(
    rules: Ruleset,
    player: Player,
    two: Mapping[tuple[int, int], float],
    *,
    lives: int,
    kinds: Collection[Card] = tuple(Card),
) -> Answer:
    """The best answer to two such players, on up to so many lives, where the seats are dealt these kinds.

    `two`: of the pot between two, by the lives of the first to speak and of the dealer, the chance of the first.
    """
    lines = Lines(rules, len(_SEATS), _CLOSES, _NEW_CARDS)
    most = range(1, lives + 1)
    states: list[State] = sorted(product(_SEATS, product(most, most, most)), key=_all_lives)
    values = dict.fromkeys(states, 1 / len(_SEATS))
    residual = 0.0
    for _, group in groupby(states, key=_all_lives):
        hands = {state: _Hands(rules, player, lines, state, kinds) for state in group}
        change = 1.0
        for _ in range(_MOST_ROUNDS):
            after = {state: hand.value(_worth(values, two, state)) for state, hand in hands.items()}
            change = max(abs(after[state] - values[state]) for state in after)
            values |= after
            if change <= _CLOSE:
                break
        residual = max(residual, change)
    return Answer(values, residual)


def _all_lives(state: State) -> int:
    return sum(state[1])


def _worth(values: Mapping[State, float], two: Mapping[tuple[int, int], float], state: State) -> list[float]:
    """Of the ends of a hand to the answerer, but for new cards."""
    return [_after(values, two, state, lost) for lost in _LOST]


def _after(
    values: Mapping[State, float], two: Mapping[tuple[int, int], float], state: State, lost: tuple[Seat, ...]
) -> float:
    seat, lives = state
    left = [number - (k in lost) for k, number in enumerate(lives)]
    if not left[seat]:
        return 0.0
    # S4: the deal goes to the next on the left who has lives, and comes last.
    order = [k for k in (1, 2, 0) if left[k]]
    while order[-1] != next(k for k in _SEATS if left[k]):
        order.append(order.pop(0))
    if len(order) == len(_SEATS):
        first, middle, dealer = order
        return values[order.index(seat), (left[first], left[middle], left[dealer])]
    if len(order) == 1:
        return 1.0
    first, dealer = order
    value = two[left[first], left[dealer]]
    return value if seat == first else 1 - value


class _Hands:
    """The hands of one state, before as many asks as have been accepted in them."""

    def __init__(self, rules: Ruleset, player: Player, lines: Lines, state: State, kinds: Collection[Card]) -> None:
        self._rules = rules
        self._player = player
        self._lines = lines
        self._seat, self._lives = state
        self._dealt = _dealt(self._seat, kinds)
        self._levels: list[list[_Knot]] = []
        self._chosen: dict[object, Mapping[Action | None, float]] = {}

    def value(self, worth: Sequence[float], asks: int = 0) -> float:
        """Of the hand, when so many asks have been accepted."""
        if asks == len(self._levels):
            self._levels.append([self._knot(worlds, asks) for worlds in self._dealt])
        knots = self._levels[asks]
        new_cards = self.value(worth, asks + 1) if any(knot.asks() for knot in knots) else 0.0
        ends = np.array([*worth, new_cards])
        return sum(knot.best(ends) for knot in knots)

    def _knot(self, worlds: Sequence[_World], asks: int) -> _Knot:
        ends = np.zeros(_NEW_CARDS + 1)
        buckets: dict[object, tuple[Line, list[_World]]] = {}
        open_ = list(worlds)
        while open_:
            world = open_.pop()
            line = self._lines.line(world.cards, world.moves)
            if line.seat is None:
                _close(ends, world, line)
            elif line.seat == self._seat:
                buckets.setdefault((line.seen[self._seat], line.actions), (line, []))[1].append(world)
            else:
                for action, chance in self._choose(line, world, asks).items():
                    if chance:
                        moves = (*world.moves, (line.seat, action))
                        open_.append(_World(world.chance * chance, world.cards, moves))
        return _Knot(
            ends,
            [
                [
                    self._knot(_moved(alike, self._seat, action), asks)
                    for action in line.actions
                    if action is not Action.ASK or asks != self._rules.rules.max_asks  # F4
                ]
                for line, alike in buckets.values()
            ],
        )

    def _choose(self, line: Line, world: _World, asks: int) -> Mapping[Action | None, float]:
        """What a player does, by all that it knows."""
        assert line.seat is not None
        key = asks, line.seat, line.seen[line.seat], line.actions
        chosen = self._chosen.get(key)
        if chosen is None:
            view = view_of(self._rules, line.seat, lives=self._lives, asks=asks, line=(world.cards, world.moves))
            chosen = self._chosen[key] = self._player(view, line.actions)
        return chosen


def _dealt(seat: Seat, kinds: Collection[Card]) -> list[list[_World]]:
    """The deals by the card of the seat."""
    chances: dict[Cards, float] = {}
    for cards in product(kinds, repeat=len(_SEATS)):
        chance = 1.0
        for k, card in enumerate(cards):
            chance *= _COPIES - cards[:k].count(card)
        if chance > 0:
            chances[cards] = chance
    total = sum(chances.values())
    by_own: dict[Card, list[_World]] = {}
    for cards, chance in chances.items():
        by_own.setdefault(cards[seat], []).append(_World(chance / total, cards))
    return list(by_own.values())


def _moved(worlds: Sequence[_World], seat: Seat, action: Action | None) -> list[_World]:
    return [_World(world.chance, world.cards, (*world.moves, (seat, action))) for world in worlds]


def _close(ends: Array, world: _World, line: Line) -> None:
    """Add how the world ends, as often as the talon says so."""
    if len(set(line.talon)) == 1:  # nothing is drawn
        ends[line.talon[0]] += world.chance
        return
    left = [
        (end, number)
        for card, end in zip(Card, line.talon, strict=True)
        if end is not None and (number := _COPIES - world.cards.count(card))
    ]
    total = sum(number for _, number in left)
    for end, number in left:
        ends[end] += world.chance * number / total
