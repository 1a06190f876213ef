"""How the entrants of a tournament stand, from its tables alone.

Owns what tables count so far, the order of each kind and the margins. Refuses to know who is here, and what comes next.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from types import MappingProxyType
from typing import Final, TypeAlias

from kille_net.intervals import half_width
from kille_net.server.pairing.tables import MOST_SEATS
from kille_net.server.rating import NEW, Rating, Result, Sitting, after
from kille_net.server.tournament.saved import Entry, Number, TableSaved, TournamentSaved
from kille_net.server.tournament.scoring import BYE, RESULT, adjusted, rounded, score
from kille_net.wire.messages import Occupant, StandingLine, TableStatus, TournamentKind

__all__ = ["Scored", "Standing", "Tally", "occupant", "rated", "scored", "standings", "to_line"]

_FEWEST_FOR_MARGIN: Final = 5
"""Tables."""
_HUNDREDTHS: Final = 100
"""In which ratings are told."""
_MOST_TOLD: Final = 2**31 - 1
"""What the wire can tell, which a ladder of months may pass."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How one entrant has done so far. Scores are in units of scoring.POINT."""

    rank: int
    """From 1; who are equal share one."""
    entry: Entry
    score: int
    """On a ladder hundredths of the rating, less the margin."""
    played: int
    """Tables that say who has won."""
    wins: int
    """Of them, those where nobody was placed before."""
    opponents: int
    """The sum of their scores, at each of these tables."""
    mean: float | None
    """Of the scores of a table; on a ladder the rating, in hundredths. None: no tables."""
    margin: float | None
    """Of the mean, either way, with a confidence of 95 %; on a ladder of the rating. None: few tables."""
    plain_margin: float | None
    """What the margin would be if duplicates were not compared; None: they are none, or too few."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A table that counts."""

    table: TableSaved
    scores: dict[Number, int]
    """Of duplicates, compared with the other tables of the round."""

    def place_of(self, number: Number) -> int:
        """0: it has none."""
        return self.table.results[self.table.seats.index(number)].place if self.table.results else 0


def scored(saved: TournamentSaved) -> tuple[Scored, ...]:
    """The tables that count so far, in the order in which they were called. Of duplicates, those of rounds that are
    over: until then nobody may conclude from one table how the others go.
    """
    plain = [(table, score(table)) for table in saved.tables]
    if not saved.state.plan.duplicate:
        return tuple(Scored(table, scores) for table, scores in plain if scores)
    over = {one.number for one in saved.rounds if one.is_over}
    of_round: dict[int, list[TableSaved]] = defaultdict(list)
    for table in saved.tables:
        of_round[table.round].append(table)
    told = {number: rounded(adjusted(of_round[number])) for number in of_round if number in over}
    return tuple(
        Scored(table, {number: told[table.round][number] for number in scores})
        for table, scores in plain
        if scores and table.round in over
    )


class Tally:
    """What the tables of a ladder come to, so that how all stand costs no more after many of them."""

    def __init__(self, tables: Iterable[TableSaved] = ()) -> None:
        self.ratings: dict[Number, Rating] = {}
        """Of all who have played a match."""
        self.played: Counter[Number] = Counter()
        """Tables that say who has won."""
        self.wins: Counter[Number] = Counter()
        self.met: dict[Number, Counter[Number]] = defaultdict(Counter)
        """How often each has met whom there."""
        for table in tables:
            self.note(table)

    def note(self, table: TableSaved) -> None:
        """It is over, the next one after those before."""
        own = {number: self.ratings[number] for number in table.seats if number in self.ratings}
        self.ratings.update(rated([table], own))
        if table.status not in RESULT:
            return
        for number, seated in zip(table.seats, table.results, strict=True):
            self.played[number] += 1
            self.wins[number] += seated.place == 1
            self.met[number].update(other for other in table.seats if other != number)


def standings(saved: TournamentSaved, tally: Tally | None = None) -> tuple[Standing, ...]:
    """Of all who have signed up, the best one first; of those who share a rank, who signed up first is first.

    `tally`: of a ladder, if it is known already.
    """
    counted: tuple[Scored, ...] = ()
    if saved.state.plan.kind is TournamentKind.LADDER:
        found = _climbed(saved.state.entries, Tally(one.table for one in scored(saved)) if tally is None else tally)
    else:
        counted = scored(saved)
        found = _unranked(saved, counted)
    order = _ORDER[saved.state.plan.kind](saved, counted)
    keyed = [(order(one), one.entry.number, one) for one in found]
    keyed.sort(key=lambda one: one[:2])
    ranks: dict[_Key, int] = {}
    for before, (key, *_) in enumerate(keyed):
        ranks.setdefault(key, 1 + before)
    return tuple(replace(one, rank=ranks[key]) for key, _, one in keyed)


def rated(tables: Iterable[TableSaved], before: Mapping[Number, Rating] = MappingProxyType({})) -> dict[Number, Rating]:
    """The ratings of a ladder after these tables, in this order: of all who have played. Who was missing is rated as
    placed; a walkover is no match, and is not rated.
    """
    found = {str(number): rating for number, rating in before.items()}
    for table in tables:
        if table.status is TableStatus.PLAYED and all(seated.place for seated in table.results):
            sittings = (
                Sitting(str(number), seated.place) for number, seated in zip(table.seats, table.results, strict=True)
            )
            found.update(after(Result("", tuple(sittings)), found))
    return {int(who): rating for who, rating in found.items()}


