"""How the strongest player plays when two or three are left: the duel, and asks for better cards.

Owns tables that were computed beforehand. The duel's are an equilibrium of one hand without asks. Among players who all
know that, nobody accepts an ask: what is better for one is worse for the others. The tables of the asks are the best
answer to those who go by their own card alone, and ask and accept below a seven.
"""

from typing import Final

from kille_net.bots.odds import Odds
from kille_net.bots.reading import own
from kille_net.bots.weighed import Reason, Weighed
from kille_net.game.actions import Action, Phase
from kille_net.game.cards import Card
from kille_net.game.rules import MIN_SEATS, Seat
from kille_net.game.views import View

__all__ = ["answer", "asks", "is_duel", "play_duel"]

FIRST_STANDS_FROM: Final = Card.N6
DEALER_STANDS_FROM: Final = Card.N8
"""…after the other stood, and so has no bad card."""

ASKS_BELOW: Final = {2: Card.N9, 3: Card.N7}
"""By the seats left. Who refuses has a good card, so that an ask is a good beginning of a swap, too."""
ACCEPTS: Final = {
    (2, Phase.ASKED): range(Card.N6, Card.VARDSHUS),
    (3, Phase.MIDDLE): range(Card.N4, Card.VARDSHUS),
}
"""Who asks has a bad card and will swap it for this one. So a card that is still worse is no reason for a new deal, and
one that it would hurt to lose is. The dealer of three never leaves it to the middle seat.
"""


def is_duel(view: View) -> bool:
    return len(view.order) == MIN_SEATS


def asks(view: View) -> Weighed | None:
    """What the first to speak, who may ask for better cards, makes of it; None: it does not ask."""
    bad = range(ASKS_BELOW[len(view.order)])
    return Weighed(Action.ASK, Reason.ASKS, cards=bad) if own(view) in bad else None


def answer(view: View) -> Weighed:
    """To an ask for better cards."""
    accepted = ACCEPTS.get((len(view.order), view.phase), range(0))
    action = Action.ACCEPT if own(view) in accepted else Action.REFUSE
    return Weighed(action, Reason.ANSWERS, cards=accepted)


def play_duel(view: View, odds: Odds) -> Weighed:
    """Stand or swap with one other seat left; no Harlekin is at a seat (F5, G3)."""
    card = own(view)
    first = view.order[0]
    if view.seat == first:
        bad = range(ASKS_BELOW[MIN_SEATS] if _was_refused(view) else FIRST_STANDS_FROM)
        return Weighed(Action.SWAP if card in bad else Action.STAND, Reason.DUEL_FIRST, cards=bad)
    if view.cards[first] is None:
        bad = range(DEALER_STANDS_FROM)
        return Weighed(Action.SWAP if card in bad else Action.STAND, Reason.DUEL_DEALER, cards=bad)
    drawing, standing = _worth_drawing(view, odds, first), _beats(card, view.cards[first])
    return Weighed(Action.SWAP if drawing > standing else Action.STAND, Reason.DUEL_KNOWN, standing, drawing)


def _was_refused(view: View) -> bool:
    """Whether the first to speak has asked, and is on turn again."""
    most = view.rules.rules.max_asks
    return not view.can_ask and (most is None or view.asks < most)


def _worth_drawing(view: View, odds: Odds, other: Seat) -> float:
    """What the dealer wins by drawing, less what it loses, when it knows the other's card."""
    theirs, drawn = view.cards[other], odds.drawn
    worth = sum(drawn[card] * _beats(card, theirs) for card in range(Card.VARDSHUS))
    worth += drawn[Card.HARLEKIN] - drawn[Card.HUSAR]
    worth += drawn[Card.HUSU] * (1 if view.origins[view.dealer] == other else -1)  # M3
    return worth + odds.stays * _beats(own(view), theirs)


def _beats(mine: int, theirs: int | None) -> int:
    assert theirs is not None
    return (mine > theirs) - (mine < theirs)
