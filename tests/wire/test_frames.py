"""kille_net.wire.frames: §2."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kille_net.wire import ByeCode, FrameSplitter, RemoteProtocolError
from kille_net.wire.frames import join
from tests.catalogue.rows import row
from tests.deep import size as how_many

LIMIT = 100


def taken(splitter: FrameSplitter) -> list[bytes]:
    found = []
    while (payload := splitter.next_payload()) is not None:
        found.append(payload)
    return found


def fault(splitter: FrameSplitter) -> ByeCode:
    with pytest.raises(RemoteProtocolError) as caught:
        splitter.next_payload()
    assert caught.value.place == ""
    return caught.value.code


payloads = st.lists(st.binary(min_size=1, max_size=LIMIT), max_size=8)


@row(4)
@given(payloads, st.data())
def test_however_it_is_cut_the_frames_are_the_same(sent: list[bytes], data: st.DataObject) -> None:
    """§2.1, §2.3"""
    stream = b"".join(map(join, sent))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)))))
    splitter = FrameSplitter(LIMIT)
    got = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        splitter.feed(stream[start:end])
        got += taken(splitter)
    assert got == sent


@row(1)
def test_any_header_beyond_the_limit_is_a_fault() -> None:
    """§2.2: as many of all widths, also at the very end of what can be said."""
    chance = Random(1)
    for _ in range(how_many(2_000, 1_000_000)):
        announced = min(2**32 - 1, LIMIT + chance.getrandbits(chance.randint(1, 32)) + 1)
        splitter = FrameSplitter(LIMIT)
        splitter.feed(announced.to_bytes(4, "big") + b"x")
        assert fault(splitter) is ByeCode.FRAME_TOO_BIG


@row(1)
@pytest.mark.parametrize("size", [LIMIT + 1, 2**31 - 1, 2**31, 2**32 - 1])
def test_a_header_beyond_the_limit_is_a_fault_before_a_byte_of_it_comes(size: int) -> None:
    """§2.2"""
    splitter = FrameSplitter(LIMIT)
    header = size.to_bytes(4, "big")
    splitter.feed(header[:3])
    assert taken(splitter) == []
    splitter.feed(header[3:])
    assert fault(splitter) is ByeCode.FRAME_TOO_BIG
    splitter.feed(join(b"x"))
    assert fault(splitter) is ByeCode.FRAME_TOO_BIG, "and stays one"


@pytest.mark.parametrize("size", [1, LIMIT])
def test_the_limit_itself_is_allowed(size: int) -> None:
    splitter = FrameSplitter(LIMIT)
    splitter.feed(join(b"x" * size))
    assert taken(splitter) == [b"x" * size]


@row(2)
def test_an_empty_frame_is_a_fault() -> None:
    """§2.1"""
    splitter = FrameSplitter(LIMIT)
    splitter.feed(bytes(4) * 10_000)
    assert fault(splitter) is ByeCode.FRAME_EMPTY


@row(4)
def test_frames_before_a_bad_one_come_first_and_none_after_it() -> None:
    """§2.3"""
    splitter = FrameSplitter(LIMIT)
    splitter.feed(join(b"a") + join(b"b") + bytes(4) + join(b"c"))
    assert [splitter.next_payload(), splitter.next_payload()] == [b"a", b"b"]
    assert fault(splitter) is ByeCode.FRAME_EMPTY


def test_a_frame_has_begun_from_its_first_byte_to_its_last_but_one() -> None:
    """§8.2"""
    splitter = FrameSplitter(LIMIT)
    seen = [splitter.is_mid_frame]
    for byte in join(b"ab") + join(b"c")[:1]:
        splitter.feed(bytes([byte]))
        seen.append(splitter.is_mid_frame)
    assert seen == [False, *[True] * 5, False, True]


def test_a_new_limit_holds_for_the_headers_to_come() -> None:
    """§2.2: the welcome has been sent."""
    splitter = FrameSplitter(1)
    splitter.feed(join(b"a"))
    splitter.limit = 2
    splitter.feed(join(b"bb"))
    assert taken(splitter) == [b"a", b"bb"]
