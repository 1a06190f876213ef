"""How tournaments are listed, page by page (protocol/v1/protocol.md §6.13).

Owns what a line of each list says. Refuses to know who asks.
"""

from collections.abc import Sequence
from typing import Final, TypeVar

from kille_net.server.scheduling.tournament import MOST_ENTRANTS, Tournament
from kille_net.server.tournament.saved import TableSaved
from kille_net.server.tournament.scoring import OVER
from kille_net.server.tournament.standings import to_line
from kille_net.wire import messages as m

__all__ = ["MOST_LINES", "line", "page", "standing_page", "table_page"]

T = TypeVar("T")
MOST_LINES: Final = 10
"""In a page of tournaments or of standings."""
_MOST_TABLES: Final = 8


def page(lines: Sequence[T], number: int, most: int) -> tuple[int, tuple[T, ...]]:
    """How many pages there are, and one of them."""
    return max(1, -(-len(lines) // most)), tuple(lines[number * most : (number + 1) * most])


def line(tournament: Tournament, *, entered: bool) -> m.TournamentLine:
    plan, starts = tournament.plan, tournament.starts_in()
    return m.TournamentLine(
        name=tournament.name,
        kind=plan.kind,
        seats=plan.options.seats,
        stage=tournament.stage,
        entrants=min(tournament.size, MOST_ENTRANTS),
        most=plan.most,
        round=tournament.book.round,
        rounds=tournament.rounds,
        starts=None if starts is None else round(starts),
        duplicate=plan.duplicate,
        entered=entered,
    )


def standing_page(tournament: Tournament, command: m.AskStandings) -> m.Standings:
    pages, shown = page(tournament.standings(), command.page, MOST_LINES)
    return m.Standings(
        id=command.id,
        page=command.page,
        pages=pages,
        tournament=tournament.name,
        kind=tournament.plan.kind,
        round=tournament.book.round,
        standings=tuple(map(to_line, shown)),
    )


def table_page(tournament: Tournament, command: m.AskTables) -> m.Tables:
    number = command.round or max(1, tournament.book.round)
    names = {one.number: one.name for one in tournament.entrants}
    lines = [
        _table_line(table, names, is_closed=tournament.is_closed(number)) for table in tournament.book.tables_of(number)
    ]
    lines += [
        m.TableLine(number=0, status=m.TableStatus.BYE, room="", seats=(names[one],), places=())
        for one in tournament.book.byes_of(number)
    ]
    pages, shown = page(lines, command.page, _MOST_TABLES)
    return m.Tables(
        id=command.id,
        page=command.page,
        pages=pages,
        tournament=tournament.name,
        round=number,
        rounds=tournament.rounds,
        tables=shown,
    )


def _table_line(table: TableSaved, names: dict[int, str], *, is_closed: bool) -> m.TableLine:
    """`is_closed`: whether nothing is told yet of how it went."""
    return m.TableLine(
        number=table.number,
        status=m.TableStatus.PLAYED if is_closed and table.status in OVER else table.status,
        room=table.room,
        seats=tuple(names[one] for one in table.seats),
        places=() if is_closed else tuple(seated.place for seated in table.results),
    )
