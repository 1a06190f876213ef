"""kille bot new, check and step: from nothing to a bot that plays, and back to what it did wrong."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kille_net.arena.situations import SITUATIONS
from kille_net.cli import main
from kille_net.cli.exit_codes import Exit
from kille_net.game.cards import Card
from kille_net.languages import LANGUAGES
from tests.examples.running import ROOT
from tests.serving import KILLE, kille

BAD = """
from kille_net.game.actions import Action

def decide(view):
    if view.hand == 3:
        return "swap"
    return Action.REFUSE if Action.SWAP not in view.legal else Action.STAND
"""
NOSY = """
from kille_net.game.actions import Action

def decide(view):
    print("cards:", [None if card is None else card.code for card in view.cards])
    return Action.STAND if Action.STAND in view.legal else Action.REFUSE
"""


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.chdir(tmp_path)
    return CliRunner()


def bot(runner: CliRunner, *arguments: str, lang: str = "en") -> Result:
    return runner.invoke(main, ["--lang", lang, "bot", *arguments])


# --- new --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_new_bot_is_found_without_fault_and_its_test_holds(runner: CliRunner, tmp_path: Path, lang: str) -> None:
    made = bot(runner, "new", "my-first", "--dir", "bots", lang=lang)
    assert (made.exit_code, made.stderr) == (Exit.DONE, "")
    assert {path.name for path in (tmp_path / "bots").iterdir()} == {"my_first.py", "test_my_first.py"}
    checked = bot(runner, "check", "bots/my_first.py", "--strict", lang=lang)
    assert (checked.exit_code, checked.stderr) == (Exit.DONE, "")
    tests = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "bots/test_my_first.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert tests.returncode == 0, tests.stdout


@pytest.mark.parametrize(
    ("name", "is_other"), [("my-bot", True), ("my bot.py", True), ("mine", False), ("mine.py", False)]
)
def test_a_name_that_is_made_another_is_told_why(runner: CliRunner, name: str, is_other: bool) -> None:  # noqa: FBT001  parametrized
    first = bot(runner, "new", name).stdout.splitlines()[0]
    assert ("(named so that Python can import it)" in first) is is_other


def test_what_it_says_to_do_next_can_be_done(runner: CliRunner) -> None:
    told = bot(runner, "new", "fresh").stdout.splitlines()
    commands = [shlex.split(line, comments=True) for line in told[1:]]
    assert [command[:3] for command in commands] == [
        ["kille", "bot", "check"], ["kille", "arena", "fresh.py"], ["kille", "bot", "run"]
    ]  # fmt: skip
    assert runner.invoke(main, ["--lang", "en", *commands[0][1:]]).exit_code == Exit.DONE
    arena = [*commands[1][1:-1], "8", "--length", "short", "--jobs", "1"]
    assert runner.invoke(main, ["--lang", "en", *arena]).exit_code == Exit.DONE


def test_a_new_bot_is_better_than_easy(runner: CliRunner) -> None:
    bot(runner, "new", "fresh")
    arena = ["arena", "fresh.py", "easy", "--matches", "300", "--length", "short", "--seed", "1", "--out", "out.json"]
    assert runner.invoke(main, [*arena, "--jobs", "1"]).exit_code == Exit.DONE
    (difference,) = json.loads(Path("out.json").read_text())["differences"]
    assert difference["share"]["low"] > 0


def test_nothing_is_written_over(runner: CliRunner, tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text("mine\n")
    refused = bot(runner, "new", "mine")
    assert (refused.exit_code, refused.stdout) == (Exit.WRONG_USE, "")
    assert refused.stderr.count("\n") == 1
    assert "test_mine.py is there already" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["test_mine.py"]
    assert (tmp_path / "test_mine.py").read_text() == "mine\n"


@pytest.mark.parametrize("name", ["", "3x", "a/b", "../up", "for", "random", "kille_net", "tårta", "a.b", "x" * 300])
def test_a_name_that_cannot_be_is_one_line(runner: CliRunner, tmp_path: Path, name: str) -> None:
    refused = bot(runner, "new", name)
    assert (refused.exit_code, refused.stdout) == (Exit.WRONG_USE, "")
    assert refused.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


# --- check ------------------------------------------------------------------------------------------------------------


def test_a_fault_is_told_with_its_rule_and_how_to_see_it_again(runner: CliRunner, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BAD)
    checked = bot(runner, "check", "bad.py", "--records", "records")
    assert checked.exit_code == Exit.DOES_NOT_HOLD
    assert "FAULT in decide: not an action\n    it answered with str, not with an Action\n" in checked.stdout
    assert "rules F1, F3, S4" in checked.stdout
    commands = {
        line.split(": ", 1)[0].strip(): shlex.split(line.split(": ", 1)[1])
        for line in checked.stdout.splitlines()
        if line.startswith(("    again: ", "    look: "))
    }
    again = runner.invoke(main, ["--lang", "en", *commands["again"][1:]])
    assert again.exit_code == Exit.DOES_NOT_HOLD
    assert "it answered with str" in again.stdout
    seen = runner.invoke(main, ["--lang", "en", *commands["look"][1:]])
    assert seen.exit_code == Exit.DOES_NOT_HOLD
    assert "hand 3\n" in seen.stdout
    assert "It does wrong now: it answered with str, not with an Action" in seen.stdout


def test_all_of_it_is_said_in_swedish(runner: CliRunner, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BAD)
    checked = bot(runner, "check", "bad.py", lang="sv").stdout
    assert "FEL i decide: gav ingen handling\n    den svarade med str, inte med en Action\n" in checked
    assert "(partier); regler F1" in checked
    assert " fault" not in checked


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_situation_has_words(runner: CliRunner, lang: str) -> None:
    listed = bot(runner, "check", "--list", lang=lang)
    assert listed.exit_code == Exit.DONE
    lines = listed.stdout.splitlines()
    assert [line.split()[0] for line in lines] == [one.key for one in SITUATIONS]
    assert all("{" not in line for line in lines)


def test_only_what_is_named_is_tried(runner: CliRunner) -> None:
    told = json.loads(bot(runner, "check", "easy", "--only", "asks", "--only", "dealt.first.kuku", "--json").stdout)
    assert (told["tried"], told["findings"]) == (5, [])


def test_a_program_reads_the_same(runner: CliRunner, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BAD)
    checked = bot(runner, "check", "bad.py", "--json")
    assert checked.exit_code == Exit.DOES_NOT_HOLD
    (finding,) = json.loads(checked.stdout)["findings"]
    assert (finding["kind"], finding["is_fault"], finding["doing"]) == ("not_an_action", True, "decide")
    assert finding["situations"][0] == "match.whole.2"


def test_a_remark_is_no_fault_unless_it_is_said_to_be(runner: CliRunner, tmp_path: Path) -> None:
    (tmp_path / "nosy.py").write_text(NOSY)
    checked = bot(runner, "check", "nosy.py")
    assert checked.exit_code == Exit.DONE
    assert checked.stdout.count("REMARK: it prints") == 1
    assert "cards: " not in checked.output
    assert bot(runner, "check", "nosy.py", "--strict").exit_code == Exit.DOES_NOT_HOLD


def test_a_bot_that_hangs_or_is_never_loaded_is_told_in_bounded_time(runner: CliRunner, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text("def decide(view):\n    while True:\n        pass\n")
    checked = kille("bot", "check", "slow.py", "--budget", "0.05", cwd=tmp_path)
    assert checked.returncode == Exit.DOES_NOT_HOLD
    assert "FAULT in decide: hung" in checked.stdout
    assert "while True" in checked.stdout
    assert f"Given up after 3 of {len(SITUATIONS)} situations" in checked.stdout
    (tmp_path / "never.py").write_text("import threading\nthreading.Event().wait()\ndef decide(view):\n    pass\n")
    checked = kille("bot", "check", "never.py", "--ready", "0.05", cwd=tmp_path)
    assert (checked.returncode, checked.stdout) == (Exit.WRONG_USE, "")
    assert "never.py is not loaded after 0.05 s" in checked.stderr
    assert checked.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "which bot is to be tried?"),
        (("nosuch.py",), "there is no file nosuch.py"),
        (("easy", "--only", "nosuch"), "there is no situation 'nosuch'"),
    ],
)
def test_what_cannot_be_tried_is_one_line(runner: CliRunner, arguments: tuple[str, ...], said: str) -> None:
    refused = bot(runner, "check", *arguments)
    assert (refused.exit_code, refused.stdout) == (Exit.WRONG_USE, "")
    assert said in refused.stderr
    assert refused.stderr.count("\n") == 1


@pytest.mark.parametrize("file", ["first_bot.py", "memory_bot.py"])
def test_the_examples_bear_every_situation(runner: CliRunner, file: str) -> None:
    checked = bot(runner, "check", str(ROOT / "examples" / file), "--strict")
    assert (checked.exit_code, checked.stderr) == (Exit.DONE, "")


# --- step -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def record(runner: CliRunner, tmp_path: Path) -> str:
    """Of a match of whose four seats the second, which never swaps, is `nosy`."""
    (tmp_path / "nosy.py").write_text(NOSY)
    arena = ["arena", "easy", "nosy.py", "--matches", "1", "--seed", "7", "--jobs", "1", "--records", "records"]
    assert runner.invoke(main, [*arena, "--length", "short"]).exit_code == Exit.DONE
    return str(min((tmp_path / "records").iterdir()))


def test_the_questions_of_a_seat_are_listed_and_one_is_shown(runner: CliRunner, record: str) -> None:
    listed = bot(runner, "step", record, "--seat", "2").stdout.splitlines()
    assert [line.split()[0] for line in listed] == [str(number) for number in range(1, len(listed) + 1)]
    at = next(number for number, line in enumerate(listed, 1) if "stand, swap  " in line)
    shown = bot(runner, "step", record, "--seat", "2", "--at", str(at))
    assert shown.exit_code == Exit.DONE
    assert "It may: stand, swap\nIt did then: stand\n" in shown.stdout


def test_a_question_is_shown_in_the_language_with_the_code_that_a_bot_writes_beside(
    runner: CliRunner, record: str
) -> None:
    listed = bot(runner, "step", record, "--seat", "2", lang="sv").stdout.splitlines()
    at = next(number for number, line in enumerate(listed, 1) if "  stå (stand), byta (swap)  " in line)
    asked = bot(runner, "step", record, "--seat", "2", "--at", str(at), "--bot", "nosy.py", lang="sv").stdout
    assert "Den får: stå (stand), byta (swap)\nDen gjorde då: stå (stand)\n" in asked
    assert "Nu svarar den: stå (stand)\n" in asked
    assert "\nStällning, parti 1 av " in asked
    assert "sedan du såg" not in asked


def test_what_others_did_before_is_shown_in_the_order_of_speaking(runner: CliRunner, record: str) -> None:
    listed = bot(runner, "step", record, "--seat", "2").stdout.splitlines()
    done: list[str] = []
    for at in (number for number, line in enumerate(listed, 1) if "?" not in line):
        shown = bot(runner, "step", record, "--seat", "2", "--at", str(at)).stdout.splitlines()
        seats = [line for line in shown if ": lives " in line]
        own = next(number for number, line in enumerate(seats) if "(you)" in line)
        if "to act" in seats[own] and not any("asks for" in line for line in seats):
            assert all("not yet on turn" not in line for line in seats[:own])
            assert all("not yet on turn" in line or "turn is gone" in line for line in seats[own + 1 :])
            done += seats[:own]
        assert "deals" in seats[-1]
    assert any(", stood" in line for line in done)
    assert any(", swapped" in line for line in done)


@pytest.mark.parametrize("doing", ["ready", "decide"])
def test_a_bot_that_ends_python_only_is_told_like_one_that_raises(
    runner: CliRunner, tmp_path: Path, record: str, doing: str
) -> None:
    (tmp_path / "ends.py").write_text(
        "class Ends:\n    def decide(self, view):\n        pass\n"
        f"    def {doing}(self, view=None):\n        raise SystemExit(0)\n"
    )
    asked = bot(runner, "step", record, "--seat", "2", "--at", "1", "--bot", "ends.py")
    assert asked.exit_code == Exit.DOES_NOT_HOLD
    assert "    raise SystemExit(0)\n" in asked.stderr


def test_so_is_one_that_is_to_be_answered_best(runner: CliRunner, tmp_path: Path) -> None:
    (tmp_path / "ends.py").write_text("def decide(view):\n    raise SystemExit(0)\n")
    solved = runner.invoke(main, ["--lang", "en", "solve", "--bot", "ends.py"])
    assert (solved.exit_code, solved.stdout) == (Exit.WRONG_USE, "")
    assert solved.stderr == "kille: ends.py has a fault: SystemExit: 0\n"


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", "kille: none.py has a fault: it answered with NoneType, not with an Action\n"),
        ("sv", "den svarade med NoneType, inte med en Action\n"),
    ],
)
def test_a_bot_without_an_answer_is_told_and_not_waited_for(tmp_path: Path, lang: str, said: str) -> None:
    (tmp_path / "none.py").write_text("def decide(view):\n    pass\n")
    done = subprocess.run(
        [*KILLE, "--lang", lang, "solve", "--bot", "none.py"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=tmp_path,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (Exit.WRONG_USE, "")
    assert done.stderr.endswith(said)


def test_a_bot_that_is_asked_again_sees_what_its_seat_saw_and_nothing_else(runner: CliRunner, record: str) -> None:
    listed = bot(runner, "step", record, "--seat", "2").stdout.splitlines()
    at = next(number for number, line in enumerate(listed, 1) if "hand 1" in line and "?" not in line)
    asked = bot(runner, "step", record, "--seat", "2", "--at", str(at), "--bot", "nosy.py")
    assert asked.exit_code == Exit.DONE
    seen = next(line for line in asked.stdout.splitlines() if line.startswith("cards: "))
    dealt = json.loads(Path(record).read_text().splitlines()[1])
    order = [(dealt["dealer"] + 1 + k) % 4 for k in range(4)]
    own = dealt["packs"][0][order.index(1)]
    assert own in {card.code for card in Card}
    assert seen.count("None") >= 2
    assert f"'{own}'" in seen or "swap" in Path(record).read_text()
    assert "It answers now: stand" in asked.stdout


def test_it_stops_at_a_breakpoint_and_no_clock_runs(tmp_path: Path, record: str) -> None:
    (tmp_path / "stops.py").write_text("def decide(view):\n    breakpoint()\n    return view.legal[0]\n")
    done = subprocess.run(
        [*KILLE, "--lang", "en", "bot", "step", record, "--seat", "2", "--at", "2", "--bot", "stops.py"],
        input="p view.seat\nc\n",
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "(Pdb) 1\n" in done.stdout
    assert "It answers now: " in done.stdout


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def decide(view):\n    return 7\n", "It does wrong now: it answered with int, not with an Action"),
        ("def decide(view):\n    raise ValueError('oh dear')\n", "It raises an error now"),
    ],
)
def test_what_it_does_wrong_is_told(runner: CliRunner, tmp_path: Path, record: str, source: str, said: str) -> None:
    (tmp_path / "bad.py").write_text(source)
    listed = bot(runner, "step", record, "--seat", "2").stdout.splitlines()
    at = next(number for number, line in enumerate(listed, 1) if "?" not in line)
    asked = bot(runner, "step", record, "--seat", "2", "--at", str(at), "--bot", "bad.py")
    assert asked.exit_code == Exit.DOES_NOT_HOLD
    assert said in asked.stdout
    if "raise" in source:
        assert asked.stderr.endswith("ValueError: oh dear\n")


MEMORY = """
from kille_net.game.actions import Action

