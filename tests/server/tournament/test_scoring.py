"""What a table is worth: the rules C1 to C4 and C10."""

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kille_net.server.tournament.saved import Seated, TableSaved, TournamentSaved
from kille_net.server.tournament.scoring import POINT, adjusted, places, rounded, score
from kille_net.wire.messages import TableStatus
from tests.server.tournament.made import played, tournaments

ORDERS = st.lists(st.integers(1, 8), min_size=2, max_size=8)
"""What comes of them is the same whether places are skipped or not."""


def table(status: TableStatus, *seated: Seated) -> TableSaved:
    return TableSaved(round=1, number=1, seats=tuple(range(1, len(seated) + 1)), status=status, results=seated)


def worth(*order: int, missing: frozenset[int] = frozenset()) -> list[Fraction]:
    """In points."""
    scores = score(played(1, 1, range(1, len(order) + 1), order, missing))
    return [Fraction(scores[number], POINT) for number in sorted(scores)]


class TestPlaces:
    def test_are_those_of_the_match(self) -> None:
        assert [one.place for one in places([3, 1, 3, 2], [0, 9, 0, 4], ())] == [3, 1, 3, 2]

    def test_of_a_match_that_was_broken_off_go_by_points_and_ties_share(self) -> None:
        """C4."""
        assert [one.place for one in places(None, [4, 9, 4, 9, 1], ())] == [3, 1, 3, 1, 5]

    def test_whoever_is_missing_is_behind_all_others_and_shares_that_place(self) -> None:
        """C2."""
        found = places([1, 2, 3, 4], [9, 5, 3, 1], {0, 2})
        assert [one.place for one in found] == [3, 1, 3, 2]
        assert [one.is_missing for one in found] == [True, False, True, False]
        assert [one.points for one in found] == [9, 5, 3, 1]

    def test_where_nobody_is_there_nobody_has_one(self) -> None:
        assert {one.place for one in places([1, 2], [3, 4], {0, 1})} == {0}

    @given(ORDERS, st.data())
    def test_nobody_who_is_missing_is_above_who_is_there(self, order: list[int], data: st.DataObject) -> None:
        missing = data.draw(st.sets(st.integers(0, len(order) - 1), max_size=len(order) - 1))
        for placed, points in ((order, [0] * len(order)), (None, order)):
            found = places(placed, points, missing)
            assert all(
                one.place < other.place for one in found if not one.is_missing for other in found if other.is_missing
            )
            assert min(one.place for one in found) == 1
            assert [1 + sum(other.place < one.place for other in found) for one in found] == [
                one.place for one in found
            ], "a place is one more than there are before"


class TestScore:
    """C1."""

    def test_by_hand(self) -> None:
        assert worth(1, 2, 3, 4) == [1, Fraction(2, 3), Fraction(1, 3), 0]
        assert worth(1, 2, 2, 4) == [1, Fraction(1, 2), Fraction(1, 2), 0]
        assert worth(2, 2, 1) == [Fraction(1, 4), Fraction(1, 4), 1]
        assert worth(1, 2) == [1, 0]
        assert worth(1, 1) == [Fraction(1, 2)] * 2

    @pytest.mark.parametrize("seats", range(2, 9))
    def test_whole_units_lose_nothing_at_any_size(self, seats: int) -> None:
        assert worth(*range(1, seats + 1)) == [Fraction(seats - 1 - at, seats - 1) for at in range(seats)]
        shared = Fraction(1, 2) * Fraction(seats - 2, seats - 1)
        assert worth(1, *[2] * (seats - 1)) == [1, *[shared] * (seats - 1)]

    @given(ORDERS, st.data())
    def test_a_table_comes_to_half_a_point_a_seat(self, order: list[int], data: st.DataObject) -> None:
        missing = data.draw(st.frozensets(st.integers(0, len(order) - 1), max_size=len(order) - 1))
        assert sum(worth(*order, missing=missing)) == Fraction(len(order), 2)

    @given(ORDERS)
    def test_a_better_place_is_worth_more_and_the_same_place_the_same(self, order: list[int]) -> None:
        scores = worth(*order)
        for own, place in zip(scores, order, strict=True):
            assert 0 <= own <= 1
            for other, its in zip(scores, order, strict=True):
                assert (own > other, own == other) == (place < its, place == its)

    @given(ORDERS, st.randoms(use_true_random=False))
    def test_it_does_not_matter_who_they_are(self, order: list[int], random: Random) -> None:
        numbers = random.sample(range(1, 65), len(order))
        assert list(score(played(1, 1, numbers, order)).values()) == list(
            score(played(1, 1, range(1, len(order) + 1), order)).values()
        )
        assert list(score(played(1, 1, numbers, order))) == numbers

    def test_who_alone_came_has_a_point_and_the_others_nothing(self) -> None:
        """C3."""
        away = Seated(place=2, is_missing=True)
        assert score(table(TableStatus.WALKOVER, away, Seated(place=1), away)) == {1: 0, 2: POINT, 3: 0}

    def test_what_says_nothing_is_worth_nothing_to_all(self) -> None:
        """C3."""
        assert score(table(TableStatus.VOID, *[Seated(place=0, is_missing=True)] * 3)) == {1: 0, 2: 0, 3: 0}
        seats = (1, 2)
        assert score(TableSaved(round=1, number=1, seats=seats, status=TableStatus.VOID)) == {1: 0, 2: 0}
        assert set(worth(1, 2, missing=frozenset({0, 1}))) == {0}

    @pytest.mark.parametrize("status", [TableStatus.WAITING, TableStatus.CALLED])
    def test_there_is_none_before_the_table_is_over(self, status: TableStatus) -> None:
        assert score(TableSaved(round=1, number=1, seats=(1, 2), status=status)) == {}


