"""How three play who have learned it from each other: the table that `kille solve --seats 3 --out` writes.

Owns its form, what it says of a view, and its short form: the cards below which a seat does not stand that knows none
but its own. Refuses to know how it is found (`solve.three`).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from kille_net.game.cards import Card
from kille_net.game.rules import HarlekinRank
from kille_net.game.views import View

__all__ = [
    "QUESTIONS",
    "SEATS",
    "TABLE",
    "Below",
    "Key",
    "Lives",
    "Table",
    "Tables",
    "chance",
    "key_of",
    "knows",
    "read",
    "short",
    "tables",
    "text",
]

TABLE: Final = Path(__file__).with_name("three.json")
SEATS: Final = 3

Key: TypeAlias = tuple[str, str]
"""What is asked: which place, what the three have done so far as they speak, and whether it is about a Kuku; and the
cards that the seat knows, in the same order.
"""
Lives: TypeAlias = tuple[int, ...]
"""As they speak."""

QUESTIONS: Final[Mapping[str, str]] = {
    "first": "first waits waits waits",
    "middle": "middle stood waits waits",
    "dealer": "dealer stood stood waits",
    "dealer_swapped": "dealer swapped stood waits",
}
"""What a seat is asked that knows no card but its own, by a name for it."""

_PLACES: Final = ("first", "middle", "dealer")
_HIDDEN: Final = "-"


@dataclass(frozen=True, slots=True)
class Table:
    """How likely a seat swaps or draws, or calls its Kuku."""

    lives: Sequence[Lives]
    chances: Mapping[Key, Sequence[float]]
    """In the order of the lives; one for all where they do not matter."""

    def chance(self, key: Key, lives: Lives) -> float:
        chances = self.chances[key]
        return chances[0] if len(chances) == 1 else chances[self.lives.index(lives)]


class Below(NamedTuple):
    """What a seat does that knows no card but its own."""

    card: Card
    """It swaps or draws what is lower…"""
    chance: float
    """…and this card so often."""


Tables: TypeAlias = Mapping[str, Table]
"""By format."""


def key_of(view: View, *, calls: bool) -> Key:
    """Of a view of a hand of three; `calls`: whether it calls its Kuku is the question."""
    order = view.order
    assert view.seat is not None
    deeds = [view.deeds[seat].value for seat in order]
    cards = [view.cards[seat] for seat in order]
    question = " ".join([_PLACES[order.index(view.seat)], *deeds, *(["kuku"] if calls else [])])
    return question, " ".join(_HIDDEN if card is None else card.code for card in cards)


def knows(all_: Tables, view: View) -> bool:
    """Whether the tables are of such hands: three seats with these lives, by rules that they were made by."""
    rules = view.rules
    table = all_.get(rules.format.value)
    if table is None or len(view.order) != SEATS or rules.dealt_harlekin is not HarlekinRank.HIGH:
        return False
    return tuple(view.lives[seat] for seat in view.order) in table.lives


def chance(all_: Tables, view: View, *, calls: bool) -> float:
    """How likely the viewer swaps or draws, or calls its Kuku. Raises KeyError unless `knows`."""
    lives = tuple(view.lives[seat] for seat in view.order)
    return all_[view.rules.format.value].chance(key_of(view, calls=calls), lives)


def read(written: str) -> Tables:
    """What `text` has written."""
    return {
        form: Table([tuple(lives) for lives in table["lives"]], dict(_chances(table["questions"])))
        for form, table in json.loads(written).items()
    }


def _chances(
    questions: Mapping[str, tuple[Sequence[str], Sequence[str], Mapping[str, Sequence[float]]]],
) -> list[tuple[Key, Sequence[float]]]:
    return [
        ((question, cards), chances)
        for question, (never, always, by_lives) in questions.items()
        for cards, chances in [
            *((cards, (0.0,)) for cards in never),
            *((cards, (1.0,)) for cards in always),
            *((cards, tuple(map(float, of))) for cards, of in by_lives.items()),
        ]
    ]


def text(all_: Tables) -> str:
    """As the file has it, by format: JSON, and of each question a line of the cards with which the answer is never, one
    where it is always, and one where that is as it may be.
    """
    return "{\n" + ",\n".join(f'"{form}": {_text(table)}' for form, table in all_.items()) + "\n}\n"


def _text(table: Table) -> str:
    questions: dict[str, tuple[list[str], list[str], dict[str, Sequence[float]]]] = {}
    for (question, cards), chances in table.chances.items():
        never, always, by_lives = questions.setdefault(question, ([], [], {}))
        if chances == (0.0,):
            never.append(cards)
        elif chances == (1.0,):
            always.append(cards)
        else:
            by_lives[cards] = [int(one) if one in {0.0, 1.0} else one for one in chances]
    lines = [f' "{name}": [\n  ' + ",\n  ".join(map(json.dumps, parts)) + "\n ]" for name, parts in questions.items()]
    return f'{{"lives": {json.dumps(table.lives)}, "questions": {{\n' + ",\n".join(lines) + "\n}}"


@lru_cache(maxsize=1)
def tables() -> Tables:
    """What comes with the game."""
    return read(TABLE.read_text(encoding="ascii"))


# --- in short ---------------------------------------------------------------------------------------------------------


def short(table: Table) -> dict[Lives, dict[str, Below]]:
    """By lives and name of the question. Raises ValueError where there is no such card."""
    return {lives: {name: _below(table, lives, asked) for name, asked in QUESTIONS.items()} for lives in table.lives}


def _below(table: Table, lives: Lives, question: str) -> Below:
    place = _PLACES.index(question.split(maxsplit=1)[0])
    hidden = [_HIDDEN] * SEATS
    chances = [
        table.chance((question, " ".join([*hidden[:place], card.code, *hidden[place + 1 :]])), lives) for card in Card
    ]
    card = next(card for card in Card if chances[card] < 1)
    if any(chances[card + 1 :]):
        raise ValueError("there is no card below which the seat does not stand")
    return Below(card, chances[card])
