"""What a client wrote to its terminal and when, as somebody saw it who sat before it.

Owns the emulator, and what is told from the bytes: when a key was echoed, and what stands there in the end. Refuses to
know where they come from.
"""

from dataclasses import dataclass, field
from typing import Final

import pyte

__all__ = ["LAST", "ROWS", "Run", "Seen", "see"]

ROWS: Final = 24
LAST: Final = "That was the last."
"""The line that ends a run."""
_PROMPT: Final = "> "
_PRINTED: Final = b"\x1b[?2004h"
"""What the client writes once whenever it has printed lines: pasting is told apart again…"""
_DRAWN: Final = b"\x1b[?25l"
"""…and whenever it draws its prompt: the cursor is hidden meanwhile."""


@dataclass(slots=True)
class Run:
    """What came of the client, and what was done to it, by the same clock."""

    shown: list[tuple[float, bytes]] = field(default_factory=list)
    pressed: list[tuple[float, str]] = field(default_factory=list)
    """When a key was pressed, and what then had to stand at the prompt."""
    began: float = 0.0
    sent: float = 0.0
    """The last event."""
    lateness: float = 0.0
    """The most that an event was sent after it was due."""
    cpu: float = 0.0
    """Seconds of a processor from the first event to the last line…"""
    waited: float = 0.0
    """…and how long the client was ready to run and did not."""
    ended: float = 0.0

    @property
    def prints(self) -> int:
        """How often lines were printed above the prompt, while it was measured."""
        return self._drawn.count(_PRINTED)

    @property
    def draws(self) -> int:
        """How often the prompt was drawn."""
        return self._drawn.count(_DRAWN)

    @property
    def _drawn(self) -> bytes:
        return b"".join(data for when, data in self.shown if self.began < when <= self.ended)


class Paper(pyte.Screen):
    """A terminal that keeps what has gone out at its top."""

    def __init__(self, columns: int) -> None:
        self.above: list[str] = []
        super().__init__(columns, ROWS)

    def index(self) -> None:
        if self.cursor.y == self.lines - 1:
            self.above.append(self.row(0))
        super().index()

    def row(self, y: int) -> str:
        line = self.buffer[y]
        return "".join(line[x].data for x in range(self.columns)).rstrip()


@dataclass(slots=True)
class Seen:
    echoes: list[float]
    """Seconds from each key to what it made of the line; infinite: that never stood there."""
    last: float
    """When the last line stood there."""
    rows: list[str]
    """All that was ever printed, and what stands there in the end."""


def see(run: Run, columns: int) -> Seen:
    paper = Paper(columns)
    stream = pyte.ByteStream(paper)
    echoes: list[float] = []
    last = float("inf")
    for when, data in run.shown:
        stream.feed(data)
        shown = paper.row(paper.cursor.y)
        typed = shown[len(_PROMPT) :] if shown.startswith(_PROMPT) else "" if shown == _PROMPT.rstrip() else None
        waiting = run.pressed[len(echoes) :]
        for k, (pressed, then) in enumerate(waiting):
            if pressed > when:
                break
            if then == typed:
                echoes += [when - pressed for pressed, _ in waiting[: k + 1]]
                break
        if when < last and typed is not None and any(LAST in paper.row(y) for y in range(ROWS)):
            last = when
    rows = [*paper.above, *(paper.row(y) for y in range(ROWS))]
    return Seen(echoes + [float("inf")] * (len(run.pressed) - len(echoes)), last, rows)
