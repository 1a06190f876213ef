"""What the client knows: a value that each message of the server turns into the next.

Owns the reduction, and that nothing a server sends can break it: texts are cleaned here, and what cannot be true is a
fault of the server's. Refuses to know words, terminals and clocks: `now` comes with the message.
"""

import re
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

import msgspec

from kille_net.client import contest
from kille_net.client.contest import Contest
from kille_net.game.actions import ANSWERS, DEFAULTS, Action, Phase
from kille_net.game.events import Event, HandBegan, HiddenCard, PotWon
from kille_net.game.folding import fold
from kille_net.game.match import Match
from kille_net.game.rules import MAX_SEATS, Seat
from kille_net.game.views import View, observe
from kille_net.languages import DEFAULT, by_name
from kille_net.translate import from_event, from_legal, from_view, to_ruleset
from kille_net.wire import messages as wire
from kille_net.wire.errors import RemoteProtocolError
from kille_net.wire.states import Place
from kille_net.wire.text import safe_text

__all__ = ["Asked", "Model", "OpenRest", "OpenTurn", "in_lobby", "reduce"]

_Part = TypeVar("_Part", bound=msgspec.Struct)

_NAME_CELLS: Final = 32
_PROGRAM: Final = re.compile(r"kille-net \S+ ?")
"""How servers of ours begin to say what they are; their name follows."""
_TEXT_CELLS: Final = 400
_AGENT_CELLS: Final = 64
_MOST_WON: Final = 200
_UNBEGUN: Final = frozenset({wire.RoomStatus.OPEN, wire.RoomStatus.GATHERING})
_IN_HAND: Final = range(2, MAX_SEATS + 1)
"""How many seats may be in a hand that goes on."""
_ONE_SEAT: Final = frozenset({"seat", "target", "asker", "dealer", "winner", "to_act"})
_PER_SEAT: Final = frozenset({"lives", "points", "cards", "origins", "low", "deeds", "commits", "nonces"})
_SEAT_SETS: Final = frozenset({"struck", "lost", "face_up", "seats"})


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTurn:
    """Whose answer is open."""

    turn: int
    seat: Seat
    deadline: float | None
    """By the clock of `now`; None: no clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRest:
    """Between two hands: for whom the table waits."""

    hand: int
    """The one that has ended."""
    seats: tuple[Seat, ...]
    deadline: float | None
    """By the clock of `now`; None: the match is paused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The question to us that is open."""

    turn: int
    legal: tuple[Action, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    lang: str = DEFAULT
    """In whose alphabet names are sorted."""
    name: str = ""
    """What we are called here."""
    server: str = ""
    """The server's program."""
    settings: dict[str, int] = field(default_factory=dict)
    rooms: tuple[wire.RoomLine, ...] = ()
    """That the lobby listed last, by name."""
    contest: Contest = field(default_factory=Contest)
    """What we know of tournaments."""
    room: wire.RoomState | None = None
    """None: in the lobby."""
    seat: Seat | None = None
    seq: int = 0
    returns: tuple[float | None, ...] = ()
    """By seat until when its player, who is away, or one who takes it is waited for, by the clock of `now`; None: no
    longer, or nobody is."""
    view: View | None = None
    """Of the match that is played, or of the last one."""
    won: tuple[tuple[int, Seat], ...] = ()
    """The pots (or partier) of this match that we saw end, by number, and who won them."""
    looked: View | None = None
    """What the view was when the reader last did something."""
    turn: OpenTurn | None = None
    asked: Asked | None = None
    rest: OpenRest | None = None
    """None: the table waits for nobody between two hands."""
    event: Event | None = None
    """What the last message told, if it was an event of the game."""
    is_stuck: bool = False
    """The server cannot save what happens, and everything waits."""
    stops_at: float | None = None
    """When the server stops, by the clock of `now`; None: it has not said so."""

    @property
    def place(self) -> Place:
        if self.room is None:
            return Place.LOBBY
        return Place.WATCHING if self.seat is None else Place.SEATED

    @property
    def names(self) -> tuple[str, ...]:
        """By seat; a dash for an empty one."""
        return () if self.room is None else tuple(seat.name or "-" for seat in self.room.seats)

    @property
    def card(self) -> HiddenCard:
        """Our own card; None while we hold none."""
        return None if self.view is None or self.seat is None else self.view.cards[self.seat]

    def has_changed(self, seat: Seat) -> bool:
        """Whether anything has happened to the seat since the reader last did something, but for the deal."""
        now, then = self.view, self.looked
        if now is None:
            return False
        if then is not None and then.hand == now.hand:
            return _seen(now, seat) != _seen(then, seat)
        _, _, *since_the_deal = _seen(now, seat)
        is_hurt = then is not None and then.lives[seat] > now.lives[seat] > 0
        return is_hurt or now.origins[seat] not in {seat, None} or any(since_the_deal)

    @property
    def is_playing(self) -> bool:
        return self.room is not None and self.room.status not in _UNBEGUN

    @property
    def begins_at(self) -> float | None:
        """When the first match begins with computers on the empty seats; None: not by itself."""
        if self.room is None or not self.is_gathering:
            return None
        seats = zip(self.room.seats, self.returns, strict=True)
        return next((until for seat, until in seats if seat.occupant is wire.Occupant.EMPTY), None)

    @property
    def is_gathering(self) -> bool:
        return self.room is not None and self.room.status is wire.RoomStatus.GATHERING

    @property
    def is_paused(self) -> bool:
        return self.room is not None and self.room.status is wire.RoomStatus.PAUSED

    @property
    def is_rested_for(self) -> bool:
        """Whether the next hand waits for us."""
        return self.rest is not None and self.seat in self.rest.seats

    @property
    def is_called(self) -> bool:
        """Whether we sit at the table of a tournament."""
        return self.room is not None and self.seat is not None and contest.is_table(self.room)

    @property
    def called_until(self) -> float | None:
        """When the match of such a table begins at the latest, by the clock of `now`; None: that is not known."""
        until = max((until for until in self.returns if until is not None), default=None)
        return until if self.contest.until is None else self.contest.until

    @property
    def missing(self) -> tuple[str, ...]:
        """Who is not at the table that it is called to."""
        if self.room is None:
            return ()
        return tuple(seat.name for seat in self.room.seats if seat.away is not None)

    @property
    def is_host(self) -> bool:
        return self.room is not None and self.seat is not None and self.room.host == self.name


