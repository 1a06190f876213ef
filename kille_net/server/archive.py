"""The tournaments in a server's store, as rows say them.

Owns how rows become tournaments. Refuses to change any, and to know how they stand.
"""

import sqlite3
from collections.abc import Iterator
from typing import Any

import msgspec

from kille_net.server.tournament.saved import RoundSaved, TableSaved, TournamentSaved, TournamentState

__all__ = ["going_on"]


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
