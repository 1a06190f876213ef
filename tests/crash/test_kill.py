"""The real server, killed with signal 9 at any moment and started again (row 49 of the catalogue).

What the server has acknowledged is remembered here, outside of it, and compared in the end with what it kept.
"""

import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Final

import pytest
import trio
from msgspec.structs import replace

from kille_net.game.reading import parse_line
from kille_net.game.record import By, HandLine, Played, to_json
from kille_net.game.replay import verify
from kille_net.server.channel import NoChannel, ask
from kille_net.server.saving import MatchSaved, Record
from kille_net.server.store import Store
from kille_net.wire import messages as m
from tests.catalogue.rows import row
from tests.crash.child import PLACES, When
from tests.crash.player import Lasting
from tests.deep import FIGURES, IS_DEEP, rounds, size
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
    rest=60_000,
    watching=m.Watching.EVERYONE,
    coach=m.Coach.ALLOWED,
)
QUICK: Final = replace(TABLE, length=m.Length.SHORT, pots=1)
LITTLE: Final = {
    "after SecretDrawn is written",
    "before MatchBegun is written",
    "after a commit, before anybody knows",
    "after a step is told",
    "after a welcome",
    "when a line is lost",
    "before a copy is made",
    "after the rooms were restored",
    "before MatchOver is written",
    "before RecordWritten is written",
}
"""What is tried with every change."""


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