def _seen(view: View, seat: Seat) -> tuple[object, ...]:
    return view.lives[seat], view.origins[seat], seat in view.face_up, seat in view.struck


def in_lobby(model: Model) -> Model:
    """The model after leaving a room."""
    return replace(
        model, room=None, seat=None, seq=0, view=None, won=(), looked=None, turn=None, asked=None, rest=None, event=None
    )


def reduce(model: Model, message: wire.ServerMessage, now: float) -> Model:
    """The model after a message. Raises RemoteProtocolError for one that cannot be true."""
    if model.event is not None:
        model = replace(model, event=None)
    match message:
        case wire.Welcome():
            name = safe_text(message.name, _NAME_CELLS)
            server = _PROGRAM.sub("", safe_text(message.agent, _AGENT_CELLS), count=1)
            return replace(
                model, name=name, server=server, settings=dict(message.settings), is_stuck=False, stops_at=None
            )
        case wire.Rooms():
            lines = tuple(_clean(line, name=_NAME_CELLS) for line in message.rooms)
            rooms = lines if message.page == 0 else model.rooms + lines
            return replace(model, rooms=tuple(sorted(rooms, key=lambda room: by_name(model.lang, room.name))))
        case wire.Tournaments():
            return replace(model, contest=contest.listed(model.contest, message, now))
        case wire.Standings():
            return replace(model, contest=contest.stood(model.contest, message, model.name))
        case wire.TournamentNews():
            return replace(model, contest=contest.heard(model.contest, message, model.name, now))
        case wire.Snapshot():
            return _snapshot(model, message, now)
        case wire.Question():
            return _question(model, message, now)
        case wire.ShuffleState():
            if model.room is None:
                raise RemoteProtocolError(wire.ByeCode.UNEXPECTED, "t")
            _check_seats(message, len(model.room.seats), "")
            return model
        case wire.HandShown():
            _check_shown(model, message)
            return model
        case wire.Notice():
            return _notice(model, message, now)
        case wire.Event():
            return model if model.room is None else _event(_next_seq(model, message), message, now)
    return model


def _notice(model: Model, message: wire.Notice, now: float) -> Model:
    match message.code:
        case wire.NoticeCode.ANNOUNCE:
            return model
        case wire.NoticeCode.DRAINING:
            return replace(model, stops_at=now + message.ms / 1000)
        case wire.NoticeCode.CANNOT_SAVE | wire.NoticeCode.SAVING_AGAIN:
            return replace(model, is_stuck=message.code is wire.NoticeCode.CANNOT_SAVE)


def _fault(place: str) -> RemoteProtocolError:
    return RemoteProtocolError(wire.ByeCode.BAD_FIELD, place)


