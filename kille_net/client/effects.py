"""What the core wants done, as values: the shells around it print, send, ring and leave.

Owns the kinds of effect and the kinds of text. Refuses to know terminals.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypeAlias

from kille_net.wire.messages import ClientMessage

__all__ = ["Bell", "Effect", "Effects", "Line", "Print", "Quit", "Send", "Span", "Style"]


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


class Span(NamedTuple):
    text: str
    style: Style = Style.PLAIN


Line: TypeAlias = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Print:
    """A line of text, fit for any terminal."""

    text: str
    style: Style = Style.PLAIN


@dataclass(frozen=True, slots=True)
class Send:
    message: ClientMessage


@dataclass(frozen=True, slots=True)
class Bell:
    """Something waits for the reader."""


@dataclass(frozen=True, slots=True)
class Quit:
    """Leave with this exit code; `text`, if any, is the last line and goes to standard error."""

    code: int
    text: str = ""
    wants_password: bool = False
    """Whether the server would let us in with the right password."""


Effect: TypeAlias = Print | Send | Bell | Quit
Effects: TypeAlias = Sequence[Effect]
