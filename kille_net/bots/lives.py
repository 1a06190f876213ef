"""What lives are worth: how likely a seat is the last with lives.

Owns a model of the hands to come: so many seats lose a life in each of them, as often as at a table of sharp players,
and whoever they are is as likely as all others. Refuses to know who speaks first, and cards.
"""

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Final, TypeAlias

__all__ = ["LOSERS", "Lives", "chance"]

Lives: TypeAlias = tuple[int, ...]

LOSERS: Final[Mapping[int, tuple[float, ...]]] = {
    2: (0.980,),
    3: (0.782, 0.216),
    4: (0.720, 0.259, 0.021),
    5: (0.673, 0.295, 0.031, 0.001),
    6: (0.624, 0.329, 0.045, 0.002),
    7: (0.578, 0.354, 0.063, 0.004),
    8: (0.535, 0.378, 0.081, 0.006),
}
"""How often one seat, two, three… lose a life in a hand, by the seats in it."""

_MOST: Final = 24
"""Lives of a whole table, up to which hands to come are counted; beyond, the share of the lives is near enough."""


def chance(own: int, others: Lives) -> float:
    """That who has so many lives is the last with lives; `others`: those of the other seats, none of them 0."""
    if not own:
        return 0.0
    if not others:
        return 1.0
    if own + sum(others) > _MOST:
        return own / (own + sum(others))
    return _chance(own, tuple(sorted(others)))


@lru_cache(maxsize=1 << 16)
def _chance(own: int, others: Lives) -> float:
    losers = LOSERS[1 + len(others)]
    before = (own, *others)
    total = 0.0
    for number, often in enumerate(losers, 1):
        after = Counter(
            tuple(lives - (place in lost) for place, lives in enumerate(before))
            for lost in combinations(range(len(before)), number)
        )
        worth = sum(
            times * chance(left, tuple(lives for lives in rest if lives)) for (left, *rest), times in after.items()
        )
        total += often * worth / comb(len(before), number)
    return total / sum(losers)
