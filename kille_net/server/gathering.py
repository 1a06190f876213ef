"""Which table a player is seated at who wants to play soon, and what a new one is like.

Owns the choice, and the names of the tables that the server makes. Refuses to seat anybody.
"""

from collections.abc import Container, Iterable
from heapq import heappop, heappush
from itertools import count
from typing import Final

import msgspec

from kille_net.server.room import Room
from kille_net.wire import messages as m
from kille_net.wire.options import DEFAULT_OPTIONS
from kille_net.wire.text import name_key

__all__ = ["Names", "free_table_name", "fullest", "options_of"]

_NAME: Final = "Krogen"
"""The tavern; the tables of a server that makes them are numbered."""


_MOST: Final = 16
"""Characters of a name."""


def fullest(rooms: Iterable[Room], wish: m.Quick) -> Room | None:
    """The table of the wished kind where most wait, the one that begins first among equals; None: there is none.

    `rooms`: all that gather.
    """
    fitting = [room for room in rooms if room.seating.empty and _fits(room.options, wish)]
    return min(fitting, key=_rank, default=None)


def _rank(room: Room) -> tuple[int, float, str]:
    seating = room.seating
    assert seating.gathers_until is not None
    return -sum(chair.is_here for chair in seating.chairs), seating.gathers_until, room.key


def _fits(options: m.Options, wish: m.Quick) -> bool:
    return options_of(wish, options) == options


def options_of(wish: m.Quick, options: m.Options = DEFAULT_OPTIONS) -> m.Options:
    """These options, with what is wished for in their place."""
    return msgspec.structs.replace(
        options,
        seats=options.seats if wish.seats is None else wish.seats,
        format=wish.format or options.format,
        length=wish.length or options.length,
    )


class Names:
    """Of the tables that the server makes: with the lowest number of which the name is free."""

    def __init__(self, taken: Container[str]) -> None:
        """`taken`: the keys of names."""
        self._taken = taken
        self._more = count(1)
        self._back: list[int] = []
        """Numbers that have come back, a heap."""
        self._out: dict[str, int] = {}
        """The others below, each by the key of its name: given, or found to be taken."""

    def free(self) -> str:
        """One that nobody has, for a table that is made now."""
        while True:
            number = heappop(self._back) if self._back else next(self._more)
            name = f"{_NAME} {number}"
            key = name_key(name)
            self._out[key] = number
            if key not in self._taken:
                return name

    def give_back(self, key: str) -> None:
        """Nobody has the name of this key any more."""
        if (number := self._out.pop(key, None)) is not None:
            heappush(self._back, number)


def free_table_name(taken: Container[str], tournament: str, which: str) -> str:
    """Of a table `which` of a tournament; as much of its name as there is room for. `taken`: the keys of names."""
    ends = (which if turn == 1 else f"{which}-{turn}" for turn in count(1))
    names = (f"{tournament[: _MOST - 1 - len(end)].strip()} {end}" for end in ends)
    return next(name for name in names if name_key(name) not in taken)
