"""Our part in a match: what we are asked and told, what we answer, when we call Kuku; or the autopilot for us.

Owns what is under way to the open question, and that a card that nobody gives away lightly is asked about (rule T3).
Refuses to keep the match: each call is handed the model.
"""

from collections.abc import Sequence
from typing import Final

from kille_net.client.coach import Coach
from kille_net.client.effects import Bell, Effect, Print, Show, Style
from kille_net.client.invitation import Invitation
from kille_net.client.model import Asked, Model
from kille_net.client.showing.guidance import choices
from kille_net.client.showing.listing import score_lines
from kille_net.client.showing.moments import Open
from kille_net.client.showing.narrate import narrate
from kille_net.client.showing.pictures import turned_up
from kille_net.client.showing.texts import ONE_CARD, Who
from kille_net.client.voice import Voice
from kille_net.game.actions import DEFAULTS, Action, Phase
from kille_net.game.cards import MATADORS, Card
from kille_net.game.events import MatchEnded, PotWon, Showdown
from kille_net.translate import to_do
from kille_net.wire import messages as wire

__all__ = ["Playing"]

_BELL_EVERY: Final = 1.0
"""Seconds."""
_MOOT: Final = frozenset(
    {
        wire.RefusalCode.OLD_TURN,
        wire.RefusalCode.OVERTAKEN,
        wire.RefusalCode.ALREADY_ANSWERED,
        wire.RefusalCode.PAUSED,
        wire.RefusalCode.CANNOT_SAVE,
    }
)
"""Refusals after which nothing need be answered again, or will be asked again."""


