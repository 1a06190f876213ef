"""Tournaments in words and columns: which there are, who meets whom, how they stand, and how it is there with us.

Owns these lists and how scores are written. Refuses to know what has happened (`client.tournaments` tells that), and
the terminal: how many columns there are is told.
"""

from collections.abc import Collection, Sequence
from typing import Final

import msgspec

from kille_net.client.contest import Contest, Part, Since
from kille_net.client.model import Model
from kille_net.client.showing.grid import Column, grid
from kille_net.client.showing.layout import cells, fit, pad
from kille_net.client.showing.texts import say, say_many
from kille_net.intervals import means_of_both
from kille_net.languages import text
from kille_net.wire import messages as wire
from kille_net.wire.text import safe_text

__all__ = [
    "lasting",
    "part_lines",
    "part_words",
    "places_line",
    "points",
    "score",
    "standings_lines",
    "tables_lines",
    "tournament_line",
    "tournament_words",
    "tournaments_lines",
]

_POINT: Final = 840
_HUNDREDTHS: Final = 100
_NAME_CELLS: Final = 32
_NARROW: Final = 60
_NARROW_NAME: Final = 16
"""Cells of a name where there are fewer columns than that."""
_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_KINDS: Final = {wire.Occupant.COMPUTER: "what_computer", wire.Occupant.BOT: "what_bot"}
_WEIGHTS: Final = {
    **dict.fromkeys(("rank", "name", "score"), 0),
    "played": 9,
    "wins": 8,
    "mean": 6,
    "opponents": 4,
    "plain": 2,
}
"""Of the columns: what is left out first where there is no room (`Column.weight`)."""
_GONE: Final = frozenset({wire.EntryStatus.OUT, wire.EntryStatus.KNOCKED_OUT})


def _name(name: str) -> str:
    return safe_text(name, _NAME_CELLS)


def lasting(seconds: float, lang: str) -> str:
    """So long, in the two units that matter."""
    left = max(0, round(seconds))
    if left < 2 * _MINUTE:
        return say(lang, "lasting.s", s=left)
    if left < 2 * _HOUR:
        return say(lang, "lasting.min", min=round(left / _MINUTE))
    if left < 2 * _DAY:
        hours, rest = divmod(round(left / _MINUTE), 60)
        return say(lang, "lasting.h_min", h=hours, min=rest) if rest else say(lang, "lasting.h", h=hours)
    return say(lang, "lasting.d", d=round(left / _DAY))


# --- which there are --------------------------------------------------------------------------------------------------


def tournaments_lines(
    tournaments: Sequence[wire.TournamentLine], lang: str, shown: Collection[str] | None = None
) -> list[str]:
    """Those of these names, or all, under the numbers that they have among all."""
    if not tournaments:
        return [say(lang, "no_tournaments")]
    numbered = [(at, one) for at, one in enumerate(tournaments, 1) if shown is None or one.name in shown]
    widths = (
        len(str(len(tournaments))),
        max((cells(one.name) for _, one in numbered), default=1),
        max((cells(_what(one, lang)) for _, one in numbered), default=1),
        max((cells(_entrants(one, lang)) for _, one in numbered), default=1),
    )
    return [tournament_line(number, one, lang, widths) for number, one in numbered]


def tournament_line(
    number: int, line: wire.TournamentLine, lang: str, widths: tuple[int, int, int, int] = (1, 1, 1, 1)
) -> str:
    """A tournament by its number; the name is clean. `widths`: of the columns before the last, those of the widest."""
    digits, name, what, entrants = widths
    return say(
        lang,
        "tournament_line",
        number=f"{number:{digits}}",
        name=pad(line.name, name),
        what=pad(_what(line, lang), what),
        entrants=pad(_entrants(line, lang), entrants),
        stage=_stage(line, lang),
        entered=say(lang, "tournament_entered") if line.entered else "",
    )


def _what(line: wire.TournamentLine, lang: str) -> str:
    kind = say(lang, f"kind.{line.kind.value}")
    duplicate = say(lang, "tournament_duplicate") if line.duplicate else ""
    return say(lang, "tournament_what", kind=kind, seats=line.seats, duplicate=duplicate)


def _entrants(line: wire.TournamentLine, lang: str) -> str:
    return say(lang, "tournament_entrants", entrants=line.entrants, most=line.most)


def tournament_words(line: wire.TournamentLine, lang: str, key: str) -> str:
    """A tournament in the sentence of that key; its name is clean."""
    kind = say(lang, f"kind.{line.kind.value}")
    return say(lang, key, name=line.name, kind=kind, entrants=line.entrants, stage=_stage(line, lang))


