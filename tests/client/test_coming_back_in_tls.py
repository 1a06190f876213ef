"""Lines in TLS that are cut: who comes back, comes back to the same key or not at all."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from random import Random

import pytest
import trio

from kille_net.bots.guard import Complaints
from kille_net.bots.simple import EasyBot
from kille_net.client.bot import Engagement, play_on_server
from kille_net.client.conversation import Conversation
from kille_net.client.core import Core
from kille_net.client.effects import Bell, Print, Show
from kille_net.client.invitation import Invitation
from kille_net.client.net.trust import KeyChanged, Trust
from kille_net.server.serve import Config
from kille_net.wire.fingerprint import words
from tests.server.house import options
from tests.server.test_serve import Town, served
from tests.tls import key, nobody_is_near

HOST = "127.0.0.1"


class Relay:
    """What lies between: it can be cut, and lead to another server."""

    def __init__(self, to: int) -> None:
        self.to = to
        self.port = 0
        self.lines = 0
        self._streams: list[trio.SocketStream] = []

    async def run(self, *, task_status: trio.TaskStatus[None]) -> None:
        async with trio.open_nursery() as nursery:
            listeners = await nursery.start(partial(trio.serve_tcp, self._carry, 0, host=HOST))
            self.port = listeners[0].socket.getsockname()[1]
            task_status.started()

    async def cut(self) -> None:
        streams, self._streams = self._streams, []
        for stream in streams:
            await trio.aclose_forcefully(stream)

    async def _carry(self, near: trio.SocketStream) -> None:
        self.lines += 1
        far = await trio.open_tcp_stream(HOST, self.to)
        self._streams += [near, far]
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_pump, near, far)
            nursery.start_soon(_pump, far, near)


async def _pump(one: trio.SocketStream, other: trio.SocketStream) -> None:
    try:
        while data := await one.receive_some():
            await other.send_all(data)
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        pass
    await trio.aclose_forcefully(one)
    await trio.aclose_forcefully(other)


def port(town: Town) -> int:
    return town.server.addresses[0][1]


@asynccontextmanager
async def two_servers() -> AsyncIterator[tuple[Relay, Town, Town]]:
    """A relay to the first of two, which have keys of their own."""
    configs = [Config(port=0, key=one, is_near=nobody_is_near) for one in (key(), key(1))]
    async with served(configs[0]) as first, served(configs[1]) as second, trio.open_nursery() as nursery:
        relay = Relay(port(first))
        await nursery.start(relay.run)
        yield relay, first, second
        await relay.cut()
        nursery.cancel_scope.cancel()


def trust_in(folder: Path) -> Trust:
    """It takes whatever it meets, as with `--trust`."""
    return Trust(file=folder / "known_servers", takes_changed=True, is_near=nobody_is_near)


async def test_a_person_comes_back_to_the_same_key_and_leaves_at_another(tmp_path: Path) -> None:
    async with two_servers() as (relay, _, second):
        tickets = tmp_path / "tickets"
        plan = Invitation(
            host=HOST, port=relay.port, name="Ada", returns=True, trust=trust_in(tmp_path), tickets=tickets
        )
        shown: list[str] = []

        def show(effect: Print | Show | Bell) -> None:
            if isinstance(effect, Print):
                shown.append(effect.text)

        conversation = Conversation(plan, Core(plan, plain=True), show)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(conversation.run)
            await conversation.changed.wait()
            await relay.cut()
            while "In contact again." not in shown:
                await conversation.changed.wait()
            assert relay.lines == 2
            assert len([text for text in shown if words(key().fingerprint) in text]) == 1, "the key was new once"
            relay.to = port(second)
            await relay.cut()
        assert conversation.quit is not None
        assert conversation.quit.code == 4
        assert words(key(1).fingerprint) in conversation.quit.text
        assert plan.trust.known(HOST, relay.port) == key().fingerprint
        assert len(list(tickets.glob("*.json"))) == 1, "the ticket is the first server's, which may be there again"


async def test_a_bot_comes_back_to_the_same_key_and_leaves_at_another(tmp_path: Path) -> None:
    async with two_servers() as (relay, _, second):
        met: list[bytes] = []
        welcomed = trio.Event()
        engagement = Engagement(
            host=HOST,
            port=relay.port,
            name="Ada",
            make=EasyBot,
            is_ours=True,
            room="Room",
            options=options(2, clock=60),
            matches=1,
            trust=trust_in(tmp_path),
            met=met.append,
        )

        async def disturb() -> None:
            await welcomed.wait()
            await relay.cut()
            await trio.sleep(2)  # it tries again after half a second at the latest
            relay.to = port(second)
            await relay.cut()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(disturb)
            with pytest.raises(KeyChanged) as changed:
                await play_on_server(engagement, Random(1), lambda _: welcomed.set(), Complaints())
        assert (changed.value.old, changed.value.new) == (key().fingerprint, key(1).fingerprint)
        assert met == [key().fingerprint]
        assert relay.lines == 3
