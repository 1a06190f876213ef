"""The format `sticks` (rules.md, part 8, G1 to G6), as worked hands and matches."""

import pytest

from kille_net.game.actions import Action, Phase
from kille_net.game.cards import Card
from kille_net.game.events import CardsThrown, Dealt, RedealReason, Reshuffled
from kille_net.game.rules import Format
from tests.game.worked import SPECTATOR, MatchHand, Watch, Worked, WorkedMatch, in_the_midst, pack

STICKS = Format.STICKS
PAIRS = " ".join(f"{card.code} {card.code}" for card in Card if card is not Card.HARLEKIN)
"""Twenty deals of a duel, each with a tie in it; the two Harlekins are not among them."""

HANDS = (
    Worked(
        rules="G1 L2",
        tale="who is struck and who is lowest leave together",
        format=STICKS,
        lives="1 1 1 1",
        tops=("4 husar 7 9",),
        play="0 swap, 2 stand, 3 stand",
        cards="4 husar 7 9",
        struck="0",
        lost="0 2",
    ),
    Worked(
        rules="G1 L4",
        tale="nobody leaves where all would",
        format=STICKS,
        lives="1 1 1",
        tops=("harlekin 7 7",),
        play="0 swap, 1 stand, 2 stand",
        cards="7 harlekin 7",
        low_harlekins="1",
        lost="",
    ),
    Worked(
        rules="G3",
        tale="a Harlekin dealt to either: both get new cards from the talon, as often as it comes",
        format=STICKS,
        lives="1 1",
        tops=("harlekin 5 6 harlekin 7 8 9",),
        cards="7 8",
        face_up="",
        to_act=0,
        gone={0: "harlekin 6 harlekin", 1: "harlekin 5 harlekin", SPECTATOR: "harlekin harlekin"},
    ),
    Worked(
        rules="G3 H4",
        tale="…also where it would be low",
        format=STICKS,
        dealt_low=True,
        lives="1 1",
        tops=("5 harlekin 7 8",),
        cards="7 8",
        to_act=0,
    ),
    Worked(
        rules="G3",
        tale="of three a Harlekin stays",
        format=STICKS,
        lives="1 1 1",
        tops=("harlekin 5 6",),
        cards="harlekin 5 6",
        to_act=0,
    ),
    Worked(
        rules="G3",
        tale="'Nya kort?' is answered by the dealer with yes or no",
        format=STICKS,
        lives="1 1",
        tops=("4 9",),
        play="0 ask",
        cards="4 9",
        to_act=1,
        refused="1 depends wrong_answer, 1 stand must_answer, 0 stand not_your_turn, 0 accept not_asked",
    ),
    Worked(
        rules="G3",
        tale="yes: both cards are thrown away and two come from the talon",
        format=STICKS,
        lives="1 1",
        tops=("4 9 5 6",),
        play="0 ask, 1 accept",
        cards="5 6",
        to_act=0,
        gone={0: "4", 1: "9", SPECTATOR: ""},
    ),
    Worked(
        rules="G3 G6",
        tale="…as often as they agree",
        format=STICKS,
        lives="1 1",
        tops=("1 2 2 3 3 4 4 5 5 6",),
        play="0 ask, 1 accept, 0 ask, 1 accept, 0 ask, 1 accept, 0 ask, 1 accept, 0 ask",
        cards="5 6",
        to_act=1,
    ),
    Worked(
        rules="G3",
        tale="yes, and a Harlekin among the new cards: new ones again",
        format=STICKS,
        lives="1 1",
        tops=("4 9 harlekin 6 7 8",),
        play="0 ask, 1 accept",
        cards="7 8",
        to_act=0,
        gone={0: "4 harlekin", 1: "9 harlekin 6", SPECTATOR: "harlekin"},
    ),
    Worked(
        rules="G3",
        tale="no: the swaps, and no second ask",
        format=STICKS,
        lives="1 1",
        tops=("4 9",),
        play="0 ask, 1 refuse",
        cards="4 9",
        to_act=0,
        refused="0 ask cannot_ask",
    ),
    Worked(
        rules="G3",
        tale="no ask: the swaps, and the dealer may not ask",
        format=STICKS,
        lives="1 1",
        tops=("4 9",),
        play="0 swap",
        cards="9 4",
        to_act=1,
        refused="1 ask cannot_ask",
    ),
    Worked(
        rules="G3",
        tale="two of one kind: the same dealer deals from a fresh shuffle, and the ask is open again",
        format=STICKS,
        lives="1 1",
        tops=("5 5", "6 4"),
        play="0 ask, 1 refuse, 0 stand, 1 stand, 0 ask",
        cards="6 4",
        to_act=1,
        gone={0: "", 1: ""},
    ),
    Worked(
        rules="G3 D2",
        tale="…and what lay beside the talon is in it again",
        format=STICKS,
        lives="1 1",
        tops=("5 5 kuku", "6 4 kuku"),
        play="0 stand, 1 swap, 0 stand, 1 swap",
        cards="6 4",
        beside="kuku",
        lost="1",
    ),
    Worked(
        rules="G3",
        tale="two of one kind by a draw",
        format=STICKS,
        lives="1 1",
        tops=("5 6 5", "7 8"),
        play="0 stand, 1 swap",
        cards="7 8",
        to_act=0,
    ),
    Worked(
        rules="G3",
        tale="two of one kind, but one is struck: no new deal",
        format=STICKS,
        lives="1 1",
        tops=("husar husar",),
        play="0 swap",
        cards="husar husar",
        struck="0",
        lost="0",
    ),
    Worked(
        rules="G3",
        tale="a dealt Kuku is not turned up by itself",
        format=STICKS,
        lives="1 1",
        tops=("5 kuku",),
        cards="5 kuku",
        face_up="",
        to_act=0,
    ),
    Worked(
        rules="G3 M7",
        tale="…its holder may call it",
        format=STICKS,
        lives="1 1",
        tops=("5 kuku",),
        play="0 ask, 1 kuku",
        cards="5 kuku",
        lost="0",
    ),
    Worked(
        rules="G3 M7",
        tale="…and if both hold one, the duel is dealt again",
        format=STICKS,
        lives="1 1",
        tops=("kuku kuku", "4 9"),
        play="1 kuku",
        cards="4 9",
        to_act=0,
        face_up="",
    ),
    Worked(
        rules="G3 M6",
        tale="…and if one asks the other for it",
        format=STICKS,
        lives="1 1",
        tops=("kuku kuku", "4 9"),
        play="0 swap",
        cards="4 9",
        to_act=0,
    ),
    Worked(
        rules="G4 G3",
        tale="21 deals and a Harlekin empty the talon: all cards are shuffled, and the duel is dealt from them",
        format=STICKS,
        lives="1 1",
        tops=(PAIRS, "9 4 8"),
        play="0 ask, 1 accept, " * 20 + "0 stand, 1 swap",
        cards="9 8",
        lost="1",
    ),
    Worked(
        rules="G4",
        tale="the talon is empty when the dealer draws: the cards in hands stay out",
        format=STICKS,
        lives="1 1",
        tops=(f"harlekin harlekin {PAIRS}", "kuku kuku husar 9"),
        play="0 ask, 1 accept, " * 19 + "0 stand, 1 swap",
        cards="kuku kuku",
        struck="1",
        beside="husar",
        lost="1",
    ),
    Worked(
        rules="G4 G3",
        tale="…and a tie after it is dealt again from a fresh shuffle",
        format=STICKS,
        lives="1 1",
        tops=(f"harlekin harlekin {PAIRS}", "kuku kavall 9", "4 9"),
        play="0 ask, 1 accept, " * 19 + "0 stand, 1 swap",
        cards="4 9",
        to_act=0,
        gone={0: "", 1: "", SPECTATOR: ""},
    ),
    Worked(
        rules="G6",
        tale="of three seats nobody asks",
        format=STICKS,
        lives="1 1 1",
        tops=("4 5 9",),
        cards="4 5 9",
        to_act=0,
        refused="0 ask cannot_ask",
    ),
    Worked(
        rules="G6 G5",
        tale="…nor in the slutspel",
        format=STICKS,
        lives="3 1 0 2",
        tops=("4 5 9",),
        cards="4 5 - 9",
        to_act=0,
        refused="0 ask cannot_ask",
    ),
)

