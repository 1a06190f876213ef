"""§6.12: a table that gathers begins when it is full, or when its time is over, with computers for who is missing."""

from itertools import count
from pathlib import Path

import pytest

from kille_net.game.shuffle import Material
from kille_net.server.limits import Limits
from kille_net.wire import messages as m
from kille_net.wire.options import DEFAULT_OPTIONS
from tests.server.house import Guest, House, code, news, options

TIME = Limits().quick


def begun(guest: Guest) -> list[float]:
    """When each match was said to begin."""
    return [when for when, message in guest.heard if news(message) is m.News.STARTED]


def room(guest: Guest) -> m.RoomState:
    """As it was told of last."""
    return next(message.room for _, message in reversed(guest.heard) if isinstance(message, m.RoomChanged | m.Snapshot))


def waits(guest: Guest) -> set[int | None]:
    """How long the empty seats were last said to wait."""
    return {seat.away for seat in room(guest).seats if seat.occupant is m.Occupant.EMPTY}


def gather(house: House, *names: str, seats: int = 4) -> list[Guest]:
    guests = [house.guest(name) for name in names]
    for guest in guests:
        assert house.quick(guest, seats=seats) is None
    return guests


class TestTheTable:
    def test_is_made_for_the_first_and_takes_who_comes(self) -> None:
        house = House()
        ada, bo = gather(house, "Ada", "Bo")
        assert room(ada) == room(bo)
        assert [seat.name for seat in room(bo).seats] == ["Ada", "Bo", "", ""]
        assert room(bo).status is m.RoomStatus.GATHERING
        assert not room(bo).locked

    def test_plays_what_is_played_where_nothing_is_said(self) -> None:
        house = House()
        ada = house.guest("Ada")
        house.quick(ada)
        assert room(ada).options == DEFAULT_OPTIONS

    def test_plays_what_is_wished_for(self) -> None:
        house = House()
        ada = house.guest("Ada")
        house.quick(ada, 3, m.Format.STICKS, m.Length.SHORT)
        made = room(ada).options
        assert (made.seats, made.format, made.length) == (3, m.Format.STICKS, m.Length.SHORT)

    @pytest.mark.parametrize(
        "wish",
        [
            {"seats": 3},
            {"kind": m.Format.STICKS},
            {"length": m.Length.LONG},
        ],
    )
    def test_of_another_kind_is_left_alone(self, wish: dict[str, object]) -> None:
        house = House()
        ada, bo = house.guest("Ada"), house.guest("Bo")
        house.quick(ada)
        house.quick(bo, **wish)  # type: ignore[arg-type]  # a row of the table above
        assert room(ada).name != room(bo).name

    def test_of_any_kind_is_good_to_who_wishes_for_nothing(self) -> None:
        house = House()
        ada, bo = house.guest("Ada"), house.guest("Bo")
        house.quick(ada, 3, m.Format.STICKS, m.Length.SHORT)
        house.quick(bo)
        assert room(ada).name == room(bo).name

    def test_where_most_wait_is_taken(self) -> None:
        house = House()
        gather(house, "Ada", seats=5)
        bo, _ = gather(house, "Bo", "Cilla", seats=4)
        doris = house.guest("Doris")
        house.quick(doris)
        assert room(doris).name == room(bo).name

    def test_that_begins_first_is_taken_among_equals(self) -> None:
        house = House()
        (ada,) = gather(house, "Ada", seats=5)
        house.wait(1.0)
        gather(house, "Bo", seats=4)
        cilla = house.guest("Cilla")
        house.quick(cilla)
        assert room(cilla).name == room(ada).name

    def test_that_somebody_made_is_not_taken(self) -> None:
        house = House()
        house.create(house.guest("Ada"), options(4), "Krogen 1")
        (bo,) = gather(house, "Bo")
        assert room(bo).name == "Krogen 2"

    def test_may_be_joined_by_its_name_and_watched(self) -> None:
        house = House()
        (ada,) = gather(house, "Ada", seats=2)
        doris, bo = house.guest("Doris"), house.guest("Bo")
        assert code(house.watch(doris, room(ada).name)) is None
        assert waits(doris) == {TIME * 1000}
        assert code(house.join(bo, room(ada).name)) is None
        assert begun(ada) == begun(doris) == [house.now]

    def test_goes_with_the_last_who_leaves(self) -> None:
        house = House()
        ada, bo = gather(house, "Ada", "Bo")
        house.leave(ada)
        house.leave(bo)
        assert not house.lobby.rooms
        house.wait(2 * TIME)
        assert not begun(ada)

    def test_is_nobodys_own(self) -> None:
        """So that who plays quickly again and again may still make tables, and the other way round."""
        house = House()
        ada = house.guest("Ada")
        for number in range(Limits().rooms_of_player + 1):
            assert house.quick(ada, seats=3) is None
            gather(house, f"Bo {number}", f"Cilla {number}", seats=3)
            house.leave(ada)
        assert code(house.create(ada, options(2))) is None

    def test_is_not_made_where_there_is_no_place_for_another(self) -> None:
        house = House(limits=Limits(rooms=1))
        gather(house, "Ada", seats=3)
        assert house.quick(house.guest("Bo"), seats=4) is m.RefusalCode.TOO_MANY_ROOMS
        assert house.quick(house.guest("Cilla"), seats=3) is None

    def test_is_sought_in_the_lobby_alone(self) -> None:
        house = House()
        (ada,) = gather(house, "Ada")
        assert house.quick(ada) is m.RefusalCode.WRONG_PLACE


