"""One hand: a deal, the swaps, the showdown (rules.md, parts 2 to 7, and the asks of part 8).

Owns what may happen in a hand. Chance is handed to it as packs that are shuffled already; it refuses to know who
the players are, what time it is and what a hand is worth (`match` does).

A card in play has an id: the seat that it was dealt to, or the number of seats for the one drawn and kept. Where
each id lies is known to all; which card it is, only to the seats in `_seen`.
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
    HiddenCard,
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

__all__ = ["Deed", "Hand", "may_know", "seats_of"]

_SEATS: Final = tuple(tuple(seat for seat in range(8) if bits >> seat & 1) for bits in range(256))
_SPECTATOR: Final = 8
"""The bit that stands for whoever has no seat, beside the seats' own."""
_EVERYONE: Final = (1 << _SPECTATOR + 1) - 1
_ANSWERS: Final = frozenset({Action.ACCEPT, Action.REFUSE, Action.DEPENDS})
_REFUSALS: Final = tuple(REFUSALS.get(card) for card in Card)


def seats_of(bits: int) -> tuple[Seat, ...]:
    """The seats of a set that is kept as bits, ascending."""
    return _SEATS[bits]


def may_know(viewer: Seat | None, bits: int) -> bool:
    """Whether a seat, or a spectator (None), is among those who know a card."""
    return bool(bits >> (_SPECTATOR if viewer is None else viewer) & 1)


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
        "_at",
        "_cards",
        "_discard",
        "_drawing",
        "_low",
        "_path",
        "_position",
        "_reshuffling",
        "_seen",
        "_struck",
        "_talon",
        "_up",
        "asks",
        "beside",
        "dealer",
        "deeds",
        "gone",
        "lives",
        "order",
        "phase",
        "ruleset",
        "showdown",
    )

    def __init__(self, ruleset: Ruleset, lives: Sequence[int], dealer: Seat) -> None:
        """Raises ValueError when fewer than two seats, or not the dealer, have lives."""
        seats = len(lives)
        self.order: Final = tuple(seat for k in range(seats) if lives[seat := (dealer + 1 + k) % seats])
        """The seats in the hand as they speak, the dealer last (S3)."""
        if len(self.order) < MIN_SEATS or self.order[-1] != dealer:
            raise ValueError("a hand needs two seats with lives, and the dealer to be one of them")
        self.ruleset: Final = ruleset
        self.lives: Final = tuple(lives)
        self.dealer: Final = dealer
        self.phase = Phase.DEAL
        self.asks = 0
        """Asks for better cards accepted in this hand."""
        self.showdown: Showdown | None = None
        self._talon: list[Card] = []  # the top is last
        self._discard: list[Card] = []
        self._reshuffling = False
        self._drawing = False
        self._lay_table()

    def _lay_table(self) -> None:
        seats = len(self.lives)
        self._cards: list[HiddenCard] = [None] * (seats + 1)  # by id
        self._seen = [0] * (seats + 1)  # by id: who knows the card, as bits (`may_know`)
        self._at = [-1] * seats  # by seat: the id of the card it holds
        self._up = 0  # ids that are face up, as bits
        self._low = 0  # ids that are low Harlekins, as bits
        self._struck = 0  # seats, as bits
        self._position = 0  # of the turn in `order`
        self._path: list[Seat] = [self.order[0]]  # the seats that the card on turn travelled
        self._asks_closed = len(self.order) not in self.ruleset.rules.ask_at
        self.deeds = [Deed.WAITS] * seats
        self.beside: list[Card] = []
        """Matadors drawn from the talon (D6)."""
        self.gone: list[tuple[Card, int]] = []
        """Cards given for what was drawn or dealt again, each with who knows it, as bits (`may_know`)."""

    def copy(self) -> "Hand":
        """An independent hand in the same state."""
        twin = Hand.__new__(Hand)
        for name in Hand.__slots__:
            value = getattr(self, name)
            object.__setattr__(twin, name, value[:] if type(value) is list else value)
        return twin

    # --- what is open ---------------------------------------------------------------------------------------------

    @property
    def to_act(self) -> Seat | None:
        """Whose answer is open, or None."""
        match self.phase:
            case Phase.TURN:
                return self.order[self._position]
            case Phase.ASKED:
                return self.dealer
            case Phase.MIDDLE:
                return self.order[1]
        return None

    @property
    def is_duel(self) -> bool:
        """Whether exactly two seats are in the hand (F5, G3)."""
        return len(self.order) == MIN_SEATS

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
        if action is Action.KUKU:  # M7
            return None if self._cards[self._at[seat]] is Card.KUKU else Refusal.NO_KUKU
        is_answer = action in _ANSWERS
        if seat != self.to_act:
            return Refusal.NOT_ASKED if is_answer else Refusal.NOT_YOUR_TURN
        if phase is Phase.TURN:
            if is_answer:
                return Refusal.NOT_ASKED
            return Refusal.CANNOT_ASK if action is Action.ASK and not self.can_ask else None
        if not is_answer:
            return Refusal.MUST_ANSWER
        return None if action in ANSWERS[phase][len(self.order)] else Refusal.WRONG_ANSWER

    def legal(self, seat: Seat) -> int:
        """What the seat may do now, as bits (`Action`)."""
        return sum(1 << action for action in Action if self.why_not(seat, action) is None)

    def kuku_seats(self) -> tuple[Seat, ...]:
        """The seats that may call Kuku now, as they speak (M7)."""
        return tuple(seat for seat in self.order if self.why_not(seat, Action.KUKU) is None)

    # --- what all or some may see ---------------------------------------------------------------------------------

    def card(self, seat: Seat) -> HiddenCard:
        """The card that the seat holds; None before a deal and for a seat that is not in the hand."""
        return self._cards[self._at[seat]] if self._at[seat] >= 0 else None

    def cards(self) -> tuple[HiddenCard, ...]:
        return tuple(self._cards[at] if at >= 0 else None for at in self._at)

    def known_by(self) -> tuple[int, ...]:
        """Per seat who knows the card it holds, as bits (`may_know`)."""
        return tuple(self._seen[at] if at >= 0 else 0 for at in self._at)

    def origins(self) -> tuple[int | None, ...]:
        """Per seat the seat that its card was dealt to; the number of seats: drawn; None: no card."""
        return tuple(at if at >= 0 else None for at in self._at)

    def _holding(self, ids: int) -> tuple[Seat, ...]:
        return tuple(seat for seat, at in enumerate(self._at) if at >= 0 and ids >> at & 1)

    @property
    def face_up(self) -> tuple[Seat, ...]:
        """Seats whose card is face up, ascending."""
        return self._holding(self._up)

    @property
    def low_harlekins(self) -> tuple[Seat, ...]:
        """Seats whose Harlekin counts as low, ascending (H1 to H4)."""
        return self._holding(self._low)

    @property
    def struck(self) -> tuple[Seat, ...]:
        """Ascending."""
        return seats_of(self._struck)

    @property
    def talon(self) -> tuple[Card, ...]:
        """Top first. Nobody may see it."""
        return tuple(reversed(self._talon))

    @property
    def discard(self) -> tuple[Card, ...]:
        """The discard pile of a duel (G3)."""
        return tuple(self._discard)

    # --- what happens ---------------------------------------------------------------------------------------------

    def deal(self, pack: Pack) -> list[Event]:
        """Go on with this pack. Raises IllegalAction unless `phase` is DEAL; trusts that it is a pack (`is_pack`)."""
        if self.phase is not Phase.DEAL:
            raise IllegalAction(Refusal.NO_HAND)
        events: list[Event] = []
        if self._reshuffling:
            self._reshuffle(pack)
        else:
            self._talon = list(reversed(pack))
            self._discard = []
            self.gone = []
        self.phase = Phase.TURN
        if self._drawing:
            self._draw(events)
        else:
            self._deal_cards(events)
        return events

    def _reshuffle(self, pack: Pack) -> None:
        """G4: the pack gives the order of the cards in talon and discard pile."""
        wanted = self._talon + self._discard
        order: list[Card] = []
        for card in pack:
            if card in wanted:
                wanted.remove(card)
                order.append(card)
        self._talon = order[::-1]
        self._discard = []
        self._reshuffling = False

    def _deal_cards(self, events: list[Event]) -> None:
        """S2, and what F5 and G3 say of two seats."""
        if self._lacks(len(self.order), events):
            return
        gone = self.gone
        self._lay_table()
        self.gone = gone
        for seat in self.order:
            card = self._talon.pop()
            self._cards[seat] = card
            self._seen[seat] = 1 << seat
            self._at[seat] = seat
            if card is Card.HARLEKIN:
                self._set_low(seat, low=self.ruleset.dealt_harlekin is HarlekinRank.LOW)
        events.append(Dealt(self.cards()))
        if not self.is_duel:
            return
        if Card.HARLEKIN in self._cards:
            for seat in self.order:
                if self._cards[seat] is Card.HARLEKIN:
                    self._turn_up(seat)
            self._throw(RedealReason.HARLEKIN, events)
        elif self.ruleset.rules.kuku_shows_itself and Card.KUKU in self._cards:
            for seat in self.order:
                if self._cards[seat] is Card.KUKU:
                    self._turn_up(seat)
                    events.append(KukuCalled(seat, by_rule=True))
            self._turn_all_up(events)

    def _lacks(self, number: int, events: list[Event]) -> bool:
        """Whether the talon is too short for so many cards, so that the hand waits for a pack (G4)."""
        if len(self._talon) >= number:
            return False
        events.append(Reshuffled())
        self.gone = []
        self._reshuffling = True
        self.phase = Phase.DEAL
        return True

    def _throw(self, reason: RedealReason, events: list[Event]) -> None:
        """Give the cards back and deal again (F4, F5, G3)."""
        whole_pack = self.ruleset.rules.whole_pack or reason is RedealReason.TIE
        events.append(CardsThrown(reason, self.cards(), whole_pack))
        if whole_pack:
            self._lay_table()
            self.phase = Phase.DEAL
            return
        for seat in self.order:
            card = self._cards[seat]
            assert card is not None
            self._discard.append(card)
            self.gone.append((card, self._seen[seat]))
            self._at[seat] = -1
        self._deal_cards(events)

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
                self._next_turn(self._position + 1, [], events)
            case Action.SWAP:
                self._swap(events)
            case Action.KUKU:
                self._turn_up(self._at[seat])
                events.append(KukuCalled(seat, by_rule=False))
                self._turn_all_up(events)
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
                self._throw(RedealReason.AGREED, events)

    def _next_turn(self, position: int, path: list[Seat], events: list[Event]) -> None:
        """The turn goes to that place of the order, whose card travelled `path` before (T2, T4, M8)."""
        if position >= len(self.order):
            self._turn_all_up(events)
            return
        self._position = position
        self._path = [*path, self.order[position]]

    def _turn_up(self, card_id: int) -> None:
        self._up |= 1 << card_id
        self._seen[card_id] = _EVERYONE

    def _set_low(self, card_id: int, *, low: bool) -> None:
        """H1 to H4."""
        self._low = self._low | 1 << card_id if low else self._low & ~(1 << card_id)

    def _swap(self, events: list[Event]) -> None:
        """T1: ask the seats on the left, one after the other as far as the first card that does not skip (part 4)."""
        asker = self.order[self._position]
        for position in range(self._position + 1, len(self.order)):
            target = self.order[position]
            card = self.card(target)
            assert card is not None
            effect = _REFUSALS[card]
            if effect is None:
                self._exchange(asker, target, events)
                self.deeds[asker] = Deed.SWAPPED
                self._next_turn(position, self._path, events)
                return
            self._turn_up(self._at[target])
            self.deeds[target] = Deed.PASSED_OVER
            events.append(CardRefused(target, asker, card))
            if effect is not Effect.SKIP:
                self.deeds[asker] = Deed.REFUSED
                self._refuse(effect, asker, events)
                self._next_turn(len(self.order) if effect is Effect.STOP else position + 1, [], events)
                return
        self._draw(events)

    def _exchange(self, asker: Seat, target: Seat, events: list[Event]) -> None:
        """T5, H1 to H3."""
        given, got = self._at[asker], self._at[target]
        self._at[asker], self._at[target] = got, given
        both = 1 << asker | 1 << target
        self._seen[given] |= both
        self._seen[got] |= both
        harlekins = [card_id for card_id in (given, got) if self._cards[card_id] is Card.HARLEKIN]
        for card_id in harlekins:
            self._turn_up(card_id)
            self._set_low(card_id, low=len(harlekins) == 1)
        events.append(Swapped(asker, target, self._cards[given], self._cards[got]))

    def _refuse(self, effect: Effect, asker: Seat, events: list[Event]) -> None:
        """What a matador that does not skip does to the asker, at a seat or on the talon (M3, M5, M6, D2 to D5)."""
        match effect:
            case Effect.UNDO:
                self._undo(events)
            case Effect.STRIKE:
                self._strike(asker, events)

    def _strike(self, seat: Seat, events: list[Event]) -> None:
        self._struck |= 1 << seat
        events.append(SeatStruck(seat))

    def _undo(self, events: list[Event]) -> None:
        """M3, M4: everyone on the way of the offered card holds again what they were dealt."""
        for seat in self._path:
            self._at[seat] = seat
            if self._cards[seat] is Card.HARLEKIN:
                self._set_low(seat, low=self.ruleset.dealt_harlekin is HarlekinRank.LOW)
        events.append(SwapsUndone(tuple(self._path), self.cards(), self.known_by()))
        self._strike(self._path[0], events)

    def _draw(self, events: list[Event]) -> None:
        """Part 5, with which the swapping ends (T4, M2)."""
        drawer = self.order[self._position]
        while True:
            self._drawing = self._lacks(1, events)
            if self._drawing:
                return
            card = self._talon.pop()
            effect = self.ruleset.rules.talon.get(card)
            events.append(Drew(drawer, card, kept=effect is None))
            if effect is None:
                self.deeds[drawer] = Deed.DREW
                self._take(drawer, card)
                break
            self.beside.append(card)
            if effect is not Effect.SKIP:
                self.deeds[drawer] = Deed.REFUSED
                self._refuse(effect, drawer, events)
                break
        self._turn_all_up(events)

    def _take(self, drawer: Seat, card: Card) -> None:
        """D1, D7: the old card goes to the bottom of the talon; H1: a Harlekin that is drawn is high."""
        old = self._at[drawer]
        given = self._cards[old]
        assert given is not None
        self._talon.insert(0, given)
        self.gone.append((given, self._seen[old]))
        drawn = len(self.lives)
        self._cards[drawn] = card
        self._seen[drawn] = 1 << drawer
        self._at[drawer] = drawn

    def _turn_all_up(self, events: list[Event]) -> None:
        """Part 7; a tied duel is dealt again (G3)."""
        for seat in self.order:
            self._turn_up(self._at[seat])
        cards = self.cards()
        low = self.low_harlekins
        lost = losers({seat: card for seat in self.order if (card := cards[seat]) is not None}, self.struck, low)
        lives = tuple(had - (seat in lost) for seat, had in enumerate(self.lives))
        self.showdown = Showdown(cards, self.struck, low, lost, lives)
        events.append(self.showdown)
        self.phase = Phase.OVER
        if self.ruleset.rules.ties_again and self.is_duel and not self._struck:
            first, second = (cards[seat] for seat in self.order)
            if first is second:
                self.showdown = None
                self._throw(RedealReason.TIE, events)
