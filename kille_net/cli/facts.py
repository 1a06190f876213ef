"""What this machine, its terminal and its network are like, as far as that matters to Kille.

Owns which facts there are and how each is found; one that cannot be found is None. Refuses to send anything, to show
what is secret (of KILLE_… variables the names alone, of folders no contents), and to know how facts are printed.
"""

import locale
import os
import platform
import re
import socket
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Final, TypeAlias

from kille_net import __version__, systems
from kille_net.cli.settings import Settings

__all__ = ["Fact", "facts"]

Fact: TypeAlias = bool | int | str | list[str] | dict[str, int] | None

_LOCALE: Final = ("LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LANG")
_TERMINAL: Final = ("TERM", "COLORTERM", "TERM_PROGRAM", "TMUX", "SSH_CONNECTION", "COLUMNS", "LINES", "NO_COLOR")
_TELLS_ONLY_THAT: Final = frozenset({"TMUX", "SSH_CONNECTION"})
"""Variables whose value is nobody's affair."""
_MDNS: Final = 5353
_MOST_FILES: Final = 20
"""A folder that somebody chose may be full of other things."""
_RIGHTS: Final = (os.R_OK, os.W_OK, os.X_OK)


def facts(settings: Settings, environ: Mapping[str, str], widths: dict[str, int] | None) -> dict[str, Fact]:
    """By name, in the order in which they are read; `widths`: how wide the terminal says that some texts are."""
    found: dict[str, Callable[[], Fact]] = {
        "kille": lambda: __version__,
        "protocol": _protocol,
        "python": lambda: f"{platform.python_implementation()} {platform.python_version()}",
        "platform": lambda: platform.platform(terse=True),
        "machine": platform.machine,
        "packages": lambda: list(_packages()),
        "libraries": _libraries,
        "terminal.is_input": lambda: os.isatty(0),
        "terminal.is_output": lambda: os.isatty(1),
        "terminal.variables": lambda: _variables(environ, _TERMINAL),
        "terminal.size": _size,
        "terminal.colours": lambda: _colours(environ),
        "terminal.encoding": lambda: sys.stdout.encoding,
        "terminal.is_full": lambda: _is_full(environ),
        "terminal.is_beyond_ascii": lambda: _is_beyond_ascii(environ),
        "terminal.widths": lambda: widths,
        "locale.variables": lambda: _variables(environ, _LOCALE),
        "locale.encoding": lambda: locale.getpreferredencoding(do_setlocale=False),
        "locale.language": lambda: settings.lang,
        "settings.variables": lambda: sorted(name for name in environ if name.startswith("KILLE_")),
        "settings.file": _settings_file,
        "network.addresses": lambda: list(_addresses()),
        "network.has_ipv6": lambda: socket.has_ipv6,
        "network.can_be_searched": _can_be_searched,
        "folder.data": lambda: _place(settings.folder()),
        "folder.server": lambda: _place(settings.folder() / "server"),
        "folder.files": lambda: _files(settings.folder()),
    }
    return {name: _try(find) for name, find in found.items()}


def _try(find: Callable[[], Fact]) -> Fact:
    """A machine that is odd is the reason for looking at it."""
    with suppress(OSError, ValueError, LookupError):
        return find()
    return None


def _protocol() -> Fact:
    from kille_net.wire.messages import VERSIONS

    return [str(number) for number in VERSIONS]


def _packages() -> Iterator[str]:
    """Those that Kille needs, and what of them is there."""
    try:
        needed = requires("kille-net") or []
    except PackageNotFoundError:
        return
    for text in needed:
        if "extra ==" in text:
            continue
        name = re.split(r"[^A-Za-z0-9._-]", text, maxsplit=1)[0]
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            yield f"{name} -"


def _libraries() -> Fact:
    import sqlite3
    import ssl

    return [f"SQLite {sqlite3.sqlite_version}", ssl.OPENSSL_VERSION]


def _variables(environ: Mapping[str, str], names: tuple[str, ...]) -> Fact:
    return [name if name in _TELLS_ONLY_THAT else f"{name}={environ[name]}" for name in names if name in environ]


def _size() -> Fact:
    columns, rows = os.get_terminal_size(1)
    return f"{columns}×{rows}"


def _colours(environ: Mapping[str, str]) -> Fact:
    """How many the terminal is said to have."""
    if environ.get("NO_COLOR"):
        return 0
    if environ.get("COLORTERM", "").lower() in {"truecolor", "24bit"}:
        return 1 << 24
    return systems.colours(environ.get("TERM", ""))


def _is_full(environ: Mapping[str, str]) -> Fact:
    from kille_net.client.run import is_full_terminal

    return is_full_terminal(environ)


def _is_beyond_ascii(environ: Mapping[str, str]) -> Fact:
    from kille_net.client.run import speaks_utf8

    return speaks_utf8(environ)


def _addresses() -> Iterator[str]:
    import ifaddr

    for adapter in ifaddr.get_adapters():
        shown = (f"{ip.ip if isinstance(ip.ip, str) else ip.ip[0]}/{ip.network_prefix}" for ip in adapter.ips)
        yield f"{adapter.nice_name}: {' '.join(shown)}"


def _can_be_searched() -> Fact:
    """Whether servers can be looked for, as far as that is seen without a word to anybody: by the port for it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        for option in ("SO_REUSEADDR", "SO_REUSEPORT"):
            if hasattr(socket, option):
                sock.setsockopt(socket.SOL_SOCKET, getattr(socket, option), 1)
        try:
            sock.bind(("", _MDNS))
        except OSError:
            return False
    return True


def _settings_file() -> Fact:
    from kille_net.cli.preferences import settings_file

    return _place(settings_file())


def _place(path: Path) -> Fact:
    """Where it is, below one's own as `~`, and what one may do there."""
    home = Path.home()
    shown = f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
    if not path.exists():
        return f"{shown} (-)"
    mode = f"{path.stat().st_mode & 0o777:o}"
    may = "".join(letter if os.access(path, right) else "-" for letter, right in zip("rwx", _RIGHTS, strict=True))
    return f"{shown} ({mode}, {may})"


def _files(folder: Path) -> Fact:
    """Those that Kille keeps, with their modes."""
    paths = sorted(folder.iterdir() if folder.exists() else ())
    return [_file(path) for path in paths[:_MOST_FILES]]


def _file(path: Path) -> str:
    """With `-` in the place of its mode if it leads nowhere, or may not be looked at."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return f"{path.name} -"
    return f"{path.name}{'/' if stat.S_ISDIR(mode) else ''} {mode & 0o777:o}"
