"""`kille arena`: what it prints and writes, and how it ends."""

import csv
import errno
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest
from click.testing import CliRunner, Result

from kille_net.arena.blocks import Block
from kille_net.arena.kept import Kept
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


@pytest.mark.parametrize(
    ("lang", "pots"),
    [("en", "4 seats, pots, 1 pot a match"), ("sv", "4 platser, partier, 1 parti per match")],
)
def test_one_pot_is_one_pot(lang: str, pots: str) -> None:
    command = ["--lang", lang, "arena", "careful", "random", "--matches", "4", "--pots", "1"]
    assert CliRunner().invoke(main, command).stdout.splitlines()[1].startswith(f"{pots}, ")


def test_a_table_of_means_with_intervals() -> None:
    result = arena("careful", "random", "--matches", "20", "--seed", "x", "--pots", "2")
    assert result.exit_code == Exit.DONE
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[0].startswith("20 matches, ")
    assert "10 blocks of 2" in lines[0]
    assert lines[1] == "4 seats, pots, 2 pots a match, dealt Harlequin high, seed x"
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
    assert (
        result.stderr == "kille: easy plays against itself alone, which compares nothing: name another bot beside it\n"
    )
    assert "compares nothing" not in arena("easy", "easy", "--matches", "3", "--pots", "1").stderr


def test_built_in_bots_may_be_named_in_any_language() -> None:
    words = ("--matches", "2", "--pots", "1", "--seed", "x", "--seats", "7")
    english = arena("random", "easy", "careful", "chart", "sharp", "perfect", "deep", *words)
    assert english.exit_code == Exit.DONE
    swedish = ("slump", "LÄTT", "försiktig", "tabell", "skarp", "perfekt", "djup")
    assert arena(*swedish, *words).stdout == english.stdout


def test_a_bot_of_ones_own_is_told_what_it_does_wrong(tmp_path: Path) -> None:
    file = tmp_path / "rude.py"
    file.write_text(RUDE, encoding="utf-8")
    result = arena(str(file), "easy", "--matches", "2", "--pots", "1")
    assert "Table: rude easy rude easy" in result.stdout
    assert "look at me" not in result.stdout
    assert "kille: rude: raised in decide, " in result.stderr
    assert "ValueError: rude" in result.stderr


NEVER = {
    "cannot": "class Cannot:\n    def __init__(self):\n        1 / 0\n    def decide(self, view):\n        pass\n",
    "crash": "def decide(view):\n    1 / 0\n",
    "illegal": "def decide(view):\n    return 'stand'\n",
}
SELDOM = """
def decide(view):
    if view.hand == 2:
        1 / 0
    return view.legal[0]
"""


@pytest.mark.parametrize("name", NEVER)
@pytest.mark.parametrize("test", [(), ("--sprt", "-1", "0.5")])
def test_a_bot_that_never_played_is_no_result(name: str, test: tuple[str, ...], tmp_path: Path) -> None:
    """The table has a line for it, the test has no verdict, and the exit status is none of a verdict's."""
    (tmp_path / f"{name}.py").write_text(NEVER[name])
    out = tmp_path / "out.json"
    words = (str(tmp_path / f"{name}.py"), "easy", "--matches", "40", "--pots", "1", "--seed", "x", *test)
    result = arena(*words, "--out", str(out))
    assert result.exit_code == Exit.WRONG_USE
    last = result.stderr.splitlines()[-1]
    assert last == f"kille: this is no result: all decisions of {name} are defaults, because of what is said above"
    mark = rf"\n{name}: (\d+) of its \1 decisions \(100\.0 %\) are defaults, made for it\n\ndifference"
    assert re.search(mark, result.stdout)
    assert "Decided for" not in result.stdout
    assert (f"No verdict: no decision was one of {name}." in result.stdout) == bool(test)
    got = json.loads(out.read_text(encoding="utf-8"))
    assert [bot["defaults"] for bot in got["bots"]] == [1.0, 0.0]
    assert (got["sprt"] is None) == (not test)
    assert not test or got["sprt"]["verdict"] is None


