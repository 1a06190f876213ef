"""`kille history`: what was played on a server, from its data folder, also while it runs.

Owns how matches and standings are shown, and where records go. What is in the folder is read by `server.history`.
"""

import csv
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kille_net.cli.columns import columns
from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.settings import Settings

if TYPE_CHECKING:
    from kille_net.server.history import Entry, History, Standing, Taken

__all__ = ["command"]

_LAST: Final = 20
_ID: Final = 8
"""Digits of an id that are shown, and seldom are not enough."""
_CELLS: Final = 200
_FORMULA: Final = tuple("=+-@\t\r")
"""What a spreadsheet takes for the beginning of a formula."""

_TEXTS: Final = {
    "sv": {
        "missing": "det finns ingen {file}; välj mapp för en server med --data",
        "newer": "{file} är gjord av en senare version av kille; uppgradera",
        "older": "{file} är gjord av en tidigare version av kille; starta kille serve med den en gång",
        "damaged": "{file} är skadad eller inte vår; lägg tillbaka en kopia",
        "unreadable": "det går inte att läsa {file}: {why}",
        "no_match": "det finns ingen match {id}; kille history list visar dem",
        "several": "flera matcher börjar på {id}; skriv fler siffror",
        "still_played": "{id} spelas fortfarande; den kan skrivas ut när den är slut",
        "left_out": "{number} som fortfarande spelas är inte med",
        "where": "skriv antingen id eller --all",
        "out": "skriv vart med --out MAPP, när det är mer än en match",
        "not_written": "det går inte att skriva i {folder}: {why}",
        "none": "inga matcher",
        "list": ("id", "började", "tid", "rum", "spel", "givar", "hur det gick"),
        "playing": "spelas",
        "broken": "avbruten",
        "show": ("match", "rum", "spel", "började", "tid", "givar", "slut"),
        "played": "färdigspelad",
        "seats": ("plats", "namn", "vem", "poäng", "placering"),
        "standings": ("", "namn", "vem", "matcher", "vinster", "poäng", "snittplats"),
        "person": "person",
        "bot": "bot",
        "computer": "dator",
        "reasons": {
            "nobody is left": "ingen är kvar",
            "closed by whoever runs the server": "stängt av den som har servern",
            "the room failed": "rummet gick sönder",
            "the rules have changed since it began": "reglerna har ändrats sedan den började",
        },
    },
    "en": {
        "missing": "there is no {file}; choose the folder of a server with --data",
        "newer": "{file} was made by a later version of kille; upgrade",
        "older": "{file} was made by an earlier version of kille; start kille serve with it once",
        "damaged": "{file} is damaged, or not ours; put back a backup",
        "unreadable": "cannot read {file}: {why}",
        "no_match": "there is no match {id}; kille history list shows them",
        "several": "several matches begin with {id}; type more digits",
        "still_played": "{id} is still played; it can be exported when it is over",
        "left_out": "{number} still played, left out",
        "where": "give ids, or --all",
        "out": "say where to with --out DIR, for more than one match",
        "not_written": "cannot write in {folder}: {why}",
        "none": "no matches",
        "list": ("id", "began", "time", "room", "game", "hands", "how it went"),
        "playing": "playing",
        "broken": "broken off",
        "show": ("match", "room", "game", "began", "time", "hands", "end"),
        "played": "played to the end",
        "seats": ("seat", "name", "who", "points", "place"),
        "standings": ("", "name", "who", "matches", "wins", "points", "mean place"),
        "person": "person",
        "bot": "bot",
        "computer": "computer",
        "reasons": {},
    },
}


class _Shelf:
    """What every subcommand is told: the folder, and how to speak of what is in it."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        self.texts: dict[str, Any] = _TEXTS[settings.lang]
        self._folder = folder

    @contextmanager
    def open(self) -> "Iterator[History]":
        """The folder's matches; what is wrong with it, now or later, ends the command in one line."""
        import sqlite3

        from kille_net.server.history import History
        from kille_net.server.schema import FILE, StoreFault

        file = click.format_filename(self._folder / FILE)
        try:
            with History(self._folder) as history:
                yield history
        except FileNotFoundError:
            raise self.error("missing", Exit.WRONG_USE, file=file) from None
        except StoreFault as fault:
            raise self.error(fault.fault.value, Exit.WRONG_USE, file=file) from fault
        except sqlite3.Error as error:
            raise self.error("unreadable", Exit.WRONG_USE, file=file, why=error) from error

    def error(self, key: str, how: Exit, /, **values: object) -> CliError:
        return CliError(self.texts[key].format(**values), code=how)

    def find(self, history: "History", prefix: str) -> "Entry":
        from kille_net.server.history import Several
        from kille_net.wire.text import safe_text

        shown = safe_text(prefix, 2 * _CELLS)
        try:
            found = history.find(prefix)
        except Several:
            raise self.error("several", Exit.WRONG_USE, id=shown) from None
        if found is None:
            raise self.error("no_match", Exit.DOES_NOT_HOLD, id=shown)
        return found

    # --- words ----------------------------------------------------------------------------------------------------

    def who(self, of: "Taken | Standing") -> str:
        kind: str = self.texts[of.kind.value]
        return f"{kind} ({of.level})" if of.level else kind

    def reason(self, entry: "Entry") -> str:
        return self.texts["reasons"].get(entry.reason, entry.reason) if entry.reason else ""

    def outcome(self, entry: "Entry") -> str:
        """In one line: who has how many points, the best one first once it is over."""
        seats = sorted(entry.seats, key=lambda seat: seat.place or 0)
        points = ", ".join(f"{seat.name} {seat.points}" for seat in seats)
        if entry.ended is None:
            return f"{self.texts['playing']}: {points}"
        return f"{self.texts['broken']} ({self.reason(entry)}): {points}" if entry.reason else points


