"""Lines that are no lines of a record: one fault each, and the sentence that names it."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kille_net.game.reading import parse_line, read_json
from kille_net.game.record import RecordError
from tests.game.worked import codes, pack

PACK = codes(pack("4 9")).split()
MATCH: dict[str, Any] = {
    "type": "match",
    "v": 1,
    "rules_version": 1,
    "id": "00" * 16,
    "rules": {"format": "pots", "length": "standard", "dealt_harlekin": "high", "pots": 12},
    "seats": [{"name": "Åsa"}, {"name": "Datorn", "bot": "careful"}],
    "first_dealer": 1,
    "shuffle": {"kind": "seeded", "seed": ""},
}
HAND: dict[str, Any] = {
    "type": "hand",
    "n": 1,
    "pot": 1,
    "dealer": 1,
    "lives": [3, 3],
    "packs": [PACK],
    "actions": [{"seat": 0, "do": "stand", "t": 0, "by": "clock"}, {"seat": 1, "do": "stand"}],
    "cards": ["4", "9"],
    "struck": [],
    "low_harlekins": [],
    "lost": [0],
    "lives_after": [2, 3],
}
POT: dict[str, Any] = {"type": "pot", "n": 1, "winner": 0, "points": [1, 0]}
END: dict[str, Any] = {"type": "end", "winner": None, "reason": "rain", "points": [1, 0]}
LINES = (MATCH, HAND, POT, END)
GONE = object()

INTEGER = '"{}" must be an integer, 0 or more'
POSITIVE = '"{}" must be an integer, 1 or more'
INTEGERS = '"{}" must be a list of integers, 0 or more'
NOT_A_PACK = "a pack must be the 42 cards, two of each kind"
NOT_A_CARD = "a card must be one of the 21 codes"
ACTIONS = '"do" must be one of stand, swap, kuku, ask, accept, refuse, depends'
SECONDS = '"t" must be a number of seconds'

FAULTS: list[tuple[dict[str, Any], str, object, str]] = [
    (MATCH, "v", 2, 'its "v" is not 1, the only shape of records that this version reads'),
    (MATCH, "v", True, INTEGER.format("v")),
    (MATCH, "rules_version", "1", INTEGER.format("rules_version")),
    (MATCH, "id", 0, '"id" must be a string'),
    (MATCH, "id", "00" * 15, '"id" must be 32 hexadecimal digits'),
    (MATCH, "id", "0A" * 16, '"id" must be 32 hexadecimal digits'),
    (MATCH, "id", " " * 32, '"id" must be 32 hexadecimal digits'),
    (MATCH, "rules", [], '"rules" must be an object'),
    (MATCH, "rules", {**MATCH["rules"], "format": "poker"}, '"format" must be one of pots, sticks'),
    (MATCH, "rules", {**MATCH["rules"], "format": []}, '"format" must be a string'),
    (MATCH, "rules", {**MATCH["rules"], "length": "?"}, '"length" must be one of short, standard, long'),
    (MATCH, "rules", {**MATCH["rules"], "dealt_harlekin": ""}, '"dealt_harlekin" must be one of high, low'),
    (MATCH, "rules", {**MATCH["rules"], "pots": 0}, POSITIVE.format("pots")),
    *(
        (MATCH, "rules", {k: v for k, v in MATCH["rules"].items() if k != key}, f'"{key}" is missing')
        for key in MATCH["rules"]
    ),
    (MATCH, "seats", {}, '"seats" must be a list of 2 to 8'),
    (MATCH, "seats", [{"name": "Åsa"}], '"seats" must be a list of 2 to 8'),
    (MATCH, "seats", [{"name": "Åsa"}] * 9, '"seats" must be a list of 2 to 8'),
    (MATCH, "seats", ["Åsa", "Bo"], '"seats" must hold objects'),
    (MATCH, "seats", [{}, {}], '"name" is missing'),
    (MATCH, "seats", [{"name": None}, {"name": ""}], '"name" must be a string'),
    (MATCH, "seats", [{"name": "", "bot": None}, {"name": ""}], '"bot" must be a string'),
    (MATCH, "first_dealer", 2, '"first_dealer" must be a seat of the table'),
    (MATCH, "first_dealer", -1, INTEGER.format("first_dealer")),
    (MATCH, "shuffle", "seeded", '"shuffle" must be an object'),
    (MATCH, "shuffle", {}, '"kind" is missing'),
    (MATCH, "shuffle", {"kind": 1}, '"kind" must be a string'),
    (HAND, "n", 0, POSITIVE.format("n")),
    (HAND, "n", 1.0, POSITIVE.format("n")),
    (HAND, "pot", 0, POSITIVE.format("pot")),
    (HAND, "pot", False, POSITIVE.format("pot")),
    (HAND, "dealer", None, INTEGER.format("dealer")),
    (HAND, "dealer", 2, '"dealer" must be a seat of the table'),
    (HAND, "lives", 3, INTEGERS.format("lives")),
    (HAND, "lives", [3, "3"], INTEGERS.format("lives")),
    (HAND, "lives", [3, True], INTEGERS.format("lives")),
    (HAND, "lives", [3, -1], INTEGERS.format("lives")),
    (HAND, "lives", [3], '"lives" must be those of 2 to 8 seats'),
    (HAND, "lives", [3] * 9, '"lives" must be those of 2 to 8 seats'),
    (HAND, "lives", [0, 3], "fewer than two seats have lives"),
    (HAND, "lives", [3, 0, 3], "the dealer has no lives"),
    (HAND, "packs", PACK, NOT_A_PACK),
    (HAND, "packs", {}, '"packs" must be a list'),
    (HAND, "packs", [PACK[:-1]], NOT_A_PACK),
    (HAND, "packs", [PACK, [*PACK[:-1], "1"]], NOT_A_PACK),
    (HAND, "packs", [" ".join(PACK)], NOT_A_PACK),
    (HAND, "packs", [[*PACK[:-1], "joker"]], NOT_A_CARD),
    (HAND, "packs", [[*PACK[:-1], 20]], NOT_A_CARD),
    (HAND, "packs", [[*PACK[:-1], None]], NOT_A_CARD),
    (HAND, "packs", [[*PACK[:-1], ["harlekin"]]], NOT_A_CARD),
    (HAND, "actions", {}, '"actions" must be a list'),
    (HAND, "actions", ["stand"], "an action must be an object"),
    (HAND, "actions", [{"seat": 0}], '"do" is missing'),
    (HAND, "actions", [{"seat": 0, "do": 0}], '"do" must be a string'),
    (HAND, "actions", [{"seat": 0, "do": "STAND"}], ACTIONS),
    (HAND, "actions", [{"do": "stand"}], '"seat" is missing'),
    (HAND, "actions", [{"seat": "0", "do": "stand"}], '"seat" must be an integer'),
    (HAND, "actions", [{"seat": 0, "do": "stand", "t": -1}], SECONDS),
    (HAND, "actions", [{"seat": 0, "do": "stand", "t": "1"}], SECONDS),
    (HAND, "actions", [{"seat": 0, "do": "stand", "t": True}], SECONDS),
    (HAND, "actions", [{"seat": 0, "do": "stand", "by": "me"}], '"by" must be one of player, clock, stand-in'),
    (HAND, "cards", "4 9", '"cards" must be a list'),
    (HAND, "cards", ["4", "joker"], NOT_A_CARD),
    (HAND, "struck", None, INTEGERS.format("struck")),
    (HAND, "low_harlekins", 0, INTEGERS.format("low_harlekins")),
    (HAND, "lost", [None], INTEGERS.format("lost")),
    (HAND, "lives_after", [[]], INTEGERS.format("lives_after")),
    (POT, "n", 0, POSITIVE.format("n")),
    (POT, "winner", None, INTEGER.format("winner")),
    (POT, "points", None, INTEGERS.format("points")),
    (END, "winner", -1, INTEGER.format("winner")),
    (END, "reason", None, '"reason" must be a string'),
    (END, "points", "1 0", INTEGERS.format("points")),
    *((line, key, GONE, f'"{key}" is missing') for line in LINES for key in line if key != "type"),
    *(
        (line, "type", kind, 'a line whose "type" is none of match, hand, pot and end')
        for line in LINES
        for kind in ("round", "Match", None, 1, [], {}, GONE)
    ),
]


def fault(line: dict[str, Any], key: str, value: object) -> str:
    told = {k: v for k, v in line.items() if k != key}
    return json.dumps(told if value is GONE else told | {key: value})


@pytest.mark.parametrize("line", LINES, ids=lambda line: line["type"])
def test_the_lines_without_a_fault_are_read(line: dict[str, Any]) -> None:
    assert json.loads(json.dumps(parse_line(json.dumps(line)).to_object())) == line


@pytest.mark.parametrize(
    ("line", "key", "value", "text"),
    FAULTS,
    ids=[f"{line['type']}-{key}-{k}" for k, (line, key, *_) in enumerate(FAULTS)],
)
def test_a_line_with_one_fault(line: dict[str, Any], key: str, value: object, text: str) -> None:
    with pytest.raises(RecordError) as caught:
        parse_line(fault(line, key, value))
    assert (caught.value.text, caught.value.line) == (text, None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null null",
        "{'type': 'end'}",
        '{"type": "end", "type": "pot"}',
        '{"t": NaN}',
        '{"t": -Infinity}',
        '{"t": ' + "9" * 5_000 + "}",
        '{"t": ' + "[" * 100_000 + "}",
        "\ufeff{}",
        b"\xff{}",
        b'{"type": "\xe5"}',
        '{"type": "end"}'.encode("utf-16"),
    ],
    ids=range(13),
)
def test_no_json(text: str | bytes) -> None:
    with pytest.raises(RecordError, match=r"^not a line of JSON(: .+)?$"):
        parse_line(text)


@pytest.mark.parametrize("text", ["null", "[]", '"hand"', "1", "true", "1e999"])
def test_no_object(text: str) -> None:
    with pytest.raises(RecordError, match=r"^not a JSON object$"):
        parse_line(text)


def test_an_endless_time_is_none() -> None:
    line = json.dumps(HAND).replace('"t": 0', '"t": 1e999')
    with pytest.raises(RecordError, match="seconds"):
        parse_line(line)


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["", *PACK]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=10,
)


@given(st.sampled_from(LINES), st.data())
def test_a_line_with_any_value_anywhere_is_read_or_refused(line: dict[str, Any], data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(list(line)))
    with suppress(RecordError):
        parse_line(fault(line, key, data.draw(ANY_JSON)))


@given(st.text() | st.binary())
def test_any_text_is_read_or_refused(text: str | bytes) -> None:
    with pytest.raises(RecordError):
        parse_line(text)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"a": 1, "a": 1}', 'not a line of JSON: the key "a" comes twice'),
        ('{"a": {"\\u001b": 1, "\\u001b": 1}}', 'not a line of JSON: the key "\\u001b" comes twice'),
        ('{"a": NaN}', "not a line of JSON: NaN is no number there"),
        ('{"a": [-Infinity]}', "not a line of JSON: -Infinity is no number there"),
        ('\ufeff{"a": 1}', "not a line of JSON: it begins with a byte order mark; save the file as UTF-8 without one"),
    ],
)
def test_what_other_tools_let_pass_is_named(line: str, told: str) -> None:
    for text in (line, line.encode()):
        with pytest.raises(RecordError) as error:
            read_json(text)
        assert error.value.text == told
