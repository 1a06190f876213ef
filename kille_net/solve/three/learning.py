"""How three play a hand against each other, found by playing it over and over.

Owns the learning (CFR+: Tammelin, *Solving Large Imperfect Information Games Using CFR+*) and the last touch by
Newton's method: whoever mixes must not care, and these are equations. Three seats may have many equilibria, and nothing
promises that learning comes to rest at one; how far it is from one is `gaps`, and `answering` measures that again.

A *plan* says of each question of a seat how likely it takes the second of its two actions.
"""

from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kille_net.game.rules import Seat
from kille_net.solve.three.growing import SEATS, Grown, Side

__all__ = ["Game", "Plans", "Regrets", "learn", "settle"]

Array: TypeAlias = NDArray[np.float64]
Plans: TypeAlias = tuple[Array, Array, Array]
Regrets: TypeAlias = tuple[Array, Array, Array]
"""By seat: by question and action, how much more that would have gained so far; never less than nothing."""

_ACTIONS: Final = 2
_RARE: Final = 6.0
"""What is done less often than so many times in all rounds by who has learned is a rest of the beginning."""
_STEP: Final = 1e-4
_NOTHING: Final = 1e-15
_MOST_STEPS: Final = 12
_MOST_TOUCHES: Final = 30
_TREMBLE: Final = 1e-3


class _Tree:
    """The questions of one seat, level by level."""

    def __init__(self, side: Side) -> None:
        questions = side.questions
        assert all(len(q.actions) == _ACTIONS and q.first == 1 + _ACTIONS * k for k, q in enumerate(questions))
        self.number: Final = len(questions)
        levels = np.array([question.level for question in questions])
        before = np.array([question.before for question in questions])
        self._levels: Final = [(at := np.flatnonzero(levels == k), before[at]) for k in range(levels.max() + 1)]

    def reach(self, plan: Array) -> Array:
        """How far the seat comes, by sequence."""
        reached = np.ones(1 + _ACTIONS * self.number)
        both = reached[1:].reshape(-1, _ACTIONS)
        for at, before in self._levels:
            both[at, 0] = reached[before] * (1 - plan[at])
            both[at, 1] = reached[before] * plan[at]
        return reached

    def back(self, gains: Array, plan: Array | None = None) -> tuple[Array, float]:
        """What each action gains by question, and what all comes to, where the seat goes on by the plan, or as well as
        it can.
        """
        gains = gains.copy()
        both = gains[1:].reshape(-1, _ACTIONS)
        for at, before in reversed(self._levels):
            here = both[at]
            value = here.max(axis=1) if plan is None else here[:, 0] + plan[at] * (here[:, 1] - here[:, 0])
            np.add.at(gains, before, value)
        return both, float(gains[0])


class Game:
    """A hand, to be played for whatever its ends are worth."""

    def __init__(self, grown: Grown) -> None:
        self.trees: Final = tuple(_Tree(side) for side in grown.sides)
        self._sequences: Final = [np.ascontiguousarray(grown.sequences[:, seat]) for seat in SEATS]
        self._ends: Final = grown.ends

    def worth(self, of_ends: Array) -> Array:
        """Seats by rows, of the worth of ends: ends by seats."""
        return np.ascontiguousarray((self._ends @ of_ends).T)

    def gains(self, seat: Seat, worth: Array, reached: Sequence[Array]) -> Array:
        """What each sequence of a seat gains, where the others come so far."""
        one, two = (other for other in SEATS if other != seat)
        weights = worth[seat] * reached[one][self._sequences[one]] * reached[two][self._sequences[two]]
        gains: Array = np.bincount(self._sequences[seat], weights, len(reached[seat])).astype(np.float64, copy=False)
        return gains

    def reach(self, plans: Plans) -> list[Array]:
        return [tree.reach(plan) for tree, plan in zip(self.trees, plans, strict=True)]

    def values(self, worth: Array, plans: Plans) -> Array:
        """What the hand is worth to each seat."""
        reached = self.reach(plans)
        return np.array([self.gains(seat, worth, reached) @ reached[seat] for seat in SEATS])

    def gaps(self, worth: Array, plans: Plans) -> Array:
        """How much more than that a best answer gets, by seat."""
        reached = self.reach(plans)
        found = []
        for seat in SEATS:
            gains = self.gains(seat, worth, reached)
            found.append(self.trees[seat].back(gains)[1] - gains @ reached[seat])
        return np.array(found)

    def advantages(self, worth: Array, plans: Plans) -> list[Array]:
        """By seat and question, how much more the second action gains than the first."""
        reached = self.reach(plans)
        both = [self.trees[seat].back(self.gains(seat, worth, reached), plans[seat])[0] for seat in SEATS]
        return [gained[:, 1] - gained[:, 0] for gained in both]


def _plans(of: Sequence[Array]) -> Plans:
    first, middle, dealer = of
    return first, middle, dealer


