"""Draws the picture in the README: a real session in a real terminal, kept as an SVG.

Plays `kille play` by itself for a few turns, reads the screen, and writes it down with its colours.
Run `make picture`; it needs the packages of the tests.
"""

import io
import os
import sys
import time
from pathlib import Path

import pexpect
import pyte
from rich.console import Console
from rich.text import Text

COLUMNS, LINES = 84, 22
SESSION = ["--lang", "en", "play", "--seats", "4", "--length", "short", "--name", "Anna"]
TURNS = 3
CHUNK = 65_536
REST, PATIENCE = 0.4, 60.0
"""Seconds."""
PICTURE = Path(__file__).with_name("session.svg")
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


def play(screen: pyte.Screen) -> None:
    """Swap and stand in turn until the screen shows a few turns."""
    stream = pyte.ByteStream(screen)
    kille = str(Path(sys.executable).with_name("kille"))
    environ = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(COLUMNS), "LINES": str(LINES)}
    environ |= {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
    environ.pop("NO_COLOR", None)
    child: pexpect.spawn[bytes] = pexpect.spawn(kille, SESSION, dimensions=(LINES, COLUMNS), env=environ, timeout=60)
    try:
        for turn in range(TURNS):
            read_until_asked(child, stream, screen)
            if turn + 1 < TURNS:
                child.sendline("s" if turn % 2 else "b")
                stream.feed(child.read_nonblocking(CHUNK, timeout=10))
    finally:
        child.close(force=True)


def read_until_asked(child: "pexpect.spawn[bytes]", stream: pyte.ByteStream, screen: pyte.Screen) -> None:
    """Until the screen says whose turn it is, and has come to rest."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            stream.feed(child.read_nonblocking(CHUNK, timeout=REST))
        except pexpect.TIMEOUT:
            if any(line.startswith("YOUR TURN") for line in screen.display):
                return
    raise SystemExit("nobody was asked to play")


def as_text(screen: pyte.Screen) -> Text:
    text = Text()
    for y in range(LINES):
        for x in range(COLUMNS):
            char = screen.buffer[y][x]
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
    if len(name) == len("ffffff") and all(digit in "0123456789abcdef" for digit in name):
        return f"#{name}"
    name = name.replace("brown", "yellow")
    return f"bright_{name.removeprefix('bright')}" if name.startswith("bright") else name


def main() -> None:
    screen = pyte.Screen(COLUMNS, LINES)
    play(screen)
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(as_text(screen), end="")
    PICTURE.write_text(console.export_svg(title="kille play", code_format=FRAME, unique_id="kille"), encoding="utf-8")


if __name__ == "__main__":
    main()
