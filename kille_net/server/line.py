"""The server's end of a stream, in the one shape that sessions need: bytes taken at once or not at all, and the rest.

Owns how a socket, or a stream of trio's, sends and receives. Refuses to know messages, limits and deadlines.
"""

import socket
from typing import Final, Protocol

import trio

from kille_net.systems import USER_TIMEOUT

__all__ = ["Line", "LineLost", "SocketLine", "StreamLine", "linger"]

_CHUNK: Final = 4096
"""Bytes read at once: how much of one peer is dealt with before the others have their turn."""
_LINGER: Final = 1.0
"""Seconds in which the other end may read a last word, until the line is cut."""
_UNACKNOWLEDGED_MS: Final = 15_000


class LineLost(Exception):
    """The other end is gone."""


class Line(Protocol):
    """One stream of bytes each way."""

    def seal(self, data: bytes) -> bytes:
        """The form in which this travels: itself in plain text. What is sealed has to be sent, and in the order of the
        sealing. Raises LineLost."""
        ...

    def send_now(self, data: bytes) -> int:
        """Send, of what is sealed, what can be sent without waiting; how many bytes that were. Raises LineLost."""
        ...

    async def send_all(self, data: bytes) -> None:
        """Send it all, sealed as it is. Raises LineLost; when cancelled, nobody knows how much was sent."""
        ...

    async def receive(self) -> bytes:
        """What has come, waiting for it; empty at the end. Raises LineLost."""
        ...

    async def end(self) -> None:
        """Say that nothing more will be sent, if the stream can. Raises LineLost."""
        ...

    async def close(self) -> None:
        """Let go of it, without waiting for the other end."""
        ...


async def linger(line: Line) -> None:
    """Say that nothing more will be sent, and let the other end read what was: a line cut at once may lose it."""
    try:
        with trio.move_on_after(_LINGER):
            await line.end()
            while await line.receive():
                pass
    except LineLost:
        return


class SocketLine:
    """A connected TCP socket, waited for before it is read and written to before it is waited for."""

    def __init__(self, sock: socket.socket) -> None:
        """Takes the socket over."""
        self._sock = sock
        sock.settimeout(0.0)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if USER_TIMEOUT is not None:
            sock.setsockopt(socket.IPPROTO_TCP, USER_TIMEOUT, _UNACKNOWLEDGED_MS)

    def seal(self, data: bytes) -> bytes:
        return data

    def send_now(self, data: bytes) -> int:
        try:
            return self._sock.send(data)
        except BlockingIOError:
            return 0
        except OSError as error:
            raise LineLost from error

    async def send_all(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            try:
                await trio.lowlevel.wait_writable(self._sock)
                rest = rest[self._sock.send(rest) :]
            except BlockingIOError:
                continue
            except (OSError, trio.ClosedResourceError) as error:
                raise LineLost from error

    async def first_byte(self) -> bytes:
        """The next byte, which is left to be received; empty at the end. Raises LineLost."""
        return await self._receive(1, socket.MSG_PEEK)

    async def receive(self) -> bytes:
        return await self._receive(_CHUNK)

    async def _receive(self, most: int, flags: int = 0) -> bytes:
        while True:
            try:
                await trio.lowlevel.wait_readable(self._sock)
                return self._sock.recv(most, flags)
            except BlockingIOError:
                continue
            except (OSError, trio.ClosedResourceError) as error:
                raise LineLost from error

    async def end(self) -> None:
        try:
            self._sock.shutdown(socket.SHUT_WR)
        except OSError as error:
            raise LineLost from error
        await trio.lowlevel.checkpoint()

    async def close(self) -> None:
        if self._sock.fileno() >= 0:
            trio.lowlevel.notify_closing(self._sock)
        self._sock.close()
        await trio.lowlevel.cancel_shielded_checkpoint()


class StreamLine:
    """Any stream of trio's; it takes nothing at once, so that all its bytes come from one writing task."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        """Takes the stream over."""
        self._stream = stream

    def seal(self, data: bytes) -> bytes:
        return data

    def send_now(self, data: bytes) -> int:
        return 0

    async def send_all(self, data: bytes) -> None:
        try:
            await self._stream.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise LineLost from error

    async def receive(self) -> bytes:
        try:
            return bytes(await self._stream.receive_some(_CHUNK))
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise LineLost from error

    async def end(self) -> None:
        if isinstance(self._stream, trio.abc.HalfCloseableStream):
            try:
                await self._stream.send_eof()
            except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
                raise LineLost from error

    async def close(self) -> None:
        await trio.aclose_forcefully(self._stream)
