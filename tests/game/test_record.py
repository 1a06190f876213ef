"""The lines of a match record as they are written, and the reading that takes them back (record.md)."""

import json

import pytest

from kille_net.game.actions import Action
from kille_net.game.match import Match
from kille_net.game.reading import parse_line, read_json
from kille_net.game.record import (
    VERIFIABLE,
    By,
    EndLine,
    HandLine,
    Line,
    MatchLine,
    Outcome,
    Played,
    PotLine,
    Recorder,
    SeatLabel,
    to_json,
)
from kille_net.game.rules import Format, HarlekinRank, Length, Ruleset
from tests.game.playing import played, some_matches
from tests.game.worked import codes, pack

HEADER = MatchLine(
    id=bytes(range(16)),
    rules=Ruleset(format=Format.STICKS, length=Length.LONG, dealt_harlekin=HarlekinRank.LOW, pots=18),
    seats=(SeatLabel("Åsa"), SeatLabel("Datorn", "careful")),
    first_dealer=1,
    shuffle=MatchLine.seeded("a seed"),
)


def test_a_match_line() -> None:
    assert json.loads(to_json(HEADER)) == {
        "type": "match",
        "v": 1,
        "rules_version": 1,
        "id": "000102030405060708090a0b0c0d0e0f",
        "rules": {"format": "sticks", "length": "long", "dealt_harlekin": "low", "pots": 18},
        "seats": [{"name": "Åsa"}, {"name": "Datorn", "bot": "careful"}],
        "first_dealer": 1,
        "shuffle": {"kind": "seeded", "seed": "a seed"},
    }
    assert "Åsa" in to_json(HEADER)


def test_the_lines_of_a_duel() -> None:
    """Rule G3: a tied duel is one hand with two packs."""
    recorder = Recorder(HEADER, revealed={"secret": "00"})
    assert recorder.header is HEADER
    match = Match(Ruleset(format=Format.STICKS, pots=1), 2, 1)
    lines: list[Line] = []

    def deal(top: str) -> None:
        lines.extend(recorder.dealt(pack(top), match.deal(pack(top))))

    def act(seat: int, action: Action, t: float | None, by: By | None) -> None:
        lines.extend(recorder.acted(seat, action, match.act(seat, action), t=t, by=by))

    deal("5 5")
    act(0, Action.STAND, 0.5, By.PLAYER)
    act(1, Action.STAND, None, None)
    assert not lines
    deal("6 4")
    act(0, Action.STAND, 2, By.STAND_IN)
    act(1, Action.STAND, 3, By.CLOCK)
    hand, pot, end = (json.loads(to_json(line)) for line in lines)
    assert hand == {
        "type": "hand",
        "n": 1,
        "pot": 1,
        "dealer": 1,
        "lives": [1, 1],
        "packs": [codes(pack("5 5")).split(), codes(pack("6 4")).split()],
        "actions": [
            {"seat": 0, "do": "stand", "t": 0.5, "by": "player"},
            {"seat": 1, "do": "stand"},
            {"seat": 0, "do": "stand", "t": 2, "by": "stand-in"},
            {"seat": 1, "do": "stand", "t": 3, "by": "clock"},
        ],
        "cards": ["6", "4"],
        "struck": [],
        "low_harlekins": [],
        "lost": [1],
        "lives_after": [1, 0],
    }
    assert pot == {"type": "pot", "n": 1, "winner": 0, "points": [1, 0]}
    assert end == {"type": "end", "winner": 0, "points": [1, 0], "secret": "00"}


def test_a_hand_that_ends_with_its_deal() -> None:
    """Rule F5: no action at all."""
    match = Match(Ruleset(), 2, 1)
    lines = Recorder(HEADER).dealt(pack("kuku 9"), match.deal(pack("kuku 9")))
    assert len(lines) == 1
    assert isinstance(lines[0], HandLine)
    assert lines[0].actions == ()
    assert lines[0].outcome == Outcome(
        cards=tuple(pack("kuku 9")[:2]), struck=(), low_harlekins=(), lost=(1,), lives_after=(3, 2)
    )


def test_a_match_broken_off_in_a_hand_and_between_hands() -> None:
    reason = "the server was stopped"
    recorder = Recorder(HEADER)
    assert recorder.broken_off(reason) == [EndLine(winner=None, points=(0, 0), reason=reason)]
    match = Match(Ruleset(), 2, 1)
    assert recorder.dealt(pack("5 6"), match.deal(pack("5 6"))) == []
    assert recorder.acted(0, Action.ASK, match.act(0, Action.ASK)) == []
    hand, end = (json.loads(to_json(line)) for line in recorder.broken_off(reason))
    assert hand == {
        "type": "hand",
        "n": 1,
        "pot": 1,
        "dealer": 1,
        "lives": [3, 3],
        "packs": [codes(pack("5 6")).split()],
        "actions": [{"seat": 0, "do": "ask"}],
    }
    assert end == {"type": "end", "winner": None, "reason": reason, "points": [0, 0]}


def test_the_points_of_a_match_broken_off_are_those_that_were_won() -> None:
    lines, _, match = played(5, 3, Ruleset(pots=9), hands=12)
    assert sum(match.points) > 0
    assert isinstance(lines[-1], EndLine)
    assert lines[-1].points == match.points


@pytest.mark.parametrize("number", range(40))
def test_what_was_written_is_read_back(number: int) -> None:
    lines, _, _ = some_matches(number)
    for line in lines:
        assert parse_line(to_json(line)) == line
        assert parse_line(to_json(line).encode()) == line
    slutspel = [line for line in lines if isinstance(line, HandLine) and line.pot is None]
    assert all('"pot": null' in to_json(line) for line in slutspel)


def test_fields_that_were_added_are_passed_over() -> None:
    end = EndLine(winner=None, points=(0, 0), reason="rain", revealed={"secret": "ff", "more": {"nonces": [None]}})
    for line in (HEADER, Played(0, Action.ASK), PotLine(n=1, winner=0, points=(1, 0))):
        assert "extra" not in json.dumps(line.to_object())
    pot = PotLine(n=1, winner=0, points=(1, 0))
    assert parse_line(json.dumps(pot.to_object() | {"extra": 1})) == pot
    assert parse_line(json.dumps(HEADER.to_object() | {"extra": [1]})) == HEADER
    assert parse_line(to_json(end)) == end
    assert read_json(b'{"extra": 1}') == {"extra": 1}


def test_a_verifiable_shuffle_keeps_its_fields() -> None:
    shuffle = {"kind": VERIFIABLE, "commitment": "00", "nonces": ["11", None]}
    line = MatchLine(id=HEADER.id, rules=HEADER.rules, seats=HEADER.seats, first_dealer=0, shuffle=shuffle)
    assert parse_line(to_json(line)) == line
