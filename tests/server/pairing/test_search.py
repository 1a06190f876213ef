"""The search for starters finds what the table of them holds."""

import pytest

from kille_net.server.pairing import round_robin as pairing
from kille_net.server.pairing.starters import LETTERS, STARTERS
from tests.server.pairing.search import entry, needed
from tests.server.pairing.test_round_robin import (
    allowed,
    check_all_play_alike_after_every_round,
    check_everyone_is_in_each_round_once,
    difference,
    met,
    names,
)

STEPS = 20_000


@pytest.mark.parametrize(
    ("players", "seats"),
    [
        *((9, 3), (16, 4), (25, 5), (64, 8)),  # planes
        *((13, 6), (25, 8)),  # cosets
        (15, 7),  # a skew matrix
        *((7, 5), (12, 8)),  # one table
        *((7, 3), (13, 4), (21, 6), (26, 4), (17, 5)),  # by search
    ],
)
def test_what_it_finds_is_as_even_as_can_be(players: int, seats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = entry(players, seats, STEPS)
    assert found is not None
    order, starters = found
    letters = tuple("".join(LETTERS[player] for player in starter) for starter in starters)
    monkeypatch.setattr(pairing, "STARTERS", {(players, seats): (order, letters)})
    rounds = pairing.round_robin(names(players), seats)
    assert len(rounds) == order * len(starters)
    check_everyone_is_in_each_round_once(rounds, players, seats)
    check_all_play_alike_after_every_round(rounds, players)
    meetings = met(rounds, players)
    assert difference(meetings) == allowed(meetings.total(), len(meetings))


def test_the_table_holds_what_is_needed_and_little_more() -> None:
    wanted = {(players, seats) for players in range(3, 65) for seats in range(3, 9) if needed(players, seats)}
    assert wanted - set(STARTERS) <= {(64, 5)}
    assert {(players + 1) % seats for players, seats in set(STARTERS) - wanted} <= {0}
