"""Tournaments as a server tells of them."""

from kille_net.wire import messages as wire

__all__ = ["listed", "news", "row", "rows", "standings", "tables"]


def listed(name: str = "Torsdag", **changes: object) -> wire.TournamentLine:
    fields: dict[str, object] = {
        "kind": wire.TournamentKind.SWISS,
        "seats": 4,
        "stage": wire.TournamentStage.OPEN,
        "entrants": 5,
        "most": 64,
        "round": 0,
        "rounds": 0,
        "starts": None,
        "duplicate": False,
        "entered": False,
    }
    return wire.TournamentLine(name=name, **{**fields, **changes})  # type: ignore[arg-type]  # as they are


def news(happening: wire.Happening, tournament: str = "Torsdag", **changes: object) -> wire.TournamentNews:
    fields: dict[str, object] = {"who": "", "round": 0, "table": 0, "room": "", "s": 0, "seats": (), "places": ()}
    return wire.TournamentNews(
        tournament=tournament,
        news=happening,
        **{**fields, "text": "", **changes},  # type: ignore[arg-type]  # the same
    )


def row(rank: int, name: str, score: int = 840, **changes: object) -> wire.StandingLine:
    fields: dict[str, object] = {
        "occupant": wire.Occupant.PERSON,
        "status": wire.EntryStatus.PLAYING,
        "played": 2,
        "wins": 1,
        "opponents": 1260,
        "margin": None,
        "plain_margin": None,
    }
    return wire.StandingLine(rank=rank, name=name, score=score, **{**fields, **changes})  # type: ignore[arg-type]  # the same


def rows(count: int, first: int = 1) -> tuple[wire.StandingLine, ...]:
    return tuple(row(rank, f"Spelare {rank}") for rank in range(first, first + count))


def standings(command_id: int, *lines: wire.StandingLine, page: int = 0, pages: int = 1) -> wire.Standings:
    return wire.Standings(
        id=command_id,
        page=page,
        pages=pages,
        tournament="Torsdag",
        kind=wire.TournamentKind.SWISS,
        round=1,
        standings=lines,
    )


def tables(command_id: int, *lines: wire.TableLine, page: int = 0, pages: int = 1) -> wire.Tables:
    return wire.Tables(id=command_id, page=page, pages=pages, tournament="Torsdag", round=1, rounds=3, tables=lines)
