"""`kille history tournaments` and `kille history tournament`: who met whom, what came of it, and how they stand.

Owns how tournaments are shown. What may be shown of one is decided by `server.archive`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from kille_net.cli.exit_codes import Exit
from kille_net.cli.shelf import (
    AS_CSV,
    AS_JSON,
    CELLS,
    Shelf,
    apart,
    headings,
    print_below,
    print_rows,
    utc,
    when,
    who,
    write_csv,
    write_json,
)
from kille_net.cli.speaking import Command, argument, option, spoken, tell
from kille_net.intervals import means_of_both

if TYPE_CHECKING:
    from kille_net.server.tournament.saved import TableSaved, TournamentSaved

__all__ = ["tournament", "tournaments"]

_LAST: Final = 20
_LADDER: Final = "ladder"
_PLANNED: Final = "planned"
_BYE: Final = "bye"

_FORM: Final = option("--format", "form", type=click.Choice(["text", "csv", "json"]))

_LIST_FIELDS: Final = (
    *("id", "name", "kind", "seats", "duplicate", "stage", "entrants", "rounds"),
    *("began", "ended", "why", "first"),
)
_TABLE_FIELDS: Final = ("round", "table", "status", "room", "match")
_FIELDS: Final = {
    "standings": (
        *("rank", "number", "name", "kind", "level", "status", "score", "played", "wins", "opponents"),
        *("mean", "margin", "plain_margin"),
    ),
    "schedule": (*_TABLE_FIELDS, "seat", "number", "name"),
    "results": (*_TABLE_FIELDS, "seat", "number", "name", "points", "place", "missing", "score"),
}
"""By view."""


@click.command("tournaments", cls=Command)
@option("--last", type=click.IntRange(1, 1_000_000), default=_LAST, metavar="N")
@_FORM
@AS_JSON
@AS_CSV
@click.pass_obj
def tournaments(shelf: Shelf, *, last: int, form: str | None) -> None:
    with shelf.archive() as archive:
        found = archive.last(last)
    objects = [_object(one) for one in found]
    if form == "csv":
        write_csv([{**one, "first": ", ".join(one["first"])} for one in objects], _LIST_FIELDS)
    elif form == "json":
        write_json(objects)
    else:
        rows = [
            (
                str(one.id),
                one.state.name,
                _kind(one),
                tell(f"history.stage.{one.state.stage.value}"),
                str(len(one.state.entries)),
                str(len(one.rounds)),
                "-" if one.state.began is None else when(one.state.began),
                ", ".join(_first(one)) or "-",
            )
            for one in found
        ]
        print_below(headings("tournaments"), rows, left=8, none="tournaments.none")


@click.command("tournament", cls=Command)
@argument("name", metavar="NAME")
@argument("view", type=click.Choice(list(_FIELDS)), default="standings")
@_FORM
@AS_JSON
@AS_CSV
@click.pass_obj
def tournament(shelf: Shelf, *, name: str, view: str, form: str | None) -> None:
    from kille_net.wire.text import safe_text

    with shelf.archive() as archive:
        found = archive.find(name)
    if found is None:
        raise shelf.error("no_tournament", Exit.DOES_NOT_HOLD, name=safe_text(name, 2 * CELLS))
    objects = _OBJECTS[view](found)
    if form == "csv":
        rows = objects if view == "standings" else [row for one in objects for row in _flat(one)]
        write_csv(rows, _FIELDS[view])
    elif form == "json":
        write_json(objects)
    else:
        print_rows(list(zip(headings("tournament"), _about(found), strict=True)), left=2)
        click.echo()
        _TEXT[view](found, objects)


# --- all of it, as JSON has it ----------------------------------------------------------------------------------------


def _object(saved: "TournamentSaved") -> dict[str, Any]:
    state = saved.state
    return {
        "id": saved.id,
        "name": state.name,
        "kind": state.plan.kind.value,
        "seats": state.plan.options.seats,
        "duplicate": state.plan.duplicate,
        "stage": state.stage.value,
        "entrants": len(state.entries),
        "rounds": len(saved.rounds),
        "began": None if state.began is None else utc(state.began),
        "ended": None if state.ended is None else utc(state.ended),
        "why": state.why or None,
        "first": _first(saved),
    }


def _first(saved: "TournamentSaved") -> list[str]:
    """Who is first so far; nobody before anything has counted."""
    from kille_net.server.tournament.standings import standings

    found = standings(saved)
    return [one.entry.name for one in found if one.rank == 1] if any(one.played for one in found) else []


def _standings(saved: "TournamentSaved") -> list[dict[str, Any]]:
    from kille_net.server.tournament.told import told

    return told(saved)


def _schedule(saved: "TournamentSaved") -> list[dict[str, Any]]:
    """By round: its tables, who sits out, and what is planned for later rounds."""
    rounds = max([one.number for one in saved.rounds] + [one.round for one in saved.tables], default=0)
    found = [_table(saved, table) for table in saved.tables]
    found += [_bye(saved, one.number, number) for one in saved.rounds for number in one.byes]
    found += [
        _row(saved, round_=round_, table=at, status=_PLANNED, seats=seats)
        for round_, tables in enumerate(saved.state.planned, start=1)
        if round_ > rounds
        for at, seats in enumerate(tables, start=1)
    ]
    return sorted(found, key=_place_in_schedule)


def _results(saved: "TournamentSaved") -> list[dict[str, Any]]:
    """By round: the tables that are over, and who sat out."""
    from kille_net.server.tournament.scoring import BYE, OVER, POINT
    from kille_net.server.tournament.standings import scored
    from kille_net.server.tournament.told import DECIMALS

    scores = {(one.table.round, one.table.number): one.scores for one in scored(saved)}
    found = []
    for table in saved.tables:
        if table.status not in OVER:
            continue
        told = _table(saved, table)
        own = scores.get((table.round, table.number), {})
        for at, (seat, number) in enumerate(zip(told["seats"], table.seats, strict=True)):
            result = table.results[at] if table.results else None
            seat["points"] = result.points if result else None
            seat["place"] = result.place or None if result else None
            seat["missing"] = result.is_missing if result else None
            seat["score"] = round(own[number] / POINT, DECIMALS) if number in own else None
        found.append(told)
    for one in saved.rounds:
        for number in one.byes if one.is_over or not saved.state.plan.duplicate else ():
            told = _bye(saved, one.number, number)
            told["seats"][0].update(points=None, place=None, missing=False, score=BYE / POINT)
            found.append(told)
    return sorted(found, key=_place_in_schedule)


def _table(saved: "TournamentSaved", table: "TableSaved") -> dict[str, Any]:
    return _row(
        saved,
        round_=table.round,
        table=table.number,
        status=table.status.value,
        seats=table.seats,
        room=table.room or None,
        match=table.match or None,
    )


def _bye(saved: "TournamentSaved", round_: int, number: int) -> dict[str, Any]:
    return _row(saved, round_=round_, table=None, status=_BYE, seats=(number,))


def _row(
    saved: "TournamentSaved",
    *,
    round_: int,
    table: int | None,
    status: str,
    seats: Sequence[int],
    room: str | None = None,
    match: str | None = None,
) -> dict[str, Any]:
    names = {entry.number: entry.name for entry in saved.state.entries}
    return {
        "round": round_,
        "table": table,
        "status": status,
        "room": room,
        "match": match,
        "seats": [
            {"seat": seat if table else None, "number": number, "name": names[number]}
            for seat, number in enumerate(seats)
        ],
    }


def _place_in_schedule(row: Mapping[str, Any]) -> tuple[int, bool, int]:
    return row["round"], row["table"] is None, row["table"] or row["seats"][0]["number"]


def _flat(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for seat in row["seats"]:
        yield {**row, **seat}


_OBJECTS: Final = {"standings": _standings, "schedule": _schedule, "results": _results}


# --- as text ----------------------------------------------------------------------------------------------------------


def _kind(saved: "TournamentSaved") -> str:
    plan = saved.state.plan
    kind = tell(f"history.kind.{plan.kind.value}")
    return f"{kind}, {tell('history.duplicate')}" if plan.duplicate else kind


def _about(saved: "TournamentSaved") -> tuple[str, ...]:
    from kille_net.client.showing.texts import reason

    state = saved.state
    stage = tell(f"history.stage.{state.stage.value}")
    return (
        f"{state.name} ({saved.id})",
        _kind(saved),
        f"{stage}: {reason(spoken(), state.why)}" if state.why else stage,
        "-" if state.began is None else when(state.began),
        "-" if state.ended is None else when(state.ended),
        str(len(saved.rounds)),
    )


_SHOWN: Final = {
    "plain": ("opponents", "mean", "margin"),
    "duplicate": ("opponents", "mean", "margin", "plain_margin"),
    _LADDER: ("mean", "margin"),
}
"""What each table of standings has at its end."""


def _print_standings(saved: "TournamentSaved", objects: Sequence[Mapping[str, Any]]) -> None:
    plan = saved.state.plan
    table = _LADDER if plan.kind.value == _LADDER else "duplicate" if plan.duplicate else "plain"
    rows = []
    names = apart([(one["name"], one["number"]) for one in objects])
    for one, name in zip(objects, names, strict=True):
        status = tell(f"history.entry.{one['status']}")
        row = [str(one["rank"]), name, who(one["kind"], one["level"]), status]
        row += [_decimal(one["score"]), str(one["played"]), str(one["wins"])]
        row += [_decimal(one[field]) for field in _SHOWN[table]]
        rows.append(row)
    print_below(headings(f"tournament.standings.{table}"), rows, left=4, none="tournament.nobody")
    if means := means_of_both((one["margin"], one["plain_margin"]) for one in objects):
        own, plain = map(_decimal, means)
        click.echo(f"\n{tell('standings_duplicates', own=own, plain=plain)}")


def _print_schedule(_saved: "TournamentSaved", objects: Sequence[Mapping[str, Any]]) -> None:
    rows = [(*_cells(one), ", ".join(seat["name"] for seat in one["seats"])) for one in objects]
    print_below(headings("tournament.schedule"), rows, left=5, none="tournament.no_tables")


def _print_results(_saved: "TournamentSaved", objects: Sequence[Mapping[str, Any]]) -> None:
    rows = []
    for one in objects:
        seats = sorted(one["seats"], key=lambda seat: seat["place"] or 0)
        rows.append((*_cells(one), ", ".join(_outcome(seat) for seat in seats)))
    print_below(headings("tournament.results"), rows, left=5, none="tournament.no_results")


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        str(row["round"]),
        str(row["table"] or "-"),
        row["room"] or "-",
        tell(f"history.table.{row['status']}"),
    )


def _outcome(seat: Mapping[str, Any]) -> str:
    place = f"{seat['place']}. " if seat["place"] else ""
    score = "" if seat["score"] is None else f" {_decimal(seat['score'])}"
    missing = f" ({tell('history.missing_there')})" if seat["missing"] else ""
    return f"{place}{seat['name']}{score}{missing}"


def _decimal(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


_TEXT: Final = {"standings": _print_standings, "schedule": _print_schedule, "results": _print_results}
