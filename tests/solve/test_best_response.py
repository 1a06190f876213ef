"""The best answer to a player: that nothing beats perfect play, and what beats play that is not."""

from dataclasses import replace

import pytest

from kille_net.bots.base import Bot
from kille_net.bots.careful import CarefulBot
from kille_net.bots.perfect import PerfectBot, thresholds
from kille_net.bots.sharp import SharpBot
from kille_net.game.actions import Action
from kille_net.game.cards import Card
from kille_net.game.rules import Format, Ruleset
from kille_net.game.views import View
from kille_net.solve.best_response import Unanswerable, answer, player_of
from kille_net.solve.lines import Close, Lines, view_of
from kille_net.solve.values import Hand, pot
from tests.deep import size

POTS, STICKS = (Ruleset(format=form) for form in Format)


@pytest.fixture(scope="module")
def lines() -> Lines:
    """Of pots, found once for all."""
    return Lines(POTS)


class Stands(Bot):
    """Never does anything else."""

    def decide(self, view: View) -> Action:
        return Action.STAND if Action.STAND in view.legal else Action.REFUSE


class Asks(PerfectBot):
    """Gives its cards back whenever it may."""

    def decide(self, view: View) -> Action:
        return next((a for a in (Action.ASK, Action.ACCEPT) if a in view.legal), super().decide(view))


@pytest.mark.parametrize("rules", [POTS, STICKS])
def test_nobody_gets_more_than_its_value_out_of_the_perfect_player(rules: Ruleset, hands: dict[Format, Hand]) -> None:
    """Asking, accepting and keeping a Kuku back included."""
    lives = size(1, rules.rules.lives)
    perfect = pot(hands[rules.format], lives)
    answered = answer(rules, player_of(PerfectBot()), lives=lives)
    assert answered.residual < 1e-12
    for (seat, ours, theirs), got in answered.values.items():
        value = perfect.values[ours, theirs] if seat == 0 else 1 - perfect.values[theirs, ours]
        assert -1e-9 <= got - value <= 1e-6


@pytest.mark.parametrize(
    ("wrong", "seat"),
    [({"first": Card.N7}, 1), ({"first": Card.N5}, 1), ({"dealer": Card.N9}, 0), ({"dealer": Card.N7}, 0)],
)
def test_one_card_wrong_is_found(wrong: dict[str, Card], seat: int, lines: Lines, hands: dict[Format, Hand]) -> None:
    """By the seat that answers it."""
    table = {key: replace(row, **wrong) for key, row in thresholds().items()}
    value = pot(hands[Format.POTS], 1).values[1, 1]
    got = answer(POTS, player_of(PerfectBot(table)), lives=1, lines=lines).values[seat, 1, 1]
    assert got - (1 - value if seat else value) > 1e-4


@pytest.mark.parametrize("bot", [SharpBot(), CarefulBot(), Stands()])
def test_everybody_else_can_be_answered_better(bot: Bot, lines: Lines, hands: dict[Format, Hand]) -> None:
    perfect = pot(hands[Format.POTS], 1).values[1, 1]
    answered = answer(POTS, player_of(bot), lives=1, lines=lines)
    assert answered.values[0, 1, 1] >= perfect - 1e-9
    assert answered.values[1, 1, 1] >= 1 - perfect - 1e-9
    assert answered.values[0, 1, 1] + answered.values[1, 1, 1] > 1.01


def test_the_answer_to_who_always_stands_is_as_counted_by_hand(lines: Lines) -> None:
    answered = answer(POTS, player_of(Stands()), lives=1, lines=lines)
    values = [0.5, 0.5]
    for _ in range(100):
        values = [_counted(seat, tie=values[1 - seat]) for seat in (0, 1)]
    assert [answered.values[seat, 1, 1] for seat in (0, 1)] == pytest.approx(values, abs=1e-9)


KINDS = [card for card in Card if card is not Card.HARLEKIN]


def _counted(seat: int, *, tie: float) -> float:
    """The chance to win on one life each against a seat that always stands; `tie`: of the hand after one."""
    total = won = 0.0
    for own in KINDS:
        ways = {theirs: 2.0 * (2 - (theirs is own)) for theirs in KINDS}
        total += sum(ways.values())
        if own is Card.KUKU:
            won += sum(n * (tie if theirs is own else 1) for theirs, n in ways.items())
            continue
        del ways[Card.KUKU]  # to which we lose, whatever we would do
        stand = sum(n * _beats(own, theirs, tie) for theirs, n in ways.items())
        move = _asks if seat == 0 else _draws
        won += max(stand, sum(n * move(own, theirs, tie) for theirs, n in ways.items()))
    return won / total


def _beats(ours: Card, theirs: Card, tie: float) -> float:
    return tie if ours is theirs else float(ours > theirs)


def _asks(own: Card, theirs: Card, tie: float) -> float:
    if theirs in {Card.VARDSHUS, Card.KAVALL}:
        return _draws(own, theirs, tie)
    return 0.0 if theirs in {Card.HUSU, Card.HUSAR} else _beats(theirs, own, tie)


def _draws(own: Card, theirs: Card, tie: float) -> float:
    left = {card: 2 - (card is own) - (card is theirs) for card in Card}
    drawn = {card: n for card, n in left.items() if card not in {Card.VARDSHUS, Card.KAVALL}}
    ends = {
        **{card: _beats(card, theirs, tie) for card in Card if card < Card.VARDSHUS},
        Card.HUSU: 0.0,
        Card.HUSAR: 0.0,
        Card.KUKU: _beats(own, theirs, tie),
        Card.HARLEKIN: 1.0,
    }
    return sum(n * ends[card] for card, n in drawn.items()) / sum(drawn.values())


def test_a_player_that_gives_its_cards_back_in_sticks_is_too_much() -> None:
    with pytest.raises(Unanswerable, match="not shuffled in again"):
        answer(STICKS, player_of(Asks()), lives=1)


# --- lines ------------------------------------------------------------------------------------------------------------


def test_what_is_set_aside_changes_nothing(lines: Lines) -> None:
    """A card that is drawn after others were set aside ends the hand as it does alone."""
    for cards in [(Card.N5, Card.N7), (Card.N7, Card.N7), (Card.N7, Card.KAVALL), (Card.BLAREN, Card.VARDSHUS)]:
        refused = cards[1] > Card.N12
        moves = ((0, Action.SWAP),) if refused else ((0, Action.STAND), (1, Action.SWAP))
        talon = lines.line(cards, moves).talon
        assert {card for card in Card if talon[card] is None} <= {Card.VARDSHUS, Card.KAVALL, *cards}
        for before in [(Card.KAVALL,), (Card.VARDSHUS, Card.KAVALL)]:
            if set(before) & set(cards):
                continue
            for card in Card:
                if talon[card] is not None:
                    assert lines._close((*cards, *before, card), moves) is talon[card]


def test_a_view_after_accepted_asks_knows_of_them() -> None:
    line = (Card.N5, Card.N7), ()
    seen = view_of(POTS, 0, lives=(2, 3), asks=3, thrown=(), line=line)
    assert (seen.asks, seen.lives, seen.card) == (3, (2, 3), Card.N5)
    assert Action.ASK not in seen.legal
    assert Action.ASK in view_of(POTS, 0, lives=(2, 3), asks=2, thrown=(), line=line).legal


def test_an_accepted_ask_ends_a_line(lines: Lines) -> None:
    line = lines.line((Card.N5, Card.N7), ((0, Action.ASK), (1, Action.ACCEPT)))
    assert line.seat is None
    assert set(line.talon) == {Close.NEW_CARDS}
