"""TLS at the server: the first byte, who may speak plain text, handshakes without an end, and records in pieces."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from random import Random

import pytest
import trio

from kille_net.server.addresses import is_loopback, is_private
from kille_net.server.limits import Limits
from kille_net.server.line import LineLost
from kille_net.server.outbox import Outbox
from kille_net.server.serve import Config
from kille_net.server.tls import TlsLine
from kille_net.wire import FrameSplitter, bye, frame
from kille_net.wire import messages as m
from kille_net.wire.frames import join
from tests.catalogue.rows import row
from tests.deep import size
from tests.server.house import options
from tests.server.streams import Client
from tests.server.test_serve import Town, play, served
from tests.tls import client_context, in_tls, key, nobody_is_near

FAR = Config(port=0, key=key(), is_near=nobody_is_near)
NEAR = Config(port=0, key=key())


async def tls(town: Town, stream: trio.SocketStream | None = None) -> Client:
    """A peer that speaks TLS."""
    stream = stream or await trio.open_tcp_stream(*town.server.addresses[0])
    client = Client(in_tls(stream))
    town.clients.append(client)
    return client


@pytest.mark.parametrize("config", [FAR, NEAR], ids=["far", "near"])
async def test_whole_matches_are_played_in_tls(config: Config) -> None:
    async with served(config) as town:
        ada = await tls(town)
        assert isinstance(await ada.hello("Ada", bot=True), m.Welcome)
        await ada.ask(lambda k: m.Create(id=k, room="Room", options=options(4, computers=3, pots=2), password=None))
        await play(ada)


@pytest.mark.parametrize("first", [frame(bye(m.ByeCode.DONE)), b"\x00", b"GET / HTTP/1.1\r\n\r\n", b"\x15\x03\x03"])
async def test_plain_text_from_another_machine_is_answered_and_not_read(first: bytes) -> None:
    async with served(FAR) as town:
        client = await town.connect()
        await client.stream.send_all(first)
        assert await client.end() == bye(m.ByeCode.NEEDS_TLS), "§2.4"
        assert isinstance(await (await tls(town)).hello("Ada"), m.Welcome)


async def test_an_old_client_reads_why_in_its_own_words() -> None:
    async with served(FAR) as town:
        client = await town.connect()
        assert await client.hello("Ada") == bye(m.ByeCode.NEEDS_TLS)
        assert await client.end() == bye(m.ByeCode.NEEDS_TLS)


@pytest.mark.parametrize(
    "config",
    [NEAR, Config(port=0, key=key(), is_near=nobody_is_near, takes_plain=True)],
    ids=["near", "far, and allowed"],
)
async def test_where_plain_text_is_taken_both_are(config: Config) -> None:
    async with served(config) as town:
        ada, bo = await town.guest("Ada"), await tls(town)
        assert isinstance(await bo.hello("Bo"), m.Welcome)
        await ada.ask(lambda k: m.Create(id=k, room="Room", options=options(3), password=None))
        await bo.ask(lambda k: m.Join(id=k, room="Room", password=None))
        assert (await ada.until(m.RoomChanged)).who == "Bo"


async def test_plain_is_the_word_for_who_is_too_much() -> None:
    async with served(Config(port=0, key=key(), is_near=nobody_is_near, limits=Limits(connections=1))) as town:
        await (await tls(town)).hello("Ada")
        assert await (await town.connect()).end() == bye(m.ByeCode.BUSY), "§2.4"


async def test_an_address_that_is_not_served_says_nothing() -> None:
    async with served(Config(port=0, serves=lambda address: address != "127.0.0.1")) as town:
        assert await (await town.connect()).end() is None


def hello_of_tls() -> bytes:
    there = ssl.MemoryBIO()
    with pytest.raises(ssl.SSLWantReadError):
        client_context().wrap_bio(ssl.MemoryBIO(), there).do_handshake()
    return there.read()


@contextmanager
def half_handshakes(town: Town, count: int) -> Iterator[list[socket.socket]]:
    """As many peers that stop at every third of their way."""
    begun = hello_of_tls()
    peers = []
    try:
        for k in range(count):
            peer = socket.create_connection(town.server.addresses[0])
            peers.append(peer)
            peer.sendall((begun[:1], begun[:100], begun)[k % 3])
        yield peers
    finally:
        for peer in peers:
            peer.close()


@row(6)
async def test_handshakes_without_an_end_delay_nobody() -> None:
    limits = Limits(
        hello=60.0, greeting_connections=200, greeting_connections_of_address=200, connections_of_address=200
    )
    async with served(Config(port=0, key=key(), is_near=nobody_is_near, limits=limits)) as town:
        with half_handshakes(town, size(100, 190)):
            times = []
            for k in range(size(100, 1_000)):
                start = trio.current_time()
                assert isinstance(await (await tls(town)).hello(f"Ada {k}"), m.Welcome)
                times.append(trio.current_time() - start)
    assert sorted(times)[-1 - len(times) // 100] < 0.3, times


@row(6)
async def test_a_handshake_without_an_end_is_cut_with_the_time_of_the_hello_and_hears_no_bye() -> None:
    limits = Limits(hello=0.2)
    async with served(Config(port=0, key=key(), is_near=nobody_is_near, limits=limits)) as town:
        with half_handshakes(town, 3) as peers:
            for peer in peers[1:]:
                heard = b""
                while data := await trio.to_thread.run_sync(peer.recv, 65_536):
                    heard += data
                assert b"bye" not in heard


async def test_tls_and_hello_have_their_time_together() -> None:
    limits = Limits(hello=0.3)
    async with served(Config(port=0, key=key(), is_near=nobody_is_near, limits=limits)) as town:
        client = await tls(town)
        start = trio.current_time()
        await client.stream.send_all(b"\x00")  # with the handshake before it
        assert await client.end() == bye(m.ByeCode.TOO_SLOW)
        assert trio.current_time() - start < 2.0


async def test_rubbish_in_place_of_a_handshake_ends_alone() -> None:
    chance = Random(7)
    async with served(FAR) as town:
        for size in (1, 5, 50, 5000):
            client = await town.connect()
            await client.stream.send_all(b"\x16" + chance.randbytes(size))
            await trio.aclose_forcefully(client.stream)
        for cut in (b"\x16\x03\x01\xff\xff", hello_of_tls()[:-1] + b"\x00" * 20_000):
            peer = socket.create_connection(town.server.addresses[0])
            peer.sendall(cut)
            peer.close()
        assert isinstance(await (await tls(town)).hello("Ada"), m.Welcome)


async def test_the_end_of_tls_is_said_after_the_bye() -> None:
    async with served(FAR) as town:
        stream = trio.SSLStream(await trio.open_tcp_stream(*town.server.addresses[0]), client_context())
        client = Client(stream)
        town.clients.append(client)
        await client.send(m.Hello(versions=(99,), agent="test", name="Ada", bot=False, ticket=None, password=None))
        last = await client.end()  # without the end of TLS the stream would raise
        assert isinstance(last, m.Bye)
        assert last.code is m.ByeCode.UNSUPPORTED_VERSION


async def test_whoever_never_reads_ends_alone_in_tls_too() -> None:
    limits = Limits(outbox_messages=8, write=0.5, silence=600.0)
    async with served(Config(port=0, key=key(), limits=limits)) as town:
        ada = await town.guest("Ada")
        await ada.ask(lambda k: m.Create(id=k, room="Room", options=options(8), password=None))
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.connect(town.server.addresses[0])
        deaf = await tls(town, trio.SocketStream(trio.socket.from_stdlib_socket(sock)))
        assert isinstance(await deaf.hello("Deaf", bot=True), m.Welcome)
        await deaf.send(m.Watch(id=1, room="Room", password=None))
        left = False
        while not left:
            await ada.ask(lambda k: m.Ready(id=k, ready=k % 2 == 0))
            left = any(isinstance(event, m.RoomChanged) and event.news is m.News.LEFT for event in ada.heard)
            ada.heard.clear()


class Near:
    """A line that takes as much as chance will, and the client's end of TLS behind it."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self.arrived = ssl.MemoryBIO()
        self.back = ssl.MemoryBIO()
        self.tls = client_context().wrap_bio(self.arrived, self.back)

    def seal(self, data: bytes) -> bytes:
        raise NotImplementedError

    def send_now(self, data: bytes) -> int:
        taken = self._chance.choice((0, len(data), self._chance.randint(0, len(data))))
        self.arrived.write(data[:taken])
        return taken

    async def send_all(self, data: bytes) -> None:
        for at in range(0, len(data), 7):
            await trio.lowlevel.checkpoint()
            self.arrived.write(data[at : at + 7])

    async def receive(self) -> bytes:
        await trio.lowlevel.checkpoint()
        with suppress(ssl.SSLWantReadError):
            self.tls.do_handshake()
        return self.back.read()

    async def end(self) -> None:
        await trio.lowlevel.checkpoint()

    async def close(self) -> None:
        await trio.lowlevel.checkpoint()


