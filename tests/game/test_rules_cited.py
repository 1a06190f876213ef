"""Every rule of `kille_net/game/rules.md` is cited by a test, of the game or of what is played over it: in the
`rules` of a worked hand or match, or in a docstring that begins with it.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from kille_net.cli.numbered import numbered_rules

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
    assert cited == numbered_rules().keys()
