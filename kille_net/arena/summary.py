"""What the blocks say of the bots: means with intervals, as values, as JSON and as rows.

Owns the estimates of the measures (`arena.measures`). The unit is always the value of a block.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Final

from kille_net.arena.blocks import Block
from kille_net.arena.measures import Measure, bounds, difference_bounds, values_of
from kille_net.arena.plan import Plan
from kille_net.arena.sprt import SequentialTest, Verdict
from kille_net.bots.guard import Complaints
from kille_net.intervals import CONFIDENCE, Estimate, estimate

__all__ = ["COLUMNS", "VERSION", "Difference", "Standing", "Summary", "Tally", "Tested"]

VERSION: Final = 2
"""The shape of the JSON."""
_OF_RUN: Final = ("seed", "seats", "format", "length", "dealt_harlekin", "pots", "design")
COLUMNS: Final = ("first", "second", "measure", "blocks", "mean", "low", "high", *_OF_RUN)
"""Of the rows: an estimate, and which run it is of."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One bot; numbers are of one seat in one match."""

    label: str
    seats: int
    """That it has at the table."""
    points: Estimate
    rank: Estimate
    share: Estimate
    won: Estimate


@dataclass(frozen=True, slots=True)
class Difference:
    """How much more the first gets than the second."""

    first: str
    second: str
    rank: Estimate
    """Below zero where the first is better."""
    share: Estimate
    won: Estimate
    ahead: Estimate
    """How often a seat of the first ends before one of the second."""


@dataclass(frozen=True, slots=True)
class Tested:
    """What the sequential test says of the first two bots; evidence is in logarithms, and enough at `needed`."""

    verdict: Verdict
    for_h0: float
    needed_for_h0: float
    for_h1: float
    needed_for_h1: float


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
    tested: Tested | None = None

    @property
    def matches(self) -> int:
        return self.blocks * self.plan.rotations

    @property
    def is_decided(self) -> bool:
        """Whether there was a test, and it needed no more."""
        return self.tested is not None and self.tested.verdict is not Verdict.OPEN

    @property
    def absent(self) -> tuple[str, ...]:
        """The bots that have decided nothing themselves: what is said of them is said of the rules' defaults."""
        labels = zip(self.plan.labels, self.complaints, strict=True)
        return tuple(label for label, complaints in labels if complaints.is_absent)

    @property
    def is_void(self) -> bool:
        """Whether the test is of one that has not played."""
        return not set(self.absent).isdisjoint(self.plan.labels[:2])

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
            "design": plan.design.value,
            "rotations": plan.rotations,
            "planned_matches": plan.matches,
            "matches": self.matches,
            "blocks": self.blocks,
            "hands": self.hands,
            "confidence": CONFIDENCE,
            "sprt": self._test_object(),
            "bots": [
                {
                    "bot": name,
                    "label": standing.label,
                    "seats": standing.seats,
                    **{measure: _estimate_object(getattr(standing, measure)) for measure in _OF_BOT},
                    "defaults": complaints.defaults / max(1, complaints.decisions),
                    "complaints": _complaints_object(complaints),
                }
                for name, standing, complaints in zip(plan.bots, self.standings, self.complaints, strict=True)
            ],
            "differences": [
                {
                    "first": difference.first,
                    "second": difference.second,
                    **{measure: _estimate_object(getattr(difference, measure)) for measure in _OF_PAIR},
                }
                for difference in self.differences
            ],
        }

    def _test_object(self) -> dict[str, Any] | None:
        of, tested = self.plan.test, self.tested
        if of is None or tested is None:
            return None
        first, second = self.plan.labels[:2]
        hypotheses = {"low": of.low, "high": of.high, "alpha": of.alpha, "beta": of.beta}
        verdict = None if self.is_void else tested.verdict.value
        return {"first": first, "second": second, **hypotheses, **asdict(tested), "verdict": verdict}

    def rows(self) -> Iterator[tuple[str | int | float, ...]]:
        """Of COLUMNS, one an estimate: of a bot, without a second, or of a pair. Empty where there is no number."""
        told = self.to_object()
        run = tuple({**told, **told["rules"]}[column] for column in _OF_RUN)
        for standing in self.standings:
            for measure in _OF_BOT:
                yield standing.label, "", measure, *_cells(getattr(standing, measure)), *run
        for difference in self.differences:
            for measure in _OF_PAIR:
                yield difference.first, difference.second, measure, *_cells(getattr(difference, measure)), *run


