"""A table as one client sees it that plays there: the server's end of its line (protocol/v1/protocol.md).

Owns what is said to that client, and what of its words counts. Sync; refuses to know sockets, clocks and processes.
It is no second server: one room with one place, in which whoever asks for any is seated, and which is played from
elsewhere. What it says is made by what the server's words are made by (`translate`, `wire`), and `tests/arena` holds
the two against each other. It stands here since an arena may not know the server, which has its own time: there a Kuku
comes when it comes, and here the match waits at each safe point (M7).
"""

from collections.abc import Callable, Mapping
from math import ceil
from typing import Final

from kille_net import __version__
from kille_net.bots.guard import Complaint, Fault, complaint_of, fault_of
from kille_net.game.actions import Action, Phase
from kille_net.game.events import Dealt, Event, KukuCalled
from kille_net.game.rules import Ruleset, Seat
from kille_net.game.views import View
from kille_net.translate import from_do, to_event, to_legal, to_phase, to_rules, to_view
from kille_net.wire import messages as wire
from kille_net.wire.connection import Connection, ServerConnection, bye, negotiate
from kille_net.wire.states import PLACES, Place, Role, State
from kille_net.wire.text import valid_name

__all__ = ["MOST_POTS", "ROOM", "HostedSeat", "name_of"]

ROOM: Final = "Arena"
MOST_POTS: Final = 99
"""Of a match (§5.2)."""
_MOST_CLOCK: Final = 600
_MOST_MS: Final = 3_600_000
_SETTINGS: Final = {"ping_ms": 60_000, "silence_ms": _MOST_MS, "commands_per_s": 0}
"""A client hears nothing while others think, and while its seat plays no match."""
_AGENT: Final = f"kille-net {__version__} arena"
_TWICE: Final = "it answered {answer} to a question that it had answered"
_UNASKED: Final = "it answered {answer} to no question of its own"
_REFUSED: Final[Mapping[type[wire.Message], wire.RefusalCode]] = {
    wire.Create: wire.RefusalCode.ROOM_EXISTS,  # whatever it is called
    wire.Watch: wire.RefusalCode.WATCHING_CLOSED,
    wire.Start: wire.RefusalCode.NOT_HOST,
    wire.Pause: wire.RefusalCode.NOT_HOST,
    wire.AddComputers: wire.RefusalCode.NOT_HOST,
    wire.RemoveComputer: wire.RefusalCode.NOT_HOST,
    wire.Kick: wire.RefusalCode.NOT_HOST,
    wire.CommitNonce: wire.RefusalCode.NOT_SHUFFLING,  # the packs are prepared (§7.8)
    wire.RevealNonce: wire.RefusalCode.NOT_SHUFFLING,
    wire.NextHand: wire.RefusalCode.OLD_TURN,  # nobody is waited for between two hands (§7.9)
    wire.OpenTournament: wire.RefusalCode.TOO_MANY_TOURNAMENTS,
    wire.SignUp: wire.RefusalCode.NO_SUCH_TOURNAMENT,
    wire.Withdraw: wire.RefusalCode.NOT_ENTERED,
    wire.CheckIn: wire.RefusalCode.NOT_ENTERED,
    wire.BeginTournament: wire.RefusalCode.NO_SUCH_TOURNAMENT,
    wire.CancelTournament: wire.RefusalCode.NO_SUCH_TOURNAMENT,
    wire.AskStandings: wire.RefusalCode.NO_SUCH_TOURNAMENT,
    wire.AskTables: wire.RefusalCode.NO_SUCH_TOURNAMENT,
    wire.Follow: wire.RefusalCode.NO_SUCH_TOURNAMENT,
}
"""What there is not at this table."""


def name_of(seat: Seat) -> str:
    """What whoever sits there is called."""
    return f"Seat {seat + 1}"


def _options(rules: Ruleset, seats: int, seconds: float) -> wire.Options:
    told = to_rules(rules)
    return wire.Options(
        seats=seats,
        format=told.format,
        length=told.length,
        dealt_harlekin=told.dealt_harlekin,
        pots=told.pots,
        computers=0,
        level=wire.Level.EASY,
        clock=min(_MOST_CLOCK, ceil(seconds)),
        pace=0,
        window=0,
        rest=0,
        watching=wire.Watching.NOBODY,
        coach=wire.Coach.OFF,
    )


