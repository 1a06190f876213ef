"""How a hand goes on the engine, for who answers players as well as can be (`best_response`, `three.answering`).

Owns the playing of deals and moves, and what the talon decides. It is a second way through the same rules: `tree`
branches a running hand, this plays every hand from its deal; `tree` knows which cards of the talon are set aside, this
sees that the engine draws again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, TypeAlias

from kille_net.game.actions import Action, Phase, actions_of
from kille_net.game.cards import FULL_PACK, Card, Pack
from kille_net.game.events import Drew, Event, HandBegan
from kille_net.game.hand import Hand
from kille_net.game.match import Match
from kille_net.game.rules import MIN_SEATS, Ruleset, Seat
from kille_net.game.views import View, observe, redact

__all__ = ["Cards", "Close", "Closes", "Line", "Lines", "Moves", "Talon", "view_of"]

Cards: TypeAlias = tuple[Card, ...]
"""As they are dealt: of the first to speak, …, of the dealer."""
Moves: TypeAlias = tuple[tuple[Seat, Action | None], ...]
"""None: the seat did not call its Kuku at a safe point."""


class Close(IntEnum):
    """What a line of two comes to."""

    FIRST_LOSES = 0
    DEALER_LOSES = 1
    NOBODY_LOSES = 2
    TIE_AGAIN = 3
    NEW_CARDS = 4
    """An ask for better cards was accepted (F4, G3)."""


Closes: TypeAlias = Mapping[tuple[Seat, ...], int]
"""What a line comes to, by the seats that lose."""
Talon: TypeAlias = tuple[int | None, ...]
"""What it comes to, by the kind that is drawn; None: another is drawn after it, as if it had not been there."""

_TWO: Final[Closes] = {(): Close.NOBODY_LOSES, (0,): Close.FIRST_LOSES, (1,): Close.DEALER_LOSES}


@dataclass(frozen=True, slots=True)
class Line:
    """Where a deal and some moves lead to."""

    seat: Seat | None
    """Who is asked; None: nobody any more."""
    actions: tuple[Action | None, ...]
    """What it may do."""
    seen: tuple[int, ...]
    """By seat a number, which is the same wherever the seat has seen the same."""
    talon: Talon = ()
    """Where nobody is asked; one and the same where nothing is drawn."""


def _pack(top: tuple[Card, ...]) -> Pack | None:
    """A pack that begins so; None: there are not so many of a kind."""
    rest = list(FULL_PACK)
    for card in top:
        if card not in rest:
            return None
        rest.remove(card)
    return (*top, *rest)


class Lines:
    """Remembers where each line leads to."""

    def __init__(
        self, rules: Ruleset, seats: int = MIN_SEATS, closes: Closes = _TWO, new_cards: int = Close.NEW_CARDS
    ) -> None:
        self._rules: Final = rules
        self._seats: Final = seats
        self._closes: Final = closes
        self._new_cards: Final = new_cards
        self._lines: Final[dict[tuple[Cards, Moves], Line]] = {}
        self._numbers: Final[dict[tuple[Event, ...], int]] = {}

    def line(self, cards: Cards, moves: Moves) -> Line:
        line = self._lines.get((cards, moves))
        if line is None:
            line = self._lines[cards, moves] = self._find(cards, moves)
        return line

    def _number(self, events: list[Event], seat: Seat) -> int:
        return self._numbers.setdefault(tuple(redact(event, seat) for event in events), len(self._numbers))

    def _play(self, top: tuple[Card, ...], moves: Moves) -> tuple[Hand, list[Event]]:
        hand = Hand(self._rules, (1,) * self._seats, self._seats - 1)
        pack = _pack(top)
        assert pack is not None
        events = hand.deal(pack)
        for seat, action in moves:
            if action is not None:
                events += hand.act(seat, action)
        return hand, events

    def _find(self, cards: Cards, moves: Moves) -> Line:
        hand, events = self._play(cards, moves)
        seen = tuple(self._number(events, seat) for seat in range(self._seats))
        if moves and moves[-1][1] is Action.ACCEPT:
            return Line(None, (), seen, (self._new_cards,) * len(Card))
        if hand.phase in {Phase.OVER, Phase.DEAL}:
            return Line(None, (), seen, self._talon(cards, moves))
        passed = 0
        while passed < len(moves) and moves[-1 - passed][1] is None:
            passed += 1
        callers = hand.kuku_seats()
        if passed < len(callers):
            return Line(callers[passed], (Action.KUKU, None), seen)
        assert hand.to_act is not None
        actions = tuple(action for action in actions_of(hand.legal(hand.to_act)) if action is not Action.KUKU)
        return Line(hand.to_act, actions, seen)

    def _talon(self, cards: Cards, moves: Moves) -> Talon:
        close = self._close(cards, moves)
        if close is not None:
            return (close,) * len(Card)
        return tuple(None if _pack((*cards, card)) is None else self._close((*cards, card), moves) for card in Card)

    def _close(self, top: tuple[Card, ...], moves: Moves) -> int | None:
        """None: more is drawn than lies beneath the cards of the seats."""
        hand, events = self._play(top, moves)
        if sum(isinstance(event, Drew) for event in events) > len(top) - self._seats:
            return None
        if hand.showdown is None:
            return Close.TIE_AGAIN
        return self._closes[hand.showdown.lost]


def view_of(
    rules: Ruleset,
    seat: Seat,
    *,
    lives: tuple[int, ...],
    asks: int = 0,
    thrown: tuple[Card, ...] = (),
    line: tuple[Cards, Moves],
) -> View:
    """What the seat sees; `lives` as they speak, `asks`: accepted, `thrown`: what lay above these cards in the pack."""
    cards, moves = line
    dealer = len(lives) - 1
    match = Match.before(rules, HandBegan(2, 1, dealer, lives, (0,) * len(lives)))
    for _ in range(asks):
        match.deal(FULL_PACK)
        match.act(0, Action.ASK)
        for answer, of in _AGREED[len(lives)]:
            match.act(of, answer)
    pack = _pack((*thrown, *cards))
    assert pack is not None
    match.deal(pack)
    for mover, action in moves:
        if action is not None:
            match.act(mover, action)
    return observe(match, seat)


_AGREED: Final = {2: ((Action.ACCEPT, 1),), 3: ((Action.DEPENDS, 2), (Action.ACCEPT, 1))}
"""Who says what when better cards are dealt, by the number of seats (F4)."""
