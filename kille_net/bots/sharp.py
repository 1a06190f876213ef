"""The strongest of the built-in players: what standing and swapping cost, by the odds over the unseen cards."""

from collections.abc import Mapping
from typing import Final

from kille_net.bots.asking import answer, asks, is_duel, play_duel
from kille_net.bots.base import Bot
from kille_net.bots.odds import LOW, Fate, Odds, odds_of
from kille_net.bots.reading import following, is_low, own, unseen
from kille_net.bots.weighed import Reason, Weighed
from kille_net.game.actions import Action, Phase
from kille_net.game.cards import Card
from kille_net.game.hand import Deed
from kille_net.game.rules import Effect, Seat
from kille_net.game.showdown import NEVER_LOWEST
from kille_net.game.views import View

__all__ = ["SharpBot", "beneath", "weigh"]

_SWAP_BELOW: Final[Mapping[int, tuple[Card, ...]]] = {
    2: (Card.N7, Card.N8),
    3: (Card.N7, Card.N6, Card.N7),
    4: (Card.N6, Card.N6, Card.N5, Card.N6),
    5: (Card.N6, Card.N5, Card.N5, Card.N5, Card.N4),
    6: (Card.N5, Card.N5, Card.N5, Card.N5, Card.N5, Card.N5),
    7: (Card.N5, Card.N4, Card.N4, Card.N4, Card.N4, Card.N4, Card.N3),
    8: (Card.N4, Card.N4, Card.N4, Card.N4, Card.N3, Card.N4, Card.N4, Card.N4),
}
"""Below what others are thought to swap, by the seats in the hand and by how many of them follow (0: the dealer).
Whoever takes it for what the others do, does about the same.
"""
_BENEATH: Final = {seats: tuple(int(card) for card in table) for seats, table in _SWAP_BELOW.items()}


def beneath(seats: int) -> tuple[int, ...]:
    """That table for so many seats in the hand, in the shape that the odds take."""
    return _BENEATH[seats]


class SharpBot(Bot):
    """Does what costs least, where another's life is worth a part of one's own."""

    def decide(self, view: View) -> Action:
        return weigh(view).action

    def calls_kuku(self, view: View) -> bool:
        """With a Kuku one is safe, called or not, and others who go on asking may be struck; in a duel the other would
        only get a chance to escape.
        """
        return is_duel(view)


def weigh(view: View) -> Weighed:
    """What the seat whose answer is open makes of it."""
    if view.phase is not Phase.TURN:
        return answer(view)
    card, low = own(view), is_low(view)
    if card in NEVER_LOWEST and not low:
        return Weighed(Action.STAND, Reason.NEVER_LOWEST)
    if view.can_ask and (asked := asks(view)) is not None:
        return asked
    if is_duel(view):
        return play_duel(view, _odds(view))
    return _choose(view, LOW if low else card)


def _choose(view: View, card: int) -> Weighed:
    odds = _odds(view)
    fate = Fate(_settled(view, odds), _struck(view), _returned(view))
    later = len(following(view))
    stand = odds.stand(card, later, fate)
    if not stand:
        return Weighed(Action.STAND, Reason.SAFE)
    swap = odds.swap(card, later, fate)
    return Weighed(Action.SWAP if swap < stand else Action.STAND, Reason.COSTS, stand, swap)


def _struck(view: View) -> float:
    """What being struck costs, where the lowest card costs 1. The chance to win goes by the share of the lives: another
    seat, which then is the lowest, gives back a part of it.
    """
    assert view.seat is not None
    lives = view.lives
    return 1 - lives[view.seat] / sum(lives)


def _odds(view: View) -> Odds:
    draws_again = view.rules.rules.talon[Card.KAVALL] is Effect.SKIP
    return odds_of(unseen(view), beneath(len(view.order)), draws_again=draws_again)


def _returned(view: View) -> int | None:
    """What a pig would give back, if the viewer's card was dealt to somebody else."""
    assert view.seat is not None
    if view.origins[view.seat] == view.seat:
        return None
    return next((card for card, origin in zip(view.cards, view.origins, strict=True) if origin == view.seat), None)


def _settled(view: View, odds: Odds) -> list[float]:
    """By x: that none of the seats which have spoken ends below x; 0 for what never loses on the lowest card."""
    order = view.order
    assert view.seat is not None
    place = order.index(view.seat)
    settled = [1.0] * len(Card)
    out = {*view.struck, *view.low_harlekins}
    if not out.issuperset(order[:place]) or place + 1 < len(order):
        for k, seat in enumerate(order[:place]):
            if seat not in out:
                settled = [a * b for a, b in zip(settled, _kept(view, odds, seat, len(order) - 1 - k), strict=True)]
    else:
        return [0.0] * len(Card)  # L4: somebody is struck, and nobody else is left to lose on the lowest card
    settled[Card.KUKU] = settled[Card.HARLEKIN] = 0.0
    return settled


def _kept(view: View, odds: Odds, seat: Seat, later: int) -> list[float]:
    """By x: that the card of a seat which has spoken is not below x."""
    card = view.cards[seat]
    if card is not None:
        return [float(card >= x) for x in range(len(Card))]
    if view.deeds[seat] is Deed.SWAPPED:
        least = _moving(view, seat)
        whole = odds.ordinary[least] or 1.0
        return [odds.ordinary[max(x, least)] / whole for x in range(len(Card))]
    if view.origins[seat] == seat:
        least = beneath(len(view.order))[later]
        whole = odds.kept[least] or 1.0
        return [odds.kept[max(x, least)] / whole for x in range(len(Card))]
    return [o / (odds.ordinary[0] or 1.0) for o in odds.ordinary]


def _moving(view: View, seat: Seat) -> int:
    """The card that the seat handed on, if the viewer holds it now: what it got for it was not lower, or the next seat
    would have kept it.
    """
    order = view.order
    assert view.seat is not None
    origin = view.origins[view.seat]
    card = view.cards[view.seat]
    if origin is None or origin == view.seat or card is None or view.seat in view.low_harlekins:
        return 0
    return card if origin in order and order.index(origin) <= order.index(seat) and card < Card.VARDSHUS else 0
