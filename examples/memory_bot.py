"""A bot with a memory: it asks a neighbour whose cards have bitten it before only with a card that is worse still."""

from collections import Counter

from kille_net.bots import Bot
from kille_net.game.actions import Action
from kille_net.game.cards import Card
from kille_net.game.events import CardRefused, Event
from kille_net.game.views import View

BITING = {Card.HUSU, Card.HUSAR}


class Wary(Bot):
    """Remembers over a whole match."""

    def __init__(self) -> None:
        self.bites: Counter[int] = Counter()

    def saw(self, event: Event) -> None:
        if isinstance(event, CardRefused) and event.card in BITING:
            self.bites[event.seat] += 1

    def calls_kuku(self, view: View) -> bool:
        """Once somebody has been struck: the longer the hand, the more befalls the others."""
        return bool(view.struck)

    def decide(self, view: View) -> Action:
        if Action.SWAP not in view.legal:
            return Action.REFUSE
        order = view.order
        neighbour = order[(order.index(view.seat) + 1) % len(order)]
        return Action.SWAP if view.card < Card.N7 - self.bites[neighbour] else Action.STAND
