"""The bot in Go needs nothing but Go; the long run builds it, and tries it at tables of a real server."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.deep import IS_DEEP
from tests.examples.running import ROOT, answers_to_a_question_after_a_call_that_came_too_late
from tests.serving import kille

FOLDER = ROOT / "examples/go"


def test_it_needs_the_standard_library_alone() -> None:
    assert "require" not in (FOLDER / "go.mod").read_text()
    for path in sorted(FOLDER.glob("*.go")):
        (block,) = re.findall(r"^import \((.*?)^\)", path.read_text(), re.DOTALL | re.MULTILINE)
        imported = re.findall(r'"(.+)"', block)
        assert imported
        assert all("." not in name for name in imported), "what is not of Go's own has the name of a host"


if IS_DEEP:

    def need_go() -> str:
        """Go; a test without it is skipped, but not where all is to be tested."""
        found = shutil.which("go")
        if found is None:
            refuse = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
            refuse("there is no go")
        return found

    @pytest.mark.deep
    def test_it_passes_every_trial_comes_back_after_a_lost_line_and_plays_in_an_arena(tmp_path: Path) -> None:
        go, bot = need_go(), tmp_path / "bot"
        own = {"GOCACHE": str(tmp_path / "cache"), "GOPROXY": "off", "GOTOOLCHAIN": "local", "GOFLAGS": ""}
        for words in (("vet", "."), ("build", "-o", str(bot), ".")):
            done = subprocess.run(
                [go, *words], cwd=FOLDER, env=os.environ | own, capture_output=True, text=True, timeout=300, check=False
            )
            assert done.returncode == 0, done.stderr
        assert answers_to_a_question_after_a_call_that_came_too_late(str(bot), "{host}", "{port}") == 1
        places = ("{host}", "{port}", "--name", "{name}", "--room", "{room}", "--matches", "{matches}")
        tried = kille(
            "bot", "check", "--tcp", "--json", "--strict", "--budget", "20", "--", str(bot), *places, seconds=600
        )
        assert tried.returncode == 0, tried.stdout + tried.stderr
        report = json.loads(tried.stdout)
        assert len(report) == 12
        assert all(one["ended"] and not one["findings"] for one in report)
        outs = [tmp_path / f"{jobs}.json" for jobs in (1, 2)]
        for jobs, out in enumerate(outs, start=1):
            given = (f"tcp:{bot} {' '.join(places)}", "easy", "--seats", "3", "--pots", "1", "--matches", "30")
            arena = kille("arena", *given, "--seed", "go", "--jobs", str(jobs), "--out", str(out))
            assert (arena.returncode, arena.stderr.count("\n")) == (0, 1), arena.stderr
        assert outs[0].read_bytes() == outs[1].read_bytes()