class Town:
    """A server that comes again on its port and folder, and three who play on it."""

    def __init__(self, data: Path, table: m.Options = TABLE) -> None:
        self.data = data / "data"
        self.records = data / "records"
        self.table = table
        self.port = _free_port()
        self.players = [Lasting(name, self.port) for name in ("Ada", "Bo", "Cilla")]

    @asynccontextmanager
    async def server(self, *place: str) -> AsyncIterator["subprocess.Popen[bytes]"]:
        """`place`: where in it, and at which time, it kills itself."""
        command = [sys.executable, "-m", "tests.crash.child", *place] if place else KILLE
        folders = ("--data", str(self.data), "--records", str(self.records))
        options = ("serve", "--host", "127.0.0.1", "--port", str(self.port), *folders)
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
        await ada.do(m.Create(id=ada.next_id(), room="Krogen", options=self.table, password=None))
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
        self._check_actions(match.steps)
        lines = [to_json(match.header), *map(to_json, match.lines)]
        verdict = verify(lines)
        assert verdict.error is not None
        assert verdict.error.text == "the record stops here, without an end line", verdict.error
        assert verdict.hands > 0

    def check_record(self) -> None:
        """The same of a match that is over, by its record, of which there is one."""
        (path,) = self.records.iterdir()
        lines = path.read_text(encoding="utf-8").splitlines()
        assert verify(lines).error is None
        hands = [line for line in map(parse_line, lines) if isinstance(line, HandLine)]
        self._check_actions([action for hand in hands for action in hand.actions])
        assert not self.unrecorded()

    def unrecorded(self) -> list[Record]:
        store = Store(self.data)
        unrecorded = store.unrecorded()
        store.close()
        return unrecorded

    def _check_actions(self, steps: Sequence[object]) -> None:
        for player in self.players:
            done = [
                step.action.code
                for step in steps
                if isinstance(step, Played) and step.seat == player.seat and step.by is By.PLAYER
            ]
            told = [do.value for _, do in sorted(player.acknowledged)]
            under_way = [command.do.value for command in player.open.values() if isinstance(command, m.Decide)]
            assert done in (told, [*told, *under_way[:1]]), player.name
            assert not player.refused, player.name


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
async def playing(data: Path, table: m.Options = TABLE) -> AsyncIterator[Town]:
    town = Town(data, table)
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
@pytest.mark.parametrize("number", range(size(1, 13)))
async def test_killed_at_random_it_goes_on_and_nothing_acknowledged_is_lost(
    number: int, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    chance = Random(49 + number)
    kills = 0
    async with playing(tmp_path) as town:
        async with town.server() as process:
            await town.sit_down()
            await until(lambda: town.acknowledged > 3)
            process.kill()
        for kills in rounds(6, 77):  # the match lasts for a hundred
            async with town.server() as process:
                await until(town.goes_on(kills))
                await trio.sleep(chance.uniform(0.0, 0.1))
                process.kill()
        async with town.server() as process:
            await _play_until_stopped(town, process)
    town.check()
    record_property(FIGURES, {"kills of the real server": kills + 2, "actions acknowledged": town.acknowledged})


@row(46)
async def test_told_to_stop_at_any_moment_once_or_twice_it_has_kept_what_was_acknowledged(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    chance = Random(46)
    stops = 0
    async with playing(tmp_path) as town:
        for stops in rounds(4, 500):
            async with town.server() as process:
                if stops == 0:
                    await town.sit_down()
                    await until(lambda: town.acknowledged > 3)
                else:
                    await until(town.goes_on(stops - 1))
                await trio.sleep(chance.uniform(0.0, 0.1))
                process.send_signal(signal.SIGTERM)
                if is_twice := stops % 2 == 1:
                    await trio.sleep(chance.uniform(0.0, 0.02))
                    process.send_signal(signal.SIGTERM)
                assert await exits(process) in ({0, 128 + signal.SIGTERM} if is_twice else {0})
            town.check()
    record_property(FIGURES, {"stops of the real server": stops + 1})


def _named(*when: When) -> list[str]:
    return [name for name, place in PLACES.items() if place.when in when and (IS_DEEP or name in LITTLE)]


def test_there_are_as_many_named_places_as_are_asked_for() -> None:
    assert len(PLACES) >= 30
    assert PLACES.keys() >= LITTLE


@row(49)
@pytest.mark.parametrize("name", _named(*set(When) - {When.ENDING}))
async def test_killed_at_a_named_place_it_goes_on(name: str, tmp_path: Path) -> None:
    place = PLACES[name]
    times = Random(name).randint(1, place.most)
    async with playing(tmp_path) as town:
        if place.when is When.COMING_BACK:
            async with town.server() as process:
                await town.sit_down()
                await until(lambda: town.acknowledged > 3)
                process.kill()
            async with town.server(name, str(times)) as process:
                code = await exits(process)
        else:
            async with town.server(name, str(times)) as process, trio.open_nursery() as nursery:
                nursery.start_soon(town.sit_down)  # from there on, so that every kind of change comes
                if place.when in MEANWHILE:
                    nursery.start_soon(MEANWHILE[place.when], town)
                code = await exits(process)
                nursery.cancel_scope.cancel()
        assert code == -signal.SIGKILL
        async with town.server() as process:
            await _start_again(town)
            await _play_until_stopped(town, process)
    town.check()


@row(49)
@pytest.mark.parametrize("name", _named(When.ENDING))
async def test_killed_when_a_match_ends_it_has_ended_once(name: str, tmp_path: Path) -> None:
    async with playing(tmp_path, QUICK) as town:
        async with town.server(name, "1") as process:
            await town.sit_down()
            assert await exits(process) == -signal.SIGKILL
        async with town.server() as process:
            for player in town.players:
                player.here = trio.Event()
            await until(lambda: any(town.records.glob("*.jsonl")))
            for player in town.players:
                await player.here.wait()
            await until(lambda: not any(player.open for player in town.players))
            process.send_signal(signal.SIGTERM)
            assert await exits(process) == 0
    town.check_record()


async def _cut_lines(town: Town) -> None:
    """Of those who play, one after the other."""
    await until(lambda: all(player.acknowledged for player in town.players))
    for player in cycle(town.players):
        if player._stream is not None:
            await trio.aclose_forcefully(player._stream)
        await trio.sleep(0.1)


async def _make_copies(town: Town) -> None:
    await until(lambda: town.acknowledged > 3)
    with suppress(NoChannel):  # it is killed before it answers
        request: dict[str, object] = {"command": "backup", "file": str(town.data.parent / "copy.sqlite3")}
        await trio.to_thread.run_sync(partial(ask, town.data, request, SECONDS), abandon_on_cancel=True)


MEANWHILE: Final = {When.LEAVING: _cut_lines, When.COPYING: _make_copies}


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
                await player.do(m.Create(id=player.next_id(), room="Krogen", options=town.table, password=None))
            else:
                await player.do(m.Join(id=player.next_id(), room="Krogen", password=None))
            await until(is_seated)
        for player in town.players:
            await player.do(m.Ready(id=player.next_id(), ready=True))
