"""The rooms of one server and who is in them; sync, handed the time, knows no stream.

Owns names, places and the way of a command to its room, and keeps a room that breaks down from the others. Refuses
to know clocks, dice and what is played.
"""

import heapq
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import count
from typing import Final

from kille_net.server.absent import Absent
from kille_net.server.effects import Effect, Fault, Milestone, Note, Part, Refusing, Save, Tell
from kille_net.server.limits import Limits
from kille_net.server.passwords import NOBODYS, Trial
from kille_net.server.people import COMPUTER_NAMES, Player
from kille_net.server.room import Room
from kille_net.server.saving import (
    Answered,
    PlayerForgotten,
    PlayerKept,
    PlayerSaved,
    RoomEnded,
    RoomSaved,
    Saved,
)
from kille_net.server.sources import Sources
from kille_net.server.tickets import Tickets
from kille_net.wire import messages as m
from kille_net.wire.states import PLACES, Place
from kille_net.wire.text import name_key, valid_name

__all__ = ["Lobby", "Unwelcome"]

_PAGE: Final = 10
"""Rooms in one page of the list."""
_DAY: Final = 86_400.0
_MOST_STALE: Final = 8
"""How many times as many deadlines as rooms are kept, most of them passed over, before they are sorted out."""
_RESERVED: Final = frozenset(name_key(name) for name in (*COMPUTER_NAMES, "Admin", "Kille", "Server"))


class Unwelcome(Exception):
    """A player is not let in, for a reason that a `bye` gives."""

    def __init__(self, code: m.ByeCode) -> None:
        super().__init__(code.value)
        self.code = code


