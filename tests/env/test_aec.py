"""The environment for PettingZoo: by its own tests, against the arena, and in two worlds (rule T5)."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, TypeAlias
from zlib import crc32

import numpy as np
import pytest
from pettingzoo import AECEnv
from pettingzoo.test.api_test import api_test
from pettingzoo.test.render_test import render_test
from pettingzoo.test.seed_test import seed_test

from kille_net.arena.play import play_match
from kille_net.env import aec
from kille_net.env.asking import OPTIONS, PASS
from kille_net.env.encoding import Vector
from kille_net.env.playing import Mask, Policy, PolicyBot
from kille_net.game.actions import Action
from kille_net.game.cards import Pack
from kille_net.game.match import Match
from kille_net.game.rules import Format, HarlekinRank, Ruleset
from kille_net.game.shuffle import Seeded, match_id_of
from tests.env.worlds import Course, Packs, by_whim
from tests.game.worked import pack

Table: TypeAlias = AECEnv[str, aec.Observation, Any]

TABLES: list[dict[str, Any]] = [
    {"seats": 2, "pots": 2},
    {"seats": 3, "reward": "hand"},
    {"seats": 4, "pots": 1, "dealt_harlekin": "low"},
    {"seats": 8, "pots": 1, "max_asks": 0},
    {"seats": 2, "format": "sticks", "reward": "hand"},
    {"seats": 5, "format": "sticks"},
]


@pytest.mark.parametrize("settings", TABLES, ids=str)
# They warn of what all card games of PettingZoo have: a dictionary with a mask.
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array", "ignore:Observation space for each agent prob")
def test_pettingzoo_takes_it(settings: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    def made(render_mode: str | None = None) -> Table:
        return aec.env(**settings, render_mode=render_mode)

    api_test(made(), num_cycles=2000)  # type: ignore[no-untyped-call]  # which has no types
    seed_test(made, num_cycles=500)  # type: ignore[no-untyped-call]  # nor has this
    render_test(made)  # type: ignore[arg-type]  # which says that it takes no mode
    assert "seat_0 lives" in capsys.readouterr().out


def played(table: Table, choose: Policy) -> Iterator[tuple[str, bytes, int | None, float]]:
    """An episode to its end: who chose, of what, what, and what it had been paid since its last choice."""
    for agent in table.agent_iter():
        seen, reward, is_over, _, _ = table.last()
        assert seen is not None
        option = None if is_over else choose(seen["observation"], seen["action_mask"])
        yield agent, seen["observation"].tobytes() + seen["action_mask"].tobytes(), option, reward
        table.step(option)


def hashed(seen: Vector, mask: Mask) -> int:
    """Anything that hangs on all that is seen."""
    there = np.flatnonzero(mask)
    return int(there[crc32(seen.tobytes()) % len(there)])


@pytest.mark.parametrize("settings", TABLES, ids=str)
def test_what_all_are_paid_is_nothing_together(settings: dict[str, Any]) -> None:
    table = aec.env(**settings)
    for number in range(3):
        table.reset(seed=number)
        earned = dict.fromkeys(table.agents, 0.0)
        for agent, _, _, reward in played(table, hashed):
            earned[agent] += reward
        assert sum(earned.values()) == pytest.approx(0, abs=1e-9)
        assert any(earned.values())
        if settings.get("reward") != "hand":
            others = len(earned) - 1
            assert sorted(earned.values()) == pytest.approx([-1 / others] * others + [1])


def test_a_seed_repeats_the_matches_that_follow_it_too() -> None:
    def three(seed: int | None) -> list[list[bytes]]:
        table = aec.raw_env(seats=3, pots=1)
        table.reset(seed=seed)
        matches = []
        for _ in range(3):
            matches.append([seen for _, seen, _, _ in played(table, hashed)])
            table.reset()
        return matches

    first = three(11)
    assert first == three(11)
    assert first[0] != first[1] != first[2]
    assert first != three(12)
    assert three(None) != three(None)


@pytest.mark.parametrize("format_", Format)
@pytest.mark.parametrize("seats", [2, 3, 6])
def test_it_asks_what_the_arena_asks_and_a_bot_of_a_policy_answers_the_same(seats: int, format_: Format) -> None:
    """The same packs and choices lead through the same questions to the same end."""
    for seed in range(4):
        table = aec.raw_env(seats=seats, format=format_, pots=3)
        table.reset(seed=seed)
        (*of_env,) = played(table, hashed)
        of_arena: list[tuple[str, bytes, int]] = []
        chance = Seeded(str(seed), match_id_of(str(seed), 0))
        match = Match(Ruleset.for_seats(seats, format=format_, pots=3), seats, chance.first_dealer(seats))
        play_match(match, [PolicyBot(noted(f"seat_{seat}", of_arena)) for seat in range(seats)], chance.pack)
        assert [(agent, seen, option) for agent, seen, option, _ in of_env if option is not None] == of_arena
        assert [agent for agent, _, option, reward in of_env if option is None and reward > 0] == [
            f"seat_{match.winner}"
        ]


def noted(agent: str, into: list[tuple[str, bytes, int]]) -> Policy:
    def policy(seen: Vector, mask: Mask) -> int:
        option = hashed(seen, mask)
        into.append((agent, seen.tobytes() + mask.tobytes(), option))
        return option

    return policy


def stacked(monkeypatch: pytest.MonkeyPatch, packs: Callable[[int, int], Pack], first_dealer: int) -> None:
    """All matches that begin from now on have these packs."""

    class Stacked:
        def __init__(self, _seed: str, _match_id: bytes) -> None: ...

        def first_dealer(self, _seats: int) -> int:
            return first_dealer

        def pack(self, hand: int, redeal: int) -> Pack:
            return packs(hand, redeal)

    monkeypatch.setattr(aec, "Seeded", Stacked)


def test_who_holds_a_kuku_is_asked_for_it_at_each_safe_point(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rule M7: from the dealer's left; who passes is not asked again before something has happened."""
    stacked(monkeypatch, lambda _hand, _redeal: pack("5 kuku 9 kuku"), 3)
    table = aec.raw_env(seats=4)
    table.reset()

    def asked() -> tuple[str, list[int]]:
        mask = table.observe(table.agent_selection)["action_mask"]
        return table.agent_selection, np.flatnonzero(mask).tolist()

    calling, turn = [Action.KUKU, PASS], [Action.STAND, Action.SWAP]
    course = [("seat_1", calling), ("seat_3", calling), ("seat_0", turn), ("seat_1", calling), ("seat_3", calling)]
    for expected, option in zip(course, [PASS, PASS, Action.STAND, PASS, PASS], strict=True):
        assert asked() == expected
        assert not table.observe("seat_2")["action_mask"].any()
        table.step(option)
    assert asked() == ("seat_1", turn)
    table.step(Action.STAND)
    assert asked() == ("seat_1", calling)
    table.step(Action.KUKU)
    assert "hand 2" in aec._drawn(table._match, "")


