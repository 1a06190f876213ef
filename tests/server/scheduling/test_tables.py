"""The tables of a tournament: who is called to them, what comes of each, and what follows for who was there."""

from collections.abc import Sequence

import pytest

from kille_net.server.limits import Limits
from kille_net.server.scheduling.tournament import Tournament
from kille_net.server.tournament.scoring import POINT, score
from kille_net.wire import messages as m
from kille_net.wire.states import Place
from tests.server.house import Guest, House, options
from tests.server.house import news as room_news
from tests.server.scheduling.house import (
    answer_all,
    ask,
    back,
    bots,
    entered,
    names,
    news,
    persons,
    plan,
    run,
    say,
    tables,
    the,
)

KIND, STAGE, CODE, NEWS, STATUS = m.TournamentKind, m.TournamentStage, m.RefusalCode, m.Happening, m.TableStatus


def one_table(house: House, guests: Sequence[Guest]) -> None:
    """A tournament begins in which these sit at one."""
    entered(house, plan(KIND.SWISS, len(guests), rounds=2, minutes=5), guests)


def result(house: House, guest: Guest, round_: int = 1) -> tuple[int, bool]:
    """Place and whether it was missing."""
    for table in the(house).book.tables_of(round_):
        for number, seated in zip(table.seats, table.results, strict=True):
            if the(house).entrants[number].name == guest.name:
                return seated.place, seated.is_missing
    raise AssertionError


def worth(house: House, guest: Guest, round_: int = 1) -> int:
    for table in the(house).book.tables_of(round_):
        for number, units in score(table).items():
            if the(house).entrants[number].name == guest.name:
                return units
    raise AssertionError


def status(house: House, guest: Guest) -> m.EntryStatus:
    entrant = the(house).entrants.of(guest.player)
    assert entrant is not None
    return entrant.status


def first_table(house: House) -> m.TableStatus:
    return the(house).book.find(1, 1).status


def is_unfinished(one: Tournament) -> bool:
    return bool(one.book.unfinished)


