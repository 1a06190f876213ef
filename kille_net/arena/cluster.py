"""Blocks of matches, played by the workers of a Dask cluster, with the outcome of `blocks.play_blocks`.

Owns how much is asked of the cluster at a time, and that its errors are few and ours. Refuses all that Dask does: who
plays what, workers that come, go or are lost, what is played again. Everybody in a Dask cluster can have all others run
anything.
"""

import asyncio
import logging
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Final

import distributed

from kille_net.arena.blocks import Block, ClusterLost, Logs, WorkerLost, write_record
from kille_net.arena.chunks import KILLE, Chunk, OtherKille, order, played
from kille_net.arena.plan import Plan

__all__ = ["Cluster", "NoCluster", "chunk_size", "cluster"]

_PATIENCE: Final = 5.0
"""Seconds for the scheduler to answer at first."""
_LOOK: Final = 2.0
"""Seconds after which it is asked whether there is anybody to wait for."""
_AHEAD: Final = 2
"""Chunks that a thread of a worker has been given and not answered: one to play, one so that it need not wait."""
_MOST: Final = 16
"""Blocks of a chunk."""
_EAGER: Final = 4
"""What has been given out is at least so many times what is given out ahead, however many blocks a chunk has."""

# Names of ours as text, since Dask loses a worker that cannot read what it is to do.
_CHUNKS: Final = "__import__('kille_net.arena.chunks', fromlist=['chunks'])"
_PLAY: Final = f"{_CHUNKS}.play(kille, asked, first, last)"
_WHO: Final = f"{_CHUNKS}.KILLE"


class NoCluster(Exception):
    """There is none at the address, because of what it was raised from."""


@contextmanager
def cluster(address: str, idle: Callable[[], None] = lambda: None) -> "Iterator[Cluster]":
    """The one whose scheduler is at the address, as Dask writes it; calls `idle` while it has nobody who plays.

    Raises NoCluster, OtherKille.
    """
    with _silent(), ExitStack() as until_end:
        asyncio.run(_must_be_scheduler(address))
        try:
            client = distributed.Client(address, timeout=_PATIENCE, set_as_default=False)
            until_end.callback(client.close, timeout=_PATIENCE)
            found = Cluster(client, idle)
            found.must_be_kille()
        except (ClusterLost, OSError) as error:
            raise NoCluster from _root(error)
        yield found


@contextmanager
def _silent() -> Iterator[None]:
    """What is wrong is told by exceptions, not by Dask's logs and warnings as well."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings(action="ignore"):
            yield
    finally:
        logging.disable(before)


async def _must_be_scheduler(address: str) -> None:
    """Dask's own client waits for ever for a stranger that does not answer."""
    try:
        secured = distributed.Security().get_connection_args("client")
        peer = distributed.rpc(address, connection_args=secured, timeout=_PATIENCE / 2)
        async with asyncio.timeout(_PATIENCE), peer:
            kind = (await peer.identity())["type"]
    except Exception as error:  # whatever Dask makes of an address, or of a stranger's answer
        raise NoCluster from _root(error)
    if kind != "Scheduler":
        raise NoCluster


def _root(error: BaseException) -> BaseException:
    """The first of its causes that says anything."""
    root = None if error.__cause__ is None else _root(error.__cause__)
    return root if root is not None and str(root) else error


class Cluster:
    def __init__(self, client: distributed.Client, idle: Callable[[], None]) -> None:
        self._client = client
        self._idle = idle

    def must_be_kille(self) -> None:
        """Raises OtherKille, which names all workers that are not this one; ClusterLost."""
        with self._telling_lost():
            who = self._client.run(eval, _WHO, on_error="return")
        others = [worker for worker, kille in who.items() if kille != KILLE and not isinstance(kille, OSError)]
        if others:
            raise OtherKille(", ".join(sorted(others)))

    def play_blocks(
        self, plan: Plan, records: Path | None = None, *, first: int = 0, heads: Sequence[str] = ()
    ) -> Generator[Block, None, None]:
        """The blocks of the plan from `first` on, in order. `heads`: as of `Logs`.

        There are records of no block but those that were given out. Raises BotError, OSError; OtherKille; WorkerLost
        when processes that play end by themselves, ClusterLost.
        """
        logs = Logs(plan, heads)
        for chunk in self._chunks(plan, order(plan, is_recorded=records is not None), first):
            for block in chunk.blocks:
                logs.write(block)
                if records is not None:
                    for rotation in range(plan.rotations):
                        number = plan.match_number(block.number, rotation)
                        write_record(records, number, chunk.records[number])
                yield block

    def _chunks(self, plan: Plan, asked: bytes, given: int) -> Iterator[Chunk]:
        run = token_hex(8)
        ahead: deque[distributed.Future] = deque()
        while ahead or given < plan.blocks:
            threads = max(1, self._threads())
            while given < plan.blocks and len(ahead) < _AHEAD * threads:
                last = given + chunk_size(given, plan.blocks - given, threads)
                values = {"kille": KILLE, "asked": asked, "first": given, "last": last}
                with self._telling_lost():
                    ahead.append(self._client.submit(eval, _PLAY, values, key=f"kille-{run}-{given}"))
                given = last
            yield played(self._answer(ahead.popleft()))

    @contextmanager
    def _telling_lost(self) -> Iterator[None]:
        try:
            yield
        except (CancelledError, OSError) as error:  # timeouts and closed connections are such
            raise ClusterLost from error
        except Exception as error:
            if self._client.status == "running":
                raise
            raise ClusterLost from error  # of a client that is closed nothing is left to ask

    def _threads(self) -> int:
        with self._telling_lost():
            return sum(self._client.nthreads().values())

    def _answer(self, future: distributed.Future) -> bytes:
        with self._telling_lost():
            self._wait(future)
            try:
                answer: bytes = future.result()
            except distributed.KilledWorker:
                raise WorkerLost from None
            except (ImportError, AttributeError):  # there is no Kille, or one without this
                answer = b""
        if not answer:
            self.must_be_kille()
        return answer

    def _wait(self, future: distributed.Future) -> None:
        idle: Callable[[], None] | None = self._idle
        while True:
            try:
                future.exception(timeout=_LOOK)  # gives it, and raises none but its own
                return
            except TimeoutError:
                if idle is not None and not self._threads():
                    idle()
                    idle = None


def chunk_size(given: int, left: int, threads: int) -> int:
    """How many blocks go out together, when so many went out before and `threads` play.

    One at first, so that there is something to see soon; more when there were many, since each chunk costs the cluster
    some milliseconds; less at the end, where all threads are to be done at about the same time.
    """
    ahead = _AHEAD * threads
    return max(1, min(_MOST, given // (_EAGER * ahead), left // ahead))
