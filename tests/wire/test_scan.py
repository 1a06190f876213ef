"""kille_net.wire.scan: §3.1 to §3.3, byte by byte."""

import msgpack
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kille_net.wire import AnyMessage, ByeCode, RemoteProtocolError, encode
from kille_net.wire.scan import MAX_ARRAY, MAX_DEPTH, MAX_ITEMS, MAX_MAP, MAX_STRING, scan
from tests.catalogue.rows import row
from tests.wire.making import messages, plain_values


def fault(payload: bytes) -> ByeCode | None:
    try:
        scan(payload)
    except RemoteProtocolError as error:
        return error.code
    return None


@pytest.mark.parametrize(
    ("head", "follows"),
    [
        *((head, 0) for head in range(0x80)),
        *((0xA0 + size, size) for size in range(0x20)),
        *((head, 0) for head in (0x80, 0x90, 0xC0, 0xC2, 0xC3)),
        *((0xCC, 1), (0xCD, 2), (0xD0, 1), (0xD1, 2), (0xD2, 4)),
        *((head, 0) for head in range(0xE0, 0x100)),
    ],
)
def test_a_scalar_or_an_empty_container_has_its_size(head: int, follows: int) -> None:
    payload = bytes([head]) + b"\x00" * follows
    assert fault(payload) is None
    assert fault(payload + b"\x00") is ByeCode.BAD_ENCODING, "too late"
    assert fault(payload[:-1]) is ByeCode.BAD_ENCODING, "too early"


@row(23)
@pytest.mark.parametrize("head", [0xC1, *range(0xC4, 0xCC), *range(0xD4, 0xD9)])
def test_a_form_that_is_not_allowed_is_refused_whatever_follows(head: int) -> None:
    """§3.1"""
    assert all(fault(bytes([head]) + b"\x00" * size) is ByeCode.BAD_ENCODING for size in range(20))


@row(23)
@pytest.mark.parametrize(
    ("number", "good"),
    [
        (0, True),
        (2**31 - 1, True),
        (2**31, False),
        (2**32 - 1, False),
        (2**63 - 1, False),
        (2**63, False),
        (2**64 - 1, False),
        (-(2**31), True),
        (-(2**31) - 1, False),
        (-(2**63), False),
    ],
)
def test_an_integer_has_32_bits_in_any_width(number: int, good: bool) -> None:  # noqa: FBT001  a column of a table
    """§3.1, §3.3"""
    forms = []
    if number >= 0:
        forms.append(b"\xcf" + number.to_bytes(8, "big"))
        if number < 2**32:
            forms.append(b"\xce" + number.to_bytes(4, "big"))
    if number < 2**63:
        forms.append(b"\xd3" + number.to_bytes(8, "big", signed=True))
    for form in forms:
        assert fault(form) is (None if good else ByeCode.BAD_ENCODING)
        assert fault(form[:-1]) is ByeCode.BAD_ENCODING


@pytest.mark.parametrize(("head", "width"), [(0xD9, 1), (0xDA, 2), (0xDB, 4)])
def test_a_string_has_its_limit_in_any_width(head: int, width: int) -> None:
    """§3.2"""
    most = min(MAX_STRING, 2 ** (8 * width) - 1)
    text = bytes([head]) + most.to_bytes(width, "big") + b"x" * most
    assert fault(text) is None
    assert fault(text[:-1]) is ByeCode.BAD_ENCODING
    assert fault(text[:width]) is ByeCode.BAD_ENCODING
    if width > 1:
        over = bytes([head]) + (MAX_STRING + 1).to_bytes(width, "big")
        assert fault(over) is ByeCode.TOO_COMPLEX
        assert fault(over + b"x" * (MAX_STRING + 1)) is ByeCode.TOO_COMPLEX


@row(21)
@pytest.mark.parametrize(("head", "width", "each"), [(0xDC, 2, 1), (0xDD, 4, 1), (0xDE, 2, 2), (0xDF, 4, 2)])
def test_a_container_has_its_limit_in_any_width(head: int, width: int, each: int) -> None:
    """§3.2"""
    most = MAX_ARRAY if each == 1 else MAX_MAP
    whole = bytes([head]) + most.to_bytes(width, "big") + b"\x01" * (most * each)
    assert fault(whole) is None
    assert fault(whole[:-1]) is ByeCode.BAD_ENCODING
    assert fault(whole + b"\x01") is ByeCode.BAD_ENCODING
    assert fault(whole[: width - 1]) is ByeCode.BAD_ENCODING
    assert fault(bytes([head]) + (most + 1).to_bytes(width, "big")) is ByeCode.TOO_COMPLEX
    assert fault(bytes([head]) + b"\xff" * width) is ByeCode.TOO_COMPLEX


