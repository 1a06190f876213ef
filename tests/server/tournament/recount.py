"""The standings of a tournament counted anew, from what anybody can have: who sat where, and the matches' records.

Written from the rules C1 to C5 and C10 alone, and with nothing of the package: every pair at a table is compared, and
everything is a fraction of a point until the end.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import exp, sqrt
from pathlib import Path
from typing import Any

__all__ = ["Count", "read_records", "recount"]

Row = Mapping[str, Any]
"""A table as `kille history tournament NAME schedule --json` tells it, or a line of a record."""

HALF = Fraction(1, 2)
OVER = {"played", "walkover", "void"}


@dataclass
class Count:
    """Of one entrant."""

    rank: int = 1
    score: int = 0
    """In 840ths of a point; on a ladder in hundredths of its rating less three standard deviations."""
    played: int = 0
    wins: int = 0
    opponents: int = 0
    met: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Seat:
    number: int
    is_missing: bool
    is_winner: bool
    points: int

    def beats(self, other: "Seat") -> bool:
        """Who was there beats who was missing; then the winner beats all, and more points beat fewer."""
        if self.is_missing or other.is_missing:
            return other.is_missing and not self.is_missing
        if self.is_winner or other.is_winner:
            return self.is_winner and not other.is_winner
        return self.points > other.points


def read_records(folder: Path) -> dict[str, list[Row]]:
    """The lines of all records of a folder, by the id of the match."""
    files = [path.read_text(encoding="utf-8").splitlines() for path in sorted(folder.glob("*.jsonl"))]
    records = [[json.loads(line) for line in lines] for lines in files]
    return {record[0]["id"]: record for record in records}


def recount(
    schedule: Sequence[Row],
    records: Mapping[str, Sequence[Row]],
    *,
    kind: str,
    duplicate: bool = False,
    entrants: Iterable[int] = (),
    came: Mapping[tuple[int, int], int] | None = None,
    missing: Mapping[str, Iterable[int]] | None = None,
    through: int = 1,
) -> dict[int, Count]:
    """By the numbers of the entrants.

    `entrants`: more than sit anywhere. `came`: by round and table, who won without a match, which no record tells.
    `missing`: by match, the seats that a computer played for its absent player at the end; for a match that it does not
    name, those whose last action a stand-in took. `through`: how many go on from each table of a knock-out.
    """
    tables = [row for row in schedule if row["status"] != "planned" and row["table"] is not None]
    byes = [(row["round"], row["seats"][0]["number"]) for row in schedule if row["status"] == "bye"]
    if duplicate:
        open_rounds = {row["round"] for row in tables if row["status"] not in OVER}
        over = {row["round"] for row in tables} - open_rounds
        counting = [row for row in tables if row["round"] in over]
        byes_that_count = [(round_, number) for round_, number in byes if round_ in over]
    else:
        counting = [row for row in tables if row["status"] in OVER]
        byes_that_count = byes

    counts = {number: Count() for number in entrants}
    for number in [*_everybody(tables), *(number for _, number in byes)]:
        counts.setdefault(number, Count())
    seated = {
        (row["round"], row["table"]): _seats(row, records[row["match"]], missing or {})
        for row in counting
        if row["status"] == "played"
    }
    exact = {key: _shares(seats) for key, seats in seated.items()}
    if duplicate:
        exact = _compared(exact)
    for key, shares in exact.items():
        for seat, share in zip(seated[key], shares, strict=True):
            count = counts[seat.number]
            count.score += int((share * 840 * 2 + 1) // 2)
            count.played += 1
            count.wins += _is_first(seat, seated[key])
            count.met += [other.number for other in seated[key] if other is not seat]
    for row in counting:
        if row["status"] == "walkover":
            numbers = _numbers(row)
            winner = (came or {})[row["round"], row["table"]]
            for number in numbers:
                counts[number].played += 1
                counts[number].met += [other for other in numbers if other != number]
            counts[winner].score += 840
            counts[winner].wins += 1
    for _, number in byes_that_count:
        counts[number].score += 420
    if kind == "ladder":
        _rate(counts, [seated[row["round"], row["table"]] for row in counting if row["status"] == "played"])
    for count in counts.values():
        count.opponents = sum(counts[other].score for other in count.met)
    keys = _keys(kind, counts, through, tables, byes, counting, seated, came or {})
    for number, count in counts.items():
        count.rank = 1 + sum(key > keys[number] for key in keys.values())
    return counts


def _numbers(row: Row) -> list[int]:
    return [seat["number"] for seat in row["seats"]]


def _everybody(tables: Iterable[Row]) -> Iterator[int]:
    for row in tables:
        yield from _numbers(row)


def _seats(row: Row, record: Sequence[Row], missing: Mapping[str, Iterable[int]]) -> list[Seat]:
    end = record[-1]
    assert end["type"] == "end", "the record is not whole"
    labels = record[0]["seats"]
    assert len(labels) == len(end["points"]) == len(row["seats"])
    if row["match"] in missing:
        absent = set(missing[row["match"]])
    else:
        last = {one["seat"]: one.get("by") for line in record if line["type"] == "hand" for one in line["actions"]}
        absent = {seat for seat, by in last.items() if by == "stand-in"}
    return [
        Seat(number, seat in absent, seat == end["winner"], end["points"][seat])
        for seat, number in enumerate(_numbers(row))
    ]


def _shares(seats: Sequence[Seat]) -> list[Fraction]:
    """Of a point, by comparing everybody with everybody."""
    if all(seat.is_missing for seat in seats):
        return [Fraction(0)] * len(seats)
    found = []
    for own in seats:
        others = [other for other in seats if other is not own]
        beaten = sum(own.beats(other) for other in others)
        level = sum(not own.beats(other) and not other.beats(own) for other in others)
        found.append((beaten + HALF * level) / len(others))
    return found


def _is_first(seat: Seat, seats: Sequence[Seat]) -> bool:
    return not seat.is_missing and not any(other.beats(seat) for other in seats)


def _compared(shares: Mapping[tuple[int, int], list[Fraction]]) -> dict[tuple[int, int], list[Fraction]]:
    """Each against the mean of its seat at all tables of the round with as many seats."""
    columns: dict[tuple[int, int, int], list[Fraction]] = defaultdict(list)
    for (round_, _), of_table in shares.items():
        for seat, share in enumerate(of_table):
            columns[round_, len(of_table), seat].append(share)
    means = {key: sum(column, Fraction(0)) / len(column) for key, column in columns.items()}
    return {
        (round_, table): [share + HALF - means[round_, len(of_table), seat] for seat, share in enumerate(of_table)]
        for (round_, table), of_table in shares.items()
    }


# --- orders -----------------------------------------------------------------------------------------------------------


def _keys(  # noqa: PLR0917 -- all that an order may need
    kind: str,
    counts: Mapping[int, Count],
    through: int,
    tables: Sequence[Row],
    byes: Sequence[tuple[int, int]],
    counting: Sequence[Row],
    seated: Mapping[tuple[int, int], Sequence[Seat]],
    came: Mapping[tuple[int, int], int],
) -> dict[int, tuple[float, ...]]:
    """The greater the better."""
    if kind == "ladder":
        return {number: (count.score,) for number, count in counts.items()}
    if kind != "knock_out":
        return {number: (count.score, count.wins, count.opponents) for number, count in counts.items()}
    keys: dict[int, tuple[float, ...]] = {}
    for number, count in counts.items():
        rounds = [row["round"] for row in tables if number in _numbers(row)]
        last = max([*rounds, *(round_ for round_, other in byes if other == number)], default=0)
        above = through + 0.5  # between those who go on from a table of that round and those who do not
        for row in counting:
            if row["round"] == last and number in _numbers(row):
                above = _above(number, row, seated, came)
        keys[number] = (last, -above, count.score)
    return keys


def _above(
    number: int, row: Row, seated: Mapping[tuple[int, int], Sequence[Seat]], came: Mapping[tuple[int, int], int]
) -> int:
    """The place at that table; behind all places where it has none."""
    key = row["round"], row["table"]
    if row["status"] == "walkover":
        return 1 if came[key] == number else 2
    if row["status"] == "void" or all(seat.is_missing for seat in seated[key]):
        return 99
    own = next(seat for seat in seated[key] if seat.number == number)
    return 1 + sum(other.beats(own) for other in seated[key])


# --- ratings ----------------------------------------------------------------------------------------------------------

MU, SIGMA, BETA, TAU, LEAST = 25.0, 25 / 3, 25 / 6, 25 / 600, 0.0001


def _rate(counts: Mapping[int, Count], tables: Iterable[Sequence[Seat]]) -> None:
    """Plackett and Luce's model, after Weng and Lin (2011), algorithm 4; no result makes anybody less certain."""
    found = dict.fromkeys(counts, (MU, SIGMA))
    for seats in tables:
        if not all(seat.is_missing for seat in seats):
            found.update(_rated(found, seats))
    for number, count in counts.items():
        mu, sigma = found[number]
        count.score = round(100 * (mu - 1.959964 * sigma))


def _rated(before: Mapping[int, tuple[float, float]], seats: Sequence[Seat]) -> dict[int, tuple[float, float]]:
    place = [1 + sum(other.beats(own) for other in seats) for own in seats]
    mus = [before[seat.number][0] for seat in seats]
    squares = [before[seat.number][1] ** 2 + TAU**2 for seat in seats]
    c = sqrt(sum(square + BETA**2 for square in squares))
    strength = [exp(mu / c) for mu in mus]
    after = {}
    for i, seat in enumerate(seats):
        omega = delta = 0.0
        for q, its in enumerate(place):
            if its <= place[i]:
                share = strength[i] / sum(s for s, p in zip(strength, place, strict=True) if p >= its)
                omega += ((i == q) - share) / place.count(its)
                delta += share * (1 - share) / place.count(its)
        mu = mus[i] + squares[i] / c * omega
        sigma = sqrt(squares[i]) * sqrt(max(1 - squares[i] / c**2 * delta, LEAST))
        after[seat.number] = (mu, min(sigma, before[seat.number][1]))
    return after
