"""The format `pots` (rules.md, part 8, F1 to F6), as worked hands and matches."""

from dataclasses import fields
from typing import get_args

import pytest

from kille_net.game.actions import Action
from kille_net.game.cards import Card
from kille_net.game.events import CardsThrown, Event, KukuCalled, RedealReason
from kille_net.game.record import EndLine, HandLine, MatchLine, Outcome, Played, PotLine, SeatLabel
from kille_net.game.rules import FORMATS, Format, Length, Ruleset
from tests.game.worked import MatchHand, Worked, WorkedMatch

HANDS = (
    Worked(
        rules="F4",
        tale="of two seats the dealer answers, and the asker waits",
        lives="3 3",
        tops=("4 9",),
        play="0 ask",
        cards="4 9",
        to_act=1,
        refused="0 stand not_your_turn, 0 accept not_asked, 0 ask not_your_turn, 1 stand must_answer, "
        "1 swap must_answer, 1 ask must_answer, 1 depends wrong_answer",
    ),
    Worked(
        rules="F4",
        tale="accepted: the whole pack is reshuffled, the same dealer deals, and the ask is open again",
        lives="3 3",
        tops=("4 9", "6 4"),
        play="0 ask, 1 accept, 0 ask",
        cards="6 4",
        to_act=1,
    ),
    Worked(
        rules="F4",
        tale="refused: straight on to the swaps, and no second ask",
        lives="3 3",
        tops=("4 9",),
        play="0 ask, 1 refuse",
        cards="4 9",
        to_act=0,
        refused="0 ask cannot_ask, 0 refuse not_asked, 1 refuse not_asked, 1 ask not_your_turn",
    ),
    Worked(
        rules="F4",
        tale="of two seats only the first to speak asks, and only before its choice",
        lives="3 3",
        tops=("4 9",),
        play="0 stand",
        cards="4 9",
        to_act=1,
        refused="1 ask cannot_ask, 0 ask not_your_turn",
    ),
    Worked(
        rules="F4",
        tale="of three seats the dealer may not accept by itself",
        lives="3 3 3",
        tops=("4 5 9",),
        play="0 ask",
        cards="4 5 9",
        to_act=2,
        refused="2 accept wrong_answer, 1 accept not_asked, 1 stand not_your_turn, 2 stand must_answer",
    ),
    Worked(
        rules="F4",
        tale="the dealer of three refuses",
        lives="3 3 3",
        tops=("4 5 9",),
        play="0 ask, 2 refuse",
        cards="4 5 9",
        to_act=0,
        refused="0 ask cannot_ask",
    ),
    Worked(
        rules="F4",
        tale="the dealer of three says it depends, and the middle seat is asked",
        lives="3 3 3",
        tops=("4 5 9",),
        play="0 ask, 2 depends",
        cards="4 5 9",
        to_act=1,
        refused="1 depends wrong_answer, 1 swap must_answer, 2 refuse not_asked, 0 accept not_asked",
    ),
    Worked(
        rules="F4",
        tale="the middle seat refuses",
        lives="3 3 3",
        tops=("4 5 9",),
        play="0 ask, 2 depends, 1 refuse",
        cards="4 5 9",
        to_act=0,
        refused="0 ask cannot_ask",
    ),
    Worked(
        rules="F4",
        tale="the middle seat accepts",
        lives="3 3 3",
        tops=("4 5 9", "6 4 5"),
        play="0 ask, 2 depends, 1 accept",
        cards="6 4 5",
        to_act=0,
        face_up="",
    ),
    Worked(
        rules="F4 S1",
        tale="three of five seats have lives: the middle one is the next with lives",
        lives="0 2 1 0 1",
        dealer=2,
        tops=("4 5 9", "6 7 8"),
        play="4 ask, 2 depends, 1 accept, 4 stand, 1 stand, 2 stand",
        cards="- 7 8 - 6",
        lost="4",
    ),
    Worked(
        rules="F4",
        tale="three accepted asks is the most, of two seats",
        lives="3 3",
        tops=("4 9", "5 9", "6 9", "7 9"),
        play="0 ask, 1 accept, 0 ask, 1 accept, 0 ask, 1 accept",
        cards="7 9",
        to_act=0,
        refused="0 ask cannot_ask",
    ),
    Worked(
        rules="F4",
        tale="…and of three",
        lives="3 3 3",
        tops=("4 9 9", "5 9 9", "6 9 9", "7 9 9"),
        play="0 ask, 2 depends, 1 accept, 0 ask, 2 depends, 1 accept, 0 ask, 2 depends, 1 accept",
        cards="7 9 9",
        to_act=0,
        refused="0 ask cannot_ask",
    ),
    Worked(
        rules="F4",
        tale="of four seats nobody may ask",
        lives="3 3 3 3",
        tops=("4 5 9 10",),
        cards="4 5 9 10",
        to_act=0,
        refused="0 ask cannot_ask, 1 ask not_your_turn, 3 accept not_asked",
    ),
    Worked(
        rules="F4",
        tale="after a pig struck the first to speak, the next one may not ask",
        lives="3 3 3",
        tops=("4 husu 9",),
        play="0 swap",
        cards="4 husu 9",
        struck="0",
        to_act=2,
        refused="2 ask cannot_ask",
    ),
    Worked(
        rules="F5",
        tale="a Harlekin dealt to either of two: dealt again, as often as it comes, and no ask is used up",
        lives="3 3",
        tops=(
            "harlekin 5",
            "4 9",
            "5 harlekin",
            "harlekin harlekin",
            "4 10",
            "4 11",
            "harlekin 1",
            "4 12",
        ),
        play="0 ask, 1 accept, 0 ask, 1 accept, 0 ask, 1 accept",
        cards="4 12",
        to_act=0,
        refused="0 ask cannot_ask",
    ),
    Worked(
        rules="F5",
        tale="a Kuku dealt to the dealer is turned up at once",
        lives="3 3",
        tops=("5 kuku",),
        cards="5 kuku",
        lost="0",
    ),
    Worked(
        rules="F5",
        tale="…or to the other seat, also after an accepted ask",
        lives="3 3",
        tops=("4 9", "kuku husar"),
        play="0 ask, 1 accept",
        cards="kuku husar",
        lost="1",
    ),
    Worked(
        rules="F5 L2",
        tale="…or to both",
        lives="1 1",
        tops=("kuku kuku",),
        cards="kuku kuku",
        lost="",
    ),
    Worked(
        rules="F5",
        tale="a Harlekin and a Kuku at once: the redeal wins",
        lives="3 3",
        tops=("kuku harlekin", "4 9"),
        cards="4 9",
        to_act=0,
        face_up="",
    ),
    Worked(
        rules="F5 H4",
        tale="a Harlekin is dealt again also where it would be low",
        dealt_low=True,
        lives="3 3",
        tops=("5 harlekin", "4 9"),
        cards="4 9",
        to_act=0,
    ),
    Worked(
        rules="F5",
        tale="of three seats neither shows itself",
        lives="3 3 3",
        tops=("harlekin kuku 9",),
        cards="harlekin kuku 9",
        face_up="",
        to_act=0,
    ),
    Worked(
        rules="F5 D1",
        tale="what is drawn later is dealt to nobody",
        lives="3 3",
        tops=("9 5 harlekin",),
        play="0 stand, 1 swap",
        cards="9 harlekin",
        lost="0",
    ),
)

