"""Game values ↔ wire messages, pure, both ways (protocol/v1/protocol.md §7).

The only file that knows both. Whatever it turns into a message has been redacted before: it hides nothing, and
refuses to know who receives it.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Final, TypeVar

from kille_net.game import actions, cards, events, hand, rules, views
from kille_net.game.table import SEATS_OF
from kille_net.wire import messages as wire

__all__ = [
    "from_do",
    "from_event",
    "from_hidden",
    "from_legal",
    "from_move",
    "from_view",
    "to_do",
    "to_event",
    "to_legal",
    "to_phase",
    "to_refusal",
    "to_rules",
    "to_ruleset",
    "to_view",
]

_Ours = TypeVar("_Ours", bound=Enum)
_Theirs = TypeVar("_Theirs", bound=Enum)


def _pairs(ours: type[_Ours], theirs: type[_Theirs]) -> dict[_Ours, _Theirs]:
    """Game words → wire words; both sides have words of the same names, or importing this fails."""
    return {word: theirs[word.name] for word in ours}


def _back(table: Mapping[_Ours, _Theirs]) -> dict[_Theirs, _Ours]:
    return {theirs: ours for ours, theirs in table.items()}


_DO: Final = _pairs(actions.Action, wire.Do)
_PHASE: Final = _pairs(actions.Phase, wire.Phase)
_REFUSAL: Final = _pairs(actions.Refusal, wire.RefusalCode)
_DEED: Final = _pairs(hand.Deed, wire.Deed)
_REASON: Final = _pairs(events.RedealReason, wire.RedealReason)
_FORMAT: Final = _pairs(rules.Format, wire.Format)
_LENGTH: Final = _pairs(rules.Length, wire.Length)
_RANK: Final = _pairs(rules.HarlekinRank, wire.Rank)

_ACTION: Final = _back(_DO)
_FROM_PHASE: Final = _back(_PHASE)
_FROM_DEED: Final = _back(_DEED)
_FROM_REASON: Final = _back(_REASON)
_FROM_FORMAT: Final = _back(_FORMAT)
_FROM_LENGTH: Final = _back(_LENGTH)
_FROM_RANK: Final = _back(_RANK)


# --- words ----------------------------------------------------------------------------------------------------------


def to_do(action: actions.Action) -> wire.Do:
    return _DO[action]


def from_do(do: wire.Do) -> actions.Action:
    return _ACTION[do]


def to_phase(phase: actions.Phase) -> wire.Phase:
    return _PHASE[phase]


def to_refusal(refusal: actions.Refusal) -> wire.RefusalCode:
    return _REFUSAL[refusal]


def to_legal(bits: int) -> int:
    """A set of actions: the bits are the same on both sides (§7.3)."""
    return bits


def from_legal(bits: int) -> tuple[actions.Action, ...]:
    """The actions of a set, in their order."""
    return actions.actions_of(bits)


def to_ruleset(options: wire.Options) -> rules.Ruleset:
    """What a match with these options is played by; `pots` 0 stands for the table of rule F2."""
    return rules.Ruleset.for_seats(
        options.seats,
        format=_FROM_FORMAT[options.format],
        length=_FROM_LENGTH[options.length],
        dealt_harlekin=_FROM_RANK[options.dealt_harlekin],
        pots=options.pots or None,
    )


def to_rules(ruleset: rules.Ruleset) -> wire.Rules:
    return wire.Rules(
        format=_FORMAT[ruleset.format],
        length=_LENGTH[ruleset.length],
        dealt_harlekin=_RANK[ruleset.dealt_harlekin],
        pots=ruleset.pots,
    )


# --- sets and cards -------------------------------------------------------------------------------------------------


_BITS: Final = {seats: bits for bits, seats in enumerate(SEATS_OF)}
"""Ascending seats → the set of them."""


def _bits(seats: tuple[rules.Seat, ...]) -> int:
    return _BITS[seats]


def _flags(seats: tuple[rules.Seat, ...], of: int) -> tuple[bool, ...]:
    return tuple([seat in seats for seat in range(of)])


def _flagged(flags: tuple[bool, ...]) -> tuple[rules.Seat, ...]:
    return tuple([seat for seat, flag in enumerate(flags) if flag])


def _card(number: int | None) -> events.HiddenCard:
    return None if number is None else cards.Card(number)


def _cards(numbers: tuple[int | None, ...]) -> tuple[events.HiddenCard, ...]:
    return tuple([_card(number) for number in numbers])


def _number(card: events.HiddenCard) -> int | None:
    return None if card is None else int(card)


def _numbers(hidden: tuple[events.HiddenCard, ...]) -> tuple[int | None, ...]:
    return tuple([None if card is None else int(card) for card in hidden])


# --- views ----------------------------------------------------------------------------------------------------------


def to_view(view: views.View) -> wire.View:
    return wire.View(
        rules=to_rules(view.rules),
        seat=view.seat,
        hand=view.hand,
        pot=view.pot,
        dealer=view.dealer,
        lives=view.lives,
        points=view.points,
        phase=_PHASE[view.phase],
        to_act=view.to_act,
        cards=_numbers(view.cards),
        origins=view.origins,
        face_up=_bits(view.face_up),
        low=_flags(view.low_harlekins, len(view.cards)),
        struck=_bits(view.struck),
        deeds=tuple([_DEED[deed] for deed in view.deeds]),
        beside=tuple([int(card) for card in view.beside]),
        gone=tuple([int(card) for card in view.gone]),
        asks=view.asks,
        can_ask=view.can_ask,
    )


def from_view(view: wire.View) -> views.View:
    """The view that a message carries; what only one side can have broken in it is not looked for."""
    return views.View(
        rules=rules.Ruleset(
            format=_FROM_FORMAT[view.rules.format],
            length=_FROM_LENGTH[view.rules.length],
            dealt_harlekin=_FROM_RANK[view.rules.dealt_harlekin],
            pots=view.rules.pots,
        ),
        seat=view.seat,
        hand=view.hand,
        pot=view.pot,
        dealer=view.dealer,
        lives=view.lives,
        points=view.points,
        phase=_FROM_PHASE[view.phase],
        to_act=view.to_act,
        cards=_cards(view.cards),
        origins=view.origins,
        face_up=SEATS_OF[view.face_up],
        low_harlekins=_flagged(view.low),
        struck=SEATS_OF[view.struck],
        deeds=tuple(_FROM_DEED[deed] for deed in view.deeds),
        beside=tuple(cards.Card(number) for number in view.beside),
        gone=tuple(cards.Card(number) for number in view.gone),
        asks=view.asks,
        can_ask=view.can_ask,
    )


# --- hands that are over ---------------------------------------------------------------------------------------------


def from_hidden(numbers: tuple[int | None, ...]) -> tuple[events.HiddenCard, ...]:
    return _cards(numbers)


def from_move(move: wire.Move, before: tuple[events.HiddenCard, ...]) -> events.Event | None:
    """What happened, to whom these cards were dealt; None: a swap that was refused, or undone."""
    seat = move.seat
    match move.do:
        case wire.Do.STAND:
            return events.Stood(seat)
        case wire.Do.KUKU:
            return events.KukuCalled(seat, by_rule=False)
        case wire.Do.ASK:
            return events.BetterCardsAsked(seat)
        case wire.Do.SWAP:
            if move.target is None:
                return None
            if move.target == len(before):
                return events.Drew(seat, _card(move.cards[seat]), kept=True)
            return events.Swapped(seat, move.target, before[seat], before[move.target])
    return events.AskAnswered(seat, _ACTION[move.do])


# --- events ---------------------------------------------------------------------------------------------------------


def to_event(event: events.Event, seq: int) -> wire.GameEvent:
    """The message that tells a (redacted) event."""
    return _TO[type(event)](event, seq)


def from_event(message: wire.GameEvent) -> events.Event:
    """The event that a message tells."""
    return _FROM[type(message)](message)


_TO: Final[Mapping[type, Callable[[Any, int], wire.GameEvent]]] = {
    events.HandBegan: lambda e, seq: wire.HandBegan(
        seq=seq, hand=e.number, pot=e.pot, dealer=e.dealer, lives=e.lives, points=e.points
    ),
    events.Dealt: lambda e, seq: wire.Dealt(seq=seq, cards=_numbers(e.cards)),
    events.Stood: lambda e, seq: wire.Stood(seq=seq, seat=e.seat),
    events.Swapped: lambda e, seq: wire.Swapped(
        seq=seq, seat=e.seat, target=e.target, gave=_number(e.gave), got=_number(e.got)
    ),
    events.CardRefused: lambda e, seq: wire.CardRefused(seq=seq, seat=e.seat, asker=e.asker, card=int(e.card)),
    events.SwapsUndone: lambda e, seq: wire.SwapsUndone(seq=seq, path=e.path, cards=_numbers(e.cards)),
    events.SeatStruck: lambda e, seq: wire.SeatStruck(seq=seq, seat=e.seat),
    events.Drew: lambda e, seq: wire.Drew(seq=seq, seat=e.seat, card=_number(e.card), kept=e.kept),
    events.BetterCardsAsked: lambda e, seq: wire.BetterCardsAsked(seq=seq, seat=e.seat),
    events.AskAnswered: lambda e, seq: wire.AskAnswered(seq=seq, seat=e.seat, do=_DO[e.answer]),
    events.CardsThrown: lambda e, seq: wire.CardsThrown(
        seq=seq, reason=_REASON[e.reason], cards=_numbers(e.cards), whole_pack=e.whole_pack
    ),
    events.Reshuffled: lambda _, seq: wire.Reshuffled(seq=seq),
    events.KukuCalled: lambda e, seq: wire.KukuCalled(seq=seq, seat=e.seat, by_rule=e.by_rule),
    events.Showdown: lambda e, seq: wire.Showdown(
        seq=seq,
        cards=_numbers(e.cards),
        struck=_bits(e.struck),
        low=_flags(e.low_harlekins, len(e.cards)),
        lost=_bits(e.lost),
        lives=e.lives,
    ),
    events.PotWon: lambda e, seq: wire.PotWon(seq=seq, pot=e.pot, seat=e.winner, points=e.points),
    events.MatchEnded: lambda e, seq: wire.MatchEnded(seq=seq, winner=e.winner, points=e.points, reason=e.reason),
}

_FROM: Final[Mapping[type, Callable[[Any], events.Event]]] = {
    wire.HandBegan: lambda m: events.HandBegan(m.hand, m.pot, m.dealer, m.lives, m.points),
    wire.Dealt: lambda m: events.Dealt(_cards(m.cards)),
    wire.Stood: lambda m: events.Stood(m.seat),
    wire.Swapped: lambda m: events.Swapped(m.seat, m.target, _card(m.gave), _card(m.got)),
    wire.CardRefused: lambda m: events.CardRefused(m.seat, m.asker, cards.Card(m.card)),
    wire.SwapsUndone: lambda m: events.SwapsUndone(m.path, _cards(m.cards), ()),
    wire.SeatStruck: lambda m: events.SeatStruck(m.seat),
    wire.Drew: lambda m: events.Drew(m.seat, _card(m.card), m.kept),
    wire.BetterCardsAsked: lambda m: events.BetterCardsAsked(m.seat),
    wire.AskAnswered: lambda m: events.AskAnswered(m.seat, _ACTION[m.do]),
    wire.CardsThrown: lambda m: events.CardsThrown(_FROM_REASON[m.reason], _cards(m.cards), m.whole_pack),
    wire.Reshuffled: lambda _: events.Reshuffled(),
    wire.KukuCalled: lambda m: events.KukuCalled(m.seat, m.by_rule),
    wire.Showdown: lambda m: events.Showdown(
        _cards(m.cards), SEATS_OF[m.struck], _flagged(m.low), SEATS_OF[m.lost], m.lives
    ),
    wire.PotWon: lambda m: events.PotWon(m.pot, m.seat, m.points),
    wire.MatchEnded: lambda m: events.MatchEnded(m.winner, m.points, m.reason),
}
