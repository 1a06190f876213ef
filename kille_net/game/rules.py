"""What the two formats are and what the five matadors do, as tables (rules.md, parts 4, 5 and 8).

Owns every number and every choice that the rules make. Refuses to know the state of a hand.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from types import MappingProxyType
from typing import Final, TypeAlias

from kille_net.game.cards import Card

__all__ = [
    "FORMATS",
    "LENGTHS",
    "MAX_ASKS",
    "MAX_SEATS",
    "MIN_SEATS",
    "REFUSALS",
    "RULES_VERSION",
    "Effect",
    "Format",
    "FormatRules",
    "HarlekinRank",
    "Length",
    "Ruleset",
    "Seat",
]

RULES_VERSION: Final = 1
"""Counts up when a change would judge some recorded hand otherwise (protocol/record.md)."""

Seat: TypeAlias = int
"""A place at the table, from 0, going left."""

MIN_SEATS: Final = 2
MAX_SEATS: Final = 8

MAX_ASKS: Final = 100
"""Asks accepted in one hand after which whoever runs a match declines by itself; the rules set no bound (G6)."""


class Format(StrEnum):
    POTS = "pots"
    STICKS = "sticks"

    __hash__ = str.__hash__  # an enum's own is a function of Python


class Length(StrEnum):
    SHORT = "short"
    STANDARD = "standard"
    LONG = "long"


class HarlekinRank(StrEnum):
    """How a dealt Harlekin counts (H4)."""

    HIGH = "high"
    LOW = "low"


class Effect(Enum):
    """What happens to a swap that meets a matador, at a seat or on the talon."""

    SKIP = "skip"
    """The swap goes on to the next seat, or to the next card of the talon."""
    UNDO = "undo"
    """The offered card goes back along its swaps and strikes whom it was dealt to."""
    STRIKE = "strike"
    """No swap; the asker is struck."""
    STOP = "stop"
    """No swap, and the swapping is over."""


REFUSALS: Final[Mapping[Card, Effect]] = MappingProxyType(
    {
        Card.VARDSHUS: Effect.SKIP,  # M1
        Card.KAVALL: Effect.SKIP,  # M1
        Card.HUSU: Effect.UNDO,  # M3
        Card.HUSAR: Effect.STRIKE,  # M5
        Card.KUKU: Effect.STOP,  # M6
    }
)
"""What a seat that holds the card does to who asks for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatRules:
    """How one format differs from the other."""

    lives: int
    """Lives at the start of a pot or parti (F1, G1)."""
    talon: Mapping[Card, Effect]
    """What a matador does that is drawn (D2 to D5). A draw ends the round: STOP is no more than keeping one's card."""
    ask_at: frozenset[int]
    """With how many seats left the first to speak may ask for better cards (F4, G6)."""
    max_asks: int | None
    """Accepted asks in one hand (F4, G6)."""
    whole_pack: bool
    """Whether cards dealt again come from the whole pack reshuffled, or from what is left of the talon (F4, F5, G3)."""
    kuku_shows_itself: bool
    """Whether a Kuku dealt to one of two seats ends the hand by itself (F5, G3)."""
    ties_again: bool
    """Whether a tie of two seats is dealt again (G3)."""
    final: bool
    """Whether the points become the lives of a last part (G5)."""


FORMATS: Final[Mapping[Format, FormatRules]] = MappingProxyType(
    {
        Format.POTS: FormatRules(
            lives=3,
            talon=REFUSALS,
            ask_at=frozenset({2, 3}),
            max_asks=3,
            whole_pack=True,
            kuku_shows_itself=True,
            ties_again=False,
            final=False,
        ),
        Format.STICKS: FormatRules(
            lives=1,
            talon=MappingProxyType({**REFUSALS, Card.VARDSHUS: Effect.STOP, Card.KAVALL: Effect.STOP}),
            ask_at=frozenset({2}),
            max_asks=None,
            whole_pack=False,
            kuku_shows_itself=False,
            ties_again=True,
            final=True,
        ),
    }
)

LENGTHS: Final[Mapping[Length, Mapping[int, int]]] = MappingProxyType(
    {
        Length.SHORT: MappingProxyType({2: 6, 3: 4, 4: 3, 5: 3, 6: 2, 7: 2, 8: 2}),
        Length.STANDARD: MappingProxyType({2: 12, 3: 8, 4: 6, 5: 5, 6: 4, 7: 3, 8: 3}),
        Length.LONG: MappingProxyType({2: 18, 3: 12, 4: 9, 5: 8, 6: 6, 7: 5, 8: 5}),
    }
)
"""Pots or partier of a match, by seats (F2, G2)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruleset:
    """What a match is played by. `pots` counts pots or partier; see `for_seats` for the table's number."""

    format: Format = Format.POTS
    length: Length = Length.STANDARD
    dealt_harlekin: HarlekinRank = HarlekinRank.HIGH
    pots: int = 1

    def __post_init__(self) -> None:
        if self.pots < 1:
            raise ValueError("a match has at least one pot")

    @property
    def rules(self) -> FormatRules:
        return FORMATS[self.format]

    @classmethod
    def for_seats(
        cls,
        seats: int,
        *,
        format: Format = Format.POTS,  # noqa: A002  the rules' and the record's own word
        length: Length = Length.STANDARD,
        dealt_harlekin: HarlekinRank = HarlekinRank.HIGH,
        pots: int | None = None,
    ) -> "Ruleset":
        """The rules of a match of so many seats; without `pots` their number is that of F2's table.

        Raises ValueError for a number of seats that the game has no table for (S1).
        """
        if not MIN_SEATS <= seats <= MAX_SEATS:
            raise ValueError("Kille is played by 2 to 8 seats")
        number = LENGTHS[length][seats] if pots is None else pots
        return cls(format=format, length=length, dealt_harlekin=dealt_harlekin, pots=number)
