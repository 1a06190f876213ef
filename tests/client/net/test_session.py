"""One stream to a server: pings, silence, goodbyes and faults, on trio's own clock."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
import trio
import trio.testing

from kille_net.cli.exit_codes import Exit
from kille_net.client import endings
from kille_net.client.effects import Quit
from kille_net.client.net.session import BadServer, Lost, ServerBye, Session, SessionEnded, Stranger, open_session
from kille_net.client.showing.texts import say
from kille_net.wire import messages as wire
from kille_net.wire.connection import Connection, ServerConnection, bye
from kille_net.wire.errors import RemoteProtocolError
from kille_net.wire.states import Role
from tests.catalogue.rows import row

PIPE = trio.StapledStream[trio.testing.MemorySendStream, trio.testing.MemoryReceiveStream]


class Far:
    """The server's end, by hand."""

    def __init__(self, stream: PIPE) -> None:
        self.stream = stream
        self.connection: ServerConnection = Connection(Role.SERVER)

    async def send(self, *messages: wire.ServerMessage) -> None:
        await self.stream.send_all(b"".join(self.connection.send(message) for message in messages))

    async def receive(self) -> wire.ClientMessage | None:
        """The next message; None: the client has hung up."""
        while (message := self.connection.next_message()) is None:
            data = await self.stream.receive_some()
            if not data:
                return None
            self.connection.receive_data(bytes(data))
        return message

    async def welcome(self, **settings: int) -> None:
        hello = await self.receive()
        assert isinstance(hello, wire.Hello)
        assert (hello.name, hello.bot, hello.versions) == ("Ada", True, wire.VERSIONS)
        await self.send(
            wire.Welcome(
                version=1, agent="far", name="Ada", settings=settings, ticket=None, resumed=wire.Resumed.NO, last_id=0
            )
        )


@asynccontextmanager
async def pair(**settings: int) -> AsyncGenerator[tuple[Session, Far]]:
    """A session that has been let in, and its server's end."""
    near, far = trio.testing.memory_stream_pair()
    server = Far(far)
    async with trio.open_nursery() as nursery, open_session(near) as session:
        nursery.start_soon(_welcome, server, settings)
        welcome = await session.greet("Ada", bot=True)
        assert welcome.name == "Ada"
        yield session, server


async def _welcome(server: Far, settings: dict[str, int]) -> None:
    await server.welcome(**settings)


async def test_messages_go_both_ways_and_the_end_is_orderly(autojump_clock: trio.testing.MockClock) -> None:
    async with pair() as (session, far):
        session.send(wire.Leave(id=1))
        assert await far.receive() == wire.Leave(id=1)
        await far.send(wire.Ok(id=1), wire.Ok(id=2))
        assert await session.receive() == wire.Ok(id=1)
        assert await session.receive() == wire.Ok(id=2)
    message = await far.receive()
    assert isinstance(message, wire.Bye)
    assert message.code is wire.ByeCode.DONE


async def test_pings_are_answered_and_pongs_passed_over(autojump_clock: trio.testing.MockClock) -> None:
    async with pair() as (session, far):
        await far.send(wire.Ping(n=7), wire.Pong(n=3), wire.Ok(id=1))
        assert await session.receive() == wire.Ok(id=1)
        assert await far.receive() == wire.Pong(n=7)


async def test_who_shows_things_together_reads_them_together(autojump_clock: trio.testing.MockClock) -> None:
    async with pair() as (session, far):
        session.pause = 1.0
        await trio.sleep(2)
        read: list[float] = []
        start = trio.current_time()

        async def hear() -> None:
            for number in range(40):
                assert await session.receive() == wire.Ok(id=number)
                read.append(session.heard_at - start)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(hear)
            for number in range(40):
                await far.send(wire.Ok(id=number))
                await trio.sleep(0.1)
        assert read[0] == 0, "after a while of silence nothing waits"
        assert sorted(set(read)) == pytest.approx([0, 1, 2, 3, 4])


