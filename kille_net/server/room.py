"""One room and its people; sync, handed the time, knows no stream.

Owns who sits, watches and hosts, what the host may do, when a match begins, and who is away for how long; all that it
hears of what is played goes on to `play`. Refuses to know clocks, dice and the other rooms.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from kille_net.game.rules import Seat
from kille_net.server.called import Called, Outcome, outcome
from kille_net.server.chronicle import OTHER_RULES
from kille_net.server.effects import Effect, Refusing, Save
from kille_net.server.herald import Herald
from kille_net.server.people import Chair, Player
from kille_net.server.play import Play
from kille_net.server.saving import RoomAt, RoomEnded, RoomKept, RoomSaved, RoomState, TableOf
from kille_net.server.seating import Seating
from kille_net.server.sources import Sources
from kille_net.server.timing import soonest
from kille_net.wire import messages as m
from kille_net.wire.states import HOST_ONLY
from kille_net.wire.text import name_key, safe_text

__all__ = ["BY_OPERATOR", "NOBODY_LEFT", "TOURNAMENT_OVER", "Room"]

_MAX_TEXT: Final = 200
NOBODY_LEFT: Final = "nobody is left"
"""Why a match is broken off whose players have all gone."""
TOO_FEW: Final = "too few have come"
BY_OPERATOR: Final = "closed by whoever runs the server"
OUT_OF_TIME: Final = "its time was over"
"""Why a table of a tournament is broken off…"""
TOURNAMENT_OVER: Final = "its tournament has ended"
"""…also that."""


class Room:
    """Every method takes the time, and `take` gives what is to be said of all that was done."""

    def __init__(
        self,
        name: str,
        options: m.Options,
        *,
        lock: str | None,
        sources: Sources,
        away: float,
        empty: float,
        quick: float,
        maker: Player | None = None,
        is_closed: bool = False,
        table: TableOf | None = None,
    ) -> None:
        """`away` and `empty`: seconds until a computer stands in for one who is away, until all are given up; `quick`:
        for which players are gathered, where they are.

        `lock`: what the room's password is checked by, if it has one. `is_closed`: nothing of its matches may be read
        before they are opened (`saving.MatchesOpened`). `table`: which one of a tournament it is.
        """
        self.name: Final = name
        self.key: Final = name_key(name)
        self.options: Final = options
        self.lock: Final = lock
        self.table: Final = table
        self.seating: Final = Seating(
            options.seats, sources.computer, away=away, empty=empty, is_called=table is not None
        )
        self.is_over = False
        """Whether nobody is left to play in it."""
        self.outcome: Outcome | None = None
        """What came of a table of a tournament, once it is over."""
        self._stops_at: float | None = None
        """When that is broken off."""
        self._quick = quick
        self._is_quick = False
        """Whether it gathers players for its first match."""
        self._now = 0.0
        """When it was last told anything."""
        self._herald = Herald(self.seating.chairs)
        self.play: Final = Play(name, options, self.seating, self._herald, sources, is_closed=is_closed)
        self._has_changed = False
        """Whether it is to be kept anew."""
        self.maker: Final = maker
        self._gone: list[Player] = []
        self._left: list[Player] = []

    # --- what others ask of it ------------------------------------------------------------------------------------

    def line(self) -> m.RoomLine:
        """As the lobby lists it."""
        return m.RoomLine(
            name=self.name,
            seats=len(self.seating.chairs),
            taken=sum(not chair.is_empty for chair in self.seating.chairs),
            format=self.options.format,
            length=self.options.length,
            locked=self.lock is not None,
            status=self.status,
            watching=self.options.watching,
        )

    @property
    def status(self) -> m.RoomStatus:
        return m.RoomStatus.GATHERING if self.seating.gathers else self.play.status

    def state(self) -> m.RoomState:
        host = self.seating.host
        return m.RoomState(
            name=self.name,
            options=self.options,
            host="" if host is None or self.seating.seat_of(host) is None else host.name,
            locked=self.lock is not None,
            status=self.status,
            seats=tuple(chair.state(self.seating.waits_for(chair, self._now)) for chair in self.seating.chairs),
            watchers=len(self.seating.watchers),
        )

    def is_answer(self, player: Player, command: m.Command) -> bool:
        """Whether it is awaited: the answer to a question that is open to the player, its part in a shuffle, `next`."""
        seat = self.seating.seat_of(player)
        return seat is not None and self.play.awaits(seat, command)

    def take(self) -> list[Effect]:
        """What is to be done outside, in order, since this was last asked."""
        has_told = self._herald.has_told
        effects = self._herald.take()
        if self.is_over:
            return [*effects, Save(RoomEnded(self.key))]
        if self._has_changed:
            self._has_changed = False
            effects.insert(0, Save(RoomKept(self.key, self._saved())))  # before a match that is its own
        if has_told:
            effects.append(Save(RoomAt(self.key, self._herald.seq, self.play.turn)))
        return effects

    def take_gone(self) -> list[Player]:
        """Who is no longer in the room since this was last asked."""
        gone, self._gone = self._gone, []
        return gone

    def take_left(self) -> list[Player]:
        """Of them, who has left a table of a tournament that it was called to."""
        left, self._left = self._left, []
        return left

    # --- time -----------------------------------------------------------------------------------------------------

    def deadline(self) -> float | None:
        """When `tick` is to be called next; None: not before something happens."""
        return soonest(self._away_deadline(), self._gathered_at, self._stops_at, self.play.deadline())

    def tick(self, now: float) -> None:
        """Do one thing that is due, if there is one."""
        self._now = now
        away = self._away_deadline()
        if away is not None and away <= now:
            self._give_up_waiting()
        elif self._gathered_at is not None and self._gathered_at <= now:
            self._fill_up()
        elif self._stops_at is not None and self._stops_at <= now:
            self._close(OUT_OF_TIME)
        else:
            self.play.tick(now)
        self._settle(now)

    def _catch_up(self, now: float) -> None:
        self._now = now
        self.play.catch_up(now)
        self._go_on(now)

    def _away_deadline(self) -> float | None:
        return self.seating.waits_until(is_playing=self.play.match is not None)

    @property
    def _gathered_at(self) -> float | None:
        """When the first match begins, whoever is missing then; None: it does not by itself."""
        return self.seating.gathers_until if self.seating.gathers and self.play.may_begin else None

    def _fill_up(self) -> None:
        """Begin with computers for whoever is missing, if anybody is here."""
        if not self.seating.is_anyone_here and self.table is None:
            self._close()
            return
        if self._is_decided:
            self._close(TOO_FEW)
            return
        for chair in self.seating.chairs:
            if chair.is_empty:
                self._tell_news(m.News.COMPUTER_ADDED, self.seating.seat_computer(chair, self.options.level))
            elif chair.is_absent:
                self.seating.seat_stand_in(chair, self.options.level)
                self._tell_news(m.News.STAND_IN, chair.name)
        self._begin(self._now)

    def _give_up_waiting(self) -> None:
        chair = self.seating.first_absent()
        assert chair.player is not None
        if not self.play.is_on:
            self._vacate(chair.player, m.News.LEFT)
            return
        if self.play.match is not None and self.seating.is_deserted:
            self._close()
            return
        self.seating.seat_stand_in(chair, self.options.level)
        self._tell_news(m.News.STAND_IN, chair.player.name)
        self.play.changed(self.seating.chairs.index(chair), self._now)

    # --- coming and going -----------------------------------------------------------------------------------------

    def open(self, maker: Player, command: m.Create, now: float) -> None:
        """Seat the maker, who hosts, and the computers."""
        self._now = now
        self.seating.chairs[0].seat_player(maker)
        self.seating.host = maker
        for chair in self.seating.chairs[1 : 1 + self.options.computers]:
            self.seating.seat_computer(chair, self.options.level)
        self._herald.tell(maker, m.Ok(id=command.id))
        self._tell_entrance(maker, m.News.CREATED)

    def gather(self, first: Player, command: m.Quick, now: float) -> None:
        """Seat the first of those who play here as soon as all seats are taken, or the time is over."""
        self._now = now
        self._is_quick = True
        self.seating.gathers_until = now + self._quick
        self.seating.seat_player(self.seating.chairs[0], first)
        self._herald.tell(first, m.Ok(id=command.id))
        self._tell_entrance(first, m.News.CREATED)

    def call(self, called: Sequence[Called], now: float) -> None:
        """Seat all who are called to this table of a tournament: it begins when all are here, or the call is over."""
        assert self.table is not None
        self._now = now
        self.seating.gathers_until = now + self.table.call
        self._stops_at = now + self.table.most
        for chair, one in zip(self.seating.chairs, called, strict=True):
            self.seating.seat_called(chair, one, now)
        self._has_changed = True
        self._herald.listen(())
        for chair in self.seating.chairs:
            if chair.is_here and chair.player is not None:
                self._tell_snapshot(chair.player)
        self._settle(now)

    def join(self, player: Player, command: m.Join | m.Quick, now: float) -> None:
        """Raises Refusing."""
        self._now = now
        if self.play.is_on:
            raise Refusing(m.RefusalCode.PLAYING)
        empty = self.seating.empty
        if not empty:
            raise Refusing(m.RefusalCode.ROOM_FULL)
        self._herald.tell(player, m.Ok(id=command.id))
        self.seating.seat_player(empty[0], player)
        self._tell_entrance(player, m.News.JOINED)
        self._settle(now)

    def watch(self, player: Player, command: m.Watch, now: float) -> None:
        """Raises Refusing."""
        self._catch_up(now)
        if self.is_over:
            raise Refusing(m.RefusalCode.NO_SUCH_ROOM)
        self._herald.tell(player, m.Ok(id=command.id))
        self.watch_again(player, now)

    def watch_again(self, player: Player, now: float) -> None:
        """As before its line was lost."""
        self._catch_up(now)
        if self.is_over:
            return
        self.seating.watchers.append(player)
        self._tell_entrance(player, m.News.WATCHES)

    def lose(self, player: Player, now: float) -> None:
        """The player's line was lost."""
        self._catch_up(now)
        if self.is_over:
            return
        seat = self.seating.seat_of(player)
        if seat is None:
            if player in self.seating.watchers:
                self._stop_watching(player, m.News.LEFT)
            return
        if player.is_done and (player.is_bot if self.table is not None else not self.play.is_on):
            self._vacate(player, m.News.LEFT)
            self._settle(now)
            return
        chair = self.seating.chairs[seat]
        chair.away_since = now
        if not self.play.is_on:
            chair.is_ready = False
        self._tell_news(m.News.LOST, player.name)
        self.play.changed(seat, now)
        self._settle(now)

    def come_back(self, player: Player, now: float) -> None:
        """The player speaks from a new connection, whether or not its line was known to be lost."""
        self._catch_up(now)
        if self.is_over or player not in self.seating.players:  # its seat was given up just now
            return
        seat = self.seating.seat_of(player)
        chair = None if seat is None else self.seating.chairs[seat]
        if chair is None or chair.away_since is None:
            self._tell_snapshot(player)
        else:
            self.seating.came_back(chair)
            self._tell_entrance(player, m.News.BACK)
        if seat is not None:
            self.play.came_back(seat, now)
        self._settle(now)

    def _leave(self, player: Player, command: m.Leave, now: float) -> None:
        self._herald.tell(player, m.Ok(id=command.id))
        self._part_with(player, m.News.LEFT, now)

    def release(self, player: Player, now: float) -> None:
        """The player is taken away without a word of its own: it is told that it has left."""
        self._catch_up(now)
        if not self.is_over and player in self.seating.players:
            self._part_with(player, m.News.LEFT, now, tell=True)

    def expel(self, player: Player, now: float) -> None:
        """Whoever runs the server has sent the player away for good."""
        self._catch_up(now)
        if not self.is_over and player in self.seating.players:
            self._part_with(player, m.News.KICKED, now, tell=True)

    def _part_with(self, player: Player, news: m.News, now: float, *, tell: bool = False) -> None:
        """`tell`: the player, too."""
        if player in self.seating.watchers:
            self._stop_watching(player, news, tell=tell)
        else:
            self._vacate(player, news, tell=tell)
        self._settle(now)

    def _stop_watching(self, player: Player, news: m.News, *, tell: bool = False) -> None:
        self.seating.watchers.remove(player)
        self._gone.append(player)
        self._tell_news(news, player.name, besides=player if tell and player.is_here else None)

    def _vacate(self, player: Player, news: m.News, *, tell: bool = False) -> None:
        """The seat's player has gone for good; during a match a computer plays on for it."""
        seat = self._seat(player)
        chair = self.seating.chairs[seat]
        if not self.play.is_on and self.table is None:
            chair.clear()
        else:
            self.seating.seat_computer(chair, self.options.level, for_match=True)
        self._gone.append(player)
        if self.table is not None:
            self._left.append(player)
        self._tell_news(news, player.name, besides=player if tell and player.is_here else None)
        self.play.left(seat, self._now)

    # --- commands -------------------------------------------------------------------------------------------------

    def command(self, player: Player, command: m.Command, now: float) -> None:
        """A command of somebody in the room. Raises Refusing, and then the command has changed nothing."""
        self._catch_up(now)
        if self.is_over:  # just now: the player is in the lobby
            raise Refusing(m.RefusalCode.WRONG_PLACE)
        if type(command) in HOST_ONLY and player is not self.seating.host:
            raise Refusing(m.RefusalCode.NOT_HOST)
        _COMMANDS[type(command)](self, player, command, now)

    def _ready(self, player: Player, command: m.Ready, now: float) -> None:
        self._must_be_open()
        self._herald.tell(player, m.Ok(id=command.id))
        chair = self.seating.chairs[self._seat(player)]
        if chair.is_ready != command.ready:
            chair.is_ready = command.ready
            self._tell_news(m.News.READY if command.ready else m.News.NOT_READY, player.name)
        self._settle(now)

    def _start(self, player: Player, command: m.Start, now: float) -> None:
        self._must_be_open()
        if self.seating.empty:
            raise Refusing(m.RefusalCode.NOT_FULL)
        self._herald.tell(player, m.Ok(id=command.id))
        self._begin(now)

    def _pause(self, player: Player, command: m.Pause, now: float) -> None:
        if self.play.match is None:
            raise Refusing(m.RefusalCode.NOT_PLAYING)
        self._herald.tell(player, m.Ok(id=command.id))
        if command.paused != self.play.is_paused:
            self._set_paused(player.name, now, paused=command.paused)

    def _add(self, player: Player, command: m.AddComputers, now: float) -> None:
        self._must_be_open()
        empty = self.seating.empty
        if len(empty) < command.count:
            raise Refusing(m.RefusalCode.ROOM_FULL)
        self._herald.tell(player, m.Ok(id=command.id))
        for chair in empty[: command.count]:
            self._tell_news(m.News.COMPUTER_ADDED, self.seating.seat_computer(chair, command.level))
        self._settle(now)

    def _remove(self, player: Player, command: m.RemoveComputer, _now: float) -> None:
        self._must_be_open()
        chair = self._chair(command.seat)
        if chair.occupant is not m.Occupant.COMPUTER:
            raise Refusing(m.RefusalCode.NO_SUCH_SEAT)
        self._herald.tell(player, m.Ok(id=command.id))
        name = chair.name
        chair.clear()
        self._tell_news(m.News.COMPUTER_REMOVED, name)

    def _kick(self, player: Player, command: m.Kick, now: float) -> None:
        target = self._chair(command.seat).player
        if target is None or target is player:
            raise Refusing(m.RefusalCode.NO_SUCH_SEAT)
        self._herald.tell(player, m.Ok(id=command.id))
        self._vacate(target, m.News.KICKED, tell=True)
        self._settle(now)

    def _decide(self, player: Player, command: m.Decide, now: float) -> None:
        self.play.decide(self._seat(player), player, command, now)
        self._go_on(now)

    def _call_kuku(self, player: Player, command: m.CallKuku, now: float) -> None:
        self.play.call_kuku(self._seat(player), player, command, now)
        self._go_on(now)

    def _say_next(self, player: Player, command: m.NextHand, now: float) -> None:
        self.play.say_next(self._seat(player), player, command, now)
        self._has_changed = True
        self._settle(now)

    def _take_nonce(self, player: Player, command: m.CommitNonce | m.RevealNonce, now: float) -> None:
        self.play.take_nonce(self._seat(player), player, command, now)
        self._settle(now)

    def _say(self, player: Player, command: m.Say, _now: float) -> None:
        text = safe_text(command.text, _MAX_TEXT)[:_MAX_TEXT]
        self._herald.tell(player, m.Ok(id=command.id))
        self._herald.tell_all(lambda seq: m.Said(seq=seq, who=player.name, text=text))

    def _must_be_open(self) -> None:
        if self.play.is_on:
            raise Refusing(m.RefusalCode.PLAYING)

    def _chair(self, seat: Seat) -> Chair:
        if seat >= len(self.seating.chairs):
            raise Refusing(m.RefusalCode.NO_SUCH_SEAT)
        return self.seating.chairs[seat]

    def _seat(self, player: Player) -> Seat:
        """Where the player sits, who must sit."""
        seat = self.seating.seat_of(player)
        assert seat is not None
        return seat

    # --- what follows ---------------------------------------------------------------------------------------------

    def _settle(self, now: float) -> None:
        """What follows from anything that happened, by these rules in this order."""
        if self.is_over:
            return
        if self.play.is_match_over:
            self._end_match()
            if self.is_over:
                return
        self._hand_over(now)
        if self.seating.is_given_up:
            self._close()
        elif self.play.is_drawn:
            self.play.deal_drawn(now)
            self._has_changed = True
            self._settle(now)
        elif self.play.may_begin and self.seating.are_all_ready:
            self._begin(now)
        else:
            self.play.keep_time(now)

    def _go_on(self, now: float) -> None:
        """What follows where nobody came or went, and no more than was played."""
        if self.play.is_at_end:
            self._settle(now)

    def _end_match(self) -> None:
        """The room is open again for those who are here; a table of a tournament is done."""
        if self.table is not None:
            self.outcome = outcome(self.seating.chairs, self.play.standing)
            self.play.end()
            self.fail(m.News.TABLE_OVER)
            return
        self.play.end()
        self._gone += self.seating.clear_after_match()
        self._tell_news(m.News.ENDED, "")

    def _hand_over(self, now: float) -> None:
        host = self.seating.new_host()
        if host is None:
            return
        self._tell_news(m.News.HOST, host.name)
        if self.play.is_paused and host.is_bot:  # nobody is there who would let it go on
            self._set_paused(host.name, now, paused=False)

    def _set_paused(self, who: str, now: float, *, paused: bool) -> None:
        if paused:
            self.play.pause(now)
            self._tell_news(m.News.PAUSED, who)
        else:
            self.play.resume(now)
            self._tell_news(m.News.RESUMED, who)
            self.play.tell_again(now)

    @property
    def _is_decided(self) -> bool:
        """Whether a table of a tournament is so without a match: at most one has come."""
        return self.table is not None and self.seating.present <= 1

    def _begin(self, now: float) -> None:
        if self._is_decided:
            self._close(TOO_FEW)
            return
        if self.seating.gathers:
            self.seating.gathers_until = None
            self._hand_over(now)
        self.play.start(now)
        self._tell_news(m.News.STARTED, "")
        self.play.begin(now)
        self._settle(now)

    def close(self, now: float, reason: str = BY_OPERATOR) -> None:
        """It is closed from outside, whatever is played there."""
        self._catch_up(now)
        if not self.is_over:
            self._close(reason)

    def _close(self, reason: str = NOBODY_LEFT) -> None:
        """Whoever was in it is in the lobby."""
        if self.table is not None:
            self.outcome = outcome(self.seating.chairs, self.play.standing)
            if reason == BY_OPERATOR and not any(self.outcome.points):
                self.outcome = replace(self.outcome, is_void=True)
        self.play.break_off(reason)
        self.fail(m.News.CLOSED if self.table is None else m.News.TABLE_OVER)

    def fail(self, news: m.News = m.News.FAILED) -> None:
        """The room is gone, broken down or closed, and all who were in it are in the lobby."""
        self.is_over = True
        self.play.drop()
        self._tell_news(news, "")
        self._gone += self.seating.players

    def unsay(self) -> None:
        """Drop what was not taken, after something went wrong in the middle of it."""
        self._herald.unsay()

    # --- over a restart -------------------------------------------------------------------------------------------

    def _saved(self) -> RoomState:
        host = self.seating.host
        return RoomState(
            name=self.name,
            options=self.options,
            lock=self.lock,
            host=None if host is None else host.id,
            maker=None if self.maker is None else self.maker.id,
            is_paused=self.play.is_paused,
            matches=self.play.matches,
            chairs=self.seating.saved(),
            watchers=tuple(watcher.id for watcher in self.seating.watchers),
            next_said=self.play.next_said,
            is_quick=self._is_quick,
            is_closed=self.play.is_closed,
            sat=self.play.sat,
            table=self.table,
        )

    def restore(self, saved: RoomSaved, players: Mapping[int, Player], now: float, gather: float) -> None:
        """Go on where it was when it was saved, with all who play away, for whom a match waits up to `gather` seconds.

        Raises IllegalAction for a match that the rules do not allow.
        """
        state = saved.state
        self._now = now
        self._herald.restore(saved.seq)
        self.seating.restore(state.chairs, players, self.options.level, now)
        self.seating.host = None if state.host is None else players.get(state.host)
        if not self.play.restore(saved, now, gather):
            if self.table is not None:
                self._close(OTHER_RULES)
                return
            self._gone += self.seating.clear_after_match()
            self._has_changed = True
        self._is_quick = state.is_quick
        if self.table is not None:
            self._stops_at = now + self.table.most
        if self._is_quick and not self.play.matches:  # all the time again, in which all may come back
            self.seating.host = None
            self.seating.gathers_until = now + self._quick
        self._settle(now)

    # --- telling --------------------------------------------------------------------------------------------------

    def _tell_news(self, news: m.News, who: str, besides: Player | None = None) -> None:
        self._has_changed = True
        self._herald.listen(self.seating.watchers)
        room = self.state()
        self._herald.tell_all(lambda seq: m.RoomChanged(seq=seq, news=news, who=who, room=room), besides)

    def _tell_entrance(self, player: Player, news: m.News) -> None:
        """The others get the news, whoever came a snapshot after it (protocol/v1/protocol.md §6.6)."""
        self._has_changed = True
        self._herald.listen(self.seating.watchers)
        room = self.state()
        self._herald.tell_others(player, lambda seq: m.RoomChanged(seq=seq, news=news, who=player.name, room=room))
        self._tell_snapshot(player)

    def _tell_snapshot(self, player: Player) -> None:
        self._herald.tell(player, self.snapshot(player))
        state = self.play.shuffle_state(self._now)
        if state is not None:
            self._herald.tell(player, state)

    def snapshot(self, player: Player) -> m.Snapshot:
        """What the player may know now; of a match that it did not play in, the public view."""
        return m.Snapshot(
            seq=self._herald.seq,
            room=self.state(),
            view=self.play.view(self.seating.seat_of(player)),
            match=self.play.matches,
            open=self.play.open_question(self._now),
            rest=self.play.open_rest(self._now),
        )


_Method: TypeAlias = Callable[[Room, Player, Any, float], None]
_COMMANDS: Final[Mapping[type[m.Message], _Method]] = MappingProxyType(
    {
        m.Leave: Room._leave,
        m.Ready: Room._ready,
        m.Start: Room._start,
        m.Pause: Room._pause,
        m.AddComputers: Room._add,
        m.RemoveComputer: Room._remove,
        m.Kick: Room._kick,
        m.Decide: Room._decide,
        m.CallKuku: Room._call_kuku,
        m.CommitNonce: Room._take_nonce,
        m.RevealNonce: Room._take_nonce,
        m.NextHand: Room._say_next,
        m.Say: Room._say,
    }
)
