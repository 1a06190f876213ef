"""One stream between a client and a server without its input and output (protocol/v1/protocol.md §2, §4).

Owns what has been received and not yet taken, and the state of the conversation. Refuses to know sockets, clocks and
rooms: bytes come in and go out through the caller, and nothing is sent that the caller did not send.
"""

from collections.abc import Iterable
from typing import Final, Generic, Literal, TypeAlias, TypeVar, cast, overload

from kille_net.wire.codec import decode, encode
from kille_net.wire.errors import LocalProtocolError, RemoteProtocolError
from kille_net.wire.frames import CLIENT_LIMIT, GREETING_LIMIT, HEADER_SIZE, SERVER_LIMIT, FrameSplitter, join
from kille_net.wire.messages import (
    VERSIONS,
    Bye,
    ByeCode,
    ClientMessage,
    Hello,
    Message,
    ServerMessage,
    Welcome,
)
from kille_net.wire.states import TRANSITIONS, Role, State

Received = TypeVar("Received", bound=Message)
Sent = TypeVar("Sent", bound=Message)

_LIMITS: Final = {
    Role.CLIENT: {State.GREETING: GREETING_LIMIT, State.GREETED: GREETING_LIMIT, State.OPEN: CLIENT_LIMIT},
    Role.SERVER: dict.fromkeys((State.GREETING, State.GREETED, State.OPEN), SERVER_LIMIT),
}
"""Who sends → state → bytes in a frame at most (§2.2)."""
_SHARED: Final = frozenset(kind for kind, after in TRANSITIONS[State.OPEN][Role.SERVER].items() if after is State.OPEN)
"""What a server may say while a connection is open, and leaves its state as it is."""


def frame(message: Message) -> bytes:
    """Pack a message for any number of connections, in whose state it may be sent (`TRANSITIONS`) and changes nothing.

    What changes the state goes through `Connection.send`.
    """
    return join(encode(message))


def shared_frame(message: ServerMessage) -> bytes:
    """Pack a message of a server for any number of connections that are open, and stay so.

    Raises LocalProtocolError for one that may not be sent then.
    """
    if type(message) not in _SHARED:
        raise LocalProtocolError(f"{type(message).__name__} to many")
    return frame(message)


def negotiate(theirs: Iterable[int], ours: Iterable[int] = VERSIONS) -> int | None:
    """The highest version that both speak, or None (§4.2)."""
    return max(set(theirs) & set(ours), default=None)


def bye(code: ByeCode, place: str = "") -> Bye:
    """The `bye` of this package, which names its own versions."""
    return Bye(code=code, place=place, versions=VERSIONS)


class Connection(Generic[Received, Sent]):
    """What one end knows of the conversation.

    Give it what comes with `receive_data` and `receive_eof`, and take messages with `next_message` until it says None,
    before more is read. `send` returns the bytes to be written and counts them as sent: if writing fails, drop the
    connection.
    """

    @overload
    def __init__(self: "ServerConnection", role: Literal[Role.SERVER]) -> None: ...
    @overload
    def __init__(self: "ClientConnection", role: Literal[Role.CLIENT]) -> None: ...
    def __init__(self, role: Role) -> None:
        self._us = role
        self._them = Role.SERVER if role is Role.CLIENT else Role.CLIENT
        self._state = State.GREETING
        self._splitter = FrameSplitter(_LIMITS[self._them][self._state])
        self._fault: tuple[ByeCode, str] | None = None
        """Of the other end; no error, which would hold whoever it passed through, and so itself."""
        self._is_at_end = False
        self._offered: tuple[int, ...] = ()

    @property
    def state(self) -> State:
        return self._state

    @property
    def is_mid_frame(self) -> bool:
        """Whether a frame has begun to come whose end has not, so that the time for it passes (§8.2)."""
        return self._splitter.is_mid_frame

    def receive_data(self, data: bytes) -> None:
        """Take bytes as they came. In the states FAILED and CLOSED they are dropped."""
        if self._state not in (State.FAILED, State.CLOSED):
            self._splitter.feed(data)

    def receive_eof(self) -> None:
        """Take note that the other end sends no more; CLOSED once the messages before it are taken.

        A frame that was cut off is a lost line, not a fault.
        """
        self._is_at_end = True

    def next_message(self) -> Received | None:
        """Take the next message; None: there is none before more is received, or the state is CLOSED.

        Raises RemoteProtocolError where the other end broke the protocol, after all good messages before, and again at
        every later call; then a `bye` with its code and place is all that may be sent.
        """
        if self._fault is not None:
            raise RemoteProtocolError(*self._fault)
        if self._state is State.CLOSED:
            return None
        try:
            payload = self._splitter.next_payload()
            if payload is None:
                if self._is_at_end:
                    self._state = State.CLOSED
                return None
            message = decode(payload)
            after = TRANSITIONS[self._state][self._them].get(type(message))
            if after is None:
                raise RemoteProtocolError(ByeCode.UNEXPECTED, "t")
            if isinstance(message, Welcome) and message.version not in self._offered:
                raise RemoteProtocolError(ByeCode.UNSUPPORTED_VERSION, "version")
        except RemoteProtocolError as error:
            self._fault = (error.code, error.place)
            self._state = State.FAILED
            raise
        self._enter(after)
        return cast("Received", message)

    def send(self, message: Sent) -> bytes:
        """Pack a message and count it as sent; raise LocalProtocolError and change nothing if it may not be sent."""
        after = TRANSITIONS[self._state][self._us].get(type(message))
        if after is None:
            raise LocalProtocolError(f"{type(message).__name__} in state {self._state.name}")
        packed = frame(message)
        if len(packed) - HEADER_SIZE > _LIMITS[self._us].get(self._state, GREETING_LIMIT):
            raise LocalProtocolError(f"{type(message).__name__} of {len(packed)} bytes")
        if isinstance(message, Hello):
            self._offered = message.versions
        self._enter(after)
        return packed

    def _enter(self, state: State) -> None:
        if state is self._state:
            return
        self._state = state
        if state in _LIMITS[self._them]:
            self._splitter.limit = _LIMITS[self._them][state]


ServerConnection: TypeAlias = Connection[ClientMessage, ServerMessage]
"""A server's end."""
ClientConnection: TypeAlias = Connection[ServerMessage, ClientMessage]
"""A client's end."""
