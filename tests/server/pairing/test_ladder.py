"""The open ladder: whoever is free plays, soon, and with those of about their strength."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kille_net.server.pairing.ladder import Free, paired

NEVER = 1e9


def free(name: str, rating: float = 0.0, waited: float = 0.0, last: str = "") -> Free:
    return Free(entrant=name, rating=rating, waited=waited, last=frozenset(last))


def sets(tables: list[tuple[str, ...]]) -> set[frozenset[str]]:
    return {frozenset(table) for table in tables}


@given(
    st.lists(st.tuples(st.floats(-50, 50), st.floats(0, 100)), max_size=30),
    st.integers(2, 8),
    st.sampled_from([0.0, 50.0, NEVER]),
)
def test_as_many_play_as_can_and_who_has_waited_longest_does(
    waiting: list[tuple[float, float]], seats: int, patience: float
) -> None:
    those = [free(str(number), rating, waited) for number, (rating, waited) in enumerate(waiting)]
    tables = paired(those, seats, patience)
    playing = [one for table in tables for one in table]
    assert len(playing) == len(set(playing)) <= len(those)
    assert all(2 <= len(table) <= seats for table in tables)
    assert sum(len(table) < seats for table in tables) <= 1
    left = [one for one in those if one.entrant not in playing]
    assert len(left) < seats
    if tables:
        assert max(those, key=lambda one: one.waited).entrant in playing
    if len(left) >= 2:
        assert all(one.waited < patience for one in left)


@pytest.mark.parametrize("seats", [2, 4, 8])
@pytest.mark.parametrize("seed", range(3))
def test_nobody_starves(seats: int, seed: int) -> None:
    """However many come, and however near each other those are: one table begins at a time."""
    random = Random(seed)
    waiting = {str(number): (random.gauss(25, 8), 0) for number in range(seats * 3)}
    waiting["far"] = (900.0, 0)
    come = 0
    for turn in range(300):
        those = [free(name, rating, waited=turn - since) for name, (rating, since) in waiting.items()]
        table = paired(those, seats, NEVER)[0]
        for name in table:
            _, since = waiting.pop(name)
            assert turn - since <= seats * 3
        for _ in table:
            come += 1
            waiting[f"n{come}"] = (random.gauss(25, 8), turn)
    assert "far" not in waiting


def test_who_has_waited_long_plays_at_a_smaller_table() -> None:
    two = [free("a", waited=59), free("b", waited=3)]
    assert paired(two, 4, 60) == []
    assert sets(paired([free("a", waited=60), two[1]], 4, 60)) == {frozenset("ab")}
    assert paired([free("a", waited=NEVER)], 4, 60) == []


def test_the_nearest_ones_meet() -> None:
    those = [free("a", 10, waited=5), free("b", 90), free("c", 12), free("d", 88), free("e", 11), free("f", 91)]
    assert sets(paired(those, 3, NEVER)) == {frozenset("ace"), frozenset("bdf")}


@pytest.mark.parametrize(
    ("last", "seats"),
    [
        (("ab", "ab", "", ""), 2),
        (("ab", "ab", ""), 2),
        (("ab", "ab", "cd", "cd"), 2),
        (("", "bc", "bc", ""), 2),
        (("abc", "abc", "abc", ""), 3),
        (("abc", "abc", "abc", "def", "def", "def"), 3),
    ],
)
def test_the_same_table_does_not_meet_again_where_there_is_another(last: tuple[str, ...], seats: int) -> None:
    those = [free("abcdef"[at], float(at), 9.0 - at, before) for at, before in enumerate(last)]
    tables = sets(paired(those, seats, NEVER))
    assert len(tables) == len(last) // seats
    assert not tables & {frozenset(one) for one in last}


@pytest.mark.parametrize("also", [[], [free("e", 5.0)]])
def test_nor_where_others_have_the_better_mates(also: list[Free]) -> None:
    those = [free("a", 0.0, 9.0), free("d", 0.1), free("b", 5.0, 8.0, "bc"), free("c", 5.0, 7.0, "bc"), *also]
    tables = sets(paired(those, 2, NEVER))
    assert len(tables) == 2
    assert frozenset("bc") not in tables


def test_the_same_table_meets_again_where_nobody_else_is_free() -> None:
    assert sets(paired([free("a", last="ab"), free("b", last="ab")], 2, NEVER)) == {frozenset("ab")}


def test_everybody_sits_where_they_have_sat_seldom() -> None:
    had = {"a": (3, 0, 1), "b": (0, 2, 2), "c": (1, 1, 0)}
    those = [Free(entrant=name, rating=0, waited=0, places=places) for name, places in had.items()]
    assert paired(those, 3, NEVER) == [("b", "a", "c")]


def test_at_tables_that_there_are_not_is_refused() -> None:
    with pytest.raises(ValueError, match="2 to 8 seats"):
        paired([], 9, NEVER)
