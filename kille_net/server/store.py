"""The server's memory over restarts: who is known, what is played and how it ended, as rows of one file (`schema`).

Owns how changes become rows, and rows what was. Used from one thread, by one server at a time. Refuses to know what
the changes mean, and when they may be told.
"""

import json
import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import msgspec

from kille_net.game.actions import Action
from kille_net.game.events import HandBegan
from kille_net.game.reading import parse_line
from kille_net.game.record import By, HandLine, MatchLine, Played, PotLine, RecordError, to_json
from kille_net.server import saving
from kille_net.server.answers import KEPT
from kille_net.server.archive import going_on
from kille_net.server.bans import BanList
from kille_net.server.saving import (
    MatchSaved,
    PackDealt,
    PlayerKept,
    PlayerSaved,
    Record,
    RoomSaved,
    RoomState,
    Saved,
    Step,
)
from kille_net.server.schema import FILE, BadStore, StoreFault, copy_to, open_file
from kille_net.systems import take_lock
from kille_net.wire.messages import RefusalCode
from kille_net.wire.text import name_key

__all__ = ["Store", "record_of"]

_SOME: Final = 20
"""Records that are taken out at once."""
_LOCK: Final = "kille.lock"
_MATCH: Final = "(SELECT n FROM match WHERE id = ?)"


