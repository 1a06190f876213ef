"""§4.3: what the table does not allow is refused by both ends, cell by cell."""

import pytest

from kille_net.wire import (
    MESSAGE_TYPES,
    TRANSITIONS,
    AnyMessage,
    ByeCode,
    ClientConnection,
    LocalProtocolError,
    RemoteProtocolError,
    Role,
    ServerConnection,
    State,
    bye,
    decode,
    frame,
)
from tests.protocol.documents import receiver, schema, vectors

OTHER = {Role.CLIENT: Role.SERVER, Role.SERVER: Role.CLIENT}
SAID = {
    vector.message["t"]: decode(vector.payload)
    for vector in sorted(vectors("valid"), key=lambda vector: -len(vector.frame))
}
"""The shortest example of each message, so that no frame is too big in any state."""
FORBIDDEN = [
    (state, role, tag)
    for state, by_role in TRANSITIONS.items()
    for role, row in by_role.items()
    for tag, kind in MESSAGE_TYPES.items()
    if kind not in row
]


def end(role: Role, state: State) -> ServerConnection | ClientConnection:
    """An end in that state; the other end has broken the protocol, or said bye, after the welcome."""
    made = receiver(OTHER[role], State.OPEN if state in {State.FAILED, State.CLOSED} else state)
    if state is State.FAILED:
        made.receive_data(bytes(4))
        with pytest.raises(RemoteProtocolError):
            made.next_message()
    elif state is State.CLOSED:
        made.receive_data(frame(bye(ByeCode.DONE)))
        made.next_message()
    assert made.state is state
    return made


def send(sender: ServerConnection | ClientConnection, message: AnyMessage) -> bytes:
    return sender.send(message)  # type: ignore[arg-type]  # what may not be sent is what is tried


def test_a_cell_is_allowed_or_forbidden() -> None:
    allowed = sum(len(row) for by_role in TRANSITIONS.values() for row in by_role.values())
    assert len(FORBIDDEN) + allowed == len(State) * len(Role) * len(MESSAGE_TYPES)


@pytest.mark.parametrize(("state", "role", "tag"), FORBIDDEN)
def test_what_is_forbidden_is_not_sent(state: State, role: Role, tag: str) -> None:
    sender = end(role, state)
    with pytest.raises(LocalProtocolError):
        send(sender, SAID[tag])
    assert sender.state is state


@pytest.mark.parametrize(("state", "role", "tag"), FORBIDDEN)
def test_what_is_forbidden_is_not_taken(state: State, role: Role, tag: str) -> None:
    """Or not even read, once there has been a fault or a bye."""
    taker = end(OTHER[role], state)
    taker.receive_data(frame(SAID[tag]))
    if state is State.CLOSED:
        assert taker.next_message() is None
        assert taker.state is State.CLOSED
        return
    with pytest.raises(RemoteProtocolError) as caught:
        taker.next_message()
    expected = (ByeCode.FRAME_EMPTY, "") if state is State.FAILED else (ByeCode.UNEXPECTED, "t")
    assert (caught.value.code, caught.value.place) == expected
    assert taker.state is State.FAILED


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("states", [("greeting", "greeted"), ("open",)], ids=["before the welcome", "after it"])
def test_the_vectors_have_each_forbidden_message(role: Role, states: tuple[str, ...]) -> None:
    """Per direction, before the welcome and after it."""
    table = schema()["x-states"]
    forbidden = {tag for state in states for tag in MESSAGE_TYPES if tag not in table[state][role.value]}
    found = {
        type(decode(vector.payload))
        for vector in vectors("rejected")
        if vector.code is ByeCode.UNEXPECTED and vector.sender is role and vector.state.value in states
    }
    assert found == {MESSAGE_TYPES[tag] for tag in forbidden}
