"""The mark in the terminal's title that it is our turn.

Owns which terminals take one, and that theirs is given back. Its text is our own, never a peer's.
"""

from typing import Final

__all__ = ["Title", "takes_title"]

_TAKE: Final = (
    "xterm",
    "rxvt",
    "tmux",
    "screen",
    "alacritty",
    "foot",
    "kitty",
    "wezterm",
    "konsole",
    "gnome",
    "vte",
    "st-",
)
"""How the names of those begin that take a title; others might show it as text."""
_KEEP: Final = "\x1b[22;2t"
"""Puts the title aside, where a terminal can (XTWINOPS)."""
_BACK: Final = "\x1b[23;2t"


def takes_title(term: str) -> bool:
    return term.startswith(_TAKE)


class Title:
    """Whether the mark is set; what to write when that changes."""

    def __init__(self, text: str, *, is_used: bool) -> None:
        self._text = text
        self._is_used = is_used
        self._is_set = False

    def show(self, *, mark: bool) -> str:
        """What a terminal has to be sent, so that the mark is there, or is not."""
        if not self._is_used or mark == self._is_set:
            return ""
        self._is_set = mark
        return f"{_KEEP}{_title(self._text)}" if mark else f"{_title('')}{_BACK}"


def _title(text: str) -> str:
    return f"\x1b]2;{text}\x1b\\"
