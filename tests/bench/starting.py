"""How long it takes until something can be done: `kille --help`, and `kille serve` until it listens.

A measurement, not a test: in time of the processor, which others on the machine change little, and as it feels. Beside
it a Python that does nothing, of which it is made.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final

from kille_net.bench.process import cpu_seconds
from kille_net.bench.table import Broken

__all__ = ["lines", "report"]

_KILLE: Final = str(Path(sys.executable).with_name("kille"))
_MILLI: Final = 1000.0

Took = tuple[float, float]
"""Milliseconds that passed, and of a processor."""


def _ended(*command: str) -> Took:
    """Until it has."""
    began = perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise Broken(f"{' '.join(command)} fails")
    return _MILLI * (perf_counter() - began), _MILLI * (used.ru_utime + used.ru_stime)


def _listens(folder: Path) -> Took:
    """Until it says where."""
    options = ("--host=127.0.0.1", "--port=0", "--no-discovery", f"--data={folder}", "--limit=drain=0.1")
    began = perf_counter()
    with subprocess.Popen([_KILLE, "serve", *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        try:
            assert process.stdout is not None
            if not process.stdout.readline():
                raise Broken("kille serve does not start")
            return _MILLI * (perf_counter() - began), _MILLI * (cpu_seconds(process.pid) or 0.0)
        finally:
            process.terminate()


def report(rounds: int) -> dict[str, list[Took]]:
    """Each in turn, after one round that counts for nothing: what has been read from the disk is there then."""
    with tempfile.TemporaryDirectory(prefix="kille-bench-") as folder:
        cases: Mapping[str, Callable[[], Took]] = {
            "python, nothing": lambda: _ended(sys.executable, "-c", "pass"),
            "kille --help": lambda: _ended(_KILLE, "--help"),
            "kille serve, until it listens": lambda: _listens(Path(folder) / "server"),
        }
        found: dict[str, list[Took]] = {name: [] for name in cases}
        for number in range(rounds + 1):
            for name, measure in cases.items():
                took = measure()
                if number:
                    found[name].append(took)
    return found


def lines(found: Mapping[str, list[Took]]) -> list[str]:
    """Medians, and the least that passed: what it takes where nothing else runs."""
    shown = []
    for name, took in found.items():
        passed, used = (median(one[n] for one in took) for n in (0, 1))
        least = min(one[0] for one in took)
        shown.append(f"{name:40} {passed:6,.0f} ms ({least:,.0f} at least), {used:6,.0f} ms of a processor")
    return shown
