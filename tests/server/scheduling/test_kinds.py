"""The four kinds of tournaments: who meets whom, who goes on, and when each is over."""

from collections import Counter
from collections.abc import Iterable
from itertools import combinations

import pytest

from kille_net.server.effects import Effect, Think
from kille_net.server.limits import Limits
from kille_net.server.register import Unwelcome
from kille_net.server.scheduling.tournament import Tournament
from kille_net.server.tournament.scoring import BYE, POINT
from kille_net.wire import messages as m
from tests.server.house import House
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
    play_on,
    run,
    say,
    tables,
    the,
)

KIND, STAGE, CODE, NEWS, STATUS = m.TournamentKind, m.TournamentStage, m.RefusalCode, m.Happening, m.EntryStatus
DAY = 86_400.0
WEEK = 7 * DAY
SITS_OUT = 3


def meetings(tournament: Tournament) -> Counter[tuple[int, int]]:
    return Counter(pair for table in tournament.book.tables for pair in combinations(sorted(table.seats), 2))


def round_of(tournament: Tournament, number: int) -> set[int]:
    return {one for table in tournament.book.tables_of(number) for one in table.seats}


class TestRounds:
    @pytest.mark.parametrize("kind", [KIND.ROUND_ROBIN, KIND.SWISS, KIND.KNOCK_OUT])
    def test_one_comes_after_the_other_with_a_pause_between(self, kind: m.TournamentKind) -> None:
        house = House()
        guests = bots(house, 4)
        tournament = entered(house, plan(kind, 2), guests)
        run(house, guests, lambda one: one.stage is not STAGE.BETWEEN)
        ended = house.now
        assert [one.s for one in news(guests[0], NEWS.ROUND_OVER)] == [10]
        house.wait(9.9)
        assert tournament.book.round == 1
        assert not house.lobby.rooms
        house.wait(0.1)
        assert tournament.book.round == 2
        assert house.now - ended == pytest.approx(10)
        run(house, guests)
        assert news(guests[0], NEWS.ROUND_OVER)[-1].s == 0
        assert [one.round for one in news(guests[0], NEWS.ROUND)] == list(range(1, tournament.book.round + 1))
        assert len(news(guests[0], NEWS.OVER)) == 1

    @pytest.mark.parametrize("kind", [KIND.ROUND_ROBIN, KIND.SWISS])
    def test_who_sits_out_is_told_and_gets_half_a_point(self, kind: m.TournamentKind) -> None:
        house = House()
        guests = bots(house, SITS_OUT)
        tournament = entered(house, plan(kind, 2), guests)
        (bye,) = tournament.book.byes_of(1)
        out = guests[bye - 1]
        assert [one.round for one in news(out, NEWS.BYE)] == [1]
        assert sum(len(news(guest, NEWS.BYE)) for guest in guests) == 1
        assert [line.seats for line in tables(house, out) if line.status is m.TableStatus.BYE] == [(out.name,)]
        assert {one.entry.number: one.score for one in tournament.standings()}[bye] == BYE

    def test_when_all_but_one_have_withdrawn_it_is_over(self) -> None:
        for kind in (KIND.ROUND_ROBIN, KIND.SWISS, KIND.KNOCK_OUT):
            house = House()
            guests = bots(house, 4)
            tournament = entered(house, plan(kind, 2), guests)
            run(house, guests, lambda one: one.stage is not STAGE.BETWEEN)
            for guest in guests:
                if house.lobby.calendar.of(guest.player) is tournament and len(tournament.entrants.playing) > 1:
                    assert say(house, guest, m.Withdraw) is None
            run(house, guests)
            assert tournament.stage is STAGE.OVER

    def test_who_withdraws_while_a_round_is_paired_is_called_to_nothing(self) -> None:
        house = Thinking()
        guests = bots(house, 4)
        entered(house, plan(KIND.SWISS, 2, late=1), guests)
        assert say(house, guests[0], m.Withdraw) is None
        late = house.guest("Late", bot=True)
        assert say(house, late, m.SignUp) is None
        house.think()
        assert house.lobby.room_of(guests[0].player) is None
        assert not news(guests[0], NEWS.CALLED)
        assert news(late, NEWS.BYE), "who has come meanwhile sits out"
        run(house, [*guests, late], lambda one: one.book.round < 1 or bool(one.book.unfinished))
        assert {table.status for table in the(house).book.tables_of(1)} == {
            m.TableStatus.PLAYED,
            m.TableStatus.WALKOVER,
        }


