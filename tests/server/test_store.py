"""The store: what it keeps is there after any end, and what it cannot use it leaves as it is."""

import os
import sqlite3
import stat
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from unittest.mock import Mock

import msgspec
import pytest

from kille_net.server import schema as module
from kille_net.server.answers import KEPT
from kille_net.server.saving import (
    Answered,
    Banned,
    Change,
    PlayerForgotten,
    PlayerKept,
    RoomAt,
    RoomEnded,
    RoomKept,
    RoomState,
    RoundKept,
    TableKept,
    TournamentKept,
    Unbanned,
)
from kille_net.server.schema import FILE, SCHEMA, BadStore, StoreFault
from kille_net.server.store import Store
from kille_net.server.tournament.saved import TournamentSaved
from kille_net.wire.messages import RefusalCode, TableStatus, TournamentStage
from tests.catalogue.rows import row
from tests.server.house import options
from tests.server.tournament.made import played, tournament


def player(number: int, name: str = "Ada") -> PlayerKept:
    return PlayerKept(id=number, name=name, is_bot=False, is_here=False, digests=(number.to_bytes(32, "big"),))


def room_state(name: str = "Krogen") -> RoomState:
    return RoomState(
        name=name,
        options=options(),
        lock=None,
        host=None,
        maker=None,
        is_paused=False,
        matches=0,
        chairs=(),
        watchers=(),
    )


def going_on(saved: TournamentSaved) -> TournamentSaved:
    """As it is when it is loaded: its values the same, and none of their own kind."""
    return msgspec.convert(msgspec.to_builtins(saved), TournamentSaved)


def kept(folder: Path, *changes: Change) -> None:
    store = Store(folder)
    store.keep(changes)
    store.close()


