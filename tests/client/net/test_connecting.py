"""The way to a server: whose key is taken, and who stands in between."""

import ssl
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
import trio
import trio.testing
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from kille_net.client.net.connecting import connect
from kille_net.client.net.session import Lost, NoServer, ServerBye, Stranger, open_session
from kille_net.client.net.trust import KeyChanged, NotEncrypted, Privacy, Trust
from kille_net.server.key import FILE, Key, open_key
from kille_net.server.limits import Limits
from kille_net.server.serve import Config
from kille_net.wire import ByeCode, bye, frame
from tests.catalogue.rows import row
from tests.server.test_serve import served
from tests.tls import client_context, key, nobody_is_near

HOST = "127.0.0.1"


@pytest.fixture
def trust(tmp_path: Path) -> Trust:
    """As if this machine were another one."""
    return Trust(file=tmp_path / "known_servers", is_near=nobody_is_near)


def of(key_: Key | None, **changes: object) -> Config:
    return replace(Config(port=0, key=key_, is_near=nobody_is_near), **changes)  # type: ignore[arg-type]  # options by name


async def join(port: int, trust: Trust, name: str = "Ada") -> list[bytes]:
    """Come in and be welcomed; the keys that were new."""
    met: list[bytes] = []
    async with open_session(await connect(HOST, port, trust, met.append)) as session:
        assert (await session.greet(name, bot=True)).name == name
    return met


async def test_the_first_key_is_told_and_kept_and_the_second_time_is_quiet(trust: Trust) -> None:
    async with served(of(key())) as town:
        port = town.server.addresses[0][1]
        assert await join(port, trust) == [key().fingerprint]
        assert await join(port, trust) == []
        assert trust.known(HOST, port) == key().fingerprint


async def test_on_this_machine_it_is_plain_until_there_is_a_key(trust: Trust) -> None:
    near = replace(trust, is_near=lambda _: True)
    async with served(of(key(), is_near=lambda _: True)) as town:
        port = town.server.addresses[0][1]
        stream = await connect(HOST, port, near, lambda _: None)
        assert isinstance(stream, trio.SocketStream)
        await stream.aclose()
        await join(port, replace(near, privacy=Privacy.TLS))
        stream = await connect(HOST, port, near, lambda _: None)
        assert isinstance(stream, trio.SSLStream)
        await trio.aclose_forcefully(stream)


@asynccontextmanager
async def listening(handler: Callable[[trio.SocketStream], Awaitable[None]]) -> AsyncIterator[int]:
    async with trio.open_nursery() as nursery:

        async def handle(stream: trio.SocketStream) -> None:
            try:
                await handler(stream)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return

        listeners = await nursery.start(partial(trio.serve_tcp, handle, 0, host=HOST))
        with trio.fail_after(30):
            yield listeners[0].socket.getsockname()[1]
        nursery.cancel_scope.cancel()


def proxy(context: ssl.SSLContext, port: int, heard: bytearray) -> Callable[[trio.SocketStream], Awaitable[None]]:
    """Somebody in between, with a key of their own, who passes on what they read."""

    async def pass_on(stream: trio.SocketStream) -> None:
        near = trio.SSLStream(stream, context, server_side=True, https_compatible=True)
        await near.do_handshake()
        far = trio.SSLStream(await trio.open_tcp_stream(HOST, port), client_context(), https_compatible=True)

        async def pump(one: trio.SSLStream[trio.SocketStream], other: trio.SSLStream[trio.SocketStream]) -> None:
            while data := await one.receive_some():
                heard.extend(data if one is near else b"")
                await other.send_all(data)

        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(pump, near, far)
                await pump(far, near)
                nursery.cancel_scope.cancel()
        finally:
            await trio.aclose_forcefully(far)

    return pass_on


@row(41)
async def test_somebody_in_between_hears_not_a_word(trust: Trust) -> None:
    async with served(of(key())) as town:
        port, heard = town.server.addresses[0][1], bytearray()
        async with listening(proxy(key(1).context, port, heard)) as between:
            trust.check(HOST, between, key().fingerprint)  # as if the server had been at this address
            with pytest.raises(KeyChanged) as changed:
                await connect(HOST, between, trust, lambda _: pytest.fail("was met before"))
            assert (changed.value.old, changed.value.new) == (key().fingerprint, key(1).fingerprint)
            assert heard == b""
            assert trust.known(HOST, between) == key().fingerprint
            # The proxy is a good one: who says so can be read.
            await join(between, replace(trust, takes_changed=True), "Bo")
            assert b"Bo" in heard


