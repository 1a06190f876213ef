"""What is said of measured figures."""

from math import isnan

import msgspec
import pytest

from kille_net.bench.plan import Plan, Result, Shape, Spread, quantile, spread

ORDERED = [float(n) for n in range(1, 1001)]


@pytest.mark.parametrize(
    ("share", "value"), [(0.0, 1.0), (0.0005, 1.0), (0.5, 500.0), (0.99, 990.0), (0.999, 999.0), (0.9995, 1000.0)]
)
def test_a_quantile_is_a_value_that_was_measured(share: float, value: float) -> None:
    assert quantile(ORDERED, share) == value


def test_quantiles_of_few() -> None:
    assert [quantile([3.0], share) for share in (0.0, 0.5, 0.999, 1.0)] == [3.0] * 4
    assert quantile([1.0, 2.0], 0.5) == 1.0
    assert quantile([1.0, 2.0, 3.0], 0.5) == 2.0
    assert isnan(quantile([], 0.5))


def test_a_spread_is_in_milliseconds_whatever_the_order() -> None:
    assert spread([n / 1000 for n in reversed(ORDERED)]) == Spread(1000, 500.0, 990.0, 999.0, 1000.0)
    assert spread([]) == Spread(0, 0.0, 0.0, 0.0, 0.0)


def result(**other: object) -> Result:
    """Of 2 tables in 2 seconds, with nothing to complain of."""
    plan = Plan(port=1, tables=2, seconds=2.0, warming=0.0)
    delays = Spread(400, 1.0, 4.0, 8.0, 9.0)
    good: dict[str, object] = {
        "plan": plan, "seconds": 2.0, "actions": 100, "messages": 1000, "octets": 50_000, "matches": 1, "pings": 0,
        "delays": delays, "lateness": None, "shape": Shape.NONE, "gaps": 0, "unheard": 0, "unanswered": 0,
        "refused": {}, "load_busy": 0.5, "load_waited": 0.0,
        "server_seconds": 0.05, "server_waited": 0.0, "memory": (0, 80 * 1024, 160 * 1024),
    }  # fmt: skip
    return msgspec.convert({**good, **other}, Result)


def test_figures_of_a_result() -> None:
    one = result()
    assert (one.rate, one.cost, one.idle_memory, one.playing_memory) == (50.0, 500.0, 10.0, 20.0)
    assert (one.is_whole, one.is_limited, one.is_disturbed) == (True, False, False)
    unknown = result(server_seconds=None, memory=None, server_waited=None, load_waited=None)
    assert (unknown.cost, unknown.idle_memory, unknown.playing_memory) == (None, None, None)
    assert not unknown.is_disturbed


@pytest.mark.parametrize("lost", [{"gaps": 1}, {"unheard": 1}, {"unanswered": 1}, {"refused": {"old_turn": 1}}])
def test_what_is_missing_is_not_whole(lost: dict[str, object]) -> None:
    assert not result(**lost).is_whole


@pytest.mark.parametrize("code", ["cannot_save", "not_shuffling"])
def test_a_server_that_is_slow_refuses_and_loses_nothing(code: str) -> None:
    one = result(refused={code: 3})
    assert (one.is_whole, one.is_overloaded) == (True, True)
    assert not result(refused={code: 3, "old_turn": 1}).is_whole
    assert not result().is_overloaded


@pytest.mark.parametrize(
    ("of_load", "is_limited"),
    [
        ({"load_busy": 0.89}, False),
        ({"load_busy": 0.91}, True),
        ({"lateness": Spread(100, 0.1, 0.9, 0.9, 0.9), "delays": Spread(400, 0.5, 1.0, 1.0, 1.0)}, False),
        ({"lateness": Spread(100, 0.1, 3.0, 3.0, 3.0)}, True),
        ({"lateness": Spread(100, 0.1, 1.9, 3.0, 3.0)}, False),
    ],
)
def test_a_load_that_may_have_been_too_slow_says_so(of_load: dict[str, object], *, is_limited: bool) -> None:
    assert result(**of_load).is_limited is is_limited


@pytest.mark.parametrize("waited", ["load_waited", "server_waited"])
def test_who_had_to_share_the_processors_says_so(waited: str) -> None:
    assert result(**{waited: 0.2}).is_disturbed
    assert not result(**{waited: 0.05}).is_disturbed
