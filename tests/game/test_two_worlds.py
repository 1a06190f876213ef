"""Rule T5 as a whole: what a seat may not know changes nothing of what it is told, may do and is refused.

A hand is played, then played again with the same actions after the cards that the viewer cannot know have changed
places. What it can know is worked out here from the course of the hand, not asked of the engine.
"""

from collections.abc import Iterator
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from kille_net.game.actions import Action, Phase, Refusal
from kille_net.game.cards import FULL_PACK, Card, Pack
from kille_net.game.events import (
    CardRefused,
    CardsThrown,
    Dealt,
    Drew,
    Event,
    KukuCalled,
    RedealReason,
    Reshuffled,
    Showdown,
    Swapped,
    SwapsUndone,
)
from kille_net.game.match import Match
from kille_net.game.rules import REFUSALS, Format, HarlekinRank, Ruleset, Seat
from kille_net.game.views import View
from tests.catalogue.rows import row
from tests.game.playing import choose
from tests.game.worked import Watch, in_the_midst

Kinds = frozenset[Card]
ANY: Kinds = frozenset(Card)
PLAIN: Kinds = frozenset(card for card in Card if card not in REFUSALS and card is not Card.HARLEKIN)
NO_HARLEKIN: Kinds = ANY - {Card.HARLEKIN}


class Knowledge:
    """What a viewer has learnt of each place of the last pack: the card itself, or what kinds it may be."""

    def __init__(self, viewer: Seat | None, seats: tuple[Seat, ...], ruleset: Ruleset) -> None:
        self.viewer = viewer
        self.order = seats
        self.ruleset = ruleset
        self.known: set[int] = set()
        self.may_be: list[Kinds] = [ANY] * 42
        self.at: dict[Seat, int] = {}  # by seat: the place in the pack that its card came from
        self.dealt: dict[Seat, int] = {}
        self.next = 0

    def learn(self, events: list[Event]) -> None:
        for event, following in zip(events, [*events[1:], None], strict=True):
            match event:
                case Dealt():
                    for seat in self.order:
                        self.at[seat] = self.dealt[seat] = self.next
                        self.next += 1
                    if self.viewer in self.at:
                        self.known.add(self.at[self.viewer])
                    if len(self.order) == 2:
                        self._two_were_dealt(following)
                case CardRefused(seat, _, _) | KukuCalled(seat, _):
                    self.known.add(self.at[seat])
                case Swapped(seat, target, gave, got):
                    if self.viewer in {seat, target}:
                        self.known |= {self.at[seat], self.at[target]}
                    for holder, card, kinds in ((seat, gave, NO_HARLEKIN), (target, got, PLAIN)):
                        if card is Card.HARLEKIN:
                            self.known.add(self.at[holder])
                        self.may_be[self.at[holder]] &= kinds
                    self.at[seat], self.at[target] = self.at[target], self.at[seat]
                case SwapsUndone(path, _, _):
                    self.at |= {seat: self.dealt[seat] for seat in path}
                case Drew(seat, _, kept):
                    if not kept or seat == self.viewer:
                        self.known.add(self.next)
                    if kept:
                        self.at[seat] = self.next
                    self.next += 1
                case CardsThrown(reason, cards, _):
                    for seat in self.order:
                        if reason is RedealReason.TIE or (
                            reason is RedealReason.HARLEKIN and cards[seat] is Card.HARLEKIN
                        ):
                            self.known.add(self.at[seat])
                case Showdown():
                    self.known |= set(self.at.values())

    def _two_were_dealt(self, following: Event | None) -> None:
        """F5, G3: what does not show itself is not there; a Harlekin shows itself before a Kuku."""
        match following:
            case CardsThrown(RedealReason.HARLEKIN, cards, _):
                kinds = {seat: ANY if cards[seat] is Card.HARLEKIN else NO_HARLEKIN for seat in self.order}
            case _ if self.ruleset.rules.kuku_shows_itself:
                kinds = dict.fromkeys(self.order, NO_HARLEKIN - {Card.KUKU})
            case _:
                kinds = dict.fromkeys(self.order, NO_HARLEKIN)
        for seat in self.order:
            self.may_be[self.at[seat]] &= kinds[seat]

    def another_world(self, pack: Pack, whim: Random) -> Pack:
        """The same pack to the viewer: cards that it cannot know have changed places where their kinds allow it."""
        cards = list(pack)
        hidden = [place for place in range(42) if place not in self.known]
        for _ in range(200):
            one, other = whim.sample(hidden, 2)
            if cards[one] in self.may_be[other] and cards[other] in self.may_be[one]:
                cards[one], cards[other] = cards[other], cards[one]
        return tuple(cards)


Told = tuple[list[Event], View, tuple[Refusal | None, ...]]


def hear(watch: Watch, viewer: Seat | None) -> Told:
    """What the viewer was told, knows, and may do or why not."""
    refusals = tuple(
        watch.match.why_not(seat, action) for seat in ([] if viewer is None else [viewer]) for action in Action
    )
    return watch.told[viewer], watch.views[viewer], refusals


def play(match: Match, packs: Iterator[Pack], moves: list[tuple[Seat, Action]], viewer: Seat | None) -> list[Told]:
    watch = Watch(match)
    heard = []
    for move in [None, *moves]:
        if move is not None:
            watch.act(*move)
            heard.append(hear(watch, viewer))
        while match.phase is Phase.DEAL and (pack := next(packs, None)):
            watch.deal(pack)
            heard.append(hear(watch, viewer))
    return heard


@row(28)
@given(
    lives=st.sampled_from([(1, 1), (1, 1, 1), (2, 0, 1), (1, 2, 1, 1), (1, 1, 0, 1, 1), (1,) * 8]),
    ruleset=st.builds(Ruleset, format=st.sampled_from(Format), dealt_harlekin=st.sampled_from(HarlekinRank)),
    seed=st.integers(0, 1_000_000),
    steps=st.integers(0, 16),
    who=st.integers(-1, 7),
)
def test_what_a_seat_may_not_know_changes_nothing_for_it(
    lives: tuple[int, ...], ruleset: Ruleset, seed: int, steps: int, who: int
) -> None:
    """Rule T5."""
    viewer = None if who < 0 else who % len(lives)
    whim = Random(seed)
    dealer = whim.choice([seat for seat, number in enumerate(lives) if number])
    match = in_the_midst(ruleset, lives, dealer)
    packs: list[Pack] = []
    moves: list[tuple[Seat, Action]] = []
    knowledge: Knowledge | None = None

    def deal_on() -> None:
        nonlocal knowledge
        while match.phase is Phase.DEAL:
            packs.append(tuple(whim.sample(FULL_PACK, 42)))
            events = match.deal(packs[-1])
            assert match.hand is not None
            if not any(isinstance(event, Reshuffled) for event in events):
                knowledge = Knowledge(viewer, match.hand.order, ruleset)
                knowledge.learn(events)

    deal_on()
    for _ in range(steps):
        if match.phase is Phase.OVER:
            break
        move = choose(match, whim)
        moves.append(move)
        events = match.act(*move)
        assert knowledge is not None
        knowledge.learn(events)
        deal_on()
    assert knowledge is not None
    first = play(in_the_midst(ruleset, lives, dealer), iter(packs), moves, viewer)
    for _ in range(3):
        other = [*packs[:-1], knowledge.another_world(packs[-1], whim)]
        assert play(in_the_midst(ruleset, lives, dealer), iter(other), moves, viewer) == first
