"""One stream to a server: messages go in and out, pings are answered, and its end has a reason.

Owns the bytes, the deadlines and the orderly end. Refuses to know what the messages mean: the line client and the bots
use it alike.
"""

from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

import trio

from kille_net import __version__
from kille_net.wire import messages as wire
from kille_net.wire.connection import ClientConnection, Connection, bye
from kille_net.wire.errors import LocalProtocolError, RemoteProtocolError
from kille_net.wire.states import Role, State

__all__ = ["BadServer", "Lost", "NoServer", "ServerBye", "Session", "SessionEnded", "Stranger", "open_session"]

_WELCOME_SECONDS: Final = 10.0
_WRITE_SECONDS: Final = 5.0
_GOODBYE_SECONDS: Final = 1.0
_CHUNK: Final = 16_384
"""Bytes of one read: what is in them is heard before anything else has its turn."""
_MOST_WAITING: Final = 64
"""Messages that wait to be written; more means that the line is too slow."""
_OVERSLEPT: Final = 2.0
"""Seconds after which we were stopped, not the server silent."""
_AGENT: Final = f"kille-net {__version__}"


class NoServer(Exception):
    """Nobody answers there; the text is the system's."""


class SessionEnded(Exception):
    """The stream has ended; nothing more comes or goes."""


class ServerBye(SessionEnded):
    """The server said why."""

    def __init__(self, message: wire.Bye) -> None:
        super().__init__(message.code.value)
        self.message = message


class Lost(SessionEnded):
    """The line broke, or was silent for too long."""

    def __init__(self, *, is_silent: bool = False) -> None:
        super().__init__("silent" if is_silent else "lost")
        self.is_silent = is_silent


class BadServer(SessionEnded):
    """The server broke the protocol."""

    def __init__(self, code: wire.ByeCode, place: str) -> None:
        super().__init__(f"{code.value} {place}")
        self.code = code
        self.place = place


class Stranger(BadServer):
    """It did so with the first that it said: it is no server of ours."""


@asynccontextmanager
async def open_session(
    stream: trio.abc.Stream, beside: Callable[[], Awaitable[object]] | None = None
) -> AsyncGenerator["Session", None]:
    """A session over the stream, which it closes, with a `bye` if the server has not said one; `beside` runs with it.

    Exceptions of the body come out as they are, not in a group.
    """
    session = Session(stream)
    failure: Exception | None = None
    async with trio.open_nursery() as nursery:
        nursery.start_soon(session.write)
        nursery.start_soon(session.watch)
        if beside is not None:
            nursery.start_soon(beside)
        try:
            yield session
        except Exception as error:  # the body's own, raised below out of its group
            failure = error
        finally:
            await session.close()
            nursery.cancel_scope.cancel()
    if failure is not None:
        raise failure


