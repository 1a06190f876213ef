"""A server for tests of the client: it says what the test says, over loopback TCP, and a match if it is asked to."""

import random
import socket
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self, TypeVar

from kille_net.game.actions import DEFAULTS, Action, actions_of
from kille_net.game.cards import FULL_PACK
from kille_net.game.events import Event
from kille_net.game.match import Match, Stage
from kille_net.game.rules import Seat
from kille_net.game.views import observe, redact
from kille_net.translate import from_do, to_event, to_phase, to_ruleset, to_view
from kille_net.wire import messages as wire
from kille_net.wire.connection import Connection, ServerConnection
from kille_net.wire.states import Role

OPTIONS = wire.Options(
    seats=3,
    format=wire.Format.POTS,
    length=wire.Length.SHORT,
    dealt_harlekin=wire.Rank.HIGH,
    pots=1,
    computers=2,
    level=wire.Level.EASY,
    clock=0,
    pace=0,
    window=0,
    rest=0,
    watching=wire.Watching.EVERYONE,
    coach=wire.Coach.ALLOWED,
)
NAMES = ("Ada", "Bo", "Cilla", "Doris", "Eva", "Frans", "Greta", "Hugo")
_SECONDS = 20.0
_Kind = TypeVar("_Kind", bound=wire.Message)


def seat(name: str = "", *, computer: bool = False, ready: bool = False) -> wire.SeatState:
    occupant = wire.Occupant.COMPUTER if computer else wire.Occupant.PERSON if name else wire.Occupant.EMPTY
    return wire.SeatState(occupant=occupant, name=name, ready=ready or computer, away=None)


def room(
    *names: str, options: wire.Options = OPTIONS, status: wire.RoomStatus = wire.RoomStatus.OPEN, name: str = "Bordet"
) -> wire.RoomState:
    """A room whose first seat is a person's and the others computers'."""
    seats = tuple(seat(who, computer=bool(who) and k > 0) for k, who in enumerate(names))
    return wire.RoomState(
        name=name, options=options, host=names[0], locked=False, status=status, seats=seats, watchers=0
    )


class Outlet:
    """Where a table tells what happens: kept in a list."""

    def __init__(self) -> None:
        self.seq = 0
        self.sent: list[wire.ServerMessage] = []

    def send(self, *messages: wire.ServerMessage) -> None:
        self.sent += messages

    def take(self) -> list[wire.ServerMessage]:
        """What was sent since the last time."""
        sent, self.sent = self.sent, []
        return sent

    def event(self, kind: Callable[..., wire.ServerMessage], **fields: object) -> wire.ServerMessage:
        """The next event of the room."""
        self.seq += 1
        return kind(seq=self.seq, **fields)


class Peer(Outlet):
    """One client, as its server sees it."""

    def __init__(self, stream: socket.socket) -> None:
        super().__init__()
        self._stream = stream
        self._connection: ServerConnection = Connection(Role.SERVER)

    def send(self, *messages: wire.ServerMessage) -> None:
        self.send_raw(self.pack(*messages))

    def pack(self, *messages: wire.ServerMessage) -> bytes:
        """The bytes of messages that are sent next."""
        return b"".join(self._connection.send(message) for message in messages)

    def send_raw(self, data: bytes) -> None:
        self._stream.sendall(data)

    def receive(self, kind: type[_Kind]) -> _Kind:
        """The next message of this kind; what else comes is an error of the test.

        Pings are answered, and who asks for tournaments hears that there are none.
        """
        deadline = time.monotonic() + _SECONDS
        while time.monotonic() < deadline:  # a client that only pings has nothing to say
            message = self._connection.next_message()
            if message is None:
                data = self._stream.recv(65_536)
                if data:
                    self._connection.receive_data(data)
                else:
                    self._connection.receive_eof()
                    if self._connection.next_message() is None:
                        raise EOFError
            elif isinstance(message, wire.Ping):
                self.send(wire.Pong(n=message.n))
            elif isinstance(message, wire.ListTournaments) and kind is not wire.ListTournaments:
                self.send(wire.Tournaments(id=message.id, page=0, pages=1, tournaments=()))
            else:
                assert isinstance(message, kind), message
                return message
        raise TimeoutError(kind.__name__)

    def welcome(self, name: str | None = None, **settings: int) -> wire.Hello:
        """Let the client in."""
        hello = self.receive(wire.Hello)
        self.send(
            wire.Welcome(
                version=1,
                agent="fake server",
                name=name or hello.name,
                settings=settings,
                ticket=None,
                resumed=wire.Resumed.NO,
                last_id=0,
            )
        )
        return hello

    def ok(self, kind: type[_Kind]) -> _Kind:
        """Take a command of this kind and grant it."""
        command = self.receive(kind)
        self.send(wire.Ok(id=command.id))  # type: ignore[attr-defined]  # every command has one
        return command

    def enter(self, state: wire.RoomState) -> None:
        """Put the client into a room, with what it sends to get there."""
        self.ok(wire.Join)
        self.send(wire.Snapshot(seq=self.seq, room=state, view=None, match=0, open=None, rest=None))

    def close(self) -> None:
        self._stream.close()


