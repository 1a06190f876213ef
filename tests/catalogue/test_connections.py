"""Connections by the hundred, on real sockets: who is let in, and what the others notice of it."""

import os
import socket
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import pytest
import trio

from kille_net.server.limits import Limits
from kille_net.server.serve import Config, Server
from kille_net.wire import ClientConnection, Connection, Role, State, frame
from kille_net.wire import messages as m
from tests.catalogue.rows import row
from tests.deep import IS_DEEP, seconds, size
from tests.own_time import own_time
from tests.server.house import options
from tests.server.streams import Client
from tests.server.test_serve import Town, served
from tests.tls import key, nobody_is_near

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only there has this machine many addresses")

FAR = Config(port=0, is_near=nobody_is_near)


def knock(town: Town, address: str) -> socket.socket:
    """A peer at that address that says nothing."""
    peer = socket.socket()
    peer.bind((address, 0))
    peer.connect(town.server.addresses[0])
    peer.settimeout(10.0)
    return peer


@contextmanager
def peers() -> Iterator[list[socket.socket]]:
    """Closed at the end."""
    opened: list[socket.socket] = []
    try:
        yield opened
    finally:
        for peer in opened:
            peer.close()


def heard(peer: socket.socket) -> m.ServerMessage | None:
    """The first message that it was sent; None: the line was ended without one."""
    connection = Connection(Role.CLIENT)
    while (message := connection.next_message()) is None:
        data = peer.recv(4096)
        if not data:
            return None
        connection.receive_data(data)
    return message


def is_busy(message: m.ServerMessage | None) -> bool:
    return isinstance(message, m.Bye) and message.code is m.ByeCode.BUSY


async def has(server: Server, connections: int) -> None:
    """Wait until it has so many."""
    while server.admission.connections != connections:  # noqa: ASYNC110  nobody else wants to be told
        await trio.sleep(0.001)


@row(5)
@pytest.mark.parametrize("in_tls", [False, True])
async def test_of_many_silent_connections_from_one_address_eight_are_kept(*, in_tls: bool) -> None:
    count = size(100, 500)
    async with served(Config(port=0, is_near=nobody_is_near, key=key() if in_tls else None, takes_plain=True)) as town:
        with peers() as silent:
            slowest = 0.0
            for k in range(count):
                start = own_time()
                silent.append(knock(town, "127.0.0.2"))
                if k >= 8:
                    assert is_busy(await trio.to_thread.run_sync(heard, silent[-1])), k
                    slowest = max(slowest, own_time() - start)
            assert town.server.admission.connections == 8
            assert slowest < 0.1
            start = own_time()
            assert isinstance(await (await town.connect()).hello("Ada"), m.Welcome), "from another address"
            assert own_time() - start < 0.2
            await has(town.server, 9)
        await has(town.server, 1)


@row(5)
async def test_of_one_address_there_are_only_so_many_players() -> None:
    limits = Limits(connections_of_address=4)
    async with served(Config(port=0, is_near=nobody_is_near, limits=limits)) as town:
        for k in range(4):
            await town.guest(f"Ada {k}")
        assert is_busy(await (await town.connect()).hello("Bo"))
        with peers() as others:
            others.append(knock(town, "127.0.0.2"))
            stream = trio.SocketStream(trio.socket.from_stdlib_socket(others.pop()))
            assert isinstance(await town.take(stream).hello("Bo"), m.Welcome)
        await town.clients[0].stream.aclose()
        await has(town.server, 4)
        assert isinstance(await (await town.connect()).hello("Cilla"), m.Welcome)


@row(5)
async def test_all_who_are_not_yet_welcomed_are_bounded_whatever_their_addresses() -> None:
    async with served(FAR) as town:
        with peers() as silent:
            for k in range(32):
                silent.append(knock(town, f"127.0.1.{k}"))
            await has(town.server, 32)
            silent.append(knock(town, "127.0.2.1"))
            assert is_busy(await trio.to_thread.run_sync(heard, silent[-1]))


