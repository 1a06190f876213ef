"""A real server in a process of its own, for tests whose subject is a whole program."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

KILLE: Final = [str(Path(sys.executable).with_name("kille"))]


@contextmanager
def serving(*options: str) -> Iterator[int]:
    """A server on a free port of this machine, which it gives; it must end well when it is told to."""
    with subprocess.Popen([*KILLE, "serve", "--port", "0", *options], stdout=subprocess.PIPE, text=True) as process:
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
