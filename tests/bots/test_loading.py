"""Bots by name, and every way in which there is none."""

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from textwrap import dedent

import pytest

from kille_net.bots import BUILT_IN, BotError, load, load_within
from kille_net.bots.printing import FileLog, diverted
from kille_net.game.actions import Action
from tests.bots.hands import view

TEN_LINES = """
    from kille_net.game.actions import Action
    from kille_net.game.cards import Card

    def decide(view):
        if Action.REFUSE in view.legal:
            return Action.REFUSE
        return Action.SWAP if view.card < Card.N7 else Action.STAND
"""


@pytest.fixture(autouse=True)
def _imports() -> Iterator[None]:
    """What a file imports and where it lies is gone after the test."""
    path, modules = sys.path[:], set(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        del sys.modules[name]


def write(folder: Path, text: str, name: str = "mine.py") -> str:
    path = folder / name
    path.write_text(dedent(text), encoding="utf-8")
    return str(path)


def test_the_built_in_bots_are_seven_weakest_first() -> None:
    assert list(BUILT_IN) == ["random", "easy", "careful", "chart", "sharp", "perfect", "deep"]
    for name, factory in BUILT_IN.items():
        assert load(name) is factory
        assert factory(Random(1)).decide(view("1 9 8", 3)) in view("1 9 8", 3).legal


def test_a_file_of_ten_lines(tmp_path: Path) -> None:
    bot = load(write(tmp_path, TEN_LINES))(Random(1))
    assert bot.decide(view("6 9 9 8", 4)) is Action.SWAP
    assert bot.decide(view("7 9 9 8", 4)) is Action.STAND


def test_each_match_has_a_new_object(tmp_path: Path) -> None:
    text = """
        class Counting:
            def __init__(self): self.asked = 0
            def decide(self, view):
                self.asked += 1
                return view.legal[self.asked > 1]
    """
    factory = load(write(tmp_path, text))
    asked = view("6 9 9 8", 4)
    assert [factory(Random(1)).decide(asked) for _ in range(2)] == [Action.STAND, Action.STAND]


def test_one_of_several_is_named(tmp_path: Path) -> None:
    text = """
        class Low:
            def decide(self, view): return view.legal[0]
        class High:
            def decide(self, view): return view.legal[-1]
        def helper(view): return 0
    """
    file = write(tmp_path, text)
    assert load(f"{file}:High")(Random(1)).decide(view("6 9 9 8", 4)) is Action.SWAP
    assert load(f"{file}:helper") is not None
    with pytest.raises(BotError, match=r"several bots in it; name one of .*mine\.py:Low, .*mine\.py:High"):
        load(file)


def test_what_a_file_imports_is_not_its_own(tmp_path: Path) -> None:
    text = """
        from kille_net.bots import Bot
        from neighbour import Other, helper
        class Mine(Bot):
            def decide(self, view): return helper(view)
    """
    other = """
        class Other:
            def decide(self, view): return None
        def helper(view): return view.legal[-1]
    """
    write(tmp_path, other, "neighbour.py")
    bot = load(write(tmp_path, text))(Random(1))
    assert bot.decide(view("6 9 9 8", 4)) is Action.SWAP


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def decide(view) return 1", "line 1: expected ':'"),
        ("x = 1\ny = 1 / 0\ndef decide(view): pass", "line 2: ZeroDivisionError: division by zero"),
        ("import nothing_of_this_name", "line 1: ModuleNotFoundError: No module named 'nothing_of_this_name'"),
        ("raise SystemExit(3)", "line 1: SystemExit: 3"),
        ("raise ValueError('two\\nlines')", "line 1: ValueError: two lines"),
        ("x = 1", "has no bot in it: a function of a view, or a class with a method 'decide'"),
        ("def _decide(view): pass", "has no bot in it"),
        ("def main(): pass\ndef move(host, port): pass", "has no bot in it"),
        ("class Bot:\n    def play(self, view): pass", "has no bot in it"),
        ("def one(view): pass\ndef two(view): pass", "has several bots in it; name one of"),
        ("\0", "null bytes"),
    ],
)
def test_a_file_without_a_bot_is_told_in_one_line(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(BotError) as error:
        load(write(tmp_path, text))
    assert told in str(error.value)
    assert "\n" not in str(error.value)
    assert str(error.value).startswith(str(tmp_path / "mine.py"))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("clever", "there is no built-in bot 'clever' (random, easy, careful, chart, sharp, perfect, deep)"),
        ("", "there is no built-in bot ''"),
        ("{folder}/none.py", "there is no file {folder}/none.py"),
        ("{folder}/none.py:Bot", "there is no file {folder}/none.py"),
        ("{folder}", "there is no built-in bot"),
        ("{folder}/mine.py:Other", "has no 'Other' in it; it has decide"),
        ("{folder}/mine.py:Card", "'Card' in {folder}/mine.py is no bot"),
        ("{folder}/mine.py:two", "'two' in {folder}/mine.py is no bot"),
        ("{folder}/mine.py:NUMBER", "'NUMBER' in {folder}/mine.py is no bot"),
        ("{folder}/mine.py:", "has no '' in it; it has decide"),
    ],
)
def test_a_name_without_a_bot_is_told_in_one_line(tmp_path: Path, name: str, told: str) -> None:
    write(tmp_path, TEN_LINES + "\n    NUMBER = 7\n    def two(view, other): pass\n")
    with pytest.raises(BotError) as error:
        load(name.format(folder=tmp_path))
    assert told.format(folder=tmp_path) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_failed_can_be_mended(tmp_path: Path) -> None:
    file = write(tmp_path, "1 / 0")
    with pytest.raises(BotError):
        load(file)
    write(tmp_path, TEN_LINES)
    assert load(file)(Random(1)).decide(view("7 9 9 8", 4)) is Action.STAND


def test_a_file_is_loaded_in_a_time_of_its_own_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "quick.py").write_text("print('hello')\n" + dedent(TEN_LINES))
    log = FileLog(tmp_path / "quick.log")
    with diverted():
        make = load_within(str(tmp_path / "quick.py"), 60, log)
    assert make(Random(1)).decide(view("2 9 9 8", 4)) is Action.SWAP
    assert (tmp_path / "quick.log").read_text() == "hello\n"
    (tmp_path / "slow.py").write_text("import threading\nthreading.Event().wait()\n" + dedent(TEN_LINES))
    with pytest.raises(BotError, match=r"slow.py is not loaded after 0.05 s"):
        load_within(str(tmp_path / "slow.py"), 0.05)


def test_what_is_wrong_with_a_file_is_told_where_it_is_waited_for(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("1 / 0\n")
    with pytest.raises(BotError, match="line 1: ZeroDivisionError"):
        load_within(str(tmp_path / "bad.py"), 60)
    assert load_within("easy", 0) is BUILT_IN["easy"]
