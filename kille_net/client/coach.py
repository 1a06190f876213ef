"""The coach at our side: whether it speaks, and what it says when.

Owns that it is off by default, that a room's wish to have none is honoured, and what can be explained. Refuses to know
odds and words of advice (`coaching`), and to reach the server: what it says is for us alone.
"""

from kille_net.client.decisions import Decisions
from kille_net.client.effects import Effect, Print, Style
from kille_net.client.model import Model
from kille_net.client.options import read_switch
from kille_net.client.showing.coaching import advice, explanation
from kille_net.game.actions import Action
from kille_net.game.events import Event, KukuCalled
from kille_net.languages import say
from kille_net.wire import messages as wire
from kille_net.wire.states import Place

__all__ = ["Coach"]


class Coach:
    def __init__(self, lang: str, *, is_on: bool = False) -> None:
        self._lang = lang
        self._is_on = is_on
        self._decisions = Decisions()
        self._names: tuple[str, ...] = ()
        """Of those whom we decided among."""
        self._seat: int | None = None

    # --- what happens ---------------------------------------------------------------------------------------------

    def entered(self, model: Model, *, is_back: bool) -> list[Effect]:
        """We are in a room; `is_back`: in which we were before."""
        if not is_back:
            self._decisions = Decisions()
        return self._tell("coach.silent") if self._is_on and not _is_allowed(model) else []

    def asked(self, model: Model) -> list[Effect]:
        """The question that is open to us; what there is to say to it."""
        if not self._is_on or not _is_allowed(model) or model.view is None or model.card is None:
            return []
        return [Print(line, Style.QUIET) for line in advice(model.view, model.names, self._lang)]

    def answered(self, model: Model, action: Action) -> None:
        """We answered the question that is open."""
        if model.view is not None and model.card is not None:
            self._names, self._seat = model.names, model.seat
            self._decisions.did(model.view, action)

    def refused(self) -> None:
        """The last answer did not count."""
        self._decisions.undid()

    def saw(self, event: Event, model: Model) -> None:
        """Something happened in the match."""
        match event:
            case KukuCalled(seat, by_rule=False) if seat == model.seat:
                self.answered(model, Action.KUKU)
        self._decisions.saw(event, model.seat)

    # --- what we ask ----------------------------------------------------------------------------------------------

    def switch(self, word: str, model: Model) -> list[Effect]:
        """`coach on`, `coach off`; alone: whether it is on."""
        if word:
            wanted = read_switch(word)
            if wanted is None:
                return self._tell("needs_on_off", style=Style.FAULT)
            self._is_on = wanted
        if self._is_on and not _is_allowed(model):
            return self._tell("coach.silent")
        said = self._tell("coach.on" if self._is_on else "coach.off")
        if self._is_on and model.place is Place.WATCHING:
            said += self._tell("coach.players")
        return said + self.asked(model) if word and model.asked is not None else said

    def why(self, model: Model) -> list[Effect]:
        """The decisions of the last hand; of the running one the last, unless the room wishes no coach."""
        decisions, end = self._decisions.to_explain(openly=_is_allowed(model))
        told = explanation(decisions, end, self._names, self._lang, self._seat)
        return [Print(line) for line in told] or self._tell("coach.nothing", style=Style.FAULT)

    def _tell(self, key: str, style: Style = Style.PLAIN) -> list[Effect]:
        return [Print(say(self._lang, key), style)]


def _is_allowed(model: Model) -> bool:
    """Whether the room, if we are in one, lets clients coach."""
    return model.room is None or model.room.options.coach is not wire.Coach.OFF