def with_certificate(secret: bytes, end: datetime, name: str) -> ssl.SSLContext:
    """The key of this PEM, in another certificate of its own."""
    ours = serialization.load_pem_private_key(secret, None)
    assert isinstance(ours, ec.EllipticCurvePrivateKey)
    who = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(who)
        .issuer_name(who)
        .public_key(ours.public_key())
        .serial_number(1)
        .not_valid_before(datetime(2000, 1, 1, tzinfo=UTC))
        .not_valid_after(end)
        .sign(ours, hashes.SHA256())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.NamedTemporaryFile() as file:
        file.write(secret + certificate.public_bytes(serialization.Encoding.PEM))
        file.flush()
        context.load_cert_chain(file.name)
    return context


@row(41)
@pytest.mark.parametrize(
    ("end", "name"),
    [(datetime(2001, 1, 1, tzinfo=UTC), "kille"), (datetime(2100, 1, 1, tzinfo=UTC), "bank.example")],
    ids=["expired", "of another host"],
)
async def test_what_else_a_certificate_says_does_not_count(
    trust: Trust, tmp_path: Path, end: datetime, name: str
) -> None:
    ours = open_key(tmp_path)
    secret = (tmp_path / FILE).read_bytes().partition(b"-----BEGIN CERT")[0]
    async with served(of(Key(with_certificate(secret, end, name), ours.fingerprint))) as town:
        port = town.server.addresses[0][1]
        trust.check(HOST, port, ours.fingerprint)
        assert await join(port, trust) == []


@row(41)
async def test_a_server_with_another_key_is_refused_also_when_it_comes_back(trust: Trust) -> None:
    async with served(of(key())) as town:
        port = town.server.addresses[0][1]
        await join(port, trust)
    async with served(of(key(1), port=port)):
        with pytest.raises(KeyChanged):
            await join(port, trust)
        assert await join(port, replace(trust, takes_changed=True)) == [key(1).fingerprint]
        assert await join(port, trust) == []


@row(41)
@pytest.mark.parametrize("is_known", [True, False])
async def test_a_server_without_tls_is_refused(trust: Trust, is_known: bool) -> None:  # noqa: FBT001  pytest hands it over by name
    async with served(of(None)) as town:
        port = town.server.addresses[0][1]
        if is_known:
            trust.check(HOST, port, key().fingerprint)
        with pytest.raises(NotEncrypted) as refused:
            await join(port, trust)
        assert refused.value.is_known is is_known
        if not is_known:
            await join(port, replace(trust, privacy=Privacy.PLAIN))


async def test_plain_text_where_it_is_not_taken_says_so(trust: Trust) -> None:
    async with served(of(key())) as town:
        with pytest.raises(ServerBye) as end:
            await join(town.server.addresses[0][1], replace(trust, privacy=Privacy.PLAIN))
        assert end.value.message.code is ByeCode.NEEDS_TLS


async def test_a_full_server_says_so_before_the_handshake(trust: Trust) -> None:
    async with served(of(key(), limits=Limits(connections=1))) as town:
        port = town.server.addresses[0][1]
        async with open_session(await connect(HOST, port, trust, lambda _: None)) as session:
            await session.greet("Ada", bot=True)
            with pytest.raises(ServerBye) as end:
                await join(port, trust, "Bo")
            assert end.value.message.code is ByeCode.BUSY


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", Stranger),
        (b"SSH-2.0-OpenSSH_9.6\r\n", Stranger),
        (b"", Lost),
        (b"\x15\x03\x03\x00\x02\x02\x28", Lost),
        (frame(bye(ByeCode.DONE)), NotEncrypted),
        (b"\x00\x00\x00\x05hello", NotEncrypted),
        (b"\x00", NotEncrypted),
    ],
)
async def test_whatever_else_answers_is_an_end(trust: Trust, answer: bytes, expected: type[Exception]) -> None:
    async def say(stream: trio.SocketStream) -> None:
        await stream.receive_some()
        await stream.send_all(answer)
        await stream.send_eof()

    async with listening(say) as port:
        with pytest.raises(expected):
            await connect(HOST, port, trust, lambda _: pytest.fail("nobody was met"))


async def test_who_never_ends_the_handshake_is_nobody(trust: Trust, autojump_clock: trio.testing.MockClock) -> None:
    async def wait(stream: trio.SocketStream) -> None:
        await trio.sleep_forever()

    async with listening(wait) as port:
        autojump_clock.autojump_threshold = 0.2  # what is on its way over a socket is not seen by the clock
        with pytest.raises(NoServer):
            await connect(HOST, port, trust, lambda _: None)


async def test_nobody_there() -> None:
    for host, port in ((HOST, 1), ("no.such.host.invalid", 4747)):
        with pytest.raises(NoServer):
            await connect(host, port, Trust(privacy=Privacy.PLAIN), lambda _: None)