MATCHES = (
    WorkedMatch(
        rules="F1 S4",
        tale="three lives, the last seat with lives wins the pot, and the only pot is the match",
        pots=1,
        hands=(
            MatchHand(dealer=1, lives="3 3", tops=("4 9",), lost="0", pot=1),
            MatchHand(dealer=0, lives="2 3", tops=("9 4",), lost="0", pot=1),
            MatchHand(dealer=1, lives="1 3", tops=("5 5",), lost="", pot=1),
            MatchHand(dealer=0, lives="1 3", tops=("kuku 9",), play="", lost="0", pot=1, won=1),
        ),
        winner=1,
        points="0 1",
    ),
    WorkedMatch(
        rules="F1 F3 S1 S4",
        tale="the deal passes over who is out, comes back with the next pot, and goes on between the tied",
        pots=2,
        hands=(
            MatchHand(dealer=2, lives="3 3 3", tops=("4 5 6",), lost="0", pot=1),
            MatchHand(dealer=0, lives="2 3 3", tops=("5 6 4",), lost="0", pot=1),
            MatchHand(dealer=1, lives="1 3 3", tops=("6 4 5",), lost="0", pot=1),
            MatchHand(dealer=2, lives="0 3 3", tops=("4 9",), lost="1", pot=1),
            MatchHand(dealer=1, lives="0 2 3", tops=("9 4",), lost="1", pot=1),
            MatchHand(dealer=2, lives="0 1 3", tops=("4 9",), lost="1", pot=1, won=2),
            MatchHand(dealer=0, lives="3 3 3", tops=("4 4 9",), lost="1 2", pot=2),
            MatchHand(dealer=1, lives="3 2 2", tops=("4 9 4",), lost="1 2", pot=2),
            MatchHand(dealer=2, lives="3 1 1", tops=("9 4 4",), lost="1 2", pot=2, won=0),
            MatchHand(dealer=0, lives="3 0 3", tops=("4 9",), lost="2", pot=3),
            MatchHand(dealer=2, lives="3 0 2", tops=("9 4",), lost="2", pot=3),
            MatchHand(dealer=0, lives="3 0 1", tops=("4 9",), lost="2", pot=3, won=0),
        ),
        winner=0,
        points="2 0 1",
    ),
    WorkedMatch(
        rules="F3 S4",
        tale="the deal of the tie-break passes over who is not tied",
        pots=2,
        hands=(
            MatchHand(dealer=1, lives="3 3 3", tops=("4 9 4",), lost="1 2", pot=1),
            MatchHand(dealer=2, lives="3 2 2", tops=("9 4 4",), lost="1 2", pot=1),
            MatchHand(dealer=0, lives="3 1 1", tops=("4 4 9",), lost="1 2", pot=1, won=0),
            MatchHand(dealer=1, lives="3 3 3", tops=("9 4 4",), lost="0 1", pot=2),
            MatchHand(dealer=2, lives="2 2 3", tops=("4 4 9",), lost="0 1", pot=2),
            MatchHand(dealer=0, lives="1 1 3", tops=("4 9 4",), lost="0 1", pot=2, won=2),
            MatchHand(dealer=2, lives="3 0 3", tops=("4 9",), lost="0", pot=3),
            MatchHand(dealer=0, lives="2 0 3", tops=("9 4",), lost="0", pot=3),
            MatchHand(dealer=2, lives="1 0 3", tops=("4 9",), lost="0", pot=3, won=2),
        ),
        winner=2,
        points="1 0 2",
    ),
    WorkedMatch(
        rules="F3",
        tale="most points wins without a tie-break, and a tie for fewer matters not",
        pots=2,
        hands=(
            MatchHand(dealer=1, lives="3 3 3", tops=("4 9 4",), lost="1 2", pot=1),
            MatchHand(dealer=2, lives="3 2 2", tops=("9 4 4",), lost="1 2", pot=1),
            MatchHand(dealer=0, lives="3 1 1", tops=("4 4 9",), lost="1 2", pot=1, won=0),
            MatchHand(dealer=1, lives="3 3 3", tops=("4 9 4",), lost="1 2", pot=2),
            MatchHand(dealer=2, lives="3 2 2", tops=("9 4 4",), lost="1 2", pot=2),
            MatchHand(dealer=0, lives="3 1 1", tops=("4 4 9",), lost="1 2", pot=2, won=0),
        ),
        winner=0,
        points="2 0 0",
    ),
)


