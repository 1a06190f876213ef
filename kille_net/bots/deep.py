"""The searching player: it draws deals that fit what it knows, and plays each of them on both ways.

Owns when it searches, how long, and what it makes of what it finds: the chance to be the last with lives. With two
or three left it plays as `perfect` does, and where there is nothing to weigh as `sharp` does.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import sqrt
from random import Random
from typing import Final

from kille_net.bots.base import Bot
from kille_net.bots.lives import Lives, chance
from kille_net.bots.perfect import PerfectBot
from kille_net.bots.rollouts import Ends, bare, rollouts
from kille_net.bots.sharp import weigh
from kille_net.bots.weighed import Reason
from kille_net.game.actions import Action
from kille_net.game.rules import Seat
from kille_net.game.views import View

__all__ = ["LOOKS", "DeepBot"]

LOOKS: Final = (50, 100, 200, 400, 800)
"""After so many deals it looks whether it knows enough."""
_SURE: Final = 3.0
"""It does when the difference is so many standard errors away from nothing."""


class DeepBot(Bot):
    """Where it searches a function of the view: for the same view it draws the same deals."""

    def __init__(self, rng: Random | None = None) -> None:
        """`rng`: for the whims of `perfect`; without it they are always the same."""
        self._perfect = PerfectBot(rng=rng)

    def decide(self, view: View) -> Action:
        if self._perfect.knows(view):
            return self._perfect.decide(view)
        weighed = weigh(view)
        if weighed.reason is not Reason.COSTS:
            return weighed.action
        more = _more(view)
        return Action.SWAP if more > 0 or (more == 0 and weighed.action is Action.SWAP) else Action.STAND

    def at_once(self, view: View) -> Action:
        """The answer where nobody can wait for the search."""
        return self._perfect.decide(view)

    def calls_kuku(self, view: View) -> bool:
        return self._perfect.calls_kuku(view)


def _more(view: View) -> float:
    """How much more swapping is worth than standing, in the chance to be the last with lives; 0: it cannot be told."""
    order = view.order
    assert view.seat is not None
    worth = _worth(tuple(view.lives[seat] for seat in order), order.index(view.seat))
    deals = rollouts(bare(view))
    mean = 0.0
    for number in LOOKS:
        ends = deals.ends(number)
        if len(ends) < LOOKS[0]:
            break
        mean, error = _compared(ends, worth)
        if abs(mean) > _SURE * error:
            break
    return mean


def _compared(ends: Sequence[Ends], worth: Sequence[float]) -> tuple[float, float]:
    """The mean of what swapping is worth more, and its standard error."""
    more = [worth[swapped] - worth[stood] for stood, swapped in ends]
    mean = sum(more) / len(more)
    return mean, sqrt(sum((one - mean) ** 2 for one in more)) / len(more)


@lru_cache(maxsize=1024)
def _worth(lives: Lives, own: Seat) -> tuple[float, ...]:
    """By who loses a life, as bits: the chance of the seat after that."""

    def after(lost: int) -> float:
        left = [number - (lost >> seat & 1) for seat, number in enumerate(lives)]
        return chance(left[own], tuple(number for seat, number in enumerate(left) if number and seat != own))

    return tuple(after(lost) for lost in range(1 << len(lives)))
