"""A match between bots, played here and now through the engine that every table plays by.

Owns who is asked when: the answers that are open, and the safe points at which a Kuku may be called (M7). It refuses
to know where packs come from, and trusts its bots to answer legally (`bots.guard` makes strangers do so).
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from kille_net.bots import Bot
from kille_net.game.actions import Action, Phase
from kille_net.game.cards import Pack
from kille_net.game.events import Event
from kille_net.game.match import Match, Stage
from kille_net.game.record import Line, Recorder
from kille_net.game.rules import MAX_ASKS, Seat
from kille_net.game.views import observe, redact

__all__ = ["Onlooker", "Packs", "play_match"]

Packs: TypeAlias = Callable[[int, int], Pack]
"""The pack of a hand of the match, from 1, and a shuffle within it, from 0 (`Match.next_pack`)."""


class Onlooker(Bot):
    """A bot that is told more than others are."""

    def asked(self, seat: Seat, phase: Phase) -> None:
        """Told whose answer is open, whosever it is; after the events that led there."""


def play_match(
    match: Match,
    bots: Sequence[Bot],
    packs: Packs,
    *,
    recorder: Recorder | None = None,
    max_asks: int = MAX_ASKS,
    hands: int | None = None,
) -> list[Line]:
    """Play on to the end of the match, or of the hand of number `hands`; one bot a seat.

    Gives the record's lines after the first, if it is recorded. Raises IllegalAction when a bot answers
    illegally.
    """
    listeners = tuple((seat, bot) for seat, bot in enumerate(bots) if bot.listens)
    onlookers = tuple(bot for bot in bots if isinstance(bot, Onlooker))
    lines: list[Line] = []
    while match.stage is not Stage.OVER and not (match.number == hands and match.phase is Phase.OVER):
        if match.wants_pack:
            pack = packs(*match.next_pack)
            events = match.deal(pack)
            if recorder is not None:
                lines += recorder.dealt(pack, events)
        else:
            seat, action = _answer(match, bots, max_asks)
            events = match.act(seat, action)
            if recorder is not None:
                lines += recorder.acted(seat, action, events)
        if listeners:
            _tell(listeners, events)
        if onlookers and match.to_act is not None:
            for onlooker in onlookers:
                onlooker.asked(match.to_act, match.phase)
        caller = _caller(match, bots)
        if caller is None:
            continue
        events = match.act(caller, Action.KUKU)
        if recorder is not None:
            lines += recorder.acted(caller, Action.KUKU, events)
        if listeners:
            _tell(listeners, events)
    return lines


def _answer(match: Match, bots: Sequence[Bot], max_asks: int) -> tuple[Seat, Action]:
    """The open answer, given by whose it is."""
    hand = match.hand
    assert hand is not None
    seat = hand.to_act
    assert seat is not None
    if hand.phase is Phase.ASKED and hand.asks >= max_asks:
        return seat, Action.REFUSE
    return seat, bots[seat].decide(observe(match, seat))


def _caller(match: Match, bots: Sequence[Bot]) -> Seat | None:
    """The first seat from the dealer's left that calls its Kuku at this safe point."""
    assert match.hand is not None
    for seat in match.hand.kuku_seats():
        if bots[seat].calls_kuku(observe(match, seat)):
            return seat
    return None


def _tell(listeners: Sequence[tuple[Seat, Bot]], events: Sequence[Event]) -> None:
    for seat, bot in listeners:
        for event in events:
            bot.saw(redact(event, seat))