class HostedSeat:
    """One seat and its client over all the matches that this plays; the others sit where they are told of.

    `take` gives what is to be sent, after anything was said; `connection` is fed with what comes, and `hear` with its
    messages, one by one: what there is to wait for is looked at in between.
    """

    def __init__(self, rules: Ruleset, seats: int, seat: Seat, seconds: float) -> None:
        """`seconds`: for a decision, as the client is told."""
        self.connection: ServerConnection = Connection(Role.SERVER)
        self.is_ready = False
        """It wants to play another match."""
        self.has_left = False
        self.complaints: list[Complaint] = []
        self._seat = seat
        self._seats = seats
        self._options = _options(rules, seats, seconds)
        self._ms = min(_MOST_MS, max(1, round(seconds * 1000)))
        self._out = bytearray()
        self._occupant = wire.Occupant.BOT
        self._room = ROOM
        self._place = Place.LOBBY
        self._last_id = 0
        self._seq = 0
        self._dealt = 0
        """The last `dealt`."""
        self._match = 0
        self._is_playing = False
        self._turn = 0
        self._asked: tuple[Action, ...] = ()
        """What it may do, once it is asked the open question."""
        self._answer: tuple[int, Action] | None = None
        """Command and what it says, until it takes effect."""
        self._may_call = False
        self._call: int | None = None
        self._ping = 0
        self._pong = 0

    def take(self) -> bytes:
        """What is to be sent now."""
        out, self._out = bytes(self._out), bytearray()
        return out

    def end(self, code: wire.ByeCode, place: str = "") -> None:
        """The last word, unless the client has said its own."""
        if self.connection.state is not State.CLOSED:
            self._send(bye(code, place))

    # --- the match, as it is played -------------------------------------------------------------------------------

    def begin(self) -> None:
        self._match += 1
        self._is_playing, self.is_ready = True, False
        self._tell_room(wire.News.STARTED)

    def over(self) -> None:
        self._is_playing = False
        self._tell_room(wire.News.ENDED)

    def saw(self, event: Event) -> None:
        """As far as the seat may see it."""
        if isinstance(event, KukuCalled) and self._answer is not None:
            self._send(wire.Refused(id=self._answer[0], code=wire.RefusalCode.OVERTAKEN))
            self._answer = None
        self._tell(lambda seq: to_event(event, seq))
        if isinstance(event, Dealt):
            self._dealt = self._seq

    def turn(self, seat: Seat, phase: Phase) -> None:
        """Whose answer is open."""
        self._turn += 1
        self._asked, self._answer = (), None
        self._tell(
            lambda seq: wire.Turn(seq=seq, turn=self._turn, seat=seat, phase=to_phase(phase), ms=self._ms, window=0)
        )

    def ask(self, view: View) -> None:
        """The open question, which is the seat's; once."""
        if not self._asked:
            self._asked = view.legal
            legal = to_legal(sum(1 << action for action in view.legal))
            self._send(wire.Question(seq=self._seq, turn=self._turn, legal=legal, ms=self._ms, view=to_view(view)))

    @property
    def has_answered(self) -> bool:
        return self._answer is not None

    def answer(self) -> Action:
        """Let it take effect; what follows is told next."""
        assert self._answer is not None
        (number, action), self._answer = self._answer, None
        self._send(wire.Ok(id=number))
        return action

    def offer_kuku(self, view: View) -> None:
        """A safe point at which the seat holds a Kuku: its call, its answer to the question or its pong comes next.

        Who works through what it is sent in order has called before the pong, or does not call here.
        """
        self._may_call = True
        if view.to_act == self._seat:
            self.ask(view)
        else:
            self._ping += 1
            self._send(wire.Ping(n=self._ping))

    @property
    def has_settled(self) -> bool:
        """Whether it has called its Kuku at this safe point, or gone on without."""
        return self._call is not None or (self._pong == self._ping and not self._asked) or self.has_answered

    def calls_kuku(self) -> bool:
        """Whether it called; then what follows is told next."""
        self._may_call = False
        number, self._call = self._call, None
        if number is not None:
            self._send(wire.Ok(id=number))
        return number is not None

    # --- what the client says -------------------------------------------------------------------------------------

    def hear(self, message: wire.ClientMessage) -> None:
        match message:
            case wire.Hello():
                self._greet(message)
            case wire.Ping(n=number):
                self._send(wire.Pong(n=number))
            case wire.Pong(n=number) if number == self._ping:
                self._pong = number
            case wire.Pong():
                pass
            case wire.Bye():
                self.has_left = True
            case _:
                self._command(message)

    def _greet(self, hello: wire.Hello) -> None:
        version = negotiate(hello.versions)
        if version is None:
            self.has_left = True
            self._send(bye(wire.ByeCode.UNSUPPORTED_VERSION, "versions"))
            return
        self._occupant = wire.Occupant.BOT if hello.bot else wire.Occupant.PERSON
        self._send(
            wire.Welcome(
                version=version,
                agent=_AGENT,
                name=name_of(self._seat),
                settings=_SETTINGS,
                ticket=None,
                resumed=wire.Resumed.NO,
                last_id=0,
            )
        )

    def _command(self, command: wire.Command) -> None:
        number = command.id
        if number <= self._last_id:
            self._refuse(number, wire.RefusalCode.OLD_ID)
            return
        self._last_id = number
        kind = type(command)
        if self._place not in PLACES[kind]:
            self._refuse(number, wire.RefusalCode.WRONG_PLACE)
            return
        if kind in _REFUSED:
            self._refuse(number, _REFUSED[kind])
            return
        match command:
            case wire.ListRooms(page=page):
                rooms = () if page else (self._line(),)
                self._send(wire.Rooms(id=number, page=page, pages=1, rooms=rooms))
            case wire.ListTournaments(page=page):
                self._send(wire.Tournaments(id=number, page=page, pages=1, tournaments=()))
            case wire.Join() | wire.Quick():
                self._enter(command)
            case wire.Leave():
                self._place, self.has_left = Place.LOBBY, True
                self._send(wire.Ok(id=number))
            case wire.Ready():
                self._take_ready(command)
            case wire.Say(text=text):
                self._send(wire.Ok(id=number))
                self._tell(lambda seq: wire.Said(seq=seq, who=name_of(self._seat), text=text))
            case wire.Decide():
                self._decide(command)
            case wire.CallKuku():
                self._take_call(command)

    def _enter(self, command: wire.Join | wire.Quick) -> None:
        self._place = Place.SEATED
        if isinstance(command, wire.Join):
            self._room = valid_name(command.room) or ROOM
        self._send(wire.Ok(id=command.id))
        self._seq += 1
        self._send(wire.Snapshot(seq=self._seq, room=self._state(), view=None, match=0, open=None, rest=None))

    def _take_ready(self, command: wire.Ready) -> None:
        if self._is_playing:
            self._refuse(command.id, wire.RefusalCode.PLAYING)
            return
        self._send(wire.Ok(id=command.id))
        if command.ready != self.is_ready:
            self.is_ready = command.ready
            self._tell_room(wire.News.READY if command.ready else wire.News.NOT_READY, name_of(self._seat))

    def _decide(self, command: wire.Decide) -> None:
        action = from_do(command.do)
        if not self._is_playing:
            self._refuse(command.id, wire.RefusalCode.NOT_PLAYING)
        elif command.turn != self._turn:
            self._refuse(command.id, wire.RefusalCode.OLD_TURN)
        elif not self._asked:
            self._refuse(command.id, wire.RefusalCode.NOT_YOUR_TURN)
        elif (fault := fault_of(action, self._asked)) is not None:
            self.complaints.append(fault)
            self._refuse(command.id, wire.RefusalCode.WRONG_ANSWER)
            return
        elif self._answer is not None:
            self._refuse(command.id, wire.RefusalCode.ALREADY_ANSWERED)
        else:
            self._answer = (command.id, action)
            return
        template = _TWICE if command.turn == self._turn and self._asked else _UNASKED
        self.complaints.append(complaint_of(Fault.UNASKED, "decide", template, answer=action.code))

    def _take_call(self, command: wire.CallKuku) -> None:
        if not self._is_playing:
            self._refuse(command.id, wire.RefusalCode.NOT_PLAYING)
        elif not self._dealt <= command.seq <= self._seq:
            self._refuse(command.id, wire.RefusalCode.OLD_TURN)
        elif not self._may_call or self._call is not None:
            self._refuse(command.id, wire.RefusalCode.NO_KUKU)
        else:
            self._call = command.id

    # --- saying -----------------------------------------------------------------------------------------------------

    def _send(self, message: wire.ServerMessage) -> None:
        self._out += self.connection.send(message)

    def _tell(self, make: Callable[[int], wire.RoomEvent]) -> None:
        """The next event of the room."""
        self._seq += 1
        self._send(make(self._seq))

    def _refuse(self, number: int, code: wire.RefusalCode) -> None:
        self._send(wire.Refused(id=number, code=code))

    def _tell_room(self, news: wire.News, who: str = "") -> None:
        self._tell(lambda seq: wire.RoomChanged(seq=seq, news=news, who=who, room=self._state()))

    @property
    def _status(self) -> wire.RoomStatus:
        return wire.RoomStatus.PLAYING if self._is_playing else wire.RoomStatus.OPEN

    def _state(self) -> wire.RoomState:
        return wire.RoomState(
            name=self._room,
            options=self._options,
            host=name_of((self._seat + 1) % self._seats),
            locked=False,
            status=self._status,
            seats=tuple(self._chair(seat) for seat in range(self._seats)),
            watchers=0,
        )

    def _chair(self, seat: Seat) -> wire.SeatState:
        is_own = seat == self._seat
        occupant = self._occupant if is_own else wire.Occupant.BOT
        return wire.SeatState(occupant=occupant, name=name_of(seat), ready=self.is_ready if is_own else True, away=None)

    def _line(self) -> wire.RoomLine:
        options = self._options
        return wire.RoomLine(
            name=self._room,
            seats=options.seats,
            taken=options.seats - 1,
            format=options.format,
            length=options.length,
            locked=False,
            status=self._status,
            watching=wire.Watching.NOBODY,
        )
