"""The tournaments in a server's store, read while it may be in use.

Owns how rows become tournaments, and what of them may be shown: of a round of duplicates that is not over, who sits
where, and nothing else, since who has still to play would learn how the packs go. Refuses to change any.
"""

import sqlite3
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from kille_net.server.reader import Reader
from kille_net.server.schema import blaming
from kille_net.server.tournament.saved import RoundSaved, TableSaved, TournamentSaved, TournamentState
from kille_net.server.tournament.scoring import OVER, RESULT
from kille_net.wire.messages import TableStatus, TournamentStage
from kille_net.wire.text import name_key

__all__ = ["Archive", "going_on"]

_ENDED: Final = frozenset({TournamentStage.OVER, TournamentStage.CANCELLED})
_DIGITS: Final = 18
"""Of a number that SQLite takes for one, whatever they are."""
_LATEST: Final = 250_000_000_000.0
"""Seconds since 1970, before the year 9892, so that every clock can show it."""


class Archive(Reader):
    def last(self, most: int) -> list[TournamentSaved]:
        """The tournaments that were made last, the last one first."""
        return self._shown("SELECT id, state FROM tournament ORDER BY id DESC LIMIT ?", most)

    def find(self, wanted: str) -> TournamentSaved | None:
        """The one of that number, or else the last one of that name."""
        sql = "SELECT id, state FROM tournament WHERE"
        found: list[TournamentSaved] = []
        if wanted.isascii() and wanted.isdecimal() and len(wanted) <= _DIGITS:
            found = self._shown(f"{sql} id = ?", int(wanted))
        found = found or self._shown(f"{sql} key = ? ORDER BY id DESC LIMIT 1", name_key(wanted))
        return found[0] if found else None

    def _shown(self, sql: str, value: int | str) -> list[TournamentSaved]:
        with blaming(self._path), self._understanding():
            self._db.execute("BEGIN")  # all as it is at one moment
            try:
                found = [_tournament(self._db, *row) for row in self._db.execute(sql, (value,)).fetchall()]
            finally:
                self._db.execute("ROLLBACK")
            for one in found:
                _check(one)
        return [_open_to_all(one) for one in found]


def going_on(db: sqlite3.Connection) -> Iterator[TournamentSaved]:
    """Those that are neither over nor cancelled, by id. Raises msgspec.MsgspecError of a row that makes no sense."""
    sql = "SELECT id, state FROM tournament WHERE stage NOT IN ('over', 'cancelled') ORDER BY id"
    for row in db.execute(sql).fetchall():
        yield _tournament(db, *row)


def _tournament(db: sqlite3.Connection, number: int, state: Any) -> TournamentSaved:  # noqa: ANN401 -- as SQLite has it
    rounds = db.execute("SELECT state FROM round WHERE tournament = ? ORDER BY number", (number,))
    tables = db.execute("SELECT state FROM sitting WHERE tournament = ? ORDER BY n", (number,))
    return TournamentSaved(
        id=number,
        state=msgspec.json.decode(state, type=TournamentState),
        rounds=tuple(msgspec.json.decode(one, type=RoundSaved) for (one,) in rounds),
        tables=tuple(msgspec.json.decode(one, type=TableSaved) for (one,) in tables),
    )


def _check(saved: TournamentSaved) -> None:
    """Raise ValueError where parts do not belong together."""
    known = {entry.number for entry in saved.state.entries}
    named = [one.byes for one in saved.rounds] + [table.seats for table in saved.tables]
    if not known.issuperset(number for numbers in named for number in numbers):
        raise ValueError("nobody has that number")
    for table in saved.tables:
        results = {len(table.seats)} if table.status in RESULT else {0, len(table.seats)}
        if len(table.results) not in results:
            raise ValueError("results of other seats")
    moments = (saved.state.starts, saved.state.began, saved.state.ended)
    if not all(moment is None or 0 <= moment <= _LATEST for moment in moments):
        raise ValueError("no time that a clock shows")


def _closed(saved: TournamentSaved) -> set[int]:
    """The rounds of which only who sits where may be told."""
    if not saved.state.plan.duplicate or saved.state.stage in _ENDED:
        return set()
    return {table.round for table in saved.tables} - {one.number for one in saved.rounds if one.is_over}


def _open_to_all(saved: TournamentSaved) -> TournamentSaved:
    closed = _closed(saved)
    replaced = msgspec.structs.replace
    return replaced(
        saved,
        rounds=tuple(one if one.is_over else replaced(one, seed="") for one in saved.rounds),
        tables=tuple(
            replaced(
                table,
                status=TableStatus.CALLED if table.status in OVER else table.status,
                match="",
                results=(),
            )
            if table.round in closed
            else table
            for table in saved.tables
        ),
    )
