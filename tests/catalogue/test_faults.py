"""Faults of ours in every step of a session, and peers that go on for ever in saying nothing: who notices."""

import gc
import time
from random import Random

import pytest
import trio
import trio.testing

from kille_net.bots import BUILT_IN, Bot
from kille_net.game.actions import Action
from kille_net.game.rules import Format, Ruleset
from kille_net.game.views import View
from kille_net.server.limits import Limits
from kille_net.server.line import Line, StreamLine
from kille_net.server.people import Searcher
from kille_net.server.session import Session
from kille_net.wire import frame
from kille_net.wire import messages as m
from tests.bots.hands import Noting, play
from tests.catalogue.rows import row
from tests.deep import size
from tests.server.house import news, options
from tests.server.streams import Client, Hall, bounded_pair, hall
from tests.server.test_session import said

Clock = trio.testing.MockClock
SLOW = size(200, 1_000)


class FaultyLine:
    """A line one of whose steps is a bug of ours."""

    def __init__(self, line: Line, at: int) -> None:
        """`at`: which step."""
        self.steps = 0
        self._line = line
        self._at = at

    def _step(self) -> None:
        self.steps += 1
        if self.steps == self._at:
            raise RuntimeError("a bug")

    def seal(self, data: bytes) -> bytes:
        self._step()
        return self._line.seal(data)

    def send_now(self, data: bytes) -> int:
        self._step()
        return self._line.send_now(data)

    async def send_all(self, data: bytes) -> None:
        self._step()
        await self._line.send_all(data)
        self._step()

    async def receive(self) -> bytes:
        self._step()
        data = await self._line.receive()
        self._step()
        return data

    async def end(self) -> None:
        self._step()
        await self._line.end()

    async def close(self) -> None:
        try:
            self._step()
        finally:
            await self._line.close()


async def a_life(place: Hall, at: int) -> int:
    """Somebody comes, plays, says something and goes, with a bug in that step; how many steps there were."""
    ours, theirs = bounded_pair(1 << 20)
    line = FaultyLine(StreamLine(ours), at)
    session = Session(line, place.server, address="", is_loopback=True)
    place.server._nursery.start_soon(place.server._attend, session)
    client = Client(theirs)
    try:
        assert isinstance(await client.hello(f"Bo {at}"), m.Welcome)
        await client.ask(lambda k: m.Watch(id=k, room="Room", password=None))
        await client.send(m.Ping(n=1))
        await client.until(m.Pong)
        await client.ask(lambda k: m.Say(id=k, text="hej"))
        await client.send(m.Bye(code=m.ByeCode.DONE, place="", versions=(1,)))
    except (AssertionError, trio.BrokenResourceError):
        pass
    await client.stream.aclose()
    await trio.testing.wait_all_tasks_blocked()
    assert session not in place.server._all
    return line.steps


@row(10)
@pytest.mark.parametrize("_again", range(size(1, 20)))
async def test_a_bug_in_any_step_ends_one_connection(
    _again: int, caplog: pytest.LogCaptureFixture, autojump_clock: Clock
) -> None:
    async with hall() as place:
        ada = await place.guest("Ada")
        await ada.ask(lambda k: m.Create(id=k, room="Room", options=options(3), password=None))
        steps = await a_life(place, 0)
        assert steps > 15
        for at in range(1, steps + 1):
            caplog.clear()
            await a_life(place, at)
            assert caplog.text.count("session_failed") == 1, at
            assert isinstance(await ada.ask(lambda k: m.ListRooms(id=k, page=0)), m.Rooms)
        told = [news(message) for message in ada.heard]
        assert told.count(m.News.WATCHES) == told.count(m.News.LEFT) > steps / 2


@row(10)
async def test_a_bug_in_what_is_sent_is_no_matter_of_whoever_made_us_send(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, autojump_clock: Clock
) -> None:
    async with hall() as place:
        ada, bo, cilla = [await place.guest(name) for name in ("Ada", "Bo", "Cilla")]
        await ada.ask(lambda k: m.Create(id=k, room="Room", options=options(3), password=None))
        for client in (bo, cilla):
            await client.ask(lambda k: m.Join(id=k, room="Room", password=None))
        session = next(one for player, one in place.server.carrier._speaking.items() if player.name == "Bo")
        monkeypatch.setattr(session._outbox, "_line", FaultyLine(StreamLine(bounded_pair(100)[0]), 1))
        assert isinstance(await ada.ask(lambda k: m.Say(id=k, text="hej")), m.Ok)
        assert (await cilla.until(m.Said)).text == "hej"
        assert caplog.text.count("session_failed") == 1
        while news(await ada.next()) is not m.News.LOST:
            pass


