"""What three have learned as a table that a bot plays by (`bots.three`), as a player to be answered, and in short.

Owns the short form: the cards below which a seat does not stand. It is exact where it says so much, and leaves out what
a seat does that knows another's card.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from kille_net.bots.three import SEATS as _PLAYED_BY
from kille_net.bots.three import Key, Lives, Table, Tables, chance, key_of
from kille_net.game.actions import Action, Phase
from kille_net.game.cards import Card
from kille_net.game.rules import Ruleset
from kille_net.game.views import View
from kille_net.solve.best_response import Player
from kille_net.solve.lines import view_of
from kille_net.solve.three.growing import SEATS, Grown
from kille_net.solve.three.pots import Pot

__all__ = ["QUESTIONS", "Below", "player_of_table", "short", "table_of"]

_DIGITS: Final = 15

QUESTIONS: Final[Mapping[str, str]] = {
    "first": "first waits waits waits",
    "middle": "middle stood waits waits",
    "dealer": "dealer stood stood waits",
    "dealer_swapped": "dealer swapped stood waits",
}
"""What a seat is asked that knows no card but its own, by a name for it."""


class Below(NamedTuple):
    """What a seat does that knows no card but its own."""

    card: Card
    """It swaps or draws what is lower…"""
    chance: float
    """…and this card so often."""


def table_of(rules: Ruleset, grown: Grown, pot: Pot) -> Table:
    """Raises ValueError where a view does not tell two questions apart."""
    states = list(pot.plans)
    chances: dict[Key, tuple[float, ...]] = {}
    for seat in SEATS:
        for number, question in enumerate(grown.sides[seat].questions):
            calls = None in question.actions
            line = question.cards, question.moves
            key = key_of(view_of(rules, seat, lives=states[-1], line=line), calls=calls)
            if key in chances:
                raise ValueError("a view does not tell two questions apart")
            seconds = [round(float(pot.plans[state][seat][number]), _DIGITS) for state in states]
            found = tuple(1.0 - one if calls else one for one in seconds)
            chances[key] = found[:1] if len(set(found)) == 1 else found
    return Table(states, chances)


def player_of_table(tables: Tables) -> Player:
    """A player that knows what the tables say, and refuses every ask."""

    def choose(view: View, actions: tuple[Action | None, ...]) -> Mapping[Action | None, float]:
        if view.phase is not Phase.TURN and None not in actions:
            return {Action.REFUSE: 1.0}
        yes, no = (Action.KUKU, None) if None in actions else (Action.SWAP, Action.STAND)
        likely = chance(tables, view, calls=None in actions)
        return {yes: likely, no: 1 - likely}

    return choose


def short(table: Table) -> dict[Lives, dict[str, Below]]:
    """By lives and name of the question. Raises ValueError where there is no such card."""
    return {lives: {name: _below(table, lives, asked) for name, asked in QUESTIONS.items()} for lives in table.lives}


def _below(table: Table, lives: Lives, question: str) -> Below:
    place = ("first", "middle", "dealer").index(question.split(maxsplit=1)[0])
    hidden = ["-"] * _PLAYED_BY
    chances = [
        table.chance((question, " ".join([*hidden[:place], card.code, *hidden[place + 1 :]])), lives) for card in Card
    ]
    card = next(card for card in Card if chances[card] < 1)
    if any(chances[card + 1 :]):
        raise ValueError("there is no card below which the seat does not stand")
    return Below(card, chances[card])
