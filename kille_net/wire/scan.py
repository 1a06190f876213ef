"""Checks that bytes are one msgpack value of the forms that the protocol allows (protocol/v1/protocol.md §3).

Works on the bytes alone and builds nothing, so that no limit depends on a decoder's way of allocating, and both of
msgpack's engines see only what both read alike. Refuses to know what the value means. Duplicate keys, keys that are no
strings and bad UTF-8 are left to the decoder, which finds them for nothing.
"""

from typing import Final

from kille_net.wire.errors import RemoteProtocolError
from kille_net.wire.messages import ByeCode

MAX_DEPTH: Final = 6
MAX_ITEMS: Final = 256
MAX_ARRAY: Final = 64
MAX_MAP: Final = 32
MAX_STRING: Final = 1024
"""Bytes of UTF-8."""
MIN_INT: Final = -(2**31)
MAX_INT: Final = 2**31 - 1

_WIDTHS: Final[dict[int, int]] = {
    **dict.fromkeys(range(0x80), 0),  # positive fixint
    **{0xA0 + size: size for size in range(0x20)},  # fixstr
    **dict.fromkeys((0xC0, 0xC2, 0xC3), 0),  # nil, false, true
    0xCC: 1,
    0xCD: 2,
    0xD0: 1,
    0xD1: 2,
    0xD2: 4,  # integers that 32 bits always hold
    **dict.fromkeys(range(0xE0, 0x100), 0),  # negative fixint
}
_FOLLOWS: Final = tuple(_WIDTHS.get(head, -1) for head in range(0x100))
"""First byte → how many bytes belong to it, for the values that need no further check; −1: look closer."""

_WIDE_INT: Final = {0xCE: (4, False), 0xCF: (8, False), 0xD3: (8, True)}
"""First byte → size and sign of the integers that may pass 32 bits."""
_STRING: Final = {0xD9: 1, 0xDA: 2, 0xDB: 4}
"""First byte → size of the length that follows."""
_ARRAY: Final = {**dict.fromkeys(range(0x90, 0xA0), 0), 0xDC: 2, 0xDD: 4}
"""First byte → size of the count that follows; 0: the count is in the byte's low half."""
_MAP: Final = {**dict.fromkeys(range(0x80, 0x90), 0), 0xDE: 2, 0xDF: 4}


def scan(payload: bytes) -> None:
    """Raise RemoteProtocolError `bad_encoding` or `too_complex` unless `payload` may be decoded (§3)."""
    size = len(payload)
    position = 0
    items = missing = 1
    outer: list[int] = []
    while missing or outer:
        if not missing:
            missing = outer.pop()
            continue
        missing -= 1
        if position >= size:
            raise RemoteProtocolError(ByeCode.BAD_ENCODING)
        head = payload[position]
        position += 1
        follows = _FOLLOWS[head]
        if follows >= 0:
            position += follows
        elif head in _ARRAY or head in _MAP:
            is_map = head in _MAP
            width = _MAP[head] if is_map else _ARRAY[head]
            count = _number(payload, position, width) if width else head & 0x0F
            position += width
            _limit(count, MAX_MAP if is_map else MAX_ARRAY)
            outer.append(missing)
            _limit(len(outer), MAX_DEPTH)
            missing = 2 * count if is_map else count
            items += missing
            _limit(items, MAX_ITEMS)
        elif head in _STRING:
            width = _STRING[head]
            length = _number(payload, position, width)
            _limit(length, MAX_STRING)
            position += width + length
        elif head in _WIDE_INT:
            width, signed = _WIDE_INT[head]
            if not MIN_INT <= _number(payload, position, width, signed=signed) <= MAX_INT:
                raise RemoteProtocolError(ByeCode.BAD_ENCODING)
            position += width
        else:
            # bin, ext, float, and 0xC1, which msgpack does not use
            raise RemoteProtocolError(ByeCode.BAD_ENCODING)
    if position != size:
        raise RemoteProtocolError(ByeCode.BAD_ENCODING)


def _number(payload: bytes, position: int, width: int, *, signed: bool = False) -> int:
    end = position + width
    if end > len(payload):
        raise RemoteProtocolError(ByeCode.BAD_ENCODING)
    return int.from_bytes(payload[position:end], "big", signed=signed)


def _limit(number: int, most: int) -> None:
    if number > most:
        raise RemoteProtocolError(ByeCode.TOO_COMPLEX)
