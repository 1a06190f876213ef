"""What lives are worth, by what it is when it can be worked out by hand, and by what happens at tables."""

from collections import Counter
from itertools import combinations_with_replacement
from math import sqrt
from random import Random

import pytest

from kille_net.arena.play import play_match
from kille_net.bots.lives import LOSERS, chance
from kille_net.bots.sharp import SharpBot
from kille_net.game.cards import FULL_PACK, Pack
from kille_net.game.match import Match
from kille_net.game.rules import MAX_SEATS, Ruleset
from tests.deep import size


@pytest.mark.parametrize(
    ("own", "others", "worth"),
    [(0, (3, 2), 0), (2, (), 1), (1, (1,), 1 / 2), (1, (2,), 1 / 4), (2, (3,), 5 / 16), (3, (1,), 7 / 8)],
)
def test_between_two_it_is_a_walk_at_random(own: int, others: tuple[int, ...], worth: float) -> None:
    assert chance(own, others) == pytest.approx(worth)


@pytest.mark.parametrize("seats", range(2, MAX_SEATS + 1))
def test_the_chances_of_a_table_add_up_to_one(seats: int) -> None:
    for lives in combinations_with_replacement((1, 2, 3), seats):
        assert sum(chance(own, (*lives[:k], *lives[k + 1 :])) for k, own in enumerate(lives)) == pytest.approx(1)


def test_who_has_many_lives_is_worth_more_than_their_share() -> None:
    assert chance(3, (1, 1)) > 3 / 5
    assert chance(1, (3, 3)) < 1 / 7


def test_of_very_many_lives_it_is_the_share() -> None:
    assert chance(300, (100, 200, 400)) == 0.3


@pytest.mark.parametrize("seats", list(LOSERS))
def test_so_many_lose_a_life_at_a_table_of_sharp_players(seats: int) -> None:
    hands, rng, losers = size(200, 20_000), Random(seats), Counter[int]()

    def pack(_hand: int, _redeal: int) -> Pack:
        return tuple(rng.sample(FULL_PACK, len(FULL_PACK)))

    for number in range(hands):
        match = Match(Ruleset(), seats, number % seats)
        play_match(match, [SharpBot()] * seats, pack, hands=1)
        losers[seats * 3 - sum(match.lives)] += 1
    for number, often in enumerate(LOSERS[seats], 1):
        assert losers[number] / hands == pytest.approx(often, abs=4 * sqrt(often / hands) + 0.001)
