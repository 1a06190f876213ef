"""The file of a server's memory: its tables, how they have come to be, and whether a file is one that we can use.

Owns the schema, its migrations and the opening of the file. Refuses to know what the rows mean.
"""

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from enum import Enum
from pathlib import Path
from typing import Final

from kille_net.systems import is_open_to_others, sync_file, sync_folder

__all__ = ["FILE", "SCHEMA", "BadStore", "StoreFault", "blaming", "copy_to", "open_file", "open_read_only"]

FILE: Final = "kille.sqlite3"
_APPLICATION: Final = 0x4B69_6C6C
"""SQLite's `application_id`: "Kill"."""

_MIGRATIONS: Final = (
    """
    CREATE TABLE player (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        is_bot INTEGER NOT NULL,
        has_played INTEGER NOT NULL DEFAULT 0,
        digests BLOB NOT NULL,       -- of its tickets, 32 bytes each, the last one last
        is_here INTEGER NOT NULL,
        seen REAL NOT NULL           -- when that was so, in seconds since 1970
    );
    CREATE TABLE answer (            -- to commands that changed something; only the last ones of a player matter
        player INTEGER NOT NULL,
        id INTEGER NOT NULL,
        code TEXT,                   -- why it was refused
        PRIMARY KEY (player, id)
    ) WITHOUT ROWID;
    CREATE TABLE room (
        key TEXT PRIMARY KEY,
        state BLOB NOT NULL,         -- JSON of saving.RoomState
        seq INTEGER NOT NULL DEFAULT 0,
        turn INTEGER NOT NULL DEFAULT 0,
        match INTEGER                -- the one that is played, or the last one
    );
    CREATE TABLE drawn (             -- secrets that were committed to, for matches that have not begun
        match BLOB PRIMARY KEY,
        secret BLOB NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE match (
        n INTEGER PRIMARY KEY AUTOINCREMENT,
        id BLOB NOT NULL UNIQUE,     -- 16 bytes
        room TEXT NOT NULL,          -- its key
        room_name TEXT NOT NULL,
        format TEXT NOT NULL,
        began REAL NOT NULL,
        ended REAL,
        reason TEXT,                 -- why it was broken off
        hands INTEGER NOT NULL DEFAULT 0, -- that were played to their end
        header TEXT NOT NULL,        -- the match line of the record
        secret BLOB NOT NULL,        -- tells all cards: shown to nobody before the match is over
        record BLOB,                 -- all lines, deflated, once it is over
        recorded INTEGER NOT NULL DEFAULT 0 -- whether that is in the folder for records, too
    );
    CREATE INDEX match_unrecorded ON match (n) WHERE record IS NOT NULL AND NOT recorded;
    CREATE INDEX match_in_room ON match (room);
    CREATE TABLE step (              -- of the last match of each room
        match INTEGER NOT NULL,
        n INTEGER NOT NULL,
        seat INTEGER,                -- null: a pack was dealt
        do TEXT NOT NULL,            -- the action, or of a pack the hand that began with it, as JSON
        t REAL,
        by TEXT,
        PRIMARY KEY (match, n)
    ) WITHOUT ROWID;
    CREATE TABLE line (              -- of records that are not whole yet
        match INTEGER NOT NULL,
        n INTEGER NOT NULL,
        text TEXT NOT NULL,
        PRIMARY KEY (match, n)
    ) WITHOUT ROWID;
    CREATE TABLE seat (
        match INTEGER NOT NULL,
        seat INTEGER NOT NULL,
        name TEXT NOT NULL,
        key TEXT NOT NULL,           -- of the name
        player INTEGER,              -- its id, which may be forgotten; null: a computer
        is_bot INTEGER NOT NULL,     -- of a player
        level TEXT NOT NULL,         -- of a computer
        points INTEGER NOT NULL DEFAULT 0,
        place INTEGER,               -- at the end of a match that was not broken off
        PRIMARY KEY (match, seat)
    ) WITHOUT ROWID;
    CREATE INDEX seat_of_name ON seat (key, match);
    CREATE TABLE ban (what TEXT PRIMARY KEY) WITHOUT ROWID;
    """,
    # Rooms have the option `coach`.
    """
    UPDATE room SET state = CAST(json_set(CAST(state AS TEXT), '$.options.coach', 'allowed') AS BLOB)
    WHERE json_valid(CAST(state AS TEXT));
    """,
    # Tournaments.
    """
    CREATE TABLE tournament (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        key TEXT NOT NULL,           -- of the name
        stage TEXT NOT NULL,
        state BLOB NOT NULL          -- JSON of tournament.saved.TournamentState
    );
    CREATE INDEX tournament_of_name ON tournament (key, id);
    CREATE INDEX tournament_going_on ON tournament (id) WHERE stage NOT IN ('over', 'cancelled');
    CREATE TABLE round (
        tournament INTEGER NOT NULL,
        number INTEGER NOT NULL,
        state BLOB NOT NULL,         -- JSON of RoundSaved; tells packs of duplicates: shown to nobody before its end
        PRIMARY KEY (tournament, number)
    ) WITHOUT ROWID;
    CREATE TABLE sitting (           -- a table of a tournament
        n INTEGER PRIMARY KEY,       -- in the order in which they were first kept
        tournament INTEGER NOT NULL,
        round INTEGER NOT NULL,
        number INTEGER NOT NULL,
        state BLOB NOT NULL,         -- JSON of TableSaved
        UNIQUE (tournament, round, number)
    );
    """,
    # Matches of which nothing may be read yet are closed.
    """
    ALTER TABLE match ADD COLUMN closed INTEGER NOT NULL DEFAULT 0;
    """,
)
SCHEMA: Final = len(_MIGRATIONS)
"""The version of the schema, SQLite's `user_version`."""


