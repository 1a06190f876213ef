"""That what one action or command costs does not grow: with tables, people, who looks on elsewhere, how long a match
goes on, and what was played before.

Counted is work, not time: lines of Python that are run (a loop over all there is runs more of them), effects and those
whom they reach, and steps of SQLite's machine. So each is the same number in a small world and in a large one.
"""

import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import fmean, median
from types import FrameType
from typing import Any

import pytest
import trio
from msgspec.structs import replace
from trio.testing import MockClock

from kille_net.server import saving
from kille_net.server.absent import Absent
from kille_net.server.answers import KEPT
from kille_net.server.effects import Effect, Save, Tell
from kille_net.server.limits import Limits
from kille_net.server.people import Player
from kille_net.server.sources import Sources
from kille_net.server.store import Store
from kille_net.wire import messages as m
from tests.deep import size
from tests.server.house import Guest, House, drawn_tickets, easy, options, seeded
from tests.server.streams import Client, hall

NAMES = ("Ada", "Bo", "Cilla", "Doris")
FOUR = options(4, pots=3)
MANY = Limits(rooms=100_000, connections=100_000)
EIGHT = replace(options(8, pots=20), length=m.Length.LONG)
"""Goes on for long."""
FEW, LOTS = 30, 150
"""Tables besides: more than pages of the list have, and five times as many."""


class Lines:
    """How many were run, of ours."""

    def __init__(self) -> None:
        self.count = 0


@contextmanager
def counting() -> Iterator[Lines]:
    lines, before = Lines(), sys.gettrace()

    def trace(frame: FrameType, event: str, _: Any) -> Any:  # noqa: ANN401  as `sys` has it
        if "kille_net" not in frame.f_code.co_filename:
            return None
        lines.count += event == "line"
        return trace

    sys.settrace(trace)
    try:
        yield lines
    finally:
        sys.settrace(before)


ACTIONS = size(600, 1_500)
"""Of a long match."""

Cost = tuple[int, int, int]
"""Lines, effects, and players who are told something."""


def asked_of(guests: Sequence[Guest]) -> tuple[Guest, m.Question]:
    """Who has been asked last, and what."""
    last = [(last_of(guest), guest) for guest in guests]
    question, guest = max(((q, guest) for q, guest in last if q is not None), key=lambda one: one[0].turn)
    return guest, question


def last_of(guest: Guest) -> m.Question | None:
    return next((message for _, message in reversed(guest.heard) if isinstance(message, m.Question)), None)


def stand(question: m.Question) -> m.Do:
    return m.Do.STAND if question.view.phase is m.Phase.TURN else m.Do.REFUSE


class World(House):
    """One table of four that plays, one at which some wait, and of others so many with people that they have chosen,
    and of those whom the server has seated, all playing; those who look on, who do nothing and who have been here."""

    def __init__(self, others: int, *, limits: Limits = MANY) -> None:
        super().__init__(limits=limits)
        self.four = self.match(FOUR, *NAMES)
        self.quick(self.guest("Waits"), seats=5)
        for number in range(others):
            seated = [self.guest(f"Seat {number} {seat}") for seat in range(4)]
            self.create(seated[0], FOUR, f"Table {number}")
            for guest in seated[1:]:
                self.join(guest, f"Table {number}")
            self.watch(self.guest(f"Watch {number}"), f"Table {number}")
            self.start(seated[0])
            for side in "ab":
                self.quick(self.guest(f"Quick {number} {side}"), seats=2)
            self.guest(f"Idle {number}")
            self.lose(self.guest(f"Away {number}"))

    def cost(self, step: Callable[[], list[Effect]]) -> Cost:
        with counting() as lines:
            effects = step()
            self.lobby.deadline()
        self.carry(effects)
        told = sum(len(effect.players) for effect in effects if isinstance(effect, Tell))
        return lines.count, len(effects), told

    def cost_of(self, guest: Guest, make: Callable[[int], m.Command]) -> Cost:
        self.last_id = next(self._ids)
        command = make(self.last_id)
        return self.cost(lambda: self.lobby.command(guest.player, command, self.now))

    def eight(self, room: str) -> list[Guest]:
        """They begin a long match."""
        guests = [self.guest(f"{room} {seat}") for seat in range(8)]
        self.create(guests[0], EIGHT, room)
        for guest in guests[1:]:
            self.join(guest, room)
        self.start(guests[0])
        return guests

    def answer(self) -> Cost:
        asked, question = asked_of(self.four)
        return self.cost_of(asked, lambda k: m.Decide(id=k, turn=question.turn, do=stand(question)))


def test_an_action_costs_the_same_however_much_goes_on_elsewhere() -> None:
    few, many = World(FEW), World(LOTS)
    costs = [few.answer() for _ in range(40)]
    assert costs == [many.answer() for _ in range(40)]
    assert len({guest.last(m.HandBegan).hand for guest in few.four}) == 1
    assert few.four[0].last(m.HandBegan).hand > 5, "whole hands were played"


def newcomer(make: Callable[[int], m.Command]) -> Callable[[World], Cost]:
    return lambda world: world.cost_of(world.guest("Newcomer"), make)


