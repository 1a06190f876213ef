"""One server, its clients and a bad network, for as long as it takes on a clock of their own; all chance from one seed.

Owns who comes when, what goes wrong when, and when it is over. What must hold is the oracles'.
"""

import logging
import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

import pytest
import trio
import trio.testing

from kille_net.client import bot as bot_module
from kille_net.client import conversation as conversation_module
from kille_net.client.net.session import NoServer
from kille_net.server.limits import Limits
from kille_net.server.serve import Config, Server
from kille_net.wire import messages as m
from tests.simulation.disk import Disk
from tests.simulation.oracles import Ledger, Trace, Witness
from tests.simulation.people import BotPlayer, Guest, Person, Raw, Stranger
from tests.simulation.pipes import End, Link

__all__ = ["FAULTS", "FEWEST_FAULTS", "Report", "simulate"]

MATCH_SECONDS: Final = 4_000.0
"""In which every match ends once nothing goes wrong any more, by the world's own time."""
MISCHIEF: Final = 340.0
"""Seconds in which things go wrong."""
MOST_TURNS: Final = 10_000
"""Turns of the loop at one moment."""
FEWEST_FAULTS: Final = 5
SLACK: Final = 1e-3


@dataclass(frozen=True, slots=True)
class Report:
    """What a world did."""

    seed: int
    trace: str
    frames: int
    seconds: float
    room_seconds: float
    matches: int
    stand_ins: int
    faults: Counter[str]


@dataclass(slots=True)
class Client:
    """One who comes, and all its connections."""

    guest: Guest
    latency: float
    is_far: bool
    links: list[tuple[Link, Witness]] = field(default_factory=list)
    down_until: float = 0.0
    """Until when it reaches no server."""
    was_replaced: bool = False

    @property
    def link(self) -> Link | None:
        """Its open connection."""
        return self.links[-1][0] if self.links and not self.links[-1][0].is_closed else None

    @property
    def ticket(self) -> str | None:
        """The last that it was given."""
        return next((w.welcome.ticket for _, w in reversed(self.links) if w.welcome is not None), None)


