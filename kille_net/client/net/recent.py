"""The server that was joined last, for who joins without an address.

Owns the file that names it. Refuses to know the servers' keys: what is remembered here is trusted no more than what is
typed.
"""

import os
from pathlib import Path
from typing import Final

from kille_net.client.net.trust import address_of
from kille_net.files import read_file

__all__ = ["FILE", "recall", "remember"]

FILE: Final = "last_server"
_MOST: Final = 512
_MOST_PORT: Final = 65535


def remember(file: Path, host: str, port: int) -> None:
    """Whole or not at all. Raises OSError."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = file.with_suffix(f".{os.getpid()}")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="utf-8") as stream:
        stream.write(f"{address_of(host, port)}\n")
    unfinished.replace(file)


def recall(file: Path) -> tuple[str, int] | None:
    """Host and port; None: nothing is remembered, or nothing that can be read, and the next server takes its place."""
    try:
        text = read_file(file, _MOST).decode("utf-8").removesuffix("\n")
    except (OSError, UnicodeDecodeError):
        return None
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host.isprintable() or not host or not (port.isascii() and port.isdigit()):
        return None
    return (host, int(port)) if 1 <= int(port[:6]) <= _MOST_PORT else None
