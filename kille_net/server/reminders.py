"""Reminds sessions of the times that pass for them, by one task: none is woken to see that it is not yet time.

Owns the order of those times. Refuses to know what they mean: a session that is reminded says when to do so again.
"""

import math
from typing import Final, Protocol

import trio

from kille_net.server.agenda import Agenda

__all__ = ["Reminders"]

_TOGETHER: Final = 0.05
"""Seconds within which those who are due wait for each other, once somebody was reminded."""


class Reminded(Protocol):
    def check(self, now: float) -> None:
        """Do what is due; raises nothing."""
        ...


class Reminders:
    def __init__(self) -> None:
        self._agenda = Agenda[Reminded]()
        self._alarm = trio.CancelScope()

    def note(self, one: Reminded, at: float) -> None:
        """Remind it then, and not at a time that was noted before."""
        self._agenda.note(one, at)
        self._alarm.deadline = min(self._alarm.deadline, at)

    def drop(self, one: Reminded) -> None:
        self._agenda.note(one, None)

    async def run(self) -> None:
        """Do so for ever."""
        while True:
            due = self._agenda.deadline()
            with trio.CancelScope(deadline=math.inf if due is None else due) as self._alarm:
                await trio.sleep_forever()
            await trio.lowlevel.checkpoint()  # what has come by now is heard before: after we stood still, all is due
            now = trio.current_time()
            while (one := self._agenda.take(now)) is not None:
                one.check(now)
            await trio.sleep(_TOGETHER)
