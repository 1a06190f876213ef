"""What one peer is still to be sent: bounded, in order, and nobody waits for it.

Owns all writing to one line. Refuses to know what the frames say and whose line it is.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

import trio

from kille_net.server.line import Line, LineLost

__all__ = ["Outbox"]


class _Bounds(Protocol):
    @property
    def write(self) -> float: ...
    @property
    def outbox_messages(self) -> int: ...


def _nothing(*_: object) -> None:
    return


class Outbox:
    """Sends at once what the line takes, and leaves the rest to one task that has a deadline.

    After a send that failed or was given up, nothing more is sent.
    """

    def __init__(
        self,
        line: Line,
        bounds: _Bounds,
        max_bytes: int,
        *,
        spawn: Callable[[], None],
        too_slow: Callable[[], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """`spawn` starts a task that runs `flush`; `too_slow` is told, once, that the peer does not keep up; `failed`
        is told of a bug."""
        self.max_bytes = max_bytes
        self._line = line
        self._bounds = bounds
        self._spawn = spawn
        self._too_slow = too_slow
        self._failed = failed
        self._going = b""  # is being sent, or was begun: may not be dropped
        self._going_frames = 0
        self._rest: list[bytes] = []
        self._size = 0  # of both, in bytes
        self._is_flushing = False
        self._is_ended = False
        self._is_broken = False
        self._empty: trio.Event | None = None
        """Set when all has been sent; None: nothing was ever left."""

    @property
    def waiting(self) -> tuple[int, int]:
        """How many frames, and bytes, are still to be sent."""
        return len(self._rest) + self._going_frames, self._size

    def send(self, frames: Sequence[bytes]) -> None:
        """Send whole frames, without waiting. Once the peer is too slow, what was not begun is dropped."""
        if self._is_ended or self._is_broken:
            return
        if not self._size:
            frames = self._send_now(frames)
        if not frames:
            return
        self._rest.extend(frames)
        self._size += sum(map(len, frames))
        if len(self._rest) + self._going_frames > self._bounds.outbox_messages or self._size > self.max_bytes:
            self._is_ended = True
            self._rest.clear()
            self._size = len(self._going)
            self._too_slow()
            return
        self._wake()

    def _send_now(self, frames: Sequence[bytes]) -> Sequence[bytes]:
        """Give the line what it takes, and give back the frames of which it took nothing."""
        data = frames[0] if len(frames) == 1 else b"".join(frames)
        try:
            sealed = self._line.seal(data)
            sent = self._line.send_now(sealed)
        except LineLost:
            self._break()
            return ()
        except Exception as error:  # a bug of ours is no matter of whoever made us send
            self._break()
            self._failed(error)
            return ()
        if sent == len(sealed):
            return ()
        if sealed is not data:  # none of it may be dropped any more
            self._begin(sealed[sent:], len(frames))
            return ()
        for number, frame in enumerate(frames):
            if sent < len(frame):
                if not sent:
                    return frames[number:]
                self._begin(frame[sent:], 1)
                return frames[number + 1 :]
            sent -= len(frame)
        return ()

    def _begin(self, rest: bytes, frames: int) -> None:
        """This was begun, and is to be ended by the writing task."""
        self._going = rest
        self._going_frames = frames
        self._size = len(rest)
        self._wake()

    def end(self, last: bytes) -> None:
        """Send this frame, and nothing after it."""
        self._is_ended = True
        if self._is_broken:
            return
        if not self._size and not self._send_now((last,)):
            return
        self._rest.append(last)
        self._size += len(last)
        self._wake()

    def let_go(self) -> None:
        """Nothing more is to be sent, and nobody is told of it: what it was told to call is free to go."""
        self._is_ended = True
        self._spawn = self._too_slow = _nothing
        self._failed = _nothing

    async def drain(self) -> None:
        """Wait until all has been sent, or never will be."""
        if self._empty is not None:
            await self._empty.wait()

    async def flush(self) -> None:
        """Send what is left, and give the line up when it takes too long; started by `spawn`."""
        try:
            while self._size:
                if not self._going:
                    self._going = self._line.seal(b"".join(self._rest))
                    self._going_frames = len(self._rest)
                    self._rest.clear()
                    self._size = len(self._going)
                with trio.move_on_after(self._bounds.write) as scope:
                    await self._line.send_all(self._going)
                if scope.cancelled_caught:
                    was_ended = self._is_ended
                    self._break()
                    if not was_ended:
                        self._too_slow()
                self._size -= len(self._going)
                self._going = b""
                self._going_frames = 0
        except LineLost:
            self._break()
        except trio.Cancelled:
            self._break()
            raise
        except Exception as error:  # …nor of those who have their own line
            self._break()
            self._failed(error)
        finally:
            self._is_flushing = False
            assert self._empty is not None
            self._empty.set()

    def _wake(self) -> None:
        if not self._is_flushing:
            self._is_flushing = True
            self._empty = trio.Event()
            self._spawn()

    def _break(self) -> None:
        self._is_broken = True
        self._is_ended = True
        self._going = b""
        self._going_frames = 0
        self._rest.clear()
        self._size = 0
