"""Files of settings in TOML: how they are read and written, and how a wrong one is told in one line.

Refuses to know which settings there are.
"""

import json
import tomllib
from datetime import date, time
from pathlib import Path

import click

from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.speaking import tell, tell_error
from kille_net.files import SETTINGS, read_file

__all__ = ["WrongValue", "fault", "read_toml", "switch", "text", "to_toml", "whole"]


class WrongValue(Exception):
    """Its text goes on from the key."""


def read_toml(path: Path) -> dict[str, object]:
    """What a file of settings says; some editors put a mark of the byte order before it. Raises CliError for one that
    cannot be read.
    """
    file = click.format_filename(path)
    try:
        return tomllib.loads(read_file(path, SETTINGS).decode("utf-8-sig"))
    except OSError as error:
        raise fault("config.unreadable", file=file, why=tell_error(error)) from None
    except ValueError as error:  # no TOML, or no UTF-8
        raise fault("config.no_toml", file=file, why=error) from None
    except RecursionError:
        raise fault("config.no_toml", file=file, why=tell("config.too_deep")) from None


def fault(which: str, /, **values: object) -> CliError:
    """What is wrong with a setting, in one line."""
    return CliError(tell(which, **values), code=Exit.WRONG_USE)


def text(value: object) -> str:
    """Raises WrongValue."""
    if not isinstance(value, str):
        raise WrongValue(tell("config.text"))
    if "\0" in value:
        raise WrongValue(tell("config.nul"))
    return value


def switch(value: object) -> bool:
    """Raises WrongValue."""
    if not isinstance(value, bool):
        raise WrongValue(tell("config.bool"))
    return value


def whole(value: object, least: int, most: int) -> int:
    """Raises WrongValue."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise WrongValue(tell("config.whole", least=least, most=most))
    return value


def to_toml(value: object) -> str:
    """A value in TOML: JSON has the same strings, but for DEL, and times stand as they are."""
    if isinstance(value, date | time):
        return value.isoformat()
    plain = str(value) if isinstance(value, Path) else value
    return json.dumps(plain, ensure_ascii=False).replace("\x7f", "\\u007f")
