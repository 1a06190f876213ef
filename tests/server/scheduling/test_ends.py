"""Nothing hangs: whoever is lost for good, and whenever, every tournament ends, and nothing is left of it."""

from random import Random
from typing import Any, Final

import pytest

from kille_net.server.limits import Limits
from kille_net.server.tournament.scoring import OVER
from kille_net.wire import messages as m
from tests.deep import size
from tests.server.house import Guest, House
from tests.server.scheduling.house import answer_all, back, bots, bound, entered, persons, plan, say

KIND = m.TournamentKind
STAGE = m.TournamentStage
RUNS: Final = size(25, 2_000)
DAYS_30: Final = 30 * 86_400.0


def _plan(dice: Random, kind: m.TournamentKind) -> m.Plan:
    seats = dice.randint(2, 5)
    fields: dict[str, Any] = {
        "minutes": dice.randint(1, 3),
        "call": dice.choice([5, 30]),
        "pause": dice.choice([0, 10]),
        "at_once": dice.choice([1, 2, 32]),
        "computers": dice.choice([0, 0, 1, 3]),
        "rounds": dice.choice([0, 1, 3]),
    }
    if kind is KIND.KNOCK_OUT:
        fields["through"] = dice.randint(1, max(1, seats // 2))
    if kind is KIND.SWISS:
        fields["late"] = dice.choice([0, 2])
    if kind is not KIND.LADDER:
        fields["check_in"] = dice.choice([0, 0, 20])
        fields["start"] = dice.choice([0, 40])
    if kind in {KIND.SWISS, KIND.ROUND_ROBIN}:
        fields["duplicate"] = dice.random() < 0.3
    return plan(kind, seats, **fields)


def _lose(house: House, guest: Guest, dice: Random) -> None:
    how = dice.randrange(5)
    if how == 0 and house.lobby.room_of(guest.player) is not None:
        house.leave(guest)
        house.lose(guest)
    elif how == 1:
        house.carry(house.lobby.expel(guest.player, house.now))
        guest.player.is_here = False
    elif how == 2 and house.lobby.calendar.of(guest.player) is not None:
        assert say(house, guest, m.Withdraw) is None
        house.lose(guest)
    else:
        house.lose(guest, is_done=how == 3)


def _entrants(house: House, of: m.Plan, dice: Random) -> list[Guest]:
    number = dice.randint(2, 9)
    people = 0 if of.duplicate else dice.randint(0, number)
    guests = [*bots(house, number - people), *persons(house, people)]
    dice.shuffle(guests)
    return guests


def end(seed: str, kind: m.TournamentKind) -> None:
    dice = Random(seed)
    of = _plan(dice, kind)
    house = House(limits=Limits(tables=dice.choice([1, 2, 64])))
    guests = _entrants(house, of, dice)
    tournament = entered(house, of, guests, begin=not of.start)
    moments = sorted(dice.randrange(dice.choice([5, 40, 300])) for _ in range(dice.randint(1, 3)))
    step = 0
    while tournament.is_running and moments:
        if tournament.stage is STAGE.CHECK_IN:
            for guest in guests:
                if guest.player.is_here and house.lobby.calendar.of(guest.player) is tournament:
                    say(house, guest, m.CheckIn)
        while moments and moments[0] <= step:
            moments.pop(0)
            for guest in guests:
                if guest.player.is_here and (not moments or dice.random() < 0.5):
                    _lose(house, guest, dice)
        if not answer_all(house, guests):
            house.step()
        step += 1
    lost_at = house.now
    most = bound(house, of)
    while tournament.is_running:
        house.step()
        assert house.now - lost_at < most, (seed, tournament.stage, of)
    assert not house.faults, seed
    assert house.lobby.calendar.deadline() is None, seed
    assert tournament.deadline() is None, seed
    assert not house.lobby.rooms, seed
    assert not house.lobby._rooms._of, seed
    assert not house.lobby.calendar._of, seed
    house.wait(DAYS_30 + 200)
    assert {player for player in house.lobby.players if not player.is_here} == set(), seed
    assert house.lobby.deadline() is None, seed


class TestWhoeverIsLost:
    @pytest.mark.parametrize("kind", KIND)
    def test_it_ends(self, kind: m.TournamentKind) -> None:
        for run in range(RUNS):
            end(f"{kind} {run}", kind)

    @pytest.mark.parametrize("is_back", [False, True])
    @pytest.mark.parametrize("kind", KIND)
    def test_it_ends_at_whichever_step_that_is(self, kind: m.TournamentKind, *, is_back: bool) -> None:
        """One after the other of all steps of a small one; the others play on, and whoever was lost may come back."""
        rounds = 0 if kind is KIND.KNOCK_OUT else 2
        whole = _steps(kind, rounds, None, is_back=is_back)
        for moment in range(whole):
            _steps(kind, rounds, moment, is_back=is_back)


def _steps(kind: m.TournamentKind, rounds: int, lost_at: int | None, *, is_back: bool) -> int:
    """How many steps it has; who is lost at that one comes back, if at all, when nothing more happens at once."""
    house = House(limits=Limits(away=10))
    guests = bots(house, 4)
    of = plan(kind, 2, rounds=rounds, minutes=1)
    tournament = entered(house, of, guests)
    step, most = 0, house.now + bound(house, of)
    while tournament.is_running:
        if step == lost_at:
            house.lose(guests[1])
        if not answer_all(house, guests):
            if is_back:
                back(house, guests)
            house.step()
        step += 1
        assert house.now < most, (kind, lost_at)
    assert tournament.stage is STAGE.OVER, (kind, lost_at)
    assert {table.status for table in tournament.book.tables} <= OVER, (kind, lost_at)
    assert not house.faults, (kind, lost_at)
    assert not house.lobby.rooms, (kind, lost_at)
    return step
