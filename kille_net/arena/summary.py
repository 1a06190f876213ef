"""What the blocks say of the bots: means with intervals, as values and as JSON.

Owns the measures. A seat's *share* is its points in a match over an even share of all points of the match; *won* is
1 for the winner of the match over an even share of that. So 1 is what equal players get, at any number of seats, and
the unit is always the mean of a block.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from kille_net.arena.blocks import Block, Result
from kille_net.arena.plan import Plan
from kille_net.bots.guard import Complaints
from kille_net.game.rules import Seat
from kille_net.intervals import CONFIDENCE, Estimate, estimate

__all__ = ["VERSION", "Difference", "Standing", "Summary", "Tally"]

VERSION: Final = 1
"""The shape of the JSON."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One bot; numbers are of one seat in one match."""

    label: str
    seats: int
    """That it has at the table."""
    points: float | None
    share: Estimate
    won: Estimate


@dataclass(frozen=True, slots=True)
class Difference:
    """How much more the first gets than the second."""

    first: str
    second: str
    share: Estimate
    won: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    plan: Plan
    blocks: int
    """Played."""
    hands: int
    standings: tuple[Standing, ...]
    differences: tuple[Difference, ...]
    complaints: tuple[Complaints, ...]
    """By bot."""

    @property
    def matches(self) -> int:
        return self.blocks * self.plan.rotations

    def to_object(self) -> dict[str, Any]:
        """All of it, as JSON has it; null where there is not enough data."""
        plan = self.plan
        return {
            "v": VERSION,
            "seed": plan.seed,
            "seats": plan.seats,
            "rules": {
                "format": plan.rules.format.value,
                "length": plan.rules.length.value,
                "dealt_harlekin": plan.rules.dealt_harlekin.value,
                "pots": plan.rules.pots,
            },
            "table": [plan.labels[bot] for bot in plan.lineup],
            "rotations": plan.rotations,
            "planned_matches": plan.matches,
            "matches": self.matches,
            "blocks": self.blocks,
            "hands": self.hands,
            "confidence": CONFIDENCE,
            "bots": [
                {
                    "bot": name,
                    "label": standing.label,
                    "seats": standing.seats,
                    "points": standing.points,
                    "share": _estimate_object(standing.share),
                    "won": _estimate_object(standing.won),
                    "complaints": _complaints_object(complaints),
                }
                for name, standing, complaints in zip(plan.bots, self.standings, self.complaints, strict=True)
            ],
            "differences": [
                {
                    "first": difference.first,
                    "second": difference.second,
                    "share": _estimate_object(difference.share),
                    "won": _estimate_object(difference.won),
                }
                for difference in self.differences
            ],
        }


def _estimate_object(estimated: Estimate) -> dict[str, float | None]:
    return {"mean": estimated.mean, "low": estimated.low, "high": estimated.high}


def _complaints_object(complaints: Complaints) -> list[dict[str, Any]]:
    told = [
        {"times": times, "fault": complaint.fault.value, "doing": complaint.doing, "text": complaint.text}
        for complaint, times in complaints.counts.items()
    ]
    return [*told, {"times": complaints.others}] if complaints.others else told


class Tally:
    """Takes blocks in and says what they come to so far."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._blocks = 0
        self._hands = 0
        bots = range(len(plan.bots))
        self._points: list[list[float]] = [[] for _ in bots]
        self._shares: list[list[float]] = [[] for _ in bots]
        self._won: list[list[float]] = [[] for _ in bots]
        self._complaints = tuple(Complaints() for _ in bots)

    @property
    def blocks(self) -> int:
        return self._blocks

    def add(self, block: Block) -> None:
        self._blocks += 1
        self._hands += sum(result.hands for result in block.results)
        for bot, complaints in enumerate(block.complaints):
            self._complaints[bot].update(complaints)
            self._points[bot].append(self._mean(block, bot, lambda result, seat: result.points[seat]))
            self._shares[bot].append(self._mean(block, bot, _share))
            self._won[bot].append(self._mean(block, bot, _won))

    def _mean(self, block: Block, bot: int, measure: Callable[[Result, Seat], float]) -> float:
        """Over the seats that the bot had in the matches of the block."""
        plan = self._plan
        values = [
            measure(result, seat)
            for rotation, result in enumerate(block.results)
            for seat in range(plan.seats)
            if plan.bot_of(plan.player_at(seat, rotation)) == bot
        ]
        return sum(values) / len(values)

    def summary(self) -> Summary:
        plan = self._plan
        most = tuple(plan.seats / plan.lineup.count(bot) for bot in range(len(plan.labels)))
        standings = tuple(
            Standing(
                label=label,
                seats=plan.lineup.count(bot),
                points=sum(self._points[bot]) / self._blocks if self._blocks else None,
                share=self._estimate(bot, self._shares[bot], most[bot]),
                won=self._estimate(bot, self._won[bot], most[bot]),
            )
            for bot, label in enumerate(plan.labels)
        )
        differences = tuple(
            Difference(
                first=plan.labels[first],
                second=plan.labels[second],
                share=_difference(self._shares[first], self._shares[second], most[first], most[second]),
                won=_difference(self._won[first], self._won[second], most[first], most[second]),
            )
            for first, second in combinations(range(len(plan.bots)), 2)
        )
        return Summary(
            plan=plan,
            blocks=self._blocks,
            hands=self._hands,
            standings=standings,
            differences=differences,
            complaints=self._complaints,
        )

    def _estimate(self, bot: int, values: Sequence[float], most: float) -> Estimate:
        """All that its seats may get of a match is shared between them; with all seats it is an even share always."""
        least = 1.0 if self._plan.lineup.count(bot) == self._plan.seats else 0.0
        return estimate(values, least, most)


def _share(result: Result, seat: Seat) -> float:
    return result.points[seat] * len(result.points) / sum(result.points)


def _won(result: Result, seat: Seat) -> float:
    return float(len(result.points)) if seat == result.winner else 0.0


def _difference(first: Sequence[float], second: Sequence[float], most: float, least: float) -> Estimate:
    return estimate([a - b for a, b in zip(first, second, strict=True)], -least, most)
