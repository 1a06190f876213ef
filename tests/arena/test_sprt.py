"""A sequential test: it errs no more often than it promises, ends where it must, and never fails."""

from collections.abc import Callable
from functools import partial
from math import isfinite, sqrt
from random import Random

import pytest

from kille_net.arena.sprt import Hypotheses, SequentialTest, Verdict
from kille_net.intervals import half_width

RUNS = 2000
MOST = 400
"""Values of a run that is not decided."""


def hypotheses(low: float = 0, high: float = 0.5, alpha: float = 0.05, beta: float = 0.05) -> Hypotheses:
    return Hypotheses(low=low, high=high, alpha=alpha, beta=beta)


def run(of: Hypotheses, draw: Callable[[], float], most: int = MOST) -> tuple[Verdict, int]:
    test = SequentialTest(of, -2, 2)
    for count in range(1, most + 1):
        if test.add(draw()) is not Verdict.OPEN:
            return test.verdict, count
    return Verdict.OPEN, most


def rate(of: Hypotheses, draw: Callable[[], float], verdict: Verdict) -> float:
    return sum(run(of, draw)[0] is verdict for _ in range(RUNS)) / RUNS


def allowed(nominal: float) -> float:
    """With room for the luck of so many runs: three standard deviations."""
    return nominal + 3 * sqrt(nominal * (1 - nominal) / RUNS)


def ties_mostly(rng: Random) -> float:
    return rng.choice((-1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0))


def rare_and_large(rng: Random) -> float:
    """A mean of 0 that is seldom seen: mostly a little less."""
    return 2.0 if rng.random() < 1 / 21 else -0.1


def rare_and_small(rng: Random) -> float:
    return -rare_and_large(rng)


def normal(rng: Random, mean: float) -> float:
    return max(-2.0, min(2.0, rng.gauss(mean, 0.6)))


def even(rng: Random) -> float:
    return rng.uniform(-2, 2)


LAWS = [ties_mostly, rare_and_large, rare_and_small, even]
"""All with the mean 0."""


@pytest.mark.parametrize("law", LAWS)
def test_equal_bots_are_told_apart_no_more_often_than_promised(law: Callable[[Random], float]) -> None:
    """A/A, looked at after every value."""
    rng = Random(1)
    assert rate(hypotheses(), lambda: law(rng), Verdict.H1) <= allowed(0.05)


@pytest.mark.parametrize("law", LAWS)
def test_what_is_there_is_overlooked_no_more_often_than_promised(law: Callable[[Random], float]) -> None:
    """The mean is that of H1."""
    rng = Random(2)
    assert rate(hypotheses(low=-0.5, high=0, beta=0.1), lambda: law(rng), Verdict.H0) <= allowed(0.1)


def test_looking_at_an_interval_after_every_value_would_err_far_more_often() -> None:
    """So the rate above is due to the test, and the simulation can tell."""
    rng = Random(3)

    def is_fooled() -> bool:
        values = [ties_mostly(rng) for _ in range(10)]
        for _ in range(60):
            values.append(ties_mostly(rng))
            half = half_width(values)
            assert half is not None
            if sum(values) / len(values) > half:
                return True
        return False

    assert sum(is_fooled() for _ in range(400)) / 400 > 0.08


def test_what_holds_is_found_in_about_as_many_values_as_walds_test_with_a_known_spread_needs() -> None:
    """2 ln(1/alpha) (spread/step)^2 = 216 values for a normal law of spread 0.6 and a step of 0.1."""
    rng = Random(4)
    of = hypotheses(high=0.1)
    for mean, verdict in ((0.1, Verdict.H1), (0.0, Verdict.H0)):
        draw = partial(normal, rng, mean)
        runs = [run(of, draw, 5000) for _ in range(100)]
        assert sum(one is verdict for one, _ in runs) >= 90
        assert sum(count for _, count in runs) / len(runs) < 1.3 * 216


@pytest.mark.parametrize(
    ("value", "verdict"), [(2.0, Verdict.H1), (-2.0, Verdict.H0), (0.0, Verdict.H0), (0.5, Verdict.H1)]
)
def test_one_sided_results_and_ties_end_it(value: float, verdict: Verdict) -> None:
    test = SequentialTest(hypotheses(), -2, 2)
    count = 0
    while test.add(value) is Verdict.OPEN:
        count += 1
        assert count < 100
        assert isfinite(test.for_h0)
        assert isfinite(test.for_h1)
    assert test.verdict is verdict


def test_between_the_hypotheses_it_may_stay_open_and_its_numbers_stay_finite() -> None:
    test = SequentialTest(hypotheses(), -2, 2)
    for _ in range(10_000):
        assert test.add(0.25) is Verdict.OPEN or abs(test.for_h1) > 0
    assert isfinite(test.for_h0)
    assert isfinite(test.for_h1)


def test_no_value_alone_decides() -> None:
    for value in (-2.0, 2.0):
        assert SequentialTest(hypotheses(), -2, 2).add(value) is Verdict.OPEN


def test_a_verdict_stays() -> None:
    test = SequentialTest(hypotheses(), -2, 2)
    while test.add(2.0) is Verdict.OPEN:
        pass
    for _ in range(1000):
        assert test.add(-2.0) is Verdict.H1


@pytest.mark.parametrize(
    "numbers",
    [(0.5, 0.5), (0.5, 0.0), (float("nan"), 1.0), (0.0, float("inf"))],
)
def test_hypotheses_that_cannot_be_told_apart(numbers: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="H0"):
        hypotheses(*numbers)


@pytest.mark.parametrize("rate_", [0.0, 1.0, -0.1, float("nan")])
def test_rates_that_are_none(rate_: float) -> None:
    with pytest.raises(ValueError, match="rates"):
        hypotheses(alpha=rate_)


@pytest.mark.parametrize(("low", "high"), [(-2, 0), (0, 2), (-3, 3)])
def test_hypotheses_that_leave_no_room(low: float, high: float) -> None:
    with pytest.raises(ValueError, match="bounds"):
        SequentialTest(hypotheses(low=low, high=high), -2, 2)
