"""Knock-out: from 2 to 256 players to one who has won."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kille_net.server.pairing.knock_out import next_round, stage, still_in
from kille_net.server.pairing.tables import Entrant, Round

SHAPES = [(seats, through) for seats in range(2, 9) for through in range(1, seats // 2 + 1)]


def names(players: int) -> list[str]:
    return [f"p{number}" for number in range(players)]


def check(round_: Round, entrants: list[Entrant], seats: int, through: int) -> None:
    """What holds for every round, the best seed first."""
    sat = [one for table in round_.tables for one in table]
    assert sorted([*sat, *round_.byes]) == sorted(entrants)
    assert list(round_.byes) == entrants[: len(round_.byes)]
    assert all(2 <= len(table) <= seats for table in round_.tables)
    best = entrants[len(round_.byes) :][: len(round_.tables)]
    assert all(len(set(table) & set(best)) == 1 for table in round_.tables), "the best seeds sit apart"
    sizes = [len(table) for table in round_.tables]
    assert max(sizes) - min(sizes) <= 1
    if len(entrants) > seats:
        assert min(sizes) > through


@pytest.mark.parametrize(("seats", "through"), SHAPES)
def test_of_2_to_256_players_ends_in_one_final_which_the_best_seeds_reach(seats: int, through: int) -> None:
    for players in (*range(2, 40), *range(40, 250, 7), *range(250, 257)):
        left, rounds = names(players), 0
        while len(left) > 1:
            round_ = next_round(left, seats, through)
            check(round_, left, seats, through)
            assert not round_.byes or rounds == 0, "who has played waits no more"
            assert (len(round_.tables) == 1 and not round_.byes) == (len(left) <= seats)
            favourites = [sorted(table, key=left.index) for table in round_.tables]
            after = still_in(left, seats, through, round_, favourites)
            assert after == left[: len(after)], "the best seeds go on, where they win"
            left, rounds = after, rounds + 1
        assert left == ["p0"]
        assert rounds <= 8


@given(st.sampled_from(SHAPES), st.integers(2, 64), st.randoms(use_true_random=False))
def test_ends_whoever_wins_and_whoever_drops_out(shape: tuple[int, int], players: int, random: Random) -> None:
    seats, through = shape
    left = names(players)
    for _ in range(10):
        if len(left) < 2:
            break
        round_ = next_round(left, seats, through)
        check(round_, left, seats, through)
        finished = [random.sample(table, random.randint(1, len(table))) for table in round_.tables]
        after = still_in(left, seats, through, round_, finished)
        assert {one for table in finished for one in table[:1]} <= set(after)
        assert len(after) < len(left)
        left = after
    assert len(left) == 1


def test_the_tables_are_about_equally_strong() -> None:
    assert next_round(names(8), 4, 2).tables == (("p0", "p3", "p4", "p7"), ("p1", "p2", "p5", "p6"))


def test_who_have_just_met_sit_apart_where_they_can() -> None:
    first = next_round(names(16), 4, 2)
    finished = [sorted(table, key=names(16).index) for table in first.tables]
    left = still_in(names(16), 4, 2, first, finished)
    second = next_round(left, 4, 2, apart=[set(table) for table in first.tables])
    for table in second.tables:
        assert all(len(set(table) & set(before)) == 1 for before in first.tables)


@pytest.mark.parametrize(
    ("players", "sizes", "byes"),
    [(5, (3,), 2), (8, (4, 4), 0), (9, (3,), 6), (14, (4, 4, 4), 2), (16, (4, 4, 4, 4), 0), (4, (4,), 0), (1, (), 1)],
)
def test_so_many_wait_that_the_next_round_is_full(players: int, sizes: tuple[int, ...], byes: int) -> None:
    assert (stage(players, 4, 2).sizes, stage(players, 4, 2).byes) == (sizes, byes)


@pytest.mark.parametrize(("seats", "through"), [(4, 3), (4, 0), (3, 2), (9, 2), (1, 1)])
def test_a_shape_by_which_it_would_not_end_is_refused(seats: int, through: int) -> None:
    with pytest.raises(ValueError, match=r"go on from a table of|2 to 8 seats"):
        stage(12, seats, through)
