"""kille_net.wire.codec: payloads to messages and back."""

from typing import Any

import msgpack
import msgspec
import pytest
from hypothesis import given

from kille_net.wire import (
    MESSAGE_TYPES,
    AnyMessage,
    ByeCode,
    CallKuku,
    Decide,
    Do,
    Ping,
    Ready,
    RemoteProtocolError,
    Resumed,
    Welcome,
    decode,
    encode,
)
from tests.catalogue.rows import row
from tests.wire.making import messages, plain_values


def fault(value: object) -> tuple[ByeCode, str]:
    return fault_of(msgpack.packb(value))


def outcome(payload: bytes) -> AnyMessage | RemoteProtocolError:
    try:
        return decode(payload)
    except RemoteProtocolError as error:
        return error


def fault_of(payload: bytes) -> tuple[ByeCode, str]:
    with pytest.raises(RemoteProtocolError) as caught:
        decode(payload)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return caught.value.code, caught.value.place


@given(messages())
def test_a_message_comes_back_as_it_went(message: AnyMessage) -> None:
    assert decode(encode(message)) == message


@given(messages())
def test_the_canonical_form_is_the_tag_the_fields_in_order_and_shortest(message: AnyMessage) -> None:
    """§3.5: the other packer, fed with the fields in their order, writes the same."""
    assert encode(message) == msgpack.packb(msgspec.to_builtins(message))
    assert next(iter(msgspec.to_builtins(message))) == "t"


def test_known_bytes() -> None:
    assert encode(Decide(id=1, turn=7, do=Do.SWAP)).hex() == "84a174a3616374a2696401a47475726e07a2646fa473776170"


def test_a_value_that_is_no_map_is_no_message() -> None:
    for value in (None, True, 1, "ping", ["ping"]):
        assert fault(value) == (ByeCode.BAD_MESSAGE, "")


@row(24)
def test_a_map_without_a_known_tag_is_no_message() -> None:
    others: tuple[dict[str, object], ...] = (
        {},
        {"t": 1},
        {"t": None},
        {"t": ["ping"]},
        {"t": {}},
        {"t": "Ping"},
        {"n": 1},
        {"t": "event"},
    )
    for fields in others:
        assert fault(fields) == (ByeCode.BAD_MESSAGE, "t")


@row(23)
def test_a_key_comes_once() -> None:
    """§3.4"""
    assert fault_of(b"\x83\xa1t\xa4ping\xa1n\x01\xa1n\x01") == (ByeCode.BAD_ENCODING, "")
    assert fault_of(b"\x82\xa1t\xa4ping\xa1n\x81\xa0\x01"[:-3] + b"\x82\xa0\x01\xa0\x01") == (ByeCode.BAD_ENCODING, "")


@row(23)
@pytest.mark.parametrize("key", [1, None, True, -1, (1,), ()])
def test_a_key_is_a_string(key: object) -> None:
    """§3.4"""
    payload = b"\x83" + msgpack.packb({"t": "ping", "n": 1})[1:] + msgpack.packb(key) + b"\x01"
    assert fault_of(payload) == (ByeCode.BAD_ENCODING, "")


def test_a_map_as_a_key_is_refused_although_it_has_no_hash() -> None:
    assert fault_of(b"\x83\xa1t\xa4ping\xa1n\x01\x80\x01") == (ByeCode.BAD_ENCODING, "")
    assert fault_of(b"\x83\xa1t\xa4ping\xa1n\x01\x90\x01") == (ByeCode.BAD_ENCODING, "")


