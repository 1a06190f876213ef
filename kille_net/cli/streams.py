"""The standard streams as every command may take them for granted: there, and with errors that a command can end on.

Owns what becomes of a stream that is closed, full or read by nobody. Refuses to know what is written.
"""

import codecs
import errno
import io
import os
import sys
from typing import TYPE_CHECKING, Final, TextIO

from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.speaking import tell, tell_error

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["mend"]

_STDOUT: Final = 1
_STDERR: Final = 2
_SPELT_OUT: Final = "kille.ascii"
"""What becomes of a character that the locale's encoding has not; among the ways of Python, for all streams."""


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    from kille_net.client.showing.layout import to_ascii

    assert isinstance(error, UnicodeEncodeError)
    return to_ascii(error.object[error.start : error.end]), error.end


codecs.register_error(_SPELT_OUT, _in_ascii)


class _OutputLost(CliError):
    """Standard output takes no more; without a text where that is the reader's own wish."""

    def __init__(self, error: OSError) -> None:
        if error.errno == errno.EPIPE:
            super().__init__("", code=Exit.SIGPIPE)
        else:
            super().__init__(tell("cli.cannot_write_output", why=tell_error(error)), code=Exit.WRONG_USE)


class _Output(io.FileIO):
    """Standard output: the first error ends the command, and those at Python's own end say nothing new."""

    _is_lost = False

    def write(self, data: "ReadableBuffer", /) -> int:
        size = memoryview(data).nbytes
        if self._is_lost or not size:  # click tries with nothing what kind of stream it is, and swallows errors
            return size
        try:
            return super().write(data)
        except OSError as error:
            self._is_lost = True
            raise _OutputLost(error) from None


class _Complaints(io.FileIO):
    """Standard error: there is nobody to tell that it cannot be written."""

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def mend() -> None:
    """Put a stream that takes and gives nothing where one is closed, and let errors of the others be told.

    Streams that somebody has replaced are left alone.
    """
    for fd in (0, _STDOUT, _STDERR):
        try:
            os.fstat(fd)
        except OSError:  # closed; left so, the next socket or file would get its number
            os.open(os.devnull, os.O_RDWR)
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115  it lasts as long as the process
    if sys.stdout is None or sys.stdout is sys.__stdout__:
        sys.stdout = _text(_Output(_STDOUT, "w", closefd=False), sys.stdout)
    if sys.stderr is None or sys.stderr is sys.__stderr__:
        sys.stderr = _text(_Complaints(_STDERR, "w", closefd=False), sys.stderr)


def _text(raw: io.FileIO, like: TextIO | None) -> TextIO:
    """A text stream over it, with the manners of another."""
    if not isinstance(like, io.TextIOWrapper):
        return io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8", errors="backslashreplace")
    like.flush()
    return io.TextIOWrapper(
        raw if like.write_through else io.BufferedWriter(raw),
        encoding=like.encoding,
        errors="surrogateescape" if like.errors == "surrogateescape" else _SPELT_OUT,
        line_buffering=like.line_buffering,
        write_through=like.write_through,
    )