async def test_a_silent_server_is_pinged_and_then_given_up(autojump_clock: trio.testing.MockClock) -> None:
    async with pair() as (session, far):
        start = trio.current_time()
        with pytest.raises(Lost) as lost:
            await session.receive()
        assert lost.value.is_silent
        assert trio.current_time() - start == pytest.approx(15)
        assert await far.receive() == wire.Ping(n=1)
        assert await far.receive() == wire.Ping(n=2)
        message = await far.receive()
        assert isinstance(message, wire.Bye)
        assert message.code is wire.ByeCode.SILENT


async def test_a_server_that_answers_pings_is_kept(autojump_clock: trio.testing.MockClock) -> None:
    async def answer(far: Far) -> None:
        while (message := await far.receive()) is not None:
            if isinstance(message, wire.Ping):
                await far.send(wire.Pong(n=message.n))

    async with trio.open_nursery() as nursery, pair(ping_ms=1000, silence_ms=3000) as (session, far):
        nursery.start_soon(answer, far)
        with trio.move_on_after(3600) as scope:
            await session.receive()
        assert scope.cancelled_caught


async def test_a_welcome_that_never_comes(autojump_clock: trio.testing.MockClock) -> None:
    near, _far = trio.testing.memory_stream_pair()
    async with open_session(near) as session:
        with pytest.raises(Lost):
            await session.greet("Ada", bot=False)
    assert trio.current_time() <= 15


async def test_a_bye_has_its_reason_and_is_not_answered(autojump_clock: trio.testing.MockClock) -> None:
    async with pair() as (session, far):
        await far.send(wire.Ok(id=1), bye(wire.ByeCode.SHUTTING_DOWN))
        assert await session.receive() == wire.Ok(id=1)
        for _ in range(2):
            with pytest.raises(ServerBye) as end:
                await session.receive()
            assert end.value.message.code is wire.ByeCode.SHUTTING_DOWN
        session.send(wire.Leave(id=1))
    assert await far.stream.receive_some() == b""


async def test_a_line_that_breaks_is_lost(autojump_clock: trio.testing.MockClock) -> None:
    async with pair() as (session, far):
        await far.stream.aclose()
        for _ in range(2):
            with pytest.raises(Lost) as lost:
                await session.receive()
            assert not lost.value.is_silent
        session.send(wire.Leave(id=1))


async def test_a_frame_that_is_cut_off_is_a_lost_line(autojump_clock: trio.testing.MockClock) -> None:
    async with pair() as (session, far):
        await far.stream.send_all(b"\0\0\0\x09half")
        await far.stream.aclose()
        with pytest.raises(Lost):
            await session.receive()


@row(26)
@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\xff\xff\xff\xff", wire.ByeCode.FRAME_TOO_BIG),
        (b"\0\0\0\0", wire.ByeCode.FRAME_EMPTY),
        (b"\0\0\0\x01\xc1", wire.ByeCode.BAD_ENCODING),
        (b"\0\0\0\x01\x90", wire.ByeCode.BAD_MESSAGE),
    ],
)
async def test_a_server_that_breaks_the_protocol_is_told_so(
    data: bytes, code: wire.ByeCode, autojump_clock: trio.testing.MockClock
) -> None:
    async with pair() as (session, far):
        await far.send(wire.Ok(id=1))
        await far.stream.send_all(data)
        assert await session.receive() == wire.Ok(id=1)
        with pytest.raises(BadServer) as end:
            await session.receive()
        assert end.value.code is code
    message = await far.receive()
    assert isinstance(message, wire.Bye)
    assert message.code is code


@pytest.mark.parametrize("data", [b"HTTP/1.1 400 Bad Request\r\n", b"\0\0\0\x01\xc1", b"\0\0\0\0"])
async def test_who_does_not_begin_as_a_server_is_none(data: bytes, autojump_clock: trio.testing.MockClock) -> None:
    near, far = trio.testing.memory_stream_pair()
    await far.send_all(data)
    async with open_session(near) as session:
        with pytest.raises(Stranger):
            await session.greet("Ada", bot=False)


