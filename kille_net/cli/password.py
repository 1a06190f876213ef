"""Where a server's password comes from: a file that nobody else can read, or KILLE_PASSWORD; never an option's value,
which everybody on the machine sees in the list of processes.

Owns that and what is said of a wrong one. Refuses to know what it is for.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.speaking import option, tell, tell_error
from kille_net.systems import is_open_to_others

__all__ = ["VARIABLE", "password_option", "read_password"]

VARIABLE: Final = "KILLE_PASSWORD"
_MOST: Final = 64
_MOST_BYTES: Final = 4096
_Command = TypeVar("_Command", bound=Callable[..., Any])


def password_option(command: _Command) -> _Command:
    """Adds `password_file`, for `read_password`."""
    return option("--password-file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")(command)


def read_password(file: Path | None) -> str | None:
    """The password that was given; None: none was. Raises CliError."""
    source = VARIABLE if file is None else click.format_filename(file)
    try:
        text = os.environ.get(VARIABLE) if file is None else _first_line(file)
    except OSError as error:
        raise CliError(
            tell("password.unreadable", source=source, why=tell_error(error)), code=Exit.WRONG_USE
        ) from error
    except _OpenToOthers as error:
        raise CliError(tell("password.open_to_others", source=source), code=Exit.WRONG_USE) from error
    except UnicodeDecodeError:
        text = ""
    if text is None or (file is None and not text):
        return None
    if not 1 <= len(text) <= _MOST or not text.isprintable():
        raise CliError(tell("password.bad", source=source, most=_MOST), code=Exit.WRONG_USE)
    return text


class _OpenToOthers(Exception):
    pass


def _first_line(path: Path) -> str:
    """All that is in the file, but for the end of its only line."""
    with path.open("rb") as file:
        if is_open_to_others(os.fstat(file.fileno()).st_mode):
            raise _OpenToOthers
        return file.read(_MOST_BYTES).decode().removesuffix("\n").removesuffix("\r")
