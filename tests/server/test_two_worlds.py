"""Two worlds that differ only in what one may not know, on a whole server's lobby.

A table is played, then played again with the same seed, schedule and moves after the cards that the viewer cannot know
have changed places. All that the viewer is sent, as a seat, a spectator, one that came back, or one that tries what is
not allowed, is the same: bytes, order and times. Nothing is let pass as a lawful difference: what the viewer knows is
worked out from the course of the hand (tests/game/test_two_worlds.py), and stays where it is. How long a computer takes
has nothing to do with its card.
"""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Final

import pytest

from kille_net.bots import BUILT_IN, Bot
from kille_net.game.cards import Card, Pack
from kille_net.game.events import Event, MatchEnded, Reshuffled
from kille_net.game.rules import Seat
from kille_net.game.views import View
from kille_net.server.people import Searcher
from kille_net.server.running import RunningMatch
from kille_net.translate import to_ruleset
from kille_net.wire import messages as m
from tests.catalogue.rows import row
from tests.deep import FIGURES, rounds, size
from tests.game.test_two_worlds import Knowledge
from tests.server.house import Guest, House, Stacked, choices, options
from tests.server.test_secrets import Blind, shuffled

CHUNKS: Final = size(8, 80)
PAIRS: Final = size(2_000, 100_000) // CHUNKS


@dataclass(slots=True)
class Course:
    """What happened at a table, whole."""

    steps: list[tuple[int, bool, list[Event], tuple[Seat, ...]]] = field(default_factory=list)
    """Packs given by then, whether one of them was given for it, the events, who is in the hand."""


@pytest.fixture
def course(monkeypatch: pytest.MonkeyPatch) -> Callable[[], Course]:
    """Of the match that is played next."""
    now = [Course()]

    def note(name: str, *, is_deal: bool) -> None:
        method = getattr(RunningMatch, name)

        def noting(self: RunningMatch, *args: object) -> list[Event]:
            events: list[Event] = method(self, *args)
            assert self.match.hand is not None
            given: int = self._shuffle.given  # type: ignore[attr-defined]  # Stacked
            now[0].steps.append((given, is_deal, events, self.match.hand.order))
            return events

        monkeypatch.setattr(RunningMatch, name, noting)

    note("_deal_pack", is_deal=True)
    note("_apply", is_deal=False)

    def begin() -> Course:
        now[0] = Course()
        return now[0]

    return begin


@dataclass(frozen=True, slots=True)
class Plan:
    """A table and who looks on, the same in both worlds."""

    seed: str
    room: m.Options
    viewer: int
    """Which of the people; one more than there are: who watches."""
    steps: int

    @property
    def people(self) -> int:
        return self.room.seats - self.room.computers

    @property
    def seat(self) -> Seat | None:
        if self.viewer == self.people:
            return None
        return self.viewer + self.room.computers if self.viewer else 0


def play(plan: Plan, packs: list[Pack]) -> list[tuple[float, m.ServerMessage]]:
    """What the viewer was sent, and when: the same messages are the same bytes, which have one form (codec.encode)."""
    chance = Random(plan.seed + "pauses")
    seeds = iter(range(1000))
    house = House(
        shuffle=lambda: Stacked(packs, plan.room.seats - 1),
        computer=lambda _: Blind(f"{plan.seed}{next(seeds)}"),
        chance=chance.random,
    )
    people = house.table(plan.room, *(f"Player {k}" for k in range(plan.people)))
    watcher = house.guest("Watcher")
    house.watch(watcher)
    viewer = [*people, watcher][plan.viewer]
    house.start(people[0])
    moves = Random(plan.seed + "moves")
    for _ in range(plan.steps):
        _step(house, people, viewer, [moves.random() for _ in range(4)], watcher)
        house.wait(moves.choice([0.0, 0.7, 2.5]))
    assert not house.faults
    return viewer.heard


