"""A server that breaks the protocol, or writes what terminals obey: every client of ours ends with one clean line."""

import subprocess
from collections.abc import Callable
from typing import Any, Final

import msgpack
import msgspec
import pytest

from kille_net.wire import messages as wire
from tests.catalogue.rows import row
from tests.client.fake_server import NAMES, FakeServer, Outlet, Peer, Table, room
from tests.examples.running import KILLE, PATIENCE_S, RAW, ROOT, need_node

EVIL: Final = "B\x1b[31m\x9b2J\u202e"
CLIENTS: Final = {
    "join": (str(KILLE), "--lang", "en", "join", "--plain", "127.0.0.1:{port}"),
    "bot": (str(KILLE), "--lang", "en", "bot", "run", "careful", "127.0.0.1:{port}"),
    "raw": (*RAW, "127.0.0.1", "{port}"),
    "js": ("node", str(ROOT / "examples/javascript/bot.mjs"), "127.0.0.1", "{port}"),
}
OUR_OWN: Final = ("join", "bot")


def ended(client: str, server: FakeServer, play: Callable[[Peer], None]) -> tuple[int, str, str]:
    """The exit code, and what was printed and complained of."""
    if client == "js":
        need_node()
    command = [part.format(port=server.port) for part in CLIENTS[client]]
    with subprocess.Popen(
        [*command, "--name", "Ada", "--room", "Bordet"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            peer = server.accept()
            play(peer)
            out, err = process.communicate(timeout=PATIENCE_S)
        finally:
            process.kill()
    return process.returncode, out.decode(), err.decode()


def let_in(peer: Peer, **settings: int) -> wire.Join:
    """Welcome the client and list no rooms; its way into the room."""
    peer.welcome(None, **settings)
    command = peer.receive(wire.Message)
    if isinstance(command, wire.ListRooms):
        peer.send(wire.Rooms(id=command.id, page=0, pages=1, rooms=()))
        command = peer.receive(wire.Message)
    assert isinstance(command, wire.Join)
    return command


def asked(peer: Peer, **changes: object) -> None:
    """Seat the client, begin a match and ask the first question, changed; changes of its view begin with `view_`."""
    peer.send(
        wire.Ok(id=let_in(peer).id),
        wire.Snapshot(seq=0, room=room(*NAMES[:3]), view=None, match=0, open=None, rest=None),
    )
    outlet = Outlet()
    table = Table(outlet, 3)
    table.begin()
    assert table.step()
    *before, question = outlet.take()
    assert isinstance(question, wire.Question)
    of_view = {name.removeprefix("view_"): value for name, value in changes.items() if name.startswith("view_")}
    others = {name: value for name, value in changes.items() if not name.startswith("view_")}
    view = msgspec.structs.replace(question.view, **of_view)
    peer.send(*before, msgspec.structs.replace(question, view=view, **others))


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"view_cards": (None, None, None)}, "view.cards"),
        ({"view_to_act": 1}, "view.to_act"),
        ({"legal": 0}, "legal"),
        ({"legal": 48}, "legal"),
        ({"legal": 127}, "legal"),
    ],
)
def test_a_question_that_cannot_be(client: str, changes: dict[str, Any], place: str) -> None:
    with FakeServer() as server:
        byes: list[wire.Bye] = []

        def play(peer: Peer) -> None:
            asked(peer, **changes)
            while not byes:
                message = peer.receive(wire.Message)
                if isinstance(message, wire.Bye):
                    byes.append(message)

        code, _, err = ended(client, server, play)
    assert (byes[0].code, byes[0].place) == (wire.ByeCode.BAD_FIELD, place)
    assert code == (3 if client in OUR_OWN else 1)
    assert err.count("\n") == (2 if client == "bot" else 1)  # the bot has told where it sits
    assert place in err


def raw(**message: object) -> bytes:
    payload: bytes = msgpack.packb(message)
    return len(payload).to_bytes(4) + payload


def no_rooms(peer: Peer) -> None:
    peer.welcome()
    listing = peer.receive(wire.ListRooms)
    peer.send(wire.Refused(id=listing.id, code=wire.RefusalCode.TOO_FAST))


def half_a_message(peer: Peer) -> None:
    peer.send(wire.Ok(id=let_in(peer).id))
    peer.send_raw(raw(t="snapshot", seq=0))


def no_pings(peer: Peer) -> None:
    command = let_in(peer, ping_ms=0, silence_ms=0)
    peer.send(wire.Refused(id=command.id, code=wire.RefusalCode.TOO_FAST))


@row(26)
@pytest.mark.parametrize(
    ("play", "told"),
    [
        (no_rooms, "cannot list the rooms: too_fast"),
        (half_a_message, "the server broke the protocol: KeyError: 'room'"),
        (no_pings, "cannot enter Bordet: too_fast"),
    ],
)
def test_what_ends_the_client_in_python_is_one_line(play: Callable[[Peer], None], told: str) -> None:
    with FakeServer() as server:
        code, _, err = ended("raw", server, play)
    assert (code, err) == (1, told + "\n")


def evil_rooms(peer: Peer) -> None:
    peer.welcome()
    command = peer.receive(wire.Message)
    line = wire.RoomLine(
        name=EVIL,
        seats=3,
        taken=3,
        format=wire.Format.POTS,
        length=wire.Length.LONG,
        locked=False,
        status=wire.RoomStatus.PLAYING,
        watching=wire.Watching.NOBODY,
    )
    if isinstance(command, wire.ListRooms):
        peer.send(wire.Rooms(id=command.id, page=0, pages=1, rooms=(line,)))
        command = peer.receive(wire.Message)
    assert isinstance(command, wire.Join)
    peer.send(
        wire.Ok(id=command.id),
        wire.Snapshot(seq=0, room=room("Ada", EVIL, "Bo"), view=None, match=0, open=None, rest=None),
    )
    peer.send(peer.event(wire.HandBegan, hand=1, pot=1, dealer=0, lives=(3, 3, 3), points=(0, 0, 0)))
    peer.send(peer.event(wire.MatchEnded, winner=1, points=(0, 0, 0), reason=""))
    peer.send(wire.Bye(code=wire.ByeCode.SHUTTING_DOWN, place=EVIL, versions=(1,)))


@row(44)
@pytest.mark.parametrize("client", CLIENTS)
def test_what_others_write_does_nothing_to_a_terminal(client: str) -> None:
    with FakeServer() as server:
        _, out, err = ended(client, server, evil_rooms)
    for line in (out + err).split("\n"):
        assert line.isprintable(), line
    assert "Traceback" not in err