def read(near: Near) -> bytes:
    """All that has arrived, opened; whatever is out of order is an error of TLS."""
    parts = []
    while near.arrived.pending:
        try:
            parts.append(near.tls.read(65_536))
        except ssl.SSLWantReadError:
            break
    return b"".join(parts)


@pytest.mark.parametrize("seed", range(20))
async def test_frames_come_whole_and_in_order_through_a_line_that_takes_what_it_likes(seed: int) -> None:
    chance = Random(seed)
    near = Near(chance)
    line = TlsLine(near, key().context)
    with pytest.raises(LineLost):
        line.seal(b"before the handshake")
    await line._shake_hands()
    bounds = Limits(outbox_messages=1000)
    sent: list[bytes] = []
    async with trio.open_nursery() as nursery:
        box = Outbox(
            line,
            bounds,
            1 << 20,
            spawn=lambda: nursery.start_soon(box.flush),
            too_slow=lambda: pytest.fail("too slow"),
            failed=lambda error: pytest.fail(repr(error)),
        )
        for _ in range(200):
            payloads = [chance.randbytes(chance.randint(1, 300)) for _ in range(chance.randint(1, 4))]
            sent += payloads
            box.send([join(payload) for payload in payloads])
            if chance.random() < 0.3:
                await trio.lowlevel.checkpoint()
        await box.drain()
        await line.end()
    splitter = FrameSplitter(65_536)
    splitter.feed(read(near))
    assert list(iter(splitter.next_payload, None)) == sent


