"""An equilibrium of one hand, by linear programming over sequences of choices.

Owns the sequence form (Koller, Megiddo and von Stengel) of trees that chance deals, and its solution. A choice of a
seat that knows everything, after which nobody chooses, is no game: it takes what is best. Refuses to know the rules
(`tree`), the pack (`deals`) and what the ends are worth beyond the hand (`values`).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_matrix, csr_matrix, hstack

from kille_net.game.actions import Action
from kille_net.game.rules import Seat
from kille_net.solve.deals import Deal
from kille_net.solve.tree import DEALER, FIRST, Choice, Draw, End, Node

__all__ = ["Game", "Plan", "Seen"]

Array: TypeAlias = NDArray[np.float64]
Seen: TypeAlias = tuple[object, ...]
Plan: TypeAlias = Mapping[Seen, Mapping[Action | None, float]]
"""How likely a seat takes each action, by what it remembers and has seen."""

_Choices: TypeAlias = dict[Seen, Mapping[Action | None, float]]

_SURE: Final = 1e-9
"""Of what is all but certain no more is left."""
_TREMBLE: Final = 1e-3
_STILL: Final = 1e-13
"""By how much two may do better than an equilibrium of other worths, for it to be one of these."""


class _Side:
    """The sequences of one seat; 0 is the empty one."""

    def __init__(self) -> None:
        self.sets: dict[Seen, tuple[int, tuple[Action | None, ...], int]] = {}
        """By what is seen: the sequence before it, the actions, the sequence of the first of them; in the order in
        which they are come to.
        """
        self.number = 1

    def after(self, seen: Seen, before: int, actions: tuple[Action | None, ...]) -> range:
        """The sequences that end with each action."""
        if seen not in self.sets:
            self.sets[seen] = (before, actions, self.number)
            self.number += len(actions)
        had, _, first = self.sets[seen]
        assert had == before, "a seat never forgets what it has done"
        return range(first, first + len(actions))

    def constraints(self) -> coo_matrix:
        """A row for the beginning, which is 1, and one a set: what goes in comes out."""
        rows, columns, entries = [0], [0], [1.0]
        for row, (before, actions, first) in enumerate(self.sets.values(), start=1):
            rows += [row] * (len(actions) + 1)
            columns += [before, *range(first, first + len(actions))]
            entries += [-1.0] + [1.0] * len(actions)
        return coo_matrix((entries, (rows, columns)), shape=(len(self.sets) + 1, self.number))

    def best(self, gains: Array) -> float:
        """The most that a plan makes of what each sequence gains."""
        gains = gains.copy()
        for before, actions, first in reversed(self.sets.values()):
            gains[before] += gains[first : first + len(actions)].max()
        return float(gains[0])

    def uniform(self) -> Array:
        """How far a seat comes that takes every action as often as the others."""
        reached = np.ones(self.number)
        for before, actions, first in self.sets.values():
            reached[first : first + len(actions)] = reached[before] / len(actions)
        return reached

    def reach(self, plan: Plan) -> Array:
        """How far a seat comes that plays so."""
        reached = np.ones(self.number)
        for seen, (before, actions, first) in self.sets.items():
            reached[first : first + len(actions)] = reached[before] * np.array([plan[seen][a] for a in actions])
        return reached

    def choose(self, reached: Array, gains: Array, trembling: Array) -> _Choices:
        """What a seat chooses that comes so far, given what each sequence gains; where that tells none of its actions
        from another, it takes the one that gains most when the other's hand trembles.
        """
        gains, trembling = gains.copy(), trembling.copy()
        plan: _Choices = {}
        for seen, (before, actions, first) in reversed(self.sets.items()):
            here = slice(first, first + len(actions))
            shares = np.clip(reached[here], 0.0, None)
            if shares.max() < (1 - _SURE) * shares.sum() and gains[here].any():
                shares /= shares.sum()  # it mixes, and the other may come there
            else:
                best = gains[here] >= gains[here].max() - _STILL
                shares = np.eye(len(actions))[np.where(best, trembling[here], -np.inf).argmax()]
            gains[before] += gains[here].max()
            trembling[before] += trembling[here].max()
            plan[seen] = dict(zip(actions, shares.tolist(), strict=True))
        return plan


@dataclass(frozen=True, slots=True)
class _Cell:
    """Where nobody chooses any more but a seat that knows everything."""

    sequences: tuple[int, int]
    weight: float
    seat: Seat
    """Who takes one of these ends."""
    ends: tuple[int, ...]


class Game:
    """A hand of two in one situation, to be solved for whatever its ends are worth."""

    def __init__(self, deals: Iterable[Deal]) -> None:
        deals = list(deals)
        self._sides: Final = (_Side(), _Side())
        self._histories: Final = Counter(
            (choice.seat, deal.thrown[choice.seat] + choice.seen)
            for deal in deals
            for choice in _choices(deal.tree.root)
        )
        self._draws: list[tuple[Deal, Draw | End]] = []
        self._cells: list[_Cell] = []
        self._folded: list[tuple[Choice, Seen, tuple[int, ...]]] = []
        for deal in deals:
            self._add(deal, deal.tree.root, (0, 0))
        self._chances: Final = _chances(self._draws)
        self._rows: Final = np.array([cell.sequences[FIRST] for cell in self._cells])
        self._columns: Final = np.array([cell.sequences[DEALER] for cell in self._cells])
        self._weights: Final = np.array([cell.weight for cell in self._cells])
        self._is_dealers: Final = np.array([cell.seat == DEALER for cell in self._cells])
        most = max(len(cell.ends) for cell in self._cells)
        self._options: Final = np.array([cell.ends + cell.ends[:1] * (most - len(cell.ends)) for cell in self._cells])
        self._reached: tuple[Array, Array] | None = None

    def _add(self, deal: Deal, node: Node, at: tuple[int, int]) -> None:
        if not isinstance(node, Choice):
            self._cells.append(_Cell(at, deal.weight, FIRST, (self._end(deal, node),)))
            return
        seen = deal.thrown[node.seat] + node.seen
        ends = [branch for branch in node.branches if not isinstance(branch, Choice)]
        if self._histories[node.seat, seen] == 1 and len(ends) == len(node.branches):
            rows = tuple(self._end(deal, end) for end in ends)
            self._cells.append(_Cell(at, deal.weight, node.seat, rows))
            self._folded.append((node, seen, rows))
            return
        sequences = self._sides[node.seat].after(seen, at[node.seat], node.actions)
        for sequence, branch in zip(sequences, node.branches, strict=True):
            self._add(deal, branch, (sequence, at[DEALER]) if node.seat == FIRST else (at[FIRST], sequence))

    def _end(self, deal: Deal, node: Draw | End) -> int:
        self._draws.append((deal, node))
        return len(self._draws) - 1

    def value(self, worth: Sequence[float]) -> float:
        """What the hand is worth to the first to speak. `worth`: of each `End` to it; the dealer wants little of it."""
        low, scale = _scale(worth)
        first, dealer, payoff = self._reach(self._values(worth))
        return low + scale * float(first @ (payoff @ dealer))

    def plans(self, worth: Sequence[float]) -> tuple[Plan, Plan]:
        """How the first to speak and the dealer play for it."""
        values = self._values(worth)
        first, dealer, payoff = self._reach(values)
        plans = self._choose(payoff, (first, dealer))
        for node, seen, rows in self._folded:
            of_each = values[list(rows)]
            best = int(of_each.argmax() if node.seat == FIRST else of_each.argmin())
            plans[node.seat][seen] = {action: float(k == best) for k, action in enumerate(node.actions)}
        return plans

    def _choose(self, payoff: csr_matrix, reached: tuple[Array, Array]) -> tuple[_Choices, _Choices]:
        """What the two who come so far choose, also where they do not come."""
        first, dealer = (
            (1 - _TREMBLE) * far + _TREMBLE * side.uniform() for far, side in zip(reached, self._sides, strict=True)
        )
        return (
            self._sides[FIRST].choose(reached[FIRST], payoff @ reached[DEALER], payoff @ dealer),
            self._sides[DEALER].choose(reached[DEALER], -(payoff.T @ reached[FIRST]), -(payoff.T @ first)),
        )

    def _values(self, worth: Sequence[float]) -> Array:
        """Of each draw, between 0 and 1."""
        low, scale = _scale(worth)
        return self._chances @ ((np.array(worth) - low) / scale)

    def _reach(self, values: Array) -> tuple[Array, Array, csr_matrix]:
        """How far each of the two goes into each of its sequences, and what two of them are worth."""
        options = values[self._options]
        chosen = np.where(self._is_dealers, options.min(axis=1), options.max(axis=1)) * self._weights
        shape = (self._sides[FIRST].number, self._sides[DEALER].number)
        payoff = coo_matrix((chosen, (self._rows, self._columns)), shape=shape).tocsr()
        if self._reached is None or not self._is_still_one(payoff, self._reached):
            found = self._solve(payoff)
            chosen = self._choose(payoff, found)
            better = self._sides[FIRST].reach(chosen[FIRST]), self._sides[DEALER].reach(chosen[DEALER])
            self._reached = better if self._is_still_one(payoff, better) else found
        return *self._reached, payoff

    def _is_still_one(self, payoff: csr_matrix, reached: tuple[Array, Array]) -> bool:
        """Most worths that are asked about differ too little to change anything."""
        first, dealer = reached
        most = self._sides[FIRST].best(payoff @ dealer)
        least = -self._sides[DEALER].best(-(payoff.T @ first))
        return most - least <= _STILL

    def _solve(self, payoff: csr_matrix) -> tuple[Array, Array]:
        ours, theirs = (side.constraints() for side in self._sides)
        first, dealer = payoff.shape
        # The dealer's best answer to a plan costs the most of which none of its sequences costs less.
        solved = linprog(
            np.concatenate([np.zeros(first), [-1.0], np.zeros(theirs.shape[0] - 1)]),
            A_ub=hstack([-payoff.T, theirs.T]).tocsc(),
            b_ub=np.zeros(dealer),
            A_eq=hstack([ours, coo_matrix((ours.shape[0], theirs.shape[0]))]).tocsc(),
            b_eq=np.eye(ours.shape[0])[0],
            bounds=[(0, None)] * first + [(None, None)] * theirs.shape[0],
            method="highs-ds",
        )
        if solved.status:
            raise ArithmeticError(solved.message)
        return _tidy(solved.x[:first]), _tidy(-solved.ineqlin.marginals)


def _tidy(reached: Array) -> Array:
    """Without what is no more than an error of rounding."""
    return np.where(reached > _SURE, reached, 0.0)


def _scale(worth: Sequence[float]) -> tuple[float, float]:
    """The least, and how far the most is from it, so that what is at stake does not move the solver's tolerances."""
    return min(worth), max(worth) - min(worth) or 1.0


def _choices(node: Node) -> Iterator[Choice]:
    if isinstance(node, Choice):
        yield node
        for branch in node.branches:
            yield from _choices(branch)


def _chances(draws: Sequence[tuple[Deal, Draw | End]]) -> Array:
    """How likely each end is, a row a draw."""
    kinds = len(draws[0][0].unseen)
    unseen = np.array([deal.unseen for deal, _ in draws])
    ends = np.array([[node] * kinds if isinstance(node, End) else _codes(node) for _, node in draws])
    counts = np.stack([(unseen * (ends == end)).sum(axis=1) for end in End], axis=1).astype(np.float64)
    chances: Array = counts / counts.sum(axis=1, keepdims=True)
    return chances


def _codes(draw: Draw) -> list[int]:
    return [-1 if end is None else end for end in draw.ends]
