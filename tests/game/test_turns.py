"""Seats, deal, order and turns (rules.md, parts 2 and 3), as worked hands."""

import pytest

from kille_net.game.actions import Action
from kille_net.game.cards import Card
from kille_net.game.events import Swapped
from kille_net.game.hand import Hand
from kille_net.game.match import Match, next_seat
from kille_net.game.rules import MAX_SEATS, MIN_SEATS, Ruleset
from tests.game.worked import SPECTATOR, Worked, pack

HANDS = (
    Worked(
        rules="S1",
        tale="a seat without lives is dealt no card, and a swap passes over it",
        lives="3 0 2 3",
        tops=("5 6 7",),
        play="0 swap",
        cards="6 - 5 7",
        to_act=2,
        sees={0: "6 . 5 .", 1: ". . . .", 2: "6 . 5 ."},
        refused="1 stand not_in_hand, 1 swap not_in_hand, 1 kuku not_in_hand, 1 ask not_in_hand, 1 accept not_in_hand",
    ),
    Worked(
        rules="S1",
        tale="on the dealer's left is the next seat with lives",
        lives="3 3 0 0",
        dealer=1,
        tops=("4 5",),
        play="0 stand, 1 stand",
        cards="4 5 - -",
        lost="0",
    ),
    Worked(
        rules="S2",
        tale="the first card goes to the dealer's left, the last to the dealer, and the next is the talon's top",
        lives="3 3 3 3",
        dealer=1,
        tops=("5 6 7 8 9",),
        play="2 stand, 3 stand, 0 stand, 1 swap",
        cards="7 9 5 6",
        lost="2",
    ),
    *(
        Worked(
            rules="S3",
            tale=f"after '{play}' seat {to_act} speaks",
            lives="3 3 3 3",
            dealer=1,
            tops=("5 6 7 8",),
            play=play,
            cards="7 8 5 6",
            to_act=to_act,
            refused=", ".join(f"{seat} stand not_your_turn" for seat in range(4) if seat != to_act),
        )
        for play, to_act in (("", 2), ("2 stand", 3), ("2 stand, 3 stand", 0), ("2 stand, 3 stand, 0 stand", 1))
    ),
    Worked(
        rules="T1 T2",
        tale="a seat that stands keeps its card, and the next one speaks",
        lives="3 3 3 3",
        tops=("5 6 7 8",),
        play="0 stand",
        cards="5 6 7 8",
        to_act=1,
    ),
    Worked(
        rules="T1 T2",
        tale="the seat on the left must hand its card over, and speaks next",
        lives="3 3 3 3",
        tops=("5 6 7 8",),
        play="0 swap",
        cards="6 5 7 8",
        to_act=1,
    ),
    Worked(
        rules="T2",
        tale="a seat that was jumped over has lost its turn",
        lives="3 3 3 3",
        tops=("5 kavall 7 8",),
        play="0 swap",
        cards="7 kavall 5 8",
        to_act=2,
        refused="1 stand not_your_turn, 1 swap not_your_turn",
    ),
    Worked(
        rules="T2",
        tale="…for the whole hand",
        lives="3 3 3 3",
        tops=("5 kavall 7 8",),
        play="0 swap, 2 stand, 3 stand",
        cards="7 kavall 5 8",
        lost="2",
    ),
    Worked(
        rules="T3",
        tale="a matador may be swapped away, and again",
        lives="3 3 3",
        tops=("husar 6 7",),
        play="0 swap, 1 swap",
        cards="6 7 husar",
        to_act=2,
        face_up="",
    ),
    Worked(
        rules="T4",
        tale="the dealer stands, and the swapping is over",
        lives="3 3 3",
        tops=("5 6 7 9",),
        play="0 stand, 1 stand, 2 stand",
        cards="5 6 7",
        lost="0",
        refused="0 stand no_hand, 2 kuku no_hand",
    ),
    Worked(
        rules="T4",
        tale="the dealer has nobody on the left and goes to the talon, and the swapping is over",
        lives="3 3 3",
        tops=("5 6 7 9",),
        play="0 stand, 1 stand, 2 swap",
        cards="5 6 9",
        lost="0",
    ),
    Worked(
        rules="T5",
        tale="each knows its own card and those that it had in its hand",
        lives="3 3 3 3",
        tops=("5 6 7 8",),
        play="0 swap, 1 swap",
        cards="6 7 5 8",
        to_act=2,
        face_up="",
        sees={0: "6 . 5 .", 1: "6 7 5 .", 2: ". 7 5 .", 3: ". . . 8", SPECTATOR: ". . . ."},
    ),
    Worked(
        rules="T5",
        tale="at the showdown all see all",
        lives="3 3 3",
        tops=("5 6 7",),
        play="0 stand, 1 stand, 2 stand",
        cards="5 6 7",
        lost="0",
        sees={0: "5 6 7", SPECTATOR: "5 6 7"},
    ),
)


