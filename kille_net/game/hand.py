"""One hand: a deal, the swaps, the showdown (rules.md, parts 2 to 7, and the asks of part 8).

Owns what may happen in a hand, and what follows. Chance is handed to it as packs that are shuffled already; it
refuses to know who the players are, what time it is and what a hand is worth (`match` does).
"""

from enum import Enum
from functools import partial
from typing import Any, ClassVar, Final

from kille_net.game.actions import ANSWERS, CALL, ON_FIRST_TURN, ON_TURN, Action, IllegalAction, Phase, Refusal
from kille_net.game.cards import Card, Pack
from kille_net.game.compiling import mypyc_attr
from kille_net.game.events import (
    STOOD,
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
    Swapped,
    SwapsUndone,
)
from kille_net.game.rules import FORMATS, MAX_SEATS, MIN_SEATS, REFUSALS, Effect, HarlekinRank, Ruleset, Seat
from kille_net.game.showdown import losers
from kille_net.game.table import AROUND, SEATS_OF, Table
from kille_net.game.values import remade

__all__ = ["Deed", "Hand"]


class Deed(Enum):
    """What a seat has done with its turn in this hand; known to all."""

    __hash__ = object.__hash__  # an enum's own is a function of Python

    WAITS = "waits"
    STOOD = "stood"
    SWAPPED = "swapped"
    DREW = "drew"
    REFUSED = "refused"
    """Its swap was refused, by a seat or by the talon."""
    PASSED_OVER = "passed_over"
    """Its card refused a swap, so it has no turn (T2, M1, M3, M5, M6)."""


# Words of every question, which Python 3.11 looks up in an enum by a function.
_DEAL: Final = Phase.DEAL
_TURN: Final = Phase.TURN
_ASKED: Final = Phase.ASKED
_MIDDLE: Final = Phase.MIDDLE
_OVER: Final = Phase.OVER
_STAND: Final = Action.STAND
_SWAP: Final = Action.SWAP
_CALL: Final = Action.KUKU
_ASK: Final = Action.ASK
_REFUSE: Final = Action.REFUSE
_DEPENDS: Final = Action.DEPENDS
_WAITS_EACH: Final = [[Deed.WAITS] * seats for seats in range(MAX_SEATS + 1)]
_STOOD: Final = Deed.STOOD
_SWAPPED: Final = Deed.SWAPPED
_DREW: Final = Deed.DREW
_REFUSED: Final = Deed.REFUSED
_PASSED_OVER: Final = Deed.PASSED_OVER
_KUKU: Final = Card.KUKU
_HARLEKIN: Final = Card.HARLEKIN
_SKIP: Final = Effect.SKIP
_UNDO: Final = Effect.UNDO
_STRIKE: Final = Effect.STRIKE
_STOP: Final = Effect.STOP
_LOW: Final = HarlekinRank.LOW
_AT_SEATS: Final = tuple([REFUSALS.get(card) for card in Card])
_RULES: Final = dict(FORMATS)
_ON_TALON: Final = {game: tuple([rules.talon.get(card) for card in Card]) for game, rules in FORMATS.items()}


