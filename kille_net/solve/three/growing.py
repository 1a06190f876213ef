"""One hand of three seats as arrays, grown by the engine itself.

Owns which choices there are, who knows what at each, and what the talon may give. Every branch is an action that the
engine took; what a seat knows is what `views.redact` let it see, asks for better cards included, so that no rule is
stated here a second time. Refuses to know what an end is worth (`pots`) and how well to choose (`learning`).

Seat 0 speaks first, seat 2 deals. A *sequence* is what a seat has chosen so far; a seat has one for every action at
every question, and 0 is the empty one.
"""

from array import array
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kille_net.game.actions import Action, Phase, actions_of
from kille_net.game.cards import FULL_PACK, Card
from kille_net.game.events import Drew, Event
from kille_net.game.hand import Hand
from kille_net.game.rules import Effect, Ruleset, Seat
from kille_net.game.views import redact
from kille_net.solve.tree import stacked

__all__ = ["DEALER", "ENDS", "SEATS", "Cards", "Grown", "Moves", "Question", "Side", "grow"]

Array: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int32]
Cards: TypeAlias = tuple[Card, Card, Card]
"""As they are dealt: of the first to speak, of the middle seat, of the dealer."""
Moves: TypeAlias = tuple[tuple[Seat, Action], ...]

SEATS: Final = (0, 1, 2)
DEALER: Final[Seat] = 2
ENDS: Final = 7
"""Ends by number: who loses a life, as bits; a hand never takes every seat's (L5)."""

_COPIES: Final = 2
_LIVES: Final = (1, 1, 1)
"""A hand asks no more of them than that they are there."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a seat is asked, wherever it has seen the same."""

    cards: Cards
    """One of the deals in which it is asked so…"""
    moves: Moves
    """…after these moves; what the seat cannot tell apart from that is the same question."""
    actions: tuple[Action | None, ...]
    """None: it does not call its Kuku at this safe point (M7)."""
    before: int
    """The sequence that leads here."""
    first: int
    """The sequence that its first action makes; those of the others follow."""
    level: int
    """How many questions the seat has answered before."""


@dataclass(frozen=True, slots=True)
class Side:
    """The questions of one seat, in an order in which what comes before comes first."""

    questions: Sequence[Question]
    number: int
    """Of sequences."""


@dataclass(frozen=True, slots=True)
class Grown:
    """Every way that a hand can go, a row each."""

    sides: tuple[Side, Side, Side]
    sequences: Ints
    """Rows by seats: the last sequence of each."""
    ends: Array
    """Rows by ends: how likely the deal is and, once the choices are made, the end."""


def _deals(kinds: Collection[Card]) -> Iterator[tuple[Cards, int]]:
    """Every deal of these kinds, copies not told apart, and in how many ways it comes."""
    for cards in product(kinds, kinds, kinds):
        ways = 1
        for k, card in enumerate(cards):
            ways *= _COPIES - cards[:k].count(card)
        if ways > 0:
            yield cards, ways


