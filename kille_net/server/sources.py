"""Where a room's chance and its computers come from: handed in, so that a room replays exactly.

Owns the shapes only. Refuses to draw anything.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from kille_net.game.cards import Pack
from kille_net.game.record import MatchLine
from kille_net.game.rules import Seat
from kille_net.game.shuffle import again
from kille_net.server.people import Computer
from kille_net.wire.messages import Level

__all__ = ["Chance", "Shuffle", "Sources"]

Chance: TypeAlias = Callable[[], float]
"""Draws a number from 0 up to 1."""


class Shuffle(Protocol):
    """The chance of one match (`kille_net.game.shuffle`)."""

    @property
    def match_id(self) -> bytes: ...
    @property
    def kept(self) -> bytes:
        """What makes it again, beside the match line."""
        ...

    def pack(self, hand: int, redeal: int) -> Pack: ...
    def first_dealer(self, seats: int) -> Seat: ...
    def told(self) -> Mapping[str, Any]: ...
    def revealed(self) -> Mapping[str, Any]: ...


def _again(header: MatchLine, kept: bytes) -> Shuffle:
    return again(header.id, header.shuffle, kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    shuffle: Callable[[], Shuffle]
    """Draws what one match is shuffled with; `Material` without nonces where its players are to have a part in it."""
    chance: Chance
    """For the pauses of computers."""
    computer: Callable[[Level], Computer]
    """Makes a computer for one seat."""
    ticket: Callable[[], str]
    """Draws a secret by which a player is known (`kille_net.wire.Ticket`)."""
    epoch: Callable[[], float] = lambda: 0.0
    """Tells the seconds since 1970, for what begins at a time of day."""
    kept_shuffle: Callable[[MatchLine, bytes], Shuffle] = _again
    """Makes again what a match was shuffled with, of its match line and what was `kept`."""
