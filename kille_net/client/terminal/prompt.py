"""The line client on a terminal: prompt_toolkit owns the loop, trio is its guest.

Owns the keys, what is printed when, and the order in which the two halves end. What is decided, is decided by the core.
"""

import asyncio
import os
import signal
import sys
from collections import deque
from collections.abc import Iterable
from functools import partial
from math import inf
from typing import Any, Final

import trio
from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

from kille_net.client.commands import Verb, without_password
from kille_net.client.conversation import Conversation
from kille_net.client.core import Core
from kille_net.client.effects import Bell, Line, Print, Quit, Show, Span, Style
from kille_net.client.endings import SIGHUP, SIGINT
from kille_net.client.invitation import Invitation
from kille_net.client.showing.layout import shown, to_ascii, wrap
from kille_net.client.showing.pictures import side_by_side
from kille_net.client.showing.texts import say, say_many
from kille_net.client.terminal.faults import Faults
from kille_net.client.terminal.signals import Signals
from kille_net.client.terminal.title import Title, takes_title
from kille_net.client.terminal.toolkit import KeyboardReader, Screen, WriterOutput, formatted, put_above, styles
from kille_net.client.terminal.typed import typed_lines
from kille_net.client.terminal.writer import Writer

__all__ = ["run_prompt"]

_BEAT: Final = 0.05
"""Seconds between two prints at least: what comes meanwhile is printed together."""
_PAUSE: Final = 0.02
"""Seconds between two reads from the server at least: a beat has more than one, so that none takes long."""
_MOST_LINES: Final = 2000
"""Lines that wait to be printed; older ones are left out."""
_MOST_UNWRITTEN: Final = 64 * 1024
"""Bytes that a terminal may leave unread before printing waits for it."""
_MOST_WRITER: Final = 256 * 1024
_KEYS: Final = {
    "f1": Verb.HELP,
    "f2": Verb.KUKU,
    "c-k": Verb.KUKU,
    "f3": Verb.STAND,
    "f4": Verb.SWAP,
    "f5": Verb.WHO,
    "f6": Verb.NEXT,
}
"""What a key does at once, whatever is half typed; the text `now.keys` tells of them."""
_ENTER_OF_HELP: Final = 2.0
"""Seconds in which an Enter belongs to the `?` before it, which needed none."""
_STDIN: Final = 0
_STDOUT: Final = 1


class _Interrupted(Exception):
    """Ctrl-C, should it ever get past our key."""


def run_prompt(invitation: Invitation, signals: Signals, *, ascii_only: bool) -> Quit:
    """Play until there is a reason to leave; the terminal is then as it was before."""
    return asyncio.run(_Prompt(invitation, signals, ascii_only=ascii_only).run())


