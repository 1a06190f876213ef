"""The real store in a simulation: on the loop's thread, slow or full when the seed says so, and cut off at any moment.

Owns when changes are kept and when that is told, between which the server may be killed. What is kept is the store's.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import trio

from kille_net.server.clerk import Memory
from kille_net.server.journal import NotKept
from kille_net.server.saving import Change, Record
from kille_net.server.store import Store

__all__ = ["Disk"]

HANGS: Final = 0.2
"""Seconds in which a server that is killed does nothing more."""


class Writing:
    """Changes that are being kept (`kille_net.server.journal.Keeping`)."""

    def __init__(self) -> None:
        self.done = trio.Event()
        self.error: Exception | None = None

    def check(self) -> None:
        if self.error is not None:
            raise self.error


class Disk:
    """Outlives the servers that use it, one after the other."""

    def __init__(self, folder: Path, pause: Callable[[], float]) -> None:
        """`pause`: seconds, drawn twice for each writing: before anything is kept, and before that is told."""
        self.is_full = False
        self.slowness = 0.0
        """Seconds more."""
        self.cut: tuple[bool, Callable[[], None]] | None = None
        """What to do at the next writing: after it is kept and before that is told (or else before it), once."""
        self._folder = folder
        self._pause = pause
        self._store: Store | None = None
        self._nursery: trio.Nursery

    def open(self, nursery: trio.Nursery) -> Memory:
        """For a server whose life is that of the nursery: what is not written when it ends never will be."""
        self.close()
        self._nursery = nursery
        self._store = Store(self._folder, now=trio.current_time)
        self._store._db.execute("PRAGMA synchronous = OFF")  # nobody cuts the power here
        return Memory(self._store.load(), keep=self.keep, backup=self._backup, unrecorded=self._unrecorded)

    async def _unrecorded(self) -> list[Record]:
        raise AssertionError("there is no folder for records")

    def close(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

    def keep(self, changes: list[Change]) -> Writing:
        writing = Writing()
        self._nursery.start_soon(self._write, writing, changes)
        return writing

    async def _write(self, writing: Writing, changes: list[Change]) -> None:
        await trio.sleep(self._pause() + self.slowness)
        assert self._store is not None
        await self._may_cut(is_kept=False)
        if self.is_full:
            writing.error = NotKept("database or disk is full")
        else:
            try:
                self._store.keep(changes)
            except Exception as error:  # the journal is told
                writing.error = error
            await self._may_cut(is_kept=True)
            await trio.sleep(self._pause())
        writing.done.set()

    async def _may_cut(self, *, is_kept: bool) -> None:
        if self.cut is not None and self.cut[0] == is_kept:
            (_, kill), self.cut = self.cut, None
            await trio.sleep(HANGS)  # long enough for whatever was told too early to come out somewhere
            kill()
            await trio.sleep_forever()

    async def _backup(self, path: Path) -> None:
        raise NotImplementedError