@pytest.mark.parametrize("hand", HANDS, ids=str)
def test_a_worked_hand(hand: Worked) -> None:
    hand.check()


@pytest.mark.parametrize("match", MATCHES, ids=str)
def test_a_worked_match(match: WorkedMatch) -> None:
    match.check()


@pytest.mark.parametrize(
    ("length", "pots"),
    [
        (Length.SHORT, (6, 4, 3, 3, 2, 2, 2)),
        (Length.STANDARD, (12, 8, 6, 5, 4, 3, 3)),
        (Length.LONG, (18, 12, 9, 8, 6, 5, 5)),
    ],
)
@pytest.mark.parametrize("format", Format)
def test_the_table_of_lengths(format: Format, length: Length, pots: tuple[int, ...]) -> None:  # noqa: A002  the rules' own word
    """Rules F2, G2: the same table counts pots and partier."""
    for seats, number in enumerate(pots, 2):
        assert Ruleset.for_seats(seats, format=format, length=length).pots == number
        assert Ruleset.for_seats(seats, format=format, length=length, pots=7).pots == 7


def test_defaults() -> None:
    """Standard, as rooms open on it; `pots`, and a dealt Harlekin high."""
    rules = Ruleset.for_seats(4)
    assert (rules.format, rules.length, rules.dealt_harlekin.value) == (Format.POTS, Length.STANDARD, "high")
    with pytest.raises(ValueError, match="at least one pot"):
        Ruleset(pots=0)


