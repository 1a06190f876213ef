"""The referee: answers to hands that somebody wrote down, playable or not (record.md)."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kille_net.game.judge import Referee
from kille_net.game.record import HandLine, to_json
from kille_net.game.rules import RULES_VERSION
from tests.game.playing import some_matches
from tests.game.test_reading import ANY_JSON, GONE, fault
from tests.game.worked import codes, pack


def packs(*tops: str) -> list[list[str]]:
    return [codes(pack(top)).split() for top in tops]


HAND: dict[str, Any] = {
    "type": "hand",
    "lives": [3, 3, 3],
    "dealer": 2,
    "packs": packs("4 5 6"),
    "actions": [{"seat": 0, "do": "swap"}, {"seat": 1, "do": "stand"}],
}
DOCUMENT = Path(__file__).parents[2] / "protocol" / "record.md"
OTHER_RULES = "it was played by another version of the rules than 1, the one judged by here"


def judge(*lines: object) -> dict[str, Any] | None:
    """The answer to the last line."""
    referee = Referee()
    judged = None
    for line in lines:
        judged = referee.judge(line if isinstance(line, str | bytes) else json.dumps(line))
    return None if judged is None else judged.answer


def test_a_hand_that_is_over_and_one_that_is_not() -> None:
    opened = judge(HAND)
    assert opened == {"done": False, "to_act": 2, "cards": ["5", "4", "6"], "struck": [], "face_up": []}
    over = judge({**HAND, "actions": [*HAND["actions"], {"seat": 2, "do": "stand"}]})
    assert over == {
        "done": True,
        "cards": ["5", "4", "6"],
        "struck": [],
        "low_harlekins": [],
        "lost": [1],
        "lives_after": [3, 2, 3],
    }


def test_whose_answer_is_open() -> None:
    """Rule F4: the seat on turn, the dealer asked, the middle seat."""
    for asked, to_act in (([], 0), ([(0, "ask")], 2), ([(0, "ask"), (2, "depends")], 1)):
        answer = judge({**HAND, "actions": [{"seat": seat, "do": do} for seat, do in asked]})
        assert answer is not None
        assert answer["to_act"] == to_act


@pytest.mark.parametrize(
    ("key", "value", "text", "at"),
    [
        ("lives", GONE, '"lives" is missing', None),
        ("lives", [3], '"lives" must be those of 2 to 8 seats', None),
        ("lives", [0, 0, 3], "fewer than two seats have lives", None),
        ("dealer", 3, '"dealer" must be a seat of the table', None),
        ("lives", [3, 3, 0], "the dealer has no lives", None),
        ("packs", [["4"]], "a pack must be the 42 cards, two of each kind", None),
        ("packs", [], "a pack is needed that is not there", None),
        ("actions", GONE, '"actions" must be a list', None),
        ("actions", "swap", '"actions" must be a list', None),
        ("rules", [], '"rules" must be an object', None),
        ("rules", {"format": "whist"}, '"format" must be one of pots, sticks', None),
        ("rules", None, '"rules" must be an object', None),
        ("actions", [{"seat": 1, "do": "stand"}], "it is not the turn of the seat", 0),
        ("actions", [{"seat": 0, "do": "stand"}, {"seat": 0, "do": "stand"}], "it is not the turn of the seat", 1),
        ("actions", [{"seat": 0, "do": "kuku"}], "the seat holds no Kuku", 0),
        ("actions", [{"seat": 0, "do": "accept"}], "the seat was not asked for better cards", 0),
        ("actions", [{"seat": 3, "do": "stand"}], "the seat is not in the hand", 0),
        ("actions", [{"seat": -1, "do": "kuku"}], "the seat is not in the hand", 0),
        ("actions", [{"seat": 10**40, "do": "stand"}], "the seat is not in the hand", 0),
        (
            "actions",
            [{"seat": 0, "do": "ask"}, {"seat": 2, "do": "stand"}],
            "the seat must answer the ask for better cards first",
            1,
        ),
        (
            "actions",
            [{"seat": 0, "do": "ask"}, {"seat": 2, "do": "accept"}],
            "the seat cannot answer the ask for better cards so",
            1,
        ),
        (
            "actions",
            [{"seat": 0, "do": "ask"}, {"seat": 2, "do": "refuse"}, {"seat": 0, "do": "ask"}],
            "the seat cannot ask for better cards now",
            2,
        ),
        (
            "actions",
            [{"seat": 0, "do": "ask"}, {"seat": 2, "do": "depends"}, {"seat": 1, "do": "accept"}],
            "a pack is needed that is not there",
            2,
        ),
        ("actions", [{"seat": seat, "do": "stand"} for seat in (0, 1, 2, 0)], "the hand is over", 3),
        ("actions", [{"seat": 0, "do": "stand"}, {"seat": 1, "do": "pass"}], '"do" must be one of ', 1),
        ("actions", [{"seat": 0, "do": "stand"}, None], "an action must be an object", 1),
        ("actions", [{"seat": 1, "do": "stand"}, None], "it is not the turn of the seat", 0),
        ("actions", [{"seat": True, "do": "stand"}], '"seat" must be an integer', 0),
    ],
)
def test_a_hand_that_cannot_be_played(key: str, value: object, text: str, at: int | None) -> None:
    answer = judge(fault(HAND, key, value))
    assert answer is not None
    assert answer["error"].startswith(text)
    assert answer["at"] == at
    assert list(answer) == ["error", "at"]


def test_a_redeal_at_the_deal_that_is_not_there_is_wrong_before_the_first_action() -> None:
    """Rule F5."""
    told = {**HAND, "lives": [3, 3], "dealer": 1, "packs": packs("harlekin 5"), "actions": []}
    assert judge(told) == {"error": "a pack is needed that is not there", "at": None}


def test_packs_left_over_are_ignored() -> None:
    assert judge({**HAND, "packs": packs("4 5 6", "1 2 3")}) == judge(HAND)


def test_whose_rules_judge() -> None:
    """Rule G3: a duel in `sticks` does not end with a Kuku that is dealt, one in `pots` does."""
    told = {"type": "hand", "lives": [1, 1], "dealer": 1, "packs": packs("kuku 5"), "actions": []}
    match = {"type": "match", "rules": {"format": "sticks"}}
    own = {"rules": {"format": "pots", "dealt_harlekin": "low"}}

    def done(*lines: object) -> bool:
        answer = judge(*lines)
        assert answer is not None
        return bool(answer["done"])

    assert done(told)  # the default
    assert not done(match, told)  # the match line's
    assert done(match, told | own)  # the hand's own
    assert done(match, {"type": "match"}, told)  # the last match line's, which says nothing
    assert done(match, told | {"rules": {}})
    assert not done(match, {"type": "hand"}, {"type": "pot"}, told)


def test_a_match_line_that_cannot_be_followed_spoils_the_hands_after_it_alone() -> None:
    later = {"type": "match", "rules_version": RULES_VERSION + 1}
    assert judge(later) is None
    assert judge(later, HAND) == {"error": OTHER_RULES, "at": None}
    assert judge({"type": "match", "rules": 1}, HAND) == {"error": '"rules" must be an object', "at": None}
    assert judge(later, {**HAND, "rules": {}}) == judge(HAND)
    assert judge(later, {"type": "match"}, HAND) == judge(HAND)


def test_other_lines_get_no_answer() -> None:
    for line in ({"type": "pot"}, {"type": "end"}, {"type": "match"}, {"type": None}, {"type": ["hand"]}):
        assert judge(line) is None


def test_a_line_without_a_type_is_a_hand() -> None:
    assert judge({key: value for key, value in HAND.items() if key != "type"}) == judge(HAND)
    assert judge({}) == {"error": '"lives" is missing', "at": None}


def test_what_is_no_object_is_answered() -> None:
    assert judge("x") == {"error": "not a line of JSON", "at": None}
    assert judge(b"\xff") == {"error": "not a line of JSON", "at": None}
    assert judge("[]") == {"error": "not a JSON object", "at": None}


def test_the_names_of_the_seats() -> None:
    referee = Referee()
    assert referee.names == ()
    for seats, names in (
        ([{"name": "Åsa"}, {"name": "Bo"}], ("Åsa", "Bo")),
        ([{"name": "Åsa"}, {"name": 1}, "Bo", {}], ("Åsa",)),
        ("Åsa", ()),
    ):
        referee.judge(json.dumps({"type": "match", "seats": seats}))
        assert referee.names == names


@pytest.mark.parametrize("number", range(30))
def test_the_referee_agrees_with_the_record_of_a_match(number: int) -> None:
    lines, _, _ = some_matches(number)
    referee = Referee()
    for line in lines:
        judged = referee.judge(to_json(line))
        if isinstance(line, HandLine):
            assert judged is not None
            assert judged.playable
            assert line.outcome is not None
            assert judged.answer == {"done": True} | line.outcome.to_object()
        else:
            assert judged is None


SHAPE = {"error": {"error", "at"}, True: {"done", "cards", "struck", "low_harlekins", "lost", "lives_after"}}
OPEN = {"done", "to_act", "cards", "struck", "face_up"}


def assert_is_an_answer(line: str | bytes) -> None:
    judged = Referee().judge(line)
    if judged is None:
        return
    answer = json.loads(json.dumps(judged.answer))
    assert answer == judged.answer
    if judged.playable:
        assert set(answer) == (SHAPE[True] if answer["done"] else OPEN)
    else:
        assert set(answer) == SHAPE["error"]
        assert type(answer["error"]) is str
        assert answer["at"] is None or answer["at"] >= 0


@given(st.text() | st.binary() | ANY_JSON.map(json.dumps))
def test_any_line_is_answered(line: str | bytes) -> None:
    assert_is_an_answer(line)


@given(st.sampled_from([*HAND, "rules"]), ANY_JSON)
def test_a_hand_with_any_value_anywhere_is_answered(key: str, value: object) -> None:
    assert_is_an_answer(fault(HAND, key, value))


MOVES = st.fixed_dictionaries(
    {
        "seat": st.integers(-1, 8) | ANY_JSON,
        "do": st.sampled_from(["stand", "swap", "kuku", "ask", "accept", "refuse", "depends"]) | ANY_JSON,
    }
)


@given(
    st.lists(st.integers(0, 2), min_size=1, max_size=9),
    st.integers(-1, 8),
    st.lists(st.integers(), max_size=3),
    st.lists(MOVES, max_size=20),
    st.sampled_from([{}, {"format": "sticks"}, {"dealt_harlekin": "low"}]),
)
def test_a_hand_of_any_moves_is_answered(
    lives: list[int], dealer: int, shuffles: list[int], moves: list[object], rules: dict[str, str]
) -> None:
    order = packs("")[0]
    told = {
        "type": "hand",
        "rules": rules,
        "lives": lives,
        "dealer": dealer,
        "packs": [Random(seed).sample(order, 42) for seed in shuffles],
        "actions": moves,
    }
    assert_is_an_answer(json.dumps(told))


@given(st.integers(0, 27), st.data())
def test_a_hand_of_a_record_with_one_change_in_its_text_is_answered(number: int, data: st.DataObject) -> None:
    lines, _, _ = some_matches(number)
    text = to_json(data.draw(st.sampled_from(lines))).encode()
    at = data.draw(st.integers(0, len(text) - 1))
    instead = data.draw(st.binary(max_size=3))
    assert_is_an_answer(text[:at] + instead + text[at + data.draw(st.integers(0, 9)) :])


def test_the_hand_in_the_document_is_true() -> None:
    (hand,) = [line for line in DOCUMENT.read_text(encoding="utf-8").splitlines() if line.startswith('{"type": "hand"')]
    told = json.loads(hand)
    judgement = Referee().judge(hand)
    assert judgement is not None
    outcome = {key: told[key] for key in ("cards", "struck", "low_harlekins", "lost", "lives_after")}
    assert judgement.answer == {"done": True} | outcome
