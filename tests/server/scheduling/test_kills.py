"""A server that is killed and started again: its tournaments go on where they were."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Final

import pytest

from kille_net.server.tournament.scoring import OVER
from kille_net.server.tournament.standings import standings
from kille_net.wire import messages as m
from tests.deep import size
from tests.server.house import Guest, House
from tests.server.scheduling.house import (
    Killed,
    Mortal,
    answer_all,
    back,
    bots,
    bound,
    entered,
    kept,
    plan,
    run,
    say,
    the,
)

KIND = m.TournamentKind
SMALL: Final = {
    "round robin": (plan(KIND.ROUND_ROBIN, 2, minutes=5), 3),
    "swiss": (plan(KIND.SWISS, 2, rounds=2, late=2, minutes=5), 3),
    "knock-out": (plan(KIND.KNOCK_OUT, 2, minutes=5), 3),
    "ladder": (plan(KIND.LADDER, 2, rounds=2, minutes=5), 3),
    "duplicate": (plan(KIND.SWISS, 2, rounds=2, duplicate=True, computers=1, minutes=5), 2),
    "check-in": (plan(KIND.SWISS, 3, rounds=1, start=60, check_in=20, minutes=5), 3),
}
LARGER: Final = {
    "round robin": (plan(KIND.ROUND_ROBIN, 3, rounds=3, minutes=5), 7),
    "swiss": (plan(KIND.SWISS, 3, rounds=3, at_once=2, minutes=5), 10),
    "knock-out": (plan(KIND.KNOCK_OUT, 4, through=2, minutes=5), 13),
    "ladder": (plan(KIND.LADDER, 3, rounds=3, minutes=5, computers=2), 6),
    "duplicate": (plan(KIND.ROUND_ROBIN, 3, rounds=3, duplicate=True, minutes=5), 7),
}


def played(folder: Path, of: m.Plan, number: int, dies_at: int = 0, *, back_of: int | None = None) -> Mortal:
    """A tournament whole, with one kill on the way, after which all come back, or so many."""
    house = Mortal(data=folder)
    house.dies_at = dies_at
    guests = bots(house, number)
    began = house.now
    done = iter(_acts(house, guests, of))
    while True:
        try:
            for _ in done:
                assert house.now < began + 100 + 2 * bound(house, of), "it never ends"
            return house
        except Killed:
            house.restart()
            guests = guests[:back_of]
            back(house, guests)
            done = iter(_acts(house, guests, of))  # each does again what has not been done


def _acts(house: Mortal, guests: Sequence[Guest], of: m.Plan) -> Iterator[None]:
    """Of clients that want the tournament played, wherever it stands."""
    if house.lobby.calendar.named("Torsdag") is None:
        if kept(house):
            return  # it is over
        assert say(house, guests[0], m.OpenTournament, plan=of) is None
    for guest in guests:
        if the(house).stage is m.TournamentStage.OPEN or (
            of.kind is KIND.LADDER and not the(house).keeps(guest.player)
        ):
            say(house, guest, m.SignUp)
            yield
    if the(house).stage is m.TournamentStage.OPEN and not of.start:
        say(house, guests[0], m.BeginTournament)
    while the(house).is_running:
        if the(house).stage is m.TournamentStage.CHECK_IN:
            for guest in guests:
                say(house, guest, m.CheckIn)
        if not answer_all(house, guests):
            house.step()
        yield


def hold(house: Mortal, number: int, case: object) -> None:
    """What is to be true of any tournament that has ended."""
    assert not house.faults, case
    (saved,) = kept(house)
    assert saved.state.stage is m.TournamentStage.OVER, (case, saved.state.why)
    own = [entry for entry in saved.state.entries if not entry.level]
    assert sorted(entry.name for entry in own) == sorted(f"Bot {k}" for k in range(1, number + 1)), case
    keys = [(table.round, table.number) for table in saved.tables]
    assert len(keys) == len(set(keys)), case
    for table in saved.tables:
        assert table.status in OVER, case
        assert len(table.results) == len(table.seats), case
        assert len(set(table.seats)) == len(table.seats), case
    for round_ in saved.rounds:
        assert round_.is_over, case
        who = [*round_.byes, *(one for table in saved.tables if table.round == round_.number for one in table.seats)]
        assert len(who) == len(set(who)), case
    tournament = house.lobby.calendar.named("Torsdag")
    if tournament is not None:
        assert tournament.standings() == standings(saved), case
    assert not house.lobby.rooms, case
    assert not house.lobby._rooms._of, case
    assert house.lobby.calendar.deadline() is None, case
    assert house.store is not None
    matches = house.store._db.execute("SELECT hex(id), ended, reason, closed FROM match").fetchall()
    assert all(ended and reason is None and not closed for _, ended, reason, closed in matches), case
    of_tables = [table.match.upper() for table in saved.tables if table.status is m.TableStatus.PLAYED]
    assert sorted(of_tables) == sorted(match for match, *_ in matches), "a match that has begun goes on"


class TestAtAnyMoment:
    @pytest.mark.parametrize("name", SMALL)
    def test_a_small_one_ends_as_it_should(self, name: str, tmp_path: Path) -> None:
        of, number = SMALL[name]
        whole = played(tmp_path / "whole", of, number)
        hold(whole, number, name)
        for moment in range(2 + number, whole.carried, size(6, 1)):
            killed = played(tmp_path / str(moment), of, number, moment)
            hold(killed, number, (name, moment))
            _close(killed)

    @pytest.mark.parametrize("name", LARGER)
    def test_a_larger_one_ends_as_it_should(self, name: str, tmp_path: Path) -> None:
        of, number = LARGER[name]
        whole = played(tmp_path / "whole", of, number)
        hold(whole, number, name)
        for moment in Random(name).sample(range(2 + number, whole.carried), size(2, 60)):
            killed = played(tmp_path / str(moment), of, number, moment)
            hold(killed, number, (name, moment))
            _close(killed)

    @pytest.mark.parametrize("name", LARGER)
    def test_who_is_not_back_hinders_nobody(self, name: str, tmp_path: Path) -> None:
        of, number = LARGER[name]
        whole = played(tmp_path / "whole", of, number)
        for moment in Random(name).sample(range(2 + 2 * number, whole.carried), size(2, 60)):
            killed = played(tmp_path / str(moment), of, number, moment, back_of=number // 2)
            assert not killed.faults, moment
            (saved,) = kept(killed)
            assert saved.state.stage is m.TournamentStage.OVER, moment
            assert {table.status for table in saved.tables} <= OVER, moment
            assert not killed.lobby.rooms, moment
            killed.wait(30 * 86_400 + 200)
            assert all(player.is_here for player in killed.lobby.players), moment
            _close(killed)

    def test_twice_is_as_good_as_once(self, tmp_path: Path) -> None:
        of, number = SMALL["swiss"]
        house = Mortal(data=tmp_path)
        guests = bots(house, number)
        for at in range(1, 8):
            house.dies_at = house.carried + 4 * at
            with suppress(Killed):
                for _ in _acts(house, guests, of):
                    pass
                break
            house.restart()
            back(house, guests)
        for _ in _acts(house, guests, of):
            pass
        hold(house, number, "killed again and again")


def _close(house: Mortal) -> None:
    assert house.store is not None
    house.store.close()


def test_a_round_at_whose_tables_nobody_plays_is_kept_as_over(tmp_path: Path) -> None:
    house = House(data=tmp_path)
    guests = bots(house, 4)
    tournament = entered(house, plan(KIND.ROUND_ROBIN, 2, minutes=5), guests)
    run(house, guests, lambda one: one.stage is not m.TournamentStage.BETWEEN)
    (met,) = (set(table.seats) for table in tournament.book.tables_of(1) if 1 in table.seats)
    for guest in guests:
        entrant = tournament.entrants.of(guest.player)
        assert entrant is not None
        if entrant.number in met:
            say(house, guest, m.Withdraw)
    run(house, guests, lambda one: one.book.round < 2 or bool(one.book.unfinished))
    assert {len(table.seats) for table in tournament.book.tables_of(2)} == {1}
    assert kept(house) == [tournament.saved()]