@pytest.mark.parametrize("hand", HANDS, ids=str)
def test_a_worked_hand(hand: Worked) -> None:
    hand.check()


@pytest.mark.parametrize("card", Card, ids=lambda card: card.code)
def test_any_card_may_be_swapped_away(card: Card) -> None:
    """Rule T3."""
    Worked(
        rules="T3",
        tale="",
        lives="3 3 3",
        tops=(f"{card.code} 6 7",),
        play="0 swap",
        cards=f"6 {card.code} 7",
        low_harlekins="1" if card is Card.HARLEKIN else "",
        to_act=1,
    ).check()


def test_others_learn_only_that_a_swap_took_place() -> None:
    """Rule T5: the two see what each gave, the rest two blank cards."""
    hand = Worked(rules="T5", tale="", lives="3 3 3", tops=("5 6 7",), play="0 swap", cards="6 5 7", to_act=1)
    told = hand.watched().told
    whole, blank = Swapped(0, 1, Card.N5, Card.N6), Swapped(0, 1, None, None)
    assert told == {0: [whole], 1: [whole], 2: [blank], SPECTATOR: [blank]}


def test_seats_at_a_table() -> None:
    """Rule S1."""
    assert (MIN_SEATS, MAX_SEATS) == (2, 8)
    for seats in (-1, 0, 1, 9):
        with pytest.raises(ValueError, match="2 to 8 seats"):
            Match(Ruleset(), seats, 0)
        with pytest.raises(ValueError, match="2 to 8 seats"):
            Ruleset.for_seats(seats)
    for lives, dealer in (((3, 0), 0), ((3, 0, 3), 1), ((0, 0, 0), 0)):
        with pytest.raises(ValueError, match="two seats with lives"):
            Hand(Ruleset(), lives, dealer)
    assert next_seat(1, (3, 3, 0, 0)) == 0
    assert next_seat(1, (0, 3, 0, 0)) == 1


@pytest.mark.parametrize("dealer", range(5))
def test_the_first_dealer_is_given(dealer: int) -> None:
    """Who draws it, and how, is not the match's: test_shuffle, and tests/server/test_room.py for a rematch (S5)."""
    match = Match(Ruleset(), 5, dealer)
    assert (match.first_dealer, match.dealer) == (dealer, dealer)
    match.deal(pack("1 2 3 4 5"))
    assert match.hand is not None
    assert match.hand.dealer == dealer
    for wrong in (-1, 5):
        with pytest.raises(ValueError, match="deals first"):
            Match(Ruleset(), 5, wrong)


def test_every_action_in_its_place_is_open_from_the_first_turn() -> None:
    """Rule S3: only the first to speak has a choice, beside who holds a Kuku."""
    hand = Worked(rules="S3", tale="", lives="3 3 3 3", tops=("5 6 kuku 8",), cards="5 6 kuku 8", to_act=0)
    match = hand.watched().match
    assert [match.legal(seat) for seat in range(4)] == [
        1 << Action.STAND | 1 << Action.SWAP,
        0,
        1 << Action.KUKU,
        0,
    ]