class Session:
    """What `open_session` gives: `greet` first, then `send` at any time and `receive` in one task."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.heard_at = trio.current_time()
        """When the server was heard last, by trio's clock."""
        self.pinged: Callable[[int], None] = self.pong
        """Told of a ping, by its number, to answer it; who thinks elsewhere lets that wait its turn."""
        self.pause = 0.0
        """Seconds between two reads at least: what comes meanwhile is read together, which costs far less."""
        self.is_done = True
        """Whether we say goodbye by ourselves, after which a bot is forgotten (protocol/v1/protocol.md §6.7)."""
        self._stream = stream
        self._connection: ClientConnection = Connection(Role.CLIENT)
        self._waiting: deque[bytes] = deque()
        self._wake = trio.Event()
        self._is_closing = False
        self._has_written = trio.Event()
        self._ending: SessionEnded | None = None
        self._reading = trio.CancelScope()
        self._writing = trio.CancelScope(shield=True)
        self._welcomed = trio.Event()
        self._ping_seconds = 5.0
        self._silence_seconds = 15.0
        self._pings = 0

    async def greet(
        self, name: str, *, bot: bool, ticket: str | None = None, password: str | None = None
    ) -> wire.Welcome:
        """Say hello and await the welcome; the password is shown where there is no ticket. Raises SessionEnded."""
        self.send(
            wire.Hello(
                versions=wire.VERSIONS,
                agent=_AGENT,
                name=name[:64],
                bot=bot,
                ticket=ticket,
                password=password if ticket is None else None,
            )
        )
        with trio.move_on_after(_WELCOME_SECONDS):
            welcome = await self.receive()
            assert isinstance(welcome, wire.Welcome)  # the states let nothing else through
            self._ping_seconds = min(max(welcome.settings.get("ping_ms", 5_000), 500), 60_000) / 1000
            self._silence_seconds = min(max(welcome.settings.get("silence_ms", 15_000), 1_000), 600_000) / 1000
            self._welcomed.set()
            return welcome
        raise self._end(Lost(is_silent=True))

    def confirm(self) -> None:
        """Say something, once the ticket of the welcome is kept: the one before is then good no more (§4.5)."""
        self._pings += 1
        self.send(wire.Ping(n=self._pings))

    def send(self, message: wire.ClientMessage) -> None:
        """Queue a message; after the end it is dropped."""
        if self._ending is not None or self._connection.state in {State.CLOSED, State.FAILED}:
            return
        self._waiting.append(self._connection.send(message))
        if len(self._waiting) > _MOST_WAITING:
            self._end(Lost())
        self._wake.set()

    def pong(self, number: int) -> None:
        self.send(wire.Pong(n=number))

    async def receive(self) -> wire.ServerMessage:
        """The next message; pings and pongs are dealt with here. Raises SessionEnded, and goes on doing so."""
        while True:
            if self._ending is not None:
                raise self._ending
            try:
                message = self._connection.next_message()
            except RemoteProtocolError as error:
                raise self.blame(error) from None
            match message:
                case None if self._connection.state is State.CLOSED:
                    self._end(Lost())
                case None:
                    await self._read()
                case wire.Ping(n=number):
                    self.pinged(number)
                case wire.Pong():
                    pass
                case wire.Bye():
                    self._waiting.clear()
                    self._end(ServerBye(message))
                case _:
                    return message

    def blame(self, error: RemoteProtocolError) -> SessionEnded:
        """End the session because of what the server sent; what to raise."""
        if self._ending is None:
            self._part(error.code, error.place)
        kind = BadServer if self._welcomed.is_set() else Stranger
        return self._end(kind(error.code, error.place))

    async def close(self) -> None:
        """Say goodbye if nobody has and we are done, write what waits, and close; takes a second at most."""
        if self._ending is None and self.is_done:
            self._part(wire.ByeCode.DONE, "")
        self._is_closing = True
        self._wake.set()
        with trio.move_on_after(_GOODBYE_SECONDS, shield=True):
            await self._has_written.wait()
        self._writing.cancel()
        await trio.aclose_forcefully(self._stream)

    def _part(self, code: wire.ByeCode, place: str) -> None:
        try:
            self._waiting.append(self._connection.send(bye(code, place)))
        except LocalProtocolError:  # one end has said it
            return
        self._wake.set()

    def _end(self, ending: SessionEnded) -> SessionEnded:
        """The first end is the one that counts."""
        if self._ending is None:
            self._ending = ending
        self._reading.cancel()
        return self._ending

    async def _read(self) -> None:
        with trio.CancelScope() as self._reading:
            if self.pause:
                await trio.sleep_until(self.heard_at + self.pause)
            try:
                data = await self._stream.receive_some(_CHUNK)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                data = b""
            self.heard_at = trio.current_time()
            if data:
                self._connection.receive_data(bytes(data))
            else:
                self._connection.receive_eof()

    async def write(self) -> None:
        """The only writer: sends what waits until the session is closed."""
        with self._writing:
            while self._waiting or not self._is_closing:
                if not self._waiting:
                    await self._wake.wait()
                    self._wake = trio.Event()
                    continue
                if not await self._send_all(self._waiting.popleft()):
                    break
        self._has_written.set()

    async def _send_all(self, data: bytes) -> bool:
        """Whether all went out; after a failure nothing more may be sent."""
        try:
            with trio.fail_after(_WRITE_SECONDS):
                await self._stream.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError, trio.TooSlowError):
            self._end(Lost())
            return False
        return True

    async def watch(self) -> None:
        """Ask a silent server whether it is there, and give up on a dead one."""
        await self._welcomed.wait()
        pinged_at = self.heard_at
        while self._ending is None:
            now = trio.current_time()
            if now >= self.heard_at + self._silence_seconds:
                self._part(wire.ByeCode.SILENT, "")
                self._end(Lost(is_silent=True))
                return
            if now >= max(pinged_at, self.heard_at) + self._ping_seconds:
                pinged_at = now
                self._pings += 1
                self.send(wire.Ping(n=self._pings))
            next_ping = max(pinged_at, self.heard_at) + self._ping_seconds
            due = min(next_ping, self.heard_at + self._silence_seconds)
            await trio.sleep_until(due)
            if trio.current_time() > due + _OVERSLEPT:
                self.heard_at = trio.current_time()
