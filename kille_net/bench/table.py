"""A table and its players: what each of them says, and what is counted of what it hears.

Owns the part of a match that the trivial player needs: it swaps a card below 7 and refuses every ask; and when each
table is to act, whatever is said at it. Of an event only its number is read, which is what makes a load light. Refuses
to know sockets and clocks: bytes and times are handed in.
"""

import secrets
from abc import ABC, abstractmethod
from array import array
from collections import Counter, deque
from collections.abc import Callable
from functools import partial
from typing import Final

import msgspec

from kille_net.bench.plan import SEATS
from kille_net.game.cards import Card
from kille_net.game.shuffle import NONCE_SIZE, commit_nonce
from kille_net.wire import HEADER_SIZE, VERSIONS, ByeCode, Message, bye, decode, frame
from kille_net.wire import messages as m

__all__ = ["OPTIONS", "Broken", "Player", "Table", "Tally", "Turns"]

OPTIONS: Final = m.Options(
    seats=SEATS,
    format=m.Format.POTS,
    length=m.Length.STANDARD,
    dealt_harlekin=m.Rank.HIGH,
    pots=0,
    computers=0,
    level=m.Level.EASY,
    clock=0,
    pace=0,
    window=0,
    rest=0,
    watching=m.Watching.NOBODY,
    coach=m.Coach.ALLOWED,
)
_WEAK: Final = int(Card.N7)
_OF_SHUFFLE: Final = frozenset({"shuffle", "commits"})
_TURN: Final = m.Phase.TURN.value


class Broken(Exception):
    """There is nothing to be measured here; the text says why."""


class _View(msgspec.Struct, gc=False):
    """What the trivial player reads of a view."""

    seat: int
    phase: str
    cards: list[int | None]


class _Heard(msgspec.Struct, gc=False):
    """What is read of every message; the other fields are passed over."""

    t: str
    seq: int = -1
    id: int = -1
    turn: int = -1
    n: int = 0
    news: str = ""
    view: _View | None = None


class _Act(msgspec.Struct, tag_field="t", tag="act", gc=False):
    id: int
    turn: int
    do: str


_read: Final = msgspec.msgpack.Decoder(_Heard).decode
_pack: Final = msgspec.msgpack.Encoder().encode


class Tally:
    """What is counted at all tables together; `is_open`: whether the time that is measured has begun, and not ended."""

    def __init__(self) -> None:
        self.is_open = False
        self.is_closing = False
        """Whether nobody answers any more."""
        self.actions = self.messages = self.octets = self.matches = self.pings = 0
        self.asks = self.ask_octets = self.events = self.event_octets = 0
        self.delays = array("d")
        self.lateness = array("d")
        self.refused: Counter[str] = Counter()
        self.gaps = 0
        self.open_acts = 0
        self.welcomed = self.seated = self.dealt = 0
        """How many players are let in, how many tables are full, and how many have been asked for their first action.
        """


class _Caused:
    """An action of which not all seats have heard."""

    __slots__ = ("began", "counts", "left")

    def __init__(self, began: float, *, counts: bool) -> None:
        self.began = began
        self.counts = counts
        self.left = SEATS


class Turns(ABC):
    """When a table acts, and when all four seats have heard of it."""

    def __init__(self, name: str, tally: Tally) -> None:
        self.name = name
        self.tally = tally
        self.caused: dict[int, _Caused] = {}
        """By the number of the first event that follows."""
        self.is_paced = True
        """Whether an action waits until it is due: with a rate, and before all tables have begun."""
        self.overdue: deque[float] = deque()
        """When actions were due that could not be taken yet."""
        self.asked: Callable[[float], None] | None = None
        """The action that waits; it is told when it was due."""
        self._has_begun = False

    @abstractmethod
    def begin(self) -> None:
        """Seat the players; the tally counts it."""

    @abstractmethod
    def play(self) -> None:
        """Let the first be asked; the tally counts it."""

    def ask(self, act: Callable[[float], None], now: float) -> None:
        """It is somebody's turn: at once, or when it is due."""
        if not self.is_paced:
            act(now)
        elif self.overdue:
            act(self.overdue.popleft())
        else:
            self.asked = act
            self.tally.dealt += not self._has_begun
            self._has_begun = True

    def take_due(self, due: float, now: float) -> None:
        """The time has come for an action."""
        if self.asked is None:
            self.overdue.append(due)
            return
        act, self.asked = self.asked, None
        if self.tally.is_open:
            self.tally.lateness.append(now - due)
        act(due)

    def acts(self, seq: int, began: float) -> None:
        """Somebody acts, and that event is the first to follow from it."""
        self.caused[seq] = _Caused(began, counts=self.tally.is_open)
        self.tally.open_acts += 1

    def happened(self, seq: int, now: float) -> None:
        """One seat hears of that event."""
        caused = self.caused.get(seq)
        if caused is None:
            return
        if caused.counts:
            self.tally.delays.append(now - caused.began)
        caused.left -= 1
        if not caused.left:
            del self.caused[seq]

    def answered(self) -> None:
        """An action is answered."""
        self.tally.open_acts -= 1
        self.tally.actions += self.tally.is_open