class Lobby:
    """Everything that a connection can cause goes through here, and comes out as effects, in order."""

    def __init__(self, sources: Sources, limits: Limits) -> None:
        self._sources = sources
        self._limits = limits
        self._players: dict[str, Player] = {}
        self._ids = count(1)
        self._rooms: dict[str, Room] = {}
        self._makers: dict[Room, Player] = {}
        self._room_of: dict[Player, Room] = {}
        self._due: list[tuple[float, int, Room]] = []
        self._due_of: dict[Room, float] = {}
        self._count = count()
        self._tickets = Tickets()
        self._absent = Absent(limits.absent)
        self._known = Absent(limits.names)
        self._changes: list[Effect] = []  # of players, since they were last asked for
        self._watched: dict[Player, Room] = {}  # what those of them watched
        self._now = 0.0
        self._actions = 0  # in rooms that are gone
        self._is_draining = False

    # --- players --------------------------------------------------------------------------------------------------

    def enter(self, name: str, *, is_bot: bool) -> Player:
        """Let somebody in under that name. Raises Unwelcome."""
        kept = valid_name(name)
        if kept is None:
            raise Unwelcome(m.ByeCode.BAD_NAME)
        if self._is_draining:
            raise Unwelcome(m.ByeCode.SHUTTING_DOWN)
        key = name_key(kept)
        if key in self._players or key in _RESERVED:
            raise Unwelcome(m.ByeCode.NAME_TAKEN)
        player = Player(next(self._ids), kept, is_bot)
        self._players[key] = player
        return player

    def give_ticket(self, player: Player, shown: str | None = None) -> tuple[str, list[Effect]]:
        """A new secret by which the player is known, once it is kept; the one that it has shown stays good, too."""
        ticket = self._sources.ticket()
        self._tickets.give(player, ticket, shown)
        self._keep(player)
        return ticket, self._take([])

    def confirm_ticket(self, player: Player) -> list[Effect]:
        """The player has its last ticket: those before are good no more."""
        self._tickets.confirm(player)
        self._keep(player)
        return self._take([])

    def find(self, ticket: str) -> Player:
        """Whose ticket it is. Raises Unwelcome, which says no more than that it is nobody's."""
        player = self._tickets.find(ticket)
        if player is None:
            raise Unwelcome(m.ByeCode.BAD_TICKET)
        return player

    def come_back(self, player: Player, now: float) -> list[Effect]:
        """The player speaks from a new connection; it is where it was."""
        self._now = now
        player.is_here, player.is_done = True, False
        self._absent.drop(player)
        self._known.drop(player)
        watched = self._watched.pop(player, None)
        room = self._room_of.get(player)
        if room is not None:
            return self._take(_from_snapshot_on(player, self._do(room, lambda: room.come_back(player, now))))
        if watched is None or watched.is_over or len(watched.seating.watchers) >= self._limits.watchers:
            return []
        effects = self._do(watched, lambda: watched.watch_again(player, now))
        if player in watched.seating.players:
            self._room_of[player] = watched
        return self._take(effects)

    def lose(self, player: Player, now: float, *, is_done: bool = False) -> list[Effect]:
        """The player's connection has ended; `is_done`: it said that it had finished, and only a match keeps it."""
        self._now = now
        player.is_here, player.is_done = False, is_done
        self._keep(player)  # when it was last here
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
        key = name_key(player.name)
        if self._players.get(key) is player:
            del self._players[key]
        self._tickets.drop(player)
        self._absent.drop(player)
        self._known.drop(player)
        self._watched.pop(player, None)
        self._changes.append(Save(PlayerForgotten(player.id)))

    def _keep(self, player: Player) -> None:
        kept = PlayerKept(id=player.id, name=player.name, is_bot=player.is_bot, digests=self._tickets.digests(player))
        self._changes.append(Save(kept))

    def _take(self, effects: list[Effect]) -> list[Effect]:
        """What came of a step, whole: with what has changed of players, and the answers noted and, but lists, kept."""
        effects, self._changes = self._changes + effects, []
        for effect in tuple(effects):
            if type(effect) is Tell and isinstance(effect.message, m.Answer):
                (player,) = effect.players
                answer = effect.message
                player.answers.note(answer)
                if not isinstance(answer, m.Rooms):
                    code = answer.code if isinstance(answer, m.Refused) else None
                    effects.append(Save(Answered(player.id, answer.id, code)))
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
            match command:
                case m.ListRooms():
                    return [Tell((player,), self._page(command))]
                case m.Create():
                    return self._create(player, command, now, proof)
                case m.Join():
                    room = self._find(command, proof)
                    return self._enter(room, player, command, lambda: room.join(player, command, now))
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
        own = sum(maker is player for maker in self._makers.values())
        if len(self._rooms) >= self._limits.rooms or own >= self._limits.rooms_of_player:
            return m.RefusalCode.TOO_MANY_ROOMS
        return m.RefusalCode.ROOM_FULL if command.options.computers >= command.options.seats else None

    def _create(self, player: Player, command: m.Create, now: float, lock: str | None) -> list[Effect]:
        if (why := self._why_not(player, command)) is not None:
            raise Refusing(why)
        assert (lock is None) == (command.password is None)
        name = valid_name(command.room)
        assert name is not None
        room = self._room(name, command.options, lock)
        self._rooms[room.key] = room
        self._makers[room] = player
        made = Note(Milestone.ROOM_MADE, room.name)
        return [made, *self._enter(room, player, command, lambda: room.open(player, command, now))]

    def _room(self, name: str, options: m.Options, lock: str | None) -> Room:
        return Room(
            name,
            options,
            lock=lock,
            sources=self._sources,
            away=self._limits.away,
            empty=self._limits.empty,
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

    def _enter(
        self, room: Room, player: Player, command: m.Create | m.Join | m.Watch, step: Callable[[], None]
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
        return tuple(self._players.values())

    @property
    def actions(self) -> int:
        """How many have taken effect, at all tables that there have been."""
        return self._actions + sum(room.play.actions for room in self._rooms.values())

    def named(self, name: str) -> Player | None:
        return self._players.get(name_key(name))

    def room_of(self, player: Player) -> Room | None:
        return self._room_of.get(player)

    def expel(self, player: Player, now: float) -> list[Effect]:
        """The player loses its seat, its name and its ticket."""
        self._now = now
        room = self._room_of.get(player)
        effects = [] if room is None else self._do(room, lambda: room.expel(player, now))
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
        self._is_draining = True
        for room in self._rooms.values():
            room.play.drain()

    @property
    def hands(self) -> int:
        """How many are under way that come to their end by themselves."""
        return sum(room.play.is_hand_going for room in self._rooms.values())

    # --- rooms ----------------------------------------------------------------------------------------------------

    def deadline(self) -> float | None:
        """When `tick` is to be called next; None: not before something happens."""
        while self._due and self._due_of.get(self._due[0][2]) != self._due[0][0]:
            heapq.heappop(self._due)
        times = [self._due[0][0]] if self._due else []
        times += [until for until in (self._absent.until, self._known.until) if until is not None]
        return min(times, default=None)

    def tick(self, now: float) -> list[Effect]:
        """Do one thing that is due in one room, if there is one: each room has its turn."""
        self._now = now
        for absent in (self._absent, self._known):
            if absent.until is not None and absent.until <= now:
                self._forget(absent.first)
                return self._take([])
        while self._due and self._due[0][0] <= now:
            at, _, room = heapq.heappop(self._due)
            if self._due_of.get(room) == at:
                del self._due_of[room]
                return self._take(self._do(room, partial(room.tick, now)))
        return []

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
        self._part(room.take_gone())
        if room.is_over:
            if self._rooms.pop(name_key(room.name), None) is not None:
                self._actions += room.play.actions
            self._makers.pop(room, None)
            self._due_of.pop(room, None)
            return
        at = room.deadline()
        if at is None:
            self._due_of.pop(room, None)
        elif self._due_of.get(room) != at:
            self._due_of[room] = at
            if len(self._due) > _MOST_STALE * (len(self._due_of) + 1):
                self._due = [(at, next(self._count), room) for room, at in self._due_of.items()]
                heapq.heapify(self._due)
            else:
                heapq.heappush(self._due, (at, next(self._count), room))

    def _part(self, players: Iterable[Player]) -> None:
        """They are in no room any more; who is not connected may come back for a while, but for bots that are done."""
        for player in players:
            self._room_of.pop(player, None)
            if player.is_here:
                continue
            if player.is_bot and player.is_done:
                self._forget(player)
                continue
            if player.has_played and not player.is_bot:
                absent, seconds = self._known, self._limits.name_kept_days * _DAY
            else:
                absent, seconds = self._absent, self._limits.away
            absent.add(player, self._now + seconds)
            if absent.is_too_full:
                self._forget(absent.first)

    # --- over a restart -------------------------------------------------------------------------------------------

    def restore(self, saved: Saved, now: float) -> list[Effect]:
        """Be, once, what was saved, with everybody away."""
        self._now = now
        self._ids = count(saved.last_player + 1)
        players = {kept.kept.id: self._restore_player(kept) for kept in saved.players}
        effects: list[Effect] = []
        for room in saved.rooms:
            effects += self._restore_room(room, players, now)
        seated = set(self._room_of)
        for kept in saved.players:
            if (player := players[kept.kept.id]) not in seated:
                self._now = now - kept.away
                self._part((player,))
        self._now = now
        return self._take(effects)

    def _restore_player(self, saved: PlayerSaved) -> Player:
        kept = saved.kept
        player = Player(kept.id, kept.name, kept.is_bot, saved.has_played, is_here=False)
        player.answers.restore([_answer(answered) for answered in saved.answers])
        self._players[name_key(kept.name)] = player
        self._tickets.restore(player, kept.digests)
        return player

    def _restore_room(self, saved: RoomSaved, players: Mapping[int, Player], now: float) -> list[Effect]:
        room = self._room(saved.state.name, saved.state.options, saved.state.lock)
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
    return isinstance(command, m.Create | m.Start) or (isinstance(command, m.Ready) and command.ready)


def _from_snapshot_on(player: Player, effects: list[Effect]) -> list[Effect]:
    """The same, without the events that the player's snapshot will hold."""
    kept: list[Effect] = []
    for number, effect in enumerate(effects):
        if type(effect) is Tell and player in effect.players:
            if isinstance(effect.message, m.Snapshot):
                return [*kept, *effects[number:]]
            if isinstance(effect.message, m.Event | m.Question):
                others = tuple(other for other in effect.players if other is not player)
                kept += [Tell(others, effect.message)] if others else []
                continue
        kept.append(effect)
    return kept


def _answer(answered: Answered) -> m.Answer:
    return m.Ok(id=answered.id) if answered.code is None else m.Refused(id=answered.id, code=answered.code)


def _refused(player: Player, command_id: int, code: m.RefusalCode) -> Effect:
    return Tell((player,), m.Refused(id=command_id, code=code))
