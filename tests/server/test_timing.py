"""The arithmetic on seconds, at its edges."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from kille_net.server.timing import Bucket, Recent, Stopwatch
from tests.catalogue.rows import row
from tests.deep import size

SECONDS = st.floats(0.0, 1e7)


class TestStopwatch:
    def test_shows_the_time_that_it_is_handed_until_it_is_stopped(self) -> None:
        watch = Stopwatch()
        assert watch.read(10.0) == 10.0
        assert watch.when(15.0) == 15.0

    def test_stands_still_and_loses_exactly_the_time_between(self) -> None:
        watch = Stopwatch()
        watch.stop(10.0)
        assert watch.is_stopped
        assert watch.read(99.0) == 10.0
        assert watch.when(15.0) is None
        watch.go(30.0)
        assert watch.read(31.0) == 11.0
        assert watch.when(15.0) == 35.0
        watch.stop(32.0)
        watch.go(42.0)
        assert watch.when(15.0) == 45.0

    def test_going_on_when_it_goes_changes_nothing(self) -> None:
        watch = Stopwatch()
        watch.go(10.0)
        assert watch.read(12.0) == 12.0

    @given(begin=SECONDS, stood=SECONDS, ahead=st.floats(0.0, 1e4))
    def test_who_comes_when_it_is_due_does_not_come_too_early(self, begin: float, stood: float, ahead: float) -> None:
        """However the sum is rounded: a table that is woken and finds nothing due would be woken again for ever."""
        watch = Stopwatch()
        watch.stop(begin)
        watch.go(begin + stood)
        due = begin + ahead
        at = watch.when(due)
        assert at is not None
        assert due <= watch.read(at) <= due + 1e-6

    def test_of_no_reading_there_is_no_time(self) -> None:
        assert Stopwatch().when(None) is None


class TestBucket:
    def test_lets_a_burst_through_and_then_its_rate(self) -> None:
        bucket = Bucket(10, 20)
        assert [bucket.take(0.0) for _ in range(21)] == [True] * 20 + [False]
        assert not bucket.take(0.05)
        assert bucket.take(0.1)
        assert not bucket.take(0.1)

    def test_counts_strikes_until_it_is_full_again(self) -> None:
        bucket = Bucket(10, 20)
        for _ in range(22):
            bucket.take(0.0)
        assert bucket.strikes == 2
        assert bucket.take(1.0)
        assert bucket.strikes == 2
        assert bucket.take(3.5)
        assert bucket.strikes == 0

    def test_a_strike_empties_it(self) -> None:
        bucket = Bucket(10, 20)
        for strikes in (1, 2, 3):
            bucket.strike(0.0)
            assert bucket.strikes == strikes
        assert not bucket.take(0.05)
        assert bucket.take(0.1)
        bucket.strike(3.0)
        assert bucket.strikes == 1, "it was full again"


@row(20)
class TestRecent:
    def test_bounds_the_number_within_any_such_time(self) -> None:
        recent = Recent(10, 1000, 10.0)
        assert all(recent.take(float(k) / 10, 1) for k in range(10))
        assert not recent.take(9.99, 1)
        assert recent.take(10.0, 1)
        assert not recent.take(10.05, 1)

    def test_is_a_count_of_all_that_was_taken_within_the_time(self) -> None:
        """Against a list of everything, also where a time is up to the eighth of a second."""
        chance = Random(20)
        for _ in range(size(100, 20_000)):
            recent, taken, now = Recent(10, 1000, 10.0), list[tuple[float, int]](), 0.0
            for _ in range(100):
                now += chance.randrange(24) / 8
                amount = chance.choice((1, 90, 200, 1000))
                within = [one for at, one in taken if now - at < 10.0]
                expected = len(within) < 10 and sum(within) + amount <= 1000
                assert recent.take(now, amount) is expected
                if expected:
                    taken.append((now, amount))

    def test_bounds_the_amount_and_counts_nothing_that_was_refused(self) -> None:
        recent = Recent(10, 1000, 10.0)
        assert recent.take(0.0, 990)
        assert not recent.take(1.0, 11)
        assert recent.take(1.0, 10)
        assert not recent.take(9.0, 1)
        assert recent.take(10.0, 990)
