"""The real server, killed with signal 9 at any moment and started again (hardening.md, row 49).

What the server has acknowledged is remembered here, outside of it, and compared in the end with what it kept.
"""

import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Final

import pytest
import trio

from kille_net.game.record import By, Played, to_json
from kille_net.game.replay import verify
from kille_net.server.saving import MatchSaved
from kille_net.server.store import Store
from kille_net.wire import messages as m
from tests.catalogue.rows import row
from tests.crash.child import PLACES
from tests.crash.player import Lasting
from tests.deep import FIGURES, IS_DEEP, rounds
from tests.serving import KILLE, doomed

SECONDS: Final = 60.0
ROOT: Final = Path(__file__).parents[2]
TABLE: Final = m.Options(
    seats=4,
    format=m.Format.POTS,
    length=m.Length.LONG,
    dealt_harlekin=m.Rank.HIGH,
    pots=99,
    computers=1,
    level=m.Level.EASY,
    clock=60,
    pace=0,
    window=0,
    rest=0,
    watching=m.Watching.EVERYONE,
)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


class Town:
    """A server that comes again on its port and folder, and three who play on it."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.port = _free_port()
        self.players = [Lasting(name, self.port) for name in ("Ada", "Bo", "Cilla")]

    @asynccontextmanager
    async def server(self, *place: str) -> AsyncIterator["subprocess.Popen[bytes]"]:
        """`place`: where in it, and at which time, it kills itself."""
        command = [sys.executable, "-m", "tests.crash.child", *place] if place else KILLE
        options = ("serve", "--host", "127.0.0.1", "--port", str(self.port), "--data", str(self.data))
        with (
            subprocess.Popen(  # noqa: ASYNC220  returns at once
                [*command, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT
            ) as process,
            doomed(process),
        ):
            yield process

    async def sit_down(self) -> None:
        ada = self.players[0]
        for player in self.players:
            await player.here.wait()
        await ada.do(m.Create(id=ada.next_id(), room="Krogen", options=TABLE, password=None))
        await until(lambda: ada.seat >= 0)
        for player in self.players[1:]:
            await player.do(m.Join(id=player.next_id(), room="Krogen", password=None))
        await until(lambda: all(player.seat >= 0 for player in self.players))
        for player in self.players:
            await player.do(m.Ready(id=player.next_id(), ready=True))

    def goes_on(self, restarts: int) -> Callable[[], bool]:
        """Whether all have come back after so many restarts before this, and something new was acknowledged."""
        before = self.acknowledged
        return lambda: self.acknowledged > before and all(player.snapshots > 1 + restarts for player in self.players)

    @property
    def acknowledged(self) -> int:
        return sum(len(player.acknowledged) for player in self.players)

    def kept(self) -> MatchSaved:
        store = Store(self.data)
        (room,) = store.load().rooms
        store.close()
        assert room.match is not None
        return room.match

    def check(self) -> None:
        """Each answer that was acknowledged took effect once, and no other did, but one that was under way."""
        match = self.kept()
        for player in self.players:
            done = [
                step.action.code
                for step in match.steps
                if isinstance(step, Played) and step.seat == player.seat and step.by is By.PLAYER
            ]
            told = [do.value for _, do in sorted(player.acknowledged)]
            under_way = [command.do.value for command in player.open.values() if isinstance(command, m.Decide)]
            assert done in (told, [*told, *under_way[:1]]), player.name
            assert not player.refused, player.name
        lines = [to_json(match.header), *map(to_json, match.lines)]
        verdict = verify(lines)
        assert verdict.error is not None
        assert verdict.error.text == "the record stops here, without an end line", verdict.error
        assert verdict.hands > 0


async def until(is_so: Callable[[], bool]) -> None:
    with trio.fail_after(SECONDS):
        while not is_so():  # noqa: ASYNC110  another process is waited for
            await trio.sleep(0.01)


async def exits(process: "subprocess.Popen[bytes]") -> int:
    with trio.fail_after(SECONDS):
        while (code := process.poll()) is None:  # noqa: ASYNC110  another process is waited for
            await trio.sleep(0.01)
    return code


@asynccontextmanager
async def playing(data: Path) -> AsyncIterator[Town]:
    town = Town(data)
    async with trio.open_nursery() as nursery:
        for player in town.players:
            nursery.start_soon(player.run)
        yield town
        nursery.cancel_scope.cancel()


async def _play_until_stopped(town: Town, process: "subprocess.Popen[bytes]") -> None:
    before = town.acknowledged
    await until(lambda: town.acknowledged > before + 10)
    process.send_signal(signal.SIGTERM)
    assert await exits(process) == 0


@row(49)
async def test_killed_at_random_it_goes_on_and_nothing_acknowledged_is_lost(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    chance = Random(49)
    kills = 0
    async with playing(tmp_path) as town:
        async with town.server() as process:
            await town.sit_down()
            await until(lambda: town.acknowledged > 3)
            process.kill()
        for kills in rounds(6, 1000):
            async with town.server() as process:
                await until(town.goes_on(kills))
                await trio.sleep(chance.uniform(0.0, 0.1))
                process.kill()
        async with town.server() as process:
            await _play_until_stopped(town, process)
    town.check()
    record_property(FIGURES, {"kills of the real server": kills + 2, "actions acknowledged": town.acknowledged})


@row(49)
@pytest.mark.parametrize("place", sorted(PLACES) if IS_DEEP else sorted(PLACES)[::2])
async def test_killed_at_a_named_place_it_goes_on(place: str, tmp_path: Path) -> None:
    chance = Random(place)
    async with playing(tmp_path) as town:
        # From the making of the room on, so that every kind of change comes.
        async with town.server(place, str(chance.randint(1, 6))) as process, trio.open_nursery() as nursery:
            nursery.start_soon(town.sit_down)
            code = await exits_or_plays(process, town)
            nursery.cancel_scope.cancel()
            process.kill()
        assert code in {None, -signal.SIGKILL}
        async with town.server() as process:
            await _start_again(town)
            await _play_until_stopped(town, process)
    town.check()


async def exits_or_plays(process: "subprocess.Popen[bytes]", town: Town) -> int | None:
    with trio.fail_after(SECONDS):
        while process.poll() is None and town.acknowledged < 60:  # noqa: ASYNC110  likewise
            await trio.sleep(0.01)
    return process.poll()


async def _start_again(town: Town) -> None:
    """Where the match had not begun, everybody is at a table, or makes it anew, and begins."""
    for player in town.players:
        await player.here.wait()
    await until(lambda: all(not player.open for player in town.players))
    if not any(player.questions for player in town.players):
        missing = [player for player in town.players if player.seat < 0]
        for player in missing:
            is_seated = partial(lambda player: player.seat >= 0, player)
            if player is town.players[0]:
                await player.do(m.Create(id=player.next_id(), room="Krogen", options=TABLE, password=None))
            else:
                await player.do(m.Join(id=player.next_id(), room="Krogen", password=None))
            await until(is_seated)
        for player in town.players:
            await player.do(m.Ready(id=player.next_id(), ready=True))
