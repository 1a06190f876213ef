"""The solution as a table that a bot plays by (`bots.perfect`).

Owns its form, and that a solution has it: a card below which each seat does not stand, wherever it may be. An
equilibrium of another shape has no such table, and `rows` says so instead of making a wrong one.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Final, TypeAlias

from kille_net.game.actions import Action
from kille_net.game.cards import Card
from kille_net.game.events import Dealt, Stood, Swapped
from kille_net.game.rules import Ruleset, Seat
from kille_net.solve.deals import Situation
from kille_net.solve.equilibrium import Seen
from kille_net.solve.tree import DEALER, FIRST
from kille_net.solve.values import Hand, Plans, Pot, Worth

__all__ = ["Row", "rows", "text", "thresholds"]

Row: TypeAlias = tuple[str, ...]
"""Two that say where it holds, then the codes of three cards (`bots.perfect.Thresholds`)."""

_SURE: Final = 1e-9


class _Question(Enum):
    """What a seat that stands or swaps knows of the other's card."""

    FIRST = "first"
    DEALER = "dealer"
    TIE = "tie"
    """The dealer holds the same."""


_Memory: TypeAlias = tuple[str, str]
"""How many Harlekins were thrown, and what else the seat threw."""


def thresholds(hand: Hand, worth: Worth) -> tuple[str, ...]:
    """The codes of the three cards before anything is thrown, whatever the hand is played for."""
    return _thresholds(hand.plans(worth))["0", ""]


def rows(rules: Ruleset, hand: Hand, pot: Pot) -> list[Row]:
    """By the lives in `pots`, by what is remembered in `sticks`. Raises ValueError where the solution is no table."""
    if not rules.rules.whole_pack:
        lives = rules.rules.lives, rules.rules.lives
        return [(*memory, *cards) for memory, cards in _thresholds(hand.plans(pot.worth(lives))).items()]
    return [
        (str(lives[FIRST]), str(lives[DEALER]), *cards)
        for lives in sorted(pot.values)
        for cards in _thresholds(hand.plans(pot.worth(lives))).values()
    ]


def _thresholds(plans: Plans) -> dict[_Memory, tuple[str, ...]]:
    chances: dict[_Memory, dict[_Question, dict[Card, float]]] = defaultdict(lambda: defaultdict(dict))
    for situation, both in plans.items():
        for seat, plan in enumerate(both):
            for seen, chosen in plan.items():
                if Action.SWAP in chosen:  # a Kuku is called at once, which costs nothing
                    _sort(chances, situation, seat, seen, chosen[Action.SWAP])
    usual = chances["0", ""]
    return {
        memory: tuple(_below(asked[question], usual[question]).code for question in _Question)
        for memory, asked in sorted(chances.items())
    }


def _sort(
    chances: Mapping[_Memory, Mapping[_Question, dict[Card, float]]],
    situation: Situation,
    seat: Seat,
    seen: Seen,
    swaps: float,
) -> None:
    """Put one choice where it belongs."""
    number = situation.others[seat]
    thrown = [card for card in seen[:number] if isinstance(card, Card)]
    asked = chances[str(situation.harlekins), "".join(card.code for card in thrown)]
    dealt, last = seen[number], seen[-1]
    assert isinstance(dealt, Dealt)
    own = dealt.cards[seat]
    assert own is not None
    match last:
        case Dealt():
            asked[_Question.FIRST][own] = swaps
        case Stood():
            asked[_Question.DEALER][own] = swaps
        case Swapped(_, _, gave, got) if gave is got and gave is not None:
            asked[_Question.TIE][gave] = swaps
        case Swapped(_, _, gave, got):
            assert gave is not None
            assert got is not None
            if abs(swaps - (gave < got)) > _SURE:
                raise ValueError("the dealer does not go by who holds the lower card")


def _below(swaps: Mapping[Card, float], usual: Mapping[Card, float]) -> Card:
    """The card below which the seat does not stand, where there is one and it does so for sure. What it can not hold
    may be on either side of it, and is where it usually is.
    """
    stands = min((card for card, chance in swaps.items() if chance <= _SURE), default=None)
    if stands is None or any(abs(chance - (card < stands)) > _SURE for card, chance in swaps.items()):
        raise ValueError("there is no card below which the seat does not stand")
    least = 1 + max((card for card, chance in swaps.items() if chance > _SURE), default=-1)
    usually = min(card for card, chance in usual.items() if chance <= _SURE)
    return usually if least <= usually <= stands else stands


def text(tables: Mapping[str, Sequence[Row]]) -> str:
    """As the file has it, by format: JSON, a row a line."""
    parts = [
        f'  "{form}": [\n' + ",\n".join(f"    {json.dumps(row)}" for row in table) + "\n  ]"
        for form, table in tables.items()
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"
