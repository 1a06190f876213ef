"""Turns messages into payloads and back (protocol/v1/protocol.md §3, §5): the one place where bytes become values.

Refuses to know states and directions: every message of the version is read, and whether it may come now is decided
elsewhere. What a peer can cause leaves as RemoteProtocolError, and holds no text of the peer's.
"""

import re
from typing import Any, Final, cast, get_args

import msgpack
import msgspec

from kille_net.wire.errors import RemoteProtocolError
from kille_net.wire.messages import AnyMessage, ByeCode, Message
from kille_net.wire.scan import MAX_ARRAY, MAX_MAP, MAX_STRING, scan

MESSAGE_TYPES: Final[dict[str, type[Message]]] = {
    str(kind.__struct_config__.tag): kind for kind in cast("tuple[type[Message], ...]", get_args(AnyMessage))
}
"""Every message of this version by its tag."""

_UNKNOWN: Final = "Object contains unknown field `"
_MISSING: Final = re.compile(r"\AObject missing required field `(\w+)`")
_PATH: Final = re.compile(r" - at `(?:key` in `)?\$\.([a-z_.\[\]0-9]{1,48}?)(?:\[\.\.\.\])?`\Z")

_ENCODER: Final = msgspec.msgpack.Encoder()


def encode(message: Message) -> bytes:
    """Pack a message in its one canonical form: the tag first, the fields in their order, shortest encodings."""
    return _ENCODER.encode(message)


def decode(payload: bytes) -> AnyMessage:
    """Read one message from a whole payload, or raise RemoteProtocolError.

    Of the codes only `bad_encoding`, `too_complex`, `bad_message` and `bad_field` come from here (§10.1).
    """
    scan(payload)
    try:
        fields: Any = msgpack.unpackb(
            payload,
            strict_map_key=True,
            object_pairs_hook=_unique,
            max_str_len=MAX_STRING,
            max_bin_len=0,
            max_ext_len=0,
            max_array_len=MAX_ARRAY,
            max_map_len=MAX_MAP,
        )
    except ValueError:
        raise RemoteProtocolError(ByeCode.BAD_ENCODING) from None
    if type(fields) is not dict:
        raise RemoteProtocolError(ByeCode.BAD_MESSAGE)
    tag = fields.get("t")
    kind = MESSAGE_TYPES.get(tag) if type(tag) is str else None
    if kind is None:
        raise RemoteProtocolError(ByeCode.BAD_MESSAGE, "t")
    try:
        return cast("AnyMessage", msgspec.convert(fields, kind, strict=True))
    except msgspec.ValidationError as error:
        complaint = str(error)
        if complaint.startswith(_UNKNOWN) and not fields.keys() <= {"t", *kind.__struct_encode_fields__}:
            # The complaint ends with the peer's own text, which may look like a place.
            raise RemoteProtocolError(ByeCode.BAD_FIELD) from None
        raise RemoteProtocolError(ByeCode.BAD_FIELD, _place(complaint)) from None


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A map from its pairs, none of whose keys may come twice (§3.4)."""
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise RemoteProtocolError(ByeCode.BAD_ENCODING)
    return fields


def _place(complaint: str) -> str:
    """The place of a fault (§10.1) from msgspec's words, of which only names and indexes of ours are taken.

    An unknown field has the place of the map that holds it, since its name is the peer's.
    """
    found = _PATH.search(complaint)
    path = found[1] if found else ""
    missing = _MISSING.search(complaint)
    if missing is None:
        return path
    return f"{path}.{missing[1]}" if path else missing[1]
