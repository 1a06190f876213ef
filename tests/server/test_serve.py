"""The server on real sockets of this machine: what only sockets do."""

import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio

from kille_net.game.replay import verify
from kille_net.server.limits import Limits
from kille_net.server.listening import open_listeners
from kille_net.server.records import write_record
from kille_net.server.saving import Record
from kille_net.server.serve import LOOPBACK, Config, Server
from kille_net.wire import messages as m
from tests.catalogue.rows import row
from tests.server.house import choices, options
from tests.server.streams import Client


class Town:
    """A server on sockets, and its peers, who close theirs at the end."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.clients: list[Client] = []

    async def connect(self) -> Client:
        return self.take(await trio.open_tcp_stream(*self.server.addresses[0]))

    def take(self, stream: trio.SocketStream) -> Client:
        client = Client(stream)
        self.clients.append(client)
        return client

    async def guest(self, name: str) -> Client:
        client = await self.connect()
        assert isinstance(await client.hello(name, bot=True), m.Welcome)
        return client


@asynccontextmanager
async def served(config: Config) -> AsyncIterator[Town]:
    async with trio.open_nursery() as nursery:
        listeners = await open_listeners(config.hosts, config.port)
        town = Town(await nursery.start(Server(config).run, listeners))
        try:
            with trio.fail_after(30):
                yield town
        finally:
            for client in town.clients:
                await trio.aclose_forcefully(client.stream)
        await town.server.shut_down()


async def play(client: Client, seat: int = 0) -> m.MatchEnded:
    """Be ready, have one's part in the shuffle, and answer until the match is over."""
    await client.send(m.Ready(id=900_000, ready=True))
    while True:
        message = await client.next()
        await client.take_part(message, seat)
        match message:
            case m.Question():
                do = next(do for do in reversed(choices(message)) if do in {m.Do.STAND, m.Do.SWAP, m.Do.REFUSE})
                await client.send(m.Decide(id=1_000_000 + message.turn, turn=message.turn, do=do))
            case m.MatchEnded():
                return message
            case m.Bye():
                raise AssertionError(message.code)


async def test_a_whole_match_is_played_and_its_record_is_true(tmp_path: Path) -> None:
    async with served(Config(port=0, records=tmp_path / "records")) as town:
        ada, bo = await town.guest("Ada"), await town.guest("Bo")
        room = options(4, computers=2, pots=3)
        await ada.ask(lambda k: m.Create(id=k, room="Room", options=room, password=None))
        await bo.ask(lambda k: m.Join(id=k, room="Room", password=None))
        watcher = await town.guest("Watcher")
        await watcher.ask(lambda k: m.Watch(id=k, room="Room", password=None))
        ends: list[m.MatchEnded] = []

        async def run(client: Client, seat: int) -> None:
            ends.append(await play(client, seat))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(run, ada, 0)
            nursery.start_soon(run, bo, 3)
        assert await watcher.until(m.MatchEnded) == ends[0] == ends[1]
        assert not any(isinstance(message, m.Question) for message in watcher.heard)
    (record,) = (tmp_path / "records").iterdir()
    verdict = verify(record.read_text(encoding="utf-8").splitlines())
    assert verdict.error is None
    assert verdict.hands > 0


async def test_all_addresses_have_the_same_free_port() -> None:
    async with served(Config(port=0)) as town:
        assert len({port for _, port in town.server.addresses}) == 1
        assert town.server.addresses[0][0] == "127.0.0.1"
        assert town.server.addresses[0][1] != 0


async def test_a_taken_port_is_an_error_that_leaves_nothing_open() -> None:
    async with served(Config(port=0)) as town:
        with pytest.raises(OSError, match="in use"):
            await open_listeners(LOOPBACK, town.server.addresses[0][1])


async def test_who_is_too_much_hears_busy_and_gets_in_later() -> None:
    async with served(Config(port=0, limits=Limits(connections=2))) as town:
        ada, bo = await town.guest("Ada"), await town.guest("Bo")
        cilla = await town.connect()
        last = await cilla.end()
        assert isinstance(last, m.Bye)
        assert last.code is m.ByeCode.BUSY
        await bo.stream.aclose()
        while True:
            client = await town.connect()
            try:
                answer = await client.hello("Cilla")
            except trio.BrokenResourceError:
                continue
            if isinstance(answer, m.Welcome):
                break
        assert isinstance(await ada.ask(lambda k: m.ListRooms(id=k, page=0)), m.Rooms)


@row(9)
async def test_coming_and_going_in_every_rude_way_ends_nothing() -> None:
    async with served(Config(port=0)) as town:
        ada = await town.guest("Ada")
        for k in range(60):
            sock = socket.socket()
            sock.connect(town.server.addresses[0])
            if k % 3:
                sock.send(b"\x00\x00" if k % 2 else b"GET / HTTP/1.1\r\n\r\n")
            if k % 5 == 0:  # a reset in place of an end
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            sock.close()
        assert isinstance(await ada.ask(lambda k: m.ListRooms(id=k, page=0)), m.Rooms)


@row(14)
async def test_whoever_never_reads_ends_alone() -> None:
    limits = Limits(outbox_messages=8, write=0.5, silence=600.0)  # Bo only listens
    async with served(Config(port=0, limits=limits)) as town:
        ada, bo = await town.guest("Ada"), await town.guest("Bo")
        await ada.ask(lambda k: m.Create(id=k, room="Room", options=options(8), password=None))
        await bo.ask(lambda k: m.Join(id=k, room="Room", password=None))
        deaf = socket.socket()
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.connect(town.server.addresses[0])
        talker = town.take(trio.SocketStream(trio.socket.from_stdlib_socket(deaf)))
        assert isinstance(await talker.hello("Deaf", bot=True), m.Welcome)
        await talker.send(m.Watch(id=1, room="Room", password=None))
        left = False
        while not left:
            await ada.ask(lambda k: m.Ready(id=k, ready=k % 2 == 0))
            left = any(isinstance(event, m.RoomChanged) and event.news is m.News.LEFT for event in ada.heard)
            ada.heard.clear()
            while (await bo.until(m.RoomChanged)).news not in {m.News.READY, m.News.NOT_READY}:
                pass


def test_a_record_is_written_whole(tmp_path: Path) -> None:
    write_record(tmp_path / "new", Record("ab" * 16, ('{"å": 1}', "{}")))
    (path,) = (tmp_path / "new").iterdir()
    assert path.name == "ab" * 16 + ".jsonl"
    assert path.read_text(encoding="utf-8") == '{"å": 1}\n{}\n'


async def test_a_record_that_cannot_be_written_is_logged_and_ends_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    async with served(Config(port=0, records=tmp_path / "file")) as town:
        room = options(2, computers=1)
        for number in range(2):
            client = await town.guest(f"Ada {number}")
            await client.ask(lambda k: m.Create(id=k, room="Room", options=room, password=None))
            await play(client)
            await client.ask(lambda k: m.Leave(id=k))
    assert caplog.text.count("record_not_written") == 2
