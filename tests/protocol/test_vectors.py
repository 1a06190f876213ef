"""Every vector through the codec and the connection, in both directions and fed three ways."""

from collections.abc import Callable

import pytest

from kille_net.wire import (
    MESSAGE_TYPES,
    ByeCode,
    ClientConnection,
    Ping,
    RemoteProtocolError,
    Role,
    ServerConnection,
    State,
    decode,
    encode,
    frame,
)
from tests.each import each
from tests.protocol.documents import VECTORS, Vector, manifest, plain, receiver, schema, vectors

GOOD = [*vectors("valid"), *vectors("tolerated")]
PING = frame(Ping(n=7))


def feed_whole(end: ServerConnection | ClientConnection, data: bytes) -> None:
    end.receive_data(data)


def feed_bytes(end: ServerConnection | ClientConnection, data: bytes) -> None:
    """§2.3: however the stream is cut."""
    for byte in data:
        end.receive_data(bytes([byte]))


Feed = Callable[[ServerConnection | ClientConnection, bytes], None]
FEEDS: list[Feed] = [feed_whole, feed_bytes]


def test_the_manifest_lists_the_files_there_are() -> None:
    assert manifest()["version"] == 1
    for folder in ("valid", "tolerated", "rejected", "sessions"):
        assert sorted(manifest()[folder]) == sorted(path.name for path in (VECTORS / folder).iterdir())


@each(GOOD)
def test_a_good_payload_is_read(vector: Vector) -> None:
    """§3.1, §3.3, §4.1"""
    assert plain(decode(vector.payload)) == vector.message


@each(vectors("valid"))
def test_a_message_is_written_in_its_canonical_form(vector: Vector) -> None:
    """§3.5"""
    assert encode(decode(vector.payload)) == vector.payload
    assert frame(decode(vector.payload)) == vector.frame


@each(vectors("tolerated"))
def test_what_is_tolerated_is_not_canonical(vector: Vector) -> None:
    assert encode(decode(vector.payload)) != vector.payload


def state_for(vector: Vector) -> State:
    return {"hello": State.GREETING, "welcome": State.GREETED}.get(vector.message["t"], State.OPEN)


@each([v for v in GOOD if v.message.get("version", 1) == 1], FEEDS)
def test_a_connection_takes_a_good_frame(vector: Vector, feed: Feed) -> None:
    """§2.1; with a tail: the beginning of a frame that never ends."""
    end = receiver(vector.sender, state_for(vector))
    feed(end, vector.frame + PING[:-1])
    message = end.next_message()
    assert message is not None
    assert plain(message) == vector.message
    assert end.next_message() is None


@each(vectors("rejected"), [b"", PING, b"\xff" * 9], FEEDS)
def test_a_fault_has_its_code_and_place(vector: Vector, tail: bytes, feed: Feed) -> None:
    """§10.1; and §2.3: nothing more is read."""
    end = receiver(vector.sender, vector.state)
    feed(end, vector.frame + tail)
    for _ in range(2):
        with pytest.raises(RemoteProtocolError) as caught:
            end.next_message()
        assert (caught.value.code, caught.value.place) == (vector.code, vector.place)
    assert end.state is State.FAILED


@each(v for v in vectors("rejected") if v.state is State.OPEN)
def test_a_fault_takes_no_good_frame_back(vector: Vector) -> None:
    """§2.3"""
    end = receiver(vector.sender, State.OPEN)
    end.receive_data(PING + PING + vector.frame)
    assert end.next_message() == Ping(n=7)
    assert end.next_message() == Ping(n=7)
    with pytest.raises(RemoteProtocolError) as caught:
        end.next_message()
    assert caught.value.code is vector.code


@each(vectors("rejected"))
def test_the_file_of_a_fault_is_named_after_its_code(vector: Vector) -> None:
    assert vector.code is not None
    assert vector.name.startswith(f"rejected/{vector.code.value}.json")


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("states", [("greeting", "greeted"), ("open",)], ids=["before the welcome", "after it"])
def test_each_message_is_rejected_where_it_is_forbidden(role: Role, states: tuple[str, ...]) -> None:
    """§4.3, per direction, before the welcome and after it; tests/wire/test_connection.py walks every cell."""
    table = schema()["x-states"]
    forbidden = {tag for state in states for tag in MESSAGE_TYPES if tag not in table[state][role.value]}
    found = {
        type(decode(vector.payload))
        for vector in vectors("rejected")
        if vector.code is ByeCode.UNEXPECTED and vector.sender is role and vector.state.value in states
    }
    assert found == {MESSAGE_TYPES[tag] for tag in forbidden}
