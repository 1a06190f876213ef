"""How well a player can be answered: the most that anybody gets against it, in every pot of two.

Owns the best answer to a player whose choices are known: all hands that the answerer cannot tell apart are kept
together, and of its actions the best for all of them is taken; it asks for better cards, accepts and keeps its Kuku to
itself as it likes, and forgets nothing. It shares no line with `tree`, `deals`, `equilibrium` and `values`, so that
what they find is held against something.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations_with_replacement, product
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kille_net.bots.base import Bot
from kille_net.bots.guard import Complaint, fault_of
from kille_net.game.actions import Action
from kille_net.game.cards import FULL_PACK, Card
from kille_net.game.rules import Ruleset, Seat
from kille_net.game.views import View
from kille_net.solve.lines import Close, Line, Lines, Moves, Talon, view_of

__all__ = ["Answer", "Player", "Unanswerable", "WrongAnswer", "answer", "player_of"]

Array: TypeAlias = NDArray[np.float64]
Player: TypeAlias = Callable[[View, tuple[Action | None, ...]], Mapping[Action | None, float]]
"""How likely a player takes each of some actions; None among them: it does not call its Kuku."""
State: TypeAlias = tuple[Seat, int, int]
"""Where the answerer sits (0: it speaks first), its lives, the player's."""

_CLOSE: Final = 1e-13
_MOST_ROUNDS: Final = 500
_HARLEKINS: Final = 2
_KINDS: Final = tuple(card for card in Card if card is not Card.HARLEKIN)


class Unanswerable(Exception):
    """The best answer hangs on too much; the text is one line without a full stop, and can be translated."""

    def __init__(self, template: str) -> None:
        self.template = template
        self.values: dict[str, object] = {}
        super().__init__(template)


class WrongAnswer(Exception):
    """A bot decided what it may not."""

    def __init__(self, complaint: Complaint) -> None:
        self.complaint = complaint
        super().__init__(complaint.text)


def player_of(bot: Bot) -> Player:
    """A bot whose choices are a function of the view alone; asked, it raises WrongAnswer, and what the bot raises."""

    def choose(view: View, actions: tuple[Action | None, ...]) -> Mapping[Action | None, float]:
        if None in actions:
            return {Action.KUKU if bot.calls_kuku(view) else None: 1.0}
        answer = bot.decide(view)
        wrong = fault_of(answer, [action for action in actions if action is not None])
        if wrong is not None:  # of which nothing would ever come
            raise WrongAnswer(wrong)
        return {answer: 1.0}

    return choose


@dataclass(frozen=True, slots=True)
class Answer:
    """What the best answer gets."""

    values: Mapping[State, float]
    """The chance to win the pot of who gives it."""
    residual: float
    """By how much a further round of the iteration changes a value at most."""


@dataclass(frozen=True, slots=True)
class _Past:
    """What has been thrown before the cards that are played."""

    chance: float
    harlekins: int
    ours: int
    """Cards of another kind that the answerer has thrown, and remembers."""
    theirs: int


@dataclass(slots=True)
class _Knot:
    """All that the answerer cannot tell apart, up to its next choices; by row what it threw before."""

    ends: Array
    """How likely each `Close` is before a further choice, by row."""
    choices: list[list["_Knot"]] = field(default_factory=list)
    """A knot for each action, for each thing that it may see next."""

    def best(self, worth: Array) -> Array:
        total: Array = self.ends @ worth
        for knots in self.choices:
            total = total + np.max([knot.best(worth) for knot in knots], axis=0)
        return total


@dataclass(frozen=True, slots=True)
class _World:
    """One of the hands that the answerer cannot tell apart."""

    chance: float
    """That the player has chosen so."""
    other: Card
    """What the player was dealt."""
    thrown: tuple[Card, ...]
    """What the player threw, but for Harlekins."""
    moves: Moves = ()


def answer(rules: Ruleset, player: Player, *, lives: int, lines: Lines | None = None) -> Answer:
    """The best answer to the player, on up to so many lives.

    Raises Unanswerable in `sticks`, where the pack is not shuffled anew, for a player that asks for other cards,
    accepts, or goes by what it threw when both Harlekins are gone.
    """
    lines = Lines(rules) if lines is None else lines
    states: list[State] = list(product((0, 1), range(1, lives + 1), range(1, lives + 1)))
    packs = {past: _Rows(past) for past in _pasts(rules)}
    hands = {state: _Hands(rules, player, lines, packs, state) for state in states}
    values = dict.fromkeys(states, 0.5)
    residual = 1.0
    for _ in range(_MOST_ROUNDS):
        after = {state: hands[state].value(_worth(values, state), values[state]) for state in states}
        residual = max(abs(after[state] - values[state]) for state in states)
        values = after
        if residual <= _CLOSE:
            break
    return Answer(values, residual)


