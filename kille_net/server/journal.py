"""Holds back what is told until what it follows from is kept.

Owns the one order in which changes are kept and steps are told, and what happens while nothing can be kept. Refuses
to know what the changes are, and how they are kept.
"""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, Protocol

import trio
from msgspec import Struct

from kille_net.server.saving import Change

__all__ = ["Journal", "Keeping", "NotKept"]

_AGAIN: Final = 1.0
"""Seconds until another try, when keeping failed."""
_PATIENCE: Final = 1.0
"""Seconds that keeping may take before all clocks are stopped for it."""
_TURNS: Final = 3
"""Of the loop, in which a server that was busy for as long hears that the disk has been done meanwhile."""
_TOGETHER: Final = 256
"""Steps that are kept at once, at most."""


class NotKept(Exception):
    """Nothing of it was kept, for a reason that may pass: a full disk, a lock; its text says which."""


class House(Protocol):
    """What a journal needs of the server; nothing of it waits."""

    def stick(self, why: str) -> None:
        """Nothing can be kept from now on: all clocks stand still, and no command is taken."""
        ...

    def unstick(self) -> None:
        """All goes on."""
        ...

    def committed(self, seconds: float) -> None:
        """A commit took so long."""
        ...


class Keeping(Protocol):
    """A number of changes that are being kept."""

    @property
    def done(self) -> trio.Event: ...

    def check(self) -> None:
        """Once it is done. Raises NotKept; whatever else it raises is a bug in one of the changes."""
        ...


class _Held(Struct, frozen=True, gc=False):
    """A step of the lobby."""

    changes: Sequence[Change]
    tell: Callable[[], None]
    spoil: Callable[[Exception], None]


class Journal:
    """Steps are told in the order in which they are added, each after its changes are kept; whatever waits meanwhile is
    kept together."""

    def __init__(self, keep: Callable[[list[Change]], Keeping], house: House) -> None:
        """`keep` begins to keep all or nothing."""
        self._keep = keep
        self._house = house
        self._held: deque[_Held] = deque()
        self._more = trio.Event()
        self._is_stuck = False

    @property
    def is_idle(self) -> bool:
        """Whether a step without changes can be told at once."""
        return not self._held

    def add(self, changes: Sequence[Change], tell: Callable[[], None], spoil: Callable[[Exception], None]) -> None:
        """Let the step be told when all before it is, and its changes are kept; or spoil it, if they never can be."""
        self._held.append(_Held(changes, tell, spoil))
        self._more.set()

    async def flush(self) -> None:
        """Wait until all that was added before is kept and told."""
        if self._held:
            told = trio.Event()
            self.add((), told.set, lambda _: told.set())
            await told.wait()

    async def run(self) -> None:
        """Do so for ever."""
        together = _TOGETHER
        while True:
            if not self._held:
                self._more = trio.Event()
                await self._more.wait()
            steps = [self._held[n] for n in range(min(together, len(self._held)))]
            try:
                await self._patiently([change for step in steps for change in step.changes])
            except NotKept as error:
                self._stick(str(error))
                await trio.sleep(_AGAIN)
                continue
            except Exception as error:  # a bug: one step of these can never be kept, while the disk does its work
                self._unstick()
                if len(steps) > 1:
                    together = 1
                    continue
                self._held.popleft()
                steps[0].spoil(error)
                continue
            self._unstick()
            together = _TOGETHER
            for step in steps:
                self._held.popleft()
                step.tell()

    async def _patiently(self, changes: list[Change]) -> None:
        if not changes:
            return
        began = trio.current_time()
        keeping = self._keep(changes)
        with trio.move_on_after(_PATIENCE):
            await keeping.done.wait()
        for _ in range(_TURNS):
            if keeping.done.is_set():
                break
            await trio.lowlevel.checkpoint()
        else:
            self._stick("the disk is slow")
            await keeping.done.wait()
        keeping.check()
        self._house.committed(trio.current_time() - began)

    def _stick(self, why: str) -> None:
        if not self._is_stuck:
            self._is_stuck = True
            self._house.stick(why)

    def _unstick(self) -> None:
        if self._is_stuck:
            self._is_stuck = False
            self._house.unstick()
