"""The recorded sessions: the recorder records a match to its end, and what is kept is what it makes."""

import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from kille_net.client.showing.layout import cells

SESSIONS = Path(__file__).parent.parent.parent / "examples" / "sessions"
sys.path.insert(0, str(SESSIONS))

record = import_module("record")  # an example is no package


@pytest.mark.parametrize("name", ["medium-sv", "plain-en"])
def test_a_match_is_recorded_from_the_lobby_to_its_end(name: str, tmp_path: Path) -> None:
    session = replace(record.SESSIONS[name], pace=0)
    record.record(name, session, tmp_path)
    text = (tmp_path / f"{name}.txt").read_text(encoding="utf-8")
    words = record.WORDS[session.lang]
    assert words.over in text
    assert "Upp till bevis!" in text.replace("\n", " ")
    assert all(line.isprintable() for line in text.split("\n"))
    assert (words.my_turn in text) is not session.is_plain
    assert (tmp_path / f"{name}.svg").exists() is not session.is_plain
    if not session.is_plain:
        assert all(cells(line) <= session.columns for line in text.split("\n"))


def test_every_session_is_kept_in_both_languages() -> None:
    kept = {path.name for path in SESSIONS.iterdir() if path.suffix in {".txt", ".svg"}}
    made = {f"{name}.txt" for name in record.SESSIONS}
    made |= {f"{name}.svg" for name, session in record.SESSIONS.items() if not session.is_plain}
    assert kept == made
    assert {name.rpartition("-")[2] for name in record.SESSIONS} == {"sv", "en"}
