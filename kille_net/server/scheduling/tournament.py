"""One tournament: sync, handed the time, knows no stream and no room.

Owns its stages, who meets whom when, and what follows from what comes of a table; every wait in it has an end and what
happens then. Refuses to know clocks, dice and how a table is held: it asks for one (`Call`), and is told.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from kille_net.server.called import Outcome
from kille_net.server.effects import Milestone, Refusing, Save
from kille_net.server.pairing.tables import FEWEST
from kille_net.server.people import Player
from kille_net.server.saving import TournamentKept
from kille_net.server.scheduling.book import Book
from kille_net.server.scheduling.entrants import Entrant, Entrants
from kille_net.server.scheduling.news import Crier
from kille_net.server.scheduling.play import Order, Rounds
from kille_net.server.tournament.saved import Number, TableSaved, TournamentSaved, TournamentState
from kille_net.server.tournament.standings import Standing, standings
from kille_net.wire.messages import (
    EntryStatus,
    Happening,
    Occupant,
    Plan,
    RefusalCode,
    TournamentKind,
    TournamentStage,
)

__all__ = ["MOST_ENTRANTS", "RUNNING", "Tournament"]

TOO_FEW: Final = "too few take part"
"""Why one is cancelled."""
NOT_BEGUN: Final = "nobody began it"
BY_MAKER: Final = "called off by its maker"
BY_OPERATOR: Final = "called off by whoever runs the server"
FAILED: Final = "the tournament failed"
MOST_ENTRANTS: Final = 64
_MOST_KNOWN: Final = 1000
"""Who takes part or has, and left something behind."""
_MOST_OPEN: Final = 7 * 86_400.0
"""Seconds in which one must begin that has no time to, and in which something must happen on a ladder."""
_AGAIN: Final = 1.0
"""Seconds until a place for a table is looked for again, and whether somebody on a ladder is free."""
RUNNING: Final = frozenset(TournamentStage) - {TournamentStage.OVER, TournamentStage.CANCELLED}
_SIGNING: Final = frozenset({TournamentStage.OPEN, TournamentStage.CHECK_IN})


class Tournament:
    """Every method takes the time, and `take` gives what is to be done of all that came of it."""

    def __init__(
        self,
        number: int,
        name: str,
        plan: Plan,
        maker: Player | None,
        *,
        epoch: Callable[[], float],
        draw_seed: Callable[[], str],
    ) -> None:
        """`epoch`: the seconds since 1970; `draw_seed`: for a round of duplicates."""
        self.id: Final = number
        self.name: Final = name
        self.plan: Final = plan
        self.maker = maker
        self.stage = TournamentStage.OPEN
        self.entrants: Final = Entrants()
        self._orders: list[Order] = []
        self.crier: Final = Crier(name, self.entrants, self._ask)
        self._epoch = epoch
        self._starts: float | None = None  # since 1970
        self._due: float | None = None
        """When the stage ends by itself."""
        self._retry: float | None = None
        """When to look again for a place for a table, or for who is free."""
        self.book: Final = Book(number)
        self._play = Rounds(self.book, plan, self.entrants, self.crier, ask=self._ask, draw_seed=draw_seed)
        self.why = ""
        """Why it was cancelled."""
        self.is_held = False
        """Whether it does not begin now, whoever signs up or checks in."""
        self._began: float | None = None
        self._ended: float | None = None
        self._has_changed = False
        self._standings: tuple[Standing, ...] | None = None
        """As they were worked out last; None: something has changed since."""

    # --- what others ask of it --------------------------------------------------------------------------------------

    @property
    def is_running(self) -> bool:
        return self.stage in RUNNING

    @property
    def rounds(self) -> int:
        """How many there will be; 0: that is not known."""
        return self._play.how_many(self._size) if self._began is not None else self.plan.rounds

    @property
    def size(self) -> int:
        """How many take part; once it is over, how many have."""
        return len(self.entrants.taking_part) if self.is_running else sum(1 for _ in self.entrants)

    def is_closed(self, round_: int) -> bool:
        """Whether nothing of how its tables went may be told yet (rule C10)."""
        return self.plan.duplicate and round_ == self.book.round and not self.book.is_round_over

    def starts_in(self) -> float | None:
        """Seconds until it begins, never more than were planned, wherever a clock was set to; None: that hangs on no
        time."""
        if self._starts is None or self.stage not in _SIGNING:
            return None
        return min(max(0.0, self._starts - self._epoch()), float(self.plan.start))

    def keeps(self, player: Player) -> bool:
        """Whether the player takes part, and so is not to be forgotten."""
        entrant = self.entrants.of(player)
        return self.is_running and entrant is not None and entrant.takes_part

    def saved(self) -> TournamentSaved:
        return TournamentSaved(id=self.id, state=self._state(), rounds=tuple(self.book.rounds), tables=self.book.tables)

    def standings(self) -> tuple[Standing, ...]:
        if self._standings is None:
            self._standings = standings(self.saved(), self._play.tally)
        return self._standings

    def take(self) -> list[Order]:
        """What is to be done, in order, since this was last asked; first what is to be kept."""
        kept: list[Order] = [Save(change) for change in self.book.take()]
        if kept or self._has_changed:
            self._standings = None
        if self._has_changed:
            self._has_changed = False
            kept.insert(0, Save(TournamentKept(self.id, self._state())))
        orders, self._orders = self._orders, []
        if self.stage is TournamentStage.PLAYING:
            orders += self._play.calls()
        return kept + orders

    def _ask(self, order: Order) -> None:
        self._orders.append(order)

    # --- signing up -------------------------------------------------------------------------------------------------

    def open(self, now: float) -> None:
        """From now on one may sign up."""
        self._has_changed = True
        self.crier.note(Milestone.TOURNAMENT_OPENED)
        for _ in range(self.plan.options.computers):
            self.entrants.add_computer(self.plan.options.level, EntryStatus.SIGNED_UP, now)
        if self.plan.kind is TournamentKind.LADDER:
            self._begin(now)
            return
        if self.plan.start:
            self._starts = self._epoch() + self.plan.start
        self._wait_for_start(now)
        self._settle(now)

    def _wait_for_start(self, now: float) -> None:
        left = self.starts_in()
        self._due = now + (_MOST_OPEN if left is None else max(0.0, left - self.plan.check_in))

    def sign_up(self, player: Player, now: float) -> None:
        """Raises Refusing."""
        self._check_open()
        if self.plan.duplicate and not player.is_bot:
            raise Refusing(RefusalCode.ONLY_BOTS)
        is_new = self.entrants.of(player) is None
        if self._is_full or (is_new and self.entrants.known >= _MOST_KNOWN):
            raise Refusing(RefusalCode.TOURNAMENT_FULL)
        is_late = self.stage not in _SIGNING
        entrant = self.entrants.add(player, EntryStatus.PLAYING if is_late else EntryStatus.SIGNED_UP, now)
        self._has_changed = True
        self.crier.tell(Happening.SIGNED_UP, who=entrant.name)
        self._wait_for_players(now)
        self._settle(now)

    @property
    def _is_full(self) -> bool:
        """Also where full tables of duplicates would need more computers than may take part."""
        here, most = self.entrants.taking_part, self.plan.most
        if not self.plan.duplicate:
            return len(here) >= most
        seats = self.plan.options.seats
        own = sum(not one.is_computer for one in here)
        return own + self.plan.options.computers >= min(most, MOST_ENTRANTS // seats * seats)

    def _check_open(self) -> None:
        kind = self.plan.kind
        if not self.is_running:
            raise Refusing(RefusalCode.TOO_LATE)
        if self.stage in _SIGNING or kind is TournamentKind.LADDER:
            return
        if kind is not TournamentKind.SWISS or self.book.round + 1 > self.plan.late:
            raise Refusing(RefusalCode.TOO_LATE)

    def withdraw(self, player: Player, now: float) -> None:
        """The player takes part no more; its table, if it has one, goes on without it. Raises Refusing."""
        entrant = self.entrants.of(player)
        if not self.is_running or entrant is None or not entrant.takes_part:
            raise Refusing(RefusalCode.NOT_ENTERED)
        self._has_changed = True
        self.crier.tell(Happening.WITHDREW, who=entrant.name)
        if self.stage in _SIGNING or not self._play.has_met(entrant):
            self.entrants.remove(entrant)
        else:
            entrant.status = EntryStatus.OUT
        self._settle(now)

    def check_in(self, player: Player, now: float) -> None:
        """The player is there, and wants to play. Raises Refusing."""
        entrant = self.entrants.of(player)
        if entrant is None or not entrant.takes_part:
            raise Refusing(RefusalCode.NOT_ENTERED)
        if self.stage is TournamentStage.OPEN:
            raise Refusing(RefusalCode.TOO_EARLY)
        if self.stage is TournamentStage.CHECK_IN:
            entrant.status = EntryStatus.CHECKED_IN
            self._has_changed = True
            self._settle(now)

    # --- its beginning and its end ------------------------------------------------------------------------------------

    def begin(self, now: float) -> None:
        """Its maker, or whoever runs the server, lets it begin. Raises Refusing."""
        if self.stage not in _SIGNING:
            raise Refusing(RefusalCode.TOO_LATE)
        if self.stage is TournamentStage.OPEN:
            self._approach(now)
        else:
            self._begin(now)

    def came_back(self, now: float) -> None:
        """One who takes part is connected again."""
        self._settle(now)

    def _approach(self, now: float, *, is_timed: bool = False) -> None:
        """The start comes: first those are asked who have to say that they are there; a time that was set is kept."""
        if not self.plan.check_in or (all(map(_is_in, self.entrants)) and not is_timed):
            self._begin(now)
            return
        self.stage = TournamentStage.CHECK_IN
        self._has_changed = True
        self._due = now + self.plan.check_in  # whole also where the server was down at the start
        self.crier.tell(Happening.CHECK_IN, s=self.plan.check_in)

    def _begin(self, now: float) -> None:
        for one in self.entrants.taking_part:
            if not self.plan.check_in or _is_in(one):
                one.status = EntryStatus.PLAYING
            else:
                self.crier.drop_out(one)
        self.stage, self._due = TournamentStage.PLAYING, None
        self._began = self._epoch()
        self._has_changed = True
        if self.plan.kind is TournamentKind.LADDER:
            self._wait_for_players(now)
            self._settle(now)
        elif len(self.entrants.playing) < FEWEST or not self.entrants.has_players:
            self._cancel(TOO_FEW)
        else:
            self._play.fill_up(now)
            self.crier.note(Milestone.TOURNAMENT_BEGAN)
            self.crier.tell(Happening.BEGAN)
            self._go_on(now)

    def cancel(self, why: str) -> None:
        """Its maker, or whoever runs the server, ends it. Raises Refusing."""
        if not self.is_running:
            raise Refusing(RefusalCode.TOO_LATE)
        if self.plan.kind is TournamentKind.LADDER and self.book.rounds:
            self._finish()
        else:
            self._cancel(why)

    def fail(self) -> None:
        """A bug of ours has met it."""
        self._cancel(FAILED)

    def _cancel(self, why: str) -> None:
        self.why = why
        self._close(TournamentStage.CANCELLED)
        self.crier.note(Milestone.TOURNAMENT_CANCELLED, why=why)
        self.crier.tell(Happening.CANCELLED, text=why)

    def _finish(self) -> None:
        self._close(TournamentStage.OVER)
        self._standings = None
        first = tuple(one.entry.name for one in self.standings() if one.rank == 1)
        self.crier.note(Milestone.TOURNAMENT_OVER, first=first)
        self.crier.tell(Happening.OVER, who=first[0] if len(first) == 1 else "", round=self.book.round)

    def _close(self, stage: TournamentStage) -> None:
        self.stage, self._due, self._retry = stage, None, None
        self._ended = self._epoch()
        self._has_changed = True
        self._play.clear()

    # --- time -------------------------------------------------------------------------------------------------------

    def deadline(self) -> float | None:
        """When `tick` is to be called next; None: not before something happens."""
        return min((time for time in (self._due, self._retry) if time is not None), default=None)

    def tick(self, now: float) -> None:
        """Do what is due."""
        if self._retry is not None and self._retry <= now:
            self._retry = None
            self._play.want_tables()
            self._settle(now)
        if self._due is None or now < self._due:
            return
        self._due = None
        match self.stage:
            case TournamentStage.OPEN if self._starts is None:
                self._cancel(NOT_BEGUN)
            case TournamentStage.OPEN:
                self._approach(now, is_timed=True)
            case TournamentStage.CHECK_IN:
                self._begin(now)
            case TournamentStage.BETWEEN:
                self._go_on(now)
            case TournamentStage.PLAYING if self.book.unfinished:
                self._wait_for_players(now)
            case TournamentStage.PLAYING if self.book.rounds:
                self._finish()
            case TournamentStage.PLAYING:
                self._cancel(TOO_FEW)

    # --- rounds -----------------------------------------------------------------------------------------------------

    @property
    def _size(self) -> int:
        """With how many it began."""
        return max(FEWEST, self.book.began_with or len(self.entrants.playing))

    def _scores(self) -> dict[Number, int]:
        self._standings = None
        return {one.entry.number: one.score for one in self.standings()}

    def _go_on(self, now: float) -> None:
        """Have the next round paired, or end."""
        self._has_changed = True
        if self.plan.kind is TournamentKind.ROUND_ROBIN and not self.book.planned:
            self._play.plan_all()
            return
        scores = self._scores()
        if not self._play.goes_on(scores, self.rounds):
            self._finish()
            return
        self.stage = TournamentStage.PLAYING
        self._play.pair(scores, now)

    def thought(self, result: Any, now: float) -> None:  # noqa: ANN401 -- whatever was to be worked out
        """What was to be worked out."""
        if self._play.thought(result, now):
            self._settle(now)
        else:
            self._go_on(now)

    def called(self, table: TableSaved, room: str) -> None:
        """The table is held in that room."""
        self._play.called(table, room)

    def table_over(self, round_: int, number: int, outcome: Outcome, now: float) -> None:
        """What came of a table."""
        self._has_changed = True
        self._play.table_over(round_, number, outcome, now)
        self._wait_for_players(now)
        self._settle(now)

    # --- what follows -----------------------------------------------------------------------------------------------

    def _settle(self, now: float) -> None:
        """What follows from anything that happened, by the stage."""
        match self.stage:
            case TournamentStage.OPEN | TournamentStage.CHECK_IN if self.is_held:
                pass
            case TournamentStage.OPEN if 0 < self.plan.number <= len(self.entrants.taking_part):
                self._approach(now)
            case TournamentStage.CHECK_IN if self._starts is None and all(map(_is_in, self.entrants)):
                self._begin(now)
            case TournamentStage.PLAYING if self.plan.kind is TournamentKind.LADDER:
                self._climb(now)
            case TournamentStage.PLAYING if self._play.is_played:
                self._end_round(now)
        if self.is_running and self.book.waiting:
            self._retry = now + _AGAIN

    def _climb(self, now: float) -> None:
        """On a ladder: whoever is free is paired, and looked for again while there are such."""
        if self._play.pair_free(now):
            self._finish()
        elif self._play.may_pair:
            self._retry = now + _AGAIN

    def _wait_for_players(self, now: float) -> None:
        """A ladder ends when nobody has played or come for so long."""
        if self.plan.kind is TournamentKind.LADDER and self.is_running:
            self._due = now + _MOST_OPEN

    def _end_round(self, now: float) -> None:
        self._has_changed = True
        round_ = self._play.end()
        if self.plan.kind is TournamentKind.KNOCK_OUT:
            self._play.knock_out()
        is_last = not self._play.goes_on(self._scores(), self.rounds)
        pause = 0 if is_last else self.plan.pause
        self.crier.tell(Happening.ROUND_OVER, round=round_.number, s=pause, text=round_.seed)
        if is_last:
            self._finish()
        else:
            self.stage, self._due = TournamentStage.BETWEEN, now + pause

    # --- over a restart ---------------------------------------------------------------------------------------------

    def _state(self) -> TournamentState:
        return TournamentState(
            name=self.name,
            plan=self.plan,
            maker=None if self.maker is None else self.maker.id,
            stage=self.stage,
            starts=self._starts,
            entries=tuple(one.saved() for one in self.entrants),
            planned=self.book.planned,
            why=self.why,
            began=self._began,
            ended=self._ended,
        )

    def restore(
        self, saved: TournamentSaved, players: Mapping[int, Player], held: Collection[tuple[int, int]], now: float
    ) -> None:
        """Go on where it was, every wait anew; the start is only put off as far as needed for a whole check-in.

        `held`: the tables that there are, by round and number.
        """
        state = saved.state
        self.stage, self._starts = state.stage, state.starts
        self.why, self._began, self._ended = state.why, state.began, state.ended
        for entry in state.entries:
            self.entrants.restore(Entrant.restored(entry, players, now))
        self.book.restore(saved.rounds, saved.tables, state.planned)
        self._play.restore(held)
        self._wait_for_players(now)
        if self._starts is not None and self.stage in _SIGNING:
            self._starts = max(self._starts, self._epoch() + self.plan.check_in)
        match self.stage:
            case TournamentStage.OPEN:
                self._wait_for_start(now)
            case TournamentStage.CHECK_IN:
                self._due = now + self.plan.check_in
            case TournamentStage.BETWEEN:
                self._due = now + self.plan.pause
            case TournamentStage.PLAYING if self.book.is_round_over and self.plan.kind is not TournamentKind.LADDER:
                self._go_on(now)  # it was being paired
        self._settle(now)


def _is_in(one: Entrant) -> bool:
    """Whether it counts as there without being asked (rule C8), or has said so."""
    is_asked = one.occupant is Occupant.PERSON
    return not one.takes_part or one.status is EntryStatus.CHECKED_IN or (one.is_here and not is_asked)
