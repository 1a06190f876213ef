"""The time that is left, as the bar of `kille arena` tells it."""

import io
import re
from collections.abc import Iterator

import pytest

from kille_net.arena.blocks import Block, Result
from kille_net.arena.plan import Plan
from kille_net.arena.summary import Tally
from kille_net.bots.guard import Complaints
from kille_net.cli import arena_progress
from kille_net.cli.arena_progress import progress
from kille_net.game.rules import Ruleset

PLAN = Plan(bots=("easy", "careful"), seats=2, rules=Ruleset(pots=1), seed="x", blocks=1500, seconds=1)
"""3000 matches."""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(
    monkeypatch: pytest.MonkeyPatch, arrivals: Iterator[tuple[float, int]], before: int = 0
) -> list[tuple[float, int, int]]:
    """When so many blocks arrive at once each time, what was shown: when, matches done, seconds left."""
    terminal, now = Terminal(), [0.0]
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(arena_progress, "monotonic", lambda: now[0])
    tally = Tally(PLAN)
    results = (Result((1, 0), 0, 3), Result((0, 1), 1, 3))

    def add() -> None:
        tally.add(Block(tally.blocks, results, (Complaints(), Complaints())))

    for _ in range(before):
        add()
    seen = []
    with progress(tally, PLAN) as bar:
        assert f"{2 * before}/3000" in terminal.getvalue()
        for when, many in arrivals:
            for number in range(many):
                now[0] = when + number / 1000
                at = terminal.tell()
                add()
                bar.show()
                for done, hours, minutes, seconds in re.findall(
                    r"(\d+)/3000  (\d\d):(\d\d):(\d\d)", terminal.getvalue()[at:]
                ):
                    seen.append((now[0], int(done), 3600 * int(hours) + 60 * int(minutes) + int(seconds)))
    return seen


@pytest.mark.parametrize(("every", "many"), [(0.01, 1), (0.05, 1), (0.3, 1), (1.6, 16), (0.5, 60)])
@pytest.mark.parametrize("before", [0, 700])
def test_the_time_left_is_what_the_pace_since_the_start_makes_of_it(
    monkeypatch: pytest.MonkeyPatch, every: float, many: int, before: int
) -> None:
    """Whether the blocks come one by one or many at once, and whatever was there before."""
    number = (1500 - before) // many
    seen = shown(monkeypatch, ((5 + every * k, many) for k in range(number)), before)
    assert len(seen) > 10
    for when, done, left in seen:
        after = (3000 - done) / 2 * every / many
        assert after * 0.8 - every - 1 <= left <= after * 1.25 + every + 1, (when, done)
    assert any(left > 2 for _, _, left in seen)
