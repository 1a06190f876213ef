"""Every text of a peer goes through one cleaning, and every name through one check."""

import sys
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from wcwidth import wcswidth

from kille_net.wire.text import _SEEN_AMONG_LATIN, MAX_NAME, name_key, safe_text, valid_name
from tests.catalogue.rows import row

BAD = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)


@pytest.mark.parametrize(
    ("text", "cells", "safe"),
    [
        ("Åsa", 20, "Åsa"),
        ("A\N{COMBINING RING ABOVE}sa", 20, "Åsa"),
        ("\x1b[31mred", 20, "\ufffd[31mred"),
        ("\x9b31m", 20, "\ufffd31m"),
        ("a\x01b\x02c", 20, "a\ufffdb\ufffdc"),
        ("\x1b]52;c;aGk=\x07", 20, "\ufffd]52;c;aGk=\ufffd"),
        ("a\r\nb\tc\x08\x7f", 20, "a\ufffd\ufffdb\ufffdc\ufffd\ufffd"),
        ("\u202eevil\u2066", 20, "\ufffdevil\ufffd"),
        ("a\u200bb\u200dc\ufeff", 20, "a\ufffdb\ufffdc\ufffd"),
        ("a\u2028b\u2029c\x85d", 20, "a\ufffdb\ufffdc\ufffdd"),
        ("\ud800x", 20, "\ufffdx"),
        ("\ue000x\U0010ffff", 20, "\ufffdx\ufffd"),
        ("a\u00a0b\u3000c", 20, "a b c"),
        ("x\u0335\u0336\u0337\u0338y", 20, "x\u0335\u0336y"),
        ("\u0335x", 20, "\ufffdx"),
        ("</b>&amp;%s{}{0}", 20, "</b>&amp;%s{}{0}"),
        ("abcdef", 3, "abc"),
        ("日本語", 5, "日本"),
        ("e\u0336e\u0336e\u0336", 2, "e\u0336e\u0336"),
        ("\u2764\ufe0f", 2, "\u2764\ufe0f"),
        ("\u2764\ufe0f", 1, "\u2764"),
        ("anything", 0, ""),
    ],
)
def test_what_becomes_of_a_text(text: str, cells: int, safe: str) -> None:
    assert safe_text(text, cells) == safe


@row(44)
def test_no_code_point_gets_through_that_may_not() -> None:
    usual = {"Lo", "Cn", "Co"}  # of the many that are alike a part is enough
    for number in range(sys.maxunicode + 1):
        char = chr(number)
        if number > 0x3000 and number % 53 and unicodedata.category(char) in usual:
            continue
        shown = safe_text(f"a{char}", 10)
        assert not BAD & {unicodedata.category(one) for one in shown}, hex(number)
        assert 1 <= wcswidth(shown) <= 3, hex(number)


@row(44)
@given(ANY_TEXT, st.integers(0, 40))
def test_the_result_is_safe_narrow_and_its_own_result(text: str, cells: int) -> None:
    shown = safe_text(text, cells)
    assert not BAD & {unicodedata.category(char) for char in shown}
    assert 0 <= wcswidth(shown) <= cells
    assert safe_text(shown, cells) == shown


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("Bo", "Bo"),
        ("o", "o"),
        ("Anna-Lisa O'Ek_2", "Anna-Lisa O'Ek_2"),
        ("A\N{COMBINING RING ABOVE}sa", "Åsa"),
        ("日本", "日本"),
        ("x" * MAX_NAME, "x" * MAX_NAME),
    ],
)
def test_names(name: str, kept: str) -> None:
    assert valid_name(name) == kept


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        " Bo",
        "Bo ",
        "Bo  Ek",
        "Bo\u00a0Ek",
        "x" * (MAX_NAME + 1),
        "Bo\n",
        "Bo\x1b",
        "Bo.",
        "<b>",
        "Bo\u200d",
        "q\u0336",
        "\u3164",
        "\u1160",
        "🙂",
        "½",
        "\ud800",
    ],
)
def test_no_names(name: str) -> None:
    assert valid_name(name) is None


@given(st.text(st.characters(categories=["L", "Nd"], include_characters=" -_'"), max_size=20))
def test_a_valid_name_is_safe_and_stays_valid(name: str) -> None:
    kept = valid_name(name)
    if kept is not None:
        assert safe_text(kept, 2 * MAX_NAME) == kept
        assert valid_name(kept) == kept


@pytest.mark.parametrize(
    ("one", "other"),
    [("Bo", "bO"), ("ÅSA", "A\N{COMBINING RING ABOVE}sa"), ("STRASSE", "straße"), ("\uff22\uff4f", "Bo"), ("ﬁ", "FI")],
)
def test_names_that_are_taken_for_one(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada", "\u0410d\u0430"),
        ("ADA", "\u0391D\u0391"),
        ("Bo", "\u0412o"),
        ("Bo", "\u0392\u03bf"),
        ("Bo", "B0"),
        ("Nils", "\u039dils"),
        ("Eva", "E\u03bda"),
        ("Ina", "l\u03b7a"),
        ("Ida", "lda"),
        ("Ida", "1DA"),
        ("Ida", "\u0406da"),
        ("Hektor", "\u041d\u0435\u043ator"),
        ("Cissi", "\u0421i\u0455\u0455\u0456"),
        ("Zoë", "Zo\u0451"),
        ("Åsa", "\u0410\N{COMBINING RING ABOVE}sa"),
        ("\u0410\u0412\u0410", "ABA"),
        ("\u039d\u03af\u03ba\u03bf\u03c2", "\u03bd\u03af\u03ba\u03bf\u03c2"),
    ],
)
def test_names_that_look_alike(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bo", "Bö"),
        ("Åsa", "Asa"),
        ("Ärla", "Arla"),
        ("Örn", "Orn"),
        ("Nina", "Vina"),
        ("Hanna", "Nanna"),
        ("Ulla", "Ylla"),
        ("Ada 2", "Ada 3"),
        ("\u0411\u043e\u0440\u0438\u0441", "\u0412\u043e\u0440\u0438\u0441"),
        ("\u03a3\u03bf\u03c6\u03af\u03b1", "\u039f\u03bf\u03c6\u03af\u03b1"),
    ],
)
def test_names_that_are_two(one: str, other: str) -> None:
    assert name_key(one) != name_key(other)


@given(st.text(max_size=20))
def test_the_key_of_a_key_is_itself(name: str) -> None:
    """But where a letter looks otherwise among Latin ones, which the key of another alphabet's name may have."""
    key = name_key(name)
    assume(not any(ord(char) in _SEEN_AMONG_LATIN for char in unicodedata.normalize("NFKD", key)))
    assert name_key(key) == key
