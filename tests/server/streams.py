"""Streams between a server and its peers in one process: one that holds only so much, and a client's end of one."""

from collections.abc import Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import trio
import trio.testing

from kille_net.game.shuffle import commit_nonce
from kille_net.server.clerk import Memory
from kille_net.server.limits import Limits
from kille_net.server.passwords import Trial
from kille_net.server.serve import Config, Server
from kille_net.server.sources import Sources
from kille_net.wire import ClientConnection, Connection, Role
from kille_net.wire import messages as m
from tests.server.house import cheap_proof

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

M = TypeVar("M", bound=m.Message)


class BoundedEnd(trio.abc.HalfCloseableStream):
    """An end of a pair whose other end must read before more than `bound` bytes are under way."""

    def __init__(self, bound: int) -> None:
        self._bound = bound
        self._buffer = bytearray()
        self._is_over = False
        self._is_closed = False
        self._changed = trio.Event()
        self.other: BoundedEnd = self

    def _wake(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await trio.lowlevel.checkpoint()
        rest = memoryview(data)
        other = self.other
        while rest:
            if self._is_closed:
                raise trio.ClosedResourceError
            if other._is_closed:
                raise trio.BrokenResourceError
            free = self._bound - len(other._buffer)
            if free > 0:
                other._buffer += rest[:free]
                rest = rest[free:]
                other._wake()
            else:
                await other._changed.wait()

    async def wait_send_all_might_not_block(self) -> None:
        await trio.lowlevel.checkpoint()

    async def send_eof(self) -> None:
        await trio.lowlevel.checkpoint()
        self.other._is_over = True
        self.other._wake()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        await trio.lowlevel.checkpoint()
        while not self._buffer:
            if self._is_closed:
                raise trio.ClosedResourceError
            if self._is_over or self.other._is_closed:
                return b""
            await self._changed.wait()
        taken = bytes(self._buffer[: max_bytes or len(self._buffer)])
        del self._buffer[: len(taken)]
        self._wake()
        return taken

    async def aclose(self) -> None:
        self._is_closed = True
        self._wake()
        self.other._wake()
        await trio.lowlevel.checkpoint()


def bounded_pair(bound: int) -> tuple[BoundedEnd, BoundedEnd]:
    one, other = BoundedEnd(bound), BoundedEnd(bound)
    one.other, other.other = other, one
    return one, other


class Client:
    """A peer that speaks the protocol, over any stream."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream = stream
        self.connection: ClientConnection = Connection(Role.CLIENT)
        self.heard: list[m.ServerMessage] = []
        self.match = ""
        """The last whose shuffle began."""
        self._ids = 0

    async def send(self, message: m.ClientMessage) -> None:
        await self.stream.send_all(self.connection.send(message))

    async def hello(self, name: str, *, bot: bool = False, ticket: str | None = None) -> m.ServerMessage:
        await self.send(m.Hello(versions=(1,), agent="test", name=name, bot=bot, ticket=ticket, password=None))
        return await self.next()

    async def ask(self, make: Callable[[int], m.Command]) -> m.Answer:
        """Send a command and wait for its answer."""
        self._ids += 1
        number = self._ids
        await self.send(make(number))
        while True:
            message = await self.next()
            if isinstance(message, m.Answer) and message.id == number:
                return message

    async def take_part(self, message: m.ServerMessage, seat: int) -> None:
        """Do our part in a shuffle, if that is what the message asks for."""
        nonce = bytes(32)
        if isinstance(message, m.ShuffleBegan):
            self.match = message.match
            digest = commit_nonce(bytes.fromhex(message.match), seat, nonce).hex()
            await self.send(m.CommitNonce(id=800_000 + message.seq, match=message.match, commit=digest))
        if isinstance(message, m.NoncesCommitted):
            await self.send(m.RevealNonce(id=800_000 + message.seq, match=self.match, nonce=nonce.hex()))

    async def maybe(self) -> m.ServerMessage | None:
        """The next message; None at the end."""
        while True:
            message = self.connection.next_message()
            if message is not None:
                self.heard.append(message)
                return message
            data = await self.stream.receive_some(65536)
            if not data:
                return None
            self.connection.receive_data(bytes(data))

    async def next(self) -> m.ServerMessage:
        message = await self.maybe()
        assert message is not None, "the server has closed"
        return message

    async def until(self, kind: type[M]) -> M:
        while True:
            message = await self.next()
            if isinstance(message, kind):
                return message

    async def end(self) -> m.ServerMessage | None:
        """Read to the end; the last message."""
        while (await self.maybe()) is not None:
            pass
        return self.heard[-1] if self.heard else None


class Hall:
    """A running server without sockets."""

    def __init__(self, server: Server, nursery: trio.Nursery) -> None:
        self.server = server
        self.nursery = nursery

    async def back(self, ticket: str | None) -> tuple[Client, m.Welcome]:
        """Whoever has the ticket, on another connection."""
        client = self.connect()
        welcome = await client.hello("whoever", ticket=ticket)
        assert isinstance(welcome, m.Welcome)
        return client, welcome

    def connect(self, bound: int = 1 << 20, *, is_far: bool = False) -> Client:
        """A peer; `bound`: bytes that may be under way to it; `is_far`: on another machine."""
        ours, theirs = bounded_pair(bound)
        self.nursery.start_soon(partial(self.server.attend, ours, is_loopback=not is_far))
        return Client(theirs)

    async def guest(self, name: str, *, bot: bool = False, bound: int = 1 << 20, is_far: bool = False) -> Client:
        """A peer that was welcomed."""
        client = self.connect(bound, is_far=is_far)
        assert isinstance(await client.hello(name, bot=bot), m.Welcome)
        return client


async def prove_cheaply(trial: Trial) -> str | None:
    """Without a thread, while which works the mock clock would jump."""
    return cheap_proof(trial)


async def think_at_once(work: Callable[[], Any]) -> Any:  # noqa: ANN401  whatever is worked out
    """Without a thread, for the same reason."""
    return work()


@asynccontextmanager
async def hall(
    given: Limits | Config | None = None, sources: Sources | None = None, memory: Memory | None = None
) -> "AsyncIterator[Hall]":
    config = (
        given
        if isinstance(given, Config)
        else Config(limits=given or Limits(), prove=prove_cheaply, think=think_at_once)
    )
    if sources is not None:
        config = replace(config, sources=sources)
    async with trio.open_nursery() as nursery:
        server: Server = await nursery.start(Server(config, memory).run)
        yield Hall(server, nursery)
        nursery.cancel_scope.cancel()
