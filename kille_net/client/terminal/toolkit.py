"""Where prompt_toolkit is bent: output through our writer, input without a loop on a dead terminal, screen and styles.

Owns every use of what prompt_toolkit keeps private (`_redraw`, `_merged_style`, `_buffer`, `_on_resize`, `_cursor_pos`,
`_request_absolute_cursor_position`), hence the upper bound on its version. Refuses to know Kille.
"""

import os
import sys
import termios
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

from prompt_toolkit.application import Application
from prompt_toolkit.data_structures import Size
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.layout import Dimension, FormattedTextControl, HSplit, Layout, Window
from prompt_toolkit.output.color_depth import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.renderer import print_formatted_text
from prompt_toolkit.styles import Style as ToolkitStyle

from kille_net.client.effects import Line, Span, Style
from kille_net.client.terminal.writer import Writer

__all__ = ["MORE", "SIXTEEN", "KeyboardReader", "Screen", "WriterOutput", "formatted", "styles"]

SIXTEEN: Final[Mapping[Style, str]] = {
    Style.LOUD: "bold",
    Style.MINE: "bold ansigreen",
    Style.CHAT: "ansicyan",
    Style.FAULT: "ansired",
    Style.LOW: "ansired",
    Style.INN: "ansigreen",
    Style.HORSE: "ansicyan",
    Style.PIG: "ansimagenta",
    Style.HUSSAR: "bold ansired",
    Style.CUCKOO: "bold ansimagenta",
    Style.HARLEQUIN: "bold ansicyan",
}
"""How each kind of text looks where there are 16 colours: with those that are told from black and from white alike."""
MORE: Final[Mapping[Style, str]] = {
    **SIXTEEN,
    Style.MINE: "bold #008700",
    Style.CHAT: "#008787",
    Style.FAULT: "#d7005f",
    Style.LOW: "#af5f00",
    Style.NUMBER: "#5f5fff",
    Style.INN: "#008700",
    Style.HORSE: "#00875f",
    Style.PIG: "#d700af",
    Style.HUSSAR: "bold #d7005f",
    Style.CUCKOO: "bold #875fff",
    Style.HARLEQUIN: "bold #d700d7",
}
"""…and where there are 256 or more: of the 256, each with a contrast of 4 or more with black and with white."""
_CHUNK: Final = 1024
_CUT_LONG_ROWS: Final = frozenset({"linux", "xterm-mono", "vt100", "vt220"})
"""Terminals that cut what is too long when they get narrower; the others break it, and the cursor moves down."""
_PLAIN: Final = b"\x1b[?2004l\x1b[?25h\x1b[0m"
"""Pasting is not told apart, the cursor is shown, and text has no attributes."""
_SIZE: Final = Size(rows=24, columns=80)


def styles(depth: ColorDepth) -> ToolkitStyle:
    """How each kind of text looks in so many colours."""
    looks = SIXTEEN if depth in {ColorDepth.DEPTH_1_BIT, ColorDepth.DEPTH_4_BIT} else MORE
    return ToolkitStyle.from_dict({style.value: looks.get(style, "") for style in Style})


def formatted(lines: Iterable[Line]) -> FormattedText:
    """The lines as prompt_toolkit takes them, each with its end."""
    parts = [(f"class:{span.style.value}", span.text) for line in lines for span in (*line, Span("\n"))]
    return FormattedText(parts)


def put_above(app: Application[Any], text: Callable[[], FormattedText]) -> None:
    """Show lines, each with its end, above what is there; they are asked for once whenever all is drawn."""
    control = FormattedTextControl(text)

    def height() -> Dimension:
        lines = control.create_content(0, None).line_count - 1
        return Dimension(preferred=lines, max=lines)

    app.layout = Layout(HSplit([Window(control, height=height), app.layout.container]), app.layout.current_window)


def _size() -> Size:
    try:
        columns, rows = os.get_terminal_size(sys.stdout.fileno())
    except OSError:
        return _SIZE
    return Size(rows=rows or _SIZE.rows, columns=columns or _SIZE.columns)


class WriterOutput(Vt100_Output):
    """The terminal, written to by the writer's thread. It is never asked where its cursor is."""

    def __init__(self, writer: Writer, *, ascii_only: bool) -> None:
        depth = ColorDepth.DEPTH_1_BIT if os.environ.get("NO_COLOR") else None
        super().__init__(sys.stdout, _size, term=os.environ.get("TERM"), default_color_depth=depth, enable_cpr=False)
        self._writer = writer
        self._encoding = "ascii" if ascii_only else "utf-8"
        self._is_held = False

    def flush(self) -> None:
        if self._is_held or not self._buffer:
            return
        data = "".join(self._buffer)
        self._buffer = []
        self._writer.write(data.encode(self._encoding, "replace"))

    @contextmanager
    def held(self) -> Iterator[None]:
        """All that is drawn inside leaves in one piece."""
        self._is_held = True
        try:
            yield
        finally:
            self._is_held = False
            self.flush()


