"""A whole bot: it stands on a seven and better, and asks its neighbour for anything better than less."""

from kille_net.game.actions import Action
from kille_net.game.cards import Card
from kille_net.game.views import View


def decide(view: View) -> Action:
    if Action.SWAP not in view.legal:  # it is asked for better cards
        return Action.REFUSE
    return Action.SWAP if view.card < Card.N7 else Action.STAND
