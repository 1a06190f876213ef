"""kille_net.wire.messages: what the types promise besides what protocol/ says of them."""

import ast
from pathlib import Path

import msgspec
import pytest
from hypothesis import given

import kille_net.wire
from kille_net.wire import (
    CLIENT_LIMIT,
    COMMANDS,
    MESSAGE_TYPES,
    SERVER_LIMIT,
    AnyMessage,
    Message,
    Ping,
    encode,
    messages,
)
from tests.wire.making import messages as any_messages


def test_a_message_is_frozen_and_made_by_names() -> None:
    with pytest.raises(AttributeError):
        Ping(n=1).n = 2  # type: ignore[misc]  # what may not be done is tried
    with pytest.raises(TypeError):
        Ping(1)  # type: ignore[call-arg]  # what may not be done is tried


@pytest.mark.parametrize("kind", MESSAGE_TYPES.values(), ids=lambda kind: kind.__name__)
def test_a_message_is_strict(kind: type[Message]) -> None:
    config = kind.__struct_config__
    assert config.frozen
    assert config.forbid_unknown_fields
    assert config.tag_field == "t"
    assert not any(field.required is False for field in msgspec.structs.fields(kind)), "no field is optional"


@given(any_messages())
def test_every_message_fits_its_frame(message: AnyMessage) -> None:
    """§2.2"""
    limit = CLIENT_LIMIT if type(message) in COMMANDS else SERVER_LIMIT
    assert len(encode(message)) <= limit


def test_the_surface_is_whole() -> None:
    """All names of messages, and each name of `__all__` once and there."""
    listed = kille_net.wire.__all__
    assert len(listed) == len(set(listed))
    assert all(hasattr(kille_net.wire, name) for name in listed)
    tree = ast.parse(Path(str(messages.__file__)).read_text(encoding="utf-8"))
    named = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    targets = [node.target for node in tree.body if isinstance(node, ast.AnnAssign)]
    named |= {target.id for target in targets if isinstance(target, ast.Name)}
    assert named <= set(listed)
