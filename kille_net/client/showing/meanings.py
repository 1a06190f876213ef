"""What each thing that one may do now would mean, as sentences.

Owns what is said of an action before it is done: whose card would come, where it would go, what could come of it by the
rules. Refuses to know more than the view, to count odds and to advise (`coaching` does).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from kille_net.bots.reading import following
from kille_net.client.showing.texts import ONE_CARD, Who, say
from kille_net.game.actions import Action
from kille_net.game.cards import Card
from kille_net.game.rules import MIN_SEATS, REFUSALS, Effect, Seat
from kille_net.game.showdown import NEVER_LOWEST
from kille_net.game.views import View

__all__ = ["fate", "meanings", "when_asked"]

_ASKED: Final[Mapping[Effect, str]] = {
    Effect.SKIP: "asked.skip",
    Effect.UNDO: "asked.pig",
    Effect.STRIKE: "asked.hussar",
    Effect.STOP: "asked.cuckoo",
}


def meanings(view: View, actions: Iterable[Action], names: Sequence[str], lang: str) -> dict[Action, str]:
    """What each of the actions would mean, all of which the viewer may do; `names` are by seat and may be a peer's."""
    sense = _Sense(view, names, lang)
    return {action: " ".join(sense.of(action)) for action in actions}


def fate(view: View, names: Sequence[str], lang: str) -> str:
    """What is to be said of the card that the viewer holds, if it keeps it to the end."""
    return _Sense(view, names, lang).fate()


def when_asked(view: View, names: Sequence[str], lang: str) -> str:
    """What comes of it if somebody asks the viewer, who has not spoken, for its card."""
    return _Sense(view, names, lang).when_asked()


