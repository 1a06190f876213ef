"""A table and its players: what each of them says, and what is counted of what it hears.

Owns the part of a match that the trivial player needs: it swaps a card below 7 and refuses every ask. Of an event only
its number is read, which is what makes a load light. Refuses to know sockets and clocks: bytes and times are handed in.
"""

import secrets
from array import array
from collections import Counter, deque
from collections.abc import Callable
from typing import Final

import msgspec

from kille_net.bench.plan import SEATS
from kille_net.game.cards import Card
from kille_net.game.shuffle import NONCE_SIZE, commit_nonce
from kille_net.wire import HEADER_SIZE, VERSIONS, ByeCode, Message, bye, decode, frame
from kille_net.wire import messages as m

__all__ = ["OPTIONS", "Broken", "Player", "Table", "Tally"]

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


class Table:
    """Of four, whose players are handed to it as they are made."""

    def __init__(self, name: str, tally: Tally) -> None:
        self.name = name
        self.tally = tally
        self.players: list[Player] = []
        self.caused: dict[int, _Caused] = {}
        """By the number of the first event that follows."""
        self.is_paced = True
        """Whether an action waits until it is due: with a rate, and before all tables have begun."""
        self.overdue: deque[float] = deque()
        """When actions were due that could not be taken yet."""
        self.asked: tuple[Player, _Heard] | None = None
        """The question whose action waits."""
        self._seated = 0
        self._has_begun = False

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

    def hold(self, player: "Player", question: _Heard) -> None:
        """Let it wait until it is due."""
        self.asked = (player, question)
        self.tally.dealt += not self._has_begun
        self._has_begun = True

    def take_due(self, due: float, now: float) -> None:
        """The time has come for an action."""
        if self.asked is None:
            self.overdue.append(due)
            return
        (player, question), self.asked = self.asked, None
        if self.tally.is_open:
            self.tally.lateness.append(now - due)
        player.act(question, due)


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
        self._doing: dict[int, Callable[[], None]] = {}
        """What follows when a command is done."""
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
        self.say(bye(ByeCode.DONE))

    def next_id(self) -> int:
        self._id += 1
        return self._id

    def command(self, command: m.Command, done: Callable[[], None] = lambda: None) -> None:
        self._doing[command.id] = done
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
        tally = self._tally
        self._act = self._id = number = self._id + 1
        self.table.caused[question.seq + 1] = _Caused(began, counts=tally.is_open)
        tally.open_acts += 1
        packed = _pack(_Act(number, question.turn, do))
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
        tally = self._tally
        if number == self._act:
            self._act = -1
            tally.open_acts -= 1
            tally.actions += tally.is_open
        else:
            self._doing.pop(number)()

    def _asked(self, question: _Heard, now: float) -> None:
        table = self.table
        if self._tally.is_closing:
            return
        if not table.is_paced:
            self.act(question, now)
        elif table.overdue:
            self.act(question, table.overdue.popleft())
        else:
            table.hold(self, question)

    def _happened(self, event: _Heard, payload: bytes, now: float) -> None:
        seq, tally = event.seq, self._tally
        if seq != self._seq + 1:
            tally.gaps += 1
        self._seq = seq
        caused = self.table.caused.get(seq)
        if caused is not None:
            if caused.counts:
                tally.delays.append(now - caused.began)
            caused.left -= 1
            if not caused.left:
                del self.table.caused[seq]
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
            case m.NoncesCommitted() if self._shuffled is not None:
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
            self._tally.refused[refused.code.value] += 1
            if heard.id == self._act:
                self._tally.open_acts -= 1
            self._doing.pop(heard.id, None)
        elif heard.t == "bye":
            said = decode(payload)
            assert isinstance(said, m.Bye)
            raise Broken(f"bye {said.code.value}")
