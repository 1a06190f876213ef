"""One hand: a deal, the swaps, the showdown (rules.md, parts 2 to 7, and the asks of part 8).

Owns what may happen in a hand, and what follows. Chance is handed to it as packs that are shuffled already; it
refuses to know who the players are, what time it is and what a hand is worth (`match` does).
"""

from collections.abc import Sequence
from enum import Enum
from typing import Final

from kille_net.game.actions import ANSWERS, Action, IllegalAction, Phase, Refusal
from kille_net.game.cards import Card, Pack
from kille_net.game.events import (
    AskAnswered,
    BetterCardsAsked,
    CardRefused,
    CardsThrown,
    Dealt,
    Drew,
    Event,
    KukuCalled,
    RedealReason,
    Reshuffled,
    SeatStruck,
    Showdown,
    Stood,
    Swapped,
    SwapsUndone,
)
from kille_net.game.rules import MIN_SEATS, REFUSALS, Effect, HarlekinRank, Ruleset, Seat
from kille_net.game.showdown import losers
from kille_net.game.table import Table

__all__ = ["Deed", "Hand", "seats_of"]

_SEATS: Final = tuple(tuple(seat for seat in range(8) if bits >> seat & 1) for bits in range(256))
_REFUSALS: Final = tuple(REFUSALS.get(card) for card in Card)


def seats_of(bits: int) -> tuple[Seat, ...]:
    """The seats of a set that is kept as bits, ascending."""
    return _SEATS[bits]


class Deed(Enum):
    """What a seat has done with its turn in this hand; known to all."""

    WAITS = "waits"
    STOOD = "stood"
    SWAPPED = "swapped"
    DREW = "drew"
    REFUSED = "refused"
    """Its swap was refused, by a seat or by the talon."""
    PASSED_OVER = "passed_over"
    """Its card refused a swap, so it has no turn (T2, M1, M3, M5, M6)."""


