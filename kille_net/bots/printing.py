"""Where what a bot prints goes: to a log of its own, that cannot grow without end.

Owns the logs, and the streams that tell one bot's words from another's by the thread that says them. Refuses to know
who plays. What a bot starts itself, threads and programs, writes where everybody does.
"""

import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol, TextIO, cast

__all__ = ["FileLog", "HeardLog", "Log", "StreamLog", "diverted", "log_of", "printing_to"]

_MOST_IN_FILE: Final = 1_000_000
_MOST_IN_STREAM: Final = 20_000
_MOST_HEARD: Final = 250_000
_CUT: Final = "\n…\n"
_LAST: Final = "… (--log)"
"""In every language: what keeps the rest, for who says nothing else."""


class Log(Protocol):
    """Takes what a bot prints. Raises nothing."""

    def write(self, text: str) -> None: ...


class FileLog:
    """A file that is begun anew when it is full, with the one before it kept beside it as `….1`."""

    def __init__(self, path: Path, most: int = _MOST_IN_FILE) -> None:
        """`most`: bytes."""
        self._path = path
        self._most = most
        self._lock = threading.Lock()

    def write(self, text: str) -> None:
        said = text.encode("utf-8", "backslashreplace")[-self._most :]
        # A disk that is full is no fault of a bot's.
        with self._lock, suppress(OSError):
            if self._path.exists() and self._path.stat().st_size + len(said) > self._most:
                self._path.replace(self._path.with_name(f"{self._path.name}.1"))
            with self._path.open("ab") as file:
                file.write(said)


class HeardLog:
    """Kept until it is taken; of what is said until then so many characters, and a mark where there was more."""

    def __init__(self, most: int = _MOST_HEARD) -> None:
        self._most = self._left = most
        self._said: list[str] = []
        self._lock = threading.Lock()

    def write(self, text: str) -> None:
        with self._lock:
            if self._left < 0:
                return
            self._said.append(text[: self._left])
            self._left -= len(text)
            if self._left < 0:
                self._said.append(_CUT)

    def take(self) -> str:
        with self._lock:
            said, self._said, self._left = "".join(self._said), [], self._most
        return said


class StreamLog:
    """So many characters of it on a stream that others write to, and then one line that says so."""

    _last_said: ClassVar["tuple[TextIO, StreamLog, str] | None"] = None
    """Where something was said last, by whom, and what."""

    def __init__(self, stream: TextIO, head: str = "", last: str = _LAST, *, most: int = _MOST_IN_STREAM) -> None:
        """`head`: a line before it, each time when another has spoken; `last`: that at the end."""
        # Past our own streams, which would give it back to the log.
        self._stream = stream.beneath if isinstance(stream, _Diverted) else stream
        self._head = f"{head}\n" if head else ""
        self._last = last
        self._left = most
        self._lock = threading.Lock()

    def write(self, text: str) -> None:
        with self._lock, suppress(OSError, ValueError):
            if self._left <= 0:
                return
            said, self._left = text[: self._left], self._left - len(text)
            if self._left <= 0:
                said = f"{said}\n{self._last}\n"
            stream, speaker, before = StreamLog._last_said or (None, None, "")
            is_amid = stream is self._stream and not before.endswith("\n")
            if self._head and speaker is not self:
                said = ("\n" if is_amid else "") + self._head + said
            StreamLog._last_said = self._stream, self, said[-1:]
            self._stream.write(said)


def log_of(name: str, folder: Path | None, head: str = "", last: str = _LAST) -> Log:
    """That of a bot of this name: a file in the folder, or else a part of standard error between two lines."""
    if folder is None:
        return StreamLog(sys.stderr, head, last)
    return FileLog(folder / f"{re.sub('[^0-9A-Za-z_-]+', '_', name).strip('_') or 'bot'}.log")


_HERE: Final = threading.local()


@contextmanager
def printing_to(log: Log | None) -> Iterator[None]:
    """What this thread prints goes there, while the streams are `diverted`; None: where it always goes."""
    before = getattr(_HERE, "log", None)
    _HERE.log = log
    try:
        yield
    finally:
        _HERE.log = before


@contextmanager
def diverted() -> Iterator[None]:
    """Standard output and standard error tell threads with a log from others."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast("TextIO", _Diverted(stream)) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


class _Diverted:
    """A stream that is somebody else's in each thread that has a log."""

    def __init__(self, stream: TextIO) -> None:
        self.beneath: TextIO = stream.beneath if isinstance(stream, _Diverted) else stream

    def write(self, text: str) -> int:
        log: Log | None = getattr(_HERE, "log", None)
        if log is None:
            return self.beneath.write(text)
        log.write(str(text))
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  whatever the stream has
        return getattr(self.beneath, name)