def test_addresses() -> None:
    assert [is_loopback(one) for one in ("127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1")] == [True] * 4
    assert not any(map(is_loopback, ("192.168.1.7", "::", "fe80::1%lo", "::ffff:10.0.0.1")))
    assert all(map(is_private, ("10.1.2.3", "172.16.0.9", "192.168.1.7", "100.64.0.1", "169.254.1.1", "fd00::1")))
    assert all(map(is_private, ("127.0.0.1", "::1", "fe80::1%eth0", "::ffff:10.0.0.1")))
    assert not any(map(is_private, ("1.1.1.1", "2a00::1", "::ffff:8.8.8.8")))


class Half(Near):
    """A line that takes half of what is sent at once."""

    def send_now(self, data: bytes) -> int:
        taken = len(data) // 2
        self.arrived.write(data[:taken])
        return taken


async def test_the_end_of_tls_is_not_said_in_the_middle_of_a_record() -> None:
    near = Half(Random(0))
    line = TlsLine(near, key().context)
    await line._shake_hands()
    sealed = line.seal(b"x" * 100)
    before = near.arrived.pending
    sent = line.send_now(sealed)
    await line.end()
    assert near.arrived.pending == before + sent


async def test_the_end_of_tls_is_not_said_after_a_send_that_was_given_up() -> None:
    near = Half(Random(0))
    line = TlsLine(near, key().context)
    await line._shake_hands()
    with trio.CancelScope() as scope:
        scope.cancel()
        await line.send_all(line.seal(b"x" * 100))
    before = near.arrived.pending
    await line.end()
    assert near.arrived.pending == before


async def test_what_is_longer_than_a_record_is_sealed_whole() -> None:
    near = Near(Random(0))
    line = TlsLine(near, key().context)
    await line._shake_hands()
    data = Random(1).randbytes(100_000)
    await line.send_all(line.seal(data))
    assert read(near) == data
