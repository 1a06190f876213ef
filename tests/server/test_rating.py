"""Ratings: what a result may do to them, and which results do nothing."""

import math
from collections.abc import Iterator, Mapping
from random import Random
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kille_net.server.rating import NEW, Rating, Result, Sitting, Unrated, after, ratings, why_seat_unrated, why_unrated

NAMES = "abcdefgh"
SIGMAS = st.floats(0.5, NEW.sigma)
ABLE = st.builds(Rating, st.floats(-50, 100), SIGMAS, st.integers(0, 1000))


def result(*places: int | None, who: str = NAMES, format_: str = "pots") -> Result:
    return Result(format_, tuple(Sitting(one, place) for one, place in zip(who, places, strict=False)))


@st.composite
def orders(draw: st.DrawFn) -> list[int]:
    """Places as a match gives them: one winner, and ties behind."""
    strength = draw(st.lists(st.integers(0, 4), min_size=1, max_size=7))
    return [1, *(2 + sum(other > own for other in strength) for own in strength)]


@given(orders(), st.lists(ABLE, min_size=8, max_size=8))
def test_winning_never_lowers_what_is_shown(places: list[int], able: list[Rating]) -> None:
    before = dict(zip(NAMES, able, strict=True))
    new = after(result(*places), before)["a"]
    assert new.low >= before["a"].low
    assert new.mu >= before["a"].mu
    assert new.matches == before["a"].matches + 1


