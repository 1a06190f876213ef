"""The processes of a measurement: servers to be measured, and the load beside them.

Owns how they are started, each on a processor of its own where there are two, and that none of them outlives whoever
measures. Refuses to know what they do.
"""

import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

import msgspec

from kille_net.bench.plan import SEATS, Plan, Result
from kille_net.bench.table import Broken
from kille_net.systems import keep_to, most_files, processor_numbers, raise_most_files

__all__ = ["Started", "cores", "kille_serve", "limits_for", "loaded", "program", "started", "tables_for", "tied"]

_START: Final = 30.0
"""Seconds until a server listens…"""
_END: Final = 20.0
"""…and until it has ended."""
_SPARE: Final = 128
"""Files that a process has open besides its connections."""
_LISTENS: Final = re.compile(r"kille join 127\.0\.0\.1:(\d+)\n")
_LAST_LINES: Final = 400


class Started(msgspec.Struct, frozen=True):
    pid: int
    port: int


def tied() -> None:
    """This process ends with whoever holds the other end of its standard input, however that ends."""

    def wait() -> None:
        while os.read(0, 1):  # not through `sys.stdin`, whose lock Python wants when it ends
            pass
        os._exit(1)

    threading.Thread(target=wait, name="tied", daemon=True).start()


def program(module: str, *arguments: str) -> list[str]:
    """How to run the `main` of a module in another process, tied to this one."""
    code = f"import sys; from kille_net.bench.hosting import tied; tied(); from {module} import main; sys.exit(main())"
    return [sys.executable, "-c", code, *arguments]


def limits_for(tables: int) -> dict[str, int | float]:
    """The limits of a server, where so many tables come from one machine at once."""
    most = SEATS * tables + _SPARE
    return {"connections": most, "rooms": tables + 1, "drain": 0.1}


def kille_serve(folder: Path, tables: int) -> list[str]:
    """The server as anybody starts it, on a free port of this machine, with those limits."""
    limits = [f"--limit={name}={number}" for name, number in limits_for(tables).items()]
    options = ["--host=127.0.0.1", "--port=0", "--no-discovery", f"--data={folder}", "--log-format=text"]
    return program("kille_net.cli", "--lang=en", "serve", *options, *limits)


def cores() -> tuple[int, int] | None:
    """One processor for the server, and one for the load; None: there are not two, or they cannot be chosen."""
    ours = processor_numbers()
    return (ours[0], ours[-1]) if len(ours) > 1 else None


def tables_for(wanted: int) -> int:
    """How many tables can be connected, having raised what this process may raise for as many as wanted."""
    raise_most_files(SEATS * wanted + 2 * _SPARE)
    return (most_files() - 2 * _SPARE) // SEATS


@contextmanager
def started(command: Sequence[str], core: int | None = None) -> Iterator[Started]:
    """A server that says where it listens, as `kille serve` does, until the end of the context. Raises Broken."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, env=_plain_environment()
        )
        watch = threading.Timer(_START, process.kill)
        try:
            if core is not None:
                keep_to(core, process.pid)
            watch.start()
            assert process.stdout is not None
            found = _LISTENS.fullmatch(process.stdout.readline())
            watch.cancel()
            if found is None:
                raise Broken(_last_of(errors) or "the server did not start")
            threading.Thread(target=process.stdout.read, daemon=True).start()  # whatever else it says
            yield Started(process.pid, int(found[1]))
        finally:
            watch.cancel()
            process.terminate()
            try:
                process.wait(_END)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            for pipe in (process.stdin, process.stdout):
                assert pipe is not None
                pipe.close()


def loaded(plan: Plan, load: Sequence[str] = ("kille_net.bench.load",)) -> Result:
    """Let a process of its own do that, and wait; `load`: its module, and what that is told. Raises Broken."""
    command = [sys.executable, "-m", *load]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            said, errors = process.communicate(msgspec.json.encode(plan) + b"\n")
        finally:
            process.kill()
    if process.returncode:
        raise Broken(errors.decode(errors="replace").strip()[-_LAST_LINES:])
    return msgspec.json.decode(said, type=Result)


def _plain_environment() -> dict[str, str]:
    """Without what its user has chosen for other servers: a password, limits, a file of settings."""
    return {name: value for name, value in os.environ.items() if not name.startswith("KILLE_")}


def _last_of(errors: IO[str]) -> str:
    errors.seek(0)
    return errors.read().strip()[-_LAST_LINES:]
