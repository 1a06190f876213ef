"""Messages of every kind for tests: as random as their types allow."""

import string
from typing import Any, cast

import msgspec.inspect
from hypothesis import strategies as st

from kille_net.wire import DECISIONS, MESSAGE_TYPES, REPLIES, AnyMessage, AskAnswered, Decide, Do, Message

NARROWED: dict[type[Message], st.SearchStrategy[Any]] = {
    Decide: st.sampled_from(sorted(DECISIONS)),
    AskAnswered: st.sampled_from(sorted(REPLIES)),
}


def messages() -> st.SearchStrategy[AnyMessage]:
    return st.sampled_from(sorted(MESSAGE_TYPES)).flatmap(lambda tag: of_kind(MESSAGE_TYPES[tag]))


def of_kind(kind: type[Message]) -> st.SearchStrategy[AnyMessage]:
    fields = of_type(msgspec.inspect.type_info(kind))
    return cast("st.SearchStrategy[AnyMessage]", fields)


def of_type(info: msgspec.inspect.Type) -> st.SearchStrategy[Any]:
    """Values of a type that the wire knows; another one is a failure here, so that none is forgotten."""
    match info:
        case msgspec.inspect.StructType(cls=kind, fields=fields):
            parts = {field.name: of_type(field.type) for field in fields}
            if kind in NARROWED:
                parts["do"] = NARROWED[kind]
            return st.builds(kind, **parts)
        case msgspec.inspect.UnionType(types=types):
            return st.one_of(*map(of_type, types))
        case msgspec.inspect.IntType(ge=int(least), le=int(most)):
            return st.integers(least, most)
        case msgspec.inspect.StrType(pattern=str(pattern)):
            return st.from_regex(pattern, fullmatch=True).filter(lambda text: not text.endswith("\n"))
        case msgspec.inspect.StrType(min_length=least, max_length=int(most)):
            return st.text(min_size=least or 0, max_size=most)
        case msgspec.inspect.BoolType():
            return st.booleans()
        case msgspec.inspect.NoneType():
            return st.none()
        case msgspec.inspect.EnumType(cls=words):
            return st.sampled_from(list(words))
        case msgspec.inspect.VarTupleType(item_type=item, min_length=least, max_length=int(most)):
            return st.lists(of_type(item), min_size=least or 0, max_size=most).map(tuple)
        case msgspec.inspect.DictType(key_type=key, value_type=value, max_length=int(most)):
            return st.dictionaries(of_type(key), of_type(value), max_size=most)
    raise AssertionError(info)


def fullest(info: msgspec.inspect.Type) -> object:
    """The value of a type that takes the most room: every part there, every array and text as long as it may be."""
    match info:
        case msgspec.inspect.StructType(cls=kind, fields=fields):
            parts = {field.name: fullest(field.type) for field in fields}
            if kind in NARROWED:
                parts["do"] = Do.ACCEPT
            return kind(**parts)
        case msgspec.inspect.UnionType(types=types):
            return next(fullest(one) for one in types if not isinstance(one, msgspec.inspect.NoneType))
        case msgspec.inspect.IntType(ge=int(least), le=int(most)):
            return max(least, most, key=abs)
        case msgspec.inspect.StrType(pattern=str(), max_length=int(most)):
            return "0" * most
        case msgspec.inspect.StrType(max_length=int(most)):
            return "\U0001f0cf" * most
        case msgspec.inspect.BoolType():
            return True
        case msgspec.inspect.EnumType(cls=words):
            return max(words, key=lambda word: len(str(word)))
        case msgspec.inspect.VarTupleType(item_type=item, max_length=int(most)):
            return (fullest(item),) * most
        case msgspec.inspect.DictType(key_type=key, value_type=value, max_length=int(most)):
            return {f"{fullest(key)}"[2:] + f"{number:02}": fullest(value) for number in range(most)}
    raise AssertionError(info)


def plain_values() -> st.SearchStrategy[Any]:
    """Anything that msgpack can hold, within and without the protocol's forms."""
    scalars = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**63), 2**64 - 1),
        st.floats(),
        st.text(max_size=8),
        st.binary(max_size=8),
        st.sampled_from([*MESSAGE_TYPES, "t", "id", *string.ascii_lowercase]),
    )
    keys = st.one_of(st.text(max_size=4), st.sampled_from(["t", "id", "seq"]), st.integers(0, 9), st.binary(max_size=2))
    return st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=5) | st.dictionaries(keys, inner, max_size=5),
        max_leaves=20,
    )
