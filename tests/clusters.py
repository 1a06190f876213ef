"""A real Dask cluster on this machine: a scheduler and workers that are processes, all of them gone at the end.

What is run as a program forks them, so that the libraries are loaded once.
"""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from tests.serving import doomed

STOPS: Final = """
import os
from threading import Event

made = 0

class Stops:
    def __init__(self, rng):
        global made
        made += 1
        self.rng = rng
        if made == 6:
            try:
                open({stopped!r}, "x").close()
            except FileExistsError:
                return
            with open({told!r}, "w") as told:
                told.write(f"{{os.getpid()}} {{os.getppid()}}")
            Event().wait()

    def decide(self, view):
        return self.rng.choice(view.legal)
"""
"""The first of its processes that has played a few blocks stops, and tells which it is."""
_SECONDS: Final = 120.0
"""After which nothing is left of a cluster, whatever happens."""


@dataclass(frozen=True, slots=True)
class Running:
    address: str
    scheduler: int
    """Its process."""
    _orders: IO[str]
    _answers: IO[str]

    def work(self, workers: int = 1, *, threads: int = 1, kille: str = "this") -> list[int]:
        """Processes that are workers more, and ready. `kille`: which they have, "this", "other" or "none"."""
        for _ in range(workers):
            self._orders.write(f"{threads} {kille}\n")
        self._orders.flush()
        return [int(self._answers.readline()) for _ in range(workers)]


def stops(path: Path) -> Path:
    """Write that bot; gives the pipe from which one reads the process, and that of the worker."""
    told, stopped = path.with_suffix(".told"), path.with_suffix(".stopped")
    os.mkfifo(told)
    path.write_text(STOPS.format(stopped=str(stopped), told=str(told)), encoding="utf-8")
    return told


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


@contextmanager
def running(folder: Path, *, deaths: int = 3) -> Iterator[Running]:
    """A cluster without a worker. `folder`: for what Dask writes. `deaths`: of workers, that a task survives."""
    environment = os.environ | {
        "DASK_TEMPORARY_DIRECTORY": str(folder),
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": str(deaths),
    }
    with (
        (folder / "cluster.log").open("wb") as log,
        subprocess.Popen(
            [sys.executable, "-m", "tests.clusters"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            start_new_session=True,
            env=environment,
        ) as process,
        doomed(process, is_group=True, after=_SECONDS),
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        pid, address = process.stdout.readline().split()
        yield Running(address, int(pid), process.stdin, process.stdout)


def main() -> None:
    import distributed  # noqa: PLC0415  the tests themselves need not

    async def schedule() -> None:
        async with distributed.Scheduler(host="127.0.0.1", port=0, dashboard_address=":0") as scheduler:
            sys.stdout.write(f"{os.getpid()} {scheduler.address}\n")
            sys.stdout.flush()
            await scheduler.finished()

    async def work(address: str, threads: int) -> None:
        async with distributed.Worker(address, nthreads=threads) as worker:
            os.write(answers, f"{os.getpid()}\n".encode())
            await worker.finished()

    answers = os.dup(1)
    ours, theirs = os.pipe()
    os.dup2(theirs, 1)
    _fork(schedule())
    said = os.read(ours, 1000)
    os.write(answers, said)
    from kille_net.arena import chunks  # noqa: PLC0415  a scheduler has no need of it

    for line in sys.stdin:
        threads, kille = line.split()
        if kille == "other":
            vars(chunks)["KILLE"] = "another"
        _fork(work(said.split()[1].decode(), int(threads)), without_kille=kille == "none")
    os.killpg(0, signal.SIGKILL)  # whoever wanted it has gone


def _fork(what: Coroutine[Any, Any, None], *, without_kille: bool = False) -> None:
    """A process that does it and ends."""
    if os.fork():
        what.close()
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if without_kille:
        modules: dict[str, Any] = sys.modules
        modules.update(dict.fromkeys([name for name in modules if name.startswith("kille_net")]))
    asyncio.run(what)
    os._exit(0)


if __name__ == "__main__":
    main()
