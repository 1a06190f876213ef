"""Every row of the catalogue has a test, and every defence is where the table says that it is."""

import ast
import functools
from collections import defaultdict
from pathlib import Path
from typing import Final

import pytest

from tests.catalogue.defences import DEFENCES, Defence
from tests.catalogue.rows import ROWS
from tests.deep import sized

ROOT: Final = Path(__file__).parents[2]
OWED: Final[frozenset[int]] = frozenset()
"""Rows whose tests are still to come; one that has come is none of them."""


@functools.cache
def marked() -> dict[int, set[str]]:
    """Row → the tests that show it, as pytest names them."""
    found: dict[int, set[str]] = defaultdict(set)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            inner = node.body if isinstance(node, ast.ClassDef) else []
            for one in (node, *inner):
                if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    prefix = f"{node.name}::" if isinstance(node, ast.ClassDef) and one is not node else ""
                    name = f"{path.relative_to(ROOT).as_posix()}::{prefix}{one.name}"
                    for number in rows_of(one):
                        found[number].add(name)
    return found


def is_sized(test: str) -> bool:
    """Whether a test, or one of a class of tests, has a deep size."""
    path, _, name = test.partition("::")
    return any(one == name or one.startswith(f"{name}::") for one in sized(ROOT / path))


def rows_of(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> list[int]:
    return [
        argument.value
        for mark in node.decorator_list
        if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Name) and mark.func.id == "row"
        for argument in mark.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, int)
    ]


def test_every_row_has_a_test() -> None:
    tests = marked()
    assert ROWS.keys() - tests.keys() == OWED
    assert tests.keys() <= ROWS.keys()


def test_every_row_has_a_test_with_a_deep_size() -> None:
    assert {row for row, tests in marked().items() if not any(map(is_sized, tests))} == set()


def test_every_row_has_a_defence() -> None:
    assert ROWS.keys() == {defence.row for defence in DEFENCES}


@pytest.mark.parametrize("defence", DEFENCES, ids=str)
def test_the_test_of_a_defence_has_the_mark_of_its_row(defence: Defence) -> None:
    name = defence.test.partition("[")[0]
    assert {name, name.rpartition("::")[0]} & marked()[defence.row]


@pytest.mark.parametrize("defence", DEFENCES, ids=str)
def test_a_defence_is_there_and_so_is_its_test(defence: Defence) -> None:
    assert (ROOT / defence.file).read_text(encoding="utf-8").count(defence.text) == 1
    assert defence.text != defence.without
    path, *names = defence.test.partition("[")[0].split("::")
    tree: ast.AST = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    for name in names:
        inside = (node for node in ast.iter_child_nodes(tree) if getattr(node, "name", None) == name)
        tree = next(inside, ast.Pass())
        assert not isinstance(tree, ast.Pass), name
    assert defence.row in ROWS
