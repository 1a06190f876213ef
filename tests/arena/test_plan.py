"""Who sits where: balance over the rotations of a block."""

from collections import Counter
from dataclasses import replace
from itertools import product

import pytest

from kille_net.arena.plan import Design, Plan, labels_of
from kille_net.game.rules import Ruleset


def plan(bots: int, seats: int, blocks: int = 3) -> Plan:
    names = ("random", "easy", "careful", "sharp", "a.py", "b.py", "c.py", "d.py")[:bots]
    return Plan(bots=names, seats=seats, rules=Ruleset(), seed="x", blocks=blocks, seconds=1)


SIZES = [(bots, seats) for bots, seats in product(range(1, 9), range(2, 9)) if bots <= seats]


@pytest.mark.parametrize(("bots", "seats"), SIZES)
def test_each_bot_has_each_seat_equally_often_in_a_block(bots: int, seats: int) -> None:
    design = plan(bots, seats)
    places = Counter(
        (seat, design.bot_of(design.player_at(seat, rotation)))
        for rotation in range(design.rotations)
        for seat in range(seats)
    )
    for bot in range(bots):
        assert {places[seat, bot] for seat in range(seats)} == {design.rotations * design.lineup.count(bot) // seats}


@pytest.mark.parametrize(("bots", "seats"), SIZES)
def test_at_no_match_is_a_bot_behind_in_matches_or_much_in_seats(bots: int, seats: int) -> None:
    """Wherever a run is broken off: all have played all matches, and each about equally often at each seat."""
    design = plan(bots, seats)
    counts: Counter[tuple[int, int]] = Counter()
    for rotation in list(range(design.rotations)) * 2:
        table = [design.bot_of(design.player_at(seat, rotation)) for seat in range(seats)]
        assert set(table) == set(range(bots))
        counts.update((bot, seat) for seat, bot in enumerate(table))
        for bot in range(bots):
            at_seats = [counts[bot, seat] for seat in range(seats)]
            assert max(at_seats) - min(at_seats) <= 2


@pytest.mark.parametrize(("bots", "seats"), SIZES)
def test_no_table_of_a_block_is_like_another(bots: int, seats: int) -> None:
    design = plan(bots, seats)
    tables = [
        tuple(design.bot_of(design.player_at(seat, rotation)) for seat in range(seats))
        for rotation in range(design.rotations)
    ]
    assert len(set(tables)) == len(tables)
    assert tables[0] == design.lineup


def test_fewer_bots_than_seats_are_repeated_round_the_table() -> None:
    assert plan(2, 4).lineup == (0, 1, 0, 1)
    assert plan(2, 5).lineup == (0, 1, 0, 1, 0)
    assert plan(3, 8).lineup == (0, 1, 2, 0, 1, 2, 0, 1)
    assert (plan(1, 6).rotations, plan(2, 4).rotations, plan(2, 5).rotations) == (1, 2, 5)


@pytest.mark.parametrize("design", Design)
def test_packs_are_shared_by_a_block_where_it_is_a_duplicate_and_by_nothing_else(design: Design) -> None:
    """And no two matches have one id, whatever they share."""
    packs: dict[tuple[object, ...], tuple[object, ...]] = {}
    ids = set()
    for seed in ("x", "y"):
        for block, rotation in product(range(3), range(5)):
            chance = replace(plan(2, 5), design=design, seed=seed).chance(block, rotation)
            ids.add(chance.match_id)
            assert chance.told()["seed"] == seed
            whose = (seed, block) if design is Design.DUPLICATE else (seed, block, rotation)
            dealt = (chance.pack(1, 0), chance.pack(2, 0), chance.first_dealer(5))
            assert packs.setdefault(whose, dealt) == dealt
    assert len({first for first, _, _ in packs.values()}) == len(packs)
    assert len(ids) == 30


def test_matches_are_numbered_through_the_blocks() -> None:
    design = plan(2, 5, blocks=3)
    numbers = [design.match_number(block, rotation) for block in range(3) for rotation in range(5)]
    assert numbers == list(range(1, 16))
    assert design.matches == 15


def test_labels_are_short_and_none_is_like_another() -> None:
    bots = ("sharp", "dir/mine.py", "dir/two.py:Low", "sharp", "other/mine.py", "easy", "dir/two.py:High")
    labels = labels_of(bots)
    assert labels == ("sharp#1", "mine#1", "two:Low", "sharp#2", "mine#2", "easy", "two:High")
