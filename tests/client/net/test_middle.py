"""Somebody between a client and a server hears the server out, whatever has become of the client."""

import socket
import struct
from functools import partial

import pytest
import trio

from kille_net.client.conduct import Breach, Conduct, Wrong
from kille_net.client.net.middle import Manner, Middle
from kille_net.wire import messages as wire
from kille_net.wire.connection import frame

GARBAGE = bytes((0, 0, 0, 1, 0xC1))
HELLO = frame(wire.Hello(versions=(1,), agent="", name="Bo", bot=True, ticket=None, password=None))
BYE = frame(wire.Bye(code=wire.ByeCode.BAD_ENCODING, place="", versions=wire.VERSIONS))
NEWS = frame(wire.Notice(code=wire.NoticeCode.ANNOUNCE, text="Coffee is served.", ms=0))
NOTED = [Breach(Wrong.BYE, "bad_encoding")]
"""What whoever sends garbage has done, and nothing else."""


async def conduct_of(*pieces: bytes, after: int, is_reset: bool = False, says_bye: bool = True) -> Conduct:
    """Of a client that says this and goes, beside a server that says much after so many bytes, and then goodbye."""
    conduct = Conduct()

    async def serve(stream: trio.SocketStream) -> None:
        heard = b""
        while len(heard) < after:
            heard += bytes(await stream.receive_some())
        assert len(heard) == after, "nothing comes twice"
        for _ in range(20):  # the client is told all this when it is there no longer
            await stream.send_all(NEWS)
            await trio.sleep(0.005)
        if says_bye:
            await stream.send_all(BYE)

    async with trio.open_nursery() as nursery:
        listening = await nursery.start(partial(trio.serve_tcp, serve, 0, host="127.0.0.1"))
        middle = Middle(listening[0].socket.getsockname()[1], Manner.PLAIN, conduct)
        attending = await nursery.start(partial(trio.serve_tcp, middle.attend, 0, host="127.0.0.1"))
        line = await trio.open_tcp_stream("127.0.0.1", attending[0].socket.getsockname()[1])
        for piece in pieces:
            await line.send_all(piece)
            await trio.sleep(0.02)
        if is_reset:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        await line.aclose()
        with trio.fail_after(10):
            await middle.closed.wait()
        nursery.cancel_scope.cancel()
    return conduct


@pytest.mark.parametrize("is_reset", [False, True])
async def test_what_the_server_says_of_garbage_is_heard_though_the_client_has_gone(*, is_reset: bool) -> None:
    assert (await conduct_of(GARBAGE, after=len(GARBAGE), is_reset=is_reset)).breaches == NOTED


async def test_what_the_server_says_of_a_message_is_heard_though_the_client_has_gone() -> None:
    assert (await conduct_of(HELLO, after=len(HELLO))).breaches == NOTED


async def test_garbage_that_comes_in_pieces_reaches_the_server_whole() -> None:
    pieces = [GARBAGE[:2], GARBAGE[2:]]
    assert (await conduct_of(*pieces, after=len(GARBAGE))).breaches == NOTED


async def test_who_goes_without_a_fault_has_left() -> None:
    assert (await conduct_of(after=0, says_bye=False)).breaches == [Breach(Wrong.LEFT)]


@pytest.mark.parametrize("header", [bytes(4), b"\x7f\x00\x00\x00"])
@pytest.mark.parametrize("pieces", [1, 2])
async def test_a_bad_header_reaches_the_server_after_what_came_before_it_and_alone(header: bytes, pieces: int) -> None:
    said = HELLO + header
    parts = [said] if pieces == 1 else [said[:-2], said[-2:]]
    assert (await conduct_of(*parts, after=len(said))).breaches == NOTED
