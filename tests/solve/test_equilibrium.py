"""Equilibria against games whose solution is known, and against every pure plan of small ones."""

from itertools import product
from random import Random

import pytest

from kille_net.game.actions import Action
from kille_net.game.cards import Card
from kille_net.game.rules import Format, Ruleset
from kille_net.solve.deals import Deal, Situation, deals_in
from kille_net.solve.equilibrium import Game, Plan
from kille_net.solve.tree import DEALER, FIRST, Choice, Draw, End, Node, Tree, grow

BOTH = (Action.STAND, Action.SWAP)


def matrix_game() -> Game:
    """Both choose at once; each of the four ends comes of one pair of choices."""
    ends = iter(End)
    below = tuple(Choice(DEALER, ("d",), BOTH, (next(ends), next(ends))) for _ in BOTH)
    return Game([Deal(1.0, Tree((Card.N1, Card.N2), Choice(FIRST, ("f",), BOTH, below)), (2,) * len(Card))])


def value_of(a: float, b: float, c: float, d: float) -> float:
    """Of the game [[a, b], [c, d]], by the book."""
    low, high = max(min(a, b), min(c, d)), min(max(a, c), max(b, d))
    return low if low == high else (a * d - b * c) / (a + d - b - c)


@pytest.mark.parametrize("number", range(30))
def test_games_of_two_by_two(number: int) -> None:
    dice = Random(number)
    worth = [dice.choice([dice.random(), dice.randint(0, 3)]) for _ in End]
    game = matrix_game()
    assert game.value(worth) == pytest.approx(value_of(*worth), abs=1e-9)


def test_matching_pennies_are_tossed() -> None:
    first, dealer = matrix_game().plans((1, 0, 0, 1))
    assert first["f",] == pytest.approx({Action.STAND: 0.5, Action.SWAP: 0.5})
    assert dealer["d",] == pytest.approx({Action.STAND: 0.5, Action.SWAP: 0.5})


def test_the_same_game_is_solved_for_other_worths_too() -> None:
    game = matrix_game()
    for worth in [(1, 0, 0, 1), (3, 0, 0, 1), (1, 1, 0, 0), (0, 0, 0, 0), (5, 2, 2, 9)]:
        assert game.value(worth) == pytest.approx(value_of(*worth), abs=1e-9)


# --- a pack of a few cards --------------------------------------------------------------------------------------------

FEW = (Card.BLAREN, Card.N5, Card.N7, Card.N12, Card.HUSAR)


def few(form: Format) -> list[Deal]:
    """The deals of real hands that have these cards only; the talon is whole."""
    trees = [tree for tree in grow(Ruleset(format=form)) if set(tree.cards) <= set(FEW)]
    return deals_in(Situation(), trees)


def worth_of(deal: Deal, node: Node, plans: tuple[Plan, Plan], worth: tuple[float, ...]) -> float:
    """Written down as the tree reads."""
    if isinstance(node, End):
        return worth[node]
    if isinstance(node, Draw):
        ends = [(number, end) for number, end in zip(deal.unseen, node.ends, strict=True) if end is not None]
        return sum(number * worth[end] for number, end in ends) / sum(number for number, _ in ends)
    chances = plans[node.seat][node.seen]
    return sum(
        chances[action] * worth_of(deal, branch, plans, worth)
        for action, branch in zip(node.actions, node.branches, strict=True)
        if chances[action]
    )


def pure(plan: Plan, questions: list[tuple[object, ...]]) -> list[Plan]:
    """Every plan that answers some questions for sure, and the others as this one does."""
    sure: dict[Action, dict[Action | None, float]] = {
        chosen: {action: float(action is chosen) for action in BOTH} for chosen in BOTH
    }
    return [
        {**plan, **{seen: sure[chosen] for seen, chosen in zip(questions, answers, strict=True)}}
        for answers in product(BOTH, repeat=len(questions))
    ]


@pytest.mark.parametrize("form", Format)
@pytest.mark.parametrize("worth", [(0.0, 1.0, 0.5, 0.5), (0.2, 0.9, 0.6, 0.3)])
def test_no_pure_plan_of_either_seat_does_better(form: Format, worth: tuple[float, ...]) -> None:
    deals = few(form)
    game = Game(deals)
    value, plans = game.value(worth), game.plans(worth)
    total = sum(deal.weight * worth_of(deal, deal.tree.root, plans, worth) for deal in deals)
    assert value == pytest.approx(total, abs=1e-12)
    for seat, sign in ((FIRST, 1), (DEALER, -1)):
        hidden = [seen for seen in plans[seat] if len(seen) == 1 + seat and not _knows(seen)]
        assert len(hidden) == len(FEW)
        for other in pure(plans[seat], hidden):
            both = (other, plans[DEALER]) if seat == FIRST else (plans[FIRST], other)
            got = sum(deal.weight * worth_of(deal, deal.tree.root, both, worth) for deal in deals)
            assert sign * (got - value) <= 1e-12


def _knows(seen: tuple[object, ...]) -> bool:
    return "Swapped" in type(seen[-1]).__name__
