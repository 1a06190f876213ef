"""Programs as bots: each plays one seat over TCP, as it would on a server.

Owns what a match does with one. Whatever a program does costs nobody but its own seat, as with a bot that is guarded
(`bots.guard`). Refuses to know its process and its line (`processes`).
"""

from collections.abc import Callable, Sequence

from kille_net.arena.play import Onlooker
from kille_net.arena.processes import GRACE, NOT_READY, Gone, Left, Program, Programs
from kille_net.arena.programs import words_of
from kille_net.bots import BotError
from kille_net.bots.guard import NO_ANSWER, Budget, Complaint, Complaints, Fault, complaint_of
from kille_net.bots.printing import Log
from kille_net.game.actions import DEFAULTS, Action, Phase
from kille_net.game.events import Event
from kille_net.game.rules import Ruleset, Seat
from kille_net.game.views import View

__all__ = ["NotCome", "RemoteBot", "must_come"]


class RemoteBot(Onlooker):
    """One match of a program: legal and in time whatever it does, with the rules' defaults where it does nothing.

    `close` when the match is over.
    """

    def __init__(
        self,
        programs: Programs,
        key: tuple[int, Seat],
        name: str,
        complaints: Complaints,
        log: Log | None = None,
    ) -> None:
        """`key`: the bot's number among those that play, and its seat."""
        self._programs = programs
        self._key = key
        self._complaints = complaints
        self._budget = programs.budget
        self._program: Program | None = None
        try:
            self._program = programs.come(self._key, name, log)
        except Gone as gone:
            complaints.add(gone.complaint)
        else:
            self._program.table.begin()

    def asked(self, seat: Seat, phase: Phase) -> None:
        if self._program is not None:
            self._program.table.turn(seat, phase)
            self._program.freshen()

    def saw(self, event: Event) -> None:
        if self._program is not None:
            self._program.table.saw(event)

    def decide(self, view: View) -> Action:
        self._complaints.decisions += 1
        program = self._program
        if program is not None:
            program.table.ask(view)
            self._wait(lambda: program.table.has_answered, "decide")
        if self._program is not None:
            return self._program.table.answer()
        self._complaints.defaults += 1
        return DEFAULTS[view.phase]

    def calls_kuku(self, view: View) -> bool:
        program = self._program
        if program is not None:
            program.table.offer_kuku(view)
            self._wait(lambda: program.table.has_settled, "calls_kuku")
        return self._program is not None and self._program.table.calls_kuku()

    def close(self) -> None:
        """Wait until it wants to play again, or has left."""
        program = self._program
        if program is None:
            return
        program.table.over()
        try:
            program.wait(lambda: program.table.is_ready, "ready", self._budget.start)
        except (Left, Gone):
            self._programs.drop(self._key, GRACE)
        except TimeoutError:
            self._give_up(complaint_of(Fault.NOT_READY, "ready", NOT_READY, seconds=f"{self._budget.start:g}"))
        self._take_complaints(program)
        self._program = None

    def _wait(self, is_done: Callable[[], bool], doing: str) -> None:
        """…and give the program up where it is in vain."""
        program, seconds = self._program, self._budget.decision
        assert program is not None
        try:
            program.wait(is_done, doing, seconds)
        except TimeoutError:
            self._give_up(complaint_of(Fault.HUNG, doing, NO_ANSWER, seconds=f"{seconds:g}"))
        except Left:
            self._give_up(program.lost(doing))
        except Gone as gone:
            self._give_up(gone.complaint)
        self._take_complaints(program)

    def _take_complaints(self, program: Program) -> None:
        found, program.table.complaints = program.table.complaints, []
        for complaint in found:
            self._complaints.add(complaint)

    def _give_up(self, complaint: Complaint) -> None:
        self._complaints.add(complaint)
        self._programs.drop(self._key, 0.0)
        self._program = None


class NotCome(BotError):
    """A program that does not come to the table."""

    def __init__(self, template: str, said: Sequence[str], **values: object) -> None:
        """`said`: the last lines that it printed."""
        super().__init__(template, **values)
        self.said = tuple(said)


def must_come(name: str, seconds: float) -> None:
    """Start that program, and end it when it is at a table. Raises NotCome, BotError."""
    with Programs(Ruleset(), 2, Budget(start=seconds)) as programs:
        try:
            programs.come((0, 0), name, None)
        except Gone as gone:
            raise _not_come(name, gone.complaint, seconds) from None


def _not_come(name: str, complaint: Complaint, seconds: float) -> NotCome:
    values = dict(complaint.values)
    said = complaint.text.splitlines()[1:]
    if "why" in values:
        return NotCome("{program} cannot be started: {why}", said, program=words_of(name)[0], why=values["why"])
    if "status" in values:
        msg = "{name} has ended with status {status} before it was at the table and ready"
        return NotCome(msg, said, name=name, status=values["status"])
    if "what" in values:
        msg = "{name} broke the protocol before it was at the table and ready: {what}"
        return NotCome(msg, said, name=name, what=values["what"])
    if complaint.fault is Fault.LOST:
        return NotCome("{name} has closed its line before it was at the table and ready", said, name=name)
    return NotCome("{name} is not at the table and ready in {seconds} s", said, name=name, seconds=f"{seconds:g}")
