"""The tournaments of a store as they may be shown."""

from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

import msgspec
import pytest
from hypothesis import given

from kille_net.server.archive import Archive
from kille_net.server.saving import RoundKept, TableKept, TournamentKept
from kille_net.server.store import Store
from kille_net.server.tournament.saved import TournamentSaved
from kille_net.wire.messages import TableStatus, TournamentStage
from tests.server.tournament.made import played, tournament, tournaments

replaced = msgspec.structs.replace
NUMBERS = count(1)


def keep(store: Store, saved: TournamentSaved) -> None:
    rounds = [RoundKept(saved.id, one) for one in saved.rounds]
    store.keep([TournamentKept(saved.id, saved.state), *rounds, *(TableKept(saved.id, one) for one in saved.tables)])


def named(saved: TournamentSaved, number: int, name: str) -> TournamentSaved:
    return replaced(saved, id=number, state=replaced(saved.state, name=name))


def shown(folder: Path, saved: TournamentSaved) -> TournamentSaved:
    store = Store(folder)
    keep(store, saved)
    with Archive(folder) as archive:
        found = archive.find(str(saved.id))
    store.close()
    assert found is not None
    return found


def decoded(saved: TournamentSaved) -> TournamentSaved:
    """As JSON has it."""
    return msgspec.convert(msgspec.to_builtins(saved), TournamentSaved)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """While a server has it open: two of one name, and one that is called by the number of another."""
    folder = tmp_path_factory.mktemp("data")
    with closing(Store(folder)) as store:
        for number, name in enumerate(["Torsdag", "Fredag", "torsdag", "2", "2026"], start=1):
            keep(store, named(tournament([played(1, 1, (1, 2), (1, 2))]), number, name))
        with Archive(folder) as found:
            yield found


class TestFinding:
    @pytest.mark.parametrize(
        ("wanted", "number"),
        [("Fredag", 2), ("FREDAG", 2), ("Torsdag", 3), ("1", 1), ("2", 2), ("2026", 5), ("4", 4)],
    )
    def test_by_number_and_else_the_last_one_of_that_name(self, archive: Archive, wanted: str, number: int) -> None:
        found = archive.find(wanted)
        assert found is not None
        assert found.id == number

    @pytest.mark.parametrize("wanted", ["", "Lördag", "6", "-1", "9" * 18, "9" * 19, "9" * 400, "²6", "\0", "%"])
    def test_what_is_not_there_is_not_found(self, archive: Archive, wanted: str) -> None:
        assert archive.find(wanted) is None

    def test_the_last_ones_are_the_first_told(self, archive: Archive) -> None:
        assert [one.id for one in archive.last(3)] == [5, 4, 3]
        assert len(archive.last(100)) == 5


class TestWhatIsShown:
    @given(tournaments())
    def test_of_others_all(self, folder: Path, saved: TournamentSaved) -> None:
        saved = replaced(saved, id=next(NUMBERS))
        assert shown(folder, saved) == decoded(saved)

    def test_of_a_round_of_duplicates_that_is_not_over_who_sits_where_and_nothing_else(self, tmp_path: Path) -> None:
        over, done = played(1, 1, (1, 2), (1, 2)), played(2, 1, (1, 3), (2, 1))
        called = replaced(played(2, 2, (2, 4), (1, 2)), status=TableStatus.CALLED, results=())
        waiting = replaced(played(2, 3, (5, 6), (1, 2)), status=TableStatus.WAITING, results=(), match="", room="")
        saved = tournament([over, done, called, waiting], entrants=6, duplicate=True, open_rounds=frozenset({2}))
        found = shown(tmp_path, saved)
        assert (found.rounds[0], found.tables[0]) == (saved.rounds[0], decoded(saved).tables[0])
        assert found.rounds[1].seed == ""
        assert [(one.seats, one.room) for one in found.tables] == [(one.seats, one.room) for one in saved.tables]
        closed = found.tables[1:]
        assert [one.status for one in closed] == [TableStatus.CALLED, TableStatus.CALLED, TableStatus.WAITING]
        assert {(one.match, one.results) for one in closed} == {("", ())}
        assert replaced(closed[0], seats=(), room="", number=2) == replaced(closed[1], seats=(), room="")

    def test_when_nobody_plays_any_more_all_of_it_may_be_told(self, tmp_path: Path) -> None:
        saved = tournament([played(1, 1, (1, 2), (1, 2))], duplicate=True, open_rounds=frozenset({1}))
        cancelled = replaced(saved, state=replaced(saved.state, stage=TournamentStage.CANCELLED, why="draining"))
        found = shown(tmp_path, cancelled)
        assert found.tables == decoded(cancelled).tables
