"""Means with intervals: how sure one may be of an average of few or many values.

Owns Student's t and what to say where it says nothing. Refuses to know what the values are. Never gives a number that
is not finite.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import cos, fsum, pi, sin, sqrt, tan
from statistics import NormalDist
from typing import Final

__all__ = ["CONFIDENCE", "Estimate", "estimate", "half_width", "means_of_both", "t_quantile"]

CONFIDENCE: Final = 0.95
_SERIES_TO: Final = 200
"""Degrees of freedom up to which the exact series is summed; beyond, an expansion is as good."""
_LEAST: Final = 2
"""Values that an interval needs."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean, and the interval that holds the true one in CONFIDENCE of all runs."""

    count: int
    mean: float | None
    """None: no values."""
    low: float | None
    """None, like `high`: not enough values to say."""
    high: float | None


def estimate(values: Sequence[float], least: float, most: float) -> Estimate:
    """Of independent values that lie between `least` and `most`.

    By Student's t, and never beyond where the mean can lie. Values that are all alike have no spread to go by: then
    something else may still happen as often as it can without having been seen in so many trials, and lie at either
    end.
    """
    count = len(values)
    if not count:
        return Estimate(0, None, None, None)
    mean = fsum(values) / count
    half = half_width(values)
    if half is None:
        return Estimate(count, mean, None, None)
    if max(values) == min(values):
        unseen = 1 - (1 - CONFIDENCE) ** (1 / count)
        return Estimate(count, mean, mean - unseen * (mean - least), mean + unseen * (most - mean))
    return Estimate(count, mean, min(mean, max(least, mean - half)), max(mean, min(most, mean + half)))


def half_width(values: Sequence[float]) -> float | None:
    """How far from their mean the true one lies at most, by Student's t alone: 0 where all are alike.

    None: not enough values to say.
    """
    count = len(values)
    if count < _LEAST:
        return None
    if max(values) == min(values):
        return 0.0
    mean = fsum(values) / count
    variance = fsum((value - mean) ** 2 for value in values) / (count - 1)
    return t_quantile(count - 1) * sqrt(variance / count)


@lru_cache(maxsize=256)
def t_quantile(freedom: int) -> float:
    """What |t| stays below with probability CONFIDENCE."""
    if freedom > _SERIES_TO:  # Abramowitz and Stegun, 26.7.5
        z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
        first = (z**3 + z) / 4
        second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
        return z + first / freedom + second / freedom**2
    low, high = 0.0, pi / 2
    while (middle := (low + high) / 2) not in {low, high}:
        if _within(middle, freedom) < CONFIDENCE:
            low = middle
        else:
            high = middle
    return sqrt(freedom) * tan(low)


def _within(angle: float, freedom: int) -> float:
    """The probability that |t| is below sqrt(freedom) * tan(angle) (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""
    square = cos(angle) ** 2
    odd = freedom % 2
    term = cos(angle) if odd else 1.0
    total = 0.0
    for k in range(2 + odd, freedom + 1, 2):
        total += term
        term *= square * (k - 1) / k
    return 2 / pi * (angle + sin(angle) * total) if odd else sin(angle) * total


def means_of_both(pairs: Iterable[tuple[float | None, float | None]]) -> tuple[float, float] | None:
    """Of the pairs that are whole, the mean of the first ones and that of the others; None: no pair is."""
    whole = [(one, other) for one, other in pairs if one is not None and other is not None]
    if not whole:
        return None
    return fsum(one for one, _ in whole) / len(whole), fsum(other for _, other in whole) / len(whole)
