"""Which rooms there are: by name, in the order in which they are listed, whose they are, and which gather.

Owns what would otherwise be asked of every room, so that a command costs no more where there are many. Refuses to know
what happens in a room.
"""

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterator

from kille_net.server.gathering import Names
from kille_net.server.people import Player
from kille_net.server.room import Room

__all__ = ["Directory"]


class Directory:
    """By the keys of their names."""

    def __init__(self) -> None:
        self._of: dict[str, Room] = {}
        self._listed: list[tuple[str, str]] = []
        """As lists show them, and their keys."""
        self._made: Counter[Player] = Counter()
        self._gathering: dict[str, Room] = {}
        """And some that did when that was last asked."""
        self.tables = 0
        """How many are tables of tournaments, which have places of their own."""
        self.names = Names(self)

    def __iter__(self) -> Iterator[Room]:
        return iter(self._of.values())

    def __contains__(self, key: object) -> bool:
        return key in self._of

    def __len__(self) -> int:
        return len(self._of)

    def get(self, key: str) -> Room | None:
        return self._of.get(key)

    def listed(self, start: int, most: int) -> list[Room]:
        """So many in the order of lists, from that one on."""
        return [self._of[key] for _, key in self._listed[start : start + most]]

    def made_by(self, player: Player) -> int:
        return self._made[player]

    @property
    def gathering(self) -> list[Room]:
        """Those in which whoever is in no hurry is seated, but no tables of tournaments."""
        self._gathering = {key: room for key, room in self._gathering.items() if room.seating.gathers}
        return list(self._gathering.values())

    def add(self, room: Room) -> None:
        """Its name is nobody's."""
        self._of[room.key] = room
        insort(self._listed, _line(room))
        self.tables += room.table is not None
        if room.maker is not None:
            self._made[room.maker] += 1

    def gathers(self, room: Room) -> None:
        """The room gathers from now on."""
        self._gathering[room.key] = room

    def remove(self, room: Room) -> bool:
        """Whether it was there."""
        if self._of.get(room.key) is not room:
            return False
        del self._of[room.key]
        del self._listed[bisect_left(self._listed, _line(room))]
        self._gathering.pop(room.key, None)
        self.names.give_back(room.key)
        self.tables -= room.table is not None
        if room.maker is not None:
            self._made[room.maker] -= 1
            if not self._made[room.maker]:
                del self._made[room.maker]
        return True


def _line(room: Room) -> tuple[str, str]:
    return room.name.casefold(), room.key
