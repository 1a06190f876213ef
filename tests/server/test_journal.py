"""An action is told only after it is kept, and what happens when it cannot be."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
import trio
from trio.testing import MockClock as Clock

from kille_net.server.journal import Journal, NotKept
from kille_net.server.saving import Change, PlayerForgotten


class Keeping:
    def __init__(self) -> None:
        self.done = trio.Event()
        self.error: Exception | None = None

    def check(self) -> None:
        if self.error is not None:
            raise self.error


@dataclass
class Disk:
    """Keeps what it is given when it is told to, or at once; fails with what `fails` says."""

    kept: list[list[Change]] = field(default_factory=list)
    open: list[tuple[list[Change], Keeping]] = field(default_factory=list)
    is_quick: bool = True
    fails: Callable[[list[Change]], Exception | None] = lambda _: None

    def keep(self, changes: list[Change]) -> Keeping:
        keeping = Keeping()
        self.open.append((changes, keeping))
        if self.is_quick:
            self.finish()
        return keeping

    def finish(self) -> None:
        changes, keeping = self.open.pop(0)
        keeping.error = self.fails(changes)
        if keeping.error is None:
            self.kept.append(changes)
        keeping.done.set()


class House:
    def __init__(self) -> None:
        self.disk = Disk()
        self.log: list[str] = []
        self.journal = Journal(self.disk.keep, self)

    def stick(self, why: str) -> None:
        self.log.append(f"stuck: {why}")

    def unstick(self) -> None:
        self.log.append("unstuck")

    def committed(self, seconds: float) -> None:
        pass

    def step(self, number: int, *, changes: int = 1) -> None:
        self.journal.add(
            [PlayerForgotten(number)] * changes,
            lambda: self.log.append(f"told {number}"),
            lambda error: self.log.append(f"spoiled {number}: {type(error).__name__}"),
        )


@pytest.fixture
def house() -> House:
    return House()


async def test_a_step_is_told_after_its_changes_are_kept(
    house: House, autojump_clock: Clock, nursery: trio.Nursery
) -> None:
    house.disk.is_quick = False
    nursery.start_soon(house.journal.run)
    house.step(1)
    await trio.testing.wait_all_tasks_blocked()
    assert house.log == []
    assert not house.journal.is_idle
    house.disk.finish()
    await house.journal.flush()
    assert house.log == ["told 1"]
    assert house.journal.is_idle


async def test_what_comes_meanwhile_is_kept_together_and_told_in_order(
    house: House, autojump_clock: Clock, nursery: trio.Nursery
) -> None:
    house.disk.is_quick = False
    nursery.start_soon(house.journal.run)
    house.step(1)
    await trio.testing.wait_all_tasks_blocked()
    house.step(2)
    house.step(3, changes=0)  # changes nothing, and still may not be told before 1 and 2
    house.step(4)
    house.disk.finish()
    await trio.testing.wait_all_tasks_blocked()
    assert house.log == ["told 1"]
    house.disk.finish()
    await house.journal.flush()
    assert house.log == ["told 1", "told 2", "told 3", "told 4"]
    assert house.disk.kept == [[PlayerForgotten(1)], [PlayerForgotten(2), PlayerForgotten(4)]]


async def test_nothing_is_told_while_nothing_can_be_kept_and_all_is_when_it_can(
    house: House, autojump_clock: Clock, nursery: trio.Nursery
) -> None:
    house.disk.fails = lambda _: NotKept("database or disk is full")
    nursery.start_soon(house.journal.run)
    house.step(1)
    house.step(2)
    await trio.sleep(100.0)
    assert house.log == ["stuck: database or disk is full"]
    house.disk.fails = lambda _: None
    await house.journal.flush()
    assert house.log == ["stuck: database or disk is full", "unstuck", "told 1", "told 2"]
    assert [change for kept in house.disk.kept for change in kept] == [PlayerForgotten(1), PlayerForgotten(2)]


async def test_a_disk_that_takes_longer_than_a_second_stops_the_clocks(
    house: House, autojump_clock: Clock, nursery: trio.Nursery
) -> None:
    house.disk.is_quick = False
    nursery.start_soon(house.journal.run)
    house.step(1)
    await trio.sleep(0.99)
    assert house.log == []
    await trio.sleep(0.02)
    assert house.log == ["stuck: the disk is slow"]
    house.disk.finish()
    await house.journal.flush()
    assert house.log == ["stuck: the disk is slow", "unstuck", "told 1"]


async def test_a_step_that_can_never_be_kept_is_spoiled_alone(
    house: House, autojump_clock: Clock, nursery: trio.Nursery
) -> None:
    house.disk.fails = lambda changes: TypeError() if PlayerForgotten(3) in changes else None
    nursery.start_soon(house.journal.run)
    for number in range(1, 6):
        house.step(number)
    await house.journal.flush()
    assert house.log == ["told 1", "told 2", "spoiled 3: TypeError", "told 4", "told 5"]
    assert [change for kept in house.disk.kept for change in kept] == [
        PlayerForgotten(number) for number in (1, 2, 4, 5)
    ]


async def test_a_step_that_can_never_be_kept_ends_a_standstill(
    house: House, autojump_clock: Clock, nursery: trio.Nursery
) -> None:
    house.disk.is_quick = False
    house.disk.fails = lambda _: TypeError()
    nursery.start_soon(house.journal.run)
    house.step(1)
    await trio.sleep(1.5)
    house.disk.finish()
    await trio.testing.wait_all_tasks_blocked()
    assert house.log == ["stuck: the disk is slow", "unstuck", "spoiled 1: TypeError"]


async def test_a_flush_waits_for_what_was_added_before_and_for_nothing_else(
    house: House, autojump_clock: Clock, nursery: trio.Nursery
) -> None:
    house.disk.is_quick = False
    nursery.start_soon(house.journal.run)

    def tell() -> None:  # as where a step that is spoiled ends its room
        house.log.append("told 1")
        house.step(2)

    house.journal.add([PlayerForgotten(1)], tell, lambda _: None)
    nursery.start_soon(house.journal.flush)
    await trio.testing.wait_all_tasks_blocked()
    house.disk.finish()
    with trio.fail_after(1.0):
        flushed = trio.Event()

        async def flush() -> None:
            await house.journal.flush()
            flushed.set()

        nursery.start_soon(flush)
        await trio.testing.wait_all_tasks_blocked()
        house.disk.finish()
        await flushed.wait()
    assert house.log == ["told 1", "told 2"]
    assert house.journal.is_idle


async def test_a_disk_that_was_done_in_time_is_not_slow_where_the_server_was_busy_meanwhile(
    house: House, mock_clock: Clock, nursery: trio.Nursery
) -> None:
    """Both have come to pass when it looks again: that the patience is over, and that the disk is done."""
    house.disk.is_quick = False
    nursery.start_soon(house.journal.run)
    for number in range(50):
        house.step(number)
        await trio.testing.wait_all_tasks_blocked()
        trio.lowlevel.current_trio_token().run_sync_soon(house.disk.finish)
        mock_clock.jump(5.0)
        await trio.testing.wait_all_tasks_blocked()
    assert house.log == [f"told {number}" for number in range(50)]
