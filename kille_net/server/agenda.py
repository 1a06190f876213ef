"""Which room is due next, or which session.

Owns the order of their deadlines. Refuses to know what is then done.
"""

import heapq
from itertools import count
from typing import Final, Generic, TypeVar

__all__ = ["Agenda"]

_MOST_STALE: Final = 8
"""How many times as many deadlines as are good are kept, most of them passed over, before they are sorted out."""

T = TypeVar("T")


class Agenda(Generic[T]):
    """Those that are due at one time have their turn in the order in which that was noted."""

    def __init__(self) -> None:
        self._due: list[tuple[float, int]] = []
        """Deadlines by their numbers, a heap; those that are good no more hold nobody."""
        self._whose: dict[int, T] = {}
        self._of: dict[T, tuple[float, int]] = {}
        self._count = count()

    def deadline(self) -> float | None:
        """When the next one is due; None: none will be."""
        while self._due and self._due[0][1] not in self._whose:
            heapq.heappop(self._due)
        return self._due[0][0] if self._due else None

    def note(self, one: T, at: float | None) -> None:
        """From now on this is when it is due; None: it is not."""
        before = self._of.get(one)
        if before is not None:
            if before[0] == at:
                return
            del self._whose[before[1]]
        if at is None:
            self._of.pop(one, None)
            return
        self._of[one] = deadline = (at, next(self._count))
        self._whose[deadline[1]] = one
        if len(self._due) > _MOST_STALE * (len(self._of) + 1):
            self._due = list(self._of.values())
            heapq.heapify(self._due)
        else:
            heapq.heappush(self._due, deadline)

    def take(self, now: float) -> T | None:
        """The next that is due by now, whose deadline is thereby gone."""
        while self._due and self._due[0][0] <= now:
            one = self._whose.pop(heapq.heappop(self._due)[1], None)
            if one is not None:
                del self._of[one]
                return one
        return None
