"""How much a test does: a little with every change, as much as hardening asks for when KILLE_DEEP is set (`make deep`).

Owns the choice of sizes and the time that a long run may take: with KILLE_DEEP_MINUTES each test that goes through
`rounds` gets its share of so many minutes, and stops early when it is up. A test that takes a size from here is marked
`deep` by itself (`mark`), and so is part of the long run; which these are is read from its module (`sized`).
"""

import ast
import functools
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import pytest

__all__ = ["FIGURES", "IS_DEEP", "mark", "rounds", "seconds", "share_out", "size", "sized", "summary"]

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
    """Mark a test that takes a size from here, and one that Hypothesis searches."""
    name = item.nodeid.partition("::")[2].partition("[")[0]
    if getattr(getattr(item, "obj", None), "is_hypothesis_test", False) or name in sized(item.path):
        item.add_marker("deep")


@functools.cache
def sized(path: Path) -> frozenset[str]:
    """The tests of a module, as pytest names them, that take a size from here or are searched by Hypothesis: by
    themselves, or by a name of their module that they or their marks use."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    sizes = {name for node in body if isinstance(node, ast.ImportFrom) for name in _sizes(node)}
    used: dict[str, set[str]] = {}
    tests: dict[str, set[str]] = {}
    for node in body:
        names = _used(node, sizes)
        match node:
            case ast.ClassDef():
                outside = [
                    child for child in node.body if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
                ]
                shared = {name for part in (*outside, *node.decorator_list) for name in _used(part, sizes)}
                for child in node.body:
                    if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                        tests[f"{node.name}::{child.name}"] = _used(child, sizes) | shared
                used[node.name] = names
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                used[node.name] = tests[node.name] = names
            case ast.Assign() | ast.AnnAssign():
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    used |= {one.id: names for one in ast.walk(target) if isinstance(one, ast.Name)}
    every = used.get("pytestmark", set())

    def reached(names: set[str]) -> set[str]:
        while more := {other for name in names for other in used.get(name, ())} - names:
            names = names | more
        return names

    return frozenset(test for test, names in tests.items() if not sizes.isdisjoint(reached(names | every)))


def _sizes(node: ast.ImportFrom) -> Iterator[str]:
    """Under what names a module has what makes a test deep."""
    wanted = {__name__: {"size", "rounds", "seconds", "IS_DEEP"}, "tests": {"deep"}, "hypothesis": {"given"}}
    for alias in node.names:
        if alias.name in wanted.get(node.module or "", ()):
            yield alias.asname or alias.name


def _used(node: ast.AST, sizes: set[str]) -> set[str]:
    """The names that a piece of a module uses; its parameters are fixtures, or hide what has the same name."""
    parameters = {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)}
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    return (names | parameters) - (parameters & sizes)


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
