"""What three have learned as a table that a bot plays by (`bots.three`), and as a player to be answered."""

from collections.abc import Mapping
from typing import Final

from kille_net.bots.three import Key, Table, Tables, chance, key_of
from kille_net.game.actions import Action, Phase
from kille_net.game.rules import Ruleset
from kille_net.game.views import View
from kille_net.solve.best_response import Player
from kille_net.solve.lines import view_of
from kille_net.solve.three.growing import SEATS, Grown
from kille_net.solve.three.pots import Pot

__all__ = ["player_of_table", "table_of"]

_DIGITS: Final = 15


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
