"""What is known of how to play well, as a lesson: between two and three (`kille_net.solve`), and the chart for more.

Owns what of it is told, and how the chart is drawn. The cards come from the tables that the bots play by; the few
numbers that stand here are held against what is solved and dealt by the tests, but for `DEEP`.
"""

from collections.abc import Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Final

from kille_net.bots.chart import chart
from kille_net.bots.perfect import thresholds
from kille_net.bots.three import short, tables
from kille_net.client.showing.texts import CARDS, say

__all__ = ["AMONG_THREE", "DEEP", "PERFECT", "RISKS", "strategy"]

PERFECT: Final[Mapping[str, int]] = MappingProxyType({"even": 50, "behind": 31, "ahead": 69})
"""How many pots of 100 who speaks first wins when two play best: with three lives each, with two to three, and with
three to two (`kille solve`).
"""
AMONG_THREE: Final[Mapping[str, int]] = MappingProxyType({"of_first": 336, "of_middle": 333, "of_dealer": 331})
"""How many pots of 1000 each of three wins on three lives each (`kille solve --seats 3`)."""
RISKS: Final[Mapping[str, int]] = MappingProxyType({"low": 71, "low_swapped": 56, "high": 27, "high_swapped": 62})
"""In how many hands of 100 the first of four loses a life with a 2 and with an 8, by standing and by swapping, when all
play by the chart (`kille solve --seats 4`).
"""
DEEP: Final = 105
"""How many pots `deep` wins where `sharp` wins 100: 104 to 106 among five to eight (README, *How strong is deep?*)."""
_TWO: Final = ("title", "first", "dealer", "lives", "asks", "worth", "weak")
_THREE: Final = ("three", "three_below", "three_swapped", "three_kuku", "three_worth")


def strategy(lang: str) -> list[str]:
    """Lines, of which those that begin with two spaces belong to the one before."""
    best = thresholds()["pots", "3", "3"]
    of_two = {where: CARDS[lang][card] for where, card in asdict(best).items()}
    four = chart()[4]
    of_more = {"first": CARDS[lang][four[-1]], "dealer": CARDS[lang][four[0]], **RISKS, "deep": DEEP}
    return [
        *(_tell(lang, key, **of_two, **PERFECT) for key in _TWO),
        *_of_three(lang),
        _tell(lang, "chart"),
        *_drawn(lang),
        *(_tell(lang, key, **of_more) for key in ("places", "given", "risks", "strength")),
    ]


def _of_three(lang: str) -> list[str]:
    by_lives = short(tables()["pots"])
    below = {name: CARDS[lang][one.card] for name, one in by_lives[3, 3, 3].items()}
    last = by_lives[1, 1, 1]
    often = {"first_often": round(100 * last["first"].chance), "dealer_often": round(100 * last["dealer"].chance)}
    cards = {f"{name}_last": CARDS[lang][one.card] for name, one in last.items()}
    in_sticks = {name: CARDS[lang][one.card] for name, one in short(tables()["sticks"])[1, 1, 1].items()}
    return [
        *(_tell(lang, key, **below, **cards, **often, **AMONG_THREE) for key in _THREE),
        _tell(lang, "three_sticks", **in_sticks),
    ]


def _drawn(lang: str) -> list[str]:
    """The chart: a line for each number of seats, the dealer to the right."""
    most = max(chart())
    rows = [(_tell(lang, "chart_after"), [str(after) for after in reversed(range(most))])]
    rows += [
        (_tell(lang, "chart_seats", seats=seats), [CARDS[lang][card] for card in reversed(below)])
        for seats, below in sorted(chart().items())
    ]
    width = max(len(name) for name, _ in rows)
    return [f"  {name.ljust(width)}{''.join(f'{text:>3}' for text in _right(texts, most))}" for name, texts in rows]


def _right(texts: list[str], most: int) -> list[str]:
    return [""] * (most - len(texts)) + texts


def _tell(lang: str, key: str, **values: object) -> str:
    return say(lang, f"lesson.strategy.{key}", **values)
