"""What holds for every file of the package."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "kille_net"


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)).replace("/", ".")
)
def test_a_module_says_what_it_owns(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), "a module begins with a docstring"