def _stage(line: wire.TournamentLine, lang: str) -> str:
    stage = line.stage
    if stage is wire.TournamentStage.OPEN and line.starts is not None:
        return say(lang, "stage.open_until", when=lasting(line.starts, lang))
    if stage in {wire.TournamentStage.PLAYING, wire.TournamentStage.BETWEEN}:
        key = "stage.ladder" if line.kind is wire.TournamentKind.LADDER else f"stage.{stage.value}"
        return say(lang, key, round=_round(line.round, line.rounds, lang))
    return say(lang, f"stage.{stage.value}")


def _round(number: int, rounds: int, lang: str) -> str:
    return say(lang, "round_of", round=number, rounds=rounds) if rounds else say(lang, "round_no", round=number)


# --- how they stand ---------------------------------------------------------------------------------------------------


def standings_lines(
    head: wire.Standings,
    rows: Sequence[wire.StandingLine],
    own: str,
    lang: str,
    columns: int | None,
    *,
    since: Since = Since.SO_FAR,
) -> list[str]:
    """The title, and in columns who has what; `columns`: None where lines are read aloud.

    Of `head` the rows are not read.
    """
    name = _name(head.tournament)
    if not rows:
        return [say(lang, "standings_none", name=name)]
    is_ladder = head.kind is wire.TournamentKind.LADDER
    key = "standings_ladder" if is_ladder else f"standings_{since.value}" if head.round else "standings_before"
    title = say(lang, key, name=name, round=head.round)
    if columns is None:
        said = (_in_words(row, head.round, own, lang, is_ladder=is_ladder) for row in rows)
        return [title, *said, *_duplicates(rows, lang)]
    name_cells = _NARROW_NAME if columns < _NARROW else _NAME_CELLS
    named = {
        "rank": [f"{row.rank}." for row in rows],
        "name": [fit(_who(row, own, lang), name_cells) for row in rows],
        "score": [_least(row, lang) if is_ladder else points(row.score, lang) for row in rows],
        "played": [str(row.played) for row in rows],
        "wins": [str(row.wins) for row in rows],
        "mean": [_rating(row, lang) if is_ladder else _mean(row, head.round, lang) for row in rows],
        "opponents": ["" if is_ladder else points(row.opponents, lang) for row in rows],
        "plain": [_margin(row.plain_margin, lang) for row in rows],
    }
    titles = {name: say(lang, f"standings.{name}") for name in named}
    if is_ladder:
        titles |= {name: say(lang, f"standings.rating.{name}") for name in ("score", "mean")}
    table = [
        Column(titles[name], texts, is_number=name != "name", weight=_WEIGHTS[name]) for name, texts in named.items()
    ]
    return [title, *grid(table, columns - 1), *_duplicates(rows, lang)]


def _duplicates(rows: Sequence[wire.StandingLine], lang: str) -> list[str]:
    """What they did to the margins, on the average, in one line; none where there are no margins without them."""
    means = means_of_both((row.margin, row.plain_margin) for row in rows)
    if means is None:
        return []
    own, plain = (points(round(mean), lang) for mean in means)
    return [say(lang, "standings_duplicates", own=own, plain=plain)]


def points(units: int, lang: str, *, one: int = _POINT) -> str:
    """So many units, of which `one` are 1."""
    hundredths = round(100 * units / one) / 100 or 0.0  # which is never a zero with a sign
    return f"{hundredths:.2f}".replace(".", text(lang, "decimal_mark")).replace("-", "\N{MINUS SIGN}")


def score(row: wire.StandingLine, lang: str, *, is_ladder: bool) -> str:
    """Points, or on a ladder the rating that is reached at least, and the interval of which that is the lower end."""
    if not is_ladder:
        return points(row.score, lang)
    rating = _rating(row, lang)
    return say(lang, "rating_of", least=_least(row, lang), rating=rating) if rating else _least(row, lang)


def _least(row: wire.StandingLine, lang: str) -> str:
    return points(row.score, lang, one=_HUNDREDTHS)


def _rating(row: wire.StandingLine, lang: str) -> str:
    """Of a ladder, with how sure it is; empty: that is not told."""
    if row.margin is None:
        return ""
    rating, margin = (points(units, lang, one=_HUNDREDTHS) for units in (row.score + row.margin, row.margin))
    return f"{rating} ±{margin}"


def _margin(units: int | None, lang: str) -> str:
    return "" if units is None else f"±{points(units, lang)}"


