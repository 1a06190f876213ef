"""What a server has told is kept, and what it is about to tell is kept before."""

import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock as Clock
from trio.testing import wait_all_tasks_blocked

from kille_net.game.shuffle import Material, commit
from kille_net.server.clerk import Job
from kille_net.server.limits import Limits
from kille_net.server.saving import Change, Moved
from kille_net.server.sources import Sources
from kille_net.server.store import Store
from kille_net.wire import messages as m
from tests.catalogue.rows import row
from tests.server.house import drawn_tickets, easy, options, seeded
from tests.server.streams import Client, Hall, hall
from tests.server.test_store_faults import Disk, moves, table

PATIENT = Limits(ping=10_000.0, silence=20_000.0)
"""These clients answer no pings."""
MOMENT = 0.5
"""Less than a disk may take before all clocks are stopped."""


@dataclass
class Held(Disk):
    """Keeps nothing before it is let, if it is held."""

    is_held: bool = False
    waiting: list[Job[None]] = field(default_factory=list)

    def keep(self, changes: list[Change]) -> Job[None]:
        if not self.is_held:
            return super().keep(changes)
        job: Job[None] = Job(lambda: self.store.keep(changes))
        self.waiting.append(job)
        return job

    def let(self) -> None:
        """Keep what waits, and from now on everything at once."""
        self.is_held = False
        for job in self.waiting:
            job.do()
            job.done.set()

    def drawn(self) -> dict[bytes, bytes]:
        """Secrets that were drawn, by match."""
        return dict(self.store._db.execute("SELECT * FROM drawn"))


def fresh_secrets() -> Callable[[], Material]:
    numbers = count(1)
    return lambda: Material((number := next(numbers)).to_bytes(32, "big"), number.to_bytes(16, "big"))


@asynccontextmanager
async def place_with(
    folder: Path, *, is_drawn: bool = False, limits: Limits = PATIENT
) -> AsyncIterator[tuple[Held, Hall]]:
    """`is_drawn`: the shuffle is drawn with the players."""
    store = Store(folder)
    disk = Held(store)
    shuffle = fresh_secrets() if is_drawn else seeded()
    sources = Sources(shuffle=shuffle, chance=lambda: 0.5, computer=easy, ticket=drawn_tickets())
    try:
        async with hall(limits, sources=sources, memory=disk.memory()) as place:
            yield disk, place
    finally:
        store.close()


async def seated(place: Hall) -> tuple[Client, Client]:
    ada, bo = await place.guest("Ada"), await place.guest("Bo")
    room = options(2, clock=60, pots=99)
    assert isinstance(await ada.ask(lambda k: m.Create(id=k, room="R", options=room, password=None)), m.Ok)
    assert isinstance(await bo.ask(lambda k: m.Join(id=k, room="R", password=None)), m.Ok)
    return ada, bo


async def hears_nothing_of(kind: type[m.Message], client: Client, seconds: float) -> None:
    with trio.move_on_after(seconds):
        while True:
            assert not isinstance(await client.next(), kind)


class TestSecrets:
    """S is in the store before C goes out."""

    @staticmethod
    def check(disk: Held, began: m.ShuffleBegan) -> None:
        match = bytes.fromhex(began.match)
        assert commit(match, disk.drawn()[match]).hex() == began.commitment

    @row(37)
    async def test_are_kept_before_anything_that_they_bind_the_server_to_is_told(
        self, tmp_path: Path, autojump_clock: Clock
    ) -> None:
        async with place_with(tmp_path, is_drawn=True) as (disk, place):
            ada, bo = await seated(place)
            disk.is_held = True
            await ada.send(m.Start(id=900))
            await hears_nothing_of(m.ShuffleBegan, bo, MOMENT)
            assert disk.drawn() == {}
            disk.let()
            self.check(disk, await bo.until(m.ShuffleBegan))

    @row(37)
    async def test_of_a_start_that_comes_in_place_of_a_void_one_are_kept_as_well(
        self, tmp_path: Path, autojump_clock: Clock
    ) -> None:
        async with place_with(tmp_path, is_drawn=True) as (disk, place):
            ada, bo = await seated(place)
            assert isinstance(await ada.ask(lambda k: m.Start(id=k)), m.Ok)
            began = await bo.until(m.ShuffleBegan)
            await bo.take_part(began, 1)
            await ada.take_part(await ada.until(m.ShuffleBegan), 0)
            await ada.take_part(await ada.until(m.NoncesCommitted), 0)
            await bo.until(m.ShuffleVoided)  # who shows nothing voids it
            second = await bo.until(m.ShuffleBegan)
            assert second.match != began.match
            self.check(disk, began)
            self.check(disk, second)


