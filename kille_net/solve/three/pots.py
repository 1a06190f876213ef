"""What a pot is worth to three who play as they have learned, by lives.

Owns the recursion from hand to hand: lives, the deal that moves on (S4), and the two who are left, who play perfectly
(`solve.values`). Refuses to know how a hand is played (`learning`).

Asks for better cards are left out. The dealer refuses every ask, the middle seat too, and nobody makes anything of it;
so an ask changes nothing, and who knows that need not ask: whatever is an equilibrium without asks is one with them.
`answering`, which asks and accepts, holds the result to that.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby, product
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kille_net.solve.three.growing import ENDS, SEATS
from kille_net.solve.three.learning import Game, Plans, Regrets, learn, settle
from kille_net.solve.values import Lives as LivesOfTwo

__all__ = ["Lives", "Pot", "Values", "pot", "worth_of_ends"]

Array: TypeAlias = NDArray[np.float64]
Lives: TypeAlias = tuple[int, int, int]
"""Of the first to speak, of the middle seat, of the dealer."""
Values: TypeAlias = Mapping[Lives, Array]
"""By lives the chance to win the pot, by seat."""

_CLOSE: Final = 1e-12
_MOST_ROUNDS: Final = 20
_FIRST_ROUNDS: Final = 300
_MORE: Final = 3


@dataclass(frozen=True, slots=True)
class Pot:
    values: Values
    plans: Mapping[Lives, Plans]
    gaps: Mapping[Lives, Array]
    """By seat, how much more a best answer gets in one hand, where all goes on as before after it."""
    residual: float
    """By how much a further round of the iteration changes a value at most."""


def worth_of_ends(values: Values, two: Mapping[LivesOfTwo, float], lives: Lives) -> Array:
    """Ends by seats: the chance to win the pot after each end of a hand on these lives."""
    found = np.zeros((ENDS, len(SEATS)))
    for end in range(ENDS):
        left = [number - (end >> seat & 1) for seat, number in enumerate(lives)]
        # The deal moves on to the next with lives, and whoever is left of that seat speaks first (S4).
        match [seat for seat in SEATS if left[seat]]:
            case [winner]:
                found[end, winner] = 1.0
            case [dealer, first]:
                found[end, first] = two[left[first], left[dealer]]
                found[end, dealer] = 1 - found[end, first]
            case _:
                first, middle, dealer = 1, 2, 0
                found[end, [first, middle, dealer]] = values[left[first], left[middle], left[dealer]]
    return found


def pot(game: Game, two: Mapping[LivesOfTwo, float], *, lives: int, rounds: int) -> Pot:
    """Value iteration over the lives; `two`: the values of a pot of two; `rounds`: of learning a hand, at most."""
    most = range(1, lives + 1)
    states: list[Lives] = sorted(product(most, most, most), key=sum)
    values: dict[Lives, Array] = {state: np.full(len(SEATS), 1 / len(SEATS)) for state in states}
    plans: dict[Lives, Plans] = {}
    for _, group in groupby(states, key=sum):
        alike = list(group)
        for _ in range(_MOST_ROUNDS):
            before = dict(values)
            for state in alike:
                worth = game.worth(worth_of_ends(values, two, state))
                if state not in plans:
                    plans[state] = _play(game, worth, rounds)
                elif game.gaps(worth, plans[state]).max() > _CLOSE:
                    plans[state] = settle(game, worth, plans[state], rounds)
                values[state] = game.values(worth, plans[state])
            if max(np.abs(values[state] - before[state]).max() for state in alike) <= _CLOSE:
                break
    gaps = {}
    residual = 0.0
    for state in states:
        worth = game.worth(worth_of_ends(values, two, state))
        gaps[state] = game.gaps(worth, plans[state])
        residual = max(residual, float(np.abs(game.values(worth, plans[state]) - values[state]).max()))
    return Pot(values, plans, gaps, residual)


def _play(game: Game, worth: Array, rounds: int) -> Plans:
    """Learn until Newton's method finds the rest, for so many rounds at most."""
    regrets: Regrets | None = None
    span = _FIRST_ROUNDS
    while True:
        span = min(span, rounds)
        learned, regrets = learn(game, worth, span, regrets)
        plans = settle(game, worth, learned, span)
        rounds -= span
        if rounds <= 0 or game.gaps(worth, plans).max() <= _CLOSE:
            return plans
        span *= _MORE
