"""The time of day where the reader sits.

Owns the one look at the wall clock that a typed time of day needs. Refuses to know the game, and the clock of waits.
"""

import time

__all__ = ["seconds_of_day"]


def seconds_of_day() -> int:
    """Seconds since midnight."""
    now = time.localtime()
    return now.tm_hour * 3600 + now.tm_min * 60 + now.tm_sec
