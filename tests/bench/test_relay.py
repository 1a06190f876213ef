"""What is said to servers that relay, without any: Colyseus' messages on a websocket."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import msgspec
import pytest

from kille_net.bench.table import Broken, Tally
from tests.bench.relay import Circle, Colyseus

UPGRADED = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"
JOIN = b"\x82\x03\x0a\x00\x00"
PING = b"\x89\x00"


def event(number: int) -> bytes:
    payload = b"\x0d\xa4turn" + msgspec.msgpack.encode({"seq": number, "pad": f"x{number:04}"})
    return bytes([0x82, len(payload)]) + payload


def patch(number: int) -> bytes:
    """Longer than a frame's first length says (RFC 6455, 5.2)."""
    payload = b"\x0f" + b"x" * 200 + b"%04d" % number
    return b"\x82\x7e" + len(payload).to_bytes(2, "big") + payload


def unmasked(frames: bytes) -> list[tuple[int, bytes]]:
    """Opcodes and payloads of what a client said."""
    found = []
    while frames:
        opcode, size = frames[0] & 15, frames[1] & 127
        assert frames[1] & 128, "a client masks"
        mask, payload = frames[2:6], frames[6 : 6 + size]
        found.append((opcode, bytes(b ^ mask[n % 4] for n, b in enumerate(payload))))
        frames = frames[6 + size :]
    return found


class Sitting:
    """A table of four who have been let in, with the measuring open and everybody free to act."""

    def __init__(self) -> None:
        self.tally = Tally()
        self.table = Circle("T", self.tally)
        self.sent: list[list[bytes]] = [[] for _ in range(4)]
        self.players = [Colyseus(1, "", self.table, sent.append) for sent in self.sent]
        for player in self.players:
            player.hear(UPGRADED + JOIN, 0.0)
        assert [self.said(seat) for seat in range(4)] == [[(2, b"\x0a")]] * 4
        assert self.tally.welcomed == 4
        self.table.begin()
        self.table.play()
        self.tally.is_open, self.table.is_paced = True, False
        self.table.take_due(1.0, 1.0)

    def said(self, seat: int) -> list[tuple[int, bytes]]:
        found = unmasked(b"".join(self.sent[seat]))
        self.sent[seat].clear()
        return found


ACT = [(2, b"\x0d\xa3act" + msgspec.msgpack.encode({"do": "stand"}))]


@pytest.mark.parametrize("news", [event, patch])
def test_each_acts_when_it_has_heard_of_the_one_before(news: "type[bytes]") -> None:
    sitting = Sitting()
    assert sitting.said(0) == ACT
    for number in range(1, 6):
        for player in sitting.players:
            player.hear(news(number), number + 1.0)
        assert [seat for seat in range(4) if sitting.said(seat) == ACT] == [number % 4]
    tally = sitting.tally
    assert (tally.actions, tally.messages, tally.events, tally.gaps, tally.open_acts) == (5, 20, 20, 0, 1)
    assert list(tally.delays) == [1.0] * 20
    assert tally.octets == tally.event_octets == 20 * len(news(1))


def test_frames_may_come_in_any_pieces() -> None:
    sitting = Sitting()
    for byte in event(1) + patch(2) + PING + event(3):
        sitting.players[3].hear(bytes([byte]), 0.0)
    assert sitting.tally.events == 3
    assert sitting.said(3) == [(10, b""), *ACT]
    assert sitting.tally.pings == 1


def test_an_event_that_is_missing_is_counted() -> None:
    sitting = Sitting()
    sitting.players[1].hear(event(2), 0.0)
    assert sitting.tally.gaps == 1


@pytest.mark.parametrize("said", [b"\x82\x02\x0b\x00", b"HTTP/1.1 400 Bad Request\r\n\r\n"])
def test_what_is_not_expected_ends_the_load(said: bytes) -> None:
    table = Circle("T", Tally())
    player = Colyseus(1, "", table, lambda _: None)
    if not said.startswith(b"HTTP"):
        player.hear(UPGRADED, 0.0)
    with pytest.raises(Broken, match="Colyseus"):
        player.hear(said, 0.0)


@contextmanager
def reserving(answer: object) -> Iterator[tuple[int, list[str]]]:
    """Something that gives seats: its port, and what it has been asked."""
    asked: list[str] = []

    class Reserving(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Reserving) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server.server_port, asked
        finally:
            server.shutdown()
            thread.join()


def test_the_first_makes_the_room_and_the_others_join_it() -> None:
    sent: list[bytes] = []
    table = Circle("T", Tally())
    with reserving({"room": {"roomId": "r", "processId": "p"}, "sessionId": "s"}) as (port, asked):
        for _ in range(2):
            Colyseus(port, "", table, sent.append).greet()
    assert asked == ["/matchmake/create/table", "/matchmake/joinById/r"]
    assert all(one.startswith(b"GET /p/r?sessionId=s HTTP/1.1\r\n") for one in sent)


def test_no_seat_is_told() -> None:
    with (
        reserving({"code": 4212, "error": "no room"}) as (port, _),
        pytest.raises(Broken, match="Colyseus gives no seat"),
    ):
        Colyseus(port, "", Circle("T", Tally()), lambda _: None).greet()
