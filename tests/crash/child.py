"""`kille` with a place in it where the process kills itself: `python -m tests.crash.child PLACE TIMES arguments`.

At the so-manieth time that the place is come to, the process gets signal 9: no handler runs and nothing is flushed.
"""

import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from kille_net.cli import main
from kille_net.server import journal, saving, store
from kille_net.server.carrier import Carrier
from kille_net.server.serve import Server
from kille_net.server.session import Session
from kille_net.server.store import Store

__all__ = ["PLACES"]


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


def _of_class(owner: type, name: str, wrap: _Wrap) -> Callable[[Fuse], None]:
    return lambda fuse: setattr(owner, name, wrap(getattr(owner, name), fuse))


def _of_change(kind: type, wrap: _Wrap) -> Callable[[Fuse], None]:
    def lay(fuse: Fuse) -> None:
        store._KEEP = {**store._KEEP, kind: wrap(store._KEEP[kind], fuse)}  # type: ignore[misc, dict-item]  # laid once, at the start

    return lay


_CHANGES: Final = (
    saving.PlayerKept,
    saving.Answered,
    saving.RoomKept,
    saving.RoomAt,
    saving.SecretDrawn,
    saving.MatchBegun,
    saving.Moved,
    saving.LineKept,
)

PLACES: Final[dict[str, Callable[[Fuse], None]]] = {
    **{f"before {kind.__name__} is written": _of_change(kind, _before) for kind in _CHANGES},
    **{f"after {kind.__name__} is written": _of_change(kind, _after) for kind in _CHANGES},
    "before a commit is begun": _of_class(Store, "keep", _before),
    "after a commit, before anybody knows": _of_class(Store, "keep", _after),
    "before a step is held": _of_class(journal.Journal, "add", _before),
    "when a step is held": _of_class(journal.Journal, "add", _after),
    "before a step is told": _of_class(Carrier, "_do", _before),
    "after a step is told": _of_class(Carrier, "_do", _after),
    "before a session is told": _of_class(Session, "send", _before),
    "after a session is told": _of_class(Session, "send", _after),
    "before a welcome": _of_class(Session, "greet", _before),
    "after a welcome": _of_class(Session, "greet", _after),
    "when a line is lost": _of_class(Server, "lose", _before),
    "after a line was lost": _of_class(Server, "lose", _after),
}


def run(arguments: Sequence[str]) -> None:
    place, times, *rest = arguments
    PLACES[place](Fuse(int(times)))
    main(rest)


if __name__ == "__main__":
    run(sys.argv[1:])
