"""`examine` finds what a bot does wrong, says where, and finds nothing in a good one."""

import random
import threading
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kille_net.arena.examining import Finding, Remark, Report, examine
from kille_net.arena.situations import SITUATIONS, Situation
from kille_net.bots import BUILT_IN, Bot, as_bot, deep
from kille_net.bots.guard import Budget, Fault
from kille_net.client.replaying import load
from kille_net.client.stepping import questions
from kille_net.game.actions import DEFAULTS, Action, Phase
from kille_net.game.cards import Card
from kille_net.game.events import Event, SeatStruck
from kille_net.game.views import View
from tests.bots.hands import stander

PATIENT = Budget(start=30, decision=30)
SHORT = Budget(start=30, decision=0.1)
HANDS = [one for one in SITUATIONS if one.top is not None]


def tried(source: Any, situations: list[Situation] = HANDS, budget: Budget = PATIENT) -> Report:  # noqa: ANN401  what authors write
    return examine(lambda rng: as_bot(source, rng), budget=budget, situations=situations)


def only(report: Report) -> Finding:
    (finding,) = report.findings
    return finding


@pytest.mark.parametrize("name", BUILT_IN)
def test_nothing_is_found_in_the_built_in_ones(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deep, "LOOKS", (10,))
    report = examine(BUILT_IN[name], budget=PATIENT)
    assert report.findings == ()
    assert report.tried == SITUATIONS
    assert report.questions > len(SITUATIONS)


def test_a_fault_in_one_situation_is_found_there_and_nowhere_else() -> None:
    def careless(view: View) -> Action:
        if view.phase is Phase.MIDDLE:
            return Action.DEPENDS
        return DEFAULTS[view.phase]

    finding = only(tried(careless))
    assert (finding.kind, finding.doing) == (Fault.ILLEGAL, "decide")
    assert {one.what for one in finding.situations} == {"asks.middle"}
    assert finding.at == 1


def test_a_fault_is_told_once_with_all_its_situations() -> None:
    def careless(view: View) -> Action:
        if view.card is Card.HUSU:
            raise ValueError("pigs are not planned for")
        return stander(view)

    finding = only(tried(careless))
    assert finding.kind is Fault.RAISED
    assert "in careless" in finding.text
    assert "kille_net" not in finding.text
    assert {one.key for one in finding.situations} >= {f"dealt.{where}.husu" for where in ("first", "later", "dealer")}


def test_what_is_raised_when_it_is_told_of_an_event_is_found() -> None:
    class Squeamish(Bot):
        def decide(self, view: View) -> Action:
            return stander(view)

        def saw(self, event: Event) -> None:
            if isinstance(event, SeatStruck):
                raise RuntimeError

    finding = only(tried(Squeamish))
    assert (finding.kind, finding.doing) == (Fault.RAISED, "saw")


@pytest.mark.parametrize("answer", [None, "swap", 1])
def test_an_answer_that_is_no_action_is_found(answer: object) -> None:
    assert only(tried(lambda _view: answer, HANDS[:3])).kind is Fault.NOT_AN_ACTION


def test_a_bot_that_hangs_is_tried_thrice_and_no_more() -> None:
    waiting = threading.Event()

    def slow(view: View) -> Action:
        waiting.wait()
        return stander(view)

    report = tried(slow, budget=SHORT)
    waiting.set()
    assert (len(report.tried), report.of) == (3, len(HANDS))
    assert only(report).kind is Fault.HUNG
    assert report.slowest >= SHORT.decision


def test_a_bot_that_is_not_ready_in_its_time_is_told_from_one_that_hangs() -> None:
    waiting = threading.Event()

    class Slow(Bot):
        def ready(self) -> None:
            waiting.wait()

        def decide(self, view: View) -> Action:
            return stander(view)

    report = tried(Slow, budget=Budget(start=0.1, decision=30))
    waiting.set()
    finding = only(report)
    assert (finding.kind, finding.doing) == (Fault.NOT_READY, "ready")


def test_a_bot_that_cannot_be_made_is_tried_thrice() -> None:
    class Broken(Bot):
        def __init__(self) -> None:
            raise ValueError("no weights")

    report = tried(Broken)
    assert len(report.tried) == 3
    assert (only(report).kind, only(report).doing) == (Fault.RAISED, "__init__")


def changing(view: View) -> Action:
    object.__setattr__(view, "hand", 99)
    return stander(view)


def talking(view: View) -> Action:
    print("thinking", view.hand)  # noqa: T201  the subject
    return stander(view)


def whimsical(view: View) -> Action:
    return random.choice(view.legal)


def undecided() -> Any:  # noqa: ANN401  a function of a view
    asked: list[View] = []

    def decide(view: View) -> Action:
        asked.append(view)
        return view.legal[len(asked) % len(view.legal)]

    return decide


def test_a_bot_that_goes_by_what_it_remembers_is_not_said_to_draw_from_chance() -> None:
    """It does the same the second time, and something else the third."""
    asked: dict[View, int] = {}

    def decide(view: View) -> Action:
        asked[view] = asked.get(view, 0) + 1
        return view.legal[0 if asked[view] <= 2 else -1]

    report = examine(lambda _: as_bot(decide), situations=(SITUATIONS[0],))
    assert [finding.kind for finding in report.findings] == [Remark.NOT_REPEATABLE]


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        (changing, Remark.CHANGES_VIEW),
        (talking, Remark.PRINTS),
        (whimsical, Remark.GLOBAL_CHANCE),
    ],
)
def test_what_is_worth_knowing_is_a_remark(source: Any, kind: Remark, capsys: pytest.CaptureFixture[str]) -> None:  # noqa: ANN401  what authors write
    report = tried(source)
    assert only(report).kind is kind
    assert report.faults == ()
    assert capsys.readouterr() == ("", "")


def test_a_memory_that_outlives_the_match_is_a_remark() -> None:
    remember = undecided()
    one = [situation for situation in HANDS if situation.what == "dealt.first"]
    assert only(tried(remember, one)).kind is Remark.NOT_REPEATABLE


def test_chance_that_comes_from_what_it_is_given_is_no_remark() -> None:
    class Fair:
        def __init__(self, rng: Random) -> None:
            self.rng = rng

        def decide(self, view: View) -> Action:
            return self.rng.choice(view.legal)

    assert tried(Fair).findings == ()


def test_the_chance_of_others_is_left_as_it_was() -> None:
    random.seed(7)
    expected = random.random()
    random.seed(7)
    tried(stander, HANDS[:2])
    assert random.random() == expected


def test_the_record_of_what_was_wrong_has_the_question_at_the_number_that_is_told(tmp_path: Path) -> None:
    def late(view: View) -> object:
        return "swap" if view.hand >= 3 and view.phase is Phase.TURN else stander(view)

    matches = [one for one in SITUATIONS if one.what == "match.whole"]
    report = examine(lambda _rng: as_bot(late), situations=matches, records=tmp_path)
    finding = only(report)
    assert {path.name for path in tmp_path.iterdir()} == {f"{one.key}.jsonl" for one in finding.situations}
    first = finding.situations[0]
    replay = load((tmp_path / f"{first.key}.jsonl").read_text().splitlines())
    asked = list(questions(replay, first.seat))
    assert finding.at is not None
    assert asked[finding.at - 1].view.hand == 3
    assert late(asked[finding.at - 1].view) == "swap"
    assert all(one.is_kuku or late(one.view) != "swap" for one in asked[: finding.at - 1])
