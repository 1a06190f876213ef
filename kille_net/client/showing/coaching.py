"""The coach: what the odds are, what the `sharp` player would do, and why; before a decision and after it.

Owns the words for what is counted (`bots.counting`) and weighed (`bots.sharp`). Refuses to count, to weigh and to
guess: what it tells is what those two say.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from kille_net.bots.counting import Count, Outcome
from kille_net.bots.reading import following
from kille_net.bots.sharp import SharpBot, weigh
from kille_net.bots.weighed import Reason, Weighed
from kille_net.client.decisions import Decision
from kille_net.client.showing.narrate import narrate
from kille_net.client.showing.texts import ONE_CARD, Who, say
from kille_net.game.actions import Action, Phase
from kille_net.game.cards import Card
from kille_net.game.events import Showdown
from kille_net.game.rules import Seat
from kille_net.game.views import View

__all__ = ["advice", "explanation", "percent"]


def advice(view: View, names: Sequence[str], lang: str) -> list[str]:
    """What the coach says to a question; nothing of the odds, if the view cannot be a true one."""
    return [say(lang, "coach.says", said=line) for line in _Coach(view, names, lang).lines()]


def explanation(
    decisions: Iterable[Decision], end: Showdown | None, names: Sequence[str], lang: str, seat: Seat | None
) -> list[str]:
    """Of each decision what we held and did, the odds, what `sharp` would have done and why, and what came of it."""
    told: list[str] = []
    for decision in decisions:
        coach = _Coach(decision.view, names, lang)
        is_call = decision.action is Action.KUKU
        told += [coach.did(decision.action), *(f"  {line}" for line in ([coach.kuku()] if is_call else coach.lines()))]
        came = [
            line for event in decision.led_to for line in narrate(event, names, lang, seat, decision.view.rules.format)
        ]
        if came:
            told.append("  " + say(lang, "coach.came", said=" ".join(came)))
    if end is not None and seat is not None and told:
        told.append(say(lang, "coach.lost" if seat in end.lost else "coach.kept"))
    return told


class _Coach:
    """Tells of one question to us in one language."""

    __slots__ = ("_lang", "_names", "_view")

    def __init__(self, view: View, names: Sequence[str], lang: str) -> None:
        self._view = view
        self._names = names
        self._lang = lang

    def _say(self, key: str, /, **values: object) -> str:
        return say(self._lang, key, **values)

    def _who(self, seat: Seat) -> Who:
        return Who(self._names[seat], self._lang, is_you=seat == self._view.seat)

    def did(self, action: Action) -> str:
        card = ONE_CARD[self._lang][self._view.card]
        return self._say("coach.did", card=card, did=self._say(f"coach.did.{action.code}"))

    def lines(self) -> list[str]:
        try:
            odds = self._odds(Count(self._view))
        except ValueError:
            odds = []
        return [*odds, self._sharp()]

    # --- what is counted ------------------------------------------------------------------------------------------

    def _odds(self, count: Count) -> list[str]:
        view = self._view
        if view.phase is not Phase.TURN:
            return [self._share("coach.fresh", count.fresh())]
        later = following(view)
        if later:
            lose = self._say("coach.now", lose=percent(count.stand()))
            return [self._share("coach.swap", count.swap(), who=self._who(later[0])), lose]
        ends = self._say("coach.last", stand=percent(count.stand()), draw=percent(count.draw()))
        return [self._share("coach.draw", count.swap()), ends]

    def _share(self, key: str, odds: dict[Outcome, Fraction], /, **values: object) -> str:
        struck = odds[Outcome.STRUCK]
        return self._say(
            key,
            better=percent(odds[Outcome.BETTER]),
            same=percent(odds[Outcome.SAME]),
            worse=percent(odds[Outcome.WORSE]),
            refused=percent(odds[Outcome.KEPT] + struck),
            struck=percent(struck),
            **values,
        )

    # --- what is weighed ------------------------------------------------------------------------------------------

    def kuku(self) -> str:
        """Of a seat that holds a Kuku, and may call it."""
        calls = SharpBot().calls_kuku(self._view)
        return self._would(Action.KUKU, self._say("coach.why.kuku")) if calls else self._say("coach.would_not_call")

    def _sharp(self) -> str:
        view = self._view
        if Action.KUKU in view.legal and SharpBot().calls_kuku(view):
            return self.kuku()
        weighed = weigh(view)
        return self._would(weighed.action, self._why(weighed))

    def _would(self, action: Action, why: str) -> str:
        return self._say("coach.would", do=self._say(f"coach.do.{action.code}"), why=why)

    def _why(self, weighed: Weighed) -> str:
        key = f"coach.why.{weighed.reason.value}"
        cards = weighed.cards
        match weighed.reason:
            case Reason.COSTS | Reason.DUEL_KNOWN:
                return self._say(key, stand=round(100 * weighed.stand), swap=round(100 * weighed.swap))
            case Reason.ANSWERS if not cards:
                return self._say("coach.why.never_accepts")
            case Reason.ANSWERS:
                return self._say(key, least=self._one(cards[0]), most=self._one(cards[-1]))
            case Reason.ASKS | Reason.DUEL_FIRST | Reason.DUEL_DEALER:
                return self._say(key, card=self._one(cards.stop))
        return self._say(key)

    def _one(self, card: int) -> str:
        return ONE_CARD[self._lang][Card(card)]


def percent(chance: Fraction) -> str:
    """Rounded, but what may happen is not said to be impossible, nor what may fail to be certain."""
    if 0 < chance < Fraction(1, 200):
        return "<1"
    if Fraction(199, 200) < chance < 1:
        return ">99"
    return str(round(100 * chance))
