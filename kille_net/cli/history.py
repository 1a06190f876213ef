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
from kille_net.cli.speaking import Group, Words, argument, option, spoken, tell, tell_many
from kille_net.languages import by_name

if TYPE_CHECKING:
    from kille_net.cli.settings import Settings
    from kille_net.server.history import Entry, History, Rated, Standing, Taken
    from kille_net.server.rating import Result

__all__ = ["command"]

_LAST: Final = 20
_ID: Final = 8
"""Digits of an id that are shown, and seldom are not enough."""
_CELLS: Final = 200
_FORMULA: Final = tuple("=+-@\t\r")
"""What a spreadsheet takes for the beginning of a formula."""


class _Shelf:
    """What every subcommand is told: the folder, and how to speak of what is in it."""

    def __init__(self, folder: Path) -> None:
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
        return CliError(tell(f"history.{key}", **values), code=how)

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

    def who(self, of: "Taken | Standing | Rated") -> str:
        kind = tell(f"history.{of.kind.value}")
        return f"{kind} ({_value(of.level)})" if of.level else kind

    def reason(self, entry: "Entry") -> str:
        from kille_net.client.showing.texts import reason

        return reason(spoken(), entry.reason) if entry.reason else ""

    def rated(self, entry: "Entry", result: "Result | None") -> str:
        """Whether the match counts for ratings, and if not, why."""
        from kille_net.server.rating import why_unrated

        if result is None:
            return "-"
        if why := why_unrated(result):
            return tell("history.rated.no", why=tell(f"history.unrated.{why.value}"))
        if without := [seat.name for seat, of in zip(entry.seats, result.sittings, strict=True) if of.stood_in]:
            return tell("history.rated.without", names=", ".join(without))
        return tell("history.rated.yes")

    def outcome(self, entry: "Entry") -> str:
        """In one line: who has how many points, the best one first once it is over."""
        seats = sorted(entry.seats, key=lambda seat: seat.place or 0)
        points = ", ".join(f"{seat.name} {seat.points}" for seat in seats)
        if entry.ended is None:
            return f"{tell('history.playing')}: {points}"
        return f"{tell('history.broken')} ({self.reason(entry)}): {points}" if entry.reason else points


_AS_JSON: Final = option("--json", "form", flag_value="json")
_AS_CSV: Final = option("--csv", "form", flag_value="csv")


@click.group("history", cls=Group)
@option("--data", type=click.Path(file_okay=False, path_type=Path), metavar="DIR")
@click.pass_context
def command(ctx: click.Context, *, data: Path | None) -> None:
    settings: Settings = ctx.obj
    ctx.obj = _Shelf(settings.server_folder(data))


@command.command("list")
@option("--last", type=click.IntRange(1, 1_000_000), default=_LAST, metavar="N")
@option("--room", metavar="ROOM")
@option("--player", metavar="NAME")
@_AS_JSON
@_AS_CSV
@click.pass_obj
def _list(shelf: _Shelf, *, last: int, room: str | None, player: str | None, form: str | None) -> None:
    with shelf.open() as history:
        entries = history.last(last, room=room, player=player)
    if form == "csv":
        _write_csv([{**flat, **seat} for entry in entries for flat, seat in _flat(entry)], _LIST_FIELDS)
    elif form == "json":
        _write_json([_object(entry) for entry in entries])
    else:
        _print_below("list", [_row(shelf, entry) for entry in entries], shelf, left=7)


@command.command("show")
@argument("match", metavar="ID")
@click.pass_obj
def _show(shelf: _Shelf, *, match: str) -> None:
    with shelf.open() as history:
        entry = shelf.find(history, match)
        result = history.result(entry.n)
    end = f"{tell('history.broken')}: {shelf.reason(entry)}" if entry.reason else tell("history.played")
    told = (
        entry.id,
        entry.room,
        f"{_value(entry.format)} {entry.pots}, {_value(entry.length)}",
        _when(entry.began),
        _length(entry),
        str(entry.hands),
        tell("history.playing") if entry.ended is None else end,
        shelf.rated(entry, result),
    )
    _print(list(zip(_head("show"), told, strict=True)), shelf, left=2)
    click.echo()
    rows = [
        (str(seat + 1), taken.name, shelf.who(taken), str(taken.points), str(taken.place or "-"))
        for seat, taken in enumerate(entry.seats)
    ]
    _print([_head("seats"), *rows], shelf, left=3)


