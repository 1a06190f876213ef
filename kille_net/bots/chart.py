"""The chart: below which card to swap, by how many are at the table and how many speak after one; a player of that.

Owns how the table (`chart.json`, which `kille solve --seats N --out` writes) is read and played by. The player knows no
odds: it does what a person can who has learned the chart by heart.
"""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, TypeAlias

from kille_net.bots.base import Bot
from kille_net.bots.perfect import PerfectBot
from kille_net.bots.reading import following, is_low, own, somebody_is_below
from kille_net.game.actions import Action, Phase
from kille_net.game.cards import Card
from kille_net.game.showdown import NEVER_LOWEST
from kille_net.game.views import View

__all__ = ["CHART", "Below", "Chart", "ChartBot", "chart", "obvious", "read", "text"]

CHART: Final = Path(__file__).with_name("chart.json")


Below: TypeAlias = Sequence[Card]
"""What is lower is swapped, by how many speak after it; the dealer's comes first."""
Chart: TypeAlias = Mapping[int, Below]
"""By the seats in the hand."""


def read(text: str) -> Chart:
    """The chart that the solver has written."""
    return {int(seats): tuple(Card.of_code(code) for code in row) for seats, row in json.loads(text).items()}


def text(charts: Chart) -> str:
    """As the file has it: JSON, a row of codes by the number of seats."""
    rows = (f'  "{seats}": {json.dumps([card.code for card in below])}' for seats, below in sorted(charts.items()))
    return "{\n" + ",\n".join(rows) + "\n}\n"


@lru_cache(maxsize=1)
def chart() -> Chart:
    """What comes with the game."""
    return read(CHART.read_text(encoding="ascii"))


def obvious(view: View) -> Action | None:
    """What needs no chart on one's turn; None: it does.

    Who was given a card in a swap knows the giver's: if that is lower, one is not the lowest; if not, the card is one
    that nobody before wanted to keep.
    """
    card = own(view)
    if is_low(view):
        return Action.SWAP
    if card in NEVER_LOWEST or somebody_is_below(view, card):
        return Action.STAND
    return None if view.seat is not None and view.origins[view.seat] == view.seat else Action.SWAP


class ChartBot(Bot):
    """Goes by the chart; where two are left, and where there is none, it plays as `perfect` does."""

    def __init__(self, charts: Chart | None = None) -> None:
        """`charts`: others than those that come with the game."""
        self._charts: Final = chart() if charts is None else charts
        self._other: Final = PerfectBot()

    def decide(self, view: View) -> Action:
        below = self._charts.get(len(view.order))
        if below is None or view.phase is not Phase.TURN:
            return self._other.decide(view)
        done = obvious(view)
        if done is not None:
            return done
        return Action.SWAP if own(view) < below[len(following(view))] else Action.STAND

    def calls_kuku(self, view: View) -> bool:
        return self._other.calls_kuku(view)
