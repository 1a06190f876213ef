"""kille_net.cli.bot: bots at a real server's table, good ones and others."""

import subprocess
from pathlib import Path

import pytest

from kille_net.cli.bot import _names
from tests.serving import KILLE, kille, serving

SHORT = ("--length", "short", "--matches", "1")
EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("format_", ["pots", "sticks"])
@pytest.mark.parametrize("bot", ["first_bot.py", "memory_bot.py"])
def test_the_examples_play_a_match(bot: str, format_: str) -> None:
    with serving() as port:
        done = kille(
            "bot", "run", str(EXAMPLES / bot), f"127.0.0.1:{port}", "--computers", "3", "--format", format_, *SHORT
        )
    assert done.stderr == ""
    assert done.returncode == 0
    assert done.stdout.startswith("match 1: ")
    assert done.stdout.count("\n") == 1


def test_several_of_a_bot_meet_in_one_room_and_go_on() -> None:
    with serving() as port:
        done = kille("bot", "run", "easy", f"127.0.0.1:{port}", "--count", "5", "--length", "short", "--matches", "3")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert sorted(line.partition(":")[0] for line in lines) == ["match 1"] * 5 + ["match 2"] * 5 + ["match 3"] * 5
    assert all("easy " in line and "easy 5 " in line for line in lines)


BAD_BOTS = {
    "raised": ("def decide(view):\n    raise RuntimeError('oh dear')\n", "oh dear"),
    "not an action": ("def decide(view):\n    return 'swap'\n", "answered with str"),
    "illegal": (
        "from kille_net.game.actions import Action\n"
        "def decide(view):\n    return Action.ACCEPT if Action.ACCEPT not in view.legal else Action.DEPENDS\n",
        "it answered",
    ),
}


@pytest.mark.parametrize("fault", BAD_BOTS)
def test_a_bad_bot_costs_its_own_seat_and_its_author_is_told(fault: str, tmp_path: Path) -> None:
    source, told = BAD_BOTS[fault]
    (tmp_path / "bad.py").write_text(source)
    with serving() as port:
        done = kille("bot", "run", str(tmp_path / "bad.py"), f"127.0.0.1:{port}", "--computers", "3", *SHORT)
    assert done.returncode == 0
    assert done.stdout.startswith("match 1: ")
    assert fault in done.stderr
    assert told in done.stderr


def test_a_bot_that_hangs_plays_on_by_the_defaults(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def decide(view):\n    while True:\n        pass\n")
    with serving() as port:
        done = kille("bot", "run", str(tmp_path / "bad.py"), f"127.0.0.1:{port}", "--computers", "3", *SHORT)
    assert done.returncode == 0
    assert done.stdout.startswith("match 1: ")
    assert "hung, 1 times" in done.stderr
    assert "while True" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("nosuch", "127.0.0.1:1"), 2, "there is no built-in bot 'nosuch'"),
        (("nosuch.py", "127.0.0.1:1"), 2, "there is no file"),
        (("easy", "127.0.0.1:0"), 2, "an address is HOST"),
        (("easy", "127.0.0.1:1"), 3, "No server answers at 127.0.0.1:1"),
    ],
)
def test_what_cannot_be_done_is_one_line(arguments: tuple[str, ...], code: int, told: str) -> None:
    done = kille("bot", "run", *arguments)
    assert done.returncode == code
    assert done.stdout == ""
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_name_that_is_taken_is_refused() -> None:
    with serving() as port:
        where = f"127.0.0.1:{port}"
        with subprocess.Popen(
            [*KILLE, "bot", "run", "easy", where, "--length", "short", "--computers", "3"],
            stdout=subprocess.PIPE,
            text=True,
        ) as first:
            assert first.stdout is not None
            assert first.stdout.readline().startswith("match 1: ")
            second = kille("bot", "run", "easy", where, "--matches", "1")
            first.terminate()
            rest = first.stdout.read()
    assert second.returncode == 4
    assert second.stderr.count("\n") == 1
    assert first.returncode == 143
    assert rest == "" or rest.startswith("match ")


@pytest.mark.parametrize(
    ("bot", "name", "count", "expected"),
    [
        ("easy", None, 1, ["easy"]),
        ("some/where/my_bot.py", None, 2, ["my bot", "my bot 2"]),
        ("file.py:Wary", None, 1, ["Wary"]),
        ("easy", "Sixteen letters!"[:16], 2, ["Sixteen letters!", "Sixteen letter 2"]),
        ("a_name_that_is_too_long.py", None, 1, ["a name that is t"]),
        ("%%%.py", None, 1, ["bot"]),
    ],
)
def test_names_at_the_table(bot: str, name: str | None, count: int, expected: list[str]) -> None:
    assert _names(bot, name, count) == expected