@mypyc_attr(acyclic=True, free_list_len=1)
class Hand:
    """A hand between its first deal and its showdown.

    `lives` are those before the hand, by seat; a seat with none is not in it (S1). Wants a pack (`deal`) while
    `phase` is DEAL, otherwise an action (`act`); when `phase` is OVER, `showdown` tells how it ended.
    """

    __slots__: ClassVar = (
        "_drawing",
        "_position",
        "_reshuffling",
        "_rules",
        "_start",
        "asks",
        "dealer",
        "deeds",
        "lives",
        "open",
        "order",
        "phase",
        "ruleset",
        "showdown",
        "strikes",
        "table",
        "to_act",
    )

    def __init__(self, ruleset: Ruleset, lives: tuple[int, ...], dealer: Seat) -> None:
        """Raises ValueError when fewer than two seats, or not the dealer, have lives."""
        self.lives: Final = lives
        seats = len(lives)
        self.order: Final = tuple([seat for seat in AROUND[seats][dealer] if lives[seat]])
        """The seats in the hand as they speak, the dealer last (S3)."""
        if len(self.order) < MIN_SEATS or self.order[-1] != dealer:
            raise ValueError("a hand needs two seats with lives, and the dealer to be one of them")
        self.ruleset: Final = ruleset
        self.dealer: Final = dealer
        self.table = Table(seats, dealt_low=ruleset.dealt_harlekin is _LOW)
        self.asks = 0
        """Asks for better cards accepted in this hand."""
        self.showdown: Showdown | None = None
        self._rules: Final = _RULES[ruleset.format]
        self._reshuffling = False
        self._drawing = False
        self._wait(_DEAL, None, 0)
        self._begin()

    def _begin(self) -> None:
        """Nobody has spoken."""
        self._position = 0  # of the turn in `order`
        self._start = 0  # the place in `order` from which the card on turn has travelled
        self.strikes = 0
        """As `struck`, as bits."""
        self.deeds = _WAITS_EACH[len(self.lives)].copy()

    def _wait(self, phase: Phase, seat: Seat | None, actions: int) -> None:
        """From now on for an answer of the seat, one of these actions, as bits, or else for nobody."""
        self.phase = phase
        self.to_act = seat
        """Whose answer is open, or None."""
        self.open = actions
        """What that seat may do, beside calling a Kuku, as bits."""

    def copy(self) -> "Hand":
        """An independent hand in the same state."""
        twin = Hand(self.ruleset, self.lives, self.dealer)
        twin.table = self.table.copy()
        twin.phase = self.phase
        twin.to_act = self.to_act
        twin.asks = self.asks
        twin.showdown = self.showdown
        twin.deeds = self.deeds[:]
        twin.open = self.open
        twin._reshuffling = self._reshuffling
        twin._drawing = self._drawing
        twin._position = self._position
        twin._start = self._start
        twin.strikes = self.strikes
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        made = partial(Hand, self.ruleset, self.lives, self.dealer)
        return remade(self, made, "ruleset", "lives", "dealer", "order", "_rules")

    # --- what is open ---------------------------------------------------------------------------------------------

    @property
    def struck(self) -> tuple[Seat, ...]:
        """Ascending."""
        return SEATS_OF[self.strikes]

    def legal(self, seat: Seat) -> int:
        """What the seat may do now, as bits (`Action`). The one check of what is listed, asked and done."""
        to_act = self.to_act
        if to_act is not None and seat == to_act:
            actions = self.open
        elif self.open and seat in self.order:
            actions = 0
        else:
            return 0
        return actions | CALL if self.table.held[seat] is _KUKU else actions  # M7, M9

    def why_not(self, seat: Seat, action: Action) -> Refusal | None:
        """Why the seat may not do this now; None: it may."""
        return None if self.legal(seat) >> action & 1 else self._refusal(seat, action)

    def _refusal(self, seat: Seat, action: Action) -> Refusal:
        """Why the action is not `legal`."""
        if not self.open:
            return Refusal.NO_HAND
        if seat not in self.order:
            return Refusal.NOT_IN_HAND
        if action is Action.KUKU:
            return Refusal.NO_KUKU
        if seat != self.to_act:
            return Refusal.NOT_ASKED if action.is_answer else Refusal.NOT_YOUR_TURN
        if self.phase is Phase.TURN:
            return Refusal.NOT_ASKED if action.is_answer else Refusal.CANNOT_ASK
        return Refusal.WRONG_ANSWER if action.is_answer else Refusal.MUST_ANSWER

    def kuku_seats(self) -> tuple[Seat, ...]:
        """The seats that may call Kuku now, as they speak (M7)."""
        held = self.table.held
        if not self.open or _KUKU not in held:
            return ()
        return tuple([seat for seat in self.order if held[seat] is _KUKU])

    def break_off(self) -> None:
        """It goes on no more."""
        self._wait(_OVER, None, 0)

    # --- the deal -------------------------------------------------------------------------------------------------

    def deal(self, pack: Pack) -> list[Event]:
        """Go on with this pack. Raises IllegalAction unless `phase` is DEAL; trusts that it is a pack (`is_pack`)."""
        if self.phase is not _DEAL:
            raise IllegalAction(Refusal.NO_HAND)
        if self._reshuffling:
            self.table.reshuffle(pack)
            self._reshuffling = False
        else:
            self.table.stack(pack)
        events: list[Event] = []
        if self._drawing:
            self._draw(events)
        else:
            self._deal_cards(events)
        return events

    def _deal_cards(self, events: list[Event]) -> None:
        """S2, and what F5 and G3 say of two seats."""
        order, rules = self.order, self._rules
        table = self.table
        if table.lacks(len(order)):
            self._reshuffle(events)
            return
        table.deal(order)
        held = table.held
        events.append(Dealt(tuple(held)))
        may_ask = len(order) in rules.ask_at and (rules.max_asks is None or self.asks < rules.max_asks)  # F4, G3, G6
        self._wait(_TURN, order[0], ON_FIRST_TURN if may_ask else ON_TURN)
        if len(order) > MIN_SEATS:
            return
        one, other = held[order[0]], held[order[1]]
        if one is _HARLEKIN or other is _HARLEKIN:
            self._turn_up_all(_HARLEKIN)
            self._deal_again(RedealReason.HARLEKIN, events)
        elif rules.kuku_shows_itself and (one is _KUKU or other is _KUKU):
            events += [KukuCalled(seat, by_rule=True) for seat in self._turn_up_all(_KUKU)]
            self._end(events)

    def _turn_up_all(self, card: Card) -> list[Seat]:
        seats = [seat for seat in self.order if self.table.card(seat) is card]
        for seat in seats:
            self.table.turn_up(seat)
        return seats

    def _reshuffle(self, events: list[Event]) -> None:
        """The talon is too short, so that the hand waits for a pack (G4)."""
        events.append(Reshuffled())
        self.table.gone = ()
        self._reshuffling = True
        self._wait(_DEAL, None, 0)

    def _deal_again(self, reason: RedealReason, events: list[Event]) -> None:
        """Give the cards back and deal others (F4, F5, G3)."""
        whole_pack = self._rules.whole_pack or reason is RedealReason.TIE
        events.append(CardsThrown(reason, self.table.cards(), whole_pack))
        self.table.throw(self.order)
        self._begin()
        if whole_pack:
            self.table.gone = ()
            self._wait(_DEAL, None, 0)
        else:
            self._deal_cards(events)

    # --- the turns ------------------------------------------------------------------------------------------------

    def act(self, seat: Seat, action: Action) -> list[Event]:
        """What follows from it. Raises IllegalAction, and changes nothing, unless `why_not` is None."""
        number: int = action
        if not self.legal(seat) >> number & 1:
            raise IllegalAction(self._refusal(seat, action))
        events: list[Event] = []
        if action is _STAND:
            events.append(STOOD[seat])
            self.deeds[seat] = _STOOD
            after = self._position + 1
            self._next_turn(after, after, events)
        elif action is _SWAP:
            self._swap(seat, events)
        elif action is _CALL:
            self.table.turn_up(seat)
            events.append(KukuCalled(seat, by_rule=False))
            self._end(events)
        elif action is _ASK:
            events.append(BetterCardsAsked(seat))
            self._wait(_ASKED, self.dealer, ANSWERS[_ASKED][len(self.order)])
        else:
            self._answer(seat, action, events)
        return events

    def _answer(self, seat: Seat, answer: Action, events: list[Event]) -> None:
        """F4, G3."""
        events.append(AskAnswered(seat, answer))
        if answer is _DEPENDS:
            self._wait(_MIDDLE, self.order[1], ANSWERS[_MIDDLE][len(self.order)])
        elif answer is _REFUSE:
            self._wait(_TURN, self.order[0], ON_TURN)
        else:
            self.asks += 1
            self._deal_again(RedealReason.AGREED, events)

    def _next_turn(self, position: int, start: int, events: list[Event]) -> None:
        """The turn goes to that place of the order, whose card has travelled from `start` (T2, T4, M8)."""
        order = self.order
        if position >= len(order):
            self._end(events)
            return
        self._position = position
        self._start = start
        self.to_act = order[position]
        self.open = ON_TURN

    def _swap(self, asker: Seat, events: list[Event]) -> None:
        """T1: ask the seats on the left, one after the other as far as the first card that does not skip (part 4)."""
        table, order = self.table, self.order
        held = table.held
        for position in range(self._position + 1, len(order)):
            target = order[position]
            card = held[target]
            assert card is not None
            effect = _AT_SEATS[card]
            if effect is None:
                events.append(Swapped(asker, target, held[asker], card))
                table.exchange(asker, target)
                self.deeds[asker] = _SWAPPED
                self._next_turn(position, self._start, events)
                return
            table.turn_up(target)
            self.deeds[target] = _PASSED_OVER
            events.append(CardRefused(target, asker, card))
            if effect is not _SKIP:
                self._refuse(effect, asker, events)
                after = len(order) if effect is _STOP else position + 1
                self._next_turn(after, after, events)
                return
        self._draw(events)

    def _draw(self, events: list[Event]) -> None:
        """Part 5, with which the swapping ends (T4, M2)."""
        drawer = self.order[self._position]
        effects = _ON_TALON[self.ruleset.format]
        table = self.table
        self._drawing = True
        while True:
            if table.lacks(1):
                self._reshuffle(events)
                return
            card = table.draw()
            effect = effects[card]
            events.append(Drew(drawer, card, effect is None))
            if effect is None:
                table.take(drawer, card)
                self.deeds[drawer] = _DREW
                break
            table.beside += (card,)
            if effect is not _SKIP:
                self._refuse(effect, drawer, events)
                break
        self._drawing = False
        self._end(events)

    def _refuse(self, effect: Effect, asker: Seat, events: list[Event]) -> None:
        """What a matador that does not skip does to the asker, at a seat or on the talon (M3, M5, M6, D2 to D5)."""
        self.deeds[asker] = _REFUSED
        if effect is _UNDO:
            way = self.order[self._start : self._position + 1]
            path = tuple([seat for seat in way if self.deeds[seat] is not _PASSED_OVER])
            self.table.send_back(path)
            events.append(SwapsUndone(path, self.table.cards(), self.table.known_by()))
            self._strike(path[0], events)
        elif effect is _STRIKE:
            self._strike(asker, events)

    def _strike(self, seat: Seat, events: list[Event]) -> None:
        self.strikes |= 1 << seat
        events.append(SeatStruck(seat))

    # --- the showdown ---------------------------------------------------------------------------------------------

    def _end(self, events: list[Event]) -> None:
        """Part 7; a tied duel is dealt again (G3)."""
        self.table.turn_up_all(self.order)
        cards = self.table.cards()
        low = self.table.low
        lost = SEATS_OF[losers(cards, self.strikes, low)]
        lives = list(self.lives)
        for seat in lost:
            lives[seat] = lives[seat] - 1
        showdown = Showdown(cards, SEATS_OF[self.strikes], SEATS_OF[low], lost, tuple(lives))
        events.append(showdown)
        self._wait(_OVER, None, 0)
        if len(self.order) == MIN_SEATS and self._rules.ties_again and not self.strikes:
            first, second = self.order
            if cards[first] is cards[second]:
                self._deal_again(RedealReason.TIE, events)
                return
        self.showdown = showdown
