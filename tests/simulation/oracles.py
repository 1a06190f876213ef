"""What must hold at every step of a server and its clients, however the network behaves.

The ledger stands beside the lobby: it sees every step and what is decided to be told, and compares that with the table
itself. The witness stands at a client's end of a connection: what comes out there is what was told, in order, and soon.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import msgspec
import trio

from kille_net.game.cards import FULL_PACK
from kille_net.game.events import Event, HandBegan, MatchEnded
from kille_net.game.folding import fold
from kille_net.game.match import Match
from kille_net.game.record import MatchLine
from kille_net.game.replay import replay, verify
from kille_net.game.views import View, observe, redact
from kille_net.server.effects import Effect, Fault, Keep, Part, Tell
from kille_net.server.limits import Limits
from kille_net.server.lobby import Lobby
from kille_net.server.people import Player
from kille_net.server.room import Room
from kille_net.server.running import RunningMatch
from kille_net.server.saving import Record
from kille_net.translate import from_event, from_view, to_event, to_ruleset
from kille_net.wire import AnyMessage
from kille_net.wire import messages as m
from kille_net.wire.states import Place

__all__ = ["Ledger", "Trace", "Witness"]

GAME_EVENTS = m.GameEvent.__args__
_DECODER = msgspec.msgpack.Decoder(AnyMessage)
_PACK = sorted(FULL_PACK)
_UNBEGUN = {m.RoomStatus.OPEN, m.RoomStatus.GATHERING}


class Trace:
    """All that came out at the clients' ends, with its time, as one hash."""

    def __init__(self) -> None:
        self.frames = 0
        self._hash = sha256()

    def note(self, who: str, data: bytes) -> None:
        self.frames += 1
        self._hash.update(f"{trio.current_time():.6f} {who} ".encode() + data)

    def value(self) -> str:
        return self._hash.hexdigest()


@dataclass(slots=True)
class Heard:
    """What one player was told, and what it knows by that."""

    told: list[tuple[float, m.ServerMessage]] = field(default_factory=list)
    begins: int = 0
    """Where in it the newest connection begins."""
    seq: int | None = None
    view: View | None = None
    room: m.RoomState | None = None
    rest: tuple[int, int] | None = None
    """After which hand, and for whom, the table waits."""
    answers: dict[int, m.Answer | None] = field(default_factory=dict)
    """By id of each command that came; None: to come."""
    early: list[m.ServerMessage] = field(default_factory=list)
    """What is told at once, before what is held back."""
    ends: int = 0
    """Matches of which it heard the end."""


@dataclass(slots=True)
class Sitting:
    """A match in a room."""

    room: Room
    running: RunningMatch
    events: dict[int, dict[str, m.ServerMessage]] = field(default_factory=dict)
    """By number what each player was told of the game."""


