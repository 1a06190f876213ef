"""What cites a section of the protocol cites one that is there, and what the protocol demands is tested."""

import re
from pathlib import Path

from kille_net.arena.situations import SITUATIONS
from kille_net.cli.numbered import numbered_rules
from kille_net.game.rules import LENGTHS
from tests.each import each
from tests.protocol.documents import ROOT, V1, entries, prose, schema, sections

CITED = re.compile(r"§(\d+(?:\.\d+)?)")
RULES = re.compile(r"\b[Rr]ules? ((?:[A-Z]\d+(?:, | and | to )?)+)")
RULE = re.compile(r"[A-Z]\d+")
OF_TOURNAMENTS = {f"C{number}" for number in range(1, 11)}
"""Those of `kille rules tournaments`."""


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


@each(files())
def test_a_cited_rule_is_there(path: Path) -> None:
    cited = {rule for some in RULES.findall(path.read_text(encoding="utf-8")) for rule in RULE.findall(some)}
    assert cited <= numbered_rules().keys() | OF_TOURNAMENTS


def test_the_rules_of_a_situation_are_there() -> None:
    assert {rule for situation in SITUATIONS for rule in situation.rules} <= numbered_rules().keys()


def test_the_table_of_lengths_is_that_of_the_rules() -> None:
    rows = [line.strip(" |").split(" | ") for line in numbered_rules()["F2"] if line.startswith("  |")]
    assert rows[0] == ["length", *map(str, range(2, 9))]
    assert {name: {seats: int(pots) for seats, pots in enumerate(row, 2)} for name, *row in rows[1:]} == {
        length.value: dict(pots) for length, pots in LENGTHS.items()
    }


def test_a_document_that_is_cited_is_in_the_tree() -> None:
    named = re.compile(r"(?<![\w./-])(?:[\w-]+/)*[a-z-]+\.md\b")
    for path in files():
        for name in named.findall(path.read_text(encoding="utf-8")):
            folders = (ROOT, path.parent, ROOT / "kille_net/game", ROOT / "protocol", V1)
            assert any((folder / name).is_file() for folder in folders), (path, name)
