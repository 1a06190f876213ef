"""The arrays of a hand of three: what must hold of them whatever is played."""

from itertools import product

import numpy as np
import pytest

from kille_net.bots.three import key_of
from kille_net.game.actions import Action
from kille_net.game.cards import Card
from kille_net.solve.lines import view_of
from kille_net.solve.three.growing import SEATS, Question
from tests.solve.three.conftest import Solved


def turns(few: Solved, seat: int, moves: int) -> list[Question]:
    """What a seat may be asked on its turn when so many have acted."""
    return [
        question
        for question in few.grown.sides[seat].questions
        if Action.SWAP in question.actions and len(question.moves) == moves
    ]


def test_whatever_three_do_the_hand_ends_for_sure(few: Solved) -> None:
    dice = np.random.default_rng(1)
    for _ in range(5):
        first, middle, dealer = (dice.random(tree.number) for tree in few.game.trees)
        sure = few.game.worth(np.ones((7, 3)))
        assert few.game.values(sure, (first, middle, dealer)) == pytest.approx([1, 1, 1])


def test_who_speaks_first_knows_its_own_card_and_no_other(few: Solved) -> None:
    assert [question.cards[0] for question in turns(few, 0, 0)] == list(few.kinds)


def test_the_middle_seat_knows_its_own_card_after_a_stand_and_both_after_a_swap(few: Solved) -> None:
    asked = turns(few, 1, 1)
    stood = [question.cards[1] for question in asked if question.moves[0][1] is Action.STAND]
    assert stood == list(few.kinds)
    swapped = {question.cards[:2] for question in asked if question.moves[0][1] is Action.SWAP}
    assert swapped == set(product(few.kinds, [card for card in few.kinds if not Card.VARDSHUS <= card <= Card.KUKU]))
    assert len(asked) == len(stood) + len(swapped)


def test_a_dealer_after_two_who_stood_knows_its_own_card_alone(few: Solved) -> None:
    stands = ((0, Action.STAND), (1, Action.STAND))
    asked = [question for question in turns(few, 2, 2) if question.moves == stands]
    assert sorted(question.cards[2] for question in asked) == list(few.kinds)


def test_nobody_is_asked_about_a_kuku_that_it_does_not_hold(few: Solved) -> None:
    for seat in SEATS:
        for question in few.grown.sides[seat].questions:
            view = view_of(few.rules, seat, lives=(1, 1, 1), line=(question.cards, question.moves))
            calls = None in question.actions
            assert not calls or view.card is Card.KUKU
            own = key_of(view, calls=calls)[1].split()[seat]
            assert own == view.card.code


def test_a_question_comes_after_what_leads_to_it(few: Solved) -> None:
    for side in few.grown.sides:
        for question in side.questions:
            assert question.before < question.first
