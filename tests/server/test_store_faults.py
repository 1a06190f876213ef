"""A store that fails (row 50 of the catalogue): rooms wait and say so, and nothing is acknowledged that is not kept."""

import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import trio
import trio.testing
from trio.testing import MockClock as Clock

from kille_net.game.record import Played
from kille_net.server import carrier
from kille_net.server.admin import answerer
from kille_net.server.channel import Refused
from kille_net.server.clerk import Job, Memory, keep
from kille_net.server.limits import Limits
from kille_net.server.saving import Change, Record
from kille_net.server.schema import FILE
from kille_net.server.sources import Sources
from kille_net.server.store import Store
from kille_net.wire import frame
from kille_net.wire import messages as m
from tests.catalogue.rows import row
from tests.deep import rounds
from tests.server.house import drawn_tickets, easy, options, seeded
from tests.server.streams import Client, Hall, hall


@dataclass(frozen=True)
class Broken:
    error: sqlite3.Error

    def keep(self, _: object) -> None:
        raise self.error


@dataclass
class Disk:
    """A store on trio's own thread, beside which the mock clock does not jump."""

    store: Store
    error: sqlite3.Error | None = None
    is_busy: bool = False
    """Whether it does nothing before it is told to."""
    waiting: list[Job[None]] = field(default_factory=list)

    def memory(self) -> Memory:
        return Memory(self.store.load(), keep=self.keep, backup=self.backup, unrecorded=self.unrecorded)

    def keep(self, changes: list[Change]) -> Job[None]:
        store = self.store if self.error is None else Broken(self.error)
        job = Job(lambda: keep(store, changes))
        self.waiting.append(job)
        if not self.is_busy:
            self.work()
        return job

    def work(self) -> None:
        """Do what waits."""
        self.is_busy = False
        while self.waiting:
            job = self.waiting.pop(0)
            job.do()
            job.done.set()

    async def unrecorded(self) -> list[Record]:
        return self.store.unrecorded()

    async def backup(self, path: Path) -> None:
        self.store.backup(path)


Fault = Callable[[Disk], Callable[[], object]]
"""Brings it about; what it gives takes it away again."""


def full(disk: Disk) -> Callable[[], object]:
    disk.error = sqlite3.OperationalError("database or disk is full")
    return lambda: setattr(disk, "error", None)


def read_only(disk: Disk) -> Callable[[], object]:
    disk.store._db.execute("PRAGMA query_only = ON")
    return lambda: disk.store._db.execute("PRAGMA query_only = OFF")


