"""Load for servers that relay: an action of one seat is one event at all four, whereupon the next seat acts.

`python -m tests.bench.relay framed|colyseus` does for these what `kille_net.bench.load` does for ours, in the same
loop. Owns what is said on such a connection. Refuses to know who is measured.

Colyseus is spoken on the socket itself: a library of websockets would cost the load more than the server that it is to
load. A seat is reserved by HTTP, then taken on a websocket (RFC 6455); what follows are frames that begin with the kind
of message, as `@colyseus/core` has them in its Protocol.
"""

import json
import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from http.client import HTTPConnection, HTTPException
from secrets import token_bytes
from typing import Final, Protocol

import msgspec

from kille_net.bench import load
from kille_net.bench.plan import SEATS, Plan
from kille_net.bench.table import Broken, Tally, Turns
from kille_net.wire import HEADER_SIZE

__all__ = ["Circle", "Colyseus", "Framed", "main"]

Send = Callable[[bytes], None]

_pack: Final = msgspec.msgpack.encode


class _Acting(Protocol):
    def act(self, began: float) -> None: ...


class Circle(Turns):
    """A table at which all sit as soon as they are let in, and act in turn."""

    def __init__(self, name: str, tally: Tally) -> None:
        super().__init__(name, tally)
        self.seats: list[_Acting] = []
        self.room = ""
        """As the server calls it."""

    def begin(self) -> None:
        self.tally.seated += 1

    def play(self) -> None:
        self.ask(self.seats[0].act, 0.0)


class _Seat:
    """What is the same on every wire."""

    _ACTION: bytes

    def __init__(self, table: Circle, send: Send) -> None:
        self._table = table
        self._tally = table.tally
        self._send = send
        self._rest = b""
        self._seq = 0
        self._seat = len(table.seats)
        table.seats.append(self)

    def act(self, began: float) -> None:
        self._table.acts(self._seq + 1, began)
        self._send(self._ACTION)

    def _heard(self, size: int) -> None:
        tally = self._tally
        if tally.is_open:
            tally.messages += 1
            tally.octets += size

    def _happened(self, size: int, *, is_next: bool, now: float) -> None:
        """An event of so many bytes; `is_next`: it has the number that follows."""
        table, tally = self._table, self._tally
        if tally.is_open:
            tally.events += 1
            tally.event_octets += size
        tally.gaps += not is_next
        self._seq += 1
        table.happened(self._seq, now)
        if (self._seq - 1) % SEATS == self._seat:
            table.answered()
        if self._seq % SEATS == self._seat and not tally.is_closing:
            table.ask(self.act, now)


# --- frames of ours -------------------------------------------------------------------------------------------------


class _Said(msgspec.Struct, gc=False):
    t: str
    seq: int = 0


_read: Final = msgspec.msgpack.Decoder(_Said).decode


def _framed(**said: object) -> bytes:
    payload = _pack(said)
    return len(payload).to_bytes(HEADER_SIZE, "big") + payload


class Framed(_Seat):
    """At a floor that relays (`floors.Relay`)."""

    _ACTION = _framed(t="act", id=1, turn=1, do="stand")

    def __init__(self, _name: str, table: Circle, send: Send) -> None:
        super().__init__(table, send)

    def greet(self) -> None:
        self._send(_framed(t="join", room=self._table.name))

    def part(self) -> None:
        self._send(_framed(t="bye"))

    def hear(self, data: bytes, now: float) -> None:
        if self._rest:
            data = self._rest + data
        at, end = 0, len(data)
        while (start := at + HEADER_SIZE) <= end and (stop := start + int.from_bytes(data[at:start], "big")) <= end:
            said = _read(data[start:stop])
            self._heard(stop - at)
            if said.t == "turn":
                self._happened(stop - at, is_next=said.seq == self._seq + 1, now=now)
            else:
                self._tally.welcomed += 1
            at = stop
        self._rest = data[at:]


