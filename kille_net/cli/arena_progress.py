"""How far `kille arena` is: a bar on standard error, with the time left and the interval so far, if anybody sees it.

Owns what it shows and how often. Refuses to know what plays.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from shutil import get_terminal_size
from time import monotonic
from typing import TYPE_CHECKING, Final

import click

from kille_net.cli.arena_table import interval
from kille_net.cli.speaking import tell

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar

    from kille_net.arena.plan import Plan
    from kille_net.arena.summary import Tally

__all__ = ["Progress", "progress"]

_EVERY: Final = 0.2
"""Seconds."""
_WIDTH: Final = 20
_LEAST: Final = 4
_BESIDE: Final = len("[]  /  00:00:00  ")
"""Columns of what stands beside the bar, but for how many are played of how many."""
_ROOM: Final = 28
"""Columns that are kept free for those numbers and the interval, rather than for a long bar."""


@contextmanager
def progress(tally: "Tally", plan: "Plan") -> Iterator["Progress"]:
    """A bar that begins where the tally is."""
    is_seen = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    bar: ProgressBar[str | None] = click.progressbar(
        length=plan.matches,
        file=sys.stderr,
        hidden=not is_seen,
        width=max(_LEAST, min(_WIDTH, get_terminal_size().columns - _BESIDE - _ROOM)),
        show_pos=True,
        show_percent=False,
        bar_template="[%(bar)s]  %(info)s",
        item_show_func=lambda text: text,
    )
    bar.pos = tally.blocks * plan.rotations
    bar.last_eta = inf  # when click counts the time left anew: never, since it takes what comes at once for a pace
    with bar:
        yield Progress(tally, plan, bar)


class Progress:
    def __init__(self, tally: "Tally", plan: "Plan", bar: "ProgressBar[str | None]") -> None:
        self._tally = tally
        self._plan = plan
        self._bar = bar
        self._told = tally.blocks
        self._shown = monotonic()
        self._first: tuple[int, float] | None = None
        """How many there were, and when, as the first of ours came: until then processes start, which is no pace."""

    def show(self) -> None:
        """One block more is in the tally."""
        now = monotonic()
        done = self._tally.blocks
        if self._first is None:
            self._first, self._shown = (done, now), now  # what comes with the first is no pace, either
        first, began = self._first
        if self._bar.hidden or done == first or (now - self._shown < _EVERY and done < self._plan.blocks):
            return
        self._shown = now
        self._bar.avg = [(now - began) / ((done - first) * self._plan.rotations)]
        self._bar.eta_known = True
        self._bar.update((done - self._told) * self._plan.rotations, self._so_far())
        self._told = done

    def _so_far(self) -> str:
        from wcwidth import wcswidth

        from kille_net.arena.measures import Measure

        labels = self._plan.labels
        if len(labels) == 1:
            return ""
        so_far = interval(self._tally.difference(Measure.SHARE, 0, 1), "+.3f")
        names = tell("arena.so_far", first=labels[0], second=labels[1])
        room = get_terminal_size().columns - self._bar.width - _BESIDE - 2 * len(str(self._plan.matches))
        return next((text for text in (f"{names} {so_far}", so_far) if wcswidth(text) < room), "")
