"""What a view says at a glance: the few questions that every built-in bot asks it."""

from typing import Final

from kille_net.game.cards import Card
from kille_net.game.rules import Seat
from kille_net.game.views import View

__all__ = ["COPIES", "following", "is_low", "own", "somebody_is_below", "unseen"]

COPIES: Final = 2
"""Cards of each kind (P1)."""


def unseen(view: View) -> tuple[int, ...]:
    """How many of each kind the viewer cannot see."""
    counts = [COPIES] * len(Card)
    for card in (*view.cards, *view.beside, *view.gone):
        if card is not None:
            counts[card] -= 1
    return tuple(counts)


def own(view: View) -> Card:
    """The card of the seat that is asked; a seat that is asked has one."""
    assert view.card is not None
    return view.card


def is_low(view: View) -> bool:
    """Whether the viewer's own card is a low Harlekin (part 6)."""
    return view.seat in view.low_harlekins


def following(view: View) -> tuple[Seat, ...]:
    """The seats that speak after the viewer, the dealer last; none for the dealer (S3)."""
    order = view.order
    assert view.seat is not None
    return order[order.index(view.seat) + 1 :]


def somebody_is_below(view: View, card: Card) -> bool:
    """Whether a seat that has spoken is known to end below this card, so that it keeps others from losing (L2)."""
    order = view.order
    assert view.seat is not None
    return any(
        (held := view.cards[seat]) is not None
        and held < card
        and seat not in view.struck
        and seat not in view.low_harlekins
        for seat in order[: order.index(view.seat)]
    )
