"""The records of finished matches as files.

Owns their names, that each is whole or not there, and that none is forgotten. Refuses to know what they say.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import trio

from kille_net.server.effects import Keep
from kille_net.server.logs import log
from kille_net.server.saving import Record

__all__ = ["Closed", "Records", "keep_record", "write_record"]

_AGAIN: Final = 60.0
"""Seconds until another try, when one could not be written."""


class Records:
    """Writes what `unwritten` has, which `written` then has no more."""

    def __init__(
        self,
        folder: Path,
        unwritten: Callable[[], Awaitable[list[Record]]],
        written: Callable[[Record], Awaitable[None]],
    ) -> None:
        self._folder = folder
        self._unwritten = unwritten
        self._written = written
        self._more = trio.Event()

    def note(self) -> None:
        """There is another."""
        self._more.set()

    async def run(self) -> None:
        """Do so for ever: first with what is left from before, then with what comes."""
        while True:
            self._more = trio.Event()
            has_failed = False
            while not has_failed and (records := await self._unwritten()):
                for record in records:
                    has_failed = not await keep_record(self._folder, record)
                    if has_failed:
                        break
                    await self._written(record)
            if has_failed:
                await trio.sleep(_AGAIN)
            else:
                await self._more.wait()


class Closed:
    """Records that may not be read yet, where no store has them."""

    def __init__(self) -> None:
        self._held: dict[str, Keep] = {}
        self._opened: set[str] = set()  # before they were over

    def hold(self, record: Keep) -> bool:
        """Whether it is held back, until it is opened."""
        if not record.is_closed or record.match_id in self._opened:
            self._opened.discard(record.match_id)
            return False
        self._held[record.match_id] = record
        return True

    def open(self, matches: Sequence[bytes]) -> Iterator[Keep]:
        """Those of these matches that were held back; of a match that is not over yet none will be."""
        for match in matches:
            record = self._held.pop(match.hex(), None)
            if record is None:
                self._opened.add(match.hex())
            else:
                yield record


async def keep_record(folder: Path, record: Record) -> bool:
    """Write it beside all else; whether that is done. What is in the way is logged."""
    try:
        await trio.to_thread.run_sync(write_record, folder, record)
    except OSError as error:
        log.error("record_not_written", match=record.match_id, why=error.strerror)
        return False
    return True


def write_record(folder: Path, record: Record) -> None:
    """Write it as a file of its own, whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{record.match_id}.jsonl"
    unfinished = path.with_suffix(".part")
    unfinished.write_text("".join(f"{line}\n" for line in record.lines), encoding="utf-8")
    unfinished.replace(path)