async def test_what_the_model_does_not_believe_ends_the_session(autojump_clock: trio.testing.MockClock) -> None:
    async with pair() as (session, far):
        error = RemoteProtocolError(wire.ByeCode.UNEXPECTED, "seq")
        assert isinstance(session.blame(error), BadServer)
        with pytest.raises(BadServer):
            await session.receive()
    message = await far.receive()
    assert isinstance(message, wire.Bye)
    assert (message.code, message.place) == (wire.ByeCode.UNEXPECTED, "seq")


async def test_exceptions_of_the_body_come_out_alone(autojump_clock: trio.testing.MockClock) -> None:
    near, _far = trio.testing.memory_stream_pair()
    with pytest.raises(ZeroDivisionError):
        async with open_session(near):
            raise ZeroDivisionError


class Stuck(trio.abc.Stream):
    """A stream whose other end takes nothing and says nothing."""

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await trio.sleep_forever()

    async def wait_send_all_might_not_block(self) -> None:
        await trio.sleep_forever()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        await trio.sleep_forever()
        raise AssertionError

    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()


async def test_a_server_that_reads_nothing_is_left_within_seconds(autojump_clock: trio.testing.MockClock) -> None:
    start = trio.current_time()
    async with open_session(Stuck()) as session:
        with pytest.raises(Lost):
            await session.greet("Ada", bot=False)
    assert trio.current_time() - start <= 7


async def test_leaving_a_server_that_reads_nothing_takes_a_second(autojump_clock: trio.testing.MockClock) -> None:
    start = trio.current_time()
    async with open_session(Stuck()) as session:
        session.send(wire.Hello(versions=(1,), agent="x", name="Ada", bot=False, ticket=None, password=None))
    assert trio.current_time() - start <= 1.1


async def test_too_much_that_is_not_written_ends_the_session(autojump_clock: trio.testing.MockClock) -> None:
    async with pair() as (session, _far):
        for number in range(200):
            session.send(wire.Leave(id=number))
        with pytest.raises(Lost):
            await session.receive()


async def test_a_stop_of_ours_is_not_the_servers_silence(autojump_clock: trio.testing.MockClock) -> None:
    async with pair() as (session, far):
        with trio.move_on_after(1):
            await session.receive()
        autojump_clock.jump(3600)
        with trio.move_on_after(1):
            await session.receive()
        await far.send(wire.Ok(id=1))
        assert await session.receive() == wire.Ok(id=1)


# --- how to leave after it --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", ["sv", "en"])
@pytest.mark.parametrize("code", list(wire.ByeCode))
def test_every_goodbye_has_a_line_and_an_exit_code(code: wire.ByeCode, lang: str) -> None:
    message = wire.Bye(code=code, place="x\x1b", versions=(7, 8))
    how = endings.ending(ServerBye(message), "h:1", lang)
    assert how.text
    assert how.text.isprintable()
    assert how.code in {3, 4}
    if code is wire.ByeCode.UNSUPPORTED_VERSION:
        assert "7, 8" in how.text
        assert "1" in how.text


@pytest.mark.parametrize(
    ("end", "key", "code"),
    [
        (Lost(), "lost", 3),
        (Lost(is_silent=True), "lost_silent", 3),
    ],
)
def test_other_ends(end: SessionEnded, key: str, code: int) -> None:
    assert endings.ending(end, "h:1", "sv") == Quit(code, say("sv", key))
    bad = endings.ending(BadServer(wire.ByeCode.BAD_FIELD, "seat"), "h:1", "en")
    none = endings.ending(Stranger(wire.ByeCode.FRAME_TOO_BIG, ""), "h:1", "en")
    assert none == Quit(3, "What answers at h:1 is no Kille server. Is the address right?")
    assert bad == Quit(3, "The server breaks the protocol (bad_field seat); the connection is closed.")


def test_the_codes_are_those_of_the_command_line() -> None:
    for name in ("DONE", "NO_SERVER", "REFUSED", "SIGHUP", "SIGINT"):
        assert getattr(endings, name) == Exit[name]
