"""What a server says of itself on its network, and what is made of what anybody says there (protocol/discovery.md)."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from kille_net.wire.announcement import Announcement
from kille_net.wire.text import safe_text

DOCUMENT = Path(__file__).parent.parent.parent / "protocol" / "discovery.md"
KROGEN = Announcement(id="0123456789abcdef", name="Krogen på hörnet", versions=(1, 2), wants_password=True, in_tls=True)


def said(announcement: Announcement = KROGEN, **changes: bytes | None) -> dict[bytes, bytes | None]:
    found: dict[bytes, bytes | None] = {
        name.encode(): value.encode() for name, value in announcement.properties().items()
    }
    return found | {name.encode(): value for name, value in changes.items()}


def test_what_is_said_is_understood_and_is_no_more_than_the_document_names() -> None:
    assert Announcement.read(said()) == KROGEN
    other = replace(KROGEN, name="", wants_password=False, in_tls=False)
    assert Announcement.read(said(other)) == other
    assert set(KROGEN.properties()) == set(
        re.findall(r"^\| `(\w+)` \|", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    )


def test_what_a_later_version_says_besides_is_let_pass() -> None:
    assert Announcement.read(said(rooms=b"3", txtvers=b"2", more=None)) == KROGEN


@pytest.mark.parametrize("name", ["id", "versions", "password", "tls"])
@pytest.mark.parametrize("value", [None, b"", b"\xff", b"x", b"-1", b"1 ", "٣".encode(), b"2" * 17])
def test_what_no_server_of_ours_says_is_none_of_ours(name: str, value: bytes | None) -> None:
    if (name, value) != ("versions", b"2" * 17):  # a number, if a high one
        assert Announcement.read(said() | {name.encode(): value}) is None


def test_a_number_without_end_costs_nothing() -> None:
    found = Announcement.read(said(versions=b"9" * 200 + b",1" * 100))
    assert found is not None
    assert len(found.versions) <= 16
    assert max(found.versions) < 10**9


@pytest.mark.parametrize("name", ["\x1b[2J", "a\nb", "\u202eb", "x" * 500, "\x9b31m", "ö" * 99, "e" + "\u0301" * 90])
def test_a_name_is_fit_for_a_terminal_and_one_line(name: str) -> None:
    found = Announcement.read(said(name=name.encode()))
    assert found is not None
    assert found.name == safe_text(found.name, 32)
    assert found.name.isprintable()


def test_a_long_name_fits_into_one_property() -> None:
    long = replace(KROGEN, name="\N{GRINNING FACE}" * 200)
    assert all(len(f"{name}={value}".encode()) <= 255 for name, value in long.properties().items())
    assert Announcement.read(said(long)) is not None


@pytest.mark.parametrize(("versions", "is_spoken"), [((1,), True), ((2,), False), ((2, 1), True)])
def test_whether_we_speak_with_it(versions: tuple[int, ...], *, is_spoken: bool) -> None:
    assert replace(KROGEN, versions=versions).is_spoken is is_spoken
