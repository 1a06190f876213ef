"""The example hand: a recorded hand, played by the engine and told step by step.

Owns the record and how it is told; what happens in it is what the rules make of it.
"""

from collections.abc import Iterator
from typing import Final

from kille_net.client.showing.narrate import narrate
from kille_net.client.showing.texts import CARDS, ONE_CARD, Who, say
from kille_net.game.actions import Phase
from kille_net.game.events import CardRefused, Event, Swapped
from kille_net.game.hand import Hand
from kille_net.game.judge import play
from kille_net.game.reading import read_action, read_packs, read_table
from kille_net.game.record import Json
from kille_net.game.rules import REFUSALS, Ruleset, Seat

__all__ = ["HAND", "example"]

_PACK: Final = (
    "4 kavall 8 2 kuku harlekin husar 6 5 vardshus husu kavall kransen 8 9 blompottan harlekin 6 9 11 3 kuku kransen 1 "
    "7 blompottan 12 5 4 7 husu vardshus blaren 11 2 10 10 blaren husar 3 12 1"
)
HAND: Final[Json] = {
    "type": "hand",
    "n": 1,
    "pot": 1,
    "dealer": 4,
    "lives": [3, 3, 3, 3, 3],
    "packs": [_PACK.split()],
    "actions": [{"seat": 0, "do": "swap"}, {"seat": 2, "do": "swap"}, {"seat": 3, "do": "swap"}],
}
"""As a record has it (protocol/record.md), but for its outcome."""
_NAMES: Final = ("Anna", "Bo", "Cilla", "David", "Eva")


def example(lang: str) -> list[str]:
    """The hand, a line each; those of a turn begin with two spaces."""
    return list(_Told(lang).lines())


class _Told:
    """The hand on its way, told to somebody who sees all cards."""

    def __init__(self, lang: str) -> None:
        self._lang = lang
        lives, dealer = read_table(HAND)
        self._hand = Hand(Ruleset(), lives, dealer)

    def lines(self) -> Iterator[str]:
        yield say(self._lang, "lesson.example_title")
        yield say(self._lang, "lesson.example_intro")
        moves = map(read_action, HAND["actions"])
        for move, events in play(self._hand, iter(read_packs(HAND)), moves):
            indent = "" if move is None else "  "
            yield from (indent + line for event in events for line in self._event(event))
            if self._hand.phase is not Phase.OVER and self._hand.to_act is not None:
                yield self._turn(self._hand.to_act)

    def _turn(self, seat: Seat) -> str:
        card = self._hand.table.cards()[seat]
        assert card is not None
        return say(self._lang, "lesson.example_turn", who=self._who(seat), card=ONE_CARD[self._lang][card])

    def _event(self, event: Event) -> Iterator[str]:
        """What happened, and why, where a card refused or somebody has no turn."""
        yield from narrate(event, _NAMES, self._lang)
        match event:
            case CardRefused(card=card):
                text = say(self._lang, f"lesson.refuses.{REFUSALS[card].value}")
                yield say(self._lang, "lesson.example_why", name=CARDS[self._lang][card], text=text)
            case Swapped(seat, target):
                for passed in range(seat + 1, target):
                    yield say(self._lang, "lesson.example_passed", who=self._who(passed))

    def _who(self, seat: Seat) -> Who:
        return Who(_NAMES[seat], self._lang, is_you=False)
