"""The pack of Kille: 42 cards of 21 kinds (rules P1 to P5).

Owns the kinds, their order and codes. Refuses to know seats, hands and what a card does.
"""

from collections.abc import Iterable
from enum import IntEnum
from typing import Final, TypeAlias

__all__ = ["FULL_PACK", "MATADORS", "Card", "Pack", "is_pack"]


class Card(IntEnum):
    """A kind of card, low to high (P2); two cards of one kind are the same card to every rule.

    The Harlekin's number says nothing of its rank, which depends on how it came to its holder (part 6).
    """

    BLAREN = 0
    BLOMPOTTAN = 1
    KRANSEN = 2
    N1 = 3
    N2 = 4
    N3 = 5
    N4 = 6
    N5 = 7
    N6 = 8
    N7 = 9
    N8 = 10
    N9 = 11
    N10 = 12
    N11 = 13
    N12 = 14
    VARDSHUS = 15
    KAVALL = 16
    HUSU = 17
    HUSAR = 18
    KUKU = 19
    HARLEKIN = 20

    __hash__ = int.__hash__  # an enum's own is a function of Python

    @property
    def code(self) -> str:
        """How files write it (P5)."""
        return _CODES[self]

    @classmethod
    def of_code(cls, code: str) -> "Card":
        """The card that files write so. Raises KeyError where there is none."""
        return _BY_CODE[code]


Pack: TypeAlias = tuple[Card, ...]
"""A whole shuffled pack, top first."""

_CODES: Final = tuple(card.name.lower().removeprefix("n" if card.name[1:].isdigit() else "") for card in Card)
_BY_CODE: Final = dict(zip(_CODES, Card, strict=True))
FULL_PACK: Final[Pack] = tuple(card for card in Card for _ in range(2))
"""P1, in the order from which a shuffle starts."""
MATADORS: Final = frozenset({Card.VARDSHUS, Card.KAVALL, Card.HUSU, Card.HUSAR, Card.KUKU})
"""P3."""


def is_pack(cards: Iterable[Card]) -> bool:
    """Whether these are the 42 cards, in whatever order."""
    return sorted(cards) == list(FULL_PACK)
