"""Round robin: all meet, and sit everywhere, as evenly as the numbers allow, at every number of players and seats."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from kille_net.server.pairing.places import in_places
from kille_net.server.pairing.round_robin import MOST_PLAYERS, round_robin, rounds_needed
from kille_net.server.pairing.tables import Round, layout

MORE: dict[int, dict[int, tuple[int, ...]]] = {
    5: {1: (53, 58, 64)},
    6: {1: (64,)},
    7: {1: (11, 40, 41, 42, 47, 54, 55, 56, 60, 61, 62, 63), 2: (22,)},
    8: {
        1: (
            *(13, 18, 19, 20, 23, 24, 30, 34, 38, 39, 40, 42, 45, 46, 47, 48, 53, 54, 55, 56),
            *(57, 60, 61, 62),
        ),
        2: (33,),
    },
}
"""By seats, and by how much more than the bound the most and the least met pair differ: of how many players no better
schedule is known to us."""


def names(players: int) -> list[str]:
    return [f"p{number}" for number in range(players)]


def met(rounds: tuple[Round, ...], players: int) -> Counter[frozenset[str]]:
    counts = Counter({frozenset(pair): 0 for pair in combinations(names(players), 2)})
    for round_ in rounds:
        for table in round_.tables:
            counts.update(map(frozenset, combinations(table, 2)))
    return counts


def sat(rounds: tuple[Round, ...], players: int, place: int) -> Counter[str]:
    counts = Counter(dict.fromkeys(names(players), 0))
    counts.update(table[place] for round_ in rounds for table in round_.tables if place < len(table))
    return counts


def difference(counts: Counter[str] | Counter[frozenset[str]]) -> int:
    return max(counts.values()) - min(counts.values())


def allowed(total: int, among: int) -> int:
    """Whatever is handed out so that all get equally much, or some one more."""
    return min(total % among, 1)


def check_everyone_is_in_each_round_once(rounds: tuple[Round, ...], players: int, seats: int) -> None:
    plan = layout(players, seats)
    for round_ in rounds:
        assert sorted([*round_.byes, *(one for table in round_.tables for one in table)]) == sorted(names(players))
        assert tuple(len(table) for table in round_.tables) == plan.sizes


def check_all_play_alike_after_every_round(rounds: tuple[Round, ...], players: int) -> None:
    played = Counter(dict.fromkeys(names(players), 0))
    for round_ in rounds:
        played.update(one for table in round_.tables for one in table)
        assert difference(played) <= 1


def check_places(rounds: tuple[Round, ...], players: int, seats: int) -> None:
    for place in range(min(seats, players)):
        counts = sat(rounds, players, place)
        assert difference(counts) == allowed(counts.total(), players), place


@pytest.mark.parametrize("seats", range(2, 9))
def test_of_2_to_64_players_is_as_even_as_the_numbers_allow(seats: int) -> None:
    more: dict[int, list[int]] = {}
    for players in range(2, MOST_PLAYERS + 1):
        rounds = round_robin(names(players), seats)
        assert len(rounds) == rounds_needed(players, seats) <= 2 * players
        check_everyone_is_in_each_round_once(rounds, players, seats)
        check_all_play_alike_after_every_round(rounds, players)
        check_places(rounds, players, seats)
        meetings = met(rounds, players)
        assert min(meetings.values()) >= 1
        if gap := difference(meetings) - allowed(meetings.total(), len(meetings)):
            more.setdefault(gap, []).append(players)
    assert more == {gap: list(players) for gap, players in MORE.get(seats, {}).items()}


@pytest.mark.parametrize("players", [2, 7, 12, 17, 23, 64])
@pytest.mark.parametrize("seats", [2, 3, 5, 8])
def test_of_any_number_of_rounds_is_fair_and_no_less_even_than_a_part_of_the_whole(players: int, seats: int) -> None:
    needed = rounds_needed(players, seats)
    whole = round_robin(names(players), seats)
    for number in {1, 3, needed - 1, needed + 2, 2 * needed} - {0}:
        rounds = round_robin(names(players), seats, number)
        assert len(rounds) == number
        part = (*whole, *whole)[:number]
        assert difference(met(rounds, players)) <= difference(met(part, players))
        check_everyone_is_in_each_round_once(rounds, players, seats)
        check_all_play_alike_after_every_round(rounds, players)
        check_places(rounds, players, seats)


def test_is_the_same_every_time_whoever_plays() -> None:
    one, other = round_robin(names(23), 5, 7), round_robin([f"q{number}" for number in range(23)], 5, 7)
    assert [round_.tables for round_ in other] == [
        tuple(tuple(who.replace("p", "q") for who in table) for table in round_.tables) for round_ in one
    ]


def test_of_twice_the_rounds_needed_everybody_meets_twice_as_often() -> None:
    once, twice = (met(round_robin(names(16), 4, rounds), 16) for rounds in (5, 10))
    assert set(once.values()) == {1}
    assert set(twice.values()) == {2}


def test_of_players_who_fit_a_table_is_one_match() -> None:
    assert round_robin(names(3), 5) == (Round((("p0", "p1", "p2"),), ()),)


@pytest.mark.parametrize("players", [0, 1, 65])
def test_of_too_few_or_too_many_is_refused(players: int) -> None:
    with pytest.raises(ValueError, match="2 to 64 players"):
        round_robin(names(players), 4)


@pytest.mark.parametrize("seats", [0, 1, 9])
def test_at_tables_that_there_are_not_is_refused(seats: int) -> None:
    with pytest.raises(ValueError, match="2 to 8 seats"):
        round_robin(names(12), seats)


class TestPlaces:
    @pytest.mark.parametrize("seed", range(20))
    def test_are_had_alike_after_every_round_whoever_meets(self, seed: int) -> None:
        random = Random(seed)
        players, seats = random.choice([(12, 4), (20, 5), (16, 8), (9, 3), (10, 2)])
        shuffled = [random.sample(range(players), players) for _ in range(17)]
        rounds = [[order[at : at + seats] for at in range(0, players, seats)] for order in shuffled]
        counts = {player: [0] * seats for player in range(players)}
        for before, after in zip(rounds, in_places(rounds), strict=True):
            assert [sorted(table) for table in after] == [sorted(table) for table in before]
            for table in after:
                for place, player in enumerate(table):
                    counts[player][place] += 1
            assert all(max(own) - min(own) <= 1 for own in counts.values())


class TestLayout:
    @pytest.mark.parametrize(
        ("players", "seats", "sizes", "byes"),
        [
            (0, 4, (), 0),
            (1, 4, (), 1),
            (2, 8, (2,), 0),
            (4, 3, (2, 2), 0),
            (5, 2, (2, 2), 1),
            (5, 4, (4,), 1),
            (7, 4, (4, 3), 0),
            (11, 4, (4, 4, 3), 0),
            (9, 8, (8,), 1),
            (64, 8, (8,) * 8, 0),
        ],
    )
    def test_lets_nobody_sit_out_who_need_not(
        self, players: int, seats: int, sizes: tuple[int, ...], byes: int
    ) -> None:
        assert (layout(players, seats).sizes, layout(players, seats).byes) == (sizes, byes)

    def test_takes_everybody_to_tables_of_so_many_seats_or_one_less(self) -> None:
        for seats in range(2, 9):
            for players in range(2, 300):
                plan = layout(players, seats)
                most = min(seats, players)
                assert sum(plan.sizes) + plan.byes == players
                assert set(plan.sizes) <= {most, most - 1} - {1}
                assert plan.byes < most
                assert list(plan.sizes) == sorted(plan.sizes, reverse=True)
