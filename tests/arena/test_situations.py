"""Each situation is what it says it is, and together they are all that the rules can put before a bot."""

from collections.abc import Sequence

import pytest

from kille_net.arena.play import play_match
from kille_net.arena.situations import SITUATIONS, Situation, pack_of, view_of
from kille_net.bots import Bot, as_bot
from kille_net.game.actions import DEFAULTS, Action, Phase
from kille_net.game.cards import Card, is_pack
from kille_net.game.events import Drew, HandBegan
from kille_net.game.match import Match, Stage
from kille_net.game.rules import REFUSALS, Format, HarlekinRank
from kille_net.game.views import View
from tests.bots.hands import Noting

WAYS: Sequence[tuple[Action, ...]] = ((), (Action.SWAP,), (Action.ASK, Action.ACCEPT), (Action.ASK, Action.SWAP))
"""What a bot may be like: it does the first of these that it may, or else the default."""


def play(situation: Situation, wishes: Sequence[Action]) -> tuple[Noting, Match]:
    """All that such a bot is asked and sees, and the match."""

    class Wishing(Bot):
        def decide(self, view: View) -> Action:
            return next((wish for wish in wishes if wish in view.legal), DEFAULTS[view.phase])

        def calls_kuku(self, view: View) -> bool:
            return False

    bot = Noting(Wishing())
    players: list[Bot] = list(situation.players())
    players[situation.seat] = bot
    match = Match(situation.ruleset, situation.seats, situation.first_dealer)
    play_match(match, players, situation.packs("a seed"), hands=None if situation.top is None else 1)
    return bot, match


def meets(situation: Situation, bot: Noting) -> bool:
    views = [view for view, _ in (*bot.asked, *bot.called)]
    what = situation.meets
    if isinstance(what, Phase):
        return any(view.phase is what for view in views)
    if isinstance(what, Card):
        return any(view.card is what for view in views)
    return any(type(event) is what for event in bot.events)


def test_no_two_have_one_name() -> None:
    keys = [situation.key for situation in SITUATIONS]
    assert len(set(keys)) == len(keys) > 100


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.key)
def test_a_situation_is_met(situation: Situation) -> None:
    assert situation.rules
    met = [meets(situation, play(situation, wishes)[0]) for wishes in WAYS]
    assert any(met)


@pytest.mark.parametrize(
    "situation", [one for one in SITUATIONS if one.what == "refused.by"], ids=lambda situation: situation.key
)
def test_who_swaps_there_meets_that_matador(situation: Situation) -> None:
    bot, _ = play(situation, (Action.SWAP,))
    assert any(getattr(event, "card", None) is situation.card for event in bot.events)


@pytest.mark.parametrize(
    "situation", [one for one in SITUATIONS if one.what == "talon.drawn"], ids=lambda situation: situation.key
)
def test_who_swaps_there_draws_that_card(situation: Situation) -> None:
    bot, _ = play(situation, (Action.SWAP,))
    assert situation.card in [event.card for event in bot.events if isinstance(event, Drew)]


def test_a_situation_with_cards_is_one_hand_and_the_others_are_whole_matches() -> None:
    for situation in SITUATIONS:
        bot, match = play(situation, ())
        hands = [event.number for event in bot.events if isinstance(event, HandBegan)]
        assert (len(hands) == 1) is (situation.top is not None)
        assert match.stage is Stage.OVER or situation.top is not None
        assert match.phase is Phase.OVER


def test_every_card_is_dealt_every_refusal_met_and_every_question_asked() -> None:
    assert {one.card for one in SITUATIONS if one.what == "dealt.first"} == set(Card)
    assert {one.card for one in SITUATIONS if one.what == "refused.by"} == set(REFUSALS)
    assert {one.format for one in SITUATIONS if one.top is None} == set(Format)
    assert {2, 8} <= {one.seats for one in SITUATIONS if one.top is None}
    assert HarlekinRank.LOW in {one.dealt for one in SITUATIONS}
    phases = {view.phase for one in SITUATIONS for wishes in WAYS for view, _ in play(one, wishes)[0].asked}
    assert phases == {Phase.TURN, Phase.ASKED, Phase.MIDDLE}


def test_a_pack_begins_as_it_is_told_and_is_whole() -> None:
    made = pack_of("kuku kuku 3")
    assert made[:3] == (Card.KUKU, Card.KUKU, Card.N3)
    assert is_pack(made)
    with pytest.raises(ValueError, match="not in list"):
        pack_of("kuku kuku kuku")


def test_a_view_for_a_test_of_ones_own() -> None:
    first = view_of("2 9 5 6")
    assert (first.seat, first.card, first.dealer) == (0, Card.N2, 3)
    second = view_of("2 9 5 6", play=[(0, Action.SWAP)])
    assert (second.seat, second.card, second.cards[0]) == (1, Card.N2, Card.N9)
    assert as_bot(lambda view: view.legal[0]).decide(first) is Action.STAND
