"""What a bot prints ends up in its own log, which is bounded, and disturbs nobody."""

import io
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from kille_net.bots.printing import FileLog, StreamLog, diverted, log_of, printing_to


class Kept:
    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> None:
        self.text += text


def test_each_thread_has_its_own_and_others_keep_the_stream(capsys: pytest.CaptureFixture[str]) -> None:
    logs = [Kept(), Kept()]
    meet = threading.Barrier(3)

    def say(log: Kept, word: str) -> None:
        with printing_to(log):
            meet.wait(timeout=60)
            print(word)  # noqa: T201  the subject
            print(word, file=sys.stderr)  # noqa: T201  the subject
            meet.wait(timeout=60)

    with diverted():
        threads = [threading.Thread(target=say, args=(log, word)) for log, word in zip(logs, "ab", strict=True)]
        for thread in threads:
            thread.start()
        meet.wait(timeout=60)
        print("ours")  # noqa: T201  the subject
        meet.wait(timeout=60)
        for thread in threads:
            thread.join(timeout=60)
    assert [log.text for log in logs] == ["a\na\n", "b\nb\n"]
    assert capsys.readouterr() == ("ours\n", "")
    print("after")  # noqa: T201  the subject
    assert capsys.readouterr().out == "after\n"


def test_a_log_on_the_diverted_stream_itself_writes_beneath_it(capsys: pytest.CaptureFixture[str]) -> None:
    with diverted(), diverted(), printing_to(StreamLog(sys.stderr)):
        print("heard once")  # noqa: T201  the subject
    assert capsys.readouterr() == ("", "heard once\n")


PAST = """
import os, subprocess, sys
from kille_net.bots.printing import diverted, printing_to

class Log:
    def write(self, text):
        said.append(text)

said = []
print("first")
with diverted(), diverted():
    with printing_to(Log()):
        os.write(1, b"past\\n")
        subprocess.run([sys.executable, "-c", "print('another program')"], check=True)
        sys.stdout.buffer.write(b"bytes")
        sys.stdout.close()
        sys.stderr.close()
        print("words")
    print("second")
os.write(1, b"third\\n")
print("fourth", said)
"""


def test_nothing_comes_among_results_whatever_way_it_takes() -> None:
    done = subprocess.run([sys.executable, "-c", PAST], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "first\nsecond\nthird\nfourth ['bytes', 'words', '\\n']\n"
    assert done.stderr == "past\nanother program\n"


def test_without_a_standard_error_results_come_as_ever() -> None:
    script = "from kille_net.bots.printing import diverted\nwith diverted(): print('a result')"
    shell = f'"{sys.executable}" -c "{script}" 2>&-'
    done = subprocess.run(shell, shell=True, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "a result\n"


def test_a_stream_takes_so_much_and_then_says_so_once() -> None:
    stream = io.StringIO()
    log = StreamLog(stream, most=5)
    for _ in range(100):
        log.write("abc")
    assert stream.getvalue() == "abcab\n… (--log)\n"


def test_a_stream_says_first_whose_words_they_are_and_last_where_the_rest_is() -> None:
    stream = io.StringIO()
    log = StreamLog(stream, "Bo:", "…elsewhere", most=5)
    assert stream.getvalue() == "", "nothing of who says nothing"
    for _ in range(100):
        log.write("abc")
    assert stream.getvalue() == "Bo:\nabcab\n…elsewhere\n"


def test_a_stream_that_takes_nothing_is_silent() -> None:
    stream = io.StringIO()
    StreamLog(stream, most=0).write("abc")
    assert stream.getvalue() == ""
    stream.close()
    StreamLog(stream).write("abc")


def test_a_file_is_begun_anew_and_the_one_before_is_kept(tmp_path: Path) -> None:
    log = FileLog(tmp_path / "bot.log", most=10)
    for n in range(1000):
        log.write(f"{n:4}\n")
    kept = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert kept == {"bot.log": " 998\n 999\n", "bot.log.1": " 996\n 997\n"}
    log.write("x" * 10_000)
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 20


def test_what_cannot_be_written_is_no_fault_of_the_bot(tmp_path: Path) -> None:
    FileLog(tmp_path / "nowhere" / "bot.log").write("abc")
    FileLog(tmp_path / "odd.log").write("\ud800 å\n")
    assert (tmp_path / "odd.log").read_bytes() == b"\\ud800 \xc3\xa5\n"


@pytest.mark.parametrize(
    ("name", "file"), [("easy 2", "easy_2"), ("a.py:B#1", "a_py_B_1"), ("../..", "bot"), ("å", "bot")]
)
def test_a_name_of_a_bot_is_made_one_of_a_file(tmp_path: Path, name: str, file: str) -> None:
    log_of(name, tmp_path).write("abc")
    assert [path.name for path in tmp_path.iterdir()] == [f"{file}.log"]
