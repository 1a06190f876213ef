"""What happened at the table, as sentences.

Owns the order in which things are told, the reasons why a seat lost a life above all. Refuses to know the state of
the table: an event is told from itself alone, so that a record, a referee and a live table are told alike.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from kille_net.client.showing.texts import CARDS, ONE_CARD, Who, cry, say
from kille_net.client.showing.texts import reason as reason_of
from kille_net.game.actions import Action
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
    HiddenCard,
    KukuCalled,
    MatchEnded,
    PotWon,
    RedealReason,
    Reshuffled,
    SeatStruck,
    Showdown,
    Stood,
    Swapped,
    SwapsUndone,
)
from kille_net.game.rules import REFUSALS, Effect, Format, Seat
from kille_net.game.showdown import NEVER_LOWEST
from kille_net.wire.text import safe_text

__all__ = ["Loss", "losses", "narrate"]

_REFUSED: Final = {Effect.SKIP: "passed", Effect.UNDO: "pig", Effect.STRIKE: "hussar", Effect.STOP: "cuckoo"}
_ANSWERS: Final = {Action.ACCEPT: "yes", Action.REFUSE: "no", Action.DEPENDS: "depends"}
_REASON_CELLS: Final = 64


class Loss(StrEnum):
    """Why a seat lost a life, in the order in which it is told (part 7 of the rules); the texts are `lost_…`."""

    STRUCK = "struck"
    LOW = "low"
    LOWEST = "lowest"


def losses(showdown: Showdown) -> dict[Seat, Loss]:
    """Who lost a life and why, in the order in which it is told."""
    reasons = {
        seat: Loss.STRUCK if seat in showdown.struck else Loss.LOW if seat in showdown.low_harlekins else Loss.LOWEST
        for seat in showdown.lost
    }
    return {seat: loss for loss in Loss for seat in sorted(reasons) if reasons[seat] is loss}


def narrate(
    event: Event, names: Sequence[str], lang: str, seat: Seat | None = None, game: Format | None = None
) -> list[str]:
    """What happened, a line each, told to the seat (None: to a bystander) in `sv` or `en`.

    `names` are by seat and may be a peer's. Cards that the event does not show are not spoken of. `game`: None where it
    is not known; then nothing is said of what the formats have differently.
    """
    return _Teller(names, lang, seat, game).tell(event)


class _Teller:
    """Tells events in one language to one listener."""

    __slots__ = ("_game", "_lang", "_names", "_seat")

    def __init__(self, names: Sequence[str], lang: str, seat: Seat | None, game: Format | None) -> None:
        self._game = game
        self._names = names
        self._lang = lang
        self._seat = seat

    def tell(self, event: Event) -> list[str]:
        match event:
            case HandBegan():
                return [self._hand(event)]
            case Dealt(cards):
                return [self._dealt(cards)]
            case Stood(seat):
                return [self._say("stood", who=self._who(seat), cry=self._cry("content"))]
            case Swapped():
                return self._swapped(event)
            case CardRefused(seat, asker, card):
                key = _REFUSED[REFUSALS[card]]
                return [self._say(key, who=self._who(seat), asker=self._who(asker), cry=self._cry(card.code))]
            case SwapsUndone(path, cards):
                return self._undone(path, cards)
            case SeatStruck(seat):
                return [self._say("struck", who=self._who(seat))]
            case Drew(seat, card, kept):
                return self._drew(seat, card, kept=kept)
            case BetterCardsAsked(seat):
                return [self._say("asked", who=self._who(seat), cry=self._cry("ask"))]
            case AskAnswered(seat, answer):
                return [self._say("answered", who=self._who(seat), cry=self._cry(_ANSWERS[answer]))]
            case CardsThrown(reason, cards):
                return self._thrown(reason, cards)
            case Reshuffled():
                return [self._say("reshuffled")]
            case KukuCalled(seat, by_rule):
                key = "kuku_by_rule" if by_rule else "kuku"
                return [self._say(key, who=self._who(seat), cry=self._cry("kuku"))]
            case Showdown():
                return self._showdown(event)
            case PotWon(pot, winner, points):
                key = self._keyed("pot")
                return [self._say(key, who=self._who(winner), pot=pot, points=self._numbers(points))]
            case MatchEnded():
                return [self._end(event)]

    # --- words ----------------------------------------------------------------------------------------------------

    def _say(self, key: str, **values: object) -> str:
        return say(self._lang, key, **values)

    def _keyed(self, key: str) -> str:
        """The key of a text in which the formats differ."""
        return f"{key}_sticks" if self._game is Format.STICKS else key

    def _cry(self, key: str) -> str:
        return cry(self._lang, key)

    def _who(self, seat: Seat) -> Who:
        return Who(self._names[seat], self._lang, is_you=seat == self._seat)

    def _one(self, card: Card) -> str:
        return ONE_CARD[self._lang][card]

    def _list(self, values: dict[Seat, str]) -> str:
        return ", ".join(self._say("seat_value", name=self._who(seat), value=value) for seat, value in values.items())

    def _numbers(self, numbers: Sequence[int], *, all_seats: bool = True) -> str:
        return self._list({seat: str(number) for seat, number in enumerate(numbers) if all_seats or number})

    def _cards(self, cards: Sequence[HiddenCard], low: Sequence[Seat] = ()) -> str:
        names = {seat: CARDS[self._lang][card] for seat, card in enumerate(cards) if card is not None}
        return self._list(
            {seat: self._say("low_harlekin", card=name) if seat in low else name for seat, name in names.items()}
        )

    # --- sentences ------------------------------------------------------------------------------------------------

    def _hand(self, event: HandBegan) -> str:
        key = "hand_final" if event.pot is None else self._keyed("hand")
        lives = self._numbers(event.lives, all_seats=False)
        return self._say(key, number=event.number, pot=event.pot, dealer=self._who(event.dealer), lives=lives)

    def _dealt(self, cards: Sequence[HiddenCard]) -> str:
        if self._seat is not None and (own := cards[self._seat]) is not None:
            return self._say("dealt_you", card=self._one(own))
        shown = self._cards(cards)
        return self._say("dealt_all", cards=shown) if shown else self._say("dealt")

    def _swapped(self, event: Swapped) -> list[str]:
        seat, target, gave, got = event.seat, event.target, event.gave, event.got
        who, whom = self._who(seat), self._who(target)
        if gave is None or got is None:
            lines = [self._say("swapped", who=who, whom=whom)]
        else:
            key = "swapped_from" if target == self._seat else "swapped_known"
            lines = [self._say(key, who=who, whom=whom, gave=self._one(gave), got=self._one(got))]
        match gave is Card.HARLEKIN, got is Card.HARLEKIN:
            case True, True:
                lines.append(self._say("harlekins_high"))
            case True, False:
                lines.append(self._say("harlekin_low", who=whom))
            case False, True:
                lines.append(self._say("harlekin_low", who=who))
        return lines

    def _undone(self, path: Sequence[Seat], cards: Sequence[HiddenCard]) -> list[str]:
        lines = [self._say("undone" if len(path) > 1 else "undone_at_once", who=self._who(path[0]))]
        if len(path) > 1 and self._seat is not None and self._seat in path and (own := cards[self._seat]) is not None:
            lines.append(self._say("undone_you", card=self._one(own)))
        return lines

    def _drew(self, seat: Seat, card: HiddenCard, *, kept: bool) -> list[str]:
        who = self._who(seat)
        if card is None:
            return [self._say("drew", who=who)]
        if kept:
            return [self._say("drew_known", who=who, card=self._one(card))]
        lines = [self._say("talon", who=who, card=self._one(card), cry=self._cry(card.code))]
        is_skip = REFUSALS[card] is Effect.SKIP  # rules D2, D3, D5; D4 tells of the card by itself
        if self._game is Format.STICKS if is_skip else card is not Card.HUSU:
            lines.append(self._say("talon_keeps", who=who))
        return lines

    def _thrown(self, reason: RedealReason, cards: Sequence[HiddenCard]) -> list[str]:
        match reason:
            case RedealReason.AGREED:
                return [self._say("thrown_agreed")]
            case RedealReason.TIE:
                return [self._say("thrown_tie")]
            case RedealReason.HARLEKIN:
                holders = [seat for seat, card in enumerate(cards) if card is Card.HARLEKIN]
                told = [self._say("thrown_harlekin", who=self._who(seat)) for seat in holders]
                return told or [self._say("thrown_harlekin_unknown")]

    def _end(self, event: MatchEnded) -> str:
        points = self._numbers(event.points)
        if event.winner is not None:
            key = "end"
            if self._game is Format.STICKS:  # G5: the points are the sticks of the bouts, and lives in the final
                key = "end_final" if sum(map(bool, event.points)) > 1 else "end_alone"
            return self._say(key, who=self._who(event.winner), points=points)
        reason = reason_of(self._lang, safe_text(event.reason, _REASON_CELLS))
        key = "end_broken_reason" if reason else "end_broken"
        return self._say(key, points=points, reason=reason)

    # --- the showdown ---------------------------------------------------------------------------------------------

    def _showdown(self, event: Showdown) -> list[str]:
        """Part 7 in its order: the struck, the low Harlekins, the lowest; then who goes free though low (L4, L5)."""
        cards = {seat: card for seat, card in enumerate(event.cards) if card is not None}
        struck = set(event.struck)
        low = set(event.low_harlekins) - struck
        rest = {seat: card for seat, card in cards.items() if seat not in struck | low}
        lost = set(event.lost)
        lines = [self._say("showdown", cry=self._cry("show"), cards=self._cards(event.cards, event.low_harlekins))]
        for seat, loss in losses(event).items():
            lines.append(self._loss(f"lost_{loss}", seat, cards.get(seat), event.lives[seat]))
        lowest = min((card for card in rest.values() if card not in NEVER_LOWEST), default=None)
        if not lost:
            lines.append(self._say("nobody" if lowest is None and not low else "nobody_all"))
            return lines
        if low and not lost & low:
            lines.append(self._say("spared_low", names=self._names_of(low)))
        holders = {seat for seat, card in rest.items() if card is lowest}
        if holders and not lost & holders:
            lines.append(self._say("spared_lowest", names=self._names_of(holders)))
        return lines

    def _loss(self, key: str, seat: Seat, card: HiddenCard, lives: int) -> str:
        left = self._say("left", lives=lives) if lives else self._say("left_none")
        shown = "?" if card is None else self._one(card)
        return self._say(key, who=self._who(seat), card=shown, left=left)

    def _names_of(self, seats: set[Seat]) -> str:
        return ", ".join(f"{self._who(seat):o}" for seat in sorted(seats))
