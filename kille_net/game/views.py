"""What a seat may know: the only ways out for hidden cards (rule T5).

`redact` and `observe` build from what may be told, never by taking away. `folding` keeps a view up to date from
redacted events alone, and gives what `observe` gives.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, TypeAlias

from kille_net.game.actions import ACTIONS_OF, ANSWERS, CALL, ON_FIRST_TURN, ON_TURN, Action, Phase
from kille_net.game.cards import Card
from kille_net.game.compiling import mypyc_attr
from kille_net.game.events import (
    CardsThrown,
    Dealt,
    Drew,
    Event,
    HiddenCard,
    RedealReason,
    Swapped,
    SwapsUndone,
)
from kille_net.game.hand import Deed
from kille_net.game.match import Match
from kille_net.game.rules import Ruleset, Seat
from kille_net.game.table import AROUND, SEATS_OF, bit_of
from kille_net.game.values import Value

__all__ = ["View", "observe", "privy", "redact"]

Viewer: TypeAlias = Seat | None
"""A seat; None: a spectator."""


# Words of every question, which Python 3.11 looks up in an enum by a function.
_DEAL: Final = Phase.DEAL
_TURN: Final = Phase.TURN
_OVER: Final = Phase.OVER
_KUKU: Final = Card.KUKU


@mypyc_attr(acyclic=True, free_list_len=1)
@dataclass(init=False, slots=True, unsafe_hash=True)
class View(Value):
    """All that one seat, or a spectator, may know of a match; per-seat fields are in seat order."""

    rules: Final[Ruleset]
    seat: Final[Viewer]
    hand: Final[int]
    """Counts the hands of the match from 1; 0: none has begun."""
    pot: Final[int | None]
    """None: the slutspel."""
    dealer: Final[Seat]
    lives: Final[tuple[int, ...]]
    points: Final[tuple[int, ...]]
    phase: Final[Phase]
    to_act: Final[Seat | None]
    cards: Final[tuple[HiddenCard, ...]]
    """What each seat holds, as far as the viewer knows: its own, those face up, those that passed through its hands."""
    origins: Final[tuple[int | None, ...]]
    """The seat that each seat's card was dealt to; the number of seats: drawn from the talon. Known to all."""
    face_up: Final[tuple[Seat, ...]]
    low_harlekins: Final[tuple[Seat, ...]]
    """Those known to the viewer."""
    struck: Final[tuple[Seat, ...]]
    deeds: Final[tuple[Deed, ...]]
    beside: Final[tuple[Card, ...]]
    """Matadors drawn from the talon in this hand (D6)."""
    gone: Final[tuple[Card, ...]]
    """Cards that the viewer knows to be out of the seats' hands: given for what was drawn or dealt again."""
    asks: Final[int]
    """Asks for better cards accepted in this hand."""
    can_ask: Final[bool]
    """Whether the first to speak may still ask (F4, G3)."""

    def __init__(
        self,
        rules: Ruleset,
        seat: Viewer,
        hand: int,
        pot: int | None,
        dealer: Seat,
        lives: tuple[int, ...],
        points: tuple[int, ...],
        phase: Phase,
        to_act: Seat | None,
        cards: tuple[HiddenCard, ...],
        origins: tuple[int | None, ...],
        face_up: tuple[Seat, ...],
        low_harlekins: tuple[Seat, ...],
        struck: tuple[Seat, ...],
        deeds: tuple[Deed, ...],
        beside: tuple[Card, ...],
        gone: tuple[Card, ...],
        asks: int,
        can_ask: bool,
    ) -> None:
        self.rules = rules
        self.seat = seat
        self.hand = hand
        self.pot = pot
        self.dealer = dealer
        self.lives = lives
        self.points = points
        self.phase = phase
        self.to_act = to_act
        self.cards = cards
        self.origins = origins
        self.face_up = face_up
        self.low_harlekins = low_harlekins
        self.struck = struck
        self.deeds = deeds
        self.beside = beside
        self.gone = gone
        self.asks = asks
        self.can_ask = can_ask

    @property
    def card(self) -> Card:
        """The viewer's own card. Raises LookupError where there is none: a spectator's, that of a seat that is out."""
        card = None if self.seat is None else self.cards[self.seat]
        if card is None:
            raise LookupError("the viewer holds no card")
        return card

    @property
    def order(self) -> tuple[Seat, ...]:
        """The seats in the hand as they speak, the dealer last (S3); those with a card, once it is dealt."""
        origins = self.origins
        return tuple([seat for seat in AROUND[len(origins)][self.dealer] if origins[seat] is not None])

    @property
    def legal(self) -> tuple[Action, ...]:
        """What the viewer may do now, in the order of `Action`; the same as the table's own list."""
        seat, phase = self.seat, self.phase
        if seat is None or phase is _DEAL or phase is _OVER:
            return ()
        to_act = self.to_act
        if to_act is None or seat != to_act:
            bits = 0
        elif phase is _TURN:
            bits = ON_FIRST_TURN if self.can_ask else ON_TURN
        else:
            bits = ANSWERS[phase][len(self.order)]
        return ACTIONS_OF[bits | CALL if self.cards[seat] is _KUKU else bits]


