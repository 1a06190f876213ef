"""Which room is due next.

Owns the order of their deadlines. Refuses to know what is then done.
"""

import heapq
from itertools import count
from typing import Final

from kille_net.server.room import Room

__all__ = ["Agenda"]

_MOST_STALE: Final = 8
"""How many times as many deadlines as rooms are kept, most of them passed over, before they are sorted out."""


class Agenda:
    """Rooms that are due at one time have their turn in the order in which that was noted."""

    def __init__(self) -> None:
        self._due: list[tuple[float, int, Room]] = []
        self._due_of: dict[Room, float] = {}
        self._count = count()

    def deadline(self) -> float | None:
        """When the next one is due; None: none will be."""
        while self._due and self._due_of.get(self._due[0][2]) != self._due[0][0]:
            heapq.heappop(self._due)
        return self._due[0][0] if self._due else None

    def note(self, room: Room, at: float | None) -> None:
        """From now on this is when the room is due; None: it is not."""
        if at is None:
            self._due_of.pop(room, None)
        elif self._due_of.get(room) != at:
            self._due_of[room] = at
            if len(self._due) > _MOST_STALE * (len(self._due_of) + 1):
                self._due = [(at, next(self._count), room) for room, at in self._due_of.items()]
                heapq.heapify(self._due)
            else:
                heapq.heappush(self._due, (at, next(self._count), room))

    def take(self, now: float) -> Room | None:
        """The next room that is due by now, whose deadline is thereby gone."""
        while self._due and self._due[0][0] <= now:
            at, _, room = heapq.heappop(self._due)
            if self._due_of.get(room) == at:
                del self._due_of[room]
                return room
        return None
