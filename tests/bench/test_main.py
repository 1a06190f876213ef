"""`make bench`: a little of it, from end to end."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.bench.contestants import KILLE


def bench(*arguments: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.bench", *arguments]
    environment = os.environ if path is None else {**os.environ, "PATH": path}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment)


def test_tables_are_shown_and_everything_is_kept_as_json(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    little = ("--quick", "--rounds", "1", "--seconds", "0.3", "--tables", "2", "--only", KILLE)
    done = bench("tables", "paced", *little, "--rate", "20", "--out", str(out))
    assert (done.returncode, done.stderr) == (0, "")
    assert sum(line.startswith(f"{KILLE} ") for line in done.stdout.splitlines()) == 2
    report = json.loads(out.read_text(encoding="utf-8"))
    assert report["machine"]["commit"]["count"] > 0
    assert report["tables"]["2"][KILLE][0]["actions"] > 0
    assert report["paced"][KILLE][0]["plan"]["rate"] == 20
    assert "hands" not in report


def test_how_long_a_start_takes_is_shown() -> None:
    done = bench("start", "--quick")
    assert (done.returncode, done.stderr) == (0, "")
    shown = [line for line in done.stdout.splitlines() if line.endswith(" ms of a processor")]
    assert [line.split("  ")[0] for line in shown] == [
        "python, nothing",
        "kille --help",
        "kille serve, until it listens",
    ]


def test_more_tables_than_there_are_files_for_are_left_out() -> None:
    done = bench("growth", "--quick", "--sizes", "10000000")
    assert done.returncode == 0
    assert "left out" in done.stdout


def test_without_node_the_others_are_measured(tmp_path: Path) -> None:
    little = ("--quick", "--rounds", "1", "--seconds", "0.3", "--tables", "2")
    relay = "trio, direct sends, 4 messages"
    done = bench("tables", *little, "--only", "Colyseus, messages", "--only", relay, path=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert "left out: Colyseus, messages: there is no node and npm here\n" in done.stdout
    assert f"\n{relay} " in done.stdout


def test_a_part_that_there_is_not() -> None:
    done = bench("nothing")
    assert done.returncode == 2
    assert "no such part: nothing" in done.stderr
