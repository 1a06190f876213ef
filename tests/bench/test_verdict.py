"""What `kille bench` makes of its figures."""

from contextlib import nullcontext
from pathlib import Path

import msgspec
import pytest

from kille_net.bench import verdict
from kille_net.bench.hosting import Started
from kille_net.bench.plan import Plan, Result, Spread
from kille_net.bench.table import Broken
from kille_net.bench.verdict import PACE, Doubt, Grade, Step, grade_of, judge, judged
from tests.bench.test_plan import result

MIB = 1024 * 1024
COMMIT = Spread(100, 2.0, 5.0, 5.0, 6.0)


def share(rate: float, **other: object) -> Result:
    plan = Plan(port=1, tables=2, seconds=2.0, warming=0.0, rate=rate)
    return result(plan=msgspec.to_builtins(plan), **other)


@pytest.mark.parametrize(
    ("p99", "grade"),
    [
        (1.0, Grade.UNNOTICED),
        (100.0, Grade.UNNOTICED),
        (101.0, Grade.BEARABLE),
        (500.0, Grade.BEARABLE),
        (501.0, Grade.SLOW),
    ],
)
def test_how_long_people_wait(p99: float, grade: Grade) -> None:
    assert grade_of(Spread(100, 0.5, p99, 900.0, 900.0)) is grade


def test_tables_go_by_the_rate_that_was_tried() -> None:
    found = judge(COMMIT, result(), share(600.0), free=None, apart=True)
    assert (found.tables, found.by_memory, found.doubts) == (1200, False, ())
    assert found.grade is Grade.UNNOTICED


def test_no_more_tables_than_half_of_the_memory_holds() -> None:
    playing = {"memory": (0, 0, 8 * MIB)}  # 1 MiB for each of 8 connections
    assert judge(COMMIT, result(), share(600.0, **playing), free=800 * MIB, apart=True).tables == 100
    found = judge(COMMIT, result(), share(600.0, **playing), free=100_000 * MIB, apart=True)
    assert (found.tables, found.by_memory) == (1200, False)


@pytest.mark.parametrize(
    ("full", "apart", "doubts"),
    [
        ({}, True, ()),
        ({"gaps": 1}, True, (Doubt.LOST,)),
        ({"server_waited": 0.5}, True, (Doubt.DISTURBED,)),
        ({"load_busy": 0.95}, True, (Doubt.LIMITED,)),
        ({"load_busy": 0.95, "server_waited": 0.5}, False, (Doubt.SHARED,)),
    ],
)
def test_doubts(full: dict[str, object], doubts: tuple[Doubt, ...], *, apart: bool) -> None:
    assert judge(COMMIT, result(**full), share(10.0), free=None, apart=apart).doubts == doubts
    assert judge(COMMIT, result(), share(10.0, **full), free=None, apart=apart).doubts == doubts


@pytest.mark.parametrize(("slow", "tables"), [(1, [50]), (2, [50, 25]), (9, [50, 25, 12])])
@pytest.mark.parametrize("breaks", [False, True])
def test_less_is_tried_until_nobody_notices(
    slow: int, tables: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, breaks: bool
) -> None:
    """`slow`: how many of the runs are, full speed included; `breaks`: whether the server does not bear the first."""
    plans: list[Plan] = []
    steps: list[Step] = []

    def loaded(plan: Plan) -> Result:
        plans.append(plan)
        if breaks and len(plans) == 2 <= slow:
            raise Broken("bye silent")
        p99 = 200.0 if len(plans) <= slow else 50.0
        return result(plan=msgspec.to_builtins(plan), delays=Spread(400, 1.0, p99, p99, p99))

    monkeypatch.setattr(verdict, "loaded", loaded)
    monkeypatch.setattr(verdict, "started", lambda *_: nullcontext(Started(1, 2)))
    found = judged(tmp_path, most=300, seconds=0.1, tell=steps.append)
    assert [(plan.tables, plan.rate) for plan in plans] == [(100, 0.0), *((n, n * PACE) for n in tables)]
    assert steps == [Step.DISK, Step.FULL, *[Step.SHARE] * len(tables)]
    assert found.grade is (Grade.BEARABLE if slow == 9 else Grade.UNNOTICED)
    assert (found.tables, found.doubts) == (tables[-1], ())
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_bears_nothing_is_not_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def loaded(plan: Plan) -> Result:
        if plan.rate:
            raise Broken("bye silent")
        return result()

    monkeypatch.setattr(verdict, "loaded", loaded)
    monkeypatch.setattr(verdict, "started", lambda *_: nullcontext(Started(1, 2)))
    with pytest.raises(Broken, match="bye silent"):
        judged(tmp_path, most=300, seconds=0.1, tell=lambda _: None)


@pytest.mark.parametrize(("p99", "doubts"), [(50.0, (Doubt.UNTRIED,)), (200.0, ())])
def test_no_more_tables_are_promised_than_were_tried(
    p99: float, doubts: tuple[Doubt, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verdict, "_SHARES", (1 / 2,))
    monkeypatch.setattr(verdict, "started", lambda *_: nullcontext(Started(1, 2)))
    monkeypatch.setattr(
        verdict,
        "loaded",
        lambda plan: result(plan=msgspec.to_builtins(plan), delays=Spread(400, 1.0, p99, p99, p99)),
    )
    found = judged(tmp_path, most=20, seconds=0.1, tell=lambda _: None)
    assert (found.full.plan.tables, found.tables, found.doubts) == (20, 20, doubts)
