"""`kille history tournaments` and `kille history tournament`."""

import csv
import io
import json
import shutil
import sqlite3
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from kille_net.cli import main
from kille_net.cli.exit_codes import Exit
from kille_net.server.saving import RoundKept, TableKept, TournamentKept
from kille_net.server.schema import FILE
from kille_net.server.store import Store
from kille_net.server.tournament.saved import Entry, Seated, TableSaved, TournamentSaved
from kille_net.server.tournament.scoring import POINT
from kille_net.server.tournament.standings import standings
from kille_net.wire.messages import EntryStatus, TableStatus, TournamentKind, TournamentStage
from tests.server.tournament.made import played, random_tournament, tournament

replaced = msgspec.structs.replace
ENTRIES = (
    Entry(number=1, name="Ada", player=7, status=EntryStatus.PLAYING),
    Entry(number=2, name="-Bo", player=8, status=EntryStatus.OUT),
    Entry(number=3, name="Robot", player=9, is_bot=True, status=EntryStatus.PLAYING),
    Entry(number=4, name="Ulla", player=None, level="easy", status=EntryStatus.PLAYING),
    Entry(number=5, name="Åke", player=10, status=EntryStatus.PLAYING),
)
VIEWS = ("standings", "schedule", "results")


def keep(store: Store, number: int, name: str, saved: TournamentSaved) -> None:
    rounds = [RoundKept(number, one) for one in saved.rounds]
    tables = [TableKept(number, one) for one in saved.tables]
    store.keep([TournamentKept(number, replaced(saved.state, name=name)), *rounds, *tables])


def thursday() -> TournamentSaved:
    """A round robin of three rounds: one is over, one is played, and one is planned."""
    walkover = TableSaved(
        round=2,
        number=1,
        seats=(1, 2),
        status=TableStatus.WALKOVER,
        room="",
        results=(Seated(place=1), Seated(place=2, is_missing=True)),
    )
    called = TableSaved(round=2, number=2, seats=(5, 3), status=TableStatus.CALLED, room="Torsdag 2:2")
    saved = tournament(
        [played(1, 1, (1, 3), (2, 1), frozenset({0})), played(1, 2, (2, 4), (1, 1)), walkover, called],
        kind=TournamentKind.ROUND_ROBIN,
        byes=[(5,), (4,)],
        open_rounds=frozenset({2}),
    )
    planned = (((1, 3), (2, 4)), ((1, 2), (5, 3)), ((1, 4), (2, 5)))
    return replaced(saved, state=replaced(saved.state, entries=ENTRIES, planned=planned))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    store = Store(folder)
    keep(store, 1, "Torsdag", thursday())
    cancelled = tournament([], kind=TournamentKind.KNOCK_OUT)
    state = replaced(cancelled.state, stage=TournamentStage.CANCELLED, why="too few take part", began=None, entries=())
    keep(store, 2, "=Fredag", replaced(cancelled, state=state))
    keep(store, 3, "Stege", tournament([played(1, 1, (1, 2), (1, 2))], kind=TournamentKind.LADDER, entrants=2))
    keep(store, 4, "Robotar", tournament([played(1, 1, (1, 2), (1, 2))], duplicate=True, entrants=2))
    store.close()
    return folder


def history(data: Path, *words: str, lang: str = "en") -> Result:
    return CliRunner().invoke(main, ["--lang", lang, "history", "--data", str(data), *words])


def rows(result: Result) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(result.stdout)))


def objects(result: Result) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(result.stdout)
    return found


