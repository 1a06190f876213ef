"""A club evening: 24 bots and two people play a tournament to its end, unattended, while the server and players die."""

import json
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest

from tests.server.tournament.recount import read_records, recount
from tests.serving import KILLE, doomed, kille
from tests.test_evening import Person

TOURNAMENT: Final = "Kväll"
ENTRANTS: Final = 26
POINT: Final = 840
PLAN: Final = """
name = "Kväll"
kind = "swiss"
seats = 4
rounds = 4
number = 26
late = 1
call = 5
pause = 1
minutes = 2
pots = 1
length = "short"
clock = 2
pace = 0
window = 0
rest = 0
"""
CONFIG: Final = """
[server]
no_discovery = true
[seconds]
away = 2.0
gather = 3.0
"""
SECONDS: Final = 120.0
"""In which the evening is over, whatever happens."""


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        assert isinstance(port, int)
        return port


class Club:
    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.records = folder / "records"
        self.port = _free_port()
        self._plan = folder / "evening.toml"
        self._plan.write_text(PLAN, encoding="utf-8")
        self._config = folder / "kille.toml"
        self._config.write_text(CONFIG, encoding="utf-8")

    @contextmanager
    def server(self) -> Iterator["subprocess.Popen[str]"]:
        command = [*KILLE, "serve", "--host", "127.0.0.1", "--port", str(self.port), "--data", str(self.data)]
        more = ["--config", str(self._config), "--records", str(self.records), "--tournament", str(self._plan)]
        with subprocess.Popen([*command, *more], stdout=subprocess.PIPE, text=True) as process, doomed(process):
            assert process.stdout is not None
            assert process.stdout.readline()
            yield process

    def bots(self, name: str, count: int) -> "subprocess.Popen[str]":
        command = [*KILLE, "--lang", "en", "bot", "run", "sharp", f"127.0.0.1:{self.port}", "--name", name]
        return subprocess.Popen(
            [*command, "--count", str(count), "--tournament", TOURNAMENT],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def told(self, view: str) -> list[dict[str, Any]]:
        told = kille("history", "tournament", TOURNAMENT, view, "--data", str(self.data), "--json")
        assert told.returncode == 0, told.stderr
        found = json.loads(told.stdout)
        assert isinstance(found, list)
        return found

    def wait_for_round(self, number: int) -> None:
        """Until it has been paired."""
        until = time.monotonic() + SECONDS
        while max((row["round"] for row in self.told("schedule")), default=0) < number:
            assert time.monotonic() < until
            time.sleep(0.2)  # other processes play

    @property
    def _stage(self) -> str:
        told = kille("history", "tournaments", "--data", str(self.data), "--json")
        return str(json.loads(told.stdout)[0]["stage"])

    def wait_for_end(self) -> None:
        until = time.monotonic() + SECONDS
        while self._stage != "over":
            assert time.monotonic() < until
            time.sleep(0.2)  # other processes play


def test_an_evening_is_played_to_its_end_and_its_standings_are_what_the_records_come_to(tmp_path: Path) -> None:
    club = Club(tmp_path)
    plays = {
        "There are no tables yet": f"enter {TOURNAMENT}",
        "Press Enter for the next hand": "",
        "Your turn": "b",
        "Answer yes or no": "yes",
        "Better cards? Answer": "no",
        f"{TOURNAMENT} is over": "quit",
    }
    with ExitStack() as stack:
        with club.server() as server:
            crowd = [club.bots(name, count) for name, count in (("Sharp", 20), ("Flaky", 2), ("Gone", 2))]
            for process in crowd:
                stack.enter_context(process)
                stack.enter_context(doomed(process))
            anna = stack.enter_context(Person(club.port, "Anna", plays))
            bo = stack.enter_context(Person(club.port, "Bo", {**plays, "round 3 is over": "withdraw"}))
            club.wait_for_round(1)
            for process in (*crowd[1:], server):
                process.kill()
        with club.server() as server:
            stack.enter_context(doomed(stack.enter_context(club.bots("Flaky", 2))))  # as who they were
            club.wait_for_round(2)
            server.kill()
        with club.server() as server:
            club.wait_for_round(3)
            server.kill()
        with club.server():
            club.wait_for_end()
            assert crowd[0].wait(timeout=30) == 0
            assert anna.leave() == (0, "")
            bo.kill()
    check_standings(club)
    status = {row["name"]: row["status"] for row in club.told("standings")}
    assert len(status) == ENTRANTS
    out = {name for name, how in status.items() if how == "out"}
    assert {"Gone", "Gone 2", "Bo"} <= out
    assert out - {"Bo"} == missed_two_in_a_row(club), "a bot that seeks the server for long may be among them"


def missed_two_in_a_row(club: Club) -> set[str]:
    """Who is out by the rules, without having said so."""
    missed: dict[str, list[bool]] = {}
    for row in club.told("results"):
        for seat in row["seats"] if row["table"] is not None else ():
            missed.setdefault(seat["name"], []).append(seat["missing"])
    return {name for name, tables in missed.items() if (True, True) in pairwise(tables)}


def check_standings(club: Club) -> None:
    """They are what other code makes of the records and of who sat where, and every table has come to something."""
    results, records = club.told("results"), read_records(club.records)
    tables = [row for row in results if row["table"] is not None]
    assert {row["status"] for row in tables} <= {"played", "walkover", "void"}
    assert {row["match"] for row in tables if row["status"] == "played"} <= records.keys()
    came = {
        (row["round"], row["table"]): next(seat["number"] for seat in row["seats"] if seat["place"] == 1)
        for row in tables
        if row["status"] == "walkover"
    }
    missing = {
        row["match"]: [seat["seat"] for seat in row["seats"] if seat["missing"]] for row in tables if row["match"]
    }
    found = club.told("standings")
    numbers = [row["number"] for row in found]
    counts = recount(club.told("schedule"), records, kind="swiss", entrants=numbers, came=came, missing=missing)
    for row in found:
        count = counts[row["number"]]
        assert (row["rank"], row["played"], row["wins"]) == (count.rank, count.played, count.wins)
        assert (row["score"], row["opponents"]) == (
            pytest.approx(count.score / POINT, abs=1e-4),
            pytest.approx(count.opponents / POINT, abs=1e-4),
        )
