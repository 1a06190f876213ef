"""Programs of the examples as processes: waiting for what they print, and for their end, each for a bounded time."""

import os
import select
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KILLE = Path(sysconfig.get_path("scripts"), "kille")
RAW = (sys.executable, str(ROOT / "examples/raw_client.py"))
FAST = ("length=short", "pace=0", "window=0", "rest=0")
PATIENCE_S = 30


def need_node() -> str:
    """Node, with what the bot in JavaScript needs; a test without it is skipped, but not where CI is to test all."""
    found = shutil.which("node")
    if found is None or not (ROOT / "examples/javascript/node_modules/@msgpack/msgpack").is_dir():
        refuse = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        refuse("there is no node, or not its modules: `make node` installs them")
    return found


class Programs:
    """Whatever a test starts; none of it outlives the test."""

    def __init__(self, stack: ExitStack) -> None:
        self.stack = stack

    def start(self, *command: str | Path, cwd: Path = ROOT) -> subprocess.Popen[bytes]:
        # Without a buffer of ours, so that what select does not see has not come.
        process = subprocess.Popen(command, cwd=cwd, bufsize=0, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.stack.enter_context(process)
        self.stack.callback(process.kill)
        return process

    def run(self, *command: str | Path, cwd: Path = ROOT) -> list[str]:
        return finish(self.start(*command, cwd=cwd))


def line(process: subprocess.Popen[bytes], ending: str = "") -> str:
    """The next line that it prints with this ending; those before it are passed over."""
    assert process.stdout is not None
    while select.select([process.stdout], [], [], PATIENCE_S)[0]:
        printed = process.stdout.readline().decode()
        if not printed:
            finish(process)
            break
        if printed.rstrip().endswith(ending):
            return printed.rstrip()
    raise AssertionError(f"no line that ends with {ending!r}")


def finish(process: subprocess.Popen[bytes]) -> list[str]:
    """The lines that are left when it has ended well."""
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, err) == (0, b""), err.decode()
    return out.decode().splitlines()


def winners(lines: Sequence[str]) -> list[str]:
    """Who won the matches that the client in Python tells of."""
    return [winner for winner, wins, _ in (line.partition(" wins ") for line in lines) if wins]