class BadStore(Enum):
    """Why a store cannot be used as it is; nothing in it was changed."""

    NEWER = "newer"
    """A later version of ours has made it."""
    BROKEN = "damaged"
    """It is damaged, or no store of ours."""
    OLDER = "older"
    """An earlier version of ours has made it, and nobody has migrated it since."""
    IN_USE = "in_use"
    """Another server uses it."""
    OPEN_TO_OTHERS = "store_open_to_others"
    """Others on this machine can read it."""


class StoreFault(Exception):
    """A store cannot be used as it is."""

    def __init__(self, fault: BadStore, path: Path) -> None:
        super().__init__(f"{path}: {fault.value}")
        self.fault = fault
        self.path = path


def open_file(path: Path) -> sqlite3.Connection:
    """Open the file, or make it, with the tables of today. Raises StoreFault, OSError and sqlite3.Error."""
    if not path.exists():
        _make(path)
    _check_owner(path)
    db = _connect(path)
    try:
        _check(db, path)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        _migrate(db, path)
    except BaseException:
        db.close()
        raise
    return db


def copy_to(db: sqlite3.Connection, path: Path) -> None:
    """All that is in it, as it is now, in a file of its own, whole or not at all. Raises OSError and sqlite3.Error."""
    with _unfinished(path) as part, closing(sqlite3.connect(part)) as copy:
        db.backup(copy)


@contextmanager
def _unfinished(path: Path) -> Iterator[Path]:
    """A new file of its owner's alone, which gets this name once it is whole and on the disk, unless there is one so
    called. Raises FileExistsError and OSError."""
    part = path.with_name(f"{path.name}.part")
    if os.path.lexists(path):
        raise _exists(path)
    _remove(part)  # which was cut off
    try:
        os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        yield part
        sync_file(part)
        try:
            os.link(part, path)
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            if os.path.lexists(path):
                raise _exists(path) from None
            part.rename(path)
    finally:
        _remove(part)
    sync_folder(path.parent)


def _exists(path: Path) -> FileExistsError:
    return FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))


def _files(path: Path) -> list[Path]:
    """A database's file, and those that SQLite may have beside it."""
    return [path.with_name(path.name + suffix) for suffix in ("", "-journal", "-wal", "-shm")]


def _remove(path: Path) -> None:
    for file in _files(path):
        file.unlink(missing_ok=True)


def _make(path: Path) -> None:
    """A store that is empty, and has its tables: a file without them is not what we have left, but damaged."""
    for file in _files(path):  # of one that was taken away: SQLite would take them for the new one's
        file.unlink(missing_ok=True)
    with _unfinished(path) as part, closing(_connect(part)) as db:
        _migrate(db, path)


def _check_owner(path: Path) -> None:
    """Raise StoreFault where others may read what all tickets, passwords and cards follow from."""
    for file in _files(path):
        with suppress(FileNotFoundError):
            if is_open_to_others(file.stat().st_mode):
                raise StoreFault(BadStore.OPEN_TO_OTHERS, file)


def open_read_only(folder: Path) -> sqlite3.Connection:
    """The store of a data folder, to be read only, also while a server uses it, of which that notices nothing.

    Raises FileNotFoundError, StoreFault and sqlite3.Error; whether all of it is whole is not checked.
    """
    path = folder / FILE
    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    db = _connect(path, read_only=True)
    try:
        if _version(db, path) < SCHEMA:
            raise StoreFault(BadStore.OLDER, path)
    except BaseException:
        db.close()
        raise
    return db


def _connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Open the file, which must be there. Raises sqlite3.Error."""
    mode = "ro" if read_only else "rw"
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True, isolation_level=None, timeout=1.0)


def _check(db: sqlite3.Connection, path: Path) -> None:
    """Raise StoreFault for a file that is not ours, or not of our time, or not whole."""
    with blaming(path):
        _version(db, path)
        (found,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise StoreFault(BadStore.BROKEN, path)


def _version(db: sqlite3.Connection, path: Path) -> int:
    """Of its schema. Raises StoreFault for a file that is not ours, or not of our time."""
    with blaming(path):
        (application,) = db.execute("PRAGMA application_id").fetchone()
        (version,) = db.execute("PRAGMA user_version").fetchone()
    if application != _APPLICATION:
        raise StoreFault(BadStore.BROKEN, path)
    if version > SCHEMA:
        raise StoreFault(BadStore.NEWER, path)
    assert isinstance(version, int)
    return version


@contextmanager
def blaming(path: Path) -> Iterator[None]:
    """Make a StoreFault of what SQLite says of a damaged file; that a disk or a lock is in the way comes through."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if type(error) is not sqlite3.DatabaseError:
            raise
        raise StoreFault(BadStore.BROKEN, path) from error


def _migrate(db: sqlite3.Connection, path: Path) -> None:
    """Bring the schema up to ours, step by step, each whole or not at all; an older file is copied before."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if 0 < version < SCHEMA:
        older = path.with_suffix(f".v{version}.sqlite3")
        older.unlink(missing_ok=True)
        copy_to(db, older)
    for number in range(version, SCHEMA):
        db.executescript(
            f"BEGIN; {_MIGRATIONS[number]}"
            f"PRAGMA application_id = {_APPLICATION}; PRAGMA user_version = {number + 1}; COMMIT;"
        )