class Thinking(House):
    """A house in which what takes long is worked out when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self._thoughts: list[Think] = []

    def carry(self, effects: Iterable[Effect]) -> None:
        told = list(effects)
        self._thoughts += [one for one in told if isinstance(one, Think)]
        super().carry([one for one in told if not isinstance(one, Think)])

    def think(self) -> None:
        thoughts, self._thoughts = self._thoughts, []
        for one in thoughts:
            self.carry(self.lobby.thought(one.tournament, one.work(), self.now))


class TestRoundRobin:
    @pytest.mark.parametrize("number", [4, 5])
    def test_everybody_meets_everybody_once(self, number: int) -> None:
        house = House()
        guests = bots(house, number)
        tournament = entered(house, plan(KIND.ROUND_ROBIN, 2), guests)
        run(house, guests)
        assert meetings(tournament) == dict.fromkeys(combinations(range(1, number + 1), 2), 1)

    def test_its_later_rounds_are_known_from_the_start(self) -> None:
        house = House()
        guests = bots(house, 4)
        tournament = entered(house, plan(KIND.ROUND_ROBIN, 2), guests)
        planned = [{line.seats for line in tables(house, guests[0], number)} for number in (1, 2, 3)]
        run(house, guests)
        assert [{line.seats for line in tables(house, guests[0], number)} for number in (1, 2, 3)] == planned
        assert tournament.rounds == 3

    def test_who_withdrew_is_left_out_of_what_was_planned(self) -> None:
        house = House()
        guests = bots(house, 6)
        tournament = entered(house, plan(KIND.ROUND_ROBIN, 3), guests)
        run(house, guests, lambda one: one.stage is not STAGE.BETWEEN)
        say(house, guests[0], m.Withdraw)
        run(house, guests)
        assert all(1 not in round_of(tournament, number) for number in range(2, tournament.book.round + 1))
        assert tournament.book.round == tournament.rounds > 1


class TestSwiss:
    def test_nobody_meets_another_twice_while_that_can_be(self) -> None:
        house = House()
        guests = bots(house, 8)
        tournament = entered(house, plan(KIND.SWISS, 2), guests)
        run(house, guests)
        assert max(meetings(tournament).values()) == 1

    def test_in_the_second_round_those_of_like_scores_meet(self) -> None:
        house = House()
        guests = bots(house, 8)
        tournament = entered(house, plan(KIND.SWISS, 2), guests)
        run(house, guests, lambda one: one.stage is not STAGE.BETWEEN)
        scores = {one.entry.number: one.score for one in tournament.standings()}
        house.wait(10)
        for table in tournament.book.tables_of(2):
            first, second = table.seats
            assert scores[first] == scores[second]

    @pytest.mark.parametrize(("number", "rounds"), [(4, 3), (8, 3), (9, 4)])
    def test_it_has_as_many_rounds_as_it_needs(self, number: int, rounds: int) -> None:
        house = House()
        guests = bots(house, number)
        tournament = entered(house, plan(KIND.SWISS, 2), guests)
        run(house, guests)
        assert tournament.book.round == tournament.rounds == rounds

    @pytest.mark.parametrize("kind", [KIND.ROUND_ROBIN, KIND.SWISS])
    def test_when_only_computers_are_left_the_round_is_the_last(self, kind: m.TournamentKind) -> None:
        house = House()
        guests = bots(house, 2)
        tournament = entered(house, plan(kind, 2, computers=4, rounds=50), guests)
        run(house, guests, lambda one: one.book.round < 2)
        for guest in guests:
            assert say(house, guest, m.Withdraw) is None
        run(house, [])
        assert (tournament.stage, tournament.book.round) == (STAGE.OVER, 2)

    def test_who_comes_late_makes_it_no_longer(self) -> None:
        house = House()
        guests = bots(house, 8)
        tournament = entered(house, plan(KIND.SWISS, 2, late=2), guests)
        for k in range(4):
            say(house, house.guest(f"Late {k}", bot=True), m.SignUp)
        assert tournament.rounds == 3


class TestKnockOut:
    @pytest.mark.parametrize(("number", "seats", "through"), [(4, 2, 1), (6, 2, 1), (8, 4, 2), (13, 4, 2), (9, 3, 1)])
    def test_so_many_of_each_table_go_on(self, number: int, seats: int, through: int) -> None:
        house = House()
        guests = bots(house, number)
        tournament = entered(house, plan(KIND.KNOCK_OUT, seats, through=through), guests)
        run(house, guests)
        for at in range(1, tournament.book.round):
            on = set(tournament.book.byes_of(at))
            for table in tournament.book.tables_of(at):
                order = sorted(zip(table.results, table.seats, strict=True), key=lambda one: (one[0].place, one[1]))
                on |= {one for _, one in order[:through]}
            assert round_of(tournament, at + 1) | set(tournament.book.byes_of(at + 1)) == on
        (final,) = tournament.book.tables_of(tournament.book.round)
        (first,) = (one for one, seated in zip(final.seats, final.results, strict=True) if seated.place == 1)
        assert tournament.standings()[0].entry.number == first
        assert news(guests[0], NEWS.OVER)[0].who == guests[first - 1].name

    def test_who_was_knocked_out_hears_the_rest_and_is_free(self) -> None:
        house = House()
        guests = bots(house, 4)
        tournament = entered(house, plan(KIND.KNOCK_OUT, 2), guests)
        run(house, guests, lambda one: one.stage is not STAGE.BETWEEN)
        out = next(one for one in tournament.entrants if one.status is STATUS.KNOCKED_OUT)
        guest = guests[out.number - 1]
        assert say(house, guest, m.Withdraw) is CODE.NOT_ENTERED
        assert say(house, guest, m.OpenTournament, tournament="B", plan=plan()) is None
        assert say(house, guest, m.SignUp, tournament="B") is None
        run(house, guests)
        assert news(guest, NEWS.OVER)

    def test_who_has_left_does_not_go_on(self) -> None:
        house = House()
        guests = persons(house, 4)
        tournament = entered(house, plan(KIND.KNOCK_OUT, 2), guests)
        house.leave(guests[0])
        run(house, guests)
        assert 1 not in round_of(tournament, 2)
        assert tournament.stage is STAGE.OVER


class TestLadder:
    def test_whoever_is_free_is_paired(self) -> None:
        house = House()
        guests = bots(house, 5)
        tournament = entered(house, plan(KIND.LADDER, 2), guests)
        assert tournament.stage is STAGE.PLAYING, "it has no start"
        play_on(house, guests, 300)
        met = meetings(tournament)
        assert len(met) > 5
        assert {one for pair in met for one in pair} == {1, 2, 3, 4, 5}
        assert all(round_.is_over for round_ in tournament.book.rounds if not tournament.book.unfinished)

    def test_between_two_tables_there_is_the_pause(self) -> None:
        house = House()
        guests = bots(house, 2)
        entered(house, plan(KIND.LADDER, 2, pause=20), guests)
        play_on(house, guests, 100, step=1)
        began = [at for at, message in guests[0].heard if isinstance(message, m.Snapshot)]
        ended = [at for at, message in guests[0].heard if getattr(message, "news", None) is NEWS.TABLE_OVER]
        assert len(began) > 2
        assert all(after - before >= 20 for before, after in zip(ended, began[1:], strict=False))

    def test_it_is_over_when_all_have_played_as_often_as_they_may(self) -> None:
        house = House()
        guests = bots(house, 4)
        tournament = entered(house, plan(KIND.LADDER, 2, rounds=3), guests)
        assert run(house, guests) < 1000
        assert tournament.stage is STAGE.OVER
        assert Counter(one for table in tournament.book.tables for one in table.seats) == {1: 3, 2: 3, 3: 3, 4: 3}

    def test_it_is_over_when_one_alone_is_left_who_may_still_play(self) -> None:
        house = House()
        guests = bots(house, 3)
        tournament = entered(house, plan(KIND.LADDER, 2, rounds=3), guests)
        assert run(house, guests) < 1000
        assert sorted(Counter(one for table in tournament.book.tables for one in table.seats).values()) == [2, 3, 3]

    def test_its_maker_ends_it(self) -> None:
        house = House()
        guests = bots(house, 4)
        tournament = entered(house, plan(KIND.LADDER, 2), guests)
        play_on(house, guests, 100)
        assert say(house, guests[0], m.CancelTournament) is None
        assert tournament.stage is STAGE.OVER
        assert news(guests[1], NEWS.OVER)

    @pytest.mark.parametrize("has_played", [False, True])
    def test_it_ends_when_nothing_has_happened_for_a_week(self, *, has_played: bool) -> None:
        house = House()
        guests = bots(house, 2)
        tournament = entered(house, plan(KIND.LADDER, 2), guests if has_played else guests[:1])
        play_on(house, guests, 60)
        for guest in guests:
            house.lose(guest)
        house.wait(WEEK)
        assert tournament.stage is (STAGE.OVER if has_played else STAGE.CANCELLED)
        house.wait(30 * DAY)
        assert not [player for player in house.lobby.players if not player.is_here]

    def test_computers_play_with_somebody_only(self) -> None:
        house = House()
        (ada,) = persons(house, 1)
        tournament = entered(house, plan(KIND.LADDER, 2, computers=4), [ada])
        play_on(house, [ada], 300)
        assert len(tournament.book.tables) > 3
        number = tournament.entrants.of(ada.player)
        assert number is not None
        assert all(number.number in table.seats for table in tournament.book.tables)

    def test_while_nobody_could_play_it_waits_without_looking(self) -> None:
        house = House()
        (ada, bo) = persons(house, 2)
        entered(house, plan(KIND.LADDER, 2), [ada, bo])
        house.wait(10)
        run(house, [ada, bo], lambda one: bool(one.book.unfinished))
        house.lose(bo)
        house.wait(2)
        due = house.lobby.calendar.deadline()
        assert due is not None
        assert due > house.now + 86_400
        back(house, [bo])
        assert house.lobby.calendar.deadline() is not None
        run(house, [ada, bo], lambda one: len(one.book.tables) < 2)

    def test_who_missed_a_table_plays_again_when_it_is_back(self) -> None:
        house = House(limits=Limits(away=20))
        guests = persons(house, 3)
        tournament = entered(house, plan(KIND.LADDER, 3, minutes=5), guests)
        house.wait(61)
        assert house.lobby.rooms
        house.lose(guests[0])
        house.wait(20)
        run(house, guests, lambda one: bool(one.book.unfinished))
        house.wait(100)
        assert all(1 not in table.seats for table in tournament.book.tables[1:])
        back(house, guests)
        run(house, guests, lambda one: not any(1 in table.seats for table in one.book.tables[1:]))

    def test_who_is_away_for_long_has_dropped_out(self) -> None:
        house = House()
        bot, other = bots(house, 2)
        ada, _ = persons(house, 2)
        tournament = entered(house, plan(KIND.LADDER, 4), [bot, other, ada])
        play_on(house, [bot, other, ada], 100)
        house.lose(bot)
        house.lose(ada)
        play_on(house, [other], 130)
        assert house.lobby.named(ada.name) is ada.player, "a person who has played keeps its name"
        assert [one.status for one in tournament.entrants] == [STATUS.OUT, STATUS.PLAYING, STATUS.PLAYING]

    @pytest.mark.parametrize("away", [5, 3 * DAY])
    def test_a_bot_that_is_stopped_and_started_again_is_the_same_entrant(self, away: int) -> None:
        house = House()
        bot, other = bots(house, 2)
        tournament = entered(house, plan(KIND.LADDER, 2), [bot, other])
        play_on(house, [bot, other], 100)
        house.lose(bot)
        house.wait(away)
        player = house.lobby.find(bot.ticket)
        assert player is bot.player
        back(house, [bot])
        again = say(house, bot, m.SignUp)
        assert again is (m.RefusalCode.ALREADY_ENTERED if away == 5 else None)
        assert [(one.number, one.name, one.status) for one in tournament.entrants] == [
            (1, bot.name, STATUS.PLAYING),
            (2, other.name, STATUS.PLAYING),
        ]
        assert tournament.standings()[0].played > 0

    def test_a_bot_without_its_ticket_may_have_the_name_of_one_that_stays_away_and_is_another_entrant(self) -> None:
        house = House()
        bot, other = bots(house, 2)
        tournament = entered(house, plan(KIND.LADDER, 2), [bot, other])
        play_on(house, [bot, other], 100)
        house.lose(bot)
        with pytest.raises(Unwelcome):
            house.guest(bot.name, bot=True)
        play_on(house, [other], 130)
        new = house.guest(bot.name, bot=True)
        assert say(house, new, m.SignUp) is None
        with pytest.raises(Unwelcome):
            house.lobby.find(bot.ticket)
        assert [one.number for one in tournament.entrants if one.name == bot.name] == [1, 3]

    def test_of_who_comes_and_goes_without_a_table_nothing_is_left(self) -> None:
        house = House()
        tournament = entered(house, plan(KIND.LADDER, 4), persons(house, 1))
        for k in range(50):
            guest = house.guest(f"Bot {k}", bot=True)
            assert say(house, guest, m.SignUp) is None
            house.lose(guest, is_done=True)
        assert len(tuple(tournament.entrants)) == 1


class TestSeveralAtOnce:
    def test_they_go_on_side_by_side(self) -> None:
        house = House(limits=Limits(tables=3, tournaments_of_player=4))
        guests = bots(house, 16)
        kinds = dict(zip("ABCD", KIND, strict=True))
        for at, (name, kind) in enumerate(kinds.items()):
            own = guests[4 * at : 4 * at + 4]
            rounds = 2 if kind is KIND.LADDER else 0
            assert say(house, own[0], m.OpenTournament, tournament=name, plan=plan(kind, 2, rounds=rounds)) is None
            for guest in own:
                assert say(house, guest, m.SignUp, tournament=name) is None
            if kind is not KIND.LADDER:
                assert say(house, own[0], m.BeginTournament, tournament=name) is None
        while any(the(house, name).is_running for name in kinds):
            if not answer_all(house, guests):
                house.step()
            assert sum(room.table is not None for room in house.lobby.rooms) <= 3
        for at, name in enumerate(kinds):
            entrants = {one.name for one in the(house, name).entrants}
            assert entrants == set(names(guests[4 * at : 4 * at + 4]))
            assert {one.tournament for one in news(guests[4 * at])} == {name}
            assert the(house, name).stage is STAGE.OVER
        assert not house.faults

    def test_a_bug_in_one_ends_that_alone(self) -> None:
        house = House()
        guests = bots(house, 8)
        for name, own in (("A", guests[:4]), ("B", guests[4:])):
            say(house, own[0], m.OpenTournament, tournament=name, plan=plan(KIND.SWISS, 2, rounds=1))
            for guest in own:
                say(house, guest, m.SignUp, tournament=name)
            say(house, own[0], m.BeginTournament, tournament=name)
        the(house, "A").book._tables.clear()
        while the(house, "B").is_running:
            if not answer_all(house, guests):
                house.step()
        assert the(house, "A").stage is STAGE.CANCELLED
        assert the(house, "B").stage is STAGE.OVER
        assert len(house.faults) == 1
        assert house.lobby.calendar.of(guests[0].player) is None
        assert not house.lobby.rooms


class TestScores:
    def test_of_one_table_come_to_half_a_point_for_each(self) -> None:
        house = House()
        guests = bots(house, 4)
        tournament = entered(house, plan(KIND.SWISS, 4, rounds=1), guests)
        run(house, guests)
        assert sum(one.score for one in tournament.standings()) == 2 * POINT
        shown = ask(house, guests[0], m.AskStandings, page=0)
        assert isinstance(shown, m.Standings)
        assert shown.standings[0].rank == 1