class TestTheBeginning:
    def test_comes_as_soon_as_all_seats_are_taken(self) -> None:
        house = House()
        ada, bo = gather(house, "Ada", "Bo", seats=3)
        house.wait(3.0)
        assert not begun(ada)
        gather(house, "Cilla", seats=3)
        assert begun(ada) == begun(bo) == [house.now]
        assert all(seat.occupant is m.Occupant.PERSON for seat in room(ada).seats)

    def test_comes_when_the_time_is_over_and_no_earlier(self) -> None:
        house = House()
        ada, bo = gather(house, "Ada", "Bo")
        at = house.now
        house.wait(TIME - 0.001)
        assert not begun(ada)
        house.wait(0.001)
        assert begun(ada) == begun(bo) == [at + TIME]
        occupants = [seat.occupant for seat in room(ada).seats]
        assert occupants == [m.Occupant.PERSON] * 2 + [m.Occupant.COMPUTER] * 2
        assert ada.all(m.Turn)

    def test_is_told_beforehand_to_all(self) -> None:
        house = House()
        (ada,) = gather(house, "Ada")
        assert waits(ada) == {20_000}
        house.wait(7.5)
        (bo,) = gather(house, "Bo")
        assert waits(ada) == waits(bo) == {12_500}
        assert {seat.away for seat in room(bo).seats if seat.name} == {None}

    def test_cannot_be_put_off_by_coming_and_going(self) -> None:
        house = House()
        (ada,) = gather(house, "Ada", seats=3)
        at = house.now
        bo = house.guest("Bo")
        for _ in range(190):
            house.wait(0.1)
            house.quick(bo, seats=3)
            house.wait(0.0)
            house.leave(bo)
        assert not begun(ada)
        house.wait(TIME)
        assert begun(ada) == [at + TIME]

    def test_cannot_be_put_off_by_who_made_it(self) -> None:
        house = House()
        ada, bo = gather(house, "Ada", "Bo", seats=3)
        at = house.now
        house.wait(10.0)
        house.leave(ada)
        house.quick(ada, seats=3)
        house.wait(10.0)
        assert begun(bo) == [at + TIME]

    def test_cannot_be_put_off_by_who_is_not_ready(self) -> None:
        house = House()
        (ada,), bo = gather(house, "Ada", seats=2), house.guest("Bo")
        at = house.now
        assert code(house.ready(ada, ready=False)) is None
        house.quick(bo, seats=2)
        assert not begun(bo)
        house.wait(TIME)
        assert begun(bo) == [at + TIME]

    def test_waits_for_nobody_whose_line_is_lost(self) -> None:
        """Nor does it lose the seat: a computer plays on it until its player is back."""
        house = House()
        ada, bo = gather(house, "Ada", "Bo", seats=3)
        house.lose(bo)
        assert room(ada).seats[1].away == 20_000
        house.wait(TIME)
        assert len(begun(ada)) == 1
        assert (room(ada).seats[1].name, room(ada).seats[1].away) == ("Bo", 0)
        house.come_back(bo)
        assert house.lobby.room_of(bo.player) is house.lobby.rooms[0]
        assert room(bo).seats[1].away is None

    def test_comes_at_once_when_who_was_lost_is_back_at_a_full_table(self) -> None:
        house = House()
        ada, _ = gather(house, "Ada", "Bo", seats=3)
        house.lose(ada)
        (cilla,) = gather(house, "Cilla", seats=3)
        assert not begun(cilla)
        house.wait(2.0)
        house.come_back(ada)
        assert begun(cilla) == [house.now]

    def test_does_not_come_where_nobody_is_left(self) -> None:
        house = House()
        (ada,) = gather(house, "Ada")
        house.lose(ada)
        house.wait(TIME)
        assert not house.lobby.rooms
        assert house.come_back(ada) == []

    def test_comes_for_bots_as_well(self) -> None:
        house = House()
        robot = house.guest("Robot", bot=True)
        assert house.quick(robot) is None
        house.wait(TIME)
        assert len(begun(robot)) == 1

    def test_comes_without_whoever_was_sent_away(self) -> None:
        house = House()
        (ada,), bo = gather(house, "Ada", seats=2), house.guest("Bo")
        house.carry(house.lobby.expel(ada.player, house.now))
        assert not house.lobby.rooms
        house.quick(bo, seats=2)
        assert [seat.name for seat in room(bo).seats] == ["Bo", ""]