class TestList:
    def test_is_a_line_a_tournament_the_last_one_first(self, data: Path) -> None:
        lines = history(data, "tournaments").stdout.splitlines()
        head = ["number", "tournament", "kind", "stage", "entrants", "rounds", "began", "first"]
        assert (lines[0].split()[0], lines[0].split()[2:]) == ("number", head[2:])
        assert [line.split()[0] for line in lines[1:]] == ["4", "3", "2", "1"]
        assert lines[2].split()[1:5] == ["Stege", "ladder", "over", "2"]
        assert lines[3].split() == ["2", "=Fredag", "knock-out", "cancelled", "0", "0", "-", "-"]
        assert lines[4].split()[2:5] == ["round", "robin", "playing"]
        assert lines[4].endswith("  Ada")
        assert len(history(data, "tournaments", "--last", "1").stdout.splitlines()) == 2

    def test_speaks_swedish(self, data: Path) -> None:
        lines = history(data, "tournaments", lang="sv").stdout.splitlines()
        assert lines[4].split()[2:6] == ["alla", "mot", "alla", "spelas"]
        assert "utslagning" in lines[3]
        assert "inställd" in lines[3]

    def test_as_json_and_csv_tells_the_same(self, data: Path) -> None:
        told = objects(history(data, "tournaments", "--format", "json"))
        assert told == objects(history(data, "tournaments", "--json"))
        assert told[3] == {
            "id": 1,
            "name": "Torsdag",
            "kind": "round_robin",
            "seats": 4,
            "duplicate": False,
            "stage": "playing",
            "entrants": 5,
            "rounds": 2,
            "began": "2023-11-14T22:13:20+00:00",
            "ended": None,
            "why": None,
            "first": ["Ada"],
        }
        table = rows(history(data, "tournaments", "--format", "csv"))
        assert list(table[0]) == list(told[0])
        assert [row["id"] for row in table] == [str(one["id"]) for one in told]
        assert (table[2]["name"], table[2]["why"]) == ("'=Fredag", "too few take part")
        assert (table[0]["duplicate"], table[3]["duplicate"]) == ("true", "false")

    def test_where_there_are_none(self, tmp_path: Path) -> None:
        Store(tmp_path).close()
        none = history(tmp_path, "tournaments")
        assert (none.exit_code, none.stdout, none.stderr) == (Exit.DONE, "", "kille: no tournaments\n")
        assert objects(history(tmp_path, "tournaments", "--json")) == []
        assert history(tmp_path, "tournaments", "--csv").stdout.startswith("id,name,kind,")


