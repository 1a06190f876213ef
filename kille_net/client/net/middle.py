"""Somebody in the middle, between one client and a server, who looks at what is said and tries the client's manners.

Owns the streams. What is wrong with what it sees, `conduct` says; what it does itself is one of the `Manner`s, each of
which the protocol allows a server or a network.
"""

from contextlib import suppress
from enum import StrEnum
from typing import Final

import msgspec
import trio

from kille_net.client.conduct import Conduct
from kille_net.wire import messages as wire
from kille_net.wire.codec import decode
from kille_net.wire.connection import frame
from kille_net.wire.errors import RemoteProtocolError
from kille_net.wire.frames import CLIENT_LIMIT, HEADER_SIZE, SERVER_LIMIT, FrameSplitter, join

__all__ = ["HELD", "Manner", "Middle"]

_PIECE: Final = 7
"""Bytes at a time."""
HELD: Final = 12.0
"""Seconds in which a client that was cut off is to be back, so that its seat misses nothing."""
_CUT_AT: Final = 3
"""Questions, after which the line is lost."""
_FIRST_PING: Final = 1_000_000
"""Numbers that no server of ours counts up to."""
_OF_NOBODY: Final = 999_999
_BAD_HEADERS: Final = {wire.ByeCode.FRAME_EMPTY: bytes(HEADER_SIZE), wire.ByeCode.FRAME_TOO_BIG: b"\xff" * HEADER_SIZE}
"""With the same fault as one that the splitter has not kept (§2.2)."""
_SETTING: Final = "of_another_day"
_NOTICE: Final = wire.Notice(code=wire.NoticeCode.ANNOUNCE, text="Coffee is served.", ms=0)


class Manner(StrEnum):
    PLAIN = "plain"
    PIECES = "pieces"
    """Frames come in pieces (§2.1)."""
    PINGS = "pings"
    """Pings come with every question, and pongs that answer nothing (§8.1)."""
    SETTINGS = "settings"
    """The welcome has a setting that nobody knows yet (§4.1)."""
    TOO_FAST = "too_fast"
    """The first `ready` is refused, and is to be sent again (§12)."""
    UNSAVED = "unsaved"
    """The first answer cannot be saved, and is to be given again (§12)."""
    NEWS = "news"
    """Whoever runs the server says something before every question (§6.11)."""
    LOST = "lost"
    """The line is lost in the match (§4.5)."""


