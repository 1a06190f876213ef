"""A whole match by whim, and other worlds for it: packs that differ in what one seat cannot know by then."""

from dataclasses import dataclass, field
from random import Random

from kille_net.game.actions import Action
from kille_net.game.cards import Pack
from kille_net.game.events import Event, Reshuffled
from kille_net.game.match import Match, Stage
from kille_net.game.rules import Ruleset, Seat
from kille_net.game.shuffle import Seeded, match_id_of
from tests.game.playing import choose
from tests.game.test_two_worlds import Knowledge

Packs = dict[tuple[int, int], Pack]


@dataclass(slots=True)
class Course:
    """What happened, whole."""

    rules: Ruleset
    seats: int
    first_dealer: Seat
    packs: Packs = field(default_factory=dict)
    """In the order in which they were dealt, by `Match.next_pack`."""
    moves: list[tuple[Seat, Action]] = field(default_factory=list)
    steps: list[tuple[int, tuple[int, int] | None, list[Event], tuple[Seat, ...]]] = field(default_factory=list)
    """Moves made by then, the pack if one was dealt, the events, who is in the hand."""

    def another_world(self, moves: int, viewer: Seat, whim: Random) -> Packs:
        """The same to the viewer, up to so many moves."""
        known: dict[tuple[int, int], Knowledge] = {}
        for made, pack, events, order in self.steps:
            if made > moves:
                break
            if pack is not None:
                known[pack] = Knowledge(viewer, order, self.rules)
            [*known.values()][-1].learn(events)
        return self.packs | {pack: one.another_world(self.packs[pack], whim) for pack, one in known.items()}


def by_whim(rules: Ruleset, seats: int, number: int, first_dealer: Seat | None = None) -> Course:
    """A match in which every seat does anything that it may."""
    chance = Seeded("worlds", match_id_of("worlds", number))
    course = Course(rules, seats, chance.first_dealer(seats) if first_dealer is None else first_dealer)
    match = Match(rules, seats, course.first_dealer)
    whim = Random(number)
    while match.stage is not Stage.OVER:
        if match.wants_pack:
            key = match.next_pack
            course.packs[key] = chance.pack(*key)
            events = match.deal(course.packs[key])
        else:
            key = None
            course.moves.append(choose(match, whim))
            events = match.act(*course.moves[-1])
        assert not any(isinstance(event, Reshuffled) for event in events)
        assert match.hand is not None
        course.steps.append((len(course.moves), key, events, match.hand.order))
    return course
