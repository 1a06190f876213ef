"""A server that is told to stop: what it begins no more, what it waits for, and that it never waits longer."""

from contextlib import AbstractAsyncContextManager

import pytest
import trio
import trio.testing

from kille_net.game.cards import Card
from kille_net.server.drain import drain
from kille_net.server.limits import Limits
from kille_net.server.sources import Sources
from kille_net.wire import messages as m
from tests.catalogue.rows import row
from tests.deep import size
from tests.server.house import House, Stacked, Stander, choices, drawn_tickets, options, pack, plan
from tests.server.streams import Client, Hall, hall

Clock = trio.testing.MockClock
AT_MOST = 35.0


def quiet_hall(limits: Limits | None = None) -> AbstractAsyncContextManager[Hall]:
    """One where no card ends a hand by itself."""
    sources = Sources(
        shuffle=lambda: Stacked([pack(Card.N3, Card.N7)]),
        chance=lambda: 0.5,
        computer=lambda _: Stander(),
        ticket=drawn_tickets(),
    )
    return hall(limits, sources)


async def at_table(place: Hall, name: str = "Ada", *, rest: int = 0, bound: int = 1 << 20) -> Client:
    """Somebody who plays against a computer, and is asked."""
    client = await place.guest(name, bound=bound)
    room = options(2, computers=1, rest=rest, pots=5)
    assert isinstance(await client.ask(lambda k: m.Create(id=k, room=name, options=room, password=None)), m.Ok)
    assert isinstance(await client.ask(lambda k: m.Start(id=k)), m.Ok)
    await client.until(m.Question)
    return client


async def answer(client: Client) -> None:
    question = next(message for message in reversed(client.heard) if isinstance(message, m.Question))
    do = m.Do.STAND if m.Do.STAND in choices(question) else m.Do.REFUSE
    await client.ask(lambda k: m.Decide(id=k, turn=question.turn, do=do))


def code_of(message: m.ServerMessage | None) -> m.ByeCode | None:
    return message.code if isinstance(message, m.Bye) else None


async def draining(place: Hall) -> None:
    place.nursery.start_soon(drain, place.server)
    await trio.testing.wait_all_tasks_blocked()


async def test_with_no_hand_under_way_it_ends_at_once(autojump_clock: Clock) -> None:
    async with quiet_hall() as place:
        ada = await place.guest("Ada")
        await ada.ask(lambda k: m.Create(id=k, room="Room", options=options(3), password=None))
        await draining(place)
        assert code_of(await ada.end()) is m.ByeCode.SHUTTING_DOWN
        assert trio.current_time() == 0.0


@row(46)
async def test_a_hand_is_played_to_its_end_and_no_other_is_begun(autojump_clock: Clock) -> None:
    async with quiet_hall() as place:
        ada = await at_table(place)
        await trio.sleep(3)
        await draining(place)
        assert await ada.until(m.Notice) == m.Notice(code=m.NoticeCode.DRAINING, text="", ms=30_000)
        await trio.sleep(4)
        while not any(isinstance(message, m.Showdown) for message in ada.heard):
            await answer(ada)
            while not isinstance(await ada.next(), m.Question | m.Showdown):
                pass
        seen = len(ada.heard)
        assert code_of(await ada.end()) is m.ByeCode.SHUTTING_DOWN
        assert not any(isinstance(message, m.HandBegan | m.Dealt) for message in ada.heard[seen:])
        assert trio.current_time() < 8.0


@row(46)
async def test_a_hand_that_nobody_ends_is_waited_for_as_long_as_was_announced(autojump_clock: Clock) -> None:
    async with quiet_hall(Limits(ping=60.0, silence=90.0)) as place:
        ada = await at_table(place)
        await draining(place)
        assert code_of(await ada.end()) is m.ByeCode.SHUTTING_DOWN
        assert [n.ms for n in ada.heard if isinstance(n, m.Notice)] == [
            30_000,
            pytest.approx(20_000, abs=200),
            pytest.approx(10_000, abs=200),
        ]
        assert trio.current_time() == pytest.approx(30.0, abs=0.01)


async def test_meanwhile_nothing_new_begins_but_who_was_lost_comes_back(autojump_clock: Clock) -> None:
    async with quiet_hall() as place:
        ada = await at_table(place)
        bo = await place.guest("Bo")
        cecilia, dora = await place.guest("Cecilia"), await place.guest("Dora")
        pair = options(2)
        assert isinstance(await cecilia.ask(lambda k: m.Create(id=k, room="Pair", options=pair, password=None)), m.Ok)
        assert isinstance(await dora.ask(lambda k: m.Join(id=k, room="Pair", password=None)), m.Ok)
        assert isinstance(await dora.ask(lambda k: m.Ready(id=k, ready=True)), m.Ok)
        await draining(place)
        commands = [
            await bo.ask(lambda k: m.Create(id=k, room="New", options=options(2), password=None)),
            await cecilia.ask(lambda k: m.Ready(id=k, ready=True)),
            await cecilia.ask(lambda k: m.Start(id=k)),
            await cecilia.ask(lambda k: m.OpenTournament(id=k, tournament="Cup", plan=plan())),
            await cecilia.ask(lambda k: m.BeginTournament(id=k, tournament="Cup")),
        ]
        assert [one.code for one in commands if isinstance(one, m.Refused)] == [m.RefusalCode.SHUTTING_DOWN] * 5
        assert isinstance(await dora.ask(lambda k: m.Ready(id=k, ready=False)), m.Ok)
        last = await place.connect().hello("Erik")
        assert isinstance(last, m.Bye)
        assert (last.code, last.place) == (m.ByeCode.SHUTTING_DOWN, "")
        welcome = next(message for message in ada.heard if isinstance(message, m.Welcome))
        await ada.stream.aclose()
        again, back = await place.back(welcome.ticket)
        assert back.resumed is m.Resumed.ROOM
        await again.until(m.Question)