class Middle:
    """Between a server on a port of this machine and one client, over as many lines as it makes."""

    def __init__(self, port: int, manner: Manner, conduct: Conduct) -> None:
        self._port = port
        self._manner = manner
        self._conduct = conduct
        self._pings = _FIRST_PING
        self._has_refused = False
        self.over = trio.Event()
        """The client was told the end of the match."""
        self.gone = trio.Event()
        """…and its line has ended after that."""
        self.lost = trio.Event()
        """We have cut the line."""
        self.back = trio.Event()
        """It has made another one then."""
        self.closed = trio.Event()
        """The last line has ended, and what was wrong with that is noted."""

    async def attend(self, bot: trio.abc.Stream) -> None:
        """One line."""
        closed = self.closed = trio.Event()
        try:
            await self._attend(bot)
        finally:
            closed.set()

    async def _attend(self, bot: trio.abc.Stream) -> None:
        was_cut = self.lost.is_set()
        if was_cut:
            self.back.set()
        self._conduct.began()
        sending = trio.Lock()
        async with await trio.open_tcp_stream("127.0.0.1", self._port) as server:
            async with bot, trio.open_nursery() as nursery:

                async def up() -> None:
                    with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                        await self._up(bot, server, sending)
                    with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                        await server.send_eof()  # what it has to say of what came before is heard yet

                nursery.start_soon(up)
                with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                    await self._down(server, bot, sending)
                nursery.cancel_scope.cancel()
            is_cut = self.lost.is_set() and not was_cut
            self._conduct.ended(trio.current_time(), is_cut=is_cut)
            if self._conduct.has_ended:
                self.gone.set()
            if is_cut:
                await self._hold(server)

    async def _hold(self, server: trio.abc.Stream) -> None:
        """The server does not notice yet, or it would play on at once by the defaults."""
        with trio.move_on_after(HELD), suppress(trio.BrokenResourceError):
            while await server.receive_some():
                pass

    async def _down(self, server: trio.abc.Stream, bot: trio.abc.Stream, sending: trio.Lock) -> None:
        """To the server's last word, whether or not the client is there to hear it."""
        splitter = FrameSplitter(SERVER_LIMIT)
        while data := await server.receive_some():
            splitter.feed(bytes(data))
            while (payload := splitter.next_payload()) is not None:
                message = decode(payload)
                self._conduct.server(message, trio.current_time())
                await self._give(bot, self._altered(message, payload), sending)
                if self._cuts(message):
                    self.lost.set()
                    return
                if self._conduct.has_ended:
                    self.over.set()
                if isinstance(message, wire.Bye):
                    return

    async def _up(self, bot: trio.abc.Stream, server: trio.SocketStream, sending: trio.Lock) -> None:
        splitter = FrameSplitter(CLIENT_LIMIT)
        while data := await bot.receive_some():
            splitter.feed(bytes(data))
            while True:
                garbage = b""
                try:
                    if (payload := splitter.next_payload()) is None:
                        break
                    garbage = join(payload)
                    message = decode(payload)
                except RemoteProtocolError as error:
                    await server.send_all(garbage or _BAD_HEADERS[error.code])  # which will say what is wrong with it
                    return
                if not self._conduct.client(message, trio.current_time()):
                    continue
                if (refused := self._refused(message)) is not None:
                    self._conduct.server(refused, trio.current_time())
                    await self._give(bot, frame(refused), sending)
                    continue
                await server.send_all(join(payload))

    async def _give(self, bot: trio.abc.Stream, data: bytes, sending: trio.Lock) -> None:
        size = _PIECE if self._manner is Manner.PIECES else len(data)
        async with sending:
            with suppress(trio.BrokenResourceError):  # it has gone, which is noticed where it is read
                for at in range(0, len(data), size):
                    await bot.send_all(data[at : at + size])

    def _altered(self, message: wire.Message, payload: bytes) -> bytes:
        """What the client gets in its place."""
        if isinstance(message, wire.Welcome) and self._manner is Manner.SETTINGS:
            told = msgspec.msgpack.decode(payload)
            told["settings"] = {**told["settings"], _SETTING: 7}
            return join(msgspec.msgpack.encode(told))
        if isinstance(message, wire.Question) and self._manner is Manner.PINGS:
            self._pings += 1
            self._conduct.pinged(self._pings, trio.current_time())
            others = frame(wire.Pong(n=_OF_NOBODY)) + frame(wire.Ping(n=self._pings))
            return others + join(payload)
        if isinstance(message, wire.Question) and self._manner is Manner.NEWS:
            return frame(_NOTICE) + join(payload)
        return join(payload)

    def _cuts(self, message: wire.Message) -> bool:
        is_time = isinstance(message, wire.Question) and self._conduct.questions >= _CUT_AT
        return self._manner is Manner.LOST and is_time and not self.lost.is_set()

    def _refused(self, message: wire.Message) -> wire.Refused | None:
        """What we answer in the server's place, once."""
        code = None
        match self._manner, message:
            case (Manner.TOO_FAST, wire.Ready()) if not self._has_refused:
                code = wire.RefusalCode.TOO_FAST
            case (Manner.UNSAVED, wire.Decide()) if not self._has_refused:
                code = wire.RefusalCode.CANNOT_SAVE
        if code is None:
            return None
        assert isinstance(message, wire.Ready | wire.Decide)
        self._has_refused = True
        return wire.Refused(id=message.id, code=code)
