"""What a bot does wrong while it plays, told to its author as it happens. Owns the words.

A fault is told whole the first time, for whoever plays for a week may never come to an end; from then on it is counted.
"""

from typing import TYPE_CHECKING, Final

import click

from kille_net.bots.guard import Complaint, Complaints
from kille_net.bots.printing import FileLog
from kille_net.cli.speaking import tell, tell_complaint, tell_many

if TYPE_CHECKING:
    from kille_net.bots.printing import Log

__all__ = ["ToldComplaints"]

_INDENT: Final = "    "


class ToldComplaints(Complaints):
    """Those of one bot: each is told when it is new, and its number whenever that has grown tenfold."""

    def __init__(self, name: str, log: "Log | None", shown: set[Complaint]) -> None:
        """`log`: takes them, too, where it is a file. `shown`: those that standard error has had, of whichever bot."""
        super().__init__()
        self._name = name
        self._log = log
        self._shown = shown

    def add(self, complaint: Complaint, times: int = 1) -> None:
        super().add(complaint, times)
        count = self.counts.get(complaint, 0)
        if count == 1:
            lines = [_said(complaint), *(_INDENT + line for line in tell_complaint(complaint).splitlines())]
            self._tell("\n".join(lines), is_shown=complaint not in self._shown)
            self._shown.add(complaint)
        elif _is_power_of_ten(count):
            self._tell(_counted(complaint, count))
        if not count and _is_power_of_ten(self.others):
            self._tell(tell_many("bot.others", self.others))

    def end(self) -> None:
        """How often each of them was made."""
        for complaint, count in self.counts.items():
            self._tell(_counted(complaint, count))
        if self.others:
            self._tell(tell_many("bot.others", self.others))

    def _tell(self, text: str, *, is_shown: bool = True) -> None:
        line = f"kille: {self._name}: {text}"
        if is_shown:
            click.echo(line, err=True)
        if isinstance(self._log, FileLog):
            self._log.write(f"{line}\n")


def _said(complaint: Complaint) -> str:
    return tell("check.fault", doing=complaint.doing, fault=tell(f"fault.{complaint.fault.name.lower()}"))


def _counted(complaint: Complaint, count: int) -> str:
    """In a line: of a traceback, the last one, which says what it was."""
    lines = tell_complaint(complaint).strip().splitlines() or [""]
    text = lines[0 if complaint.template else -1]
    return tell_many("bot.complaint", count, fault=_said(complaint), text=text)


def _is_power_of_ten(number: int) -> bool:
    return str(number).strip("0") == "1"