class Counting:
    def __init__(self):
        self.asked = self.heard = 0

    def saw(self, event):
        self.heard += 1

    def decide(self, view):
        self.asked += 1
        print("asked", self.asked, "heard", self.heard)
        return view.legal[0]

    def calls_kuku(self, view):
        self.asked += 1
        return False
"""


def test_a_bot_that_remembers_hears_all_of_it_and_is_asked_all_where_that_is_wished(
    runner: CliRunner, tmp_path: Path, record: str
) -> None:
    (tmp_path / "counting.py").write_text(MEMORY)
    listed = bot(runner, "step", record, "--seat", "2").stdout.splitlines()
    at = [number for number, line in enumerate(listed, 1) if "?" not in line][-1]
    words = ("step", record, "--seat", "2", "--at", str(at), "--bot", "counting.py")
    alone, all_ = (bot(runner, *words, *more).stdout for more in ((), ("--before",)))
    assert "asked 1 heard " in alone
    heard = alone.partition("asked 1 heard ")[2].split()[0]
    assert int(heard) > at
    assert f"asked {at} heard {heard}" in all_


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--seat", "2", "--at", "9999"), Exit.WRONG_USE, "there is no 9999"),
        (("--seat", "9", "--at", "1"), Exit.WRONG_USE, "9"),
        (("--seat", "2", "--at", "1", "--bot", "nosuch.py"), Exit.WRONG_USE, "there is no file"),
        (("--at", "1"), Exit.WRONG_USE, "--seat"),
    ],
)
def test_what_cannot_be_asked_is_one_line(
    runner: CliRunner, record: str, arguments: tuple[str, ...], code: Exit, said: str
) -> None:
    refused = bot(runner, "step", record, *arguments)
    assert refused.exit_code == code
    assert said in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_a_record_that_is_none_is_one_line(runner: CliRunner, tmp_path: Path) -> None:
    (tmp_path / "rubbish.jsonl").write_text("rubbish\n")
    refused = bot(runner, "step", "rubbish.jsonl", "--seat", "1")
    assert refused.exit_code == Exit.DOES_NOT_HOLD
    assert refused.stderr.count("\n") == 1