def test_a_bot_that_played_at_times_is_marked_and_is_a_result(tmp_path: Path) -> None:
    (tmp_path / "seldom.py").write_text(SELDOM)
    out = tmp_path / "out.json"
    words = (str(tmp_path / "seldom.py"), "easy", "--matches", "20", "--pots", "1", "--seed", "x")
    result = arena(*words, "--out", str(out))
    assert result.exit_code == Exit.DONE
    found = re.search(r"\nseldom: (\d+) of its (\d+) decisions \((.+) %\) are defaults, made for it\n", result.stdout)
    assert found is not None
    share = int(found[1]) / int(found[2])
    assert 0 < share < 1
    assert found[3] == f"{100 * share:.1f}"
    assert json.loads(out.read_text(encoding="utf-8"))["bots"][0]["defaults"] == share
    (tmp_path / "again").mkdir()
    resumed = broken_off(tmp_path / "again", str(tmp_path / "seldom.py"))
    whole = arena(str(tmp_path / "seldom.py"), "easy", "--matches", "6", "--pots", "1", "--seed", "x")
    assert arena("--resume", str(resumed)).stdout == whole.stdout
    assert "are defaults, made for it" in whole.stdout


LATE = """
import sys, time

print("loading")

class Late:
    def ready(self):
        print("warming up", file=sys.stderr)
        time.sleep(0.3)

    def decide(self, view):
        print("thinking")
        return view.legal[0]
"""


def test_what_a_bot_prints_is_in_its_log_and_its_start_is_no_part_of_its_answers(tmp_path: Path) -> None:
    (tmp_path / "late.py").write_text(LATE)
    words = (str(tmp_path / "late.py"), "easy", "--pots", "1", "--matches", "2", "--budget", "0.2", "--seed", "x")
    result = arena(*words, "--log", str(tmp_path / "logs"))
    assert (result.exit_code, result.stderr) == (Exit.DONE, "")
    (log,) = (tmp_path / "logs").iterdir()
    assert log.name == "late.log"
    assert {"loading", "warming up", "thinking"} == set(log.read_text().splitlines())
    assert "thinking" not in result.stdout
    aside = arena(*words, "--ready", "0.1")
    assert "late: took too long in ready, " in aside.stderr


