"""The processes in which computers search, so that nobody waits for them.

Owns how many there are, when they start and end, and how long one is waited for. Refuses to know what for: whoever
wants an answer has another one at hand, and takes that if none comes.
"""

import os
import pickle
import subprocess
import sys
from typing import Final

import trio

from kille_net.game.actions import Action
from kille_net.game.views import View
from kille_net.server.logs import log

__all__ = ["Searchers"]

_MOST: Final = 2
"""Processes."""
_HUNG: Final = 10.0
"""Seconds after which one is given up that still searches."""
_COMMAND: Final = (sys.executable, "-P", "-m", "kille_net.bots.searcher")


class Searchers:
    """They start when they are first wanted, and keep what they have found; `close` ends them."""

    def __init__(self) -> None:
        self._free = trio.Semaphore(_MOST)
        self._idle: list[trio.Process] = []
        self._has_said = False

    async def search(self, view: View, seconds: float) -> Action | None:
        """What the searching computer does there, or None; later than after so many `seconds` it is of no use."""
        began = trio.current_time()
        with trio.move_on_after(seconds) as waiting:
            await self._free.acquire()
        if waiting.cancelled_caught:
            self._say("busy")
            return None
        is_new, action = not self._idle, None
        try:
            with trio.move_on_after(_HUNG):
                action = await self._ask(view)
        finally:
            self._free.release()
        if action is None:
            self._say("lost")
        elif not is_new and trio.current_time() - began > seconds:
            self._say("late")
        return action

    async def _ask(self, view: View) -> Action | None:
        """None: the process was lost."""
        process: trio.Process | None = None
        try:
            process = self._idle.pop() if self._idle else await _start()
            assert process.stdin is not None
            assert process.stdout is not None
            await process.stdin.send_all(pickle.dumps(view))
            answer = await process.stdout.receive_some(1)
            if not answer:
                return None
            self._idle.append(process)
            process = None
            return Action(answer[0])
        except (OSError, trio.BrokenResourceError):
            return None
        finally:
            if process is not None:
                await _end(process)

    def _say(self, why: str) -> None:
        """Once for all: a server that is short of time would say it again and again."""
        if not self._has_said:
            self._has_said = True
            log.error("cannot_search", why=why)

    async def close(self) -> None:
        while self._idle:
            await _end(self._idle.pop())


async def _start() -> trio.Process:
    """In a group of its own: a signal from the terminal is the server's alone."""
    return await trio.lowlevel.open_process(
        _COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        start_new_session=True,
    )


async def _end(process: trio.Process) -> None:
    process.kill()
    with trio.CancelScope(shield=True):
        await process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                await stream.aclose()