def test_a_harlekin_of_two_is_shown_and_the_other_card_is_not() -> None:
    """Rule F5."""
    hand = Worked(rules="F5", tale="", lives="3 3", tops=("harlekin 5",), cards="", to_act=None)
    for viewer, cards in {
        0: (Card.HARLEKIN, None),
        1: (Card.HARLEKIN, Card.N5),
        None: (Card.HARLEKIN, None),
    }.items():
        watch = hand.before_the_redeal()
        assert watch.told[viewer][-1] == CardsThrown(RedealReason.HARLEKIN, cards, whole_pack=True)


def test_thrown_in_cards_are_shown_to_nobody() -> None:
    """Rules F4, T5."""
    hand = Worked(rules="F4", tale="", lives="3 3 3", tops=("4 5 9",), play="0 ask, 2 depends, 1 accept", cards="")
    told = hand.before_the_redeal().told
    assert told[1][-1] == CardsThrown(RedealReason.AGREED, (None, Card.N5, None), whole_pack=True)
    assert told[None][-1] == CardsThrown(RedealReason.AGREED, (None, None, None), whole_pack=True)


def test_a_kuku_of_two_is_turned_up_by_rule() -> None:
    """Rule F5: it is no call of its holder."""
    hand = Worked(rules="F5", tale="", lives="3 3", tops=("kuku kuku",), cards="kuku kuku", lost="")
    told = hand.watched().told[None]
    assert told[2:4] == [KukuCalled(0, by_rule=True), KukuCalled(1, by_rule=True)]


def test_there_is_no_money_in_it() -> None:
    """Rule F6: nothing that is done, told or recorded has a stake or a price in it.

    That nobody buys a life back is the state machine's: a showdown alone changes lives, and only takes them.
    """
    assert {action.code for action in Action} == {"stand", "swap", "kuku", "ask", "accept", "refuse", "depends"}
    assert {field.name for kind in get_args(Event) for field in fields(kind)} == {
        *("answer", "asker", "by_rule", "card", "cards", "dealer", "gave", "got", "kept", "known_by", "lives", "lost"),
        *("low_harlekins", "number", "path", "points", "pot", "reason", "seat", "struck", "target", "whole_pack"),
        "winner",
    }
    lines = (MatchLine, SeatLabel, Ruleset, HandLine, Played, Outcome, PotLine, EndLine)
    assert {field.name for kind in lines for field in fields(kind)} == {
        *(
            "action",
            "actions",
            "bot",
            "by",
            "cards",
            "dealer",
            "dealt_harlekin",
            "first_dealer",
            "format",
            "id",
            "is_rematch",
            "length",
        ),
        *("lives", "lives_after", "lost", "low_harlekins", "n", "name", "outcome", "packs", "points", "pot", "pots"),
        *("reason", "revealed", "rules", "rules_version", "seat", "seats", "shuffle", "struck", "t", "winner"),
    }


def test_the_three_lives_of_a_pot() -> None:
    """Rules F1, G1."""
    assert {name: rules.lives for name, rules in FORMATS.items()} == {Format.POTS: 3, Format.STICKS: 1}
