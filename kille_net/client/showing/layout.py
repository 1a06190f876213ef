"""Text by cells, not by characters: how wide it is, where a line breaks, what it is in ASCII.

Refuses to know what a text says, and the terminal: how many columns there are is told.
"""

from collections.abc import Iterable
from typing import Final

from wcwidth import wcswidth

from kille_net.client.effects import Line, Span, Style
from kille_net.wire.text import safe_text

__all__ = ["CHANGED", "SMALLEST", "TURN", "cells", "fit", "flow", "pad", "shown", "to_ascii", "wrap"]

SMALLEST: Final = 8
"""Columns below which nothing is laid out any more."""
TURN: Final = "→"
"""Stands before whose turn it is."""
CHANGED: Final = "•"
"""Stands before what has changed since we looked."""
_ELLIPSIS: Final = "…"
_ASCII: Final = str.maketrans(
    {
        **dict(zip("åäæöøéüÅÄÆÖØÉÜ", "aaaooeuAAAOOEU", strict=True)),
        **dict.fromkeys("”“", '"'),
        **dict.fromkeys("’‘", "'"),
        **dict.fromkeys("–−─", "-"),
        "·": "-",
        "×": "x",
        "…": "...",
        TURN: ">",
        CHANGED: "+",
        **dict.fromkeys("┌┐└┘", "+"),
        "│": "|",
        "░": ":",
        "±": "+-",
        "ψ": "Y",
        "♥": "*",
    }
)


def cells(text: str) -> int:
    """How many columns a clean text takes."""
    return max(wcswidth(text), 0)


def to_ascii(text: str) -> str:
    """The text for a terminal that shows nothing else."""
    return text.translate(_ASCII).encode("ascii", "replace").decode("ascii")


def shown(text: str, *, ascii_only: bool) -> str:
    """The text as it may go to a terminal or a pipe, whatever is in it."""
    clean = text if text.isprintable() else ascii(text)
    return to_ascii(clean) if ascii_only else clean


def wrap(text: str, columns: int) -> list[str]:
    """The text in lines of at most so many cells, broken between words where there are any."""
    if cells(text) <= columns or columns < SMALLEST:
        return [text]
    indent = text[: len(text) - len(text.lstrip(" "))][: columns // 2]
    return [indent + line for line in _wrap_words(text.lstrip(" "), columns - len(indent))]


def _wrap_words(text: str, columns: int) -> list[str]:
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if cells(longer) <= columns:
            line = longer
            continue
        if line:
            lines.append(line)
        line = word
        while cells(line) > columns:
            head = safe_text(line, columns) or line[:1]
            lines.append(head)
            line = line[len(head) :]
    return [*lines, line] if line else lines


def fit(text: str, columns: int) -> str:
    if cells(text) <= columns:
        return text
    return safe_text(text, max(columns - 1, 0)) + _ELLIPSIS


def pad(text: str, columns: int) -> str:
    return text + " " * (columns - cells(text))


def flow(parts: Iterable[Span], gap: str, columns: int) -> list[Line]:
    """The parts beside each other with `gap` between, in as many lines as it takes."""
    lines: list[Line] = []
    line: list[Span] = []
    width = 0
    for part in parts:
        span = Span(fit(part.text, columns), part.style)
        needed = cells(span.text) + (cells(gap) if line else 0)
        if line and width + needed > columns:
            lines.append(tuple(line))
            line, width, needed = [], 0, cells(span.text)
        if line:
            line.append(Span(gap, Style.QUIET))
        line.append(span)
        width += needed
    return [*lines, tuple(line)] if line else lines
