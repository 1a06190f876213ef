"""What watchers are shown of hands that are over, where they may see open cards (protocol/v1/protocol.md §6.8).

Owns which hand may be shown when: none before the one after it is over too, or the match. Refuses to know who they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from kille_net.game.actions import Action
from kille_net.game.events import Dealt, Drew, Event, HandBegan, HiddenCard, Swapped, SwapsUndone
from kille_net.game.match import Match, Stage
from kille_net.game.record import Played
from kille_net.game.rules import Seat
from kille_net.server.saving import Step
from kille_net.translate import to_do
from kille_net.wire.messages import HandShown, Move

__all__ = ["OpenHands"]


@dataclass(slots=True)
class _Moved:
    seat: Seat
    action: Action
    target: int | None
    cards: list[HiddenCard]


@dataclass(slots=True)
class _Deal:
    """Cards that were dealt, and what became of them; a hand has another one for every time that it is dealt again."""

    hand: int
    number: int
    dealt: tuple[HiddenCard, ...]
    cards: list[HiddenCard]
    """Now."""
    moves: list[_Moved] = field(default_factory=list)

    def shown(self) -> HandShown:
        moves = tuple(
            Move(seat=one.seat, do=to_do(one.action), target=one.target, cards=_numbers(one.cards))
            for one in self.moves
        )
        return HandShown(hand=self.hand, deal=self.number, cards=_numbers(self.dealt), moves=moves)


class OpenHands:
    """Follows one match, step by step; the same steps give the same again after a restart."""

    def __init__(self, match: Match) -> None:
        self._match: Final = match
        self._deals: list[_Deal] = []
        """Of the hand that is played, or was played last, and of the one before it, as long as they are to be shown."""
        self._hand = 0

    def dealt(self, events: Sequence[Event]) -> None:
        """A pack was dealt."""
        self._see(events)

    def acted(self, seat: Seat, action: Action, events: Sequence[Event]) -> None:
        deal = self._deals[-1]
        deal.moves.append(_Moved(seat, action, None, deal.cards[:]))
        self._see(events)

    def follow(self, step: Step, events: Sequence[Event]) -> None:
        """Either of them."""
        if isinstance(step, Played):
            self.acted(step.seat, step.action, events)
        else:
            self.dealt(events)

    def _see(self, events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event, HandBegan):
                self._hand = event.number
            elif isinstance(event, Dealt):
                number = 1 + sum(deal.hand == self._hand for deal in self._deals)
                self._deals.append(_Deal(self._hand, number, event.cards, list(event.cards)))
            elif isinstance(event, Swapped | SwapsUndone | Drew):
                self._move(event, self._deals[-1])

    def _move(self, event: Swapped | SwapsUndone | Drew, deal: _Deal) -> None:
        """It follows from the last move of the deal, also where the talon ran short in between (rule G4)."""
        cards, move = deal.cards, deal.moves[-1]
        match event:
            case Swapped(seat, target, gave, got):
                cards[seat], cards[target] = got, gave
                move.target = target
            case SwapsUndone():
                cards[:] = event.cards
            case Drew(seat, card, kept=True):
                cards[seat] = card
                move.target = len(cards)
        move.cards = cards[:]

    def take(self) -> list[HandShown]:
        """What may be shown by now and was not given before."""
        hand = self._match.hand
        if self._match.stage is Stage.OVER:
            last = self._hand
        elif hand is not None and hand.showdown is not None:
            last = self._hand - 1
        else:
            return []
        shown = [deal.shown() for deal in self._deals if deal.hand <= last]
        self._deals = [deal for deal in self._deals if deal.hand > last]
        return shown


def _numbers(cards: Sequence[HiddenCard]) -> tuple[int | None, ...]:
    return tuple(None if card is None else int(card) for card in cards)
