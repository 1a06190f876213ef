"""Servers without a game, to hold ours against: `python -m tests.bench.floors NAME EVENTS EVENT_BYTES ASK_BYTES`.

Each seats players at tables of four and then answers every action with what our server sends for one: `ok` to who
acted, so many events to every seat, packed once for the table, and a question to the next seat, in one piece to each.
Where questions have no bytes it relays only: an action is one event to every seat, whose turn it is goes by its number.
`plain` awaits trio's `send_all` seat by seat; `direct` waits for a socket to be readable, takes what is there, and
sends without waiting. Owns what they answer. Refuses to know limits, deadlines, tickets and faults.
"""

import socket
import sys
from collections import defaultdict
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final, TypeAlias

import msgspec
import trio

from kille_net.bench.plan import SEATS, Shape
from kille_net.wire import HEADER_SIZE, Message, frame
from kille_net.wire import messages as m

_CHUNK: Final = 65_536
_BACKLOG: Final = 1024


class _Said(msgspec.Struct, gc=False):
    """What is read of a command."""

    t: str
    id: int = 0
    room: str = ""
    name: str = ""
    options: dict[str, Any] | None = None


class _View(msgspec.Struct, gc=False):
    seat: int
    phase: str
    cards: list[int]
    pad: str


class _Ok(msgspec.Struct, tag_field="t", tag="ok", gc=False):
    id: int


class _Event(msgspec.Struct, tag_field="t", tag="turn", gc=False):
    seq: int
    pad: str


class _Ask(msgspec.Struct, tag_field="t", tag="ask", gc=False):
    seq: int
    turn: int
    view: _View


_read: Final = msgspec.msgpack.Decoder(_Said).decode
_encode: Final = msgspec.msgpack.Encoder().encode


def _pack(message: msgspec.Struct) -> bytes:
    payload = _encode(message)
    return len(payload).to_bytes(HEADER_SIZE, "big") + payload


def _pad(message: Callable[[str], msgspec.Struct], size: float) -> str:
    """What makes the message about as long."""
    return "x" * max(round(size) - len(_pack(message(""))) - 1, 0)


class Peer:
    """One connection; it is told later where it sits."""

    def __init__(self) -> None:
        self.name = ""
        self.seat = -1
        self.room: Room | None = None
        self.rest = b""

    def hear(self, data: bytes) -> list[_Said]:
        data = self.rest + data if self.rest else data
        at, found = 0, []
        while (start := at + HEADER_SIZE) <= len(data):
            stop = start + int.from_bytes(data[at:start], "big")
            if stop > len(data):
                break
            found.append(_read(data[start:stop]))
            at = stop
        self.rest = data[at:]
        return found


class Room:
    """A table at which nothing is played."""

    def __init__(self, name: str, options: m.Options | None = None) -> None:
        self.name = name
        self.options = options
        self.peers: list[Peer] = []
        self.seq = 0
        self.turn = 0
        self.owed = 0.0
        self.ready = 0

    def snapshot(self) -> m.Snapshot:
        assert self.options is not None
        empty = m.SeatState(occupant=m.Occupant.EMPTY, name="", ready=False, away=None)
        taken = (m.SeatState(occupant=m.Occupant.BOT, name=p.name, ready=False, away=None) for p in self.peers)
        seats = (*taken, *[empty] * (SEATS - len(self.peers)))
        state = m.RoomState(
            name=self.name,
            options=self.options,
            host=self.peers[0].name,
            locked=False,
            status=m.RoomStatus.OPEN,
            seats=seats,
            watchers=0,
        )
        return m.Snapshot(seq=self.seq, room=state, view=None, match=0, open=None, rest=None)


Batch = list[tuple[Peer, bytes]]
"""What is to be sent, in this order: who is asked comes last, so that all others have been told before it answers."""


