"""How long a disk takes until something is on it, as a server's store asks for it.

Owns that measurement. Refuses to know what is kept (`server.store`).
"""

import sqlite3
from contextlib import closing
from pathlib import Path
from time import perf_counter
from typing import Final

from kille_net.bench.plan import Spread, spread

__all__ = ["commit_times"]

_ROW: Final = bytes(400)
"""About what an action keeps."""


def commit_times(folder: Path, seconds: float) -> Spread:
    """Of small transactions, one after the other, in a file of that folder, which stays there.

    With the settings of `server.store`. Raises OSError and sqlite3.Error.
    """
    took: list[float] = []
    with closing(sqlite3.connect(folder / "commits.sqlite3", isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("CREATE TABLE kept (n INTEGER PRIMARY KEY, row BLOB)")
        end = perf_counter() + seconds
        while (began := perf_counter()) < end or not took:
            db.execute("INSERT INTO kept (row) VALUES (?)", (_ROW,))
            took.append(perf_counter() - began)
    return spread(took)