class TestKeeping:
    def test_all_of_a_step_or_nothing(self, tmp_path: Path) -> None:
        store = Store(tmp_path)
        store.keep([player(1)])
        with pytest.raises(TypeError):
            store.keep([player(2, "Bo"), RoomKept("krogen", object())])  # type: ignore[arg-type]  # a bug of ours
        with pytest.raises(sqlite3.IntegrityError):
            store.keep([player(3, "Cilla"), PlayerKept(id=4, name=None, is_bot=False, is_here=False, digests=())])  # type: ignore[arg-type]  # likewise
        store.keep([RoomKept("krogen", room_state())])
        store.close()
        found = Store(tmp_path).load()
        assert [one.kept.name for one in found.players] == ["Ada"]
        assert [one.key for one in found.rooms] == ["krogen"]

    def test_what_was_kept_last_counts(self, tmp_path: Path) -> None:
        kept(tmp_path, player(1), RoomKept("a", room_state("A")), RoomKept("b", room_state("B")), RoomAt("a", 7, 3))
        kept(tmp_path, RoomAt("a", 9, 4), RoomEnded("b"), Answered(1, 5, None), Answered(1, 6, RefusalCode.PAUSED))
        found = Store(tmp_path).load()
        assert [(room.key, room.seq, room.turn, room.match) for room in found.rooms] == [("a", 9, 4, None)]
        assert found.players[0].answers == (Answered(1, 5, None), Answered(1, 6, RefusalCode.PAUSED))
        assert found.last_player == 1

    def test_of_a_players_answers_the_last_are_kept_whatever_their_ids(self, tmp_path: Path) -> None:
        store = Store(tmp_path)
        store.keep([player(1), *(Answered(1, number, None) for number in range(1, 5000, 2))])
        assert store._db.execute("SELECT count(*), max(id) FROM answer").fetchone() == (KEPT, 4999)

    def test_whoever_is_forgotten_leaves_nothing_but_the_number(self, tmp_path: Path) -> None:
        kept(tmp_path, player(1), Answered(1, 5, None), PlayerForgotten(1))
        found = Store(tmp_path).load()
        assert (found.players, found.last_player) == ((), 1)

    def test_bans_are_kept_until_they_are_lifted(self, tmp_path: Path) -> None:
        kept(tmp_path, Banned("Ada"), Banned("192.0.2.7"), Banned("Ada"))
        kept(tmp_path, Unbanned("192.0.2.7"), Unbanned("never"))
        assert Store(tmp_path).load().bans == ("Ada",)

    def test_a_tournament_that_goes_on_is_there_as_it_was_kept_last(self, tmp_path: Path) -> None:
        replaced = msgspec.structs.replace
        first, second = played(1, 1, (1, 2), (1, 2)), played(1, 2, (3, 4), (2, 1))
        saved = going_on(tournament([second, first], duplicate=True, open_rounds=frozenset({1}), byes=[(5,)]))
        earlier = replaced(saved.state, stage=TournamentStage.OPEN, entries=())
        waiting = tuple(TableKept(7, replaced(one, status=TableStatus.WAITING, results=())) for one in saved.tables)
        unpaired = replaced(saved.rounds[0], byes=(), seed="")
        kept(tmp_path, TournamentKept(7, earlier), RoundKept(7, unpaired), *waiting)
        kept(tmp_path, TableKept(7, first), TableKept(7, second))
        kept(tmp_path, RoundKept(7, saved.rounds[0]), TournamentKept(7, saved.state))
        assert Store(tmp_path).load().tournaments == (saved,)

    def test_of_several_tournaments_those_that_go_on_are_there(self, tmp_path: Path) -> None:
        stages = (TournamentStage.OVER, TournamentStage.BETWEEN, TournamentStage.CANCELLED, TournamentStage.CHECK_IN)
        for number, stage in enumerate(stages, start=1):
            table = played(1, number, (number, 9), (1, 2))
            state = msgspec.structs.replace(tournament([]).state, stage=stage, name=f"T{number}")
            kept(tmp_path, TournamentKept(number, state), TableKept(number, table))
        found = Store(tmp_path).load()
        assert [(one.id, one.state.name, one.tables[0].number) for one in found.tournaments] == [
            (2, "T2", 2),
            (4, "T4", 4),
        ]
        assert found.last_tournament == 4

    def test_where_there_was_no_tournament_the_first_id_is_free(self, tmp_path: Path) -> None:
        found = Store(tmp_path).load()
        assert (found.tournaments, found.last_tournament) == ((), 0)

    def test_how_long_players_were_away_counts_on(self, tmp_path: Path) -> None:
        now = 1000.0
        store = Store(tmp_path, now=lambda: now)
        store.keep([player(1), player(2, "Bo")])
        now = 1010.0
        store.keep([player(1)])
        store.close()
        now = 1025.0
        found = Store(tmp_path, now=lambda: now).load()
        assert [(one.kept.name, one.away) for one in found.players] == [("Bo", 25.0), ("Ada", 15.0)]

    def test_who_was_here_is_away_from_now_on(self, tmp_path: Path) -> None:
        store = Store(tmp_path, now=lambda: 1000.0)
        store.keep([PlayerKept(id=1, name="Ada", is_bot=False, is_here=True, digests=())])
        store.close()
        assert Store(tmp_path, now=lambda: 9000.0).load().players[0].away == 0.0

    def test_a_clock_that_was_set_back_makes_nobody_younger_than_now(self, tmp_path: Path) -> None:
        store = Store(tmp_path, now=lambda: 1000.0)
        store.keep([player(1)])
        store.close()
        assert Store(tmp_path, now=lambda: 10.0).load().players[0].away == 0.0

    def test_commits_are_forced_to_the_disk(self, tmp_path: Path) -> None:
        """`synchronous` FULL (2), WAL."""
        store = Store(tmp_path)
        assert store._db.execute("PRAGMA synchronous").fetchone() == (2,)
        assert store._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


