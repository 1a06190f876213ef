"""Every numbered rule is cited by a test, of the game or of what is played over it: in the `rules` of a worked hand or
match, or in a docstring that begins with it.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

RULES = """
P1 P2 P3 P4 P5  S1 S2 S3 S4 S5  T1 T2 T3 T4 T5  M1 M2 M3 M4 M5 M6 M7 M8 M9  D1 D2 D3 D4 D5 D6 D7
H1 H2 H3 H4  L1 L2 L3 L4 L5  F1 F2 F3 F4 F5 F6  G1 G2 G3 G4 G5 G6  Q1
"""
ID = re.compile(r"\b[A-Z][1-9]\b")


def citations(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.keyword(arg="rules", value=ast.Constant(value=str(ids))):
                yield from ids.split()
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                text = ast.get_docstring(node) or ""
                yield from ID.findall(text) if text.startswith("Rule") else ()


def test_every_rule_is_cited_and_no_other() -> None:
    cited = {rule for path in Path(__file__).parents[1].rglob("test_*.py") for rule in citations(path)}
    assert cited == set(RULES.split())
