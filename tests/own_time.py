"""How long something took, but for the time in which the machine had no processor for it.

A bound on how late the server is must hold of what it does, and not of what else the machine has to do meanwhile: the
suite itself has more workers than processors.
"""

import time
from contextlib import suppress
from pathlib import Path
from typing import Final

__all__ = ["own_time"]

_THREADS: Final = Path("/proc/self/task")


def own_time() -> float:
    """Seconds, which only say something beside others: none pass while threads of this process are ready to run, and
    others run in their place (Linux, sched-stats.rst; elsewhere all time counts).
    """
    waited = 0
    with suppress(OSError):
        for thread in _THREADS.iterdir():
            with suppress(OSError, IndexError):  # it has just ended
                waited += int((thread / "schedstat").read_text().split()[1])
    return time.monotonic() - waited / 1e9
