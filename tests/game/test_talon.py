"""The talon (rules.md, part 5), as worked hands."""

import pytest

from kille_net.game.cards import Card
from kille_net.game.events import Drew
from kille_net.game.rules import Format
from tests.game.worked import SPECTATOR, Worked

HANDS = (
    Worked(
        rules="D1",
        tale="a number is the drawer's; who knew the old card knows that it is gone",
        lives="3 3 3",
        tops=("4 6 7 9",),
        play="0 stand, 1 swap, 2 swap",
        cards="4 7 9",
        lost="0",
        gone={0: "", 1: "6", 2: "6", SPECTATOR: ""},
    ),
    *(
        Worked(
            rules="D1",
            tale=f"{card} is kept, however low",
            lives="3 3 3",
            tops=(f"4 6 7 {card}",),
            play="0 stand, 1 stand, 2 swap",
            cards=f"4 6 {card}",
            lost="2",
        )
        for card in ("blaren", "blompottan", "kransen", "1")
    ),
    Worked(
        rules="D1 H1",
        tale="a Harlekin that is drawn is high",
        lives="3 3 3",
        tops=("4 6 7 harlekin",),
        play="0 stand, 1 stand, 2 swap",
        cards="4 6 harlekin",
        lost="0",
    ),
    Worked(
        rules="D2",
        tale="the cuckoo ends the round, and the draw costs nothing",
        lives="3 3 3",
        tops=("4 6 7 kuku",),
        play="0 stand, 1 stand, 2 swap",
        cards="4 6 7",
        beside="kuku",
        lost="0",
    ),
    Worked(
        rules="D2",
        tale="…but the drawer may still hold the lowest card",
        lives="3 3 3",
        tops=("6 7 4 kuku",),
        play="0 stand, 1 stand, 2 swap",
        cards="6 7 4",
        beside="kuku",
        lost="2",
    ),
    Worked(
        rules="D3",
        tale="the hussar strikes the dealer, who keeps its card",
        lives="3 3 3",
        tops=("4 6 7 husar",),
        play="0 stand, 1 stand, 2 swap",
        cards="4 6 7",
        struck="2",
        beside="husar",
        lost="0 2",
    ),
    Worked(
        rules="D4 M3",
        tale="the pig strikes a dealer who draws with the card it was dealt",
        lives="3 3 3",
        tops=("4 6 7 husu",),
        play="0 stand, 1 stand, 2 swap",
        cards="4 6 7",
        struck="2",
        beside="husu",
        lost="0 2",
    ),
    Worked(
        rules="D4 M3",
        tale="…or whom its card was dealt to, and undoes the chain",
        lives="3 3 3",
        tops=("4 6 7 husu",),
        play="0 swap, 1 swap, 2 swap",
        cards="4 6 7",
        struck="0",
        beside="husu",
        lost="0 1",
    ),
    Worked(
        rules="D4 M4 H4",
        tale="…and the Harlekin that comes back is low where a dealt one is",
        dealt_low=True,
        lives="3 3 3 3",
        tops=("5 harlekin 9 7 husu",),
        play="0 stand, 1 swap, 2 swap, 3 swap",
        cards="5 harlekin 9 7",
        struck="1",
        low_harlekins="1",
        beside="husu",
        lost="0 1",
    ),
    Worked(
        rules="D5",
        tale="horses and inns are set aside, and the next card is drawn",
        lives="3 3 3",
        tops=("4 6 7 kavall vardshus kavall vardshus 9",),
        play="0 stand, 1 stand, 2 swap",
        cards="4 6 9",
        beside="kavall vardshus kavall vardshus",
        lost="0",
    ),
    Worked(
        rules="D5 D3",
        tale="…and the next may be the hussar",
        lives="3 3 3",
        tops=("4 6 7 kavall husar",),
        play="0 stand, 1 stand, 2 swap",
        cards="4 6 7",
        struck="2",
        beside="kavall husar",
        lost="0 2",
    ),
    *(
        Worked(
            rules="D5",
            tale=f"in sticks {card} means no swap",
            format=Format.STICKS,
            lives="1 1 1",
            tops=(f"6 7 4 {card} husar",),
            play="0 stand, 1 stand, 2 swap",
            cards="6 7 4",
            beside=card,
            lost="2",
        )
        for card in ("kavall", "vardshus")
    ),
    Worked(
        rules="D6",
        tale="every matador drawn lies beside the talon, in order",
        lives="3 3 3",
        tops=("4 6 7 vardshus kavall kuku",),
        play="0 stand, 1 stand, 2 swap",
        cards="4 6 7",
        beside="vardshus kavall kuku",
        lost="0",
    ),
    Worked(
        rules="D7",
        tale="a Harlekin that nobody has seen is given away unseen",
        lives="3 3 3",
        tops=("4 6 harlekin 9",),
        play="0 stand, 1 stand, 2 swap",
        cards="4 6 9",
        lost="0",
        gone={0: "", 1: "", 2: "harlekin", SPECTATOR: ""},
    ),
    Worked(
        rules="D7 H3",
        tale="a low Harlekin goes under the talon, and costs nothing any more",
        lives="3 3 3",
        tops=("4 harlekin 7 9",),
        play="0 stand, 1 swap, 2 swap",
        cards="4 7 9",
        lost="0",
        gone={0: "harlekin", 1: "harlekin", 2: "harlekin", SPECTATOR: "harlekin"},
    ),
    Worked(
        rules="D7 M2",
        tale="…also when it is carried past the dealer",
        lives="3 3 3",
        tops=("4 harlekin kavall 9",),
        play="0 swap, 1 stand, 2 stand",
        cards="harlekin 4 kavall",
        low_harlekins="0",
        lost="0 1",
    ),
    Worked(
        rules="D7 D1 H1",
        tale="a Harlekin for a Harlekin: the drawn one is high",
        dealt_low=True,
        lives="3 3 3",
        tops=("4 6 harlekin harlekin",),
        play="0 stand, 1 stand, 2 swap",
        cards="4 6 harlekin",
        lost="0",
    ),
)


@pytest.mark.parametrize("hand", HANDS, ids=str)
def test_a_worked_hand(hand: Worked) -> None:
    hand.check()


def test_only_the_drawer_sees_a_card_that_it_keeps() -> None:
    """Rules D1, T5: until the showdown, which follows at once."""
    hand = Worked(
        rules="D1",
        tale="",
        lives="3 3 3",
        tops=("4 6 7 9",),
        play="0 stand, 1 stand, 2 swap",
        cards="4 6 9",
        lost="0",
    )
    for viewer, events in hand.watched().told.items():
        assert events[0] == Drew(2, Card.N9 if viewer == 2 else None, kept=True)


def test_every_matador_drawn_is_shown_to_all() -> None:
    """Rule D6."""
    hand = Worked(
        rules="D6",
        tale="",
        lives="3 3 3",
        tops=("4 6 7 kavall husar",),
        play="0 stand, 1 stand, 2 swap",
        cards="4 6 7",
        lost="0 2",
    )
    for events in hand.watched().told.values():
        assert events[:2] == [Drew(2, Card.KAVALL, kept=False), Drew(2, Card.HUSAR, kept=False)]


def test_the_old_card_goes_to_the_bottom_of_the_talon() -> None:
    """Rule D1."""
    hand = Worked(
        rules="D1", tale="", lives="3 3 3", tops=("4 6 7 9",), play="0 stand, 1 stand, 2 swap", cards="4 6 9", lost="0"
    )
    match = hand.watched().match
    assert match.hand is not None
    talon = match.hand.table.talon
    assert (len(talon), talon[-1]) == (39, Card.N7)