@given(orders(), st.lists(ABLE, min_size=8, max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_the_seats_does_not_matter(places: list[int], able: list[Rating], random: Random) -> None:
    before = dict(zip(NAMES, able, strict=True))
    one = result(*places)
    other = Result(one.format, tuple(random.sample(one.sittings, len(one.sittings))))
    assert after(other, before) == after(one, before)


@given(ABLE, ABLE)
def test_who_are_equal_and_share_a_place_stay_equal(winner: Rating, equal: Rating) -> None:
    new = after(result(1, 2, 2, 2), {"a": winner, "b": equal, "c": equal, "d": equal})
    assert new["b"].mu == pytest.approx(new["c"].mu, abs=1e-9) == pytest.approx(new["d"].mu, abs=1e-9)
    assert new["b"].sigma == pytest.approx(new["c"].sigma) == pytest.approx(new["d"].sigma)
    assert new["b"].mu <= equal.mu


def test_a_shared_place_is_between_the_places_that_it_takes() -> None:
    shared = after(result(1, 2, 2), {})["b"]
    apart = after(result(1, 2, 3), {})
    assert apart["c"].mu < shared.mu < apart["b"].mu


@given(orders(), st.lists(ABLE, min_size=8, max_size=8))
def test_no_result_makes_anybody_less_certain(places: list[int], able: list[Rating]) -> None:
    before = dict(zip(NAMES, able, strict=True))
    assert all(0 < new.sigma <= before[who].sigma for who, new in after(result(*places), before).items())


@pytest.mark.parametrize("seats", [2, 3, 8])
def test_one_who_always_wins_has_a_number(seats: int) -> None:
    found = ratings([result(*range(1, seats + 1))] * 3000)["pots"]
    assert all(math.isfinite(one.low) and math.isfinite(one.high) and one.low < one.high for one in found.values())
    assert [who for who, _ in sorted(found.items(), key=lambda item: -item[1].mu)] == list(NAMES[:seats])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("seats", [2, 4, 8])
def test_among_equals_nobody_drifts_away(seats: int, seed: int) -> None:
    random = Random(seed)
    places = list(range(1, seats + 1))
    found = ratings([result(*random.sample(places, seats)) for _ in range(2000)])["pots"].values()
    assert all(abs(one.mu - NEW.mu) < 5 for one in found)
    assert abs(sum(one.mu for one in found) / seats - NEW.mu) < 1
    within = sum(one.low < NEW.mu < one.high for one in found)
    assert within >= seats - 1, "an interval of 95 % misses now and then"


def raced(strengths: Mapping[str, float], matches: int, random: Random) -> Iterator[Result]:
    """Finishing orders, by Luce's choice: who is first among those who are left, by odds of e to the strength."""
    for _ in range(matches):
        times = {who: random.expovariate(math.exp(strength)) for who, strength in strengths.items()}
        yield Result("pots", tuple(Sitting(who, 1 + sum(t < times[who] for t in times.values())) for who in times))


FIELD: Final = {"random": -0.9, "easy": -0.1, "careful": 0.3, "sharp": 0.7}
"""About as the built-in bots stand among four in an arena."""


def test_some_hundred_matches_tell_two_apart_who_differ_clearly() -> None:
    for seed in range(5):
        found = ratings(raced(FIELD, 300, Random(seed)))["pots"]
        assert found["random"].high < found["easy"].low
        assert found["random"].high + 4 < found["sharp"].low


def test_a_night_tells_neighbours_apart_and_goes_on_narrowing_for_a_thousand_matches() -> None:
    found = ratings(raced(FIELD, 1500, Random(1)))["pots"]
    assert found["careful"].high < found["sharp"].low
    assert all(1.1 < one.high - one.mu < 1.5 for one in found.values()), "as the help says"


def test_an_interval_holds_the_strength_as_often_as_it_says() -> None:
    alike = dict.fromkeys(NAMES[:4], 0.0)
    found = [one for seed in range(25) for one in ratings(raced(alike, 150, Random(seed)))["pots"].values()]
    inside = [one.low < NEW.mu < one.high for one in found]
    assert 0.9 <= sum(inside) / len(inside) < 1


def test_who_becomes_better_is_followed() -> None:
    learnt = {**FIELD, "easy": 0.7}
    for seed in range(3):
        random = Random(seed)
        played = ratings([*raced(FIELD, 1000, random), *raced(learnt, 600, random)])["pots"]
        before = ratings(raced(FIELD, 1000, Random(seed)))["pots"]["easy"]
        assert before.high < played["easy"].low
        assert abs(played["easy"].mu - played["sharp"].mu) < 2.5


def test_the_better_one_is_told_from_the_worse() -> None:
    random = Random(7)
    places = [(1, 2) if random.random() < 0.65 else (2, 1) for _ in range(400)]
    found = ratings([result(*one) for one in places])["pots"]
    assert found["a"].low > found["b"].mu


def test_formats_are_measured_apart() -> None:
    found = ratings([result(1, 2), result(2, 1, format_="sticks"), result(1, 2)])
    assert {format_: {who: one.matches for who, one in of_all.items()} for format_, of_all in found.items()} == {
        "pots": {"a": 2, "b": 2},
        "sticks": {"a": 1, "b": 1},
    }
    assert found["sticks"] == ratings([result(2, 1, format_="sticks")])["sticks"]


class TestWhatIsNotRated:
    def test_a_match_that_was_broken_off(self) -> None:
        self.check(result(None, None), Unrated.BROKEN_OFF)

    def test_one_person_at_two_seats(self) -> None:
        self.check(result(1, 2, 3, who="aba"), Unrated.TWICE)

    def test_computers_of_one_level_among_themselves(self) -> None:
        alike = tuple(Sitting("easy", place, computer=True) for place in (1, 2, 3))
        self.check(Result("pots", alike), Unrated.TOO_FEW)

    def test_two_one_of_whom_a_computer_has_played_for(self) -> None:
        self.check(Result("pots", (Sitting("a", 1), Sitting("b", 2, stood_in=True))), Unrated.STOOD_IN)

    def check(self, of: Result, why: Unrated) -> None:
        assert why_unrated(of) is why
        assert after(of, {}) == {}
        assert ratings([of]) == {}


def test_who_was_stood_in_for_neither_gains_nor_loses_and_nobody_by_them() -> None:
    three = Result("pots", (Sitting("a", 2), Sitting("b", 1, stood_in=True), Sitting("c", 3)))
    assert why_unrated(three) is None
    assert [why_seat_unrated(three, seat) for seat in range(3)] == [None, Unrated.STOOD_IN, None]
    assert after(three, {}) == after(result(1, 2, who="ac"), {})


def test_computers_of_one_level_are_one_who_is_moved_by_the_mean() -> None:
    seats = (Sitting("a", 1), *(Sitting("easy", place, computer=True) for place in (2, 3, 4)))
    apart = after(result(1, 2, 3, 4), {})
    new = after(Result("pots", seats), {})
    assert new["a"] == apart["a"]
    assert new["easy"].mu == pytest.approx(sum(apart[who].mu for who in "bcd") / 3)
    assert new["easy"].matches == 1