def test_without_a_log_a_little_of_what_a_bot_prints_is_on_standard_error(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text("def decide(view):\n    print('x' * 999)\n    return view.legal[0]\n")
    result = arena(str(tmp_path / "loud.py"), "easy", "--matches", "20", "--pots", "1")
    assert "x" not in result.stdout.partition("Table: ")[2].replace("exit", "")
    assert len(result.stderr) < 30_000
    head, *_, last = result.stderr.splitlines()
    assert head == "kille: loud: it prints (with --log DIR into a file of its own):"
    assert last == "… (--log)"


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_it_is_said_whose_it_is_whenever_another_prints(jobs: str, tmp_path: Path) -> None:
    for name in ("ada", "bo"):
        text = f"def decide(view):\n    print({name!r}, end='')\n    return view.legal[0]\n"
        (tmp_path / f"{name}.py").write_text(text)
    words = ("--matches", "6", "--pots", "1", "--seats", "2", "--jobs", jobs)
    lines = arena(str(tmp_path / "ada.py"), str(tmp_path / "bo.py"), *words).stderr.splitlines()
    assert len(lines) == 12
    for head, said in zip(lines[::2], lines[1::2], strict=True):
        name = head.removeprefix("kille: ").partition(":")[0]
        assert re.fullmatch(f"({name})+", said)


LOUD = """
import sys

print("loading")

def decide(view):
    print(view.seat, "é" * 9000)
    print("e" * 200, file=sys.stderr)
    return view.legal[0]
"""


def test_logs_are_the_same_whatever_the_number_of_processes(tmp_path: Path) -> None:
    """Names and all that is in them, also where there is more than is kept."""
    (tmp_path / "loud.py").write_text(LOUD)
    (tmp_path / "crash.py").write_text(RUDE)
    words = (str(tmp_path / "loud.py"), str(tmp_path / "crash.py"), "easy", "--matches", "12", "--pots", "1")

    def logs(name: str, *how: str) -> dict[str, str]:
        arena(*words, "--seed", "a", "--log", str(tmp_path / name), *how)
        return {path.name: path.read_text() for path in (tmp_path / name).iterdir()}

    alone = logs("alone", "--jobs", "1")
    assert set(alone) == {"loud.log", "loud.log.1", "crash.log"}
    assert alone["loud.log.1"].startswith("loading\n")
    assert alone["loud.log.1"].count("loading") == 1
    assert "\n…\n" in alone["loud.log.1"], "it is said where there was more"
    assert logs("two", "--jobs", "2") == alone == logs("three", "--jobs", "3")


def test_a_log_that_cannot_be_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    said = told(arena("easy", "careful", "--log", str(tmp_path / "file" / "logs")), Exit.WRONG_USE)
    assert "cannot write to" in said


def test_more_bots_than_seats(tmp_path: Path) -> None:
    line = told(arena("easy", "easy", "sharp", "--seats", "2"), Exit.WRONG_USE)
    assert line == "3 bots do not fit at 2 seats: use --seats"


def test_csv_has_the_numbers_of_json(tmp_path: Path) -> None:
    words = ("sharp", "easy", "--matches", "6", "--pots", "1", "--seed", "x")
    for name in ("out.json", "out.CSV"):
        assert arena(*words, "--out", str(tmp_path / name)).exit_code == Exit.DONE
    rows = list(csv.DictReader((tmp_path / "out.CSV").read_text(encoding="utf-8").splitlines()))
    got = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    for row in rows:
        if row["second"]:
            (one,) = got["differences"]
        else:
            (one,) = (bot for bot in got["bots"] if bot["label"] == row["first"])
        numbers = {key: float(row[key]) for key in ("mean", "low", "high")}
        assert one[row["measure"]] == numbers
        run = ("seed", "seats", "format", "length", "dealt_harlekin", "pots", "design")
        assert [row[column] for column in run] == ["x", "4", "pots", "standard", "high", "1", "duplicate"]
    assert len(rows) == 2 * 4 + 4


def test_a_plot_in_the_terminal_and_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    svg = tmp_path / "out.svg"
    words = ("sharp", "random", "--matches", "20", "--pots", "2", "--seed", "x")
    result = arena(*words, "--plot", "--svg", str(svg))
    plain = arena(*words).stdout
    assert result.stdout.startswith(plain)
    plot = result.stdout.removeprefix(plain)
    assert "\x1b" not in plot
    assert max(map(len, plot.splitlines())) <= 60
    (sharp,) = (line for line in plot.splitlines() if line.lstrip().startswith("sharp┤"))
    (random,) = (line for line in plot.splitlines() if line.lstrip().startswith("random┤"))
    assert random.index("o") < sharp.index(":") == random.index(":") < sharp.index("o")
    assert svg.read_text(encoding="utf-8").startswith("<svg ")


@pytest.mark.parametrize("bots", [("easy",), ("easy", "easy")])
def test_a_plot_of_next_to_nothing(bots: tuple[str, ...], tmp_path: Path) -> None:
    words = ("--matches", "1", "--pots", "1", "--seats", "2", "--plot", "--svg", str(tmp_path / "out.svg"))
    result = arena(*bots, *words)
    assert result.exit_code == Exit.DONE
    assert "nan" not in result.stdout


def test_without_plotext_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kille_net.cli.arena_plot.find_spec", lambda _name: None)
    line = told(arena("easy", "--plot"), Exit.WRONG_USE)
    assert line == "--plot draws with plotext, which is not installed: pip install 'kille-net[plot]'"


def test_a_picture_whose_folder_is_not_there(tmp_path: Path) -> None:
    line = told(arena("easy", "--svg", str(tmp_path / "none" / "out.svg")), Exit.WRONG_USE)
    assert line == f"cannot write {tmp_path}/none/out.svg: its folder does not exist"


# --- the test that ends a run -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bots", "verdict", "code"),
    [
        (("sharp", "random"), "Decided for H1: the share of sharp exceeds that of random by more than 0 ", Exit.DONE),
        (
            ("random", "sharp"),
            "Decided for H0: the share of random exceeds that of sharp by less than 0.5 ",
            Exit.DOES_NOT_HOLD,
        ),
    ],
)
def test_a_test_ends_the_run_as_soon_as_it_can_tell(
    tmp_path: Path, bots: tuple[str, str], verdict: str, code: Exit
) -> None:
    out = tmp_path / "out.json"
    outputs = []
    for jobs in ("1", "2"):
        records = tmp_path / jobs
        out.unlink(missing_ok=True)
        words = ("--sprt", "0", "0.5", "--seats", "2", "--pots", "1", "--seed", "x", "--jobs", jobs)
        result = arena(*bots, *words, "--out", str(out), "--records", str(records))
        assert result.exit_code == code
        assert verdict in result.stdout
        assert "Broken off" not in result.stdout
        got = json.loads(out.read_text(encoding="utf-8"))
        assert len(list(records.iterdir())) == got["matches"] < 100
        outputs.append((result.stdout, got))
    assert outputs[0] == outputs[1]
    sprt = outputs[0][1]["sprt"]
    assert (sprt["first"], sprt["second"], sprt["low"], sprt["high"]) == (*bots, 0, 0.5)
    assert max(sprt["for_h0"] / sprt["needed_for_h0"], sprt["for_h1"] / sprt["needed_for_h1"]) >= 1


