"""A guard between a table and a bot that is not ours: whatever the bot does costs nobody but its own seat.

Owns the thread that the bot runs in, its time, and what is told to its author. Refuses to know the table. It keeps
accidents away from others, not attacks: a bot runs in this process, with all that the process may do. What a bot is
given it is given as a copy, and what it gives back is looked at without running any of its code.
"""

import ctypes
import sys
import threading
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Final, TypeGuard

from kille_net.bots.base import Bot
from kille_net.bots.printing import Log, printing_to
from kille_net.game.actions import DEFAULTS, Action
from kille_net.game.events import Event
from kille_net.game.views import View

__all__ = [
    "NO_ANSWER",
    "Budget",
    "Complaint",
    "Complaints",
    "Fault",
    "GuardedBot",
    "call_fault_of",
    "complaint_of",
    "fault_of",
    "told",
]


class Fault(StrEnum):
    """What a bot did wrong."""

    RAISED = "raised"
    NOT_READY = "not ready"
    """In the time that it has to be made."""
    HUNG = "hung"
    ILLEGAL = "illegal"
    NOT_AN_ACTION = "not an action"
    LOST = "lost"
    """A program whose line has ended…"""
    BROKE = "broke the protocol"
    """…or on which it said what cannot be said…"""
    UNASKED = "unasked"
    """…or that answered what it was not asked."""


@dataclass(frozen=True, slots=True)
class Complaint:
    fault: Fault
    doing: str
    """In which of its methods; `__init__` while it was made."""
    text: str
    """A sentence, or the traceback; for the author's eyes."""
    template: str = field(default="", compare=False)
    """Of its first line, by which that can be translated with these `values`; empty: it is the bot's own."""
    values: tuple[tuple[str, str], ...] = field(default=(), compare=False)


