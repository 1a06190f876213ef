"""Keeping a view up to date from redacted events alone: what a client or a bot with a memory does (rule T5).

Owns how each event changes a view; the result is what `views.observe` gives. It sees nothing but the events, so that
nothing can come into a view by another way.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

from kille_net.game.actions import Action, Phase
from kille_net.game.cards import Card
from kille_net.game.events import (
    AskAnswered,
    BetterCardsAsked,
    CardRefused,
    CardsThrown,
    Dealt,
    Drew,
    Event,
    HandBegan,
    KukuCalled,
    MatchEnded,
    PotWon,
    Reshuffled,
    SeatStruck,
    Showdown,
    Stood,
    Swapped,
    SwapsUndone,
)
from kille_net.game.hand import Deed
from kille_net.game.rules import REFUSALS, Effect, HarlekinRank, Seat
from kille_net.game.views import View

__all__ = ["fold"]

_T = TypeVar("_T")


def fold(view: View, event: Event) -> View:
    """The view after a redacted event; whole again after all the events of one action."""
    return _FOLDS[type(event)](view, event)


def _set(values: tuple[_T, ...], changes: Mapping[int, _T]) -> tuple[_T, ...]:
    return tuple(changes.get(k, value) for k, value in enumerate(values))


def _after(view: View, seat: Seat) -> Seat | None:
    later = view.order[view.order.index(seat) + 1 :]
    return later[0] if later else None


def _hand_began(view: View, event: HandBegan) -> View:
    return replace(
        _bare(view),
        hand=event.number,
        pot=event.pot,
        dealer=event.dealer,
        lives=event.lives,
        points=event.points,
        gone=(),
        beside=(),
        asks=0,
    )


def _bare(view: View) -> View:
    """The table before a deal."""
    seats = len(view.lives)
    return replace(
        view,
        phase=Phase.DEAL,
        to_act=None,
        cards=(None,) * seats,
        origins=(None,) * seats,
        face_up=(),
        low_harlekins=(),
        struck=(),
        deeds=(Deed.WAITS,) * seats,
        can_ask=False,
    )


def _dealt(view: View, event: Dealt) -> View:
    alive = [seat for seat, lives in enumerate(view.lives) if lives]
    view = replace(
        view, cards=event.cards, origins=tuple(seat if seat in alive else None for seat in range(len(view.lives)))
    )
    most = view.rules.rules.max_asks
    return replace(
        view,
        phase=Phase.TURN,
        to_act=view.order[0],
        low_harlekins=_as_dealt(view, alive),
        beside=(),
        can_ask=len(alive) in view.rules.rules.ask_at and (most is None or view.asks < most),
    )


def _as_dealt(view: View, seats: Sequence[Seat]) -> tuple[Seat, ...]:
    """Which of the seats hold a dealt Harlekin that is low (H4), as far as the viewer knows."""
    if view.rules.dealt_harlekin is HarlekinRank.HIGH:
        return ()
    return tuple(seat for seat in sorted(seats) if view.cards[seat] is Card.HARLEKIN)


def _stood(view: View, event: Stood) -> View:
    deeds = _set(view.deeds, {event.seat: Deed.STOOD})
    return replace(view, deeds=deeds, to_act=_after(view, event.seat), can_ask=False)


def _swapped(view: View, event: Swapped) -> View:
    seat, target, gave, got = event.seat, event.target, event.gave, event.got
    cards, origins = view.cards, view.origins
    harlekins = {s for s, card in ((target, gave), (seat, got)) if card is Card.HARLEKIN}
    places = {seat: target, target: seat}
    low = {s for s in view.low_harlekins if s not in places} | (harlekins if len(harlekins) == 1 else set())
    return replace(
        view,
        cards=_set(cards, {seat: cards[target] if got is None else got, target: cards[seat] if gave is None else gave}),
        origins=_set(origins, {seat: origins[target], target: origins[seat]}),
        face_up=tuple(sorted({places.get(s, s) for s in view.face_up} | harlekins)),
        low_harlekins=tuple(sorted(low)),
        deeds=_set(view.deeds, {seat: Deed.SWAPPED}),
        to_act=target,
        can_ask=False,
    )


def _card_refused(view: View, event: CardRefused) -> View:
    deeds = {event.seat: Deed.PASSED_OVER}
    to_act: Seat | None = event.asker
    effect = REFUSALS[event.card]
    if effect is not Effect.SKIP:
        deeds[event.asker] = Deed.REFUSED
        to_act = None if effect is Effect.STOP else _after(view, event.seat)
    return replace(
        view,
        cards=_set(view.cards, {event.seat: event.card}),
        face_up=tuple(sorted({*view.face_up, event.seat})),
        deeds=_set(view.deeds, deeds),
        to_act=to_act,
        can_ask=False,
    )


def _swaps_undone(view: View, event: SwapsUndone) -> View:
    up = {view.origins[seat] for seat in view.face_up}
    origins = _set(view.origins, {seat: seat for seat in event.path})
    low = {seat for seat in view.low_harlekins if seat not in event.path}
    view = replace(
        view,
        cards=event.cards,
        origins=origins,
        face_up=tuple(seat for seat, origin in enumerate(origins) if origin is not None and origin in up),
    )
    return replace(view, low_harlekins=tuple(sorted({*low, *_as_dealt(view, event.path)})))


def _seat_struck(view: View, event: SeatStruck) -> View:
    return replace(view, struck=tuple(sorted({*view.struck, event.seat})))


def _drew(view: View, event: Drew) -> View:
    seat = event.seat
    if event.kept:
        old = view.cards[seat]
        return replace(
            view,
            cards=_set(view.cards, {seat: event.card}),
            origins=_set(view.origins, {seat: len(view.lives)}),
            face_up=tuple(s for s in view.face_up if s != seat),
            low_harlekins=tuple(s for s in view.low_harlekins if s != seat),
            deeds=_set(view.deeds, {seat: Deed.DREW}),
            gone=view.gone if old is None else (*view.gone, old),
            can_ask=False,
        )
    assert event.card is not None
    skips = view.rules.rules.talon[event.card] is Effect.SKIP
    deeds = view.deeds if skips else _set(view.deeds, {seat: Deed.REFUSED})
    return replace(view, beside=(*view.beside, event.card), deeds=deeds, can_ask=False)


def _better_cards_asked(view: View, _event: BetterCardsAsked) -> View:
    return replace(view, phase=Phase.ASKED, to_act=view.dealer, can_ask=False)


def _ask_answered(view: View, event: AskAnswered) -> View:
    match event.answer:
        case Action.DEPENDS:
            return replace(view, phase=Phase.MIDDLE, to_act=view.order[1])
        case Action.REFUSE:
            return replace(view, phase=Phase.TURN, to_act=view.order[0])
        case _:
            return replace(view, asks=view.asks + 1)


def _cards_thrown(view: View, event: CardsThrown) -> View:
    order = view.order
    gone = () if event.whole_pack else (*view.gone, *(card for s in order if (card := event.cards[s]) is not None))
    return replace(_bare(view), gone=gone)


def _reshuffled(view: View, _event: Reshuffled) -> View:
    return replace(view, gone=(), phase=Phase.DEAL, to_act=None)


def _kuku_called(view: View, event: KukuCalled) -> View:
    return replace(
        view,
        cards=_set(view.cards, {event.seat: Card.KUKU}),
        face_up=tuple(sorted({*view.face_up, event.seat})),
        to_act=None,
        can_ask=False,
    )


def _showdown(view: View, event: Showdown) -> View:
    return replace(
        view,
        phase=Phase.OVER,
        to_act=None,
        cards=event.cards,
        face_up=tuple(seat for seat, card in enumerate(event.cards) if card is not None),
        low_harlekins=event.low_harlekins,
        struck=event.struck,
        lives=event.lives,
        can_ask=False,
    )


def _pot_won(view: View, event: PotWon) -> View:
    return replace(view, points=event.points)


def _match_ended(view: View, event: MatchEnded) -> View:
    return replace(view, points=event.points, phase=Phase.OVER if view.hand else view.phase, to_act=None, can_ask=False)


_FOLDS: Final[Mapping[type, Callable[[View, Any], View]]] = {
    HandBegan: _hand_began,
    Dealt: _dealt,
    Stood: _stood,
    Swapped: _swapped,
    CardRefused: _card_refused,
    SwapsUndone: _swaps_undone,
    SeatStruck: _seat_struck,
    Drew: _drew,
    BetterCardsAsked: _better_cards_asked,
    AskAnswered: _ask_answered,
    CardsThrown: _cards_thrown,
    Reshuffled: _reshuffled,
    KukuCalled: _kuku_called,
    Showdown: _showdown,
    PotWon: _pot_won,
    MatchEnded: _match_ended,
}