def _known(bit: int, cards: list[HiddenCard], known_by: list[int]) -> tuple[HiddenCard, ...]:
    """Of these cards by seat those that the viewer of that bit knows."""
    told = cards.copy()
    for seat, known in enumerate(known_by):
        if not known & bit:
            told[seat] = None
    return tuple(told)


def observe(match: Match, viewer: Viewer) -> View:
    """The view of a seat, or of a spectator, now."""
    hand = match.hand
    if hand is None:
        return _before_first_hand(match, viewer)
    table = hand.table
    bit = bit_of(viewer)
    cards = _known(bit, table.held, table.seen)
    low = table.low
    return View(
        match.ruleset,
        viewer,
        match.number,
        match.pot,
        hand.dealer,
        match.lives,
        match.points,
        hand.phase,
        hand.to_act,
        cards,
        tuple(table.origin),
        SEATS_OF[table.up],
        tuple([seat for seat in SEATS_OF[low] if cards[seat] is not None]) if low else (),
        SEATS_OF[hand.strikes],
        tuple(hand.deeds),
        table.beside,
        tuple([card for card, known_by in table.gone if known_by & bit]) if table.gone else (),
        hand.asks,
        hand.open == ON_FIRST_TURN,
    )


def _before_first_hand(match: Match, viewer: Viewer) -> View:
    seats = match.seats
    return View(
        rules=match.ruleset,
        seat=viewer,
        hand=0,
        pot=match.pot,
        dealer=match.dealer,
        lives=match.lives,
        points=match.points,
        phase=Phase.DEAL,
        to_act=None,
        cards=(None,) * seats,
        origins=(None,) * seats,
        face_up=(),
        low_harlekins=(),
        struck=(),
        deeds=(Deed.WAITS,) * seats,
        beside=(),
        gone=(),
        asks=0,
        can_ask=False,
    )


# --- events ---------------------------------------------------------------------------------------------------------


def redact(event: Event, viewer: Viewer) -> Event:
    """What a seat, or a spectator, may see of it."""
    match event:
        case Dealt(cards):
            return Dealt(tuple(card if seat == viewer else None for seat, card in enumerate(cards)))
        case Swapped(seat, target, gave, got) if viewer not in {seat, target}:
            return Swapped(seat, target, _only_harlekin(gave), _only_harlekin(got))  # T5, H3
        case SwapsUndone(path, cards, known_by):
            return SwapsUndone(path, _known(bit_of(viewer), [*cards], [*known_by]), ())
        case Drew(seat, _, kept) if kept and seat != viewer:
            return Drew(seat, None, kept)  # D1
        case CardsThrown(reason, cards, whole_pack):
            shown = (
                cards
                if reason is RedealReason.TIE
                else tuple(
                    card if seat == viewer or (reason is RedealReason.HARLEKIN and card is Card.HARLEKIN) else None
                    for seat, card in enumerate(cards)
                )
            )
            return CardsThrown(reason, shown, whole_pack)
    return event


def privy(event: Event) -> Collection[Seat]:
    """The seats that may see more of it than everybody: to no other does `redact` show more."""
    match event:
        case Swapped(seat, target):
            return seat, target
        case Drew(seat):
            return (seat,)
        case Dealt(cards) | CardsThrown(_, cards) | SwapsUndone(_, cards):
            return range(len(cards))
    return ()


def _only_harlekin(card: HiddenCard) -> HiddenCard:
    return card if card is Card.HARLEKIN else None
