"""How strong everybody is, by the finishing order of matches: the model of Plackett and Luce after Weng and Lin.

Owns which results are rated, why others are not, and what a result does to ratings. Refuses to know names, and where
results come from.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist
from typing import Final, TypeAlias

from openskill.models import PlackettLuce

from kille_net.intervals import CONFIDENCE

__all__ = [
    "NEW",
    "Rating",
    "Result",
    "Sitting",
    "Unrated",
    "Who",
    "after",
    "ratings",
    "why_seat_unrated",
    "why_unrated",
]

Who: TypeAlias = str
"""A person, a bot, or all computers of one level, which play alike: the same at every table."""

_WANDERS: Final = 25 / 600
"""The standard deviation by which a strength changes from one match to the next: one whole point in 576 matches. More
would keep the ratings of bots, which play a thousand matches in a night, from ever becoming certain; less, that of
somebody who learns, or of a bot that is improved, from following.
"""
_MODEL: Final = PlackettLuce(limit_sigma=True, tau=_WANDERS, gamma=lambda *_, **__: 1.0)
"""No result makes a rating less certain, so that a win never lowers what is shown of it. Each takes away as much of the
uncertainty as it has information, where the model by itself lets it take the less the surer a rating is (gamma of Weng
and Lin), after which no number of matches tells neighbours apart.
"""
_SIGMAS: Final = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
"""1.96: the interval holds the strength with the confidence that an arena has, too."""
_FEWEST: Final = 2
"""To be compared."""


@dataclass(frozen=True, slots=True)
class Rating:
    mu: float = _MODEL.mu
    sigma: float = _MODEL.sigma
    matches: int = 0

    @property
    def low(self) -> float:
        """What tables are ordered by: who has played little is not above who has shown much."""
        return self.mu - _SIGMAS * self.sigma

    @property
    def high(self) -> float:
        return self.mu + _SIGMAS * self.sigma


NEW: Final = Rating()


class Unrated(StrEnum):
    """Why a result says nothing of how strong somebody is."""

    BROKEN_OFF = "broken_off"
    STOOD_IN = "stood_in"
    """A computer played for somebody: that seat does not count, the others do."""
    TWICE = "twice"
    """One person or bot had two seats."""
    TOO_FEW = "too_few"
    """Nobody is left to be compared with."""


@dataclass(frozen=True, slots=True)
class Sitting:
    who: Who
    place: int | None
    """From 1, ties sharing one; None: the match was broken off."""
    stood_in: bool = False
    """A computer has played for them, if only once."""
    computer: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    format: str
    sittings: tuple[Sitting, ...]


def why_unrated(result: Result) -> Unrated | None:
    """Why the whole result is not rated."""
    if any(one.place is None for one in result.sittings):
        return Unrated.BROKEN_OFF
    people = [one.who for one in result.sittings if not one.computer]
    if len(set(people)) < len(people):
        return Unrated.TWICE
    if _identities(result.sittings) < _FEWEST:
        return Unrated.TOO_FEW
    return Unrated.STOOD_IN if _identities(_counting(result)) < _FEWEST else None


def why_seat_unrated(result: Result, seat: int) -> Unrated | None:
    """Why it does nothing to the rating of who sat there."""
    why = why_unrated(result)
    return Unrated.STOOD_IN if why is None and result.sittings[seat].stood_in else why


def ratings(results: Iterable[Result]) -> dict[str, dict[Who, Rating]]:
    """By format, of all who have a rated result; the results in the order in which they came about."""
    found: dict[str, dict[Who, Rating]] = defaultdict(dict)
    for result in results:
        found[result.format].update(after(result, found[result.format]))
    return {format_: of_all for format_, of_all in found.items() if of_all}


def after(result: Result, before: dict[Who, Rating]) -> dict[Who, Rating]:
    """The ratings of all whom the result says something of; who is not in `before` is new.

    Who had several seats is moved by the mean of what each would have done.
    """
    if why_unrated(result) is not None:
        return {}
    seats = sorted(_counting(result), key=lambda one: (one.place, one.who))  # sums of floats depend on their order
    teams = [[_MODEL.rating(old.mu, old.sigma)] for one in seats for old in [before.get(one.who, NEW)]]
    moved: dict[Who, list[tuple[float, float]]] = defaultdict(list)
    for one, (new,) in zip(seats, _MODEL.rate(teams, ranks=[float(one.place or 0) for one in seats]), strict=True):
        moved[one.who].append((new.mu, new.sigma))
    means = {who: [_mean(numbers) for numbers in zip(*each, strict=True)] for who, each in moved.items()}
    return {who: Rating(mu, sigma, before.get(who, NEW).matches + 1) for who, (mu, sigma) in means.items()}


def _counting(result: Result) -> list[Sitting]:
    return [one for one in result.sittings if not one.stood_in]


def _identities(sittings: Iterable[Sitting]) -> int:
    return len({one.who for one in sittings})


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)
