"""Text by cells: wrapping, and ASCII."""

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kille_net.client.showing.layout import cells, to_ascii, wrap
from kille_net.wire.text import safe_text
from tests.catalogues import TEXTS


@given(st.text(st.characters(exclude_categories=()), max_size=200), st.integers(8, 60))
def test_wrapped_lines_fit_and_lose_no_word(text: str, columns: int) -> None:
    clean = safe_text(text, 400)
    lines = wrap(clean, columns)
    assert all(cells(line) <= columns for line in lines)
    assert "".join(lines).replace(" ", "") == clean.replace(" ", "")


@pytest.mark.parametrize("columns", [0, 1, 7])
def test_too_narrow_to_wrap(columns: int) -> None:
    assert wrap("some words that are long", columns) == ["some words that are long"]


def test_the_mark_of_the_turn_has_a_form_in_ascii() -> None:
    assert to_ascii("→•Bo ♥♥·") == ">+Bo **-"


def test_ascii_for_terminals_that_show_nothing_else() -> None:
    for table in TEXTS.values():
        for text in chain.from_iterable(table.values()):
            assert "?" not in to_ascii(text.replace("?", ""))
    assert to_ascii("”Kuku står!” – Åsa · … ’é 日") == '"Kuku star!" - Asa - ... \'e ?'
