"""How commands get the lines of record files. Knows files and their errors, and not what a line holds."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.speaking import tell, tell_error

if TYPE_CHECKING:
    from kille_net.game.record import RecordError

RECORD_FILE: Final = click.Path(exists=True, dir_okay=False, readable=True, allow_dash=True)
"""The type of an argument that names one; `-` is standard input."""


RECORD: Final = click.Path(exists=True, readable=True, allow_dash=True)
"""The same, or a folder of them."""


def records_of(paths: Iterable[str]) -> Iterator[str]:
    """The files, and in the place of a folder its records, sorted. A folder without any ends the command."""
    for path in paths:
        if not Path(path).is_dir():
            yield path
            continue
        found = sorted(str(record) for record in Path(path).glob("*.jsonl"))
        if not found:
            raise CliError(tell("records.none", folder=click.format_filename(path)), code=Exit.WRONG_USE)
        yield from found


def record_error(error: "RecordError") -> str:
    """What is wrong with a line."""
    why = tell_error(error)
    return why if error.action is None else tell("records.bad_action", action=error.action, why=why)


def lines_of(path: str) -> Iterator[bytes]:
    """Each line as soon as it is there. A file that cannot be read ends the command."""
    try:
        with click.open_file(path, "rb") as file:
            while line := file.readline():
                yield line
    except OSError as error:
        name = click.format_filename(path)
        raise CliError(tell("records.unreadable", file=name, why=tell_error(error)), code=Exit.WRONG_USE) from error
