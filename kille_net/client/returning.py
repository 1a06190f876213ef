"""When a client comes back by itself after the end of a line, and how long it waits before it tries.

Owns both rules. Refuses to wait.
"""

from collections.abc import Callable
from typing import Final

from kille_net.client.session import Lost, NoServer, ServerBye, SessionEnded
from kille_net.wire.messages import ByeCode

__all__ = ["Backoff", "is_passing"]

_FIRST: Final = 0.5
_LONGEST: Final = 10.0
_PASSING: Final = frozenset({ByeCode.BUSY, ByeCode.SILENT, ByeCode.TOO_SLOW})
"""Ends after which another try may fare better; after all others it would be a loop, or a quarrel."""


def is_passing(end: SessionEnded | NoServer) -> bool:
    """Whether to come back, for one who has a ticket."""
    match end:
        case NoServer() | Lost():
            return True
        case ServerBye(message=message):
            return message.code in _PASSING
    return False


class Backoff:
    """Half a second, then twice as long each time, up to ten; less by up to a half, so that not all come at once."""

    def __init__(self, chance: Callable[[], float]) -> None:
        self.attempts = 0
        """Since the line was lost."""
        self._chance = chance

    def next(self) -> float:
        """Seconds to wait before the next attempt."""
        whole = min(_LONGEST, _FIRST * (1 << min(self.attempts, 10)))
        self.attempts += 1
        return whole * (1 - self._chance() / 2)