@pytest.mark.parametrize("text", [b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82"])
def test_strings_are_utf_8(text: bytes) -> None:
    """§3.1"""
    payload = b"\x83\xa1t\xa3say\xa2id\x01\xa4text" + bytes([0xA0 + len(text)]) + text
    assert fault_of(payload) == (ByeCode.BAD_ENCODING, "")


VALUES: dict[str, Any] = {
    "nil": None,
    "bool": True,
    "int": 1,
    "str": "x",
    "array": [1, 2],
    "map": {"a": 1},
}


def takes(kind: msgspec.inspect.Type) -> set[str]:
    """Which forms a type may take, whatever their value."""
    match kind:
        case msgspec.inspect.UnionType(types=types):
            return set[str]().union(*map(takes, types))
        case msgspec.inspect.IntType():
            return {"int"}
        case msgspec.inspect.StrType() | msgspec.inspect.EnumType():
            return {"str"}
        case msgspec.inspect.BoolType():
            return {"bool"}
        case msgspec.inspect.NoneType():
            return {"nil"}
        case msgspec.inspect.VarTupleType():
            return {"array"}
        case msgspec.inspect.DictType() | msgspec.inspect.StructType():
            return {"map"}
    raise AssertionError(kind)


MATRIX = [
    (tag, field.name, form)
    for tag, kind in MESSAGE_TYPES.items()
    for field in msgspec.inspect.type_info(kind).fields  # type: ignore[attr-defined]  # of a struct
    for form in VALUES.keys() - takes(field.type)
]


@row(23)
@given(message=messages())
def test_a_field_takes_only_its_own_forms(message: AnyMessage) -> None:
    """§3.3: no bool for a number, no number for a bool, and so on for each field and each form."""
    fields = msgspec.to_builtins(message)
    for tag, name, form in MATRIX:
        if tag == fields["t"]:
            assert fault({**fields, name: VALUES[form]}) == (ByeCode.BAD_FIELD, name)


@row(23)
@given(message=messages())
def test_every_field_is_needed_and_no_other_is_known(message: AnyMessage) -> None:
    fields = msgspec.to_builtins(message)
    for name in fields.keys() - {"t"}:
        rest = {key: value for key, value in fields.items() if key != name}
        assert fault(rest) == (ByeCode.BAD_FIELD, name)
    for name in ("x", "T", "", "ordinary - at `$.seq`", "n` - at `$.n"):
        assert fault({**fields, name: 1}) == (ByeCode.BAD_FIELD, "")


@row(23)
def test_a_bool_is_no_number_nor_a_number_a_bool() -> None:
    """§3.3"""
    assert fault({"t": "ping", "n": True}) == (ByeCode.BAD_FIELD, "n")
    assert fault({"t": "ready", "id": 1, "ready": 1}) == (ByeCode.BAD_FIELD, "ready")
    assert decode(msgpack.packb({"t": "ready", "id": 1, "ready": True})) == Ready(id=1, ready=True)


def test_a_wider_number_is_the_same_number() -> None:
    """§3.3"""
    for form in (b"\xcc\x07", b"\xcd\x00\x07", b"\xce" + b"\0\0\0\x07", b"\xcf" + b"\0" * 7 + b"\x07", b"\xd0\x07"):
        assert decode(b"\x82\xa1n" + form + b"\xa1t\xa4ping") == Ping(n=7)


def test_a_place_has_no_text_of_the_peers() -> None:
    """§10.1: unknown settings and words stay out of it."""
    good = {"t": "welcome", "version": 1, "agent": "", "name": "Ada", "ticket": None, "resumed": "no", "last_id": 0}
    assert decode(msgpack.packb({**good, "settings": {"x": 1}})) == Welcome(
        version=1, agent="", name="Ada", settings={"x": 1}, ticket=None, resumed=Resumed.NO, last_id=0
    )
    assert fault({**good, "settings": {"` - at `$.seq": True}}) == (ByeCode.BAD_FIELD, "settings")
    assert fault({**good, "settings": {"x" * 33: 1}}) == (ByeCode.BAD_FIELD, "settings")
    assert fault({"t": "act", "id": 1, "turn": 1, "do": "x' - at `$.seq`"}) == (ByeCode.BAD_FIELD, "do")


@row(23)
def test_an_unknown_field_of_a_part_has_the_place_of_the_part() -> None:
    """§10.1"""
    state = {"occupant": "empty", "name": "", "ready": False, "away": None, "x": 1}
    room = {"name": "x", "options": {}, "host": "", "locked": False, "status": "open", "seats": [state], "watchers": 0}
    code, place = fault({"t": "snapshot", "seq": 1, "room": room, "view": None, "match": 0, "open": None})
    assert (code, place) in {(ByeCode.BAD_FIELD, "room.options.seats"), (ByeCode.BAD_FIELD, "room.seats[0]")}


def test_kuku_is_no_answer_to_a_question() -> None:
    assert fault({"t": "act", "id": 1, "turn": 1, "do": "kuku"}) == (ByeCode.BAD_FIELD, "do")
    assert fault({"t": "answered", "seq": 1, "seat": 0, "do": "stand"}) == (ByeCode.BAD_FIELD, "do")
    assert decode(encode(CallKuku(id=1, seq=2))) == CallKuku(id=1, seq=2)
    with pytest.raises(ValueError, match="DECISIONS"):
        Decide(id=1, turn=1, do=Do.KUKU)


@row(21, 23)
@given(plain_values())
def test_any_value_is_a_message_or_a_fault(value: object) -> None:
    got = outcome(msgpack.packb(value))
    if isinstance(got, RemoteProtocolError):
        assert len(got.place) <= 64
        assert len(str(got)) <= 200
        assert got.place.isascii()
    else:
        assert decode(encode(got)) == got
