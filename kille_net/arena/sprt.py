"""A sequential test of a mean: goes on until it can say, and errs no more often than it promises, whenever it stops.

Owns the test. Wald's plan ("Sequential Tests of Statistical Hypotheses", 1945), where nobody knows the spread of the
values and they follow no named law. So the likelihood ratio is a bet (Waudby-Smith and Ramdas, "Estimating Means of
Bounded Random Variables by Betting", 2024): whoever bets against a hypothesis stakes a part of what they have, chosen
before the value is seen and small enough that they can lose no more than that. While the hypothesis is true nobody
gains by it on average, and so is ever twenty times as rich with a probability of at most one in twenty (Ville, 1939).
This holds for any values between two bounds, for few of them and at every prefix. Refuses to know what the values are.
"""

from dataclasses import dataclass
from enum import StrEnum
from math import isfinite, log, log1p
from typing import Final

__all__ = ["Hypotheses", "SequentialTest", "Verdict"]

_STAKE: Final = 0.75
"""The most of what one has that a single bet may lose."""


class Verdict(StrEnum):
    """H0: the mean is at most `low`. H1: it is at least `high`. What is between may be called either."""

    OPEN = "open"
    H0 = "h0"
    H1 = "h1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypotheses:
    low: float
    high: float
    alpha: float
    """How often H1 may be accepted while H0 is true."""
    beta: float
    """How often H0 may be accepted while H1 is true."""

    def __post_init__(self) -> None:
        """Raises ValueError for what cannot be tested."""
        if not (isfinite(self.low) and isfinite(self.high) and self.low < self.high):
            raise ValueError("H0 is below H1")
        if not (0 < self.alpha < 1 and 0 < self.beta < 1):
            raise ValueError("error rates lie between 0 and 1")


class SequentialTest:
    """Takes values in, one by one. All that it decides on is what came before."""

    def __init__(self, hypotheses: Hypotheses, least: float, most: float) -> None:
        """Of values between these two. Raises ValueError unless the hypotheses leave room on both sides of them."""
        if not least < hypotheses.low < hypotheses.high < most:
            raise ValueError("the hypotheses lie between the bounds")
        self._of = hypotheses
        self._least, self._most = least, most
        self._count = 0
        self._mean = 0.0
        self._squares = 0.0
        self.for_h0 = 0.0
        """The logarithm of what a bet against H1 has come to, from 1."""
        self.for_h1 = 0.0
        """…and of one against H0."""
        self.verdict = Verdict.OPEN
        """Stays, once it is none."""

    @property
    def needed_for_h0(self) -> float:
        return -log(self._of.beta)

    @property
    def needed_for_h1(self) -> float:
        return -log(self._of.alpha)

    def add(self, value: float) -> Verdict:
        """One value more."""
        of = self._of
        step = of.high - of.low
        # The bet that would grow fastest if the mean were the other hypothesis' and the spread that of the values so
        # far, before which half the distance of the bounds is assumed.
        variance = ((self._most - self._least) ** 2 / 4 + self._squares) / (self._count + 1)
        bet = step / (variance + step**2)
        self.for_h1 += log1p(min(bet, _STAKE / (of.low - self._least)) * (value - of.low))
        self.for_h0 += log1p(min(bet, _STAKE / (self._most - of.high)) * (of.high - value))
        self._count += 1
        off = value - self._mean
        self._mean += off / self._count
        self._squares += off * (value - self._mean)
        if self.verdict is Verdict.OPEN:
            if self.for_h1 >= self.needed_for_h1:
                self.verdict = Verdict.H1
            elif self.for_h0 >= self.needed_for_h0:
                self.verdict = Verdict.H0
        return self.verdict