@command.command("export")
@argument("matches", metavar="[ID]...", nargs=-1)
@option("--all", "everything", is_flag=True)
@option("--out", type=click.Path(file_okay=False, path_type=Path), metavar="DIR")
@click.pass_obj
def _export(shelf: _Shelf, *, matches: Sequence[str], everything: bool, out: Path | None) -> None:
    if bool(matches) == everything:
        raise click.UsageError(tell("history.where"))
    if out is None and (everything or len(matches) > 1):
        raise click.UsageError(tell("history.out"))
    with shelf.open() as history:
        if everything:
            if playing := history.playing:
                click.echo(f"kille: {tell_many('history.left_out', playing)}", err=True)
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
@option("--bots", is_flag=True)
@option("--format", "format_", type=Words(["pots", "sticks"]))
@option("--since", type=click.DateTime(["%Y-%m-%d"]), metavar="YYYY-MM-DD")
@_AS_JSON
@_AS_CSV
@click.pass_obj
def _standings(shelf: _Shelf, *, bots: bool, format_: str | None, since: datetime | None, form: str | None) -> None:
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
    if form == "csv":
        _write_csv(objects, _STANDINGS_FIELDS)
    elif form == "json":
        _write_json(objects)
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
            for one in sorted(standings, key=lambda one: (one.rank, by_name(spoken(), one.name)))
        ]
        _print_below("standings", rows, shelf, left=3)


@command.command("ratings")
@option("--bots", is_flag=True)
@option("--format", "format_", type=click.Choice(["pots", "sticks"]))
@_AS_JSON
@_AS_CSV
@click.pass_obj
def _ratings(shelf: _Shelf, *, bots: bool, format_: str | None, form: str | None) -> None:
    with shelf.open() as history:
        rated, unrated = history.ratings(bots=bots, format_=format_)
    objects = [
        {
            "format": one.format,
            "rank": one.rank,
            "name": one.name,
            "kind": one.kind.value,
            "level": one.level,
            "matches": one.rating.matches,
            "low": round(one.rating.low, 3),
            "rating": round(one.rating.mu, 3),
            "high": round(one.rating.high, 3),
        }
        for one in rated
    ]
    if form == "csv":
        _write_csv(objects, _RATINGS_FIELDS)
    elif form == "json":
        _write_json(objects)
    else:
        rows = [
            (
                one.format,
                str(one.rank),
                one.name or "-",
                shelf.who(one),
                str(one.rating.matches),
                f"{one.rating.low:.1f}",
                f"{one.rating.mu:.1f}",
                f"{one.rating.high:.1f}",
            )
            for one in sorted(rated, key=lambda one: (one.format, one.rank, by_name(spoken(), one.name)))
        ]
        _print_below("ratings", rows, shelf, left=4)
    for why, number in sorted(unrated.items()):
        says = tell_many("history.unrated", number, why=tell(f"history.unrated.{why.value}"))
        click.echo(f"kille: {says}", err=True)


# --- how it is shown --------------------------------------------------------------------------------------------------

_STANDINGS_FIELDS: Final = ("rank", "name", "kind", "level", "matches", "wins", "points", "mean_place")
_RATINGS_FIELDS: Final = ("format", "rank", "name", "kind", "level", "matches", "low", "rating", "high")
_SEAT_FIELDS: Final = ("seat", "name", "kind", "level", "points", "place")
_LIST_FIELDS: Final = (
    *("id", "room", "format", "length", "pots", "began", "ended", "seconds", "reason", "hands"),
    *_SEAT_FIELDS,
)


def _value(code: str) -> str:
    """What a format, a level or a length is called."""
    from kille_net.client.commands import VALUES, value_word

    return value_word(code, spoken()) if code in VALUES else code


def _head(table: str) -> tuple[str, ...]:
    return tuple(tell(f"history.{table}").split(", "))


def _row(shelf: _Shelf, entry: "Entry") -> tuple[str, ...]:
    return (
        entry.id[:_ID],
        _when(entry.began),
        _length(entry),
        entry.room,
        f"{_value(entry.format)} {entry.pots}",
        str(entry.hands),
        shelf.outcome(entry),
    )


def _print_below(head: str, rows: Sequence[Sequence[str]], shelf: _Shelf, *, left: int) -> None:
    """The rows below their headings; nothing where there are none."""
    _print([_head(head), *rows] if rows else [], shelf, left=left)


def _print(rows: Sequence[Sequence[str]], shelf: _Shelf, *, left: int) -> None:
    from kille_net.wire.text import safe_text

    if not rows:
        click.echo(f"kille: {tell('history.none')}", err=True)
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


def _write_json(objects: Sequence[Mapping[str, object]]) -> None:
    click.echo(json.dumps(objects, ensure_ascii=False))


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
