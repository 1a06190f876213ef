"""What may be asked of tournaments, and who hears what happens in them."""

from pathlib import Path

from kille_net.wire import messages as m
from tests.server.house import House
from tests.server.scheduling.house import ask, bots, entered, names, news, persons, plan, play_on, run, say, tables, the

KIND, STAGE, CODE, NEWS = m.TournamentKind, m.TournamentStage, m.RefusalCode, m.Happening


def listed(house: House, page: int = 0) -> m.Tournaments:
    answer = ask(house, house.guest(f"Asks {house.last_id}"), m.ListTournaments, page=page)
    assert isinstance(answer, m.Tournaments)
    return answer


class TestTournaments:
    def test_are_listed_in_pages_of_ten_those_that_are_over_last(self) -> None:
        house = House()
        for k in range(12):
            maker = house.guest(f"Maker {k}")
            assert say(house, maker, m.OpenTournament, tournament=f"No {k}", plan=plan(start=600)) is None
            if k in {0, 1}:
                assert say(house, maker, m.CancelTournament, tournament=f"No {k}") is None
        first, second, third = listed(house), listed(house, 1), listed(house, 2)
        assert (first.pages, second.pages, third.pages) == (2, 2, 2)
        assert [line.name for line in first.tournaments] == [f"No {k}" for k in range(2, 12)]
        assert [(line.name, line.stage) for line in second.tournaments] == [
            ("No 1", STAGE.CANCELLED),
            ("No 0", STAGE.CANCELLED),
        ]
        assert third.tournaments == ()
        assert {line.starts for line in first.tournaments} == {600}
        assert {line.starts for line in second.tournaments} == {None}

    def test_say_whether_the_asker_takes_part(self) -> None:
        house = House()
        guests = bots(house, 4)
        entered(house, plan(seats=2), guests[:3], begin=False)

        def is_entered(at: int) -> bool:
            answer = ask(house, guests[at], m.ListTournaments, page=0)
            assert isinstance(answer, m.Tournaments)
            return answer.tournaments[0].entered

        assert [is_entered(at) for at in range(4)] == [True, True, True, False]
        say(house, guests[0], m.Withdraw)
        assert not is_entered(0)
        say(house, guests[0], m.BeginTournament)
        run(house, guests)
        assert not is_entered(1)

    def test_that_are_over_are_forgotten_one_by_one(self) -> None:
        house = House()
        maker = house.guest("Maker")
        for k in range(20):
            say(house, maker, m.OpenTournament, tournament=f"No {k}", plan=plan())
            say(house, maker, m.CancelTournament, tournament=f"No {k}")
        assert [line.name for page in (0, 1) for line in listed(house, page).tournaments] == [
            f"No {k}" for k in range(19, 3, -1)
        ]

    def test_a_list_is_no_change_that_is_kept(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        guests = bots(house, 2)
        entered(house, plan(), guests, begin=False)
        asked = [
            ask(house, guests[0], m.ListTournaments, page=0),
            ask(house, guests[0], m.AskStandings, page=0),
            ask(house, guests[0], m.AskTables, page=0, round=0),
        ]
        assert house.store is not None
        rows = house.store._db.execute("SELECT count(*) FROM answer WHERE player = ?", (guests[0].player.id,))
        done = sum(isinstance(answer, m.Ok) for answer in guests[0].all(m.Ok))
        assert rows.fetchone() == (done,)
        assert all(answer is not None for answer in asked)


class TestStandingsAndTables:
    def test_are_of_a_tournament_that_there_is(self) -> None:
        house = House()
        (ada,) = persons(house, 1)
        assert say(house, ada, m.AskStandings, page=0) is CODE.NO_SUCH_TOURNAMENT
        assert say(house, ada, m.AskTables, page=0, round=0) is CODE.NO_SUCH_TOURNAMENT
        assert say(house, ada, m.Follow, on=True) is CODE.NO_SUCH_TOURNAMENT

    def test_standings_come_in_pages_of_ten(self) -> None:
        house = House()
        guests = bots(house, 23)
        entered(house, plan(), guests, begin=False)
        shown = [ask(house, guests[0], m.AskStandings, page=page) for page in range(4)]
        assert all(isinstance(one, m.Standings) for one in shown)
        assert [len(one.standings) for one in shown if isinstance(one, m.Standings)] == [10, 10, 3, 0]
        told = [line.name for one in shown if isinstance(one, m.Standings) for line in one.standings]
        assert told == names(guests)

    def test_tables_come_in_pages_of_eight_with_who_sits_out(self) -> None:
        house = House()
        guests = bots(house, 21)
        entered(house, plan(KIND.SWISS, 2, rounds=2), guests)
        first = ask(house, guests[0], m.AskTables, page=0, round=0)
        assert isinstance(first, m.Tables)
        assert (first.round, first.rounds, first.pages, len(first.tables)) == (1, 2, 2, 8)
        found = tables(house, guests[0])
        assert sorted(name for line in found for name in line.seats) == sorted(names(guests))
        assert [line.number for line in found] == [*range(1, 11), 0]
        assert {line.status for line in found[:10]} == {m.TableStatus.CALLED}
        assert all(line.room and not line.places for line in found[:10])
        run(house, guests, lambda one: bool(one.book.unfinished))
        found = tables(house, guests[0], 1)
        assert all(line.status is m.TableStatus.PLAYED and not line.room for line in found[:10])
        assert all(sorted(line.places) == [1, 2] for line in found[:10])

    def test_of_a_round_that_is_not_paired_there_are_none(self) -> None:
        house = House()
        guests = bots(house, 4)
        entered(house, plan(KIND.SWISS, 2), guests)
        assert tables(house, guests[0], 2) == []
        assert tables(house, guests[0], 99) == []


class TestNews:
    def test_goes_to_who_takes_part_and_to_who_follows(self) -> None:
        house = House()
        guests = bots(house, 4)
        follower, other = persons(house, 2)
        assert say(house, guests[0], m.OpenTournament, plan=plan(KIND.SWISS, 2, rounds=1)) is None
        assert say(house, follower, m.Follow, on=True) is None
        for guest in guests:
            say(house, guest, m.SignUp)
        say(house, guests[0], m.BeginTournament)
        run(house, [*guests, follower, other])
        assert not news(other)
        expected = [NEWS.SIGNED_UP] * 4 + [NEWS.BEGAN, NEWS.ROUND, NEWS.TABLE_OVER, NEWS.TABLE_OVER]
        expected += [NEWS.ROUND_OVER, NEWS.OVER]
        assert [one.news for one in news(follower)] == expected
        own = [one.news for one in news(guests[0])]
        assert own == [*expected[:6], NEWS.CALLED, *expected[6:]]
        assert {one.who for one in news(guests[0], NEWS.CALLED)} == {guests[0].name}

    def test_comes_once_to_who_takes_part_and_follows(self) -> None:
        house = House()
        guests = bots(house, 2)
        entered(house, plan(KIND.SWISS, 2, rounds=1), guests, begin=False)
        say(house, guests[0], m.Follow, on=True)
        say(house, guests[0], m.BeginTournament)
        assert len(news(guests[0], NEWS.BEGAN)) == 1

    def test_ends_with_the_following_or_the_withdrawal(self) -> None:
        house = House()
        guests = bots(house, 3)
        (follower,) = persons(house, 1)
        entered(house, plan(KIND.SWISS, 3, rounds=1), guests, begin=False)
        say(house, follower, m.Follow, on=True)
        say(house, follower, m.Follow, on=False)
        say(house, guests[2], m.Withdraw)
        guests[2].heard.clear()
        say(house, guests[0], m.BeginTournament)
        run(house, guests)
        assert not news(follower)
        assert not news(guests[2])

    def test_a_follower_who_is_forgotten_is_told_nothing(self) -> None:
        house = House()
        guests = bots(house, 2)
        (follower,) = persons(house, 1)
        entered(house, plan(KIND.LADDER, 2), guests)
        say(house, follower, m.Follow, on=True)
        house.lose(follower)
        play_on(house, guests, 130)
        assert not the(house).crier.followers
        assert house.lobby.named(follower.name) is None


def test_one_that_is_over_is_listed_with_all_who_took_part() -> None:
    house = House()
    guests = bots(house, 3)
    entered(house, plan(m.TournamentKind.KNOCK_OUT, 3), guests)
    run(house, guests)
    (line,) = ask(house, guests[0], m.ListTournaments, page=0).tournaments  # type: ignore[union-attr]  # or fails
    assert (line.stage, line.entrants) == (m.TournamentStage.OVER, 3)
