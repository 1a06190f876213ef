"""Whatever the server waits for somebody to say, it waits so long and no longer, and goes on by itself.

The kinds are found by type: each command is somebody's own accord, or the answer to something; each question of a hand
is a phase; and each message that says how long it waits stands for one that is waited for here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Final, get_args

import pytest

from kille_net.game.actions import Phase
from kille_net.game.cards import Card
from kille_net.game.shuffle import Material, commit_nonce
from kille_net.server.drawing import PATIENCE
from kille_net.server.limits import Limits
from kille_net.wire import messages as m
from tests.server.house import Guest, House, Stacked, news, options, pack
from tests.server.scheduling.house import entered, persons, plan, say
from tests.server.scheduling.house import news as told

OWN_ACCORD: Final = frozenset(
    {
        *(m.ListRooms, m.Create, m.Join, m.Quick, m.Watch, m.Leave, m.Ready, m.Start, m.Pause, m.AddComputers),
        *(m.RemoveComputer, m.Kick, m.CallKuku, m.Say, m.ListTournaments, m.OpenTournament, m.SignUp, m.Withdraw),
        *(m.BeginTournament, m.CancelTournament, m.AskStandings, m.AskTables, m.Follow),
    }
)
"""Commands that nobody waits for."""
WAIT_FOR_NOBODY: Final = frozenset({m.Notice, m.ShuffleState})
"""Messages with a time that ask for nothing: of the server's own end, and what somebody who comes later is told."""
ASKS_NOBODY: Final = frozenset({Phase.DEAL, Phase.OVER})
CLOCK: Final = 10.0
REST: Final = 20.0


@dataclass(frozen=True, slots=True)
class Wait:
    """Somebody owes an answer, and says nothing."""

    house: House
    guests: list[Guest]
    seconds: float
    """After which it is not waited for any longer."""
    is_over: Callable[[], bool]


def count(guest: Guest, kind: type[m.Message]) -> int:
    return len(guest.all(kind))


def until_more(kind: type[m.Message], house: House, guests: list[Guest], seconds: float) -> Wait:
    """One that ends with a message of that kind."""
    before = count(guests[0], kind)
    return Wait(house, guests, seconds, lambda: count(guests[0], kind) > before)


# --- what is waited for -----------------------------------------------------------------------------------------------


def asked(phase: Phase) -> Wait:
    house = House(shuffle=lambda: Stacked([pack(Card.N1, Card.N6, Card.N12)], dealer=2))
    ada, bo, cilla = guests = house.match(options(3, clock=10), "Ada", "Bo", "Cilla")
    if phase is not Phase.TURN:
        house.act(ada, m.Do.ASK)
    if phase is Phase.MIDDLE:
        house.act(cilla, m.Do.DEPENDS)
    assert bo.last(m.Turn).phase.value == phase.value
    return until_more(m.Late, house, guests, CLOCK)


def rested() -> Wait:
    house = House(shuffle=lambda: Stacked([pack(Card.N10, Card.N5)], dealer=1))
    guests = house.match(options(2, rest=20_000), "Ada", "Bo")
    for guest in guests:
        house.act(guest, m.Do.STAND)
    return until_more(m.HandBegan, house, guests, REST)


def drawn() -> Wait:
    house = House(shuffle=lambda: Material(bytes(32), bytes(16)))
    return until_more(m.HandBegan, house, house.match(options(2), "Ada", "Bo"), PATIENCE)


def committed() -> Wait:
    wait = drawn()
    for seat, guest in enumerate(wait.guests):
        nonce = sha256(guest.name.encode()).digest()
        digest = commit_nonce(bytes(16), seat, nonce).hex()
        wait.house.do(guest, partial(_commit, digest))
    return until_more(m.ShuffleVoided, wait.house, wait.guests, PATIENCE)


def _commit(digest: str, number: int) -> m.CommitNonce:
    return m.CommitNonce(id=number, match=bytes(16).hex(), commit=digest)


def checked_in() -> Wait:
    house = House()
    guests = persons(house, 4)
    entered(house, plan(check_in=30), guests)
    return Wait(house, guests, 30.0, lambda: bool(told(guests[0], m.Happening.DROPPED_OUT)))


def gathered() -> Wait:
    house = House()
    guest = house.guest("Ada")
    house.quick(guest, seats=3)
    return until_more(m.HandBegan, house, [guest], Limits().quick)


def called() -> Wait:
    """To a table of a tournament, where the others are."""
    house = House()
    guests = persons(house, 2)
    entered(house, plan(seats=2, call=30), guests, begin=False)
    house.lose(guests[1])
    say(house, guests[0], m.BeginTournament)
    assert told(guests[0], m.Happening.CALLED)
    return Wait(house, guests, 30.0, lambda: bool(told(guests[0], m.Happening.TABLE_OVER)))


def absent() -> Wait:
    """The line was lost: until then what nobody answers is answered by the rules, and then by a computer."""
    house = House()
    ada, bo = guests = house.match(options(2), "Ada", "Bo")
    house.lose(bo)
    return Wait(house, guests, Limits().away, lambda: m.News.STAND_IN in map(news, ada.all(m.RoomChanged)))


ANSWERS: Final[Mapping[tuple[type[m.Message], Phase | None], Callable[[], Wait]]] = {
    **{(m.Decide, phase): partial(asked, phase) for phase in Phase if phase not in ASKS_NOBODY},
    (m.NextHand, None): rested,
    (m.CommitNonce, None): drawn,
    (m.RevealNonce, None): committed,
    (m.CheckIn, None): checked_in,
}
"""By the command that answers, and the phase that asks for it."""
PRESENCE: Final[Mapping[str, Callable[[], Wait]]] = {"gathered": gathered, "called": called, "absent": absent}
"""What is answered by being there."""


@pytest.mark.parametrize(
    "make",
    [*ANSWERS.values(), *PRESENCE.values()],
    ids=[*(f"{command.__name__} {phase.value if phase else ''}".strip() for command, phase in ANSWERS), *PRESENCE],
)
def test_it_is_waited_for_so_long_and_no_longer(make: Callable[[], Wait]) -> None:
    wait = make()
    wait.house.wait(wait.seconds - 0.001)
    assert not wait.is_over()
    wait.house.wait(0.001)
    assert wait.is_over()


def test_every_command_is_somebodys_own_accord_or_waited_for_here() -> None:
    waited_for = {command for command, _ in ANSWERS}
    assert set(get_args(m.Command)) == OWN_ACCORD | waited_for
    assert OWN_ACCORD.isdisjoint(waited_for)


def test_every_message_that_says_how_long_is_heard_here() -> None:
    timed = {kind for kind in get_args(m.ServerMessage) if "ms" in kind.__struct_fields__}
    waits = [make() for make in ANSWERS.values()]
    heard = {type(message) for wait in waits for guest in wait.guests for _, message in guest.heard}
    assert timed - heard == WAIT_FOR_NOBODY