def _worth(values: Mapping[State, float], state: State) -> dict[Close, float]:
    """Of the ends of a hand to the answerer; the deal moves on, so that the seats change places."""
    seat, ours, theirs = state
    we_lose, they_lose = (
        (Close.FIRST_LOSES, Close.DEALER_LOSES) if seat == 0 else (Close.DEALER_LOSES, Close.FIRST_LOSES)
    )
    return {
        we_lose: values[1 - seat, ours - 1, theirs] if ours > 1 else 0.0,
        they_lose: values[1 - seat, ours, theirs - 1] if theirs > 1 else 1.0,
        Close.NOBODY_LOSES: values[1 - seat, ours, theirs],
    }


class _Hands:
    """The hands of one state, before as many asks as have been accepted in them."""

    def __init__(
        self, rules: Ruleset, player: Player, lines: Lines, packs: Mapping["_Past", "_Rows"], state: State
    ) -> None:
        self._rules = rules
        self._player = player
        self._lines = lines
        self._packs = packs
        self._seat, ours, theirs = state
        self._lives = (ours, theirs) if self._seat == 0 else (theirs, ours)
        self._levels: list[list[_Knot]] = []
        self._chosen: dict[object, Mapping[Action | None, float]] = {}

    def value(self, worth: Mapping[Close, float], guess: float, asks: int = 0) -> float:
        """Of the hand, when so many asks have been accepted."""
        if asks == len(self._levels):
            self._levels.append(self._knots(asks))
        knots = self._levels[asks]
        new_cards = 0.0
        if any(_has_new_cards(knot) for knot in knots):
            new_cards = self.value(worth, guess, asks + 1)
        for _ in range(_MOST_ROUNDS):
            known = {**worth, Close.TIE_AGAIN: guess, Close.NEW_CARDS: new_cards}
            ends = np.array([known[close] for close in Close])
            before, guess = guess, float(sum(knot.best(ends).sum() for knot in knots))
            if abs(guess - before) <= _CLOSE or not self._rules.rules.ties_again:
                break
        return guess

    def _knots(self, asks: int) -> list[_Knot]:
        return [knot for past, rows in self._packs.items() for knot in self._in(past, rows, asks)]

    def _in(self, past: "_Past", rows: "_Rows", asks: int) -> list[_Knot]:
        """A knot for each card that the answerer may be dealt."""
        if past.harlekins == _HARLEKINS:
            self._must_forget()
        thrown = _thrown(past.theirs)
        knots = []
        total = 0.0
        for own in _KINDS:
            ways = {(other, *cards): rows.weight((own, other, *cards)) for other in _KINDS for cards in thrown}
            worlds = [_World(1.0, other, tuple(cards)) for (other, *cards), number in ways.items() if number]
            knots.append(self._knot(rows, own, worlds, (past.harlekins, asks)))
            total += sum(ways.values())
        for knot in knots:
            _scale(knot, past.chance / total)
        return knots

    def _knot(self, rows: "_Rows", own: Card, worlds: Sequence[_World], public: tuple[int, int]) -> _Knot:
        ends = np.zeros((rows.number, len(Close)))
        buckets: dict[object, tuple[Line, list[_World]]] = {}
        most = self._rules.rules.max_asks
        open_ = list(worlds)
        while open_:
            world = open_.pop()
            cards = (own, world.other) if self._seat == 0 else (world.other, own)
            line = self._lines.line(cards, world.moves)
            if line.seat is None:
                ends += world.chance * rows.ends((*cards, *world.thrown), line)
            elif line.seat == self._seat:
                buckets.setdefault((line.seen[self._seat], line.actions), (line, []))[1].append(world)
            else:
                for action, chance in self._choose(line, world, cards, public).items():
                    moves = (*world.moves, (line.seat, action))
                    open_.append(_World(world.chance * chance, world.other, world.thrown, moves))
        return _Knot(
            ends,
            [
                [
                    self._knot(rows, own, _moved(alike, self._seat, action), public)
                    for action in line.actions
                    if action is not Action.ASK or public[1] != most  # F4
                ]
                for line, alike in buckets.values()
            ],
        )

    def _choose(
        self, line: Line, world: _World, cards: tuple[Card, Card], public: tuple[int, int]
    ) -> Mapping[Action | None, float]:
        """What the player does, by all that it knows."""
        seat = 1 - self._seat
        key = public, world.thrown, line.seen[seat], line.actions
        chosen = self._chosen.get(key)
        if chosen is None:
            harlekins, asks = public
            thrown = _top(seat, harlekins, world.thrown, cards)
            view = view_of(self._rules, seat, lives=self._lives, asks=asks, thrown=thrown, line=(cards, world.moves))
            chosen = self._chosen[key] = self._player(view, line.actions)
            if not self._rules.rules.whole_pack and chosen.keys() & {Action.ASK, Action.ACCEPT}:
                raise Unanswerable("it gives cards back that are not shuffled in again")
        return chosen

    def _must_forget(self) -> None:
        """Once both Harlekins are gone, what the player threw is counted as if it lay in the talon (`_pasts`)."""
        seat = 1 - self._seat
        for own, other in product(_KINDS, repeat=2):
            cards = (own, other) if seat == 0 else (other, own)
            moves: Moves = () if seat == 0 else ((0, Action.STAND),)
            line = self._lines.line(cards, moves)
            if line.seat == seat:
                worlds = [
                    _World(1.0, own, thrown, moves) for thrown in [(), *((kind,) for kind in _KINDS if kind != own)]
                ]
                choices = [self._choose(line, world, cards, (_HARLEKINS, 0)) for world in worlds]
                if any(chosen != choices[0] for chosen in choices):
                    raise Unanswerable("it goes by what it threw when no Harlequin is left")