class Ledger:
    """Every step of one lobby. `check` raises AssertionError, and the first one is kept in `failure`."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.heard: dict[str, Heard] = {}
        self.tickets: dict[str, tuple[str, list[tuple[float, m.ServerMessage]], int]] = {}
        """Ticket → whose it is, all that it was told, and where in it the connection begins."""
        self.rooms: dict[Room, list[float]] = {}
        """When each began and ended."""
        self.kept: Counter[str] = Counter()
        self.failure: BaseException | None = None
        self.now: Callable[[], float] = trio.current_time
        """The lobby's time."""
        self.reached: dict[str, tuple[str, int]] = {}
        """Player → the room and the last event in it that came out at its client."""
        self.done: set[tuple[str, int]] = set()
        """Commands whose `ok` came out at the client: they stay done."""
        self.lasting: set[tuple[str, int]] = set()
        """Commands that change something when they are done."""
        self.steps = 0
        self.stand_ins = 0
        self._away: dict[str, float] = {}
        """Who is lost, since when."""
        self._attended: dict[Room, float] = {}
        """Rooms in which a player is that can be asked, since when."""
        self._gathered: dict[Room, float] = {}
        """When a table that gathered players was to begin, whatever happened."""
        self._said: dict[tuple[Room, str, str], int] = {}
        self._sittings: dict[Room, Sitting] = {}
        self._lobby: Lobby | None = None

    # --- beside the lobby -----------------------------------------------------------------------------------------

    def watch(self, lobby: Lobby) -> None:
        """See all that this lobby decides from now on."""
        self._lobby = lobby
        self._wrap(lobby, "command", self._commanded)
        self._wrap(lobby, "refuse", self._refusing)
        self._wrap(lobby, "enter", lambda player, *_: self._entered(player))
        self._wrap(lobby, "come_back", lambda effects, player, *_: self._came_back(player, effects))
        self._wrap(lobby, "lose", lambda effects, player, *_: self._lost(player, effects))
        self._wrap(lobby, "tick", lambda effects, *_: self._step(effects))
        self._wrap(lobby, "give_ticket", self._gave_ticket)

    def crash(self) -> None:
        """The server is killed: what the lobby decides while it falls over is nothing to anybody."""
        self._lobby = None
        for times in self.rooms.values():
            if times[1] < 0:
                times[1] = trio.current_time()

    def restore(self, lobby: Lobby) -> None:
        """Another server has begun with what was kept, in which is all that anybody was told."""
        rooms = {room.name: room for room in lobby.rooms}
        for name, (room_name, seq) in self.reached.items():
            if room_name in rooms:
                kept = rooms[room_name]._herald.seq
                assert kept >= seq, f"{name} was told {seq}, and {kept} was kept"
        for heard in self.heard.values():
            heard.answers.clear()
        self._away = {player.name: self.now() for room in rooms.values() for player in room.seating.players}
        self._attended.clear()
        self._gathered = {room: self.now() + self.limits.quick for room in rooms.values() if room.seating.gathers}
        self._sittings.clear()
        for room in rooms.values():
            if room.play.match is not None:
                self.kept[room.play.match._shuffle.match_id.hex()] = 0  # a result that was not kept is none
        self.watch(lobby)

    def _wrap(self, lobby: Lobby, name: str, then: Callable[..., None]) -> None:
        method = getattr(lobby, name)

        def wrapped(*args: Any, **options: Any) -> Any:  # noqa: ANN401  any method
            result = method(*args, **options)
            if self._lobby is lobby:  # and not one that was killed
                self._guard(lambda: then(result, *args))
            return result

        setattr(lobby, name, wrapped)

    def _guard(self, check: Callable[[], None]) -> None:
        """The server must not take a failed check for a fault of its own."""
        if self.failure is None:
            try:
                check()
            except Exception as error:  # whatever it is, it is for the test
                self.failure = error

    def of(self, player: Player) -> Heard:
        return self.heard.setdefault(player.name, Heard())

    def _entered(self, player: Player) -> None:
        self.heard[player.name] = Heard()  # a name may be another's later
        self.reached.pop(player.name, None)
        self.done = {one for one in self.done if one[0] != player.name}
        self.lasting = {one for one in self.lasting if one[0] != player.name}

    def _lost(self, player: Player, effects: list[Effect]) -> None:
        self._away[player.name] = self.now()
        self._step(effects)

    def _came_back(self, player: Player, effects: list[Effect]) -> None:
        self._away.pop(player.name, None)
        self.of(player).begins = len(self.of(player).told)
        self._step(effects)

    def _gave_ticket(self, given: tuple[str, list[Effect]], player: Player, *_: object) -> None:
        ticket = given[0]
        assert ticket not in self.tickets
        heard = self.of(player)
        self.tickets[ticket] = (player.name, heard.told, heard.begins)

    def _commanded(self, effects: list[Effect], player: Player, command: m.Command, _now: float, *_: object) -> None:
        if isinstance(command, m.Decide | m.CallKuku | m.Create | m.Join | m.Quick | m.Leave):
            self.lasting.add((player.name, command.id))
        self.of(player).answers.setdefault(command.id, None)
        self._step(effects)

    def _refusing(self, answer: m.Answer | None, player: Player, command: m.Command, _code: object) -> None:
        self.of(player).answers.setdefault(command.id, None)
        if answer is not None:
            self._answered(player, answer)
            self.of(player).early.append(answer)

    # --- one step -------------------------------------------------------------------------------------------------

    def _step(self, effects: Iterable[Effect]) -> None:
        assert self._lobby is not None
        self.steps += 1
        self._find_matches()
        touched: set[str] = set()
        for effect in effects:
            match effect:
                case Tell(players, message):
                    for player in players:
                        if isinstance(message, m.Answer):
                            self._answered(player, message)  # also where nobody hears it: it is kept
                        if player.is_here:
                            self._told(player, message)
                            touched.add(player.name)
                    self._news(players, message)
                case Keep():
                    self._keep(effect.record)
                case Fault(error):
                    raise error
                case Part():
                    raise AssertionError("a room went to pieces")
        self._check_rooms(touched)

    def _find_matches(self) -> None:
        """Take note of rooms and matches that are new."""
        assert self._lobby is not None
        now = trio.current_time()
        rooms = self._lobby.rooms
        for room in rooms:
            self.rooms.setdefault(room, [now, -1.0])
            if room.seating.gathers:
                self._gathered.setdefault(room, self.now() + self.limits.quick)
            if room.play.match is not None and (
                room not in self._sittings or self._sittings[room].running is not room.play.match
            ):
                self._sittings[room] = Sitting(room, room.play.match)
        for room, times in self.rooms.items():
            if times[1] < 0 and room.is_over:
                times[1] = now
                self.reached = {name: at for name, at in self.reached.items() if at[0] != room.name}

    def _answered(self, player: Player, answer: m.Answer) -> None:
        answers = self.of(player).answers
        assert answer.id in answers, "an answer to nothing"
        before = answers[answer.id]
        is_forgotten = isinstance(answer, m.Refused) and answer.code is m.RefusalCode.OLD_ID
        assert before is None or before == answer or is_forgotten, "two answers to one command"
        answers[answer.id] = answer if before is None else before

    def _told(self, player: Player, message: m.ServerMessage) -> None:
        heard = self.of(player)
        heard.told.append((trio.current_time(), message))
        match message:
            case m.Snapshot():
                heard.seq, heard.room = message.seq, message.room
                heard.view = None if message.view is None else from_view(message.view)
                heard.rest = None if message.rest is None else (message.rest.hand, message.rest.seats)
                self._check_rest(player, heard)
                self._check_seat(player, message.room, message.view)
            case m.Question():
                assert message.seq == heard.seq
                assert heard.room is not None
                assert from_view(message.view) == heard.view, "a question is the fold of what was told"
                self._check_seat(player, heard.room, message.view)
            case m.Event():
                assert heard.seq is not None, "an event before the snapshot"
                assert message.seq == heard.seq + 1, "the numbers follow each other"
                heard.seq = message.seq
                self._happened(player, heard, message)

    @staticmethod
    def _check_seat(player: Player, room: m.RoomState, view: m.View | None) -> None:
        if view is not None and view.seat is not None:
            assert room.seats[view.seat].name == player.name, "a view of another's seat"

    def _check_rest(self, player: Player, heard: Heard) -> None:
        """A snapshot tells what the others know by the events."""
        assert self._lobby is not None
        room = self._lobby.room_of(player)
        here = [other for other in ([] if room is None else room.seating.players) if other.is_here]
        for other in (self.of(other) for other in here if other is not player):
            assert other.seq != heard.seq or other.rest == heard.rest, "a snapshot is the fold of what was told"

    def _happened(self, player: Player, heard: Heard, message: m.Event) -> None:
        assert heard.room is not None
        if isinstance(message, m.RoomChanged):
            heard.room = message.room
            if message.news in m.GONE or (message.news is m.News.KICKED and message.who == player.name):
                heard.seq = heard.view = heard.room = None
        elif isinstance(message, m.Said):
            assert self._lobby is not None
            line = (self._lobby._rooms._of[player], message.who, message.text)
            assert self._said.setdefault(line, message.seq) == message.seq, "said twice"
        elif isinstance(message, m.Rest):
            assert heard.view is not None
            assert heard.view.hand == message.hand
            heard.rest = (message.hand, message.seats) if message.seats else None
            here = [k for k, seat in enumerate(heard.room.seats) if seat.away is None]
            persons = [k for k in here if heard.room.seats[k].occupant is m.Occupant.PERSON]
            assert not message.seats & ~sum(1 << k for k in persons), "only persons who are here are waited for"
            assert bool(message.ms) == bool(message.seats)
        elif isinstance(message, m.Turn):
            assert heard.view is not None
            assert (heard.view.to_act, heard.view.phase.value) == (message.seat, message.phase.value)
        elif isinstance(message, GAME_EVENTS):
            event = from_event(message)
            heard.rest = None
            if isinstance(event, HandBegan) and event.number == 1:
                seat = next((k for k, one in enumerate(heard.room.seats) if one.name == player.name), None)
                options = heard.room.options
                heard.view = observe(Match(to_ruleset(options), options.seats, event.dealer), seat)
            assert heard.view is not None
            known = _cards(heard.view)
            heard.view = fold(heard.view, event)
            heard.ends += isinstance(event, MatchEnded)
            self._note(player, message)
            if not isinstance(message, m.Showdown | m.CardsThrown | m.Drew):
                assert _named(message) <= known | _cards(heard.view), "a card outside the view"

    def _note(self, player: Player, message: m.ServerMessage) -> None:
        assert self._lobby is not None
        room = self._lobby.room_of(player)
        sitting = None if room is None else self._sittings.get(room)
        if sitting is not None and isinstance(message, m.Event):
            sitting.events.setdefault(message.seq, {})[player.name] = message

    # --- the table itself -----------------------------------------------------------------------------------------

    def _check_rooms(self, touched: set[str]) -> None:
        assert self._lobby is not None
        for room in self._lobby.rooms:
            if room.seating.is_anyone_here:
                self._attended.setdefault(room, self.now())
            else:
                self._attended.pop(room, None)
            if room.seating.gathers:
                self._check_gathering(room)
            running = room.play.match
            if running is None:
                continue
            if running.match.hand is not None:
                table = running.match.hand.table
                held = [card for card in table.cards() if card is not None]
                assert sorted([*held, *table.talon, *table.discard, *table.beside]) == _PACK
            if room.play.status is m.RoomStatus.PLAYING:
                is_timed = room.options.clock or not room.seating.is_anyone_here
                assert running.deadline() is not None or not is_timed, "a question without an end"
                due, own = self._lobby.deadline(), room.deadline()
                assert own is None or (due is not None and due <= own), "a room that is never looked at"
            for player in room.seating.players:
                if player.name in touched and player.is_here:
                    seat = room.seating.seat_of(player)
                    assert self.of(player).view == observe(running.match, seat), "the fold is what the table shows"

    def _check_gathering(self, room: Room) -> None:
        """Nobody puts off the beginning, and nobody hosts before it."""
        due, own = self._gathered[room], room.deadline()
        assert self.now() <= due + 1e-6, "a table gathers for ever"
        assert own is not None, "a table gathers for ever"
        assert own <= due + 1e-6, "a table gathers longer than it said"
        assert room.seating.host is None

    def _news(self, players: tuple[Player, ...], message: m.ServerMessage) -> None:
        """Who is away is waited for exactly so long; in a match at least until somebody sees it."""
        if not isinstance(message, m.RoomChanged) or message.who not in self._away:
            return
        is_stand_in = message.news is m.News.STAND_IN
        seated = {seat.name for seat in message.room.seats}
        has_left = message.news is m.News.LEFT and message.room.status in _UNBEGUN and message.who not in seated
        if is_stand_in or has_left:
            assert self._lobby is not None
            due = self._away.pop(message.who) + self.limits.away
            now = self.now()
            if not is_stand_in and now < due - self.limits.away + 1e-6:
                return  # gone at once: it watched, or said that it had finished
            self.stand_ins += is_stand_in
            if is_stand_in and message.room.status is m.RoomStatus.GATHERING:
                due = self._gathered[self._lobby._rooms._of[players[0]]]
            elif is_stand_in:
                due = max(due, self._attended[self._lobby._rooms._of[players[0]]])
            assert abs(now - due) < 1e-6, f"{message.who} was waited for {now - due:g} s too long"

    def _keep(self, record: Record) -> None:
        """The record is true, and is what was told."""
        self.kept[record.match_id] += 1
        assert self.kept[record.match_id] == 1, "two results of one match"
        verdict = verify(record.lines)
        assert verdict.error is None, verdict.error
        header = next(iter(replay(record.lines))).header
        assert isinstance(header, MatchLine)
        sitting = next(one for one in self._sittings.values() if one.running._shuffle.match_id == header.id)
        happened = [event for step in replay(record.lines) for event in step.events]
        assert sum(isinstance(event, MatchEnded) for event in happened) == 1
        names = [seat.name for seat in header.seats]
        rest = iter(happened)
        for seq, forms in sorted(sitting.events.items()):  # some may have been told to nobody
            assert any(_are_forms(event, forms, names, seq) for event in rest), "not what the record says"
        del self._sittings[sitting.room]

    # --- at the end -----------------------------------------------------------------------------------------------

    def check_end(self) -> None:
        """All have gone home."""
        if self.failure is not None:
            raise self.failure
        assert self._lobby is not None
        for name, heard in self.heard.items():
            missing = [number for number, answer in heard.answers.items() if answer is None]
            assert not missing, f"commands of {name} without an answer"
        assert not self._sittings, "a match without a result"
        assert not self._lobby.rooms
        assert not self._lobby._rooms._of
        assert not self._lobby.players, "somebody is never forgotten"
        assert self._lobby.deadline() is None

    def is_playing(self) -> bool:
        return self._lobby is None or any(room.play.match is not None for room in self._lobby.rooms)

    def is_empty(self) -> bool:
        if self._lobby is None:
            return False
        return not self._lobby.rooms and not any(player.is_here for player in self._lobby.players)

    def place(self, player: Player) -> Place:
        assert self._lobby is not None
        return self._lobby.place(player)

    def room_seconds(self) -> float:
        now = trio.current_time()
        return sum((now if end < 0 else end) - begin for begin, end in self.rooms.values())


