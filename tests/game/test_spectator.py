"""Who only watches sees nothing that is not public: of no kind of event, and in no part of the table."""

from dataclasses import fields
from random import Random
from typing import get_args

from kille_net.game.events import Event
from kille_net.game.match import Match, Stage
from kille_net.game.rules import Format, Ruleset
from kille_net.game.views import View, observe, redact
from tests.game.playing import choose
from tests.game.test_sealed import material

SETS = {"gone", "low_harlekins"}
"""Of a view: what the viewer knows of, in any number."""


def is_within(shown: object, seen: object) -> bool:
    """Whether this says nothing that the other does not; what is hidden is None, or left out whole."""
    if isinstance(shown, tuple) and isinstance(seen, tuple) and shown:
        return len(shown) == len(seen) and all(map(is_within, shown, seen))
    return shown is None or shown in ((), seen)


def check(shown: Event | View, seen: Event | View) -> None:
    """Raises AssertionError with the name of the field that says more."""
    assert type(shown) is type(seen)
    for name in (field.name for field in fields(shown)):
        less, more = getattr(shown, name), getattr(seen, name)
        is_set = isinstance(shown, View) and name in SETS
        assert set(less) <= set(more) if is_set else is_within(less, more), (name, shown, seen)


def test_a_spectator_is_told_no_more_than_every_seat_whatever_happens() -> None:
    """Of every kind of event, and a new one has to happen here."""
    happened: set[type[Event]] = set()
    for number in range(24):
        seats, whim = 2 + number % 7, Random(number)
        chance = material(number, seats)
        match = Match(Ruleset(format=list(Format)[number % 2]), seats, chance.first_dealer(seats))
        while match.stage is not Stage.OVER:
            events = match.deal(chance.pack(*match.next_pack)) if match.wants_pack else match.act(*choose(match, whim))
            happened |= {type(event) for event in events}
            for seat in range(seats):
                check(observe(match, None), observe(match, seat))
                for event in events:
                    check(redact(event, None), redact(event, seat))
    assert happened >= {kind for kind in get_args(Event) if fields(kind)}, "what has no fields tells of nothing"