class Playing:
    def __init__(self, invitation: Invitation, voice: Voice, coach: Coach, *, plain: bool) -> None:
        self._bot = invitation.autopilot
        self._preferences = invitation.preferences
        self._voice = voice
        self._coach = coach
        self._plain = plain
        self._answered: int | None = None
        """The question that our answer is under way to."""
        self._unsure: int | None = None
        """The question to which a swap waits for a yes (rule T3)."""
        self._kuku: int | None = None
        """The command in which our Kuku is under way."""
        self._rung: float | None = None
        self._is_hinted = False
        """Whether we were told how the next hand comes."""
        self.has_ended = False
        """Whether the last match that we saw is over."""

    def open(self, model: Model) -> Open:
        """How far we are with the open question."""
        turn = model.turn
        return Open(
            is_sent=turn is not None and turn.turn == self._answered,
            is_unsure=turn is not None and turn.turn == self._unsure,
        )

    def doubt_no_more(self) -> None:
        """Something else was asked: a yes would not be to a swap."""
        self._unsure = None

    def _who(self, model: Model, seat: int) -> Who:
        return Who(model.names[seat], self._voice.lang, is_you=seat == model.seat)

    # --- what happens ---------------------------------------------------------------------------------------------

    def entered(self, under_way: Sequence[wire.Command]) -> None:
        """We are in a room; `under_way`: sent before the line was lost, and again after it."""
        self._answered = self._unsure = self._kuku = None
        for command in under_way:
            if isinstance(command, wire.Decide):
                self._answered = command.turn
            if isinstance(command, wire.CallKuku):
                self._kuku = command.id

    def asked(self, model: Model, now: float) -> list[Effect]:
        """The open question is ours."""
        asked, view = model.asked, model.view
        assert asked is not None
        assert view is not None
        if self._answered == asked.turn:
            return []
        if self._bot is None:
            question = self._question(model, asked)
            if self._plain and model.turn is not None and model.turn.deadline is not None:
                left = max(round(model.turn.deadline - now), 0)
                question = self._voice.say("asked_seconds", question=question, seconds=left)
            return [Print(question, Style.MINE), *self._coach.asked(model), *self._ring(now)]
        if self._calls_kuku(model):
            return self._call_kuku(model)
        return self._decide(model, self._bot.decide(view))

    def asked_again(self, model: Model, now: float, under_way: Sequence[wire.Command]) -> list[Effect]:
        """The server can save again: what the autopilot said before was refused."""
        is_asked = self._bot is not None and model.asked is not None and self._answered is None
        return [*(self.asked(model, now) if is_asked else []), *self.rested(model, now, under_way)]

    def _ring(self, now: float) -> list[Effect]:
        """Once for all that comes within a second."""
        if not self._preferences.bell or (self._rung is not None and now < self._rung + _BELL_EVERY):
            return []
        self._rung = now
        return [Bell()]

    def _question(self, model: Model, asked: Asked) -> str:
        """The open question and what may be answered."""
        assert model.view is not None
        shown = choices(model.view, asked.legal, self._voice.lang)
        if Action.STAND not in asked.legal:
            return self._voice.say("asked_answer", choices=shown)
        if model.card is None:
            return self._voice.say("asked_turn_no_card", choices=shown)
        return self._voice.say("asked_turn", card=ONE_CARD[self._voice.lang][model.card], choices=shown)

    def turned(self, model: Model, now: float) -> list[Effect]:
        """A question is open, ours or another seat's."""
        turn = model.turn
        assert turn is not None
        if self._calls_kuku(model) and turn.seat != model.seat:
            return self._call_kuku(model)
        if not self._plain or self._bot is not None or turn.seat == model.seat:
            return []
        who = self._who(model, turn.seat)
        if turn.deadline is None:
            return self._voice.tell("turn_line", Style.QUIET, who=who)
        return self._voice.tell("turn_line_seconds", Style.QUIET, who=who, seconds=round(turn.deadline - now))

    def late(self, model: Model, seat: int) -> list[Effect]:
        """Nobody answered: what follows is not the seat's own choice."""
        room, view = model.room, model.view
        assert room is not None
        assert view is not None
        why = "away" if room.seats[seat].away is not None else "late"
        return self._voice.tell(f"{why}.{DEFAULTS[view.phase].name.lower()}", Style.LOUD, who=self._who(model, seat))

    def rested(self, model: Model, now: float, under_way: Sequence[wire.Command]) -> list[Effect]:
        """Between two hands: the autopilot waits for nothing, and a person is told what the table waits for."""
        rest = model.rest
        if rest is None or not model.is_rested_for:
            return []
        if self._bot is None and model.is_paused:  # it is told when the match goes on
            return []
        if self._bot is not None:
            is_said = any(isinstance(one, wire.NextHand) and one.hand == rest.hand for one in under_way)
            return [] if is_said else self._voice.send(wire.NextHand(id=self._voice.next_id(), hand=rest.hand))
        was_hinted, self._is_hinted = self._is_hinted, True
        if was_hinted:
            return []
        if not self._plain or rest.deadline is None:
            return self._voice.tell("hint_next", Style.QUIET)
        names = ", ".join(f"{self._who(model, seat):o}" for seat in rest.seats)
        left = max(round(rest.deadline - now), 0)
        return self._voice.tell("hint_next_plain", Style.QUIET, seconds=left, names=names)

    def happened(self, model: Model) -> list[Effect]:
        """An event of the game."""
        event, lang = model.event, self._voice.lang
        assert event is not None
        if self._bot is not None and self._bot.listens:
            self._bot.saw(event)
        self._coach.saw(event, model)
        game = None if model.view is None else model.view.rules.format
        is_end = self.has_ended = isinstance(event, MatchEnded)
        self._is_hinted = self._is_hinted and not self._plain  # elsewhere the status lines say it from now on
        style = Style.LOUD if is_end else Style.PLAIN
        effects: list[Effect] = [Print(line, style) for line in narrate(event, model.names, lang, model.seat, game)]
        if isinstance(event, Showdown) and self._preferences.pictures and not self._plain:
            effects.insert(1, Show(turned_up(event, model.names, lang, model.seat)))
        if isinstance(event, PotWon):
            effects += [Print(line, Style.QUIET) for line in score_lines(model, lang)]
        return effects

    # --- what the server makes of our answers ---------------------------------------------------------------------

    def done(self, command_id: int) -> None:
        """The server has taken a command."""
        if command_id == self._kuku:
            self._kuku = None

    def refused(self, command: wire.Command | None, code: wire.RefusalCode, model: Model) -> list[Effect]:
        """The server has refused a command; it has been told."""
        if command is not None and command.id == self._kuku:
            self._kuku = None
        if isinstance(command, wire.Decide) and self._answered == command.turn:
            self._answered = None
            self._coach.refused()
        is_ours = isinstance(command, wire.Decide | wire.CallKuku) and code not in _MOOT
        if self._bot is None or not is_ours or model.asked is None or model.view is None or self._answered is not None:
            return []
        return self._decide(model, DEFAULTS[model.view.phase])

    # --- what we do -----------------------------------------------------------------------------------------------

    def kuku(self, model: Model) -> list[Effect]:
        """Call Kuku, at any moment; never twice before the first is answered (rule M7)."""
        if not model.is_playing:
            return self._voice.fault("refused.not_playing")
        if model.view is not None and model.view.phase is Phase.OVER:
            return self._over(model)
        if self._kuku is not None:
            return []
        return [*self._call_kuku(model), *self._voice.tell("kuku_sent", Style.QUIET)]

    def _over(self, model: Model) -> list[Effect]:
        """The hand is over, which a key of the hand came too late for."""
        if model.is_paused:
            return self._voice.fault("refused.paused")
        if model.rest is None:
            return self._voice.fault("hand_is_over")
        if model.is_rested_for:
            return self._voice.fault("hand_is_over_enter")
        names = ", ".join(model.names[seat] for seat in model.rest.seats)
        return self._voice.fault("hand_is_over_others", names=names)

    def _call_kuku(self, model: Model) -> list[Effect]:
        self._kuku = self._voice.next_id()
        return self._voice.send(wire.CallKuku(id=self._kuku, seq=model.seq))

    def _calls_kuku(self, model: Model) -> bool:
        """Whether the autopilot calls its Kuku now."""
        view = model.view
        if self._bot is None or view is None or self._kuku is not None:
            return False
        return Action.KUKU in view.legal and self._bot.calls_kuku(view)

    def _decide(self, model: Model, action: Action) -> list[Effect]:
        asked = model.asked
        assert asked is not None
        if action is Action.KUKU:
            return self._call_kuku(model)
        self._answered = asked.turn
        self._unsure = None
        self._coach.answered(model, action)
        return self._voice.send(wire.Decide(id=self._voice.next_id(), turn=asked.turn, do=to_do(action)))

    def act(self, model: Model, action: Action) -> list[Effect]:
        """What a person wants to do at the table."""
        if not model.is_playing:
            return self._voice.fault("refused.not_playing")
        asked, view = model.asked, model.view
        if view is not None and view.phase is Phase.OVER:
            return self._over(model)
        is_reply = action in {Action.ACCEPT, Action.REFUSE, Action.DEPENDS}
        if asked is None or view is None:
            return self._voice.fault("nothing_to_answer" if is_reply else "not_your_turn_now")
        if self._answered == asked.turn:
            return self._voice.fault("already_sent")
        was_unsure, self._unsure = self._unsure == asked.turn, None
        if was_unsure and action is Action.ACCEPT:
            return self._decide(model, Action.SWAP)
        if was_unsure and action is Action.REFUSE:
            return self._voice.tell("kept", choices=choices(view, asked.legal, self._voice.lang))
        if action not in asked.legal:
            return self._voice.fault(_why_not(action, asked.legal))
        if action is Action.SWAP and (card := _precious(model)) is not None:
            self._unsure = asked.turn
            return self._voice.tell("sure_line", Style.LOUD, card=ONE_CARD[self._voice.lang][card])
        return self._decide(model, action)


def _precious(model: Model) -> Card | None:
    """Our card, if it is one that nobody gives away lightly (rule T3)."""
    view, card = model.view, model.card
    assert view is not None
    is_high = card is Card.HARLEKIN and model.seat not in view.low_harlekins
    return card if is_high or card in MATADORS else None


def _why_not(action: Action, legal: tuple[Action, ...]) -> str:
    """The key of the text that says why an answer does not fit the open question."""
    if Action.STAND in legal:
        return "refused.cannot_ask" if action is Action.ASK else "refused.not_asked"
    return "refused.must_answer" if action in {Action.STAND, Action.SWAP, Action.ASK} else "refused.wrong_answer"