def _are_forms(event: Event, forms: dict[str, m.ServerMessage], names: list[str], seq: int) -> bool:
    """Whether this is what each of them was told of the event; who watches has no seat, whatever its name."""
    public = to_event(redact(event, None), seq)
    return all(
        message == public or (name in names and message == to_event(redact(event, names.index(name)), seq))
        for name, message in forms.items()
    )


def _cards(view: View) -> set[int]:
    return {int(card) for card in (*view.cards, *view.beside, *view.gone) if card is not None}


def _named(message: m.ServerMessage) -> set[int]:
    """The cards that an event names."""
    found: set[int] = set()
    for name in ("card", "gave", "got"):
        found |= {card for card in [getattr(message, name, None)] if card is not None}
    return found | {card for card in getattr(message, "cards", ()) if card is not None}


class Witness:
    """One connection, as what comes out of it at the client's end."""

    def __init__(self, who: str, ledger: Ledger, trace: Trace, patience: Callable[[], float | None]) -> None:
        """`patience`: how many seconds a message may be under way; None: as many as it takes."""
        self.welcome: m.Welcome | None = None
        self.bye: m.Bye | None = None
        self._who = who
        self._ledger = ledger
        self._trace = trace
        self._patience = patience
        self._rest = bytearray()
        self._name = ""
        self._told: list[tuple[float, m.ServerMessage]] = []
        self._next = 0

    def hear(self, data: bytes) -> None:
        self._ledger._guard(lambda: self._hear(data))

    def _hear(self, data: bytes) -> None:
        self._rest += data
        while len(self._rest) >= 4 and len(self._rest) >= (end := 4 + int.from_bytes(self._rest[:4], "big")):
            frame = bytes(self._rest[4:end])
            del self._rest[:end]
            self._trace.note(self._who, frame)
            assert self.bye is None, "something after the goodbye"
            self._take(_DECODER.decode(frame))

    def _take(self, message: AnyMessage) -> None:
        match message:
            case m.Bye():
                self.bye = message
            case m.Welcome():
                assert self.welcome is None
                self.welcome = message
                assert message.ticket is not None
                self._name, self._told, self._next = self._ledger.tickets[message.ticket]
                assert message.name == self._name
            case m.Ping() | m.Pong() | m.Notice() | m.HandShown():
                pass
            case _:
                self._compare(message)

    def _reach(self, message: AnyMessage) -> None:
        match message:
            case m.Snapshot():
                self._ledger.reached[self._name] = (message.room.name, message.seq)
            case m.RoomChanged(news=news) if news in m.GONE or message.who == self._name:
                self._ledger.reached.pop(self._name, None)
            case m.Event() if self._name in self._ledger.reached:
                room, _ = self._ledger.reached[self._name]
                self._ledger.reached[self._name] = (room, message.seq)
            case m.Ok() if (self._name, message.id) in self._ledger.lasting:
                self._ledger.done.add((self._name, message.id))
            case m.Refused() if message.code is not m.RefusalCode.OLD_ID:
                assert (self._name, message.id) not in self._ledger.done, message

    def _compare(self, message: AnyMessage) -> None:
        assert self.welcome is not None
        early = self._ledger.heard[self._name].early
        if message in early and (self._next >= len(self._told) or self._told[self._next][1] != message):
            early.remove(message)
            return
        assert self._next < len(self._told), "nobody said that"
        at, expected = self._told[self._next]
        assert message == expected, "not what was told, or not in its order"
        self._next += 1
        self._reach(message)
        patience = self._patience()
        assert patience is None or trio.current_time() <= at + patience, "one who did nothing had to wait"
