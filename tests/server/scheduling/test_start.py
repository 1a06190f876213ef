"""How a tournament comes about: who may make, enter, leave and begin it, and when it begins (rules C6 to C9)."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from kille_net.server.effects import Refusing
from kille_net.server.limits import Limits
from kille_net.server.scheduling.entrants import Entrant
from kille_net.wire import messages as m
from kille_net.wire.codec import decode, encode
from tests.server.house import Guest, House, options
from tests.server.scheduling.house import (
    NAME,
    ask,
    back,
    bots,
    entered,
    names,
    news,
    persons,
    plan,
    play_on,
    run,
    say,
    tables,
    the,
)

KIND, STAGE, CODE, NEWS = m.TournamentKind, m.TournamentStage, m.RefusalCode, m.Happening
WEEK = 7 * 86_400.0


def statuses(house: House) -> dict[str, m.EntryStatus]:
    return {one.name: one.status for one in the(house).entrants}


def gone(number: int) -> Entrant:
    return Entrant(number, f"Gone {number}", None, number, status=m.EntryStatus.OUT)


def opened(house: House, of: m.Plan) -> Guest:
    """A tournament made by somebody who takes no part."""
    maker = house.guest("Maker")
    assert say(house, maker, m.OpenTournament, plan=of) is None
    return maker


class TestMaking:
    @pytest.mark.parametrize(
        ("of", "why"),
        [
            (plan(), None),
            (replace(plan(), options=options(4, clock=0)), CODE.BAD_PLAN),
            (plan(number=9, most=8), CODE.BAD_PLAN),
            (plan(computers=7, most=6), CODE.BAD_PLAN),
            (plan(computers=2, number=2), CODE.BAD_PLAN),
            (plan(computers=2, number=3), None),
            (plan(KIND.KNOCK_OUT, through=3), CODE.BAD_PLAN),
            (plan(KIND.KNOCK_OUT, through=2), None),
            (plan(KIND.KNOCK_OUT, duplicate=True), CODE.BAD_PLAN),
            (plan(KIND.LADDER, duplicate=True), CODE.BAD_PLAN),
            (plan(KIND.LADDER, number=4), CODE.BAD_PLAN),
            (plan(KIND.SWISS, duplicate=True), None),
        ],
    )
    def test_a_plan_that_contradicts_itself_is_refused(self, of: m.Plan, why: m.RefusalCode | None) -> None:
        house = House()
        assert say(house, house.guest("Ada"), m.OpenTournament, plan=of) is why

    def test_a_name_is_free_or_not(self) -> None:
        house = House()
        ada, bo = persons(house, 2)
        assert say(house, ada, m.OpenTournament, tournament="  ", plan=plan()) is CODE.BAD_NAME
        assert say(house, ada, m.OpenTournament, plan=plan()) is None
        assert say(house, bo, m.OpenTournament, tournament=NAME.upper(), plan=plan()) is CODE.TOURNAMENT_EXISTS
        assert say(house, ada, m.CancelTournament) is None
        assert say(house, bo, m.OpenTournament, tournament=NAME.upper(), plan=plan()) is None
        listed = ask(house, ada, m.ListTournaments, page=0)
        assert isinstance(listed, m.Tournaments)
        assert [one.name for one in listed.tournaments] == [NAME.upper()], "the one that is over is not listed"

    def test_there_are_so_many_and_of_one_maker_fewer(self) -> None:
        house = House(limits=Limits(tournaments=3, tournaments_of_player=2))
        ada, bo = persons(house, 2)
        assert say(house, ada, m.OpenTournament, tournament="A", plan=plan()) is None
        assert say(house, ada, m.OpenTournament, tournament="B", plan=plan()) is None
        assert say(house, ada, m.OpenTournament, tournament="C", plan=plan()) is CODE.TOO_MANY_TOURNAMENTS
        assert say(house, bo, m.OpenTournament, tournament="C", plan=plan()) is None
        assert say(house, bo, m.OpenTournament, tournament="D", plan=plan()) is CODE.TOO_MANY_TOURNAMENTS
        assert say(house, ada, m.CancelTournament, tournament="A") is None
        assert say(house, bo, m.OpenTournament, tournament="D", plan=plan()) is None

    def test_the_maker_takes_no_part_by_that(self) -> None:
        house = House()
        opened(house, plan())
        assert statuses(house) == {}

    def test_nothing_is_made_or_begun_while_the_server_stops(self) -> None:
        house = House()
        maker = opened(house, plan())
        house.lobby.drain()
        assert say(house, maker, m.OpenTournament, tournament="B", plan=plan()) is CODE.SHUTTING_DOWN
        assert say(house, maker, m.BeginTournament) is CODE.SHUTTING_DOWN

    def test_the_last_one_who_signs_up_begins_nothing_while_the_server_stops(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        guests = bots(house, 2)
        assert say(house, guests[0], m.OpenTournament, plan=plan(number=2)) is None
        house.lobby.drain()
        assert [say(house, guest, m.SignUp) for guest in guests] == [None, None]
        assert the(house).stage is STAGE.OPEN
        assert not news(guests[0], NEWS.BEGAN)
        house.restart()
        assert the(house).stage is STAGE.PLAYING


class TestSigningUp:
    def test_of_several_reasons_the_first_is_told(self) -> None:
        house = House()
        bot, other = bots(house, 2)
        (ada,) = persons(house, 1)
        assert say(house, ada, m.SignUp) is CODE.NO_SUCH_TOURNAMENT
        maker = opened(house, plan(most=2, duplicate=True))
        assert say(house, ada, m.SignUp) is CODE.ONLY_BOTS
        assert say(house, bot, m.SignUp) is None
        assert say(house, bot, m.SignUp) is CODE.ALREADY_ENTERED
        assert say(house, other, m.SignUp) is None
        assert say(house, house.guest("Late", bot=True), m.SignUp) is CODE.TOURNAMENT_FULL
        assert say(house, maker, m.BeginTournament) is None
        assert say(house, house.guest("Later", bot=True), m.SignUp) is CODE.TOO_LATE

    def test_a_player_is_in_one_only(self) -> None:
        house = House()
        ada, bo = persons(house, 2)
        assert say(house, ada, m.OpenTournament, tournament="A", plan=plan()) is None
        assert say(house, ada, m.OpenTournament, tournament="B", plan=plan()) is None
        assert say(house, bo, m.SignUp, tournament="A") is None
        assert say(house, bo, m.SignUp, tournament="B") is CODE.ALREADY_ENTERED
        assert say(house, bo, m.Withdraw) is None
        assert say(house, bo, m.SignUp, tournament="B") is None

    def test_who_withdraws_before_the_start_was_never_there(self) -> None:
        house = House()
        guests = persons(house, 3)
        entered(house, plan(), guests, begin=False)
        assert say(house, guests[1], m.Withdraw) is None
        assert names(guests[::2]) == list(statuses(house))
        assert say(house, guests[1], m.Withdraw) is CODE.NOT_ENTERED
        assert not news(guests[1], NEWS.CANCELLED)

    @pytest.mark.parametrize("kind", [KIND.ROUND_ROBIN, KIND.KNOCK_OUT])
    def test_late_entry_is_not_for_these(self, kind: m.TournamentKind) -> None:
        house = House()
        entered(house, plan(kind, late=9), bots(house, 8))
        assert say(house, house.guest("Late"), m.SignUp) is CODE.TOO_LATE

    def test_a_swiss_is_open_until_its_late_round_begins(self) -> None:
        house = House()
        guests = bots(house, 4)
        tournament = entered(house, plan(KIND.SWISS, 2, late=2, rounds=3), guests)
        run(house, guests, lambda one: one.stage is not STAGE.BETWEEN)
        late = house.guest("Late", bot=True)
        assert say(house, late, m.SignUp) is None
        assert tournament.book.round == 1
        run(house, guests, lambda one: one.book.round < 2)
        assert say(house, house.guest("Later"), m.SignUp) is CODE.TOO_LATE
        (entry,) = (one for one in tournament.entrants if one.name == "Late")
        seated = {one for table in tournament.book.tables_of(2) for one in table.seats}
        assert entry.number in {*seated, *tournament.book.byes_of(2)}

    def test_who_comes_late_and_goes_before_any_round_leaves_nothing_behind(self) -> None:
        house = House()
        guests = bots(house, 4)
        tournament = entered(house, plan(KIND.SWISS, 2, late=9, rounds=9), guests)
        before = tournament.entrants.known
        for k in range(3):
            late = house.guest(f"Late {k}", bot=True)
            assert say(house, late, m.SignUp) is None
            assert say(house, late, m.Withdraw) is None
        assert tournament.entrants.known == before
        run(house, guests, lambda one: one.book.round < 2)
        assert not house.faults

    def test_who_has_been_there_is_remembered_and_there_is_an_end_to_that(self) -> None:
        house = House()
        guests = bots(house, 4)
        tournament = entered(house, plan(KIND.LADDER, 2), guests)
        play_on(house, guests, 30)
        assert say(house, guests[0], m.Withdraw) is None
        for number in range(5, 1001):
            tournament.entrants.restore(gone(number))
        assert say(house, house.guest("Late", bot=True), m.SignUp) is CODE.TOURNAMENT_FULL
        assert say(house, guests[0], m.SignUp) is None, "who is remembered is no more by that"

    def test_a_ladder_is_always_open(self) -> None:
        house = House()
        guests = bots(house, 2)
        entered(house, plan(KIND.LADDER, 2), guests)
        play_on(house, guests, 100)
        assert say(house, house.guest("Late"), m.SignUp) is None

    def test_who_is_out_may_come_back_where_late_entry_is_open(self) -> None:
        house = House()
        guests = bots(house, 4)
        tournament = entered(house, plan(KIND.SWISS, 2, late=3, rounds=3), guests)
        run(house, guests, lambda one: one.stage is not STAGE.BETWEEN)
        number = tournament.entrants.of(guests[0].player)
        assert say(house, guests[0], m.Withdraw) is None
        assert statuses(house)[guests[0].name] is m.EntryStatus.OUT
        assert say(house, guests[0], m.SignUp) is None
        assert tournament.entrants.of(guests[0].player) is number, "with all that it has played"
        assert len(tuple(tournament.entrants)) == 4

    def test_full_tables_of_duplicates_need_no_more_than_may_take_part(self) -> None:
        house = House(limits=Limits(connections_of_address=64))
        guests = bots(house, 61)
        maker = opened(house, plan(KIND.SWISS, 7, rounds=1, duplicate=True))
        told = [say(house, guest, m.SignUp) for guest in guests]
        assert told.count(None) == 61
        more = [say(house, house.guest(f"More {k}", bot=True), m.SignUp) for k in range(4)]
        assert more == [None, None, CODE.TOURNAMENT_FULL, CODE.TOURNAMENT_FULL]
        assert say(house, maker, m.BeginTournament) is None
        (line,) = ask(house, maker, m.ListTournaments, page=0).tournaments  # type: ignore[union-attr]  # another answer fails
        assert line.entrants == 63


class TestTheStart:
    def test_by_number(self) -> None:
        house = House()
        guests = bots(house, 4)
        maker = opened(house, plan(number=4, computers=1))
        for guest in guests[:2]:
            say(house, guest, m.SignUp)
        assert the(house).stage is STAGE.OPEN
        say(house, guests[2], m.SignUp)
        assert the(house).stage is STAGE.PLAYING
        assert not news(maker)
        assert news(guests[0], NEWS.BEGAN)

    def test_by_time(self) -> None:
        house = House()
        guests = bots(house, 3)
        entered(house, plan(start=100), guests, begin=False)
        house.wait(99.9)
        assert the(house).stage is STAGE.OPEN
        (line,) = ask(house, guests[0], m.ListTournaments, page=0).tournaments  # type: ignore[union-attr]  # another answer fails
        assert line.starts == 0
        house.wait(0.1)
        assert the(house).stage is STAGE.PLAYING

    def test_by_its_maker(self) -> None:
        house = House()
        guests = bots(house, 2)
        maker = opened(house, plan(start=100))
        for guest in guests:
            say(house, guest, m.SignUp)
        assert say(house, guests[0], m.BeginTournament) is CODE.NOT_MAKER
        assert say(house, maker, m.BeginTournament, tournament="B") is CODE.NO_SUCH_TOURNAMENT
        assert say(house, maker, m.BeginTournament) is None
        assert the(house).stage is STAGE.PLAYING
        assert say(house, maker, m.BeginTournament) is CODE.TOO_LATE

    def test_by_whoever_runs_the_server(self) -> None:
        house = House()
        house.carry(house.lobby.schedule(lambda calendar, now: calendar.open(NAME, plan(), now), house.now))
        for guest in bots(house, 2):
            say(house, guest, m.SignUp)
        house.carry(house.lobby.schedule(lambda calendar, now: calendar.begin(NAME, now), house.now))
        assert the(house).stage is STAGE.PLAYING
        with pytest.raises(Refusing):
            house.lobby.schedule(lambda calendar, now: calendar.begin("B", now), house.now)

    def test_without_any_it_is_cancelled_after_a_week(self) -> None:
        house = House()
        guests = bots(house, 2)
        entered(house, plan(), guests, begin=False)
        house.wait(WEEK - 1)
        assert the(house).stage is STAGE.OPEN
        house.wait(1)
        assert the(house).stage is STAGE.CANCELLED
        (told,) = news(guests[0], NEWS.CANCELLED)
        assert told.text

    @pytest.mark.parametrize("number", [0, 1])
    def test_with_fewer_than_two_it_is_cancelled(self, number: int) -> None:
        house = House()
        maker = opened(house, plan())
        for guest in bots(house, number):
            say(house, guest, m.SignUp)
        assert say(house, maker, m.BeginTournament) is None
        assert the(house).stage is STAGE.CANCELLED


class TestCheckIn:
    def test_it_comes_before_a_time_and_ends_at_it(self) -> None:
        house = House()
        ada, bo, cid = persons(house, 3)
        entered(house, plan(start=100, check_in=30), [ada, bo, cid], begin=False)
        assert say(house, ada, m.CheckIn) is CODE.TOO_EARLY
        house.wait(70)
        assert [one.s for one in news(ada, NEWS.CHECK_IN)] == [30]
        assert say(house, ada, m.CheckIn) is None
        assert say(house, bo, m.CheckIn) is None
        assert say(house, house.guest("Nobody"), m.CheckIn) is CODE.NOT_ENTERED
        house.wait(29.9)
        assert the(house).stage is STAGE.CHECK_IN, "others may still come"
        house.wait(0.1)
        assert the(house).stage is STAGE.PLAYING
        assert statuses(house)[cid.name] is m.EntryStatus.OUT
        assert [one.who for one in news(ada, NEWS.DROPPED_OUT)] == [cid.name]
        assert [one.who for one in news(cid, NEWS.DROPPED_OUT)] == [cid.name]

    def test_it_begins_where_there_is_no_time_and_ends_when_all_are_in(self) -> None:
        house = House()
        ada, bo = persons(house, 2)
        entered(house, plan(check_in=30), [ada, bo])
        assert the(house).stage is STAGE.CHECK_IN
        say(house, ada, m.CheckIn)
        assert the(house).stage is STAGE.CHECK_IN
        say(house, bo, m.CheckIn)
        assert the(house).stage is STAGE.PLAYING

    def test_another_begin_ends_it(self) -> None:
        house = House()
        guests = persons(house, 3)
        entered(house, plan(start=100, check_in=30), guests, begin=False)
        assert say(house, guests[0], m.BeginTournament) is None
        assert the(house).stage is STAGE.CHECK_IN
        for guest in guests[:2]:
            say(house, guest, m.CheckIn)
        assert say(house, guests[0], m.BeginTournament) is None
        assert the(house).stage is STAGE.PLAYING
        assert statuses(house)[guests[2].name] is m.EntryStatus.OUT
        assert say(house, guests[0], m.BeginTournament) is CODE.TOO_LATE

    def test_it_ends_when_those_who_are_not_in_withdraw(self) -> None:
        house = House()
        guests = persons(house, 3)
        entered(house, plan(check_in=30), guests)
        for guest in guests[:2]:
            say(house, guest, m.CheckIn)
        say(house, guests[2], m.Withdraw)
        assert the(house).stage is STAGE.PLAYING

    def test_bots_and_computers_are_in_while_they_are_here(self) -> None:
        house = House()
        here, away = bots(house, 2)
        (ada,) = persons(house, 1)
        entered(house, plan(check_in=30, computers=1), [here, away, ada])
        house.lose(away)
        say(house, ada, m.CheckIn)
        assert the(house).stage is STAGE.CHECK_IN
        house.wait(30)
        expected = [m.EntryStatus.PLAYING, m.EntryStatus.PLAYING, m.EntryStatus.OUT, m.EntryStatus.PLAYING]
        assert list(statuses(house).values()) == expected

    def test_a_bot_that_comes_back_is_in(self) -> None:
        house = House()
        here, away = bots(house, 2)
        entered(house, plan(check_in=30), [here, away], begin=False)
        house.lose(away)
        assert say(house, here, m.BeginTournament) is None
        assert the(house).stage is STAGE.CHECK_IN
        back(house, [away])
        assert the(house).stage is STAGE.PLAYING

    def test_a_time_that_was_set_is_kept_though_all_are_in(self) -> None:
        house = House()
        entered(house, plan(start=100, check_in=30), bots(house, 2), begin=False)
        house.wait(75)
        assert the(house).stage is STAGE.CHECK_IN
        assert say(house, house.guest("Late", bot=True), m.SignUp) is None
        house.wait(25)
        assert the(house).stage is STAGE.PLAYING

    def test_with_too_few_it_is_cancelled(self) -> None:
        house = House()
        guests = persons(house, 4)
        entered(house, plan(check_in=30), guests)
        say(house, guests[0], m.CheckIn)
        house.wait(30)
        assert the(house).stage is STAGE.CANCELLED
        assert news(guests[0], NEWS.CANCELLED)

    def test_how_many_rounds_there_are_hangs_on_who_is_in(self) -> None:
        house = House()
        guests = persons(house, 17)
        tournament = entered(house, plan(KIND.SWISS, check_in=30), guests)
        for guest in guests[:4]:
            say(house, guest, m.CheckIn)
        house.wait(30)
        assert tournament.rounds == 3

    def test_computers_alone_begin_none(self) -> None:
        house = House()
        maker = opened(house, plan(KIND.SWISS, 2, computers=4))
        assert say(house, maker, m.BeginTournament) is None
        assert the(house).stage is STAGE.CANCELLED
        assert not house.lobby.rooms


class TestCancelling:
    def test_is_its_makers_or_the_operators(self) -> None:
        house = House()
        guests = bots(house, 4)
        maker = opened(house, plan())
        assert say(house, guests[0], m.CancelTournament) is CODE.NOT_MAKER
        assert say(house, maker, m.CancelTournament) is None
        assert say(house, maker, m.CancelTournament) is CODE.TOO_LATE

    @pytest.mark.parametrize("kind", KIND)
    def test_in_the_middle_it_closes_its_tables(self, kind: m.TournamentKind) -> None:
        house = House()
        guests = persons(house, 8)
        entered(house, plan(kind), guests)
        house.wait(11)
        assert house.lobby.rooms
        assert say(house, guests[0], m.CancelTournament) is None
        assert not house.lobby.rooms
        assert all(house.lobby.room_of(guest.player) is None for guest in guests)
        assert house.lobby.calendar.deadline() is None
        assert {line.status for line in tables(house, guests[0])} <= {m.TableStatus.VOID, m.TableStatus.BYE}
        expected = STAGE.OVER if kind is KIND.LADDER else STAGE.CANCELLED
        assert the(house).stage is expected
        assert say(house, guests[1], m.OpenTournament, tournament="B", plan=plan()) is None
        assert say(house, guests[0], m.SignUp, tournament="B") is None, "nobody is bound to it any more"
        assert not house.faults


class TestAfterARestart:
    def test_a_start_that_passed_meanwhile_comes_after_a_whole_check_in(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        guests = persons(house, 2)
        entered(house, plan(start=100, check_in=30), guests, begin=False)
        house.now += 500
        house.restart()
        house.wait(0)
        back(house, guests)
        assert the(house).stage is STAGE.CHECK_IN
        for guest in guests:
            assert say(house, guest, m.CheckIn) is None
        house.wait(30)
        assert the(house).stage is STAGE.PLAYING

    def test_a_start_that_passed_meanwhile_comes_at_once(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        guests = persons(house, 2)
        entered(house, plan(start=100), guests, begin=False)
        house.now += 500
        house.restart()
        house.wait(0)
        assert the(house).stage is STAGE.PLAYING
        back(house, guests)
        run(house, guests)
        assert the(house).stage is STAGE.OVER

    def test_a_clock_that_is_set_back_puts_no_start_off(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        guests = persons(house, 2)
        entered(house, plan(start=604_800), guests, begin=False)
        house.set_back = 86_400 * 30
        answer = ask(house, guests[0], m.ListTournaments, page=0)
        assert isinstance(answer, m.Tournaments)
        assert decode(encode(answer)) == answer, "what is told is within the bounds of the protocol"
        assert [line.starts for line in answer.tournaments] == [604_800]
        house.restart()
        house.wait(604_800)
        assert the(house).stage is STAGE.PLAYING

    def test_a_check_in_is_whole_again_and_who_is_in_stays_in(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        guests = persons(house, 3)
        entered(house, plan(check_in=30), guests)
        say(house, guests[0], m.CheckIn)
        house.wait(29)
        house.restart()
        back(house, guests)
        house.wait(29)
        assert the(house).stage is STAGE.CHECK_IN
        say(house, guests[1], m.CheckIn)
        house.wait(1)
        assert [*statuses(house).values()].count(m.EntryStatus.PLAYING) == 2

    def test_the_pause_between_rounds_is_whole_again(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        guests = bots(house, 4)
        entered(house, plan(KIND.SWISS, 2), guests)
        run(house, guests, lambda one: one.stage is not STAGE.BETWEEN)
        house.wait(9)
        house.restart()
        back(house, guests)
        house.wait(9.9)
        assert the(house).stage is STAGE.BETWEEN
        house.wait(0.2)
        assert the(house).stage is STAGE.PLAYING
        run(house, guests)
        assert the(house).stage is STAGE.OVER
