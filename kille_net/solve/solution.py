"""The whole solution of one format, and what holds against it: what `kille solve` tells.

Owns what is put together and how a gap is meant. Refuses to know how it is shown.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from kille_net.bots.base import Bot
from kille_net.bots.perfect import PerfectBot, read
from kille_net.game.rules import Ruleset
from kille_net.solve.best_response import answer, player_of
from kille_net.solve.table import Row, rows, text
from kille_net.solve.values import Hand, Lives, match, pot

__all__ = ["MOST_GAP", "Against", "Solution", "against", "rows_of", "solve"]

MOST_GAP: Final = 1e-6
"""In the chance to win the pot: what a solution may fall short of."""


@dataclass(frozen=True, slots=True)
class Against:
    """What the best answer to a player gets out of it, in a pot on all lives or in a parti."""

    bot: str
    first: float
    """The chance to win of who answers it and speaks first."""
    dealer: float
    """The same of who answers it as the dealer."""


@dataclass(frozen=True, slots=True)
class Solution:
    rules: Ruleset
    pot: Mapping[Lives, float]
    """The chance to win of who speaks first, by the lives of that seat and of the dealer."""
    match: float
    """The same at the beginning of a match."""
    rows: Sequence[Row]
    gaps: tuple[float, float]
    """By how much more than the value the best answer gets at most: of who speaks first, of the dealer."""
    residual: float
    """The most of all iterations."""
    against: Sequence[Against]

    @property
    def holds(self) -> bool:
        return max(self.gaps) <= MOST_GAP


def solve(rules: Ruleset, others: Sequence[Against] = ()) -> Solution:
    """Solve it, and answer the solution as well as can be; `others` is handed through."""
    lives = rules.rules.lives
    hand = Hand(rules)
    whole = pot(hand, lives)
    found = rows(rules, hand, whole)
    perfect = PerfectBot(read(text({rules.format.value: found})))
    answered = answer(rules, player_of(perfect), lives=lives)
    gaps = [0.0, 0.0]
    for (seat, ours, theirs), got in answered.values.items():
        value = whole.values[ours, theirs] if seat == 0 else 1 - whole.values[theirs, ours]
        gaps[seat] = max(gaps[seat], got - value)
    return Solution(
        rules=rules,
        pot=whole.values,
        match=match(hand, rules)[0, 0],
        rows=found,
        gaps=(gaps[0], gaps[1]),
        residual=max(whole.residual, answered.residual),
        against=others,
    )


def rows_of(rules: Ruleset) -> list[Row]:
    """The table alone."""
    hand = Hand(rules)
    return rows(rules, hand, pot(hand, rules.rules.lives))


def against(rules: Ruleset, name: str, bot: Bot) -> Against:
    """Raises Unanswerable where it cannot be worked out, and lets through what the bot raises."""
    lives = rules.rules.lives
    values = answer(rules, player_of(bot), lives=lives).values
    return Against(name, values[0, lives, lives], values[1, lives, lives])
