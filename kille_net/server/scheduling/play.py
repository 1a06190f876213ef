"""The rounds of one tournament while they are played: paired, called, and what comes of their tables.

Owns which tables are wanted now, what follows from each, and when a round is over. Is told who takes part, and asks for
what takes long to be worked out beside (`Think`). Refuses to know a clock but as it is handed, and how it all began.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from typing import Any, Final, TypeAlias

from msgspec.structs import replace

from kille_net.server.called import Called, Outcome
from kille_net.server.effects import Effect, Milestone, Save
from kille_net.server.pairing.tables import FEWEST, Round
from kille_net.server.saving import MatchesOpened
from kille_net.server.scheduling.book import Book, verdict
from kille_net.server.scheduling.entrants import Entrant, Entrants
from kille_net.server.scheduling.ladder import Ladder
from kille_net.server.scheduling.news import Crier
from kille_net.server.scheduling.rounds import Field, all_rounds, goes_on, next_pairing, rounds_of, still_in
from kille_net.server.tournament.saved import Number, RoundSaved, Seated, TableSaved
from kille_net.server.tournament.scoring import OVER
from kille_net.server.tournament.standings import Tally
from kille_net.wire.messages import EntryStatus, Happening, Plan, TableStatus, TournamentKind

__all__ = ["Call", "Clear", "Order", "Rounds", "Think"]

_FEWEST_TO_COMPARE: Final = 2
"""Tables of a round of duplicates."""


@dataclass(frozen=True, slots=True)
class Call:
    """A table is to be held."""

    table: TableSaved
    called: tuple[Called, ...]
    """By seat."""
    seed: str
    """What its packs come from; empty: each match has its own."""


@dataclass(frozen=True, slots=True)
class Clear:
    """The table of that room is to be given up."""

    room: str


@dataclass(frozen=True, slots=True)
class Think:
    """Something is to be worked out where it stops nobody; what comes of it goes to `Rounds.thought`."""

    work: Callable[[], Any] = field(repr=False)


Order: TypeAlias = Effect | Call | Clear | Think


class Rounds:
    def __init__(
        self,
        book: Book,
        plan: Plan,
        entrants: Entrants,
        crier: Crier,
        *,
        ask: Callable[[Order], None],
        draw_seed: Callable[[], str],
    ) -> None:
        """`ask` takes what is to be done, in order; `draw_seed`: for a round of duplicates."""
        self.book: Final = book
        self._plan = plan
        self._entrants = entrants
        self._crier = crier
        self._ask = ask
        self._draw_seed = draw_seed
        self._ladder = Ladder(plan) if plan.kind is TournamentKind.LADDER else None
        self._is_thinking = False
        self._wants_tables = False

    # --- where they stand -------------------------------------------------------------------------------------------

    def how_many(self, entrants: int) -> int:
        """There will be, with so many; 0: that is not known."""
        if self._plan.kind is TournamentKind.ROUND_ROBIN and self.book.planned:
            return len(self.book.planned)
        return rounds_of(self._plan, entrants)

    @property
    def tally(self) -> Tally | None:
        """On a ladder: what all its tables come to."""
        return None if self._ladder is None else self._ladder.tally

    @property
    def is_played(self) -> bool:
        """Whether all tables of the last round are over, and what follows from that is still to come."""
        return not (self._is_thinking or self.book.unfinished or self.book.is_round_over)

    def goes_on(self, scores: Mapping[Number, int], rounds: int) -> bool:
        """Whether there is another one; `rounds`: how many there are to be."""
        return self._entrants.has_players and goes_on(self._field(scores), rounds)

    def _field(self, scores: Mapping[Number, int]) -> Field:
        return Field(
            self._plan,
            tuple(one.number for one in self._entrants.playing),
            scores,
            tuple(self.book.rounds),
            self.book.tables,
            self.book.planned,
        )

    # --- pairing ----------------------------------------------------------------------------------------------------

    def plan_all(self) -> None:
        """Lay out all rounds of a round robin."""
        self._think(partial(all_rounds, self._plan, [one.number for one in self._entrants.playing]))

    def pair(self, scores: Mapping[Number, int], now: float) -> None:
        """Have the next round paired, which there must be."""
        self.fill_up(now)
        self._think(next_pairing(self._field(scores)))

    def _think(self, work: Callable[[], Any]) -> None:
        self._is_thinking = True
        self._ask(Think(work))

    def thought(self, result: Any, now: float) -> bool:  # noqa: ANN401 -- whatever was to be worked out
        """What was to be worked out; whether a round begins by it."""
        self._is_thinking = False
        if isinstance(result, Round):
            self._open(result, now)
            return True
        self.book.planned = result
        return False

    def fill_up(self, now: float) -> None:
        """Let there be as many computers as tables of duplicates need to be full, and two tables, to compare."""
        if not self._plan.duplicate:
            return
        seats = self._plan.options.seats
        own = [one for one in self._entrants.playing if not one.is_computer]
        spare = [one for one in self._entrants if one.is_computer]
        planned = {one for round_ in self.book.planned for table in round_ for one in table}
        tables = -(-max(len(own) + self._plan.options.computers, len(planned)) // seats)
        number = max(_FEWEST_TO_COMPARE, tables) * seats - len(own)
        while len(spare) < number:
            spare.append(self._entrants.add_computer(self._plan.options.level, EntryStatus.PLAYING, now))
        for at, one in enumerate(spare):
            one.status = EntryStatus.PLAYING if at < number else EntryStatus.OUT

    def pair_free(self, now: float) -> bool:
        """On a ladder: pair whoever is free; whether no two are left who may still play."""
        if self._ladder is None:
            return False
        for table in self._ladder.tables(self._idle, now):
            self._open(Round((table,)), now)
        if not self._plan.rounds or not self.book.rounds or self.book.unfinished:
            return False
        return sum(not self._ladder.has_done(one) for one in self._entrants.playing) < FEWEST

    @property
    def _idle(self) -> list[Entrant]:
        seated = self.book.seated
        return [one for one in self._entrants.playing if one.number not in seated]

    @property
    def may_pair(self) -> bool:
        """On a ladder: whether time alone may bring a table about."""
        return self._ladder is not None and self._ladder.may_pair(self._idle)

    def has_met(self, one: Entrant) -> bool:
        """Whether anything is known of it that has to be remembered, or is about to be."""
        if self._ladder is not None:
            return self._ladder.has_played(one) or one.number in self.book.seated
        return self._is_thinking or self.book.knows(one.number)

    def _open(self, paired: Round, now: float) -> None:
        byes = tuple(int(one) for one in paired.byes)
        if self._plan.kind is TournamentKind.SWISS:  # who has come meanwhile sits out, too
            known = {*byes, *(int(one) for table in paired.tables for one in table)}
            byes += tuple(one.number for one in self._entrants.playing if one.number not in known)
        seed = self._draw_seed() if self._plan.duplicate else ""
        round_ = self.book.open_round([tuple(int(one) for one in table) for table in paired.tables], byes, seed)
        if self._ladder is None:
            self._crier.note(Milestone.ROUND_BEGAN, round=round_.number)
            digest = sha256(seed.encode()).hexdigest() if seed else ""
            self._crier.tell(Happening.ROUND, round=round_.number, s=self._plan.call, text=digest)
        for one in byes:
            self._crier.tell_one(self._entrants[one], Happening.BYE, round=round_.number)
        for table in self.book.waiting:
            if len(table.seats) == 1:
                self._settle_alone(table, now)
        self.want_tables()

    # --- tables -----------------------------------------------------------------------------------------------------

    def want_tables(self) -> None:
        self._wants_tables = True

    def calls(self) -> list[Call]:
        """As many tables as may be held at once, if any were wanted since this was last asked."""
        if not self._wants_tables:
            return []
        self._wants_tables = False
        waiting = self.book.waiting
        free = self._plan.at_once - (len(self.book.unfinished) - len(waiting))
        return [
            Call(
                table,
                tuple(self._entrants[one].called(self._plan.options.level) for one in table.seats),
                self.book.rounds[table.round - 1].seed,
            )
            for table in waiting[: max(0, free)]
        ]

    def called(self, table: TableSaved, room: str) -> None:
        """The table is held in that room, and its players are told before they are there."""
        table = replace(table, status=TableStatus.CALLED, room=room)
        self.book.put(table)
        for one in table.seats:
            self._crier.tell_one(
                self._entrants[one],
                Happening.CALLED,
                round=table.round,
                table=table.number,
                room=room,
                s=self._plan.call,
                seats=self._names(table),
            )

    def _settle_alone(self, table: TableSaved, now: float) -> None:
        """A table of one, from which all others have dropped out: it has won if it is there."""
        one = self._entrants[table.seats[0]]
        if one.is_here and one.takes_part:
            self._settle(table, TableStatus.WALKOVER, (Seated(place=1),), "", now)
        else:
            self._settle(table, TableStatus.VOID, (Seated(place=0, is_missing=True),), "", now)

    def table_over(self, round_: int, number: int, outcome: Outcome, now: float) -> None:
        table = self.book.find(round_, number)
        if table.status not in OVER:
            self._settle(table, *verdict(outcome), outcome.match, now)
            self.want_tables()

    def _settle(
        self, table: TableSaved, status: TableStatus, results: tuple[Seated, ...], match: str, now: float
    ) -> None:
        table = replace(table, status=status, results=results, match=match, room="")
        self.book.put(table)
        if self._ladder is not None:
            self._ladder.note(table)
            self.book.end_round(table.round)
        about = {"round": table.round, "table": table.number, "match": match, "seats": self._names(table)}
        self._crier.note(Milestone.TABLE_VOID if status is TableStatus.VOID else Milestone.TABLE_OVER, **about)
        told = () if self._plan.duplicate else tuple(seated.place for seated in results)
        first = [one for one, place in zip(table.seats, told, strict=False) if place == 1]
        self._crier.tell(
            Happening.TABLE_OVER,
            who=self._entrants[first[0]].name if len(first) == 1 else "",
            round=table.round,
            table=table.number,
            seats=self._names(table),
            places=told,
        )
        for one, seated in zip(table.seats, results, strict=True):
            entrant = self._entrants[one]
            entrant.free_since = now
            if not entrant.is_computer and entrant.was_at(is_missing=seated.is_missing):
                self._crier.drop_out(entrant)

    def _names(self, table: TableSaved) -> tuple[str, ...]:
        return tuple(self._entrants[one].name for one in table.seats)

    def clear(self) -> None:
        """Give up all tables that are not over: the tournament is."""
        for table in self.book.unfinished:
            if table.room:
                self._ask(Clear(table.room))
            self.book.put(replace(table, status=TableStatus.VOID, room=""))
            if self._ladder is not None:
                self.book.end_round(table.round)
        if self.book.rounds and not self.book.is_round_over:
            self.end()

    # --- the end of a round -----------------------------------------------------------------------------------------

    def end(self) -> RoundSaved:
        """The last round is over; what was closed of it is open."""
        if self._plan.duplicate:
            tables = self.book.tables_of(self.book.round)
            self._ask(Save(MatchesOpened(tuple(bytes.fromhex(table.match) for table in tables if table.match))))
        return self.book.end_round(self.book.round)

    def knock_out(self) -> None:
        """Whoever does not go on after the last round is out."""
        tables = self.book.tables_of(self.book.round)
        were = {one for table in tables for one in table.seats}.union(self.book.byes_of(self.book.round))
        on = still_in(self._field({}), sorted(were), [self._best_first(table) for table in tables])
        for one in self._entrants.playing:
            if one.number not in on:
                one.status = EntryStatus.KNOCKED_OUT

    def _best_first(self, table: TableSaved) -> list[Number]:
        """Who still takes part; who share a place go on by their seeds."""
        order = sorted(zip(table.seats, table.results, strict=True), key=lambda one: (one[1].place, one[0]))
        return [one for one, _ in order if self._entrants[one].takes_part]

    # --- over a restart ---------------------------------------------------------------------------------------------

    def restore(self, held: Collection[tuple[int, int]]) -> None:
        """Go on from the book; a table is called again that is not among these, by round and number."""
        for table in self.book.tables:
            if self._ladder is not None and table.status in OVER:
                self._ladder.note(table)
        for table in self.book.unfinished:
            if table.room and (table.round, table.number) not in held:
                self.book.put(replace(table, status=TableStatus.WAITING, room=""))
        self.want_tables()