@row(46)
async def test_a_server_that_stops_keeps_and_tells_first_what_has_happened(
    tmp_path: Path, autojump_clock: Clock
) -> None:
    async with place_with(tmp_path) as (disk, place):
        ada, bo = await seated(place)
        assert isinstance(await ada.ask(lambda k: m.Start(id=k)), m.Ok)
        asked, other = (ada, bo) if (await ada.until(m.Turn)).seat == 0 else (bo, ada)
        question = await asked.until(m.Question)
        disk.is_held = True
        await asked.send(m.Decide(id=900, turn=question.turn, do=m.Do.STAND))
        await wait_all_tasks_blocked()
        place.nursery.start_soon(place.server.shut_down)
        await hears_nothing_of(m.Bye, other, MOMENT)
        disk.let()
        await asked.end()
        *_, bye = told = asked.heard
        assert isinstance(bye, m.Bye)
        assert bye.code is m.ByeCode.SHUTTING_DOWN
        assert m.Ok(id=900) in told
        assert moves(disk) == ["stand"]


@row(50)
async def test_a_step_that_can_never_be_kept_ends_its_room_and_no_other(
    tmp_path: Path, autojump_clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    async with table(tmp_path) as (disk, place, asked, _):
        erik = await place.guest("Erik")
        room = options(2)
        assert isinstance(await erik.ask(lambda k: m.Create(id=k, room="E", options=room, password=None)), m.Ok)
        question = asked.heard[-1]
        assert isinstance(question, m.Question)
        kept = disk.store.keep

        def keep(changes: list[Change]) -> None:
            if any(isinstance(change, Moved) for change in changes):
                raise sqlite3.IntegrityError("a bug")
            kept(changes)

        disk.store.keep = keep  # type: ignore[method-assign, assignment]  # what is put in its place for one test
        await asked.send(m.Decide(id=900, turn=question.turn, do=m.Do.STAND))
        bye = await asked.end()
        assert isinstance(bye, m.Bye)
        assert bye.code is m.ByeCode.INTERNAL
        assert m.Ok(id=900) not in asked.heard
        await wait_all_tasks_blocked()
        assert [room.name for room in place.server.lobby.rooms] == ["E"]
        assert [room.state.name for room in disk.store.load().rooms] == ["E"]
        assert isinstance(await erik.ask(lambda k: m.Say(id=k, text="Skål!")), m.Ok)
        lines = [word for word in ("step_not_saved", "room_failed") if word in caplog.text]
        assert place.server.counts.faults == len(lines) == 2, "each error in the log is counted"


async def test_who_is_banned_stays_so_when_the_server_starts_again_and_who_is_not_any_more_comes_in(
    tmp_path: Path, autojump_clock: Clock
) -> None:
    async with place_with(tmp_path) as (_, place):
        for name in ("Ada", "Bo", "Cilla"):
            place.server.ban(name)
        place.server.ban("10.0.0.7")
        assert place.server.unban("bo")
        await wait_all_tasks_blocked()
    async with place_with(tmp_path) as (_, place):
        assert set(place.server.bans.bans) == {"Ada", "Cilla", "10.0.0.7"}
        bye = await place.connect().hello("ada")
        assert isinstance(bye, m.Bye)
        assert bye.code is m.ByeCode.BANNED
        assert isinstance(await place.connect().hello("Bo"), m.Welcome)


@row(50)
@pytest.mark.parametrize(("seconds", "expected"), [(8.0, m.Welcome), (20.0, m.Bye)])
async def test_who_said_hello_in_time_is_not_too_slow_because_the_disk_is(
    seconds: float, expected: type[m.Message], tmp_path: Path, autojump_clock: Clock
) -> None:
    async with place_with(tmp_path, limits=Limits()) as (disk, place):
        disk.is_held = True
        client = place.connect()
        await client.send(m.Hello(versions=(1,), agent="test", name="Ada", bot=False, ticket=None, password=None))
        await trio.sleep(seconds)
        disk.let()
        answer = await client.next()
        assert isinstance(answer, expected)
        assert not isinstance(answer, m.Bye) or answer.code is m.ByeCode.BUSY
