"""What holds for every file of the package."""

import ast
import re
from pathlib import Path

from tests.each import each

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "kille_net"
BARE = re.compile(r"# (noqa(: [A-Z0-9, ]+)?|type: ignore(\[[a-z, -]+\])?)$", re.MULTILINE)


@each(sorted(PACKAGE.rglob("*.py")))
def test_a_module_says_what_it_owns(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), "a module begins with a docstring"


def test_what_a_lint_is_told_to_pass_over_has_its_reason_beside_it() -> None:
    files = [path for folder in ("kille_net", "tests", "examples") for path in sorted((ROOT / folder).rglob("*.py"))]
    texts = {path: path.read_text(encoding="utf-8") for path in files if "node_modules" not in path.parts}
    assert {
        str(path): [one[0] for one in BARE.finditer(text)] for path, text in texts.items() if BARE.search(text)
    } == {}
