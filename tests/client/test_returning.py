"""When a client comes back by itself, and after how long."""

import pytest

from kille_net.client.returning import Backoff, is_passing
from kille_net.client.session import BadServer, Lost, NoServer, ServerBye
from kille_net.wire.connection import bye
from kille_net.wire.messages import ByeCode


def test_it_waits_twice_as_long_each_time_up_to_ten_seconds() -> None:
    backoff = Backoff(lambda: 0.0)
    assert [backoff.next() for _ in range(7)] == [0.5, 1.0, 2.0, 4.0, 8.0, 10.0, 10.0]
    assert backoff.attempts == 7
    backoff.attempts = 0
    assert backoff.next() == 0.5
    backoff.attempts = 10**6
    assert backoff.next() == 10.0


def test_chance_takes_off_up_to_a_half() -> None:
    assert Backoff(lambda: 0.5).next() == 0.375
    assert Backoff(lambda: 1.0).next() == 0.25


@pytest.mark.parametrize("code", [*ByeCode])
def test_a_goodbye_is_an_end_unless_it_passes(code: ByeCode) -> None:
    """§4.5: above all `replaced`, `bad_ticket` and `banned`."""
    assert is_passing(ServerBye(bye(code))) == (code in {ByeCode.BUSY, ByeCode.SILENT, ByeCode.TOO_SLOW})


def test_a_lost_line_passes_and_a_broken_server_does_not() -> None:
    assert is_passing(Lost())
    assert is_passing(Lost(is_silent=True))
    assert is_passing(NoServer())
    assert not is_passing(BadServer(ByeCode.BAD_FIELD, ""))