class Game:
    """All rooms, and what follows from a command."""

    def __init__(self, shape: Shape) -> None:
        self.rooms: dict[str, Room] = {}
        self._events = shape.events
        self._event_pad = _pad(lambda pad: _Event(9999, pad), shape.event_bytes)
        self._ask_pad = _pad(lambda pad: _Ask(9999, 999, _View(0, "turn", [5] * SEATS, pad)), shape.ask_bytes)

    def take(self, peer: Peer, said: _Said) -> Batch:
        room = peer.room
        match said.t:
            case "act" if room is not None:
                return self._act(room, peer, said.id)
            case "hello":
                peer.name = said.name
                return [(peer, frame(_welcome(said.name)))]
            case "create" | "join":
                if said.options is not None:
                    self.rooms[said.room] = Room(said.room, msgspec.convert(said.options, m.Options))
                peer.room = room = self.rooms[said.room]
                peer.seat = len(room.peers)
                room.peers.append(peer)
                return [(peer, _pack(_Ok(said.id)) + frame(room.snapshot()))]
            case "ready" if room is not None:
                room.ready += 1
                first = [(room.peers[0], self._ask(room, 0))] if room.ready == SEATS else []
                return [(peer, _pack(_Ok(said.id))), *first]
        return []

    def _act(self, room: Room, actor: Peer, number: int) -> Batch:
        room.owed += self._events
        events = b""
        while room.owed >= 1.0:
            room.owed -= 1.0
            room.seq += 1
            events += _pack(_Event(room.seq, self._event_pad))
        following = (actor.seat + 1) % SEATS
        told = [
            (peer, _pack(_Ok(number)) + events if peer is actor else events)
            for peer in room.peers
            if peer.seat != following
        ]
        return [*told, (room.peers[following], events + self._ask(room, following))]

    def _ask(self, room: Room, seat: int) -> bytes:
        room.turn += 1
        return _pack(_Ask(room.seq, room.turn, _View(seat, "turn", [5] * SEATS, self._ask_pad)))


class Relay:
    """All rooms, where an action is one event to all and nothing else."""

    def __init__(self, shape: Shape) -> None:
        self.rooms: dict[str, Room] = {}
        self._pad = _pad(lambda pad: _Event(9999, pad), shape.event_bytes)

    def take(self, peer: Peer, said: _Said) -> Batch:
        room = peer.room
        if room is None:
            peer.room = room = self.rooms.setdefault(said.room, Room(said.room))
            room.peers.append(peer)
            return [(peer, _pack(_Ok(said.id)))]
        room.seq += 1
        event = _pack(_Event(room.seq, self._pad))
        return [(to, event) for to in room.peers]


House: TypeAlias = Game | Relay


def _welcome(name: str) -> Message:
    return m.Welcome(version=1, agent="floor", name=name, settings={}, ticket=None, resumed=m.Resumed.NO, last_id=0)


async def plain(house: House, listener: socket.socket) -> None:
    streams: dict[Peer, trio.SocketStream] = {}
    sending: defaultdict[Room | Peer, trio.Lock] = defaultdict(trio.Lock)  # trio lets one task at a time send

    async def attend(stream: trio.SocketStream) -> None:
        peer = Peer()
        streams[peer] = stream
        try:
            while data := await stream.receive_some(_CHUNK):
                for said in peer.hear(bytes(data)):
                    if said.t == "bye":
                        return
                    batch = house.take(peer, said)
                    async with sending[peer.room or peer]:
                        for to, frames in batch:
                            await streams[to].send_all(frames)
        except trio.BrokenResourceError:
            pass
        finally:
            await trio.aclose_forcefully(stream)

    trio_listener = trio.SocketListener(trio.socket.from_stdlib_socket(listener))
    await trio.serve_listeners(attend, [trio_listener])


async def direct(house: House, listener: socket.socket) -> None:
    sockets: dict[Peer, socket.socket] = {}

    async def attend(sock: socket.socket) -> None:
        peer = Peer()
        sockets[peer] = sock
        try:
            while True:
                await trio.lowlevel.wait_readable(sock)
                if not (data := sock.recv(_CHUNK)):
                    break
                for said in peer.hear(data):
                    if said.t == "bye":
                        return
                    for to, batch in house.take(peer, said):
                        sockets[to].send(batch)
        except OSError:
            pass
        finally:
            trio.lowlevel.notify_closing(sock)
            sock.close()

    async with trio.open_nursery() as nursery:
        while True:
            await trio.lowlevel.wait_readable(listener)
            sock, _ = listener.accept()
            sock.settimeout(0.0)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            nursery.start_soon(attend, sock)


FLOORS: Final[dict[str, Callable[[House, socket.socket], Awaitable[None]]]] = {"plain": plain, "direct": direct}


def main() -> None:
    name, *figures = sys.argv[1:]
    events, event_bytes, ask_bytes = map(float, figures)
    shape = Shape(events=events, event_bytes=event_bytes, ask_bytes=ask_bytes)
    house = Game(shape) if shape.ask_bytes else Relay(shape)
    listener = socket.create_server(("127.0.0.1", 0), backlog=_BACKLOG)
    listener.settimeout(0.0)
    sys.stdout.write(f"kille join 127.0.0.1:{listener.getsockname()[1]}\n")
    sys.stdout.flush()
    trio.run(partial(FLOORS[name], house, listener))


if __name__ == "__main__":
    main()