class _Sense:
    """Tells of one view, whose viewer holds a card, in one language."""

    __slots__ = ("_card", "_lang", "_names", "_seat", "_view")

    def __init__(self, view: View, names: Sequence[str], lang: str) -> None:
        assert view.seat is not None
        self._view = view
        self._seat: Seat = view.seat
        self._card = view.card
        self._names = names
        self._lang = lang

    # --- words ----------------------------------------------------------------------------------------------------

    def _say(self, key: str, /, **values: object) -> str:
        return say(self._lang, key, **values)

    def _who(self, seat: Seat) -> Who:
        return Who(self._names[seat], self._lang, is_you=seat == self._seat)

    def _one(self, card: Card) -> str:
        return ONE_CARD[self._lang][card]

    # --- each action ----------------------------------------------------------------------------------------------

    def of(self, action: Action) -> Iterable[str]:
        match action:
            case Action.STAND:
                return self._stand()
            case Action.SWAP:
                return self._swap()
            case Action.KUKU:
                return self._kuku()
            case Action.ASK:
                return self._ask()
            case Action.ACCEPT:
                return [self._say("mean.accept", dealer=self._who(self._view.dealer))]
            case Action.REFUSE:
                return [self._say("mean.refuse", first=self._who(self._view.order[0]))]
            case Action.DEPENDS:
                return [self._say("mean.depends", middle=self._who(self._view.order[1]))]

    def _stand(self) -> list[str]:
        later = following(self._view)
        kept = self._say("mean.stand", then=self._who(later[0])) if later else self._say("mean.stand_last")
        return [kept, self.fate()]

    def _kuku(self) -> list[str]:
        called = self._say("mean.kuku")
        return [called, self._say("fate.struck")] if self._seat in self._view.struck else [called]

    def _ask(self) -> list[str]:
        view = self._view
        dealer = self._who(view.dealer)
        asked = self._say("mean.ask", dealer=dealer)
        if len(view.order) > MIN_SEATS:
            asked = self._say("mean.ask_three", dealer=dealer, middle=self._who(view.order[1]))
        key = "mean.ask_pack" if view.rules.rules.whole_pack else "mean.ask_talon"
        return [asked, self._say(key), self._say("mean.ask_no")]

    def _swap(self) -> list[str]:
        later = following(self._view)
        if not later:
            return self._draw()
        theirs = self._view.cards[later[0]]
        return self._swap_unseen(later) if theirs is None else self._swap_known(later[0], theirs)

    def _swap_unseen(self, later: Sequence[Seat]) -> list[str]:
        """Part 4: what the seat on the left holds, which may let the swap pass to the next (M1)."""
        who = self._who(later[0])
        then = f"{self._who(later[1]):o}" if later[1:] else self._say("the_talon")
        told = [self._say("mean.swap", who=who)]
        if self._card is Card.HARLEKIN:
            told.append(self._say("mean.harlekin_given", who=who))
        else:
            told.append(self._say("mean.harlekin_got"))
        return [*told, self._with_pig("mean.refusals", then=then), *self._back()]

    def _swap_known(self, seat: Seat, theirs: Card) -> list[str]:
        who = self._who(seat)
        if theirs in REFUSALS:
            return [self._say("mean.refused", who=who, theirs=self._one(theirs))]
        if seat in self._view.face_up:
            how = self._say("how.up")
        else:
            how = self._say("how.given" if self._view.origins[seat] == seat else "how.held", who=who)
        told = [self._say("mean.swap_known", who=who, theirs=self._one(theirs), how=how)]
        match self._card is Card.HARLEKIN, theirs is Card.HARLEKIN:
            case True, True:
                told.append(self._say("mean.harlekins"))
            case True, False:
                told.append(self._say("mean.harlekin_given", who=who))
            case False, True:
                told.append(self._say("mean.harlekin_got"))
        return told

    def _draw(self) -> list[str]:
        """Part 5."""
        skips = self._view.rules.rules.talon[Card.KAVALL] is Effect.SKIP
        key = "mean.draw_next" if skips else "mean.draw_keeps"
        return [self._say("mean.draw"), self._with_pig(key), *self._back()]

    def _with_pig(self, key: str, /, **values: object) -> str:
        """A text that says whom a pig strikes, to which the card is offered: the seat that it was dealt to (M3)."""
        origin = self._view.origins[self._seat]
        if origin is None or origin == self._seat or origin not in self._view.order:
            return self._say(key, **values)
        return self._say(f"{key}_other", victim=self._say("pig_victim", who=self._who(origin)), **values)

    def _back(self) -> list[str]:
        """What a pig gives back, if the card is not the one that was dealt here."""
        view = self._view
        if view.origins[self._seat] == self._seat:
            return []
        dealt = [card for card, origin in zip(view.cards, view.origins, strict=True) if origin == self._seat]
        return [self._say("mean.back", dealt=self._one(card)) for card in dealt if card is not None]

    # --- the card that one holds ----------------------------------------------------------------------------------

    def fate(self) -> str:
        view, card = self._view, self._card
        if self._seat in view.struck:
            return self._say("fate.struck")
        if {*view.order} - {*view.struck} == {self._seat}:  # L4, L5
            return self._say("fate.alone")
        if self._seat in view.low_harlekins:
            return self._say("fate.low_struck" if view.struck else "fate.low")
        if card in NEVER_LOWEST:
            return self._say("fate.safe")
        lower = self._lower()
        if lower is not None:
            theirs = view.cards[lower]
            assert theirs is not None
            return self._say("fate.above", who=self._who(lower), theirs=self._one(theirs))
        if card is Card.BLAREN:
            return self._say("fate.lowest")
        return self._say("fate.open_struck" if view.struck or view.low_harlekins else "fate.open")

    def _lower(self) -> Seat | None:
        """A seat that is known to end lower, and that is not out by then."""
        view = self._view
        out = {*view.struck, *view.low_harlekins}
        known = {seat: held for seat in self._fixed() if seat not in out and (held := view.cards[seat]) is not None}
        lower = {seat: held for seat, held in known.items() if held < self._card}
        return min(lower, key=lower.__getitem__) if lower else None

    def _fixed(self) -> Sequence[Seat]:
        """The seats whose cards nothing changes any more once the viewer stands: a pig sends nothing back beyond the
        seat that the card on turn was dealt to (M3). None where the viewer's own may still change.
        """
        view = self._view
        order = view.order
        if view.to_act is None or view.to_act == self._seat or view.to_act not in order:
            return order[: order.index(self._seat)]
        origin = view.origins[view.to_act]
        fixed = order[: order.index(view.to_act if origin not in order else origin)]
        return fixed if self._seat in fixed else ()

    def when_asked(self) -> str:
        effect = REFUSALS.get(self._card)
        return self._say("asked.swap" if effect is None else _ASKED[effect])
