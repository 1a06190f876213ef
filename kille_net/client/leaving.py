"""The question before a seat in a match is given away: a computer takes it, for good.

Owns whether the question is open, and what answers it. Refuses to leave: the core does.
"""

from typing import Final

from kille_net.client.commands import Verb
from kille_net.client.effects import Effect, Style
from kille_net.client.model import Model
from kille_net.client.voice import Voice
from kille_net.wire.states import Place

__all__ = ["Leaving"]

_LEAVING: Final = frozenset({Verb.LEAVE, Verb.QUIT})
_GIVES_UP: Final = _LEAVING | {Verb.WITHDRAW}
"""At the table of a tournament."""
_LOOKING: Final = frozenset({Verb.HELP, Verb.WHO, Verb.SCORE, Verb.CARD, Verb.RULES, Verb.WHY})
"""What is no answer, and leaves the question open."""


class Leaving:
    def __init__(self, voice: Voice, *, asks: bool, private: bool) -> None:
        """`asks`: whether somebody is there to be asked; `private`: whether the server ends with us."""
        self._voice = voice
        self._asks = asks
        self._private = private
        self._wish: Verb | None = None

    def is_open(self, model: Model) -> bool:
        """Whether a wish to leave waits for a yes."""
        return self._wish is not None and self._costs_a_seat(model)

    def _costly(self, model: Model) -> frozenset[Verb]:
        """What would cost the seat that we have now."""
        if not self._costs_a_seat(model):
            return frozenset()
        return _GIVES_UP if model.is_called else _LEAVING

    def _costs_a_seat(self, model: Model) -> bool:
        return self._asks and model.place is Place.SEATED and (model.is_playing or model.is_called)

    def _question(self, model: Model) -> list[Effect]:
        if model.is_called:
            assert model.room is not None
            name = model.contest.entered or model.room.name.rpartition(" ")[0]
            return self._voice.tell("leave_sure_tournament", Style.LOUD, name=name)
        return self._voice.tell("leave_sure_private" if self._private else "leave_sure", Style.LOUD)

    def drop(self) -> None:
        """Something else is asked: a yes would be to that."""
        self._wish = None

    def heard(self, verb: Verb, model: Model) -> Verb | list[Effect]:
        """What is to be done for that verb, or what is to be said instead. Saying it twice is a yes."""
        if verb in _LOOKING:
            return verb
        was_open, wish = self.is_open(model), self._wish
        self._wish = None
        match verb:
            case Verb.ACCEPT if was_open:
                assert wish is not None
                return wish
            case Verb.REFUSE if was_open:
                return self._voice.tell("leave_not")
            case _ if verb in self._costly(model) and not was_open:
                self._wish = verb
                return self._question(model)
        return verb
