"""Days of play in little (row 54 of the catalogue): many bots, lines that are cut, one who never reads, one who is all
noise.

The server is a process of its own with a store; everybody else is in this one, and thinks a little before each answer.
"""

import re
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

import pytest
import trio

from kille_net.wire import Connection, Role, frame
from kille_net.wire import messages as m
from tests.catalogue.rows import row
from tests.crash.player import Lasting
from tests.deep import FIGURES, IS_DEEP, seconds
from tests.server.house import options
from tests.serving import KILLE, doomed, kille

SEATS: Final = 4
BOTS: Final = 200 if IS_DEEP else 24
THINKS: Final = (0.2, 1.0) if IS_DEEP else (0.02, 0.1)
"""Seconds."""
SLOW: Final = (2.0, 2.0)
"""What one at the first table needs (row 15)."""
MOST_LAG: Final = 0.02 if IS_DEEP else 0.25
"""Seconds that the server's loop may be late, one of the bounds by which it counts them…"""
IN_TIME: Final = 0.99 if IS_DEEP else 0.9
"""…and in what share of all cases it must not be later; other tests run beside a short one."""
MOST_GROWTH: Final = 20_000_000
"""Bytes, after everybody has played a while."""


@dataclass(eq=False)
class Soaked(Lasting):
    """Answers after a while, plays one match after the other, and takes note of how long its answers took."""

    chance: Random = field(default_factory=Random)
    latencies: list[float] = field(default_factory=list)
    matches: int = 0
    thinks: tuple[float, float] = THINKS
    nursery: trio.Nursery | None = None
    _said_at: dict[int, float] = field(default_factory=dict)

    async def do(self, make: m.Command) -> None:
        if isinstance(make, m.Decide):
            await trio.sleep(self.chance.uniform(*self.thinks))
        self._said_at[make.id] = trio.current_time()
        await super().do(make)

    async def _heard(self, message: object) -> None:
        if isinstance(message, m.Ok | m.Refused) and message.id in self._said_at:
            self.latencies.append(trio.current_time() - self._said_at.pop(message.id))
        if isinstance(message, m.RoomChanged) and message.news is m.News.ENDED:
            self.matches += 1
            await self.do(m.Ready(id=self.next_id(), ready=True))
        if isinstance(message, m.Question):  # thinking holds up nothing else that this one hears
            assert self.nursery is not None
            self.nursery.start_soon(self._answer, message)
            return
        await super()._heard(message)

    async def _answer(self, question: m.Question) -> None:
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            await super()._heard(question)


class Server:
    """What can be seen of the process from outside."""

    def __init__(self, process: "subprocess.Popen[bytes]", metrics: int) -> None:
        self._proc = Path("/proc", str(process.pid))
        self._metrics = metrics

    @property
    def memory(self) -> int:
        """Resident, in bytes."""
        found = re.search(r"VmRSS:\s+(\d+) kB", (self._proc / "status").read_text())
        assert found is not None
        return int(found[1]) * 1024

    @property
    def files(self) -> int:
        return len(list((self._proc / "fd").iterdir()))

    async def numbers(self) -> dict[str, float]:
        def fetch() -> str:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._metrics}/metrics", timeout=20) as answer:
                return str(answer.read().decode())

        text = await trio.to_thread.run_sync(fetch)
        lines = (line.rpartition(" ") for line in text.splitlines() if line and not line.startswith("#"))
        return {name: float(value) for name, _, value in lines}


def _share_in_time(before: dict[str, float], after: dict[str, float]) -> float:
    """Of the dates of the server's loop between these numbers, for how many it was at most so late as it may be."""
    name = "kille_loop_lag_seconds"
    in_time, dates = (after[key] - before[key] for key in (f'{name}_bucket{{le="{MOST_LAG}"}}', f"{name}_count"))
    assert dates > 0
    return in_time / dates


def _free_ports(count: int) -> list[int]:
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


async def _stuck(port: int) -> None:
    """Asks for more than it reads."""
    while True:
        with suppress(OSError, trio.BrokenResourceError):
            async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
                connection: Connection[m.ServerMessage, m.ClientMessage] = Connection(Role.CLIENT)
                name = "Stuck"
                hello = m.Hello(versions=(1,), agent="stuck", name=name, bot=True, ticket=None, password=None)
                await stream.send_all(connection.send(hello))
                for number in range(1, 100_000):
                    await stream.send_all(frame(m.ListRooms(id=number, page=0)))
        await trio.sleep(1.0)


async def _noise(port: int, chance: Random) -> None:
    while True:
        with suppress(OSError, trio.BrokenResourceError):
            async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
                for _ in range(chance.randint(1, 20)):
                    await stream.send_all(chance.randbytes(chance.randint(1, 600)))
        await trio.sleep(0.1)


