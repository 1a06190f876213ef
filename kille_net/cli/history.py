"""`kille history`: what was played on a server, from its data folder, also while it runs.

Owns how matches and standings are shown, and where records go. What is in the folder is read by `server.history`.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kille_net.cli.exit_codes import Exit
from kille_net.cli.shelf import (
    AS_CSV,
    AS_JSON,
    CELLS,
    Shelf,
    apart,
    called,
    headings,
    print_below,
    print_rows,
    utc,
    when,
    who,
    write_csv,
    write_json,
)
from kille_net.cli.speaking import Group, Words, argument, option, spoken, tell, tell_many
from kille_net.cli.tournament_history import tournament, tournaments
from kille_net.languages import by_name

if TYPE_CHECKING:
    from kille_net.cli.settings import Settings
    from kille_net.server.history import Entry, History
    from kille_net.server.rating import Result

__all__ = ["command"]

_LAST: Final = 20
_ID: Final = 8
"""Digits of an id that are shown, and seldom are not enough."""


@click.group("history", cls=Group)
@option("--data", type=click.Path(file_okay=False, path_type=Path), metavar="DIR")
@click.pass_context
def command(ctx: click.Context, *, data: Path | None) -> None:
    settings: Settings = ctx.obj
    ctx.obj = Shelf(settings.server_folder(data))


@command.command("list")
@option("--last", type=click.IntRange(1, 1_000_000), default=_LAST, metavar="N")
@option("--room", metavar="ROOM")
@option("--player", metavar="NAME")
@AS_JSON
@AS_CSV
@click.pass_obj
def _list(shelf: Shelf, *, last: int, room: str | None, player: str | None, form: str | None) -> None:
    with shelf.open() as history:
        entries = history.last(last, room=room, player=player)
        objects = [_object(entry, history.result(entry.n)) for entry in entries] if form else []
    if form == "csv":
        write_csv([{**flat, **seat} for told in objects for flat, seat in _flat(told)], _LIST_FIELDS)
    elif form == "json":
        write_json(objects)
    else:
        print_below(headings("list"), [_row(entry) for entry in entries], left=7)


@command.command("show")
@argument("match", metavar="ID")
@click.pass_obj
def _show(shelf: Shelf, *, match: str) -> None:
    with shelf.open() as history:
        entry = _find(shelf, history, match)
        result = history.result(entry.n)
    end = f"{tell('history.broken')}: {_reason(entry)}" if entry.reason else tell("history.played")
    told = (
        entry.id,
        entry.room,
        f"{called(entry.format)} {entry.pots}, {called(entry.length)}",
        when(entry.began),
        _length(entry),
        str(entry.hands),
        _going(entry) if entry.ended is None else end,
        _told_rated(entry, result),
    )
    print_rows(list(zip(headings("show"), told, strict=True)), left=2)
    click.echo()
    rows = [
        (str(seat + 1), taken.name, who(taken.kind.value, taken.level), str(taken.points), str(taken.place or "-"))
        for seat, taken in enumerate(entry.seats)
    ]
    print_rows([headings("seats"), *rows], left=3)


@command.command("export")
@argument("matches", metavar="[ID]...", nargs=-1)
@option("--all", "everything", is_flag=True)
@option("--out", type=click.Path(file_okay=False, path_type=Path), metavar="DIR")
@click.pass_obj
def _export(shelf: Shelf, *, matches: Sequence[str], everything: bool, out: Path | None) -> None:
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
            entries = [_find(shelf, history, match) for match in matches]
            for entry in entries:
                if entry.ended is None:
                    why = "still_closed" if entry.is_closed else "still_played"
                    raise shelf.error(why, Exit.DOES_NOT_HOLD, id=entry.id[:_ID])
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
@AS_JSON
@AS_CSV
@click.pass_obj
def _standings(shelf: Shelf, *, bots: bool, format_: str | None, since: datetime | None, form: str | None) -> None:
    after = None if since is None else _seconds(since)
    with shelf.open() as history:
        standings = history.standings(bots=bots, format_=format_, since=after)
        has_others = not standings and bool(history.standings(bots=True, format_=format_, since=after))
    objects = [
        {
            "rank": one.rank,
            "name": one.name,
            "player": one.player,
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
        write_csv(objects, _STANDINGS_FIELDS)
    elif form == "json":
        write_json(objects)
    else:
        standings.sort(key=lambda one: (one.rank, by_name(spoken(), one.name)))
        names = apart([(one.name, one.player) for one in standings])
        rows = [
            (
                str(one.rank),
                name or "-",
                who(one.kind.value, one.level),
                str(one.matches),
                str(one.wins),
                str(one.points),
                f"{one.mean_place:.2f}",
            )
            for one, name in zip(standings, names, strict=True)
        ]
        print_below(headings("standings"), rows, left=3, none=_none(has_others=has_others))


@command.command("ratings")
@option("--bots", is_flag=True)
@option("--format", "format_", type=Words(["pots", "sticks"]))
@AS_JSON
@AS_CSV
@click.pass_obj
def _ratings(shelf: Shelf, *, bots: bool, format_: str | None, form: str | None) -> None:
    with shelf.open() as history:
        rated, unrated = history.ratings(bots=bots, format_=format_)
        has_others = not rated and bool(history.ratings(bots=True, format_=format_)[0])
    objects = [
        {
            "format": one.format,
            "rank": one.rank,
            "name": one.name,
            "player": one.player,
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
        write_csv(objects, _RATINGS_FIELDS)
    elif form == "json":
        write_json(objects)
    else:
        rated.sort(key=lambda one: (one.format, one.rank, by_name(spoken(), one.name)))
        names = apart([(one.name, one.player) for one in rated])
        rows = [
            (
                called(one.format),
                str(one.rank),
                name or "-",
                who(one.kind.value, one.level),
                str(one.rating.matches),
                f"{one.rating.low:.1f}",
                f"{one.rating.mu:.1f}",
                f"{one.rating.high:.1f}",
            )
            for one, name in zip(rated, names, strict=True)
        ]
        print_below(headings("ratings"), rows, left=4, none=_none(has_others=has_others))
    for why, number in sorted(unrated.items()):
        says = tell_many("history.unrated", number, why=tell(f"history.unrated.{why.value}"))
        click.echo(f"kille: {says}", err=True)


def _none(*, has_others: bool) -> str:
    """What is said where nothing is to be shown: there may be bots that were not asked for."""
    return "none_but_bots" if has_others else "none"


def _find(shelf: Shelf, history: "History", prefix: str) -> "Entry":
    from kille_net.server.history import Several
    from kille_net.wire.text import safe_text

    shown = safe_text(prefix, 2 * CELLS)
    try:
        found = history.find(prefix)
    except Several:
        raise shelf.error("several", Exit.WRONG_USE, id=shown) from None
    if found is None:
        raise shelf.error("no_match", Exit.DOES_NOT_HOLD, id=shown)
    return found


command.add_command(tournaments)
command.add_command(tournament)


# --- how it is shown --------------------------------------------------------------------------------------------------

_STANDINGS_FIELDS: Final = ("rank", "name", "player", "kind", "level", "matches", "wins", "points", "mean_place")
_RATINGS_FIELDS: Final = ("format", "rank", "name", "player", "kind", "level", "matches", "low", "rating", "high")
_SEAT_FIELDS: Final = ("seat", "name", "kind", "level", "points", "place", "rated")
_LIST_FIELDS: Final = (
    *("id", "room", "format", "length", "pots", "began", "ended", "seconds", "reason", "hands"),
    *_SEAT_FIELDS,
)


def _reason(entry: "Entry") -> str:
    from kille_net.client.showing.texts import reason

    return reason(spoken(), entry.reason) if entry.reason else ""


def _told_rated(entry: "Entry", result: "Result | None") -> str:
    """Whether the match counts for ratings, and if not, why."""
    from kille_net.server.rating import why_unrated

    if result is None:
        return "-"
    if why := why_unrated(result):
        return tell("history.rated.no", why=tell(f"history.unrated.{why.value}"))
    if without := [seat.name for seat, of in zip(entry.seats, result.sittings, strict=True) if of.stood_in]:
        return tell("history.rated.without", names=", ".join(without))
    return tell("history.rated.yes")


def _going(entry: "Entry") -> str:
    """Of one whose end is not told."""
    return tell("history.closed" if entry.is_closed else "history.playing")


def _outcome(entry: "Entry") -> str:
    """In one line: who has how many points, the best one first once it is over."""
    seats = sorted(entry.seats, key=lambda seat: seat.place or 0)
    points = ", ".join(f"{seat.name} {seat.points}" for seat in seats)
    if entry.ended is None:
        return f"{_going(entry)}: {points}"
    return f"{tell('history.broken')} ({_reason(entry)}): {points}" if entry.reason else points


def _row(entry: "Entry") -> tuple[str, ...]:
    return (
        entry.id[:_ID],
        when(entry.began),
        _length(entry),
        entry.room,
        f"{called(entry.format)} {entry.pots}",
        str(entry.hands),
        _outcome(entry),
    )


def _object(entry: "Entry", result: "Result | None") -> dict[str, Any]:
    from kille_net.server.rating import why_seat_unrated

    return {
        "id": entry.id,
        "room": entry.room,
        "format": entry.format,
        "length": entry.length,
        "pots": entry.pots,
        "began": utc(entry.began),
        "ended": None if entry.ended is None else utc(entry.ended),
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
                "rated": None if result is None else why_seat_unrated(result, seat) or "yes",
            }
            for seat, taken in enumerate(entry.seats)
        ],
    }


def _flat(told: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    seats = told.pop("seats")
    for seat in seats:
        yield told, seat


def _write_record(shelf: Shelf, folder: Path, match: str, record: str) -> None:
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


def _length(entry: "Entry") -> str:
    if entry.ended is None:
        return "-"
    minutes, seconds = divmod(max(0, round(entry.ended - entry.began)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
