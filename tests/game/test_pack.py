"""The pack (rules.md, part 1)."""

from collections import Counter
from itertools import pairwise

import pytest

from kille_net.game.cards import FULL_PACK, MATADORS, Card, is_pack
from tests.game.worked import Worked, pack

CODES = "blaren blompottan kransen 1 2 3 4 5 6 7 8 9 10 11 12 vardshus kavall husu husar kuku harlekin"  # P5


def test_42_cards_two_of_each_of_21_kinds() -> None:
    """Rule P1."""
    assert len(Card) == 21
    assert Counter(FULL_PACK) == dict.fromkeys(Card, 2)
    assert is_pack(reversed(FULL_PACK))
    assert not is_pack(FULL_PACK[1:])
    assert not is_pack((*FULL_PACK[1:], Card.HARLEKIN))
    assert not is_pack((*FULL_PACK, Card.BLAREN))
    assert not is_pack(())


def test_codes_and_numbers() -> None:
    """Rule P5: the order of the codes is that of the integers 0 to 20."""
    assert [card.code for card in Card] == CODES.split()
    assert [int(card) for card in Card] == list(range(21))
    assert [Card.of_code(code) for code in CODES.split()] == list(Card)
    for wrong in ("", "0", "13", "n1", "N1", "Kuku", "värdshus", " 1"):
        with pytest.raises(KeyError):
            Card.of_code(wrong)


def test_the_matadors() -> None:
    """Rule P3: the five from Värdshus up; a Harlekin is none."""
    assert {card.code for card in MATADORS} == {"vardshus", "kavall", "husu", "husar", "kuku"}


@pytest.mark.parametrize(("low", "high"), list(pairwise(CODES.split()[:19])))
def test_low_to_high(low: str, high: str) -> None:
    """Rule P2: of two neighbours in the order the lower loses, whoever holds it."""
    for cards, lost in ((f"{low} {high} kuku", "0"), (f"kuku {high} {low}", "2")):
        Worked(
            rules="P2",
            tale="",
            lives="3 3 3",
            tops=(cards,),
            play=f"{cards.split().index('kuku')} kuku",
            cards=cards,
            lost=lost,
        ).check()


@pytest.mark.parametrize("kind", CODES.split()[:19])
def test_the_same_kind_ties(kind: str) -> None:
    """Rules P4, L2."""
    cards = f"{kind} kuku {kind}"
    Worked(rules="P4 L2", tale="", lives="3 3 3", tops=(cards,), play="1 kuku", cards=cards, lost="0 2").check()


def test_a_high_harlekin_ties_with_kuku_and_a_low_one_is_below_blaren() -> None:
    """Rule P4."""
    high = Worked(
        rules="P4",
        tale="",
        lives="3 3 3",
        tops=("kuku harlekin harlekin",),
        play="0 kuku",
        cards="kuku harlekin harlekin",
        lost="",
    )
    high.check()
    low = Worked(
        rules="P4",
        tale="",
        lives="3 3 3 3",
        tops=("harlekin husu blaren 9",),
        play="0 stand, 1 stand, 2 stand, 3 stand",
        cards="harlekin husu blaren 9",
        lost="2",
    )
    low.check()


def test_a_prepared_pack_is_a_pack() -> None:
    assert pack("kuku 1 kuku")[:3] == (Card.KUKU, Card.N1, Card.KUKU)
    with pytest.raises(ValueError, match="not in list"):
        pack("kuku kuku kuku")
