"""Random and mutated bytes: a message or a fault of the peer's, and nothing else (row 21 of the catalogue).

KILLE_FUZZ sets the number of inputs; the same number gives the same inputs.
"""

import os
import random

import pytest

from kille_net.wire import (
    AnyMessage,
    ByeCode,
    ClientConnection,
    RemoteProtocolError,
    Role,
    ServerConnection,
    State,
    decode,
    encode,
)
from tests.catalogue.rows import row
from tests.deep import size
from tests.protocol.documents import receiver, vectors

CHUNKS = 8
"""So that all cores have a part in it."""
INPUTS = int(os.environ.get("KILLE_FUZZ") or size(2_000_000, 1_000_000_000)) // CHUNKS
FAULTS = set(list(ByeCode)[:8])

GOOD = [vector.frame for folder in ("valid", "tolerated") for vector in vectors(folder)]
BAD = [vector.frame for vector in vectors("rejected")]
SEEDS = GOOD * 4 + BAD
HEADS = [b"\xc1", b"\xc4\x00", b"\xca", b"\xcf", b"\xd3", b"\xd4", b"\xdb", b"\xdd", b"\xdf", b"\x90", b"\x80", b"\xff"]


def mutated(rng: random.Random) -> bytes:
    """A frame with one to three changes."""
    data = bytearray(rng.choice(SEEDS))
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at = rng.randrange(len(data) + 1)
        match rng.randrange(6):
            case 0 if at < len(data):
                data[at] ^= 1 << rng.randrange(8)
            case 1 if at < len(data):
                data[at] = rng.randrange(256)
            case 2:
                del data[at : at + rng.randint(1, 4)]
            case 3:
                data[at:at] = rng.choice(HEADS)
            case 4:
                other = rng.choice(SEEDS)
                start = rng.randrange(len(other))
                data[at:] = other[start:]
            case _:
                data[at:at] = data[at : at + rng.randint(1, 8)]
    return bytes(data)


def outcome(payload: bytes) -> AnyMessage | RemoteProtocolError:
    try:
        return decode(payload)
    except RemoteProtocolError as error:
        return error


@row(21, 22)
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_payload_is_a_message_or_a_fault(chunk: int) -> None:
    rng = random.Random(f"payload {chunk}")
    read = 0
    for number in range(INPUTS):
        payload = rng.randbytes(rng.randrange(40)) if number % 4 == 0 else mutated(rng)[4:]
        got = outcome(payload)
        if isinstance(got, RemoteProtocolError):
            assert got.code in FAULTS
            assert len(got.place) <= 64
        else:
            read += 1
            assert decode(encode(got)) == got
    assert INPUTS / 50 < read < INPUTS / 2, "mutations that are all good, or all bad, try nothing"


def drained(end: ServerConnection | ClientConnection) -> ByeCode | None:
    try:
        while end.next_message() is not None:
            pass
    except RemoteProtocolError as error:
        return error.code
    return None


@row(4, 21)
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_stream_is_messages_and_at_most_one_fault(chunk: int) -> None:
    rng = random.Random(f"stream {chunk}")
    for _ in range(INPUTS // 20):
        end = receiver(rng.choice([*Role]), rng.choice([State.GREETING, State.GREETED, State.OPEN]))
        stream = b"".join(mutated(rng) for _ in range(rng.randint(1, 4)))
        cut = rng.randrange(len(stream) + 1)
        for piece in (stream[:cut], stream[cut:]):
            end.receive_data(piece)
            code = drained(end)
            assert code is None or (code in FAULTS and end.state is State.FAILED)