def _step(house: House, people: list[Guest], viewer: Guest, drawn: list[float], watcher: Guest) -> None:
    what, which, who, how = drawn
    guest = people[int(who * len(people))]
    room = house.lobby.room_of(watcher.player)
    if room is None or room.play.match is None:
        return
    asked = next((one for one in people if one.player.is_here and _owes(house, one)), None)
    if what < 0.6 and asked is not None:
        legal = [do for do in choices(asked.last(m.Question)) if do is not m.Do.KUKU]
        house.act(asked, legal[int(which * len(legal))])
    elif what < 0.7 and viewer is not watcher and viewer.player.is_here:
        turn = int(how * 40)
        house.do(viewer, lambda k: m.Decide(id=k, turn=turn, do=sorted(m.DECISIONS)[int(which * 6)]))
    elif what < 0.75 and viewer.player.is_here:  # refused to all but the one who has it
        house.kuku(viewer)
    elif what < 0.82:
        (house.lose if guest.player.is_here and guest is not people[0] else house.come_back)(guest)
    elif what < 0.88 and viewer is not people[0]:
        (house.lose if viewer.player.is_here else house.come_back)(viewer)
    elif what < 0.92:
        house.come_back(viewer)
    elif what < 0.98 and guest.player.is_here:
        hand = guest.last(m.Rest).hand if guest.all(m.Rest) else 1
        house.do(guest, lambda k: m.NextHand(id=k, hand=hand))


def _owes(house: House, guest: Guest) -> bool:
    room = house.lobby.room_of(guest.player)
    questions = guest.all(m.Question)
    return bool(
        questions
        and room is not None
        and house.lobby.is_answer(guest.player, m.Decide(id=0, turn=questions[-1].turn, do=m.Do.STAND))
    )


def drawn_plan(random: Random, number: int) -> Plan:
    seats = random.randint(2, 7)
    computers = random.randint(0, seats - 1)
    room = options(
        seats,
        computers=computers,
        kind=random.choice(list(m.Format)),
        harlekin=random.choice(list(m.Rank)),
        clock=random.choice([0, 4, 20]),
        window=random.choice([0, 600, 1500]),
        pace=random.choice([0, 900]),
        rest=random.choice([0, 2000, 60_000]),
        pots=3,
        watching=random.choice([m.Watching.EVERYONE, m.Watching.OPEN]),
    )
    return Plan(f"{number} {random.random()}", room, random.randrange(seats - computers + 1), random.randint(3, 30))


@row(28)
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_the_viewer_is_sent_the_same(
    chunk: int, course: Callable[[], Course], record_property: Callable[[str, object], None]
) -> None:
    random = Random(f"worlds {chunk}")
    figures: Counter[str] = Counter()
    for number in rounds(PAIRS, PAIRS):
        plan = drawn_plan(random, number)
        packs = [shuffled(random) for _ in range(40)]
        happened = course()
        first = play(plan, packs)
        knowledge, last = known(plan, happened)
        if knowledge is None:
            figures["two-world pairs without a second world"] += 1
            continue
        other = [*packs]
        other[last] = knowledge.another_world(packs[last], random)
        second = play(plan, other)
        assert second == first, plan
        figures["two-world pairs"] += 1
        figures["two-world messages"] += len(first)
    assert figures["two-world pairs"] > 2 * figures["two-world pairs without a second world"]
    record_property(FIGURES, dict(figures))


def known(plan: Plan, happened: Course) -> tuple[Knowledge | None, int]:
    """What the viewer may know of the pack that was given last, and which that is."""
    ruleset = to_ruleset(plan.room)
    shows_all = (
        plan.seat is None and plan.room.watching is m.Watching.OPEN
    )  # the last hand too, once all is over (§6.8)
    knowledge: Knowledge | None = None
    last = 0
    for given, is_deal, events, order in happened.steps:
        if any(isinstance(event, Reshuffled) for event in events):
            return None, 0
        if shows_all and any(isinstance(event, MatchEnded) for event in events):
            return None, 0
        if is_deal:
            knowledge, last = Knowledge(plan.seat, order, ruleset), given - 1
        assert knowledge is not None
        knowledge.learn(events)
    return (knowledge, last) if last < 40 else (None, 0)


# --- how long a computer takes ----------------------------------------------------------------------------------------

