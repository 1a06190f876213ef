"""How many different whole hands there are: the engine, and a second one, held against protocol/game/perft.json."""

from random import Random

import pytest

from kille_net.game.actions import Phase, actions_of
from kille_net.game.cards import FULL_PACK, Card, is_pack
from kille_net.game.hand import Hand
from kille_net.game.reading import read_packs, read_rules, read_table
from kille_net.game.rules import Format
from tests.each import each
from tests.game import second
from tests.game.perft import Row, by_engine, by_second, first_spot, read
from tests.game.worked import codes

TABLE = read()
BY_NAME = {row["name"]: row for row in TABLE}


def counts(row: Row) -> Row:
    return {key: row[key] for key in ("over", "lacks_pack", "lost", "struck")}


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row["name"])
def test_the_engine_counts_as_the_table(row: Row) -> None:
    assert by_engine(row) == counts(row)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row["name"])
def test_a_second_engine_counts_as_the_table(row: Row) -> None:
    assert by_second(row) == counts(row)


def test_the_table_is_of_all_sizes_formats_and_options() -> None:
    kinds = {(len(row["lives"]), row["rules"]["format"]) for row in TABLE}
    assert {(seats, format_.value) for seats in (2, 3, 4) for format_ in Format} <= kinds
    assert {row["rules"]["dealt_harlekin"] for row in TABLE} == {"high", "low"}
    assert all(is_pack(pack) for row in TABLE for pack in read_packs(row))


@pytest.mark.parametrize(
    ("name", "over"),
    [
        # Four seats, no matador in sight, nobody may ask: each stands or swaps.
        ("numbers-4-pots", {"4": 2**4}),
        ("numbers-3-sticks", {"3": 2**3}),
        # 0 stands: 2³ ways to go on; 0 swaps past the horse: only 2 and 3 are left to speak.
        ("horse-4-pots", {"3": 2**2, "4": 2**3}),
        # 0 and 1 stand or swap; 2 swaps, and the dealer's hussar ends it, or stands, and the dealer has two ways.
        ("hussar-last-4-pots", {"3": 2**2, "4": 2**2 * 2}),
        # 3 may call at each of the moments before 0, 1 and 2 speak (1, 2 and 4 of them) and on its turn…
        # before 0: 1; after one action: 2; after two: 4; after three, 2 swapped and so ended it (4) or stood (4 × 3).
        ("kuku-4-pots", {"1": 1, "2": 2, "3": 4 + 4, "4": 4 * 3}),
    ],
)
def test_counts_that_can_be_reasoned_out(name: str, over: dict[str, int]) -> None:
    assert BY_NAME[name]["over"] == over
    assert BY_NAME[name]["lacks_pack"] == {}


@each(range(400))
def test_two_engines_agree_on_hands_by_whim(number: int) -> None:
    """Legal actions, cards, low Harlekins, strikes and losses, after every action."""
    whim = Random(number)
    seats = whim.choice([2, 2, 3, 3, 4, 5, 8])
    lives = [whim.randint(1, 3) for _ in range(seats)]
    if seats > 2 and whim.random() < 0.3:
        lives[whim.randrange(seats)] = 0
    row = {
        "rules": {"format": whim.choice(["pots", "sticks"]), "dealt_harlekin": whim.choice(["high", "low"])},
        "lives": lives,
        "dealer": whim.choice([seat for seat in range(seats) if lives[seat]]),
        "packs": [codes(tuple(whim.sample(FULL_PACK, 42))).split() for _ in range(60)],
    }
    hand = Hand(read_rules(row["rules"]), *read_table(row))
    packs = iter(read_packs(row))
    spot = first_spot(row)
    for _ in range(500):
        while hand.phase is Phase.DEAL:
            hand.deal(next(packs))
        if hand.showdown is not None:
            break
        open_to = {(seat, do): after for seat, do, after in second.moves(spot)}
        listed = {(seat, action.code): action for seat in range(seats) for action in actions_of(hand.legal(seat))}
        assert set(listed) == set(open_to)
        move = whim.choice(sorted(listed))
        if move[1] == "accept" and whim.random() < 0.5:
            move = move[0], "refuse"
        hand.act(move[0], listed[move])
        spot = open_to[move]
    assert hand.showdown is not None
    assert spot.end == "over"
    by_seat = dict(zip(spot.seats, spot.held, strict=True))
    assert [None if card is None else card.code for card in hand.showdown.cards] == [
        by_seat[seat].card if seat in by_seat else None for seat in range(seats)
    ]
    assert hand.showdown.low_harlekins == tuple(sorted(seat for seat, held in by_seat.items() if held.low))
    assert hand.showdown.struck == tuple(sorted(spot.seats[place] for place in spot.struck))
    assert hand.showdown.lost == tuple(sorted(spot.lost))


def test_the_second_engine_knows_the_order_of_the_cards() -> None:
    assert [card.code for card in Card] == [*second.ORDER, "harlekin"]