def grow(rules: Ruleset, kinds: Collection[Card] = tuple(Card)) -> Grown:
    """All of it, which takes seconds; or where the seats are dealt these kinds only, the talon being whole."""
    grower = _Grower(rules)
    all_ways = 0
    for cards, ways in _deals(kinds):
        grower.add(cards, ways)
        all_ways += ways
    return grower.grown(all_ways)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a hand has come to."""

    hand: Hand
    seen: tuple[int, ...]
    """By seat a number, which is the same wherever the seat has seen the same."""
    at: tuple[int, ...]
    """By seat the sequence that it has chosen."""
    moves: Moves

    def then(self, seat: Seat, sequence: int) -> "_Place":
        return replace(self, at=tuple(sequence if k == seat else other for k, other in enumerate(self.at)))


class _Grower:
    """Numbers what seats have seen, and notes where hands end."""

    def __init__(self, rules: Ruleset) -> None:
        self._rules = rules
        self._seen: dict[tuple[int, Event], int] = {}  # what was seen before and what comes → number
        self._questions: list[dict[tuple[int, bool], Question]] = [{}, {}, {}]
        self._numbers = [1, 1, 1]  # of sequences
        self._levels: list[list[int]] = [[0], [0], [0]]  # by sequence: how many questions it answers
        self._rows = array("i")
        self._ends = array("d")
        self._cards: Cards = (Card.BLAREN, Card.BLAREN, Card.BLAREN)
        self._ways = 0
        self._unseen: list[int] = []
        self._talons: dict[Moves, list[float]] = {}

    def add(self, cards: Cards, ways: int) -> None:
        self._cards, self._ways = cards, ways
        self._unseen = [_COPIES - cards.count(card) for card in Card]
        self._talons = {}
        hand = Hand(self._rules, _LIVES, DEALER)
        events = hand.deal(stacked(cards))
        self._after(_Place(hand, (0, 0, 0), (0, 0, 0), ()), events)

    def grown(self, all_ways: int) -> Grown:
        ends = np.array(self._ends).reshape(-1, ENDS)
        first, middle, dealer = (
            Side(list(questions.values()), number)
            for questions, number in zip(self._questions, self._numbers, strict=True)
        )
        return Grown(
            (first, middle, dealer), np.array(self._rows, dtype=np.int32).reshape(-1, len(SEATS)), ends / all_ways
        )

    def _see(self, number: int, event: Event, seat: Seat) -> int:
        key = number, redact(event, seat)
        found = self._seen.get(key)
        if found is None:
            found = self._seen[key] = len(self._seen) + 1
        return found

    def _after(self, place: "_Place", events: Sequence[Event]) -> None:
        """What comes when these events have brought the hand there, and nobody has seen them yet."""
        hand = place.hand
        if hand.phase is Phase.OVER:
            assert hand.showdown is not None
            self._end(place.at, _alone(sum(1 << seat for seat in hand.showdown.lost)))
            return
        seen = place.seen
        for event in events:
            seen = tuple(self._see(seen[seat], event, seat) for seat in SEATS)
        self._safe_point(replace(place, seen=seen), hand.kuku_seats())

    def _safe_point(self, place: "_Place", callers: tuple[Seat, ...]) -> None:
        """Each seat with a Kuku in turn calls it or does not; then the seat on turn chooses."""
        if callers:
            seat, *others = callers
            question = self._question(place, seat, (Action.KUKU, None))
            self._act(place.then(seat, question.first), seat, Action.KUKU)
            self._safe_point(place.then(seat, question.first + 1), tuple(others))
            return
        on_turn = place.hand.to_act
        assert on_turn is not None
        legal = actions_of(place.hand.legal(on_turn))
        # A Kuku that was not called a moment ago is not called now.
        actions = tuple(action for action in legal if action not in {Action.ASK, Action.KUKU})
        question = self._question(place, on_turn, actions)
        for k, action in enumerate(actions):
            self._act(place.then(on_turn, question.first + k), on_turn, action)

    def _question(self, place: "_Place", seat: Seat, actions: tuple[Action | None, ...]) -> Question:
        before = place.at[seat]
        key = place.seen[seat], None in actions
        question = self._questions[seat].get(key)
        if question is None:
            levels = self._levels[seat]
            question = Question(self._cards, place.moves, actions, before, self._numbers[seat], levels[before])
            self._questions[seat][key] = question
            self._numbers[seat] += len(actions)
            levels += [question.level + 1] * len(actions)
        assert (question.before, question.actions) == (before, actions), "a seat never forgets what it has done"
        return question

    def _act(self, place: "_Place", seat: Seat, action: Action) -> None:
        after = place.hand.copy()
        events = after.act(seat, action)
        moves = (*place.moves, (seat, action))
        if any(isinstance(event, Drew) for event in events):
            self._end(place.at, self._drawn(place.hand, moves))
            return
        self._after(replace(place, hand=after, moves=moves), events)

    def _end(self, at: tuple[int, ...], chances: Sequence[float]) -> None:
        self._rows.extend(at)
        self._ends.extend([self._ways * chance for chance in chances])

    def _drawn(self, hand: Hand, moves: Moves) -> Sequence[float]:
        """How likely each end is when the talon decides."""
        chances = self._talons.get(moves)
        if chances is None:
            chances = [0.0] * ENDS
            for card, number in zip(Card, self._unseen, strict=True):
                if number and self._rules.rules.talon.get(card) is not Effect.SKIP:
                    chances[_end_of(hand, *moves[-1], card)] += number
            total = sum(chances)
            chances = self._talons[moves] = [chance / total for chance in chances]
        return chances


def _end_of(hand: Hand, seat: Seat, action: Action, card: Card) -> int:
    """The end when the talon gives that kind."""
    after = hand.copy()
    after.table.reshuffle((card, *FULL_PACK))
    after.act(seat, action)
    assert after.showdown is not None
    return sum(1 << loser for loser in after.showdown.lost)


def _alone(end: int) -> Sequence[float]:
    return [float(end == other) for other in range(ENDS)]