class TestTheCall:
    def test_all_are_told_and_then_there(self) -> None:
        house = House()
        guests = persons(house, 4)
        one_table(house, guests)
        for guest in guests:
            (called,) = news(guest, NEWS.CALLED)
            assert (called.who, called.round, called.table, called.s) == (guest.name, 1, 1, 30)
            assert sorted(called.seats) == sorted(names(guests))
            assert guest.last(m.Snapshot).room.name == called.room
            order = [type(message) for _, message in guest.heard]
            assert order.index(m.TournamentNews) < order.index(m.Snapshot)
            assert house.lobby.place(guest.player) is Place.SEATED
            assert guest.all(m.HandBegan), "all were there, so that it has begun"

    def test_a_match_begins_when_the_last_one_has_come(self) -> None:
        house = House()
        guests = persons(house, 3)
        entered(house, plan(seats=3, rounds=1), guests, begin=False)
        house.lose(guests[1])
        say(house, guests[0], m.BeginTournament)
        house.wait(29)
        assert not guests[0].all(m.HandBegan)
        back(house, [guests[1]])
        assert guests[0].all(m.HandBegan)
        assert guests[1].all(m.Snapshot)

    def test_a_match_begins_after_the_call_with_computers_for_who_is_missing(self) -> None:
        house = House()
        guests = persons(house, 3)
        entered(house, plan(seats=3, rounds=1), guests, begin=False)
        house.lose(guests[1])
        say(house, guests[0], m.BeginTournament)
        house.wait(30)
        assert guests[0].all(m.HandBegan)
        run(house, guests)
        assert result(house, guests[1]) == (3, True)

    def test_who_comes_late_takes_its_seat_and_is_not_missing(self) -> None:
        house = House()
        guests = persons(house, 3)
        entered(house, plan(seats=3, rounds=1), guests, begin=False)
        house.lose(guests[1])
        say(house, guests[0], m.BeginTournament)
        house.wait(30)
        back(house, guests)
        run(house, guests)
        assert result(house, guests[1])[1] is False

    def test_nobody_joins_hosts_or_kicks(self) -> None:
        house = House()
        guests = persons(house, 3)
        stranger = house.guest("Stranger")
        entered(house, plan(seats=3, rounds=1), guests, begin=False)
        house.lose(guests[1])
        say(house, guests[0], m.BeginTournament)
        room = guests[0].last(m.Snapshot).room
        assert room.host == ""
        assert house.join(stranger, room.name) == m.Refused(id=house.last_id, code=CODE.ROOM_FULL)
        for answer in (house.start(guests[0]), house.kick(guests[0], 1), house.pause(guests[0])):
            assert isinstance(answer, m.Refused)
            assert answer.code is CODE.NOT_HOST
        quick = house.quick(stranger, 3, m.Format.POTS, m.Length.SHORT)
        assert quick is None
        assert house.lobby.room_of(stranger.player) is not house.lobby.room_of(guests[0].player)

    def test_a_person_is_called_away_from_another_room(self) -> None:
        house = House()
        ada, bo = persons(house, 2)
        cid, dan = house.guest("Cid"), house.guest("Dan")
        tournament = entered(house, plan(seats=2, rounds=1, start=50), [ada, bo], begin=False)
        house.create(cid, options(3))
        house.join(ada)
        house.join(dan)
        house.start(cid)
        house.wait(50)
        table = house.lobby.room_of(ada.player)
        assert table is not None
        assert table.table is not None
        assert [room_news(message) for _, message in cid.heard].count(m.News.LEFT) == 1
        assert house.lobby.room_of(cid.player) is not None
        run(house, [ada, bo, cid, dan])
        assert tournament.stage is STAGE.OVER
        assert not house.faults

    def test_a_person_who_watches_is_called_away_and_still_takes_part(self) -> None:
        house = House()
        ada, bo, watcher = persons(house, 3)
        tournament = entered(house, plan(KIND.ROUND_ROBIN, 2, minutes=5), [ada, bo, watcher])
        (bye,) = (guest for guest in (ada, bo, watcher) if news(guest, NEWS.BYE))
        others = [guest for guest in (ada, bo, watcher) if guest is not bye]
        room = house.lobby.room_of(others[0].player)
        assert room is not None
        assert isinstance(house.watch(bye, room.name), m.Ok)
        assert status(house, bye) is m.EntryStatus.PLAYING
        house.leave(bye)
        assert status(house, bye) is m.EntryStatus.PLAYING, "to watch no more is no leaving of a table"
        house.watch(bye, room.name)
        house.lose(bye)
        back(house, [bye])
        assert status(house, bye) is m.EntryStatus.PLAYING
        run(house, [ada, bo, watcher])
        assert tournament.stage is STAGE.OVER
        assert len(tournament.book.tables) == 3
        assert all(table.status is STATUS.PLAYED for table in tournament.book.tables)

    def test_who_watches_another_tournament_when_called_still_takes_part(self) -> None:
        house = House()
        cast = persons(house, 2)
        assert say(house, cast[0], m.OpenTournament, tournament="B", plan=plan(seats=2, rounds=1)) is None
        for guest in cast:
            say(house, guest, m.SignUp, tournament="B")
        say(house, cast[0], m.BeginTournament, tournament="B")
        ada, bo = bots(house, 2)
        entered(house, plan(seats=2, rounds=1), [ada, bo], begin=False)
        room = house.lobby.room_of(cast[0].player)
        assert room is not None
        assert isinstance(house.watch(ada, room.name), m.Ok)
        say(house, ada, m.BeginTournament)
        assert status(house, ada) is m.EntryStatus.PLAYING
        assert house.lobby.place(ada.player) is Place.SEATED


class TestPlaces:
    def test_so_many_tables_at_once(self) -> None:
        house = House()
        guests = bots(house, 8)
        tournament = entered(house, plan(KIND.SWISS, 2, rounds=1, at_once=1), guests)
        most = 0
        while tournament.is_running:
            held = [room for room in house.lobby.rooms if room.table is not None]
            most = max(most, len(held))
            if not answer_all(house, guests):
                house.step()
        assert most == 1
        assert [table.status for table in tournament.book.tables] == [STATUS.PLAYED] * 4

    def test_the_server_has_places_for_so_many_and_the_others_come_later(self) -> None:
        house = House(limits=Limits(tables=1))
        guests = bots(house, 8)
        assert say(house, guests[0], m.OpenTournament, tournament="B", plan=plan(KIND.SWISS, 2, rounds=1)) is None
        for guest in guests[:4]:
            say(house, guest, m.SignUp, tournament="B")
        say(house, guests[0], m.BeginTournament, tournament="B")
        entered_too = plan(KIND.SWISS, 2, rounds=1)
        entered(house, entered_too, guests[4:])
        assert len(house.lobby.rooms) == 1
        assert {table.status for table in the(house).book.tables} == {STATUS.WAITING}
        run(house, guests)
        while the(house, "B").is_running:
            if not answer_all(house, guests):
                house.step()
        assert all(table.status is STATUS.PLAYED for name in ("Torsdag", "B") for table in the(house, name).book.tables)

    def test_rooms_of_players_take_no_place_from_tables(self) -> None:
        house = House(limits=Limits(rooms=1, tables=2))
        stranger = house.guest("Stranger")
        guests = bots(house, 4)
        tournament = entered(house, plan(KIND.SWISS, 2, rounds=1), guests, begin=False)
        assert isinstance(house.create(stranger, options(2)), m.Ok)
        say(house, guests[0], m.BeginTournament)
        assert len(house.lobby.rooms) == 3
        run(house, guests)
        assert tournament.stage is STAGE.OVER

    def test_who_withdraws_while_its_table_waits_is_not_called(self) -> None:
        house = House(limits=Limits(tables=1))
        guests = persons(house, 4)
        tournament = entered(house, plan(KIND.SWISS, 2, rounds=1, minutes=5), guests)
        (waiting,) = tournament.book.waiting
        gone = next(guest for guest in guests if guest.name == tournament.entrants[waiting.seats[0]].name)
        assert say(house, gone, m.Withdraw) is None
        run(house, guests)
        assert not news(gone, NEWS.CALLED)
        assert house.lobby.place(gone.player) is Place.LOBBY
        table = tournament.book.find(1, waiting.number)
        assert table.status is STATUS.WALKOVER
        assert [seated.is_missing for seated in table.results] == [True, False]