def _mean(row: wire.StandingLine, rounds: int, lang: str) -> str:
    """Of a table, with how sure that is; that alone where the score may hold what was had for sitting out."""
    if not row.played or row.margin is None:
        return ""
    margin = _margin(row.margin, lang)
    is_all_of_tables = row.plain_margin is not None or row.played == rounds
    return f"{points(round(row.score / row.played), lang)} {margin}" if is_all_of_tables else margin


def _who(row: wire.StandingLine, own: str, lang: str) -> str:
    """Whose row it is, and what is to be said of that; the mark stands before the name, which may be cut."""
    name = _name(row.name)
    if name == own and row.occupant is not wire.Occupant.COMPUTER:
        name += say(lang, "what_you")
    elif row.occupant in _KINDS:
        name += say(lang, _KINDS[row.occupant])
    return name + (say(lang, "standings.out") if row.status in _GONE else "")


def _in_words(row: wire.StandingLine, rounds: int, own: str, lang: str, *, is_ladder: bool) -> str:
    said = say(
        lang,
        "standing_words_ladder" if is_ladder else "standing_words",
        rank=row.rank,
        name=_who(row, own, lang),
        score=score(row, lang, is_ladder=is_ladder),
        played=say_many(lang, "tables_played", row.played),
        wins=row.wins,
        opponents=points(row.opponents, lang),
    )
    if is_ladder or not (mean := _mean(row, rounds, lang)):
        return said
    if row.plain_margin is None:
        return said + say(lang, "standing_mean", mean=mean)
    return said + say(lang, "standing_mean_plain", mean=mean, plain=points(row.plain_margin, lang))


# --- who meets whom ---------------------------------------------------------------------------------------------------


def tables_lines(head: wire.Tables, tables: Sequence[wire.TableLine], own: str, lang: str) -> list[str]:
    """The title, then a line for each table; of `head` its tables are not read."""
    name = _name(head.tournament)
    if not tables:
        if 0 < head.rounds < head.round:
            return [say_many(lang, "tables_no_round", head.rounds, name=name)]
        return [say(lang, "tables_none" if head.round <= 1 else "tables_not_yet", name=name, round=head.round)]
    title = say(lang, "tables_title", name=name, round=_round(head.round, head.rounds, lang))
    return [title, *(_table(table, own, lang) for table in tables)]


def _table(table: wire.TableLine, own: str, lang: str) -> str:
    names = ", ".join(_you(name, own, lang) for name in table.seats)
    if any(table.places):
        names = places_line(table.seats, table.places, own, lang)
    room = say(lang, "table_room", room=_name(table.room)) if table.room else ""
    return say(lang, f"table_is.{table.status.value}", number=table.number, names=names, room=room)


def places_line(seats: Sequence[str], places: Sequence[int], own: str, lang: str) -> str:
    """Who came where, the best first."""
    placed = sorted((place, seat) for seat, place in enumerate(places[: len(seats)]) if place)
    return ", ".join(f"{place}. {_you(seats[seat], own, lang)}" for place, seat in placed)


def _you(name: str, own: str, lang: str) -> str:
    name = _name(name)
    return name + (say(lang, "what_you") if own and name == own else "")


# --- how it is with us ------------------------------------------------------------------------------------------------


def part_lines(model: Model, lang: str, now: float) -> list[str]:
    """`part_words` as a line of its own, if there is anything to say."""
    words = part_words(model, lang, now)
    return [say(lang, "words", words=words[:1].upper() + words[1:])] if words else []


def part_words(model: Model, lang: str, now: float) -> str:
    """In which tournament we take part, and how it is there; empty: in none, or all that is to be said is said."""
    contest = model.contest
    if not contest.entered:
        return _followed_words(contest, lang, now)
    key = f"part.{contest.part.value}"
    if contest.part is Part.CALLED and model.is_called and (model.is_playing or not model.missing):
        key = "part.playing"
    elif contest.part is Part.BEGAN and contest.round and not contest.is_ladder:
        key = "part.round"
    elif contest.until is not None and contest.until > now:
        key = f"{key}_until"
    when = "" if contest.until is None else lasting(contest.until - now, lang)
    return say(lang, key, name=contest.entered, round=contest.round, table=contest.table, when=when)


def _followed_words(contest: Contest, lang: str, now: float) -> str:
    """How the one stands that was followed last, as far as the list says, which news keeps up to date."""
    name = contest.followed[-1] if contest.followed else ""
    line = next((line for line in contest.open if line.name == name), None)
    if line is None:
        return ""
    if line.starts is not None:
        left = max(0, round(contest.listed_at + line.starts - now))
        line = msgspec.structs.replace(line, starts=left)
    return say(lang, "part.followed", name=name, stage=_stage(line, lang))
