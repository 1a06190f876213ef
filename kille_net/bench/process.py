"""What the system tells of a process: its time, its memory, and how long it had to wait for a processor.

Owns where that is read (Linux's /proc; elsewhere it is not known). Refuses to know which process it is.
"""

import os
from pathlib import Path
from typing import Final

__all__ = ["cpu_seconds", "free_memory", "memory", "waited_seconds"]

_PROC: Final = Path("/proc")
_NANO: Final = 1e-9


def cpu_seconds(pid: int) -> float | None:
    """Of all its threads (proc(5), /proc/pid/stat: utime and stime)."""
    try:
        fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return None


def waited_seconds(pid: int) -> float | None:
    """How long its first thread was ready to run and did not (Linux, sched-stats.rst)."""
    try:
        return int((_PROC / str(pid) / "schedstat").read_text().split()[1]) * _NANO
    except (OSError, ValueError, IndexError):
        return None


def memory(pid: int) -> int | None:
    """Bytes that are resident."""
    try:
        return int((_PROC / str(pid) / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


def free_memory() -> int | None:
    """Bytes that programs can still take (proc(5), /proc/meminfo: MemAvailable)."""
    try:
        lines = (_PROC / "meminfo").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, ValueError, IndexError, StopIteration):
        return None
