"""Swiss: every round anew, of whoever is there."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kille_net.server.pairing.swiss import next_round
from kille_net.server.pairing.tables import Round, layout


def names(players: int) -> list[str]:
    return [f"p{number:02}" for number in range(players)]


def play(players: int, seats: int, rounds: int, random: Random) -> tuple[list[Round], dict[str, float]]:
    """Each table's result by lot: a point for each who is behind; as many for a bye as for the middle place."""
    scores = dict.fromkeys(names(players), 0.0)
    before: list[Round] = []
    for _ in range(rounds):
        before.append(next_round(scores, seats, before))
        for table in before[-1].tables:
            for behind, one in enumerate(random.sample(table, len(table))):
                scores[one] += behind
        for one in before[-1].byes:
            scores[one] += (seats - 1) / 2
    return before, scores


def met(rounds: list[Round]) -> Counter[frozenset[str]]:
    return Counter(frozenset(pair) for round_ in rounds for table in round_.tables for pair in combinations(table, 2))


@given(st.integers(2, 20), st.integers(2, 6), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_everybody_who_is_there_is_in_the_round_once(players: int, seats: int, random: Random) -> None:
    """Some come late and some drop out between the rounds, with whatever scores."""
    everybody = names(players + 6)
    before: list[Round] = []
    for _ in range(4):
        here = random.sample(everybody, random.randint(2, len(everybody)))
        scores = {one: random.choice([0.0, 1.0, 1.5, 3.0]) for one in here}
        found = next_round(scores, seats, before)
        assert next_round(scores, seats, before) == found
        assert sorted([*found.byes, *(one for table in found.tables for one in table)]) == sorted(here)
        plan = layout(len(here), seats)
        assert tuple(len(table) for table in found.tables) == plan.sizes
        assert len(found.byes) == plan.byes
        before.append(found)


@pytest.mark.parametrize(
    ("players", "seats", "rounds"),
    [(8, 2, 4), (16, 2, 7), (9, 2, 4), (24, 3, 5), (16, 4, 3), (31, 4, 5), (40, 5, 4), (64, 8, 3), (100, 2, 7)],
)
@pytest.mark.parametrize("seed", range(3))
def test_nobody_meets_the_same_one_again_while_there_are_others(
    players: int, seats: int, rounds: int, seed: int
) -> None:
    played, _ = play(players, seats, rounds, Random(seed))
    assert set(met(played).values()) == {1}


@given(st.integers(3, 21), st.integers(2, 5), st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_nobody_sits_out_twice_before_all_have_sat_out(players: int, seats: int, random: Random) -> None:
    played, _ = play(players, seats, 5, random)
    byes = Counter(dict.fromkeys(names(players), 0))
    for round_ in played:
        byes.update(round_.byes)
        assert max(byes.values()) - min(byes.values()) <= 1


@pytest.mark.parametrize("seed", range(5))
def test_those_of_one_score_meet(seed: int) -> None:
    random = Random(seed)
    scores = dict.fromkeys(names(16), 0.0)
    first = next_round(scores, 2, [])
    for table in first.tables:
        scores[random.choice(table)] += 1
    second = next_round(scores, 2, [first])
    assert all(scores[one] == scores[other] for one, other in second.tables)
    for table in second.tables:
        scores[random.choice(table)] += 1
    third = next_round(scores, 2, [first, second])
    assert all(scores[one] == scores[other] for one, other in third.tables)


@pytest.mark.parametrize(("players", "seats"), [(16, 4), (20, 5), (12, 2), (24, 3), (32, 7)])
def test_places_are_had_alike(players: int, seats: int) -> None:
    played, _ = play(players, seats, 2 * seats, Random(players))
    sat = Counter((one, place) for round_ in played for table in round_.tables for place, one in enumerate(table))
    assert all(sat[one, place] <= 3 for one in names(players) for place in range(seats))


def test_nobody_is_always_at_the_smaller_table() -> None:
    played, _ = play(11, 4, 4, Random(1))
    smaller = Counter(one for round_ in played for table in round_.tables if len(table) == 3 for one in table)
    assert max(smaller.values()) <= 2