class KeyboardReader:
    """Reads the keyboard for prompt_toolkit; a terminal that is gone is the end of input, not an endless one."""

    def __init__(self, keyboard: Vt100Input) -> None:
        self.closed = False
        self._fd = keyboard.fileno()
        self._rest = b""

    def read(self, count: int = _CHUNK) -> str:
        if self.closed:
            return ""
        try:
            data = os.read(self._fd, count)
        except InterruptedError:
            return ""
        except OSError:
            data = b""
        if not data:
            self.closed = True
            return ""
        data = self._rest + data
        # A character that is cut off waits for its rest; bytes that are none stand for themselves.
        for cut in range(min(3, len(data)) + 1):
            try:
                text = data[: len(data) - cut].decode("utf-8")
            except UnicodeDecodeError:
                continue
            self._rest = data[len(data) - cut :]
            return text
        self._rest = b""
        return data.decode("utf-8", "replace")


class Screen:
    """A running application's place on the terminal, and the terminal's mode."""

    def __init__(self, app: Application[Any], output: WriterOutput, writer: Writer) -> None:
        self._app = app
        self._output = output
        self._writer = writer
        self._fd = app.input.fileno()
        self._cooked = termios.tcgetattr(self._fd)
        self._raw: list[Any] | None = None
        self._is_used = False
        app._on_resize = self._resize  # type: ignore[method-assign]  # there is no public way to it

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        size = self._output.get_size()
        return size.columns, size.rows

    def starting(self) -> None:
        """The application is about to put the terminal into its own mode."""
        self._is_used = True

    def started(self) -> None:
        """The application has put the terminal into its own mode."""
        with suppress(termios.error):  # it is gone, which the keyboard tells
            self._raw = termios.tcgetattr(self._fd)

    def print_above(self, lines: Sequence[Line]) -> None:
        """Print lines above what is being typed, in one write."""
        text = formatted(lines)
        app = self._app
        with self._output.held():
            app.renderer.erase()
            print_formatted_text(self._output, text, app._merged_style, color_depth=app.color_depth)
            app._redraw()

    def repaint(self) -> None:
        """Draw all anew on a terminal that missed something."""
        with self._output.held():
            self._app.renderer.clear()
            self._app._redraw()

    def to_cooked(self) -> None:
        """Give the terminal back as it was, with nothing of ours on it."""
        self._app.renderer.erase()
        self._writer.wait(0.5)
        self._set_mode(self._cooked)

    def to_raw(self) -> None:
        """Take it again, and draw."""
        if self._raw is None:
            return
        self._set_mode(self._raw)
        self._app.renderer.reset()
        self._app._request_absolute_cursor_position()
        self._app.invalidate()

    def restore(self) -> None:
        """Whatever happened, leave the terminal's mode as it was found, and half a line of ours not to the shell."""
        if self._is_used:
            self._writer.write(_PLAIN)
            self._writer.wait(0.5)
        with suppress(termios.error):
            termios.tcflush(self._fd, termios.TCIFLUSH)
        self._set_mode(self._cooked)

    def _set_mode(self, mode: list[Any]) -> None:
        """Do nothing to a terminal that is gone: the keyboard tells of it, and a hang-up brings a SIGCONT as well."""
        with suppress(termios.error):
            termios.tcsetattr(self._fd, termios.TCSANOW, mode)

    def _resize(self) -> None:
        with self._output.held():
            self._output.cursor_up(self._rows_of_reflow())
            self._app.renderer.erase(leave_alternate_screen=False)
            self._app._request_absolute_cursor_position()
            self._app._redraw()

    def _rows_of_reflow(self) -> int:
        """How many rows further up than we drew it our first row is, now that the terminal has broken the long ones."""
        renderer = self._app.renderer
        drawn = renderer.last_rendered_screen
        if drawn is None or os.environ.get("TERM") in _CUT_LONG_ROWS:
            return 0
        columns = self._output.get_size().columns
        cursor = renderer._cursor_pos
        more = cursor.x // columns
        for y in range(cursor.y):
            row = drawn.data_buffer[y]
            width = max((x + cell.width for x, cell in row.items() if cell.char != " "), default=0)
            more += max(width - 1, 0) // columns
        return more
