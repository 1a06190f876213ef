"""One peer over streams with a bound, on a clock that jumps: greetings, deadlines, rates, and who does not read."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
import trio
import trio.testing

from kille_net.server.limits import Limits
from kille_net.server.line import StreamLine
from kille_net.server.lobby import Lobby
from kille_net.server.serve import drawn_sources
from kille_net.server.session import Session
from kille_net.wire import GREETING_LIMIT, bye, frame
from kille_net.wire import messages as m
from tests.catalogue.rows import row
from tests.deep import size
from tests.server.house import choices, options, seeded
from tests.server.streams import Client, bounded_pair, hall

Clock = trio.testing.MockClock
SEEDED = replace(drawn_sources(), shuffle=seeded())
"""Matches begin at once: nobody draws anything for them."""
READY: dict[bool, Callable[[int], m.Command]] = {
    True: lambda k: m.Ready(id=k, ready=True),
    False: lambda k: m.Ready(id=k, ready=False),
}


def said(message: m.ServerMessage | None) -> tuple[m.ByeCode, str] | None:
    return (message.code, message.place) if isinstance(message, m.Bye) else None


class TestGreeting:
    async def test_tells_the_limits(self, autojump_clock: Clock) -> None:
        async with hall() as place:
            welcome = await place.connect().hello("Ada")
            assert isinstance(welcome, m.Welcome)
            assert (welcome.version, welcome.name) == (1, "Ada")
            assert welcome.settings["away_ms"] == 120_000
            assert welcome.settings["commands_per_s"] == 0, "no limit on this machine"

    @row(24)
    @pytest.mark.parametrize(
        ("versions", "name", "expected"),
        [
            ((2, 99), "Ada", (m.ByeCode.UNSUPPORTED_VERSION, "versions")),
            ((1,), "<b>", (m.ByeCode.BAD_NAME, "name")),
            ((1,), "", (m.ByeCode.BAD_NAME, "name")),
            ((1,), "BO", (m.ByeCode.NAME_TAKEN, "name")),
        ],
    )
    async def test_turns_away(
        self, versions: tuple[int, ...], name: str, expected: tuple[m.ByeCode, str], autojump_clock: Clock
    ) -> None:
        async with hall() as place:
            await place.guest("Bo")
            client = place.connect()
            await client.send(
                m.Hello(versions=versions, agent="test", name=name, bot=False, ticket=None, password=None)
            )
            last = await client.end()
            assert said(last) == expected
            assert isinstance(last, m.Bye)
            assert last.versions == (1,)

    @row(3)
    async def test_somebody_silent_goes_after_five_seconds(self, autojump_clock: Clock) -> None:
        async with hall() as place:
            client = place.connect()
            start = trio.current_time()
            assert said(await client.end()) == (m.ByeCode.TOO_SLOW, "")
            assert trio.current_time() - start == pytest.approx(5.0)

    @row(3)
    async def test_a_hello_a_byte_at_a_time_has_the_same_five_seconds(self, autojump_clock: Clock) -> None:
        async with hall() as place, trio.open_nursery() as nursery:
            client = place.connect()
            start = trio.current_time()

            async def drip() -> None:
                for byte in client.connection.send(
                    m.Hello(versions=(1,), agent="test", name="Ada", bot=False, ticket=None, password=None)
                ):
                    await client.stream.send_all(bytes((byte,)))
                    await trio.sleep(0.5)

            nursery.start_soon(drip)
            assert said(await client.end()) == (m.ByeCode.TOO_SLOW, "")
            assert trio.current_time() - start == pytest.approx(5.0)
            await client.stream.aclose()
            nursery.cancel_scope.cancel()

    @row(7)
    async def test_who_was_not_welcomed_hears_no_more_than_a_bye(self, autojump_clock: Clock) -> None:
        async with hall() as place:
            client = place.connect()
            await client.stream.send_all(frame(m.ListRooms(id=1, page=0)))
            assert said(await client.end()) == (m.ByeCode.UNEXPECTED, "t")
            assert len(client.heard) == 1

    @row(1, 2)
    @pytest.mark.parametrize(
        ("data", "expected"),
        [
            (b"\xff\xff\xff\xff", m.ByeCode.FRAME_TOO_BIG),
            ((GREETING_LIMIT + 1).to_bytes(4, "big"), m.ByeCode.FRAME_TOO_BIG),
            (bytes(4), m.ByeCode.FRAME_EMPTY),
            (b"\x00\x00\x00\x01\xc1", m.ByeCode.BAD_ENCODING),
            (b"\x00\x00\x00\x01\x80", m.ByeCode.BAD_MESSAGE),
        ],
    )
    async def test_noise_is_told_what_is_wrong_with_it(
        self, data: bytes, expected: m.ByeCode, autojump_clock: Clock
    ) -> None:
        async with hall() as place:
            client = place.connect()
            await client.stream.send_all(data)
            last = await client.end()
            assert isinstance(last, m.Bye)
            assert last.code is expected


class TestSilence:
    @row(16)
    async def test_is_asked_after_five_seconds_and_dead_after_fifteen(self, autojump_clock: Clock) -> None:
        async with hall() as place:
            client = await place.guest("Ada")
            start = trio.current_time()
            await client.until(m.Ping)
            assert trio.current_time() - start == pytest.approx(5.0)
            assert said(await client.end()) == (m.ByeCode.SILENT, "")
            assert trio.current_time() - start == pytest.approx(15.0)

    async def test_is_broken_by_a_pong(self, autojump_clock: Clock) -> None:
        async with hall() as place:
            client = await place.guest("Ada")
            for k in range(5):
                ping = await client.until(m.Ping)
                assert ping.n == k + 1
                await client.send(m.Pong(n=ping.n))
            assert trio.current_time() == pytest.approx(25.0)

    async def test_that_was_ours_is_not_held_against_who_would_have_answered(self, mock_clock: Clock) -> None:
        """As when the process was stopped, or the machine asleep."""
        async with hall() as place:
            client = await place.guest("Ada")
            mock_clock.jump(60.0)
            await client.send(m.Pong(n=(await client.until(m.Ping)).n))
            assert isinstance(await client.ask(lambda k: m.ListRooms(id=k, page=0)), m.Rooms)

    @pytest.mark.parametrize("_", range(8))
    async def test_is_over_with_what_has_come_while_we_stood_still(self, _: int, mock_clock: Clock) -> None:
        async with hall() as place:
            client = await place.guest("Ada")
            mock_clock.jump(5.0)
            ping = await client.until(m.Ping)
            mock_clock.jump(1.0)
            await trio.testing.wait_all_tasks_blocked()
            await client.send(m.Pong(n=ping.n))
            mock_clock.jump(60.0)
            assert isinstance(await client.ask(lambda k: m.ListRooms(id=k, page=0)), m.Rooms)

    @pytest.mark.parametrize("_", range(8))
    async def test_of_ours_is_no_matter_of_a_hello_that_had_come(self, _: int, mock_clock: Clock) -> None:
        async with hall() as place:
            client = place.connect()
            await trio.testing.wait_all_tasks_blocked()
            hello = m.Hello(versions=(1,), agent="test", name="Ada", bot=False, ticket=None, password=None)
            await client.send(hello)
            mock_clock.jump(60.0)
            assert isinstance(await client.next(), m.Welcome)

    async def test_a_ping_is_answered_with_its_number(self, autojump_clock: Clock) -> None:
        """§8.1"""
        async with hall() as place:
            client = await place.guest("Ada")
            await client.send(m.Ping(n=77))
            assert await client.next() == m.Pong(n=77)


class TestFrames:
    @row(3)
    async def test_have_five_seconds_from_first_byte_to_last(self, autojump_clock: Clock) -> None:
        async with hall() as place:
            client = await place.guest("Ada")
            packed = client.connection.send(m.ListRooms(id=1, page=0))
            await client.stream.send_all(packed + packed[:7])
            await trio.sleep(4.9)
            await client.stream.send_all(packed[7:] + packed[:5])
            await trio.sleep(4.9)
            await client.stream.send_all(packed[5:6])
            assert said(await client.end()) == (m.ByeCode.TOO_SLOW, "")
            assert trio.current_time() == pytest.approx(9.9)
            assert len([message for message in client.heard if isinstance(message, m.Rooms)]) == 2

    @row(4)
    @pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 1000])
    async def test_may_come_in_any_pieces(self, size: int, autojump_clock: Clock) -> None:
        async with hall() as place:
            client = place.connect()
            hello = client.connection.send(
                m.Hello(versions=(1,), agent="test", name="Ada", bot=False, ticket=None, password=None)
            )
            stream = b"".join(frame(m.ListRooms(id=k, page=0)) for k in range(50))
            for data in (hello, stream):
                for start in range(0, len(data), size):
                    await client.stream.send_all(data[start : start + size])
                if data is hello:
                    assert isinstance(await client.next(), m.Welcome)
            assert [await client.next() for _ in range(50)] == [
                m.Rooms(id=k, page=0, pages=1, rooms=()) for k in range(50)
            ]

    async def test_before_a_bad_one_are_answered(self, autojump_clock: Clock) -> None:
        async with hall() as place:
            client = await place.guest("Ada")
            await client.stream.send_all(frame(m.ListRooms(id=1, page=0)) + bytes(4) + frame(m.ListRooms(id=2, page=0)))
            assert isinstance(await client.next(), m.Rooms)
            assert said(await client.end()) == (m.ByeCode.FRAME_EMPTY, "")
            assert len(client.heard) == 3


class TestRates:
    """Those of other machines: streams within this one have no limit."""

    @row(19)
    async def test_refuse_what_is_beyond_and_part_at_the_third(self, autojump_clock: Clock) -> None:
        """Nothing is read for a second after each: who sends 10,000 a second has 20, and 10 in each of two."""
        async with hall() as place:
            client = await place.guest("Ada", is_far=True)
            start = trio.current_time()
            for k in range(100):
                await client.send(m.ListRooms(id=k, page=0))
            assert said(await client.end()) == (m.ByeCode.FLOOD, "")
            answers = [type(message).__name__ for message in client.heard[1:-1]]
            assert answers == ["Rooms"] * 20 + (["Refused"] + ["Rooms"] * 10) * 2 + ["Refused"]
            assert trio.current_time() == pytest.approx(start + 2.0)

    @row(19)
    async def test_are_kept_by_reading_no_more(self, autojump_clock: Clock) -> None:
        """So that the flood stays where it comes from."""
        async with hall(Limits(pause=30.0, silence=100.0)) as place, trio.open_nursery() as nursery:
            client = await place.guest("Ada", is_far=True, bound=1000)
            sent = 0

            async def flood() -> None:
                nonlocal sent
                while True:
                    packed = frame(m.Ping(n=sent))
                    await client.stream.send_all(packed)
                    sent += len(packed)

            nursery.start_soon(flood)
            await trio.sleep(10.0)
            assert 1000 < sent < 4096 + 2 * 1000
            nursery.cancel_scope.cancel()

    @row(18)
    async def test_count_a_pong_that_nobody_asked_for_as_a_strike(self, autojump_clock: Clock) -> None:
        async with hall() as place:
            client = await place.guest("Ada", is_far=True)
            for n in (0, 1, 2**31 - 1):  # the first ping will be 1
                await client.send(m.Pong(n=n))
            assert said(await client.end()) == (m.ByeCode.FLOOD, "")

    @row(18)
    async def test_count_a_pong_that_comes_twice_as_a_strike(self, autojump_clock: Clock) -> None:
        async with hall() as place:
            client = await place.guest("Ada", is_far=True)
            ping = await client.until(m.Ping)
            for _ in range(4):
                await client.send(m.Pong(n=ping.n))
            assert said(await client.end()) == (m.ByeCode.FLOOD, "")

    @row(18)
    @pytest.mark.parametrize("seed", range(size(10, 1_000)))
    async def test_count_any_pong_but_those_that_were_asked_for(self, seed: int, autojump_clock: Clock) -> None:
        chance = Random(seed)
        async with hall(Limits(ping=0.01)) as place:
            client = await place.guest("Ada", is_far=True)
            asked = [(await client.until(m.Ping)).n]
            for _ in range(chance.randrange(20)):
                await client.send(m.Pong(n=asked[-1]))
                asked.append((await client.until(m.Ping)).n)
            for _ in range(3):  # one that was answered, or that is still to be asked
                await client.send(m.Pong(n=chance.choice((0, *asked[:-1], chance.randrange(10**6, 2**31)))))
            assert said(await client.end()) == (m.ByeCode.FLOOD, "")

    @row(18)
    async def test_do_not_count_the_pongs_that_were_asked_for(self, autojump_clock: Clock) -> None:
        async with hall(Limits(commands_burst=1, ping=0.01)) as place:
            client = await place.guest("Ada", is_far=True)
            for _ in range(100):
                await client.send(m.Pong(n=(await client.until(m.Ping)).n))

    @row(18)
    async def test_take_a_late_pong_before_the_one_that_followed(self, autojump_clock: Clock) -> None:
        async with hall() as place:
            client = await place.guest("Ada", is_far=True)
            await client.until(m.Ping)
            await client.ask(lambda k: m.ListRooms(id=k, page=0))
            await client.until(m.Ping)
            for n in (1, 2):
                await client.send(m.Pong(n=n))
            for _ in range(20):
                assert isinstance(await client.ask(lambda k: m.ListRooms(id=k, page=0)), m.Rooms)

    async def test_let_go_on_whoever_slows_down(self, autojump_clock: Clock) -> None:
        async with hall() as place:
            client = await place.guest("Ada", is_far=True)
            for k in range(100):
                await client.send(m.ListRooms(id=k, page=0))
                assert (await client.until(m.Rooms)).id == k, "nothing is refused"
                await trio.sleep(0.1)

    async def test_do_not_count_answers_to_an_open_question(self, autojump_clock: Clock) -> None:
        async with hall(sources=SEEDED) as place:
            client = await place.guest("Ada", bot=True, is_far=True)
            await client.ask(
                lambda k: m.Create(id=k, room="Room", options=options(2, computers=1, pots=40), password=None)
            )
            await client.send(m.Ready(id=1000, ready=True))
            acts = 0
            while not isinstance(message := await client.next(), m.MatchEnded):
                if isinstance(message, m.Question):
                    acts += 1
                    do = next(do for do in choices(message) if do is not m.Do.KUKU)
                    await client.send(m.Decide(id=1000 + acts, turn=message.turn, do=do))
            assert acts > 21
            assert trio.current_time() < 1.0

    @row(18)
    async def test_count_pings_which_are_not_answered_then(self, autojump_clock: Clock) -> None:
        """§8.3: 20 at once, as of commands, and who goes on regardless is parted from."""
        async with hall() as place:
            client = await place.guest("Ada", is_far=True)
            for k in range(43):
                await client.send(m.Ping(n=k))
            assert said(await client.end()) == (m.ByeCode.FLOOD, "")
            assert client.heard[1:-1] == [m.Pong(n=k) for k in range(42) if k not in {20, 31}]

    async def test_count_pings_and_commands_together(self, autojump_clock: Clock) -> None:
        async with hall() as place:
            client = await place.guest("Ada", is_far=True)
            for k in range(20):
                await client.send(m.Ping(n=k))
            assert await client.ask(lambda k: m.ListRooms(id=k, page=0)) == m.Refused(id=1, code=m.RefusalCode.TOO_FAST)

    @row(20)
    async def test_bound_what_is_said(self, autojump_clock: Clock) -> None:
        async with hall() as place:
            client = await place.guest("Ada")
            await client.ask(lambda k: m.Create(id=k, room="Room", options=options(2), password=None))
            answers = [await client.ask(lambda k: m.Say(id=k, text="hej")) for _ in range(11)]
            assert [isinstance(answer, m.Ok) for answer in answers] == [True] * 10 + [False]
            await trio.sleep(10.0)
            answers = [await client.ask(lambda k: m.Say(id=k, text="x" * 200)) for _ in range(6)]
            assert [isinstance(answer, m.Ok) for answer in answers] == [True] * 5 + [False]


class TestOutbox:
    @row(7)
    async def test_is_small_before_the_welcome(self, autojump_clock: Clock) -> None:
        """4 KiB, whatever there is to send; a whole outbox after it."""
        event = frame(m.Said(seq=1, who="Ada", text="x" * 200))
        much = [event] * (Limits().greeting_outbox_bytes // len(event) + 1)
        async with hall() as place:
            sessions: list[Session] = []
            for is_welcome in (False, True):
                ours, theirs = bounded_pair(1 << 20)
                sessions.append(Session(StreamLine(ours), place.server, address="", is_loopback=True))
                place.nursery.start_soon(sessions[-1].run)
                client = Client(theirs)
                if is_welcome:
                    assert isinstance(await client.hello("Ada"), m.Welcome)
                await trio.testing.wait_all_tasks_blocked()
                sessions[-1].send(much)
                if is_welcome:
                    assert [await client.until(m.Said) for _ in much]
                else:
                    assert said(await client.end()) == (m.ByeCode.TOO_SLOW, "")
                    assert len(client.heard) == 1


class TestEnds:
    @row(14)
    async def test_whoever_never_reads_ends_alone(self, autojump_clock: Clock) -> None:
        """400 events while one watcher takes nothing: the others get them all, at once."""
        async with hall() as place:
            ada = await place.guest("Ada")
            bo = await place.guest("Bo")
            await ada.ask(lambda k: m.Create(id=k, room="Room", options=options(3), password=None))
            await bo.ask(lambda k: m.Join(id=k, room="Room", password=None))
            deaf = await place.guest("Deaf", bound=2000)
            await deaf.send(m.Watch(id=1, room="Room", password=None))
            for k in range(400):
                sent_at = trio.current_time()
                await ada.ask(READY[k % 2 == 0])
                while True:
                    event = await bo.until(m.RoomChanged)
                    if event.news in {m.News.READY, m.News.NOT_READY}:
                        break
                assert trio.current_time() == sent_at
            await trio.sleep(1)
            left = [message.news for message in bo.heard if isinstance(message, m.RoomChanged)]
            await ada.ask(lambda k: m.Ready(id=k, ready=True))
            await bo.until(m.RoomChanged)
            assert m.News.LEFT in left
            assert said(await deaf.end()) == (m.ByeCode.TOO_SLOW, "")

    async def test_a_lost_line_is_told_to_the_others_and_a_goodbye_is_one(self, autojump_clock: Clock) -> None:
        async with hall() as place:
            ada = await place.guest("Ada")
            await ada.ask(lambda k: m.Create(id=k, room="Room", options=options(4), password=None))
            for name in ("Bo", "Cilla"):
                client = await place.guest(name)
                await client.ask(lambda k: m.Join(id=k, room="Room", password=None))
                if name == "Bo":
                    await client.send(bye(m.ByeCode.DONE))
                await client.stream.aclose()
                expected = m.News.LEFT if name == "Bo" else m.News.LOST
                while (event := await ada.until(m.RoomChanged)).news is not expected:
                    pass
                assert event.who == name

    async def test_a_goodbye_is_not_answered(self, autojump_clock: Clock) -> None:
        """§4.4"""
        async with hall() as place:
            ada = await place.guest("Ada")
            await ada.send(bye(m.ByeCode.DONE))
            assert await ada.stream.receive_some(1) == b""
            assert trio.current_time() == 0.0

    @row(10)
    @pytest.mark.parametrize("method", ["enter", "command", "is_answer"])
    async def test_an_error_of_ours_ends_one_session_and_not_the_server(
        self, method: str, autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        async with hall() as place:
            ada = await place.guest("Ada")
            bo = place.connect() if method == "enter" else await place.guest("Bo")
            with monkeypatch.context() as patch:
                patch.setattr(Lobby, method, _break)
                if method == "enter":
                    await bo.send(
                        m.Hello(versions=(1,), agent="test", name="Bo", bot=False, ticket=None, password=None)
                    )
                else:
                    await bo.send(m.Decide(id=1, turn=1, do=m.Do.STAND))
                assert said(await bo.end()) == (m.ByeCode.INTERNAL, "")
            assert isinstance(await ada.ask(lambda k: m.ListRooms(id=k, page=0)), m.Rooms)
            assert "KeyError" in caplog.text
            assert "harlekin" not in caplog.text, "what was wrong may be a card"

    async def test_an_error_in_a_room_is_logged_without_a_card(
        self, autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        async with hall(sources=SEEDED) as place:
            ada = await place.guest("Ada")
            await ada.ask(lambda k: m.Create(id=k, room="Room", options=options(2, computers=1), password=None))
            with monkeypatch.context() as patch:
                patch.setattr("kille_net.server.play.RunningMatch", _break)
                assert await ada.ask(lambda k: m.Start(id=k)) == m.Refused(id=2, code=m.RefusalCode.NO_SUCH_ROOM)
            assert (await ada.until(m.RoomChanged)).news is m.News.FAILED
            assert 'event=room_failed error="KeyError at' in caplog.text
            assert "harlekin" not in caplog.text

    async def test_shutting_down_says_so_to_all(self, autojump_clock: Clock) -> None:
        async with hall() as place:
            clients = [await place.guest("Ada"), await place.guest("Bo"), place.connect()]
            await trio.testing.wait_all_tasks_blocked()
            place.nursery.start_soon(place.server.shut_down)
            for client in clients:
                assert said(await client.end()) == (m.ByeCode.SHUTTING_DOWN, "")

    async def test_a_deaf_peer_does_not_hold_up_the_end(self, autojump_clock: Clock) -> None:
        async with trio.open_nursery() as nursery:
            async with hall(Limits()) as place:
                await place.guest("Ada", bound=60)
                deaf = place.connect(bound=1)
                await deaf.send(
                    m.Hello(versions=(1,), agent="test", name="Deaf", bot=False, ticket=None, password=None)
                )
                start = trio.current_time()
                await place.server.shut_down()
                assert trio.current_time() - start <= 12.0
            nursery.cancel_scope.cancel()


def _break(*_: object, **__: object) -> None:
    raise KeyError("harlekin")


async def test_a_whole_match_with_windows_and_paces_over_streams(autojump_clock: Clock) -> None:
    async with hall() as place:
        clients = [await place.guest(name) for name in ("Ada", "Bo")]
        room = options(4, computers=2, pots=2, clock=20, window=1500, pace=1000, rest=3000)
        await clients[0].ask(lambda k: m.Create(id=k, room="Room", options=room, password=None))
        await clients[1].ask(lambda k: m.Join(id=k, room="Room", password=None))

        async def play(client: Client) -> None:
            await client.send(m.Ready(id=900, ready=True))
            while not isinstance(message := await client.next(), m.MatchEnded):
                match message:
                    case m.Ping(n=n):
                        await client.send(m.Pong(n=n))
                    case m.Question():
                        do = next(do for do in choices(message) if do is not m.Do.KUKU)
                        await client.send(m.Decide(id=message.turn, turn=message.turn, do=do))
                    case m.Bye():
                        raise AssertionError(message.code)

        async with trio.open_nursery() as nursery:
            for client in clients:
                nursery.start_soon(play, client)
        ends = [message for client in clients for message in client.heard if isinstance(message, m.MatchEnded)]
        assert len(ends) == 2
        assert ends[0] == ends[1]
        assert trio.current_time() > 30.0


class TestComingBack:
    """§4.5"""

    async def test_the_welcome_gives_a_ticket_that_resumes(self, autojump_clock: Clock) -> None:
        async with hall() as place:
            ada = place.connect()
            first = await ada.hello("Ada", bot=True)
            assert isinstance(first, m.Welcome)
            assert (first.resumed, first.last_id) == (m.Resumed.NO, 0)
            await ada.send(m.Create(id=41, room="Room", options=options(2), password=None))
            await ada.until(m.Snapshot)
            await ada.stream.aclose()
            again, welcome = await place.back(first.ticket)
            assert (welcome.name, welcome.resumed, welcome.last_id) == ("Ada", m.Resumed.ROOM, 41)
            assert welcome.ticket != first.ticket
            assert isinstance(await again.next(), m.Snapshot)

    @row(39)
    async def test_the_old_connection_is_fenced_at_once(self, autojump_clock: Clock) -> None:
        async with hall() as place:
            ada = place.connect()
            first = await ada.hello("Ada")
            assert isinstance(first, m.Welcome)
            await ada.ask(lambda k: m.Create(id=k, room="Room", options=options(2), password=None))
            await ada.until(m.Snapshot)
            again, _ = await place.back(first.ticket)
            await ada.send(m.Say(id=2, text="too late"))
            assert isinstance(await again.next(), m.Snapshot)
            assert said(await ada.end()) == (m.ByeCode.REPLACED, "")
            await again.send(m.Say(id=3, text="here"))
            assert (await again.until(m.Said)).text == "here"
            assert not any(isinstance(message, m.Said) for message in ada.heard)
            await trio.sleep(4)
            assert place.server.carrier.speaking == 1, "the end of the old one has not taken the new one with it"

    async def test_a_welcome_may_be_lost_on_its_way(self, autojump_clock: Clock) -> None:
        async with hall() as place:
            ada = place.connect()
            first = await ada.hello("Ada")
            assert isinstance(first, m.Welcome)
            await ada.stream.aclose()
            lost, second = await place.back(first.ticket)  # which never came
            await lost.stream.aclose()
            good, third = await place.back(first.ticket)
            await good.ask(lambda k: m.ListRooms(id=k, page=0))
            for ticket in (first.ticket, second.ticket):
                assert said(await place.connect().hello("Ada", ticket=ticket)) == (m.ByeCode.BAD_TICKET, "ticket")
            await place.back(third.ticket)

    async def test_a_bye_confirms_nothing(self, autojump_clock: Clock) -> None:
        async with hall() as place:
            ada = place.connect()
            first = await ada.hello("Ada")
            assert isinstance(first, m.Welcome)
            again, _ = await place.back(first.ticket)
            await again.send(bye(m.ByeCode.SILENT))
            await again.end()
            await place.back(first.ticket)

    @row(38)
    async def test_refusals_of_tickets_are_all_alike_and_ten_lock_for_a_minute(self, autojump_clock: Clock) -> None:
        async with hall() as place:
            ada = place.connect()
            first = await ada.hello("Ada", bot=True)
            assert isinstance(first, m.Welcome)
            await ada.send(bye(m.ByeCode.DONE))
            await ada.end()
            bo = place.connect()
            kept = await bo.hello("Bo")
            assert isinstance(kept, m.Welcome)
            for k in range(10):
                ticket = first.ticket if k % 2 else f"{k:064x}"
                last = await place.connect().hello("Ada", ticket=ticket)
                assert last == bye(m.ByeCode.BAD_TICKET, "ticket")
            assert said(await place.connect().hello("Bo", ticket=kept.ticket)) == (m.ByeCode.BUSY, "")
            await place.guest("Cilla")
            await trio.sleep(60)
            await place.back(kept.ticket)

    @row(38)
    async def test_a_name_alone_resumes_nothing(self, autojump_clock: Clock) -> None:
        async with hall() as place:
            ada = await place.guest("Ada")
            await ada.stream.aclose()
            assert said(await place.connect().hello("Ada")) == (m.ByeCode.NAME_TAKEN, "name")

    @row(40)
    async def test_a_command_that_was_done_on_the_lost_line_is_only_answered(self, autojump_clock: Clock) -> None:
        """§5.3"""
        async with hall() as place:
            ada = place.connect()
            first = await ada.hello("Ada")
            assert isinstance(first, m.Welcome)
            create = m.Create(id=1, room="Room", options=options(2), password=None)
            await ada.send(create)
            await ada.stream.aclose()
            again, welcome = await place.back(first.ticket)
            assert welcome.last_id == 1
            await again.send(create)
            assert [type(await again.next()) for _ in range(2)] == [m.Snapshot, m.Ok]

    async def test_no_ticket_is_logged_or_shown(
        self, autojump_clock: Clock, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        caplog.set_level("DEBUG")
        async with hall() as place:
            ada = place.connect()
            first = await ada.hello("Ada")
            assert isinstance(first, m.Welcome)
            assert first.ticket is not None
            await ada.stream.aclose()
            monkeypatch.setattr(Lobby, "come_back", _break)
            last = await place.connect().hello("Ada", ticket=first.ticket)
            assert said(last) == (m.ByeCode.INTERNAL, "")
            assert "session_failed" in caplog.text
            assert first.ticket not in caplog.text
            assert first.ticket not in repr(vars(place.server.lobby)) + repr(vars(place.server.carrier)) + repr(first)

    async def test_who_comes_back_all_the_time_has_to_wait(self, autojump_clock: Clock) -> None:
        """Each time costs the room two events, and no rate of commands counts them."""
        async with hall() as place:
            ada = place.connect()
            welcome = await ada.hello("Ada")
            assert isinstance(welcome, m.Welcome)
            for _ in range(20):  # in the lobby nobody is told
                ada, welcome = await place.back(welcome.ticket)
            assert isinstance(await ada.ask(lambda k: m.Create(id=k, room="R", options=options(), password=None)), m.Ok)
            for _ in range(10):
                _, welcome = await place.back(welcome.ticket)
            assert said(await place.connect().hello("Ada", ticket=welcome.ticket)) == (m.ByeCode.BUSY, "")
            await trio.sleep(2)
            await place.back(welcome.ticket)


# --- notices ----------------------------------------------------------------------------------------------------------


async def test_a_notice_goes_to_all_who_are_welcomed_and_to_nobody_else(autojump_clock: Clock) -> None:
    async with hall() as house:
        ada, bo, stranger = await house.guest("Ada"), await house.guest("Bo"), house.connect()
        assert isinstance(await ada.ask(lambda k: m.Create(id=k, room="Room", options=options(), password=None)), m.Ok)
        house.server.carrier.tell_everyone(m.Notice(code=m.NoticeCode.ANNOUNCE, text="a\x1bb" + "\u0301" * 300, ms=0))
        told = [await client.until(m.Notice) for client in (ada, bo)]
        assert [notice.text for notice in told] == ["a\ufffdb\u0301\u0301"] * 2
        await trio.testing.wait_all_tasks_blocked()
        house.server.carrier.tell_everyone(m.Notice(code=m.NoticeCode.ANNOUNCE, text="å" * 300, ms=0))
        assert len((await bo.until(m.Notice)).text) == 200
        assert isinstance(await stranger.hello("Cecilia"), m.Welcome), "nothing before the welcome"
