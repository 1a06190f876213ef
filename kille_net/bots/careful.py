"""A player of experience: thresholds by how many seats follow, and an eye for what is known."""

from typing import Final

from kille_net.bots.base import Bot
from kille_net.bots.reading import following, is_low, own, somebody_is_below
from kille_net.game.actions import Action
from kille_net.game.cards import Card
from kille_net.game.views import View

__all__ = ["CarefulBot"]

SWAP_BELOW: Final = (Card.N7, Card.N7, Card.N6, Card.N6, Card.N5, Card.N5, Card.N4, Card.N4)
"""The card below which one swaps, by how many seats follow (0: the dealer): the more, the likelier a lower card."""
ASK_BELOW: Final = Card.N7
"""The card below which other cards are better cards."""


class CarefulBot(Bot):
    """Plays by the table, unless somebody is known to be worse off."""

    def decide(self, view: View) -> Action:
        card, low, legal = own(view), is_low(view), view.legal
        if Action.REFUSE in legal:
            bad = low or card < ASK_BELOW
            return Action.REFUSE if not bad else Action.ACCEPT if Action.ACCEPT in legal else Action.DEPENDS
        if low:
            return Action.SWAP
        if somebody_is_below(view, card):
            return Action.STAND
        if Action.ASK in legal and card < ASK_BELOW:
            return Action.ASK
        return Action.SWAP if card < SWAP_BELOW[len(following(view))] else Action.STAND
