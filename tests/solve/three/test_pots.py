"""What a hand of three leads to, by hand; and what must hold of the values."""

from itertools import product

import numpy as np
import pytest

from kille_net.game.rules import Format
from kille_net.solve import values
from kille_net.solve.three.pots import pot, worth_of_ends
from tests.solve.three.conftest import Solved

THREE = {(a, b, c): np.array([3 * a, 2 * b, c]) / (3 * a + 2 * b + c) for a, b, c in product(range(1, 4), repeat=3)}
"""Three lives speaking first are worth as much as nine at the dealer, say."""
TWO = {(2, 2): 0.52, (2, 3): 0.35, (3, 2): 0.65, (3, 1): 0.8, (1, 2): 0.31, (2, 1): 0.7, (1, 1): 0.5}


def test_the_deal_goes_on_to_the_next_who_has_lives() -> None:
    worth = worth_of_ends(THREE, TWO, (1, 2, 3))
    # Nobody loses: who spoke first deals, and the middle seat, with two lives, speaks first.
    assert worth[0] == pytest.approx([1 / 13, 6 / 13, 6 / 13])
    # The first is out: the middle seat deals, and the dealer speaks first.
    assert worth[0b001] == pytest.approx([0, 1 - 0.65, 0.65])
    # The dealer loses one of its three: all go on.
    assert worth[0b100] == pytest.approx([1 / 11, 6 / 11, 4 / 11])
    # The first is out and the dealer loses one: the middle seat deals, on two lives each.
    assert worth[0b101] == pytest.approx([0, 0.48, 0.52])


def test_the_last_with_lives_has_won() -> None:
    worth = worth_of_ends({(1, 1, 1): np.full(3, 1 / 3)}, TWO, (1, 1, 1))
    assert worth[0b011].tolist() == [0, 0, 1]
    assert worth[0b110].tolist() == [1, 0, 0]
    # The middle seat is out: the first deals.
    assert worth[0b010] == pytest.approx([0.5, 0, 0.5])


def test_one_of_three_wins(few: Solved) -> None:
    for chances in few.pot.values.values():
        assert chances.sum() == pytest.approx(1)
        assert (chances > 0).all()
    assert few.pot.residual < 1e-12
    assert max(max(gaps) for gaps in few.pot.gaps.values()) < 1e-12


def test_a_life_more_is_worth_something(few: Solved, hands: dict[Format, values.Hand]) -> None:
    two = values.pot(hands[few.rules.format], 2).values
    found = pot(few.game, two, lives=2, rounds=300).values
    for seat, lives in enumerate([(2, 1, 1), (1, 2, 1), (1, 1, 2)]):
        assert found[lives][seat] > max(found[1, 1, 1][seat], found[2, 2, 2][seat])
        assert found[lives].sum() == pytest.approx(1)
