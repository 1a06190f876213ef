"""The questions of a recorded seat are those that it was asked, in that order, with that view and no other."""

import json
from random import Random
from typing import TYPE_CHECKING

import pytest

from kille_net.arena.play import play_match
from kille_net.bots import BUILT_IN, Bot
from kille_net.client.replaying import load
from kille_net.client.stepping import questions
from kille_net.game.actions import Action
from kille_net.game.match import Match
from kille_net.game.record import By, MatchLine, Recorder, SeatLabel, to_json
from kille_net.game.rules import Format, Ruleset
from kille_net.game.shuffle import Seeded, match_id_of
from kille_net.game.views import View
from tests.bots.hands import Noting

if TYPE_CHECKING:
    from kille_net.game.events import Event


class Ordered(Noting):
    """Keeps both kinds of question in one list, with what was seen before each."""

    def __init__(self, bot: Bot) -> None:
        super().__init__(bot)
        self.all: list[tuple[bool, View, Action | None, tuple[Event, ...]]] = []
        self._told = 0

    def decide(self, view: View) -> Action:
        action = super().decide(view)
        if action is Action.KUKU:  # of which the record says no more than that it was called
            *_, (_, _, _, events) = self.all
            self.all[-1] = (True, view, action, events)
        else:
            self._note(action, view, is_kuku=False)
        return action

    def calls_kuku(self, view: View) -> bool:
        calls = super().calls_kuku(view)
        self._note(Action.KUKU if calls else None, view, is_kuku=True)
        return calls

    def _note(self, answer: Action | None, view: View, *, is_kuku: bool) -> None:
        self.all.append((is_kuku, view, answer, tuple(self.events[self._told :])))
        self._told = len(self.events)


def record(rules: Ruleset, seats: int, number: int) -> tuple[list[str], list[Ordered]]:
    chance = Seeded("stepping", match_id_of("stepping", number))
    names = [name for name in BUILT_IN if name != "deep"]  # which takes long
    bots = [Ordered(BUILT_IN[names[seat % len(names)]](Random(f"{number}/{seat}"))) for seat in range(seats)]
    header = MatchLine(
        id=chance.match_id,
        rules=rules,
        seats=tuple(SeatLabel(f"S{seat}") for seat in range(seats)),
        first_dealer=0,
        shuffle=chance.told(),
    )
    lines = play_match(Match(rules, seats, 0), bots, chance.pack, recorder=Recorder(header))
    return [to_json(line) for line in (header, *lines)], bots


@pytest.mark.parametrize("format_", Format)
@pytest.mark.parametrize("seats", [2, 3, 5, 8])
def test_they_are_those_that_were_asked(seats: int, format_: Format) -> None:
    lines, bots = record(Ruleset(format=format_, pots=4), seats, seats)
    replay = load(lines)
    for seat, bot in enumerate(bots):
        asked = list(questions(replay, seat))
        assert [(one.is_kuku, one.view, one.answer, one.seen) for one in asked] == bot.all
        assert any(one.is_kuku for one in asked) or not bot.called


def test_who_answered_is_told_and_what_nobody_answered_is_no_question() -> None:
    lines, bots = record(Ruleset(pots=1), 4, 9)
    header, first = lines[0], json.loads(lines[1])
    first["actions"] = [first["actions"][0] | {"by": "clock"}]
    for key in ("cards", "struck", "low_harlekins", "lost", "lives_after"):
        del first[key]
    end = {"type": "end", "winner": None, "points": [0] * 4, "reason": "closed"}
    seat = first["actions"][0]["seat"]
    replay = load([header, json.dumps(first), json.dumps(end)])
    (one,) = questions(replay, seat)
    assert one.by is By.CLOCK
    assert one.view == bots[seat].all[0][1]
    assert all(list(questions(replay, other)) == [] for other in range(4) if other != seat)