def test_what_the_mask_forbids_changes_nothing_or_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    stacked(monkeypatch, lambda _hand, _redeal: pack("5 6 9"), 2)
    raw, wrapped = aec.raw_env(seats=3), aec.env(seats=3)
    raw.reset()
    before = raw.observe("seat_0")["observation"].tobytes()
    for option in (Action.KUKU, Action.ACCEPT, PASS, OPTIONS, None):
        with pytest.raises(ValueError, match="seat_0 may not choose"):
            raw.step(option)
    assert raw.agent_selection == "seat_0"
    assert raw.observe("seat_0")["observation"].tobytes() == before
    wrapped.reset()
    wrapped.step(Action.KUKU)
    assert wrapped.rewards == {"seat_0": aec.ILLEGAL, "seat_1": 0, "seat_2": 0}
    assert all(wrapped.terminations.values())


def test_nobody_is_offered_an_ask_beyond_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rule G6: the rules set no bound in a duel of `sticks`."""
    stacked(monkeypatch, lambda _hand, _redeal: pack("5 6 9 10 1 2 3 4"), 1)
    table = aec.raw_env(seats=2, format="sticks", max_asks=2)
    table.reset()
    for _ in range(2):
        table.step(Action.ASK)
        table.step(Action.ACCEPT)
    assert np.flatnonzero(table.observe("seat_0")["action_mask"]).tolist() == [Action.STAND, Action.SWAP]


@pytest.mark.parametrize(
    "wrong", [{"seats": 9}, {"format": "chess"}, {"pots": 0}, {"reward": "fame"}, {"dealt_harlekin": "middle"}], ids=str
)
def test_there_is_no_such_table(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"2 to 8|not a valid|at least one"):
        aec.env(**wrong)


def test_the_open_table_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    stacked(monkeypatch, lambda _hand, _redeal: pack("5 husar harlekin kavall 9"), 2)
    table = aec.env(seats=3, pots=1, render_mode="ansi", max_asks=0)
    table.reset()
    table.step(Action.SWAP)
    assert table.render() == (
        "hand 1 pot 1 dealer seat_2 turn seat_2\n"
        "seat_0 lives 3 points 0 5 refused struck\n"
        "seat_1 lives 3 points 0 husar passed_over face_up\n"
        "seat_2 lives 3 points 0 harlekin waits"
    )


def observed(course: Course, packs: Packs, moves: int, agent: str, monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """All that an agent is shown while that much of the course is played with these packs."""
    stacked(monkeypatch, lambda hand, redeal: packs[hand, redeal], course.first_dealer)
    rules = course.rules
    table = aec.raw_env(
        seats=course.seats, format=rules.format, pots=rules.pots, dealt_harlekin=rules.dealt_harlekin, reward="hand"
    )
    table.reset()
    seen = []

    def look() -> None:
        now = table.observe(agent)
        is_asked = table.agent_selection == agent
        assert now["action_mask"].any() == (is_asked and not table.terminations[agent])
        # That somebody else is asked for its Kuku is nothing that it sees (M7).
        if is_asked or not table.observe(table.agent_selection)["action_mask"][PASS]:
            seen.append(now["observation"].tobytes() + now["action_mask"].tobytes())

    def pass_on(caller: str | None) -> None:
        """Nobody calls a Kuku but the caller."""
        while table.observe(table.agent_selection)["action_mask"][PASS] and table.agent_selection != caller:
            table.step(PASS)
            look()

    look()
    for seat, action in course.moves[:moves]:
        pass_on(f"seat_{seat}" if action is Action.KUKU else None)
        assert table.agent_selection == f"seat_{seat}"
        table.step(action)
        look()
    pass_on(None)
    return seen


WORLDS = [
    (2, Ruleset(format=Format.STICKS, pots=3)),
    (3, Ruleset(dealt_harlekin=HarlekinRank.LOW)),
    (4, Ruleset()),
    (6, Ruleset(format=Format.STICKS, pots=2)),
]


@pytest.mark.parametrize(("seats", "rules"), WORLDS, ids=str)
def test_hidden_cards_change_no_byte_of_what_a_seat_is_shown(
    seats: int, rules: Ruleset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rule T5, through a whole match: whatever a seat cannot know by then has changed places."""
    differing = 0
    for number in range(3):
        course = by_whim(rules, seats, number)
        whim = Random(number)
        for moves in [*whim.choices(range(len(course.moves)), k=8), len(course.moves)]:
            viewer = whim.randrange(seats)
            other = course.another_world(moves, viewer, whim)
            differing += sum(other[key] != course.packs[key] for key in other)
            shown = observed(course, course.packs, moves, f"seat_{viewer}", monkeypatch)
            assert observed(course, other, moves, f"seat_{viewer}", monkeypatch) == shown
    assert differing
