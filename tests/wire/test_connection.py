"""kille_net.wire.connection: every state against every message, both ends, and what follows a fault."""

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kille_net.wire import (
    CLIENT_LIMIT,
    GREETING_LIMIT,
    MESSAGE_TYPES,
    TRANSITIONS,
    VERSIONS,
    AnyMessage,
    Bye,
    ByeCode,
    Connection,
    Hello,
    LocalProtocolError,
    Message,
    Ok,
    Ping,
    Pong,
    ProtocolError,
    RemoteProtocolError,
    Resumed,
    Role,
    Said,
    Say,
    State,
    Stood,
    Welcome,
    bye,
    frame,
    negotiate,
)
from tests.catalogue.rows import row
from tests.deep import size
from tests.each import each
from tests.protocol.documents import HELLO, WELCOME, typed, vectors
from tests.wire.making import messages

EndPoint = Connection[Any, Any]
OTHER = {Role.CLIENT: Role.SERVER, Role.SERVER: Role.CLIENT}


def end(role: Role, state: State) -> EndPoint:
    """An end in a state; FAILED by the other's fault, CLOSED by the other's bye."""
    connection: EndPoint = Connection(Role.CLIENT) if role is Role.CLIENT else Connection(Role.SERVER)
    if state in {State.GREETED, State.OPEN}:
        step(connection, role, HELLO, Role.CLIENT)
    if state is State.OPEN:
        step(connection, role, WELCOME, Role.SERVER)
    if state is State.FAILED:
        connection.receive_data(bytes(4))
        with pytest.raises(RemoteProtocolError):
            connection.next_message()
    if state is State.CLOSED:
        step(connection, role, bye(ByeCode.DONE), OTHER[role])
    assert connection.state is state
    return connection


def step(connection: EndPoint, role: Role, message: Message, sender: Role) -> None:
    if role is sender:
        connection.send(message)
    else:
        connection.receive_data(frame(message))
        assert connection.next_message() == message


def sample(tag: str) -> AnyMessage:
    if tag == "welcome":
        return WELCOME
    """The shortest there is, which is in no state too big."""
    found = (vector for vector in vectors("valid") if vector.message["t"] == tag)
    return typed(min(found, key=lambda vector: len(vector.frame)).message)


@each(Role, State, MESSAGE_TYPES)
def test_what_may_be_sent_is_in_the_table(role: Role, state: State, tag: str) -> None:
    """§4.3"""
    connection = end(role, state)
    after = TRANSITIONS[state][role].get(MESSAGE_TYPES[tag])
    if after is None:
        with pytest.raises(LocalProtocolError):
            connection.send(sample(tag))
        assert connection.state is state
    else:
        assert connection.send(sample(tag)) == frame(sample(tag))
        assert connection.state is after


@each(Role, State, MESSAGE_TYPES)
def test_what_may_be_received_is_in_the_table(role: Role, state: State, tag: str) -> None:
    """§4.3, §4.4"""
    connection = end(role, state)
    after = TRANSITIONS[state][OTHER[role]].get(MESSAGE_TYPES[tag])
    connection.receive_data(frame(sample(tag)))
    if state is State.CLOSED:
        assert connection.next_message() is None
    elif state is State.FAILED or after is None:
        with pytest.raises(RemoteProtocolError) as caught:
            connection.next_message()
        if state is not State.FAILED:
            assert (caught.value.code, caught.value.place) == (ByeCode.UNEXPECTED, "t")
        assert connection.state is State.FAILED
    else:
        assert connection.next_message() == sample(tag)
        assert connection.state is after


def state_of(connection: EndPoint) -> State:
    return connection.state


def opened() -> tuple[EndPoint, EndPoint]:
    return end(Role.CLIENT, State.OPEN), end(Role.SERVER, State.OPEN)


def test_a_fault_comes_after_the_good_messages_and_is_final() -> None:
    """§2.3, §4.4"""
    _, server = opened()
    server.receive_data(frame(Ping(n=1)) + frame(Ping(n=2)) + b"\0\0\0\1\xc1" + frame(Ping(n=3)))
    assert [server.next_message(), server.next_message()] == [Ping(n=1), Ping(n=2)]
    for _ in range(3):
        with pytest.raises(RemoteProtocolError, match="bad_encoding"):
            server.next_message()
        server.receive_data(frame(Ping(n=4)))
        server.receive_eof()
    assert state_of(server) is State.FAILED
    with pytest.raises(LocalProtocolError):
        server.send(Ok(id=1))
    assert server.send(bye(ByeCode.BAD_ENCODING)) == frame(Bye(code=ByeCode.BAD_ENCODING, place="", versions=VERSIONS))
    assert state_of(server) is State.CLOSED


def test_after_a_bye_nothing_is_read() -> None:
    """§4.4"""
    client, server = opened()
    server.receive_data(client.send(bye(ByeCode.DONE)) + frame(Ping(n=1)) + bytes(4))
    assert server.next_message() == bye(ByeCode.DONE)
    assert server.next_message() is None
    client.receive_data(frame(Ping(n=1)) + bytes(4))
    assert client.next_message() is None
    assert client.state is server.state is State.CLOSED


def test_messages_before_the_end_of_the_stream_are_taken_and_then_it_is_closed() -> None:
    """§2.3"""
    _, server = opened()
    server.receive_data(frame(Ping(n=1)) + frame(Ping(n=2))[:-1])
    server.receive_eof()
    assert state_of(server) is State.OPEN
    assert server.next_message() == Ping(n=1)
    assert server.next_message() is None
    assert state_of(server) is State.CLOSED
    with pytest.raises(LocalProtocolError):
        server.send(Ok(id=1))


