"""Programs of the examples as processes: waiting for what they print, and for their end, each for a bounded time."""

import os
import select
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from kille_net.arena.programs import filled
from kille_net.arena.situations import pack_of
from kille_net.game.match import Match
from kille_net.game.rules import Ruleset
from kille_net.game.views import observe
from kille_net.translate import to_legal, to_view
from kille_net.wire import messages as wire
from tests.client.fake_server import NAMES, FakeServer, room

ROOT = Path(__file__).parents[2]
KILLE = Path(sysconfig.get_path("scripts"), "kille")
RAW = (sys.executable, str(ROOT / "examples/raw_client.py"))
FAST = ("length=short", "pace=0", "window=0", "rest=0")
PATIENCE_S = 30


def need_node() -> str:
    """Node, with what the bot in JavaScript needs; a test without it is skipped, but not where CI is to test all."""
    found = shutil.which("node")
    if found is None or not (ROOT / "examples/javascript/node_modules/@msgpack/msgpack").is_dir():
        refuse = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        refuse("there is no node, or not its modules: `make node` installs them")
    return found


class Programs:
    """Whatever a test starts; none of it outlives the test."""

    def __init__(self, stack: ExitStack) -> None:
        self.stack = stack

    def start(self, *command: str | Path, cwd: Path = ROOT) -> subprocess.Popen[bytes]:
        # Without a buffer of ours, so that what select does not see has not come.
        process = subprocess.Popen(command, cwd=cwd, bufsize=0, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.stack.enter_context(process)
        self.stack.callback(process.kill)
        return process

    def run(self, *command: str | Path, cwd: Path = ROOT) -> list[str]:
        return finish(self.start(*command, cwd=cwd))


def line(process: subprocess.Popen[bytes], ending: str = "") -> str:
    """The next line that it prints with this ending; those before it are passed over."""
    assert process.stdout is not None
    while select.select([process.stdout], [], [], PATIENCE_S)[0]:
        printed = process.stdout.readline().decode()
        if not printed:
            finish(process)
            break
        if printed.rstrip().endswith(ending):
            return printed.rstrip()
    raise AssertionError(f"no line that ends with {ending!r}")


def finish(process: subprocess.Popen[bytes]) -> list[str]:
    """The lines that are left when it has ended well."""
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, err) == (0, b""), err.decode()
    return out.decode().splitlines()


def winners(lines: Sequence[str]) -> list[str]:
    """Who won the matches that the client in Python tells of."""
    return [winner for winner, wins, _ in (line.partition(" wins ") for line in lines) if wins]


def answers_to_a_question_after_a_call_that_came_too_late(*command: str) -> int:
    """How often a bot answers the question of another hand, which comes before its call of a Kuku is refused."""

    def question(top: str, turn: int, seq: int) -> wire.Question:
        match = Match(Ruleset(pots=1), 3, 2)
        match.deal(pack_of(top))
        view = to_view(observe(match, 0))
        return wire.Question(seq=seq, turn=turn, legal=to_legal(match.legal(0)), ms=0, view=view)

    with FakeServer() as server:
        words = filled(command, {"host": "127.0.0.1", "port": server.port})
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            peer = server.accept()
            name = peer.welcome().name
            peer.enter(room(name, *NAMES[1:3]))
            peer.ok(wire.Ready)
            peer.send(question("kuku 9 9", 5, 7))
            call = peer.receive(wire.CallKuku)
            peer.send(question("9 8 9", 6, 20))
            peer.send(wire.Refused(id=call.id, code=wire.RefusalCode.OVERTAKEN))
            answers = [peer.receive(wire.Decide)]
            peer.send(wire.Ping(n=1))
            while not isinstance(message := peer.receive(wire.Message), wire.Pong):
                if isinstance(message, wire.Decide):
                    answers.append(message)
        finally:
            process.kill()
            process.wait()
    assert {answer.turn for answer in answers} == {6}
    return len(answers)
