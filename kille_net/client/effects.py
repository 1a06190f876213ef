"""What the core wants done, as values: the shells around it print, send, ring and leave.

Owns the kinds of effect and the kinds of text. Refuses to know terminals.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypeAlias

from kille_net.game.events import HiddenCard
from kille_net.wire.messages import ClientMessage

__all__ = ["Bell", "Effect", "Effects", "Line", "Print", "Quit", "Send", "Show", "Shown", "Span", "Style", "Want"]


class Style(Enum):
    """What a text is, which a terminal may show and a pipe need not."""

    PLAIN = "plain"
    LOUD = "loud"
    """What asks for attention."""
    MINE = "mine"
    """It is the reader's turn."""
    QUIET = "quiet"
    CHAT = "chat"
    FAULT = "fault"
    LOW = "low"
    """From here on: the colours of the cards."""
    NUMBER = "number"
    INN = "inn"
    HORSE = "horse"
    PIG = "pig"
    HUSSAR = "hussar"
    CUCKOO = "cuckoo"
    HARLEQUIN = "harlequin"


class Span(NamedTuple):
    text: str
    style: Style = Style.PLAIN


Line: TypeAlias = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Print:
    """A line of text, fit for any terminal."""

    text: str
    style: Style = Style.PLAIN


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A card on the table, with what is said above and below it."""

    card: HiddenCard
    """None: its back."""
    is_low: bool = False
    """Whether it is a low Harlekin."""
    is_there: bool = True
    """Whether there is a card at all."""
    above: tuple[Span, ...] = ()
    """Lines."""
    below: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Show:
    """Cards side by side, where they can be drawn; the words around them say as much."""

    cards: tuple[Shown, ...]


@dataclass(frozen=True, slots=True)
class Send:
    message: ClientMessage


@dataclass(frozen=True, slots=True)
class Bell:
    """Something waits for the reader."""


class Want(Enum):
    """With what else the server would let us in."""

    PASSWORD = "password"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Quit:
    """Leave with this exit code; `text`, if any, is the last line and goes to standard error."""

    code: int
    text: str = ""
    wants: Want | None = None


Effect: TypeAlias = Print | Show | Send | Bell | Quit
Effects: TypeAlias = Sequence[Effect]
