"""How likely the deals are, against drawing them."""

from collections import Counter
from random import Random

import pytest

from kille_net.game.cards import FULL_PACK, Card
from kille_net.game.rules import Format, Ruleset
from kille_net.solve.deals import SITUATIONS, Situation, deals_in, situations
from kille_net.solve.tree import End, Tree

POTS, STICKS = (Ruleset(format=form) for form in Format)
KINDS = [card for card in Card if card is not Card.HARLEKIN]
TREES = [Tree((first, dealer), End.NOBODY_LOSES) for first in KINDS for dealer in KINDS]


def test_the_whole_pack_is_dealt_where_it_is_shuffled_in_again() -> None:
    assert situations(POTS) == {Situation(): 1.0}


def test_the_situations_are_as_likely_as_when_they_are_drawn() -> None:
    chances = situations(STICKS)
    assert sum(chances.values()) == pytest.approx(1)
    dice = Random(1)
    found: Counter[Situation] = Counter()
    for _ in range(40_000):
        talon = dice.sample(FULL_PACK, len(FULL_PACK))
        harlekins, others = 0, [0, 0]
        while Card.HARLEKIN in talon[:2]:
            for seat, card in enumerate(talon[:2]):
                harlekins += card is Card.HARLEKIN
                others[seat] += card is not Card.HARLEKIN
            talon = talon[2:]
        found[Situation(2) if harlekins == 2 else Situation(harlekins, (others[0], others[1]))] += 1
    for situation, chance in chances.items():
        assert found[situation] / 40_000 == pytest.approx(chance, abs=5 * (chance / 40_000) ** 0.5)


@pytest.mark.parametrize("situation", SITUATIONS)
def test_the_deals_of_a_situation_come_to_one_and_leave_the_rest_of_the_pack(situation: Situation) -> None:
    deals = deals_in(situation, TREES)
    assert sum(deal.weight for deal in deals) == pytest.approx(1)
    for deal in deals:
        gone = [*deal.tree.cards, *deal.thrown[0], *deal.thrown[1], *[Card.HARLEKIN] * situation.harlekins]
        assert tuple(map(len, deal.thrown)) == situation.others
        assert [number + gone.count(card) for card, number in zip(Card, deal.unseen, strict=True)] == [2] * len(Card)


def test_two_of_a_kind_are_dealt_half_as_often_as_one_and_another() -> None:
    weights = {deal.tree.cards: deal.weight for deal in deals_in(Situation(), TREES)}
    assert weights[Card.N5, Card.N5] * 2 == pytest.approx(weights[Card.N5, Card.N6])
