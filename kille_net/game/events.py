"""What has happened in a match: past tense, emitted once, told whole.

An event holds hidden cards; only what `views.redact` lets through may leave the table. Seats and cards are by
seat number; sets of seats are ascending tuples.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias

from kille_net.game.actions import Action
from kille_net.game.cards import Card
from kille_net.game.compiling import mypyc_attr
from kille_net.game.rules import MAX_SEATS, Seat
from kille_net.game.values import Value

__all__ = [
    "STOOD",
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


@mypyc_attr(acyclic=True, free_list_len=1)
@dataclass(init=False, slots=True, unsafe_hash=True)
class HandBegan(Value):
    number: Final[int]
    pot: Final[int | None]
    """None: the slutspel (G5)."""
    dealer: Final[Seat]
    lives: Final[tuple[int, ...]]
    points: Final[tuple[int, ...]]

    def __init__(
        self, number: int, pot: int | None, dealer: Seat, lives: tuple[int, ...], points: tuple[int, ...]
    ) -> None:
        self.number = number
        self.pot = pot
        self.dealer = dealer
        self.lives = lives
        self.points = points


@mypyc_attr(acyclic=True, free_list_len=1)
@dataclass(init=False, slots=True, unsafe_hash=True)
class Dealt(Value):
    cards: Final[tuple[HiddenCard, ...]]

    def __init__(self, cards: tuple[HiddenCard, ...]) -> None:
        self.cards = cards


@dataclass(init=False, slots=True, unsafe_hash=True)
class Stood(Value):
    seat: Final[Seat]

    def __init__(self, seat: Seat) -> None:
        self.seat = seat


@mypyc_attr(acyclic=True, free_list_len=1)
@dataclass(init=False, slots=True, unsafe_hash=True)
class Swapped(Value):
    seat: Final[Seat]
    target: Final[Seat]
    gave: Final[HiddenCard]
    got: Final[HiddenCard]

    def __init__(self, seat: Seat, target: Seat, gave: HiddenCard, got: HiddenCard) -> None:
        self.seat = seat
        self.target = target
        self.gave = gave
        self.got = got


@dataclass(init=False, slots=True, unsafe_hash=True)
class CardRefused(Value):
    """A matador refused a swap; it is face up from now on (part 4)."""

    seat: Final[Seat]
    asker: Final[Seat]
    card: Final[Card]

    def __init__(self, seat: Seat, asker: Seat, card: Card) -> None:
        self.seat = seat
        self.asker = asker
        self.card = card


@dataclass(init=False, slots=True, unsafe_hash=True)
class SwapsUndone(Value):
    """A pig sent the offered card back to whom it was dealt (M3)."""

    path: Final[tuple[Seat, ...]]
    """The seats that held it, in order."""
    cards: Final[tuple[HiddenCard, ...]]
    """Per seat, after it."""
    known_by: Final[tuple[int, ...]]
    """Per seat who knows its card, as bits (`table.bit_of`); empty when redacted."""

    def __init__(self, path: tuple[Seat, ...], cards: tuple[HiddenCard, ...], known_by: tuple[int, ...]) -> None:
        self.path = path
        self.cards = cards
        self.known_by = known_by


@dataclass(init=False, slots=True, unsafe_hash=True)
class SeatStruck(Value):
    seat: Final[Seat]

    def __init__(self, seat: Seat) -> None:
        self.seat = seat


@dataclass(init=False, slots=True, unsafe_hash=True)
class Drew(Value):
    """A seat drew from the talon. A matador is shown to all, another card to the drawer alone (D1, D6)."""

    seat: Final[Seat]
    card: Final[HiddenCard]
    kept: Final[bool]
    """Whether it is the drawer's now."""

    def __init__(self, seat: Seat, card: HiddenCard, kept: bool) -> None:
        self.seat = seat
        self.card = card
        self.kept = kept


@dataclass(init=False, slots=True, unsafe_hash=True)
class BetterCardsAsked(Value):
    seat: Final[Seat]

    def __init__(self, seat: Seat) -> None:
        self.seat = seat


@dataclass(init=False, slots=True, unsafe_hash=True)
class AskAnswered(Value):
    seat: Final[Seat]
    answer: Final[Action]

    def __init__(self, seat: Seat, answer: Action) -> None:
        self.seat = seat
        self.answer = answer


@dataclass(init=False, slots=True, unsafe_hash=True)
class CardsThrown(Value):
    """The cards are given back to be dealt again."""

    reason: Final[RedealReason]
    cards: Final[tuple[HiddenCard, ...]]
    """Whole: all of them; redacted: the viewer's own, and the Harlekin that is shown."""
    whole_pack: Final[bool]
    """Whether the whole pack is reshuffled; otherwise they go to the discard pile."""

    def __init__(self, reason: RedealReason, cards: tuple[HiddenCard, ...], whole_pack: bool) -> None:
        self.reason = reason
        self.cards = cards
        self.whole_pack = whole_pack


@dataclass(slots=True, unsafe_hash=True)
class Reshuffled(Value):
    """The talon ran short: discard pile and talon are shuffled together (G4)."""


@dataclass(init=False, slots=True, unsafe_hash=True)
class KukuCalled(Value):
    seat: Final[Seat]
    by_rule: Final[bool]
    """Turned up by itself (F5)."""

    def __init__(self, seat: Seat, by_rule: bool) -> None:
        self.seat = seat
        self.by_rule = by_rule


@mypyc_attr(acyclic=True, free_list_len=1)
@dataclass(init=False, slots=True, unsafe_hash=True)
class Showdown(Value):
    """Everyone turns up, and who loses a life loses it (part 7)."""

    cards: Final[tuple[HiddenCard, ...]]
    struck: Final[tuple[Seat, ...]]
    low_harlekins: Final[tuple[Seat, ...]]
    lost: Final[tuple[Seat, ...]]
    lives: Final[tuple[int, ...]]
    """After the hand."""

    def __init__(
        self,
        cards: tuple[HiddenCard, ...],
        struck: tuple[Seat, ...],
        low_harlekins: tuple[Seat, ...],
        lost: tuple[Seat, ...],
        lives: tuple[int, ...],
    ) -> None:
        self.cards = cards
        self.struck = struck
        self.low_harlekins = low_harlekins
        self.lost = lost
        self.lives = lives


@dataclass(init=False, slots=True, unsafe_hash=True)
class PotWon(Value):
    pot: Final[int]
    winner: Final[Seat]
    points: Final[tuple[int, ...]]

    def __init__(self, pot: int, winner: Seat, points: tuple[int, ...]) -> None:
        self.pot = pot
        self.winner = winner
        self.points = points


@dataclass(init=False, slots=True, unsafe_hash=True)
class MatchEnded(Value):
    winner: Final[Seat | None]
    """None: broken off."""
    points: Final[tuple[int, ...]]
    reason: Final[str]
    """Why it was broken off."""

    def __init__(self, winner: Seat | None, points: tuple[int, ...], reason: str = "") -> None:
        self.winner = winner
        self.points = points
        self.reason = reason


STOOD: Final = tuple([Stood(seat) for seat in range(MAX_SEATS)])
"""By seat, since nothing happens as often."""

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
