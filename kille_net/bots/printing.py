"""Where what a bot prints goes: to a log of its own, that cannot grow without end.

Owns the logs, and the streams that tell one bot's words from another's by the thread that says them. Refuses to know
who plays. What comes past Python's streams, from programs and threads that a bot starts itself and from what is not
Python, goes to standard error: never among results.
"""

import io
import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Final, Protocol, TextIO, cast

__all__ = ["FileLog", "HeardLog", "Log", "StreamLog", "diverted", "log_of", "printing_to"]

_MOST_IN_FILE: Final = 1_000_000
_MOST_IN_STREAM: Final = 20_000
_MOST_HEARD: Final = 250_000
_CUT: Final = "\n…\n"
_OUTPUT: Final = 1
_ERROR: Final = 2
"""The system's descriptors of these streams."""
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
    """Standard output and standard error tell threads with a log from others, and the file of standard output takes
    what those say who are asked for no results.
    """
    before = sys.stdout, sys.stderr
    with _apart(_beneath(before[0])) as results:
        sys.stdout, sys.stderr = (cast("TextIO", _Diverted(stream)) for stream in (results, before[1]))
        try:
            yield
        finally:
            sys.stdout, sys.stderr = before


@contextmanager
def _apart(results: TextIO) -> Iterator[TextIO]:
    """The same, on a descriptor that nobody else has; that of standard output is standard error meanwhile."""
    if not _is_standard_output(results):
        yield results
        return
    results.flush()
    own = os.dup(_OUTPUT)
    os.dup2(_ERROR, _OUTPUT)
    try:
        with _on(own, results) as stream:
            yield stream
    finally:
        os.dup2(own, _OUTPUT)
        os.close(own)


def _on(descriptor: int, like: TextIO) -> TextIO:
    """A stream that writes there, and is otherwise as another: also in what becomes of an error (`cli.streams`)."""
    assert isinstance(like, io.TextIOWrapper)
    kind = cast("type[io.FileIO]", type(getattr(like.buffer, "raw", like.buffer)))
    raw = kind(descriptor, "w", closefd=False)
    return io.TextIOWrapper(
        raw if like.write_through else io.BufferedWriter(raw),
        encoding=like.encoding,
        errors=like.errors,
        line_buffering=like.line_buffering,
        write_through=like.write_through,
    )


def _is_standard_output(stream: TextIO) -> bool:
    """Whether it is, and there is a standard error to put in its place."""
    try:
        os.fstat(_ERROR)
        return isinstance(stream, io.TextIOWrapper) and stream.fileno() == _OUTPUT
    except (OSError, ValueError, AttributeError):  # closed, or none of the system's
        return False


def _beneath(stream: TextIO) -> TextIO:
    return stream.beneath if isinstance(stream, _Diverted) else stream


class _Diverted:
    """A stream that is somebody else's in each thread that has a log."""

    def __init__(self, stream: TextIO) -> None:
        self.beneath: TextIO = _beneath(stream)

    def write(self, text: str) -> int:
        log: Log | None = getattr(_HERE, "log", None)
        if log is None:
            return self.beneath.write(text)
        log.write(str(text))
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        for line in lines:
            self.write(line)

    def close(self) -> None:
        """A thread with a log closes nothing of others."""
        if getattr(_HERE, "log", None) is None:
            self.beneath.close()

    @property
    def buffer(self) -> BinaryIO:
        if getattr(_HERE, "log", None) is None:
            return self.beneath.buffer
        return cast("BinaryIO", _Bytes(self))

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  whatever the stream has
        return getattr(self.beneath, name)


class _Bytes:
    """What a log takes as bytes."""

    def __init__(self, stream: _Diverted) -> None:
        self._stream = stream

    def write(self, data: bytes) -> int:
        self._stream.write(bytes(data).decode("utf-8", "replace"))
        return len(data)

    def flush(self) -> None:
        return

    close = flush
