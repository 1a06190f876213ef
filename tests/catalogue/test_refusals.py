"""What a seat is refused, and why, is a function of what it knows.

It asks whatever it likes in two worlds that differ only in what is hidden from it.
"""

from collections.abc import Callable, Iterator
from random import Random

import pytest
from msgspec.structs import replace

from kille_net.game.cards import Card, Pack
from kille_net.game.views import observe
from kille_net.wire import encode
from kille_net.wire import messages as m
from kille_net.wire.states import COMMANDS
from tests.catalogue.rows import row
from tests.deep import size
from tests.server.house import House, Stacked, choices, options, plan
from tests.server.test_secrets import CALM, SHOWING, Blind, kind_of, other_world, shuffled

Make = Callable[[int], m.Command]


class Seat:
    """Seat 0 of a match against computers: what it was told, and what of that counts now."""

    def __init__(self, house: House, room: m.Options) -> None:
        self.house = house
        (self.guest,) = house.table(room, "P")
        self.told: list[tuple[float, m.ServerMessage]] = []
        self.turn = self.seq = 0
        self.question: m.Question | None = None
        self.is_over = False
        house.start(self.guest)
        self.listen()

    def listen(self) -> None:
        """Take note of what came; the guest forgets it, since it searches all that it has heard."""
        for _, message in self.guest.heard:
            match message:
                case m.Turn():
                    self.turn, self.question = message.turn, None
                case m.Question():
                    self.question = message
                case m.Showdown():
                    self.is_over = True
            if isinstance(message, m.Event):
                self.seq = message.seq
        self.told += self.guest.heard
        self.guest.heard.clear()

    def refused(self, make: Make) -> None:
        answer = self.house.do(self.guest, make)
        assert isinstance(answer, m.Refused), answer
        self.listen()


def probes(seat: Seat) -> Iterator[Make]:
    """All that cannot be done now."""
    turn, question = seat.turn, seat.question
    legal = [] if question is None else choices(question)
    for number in (turn - 1, turn, turn + 1):
        for do in m.DECISIONS:
            if question is None or number != turn or do not in legal:
                yield lambda k, number=number, do=do: m.Decide(id=k, turn=max(number, 0), do=do)  # type: ignore[misc]  # bound at once
    running = seat.house.lobby._rooms._of[seat.guest.player].play.match
    assert running is not None
    for seq in (0, seat.seq, seat.seq + 5):
        if seq != seat.seq or observe(running.match, 0).cards[0] is not Card.KUKU:
            yield lambda k, seq=seq: m.CallKuku(id=k, seq=seq)  # type: ignore[misc]  # bound at once
    yield lambda k: m.Join(id=k, room="Room", password=None)
    yield lambda k: m.Quick(id=k, seats=None, format=None, length=None)
    yield lambda k: m.Watch(id=k, room="Room", password=None)
    yield lambda k: m.Create(id=k, room="Other", options=options(2), password=None)
    yield lambda k: m.Ready(id=k, ready=True)
    yield lambda k: m.Start(id=k)
    yield lambda k: m.NextHand(id=k, hand=1)
    yield lambda k: m.OpenTournament(id=k, tournament="Cup", plan=replace(plan(), options=options(2)))
    yield lambda k: m.SignUp(id=k, tournament="Cup")
    yield lambda k: m.Withdraw(id=k)
    yield lambda k: m.CheckIn(id=k)
    yield lambda k: m.BeginTournament(id=k, tournament="Cup")
    yield lambda k: m.CancelTournament(id=k, tournament="Cup")
    yield lambda k: m.AskStandings(id=k, tournament="Cup", page=0)
    yield lambda k: m.AskTables(id=k, tournament="Cup", round=0, page=0)
    yield lambda k: m.Follow(id=k, tournament="Cup", on=True)
    yield lambda k: m.AddComputers(id=k, count=1, level=m.Level.EASY)
    for number in range(8):
        yield lambda k, number=number: m.RemoveComputer(id=k, seat=number)  # type: ignore[misc]  # bound at once
        yield lambda k, number=number: m.Kick(id=k, seat=number)  # type: ignore[misc]  # bound at once


def run(seed: str, pack: Pack, seats: int, kind: m.Format) -> tuple[list[tuple[float, m.ServerMessage]], int]:
    """Play one hand, and probe whenever something has happened; what seat 0 was told, and in how many states."""
    numbers = Random(seed)
    house = House(
        shuffle=lambda: Stacked([pack, CALM], seats - 1),
        computer=lambda _: Blind(f"{seed}{numbers.random()}"),
        chance=Random(seed + "pace").random,
    )
    room = options(seats, computers=seats - 1, kind=kind, clock=20, window=1500, pace=900, rest=60_000)
    seat = Seat(house, room)
    states = 0
    for _ in range(80):
        if seat.is_over:
            break
        if seat.turn:
            states += 1
            for make in list(probes(seat)):
                seat.refused(make)
        chosen = numbers.random()
        if seat.question is not None and chosen < 0.5:
            legal = [do for do in choices(seat.question) if do is not m.Do.KUKU]
            house.act(seat.guest, legal[int(2 * chosen * len(legal))], seat.turn)
        house.step()
        seat.listen()
    assert not house.faults
    return seat.told, states


@row(31)
@pytest.mark.parametrize("kind", m.Format)
@pytest.mark.parametrize("seats", [2, 4, 7])
def test_a_refusal_tells_of_nothing_hidden(kind: m.Format, seats: int) -> None:
    random = Random(f"refusals{seats}{kind}")
    compared = states = 0
    for number in range(size(4, 2_000)):
        pack = shuffled(random)
        seed = f"{seats}{kind}{number}"
        first, visited = run(seed, pack, seats, kind)
        second, _ = run(seed, other_world(pack, seats, 0, 0, random), seats, kind)
        states += visited
        for one, other in zip(first, second, strict=False):
            if one != other:
                assert one[0] == other[0], "at the same time"
                kinds = {kind_of(encode(one[1])), kind_of(encode(other[1]))}
                assert kinds & SHOWING, kinds
                break
            compared += isinstance(one[1], m.Refused)
    assert compared > 100
    assert states > 6


def test_every_command_is_tried() -> None:
    """But for those that would do something here, or need what is asked of all seats before the match."""
    house = House(shuffle=lambda: Stacked([CALM], 1))
    seat = Seat(house, options(2, computers=1))
    while not seat.turn:
        house.step()
        seat.listen()
    tried = {type(make(1)) for make in probes(seat)}
    assert set(COMMANDS) - tried == {
        *(m.ListRooms, m.ListTournaments, m.Leave, m.Pause, m.Say, m.CommitNonce, m.RevealNonce)
    }
