"""What cites a section of the protocol cites one that is there, and what the protocol demands is tested."""

import re
from pathlib import Path

from tests.each import each
from tests.protocol.documents import ROOT, V1, entries, prose, schema, sections

CITED = re.compile(r"§(\d+(?:\.\d+)?)")


def files() -> list[Path]:
    code = [*(ROOT / "kille_net").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
    return sorted([*code, *(ROOT / "protocol").rglob("*.md"), V1 / "schema.json"])


@each(files())
def test_a_cited_section_is_there(path: Path) -> None:
    cited = set(CITED.findall(path.read_text(encoding="utf-8")))
    assert cited <= set(sections())


def test_a_vector_cites_a_section() -> None:
    for folder in ("valid", "tolerated", "rejected", "sessions"):
        for name, entry in entries(folder):
            assert entry["section"].removeprefix("§") in sections(), name


def test_every_must_is_cited_by_a_test() -> None:
    demanding = {number for number, text in sections().items() if re.search(r"\bMUST\b", text)} - {"1"}
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py"))
    assert demanding <= set(CITED.findall(tests))
    assert len(demanding) > 10


def test_the_contents_name_the_sections() -> None:
    contents = prose().split("Contents:")[1].split("\n## ")[0]
    assert set(CITED.findall(contents)) == {number for number in sections() if "." not in number}


def test_the_schema_is_described_where_it_says() -> None:
    text = str(schema())
    assert CITED.findall(text)
