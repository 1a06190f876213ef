"""A real server in a process of its own, for tests whose subject is a whole program."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from typing import Final

_MODULE: Final = 900.0
"""Seconds in which all tests of a module are done, wherever in the whole run they come."""
KILLE: Final = [str(Path(sys.executable).with_name("kille"))]


@contextmanager
def doomed(
    process: "subprocess.Popen[str] | subprocess.Popen[bytes]", *, is_group: bool = False, after: float = 120.0
) -> Iterator[None]:
    """Whatever happens, the process ends: on the way out, or after so many seconds, so that nobody waits for ever.

    `is_group`: it leads a session of its own, all of which ends with it.
    """

    def kill() -> None:
        with suppress(ProcessLookupError):
            if is_group:
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()

    timer = Timer(after, kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        kill()


@contextmanager
def serving(*options: str) -> Iterator[int]:
    """A server on a free port of this machine, which it gives; it must end well when it is told to."""
    with (
        TemporaryDirectory() as data,  # one folder has one server at a time
        subprocess.Popen(
            [*KILLE, "serve", "--host", "127.0.0.1", "--port", "0", "--data", data, *options],
            stdout=subprocess.PIPE,
            text=True,
        ) as process,
        doomed(process, after=_MODULE),
    ):
        try:
            assert process.stdout is not None
            found = re.fullmatch(r"kille join 127\.0\.0\.1:(\d+)\n", process.stdout.readline())
            assert found is not None
            yield int(found[1])
        finally:
            process.terminate()
            code = process.wait(timeout=20)
    assert code == 0


def kille(*arguments: str, seconds: float = 60.0, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        [*KILLE, "--lang", "en", *arguments],
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
        stdin=subprocess.DEVNULL,
        cwd=cwd,
    )