def seated(make: Callable[[int], m.Command]) -> Callable[[World], Cost]:
    return lambda world: world.cost_of(world.four[1], make)


COMMANDS: dict[str, Callable[[World], Cost]] = {
    "list": lambda world: newcomer(lambda k: m.ListRooms(id=k, page=len(world.lobby.rooms) // 10 - 1))(world),
    "create": newcomer(lambda k: m.Create(id=k, room="Elsewhere", options=FOUR, password=None)),
    "join": newcomer(lambda k: m.Join(id=k, room="Nowhere", password=None)),
    "watch": newcomer(lambda k: m.Watch(id=k, room="Room", password=None)),
    "tournaments": newcomer(lambda k: m.ListTournaments(id=k, page=0)),
    "quick, where others wait": newcomer(lambda k: m.Quick(id=k, seats=5, format=None, length=None)),
    "quick, at a new table": newcomer(lambda k: m.Quick(id=k, seats=8, format=None, length=None)),
    "say": seated(lambda k: m.Say(id=k, text="Skål")),
    "pause": seated(lambda k: m.Pause(id=k, paused=True)),
    "leave": seated(lambda k: m.Leave(id=k)),
    "enter": lambda world: world.cost(lambda: world.lobby.give_ticket(world.lobby.enter("New", is_bot=False))[1]),
    "lose": lambda world: world.cost(lambda: world.lobby.lose(world.four[1].player, world.now)),
    "come back": lambda world: world.cost(lambda: world.lobby.come_back(world.four[1].player, world.now)),
    "come back from away": lambda world: world.cost(
        lambda: world.lobby.come_back(next(p for p in world.guests if p.name == "Away 3"), world.now)
    ),
    "time": lambda world: world.cost(lambda: world.lobby.tick(world.now)),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_costs_the_same_however_much_goes_on_elsewhere(name: str) -> None:
    assert COMMANDS[name](World(FEW)) == COMMANDS[name](World(LOTS))


def at_new_table(world: World, name: str, seats: int, table: str) -> Cost:
    guest = world.guest(name)
    cost = world.cost_of(guest, lambda k: m.Quick(id=k, seats=seats, format=None, length=None))
    assert guest.last(m.Snapshot).room.name == table
    return cost


def test_the_names_of_tables_of_the_server_are_found_at_once() -> None:
    """However many of them there are, and also the name of one that was given back."""

    def costs(tables: int) -> list[Cost]:
        world = World(0)
        hosts = [world.guest(f"Host {number:03}") for number in range(tables)]
        for host in hosts:
            assert world.quick(host, seats=4) is None
            world.wait(20.0)  # and the match begins, so that nobody else is seated there
        world.leave(hosts[1])
        return [
            at_new_table(world, "Somebody", 4, "Krogen 3"),
            at_new_table(world, "Everyone", 5, f"Krogen {tables + 2}"),
        ]

    assert costs(8) == costs(80)


def test_the_next_of_those_who_are_away_is_found_at_once() -> None:
    """Also when many before have come back: that is looked up after every action."""

    def seconds(come_back: int) -> float:
        """The least of some: whoever takes the processor away only adds to it."""
        absent = Absent(come_back)
        away = [Player(number, "", is_bot=False) for number in range(come_back + 1)]
        for player in away:
            absent.add(player, 1.0)
        for player in away[:-1]:
            absent.drop(player)
        return min(_timed(lambda: [absent.until for _ in range(100)]) for _ in range(20))

    assert seconds(20_000) < 10 * seconds(10)


def _timed(step: Callable[[], object]) -> float:
    began = time.process_time()
    step()
    return time.process_time() - began


def test_an_action_costs_the_same_however_long_a_match_goes_on() -> None:
    world = World(0)
    world.four = world.eight("Long")
    costs = [world.answer() for _ in range(ACTIONS)]
    assert not world.four[0].all(m.MatchEnded)
    least = min(effects for _, effects, _ in costs)
    early, late = ends([lines for lines, effects, _ in costs if effects == least])
    assert median(late) <= median(early) * 1.02


def ends(costs: list[int]) -> tuple[list[int], list[int]]:
    third = len(costs) // 3
    return costs[:third], costs[-third:]


async def test_what_sessions_do_for_an_action_is_the_same_however_many_there_are(mock_clock: MockClock) -> None:
    """From the bytes that come to those that go out: no time passes, so nobody is pinged."""

    async def lines(others: int) -> list[int]:
        sources = Sources(shuffle=seeded(), chance=lambda: 0.5, computer=easy, ticket=drawn_tickets())
        async with hall(MANY, sources) as town:

            async def table(room: str) -> list[Client]:
                four = [await town.guest(f"{room} {seat}", bot=True) for seat in range(4)]
                await four[0].ask(lambda k: m.Create(id=k, room=room, options=FOUR, password=None))
                for client in four[1:]:
                    await client.ask(lambda k: m.Join(id=k, room=room, password=None))
                await (await town.guest(f"{room} w")).ask(lambda k: m.Watch(id=k, room=room, password=None))
                for client in four:
                    await client.ask(lambda k: m.Ready(id=k, ready=True))
                return four

            four = await table("Table")
            for number in range(others):
                await table(f"Other {number}")
                await town.guest(f"Idle {number}")
            counts = []
            for _ in range(3):
                turns = [await client.until(m.Turn) for client in four]
                asked = four[turns[0].seat]
                with counting() as counted:
                    await asked.send(m.Decide(id=1_000 + turns[0].turn, turn=turns[0].turn, do=m.Do.STAND))
                    for client in four:
                        await client.until(m.Stood)
                    await trio.testing.wait_all_tasks_blocked()
                counts.append(counted.count)
            return counts

    assert await lines(1) == await lines(20)


# --- the store --------------------------------------------------------------------------------------------------------


def fill(folder: Path, matches: int) -> None:
    """With what so many matches leave behind that Ada and her friends played at that table, and some tournaments."""
    with closing(Store(folder)) as store:
        db = store._db
        db.execute("BEGIN")
        db.execute(
            "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?)"
            " INSERT INTO match (id, room, room_name, format, began, ended, hands, header, secret, record, recorded)"
            " SELECT randomblob(16), 'room', 'Room', 'pots', n, n + 1, 9, '', x'', ?, n % 2 FROM n",
            (matches, zlib.compress(b"")),
        )
        db.execute(
            "INSERT INTO seat (match, seat, name, key, player, is_bot, level, points, place)"
            " SELECT n, key, value, lower(value), key + 1, 0, '', 1, 1 FROM match, json_each('[\"Ada\",\"Bo\"]')"
        )
        db.execute("INSERT INTO tournament (name, key, stage, state) SELECT 'T', 't', 'over', x'' FROM match LIMIT 500")
        db.execute("INSERT INTO round SELECT id, 1, x'' FROM tournament")
        db.execute("INSERT INTO sitting (tournament, round, number, state) SELECT id, 1, 1, x'' FROM tournament")
        db.execute("COMMIT")


class Kept(House):
    """Counts the steps of SQLite's machine that each step of the lobby's takes."""

    def __init__(self, folder: Path) -> None:
        super().__init__(data=folder)
        self.steps: list[tuple[tuple[str, ...], int]] = []
        """What was kept, and how many it took."""

    def carry(self, effects: Any) -> None:  # noqa: ANN401  as the house takes them
        effects = list(effects)
        with self.counted([type(effect.change).__name__ for effect in effects if isinstance(effect, Save)]):
            super().carry(effects)

    @contextmanager
    def counted(self, kinds: Iterable[str]) -> Iterator[None]:
        assert self.store is not None
        count = 0

        def one() -> int:
            nonlocal count
            count += 1
            return 0

        self.store._db.set_progress_handler(one, 1)
        try:
            yield
        finally:
            self.store._db.set_progress_handler(None, 1)
            self.steps.append((tuple(kinds), count))


OTHERS = (
    saving.SecretDrawn(bytes(16), bytes(32)),
    saving.MatchesOpened((bytes(16),)),
    saving.RecordWritten(bytes(16)),
    saving.Banned("Bo"),
    saving.Unbanned("Bo"),
)
"""Changes that no match makes."""
OF_TOURNAMENTS = {"TournamentKept", "RoundKept", "TableKept"}
"""Rows of their own, found by their keys."""


def evening(folder: Path, matches: int) -> Kept:
    """Two matches at a table, which then closes."""
    fill(folder, matches)
    house = Kept(folder)
    ada, bo = house.match(options(2), "Ada", "Bo")
    for again in (True, False):
        house.play([ada, bo], stand)
        if again:
            house.start(ada)
    for guest in (ada, bo):
        house.leave(guest)
        house.carry(house.lobby.expel(guest.player, house.now))
    house.carry([Save(change) for change in OTHERS])
    assert house.store is not None
    with house.counted(["unrecorded"]):
        house.store.unrecorded()
    house.store.close()
    return house


def test_keeping_costs_the_same_however_much_was_played_before(tmp_path: Path) -> None:
    few, many = evening(tmp_path / "few", 100), evening(tmp_path / "many", size(5_000, 100_000))
    assert few.steps == many.steps
    kinds = {kind for kinds, _ in few.steps for kind in kinds}
    assert kinds >= {kind.__name__ for kind in saving.Change.__args__} - OF_TOURNAMENTS


def test_keeping_an_action_costs_the_same_however_long_a_match_goes_on(tmp_path: Path) -> None:
    house = Kept(tmp_path)
    eight = house.match(EIGHT, *(f"Guest {number}" for number in range(8)))
    for number in range(8 * KEPT + ACTIONS):
        if number == 8 * KEPT:  # from now on, of each player's answers only some are kept
            house.steps.clear()
        asked, question = asked_of(eight)
        house.act(asked, stand(question), question.turn)
    assert not eight[0].all(m.MatchEnded)
    ((kinds, _),) = Counter(kinds for kinds, _ in house.steps).most_common(1)
    early, late = ends([count for of, count in house.steps if of == kinds])
    assert median(late) == median(early)
    assert fmean(late) <= 1.25 * fmean(early), "now and then old answers go, many together"