HANDS: Final = size(200, 10_000)
ENOUGH: Final = 200
"""Hands that tell something, also where a long run's time was up before all were played."""
LEAST: Final = 0.001
"""A chance below which two distributions are not held for one; the seeds are fixed."""
SEATS: Final = 5


class Quiet:
    """A built-in player that never calls: who ends a hand early cuts off the long pauses of others."""

    listens = False

    def __init__(self, player: Bot) -> None:
        self.decide = player.decide
        if isinstance(player, Searcher):
            self.at_once = player.at_once

    def calls_kuku(self, view: View) -> bool:
        return False

    def saw(self, event: Event) -> None:
        raise AssertionError("it does not listen")


@dataclass(slots=True)
class Often(Stacked):
    """Packs in which every other time somebody is dealt a Kuku."""

    random: Random = field(default_factory=Random)

    def pack(self, hand: int, redeal: int) -> Pack:
        cards = list(shuffled(self.random))
        if hand % 2:
            one, other = cards.index(Card.KUKU), self.random.randrange(SEATS)
            cards[one], cards[other] = cards[other], cards[one]
        return tuple(cards)


def samples(level: m.Level, window: int) -> Iterator[tuple[float, Card]]:
    """How many seconds after its question each computer answered, and the card that it held."""
    random = Random(f"delays {level} {window}")
    house = House(
        shuffle=lambda: Often([], random=random),
        computer=lambda _: Quiet(BUILT_IN[level.value](random)),
        chance=Random(f"pauses {level} {window}").random,
    )
    (ada,) = house.match(options(SEATS, computers=SEATS - 1, pace=1000, window=window, pots=99), "Ada")
    for _ in range(HANDS * SEATS):
        running = house.lobby._rooms._of[ada.player].play.match
        if running is None:
            return
        turn, hand = ada.last(m.Turn), running.match.hand
        assert hand is not None
        held, asked_at, heard = hand.table.card(turn.seat), house.now, len(ada.heard)
        if turn.seat == 0:
            house.act(ada, next(do for do in (m.Do.STAND, m.Do.REFUSE) if do in choices(ada.last(m.Question))))
        while len(ada.heard) == heard or isinstance(ada.heard[-1][1], m.Ok):
            house.step()
        if turn.seat:
            assert held is not None
            yield round(house.now - asked_at, 6), held


def likeness(one: list[float], other: list[float]) -> float:
    """How likely two samples of one distribution differ so much (Kolmogorov and Smirnov)."""
    both = sorted({*one, *other})
    one, other = sorted(one), sorted(other)
    gap = max(abs(bisect_right(one, x) / len(one) - bisect_right(other, x) / len(other)) for x in both)
    n = math.sqrt(len(one) * len(other) / (len(one) + len(other)))
    scaled = (n + 0.12 + 0.11 / n) * gap
    tail = sum((1 if k % 2 else -1) * math.exp(-2 * k * k * scaled * scaled) for k in range(1, 101))
    return min(1.0, max(0.0, 2 * tail))


def test_likeness() -> None:
    chance = Random(1)
    one, other = [chance.random() for _ in range(500)], [chance.random() for _ in range(300)]
    assert likeness(one, other) > 0.05
    assert likeness(one, [value * 0.8 for value in other]) < LEAST


@row(29, 30)
@pytest.mark.parametrize(("level", "window"), list(zip(m.Level, [0, 800, 800, 0, 800], strict=True)))
def test_the_time_that_a_computer_takes_has_nothing_to_do_with_its_card(level: m.Level, window: int) -> None:
    found = list(samples(level, window))
    assert len(found) > ENOUGH
    kuku = [delay for delay, card in found if card is Card.KUKU]
    others = [delay for delay, card in found if card is not Card.KUKU]
    assert len(kuku) > ENOUGH / 10
    assert likeness(kuku, others) > LEAST
    for least in (Card.N4, Card.N8, Card.VARDSHUS):
        low = [delay for delay, card in found if card < least]
        high = [delay for delay, card in found if card >= least]
        assert likeness(low, high) > LEAST
