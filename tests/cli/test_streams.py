"""Standard streams that are closed, full, or read by nobody: one line on standard error at most, and a fitting code."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

from kille_net.cli.exit_codes import Exit
from tests.serving import doomed, serving

KILLE: Final = f"exec {sys.executable} -c 'from kille_net.cli import main; main()'"
SECONDS: Final = 60
HAND: Final = '{"lives": [1, 1], "dealer": 0, "packs": [], "actions": []}'
MATCH: Final = "arena random easy --seats 2 --pots 1 --matches 2 --jobs 1 --seed x"
FULL: Final = "kille: cannot write standard output: No space left on device\n"
COMMANDS: Final = {
    "version": "--version",
    "help": "--help",
    "help of a command": "play --help",
    "referee": "referee {hand}",
    "explain": "referee --explain {hand}",
    "verify": "verify {record}",
    "arena": MATCH,
    "play": "play --pots 1 --seats 2 --length short",
    "join": "join --plain --name Ada 127.0.0.1:{port}",
    "bot": "bot run random 127.0.0.1:{port} --seats 2 --computers 1 --matches 1",
}
"""All of them end by themselves, and well."""


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, object]]:
    folder = tmp_path_factory.mktemp("streams")
    hand = folder / "hand.jsonl"
    hand.write_text(HAND + "\n")
    assert ran(f"{MATCH} --records {folder / 'records'}").returncode == Exit.DONE
    with serving() as port:
        yield {"hand": hand, "record": folder / "records/match-000001.jsonl", "port": port}


def ran(command: str, redirected: str = "", **changes: str) -> "subprocess.CompletedProcess[str]":
    """The command in a shell, with its standard input from nothing unless it is redirected."""
    return subprocess.run(
        ["sh", "-c", f"{KILLE} {command} {redirected}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env=environment(**changes),
        check=False,
    )


def environment(**changes: str) -> dict[str, str]:
    """English, and buffered unless it is changed."""
    return {**os.environ, "LANG": "C.UTF-8", "LC_ALL": "", "PYTHONUNBUFFERED": "", **changes}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_takes_and_gives_nothing(values: dict[str, object], name: str, closed: str) -> None:
    command = COMMANDS[name].format(**values)
    usual, found = ran(command), ran(command, closed)
    assert usual.returncode in {Exit.DONE, Exit.DOES_NOT_HOLD}
    assert found.returncode == usual.returncode, found.stderr
    if "2>&-" not in closed:
        assert "Traceback" not in found.stderr
        assert found.stderr.count("\n") == usual.stderr.count("\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_output_is_one_line_and_no_verdict(values: dict[str, object], name: str, unbuffered: str) -> None:
    found = ran(COMMANDS[name].format(**values), ">/dev/full", PYTHONUNBUFFERED=unbuffered)
    assert found.returncode == Exit.WRONG_USE
    assert found.stderr.splitlines(keepends=True)[-1] == FULL
    assert "Traceback" not in found.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
@pytest.mark.parametrize("name", COMMANDS)
def test_complaints_that_nobody_can_read_change_nothing(values: dict[str, object], name: str) -> None:
    command = COMMANDS[name].format(**values)
    assert ran(command, "2>/dev/full").returncode == ran(command).returncode
    assert ran("no-such-command", "2>/dev/full").returncode == Exit.WRONG_USE


@pytest.mark.parametrize("name", ["version", "help", "referee", "explain", "verify", "arena"])
def test_a_reader_that_has_gone_is_told_nothing(values: dict[str, object], name: str) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        found = subprocess.run(
            ["sh", "-c", f"{KILLE} {COMMANDS[name].format(**values)}"],
            stdout=write,
            stderr=subprocess.PIPE,
            timeout=SECONDS,
            env=environment(),
            check=False,
        )
    finally:
        os.close(write)
    assert (found.returncode, found.stderr) == (Exit.SIGPIPE, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_a_server_that_cannot_say_where_it_is_ends() -> None:
    found = ran("serve --port 0", ">/dev/full")
    assert (found.returncode, found.stderr.splitlines(keepends=True)[-1]) == (Exit.WRONG_USE, FULL)


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_server_serves_without_streams(closed: str) -> None:
    for _ in range(3):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        with subprocess.Popen(["sh", "-c", f"{KILLE} serve --port {port} {closed}"]) as process, doomed(process):
            if not is_reached(port, process):  # somebody has taken the port meanwhile
                continue
            process.terminate()
            assert process.wait(SECONDS) == Exit.DONE
            return
    pytest.fail("it ended by itself three times")


def is_reached(port: int, process: "subprocess.Popen[bytes]") -> bool:
    """Connect, as soon as somebody listens; not where the process has ended."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), timeout=SECONDS):
            return True
        if process.poll() is not None:
            return False
    raise TimeoutError


@pytest.mark.parametrize(
    ("words", "shown"), [("doctor --help", "variablerna KILLE_... bara"), ("rules xyzzy-ξ", "ämne xyzzy-?. Försök")]
)
def test_what_an_encoding_has_not_is_spelt_out(words: str, shown: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f"{KILLE} {words}"],
        env={**os.environ, "PYTHONIOENCODING": "latin-1", "KILLE_LANG": "sv"},
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    said = (done.stdout + done.stderr).decode("latin-1")
    assert shown in " ".join(said.split())
    assert "Traceback" not in said
