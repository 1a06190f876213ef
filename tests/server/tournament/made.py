"""Tournaments as they are kept, made up: by hand with defaults, and at random."""

from collections.abc import Sequence
from random import Random
from typing import Final

from hypothesis import strategies as st
from msgspec.structs import replace

from kille_net.server.tournament.saved import Entry, Number, RoundSaved, Seated, TableSaved, TournamentSaved
from kille_net.server.tournament.saved import TournamentState as State
from kille_net.server.tournament.scoring import places
from kille_net.wire.messages import EntryStatus, Plan, TableStatus, TournamentKind, TournamentStage
from kille_net.wire.options import DEFAULT_PLAN
from tests.server.house import options

__all__ = ["entries", "plan", "played", "random_tournament", "tournament", "tournaments"]


def plan(kind: TournamentKind = TournamentKind.SWISS, *, seats: int = 4, duplicate: bool = False) -> Plan:
    table = options(seats)
    changes = {"kind": kind, "options": table, "through": 1, "late": 0, "pause": 0, "at_once": 32}
    return replace(DEFAULT_PLAN, duplicate=duplicate, **changes)


def entries(number: int, *, computers: int = 0) -> tuple[Entry, ...]:
    """Persons, and computers behind them."""
    return tuple(
        Entry(
            number=one,
            name=f"P{one}",
            player=None if one > number - computers else 100 + one,
            level="easy" if one > number - computers else "",
            status=EntryStatus.PLAYING,
        )
        for one in range(1, number + 1)
    )


def played(
    round_: int, number: int, seats: Sequence[Number], order: Sequence[int], missing: frozenset[int] = frozenset()
) -> TableSaved:
    """A table whose match placed its seats so."""
    return TableSaved(
        round=round_,
        number=number,
        seats=tuple(seats),
        status=TableStatus.PLAYED,
        room=f"Torsdag {round_}:{number}",
        match=f"{round_:016x}{number:016x}",
        results=places(order, [10 * (len(order) - place) for place in order], missing),
    )


def tournament(
    tables: Sequence[TableSaved],
    *,
    kind: TournamentKind = TournamentKind.SWISS,
    entrants: int = 4,
    byes: Sequence[tuple[Number, ...]] = (),
    duplicate: bool = False,
    open_rounds: frozenset[int] = frozenset(),
) -> TournamentSaved:
    """`byes`: by round; all rounds but the open ones are over."""
    rounds = range(1, max([len(byes), *(table.round for table in tables)]) + 1)
    return TournamentSaved(
        id=7,
        state=State(
            name="Torsdag",
            plan=plan(kind, duplicate=duplicate),
            maker=None,
            stage=TournamentStage.PLAYING if open_rounds else TournamentStage.OVER,
            entries=entries(entrants),
            began=1_700_000_000.0,
        ),
        rounds=tuple(
            RoundSaved(
                number=one,
                byes=byes[one - 1] if one <= len(byes) else (),
                seed="5eed" * 16 if duplicate else "",
                is_over=one not in open_rounds,
            )
            for one in rounds
        ),
        tables=tuple(tables),
    )


_ENDS: Final = (*(TableStatus.PLAYED,) * 8, TableStatus.WALKOVER, TableStatus.VOID)
_OPEN: Final = 0.3
"""How often a table of the last round is not over."""
_MISSING: Final = 0.1


def random_tournament(
    random: Random, kind: TournamentKind = TournamentKind.SWISS, *, duplicate: bool = False
) -> TournamentSaved:
    """Who meets whom is drawn; of duplicates all tables are full and played. The last round may be open."""
    seats = random.randint(2, 8)
    entrants = random.randint(seats, 24)
    if duplicate:
        entrants -= entrants % seats
    rounds = random.randint(1, 5)
    tables: list[TableSaved] = []
    byes: list[tuple[Number, ...]] = []
    for round_ in range(1, rounds + 1):
        who = random.sample(range(1, entrants + 1), entrants)
        last = entrants - entrants % seats
        byes.append(tuple(who[last:]))
        for number, start in enumerate(range(0, last, seats), start=1):
            seated = who[start : start + seats]
            status = TableStatus.PLAYED if duplicate else random.choice(_ENDS)
            if round_ == rounds and random.random() < _OPEN:
                status = TableStatus.CALLED
            tables.append(_random_table(random, status, round_, number, seated))
    is_open = any(table.status is TableStatus.CALLED for table in tables)
    return tournament(
        tables,
        kind=kind,
        entrants=entrants,
        byes=byes,
        duplicate=duplicate,
        open_rounds=frozenset({rounds}) if is_open else frozenset(),
    )


def _random_table(random: Random, status: TableStatus, round_: int, number: int, seats: Sequence[Number]) -> TableSaved:
    if status is TableStatus.PLAYED:
        missing = frozenset(seat for seat in range(len(seats)) if random.random() < _MISSING)
        points = [random.randint(0, 5) for _ in seats]
        first = random.randrange(len(seats))
        better = [sum(other > own for seat, other in enumerate(points) if seat != first) for own in points]
        order = [1 if seat == first else 2 + better[seat] for seat in range(len(seats))]
        return played(round_, number, seats, order, missing if len(missing) < len(seats) else frozenset())
    here = {random.randrange(len(seats))} if status is TableStatus.WALKOVER else set()
    results = (
        ()
        if status is TableStatus.CALLED
        else tuple(
            Seated(place=0 if not here else 1 if seat in here else 2, is_missing=seat not in here)
            for seat in range(len(seats))
        )
    )
    return TableSaved(round=round_, number=number, seats=tuple(seats), status=status, results=results)


@st.composite
def tournaments(draw: st.DrawFn, *, duplicate: bool = False, kind: TournamentKind | None = None) -> TournamentSaved:
    random = draw(st.randoms(use_true_random=False))
    chosen = kind if kind is not None else draw(st.sampled_from(TournamentKind))
    return random_tournament(random, chosen, duplicate=duplicate)
