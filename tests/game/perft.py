"""Counts every way in which a hand can go, by the engine and by the second one (protocol/game/README.md).

`python -m tests.game.perft` counts the hands of the table again, by the second engine, and writes it anew.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

from kille_net.game.actions import Phase, actions_of
from kille_net.game.hand import Hand
from kille_net.game.reading import read_packs, read_rules, read_table
from kille_net.game.rules import Seat
from tests.game import second

PATH = Path(__file__).parents[2] / "protocol" / "game" / "perft.json"

Row: TypeAlias = dict[str, Any]
End: TypeAlias = tuple[int, str, tuple[Seat, ...], tuple[Seat, ...]]
"""Of one way: how many actions it took, `over` or `lacks_pack`, and who lost and who was struck."""


def read() -> list[Row]:
    rows: list[Row] = json.loads(PATH.read_text(encoding="utf-8"))
    return rows


def count(ways: Iterator[End], seats: int) -> Row:
    """What the table says of a hand, from its ends: depth, how, who lost, who was struck."""
    ends: dict[str, Counter[int]] = {"over": Counter(), "lacks_pack": Counter()}
    lost, struck = Counter[int](), Counter[int]()
    for depth, end, losers, strikes in ways:
        ends[end][depth] += 1
        if end == "over":
            lost.update(losers)
            struck.update(strikes)
    return {
        **{end: {str(depth): number for depth, number in sorted(ends[end].items())} for end in ends},
        "lost": [lost[seat] for seat in range(seats)],
        "struck": [struck[seat] for seat in range(seats)],
    }


def by_engine(row: Row) -> Row:
    lives, dealer = read_table(row)
    packs = read_packs(row)

    def ends(hand: Hand, used: int, depth: int) -> Iterator[End]:
        while hand.phase is Phase.DEAL:
            if used == len(packs):
                yield depth, "lacks_pack", (), ()
                return
            hand.deal(packs[used])
            used += 1
        if hand.showdown is not None:
            yield depth, "over", hand.showdown.lost, hand.showdown.struck
            return
        for seat in hand.order:
            for action in actions_of(hand.legal(seat)):
                after = hand.copy()
                after.act(seat, action)
                yield from ends(after, used, depth + 1)

    return count(ends(Hand(read_rules(row["rules"]), lives, dealer), 0, 0), len(lives))


def first_spot(row: Row) -> second.Spot:
    return second.begin(
        sticks=row["rules"]["format"] == "sticks",
        dealt_low=row["rules"]["dealt_harlekin"] == "low",
        lives=row["lives"],
        dealer=row["dealer"],
        packs=row["packs"],
    )


def by_second(row: Row) -> Row:
    def ends(spot: second.Spot, depth: int) -> Iterator[End]:
        if spot.end:
            over = spot.end == "over"
            yield depth, spot.end, tuple(spot.lost) if over else (), tuple(spot.seats[place] for place in spot.struck)
        for _, _, after in second.moves(spot):
            yield from ends(after, depth + 1)

    return count(ends(first_spot(row), 0), len(row["lives"]))


def text_of(row: Row) -> str:
    """A row with a pack a line."""
    head = ", ".join(f'"{key}": {json.dumps(row[key])}' for key in ("name", "rules", "lives", "dealer"))
    packs = ",\n   ".join(json.dumps(pack) for pack in row["packs"])
    tail = ",\n  ".join(f'"{key}": {json.dumps(row[key])}' for key in ("over", "lacks_pack", "lost", "struck"))
    return f'{{{head},\n  "packs": [\n   {packs}],\n  {tail}}}'


def main() -> None:
    rows = [row | by_second(row) for row in read()]
    PATH.write_text("[\n " + ",\n ".join(map(text_of, rows)) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
