"""How many columns some texts take on this terminal, which it is asked.

Owns the asking. Refuses to wait for a terminal that does not answer.
"""

import os
import re
import select
import termios
import time
import tty
from collections.abc import Mapping
from typing import Final

from wcwidth import wcswidth

__all__ = ["SAMPLES", "expected", "measure"]

SAMPLES: Final = ("å", "a\N{COMBINING RING ABOVE}", "…", "×", "▌", "♠", "日", "\N{GRINNING FACE}")
_SECONDS: Final = 0.5
_ASK: Final = b"\x1b[6n"
_ANSWER: Final = re.compile(rb"\x1b\[\d{1,5};(\d{1,5})R")


def expected() -> Mapping[str, int]:
    """What is counted with."""
    return {text: wcswidth(text) for text in SAMPLES}


def measure() -> dict[str, int] | None:
    """What the terminal says; None: there is none, or it does not say. The line is as it was before."""
    if not (os.isatty(0) and os.isatty(1)):
        return None
    before = termios.tcgetattr(0)
    found: dict[str, int] = {}
    try:
        tty.setcbreak(0)
        for text in SAMPLES:
            column = _column_after(text)
            if column is None:
                return None
            found[text] = column - 1
        return found
    finally:
        os.write(1, b"\r\x1b[K")
        termios.tcsetattr(0, termios.TCSAFLUSH, before)  # without an answer that came too late


def _column_after(text: str) -> int | None:
    os.write(1, b"\r" + text.encode() + _ASK)
    heard = b""
    until = time.monotonic() + _SECONDS
    while (left := until - time.monotonic()) > 0 and select.select([0], [], [], left)[0]:
        data = os.read(0, 64)
        heard += data
        if (answer := _ANSWER.search(heard)) is not None:
            return int(answer[1])
        if not data:
            break
    return None
