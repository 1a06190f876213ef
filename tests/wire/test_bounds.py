"""What a peer's bytes may cost, at most (rows 1, 2, 21, 22 of the catalogue)."""

import tracemalloc
from typing import cast

import msgspec.inspect
import pytest

from kille_net.wire import (
    ANSWERS,
    CLIENT_LIMIT,
    COMMANDS,
    SERVER_LIMIT,
    ByeCode,
    Connection,
    HandShown,
    Hello,
    Message,
    Ping,
    RemoteProtocolError,
    Role,
    TournamentNews,
    bye,
    decode,
    encode,
    frame,
)
from tests.catalogue.rows import row
from tests.wire.making import fullest

MEGABYTE = 1_000_000


def bomb(shell: bytes, core: bytes) -> bytes:
    """As much of `shell` around `core` as a server's frame holds."""
    return shell * ((SERVER_LIMIT - len(core)) // len(shell)) + core


BOMBS = {
    "arrays that announce 64": bomb(b"\xdc\x00\x40", b""),
    "arrays of one": bomb(b"\x91", b"\x90"),
    "arrays that announce all there could be": bomb(b"\xdd\xff\xff\xff\xff", b""),
    "maps that announce 32": bomb(b"\xde\x00\x20\xa0", b""),
    "maps of one": bomb(b"\x81\xa0", b"\x80"),
    "a heap of empty arrays": b"\xdc\x00\x40" + (b"\xdc\x00\x40" + b"\x90" * 64) * 64,
    "a heap of empty maps": b"\xdc\x00\x40" + (b"\xdc\x00\x40" + b"\x80" * 64) * 64,
    "a string of 4 GiB": b"\xdb\xff\xff\xff\xff" + b"x" * 60_000,
    "a string of 64 KiB": b"\xda\xff\x00" + b"x" * 0xFF00,
    "an ext of 4 GiB": b"\xc9\xff\xff\xff\xff\x05" + b"x" * 60_000,
    "floats": b"\xdc\x00\x40" + b"\xcb" * 60_000,
}


@row(21)
@pytest.mark.parametrize("payload", BOMBS.values(), ids=BOMBS.keys())
def test_a_bomb_builds_next_to_nothing(payload: bytes) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(RemoteProtocolError) as caught:
            decode(payload)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert caught.value.code in {ByeCode.TOO_COMPLEX, ByeCode.BAD_ENCODING}
    assert peak < MEGABYTE
    assert len(str(caught.value)) <= 200
    assert len(repr(caught.value)) <= 200


@pytest.mark.parametrize("kind", [*COMMANDS, *ANSWERS, HandShown, TournamentNews], ids=lambda kind: kind.__name__)
def test_the_fullest_message_is_taken(kind: type[Message]) -> None:
    """§2.2, §3.2: a command, a page of a list and what tells much at once may be as full as their fields let them."""
    message = cast("Message", fullest(msgspec.inspect.type_info(kind)))
    payload = encode(message)
    assert decode(payload) == message
    assert len(payload) <= (CLIENT_LIMIT if kind in COMMANDS else SERVER_LIMIT)


@row(1)
@pytest.mark.parametrize("header", ["00000201", "00000801", "7fffffff", "80000000", "ffffffff"])
@pytest.mark.parametrize("more", [0, 65_536])
def test_a_frame_that_is_too_big_is_not_kept(header: str, more: int) -> None:
    """§2.2"""
    server = Connection(Role.SERVER)
    piece = b"x" * more
    tracemalloc.start()
    try:
        server.receive_data(bytes.fromhex(header))
        with pytest.raises(RemoteProtocolError) as caught:
            server.next_message()
        for _ in range(100):
            server.receive_data(piece)
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert caught.value.code is ByeCode.FRAME_TOO_BIG
    assert kept < 16_384
    assert peak < 65_536 + more


@row(1)
def test_what_comes_with_a_bad_header_is_not_kept() -> None:
    """§2.2"""
    server = Connection(Role.SERVER)
    piece = b"\xff" * 65_536
    tracemalloc.start()
    try:
        server.receive_data(piece)
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert kept < 16_384


def test_what_comes_after_a_bye_is_not_kept() -> None:
    """§4.4"""
    server = Connection(Role.SERVER)
    server.send(bye(ByeCode.BUSY))
    tracemalloc.start()
    try:
        for _ in range(100):
            server.receive_data(frame(Ping(n=1)) * 10)
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert kept < 1_000


def test_what_waits_for_the_rest_of_a_frame_is_within_the_limit() -> None:
    """§2.2"""
    client = Connection(Role.CLIENT)
    client.send(Hello(versions=(1,), agent="", name="Ada", bot=False, ticket=None, password=None))
    tracemalloc.start()
    try:
        client.receive_data(SERVER_LIMIT.to_bytes(4, "big"))
        for _ in range(SERVER_LIMIT - 1):
            client.receive_data(b"x")
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert client.next_message() is None
    assert kept < 2 * SERVER_LIMIT
