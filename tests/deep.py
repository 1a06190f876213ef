"""How much a test does: a little with every change, as much as hardening asks for when KILLE_DEEP is set (`make deep`).

Owns the choice of sizes and the time that a long run may take: with KILLE_DEEP_MINUTES each test that goes through
`rounds` gets its share of so many minutes, and stops early when it is up. A module that imports a size from here is
marked `deep` by itself (`mark`), and so is part of the long run.
"""

import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

import pytest

__all__ = ["IS_DEEP", "mark", "rounds", "seconds", "share_out", "size", "summary"]

IS_DEEP: Final = os.environ.get("KILLE_DEEP", "") not in {"", "0"}
_MINUTES: Final = float(os.environ.get("KILLE_DEEP_MINUTES") or "inf")
FIGURES: Final = "figures"
"""The property under which a test records what it did, by name; the long run adds it up."""

_shares: Final[dict[str, float]] = {}
"""Module → seconds that each test of it has."""


def size(small: int, deep: int) -> int:
    return deep if IS_DEEP else small


def rounds(small: int, deep: int) -> Iterator[int]:
    """0, 1, 2, … up to the size, or until this test's share of a long run is up."""
    module = os.environ.get("PYTEST_CURRENT_TEST", "").partition("::")[0]
    until = time.monotonic() + _shares.get(module, _MINUTES * 60)
    for number in range(size(small, deep)):
        yield number
        if time.monotonic() > until:
            return


def seconds(small: float, deep: float) -> float:
    """How long something is to go on; in a long run, no longer than half of it."""
    return min(deep, _MINUTES * 30) if IS_DEEP else small


def mark(item: pytest.Item) -> None:
    """Mark a test of a module that takes its sizes from here, and one that Hypothesis searches."""
    module = item.getparent(pytest.Module)
    names = set() if module is None else vars(module.obj).keys()
    searches = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
    if searches or not names.isdisjoint({"size", "rounds", "seconds", "IS_DEEP"}):
        item.add_marker("deep")


def share_out(items: Iterable[pytest.Item]) -> None:
    """The modules that count rounds share the minutes of a long run alike, and in each its tests."""
    modules = (item.getparent(pytest.Module) for item in items if item.get_closest_marker("deep"))
    tests = Counter(module.nodeid for module in modules if module is not None and "rounds" in vars(module.obj))
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    _shares.update({module: _MINUTES * 60 * workers / len(tests) / count for module, count in tests.items()})


def summary(reports: list[pytest.TestReport]) -> Iterator[str]:
    """The figures of all tests, added up."""
    total: Counter[str] = Counter()
    for report in reports:
        for name, figures in report.user_properties:
            if name == FIGURES and isinstance(figures, dict):
                total.update(figures)
    for key, value in sorted(total.items()):
        yield f"{key}: {value:,.0f}"
