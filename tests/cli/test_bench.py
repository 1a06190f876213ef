"""`kille bench`: what it says, of little; what its figures mean is `tests/bench`'s."""

import errno
import json
import os
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from kille_net.bench import hosting
from kille_net.bench.plan import Spread
from kille_net.bench.verdict import Verdict, judge
from kille_net.cli import bench as cli_bench
from kille_net.cli import main
from kille_net.cli.exit_codes import Exit
from kille_net.cli.speaking import speaking
from kille_net.languages import LANGUAGES
from tests.bench.test_plan import result
from tests.bench.test_verdict import share
from tests.serving import kille

LITTLE = ("--tables", "2", "--seconds", "0.3")


def test_as_json(tmp_path: Path) -> None:
    done = kille("--data", str(tmp_path), "bench", *LITTLE, "--json", seconds=120)
    assert (done.returncode, done.stderr) == (Exit.DONE, "")
    told = json.loads(done.stdout)
    assert told["tables"] >= 1
    assert told["grade"] in {"unnoticed", "bearable", "slow"}
    assert "lost" not in told["doubts"]
    assert told["full"]["actions"] > 0
    assert told["tables"] == told["share"]["plan"]["tables"] <= 2
    assert list(tmp_path.iterdir()) == []


def said(lang: str, verdict: Verdict) -> str:
    with speaking(["--lang", lang]):
        return "\n".join(cli_bench._lines(verdict))


def verdict(rate: float, **other: object) -> Verdict:
    commit = Spread(100, 2.04, 5.0, 5.0, 6.0)
    return judge(commit, result(), share(rate, **other), free=None, apart=True)


def test_in_words() -> None:
    assert said("en", verdict(612.0)) == (
        "The disk: what happens is on it after 2.0 ms (99 of 100 times within 5.0 ms)\n"
        "As fast as it goes: 50 actions a second at 2 tables\n"
        "2 tables at the pace of people, 50 actions a second: seen by all after 1.0 ms (99 of 100 times within 4.0 ms,"
        " 999 of 1000 within 8.0 ms)\n"
        "The server: 500 millionths of a second of one processor for an action, and 20 KiB of memory for each who"
        " plays\n"
        "\n"
        "This machine carries about 1200 tables of four where people play, with one action in 2 seconds at each.\n"
        "Nobody there notices that others play, too.\n"
        "\n"
        "As it is, a server takes 64 such tables at once; for that many: kille serve --limit connections=4896"
        " --limit rooms=1224"
    )


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_is_not_known_is_not_told(lang: str) -> None:
    known = said(lang, verdict(10.0))
    assert len(known.splitlines()) == 7, "a small machine needs no other limits"
    assert len(said(lang, verdict(10.0, memory=None)).splitlines()) == 6


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("p99", [50.0, 200.0, 900.0])
@pytest.mark.parametrize("doubt", [{}, {"gaps": 1}, {"load_busy": 1.0}, {"server_waited": 0.9}])
def test_every_grade_and_doubt_is_said(lang: str, p99: float, doubt: dict[str, object]) -> None:
    lines = said(lang, verdict(10.0, delays=Spread(400, 1.0, p99, p99, p99), **doubt)).splitlines()
    assert len(lines) == 7 + bool(doubt)
    assert len(set(lines)) == len(lines)


@pytest.mark.parametrize(
    ("lang", "why"),
    [
        ("en", "kille: the measurement was broken off: a connection was lost\n"),
        ("sv", "kille: mätningen avbröts: en förbindelse bröts\n"),
    ],
)
def test_a_server_that_fails_is_told_in_a_line(lang: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that hears nothing."""
    code = (
        "import socket; s = socket.create_server(('127.0.0.1', 0));"
        "print('kille join 127.0.0.1:%d' % s.getsockname()[1], flush=True)\nwhile True: s.accept()[0].close()"
    )
    deaf = [sys.executable, "-c", code]
    monkeypatch.setattr("kille_net.bench.verdict.kille_serve", lambda *_: deaf)
    done = CliRunner().invoke(main, ["--lang", lang, "bench", *LITTLE])
    assert done.exit_code == Exit.DOES_NOT_HOLD
    assert done.stderr == why


@pytest.mark.parametrize("lang", LANGUAGES)
def test_that_no_more_were_tried_is_said(lang: str) -> None:
    commit = Spread(100, 2.04, 5.0, 5.0, 6.0)
    tried = judge(commit, result(), share(10.0), free=None, apart=True, is_most=True)
    assert len(said(lang, tried).splitlines()) == 8


def test_no_more_tables_are_tried_than_there_are_files_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tried: list[int] = []

    def judged(*_: object, most: int, **__: object) -> Verdict:
        tried.append(most)
        return verdict(10.0)

    monkeypatch.setattr("kille_net.bench.verdict.judged", judged)
    monkeypatch.setattr(hosting, "most_files", lambda: 1000)
    for wanted in ("50", "5000"):
        done = CliRunner().invoke(main, ["--data", str(tmp_path), "bench", "--tables", wanted])
        assert done.exit_code == Exit.DONE
    assert tried == [50, 186]


def test_too_few_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosting, "most_files", lambda: 64)
    done = CliRunner().invoke(main, ["--lang", "en", "bench", "--tables", "50"])
    assert done.exit_code == Exit.WRONG_USE
    assert done.stderr == "kille: this system allows too few open files (ulimit -n)\n"


def test_a_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> Spread:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("kille_net.bench.verdict.commit_times", full)
    done = CliRunner().invoke(main, ["--lang", "en", "--data", str(tmp_path), "bench", *LITTLE])
    assert (done.exit_code, done.stderr.count("\n")) == (Exit.WRONG_USE, 1)
    assert done.stderr.startswith(f"kille: cannot measure in {tmp_path}: ")
