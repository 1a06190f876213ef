"""What has happened in a match: past tense, emitted once, told whole.

An event holds hidden cards; only what `views.redact` lets through may leave the table. Seats and cards are by
seat number; sets of seats are ascending tuples.
"""

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from kille_net.game.actions import Action
from kille_net.game.cards import Card
from kille_net.game.rules import Seat

__all__ = [
    "AskAnswered",
    "BetterCardsAsked",
    "CardRefused",
    "CardsThrown",
    "Dealt",
    "Drew",
    "Event",
    "HandBegan",
    "HiddenCard",
    "KukuCalled",
    "MatchEnded",
    "PotWon",
    "RedealReason",
    "Reshuffled",
    "SeatStruck",
    "Showdown",
    "Stood",
    "Swapped",
    "SwapsUndone",
]

HiddenCard: TypeAlias = Card | None
"""None: no card, or one that the viewer may not know."""


class RedealReason(Enum):
    """Why the cards are dealt again in the same hand."""

    AGREED = "agreed"
    """An ask for better cards was accepted (F4, G3)."""
    HARLEKIN = "harlekin"
    """One of two seats was dealt a Harlekin (F5, G3)."""
    TIE = "tie"
    """Both seats of a duel hold the same kind (G3)."""


@dataclass(slots=True, unsafe_hash=True)
class HandBegan:
    number: int
    pot: int | None
    """None: the slutspel (G5)."""
    dealer: Seat
    lives: tuple[int, ...]
    points: tuple[int, ...]


@dataclass(slots=True, unsafe_hash=True)
class Dealt:
    cards: tuple[HiddenCard, ...]


@dataclass(slots=True, unsafe_hash=True)
class Stood:
    seat: Seat


@dataclass(slots=True, unsafe_hash=True)
class Swapped:
    seat: Seat
    target: Seat
    gave: HiddenCard
    got: HiddenCard


@dataclass(slots=True, unsafe_hash=True)
class CardRefused:
    """A matador refused a swap; it is face up from now on (part 4)."""

    seat: Seat
    asker: Seat
    card: Card


@dataclass(slots=True, unsafe_hash=True)
class SwapsUndone:
    """A pig sent the offered card back to whom it was dealt (M3)."""

    path: tuple[Seat, ...]
    """The seats that held it, in order."""
    cards: tuple[HiddenCard, ...]
    """Per seat, after it."""
    known_by: tuple[int, ...]
    """Per seat who knows its card, as bits (`table.bit_of`); empty when redacted."""


@dataclass(slots=True, unsafe_hash=True)
class SeatStruck:
    seat: Seat


@dataclass(slots=True, unsafe_hash=True)
class Drew:
    """A seat drew from the talon. A matador is shown to all, another card to the drawer alone (D1, D6)."""

    seat: Seat
    card: HiddenCard
    kept: bool
    """Whether it is the drawer's now."""


@dataclass(slots=True, unsafe_hash=True)
class BetterCardsAsked:
    seat: Seat


@dataclass(slots=True, unsafe_hash=True)
class AskAnswered:
    seat: Seat
    answer: Action


@dataclass(slots=True, unsafe_hash=True)
class CardsThrown:
    """The cards are given back to be dealt again."""

    reason: RedealReason
    cards: tuple[HiddenCard, ...]
    """Whole: all of them; redacted: the viewer's own, and the Harlekin that is shown."""
    whole_pack: bool
    """Whether the whole pack is reshuffled; otherwise they go to the discard pile."""


@dataclass(slots=True, unsafe_hash=True)
class Reshuffled:
    """The talon ran short: discard pile and talon are shuffled together (G4)."""


@dataclass(slots=True, unsafe_hash=True)
class KukuCalled:
    seat: Seat
    by_rule: bool
    """Turned up by itself (F5)."""


@dataclass(slots=True, unsafe_hash=True)
class Showdown:
    """Everyone turns up, and who loses a life loses it (part 7)."""

    cards: tuple[HiddenCard, ...]
    struck: tuple[Seat, ...]
    low_harlekins: tuple[Seat, ...]
    lost: tuple[Seat, ...]
    lives: tuple[int, ...]
    """After the hand."""


@dataclass(slots=True, unsafe_hash=True)
class PotWon:
    pot: int
    winner: Seat
    points: tuple[int, ...]


@dataclass(slots=True, unsafe_hash=True)
class MatchEnded:
    winner: Seat | None
    """None: broken off."""
    points: tuple[int, ...]
    reason: str = ""
    """Why it was broken off."""


Event: TypeAlias = (
    HandBegan
    | Dealt
    | Stood
    | Swapped
    | CardRefused
    | SwapsUndone
    | SeatStruck
    | Drew
    | BetterCardsAsked
    | AskAnswered
    | CardsThrown
    | Reshuffled
    | KukuCalled
    | Showdown
    | PotWon
    | MatchEnded
)
