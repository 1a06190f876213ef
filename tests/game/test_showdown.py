"""Who loses a life (rules.md, part 7)."""

from collections.abc import Iterable, Iterator
from itertools import combinations, product

import pytest

from kille_net.game.cards import Card
from kille_net.game.rules import Seat
from kille_net.game.showdown import losers
from tests.game.worked import Worked

HANDS = (
    Worked(
        rules="L1",
        tale="everyone with lives turns up, the struck seat too",
        lives="3 0 3 3",
        tops=("4 husar 9",),
        play="0 swap, 3 stand",
        cards="4 - husar 9",
        struck="0",
        lost="0 3",
        sees={None: "4 . husar 9"},
    ),
    Worked(
        rules="L2",
        tale="ties lose together",
        lives="3 3 3 3",
        tops=("5 9 5 10",),
        play="0 stand, 1 stand, 2 stand, 3 stand",
        cards="5 9 5 10",
        lost="0 2",
    ),
    Worked(
        rules="L2",
        tale="a Kuku and a high Harlekin never lose on the lowest card",
        lives="3 3 3 3",
        tops=("kuku harlekin harlekin kuku",),
        play="0 stand, 1 stand, 2 stand, 3 stand",
        cards="kuku harlekin harlekin kuku",
        lost="",
    ),
    Worked(
        rules="L2",
        tale="the struck seat holds the lowest card, and the next lowest loses too",
        lives="3 3 3 3",
        tops=("blaren husar 12 11",),
        play="0 swap, 2 stand, 3 stand",
        cards="blaren husar 12 11",
        struck="0",
        lost="0 3",
    ),
    Worked(
        rules="L3",
        tale="struck and with a low Harlekin: one life",
        lives="3 3 3 3",
        tops=("harlekin 6 husar 9",),
        play="0 swap, 1 swap, 3 stand",
        cards="6 harlekin husar 9",
        struck="1",
        low_harlekins="1",
        lost="0 1",
    ),
    Worked(
        rules="L4",
        tale="one struck, one low Harlekin, one twelve: the twelve goes free",
        lives="3 3 3",
        tops=("harlekin 12 7 husar",),
        play="0 swap, 1 stand, 2 swap",
        cards="12 harlekin 7",
        struck="2",
        low_harlekins="1",
        beside="husar",
        lost="1 2",
    ),
    Worked(
        rules="L4",
        tale="nobody struck, a low Harlekin and a tie of all others: nobody loses",
        lives="3 3 3",
        tops=("harlekin 7 7",),
        play="0 swap, 1 stand, 2 stand",
        cards="7 harlekin 7",
        low_harlekins="1",
        lost="",
    ),
    Worked(
        rules="L4",
        tale="two seats tie: nobody loses",
        lives="1 1",
        tops=("5 5",),
        play="0 stand, 1 stand",
        cards="5 5",
        lost="",
    ),
    Worked(
        rules="L4",
        tale="of two seats the struck one loses, not the hussar that would be lowest",
        lives="1 1",
        tops=("9 husar",),
        play="0 swap",
        cards="9 husar",
        struck="0",
        lost="0",
    ),
    Worked(
        rules="L4",
        tale="two struck, and the hussar between them goes free",
        lives="1 2 1",
        tops=("9 husar 8 husar",),
        play="0 swap, 2 swap",
        cards="9 husar 8",
        struck="0 2",
        beside="husar",
        lost="0 2",
    ),
    Worked(
        rules="L5",
        tale="two low Harlekins and a struck seat: only the struck loses",
        dealt_low=True,
        lives="1 1 1",
        tops=("harlekin harlekin 7 husar",),
        play="0 stand, 1 stand, 2 swap",
        cards="harlekin harlekin 7",
        struck="2",
        low_harlekins="0 1",
        beside="husar",
        lost="2",
    ),
    Worked(
        rules="L4 H4",
        tale="two low Harlekins, one dealt and one swapped, and a seven: nobody loses",
        dealt_low=True,
        lives="1 0 1 1",
        tops=("7 harlekin harlekin husar",),
        play="0 swap, 2 stand, 3 stand",
        cards="harlekin - 7 harlekin",
        low_harlekins="0 3",
        lost="",
    ),
)


@pytest.mark.parametrize("hand", HANDS, ids=str)
def test_a_worked_hand(hand: Worked) -> None:
    hand.check()


def bits(seats: Iterable[Seat]) -> int:
    """A set of seats as the rules keep it."""
    return sum(1 << seat for seat in seats)


@pytest.mark.parametrize(
    ("cards", "struck", "low", "lost"),
    [
        ("harlekin 4", "", "0", ""),  # L4, the two seats of text A
        ("harlekin harlekin", "", "0 1", ""),  # L5, nobody struck
        ("harlekin harlekin", "0", "0 1", "0"),  # L5
        ("harlekin 4 4", "1", "0", "0 1"),  # L4
        ("harlekin 5 4", "1", "0", "0 1"),  # L4: the four would be the last
        ("harlekin 5 4 9", "1", "0", "0 1 2"),
        ("kuku 5 kuku", "1", "", "1"),  # L2
        ("kuku harlekin 12", "", "", "2"),  # L2
    ],
)
def test_the_table_of_who_loses(cards: str, struck: str, low: str, lost: str) -> None:
    """Rules L2, L4, L5."""
    held = tuple(Card.of_code(code) for code in cards.split())
    assert losers(held, bits(map(int, struck.split())), bits(map(int, low.split()))) == bits(map(int, lost.split()))


def in_words(cards: dict[Seat, Card], struck: set[Seat], low: set[Seat]) -> set[Seat]:
    """Rules L2 to L5 once more, sentence by sentence."""
    out = struck | low
    if out == set(cards):
        return struck
    rest = {seat: card for seat, card in cards.items() if seat not in out and card not in {Card.KUKU, Card.HARLEKIN}}
    everyone_else = {seat for seat in cards if seat not in out}
    lowest = {seat for seat in rest if all(rest[seat] <= card for card in rest.values())}
    if lowest == everyone_else:
        return out if struck else set()
    return out | lowest


def tables() -> Iterator[tuple[dict[Seat, Card], set[Seat], set[Seat]]]:
    kinds = (Card.BLAREN, Card.N5, Card.HUSAR, Card.KUKU, Card.HARLEKIN)
    for seats in (2, 3, 4):
        for cards in product(kinds, repeat=seats):
            held = dict(enumerate(cards))
            harlekins = [seat for seat in held if held[seat] is Card.HARLEKIN]
            if any(cards.count(kind) > 2 for kind in kinds):
                continue
            for lows in range(len(harlekins) + 1):
                for low in combinations(harlekins, lows):
                    for strikes in range(seats):
                        for struck in combinations(range(seats), strikes):
                            yield held, set(struck), set(low)


def test_every_small_table() -> None:
    """Rules L2 to L5: and a hand never takes every seat's life."""
    number = 0
    for cards, struck, low in tables():
        lost = in_words(cards, struck, low)
        assert losers(tuple(cards.values()), bits(struck), bits(low)) == bits(lost), (cards, struck, low)
        assert len(lost) < len(cards)
        assert struck <= lost
        number += 1
    assert number > 5_000
