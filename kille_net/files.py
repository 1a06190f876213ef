"""How a file that is somebody's own is read: whole, if it is a file at all and no larger than what it is for.

Owns that no pipe, device or endless file keeps a command waiting. Refuses to know what is in it.
"""

import errno
import os
import stat
from pathlib import Path
from typing import Final

__all__ = ["SETTINGS", "is_there", "must_be_file", "read_file"]

SETTINGS: Final = 64 * 1024
"""The most bytes of a file that a person writes, or that holds a few words."""
_WITHOUT_WAITING: Final = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)


def is_there(path: Path) -> bool:
    """Whether there is anything, as far as that can be seen: what may not be looked at is there to be complained of."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        pass
    return True


def read_file(path: Path, most: int) -> bytes:
    """All that is in it. Raises OSError, for what is no file and for one of more than `most` bytes, too."""
    with open(os.open(path, os.O_RDONLY | _WITHOUT_WAITING), "rb") as file:
        must_be_file(file.fileno())
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return data


def must_be_file(descriptor: int) -> None:
    """Raises OSError for all that is open and no file."""
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "not a regular file")
