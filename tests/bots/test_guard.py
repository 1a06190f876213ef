"""A stranger's bot costs its own seat the default, its author is told why, and nobody else notices."""

import threading
import time
from collections.abc import Callable
from functools import partial

import pytest

from kille_net.bots import as_bot
from kille_net.bots.guard import Budget, Complaint, Complaints, Fault, GuardedBot
from kille_net.game.actions import DEFAULTS, Action, Phase
from kille_net.game.cards import Card
from kille_net.game.events import Event, MatchEnded, Stood
from kille_net.game.rules import Ruleset
from kille_net.game.views import View
from tests.bots.hands import Noting, play, stander, view
from tests.catalogue.rows import row

SHORT = Budget(start=30, decision=0.1)
PATIENT = Budget(start=30, decision=30)
TURN = view("4 5 6 7", 4)
ASKED = view("4 5", 2, [(0, Action.ASK)])


def guarded(source: object, budget: Budget = PATIENT) -> tuple[GuardedBot, Complaints]:
    complaints = Complaints()
    return GuardedBot(lambda: as_bot(source), complaints, budget), complaints


def only(complaints: Complaints) -> tuple[Complaint, int]:
    assert not complaints.others
    (item,) = complaints.counts.items()
    return item


def test_a_good_bot_answers_for_itself() -> None:
    bot, complaints = guarded(lambda view: view.legal[-1])
    assert bot.decide(TURN) is Action.SWAP
    assert bot.decide(ASKED) is Action.REFUSE
    assert bot.calls_kuku(TURN)
    assert not bot.listens
    bot.close()
    assert not complaints.counts


