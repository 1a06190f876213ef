"""The rooms of one server and who is in which; sync, handed the time, knows no stream.

Owns rooms and places, lets things happen in one room at a time, and keeps a room that breaks down from the others.
Refuses to know who is known at all, and what is wanted of a room.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from kille_net.server.agenda import Agenda
from kille_net.server.called import Outcome, nothing
from kille_net.server.directory import Directory
from kille_net.server.effects import Effect, Fault, Milestone, Note, Part, Refusing, Save, Tell
from kille_net.server.limits import Limits
from kille_net.server.people import Player
from kille_net.server.room import Room
from kille_net.server.saving import RoomEnded, RoomSaved, TableOf
from kille_net.server.sources import Shuffle, Sources
from kille_net.wire import messages as m
from kille_net.wire.states import Place
from kille_net.wire.text import name_key

__all__ = ["Asked", "Rooms", "refused"]

Asked: TypeAlias = tuple[Player, int]
"""Whose command it is, and its id, so that it is answered whatever happens."""


class Rooms:
    """By the keys of their names."""

    def __init__(self, sources: Sources, limits: Limits, part: Callable[[Iterable[Player]], None]) -> None:
        """`part` is told who is in no room any more."""
        self._sources = sources
        self._limits = limits
        self._part = part
        self._all = Directory()
        self._of: dict[Player, Room] = {}
        self._watched: dict[Player, Room] = {}
        """What those watched who have been lost."""
        self._agenda = Agenda[Room]()
        self._actions = 0
        """In rooms that are gone."""
        self._left: list[Player] = []
        self._over: list[tuple[TableOf, Outcome]] = []

    # --- which there are --------------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Room]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def __contains__(self, key: object) -> bool:
        return key in self._all

    def find(self, name: str) -> Room | None:
        return self._all.get(name_key(name))

    def of(self, player: Player) -> Room | None:
        return self._of.get(player)

    def place(self, player: Player) -> Place:
        room = self._of.get(player)
        if room is None:
            return Place.LOBBY
        return Place.WATCHING if room.seating.seat_of(player) is None else Place.SEATED

    def listed(self, start: int, most: int) -> list[Room]:
        """So many in the order of lists, from that one on."""
        return self._all.listed(start, most)

    @property
    def gathering(self) -> list[Room]:
        """Those that the server makes, until they begin."""
        return self._all.gathering

    def free_name(self) -> str:
        """For such a room, which is made now."""
        return self._all.names.free()

    @property
    def tables(self) -> int:
        """How many are tables of tournaments, which have places of their own."""
        return self._all.tables

    @property
    def others(self) -> int:
        return len(self) - self.tables

    def made_by(self, player: Player) -> int:
        """How many the player has made that there still are."""
        return self._all.made_by(player)

    @property
    def actions(self) -> int:
        """How many have taken effect, at all tables that there have been."""
        return self._actions + sum(room.play.actions for room in self)

    def is_full_of_watchers(self, room: Room) -> bool:
        return len(room.seating.watchers) >= self._limits.watchers

    # --- coming and going -------------------------------------------------------------------------------------------

    def make(
        self,
        name: str,
        options: m.Options,
        lock: str | None,
        *,
        maker: Player | None = None,
        shuffle: Callable[[], Shuffle] | None = None,
        table: TableOf | None = None,
        is_closed: bool = False,
    ) -> Room:
        """A room, in which nothing has happened yet.

        `maker`: whose own it is; `shuffle`: in place of our own source.
        """
        room = Room(
            name,
            options,
            lock=lock,
            maker=maker,
            sources=self._sources if shuffle is None else replace(self._sources, shuffle=shuffle),
            table=table,
            is_closed=is_closed,
            away=self._limits.away,
            empty=self._limits.empty,
            quick=self._limits.quick,
        )
        self._all.add(room)
        return room

    def enter(self, room: Room, asked: Asked, step: Callable[[], None]) -> list[Effect]:
        """Let who asks come in by that step."""
        effects = self.do(room, step, asked)
        self._find_places(room, asked[:1])
        return effects

    def gather(self, room: Room, asked: Asked, step: Callable[[], None]) -> list[Effect]:
        """Let who asks be the first of those whom a room gathers."""
        self._all.gathers(room)
        return self.enter(room, asked, step)

    def call(self, room: Room, step: Callable[[], None]) -> list[Effect]:
        """Let a room seat people by that step."""
        effects = self.do(room, step)
        if not room.is_over:
            self._find_places(room, room.seating.players)
        return effects

    def _find_places(self, room: Room, players: Iterable[Player]) -> None:
        self._of.update(dict.fromkeys(set(players).intersection(room.seating.players), room))

    def lose(self, player: Player, now: float, *, is_done: bool) -> list[Effect]:
        """The player's line was lost."""
        room = self._of[player]
        if not is_done and self.place(player) is Place.WATCHING:
            self._watched[player] = room
        return self.do(room, lambda: room.lose(player, now))

    def come_back(self, player: Player, now: float) -> list[Effect]:
        """The player is where it was, also where it was watching."""
        watched, room = self._watched.pop(player, None), self._of.get(player)
        if room is not None:
            return _from_snapshot_on(player, self.do(room, lambda: room.come_back(player, now)))
        if watched is None or watched.is_over or self.is_full_of_watchers(watched):
            return []
        effects = self.do(watched, lambda: watched.watch_again(player, now))
        self._find_places(watched, (player,))
        return effects

    def release(self, player: Player, now: float) -> list[Effect]:
        """Take the player away from where it is."""
        self.forget(player)
        room = self._of.get(player)
        return [] if room is None else self.do(room, lambda: room.release(player, now))

    def forget(self, player: Player) -> None:
        """The player watches nothing any more."""
        self._watched.pop(player, None)

    def take_left(self) -> list[Player]:
        """Who has left a table of a tournament that it was called to, since this was last asked."""
        left, self._left = self._left, []
        return left

    @property
    def held(self) -> list[TableOf]:
        """The tables of tournaments that there are, or of which is known what came of them."""
        return [*(room.table for room in self if room.table is not None), *(of for of, _ in self._over)]

    def take_over(self) -> list[tuple[TableOf, Outcome]]:
        """Which tables of tournaments are over since this was last asked, and what came of them."""
        over, self._over = self._over, []
        return over

    # --- what happens in one ----------------------------------------------------------------------------------------

    def deadline(self) -> float | None:
        """When `tick` is to be called next; None: not before something happens."""
        return self._agenda.deadline()

    def tick(self, now: float) -> list[Effect] | None:
        """Do one thing that is due in one room: each has its turn; None: nothing is."""
        room = self._agenda.take(now)
        return None if room is None else self.do(room, partial(room.tick, now))

    def do(self, room: Room, step: Callable[[], None], asked: Asked | None = None) -> list[Effect]:
        """Let something happen in a room. Raises Refusing; whatever else goes wrong there ends the room alone."""
        waiting = [answer for answer in (room.play.held, asked) if answer is not None]
        effects: list[Effect]
        try:
            step()
            effects = room.take()
        except Refusing as refusing:
            assert asked is not None, "only a command is refused"
            effects = [*room.take(), refused(*asked, refusing.code)]
        except Exception as error:  # a bug in a room must not end the others
            effects = [Fault(error), *self._wreck(room, waiting)]
        self._settle(room)
        if room.is_over:
            effects.append(Note(Milestone.ROOM_CLOSED, room.name))
        return effects

    def fail(self, key: str, error: Exception) -> list[Effect]:
        """Give up a room in which something has happened that cannot be kept."""
        room = self._all.get(key)
        if room is None:
            return []
        effects = self._wreck(room, [] if room.play.held is None else [room.play.held])
        self._settle(room)
        return [Fault(error), *effects]

    def _wreck(self, room: Room, waiting: list[Asked]) -> list[Effect]:
        """End a room that broke down, from which nothing half done may be told."""
        answers = [refused(*answer, m.RefusalCode.NO_SUCH_ROOM) for answer in waiting]
        players = room.seating.players
        try:
            room.unsay()
            room.fail()
            return [*answers, *room.take()]
        except Exception as error:  # …not even then
            room.is_over = True
            self._let_go(players)
            here = tuple(player for player in players if player.is_here)
            return [*answers, Fault(error), Part(here), Save(RoomEnded(room.key))]

    def _settle(self, room: Room) -> None:
        """Take note of who left, whether it is over, and when it is due."""
        self._left += room.take_left()
        self._let_go(room.take_gone())
        if room.is_over and self._all.remove(room):
            self._actions += room.play.actions
            if room.table is not None:
                self._over.append((room.table, room.outcome or nothing(room.options.seats)))
        self._agenda.note(room, None if room.is_over else room.deadline())

    def _let_go(self, players: Iterable[Player]) -> None:
        for player in players:
            self._of.pop(player, None)
            self._part((player,))

    # --- over a restart ---------------------------------------------------------------------------------------------

    def restore(self, saved: RoomSaved, players: Mapping[int, Player], now: float) -> list[Effect]:
        """Be one that was saved, with everybody away."""
        state = saved.state
        if state.table is not None and not state.matches:  # its tournament calls it again
            return [Save(RoomEnded(saved.key))]
        maker = None if state.maker is None else players.get(state.maker)
        room = self.make(state.name, state.options, state.lock, maker=maker, table=state.table)
        try:
            room.restore(saved, players, now, self._limits.gather)
        except Exception as error:  # a bug, or a store that somebody has changed, must not end the other rooms
            return [Fault(error), *self._wreck(room, [])]
        self._find_places(room, room.seating.players)
        self._watched.update({players[watcher]: room for watcher in state.watchers if watcher in players})
        self._settle(room)
        if room.seating.gathers and room.table is None:
            self._all.gathers(room)
        return room.take()


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


def refused(player: Player, command_id: int, code: m.RefusalCode) -> Effect:
    return Tell((player,), m.Refused(id=command_id, code=code))
