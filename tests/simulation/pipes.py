"""Connections that hold only so much, and that break in every way that a network has.

Owns bytes under way: when they arrive, in what pieces, and whether at all. Refuses to know what they say.
"""

import math
from collections import deque
from typing import TYPE_CHECKING, Final

import trio

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["End", "Link", "Way"]

BOUND: Final = 16_384
"""Bytes that may be under way in one direction."""
MOST_READS: Final = 2_000_000
"""Reads of one connection: more is a loop in which no time passes."""


class Way:
    """One direction. What it does wrong is set from outside, at any time."""

    def __init__(self, latency: float) -> None:
        self.latency = latency
        self.bound = BOUND
        self.rate = math.inf
        """Bytes a second."""
        self.piece = 65_536
        """Bytes that are read at once at most."""
        self.held_until = 0.0
        """Nothing arrives before."""
        self.is_dead = False
        """Nothing arrives any more, and nobody is told."""
        self.is_reset = False
        self.is_over = False
        self.is_deaf = False
        """Whether its reader has closed."""
        self.size = 0
        self._chunks: deque[tuple[float, bytes]] = deque()
        self._changed = trio.Event()
        self._free_at = 0.0
        self._reads = 0

    def wake(self) -> None:
        """Something was set from outside."""
        self._changed.set()
        self._changed = trio.Event()

    def put(self, data: bytes) -> int:
        """Take as much as there is room for."""
        taken = data[: self.bound - self.size] if self.bound > self.size else b""
        if taken:
            now = trio.current_time()
            self._free_at = max(now + self.latency, self._free_at) + len(taken) / self.rate
            self._chunks.append((self._free_at, bytes(taken)))
            self.size += len(taken)
            self.wake()
        return len(taken)

    async def send(self, data: bytes) -> None:
        await trio.lowlevel.checkpoint()
        while data:
            if self.is_reset or self.is_deaf:
                raise trio.BrokenResourceError
            if self.is_over:
                raise trio.ClosedResourceError
            data = data[self.put(data) :]
            if data:
                await self._changed.wait()

    async def receive(self, most: int) -> bytes:
        await trio.lowlevel.checkpoint()
        while True:
            if self.is_deaf:
                raise trio.ClosedResourceError
            if self.is_reset:
                raise trio.BrokenResourceError
            due = max(self._chunks[0][0], self.held_until) if self._chunks else math.inf
            if self.is_dead:
                due = math.inf
            elif not self._chunks and self.is_over:
                return b""
            if due <= trio.current_time():
                return self._take(min(most, self.piece))
            if due == math.inf:
                await self._changed.wait()
                continue
            with trio.move_on_at(due):
                await self._changed.wait()

    def _take(self, most: int) -> bytes:
        """All that has arrived, merged."""
        self._reads += 1
        assert self._reads < MOST_READS
        now = trio.current_time()
        taken = bytearray()
        while self._chunks and self._chunks[0][0] <= now and len(taken) < most:
            at, chunk = self._chunks.popleft()
            room = most - len(taken)
            if len(chunk) > room:
                self._chunks.appendleft((at, chunk[room:]))
            taken += chunk[:room]
        self.size -= len(taken)
        self.wake()
        return bytes(taken)


class End(trio.abc.HalfCloseableStream):
    """One end of a link; whoever listens hears what is read and written there."""

    def __init__(self, reads: Way, writes: Way) -> None:
        self.reads = reads
        self.writes = writes
        self.heard: Callable[[bytes], None] = lambda _: None
        self.is_closed = False

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        if self.is_closed:
            raise trio.ClosedResourceError
        await self.writes.send(bytes(data))

    async def wait_send_all_might_not_block(self) -> None:
        await trio.lowlevel.checkpoint()

    async def send_eof(self) -> None:
        await trio.lowlevel.checkpoint()
        self.writes.is_over = True
        self.writes.wake()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        if self.is_closed:
            raise trio.ClosedResourceError
        data = await self.reads.receive(max_bytes or 65_536)
        self.heard(data)
        return data

    async def aclose(self) -> None:
        self.is_closed = True
        self.reads.is_deaf = True
        self.writes.is_over = True
        self.reads.wake()
        self.writes.wake()
        await trio.lowlevel.checkpoint()


class Link:
    """A client's connection to the server."""

    def __init__(self, latency: float) -> None:
        self.up = Way(latency)
        self.down = Way(latency)
        self.client = End(self.down, self.up)
        self.server = End(self.up, self.down)
        self.latency = latency
        self.is_clean = True
        """Whether nothing was ever done to it."""

    @property
    def ways(self) -> tuple[Way, Way]:
        return self.up, self.down

    @property
    def is_closed(self) -> bool:
        return self.client.is_closed and self.server.is_closed

    def mend(self) -> None:
        """Nothing is done to it any more; what is dead stays dead."""
        for way in self.ways:
            way.latency, way.rate, way.piece, way.held_until = self.latency, math.inf, 65_536, 0.0
            way.bound = BOUND
            way.wake()

    def reset(self) -> None:
        self.is_clean = False
        for way in self.ways:
            way.is_reset = True
            way.wake()
