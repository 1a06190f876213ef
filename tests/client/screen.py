"""A real pseudo-terminal with the client in it, and a screen to read what it drew."""

import os
import re
import signal
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import pexpect
import pyte

KILLE = (sys.executable, "-c", "from kille_net.cli import main; main()")
SECONDS = 15.0
_ATTRIBUTES = re.compile(rb"\x1b\[([0-9;]*)m")
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>78]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")


def environment(**changes: str | None) -> dict[str, str]:
    """The environment of a client: a full terminal in UTF-8, unless it is changed; None takes away."""
    base: dict[str, str | None] = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("KILLE_", "LC_", "LANG"))},
        "KILLE_DATA": os.environ["KILLE_DATA"],
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "NO_COLOR": None,
        **changes,
    }
    return {name: value for name, value in base.items() if value is not None}


class Terminal:
    """Runs a command in a terminal of (columns, rows)."""

    def __init__(
        self, command: Sequence[str], *, size: tuple[int, int] = (80, 24), env: Mapping[str, str] | None = None
    ) -> None:
        columns, rows = size
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._shown = 0
        self.raw = bytearray()
        self.child: Any = pexpect.spawn(
            command[0],
            list(command[1:]),
            dimensions=(rows, columns),
            env=dict(env or environment()),
            timeout=SECONDS,
        )
        self.child.delaybeforesend = None
        self.found = termios.tcgetattr(self.child.fileno())
        """The terminal's mode before the client touched it."""

    # --- reading --------------------------------------------------------------------------------------------------

    def pump(self, seconds: float) -> bool:
        """Take what was drawn; whether something was."""
        try:
            data: bytes = self.child.read_nonblocking(65_536, timeout=seconds)
        except pexpect.TIMEOUT:
            return False
        except pexpect.EOF:
            raise EOFError from None
        self.raw += data
        return True

    @property
    def screen(self) -> pyte.Screen:
        """What is shown now; drawn when it is looked at, which is slow."""
        self._stream.feed(bytes(self.raw[self._shown :]))
        self._shown = len(self.raw)
        return self._screen

    def wait(self, condition: Callable[[], bool], what: str = "condition") -> Self:
        """Read until the condition holds."""
        deadline = time.monotonic() + SECONDS
        while not condition():
            if time.monotonic() > deadline:
                shown = "\n".join(self.rows)
                message = f"never came: {what}\n{shown}"
                raise AssertionError(message)
            try:
                self.pump(0.2)
            except EOFError:
                if condition():
                    break
                shown = "\n".join(self.rows)
                message = f"ended before: {what}\n{shown}"
                raise AssertionError(message) from None
        return self

    def see(self, text: str) -> Self:
        """Read until the text is on the screen."""
        return self.wait(lambda: text in self.text, text)

    @property
    def rows(self) -> list[str]:
        """The rows that hold something."""
        return [row.rstrip() for row in self.screen.display if row.strip()]

    @property
    def text(self) -> str:
        return "\n".join(self.rows)

    @property
    def printed(self) -> str:
        """All that was ever written, without escape sequences."""
        return _ESCAPES.sub("", self.raw.decode("utf-8", "replace"))

    @property
    def is_raw(self) -> bool:
        flags: int = termios.tcgetattr(self.child.fileno())[3]
        return not flags & termios.ICANON

    # --- doing ----------------------------------------------------------------------------------------------------

    def press(self, keys: str) -> Self:
        self.child.send(keys)
        return self

    def resize(self, columns: int, rows: int) -> Self:
        self.child.setwinsize(rows, columns)
        screen, x, y = self.screen, self.screen.cursor.x, self.screen.cursor.y
        gone = max(y + 1 - rows, 0)  # at the top: a terminal keeps the row of its cursor, where pyte keeps the last
        if screen.lines - rows > gone:
            screen.cursor_position()
            screen.insert_lines(screen.lines - rows - gone)
        screen.resize(rows, columns)
        screen.cursor.x, screen.cursor.y = min(x, columns - 1), y - gone
        return self

    def signal(self, number: signal.Signals) -> Self:
        os.kill(self.child.pid, number)
        return self

    def end(self) -> int:
        """Read to the end; the exit code, a signal's as 128 + n. The terminal must be as it was found."""
        deadline = time.monotonic() + SECONDS
        try:
            while time.monotonic() < deadline:
                self.pump(0.2)
            message = f"does not end\n{self.text}"
            raise AssertionError(message)
        except EOFError:
            pass
        assert termios.tcgetattr(self.child.fileno()) == self.found
        if b"\x1b[?2004h" in self.raw:  # lines were edited
            assert self.raw.rfind(b"\x1b[?2004l") > self.raw.rfind(b"\x1b[?2004h"), "bracketed paste is on"
            assert self.raw.rfind(b"\x1b[?25h") > self.raw.rfind(b"\x1b[?25l"), "the cursor is hidden"
            *_, attributes = _ATTRIBUTES.findall(bytes(self.raw))
            assert attributes in {b"", b"0"}, "text has attributes"
        self.child.wait()
        code: int | None = self.child.exitstatus
        return code if code is not None else 128 + self.child.signalstatus

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.child.close(force=True)
