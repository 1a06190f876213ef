"""Who loses a life at the showdown (rules.md, part 7)."""

from collections.abc import Collection
from typing import Final

from kille_net.game.cards import Card
from kille_net.game.events import HiddenCard
from kille_net.game.rules import Seat

__all__ = ["NEVER_LOWEST", "losers"]

NEVER_LOWEST: Final = (Card.KUKU, Card.HARLEKIN)
"""What never loses on the lowest card, unless the Harlekin is low (L2)."""
_HIGHEST: Final[int] = max(set(Card) - set(NEVER_LOWEST))
"""What may lose on the lowest card, at most."""


def losers(
    cards: tuple[HiddenCard, ...], struck: Collection[Seat], low_harlekins: Collection[Seat]
) -> tuple[Seat, ...]:
    """The seats that lose one life each (L2 to L5), ascending.

    `cards`: by seat, None for one without lives; a Harlekin of a seat that is not in `low_harlekins` is high.
    """
    first = {*struck, *low_harlekins} if struck or low_harlekins else set()
    lowest = _HIGHEST
    lost: list[Seat] = []
    everyone = 0
    for seat, card in enumerate(cards):
        if card is None:
            continue
        everyone += 1
        rank: int = card
        if rank > lowest or (first and seat in first):
            continue
        if rank < lowest:
            lowest = rank
            lost = []
        lost.append(seat)
    if first:
        lost = sorted([*lost, *first])
    if len(lost) == everyone:  # L4
        lost = sorted(first) if struck else []
    if len(lost) == everyone:  # L5
        lost = sorted(struck)
    return tuple(lost)
