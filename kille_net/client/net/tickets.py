"""A client's ticket (protocol/v1/protocol.md §4.5), kept so that a client that was killed can go on in its seat.

Owns one file for each server and name, used by one running client at a time. Refuses to know what a ticket opens.
"""

import errno
import json
import os
import re
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final

from kille_net.files import SETTINGS, read_file
from kille_net.systems import take_lock
from kille_net.wire.text import name_key, valid_name

__all__ = ["BOTS_FOLDER", "FOLDER", "Entry", "Slot", "entries", "names"]

FOLDER: Final = "tickets"
BOTS_FOLDER: Final = "bot-tickets"
"""Below the user's data folder: those of the person, and of bots, so that neither sits down in the other's seat."""
_GOOD: Final = re.compile("[0-9a-f]{64}")


class Slot:
    """The place of one ticket: in memory, and in a file if there is a folder and no other client has the file."""

    def __init__(self, folder: Path | None, host: str, port: int, name: str) -> None:
        self.ticket: str | None = None
        self.problem = ""
        """The file that is broken, or why none can be kept; empty: all is well."""
        self.is_broken = False
        self._server = f"{host}:{port}"
        self._name = name
        key = sha256(f"{host}:{port}/{name_key(name)}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
        self._path = None if folder is None else folder / f"{key}.json"
        self._lock: int | None = None
        try:
            self._open()
        except OSError as error:
            self._give_up(error)

    @property
    def is_ours(self) -> bool:
        """Whether what is kept here outlives us; not so without a folder, and while another client has the file."""
        return self._path is not None

    def __repr__(self) -> str:
        return f"Slot({self._server!r}, {self._name!r})"

    def keep(self, ticket: str | None) -> None:
        """From now on this one; what is in the file is the old one or the new one, whole."""
        self.ticket = ticket
        if self._path is None or ticket is None:
            return
        entry = {"server": self._server, "name": self._name, "ticket": ticket}
        unfinished = self._path.with_suffix(".part")
        try:
            file = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with open(file, "w", encoding="utf-8") as stream:
                json.dump(entry, stream)
                stream.flush()
                os.fsync(file)
            unfinished.replace(self._path)
        except OSError as error:
            self._give_up(error)

    def drop(self) -> None:
        """It opens nothing any more."""
        self.ticket = None
        if self._path is not None:
            try:
                self._path.unlink(missing_ok=True)
            except OSError as error:
                self._give_up(error)

    def close(self) -> None:
        """Let another client have the file."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _give_up(self, error: OSError) -> None:
        self.problem = error.strerror or type(error).__name__
        self._path = None

    def _open(self) -> None:
        if self._path is None:
            return
        folder = self._path.parent
        for own in (folder.parent, folder):  # the mode is that of the last folder alone, whatever else is made
            own.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        self._lock = os.open(self._path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        if not take_lock(self._lock):  # another client is running: its seat is not ours
            self._path = None
            self.close()
            return
        try:
            entry = _entry(self._path)
        except FileNotFoundError:
            return
        self.ticket = None if entry is None else entry.ticket
        if self.ticket is None:
            aside = self._path.with_suffix(".broken")
            self._path.replace(aside)
            self.problem, self.is_broken = str(aside), True


@dataclass(frozen=True, slots=True)
class Entry:
    """What a file says."""

    server: str
    """Host and port."""
    name: str
    ticket: str = field(repr=False)


def entries(folder: Path) -> list[Entry]:
    """All tickets of a folder that can be read, in the order of servers and names. Raises OSError."""
    found = [entry for path in folder.glob("*.json") if (entry := _entry(path)) is not None]
    return sorted(found, key=lambda entry: (entry.server, entry.name))


def names(folder: Path, host: str, port: int) -> list[tuple[str, bool]]:
    """The names that have a ticket there, the one that came last first, and whether no other client has it now."""
    server = f"{host}:{port}"
    found: list[tuple[float, str]] = []
    for path in folder.glob("*.json"):
        with suppress(OSError):  # what is lost is a name to type
            entry = _entry(path)
            if entry is not None and entry.server == server and valid_name(entry.name) == entry.name:
                found.append((path.stat().st_mtime, entry.name))
    return [(name, _is_free(folder, host, port, name)) for _, name in sorted(found, reverse=True)]


def _is_free(folder: Path, host: str, port: int, name: str) -> bool:
    slot = Slot(folder, host, port, name)
    slot.close()
    return slot.is_ours


def _entry(path: Path) -> Entry | None:
    """What the file says, if it makes sense. Raises OSError."""
    try:
        text = read_file(path, SETTINGS).decode("utf-8", "replace")
    except OSError as error:
        if error.errno == errno.EFBIG:
            return None
        raise
    try:
        told = json.loads(text)
        entry = Entry(told["server"], told["name"], told["ticket"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    is_text = all(isinstance(part, str) for part in (entry.server, entry.name, entry.ticket))
    return entry if is_text and _GOOD.fullmatch(entry.ticket) else None
