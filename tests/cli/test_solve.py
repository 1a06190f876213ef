"""`kille solve`: what it prints and writes, and how it ends."""

import json
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import pexpect
import pytest
from click.testing import CliRunner, Result

from kille_net.bots import three
from kille_net.bots.chart import read
from kille_net.bots.perfect import TABLE
from kille_net.cli import main
from kille_net.cli import solve as cli
from kille_net.cli.exit_codes import Exit
from kille_net.client.showing.texts import CARDS
from kille_net.game.rules import Ruleset
from kille_net.solve import solution as solving
from kille_net.solve.solution import Against, Solution
from kille_net.solve.three import solution as of_three


def solve(*words: str, lang: str = "en") -> Result:
    return CliRunner(env={"KILLE_LANG": lang}).invoke(main, ["solve", *words])


def told(result: Result, code: Exit = Exit.WRONG_USE) -> str:
    """The one line on standard error."""
    assert result.exit_code == code, result.output
    (line,) = result.stderr.splitlines()
    return line.removeprefix("kille: ")


def rows() -> dict[str, list[tuple[str, ...]]]:
    return {
        form: [tuple(row) for row in table] for form, table in json.loads(TABLE.read_text(encoding="ascii")).items()
    }


@pytest.fixture
def solved(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Solved at once; the two gaps, which may be changed."""
    gaps = [1e-16, 2e-16]

    def quick(rules: Ruleset, others: Sequence[Against] = ()) -> Solution:
        lives = range(1, rules.rules.lives + 1)
        return Solution(
            rules=rules,
            pot={(first, dealer): first / (first + dealer) for first in lives for dealer in lives},
            match=0.51,
            rows=rows()[rules.format.value],
            gaps=(gaps[0], gaps[1]),
            residual=3e-17,
            against=others,
        )

    monkeypatch.setattr(solving, "solve", quick)
    return gaps


def test_the_whole_of_it(tmp_path: Path) -> None:
    """The table that is written is the one that comes with the game."""
    out = tmp_path / "perfect.json"
    result = solve("--json", "--pots", "2", "--out", str(out))
    assert result.exit_code == Exit.DONE, result.output
    got = json.loads(result.stdout)
    assert got["rules"] == {"format": "pots", "pots": 2}
    assert max(got["gaps"].values()) < 1e-6
    assert got["residual"] < 1e-9
    assert len(got["pot"]) == 9
    assert 0.5 < got["match"] < got["pot"][-1]["chance"]
    assert out.read_bytes() == TABLE.read_bytes()


@pytest.mark.usefixtures("solved")
def test_a_table_of_lives_and_one_of_cards() -> None:
    lines = solve().stdout.splitlines()
    assert lines[0].startswith("2 seats, pots, 12 pots a match.")
    assert "0.51000" in lines[1]
    assert [line.split()[0] for line in lines[5:9]] == ["lives", "1", "2", "3"]
    assert lines[6].split() == ["1", "0.50000", "0.33333", "0.25000"]
    assert ["always", "6", "8", "6"] in [line.split() for line in lines]
    assert "1.0e-16" in lines[-1]


@pytest.mark.usefixtures("solved")
def test_in_sticks_places_with_the_same_cards_share_a_line() -> None:
    result = solve("--format", "sticks")
    lines = result.stdout.splitlines()
    assert lines[0].startswith("2 seats, sticks, 12 bouts a match.")
    thrown = [line for line in lines if line.startswith("Harlequins thrown")]
    assert [line.split("  ")[0] for line in thrown] == [
        "Harlequins thrown: 0",
        "Harlequins thrown: 1",
        "Harlequins thrown: 1, and 6–12",
        "Harlequins thrown: 2",
    ]


@pytest.mark.usefixtures("solved")
def test_in_swedish() -> None:
    result = solve("--format", "sticks", lang="sv")
    assert result.stdout.startswith("2 platser, pinnar, 12 partier i matchen.")
    assert "kastade Harlekiner: 1, och 6–12" in result.stdout


@pytest.mark.usefixtures("solved")
def test_places_with_other_cards_have_a_line_each(monkeypatch: pytest.MonkeyPatch) -> None:
    table = [*rows()["pots"][:-1], ("3", "3", "5", "8", "6")]
    monkeypatch.setitem(globals(), "rows", lambda: {"pots": table})
    lines = solve().stdout.splitlines()
    assert ["3-3", "5", "8", "6"] in [line.split() for line in lines]


@pytest.mark.usefixtures("solved")
def test_what_beats_a_bot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "against", lambda _rules, name, _bot: Against(name, 0.6, 0.55))
    result = solve("--bot", "sharp", "--bot", "careful")
    assert ["sharp", "0.60000", "0.55000", "+0.07500"] in [line.split() for line in result.stdout.splitlines()]
    assert json.loads(solve("--bot", "försiktig", "--json").stdout)["against"] == [
        {"bot": "careful", "first": 0.6, "dealer": 0.55}
    ]


def test_a_solution_that_is_none(solved: list[float]) -> None:
    solved[1] = 2e-6
    assert "more than a millionth" in told(solve(), Exit.DOES_NOT_HOLD)


@pytest.mark.usefixtures("solved")
@pytest.mark.parametrize(
    ("bot", "why"),
    [
        ("easy", "what easy does hangs on chance"),
        ("random", "what random does hangs on chance"),
        ("clever", "there is no built-in bot 'clever'"),
    ],
)
def test_bots_that_cannot_be_answered(bot: str, why: str) -> None:
    assert told(solve("--bot", bot)).startswith(why)


@pytest.mark.usefixtures("solved")
def test_a_bot_that_asks_in_sticks() -> None:
    assert "cards back that are not shuffled in again" in told(solve("--bot", "careful", "--format", "sticks"))


@pytest.mark.usefixtures("solved")
def test_a_bot_with_a_fault_costs_one_line(tmp_path: Path) -> None:
    bot = tmp_path / "rude.py"
    bot.write_text('def decide(view):\n    raise ValueError("rude\\nand loud")\n', encoding="utf-8")
    assert told(solve("--bot", str(bot))) == f"{bot} has a fault: ValueError: rude and loud"
    bot.write_text("def decide(view):\n    return 7\n", encoding="utf-8")
    assert told(solve("--bot", str(bot))).startswith(f"{bot} has a fault: ")


def test_without_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "_NEEDED", ("numpy", "no_such_library"))
    assert told(solve()) == "kille solve needs numpy and scipy: pip install 'kille-net[solve]'"


@pytest.mark.usefixtures("solved")
def test_a_file_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "rows_of", lambda rules: rows()[rules.format.value])
    assert "its folder does not exist" in told(solve("--out", str(tmp_path / "none" / "table.json")))
    (tmp_path / "table.json").mkdir()
    assert solve("--out", str(tmp_path / "table.json")).exit_code == Exit.WRONG_USE
    assert solve("--out", str(tmp_path / "other.json")).exit_code == Exit.DONE
    assert (tmp_path / "other.json").read_bytes() == TABLE.read_bytes()


def test_the_help_says_what_it_needs() -> None:
    assert "kille-net[solve]" in " ".join(solve("--help").stdout.split())


# --- more than two ----------------------------------------------------------------------------------------------------


def test_the_chart_is_printed_and_written(tmp_path: Path) -> None:
    out = tmp_path / "chart.json"
    words = ("--seats", "5", "--hands", "240", "--seed", "one")
    result = solve(*words, "--out", str(out))
    assert result.exit_code == Exit.DONE, result.output
    head, _, after, below, _, *rows = result.stdout.splitlines()
    assert "5 seats, pots, 3 lives each, hands dealt: 240" in head
    assert after.split()[-5:] == ["4", "3", "2", "1", "0"]
    (written,) = read(out.read_text(encoding="ascii")).values()
    assert below.split()[-5:] == [CARDS["en"][card] for card in reversed(written)]
    mask = next(row for row in rows if row.startswith("Mask"))
    assert mask.split()[1].startswith("[100/"), "who stands with the lowest card loses, and so it is swapped"
    told_too = json.loads(solve(*words, "--json").stdout)
    assert told_too["below"] == [card.code for card in written]
    assert {cell["following"] for cell in told_too["cells"]} == set(range(5))


@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal")
@pytest.mark.parametrize("words", [["--seats", "4", "--hands", "40"], ["--format", "sticks"]])
def test_texts_are_broken_between_words_to_the_width_of_a_terminal(words: list[str]) -> None:
    whole = [line for line in solve(*words).stdout.splitlines() if "It took" not in line]
    command = ["-c", "from kille_net.cli import main; main()", "--lang", "en", "solve", *words]
    line = f"{shlex.join([sys.executable, *command])} 2>/dev/null"
    with pexpect.spawn("/bin/sh", ["-c", line], dimensions=(24, 66), timeout=60) as child:
        lines = child.read().decode().splitlines()
    assert max(map(len, lines)) <= 66 < max(map(len, whole))
    assert " ".join(" ".join(whole).split()) in " ".join(" ".join(lines).split())


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("--seats", "4", "--pots", "3"), "--pots says nothing at 4 seats"),
        (("--seats", "4", "--length", "long"), "--length says nothing at 4 seats"),
        (("--seats", "8", "--bot", "sharp"), "--bot says nothing at 8 seats"),
        (("--hands", "9"), "--hands says nothing at 2 seats"),
        (("--seed", "9"), "--seed says nothing at 2 seats"),
    ],
)
def test_an_option_that_would_say_nothing_is_refused(words: Sequence[str], option: str) -> None:
    assert told(solve(*words)) == option


@pytest.mark.parametrize(("option", "value"), [("--seed", "\udcff"), ("--hands", str(2**63))])
def test_what_no_hands_can_be_dealt_by_is_refused(option: str, value: str) -> None:
    assert "see kille solve --help" in told(solve("--seats", "4", option, value))


def test_in_sticks_the_chart_is_of_one_life(tmp_path: Path) -> None:
    result = solve("--seats", "4", "--format", "pinnar", "--hands", "120", lang="sv")
    assert result.exit_code == Exit.DONE, result.output
    assert "liv för var och en: 1" in result.stdout
    assert solve("--seats", "4", "--out", str(tmp_path / "no" / "chart.json")).exit_code == Exit.WRONG_USE


# --- three ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def learned(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Learned at once; the gains, which may be changed."""
    gains = [1e-16, 2e-16, 3e-16]

    def quick(rules: Ruleset, others: Sequence[of_three.Against] = (), *, rounds: int) -> of_three.Solution:
        assert rounds
        table = three.tables()[rules.format.value]
        first, middle, dealer = gains
        return of_three.Solution(
            rules=rules,
            pot=dict.fromkeys(table.lives, (0.34, 0.335, 0.325)),
            table=table,
            gains=(first, middle, dealer),
            gains_at_start=(0.0, 0.0, 0.0),
            residual=3e-17,
            against=others,
        )

    monkeypatch.setattr(of_three, "solve", quick)
    monkeypatch.setattr(of_three, "table_for", lambda rules, rounds: three.tables()[rules.format.value])
    return gains


@pytest.mark.usefixtures("learned")
def test_three_are_told_below_which_cards_they_do_not_stand() -> None:
    lines = solve("--seats", "3").stdout.splitlines()
    assert lines[0].startswith("3 seats, pots.")
    assert lines[1].startswith("who speaks first wins a pot with a chance of 0.34000, the middle seat 0.33500,")
    (row,) = [line.split("  ") for line in lines if line.startswith("1-1-1  ")]
    assert [cell.strip() for cell in row if cell] == ["1-1-1", "5 (14 %)", "6", "7 (47 %)", "2"]
    assert any(line.startswith("2-1-1, 2-2-1,") and line.split()[-4:] == ["6", "7", "8", "2"] for line in lines)
    assert "3-3-3" in lines, "too many lives for a line"
    assert "1.0e-16 speaking first, 2.0e-16 in the middle and 3.0e-16 as the dealer" in lines[-1]


@pytest.mark.usefixtures("learned")
def test_three_in_sticks_have_one_line_and_in_swedish() -> None:
    lines = solve("--seats", "3", "--format", "sticks", lang="sv").stdout.splitlines()
    assert lines[0].startswith("3 platser, pinnar.")
    assert "mellanhanden 0.33500" in lines[1]
    assert ["alltid", "5", "6", "7", "2"] in [line.split() for line in lines]


@pytest.mark.usefixtures("learned")
def test_what_three_know_is_written_as_it_comes_with_the_game(tmp_path: Path) -> None:
    out = tmp_path / "three.json"
    result = solve("--seats", "3", "--json", "--rounds", "5", "--out", str(out))
    got = json.loads(result.stdout)
    assert got["rules"] == {"format": "pots", "seats": 3}
    assert got["below"][-1] == {
        "lives": [3, 3, 3],
        "first": ["6", 0.0],
        "middle": ["7", 0.0],
        "dealer": ["8", 0.0],
        "dealer_swapped": ["2", 0.0],
    }
    assert len(got["pot"]) == 27
    assert got["gains"] == {"first": 1e-16, "middle": 2e-16, "dealer": 3e-16}
    assert out.read_bytes() == three.TABLE.read_bytes()


@pytest.mark.usefixtures("learned")
def test_what_beats_two_of_a_bot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_three, "against", lambda _rules, name, _bot: of_three.Against(name, (0.36, 0.35, 0.35)))
    lines = solve("--seats", "3", "--bot", "sharp").stdout.splitlines()
    told_rows = [line.split() for line in lines]
    assert ["sharp", "0.36000", "0.35000", "0.35000", "+0.02000"] in told_rows
    assert ["(what", "was", "learned)", "0.34000", "0.33500", "0.32500", "+0.00000"] in told_rows
    assert json.loads(solve("--seats", "3", "--bot", "sharp", "--json").stdout)["against"] == [
        {"bot": "sharp", "first": 0.36, "middle": 0.35, "dealer": 0.35}
    ]


def test_three_who_can_be_answered_better(learned: list[float]) -> None:
    learned[1] = 2e-6
    assert "more than a millionth" in told(solve("--seats", "3"), Exit.DOES_NOT_HOLD)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--seats", "3", "--pots", "4"), "--pots says nothing at 3 seats"),
        (("--seats", "3", "--hands", "4", "--bot", "sharp"), "--bot says nothing beside --hands"),
        (("--rounds", "4"), "--rounds says nothing at 2 seats"),
        (("--seats", "4", "--rounds", "4"), "--rounds says nothing at 4 seats"),
    ],
)
def test_what_says_nothing_of_three_is_refused(words: Sequence[str], why: str) -> None:
    assert told(solve(*words)) == why


def test_hands_are_dealt_to_three_too() -> None:
    result = solve("--seats", "3", "--hands", "60")
    assert "3 seats, pots, 3 lives each, hands dealt: 60" in result.stdout