@dataclass(slots=True)
class Complaints:
    """How often each complaint was made; a bound on their number, so that no bot fills the memory."""

    most: int = 20
    """Different complaints that are kept."""
    counts: Counter[Complaint] = field(default_factory=Counter)
    others: int = 0
    """Complaints beyond those."""
    decisions: int = 0
    """That it was to make…"""
    defaults: int = 0
    """…and those of them that were made for it, by the rules."""

    @property
    def is_absent(self) -> bool:
        """Whether it has played, as far as is known, without deciding anything."""
        return 0 < self.decisions == self.defaults

    def add(self, complaint: Complaint, times: int = 1) -> None:
        if complaint in self.counts or len(self.counts) < self.most:
            self.counts[complaint] += times
        else:
            self.others += times

    def update(self, more: "Complaints") -> None:
        for complaint, times in more.counts.items():
            self.add(complaint, times)
        self.others += more.others
        self.decisions += more.decisions
        self.defaults += more.defaults


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Seconds that a bot may take."""

    start: float = 10.0
    """To be made, and to say that it is ready."""
    decision: float = 1.0
    """For one answer, with the events before it."""


_MOST_TEXT: Final = 4_000
"""Characters of a traceback that are kept: its end says what went wrong."""
_MOST_NAME: Final = 60
_NO_ACTION: Final = "it answered with {kind}, not with an Action"
_NOT_LEGAL: Final = "it answered {answer} where it may answer {codes}"
_NO_CALL: Final = "it answered with {kind}, not with True or False"
NO_ANSWER: Final = "no answer in {seconds} s; the rest of the match is played by the defaults"
_STARTING: Final = frozenset({"__init__", "ready"})
_OUR_FOLDER: Final = str(Path(__file__).parents[1])


class GuardedBot(Bot):
    """Answers for a bot of somebody else's: as the bot does, and by the rules' default where it does not.

    Always legal, never late by more than the budget, raises nothing. A bot that hangs, or that cannot be made, is given
    up: from then on all answers are defaults. `close` when the match is over.
    """

    def __init__(
        self,
        make: Callable[[], Bot],
        complaints: Complaints,
        budget: Budget | None = None,
        log: Log | None = None,
    ) -> None:
        """`log`: takes what it prints (`printing`)."""
        budget = budget or Budget()
        self._complaints = complaints
        self._seconds = budget.decision
        self._events: list[Event] = []
        self._worker: _Worker | None = _Worker(make, log)
        self._listens = self._ask(_Question("listens"), budget.start) is True

    @property
    def listens(self) -> bool:
        return self._listens

    def decide(self, view: View) -> Action:
        legal, default = view.legal, DEFAULTS[view.phase]
        self._complaints.decisions += 1
        answer = self._ask(_Question("decide", _copy(view)), self._seconds)
        if answer is not _NOTHING:
            complaint = fault_of(answer, legal)
            if complaint is None:
                assert isinstance(answer, Action)
                return answer
            self._complaints.add(complaint)
        self._complaints.defaults += 1
        return default

    def calls_kuku(self, view: View) -> bool:
        answer = self._ask(_Question("calls_kuku", _copy(view)), self._seconds)
        if answer is not _NOTHING and (complaint := call_fault_of(answer)) is not None:
            self._complaints.add(complaint)
        return answer is True

    def saw(self, event: Event) -> None:
        """Kept until the next question, so that a bot works only while the table waits for it."""
        if self._listens:
            self._events.append(replace(event))

    def close(self) -> None:
        """Tell it what it has not heard yet, and let it go."""
        if self._events:
            self._ask(_Question("listens"), self._seconds)
        if self._worker is not None:
            self._worker.dismiss()
            self._worker = None

    def _ask(self, question: "_Question", patience: float) -> object:
        """What it answers; _NOTHING when there is no answer, and why has been told."""
        if self._worker is None:
            return _NOTHING
        question.events, self._events = self._events, []
        answer = self._worker.ask(question, patience)
        if answer is None:
            where, doing = "".join(self._worker.stack()), self._worker.doing
            fault = Fault.NOT_READY if doing in _STARTING else Fault.HUNG
            complaint = complaint_of(fault, doing, NO_ANSWER, f"\n{where}", seconds=f"{patience:g}")
            self._complaints.add(complaint)
            self._give_up()
            return _NOTHING
        for complaint in answer.complaints:
            self._complaints.add(complaint)
        if not answer.made:
            self._give_up()
        return answer.value

    def _give_up(self) -> None:
        assert self._worker is not None
        self._worker.abandon()
        self._worker = None
        self._listens = False


def fault_of(answer: object, legal: Sequence[Action]) -> Complaint | None:
    """What is wrong with what a bot decided; None: nothing is."""
    if type(answer) is not Action:
        return complaint_of(Fault.NOT_AN_ACTION, "decide", _NO_ACTION, kind=_kind(answer))
    if answer not in legal:
        codes = ", ".join(action.code for action in legal)
        return complaint_of(Fault.ILLEGAL, "decide", _NOT_LEGAL, answer=answer.code, codes=codes)
    return None


def call_fault_of(answer: object) -> Complaint | None:
    """What is wrong with what a bot said when it was asked whether it calls its Kuku."""
    if type(answer) is bool:
        return None
    return complaint_of(Fault.NOT_AN_ACTION, "calls_kuku", _NO_CALL, kind=_kind(answer))


def complaint_of(fault: Fault, doing: str, template: str, more: str = "", **values: str) -> Complaint:
    """What is said of it by a template, which can be translated; `more`: lines that are the bot's own."""
    return Complaint(fault, doing, template.format(**values) + more, template, tuple(values.items()))


def _copy(view: View) -> View:
    """One that a bot may do with as it likes: nothing that can be changed is shared."""
    return replace(view, rules=replace(view.rules))


def _kind(answer: object) -> str:
    """What it is, never what it says: a stranger's `repr` may do anything, and so may a class's own `__name__`."""
    name = str.__str__(type.__dict__["__name__"].__get__(type(answer)))
    return _fit(name[:_MOST_NAME])