_AS_JSON: Final = click.option("--json", "form", flag_value="json", help="Print all of it as one line of JSON.")
_AS_CSV: Final = click.option("--csv", "form", flag_value="csv", help="Print a table for spreadsheets.")


@click.group("history")
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    show_default="'server' in that of kille --data",
    help="The data folder of the server.",
)
@click.pass_context
def command(ctx: click.Context, *, data: Path | None) -> None:
    """See what was played on a server of yours: the matches, their records, who is best.

    It reads the server's data folder, also while the server runs, and changes nothing in it. Of a match that is still
    played it shows no card.
    """
    settings: Settings = ctx.obj
    ctx.obj = _Shelf(settings, data or settings.folder() / "server")


@command.command("list")
@click.option("--last", type=click.IntRange(1, 1_000_000), default=_LAST, metavar="N", help="How many, at most.")
@click.option("--room", metavar="ROOM", help="Only of that room.")
@click.option("--player", metavar="NAME", help="Only those where somebody of that name sat.")
@_AS_JSON
@_AS_CSV
@click.pass_obj
def _list(shelf: _Shelf, *, last: int, room: str | None, player: str | None, form: str | None) -> None:
    """The matches that began last, the last one first.

    As CSV each seat has a line of its own. In JSON and CSV times are in UTC.
    """
    with shelf.open() as history:
        entries = history.last(last, room=room, player=player)
    if form == "json":
        click.echo(json.dumps([_object(entry) for entry in entries], ensure_ascii=False))
    elif form == "csv":
        _write_csv([{**flat, **seat} for entry in entries for flat, seat in _flat(entry)], _LIST_FIELDS)
    else:
        _print([shelf.texts["list"], *(_row(shelf, entry) for entry in entries)] if entries else [], shelf, left=7)


@command.command("show")
@click.argument("match", metavar="ID")
@click.pass_obj
def _show(shelf: _Shelf, *, match: str) -> None:
    """One match: who sat where, how it ended for each, when, and why if it was broken off.

    ID may be its beginning, as far as it is of one match only.
    """
    with shelf.open() as history:
        entry = shelf.find(history, match)
    end = f"{shelf.texts['broken']}: {shelf.reason(entry)}" if entry.reason else shelf.texts["played"]
    told = (
        entry.id,
        entry.room,
        f"{entry.format} {entry.pots}, {entry.length}",
        _when(entry.began),
        _length(entry),
        str(entry.hands),
        shelf.texts["playing"] if entry.ended is None else end,
    )
    _print(list(zip(shelf.texts["show"], told, strict=True)), shelf, left=2)
    click.echo()
    rows = [
        (str(seat), taken.name, shelf.who(taken), str(taken.points), str(taken.place or "-"))
        for seat, taken in enumerate(entry.seats)
    ]
    _print([shelf.texts["seats"], *rows], shelf, left=3)


@command.command("export")
@click.argument("matches", metavar="[ID]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All that are over.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="A folder, in which each match becomes a file ID.jsonl.  [default: standard output, for one match]",
)
@click.pass_obj
def _export(shelf: _Shelf, *, matches: Sequence[str], everything: bool, out: Path | None) -> None:
    """Write the records of matches, as 'kille verify' takes them.

    A match that is still played cannot be exported, since its record tells all cards: then the exit status is 1, and
    nothing is written. --all leaves such out, and says on standard error how many.
    """
    if bool(matches) == everything:
        raise click.UsageError(shelf.texts["where"])
    if out is None and (everything or len(matches) > 1):
        raise click.UsageError(shelf.texts["out"])
    with shelf.open() as history:
        if everything:
            if playing := history.playing:
                click.echo(f"kille: {shelf.texts['left_out'].format(number=playing)}", err=True)
            chosen: Iterable[tuple[int, str]] = history.over()
        else:
            entries = [shelf.find(history, match) for match in matches]
            for entry in entries:
                if entry.ended is None:
                    raise shelf.error("still_played", Exit.DOES_NOT_HOLD, id=entry.id[:_ID])
            chosen = [(entry.n, entry.id) for entry in entries]
        for number, match in chosen:
            record = history.record(number)
            if out is None:
                click.echo(record, nl=False)
            else:
                _write_record(shelf, out, match, record)


