"""kille bot check --tcp: bots in any language against a real server, with somebody in the middle."""

import json
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.examples.running import KILLE, ROOT, need_node
from tests.serving import doomed, kille

PLACES = ("{host}", "{port}", "--name", "{name}", "--room", "{room}", "--matches", "{matches}")
PATIENT = ("--budget", "20")
BAD = """
import sys
sys.path.insert(0, {root!r})
from examples import raw_client

class Bad(raw_client.Player):
{manner}

raw_client.Player = Bad
sys.exit(raw_client.main())
"""


def tried(command: Sequence[str], *options: str) -> tuple[int, list[dict[str, Any]]]:
    """The exit status, and the report as a program reads it."""
    done = kille("bot", "check", "--tcp", "--json", *options, "--", *command, seconds=300)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def findings(report: list[dict[str, Any]]) -> list[tuple[str, str, bool]]:
    return [(one["situation"], each["kind"], each["is_fault"]) for one in report for each in one["findings"]]


def test_the_bot_in_javascript_passes_and_comes_back(tmp_path: Path) -> None:
    code, report = tried((need_node(), str(ROOT / "examples/javascript/bot.mjs"), *PLACES), *PATIENT, "--strict")
    assert (code, findings(report)) == (0, [])
    assert len(report) == 12
    assert all(one["ended"] for one in report)


def test_the_client_in_python_passes() -> None:
    code, report = tried((sys.executable, str(ROOT / "examples/raw_client.py"), *PLACES), *PATIENT)
    assert findings(report) == [("tcp.lost", "not_back", False)]
    assert code == 0


def test_our_own_passes_and_comes_back() -> None:
    own = (str(KILLE), "bot", "run", "easy", "{host}:{port}", *PLACES[2:])
    code, report = tried(own, *PATIENT, "--only", "tcp.lost", "--only", "tcp.unsaved", "--only", "tcp.news", "--strict")
    assert (code, findings(report)) == (0, [])


ENTRANT = ("{host}", "{port}", "--name", "{name}", "--tournament", "{tournament}")


@pytest.mark.parametrize("which", ["javascript", "python", "our own"])
def test_who_enters_a_tournament_plays_on_from_a_snapshot_that_it_did_not_ask_for(which: str) -> None:
    program = {
        "javascript": ("node", str(ROOT / "examples/javascript/bot.mjs"), *ENTRANT),
        "python": (sys.executable, str(ROOT / "examples/raw_client.py"), *ENTRANT),
        "our own": (str(KILLE), "bot", "run", "easy", "{host}:{port}", *ENTRANT[2:]),
    }
    if which == "javascript":
        need_node()
    command = program[which]
    code, report = tried(command, *PATIENT, "--strict")
    assert (code, findings(report)) == (0, [])
    assert [(one["situation"], one["ended"]) for one in report] == [("tcp.called", True)]
    assert report[0]["questions"] > 4, "those of both tables"


TWICE = """
    def act(self):
        super().act()
        super().act()
"""
OVERHASTY = """
    def act(self):
        self.command("act", turn=self.question["turn"], do="depends")
"""
SILENT = """
    def act(self):
        pass
"""
LEAVES = """
    def act(self):
        self.line.socket.close()
        raise raw_client.EndedError("that will do")
"""
GARBAGE = """
    def act(self):
        self.line.socket.sendall(bytes([0, 0, 0, 1, 193]))
        self.line.receive()
"""
STRICT = """
    def __init__(self, line, name):
        opens = line.open
        def open_(settings):
            if "of_another_day" in settings:
                raise raw_client.FaultError("bad_field", "settings")
            opens(settings)
        line.open = open_
        super().__init__(line, name)
"""
HASTY = """
    def play(self, matches, **where):
        receives = self.line.receive
        def receive():
            message = receives()
            if message["t"] == "no":
                raise raw_client.EndedError("refused")
            return message
        self.line.receive = receive
        super().play(matches, **where)
"""
NARROW = """
    def play(self, matches, **where):
        receives = self.line.receive
        def receive():
            message = receives()
            if message["t"] == "notice":
                raise raw_client.FaultError("unexpected", "t")
            return message
        self.line.receive = receive
        super().play(matches, **where)
"""
UNASKING = """
    def play(self, matches, **where):
        receives = self.line.receive
        def receive():
            message = receives()
            if message["t"] == "snapshot":
                raise raw_client.FaultError("unexpected", "t")
            return message
        self.line.receive = receive
        super().play(matches, **where)
"""
ONCE = """
    def tell(self, end):
        raise raw_client.EndedError("one table will do")
"""
DEAF = """
    def __init__(self, line, name):
        sends = line.send
        def send(**message):
            if message["t"] != "pong":
                sends(**message)
        line.send = send
        super().__init__(line, name)

    def tell(self, end):
        super().tell(end)
        import time
        time.sleep(4)
"""