@row(5)
async def test_there_are_fewer_places_than_files(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "getrlimit", lambda _: (67, 67))
    async with served(Config(port=0)) as town:
        for k in range(3):
            await town.guest(f"Ada {k}")
        assert is_busy(await (await town.connect()).end())


@row(5, 10)
async def test_places_are_given_back_also_by_sessions_that_break_down(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fails(_self: object) -> None:
        await trio.lowlevel.checkpoint()
        raise RuntimeError("a bug")

    async with served(FAR) as town:
        monkeypatch.setattr("kille_net.server.session.Session._listen", fails)
        for _ in range(10):
            client = await town.connect()
            await client.end()
            await client.stream.aclose()
        await has(town.server, 0)
        monkeypatch.undo()
        assert isinstance(await (await town.connect()).hello("Ada"), m.Welcome)
    assert caplog.text.count("session_failed") == 10


@asynccontextmanager
async def clicking(ada: Client, bo: Client, lags: list[float]) -> AsyncIterator[None]:
    """Two in a room, one of whom does something as fast as it goes: how late the other hears it each time."""
    await ada.ask(lambda k: m.Create(id=k, room="Room", options=options(8), password=None))
    await bo.ask(lambda k: m.Join(id=k, room="Room", password=None))

    async def click() -> None:
        while True:
            start = own_time()
            await ada.ask(lambda k: m.Ready(id=k, ready=k % 2 == 0))
            while (await bo.until(m.RoomChanged)).news not in {m.News.READY, m.News.NOT_READY}:
                pass
            lags.append(own_time() - start)
            ada.heard.clear()
            bo.heard.clear()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(click)
        yield
        nursery.cancel_scope.cancel()


def resident() -> int:
    """Bytes of memory that this process has."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@row(9)
async def test_a_flood_of_connections_is_not_noticed_at_the_tables() -> None:
    """As fast as they can be made, some of them silent and some with rubbish."""

    most_files = 0

    def flood(address: tuple[str, int], count: int) -> None:
        nonlocal most_files
        with peers() as opened:
            for k in range(count):
                peer = socket.socket()
                opened.append(peer)
                peer.bind((f"127.0.3.{k % 200}", 0))
                peer.connect(address)
                if k % 3 == 0:
                    peer.send(b"\x00\x00\x00\x03abc")
                if len(opened) > 300:
                    opened.pop(0).close()
                if k % 50 == 0:
                    most_files = max(most_files, len(os.listdir("/proc/self/fd")))

    async with served(Config(port=0, is_near=lambda address: not address.startswith("127.0.3."))) as town:
        ada, bo = await town.guest("Ada"), await town.guest("Bo")
        lags: list[float] = []
        async with clicking(ada, bo, lags):
            await trio.to_thread.run_sync(flood, town.server.addresses[0], 200)
            await has(town.server, 2)
            before, files = resident(), len(os.listdir("/proc/self/fd"))
            lags.clear()
            await trio.to_thread.run_sync(flood, town.server.addresses[0], size(500, 30_000))
            await has(town.server, 2)
            assert resident() < before + 10_000_000
        assert most_files <= files + 301 + 32 + 32 + 16, "its own ends; not yet welcomed; turned away; whatever else"
        assert sorted(lags)[len(lags) * 99 // 100] < 0.05


@row(19)
async def test_a_flood_of_commands_is_not_noticed_at_the_tables() -> None:
    """As fast as they can be sent, from one connection after the other."""

    def flood(address: tuple[str, int], name: str) -> m.ServerMessage | None:
        with peers() as opened:
            opened.append(peer := socket.socket())
            peer.bind(("127.0.0.2", 0))
            peer.connect(address)
            peer.settimeout(10.0)
            connection = Connection(Role.CLIENT)
            peer.sendall(
                connection.send(m.Hello(versions=(1,), agent="test", name=name, bot=True, ticket=None, password=None))
            )
            last: m.ServerMessage | None = None
            while last is None:
                connection.receive_data(peer.recv(65_536))
                last = connection.next_message()
            with suppress(OSError):  # it has had enough
                for start in range(0, 100_000, 1000):
                    peer.sendall(b"".join(frame(m.ListRooms(id=k, page=0)) for k in range(start, start + 1000)))
            with suppress(OSError):
                while data := peer.recv(65_536):
                    connection.receive_data(data)
            while (message := connection.next_message()) is not None:
                last = message
            return last

    async with served(Config(port=0, is_near=lambda address: address != "127.0.0.2")) as town:
        ada, bo = await town.guest("Ada"), await town.guest("Bo")
        lags: list[float] = []
        async with clicking(ada, bo, lags):
            for number in range(size(1, 20)):
                last = await trio.to_thread.run_sync(flood, town.server.addresses[0], f"Flood {number}")
                assert isinstance(last, m.Bye)
                assert last.code is m.ByeCode.FLOOD
        assert sorted(lags)[len(lags) * 99 // 100] < 0.05


@row(18)
async def test_a_flood_of_pings_is_answered_at_the_rate_of_commands_and_then_parted_from() -> None:
    """A thousand a second, from one connection after the other; the long run measures what it costs."""
    limits = Limits() if IS_DEEP else Limits(pause=0.1)
    lasts = seconds(0.1, 10.0)

    def flood(address: tuple[str, int], name: str) -> tuple[int, float, m.ServerMessage]:
        """How many were answered, in what time, and the last message."""
        connection: ClientConnection = Connection(Role.CLIENT)
        heard: list[m.ServerMessage] = []
        with socket.socket() as peer:
            peer.bind(("127.0.0.2", 0))
            peer.connect(address)
            began = time.monotonic()
            hello = m.Hello(versions=(1,), agent="test", name=name, bot=True, ticket=None, password=None)
            peer.sendall(connection.send(hello))
            peer.settimeout(0.01)
            sent = 0
            with suppress(OSError):  # parted from while it says more
                while time.monotonic() - began < 10.0:
                    with suppress(TimeoutError):
                        data = peer.recv(65_536)
                        if not data:
                            break
                        connection.receive_data(data)
                        while (message := connection.next_message()) is not None:
                            heard.append(message)
                    due = int((time.monotonic() - began) * 1000)
                    if heard and due > sent and connection.state is State.OPEN:
                        peer.sendall(b"".join(frame(m.Ping(n=n)) for n in range(sent, due)))
                        sent = due
        pongs = [message.n for message in heard if isinstance(message, m.Pong)]
        assert pongs == sorted(set(pongs))
        assert sent > len(pongs)
        return len(pongs), time.monotonic() - began, heard[-1]

    async with served(Config(port=0, limits=limits, is_near=lambda address: address != "127.0.0.2")) as town:
        began, worked, count = trio.current_time(), time.thread_time(), 0
        while trio.current_time() - began < lasts:
            count += 1
            pongs, took, last = await trio.to_thread.run_sync(flood, town.server.addresses[0], f"Flood {count}")
            assert isinstance(last, m.Bye)
            assert last.code is m.ByeCode.FLOOD
            assert took >= 2 * limits.pause, "after the first strike, and after the second"
            burst, rate = limits.commands_burst, limits.commands_per_second
            assert burst <= pongs <= burst + rate * took + 1
            assert town.server.counts.byes[m.ByeCode.FLOOD] == count
        if IS_DEEP:  # this thread has done nothing but serve
            assert (time.thread_time() - worked) / (trio.current_time() - began) < 0.2


@row(16)
async def test_a_peer_that_is_there_no_more_is_let_go_of_and_so_is_its_socket() -> None:
    limits = Limits(ping=0.1, silence=0.3)
    async with served(Config(port=0, limits=limits)) as town:
        files = len(os.listdir("/proc/self/fd"))
        silent = await town.guest("Ada")
        start = trio.current_time()
        await has(town.server, 0)
        assert 0.3 <= trio.current_time() - start < 5.0
        await trio.aclose_forcefully(silent.stream)
        assert len(os.listdir("/proc/self/fd")) <= files
