"""The standings against a second count, from the schedule as it is exported and from records."""

import json
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from kille_net.cli import main
from kille_net.server.saving import RoundKept, TableKept, TournamentKept
from kille_net.server.store import Store
from kille_net.server.tournament.saved import TableSaved, TournamentSaved
from kille_net.server.tournament.scoring import places
from kille_net.server.tournament.standings import standings
from kille_net.wire.messages import TableStatus, TournamentKind
from tests.server.tournament.made import random_tournament
from tests.server.tournament.recount import read_records, recount

replaced = msgspec.structs.replace


def drawn_again(random: Random, table: TableSaved) -> tuple[TableSaved, list[dict[str, Any]]]:
    """The table with a match that was won by anybody, or broken off, and its record, as far as it matters."""
    size = len(table.seats)
    points = [random.randint(0, 4) for _ in range(size)]
    winner = random.choice([None, *range(size)])
    gone = {seat for seat in range(size) if random.random() < 0.15}
    order = None
    if winner is not None:
        behind = [2 + sum(other > own for seat, other in enumerate(points) if seat != winner) for own in points]
        order = [1 if seat == winner else place for seat, place in enumerate(behind)]
    acted = [{"seat": seat, "do": "stand", "by": random.choice(["player", "stand-in"])} for seat in range(size)]
    acted += [{"seat": seat, "do": "stand", "by": "stand-in" if seat in gone else "player"} for seat in range(size)]
    record = [
        {"type": "match", "id": table.match, "seats": [{"name": f"P{number}"} for number in table.seats]},
        {"type": "hand", "actions": acted},
        {"type": "end", "winner": winner, "points": points},
    ]
    return replaced(table, results=places(order, points, gone)), record


def played_again(random: Random, saved: TournamentSaved, records: Path) -> TournamentSaved:
    tables = []
    for table in saved.tables:
        again = table
        if table.status is TableStatus.PLAYED:
            again, record = drawn_again(random, table)
            text = "".join(f"{json.dumps(line)}\n" for line in record)
            (records / f"{table.match}.jsonl").write_text(text, encoding="utf-8")
        tables.append(again)
    return replaced(saved, tables=tuple(tables))


def exported(folder: Path, saved: TournamentSaved, view: str) -> list[dict[str, Any]]:
    words = ["history", "--data", str(folder), "tournament", str(saved.id), view, "--json"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    found: list[dict[str, Any]] = json.loads(result.stdout)
    return found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("duplicate", [False, True], ids=["plain", "duplicate"])
@pytest.mark.parametrize("kind", TournamentKind)
def test_both_counts_agree(kind: TournamentKind, duplicate: bool, seed: int, tmp_path: Path) -> None:  # noqa: FBT001 -- a parameter
    random = Random(f"{kind} {duplicate} {seed}")
    (tmp_path / "records").mkdir()
    saved = played_again(random, random_tournament(random, kind, duplicate=duplicate), tmp_path / "records")
    store = Store(tmp_path)
    rounds = [RoundKept(saved.id, one) for one in saved.rounds]
    store.keep([TournamentKept(saved.id, saved.state), *rounds, *(TableKept(saved.id, one) for one in saved.tables)])
    store.close()
    found = recount(
        exported(tmp_path, saved, "schedule"),
        read_records(tmp_path / "records"),
        kind=kind.value,
        duplicate=duplicate,
        entrants=[entry.number for entry in saved.state.entries],
        came={
            (table.round, table.number): number
            for table in saved.tables
            if table.status is TableStatus.WALKOVER
            for number, seated in zip(table.seats, table.results, strict=True)
            if not seated.is_missing
        },
    )
    told = standings(saved)
    assert {one.entry.number: (one.rank, one.score, one.played, one.wins, one.opponents) for one in told} == {
        number: (one.rank, one.score, one.played, one.wins, one.opponents) for number, one in found.items()
    }
    assert [one["rank"] for one in exported(tmp_path, saved, "standings")] == sorted(one.rank for one in found.values())
