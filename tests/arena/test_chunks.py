"""Chunks: what plays them needs nothing of the one who asks, and comes to the same."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest

from kille_net.arena.blocks import Block, WorkerLost, play_blocks
from kille_net.arena.chunks import KILLE, Chunk, OtherKille, order, play, played, rest
from kille_net.arena.plan import Plan
from kille_net.bots import BotError
from kille_net.game.rules import Ruleset
from tests.serving import doomed

PLAN = Plan(bots=("random", "careful"), seats=4, rules=Ruleset(pots=1), seed="chunks", blocks=6, seconds=30)

WHIM = """
    import random

    made = 0

    class Whim:
        def __init__(self):
            global made
            made += 1
            print("made", made)

        def decide(self, view):
            if view.hand == 2:
                raise ValueError("never")
            return random.choice(view.legal)
"""


@pytest.fixture(autouse=True)
def _rest() -> Iterator[None]:
    yield
    rest()


def bot(folder: Path, text: str) -> Path:
    path = folder / "mine.py"
    path.write_text(dedent(text), encoding="utf-8")
    return path


def chunk(plan: Plan, first: int, last: int, *, is_recorded: bool = False) -> Chunk:
    return played(play(KILLE, order(plan, is_recorded=is_recorded), first, last))


def test_they_are_the_blocks_of_a_whole_run_with_their_records(tmp_path: Path) -> None:
    whole = list(play_blocks(PLAN, 1, tmp_path))
    got = chunk(PLAN, 2, 5, is_recorded=True)
    assert list(got.blocks) == whole[2:5]
    files = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert list(got.records) == list(range(5, 11))
    assert all(files[f"match-{number:06}.jsonl"] == text for number, text in got.records.items())
    assert chunk(PLAN, 2, 5).records == {}


def test_each_chunk_has_its_records_and_no_other() -> None:
    asked = order(PLAN, is_recorded=True)
    got = [played(play(KILLE, asked, first, first + 2)).records for first in (0, 2)]
    assert [list(records) for records in got] == [[1, 2, 3, 4], [5, 6, 7, 8]]


def test_a_bots_file_is_sent_and_what_it_did_wrong_reads_as_it_does_at_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = bot(tmp_path, WHIM)
    plan = replace(PLAN, bots=("mine.py", "easy"), logs=str(tmp_path / "logs"))
    home = list(play_blocks(plan, 1))
    asked = order(plan, is_recorded=False)
    path.unlink()
    monkeypatch.chdir("/")
    away = played(play(KILLE, asked, 0, PLAN.blocks))
    assert list(away.blocks) == home
    assert any('raise ValueError("never")' in one.text for one in home[0].complaints[0].counts)


def test_each_run_has_bots_of_its_own_and_what_they_print_is_told_once(tmp_path: Path) -> None:
    plan = replace(PLAN, bots=(str(bot(tmp_path, WHIM)), "easy"))
    asked = order(plan, is_recorded=False)
    said = [played(play(KILLE, asked, number, number + 1)).blocks[0].said for number in range(2)]
    assert said[0] == ("".join(f"made {number}\n" for number in range(1, 5)), "")
    assert said[1] == ("".join(f"made {number}\n" for number in range(5, 9)), "")
    assert chunk(plan, 0, 1).blocks[0].said == said[0]


def test_a_bot_that_prints_without_end_fills_nothing(tmp_path: Path) -> None:
    loud = "def decide(view):\n    print('x' * 99_999)\n    return view.legal[0]\n"
    blocks = chunk(replace(PLAN, bots=(str(bot(tmp_path, loud)),)), 0, 2).blocks
    assert [len(block.said[0]) for block in blocks] == [250_000 + len("\n…\n")] * 2
    assert all(block.said[0].endswith("x\n…\n") for block in blocks), "it is said that there was more"


def test_whoever_is_another_kille_reads_nothing_and_plays_nothing() -> None:
    with pytest.raises(OtherKille):
        played(play("3.11 another", b"not to be read", 0, 1))


def test_what_plays_is_this_python_and_this_kille() -> None:
    version, kille = KILLE.split()
    assert version.startswith("3.")
    assert len(kille) == 64


def test_a_bot_that_cannot_be_is_told_without_a_traceback(tmp_path: Path) -> None:
    plan = replace(PLAN, bots=(str(bot(tmp_path, "\nimport not_there\n")),))
    with pytest.raises(BotError, match=r"mine\.py, line 2: ModuleNotFoundError: No module named 'not_there'"):
        chunk(plan, 0, 1)


def test_threads_have_a_process_each_and_all_come_to_the_same(tmp_path: Path) -> None:
    plan = replace(PLAN, bots=(str(bot(tmp_path, WHIM)), "easy"))
    asked = order(plan, is_recorded=False)
    got: dict[int, tuple[Block, ...]] = {}

    def ask(number: int) -> None:
        got[number] = played(play(KILLE, asked, number, number + 1)).blocks

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [got[number][0] for number in range(4)] == list(play_blocks(replace(plan, blocks=4), 1))


def test_a_process_that_is_lost_is_replaced_and_a_bot_that_ends_all_is_told(tmp_path: Path) -> None:
    text = f"""
        import os

        def decide(view):
            try:
                open({str(tmp_path / "once")!r}, "x").close()
            except FileExistsError:
                return view.legal[0]
            os._exit(3)
    """
    plan = replace(PLAN, bots=(str(bot(tmp_path, text)), "easy"))
    got = chunk(plan, 0, 2)
    assert list(got.blocks) == list(play_blocks(replace(plan, blocks=2), 1))
    with pytest.raises(WorkerLost):
        chunk(replace(plan, bots=(str(bot(tmp_path, "import os\ndef decide(view):\n    os._exit(3)\n")),)), 0, 1)


def test_a_bot_that_reads_and_prints_past_its_log_disturbs_nobody(tmp_path: Path) -> None:
    text = """
        import os

        def decide(view):
            assert os.read(0, 1) == b""
            os.write(1, b"no answer")
            return view.legal[0]
    """
    plan = replace(PLAN, bots=(str(bot(tmp_path, text)),))
    (block,) = chunk(plan, 0, 1).blocks
    assert not block.complaints[0].counts


@pytest.mark.skipif(os.name != "posix", reason="a pipe with a name")
def test_a_process_ends_with_the_one_who_asks_also_in_the_middle(tmp_path: Path) -> None:
    """The bot holds the pipe open while it lives."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    text = f"""
        from threading import Event

        held = open({str(pipe)!r}, "w")

        def decide(view):
            print("begun", file=held, flush=True)
            Event().wait()
    """
    ask = "import sys; from kille_net.arena.chunks import KILLE, play; play(KILLE, sys.stdin.buffer.read(), 0, 1)"
    with (
        subprocess.Popen([sys.executable, "-c", ask], stdin=subprocess.PIPE) as process,
        doomed(process),
    ):
        assert process.stdin is not None
        plan = replace(PLAN, bots=(str(bot(tmp_path, text)),), seconds=100)
        process.stdin.write(order(plan, is_recorded=False))
        process.stdin.close()
        with pipe.open() as held:
            assert held.readline() == "begun\n"
            process.kill()
            assert held.read() == ""


def test_a_process_that_plays_nothing_ends_by_itself() -> None:
    script = "from kille_net.arena import chunks; chunks._IDLE_SECONDS = 0.01; chunks.work()"
    with (
        subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process,
        doomed(process),
    ):
        assert process.wait(timeout=60) == 0
