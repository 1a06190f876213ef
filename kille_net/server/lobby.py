"""The rooms of one server and who is in them; sync, handed the time, knows no stream.

Owns rooms, places and the way of a command to its room, and keeps a room that breaks down from the others. Refuses
to know clocks, dice and what is played; who is known at all is `register`'s.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from kille_net.game.shuffle import Seeded
from kille_net.server.agenda import Agenda
from kille_net.server.called import Outcome, nothing
from kille_net.server.effects import Effect, Fault, Milestone, Note, Part, Refusing, Save, Tell
from kille_net.server.gathering import free_name, free_table_name, fullest, options_of
from kille_net.server.limits import Limits
from kille_net.server.passwords import NOBODYS, Trial
from kille_net.server.people import Player
from kille_net.server.register import Register
from kille_net.server.room import TOURNAMENT_OVER, Room
from kille_net.server.saving import Answered, RoomEnded, RoomSaved, Saved, TableOf
from kille_net.server.scheduling.calendar import COMMANDS, Calendar
from kille_net.server.scheduling.plans import options_of_table
from kille_net.server.scheduling.play import Call
from kille_net.server.sources import Shuffle, Sources
from kille_net.wire import messages as m
from kille_net.wire.states import PLACES, Place
from kille_net.wire.text import name_key, valid_name

__all__ = ["Lobby"]

_PAGE: Final = 10
"""Rooms in one page of the list."""
_SAME_PACKS: Final = bytes(16)
"""What the packs of duplicates are made of beside their seed."""


class Lobby:
    """Everything that a connection can cause goes through here, and comes out as effects, in order."""

    def __init__(self, sources: Sources, limits: Limits) -> None:
        self._sources = sources
        self._limits = limits
        self._register = Register(limits, sources.ticket)
        self._rooms: dict[str, Room] = {}
        self._room_of: dict[Player, Room] = {}
        self._watched: dict[Player, Room] = {}
        """What those watched who have been lost."""
        self._agenda = Agenda()
        self.calendar: Final = Calendar(self, limits, epoch=sources.epoch, draw_seed=sources.ticket)
        self._tables_over: list[tuple[TableOf, Outcome]] = []
        """Tables of tournaments, and what came of them, that those have not been told of…"""
        self._left_tables: list[Player] = []
        """…and who has left one, or the server for good."""
        self._now = 0.0
        self._actions = 0
        """In rooms that are gone."""
        self._is_draining = False

    # --- players --------------------------------------------------------------------------------------------------

    def enter(self, name: str, *, is_bot: bool) -> Player:
        """Let somebody in under that name. Raises Unwelcome."""
        return self._register.enter(name, is_bot=is_bot)

    def find(self, ticket: str) -> Player:
        """Whose ticket it is. Raises Unwelcome, which says no more than that it is nobody's."""
        return self._register.find(ticket)

    def give_ticket(self, player: Player, shown: str | None = None) -> tuple[str, list[Effect]]:
        """A new secret by which the player is known, once it is kept; the one that it has shown stays good, too."""
        return self._register.give_ticket(player, shown), self._take([])

    def confirm_ticket(self, player: Player) -> list[Effect]:
        """The player has its last ticket: those before are good no more."""
        self._register.confirm_ticket(player)
        return self._take([])

    def come_back(self, player: Player, now: float) -> list[Effect]:
        """The player speaks from a new connection; it is where it was."""
        self._now = now
        self._register.came_back(player)
        watched = self._watched.pop(player, None)
        room = self._room_of.get(player)
        if room is not None:
            return self._take(_from_snapshot_on(player, self._do(room, lambda: room.come_back(player, now))))
        effects: list[Effect] = []
        if watched is not None and not watched.is_over and len(watched.seating.watchers) < self._limits.watchers:
            effects = self._do(watched, lambda: watched.watch_again(player, now))
            if player in watched.seating.watchers:
                self._room_of[player] = watched
        return self._take([*effects, *self.calendar.came_back(player, now)])

    def lose(self, player: Player, now: float, *, is_done: bool = False) -> list[Effect]:
        """The player's connection has ended; `is_done`: it said that it had finished, and only a match keeps it."""
        self._now = now
        self._register.lost(player, is_done=is_done)
        if is_done and player.is_bot:
            self._left_tables.append(player)
        room = self._room_of.get(player)
        if room is None:
            self._part((player,))
            return self._take([])
        if not is_done and self.place(player) is Place.WATCHING:
            self._watched[player] = room
        return self._take(self._do(room, lambda: room.lose(player, now)))

    def place(self, player: Player) -> Place:
        room = self._room_of.get(player)
        if room is None:
            return Place.LOBBY
        return Place.WATCHING if room.seating.seat_of(player) is None else Place.SEATED

    def is_answer(self, player: Player, command: m.Command) -> bool:
        """Whether it is awaited: the answer to a question that is open to the player, its part in a shuffle."""
        room = self._room_of.get(player)
        return room is not None and room.is_answer(player, command)

    def _forget(self, player: Player) -> None:
        self._register.forget(player)
        self._watched.pop(player, None)
        self.calendar.forget(player)
        if self.calendar.of(player) is not None:
            self._left_tables.append(player)

    def _take(self, effects: list[Effect]) -> list[Effect]:
        """What came of a step, whole: with what has changed of players, and the answers noted and, but lists, kept."""
        effects = effects + self._tell_tournaments()
        effects = self._register.take() + effects
        for effect in tuple(effects):
            if type(effect) is Tell and isinstance(effect.message, m.Answer):
                (player,) = effect.players
                answer = effect.message
                player.answers.note(answer)
                if not isinstance(answer, m.Shown):
                    code = answer.code if isinstance(answer, m.Refused) else None
                    effects.append(Save(Answered(player.id, answer.id, code)))
        return effects

    def _tell_tournaments(self) -> list[Effect]:
        """What follows from what has happened at their tables."""
        effects: list[Effect] = []
        while self._tables_over or self._left_tables:
            while self._left_tables:
                effects += self.calendar.left(self._left_tables.pop(), self._now)
            if self._tables_over:
                effects += self.calendar.table_over(*self._tables_over.pop(0), self._now)
        return effects

    # --- commands -------------------------------------------------------------------------------------------------

    def trial(self, player: Player, command: m.Command) -> Trial | None:
        """What is to be known of a password before the command is done; None: nothing.

        A room that is not there costs as much as a wrong password.
        """
        if not isinstance(command, m.Create | m.Join | m.Watch) or command.password is None:
            return None
        if not player.answers.is_new(command.id) or self.place(player) not in PLACES[type(command)]:
            return None
        if isinstance(command, m.Create):
            return Trial(command.password, None) if self._why_not(player, command) is None else None
        room = self._rooms.get(name_key(command.room))
        lock = NOBODYS if room is None else room.lock
        return None if lock is None else Trial(command.password, lock)

    def command(self, player: Player, command: m.Command, now: float, proof: str | None = None) -> list[Effect]:
        """Do it, unless it was done before; among the effects, now or later, is its answer.

        `proof`: the lock that its password is known to open, or that was made for it (`trial`).
        """
        if not player.answers.is_new(command.id):
            again = player.answers.again(command.id)
            return [] if again is None else [Tell((player,), again)]
        self._now = now
        player.answers.expect(command.id)
        return self._take(self._command(player, command, now, proof))

    def refuse(self, player: Player, command: m.Command, code: m.RefusalCode) -> m.Refused | None:
        """Refuse it unseen; None: it came before, and its answer is not to be a new one."""
        if not player.answers.is_new(command.id):
            return None
        player.answers.expect(command.id)
        player.answers.note(refused := m.Refused(id=command.id, code=code))
        return refused

    def _command(self, player: Player, command: m.Command, now: float, proof: str | None) -> list[Effect]:
        try:
            if self.place(player) not in PLACES[type(command)]:
                raise Refusing(m.RefusalCode.WRONG_PLACE)
            if self._is_draining and _begins(command):
                raise Refusing(m.RefusalCode.SHUTTING_DOWN)
            if type(command) in COMMANDS:
                return self.calendar.command(player, command, now)
            match command:
                case m.ListRooms():
                    return [Tell((player,), self._page(command))]
                case m.Create():
                    return self._create(player, command, now, proof)
                case m.Join():
                    room = self._find(command, proof)
                    return self._enter(room, player, command, lambda: room.join(player, command, now))
                case m.Quick():
                    return self._seat_quickly(player, command, now)
                case m.Watch():
                    room = self._find(command, proof)
                    self._check_watching(room)
                    return self._enter(room, player, command, lambda: room.watch(player, command, now))
                case _:
                    room = self._room_of[player]
                    return self._do(room, lambda: room.command(player, command, now), (player, command.id))
        except Refusing as refusing:
            return [_refused(player, command.id, refusing.code)]

    def _page(self, command: m.ListRooms) -> m.Rooms:
        rooms = sorted(self._rooms.values(), key=lambda room: room.name.casefold())
        start = command.page * _PAGE
        return m.Rooms(
            id=command.id,
            page=command.page,
            pages=max(1, -(-len(rooms) // _PAGE)),
            rooms=tuple(room.line() for room in rooms[start : start + _PAGE]),
        )

    def _why_not(self, player: Player, command: m.Create) -> m.RefusalCode | None:
        """Why such a room cannot be made; None: it can."""
        name = valid_name(command.room)
        if name is None:
            return m.RefusalCode.BAD_NAME
        if name_key(name) in self._rooms:
            return m.RefusalCode.ROOM_EXISTS
        own = sum(room.maker is player for room in self._rooms.values())
        if self._own_rooms >= self._limits.rooms or own >= self._limits.rooms_of_player:
            return m.RefusalCode.TOO_MANY_ROOMS
        return m.RefusalCode.ROOM_FULL if command.options.computers >= command.options.seats else None

    def _create(self, player: Player, command: m.Create, now: float, lock: str | None) -> list[Effect]:
        if (why := self._why_not(player, command)) is not None:
            raise Refusing(why)
        assert (lock is None) == (command.password is None)
        name = valid_name(command.room)
        assert name is not None
        room = self._room(name, command.options, lock)
        room.maker = player
        return self._enter_new(room, player, command, lambda: room.open(player, command, now))

    def _seat_quickly(self, player: Player, command: m.Quick, now: float) -> list[Effect]:
        """At the table where most wait, or at a new one, which is nobody's own: it is there while somebody sits."""
        waiting = fullest(self._rooms.values(), command)
        if waiting is not None:
            return self._enter(waiting, player, command, lambda: waiting.join(player, command, now))
        if self._own_rooms >= self._limits.rooms:
            raise Refusing(m.RefusalCode.TOO_MANY_ROOMS)
        room = self._room(free_name(self._rooms), options_of(command), None)
        return self._enter_new(room, player, command, lambda: room.gather(player, command, now))

    def _room(
        self,
        name: str,
        options: m.Options,
        lock: str | None,
        *,
        shuffle: Callable[[], Shuffle] | None = None,
        table: TableOf | None = None,
        is_closed: bool = False,
    ) -> Room:
        """`shuffle`: in place of our own source."""
        return Room(
            name,
            options,
            lock=lock,
            sources=self._sources if shuffle is None else replace(self._sources, shuffle=shuffle),
            table=table,
            is_closed=is_closed,
            away=self._limits.away,
            empty=self._limits.empty,
            quick=self._limits.quick,
        )

    def _find(self, command: m.Join | m.Watch, proof: str | None) -> Room:
        room = self._rooms.get(name_key(command.room))
        if room is None:
            raise Refusing(m.RefusalCode.NO_SUCH_ROOM)
        if room.lock is not None and room.lock != proof:  # also where another room has taken the name since
            raise Refusing(m.RefusalCode.WRONG_PASSWORD)
        return room

    def _check_watching(self, room: Room) -> None:
        if room.options.watching is m.Watching.NOBODY:
            raise Refusing(m.RefusalCode.WATCHING_CLOSED)
        if len(room.seating.watchers) >= self._limits.watchers:
            raise Refusing(m.RefusalCode.ROOM_FULL)

    def _enter_new(
        self, room: Room, player: Player, command: m.Create | m.Quick, step: Callable[[], None]
    ) -> list[Effect]:
        self._rooms[room.key] = room
        return [Note(Milestone.ROOM_MADE, room.name), *self._enter(room, player, command, step)]

    def _enter(
        self, room: Room, player: Player, command: m.Create | m.Join | m.Quick | m.Watch, step: Callable[[], None]
    ) -> list[Effect]:
        effects = self._do(room, step, (player, command.id))
        if player in room.seating.players:
            self._room_of[player] = room
        return effects

    # --- what whoever runs the server asks ------------------------------------------------------------------------

    @property
    def rooms(self) -> tuple[Room, ...]:
        return tuple(self._rooms.values())

    @property
    def players(self) -> tuple[Player, ...]:
        return self._register.players

    @property
    def actions(self) -> int:
        """How many have taken effect, at all tables that there have been."""
        return self._actions + sum(room.play.actions for room in self._rooms.values())

    def named(self, name: str) -> Player | None:
        return self._register.named(name)

    def room_of(self, player: Player) -> Room | None:
        return self._room_of.get(player)

    def expel(self, player: Player, now: float) -> list[Effect]:
        """The player loses its seat, its name and its ticket."""
        self._now = now
        room = self._room_of.get(player)
        effects = [] if room is None else self._do(room, lambda: room.expel(player, now))
        effects += self.calendar.left(player, now)
        self._forget(player)
        return self._take(effects)

    def close(self, name: str, now: float) -> list[Effect] | None:
        """Break off what is played in the room and close it; None: there is no such room."""
        self._now = now
        room = self._rooms.get(name_key(name))
        return None if room is None else self._take(self._do(room, lambda: room.close(now)))

    # --- the server stops -----------------------------------------------------------------------------------------

    def drain(self) -> None:
        """Take nobody new, and begin no room, match or hand."""
        self._is_draining = self._register.is_closed = self.calendar.is_closed = True
        for room in self._rooms.values():
            room.play.drain()

    @property
    def hands(self) -> int:
        """How many are under way that come to their end by themselves."""
        return sum(room.play.is_hand_going for room in self._rooms.values())

    # --- rooms ----------------------------------------------------------------------------------------------------

    def deadline(self) -> float | None:
        """When `tick` is to be called next; None: not before something happens."""
        times = (self._agenda.deadline(), self._register.deadline(), self.calendar.deadline())
        return min((time for time in times if time is not None), default=None)

    def tick(self, now: float) -> list[Effect]:
        """Do one thing that is due in one room, if there is one: each room has its turn."""
        self._now = now
        if (player := self._register.overdue(now)) is not None:
            self._forget(player)
            return self._take([])
        if (room := self._agenda.take(now)) is not None:
            return self._take(self._do(room, partial(room.tick, now)))
        return self._take(self.calendar.tick(now))

    def _do(self, room: Room, step: Callable[[], None], asked: tuple[Player, int] | None = None) -> list[Effect]:
        """Let something happen in a room. Raises Refusing; whatever else goes wrong there ends the room alone.

        `asked`: whose command it is, and its id, so that it is answered also then.
        """
        waiting = [answer for answer in (room.play.held, asked) if answer is not None]
        effects: list[Effect]
        try:
            step()
            effects = room.take()
        except Refusing as refusing:
            assert asked is not None, "only a command is refused"
            effects = [*room.take(), _refused(*asked, refusing.code)]
        except Exception as error:  # a bug in a room must not end the others
            effects = [Fault(error), *self._wreck(room, waiting)]
        self._settle(room)
        if room.is_over:
            effects.append(Note(Milestone.ROOM_CLOSED, room.name))
        return effects

    def fail(self, key: str, error: Exception, now: float) -> list[Effect]:
        """Give up a room in which something has happened that cannot be kept."""
        self._now = now
        room = self._rooms.get(key)
        if room is None:
            return []
        effects = self._wreck(room, [] if room.play.held is None else [room.play.held])
        self._settle(room)
        return self._take([Fault(error), *effects])

    def _wreck(self, room: Room, waiting: list[tuple[Player, int]]) -> list[Effect]:
        """End a room that broke down, from which nothing half done may be told."""
        answers = [_refused(*answer, m.RefusalCode.NO_SUCH_ROOM) for answer in waiting]
        players = room.seating.players
        try:
            room.unsay()
            room.fail()
            return [*answers, *room.take()]
        except Exception as error:  # …not even then
            room.is_over = True
            self._part(players)
            here = tuple(player for player in players if player.is_here)
            return [*answers, Fault(error), Part(here), Save(RoomEnded(room.key))]

    def _settle(self, room: Room) -> None:
        """Take note of who left, whether it is over, and when it is due."""
        self._left_tables += room.take_left()
        self._part(room.take_gone())
        if room.is_over and self._rooms.pop(room.key, None) is not None:
            self._actions += room.play.actions
            if room.table is not None:
                self._tables_over.append((room.table, room.outcome or nothing(room.options.seats)))
        self._agenda.note(room, None if room.is_over else room.deadline())

    def _part(self, players: Iterable[Player]) -> None:
        """They are in no room any more; who is not connected may come back for a while, but for bots that are done."""
        for player in players:
            self._room_of.pop(player, None)
            if player.is_here or self.calendar.keeps(player):
                continue
            if (least := self._register.wait_for(player, self._now)) is not None:
                self._forget(least)

    # --- the tables of tournaments ------------------------------------------------------------------------------------

    def has_place(self) -> bool:
        return len(self._rooms) - self._own_rooms < self._limits.tables

    @property
    def _own_rooms(self) -> int:
        """How many there are that are no tables of tournaments, which have places of their own."""
        return sum(room.table is None for room in self._rooms.values())

    def free_name(self, tournament: str, round_: int, table: int) -> str:
        return free_table_name(self._rooms, tournament, f"{round_}-{table}")

    def hold(self, call: Call, of: TableOf, name: str, plan: m.Plan) -> list[Effect]:
        """Take all who are called away from where they are, and seat them at a table of their own."""
        effects: list[Effect] = []
        for player in call.called:
            if isinstance(player, Player):
                self._watched.pop(player, None)
                self._register.keep(player)
                effects += self._free(player)
        room = self._room(
            name,
            options_of_table(plan, len(call.called)),
            None,
            shuffle=partial(self._seeded, call.seed) if call.seed else None,
            table=of,
            is_closed=bool(call.seed),
        )
        self._rooms[room.key] = room
        effects += [Note(Milestone.ROOM_MADE, room.name), *self._do(room, lambda: room.call(call.called, self._now))]
        if not room.is_over:
            self._room_of.update(dict.fromkeys(room.seating.players, room))
        return effects

    def _seeded(self, seed: str) -> Seeded:
        return Seeded(seed, self._sources.shuffle().match_id, _SAME_PACKS)

    def clear(self, name: str) -> list[Effect]:
        room = self._rooms.get(name_key(name))
        return [] if room is None else self._do(room, lambda: room.close(self._now, TOURNAMENT_OVER))

    def release(self, player: Player) -> list[Effect]:
        room = self._room_of.get(player)
        return [] if room is None or room.table is None else self._free(player)

    def _free(self, player: Player) -> list[Effect]:
        room = self._room_of.get(player)
        return [] if room is None else self._do(room, lambda: room.release(player, self._now))

    def part(self, player: Player) -> None:
        if player not in self._room_of and self._register.named(player.name) is player:
            self._part((player,))

    def schedule(self, step: Callable[[Calendar, float], list[Effect]], now: float) -> list[Effect]:
        """What whoever runs the server wants of tournaments. Raises Refusing."""
        self._now = now
        return self._take(step(self.calendar, now))

    def thought(self, tournament: int, result: Any, now: float) -> list[Effect]:  # noqa: ANN401 -- whatever was asked
        """What a tournament wanted to be worked out (`Think`); an exception: that failed."""
        self._now = now
        return self._take(self.calendar.thought(tournament, result, now))

    # --- over a restart -------------------------------------------------------------------------------------------

    def restore(self, saved: Saved, now: float) -> list[Effect]:
        """Be, once, what was saved, with everybody away."""
        self._now = now
        players = self._register.restore(saved.players, saved.last_player)
        effects: list[Effect] = []
        for room in saved.rooms:
            if room.state.table is not None and not room.state.matches:  # its tournament calls it again
                effects.append(Save(RoomEnded(room.key)))
            else:
                effects += self._restore_room(room, players, now)
        held = [*(room.table for room in self._rooms.values() if room.table), *(of for of, _ in self._tables_over)]
        effects += self.calendar.restore(saved.tournaments, saved.last_tournament, players, held, now)
        seated = set(self._room_of)
        for kept in saved.players:
            if (player := players[kept.kept.id]) not in seated:
                self._now = now - kept.away
                self._part((player,))
        self._now = now
        return self._take(effects)

    def _restore_room(self, saved: RoomSaved, players: Mapping[int, Player], now: float) -> list[Effect]:
        room = self._room(saved.state.name, saved.state.options, saved.state.lock, table=saved.state.table)
        self._rooms[saved.key] = room
        try:
            room.restore(saved, players, now, self._limits.gather)
        except Exception as error:  # a bug, or a store that somebody has changed, must not end the other rooms
            return [Fault(error), *self._wreck(room, [])]
        for player in room.seating.players:
            self._room_of[player] = room
        for watcher in saved.state.watchers:
            if watcher in players:
                self._watched[players[watcher]] = room
        self._settle(room)
        return room.take()


def _begins(command: m.Command) -> bool:
    """Whether it may begin something new."""
    begins = m.Create | m.Quick | m.Start | m.OpenTournament | m.BeginTournament
    return isinstance(command, begins) or (isinstance(command, m.Ready) and command.ready)


def _from_snapshot_on(player: Player, effects: list[Effect]) -> list[Effect]:
    """The same, without the events that the player's snapshot will hold."""
    kept: list[Effect] = []
    for number, effect in enumerate(effects):
        if type(effect) is Tell and player in effect.players:
            if isinstance(effect.message, m.Snapshot):
                return [*kept, *effects[number:]]
            if isinstance(effect.message, m.Event | m.Question | m.HandShown):
                others = tuple(other for other in effect.players if other is not player)
                kept += [Tell(others, effect.message)] if others else []
                continue
        kept.append(effect)
    return kept


def _refused(player: Player, command_id: int, code: m.RefusalCode) -> Effect:
    return Tell((player,), m.Refused(id=command_id, code=code))
