"""kille_net.translate: what crosses the wire comes back the same."""

import random
from typing import get_args

import pytest

from kille_net import translate, wire
from kille_net.game.actions import Action, Phase, Refusal, actions_of
from kille_net.game.cards import FULL_PACK
from kille_net.game.events import Event
from kille_net.game.match import Match, Stage
from kille_net.game.rules import Format, HarlekinRank, Length, Ruleset
from kille_net.game.views import View, observe, redact


def random_match(rng: random.Random, format_: Format, seats: int) -> tuple[Match, list[list[Event]]]:
    """A match of random actions, with the events of each step."""
    ruleset = Ruleset.for_seats(seats, format=format_, dealt_harlekin=rng.choice(list(HarlekinRank)), pots=1)
    match = Match(ruleset, seats, rng.randrange(seats))
    steps = []
    while match.stage is not Stage.OVER:
        if match.wants_pack:
            steps.append(match.deal(tuple(rng.sample(FULL_PACK, len(FULL_PACK)))))
        else:
            choices = [(seat, action) for seat in range(seats) for action in actions_of(match.legal(seat))]
            steps.append(match.act(*rng.choice(choices)))
    return match, steps


def through_the_wire(event: Event) -> Event:
    message = wire.decode(wire.encode(translate.to_event(event, 5)))
    assert isinstance(message, get_args(wire.GameEvent))
    return translate.from_event(message)


def through_the_wire_view(view: View) -> View:
    question = wire.Question(seq=1, turn=1, legal=0, ms=0, view=translate.to_view(view))
    message = wire.decode(wire.encode(question))
    assert isinstance(message, wire.Question)
    return translate.from_view(message.view)


@pytest.mark.parametrize("format_", Format)
def test_every_event_and_view_survives_the_wire(format_: Format) -> None:
    rng = random.Random(7)
    seen: set[type] = set()
    for round_ in range(60):
        seats = 2 + round_ % 7
        match, steps = random_match(rng, format_, seats)
        for viewer in (*range(seats), None):
            view = observe(match, viewer)
            assert through_the_wire_view(view) == view
            for event in (event for step in steps for event in step):
                told = redact(event, viewer)
                assert through_the_wire(told) == told
                seen.add(type(event))
    only_in_sticks = {"Reshuffled"}
    assert {kind.__name__ for kind in get_args(Event)} - {kind.__name__ for kind in seen} <= only_in_sticks


def test_there_is_a_message_for_every_event() -> None:
    assert set(translate._TO) == set(get_args(Event))
    assert set(translate._FROM) == set(get_args(wire.GameEvent))


def test_words_go_both_ways() -> None:
    for action in Action:
        assert translate.from_do(translate.to_do(action)) is action
        assert list(wire.Do).index(translate.to_do(action)) == action
    assert {translate.to_phase(phase).value for phase in Phase} == {phase.value for phase in wire.Phase}
    for refusal in Refusal:
        assert translate.to_refusal(refusal).value == refusal.value


def test_options_become_rules() -> None:
    options = wire.Options(
        seats=5,
        format=wire.Format.STICKS,
        length=wire.Length.LONG,
        dealt_harlekin=wire.Rank.LOW,
        pots=0,
        computers=0,
        level=wire.Level.EASY,
        clock=0,
        pace=0,
        window=0,
        rest=0,
        watching=wire.Watching.EVERYONE,
        coach=wire.Coach.ALLOWED,
    )
    expected = Ruleset(format=Format.STICKS, length=Length.LONG, dealt_harlekin=HarlekinRank.LOW, pots=8)
    assert translate.to_ruleset(options) == expected
