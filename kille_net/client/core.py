"""The client without its terminal, network and clock: lines, messages and keys go in, effects come out.

Owns what an order sends, what an answer means, and what is told. Refuses to wait, print or send: the shells around it
(`prompt`, `plain`) do. What the server sends goes through `model`, so that nothing here meets an unclean text.
"""

import secrets
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import ceil
from typing import Final

import msgspec

from kille_net.client import contest
from kille_net.client.coach import Coach
from kille_net.client.commands import TABLE_BY_VERB, TOURNAMENTS, Order, Verb, parse, suggest
from kille_net.client.day import seconds_of_day
from kille_net.client.effects import Effect, Line, Print, Quit, Send, Style
from kille_net.client.ignored import Ignored
from kille_net.client.invitation import Invitation
from kille_net.client.leaving import Leaving
from kille_net.client.lobby import Lobby
from kille_net.client.model import Model, in_lobby, reduce
from kille_net.client.options import OPTIONS, PLANS, Fault, option_word, value_word
from kille_net.client.orders import Desk, obey
from kille_net.client.playing import Playing
from kille_net.client.sent import Sent
from kille_net.client.showing.guidance import VERB_OF
from kille_net.client.showing.moments import Open
from kille_net.client.showing.naming import nameable
from kille_net.client.showing.past import past_lines
from kille_net.client.showing.status import Notes, in_words, status
from kille_net.client.shuffling import Remark, Shuffling
from kille_net.client.tournaments import Tournaments
from kille_net.client.voice import Voice
from kille_net.wire import messages as wire
from kille_net.wire.options import DEFAULT_OPTIONS
from kille_net.wire.states import Place
from kille_net.wire.text import safe_text

__all__ = ["Core"]

_ACTION_OF: Final = {verb: action for action, verb in VERB_OF.items()}
_MOST_TEXT: Final = 200
_MOST_ROOM: Final = 64
_MOST_OPEN: Final = 32
"""Commands whose answers are awaited: a key that is held down asks for more than a session takes."""
_MOST_PENDING: Final = 16
"""Commands that wait for a line; they are sent when there is one again."""
_MOST_AHEAD: Final = 16
"""Lines that were typed while the server had still to say where we are."""
_WAITS_FOR_A_LINE: Final = frozenset(
    {
        *(Verb.ROOMS, Verb.QUICK, Verb.CREATE, Verb.JOIN, Verb.WATCH, Verb.LEAVE, Verb.READY, Verb.AGAIN, Verb.START),
        *(Verb.PAUSE, Verb.RESUME, Verb.ADD, Verb.REMOVE, Verb.KICK, Verb.SAY),
        *TOURNAMENTS,
    }
)
"""What means the same when the server is back."""
_NOT_LATER: Final = frozenset({*_ACTION_OF, Verb.NEXT})
"""What is meant for the moment."""
_ALSO: Final = {(Verb.BEGIN, Place.SEATED): Verb.START, (Verb.SCORE, Place.LOBBY): Verb.STANDINGS}
"""Verb alone on its line → what it means there."""
_SILENCE: Final = 7.0
"""Seconds after which the silence of a server that is pinged every five is worth a word."""
_STEP: Final = 10.0
"""Seconds between two states of a clock that shall not move."""
_ENTERING: Final = wire.Create | wire.Join | wire.Quick | wire.Watch
"""Commands to which a snapshot is promised."""
_WHO_GATHERS: Final = frozenset({wire.News.JOINED, wire.News.LEFT, wire.News.LOST, wire.News.BACK, wire.News.KICKED})
_FAREWELLS: Final = {
    wire.News.KICKED: "kicked_out",
    wire.News.LEFT: "taken_away",
    wire.News.FAILED: "room_gone",
    wire.News.CLOSED: "room_closed",
    wire.News.TABLE_OVER: "table_over",
}
"""News after which we are in the lobby → the text that says so."""