@row(10)
@pytest.mark.parametrize("step", ["enter", "give_ticket", "confirm_ticket", "trial", "command", "lose"])
async def test_a_bug_in_what_a_session_asks_of_the_lobby_ends_one_connection(
    step: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, autojump_clock: Clock
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("a bug")

    async with hall() as place:
        ada = await place.guest("Ada")
        with monkeypatch.context() as patch:
            patch.setattr(place.server.lobby, step, fails)
            await a_life(place, 0)
        assert caplog.text.count("session_failed") == 1
        assert isinstance(await ada.ask(lambda k: m.ListRooms(id=k, page=0)), m.Rooms)


@row(54)
async def test_nothing_is_left_of_those_who_came_and_went(autojump_clock: Clock) -> None:
    def left() -> tuple[int, int, int]:
        gc.collect()
        sessions = sum(isinstance(one, Session) for one in gc.get_objects())
        return trio.lowlevel.current_statistics().tasks_living, sessions, len(place.server.lobby.players)

    async with hall() as place:
        ada = await place.guest("Ada")
        await ada.ask(lambda k: m.Create(id=k, room="Room", options=options(3), password=None))
        await a_life(place, 0)
        before = left()
        for _ in range(size(20, 5_000)):
            await a_life(place, 0)
        assert left() == before


@row(3)
async def test_hundreds_who_say_a_byte_a_second_delay_nobody_and_go_in_time(autojump_clock: Clock) -> None:
    async with hall() as place, trio.open_nursery() as nursery:
        start = trio.current_time()
        ends: list[float] = []

        async def drip(client: Client) -> None:
            hello = client.connection.send(
                m.Hello(versions=(1,), agent="test", name="Ada", bot=False, ticket=None, password=None)
            )
            with trio.move_on_after(60.0):
                async with trio.open_nursery() as both:
                    both.start_soon(say, client, hello)
                    assert said(await client.end()) == (m.ByeCode.TOO_SLOW, "")
                    ends.append(trio.current_time() - start)
                    both.cancel_scope.cancel()
            await client.stream.aclose()

        async def say(client: Client, data: bytes) -> None:
            for byte in data:
                await client.stream.send_all(bytes((byte,)))
                await trio.sleep(1.0)

        for _ in range(SLOW):
            nursery.start_soon(drip, place.connect())
        await trio.sleep(2.5)
        before = trio.current_time()
        assert isinstance(await place.connect().hello("Bo"), m.Welcome)
        assert trio.current_time() - before < 0.2
        await trio.sleep(10.0)
        assert ends == pytest.approx([5.0] * SLOW)
        nursery.cancel_scope.cancel()


@row(16)
@pytest.mark.parametrize("has_data_pending", [False, True])
async def test_a_line_that_is_cut_without_a_word_is_away_in_fifteen_seconds_and_gone_in_thirty(
    *, has_data_pending: bool, autojump_clock: Clock
) -> None:
    """Nothing comes any more, nothing that is sent is taken, and nobody says so."""
    async with hall(Limits(outbox_bytes=1 << 20, outbox_messages=10_000)) as place, trio.open_nursery() as nursery:
        ada = await place.guest("Ada")
        await ada.ask(lambda k: m.Create(id=k, room="Room", options=options(3), password=None))
        bo = await place.guest("Bo", bound=2000)
        await bo.ask(lambda k: m.Join(id=k, room="Room", password=None))
        start = trio.current_time()
        away: list[float] = []

        async def listen() -> None:
            while True:
                message = await ada.next()
                if isinstance(message, m.Ping):
                    await ada.send(m.Pong(n=message.n))
                if news(message) is m.News.LOST:
                    away.append(trio.current_time() - start)

        nursery.start_soon(listen)
        if has_data_pending:
            for k in range(40):
                await ada.send(m.Ready(id=100 + k, ready=k % 2 == 0))
        await trio.sleep(30.0)
        assert len(place.server._all) == 1
        assert len(away) == 1
        assert away[0] < 15.1
        nursery.cancel_scope.cancel()


@row(7)
async def test_fifty_who_were_not_welcomed_and_never_read_are_kept_little_for(autojump_clock: Clock) -> None:
    """Requests before the welcome are a fault at the first of them, whatever else they send."""
    async with hall() as place:
        clients = [place.connect(bound=100) for _ in range(50)]
        async with trio.open_nursery() as nursery:

            async def flood(client: Client) -> None:
                with trio.move_on_after(20.0):
                    try:
                        for k in range(size(300, 10_000)):
                            await client.stream.send_all(frame(m.ListRooms(id=k, page=0)))
                    except trio.BrokenResourceError:
                        return

            for client in clients:
                nursery.start_soon(flood, client)
            await trio.sleep(1.0)
            assert all(session._outbox.waiting[1] <= 4096 for session in place.server._all)
        await trio.sleep(10.0)
        assert not place.server._all


@row(22)
@pytest.mark.parametrize("depth", [7, 1024, 1025, 2000])
async def test_nesting_is_a_short_line_in_the_log(
    depth: int, caplog: pytest.LogCaptureFixture, autojump_clock: Clock
) -> None:
    caplog.set_level("DEBUG")
    payload = b"\x91" * depth + b"\xc0"
    async with hall() as place:
        client = await place.guest("Ada")
        await client.stream.send_all(len(payload).to_bytes(4, "big") + payload)
        assert said(await client.end()) == (m.ByeCode.TOO_COMPLEX, "")
    lines = [record.getMessage() for record in caplog.records]
    assert any("too_complex" in line for line in lines)
    assert max(len(line.encode()) for line in lines) <= 200


class Timed(Noting):
    """Notes what its decisions take of this thread's time, and decides as it does where nobody can wait."""

    def __init__(self, bot: Bot) -> None:
        super().__init__(bot)
        self._of_loop = bot
        self.times: list[float] = []

    def decide(self, view: View) -> Action:
        start = time.thread_time()
        action = self._of_loop.at_once(view) if isinstance(self._of_loop, Searcher) else super().decide(view)
        self.times.append(time.thread_time() - start)
        return action


@row(15)
@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize("format_", Format)
def test_no_computer_of_ours_keeps_the_loop(name: str, format_: Format) -> None:
    """They are asked on the loop, so that all others wait for what one of them takes."""
    bots = [Timed(BUILT_IN[name](Random(seat))) for seat in range(8)]
    for number in range(size(1, 100)):
        play(bots, Ruleset(format=format_), number)
    times = sorted(seconds for bot in bots for seconds in bot.times)
    assert times[len(times) * 99 // 100] < 0.02
