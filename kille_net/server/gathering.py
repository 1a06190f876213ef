"""Which table a player is seated at who wants to play soon, and what a new one is like.

Owns the choice, and the names of the tables that the server makes. Refuses to seat anybody.
"""

from collections.abc import Container, Iterable
from itertools import count
from typing import Final

import msgspec

from kille_net.server.room import Room
from kille_net.wire import messages as m
from kille_net.wire.options import DEFAULT_OPTIONS
from kille_net.wire.text import name_key

__all__ = ["free_name", "free_table_name", "fullest", "options_of"]

_NAME: Final = "Krogen"
"""The tavern; the tables of a server that makes them are numbered."""


_MOST: Final = 16
"""Characters of a name."""


def fullest(rooms: Iterable[Room], wish: m.Quick) -> Room | None:
    """The table of the wished kind where most wait, the one that begins first among equals; None: there is none."""
    fitting = [room for room in rooms if room.seating.gathers and room.seating.empty and _fits(room.options, wish)]
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


def free_name(taken: Container[str]) -> str:
    """`taken`: the keys of names."""
    names = (f"{_NAME} {number}" for number in count(1))
    return next(name for name in names if name_key(name) not in taken)


def free_table_name(taken: Container[str], tournament: str, which: str) -> str:
    """Of a table `which` of a tournament; as much of its name as there is room for. `taken`: the keys of names."""
    ends = (which if turn == 1 else f"{which}-{turn}" for turn in count(1))
    names = (f"{tournament[: _MOST - 1 - len(end)].strip()} {end}" for end in ends)
    return next(name for name in names if name_key(name) not in taken)
