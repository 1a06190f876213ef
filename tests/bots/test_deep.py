"""The searching player: what it does otherwise than the sharp one, and what it leaves to others."""

from dataclasses import replace

import pytest

from kille_net.bots.deep import DeepBot
from kille_net.bots.perfect import PerfectBot
from kille_net.bots.rollouts import Ends, Rollouts, bare, rollouts
from kille_net.bots.sharp import SharpBot
from kille_net.game.actions import Action
from kille_net.game.rules import Format, Ruleset
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


def test_what_it_does_hangs_on_the_lives() -> None:
    one = view("4 9 9 10", 4)
    assert DeepBot().decide(replace(one, lives=(3, 3, 1, 1))) is SWAP
    assert DeepBot().decide(replace(one, lives=(1, 1, 1, 1))) is STAND


def test_asks_it_leaves_to_sharp() -> None:
    assert DeepBot().decide(view("2 9 9", 3)) is SharpBot().decide(view("2 9 9", 3)) is Action.ASK
    for acts in ([(0, Action.ASK)], [(0, Action.ASK), (2, Action.DEPENDS)]):
        for card in ("3", "6", "9", "husar"):
            one = view(f"2 {card} {card}", 3, acts)
            assert DeepBot().decide(one) is SharpBot().decide(one)


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


@pytest.mark.parametrize("form", Format)
def test_it_is_perfect_between_two(form: Format) -> None:
    bots = [Noting(DeepBot()), Noting(SharpBot())]
    play(bots, Ruleset(format=form, pots=8), 1)
    assert bots[0].asked
    assert all(PerfectBot().decide(one) is action for one, action in bots[0].asked)
    assert all(PerfectBot().calls_kuku(one) is calls for one, calls in bots[0].called)
