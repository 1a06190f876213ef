"""The lines that were typed, kept for the arrow keys of another evening.

Owns one file of the user's, which nobody else may read, and that no password gets into it.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from prompt_toolkit.history import FileHistory, History, InMemoryHistory

from kille_net.client.commands import without_password
from kille_net.files import must_be_file

__all__ = ["typed_lines"]

_MOST_BYTES: Final = 64 * 1024
"""A file that is larger is cut to its last half when it is opened."""


def typed_lines(file: Path | None) -> History:
    """What was typed before, as far as the file can be read; None, or a file that cannot be used: in memory only."""
    if file is None:
        return _Remembered()
    try:
        _prepare(file)
    except OSError:
        return _Remembered()
    return _Kept(str(file))


def _prepare(file: Path) -> None:
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    with open(descriptor, "r+b") as stream:
        must_be_file(descriptor)
        if stream.seek(0, os.SEEK_END) > _MOST_BYTES:
            stream.seek(-_MOST_BYTES // 2, os.SEEK_END)
            _, mark, rest = stream.read().partition(b"\n# ")  # each line begins with when it was typed
            stream.seek(0)
            stream.write(mark + rest)
            stream.truncate()


class _Remembered(InMemoryHistory):
    def append_string(self, string: str) -> None:
        if without_password(string) == string:
            super().append_string(string)


class _Kept(FileHistory):
    def append_string(self, string: str) -> None:
        if without_password(string) == string:
            super().append_string(string)

    def load_history_strings(self) -> Iterable[str]:
        try:
            return list(super().load_history_strings())
        except OSError:  # taken away since it was opened
            return []

    def store_string(self, string: str) -> None:
        with suppress(OSError):  # a full disk must not end a game
            super().store_string(string)