_OF_BOT: Final = ("points", "rank", "share", "won")
_OF_PAIR: Final = ("rank", "share", "won", "ahead")


def _cells(estimated: Estimate) -> tuple[str | int | float, ...]:
    numbers = (estimated.mean, estimated.low, estimated.high)
    return estimated.count, *("" if number is None else number for number in numbers)


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
        self._hands = 0
        bots = range(len(plan.bots))
        self._pairs = tuple(combinations(bots, 2))
        self._blocks = 0
        self._values: dict[Measure, tuple[list[float], ...]] = {measure: tuple([] for _ in bots) for measure in Measure}
        self._ahead: tuple[list[float], ...] = tuple([] for _ in self._pairs)
        self._complaints = tuple(Complaints() for _ in bots)
        self._test = None
        if plan.test is not None:
            self._test = SequentialTest(plan.test, *difference_bounds(Measure.SHARE, plan, 0, 1))

    @property
    def is_decided(self) -> bool:
        """Whether there is a test, and it needs no more."""
        return self._test is not None and self._test.verdict is not Verdict.OPEN

    @property
    def blocks(self) -> int:
        return self._blocks

    def add(self, block: Block) -> None:
        self._blocks += 1
        self._hands += sum(result.hands for result in block.results)
        for kept, complaints in zip(self._complaints, block.complaints, strict=True):
            kept.update(complaints)
        values, ahead = values_of(self._plan, block)
        for measure, by_bot in values.items():
            for numbers, value in zip(self._values[measure], by_bot, strict=True):
                numbers.append(value)
        if self._test is not None:
            shares = values[Measure.SHARE]
            self._test.add(shares[0] - shares[1])
        for numbers, value in zip(self._ahead, ahead, strict=True):
            numbers.append(value)

    def estimate(self, measure: Measure, bot: int) -> Estimate:
        return estimate(self._values[measure][bot], *bounds(measure, self._plan, bot))

    def difference(self, measure: Measure, first: int, second: int) -> Estimate:
        """How much more the first of two bots is worth."""
        pairs = zip(self._values[measure][first], self._values[measure][second], strict=True)
        return estimate([a - b for a, b in pairs], *difference_bounds(measure, self._plan, first, second))

    def summary(self) -> Summary:
        plan = self._plan
        standings = tuple(
            Standing(
                label=label,
                seats=plan.lineup.count(bot),
                points=self.estimate(Measure.POINTS, bot),
                rank=self.estimate(Measure.RANK, bot),
                share=self.estimate(Measure.SHARE, bot),
                won=self.estimate(Measure.WON, bot),
            )
            for bot, label in enumerate(plan.labels)
        )
        differences = tuple(
            Difference(
                first=plan.labels[first],
                second=plan.labels[second],
                rank=self.difference(Measure.RANK, first, second),
                share=self.difference(Measure.SHARE, first, second),
                won=self.difference(Measure.WON, first, second),
                ahead=estimate(ahead, 0, 1),
            )
            for (first, second), ahead in zip(self._pairs, self._ahead, strict=True)
        )
        return Summary(
            plan=plan,
            blocks=self._blocks,
            hands=self._hands,
            standings=standings,
            differences=differences,
            complaints=self._complaints,
            tested=self._tested(),
        )

    def _tested(self) -> Tested | None:
        test = self._test
        if test is None:
            return None
        return Tested(test.verdict, test.for_h0, test.needed_for_h0, test.for_h1, test.needed_for_h1)