class FakeServer:
    """Listens on a free port of the loopback; the test accepts and speaks."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(_SECONDS)
        self._peers: list[Peer] = []

    @property
    def port(self) -> int:
        port: int = self._listener.getsockname()[1]
        return port

    def accept(self) -> Peer:
        stream, _ = self._listener.accept()
        stream.settimeout(_SECONDS)
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        peer = Peer(stream)
        self._peers.append(peer)
        return peer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.close()
        for peer in self._peers:
            peer.close()


class Table:
    """A match whose other seats play at random than the client's, seat 0 or none: then the client watches."""

    def __init__(
        self,
        outlet: Outlet,
        seed: int,
        names: tuple[str, ...] = NAMES[:3],
        options: wire.Options = OPTIONS,
        seat: Seat | None = 0,
    ) -> None:
        self._outlet = outlet
        self._seat = seat
        self._chance = random.Random(seed)
        self.names = names
        self._options = options
        self._turn = 0
        self.match = Match(to_ruleset(options), len(names), 0)

    def tell(self, events: list[Event]) -> None:
        self._outlet.send(*(self._event(event) for event in events))

    def _event(self, event: Event) -> wire.ServerMessage:
        self._outlet.seq += 1
        return to_event(redact(event, self._seat), self._outlet.seq)

    def begin(self) -> None:
        state = room(*self.names, options=self._options, status=wire.RoomStatus.PLAYING)
        self._outlet.send(self._outlet.event(wire.RoomChanged, news=wire.News.STARTED, who="", room=state))

    def end(self) -> None:
        """The room is open again."""
        state = room(*self.names, options=self._options)
        self._outlet.send(self._outlet.event(wire.RoomChanged, news=wire.News.ENDED, who="", room=state))

    def step(self, *, ms: int = 0) -> bool:
        """Go on till the client is asked, or the match is over; whether it was asked."""
        match = self.match
        while match.stage is not Stage.OVER:
            if match.wants_pack:
                pack = list(FULL_PACK)
                self._chance.shuffle(pack)
                self.tell(match.deal(tuple(pack)))
                continue
            acting = match.to_act
            assert acting is not None
            self.ask(acting, ms)
            if acting == self._seat:
                return True
            self.tell(match.act(acting, self._chance.choice(actions_of(match.legal(acting)))))
        return False

    def stand(self) -> None:
        """A whole hand in which everybody stands, unasked."""
        self.tell(self.match.deal(FULL_PACK))
        while (acting := self.match.to_act) is not None:
            self.tell(self.match.act(acting, DEFAULTS[self.match.phase]))

    def ask(self, acting: Seat, ms: int = 0) -> None:
        """Tell whose turn it is, and ask the client if it is its own."""
        self._turn += 1
        phase = to_phase(self.match.phase)
        event = self._outlet.event(wire.Turn, turn=self._turn, seat=acting, phase=phase, ms=ms, window=0)
        self._outlet.send(event)
        if acting == self._seat:
            view = to_view(observe(self.match, 0))
            legal = self.match.legal(0)
            self._outlet.send(wire.Question(seq=self._outlet.seq, turn=self._turn, legal=legal, ms=ms, view=view))

    def act(self, action: Action) -> None:
        """The client's answer, done."""
        self.tell(self.match.act(0, action))


def answered(table: Table, peer: Peer) -> Action:
    """Take the client's answer to the open question, and do it."""
    answer = peer.receive(wire.Message)
    match answer:
        case wire.Decide():
            action = from_do(answer.do)
        case wire.CallKuku():
            action = Action.KUKU
        case _:
            raise AssertionError(answer)
    peer.send(wire.Ok(id=answer.id))
    table.act(action)
    return action
