"""Bytes cut anywhere, empty frames by the thousand, nesting for any decoder, and how long a refusal takes."""

import os
import random
import subprocess
import sys
import time

import pytest
import trio.testing

from kille_net.server.register import Unwelcome
from kille_net.wire import ByeCode, Connection, RemoteProtocolError, Role, decode, frame
from kille_net.wire import messages as m
from tests.catalogue.rows import row
from tests.deep import size
from tests.server.house import House
from tests.server.streams import hall
from tests.server.test_session import said

HELLO = frame(m.Hello(versions=(1,), agent="test", name="Ada", bot=False, ticket=None, password=None))
TALK = [m.Say(id=k, text="hej" * (k % 7 + 1)) if k % 3 else m.Ping(n=k) for k in range(1, 40)]


def heard(pieces: list[bytes]) -> list[m.ClientMessage]:
    """What a server hears of a hello and the talk after it, cut so."""
    server = Connection(Role.SERVER)
    server.receive_data(HELLO)
    assert isinstance(server.next_message(), m.Hello)
    server.send(m.Welcome(version=1, agent="", name="Ada", settings={}, ticket=None, resumed=m.Resumed.NO, last_id=0))
    found = []
    for piece in pieces:
        server.receive_data(piece)
        while (message := server.next_message()) is not None:
            found.append(message)
    return found


@row(4)
def test_a_talk_is_the_same_cut_at_every_byte() -> None:
    stream = b"".join(map(frame, TALK))
    for cut in range(len(stream) + 1):
        assert heard([stream[:cut], stream[cut:]]) == TALK
    assert heard([stream[at : at + 1] for at in range(len(stream))]) == TALK
    chance = random.Random(4)
    for _ in range(size(100, 100_000)):
        cuts = sorted(chance.randrange(len(stream)) for _ in range(chance.randrange(60)))
        pieces = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
        assert heard(pieces) == TALK


@row(2)
async def test_empty_frames_by_the_thousand_are_one_fault(autojump_clock: trio.testing.MockClock) -> None:
    async with hall() as place:
        client = await place.guest("Ada")
        await client.stream.send_all(bytes(4 * size(10_000, 1_000_000)))
        assert said(await client.end()) == (ByeCode.FRAME_EMPTY, "")
        assert len(client.heard) == 2


@row(22)
@pytest.mark.parametrize("depth", [7, 1024, 1025, 60_000])
def test_nesting_is_refused_also_where_msgpack_is_python_alone(depth: int) -> None:
    code = (
        "from kille_net.wire import decode, RemoteProtocolError\n"
        f"try: decode(b'\\x91' * {depth} + b'\\xc0')\n"
        "except RemoteProtocolError as error: print(error.code.value)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "MSGPACK_PUREPYTHON": "1"},
        capture_output=True, text=True, timeout=30, check=True,
    )  # fmt: skip
    assert done.stdout == "too_complex\n"
    with pytest.raises(RemoteProtocolError):
        decode(b"\x91" * depth + b"\xc0")


@row(21)
def test_a_bomb_is_refused_at_once() -> None:
    """5 milliseconds for what a client's frame holds, on a machine that does other things too."""
    for shell in (b"\x91", b"\x81\xa0", b"\xdc\x00\x40", b"\xde\x00\x20\xa0", b"\xdd\xff\xff\xff\xff", b"\xda\x04\x00"):
        payload = (shell * 2048)[:2048]
        spent = []
        for _ in range(5):
            start = time.thread_time()
            with pytest.raises(RemoteProtocolError):
                decode(payload)
            spent.append(time.thread_time() - start)
        assert min(spent) < 0.005


@row(38)
def test_how_long_a_ticket_takes_to_be_refused_tells_nothing_of_it() -> None:
    """Nobody's, the one before, one that was given up, and one that begins as a good one does."""
    house = House()
    ada, bo = house.guest("Ada"), house.guest("Bo")
    first, _ = house.lobby.give_ticket(ada.player)
    second, _ = house.lobby.give_ticket(ada.player, first)
    house.lobby.confirm_ticket(ada.player)
    gone, _ = house.lobby.give_ticket(bo.player)
    house.lobby._register._tickets.drop(bo.player)
    bad = (first, gone, "0" * 64, second[:-1] + ("0" if second[-1] != "0" else "1"))
    spent: dict[str, float] = dict.fromkeys(bad, 1.0)
    for _ in range(size(200, 10_000)):
        for ticket in bad:
            start = time.perf_counter()
            with pytest.raises(Unwelcome) as caught:
                house.lobby.find(ticket)
            spent[ticket] = min(spent[ticket], time.perf_counter() - start)
            assert caught.value.code is ByeCode.BAD_TICKET
    assert max(spent.values()) - min(spent.values()) < 0.001
