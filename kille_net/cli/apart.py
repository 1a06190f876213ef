"""Bots that end the process they run in, or keep it: what is told of it, and with which status the command ends.

Owns the child process in which such a command goes on, with the same terminal and the same streams, while its parent
waits to tell how it ended. Refuses to know what the command does.
"""

import io
import os
import signal
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import click

from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.speaking import tell
from kille_net.systems import CAN_DIVIDE, end_with_parent

__all__ = ["go_apart", "interrupted"]

_PASSED_ON: Final = ("SIGINT", "SIGTERM", "SIGHUP")
_STDOUT: Final = 1


def go_apart(bots: Collection[str]) -> None:
    """Go on with this command in a child process, where any of these bots is not ours.

    Its parent never returns from here: it raises CliError as soon as the child has ended. Where a process cannot be
    divided, or its words are caught in this one, it goes on as it is.
    """
    from kille_net.arena.programs import is_own

    others = list(filter(is_own, bots))
    if others and CAN_DIVIDE and _speaks_for_itself():
        click.get_current_context().with_resource(_apart(others))


def interrupted(error: KeyboardInterrupt) -> CliError:
    """Tell where a bot was when somebody lost patience with it."""
    from kille_net.bots.guard import told

    click.echo(told(error), err=True, nl=False)
    return CliError(tell("bot.interrupted"), code=Exit.SIGINT)


def _speaks_for_itself() -> bool:
    try:
        return sys.stdout.fileno() == _STDOUT
    except (OSError, io.UnsupportedOperation):
        return False


@contextmanager
def _apart(bots: Sequence[str]) -> Iterator[None]:
    """In the child, until the command is done; raises CliError in the parent."""
    passed_on = {getattr(signal, name) for name in _PASSED_ON}
    done, is_done = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {*passed_on, signal.SIGCHLD})
    parent = os.getpid()
    child = os.fork()
    if child:
        os.close(is_done)
        raise _ending(child, done, passed_on, bots)
    end_with_parent(parent)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    os.close(done)
    try:
        yield
    finally:
        os.write(is_done, b"\n")
        os.close(is_done)


def _ending(child: int, done: int, passed_on: Collection[int], bots: Sequence[str]) -> CliError:
    """Wait for the child, and say how it ended: by itself, as it says, or by what a bot did."""
    status, signals = _wait(child, passed_on)
    code = os.waitstatus_to_exitcode(status)
    if code in set(Exit) and os.read(done, 1):
        return CliError("", code=Exit(code))
    if -code in signals:
        return CliError("", code=Exit(128 - code))
    bot = ", ".join(bots)
    if code >= 0:
        return CliError(tell("bot.ended", bot=bot, status=code), code=Exit.DOES_NOT_HOLD)
    name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
    return CliError(tell("bot.killed", bot=bot, signal=name), code=Exit.DOES_NOT_HOLD)


def _wait(child: int, passed_on: Collection[int]) -> tuple[int, set[int]]:
    """Its status at the end, and the signals that have come meanwhile; those of a terminal go to both of us."""
    came: set[int] = set()
    while True:
        info = signal.sigwaitinfo({*passed_on, signal.SIGCHLD})
        if info.si_signo != signal.SIGCHLD:
            came.add(info.si_signo)
            if info.si_code <= 0:  # of a process (sigaction(2)), and so for its parent alone
                os.kill(child, info.si_signo)
            continue
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status, came
