"""`kille arena`: what it prints and writes, and how it ends."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest
from click.testing import CliRunner, Result

from kille_net.cli import main
from kille_net.cli.exit_codes import Exit
from kille_net.game.replay import verify
from kille_net.game.shuffle import match_id_of
from tests.serving import doomed

COMMAND = ["-c", "from kille_net.cli import main; main()", "--lang", "en", "arena"]
RUDE = """
def decide(view):
    print("look at me")
    raise ValueError("rude")
"""


def arena(*words: str, lang: str = "en") -> Result:
    return CliRunner(env={"KILLE_LANG": lang}).invoke(main, ["arena", "--jobs", "1", *words])


def told(result: Result, code: Exit) -> str:
    """The one line on standard error."""
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    return line.removeprefix("kille: ")


def test_a_table_of_means_with_intervals() -> None:
    result = arena("careful", "random", "--matches", "20", "--seed", "x", "--pots", "2")
    assert result.exit_code == Exit.DONE
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[0].startswith("20 matches, ")
    assert "10 blocks of 2" in lines[0]
    assert lines[1] == "4 seats, pots, 2 pots a match, dealt Harlekin high, seed x"
    assert lines[2] == "Table: careful random careful random"
    assert lines[4].split() == ["bot", "seats", "points", "95", "%", "interval", "rank", "95", "%", "interval"]
    assert lines[8].split() == ["bot", "seats", "share", "95", "%", "interval", "won", "95", "%", "interval"]
    for first in (4, 8):
        assert [line.split()[0] for line in lines[first : first + 3]] == ["bot", "careful", "random"]
    assert lines[13].startswith("careful - random  +")
    assert lines[16].startswith("careful - random  -"), "of ranks the lower is the better"


def test_a_balanced_run_says_so(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    words = ("careful", "careful", "--matches", "8", "--pots", "1", "--seed", "x", "--design", "balanced")
    result = arena(*words, "--out", str(out))
    assert result.stdout.splitlines()[0].endswith("4 blocks of 2, every seat in turn, each match with its own packs")
    got = json.loads(out.read_text(encoding="utf-8"))
    assert got["design"] == "balanced"
    assert got["differences"][0]["share"]["mean"] != 0


def test_in_swedish() -> None:
    result = arena("careful", "easy", "--matches", "4", "--pots", "1", lang="sv")
    assert result.stdout.startswith("4 matcher, ")
    assert "skillnad" in result.stdout


def test_all_options_reach_the_matches(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    words = ["--seats", "3", "--format", "sticks", "--length", "short", "--dealt-harlekin", "low"]
    words += ["--matches", "4", "--seed", "å"]
    records = tmp_path / "new" / "records"
    result = arena("sharp", "easy", *words, "--records", str(records), "--out", str(out))
    assert result.exit_code == Exit.DONE
    got = json.loads(out.read_text(encoding="utf-8"))
    assert got["rules"] == {"format": "sticks", "length": "short", "dealt_harlekin": "low", "pots": 4}
    assert (got["seats"], got["seed"], got["rotations"], got["matches"]) == (3, "å", 3, 6)
    assert got["table"] == ["sharp", "easy", "sharp"]
    files = sorted(records.iterdir())
    assert [file.name for file in files] == [f"match-{number:06}.jsonl" for number in range(1, 7)]
    hands = 0
    for file in files:
        verdict = verify(file.read_bytes().splitlines())
        assert verdict.error is None
        hands += verdict.hands
    assert got["hands"] == hands
    headers = [json.loads(file.read_text(encoding="utf-8").splitlines()[0]) for file in files]
    blocks = [match_id_of("å", block).hex() for block in (0, 0, 0, 1, 1, 1)]
    assert [header["shuffle"] for header in headers] == [
        {"kind": "seeded", "seed": "å", "packs_of": block} for block in blocks
    ]
    assert len({header["id"] for header in headers}) == 6, "each match has an id of its own"
    assert headers[0]["seats"] == [
        {"name": "sharp 1", "bot": "sharp"},
        {"name": "easy", "bot": "easy"},
        {"name": "sharp 2", "bot": "sharp"},
    ]


def test_without_a_seed_one_is_drawn_and_repeats_the_run() -> None:
    words = ("careful", "easy", "--matches", "6", "--pots", "1")
    first = arena(*words)
    seed = first.stdout.splitlines()[1].rpartition(" ")[2]
    assert arena(*words, "--seed", seed).stdout == first.stdout
    assert arena(*words).stdout != first.stdout


@pytest.mark.parametrize("matches", ["1", "2", "3"])
def test_too_little_is_said_to_be_too_little(matches: str) -> None:
    result = arena("sharp", "sharp", "--seats", "2", "--matches", matches, "--pots", "1", "--seed", "x")
    assert result.exit_code == Exit.DONE
    assert ("not enough data" in result.stdout) == (matches != "3")
    assert "nan" not in result.stdout
    assert "inf" not in result.stdout
    assert "sharp#1 - sharp#2" in result.stdout


def test_one_bot_alone_has_nobody_to_differ_from() -> None:
    result = arena("easy", "--matches", "3", "--pots", "1")
    assert result.exit_code == Exit.DONE
    assert "Table: easy easy easy easy" in result.stdout
    assert "difference" not in result.stdout


def test_a_bot_of_ones_own_is_told_what_it_does_wrong(tmp_path: Path) -> None:
    file = tmp_path / "rude.py"
    file.write_text(RUDE, encoding="utf-8")
    result = arena(str(file), "easy", "--matches", "2", "--pots", "1")
    assert result.exit_code == Exit.DONE
    assert "Table: rude easy rude easy" in result.stdout
    assert "look at me" not in result.stdout
    assert "kille: rude: raised in decide, " in result.stderr
    assert "ValueError: rude" in result.stderr


def test_more_bots_than_seats(tmp_path: Path) -> None:
    line = told(arena("easy", "easy", "sharp", "--seats", "2"), Exit.WRONG_USE)
    assert line == "3 bots do not fit at 2 seats: use --seats"


@pytest.mark.parametrize("name", ["nobody", "none.py"])
def test_a_bot_that_is_not_there(name: str) -> None:
    assert "there is no" in told(arena("easy", name), Exit.WRONG_USE)


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["easy", "--seats", "9"],
        ["easy", "--matches", "0"],
        ["easy", "--pots", "0"],
        ["easy", "--format", "poker"],
        ["easy", "--jobs", "0"],
        *(["easy", "--budget", number] for number in ("0", "-1", "nan", "-nan", "inf", "-inf", "1e999")),
    ],
)
def test_wrong_use(words: list[str]) -> None:
    assert "see kille arena --help" in told(arena(*words), Exit.WRONG_USE)


@pytest.mark.parametrize(("matches", "told"), [("2", ": 1 block of 2,"), ("3", ": 2 blocks of 2,")])
def test_one_block_is_no_blocks(matches: str, told: str) -> None:
    result = arena("easy", "random", "--seats", "2", "--matches", matches, "--pots", "1")
    assert told in result.stdout.splitlines()[0]


def test_records_are_never_mixed_with_others(tmp_path: Path) -> None:
    words = ("easy", "--matches", "1", "--pots", "1", "--records", str(tmp_path))
    assert arena(*words).exit_code == Exit.DONE
    assert told(arena(*words), Exit.WRONG_USE) == f"{tmp_path} holds records already: name an empty folder"


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    assert "file" in told(arena("easy", "--records", str(file / "records")), Exit.WRONG_USE)
    line = told(arena("easy", "--out", str(tmp_path / "none" / "out.json")), Exit.WRONG_USE)
    assert line == f"cannot write {tmp_path}/none/out.json: its folder does not exist"


def test_a_bot_that_ends_the_process_ends_the_run_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "gone.py"
    file.write_text("import os\ndef decide(view):\n    os._exit(3)\n", encoding="utf-8")
    result = arena(str(file), "easy", "--jobs", "2")
    assert told(result, Exit.DOES_NOT_HOLD) == "a process that played has ended: did a bot end it?"


@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal")
def test_progress_is_shown_on_a_terminal_and_wiped() -> None:
    with pexpect.spawn(sys.executable, [*COMMAND, "easy", "random", "--matches", "1000000", "--jobs", "1"]) as child:
        child.expect(rb"\r\d+ of 1000000 matches, \d+ s left\x1b\[K", timeout=60)
        child.sendintr()
        child.expect(rb"\r\x1b\[K\d+ matches, ", timeout=60)
        child.expect(pexpect.EOF, timeout=60)


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_tells_what_there_is(tmp_path: Path, jobs: str) -> None:
    """The bot says on standard error when the third block of a process has begun; two can be told of then."""
    file = tmp_path / "slow.py"
    text = """
import sys
made = 0

class Slow:
    def __init__(self):
        global made
        made += 1
        if made == 10:
            sys.stderr.write("go\\n")
            sys.stderr.flush()

    def decide(self, view):
        return view.legal[0]
"""
    file.write_text(text, encoding="utf-8")
    command = [sys.executable, *COMMAND, str(file), "easy"]
    command += ["--seed", "x", "--matches", "1000000", "--pots", "1", "--jobs", jobs]
    with (
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        ) as process,
        doomed(process, is_group=True),
    ):
        assert process.stderr is not None
        assert process.stderr.readline() == "go\n"
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == Exit.SIGINT
    assert "Traceback" not in err
    assert "Broken off; 1000000 matches were asked for." in out
    assert "Table: slow easy slow easy" in out
