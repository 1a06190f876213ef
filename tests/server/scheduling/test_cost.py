"""What a tournament costs: a long one no more, step by step, than a short one."""

from collections.abc import Callable
from random import Random
from time import process_time
from typing import Any, Final

import pytest
from msgspec.structs import replace

from kille_net.server.scheduling.calendar import Calendar
from kille_net.server.scheduling.tournament import Tournament
from kille_net.server.tournament.saved import Seated
from kille_net.server.tournament.standings import standings
from kille_net.wire import messages as m
from tests.server.house import House
from tests.server.scheduling.house import bots, entered, plan, play_on, run

KIND = m.TournamentKind
PLAYED: Final = 3_000
MOST: Final = 0.005
"""Seconds of a step; half of all must be below it, so that a busy machine fails nothing."""


def play_before(house: House, tournament: Tournament, number: int) -> None:
    """Let a ladder have had so many tables."""
    dice = Random(1)
    for _ in range(number):
        seats = tuple(dice.sample([one.number for one in tournament.entrants], 4))
        round_ = tournament.book.open_round([seats], (), "")
        table = tournament.book.find(round_.number, 1)
        results = tuple(Seated(place=place) for place in (1, 2, 3, 4))
        table = replace(table, status=m.TableStatus.PLAYED, match="00" * 16, results=results)
        tournament.book.put(table)
        tournament.book.end_round(round_.number)
        assert tournament._play._ladder is not None
        tournament._play._ladder.note(table)
    tournament.take()
    assert house.lobby.calendar.tournaments == (tournament,)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[float]]:
    """How long the steps of a calendar took, by what they are."""
    took: dict[str, list[float]] = {"tick": [], "table_over": []}

    def time(name: str) -> Callable[..., Any]:
        method = getattr(Calendar, name)

        def timed(*given: Any) -> Any:  # noqa: ANN401 -- as the method has it
            began = process_time()
            done = method(*given)
            took[name].append(process_time() - began)
            return done

        return timed

    for name in took:
        monkeypatch.setattr(Calendar, name, time(name))
    return took


def test_a_long_ladder_costs_little_a_step(steps: dict[str, list[float]]) -> None:
    house = House()
    guests = bots(house, 32)
    tournament = entered(house, plan(KIND.LADDER, 4, pause=5), guests)
    play_before(house, tournament, PLAYED)
    play_on(house, guests, 30)
    assert len(tournament.book.rounds) > PLAYED + 20
    for name, took in steps.items():
        assert len(took) > 10
        assert sorted(took)[len(took) // 2] < MOST, name


def test_standings_are_worked_out_once_for_all_who_ask() -> None:
    house = House()
    guests = bots(house, 4)
    tournament = entered(house, plan(KIND.LADDER, 4, pause=5), guests)
    play_before(house, tournament, 10)
    assert tournament.standings() is tournament.standings()
    before = tournament.standings()
    play_on(house, guests, 60)
    assert tournament.standings() != before


def test_how_all_stand_costs_little_after_many_tables() -> None:
    house = House()
    tournament = entered(house, plan(KIND.LADDER, 4, pause=5), bots(house, 32))
    play_before(house, tournament, PLAYED)
    took = []
    for _ in range(11):
        tournament._standings = None
        began = process_time()
        tournament.standings()
        took.append(process_time() - began)
    assert sorted(took)[len(took) // 2] < MOST
    assert tournament.standings() == standings(tournament.saved()), "as it is from the tables alone"


def test_64_at_tables_of_four_take_seconds() -> None:
    house = House()
    guests = bots(house, 64)
    entered(house, plan(KIND.ROUND_ROBIN, 4, rounds=3), guests)
    began = process_time()
    run(house, guests)
    assert process_time() - began < 30
