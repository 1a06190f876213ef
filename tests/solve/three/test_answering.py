"""The best answer to two of a kind: that it finds what the solver found, on another way, and what is not best."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from kille_net.bots import three
from kille_net.bots.sharp import SharpBot
from kille_net.client.showing.strategy import AMONG_THREE
from kille_net.game.actions import Action, Phase
from kille_net.game.cards import Card
from kille_net.game.rules import Format, Ruleset
from kille_net.game.views import View
from kille_net.solve import values
from kille_net.solve.best_response import Player, player_of
from kille_net.solve.three.answering import answer
from kille_net.solve.three.solution import solve
from kille_net.solve.three.table import player_of_table
from tests import deep
from tests.solve.three.conftest import FEW, Solved


def gains(few: Solved, player: Player) -> list[float]:
    """By seat, over the value of the equilibrium, on a life each."""
    found = answer(few.rules, player, few.two, lives=1, kinds=few.kinds)
    assert found.residual < 1e-12
    return [found.values[seat, (1, 1, 1)] - float(few.pot.values[1, 1, 1][seat]) for seat in range(3)]


def test_nobody_gains_on_what_was_learned(few: Solved) -> None:
    """Asking, accepting and keeping a Kuku back included; and what is best without it is worth what was found."""
    player = player_of_table({few.rules.format.value: few.table})
    assert gains(few, player) == pytest.approx([0, 0, 0], abs=1e-12)


@pytest.mark.parametrize(
    ("question", "cards"),
    [
        ("first waits waits waits", "7 - -"),
        ("middle stood waits waits", "- 7 -"),
        ("dealer stood stood waits", "- - 5"),
    ],
)
def test_one_card_wrong_is_found(few: Solved, question: str, cards: str) -> None:
    chances = dict(few.table.chances)
    (was,) = chances[question, cards]
    chances[question, cards] = (1.0 - was,)
    wrong = replace(few.table, chances=chances)
    assert max(gains(few, player_of_table({few.rules.format.value: wrong}))) > 1e-4


def test_the_others_can_be_answered_better(few: Solved) -> None:
    found = gains(few, player_of(SharpBot()))
    assert sum(found) > 1e-3


def test_two_who_give_their_cards_back_let_a_bad_card_be_given_back(few: Solved) -> None:
    """F4: who speaks first asks as often as three are accepted, and so gains."""
    learned = player_of_table({few.rules.format.value: few.table})

    def agrees(view: View, actions: tuple[Action | None, ...]) -> Mapping[Action | None, float]:
        answers = {Phase.ASKED: Action.DEPENDS, Phase.MIDDLE: Action.ACCEPT}
        if view.phase in answers and None not in actions:
            return {answers[view.phase]: 1.0}
        return learned(view, actions)

    found = gains(few, agrees)
    if few.rules.format is Format.POTS:
        assert found[0] > 0.01
    else:  # G6
        assert found == pytest.approx([0, 0, 0], abs=1e-12)
    assert found[2] < 1e-3, "nobody asks the dealer, who speaks first only when nobody loses"


@pytest.mark.parametrize("form", list(Format) if deep.IS_DEEP else [Format.STICKS])
def test_a_game_is_solved_and_the_whole_of_it_is_what_comes_with_the_game(form: Format) -> None:
    rules = Ruleset(format=form)
    found = solve(rules, kinds=tuple(Card) if deep.IS_DEEP else FEW)
    assert found.holds
    assert max(map(abs, found.gains)) < 1e-9
    assert max(map(abs, found.gains_at_start)) < 1e-9
    assert found.residual < 1e-9
    assert found.table.chances.keys() <= three.tables()[form.value].chances.keys()
    if deep.IS_DEEP:
        two = values.pot(values.Hand(rules), rules.rules.lives).values
        assert found.table.lives == three.tables()[form.value].lives
        answered = answer(rules, player_of_table(three.tables()), two, lives=rules.rules.lives).values
        for (seat, lives), got in answered.items():
            assert got == pytest.approx(found.pot[lives][seat], abs=1e-9)
        if form is Format.POTS:
            assert list(AMONG_THREE.values()) == [round(1000 * chance) for chance in found.pot[3, 3, 3]]
