"""Passwords: what is kept of one, who has to know it, how often one may try, and that nobody waits for it."""

import time
from functools import partial

import pytest
import trio
import trio.testing

from kille_net.server.limits import Limits
from kille_net.server.passwords import NOBODYS, Trial, prove
from kille_net.server.proving import Denied, Prover, in_thread
from kille_net.server.serve import Config, Server
from kille_net.wire import messages as m
from tests.catalogue.rows import row
from tests.deep import size
from tests.own_time import own_time
from tests.server.house import House, cheap_proof, code, options
from tests.server.streams import Client, Hall, hall
from tests.server.test_session import said

Clock = trio.testing.MockClock
SECRET = "hjärter kung"
LOCK = cheap_proof(Trial(SECRET, None))


async def in_a_moment(trial: Trial) -> str | None:
    """On the mock clock, which would jump while a thread works."""
    await trio.sleep(0.03)
    return cheap_proof(trial)


CONFIG = Config(lock=LOCK, prove=in_a_moment)


async def hello(place: Hall, name: str, password: str | None, ticket: str | None = None) -> m.ServerMessage | None:
    client = place.connect()
    return await say_hello(client, name, password, ticket)


async def say_hello(
    client: Client, name: str, password: str | None, ticket: str | None = None, *, version: int = 1
) -> m.ServerMessage | None:
    await client.send(
        m.Hello(versions=(version,), agent="test", name=name, bot=False, ticket=ticket, password=password)
    )
    return await client.maybe()


class TestProving:
    def test_only_the_same_password_opens_a_lock(self) -> None:
        lock = prove(Trial(SECRET, None))
        assert lock is not None
        assert lock.startswith("$argon2id$")
        assert SECRET not in lock
        assert prove(Trial(SECRET, lock)) == lock
        assert prove(Trial("hja\u0308rter kung", lock)) == lock, "as other keyboards compose it"
        assert prove(Trial(SECRET.upper(), lock)) is None
        assert prove(Trial("", lock)) is None

    def test_the_same_password_is_kept_otherwise_each_time(self) -> None:
        assert prove(Trial(SECRET, None)) != prove(Trial(SECRET, None))

    @row(33)
    def test_nothing_shows_a_password(self) -> None:
        assert SECRET not in repr(Trial(SECRET, None))
        assert "argon2" not in repr(Config(lock=NOBODYS))

    @row(42)
    def test_what_is_not_there_takes_as_long_as_what_is(self) -> None:
        """By the processor's clock, and half of it at least: other tests run beside this one."""
        lock = prove(Trial(SECRET, None))
        spent: dict[str | None, float] = {}
        for tried in (lock, NOBODYS):
            times = []
            for _ in range(size(5, 200)):
                start = time.thread_time()
                assert prove(Trial("wrong", tried)) is None
                times.append(time.thread_time() - start)
            spent[tried] = min(times)
        assert 0.5 < spent[NOBODYS] / spent[lock] < 2.0


class TestTheServers:
    async def test_lets_in_who_knows_it(self, autojump_clock: Clock) -> None:
        async with hall(CONFIG) as place:
            assert isinstance(await hello(place, "Ada", SECRET), m.Welcome)

    @pytest.mark.parametrize("password", [None, "wrong"])
    async def test_keeps_out_who_does_not(self, password: str | None, autojump_clock: Clock) -> None:
        async with hall(CONFIG) as place:
            assert said(await hello(place, "Ada", password)) == (m.ByeCode.WRONG_PASSWORD, "password")

    async def test_is_ignored_where_there_is_none(self, autojump_clock: Clock) -> None:
        async with hall() as place:
            assert isinstance(await hello(place, "Ada", "whatever"), m.Welcome)

    async def test_is_looked_at_after_the_version_and_before_the_name(self, autojump_clock: Clock) -> None:
        async with hall(CONFIG) as place:
            last = await say_hello(place.connect(), "Ada", "wrong", version=99)
            assert said(last) == (m.ByeCode.UNSUPPORTED_VERSION, "versions")
            await hello(place, "Ada", SECRET)
            assert said(await hello(place, "Ada", "wrong")) == (m.ByeCode.WRONG_PASSWORD, "password")
            assert said(await hello(place, "Ada", SECRET)) == (m.ByeCode.NAME_TAKEN, "name")

    async def test_is_not_asked_of_who_has_a_ticket(self, autojump_clock: Clock) -> None:
        async with hall(CONFIG) as place:
            welcome = await hello(place, "Ada", SECRET)
            assert isinstance(welcome, m.Welcome)
            back = await hello(place, "Ada", None, welcome.ticket)
            assert isinstance(back, m.Welcome)
            assert back.name == "Ada"

    async def test_does_not_cost_the_peer_its_time_for_the_hello(self, autojump_clock: Clock) -> None:
        async def slow(trial: Trial) -> str | None:
            await trio.sleep(60.0)
            return cheap_proof(trial)

        async with hall(Config(lock=LOCK, prove=slow)) as place:
            assert isinstance(await hello(place, "Ada", SECRET), m.Welcome)

    async def test_lets_nobody_in_who_was_parted_from_meanwhile(self, autojump_clock: Clock) -> None:
        async with hall(CONFIG) as place, trio.open_nursery() as nursery:
            nursery.start_soon(hello, place, "Ada", SECRET)
            await trio.sleep(0.01)
            (session,) = place.server._all
            session.end(m.ByeCode.SHUTTING_DOWN)
            await trio.sleep(1.0)
            assert not place.server.lobby.players

    async def test_lets_nobody_in_who_was_banned_meanwhile(self, autojump_clock: Clock) -> None:
        heard: list[m.ServerMessage | None] = []

        async def try_it(place: Hall) -> None:
            heard.append(await hello(place, "Ada", SECRET))

        async with hall(CONFIG) as place, trio.open_nursery() as nursery:
            nursery.start_soon(try_it, place)
            await trio.sleep(0.01)
            place.server.ban("Ada")
        assert said(heard[0]) == (m.ByeCode.BANNED, "")

    async def test_lets_nobody_in_once_it_is_stopping(self, autojump_clock: Clock) -> None:
        heard: list[m.ServerMessage | None] = []

        async def try_it(place: Hall) -> None:
            heard.append(await hello(place, "Ada", SECRET))

        async with hall(CONFIG) as place, trio.open_nursery() as nursery:
            nursery.start_soon(try_it, place)
            await trio.sleep(0.01)
            place.server.lobby.drain()
        assert said(heard[0]) == (m.ByeCode.SHUTTING_DOWN, "")


