"""`kille bot check --tcp`: a bot in any language, tried at tables of a real server of its own.

Owns how each trial is set up: a server in this process, who makes its table (`bot_check_trials`), and somebody in the
middle. What is wrong with what the bot does, `client.conduct` says.
"""

import json
import math
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import IO, Any, Final

import click
import trio

from kille_net.arena.programs import filled
from kille_net.cli.address import Address, parse_address
from kille_net.cli.bot_check_trials import HOST, PLACE, TRIALS, Trial, make
from kille_net.cli.columns import columns
from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.speaking import tell, tell_error, tell_many
from kille_net.client.conduct import Conduct, Wrong
from kille_net.client.net.middle import HELD, Manner, Middle

__all__ = ["check"]

_NAME: Final = "Bot"
_PATIENCE: Final = 90.0
"""Seconds for a whole match of a program that we start."""
_PATIENCE_WITH_PEOPLE: Final = 600.0
"""…and of one that somebody starts by hand."""
_MOST_UNPLAYED: Final = 2
"""Matches that it has not played to their ends, after which no others are tried: each costs all our patience."""
_FIRST: Final = 20.0
"""Seconds in which a program that we start is to be on the line."""
_GRACE: Final = 5.0
"""Seconds for its goodbye after the match."""
_MOST_SAID: Final = 2_000
_NAME_CELLS: Final = 64
_INDENT: Final = "    "
_LEAST_CLOCK: Final = {Manner.LOST: 2 * math.ceil(HELD), Manner.UNSAVED: 10}
"""Seconds, so that no question runs out while its client has to wait."""
_ONLY_SHOULD: Final = frozenset({Wrong.NOT_BACK})


@dataclass(slots=True)
class _Outcome:
    trial: Trial
    conduct: Conduct = field(default_factory=Conduct)
    said: str = ""
    """The end of what the program printed."""

    @property
    def is_unplayed(self) -> bool:
        return any(breach.wrong is Wrong.UNPLAYED for breach in self.conduct.breaches)

    def kinds(self, *, faults: bool) -> "list[tuple[Wrong, str, int]]":
        """What was wrong, each once, with how often."""
        counted: dict[tuple[Wrong, str], int] = {}
        for breach in self.conduct.breaches:
            if (breach.wrong not in _ONLY_SHOULD) is faults:
                counted[breach.wrong, breach.what] = counted.get((breach.wrong, breach.what), 0) + 1
        return [(wrong, what, times) for (wrong, what), times in counted.items()]


def check(
    words: Sequence[str], *, only: Sequence[str], is_list: bool, budget: float, strict: bool, is_json: bool
) -> Exit:
    """`words`: where the bot will connect, or the command that starts it. Raises CliError."""
    from kille_net.server.embedded import embedded

    if is_list:
        for row in columns([(one.key, tell(f"situation.{one.key}")) for one in _named(only) or TRIALS], left=2):
            click.echo(row)
        return Exit.DONE
    where = _where(words)
    trials = _chosen(only, None if where is not None else words)
    if where is None and shutil.which(words[0]) is None:
        raise CliError(tell("check.no_program", program=words[0]), code=Exit.WRONG_USE)
    outcomes: list[_Outcome] = []
    try:
        for trial in trials:
            with embedded() as port:  # a new one, where nobody waits for whoever left the last
                table = _Table(trial, port, budget)
                outcomes.append(trio.run(table.play, where or Address(HOST, 0), words if where is None else None))
            if sum(one.is_unplayed for one in outcomes) >= _MOST_UNPLAYED:
                break
    except OSError as error:
        raise CliError(tell("check.no_port", why=tell_error(error)), code=Exit.WRONG_USE) from error
    return _tell(outcomes, len(trials), strict=strict, is_json=is_json)


def _named(only: Sequence[str]) -> list[Trial]:
    for name in only:
        if name not in {one.key for one in TRIALS}:
            raise CliError(tell("check.no_situation", name=name), code=Exit.WRONG_USE)
    return [one for one in TRIALS if one.key in only]


