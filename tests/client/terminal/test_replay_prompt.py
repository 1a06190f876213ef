"""A replay in a real terminal: keys, sizes, signals, and the terminal as it was."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kille_net.client.replaying import load
from kille_net.game.record import to_json
from tests.client.screen import KILLE, Terminal, environment
from tests.client.test_replaying import HOSTILE
from tests.game.playing import some_matches

TEXT = [to_json(line) for line in some_matches(2)[0]]
REPLAY = load(TEXT)


@contextmanager
def looking(
    folder: Path,
    *words: str,
    text: list[str] = TEXT,
    lang: str = "en",
    size: tuple[int, int] = (100, 24),
    **changes: str | None,
) -> Iterator[Terminal]:
    path = folder / "match.jsonl"
    path.write_text("\n".join(text) + "\n", encoding="utf-8")
    command = (*KILLE, "--lang", lang, "replay", str(path), *words)
    with Terminal(command, size=size, env=environment(**changes)) as terminal:
        yield terminal


def see_step(terminal: Terminal, step: int, hand: int) -> None:
    terminal.see(f"hand {hand}/{REPLAY.hands}, step {step}/{REPLAY.last} ")


def test_the_keys(tmp_path: Path) -> None:
    with looking(tmp_path) as terminal:
        terminal.see("All cards are open.").wait(lambda: terminal.is_raw, "raw")
        terminal.press(" ")
        see_step(terminal, 1, 1)
        assert REPLAY.told(1, None, "en")[0][:60] in terminal.text
        terminal.press("\x1b[C\x1b[C")
        see_step(terminal, 3, 1)
        terminal.press("\x1b[D")
        see_step(terminal, 2, 1)
        terminal.press("j3\r")
        third = REPLAY.steps_of(3)[0]
        see_step(terminal, third, 3)
        terminal.see("Hand 3, pot").press("p")
        see_step(terminal, REPLAY.steps_of(2)[0], 2)
        terminal.press("n").press("s").see("As Åsa saw it.").see("│Horse")
        terminal.press("o").see("All cards are open.")
        terminal.press("?").see("space, →: on")
        terminal.press("t").see("Kille: All cards are open.")
        terminal.press("j7").see("Hand: 7_").press("\x7f").see("Hand: _").press("\x1b")
        see_step(terminal, third, 3)
        terminal.press("q")
        assert terminal.end() == 0
        assert "\x1b[?1049h" not in terminal.raw.decode()


def test_it_begins_where_and_as_whom_it_is_told_and_plays_by_itself(tmp_path: Path) -> None:
    last = REPLAY.hands
    with looking(tmp_path, "--at", f"{last}", "--seat", "2", "--speed", "1200", lang="sv") as terminal:
        terminal.see("Så som Bot 1 såg det.").see(f"giv {last}/{last}").press("a")
        terminal.see(f"steg {REPLAY.last}/{REPLAY.last}").see("slut")
        terminal.press("\x04")
        assert terminal.end() == 0


def test_ctrl_c_and_signals_leave_the_terminal_as_it_was(tmp_path: Path) -> None:
    for number, code in ((None, 130), (signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
        with looking(tmp_path) as terminal:
            terminal.see("?: help").wait(lambda: terminal.is_raw, "raw")
            if number is None:
                terminal.press("a\x03\x03\x03")
            else:
                terminal.press("j1").signal(number)
            assert terminal.end() == code


@pytest.mark.parametrize("size", [(1, 1), (20, 4), (500, 200)])
def test_any_size(tmp_path: Path, size: tuple[int, int]) -> None:
    with looking(tmp_path, size=size) as terminal:
        terminal.wait(lambda: terminal.is_raw, "raw")
        terminal.press("  n?ts").resize(80, 24)
        terminal.see("As Åsa saw it.").see(f"hand 2/{REPLAY.hands}")
        terminal.resize(*size).press("n a q")
        assert terminal.end() == 0


def test_names_of_a_record_do_nothing_to_the_terminal(tmp_path: Path) -> None:
    first = json.loads(TEXT[0])
    text = [json.dumps({**first, "seats": [{"name": name} for name in HOSTILE[:4]]}), *TEXT[1:]]
    with looking(tmp_path, text=text) as terminal:
        terminal.see("All cards are open.").press(" n t?s").see("saw it.").press("q")
        assert terminal.end() == 0
        raw = terminal.raw.decode()
        assert "\x1b[2JAda" not in raw
        assert "\x07" not in raw
        assert "\u202e" not in raw


def test_plain_ascii_and_no_terminal_of_its_own(tmp_path: Path) -> None:
    with looking(tmp_path, "--at", "1", "--plain", LANG="C", LC_ALL="C") as terminal:
        assert terminal.end() == 0
        assert terminal.printed.isascii()
        assert "Asa" in terminal.printed
    with looking(tmp_path, "--at", "1", TERM="dumb") as terminal:
        assert terminal.end() == 0
        assert "\x1b" not in terminal.raw.decode()
        assert "Åsa" in terminal.printed


def test_it_can_be_stopped_and_continued(tmp_path: Path) -> None:
    with looking(tmp_path) as terminal:
        terminal.see("?: help").wait(lambda: terminal.is_raw, "raw").press(" ")
        see_step(terminal, 1, 1)
        os.kill(terminal.child.pid, signal.SIGSTOP)
        os.kill(terminal.child.pid, signal.SIGCONT)
        terminal.press(" ")
        see_step(terminal, 2, 1)
        terminal.press("q")
        assert terminal.end() == 0
