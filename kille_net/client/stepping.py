"""The questions that a seat of a recorded match was asked, each with the view that it had, and what was done.

Owns which these are: those that a bot is asked at a table in process, in the same order, so that they can be counted.
Refuses to know bots. What a seat sees comes from `replaying`, and so by `observe`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from kille_net.client.replaying import Replay
from kille_net.game.actions import Action
from kille_net.game.events import Event
from kille_net.game.record import By, Played
from kille_net.game.rules import Seat
from kille_net.game.views import View

__all__ = ["Asked", "questions"]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question."""

    step: int
    """Of the record (`Replay`), after which it was asked."""
    is_kuku: bool
    """Whether the seat calls its Kuku now (M7); else what it does."""
    view: View
    seen: tuple[Event, ...]
    """What the seat saw since the question before."""
    answer: Action | None
    """What was done; None: no Kuku was called."""
    by: By | None


def questions(replay: Replay, seat: Seat) -> Iterator[Asked]:
    """All of them, in order, that were answered.

    A Kuku that was called on turn cannot be told from one that was called when the seat was asked for it just before.
    """
    seen: list[Event] = []
    for step in range(replay.last):
        seen += replay.events(step, seat)
        view, move = replay.view(step, seat), replay.move(step + 1)
        if move is None:
            continue
        if Action.KUKU in view.legal and not _is_before(view, move):
            is_called = move.action is Action.KUKU and move.seat == seat
            called = Action.KUKU if is_called else None
            yield Asked(step=step, is_kuku=True, view=view, seen=tuple(seen), answer=called, by=move.by)
            seen = []
        if move.seat == seat and move.action is not Action.KUKU:
            yield Asked(step=step, is_kuku=False, view=view, seen=tuple(seen), answer=move.action, by=move.by)
            seen = []


def _is_before(view: View, move: Played) -> bool:
    """Whether a seat that is asked before the viewer called its Kuku, so that the viewer was not asked."""
    if move.action is not Action.KUKU or view.seat is None:
        return False
    return view.order.index(move.seat) < view.order.index(view.seat)
