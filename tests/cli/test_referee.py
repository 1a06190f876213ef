"""`kille referee`: one answer a hand, as soon as it is read."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from kille_net.cli import main
from kille_net.cli.exit_codes import Exit
from tests.serving import doomed

ORDER = (
    "4 kavall 8 2 kuku harlekin husar 6 5 vardshus husu kavall kransen 8 9 blompottan harlekin 6 9 11 3 kuku kransen 1 "
    "7 blompottan 12 5 4 7 husu vardshus blaren 11 2 10 10 blaren husar 3 12 1"
)
HAND: dict[str, Any] = {
    "type": "hand",
    "n": 1,
    "pot": 1,
    "dealer": 4,
    "lives": [3, 3, 3, 3, 3],
    "packs": [ORDER.split()],
    "actions": [{"seat": 0, "do": "swap"}, {"seat": 2, "do": "swap"}, {"seat": 3, "do": "swap"}],
}
OUTCOME = {
    "done": True,
    "cards": ["8", "kavall", "2", "4", "kuku"],
    "struck": [],
    "low_harlekins": [],
    "lost": [2],
    "lives_after": [3, 3, 2, 3, 3],
}


def referee(*lines: object, options: tuple[str, ...] = (), lang: str = "en") -> Result:
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    return CliRunner().invoke(main, ["--lang", lang, "referee", *options], input=text)


def answers(result: Result) -> list[Any]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_the_example_hand() -> None:
    result = referee(HAND)
    assert (result.exit_code, result.stderr) == (Exit.DONE, "")
    assert answers(result) == [OUTCOME]


def test_a_hand_that_is_not_over() -> None:
    assert answers(referee({**HAND, "actions": HAND["actions"][:2]})) == [
        {"done": False, "to_act": 3, "cards": ["8", "kavall", "2", "4", "kuku"], "struck": [], "face_up": [1]}
    ]


def test_all_lines_are_answered_before_it_ends_with_1() -> None:
    result = referee(HAND, "no JSON", {**HAND, "actions": [{"seat": 3, "do": "stand"}]}, "", {"type": "pot"}, HAND)
    assert result.exit_code == Exit.DOES_NOT_HOLD
    assert result.stderr == ""
    assert answers(result) == [
        OUTCOME,
        {"error": "not a line of JSON", "at": None},
        {"error": "it is not the turn of the seat", "at": 0},
        OUTCOME,
    ]


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "hands.jsonl"
    path.write_text(json.dumps(HAND) + "\n", encoding="utf-8")
    assert answers(CliRunner().invoke(main, ["referee", str(path)])) == [OUTCOME]


def test_a_file_that_is_not_there_or_no_file(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        result = CliRunner().invoke(main, ["referee", str(path)])
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (Exit.WRONG_USE, "", 1)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="a file that opens and cannot be read")
def test_a_file_that_cannot_be_read() -> None:
    result = CliRunner().invoke(main, ["referee", "/proc/self/mem"])
    assert result.exit_code == Exit.WRONG_USE
    assert result.stderr.startswith("kille: cannot read /proc/self/mem: ")


def test_it_answers_while_it_reads() -> None:
    with (
        subprocess.Popen(
            [sys.executable, "-c", "from kille_net.cli import main; main(['referee'])"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        ) as process,
        doomed(process),
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        for _ in range(3):
            process.stdin.write(json.dumps(HAND).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline()) == OUTCOME
        process.stdin.close()
        assert process.wait(timeout=20) == Exit.DONE


def test_explain_in_english() -> None:
    result = referee(HAND, options=("--explain",))
    lines = result.stdout.splitlines()
    assert result.exit_code == Exit.DONE
    assert lines[0] == "Hand 1: Seat-5 deals. Lives: Seat-1 3, Seat-2 3, Seat-3 3, Seat-4 3, Seat-5 3."
    assert any("Kavall förbi" in line and "Seat-2" in line for line in lines)
    assert lines[-2].startswith("Seat-3 loses a life")
    assert lines[-1] == ""


def test_explain_in_swedish_with_the_names_of_the_match() -> None:
    names = ["Anna", "Bo", "Cilla", "Dan", "Eva"]
    match = {"type": "match", "seats": [{"name": name} for name in names]}
    lines = referee(match, HAND, options=("--explain",), lang="sv").stdout.splitlines()
    assert lines[0] == "Giv 1: Eva ger. Liv: Anna 3, Bo 3, Cilla 3, Dan 3, Eva 3."
    assert lines[-2].startswith("Cilla förlorar ett liv")


def test_explain_what_is_open_and_what_is_wrong() -> None:
    opened = {**HAND, "actions": HAND["actions"][:2]}
    wrong = {**HAND, "actions": [*HAND["actions"][:1], {"seat": 4, "do": "accept"}]}
    odd = {**HAND, "actions": [{"seat": 0, "do": "dance"}]}
    dealt = {**HAND, "dealer": 5}
    for lang, ends in {
        "en": [
            "Seat-4 is to answer.",
            "Action 2 is not legal: the seat was not asked for better cards.",
            'Action 1 is not legal: "do" must be one of stand, swap, kuku, ask, accept, refuse, depends.',
            'The hand cannot be played: "dealer" must be a seat of the table.',
        ],
        "sv": [
            "Plats-4 ska svara.",
            "Handling 2 är inte giltig: platsen är inte tillfrågad om nya kort.",
            'Handling 1 är inte giltig: "do" ska vara något av stand, swap, kuku, ask, accept, refuse, depends.',
            'Given kan inte spelas: "dealer" ska vara en plats vid bordet.',
        ],
    }.items():
        told = referee(opened, wrong, odd, dealt, options=("--explain",), lang=lang).stdout
        assert [hand.splitlines()[-1] for hand in told.removesuffix("\n\n").split("\n\n")] == ends