def test_a_test_that_cannot_tell_says_so() -> None:
    result = arena("careful", "careful", "--seats", "2", "--pots", "1", "--sprt", "0", "0.1", "--matches", "4")
    assert result.exit_code == Exit.DOES_NOT_HOLD
    assert "Not decided whether the share of careful#1 exceeds that of careful#2" in result.stdout
    assert "The intervals do not count" not in result.stdout


def test_equal_bots_with_equal_packs_are_equal() -> None:
    """All ties: each rotation is the same match."""
    result = arena("careful", "careful", "--seats", "2", "--pots", "1", "--sprt", "0", "0.1")
    assert result.exit_code == Exit.DOES_NOT_HOLD
    assert "Decided for H0" in result.stdout


@pytest.mark.parametrize("pair", [("0.1", "0"), ("0", "0"), ("-2", "0"), ("0", "2")])
def test_hypotheses_that_cannot_be(pair: tuple[str, str]) -> None:
    line = told(arena("easy", "easy", "--sprt", *pair), Exit.WRONG_USE)
    assert line == "--sprt takes two differences of share, the lower one first, both above -2 and below 2"


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "x"])
def test_hypotheses_are_numbers(number: str) -> None:
    assert "--sprt" in told(arena("easy", "easy", "--sprt", "0", number), Exit.WRONG_USE)


def test_one_bot_is_compared_with_nobody() -> None:
    assert told(arena("easy", "--sprt", "0", "1"), Exit.WRONG_USE) == "--sprt compares the first two bots: name two"


# --- going on with what was broken off --------------------------------------------------------------------------------

STOPS = """
import os
from threading import Event

made = 0

class Stops:
    def __init__(self, rng):
        global made
        made += 1
        self.rng = rng
        if made == 10 and "STOPS" in os.environ:
            os.write(2, b"go\\n")
            Event().wait()

    def decide(self, view):
        return self.rng.choice(view.legal)
"""
"""It stops when the third block of its process has begun, if it is told to."""


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_was_ended_goes_on_to_the_same_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: signal.Signals
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("stops.py").write_text(STOPS, encoding="utf-8")
    words = ["stops.py", "easy", "--matches", "20", "--pots", "1", "--seed", "x"]
    whole = arena(*words, "--out", "whole.json", "--records", "whole")
    assert not Path("whole.json.blocks").exists()
    command = [sys.executable, *COMMAND, *words, "--jobs", "2", "--out", "a b.json", "--records", "records"]
    with (
        subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env=os.environ | {"STOPS": ""},
        ) as process,
        doomed(process, is_group=True),
    ):
        assert process.stderr is not None
        said = process.stderr.readline()
        assert [process.stderr.readline() for _ in range(2)] == ["go\n"] * 2
        os.killpg(process.pid, how)
        _, err = process.communicate(timeout=60)
    line = "kille: if this is broken off, go on with: kille arena --resume 'a b.json'\n"
    assert said == line
    assert err.endswith(line) == (how is signal.SIGINT)
    assert Path("a b.json.blocks").exists()
    with Path("a b.json.blocks").open("a", encoding="utf-8") as file:
        file.write('{"block":')
    resumed = arena(*shlex.split(line.partition("kille arena ")[2]))
    assert resumed.exit_code == Exit.DONE
    assert resumed.stdout == whole.stdout
    assert Path("a b.json").read_bytes() == Path("whole.json").read_bytes()
    assert not Path("a b.json.blocks").exists()
    assert {file.name: file.read_bytes() for file in Path("records").iterdir()} == {
        file.name: file.read_bytes() for file in Path("whole").iterdir()
    }


