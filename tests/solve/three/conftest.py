"""A game of three with a pack of a few kinds at the seats, solved once for all tests; the talon is whole."""

from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from kille_net.bots.three import Table
from kille_net.game.cards import Card
from kille_net.game.rules import Format, Ruleset
from kille_net.solve import values
from kille_net.solve.three.growing import Grown, grow
from kille_net.solve.three.learning import Game
from kille_net.solve.three.pots import Pot, pot
from kille_net.solve.three.table import table_of

FEW = (Card.BLAREN, Card.N5, Card.N7, Card.VARDSHUS, Card.HUSU, Card.KUKU, Card.HARLEKIN)


@dataclass(frozen=True, slots=True)
class Solved:
    rules: Ruleset
    kinds: tuple[Card, ...]
    two: Mapping[tuple[int, int], float]
    grown: Grown
    game: Game
    pot: Pot
    """On a life each."""
    table: Table


@pytest.fixture(scope="session", params=list(Format))
def few(request: pytest.FixtureRequest, hands: dict[Format, values.Hand]) -> Solved:
    rules = Ruleset(format=request.param)
    two = values.pot(hands[request.param], 1).values
    grown = grow(rules, FEW)
    game = Game(grown)
    found = pot(game, two, lives=1, rounds=3000)
    return Solved(rules, FEW, two, grown, game, found, table_of(rules, grown, found))
