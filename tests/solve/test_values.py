"""Values of pots and matches: what must hold of them whatever they are."""

import pytest

from kille_net.client.showing.strategy import PERFECT
from kille_net.game.rules import Format, Ruleset
from kille_net.solve.values import Hand, Pot, Worth, match, pot


@pytest.fixture
def hand(hands: dict[Format, Hand]) -> Hand:
    return hands[Format.POTS]


@pytest.fixture
def whole(hand: Hand) -> Pot:
    return pot(hand, 3)


def test_the_iteration_has_come_to_rest(whole: Pot) -> None:
    assert whole.residual < 1e-12


def test_a_life_more_is_worth_something_and_one_of_the_others_costs(whole: Pot) -> None:
    values = whole.values
    for (first, dealer), value in values.items():
        assert 0 < value < 1
        assert first == 3 or values[first + 1, dealer] > value
        assert dealer == 3 or values[first, dealer + 1] < value


def test_what_players_are_told_of_it_is_so(whole: Pot) -> None:
    lives = {"even": (3, 3), "behind": (2, 3), "ahead": (3, 2)}
    assert dict(PERFECT) == {name: round(100 * whole.values[of]) for name, of in lives.items()}


def test_what_one_wins_the_other_loses(hand: Hand) -> None:
    """Whatever the ends are worth, turned round and moved, the value goes with them."""
    value = hand.value(Worth(0.0, 1.0, 0.4))
    assert hand.value(Worth(2.0, 5.0, 3.2)) == pytest.approx(2 + 3 * value, abs=1e-9)
    assert 0 < value < 1


def test_the_value_of_a_hand_goes_between_its_ends(hand: Hand) -> None:
    """Who is on one life each plays for one hand, but for ties, after which the seats change."""
    one = pot(hand, 1).values[1, 1]
    assert hand.value(Worth(0.0, 1.0, 1 - one)) == pytest.approx(one, abs=1e-12)


def test_a_match_of_one_pot_is_a_pot(hand: Hand, whole: Pot) -> None:
    assert match(hand, Ruleset(pots=1))[0, 0] == pytest.approx(whole.values[3, 3], abs=1e-12)


def test_a_match_that_is_decided_is_worth_all_or_nothing(hand: Hand, whole: Pot) -> None:
    values = match(hand, Ruleset(pots=4))
    assert values[3, 0] == 1
    assert values[0, 3] == 0
    assert values[2, 2] == pytest.approx(whole.values[3, 3], abs=1e-12)
    assert values[1, 0] > values[0, 0] > values[0, 1]
    assert 0.5 < values[0, 0] < whole.values[3, 3], "who speaks first gains less in a longer match"


def test_in_sticks_nothing_but_the_duel_counts(hands: dict[Format, Hand]) -> None:
    """A hand in which nobody loses a life does not happen, so that a life is worth the same part at any number."""
    rules = Ruleset(format=Format.STICKS, pots=2)
    hand = hands[Format.STICKS]
    duel = pot(hand, 1).values[1, 1]
    assert 0.5 < duel < 0.55
    two = pot(hand, 2).values
    assert two[1, 2] == pytest.approx((1 - duel) * 0 + duel * (1 - duel), abs=1e-9)
    values = match(hand, rules)
    # One stick each makes a final of one life each; the deal has gone back to who dealt first.
    after_win, after_loss = 1 - values[0, 1], 1 - values[1, 0]
    assert values[1, 1] == pytest.approx(duel)
    assert values[0, 0] == pytest.approx(duel * after_win + (1 - duel) * after_loss, abs=1e-9)
