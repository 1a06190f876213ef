"""One hand of two seats as a game in extensive form, grown by the engine itself.

Owns which choices there are, who knows what at each, and what the talon may give. Every branch is an action that the
engine took; what a seat knows is what `views.redact` let it see, so that no rule is stated here a second time. Refuses
to know what an end is worth (`values`) and how well to choose (`equilibrium`).

Asks for better cards are left out. What two seats play for is one sum, so that whoever never asks, or refuses and
forgets that there was an ask, loses nothing by it: the value is that of the hand without asks, and a seat that plays
so plays perfectly. `best_response`, which asks and accepts, holds the result to that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, TypeAlias

from kille_net.game.actions import Action, Phase, actions_of
from kille_net.game.cards import FULL_PACK, Card, Pack
from kille_net.game.events import CardsThrown, Drew, Event, RedealReason
from kille_net.game.hand import Hand
from kille_net.game.rules import Effect, Ruleset, Seat
from kille_net.game.views import redact

__all__ = ["DEALER", "FIRST", "Choice", "Draw", "End", "Node", "Tree", "grow", "is_dealt_again", "stacked"]

FIRST: Final[Seat] = 0
DEALER: Final[Seat] = 1

_LIVES: Final = (1, 1)
"""A hand asks no more of them than that they are there."""


class End(IntEnum):
    """How a hand of two ends."""

    FIRST_LOSES = 0
    DEALER_LOSES = 1
    NOBODY_LOSES = 2
    AGAIN = 3
    """A tie that is dealt again by the same dealer (G3)."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A seat chooses; None among its actions: it does not call its Kuku at this safe point (M7)."""

    seat: Seat
    seen: tuple[object, ...]
    """All that the seat has seen of the hand, and which question it is: what it cannot tell apart is equal."""
    actions: tuple[Action | None, ...]
    branches: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Draw:
    """The talon decides: the end by the kind that comes in the end, after those that are set aside (D5)."""

    ends: tuple[End | None, ...]
    """By kind; None: it is set aside, and the next is drawn."""


Node: TypeAlias = Choice | Draw | End


@dataclass(frozen=True, slots=True)
class Tree:
    """The hand from a deal on."""

    cards: tuple[Card, Card]
    """Of the first to speak, of the dealer."""
    root: Node


def stacked(top: Sequence[Card]) -> Pack:
    """A pack that begins with these cards. Raises ValueError where there are not so many of a kind."""
    rest = list(FULL_PACK)
    for card in top:
        rest.remove(card)
    return (*top, *rest)


def is_dealt_again(first: Card, dealer: Card) -> bool:
    """Whether such a deal is thrown away at once (F5, G3)."""
    return Card.HARLEKIN in {first, dealer}


def grow(rules: Ruleset) -> tuple[Tree, ...]:
    """A tree for every deal that is played: 400 of them, copies not told apart."""
    return tuple(
        Tree((first, dealer), _after_deal(rules, first, dealer))
        for first in Card
        for dealer in Card
        if not is_dealt_again(first, dealer)
    )


def _after_deal(rules: Ruleset, first: Card, dealer: Card) -> Node:
    hand = Hand(rules, _LIVES, DEALER)
    return _node(hand, tuple(hand.deal(stacked((first, dealer)))), (first, dealer))


def _node(hand: Hand, events: tuple[Event, ...], cards: tuple[Card, Card]) -> Node:
    """What comes after these events, at a safe point (M7)."""
    if hand.phase in {Phase.OVER, Phase.DEAL}:
        return _end(hand, events)
    return _asked_to_call(hand, events, cards, hand.kuku_seats())


def _asked_to_call(hand: Hand, events: tuple[Event, ...], cards: tuple[Card, Card], callers: tuple[Seat, ...]) -> Node:
    """Each seat with a Kuku in turn calls it or does not; then the seat on turn chooses."""
    if callers:
        seat, *others = callers
        called = _act(hand, events, cards, seat, Action.KUKU)
        quiet = _asked_to_call(hand, events, cards, tuple(others))
        return Choice(seat, (*_seen(events, seat), Action.KUKU), (Action.KUKU, None), (called, quiet))
    on_turn = hand.to_act
    assert on_turn is not None
    # A Kuku that was not called a moment ago is not called now.
    actions = tuple(a for a in actions_of(hand.legal(on_turn)) if a not in {Action.ASK, Action.KUKU})
    branches = tuple(_act(hand, events, cards, on_turn, action) for action in actions)
    return Choice(on_turn, _seen(events, on_turn), actions, branches)


def _seen(events: Sequence[Event], seat: Seat) -> tuple[object, ...]:
    return tuple(redact(event, seat) for event in events)


def _act(hand: Hand, events: tuple[Event, ...], cards: tuple[Card, Card], seat: Seat, action: Action) -> Node:
    after = hand.copy()
    more = after.act(seat, action)
    if any(isinstance(event, Drew) for event in more):
        return Draw(tuple(_drawn(hand, cards, seat, action, card) for card in Card))
    return _node(after, (*events, *more), cards)


def _drawn(hand: Hand, cards: tuple[Card, Card], seat: Seat, action: Action, card: Card) -> End | None:
    """The end when the talon gives that kind; it does so even where both copies are dealt, and is not likely then."""
    if hand.ruleset.rules.talon.get(card) is Effect.SKIP:
        return None
    after = hand.copy()
    talon = [card, *(other for other in FULL_PACK if other is not card)]
    after.table.reshuffle(tuple(talon))
    if after.table.talon[0] is not card:  # both copies are at the seats
        return End.NOBODY_LOSES
    return _end(after, tuple(after.act(seat, action)))


def _end(hand: Hand, events: Sequence[Event]) -> End:
    if any(isinstance(event, CardsThrown) and event.reason is RedealReason.TIE for event in events):
        return End.AGAIN
    assert hand.showdown is not None
    match hand.showdown.lost:
        case ():
            return End.NOBODY_LOSES
        case (seat,):
            return End.FIRST_LOSES if seat == FIRST else End.DEALER_LOSES
    raise AssertionError("a hand never takes every life (L5)")
