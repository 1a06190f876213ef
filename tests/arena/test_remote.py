"""Programs in an arena: the same numbers as in process, and whatever one does costs nobody but its own seat."""

import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Self

import pytest

from kille_net.arena.blocks import Block, BlockPlayer, play_blocks
from kille_net.arena.kept import fingerprints
from kille_net.arena.plan import Plan, labels_of
from kille_net.arena.programs import filled, label_of, words_of
from kille_net.arena.remote import must_come
from kille_net.bots import BotError
from kille_net.bots.guard import Fault
from kille_net.game.rules import Format, HarlekinRank, Ruleset
from tests.deep import size
from tests.examples.running import KILLE, ROOT, need_node

PLACES = "{host} {port} --name {name} --room {room} --matches {matches}"
RAW = f"{shlex.quote(sys.executable)} {ROOT}/examples/raw_client.py"
PLAN = Plan(bots=("random", "easy"), seats=2, rules=Ruleset(pots=1), seed="remote", blocks=3, seconds=20, ready=30)
WARY = str(ROOT / "examples/memory_bot.py")


def own(bot: str) -> str:
    """A bot of ours, or for us, as a program."""
    return f"tcp:{KILLE} bot run {bot} {{host}}:{{port}} --name {{name}} --room {{room}} --matches {{matches}}"


def played(plan: Plan, *, jobs: int = 1) -> list[Block]:
    return list(play_blocks(plan, jobs))


def numbers(blocks: list[Block]) -> list[object]:
    return [(block.number, block.results) for block in blocks]


def faults(blocks: list[Block]) -> set[Fault]:
    return {complaint.fault for block in blocks for complaint in block.complaints[0].counts}


# --- the same as in process -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bot", "seats", "rules"),
    [
        ("sharp", 2, Ruleset(pots=3)),
        ("sharp", 3, Ruleset(pots=2, dealt_harlekin=HarlekinRank.LOW)),
        (WARY, 4, Ruleset(pots=2)),
        (WARY, 3, Ruleset(format=Format.STICKS, pots=4)),
    ],
)
def test_a_program_plays_as_the_same_bot_in_process(bot: str, seats: int, rules: Ruleset) -> None:
    """Its Kuku comes at the same safe point, too, and holding it back is heard as that."""
    plan = replace(PLAN, bots=(bot, "easy"), seats=seats, rules=rules, blocks=size(3, 60))
    over_tcp = played(replace(plan, bots=(own(bot), "easy")))
    assert faults(over_tcp) == set()
    assert numbers(over_tcp) == numbers(played(plan))


def test_the_jobs_make_no_difference() -> None:
    plan = replace(PLAN, bots=(f"tcp:{RAW} {PLACES}", "easy"), blocks=4)
    assert numbers(played(plan, jobs=2)) == numbers(played(plan))


def test_the_client_in_python_finds_nothing_that_differs_from_what_it_folds(tmp_path: Path) -> None:
    """It says so at the end of its matches, so that it is started anew for each."""
    once = f"tcp:{RAW} {PLACES}".replace("{matches}", "1")
    rules = (Ruleset(pots=2), Ruleset(format=Format.STICKS, pots=3))
    for number, rule in enumerate(rules):
        plan = replace(PLAN, bots=(once, "careful"), seats=3, rules=rule, blocks=2, logs=str(tmp_path))
        blocks = played(plan)
        assert faults(blocks) == set()
        (log,) = tmp_path.iterdir()
        said = log.read_text()
        assert "there" not in said, "a difference"
        assert said.count("is in Arena") == said.count(" wins ") == (number + 1) * 12


def test_the_bot_in_javascript_plays_along() -> None:
    plan = replace(PLAN, bots=(f"tcp:{need_node()} {ROOT}/examples/javascript/bot.mjs {PLACES}", "sharp"), seats=4)
    blocks = played(plan)
    assert faults(blocks) == set()
    assert numbers(blocks) == numbers(played(plan))


# --- what a program may do wrong --------------------------------------------------------------------------------------

BAD = """
import os, socket, sys, time
sys.path.insert(0, {root!r})
from examples import raw_client

class Bad(raw_client.Player):
{manner}

raw_client.Player = Bad
sys.exit(raw_client.main())
"""
TWICE = """
    def act(self):
        super().act()
        super().act()
"""
ILLEGAL = """
    def act(self):
        if self.question:
            self.command("act", turn=self.question["turn"], do="depends")
            self.question = dict(self.question)
            super().act()
"""
SILENT = """
    def act(self):
        pass
"""
STUBBORN = """
    def act(self):
        if os.fork():
            time.sleep(600)
"""
WRAPPED = """
    def act(self):
        if os.fork():
            os.waitpid(-1, 0)
        time.sleep(600)
"""
LEAVES = """
    def act(self):
        print("that will do", flush=True)
        self.line.socket.close()
        os._exit(3)
"""
GARBAGE = """
    def act(self):
        self.line.socket.sendall(bytes([0, 0, 0, 1, 193]))
        self.line.receive()
"""
FLOOD = """
    def act(self):
        while True:
            self.command("rooms", page=0)
"""
LONG = """
    def act(self):
        while True:
            self.line.socket.sendall(b"x" * 100_000)
"""
DONE = """
    def act(self):
        self.line.bye("done")
        sys.exit()
"""
DEAF = """
    def tell(self, end):
        time.sleep(600)
"""