def test_whether_a_frame_has_begun() -> None:
    """§8.2"""
    _, server = opened()
    assert not server.is_mid_frame
    server.receive_data(frame(Ping(n=1))[:-1])
    assert server.is_mid_frame
    server.receive_data(frame(Ping(n=1))[-1:])
    assert not server.is_mid_frame
    server.receive_data(frame(Ping(n=2)) + b"\0")
    assert server.is_mid_frame


@row(24)
def test_a_client_takes_only_a_version_that_it_offered() -> None:
    """§4.2"""
    for version, good in ((1, True), (3, True), (2, False)):
        client = Connection(Role.CLIENT)
        client.send(Hello(versions=(3, 1), agent="", name="Ada", bot=False, ticket=None, password=None))
        welcome = Welcome(
            version=version, agent="", name="Ada", settings={}, ticket=None, resumed=Resumed.NO, last_id=0
        )
        client.receive_data(frame(welcome))
        if good:
            assert client.next_message() == welcome
        else:
            with pytest.raises(RemoteProtocolError) as caught:
                client.next_message()
            assert (caught.value.code, caught.value.place) == (ByeCode.UNSUPPORTED_VERSION, "version")


@row(24)
@pytest.mark.parametrize(
    ("theirs", "ours", "common"),
    [((1,), (1,), 1), ((2, 1), (1,), 1), ((1, 2, 3), (2, 3, 4), 3), ((3, 1), (1, 2), 1), ((2,), (1,), None)],
)
def test_the_highest_common_version(theirs: tuple[int, ...], ours: tuple[int, ...], common: int | None) -> None:
    """§4.2"""
    assert negotiate(theirs, ours) == common
    assert negotiate(VERSIONS) == max(VERSIONS)


@row(24)
def test_what_is_common_is_in_both_and_nothing_higher_is() -> None:
    """§4.2: of any offers, each of any versions in any order."""
    chance = Random(24)
    for _ in range(size(500, 500_000)):
        theirs, ours = (tuple(chance.sample(range(1, 9), chance.randint(1, 8))) for _ in range(2))
        both = [version for version in theirs if version in ours]
        assert negotiate(theirs, ours) == (max(both) if both else None)


def test_a_client_may_send_more_after_the_welcome() -> None:
    """§2.2"""
    long = Say(id=1, text="🐖" * 200)
    assert GREETING_LIMIT < len(frame(long)) - 4 <= CLIENT_LIMIT
    client, server = opened()
    server.receive_data(client.send(long))
    assert server.next_message() == long
    early = end(Role.SERVER, State.GREETED)
    early.receive_data(frame(long))
    with pytest.raises(RemoteProtocolError) as caught:
        early.next_message()
    assert caught.value.code is ByeCode.FRAME_TOO_BIG


def test_nothing_is_sent_that_the_other_end_must_refuse_for_its_size() -> None:
    """§2.2"""
    client = Connection(Role.CLIENT)
    with pytest.raises(LocalProtocolError):
        client.send(Hello(versions=(1,), agent="🐖" * 64, name="🐖" * 64, bot=False, ticket=None, password=None))
    assert client.state is State.GREETING


def test_one_frame_serves_many_connections() -> None:
    event = Said(seq=1, who="Ada", text="hej")
    shared = frame(event)
    for _ in range(3):
        client, server = opened()
        assert TRANSITIONS[server.state][Role.SERVER][Said] is server.state
        client.receive_data(shared)
        assert client.next_message() == event


def test_errors_tell_whose_fault_it_is() -> None:
    assert issubclass(LocalProtocolError, ProtocolError)
    assert issubclass(RemoteProtocolError, ProtocolError)
    assert str(RemoteProtocolError(ByeCode.BAD_FIELD, "cards[2]")) == "bad_field at cards[2]"
    assert str(RemoteProtocolError(ByeCode.FRAME_EMPTY)) == "frame_empty"


def test_pings_go_both_ways() -> None:
    """§8.1"""
    client, server = opened()
    server.receive_data(client.send(Ping(n=1)))
    client.receive_data(server.send(Pong(n=1)) + server.send(Ping(n=9)))
    assert [client.next_message(), client.next_message(), client.next_message()] == [Pong(n=1), Ping(n=9), None]


@row(4)
@given(st.lists(messages(), max_size=6), st.data())
def test_a_stream_is_the_same_however_it_is_cut(sent: list[AnyMessage], data: st.DataObject) -> None:
    """§2.3"""
    stream = b"".join(map(frame, sent))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=10)))
    pieces = [stream[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    for role in Role:
        assert told(role, [stream]) == told(role, pieces)


def told(role: Role, pieces: list[bytes]) -> list[object]:
    connection = end(role, State.OPEN)
    found: list[object] = []
    for piece in pieces:
        connection.receive_data(piece)
        try:
            while (message := connection.next_message()) is not None:
                found.append(message)
        except RemoteProtocolError as error:
            return [*found, error.code, error.place]
    return found


def test_events_may_follow_the_welcome_at_once() -> None:
    client = end(Role.CLIENT, State.GREETED)
    client.receive_data(frame(WELCOME) + frame(Stood(seq=1, seat=0)))
    assert [client.next_message(), client.next_message()] == [WELCOME, Stood(seq=1, seat=0)]
