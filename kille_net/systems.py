"""Where operating systems differ, in one place: locks, what a file's mode says, what is kept when the power goes, how
many files and processors there are, what a terminal can do, how a keyboard is waited for.

Owns each of these questions, answered by what this Python has rather than by the system's name where that can be.
All is tried on Linux; what others have instead is tried with stand-ins. Refuses to know Kille.
"""

import ctypes
import os
import signal
import socket
import stat
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Final

__all__ = [
    "CAN_DIVIDE",
    "EDITS_LINES",
    "HAS_PROCESS_GROUPS",
    "HAS_UNIX_SOCKETS",
    "USER_TIMEOUT",
    "WAITS_FOR_FILES",
    "colours",
    "end_group",
    "end_with_parent",
    "is_open_to_others",
    "keep_to",
    "most_files",
    "processor_numbers",
    "processors",
    "raise_most_files",
    "sync_file",
    "sync_folder",
    "take_lock",
]

EDITS_LINES: Final = find_spec("termios") is not None
"""Whether the line client can have a terminal to itself; elsewhere it is plain lines."""
WAITS_FOR_FILES: Final = sys.platform != "win32"
"""Whether a loop can wait for a terminal or a pipe, and not for sockets only."""
HAS_UNIX_SOCKETS: Final = hasattr(socket, "AF_UNIX")
HAS_PROCESS_GROUPS: Final = hasattr(os, "killpg")
"""Whether processes can be started in a group, and ended with it."""
CAN_DIVIDE: Final = hasattr(os, "fork") and hasattr(signal, "sigwaitinfo")
"""Whether a process can go on as another, while it waits for that one and passes on what is sent to it."""
USER_TIMEOUT: Final[int | None] = getattr(socket, "TCP_USER_TIMEOUT", None)
"""The option of a TCP socket by which a cut cable is noticed also while data is on its way; None: there is none."""


_PR_SET_PDEATHSIG: Final = 1


def end_group(group: int) -> None:
    """Kill all processes of the group, where there are groups and it has any."""
    if sys.platform != "win32":
        with suppress(OSError):  # there is nobody in it
            os.killpg(group, signal.SIGKILL)


def end_with_parent(parent: int) -> None:
    """Have this process killed as soon as the one that it was divided from is gone, where the system does that."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it was quicker
            os.kill(os.getpid(), signal.SIGKILL)


def is_open_to_others(mode: int) -> bool:
    """Whether a file of this mode may be read by others than its owner; never where modes do not say so."""
    return os.name == "posix" and bool(stat.S_IMODE(mode) & 0o077)


def sync_file(file: Path) -> None:
    """Have on the disk what is in the file."""
    _sync(file, os.O_RDWR)


def sync_folder(folder: Path) -> None:
    """Have on the disk what the folder's files are called. Where folders cannot be opened, the system sees to it."""
    if os.name == "posix":
        _sync(folder, os.O_RDONLY)


def _sync(path: Path, mode: int) -> None:
    descriptor = os.open(path, mode)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def take_lock(file: int) -> bool:
    """Whether the open file is ours alone from now on, until it is closed, which the end of the process does too.

    No library: those that there are take a file that cannot be opened for one that another process has.
    """
    try:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415  this system only

            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl  # noqa: PLC0415  not on Windows

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def most_files() -> int:
    """How many files this process may have open, sockets included; without a limit, the largest number."""
    if find_spec("resource") is None:
        return sys.maxsize
    import resource  # noqa: PLC0415  not on every system

    most: int = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return sys.maxsize if most == resource.RLIM_INFINITY else most


def raise_most_files(wanted: int) -> None:
    """Let this process, and those that it starts, have so many open, or as many as it may allow itself."""
    if find_spec("resource") is None:
        return
    import resource  # noqa: PLC0415  not on every system

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft < most:
        with suppress(OSError, ValueError):  # macOS has another limit beside the hard one
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def colours(term: str) -> int | None:
    """How many a terminal of this name has; None: that is not known. In one process it is known of one name only."""
    if find_spec("curses") is None:
        return None
    import curses  # noqa: PLC0415  not on every system

    try:
        curses.setupterm(term or "unknown", 1)
    except curses.error:
        return None
    return max(curses.tigetnum("colors"), 0)


def processors() -> int:
    """How many this process may use, where that is told; else how many there are."""
    return len(processor_numbers()) or os.cpu_count() or 1


def processor_numbers() -> tuple[int, ...]:
    """Those that this process may use, and may keep a process to (`keep_to`); empty: that is not told here."""
    return tuple(sorted(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else ()


def keep_to(processor: int, pid: int = 0) -> None:
    """Let a process, 0: this one, run on that one alone, with all that it starts from now on."""
    os.sched_setaffinity(pid, {processor})
