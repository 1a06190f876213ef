"""Records sessions: whole matches at a real terminal, as text and as pictures (SVG), in both languages.

Each session is a person who joins a server, makes a table, fills it with computers, plays a match and leaves; what the
terminal shows at each stop is kept. `make sessions` makes all anew; `record.py NAME …` some. It needs the packages of
the tests.
"""

import io
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pexpect
import pyte
from rich.console import Console
from rich.text import Text

from kille_net.client.showing.layout import to_ascii
from kille_net.server.embedded import embedded

HERE: Final = Path(__file__).parent
KILLE: Final = str(Path(sys.executable).with_name("kille"))
CHUNK: Final = 65_536
REST, PATIENCE, MATCH = 0.25, 20.0, 300.0
"""Seconds: in which nothing comes when a screen is complete, for something to come, and for a match."""
MOST_FRAMES: Final = 14
LATELY: Final = 10
"""Lines: the status, and what came just above it."""
DRAWN_AT: Final = 3
"""The turn that the picture is drawn of: late enough that a hand has been shown."""
FRAME = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{
    font-family: ui-monospace, Menlo, Consolas, monospace; font-size: {char_height}px; white-space: pre;
}}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}<g class="{unique_id}-matrix">{matrix}</g>
</g>
</svg>
"""
"""Without fonts from elsewhere: a picture shows no more than it holds."""


@dataclass(frozen=True, kw_only=True)
class Words:
    """What is typed, and what is looked for, in one language."""

    create: str
    ready: str
    ask: str
    stand: str
    swap: str
    yes: str
    no: str
    or_: str
    quit: str
    my_turn: str
    is_sure: str
    is_better: str
    """How the question for better cards is told from others."""
    over: str


WORDS: Final = {
    "en": Words(
        create="create Krogen seats=4 computers=3 pots=1 pace={pace} window=0 rest=60000", ready="ready", ask="?",
        stand="stand", swap="swap", yes="yes", no="no", or_="or", quit="quit", my_turn="YOUR TURN",
        is_sure="sure?", is_better="no (n)", over="The match is over.",
    ),
    "sv": Words(
        create="skapa Krogen platser=4 datorer=3 partier=1 takt={pace} fönster=0 vila=60000", ready="klar", ask="?",
        stand="stå", swap="byt", yes="ja", no="nej", or_="eller", quit="sluta", my_turn="DIN TUR",
        is_sure="säker?", is_better="nej (n)", over="Matchen är slut.",
    ),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Session:
    lang: str
    columns: int = 100
    rows: int = 36
    is_plain: bool = False
    """Lines of text through a pipe, instead of a terminal."""
    pace: int = 300
    """Milliseconds that a computer takes, about."""
    environ: Mapping[str, str] = field(default_factory=dict)


SESSIONS: Final = {
    "wide-en": Session(lang="en"),
    "wide-sv": Session(lang="sv"),
    "medium-en": Session(lang="en", columns=80, rows=24),
    "medium-sv": Session(lang="sv", columns=80, rows=24),
    "narrow-en": Session(lang="en", columns=40, rows=12),
    "narrow-sv": Session(lang="sv", columns=40, rows=12),
    "no-colour-en": Session(lang="en", columns=80, rows=24, environ={"NO_COLOR": "1"}),
    "ascii-sv": Session(lang="sv", columns=80, rows=24, environ={"LANG": "C", "LC_ALL": "C"}),
    "plain-en": Session(lang="en", is_plain=True),
    "plain-sv": Session(lang="sv", is_plain=True),
}


class NotPlayed(Exception):
    """A match did not come to its end."""


class Terminal:
    """A client at a terminal, and what that shows."""

    def __init__(self, session: Session, port: int, data: str) -> None:
        self.words = WORDS[session.lang]
        self.session = session
        self.screen = pyte.Screen(session.columns, session.rows)
        self.frames: list[list[str]] = []
        self._stream = pyte.ByteStream(self.screen)
        environ = {**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
        for name in ("NO_COLOR", "COLUMNS", "LINES"):
            environ.pop(name, None)
        self._child: pexpect.spawn[bytes] = pexpect.spawn(
            KILLE,
            ["--lang", session.lang, "--data", data, "join", f"127.0.0.1:{port}", "--name", "Anna"],
            dimensions=(session.rows, session.columns), env={**environ, **session.environ}, timeout=PATIENCE,
        )  # fmt: skip

    @property
    def text(self) -> str:
        return "\n".join(self.screen.display)

    def shows(self, text: str, lines: int = 0) -> bool:
        """Whether the screen, or its last so many lines that are not empty, has the text, or its form in ASCII."""
        shown = "\n".join([line for line in self.screen.display if line.strip()][-lines:])
        return text in shown or to_ascii(text) in shown

    def type(self, line: str) -> None:
        self._child.sendline(line)

    def look(self) -> None:
        """Until something has come, and then nothing more."""
        end = time.monotonic() + PATIENCE
        is_new = False
        while time.monotonic() < end:
            try:
                self._stream.feed(self._child.read_nonblocking(CHUNK, timeout=REST))
                is_new = True
            except pexpect.TIMEOUT:
                if is_new:
                    return
            except pexpect.EOF:
                raise NotPlayed(self.text) from None

    def keep(self) -> None:
        """Keep what is shown now; in place of the last, where there are enough."""
        lines = [line.rstrip() for line in self.screen.display]
        while lines and not lines[-1]:
            lines.pop()
        self.frames = [*self.frames[: MOST_FRAMES - 1], lines]

    def play(self) -> Text:
        """A match from the lobby to the goodbye; the picture of it."""
        words, picture, turns = self.words, None, 0
        acts = cycle((words.swap, words.stand))
        for line in ("", words.create.format(pace=self.session.pace), words.ready):
            if line:
                self.type(line)
            self.look()
            self.keep()
        end = time.monotonic() + MATCH
        while not self.shows(words.over) and time.monotonic() < end:
            if self.shows(words.my_turn, LATELY):
                turns += 1
                if turns == DRAWN_AT:
                    picture = self.draw()
                if turns == 1:
                    self.type(words.ask)
                    self.look()
                self.keep()
                self.type(words.no if self._is_yes_or_no() else next(acts))
            elif self.shows("Enter", LATELY):  # the next hand waits for a key
                self.keep()
                self.type("")
            self.look()
        if not self.shows(words.over):
            raise NotPlayed(self.text)
        self.keep()
        self.type(f"{words.quit}\r{words.quit}")  # the second time is a yes
        self._child.expect(pexpect.EOF)
        self._child.close()
        return picture or self.draw()

    def _is_yes_or_no(self) -> bool:
        """Whether the last question of the table takes a yes or a no: for better cards, or whether we are sure."""
        words = self.words
        for line in reversed(self.screen.display):
            sure = to_ascii(words.is_sure) in to_ascii(line) or f"{words.or_} {words.no}." in line
            if sure or words.is_better in line:
                return True
            if "(b)" in line:
                return False
        return False

    def draw(self) -> Text:
        text = Text()
        for y in range(self.session.rows):
            for x in range(self.session.columns):
                char = self.screen.buffer[y][x]
                style = " ".join(name for name in ("bold", "reverse", "underscore") if getattr(char, name))
                style = style.replace("underscore", "underline")
                if char.fg != "default":
                    style += f" {colour(char.fg)}"
                if char.bg != "default":
                    style += f" on {colour(char.bg)}"
                text.append(char.data, style=style.strip())
            text.append("\n")
        return text


def colour(name: str) -> str:
    """What rich calls a colour of pyte's."""
    if re.fullmatch("[0-9a-f]{6}", name):
        return f"#{name}"
    name = name.replace("brown", "yellow")
    return f"bright_{name.removeprefix('bright')}" if name.startswith("bright") else name


