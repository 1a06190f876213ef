"""A club evening: four bots sign up for a tournament that a file describes, and play it to its end."""

import json
from pathlib import Path
from typing import Final

from click.testing import CliRunner, Result

from kille_net.cli import main
from tests.cli.test_serve import running
from tests.serving import kille

NAME: Final = "Torsdag"
PLAN: Final = f"""
name = "{NAME}"
number = 4
rounds = 2
seats = 2
pause = 1
length = "short"
pots = 1
"""


def admin(data: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["--lang", "en", "admin", "--data", str(data), *words])


def test_it_is_opened_at_each_start_unless_it_goes_on_from_before_or_its_date_has_passed(tmp_path: Path) -> None:
    data = tmp_path / "data"
    torsdag, fredag, past = (tmp_path / f"{name}.toml" for name in ("torsdag", "fredag", "past"))
    torsdag.write_text(PLAN, encoding="utf-8")
    fredag.write_text('name = "Fredag"', encoding="utf-8")
    past.write_text('name = "Past"\nstart = 2026-01-01T19:00:00', encoding="utf-8")
    files = [word for file in (torsdag, fredag, past) for word in ("--tournament", str(file))]
    for turn in range(2):
        with running("--data", str(data), *files, "--log-format", "json") as (process, _, _port):
            shown = json.loads(admin(data, "--json", "tournaments").stdout)
            assert sorted(one["name"] for one in shown if one["stage"] == "open") == ["Fredag", NAME]
            if not turn:
                assert admin(data, "tournament", "cancel", "Fredag").stdout == "done\n"
            process.terminate()
            _, err = process.communicate(timeout=20)
        log = [json.loads(line) for line in err.splitlines()]
        done = [(line["event"], line["tournament"], line.get("code", "")) for line in log if "tournament" in line]
        expected = [
            ("tournament_not_opened", NAME, "tournament_exists") if turn else ("tournament_opened", NAME, ""),
            ("tournament_opened", "Fredag", ""),
            ("tournament_not_opened", "Past", "past"),
        ]
        assert sorted(done[:3]) == sorted(expected)


def test_a_tournament_of_a_file_is_played_to_its_end_and_told_to_whoever_runs_the_server(tmp_path: Path) -> None:
    file, data = tmp_path / "torsdag.toml", tmp_path / "data"
    file.write_text(PLAN, encoding="utf-8")
    with running("--data", str(data), "--tournament", str(file), "--log-format", "json") as (process, _, port):
        assert admin(data, "tournaments").stdout == f"{NAME}: Swiss, open, 0 entrants\n"
        bots = kille("bot", "run", "sharp", f"127.0.0.1:{port}", "--count", "4", "--tournament", NAME)
        assert bots.returncode == 0, bots.stderr
        told = json.loads(admin(data, "--json", "tournament", "standings", NAME).stdout)
        assert (told["stage"], told["round"], told["rounds"]) == ("over", 2, 2)
        shown = admin(data, "tournament", "standings", NAME).stdout.splitlines()
        kept = kille("history", "--data", str(data), "tournament", NAME, "--json")
        process.terminate()
        _, err = process.communicate(timeout=20)
        assert process.returncode == 0
    standings = told["standings"]
    assert [one["played"] for one in standings] == [2] * 4
    assert sum(one["score"] for one in standings) == 4.0
    assert shown == [f"{one['rank']}. {one['name']} {one['score']:.2f} (2 tables)" for one in standings]
    assert json.loads(kept.stdout) == standings
    log = [json.loads(line) for line in err.splitlines()]
    events = [line["event"] for line in log if line.get("tournament") == NAME]
    assert events == [
        "tournament_opened", "tournament_began",
        "round_began", "table_over", "table_over", "round_began", "table_over", "table_over", "tournament_over",
    ]  # fmt: skip
    first = next(line["first"] for line in log if line["event"] == "tournament_over")
    assert first.split(", ") == [one["name"] for one in standings if one["rank"] == 1]
