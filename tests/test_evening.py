"""An evening with everything at one table: two people, a bot and a computer play, and somebody looks on."""

import json
import subprocess
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import IO, Self

import pytest

from tests.serving import KILLE, kille, serving

ROOM = "Krogen"
OPTIONS = "seats=4 computers=1 level=easy pots=2 length=short pace=0 window=0 rest=60000"
LAST = "the match!"


class Person:
    """Somebody at `kille join` in a pipe; `says` is what they type at a line that holds a text."""

    def __init__(self, port: int, name: str, says: dict[str, str], *options: str) -> None:
        self.lines: list[str] = []
        self._says = says
        self._process = subprocess.Popen(
            [*KILLE, "--lang", "en", "join", f"127.0.0.1:{port}", "--name", name, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self._is_there = Event()
        self._thread = Thread(target=self._play)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        self._thread.join()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert stream is not None
            with suppress(BrokenPipeError):
                stream.close()

    def _play(self) -> None:
        assert self._process.stdout is not None
        assert self._process.stdin is not None
        for line in self._process.stdout:
            self.lines.append(line.rstrip("\n"))
            if line.startswith(f"Table {ROOM}"):
                self._is_there.set()
            for word, said in self._says.items():
                if word in line:
                    self._say(self._process.stdin, said)

    def _say(self, stdin: IO[str], said: str) -> None:
        try:
            stdin.write(said + "\n")
            stdin.flush()
        except BrokenPipeError:  # has left
            return

    def kill(self) -> None:
        self._process.kill()

    def enter(self) -> None:
        """Wait until they are in the room."""
        assert self._is_there.wait(20), "\n".join(self.lines)

    def leave(self, seconds: float = 40.0) -> tuple[int, str]:
        """Wait until they have left; the exit code and what was said on standard error."""
        self._thread.join(seconds)
        assert not self._thread.is_alive(), "\n".join(self.lines[-20:])
        assert self._process.stderr is not None
        errors = self._process.stderr.read()
        return self._process.wait(timeout=10), errors


@pytest.mark.parametrize("format_", ["pots", "sticks"])
def test_people_a_bot_and_a_computer_play_to_the_end_and_somebody_looks_on(format_: str, tmp_path: Path) -> None:
    end = {LAST: "quit"}
    turn = {
        "Press Enter for the next hand": "",
        "Your turn": "b",
        "Answer yes or no": "yes",
        "Better cards? Answer": "no",
        **end,
    }
    with ExitStack() as stack:
        port = stack.enter_context(serving("--records", str(tmp_path)))

        def person(name: str, says: dict[str, str], *options: str) -> Person:
            return stack.enter_context(Person(port, name, says, *options))

        there = {"There are no tables yet": f"create {ROOM} {OPTIONS} format={format_}", "host, not": "ready"}
        anna = person("Anna", {**there, **turn})
        anna.enter()
        looker = person("Rut", end, "--room", ROOM, "--watch")
        looker.enter()
        bo = person("Bo", {"Type ready when": "ready", **turn, "Your turn": "s"}, "--room", ROOM)
        bot = kille("bot", "run", "careful", f"127.0.0.1:{port}", "--room", ROOM, "--matches", "1")
        assert bot.returncode == 0
        assert bot.stderr.startswith("kille: careful: joined the table Krogen; ")
        assert bot.stderr.count("\n") == 1
        for somebody in (anna, bo, looker):
            assert somebody.leave() == (0, "")
            assert sum("shuffle is checked" in line for line in somebody.lines) == 1
    (record,) = tmp_path.iterdir()
    verdict = kille("verify", str(record))
    assert (verdict.returncode, verdict.stderr) == (0, "")
    check_secrets(record, anna, bo, looker)


def check_secrets(record: Path, anna: Person, bo: Person, looker: Person) -> None:
    """Each was dealt what the record says, and whoever looked on was told of no card before it was shown."""
    lines = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    hands = [line for line in lines if line["type"] == "hand"]
    names = [seat["name"] for seat in lines[0]["seats"]]
    for person, name in ((anna, "Anna"), (bo, "Bo")):
        told = sum("You are dealt" in line for line in person.lines)
        assert told >= sum(hand["lives"][names.index(name)] > 0 for hand in hands)
    assert not any("You are dealt" in line for line in looker.lines)
    assert sum("Upp till bevis" in line for line in looker.lines) >= len(hands)
