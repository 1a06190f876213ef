"""What is played in one room: match after match, each from the drawing of its shuffle to its result.

Owns the match that is drawn or played, the one before it, the table's own time, and when that passes. Is told what
happened by the room, and tells what follows from it through the herald alone. Sync, handed the time. Refuses to know
who comes, goes, readies and hosts, and what happens within a match.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kille_net.game.record import MatchLine, SeatLabel
from kille_net.game.rules import RULES_VERSION, Seat
from kille_net.game.shuffle import Material
from kille_net.game.views import observe
from kille_net.server.chronicle import Chronicle, end_unjudged, results
from kille_net.server.drawing import Drawing
from kille_net.server.effects import Milestone, Note, Refusing
from kille_net.server.herald import Herald
from kille_net.server.people import Chair, Player
from kille_net.server.running import RunningMatch
from kille_net.server.saving import MatchBegun, MatchSaved, NextSaid, RoomSaved
from kille_net.server.seating import Seating
from kille_net.server.sources import Shuffle, Sources
from kille_net.server.timing import Stopwatch, soonest
from kille_net.translate import to_ruleset, to_view
from kille_net.wire import messages as m
from kille_net.wire.text import name_key

if TYPE_CHECKING:
    from kille_net.game.match import Match

__all__ = ["Play"]


class Play:
    """At any time a shuffle is drawn, or a match played, or neither."""

    def __init__(
        self,
        room: str,
        options: m.Options,
        seating: Seating,
        herald: Herald,
        sources: Sources,
        *,
        is_closed: bool = False,
    ) -> None:
        """`room`: its name; `is_closed`: nothing of its matches may be read before they are opened."""
        self._room = room
        self._options = options
        self._seating = seating
        self._herald = herald
        self._sources = sources
        self.is_closed = is_closed
        self.is_paused = False
        self.matches = 0
        """Begun so far."""
        self.turn = 0
        """Number of the last question."""
        self.sat: tuple[int, ...] = ()
        """By their ids, the players who sat here when the last match began: nobody else ever sits in it."""
        self._actions = 0  # in the matches that are over
        self._watch = Stopwatch()
        self._gathers_until: float | None = None
        """After a restart, when a match goes on at the latest; None: it does, or there is none."""
        self._is_draining = False
        self._drawing: Drawing | None = None
        self._running: RunningMatch | None = None
        self._last: Match | None = None

    # --- where it stands ------------------------------------------------------------------------------------------

    @property
    def is_on(self) -> bool:
        """Whether a match is played, or its shuffle drawn: who sits here sits for the match."""
        return self._running is not None or self._drawing is not None

    @property
    def status(self) -> m.RoomStatus:
        if not self.is_on:
            return m.RoomStatus.OPEN
        return m.RoomStatus.PAUSED if self.is_paused else m.RoomStatus.PLAYING

    @property
    def match(self) -> RunningMatch | None:
        """The match that is played."""
        return self._running

    @property
    def standing(self) -> tuple[str, tuple[int, ...], tuple[int, ...] | None]:
        """The id of the match that is played, or empty; its points so far, and the places if it is over, by seat."""
        if self._running is None:
            return "", (0,) * len(self._seating.chairs), None
        match = self._running.match
        places = None if match.winner is None else tuple(one.place for one in results(match.points, match.winner))
        return self._running.id, match.points, places

    @property
    def is_match_over(self) -> bool:
        """Whether the match that is played is to be ended."""
        return self._running is not None and self._running.is_over

    @property
    def is_drawn(self) -> bool:
        """Whether all is there for a match to be dealt."""
        return self._drawing is not None and self._drawing.is_done and not self._is_draining

    @property
    def is_at_end(self) -> bool:
        """Whether what is played, or drawn, has come to where the room has to go on."""
        return self.is_match_over or self.is_drawn

    @property
    def may_begin(self) -> bool:
        return not self.is_on and not self._is_draining

    @property
    def is_hand_going(self) -> bool:
        """Whether a hand is under way that comes to its end by itself."""
        return self._running is not None and self._running.is_hand_open and not self._watch.is_stopped

    @property
    def held(self) -> tuple[Player, int] | None:
        """The command that waits for its answer."""
        return None if self._running is None else self._running.held

    @property
    def actions(self) -> int:
        """How many have taken effect."""
        return self._actions + (0 if self._running is None else self._running.actions)

    def view(self, seat: Seat | None) -> m.View | None:
        """What the seat may know now; None: nobody's. Of a match that is over, the public view."""
        if self._running is not None:
            return to_view(observe(self._running.match, seat))
        return None if self._last is None else to_view(observe(self._last, None))

    def open_question(self, now: float) -> m.OpenQuestion | None:
        return None if self._running is None else self._running.open_question(self._watch.read(now))

    @property
    def next_said(self) -> NextSaid:
        return (0, ()) if self._running is None else self._running.next_said

    def open_rest(self, now: float) -> m.OpenRest | None:
        return None if self._running is None else self._running.open_rest(self._watch.read(now))

    def shuffle_state(self, now: float) -> m.ShuffleState | None:
        """What was published of the shuffle, for whoever did not hear it."""
        if self._drawing is not None:
            return self._drawing.state(now)
        return None if self._running is None else self._running.shuffle_state()

    # --- from the start to the end of a match -----------------------------------------------------------------------

    def start(self, now: float) -> None:
        """A match is on; where its shuffle hangs on a secret, all are to draw it first. `begin` is next."""
        self.sat = tuple(chair.player.id for chair in self._seating.chairs if chair.player is not None)
        shuffle = self._sources.shuffle()
        if isinstance(shuffle, Material):
            self._drawing = Drawing(
                shuffle, self._sources.shuffle, self._seating.chairs, self._herald, dealer=self._next_dealer
            )
        else:
            self._running = self._new_match(shuffle, now)

    def begin(self, now: float) -> None:
        """Let what was started be drawn or dealt."""
        if self._drawing is not None:
            self._drawing.begin(now)
        else:
            self._deal(now)

    def deal_drawn(self, now: float) -> None:
        """The shuffle is drawn: let its match begin."""
        assert self._drawing is not None
        drawing, self._drawing = self._drawing, None
        self._running = self._new_match(drawing.material, now)
        self._deal(now)

    def _deal(self, now: float) -> None:
        assert self._running is not None
        self._note(Milestone.MATCH_BEGUN, self._running)
        self._running.begin(self._watch.read(now))

    @property
    def _next_dealer(self) -> Seat | None:
        """Who deals first in the coming match; None: that is drawn (rule S5)."""
        return None if self._last is None else (self._last.dealer + 1) % len(self._seating.chairs)

    def _new_match(self, shuffle: Shuffle, now: float) -> RunningMatch:
        header = _match_line(shuffle, self._options, self._seating.chairs, self._next_dealer)
        players = [chair.player for chair in self._seating.chairs]
        self._herald.save(
            MatchBegun(
                room=name_key(self._room),
                room_name=self._room,
                header=header,
                players=tuple(None if player is None else player.id for player in players),
                secret=shuffle.kept,
                is_closed=self.is_closed,
            )
        )
        for player in players:
            if player is not None:
                player.has_played = True
        self.matches += 1
        self._watch.go(now)
        return self._make_match(header, shuffle)

    def _make_match(self, header: MatchLine, shuffle: Shuffle) -> RunningMatch:
        return RunningMatch(
            header,
            self._options,
            self._seating.chairs,
            self._herald,
            Chronicle(header, shuffle, self._herald, is_closed=self.is_closed),
            shuffle=shuffle,
            chance=self._sources.chance,
            next_turn=self._next_turn,
            show=self._show,
        )

    def _show(self, hands: Sequence[m.HandShown]) -> None:
        """Who sat in the match, wherever that is now, sees none before it is over (§6.8)."""
        self._herald.tell_watchers(hands, but=() if self.is_match_over else self.sat)

    def _next_turn(self) -> int:
        self.turn += 1
        return self.turn

    def end(self) -> None:
        """The match that is over is the last one now."""
        assert self._running is not None
        self._last = self._running.match
        self._put_away(self._running)
        self.is_paused = False

    def break_off(self, reason: str) -> None:
        """End what is played, if anything is, before its end."""
        if self._running is not None:
            self._running.break_off(reason)
            self._put_away(self._running)

    def drop(self) -> None:
        """Let go of all without another word."""
        self._running = self._drawing = None

    def _put_away(self, running: RunningMatch) -> None:
        self._actions += running.actions
        self._note(Milestone.MATCH_ENDED, running)
        self._running = self._gathers_until = None

    def _note(self, milestone: Milestone, running: RunningMatch) -> None:
        seats = tuple(chair.name for chair in self._seating.chairs)
        self._herald.note(Note(milestone, self._room, running.id, seats))

    # --- time -----------------------------------------------------------------------------------------------------

    def deadline(self) -> float | None:
        """When `tick` is to be called next; None: not before something happens."""
        return soonest(
            self._gathers_until,
            None if self._running is None else self._watch.when(self._running.deadline()),
            None if self._drawing is None or self._is_draining else self._drawing.deadline(),
        )

    def tick(self, now: float) -> None:
        """Do one thing that is due, if there is one."""
        if self._drawing is not None:
            self._drawing.tick(now)
        elif self._running is not None and not self._watch.is_stopped:
            self._running.tick(self._watch.read(now))

    def catch_up(self, now: float) -> None:
        """Do what was due before something that comes from outside."""
        if self._drawing is not None and self._drawing.deadline() <= now:
            self._drawing.tick(now)
        elif self._running is not None and not self._watch.is_stopped:
            self._running.catch_up(self._watch.read(now))

    def keep_time(self, now: float) -> None:
        """Time passes at the table while somebody is here, no pause is on, and nobody is awaited after a restart."""
        if self._running is None:
            return
        is_gathered = self._gathers_until is not None and (
            now >= self._gathers_until or not self._seating.is_anyone_awaited
        )
        if is_gathered:
            self._gathers_until = None
        if self.is_paused or self._gathers_until is not None or self._seating.is_deserted:
            self._watch.stop(now)
            return
        self._watch.go(now)
        if is_gathered:
            self.tell_again(now)

    def pause(self, now: float) -> None:
        self.is_paused = True
        self._watch.stop(now)

    def resume(self, now: float) -> None:
        """The end of a pause; `tell_again` is next."""
        self.is_paused = False
        self.keep_time(now)

    def tell_again(self, now: float) -> None:
        """Say what is open, after a pause."""
        if self._running is not None:
            self._running.tell_again(self._watch.read(now))

    def drain(self) -> None:
        """Begin no match and no hand any more; a shuffle that is drawn meanwhile is drawn for nothing."""
        self._is_draining = True
        if self._running is not None:
            self._running.stop_dealing()

    # --- what seats do --------------------------------------------------------------------------------------------

    def awaits(self, seat: Seat, command: m.Command) -> bool:
        """Whether it is the answer to a question that is open to the seat, its part in a shuffle, or its `next`."""
        running = self._running
        match command:
            case m.Decide():
                return running is not None and running.is_open_to(seat, command.turn)
            case m.NextHand():
                return running is not None and running.rests_for(seat, command.hand)
            case m.CommitNonce() | m.RevealNonce():
                return self._drawing is not None and self._drawing.awaits(seat, command)
        return False

    def decide(self, seat: Seat, player: Player, command: m.Decide, now: float) -> None:
        """Raises Refusing."""
        self._match_going().decide(seat, player, command, self._watch.read(now))

    def call_kuku(self, seat: Seat, player: Player, command: m.CallKuku, now: float) -> None:
        """Raises Refusing."""
        self._match_going().call_kuku(seat, player, command, self._watch.read(now))

    def say_next(self, seat: Seat, player: Player, command: m.NextHand, now: float) -> None:
        """Raises Refusing."""
        self._match_going().say_next(seat, player, command, self._watch.read(now))

    def take_nonce(self, seat: Seat, player: Player, command: m.CommitNonce | m.RevealNonce, now: float) -> None:
        """Raises Refusing."""
        if self._drawing is None:
            raise Refusing(m.RefusalCode.NOT_SHUFFLING)
        self._drawing.take(seat, player, command, now)

    def _match_going(self) -> RunningMatch:
        if self._running is None:
            raise Refusing(m.RefusalCode.NOT_PLAYING)
        if self.is_paused:
            raise Refusing(m.RefusalCode.PAUSED)
        return self._running

    # --- who decides for a seat -------------------------------------------------------------------------------------

    def changed(self, seat: Seat, now: float) -> None:
        """Its player was lost, or a computer came."""
        if self._running is not None:
            self._running.changed(seat, self._watch.read(now))

    def left(self, seat: Seat, now: float) -> None:
        """Its player has gone for good."""
        self.changed(seat, now)
        if self._drawing is not None:
            self._drawing.leave(seat, now)

    def came_back(self, seat: Seat, now: float) -> None:
        if self._running is not None:
            self._running.came_back(seat, self._watch.read(now), is_paused=self.is_paused)

    # --- over a restart -------------------------------------------------------------------------------------------

    def restore(self, saved: RoomSaved, now: float, gather: float) -> bool:
        """Go on where it was, for which a match waits up to `gather` seconds; False: it cannot go on, and is ended.

        Raises IllegalAction for a match that the rules do not allow.
        """
        self.matches, self.turn = saved.state.matches, saved.turn
        self.is_closed, self.sat = saved.state.is_closed, saved.state.sat
        self._watch.stop(now)
        if saved.match is not None and not self._restore_match(saved.match, now, saved.state.next_said):
            return False
        if self._running is not None:
            self.is_paused = saved.state.is_paused
            self._gathers_until = now + gather
        return True

    def _restore_match(self, saved: MatchSaved, now: float, said: NextSaid) -> bool:
        header = saved.header
        shuffle = self._sources.kept_shuffle(header, saved.secret)
        if header.rules_version != RULES_VERSION:
            if not saved.is_over:
                end_unjudged(saved, shuffle, self._herald, is_closed=self.is_closed)
            return saved.is_over
        running = self._make_match(header, shuffle)
        running.resume(saved.steps, self._watch.read(now), self.turn, said)
        if running.is_over:
            self._last = running.match
        else:
            self._running = running
        return True


def _match_line(shuffle: Shuffle, options: m.Options, chairs: Sequence[Chair], dealer: Seat | None) -> MatchLine:
    """`dealer`: who deals first; None: that is drawn, too."""
    return MatchLine(
        id=shuffle.match_id,
        rules=to_ruleset(options),
        seats=tuple(SeatLabel(chair.name, chair.computer_level if chair.player is None else None) for chair in chairs),
        first_dealer=shuffle.first_dealer(len(chairs)) if dealer is None else dealer,
        shuffle=shuffle.told(),
        is_rematch=dealer is not None,
    )
