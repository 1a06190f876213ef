"""The measures, by hand."""

import json

import pytest

from kille_net.arena.blocks import Block, Result
from kille_net.arena.plan import Plan
from kille_net.arena.summary import COLUMNS, Summary, Tally
from kille_net.bots.guard import Complaint, Complaints, Fault
from kille_net.game.rules import Ruleset

PLAN = Plan(bots=("sharp", "easy"), seats=4, rules=Ruleset(pots=4), seed="x", blocks=10, seconds=1)


def block(number: int, *results: tuple[tuple[int, ...], int]) -> Block:
    return Block(
        number,
        tuple(Result(points, winner, 10) for points, winner in results),
        tuple(Complaints() for _ in PLAN.bots),
    )


def summary_of(*blocks: Block) -> Summary:
    tally = Tally(PLAN)
    for one in blocks:
        tally.add(one)
    return tally.summary()


def test_by_hand() -> None:
    """In the second rotation sharp has seats 1 and 3.

    Block 1: sharp's seats have 3 0, 1 2 points of 4: mean 1.5, share 1.5. It wins both: 4 0, 0 4 mean 2.
    Block 2: 1 1, 0 1: mean 0.75, share 0.75 of 4 points. It wins the first: 4 0, 0 0, mean 1.
    """
    summary = summary_of(
        block(0, ((3, 1, 0, 0), 0), ((0, 1, 1, 2), 3)),
        block(1, ((1, 0, 1, 2), 0), ((3, 0, 0, 1), 0)),
    )
    sharp, easy = summary.standings
    assert (sharp.label, sharp.seats, easy.label, easy.seats) == ("sharp", 2, "easy", 2)
    assert sharp.points.mean == pytest.approx((1.5 + 0.75) / 2)
    assert sharp.share.mean == pytest.approx((1.5 + 0.75) / 2)
    assert easy.share.mean == pytest.approx((0.5 + 1.25) / 2)
    assert sharp.won.mean == pytest.approx(1.5)
    (difference,) = summary.differences
    assert (difference.first, difference.second) == ("sharp", "easy")
    assert difference.share.count == 2
    assert difference.share.mean == pytest.approx((1.0 - 0.5) / 2)
    assert (difference.share.low, difference.share.high) == (-2, 2), "0.25 and more on both sides than there can be"
    assert (summary.matches, summary.hands, summary.blocks) == (4, 40, 2)


def test_points_are_shares_of_what_was_played_for() -> None:
    """A match with a tie-break has a point more; a share of it is worth as much as of any other match."""
    one = summary_of(block(0, ((4, 0, 0, 0), 0), ((0, 4, 0, 0), 1)))
    other = summary_of(block(0, ((5, 0, 0, 0), 0), ((0, 5, 0, 0), 1)))
    assert one.standings[0].share == other.standings[0].share
    assert one.standings[0].points.mean != other.standings[0].points.mean
    assert sum(standing.share.mean or 0 for standing in one.standings) == 2


def test_who_has_all_the_seats_gets_an_even_share_whatever_happens() -> None:
    tally = Tally(Plan(bots=("careful",), seats=4, rules=Ruleset(pots=4), seed="x", blocks=10, seconds=1))
    for number in range(3):
        tally.add(Block(number, (Result((3, 1, 0, 0), 0, 10),) * tally.summary().plan.rotations, (Complaints(),)))
    (standing,) = tally.summary().standings
    for measure in (standing.share, standing.won):
        assert (measure.low, measure.mean, measure.high) == (1.0, 1.0, 1.0)
    assert (standing.rank.low, standing.rank.mean, standing.rank.high) == (2.5, 2.5, 2.5)


def test_seats_that_share_cannot_get_more_than_all() -> None:
    """Sharp has two of four seats: at most twice an even share, at least none."""
    summary = summary_of(*(block(number, ((2, 1, 1, 0), 0), ((1, 2, 0, 1), 0)) for number in range(2)))
    for standing in summary.standings:
        assert standing.won.low is not None
        assert standing.won.high is not None
        assert 0 <= standing.won.low <= 1 <= standing.won.high <= 2
        assert standing.won.low + standing.won.high == pytest.approx(2)


def test_nothing_played_says_nothing() -> None:
    summary = summary_of()
    assert summary.standings[0].points.mean is None
    assert summary.standings[0].share.mean is None
    assert summary.differences[0].share.low is None
    json.dumps(summary.to_object(), allow_nan=False)


def test_as_json() -> None:
    told = Complaints(most=1, decisions=8, defaults=2)
    for fault in (Fault.HUNG, Fault.HUNG, Fault.RAISED):
        told.add(Complaint(fault, "decide", "why"))
    played = block(0, ((3, 1, 0, 0), 0), ((0, 1, 1, 2), 3))
    summary = summary_of(Block(0, played.results, (told, Complaints())))
    got = json.loads(json.dumps(summary.to_object(), allow_nan=False))
    assert got["table"] == ["sharp", "easy", "sharp", "easy"]
    assert (got["seats"], got["seed"], got["confidence"]) == (4, "x", 0.95)
    assert (got["planned_matches"], got["matches"], got["hands"]) == (20, 2, 20)
    assert got["rules"] == {"format": "pots", "length": "standard", "dealt_harlekin": "high", "pots": 4}
    assert got["bots"][0]["share"] == {"mean": 1.5, "low": None, "high": None}
    assert [bot["defaults"] for bot in got["bots"]] == [0.25, 0.0]
    assert got["bots"][0]["complaints"] == [
        {"times": 2, "fault": "hung", "doing": "decide", "text": "why"},
        {"times": 1},
    ]
    assert got["bots"][0]["points"] == {"mean": 1.5, "low": None, "high": None}
    assert got["bots"][1]["rank"] == {"mean": 3.0, "low": None, "high": None}
    assert got["differences"][0]["share"]["mean"] == 1.0
    assert got["differences"][0]["ahead"]["mean"] == 0.75
    assert got["design"] == "duplicate"


def test_as_rows() -> None:
    rows = list(summary_of(block(0, ((3, 1, 0, 0), 0), ((0, 1, 1, 2), 3))).rows())
    assert {len(row) for row in rows} == {len(COLUMNS)}
    run = ("x", 4, "pots", "standard", "high", 4, "duplicate")
    assert rows[0] == ("sharp", "", "points", 1, 1.5, "", "", *run)
    assert rows[-1] == ("sharp", "easy", "ahead", 1, 0.75, "", "", *run)
    assert len(rows) == 2 * 4 + 4