MATCHES = (
    WorkedMatch(
        rules="G1 G3 G5 S4",
        tale="three partier, and a slutspel of two in which a stick is a life",
        format=STICKS,
        pots=3,
        hands=(
            MatchHand(dealer=2, lives="1 1 1", tops=("4 5 9",), lost="0", pot=1),
            MatchHand(dealer=1, lives="0 1 1", tops=("9 5",), lost="1", pot=1, won=2),
            MatchHand(dealer=2, lives="1 1 1", tops=("4 4 9",), lost="0 1", pot=2, won=2),
            MatchHand(dealer=0, lives="1 1 1", tops=("4 4 9",), lost="1 2", pot=3, won=0),
            MatchHand(dealer=2, lives="1 0 2", tops=("9 4",), lost="2", pot=None),
            MatchHand(dealer=0, lives="1 0 1", tops=("5 5", "9 4"), lost="0", pot=None),
        ),
        winner=2,
        points="1 0 2",
    ),
    WorkedMatch(
        rules="G5",
        tale="who has the fewest sticks may win the slutspel; the points stay as they are",
        format=STICKS,
        pots=3,
        hands=(
            MatchHand(dealer=1, lives="1 1", tops=("9 4",), lost="1", pot=1, won=0),
            MatchHand(dealer=0, lives="1 1", tops=("4 9",), lost="1", pot=2, won=0),
            MatchHand(dealer=1, lives="1 1", tops=("4 9",), lost="0", pot=3, won=1),
            MatchHand(dealer=0, lives="2 1", tops=("9 4",), lost="0", pot=None),
            MatchHand(dealer=1, lives="1 1", tops=("4 9",), lost="0", pot=None),
        ),
        winner=1,
        points="2 1",
    ),
    WorkedMatch(
        rules="G5",
        tale="a slutspel of three: two leave in one hand",
        format=STICKS,
        pots=3,
        hands=(
            MatchHand(dealer=2, lives="1 1 1", tops=("9 4 4",), lost="1 2", pot=1, won=0),
            MatchHand(dealer=0, lives="1 1 1", tops=("9 4 4",), lost="0 2", pot=2, won=1),
            MatchHand(dealer=1, lives="1 1 1", tops=("9 4 4",), lost="0 1", pot=3, won=2),
            MatchHand(dealer=2, lives="1 1 1", tops=("9 4 4",), lost="1 2", pot=None),
        ),
        winner=0,
        points="1 1 1",
    ),
    WorkedMatch(
        rules="G5",
        tale="one seat alone with sticks wins at once",
        format=STICKS,
        pots=2,
        hands=(
            MatchHand(dealer=1, lives="1 1", tops=("9 4",), lost="1", pot=1, won=0),
            MatchHand(dealer=0, lives="1 1", tops=("4 9",), lost="1", pot=2, won=0),
        ),
        winner=0,
        points="2 0",
    ),
)


