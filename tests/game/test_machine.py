"""What holds of every match, whatever is dealt and done: a rule-based state machine, and a long walk."""

import pickle
from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from kille_net.game.actions import Action, IllegalAction, Phase, Refusal, actions_of
from kille_net.game.cards import FULL_PACK, Card, Pack
from kille_net.game.events import MatchEnded, PotWon, SeatStruck, Showdown
from kille_net.game.hand import Hand
from kille_net.game.match import Match, Stage
from kille_net.game.record import VERIFIABLE, By, Line, MatchLine, Recorder, SeatLabel, to_json
from kille_net.game.replay import verify
from kille_net.game.rules import Format, HarlekinRank, Ruleset
from kille_net.game.table import Table
from kille_net.game.views import View
from tests.deep import size
from tests.game.playing import choose
from tests.game.worked import SPECTATOR, Watch

TOPS = st.lists(st.sampled_from(Card), max_size=12)
"""What lies on top of a pack, as far as there are two of a kind: so matadors and Harlekins come often."""


def packed(top: list[Card], seed: int) -> Pack:
    rest = list(FULL_PACK)
    first = []
    for card in top:
        if card in rest:
            rest.remove(card)
            first.append(card)
    Random(seed).shuffle(rest)
    return (*first, *rest)


def state(thing: Any) -> object:  # noqa: ANN401  whatever a slot holds
    """All that a match, its hand and its table hold, as a value."""
    if isinstance(thing, Match | Hand | Table):
        return [(name, state(getattr(thing, name))) for name in type(thing).__slots__]
    return list(thing) if isinstance(thing, list) else thing


def assert_whole(match: Match) -> None:
    """Rules P1, S1: 42 cards, each in one place, and one with every seat that is in the hand."""
    hand = match.hand
    if hand is None:
        return
    table = hand.table
    held = [card for card in table.cards() if card is not None]
    places = [*held, *table.talon, *table.discard, *table.beside]
    assert sorted(places) == list(FULL_PACK)
    origins = [origin for origin in table.origins() if origin is not None]
    assert len(set(origins)) == len(origins) == len(held)
    between_deals = hand.phase is Phase.DEAL or (hand.phase is Phase.OVER and hand.showdown is None)
    assert len(held) == len(hand.order) or (not held and between_deals)
    assert all(hand.lives[seat] for seat in hand.order)


def assert_lists_are_true(match: Match) -> None:
    """One check, three doors: what is listed as legal is what is asked about."""
    for seat in range(match.seats):
        listed = actions_of(match.legal(seat))
        assert listed == tuple(action for action in Action if match.why_not(seat, action) is None)


def assert_goes_on(match: Match) -> None:
    """Unless the match is over, a pack is wanted or somebody may act, and never both."""
    may_act = [seat for seat in range(match.seats) if match.legal(seat)]
    assert (match.stage is Stage.OVER) + match.wants_pack + bool(may_act) == 1
    assert (match.to_act in may_act) == bool(may_act)


class Matches(RuleBasedStateMachine):
    """Plays matches in every way, watched by all, and recorded."""

    @initialize(
        seats=st.integers(2, 8) | st.integers(2, 3),
        format_=st.sampled_from(Format),
        rank=st.sampled_from(HarlekinRank),
        pots=st.integers(1, 3),
        dealer=st.integers(0, 7),
    )
    def begin(self, seats: int, format_: Format, rank: HarlekinRank, pots: int, dealer: int) -> None:
        ruleset = Ruleset(format=format_, dealt_harlekin=rank, pots=pots)
        self.match = Match(ruleset, seats, dealer % seats)
        self.watch = Watch(self.match)
        labels = tuple(SeatLabel(str(seat)) for seat in range(seats))
        self.recorder = Recorder(
            MatchLine(
                id=bytes(16),
                rules=ruleset,
                seats=labels,
                first_dealer=dealer % seats,
                shuffle={"kind": VERIFIABLE},
            )
        )
        self.lines: list[Line] = [self.recorder.header]

    @precondition(lambda self: self.match.wants_pack)
    @rule(top=TOPS, seed=st.integers(0, 1_000))
    def deal(self, top: list[Card], seed: int) -> None:
        pack = packed(top, seed)
        hand, redeal = self.match.next_pack
        self.lines += self.recorder.dealt(pack, self.watch.deal(pack))
        assert (self.match.number, self.match.packs) == (hand, redeal + 1)

    @precondition(lambda self: not self.match.wants_pack and self.match.stage is not Stage.OVER)
    @rule(seed=st.integers(0, 1_000))
    def act(self, seed: int) -> None:
        seat, action = choose(self.match, Random(seed))
        before = state(self.match)
        twin = pickle.loads(pickle.dumps(self.match)) if seed % 3 == 0 else self.match.copy()
        events = twin.act(seat, action)
        assert state(self.match) == before, "a copy is not independent"
        assert self.watch.act(seat, action) == events
        assert state(self.match) == state(twin), "a copy goes another way"
        self.lines += self.recorder.acted(seat, action, events, t=seed / 8, by=By.PLAYER)

    @rule(seat=st.integers(-1, 8), action=st.sampled_from(Action))
    def do_what_is_not_listed(self, seat: int, action: Action) -> None:
        refusal = self.match.why_not(seat, action)
        if refusal is None:
            return
        before = state(self.match)
        with pytest.raises(IllegalAction) as caught:
            self.match.act(seat, action)
        assert caught.value.refusal is refusal
        assert state(self.match) == before

    @precondition(lambda self: self.match.number > 4)
    @rule()
    def break_off(self) -> None:
        if self.match.stage is Stage.OVER:
            with pytest.raises(IllegalAction):
                self.match.break_off("rain")
            return
        events = self.watch.break_off("rain")
        assert events == [MatchEnded(None, self.match.points, "rain")]
        assert not any(self.match.legal(seat) for seat in range(self.match.seats))
        self.lines += self.recorder.broken_off("rain")

    @precondition(lambda self: not self.match.wants_pack)
    @rule()
    def deal_what_is_not_wanted(self) -> None:
        before = state(self.match)
        with pytest.raises(IllegalAction):
            self.match.deal(FULL_PACK)
        if self.match.hand is not None:
            with pytest.raises(IllegalAction):
                self.match.hand.deal(FULL_PACK)
        assert state(self.match) == before

    @invariant()
    def the_cards_are_whole(self) -> None:
        assert_whole(self.match)

    @invariant()
    def the_lists_are_true_and_each_seat_sees_its_own(self) -> None:
        assert_lists_are_true(self.match)
        for seat in range(self.match.seats):
            assert self.watch.views[seat].legal == actions_of(self.match.legal(seat))
        assert self.watch.views[SPECTATOR].legal == ()

    @invariant()
    def it_goes_on(self) -> None:
        assert_goes_on(self.match)

    @invariant()
    def the_kuku_seats_are_those_that_may_call(self) -> None:
        hand = self.match.hand
        if hand is not None:
            callers = [seat for seat in hand.order if self.match.legal(seat) >> Action.KUKU & 1]
            assert list(hand.kuku_seats()) == callers

    @invariant()
    def a_seat_sees_its_own_card_and_all_see_what_is_up(self) -> None:
        hand = self.match.hand
        if hand is None:
            return
        cards = hand.table.cards()
        for viewer, view in self.watch.views.items():
            shown = {*hand.table.face_up, *(() if viewer is None else (viewer,))}
            assert all(view.cards[seat] is cards[seat] for seat in shown)
            assert all(view.cards[seat] in {None, card} for seat, card in enumerate(cards))
            assert own_card(view) == (None if viewer is None else cards[viewer])

    def teardown(self) -> None:
        if not hasattr(self, "match"):
            return
        if self.match.stage is not Stage.OVER:
            self.lines += self.recorder.broken_off("enough")
        assert verify(map(to_json, self.lines), prepared=True).error is None


