"""What the commands of `kille history` have in common: the data folder, and how tables of text, JSON and CSV are told.

Owns that what is wrong with the folder is one line, and that no cell is a formula. Refuses to know what is read.
"""

import csv
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import click

from kille_net.cli.columns import columns
from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.speaking import option, spoken, tell

if TYPE_CHECKING:
    from kille_net.server.archive import Archive
    from kille_net.server.history import History
    from kille_net.server.reader import Reader

__all__ = [
    "AS_CSV",
    "AS_JSON",
    "CELLS",
    "Shelf",
    "apart",
    "called",
    "headings",
    "print_below",
    "print_rows",
    "utc",
    "when",
    "who",
    "write_csv",
    "write_json",
]

CELLS: Final = 200
_FORMULA: Final = tuple("=+-@\t\r")
"""What a spreadsheet takes for the beginning of a formula."""

AS_JSON: Final = option("--json", "form", flag_value="json")
AS_CSV: Final = option("--csv", "form", flag_value="csv")

_Read = TypeVar("_Read", bound="Reader")


class Shelf:
    """What every subcommand is told: the folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextmanager
    def open(self) -> "Iterator[History]":
        """The folder's matches; what is wrong with it, now or later, ends the command in one line."""
        from kille_net.server.history import History

        with self._open(History) as history:
            yield history

    @contextmanager
    def archive(self) -> "Iterator[Archive]":
        """Its tournaments, likewise."""
        from kille_net.server.archive import Archive

        with self._open(Archive) as archive:
            yield archive

    @contextmanager
    def _open(self, kind: "Callable[[Path], _Read]") -> "Iterator[_Read]":
        import sqlite3

        from kille_net.server.schema import FILE, StoreFault

        file = click.format_filename(self._folder / FILE)
        try:
            with kind(self._folder) as reader:
                yield reader
        except FileNotFoundError:
            raise self.error("missing", Exit.WRONG_USE, file=file) from None
        except StoreFault as fault:
            raise self.error(fault.fault.value, Exit.WRONG_USE, file=file) from fault
        except sqlite3.Error as error:
            raise self.error("unreadable", Exit.WRONG_USE, file=file, why=error) from error

    def error(self, key: str, how: Exit, /, **values: object) -> CliError:
        return CliError(tell(f"history.{key}", **values), code=how)


def who(kind: str, level: str) -> str:
    """A person, a bot, or a computer of that level."""
    named = tell(f"history.{kind}")
    return f"{named} ({called(level)})" if level else named


def called(code: str) -> str:
    """What a format, a level or a length is called."""
    from kille_net.client.options import VALUES, value_word

    return value_word(code, spoken()) if code in VALUES else code


def headings(table: str) -> tuple[str, ...]:
    return tuple(tell(f"history.{table}").split(", "))


def apart(named: Sequence[tuple[str, int | None]]) -> list[str]:
    """The names; of one that several have, by their numbers, each time with the how manieth of them it is."""
    numbers: dict[str, set[int]] = defaultdict(set)
    for name, number in named:
        if number is not None:
            numbers[name].add(number)
    return [
        f"{name} ({1 + sorted(numbers[name]).index(number)})" if number is not None and len(numbers[name]) > 1 else name
        for name, number in named
    ]


def print_below(head: Sequence[str], rows: Sequence[Sequence[str]], *, left: int, none: str = "none") -> None:
    """The rows below their headings; where there are none, that, on standard error."""
    if rows:
        print_rows([head, *rows], left=left)
    else:
        click.echo(f"kille: {tell(f'history.{none}')}", err=True)


def print_rows(rows: Sequence[Sequence[str]], *, left: int) -> None:
    from kille_net.wire.text import safe_text

    for line in columns([[safe_text(cell, CELLS) for cell in row] for row in rows], left=left):
        click.echo(line)


def write_json(objects: Sequence[Mapping[str, object]]) -> None:
    click.echo(json.dumps(objects, ensure_ascii=False))


def write_csv(objects: Sequence[Mapping[str, object]], fields: Sequence[str]) -> None:
    """Texts are such that no spreadsheet takes one for a formula."""
    from kille_net.wire.text import safe_text

    def cell(value: object) -> object:
        if isinstance(value, bool):
            return json.dumps(value)
        if not isinstance(value, str):
            return value
        text = safe_text(value, CELLS)
        return f"'{text}" if text.startswith(_FORMULA) else text

    writer = csv.DictWriter(sys.stdout, fields, lineterminator="\n")
    writer.writeheader()
    writer.writerows({field: cell(one[field]) for field in fields} for one in objects)


def when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M")


def utc(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
