"""The searching player: what it does otherwise than the sharp one, and what it leaves to others."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from random import Random

import pytest

from kille_net.bots.deep import DeepBot
from kille_net.bots.lives import chance
from kille_net.bots.perfect import PerfectBot
from kille_net.bots.rollouts import Ends, Rollouts, bare, rollouts
from kille_net.bots.sharp import SharpBot
from kille_net.game.actions import Action, Phase
from kille_net.game.cards import FULL_PACK, Card
from kille_net.game.hand import Deed
from kille_net.game.match import Match
from kille_net.game.rules import Format, HarlekinRank, Ruleset, Seat
from kille_net.game.views import observe
from kille_net.intervals import estimate
from tests.bots.hands import Noting, play, view

STAND, SWAP = Action.STAND, Action.SWAP


@pytest.fixture(autouse=True)
def _nothing_was_drawn_before() -> None:
    rollouts.cache_clear()


@pytest.mark.parametrize(
    ("top", "acts", "of_sharp"),
    [
        ("5 9 9 10", [], SWAP),
        ("3 9 9 10", [], SWAP),
        ("10 10 11 7", [(0, STAND), (1, STAND), (2, STAND)], STAND),
        ("10 10 11 8", [(0, STAND), (1, STAND), (2, STAND)], STAND),
    ],
)
def test_it_swaps_other_cards_than_sharp(top: str, acts: list[tuple[int, Action]], of_sharp: Action) -> None:
    """The first to speak of four stands with a 5; the dealer, after all stood, draws for a 7."""
    one = view(top, 4, acts)
    assert SharpBot().decide(one) is of_sharp
    assert (DeepBot().decide(one) is of_sharp) == (top[0] == "3" or top[-1] == "8")


@pytest.mark.parametrize(("seat", "card", "stood"), [(0, Card.N5, False), (3, Card.N7, True)])
def test_where_it_does_otherwise_it_wins_more_pots(seat: Seat, card: Card, *, stood: bool) -> None:
    """At a table of sharp players, by packs that are drawn without its search: the first to speak, and the dealer after
    all stood.
    """
    gained = []
    for match in islice(_where(4, seat, card, stood=stood), 1_000):
        one = observe(match, seat)
        gained.append(_chance(match.copy(), seat, DeepBot().decide(one)) - _chance(match, seat, SharpBot().decide(one)))
    low = estimate(gained, -1, 1).low
    assert low is not None
    assert low > 0


def _where(seats: int, seat: Seat, card: Card, *, stood: bool) -> Iterator[Match]:
    """Hands in which the seat is on turn with the card, after others did as sharp does (and stood)."""
    shuffled, rest = Random(seats), list(FULL_PACK)
    rest.remove(card)
    while True:
        shuffled.shuffle(rest)
        match = Match(Ruleset(), seats, seats - 1)
        match.deal((*rest[:seat], card, *rest[seat:]))
        while match.to_act not in {seat, None}:
            assert match.to_act is not None
            match.act(match.to_act, SharpBot().decide(observe(match, match.to_act)))
        hand = match.hand
        assert hand is not None
        if match.to_act == seat and (not stood or set(hand.deeds[:seat]) == {Deed.STOOD}):
            yield match


def _chance(match: Match, seat: Seat, action: Action) -> float:
    """Of the pot, when the seat has done this and others went on as sharp does."""
    match.act(seat, action)
    while match.phase is Phase.TURN:
        assert match.to_act is not None
        match.act(match.to_act, SharpBot().decide(observe(match, match.to_act)))
    return chance(match.lives[seat], tuple(lives for k, lives in enumerate(match.lives) if lives and k != seat))


def test_what_it_does_hangs_on_the_lives() -> None:
    one = view("4 9 9 10", 4)
    assert DeepBot().decide(replace(one, lives=(3, 3, 1, 1))) is SWAP
    assert DeepBot().decide(replace(one, lives=(1, 1, 1, 1))) is STAND


def test_what_there_is_nothing_to_weigh_of_it_leaves_to_sharp(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Rollouts, "ends", lambda *_: pytest.fail("it searches"))
    low = Ruleset(dealt_harlekin=HarlekinRank.LOW)
    assert DeepBot().decide(view("kuku 9 9 10", 4)) is STAND
    assert DeepBot().decide(view("2 9 9", 3, rules=low)) is SharpBot().decide(view("2 9 9", 3, rules=low))


def test_after_what_nobody_would_do_it_does_as_sharp(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Rollouts, "match", lambda _: None)
    for top in ("5 9 10 11 12", "10 9 10 11 12"):
        one = view(top, 5)
        assert DeepBot().decide(one) is SharpBot().decide(one)
    assert rollouts(bare(view("5 9 10 11 12", 5))).ends(1) == []


def test_it_looks_no_longer_than_it_is_in_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []
    ends = Rollouts.ends

    def noted(deals: Rollouts, number: int) -> list[Ends]:
        drawn.append(number)
        return ends(deals, number)

    monkeypatch.setattr(Rollouts, "ends", noted)
    assert DeepBot().decide(view("12 9 9 10", 4)) is STAND
    assert drawn == [50]
    drawn.clear()
    DeepBot().decide(view("4 9 9 10", 4))
    assert drawn == [50, 100, 200, 400, 800]


def test_what_it_does_at_once_is_what_sharp_does() -> None:
    one = view("5 9 9 10", 4)
    assert DeepBot().at_once(one) is SharpBot().decide(one) is not DeepBot().decide(one)


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("form", Format)
def test_it_is_perfect_where_there_is_a_table(form: Format, seats: int) -> None:
    bots = [Noting(DeepBot()), *(Noting(SharpBot()) for _ in range(seats - 1))]
    play(bots, Ruleset(format=form, pots=8), 1)
    perfect, deep = PerfectBot(rng=Random(1)), DeepBot(Random(1))
    known = [one for one, _ in bots[0].asked if perfect.knows(one)]
    assert len(known) > 5
    assert [deep.decide(one) for one in known] == [perfect.decide(one) for one in known]
    held = [one for one, _ in bots[0].called if perfect.knows(one)]
    assert [deep.calls_kuku(one) for one in held] == [perfect.calls_kuku(one) for one in held]
