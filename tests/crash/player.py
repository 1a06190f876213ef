"""Somebody who plays on whatever becomes of the server, and remembers what it has acknowledged."""

import math
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import ClassVar

import trio

from kille_net.game.shuffle import commit_nonce
from kille_net.wire import Connection, Role
from kille_net.wire import messages as m

__all__ = ["Lasting"]

_AGAIN = 0.02
"""Seconds until the next try to connect."""


@dataclass(eq=False)
class Lasting:
    """Comes back for ever with its ticket, and says again what was not answered."""

    COMES_BACK: ClassVar = frozenset({m.ByeCode.SHUTTING_DOWN, m.ByeCode.BUSY})
    """After these; another bye is an error."""
    name: str
    port: int
    acknowledged: list[tuple[int, m.Do]] = field(default_factory=list)
    """Questions, and what was answered to them, in order."""
    open: dict[int, m.Command] = field(default_factory=dict)
    """Commands without an answer, by id."""
    refused: list[m.Refused] = field(default_factory=list)
    """Answers to questions that were."""
    answered: set[int] = field(default_factory=set)
    """Questions that something was said to."""
    snapshots: int = 0
    questions: int = 0
    seat: int = -1
    here: trio.Event = field(default_factory=trio.Event)
    """Set when it was welcomed, for the first time."""
    ticket: str | None = None
    _ids: "count[int]" = field(default_factory=lambda: count(1))
    _nonces: dict[str, bytes] = field(default_factory=dict)
    _match: str = ""
    _connection: Connection[m.ServerMessage, m.ClientMessage] | None = None
    _stream: trio.SocketStream | None = None
    _saying: trio.Lock = field(default_factory=trio.Lock)

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            try:
                self._stream = await trio.open_tcp_stream("127.0.0.1", self.port)
                async with self._stream:
                    await self._talk(self._stream)
            except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
                pass
            self._connection = None
            await trio.sleep(_AGAIN)

    async def do(self, make: m.Command) -> None:
        """Say it, now or when there is a line again; its id is replaced."""
        self.open[make.id] = make
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):  # said again on the next line
            await self._send(make)

    def next_id(self) -> int:
        return next(self._ids)

    async def _send(self, message: m.ClientMessage) -> None:
        """One message after the other, whichever tasks say them."""
        async with self._saying:
            if self._connection is not None and self._stream is not None:
                await self._stream.send_all(self._connection.send(message))

    async def _talk(self, stream: trio.SocketStream) -> None:
        connection: Connection[m.ServerMessage, m.ClientMessage] = Connection(Role.CLIENT)
        hello = m.Hello(versions=(1,), agent="lasting", name=self.name, bot=False, ticket=self.ticket, password=None)
        await stream.send_all(connection.send(hello))
        while True:
            data = await stream.receive_some()
            if not data:
                return
            connection.receive_data(data)
            while (message := connection.next_message()) is not None:
                match message:
                    case m.Welcome():
                        assert self.ticket is None or message.resumed is not m.Resumed.NO
                        self.ticket = message.ticket
                        self._connection = connection
                        self.here.set()
                        for command in tuple(self.open.values()):
                            await self._send(command)
                    case m.Bye(code=code):
                        if code is m.ByeCode.NAME_TAKEN and self.ticket is None:  # the welcome was lost with the ticket
                            self.name += "'"
                            return
                        assert code in self.COMES_BACK, code
                        return
                    case _:
                        await self._heard(message)

    async def _heard(self, message: object) -> None:
        match message:
            case m.Snapshot():
                self.snapshots += 1
                names = [seat.name for seat in message.room.seats]
                self.seat = names.index(self.name) if self.name in names else -1
            case m.RoomChanged():
                names = [seat.name for seat in message.room.seats]
                self.seat = names.index(self.name) if self.name in names else -1
            case m.Question():
                self.questions += 1
                if message.turn not in self.answered:
                    self.answered.add(message.turn)
                    legal = [do for bit, do in enumerate(m.Do) if message.legal >> bit & 1 and do is not m.Do.KUKU]
                    choice = m.Do.SWAP if m.Do.SWAP in legal and message.turn % 3 else legal[0]
                    await self.do(m.Decide(id=self.next_id(), turn=message.turn, do=choice))
            case m.Rest(hand=hand, seats=seats) if self.seat >= 0 and seats >> self.seat & 1:
                if not any(isinstance(command, m.NextHand) and command.hand == hand for command in self.open.values()):
                    await self.do(m.NextHand(id=self.next_id(), hand=hand))
            case m.ShuffleBegan():
                self._match = message.match
                nonce = self._nonces.setdefault(message.match, self.name.encode().ljust(32, b"."))
                commit = commit_nonce(bytes.fromhex(message.match), self.seat, nonce).hex()
                await self.do(m.CommitNonce(id=self.next_id(), match=message.match, commit=commit))
            case m.NoncesCommitted() if self._match in self._nonces:
                shown = self._nonces[self._match].hex()
                await self.do(m.RevealNonce(id=self.next_id(), match=self._match, nonce=shown))
            case m.Ok(id=number) | m.Refused(id=number) if number not in self.open:
                return  # the second to what was said again (§5.3)
            case m.Ok(id=number):
                done = self.open.pop(number)
                if isinstance(done, m.Decide):
                    self.acknowledged.append((done.turn, done.do))
            case m.Refused(id=number):
                if isinstance(self.open.pop(number), m.Decide):
                    self.refused.append(message)
            case m.Ping(n=n):
                await self._send(m.Pong(n=n))

    @property
    def last_turn(self) -> float:
        return max(self.answered, default=-math.inf)
