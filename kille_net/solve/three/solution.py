"""The whole solution for three, and what holds against it: what `kille solve --seats 3` tells.

Owns what is put together and how a gain is meant. Refuses to know how it is shown.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from kille_net.bots.base import Bot
from kille_net.bots.three import Lives, Table, read, text
from kille_net.game.cards import Card
from kille_net.game.rules import Ruleset
from kille_net.solve import values as of_two
from kille_net.solve.best_response import player_of
from kille_net.solve.solution import MOST_GAP
from kille_net.solve.three.answering import answer
from kille_net.solve.three.growing import SEATS, grow
from kille_net.solve.three.learning import Game
from kille_net.solve.three.pots import pot
from kille_net.solve.three.table import player_of_table, table_of

__all__ = ["ROUNDS", "Against", "Gains", "Solution", "against", "solve", "table_for"]

ROUNDS: Final = 10_000
"""Of learning, for a hand at most."""

Gains = tuple[float, float, float]
"""Of who speaks first, of the middle seat, of the dealer."""


@dataclass(frozen=True, slots=True)
class Against:
    """How often who answers two of a bot as well as can be wins a pot on all lives, or a parti."""

    bot: str
    chances: Gains


@dataclass(frozen=True, slots=True)
class Solution:
    rules: Ruleset
    pot: Mapping[Lives, Gains]
    """The chance to win, by the lives of the three as they speak."""
    table: Table
    gains: Gains
    """By how much more than that the best answer gets, at most."""
    gains_at_start: Gains
    """The same on all lives."""
    residual: float
    """The most of all iterations."""
    against: Sequence[Against]

    @property
    def holds(self) -> bool:
        return max(self.gains) <= MOST_GAP


def solve(
    rules: Ruleset,
    others: Sequence[Against] = (),
    *,
    rounds: int = ROUNDS,
    kinds: Collection[Card] = tuple(Card),
) -> Solution:
    """Learn it, and answer what was learned as well as can be; `others` is handed through. Takes minutes, or less where
    the seats are dealt a few kinds only.
    """
    lives = rules.rules.lives
    two = _two(rules)
    grown = grow(rules, kinds)
    learned = pot(Game(grown), two, lives=lives, rounds=rounds)
    tables = read(text({rules.format.value: table_of(rules, grown, learned)}))
    answered = answer(rules, player_of_table(tables), two, lives=lives, kinds=kinds)
    gains = {
        state: np.array([answered.values[seat, state] - values[seat] for seat in SEATS])
        for state, values in learned.values.items()
    }
    return Solution(
        rules=rules,
        pot={state: _gains(values) for state, values in learned.values.items()},
        table=tables[rules.format.value],
        gains=_gains(np.max(list(gains.values()), axis=0)),
        gains_at_start=_gains(gains[lives, lives, lives]),
        residual=max(learned.residual, answered.residual),
        against=others,
    )


def table_for(rules: Ruleset, *, rounds: int = ROUNDS) -> Table:
    """The table alone."""
    grown = grow(rules)
    return table_of(rules, grown, pot(Game(grown), _two(rules), lives=rules.rules.lives, rounds=rounds))


def against(rules: Ruleset, name: str, bot: Bot) -> Against:
    """Lets through what the bot raises."""
    lives = rules.rules.lives
    values = answer(rules, player_of(bot), _two(rules), lives=lives).values
    return Against(name, _gains(np.array([values[seat, (lives, lives, lives)] for seat in SEATS])))


def _two(rules: Ruleset) -> Mapping[tuple[int, int], float]:
    return of_two.pot(of_two.Hand(rules), rules.rules.lives).values


def _gains(of: np.ndarray) -> Gains:
    first, middle, dealer = of.tolist()
    return first, middle, dealer
