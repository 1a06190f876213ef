"""Each of the built-in players is stronger than the one before it: a small part of what `kille arena` measures."""

from collections.abc import Callable
from functools import partial
from typing import Final

import pytest

from kille_net.arena.blocks import play_blocks
from kille_net.arena.plan import Plan
from kille_net.arena.summary import Tally
from kille_net.game.rules import Format, Ruleset
from tests.deep import size

POTS: Final = Ruleset.for_seats
ONE_POT: Final = partial(Ruleset.for_seats, pots=1)
STICKS: Final = partial(Ruleset.for_seats, format=Format.STICKS)


@pytest.mark.parametrize(
    ("better", "worse", "rules", "seats", "blocks"),
    [
        ("easy", "random", POTS, 2, 10),
        ("easy", "random", POTS, 4, 10),
        ("easy", "random", POTS, 8, 10),
        ("careful", "easy", POTS, 2, 40),
        ("careful", "easy", POTS, 4, 40),
        ("careful", "easy", POTS, 8, 20),
        ("sharp", "careful", POTS, 2, 40),
        ("sharp", "careful", POTS, 4, 80),
        ("sharp", "careful", POTS, 8, 120),
        ("easy", "random", STICKS, 4, 30),
        ("careful", "easy", STICKS, 4, 120),
        ("sharp", "careful", STICKS, 2, 60),
        *[("deep", "sharp", ONE_POT, seats, 10_000) for seats in range(4, size(4, 9))],
    ],
)
def test_one_beats_the_other(better: str, worse: str, rules: Callable[[int], Ruleset], seats: int, blocks: int) -> None:
    plan = Plan(bots=(better, worse), seats=seats, rules=rules(seats), seed="strength", blocks=blocks, seconds=1)
    tally = Tally(plan)
    for block in play_blocks(plan, 1):
        tally.add(block)
    (difference,) = tally.summary().differences
    assert difference.share.low is not None
    assert difference.share.low > 0