async def _churn(players: list[Soaked], chance: Random) -> None:
    """Cut somebody's line each second."""
    while True:
        await trio.sleep(1.0)
        player = chance.choice(players)
        if player._stream is not None:
            await trio.aclose_forcefully(player._stream)


async def _sit_down(players: list[Soaked], number: int) -> None:
    room = options(SEATS, clock=60, pots=1)
    first, *others = players
    for player in players:
        await player.here.wait()
    await first.do(m.Create(id=first.next_id(), room=f"R{number}", options=room, password=None))
    while first.open:  # noqa: ASYNC110  another task reads
        await trio.sleep(0.01)
    for player in others:
        await player.do(m.Join(id=player.next_id(), room=f"R{number}", password=None))
    while any(player.open for player in players):  # noqa: ASYNC110  likewise
        await trio.sleep(0.01)
    for player in players:
        await player.do(m.Ready(id=player.next_id(), ready=True))


@row(15, 54)
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="this system does not show a process's memory and files")
async def test_nothing_grows_and_nobody_waits(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    chance = Random(54)
    lasts = seconds(8.0, 3600.0)
    port, metrics = _free_ports(2)
    players = [Soaked(f"B{number}", port, chance=Random(number)) for number in range(BOTS)]
    players[0].thinks = SLOW
    samples: list[tuple[int, int, float]] = []
    where = ("--host", "127.0.0.1", "--port", str(port), "--metrics", f"127.0.0.1:{metrics}")
    command = [*KILLE, "serve", "--data", str(tmp_path), *where]
    with (
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process,  # noqa: ASYNC220  returns at once
        doomed(process, after=lasts + 600.0),
    ):
        async with trio.open_nursery() as nursery:
            server = Server(process, metrics)
            for player in players:
                player.nursery = nursery
                nursery.start_soon(player.run)
            for number in range(BOTS // SEATS):
                nursery.start_soon(_sit_down, players[number * SEATS : (number + 1) * SEATS], number)
            with trio.fail_after(60.0):
                while not all(player.acknowledged for player in players):  # noqa: ASYNC110  other tasks play
                    await trio.sleep(0.05)
            nursery.start_soon(_stuck, port)
            nursery.start_soon(_noise, port, chance)
            nursery.start_soon(_churn, players, chance)
            await trio.sleep(min(lasts / 4, 120.0))
            first = numbers = await server.numbers()
            until = time.monotonic() + lasts
            while time.monotonic() < until or not any(player.matches for player in players):
                samples.append((server.memory, server.files, numbers["kille_tasks"]))
                await trio.sleep(min(10.0, lasts / 10))
                numbers = await server.numbers()
            nursery.cancel_scope.cancel()
        process.send_signal(signal.SIGTERM)
        assert process.wait(60.0) == 0
    memory, files, tasks = zip(*samples, strict=True)
    latencies = sorted(latency for player in players for latency in player.latencies)
    p99 = latencies[len(latencies) * 99 // 100]
    figures = {
        "soak seconds": round(lasts),
        "soak actions": round(numbers["kille_actions_total"]),
        "soak matches": sum(player.matches for player in players) // SEATS,
        "soak microseconds, answer, p99": round(p99 * 1e6),
        "soak bytes of memory grown": max(0, memory[-1] - memory[0]),
        "soak most files open": max(files),
        "soak most tasks": round(max(tasks)),
        "soak per mille of the loop's dates kept": int(_share_in_time(first, numbers) * 1000),
    }
    record_property(FIGURES, figures)
    assert numbers["kille_faults_total"] == 0
    assert memory[-1] - memory[0] < MOST_GROWTH, figures
    assert max(files) < BOTS + 64, figures
    assert files[-1] <= files[0] + 8, figures
    assert max(tasks) < 2 * BOTS + 64, figures
    assert tasks[-1] <= tasks[0] + 8, figures
    assert _share_in_time(first, numbers) >= IN_TIME, figures
    assert p99 < (0.05 if IS_DEEP else 0.5), figures
    late = {
        m.RefusalCode.OLD_TURN,
        m.RefusalCode.NO_HAND,
        m.RefusalCode.NOT_PLAYING,
    }  # of those whose line was cut: the default played for them
    assert {refused.code for player in players for refused in player.refused} <= late
    exported = kille("history", "--data", str(tmp_path), "export", "--all", "--out", str(tmp_path / "records"))
    assert exported.returncode == 0, exported.stderr
    assert list((tmp_path / "records").glob("*.jsonl"))
    verdict = kille("verify", str(tmp_path / "records"), seconds=600.0)
    assert verdict.returncode == 0, verdict.stderr
