"""The one thread that a store lives on, beside trio.

Owns the thread, and how work gets there and back. Refuses to know what is kept.
"""

import sqlite3
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Final, Generic, Protocol, Self, TypeVar

import trio

from kille_net.server.journal import Keeping, NotKept
from kille_net.server.saving import Change, Record, Saved
from kille_net.server.store import Store

__all__ = ["Clerk", "Job", "Memory", "keep", "open_memory"]

T = TypeVar("T")
_PATIENCE: Final = 1.0
"""Seconds in which the last jobs may end when the server does."""


class Job(Generic[T]):
    """Something that the thread does, or has done."""

    def __init__(self, work: Callable[[], T]) -> None:
        self.done: Final = trio.Event()
        self._work = work
        self._result: T
        self._error: BaseException | None = None

    def do(self) -> None:
        try:
            self._result = self._work()
        except BaseException as error:  # whoever waits for it is told, whatever it was
            self._error = error

    def check(self) -> None:
        """Once it is done. Raises what the work raised."""
        if self._error is not None:
            raise self._error

    @property
    def result(self) -> T:
        """Once it is done. Raises what the work raised."""
        self.check()
        return self._result


class Clerk:
    """Does one job after the other, as long as the context."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Job[object] | None] = SimpleQueue()
        self._token = trio.lowlevel.current_trio_token()
        self._thread = threading.Thread(target=self._run, name="store", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Wait until what was begun is done, but not for ever: a commit that is cut off loses nothing."""
        self._jobs.put(None)
        self._thread.join(_PATIENCE)

    def begin(self, work: Callable[[], T]) -> Job[T]:
        """Have it done, after all that was begun before."""
        job = Job(work)
        self._jobs.put(job)  # type: ignore[arg-type]  # what comes of it is the caller's
        return job

    async def do(self, work: Callable[[], T]) -> T:
        """Have it done, and wait for it; when cancelled, it is done later, or never. Raises what the work raises."""
        job = self.begin(work)
        await job.done.wait()
        return job.result

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            job.do()
            try:
                self._token.run_sync_soon(job.done.set)
            except trio.RunFinishedError:
                return


@dataclass(frozen=True, slots=True)
class Memory:
    """What a server has of a store."""

    saved: Saved = field(repr=False)
    """At the start."""
    keep: Callable[[list[Change]], Keeping]
    backup: Callable[[Path], Awaitable[None]]
    """Raises OSError, and sqlite3.Error."""
    unrecorded: Callable[[], Awaitable[list[Record]]]
    """Some of the matches whose records are not in the folder for records."""


@asynccontextmanager
async def open_memory(folder: Path) -> AsyncIterator[Memory]:
    """The store of a data folder. Raises StoreFault, OSError and sqlite3.Error."""
    with Clerk() as clerk:
        store = await clerk.do(partial(Store, folder))
        try:
            yield Memory(
                saved=await clerk.do(store.load),
                keep=lambda changes: clerk.begin(partial(keep, store, changes)),
                backup=lambda path: clerk.do(partial(store.backup, path)),
                unrecorded=lambda: clerk.do(store.unrecorded),
            )
        finally:
            clerk.begin(store.close)


class Keeper(Protocol):
    """What of a store keeps changes."""

    def keep(self, changes: Sequence[Change]) -> None: ...


def keep(store: Keeper, changes: list[Change]) -> None:
    """Raises NotKept for what is the disk's fault; whatever else it raises is a bug in one of the changes."""
    try:
        store.keep(changes)
    except (sqlite3.IntegrityError, sqlite3.DataError, sqlite3.ProgrammingError, sqlite3.InternalError):
        raise  # not the disk's fault
    except sqlite3.Error as error:
        raise NotKept(str(error)) from error