def _clean(part: _Part, **cells: int) -> _Part:
    """The part with these texts cut to so many cells and cleaned."""
    return msgspec.structs.replace(part, **{name: safe_text(getattr(part, name), n) for name, n in cells.items()})


def _clean_room(room: wire.RoomState) -> wire.RoomState:
    if len(room.seats) != room.options.seats:
        raise _fault("room.seats")
    room = _clean(room, name=_NAME_CELLS, host=_NAME_CELLS)
    return msgspec.structs.replace(room, seats=tuple(_clean(seat, name=_NAME_CELLS) for seat in room.seats))


def _in_room(model: Model, room: wire.RoomState, now: float) -> Model:
    room = _clean_room(room)
    if model.room is not None and len(model.room.seats) != len(room.seats):
        raise _fault("room.seats")
    persons = (wire.Occupant.PERSON, wire.Occupant.BOT)
    own = (k for k, seat in enumerate(room.seats) if seat.name == model.name and seat.occupant in persons)
    returns = tuple(now + seat.away / 1000 if seat.away else None for seat in room.seats)
    return replace(model, room=room, seat=next(own, None), returns=returns)


def _snapshot(model: Model, message: wire.Snapshot, now: float) -> Model:
    model = _in_room(in_lobby(model), message.room, now)
    view, turn = None, None
    if message.view is not None:
        view = _view(message.view, len(message.room.seats))
        if view.seat not in {None, model.seat}:
            raise _fault("view.seat")
    if (question := message.open) is not None:
        if view is None or question.seat >= len(message.room.seats):
            raise _fault("open.seat")
        is_paused = message.room.status is wire.RoomStatus.PAUSED
        deadline = None if is_paused else _deadline(question.ms, now)
        turn = OpenTurn(turn=question.turn, seat=question.seat, deadline=deadline)
    model = replace(model, seq=message.seq, view=view, turn=turn)
    return model if message.rest is None else _rest(model, message.rest, now, "rest.")


def _view(message: wire.View, seats: int) -> View:
    """The view, as far as one can see a true one: whoever plays by it need not doubt it."""
    _check_seats(message, seats, "view.")
    if any(origin is not None and origin > seats for origin in message.origins):
        raise _fault("view.origins")
    view = from_view(message)
    if any(card is not None and seat not in view.order for seat, card in enumerate(view.cards)):
        raise _fault("view.cards")
    if view.seat in view.order and view.cards[view.seat or 0] is None and view.phase is not Phase.OVER:
        raise _fault("view.cards")
    if view.phase in DEFAULTS:
        _check_open(view, "view.to_act", "view.phase")
        if not all(view.lives[seat] for seat in view.order):
            raise _fault("view.lives")
        if view.can_ask and len(view.order) not in view.rules.rules.ask_at:
            raise _fault("view.can_ask")
    return view


def _check_open(view: View, to_act: str, phase: str) -> None:
    """Raise RemoteProtocolError where nobody could be asked this; with the names of what may be wrong."""
    if view.phase not in DEFAULTS or len(view.order) not in ANSWERS.get(view.phase, _IN_HAND):
        raise _fault(phase)
    if view.to_act not in view.order:
        raise _fault(to_act)


def _question(model: Model, message: wire.Question, now: float) -> Model:
    if model.room is None or model.seat is None:
        raise RemoteProtocolError(wire.ByeCode.UNEXPECTED, "t")
    view = _view(message.view, len(model.room.seats))
    if view.seat != model.seat:
        raise _fault("view.seat")
    if view.phase not in DEFAULTS:
        raise _fault("view.phase")
    if view.to_act != model.seat:
        raise _fault("view.to_act")
    if from_legal(message.legal) != view.legal:
        raise _fault("legal")
    turn = OpenTurn(turn=message.turn, seat=model.seat, deadline=_deadline(message.ms, now))
    asked = Asked(turn=message.turn, legal=from_legal(message.legal))
    return replace(model, view=view, turn=turn, asked=asked)


def _deadline(ms: int, now: float) -> float | None:
    return now + ms / 1000 if ms else None


def _next_seq(model: Model, message: wire.Event) -> Model:
    if message.seq != model.seq + 1:
        raise RemoteProtocolError(wire.ByeCode.UNEXPECTED, "seq")
    return replace(model, seq=message.seq)


_TAKEN_AWAY: Final = frozenset({wire.News.KICKED, wire.News.LEFT})
"""News of ourselves after which we are in the lobby."""


