"""Time as it is handed in: a watch that can be stopped, and counts of what was done lately.

Owns arithmetic on seconds. Refuses to read a clock.
"""

from collections import deque
from math import inf, nextafter

__all__ = ["Bucket", "Lockout", "Recent", "Stopwatch", "soonest"]


def soonest(*times: float | None) -> float | None:
    """The first that comes; None never does."""
    first: float | None = None
    for time in times:
        if time is not None and (first is None or time < first):
            first = time
    return first


class Stopwatch:
    """A table's own time, which stands still while it is stopped. It starts at the time at which it is made."""

    __slots__ = ("_late", "_stood_at")

    def __init__(self) -> None:
        self._late = 0.0  # how far it is behind the time of the caller
        self._stood_at: float | None = None

    @property
    def is_stopped(self) -> bool:
        return self._stood_at is not None

    def read(self, now: float) -> float:
        return now - self._late if self._stood_at is None else self._stood_at

    def stop(self, now: float) -> None:
        self._stood_at = self.read(now)

    def go(self, now: float) -> None:
        if self._stood_at is not None:
            self._late = now - self._stood_at
            self._stood_at = None

    def when(self, reading: float | None) -> float | None:
        """At what time of the caller it will show that, or just more; None: as things are, never."""
        if reading is None or self._stood_at is not None:
            return None
        at = reading + self._late
        while self.read(at) < reading:  # rounding: whoever comes back at that time must not find it too early
            at = nextafter(at, inf)
        return at


class Bucket:
    """Holds up to `burst` permits, which come back at `rate` a second; strikes are forgotten when it is full again."""

    __slots__ = ("_at", "_burst", "_permits", "_rate", "strikes")

    def __init__(self, rate: float, burst: float) -> None:
        self._rate = rate
        self._burst = burst
        self._permits = burst
        self._at: float | None = None
        self.strikes = 0
        """How often there was none to take, since it was full."""

    def take(self, now: float) -> bool:
        self._fill(now)
        if self._permits < 1:
            self.strikes += 1
            return False
        self._permits -= 1
        return True

    def strike(self, now: float) -> None:
        """As if too many had been taken."""
        self._fill(now)
        self.strikes += 1
        self._permits = 0

    def _fill(self, now: float) -> None:
        if self._at is not None:
            self._permits = min(self._burst, self._permits + (now - self._at) * self._rate)
        self._at = now
        if self._permits >= self._burst:
            self.strikes = 0


class Recent:
    """Lets through at most so many things, and so much in all, within any `seconds`."""

    __slots__ = ("_done", "_most", "_most_amount", "_seconds", "_sum")

    def __init__(self, most: int, most_amount: int, seconds: float) -> None:
        self._most = most
        self._most_amount = most_amount
        self._seconds = seconds
        self._done: list[tuple[float, int]] = []
        self._sum = 0

    def take(self, now: float, amount: int) -> bool:
        while self._done and self._done[0][0] <= now - self._seconds:
            self._sum -= self._done.pop(0)[1]
        if len(self._done) >= self._most or self._sum + amount > self._most_amount:
            return False
        self._done.append((now, amount))
        self._sum += amount
        return True


class Lockout:
    """Locks a key for `seconds` after the last of `most` failures within as long; remembers only so many keys."""

    __slots__ = ("_failures", "_keys", "_most", "_seconds")

    def __init__(self, most: int, seconds: float, keys: int = 4096) -> None:
        self._most = most
        self._seconds = seconds
        self._keys = keys
        self._failures: dict[str, deque[float]] = {}

    def is_locked(self, key: str, now: float) -> bool:
        failures = self._failures.get(key)
        return failures is not None and len(failures) >= self._most and now < failures[-1] + self._seconds

    def fail(self, key: str, now: float) -> None:
        failures = self._failures.pop(key, None) or deque()
        while failures and failures[0] <= now - self._seconds:
            failures.popleft()
        failures.append(now)
        self._failures[key] = failures  # the last to fail are the last to be forgotten
        if len(self._failures) > self._keys:
            del self._failures[next(iter(self._failures))]