class TestStandings:
    def test_are_shown_below_what_the_tournament_is(self, data: Path) -> None:
        shown = history(data, "tournament", "torsdag")
        assert (shown.exit_code, shown.stderr) == (Exit.DONE, "")
        above, below = shown.stdout.split("\n\n")
        assert above.splitlines()[:3] == ["tournament  Torsdag (1)", "kind        round robin", "stage       playing"]
        table = [line.split() for line in below.splitlines()]
        assert table[0] == ["#", "name", "who", "status", "score", "tables", "wins", "opponents", "mean", "margin"]
        assert table[1] == ["1", "Ada", "person", "playing", "1.00", "2", "1", "1.50", "0.50", "-"]
        assert table[2] == ["2", "Robot", "bot", "playing", "1.00", "1", "1", "1.00", "1.00", "-"]
        assert table[3] == ["3", "Ulla", "computer", "(easy)", "playing", "1.00", "1", "1", "0.50", "0.50", "-"]
        assert [row[1] for row in table[4:]] == ["-Bo", "Åke"]

    def test_speak_swedish(self, data: Path) -> None:
        below = history(data, "tournament", "1", lang="sv").stdout.split("\n\n")[1].splitlines()
        assert below[0].split() == [
            "#",
            "namn",
            "vem",
            "läge",
            "poäng",
            "bord",
            "vinster",
            "motstånd",
            "snitt",
            "felmarginal",
        ]
        assert "dator (lätt)" in below[3]
        assert "utgått" in below[4]

    def test_as_json_and_csv_are_those_of_the_server(self, data: Path) -> None:
        told = objects(history(data, "tournament", "Torsdag", "--json"))
        expected = standings(thursday())
        assert [(one["rank"], one["number"], one["played"], one["wins"]) for one in told] == [
            (one.rank, one.entry.number, one.played, one.wins) for one in expected
        ]
        assert [one["score"] for one in told] == [one.score / POINT for one in expected]
        assert [(one["kind"], one["level"], one["status"]) for one in told][1:4] == [
            ("bot", "", "playing"),
            ("computer", "easy", "playing"),
            ("person", "", "out"),
        ]
        table = rows(history(data, "tournament", "Torsdag", "standings", "--csv"))
        assert list(table[0]) == list(told[0])
        assert [row["name"] for row in table] == ["Ada", "Robot", "Ulla", "'-Bo", "Åke"]

    def test_of_a_ladder_are_ratings(self, data: Path) -> None:
        below = history(data, "tournament", "Stege").stdout.split("\n\n")[1].splitlines()
        assert below[0].split() == ["#", "name", "who", "status", "at", "least", "tables", "wins", "rating", "margin"]
        (first, _) = objects(history(data, "tournament", "Stege", "--json"))
        assert first["score"] == pytest.approx(first["mean"] - first["margin"], abs=0.01)
        assert first["mean"] > 25

    def test_of_duplicates_have_the_margin_without(self, tmp_path: Path) -> None:
        seats = [(1, 2), (3, 4), (3, 1), (4, 2)] * 3
        tables = [played(1 + at // 2, 1 + at % 2, who, (1, 2)) for at, who in enumerate(seats)]
        store = Store(tmp_path)
        keep(store, 1, "Robotar", tournament(tables, duplicate=True, entrants=4))
        store.close()
        _, below, last = history(tmp_path, "tournament", "Robotar").stdout.split("\n\n")
        assert below.splitlines()[0].endswith("margin  plain margin")
        told = objects(history(tmp_path, "tournament", "Robotar", "--json"))
        own, plain = (fmean(one[which] for one in told) for which in ("margin", "plain_margin"))
        assert last == f"With duplicates ±{own:.2f}, without ±{plain:.2f}\n"

    def test_where_nobody_has_signed_up(self, data: Path) -> None:
        none = history(data, "tournament", "=Fredag")
        assert (none.exit_code, none.stderr) == (Exit.DONE, "kille: nobody has signed up\n")
        assert "stage       cancelled: too few take part" in none.stdout


class TestSchedule:
    def test_is_who_sits_where_and_sits_out_and_what_is_planned(self, data: Path) -> None:
        below = history(data, "tournament", "Torsdag", "schedule").stdout.split("\n\n")[1].splitlines()
        assert [line.split("  ", 1)[0] for line in below] == ["round", "1", "1", "1", "2", "2", "2", "3", "3"]
        assert [line.split()[-4:] for line in below[1:]] == [
            ["1:1", "played", "Ada,", "Robot"],
            ["1:2", "played", "-Bo,", "Ulla"],
            ["-", "-", "bye", "Åke"],
            ["-", "walkover", "Ada,", "-Bo"],
            ["2:2", "called", "Åke,", "Robot"],
            ["-", "-", "bye", "Ulla"],
            ["-", "planned", "Ada,", "Ulla"],
            ["-", "planned", "-Bo,", "Åke"],
        ]

    def test_as_json_is_a_table_each_and_as_csv_a_seat_each(self, data: Path) -> None:
        told = objects(history(data, "tournament", "Torsdag", "schedule", "--json"))
        assert told[0] == {
            "round": 1,
            "table": 1,
            "status": "played",
            "room": "Torsdag 1:1",
            "match": f"{1:016x}{1:016x}",
            "seats": [{"seat": 0, "number": 1, "name": "Ada"}, {"seat": 1, "number": 3, "name": "Robot"}],
        }
        assert (told[2]["table"], told[2]["status"], told[2]["seats"]) == (
            None,
            "bye",
            [{"seat": None, "number": 5, "name": "Åke"}],
        )
        table = rows(history(data, "tournament", "Torsdag", "schedule", "--csv"))
        assert list(table[0]) == ["round", "table", "status", "room", "match", "seat", "number", "name"]
        assert len(table) == sum(len(one["seats"]) for one in told)
        assert [(row["round"], row["number"]) for row in table if row["status"] == "called"] == [("2", "5"), ("2", "3")]

    def test_before_anything_is_paired(self, data: Path) -> None:
        assert history(data, "tournament", "2", "schedule").stderr == "kille: no tables yet\n"
        assert history(data, "tournament", "2", "results").stderr == "kille: no results yet\n"


class TestResults:
    def test_are_of_tables_that_are_over_the_winner_first(self, data: Path) -> None:
        below = history(data, "tournament", "Torsdag", "results", lang="sv").stdout.split("\n\n")[1].splitlines()
        assert [line.split("  ")[-1].strip() for line in below] == [
            "resultat",
            "1. Robot 1.00, 2. Ada 0.00 (saknades)",
            "1. -Bo 0.50, 1. Ulla 0.50",
            "Åke 0.50",
            "1. Ada 1.00, 2. -Bo 0.00 (saknades)",
            "Ulla 0.50",
        ]

    def test_of_a_void_table_tell_nothing_of_who_was_there(self, tmp_path: Path) -> None:
        """Maybe its room failed."""
        with closing(Store(tmp_path)) as store:
            void = TableSaved(round=1, number=1, seats=(1, 2), status=TableStatus.VOID)
            keep(store, 1, "T", tournament([void], entrants=2))
        shown = history(tmp_path, "tournament", "T", "results").stdout.splitlines()
        assert shown[-1].split() == ["1", "1", "-", "void", "P1", "0.00,", "P2", "0.00"]
        (told,) = objects(history(tmp_path, "tournament", "T", "results", "--json"))
        assert [(seat["missing"], seat["place"], seat["score"]) for seat in told["seats"]] == [(None, None, 0)] * 2

    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize("duplicate", [False, True])
    def test_come_to_the_standings(self, seed: int, duplicate: bool, tmp_path: Path) -> None:  # noqa: FBT001 -- a parameter
        store = Store(tmp_path)
        keep(store, 1, "T", random_tournament(Random(seed), duplicate=duplicate))
        store.close()
        table = rows(history(tmp_path, "tournament", "T", "results", "--csv"))
        told = objects(history(tmp_path, "tournament", "T", "--json"))
        for one in told:
            own = [row for row in table if row["number"] == str(one["number"])]
            assert sum(Fraction(row["score"]) for row in own) == pytest.approx(Fraction(one["score"]), abs=1e-3)
            assert sum(row["place"] == "1" for row in own) == one["wins"]
            assert sum(row["status"] in {"played", "walkover"} for row in own) == one["played"]


class TestClosed:
    @pytest.mark.parametrize("form", ["text", "csv", "json"])
    @pytest.mark.parametrize("view", ["tournaments", *VIEWS])
    def test_of_a_round_of_duplicates_that_is_not_over_only_who_sits_where(
        self, view: str, form: str, tmp_path: Path
    ) -> None:
        """What is shown is the same, whatever has come of the tables that are over."""
        first = [played(1, 1, (1, 2), (1, 2)), played(1, 2, (3, 4), (1, 2))]
        called = replaced(played(2, 2, (2, 4), (1, 2)), status=TableStatus.CALLED, results=())
        shown = set()
        for number, second in enumerate([(1, 2), (2, 1), None]):
            table = played(2, 1, (1, 3), second or (1, 2))
            if second is None:
                table = replaced(table, status=TableStatus.CALLED, results=())
            folder = tmp_path / str(number)
            store = Store(folder)
            keep(store, 1, "T", tournament([*first, table, called], duplicate=True, open_rounds=frozenset({2})))
            words = ["tournaments"] if view == "tournaments" else ["tournament", "T", view]
            told = history(folder, *words, "--format", form)
            assert told.exit_code == Exit.DONE
            assert "5eed" not in told.output
            assert table.match not in told.output
            shown.add(told.output)
            store.close()
        assert len(shown) == 1


class TestWrong:
    def test_one_that_is_not_there(self, data: Path) -> None:
        result = history(data, "tournament", "Lör\x1bdag")
        assert (result.exit_code, result.stdout) == (Exit.DOES_NOT_HOLD, "")
        assert result.stderr == "kille: there is no tournament Lör\ufffddag; kille history tournaments lists them\n"

    @pytest.mark.parametrize(
        "words", [["tournament"], ["tournament", "1", "table"], ["tournaments", "--format", "xml"]]
    )
    def test_use(self, data: Path, words: list[str]) -> None:
        result = history(data, *words)
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (Exit.WRONG_USE, "", 1)

    @pytest.mark.parametrize(
        "sql",
        [
            "UPDATE tournament SET state = '[]'",
            "UPDATE tournament SET state = 7",
            "UPDATE tournament SET state = CAST(json_set(CAST(state AS TEXT), '$.began', 1e300) AS BLOB)",
            "UPDATE tournament SET state = CAST(json_set(CAST(state AS TEXT), '$.ended', -1) AS BLOB)",
            "UPDATE tournament SET state = CAST(json_set(CAST(state AS TEXT), '$.entries', json('[]')) AS BLOB)",
            "UPDATE round SET state = x'ff'",
            "UPDATE sitting SET state = x'ff'",
            "UPDATE sitting SET state = CAST(json_set(CAST(state AS TEXT), '$.seats', json('[1, 99]')) AS BLOB)",
            "UPDATE sitting SET state = CAST(json_set(CAST(state AS TEXT), '$.results', json('[]')) AS BLOB)",
        ],
    )
    def test_nonsense_in_the_store_is_one_line(self, sql: str, data: Path, tmp_path: Path) -> None:
        shutil.copytree(data, tmp_path / "data")
        with closing(sqlite3.connect(tmp_path / "data" / FILE)) as db:
            db.execute(sql)
            db.commit()
        found = [history(tmp_path / "data", "tournament", "1", view) for view in VIEWS]
        found.append(history(tmp_path / "data", "tournaments"))
        says = f"kille: {tmp_path / 'data' / FILE} is damaged, or not ours; put back a backup\n"
        assert {(one.exit_code, one.stdout, one.stderr) for one in found} == {(Exit.WRONG_USE, "", says)}