@command.command("standings")
@click.option("--bots", is_flag=True, help="Count bots and, by their level, computers, too.")
@click.option("--format", "format_", type=click.Choice(["pots", "sticks"]), help="Only matches of this format.")
@click.option(
    "--since", type=click.DateTime(["%Y-%m-%d"]), metavar="YYYY-MM-DD", help="Only matches that ended then or later."
)
@_AS_JSON
@_AS_CSV
@click.pass_obj
def _standings(shelf: _Shelf, *, bots: bool, format_: str | None, since: datetime | None, form: str | None) -> None:
    """Who has won how often: matches, wins, points, and the mean place at the table (1 is best).

    The order is by wins, then points, then mean place; who are equal in all three share a rank. Matches that were
    broken off do not count. Two players who had the same name one after the other are two.
    """
    after = None if since is None else _seconds(since)
    with shelf.open() as history:
        standings = history.standings(bots=bots, format_=format_, since=after)
    objects = [
        {
            "rank": one.rank,
            "name": one.name,
            "kind": one.kind.value,
            "level": one.level,
            "matches": one.matches,
            "wins": one.wins,
            "points": one.points,
            "mean_place": round(one.mean_place, 3),
        }
        for one in standings
    ]
    if form == "json":
        click.echo(json.dumps(objects, ensure_ascii=False))
    elif form == "csv":
        _write_csv(objects, _STANDINGS_FIELDS)
    else:
        rows = [
            (
                str(one.rank),
                one.name or "-",
                shelf.who(one),
                str(one.matches),
                str(one.wins),
                str(one.points),
                f"{one.mean_place:.2f}",
            )
            for one in standings
        ]
        _print([shelf.texts["standings"], *rows] if rows else [], shelf, left=3)


# --- how it is shown --------------------------------------------------------------------------------------------------

_STANDINGS_FIELDS: Final = ("rank", "name", "kind", "level", "matches", "wins", "points", "mean_place")
_SEAT_FIELDS: Final = ("seat", "name", "kind", "level", "points", "place")
_LIST_FIELDS: Final = (
    *("id", "room", "format", "length", "pots", "began", "ended", "seconds", "reason", "hands"),
    *_SEAT_FIELDS,
)


def _row(shelf: _Shelf, entry: "Entry") -> tuple[str, ...]:
    return (
        entry.id[:_ID],
        _when(entry.began),
        _length(entry),
        entry.room,
        f"{entry.format} {entry.pots}",
        str(entry.hands),
        shelf.outcome(entry),
    )


def _print(rows: Sequence[Sequence[str]], shelf: _Shelf, *, left: int) -> None:
    from kille_net.wire.text import safe_text

    if not rows:
        click.echo(f"kille: {shelf.texts['none']}", err=True)
        return
    for line in columns([[safe_text(cell, _CELLS) for cell in row] for row in rows], left=left):
        click.echo(line)


def _object(entry: "Entry") -> dict[str, object]:
    return {
        "id": entry.id,
        "room": entry.room,
        "format": entry.format,
        "length": entry.length,
        "pots": entry.pots,
        "began": _utc(entry.began),
        "ended": None if entry.ended is None else _utc(entry.ended),
        "seconds": None if entry.ended is None else round(entry.ended - entry.began, 1),
        "reason": entry.reason,
        "hands": entry.hands,
        "seats": [
            {
                "seat": seat,
                "name": taken.name,
                "kind": taken.kind.value,
                "level": taken.level,
                "points": taken.points,
                "place": taken.place,
            }
            for seat, taken in enumerate(entry.seats)
        ],
    }


def _flat(entry: "Entry") -> Iterator[tuple[dict[str, object], dict[str, object]]]:
    told: dict[str, Any] = _object(entry)
    seats = told.pop("seats")
    for seat in seats:
        yield told, seat


def _write_csv(objects: Sequence[Mapping[str, object]], fields: Sequence[str]) -> None:
    """Texts are such that no spreadsheet takes one for a formula."""
    from kille_net.wire.text import safe_text

    def cell(value: object) -> object:
        if not isinstance(value, str):
            return value
        text = safe_text(value, _CELLS)
        return f"'{text}" if text.startswith(_FORMULA) else text

    writer = csv.DictWriter(sys.stdout, fields, lineterminator="\n")
    writer.writeheader()
    writer.writerows({field: cell(one[field]) for field in fields} for one in objects)


def _write_record(shelf: _Shelf, folder: Path, match: str, record: str) -> None:
    """As a file of its own, whole or not at all."""
    path = folder / f"{match}.jsonl"
    unfinished = path.with_suffix(".part")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        unfinished.write_text(record, encoding="utf-8", newline="\n")
        unfinished.replace(path)
    except OSError as error:
        values = {"folder": click.format_filename(folder), "why": error.strerror}
        raise shelf.error("not_written", Exit.WRONG_USE, **values) from error


def _seconds(moment: datetime) -> float:
    """Since 1970, of a moment by the clock here, or near the ends of all time by that of UTC."""
    try:
        return moment.timestamp()
    except (ValueError, OverflowError, OSError):
        return moment.replace(tzinfo=UTC).timestamp()


def _when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M")


def _utc(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _length(entry: "Entry") -> str:
    if entry.ended is None:
        return "-"
    minutes, seconds = divmod(max(0, round(entry.ended - entry.began)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