class Alike:
    """Says that it is whatever it is compared with."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash(Action.SWAP)

    def __repr__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (None, "NoneType"),
        (1, "int"),
        (True, "bool"),
        (10**5000, "int"),
        ("swap", "str"),
        (float("nan"), "float"),
        ([Action.SWAP], "list"),
        (Alike(), "Alike"),
        (Action, "EnumType"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_answer_that_is_no_action(answer: object, kind: str) -> None:
    bot, complaints = guarded(lambda _view: answer)
    for asked in (TURN, ASKED):
        assert bot.decide(asked) is DEFAULTS[asked.phase]
    bot.close()
    complaint, times = only(complaints)
    assert times == 2
    assert complaint == Complaint(Fault.NOT_AN_ACTION, "decide", f"it answered with {kind}, not with an Action")


@pytest.mark.parametrize(
    ("asked", "answer", "told"),
    [
        (TURN, Action.ASK, "it answered ask where it may answer stand, swap"),
        (TURN, Action.KUKU, "it answered kuku where it may answer stand, swap"),
        (ASKED, Action.SWAP, "it answered swap where it may answer accept, refuse"),
        (ASKED, Action.DEPENDS, "it answered depends where it may answer accept, refuse"),
    ],
)
def test_an_action_that_is_not_legal(asked: View, answer: Action, told: str) -> None:
    bot, complaints = guarded(lambda _view: answer)
    assert bot.decide(asked) is DEFAULTS[asked.phase]
    bot.close()
    assert only(complaints) == (Complaint(Fault.ILLEGAL, "decide", told), 1)


def test_a_bot_that_raises_shows_its_author_where() -> None:
    def careless(view: View) -> Action:
        return [Action.STAND][view.hand + 1]

    bot, complaints = guarded(careless)
    assert [bot.decide(TURN) for _ in range(3)] == [Action.STAND] * 3
    bot.close()
    complaint, times = only(complaints)
    assert (complaint.fault, complaint.doing, times) == (Fault.RAISED, "decide", 3)
    assert complaint.text.startswith("Traceback")
    assert "in careless" in complaint.text
    assert complaint.text.endswith("IndexError: list index out of range\n")
    assert "kille_net" not in complaint.text


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit, RecursionError, MemoryError])
def test_nothing_that_a_bot_raises_comes_out(error: type[BaseException]) -> None:
    def bad(_view: View) -> Action:
        raise error

    bot, complaints = guarded(bad)
    assert bot.decide(TURN) is Action.STAND
    bot.close()
    assert only(complaints)[0].fault is Fault.RAISED


@pytest.mark.parametrize("answer", [None, 1, "yes", Action.KUKU])
def test_a_kuku_is_called_by_true_alone(answer: object) -> None:
    class Odd:
        def decide(self, view: View) -> Action:
            return view.legal[0]

        def calls_kuku(self, view: View) -> object:
            return answer

    bot, complaints = guarded(Odd)
    assert not bot.calls_kuku(TURN)
    bot.close()
    complaint, _ = only(complaints)
    assert (complaint.fault, complaint.doing) == (Fault.NOT_AN_ACTION, "calls_kuku")


def test_a_bot_that_cannot_be_made_plays_by_the_defaults() -> None:
    class Broken:
        def __init__(self) -> None:
            raise ValueError("no weights")

        def decide(self, view: View) -> Action:
            return view.legal[0]

    bot, complaints = guarded(Broken)
    assert bot.decide(ASKED) is Action.REFUSE
    assert not bot.calls_kuku(TURN)
    assert not bot.listens
    bot.close()
    complaint, times = only(complaints)
    assert (complaint.fault, complaint.doing, times) == (Fault.RAISED, "__init__", 1)
    assert "no weights" in complaint.text


class Late:
    """Takes its time before a match, or fails then."""

    def __init__(self, wait: Callable[[], object]) -> None:
        self._wait = wait
        self.is_ready = False

    def ready(self) -> None:
        self._wait()
        self.is_ready = True

    def decide(self, view: View) -> Action:
        assert self.is_ready
        return view.legal[-1]


def test_it_is_made_ready_before_it_is_asked_in_a_time_of_its_own() -> None:
    bot, complaints = guarded(Late(lambda: time.sleep(0.3)), SHORT)
    assert bot.decide(TURN) is Action.SWAP
    bot.close()
    assert not complaints.counts


def test_a_bot_that_is_not_ready_in_time_is_told_from_one_that_hangs() -> None:
    released = threading.Event()
    bot, complaints = guarded(Late(released.wait), Budget(start=0.1, decision=30))
    assert bot.decide(TURN) is Action.STAND
    bot.close()
    released.set()
    complaint, times = only(complaints)
    assert (complaint.fault, complaint.doing, times) == (Fault.NOT_READY, "ready", 1)


def test_a_bot_that_fails_to_get_ready_is_told_so() -> None:
    def fail() -> None:
        raise OSError("no weights")

    bot, complaints = guarded(Late(fail))
    assert bot.decide(TURN) is Action.STAND
    bot.close()
    told = {(complaint.fault, complaint.doing) for complaint in complaints.counts}
    assert told == {(Fault.RAISED, "ready"), (Fault.RAISED, "decide")}


def forever(_view: View) -> Action:
    while True:
        pass


def asleep(released: threading.Event) -> Callable[[View], Action]:
    def wait(_view: View) -> Action:
        released.wait()
        return Action.SWAP

    return wait


@row(15)
def test_a_bot_that_hangs_is_given_up_once() -> None:
    start = time.monotonic()
    released = threading.Event()
    bot, complaints = guarded(asleep(released), SHORT)
    assert [bot.decide(asked) for asked in (TURN, ASKED, TURN)] == [Action.STAND, Action.REFUSE, Action.STAND]
    assert not bot.calls_kuku(TURN)
    bot.close()
    assert time.monotonic() - start < 3.0, "the table waits for no more than its budget"
    released.set()
    complaint, times = only(complaints)
    assert (complaint.fault, complaint.doing, times) == (Fault.HUNG, "decide", 1)
    assert complaint.text.startswith("no answer in 0.1 s; the rest of the match is played by the defaults\n")
    assert "in wait" in complaint.text


def test_a_loop_without_an_end_is_ended() -> None:
    before = set(threading.enumerate())
    bot, complaints = guarded(forever, SHORT)
    (thread,) = set(threading.enumerate()) - before
    assert bot.decide(TURN) is Action.STAND
    assert only(complaints)[0].fault is Fault.HUNG
    thread.join(timeout=60)
    assert not thread.is_alive()


def test_the_thread_of_a_bot_ends_with_the_match() -> None:
    before = set(threading.enumerate())
    bot, _ = guarded(stander)
    (thread,) = set(threading.enumerate()) - before
    bot.close()
    thread.join(timeout=60)
    assert not thread.is_alive()


def test_a_bot_hears_all_events_in_their_order_before_it_is_asked() -> None:
    heard: list[Event | str] = []

    class Listener:
        def decide(self, view: View) -> Action:
            heard.append("asked")
            return view.legal[0]

        def saw(self, event: Event) -> None:
            heard.append(event)
            if event == Stood(2):
                raise KeyError

    bot, complaints = guarded(Listener)
    assert bot.listens
    bot.saw(Stood(1))
    bot.saw(Stood(2))
    bot.decide(TURN)
    bot.saw(MatchEnded(1, (0, 1)))
    bot.close()
    assert heard == [Stood(1), Stood(2), "asked", MatchEnded(1, (0, 1))]
    complaint, times = only(complaints)
    assert (complaint.fault, complaint.doing, times) == (Fault.RAISED, "saw", 1)


def test_complaints_are_bounded() -> None:
    numbers = iter(range(100))

    def various(_view: View) -> Action:
        raise ValueError(next(numbers))

    complaints = Complaints(most=3)
    bot = GuardedBot(lambda: as_bot(various), complaints, PATIENT)
    for _ in range(10):
        bot.decide(TURN)
    bot.close()
    assert len(complaints.counts) == 3
    assert complaints.others == 7
    both = Complaints(most=3)
    both.update(complaints)
    both.update(complaints)
    assert (both.counts.total(), both.others) == (6, 14)


def test_a_long_traceback_is_cut() -> None:
    def long(_view: View) -> Action:
        raise ValueError("x" * 100_000)

    bot, complaints = guarded(long)
    bot.decide(TURN)
    bot.close()
    assert len(only(complaints)[0].text) <= 4_000


@row(15)
def test_others_at_the_table_notice_nothing() -> None:
    """With a bot that does everything wrong they see what they see with one that takes every default."""

    class Wrong:
        def __init__(self) -> None:
            self.asked = 0

        def decide(self, _view: View) -> object:
            self.asked += 1
            if self.asked % 3 == 0:
                raise ValueError
            return Action.DEPENDS if self.asked % 3 == 1 else "swap"

        def calls_kuku(self, _view: View) -> bool:
            raise ValueError

    class Default:
        def decide(self, view: View) -> Action:
            return DEFAULTS[view.phase]

        def calls_kuku(self, _view: View) -> bool:
            return False

    tables: list[tuple[list[Noting], tuple[int, ...]]] = []
    for source in (Wrong, Default):
        complaints = Complaints()
        others = [Noting(as_bot(lambda view: view.legal[0])) for _ in range(2)]
        bot = GuardedBot(partial(as_bot, source), complaints, PATIENT)
        match = play([others[0], bot, others[1]], Ruleset(pots=2))
        bot.close()
        tables.append((others, match.points))
        assert bool(complaints.counts) is (source is Wrong)
    (wrong, points), (default, same_points) = tables
    assert points == same_points
    for one, other in zip(wrong, default, strict=True):
        assert one.events == other.events
        assert one.asked == other.asked


def strange(*bases: type) -> type:
    """A class that ends whoever asks it anything, made here so that pytest does not."""

    class Evil(type):
        def __getattribute__(cls, name: str) -> object:
            raise SystemExit

    return Evil("Strange", bases, {})


def test_what_an_answer_is_is_told_without_asking_it() -> None:
    kind = strange()
    bot, complaints = guarded(lambda _view: object.__new__(kind))
    assert bot.decide(TURN) is Action.STAND
    bot.close()
    assert only(complaints)[0].text == "it answered with Strange, not with an Action"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("cards", None),
        ("cards", (Card.KUKU,) * 4),
        ("seat", None),
        ("to_act", None),
        ("origins", None),
        ("can_ask", True),
        ("phase", None),
        ("phase", Phase.ASKED),
    ],
)
def test_a_bot_that_changes_its_view_changes_nothing(field: str, value: object) -> None:
    def forging(view: View) -> Action:
        object.__setattr__(view, field, value)
        return Action.ASK

    asked = view("4 5 6 7", 4)
    bot, complaints = guarded(forging)
    assert bot.decide(asked) is Action.STAND
    bot.close()
    assert asked == TURN
    assert only(complaints)[0].fault is Fault.ILLEGAL


def test_a_bot_shares_nothing_with_the_table_that_can_be_changed() -> None:
    """Nor with the others that hear of the same event."""

    class Forging:
        def decide(self, view: View) -> Action:
            object.__setattr__(view.rules, "pots", 99)
            object.__setattr__(view, "hand", 7)
            return Action.STAND

        def calls_kuku(self, view: View) -> bool:
            object.__setattr__(view, "cards", None)
            return False

        def saw(self, event: Event) -> None:
            object.__setattr__(event, "seat", 3)

    asked, event = view("4 5 6 7", 4), Stood(1)
    bot, complaints = guarded(Forging)
    bot.saw(event)
    bot.decide(asked)
    bot.calls_kuku(asked)
    bot.close()
    assert not complaints.counts
    assert event == Stood(1)
    assert asked == TURN


def test_an_exception_that_cannot_be_told_is_told_of() -> None:
    error = strange(Exception)

    def bad(_view: View) -> Action:
        raise error

    bot, complaints = guarded(bad)
    assert bot.decide(TURN) is Action.STAND
    bot.close()
    assert only(complaints)[0] == Complaint(Fault.RAISED, "decide", "Strange, which cannot be shown\n")


def test_a_complaint_is_lines_of_what_can_be_printed() -> None:
    def bad(_view: View) -> Action:
        raise ValueError("\x1b]0;title\x07 \u202e \ud800\r\x85x\nsecond")

    bot, complaints = guarded(bad)
    bot.decide(TURN)
    bot.close()
    text = only(complaints)[0].text
    assert text.endswith("ValueError: \ufffd]0;title\ufffd \ufffd \ufffd\ufffd\ufffdx\nsecond\n")
    assert all(line.isprintable() for line in text.split("\n"))
