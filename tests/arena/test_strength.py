"""Each of the built-in players is stronger than the one before it: a small part of what `kille arena` measures."""

import pytest

from kille_net.arena.blocks import play_blocks
from kille_net.arena.plan import Plan
from kille_net.arena.summary import Tally
from kille_net.game.rules import Format, Ruleset


@pytest.mark.parametrize(
    ("better", "worse", "seats", "form", "blocks"),
    [
        ("easy", "random", 2, Format.POTS, 10),
        ("easy", "random", 4, Format.POTS, 10),
        ("easy", "random", 8, Format.POTS, 10),
        ("careful", "easy", 2, Format.POTS, 40),
        ("careful", "easy", 4, Format.POTS, 40),
        ("careful", "easy", 8, Format.POTS, 20),
        ("sharp", "careful", 2, Format.POTS, 40),
        ("sharp", "careful", 4, Format.POTS, 80),
        ("sharp", "careful", 8, Format.POTS, 120),
        ("easy", "random", 4, Format.STICKS, 30),
        ("careful", "easy", 4, Format.STICKS, 120),
        ("sharp", "careful", 2, Format.STICKS, 60),
    ],
)
def test_one_beats_the_other(better: str, worse: str, seats: int, form: Format, blocks: int) -> None:
    rules = Ruleset.for_seats(seats, format=form)
    plan = Plan(bots=(better, worse), seats=seats, rules=rules, seed="strength", blocks=blocks, seconds=1)
    tally = Tally(plan)
    for block in play_blocks(plan, 1):
        tally.add(block)
    (difference,) = tally.summary().differences
    assert difference.share.low is not None
    assert difference.share.low > 0
