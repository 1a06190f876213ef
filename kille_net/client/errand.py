"""What a bot does on a server, message by message: it enters a room or a tournament, plays so many matches and leaves.

Owns when to say what, and when the bot is to be asked. Sync; refuses to know the bot, the network and the clock.
"""

import secrets
from collections.abc import Callable, Iterator

import msgspec

from kille_net.client.entrant import ENTRANTS, Entrant
from kille_net.client.model import Model, in_lobby, reduce
from kille_net.client.shuffling import Remark, Shuffling
from kille_net.client.steps import (
    Asks,
    Entered,
    Finished,
    Later,
    MatchOver,
    NewMatch,
    Question,
    Rejected,
    Saw,
    Step,
    TurnedAway,
)
from kille_net.game.actions import Action
from kille_net.game.cards import Card
from kille_net.game.events import Event, HandBegan, KukuCalled, MatchEnded
from kille_net.translate import to_do
from kille_net.wire import messages as wire
from kille_net.wire.states import Place

__all__ = ["Errand"]


class Errand:
    """One bot's stay: `message` says what to do about what came, in order; the others what to send for its answers."""

    def __init__(
        self,
        room: str | None,
        options: wire.Options,
        matches: int | None,
        *,
        tournament: str | None = None,
        draw: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        """`room`: joined, or made with `options` if it is not there; None: any with a free seat, or one of its own.

        `matches`: how many to play; None: as many as come. `tournament`: entered instead of a room, until it is over or
        we are out of it. `draw`: so many random bytes, the bot's part in the shuffle.
        """
        self.model = Model()
        self.played = 0
        self._room = room
        self._options = options
        self._matches = matches
        self._makes = False
        """Whether our last way in is to make the room."""
        self._last_id = 0
        self._entrant = None if tournament is None else Entrant(tournament, self._next_id)
        self._shuffling = Shuffling(draw, self._next_id)
        self._last: MatchEnded | None = None
        self._sent: dict[int, int] = {}
        """Answer of ours that is not taken yet → the question that it belongs to."""
        self._calls: dict[int, int] = {}
        """Call of ours that is not taken yet → the question that was open."""
        self._kept: dict[int, Action] = {}
        """Question → what the bot would do, should its call not be taken."""
        self._unanswered: dict[int, wire.Command] = {}
        """What is sent once more after a lost line, with the same ids: the server does it once (§5.3)."""
        self._asked = 0
        """The question that the bot was asked last, and whose answer was not refused: it is not asked that again."""
        self._match = 0
        """Which match of the room is played, or was last."""
        self._begun = 0
        """Matches that the bot has met, in whatever room: turns are counted anew in each."""
        self._is_back = False
        """Whether the next snapshot is one after a lost line."""
        self._open = 0
        """The question that is open, whoever is asked."""
        self._ended: set[int] = set()
        """Questions that were open when Kuku was called, by whomever; like all that is kept by turn, of one match."""

    def message(self, message: wire.ServerMessage, now: float) -> list[Step]:
        """Raises RemoteProtocolError for what cannot be true, and TurnedAway."""
        before = self.model
        self.model = reduce(before, message, now)
        said = self._shuffling.message(message, self.model)
        steps = list(self._steps(before, message))
        return [*(one if isinstance(one, Remark) else self._say(one) for one in said), *steps]

    def stopped(self) -> wire.Leave | None:
        """What one says who is stopped, and may come back: a seat where nothing is played is freed."""
        if self._entrant is None and self.model.place is Place.SEATED and not self.model.is_playing:
            return wire.Leave(id=self._next_id())
        return None

    def calls_kuku(self, question: Question) -> wire.ClientMessage | None:
        """The bot calls its Kuku; None: in a match that is over."""
        if question.match != self._begun:
            return None
        number = self._next_id()
        self._calls[number] = question.turn
        return self._say(wire.CallKuku(id=number, seq=question.seq))

    def decides(self, question: Question, action: Action) -> wire.ClientMessage | None:
        """The bot has decided; None: too late, or a call of its Kuku is under way, and most likely ends the hand."""
        if question.match != self._begun or question.turn in self._ended:
            return None
        if question.turn in self._calls.values():
            self._kept[question.turn] = action
            return None
        if action is Action.KUKU:
            return self.calls_kuku(question)
        return self._decide(question.turn, action)

    def _decide(self, turn: int, action: Action) -> wire.ClientMessage:
        number = self._next_id()
        self._sent[number] = turn
        return self._say(wire.Decide(id=number, turn=turn, do=to_do(action)))

    def _begin(self) -> NewMatch:
        """Nothing of the match before holds for this one."""
        self._begun += 1
        self._asked = 0
        for of_last in (self._sent, self._calls, self._kept, self._ended):
            of_last.clear()
        return NewMatch()

    def _next_id(self) -> int:
        self._last_id += 1
        return self._last_id

    def _say(self, command: wire.Command) -> wire.Command:
        self._unanswered[command.id] = command
        return command

    def _again(self, command: wire.Command) -> wire.Command:
        """The same, which the server could not save, as a command of its own."""
        number = self._next_id()
        for kept in (self._sent, self._calls):
            if command.id in kept:
                kept[number] = kept.pop(command.id)
        return self._say(msgspec.structs.replace(command, id=number))

    def _steps(self, before: Model, message: wire.ServerMessage) -> Iterator[Step]:
        command = self._unanswered.pop(message.id, None) if isinstance(message, wire.Answer) else None
        if command is None and isinstance(message, wire.Answer):
            return  # the second to what was sent again (§5.3)
        if self._entrant is not None:
            for step in self._entrant.steps(command, message, self.model.name):
                said = step.message if isinstance(step, Later) else step
                if isinstance(said, wire.Command):
                    self._say(said)
                yield step
        if isinstance(command, ENTRANTS):
            return
        match message:
            case wire.Welcome():
                yield from self._welcomed(message)
            case wire.Rooms():
                yield self._choose(message)
            case wire.Refused(code=wire.RefusalCode.CANNOT_SAVE) if command is not None:
                yield Later(self._again(command))
            case wire.Refused():
                yield from self._refused(command, message)
            case wire.Ok():
                self._sent.pop(message.id, None)
                self._kept.pop(self._calls.pop(message.id, 0), None)
            case wire.Snapshot():
                yield from self._entered(message)
            case wire.RoomChanged():
                yield from self._news(before, message)
            case wire.TournamentNews():
                return
            case wire.Turn():
                yield from self._turn(message)
            case wire.Question() if message.turn == self._asked:
                return
            case wire.Question() if self.model.view is not None:
                self._asked = message.turn
                yield Question(Asks.DECIDE, self._begun, message.turn, self.model.view, message.seq)
            case _:
                yield from self._event(self.model.event)

    def _welcomed(self, welcome: wire.Welcome) -> Iterator[Step]:
        self._last_id = max(self._last_id, welcome.last_id)
        has_room = welcome.resumed is wire.Resumed.ROOM
        self._is_back = has_room and self.model.room is not None  # not so for one whose process was killed
        if welcome.resumed is wire.Resumed.LOBBY and self.model.room is not None:  # the seat is gone
            self.played += self.model.is_playing  # …and the match over, or played on without us
            self.model = in_lobby(self.model)
            self._unanswered.clear()
            if self._matches is not None and self.played >= self._matches:
                yield Finished(None)
                return
        if self._unanswered or has_room:
            yield from self._unanswered.values()
        else:
            yield self._enter()

    def _entered(self, snapshot: wire.Snapshot) -> Iterator[Step]:
        was_match, self._match = self._match, snapshot.match
        is_back, self._is_back = self._is_back, False
        self._open = 0 if snapshot.open is None else snapshot.open.turn
        if self.model.is_playing:
            has_begun = self.model.view is not None and self.model.view.seat is not None
            if has_begun and (not is_back or was_match != snapshot.match):
                yield self._begin()
        elif self.model.place is Place.SEATED:
            if not is_back:
                assert self.model.room is not None
                yield Entered(self.model.room, self.model.name, self._makes)
            if self.model.is_called:  # it begins by itself
                return
            yield self._say(wire.Ready(id=self._next_id(), ready=True))

    def _enter(self) -> wire.ClientMessage:
        self._makes = False
        if self._entrant is not None:
            return self._say(self._entrant.sign_up())
        if self._room is None:
            return self._say(wire.ListRooms(id=self._next_id(), page=0))
        return self._say(wire.Join(id=self._next_id(), room=self._room, password=None))

    def _choose(self, rooms: wire.Rooms) -> wire.ClientMessage:
        """The first room with a free seat; a page later, or a room of our own, when there is none."""
        for line in rooms.rooms:
            if line.taken < line.seats and not line.locked and line.status is wire.RoomStatus.OPEN:
                return self._say(wire.Join(id=self._next_id(), room=line.name, password=None))
        if rooms.page + 1 < rooms.pages:
            return self._say(wire.ListRooms(id=self._next_id(), page=rooms.page + 1))
        self._room = self.model.name
        return self._make()

    def _make(self) -> wire.ClientMessage:
        assert self._room is not None
        self._makes = True
        return self._say(wire.Create(id=self._next_id(), room=self._room, options=self._options, password=None))

    def _enter_otherwise(self, code: wire.RefusalCode) -> wire.ClientMessage | Later:
        """A room that is not there is made; one that somebody made or filled in the meantime is looked at again."""
        if code is wire.RefusalCode.TOO_FAST:
            return Later(self._enter())
        if self._room is None and code is not wire.RefusalCode.SHUTTING_DOWN:
            return self._enter()
        if code is wire.RefusalCode.NO_SUCH_ROOM:
            return self._make()
        if code is wire.RefusalCode.ROOM_EXISTS:
            return self._enter()
        raise TurnedAway(self._room or "", code)

    def _refused(self, command: wire.Command | None, message: wire.Refused) -> Iterator[Step]:
        """By what it is that was refused: the place that we are in by now may be another."""
        match command:
            case wire.ListRooms() | wire.Join() | wire.Create():
                yield self._enter_otherwise(message.code)
            case wire.Ready() if message.code is wire.RefusalCode.TOO_FAST:
                yield Later(self._say(wire.Ready(id=self._next_id(), ready=True)))
            case wire.CallKuku():  # the table was quicker, or the server had too much of us: then answer
                turn = self._calls.pop(message.id, 0)
                action = self._kept.pop(turn, None)
                if action is not None and action is not Action.KUKU and turn not in self._ended:
                    yield self._decide(turn, action)
            case wire.Decide() if turn := self._sent.pop(message.id, 0):
                if turn == self._asked:
                    self._asked = 0
                if turn not in self._ended:
                    yield Rejected(message.code)

    def _news(self, before: Model, message: wire.RoomChanged) -> Iterator[Step]:
        is_called = before.is_called and self.model.place is Place.LOBBY
        if self.model.place is Place.LOBBY and not is_called:
            yield Finished(message.news)
            return
        if message.news is not wire.News.ENDED and not is_called:
            return
        if not is_called or before.is_playing:
            self.played += 1
        if self._last is not None:
            winner = self._last.winner
            # Whoever was lost has left the room by now: the names are those of the match.
            names = before.names
            yield MatchOver(self.played, names, self._last.points, None if winner is None else names[winner])
            self._last = None
        is_done = self._matches is not None and self.played >= self._matches
        if is_called:
            yield from self._back(is_done=is_done)
        elif is_done:
            yield self._say(wire.Leave(id=self._next_id()))
            yield Finished(None)
        else:
            yield self._say(wire.Ready(id=self._next_id(), ready=True))

    def _back(self, *, is_done: bool) -> Iterator[Step]:
        """In the lobby, after the table of a tournament."""
        if self._entrant is None and is_done:
            yield Finished(None)
        elif self._entrant is None or not self._entrant.is_in:
            yield self._enter()

    def _turn(self, message: wire.Turn) -> Iterator[Step]:
        """A question is posed once the table is at rest: a safe point, at which Kuku may be called (M7)."""
        self._open = message.turn
        view = self.model.view
        if view is not None and view.seat is not None and view.cards[view.seat] is Card.KUKU:
            yield Question(Asks.CALL_KUKU, self._begun, message.turn, view, message.seq)

    def _event(self, event: Event | None) -> Iterator[Step]:
        if event is None:
            return
        if isinstance(event, HandBegan) and event.number == 1:
            self._match += 1
            yield self._begin()
        if isinstance(event, KukuCalled):
            self._ended.add(self._open)
        if isinstance(event, MatchEnded):
            self._last = event
        yield Saw(event)