def learn(game: Game, worth: Array, rounds: int, regrets: Regrets | None = None) -> tuple[Plans, Regrets]:
    """What the three play on average over so many rounds, the late ones counting most."""
    if regrets is None:
        regrets = _plans([np.zeros((tree.number, _ACTIONS)) for tree in game.trees])
    plans = [_plan(of_seat) for of_seat in regrets]
    reached = game.reach(_plans(plans))
    played = [np.zeros_like(far) for far in reached]
    for number in range(1, rounds + 1):
        for seat, tree in enumerate(game.trees):
            both, _ = tree.back(game.gains(seat, worth, reached), plans[seat])
            value = both[:, 0] + plans[seat] * (both[:, 1] - both[:, 0])
            np.maximum(regrets[seat] + both - value[:, None], 0.0, out=regrets[seat])
            plans[seat] = _plan(regrets[seat])
            reached[seat] = tree.reach(plans[seat])
            played[seat] += number**2 * reached[seat]
    return _plans([_plan(far[1:].reshape(-1, _ACTIONS)) for far in played]), regrets


def _plan(weights: Array) -> Array:
    """Each action as often as its weight says; where it says nothing, as often as the other."""
    total = weights.sum(axis=1)
    return np.where(total > 0, weights[:, 1] / np.where(total > 0, total, 1.0), 0.5)


# --- the last touch ---------------------------------------------------------------------------------------------------


def settle(game: Game, worth: Array, learned: Plans, rounds: int) -> Plans:
    """The equilibrium that the plans are close to, if Newton's method finds it; otherwise the plans, without whims
    where nobody comes. `rounds`: how long it took to learn them.
    """
    plans = _plans([plan.copy() for plan in learned])
    free = _round(game, worth, plans, _RARE / rounds)
    turned: set[tuple[Seat, int]] = set()
    for _ in range(_MOST_TOUCHES):
        _level(game, worth, plans, free)
        advantages = game.advantages(worth, plans)
        free = [(seat, k) for seat, k in free if 0.0 < plans[seat][k] < 1.0]
        wrong = [
            (seat, int(k))
            for seat in SEATS
            for k in np.flatnonzero((advantages[seat] > 0) != (plans[seat] > 0))  # a whim is no error
            if (seat, int(k)) not in free and abs(advantages[seat][k]) > _NOTHING
        ]
        if not wrong:
            break
        for seat, k in wrong:
            if (seat, k) in turned:  # it is wrong either way
                plans[seat][k] = 0.5
                free.append((seat, k))
            else:
                plans[seat][k] = float(advantages[seat][k] > 0)
        turned.update(wrong)
    better = game.gaps(worth, plans).max() <= game.gaps(worth, learned).max()
    return _where_nobody_comes(game, worth, plans if better else learned)


def _round(game: Game, worth: Array, plans: Plans, rare: float) -> list[tuple[Seat, int]]:
    """Make the plans sure where they are all but sure, and where the seat does not come; where they mix is left."""
    free = []
    advantages = game.advantages(worth, plans)
    for seat, (plan, reached) in enumerate(zip(plans, game.reach(plans), strict=True)):
        comes = reached[1:].reshape(-1, _ACTIONS).sum(axis=1) > rare
        mixes = comes & (plan > rare) & (plan < 1 - rare) & (advantages[seat] != 0)
        free += [(seat, int(k)) for k in np.flatnonzero(mixes)]
        sure = np.where(comes, plan > 0.5, advantages[seat] > 0)  # noqa: PLR2004  oftener than not
        plan[~mixes] = sure[~mixes]
    return free


def _level(game: Game, worth: Array, plans: Plans, free: Sequence[tuple[Seat, int]]) -> None:
    """Newton's method, until who mixes does not care."""

    def advantages() -> Array:
        found = game.advantages(worth, plans)
        return np.array([found[seat][k] for seat, k in free])

    for _ in range(_MOST_STEPS if free else 0):
        here = advantages()
        if np.abs(here).max() <= _NOTHING:
            break
        slopes = np.empty((len(free), len(free)))
        for column, (seat, k) in enumerate(free):
            was = plans[seat][k]
            step = _STEP if was < 0.5 else -_STEP  # noqa: PLR2004  away from the nearer end
            plans[seat][k] = was + step
            slopes[:, column] = (advantages() - here) / step
            plans[seat][k] = was
        moves = np.linalg.lstsq(slopes, -here, rcond=None)[0]
        for (seat, k), move in zip(free, moves, strict=True):
            plans[seat][k] = min(max(plans[seat][k] + move, 0.0), 1.0)


def _where_nobody_comes(game: Game, worth: Array, plans: Plans) -> Plans:
    """The best for who comes to a question only because the hand of another trembles."""
    settled = [plan.copy() for plan in plans]
    for seat in reversed(SEATS):
        others = game.gains(seat, np.ones_like(worth), game.reach(_plans(settled)))
        shaken = _plans([plan + _TREMBLE * (1 - 2 * plan) for plan in settled])
        both, _ = game.trees[seat].back(game.gains(seat, worth, game.reach(shaken)))
        comes = game.trees[seat].back(others)[0].max(axis=1) > 0
        settled[seat] = np.where(comes, settled[seat], both[:, 1] > both[:, 0])
    return _plans(settled)
