"""Our decisions, as long as they can still be explained: each with what we knew, and what it led to.

Owns which of them are kept, and when one may be looked back on. Refuses to judge them (`coaching` does).
"""

from dataclasses import dataclass, replace
from typing import Final

from kille_net.game.actions import Action
from kille_net.game.events import AskAnswered, CardRefused, Drew, Event, HandBegan, SeatStruck, Showdown, Swapped
from kille_net.game.rules import Seat
from kille_net.game.views import View

__all__ = ["Decision", "Decisions"]

_MOST: Final = 16
"""Decisions of one hand that are kept: in a duel one may ask for cards again and again."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What we did, with what we knew, and what it led to at once."""

    view: View
    action: Action
    led_to: tuple[Event, ...] = ()


class Decisions:
    """Our decisions of the hand that is played, or was played last, and of the one before."""

    def __init__(self) -> None:
        self._before: list[Decision] = []
        self._now: list[Decision] = []
        self._end: Showdown | None = None
        self._end_before: Showdown | None = None

    def did(self, view: View, action: Action) -> None:
        """We answered a question with this view."""
        self._now = [*self._now, Decision(view, action)][-_MOST:]

    def undid(self) -> None:
        """The answer did not count."""
        self._now = self._now[:-1]

    def saw(self, event: Event, seat: Seat | None) -> None:
        """Something happened in the hand."""
        match event:
            case HandBegan():
                if self._now:
                    self._before, self._end_before = self._now, self._end
                self._now, self._end = [], None
            case Showdown():
                self._end = event
            case _ if self._now and _concerns(event, seat):
                last = self._now[-1]
                self._now[-1] = replace(last, led_to=(*last.led_to, event)[-_MOST:])

    def to_explain(self, *, openly: bool) -> tuple[list[Decision], Showdown | None]:
        """Those of the last hand that is over, or, `openly`, the last of the running one; and how the hand ended."""
        if self._end is not None and self._now:
            return self._now, self._end
        if openly and self._now:
            return self._now[-1:], None
        return self._before, self._end_before


def _concerns(event: Event, seat: Seat | None) -> bool:
    """Whether it is what came of something that the seat did."""
    match event:
        case Swapped(asker) | CardRefused(_, asker) | SeatStruck(asker) | Drew(asker):
            return asker == seat
    return isinstance(event, AskAnswered)
