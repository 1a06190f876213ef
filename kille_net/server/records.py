"""The records of finished matches as files.

Owns their names, and that each is whole or not there. Refuses to know what they say.
"""

from pathlib import Path

import trio

from kille_net.server.effects import Keep
from kille_net.server.logs import log

__all__ = ["keep_record", "write_record"]


async def keep_record(folder: Path, record: Keep) -> None:
    """Write it beside all else; what is in the way is logged."""
    try:
        await trio.to_thread.run_sync(write_record, folder, record)
    except OSError as error:
        log.error("record_not_written", match=record.match_id, why=error.strerror)


def write_record(folder: Path, record: Keep) -> None:
    """Write it as a file of its own, whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{record.match_id}.jsonl"
    unfinished = path.with_suffix(".part")
    unfinished.write_text("".join(f"{line}\n" for line in record.lines), encoding="utf-8")
    unfinished.replace(path)
