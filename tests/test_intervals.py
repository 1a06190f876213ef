"""Intervals against numbers by hand and from the tables of Student's t."""

from math import isfinite, sqrt
from random import Random

import pytest

from kille_net.intervals import Estimate, estimate, means_of_both, t_quantile


def leaves_zero_out(estimated: Estimate) -> bool:
    return estimated.low is not None and estimated.high is not None and not estimated.low <= 0 <= estimated.high


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [
        (1, 12.7062),
        (2, 4.3027),
        (3, 3.1824),
        (4, 2.7764),
        (9, 2.2622),
        (10, 2.2281),
        (29, 2.0452),
        (30, 2.0423),
        (120, 1.9799),
        (200, 1.9719),
        (201, 1.9718),
        (1000, 1.9623),
        (10**9, 1.9600),
    ],
)
def test_the_table_of_t(freedom: int, quantile: float) -> None:
    assert t_quantile(freedom) == pytest.approx(quantile, abs=5e-5)


def test_by_hand() -> None:
    """1, 2, 3, 4: mean 2.5, variance 5/3, standard error sqrt(5/12), t with 3 degrees 3.1824."""
    got = estimate([1, 2, 3, 4], -10, 10)
    half = 3.182446 * sqrt(5 / 12)
    assert got.count == 4
    assert got.mean == 2.5
    assert got.low == pytest.approx(2.5 - half)
    assert got.high == pytest.approx(2.5 + half)
    assert leaves_zero_out(got)


def test_two_values() -> None:
    """0 and 1: mean 1/2, standard error 1/2, t 12.7062."""
    got = estimate([0, 1], -10, 10)
    assert got.low == pytest.approx(0.5 - 6.3531, abs=1e-4)
    assert got.high == pytest.approx(0.5 + 6.3531, abs=1e-4)
    assert not leaves_zero_out(got)


def test_no_interval_leaves_what_can_be() -> None:
    assert estimate([0, 1], 0, 1) == Estimate(2, 0.5, 0, 1)
    got = estimate([0, 0, 0, 4], -10, 1.5)
    assert got.low == pytest.approx(1 - 3.182446)
    assert got.high == 1.5


def test_one_value_and_none_say_nothing_of_their_spread() -> None:
    assert estimate([0.25], -1, 1) == Estimate(1, 0.25, None, None)
    assert estimate([], -1, 1) == Estimate(0, None, None, None)
    assert not leaves_zero_out(estimate([0.25], -1, 1))


def test_all_ties_leave_room_for_what_has_not_been_seen() -> None:
    """Ten ties: 1 - 0.05 ** (1 / 10) = 0.2589 of something else may go unseen, at either end."""
    got = estimate([0.0] * 10, -2, 2)
    assert got.mean == 0
    assert got.low == pytest.approx(-0.5177, abs=1e-4)
    assert got.high == pytest.approx(0.5177, abs=1e-4)


def test_one_sided_results_are_believed_by_their_number() -> None:
    """All that can be had, three times: 1 - 0.05 ** (1 / 3) = 0.6316; zero is left out from five on."""
    got = estimate([1.0] * 3, -1, 1)
    assert (got.mean, got.high) == (1, 1)
    assert got.low == pytest.approx(1 - 2 * 0.6316, abs=1e-4)
    assert not leaves_zero_out(got)
    assert leaves_zero_out(estimate([1.0] * 5, -1, 1))


@pytest.mark.parametrize("values", [[0.1] * 7, [1e-320, 0.0], [1e100, -1e100], [0.0, -0.0], [1.0, 1.0 + 1e-16, 1.0]])
def test_nothing_is_ever_infinite_or_no_number(values: list[float]) -> None:
    got = estimate(values, -1, 1)
    assert got.mean is not None
    assert isfinite(got.mean)


def test_equal_bots_are_told_apart_no_more_often_than_promised() -> None:
    """Of 2,000 runs of 20 differences about nothing, one in twenty may leave zero out."""
    rng = Random(1)
    wrong = sum(
        leaves_zero_out(estimate([rng.choice((-1.0, -0.5, 0, 0.5, 1.0)) for _ in range(20)], -1, 1))
        for _ in range(2000)
    )
    assert 60 <= wrong <= 140


@pytest.mark.parametrize(
    ("pairs", "means"),
    [
        ([], None),
        ([(1.0, None), (None, 2.0), (None, None)], None),
        ([(1.0, 2.0), (3.0, 6.0), (100.0, None)], (2.0, 4.0)),
    ],
)
def test_means_of_both_are_of_whole_pairs_alone(
    pairs: list[tuple[float | None, float | None]], means: tuple[float, float] | None
) -> None:
    assert means_of_both(pairs) == means