@row(22)
def test_depth_counts_containers_also_empty_ones() -> None:
    """§3.2"""
    for open_, empty in ((b"\x91", b"\x90"), (b"\x81\xa0", b"\x80"), (b"\x91", b"\x80"), (b"\x81\xa0", b"\x90")):
        assert fault(open_ * (MAX_DEPTH - 1) + empty) is None
        assert fault(open_ * MAX_DEPTH + empty) is ByeCode.TOO_COMPLEX
        assert fault(open_ * MAX_DEPTH + b"\x01") is None
    # A container that is closed again does not count for the next one.
    assert fault(b"\x93" + (b"\x91" * (MAX_DEPTH - 2) + b"\x90") * 3) is None


@row(22)
@pytest.mark.parametrize("depth", [7, 1024, 1025, 60_000])
def test_no_depth_raises_anything_else(depth: int) -> None:
    for shell in (b"\x91", b"\x81\xa0", b"\x82\xa1a\x01\xa1b"):
        assert fault(shell * depth + b"\x90") is ByeCode.TOO_COMPLEX
        assert fault(shell * depth) is ByeCode.TOO_COMPLEX


@row(21)
def test_items_are_counted_as_they_are_announced() -> None:
    """§3.2"""

    def fill(items: int) -> bytes:
        left = items - 5
        rows = []
        for _ in range(4):
            rows.append(min(left, MAX_ARRAY))
            left -= rows[-1]
        assert left == 0
        return b"\x94" + b"".join(b"\xdc" + row.to_bytes(2, "big") + b"\x01" * row for row in rows)

    assert fault(fill(MAX_ITEMS)) is None
    assert fault(fill(MAX_ITEMS + 1)) is ByeCode.TOO_COMPLEX
    assert fault(b"\xdc\x00\x40" * 4) is ByeCode.TOO_COMPLEX, "1 + 4 × 64, of which next to nothing has come"
    assert fault(b"\xde\x00\x20" + b"\xa0\xde\x00\x20" * 3 + b"\xa0\xdc\x00\x40") is ByeCode.TOO_COMPLEX, "keys count"


def test_nothing_is_no_value() -> None:
    assert fault(b"") is ByeCode.BAD_ENCODING


@given(messages())
def test_every_message_passes(message: AnyMessage) -> None:
    scan(encode(message))


def count(value: object) -> tuple[int, int]:
    """Items and depth of a value, written from §3.2."""
    if isinstance(value, list):
        inside = [count(item) for item in value]
    elif isinstance(value, dict):
        inside = [count(item) for pair in value.items() for item in pair]
    else:
        return 1, 0
    return 1 + sum(items for items, _ in inside), 1 + max((depth for _, depth in inside), default=0)


def has_bad_form(value: object) -> bool:
    match value:
        case list():
            return any(map(has_bad_form, value))
        case dict():
            return any(has_bad_form(item) for pair in value.items() for item in pair)
        case bool():
            return False
        case int():
            return not -(2**31) <= value < 2**31
    return isinstance(value, float | bytes)


@given(plain_values())
@example([[[[[[]]]]]])
@example([[[[[[[]]]]]]])
def test_a_value_passes_if_its_forms_and_size_do(value: object) -> None:
    items, depth = count(value)
    expected = {ByeCode.BAD_ENCODING} if has_bad_form(value) else set[ByeCode | None]()
    if items > MAX_ITEMS or depth > MAX_DEPTH:
        expected |= {ByeCode.TOO_COMPLEX}
    assert fault(msgpack.packb(value)) in (expected or {None})


@given(st.binary(max_size=64))
def test_what_passes_is_read_by_any_decoder(payload: bytes) -> None:
    if fault(payload) is None:
        try:
            msgpack.unpackb(payload, strict_map_key=False, object_pairs_hook=list, unicode_errors="surrogateescape")
        except TypeError:
            pytest.fail("a decoder met what the scan let through")
