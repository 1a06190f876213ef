"""One table and its people; sync, handed the time, knows no stream.

Owns who sits, watches and hosts, what the host may do, when a match begins, and who is away for how long. What
happens in a match is `running`'s. Refuses to know clocks, dice and the other rooms.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from kille_net.game.record import MatchLine, SeatLabel
from kille_net.game.rules import RULES_VERSION, Seat
from kille_net.game.shuffle import Material
from kille_net.game.views import observe
from kille_net.server.chronicle import Chronicle, end_unjudged
from kille_net.server.drawing import Drawing
from kille_net.server.effects import Effect, Milestone, Note, Refusing, Save
from kille_net.server.herald import Herald
from kille_net.server.people import Chair, Player
from kille_net.server.running import RunningMatch
from kille_net.server.saving import MatchBegun, MatchSaved, RoomAt, RoomEnded, RoomKept, RoomSaved, RoomState
from kille_net.server.seating import Seating
from kille_net.server.sources import Shuffle, Sources
from kille_net.server.timing import Stopwatch
from kille_net.translate import to_ruleset, to_view
from kille_net.wire import messages as m
from kille_net.wire.states import HOST_ONLY
from kille_net.wire.text import name_key, safe_text

if TYPE_CHECKING:
    from kille_net.game.match import Match

__all__ = ["BY_OPERATOR", "NOBODY_LEFT", "Room"]

_MAX_TEXT: Final = 200
_MAX_WAIT: Final = 3_600_000
NOBODY_LEFT: Final = "nobody is left"
"""Why a match is broken off whose players have all gone."""
BY_OPERATOR: Final = "closed by whoever runs the server"


class Room:
    """Every method takes the time, and `take` gives what is to be said of all that was done."""

    def __init__(
        self, name: str, options: m.Options, *, lock: str | None, sources: Sources, away: float, empty: float
    ) -> None:
        """`away` and `empty`: seconds until a computer stands in for one who is away, until all are given up.

        `lock`: what the room's password is checked by, if it has one.
        """
        self.name: Final = name
        self.key: Final = name_key(name)
        self.options: Final = options
        self.lock: Final = lock
        self.seating: Final = Seating(options.seats, sources.computer)
        self.is_over = False
        """Whether nobody is left to play in it."""
        self._sources = sources
        self._away = away
        self._empty = empty
        self._now = 0.0
        """When it was last told anything."""
        self._matches = 0
        self._actions = 0
        """In the matches that are over."""
        self._herald = Herald(self.seating.chairs)
        self._turn = 0
        """Number of the last question."""
        self._has_changed = False
        """Whether it is to be kept anew."""
        self._gathers_until: float | None = None
        """After a restart, when a match goes on at the latest; None: it does, or there is none."""
        self._watch = Stopwatch()
        self._drawing: Drawing | None = None
        self._running: RunningMatch | None = None
        self._last: Match | None = None
        self._is_paused = False
        self._is_draining = False
        self._gone: list[Player] = []

    # --- what others ask of it ------------------------------------------------------------------------------------

    @property
    def status(self) -> m.RoomStatus:
        if not self._is_taken:
            return m.RoomStatus.OPEN
        return m.RoomStatus.PAUSED if self._is_paused else m.RoomStatus.PLAYING

    @property
    def _is_taken(self) -> bool:
        """Whether a match is played, or its shuffle drawn: who sits here sits for the match."""
        return self._running is not None or self._drawing is not None

    @property
    def match(self) -> RunningMatch | None:
        """The match that is played."""
        return self._running

    @property
    def actions(self) -> int:
        """How many have taken effect at this table."""
        return self._actions + (0 if self._running is None else self._running.actions)

    @property
    def held(self) -> tuple[Player, int] | None:
        """The command that waits for its answer."""
        return None if self._running is None else self._running.held

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

    def state(self) -> m.RoomState:
        host = self.seating.host
        return m.RoomState(
            name=self.name,
            options=self.options,
            host="" if host is None or self.seating.seat_of(host) is None else host.name,
            locked=self.lock is not None,
            status=self.status,
            seats=tuple(chair.state(self._waits_for(chair)) for chair in self.seating.chairs),
            watchers=len(self.seating.watchers),
        )

    def _waits_for(self, chair: Chair) -> int:
        since = self._now if chair.away_since is None else chair.away_since
        return max(0, min(round((since + self._away - self._now) * 1000), _MAX_WAIT))

    def is_answer(self, player: Player, command: m.Command) -> bool:
        """Whether it is awaited: the answer to a question that is open to the player, its part in a shuffle."""
        seat = self.seating.seat_of(player)
        if seat is None:
            return False
        if isinstance(command, m.CommitNonce | m.RevealNonce):
            return self._drawing is not None and self._drawing.awaits(seat, command)
        running = self._running
        return running is not None and isinstance(command, m.Decide) and running.is_open_to(seat, command.turn)

    def take(self) -> list[Effect]:
        """What is to be done outside, in order, since this was last asked."""
        has_told = self._herald.has_told
        effects = self._herald.take()
        if self.is_over:
            return [*effects, Save(RoomEnded(self.key))]
        if self._has_changed:
            self._has_changed = False
            effects.append(Save(RoomKept(self.key, self._saved())))
        if has_told:
            effects.append(Save(RoomAt(self.key, self._herald.seq, self._turn)))
        return effects

    def take_gone(self) -> list[Player]:
        """Who is no longer in the room since this was last asked."""
        gone, self._gone = self._gone, []
        return gone

    # --- the server stops -----------------------------------------------------------------------------------------

    @property
    def plays_hand(self) -> bool:
        """Whether a hand is under way that comes to its end by itself."""
        return self._running is not None and self._running.is_hand_open and not self._watch.is_stopped

    def drain(self) -> None:
        """Begin no match and no hand any more; a shuffle that is drawn meanwhile is drawn for nothing."""
        self._is_draining = True
        if self._running is not None:
            self._running.stop_dealing()

    # --- time -----------------------------------------------------------------------------------------------------

    def deadline(self) -> float | None:
        """When `tick` is to be called next; None: not before something happens."""
        times = [] if self._running is None else [self._watch.when(self._running.deadline())]
        times += [] if self._drawing is None or self._is_draining else [self._drawing.deadline()]
        times += [self._away_deadline(), self._gathers_until]
        return min((time for time in times if time is not None), default=None)

    def tick(self, now: float) -> None:
        """Do one thing that is due, if there is one."""
        self._now = now
        away = self._away_deadline()
        if away is not None and away <= now:
            self._give_up_waiting(now)
        elif self._drawing is not None:
            self._drawing.tick(now)
        elif self._running is not None and not self._watch.is_stopped:
            self._running.tick(self._watch.read(now))
        self._settle(now)

    def _catch_up(self, now: float) -> None:
        self._now = now
        if self._running is not None and not self._watch.is_stopped:
            self._running.catch_up(self._watch.read(now))
            self._settle(now)
        if self._drawing is not None and self._drawing.deadline() <= now:
            self._drawing.tick(now)
            self._settle(now)

    def _away_deadline(self) -> float | None:
        since = self.seating.waited_since()
        if since is None:
            return None
        first, last = since
        if self._running is not None and not self.seating.is_anyone_here:
            return last + self._empty
        return first + self._away

    def _give_up_waiting(self, now: float) -> None:
        chair = self.seating.first_absent()
        assert chair.player is not None
        if not self._is_taken:
            self._vacate(chair.player, m.News.LEFT)
            return
        if self._running is not None and not self.seating.is_anyone_here:
            self._close()
            return
        self.seating.seat_stand_in(chair, self.options.level)
        self._tell_news(m.News.STAND_IN, chair.player.name)
        self._chair_changed(chair)

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

    def join(self, player: Player, command: m.Join, now: float) -> None:
        """Raises Refusing."""
        self._now = now
        if self._is_taken:
            raise Refusing(m.RefusalCode.PLAYING)
        empty = self.seating.empty
        if not empty:
            raise Refusing(m.RefusalCode.ROOM_FULL)
        self._herald.tell(player, m.Ok(id=command.id))
        empty[0].seat_player(player)
        self._tell_entrance(player, m.News.JOINED)
        self._settle(now)

    def watch(self, player: Player, command: m.Watch, now: float) -> None:
        self._herald.tell(player, m.Ok(id=command.id))
        self.watch_again(player, now)

    def watch_again(self, player: Player, now: float) -> None:
        """As before its line was lost."""
        self._catch_up(now)
        self.seating.watchers.append(player)
        self._tell_entrance(player, m.News.WATCHES)

    def lose(self, player: Player, now: float) -> None:
        """The player's line was lost."""
        self._catch_up(now)
        seat = self.seating.seat_of(player)
        if seat is None:
            if player in self.seating.watchers:
                self.seating.watchers.remove(player)
                self._gone.append(player)
                self._tell_news(m.News.LEFT, player.name)
            return
        if not self._is_taken and player.is_done:
            self._vacate(player, m.News.LEFT)
            self._settle(now)
            return
        chair = self.seating.chairs[seat]
        chair.away_since = now
        if not self._is_taken:
            chair.is_ready = False
        self._tell_news(m.News.LOST, player.name)
        if self._running is not None:
            self._chair_changed(chair)
        self._settle(now)

    def come_back(self, player: Player, now: float) -> None:
        """The player speaks from a new connection, whether or not its line was known to be lost."""
        self._catch_up(now)
        if player not in self.seating.players:  # its seat was given up just now
            return
        seat = self.seating.seat_of(player)
        chair = None if seat is None else self.seating.chairs[seat]
        if chair is None or chair.away_since is None:
            self._tell_snapshot(player)
        else:
            chair.away_since = None
            self._tell_entrance(player, m.News.BACK)
        if self._running is not None and seat is not None:
            self._running.came_back(seat, self._watch.read(now), is_paused=self._is_paused)
        self._settle(now)

    def _leave(self, player: Player, command: m.Leave, now: float) -> None:
        self._herald.tell(player, m.Ok(id=command.id))
        self._part_with(player, m.News.LEFT, now)

    def expel(self, player: Player, now: float) -> None:
        """Whoever runs the server has sent the player away for good."""
        self._catch_up(now)
        if player in self.seating.players:
            self._part_with(player, m.News.KICKED, now)

    def _part_with(self, player: Player, news: m.News, now: float) -> None:
        if player in self.seating.watchers:
            self.seating.watchers.remove(player)
            self._gone.append(player)
            self._tell_news(news, player.name)
        else:
            self._vacate(player, news)
        self._settle(now)

    def _vacate(self, player: Player, news: m.News) -> None:
        """The seat's player has gone for good; during a match a computer plays on for it."""
        seat = self.seating.seat_of(player)
        assert seat is not None
        chair = self.seating.chairs[seat]
        if not self._is_taken:
            chair.clear()
        else:
            self.seating.seat_computer(chair, self.options.level, for_match=True)
        self._gone.append(player)
        self._tell_news(news, player.name, besides=player if news is m.News.KICKED and player.is_here else None)
        if self._running is not None:
            self._chair_changed(chair)
        if self._drawing is not None:
            self._drawing.leave(seat, self._now)

    def _chair_changed(self, chair: Chair) -> None:
        if self._running is not None:
            self._running.changed(self.seating.chairs.index(chair))

    # --- commands -------------------------------------------------------------------------------------------------

    def command(self, player: Player, command: m.Command, now: float) -> None:
        """A command of somebody in the room. Raises Refusing, and then the command has changed nothing."""
        self._catch_up(now)
        if type(command) in HOST_ONLY and player is not self.seating.host:
            raise Refusing(m.RefusalCode.NOT_HOST)
        _COMMANDS[type(command)](self, player, command, now)

    def _ready(self, player: Player, command: m.Ready, now: float) -> None:
        self._must_be_open()
        seat = self.seating.seat_of(player)
        assert seat is not None
        self._herald.tell(player, m.Ok(id=command.id))
        if self.seating.chairs[seat].is_ready != command.ready:
            self.seating.chairs[seat].is_ready = command.ready
            self._tell_news(m.News.READY if command.ready else m.News.NOT_READY, player.name)
        self._settle(now)

    def _start(self, player: Player, command: m.Start, now: float) -> None:
        self._must_be_open()
        if self.seating.empty:
            raise Refusing(m.RefusalCode.NOT_FULL)
        self._herald.tell(player, m.Ok(id=command.id))
        self._begin(now)

    def _pause(self, player: Player, command: m.Pause, now: float) -> None:
        if self._running is None:
            raise Refusing(m.RefusalCode.NOT_PLAYING)
        self._herald.tell(player, m.Ok(id=command.id))
        if command.paused != self._is_paused:
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
        self._vacate(target, m.News.KICKED)
        self._settle(now)

    def _decide(self, player: Player, command: m.Decide, now: float) -> None:
        running, seat = self._seat_in_match(player)
        running.decide(seat, player, command, self._watch.read(now))
        self._settle(now)

    def _call_kuku(self, player: Player, command: m.CallKuku, now: float) -> None:
        running, seat = self._seat_in_match(player)
        running.call_kuku(seat, player, command, self._watch.read(now))
        self._settle(now)

    def _take_nonce(self, player: Player, command: m.CommitNonce | m.RevealNonce, now: float) -> None:
        seat = self.seating.seat_of(player)
        assert seat is not None
        if self._drawing is None:
            raise Refusing(m.RefusalCode.NOT_SHUFFLING)
        self._drawing.take(seat, player, command, now)
        self._settle(now)

    def _say(self, player: Player, command: m.Say, _now: float) -> None:
        text = safe_text(command.text, _MAX_TEXT)[:_MAX_TEXT]
        self._herald.tell(player, m.Ok(id=command.id))
        self._herald.tell_all(lambda seq: m.Said(seq=seq, who=player.name, text=text))

    def _must_be_open(self) -> None:
        if self._is_taken:
            raise Refusing(m.RefusalCode.PLAYING)

    def _chair(self, seat: Seat) -> Chair:
        if seat >= len(self.seating.chairs):
            raise Refusing(m.RefusalCode.NO_SUCH_SEAT)
        return self.seating.chairs[seat]

    def _seat_in_match(self, player: Player) -> tuple[RunningMatch, Seat]:
        if self._running is None:
            raise Refusing(m.RefusalCode.NOT_PLAYING)
        if self._is_paused:
            raise Refusing(m.RefusalCode.PAUSED)
        seat = self.seating.seat_of(player)
        assert seat is not None
        return self._running, seat

    # --- what follows ---------------------------------------------------------------------------------------------

    def _settle(self, now: float) -> None:
        """After anything that happened: who hosts, whether time passes, whether a match or the room is over."""
        if self.is_over:
            return
        if self._running is not None and self._running.is_over:
            self._end_match()
        self._hand_over(now)
        if self.seating.is_given_up:
            self._close()
            return
        if self._drawing is not None:
            if self._drawing.is_done and not self._is_draining:
                self._play(self._drawing.material, now)
            return
        if self._running is None:
            if self.seating.are_all_ready and not self._is_draining:
                self._begin(now)
            return
        is_gathered = self._gathers_until is not None and (
            now >= self._gathers_until or not self.seating.is_anyone_awaited
        )
        if is_gathered:
            self._gathers_until = None
        if self._is_paused or self._gathers_until is not None or not self.seating.is_anyone_here:
            if not self._watch.is_stopped:
                self._watch.stop(now)
            return
        self._watch.go(now)
        if is_gathered:
            self._running.tell_again(self._watch.read(now))

    def _hand_over(self, now: float) -> None:
        host = self.seating.new_host()
        if host is None:
            return
        self._tell_news(m.News.HOST, host.name)
        if self._is_paused and host.is_bot:  # nobody is there who would let it go on
            self._set_paused(host.name, now, paused=False)

    def _set_paused(self, who: str, now: float, *, paused: bool) -> None:
        self._is_paused = paused
        if paused:
            self._watch.stop(now)
            self._tell_news(m.News.PAUSED, who)
            return
        self._watch.go(now)
        self._tell_news(m.News.RESUMED, who)
        if self._running is not None:
            self._running.tell_again(self._watch.read(now))

    def _begin(self, now: float) -> None:
        """Where the shuffle hangs on a secret, all draw it first."""
        shuffle = self._sources.shuffle()
        if not isinstance(shuffle, Material):
            self._play(shuffle, now)
            return
        self._drawing = Drawing(
            shuffle, self._sources.shuffle, self.seating.chairs, self._herald, dealer=self._next_dealer
        )
        self._tell_news(m.News.STARTED, "")
        self._drawing.begin(now)
        self._settle(now)

    @property
    def _next_dealer(self) -> Seat | None:
        """Who deals first in the coming match; None: that is drawn (rule S5)."""
        return None if self._last is None else (self._last.dealer + 1) % len(self.seating.chairs)

    def _play(self, shuffle: Shuffle, now: float) -> None:
        was_drawn = self._drawing is not None
        self._drawing = None
        chairs, dealer = self.seating.chairs, self._next_dealer
        header = MatchLine(
            id=shuffle.match_id,
            rules=to_ruleset(self.options),
            seats=tuple(
                SeatLabel(chair.name, chair.computer_level if chair.player is None else None) for chair in chairs
            ),
            first_dealer=shuffle.first_dealer(len(chairs)) if dealer is None else dealer,
            shuffle=shuffle.told(),
            is_rematch=dealer is not None,
        )
        players = tuple(None if chair.player is None else chair.player.id for chair in chairs)
        begun = MatchBegun(room=self.key, room_name=self.name, header=header, players=players, secret=shuffle.kept)
        self._herald.save(begun)
        for chair in chairs:
            if chair.player is not None:
                chair.player.has_played = True
        self._watch.go(now)
        self._running = self._make_match(header, shuffle)
        if not was_drawn:
            self._tell_news(m.News.STARTED, "")
        self._matches += 1
        self._has_changed = True
        self._note(Milestone.MATCH_BEGUN, self._running)
        self._running.begin(self._watch.read(now))
        self._settle(now)

    def _make_match(self, header: MatchLine, shuffle: Shuffle) -> RunningMatch:
        return RunningMatch(
            header,
            self.options,
            self.seating.chairs,
            self._herald,
            Chronicle(header, shuffle, self._herald),
            shuffle=shuffle,
            chance=self._sources.chance,
            next_turn=self._next_turn,
        )

    def _next_turn(self) -> int:
        self._turn += 1
        return self._turn

    def _end_match(self) -> None:
        """The room is open again for those who are here."""
        assert self._running is not None
        self._end_record(self._running)
        self._last, self._running = self._running.match, None
        self._is_paused = False
        self._gone += self.seating.clear_after_match()
        self._tell_news(m.News.ENDED, "")

    def close(self, now: float) -> None:
        """Whoever runs the server has closed it."""
        self._catch_up(now)
        if not self.is_over:
            self._close(BY_OPERATOR)

    def _close(self, reason: str = NOBODY_LEFT) -> None:
        """Whoever was in it is in the lobby."""
        if self._running is not None:
            self._running.break_off(reason)
            self._end_record(self._running)
            self._running = None
        self.fail(m.News.CLOSED)

    def fail(self, news: m.News = m.News.FAILED) -> None:
        """The room is gone, broken down or closed, and all who were in it are in the lobby."""
        self.is_over = True
        self._running = self._drawing = None
        self._tell_news(news, "")
        self._gone += self.seating.players

    def _end_record(self, running: RunningMatch) -> None:
        self._actions += running.actions
        self._note(Milestone.MATCH_ENDED, running)

    def _note(self, milestone: Milestone, running: RunningMatch) -> None:
        seats = tuple(chair.name for chair in self.seating.chairs)
        self._herald.note(Note(milestone, self.name, running.id, seats))

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
            is_paused=self._is_paused,
            matches=self._matches,
            chairs=self.seating.saved(),
            watchers=tuple(watcher.id for watcher in self.seating.watchers),
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
        self._matches = state.matches
        self._turn = saved.turn
        self._watch.stop(now)
        if saved.match is not None:
            self._restore_match(saved.match, now)
        if self._running is not None:
            self._is_paused = state.is_paused
            self._gathers_until = now + gather
        self._settle(now)

    def _restore_match(self, saved: MatchSaved, now: float) -> None:
        header = saved.header
        shuffle = self._sources.kept_shuffle(header, saved.secret)
        if header.rules_version != RULES_VERSION:
            if not saved.is_over:
                end_unjudged(saved, shuffle, self._herald)
                self._gone += self.seating.clear_after_match()
                self._has_changed = True
            return
        running = self._make_match(header, shuffle)
        running.resume(saved.steps, self._watch.read(now), self._turn)
        if running.is_over:
            self._last = running.match
        else:
            self._running = running

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
        state = None if self._running is None else self._running.shuffle_state()
        if self._drawing is not None:
            state = self._drawing.state(self._now)
        if state is not None:
            self._herald.tell(player, state)

    def snapshot(self, player: Player) -> m.Snapshot:
        """What the player may know now; of a match that it did not play in, the public view."""
        match = self._last if self._running is None else self._running.match
        viewer = None if self._running is None else self.seating.seat_of(player)
        view = None if match is None else to_view(observe(match, viewer))
        question = self._running.open_question(self._watch.read(self._now)) if self._running is not None else None
        return m.Snapshot(seq=self._herald.seq, room=self.state(), view=view, match=self._matches, open=question)


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
        m.Say: Room._say,
    }
)
