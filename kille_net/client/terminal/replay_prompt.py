"""A replay on a terminal: keys in, one picture that is drawn again, and above it what is asked for as text.

Owns the application and its clock. What is shown and what a key does, is decided by `playback`.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from typing import Final

from prompt_toolkit.application import Application
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import FormattedTextControl, Layout, Window

from kille_net.client.effects import Print, Quit, Span
from kille_net.client.endings import DONE, SIGHUP, SIGINT
from kille_net.client.playback import BACKSPACE, ENTER, ESCAPE, Playback
from kille_net.client.showing.layout import shown, wrap
from kille_net.client.terminal.faults import Faults
from kille_net.client.terminal.signals import Signals
from kille_net.client.terminal.toolkit import KeyboardReader, Screen, WriterOutput, styles
from kille_net.client.terminal.writer import Writer

__all__ = ["run_replay"]

_MOST_WRITER: Final = 1024 * 1024
_STDOUT: Final = 1
_KEYS: Final = {
    Keys.ControlM: ENTER,
    Keys.ControlJ: ENTER,
    Keys.Escape: ESCAPE,
    Keys.ControlH: BACKSPACE,
    Keys.Right: "right",
    Keys.Left: "left",
    Keys.Home: "home",
    Keys.End: "end",
}


def run_replay(playback: Playback, signals: Signals, *, ascii_only: bool) -> Quit:
    """Look until there is a reason to leave; the terminal is then as it was before, and the last picture on it."""
    return asyncio.run(_Viewer(playback, signals, ascii_only=ascii_only).run())


class _Viewer:
    def __init__(self, playback: Playback, signals: Signals, *, ascii_only: bool) -> None:
        self._playback = playback
        self._signals = signals
        self._ascii_only = ascii_only
        self._quit: Quit | None = None
        self._faults = Faults(self._leave)
        self._beat: asyncio.TimerHandle | None = None

    async def run(self) -> Quit:
        self._loop = loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._faults.crashed)
        writer = Writer(
            _STDOUT,
            _MOST_WRITER,
            on_drained=lambda: loop.call_soon_threadsafe(self._drained),
            on_failed=lambda error: loop.call_soon_threadsafe(self._faults.write_failed, error),
        )
        output = WriterOutput(writer, ascii_only=self._ascii_only)
        keyboard = Vt100Input(sys.stdin)
        keyboard.stdin_reader = KeyboardReader(keyboard)  # type: ignore[assignment]  # reads as the PosixStdinReader does
        self._app: Application[None] = Application(
            layout=Layout(Window(FormattedTextControl(self._picture, focusable=True, show_cursor=False))),
            key_bindings=self._keys(),
            style=styles(output.get_default_color_depth()),
            input=keyboard,
            output=output,
        )
        self._screen = Screen(self._app, output, writer)
        self._signals.wake = lambda: loop.call_soon_threadsafe(self._stop)
        loop.add_signal_handler(signal.SIGCONT, self._screen.to_raw)
        try:
            await self._app.run_async(pre_run=self._started, set_exception_handler=False, handle_sigint=False)
        except EOFError:  # the keyboard is gone
            self._leave(Quit(SIGHUP))
        finally:
            loop.remove_signal_handler(signal.SIGCONT)
            if self._beat is not None:
                self._beat.cancel()
            self._screen.restore()
            writer.close()
        self._faults.tell()
        return self._quit or Quit(DONE)

    def _started(self) -> None:
        self._screen.starting()
        self._loop.call_soon(self._screen.started)
        if self._signals.caught is not None:
            self._stop()

    # --- keys -----------------------------------------------------------------------------------------------------

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        def press(key: KeyPressEvent) -> None:
            pressed = key.key_sequence[0].key
            self._press(_KEYS[pressed] if isinstance(pressed, Keys) and pressed in _KEYS else key.data)

        for name in (*_KEYS, Keys.Any):
            keys.add(name)(press)

        @keys.add("c-c", eager=True)
        def _(_event: KeyPressEvent) -> None:
            self._leave(Quit(SIGINT))

        @keys.add("c-d", eager=True)
        def _(_event: KeyPressEvent) -> None:
            self._leave(Quit(DONE))

        @keys.add("c-z", eager=True)
        def _(_event: KeyPressEvent) -> None:
            self._screen.to_cooked()
            os.kill(0, signal.SIGTSTP)
            self._screen.to_raw()

        return keys

    def _press(self, key: str) -> None:
        effects = self._playback.press(key)
        lines = [effect.text for effect in effects if isinstance(effect, Print)]
        if lines:
            self._loop.call_soon(self._print, lines)  # while a key is worked on, it is drawn in the picture
        for effect in effects:
            if isinstance(effect, Quit):
                self._leave(effect)
        self._arm()

    def _print(self, lines: Sequence[str]) -> None:
        if self._app.is_running:
            columns, _ = self._screen.size
            self._screen.print_above([(Span(part),) for line in lines for part in wrap(self._text(line), columns)])

    def _arm(self) -> None:
        """The next step of what plays by itself."""
        if self._beat is not None:
            self._beat.cancel()
            self._beat = None
        if self._playback.is_playing:
            self._beat = self._loop.call_later(60 / self._playback.speed, self._tick)

    def _tick(self) -> None:
        self._playback.tick()
        self._app.invalidate()
        self._arm()

    # --- what is shown --------------------------------------------------------------------------------------------

    def _text(self, text: str) -> str:
        return shown(text, ascii_only=self._ascii_only)

    def _picture(self) -> FormattedText:
        parts: list[tuple[str, str]] = []
        for line in self._playback.picture(self._screen.size):
            parts += [("", "\n")] if parts else []
            parts += [(f"class:{span.style.value}", self._text(span.text)) for span in line]
        return FormattedText(parts)

    # --- leaving --------------------------------------------------------------------------------------------------

    def _stop(self) -> None:
        self._leave(Quit(self._signals.exit_code or SIGINT))

    def _leave(self, how: Quit) -> None:
        if self._quit is None:
            self._quit = how
            if self._app.is_running and not self._app.is_done:
                self._app.exit()

    def _drained(self) -> None:
        if self._app.is_running:
            self._screen.repaint()