class TestWhatComesOfIt:
    def test_who_withdraws_at_its_table_is_told_that_it_has_left_it(self) -> None:
        house = House()
        guests = persons(house, 4)
        one_table(house, guests)
        guests[2].new()
        assert say(house, guests[2], m.Withdraw) is None
        last = [one for one in guests[2].new() if isinstance(one, m.RoomChanged)][-1]
        assert (last.news, last.who) == (m.News.LEFT, guests[2].name)
        assert house.lobby.place(guests[2].player) is Place.LOBBY

    def test_who_is_called_from_a_table_is_told_that_it_has_left_that(self) -> None:
        house = House()
        guests = persons(house, 2)
        assert isinstance(house.create(guests[0], options(2), "Other"), m.Ok)
        entered(house, plan(KIND.SWISS, 2, rounds=1), guests)
        told = [one for _, one in guests[0].heard if isinstance(one, m.RoomChanged | m.Snapshot)]
        left = next(n for n, one in enumerate(told) if isinstance(one, m.RoomChanged) and one.news is m.News.LEFT)
        assert (told[left].room.name, told[left].who) == ("Other", guests[0].name)  # type: ignore[union-attr]  # or fails
        assert isinstance(told[left + 1], m.Snapshot)

    def test_who_left_is_placed_last_and_is_out(self) -> None:
        house = House()
        guests = persons(house, 4)
        one_table(house, guests)
        assert isinstance(house.leave(guests[2]), m.Ok)
        assert status(house, guests[2]) is m.EntryStatus.OUT
        assert [one.who for one in news(guests[0], NEWS.WITHDREW)] == [guests[2].name]
        run(house, guests)
        assert result(house, guests[2]) == (4, True)
        assert not any(guests[2].name in table.seats for table in tables(house, guests[0], 2)), (
            "it is at no table any more"
        )

    def test_several_who_are_missing_share_the_place_after_all_others(self) -> None:
        house = House()
        guests = persons(house, 4)
        one_table(house, guests)
        house.leave(guests[2])
        house.leave(guests[1])
        run(house, guests)
        assert result(house, guests[1]) == result(house, guests[2]) == (3, True)
        assert worth(house, guests[1]) == worth(house, guests[2]) == POINT // 3 // 2

    @pytest.mark.parametrize("way", ["withdraw", "leave", "expel", "done"])
    def test_in_a_match_one_may_drop_out_in_several_ways(self, way: str) -> None:
        house = House()
        guests = bots(house, 4)
        one_table(house, guests)
        gone = guests[3]
        match way:
            case "withdraw":
                assert say(house, gone, m.Withdraw) is None
                assert house.lobby.place(gone.player) is Place.LOBBY
            case "leave":
                house.leave(gone)
            case "expel":
                house.carry(house.lobby.expel(gone.player, house.now))
                gone.player.is_here = False
            case _:
                house.lose(gone, is_done=True)
        entrant = next(one for one in the(house).entrants if one.name == gone.name)
        assert entrant.status is m.EntryStatus.OUT
        run(house, guests)
        assert result(house, gone) == (4, True)
        assert entrant.number not in {one for table in the(house).book.tables_of(2) for one in table.seats}
        assert (house.lobby.named(gone.name) is None) == (way in {"expel", "done"})

    def test_who_is_away_so_long_that_a_computer_plays_is_missing(self) -> None:
        house = House(limits=Limits(away=10))
        guests = persons(house, 3)
        one_table(house, guests)
        house.lose(guests[0])
        house.wait(10)
        run(house, guests, is_unfinished)
        assert result(house, guests[0])[1] is True
        assert status(house, guests[0]) is m.EntryStatus.PLAYING, "one is not two"

    def test_who_is_back_in_time_is_not(self) -> None:
        house = House(limits=Limits(away=10))
        guests = persons(house, 3)
        one_table(house, guests)
        house.lose(guests[0])
        house.wait(10)
        back(house, guests)
        run(house, guests, is_unfinished)
        assert result(house, guests[0])[1] is False

    def test_who_misses_two_in_a_row_has_dropped_out(self) -> None:
        house = House()
        guests = persons(house, 4)
        tournament = entered(house, plan(KIND.SWISS, 2, rounds=3, minutes=5), guests, begin=False)
        house.lose(guests[3])
        say(house, guests[0], m.BeginTournament)
        run(house, guests, lambda one: one.stage is not STAGE.BETWEEN)
        assert status(house, guests[3]) is m.EntryStatus.PLAYING
        run(house, guests, lambda one: len(one.book.rounds) < 2 or bool(one.book.unfinished))
        assert status(house, guests[3]) is m.EntryStatus.OUT
        assert guests[3].name in [one.who for one in news(guests[0], NEWS.DROPPED_OUT)]
        run(house, guests)
        assert tournament.stage is STAGE.OVER

    def test_a_check_in_after_the_start_forgives_none(self) -> None:
        house = House()
        guests = persons(house, 4)
        entered(house, plan(KIND.SWISS, 2, rounds=3, minutes=5), guests, begin=False)
        house.lose(guests[3])
        say(house, guests[0], m.BeginTournament)
        run(house, guests, lambda one: one.stage is not STAGE.BETWEEN)
        back(house, guests)
        assert say(house, guests[3], m.CheckIn) is None
        house.lose(guests[3])
        run(house, guests, lambda one: len(one.book.rounds) < 2 or bool(one.book.unfinished))
        assert status(house, guests[3]) is m.EntryStatus.OUT

    def test_two_missed_that_are_not_in_a_row_are_forgiven(self) -> None:
        house = House()
        guests = persons(house, 4)
        entered(house, plan(KIND.SWISS, 2, rounds=3, minutes=5), guests, begin=False)
        house.lose(guests[3])
        say(house, guests[0], m.BeginTournament)
        run(house, guests, lambda one: one.stage is not STAGE.BETWEEN)
        back(house, guests)
        run(house, guests, lambda one: len(one.book.rounds) < 2 or bool(one.book.unfinished))
        assert result(house, guests[3], 2)[1] is False
        house.lose(guests[3])
        run(house, guests)
        assert result(house, guests[3], 3)[1] is True
        assert status(house, guests[3]) is m.EntryStatus.PLAYING

    def test_who_alone_has_come_has_won_without_a_match(self) -> None:
        house = House()
        guests = persons(house, 3)
        entered(house, plan(seats=3, rounds=1), guests, begin=False)
        house.lose(guests[1])
        house.lose(guests[2])
        say(house, guests[0], m.BeginTournament)
        house.wait(30)
        assert first_table(house) is STATUS.WALKOVER
        assert worth(house, guests[0]) == POINT
        assert worth(house, guests[1]) == worth(house, guests[2]) == 0
        assert not guests[0].all(m.HandBegan)
        assert [one.who for one in news(guests[0], NEWS.TABLE_OVER)] == [guests[0].name]

    def test_a_table_to_which_nobody_came_is_void(self) -> None:
        house = House()
        guests = persons(house, 2)
        entered(house, plan(seats=2, rounds=1, start=10), guests, begin=False)
        for guest in guests:
            house.lose(guest)
        house.wait(40)
        assert first_table(house) is STATUS.VOID
        assert [worth(house, guest) for guest in guests] == [0, 0]

    def test_a_match_at_which_nobody_is_left_at_the_end_is_void(self) -> None:
        house = House()
        guests = persons(house, 3)
        one_table(house, guests)
        for guest in guests:
            house.leave(guest)
        house.wait(300)
        assert first_table(house) is STATUS.VOID
        assert [worth(house, guest) for guest in guests] == [0, 0, 0]

    def test_who_is_alone_at_a_planned_table_has_won_only_if_it_is_here(self) -> None:
        for is_here in (True, False):
            house = House()
            guests = persons(house, 4)
            tournament = entered(house, plan(KIND.ROUND_ROBIN, 2, minutes=5), guests)
            last = tournament.book.planned[-1]
            pair = next(table for table in last if 1 in table)
            (other,) = set(pair) - {1}
            run(house, guests, lambda one: one.stage is not STAGE.BETWEEN)
            gone = next(guest for guest in guests if guest.name == tournament.entrants[other].name)
            say(house, gone, m.Withdraw)
            while len(tournament.book.rounds) < len(tournament.book.planned) - 1 or tournament.stage is STAGE.PLAYING:
                if not answer_all(house, guests):
                    house.step()
            if not is_here:
                house.lose(guests[0])
            run(house, guests)
            table = next(one for one in tournament.book.tables_of(tournament.book.round) if 1 in one.seats)
            assert table.seats == (1,)
            assert table.status is (STATUS.WALKOVER if is_here else STATUS.VOID)
            assert table.results[0].is_missing is not is_here

    def test_after_its_minutes_a_table_is_broken_off_and_points_decide(self) -> None:
        house = House()
        guests = persons(house, 3)
        entered(house, plan(seats=3, rounds=1, minutes=1), guests)
        room = house.lobby.room_of(guests[0].player)
        assert room is not None
        match = room.play.match
        assert match is not None
        match.match.points = (3, 5, 3)
        house.wait(59.9)
        assert first_table(house) is STATUS.CALLED
        house.wait(0.1)
        table = the(house).book.find(1, 1)
        assert table.status is STATUS.PLAYED
        assert [seated.place for seated in table.results] == [2, 1, 2]
        assert table.match

    @pytest.mark.parametrize("has_points", [False, True])
    def test_closed_by_the_operator_it_is_void_unless_there_were_points(self, *, has_points: bool) -> None:
        house = House()
        guests = persons(house, 2)
        entered(house, plan(seats=2, rounds=1), guests)
        room = house.lobby.room_of(guests[0].player)
        assert room is not None
        if has_points:
            assert room.play.match is not None
            room.play.match.match.points = (0, 2)
        effects = house.lobby.close(room.name, house.now)
        assert effects is not None
        house.carry(effects)
        assert first_table(house) is (STATUS.PLAYED if has_points else STATUS.VOID)
        assert the(house).stage is STAGE.OVER

    def test_a_room_that_breaks_down_is_void_for_all(self) -> None:
        house = House()
        guests = persons(house, 2)
        entered(house, plan(seats=2, rounds=1), guests)
        house.carry(house.lobby.fail(house.lobby.rooms[0].key, RuntimeError(), house.now))
        assert first_table(house) is STATUS.VOID
        assert all(not seated.is_missing for seated in the(house).book.find(1, 1).results)
        assert the(house).stage is STAGE.OVER


