"""The arithmetic of the strongest player against sums by hand and against hands that are played."""

from random import Random

import pytest

from kille_net.bots import Bot
from kille_net.bots.odds import LOW, Fate, Odds
from kille_net.bots.reading import following, is_low, own, somebody_is_below
from kille_net.bots.sharp import beneath
from kille_net.game.actions import Action
from kille_net.game.cards import FULL_PACK, Card
from kille_net.game.match import Match
from kille_net.game.rules import Ruleset
from kille_net.game.views import View, observe

WHOLE = [2] * len(Card)
NOTHING_SETTLED = Fate(settled=[1.0] * Card.KUKU + [0.0, 0.0], struck=1.0, returned=None)


def without(*cards: Card) -> list[int]:
    counts = WHOLE[:]
    for card in cards:
        counts[card] -= 1
    return counts


def test_odds_are_odds() -> None:
    odds = Odds(without(Card.N4), beneath(8), draws_again=True)
    assert sum(odds.dealt) == pytest.approx(1)
    assert sum(odds.drawn) == pytest.approx(1)
    for x in range(Card.KUKU):
        rest = odds.rest(x, 7)
        assert len(rest) == 8
        assert rest == sorted(rest, reverse=True)
        assert rest[0] == 1
        assert all(0 <= chance <= 1 for chance in rest)


def test_a_dealer_alone_to_come_by_hand() -> None:
    """The dealer swaps below 3; does it end below a 2? Of 41 unseen cards the 39 that are no Kuku may be its own.

    It is dealt 3 or more: 20 numbers, 8 matadors, 2 Harlekins. Or it has one of 8 cards below the 2, or the other 2,
    and draws one of the 37 cards that are no Värdshus and no Kavall: of these the 2, 20 numbers above, 2 Harlekins, and
    the 2 pigs and 2 hussars that strike it leave it no lower, nor do the 2 Kukus if it keeps the 2.
    """
    odds = Odds(without(Card.N2), [Card.N3] * 8, draws_again=True)
    dealt_more = 2 * 10 + 2 * 4 + 2
    assert odds.rest(Card.N2, 1)[1] == pytest.approx(dealt_more / 39 + 8 / 39 * 27 / 37 + 1 / 39 * 29 / 37)


def test_what_never_loses_costs_nothing_to_keep() -> None:
    odds = Odds(without(Card.KUKU), beneath(4), draws_again=True)
    assert odds.stand(Card.KUKU, 3, NOTHING_SETTLED) == 0
    assert odds.stand(Card.HARLEKIN, 3, NOTHING_SETTLED) == 0
    assert odds.stand(LOW, 3, NOTHING_SETTLED) == 1


def test_a_known_lower_card_makes_it_safe_to_stand() -> None:
    settled = Fate(settled=[1.0] * (Card.N4 + 1) + [0.0] * (len(Card) - Card.N4 - 1), struck=0.8, returned=None)
    odds = Odds(without(Card.N5, Card.N4), beneath(4), draws_again=True)
    assert odds.stand(Card.N5, 2, settled) == 0
    assert odds.swap(Card.N5, 2, settled) > 0


class TableBot(Bot):
    """Plays as the odds suppose that others do."""

    def decide(self, view: View) -> Action:
        card = own(view)
        if is_low(view):
            return Action.SWAP
        if card in {Card.HARLEKIN, Card.KUKU} or somebody_is_below(view, card):
            return Action.STAND
        return Action.SWAP if card < beneath(len(view.order))[len(following(view))] else Action.STAND


class FirstBot(TableBot):
    """Does one thing on its turn."""

    def __init__(self, action: Action) -> None:
        self._action = action

    def decide(self, view: View) -> Action:
        return self._action


@pytest.mark.parametrize("seats", [4, 8])
@pytest.mark.parametrize("card", [Card.BLAREN, Card.N3, Card.N6])
@pytest.mark.parametrize("action", [Action.STAND, Action.SWAP])
def test_the_first_to_speak_loses_as_often_as_the_odds_say(seats: int, card: Card, action: Action) -> None:
    """Hands in which nobody holds a Kuku, as the odds suppose. One seat in a hundred is left to what they leave out."""
    rng = Random(f"{seats} {card} {action}")
    odds = Odds(without(card), beneath(seats), draws_again=True)
    later = seats - 1
    foretold = (odds.stand if action is Action.STAND else odds.swap)(card, later, NOTHING_SETTLED)
    hands = lost = 0
    bots: list[Bot] = [FirstBot(action), *(TableBot() for _ in range(later))]
    while hands < 2500:
        pack = list(FULL_PACK)
        pack.remove(card)
        rng.shuffle(pack)
        if Card.KUKU in pack[:later]:
            continue
        match = Match(Ruleset(pots=1), seats, seats - 1)
        match.deal((card, *pack))
        while match.hand is not None and match.hand.showdown is None:
            seat = match.to_act
            assert seat is not None
            match.act(seat, bots[seat].decide(observe(match, seat)))
        assert match.hand is not None
        assert match.hand.showdown is not None
        hands += 1
        lost += 0 in match.hand.showdown.lost
    spread = 4 * (foretold * (1 - foretold) / hands) ** 0.5
    assert abs(lost / hands - foretold) < spread + 0.02
