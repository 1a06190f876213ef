"""Standings, tables and scores in columns and in words."""

import msgspec
import pytest

from kille_net.client.showing.layout import cells, to_ascii
from kille_net.client.showing.tournaments import lasting, places_line, points, score, standings_lines, tables_lines
from kille_net.languages import LANGUAGES
from kille_net.wire import messages as wire
from tests.client.contests import row, standings, tables

HEAD = standings(1)
AFTER_THREE = msgspec.structs.replace(HEAD, round=3)
ROWS = (
    row(1, "Bo", 1260, played=2, wins=2, opponents=2100, margin=67, plain_margin=101),
    row(2, "Abcdefghijklmnop", 840, played=1, wins=0, status=wire.EntryStatus.OUT, occupant=wire.Occupant.BOT),
    row(3, "日本語日本語日本", -420, played=3, wins=1, margin=67, plain_margin=101),
    row(4, "Ada", 0, played=0, wins=0, occupant=wire.Occupant.PERSON),
)


@pytest.mark.parametrize(
    ("units", "lang", "shown"),
    [
        (840, "en", "1.00"),
        (2100, "en", "2.50"),
        (2100, "sv", "2,50"),
        (280, "en", "0.33"),
        (-420, "en", "−0.50"),
        (-1, "en", "0.00"),
        (0, "sv", "0,00"),
    ],
)
def test_a_score_has_two_decimals(units: int, lang: str, shown: str) -> None:
    assert points(units, lang) == shown


def test_a_rating_is_in_hundredths() -> None:
    assert points(2512, "en", one=100) == "25.12"


@pytest.mark.parametrize("columns", range(40, 201))
@pytest.mark.parametrize("lang", LANGUAGES)
def test_standings_fit_every_width_and_never_lose_who_has_how_much(columns: int, lang: str) -> None:
    lines = standings_lines(HEAD, ROWS, "Ada", lang, columns)
    assert len(lines) == 2 + len(ROWS) + 1
    assert max(map(cells, lines)) < columns
    for line, who in zip(lines[2:-1], ROWS, strict=True):
        assert line.lstrip().startswith(f"{who.rank}.")
        assert points(who.score, lang) in line
    assert "Ada" in lines[-2]


def test_what_is_left_out_first_is_what_matters_least() -> None:
    def titles(columns: int) -> list[str]:
        return standings_lines(HEAD, ROWS, "", "en", columns)[1].split("  ")

    wide = [title.strip() for title in titles(200) if title.strip()]
    assert wide == ["#", "name", "points", "tables", "won", "a table", "opponents", "without duplicates"]
    narrow = [title.strip() for title in titles(48) if title.strip()]
    assert narrow == ["#", "name", "points", "tables", "won"]


def test_margins_stand_with_the_mean_of_a_table() -> None:
    bo, other, *_, last = standings_lines(HEAD, ROWS, "", "en", 200)[2:]
    assert last == "With duplicates ±0.08, without ±0.12"
    assert "duplicates" not in standings_lines(HEAD, ROWS[1:2], "", "en", 200)[-1]
    assert "0.75 ±0.08" in bo
    assert "±0.12" in bo
    assert "±" not in other, "where there are too few tables there is none"
    assert "Bo" in bo
    assert "Abcdefghijklmnop, bot, out" in other


def test_half_a_point_for_sitting_out_is_in_no_mean_of_a_table() -> None:
    both = (row(1, "Bo", 2520, played=3, margin=67), row(2, "Ada", 2100, played=2, margin=67))
    bo, ada = standings_lines(AFTER_THREE, both, "", "en", 200)[2:]
    assert "1.00 ±0.08" in bo
    assert "±0.08" in ada
    assert "1.25 ±" not in ada
    assert standings_lines(AFTER_THREE, both, "", "en", None)[2].endswith("; ±0.08 a table")


def test_in_words_each_line_says_all() -> None:
    title, bo, *_, ada, last = standings_lines(HEAD, ROWS, "Ada", "en", None)
    assert last == "With duplicates ±0.08, without ±0.12"
    assert title == "Torsdag so far, in round 1:"
    assert bo == (
        "1. Bo: 1.50 points from 2 tables, won 2, opponents 2.50; 0.75 ±0.08 a table (0.12 without duplicates)"
    )
    assert ada == "4. Ada (you): 0.00 points from 0 tables, won 0, opponents 1.50"


def test_a_ladder_shows_ratings() -> None:
    head = wire.Standings(
        id=1, page=0, pages=1, tournament="Stegen", kind=wire.TournamentKind.LADDER, round=9, standings=()
    )
    rated = (row(1, "Bo", 2512, margin=310),)
    title, heads, line = standings_lines(head, rated, "", "en", 80)
    assert title.startswith("Stegen, the ladder")
    assert "95 %" in title
    assert heads.split() == ["#", "name", "at", "least", "tables", "won", "rating"]
    assert line.split() == ["1.", "Bo", "25.12", "2", "1", "28.22", "±3.10"]
    assert standings_lines(head, rated, "", "sv", None)[1] == "1. Bo: rating 28,22 ±3,10, minst 25,12, 2 bord, vann 1"
    assert score(row(1, "Bo", 2512), "en", is_ladder=True) == "25.12", "how sure it is, a server may leave out"


def test_before_anybody_has_played_there_is_a_line() -> None:
    assert standings_lines(HEAD, (), "", "en", 80) == ["Nobody takes part in Torsdag yet."]
    assert tables_lines(tables(1), (), "", "sv") == ["Torsdag har inga bord än."]


def test_places_are_told_the_best_first_and_shared_ones_twice() -> None:
    assert places_line(("A", "B", "C"), (3, 1, 1), "B", "en") == "1. B (you), 1. C, 3. A"
    assert places_line(("A", "B"), (0, 0), "", "en") == ""
    assert places_line(("A",), (2, 1), "", "en") == "2. A", "a place of nobody"


@pytest.mark.parametrize("status", list(wire.TableStatus))
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_kind_of_table_has_its_line(status: wire.TableStatus, lang: str) -> None:
    table = wire.TableLine(number=2, status=status, room="Torsdag 1-2", seats=("Bo", "Eva"), places=())
    (_, line) = tables_lines(tables(1), (table,), "", lang)
    assert "Bo, Eva" in line
    assert line.startswith("  ")


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (-3, "0 s"),
        (0, "0 s"),
        (119, "119 s"),
        (120, "2 min"),
        (7199, "120 min"),
        (7200, "2 h"),
        (9000, "2 h 30 min"),
        (604_800, "7 days"),
    ],
)
def test_how_long_something_lasts(seconds: float, shown: str) -> None:
    assert lasting(seconds, "en") == shown


def test_columns_stand_in_plain_ascii_too() -> None:
    lines = standings_lines(HEAD, ROWS[:1], "", "en", 200)
    assert "0.75 +-0.08" in to_ascii(lines[2])