def record(name: str, session: Session, folder: Path) -> None:
    """Write down one session. Raises NotPlayed where it did not come to its end."""
    with embedded() as port, TemporaryDirectory() as data:  # a server of its own: nobody else has the name
        _record(name, session, folder, port, data)


def _record(name: str, session: Session, folder: Path, port: int, data: str) -> None:
    if session.is_plain:
        (folder / f"{name}.txt").write_text(read_plain(session, port, data), encoding="utf-8")
        return
    terminal = Terminal(session, port, data)
    picture = terminal.play()
    rule = "-" * session.columns
    frames = [f"{rule}\n" + "\n".join(lines) + "\n" for lines in terminal.frames]
    (folder / f"{name}.txt").write_text("".join([*frames, rule, "\n"]), encoding="utf-8")
    console = Console(record=True, width=session.columns, file=io.StringIO(), force_terminal=True)
    console.print(picture, end="")
    svg = console.export_svg(title="kille join", code_format=FRAME, unique_id=f"kille-{name}")
    (folder / f"{name}.svg").write_text(svg, encoding="utf-8")


def read_plain(session: Session, port: int, data: str) -> str:
    """What a pipe is told of a match; each line that is answered has the answer below it."""
    words = WORDS[session.lang]
    shown: list[str] = []
    command = [KILLE, "--lang", session.lang, "--data", data, "join", f"127.0.0.1:{port}", "--name", "Anna", "--plain"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as client:
        assert client.stdin is not None
        assert client.stdout is not None

        def type_(line: str) -> None:
            shown.append(f"> {line}")
            print(line, file=client.stdin, flush=True)

        acts = cycle((words.swap, words.stand))
        type_(words.create.format(pace=session.pace))
        type_(words.ready)
        for line in map(str.rstrip, client.stdout):
            shown.append(line)
            if words.over in line:
                type_(words.quit)
                break
            if words.is_better in line or line.endswith(f"{words.yes} {words.or_} {words.no}."):
                type_(words.no)
            elif "(b)" in line:
                type_(next(acts))
            elif "Enter" in line:
                type_("")
        shown += map(str.rstrip, client.stdout)
    if not any(words.over in line for line in shown):
        raise NotPlayed("\n".join(shown))
    return "\n".join(shown) + "\n"


def main() -> None:
    names = sys.argv[1:] or list(SESSIONS)
    unknown = [name for name in names if name not in SESSIONS]
    if unknown:
        raise SystemExit(f"no such session: {', '.join(unknown)}; there are {', '.join(SESSIONS)}")
    for name in names:
        record(name, SESSIONS[name], HERE)


if __name__ == "__main__":
    main()