def _fit(text: str) -> str:
    """The text as any terminal and file takes it: lines of what can be printed."""
    return "".join(char if char.isprintable() or char == "\n" else "\N{REPLACEMENT CHARACTER}" for char in text)


def _is_bot(value: object) -> TypeGuard[Bot]:
    """Without asking it: what `isinstance` asks may be a stranger's `__class__`."""
    return issubclass(type(value), Bot)


class _Nothing:
    """No answer."""


_NOTHING: Final = _Nothing()


@dataclass(slots=True)
class _Question:
    doing: str
    """The name of what the bot is asked for."""
    view: View | None = None
    events: list[Event] = field(default_factory=list)
    """What it has not heard yet."""


@dataclass(frozen=True, slots=True)
class _Answer:
    value: object
    made: bool
    complaints: list[Complaint]


class _Worker:
    """The thread that a bot is made in and lives in."""

    def __init__(self, make: Callable[[], Bot], log: Log | None) -> None:
        self.doing = "__init__"
        self._log = log
        self._complaints: list[Complaint] = []
        self._questions: SimpleQueue[_Question | None] = SimpleQueue()
        self._answers: SimpleQueue[_Answer] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, args=(make,), daemon=True)
        self._thread.start()

    def ask(self, question: _Question, patience: float) -> _Answer | None:
        """The answer, or None when there is none in time."""
        self._questions.put(question)
        try:
            return self._answers.get(timeout=patience)
        except Empty:
            return None

    def stack(self) -> list[str]:
        """Where the bot is now."""
        frame = sys._current_frames().get(self._thread.ident or 0)
        stack = traceback.extract_stack(frame) if frame is not None else []
        return [_fit(line) for line in traceback.format_list([line for line in stack if not _ours(line.filename)])]

    def dismiss(self) -> None:
        self._questions.put(None)

    def abandon(self) -> None:
        """Leave it to itself. While it runs code in Python it is ended; what it waits for is not interrupted."""
        assert self._thread.ident is not None
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread.ident), ctypes.py_object(SystemExit))
        self.dismiss()

    def _run(self, make: Callable[[], Bot]) -> None:
        with suppress(SystemExit), printing_to(self._log):  # of `abandon`
            bot = self._try(make)
            if _is_bot(bot):
                self.doing = "ready"
                self._try(bot.ready)
            while (question := self._questions.get()) is not None:
                made = _is_bot(bot)
                value = self._reply(bot, question) if _is_bot(bot) else _NOTHING
                complaints, self._complaints = self._complaints, []
                self._answers.put(_Answer(value, made, complaints))

    def _reply(self, bot: Bot, question: _Question) -> object:
        self.doing = "saw"
        for event in question.events:
            self._try(partial(bot.saw, event))
        self.doing = question.doing
        match question.doing, question.view:
            case "decide", View() as view:
                return self._try(partial(bot.decide, view))
            case "calls_kuku", View() as view:
                return self._try(partial(bot.calls_kuku, view))
        return self._try(lambda: bot.listens)

    def _try(self, call: Callable[[], object]) -> object:
        try:
            return call()
        except BaseException as error:
            self._complaints.append(Complaint(Fault.RAISED, self.doing, told(error)))
            return _NOTHING


def told(error: BaseException) -> str:
    """The traceback, as far as the bot's code goes, as any terminal takes it; its end, where it is long."""
    return _fit(_traceback(error)[-_MOST_TEXT:])


def _traceback(error: BaseException) -> str:
    try:
        lines = traceback.TracebackException.from_exception(error)
        lines.stack = traceback.StackSummary.from_list(line for line in lines.stack if not _ours(line.filename))
        return "".join(lines.format())
    except BaseException:  # an exception is a stranger's code, too
        return f"{_kind(error)}, which cannot be shown\n"


def _ours(filename: str) -> bool:
    """Whether it is of no interest to a bot's author."""
    return filename.startswith(_OUR_FOLDER) or filename == threading.__file__