def locked(disk: Disk) -> Callable[[], object]:
    disk.store._db.execute("PRAGMA busy_timeout = 1")
    other = sqlite3.connect(disk.store._path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    return other.close


def failing(disk: Disk) -> Callable[[], object]:
    disk.error = sqlite3.OperationalError("disk I/O error")
    return lambda: setattr(disk, "error", None)


def damaged(disk: Disk) -> Callable[[], object]:
    disk.error = sqlite3.DatabaseError("database disk image is malformed")
    return lambda: setattr(disk, "error", None)


FAULTS: tuple[Fault, ...] = (full, read_only, locked, failing, damaged)


@asynccontextmanager
async def table(folder: Path) -> AsyncIterator[tuple[Disk, Hall, Client, Client]]:
    """Two at a table that plays, the first of whom is asked."""
    store = Store(folder)
    disk = Disk(store)
    limits = Limits(ping=10_000.0, silence=20_000.0)  # these clients answer no pings
    sources = Sources(shuffle=seeded(), chance=lambda: 0.5, computer=easy, ticket=drawn_tickets())
    try:
        async with hall(limits, sources=sources, memory=disk.memory()) as place:
            ada, bo = await place.guest("Ada"), await place.guest("Bo")
            room = options(2, clock=60, pots=99)
            assert isinstance(await ada.ask(lambda k: m.Create(id=k, room="R", options=room, password=None)), m.Ok)
            assert isinstance(await bo.ask(lambda k: m.Join(id=k, room="R", password=None)), m.Ok)
            assert isinstance(await ada.ask(lambda k: m.Start(id=k)), m.Ok)
            seat = (await ada.until(m.Turn)).seat
            await bo.until(m.Turn)
            asked, other = (ada, bo) if seat == 0 else (bo, ada)
            await asked.until(m.Question)
            yield disk, place, asked, other
    finally:
        store.close()


def moves(disk: Disk) -> list[str]:
    (room,) = disk.store.load().rooms
    assert room.match is not None
    return [step.action.code for step in room.match.steps if isinstance(step, Played)]


@row(50)
@pytest.mark.parametrize("fault", FAULTS)
async def test_all_waits_and_says_so_until_it_can_be_kept(fault: Fault, tmp_path: Path, autojump_clock: Clock) -> None:
    for number in rounds(2, 100):
        async with table(tmp_path / str(number)) as (disk, place, asked, other):
            question = asked.heard[-1]
            assert isinstance(question, m.Question)
            before = moves(disk)
            mend = fault(disk)
            await asked.send(m.Decide(id=900, turn=question.turn, do=m.Do.STAND))
            assert await other.until(m.Notice) == m.Notice(code=m.NoticeCode.CANNOT_SAVE, text="", ms=0)
            assert await asked.until(m.Notice) == m.Notice(code=m.NoticeCode.CANNOT_SAVE, text="", ms=0)
            await trio.sleep(0.3)  # whatever time the table would have needed
            assert not any(isinstance(message, m.Ok) and message.id == 900 for message in asked.heard)
            refused = await other.ask(lambda k: m.Say(id=k, text="?"))
            assert refused == m.Refused(id=refused.id, code=m.RefusalCode.CANNOT_SAVE)
            assert (await place.connect().hello("Cilla")) == m.Bye(code=m.ByeCode.BUSY, place="", versions=(1,))
            mend()
            assert moves(disk) == before, "nothing is kept in part"
            assert await asked.until(m.Notice) == m.Notice(code=m.NoticeCode.SAVING_AGAIN, text="", ms=0)
            assert (await asked.until(m.Ok)).id == 900
            assert moves(disk) == [*before, "stand"]
            turn = (await other.until(m.Question)).turn
            await other.send(m.Decide(id=901, turn=turn, do=m.Do.STAND))
            assert (await other.until(m.Ok)).id == 901


@row(50)
async def test_no_time_passes_at_the_tables_meanwhile(tmp_path: Path, autojump_clock: Clock) -> None:
    async with table(tmp_path) as (disk, _, asked, other):
        question = asked.heard[-1]
        assert isinstance(question, m.Question)
        await trio.sleep(20.0)
        mend = failing(disk)
        await other.send(m.Say(id=900, text="Skål!"))  # is an event, and so a change
        await other.until(m.Notice)
        with trio.move_on_after(1000.0):
            while True:
                assert not isinstance(await asked.next(), m.Late)
        mend()
        stood = trio.current_time()
        assert (await other.until(m.Ok)).id == 900
        await asked.until(m.Late)
        assert trio.current_time() - stood == pytest.approx(40.0, abs=2.5)


@row(50)
async def test_a_copy_can_be_made_while_a_table_plays(tmp_path: Path, autojump_clock: Clock) -> None:
    async with table(tmp_path / "one") as (disk, place, asked, _):
        question = asked.heard[-1]
        assert isinstance(question, m.Question)
        assert isinstance(await asked.ask(lambda k: m.Decide(id=k, turn=question.turn, do=m.Do.STAND)), m.Ok)
        assert place.server.backup is not None
        (tmp_path / "two").mkdir()
        await place.server.backup(tmp_path / "two" / FILE)
        copy = Store(tmp_path / "two")
        assert moves(Disk(copy)) == moves(disk)
        copy.close()


@row(10)
async def test_a_bug_in_the_telling_of_a_step_ends_those_who_were_to_be_told_alone(
    tmp_path: Path, autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with table(tmp_path) as (_, place, asked, other):
        cilla = await place.guest("Cilla")

        def fails(message: m.ServerMessage) -> bytes:
            if isinstance(message, m.Said):
                raise RuntimeError
            return frame(message)

        monkeypatch.setattr(carrier, "shared_frame", fails)
        await asked.send(m.Say(id=900, text="Skål!"))
        for client in (asked, other):
            assert await client.end() == m.Bye(code=m.ByeCode.INTERNAL, place="", versions=(1,))
        assert isinstance(await cilla.ask(lambda k: m.ListRooms(id=k, page=0)), m.Rooms)
        assert place.server.counts.faults == 1


async def admin(place: Hall, command: str, **arguments: str) -> object:
    """What it answers, or why it does not."""
    try:
        return await answerer(place.server)({"command": command, **arguments})
    except Refused as refused:
        return refused.code


CHANGES: tuple[dict[str, str], ...] = (
    {"command": "ban", "who": "Bo"},
    {"command": "ban", "who": "Cilla"},
    {"command": "unban", "who": "Erik"},
    {"command": "close", "room": "R"},
    {"command": "kick", "name": "Bo"},
)


def state(disk: Disk) -> object:
    saved = disk.store.load()
    return saved.bans, saved.rooms, saved.players


def seen(place: Hall) -> object:
    lobby = place.server.lobby
    here = [(player.name, player.is_here) for player in lobby.players]
    return place.server.bans.bans, [room.name for room in lobby.rooms], here


@row(50)
@pytest.mark.parametrize("change", CHANGES, ids=" ".join)
async def test_what_kille_admin_changes_is_acknowledged_once_it_is_kept(
    change: dict[str, str], tmp_path: Path, autojump_clock: Clock
) -> None:
    async with table(tmp_path) as (disk, place, _, _), trio.open_nursery() as nursery:
        await admin(place, "ban", who="Erik")
        before = state(disk)
        answers: list[object] = []

        async def ask() -> None:
            answers.append(await admin(place, **change))

        disk.is_busy = True
        nursery.start_soon(ask)
        await trio.sleep(0.5)
        assert (answers, state(disk)) == ([], before)
        disk.work()
        await trio.testing.wait_all_tasks_blocked()
        assert state(disk) != before
        assert answers not in ([], ["cannot_save"], ["not_saved_yet"])


@row(50)
@pytest.mark.parametrize("change", CHANGES, ids=" ".join)
async def test_kille_admin_changes_nothing_while_nothing_can_be_kept(
    change: dict[str, str], tmp_path: Path, autojump_clock: Clock
) -> None:
    async with table(tmp_path) as (disk, place, _, other):
        await admin(place, "ban", who="Erik")
        mend = full(disk)
        await other.send(m.Say(id=900, text="Skål!"))  # is an event, and so a change
        await other.until(m.Notice)
        before = seen(place)
        assert await admin(place, **change) == "cannot_save"
        assert seen(place) == before
        mend()


@row(50)
@pytest.mark.parametrize("change", CHANGES, ids=" ".join)
async def test_what_kille_admin_changes_just_when_nothing_can_be_kept_is_no_success(
    change: dict[str, str], tmp_path: Path, autojump_clock: Clock
) -> None:
    async with table(tmp_path) as (disk, place, _, _):
        await admin(place, "ban", who="Erik")
        mend = full(disk)
        before = state(disk)
        assert await admin(place, **change) == "not_saved_yet"
        assert state(disk) == before
        mend()
        await trio.sleep(2.0)
        assert state(disk) != before
