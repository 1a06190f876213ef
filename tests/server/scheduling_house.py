"""A house in which tournaments are played: guests that answer every question at once, and plans for them."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace

from kille_net.wire import messages as m
from tests.server.house import Guest, House, options

__all__ = ["answer_all", "bots", "names", "news", "plan", "play_on"]


def plan(kind: m.TournamentKind = m.TournamentKind.SWISS, seats: int = 4, **others: Any) -> m.Plan:  # noqa: ANN401 -- the fields of a plan
    """The quickest tournament, unless told otherwise."""
    plain = m.Plan(
        kind=kind,
        options=replace(options(seats), clock=5, computers=others.pop("computers", 0)),
        rounds=0,
        through=1,
        most=64,
        number=0,
        start=0,
        check_in=0,
        late=0,
        call=30,
        pause=10,
        minutes=60,
        at_once=32,
        duplicate=False,
    )
    return replace(plain, **others)


def bots(house: House, number: int) -> list[Guest]:
    return [house.guest(f"Bot {k}", bot=True) for k in range(1, number + 1)]


def names(guests: Iterable[Guest]) -> list[str]:
    return [guest.name for guest in guests]


def news(guest: Guest, kind: m.Happening | None = None) -> list[m.TournamentNews]:
    return [one for one in guest.all(m.TournamentNews) if kind in {None, one.news}]


def answer_all(house: House, guests: Sequence[Guest]) -> bool:
    """Let all answer what they are asked; whether anybody was."""
    was = False
    for guest in guests:
        if not guest.player.is_here:
            continue
        for _, message in guest.heard[guest.news :]:
            if isinstance(message, m.Question):
                do = m.Do.STAND if message.legal & 1 else m.Do.REFUSE
                house.do(guest, partial(_decide, message.turn, do))
                was = True
        guest.new()
    return was


def _decide(turn: int, do: m.Do, number: int) -> m.Decide:
    return m.Decide(id=number, turn=turn, do=do)


def play_on(house: House, guests: Sequence[Guest], seconds: float, step: float = 0.5) -> None:
    """Let time pass, and all answer at once whatever they are asked."""
    until = house.now + seconds
    while house.now < until:
        while answer_all(house, guests):
            house.wait(0)
        house.wait(min(step, until - house.now))
