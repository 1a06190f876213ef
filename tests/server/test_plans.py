"""What of a tournament's plan contradicts the rest of it (protocol/v1/protocol.md §6.13)."""

from typing import Any, Final

import pytest
from msgspec.structs import replace

from kille_net.wire import messages as m
from kille_net.wire.options import DEFAULT_PLAN
from kille_net.wire.plans import contradiction
from tests.server.house import House, code

KINDS: Final = {kind.value: kind for kind in m.TournamentKind}


def made(**changes: Any) -> m.Plan:  # noqa: ANN401  the settings of a plan and of its tables
    own = {key: value for key, value in changes.items() if hasattr(DEFAULT_PLAN, key)}
    options = replace(DEFAULT_PLAN.options, **{key: value for key, value in changes.items() if key not in own})
    own["kind"] = KINDS[own.get("kind", "swiss")]
    return replace(DEFAULT_PLAN, options=options, **own)


@pytest.mark.parametrize(
    ("setting", "changes"),
    [
        ("clock", {"clock": 0}),
        ("number", {"most": 8, "number": 9}),
        ("computers", {"most": 4, "computers": 5}),
        ("through", {"kind": "knock_out", "through": 3}),
        ("through", {"kind": "knock_out", "through": 2, "seats": 3}),
        ("kind", {"kind": "ladder", "number": 4}),
        ("kind", {"kind": "ladder", "start": 60}),
        ("kind", {"kind": "ladder", "check_in": 60}),
        ("kind", {"kind": "ladder", "duplicate": True}),
        ("duplicate", {"kind": "knock_out", "duplicate": True}),
        ("check_in", {"start": 60, "check_in": 61}),
    ],
)
def test_a_plan_that_contradicts_itself_is_refused(setting: str, changes: dict[str, Any]) -> None:
    plan = made(**changes)
    assert contradiction(plan) == setting
    house = House()
    ada = house.guest("Ada")
    answer = house.do(ada, lambda k: m.OpenTournament(id=k, tournament="Torsdag", plan=plan))
    assert code(answer) is m.RefusalCode.BAD_PLAN
    assert house.lobby.calendar.tournaments == ()


@pytest.mark.parametrize(
    "changes",
    [
        *[{"kind": kind} for kind in KINDS],
        {"most": 8, "number": 8},
        {"most": 4, "computers": 4},
        {"kind": "knock_out", "through": 1, "seats": 2},
        {"through": 4, "seats": 2},
        {"start": 60, "check_in": 60},
        {"check_in": 60},
        {"duplicate": True},
        {"kind": "round_robin", "duplicate": True},
    ],
)
def test_any_other_plan_makes_sense(changes: dict[str, Any]) -> None:
    assert contradiction(made(**changes)) is None
