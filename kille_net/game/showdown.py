"""Who loses a life at the showdown (rules.md, part 7)."""

from collections.abc import Collection, Mapping

from kille_net.game.cards import Card
from kille_net.game.rules import Seat

__all__ = ["NEVER_LOWEST", "losers"]

NEVER_LOWEST = (Card.KUKU, Card.HARLEKIN)
"""What never loses on the lowest card, unless the Harlekin is low (L2)."""


def losers(cards: Mapping[Seat, Card], struck: Collection[Seat], low_harlekins: Collection[Seat]) -> tuple[Seat, ...]:
    """The seats that lose one life each (L2 to L5), ascending.

    `cards` holds every seat with lives; a Harlekin of a seat that is not in `low_harlekins` is high.
    """
    first = {*struck, *low_harlekins}
    others = {seat: card for seat, card in cards.items() if seat not in first}
    lowest = min(others.values(), default=Card.KUKU)
    lost = set(first)
    if lowest not in NEVER_LOWEST:  # L2
        lost |= {seat for seat, card in others.items() if card is lowest}
    if len(lost) == len(cards):  # L4
        lost = first if struck else set()
    if len(lost) == len(cards):  # L5
        lost = set(struck)
    return tuple(sorted(lost))