class TestDuplicates:
    """C10."""

    def test_by_hand(self) -> None:
        """Seat 1 has won at both tables: that was the seat. Seats 2 and 3 have changed places."""
        found = adjusted([played(1, 1, (1, 2, 3), (1, 2, 3)), played(1, 2, (4, 5, 6), (1, 3, 2))])
        points = {number: worth / POINT for number, worth in found.items()}
        half, quarter = Fraction(1, 2), Fraction(1, 4)
        assert points == {1: half, 2: half + quarter, 3: half - quarter, 4: half, 5: half - quarter, 6: half + quarter}

    @given(tournaments(duplicate=True))
    def test_a_round_comes_to_as_much_as_without(self, saved: TournamentSaved) -> None:
        over = [one for one in saved.tables if one.status is TableStatus.PLAYED and one.round == 1]
        exact = adjusted(over)
        assert sum(exact.values()) == sum(sum(score(one).values()) for one in over)
        assert all(abs(exact[number] - told) <= Fraction(1, 2) for number, told in rounded(exact).items())

    @given(ORDERS, st.integers(1, 32))
    def test_where_the_seat_decides_all_everybody_has_half_a_point(self, order: list[int], number: int) -> None:
        tables = [played(1, at, range(1 + at * len(order), 1 + (at + 1) * len(order)), order) for at in range(number)]
        found = adjusted(tables)
        assert len(found) == number * len(order)
        assert set(found.values()) == {Fraction(POINT, 2)}

    def test_equal_results_are_worth_the_same_after_rounding(self) -> None:
        """Two of three have a point less a third each: 840 + 420 - 560."""
        orders = ((1, 2), (1, 2), (2, 1))
        tables = [played(1, at, (2 * at + 1, 2 * at + 2), order) for at, order in enumerate(orders)]
        assert rounded(adjusted(tables)) == {1: 700, 3: 700, 5: -140, 2: 140, 4: 140, 6: 980}

    def test_halves_go_up(self) -> None:
        assert rounded({1: Fraction(1, 2), 2: Fraction(-1, 2), 3: Fraction(7, 3)}) == {1: 1, 2: 0, 3: 2}

    def test_a_walkover_and_a_void_table_are_compared_with_nothing(self) -> None:
        walkover = TableSaved(
            round=1,
            number=3,
            seats=(5, 6),
            status=TableStatus.WALKOVER,
            results=(Seated(place=1), Seated(place=2, is_missing=True)),
        )
        void = TableSaved(round=1, number=4, seats=(7, 8), status=TableStatus.VOID)
        found = adjusted([played(1, 1, (1, 2), (1, 2)), played(1, 2, (3, 4), (2, 1)), walkover, void])
        assert found == {1: 840, 2: 0, 3: 0, 4: 840, 5: 840, 6: 0, 7: 0, 8: 0}