class Store:
    """Open from the making until `close`. What SQLite raises comes through (sqlite3.Error)."""

    def __init__(self, folder: Path, *, now: Callable[[], float] = time.time) -> None:
        """Raises StoreFault, OSError and sqlite3.Error, and then nothing is open.

        `now`: seconds since 1970.
        """
        self._now = now
        self._answers: dict[int, int] = {}
        """Of players, how many answers were kept since those before the last were forgotten."""
        self._path = folder / FILE
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock: int | None = _lock(folder / _LOCK)
        if self._lock is None:
            raise StoreFault(BadStore.IN_USE, self._path)
        try:
            self._db = open_file(self._path)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        db: sqlite3.Connection | None = getattr(self, "_db", None)
        if db is not None:
            db.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def backup(self, path: Path) -> None:
        """A copy of all, as it is now, in a new file, whole or not at all. Raises OSError, FileExistsError too."""
        copy_to(self._db, path)

    # --- keeping --------------------------------------------------------------------------------------------------

    def keep(self, changes: Sequence[saving.Change]) -> None:
        """Keep them all, so that a crash of the machine loses none, or keep none and raise."""
        db = self._db
        db.execute("BEGIN IMMEDIATE")
        try:
            together: dict[type, list[saving.Change]] = {}
            for change in changes:
                kind = type(change)
                if kind in _TOGETHER:
                    together.setdefault(kind, []).append(change)
                else:
                    self._keep_together(together)
                    _KEEP[kind](self, change)
            self._keep_together(together)
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:  # a full disk may have ended it already
                with suppress(sqlite3.Error):
                    db.execute("ROLLBACK")
            raise

    def _keep_together(self, changes: dict[type, list[saving.Change]]) -> None:
        """What follows from moves has tables of its own, so that only the order within one kind matters."""
        for kind, some in changes.items():
            _TOGETHER[kind](self, some)
        changes.clear()

    def _each(self, sql: str, rows: Collection[Sequence[Any]]) -> None:
        if rows:
            self._db.executemany(sql, rows)

    def _player_kept(self, change: PlayerKept) -> None:
        self._db.execute(
            "INSERT INTO player (id, name, is_bot, digests, is_here, seen) VALUES (?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (id)"
            " DO UPDATE SET digests = excluded.digests, is_here = excluded.is_here, seen = excluded.seen",
            (change.id, change.name, change.is_bot, b"".join(change.digests), change.is_here, self._now()),
        )

    def _player_forgotten(self, change: saving.PlayerForgotten) -> None:
        self._db.execute("DELETE FROM player WHERE id = ?", (change.id,))
        self._db.execute("DELETE FROM answer WHERE player = ?", (change.id,))
        self._answers.pop(change.id, None)

    def _answered(self, changes: Sequence[saving.Answered]) -> None:
        self._each(
            "INSERT OR REPLACE INTO answer VALUES (?, ?, ?)",
            [(one.player, one.id, None if one.code is None else one.code.value) for one in changes],
        )
        many: list[tuple[int, int]] = []
        for one in changes:
            number = self._answers[one.player] = self._answers.get(one.player, KEPT) + 1
            if number > KEPT:
                self._answers[one.player] = 0
                many.append((one.player, KEPT))
        self._each(
            "DELETE FROM answer WHERE player = ?1 AND id <="
            " (SELECT id FROM answer WHERE player = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
            many,
        )

    def _room_kept(self, change: saving.RoomKept) -> None:
        self._db.execute(
            "INSERT INTO room (key, state) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET state = excluded.state",
            (change.key, msgspec.json.encode(change.state)),
        )

    def _room_at(self, changes: Sequence[saving.RoomAt]) -> None:
        last = {change.key: (change.seq, change.turn, change.key) for change in changes}
        self._each("UPDATE room SET seq = ?, turn = ? WHERE key = ?", last.values())

    def _room_ended(self, change: saving.RoomEnded) -> None:
        self._forget_steps(change.key)
        broken = self._db.execute(  # its last one: those before are over, and may be many
            "SELECT id FROM match WHERE n = (SELECT match FROM room WHERE key = ?) AND ended IS NULL", (change.key,)
        ).fetchall()
        self._db.execute("DELETE FROM room WHERE key = ?", (change.key,))
        for (match,) in broken:
            self._match_over(saving.MatchOver(match, "the room failed", ()))

    def _secret_drawn(self, change: saving.SecretDrawn) -> None:
        self._db.execute("INSERT INTO drawn VALUES (?, ?)", (change.match, change.secret))

    def _match_begun(self, change: saving.MatchBegun) -> None:
        header, kind = to_json(change.header), change.header.rules.format.value
        self._forget_steps(change.room)
        self._db.execute("DELETE FROM drawn WHERE match = ?", (change.header.id,))
        named = (change.room, change.room_name, kind)
        values = (change.header.id, *named, self._now(), header, change.secret, change.is_closed)
        sql = (
            "INSERT INTO match (id, room, room_name, format, began, header, secret, closed)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
        )
        number = self._db.execute(sql, values).lastrowid
        self._db.executemany(
            "INSERT INTO seat (match, seat, name, key, player, is_bot, level)"
            " VALUES (?1, ?2, ?3, ?4, ?5, coalesce((SELECT is_bot FROM player WHERE id = ?5), 0), ?6)",
            [
                (number, seat, label.name, name_key(label.name), player, label.bot or "")
                for seat, (label, player) in enumerate(zip(change.header.seats, change.players, strict=True))
            ],
        )
        self._db.execute("INSERT INTO line VALUES (?, 0, ?)", (number, header))
        self._db.execute("UPDATE room SET match = ? WHERE key = ?", (number, change.room))
        playing = [(player,) for player in change.players if player is not None]
        self._db.executemany("UPDATE player SET has_played = 1 WHERE id = ?", playing)

    def _matches_opened(self, change: saving.MatchesOpened) -> None:
        self._db.executemany("UPDATE match SET closed = 0 WHERE id = ?", [(match,) for match in change.matches])

    def _moved(self, changes: Sequence[saving.Moved]) -> None:
        self._each(
            f"INSERT INTO step VALUES ({_MATCH}, ?, ?, ?, ?, ?)",
            [(change.match, change.n, *_row_of(change.step)) for change in changes],
        )

    def _lines_kept(self, changes: Sequence[saving.LineKept]) -> None:
        self._each(
            f"INSERT INTO line VALUES ({_MATCH}, ?, ?)",
            [(change.match, change.n, to_json(change.line)) for change in changes],
        )
        self._each(
            "UPDATE match SET hands = hands + 1 WHERE id = ?",
            [(one.match,) for one in changes if isinstance(one.line, HandLine) and one.line.outcome is not None],
        )
        self._each(
            f"UPDATE seat SET points = ? WHERE match = {_MATCH} AND seat = ?",
            [
                (points, change.match, seat)
                for change in changes
                if isinstance(change.line, PotLine)
                for seat, points in enumerate(change.line.points)
            ],
        )

    def _match_over(self, change: saving.MatchOver) -> None:
        (number,) = self._db.execute("SELECT n FROM match WHERE id = ?", (change.match,)).fetchone()
        lines = self._db.execute("SELECT text FROM line WHERE match = ? ORDER BY n", (number,)).fetchall()
        self._db.execute("DELETE FROM line WHERE match = ?", (number,))
        record = zlib.compress("".join(f"{text}\n" for (text,) in lines).encode())
        self._db.execute(
            "UPDATE match SET ended = ?, reason = ?, record = ? WHERE n = ?",
            (self._now(), change.reason, record, number),
        )
        self._db.executemany(
            "UPDATE seat SET points = ?, place = ? WHERE match = ? AND seat = ?",
            [(r.points, r.place, number, r.seat) for r in change.results],
        )

    def _record_written(self, change: saving.RecordWritten) -> None:
        self._db.execute("UPDATE match SET recorded = 1 WHERE id = ?", (change.match,))

    def _tournament_kept(self, change: saving.TournamentKept) -> None:
        state = change.state
        self._db.execute(
            "INSERT INTO tournament (id, name, key, stage, state) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET stage = excluded.stage, state = excluded.state",
            (change.id, state.name, name_key(state.name), state.stage.value, msgspec.json.encode(state)),
        )

    def _round_kept(self, change: saving.RoundKept) -> None:
        self._db.execute(
            "INSERT INTO round (tournament, number, state) VALUES (?, ?, ?)"
            " ON CONFLICT (tournament, number) DO UPDATE SET state = excluded.state",
            (change.tournament, change.round.number, msgspec.json.encode(change.round)),
        )

    def _table_kept(self, change: saving.TableKept) -> None:
        table = change.table
        self._db.execute(
            "INSERT INTO sitting (tournament, round, number, state) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (tournament, round, number) DO UPDATE SET state = excluded.state",
            (change.tournament, table.round, table.number, msgspec.json.encode(table)),
        )

    def _banned(self, change: saving.Banned) -> None:
        self._db.execute("INSERT OR IGNORE INTO ban VALUES (?)", (change.what,))

    def _unbanned(self, change: saving.Unbanned) -> None:
        self._db.execute("DELETE FROM ban WHERE what = ?", (change.what,))

    def _forget_steps(self, room: str) -> None:
        self._db.execute("DELETE FROM step WHERE match = (SELECT match FROM room WHERE key = ?)", (room,))

    # --- records --------------------------------------------------------------------------------------------------

    def unrecorded(self) -> list[Record]:
        """Some of the matches that may be read and whose records are not in the folder for records, the first first."""
        sql = "SELECT id, record FROM match WHERE record IS NOT NULL AND NOT recorded AND NOT closed ORDER BY n LIMIT ?"
        return [
            Record(match.hex(), tuple(record_of(record).splitlines()))
            for match, record in self._db.execute(sql, (_SOME,)).fetchall()
        ]

    # --- at a start -----------------------------------------------------------------------------------------------

    def load(self) -> Saved:
        """All that is needed to go on. Raises StoreFault where a row makes no sense."""
        self._db.execute("DELETE FROM drawn")  # a start that was interrupted is void
        try:
            rooms = tuple(self._rooms())
            players = tuple(self._players())
            tournaments = tuple(going_on(self._db))
            bans = BanList(what for (what,) in self._db.execute("SELECT what FROM ban ORDER BY what")).bans
        except (ValueError, TypeError, KeyError, RecordError, msgspec.MsgspecError) as error:
            raise StoreFault(BadStore.BROKEN, self._path) from error
        return Saved(
            players=players,
            rooms=rooms,
            last_player=self._last("player"),
            bans=bans,
            tournaments=tournaments,
            last_tournament=self._last("tournament"),
        )

    def _last(self, table: str) -> int:
        """The highest id that any row of it ever had."""
        found = self._db.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
        return 0 if found is None else int(found[0])

    def _players(self) -> Iterator[PlayerSaved]:
        now = self._now()
        rows = self._db.execute("SELECT * FROM player ORDER BY is_here, seen").fetchall()
        for number, name, is_bot, has_played, digests, is_here, seen in rows:
            kept = tuple(digests[start : start + 32] for start in range(0, len(digests), 32))
            sql = "SELECT id, code FROM answer WHERE player = ? ORDER BY id DESC LIMIT ?"
            answers = [
                saving.Answered(number, command, None if code is None else RefusalCode(code))
                for command, code in self._db.execute(sql, (number, KEPT))
            ]
            yield PlayerSaved(
                kept=PlayerKept(id=number, name=name, is_bot=bool(is_bot), is_here=bool(is_here), digests=kept),
                has_played=bool(has_played),
                away=0.0 if is_here else max(0.0, now - seen),
                answers=tuple(reversed(answers)),
            )

    def _rooms(self) -> Iterator[RoomSaved]:
        for key, state, seq, turn, match in self._db.execute("SELECT * FROM room ORDER BY key").fetchall():
            yield RoomSaved(
                key=key,
                state=msgspec.json.decode(state, type=RoomState),
                seq=seq,
                turn=turn,
                match=None if match is None else self._match(match),
            )

    def _match(self, number: int) -> MatchSaved:
        sql = "SELECT header, secret, ended FROM match WHERE n = ?"
        header, secret, ended = self._db.execute(sql, (number,)).fetchone()
        match_line = parse_line(header)
        if not isinstance(match_line, MatchLine):
            raise ValueError("no match line")
        steps = self._db.execute("SELECT seat, do, t, by FROM step WHERE match = ? ORDER BY n", (number,))
        lines = self._db.execute("SELECT text FROM line WHERE match = ? AND n > 0 ORDER BY n", (number,))
        return MatchSaved(
            header=match_line,
            secret=secret,
            steps=tuple(_step_of(*row) for row in steps),
            lines=tuple(parse_line(text) for (text,) in lines),
            is_over=ended is not None,
        )


