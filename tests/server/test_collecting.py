"""What is over at a server is gone without the collector, which looks at nothing twice that has lasted."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import trio

from kille_net.server.collecting import looking_at_what_is_new
from kille_net.server.serve import Config
from kille_net.wire import messages as m
from tests.server.house import options
from tests.server.test_serve import Town, play, served
from tests.tls import key


@contextmanager
def uncollected() -> Iterator[list[object]]:
    """What only the collector could free, of all that comes within the context."""
    found: list[object] = []
    gc.collect()
    gc.disable()
    try:
        yield found
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        found += gc.garbage
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


async def an_evening(town: Town) -> None:
    """Two play a match, one of them is lost and comes back, and both go; one was never let in."""
    ada, bo = await town.guest("Ada"), await town.guest("Bo")
    await ada.ask(lambda k: m.Create(id=k, room="Room", options=options(3, computers=1, pots=1), password=None))
    await bo.ask(lambda k: m.Join(id=k, room="Room", password=None))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(play, ada, 0)
        nursery.start_soon(play, bo, 2)
    await (await town.connect()).hello("Ada", bot=True)
    for client in (ada, bo):
        await client.ask(lambda k: m.Leave(id=k))
        await client.send(m.Bye(code=m.ByeCode.DONE, place="", versions=m.VERSIONS))
    while town.server.sessions:  # noqa: ASYNC110  the other end notices when it does
        await trio.sleep(0.01)


@pytest.mark.parametrize(
    "noise",
    [
        pytest.param(bytes(4), id="an empty frame"),
        pytest.param(b"GET / HTTP/1.1\r\n\r\n", id="another protocol"),
        pytest.param(b"\x00\x00\x00\x01\x80", id="no message"),
        pytest.param(b"\x00\x00\x00\x20\x83", id="half a frame"),
        pytest.param(b"\x16\x03\x01\x00\x05Kille", id="no handshake"),
        pytest.param(b"\x16\x03\x01\x02\x00\x01", id="half a handshake"),
    ],
)
@pytest.mark.parametrize("is_welcomed", [False, True])
async def test_whoever_breaks_the_protocol_leaves_nothing_for_it(noise: bytes, *, is_welcomed: bool) -> None:
    async with served(Config(port=0, key=key())) as town:

        async def break_it(name: str) -> None:
            stream = (await (town.guest(name) if is_welcomed else town.connect())).stream
            assert isinstance(stream, trio.SocketStream)
            await stream.send_all(noise)
            await stream.send_eof()
            while await stream.receive_some():
                pass
            while town.server.sessions:  # noqa: ASYNC110  as in an evening
                await trio.sleep(0.01)

        await break_it("Ada")
        with uncollected() as found:
            await break_it("Bo")
        assert [type(one) for one in found if type(one).__module__.startswith("kille_net")] == []


async def test_sessions_rooms_and_matches_that_are_over_leave_nothing_for_it() -> None:
    async with served(Config(port=0)) as town:
        await an_evening(town)
        with uncollected() as found:
            await an_evening(town)
        assert not town.server.lobby.rooms
        assert [type(one) for one in found if type(one).__module__.startswith("kille_net")] == []


def test_what_has_lasted_is_not_looked_at_again() -> None:
    before = gc.get_threshold()
    with looking_at_what_is_new():
        lasting: list[list[int]] = [[] for _ in range(500)]
        gc.collect()
        assert not any(one is lasting for one in gc.get_objects())
        cycle: list[object] = []
        cycle.append(cycle)
        del cycle
        assert gc.collect() >= 1, "what is new is still freed"
    assert (gc.get_threshold(), gc.get_freeze_count()) == (before, 0)