def broken_off(folder: Path, bot: str, *words: str) -> Path:
    """A run of three blocks of which two are kept; the name of its results."""
    out = folder / "out.json"
    plain = (bot, "easy", "--matches", "6", "--pots", "1", "--seed", "x", "--out", str(out), *words)
    kept: list[bytes] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Kept, "forget", lambda self: kept.append(self.path.read_bytes()))
        arena(*plain)
    lines = kept[0].splitlines(keepends=True)
    assert len(lines) == 4
    (folder / "out.json.blocks").write_bytes(b"".join(lines[:3]))
    out.unlink()
    return out


def test_the_name_of_what_is_kept_will_do(tmp_path: Path) -> None:
    out = broken_off(tmp_path, "random")
    assert arena("--resume", f"{out}.blocks").exit_code == Exit.DONE
    assert json.loads(out.read_text(encoding="utf-8"))["matches"] == 6


def test_a_test_that_was_decided_stays_so(tmp_path: Path) -> None:
    """Killed between the last block and the results."""
    words = ("sharp", "random", "--sprt", "0", "0.5", "--seats", "2", "--pots", "1", "--seed", "x")
    out = tmp_path / "out.json"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Kept, "forget", lambda _self: None)
        first = arena(*words, "--out", str(out))
    assert arena("--resume", str(out)).stdout == first.stdout


def test_a_changed_bot_is_refused(tmp_path: Path) -> None:
    bot = tmp_path / "mine.py"
    bot.write_text("def decide(view):\n    return view.legal[0]\n", encoding="utf-8")
    out = broken_off(tmp_path, str(bot))
    bot.write_text("def decide(view):\n    return view.legal[-1]\n", encoding="utf-8")
    before = (tmp_path / "out.json.blocks").read_bytes()
    line = told(arena("--resume", str(out)), Exit.WRONG_USE)
    assert line.startswith(f"{bot} is not what it was when the run began: put it back, or remove {out}.blocks")
    bot.unlink()
    assert str(bot) in told(arena("--resume", str(out)), Exit.WRONG_USE)
    assert (tmp_path / "out.json.blocks").read_bytes() == before


def test_another_kille_is_refused(tmp_path: Path) -> None:
    out = broken_off(tmp_path, "random")
    blocks = tmp_path / "out.json.blocks"
    head, *lines = blocks.read_text(encoding="utf-8").splitlines(keepends=True)
    last = json.loads(head)["hashes"][-1]
    blocks.write_text("".join([head.replace(last, "0"), *lines]), encoding="utf-8")
    assert "is not the Kille that the run began with" in told(arena("--resume", str(out)), Exit.WRONG_USE)


def test_a_run_that_was_broken_off_is_not_written_over(tmp_path: Path) -> None:
    out = broken_off(tmp_path, "random")
    line = told(arena("easy", "--matches", "4", "--pots", "1", "--out", str(out)), Exit.WRONG_USE)
    assert line == (
        f"{out}.blocks holds a run that was broken off: go on with kille arena --resume {out}, or remove that file"
    )