class TestFile:
    def test_nobody_else_may_read_it(self, tmp_path: Path) -> None:
        before = os.umask(0)
        try:
            store = Store(tmp_path / "data")
            store.keep([player(1)])
            store.backup(tmp_path / "copy")
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "data").iterdir()}
        finally:
            os.umask(before)
        assert set(modes.values()) == {0o600}, modes
        assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700
        assert stat.S_IMODE((tmp_path / "copy").stat().st_mode) == 0o600

    def test_one_server_at_a_time_uses_it(self, tmp_path: Path) -> None:
        first = Store(tmp_path)
        with pytest.raises(StoreFault) as caught:
            Store(tmp_path)
        assert caught.value.fault is BadStore.IN_USE
        first.close()
        Store(tmp_path).close()

    def test_a_copy_is_whole_and_replaces_nothing(self, tmp_path: Path) -> None:
        store = Store(tmp_path / "one")
        store.keep([player(1)])
        (tmp_path / "two").mkdir()
        store.backup(tmp_path / "two" / FILE)
        store.keep([player(2, "Bo")])
        assert [one.kept.name for one in Store(tmp_path / "two").load().players] == ["Ada"]
        with pytest.raises(FileExistsError):
            store.backup(tmp_path / "two" / FILE)

    @pytest.mark.parametrize("last", [1, 3])
    def test_a_copy_that_is_cut_off_leaves_nothing_of_its_name_and_is_no_hindrance(
        self, last: int, tmp_path: Path
    ) -> None:
        """The disk is full after so many pages."""
        store = Store(tmp_path / "one")
        store.keep([player(1)])
        copy = tmp_path / "copy"

        def connect(path: Path) -> sqlite3.Connection:
            db = sqlite3.connect(path)
            db.execute(f"PRAGMA max_page_count = {last}")
            return db

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "sqlite3", Mock(wraps=sqlite3, connect=connect))
            with pytest.raises(sqlite3.OperationalError, match="full"):
                store.backup(copy)
        assert [path.name for path in tmp_path.iterdir()] == ["one"]
        copy.with_name("copy.part").write_text("of one that was killed")
        store.backup(copy)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["copy", "one"]

    def test_a_copy_has_its_name_only_once_it_is_whole(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        store = Store(tmp_path / "one")
        there: list[bool] = []
        sync = os.fsync

        def fsync(file: int) -> None:
            there.append((tmp_path / "copy").exists())
            sync(file)

        monkeypatch.setattr(os, "fsync", fsync)
        store.backup(tmp_path / "copy")
        assert there == [False, True], "the file before it has its name, the folder after"

    def test_a_copy_takes_the_place_of_nothing_that_has_come_meanwhile(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store = Store(tmp_path / "one")
        copy = tmp_path / "copy"
        monkeypatch.setattr(os, "fsync", lambda _: copy.write_text("another's"))
        with pytest.raises(FileExistsError):
            store.backup(copy)
        assert (copy.read_text(), sorted(path.name for path in tmp_path.iterdir())) == ("another's", ["copy", "one"])

    @pytest.mark.parametrize("name", [FILE, f"{FILE}-wal"])
    def test_that_others_can_read_is_refused(self, name: str, tmp_path: Path) -> None:
        kept(tmp_path, player(1))
        (tmp_path / name).touch()
        (tmp_path / name).chmod(0o640)
        with pytest.raises(StoreFault) as caught:
            Store(tmp_path)
        assert (caught.value.fault, caught.value.path) == (BadStore.OPEN_TO_OTHERS, tmp_path / name)
        (tmp_path / name).chmod(0o600)
        Store(tmp_path).close()

    def test_that_is_a_link_to_what_others_can_read_is_refused(self, tmp_path: Path) -> None:
        kept(tmp_path / "one", player(1))
        (tmp_path / "one" / FILE).chmod(0o604)
        (tmp_path / "two").mkdir()
        (tmp_path / "two" / FILE).symlink_to(tmp_path / "one" / FILE)
        with pytest.raises(StoreFault) as caught:
            Store(tmp_path / "two")
        assert caught.value.fault is BadStore.OPEN_TO_OTHERS

    def test_one_whose_making_is_cut_off_is_made_anew(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "_MIGRATIONS", ("SELECT nonsense;",))
        with pytest.raises(sqlite3.OperationalError):
            Store(tmp_path)
        monkeypatch.undo()
        assert not (tmp_path / FILE).exists()
        kept(tmp_path, player(1))

    def test_what_sqlite_had_beside_one_that_was_moved_away_is_not_the_new_ones(self, tmp_path: Path) -> None:
        store = Store(tmp_path)
        store.keep([player(1)])
        wal = (tmp_path / f"{FILE}-wal").read_bytes()
        assert wal
        store.close()
        (tmp_path / FILE).unlink()
        (tmp_path / f"{FILE}-wal").write_bytes(wal)
        assert Store(tmp_path).load().players == ()


def damage_first_page(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"no database " * 100)


def damage_a_later_page(path: Path) -> None:
    size = path.stat().st_size
    assert size > 8192
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (size - 4096))


def empty_it(path: Path) -> None:
    path.write_bytes(b"")


def take_its_tables(path: Path) -> None:
    path.write_bytes(b"")
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = WAL")


def make_it_newer(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {SCHEMA + 1}")
    db.close()


def make_it_anothers(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA application_id = 7")
    db.close()


class TestUnusable:
    @row(50)
    @pytest.mark.parametrize(
        ("harm", "fault"),
        [
            (damage_first_page, BadStore.BROKEN),
            (damage_a_later_page, BadStore.BROKEN),
            (make_it_anothers, BadStore.BROKEN),
            (empty_it, BadStore.BROKEN),
            (take_its_tables, BadStore.BROKEN),
            (make_it_newer, BadStore.NEWER),
        ],
    )
    def test_is_refused_and_left_as_it_is(self, harm: object, fault: BadStore, tmp_path: Path) -> None:
        kept(tmp_path, *(player(number, f"P{number}") for number in range(1, 400)))
        assert callable(harm)
        harm(tmp_path / FILE)
        before = (tmp_path / FILE).read_bytes()
        for _ in range(2):
            with pytest.raises(StoreFault) as caught:
                Store(tmp_path)
            assert caught.value.fault is fault
        assert (tmp_path / FILE).read_bytes() == before

    @pytest.mark.parametrize(
        "sql",
        [
            "UPDATE room SET state = '{}'",
            "INSERT INTO ban VALUES ('a/b')",
            "INSERT INTO ban VALUES (x'00ff')",
            "UPDATE tournament SET state = '{'",
            "UPDATE round SET state = 7",
            'UPDATE sitting SET state = \'{"round": "one"}\'',
        ],
    )
    def test_a_row_that_makes_no_sense_is_a_fault_and_no_crash(self, sql: str, tmp_path: Path) -> None:
        store = Store(tmp_path)
        saved = tournament([played(1, 1, (1, 2), (1, 2))], open_rounds=frozenset({1}))
        store.keep([RoomKept("a", room_state()), TournamentKept(7, saved.state)])
        store.keep([RoundKept(7, saved.rounds[0]), TableKept(7, saved.tables[0])])
        store._db.execute(sql)
        with pytest.raises(StoreFault) as caught:
            store.load()
        assert caught.value.fault is BadStore.BROKEN


@contextmanager
def older(version: int) -> Iterator[None]:
    """What this does is done by a store of that time, as far as its tables go."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_MIGRATIONS", module._MIGRATIONS[:version])
        patch.setattr(module, "SCHEMA", version)
        yield


class TestMigration:
    def test_an_older_file_is_brought_up_and_a_copy_of_it_kept(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        kept(tmp_path, player(1))
        monkeypatch.setattr(module, "_MIGRATIONS", (*module._MIGRATIONS, "ALTER TABLE player ADD COLUMN rating REAL;"))
        monkeypatch.setattr(module, "SCHEMA", SCHEMA + 1)
        store = Store(tmp_path)
        assert store._db.execute("SELECT name, rating FROM player").fetchall() == [("Ada", None)]
        assert store._db.execute("PRAGMA user_version").fetchone() == (SCHEMA + 1,)
        older = sqlite3.connect(tmp_path / f"kille.v{SCHEMA}.sqlite3")
        assert older.execute("PRAGMA user_version").fetchone() == (SCHEMA,)
        assert older.execute("SELECT name FROM player").fetchall() == [("Ada",)]
        older.close()

    def test_rooms_that_were_kept_before_there_was_a_coach_allow_one(self, tmp_path: Path) -> None:
        with older(1):
            kept(tmp_path, RoomKept("a", room_state()))
        with closing(sqlite3.connect(tmp_path / FILE)) as db, db:
            ((state,),) = db.execute("SELECT state FROM room").fetchall()
            without = msgspec.json.decode(state)
            del without["options"]["coach"]
            db.execute("UPDATE room SET state = ?", (msgspec.json.encode(without),))
        assert Store(tmp_path).load().rooms[0].state == room_state()

    def test_a_store_from_before_there_were_tournaments_takes_them(self, tmp_path: Path) -> None:
        with older(2):
            kept(tmp_path, player(1), RoomKept("a", room_state()))
        with closing(Store(tmp_path)) as store:
            found = store.load()
            assert (found.tournaments, found.last_tournament) == ((), 0)
            assert ([one.kept.name for one in found.players], [one.key for one in found.rooms]) == (["Ada"], ["a"])
            store.keep([TournamentKept(1, tournament([], open_rounds=frozenset({1})).state)])
            assert [one.id for one in store.load().tournaments] == [1]

    def test_matches_that_were_kept_before_any_was_closed_may_be_read(self, tmp_path: Path) -> None:
        with older(2), closing(Store(tmp_path)) as store:
            store._db.execute(
                "INSERT INTO match (id, room, room_name, format, began, ended, header, secret, record)"
                " VALUES (x'00', 'r', 'R', 'pots', 1, 2, '{}', x'', ?)",
                (zlib.compress(b"{}"),),
            )
        with closing(Store(tmp_path)) as store:
            assert [keep.match_id for keep in store.unrecorded()] == ["00"]

    def test_one_that_fails_changes_nothing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        kept(tmp_path, player(1))
        bad = "ALTER TABLE player ADD COLUMN rating REAL; SELECT nonsense;"
        monkeypatch.setattr(module, "_MIGRATIONS", (*module._MIGRATIONS, bad))
        monkeypatch.setattr(module, "SCHEMA", SCHEMA + 1)
        with pytest.raises(sqlite3.OperationalError):
            Store(tmp_path)
        monkeypatch.undo()
        assert [one.kept.name for one in Store(tmp_path).load().players] == ["Ada"]