# --- Colyseus -------------------------------------------------------------------------------------------------------

_JOIN: Final = 10
_LEAVE: Final = 12
_EVENTS: Final = (13, 15)
"""A message, and what has changed of a state."""
_STATE: Final = 14
_TEXT, _BINARY, _CLOSE, _PING = 1, 2, 8, 9  # opcodes (RFC 6455, 5.2)
_PONG: Final = 10
_LONG: Final = 126
_DIGITS: Final = 4
"""Of the event's number, at its end (`colyseus/server.mjs`)."""
_UPGRADE: Final = (
    "GET /{process}/{room}?sessionId={session} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\n"
    "Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
_END: Final = b"\r\n\r\n"


def _masked(opcode: int, payload: bytes = b"") -> bytes:
    """A frame as clients send it, masked (5.3)."""
    mask = token_bytes(4)
    return bytes([0x80 | opcode, 0x80 | len(payload)]) + mask + bytes(b ^ mask[n % 4] for n, b in enumerate(payload))


class Colyseus(_Seat):
    """In a room of `colyseus/server.mjs`."""

    _ACTION = _masked(_BINARY, bytes([13]) + _pack("act") + _pack({"do": "stand"}))

    def __init__(self, port: int, _name: str, table: Circle, send: Send) -> None:
        super().__init__(table, send)
        self._port = port
        self._is_upgraded = False

    def greet(self) -> None:
        """Raises Broken."""
        method = f"joinById/{self._table.room}" if self._table.room else "create/table"
        with closing(HTTPConnection(load.HOST, self._port)) as http:
            try:
                http.request("POST", f"/matchmake/{method}", "{}", {"Content-Type": "application/json"})
                said = json.load(http.getresponse())
                room, process, session = said["room"]["roomId"], said["room"]["processId"], said["sessionId"]
            except (HTTPException, ValueError, KeyError) as error:
                raise Broken("Colyseus gives no seat") from error
        self._table.room = room
        asked = _UPGRADE.format(process=process, room=room, session=session, host=load.HOST, port=self._port)
        self._send(asked.encode())

    def part(self) -> None:
        self._send(_masked(_BINARY, bytes([_LEAVE])))

    def hear(self, data: bytes, now: float) -> None:
        """Raises Broken."""
        if self._rest:
            data = self._rest + data
        at, end = 0, len(data)
        if not self._is_upgraded:
            at = data.find(_END) + len(_END)
            if at < len(_END):
                self._rest = data
                return
            if not data.startswith(b"HTTP/1.1 101 "):
                raise Broken("Colyseus opens no websocket")
            self._is_upgraded = True
        while (start := at + 2) <= end:
            size = data[at + 1]
            if size == _LONG:
                start += 2
                size = int.from_bytes(data[at + 2 : start], "big")
            if (stop := start + size) > end:
                break
            opcode = data[at] & 15
            if opcode == _BINARY and data[start] in _EVENTS:
                self._heard(stop - at)
                number = int(data[stop - _DIGITS : stop])
                self._happened(stop - at, is_next=number == (self._seq + 1) % 10**_DIGITS, now=now)
            elif opcode == _PING:
                self._send(_masked(_PONG, data[start:stop]))
                self._tally.pings += self._tally.is_open
            elif opcode == _BINARY and data[start] == _JOIN:
                self._send(_masked(_BINARY, bytes([_JOIN])))
                self._tally.welcomed += 1
            elif opcode != _CLOSE and not (opcode == _BINARY and data[start] == _STATE):
                raise Broken("Colyseus says what is not expected")
            at = stop
        self._rest = data[at:]


def main() -> int:
    """0, or 1 and one line on standard error."""
    (wire,) = sys.argv[1:]

    def of(plan: Plan) -> load.Load[Circle]:
        return load.Load(plan, Circle, Framed if wire == "framed" else partial(Colyseus, plan.port))

    return load.main(of)


if __name__ == "__main__":
    sys.exit(main())