def test_results_that_are_there_are_not_written_over(tmp_path: Path) -> None:
    for name in ("out.json", "out.csv"):
        out = tmp_path / name
        words = ("random", "easy", "--matches", "4", "--pots", "1", "--out", str(out))
        out.write_bytes(b"")
        assert arena(*words).exit_code == Exit.DONE, "an empty file holds none"
        before = out.read_bytes()
        line = f"{out} holds results already: name another file, or remove that one"
        assert told(arena(*words), Exit.WRONG_USE) == line
        assert out.read_bytes() == before
        assert not out.with_name(f"{name}.blocks").exists()


def test_what_cannot_be_gone_on_with(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    line = told(arena("--resume", str(out)), Exit.WRONG_USE)
    assert line == f"there is nothing to go on with: {out}.blocks does not exist"
    assert arena("easy", "--matches", "2", "--pots", "1", "--out", str(out)).exit_code == Exit.DONE
    for given in (str(out), f"{out}.blocks"):
        assert told(arena("--resume", given), Exit.WRONG_USE) == f"that run is finished: its results are in {out}"
    (tmp_path / "out.json.blocks").write_text("no\n", encoding="utf-8")
    assert told(arena("--resume", str(out)), Exit.WRONG_USE).startswith(f"{out}.blocks is damaged in line 1")
    (tmp_path / "out.json.blocks").unlink()
    (tmp_path / "out.json.blocks").mkdir()
    assert told(arena("--resume", str(out)), Exit.WRONG_USE).startswith(f"cannot use {out}.blocks: ")


def test_with_what_was_asked_for_once_nothing_else_is(tmp_path: Path) -> None:
    line = told(arena("easy", "--resume", str(tmp_path / "out.json"), "--seed", "y"), Exit.WRONG_USE)
    assert line == "--resume goes on with all that was asked for: leave out BOT..., --seed"


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="a device")
def test_nothing_is_kept_beside_a_device() -> None:
    result = arena("easy", "random", "--matches", "1", "--pots", "1", "--out", "/dev/null")
    assert result.exit_code == Exit.DONE
    assert result.stderr == ""
    assert not Path("/dev/null.blocks").exists()


def test_a_full_disk_ends_the_run_and_what_was_kept_is_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out.json"
    words = ("random", "easy", "--matches", "10", "--pots", "1", "--seed", "x")
    whole = arena(*words)
    add, room = Kept.add, iter(range(3))

    def full(kept: Kept, block: Block) -> None:
        if next(room, None) is None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        add(kept, block)

    with monkeypatch.context() as patch:
        patch.setattr(Kept, "add", full)
        result = arena(*words, "--out", str(out))
    assert result.exit_code == Exit.WRONG_USE
    hint, line = result.stderr.splitlines()
    assert hint.endswith(f"kille arena --resume {out}")
    assert line == f"kille: cannot write {out}.blocks: No space left on device"
    assert arena("--resume", str(out)).stdout == whole.stdout


def test_two_runs_do_not_write_one_file(tmp_path: Path) -> None:
    out = broken_off(tmp_path, "random")
    kept, _, _ = Kept.go_on(tmp_path / "out.json.blocks")
    assert told(arena("--resume", str(out)), Exit.WRONG_USE) == f"another run writes {out}.blocks"
    kept.close()


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
        ["easy", "--seed", "\udcff"],
        *(["easy", "--budget", number] for number in ("0", "-1", "nan", "-nan", "inf", "-inf", "1e999")),
    ],
)
def test_wrong_use(words: list[str]) -> None:
    assert "see kille arena --help" in told(arena(*words), Exit.WRONG_USE)


@pytest.mark.parametrize(("matches", "told"), [("2", ": 1 block of 2,"), ("3", ": 2 blocks of 2,")])
def test_one_block_is_no_blocks(matches: str, told: str) -> None:
    result = arena("easy", "random", "--seats", "2", "--matches", matches, "--pots", "1")
    assert told in result.stdout.splitlines()[0]