_KEEP: Final[Mapping[type, Callable[[Store, Any], None]]] = MappingProxyType(
    {
        saving.PlayerKept: Store._player_kept,
        saving.PlayerForgotten: Store._player_forgotten,
        saving.RoomKept: Store._room_kept,
        saving.RoomEnded: Store._room_ended,
        saving.SecretDrawn: Store._secret_drawn,
        saving.MatchBegun: Store._match_begun,
        saving.MatchesOpened: Store._matches_opened,
        saving.MatchOver: Store._match_over,
        saving.RecordWritten: Store._record_written,
        saving.TournamentKept: Store._tournament_kept,
        saving.RoundKept: Store._round_kept,
        saving.TableKept: Store._table_kept,
        saving.Banned: Store._banned,
        saving.Unbanned: Store._unbanned,
    }
)
"""One change at a time…"""
_TOGETHER: Final[Mapping[type, Callable[[Store, Any], None]]] = MappingProxyType(
    {
        saving.Moved: Store._moved,
        saving.LineKept: Store._lines_kept,
        saving.RoomAt: Store._room_at,
        saving.Answered: Store._answered,
    }
)
"""…and all of one kind, which every move brings."""


def record_of(row: bytes) -> str:
    """The lines of a record, from the column of that name."""
    return zlib.decompress(row).decode()


def _row_of(step: Step) -> tuple[int | None, str, float | None, str | None]:
    if isinstance(step, Played):
        return step.seat, step.action.code, step.t, None if step.by is None else step.by.value
    began = step.began
    told = "" if began is None else json.dumps([began.number, began.pot, began.dealer, began.lives, began.points])
    return None, told, None, None


def _step_of(seat: int | None, do: str, t: float | None, by: str | None) -> Step:
    if seat is not None:
        return Played(seat, Action[do.upper()], t, None if by is None else By(by))
    if not do:
        return PackDealt()
    number, pot, dealer, lives, points = json.loads(do)
    return PackDealt(HandBegan(number, pot, dealer, tuple(lives), tuple(points)))


def _lock(path: Path) -> int | None:
    """Hold a file as ours until it is closed; None: another has it."""
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    if take_lock(file):
        return file
    os.close(file)
    return None
