"""Deals that fit what a seat knows, each played to the end of the hand both ways: the seat stands, and it swaps.

Owns how deals are drawn and what others are thought to do: what the sharp player does, in what they did already, too.
Refuses to know what a lost life is worth.

Where a rule is needed, the engine itself is asked: a deal is a pack, what was done is done again with it, and whatever
does not come to what the seat knows is no such deal.
"""

from dataclasses import replace
from functools import lru_cache
from random import Random
from typing import Final, TypeAlias

from kille_net.bots.reading import unseen
from kille_net.bots.sharp import weigh
from kille_net.game.actions import Action, Phase
from kille_net.game.cards import Card, Pack
from kille_net.game.events import HandBegan
from kille_net.game.hand import Deed
from kille_net.game.match import Match
from kille_net.game.rules import Ruleset, Seat
from kille_net.game.views import View, observe

__all__ = ["Ends", "Rollouts", "bare", "rollouts"]

Ends: TypeAlias = tuple[int, int]
"""Who lost a life after standing, and after swapping: seats as bits."""

DOUBT: Final = 0.05
"""How often others are thought to do something else than the sharp player would."""
_TRIES: Final = 60
"""So many deals are drawn at most for one that is wanted, whether they fit or not."""
_DRAWN: Final = 5
"""Cards that a draw takes at most: four that skip, and what comes then (D5)."""
_DONE: Final = {Deed.STOOD: Action.STAND, Deed.SWAPPED: Action.SWAP, Deed.REFUSED: Action.SWAP}


def bare(view: View) -> View:
    """What tells on the cards alone: the seats of the hand, numbered as they speak, without lives, points and asks.

    The view is one of a seat on turn.
    """
    order = view.order
    place = {seat: k for k, seat in enumerate(order)}
    assert view.seat is not None
    rules = Ruleset(format=view.rules.format, dealt_harlekin=view.rules.dealt_harlekin)
    return View(
        rules=rules,
        seat=place[view.seat],
        hand=1,
        pot=1,
        dealer=len(order) - 1,
        lives=(rules.rules.lives,) * len(order),
        points=(0,) * len(order),
        phase=view.phase,
        to_act=place[view.seat],
        cards=tuple(view.cards[seat] for seat in order),
        origins=tuple(None if (origin := view.origins[seat]) is None else place[origin] for seat in order),
        face_up=tuple(sorted(place[seat] for seat in view.face_up)),
        low_harlekins=tuple(sorted(place[seat] for seat in view.low_harlekins)),
        struck=tuple(sorted(place[seat] for seat in view.struck)),
        deeds=tuple(view.deeds[seat] for seat in order),
        beside=(),
        gone=(),
        asks=0,
        can_ask=False,
    )


@lru_cache(maxsize=1 << 14)
def _sharp(view: View) -> Action:
    return weigh(view).action


def _does(match: Match, seat: Seat) -> Action:
    """What the sharp player does there, when there is nothing to ask for."""
    view = observe(match, seat)
    return _sharp(replace(view, can_ask=False) if view.can_ask else view)


class Rollouts:
    """Of one `bare` view. The same view has the same deals in the same order, however many are drawn at a time."""

    def __init__(self, view: View) -> None:
        assert view.seat is not None
        self._view = view
        self._seat: Seat = view.seat
        self._random = Random(repr(view)).random
        seats = len(view.order)
        self._began = HandBegan(1, 1, view.dealer, view.lives, view.points)
        self._dealt: list[Card | None] = [None] * seats
        for card, origin in zip(view.cards, view.origins, strict=True):
            if card is not None and origin is not None:
                self._dealt[origin] = card
        self._hidden = [seat for seat, card in enumerate(self._dealt) if card is None]
        self._rest = [card for card, number in zip(Card, unseen(view), strict=True) for _ in range(number)]
        self._likely: dict[tuple[Seat, Card], bool] = {}  # that the seat did what it did with the card it was dealt
        self._tries = 0
        self._stood, self._swapped = bytearray(), bytearray()

    def ends(self, number: int) -> list[Ends]:
        """Of the first so many deals; fewer where others did what the sharp player hardly ever would."""
        while len(self._stood) < number and self._tries < _TRIES * number:
            self._tries += 1
            match = self.match()
            if match is not None:
                self._stood.append(_end(match.copy(), self._seat, Action.STAND))
                self._swapped.append(_end(match, self._seat, Action.SWAP))
        return list(zip(self._stood[:number], self._swapped[:number], strict=True))

    def match(self) -> Match | None:
        """The next deal, brought to what the seat knows; None: it does not fit, or others would have done otherwise."""
        pack = self._pack()
        if pack is None:
            return None
        match = Match.before(self._view.rules, self._began)
        match.deal(pack)
        while (seat := match.to_act) != self._seat:
            action = None if seat is None else _DONE.get(self._view.deeds[seat])
            if seat is None or action is None or not (self._is_likely(match, seat, action) or self._doubts()):
                return None
            match.act(seat, action)
        return match if self._fits(match) else None

    def _pack(self) -> Pack | None:
        """One whose cards others may well have had, or None."""
        rest, random, likely = self._rest, self._random, self._likely
        for k in range(len(self._hidden) + _DRAWN):
            other = k + int(random() * (len(rest) - k))
            rest[k], rest[other] = rest[other], rest[k]
            if k < len(self._hidden) and not likely.get((self._hidden[k], rest[k]), True) and not self._doubts():
                return None
        cards = iter(rest)
        return (*(next(cards) if card is None else card for card in self._dealt), *cards)

    def _doubts(self) -> bool:
        return self._random() < DOUBT

    def _is_likely(self, match: Match, seat: Seat, action: Action) -> bool:
        assert match.hand is not None
        table = match.hand.table
        if table.origins()[seat] != seat or seat not in self._hidden:
            return _does(match, seat) is action
        card = table.card(seat)
        assert card is not None
        likely = self._likely.get((seat, card))
        if likely is None:
            self._likely[seat, card] = likely = _does(match, seat) is action
            return likely
        return True  # or it would not have been dealt

    def _fits(self, match: Match) -> bool:
        assert match.hand is not None
        view, table = self._view, match.hand.table
        return (
            table.origins() == view.origins
            and table.face_up == view.face_up
            and all(known in (None, card) for known, card in zip(view.cards, table.cards(), strict=True))
        )


def _end(match: Match, seat: Seat, action: Action) -> int:
    match.act(seat, action)
    while match.phase is Phase.TURN:
        assert match.to_act is not None
        match.act(match.to_act, _does(match, match.to_act))
    assert match.hand is not None
    assert match.hand.showdown is not None
    return sum(1 << seat for seat in match.hand.showdown.lost)


@lru_cache(maxsize=4096)
def rollouts(view: View) -> Rollouts:
    """Those of a `bare` view, as many as were drawn before."""
    return Rollouts(view)
