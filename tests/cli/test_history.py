"""`kille history` and the data folders of servers."""

import csv
import io
import json
import re
import shutil
import sqlite3
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kille_net.cli import main
from kille_net.cli.exit_codes import Exit
from kille_net.game.shuffle import Seeded
from kille_net.server.schema import FILE
from kille_net.wire import messages as m
from tests.cli.test_serve import in_a_hand, running, welcomed
from tests.server.house import House, choices, options


def last(question: m.Question) -> m.Do:
    return choices(question)[-1]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a match that is over, one that was broken off, and one that is played."""
    folder = tmp_path_factory.mktemp("data")
    numbers = count()
    house = House(data=folder, shuffle=lambda: Seeded("tests", bytes([16, next(numbers), *bytes(14)])))
    house.now = 1_790_000_000.0
    ada, bo = house.match(options(3, computers=1, pots=2), "Ada", "-Bo")
    house.play([ada, bo], last)
    house.wait(61.0)
    house.ready(ada)
    house.ready(bo)
    house.carry(house.lobby.close("Room", house.now) or [])
    house.create(ada, options(2, computers=1), "Krogen")
    assert house.start(ada) is not None
    assert house.store is not None
    house.store.close()
    return folder


def history(data: Path, *words: str, lang: str = "en", stdin: str = "") -> Result:
    return CliRunner().invoke(main, ["--lang", lang, "history", "--data", str(data), *words], input=stdin)


def ids(data: Path) -> list[str]:
    return [match["id"] for match in json.loads(history(data, "list", "--json").stdout)]


class TestList:
    def test_is_a_line_a_match_the_last_one_first(self, data: Path) -> None:
        lines = history(data, "list").stdout.splitlines()
        assert lines[0].split() == ["id", "began", "time", "table", "game", "hands", "how", "it", "went"]
        assert [line[:8] for line in lines[1:]] == [match[:8] for match in ids(data)]
        assert "Krogen" in lines[1]
        assert lines[1].endswith("playing: Ada 0, Movitz 0")
        assert lines[2].endswith("broken off (closed by whoever runs the server): Ada 0, Movitz 0, -Bo 0")
        assert re.fullmatch(r".*Room    pots 2 +\d+ +(Ada|-Bo|Movitz) [12],.*", lines[3])

    def test_speaks_swedish(self, data: Path) -> None:
        lines = history(data, "list", lang="sv").stdout.splitlines()
        assert lines[1].endswith("spelas: Ada 0, Movitz 0")
        assert "avbruten (stängt av den som har servern)" in lines[2]

    def test_may_be_narrowed(self, data: Path) -> None:
        assert len(history(data, "list", "--last", "1").stdout.splitlines()) == 2
        assert len(history(data, "list", "--room", "krogen").stdout.splitlines()) == 2
        assert len(history(data, "list", "--player", "-bo").stdout.splitlines()) == 3
        nothing = history(data, "list", "--player", "Eva")
        assert (nothing.exit_code, nothing.stdout, nothing.stderr) == (Exit.DONE, "", "kille: no matches\n")

    def test_as_json_tells_all(self, data: Path) -> None:
        match = json.loads(history(data, "list", "--json").stdout)[2]
        assert match["began"] == "2026-09-21T14:13:20+00:00"
        assert (match["room"], match["format"], match["pots"], match["reason"]) == ("Room", "pots", 2, None)
        kinds = [(seat["name"], seat["kind"], seat["level"]) for seat in match["seats"]]
        assert kinds == [("Ada", "person", ""), ("Movitz", "computer", "easy"), ("-Bo", "person", "")]
        assert min(seat["place"] for seat in match["seats"]) == 1
        assert json.loads(history(data, "list", "--json", "--player", "Eva").stdout) == []

    def test_as_csv_is_a_line_a_seat_and_no_formula(self, data: Path) -> None:
        rows = list(csv.DictReader(io.StringIO(history(data, "list", "--csv").stdout)))
        assert len(rows) == 2 + 3 + 3
        assert {row["name"] for row in rows} == {"Ada", "'-Bo", "Movitz"}
        assert {row["id"] for row in rows} == set(ids(data))
        assert [row["rated"] for row in rows] == [*[""] * 2, *["broken_off"] * 3, *["yes"] * 3]


class TestShow:
    def test_tells_who_sat_where_and_how_it_ended(self, data: Path) -> None:
        over = ids(data)[2]
        lines = history(data, "show", over[:31]).stdout.splitlines()
        assert lines[0].split() == ["match", over]
        assert "end    played to the end" in lines
        who = [re.match(r"(\d +\S+ +.+?) +[0-2] +[123]$", line) for line in lines[-3:]]
        assert [one and one[1].split() for one in who] == [
            ["1", "Ada", "person"],
            ["2", "Movitz", "computer", "(easy)"],
            ["3", "-Bo", "person"],
        ]
        assert (
            "slut     avbruten: stängt av den som har servern" in history(data, "show", ids(data)[1], lang="sv").stdout
        )

    def test_of_a_match_that_is_played_shows_no_card(self, data: Path) -> None:
        shown = history(data, "show", ids(data)[0])
        assert shown.exit_code == Exit.DONE
        assert "end    playing" in shown.stdout
        words = set(re.findall(r"\w+", shown.stdout.casefold()))
        assert not words & {"kuku", "kavall", "husar", "husu", "vardshus", "harlekin", "blaren", "kransen", "secret"}

    @pytest.mark.parametrize(
        ("match", "code", "text"),
        [
            ("ab\x1b", Exit.DOES_NOT_HOLD, "there is no match ab\ufffd; kille history list shows them"),
            ("10", Exit.WRONG_USE, "several matches begin with 10; type more digits"),
        ],
    )
    def test_says_what_it_does_not_find(self, data: Path, match: str, code: Exit, text: str) -> None:
        result = history(data, "show", match)
        assert (result.exit_code, result.stdout, result.stderr) == (code, "", f"kille: {text}\n")


class TestExport:
    def test_one_to_standard_output_as_verify_takes_it(self, data: Path) -> None:
        record = history(data, "export", ids(data)[2])
        assert record.exit_code == Exit.DONE
        verified = CliRunner().invoke(main, ["--lang", "en", "verify", "-"], input=record.stdout)
        assert verified.exit_code == Exit.DONE, verified.stderr
        assert verified.stdout.endswith("hands agree\n")

    @pytest.mark.parametrize(
        ("number", "end"), [(1, "The match is broken off (closed by"), (2, "wins the match! Score")]
    )
    def test_and_as_replay_takes_it(self, data: Path, number: int, end: str) -> None:
        record = history(data, "export", ids(data)[number])
        told = CliRunner().invoke(main, ["--lang", "en", "replay", "-", "--seat", "Ada"], input=record.stdout)
        assert (told.exit_code, told.stderr) == (Exit.DONE, "")
        assert "As Ada saw it." in told.stdout
        assert end in told.stdout.splitlines()[-1]

    def test_several_to_files(self, data: Path, tmp_path: Path) -> None:
        _, broken, over = ids(data)
        out = tmp_path / "new" / "records"
        result = history(data, "export", broken, over, "--out", str(out))
        assert (result.exit_code, result.output) == (Exit.DONE, "")
        assert sorted(path.name for path in out.iterdir()) == sorted([f"{broken}.jsonl", f"{over}.jsonl"])
        assert CliRunner().invoke(main, ["verify", str(out)]).exit_code == Exit.DONE
        everything = history(data, "export", "--all", "--out", str(tmp_path / "all"))
        assert (everything.exit_code, everything.stderr) == (Exit.DONE, "kille: 1 still played, left out\n")
        assert sorted(path.name for path in (tmp_path / "all").iterdir()) == sorted(path.name for path in out.iterdir())

    def test_refuses_a_match_that_is_played_and_writes_nothing(self, data: Path, tmp_path: Path) -> None:
        playing, _, over = ids(data)
        for words in ([playing], [over, playing, "--out", str(tmp_path / "out")]):
            result = history(data, "export", *words)
            assert (result.exit_code, result.stdout) == (Exit.DOES_NOT_HOLD, "")
            assert result.stderr == f"kille: {playing[:8]} is still being played; it can be exported when it is over\n"
        assert not (tmp_path / "out").exists()

    @pytest.mark.parametrize("words", [[], ["--all"], ["a", "b"], ["a", "--all"]])
    def test_says_what_it_needs(self, data: Path, words: list[str]) -> None:
        result = history(data, "export", *words)
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (Exit.WRONG_USE, "", 1)

    def test_says_where_it_cannot_write(self, data: Path, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        result = history(data, "export", "--all", "--out", str(tmp_path / "file" / "below"))
        assert result.exit_code == Exit.WRONG_USE
        assert result.stderr.splitlines()[-1].startswith("kille: cannot write in ")


class TestStandings:
    def test_are_of_persons_unless_bots_are_asked_for(self, data: Path) -> None:
        rows = history(data, "standings").stdout.splitlines()
        assert rows[0].split() == ["#", "name", "who", "matches", "wins", "points", "mean", "place"]
        assert sorted(row.split()[1] for row in rows[1:]) == ["-Bo", "Ada"]
        everybody = json.loads(history(data, "standings", "--bots", "--json").stdout)
        assert sorted((one["name"], one["kind"], one["level"]) for one in everybody) == [
            ("", "computer", "easy"),
            ("-Bo", "person", ""),
            ("Ada", "person", ""),
        ]
        assert sum(one["wins"] for one in everybody) == 1
        assert sum(one["points"] for one in everybody) >= 2

    def test_as_csv_hold_no_formula(self, data: Path) -> None:
        rows = list(csv.DictReader(io.StringIO(history(data, "standings", "--csv").stdout)))
        assert sorted(row["name"] for row in rows) == ["'-Bo", "Ada"]

    def test_may_be_narrowed(self, data: Path) -> None:
        assert history(data, "standings", "--format", "sticks").stderr == "kille: no matches\n"
        assert history(data, "standings", "--since", "2026-09-23").stderr == "kille: no matches\n"
        assert len(history(data, "standings", "--since", "2026-09-19").stdout.splitlines()) == 3
        assert history(data, "standings", "--since", "yesterday").exit_code == Exit.WRONG_USE


@pytest.mark.parametrize("lang", ["en", "sv"])
def test_bots_of_one_name_are_told_apart_and_where_only_they_have_played_it_is_said(tmp_path: Path, lang: str) -> None:
    house = House(data=tmp_path)
    for room in ("Ett", "Tu"):
        one, other = house.guest("sharp", bot=True), house.guest(f"bot {room}", bot=True)
        house.create(one, options(2), room)
        house.join(other, room)
        house.start(one)
        house.play([one, other], last)
        for guest in (one, other):
            house.lose(guest, is_done=True)
    assert house.store is not None
    house.store.close()
    says = {
        "en": "kille: only bots and computers have played: --bots shows them\n",
        "sv": "kille: bara botar och datorer har spelat: --bots visar dem\n",
    }
    for view in ("ratings", "standings"):
        nothing = history(tmp_path, view, lang=lang)
        assert (nothing.exit_code, nothing.stdout, nothing.stderr) == (Exit.DONE, "", says[lang])
        told = history(tmp_path, view, "--bots", lang=lang).stdout
        assert sorted(re.findall(r"bot \w+|sharp.{4}", told)) == ["bot Ett", "bot Tu", "sharp (1)", "sharp (2)"]
        of_all = json.loads(history(tmp_path, view, "--bots", "--json").stdout)
        assert {(one["name"], one["player"]) for one in of_all} == {
            *(("sharp", number) for number in (1, 3)),
            ("bot Ett", 2),
            ("bot Tu", 4),
        }


class TestRatings:
    def test_are_of_persons_unless_bots_are_asked_for(self, data: Path) -> None:
        told = history(data, "ratings")
        rows = [row.split() for row in told.stdout.splitlines()]
        assert rows[0] == ["game", "#", "name", "who", "matches", "from", "rating", "to"]
        assert sorted(row[2] for row in rows[1:]) == ["-Bo", "Ada"]
        assert all(float(row[5]) < float(row[6]) < float(row[7]) for row in rows[1:])
        assert told.stderr == "kille: 1 match is not rated (broken off)\n"
        everybody = json.loads(history(data, "ratings", "--bots", "--json").stdout)
        assert {(one["format"], one["kind"], one["level"], one["matches"]) for one in everybody} == {
            ("pots", "person", "", 1),
            ("pots", "computer", "easy", 1),
        }
        assert [one["rank"] for one in everybody] == sorted(one["rank"] for one in everybody)
        assert [one["low"] for one in everybody] == sorted((one["low"] for one in everybody), reverse=True)

    def test_speak_swedish(self, data: Path) -> None:
        told = history(data, "ratings", lang="sv")
        assert told.stdout.split()[:8] == ["spel", "#", "namn", "vem", "matcher", "från", "rating", "till"]
        assert history(data, "ratings", "--format", "partier", lang="sv").stdout == told.stdout
        assert told.stderr == "kille: 1 match räknas inte i ratingen (avbruten)\n"

    def test_as_csv_hold_no_formula(self, data: Path) -> None:
        rows = list(csv.DictReader(io.StringIO(history(data, "ratings", "--csv").stdout)))
        assert sorted(row["name"] for row in rows) == ["'-Bo", "Ada"]

    def test_of_a_format_that_nobody_has_played_are_none(self, data: Path) -> None:
        assert history(data, "ratings", "--format", "sticks").stderr == "kille: no matches\n"

    def test_of_each_match_it_is_told_whether_it_counts(self, data: Path) -> None:
        said = [history(data, "show", match).stdout for match in ids(data)]
        assert [re.findall(r"^rated +(.+)$", text, re.MULTILINE) for text in said] == [
            ["-"],
            ["no (broken off)"],
            ["yes"],
        ]


class TestFolders:
    def test_one_where_a_server_runs(self, tmp_path: Path) -> None:
        with running("--data", str(tmp_path)) as (_, _, port):
            assert history(tmp_path, "list").stderr == "kille: no matches\n"
            sock, _ = welcomed(port)
            with sock:
                in_a_hand(sock)
                assert "playing: Ada 0, Movitz 0" in history(tmp_path, "list").stdout
                assert history(tmp_path, "export", ids(tmp_path)[0]).exit_code == Exit.DOES_NOT_HOLD

    def test_without_a_store_or_with_a_damaged_one_are_one_line(self, tmp_path: Path) -> None:
        file = tmp_path / FILE
        missing = history(tmp_path, "list")
        assert (missing.exit_code, missing.stdout) == (Exit.WRONG_USE, "")
        assert missing.stderr == f"kille: there is no {file}; choose the folder of a server with --data\n"
        file.write_text("no database")
        damaged = history(tmp_path, "standings", lang="sv")
        assert damaged.exit_code == Exit.WRONG_USE
        assert damaged.stderr == f"kille: {file} är skadad eller inte vår; lägg tillbaka en kopia\n"
        file.unlink()
        file.mkdir()
        assert history(tmp_path, "list").stderr.startswith(f"kille: cannot read {file}: ")

    @pytest.mark.parametrize(
        "sql",
        [
            "UPDATE match SET began = 1e300",
            "UPDATE match SET began = -1e12",
            "UPDATE match SET began = 'soon'",
            "UPDATE match SET ended = 9e999",
            "UPDATE match SET id = n || 'abc'",
            "UPDATE match SET room_name = x'ff'",
            "UPDATE match SET reason = x'ff'",
            "UPDATE match SET header = '[]'",
            "UPDATE seat SET name = x'ff'",
            "UPDATE seat SET points = 'many'",
            "UPDATE seat SET level = x'ff'",
        ],
    )
    def test_nonsense_in_the_store_is_one_line(self, sql: str, data: Path, tmp_path: Path) -> None:
        shutil.copytree(data, tmp_path / "data")
        with closing(sqlite3.connect(tmp_path / "data" / FILE)) as db:
            db.execute(sql)
            db.commit()
        found = [
            history(tmp_path / "data", *words)
            for words in (
                ["list"], ["list", "--csv"], ["list", "--json"], ["show", "1"], ["standings", "--bots"],
                ["ratings", "--bots"],
                ["export", "--all", "--out", str(tmp_path / "out")],
            )
        ]  # fmt: skip
        assert {one.exit_code for one in found} <= {Exit.DONE, Exit.DOES_NOT_HOLD, Exit.WRONG_USE}
        assert [one.exception for one in found if not isinstance(one.exception, SystemExit | None)] == []
        says = f"kille: {tmp_path / 'data' / FILE} is damaged, or not ours; put back a backup\n"
        assert found[0].stderr == says

    @pytest.mark.parametrize("since", ["0001-01-01", "1969-12-31", "9999-12-31"])
    def test_any_day_is_one_since_which_matches_may_be_counted(self, since: str, data: Path) -> None:
        result = history(data, "standings", "--since", since)
        assert (result.exit_code, bool(result.stdout)) == (Exit.DONE, since < "2000")