class _Words(Completer):
    """The core's completions, as prompt_toolkit wants them."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        for text, back, meaning in self._core.completions(document.text_before_cursor):
            yield Completion(text, start_position=-back, display_meta=meaning)


class _Prompt:
    def __init__(self, invitation: Invitation, signals: Signals, *, ascii_only: bool) -> None:
        self._lang = invitation.lang
        self._typed = invitation.typed
        self._signals = signals
        self._ascii_only = ascii_only
        self._core = Core(invitation, plain=False)
        takes = invitation.preferences.title and takes_title(os.environ.get("TERM", ""))
        self._title = Title(to_ascii(say(invitation.lang, "title_turn")), is_used=takes)
        self._conversation = Conversation(invitation, self._core, self._show, pause=_PAUSE)
        self._waiting: deque[Print | Show] = deque()
        self._left_out = 0
        self._drawn: tuple[tuple[int, int], list[Line]] = (0, 0), []
        """The status lines, and the size of the terminal that they were drawn for."""
        self._beat: asyncio.TimerHandle | None = None
        self._last_beat = 0.0
        self._faults = Faults(self._conversation.leave)
        self._helped_at = -inf
        """When `?` was pressed, if that was the last thing."""

    async def run(self) -> Quit:
        self._loop = loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._faults.crashed)
        self._writer = Writer(
            _STDOUT,
            _MOST_WRITER,
            on_drained=lambda: loop.call_soon_threadsafe(self._drained),
            on_failed=lambda error: loop.call_soon_threadsafe(self._faults.write_failed, error),
        )
        self._output = WriterOutput(self._writer, ascii_only=self._ascii_only)
        self._session = self._make_session()
        self._screen = Screen(self._session.app, self._output, self._writer)
        welcomed = asyncio.Event()
        self._conversation.on_welcome = welcomed.set
        finished: asyncio.Future[Any] = loop.create_future()
        self._signals.wake = lambda: loop.call_soon_threadsafe(self._stop)
        if self._signals.caught is not None:
            self._stop()
        trio.lowlevel.start_guest_run(
            self._conversation.run,
            run_sync_soon_threadsafe=loop.call_soon_threadsafe,
            run_sync_soon_not_threadsafe=loop.call_soon,
            done_callback=finished.set_result,
            host_uses_signal_set_wakeup_fd=True,
        )
        try:
            return await self._until_done(welcomed, finished)
        finally:
            self._writer.write(self._title.show(mark=False).encode())
            self._screen.restore()
            self._writer.close()

    async def _until_done(self, welcomed: asyncio.Event, finished: asyncio.Future[Any]) -> Quit:
        """Nothing is drawn before the welcome, and the prompt stays until trio has ended."""
        welcome: asyncio.Future[Any] = asyncio.create_task(welcomed.wait())
        await asyncio.wait({welcome, finished}, return_when=asyncio.FIRST_COMPLETED)
        welcome.cancel()
        if not finished.done():
            await self._prompt(finished)
        result = await finished
        self._print_rest()
        self._writer.wait(1.0)
        self._faults.tell()
        how: Quit = result.unwrap()
        return how

    async def _prompt(self, finished: asyncio.Future[Any]) -> None:
        """Run the one application until one of the two halves ends, and then the other."""
        app = self._session.app
        self._loop.add_signal_handler(signal.SIGCONT, self._screen.to_raw)
        prompt: asyncio.Future[Any] = asyncio.create_task(
            app.run_async(pre_run=self._started, set_exception_handler=False, handle_sigint=False)
        )
        ticking = asyncio.create_task(self._tick())
        try:
            await asyncio.wait({prompt, finished}, return_when=asyncio.FIRST_COMPLETED)
            if not finished.done():
                self._prompt_ended(prompt)
                await asyncio.wait({finished})
            if not prompt.done() and not app.is_done:
                self._flush()
                app.exit()
            await asyncio.wait({prompt})
            self._prompt_ended(prompt)
        finally:
            ticking.cancel()
            if self._beat is not None:
                self._beat.cancel()
            self._loop.remove_signal_handler(signal.SIGCONT)

    def _prompt_ended(self, prompt: asyncio.Future[Any]) -> None:
        error = prompt.exception()
        if error is None or isinstance(error, EOFError):  # the keyboard is gone
            self._conversation.leave(Quit(SIGHUP))
        elif isinstance(error, _Interrupted):
            self._conversation.leave(Quit(SIGINT))
        else:
            self._faults.fail(error)

    def _started(self) -> None:
        self._screen.starting()
        self._loop.call_soon(self._screen.started)
        self._loop.call_soon(self._flush)  # what came with the welcome, should nothing come after it

    def _make_session(self) -> PromptSession[str]:
        keyboard = Vt100Input(sys.stdin)
        keyboard.stdin_reader = KeyboardReader(keyboard)  # type: ignore[assignment]  # reads as the PosixStdinReader does
        session: PromptSession[str] = PromptSession(
            message="> ",
            completer=_Words(self._core),
            complete_while_typing=False,
            validate_while_typing=False,
            history=typed_lines(self._typed),
            key_bindings=self._keys(),
            style=styles(self._output.get_default_color_depth()),
            input=keyboard,
            output=self._output,
            interrupt_exception=_Interrupted,
            reserve_space_for_menu=4,
        )
        session.default_buffer.accept_handler = self._accept
        session.default_buffer.auto_suggest = None  # there is none, and each key would be drawn twice for its sake
        session.default_buffer.on_text_changed += self._typed_on
        session.app.erase_when_done = True
        session.app.max_render_postpone_time = None  # a key is shown before what else there is to do
        put_above(session.app, self._status)
        return session

    # --- keys -----------------------------------------------------------------------------------------------------

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        for key, verb in _KEYS.items():
            keys.add(key, eager=True)(partial(self._press, verb))
        is_empty = Condition(lambda: not self._session.default_buffer.text)

        @keys.add("?", filter=is_empty, eager=True)
        def _(event: KeyPressEvent) -> None:
            self._press(Verb.HELP, event)
            self._helped_at = self._loop.time()

        @keys.add("c-c", eager=True)
        def _(_event: KeyPressEvent) -> None:
            self._conversation.leave(Quit(SIGINT))

        @keys.add("c-d", filter=is_empty)
        def _(_event: KeyPressEvent) -> None:
            self._conversation.apply(self._core.press(Verb.QUIT))

        @keys.add(Keys.BracketedPaste)
        def _(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text(" ".join(event.data.split()))  # one line, which waits for Enter

        @keys.add("c-z", eager=True)
        def _(_event: KeyPressEvent) -> None:
            self._suspend()

        return keys

    def _press(self, verb: Verb, _event: KeyPressEvent) -> None:
        self._helped_at = -inf
        if self._conversation.quit is None:
            self._conversation.apply(self._core.press(verb))

    def _typed_on(self, _buffer: object) -> None:
        self._helped_at = -inf

    def _accept(self, buffer: Any) -> bool:  # noqa: ANN401  prompt_toolkit's Buffer
        """A line was typed. It is shown above, as it would be on a terminal, and the prompt goes on."""
        text = buffer.text
        if self._conversation.quit is not None:  # typed after Ctrl-C
            return False
        was_helped = self._loop.time() < self._helped_at + _ENTER_OF_HELP
        self._helped_at = -inf
        if was_helped and not text:
            return False
        if text.strip():
            self._show(Print(f"> {without_password(text)}", Style.QUIET))
        self._conversation.apply(self._core.line(text))
        return False

    def _suspend(self) -> None:
        self._output.write_raw(self._title.show(mark=False))
        self._screen.to_cooked()
        os.kill(0, signal.SIGTSTP)
        # Where nobody can continue us the signal does nothing; where somebody does, SIGCONT does this once more.
        self._screen.to_raw()

    # --- what is shown --------------------------------------------------------------------------------------------

    def _text(self, text: str) -> str:
        return shown(text, ascii_only=self._ascii_only)

    def _line(self, line: Line) -> Line:
        return tuple(span._replace(text=self._text(span.text)) for span in line)

    def _status(self) -> FormattedText:
        """The status lines."""
        self._conversation.heard()
        self._output.write_raw(self._title.show(mark=self._core.is_our_turn))
        size = self._screen.size
        if not self._waiting:
            self._drawn = size, [self._line(line) for line in self._core.status(self._conversation.now, size)]
        drawn_for, lines = self._drawn  # while lines wait, no more than what the printed ones have told
        return formatted(lines if drawn_for == size else [])

    async def _tick(self) -> None:
        """The clock in the status line goes on."""
        while True:
            await asyncio.sleep(1)
            self._session.app.invalidate()

    def _show(self, effect: Print | Show | Bell) -> None:
        if isinstance(effect, Bell):
            self._output.bell()
            return
        self._waiting.append(effect)
        if len(self._waiting) > _MOST_LINES:
            self._waiting.popleft()
            self._left_out += 1
        if self._beat is None:
            due = max(self._last_beat + _BEAT, self._loop.time())
            self._beat = self._loop.call_at(due, self._flush)

    def _flush(self) -> None:
        """Print what has come, or wait another beat for a terminal that does not read."""
        if self._beat is not None:
            self._beat.cancel()
            self._beat = None
        self._last_beat = self._loop.time()
        if not self._session.app.is_running or not self._waiting:
            return
        if self._writer.size > _MOST_UNWRITTEN:
            self._beat = self._loop.call_later(_BEAT, self._flush)
            return
        self._screen.print_above(self._take_lines())
        if self._waiting:
            self._beat = self._loop.call_later(_BEAT, self._flush)

    def _take_lines(self) -> list[Line]:
        """What fits into one write, wrapped and with its style."""
        lines: list[Line] = []
        if self._left_out:
            lines.append((Span(say_many(self._lang, "left_out", self._left_out)),))
            self._left_out = 0
        size = 0
        while self._waiting and size < _MOST_UNWRITTEN:
            taken = self._lines_of(self._waiting.popleft())
            size += 4 * sum(len(span.text) for line in taken for span in line)
            lines += taken
        return lines

    def _lines_of(self, effect: Print | Show) -> list[Line]:
        columns, rows = self._screen.size
        if isinstance(effect, Print):
            return [(Span(line, effect.style),) for line in wrap(self._text(effect.text), columns)]
        lines = side_by_side(effect.cards, self._lang, columns - 1)
        return [self._line(line) for line in lines] if len(lines) <= rows // 2 else []

    def _print_rest(self) -> None:
        """What came after the prompt had gone."""
        while self._waiting:
            text = "".join(f"{''.join(span.text for span in line)}\r\n" for line in self._take_lines())
            if not self._writer.write(text.encode("utf-8", "replace")):
                return

    # --- leaving --------------------------------------------------------------------------------------------------

    def _stop(self) -> None:
        self._conversation.leave(Quit(self._signals.exit_code or SIGINT))

    def _drained(self) -> None:
        if self._session.app.is_running:
            self._screen.repaint()
