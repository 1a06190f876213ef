"""Whole records: true ones, those with one lie in them, and what a replay shows of them (record.md)."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kille_net.game.actions import Action, Phase
from kille_net.game.match import Match
from kille_net.game.record import (
    VERIFIABLE,
    EndLine,
    HandLine,
    Line,
    MatchLine,
    PotLine,
    Recorder,
    to_json,
)
from kille_net.game.replay import Verdict, replay, verify
from kille_net.game.rules import RULES_VERSION, Format, Ruleset
from kille_net.game.shuffle import Seeded
from kille_net.game.views import observe
from tests.game.playing import SEED, header, played, some_matches
from tests.game.test_judge import OTHER_RULES
from tests.game.test_reading import ANY_JSON, GONE
from tests.game.worked import codes, pack

Told = list[dict[str, Any]]


def objects(lines: list[Line]) -> Told:
    return [json.loads(to_json(line)) for line in lines]


def verdict(told: Told) -> Verdict:
    return verify(map(json.dumps, told))


def complaint(told: Told) -> tuple[int | None, str]:
    """The line and the text of what is wrong."""
    error = verdict(told).error
    assert error is not None, "it holds"
    return error.line, error.text


@pytest.mark.parametrize("number", range(60))
def test_the_record_of_a_match_holds(number: int) -> None:
    lines, _, _ = some_matches(number)
    hands = sum(isinstance(line, HandLine) for line in lines)
    assert verify(map(to_json, lines)) == Verdict(matches=1, hands=hands, error=None)


@pytest.mark.parametrize("number", range(30))
def test_a_replay_is_the_match(number: int) -> None:
    lines, steps, match = some_matches(number)
    seen = []
    told = []
    last = None
    for step in replay(map(to_json, lines)):
        assert step.line == lines[step.number - 1]
        assert step.header == lines[0]
        if isinstance(step.line, HandLine):
            seen.append(list(step.events))
            told.append(step.move)
        else:
            assert (step.move, step.events) == (None, ())
        last = step.match
    assert seen == steps
    assert [move for move in told if move] == [
        move for line in lines if isinstance(line, HandLine) for move in line.actions
    ]
    assert told.count(None) == sum(len(line.packs) for line in lines if isinstance(line, HandLine))
    assert last is not None
    assert (last.winner, last.points) == (match.winner, match.points)
    assert observe(last, None) == observe(match, None)


def test_records_one_after_the_other_with_blank_lines_between() -> None:
    first, second = (objects(some_matches(number)[0]) for number in (0, 7))
    text = [*map(json.dumps, first), "", "  \n", *map(json.dumps, second), "\n"]
    hands = sum(line["type"] == "hand" for line in first + second)
    assert verify(text) == Verdict(matches=2, hands=hands, error=None)
    text[len(first) + 2] = "{}"
    wrong = verify(text).error
    assert wrong is not None
    assert wrong.line == len(first) + 3


@pytest.mark.parametrize("hands", range(1, 9))
def test_a_match_that_was_broken_off_holds(hands: int) -> None:
    lines, _, _ = played(hands, 3, Ruleset(pots=5), hands=hands)
    told = objects(lines)
    assert (told[-2]["n"], told[-1]["winner"]) == (hands, None)
    assert "cards" not in told[-2]
    assert verdict(told).error is None
    assert verdict([*told[:-2], told[-1]]).error is None  # between two hands
    for line in (told[-2], {"type": "pot", "n": 1, "winner": 0, "points": [1, 0, 0]}):
        at, text = complaint([*told[:-1], line, told[-1]])
        assert (at, text) == (len(told), "only the end line can follow a hand without an outcome")


def test_a_match_that_was_broken_off_before_a_redeal_holds() -> None:
    """Rule F4: the ask was accepted, and the pack never came."""
    first = header(Ruleset(), 2)
    match = Match(first.rules, 2, first.first_dealer)
    recorder = Recorder(first)
    seeded = Seeded(SEED, first.id)
    while match.phase is not Phase.TURN:
        dealt = seeded.pack(*match.next_pack)
        recorder.dealt(dealt, match.deal(dealt))
    for action in (Action.ASK, Action.ACCEPT):
        seat = match.to_act
        assert seat is not None
        recorder.acted(seat, action, match.act(seat, action))
    told = objects([first, *recorder.broken_off("rain")])
    told[1]["n"] = match.number
    assert verdict(told).error is None
    told[1]["packs"] = []
    assert complaint(told) == (2, "a pack is needed that is not there")


# --- one lie each -----------------------------------------------------------------------------------------------------

POTS, _, POTS_MATCH = played(4, 3, Ruleset(pots=2))
STICKS, _, STICKS_MATCH = played(3, 3, Ruleset(format=Format.STICKS, pots=3))


def where(told: Told, kind: str, number: int = 0) -> int:
    return [k for k, line in enumerate(told) if line["type"] == kind][number]


def change(told: Told, kind: str, key: str, value: object, number: int = 0) -> int:
    """Change a field of a line and tell which line, from 1, it was."""
    at = where(told, kind, number)
    if value is GONE:
        del told[at][key]
    else:
        told[at][key] = value
    return at + 1


@pytest.mark.parametrize("lines", [POTS, STICKS], ids=["pots", "sticks"])
@pytest.mark.parametrize(
    ("kind", "number", "key"),
    [
        *(("hand", number, key) for number in (0, 3) for key in ("n", "pot", "dealer", "lives", "cards")),
        *(("hand", number, key) for number in (0, 3) for key in ("struck", "low_harlekins", "lost", "lives_after")),
        *(("pot", number, key) for number in (0, 1) for key in ("n", "winner", "points")),
        *(("end", 0, key) for key in ("winner", "points")),
    ],
)
def test_a_lie_in_one_field_is_found_and_put_right(lines: list[Line], kind: str, number: int, key: str) -> None:
    told = objects(lines)
    line = told[where(told, kind, number)]
    truth = line[key]
    lies: list[object]
    match truth:
        case int():
            lies = [truth + 1, truth + 2]
        case None:
            lies = [1]
        case ["4", *_] | ["5", *_]:
            lies = [["6", *truth[1:]]]
        case [str() | None, *_]:
            lies = [["4", *truth[1:]]]
        case _:
            lies = [[*truth, 1], [n + 1 for n in truth] or [0]]
    for lie in lies:
        if key == "dealer" and not (isinstance(lie, int) and lie < len(line["lives"]) and line["lives"][lie]):
            continue
        if key == "lives" and not (isinstance(lie, list) and len(lie) == 3):
            continue
        at = change(told, kind, key, lie, number)
        assert complaint(told) == (at, f'"{key}" must be {json.dumps(truth)}')


def swap_lines(told: Told) -> int:
    """The pot line comes a hand too late."""
    at = where(told, "pot")
    told[at], told[at + 1] = told[at + 1], told[at]
    return at + 1


def drop(kind: str, number: int = 0) -> Callable[[Told], int]:
    def lie(told: Told) -> int:
        at = where(told, kind, number)
        del told[at]
        return at + 1

    return lie


def drop_last_pot(told: Told) -> int:
    return drop("pot", -1)(told)


def twice(kind: str) -> Callable[[Told], int]:
    def lie(told: Told) -> int:
        at = where(told, kind)
        told.insert(at, told[at])
        return at + 2

    return lie


def set_field(kind: str, key: str, value: object, number: int = 0) -> Callable[[Told], int]:
    return lambda told: change(told, kind, key, value, number)


def drop_end(told: Told) -> int:
    del told[-1]
    return len(told)


def early_end(told: Told) -> int:
    del told[where(told, "pot") + 1 : -1]
    told[-1]["points"] = told[-2]["points"]
    return len(told)


def unbroken_end(told: Told) -> int:
    told[-1] |= {"winner": None, "reason": "rain"}
    return len(told)


def unfinished(told: Told) -> int:
    at = where(told, "hand", 2)
    told[at]["actions"].pop()
    return at + 1


def without_outcome(told: Told) -> int:
    at = where(told, "hand", 2)
    for key in ("cards", "struck", "low_harlekins", "lost", "lives_after"):
        del told[at][key]
    return at + 1


def another_pack(told: Told) -> int:
    at = where(told, "hand", 1)
    told[at]["packs"].append(told[at]["packs"][0])
    return at + 1


def another_sealed_pack(told: Told) -> int:
    told[0]["shuffle"] = SEALED
    return another_pack(told)


SEALED = {"kind": VERIFIABLE, "commitment": "00" * 32, "nonces": ["11" * 32, None, None]}
"""A shuffle for three seats of which nothing can be said before the last line."""


def two_cards_changed(told: Told) -> int:
    at = where(told, "hand", 2)
    order = told[at]["packs"][0]
    last = max(k for k in range(41) if order[k] != order[41])
    order[last], order[41] = order[41], order[last]
    return at + 1


def another_seed(told: Told) -> int:
    told[0]["shuffle"]["seed"] += "!"
    return 2


def another_id(told: Told) -> int:
    told[0]["id"] = "f" * 32
    return 2


def a_wrong_action(told: Told) -> int:
    at = where(told, "hand", 2)
    told[at]["actions"].insert(1, {"seat": 8, "do": "stand"})
    return at + 1


def after_the_showdown(told: Told) -> int:
    at = where(told, "hand")
    told[at]["actions"] = [{"seat": 0, "do": "stand"}] * 9
    return at + 1


def no_match(told: Told) -> int:
    del told[0]
    return 1


def nothing(told: Told) -> int:
    told.clear()
    return 1


def no_pack(told: Told) -> int:
    at = where(told, "hand", 1)
    told[at]["packs"] = []
    return at + 1


LIES: list[tuple[Callable[[Told], int], str]] = [
    (nothing, "there is no record here"),
    (no_match, "a record begins with a match line"),
    (set_field("match", "rules_version", RULES_VERSION + 1), OTHER_RULES),
    (set_field("match", "shuffle", {"kind": "by hand"}), f'the "kind" of "shuffle" must be {VERIFIABLE} or seeded'),
    (set_field("match", "shuffle", {"kind": "seeded"}), 'the "seed" of "shuffle" must be a string'),
    (set_field("match", "shuffle", {"kind": "seeded", "seed": 1}), 'the "seed" of "shuffle" must be a string'),
    (
        set_field("match", "shuffle", {"kind": "seeded", "seed": "\ud800"}),
        'the "seed" of "shuffle" must be a string of whole characters',
    ),
    (twice("match"), "another match begins before the end line of the last"),
    (another_seed, "pack 1 is not the one that the seed gives"),
    (another_id, "pack 1 is not the one that the seed gives"),
    (two_cards_changed, "pack 1 is not the one that the seed gives"),
    (another_sealed_pack, "a pack is left over"),
    (no_pack, "a pack is needed that is not there"),
    (a_wrong_action, "action 2: the seat is not in the hand"),
    (unfinished, "the hand is not over after its last action"),
    (without_outcome, "the hand is over, and its outcome is missing"),
    (swap_lines, "the pot line of the last hand is missing"),
    (drop("pot"), "the pot line of the last hand is missing"),
    (twice("pot"), "no pot was won by the last hand"),
    (drop_end, "the record stops here, without an end line"),
    (early_end, "the match is not decided yet"),
    (twice("end"), "a record begins with a match line"),
    (set_field("hand", "type", "round"), 'a line whose "type" is none of match, hand, pot and end'),
]


@pytest.mark.parametrize("lines", [POTS, STICKS], ids=["pots", "sticks"])
@pytest.mark.parametrize(("lie", "text"), LIES, ids=[f"{k}-{text[:40]}" for k, (_, text) in enumerate(LIES)])
def test_a_lie_is_found_on_its_line(lines: list[Line], lie: Callable[[Told], int], text: str) -> None:
    told = objects(lines)
    at = lie(told)
    assert complaint(told) == (at, text)


def test_a_pot_line_is_due_before_the_end() -> None:
    told = objects(POTS)
    at = drop_last_pot(told)
    assert complaint(told) == (at, "the pot line of the last hand is missing")


def test_a_decided_match_was_not_broken_off() -> None:
    told = objects(POTS)
    at = unbroken_end(told)
    assert complaint(told) == (at, f'"winner" must be {POTS_MATCH.winner}')


def test_a_hand_after_the_last_one() -> None:
    told = objects(POTS)
    hand = dict(told[where(told, "hand", -1)])
    hand["n"] += 1
    told.insert(-1, hand)
    assert complaint(told) == (len(told) - 1, "the end line of the last hand is missing")


def test_no_pot_line_in_the_slutspel() -> None:
    """Rule G5."""
    assert any(isinstance(line, HandLine) and line.pot is None for line in STICKS)
    assert STICKS_MATCH.winner is not None
    told = objects(STICKS)
    told.insert(-1, {"type": "pot", "n": 4, "winner": STICKS_MATCH.winner, "points": told[-1]["points"]})
    assert complaint(told) == (len(told) - 1, "no pot was won by the last hand")


def test_a_seeded_pack_too_many_is_named_before_it_is_left_over() -> None:
    told = objects(POTS)
    at = another_pack(told)
    count = len(told[at - 1]["packs"])
    assert complaint(told) == (at, f"pack {count} is not the one that the seed gives")


def test_an_action_after_the_showdown() -> None:
    told = [objects(POTS)[0]]
    told[0]["shuffle"] = SEALED
    dealer = told[0]["first_dealer"]
    stands = [{"seat": (dealer + k) % 3, "do": "stand"} for k in (1, 2, 3, 4)]
    hand = {"type": "hand", "n": 1, "pot": 1, "dealer": dealer, "lives": [3, 3, 3], "actions": stands}
    told.append({**hand, "packs": [codes(pack("4 5 6")).split()]})
    assert complaint(told) == (2, "action 4: the hand is over")


def test_packs_that_were_laid_by_hand_follow_from_nothing() -> None:
    told = objects(POTS)
    told[0]["shuffle"] = {"kind": "by hand"}
    assert verify(map(json.dumps, told), prepared=True).error is None


@pytest.mark.parametrize("number", range(6))
def test_the_record_of_a_table_whose_packs_others_share_holds(number: int) -> None:
    lines, _, _ = played(number, 2 + number, Ruleset(pots=2), packs_of=b"p" * 16)
    told = objects(lines)
    assert told[0]["shuffle"]["packs_of"] == "70" * 16
    assert verdict(told).error is None
    told[0]["id"] = "f" * 32
    assert verdict(told).error is None, "the packs do not follow from its own id"
    told[0]["shuffle"]["seed"] += "!"
    assert verdict(told).error is not None


SHARED = played(4, 3, Ruleset(pots=2), packs_of=b"p" * 16)[0]


@pytest.mark.parametrize("packs_of", ["70" * 15, "7G" * 16, 70, ["70" * 16], "70" * 16 + "\n", ""])
def test_whose_packs_they_are_is_told_in_digits(packs_of: object) -> None:
    told = objects(SHARED)
    told[0]["shuffle"]["packs_of"] = packs_of
    assert complaint(told) == (1, 'the "packs_of" of "shuffle" must be 32 hexadecimal digits')


def test_packs_that_are_those_of_others_are_looked_at_there() -> None:
    told = objects(SHARED)
    for packs_of in ("71" * 16, None):
        told[0]["shuffle"]["packs_of"] = packs_of
        assert verdict(told).error is not None


def test_tables_that_share_packs_share_the_first_dealer() -> None:
    told = objects(SHARED)
    told[0]["first_dealer"] = (told[0]["first_dealer"] + 1) % 3
    assert complaint(told) == (1, "the first dealer is not the one that the seed gives")
    told[0]["rematch"] = True
    assert complaint(told)[0] == 2, "in a rematch the deal goes on"


@given(st.integers(0, 27), st.data())
def test_a_record_with_any_value_anywhere_is_judged(number: int, data: st.DataObject) -> None:
    told = objects(some_matches(number)[0])
    line = data.draw(st.sampled_from(told))
    line[data.draw(st.sampled_from(list(line)))] = data.draw(ANY_JSON)
    result = verdict(told)
    assert result.error is None or result.error.line in range(1, len(told) + 1)


@given(st.lists(st.text() | st.binary(), max_size=5))
def test_any_lines_are_judged(lines: list[str | bytes]) -> None:
    assert verify(lines).error is not None


def test_the_kinds_of_lines_in_a_record() -> None:
    assert [type(POTS[0]), type(POTS[-2]), type(POTS[-1])] == [MatchLine, PotLine, EndLine]