class Hand:
    """A hand between its first deal and its showdown.

    `lives` are those before the hand, by seat; a seat with none is not in it (S1). Wants a pack (`deal`) while
    `phase` is DEAL, otherwise an action (`act`); when `phase` is OVER, `showdown` tells how it ended.
    """

    __slots__ = (
        "_asks_closed",
        "_drawing",
        "_path",
        "_position",
        "_reshuffling",
        "_struck",
        "asks",
        "dealer",
        "deeds",
        "lives",
        "order",
        "phase",
        "ruleset",
        "showdown",
        "table",
    )

    def __init__(self, ruleset: Ruleset, lives: Sequence[int], dealer: Seat) -> None:
        """Raises ValueError when fewer than two seats, or not the dealer, have lives."""
        seats = len(lives)
        self.order: Final = tuple([seat for k in range(seats) if lives[seat := (dealer + 1 + k) % seats]])
        """The seats in the hand as they speak, the dealer last (S3)."""
        if len(self.order) < MIN_SEATS or self.order[-1] != dealer:
            raise ValueError("a hand needs two seats with lives, and the dealer to be one of them")
        self.ruleset: Final = ruleset
        self.lives: Final = tuple(lives)
        self.dealer: Final = dealer
        self.table = Table(seats, dealt_low=ruleset.dealt_harlekin is HarlekinRank.LOW)
        self.phase = Phase.DEAL
        self.asks = 0
        """Asks for better cards accepted in this hand."""
        self.showdown: Showdown | None = None
        self._reshuffling = False
        self._drawing = False
        self._begin()

    def _begin(self) -> None:
        """Nobody has spoken."""
        self._position = 0  # of the turn in `order`
        self._path: Sequence[Seat] = self.order[:1]  # the seats that the card on turn travelled
        self._struck = 0  # seats, as bits
        self._asks_closed = len(self.order) not in self.ruleset.rules.ask_at
        self.deeds = [Deed.WAITS] * len(self.lives)

    def copy(self) -> "Hand":
        """An independent hand in the same state."""
        twin = Hand.__new__(Hand)
        for name in Hand.__slots__:
            object.__setattr__(twin, name, getattr(self, name))
        twin.deeds = self.deeds[:]
        twin.table = self.table.copy()
        return twin

    # --- what is open ---------------------------------------------------------------------------------------------

    @property
    def is_duel(self) -> bool:
        """Whether exactly two seats are in the hand (F5, G3)."""
        return len(self.order) == MIN_SEATS

    @property
    def struck(self) -> tuple[Seat, ...]:
        """Ascending."""
        return seats_of(self._struck)

    @property
    def to_act(self) -> Seat | None:
        """Whose answer is open, or None."""
        phase = self.phase
        if phase is Phase.TURN:
            return self.order[self._position]
        if phase is Phase.ASKED:
            return self.dealer
        return self.order[1] if phase is Phase.MIDDLE else None

    @property
    def can_ask(self) -> bool:
        """Whether the first to speak may still ask for better cards (F4, G3); known to all."""
        if self._asks_closed or self._position or self.phase is not Phase.TURN:
            return False
        most = self.ruleset.rules.max_asks
        return most is None or self.asks < most

    def why_not(self, seat: Seat, action: Action) -> Refusal | None:
        """Why the seat may not do this now; None: it may. The one check of what is listed, asked and done."""
        phase = self.phase
        if phase is Phase.DEAL or phase is Phase.OVER:
            return Refusal.NO_HAND
        if seat not in self.order:
            return Refusal.NOT_IN_HAND
        if action is Action.KUKU:  # M7, M9
            return None if self.table.card(seat) is Card.KUKU else Refusal.NO_KUKU
        if seat != self.to_act:
            return Refusal.NOT_ASKED if action.is_answer else Refusal.NOT_YOUR_TURN
        if phase is Phase.TURN:
            if action.is_answer:
                return Refusal.NOT_ASKED
            return Refusal.CANNOT_ASK if action is Action.ASK and not self.can_ask else None
        if not action.is_answer:
            return Refusal.MUST_ANSWER
        return None if action in ANSWERS[phase][len(self.order)] else Refusal.WRONG_ANSWER

    def legal(self, seat: Seat) -> int:
        """What the seat may do now, as bits (`Action`)."""
        return sum([1 << action for action in Action if self.why_not(seat, action) is None])

    def kuku_seats(self) -> tuple[Seat, ...]:
        """The seats that may call Kuku now, as they speak (M7)."""
        if not self.table.holds(Card.KUKU):
            return ()
        return tuple([seat for seat in self.order if self.why_not(seat, Action.KUKU) is None])

    # --- the deal -------------------------------------------------------------------------------------------------

    def deal(self, pack: Pack) -> list[Event]:
        """Go on with this pack. Raises IllegalAction unless `phase` is DEAL; trusts that it is a pack (`is_pack`)."""
        if self.phase is not Phase.DEAL:
            raise IllegalAction(Refusal.NO_HAND)
        if self._reshuffling:
            self.table.reshuffle(pack)
            self._reshuffling = False
        else:
            self.table.stack(pack)
        self.phase = Phase.TURN
        events: list[Event] = []
        if self._drawing:
            self._draw(events)
        else:
            self._deal_cards(events)
        return events

    def _deal_cards(self, events: list[Event]) -> None:
        """S2, and what F5 and G3 say of two seats."""
        if self._lacks(len(self.order), events):
            return
        self._begin()
        self.table.deal(self.order)
        events.append(Dealt(self.table.cards()))
        if not self.is_duel:
            return
        if self._turn_up_all(Card.HARLEKIN):
            self._deal_again(RedealReason.HARLEKIN, events)
        elif self.ruleset.rules.kuku_shows_itself and (seats := self._turn_up_all(Card.KUKU)):
            events += [KukuCalled(seat, by_rule=True) for seat in seats]
            self._end(events)

    def _turn_up_all(self, card: Card) -> list[Seat]:
        seats = [seat for seat in self.order if self.table.card(seat) is card]
        for seat in seats:
            self.table.turn_up(seat)
        return seats

    def _lacks(self, number: int, events: list[Event]) -> bool:
        """Whether the talon is too short for so many cards, so that the hand waits for a pack (G4)."""
        if not self.table.lacks(number):
            return False
        events.append(Reshuffled())
        self.table.gone = []
        self._reshuffling = True
        self.phase = Phase.DEAL
        return True

    def _deal_again(self, reason: RedealReason, events: list[Event]) -> None:
        """Give the cards back and deal others (F4, F5, G3)."""
        whole_pack = self.ruleset.rules.whole_pack or reason is RedealReason.TIE
        events.append(CardsThrown(reason, self.table.cards(), whole_pack))
        self.table.throw(self.order)
        self._begin()
        if whole_pack:
            self.table.gone = []
            self.phase = Phase.DEAL
        else:
            self._deal_cards(events)

    # --- the turns ------------------------------------------------------------------------------------------------

    def act(self, seat: Seat, action: Action) -> list[Event]:
        """What follows from it. Raises IllegalAction, and changes nothing, unless `why_not` is None."""
        refusal = self.why_not(seat, action)
        if refusal is not None:
            raise IllegalAction(refusal)
        events: list[Event] = []
        match action:
            case Action.STAND:
                events.append(Stood(seat))
                self.deeds[seat] = Deed.STOOD
                self._next_turn(self._position + 1, (), events)
            case Action.SWAP:
                self._swap(seat, events)
            case Action.KUKU:
                self.table.turn_up(seat)
                events.append(KukuCalled(seat, by_rule=False))
                self._end(events)
            case Action.ASK:
                events.append(BetterCardsAsked(seat))
                self.phase = Phase.ASKED
            case _:
                self._answer(seat, action, events)
        return events

    def _answer(self, seat: Seat, answer: Action, events: list[Event]) -> None:
        """F4, G3."""
        events.append(AskAnswered(seat, answer))
        match answer:
            case Action.DEPENDS:
                self.phase = Phase.MIDDLE
            case Action.REFUSE:
                self._asks_closed = True
                self.phase = Phase.TURN
            case _:
                self.asks += 1
                self.phase = Phase.TURN
                self._deal_again(RedealReason.AGREED, events)

    def _next_turn(self, position: int, path: Sequence[Seat], events: list[Event]) -> None:
        """The turn goes to that place of the order, whose card travelled `path` before (T2, T4, M8)."""
        if position >= len(self.order):
            self._end(events)
            return
        self._position = position
        self._path = (*path, self.order[position])

    def _swap(self, asker: Seat, events: list[Event]) -> None:
        """T1: ask the seats on the left, one after the other as far as the first card that does not skip (part 4)."""
        for position in range(self._position + 1, len(self.order)):
            target = self.order[position]
            card = self.table.card(target)
            assert card is not None
            effect = _REFUSALS[card]
            if effect is None:
                events.append(Swapped(asker, target, self.table.card(asker), card))
                self.table.exchange(asker, target)
                self.deeds[asker] = Deed.SWAPPED
                self._next_turn(position, self._path, events)
                return
            self.table.turn_up(target)
            self.deeds[target] = Deed.PASSED_OVER
            events.append(CardRefused(target, asker, card))
            if effect is not Effect.SKIP:
                self._refuse(effect, asker, events)
                self._next_turn(len(self.order) if effect is Effect.STOP else position + 1, (), events)
                return
        self._draw(events)

    def _draw(self, events: list[Event]) -> None:
        """Part 5, with which the swapping ends (T4, M2)."""
        drawer = self.order[self._position]
        while True:
            self._drawing = self._lacks(1, events)
            if self._drawing:
                return
            card = self.table.draw()
            effect = self.ruleset.rules.talon.get(card)
            events.append(Drew(drawer, card, kept=effect is None))
            if effect is None:
                self.table.take(drawer, card)
                self.deeds[drawer] = Deed.DREW
                break
            self.table.beside.append(card)
            if effect is not Effect.SKIP:
                self._refuse(effect, drawer, events)
                break
        self._end(events)

    def _refuse(self, effect: Effect, asker: Seat, events: list[Event]) -> None:
        """What a matador that does not skip does to the asker, at a seat or on the talon (M3, M5, M6, D2 to D5)."""
        self.deeds[asker] = Deed.REFUSED
        if effect is Effect.UNDO:
            self.table.send_back(self._path)
            events.append(SwapsUndone(tuple(self._path), self.table.cards(), self.table.known_by()))
            self._strike(self._path[0], events)
        elif effect is Effect.STRIKE:
            self._strike(asker, events)

    def _strike(self, seat: Seat, events: list[Event]) -> None:
        self._struck |= 1 << seat
        events.append(SeatStruck(seat))

    # --- the showdown ---------------------------------------------------------------------------------------------

    def _end(self, events: list[Event]) -> None:
        """Part 7; a tied duel is dealt again (G3)."""
        for seat in self.order:
            self.table.turn_up(seat)
        cards = self.table.cards()
        low = self.table.low_harlekins
        lost = losers({seat: card for seat, card in enumerate(cards) if card is not None}, self.struck, low)
        lives = tuple([had - (seat in lost) for seat, had in enumerate(self.lives)])
        showdown = Showdown(cards, self.struck, low, lost, lives)
        events.append(showdown)
        self.phase = Phase.OVER
        if self.ruleset.rules.ties_again and self.is_duel and not self._struck:
            first, second = self.order
            if cards[first] is cards[second]:
                self._deal_again(RedealReason.TIE, events)
                return
        self.showdown = showdown
