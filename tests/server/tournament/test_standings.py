"""How entrants stand: the order of each kind (C5), what counts so far, and the margins."""

from dataclasses import replace
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kille_net.intervals import t_quantile
from kille_net.server.rating import NEW, Result, Sitting, ratings
from kille_net.server.tournament.saved import Entry, RoundSaved, Seated, TableSaved, TournamentSaved
from kille_net.server.tournament.scoring import POINT
from kille_net.server.tournament.standings import Standing, rated, scored, standings, to_line
from kille_net.wire.messages import Occupant, TableStatus, TournamentKind
from tests.server.tournament.made import entries, played, tournament, tournaments

KNOCK_OUT, LADDER = TournamentKind.KNOCK_OUT, TournamentKind.LADDER


def ranks(saved: TournamentSaved) -> list[tuple[int, int]]:
    return [(one.rank, one.entry.number) for one in standings(saved)]


def of(saved: TournamentSaved, number: int) -> Standing:
    return next(one for one in standings(saved) if one.entry.number == number)


class TestByScore:
    def test_score_then_wins_then_the_scores_of_the_opponents(self) -> None:
        """1 to 4 have a point each: 1 has won once and lost once, the others have come second of three twice. Of them,
        2 has met those who have more than those whom 3 and 4 have met.
        """
        saved = tournament(
            [
                played(1, 1, (1, 7), (1, 2)),
                played(2, 1, (1, 8), (2, 1)),
                played(1, 2, (5, 2, 6), (1, 2, 3)),
                played(2, 2, (5, 2, 6), (1, 2, 3)),
                played(1, 3, (9, 3, 10), (1, 2, 3)),
                played(2, 3, (10, 3, 9), (1, 2, 3)),
                played(3, 1, (11, 4, 12), (1, 2, 3)),
                played(4, 1, (12, 4, 11), (1, 2, 3)),
                played(5, 1, (5, 6), (2, 1)),
            ],
            entrants=12,
        )
        found = {one.entry.number: one for one in standings(saved)}
        assert {found[number].score for number in range(1, 5)} == {POINT}
        assert (found[1].wins, found[1].played) == (1, 2)
        assert [found[number].opponents for number in (2, 3, 4)] == [6 * POINT, 4 * POINT, 4 * POINT]
        order = [(rank, number) for rank, number in ranks(saved) if number <= 4]
        assert [number for _, number in order] == [1, 2, 3, 4]
        assert order[2][0] == order[3][0] == order[1][0] + 1, "3 and 4 are equal in all, and share a rank"

    def test_who_is_equal_shares_a_rank_and_the_next_ones_are_skipped(self) -> None:
        assert ranks(tournament([played(1, 1, (1, 2, 3, 4), (2, 1, 1, 4))])) == [(1, 2), (1, 3), (3, 1), (4, 4)]

    def test_a_bye_is_half_a_point_and_no_table(self) -> None:
        """C3."""
        one = of(tournament([played(1, 1, (1, 2), (1, 2))], entrants=3, byes=[(3,)]), 3)
        assert (one.score, one.played, one.wins, one.margin) == (POINT // 2, 0, 0, None)

    def test_a_walkover_is_won_and_a_void_table_is_none(self) -> None:
        results = (Seated(place=1), Seated(place=2, is_missing=True))
        saved = tournament(
            [
                TableSaved(round=1, number=1, seats=(1, 2), status=TableStatus.WALKOVER, results=results),
                TableSaved(round=2, number=1, seats=(1, 2), status=TableStatus.VOID),
            ],
            entrants=2,
        )
        one, other = standings(saved)
        assert (one.score, one.played, one.wins) == (POINT, 1, 1)
        assert (other.score, other.played, other.wins, other.opponents) == (0, 1, 0, POINT)

    def test_who_has_not_played_stands_behind(self) -> None:
        saved = tournament([played(1, 1, (3, 2), (1, 2))], entrants=3)
        assert ranks(saved) == [(1, 3), (2, 2), (3, 1)], "2 has met one who has a point"

    def test_before_anything_was_played_all_are_first(self) -> None:
        assert ranks(tournament([], entrants=3)) == [(1, 1), (1, 2), (1, 3)]


class TestWhatCounts:
    def test_a_table_counts_as_soon_as_it_is_over(self) -> None:
        called = TableSaved(round=1, number=2, seats=(3, 4), status=TableStatus.CALLED)
        saved = tournament([played(1, 1, (1, 2), (1, 2)), called], open_rounds=frozenset({1}), byes=[(5,)], entrants=5)
        assert [(one.entry.number, one.score, one.played) for one in standings(saved)] == [
            (1, POINT, 1),
            (5, POINT // 2, 0),
            (2, 0, 1),
            (3, 0, 0),
            (4, 0, 0),
        ]

    def test_duplicates_count_when_the_last_table_of_their_round_is_over(self) -> None:
        """C10: until then, who has still to play would learn how their packs go."""
        tables = [played(1, 1, (1, 2), (1, 2)), played(1, 2, (3, 4), (2, 1))]
        closed = tournament(tables, duplicate=True, open_rounds=frozenset({1}), entrants=5, byes=[(5,)])
        nothing = {(1, 0, 0, 0, 0, None, None)}
        told = standings(closed)
        assert {
            (one.rank, one.score, one.played, one.wins, one.opponents, one.mean, one.margin) for one in told
        } == nothing
        assert scored(closed) == ()
        over = tournament(tables, duplicate=True)
        assert [(one.rank, one.entry.number, one.score) for one in standings(over)] == [
            (1, 1, POINT),
            (1, 4, POINT),
            (3, 2, 0),
            (3, 3, 0),
        ]

    @given(tournaments(duplicate=True), st.sampled_from(TournamentKind))
    def test_nothing_of_an_open_round_of_duplicates_shows(self, saved: TournamentSaved, kind: TournamentKind) -> None:
        saved = of_kind(saved, kind)
        open_rounds = {one.number for one in saved.rounds if not one.is_over}
        unplayed = tuple(
            msgspec.structs.replace(table, status=TableStatus.CALLED, results=())
            if table.round in open_rounds
            else table
            for table in saved.tables
        )
        assert standings(saved) == standings(msgspec.structs.replace(saved, tables=unplayed))


class TestKnockOut:
    def test_who_got_further_is_before_whoever_has_more(self) -> None:
        """Two of three have gone on from each table. 3 was last in the first round, and 6, too, with no more."""
        saved = tournament(
            [
                played(1, 1, (1, 2, 3), (1, 2, 3)),
                played(1, 2, (4, 5, 6), (1, 2, 3)),
                played(2, 1, (1, 2, 4, 5), (4, 1, 2, 3)),
            ],
            kind=KNOCK_OUT,
            entrants=6,
        )
        assert ranks(saved) == [(1, 2), (2, 4), (3, 5), (4, 1), (5, 3), (5, 6)]

    def test_within_a_round_the_place_counts_and_then_the_score(self) -> None:
        """2 and 4 were both second in the second round; 4 had shared its place in the first."""
        saved = tournament(
            [
                played(1, 1, (1, 2, 9), (2, 1, 3)),
                played(1, 2, (3, 4, 8), (1, 1, 3)),
                played(2, 1, (1, 2), (1, 2)),
                played(2, 2, (3, 4), (1, 2)),
                played(3, 1, (1, 3), (2, 1)),
            ],
            kind=KNOCK_OUT,
            entrants=9,
        )
        assert ranks(saved)[:4] == [(1, 3), (2, 1), (3, 2), (4, 4)]

    def test_a_round_that_is_played_who_waits_stands_between_those_who_go_on_and_those_who_do_not(self) -> None:
        saved = tournament(
            [
                played(1, 1, (1, 2), (2, 1)),
                TableSaved(round=1, number=2, seats=(3, 4), status=TableStatus.CALLED),
            ],
            kind=KNOCK_OUT,
            entrants=6,
            byes=[(5,)],
            open_rounds=frozenset({1}),
        )
        assert [number for _, number in ranks(saved)] == [2, 5, 3, 4, 1, 6]

    def test_a_bye_is_a_round_further(self) -> None:
        saved = tournament([played(1, 1, (1, 2), (1, 2))], kind=KNOCK_OUT, entrants=3, byes=[(3,), (1,)])
        assert [number for _, number in ranks(saved)] == [1, 3, 2]

    def test_a_void_table_has_no_places_and_nobody_at_it_goes_before_one_who_has(self) -> None:
        void = TableSaved(round=1, number=2, seats=(3, 4), status=TableStatus.VOID)
        saved = tournament([void, played(1, 1, (1, 2), (1, 2))], kind=KNOCK_OUT, entrants=4)
        assert ranks(saved) == [(1, 1), (2, 2), (3, 3), (3, 4)]


class TestLadder:
    def test_by_a_rating_of_its_own(self) -> None:
        orders = [(1, 2, 3), (1, 2, 3), (2, 1, 3)]
        saved = tournament(
            [played(at, 1, (2, 4, 1), order) for at, order in enumerate(orders, 1)], kind=LADDER, entrants=4
        )
        results = [
            Result("", tuple(Sitting(who, place) for who, place in zip("241", order, strict=True))) for order in orders
        ]
        expected = ratings(results)[""]
        found = {one.entry.number: one for one in standings(saved)}
        for who, rating in expected.items():
            one = found[int(who)]
            assert one.score == round(100 * rating.low)
            assert one.mean == pytest.approx(100 * rating.mu)
            assert one.margin == pytest.approx(195.9964 * rating.sigma)
            assert one.played == rating.matches
        assert found[3].score == round(100 * NEW.low)
        order = [one.score for one in standings(saved)]
        assert order == sorted(order, reverse=True)
        assert standings(saved)[0].entry.number == 2

    def test_computers_of_one_level_are_each_their_own(self) -> None:
        saved = tournament([played(1, 1, (3, 4), (1, 2))], kind=LADDER)
        state = msgspec.structs.replace(saved.state, entries=entries(4, computers=2))
        found = {one.entry.number: one for one in standings(msgspec.structs.replace(saved, state=state))}
        assert found[3].score > found[4].score

    def test_who_was_missing_has_lost_and_a_walkover_is_no_match(self) -> None:
        lost = played(1, 1, (1, 2), (1, 2), frozenset({0}))
        assert rated([lost])[1].mu < NEW.mu < rated([lost])[2].mu
        results = (Seated(place=1), Seated(place=2, is_missing=True))
        assert rated([TableSaved(round=1, number=1, seats=(1, 2), status=TableStatus.WALKOVER, results=results)]) == {}


class TestMargins:
    def test_students_t_over_the_tables(self) -> None:
        """Scores 1, 0, 1/2, 1 and 0 at five tables: standard deviation 1/2."""
        orders = [(1, 2), (2, 1), (1, 1), (1, 2), (2, 1)]
        one = of(tournament([played(at, 1, (1, 2), order) for at, order in enumerate(orders, 1)]), 1)
        assert one.mean == POINT / 2
        assert one.margin == pytest.approx(POINT * 2.776445 * 0.5 / 5**0.5, rel=1e-6)
        assert one.plain_margin is None

    def test_a_few_tables_say_nothing_of_their_spread(self) -> None:
        one = of(tournament([played(at, 1, (1, 2), (1, 2)) for at in range(1, 5)]), 1)
        assert (one.mean, one.margin) == (POINT, None)

    @given(st.permutations(range(1, 5)), st.integers(5, 8), st.integers(2, 6), st.randoms(use_true_random=False))
    def test_where_the_seat_decides_all_duplicates_know_that_all_are_equal(
        self, order: list[int], rounds: int, tables: int, random: Random
    ) -> None:
        who = range(1, 4 * tables + 1)
        played_tables = []
        for round_ in range(1, rounds + 1):
            drawn = random.sample(who, len(who))
            played_tables += [
                played(round_, number, drawn[4 * number - 4 : 4 * number], order) for number in range(1, tables + 1)
            ]
        found = standings(tournament(played_tables, entrants=len(who), duplicate=True))
        assert {one.score for one in found} == {rounds * POINT // 2}
        assert {one.margin for one in found} == {0}
        for one in found:
            places = {
                order[table.seats.index(one.entry.number)] for table in played_tables if one.entry.number in table.seats
            }
            assert one.plain_margin is not None
            assert (one.plain_margin > 0) == (len(places) > 1)

    def test_the_plain_margin_is_that_of_what_the_tables_are_worth_by_themselves(self) -> None:
        """1 wins from the seat that wins everywhere, and loses from the one that loses everywhere."""
        ways = [[(1, 2), (3, 4)], [(2, 1), (4, 3)]] * 3
        tables = [
            played(round_, number, seats, (1, 2))
            for round_, way in enumerate(ways, 1)
            for number, seats in enumerate(way, 1)
        ]
        one = of(tournament(tables, duplicate=True), 1)
        assert (one.mean, one.margin) == (POINT / 2, 0)
        assert one.plain_margin == pytest.approx(t_quantile(5) * POINT * (6 / 5) ** 0.5 / 2 / 6**0.5)


def of_kind(saved: TournamentSaved, kind: TournamentKind) -> TournamentSaved:
    plan = msgspec.structs.replace(saved.state.plan, kind=kind)
    return msgspec.structs.replace(saved, state=msgspec.structs.replace(saved.state, plan=plan))


class TestAlways:
    @given(tournaments())
    def test_all_are_there_once_and_ranks_are_as_many_as_stand_before(self, saved: TournamentSaved) -> None:
        found = standings(saved)
        assert sorted(one.entry.number for one in found) == [one.number for one in saved.state.entries]
        at = [one.rank for one in found]
        assert at == [1 + sum(other < rank for other in at) for rank in at]

    @given(tournaments())
    def test_the_order_of_kinds_with_scores_is_that_of_what_is_told(self, saved: TournamentSaved) -> None:
        found = standings(of_kind(saved, TournamentKind.SWISS))
        told = [(-one.score, -one.wins, -one.opponents) for one in found]
        assert told == sorted(told)
        for one, own in zip(found, told, strict=True):
            assert one.rank == 1 + told.index(own)

    @given(tournaments(), st.randoms(use_true_random=False))
    def test_it_does_not_matter_who_has_which_number(self, saved: TournamentSaved, random: Random) -> None:
        numbers = [one.number for one in saved.state.entries]
        new = dict(zip(numbers, random.sample(numbers, len(numbers)), strict=True))
        other = relabelled(saved, new)
        assert {new[one.entry.number]: plain(one) for one in standings(saved)} == {
            one.entry.number: plain(one) for one in standings(other)
        }

    @given(tournaments())
    def test_points_come_from_tables_and_byes_alone(self, saved: TournamentSaved) -> None:
        saved = of_kind(saved, TournamentKind.ROUND_ROBIN)
        tables = sum(
            len(one.seats) * POINT // 2
            if one.status is TableStatus.PLAYED
            else POINT * (one.status is TableStatus.WALKOVER)
            for one in saved.tables
        )
        byes = sum(len(one.byes) for one in saved.rounds) * POINT // 2
        assert sum(one.score for one in standings(saved)) == tables + byes

    @given(tournaments())
    def test_the_wire_takes_them(self, saved: TournamentSaved) -> None:
        for one in standings(saved):
            line = to_line(one)
            assert msgspec.convert(msgspec.to_builtins(line), type(line)) == line

    @pytest.mark.parametrize("opponents", [-(10**12), 10**12])
    def test_the_wire_takes_them_also_after_months(self, opponents: int) -> None:
        one = standings(tournament([played(1, 1, (1, 2), (1, 2))]))[0]
        line = to_line(replace(one, opponents=opponents))
        assert msgspec.convert(msgspec.to_builtins(line), type(line)) == line

    def test_the_wire_tells_what_they_are(self) -> None:
        person = standings(tournament([played(1, 1, (1, 2), (1, 2))]))[0]
        bot = replace(person, entry=Entry(number=1, name="Robot", player=9, is_bot=True))
        computer = replace(person, entry=Entry(number=1, name="Ulla", player=None, level="easy"))
        kinds = [to_line(one).occupant for one in (person, bot, computer)]
        assert kinds == [Occupant.PERSON, Occupant.BOT, Occupant.COMPUTER]
        assert (to_line(person).score, to_line(person).margin) == (POINT, None)


def plain(one: Standing) -> tuple[object, ...]:
    """Without who it is. Sums of floats depend on their order."""
    margin, plain_margin, mean = (
        None if value is None else round(value, 6) for value in (one.margin, one.plain_margin, one.mean)
    )
    return one.rank, one.score, one.played, one.wins, one.opponents, mean, margin, plain_margin


def relabelled(saved: TournamentSaved, new: dict[int, int]) -> TournamentSaved:
    replaced = msgspec.structs.replace
    return replaced(
        saved,
        rounds=tuple(
            RoundSaved(number=one.number, byes=tuple(new[who] for who in one.byes), is_over=one.is_over)
            for one in saved.rounds
        ),
        tables=tuple(replaced(one, seats=tuple(new[who] for who in one.seats)) for one in saved.tables),
    )
