"""A server's store, read while it may be in use.

Owns the opening for those who only read, and that every fault of the file is told as one. Refuses to know what is read.
"""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import msgspec

from kille_net.game.record import RecordError
from kille_net.server.schema import FILE, BadStore, StoreFault, blaming, open_read_only

__all__ = ["Reader"]


class Reader:
    """Open from the making to the end of the context."""

    def __init__(self, folder: Path) -> None:
        """Raises FileNotFoundError, StoreFault and sqlite3.Error; the last two come from every method, too."""
        self._db = open_read_only(folder)
        self._path = folder / FILE

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def _rows(self, sql: str, values: Any = ()) -> list[Any]:  # noqa: ANN401 -- as SQLite has them
        with blaming(self._path):
            return self._db.execute(sql, values).fetchall()

    @contextmanager
    def _understanding(self) -> Iterator[None]:
        """Make a StoreFault of a row that makes no sense."""
        try:
            yield
        except (ValueError, TypeError, KeyError, RecordError, zlib.error, msgspec.MsgspecError) as error:
            raise StoreFault(BadStore.BROKEN, self._path) from error
