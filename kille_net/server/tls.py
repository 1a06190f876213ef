"""TLS on the server's lines: which of them speak it, and how it is spoken without waiting.

Owns the handshake and the records. Refuses to know the key, messages and deadlines: a session bounds all that waits.
"""

import ssl
from contextlib import suppress
from typing import Final

from kille_net.server.line import Line, LineLost, SocketLine

__all__ = ["DoorLine", "NeedsTls", "TlsLine"]

_HANDSHAKE: Final = b"\x16"
_CHUNK: Final = 16_384
"""What a record holds at most."""


class NeedsTls(Exception):
    """The other end speaks plain text where it is not taken."""


class DoorLine:
    """A socket's line, in TLS or in plain text as the first byte tells (§2.4)."""

    def __init__(self, line: SocketLine, context: ssl.SSLContext, *, takes_plain: bool) -> None:
        self._socket = line
        self._context = context
        self._takes_plain = takes_plain
        self._is_chosen = False
        self._line: Line = line

    async def receive(self) -> bytes:
        """What has come, as of any line. Raises NeedsTls, too."""
        if not self._is_chosen:
            first = await self._socket.first_byte()
            self._is_chosen = True
            if first == _HANDSHAKE:
                self._line = TlsLine(self._socket, self._context)
            elif first and not self._takes_plain:
                raise NeedsTls
        return await self._line.receive()

    def seal(self, data: bytes) -> bytes:
        return self._line.seal(data)

    def send_now(self, data: bytes) -> int:
        return self._line.send_now(data)

    async def send_all(self, data: bytes) -> None:
        await self._line.send_all(data)

    async def end(self) -> None:
        await self._line.end()

    async def close(self) -> None:
        await self._line.close()


class TlsLine:
    """TLS over another line. The handshake is part of the first `receive`; until it is done nothing can be said."""

    def __init__(self, line: Line, context: ssl.SSLContext) -> None:
        self._line = line
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._is_open = False
        self._is_ended = False
        self._is_whole = True  # no record is under way in part

    async def receive(self) -> bytes:
        if self._is_ended:
            return await self._line.receive()
        if not self._is_open:
            await self._shake_hands()
        while (data := self._unsealed()) is None:
            sealed = await self._line.receive()
            if not sealed:  # the protocol has its own word for the end, so that a line cut short is no fault of TLS
                return b""
            self._incoming.write(sealed)
        return data

    def _unsealed(self) -> bytes | None:
        """All that can be read by now, many small records like a large one; None: nothing, and empty at the end."""
        parts = []
        try:
            while part := self._tls.read(_CHUNK):
                parts.append(part)
                if not self._incoming.pending and not self._tls.pending():  # as mostly; to try costs more than to look
                    break
        except ssl.SSLWantReadError:
            if not parts:
                return None
        except ssl.SSLError as error:
            raise LineLost from error
        return parts[0] if len(parts) == 1 else b"".join(parts)

    async def _shake_hands(self) -> None:
        while not self._is_open:
            try:
                self._tls.do_handshake()
            except ssl.SSLWantReadError:
                await self._line.send_all(self._outgoing.read())
                data = await self._line.receive()
                if not data:
                    raise LineLost from None
                self._incoming.write(data)
            except ssl.SSLError as error:
                self._line.send_now(self._outgoing.read())  # the alert, which says why
                raise LineLost from error
            else:
                await self._line.send_all(self._outgoing.read())
                self._is_open = True

    def seal(self, data: bytes) -> bytes:
        if not self._is_open or self._is_ended:
            raise LineLost
        try:
            self._tls.write(data)  # all of it, in as many records as it takes
        except ssl.SSLError as error:
            raise LineLost from error
        return self._outgoing.read()

    def send_now(self, data: bytes) -> int:
        sent = self._line.send_now(data)
        self._is_whole = sent == len(data)
        return sent

    async def send_all(self, data: bytes) -> None:
        self._is_whole = False
        await self._line.send_all(data)
        self._is_whole = True

    async def end(self) -> None:
        """The end of TLS, where nothing is in its way, and of the line."""
        if self._is_open and self._is_whole and not self._is_ended:
            with suppress(ssl.SSLError):  # the other end has not said so yet
                self._tls.unwrap()
            self._line.send_now(self._outgoing.read())
        self._is_ended = True
        await self._line.end()

    async def close(self) -> None:
        await self._line.close()
