"""How a key becomes choices without a bias: the bytes of a key, and packs shuffled by them (protocol/game/README.md).

Owns the arithmetic from bytes to choices. Refuses to know where a key comes from, and what is kept of it (`shuffle`).
"""

import hmac
from collections.abc import Iterator
from typing import Any, Final, TypeVar

from kille_net.game.cards import FULL_PACK, Pack

__all__ = ["blocks_of", "first_below", "pack_of", "shuffled"]

_T = TypeVar("_T")
_LIMITS: Final = tuple([256 - 256 % m if m else 0 for m in range(len(FULL_PACK) + 1)])
"""By m: a byte below it, mod m, is uniform below m; another is rejected."""


def blocks_of(key: bytes) -> Iterator[bytes]:
    """The stream of the key, 32 bytes each time, without end."""
    j = 0
    while True:
        yield hmac.digest(key, b"kille-shuffle-v1" + j.to_bytes(8, "big"), "sha256")
        j += 1


def pack_of(key: bytes) -> Pack:
    """The 42 cards in the order that the key gives, top first."""
    return shuffled(FULL_PACK, blocks_of(key))


def shuffled(cards: tuple[_T, ...], blocks: Iterator[bytes]) -> tuple[_T, ...]:
    """These cards, two or more, in the order that the bytes give."""
    order: list[Any] = list(cards)
    i = len(order) - 1
    for block in blocks:
        for byte in block:
            if byte < _LIMITS[i + 1]:
                k = byte % (i + 1)
                order[i], order[k] = order[k], order[i]
                i -= 1
                if not i:
                    return tuple(order)
    raise ValueError("there are too few bytes")


def first_below(number: int, blocks: Iterator[bytes]) -> int:
    """The choice among so many, 42 at most, that the bytes give."""
    for block in blocks:
        for byte in block:
            if byte < _LIMITS[number]:
                return byte % number
    raise ValueError("there are too few bytes")
