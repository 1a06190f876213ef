"""A program that stands still in the middle of play, on real sockets (row 14 of the catalogue)."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
import trio

from kille_net.wire import messages as m
from tests.catalogue.rows import row
from tests.crash.player import Lasting
from tests.deep import IS_DEEP
from tests.server.house import options
from tests.serving import doomed, serving

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no program can be stopped there")

ROOT: Final = Path(__file__).parents[2]
LIMITS: Final = () if IS_DEEP else ("--limit", "ping=0.5", "--limit", "silence=2.0", "--limit", "write=2.0")
AT_MOST: Final = 20.0 if IS_DEEP else 5.0
"""Seconds until whoever reads nothing is parted from."""
MOST_WAIT: Final = 0.05 if IS_DEEP else 0.5
"""Seconds for an answer to anybody else."""


class Observer(Lasting):
    """Hears what becomes of the others."""

    def __init__(self, name: str, port: int) -> None:
        super().__init__(name, port)
        self.news: list[tuple[m.News, str | None]] = []
        self.waits: list[float] = []

    async def _heard(self, message: object) -> None:
        if isinstance(message, m.RoomChanged):
            self.news.append((message.news, message.who))
        await super()._heard(message)

    async def hears(self, news: m.News, who: str) -> None:
        while (news, who) not in self.news:  # noqa: ASYNC110  another task reads
            await trio.sleep(0.01)

    async def click(self) -> None:
        """Ask for something again and again, and take note of how long the answers take."""
        while True:
            began = trio.current_time()
            number = self.next_id()
            await self.do(m.Join(id=number, room="Krogen", password=None))  # which is refused: it sits there
            while number in self.open:  # noqa: ASYNC110  another task reads
                await trio.sleep(0.001)
            self.waits.append(trio.current_time() - began)
            await trio.sleep(0.1)


@contextmanager
def other_program(port: int, name: str, room: str) -> Iterator["subprocess.Popen[str]"]:
    """Somebody who plays in a process of its own, and prints a line for each snapshot."""
    command = [sys.executable, "-m", "tests.catalogue.stopped", str(port), name, room]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process, doomed(process):
        yield process


@row(14)
async def test_a_program_that_stands_still_loses_its_line_in_time_and_comes_back_with_a_snapshot() -> None:
    room = options(3, computers=1, clock=60, pots=99)
    with serving(*LIMITS) as port:
        ada = Observer("Ada", port)
        async with trio.open_nursery() as nursery:
            with trio.fail_after(100.0):
                nursery.start_soon(ada.run)
                await ada.here.wait()
                await ada.do(m.Create(id=ada.next_id(), room="Krogen", options=room, password=None))
                with other_program(port, "Bo", "Krogen") as bo:
                    assert bo.stdout is not None
                    await ada.hears(m.News.READY, "Bo")
                    await ada.do(m.Ready(id=ada.next_id(), ready=True))
                    while ada.questions < 3:  # noqa: ASYNC110  another task reads
                        await trio.sleep(0.01)
                    nursery.start_soon(ada.click)
                    bo.send_signal(signal.SIGSTOP)
                    began = time.monotonic()
                    await ada.hears(m.News.LOST, "Bo")
                    assert time.monotonic() - began <= AT_MOST
                    if IS_DEEP:
                        await trio.sleep(AT_MOST + 5.0 - (time.monotonic() - began))
                    bo.send_signal(signal.SIGCONT)
                    await ada.hears(m.News.BACK, "Bo")
                    lines = [await trio.to_thread.run_sync(bo.stdout.readline) for _ in range(2)]
                    assert lines == ["snapshot\n"] * 2, "the first as it joined, the second as it came back"
            nursery.cancel_scope.cancel()
    assert sorted(ada.waits)[len(ada.waits) * 99 // 100] < MOST_WAIT