@pytest.mark.parametrize("how", ["paused", "resting", "alone"])
async def test_a_table_at_which_no_hand_goes_on_is_not_waited_for(how: str, autojump_clock: Clock) -> None:
    async with quiet_hall() as place:
        ada = await at_table(place, rest=60_000)
        if how == "paused":
            await ada.ask(lambda k: m.Pause(id=k, paused=True))
        elif how == "alone":
            await ada.stream.aclose()
        else:
            while not any(isinstance(message, m.Showdown) for message in ada.heard):
                await answer(ada)
                while not isinstance(await ada.next(), m.Question | m.Showdown):
                    pass
        await trio.testing.wait_all_tasks_blocked()
        began = trio.current_time()
        with trio.fail_after(5):
            await drain(place.server)
        assert trio.current_time() - began < 5.0


@row(47)
async def test_a_client_that_takes_nothing_and_hundreds_that_do_not_close_hold_nothing_up(
    autojump_clock: Clock,
) -> None:
    async with quiet_hall(Limits(outbox_messages=10_000, write=3600.0, silence=7200.0, ping=3600.0)) as place:
        await at_table(place)
        stuck = await place.guest("Stuck", bound=300)
        for number in range(size(200, 800)):
            await place.guest(f"Guest {number}")
        for _ in range(20):
            await stuck.send(m.ListRooms(id=7_000 + _, page=0))
        began = trio.current_time()
        await drain(place.server)
        assert trio.current_time() - began <= AT_MOST


async def test_a_redeal_within_the_last_hand_is_still_dealt(autojump_clock: Clock) -> None:
    """Better cards that are agreed on do not end the hand (rule G3)."""
    async with quiet_hall() as place:
        ada, bo = await place.guest("Ada"), await place.guest("Bo")
        room = options(2, pots=5)
        assert isinstance(await ada.ask(lambda k: m.Create(id=k, room="Room", options=room, password=None)), m.Ok)
        assert isinstance(await bo.ask(lambda k: m.Join(id=k, room="Room", password=None)), m.Ok)
        assert isinstance(await ada.ask(lambda k: m.Start(id=k)), m.Ok)
        turn = await ada.until(m.Turn)
        while m.Do.ASK not in (legal := choices(await (ada if turn.seat == 0 else bo).until(m.Question))):
            pytest.fail(f"the first to speak may ask: {legal}")
        await draining(place)
        first, other = (ada, bo) if turn.seat == 0 else (bo, ada)
        number = turn.turn
        assert isinstance(await first.ask(lambda k: m.Decide(id=k, turn=number, do=m.Do.ASK)), m.Ok)
        asked = (await other.until(m.Question)).turn
        assert isinstance(await other.ask(lambda k: m.Decide(id=k, turn=asked, do=m.Do.ACCEPT)), m.Ok)
        await other.until(m.CardsThrown)
        await other.until(m.Dealt)


def test_a_table_that_becomes_ready_by_a_computer_waits() -> None:
    house = House()
    ada, bo = house.table(options(3), "Ada", "Bo")
    for guest in (ada, bo):
        assert isinstance(house.ready(guest), m.Ok)
    house.lobby.drain()
    assert isinstance(house.do(ada, lambda k: m.AddComputers(id=k, count=1, level=m.Level.EASY)), m.Ok)
    assert not ada.all(m.HandBegan)


@row(46)
async def test_nobody_plays_for_those_whom_the_server_parts_from(autojump_clock: Clock) -> None:
    """Who is lost because the server stops has not let a question go by: the match waits as it was."""
    async with quiet_hall(Limits(ping=60.0, silence=90.0)) as place:
        ada, bo = await place.guest("Ada"), await place.guest("Bo")
        pair = options(2, pots=5)
        assert isinstance(await ada.ask(lambda k: m.Create(id=k, room="Room", options=pair, password=None)), m.Ok)
        assert isinstance(await bo.ask(lambda k: m.Join(id=k, room="Room", password=None)), m.Ok)
        assert isinstance(await ada.ask(lambda k: m.Start(id=k)), m.Ok)
        await bo.until(m.Question)
        (room,) = place.server.lobby.rooms
        running = room.play.match
        assert running is not None
        before = running.actions
        await trio.sleep(1.0)
        await drain(place.server)
        for client in (ada, bo):
            assert code_of(await client.end()) is m.ByeCode.SHUTTING_DOWN
        await trio.sleep(1.0)
        assert (running.actions, running.is_hand_open, room.play.status) == (before, True, m.RoomStatus.PLAYING)
        assert all(chair.is_here for chair in room.seating.chairs)
