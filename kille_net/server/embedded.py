"""A server for one process's own use, beside whatever else runs there: in a thread, on a free port of this machine."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from typing import TypeAlias

import trio

from kille_net.server.listening import open_listeners
from kille_net.server.serve import Config, Server

__all__ = ["embedded"]

_HOST = "127.0.0.1"
_Started: TypeAlias = tuple[int, trio.lowlevel.TrioToken, trio.CancelScope]


@contextmanager
def embedded() -> Iterator[int]:
    """The port of a server that runs as long as the context. Raises OSError where none can listen."""
    started: SimpleQueue[_Started | BaseException] = SimpleQueue()
    thread = threading.Thread(target=_run, args=(started,), name="server", daemon=True)
    thread.start()
    first = started.get()
    if isinstance(first, BaseException):
        raise first
    port, token, scope = first
    try:
        yield port
    finally:
        with suppress(trio.RunFinishedError):  # it has failed, and said so
            token.run_sync_soon(scope.cancel)
        thread.join()


def _run(started: "SimpleQueue[_Started | BaseException]") -> None:
    try:
        trio.run(_serve, started)
    except BaseException as error:  # whoever waits for the start is told, whatever it was
        started.put(error)
        raise


async def _serve(started: "SimpleQueue[_Started | BaseException]") -> None:
    listeners = await open_listeners((_HOST,), 0)
    async with trio.open_nursery() as nursery:
        server = await nursery.start(Server(Config()).run, listeners)
        started.put((server.addresses[0][1], trio.lowlevel.current_trio_token(), nursery.cancel_scope))
        await trio.sleep_forever()
