"""What a match is worth to its seats, and a block to its bots, by hand."""

from collections.abc import Iterator
from itertools import product
from random import Random

import pytest

from kille_net.arena.blocks import Block, BlockPlayer, Result
from kille_net.arena.measures import Measure, bounds, difference_bounds, values_of
from kille_net.arena.plan import Design, Plan
from kille_net.bots.guard import Complaints
from kille_net.game.rules import Format, Ruleset


def plan(*bots: str, seats: int = 4, pots: int = 4, form: Format = Format.POTS, blocks: int = 1) -> Plan:
    rules = Ruleset(format=form, pots=pots)
    return Plan(bots=bots, seats=seats, rules=rules, seed="x", blocks=blocks, seconds=1)


def alike(design: Plan, *results: Result) -> Block:
    return Block(0, results, tuple(Complaints() for _ in design.bots))


def ranks(*points: int, winner: int) -> list[float]:
    """One bot a seat, so that each has the rank of its own; the rotations are played alike, seat by seat."""
    design = plan(*(f"{seat}.py" for seat in range(len(points))), seats=len(points))
    turned = [
        Result(
            tuple(points[design.player_at(seat, rotation)] for seat in range(len(points))),
            next(seat for seat in range(len(points)) if design.player_at(seat, rotation) == winner),
            1,
        )
        for rotation in range(design.rotations)
    ]
    return list(values_of(design, alike(design, *turned))[0][Measure.RANK])


def test_ranks() -> None:
    assert ranks(3, 2, 1, 0, winner=0) == [1, 2, 3, 4]
    assert ranks(0, 4, winner=1) == [2, 1]


def test_who_tie_share_the_mean_of_their_ranks() -> None:
    assert ranks(4, 0, 0, 0, winner=0) == [1, 3, 3, 3]
    assert ranks(1, 2, 1, 0, winner=1) == [2.5, 1, 2.5, 4]


def test_the_winner_is_first_also_with_fewer_points_than_another() -> None:
    """In the slutspel (G5)."""
    assert ranks(3, 1, 1, 1, winner=2) == [2, 3.5, 1, 3.5]


def test_ahead_counts_pairs_of_seats_and_halves_ties() -> None:
    """A has seats 0 and 2, then 1 and 3. Ranks 1 2 3.5 3.5: of its pairs 1, 1, 0, 1/2; then 2 and 3.5 to 1 and 3.5."""
    design = plan("a.py", "b.py")
    result = Result((3, 1, 0, 0), 0, 1)
    _, (ahead,) = values_of(design, alike(design, result, result))
    assert ahead == pytest.approx((1 + 1 + 0 + 0.5 + 0 + 1 + 0 + 0.5) / 8)


def test_points_of_a_seat_where_bots_have_not_equally_many() -> None:
    """Three seats: a has two of them. Its mean is that of its six seats in the block, b's of three."""
    design = plan("a.py", "b.py", seats=3)
    results = (Result((2, 1, 1), 0, 1), Result((4, 0, 0), 0, 1), Result((0, 0, 4), 2, 1))
    values, _ = values_of(design, alike(design, *results))
    # b sits at 1, then at 0, then at 2
    assert values[Measure.POINTS] == pytest.approx(((2 + 1 + 0 + 0 + 0 + 0) / 6, (1 + 4 + 4) / 3))


def lineups() -> Iterator[Plan]:
    for seats, bots, form in product((2, 3, 5, 8), (1, 2, 3), Format):
        if bots <= seats:
            yield plan(*("random",) * bots, seats=seats, pots=2, form=form, blocks=3)


@pytest.mark.parametrize("design", list(lineups()))
def test_no_block_is_worth_more_or_less_than_is_said(design: Plan) -> None:
    player = BlockPlayer(design)
    for number in range(design.blocks):
        values, ahead = values_of(design, player.play(number))
        for measure in Measure:
            for bot, value in enumerate(values[measure]):
                least, most = bounds(measure, design, bot)
                assert least - 1e-9 <= value <= most + 1e-9
        assert all(0 <= one <= 1 for one in ahead)


def test_the_bounds_are_reached() -> None:
    """One of four seats that wins everything, or nothing, and so two of four."""
    design = plan("a.py", "b.py", "c.py", "d.py")
    for bot, points, winner in ((0, (4, 0, 0, 0), 0), (1, (4, 0, 0, 0), 0)):
        turned = tuple(
            Result(tuple(points[design.player_at(seat, k)] for seat in range(4)), (winner - k) % 4, 1)
            for k in range(design.rotations)
        )
        values, _ = values_of(design, alike(design, *turned))
        least, most = bounds(Measure.SHARE, design, bot)
        assert values[Measure.SHARE][bot] == (most, least)[bot]
    assert bounds(Measure.RANK, design, 0) == (1, 4)
    pair = plan("a.py", "b.py")
    assert bounds(Measure.RANK, pair, 0) == (1.5, 3.5)
    assert bounds(Measure.SHARE, pair, 0) == (0, 2)
    assert difference_bounds(Measure.SHARE, pair, 0, 1) == (-2, 2)
    assert difference_bounds(Measure.RANK, pair, 0, 1) == (-2, 2)


def test_ranks_of_a_match_have_one_sum() -> None:
    rng = Random(1)
    for _ in range(200):
        seats = rng.randrange(2, 9)
        points = [1, *(rng.randrange(4) for _ in range(seats - 1))]
        assert sum(ranks(*points, winner=rng.randrange(seats))) == pytest.approx(seats * (seats + 1) / 2)


def test_in_balanced_blocks_each_match_has_its_own_packs_and_the_seats_still_go_round() -> None:
    design = Plan(
        bots=("careful", "careful"),
        seats=4,
        rules=Ruleset(pots=2),
        seed="x",
        blocks=4,
        seconds=1,
        design=Design.BALANCED,
    )
    assert len({design.chance(block, rotation).pack(1, 0) for block in range(4) for rotation in range(2)}) == 8
    player = BlockPlayer(design)
    blocks = [player.play(number) for number in range(4)]
    assert any(one.results[0] != one.results[1] for one in blocks)
    assert [design.bot_of(design.player_at(0, rotation)) for rotation in range(2)] == [0, 1]