def _event(model: Model, message: wire.Event, now: float) -> Model:
    match message:
        case wire.RoomChanged():
            return _room_changed(model, message, now)
        case wire.Said():
            return model
        case wire.Turn():
            return _turn(model, message, now)
        case wire.Late():
            return _late(model, message)
        case wire.Rest():
            return _rest(model, message, now, "")
    if isinstance(message, wire.ShuffleEvent):
        assert model.room is not None
        _check_seats(message, len(model.room.seats), "")
        return model
    return _game_event(model, message)


def _room_changed(model: Model, message: wire.RoomChanged, now: float) -> Model:
    gone = message.news in _TAKEN_AWAY and safe_text(message.who, _NAME_CELLS) == model.name
    if gone or message.news in wire.GONE:
        return replace(in_lobby(model), contest=contest.left_table(model.contest))
    model = _in_room(model, message.room, now)
    match message.room.status:
        case wire.RoomStatus.OPEN | wire.RoomStatus.GATHERING:
            return replace(model, turn=None, asked=None, rest=None)
        case wire.RoomStatus.PAUSED:
            turn = None if model.turn is None else replace(model.turn, deadline=None)
            rest = None if model.rest is None else replace(model.rest, deadline=None)
            return replace(model, turn=turn, rest=rest)
    return model


def _turn(model: Model, message: wire.Turn, now: float) -> Model:
    view = model.view
    if view is None or message.seat >= len(view.lives):
        raise _fault("seat")
    asked = model.asked if model.asked is not None and model.asked.turn == message.turn else None
    turn = OpenTurn(turn=message.turn, seat=message.seat, deadline=_deadline(message.ms, now))
    view = replace(view, to_act=message.seat, phase=Phase(message.phase.value))
    _check_open(view, "seat", "phase")
    return replace(model, view=view, turn=turn, asked=asked)


def _late(model: Model, message: wire.Late) -> Model:
    """Nothing changes by itself: what the rules do for the seat comes next."""
    view = model.view
    if view is None or view.to_act != message.seat or view.phase not in DEFAULTS:
        raise _fault("seat")
    return model


def _rest(model: Model, message: wire.Rest | wire.OpenRest, now: float, place: str) -> Model:
    view = model.view
    if view is None or view.hand != message.hand or view.phase is not Phase.OVER:
        raise _fault(f"{place}hand")
    _check_seats(message, len(view.lives), place)
    seats = tuple(seat for seat in range(len(view.lives)) if message.seats >> seat & 1)
    if not seats:
        return replace(model, rest=None)
    deadline = None if model.is_paused else now + message.ms / 1000
    return replace(model, rest=OpenRest(hand=message.hand, seats=seats, deadline=deadline))


def _game_event(model: Model, message: wire.Event) -> Model:
    room = model.room
    assert room is not None
    _check_seats(message, len(room.seats), "")
    try:
        event = from_event(message)  # type: ignore[arg-type]  # all that is left of the events
        view = model.view
        if isinstance(event, HandBegan) and event.number == 1:
            view = observe(Match(to_ruleset(room.options), len(room.seats), event.dealer), model.seat)
        if view is None:
            raise RemoteProtocolError(wire.ByeCode.UNEXPECTED, "t")
        view = fold(view, event)
    except (AssertionError, IndexError, KeyError, TypeError, ValueError):
        raise _fault("") from None  # an event that the game does not have there
    won = () if isinstance(event, HandBegan) and event.number == 1 else model.won
    if isinstance(event, PotWon):
        won = (*won, (event.pot, event.winner))[-_MOST_WON:]
    return replace(model, view=view, won=won, turn=None, asked=None, rest=None, event=event)


def _check_shown(model: Model, message: wire.HandShown) -> None:
    """Raise RemoteProtocolError for one that we do not watch, or that is none of this table's."""
    if model.place is not Place.WATCHING:
        raise RemoteProtocolError(wire.ByeCode.UNEXPECTED, "t")
    seats = len(model.names)
    if len(message.cards) != seats:
        raise _fault("cards")
    for move in message.moves:
        if move.seat >= seats or len(move.cards) != seats or (move.target is not None and move.target > seats):
            raise _fault("moves")


def _check_seats(message: wire.Event | wire.View | wire.ShuffleState | wire.OpenRest, seats: int, place: str) -> None:
    """Raise RemoteProtocolError where a seat is named that the table does not have."""
    for name in message.__struct_fields__:
        value = getattr(message, name)
        if value is None:
            continue
        wrong = (
            (name in _ONE_SEAT and value >= seats)
            or (name in _PER_SEAT and len(value) != seats)
            or (name in _SEAT_SETS and value >> seats)
            or (name == "path" and max(value) >= seats)
        )
        if wrong:
            raise _fault(place + name)