class TestTheHost:
    def test_is_nobody_while_the_table_gathers(self) -> None:
        house = House()
        ada, bo = gather(house, "Ada", "Bo")
        assert room(bo).host == ""
        assert code(house.kick(ada, 1)) is m.RefusalCode.NOT_HOST
        assert code(house.start(ada)) is m.RefusalCode.NOT_HOST

    def test_is_the_first_who_sits_there_from_the_beginning_on(self) -> None:
        house = House()
        ada, _ = gather(house, "Ada", "Bo", seats=2)
        assert room(ada).host == "Ada"


class TestAServerThatStops:
    def test_seats_nobody_quickly_and_begins_nothing(self) -> None:
        house = House()
        (ada,) = gather(house, "Ada")
        bo = house.guest("Bo")
        house.lobby.drain()
        assert house.quick(bo) is m.RefusalCode.SHUTTING_DOWN
        house.wait(2 * TIME)
        assert not begun(ada)
        assert house.lobby.hands == 0

    def test_gathers_anew_when_it_was_killed_meanwhile(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        ada, bo = gather(house, "Ada", "Bo", seats=3)
        house.wait(15.0)
        house.restart()
        at = house.now
        house.come_back(ada)
        house.come_back(bo)
        assert room(bo).status is m.RoomStatus.GATHERING
        assert waits(bo) == {20_000}
        gather(house, "Cilla", seats=3)
        assert begun(ada) == begun(bo) == [at]

    def test_begins_without_who_is_not_back(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        ada, _ = gather(house, "Ada", "Bo", seats=3)
        house.restart()
        at = house.now
        house.come_back(ada)
        house.wait(TIME)
        assert begun(ada) == [at + TIME]
        assert [seat.away for seat in room(ada).seats] == [None, 0, None]

    def test_gathers_anew_when_it_was_killed_before_the_first_deal(self, tmp_path: Path) -> None:
        """The shuffle is void (§7.8), and nobody has to say again that it is ready."""
        numbers = count(1)
        house = House(data=tmp_path, shuffle=lambda: Material(b"s" * 32, next(numbers).to_bytes(16, "big")))
        ada, bo = gather(house, "Ada", "Bo", seats=3)
        house.wait(TIME)
        assert ada.all(m.ShuffleBegan)
        assert room(ada).host == "Ada"
        house.restart()
        house.come_back(ada)
        assert (room(ada).status, room(ada).host) == (m.RoomStatus.GATHERING, "")
        assert len(begun(ada)) == 1
        house.come_back(bo)
        assert len(begun(ada)) == len(begun(bo)) == 2
        assert room(bo).seats[2].occupant is m.Occupant.COMPUTER

    def test_gathers_no_more_after_the_first_match_has_begun(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        ada, bo = gather(house, "Ada", "Bo", seats=2)
        house.restart()
        house.come_back(ada)
        house.come_back(bo)
        assert room(bo).status is m.RoomStatus.PLAYING

    def test_leaves_a_table_to_nobody_when_nobody_comes_back(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        gather(house, "Ada")
        house.restart()
        house.wait(TIME)
        assert not house.lobby.rooms
        house.restart()
        assert not house.lobby.rooms


class TestTheCommand:
    def test_is_done_once_and_answered_again(self) -> None:
        house = House()
        ada = house.guest("Ada")
        command = m.Quick(id=7, seats=None, format=None, length=None)
        for _ in range(2):
            house.carry(house.lobby.command(ada.player, command, house.now))
        assert ada.answers(7) == [m.Ok(id=7)] * 2
        assert len(ada.all(m.Snapshot)) == 1
        assert len(house.lobby.rooms) == 1


def test_the_table_is_an_ordinary_one_after_its_first_match() -> None:
    house = House()
    (ada,) = gather(house, "Ada", seats=2)
    house.wait(TIME)
    house.play([ada], lambda question: m.Do.STAND if question.legal & 1 else m.Do.REFUSE)
    assert room(ada).status is m.RoomStatus.OPEN
    assert [seat.ready for seat in room(ada).seats] == [False, True]
    assert code(house.ready(ada)) is None
    assert len(begun(ada)) == 2
