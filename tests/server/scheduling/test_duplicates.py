"""Rounds of duplicates: the same packs at all tables, and nothing told of one before the last is done (rule C10)."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pytest

from kille_net.game.reading import parse_line
from kille_net.game.record import HandLine
from kille_net.game.shuffle import Seeded
from kille_net.server.tournament.saved import TableSaved
from kille_net.server.tournament.standings import standings
from kille_net.wire import messages as m
from tests.server.house import Guest, House
from tests.server.scheduling.house import answer_all, ask, bots, entered, kept, news, plan, run, say, tables, the

KIND, STAGE, CODE, NEWS = m.TournamentKind, m.TournamentStage, m.RefusalCode, m.Happening


def hands(house: House, table: TableSaved) -> list[HandLine]:
    (lines,) = (keep.lines for keep in house.kept if keep.match_id == table.match)
    return [line for line in map(parse_line, lines) if isinstance(line, HandLine)]


@pytest.fixture(params=[KIND.SWISS, KIND.ROUND_ROBIN])
def played(request: pytest.FixtureRequest) -> House:
    house = House()
    guests = bots(house, 7)
    entered(house, plan(request.param, 4, rounds=2, duplicate=True), guests)
    run(house, guests)
    return house


class TestPacks:
    def test_are_the_same_at_all_tables_of_a_round_and_others_in_the_next(self, played: House) -> None:
        first = []
        for number in (1, 2):
            one, other = (hands(played, table) for table in the(played).book.tables_of(number))
            assert len(one) > 1
            for mine, theirs in zip(one, other, strict=False):
                assert mine.packs[0] == theirs.packs[0]
            assert one[0].dealer == other[0].dealer
            first.append(one[0].packs[0])
        assert first[0] != first[1]

    def test_are_those_of_the_seed_that_was_meant_from_the_start(self, played: House) -> None:
        guest = next(iter(played.guests.values()))
        begun, over = news(guest, NEWS.ROUND), news(guest, NEWS.ROUND_OVER)
        assert len(begun) == len(over) == 2
        for before, after in zip(begun, over, strict=True):
            assert sha256(after.text.encode()).hexdigest() == before.text
            shuffle = Seeded(after.text, bytes(16), bytes(16))
            table = the(played).book.find(after.round, 1)
            hand = hands(played, table)[0]
            assert hand.packs[0] == shuffle.pack(1, 0)
            assert hand.dealer == shuffle.first_dealer(4)

    def test_are_whatever_was_killed_meanwhile(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        guests = bots(house, 4)
        entered(house, plan(KIND.SWISS, 2, rounds=1, duplicate=True, at_once=1), guests)
        run(house, guests, lambda one: len(one.book.unfinished) == 2)
        house.restart()
        for guest in guests:
            guest.new()
            house.carry(house.lobby.come_back(guest.player, house.now))
        run(house, guests)
        one, other = (hands(house, table) for table in the(house).book.tables)
        assert one[0].packs[0] == other[0].packs[0]


class TestTables:
    @pytest.mark.parametrize(("number", "seats", "computers"), [(2, 4, 6), (7, 4, 1), (8, 4, 0), (9, 4, 3), (5, 2, 1)])
    def test_are_full_and_two_at_least(self, number: int, seats: int, computers: int) -> None:
        house = House()
        guests = bots(house, number)
        tournament = entered(house, plan(KIND.SWISS, seats, rounds=2, duplicate=True), guests)
        assert sum(one.is_computer for one in tournament.entrants.playing) == computers
        run(house, guests)
        assert {len(table.seats) for table in tournament.book.tables} == {seats}
        assert not any(round_.byes for round_ in tournament.book.rounds)

    @pytest.mark.parametrize("kind", [KIND.SWISS, KIND.ROUND_ROBIN])
    @pytest.mark.parametrize(("number", "seats", "rounds"), [(6, 2, 4), (8, 4, 4), (7, 4, 6), (9, 3, 3)])
    def test_have_seats_that_are_had_in_turn(
        self, kind: m.TournamentKind, number: int, seats: int, rounds: int
    ) -> None:
        """After every round each has sat once at most more often at one place than at another; in a swiss, where who
        meets hangs on the results, twice."""
        house = House()
        guests = bots(house, number)
        tournament = entered(house, plan(kind, seats, rounds=rounds, duplicate=True), guests)
        run(house, guests)
        sat = {one.number: [0] * seats for one in tournament.entrants}
        for round_ in range(1, rounds + 1):
            for table in tournament.book.tables_of(round_):
                for place, one in enumerate(table.seats):
                    sat[one][place] += 1
            most = 1 if kind is KIND.ROUND_ROBIN else 2
            assert all(max(own) - min(own) <= most for own in sat.values()), round_

    @pytest.mark.parametrize("kind", [KIND.SWISS, KIND.ROUND_ROBIN])
    def test_stay_full_when_one_withdraws(self, kind: m.TournamentKind) -> None:
        house = House()
        guests = bots(house, 12)
        tournament = entered(house, plan(kind, 4, rounds=3, duplicate=True), guests)
        run(house, guests, lambda one: one.stage is not STAGE.BETWEEN)
        for guest in guests[:2]:
            say(house, guest, m.Withdraw)
        run(house, guests)
        later = [table for table in tournament.book.tables if table.round > 1]
        assert {len(table.seats) for table in later} == {4}
        assert not {1, 2} & {one for table in later for one in table.seats}

    def test_have_no_spectators(self) -> None:
        house = House()
        guests = bots(house, 8)
        stranger = house.guest("Stranger")
        entered(house, plan(KIND.SWISS, 4, rounds=1, duplicate=True), guests)
        (room, _) = house.lobby.rooms
        answer = house.watch(stranger, room.name)
        assert isinstance(answer, m.Refused)
        assert answer.code is CODE.WATCHING_CLOSED


class TestResults:
    def test_are_told_when_the_last_table_is_done(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        guests = bots(house, 8)
        follower = house.guest("Follower")
        tournament = entered(house, plan(KIND.SWISS, 4, rounds=2, duplicate=True), guests, begin=False)
        say(house, follower, m.Follow, on=True)
        say(house, guests[0], m.BeginTournament)
        quick, slow = self._by_table(house, guests)
        seed = tournament.book.rounds[0].seed
        before = self._told(house, follower)
        while len(tournament.book.unfinished) == 2:
            if not answer_all(house, quick):
                house.wait(0)
        assert self._told(house, follower) == before, "but that it is done"
        assert [one.status for one in tables(house, follower)].count(m.TableStatus.PLAYED) == 1
        for guest in [*slow, follower]:
            (over,) = news(guest, NEWS.TABLE_OVER)
            assert (over.places, over.who) == ((), "")
        for guest in [*guests, follower]:
            assert not any(seed in repr(message) for _, message in guest.heard)
        assert house.store is not None
        assert house.store._db.execute("SELECT closed FROM match").fetchall() == [(1,), (1,)]
        assert not house.store.unrecorded()
        run(house, guests, lambda one: bool(one.book.unfinished))
        assert self._told(house, follower) != before
        assert [len(line.places) for line in tables(house, follower, 1)] == [4, 4]
        assert news(follower, NEWS.ROUND_OVER)[0].text == seed
        assert house.store._db.execute("SELECT closed FROM match").fetchall() == [(0,), (0,)]

    def test_of_a_walkover_nothing_is_told_before_the_others_are_done(self) -> None:
        house = House()
        guests = bots(house, 4)
        entered(house, plan(KIND.SWISS, 2, rounds=1, call=5, duplicate=True), guests, begin=False)
        house.lose(guests[1])
        assert say(house, guests[0], m.BeginTournament) is None
        house.wait(5)
        told = [line.status for line in tables(house, guests[0])]
        assert sorted(told) == [m.TableStatus.CALLED, m.TableStatus.PLAYED]
        run(house, [guests[0], *guests[2:]])
        told = [line.status for line in tables(house, guests[0])]
        assert sorted(told) == [m.TableStatus.PLAYED, m.TableStatus.WALKOVER]

    def _by_table(self, house: House, guests: Sequence[Guest]) -> tuple[list[Guest], list[Guest]]:
        first = house.lobby.room_of(guests[0].player)
        return (
            [guest for guest in guests if house.lobby.room_of(guest.player) is first],
            [guest for guest in guests if house.lobby.room_of(guest.player) is not first],
        )

    def _told(self, house: House, guest: Guest) -> list[object]:
        answers = [ask(house, guest, m.AskStandings, page=page) for page in (0, 1)]
        shown = [line for one in answers if isinstance(one, m.Standings) for line in one.standings]
        return [*shown, *(line.places for line in tables(house, guest, 1))]

    def test_are_compared_with_the_same_seat_elsewhere(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        guests = bots(house, 8)
        tournament = entered(house, plan(KIND.SWISS, 4, rounds=1, duplicate=True), guests)
        run(house, guests)
        (saved,) = kept(house)
        assert standings(saved) == tournament.standings()
        scores = {one.entry.number: one.score for one in tournament.standings()}
        one, other = tournament.book.tables
        for mine, theirs in zip(one.seats, other.seats, strict=True):
            assert scores[mine] + scores[theirs] == pytest.approx(840, abs=1), (
                "half a point each, and what sets them apart"
            )

    def test_of_a_round_that_is_cancelled_may_be_read_then(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        guests = bots(house, 8)
        entered(house, plan(KIND.SWISS, 4, rounds=1, duplicate=True), guests)
        say(house, guests[0], m.CancelTournament)
        assert house.store is not None
        matches = house.store._db.execute("SELECT closed, ended IS NULL FROM match").fetchall()
        assert matches == [(0, 0), (0, 0)]
