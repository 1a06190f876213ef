"""kille play: a server of one's own, the computers round the table, and a match to its last pot."""

import re
import subprocess
import threading

import pexpect
import pytest

from kille_net.server.embedded import embedded
from tests.serving import KILLE, kille

WON = re.compile(r"(?:wins|You win) (?:the final, and with it )?the match!.*: (.*)")


@pytest.mark.parametrize(
    ("options", "seats", "pots"),
    [
        (("--seats", "4", "--length", "short"), 4, 3),
        (("--seats", "2", "--pots", "1"), 2, 1),
        (("--seats", "8", "--pots", "1", "--level", "sharp", "--format", "sticks"), 8, 1),
        (("--seats", "3", "--pots", "2", "--level", "easy", "--dealt-harlekin", "low"), 3, 2),
        (("--seats", "3", "--pots", "1", "--level", "deep", "--format", "sticks"), 3, 1),
    ],
)
def test_without_a_terminal_a_computer_plays_it_to_the_end(options: tuple[str, ...], seats: int, pots: int) -> None:
    done = kille("play", *options)
    assert (done.returncode, done.stderr) == (0, "")
    (score,) = WON.findall(done.stdout)
    assert score.count(",") == seats - 1
    assert sum(int(points) for points in re.findall(r"(\d+)(?:,|\.)", score)) >= pots
    assert "nobody is left" not in done.stdout


def test_a_game_against_the_computers_is_long_unless_told_otherwise() -> None:
    """F2"""
    done = kille("play", "--help")
    assert "[default: long]" in " ".join(done.stdout.split())
    assert "pots, long, 8 seats" in kille("play", "--seats", "8").stdout


def test_on_a_terminal_the_person_plays() -> None:
    arguments = ["--lang", "en", "play", "--seats", "4", "--level", "easy"]  # so many that nobody asks for better cards
    child: pexpect.spawn[bytes] = pexpect.spawn(KILLE[0], arguments, dimensions=(24, 80), timeout=60)
    try:
        child.expect_exact(b"YOUR TURN")
        child.send(b"s\r")
        child.expect_exact(["You: “Nöjd!”".encode(), b"Kuku"])  # that of a computer may come first
        child.send(b"quit\rquit\r")
        child.expect(pexpect.EOF)
    finally:
        child.close(force=True)
    assert (child.exitstatus, child.signalstatus) == (0, None)


def test_the_server_ends_with_its_user() -> None:
    threads = threading.active_count()
    with embedded() as port:
        assert port > 0
        assert threading.active_count() > threads
    assert not [thread for thread in threading.enumerate() if thread.name == "server"]


def test_wrong_use_is_one_line() -> None:
    done = kille("play", "--seats", "9")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("lang", "line"),
    [
        ("en", "There is no terminal here, so a computer plays your seat."),
        ("sv", "Här finns ingen terminal, så en dator spelar på din plats."),
    ],
)
@pytest.mark.parametrize("options", [(), ("--autopilot",)])
def test_a_match_without_a_terminal_says_first_who_plays(lang: str, line: str, options: tuple[str, ...]) -> None:
    done = subprocess.run(
        [*KILLE, "--lang", lang, "play", "--pots", "1", "--seats", "2", *options],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", timeout=60, check=True,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert (lines[0] == line) is (not options)
    assert line not in lines[1:]
    assert not any("inte klar" in line or "not ready" in line for line in lines), "nobody is waited for"