@pytest.fixture
def bad(tmp_path: Path) -> Iterator["Bad"]:
    with Bad(tmp_path) as made:
        yield made


class Bad:
    """A program with a manner, whose end can be seen from here: it holds a line of its own to us until then."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "bad.py"
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(30)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def named(self, manner: str) -> str:
        port = self._listener.getsockname()[1]
        held = f"\n    held = socket.create_connection(('127.0.0.1', {port}))\n"
        self.path.write_text(BAD.format(root=str(ROOT), manner=held + manner))
        return f"tcp:{shlex.quote(sys.executable)} {self.path} {PLACES}"

    def has_ended(self) -> bool:
        """The next one that was started, and all that it started."""
        line, _ = self._listener.accept()
        with line:
            line.settimeout(10)
            return line.recv(1) == b""


@pytest.mark.parametrize(
    ("manner", "found", "said"),
    [
        (TWICE, {Fault.UNASKED}, "it answered"),
        (ILLEGAL, {Fault.ILLEGAL, Fault.LOST}, "it answered depends where it may answer"),
        (SILENT, {Fault.HUNG}, "no answer in 0.3 s"),
        (STUBBORN, {Fault.HUNG}, "no answer in 0.3 s"),
        (LEAVES, {Fault.LOST}, "its line has ended; the rest of the match is played by the defaults\nthat will do"),
        (GARBAGE, {Fault.BROKE}, "bad_encoding; the rest"),
        (FLOOD, {Fault.BROKE}, "flood; the rest"),
        (LONG, {Fault.BROKE}, "frame_too_big; the rest"),
        (DONE, {Fault.LOST}, "its line has ended"),
        (DEAF, {Fault.NOT_READY}, "not at the table and ready in"),
    ],
    ids=["twice", "illegal", "silent", "stubborn", "leaves", "garbage", "flood", "long", "done", "deaf"],
)
def test_what_it_does_wrong_is_its_own_loss(bad: Bad, manner: str, found: set[Fault], said: str) -> None:
    """It is told, the match is played to its end, and the next one is played with a program that is there."""
    name = bad.named(manner)
    plan = replace(PLAN, bots=(name, "easy"), blocks=1, seconds=0.3, ready=2.0 if manner is DEAF else 30)
    with closing(BlockPlayer(plan)) as player:
        block = player.play(0)
    assert faults([block]) == found
    assert any(complaint.text.startswith(said) for complaint in block.complaints[0].counts)
    assert not block.complaints[1].counts
    assert len(block.results) == 2
    assert bad.has_ended()
    assert bad.has_ended(), "the one at the other seat"


@pytest.mark.parametrize("manner", [STUBBORN, WRAPPED], ids=["hangs", "is waited for"])
def test_what_it_has_started_ends_with_it(bad: Bad, manner: str) -> None:
    """At once, and not at the end of the arena: there may be thousands of matches."""
    plan = replace(PLAN, bots=(bad.named(manner), "easy"), blocks=1, seconds=0.3)
    with closing(BlockPlayer(plan)) as player:
        player.play(0)
        assert bad.has_ended()
        assert bad.has_ended(), "the one at the other seat"


def test_what_ends_its_group_costs_no_other_program_anything(bad: Bad) -> None:
    """As a shell does by `kill 0`."""
    ends = "    def act(self):\n        os.killpg(0, 9)\n"
    plan = replace(PLAN, bots=(bad.named(ends), f"tcp:{RAW} {PLACES}"), blocks=2)
    blocks = played(plan)
    assert faults(blocks) == {Fault.LOST}
    assert not any(block.complaints[1].counts for block in blocks)


def test_what_answers_twice_plays_as_what_does_not(bad: Bad) -> None:
    plan = replace(PLAN, bots=(f"tcp:{RAW} {PLACES}", "easy"), blocks=2)
    assert numbers(played(replace(plan, bots=(bad.named(TWICE), "easy")))) == numbers(played(plan))


def test_a_program_that_went_between_two_matches_is_started_anew(bad: Bad) -> None:
    name = bad.named(SILENT.replace("pass", "super().act()") + "        if self.question['view']['hand'] < 0: 1 / 0\n")
    once = name.replace("{matches}", "1")
    blocks = played(replace(PLAN, bots=(once, "easy"), blocks=2))
    assert faults(blocks) == set()
    assert all(bad.has_ended() for _ in range(4))
    assert numbers(blocks) == numbers(played(replace(PLAN, bots=(name, "easy"), blocks=2)))


def test_what_it_prints_is_in_its_log_and_the_log_is_bounded(bad: Bad, tmp_path: Path) -> None:
    loud = "    def act(self):\n        print('x' * 300_000, flush=True)\n        super().act()\n"
    logs = tmp_path / "logs"
    logs.mkdir()
    blocks = played(replace(PLAN, bots=(bad.named(loud), "easy"), logs=str(logs)))
    assert faults(blocks) == set()
    assert sorted(path.name for path in logs.iterdir()) == ["bad.log", "bad.log.1"]
    assert all(path.stat().st_size <= 1_000_000 for path in logs.iterdir())


# --- nothing stays behind ---------------------------------------------------------------------------------------------


@contextmanager
def arena(name: str, jobs: int) -> Iterator[subprocess.Popen[str]]:
    words = [str(KILLE), "--lang", "en", "arena", name, "easy", "--seats", "2", "--jobs", str(jobs), "--budget", "600"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("how", ["INT", "TERM", "KILL"])
def test_nothing_is_left_when_the_arena_is_ended(bad: Bad, how: str) -> None:
    """Not even what the program has started, and though it hangs."""
    with arena(bad.named(STUBBORN), 1) as process:
        assert bad.has_ended(), "the trial before the arena"
        line, _ = bad._listener.accept()
        with line:
            line.settimeout(2)
            with pytest.raises(TimeoutError):
                line.recv(1)
            subprocess.run(["kill", f"-{how}", str(process.pid)], check=True)
            line.settimeout(20)
            assert line.recv(1) == b""


def test_nothing_is_left_when_a_worker_is_killed(bad: Bad) -> None:
    with arena(bad.named(STUBBORN), 2) as process:
        assert bad.has_ended()
        lines = [bad._listener.accept()[0] for _ in range(2)]
        ps = ["ps", "-o", "pid=,args=", "--ppid", str(process.pid)]
        listed = subprocess.run(ps, capture_output=True, text=True, check=True)
        workers = [line.split()[0] for line in listed.stdout.splitlines() if "spawn_main" in line]
        assert len(workers) == 2
        subprocess.run(["kill", "-KILL", *workers], check=True)
        for line in lines:
            with line:
                line.settimeout(20)
                assert line.recv(1) == b""
        _, err = process.communicate(timeout=20)
    assert "a process that played has ended" in err or process.returncode == 1


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "label"),
    [
        ("node examples/javascript/bot.mjs {host} {port} --name {name}", "bot"),
        ("kille bot run sharp {host}:{port} --room {room}", "sharp"),
        ("./gopher --fast {host} {port}", "gopher"),
        ("'my bot' --port={port}", "my bot"),
        ("{name}", "tcp"),
    ],
)
def test_a_label_says_what_plays(command: str, label: str) -> None:
    assert label_of(f"tcp:{command}") == label


def test_labels_differ() -> None:
    assert labels_of(("tcp:./a {port}", "tcp:./a {host} {port}", "sharp")) == ("a#1", "a#2", "sharp")


def test_places_are_filled_wherever_they_are() -> None:
    words = words_of("tcp:x --at={host}:{port} '{name} {other}'")
    assert filled(words, {"host": "h", "port": 1, "name": "n"}) == ["x", "--at=h:1", "n {other}"]


@pytest.mark.parametrize("name", ["tcp:", "tcp:  ", "tcp:'x"])
def test_a_name_without_a_program(name: str) -> None:
    with pytest.raises(BotError, match="names no program"):
        words_of(name)


def test_a_program_that_is_changed_is_another(tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    path.write_text("1")
    name = f"tcp:{sys.executable} {path} {{port}}"
    before = fingerprints((name, "easy"))
    assert fingerprints((name, "easy")) == before
    path.write_text("2")
    after = fingerprints((name, "easy"))
    assert after[0] != before[0]
    assert after[1:] == before[1:]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("nosuchprogram x", "nosuchprogram cannot be started: No such file or directory"),
        ("{python} -c 'print(3); print(4)'", "has ended with status 0 before it was at the table and ready"),
        ("{python} -c 'import time; time.sleep(600)'", "is not at the table and ready in 1.5 s"),
    ],
)
def test_a_program_that_does_not_come_is_told_at_once(command: str, said: str) -> None:
    name = "tcp:" + command.replace("{python}", shlex.quote(sys.executable))
    with pytest.raises(BotError) as error:
        must_come(name, 15 if "print" in command else 1.5)
    assert str(error.value).endswith(said)


def test_one_that_does_not_come_any_more_is_a_complaint_in_each_match() -> None:
    plan = replace(PLAN, bots=("tcp:nosuchprogram x", "easy"), blocks=1)
    blocks = played(plan)
    assert faults(blocks) == {Fault.NOT_READY}
    assert sum(blocks[0].complaints[0].counts.values()) == 2