@row(33)
async def test_no_password_is_logged(caplog: pytest.LogCaptureFixture, autojump_clock: Clock) -> None:
    caplog.set_level("DEBUG")
    async with hall(CONFIG) as place:
        for k in range(7):
            await hello(place, f"Ada {k}", "wr0ng-w0rd")
        await trio.sleep(60.0)
        await say_hello(ada := place.connect(), "Ada", SECRET)
        await ada.ask(lambda k: m.Create(id=k, room="Room", options=options(3), password="r00m-w0rd"))
    assert "not_let_in" in caplog.text
    for secret in ("wr0ng-w0rd", SECRET, "r00m-w0rd", "argon2", str(LOCK)):
        assert secret not in caplog.text


@row(42)
class TestTries:
    async def test_are_five_a_minute_from_one_address(self, autojump_clock: Clock) -> None:
        async with hall(CONFIG) as place:
            for k in range(5):
                assert said(await hello(place, f"Ada {k}", "wrong")) == (m.ByeCode.WRONG_PASSWORD, "password")
            assert said(await hello(place, "Ada", SECRET)) == (m.ByeCode.BUSY, "")
            await trio.sleep(59.8)
            assert said(await hello(place, "Ada", SECRET)) == (m.ByeCode.BUSY, "")
            await trio.sleep(0.2)
            assert isinstance(await hello(place, "Ada", SECRET), m.Welcome)

    async def test_are_five_also_when_fifty_come_at_once(self, autojump_clock: Clock) -> None:
        looked = 0

        async def counted(trial: Trial) -> str | None:
            nonlocal looked
            looked += 1
            return await in_a_moment(trial)

        async with hall(Config(lock=LOCK, prove=counted)) as place, trio.open_nursery() as nursery:
            for k in range(50):
                nursery.start_soon(hello, place, f"Ada {k}", f"wrong {k}")
        assert looked == 5

    async def test_that_are_right_are_not_counted(self, autojump_clock: Clock) -> None:
        """A class comes in by one router."""
        async with hall(CONFIG) as place:
            for k in range(30):
                assert isinstance(await hello(place, f"Ada {k}", SECRET), m.Welcome)

    async def test_of_nothing_are_not_counted(self, autojump_clock: Clock) -> None:
        async with hall(CONFIG) as place:
            for _ in range(10):
                assert said(await hello(place, "Ada", None)) == (m.ByeCode.WRONG_PASSWORD, "password")
            assert isinstance(await hello(place, "Ada", SECRET), m.Welcome)

    async def test_are_counted_by_address(self, autojump_clock: Clock) -> None:
        prover = Prover(Limits(), in_a_moment)
        wrong = Trial("wrong", LOCK)
        assert [await prover.prove(wrong, "a") for _ in range(6)] == [Denied.WRONG] * 5 + [Denied.TOO_OFTEN]
        assert await prover.prove(Trial(SECRET, LOCK), "a") is Denied.TOO_OFTEN
        assert await prover.prove(Trial(SECRET, LOCK), "b") == LOCK
        assert await prover.prove(Trial("new", None), "a") == cheap_proof(Trial("new", None)), "nothing was tried"

    async def test_of_rooms_are_counted_with_those_of_the_server(self, autojump_clock: Clock) -> None:
        async with hall(Config(prove=in_a_moment, limits=Limits(silence=600.0))) as place:
            ada, bo = await place.guest("Ada"), await place.guest("Bo")
            await ada.ask(lambda k: m.Create(id=k, room="Room", options=options(3), password=SECRET))
            for room in ("Room", "none", "Room", "none", "none"):
                answer = await bo.ask(partial(join, room=room, password="wrong"))
                expected = m.RefusalCode.WRONG_PASSWORD if room == "Room" else m.RefusalCode.NO_SUCH_ROOM
                assert code(answer) is expected
            assert code(await bo.ask(partial(join, room="Room", password=SECRET))) is m.RefusalCode.TOO_FAST
            await trio.sleep(60.0)
            assert code(await bo.ask(partial(join, room="Room", password=SECRET))) is None

    async def test_keep_nobody_else_waiting(self) -> None:
        """Fifty at once, worked out in earnest: how late the loop is meanwhile."""
        lock = prove(Trial(SECRET, None))
        lags: list[float] = []

        async def meter() -> None:
            while True:
                start = own_time()
                await trio.sleep(0.001)
                lags.append(own_time() - start - 0.001)

        async with hall(Config(lock=lock, prove=in_thread)) as place, trio.open_nursery() as nursery:
            nursery.start_soon(meter)
            async with trio.open_nursery() as logins:
                for k in range(50):
                    logins.start_soon(hello, place, f"Ada {k}", SECRET if k < 46 else "wrong")
            nursery.cancel_scope.cancel()
            assert place.server.carrier.speaking == 46, "and four were wrong"
        assert sorted(lags)[len(lags) * 99 // 100] < 0.02


def join(number: int, room: str, password: str | None) -> m.Command:
    return m.Join(id=number, room=room, password=password)


class TestOfARoom:
    async def test_opens_it(self, autojump_clock: Clock) -> None:
        async with hall(Config(prove=in_a_moment)) as place:
            ada, bo = await place.guest("Ada"), await place.guest("Bo")
            await ada.ask(lambda k: m.Create(id=k, room="Room", options=options(3), password=SECRET))
            assert code(await bo.ask(partial(join, room="Room", password=None))) is m.RefusalCode.WRONG_PASSWORD
            assert code(await bo.ask(partial(join, room="Room", password="wrong"))) is m.RefusalCode.WRONG_PASSWORD
            assert code(await bo.ask(partial(join, room="Room", password=SECRET))) is None

    async def test_is_waited_for_by_what_follows(self, autojump_clock: Clock) -> None:
        """Commands are done in their order, also those that came in one piece."""
        async with hall(Config(prove=in_a_moment)) as place:
            ada = await place.guest("Ada")
            create = m.Create(id=1, room="Room", options=options(3), password=SECRET)
            await ada.send(create)
            await ada.send(m.Ready(id=2, ready=True))
            await ada.send(m.Leave(id=3))
            await ada.send(m.Join(id=4, room="Room", password=SECRET))
            answers: list[m.Answer] = []
            while len(answers) < 4:
                if isinstance(message := await ada.next(), m.Answer):
                    answers.append(message)
            gone = m.Refused(id=4, code=m.RefusalCode.NO_SUCH_ROOM)
            assert answers == [m.Ok(id=1), m.Ok(id=2), m.Ok(id=3), gone]

    def test_is_worked_out_only_where_it_decides(self) -> None:
        house = House()
        ada, bo = house.guest("Ada"), house.guest("Bo")
        lobby = house.lobby
        create = m.Create(id=1, room="Room", options=options(3), password=SECRET)
        assert lobby.trial(ada.player, create) == Trial(SECRET, None)
        assert lobby.trial(ada.player, m.Join(id=1, room="none", password="x")) == Trial("x", NOBODYS)
        assert lobby.trial(ada.player, m.Join(id=1, room="none", password=None)) is None
        house.create(ada, options(3), password=SECRET)
        house.create(bo, options(3), "open")
        again = m.Create(id=1, room="new", options=options(3), password=SECRET)
        assert lobby.trial(ada.player, again) is None, "done before"
        seated = m.Create(id=99, room="new", options=options(3), password=SECRET)
        assert lobby.trial(ada.player, seated) is None, "refused anyway"
        cilla = house.guest("Cilla")
        assert lobby.trial(cilla.player, m.Create(id=99, room="Room", options=options(3), password="x")) is None
        assert lobby.trial(cilla.player, m.Join(id=99, room="open", password="x")) is None
        assert lobby.trial(cilla.player, m.Watch(id=99, room="Room", password="x")) == Trial("x", LOCK)

    def test_of_another_room_opens_nothing(self) -> None:
        """The name may change its room while a password is worked out."""
        house = House()
        ada, bo = house.guest("Ada"), house.guest("Bo")
        house.create(ada, options(3), password="another")
        lobby = house.lobby
        for proof in (LOCK, NOBODYS, None):
            command = m.Join(id=house.last_id + 1, room="Room", password=SECRET)
            house.carry(lobby.command(bo.player, command, 0.0, proof))
            assert code(bo.answers(command.id)[0]) is m.RefusalCode.WRONG_PASSWORD
            house.last_id += 1


def test_a_server_has_the_lock_that_it_was_given() -> None:
    assert Server(CONFIG).lock == LOCK
