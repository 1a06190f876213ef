"""How chance becomes packs (rules S5 and Q1; protocol/game/README.md).

Owns what of a match goes into the key of each pack and of the first dealer; what a key gives is in `stream`. Pure:
whoever calls brings the bytes. It refuses to know where they come from, who has seen them, and when they may be shown.
"""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

from kille_net.game.cards import Pack
from kille_net.game.rules import Seat
from kille_net.game.stream import blocks_of, first_below, pack_of

__all__ = [
    "ID_SIZE",
    "NONCE_SIZE",
    "SECRET_SIZE",
    "SEEDED",
    "VERIFIABLE",
    "Material",
    "Seeded",
    "again",
    "commit",
    "commit_nonce",
    "match_id_of",
]

VERIFIABLE: Final = "kille-shuffle-v1"
SEEDED: Final = "seeded"
"""The kinds of shuffle, as a record names them (protocol/record.md)."""
SECRET_SIZE: Final = 32
NONCE_SIZE: Final = 32
ID_SIZE: Final = 16
"""Bytes of a secret, of a nonce, of a match id."""


def commit(match_id: bytes, secret: bytes) -> bytes:
    """What is published of the secret (32 bytes) before a match."""
    return sha256(b"kille-commit-v1" + match_id + secret).digest()


def commit_nonce(match_id: bytes, seat: Seat, nonce: bytes) -> bytes:
    """What a seat shows of its nonce (32 bytes) before it shows the nonce."""
    return sha256(b"kille-nonce-v1" + match_id + bytes([seat]) + nonce).digest()


@dataclass(frozen=True, slots=True)
class Material:
    """What all the chance of one match is made of (record kind `kille-shuffle-v1`).

    A value of bytes alone, so that a match goes on from what was kept of it: same bytes, same packs.
    """

    secret: bytes = field(repr=False)
    """32 bytes."""
    match_id: bytes
    """16 bytes."""
    nonces: tuple[bytes | None, ...] = field(default=(), repr=False)
    """32 bytes a seat, in seat order; None: a seat without one, which counts as 32 zero bytes."""
    commitment: bytes = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "commitment", commit(self.match_id, self.secret))

    def deck_key(self, hand: int, redeal: int) -> bytes:
        """The key of the pack of a hand, from 1, and a shuffle within it, from 0."""
        return self._key(b"kille-deck-v1", hand, redeal)

    def pack(self, hand: int, redeal: int) -> Pack:
        """The pack of that key (`Match.next_pack`)."""
        return pack_of(self.deck_key(hand, redeal))

    def first_dealer(self, seats: int) -> Seat:
        """The seat that deals first (S5)."""
        key = self._key(b"kille-dealer-v1", 0, 0)
        return first_below(seats, blocks_of(key))

    @property
    def kept(self) -> bytes:
        """What makes it again, beside the match line."""
        return self.secret

    def told(self) -> Mapping[str, Any]:
        """What the match line of a record holds of it."""
        nonces = [None if nonce is None else nonce.hex() for nonce in self.nonces]
        return {"kind": VERIFIABLE, "commitment": self.commitment.hex(), "nonces": nonces}

    def revealed(self) -> Mapping[str, Any]:
        """What the end line of a record holds of it: at last, the secret."""
        return {"secret": self.secret.hex()}

    def _key(self, purpose: bytes, hand: int, redeal: int) -> bytes:
        numbers = hand.to_bytes(4, "big") + redeal.to_bytes(4, "big")
        nonces = (bytes(NONCE_SIZE) if nonce is None else nonce for nonce in self.nonces)
        text = b"".join((purpose, self.match_id, numbers, self.commitment, *nonces))
        return hmac.digest(self.secret, text, "sha256")


@dataclass(frozen=True, slots=True)
class Seeded:
    """The chance of a match that keeps no secret: for arenas and duplicate tables (record kind `seeded`).

    Raises ValueError for a seed that is no Unicode text (a lone surrogate).
    """

    seed: str
    match_id: bytes
    """16 bytes."""
    packs_of: bytes | None = None
    """16 bytes: the packs and the first dealer are those of this id, which several matches share; None: of its own."""
    material: Material = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        secret = sha256(b"kille-seed-v1" + self.seed.encode()).digest()
        object.__setattr__(self, "material", Material(secret, self.packs_of or self.match_id))

    @property
    def kept(self) -> bytes:
        """What makes it again, beside the match line: nothing."""
        return b""

    def pack(self, hand: int, redeal: int) -> Pack:
        """The pack of a hand, from 1, and a shuffle within it, from 0 (`Match.next_pack`)."""
        return self.material.pack(hand, redeal)

    def first_dealer(self, seats: int) -> Seat:
        """The seat that deals first (S5)."""
        return self.material.first_dealer(seats)

    def told(self) -> Mapping[str, Any]:
        """What the match line of a record holds of it."""
        shared = {} if self.packs_of is None else {"packs_of": self.packs_of.hex()}
        return {"kind": SEEDED, "seed": self.seed, **shared}

    def revealed(self) -> Mapping[str, Any]:
        """What the end line of a record holds of it: nothing that was not told before."""
        return {}


def again(match_id: bytes, told: Mapping[str, Any], kept: bytes) -> Material | Seeded:
    """The chance of a match once more, of its match line and what was kept. Raises ValueError and KeyError."""
    if told["kind"] == SEEDED:
        packs_of = told.get("packs_of")
        return Seeded(told["seed"], match_id, None if packs_of is None else bytes.fromhex(packs_of))
    nonces = tuple(None if nonce is None else bytes.fromhex(nonce) for nonce in told["nonces"])
    return Material(kept, match_id, nonces)


def match_id_of(seed: str, number: int) -> bytes:
    """The id (16 bytes) of one of many matches that are made from one seed, from 0."""
    return sha256(b"kille-match-v1" + number.to_bytes(8, "big") + seed.encode()).digest()[:16]