class World:
    def __init__(self, seed: int, folder: Path) -> None:
        """`folder`: for the store, if this world has one."""
        self.seed = seed
        self.chance = chance = Random(seed)
        ping = chance.choice([5.0, 20.0, 30.0])
        self.limits = Limits(ping=ping, silence=3 * ping, away=120.0, outbox_bytes=chance.choice([8192, 65_536]))
        self.disk = Disk(folder, self._pause_of_disk) if chance.random() < 0.5 else None
        self.is_down = False
        """Whether there is no server just now."""
        self.server: Server
        self._life: trio.Nursery
        self._outer: trio.Nursery
        self.trace = Trace()
        self.ledger = Ledger(self.limits)
        self.ledger.now = lambda: self.server.now
        self.clients: dict[str, Client] = {}
        self.faults: Counter[str] = Counter()
        self.failures: list[BaseException] = []
        self.watchdog = _Watchdog()
        self._rooms = count()
        self._scopes: list[trio.CancelScope] = []
        self._nursery: trio.Nursery

    # --- the network ----------------------------------------------------------------------------------------------

    async def connect(self, name: str, *_: object) -> End:
        """A connection of that client, as `kille_net.client.net.connecting.connect` gives one. Raises NoServer."""
        client = self.clients[name]
        await trio.sleep(client.latency)
        if self.is_down or trio.current_time() < client.down_until:
            raise NoServer("unplugged")
        assert not client.was_replaced, "nobody comes back after `replaced`"
        link = Link(client.latency)

        def patience() -> float | None:
            is_reading = (
                link.is_clean and self.disk is None and not isinstance(client.guest, Stranger)
            )  # which thinks before it reads on
            return 2 * link.latency + SLACK if is_reading else None

        witness = Witness(name, self.ledger, self.trace, patience)
        link.client.heard = lambda data: self._hear(client, witness, data)
        client.links.append((link, witness))
        self._life.start_soon(partial(self.server.attend, link.server, is_loopback=not client.is_far))
        return link.client

    def _hear(self, client: Client, witness: Witness, data: bytes) -> None:
        witness.hear(data)
        if (
            witness.bye is not None
            and witness.bye.code is m.ByeCode.REPLACED
            and not isinstance(client.guest, Stranger)
        ):
            client.was_replaced = True

    # --- who comes ------------------------------------------------------------------------------------------------

    def _options(self) -> m.Options:
        chance = self.chance
        seats = chance.randint(2, 6)
        return m.Options(
            seats=seats,
            format=chance.choice(list(m.Format)),
            length=m.Length.SHORT,
            dealt_harlekin=chance.choice(list(m.Rank)),
            pots=chance.choice([1, 1, 2]),
            computers=max(0, seats - chance.randint(2, 4)),
            level=chance.choice([m.Level.RANDOM, m.Level.EASY, m.Level.CAREFUL]),
            clock=chance.choice([5, 15, 40]),
            pace=chance.choice([0, 1000, 5000]),
            window=chance.choice([0, 500, 3000]),
            rest=chance.choice([0, 3000, 15_000]),
            watching=m.Watching.EVERYONE,
            coach=m.Coach.ALLOWED,
        )

    def _guests(self) -> Iterator[tuple[float, Guest]]:
        """Who comes, and when."""
        chance = self.chance
        for _ in range(chance.choice([1, 1, 2, 3])):
            number = next(self._rooms)
            options, room = self._options(), f"Room {number}"
            begin = chance.uniform(0.0, 40.0)
            for seat in range(options.seats - options.computers):
                kind = chance.choice([Person, Person, BotPlayer, Stranger] if seat else [Person, Person, BotPlayer])
                guest = kind(
                    name=f"{kind.__name__[0]}{number}{seat}",
                    room=room,
                    options=options,
                    chance=Random(chance.random()),
                    is_maker=not seat,
                )
                yield begin + (chance.uniform(1.0, 5.0) if seat else 0.0), guest
            for watcher in range(chance.choice([0, 1, 1])):
                yield (
                    begin + chance.uniform(2.0, 90.0),
                    Person(
                        name=f"W{number}{watcher}",
                        room=room,
                        options=options,
                        chance=Random(chance.random()),
                        watches=True,
                    ),
                )

        yield from self._hasty()

    def _hasty(self) -> Iterator[tuple[float, Guest]]:
        """Who plays with whom they meet."""
        chance = Random(f"hasty {self.seed}")
        begin, options = chance.uniform(0.0, 40.0), self._options()
        for number in range(chance.choice([0, 0, 2, 3, 4, 5])):
            kind = chance.choice([Person, Person, Stranger])
            wish = m.Quick(
                id=0,
                seats=chance.choice([None, 2, 3]),
                format=chance.choice([None, *m.Format]),
                length=m.Length.SHORT,
            )
            guest = kind(
                name=f"{kind.__name__[0]}Q{number}",
                room="Krogen 1",
                options=options,
                chance=Random(chance.random()),
                wish=wish,
            )
            yield begin + chance.uniform(0.0, 25.0), guest

    async def _live(self, after: float, guest: Guest, task_status: trio.TaskStatus[trio.CancelScope]) -> None:
        client = Client(guest, self.chance.choice([0.0, 0.001, 0.02, 0.05]), is_far=self.chance.random() < 0.5)
        self.clients[guest.name] = client
        with trio.CancelScope() as scope:
            task_status.started(scope)
            await trio.sleep(after)
            try:
                await guest.run(partial(self.connect, guest.name))
            except Exception as error:  # told with the seed
                error.add_note(guest.name)
                self.failures.append(error)

    # --- what goes wrong ------------------------------------------------------------------------------------------

    async def _make_mischief(self) -> None:
        """For a while, and until there were enough faults; others come when all have gone before that."""
        await trio.sleep(10.0)
        while trio.current_time() < MISCHIEF or sum(self.faults.values()) < FEWEST_FAULTS:
            await trio.sleep(self.chance.expovariate(1 / 14.0))
            connected = [client for client in self.clients.values() if client.link is not None]
            if connected:
                kind = self.chance.choice(list(FAULTS))
                client = self.chance.choice(connected)
                assert client.link is not None
                if FAULTS[kind](self, client, client.link):
                    self.faults[kind] += 1
            elif all(client.guest.has_ended for client in self.clients.values()):
                if sum(self.faults.values()) >= FEWEST_FAULTS:
                    return
                await self._invite()

    def later(self, seconds: float, do: Callable[[], None]) -> None:
        async def wait() -> None:
            await trio.sleep(seconds)
            do()

        self._nursery.start_soon(wait)

    def _for_a_while(self, link: Link, most: float = 40.0) -> bool:
        link.is_clean = False
        self.later(self.chance.uniform(1.0, most), link.mend)
        return True

    def split(self, _client: Client, link: Link) -> bool:
        for way in link.ways:
            way.piece = self.chance.choice([1, 3, 7, 50])
        return self._for_a_while(link, 10.0)

    def merge(self, _client: Client, link: Link) -> bool:
        for way in link.ways:
            way.held_until = trio.current_time() + self.chance.uniform(0.2, 4.0)
        return self._for_a_while(link)

    def delay(self, _client: Client, link: Link) -> bool:
        for way in link.ways:
            way.latency = self.chance.uniform(0.1, 2.0)
        return self._for_a_while(link)

    def stall(self, _client: Client, link: Link) -> bool:
        """The client stops reading."""
        link.down.held_until = trio.current_time() + self.chance.uniform(3.0, 60.0)
        link.down.bound = self.chance.choice([64, 1024, 16_384])
        link.is_clean = False
        return True

    def slow(self, _client: Client, link: Link) -> bool:
        link.down.rate = self.chance.choice([30.0, 100.0, 500.0])
        link.down.bound = 256
        return self._for_a_while(link)

    def late(self, client: Client, link: Link) -> bool:
        """What the client says comes when the time for it is over."""
        link.up.held_until = trio.current_time() + client.guest.options.clock + self.chance.uniform(-2.0, 2.0)
        link.is_clean = False
        return True

    def half_open(self, _client: Client, link: Link) -> bool:
        link.is_clean = False
        for way in self.chance.choice([link.ways, (link.up,), (link.down,)]):
            way.is_dead = True
            way.wake()
        return True

    def reset(self, client: Client, link: Link) -> bool:
        link.reset()
        client.down_until = trio.current_time() + self.chance.choice([0.0, 0.0, 3.0, 30.0, 119.0, 121.0, 200.0])
        return True

    def storm(self, _client: Client, _link: Link) -> bool:
        """All lines are cut, again and again."""

        def cut() -> None:
            for client in self.clients.values():
                if client.link is not None:
                    client.link.reset()

        for after in sorted(self.chance.uniform(0.0, 6.0) for _ in range(self.chance.randint(2, 5))):
            self.later(after, cut)
        return True

    def everyone_away(self, client: Client, _link: Link) -> bool:
        """All of a room are cut off, for less or more than a while."""
        until = trio.current_time() + self.chance.choice([20.0, 125.0, 400.0, 620.0])
        for other in self.clients.values():
            if other.guest.room == client.guest.room and other.link is not None:
                other.down_until = until
                other.link.reset()
        return True

    def duplicate(self, client: Client, _link: Link) -> bool:
        """The same ticket, from somewhere else: the seat is another's from now on."""
        if isinstance(client.guest, Stranger) or client.ticket is None or client.was_replaced:
            return False
        if isinstance(client.guest, Person) and client.guest.watches:
            return False
        guest = client.guest
        thief = Stranger(
            name=f"Thief {len(self.clients)}",
            room=guest.room,
            options=guest.options,
            chance=Random(self.chance.random()),
            ticket=client.ticket,
        )
        self._nursery.start_soon(self._start, 0.0, thief)
        return True

    def noise(self, _client: Client, _link: Link) -> bool:
        """Somebody connects who does not speak the protocol, or not for long."""
        name = f"Noise {len(self.clients)}"
        kind = self.chance.randrange(5)
        guest = Guest(name=name, room="", options=self._options(), chance=Random(self.chance.random()))
        self.clients[name] = Client(guest, 0.01, is_far=True)
        self._nursery.start_soon(self._make_noise, name, kind)
        return True

    async def _make_noise(self, name: str, kind: int) -> None:
        client = self.clients[name]
        if self.is_down:
            client.guest.has_ended = True
            return
        raw = Raw(await self.connect(name))
        client.links[-1][0].is_clean = False
        try:
            if kind == 0:
                await raw.end.send_all(self.chance.randbytes(200))
            elif kind == 1:  # a hello that never ends
                await raw.end.send_all(b"\x00\x00\x01\x00abc")
            elif kind == 2:  # never reads
                is_in = isinstance(await raw.hello(name), m.Welcome)
                client.links[-1][0].down.bound = 1
                for number in range(60 * is_in):
                    await raw.say(m.ListRooms(id=number, page=0))
            elif kind == 3:
                ticket = "".join(self.chance.choice("0123456789abcdef") for _ in range(64))
                assert not isinstance(await raw.hello(name, ticket), m.Welcome)
                return
            while await raw.hear() is not None:
                pass
        finally:
            client.guest.has_ended = True
            await trio.aclose_forcefully(raw.end)

    # --- the server -----------------------------------------------------------------------------------------------

    def _pause_of_disk(self) -> float:
        return self.chance.choice([0.0, 0.0, 0.001, 0.01])

    async def _serve(self, *, task_status: trio.TaskStatus[None]) -> None:
        """One server's life, which may be cut off at any moment."""
        async with trio.open_nursery() as self._life:
            memory = None if self.disk is None else self.disk.open(self._life)
            self.server = Server(Config(limits=self.limits), memory)
            await self._life.start(self.server.run)
            task_status.started()

    def _kill(self) -> None:
        self.is_down = True
        self.ledger.crash()
        for client in self.clients.values():
            if client.link is not None:
                client.link.reset()
        self._life.cancel_scope.cancel()
        self._outer.start_soon(self._start_again)

    async def _start_again(self) -> None:
        await trio.sleep(self.chance.choice([0.1, 2.0, 30.0, 300.0]))
        await self._outer.start(self._serve)
        self.ledger._guard(lambda: self.ledger.restore(self.server.lobby))
        self.is_down = False

    def kill(self, _client: Client, _link: Link) -> bool:
        if self.disk is None or self.disk.cut is not None or self.is_down:
            return False
        if self.chance.random() < 0.3:
            self._kill()
        else:
            self.disk.cut = (self.chance.random() < 0.5, self._kill)
        return True

    def full_disk(self, _client: Client, _link: Link) -> bool:
        if self.disk is None:
            return False
        disk = self.disk
        disk.is_full = True
        self.later(self.chance.choice([0.5, 5.0, 60.0]), lambda: setattr(disk, "is_full", False))
        return True

    def slow_disk(self, _client: Client, _link: Link) -> bool:
        if self.disk is None:
            return False
        disk = self.disk
        disk.slowness = self.chance.choice([0.3, 0.9, 4.0])
        self.later(self.chance.uniform(1.0, 40.0), lambda: setattr(disk, "slowness", 0.0))
        return True

    # --- its life -------------------------------------------------------------------------------------------------

    async def _start(self, after: float, guest: Guest) -> None:
        self._scopes.append(await self._nursery.start(self._live, after, guest))

    async def _invite(self) -> None:
        for after, guest in list(self._guests()):
            await self._start(after, guest)

    async def run(self) -> Report:
        seconds = 0.0
        before = trio.lowlevel.current_statistics().tasks_living
        with self.watchdog.scope:
            async with trio.open_nursery() as self._outer:
                await self._outer.start(self._serve)
                self.ledger.watch(self.server.lobby)
                async with trio.open_nursery() as self._nursery:
                    await self._invite()
                    await self._make_mischief()
                    if self.disk is not None:
                        self.disk.cut = None
                    for client in self.clients.values():
                        if client.link is not None:
                            client.link.mend()
                    await self._until(lambda: not self.ledger.is_playing(), MATCH_SECONDS)
                    await trio.sleep(30.0)
                    for scope in self._scopes:
                        scope.cancel()
                    await self._until(self.ledger.is_empty, self.limits.empty + self.limits.away + 60.0)
                seconds = trio.current_time()
                # Names are kept for long, those of bots once they have been away, and then forgotten.
                await trio.sleep(self.limits.name_kept_days * 86_400.0 + self.limits.away + 1.0)
                await self.server.shut_down()
        assert not self.watchdog.scope.cancelled_caught, f"no time passes after {trio.current_time()} s"
        self._check_end(before)
        return Report(
            seed=self.seed,
            trace=self.trace.value(),
            frames=self.trace.frames,
            seconds=seconds,
            room_seconds=self.ledger.room_seconds(),
            matches=len(self.ledger.kept),
            stand_ins=self.ledger.stand_ins,
            faults=self.faults,
        )

    async def _until(self, is_done: Callable[[], bool], seconds: float) -> None:
        with trio.move_on_after(seconds):
            while not is_done() and self.ledger.failure is None and not self.failures:  # noqa: ASYNC110  looks now and then
                await trio.sleep(5.0)
            return
        self._raise()
        raise AssertionError("it does not come to an end")

    def _raise(self) -> None:
        if self.ledger.failure is not None:
            raise self.ledger.failure
        if self.failures:
            raise self.failures[0]

    def _check_end(self, tasks_before: int) -> None:
        self._raise()
        self.ledger.check_end()
        assert not self.server._all
        assert not self.server.carrier.speaking
        assert trio.lowlevel.current_statistics().tasks_living == tasks_before
        for client in self.clients.values():
            for link, _ in client.links:
                assert link.is_closed, f"a connection of {client.guest.name} is left"


