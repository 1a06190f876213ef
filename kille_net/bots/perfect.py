"""The perfect player for two: whatever the other does, it wins a pot as often as its seat is worth, or oftener.

Owns how the table of the solver (`perfect.json`, which `kille solve --out` writes) is read and played by. Among three
it plays by the table of `three`: nothing is better against two who do so, too. Where still more have lives it plays as
`sharp` does, until three are left.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Final, TypeAlias

from kille_net.bots import three
from kille_net.bots.asking import is_duel
from kille_net.bots.base import Bot
from kille_net.bots.reading import own
from kille_net.bots.sharp import SharpBot
from kille_net.game.actions import Action, Phase
from kille_net.game.cards import Card
from kille_net.game.rules import Format
from kille_net.game.views import View

__all__ = ["TABLE", "PerfectBot", "Table", "Thresholds", "read", "thresholds"]

TABLE: Final = Path(__file__).with_name("perfect.json")


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The cards below which the two do not stand."""

    first: Card
    """The first to speak swaps what is lower."""
    dealer: Card
    """The dealer draws for what is lower, after the other stood."""
    tie: Card
    """The dealer, who was given what the other was dealt, too, draws for what is lower."""


Table: TypeAlias = Mapping[tuple[str, ...], Thresholds]
"""In `pots` by the lives of the first to speak and of the dealer; in `sticks` by the number of Harlekins that were
thrown, and the code of the other card that the seat threw, if it remembers one.
"""


def read(text: str) -> Table:
    """The table that the solver has written (`solve.table`)."""
    table = json.loads(text)
    return {
        (form, *row[:2]): Thresholds(*(Card.of_code(code) for code in row[2:]))
        for form, rows in table.items()
        for row in rows
    }


@lru_cache(maxsize=1)
def thresholds() -> Table:
    """What comes with the game."""
    return read(TABLE.read_text(encoding="ascii"))


class PerfectBot(Bot):
    """Between two a function of the view; what it does, it does for sure, since no whim would help it. Among three it
    has a few whims.
    """

    def __init__(self, table: Table | None = None, rng: Random | None = None) -> None:
        """`table`: another one than that which comes with the game; without `rng` its whims are always the same."""
        self._table = thresholds() if table is None else table
        self._among_three = three.tables()
        self._rng = Random(0) if rng is None else rng
        self._sharp = SharpBot()

    def knows(self, view: View) -> bool:
        """Whether it plays by a table there, and not as `sharp`."""
        return is_duel(view) or three.knows(self._among_three, view)

    def decide(self, view: View) -> Action:
        if three.knows(self._among_three, view):
            if view.phase is not Phase.TURN:
                return Action.REFUSE
            return Action.SWAP if self._does(three.chance(self._among_three, view, calls=False)) else Action.STAND
        if not is_duel(view):
            return self._sharp.decide(view)
        if view.phase is not Phase.TURN:
            # What is better for who asks is worse for who is asked, and the other way round.
            return Action.REFUSE
        return Action.SWAP if _is_bad(view, self._table) else Action.STAND

    def calls_kuku(self, view: View) -> bool:
        if three.knows(self._among_three, view):
            return self._does(three.chance(self._among_three, view, calls=True))
        return True if is_duel(view) else self._sharp.calls_kuku(view)

    def _does(self, chance: float) -> bool:
        """Draws from its chance only where it has one."""
        return chance == 1 or (chance > 0 and self._rng.random() < chance)


def _is_bad(view: View, table: Table) -> bool:
    card, row = own(view), _row(view, table)
    first = view.order[0]
    if view.seat == first:
        return card < row.first
    theirs = view.cards[first]
    if theirs is None:
        return card < row.dealer
    return card < theirs or (card == theirs and card < row.tie)


def _row(view: View, table: Table) -> Thresholds:
    form = view.rules.format
    if form is Format.POTS:
        return table[form.value, *(str(view.lives[seat]) for seat in view.order)]
    harlekins = str(view.gone.count(Card.HARLEKIN))
    thrown = [card.code for card in view.gone if card is not Card.HARLEKIN]
    row = table.get((form.value, harlekins, *thrown))
    return table[form.value, harlekins, ""] if row is None else row