def _moved(worlds: Sequence[_World], seat: Seat, action: Action | None) -> list[_World]:
    return [_World(world.chance, world.other, world.thrown, (*world.moves, (seat, action))) for world in worlds]


def _has_new_cards(knot: _Knot) -> bool:
    return bool(knot.ends[:, Close.NEW_CARDS].any()) or any(
        _has_new_cards(after) for knots in knot.choices for after in knots
    )


def _scale(knot: _Knot, factor: float) -> None:
    knot.ends *= factor
    for knots in knot.choices:
        for after in knots:
            _scale(after, factor)


# --- the pack ---------------------------------------------------------------------------------------------------------


def _thrown(number: int) -> list[tuple[Card, ...]]:
    """What one seat may have thrown beside Harlekins, in any order."""
    return list(combinations_with_replacement(_KINDS, number))


class _Rows:
    """What the answerer may have thrown, and the pack without it; a row each."""

    def __init__(self, past: _Past) -> None:
        thrown = _thrown(past.ours)
        self.number = len(thrown)
        self._counts = np.full((self.number, len(Card)), float(FULL_PACK.count(Card.BLAREN)))
        self._counts[:, Card.HARLEKIN] -= past.harlekins
        self._ways = np.ones(self.number)
        for row, cards in enumerate(thrown):
            self._ways[row] = len(set(cards)) or 1  # their orders
            for card in cards:
                self._ways[row] *= max(self._counts[row, card], 0.0)
                self._counts[row, card] -= 1
        self._ends: dict[tuple[tuple[Card, ...], int], Array] = {}

    def weight(self, cards: Sequence[Card]) -> float:
        """In how many ways these come next, in all rows."""
        return float(self._come(self._ways.copy(), self._counts.copy(), cards).sum())

    @staticmethod
    def _come(ways: Array, counts: Array, cards: Sequence[Card]) -> Array:
        for card in cards:
            ways *= np.clip(counts[:, card], 0.0, None)
            counts[:, card] -= 1
        return ways

    def ends(self, cards: tuple[Card, ...], line: Line) -> Array:
        """How the ways in which these come end, when the talon decides; by row."""
        key = cards, id(line)
        if key not in self._ends:
            self._ends[key] = self._count(cards, line.talon)
        return self._ends[key]

    def _count(self, cards: tuple[Card, ...], talon: Talon) -> Array:
        counts = self._counts.copy()
        ways = self._come(self._ways.copy(), counts, cards)
        comes_to = np.array([[close is end for end in Close] for close in talon], dtype=np.float64)
        drawn = np.clip(counts, 0.0, None)
        decides = drawn @ comes_to.any(axis=1)
        ends: Array = (drawn @ comes_to) * (ways / np.maximum(decides, 1.0))[:, None]
        return ends


def _pasts(rules: Ruleset) -> list[_Past]:
    """Every past, and how likely; once both Harlekins are gone the player's cards are not told apart from the talon."""
    if rules.rules.whole_pack:
        return [_Past(1.0, 0, 0, 0)]
    found: dict[tuple[int, int, int], float] = {}
    open_ = [(1.0, 0, 0, 0)]
    while open_:
        chance, harlekins, ours, theirs = open_.pop()
        left = len(FULL_PACK) - harlekins - ours - theirs
        high = _HARLEKINS - harlekins
        for we, they in product((True, False), repeat=2):  # is it a Harlekin?
            ours_is = high if we else left - high
            theirs_is = high - we if they else left - high - (not we)
            here = chance * ours_is * theirs_is / (left * (left - 1))
            if not here:
                continue
            if we or they:
                open_.append((here, harlekins + we + they, ours + (not we), theirs + (not they)))
            else:
                key = harlekins, ours, theirs if harlekins < _HARLEKINS else 0
                found[key] = found.get(key, 0.0) + here
    return [_Past(chance, *key) for key, chance in found.items()]


def _top(seat: Seat, harlekins: int, thrown: tuple[Card, ...], cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """What lay above these cards: each of so many Harlekins with a card of the other seat, `thrown` those of `seat`."""
    hidden = [card for card in Card if card not in {*thrown, *cards, Card.HARLEKIN}]
    pairs = [(card, Card.HARLEKIN) for card in thrown]
    pairs += [(Card.HARLEKIN, hidden[k]) for k in range(harlekins - len(thrown))]
    return tuple(card for pair in pairs for card in (pair if seat == 0 else pair[::-1]))
