"""When a client comes back by itself after the end of a line, how long it waits before it tries, and when it gives up.

Owns these rules. Refuses to wait.
"""

from collections.abc import Callable
from typing import Final

from kille_net.client.net.session import Lost, NoServer, ServerBye, SessionEnded
from kille_net.wire.messages import ByeCode

__all__ = ["PATIENCE", "Search", "is_passing"]

PATIENCE: Final = 600.0
"""Seconds for which a server that is gone is sought: no longer than it keeps a match to which nobody comes back."""
_FIRST: Final = 0.5
_LONGEST: Final = 10.0
_HOLDS: Final = 2.0
"""Seconds after which a line was no mere part of the search for one."""
_PASSING: Final = frozenset({ByeCode.BUSY, ByeCode.SILENT, ByeCode.TOO_SLOW, ByeCode.SHUTTING_DOWN, ByeCode.INTERNAL})
"""Ends after which another try may fare better; after all others it would be a loop, or a quarrel."""


def is_passing(end: SessionEnded | NoServer) -> bool:
    """Whether to come back, for one who has a ticket."""
    match end:
        case NoServer() | Lost():
            return True
        case ServerBye(message=message):
            return message.code in _PASSING
    return False


class Search:
    """Half a second, then twice as long each time, up to ten; less by up to a half, so that not all come at once."""

    def __init__(self, chance: Callable[[], float]) -> None:
        self.attempts = 0
        """Since the line was lost."""
        self._chance = chance
        self._since: float | None = None
        self._found_at: float | None = None

    def found(self, now: float) -> None:
        """We are in; should that end at once, the search goes on."""
        self._found_at = now

    def next(self, now: float) -> float | None:
        """We are out: seconds to wait before the next attempt; None: it is time to give up."""
        if self._found_at is not None and now >= self._found_at + _HOLDS:
            self.attempts, self._since = 0, None
        self._found_at = None
        if self._since is None:
            self._since = now
        if now > self._since + PATIENCE:
            return None
        whole = min(_LONGEST, _FIRST * (1 << min(self.attempts, 10)))
        self.attempts += 1
        return whole * (1 - self._chance() / 2)