class TestTheEndOfATable:
    """A command that comes as its end was due finds nobody there any more."""

    @pytest.mark.parametrize("what", ["leave", "watch", "say", "back", "lose", "withdraw", "expel"])
    def test_nobody_is_left_in_it(self, what: str) -> None:
        for ahead in range(1, 60):
            house = House()
            guests = persons(house, 2)
            entered(house, plan(seats=2, rounds=1), guests)
            (room,) = house.lobby.rooms
            for _ in range(ahead):
                if house.lobby.rooms:
                    house.step()
            if not house.lobby.rooms:
                break
            due = house.lobby.deadline()
            assert due is not None
            house.now = due
            stranger = house.guest("Stranger")
            self._do(house, what, guests[0], stranger, room.name)
            house.wait(0)
            for guest in (guests[0], guests[1], stranger):
                where = house.lobby.room_of(guest.player)
                assert where is None or where in house.lobby.rooms, (what, ahead)
            if not house.lobby.rooms:
                if what != "lose":
                    heard = [message for _, message in guests[1].heard if isinstance(message, m.RoomChanged)]
                    assert heard[-1].news is m.News.TABLE_OVER, (what, ahead)
                assert len(guests[0].all(m.Snapshot)) == 1, "as it was called"
                assert not stranger.all(m.Ok), ahead
            assert not house.faults

    def _do(self, house: House, what: str, guest: Guest, stranger: Guest, room: str) -> None:
        match what:
            case "leave":
                house.leave(guest)
            case "watch":
                house.watch(stranger, room)
            case "say":
                house.do(guest, lambda k: m.Say(id=k, text="Skål"))
            case "back":
                house.carry(house.lobby.come_back(guest.player, house.now))
            case "lose":
                house.lose(guest)
            case "withdraw":
                ask(house, guest, m.Withdraw)
            case _:
                house.carry(house.lobby.expel(guest.player, house.now))
                guest.player.is_here = False
