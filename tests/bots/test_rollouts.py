"""Deals that a searching player draws: they fit what it knows, are as likely as they should be, and always the same."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from math import sqrt
from random import Random

import pytest

from kille_net.bots import BUILT_IN, rollouts
from kille_net.bots.counting import Count
from kille_net.bots.rollouts import Rollouts, bare
from kille_net.bots.sharp import beneath
from kille_net.game.actions import Action, Phase
from kille_net.game.cards import Card
from kille_net.game.events import HandBegan
from kille_net.game.hand import Deed
from kille_net.game.match import Match
from kille_net.game.rules import Format, HarlekinRank, Ruleset
from kille_net.game.views import View, observe
from tests.bots.hands import Noting, play, view
from tests.deep import size

STAND, SWAP = Action.STAND, Action.SWAP
STOOD = [(seat, STAND) for seat in range(3)]


def seen(seats: int, form: Format, harlekin: HarlekinRank) -> Iterator[View]:
    """By seats on turn, at a table of players of all kinds."""
    names = list(BUILT_IN)[:4]
    bots = [Noting(BUILT_IN[names[seat % 4]](Random(seat))) for seat in range(seats)]
    play(bots, Ruleset(format=form, dealt_harlekin=harlekin, pots=size(1, 20)), seats)
    for bot in bots:
        yield from (one for one, _ in bot.asked if one.phase is Phase.TURN and len(one.order) > 2)


@pytest.mark.parametrize(("seats", "form", "harlekin"), list(product((3, 4, 6, 8), Format, HarlekinRank)))
def test_every_deal_comes_to_just_what_the_seat_sees(seats: int, form: Format, harlekin: HarlekinRank) -> None:
    fitting = 0
    for one in seen(seats, form, harlekin):
        deals = Rollouts(bare(one))
        for match in (deals.match() for _ in range(10)):
            if match is not None:
                fitting += 1
                assert replace(observe(match, match.to_act), can_ask=False) == bare(one)
    assert fitting > 15


@pytest.mark.parametrize(
    ("top", "acts"),
    [
        ("9 10 11 5", STOOD),
        ("5 10 11 8", [(0, SWAP), (1, STAND), (2, STAND)]),
        ("5 kavall 11 8", [(0, SWAP), (2, STAND)]),
        ("5 husar 4 6", [(0, SWAP), (2, SWAP)]),
        ("7 2 husu 6", [(0, STAND), (1, SWAP)]),
    ],
)
def test_if_nothing_is_read_from_what_others_did_the_odds_are_those_of_counting(
    top: str, acts: list[tuple[int, Action]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rollouts, "DOUBT", 1.0)
    one = view(top, 4, acts)
    ends = Rollouts(bare(one)).ends(size(3000, 100_000))
    count = Count(one)
    for k, odds in enumerate((count.stand(), count.draw())):
        lost = sum(end[k] >> 3 & 1 for end in ends) / len(ends)
        assert lost == pytest.approx(float(odds), abs=4 * sqrt(float(odds) * (1 - float(odds)) / len(ends)))


def test_who_stood_is_thought_to_hold_what_one_stands_with(monkeypatch: pytest.MonkeyPatch) -> None:
    one = bare(view("9 10 11 5", 4, STOOD))

    def bad(doubt: float) -> float:
        """How often the first to speak is thought to hold a card that it would have swapped."""
        monkeypatch.setattr(rollouts, "DOUBT", doubt)
        deals = Rollouts(one)
        cards = [card for _ in range(4000) if (match := deals.match()) and (card := held(match)) is not None]
        return sum(card < beneath(4)[3] - 1 for card in cards) / len(cards)

    def held(match: Match) -> Card | None:
        return None if match.hand is None else match.hand.table.card(0)

    assert bad(0.0) == 0
    assert 0 < bad(0.05) < 0.05
    assert bad(1.0) > 0.25


def test_deals_are_the_same_however_many_are_drawn_at_a_time() -> None:
    one = bare(view("9 5 11 5", 4, [(0, STAND)]))
    deals = Rollouts(one)
    at_first = deals.ends(50)
    assert Rollouts(one).ends(200) == deals.ends(200)
    assert deals.ends(50) == at_first
    assert len(set(at_first)) > 5


def test_only_cards_and_deeds_tell() -> None:
    one = view("9 5 11 5", 4, [(0, STAND)])
    other = replace(one, lives=(1, 2, 3, 1), points=(2, 0, 1, 0), hand=9, pot=4, asks=2)
    turned = replace(
        view("5 9 5 11", 4, [(0, STAND)]),
        seat=2, dealer=0, to_act=2,
        cards=(None, None, Card.N5, None),
        deeds=(Deed.WAITS, Deed.STOOD, Deed.WAITS, Deed.WAITS),
    )  # fmt: skip
    assert bare(one) == bare(other) == bare(turned)


def test_who_is_out_is_no_seat_of_the_hand() -> None:
    match = Match.before(Ruleset(), HandBegan(4, 1, 4, (2, 0, 1, 0, 3), (0,) * 5))
    match.deal(tuple(sorted(Card, reverse=True)) + tuple(Card))
    assert match.to_act is not None
    one = bare(observe(match, match.to_act))
    assert one.seat == 0
    assert one.order == (0, 1, 2)
    assert Rollouts(one).ends(20)


def test_what_nobody_would_do_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """All three stood, where the sharp player would swap with any card."""
    monkeypatch.setattr(rollouts, "_sharp", lambda _: SWAP)
    one = bare(view("9 10 11 5", 4, STOOD))
    assert len(Rollouts(one).ends(2)) < 2
    monkeypatch.setattr(rollouts, "DOUBT", 0.5)
    assert len(Rollouts(one).ends(100)) == 100


def test_the_ends_are_those_of_the_whole_table() -> None:
    """A dealer who stands with a Blaren, while nobody else can hold a lower card, loses; so may others."""
    ends = Rollouts(bare(view("9 10 11 blaren", 4, STOOD))).ends(200)
    assert all(stood >> 3 & 1 for stood, _ in ends)
    assert 20 < Counter(swapped >> 3 & 1 for _, swapped in ends)[0] < 100
