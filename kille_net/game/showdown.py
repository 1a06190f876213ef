"""Who loses a life at the showdown (rules.md, part 7)."""

from collections.abc import Collection, Sequence
from typing import Final

from kille_net.game.cards import Card
from kille_net.game.events import HiddenCard
from kille_net.game.rules import Seat

__all__ = ["NEVER_LOWEST", "losers"]

NEVER_LOWEST: Final = (Card.KUKU, Card.HARLEKIN)
"""What never loses on the lowest card, unless the Harlekin is low (L2)."""
_HIGHEST: Final = max(Card)


def losers(cards: Sequence[HiddenCard], struck: Collection[Seat], low_harlekins: Collection[Seat]) -> tuple[Seat, ...]:
    """The seats that lose one life each (L2 to L5), ascending.

    `cards`: by seat, None for one without lives; a Harlekin of a seat that is not in `low_harlekins` is high.
    """
    first = {*struck, *low_harlekins}
    lowest = _HIGHEST
    lost: list[Seat] = []
    for seat, card in enumerate(cards):
        if card is not None and card <= lowest and seat not in first:
            if card < lowest:
                lowest = card
                lost = []
            lost.append(seat)
    if lowest in NEVER_LOWEST:  # L2
        lost = []
    everyone = len(cards) - cards.count(None)
    lost += first
    if len(lost) == everyone:  # L4
        lost = list(first) if struck else []
    if len(lost) == everyone:  # L5
        lost = list(struck)
    return tuple(sorted(lost))
