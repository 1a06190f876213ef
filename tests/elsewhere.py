"""`kille` as on a system that is not POSIX: `python -m tests.elsewhere play …`.

What only POSIX has is taken away from the package, not from the libraries under it, which know their systems.
"""

import builtins
import signal
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import Final

from kille_net import systems

POSIX_MODULES: Final = frozenset(
    {"curses", "fcntl", "grp", "posix", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"}
)
POSIX_SIGNALS: Final = ("SIGHUP", "SIGTSTP", "SIGCONT", "SIGWINCH", "SIGUSR1", "SIGUSR2", "SIGPIPE", "SIGQUIT")
TERMINAL: Final = frozenset(
    f"kille_net.client.terminal.{name}" for name in ("prompt", "replay_prompt", "toolkit", "widths")
)
"""The modules that have a terminal to themselves, which is POSIX's way; nothing else may need them."""

_import = builtins.__import__


def _refuse(
    name: str,
    globals: Mapping[str, object] | None = None,  # noqa: A002  the names that `__import__` has
    locals: Mapping[str, object] | None = None,  # noqa: A002  the same
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> ModuleType:
    importer = str((globals or {}).get("__name__", ""))
    if importer.startswith("kille_net") and (name in POSIX_MODULES or name in TERMINAL):
        message = f"{importer} imports {name}, which is not everywhere"
        raise ImportError(message)
    return _import(name, globals, locals, fromlist, level)


def take_posix_away() -> None:
    """From here on, for the whole process."""
    import_module("trio")  # before the names go that it looks for
    for name in POSIX_SIGNALS:
        delattr(signal, name)
    builtins.__import__ = _refuse
    for name, value in {"EDITS_LINES": False, "WAITS_FOR_FILES": False, "HAS_UNIX_SOCKETS": False}.items():
        setattr(systems, name, value)
    systems.USER_TIMEOUT = None  # type: ignore[misc]  # a stand-in for another system's
    setattr(systems, "take_lock", lambda _file: True)  # noqa: B010  a stand-in, not a method
    setattr(systems, "colours", lambda _term: None)  # noqa: B010  the same
    setattr(systems, "most_files", lambda: sys.maxsize)  # noqa: B010  the same


if __name__ == "__main__":
    take_posix_away()
    from kille_net.cli import main

    main()