@pytest.mark.parametrize("hand", HANDS, ids=str)
def test_a_worked_hand(hand: Worked) -> None:
    hand.check()


@pytest.mark.parametrize("match", MATCHES, ids=str)
def test_a_worked_match(match: WorkedMatch) -> None:
    match.check()


def test_asks_in_a_duel_have_no_bound() -> None:
    """Rules G6, G4: two who agree a thousand times deal a thousand times, and the talon is made anew on the way."""
    watch = Watch(
        in_the_midst(Worked(rules="", tale="", format=STICKS, lives="", tops=(), cards="").ruleset, (1, 1), 1)
    )
    reshuffles = 0
    watch.deal(pack(PAIRS))
    for _ in range(1_000):
        watch.act(0, Action.ASK)
        reshuffles += sum(isinstance(event, Reshuffled) for event in watch.act(1, Action.ACCEPT))
        if watch.match.phase is Phase.DEAL:
            watch.deal(pack(PAIRS))
    assert watch.match.hand is not None
    assert watch.match.hand.asks == 1_000
    assert reshuffles == 1_000 // 20


def test_in_a_reshuffle_every_card_is_in_one_place() -> None:
    """Rule G4: what is in hands is in no pile, and the order is that of the pack."""
    hand = Worked(
        rules="G4",
        tale="",
        format=STICKS,
        lives="1 1",
        tops=(f"harlekin harlekin {PAIRS}",),
        play="0 ask, 1 accept, " * 19 + "0 stand, 1 swap",
        cards="",
    )
    watch = hand.before_the_redeal()
    table = watch.match.hand.table if watch.match.hand else None
    assert table is not None
    assert not table.talon
    assert len(table.discard) == 40
    assert all(view.gone == () for view in watch.views.values())
    watch.deal(pack("kuku 9 kuku 8"))
    assert table.cards() == (Card.KUKU, Card.N9)
    assert table.talon[0] is Card.N8
    assert table.talon[-1] is Card.KUKU
    assert len(table.talon) == 40


def test_a_harlekin_of_a_duel_is_shown_and_the_other_card_is_not() -> None:
    """Rules G3, T5: both go to the discard pile."""
    hand = Worked(rules="G3", tale="", format=STICKS, lives="1 1", tops=("harlekin 5 6 7",), cards="6 7", to_act=0)
    watch = hand.watched()
    assert watch.told[SPECTATOR][1:] == [
        Dealt((None, None)),
        CardsThrown(RedealReason.HARLEKIN, (Card.HARLEKIN, None), whole_pack=False),
        Dealt((None, None)),
    ]
    assert watch.match.hand is not None
    assert watch.match.hand.table.discard == (Card.HARLEKIN, Card.N5)
    assert len(watch.match.hand.table.talon) == 38


def test_both_cards_of_a_tie_are_shown() -> None:
    """Rule G3: it comes at the showdown."""
    hand = Worked(
        rules="G3",
        tale="",
        format=STICKS,
        lives="1 1",
        tops=("5 5",),
        play="0 stand, 1 stand",
        cards="",
    )
    told = hand.before_the_redeal().told
    assert told[SPECTATOR][-1] == CardsThrown(RedealReason.TIE, (Card.N5, Card.N5), whole_pack=True)
