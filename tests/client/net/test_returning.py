"""When a client comes back by itself, after how long, and when it gives up."""

import pytest

from kille_net.client.net.returning import PATIENCE, Search, is_passing
from kille_net.client.net.session import BadServer, Lost, NoServer, ServerBye
from kille_net.wire.connection import bye
from kille_net.wire.messages import ByeCode

PASSING = {ByeCode.BUSY, ByeCode.SILENT, ByeCode.TOO_SLOW, ByeCode.SHUTTING_DOWN, ByeCode.INTERNAL}


def test_it_waits_twice_as_long_each_time_up_to_ten_seconds() -> None:
    search = Search(lambda: 0.0)
    assert [search.next(0.0) for _ in range(7)] == [0.5, 1.0, 2.0, 4.0, 8.0, 10.0, 10.0]
    assert search.attempts == 7
    search.attempts = 10**6
    assert search.next(0.0) == 10.0


def test_chance_takes_off_up_to_a_half() -> None:
    assert Search(lambda: 0.5).next(0.0) == 0.375
    assert Search(lambda: 1.0).next(0.0) == 0.25


def test_it_gives_up_after_a_while() -> None:
    search = Search(lambda: 0.0)
    assert search.next(7.0) is not None
    assert search.next(7.0 + PATIENCE) is not None
    assert search.next(7.1 + PATIENCE) is None


def test_a_line_that_holds_ends_the_search_and_one_that_does_not_is_part_of_it() -> None:
    search = Search(lambda: 0.0)
    for now in range(5):
        search.next(now)
    search.found(5.0)
    assert search.next(6.0) == 10.0
    assert search.attempts == 6
    search.found(28.0)
    assert search.next(30.0) == 0.5
    assert search.attempts == 1
    assert search.next(30.0 + PATIENCE) is not None


@pytest.mark.parametrize("code", [*ByeCode])
def test_a_goodbye_is_an_end_unless_it_passes(code: ByeCode) -> None:
    """§4.5: above all `replaced`, `bad_ticket` and `banned`."""
    assert is_passing(ServerBye(bye(code))) == (code in PASSING)


def test_a_lost_line_passes_and_a_broken_server_does_not() -> None:
    assert is_passing(Lost())
    assert is_passing(Lost(is_silent=True))
    assert is_passing(NoServer())
    assert not is_passing(BadServer(ByeCode.BAD_FIELD, ""))
