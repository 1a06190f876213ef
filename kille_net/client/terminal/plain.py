"""Lines in, lines out: for pipes, simple terminals and screen readers. Nothing is redrawn.

Owns standard input and output where no line is edited.
"""

import errno
import os
import stat
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

import trio

from kille_net.client.conversation import Conversation
from kille_net.client.core import Core
from kille_net.client.effects import Bell, Print, Quit, Show
from kille_net.client.endings import DONE, NO_OUTPUT, SIGHUP
from kille_net.client.invitation import Invitation
from kille_net.client.showing.layout import shown, wrap
from kille_net.client.showing.texts import say
from kille_net.client.terminal.signals import Signals
from kille_net.client.terminal.writer import Writer
from kille_net.systems import WAITS_FOR_FILES
from kille_net.wire.states import Place

__all__ = ["run_plain"]

_MOST_WAITING: Final = 8 * 1024 * 1024
"""Bytes that a slow reader may leave unread."""
_MOST_LINE: Final = 4096
_LAST_ANSWERS: Final = 2.0
"""Seconds in which answers may still come after the end of input."""
_LAST_EVENTS: Final = 0.3
"""Seconds of quiet after which nothing more is expected."""
_STDIN: Final = 0
_STDOUT: Final = 1


def run_plain(invitation: Invitation, signals: Signals, *, ascii_only: bool) -> Quit:
    """Play until there is a reason to leave; everything is written when it returns, if anybody reads."""
    return trio.run(_Plain(invitation, signals, ascii_only=ascii_only).run)


class _Plain:
    def __init__(self, invitation: Invitation, signals: Signals, *, ascii_only: bool) -> None:
        self._invitation = invitation
        self._signals = signals
        self._ascii_only = ascii_only
        self._core = Core(invitation, plain=True, asks=os.isatty(_STDIN))
        self._conversation = Conversation(invitation, self._core, self._show)

    async def run(self) -> Quit:
        token = trio.lowlevel.current_trio_token()
        self._writer = Writer(
            _STDOUT,
            _MOST_WAITING,
            on_drained=lambda: None,
            on_failed=lambda error: token.run_sync_soon(self._fail, error),
        )
        self._signals.wake = lambda: token.run_sync_soon(self._stop)
        if self._signals.caught is not None:
            self._stop()
        async with trio.open_nursery() as nursery:
            if self._invitation.autopilot is None:
                nursery.start_soon(self._read)
            how = await self._conversation.run()
            nursery.cancel_scope.cancel()
        self._writer.close()
        while not self._writer.wait(0) and self._signals.caught is None:
            await trio.to_thread.run_sync(self._writer.wait, 0.1)
        return how

    def _stop(self) -> None:
        self._conversation.leave(Quit(self._signals.exit_code or DONE))

    def _fail(self, error: OSError) -> None:
        """Nobody reads any more: `| head -1` has its line; a terminal that is gone hangs up. Or it is another error."""
        match error.errno:
            case errno.EPIPE:
                self._conversation.leave(Quit(DONE))
            case errno.EIO:
                self._conversation.leave(Quit(SIGHUP))
            case _:
                text = say(self._invitation.lang, "cannot_write", why=error.strerror)
                self._conversation.leave(Quit(NO_OUTPUT, text))

    def _show(self, effect: Print | Show | Bell) -> None:
        if isinstance(effect, Print):
            for line in self._broken(shown(effect.text, ascii_only=self._ascii_only)):
                self._writer.write(line.encode("utf-8", "replace") + b"\n")
        elif isinstance(effect, Bell) and os.isatty(_STDOUT):
            self._writer.write(b"\a")

    def _broken(self, text: str) -> list[str]:
        """The text as a terminal shows it: broken between words, which it does not do by itself."""
        if not os.isatty(_STDOUT):
            return [text]
        try:
            return wrap(text, os.get_terminal_size(_STDOUT).columns)
        except OSError:  # it is gone
            return [text]

    async def _read(self) -> None:
        """Obey every line; after the last, wait a moment for what is still coming."""
        async with aclosing(_lines(_STDIN)) as lines:
            async for line in lines:
                while self._core.is_moving or self._core.is_full:
                    await self._conversation.changed.wait()
                self._conversation.apply(self._core.line(line))
        with trio.move_on_after(_LAST_ANSWERS):
            while self._core.is_moving or self._core.waits:
                await self._conversation.changed.wait()
        while self._core.model.place is Place.WATCHING and not self._core.has_ended:
            await self._conversation.changed.wait()
        is_quiet = False
        while not is_quiet:
            with trio.move_on_after(_LAST_EVENTS) as scope:
                await self._conversation.changed.wait()
            is_quiet = scope.cancelled_caught
        self._conversation.apply(self._core.quit())


async def _lines(fd: int) -> AsyncGenerator[str, None]:
    """The lines of a descriptor; the terminal's own mode is left alone, since others share it."""
    mode = os.fstat(fd).st_mode
    is_ready_at_once = stat.S_ISREG(mode) or (stat.S_ISCHR(mode) and not os.isatty(fd))  # epoll refuses these
    buffer = b""
    while True:
        if is_ready_at_once:
            await trio.lowlevel.checkpoint()
            data = _read(fd)
        elif WAITS_FOR_FILES:
            await trio.lowlevel.wait_readable(fd)
            data = _read(fd)
        else:  # the thread goes on waiting for a key when nobody wants it any more; the end of the process ends it
            data = await trio.to_thread.run_sync(_read, fd, abandon_on_cancel=True)
        *whole, buffer = (buffer + data).split(b"\n")
        if not data and buffer:
            whole, buffer = [buffer], b""
        for line in whole:
            yield line[:_MOST_LINE].decode("utf-8", "replace")
        buffer = buffer[: _MOST_LINE + 1]
        if not data:
            return


def _read(fd: int) -> bytes:
    try:
        return os.read(fd, _MOST_LINE)
    except OSError:  # a terminal that is gone
        return b""