@pytest.mark.parametrize(
    ("manner", "situation", "kinds"),
    [
        (TWICE, "tcp.two", {"twice"}),
        (OVERHASTY, "tcp.eight", {"illegal", "left"}),
        (SILENT, "tcp.eight", {"unanswered"}),
        (LEAVES, "tcp.eight", {"left"}),
        (GARBAGE, "tcp.eight", {"bye"}),
        (STRICT, "tcp.settings", {"gave_up"}),
        (DEAF, "tcp.pings", {"no_pong"}),
        (HASTY, "tcp.too_fast", {"left"}),
        (NARROW, "tcp.news", {"gave_up"}),
    ],
    ids=["twice", "illegal", "silent", "leaves", "garbage", "strict", "deaf", "hasty", "narrow"],
)
def test_a_bad_manner_is_found(manner: str, situation: str, kinds: set[str], tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BAD.format(root=str(ROOT), manner=manner))
    code, report = tried((sys.executable, str(tmp_path / "bad.py"), *PLACES), "--only", situation)
    assert code == 1
    assert {kind for _, kind, _ in findings(report)} - {"refused"} == kinds - {"refused"}


@pytest.mark.parametrize(("manner", "kind"), [(UNASKING, "gave_up"), (ONCE, "left")], ids=["unasking", "once"])
def test_a_bad_manner_in_a_tournament_is_found(manner: str, kind: str, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BAD.format(root=str(ROOT), manner=manner))
    code, report = tried((sys.executable, str(tmp_path / "bad.py"), *ENTRANT))
    assert (code, findings(report)) == (1, [("tcp.called", kind, True)])


def test_each_match_is_tried_on_its_own(tmp_path: Path) -> None:
    """Nobody who left the last is in the way."""
    (tmp_path / "bad.py").write_text(BAD.format(root=str(ROOT), manner=LEAVES))
    command = (sys.executable, str(tmp_path / "bad.py"), *PLACES)
    code, report = tried(command, "--only", "tcp.two", "--only", "tcp.three", "--only", "tcp.pings")
    assert code == 1
    assert findings(report) == [(key, "left", True) for key in ("tcp.two", "tcp.three", "tcp.pings")]


def test_a_program_that_does_not_play_is_given_up_after_two_matches() -> None:
    done = kille("bot", "check", "--tcp", "--", sys.executable, "-c", "print('hello')")
    assert done.returncode == 1
    assert done.stdout.count("it did not play its match to the end\n    hello\n") == 2
    assert "Given up after 2 of 12 matches" in done.stdout


def test_it_is_told_in_words_with_the_place_in_the_protocol(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BAD.format(root=str(ROOT), manner=LEAVES))
    command = (sys.executable, str(tmp_path / "bad.py"), *PLACES)
    done = kille("bot", "check", "--tcp", "--only", "tcp.two", "--", *command)
    assert done.returncode == 1
    assert "FAULT in tcp.two, 1 time: it went away before the match was over\n" in done.stdout
    assert "    that will do\n" in done.stdout
    swedish = subprocess.run(
        [KILLE, "--lang", "sv", "bot", "check", "--tcp", "--only", "tcp.two", "--", *command],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "FEL i tcp.two, 1 gång: den gick innan matchen var slut\n" in swedish.stdout


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("--room", "kille: the bot asks for the table Källaren; it is to join the table Krogen\n"),
        ("--tournament", "kille: the bot asks for Källaren; it is to sign up for the tournament Krogen\n"),
    ],
)
def test_a_bot_at_another_table_is_told_at_which_it_is_to_be(place: str, said: str) -> None:
    situation = "tcp.pots" if place == "--room" else "tcp.called"
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    check = [str(KILLE), "--lang", "en", "bot", "check", "--tcp", str(port), "--only", situation]
    with subprocess.Popen(check, stderr=subprocess.PIPE, text=True, encoding="utf-8") as trying, doomed(trying):
        assert trying.stderr is not None
        assert "start the bot at " in trying.stderr.readline()
        words = [str(KILLE), "bot", "run", "easy", f"127.0.0.1:{port}", place, "Källaren"]
        with subprocess.Popen(words, stderr=subprocess.DEVNULL) as bot, doomed(bot):
            assert trying.stderr.readline() == said


def test_a_bot_that_somebody_starts_is_waited_for_at_a_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        where = f"127.0.0.1:{free.getsockname()[1]}"
    with (
        subprocess.Popen(
            [KILLE, "--lang", "en", "bot", "check", "--tcp", where, "--only", "tcp.two", *PATIENT],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as checking,
        doomed(checking),
    ):
        assert checking.stderr is not None
        assert checking.stdout is not None
        line = checking.stderr.readline()
        assert line.startswith(f"kille: start the bot at {where}, table Krogen: ")
        bot = kille("bot", "run", "easy", where, "--room", "Krogen", "--matches", "1")
        assert bot.returncode == 0
        assert checking.wait(timeout=60) == 0
        assert checking.stdout.read().endswith(": no faults\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "what is to be tried?"),
        (("nosuchprogram", "x"), "there is no program nosuchprogram"),
        (("99999",), "an address is HOST"),
        (("192.0.2.1:4747",), "cannot listen there"),
        (("--only", "nosuch", "4747"), "there is no situation 'nosuch'"),
        (("--only", "tcp.called", "true", "{room}"), "tcp.called needs a bot that enters a tournament"),
        (("--only", "tcp.two", "true", "{tournament}"), "tcp.two needs a bot that takes a seat at a table"),
        (("--seed", "x", "--records", "r", "4747"), "leave out --seed, --records"),
    ],
)
def test_what_cannot_be_tried_is_one_line(arguments: tuple[str, ...], said: str) -> None:
    done = kille("bot", "check", "--tcp", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