def _chosen(only: Sequence[str], command: Sequence[str] | None) -> list[Trial]:
    """Those that the bot can play, as its command says: in a tournament, or at a table. None: its author says."""
    is_entrant = any("{tournament}" in word for word in command or ())
    trials = _named(only) or [one for one in TRIALS if one.is_called == is_entrant]
    for trial in trials:
        if command is not None and trial.is_called != is_entrant:
            key = "check.no_entrant" if trial.is_called else "check.entrant"
            raise CliError(tell(key, name=trial.key, place="{tournament}"), code=Exit.WRONG_USE)
    return trials


def _where(words: Sequence[str]) -> Address | None:
    """The address to listen at, where the words are one; None: they are a command."""
    if not words:
        raise CliError(tell("check.no_bot_tcp"), code=Exit.WRONG_USE)
    if len(words) > 1:
        return None
    text = f"{HOST}:{words[0]}" if words[0].isdecimal() else words[0]
    try:
        return parse_address(text) if text.rpartition(":")[2].isdecimal() else None
    except ValueError:
        raise CliError(tell("cli.bad_address"), code=Exit.WRONG_USE) from None


class _Table:
    """One trial, from its room to its end."""

    def __init__(self, trial: Trial, port: int, budget: float) -> None:
        self._trial = trial
        self._port = port
        self._clock = max(_LEAST_CLOCK.get(trial.manner, 1), math.ceil(budget))
        self._outcome = _Outcome(trial, Conduct(matches=trial.matches, place=PLACE, strayed=self._strayed))
        self._middle = Middle(port, trial.manner, self._outcome.conduct)
        self._entered = trio.Event()
        self._over = trio.Event()
        """There is nothing more to wait for."""

    async def play(self, where: Address, command: Sequence[str] | None) -> _Outcome:
        listeners = await trio.open_tcp_listeners(where.port, host=where.host)
        port = listeners[0].socket.getsockname()[1]
        async with trio.open_nursery() as nursery:
            nursery.start_soon(make, self._trial, self._port, self._clock, self._entered.set)
            await self._entered.wait()
            nursery.start_soon(partial(trio.serve_listeners, self._middle.attend, listeners))
            nursery.start_soon(self._watch)
            if command is None:
                words = tell(f"situation.{self._trial.key}")
                key = "check.start_entrant" if self._trial.is_called else "check.start"
                click.echo(f"kille: {tell(key, host=where.host, port=port, room=PLACE, words=words)}", err=True)
            else:
                nursery.start_soon(self._run, command, port)
                nursery.start_soon(self._give_up)
            with trio.move_on_after(_PATIENCE_WITH_PEOPLE if command is None else _PATIENCE):
                await self._over.wait()
            nursery.cancel_scope.cancel()
        self._judge()
        return self._outcome

    def _strayed(self, name: str) -> None:
        from kille_net.wire.text import safe_text

        key = "check.elsewhere_entrant" if self._trial.is_called else "check.elsewhere"
        click.echo(f"kille: {tell(key, name=safe_text(name, _NAME_CELLS), room=PLACE)}", err=True)

    def _judge(self) -> None:
        conduct = self._outcome.conduct
        if conduct.has_ended:
            return
        if self._middle.lost.is_set() and not self._middle.back.is_set():
            conduct.not_back()
        elif not conduct.breaches:
            conduct.not_played()

    async def _watch(self) -> None:
        """Until the client has gone after its match, or does not come back."""
        middle = self._middle
        async with trio.open_nursery() as nursery:

            async def back() -> None:
                await middle.lost.wait()
                with trio.move_on_after(HELD):
                    await middle.back.wait()
                    return
                self._over.set()

            nursery.start_soon(back)
            await middle.over.wait()
            with trio.move_on_after(_GRACE):
                await middle.gone.wait()
            self._over.set()
            nursery.cancel_scope.cancel()

    async def _give_up(self) -> None:
        """Of a program that never comes."""
        await trio.sleep(_FIRST)
        if not self._outcome.conduct.lines:
            self._over.set()

    async def _run(self, command: Sequence[str], port: int) -> None:
        places = {"host": HOST, "port": port, "name": _NAME, "room": PLACE, "tournament": PLACE, "matches": 1}
        words = filled(command, places)
        with tempfile.TemporaryFile() as file:
            try:
                await trio.run_process(
                    words, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, check=False
                )
            finally:
                self._outcome.said = _end_of(file)
        await trio.sleep(_GRACE if self._middle.over.is_set() else 0.5)
        if self._outcome.conduct.lines:
            with trio.move_on_after(_GRACE):
                await self._middle.closed.wait()
        self._over.set()