FAULTS: Final[dict[str, Callable[[World, Client, Link], bool]]] = {
    "split": World.split,
    "merge": World.merge,
    "delay": World.delay,
    "stall": World.stall,
    "slow client": World.slow,
    "late answer": World.late,
    "half-open": World.half_open,
    "reset": World.reset,
    "reconnect storm": World.storm,
    "everyone away": World.everyone_away,
    "duplicate connection": World.duplicate,
    "noise": World.noise,
    "killed server": World.kill,
    "full disk": World.full_disk,
    "slow disk": World.slow_disk,
}
"""Each says whether it could happen."""


class _Watchdog(trio.abc.Instrument):
    """Ends a world in which much happens and no time passes."""

    def __init__(self) -> None:
        self.scope = trio.CancelScope()
        self._at = -1.0
        self._turns = 0

    def before_io_wait(self, timeout: float) -> None:
        now = trio.current_time()
        self._turns = self._turns + 1 if now == self._at else 0
        self._at = now
        if self._turns > MOST_TURNS:
            self.scope.cancel()


class _Loud(logging.Handler):
    """An error in the server's log is one of ours."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if "cannot_save" not in record.getMessage():  # which is the disk's
            self.said.append(record.getMessage())

    @contextmanager
    def listening(self) -> Iterator[None]:
        logger = logging.getLogger("kille")
        logger.addHandler(self)
        try:
            yield
        finally:
            logger.removeHandler(self)


@contextmanager
def _one_source(world: World) -> Iterator[None]:
    """Whatever is drawn in this process is drawn from the world's seed, the order of trio's tasks too."""
    drawn = Random(world.seed ^ 0x5EED)
    loud = _Loud()
    with pytest.MonkeyPatch.context() as patch, loud.listening():
        patch.setattr("trio._core._run._ALLOW_DETERMINISTIC_SCHEDULING", True)
        patch.setattr("trio._core._run._r", Random(world.seed))
        patch.setattr(random, "_urandom", drawn.randbytes)
        patch.setattr(conversation_module, "connect", world.connect)
        patch.setattr(bot_module, "connect", world.connect)
        yield
    assert not loud.said, loud.said


def simulate(seed: int) -> Report:
    """Run the world of that seed to its end. Raises what does not hold, with the seed."""
    try:
        with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            world = World(seed, Path(folder))
            try:
                with _one_source(world):
                    clock = trio.testing.MockClock(autojump_threshold=0)
                    return trio.run(world.run, clock=clock, instruments=[world.watchdog])
            finally:
                if world.disk is not None:
                    world.disk.close()
    except BaseException as error:
        error.add_note(f"again: KILLE_SEED={seed} .venv/bin/pytest tests/simulation -k from_outside")
        raise
