"""Who takes part in a tournament: taken out of it wherever they are, and let in again after a server was down."""

from pathlib import Path

import pytest

from kille_net.wire import messages as m
from tests.server.house import Guest, House, code, options
from tests.server.scheduling.house import news, plan

NAME = "Torsdag"


def opened(house: House, tournament: m.Plan, *names: str, bots: bool = True) -> list[Guest]:
    """Guests who have signed up for it."""
    house.carry(house.lobby.schedule(lambda calendar, now: calendar.open(NAME, tournament, now), house.now))
    guests = [house.guest(name, bot=bots) for name in names]
    for guest in guests:
        assert code(house.do(guest, lambda k: m.SignUp(id=k, tournament=NAME))) is None
    return guests


def take_out(house: House, guest: Guest, how: str) -> None:
    if how == "withdraw":
        assert code(house.do(guest, lambda k: m.Withdraw(id=k))) is None
    else:
        house.carry(house.lobby.schedule(lambda calendar, now: calendar.drop(guest.player, now), house.now))


def room_of(house: House, guest: Guest) -> str:
    room = house.lobby.room_of(guest.player)
    return "" if room is None else room.name


@pytest.mark.parametrize("how", ["withdraw", "drop"])
@pytest.mark.parametrize("watches", [False, True])
def test_who_is_taken_out_stays_where_it_plays_or_looks_on_beside_the_tournament(how: str, *, watches: bool) -> None:
    house = House()
    ada, bo = opened(house, plan(seats=2), "Ada", "Bo")
    assert code(house.create(bo, options(3))) is None
    assert code(house.watch(ada) if watches else house.join(ada)) is None
    take_out(house, ada, how)
    assert room_of(house, ada) == "Room"
    assert not house.lobby.calendar.of(ada.player)


@pytest.mark.parametrize("how", ["withdraw", "drop"])
def test_who_is_taken_out_is_away_from_the_table_of_the_tournament(how: str) -> None:
    house = House()
    ada, bo = opened(house, plan(seats=2, number=2), "Ada", "Bo")
    assert room_of(house, ada) == room_of(house, bo) == f"{NAME} 1-1"
    take_out(house, ada, how)
    assert room_of(house, ada) == ""


@pytest.mark.parametrize("down", [100.0, 1000.0])
def test_a_check_in_that_a_server_has_slept_through_is_held_when_it_is_back(down: float, tmp_path: Path) -> None:
    house = House(data=tmp_path)
    guests = opened(house, plan(seats=2, start=60, check_in=20), "Ada", "Bo", bots=False)
    for guest in guests:
        house.lose(guest)
    house.now += down
    house.restart()
    for guest in guests:
        house.come_back(guest)
    house.wait(1.0)
    for guest in guests:
        assert [one.s for one in news(guest, m.Happening.CHECK_IN)] in ([], [20])
        assert code(house.do(guest, lambda k: m.CheckIn(id=k))) is None
    house.wait(20.0)
    assert [one.stage for one in house.lobby.calendar.tournaments] == [m.TournamentStage.PLAYING]
    assert room_of(house, guests[0]) == f"{NAME} 1-1"
