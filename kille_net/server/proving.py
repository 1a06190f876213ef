"""Passwords tried off the loop, one after the other, and only so often from one address.

Owns the order and the count of failures. Refuses to know what a password opens.
"""

from collections.abc import Awaitable, Callable
from enum import Enum
from functools import partial
from typing import TypeAlias

import trio

from kille_net.server.limits import Limits
from kille_net.server.passwords import Trial, prove
from kille_net.server.timing import Lockout

__all__ = ["Denied", "Prove", "Prover", "in_thread"]

Prove: TypeAlias = Callable[[Trial], Awaitable[str | None]]
"""As `passwords.prove`, without keeping the loop."""


class Denied(Enum):
    WRONG = "wrong"
    TOO_OFTEN = "too_often"
    """Nothing was looked at: the address has failed too often."""


async def in_thread(trial: Trial) -> str | None:
    return await trio.to_thread.run_sync(partial(prove, trial))


class Prover:
    """One at a time: so its cost is bounded, however many come at once, and no failure is counted too late."""

    def __init__(self, limits: Limits, do: Prove) -> None:
        self._do = do
        self._lockout = Lockout(limits.password_failures, limits.password_lock)
        self._turn = trio.CapacityLimiter(1)

    async def prove(self, trial: Trial, address: str) -> str | Denied:
        """The lock that was opened, or made. When cancelled, nothing has been looked at."""
        async with self._turn:
            if trial.lock is not None and self._lockout.is_locked(address, trio.current_time()):
                return Denied.TOO_OFTEN
            lock = await self._do(trial)
            if lock is None:
                self._lockout.fail(address, trio.current_time())
                return Denied.WRONG
            return lock