def _climbed(entries: Sequence[Entry], tally: Tally) -> list[Standing]:
    ratings = {entry.number: tally.ratings.get(entry.number, NEW) for entry in entries}
    totals = {number: round(_HUNDREDTHS * rating.low) for number, rating in ratings.items()}
    return [
        Standing(
            rank=1,
            entry=entry,
            score=totals[entry.number],
            played=tally.played[entry.number],
            wins=tally.wins[entry.number],
            opponents=sum(totals[other] * times for other, times in tally.met[entry.number].items()),
            mean=_HUNDREDTHS * ratings[entry.number].mu,
            margin=_HUNDREDTHS * (ratings[entry.number].mu - ratings[entry.number].low),
            plain_margin=None,
        )
        for entry in entries
    ]


def _unranked(saved: TournamentSaved, counted: Sequence[Scored]) -> list[Standing]:
    played: dict[Number, list[Scored]] = {entry.number: [] for entry in saved.state.entries}
    for one in counted:
        for number in one.scores:
            played[number].append(one)
    totals = Counter({number: sum(one.scores[number] for one in tables) for number, tables in played.items()})
    totals.update({number: BYE * times for number, times in _byes(saved).items()})
    found = []
    for entry in saved.state.entries:
        number = entry.number
        tables = [one for one in played[number] if one.table.status in RESULT]
        values = [one.scores[number] for one in tables]
        opponents = [other for one in tables for other in one.table.seats if other != number]
        standing = Standing(
            rank=1,
            entry=entry,
            score=totals[number],
            played=len(tables),
            wins=sum(one.place_of(number) == 1 for one in tables),
            opponents=sum(totals[other] for other in opponents),
            mean=fsum(values) / len(values) if values else None,
            margin=_margin(values),
            plain_margin=None,
        )
        if saved.state.plan.duplicate:
            standing = replace(standing, plain_margin=_margin([score(one.table)[number] for one in tables]))
        found.append(standing)
    return found


def _margin(values: Sequence[float]) -> float | None:
    """Of the mean; None: of so few values it would be wider than all that a table can give, or say what chance does."""
    return half_width(values) if len(values) >= _FEWEST_FOR_MARGIN else None


def _byes(saved: TournamentSaved) -> Counter[Number]:
    known = (one for one in saved.rounds if one.is_over or not saved.state.plan.duplicate)
    return Counter(number for one in known for number in one.byes)


# --- orders -----------------------------------------------------------------------------------------------------------

_Key: TypeAlias = tuple[float, ...]
_Order: TypeAlias = Callable[[TournamentSaved, Sequence[Scored]], Callable[[Standing], _Key]]
"""What standings are sorted by, the least first; who are alike in it share a rank."""


def _by_score(_saved: TournamentSaved, _counted: Sequence[Scored]) -> Callable[[Standing], _Key]:
    return lambda one: (-one.score, -one.wins, -one.opponents)


def _by_rating(_saved: TournamentSaved, _counted: Sequence[Scored]) -> Callable[[Standing], _Key]:
    return lambda one: (-one.score,)


def _by_reach(saved: TournamentSaved, counted: Sequence[Scored]) -> Callable[[Standing], _Key]:
    """Who has no place in the last round that they reached, or none yet, stands between those who go on from a table
    of it and those who do not.
    """
    last: dict[Number, int] = {}
    paired = [(one.number, one.byes) for one in saved.rounds] + [(one.round, one.seats) for one in saved.tables]
    for number, who in paired:
        last.update({one: max(number, last.get(one, 0)) for one in who})
    placed = {
        number: one.place_of(number) or MOST_SEATS + 1
        for one in counted
        for number in one.table.seats
        if last[number] == one.table.round
    }
    between = saved.state.plan.through + 0.5
    return lambda one: (-last.get(one.entry.number, 0), placed.get(one.entry.number, between), -one.score)


_ORDER: Final[Mapping[TournamentKind, _Order]] = MappingProxyType(
    {
        TournamentKind.ROUND_ROBIN: _by_score,
        TournamentKind.SWISS: _by_score,
        TournamentKind.KNOCK_OUT: _by_reach,
        TournamentKind.LADDER: _by_rating,
    }
)


def occupant(entry: Entry) -> Occupant:
    if entry.player is None:
        return Occupant.COMPUTER
    return Occupant.BOT if entry.is_bot else Occupant.PERSON


def to_line(standing: Standing) -> StandingLine:
    """As the wire has it."""
    entry = standing.entry
    return StandingLine(
        rank=standing.rank,
        name=entry.name,
        occupant=occupant(entry),
        status=entry.status,
        score=standing.score,
        played=standing.played,
        wins=standing.wins,
        opponents=max(-_MOST_TOLD, min(standing.opponents, _MOST_TOLD)),
        margin=None if standing.margin is None else round(standing.margin),
        plain_margin=None if standing.plain_margin is None else round(standing.plain_margin),
    )
