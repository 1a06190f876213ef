"""Whether a bot bears the situations of the rules: each is played with it, and what it does wrong is noted.

Owns what is looked at, and how it is counted. Refuses to know the words in which it is told. What is wrong is what
costs a seat something at a table (`guard.Fault`); what is worth knowing besides is a `Remark`.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from random import Random
from time import monotonic
from typing import Final, TypeVar

from kille_net.arena.play import play_match
from kille_net.arena.situations import SITUATIONS, Situation
from kille_net.bots import Bot, Factory
from kille_net.bots.guard import Budget, Complaint, Complaints, Fault, GuardedBot
from kille_net.bots.printing import diverted
from kille_net.game.actions import Action
from kille_net.game.events import Event
from kille_net.game.match import Match, Stage
from kille_net.game.record import Line, MatchLine, Recorder, SeatLabel, to_json
from kille_net.game.shuffle import Seeded, match_id_of
from kille_net.game.views import View

__all__ = ["Finding", "Remark", "Report", "examine"]

_A = TypeVar("_A")

_MOST_SLOW: Final = 3
"""Situations in which it hangs, or cannot be made, after which no others are tried: each costs its whole budget."""
_MOST_SAID: Final = 200
_NAME: Final = "bot"


class Remark(StrEnum):
    """What costs no seat anything."""

    CHANGES_VIEW = "changes its view"
    PRINTS = "prints"
    GLOBAL_CHANCE = "global chance"
    """It draws from `random` itself and not from the `rng` that it may have, so that a seed repeats it no more."""
    NOT_REPEATABLE = "not repeatable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The same thing, however often."""

    kind: Fault | Remark
    doing: str
    """In which of the bot's methods; empty: in all that it does."""
    complaint: Complaint | None
    """The first of them; None: it is a remark."""
    situations: tuple[Situation, ...]
    at: int | None
    """Which question of the first of these it was, from 1 (as `kille bot step` counts)."""

    @property
    def text(self) -> str:
        """For the author's eyes; it may have many lines."""
        return "" if self.complaint is None else self.complaint.text

    @property
    def is_fault(self) -> bool:
        return isinstance(self.kind, Fault)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What came of it."""

    seed: str
    tried: tuple[Situation, ...]
    of: int
    """Situations that were to be tried; fewer were where it hung."""
    findings: tuple[Finding, ...]
    questions: int
    slowest: float
    """Seconds that the slowest answer took."""
    start: float
    """…and to be made and ready."""

    @property
    def faults(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.is_fault)

    @property
    def remarks(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if not finding.is_fault)


def examine(
    make: Factory,
    *,
    budget: Budget | None = None,
    seed: str = "kille",
    situations: Sequence[Situation] = SITUATIONS,
    records: Path | None = None,
    tell: Callable[[int], None] = lambda _: None,
) -> Report:
    """Try the bot in all of them, with a fresh one each time.

    `records`: a folder for the record of each situation in which something is found (`KEY.jsonl`). `tell` hears how
    many are done. Raises OSError when a record cannot be written.
    """
    trial = _Trial(make, budget or Budget(), seed)
    state = random.getstate()
    try:
        with diverted():
            for done, situation in enumerate(situations, 1):
                found = trial.attempt(situation)
                if records is not None and found:
                    _write(records / f"{situation.key}.jsonl", trial.lines)
                tell(done)
                if trial.slow >= _MOST_SLOW:
                    break
    finally:
        random.setstate(state)
    return trial.report(len(situations))


def _write(path: Path, lines: Iterable[Line]) -> None:
    path.write_text("".join(f"{to_json(line)}\n" for line in lines), encoding="utf-8", newline="\n")


@dataclass(slots=True)
class _Notes:
    """What a bot did besides its answers; takes what it prints."""

    has_changed: bool = False
    said: str = ""

    def write(self, text: str) -> None:
        self.said = (self.said + text)[:_MOST_SAID]


class _Watched(Bot):
    """Stands inside the guard, where the bot can be seen to change what it is given."""

    def __init__(self, bot: Bot, notes: _Notes) -> None:
        self._bot = bot
        self._notes = notes

    def ready(self) -> None:
        self._bot.ready()

    def decide(self, view: View) -> Action:
        before = replace(view)
        answer = self._bot.decide(view)
        self._notes.has_changed |= view != before
        return answer

    def calls_kuku(self, view: View) -> bool:
        before = replace(view)
        answer = self._bot.calls_kuku(view)
        self._notes.has_changed |= view != before
        return answer

    def saw(self, event: Event) -> None:
        before = replace(event)
        self._bot.saw(event)
        self._notes.has_changed |= event != before

    @property
    def listens(self) -> bool:
        return self._bot.listens


@dataclass(slots=True)
class _Asked(Bot):
    """Stands outside the guard, and keeps what was answered, when something was wrong, and how long it took."""

    bot: Bot
    complaints: Complaints
    answers: list[object] = field(default_factory=list)
    number: int = 0
    """Of the question that was asked last, as a record lets one count them: see `client.stepping`."""
    first: dict[Complaint, int] = field(default_factory=dict)
    slowest: float = 0.0

    def decide(self, view: View) -> Action:
        return self._ask(self.bot.decide, view)

    def calls_kuku(self, view: View) -> bool:
        return self._ask(self.bot.calls_kuku, view)

    def saw(self, event: Event) -> None:
        self.bot.saw(event)

    @property
    def listens(self) -> bool:
        return self.bot.listens

    def _ask(self, method: Callable[[View], _A], view: View) -> _A:
        began = monotonic()
        answer = method(view)
        self.slowest = max(self.slowest, monotonic() - began)
        self.answers.append(answer)
        # A Kuku that is called on turn looks as if it had been called when the seat was asked for it just before.
        self.number += answer is not Action.KUKU
        for complaint in self.complaints.counts:
            self.first.setdefault(complaint, self.number)
        return answer


def _finding(what: Complaint | Remark, situations: Sequence[Situation], at: int | None) -> Finding:
    if isinstance(what, Remark):
        return Finding(kind=what, doing="", complaint=None, situations=tuple(situations), at=at)
    return Finding(kind=what.fault, doing=what.doing, complaint=what, situations=tuple(situations), at=at)


class _Trial:
    """Of one bot; counts over all situations."""

    def __init__(self, make: Factory, budget: Budget, seed: str) -> None:
        self._make = make
        self._budget = budget
        self._seed = seed
        self._tried: list[Situation] = []
        self._found: dict[Complaint | Remark, tuple[list[Situation], int | None]] = {}
        self._questions = 0
        self._slowest = 0.0
        self._start = 0.0
        self.slow = 0
        """Situations in which it hung, or could not be made."""
        self.lines: list[Line] = []
        """The record of the last one."""

    def report(self, of: int) -> Report:
        findings = [_finding(what, situations, at) for what, (situations, at) in self._found.items()]
        return Report(
            seed=self._seed,
            tried=tuple(self._tried),
            of=of,
            findings=tuple(sorted(findings, key=lambda finding: not finding.is_fault)),
            questions=self._questions,
            slowest=self._slowest,
            start=self._start,
        )

    def attempt(self, situation: Situation) -> bool:
        """Whether anything is found."""
        self._tried.append(situation)
        found = len(self._found), sum(len(situations) for situations, _ in self._found.values())
        asked, notes = self._play(situation, "")
        self._questions += len(asked.answers)
        self._slowest = max(self._slowest, asked.slowest)
        for complaint, at in asked.first.items():
            self._note(complaint, situation, at)
        if notes.has_changed:
            self._note(Remark.CHANGES_VIEW, situation, None)
        if notes.said:
            self._note(Remark.PRINTS, situation, None)
        kinds = {(complaint.fault, complaint.doing) for complaint in asked.first}
        is_slow = not {Fault.HUNG, Fault.NOT_READY}.isdisjoint(fault for fault, _ in kinds)
        if is_slow or (Fault.RAISED, "__init__") in kinds:
            self.slow += 1
        else:
            self._repeat(situation, asked.answers)
        return found != (len(self._found), sum(len(situations) for situations, _ in self._found.values()))

    def _repeat(self, situation: Situation, answers: list[object]) -> None:
        """With the same `rng` it should do the same, whatever else is drawn in this process."""
        lines = self.lines
        if self._play(situation, "")[0].answers != answers:
            self._note(Remark.NOT_REPEATABLE, situation, None)
        elif self._play(situation, "other")[0].answers != answers:
            is_chance = self._play(situation, "")[0].answers == answers
            self._note(Remark.GLOBAL_CHANCE if is_chance else Remark.NOT_REPEATABLE, situation, None)
        self.lines = lines

    def _note(self, what: Complaint | Remark, situation: Situation, at: int | None) -> None:
        situations, _ = self._found.setdefault(what, ([], at))
        situations.append(situation)

    def _play(self, situation: Situation, whim: str) -> tuple[_Asked, _Notes]:
        """`whim` seeds what is drawn from `random` itself."""
        seed = f"{self._seed}/{situation.key}"
        random.seed(f"{seed}/{whim}")
        complaints, notes = Complaints(), _Notes()
        began = monotonic()
        bot = GuardedBot(lambda: _Watched(self._make(Random(seed)), notes), complaints, self._budget, notes)
        self._start = max(self._start, monotonic() - began)
        asked = _Asked(bot, complaints)
        asked.first = dict.fromkeys(complaints.counts, 0)
        players = situation.players()
        labels = [
            SeatLabel(_NAME if seat == situation.seat else f"other {seat + 1}", bot=_NAME)
            for seat in range(len(players))
        ]
        players[situation.seat] = asked
        header = MatchLine(
            id=match_id_of(situation.key, 0),
            rules=situation.ruleset,
            seats=tuple(labels),
            first_dealer=situation.first_dealer,
            shuffle=Seeded(seed, match_id_of(situation.key, 0)).told(),
        )
        match = Match(header.rules, len(players), header.first_dealer)
        recorder = Recorder(header)
        hands = None if situation.top is None else 1
        lines = play_match(match, players, situation.packs(seed), recorder=recorder, hands=hands)
        bot.close()
        if match.stage is not Stage.OVER:
            lines += recorder.broken_off("")
        for complaint in complaints.counts:
            asked.first.setdefault(complaint, asked.number)
        self.lines = [header, *lines]
        return asked, notes
