"""What everybody may do on one server, wherever they are; sync, handed the time, knows no stream.

Owns the way of a command to its room or tournament, and what follows from one for the others: who is known at all is
`register`'s, what happens in a room `rooms`', and tournaments are the `calendar`'s. Refuses to know clocks, dice and
what is played.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final, cast

from kille_net.server.effects import Effect, Milestone, Note, Refusing, Save, Tell
from kille_net.server.gathering import fullest, options_of
from kille_net.server.hall import Hall
from kille_net.server.limits import Limits
from kille_net.server.passwords import NOBODYS, Trial
from kille_net.server.people import Player
from kille_net.server.register import Register
from kille_net.server.room import Room
from kille_net.server.rooms import Rooms, refused
from kille_net.server.saving import Answered, Saved
from kille_net.server.scheduling.calendar import COMMANDS, Calendar
from kille_net.server.sources import Sources
from kille_net.server.timing import soonest
from kille_net.wire import messages as m
from kille_net.wire.states import ANSWERS, PLACES, Place
from kille_net.wire.text import name_key, valid_name

__all__ = ["Lobby"]

_PAGE: Final = 10
"""Rooms in one page of the list."""
_ANSWERS: Final = frozenset(ANSWERS)


class Lobby:
    """Everything that a connection can cause goes through here, and comes out as effects, in order."""

    def __init__(self, sources: Sources, limits: Limits) -> None:
        self._limits = limits
        self._register = Register(limits, sources.ticket)
        self._rooms = Rooms(sources, limits, self._part)
        hall = Hall(
            self._rooms,
            self._register,
            sources,
            limits,
            part=lambda player: self._part((player,)),
            now=lambda: self._now,
        )
        self.calendar: Final = Calendar(hall, limits, epoch=sources.epoch, draw_seed=sources.ticket)
        self._gone: list[Player] = []
        """Who has left the server for good, of which its tournament has not been told."""
        self._now = 0.0
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
        return self._take([*self._rooms.come_back(player, now), *self.calendar.came_back(player, now)])

    def lose(self, player: Player, now: float, *, is_done: bool = False) -> list[Effect]:
        """The player's connection has ended; `is_done`: it said that it had finished, and only a match keeps it."""
        self._now = now
        self._register.lost(player, is_done=is_done)
        if is_done and player.is_bot:
            self._gone.append(player)
        if self._rooms.of(player) is None:
            self._part((player,))
            return self._take([])
        return self._take(self._rooms.lose(player, now, is_done=is_done))

    def place(self, player: Player) -> Place:
        return self._rooms.place(player)

    def is_answer(self, player: Player, command: m.Command) -> bool:
        """Whether it is awaited: the answer to a question that is open to the player, its part in a shuffle."""
        room = self._rooms.of(player)
        return room is not None and room.is_answer(player, command)

    def _forget(self, player: Player) -> None:
        self._register.forget(player)
        self._dismiss(player)

    def _dismiss(self, player: Player) -> None:
        """Nothing is kept for the player any more."""
        self._rooms.forget(player)
        self.calendar.forget(player)
        self._gone.append(player)

    def _take(self, effects: list[Effect]) -> list[Effect]:
        """What came of a step, whole: with what has changed of players, and the answers noted and, but lists, kept."""
        effects = effects + self._tell_tournaments()
        effects = self._register.take() + effects
        for effect in tuple(effects):
            if type(effect) is Tell and type(effect.message) in _ANSWERS:
                (player,) = effect.players
                answer = cast("m.Answer", effect.message)
                player.answers.note(answer)
                if not isinstance(answer, m.Shown):
                    code = answer.code if isinstance(answer, m.Refused) else None
                    effects.append(Save(Answered(player.id, answer.id, code)))
        return effects

    def _tell_tournaments(self) -> list[Effect]:
        """What follows from what has happened at their tables."""
        effects: list[Effect] = []
        while True:
            gone, self._gone = self._gone + self._rooms.take_left(), []
            over = self._rooms.take_over()
            if not gone and not over:
                return effects
            for player in gone:
                effects += self.calendar.left(player, self._now)
            for of, outcome in over:
                effects += self.calendar.table_over(of, outcome, self._now)

    def _part(self, players: Iterable[Player]) -> None:
        """They are in no room any more; who is not connected may come back for a while, but for bots that are done."""
        for player in players:
            if player.is_here or self.calendar.keeps(player):
                continue
            if (least := self._register.wait_for(player, self._now)) is not None:
                self._forget(least)

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
        room = self._rooms.find(command.room)
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
                    own = self._rooms.of(player)
                    assert own is not None
                    return self._rooms.do(own, lambda: own.command(player, command, now), (player, command.id))
        except Refusing as refusing:
            return [refused(player, command.id, refusing.code)]

    def _page(self, command: m.ListRooms) -> m.Rooms:
        return m.Rooms(
            id=command.id,
            page=command.page,
            pages=max(1, -(-len(self._rooms) // _PAGE)),
            rooms=tuple(room.line() for room in self._rooms.listed(command.page * _PAGE, _PAGE)),
        )

    def _why_not(self, player: Player, command: m.Create) -> m.RefusalCode | None:
        """Why such a room cannot be made; None: it can."""
        name = valid_name(command.room)
        if name is None:
            return m.RefusalCode.BAD_NAME
        if name_key(name) in self._rooms:
            return m.RefusalCode.ROOM_EXISTS
        if self._rooms.others >= self._limits.rooms or self._rooms.made_by(player) >= self._limits.rooms_of_player:
            return m.RefusalCode.TOO_MANY_ROOMS
        return m.RefusalCode.ROOM_FULL if command.options.computers >= command.options.seats else None

    def _create(self, player: Player, command: m.Create, now: float, lock: str | None) -> list[Effect]:
        if (why := self._why_not(player, command)) is not None:
            raise Refusing(why)
        assert (lock is None) == (command.password is None)
        name = valid_name(command.room)
        assert name is not None
        room = self._rooms.make(name, command.options, lock, maker=player)
        made = Note(Milestone.ROOM_MADE, room.name)
        return [made, *self._enter(room, player, command, lambda: room.open(player, command, now))]

    def _seat_quickly(self, player: Player, command: m.Quick, now: float) -> list[Effect]:
        """At the table where most wait, or at a new one, which is nobody's own: it is there while somebody sits."""
        waiting = fullest(self._rooms.gathering, command)
        if waiting is not None:
            return self._enter(waiting, player, command, lambda: waiting.join(player, command, now))
        if self._rooms.others >= self._limits.rooms:
            raise Refusing(m.RefusalCode.TOO_MANY_ROOMS)
        room = self._rooms.make(self._rooms.free_name(), options_of(command), None)
        made = Note(Milestone.ROOM_MADE, room.name)
        return [made, *self._rooms.gather(room, (player, command.id), lambda: room.gather(player, command, now))]

    def _find(self, command: m.Join | m.Watch, proof: str | None) -> Room:
        room = self._rooms.find(command.room)
        if room is None:
            raise Refusing(m.RefusalCode.NO_SUCH_ROOM)
        if room.lock is not None and room.lock != proof:  # also where another room has taken the name since
            raise Refusing(m.RefusalCode.WRONG_PASSWORD)
        return room

    def _check_watching(self, room: Room) -> None:
        if room.options.watching is m.Watching.NOBODY:
            raise Refusing(m.RefusalCode.WATCHING_CLOSED)
        if self._rooms.is_full_of_watchers(room):
            raise Refusing(m.RefusalCode.ROOM_FULL)

    def _enter(
        self, room: Room, player: Player, command: m.Create | m.Join | m.Quick | m.Watch, step: Callable[[], None]
    ) -> list[Effect]:
        return self._rooms.enter(room, (player, command.id), step)

    # --- what whoever runs the server asks ------------------------------------------------------------------------

    @property
    def rooms(self) -> tuple[Room, ...]:
        return tuple(self._rooms)

    @property
    def players(self) -> tuple[Player, ...]:
        return self._register.players

    @property
    def actions(self) -> int:
        """How many have taken effect, at all tables that there have been."""
        return self._rooms.actions

    def named(self, name: str) -> Player | None:
        return self._register.named(name)

    def room_of(self, player: Player) -> Room | None:
        return self._rooms.of(player)

    def expel(self, player: Player, now: float) -> list[Effect]:
        """The player loses its seat, its name and its ticket."""
        self._now = now
        room = self._rooms.of(player)
        effects = [] if room is None else self._rooms.do(room, lambda: room.expel(player, now))
        effects += self.calendar.left(player, now)
        self._forget(player)
        return self._take(effects)

    def close(self, name: str, now: float) -> list[Effect] | None:
        """Break off what is played in the room and close it; None: there is no such room."""
        self._now = now
        room = self._rooms.find(name)
        return None if room is None else self._take(self._rooms.do(room, lambda: room.close(now)))

    # --- the server stops -----------------------------------------------------------------------------------------

    def drain(self) -> None:
        """Take nobody new, and begin no room, match or hand."""
        self._is_draining = self._register.is_closed = True
        self.calendar.close()
        for room in self._rooms:
            room.play.drain()

    @property
    def hands(self) -> int:
        """How many are under way that come to their end by themselves."""
        return sum(room.play.is_hand_going for room in self._rooms)

    # --- time -----------------------------------------------------------------------------------------------------

    def deadline(self) -> float | None:
        """When `tick` is to be called next; None: not before something happens."""
        return soonest(self._rooms.deadline(), self._register.deadline(), self.calendar.deadline())

    def tick(self, now: float) -> list[Effect]:
        """Do one thing that is due, if there is one."""
        self._now = now
        if (player := self._register.overdue(now)) is not None:
            (self._dismiss if self._register.remember(player, now) else self._forget)(player)
            return self._take([])
        effects = self._rooms.tick(now)
        return self._take(self.calendar.tick(now) if effects is None else effects)

    def fail(self, key: str, error: Exception, now: float) -> list[Effect]:
        """Give up a room in which something has happened that cannot be kept."""
        self._now = now
        return self._take(self._rooms.fail(key, error))

    # --- tournaments ------------------------------------------------------------------------------------------------

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
            effects += self._rooms.restore(room, players, now)
        held = self._rooms.held
        effects += self.calendar.restore(saved.tournaments, saved.last_tournament, players, held, now)
        seated = {player for player in players.values() if self._rooms.of(player) is not None}
        for kept in saved.players:
            if (player := players[kept.kept.id]) not in seated:
                self._now = now - kept.away
                self._part((player,))
        self._now = now
        return self._take(effects)


def _begins(command: m.Command) -> bool:
    """Whether it may begin something new."""
    begins = m.Create | m.Quick | m.Start | m.OpenTournament | m.BeginTournament
    return isinstance(command, begins) or (isinstance(command, m.Ready) and command.ready)
