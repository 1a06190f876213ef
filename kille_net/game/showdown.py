"""Who loses a life at the showdown (rules.md, part 7)."""

from typing import Final

from kille_net.game.cards import Card
from kille_net.game.events import HiddenCard

__all__ = ["NEVER_LOWEST", "losers"]

NEVER_LOWEST: Final = (Card.KUKU, Card.HARLEKIN)
"""What never loses on the lowest card, unless the Harlekin is low (L2)."""
_HIGHEST: Final[int] = max(set(Card) - set(NEVER_LOWEST))
"""What may lose on the lowest card, at most."""


def losers(cards: tuple[HiddenCard, ...], struck: int, low_harlekins: int) -> int:
    """The seats that lose one life each (L2 to L5). Sets of seats are bits.

    `cards`: by seat, None for one without lives; a Harlekin of a seat that is not in `low_harlekins` is high.
    """
    first = struck | low_harlekins
    lowest = _HIGHEST
    lost = everyone = 0
    for seat, card in enumerate(cards):
        if card is None:
            continue
        bit = 1 << seat
        everyone |= bit
        rank: int = card
        if rank > lowest or first & bit:
            continue
        if rank < lowest:
            lowest = rank
            lost = 0
        lost |= bit
    lost |= first
    if lost == everyone:  # L4
        lost = first if struck else 0
    if lost == everyone:  # L5
        lost = struck
    return lost