def _end_of(file: IO[bytes]) -> str:
    size = file.seek(0, 2)
    file.seek(max(0, size - _MOST_SAID))
    return file.read().decode("utf-8", "replace")


def _tell(outcomes: Sequence[_Outcome], of: int, *, strict: bool, is_json: bool) -> Exit:
    faults = sum(len(one.kinds(faults=True)) for one in outcomes)
    remarks = sum(len(one.kinds(faults=False)) for one in outcomes)
    if is_json:
        click.echo(json.dumps(_object(outcomes), ensure_ascii=False, indent=2))
    else:
        for line in _lines(outcomes, of, faults, remarks):
            click.echo(line)
    sys.stdout.flush()
    return Exit.DOES_NOT_HOLD if faults or (strict and remarks) else Exit.DONE


def _lines(outcomes: Sequence[_Outcome], of: int, faults: int, remarks: int) -> list[str]:
    from kille_net.wire.text import safe_text

    rows = []
    for one in outcomes:
        bad = len(one.kinds(faults=True))
        words = tell(f"situation.{one.trial.key}")
        rows.append((one.trial.key, words, tell_many("check.faults", bad) if bad else tell("check.good")))
    lines = columns(rows, left=3)
    for one in outcomes:
        for is_fault, key in ((True, "check.tcp_fault"), (False, "check.tcp_remark")):
            for wrong, what, times in one.kinds(faults=is_fault):
                said = tell(f"check.tcp.{wrong.value}", what=what)
                lines += ["", tell_many(key, times, said=said, key=one.trial.key)]
                is_end = wrong in {Wrong.LEFT, Wrong.UNPLAYED, Wrong.GAVE_UP, Wrong.BYE}
                if one.said and is_end:
                    lines += [_INDENT + safe_text(line, 200) for line in one.said.splitlines()[-10:]]
    if len(outcomes) < of:
        lines += ["", tell("check.given_up_tcp", tried=len(outcomes), of=of)]
    said = tell_many("check.faults", faults) if faults else tell("check.no_faults")
    if remarks:
        said = f"{said}, {tell_many('check.remarks', remarks)}"
    questions = sum(one.conduct.questions for one in outcomes)
    slowest = max((one.conduct.slowest for one in outcomes), default=0.0)
    matches = sum(one.trial.matches for one in outcomes)
    asked = tell_many("check.questions", questions)
    end = tell_many("check.tcp_end", matches, questions=asked, slowest=f"{slowest:.3f}", said=said)
    return [*lines, "", end]


def _object(outcomes: Sequence[_Outcome]) -> list[dict[str, Any]]:
    return [
        {
            "situation": one.trial.key,
            "questions": one.conduct.questions,
            "slowest_s": round(one.conduct.slowest, 6),
            "ended": one.conduct.has_ended,
            "findings": [
                {"kind": wrong.value, "is_fault": is_fault, "what": what, "times": times}
                for is_fault in (True, False)
                for wrong, what, times in one.kinds(faults=is_fault)
            ],
        }
        for one in outcomes
    ]