def own_card(view: View) -> Card | None:
    try:
        return view.card
    except LookupError:
        return None


TestMatches = Matches.TestCase

WALKS = 4
"""So that all cores have a part in it."""


@pytest.mark.parametrize("part", range(WALKS))
def test_a_long_walk(part: int) -> None:
    """Through matches of all kinds; what is seen on the way is all that there is to see."""
    length = size(100_000, 5_000_000) // WALKS
    whim = Random(f"walk {part}")
    steps = 0
    seen: Counter[str] = Counter()
    while steps < length:
        seats = whim.randint(2, 8)
        ruleset = Ruleset(format=whim.choice(list(Format)), dealt_harlekin=whim.choice(list(HarlekinRank)), pots=2)
        match = Match(ruleset, seats, whim.randrange(seats))
        while match.stage is not Stage.OVER:
            if match.wants_pack:
                events = match.deal(tuple(whim.sample(FULL_PACK, 42)))
            else:
                events = match.act(*choose(match, whim))
            assert_whole(match)
            assert_lists_are_true(match)
            assert_goes_on(match)
            for event in events:
                seen[type(event).__name__] += 1
                match event:
                    case Showdown(cards, struck, _, lost, lives):
                        assert match.hand is not None
                        assert lives == tuple(n - (seat in lost) for seat, n in enumerate(match.hand.lives))
                        assert min(lives) >= 0
                        assert len(lost) < sum(card is not None for card in cards)
                        assert set(struck) <= set(lost)
                    case PotWon(pot, _, points):
                        assert pot == sum(points)
                    case MatchEnded(winner, points):
                        assert match.winner == winner
                        assert winner is not None
                        assert ruleset.format is Format.STICKS or points[winner] == max(points)
                    case SeatStruck(seat):
                        assert match.hand is not None
                        assert seat in match.hand.order
            steps += 1
    assert set(seen) == {
        "AskAnswered",
        "BetterCardsAsked",
        "CardRefused",
        "CardsThrown",
        "Dealt",
        "Drew",
        "HandBegan",
        "KukuCalled",
        "MatchEnded",
        "PotWon",
        "SeatStruck",
        "Showdown",
        "Stood",
        "Swapped",
        "SwapsUndone",
    }


@pytest.mark.parametrize("seats", range(2, 9))
@pytest.mark.parametrize("format_", Format)
def test_a_match_ends_whose_players_refuse_asks_now_and_then(seats: int, format_: Format) -> None:
    for seed in range(3):
        whim = Random(seed)
        match = Match(Ruleset.for_seats(seats, format=format_), seats, 0)
        for _ in range(20_000):
            if match.stage is Stage.OVER:
                break
            if match.wants_pack:
                match.deal(tuple(whim.sample(FULL_PACK, 42)))
            else:
                match.act(*choose(match, whim))
        assert match.stage is Stage.OVER
        assert match.winner is not None


def test_before_the_first_deal_there_is_no_hand() -> None:
    match = Match(Ruleset(), 3, 0)
    assert (match.phase, match.to_act, match.next_pack, match.lives) == (Phase.DEAL, None, (1, 0), (3, 3, 3))
    assert [match.legal(seat) for seat in range(3)] == [0, 0, 0]
    assert match.why_not(0, Action.STAND) is Refusal.NO_HAND
    with pytest.raises(IllegalAction):
        match.act(0, Action.STAND)
