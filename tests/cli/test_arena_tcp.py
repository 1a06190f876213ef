"""`kille arena` with programs that play over TCP: the files it writes, and how it is told what cannot play."""

import re
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from kille_net.arena.kept import Kept
from kille_net.cli import main
from kille_net.cli.exit_codes import Exit
from tests.cli.test_arena import arena, told
from tests.examples.running import KILLE, ROOT

PLACES = "--name {name} --room {room} --matches {matches}"
SHARP = f"tcp:{KILLE} bot run sharp {{host}}:{{port}} {PLACES}"
RAW = f"tcp:{shlex.quote(sys.executable)} {ROOT}/examples/raw_client.py {{host}} {{port}} {PLACES}"


@pytest.mark.parametrize("name", ["out.json", "out.csv"])
def test_the_results_are_those_of_the_same_bot_in_process(name: str, tmp_path: Path) -> None:
    words = ("easy", "--seats", "2", "--pots", "2", "--matches", "10", "--seed", "x")
    outcomes = []
    for number, bot in enumerate(("sharp", SHARP)):
        out, records = tmp_path / f"{number}-{name}", tmp_path / str(number)
        result = arena(bot, *words, "--out", str(out), "--records", str(records))
        assert result.exit_code == Exit.DONE, result.output
        played = [path.read_bytes() for path in sorted(records.iterdir())]
        outcomes.append((result.stdout, played, out.read_text(encoding="utf-8").replace(SHARP, "sharp")))
    assert outcomes[0] == outcomes[1]


def test_a_test_that_ends_the_run_ends_it_at_the_same_match(tmp_path: Path) -> None:
    words = ("random", "--sprt", "0", "0.5", "--seats", "2", "--pots", "1", "--seed", "x")
    assert arena(SHARP, *words).stdout == arena("sharp", *words).stdout


def test_a_run_that_was_broken_off_goes_on(tmp_path: Path) -> None:
    out, blocks = tmp_path / "out.json", tmp_path / "out.json.blocks"
    words = (RAW, "easy", "--seats", "2", "--pots", "1", "--matches", "6", "--seed", "x", "--out", str(out))
    kept: list[bytes] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Kept, "forget", lambda self: kept.append(self.path.read_bytes()))
        whole = arena(*words)
    results = out.read_bytes()
    out.unlink()
    blocks.write_bytes(b"".join(kept[0].splitlines(keepends=True)[:2]))
    assert arena("--resume", str(out)).stdout == whole.stdout
    assert out.read_bytes() == results


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("tcp:nosuchprogram x", "easy"), "nosuchprogram cannot be started: No such file or directory"),
        (
            ("tcp:", "easy"),
            "'tcp:' names no program: tcp: and a command, as in 'tcp:node bot.mjs {host} {port}'",
        ),
        (
            ("tcp:true", "easy", "--ready", "30"),
            "tcp:true has ended with status 0 before it was at the table and ready",
        ),
        (("tcp:sleep 60", "easy", "--ready", "0.2"), "tcp:sleep 60 is not at the table and ready in 0.2 s"),
        ((RAW, "easy", "--pots", "100"), "a match over TCP has 99 pots at most: use --pots"),
        (
            (RAW, "easy", "--cluster", "tcp://127.0.0.1:1"),
            "programs over TCP play on this machine alone: leave out --cluster",
        ),
    ],
)
def test_what_cannot_play_is_one_line(words: tuple[str, ...], line: str) -> None:
    assert told(CliRunner(env={"KILLE_LANG": "en"}).invoke(main, ["arena", *words]), Exit.WRONG_USE) == line


COMES = "socket.create_connection(({host!r}, {port}))"


@pytest.mark.parametrize(
    ("does", "why"),
    [
        ("1 / 0", "has ended with status 1"),
        (f"import socket; {COMES}; sys.exit(7)", "has ended with status 7"),
        (f"import socket, time; {COMES}.close(); time.sleep(60)", "has closed its line"),
    ],
)
def test_why_a_program_does_not_come_is_said_with_what_it_printed(does: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    does = does.replace("{host!r}", "sys.argv[1]").replace("{port}", "int(sys.argv[2])")
    path.write_text(f"import sys\nprint('first', flush=True)\nprint('then', flush=True)\n{does}\n")
    command = f"tcp:{shlex.quote(sys.executable)} {path} {{host}} {{port}}"
    result = arena(command, "easy", "--ready", "30")
    assert (result.exit_code, result.stdout) == (Exit.WRONG_USE, "")
    head, *said, line = result.stderr.splitlines()
    assert head == "kille: the last that it printed:"
    assert said[:2] == ["    first", "    then"]
    assert (said[-1] == "    ZeroDivisionError: division by zero") == (does == "1 / 0")
    assert line.startswith(f"kille: {command} {why} before it was at the table and ready")


def test_a_program_that_breaks_the_protocol_at_once_is_told_so(tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    path.write_text(
        "import socket, sys, time\n"
        "line = socket.create_connection((sys.argv[1], int(sys.argv[2])))\nline.send(b'x' * 99)\ntime.sleep(60)\n"
    )
    command = f"tcp:{shlex.quote(sys.executable)} {path} {{host}} {{port}}"
    line = told(arena(command, "easy", "--ready", "30"), Exit.WRONG_USE)
    assert line.startswith(f"{command} broke the protocol before it was at the table and ready: ")


def test_what_a_program_did_wrong_is_told_to_its_author(tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    path.write_text(
        f"import sys\nsys.path.insert(0, {str(ROOT)!r})\nfrom examples import raw_client\n\n\n"
        "def act(self):\n    1 / 0\n\n\nraw_client.Player.act = act\nsys.exit(raw_client.main())\n"
    )
    command = f"tcp:{shlex.quote(sys.executable)} {path} {{host}} {{port}} --name {{name}} --room {{room}}"
    words = (command, "easy", "--seats", "2", "--pots", "1", "--matches", "2")
    result = arena(*words)
    assert result.exit_code == Exit.WRONG_USE
    assert re.search(r"\nbad: (\d+) of its \1 decisions \(100\.0 %\) are defaults, made for it\n", result.stdout)
    end = "its line has ended; the rest of the match is played by the defaults\nZeroDivisionError: division by zero\n"
    assert f"kille: bad: lost its line in decide, 2 times: {end}" in result.stderr
    assert "kille: bad: tappade förbindelsen i decide, 2 gånger: dess" in arena(*words, lang="sv").stderr
