"""What a hand, a pot and a whole match are worth to two who play perfectly.

Owns the recursion from hand to hand: lives, the deal that moves on (S4), points, the tie-break (F3) and the final (G5).
A value is the chance to win of the seat that speaks first in the hand that comes. Refuses to know what is played within
a hand (`equilibrium`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import groupby, product
from typing import Final, TypeAlias

from kille_net.game.rules import Ruleset
from kille_net.solve.deals import Situation, deals_in, situations
from kille_net.solve.equilibrium import Game, Plan
from kille_net.solve.tree import End, grow

__all__ = ["Hand", "Lives", "Plans", "Points", "Pot", "Worth", "match", "pot"]

Lives: TypeAlias = tuple[int, int]
"""Of the first to speak, of the dealer."""
Points: TypeAlias = tuple[int, int]
"""The same of their points."""
Plans: TypeAlias = Mapping[Situation, tuple[Plan, Plan]]

_CLOSE: Final = 1e-14
_SAME: Final = 1e-12
_MOST_ROUNDS: Final = 200


@dataclass(frozen=True, slots=True)
class Worth:
    """What each end of a hand is worth to the first to speak."""

    first_loses: float
    dealer_loses: float
    nobody_loses: float

    def ends(self, again: float) -> list[float]:
        """By `End`; `again`: a tie that is dealt again."""
        worth = {
            End.FIRST_LOSES: self.first_loses,
            End.DEALER_LOSES: self.dealer_loses,
            End.NOBODY_LOSES: self.nobody_loses,
            End.AGAIN: again,
        }
        return [worth[end] for end in End]


class Hand:
    """One hand of two by these rules, to be solved for whatever its ends are worth."""

    def __init__(self, rules: Ruleset) -> None:
        trees = grow(rules)
        self._games: Final = {
            situation: (chance, Game(deals_in(situation, trees))) for situation, chance in situations(rules).items()
        }
        self._ties_again: Final = rules.rules.ties_again
        self._share: float | None = None
        """Of what is at stake the part that the hand is worth, where that hangs on nothing else."""
        least, most = (self.value(Worth(0.0, 1.0, nobody)) for nobody in (0.0, 1.0))
        if most - least <= _SAME:  # in between it is no more and no less
            self._share = least

    def value(self, worth: Worth) -> float:
        """To the first to speak; a tie that is dealt again is worth the same."""
        at_stake = worth.dealer_loses - worth.first_loses
        if not at_stake:  # the match is decided
            return worth.nobody_loses
        if self._share is not None:
            return worth.first_loses + self._share * at_stake
        value = worth.nobody_loses
        for _ in range(_MOST_ROUNDS if self._ties_again else 1):
            ends = worth.ends(value)
            before, value = value, sum(chance * game.value(ends) for chance, game in self._games.values())
            if abs(value - before) <= _CLOSE:
                break
        return value

    def plans(self, worth: Worth) -> Plans:
        """How the two play for it."""
        ends = worth.ends(self.value(worth))
        return {situation: game.plans(ends) for situation, (_, game) in self._games.items()}


@dataclass(frozen=True, slots=True)
class Pot:
    """A pot, a parti or a final between two."""

    values: Mapping[Lives, float]
    residual: float
    """By how much a further round of the iteration changes a value at most."""

    def worth(self, lives: Lives) -> Worth:
        """Of the ends of a hand that is played on these lives."""
        return _worth(lives, lambda first, dealer: self.values[first, dealer], won=1.0, lost=0.0)


def _worth(lives: Lives, value: Callable[[int, int], float], *, won: float, lost: float) -> Worth:
    """`value`: of the lives in the hand that comes; `won` and `lost`: that of the pot to the first to speak now."""
    first, dealer = lives
    return Worth(
        first_loses=1 - value(dealer, first - 1) if first > 1 else lost,
        dealer_loses=1 - value(dealer - 1, first) if dealer > 1 else won,
        nobody_loses=1 - value(dealer, first),
    )


def _lives(most: int) -> list[Lives]:
    """Fewest first, since a hand makes them no more."""
    return sorted(product(range(1, most + 1), range(1, most + 1)), key=sum)


def pot(hand: Hand, lives: int) -> Pot:
    """Value iteration over the lives: whoever has the last one wins."""
    values = dict.fromkeys(_lives(lives), 0.5)
    done = Pot(values, 0.0)
    for _, group in groupby(values, key=sum):
        states = list(group)
        for _ in range(_MOST_ROUNDS):
            after = {state: hand.value(done.worth(state)) for state in states}
            change = max(abs(after[state] - values[state]) for state in states)
            values |= after
            if change <= _CLOSE:
                break
    residual = max(abs(hand.value(done.worth(state)) - values[state]) for state in values)
    return Pot(values, residual)


def match(hand: Hand, rules: Ruleset) -> dict[Points, float]:
    """The same for a whole match: by the points of the two, where a pot begins (F3, G5)."""
    lives = rules.rules.lives
    last = pot(hand, rules.pots - 1 if rules.rules.final else lives)
    values = {
        (first, rules.pots - first): _at_the_end((first, rules.pots - first), last, rules)
        for first in range(rules.pots + 1)
    }
    for played in range(rules.pots - 1, -1, -1):
        values |= _pots_after(hand, lives, played, values)
    return values


def _at_the_end(points: Points, last: Pot, rules: Ruleset) -> float:
    """When the pots that were agreed on are played."""
    first, dealer = points
    if rules.rules.final and first and dealer:
        return last.values[points]
    return last.values[rules.rules.lives, rules.rules.lives] if first == dealer else float(first > dealer)


def _pots_after(hand: Hand, lives: int, played: int, later: Mapping[Points, float]) -> dict[Points, float]:
    """The values where so many pots are played, given those where one more is."""
    # By the points of the first to speak: what the pot is worth to it, won and lost.
    ends = [(1 - later[played - own, own + 1], 1 - later[played - own + 1, own]) for own in range(played + 1)]
    values = {(*state, own): sum(ends[own]) / 2 for state in _lives(lives) for own in range(played + 1)}
    for _, group in groupby(values, key=lambda state: state[0] + state[1]):
        states = list(group)
        for _ in range(_MOST_ROUNDS):
            before = dict(values)
            for first, dealer, own in states:
                after = _of_points(values, played - own)
                won, lost = ends[own]
                values[first, dealer, own] = hand.value(_worth((first, dealer), after, won=won, lost=lost))
            if max(abs(values[state] - before[state]) for state in states) <= _CLOSE:
                break
    return {(own, played - own): values[lives, lives, own] for own in range(played + 1)}


def _of_points(values: Mapping[tuple[int, int, int], float], own: int) -> Callable[[int, int], float]:
    """The values by lives, where the first to speak has so many points."""
    return lambda first, dealer: values[first, dealer, own]