_NO_SEAT: Final = {wire.RefusalCode.PLAYING: "join_playing", wire.RefusalCode.ROOM_FULL: "join_full"}
"""Why one cannot sit down at a table that can be watched → the text that says what else can be done."""


class Core:
    """One person's client, from the welcome on."""

    def __init__(
        self,
        invitation: Invitation,
        *,
        plain: bool,
        asks: bool = True,
        draw: Callable[[int], bytes] = secrets.token_bytes,
        of_day: Callable[[], int] = seconds_of_day,
    ) -> None:
        """`asks`: whether who types can be asked again; `draw`: so many random bytes, our part in the shuffle.

        `of_day`: the seconds since midnight.
        """
        self.model = Model(lang=invitation.lang)
        self._sent = Sent()
        self._shuffling = Shuffling(draw, self._sent.next_id)
        self._unsaved: list[wire.Command] = []
        """Our part in a shuffle, as far as the server could not save it."""
        self._invitation = invitation
        self._lang = invitation.lang
        self._preferences = invitation.preferences
        self._voice = Voice(invitation.lang, self._sent)
        self._plain = plain
        self._draws = invitation.preferences.pictures and not plain
        self._now = 0.0
        """As far as we were told."""
        self._heard: float | None = None
        self._lobby = Lobby(self._voice, watches=invitation.watch)
        self._tournaments = Tournaments(self._voice, plain=plain, of_day=of_day)
        self._is_entering = False
        """Whether a snapshot has been promised."""
        self._is_back = False
        """Whether it is one after a lost line, or of an earlier client of ours."""
        self._lost_at: float | None = None
        """When the server was last heard of a line that is lost."""
        self._attempts = 0
        self._ahead: deque[str] = deque()
        self._ignored = Ignored(invitation.lang)
        self._coach = Coach(invitation.lang, is_on=invitation.preferences.coach)
        self._playing = Playing(invitation, self._voice, self._coach, plain=plain)
        asks = asks and invitation.autopilot is None
        self._leaving = Leaving(self._voice, asks=asks, private=invitation.private)

    # --- what the shells ask --------------------------------------------------------------------------------------

    @property
    def waits(self) -> bool:
        """Whether an answer of the server is missing."""
        return bool(self._sent.open)

    @property
    def is_full(self) -> bool:
        """Whether so many answers are missing that nothing more may be asked for."""
        return len(self._sent.open) >= (_MOST_OPEN if self._lost_at is None else _MOST_PENDING)

    @property
    def has_ended(self) -> bool:
        """Whether the last match that we saw is over."""
        return self._playing.has_ended

    @property
    def is_moving(self) -> bool:
        """Whether the server has still to say where we are, so that what is typed next might mean something else."""
        is_moving = any(isinstance(command, _ENTERING | wire.Leave) for command in self._sent.open)
        return self._is_entering or not self.model.name or is_moving

    def heard(self, now: float) -> None:
        """Something came from the server."""
        self._heard = now

    def lost(self, now: float, attempts: int, why: str = "") -> list[Effect]:
        """The line is lost, and another is sought; `attempts`: how often, with the one that comes.

        `why`: what the server said of it.
        """
        self._attempts = attempts
        if self._lost_at is not None:
            return []
        self._lost_at = now if self._heard is None else self._heard
        said: list[Effect] = [Print(why, Style.FAULT)] if why else []
        said += self._voice.tell("line_lost", Style.FAULT)
        while self._ahead:
            said += self._obeyed(self._ahead.popleft())
        return said

    def status(self, now: float, size: tuple[int, int]) -> list[Line]:
        """The status lines for a terminal of (columns, rows)."""
        self._now = now
        self._tournaments.fits(size[0])
        if not self._preferences.motion:
            now = self._in_steps(now)
        return status(self.model, self._notes(now), self._lang, now, size)

    def _notes(self, now: float) -> Notes:
        silence = 0.0 if self._heard is None else max(now - self._heard, 0.0)
        is_open = self._open()
        return Notes(
            is_sent=is_open.is_sent,
            is_unsure=is_open.is_unsure,
            is_leaving=is_open.is_leaving,
            pictures=self._preferences.pictures,
            silence=int(silence) if silence > _SILENCE or self._lost_at is not None else 0,
            attempts=self._attempts if self._lost_at is not None else 0,
        )

    def _open(self) -> Open:
        """What waits for the reader, and for a line."""
        is_leaving, is_lost = self._leaving.is_open(self.model), self._lost_at is not None
        return self._playing.open(self.model)._replace(is_leaving=is_leaving, is_lost=is_lost)

    def _in_steps(self, now: float) -> float:
        """A clock that moves every ten seconds, so that what is left until the next deadline is a whole ten."""
        waits = (self.model.turn, self.model.rest)
        ends = (*(one.deadline for one in waits if one is not None), self.model.begins_at)
        end = next((end for end in ends if end is not None), 0.0)
        return end - ceil((end - now) / _STEP) * _STEP

    @property
    def is_our_turn(self) -> bool:
        """Whether a question waits for our answer."""
        is_waiting = self.model.asked is not None and not self._playing.open(self.model).is_sent
        return is_waiting and self._invitation.autopilot is None

    def completions(self, text: str) -> list[tuple[str, int, str]]:
        """What may come at the end of a half-typed line: text, how many last characters it replaces, explanation."""
        names = partial(nameable, model=self.model, lang=self._lang)
        found = suggest(text, self._lang, self.model.place, names, self._voice.say)
        return [(one.text, one.back, one.meaning) for one in found]

    # --- what the server says -------------------------------------------------------------------------------------

    def message(self, message: wire.ServerMessage, now: float) -> list[Effect]:
        """What follows from a message. Raises RemoteProtocolError for one that cannot be true."""
        self._heard = self._now = now
        if isinstance(message, wire.Answer) and self._sent.is_known(message):
            return []
        before, known = self.model.room, self.model.contest
        self.model = reduce(self.model, message, now)
        said = self._shuffling.message(message, self.model)
        effects: list[Effect] = []
        for one in said:
            effects += self._remark(one) if isinstance(one, Remark) else self._voice.send(one)
        if isinstance(message, wire.TournamentNews):
            effects += self._tournaments.told(message, known, self.model)
        effects += self._follows(message, before, now)
        while self._ahead and not self.is_moving:
            effects += self._obeyed(self._ahead.popleft())
        return effects

    def _remark(self, remark: Remark) -> list[Effect]:
        who = ", ".join(self.model.names[seat] for seat in remark.seats if seat < len(self.model.names))
        style = Style.FAULT if remark.is_fault else Style.QUIET
        return self._voice.tell(f"shuffle.{remark.key}", style, who=who, hand=remark.hand)

    def _follows(self, message: wire.ServerMessage, before: wire.RoomState | None, now: float) -> list[Effect]:
        match message:
            case wire.Welcome():
                return self._welcomed(message)
            case wire.Ok():
                return self._done(message.id)
            case wire.Refused():
                return self._refused(message, now)
            case wire.Rooms():
                return self._listed(message, now)
            case wire.Tournaments() | wire.Standings() | wire.Tables():
                self._sent.close(message.id)
                return self._tournaments.answered(message, self.model)
            case wire.Snapshot():
                self._leaving.drop()
                return self._entered()
            case wire.Question():
                self._leaving.drop()
                self._tournaments.drop()
                return self._playing.asked(self.model, now)
            case wire.HandShown():
                game = None if self.model.view is None else self.model.view.rules.format
                lines = past_lines(message, self.model.names, self._lang, game)
                return [Print(line, Style.QUIET) for line in lines]
            case wire.Notice():
                return self._noticed(message, now)
            case wire.Event() if before is not None:
                return self._happened(message, before, now)
        return []

    def _welcomed(self, message: wire.Welcome) -> list[Effect]:
        was_lost, self._lost_at = self._lost_at is not None, None
        self._is_entering = self._is_back = message.resumed is wire.Resumed.ROOM
        again: list[Effect] = [Send(command) for command in self._sent.resume(message.last_id)]
        if was_lost:
            was_in_room = self.model.room is not None
            effects = self._voice.tell("line_back", Style.LOUD)
            if message.resumed is wire.Resumed.LOBBY and was_in_room:
                self.model = in_lobby(self.model)
                effects += self._voice.tell("seat_gone")
            return effects + again + self._tournaments.look_again(self.model.contest)
        key = "welcome" if self.model.server else "welcome.unnamed"
        effects = self._voice.tell(key, server=self.model.server, name=self.model.name)
        if self._is_back:
            return effects + self._voice.tell("seat_kept", Style.LOUD)
        plan = self._invitation
        if plan.create is not None:
            room = plan.room or self.model.name
            create = wire.Create(id=self._sent.next_id(), room=room, options=plan.create, password=plan.password)
            return effects + self._voice.send(create)
        if plan.quick is not None:
            return effects + self._voice.send(msgspec.structs.replace(plan.quick, id=self._sent.next_id()))
        if plan.room is not None:
            return effects + self._enter(plan.room, plan.password, watch=plan.watch)
        return effects + self._lobby.look()

    def _enter(self, room: str, password: str | None, *, watch: bool) -> list[Effect]:
        kind = wire.Watch if watch else wire.Join
        return self._voice.send(kind(id=self._sent.next_id(), room=room[:_MOST_ROOM], password=password))

    def _listed(self, message: wire.Rooms, now: float) -> list[Effect]:
        self._sent.close(message.id)
        is_aloud = self._lobby.shows(message.id)
        effects = self._lobby.listed(message, self.model, now)
        is_looking = any(isinstance(command, wire.ListRooms) for command in self._sent.open)
        if self.model.place is not Place.LOBBY or is_looking or self._invitation.autopilot is not None:
            return effects
        return effects + self._tournaments.beside(now, is_aloud=is_aloud)

    def tick(self, now: float) -> list[Effect]:
        """Time goes on: in the lobby we look by ourselves whether there is something new."""
        self._now = now
        is_still = self._lost_at is None and not self._is_entering and not self._sent.open
        if self.model.place is not Place.LOBBY or not is_still or self._invitation.autopilot is not None:
            return []
        if not self.model.name or not self._lobby.is_due(now) or self.model.contest.is_on:
            return []
        return self._lobby.look(quietly=self._lobby.has_been_shown)

    def _done(self, command_id: int) -> list[Effect]:
        command = self._sent.close(command_id)
        self._playing.done(command_id)
        self._is_entering = self._is_entering or isinstance(command, _ENTERING)
        if isinstance(command, wire.Leave):
            known, was_called = self.model.contest, self.model.is_called
            self.model = in_lobby(self.model)
            if self._invitation.private:
                return [Quit(0)]
            return self._voice.tell("in_lobby_now") + self._tournaments.left(known, was_called=was_called)
        known = self.model.contest
        self.model = replace(self.model, contest=contest.granted(known, command))
        if said := self._tournaments.done(command, known):
            return said
        if isinstance(command, wire.AddComputers):
            return self._voice.tell("their_level", Style.QUIET, level=value_word(command.level.value, self._lang))
        if self._is_entering:
            self._lobby.leave()
        return []

    def _refused(self, message: wire.Refused, now: float) -> list[Effect]:
        command = self._sent.close(message.id)
        if isinstance(command, wire.CommitNonce | wire.RevealNonce):  # what comes of it is said of the whole shuffle
            self._unsaved += [command] if message.code is wire.RefusalCode.CANNOT_SAVE else []
            return []
        if isinstance(command, wire.ListRooms) and not self._lobby.answered(command.id):
            self._lobby.rest(now)
            return []
        if self._tournaments.refused(command):
            return []
        if isinstance(command, wire.NextHand) and message.code is wire.RefusalCode.OLD_TURN:
            return []  # the time was over
        is_given = isinstance(command, wire.Join | wire.Watch) and command.password is not None
        is_wrong = is_given and message.code is wire.RefusalCode.WRONG_PASSWORD
        effects = self._voice.fault("wrong_password" if is_wrong else f"refused.{message.code.value}")
        if isinstance(command, wire.Join) and (key := _NO_SEAT.get(message.code)) is not None:
            effects = self._voice.fault(key, room=command.room)
        if message.code is wire.RefusalCode.TOO_LATE:
            effects = self._tournaments.too_late(command, self.model.contest) or effects
        if isinstance(command, _ENTERING) and self._invitation.autopilot is not None:
            effects.append(Quit(4))
        return effects + self._playing.refused(command, message.code, self.model)

    def _entered(self) -> list[Effect]:
        """We are in a room."""
        self._playing.entered(self._sent.open)
        is_back, self._is_back = self._is_back, False
        self._is_entering = False
        plan = self._invitation
        self._lobby.leave()  # also where the server has put us here unasked
        starts = plan.start and self.model.is_host and not self.model.is_playing
        lines = in_words(self.model, self._notes(self._now), self._lang, self._now)
        effects: list[Effect] = [Print(line) for line in (lines[:1] if starts else lines)]
        effects += self._coach.entered(self.model, is_back=is_back)
        if self.model.is_called and not self.model.contest.entered:
            effects += self._tournaments.look_again(self.model.contest, is_called=True)
        if self.model.is_playing:
            return effects + self._playing.rested(self.model, self._now, self._sent.open)
        if self.model.is_gathering:
            return effects + self._gathers()
        if self.model.seat is None or is_back or self.model.is_called:
            return effects
        if starts:
            effects += self._voice.send(wire.Start(id=self._sent.next_id()))
        elif plan.autopilot is not None or plan.start:
            effects += self._voice.send(wire.Ready(id=self._sent.next_id(), ready=True))
        else:
            if self.model.is_host and "-" in self.model.names:
                effects += self._voice.tell("hint_fill", Style.QUIET)
            effects += self._voice.tell("hint_ready", Style.QUIET)
        return effects

    def _gathers(self) -> list[Effect]:
        """How long the table still waits for players; elsewhere than in plain lines the status lines say it, too."""
        if self.model.is_called:
            return self._waits_for_called()
        begins_at = self.model.begins_at
        if begins_at is None:
            return []
        return self._voice.tell("gathers", Style.QUIET, seconds=max(0, round(begins_at - self._now)))

    def _waits_for_called(self) -> list[Effect]:
        """Where all are there, the match begins at once."""
        names, until = self.model.missing, self.model.called_until
        if not names or until is None:
            return []
        seconds = max(0, round(until - self._now))
        return self._voice.tell("called_waits", Style.QUIET, names=", ".join(names), seconds=seconds)

    def _noticed(self, message: wire.Notice, now: float) -> list[Effect]:
        text = safe_text(message.text, 2 * _MOST_TEXT)
        said = self._voice.tell("notice.announce", Style.LOUD, text=text) if text else []
        if message.code is wire.NoticeCode.ANNOUNCE:
            return said
        told = self._voice.tell(f"notice.{message.code.value}", Style.LOUD, seconds=round(message.ms / 1000))
        if message.code is wire.NoticeCode.SAVING_AGAIN:
            for command in self._unsaved:
                said += self._voice.send(msgspec.structs.replace(command, id=self._sent.next_id()))
            self._unsaved.clear()
        if message.code is not wire.NoticeCode.SAVING_AGAIN:
            return [*told, *said]
        return [*told, *said, *self._playing.asked_again(self.model, now, self._sent.open)]

    def _happened(self, message: wire.Event, before: wire.RoomState, now: float) -> list[Effect]:
        match message:
            case wire.RoomChanged():
                return self._news(message, before)
            case wire.Said():
                who, text = safe_text(message.who, _MOST_TEXT), safe_text(message.text, 2 * _MOST_TEXT)
                if self._ignored.hides(who):
                    return []
                return self._voice.tell("said", Style.CHAT, who=who, text=text)
            case wire.Turn():
                return self._playing.turned(self.model, now)
            case wire.Late():
                return self._playing.late(self.model, message.seat)
            case wire.Rest():
                return self._playing.rested(self.model, self._now, self._sent.open)
            case _ if self.model.event is None:  # of a shuffle
                return []
        return self._playing.happened(self.model)

    def _news(self, message: wire.RoomChanged, before: wire.RoomState) -> list[Effect]:
        room = self.model.room
        if room is None:
            is_well = message.news in {wire.News.TABLE_OVER, wire.News.LEFT}
            style = Style.PLAIN if is_well else Style.FAULT
            return self._voice.tell(_FAREWELLS[message.news], style)
        who = safe_text(message.who, _MOST_TEXT)
        effects = self._voice.tell(f"news.{message.news.value}", Style.QUIET, who=who)
        if self._plain and message.news in _WHO_GATHERS:
            effects += self._gathers()
        for old, new in zip(before.seats, room.seats, strict=True):
            if old.name == who and new.name != who and new.occupant is wire.Occupant.COMPUTER:
                effects += self._voice.tell("plays_on", Style.QUIET, computer=new.name, who=who)
        if message.news is wire.News.ENDED and self.model.seat is not None and self._invitation.autopilot is None:
            effects += self._voice.tell("hint_again", Style.QUIET)
        if message.news is wire.News.ENDED and self._invitation.autopilot is not None:
            effects.append(Quit(0))  # not before all is said of the match, and of its shuffle
        return effects

    # --- what is typed --------------------------------------------------------------------------------------------

    def line(self, text: str) -> list[Effect]:
        """What follows from a line that was typed; it waits for where the lines before it lead."""
        if not self.is_moving or not self.model.name or self._lost_at is not None:
            return self._obeyed(text)
        order = parse(text)
        if isinstance(order, Order) and order.verb is Verb.QUIT:
            return self.quit()
        if len(self._ahead) >= _MOST_AHEAD:
            return self._voice.fault("too_much_ahead")
        self._ahead.append(text)
        return []

    def _obeyed(self, text: str) -> list[Effect]:
        self.model = replace(self.model, looked=self.model.view)
        number, _, rest = text.strip().partition(" ")
        if self.model.place is Place.LOBBY and (room := self._lobby.name_of(number)) is not None:
            verb = Verb.WATCH if self._invitation.watch else Verb.JOIN
            text = f"{verb} {room} {rest}"
        order = parse(text)
        if order is None and self.model.rest is not None and self.model.seat is not None:
            order = Order(verb=Verb.NEXT)
        if order is None:
            return self._lobby.look() if self.model.place is Place.LOBBY and self.model.name else []
        if isinstance(order, Fault):
            of_which = PLANS if order.key == "unknown_plan" else OPTIONS
            options = ", ".join(option_word(name, self._lang) for name in of_which)
            return self._voice.fault(order.key, word=safe_text(order.word, 40), options=options)
        return self._do(order)

    def kuku(self) -> list[Effect]:
        """Call Kuku, at any moment."""
        if self.model.seat is None:
            return self._not_here(Verb.KUKU)
        return self._playing.kuku(self.model) if self._lost_at is None else self._not_done(Verb.KUKU)

    def press(self, verb: Verb) -> list[Effect]:
        """What follows from a key that stands for a command alone on its line."""
        self.model = replace(self.model, looked=self.model.view)
        return self.kuku() if verb is Verb.KUKU else self._do(Order(verb=verb))

    def _do(self, order: Order) -> list[Effect]:
        if self._lost_at is not None and order.verb is Verb.QUIT:
            return self.quit()
        if self._lost_at is None and self.is_full and order.verb is not Verb.QUIT:
            return self._voice.fault("too_much")
        if not order.rest and (order.verb, self.model.place) in _ALSO:
            order = replace(order, verb=_ALSO[order.verb, self.model.place])
        if (said := self._tournaments.heard(order.verb)) is not None:
            self._playing.doubt_no_more()
            return said
        if self.model.place not in TABLE_BY_VERB[order.verb].places:
            return self._not_here(order.verb)
        wish = self._leaving.heard(order.verb, self.model)
        if not isinstance(wish, Verb):
            self._playing.doubt_no_more()
            return wish
        order = order if wish is order.verb else Order(verb=wish)
        return self._do_now(order) if self._lost_at is None else self._do_without_contact(order)

    def _do_without_contact(self, order: Order) -> list[Effect]:
        """Nothing is swallowed while there is no line: it is done here, waits for one, or is not done."""
        waits = order.verb in _WAITS_FOR_A_LINE
        if order.verb in _NOT_LATER or (waits and len(self._sent.open) >= _MOST_PENDING):
            return self._not_done(order.verb)
        effects = self._do_now(order)
        if waits and not any(isinstance(effect, Print) for effect in effects):
            word = TABLE_BY_VERB[order.verb].words(self._lang)[0]
            effects += self._voice.tell("lost_later", Style.QUIET, word=word)
        return effects

    def _not_done(self, verb: Verb) -> list[Effect]:
        return self._voice.fault("lost_not_done", word=TABLE_BY_VERB[verb].words(self._lang)[0])

    def _do_now(self, order: Order) -> list[Effect]:
        match order.verb:
            case Verb.KUKU:
                return self.kuku()
            case Verb.QUIT:
                return self.quit()
            case Verb.IGNORE:
                return self._ignored.ignore(order.rest, own=self.model.name, here=self.model.names)
            case Verb.UNIGNORE:
                return self._ignored.heed(order.rest)
            case Verb.COACH:
                return self._coach.switch(order.rest, self.model)
            case Verb.WHY:
                return self._coach.why(self.model)
            case Verb.ROOMS:
                return self._lobby.look()
            case verb if verb in TOURNAMENTS:
                return self._tournaments.obey(order, self.model)
            case verb if verb in _ACTION_OF:
                return self._playing.act(self.model, _ACTION_OF[verb])
        return self._obey(order)

    def _not_here(self, verb: Verb) -> list[Effect]:
        if verb is Verb.AGAIN and self.model.place is Place.LOBBY:
            return self._voice.fault("again_here", why=self._voice.say("why.lobby"))
        row = TABLE_BY_VERB[verb]
        is_elsewhere = self.model.place is Place.WATCHING and row.places == {Place.LOBBY}
        why = "why.watching_other" if is_elsewhere else f"why.{self.model.place.value}"
        return self._voice.fault("not_here", word=row.words(self._lang)[0], why=self._voice.say(why))

    def _obey(self, order: Order) -> list[Effect]:
        desk = Desk(
            model=self.model,
            lang=self._lang,
            plain=self._plain,
            draws=self._draws,
            command_id=self._sent.next_id(),
            options=self._invitation.create or DEFAULT_OPTIONS,
            open=self._open(),
            notes=self._notes(self._now),
            now=self._now,
            name_of=self._lobby.name_of,
        )
        effects = obey(order, desk)
        for effect in effects:
            if isinstance(effect, Send):
                self._sent.note(effect.message)
        return effects

    def quit(self) -> list[Effect]:
        """Leave on purpose, which gives up a seat, also one that is on its way; without a line nobody hears it."""
        sits_down = self._is_entering or any(isinstance(c, _ENTERING) for c in self._sent.open)
        gives_up = self._lost_at is None and (self.model.place is Place.SEATED or sits_down)
        return [*(self._voice.send(wire.Leave(id=self._sent.next_id())) if gives_up else []), Quit(0)]
