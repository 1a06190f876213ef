"""schema.json and the types of kille_net.wire say the same, both ways and completely."""

import json
from typing import Any, Final, TypeAlias

import jsonschema
import msgspec

from kille_net.wire import (
    ANSWERS,
    CLIENT_LIMIT,
    COMMANDS,
    DECISIONS,
    EVENTS,
    GREETING_LIMIT,
    HEADER_SIZE,
    HOST_ONLY,
    LISTS,
    MESSAGE_TYPES,
    PLACES,
    REPLIES,
    SERVER_LIMIT,
    TRANSITIONS,
    VERSIONS,
    AskAnswered,
    ByeCode,
    Decide,
    Do,
    Message,
    RefusalCode,
    Role,
    scan,
)
from tests.each import each
from tests.protocol.documents import Vector, prose, schema, sections, talks, vectors

Node: TypeAlias = Any
"""A JSON value."""

DEFS: dict[str, Any] = schema()["$defs"]
IGNORED = {"description", "title", "x-direction", "default"}
NARROWED: Final[dict[type[Message], frozenset[Do]]] = {Decide: DECISIONS, AskAnswered: REPLIES}


def tag(kind: type[Message]) -> str:
    return str(kind.__struct_config__.tag)


def normal(node: Node, defs: dict[str, Node]) -> Node:
    """A schema in one form: references followed, sets sorted, prose and what says nothing left out."""
    if isinstance(node, list):
        return [normal(item, defs) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return normal(defs[node["$ref"].rsplit("/", 1)[1]], defs)
    found = {key: normal(value, defs) for key, value in node.items() if key not in IGNORED}
    if "const" in found:
        found["enum"] = [found.pop("const")]
    for key in ("enum", "required"):
        if key in found:
            found[key] = sorted(found[key])
    if "anyOf" in found:
        found["anyOf"] = sorted(found["anyOf"], key=repr)
    return found


def of_code(kind: type[Message]) -> Node:
    (found,), defs = msgspec.json.schema_components([kind], ref_template="#/{name}")
    found = normal(found, defs)
    if kind in NARROWED:
        found["properties"]["do"]["enum"] = sorted(NARROWED[kind])
    return found


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    assert schema()["x-version"] in VERSIONS


def test_both_have_the_same_messages() -> None:
    assert {f"message_{name}" for name in MESSAGE_TYPES} == {name for name in DEFS if name.startswith("message_")}
    assert [one["$ref"] for one in schema()["oneOf"]] == [
        f"#/$defs/{name}" for name in DEFS if name.startswith("message_")
    ]


@each(sorted(MESSAGE_TYPES))
def test_a_message_has_the_same_fields_types_and_limits(name: str) -> None:
    assert normal(DEFS[f"message_{name}"], DEFS) == of_code(MESSAGE_TYPES[name])


@each(sorted(MESSAGE_TYPES))
def test_the_fields_have_the_same_order(name: str) -> None:
    fields = ["t", *MESSAGE_TYPES[name].__struct_encode_fields__]
    assert list(DEFS[f"message_{name}"]["properties"]) == fields, "§3.5"


@each(sorted(MESSAGE_TYPES))
def test_the_prose_has_the_message_and_its_fields(name: str) -> None:
    row = next(line for line in sections()["5.2"].splitlines() if line.startswith(f"| `{name}` |"))
    common = {"seq"} if MESSAGE_TYPES[name] in EVENTS else set()
    for field in set(MESSAGE_TYPES[name].__struct_encode_fields__) - common:
        assert f"`{field}`" in row


def test_who_may_say_what_in_which_state() -> None:
    ours = {
        state.value: {
            role.value: {tag(kind): after.value for kind, after in row.items()} for role, row in by_role.items()
        }
        for state, by_role in TRANSITIONS.items()
    }
    assert schema()["x-states"] == ours


@each(sorted(MESSAGE_TYPES))
def test_the_direction_of_a_message_is_that_of_its_states(name: str) -> None:
    says = {role.value for by_role in schema()["x-states"].values() for role in Role if name in by_role[role.value]}
    direction = DEFS[f"message_{name}"]["x-direction"]
    assert says == ({"client", "server"} if direction == "both" else {direction})


def test_which_command_means_something_where() -> None:
    assert schema()["x-places"] == {
        tag(kind): {
            "where": [place for place in ("lobby", "watching", "seated") if place in {p.value for p in places}],
            "host": kind in HOST_ONLY,
        }
        for kind, places in PLACES.items()
    }
    assert set(PLACES) == set(COMMANDS)


def test_which_command_is_answered_with_a_list() -> None:
    """§5.3"""
    assert schema()["x-lists"] == {tag(command): tag(answer) for command, answer in LISTS.items()}


def test_a_command_has_an_id_and_an_answer_too() -> None:
    """§5.3"""
    assert all(kind.__struct_fields__[0] == "id" for kind in (*COMMANDS, *ANSWERS))
    assert all(kind.__struct_fields__[0] == "seq" for kind in EVENTS), "§7.1"


def test_the_errors_are_the_same() -> None:
    errors = schema()["x-errors"]
    assert list(errors["bye"]) == [code.value for code in ByeCode]
    assert set(errors["no"]) == {code.value for code in RefusalCode}
    assert [code for code, entry in errors["bye"].items() if entry["fault"]] == list(errors["bye"])[:8]
    assert all(entry["closes"] for entry in errors["bye"].values())
    assert not any(entry["closes"] for entry in errors["no"].values())


@each(ByeCode)
def test_the_prose_explains_a_code_of_bye(code: ByeCode) -> None:
    assert f"| `{code.value}` |" in sections()["10.2"]


@each(RefusalCode)
def test_the_prose_explains_a_code_of_no(code: RefusalCode) -> None:
    assert f"`{code.value}`" in sections()["10.3"]


def test_the_limits_are_the_same() -> None:
    """§2.2, §3.2"""
    assert schema()["x-limits"] == {
        "header": HEADER_SIZE,
        "frame_client_greeting": GREETING_LIMIT,
        "frame_client": CLIENT_LIMIT,
        "frame_server": SERVER_LIMIT,
        "depth": scan.MAX_DEPTH,
        "items": scan.MAX_ITEMS,
        "array": scan.MAX_ARRAY,
        "map": scan.MAX_MAP,
        "string_bytes": scan.MAX_STRING,
        "integer_min": scan.MIN_INT,
        "integer_max": scan.MAX_INT,
    }


def test_the_bits_of_a_set_of_actions_follow_the_words() -> None:
    words = [f"{bit} `{word.value}`" for bit, word in enumerate(Do)]
    assert f"bit {', '.join(words)}" in sections()["5.1"]


VALIDATOR = jsonschema.Draft202012Validator(schema())


@each([*vectors("valid"), *vectors("tolerated")])
def test_the_schema_takes_a_good_message(vector: Vector) -> None:
    VALIDATOR.validate(vector.message)


def test_the_schema_takes_what_is_said_in_sessions() -> None:
    for talk in talks():
        for line in talk.lines:
            if line.message is not None:
                VALIDATOR.validate(line.message)


def test_the_example_of_the_prose_is_the_session() -> None:
    """§13"""
    talk = next(talk for talk in talks() if talk.name.startswith("sessions/two_seats.json[0]"))
    long = {"view", "room", "options", "settings"}
    lines = []
    for line in talk.lines:
        assert line.message is not None
        fields = {k: "…" if k in long and not isinstance(v, str) else v for k, v in line.message.items()}
        lines.append(f"{'>' if line.sender is Role.CLIENT else '<'} {json.dumps(fields, ensure_ascii=False)}")
    assert sections()["13"].split("```")[1].strip().splitlines() == lines
    assert "two_seats.json" in prose()
