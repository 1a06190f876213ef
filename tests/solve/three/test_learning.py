"""Learning and Newton's method, on games whose equilibria are known."""

import numpy as np
import pytest

from kille_net.game.actions import Action
from kille_net.game.cards import Card
from kille_net.solve.three.growing import Grown, Question, Side
from kille_net.solve.three.learning import Game, Plans, learn, settle
from tests.solve.three.conftest import Solved

BOTH = (Action.STAND, Action.SWAP)
SIDE = Side([Question((Card.N1, Card.N2, Card.N3), (), BOTH, 0, 1, 0)], 3)


def at_once() -> Game:
    """All three choose at once; each of the eight rows is an end of its own but the last, which is as the first."""
    rows = [(1 + a, 1 + b, 1 + c) for a in range(2) for b in range(2) for c in range(2)]
    ends = np.eye(7)[[0, 1, 2, 3, 4, 5, 6, 0]]
    return Game(Grown((SIDE, SIDE, SIDE), np.array(rows, dtype=np.int32), ends))


def played(plans: Plans) -> list[float]:
    return [float(plan[0]) for plan in plans]


def odd_one_out() -> np.ndarray:
    """Who chooses otherwise than the two others loses; if all choose alike, nobody does."""
    worth = np.full((7, 3), 0.5)
    worth[0] = 1 / 3
    for end, loser in {1: 2, 2: 1, 3: 0, 4: 0, 5: 1, 6: 2}.items():
        worth[end, loser] = 0.0
    return worth


def pennies() -> np.ndarray:
    """The first wins when it chooses as the middle seat, which wins otherwise; the dealer has no part in it."""
    worth = np.zeros((7, 3))
    for end, (first, middle) in enumerate([(0, 0), (0, 0), (0, 1), (0, 1), (1, 0), (1, 0), (1, 1)]):
        worth[end, 0] = float(first == middle)
        worth[end, 1] = float(first != middle)
    return worth


def test_pennies_are_tossed() -> None:
    game = at_once()
    worth = game.worth(pennies())
    learned, _ = learn(game, worth, 200)
    plans = settle(game, worth, learned, 200)
    assert played(plans)[:2] == pytest.approx([0.5, 0.5], abs=1e-9)
    assert game.values(worth, plans)[:2] == pytest.approx([0.5, 0.5])
    assert max(game.gaps(worth, plans)) < 1e-12


def test_newton_finds_what_learning_is_only_close_to() -> None:
    """[[0.9, 0.2], [0.1, 0.7]] to the first, the rest to the middle seat; the chances are those of the book."""
    game = at_once()
    wins = [0.9, 0.9, 0.2, 0.2, 0.1, 0.1, 0.7]
    first = np.array([(one, 1 - one, 0.0) for one in wins])
    worth = game.worth(first)
    worth[:2, 7] = 0.7, 0.3  # the eighth row is as the first end, and should be as the seventh
    learned, _ = learn(game, worth, 50)
    assert max(game.gaps(worth, learned)) > 1e-6
    plans = settle(game, worth, learned, 50)
    assert played(plans)[:2] == pytest.approx([1 - 0.6 / 1.3, 1 - 0.5 / 1.3], abs=1e-9)
    assert max(game.gaps(worth, plans)) < 1e-12


def test_nobody_is_the_odd_one_out() -> None:
    """Whatever they agree on; all three alike is an equilibrium."""
    game = at_once()
    worth = game.worth(odd_one_out())
    learned, _ = learn(game, worth, 200)
    assert max(game.gaps(worth, settle(game, worth, learned, 200))) < 1e-12


def test_a_gap_is_what_a_best_answer_gains() -> None:
    game = at_once()
    worth = game.worth(pennies())
    always = np.ones(1)
    assert game.gaps(worth, (always, always, always)) == pytest.approx([0, 1, 0])
    assert game.values(worth, (always, np.array([0.25]), always)) == pytest.approx([0.25, 0.75, 0])


def test_learning_comes_closer_and_newton_does_the_rest(few: Solved) -> None:
    worth = few.game.worth(np.vstack([np.full(3, 1 / 3), *(_shares(end) for end in range(1, 7))]))
    gaps = [max(few.game.gaps(worth, learn(few.game, worth, rounds)[0])) for rounds in (3, 30, 300)]
    assert gaps[0] > gaps[1] > gaps[2]
    learned, regrets = learn(few.game, worth, 300)
    more, _ = learn(few.game, worth, 1000, regrets)
    plans = settle(few.game, worth, more, 1000)
    assert max(few.game.gaps(worth, plans)) < 1e-12
    assert few.game.values(worth, plans).sum() == pytest.approx(1)
    assert max(few.game.gaps(worth, settle(few.game, worth, learned, 300))) <= gaps[2]


def _shares(end: int) -> np.ndarray:
    """Those who do not lose share what is won."""
    left = [1 - (end >> seat & 1) for seat in range(3)]
    return np.array([one / sum(left) for one in left])