class Table(Turns):
    """Of four, whose players are handed to it as they are made."""

    def __init__(self, name: str, tally: Tally) -> None:
        super().__init__(name, tally)
        self.players: list[Player] = []
        self._seated = 0

    def begin(self) -> None:
        """Let the first player make the room; the others come when it is there."""
        host = self.players[0]
        host.command(m.Create(id=host.next_id(), room=self.name, options=OPTIONS, password=None), self._made)

    def _made(self) -> None:
        self._sat()
        for player in self.players[1:]:
            player.command(m.Join(id=player.next_id(), room=self.name, password=None), self._sat)

    def _sat(self) -> None:
        self._seated += 1
        self.tally.seated += self._seated == SEATS

    def play(self) -> None:
        for player in self.players:
            player.is_ready()


class Player:
    """One connection, from the hello on."""

    def __init__(self, name: str, table: Table, send: Callable[[bytes], None]) -> None:
        self.table = table
        self._name = name
        self._tally = table.tally
        self._send = send
        self._rest = b""
        self._seq = -1
        self._seat = -1
        self._id = 0
        self._act = -1
        """The last action's id."""
        self._answered = (-1, "")
        """…its question, and what it was."""
        self._doing: dict[int, tuple[m.Command, Callable[[], None]]] = {}
        """The other commands, and what follows when they are done."""
        self._unsaved: list[Callable[[], None]] = []
        """What was refused while the server could not save, to be said again (§6.11)."""
        self._nonce = b""
        self._shuffled: m.ShuffleBegan | None = None
        table.players.append(self)

    # --- what it says ---------------------------------------------------------------------------------------------

    def say(self, message: Message) -> None:
        self._send(frame(message))

    def greet(self) -> None:
        hello = m.Hello(versions=VERSIONS, agent="kille bench", name=self._name, bot=True, ticket=None, password=None)
        self.say(hello)

    def part(self) -> None:
        """Leave the table, too, at which the server would play on with who is away."""
        if self._seat >= 0:
            self.command(m.Leave(id=self.next_id()))
        self.say(bye(ByeCode.DONE))

    def next_id(self) -> int:
        self._id += 1
        return self._id

    def command(self, command: m.Command, done: Callable[[], None] = lambda: None) -> None:
        self._doing[command.id] = command, done
        self.say(command)

    def is_ready(self) -> None:
        self.command(m.Ready(id=self.next_id(), ready=True))

    def act(self, question: _Heard, began: float) -> None:
        view = question.view
        assert view is not None
        if view.phase == _TURN:
            card = view.cards[view.seat]
            assert card is not None
            do = "swap" if card < _WEAK else "stand"
        else:
            do = "refuse"
        self.table.acts(question.seq + 1, began)
        self._answer(question.turn, do)

    def _answer(self, turn: int, do: str) -> None:
        self._act = self._id = number = self._id + 1
        self._answered = (turn, do)
        packed = _pack(_Act(number, turn, do))
        self._send(len(packed).to_bytes(HEADER_SIZE, "big") + packed)

    # --- what it hears --------------------------------------------------------------------------------------------

    def hear(self, data: bytes, now: float) -> None:
        """Take bytes as they came. Raises Broken."""
        if self._rest:
            data = self._rest + data
        tally = self._tally
        at, end = 0, len(data)
        while (start := at + HEADER_SIZE) <= end and (stop := start + int.from_bytes(data[at:start], "big")) <= end:
            payload = data[start:stop]
            heard = _read(payload)
            if tally.is_open:
                tally.messages += 1
                tally.octets += stop - at
            if heard.t == "ok":
                self._done(heard.id)
            elif heard.t == "ask":
                if tally.is_open:
                    tally.asks += 1
                    tally.ask_octets += stop - at
                self._asked(heard, now)
            elif heard.t == "snapshot":
                self._sat_down(decode(payload))
            elif heard.seq >= 0:
                if tally.is_open:
                    tally.events += 1
                    tally.event_octets += stop - at
                self._happened(heard, payload, now)
            else:
                self._hear_other(heard, payload)
            at = stop
        self._rest = data[at:]

    def _sat_down(self, snapshot: m.AnyMessage) -> None:
        assert isinstance(snapshot, m.Snapshot)
        self._seq = snapshot.seq
        self._seat = [seat.name for seat in snapshot.room.seats].index(self._name)

    def _done(self, number: int) -> None:
        if number == self._act:
            self._act = -1
            self.table.answered()
        else:
            self._doing.pop(number)[1]()

    def _asked(self, question: _Heard, now: float) -> None:
        if not self._tally.is_closing:
            self.table.ask(partial(self.act, question), now)

    def _happened(self, event: _Heard, payload: bytes, now: float) -> None:
        seq, tally = event.seq, self._tally
        if seq != self._seq + 1:
            tally.gaps += 1
        self._seq = seq
        self.table.happened(seq, now)
        if event.t in _OF_SHUFFLE:
            self._shuffle(decode(payload))
        elif event.news == "ended":
            if self is self.table.players[0]:
                tally.matches += tally.is_open
            if not tally.is_closing:
                self.is_ready()

    def _shuffle(self, message: m.AnyMessage) -> None:
        """Have our part in it: who has none is waited for (§7.8)."""
        match message:
            case m.ShuffleBegan():
                self._shuffled, self._nonce = message, secrets.token_bytes(NONCE_SIZE)
                digest = commit_nonce(bytes.fromhex(message.match), self._seat, self._nonce)
                self.command(m.CommitNonce(id=self.next_id(), match=message.match, commit=digest.hex()))
            case m.NoncesCommitted() if self._shuffled is not None and message.commits[self._seat] is not None:
                self.command(m.RevealNonce(id=self.next_id(), match=self._shuffled.match, nonce=self._nonce.hex()))

    def _hear_other(self, heard: _Heard, payload: bytes) -> None:
        if heard.t == "ping":
            self.say(m.Pong(n=heard.n))
            self._tally.pings += self._tally.is_open
        elif heard.t == "welcome":
            self._tally.welcomed += 1
        elif heard.t == "no":
            refused = decode(payload)
            assert isinstance(refused, m.Refused)
            self._refused(refused)
        elif heard.t == "notice":
            notice = decode(payload)
            assert isinstance(notice, m.Notice)
            if notice.code is m.NoticeCode.SAVING_AGAIN:
                unsaved, self._unsaved = self._unsaved, []
                for say in unsaved:
                    say()
        elif heard.t == "bye":
            said = decode(payload)
            assert isinstance(said, m.Bye)
            raise Broken(f"bye {said.code.value}")

    def _refused(self, refused: m.Refused) -> None:
        self._tally.refused[refused.code.value] += 1
        is_unsaved = refused.code is m.RefusalCode.CANNOT_SAVE
        if refused.id == self._act:
            self._act = -1
            if is_unsaved:
                self._unsaved.append(partial(self._answer, *self._answered))
            else:
                self._tally.open_acts -= 1
            return
        command, done = self._doing.pop(refused.id)
        if is_unsaved:
            self._unsaved.append(lambda: self.command(msgspec.structs.replace(command, id=self.next_id()), done))
        elif isinstance(command, m.Create | m.Join):
            raise Broken(f"refused: {refused.code.value}")
