"""A bot's answer to a ping: after what came before it, and before long whatever the bot does."""

import threading
from functools import partial
from random import Random

import pytest
import trio

from kille_net.bots import Bot
from kille_net.bots.guard import Budget, Complaints
from kille_net.client import bot as bot_module
from kille_net.client.bot import Engagement, play_on_server
from kille_net.game.actions import Action
from kille_net.game.views import View
from kille_net.translate import from_do
from kille_net.wire import messages as wire
from kille_net.wire.connection import Connection, ServerConnection
from kille_net.wire.states import Role
from tests.client.fake_server import OPTIONS, Outlet, Table, room
from tests.server.streams import BoundedEnd, bounded_pair


class Thinker(Bot):
    def __init__(self) -> None:
        self.may_answer = threading.Event()

    def decide(self, view: View) -> Action:
        assert self.may_answer.wait(30)
        return view.legal[0]


class Server:
    """The other end, as far as the test says."""

    def __init__(self, stream: BoundedEnd) -> None:
        self._stream = stream
        self._connection: ServerConnection = Connection(Role.SERVER)

    async def send(self, *messages: wire.ServerMessage) -> None:
        await self._stream.send_all(b"".join(self._connection.send(message) for message in messages))

    async def next(self) -> wire.ClientMessage:
        while (message := self._connection.next_message()) is None:
            self._connection.receive_data(bytes(await self._stream.receive_some(4096)))
        return message

    async def seat(self, outlet: Outlet) -> Table:
        """Let a bot in, and begin a match up to its first question, which is not sent."""
        hello = await self.next()
        assert isinstance(hello, wire.Hello)
        welcome = wire.Welcome(
            version=1, agent="", name=hello.name, settings={}, ticket=None, resumed=wire.Resumed.NO, last_id=0
        )
        await self.send(welcome)
        joined = await self.next()
        assert isinstance(joined, wire.Join)
        names = (hello.name, "Bo", "Cilla")
        snapshot = wire.Snapshot(seq=0, room=room(*names), view=None, match=0, open=None, rest=None)
        await self.send(wire.Ok(id=joined.id), snapshot)
        ready = await self.next()
        assert isinstance(ready, wire.Ready)
        await self.send(wire.Ok(id=ready.id))
        table = Table(outlet, 1, names)
        table.begin()
        assert table.step()
        return table


async def test_it_comes_after_the_answer_or_after_two_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = bounded_pair(1 << 20)

    async def connect(*_: object) -> BoundedEnd:
        return theirs

    monkeypatch.setattr(bot_module, "connect", connect)
    thinker, server, outlet = Thinker(), Server(ours), Outlet()
    engagement = Engagement(
        host="here",
        port=1,
        name="Ada",
        make=lambda _rng: thinker,
        is_ours=False,
        budget=Budget(start=30, decision=30),
        room="Room",
        options=OPTIONS,
        matches=1,
    )
    async with trio.open_nursery() as nursery:
        nursery.start_soon(partial(play_on_server, engagement, Random(1), lambda _step: None, Complaints()))
        table = await server.seat(outlet)
        asked = trio.current_time()
        await server.send(*outlet.take(), wire.Ping(n=7))
        assert await server.next() == wire.Pong(n=7)
        assert 1.9 < trio.current_time() - asked < 10
        thinker.may_answer.set()
        answer = await server.next()
        assert isinstance(answer, wire.Decide)
        outlet.send(wire.Ok(id=answer.id))
        table.act(from_do(answer.do))
        assert table.step()
        await server.send(*outlet.take(), wire.Ping(n=8))
        assert isinstance(await server.next(), wire.Decide)
        assert await server.next() == wire.Pong(n=8)
        nursery.cancel_scope.cancel()