@pytest.mark.parametrize("option", ["--records", "--svg"])
def test_what_is_no_text_cannot_be_kept(option: str, tmp_path: Path) -> None:
    """And nothing is, not even a file without a line."""
    out = tmp_path / "out.json"
    assert "must be text" in told(arena("easy", "--out", str(out), option, str(tmp_path / "\udcff")), Exit.WRONG_USE)
    assert list(tmp_path.iterdir()) == []


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


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_bot_that_ends_the_process_ends_the_run_in_one_line(jobs: str, tmp_path: Path) -> None:
    file = tmp_path / "gone.py"
    file.write_text("import os\ndef decide(view):\n    os._exit(3)\n", encoding="utf-8")
    (tmp_path / "mine.py").write_text("def decide(view):\n    return view.legal[0]\n", encoding="utf-8")
    line = told(arena(str(file), "easy", "--jobs", jobs), Exit.DOES_NOT_HOLD)
    assert line == "a process that played has ended with status 3: did gone end it?"
    line = told(arena(str(file), "easy", str(tmp_path / "mine.py"), "--jobs", jobs), Exit.DOES_NOT_HOLD)
    assert line.endswith("with status 3: did gone, mine end it?")


@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal")
@pytest.mark.parametrize(
    ("columns", "width", "names"), [(120, 20, b"easy - random: "), (80, 20, b"easy - random: "), (60, 15, b"")]
)
def test_a_bar_on_a_terminal_with_the_time_left_and_the_interval_so_far(columns: int, width: int, names: bytes) -> None:
    words = [*COMMAND, "easy", "random", "--matches", "10000", "--jobs", "1", "--pots", "1"]
    with pexpect.spawn(sys.executable, words, dimensions=(24, columns)) as child:
        bar = rb"\[[#-]{%d}\]  \d+/10000  \d\d:\d\d:\d\d  " % width
        child.expect(bar + names + rb"[+-]\d\.\d+ to [+-]\d\.\d+", timeout=60)
        child.sendintr()
        child.expect(rb"\r\n\d+ matches, ", timeout=60)
        child.expect(pexpect.EOF, timeout=60)


@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal")
@pytest.mark.parametrize("lang", ["en", "sv"])
def test_texts_are_broken_between_words_to_the_width_of_a_terminal(lang: str) -> None:
    words = ["easy", "random", "--seats", "2", "--matches", "40", "--jobs", "1", "--pots", "1", "--seed", "x"]
    words += ["--sprt", "-1", "1"]
    whole = arena(*words, lang=lang).stdout.splitlines()
    command = [*COMMAND[:2], "--lang", lang, "arena", *words]
    line = f"{shlex.join([sys.executable, *command])} 2>/dev/null"
    with pexpect.spawn("/bin/sh", ["-c", line], dimensions=(24, 66), timeout=60) as child:
        lines = child.read().decode().splitlines()
    assert max(map(len, lines)) <= 66 < max(map(len, whole))
    assert " ".join(" ".join(lines).split()) == " ".join(" ".join(whole).split())


@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal")
def test_the_bar_fits_in_a_narrow_terminal() -> None:
    words = [*COMMAND, "easy", "random", "--matches", "100000", "--jobs", "1", "--pots", "1"]
    with pexpect.spawn(sys.executable, words, dimensions=(24, 50)) as child:
        child.expect(rb"\r([^\r\n]*\d\d:\d\d:\d\d[^\r\n]*)\r", timeout=60)
        assert len(re.sub(rb"\x1b\[[?0-9]*[A-Za-z]", b"", child.match[1]).rstrip()) <= 50
        child.sendintr()
        child.expect(pexpect.EOF, timeout=60)


@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal")
def test_a_terminal_that_can_do_nothing_has_no_bar() -> None:
    words = [*COMMAND, "easy", "random", "--matches", "20", "--jobs", "1", "--pots", "1"]
    with pexpect.spawn(sys.executable, words, env=os.environ | {"TERM": "dumb"}, timeout=60) as child:
        text = child.read()
    assert text.startswith(b"20 matches, ")
    assert b"\x1b" not in text


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_tells_what_there_is(tmp_path: Path, jobs: str) -> None:
    """The bot says on standard error when the third block of a process has begun; two can be told of then."""
    file = tmp_path / "slow.py"
    text = """
import os
made = 0

class Slow:
    def __init__(self):
        global made
        made += 1
        if made == 10:
            os.write(2, b"go\\n")

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
