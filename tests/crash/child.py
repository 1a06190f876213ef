"""`kille` with a place in it where the process kills itself: `python -m tests.crash.child PLACE TIMES arguments`.

At the so-manieth time that the place is come to, the process gets signal 9: no handler runs and nothing is flushed.
"""

import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, TypeAlias

from kille_net.cli import main
from kille_net.server import journal, records, saving, store
from kille_net.server.carrier import Carrier
from kille_net.server.lobby import Lobby
from kille_net.server.serve import Server
from kille_net.server.session import Session
from kille_net.server.store import Store

__all__ = ["PLACES", "Place", "When"]


class Fuse:
    def __init__(self, times: int) -> None:
        self.left = times

    def burn(self) -> None:
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


_Function: TypeAlias = Callable[..., object]
_Wrap: TypeAlias = Callable[[_Function, Fuse], _Function]


def _before(inner: _Function, fuse: Fuse) -> _Function:
    def wrapped(*args: object, **kwargs: object) -> object:
        fuse.burn()
        return inner(*args, **kwargs)

    return wrapped


def _after(inner: _Function, fuse: Fuse) -> _Function:
    def wrapped(*args: object, **kwargs: object) -> object:
        result = inner(*args, **kwargs)
        fuse.burn()
        return result

    return wrapped


def _of(owner: Any, name: str, wrap: _Wrap) -> Callable[[Fuse], None]:  # noqa: ANN401  likewise
    return lambda fuse: setattr(owner, name, wrap(getattr(owner, name), fuse))


def _of_change(kind: type, wrap: _Wrap) -> Callable[[Fuse], None]:
    def lay(fuse: Fuse) -> None:
        table = "_TOGETHER" if kind in store._TOGETHER else "_KEEP"
        keepers = getattr(store, table)
        setattr(store, table, {**keepers, kind: wrap(keepers[kind], fuse)})

    return lay


class When(Enum):
    """What goes on when the place is come to."""

    PLAYING = "from the making of a table on"
    LEAVING = "lines are cut meanwhile"
    COPYING = "copies are made meanwhile"
    COMING_BACK = "it starts again, with a table that played"
    ENDING = "a match ends, whose record is kept"


@dataclass(frozen=True, slots=True)
class Place:
    lay: Callable[[Fuse], None]
    most: int = 1
    """So often at least it is come to, for certain."""
    when: When = When.PLAYING


_OFTEN: Final = 6
_CHANGES: Final = {
    saving.PlayerKept: (3, When.PLAYING),
    saving.Answered: (_OFTEN, When.PLAYING),
    saving.RoomKept: (3, When.PLAYING),
    saving.RoomAt: (_OFTEN, When.PLAYING),
    saving.SecretDrawn: (1, When.PLAYING),
    saving.MatchBegun: (1, When.PLAYING),
    saving.Moved: (_OFTEN, When.PLAYING),
    saving.LineKept: (3, When.PLAYING),
    saving.MatchOver: (1, When.ENDING),
    saving.RecordWritten: (1, When.ENDING),
}


def _around(
    owner: Any,  # noqa: ANN401  a class or a module
    name: str,
    places: tuple[str, str],
    most: int = 1,
    when: When = When.PLAYING,
) -> dict[str, Place]:
    before, after = places
    return {before: Place(_of(owner, name, _before), most, when), after: Place(_of(owner, name, _after), most, when)}


PLACES: Final[dict[str, Place]] = {
    **{
        f"{where} {kind.__name__} is written": Place(_of_change(kind, wrap), most, when)
        for kind, (most, when) in _CHANGES.items()
        for where, wrap in (("before", _before), ("after", _after))
    },
    **_around(Store, "keep", ("before a commit is begun", "after a commit, before anybody knows"), _OFTEN),
    **_around(journal.Journal, "add", ("before a step is held", "when a step is held"), _OFTEN),
    **_around(Carrier, "_do", ("before a step is told", "after a step is told"), _OFTEN),
    **_around(Session, "send", ("before a session is told", "after a session is told"), _OFTEN),
    **_around(Session, "greet", ("before a welcome", "after a welcome"), 3),
    **_around(Server, "lose", ("when a line is lost", "after a line was lost"), 3, When.LEAVING),
    **_around(Store, "backup", ("before a copy is made", "after a copy was made"), 1, When.COPYING),
    **_around(Store, "load", ("before all is read again", "after all was read again"), 1, When.COMING_BACK),
    **_around(
        Lobby, "restore", ("before the rooms are restored", "after the rooms were restored"), 1, When.COMING_BACK
    ),
    **_around(records, "write_record", ("before a record is a file", "after a record is a file"), 1, When.ENDING),
}


def run(arguments: Sequence[str]) -> None:
    place, times, *rest = arguments
    PLACES[place].lay(Fuse(int(times)))
    main(rest)


if __name__ == "__main__":
    run(sys.argv[1:])
