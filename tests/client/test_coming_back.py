"""Lines that are cut between a client and a real server, on trio's own clock: where it is, what it sends and sees."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
import trio
from trio.testing import MockClock

from kille_net.bots.guard import Complaints
from kille_net.bots.simple import EasyBot
from kille_net.client import bot as bot_module
from kille_net.client import conversation as conversation_module
from kille_net.client.bot import Engagement, play_on_server
from kille_net.client.conversation import Conversation
from kille_net.client.core import Core
from kille_net.client.effects import Bell, Print, Quit, Show
from kille_net.client.invitation import Invitation
from kille_net.client.net.returning import PATIENCE
from kille_net.client.net.session import NoServer, ServerBye
from kille_net.client.net.tickets import Slot
from kille_net.client.shuffling import Remark
from kille_net.client.steps import Entered, MatchOver, Told
from kille_net.game.actions import Action
from kille_net.game.events import Event, HandBegan
from kille_net.game.views import View
from kille_net.server.limits import Limits
from kille_net.server.store import Store
from kille_net.wire import messages as wire
from kille_net.wire.connection import ClientConnection, Connection, ServerConnection, bye
from kille_net.wire.states import Place, Role
from tests.catalogue.rows import row
from tests.client.net.test_returning import PASSING
from tests.server.house import options
from tests.server.streams import BoundedEnd, Client, Hall, bounded_pair, hall
from tests.server.test_store_faults import Disk

PLAN = Invitation(host="here", name="Ada", room="Room", returns=True)


class Cable:
    """What lies between the client and the server: it can be cut, unplugged, and made to swallow all."""

    def __init__(self, place: Hall, *, is_far: bool = False) -> None:
        self._place = place
        self._is_far = is_far
        self._ends: list[BoundedEnd] = []
        self.is_plugged = True
        self.tries: list[float] = []

    def lead_to(self, place: Hall) -> None:
        """To another server, from now on."""
        self._place, self.is_plugged = place, True

    async def connect(self, *_: object) -> BoundedEnd:
        self.tries.append(trio.current_time())
        if not self.is_plugged:
            raise NoServer("unplugged")
        ours, theirs = bounded_pair(1 << 20)
        self._place.nursery.start_soon(partial(self._place.server.attend, ours, is_loopback=not self._is_far))
        self._ends += [ours, theirs]
        return theirs

    async def cut(self) -> None:
        """Both ends notice."""
        ends, self._ends = self._ends, []
        for end in ends:
            await end.aclose()

    def go_dead(self) -> None:
        """Neither end notices: nothing comes through any more."""
        for end in self._ends:
            end.other = bounded_pair(1 << 20)[0]
        self._ends = []


class Person:
    """A conversation and what it showed."""

    def __init__(self, plan: Invitation) -> None:
        self.core = Core(plan, plain=True)
        self.shown: list[str] = []
        self.conversation = Conversation(plan, self.core, self._show)

    def _show(self, effect: Print | Show | Bell) -> None:
        if isinstance(effect, Print):
            self.shown.append(effect.text)

    def type(self, line: str) -> None:
        self.conversation.apply(self.core.line(line))

    def status(self) -> str:
        self.conversation.heard()
        return " ".join(span.text for line in self.core.status(trio.current_time(), (200, 60)) for span in line)


@asynccontextmanager
async def together(
    monkeypatch: pytest.MonkeyPatch, plan: Invitation = PLAN
) -> AsyncIterator[tuple[Hall, Cable, Person, Client]]:
    """Ada's client in a room of Bo's, who is a bot and ready."""
    async with hall() as place:
        cable = Cable(place)
        monkeypatch.setattr(conversation_module, "connect", cable.connect)
        monkeypatch.setattr(bot_module, "connect", cable.connect)
        bo = await place.guest("Bo", bot=True)
        await bo.ask(lambda k: wire.Create(id=k, room="Room", options=options(2, clock=60), password=None))
        await bo.ask(lambda k: wire.Ready(id=k, ready=True))
        place.nursery.start_soon(attend, bo)
        person = Person(plan)
        place.nursery.start_soon(person.conversation.run)
        await trio.sleep(0.01)
        yield place, cable, person, bo


async def attend(client: Client) -> None:
    """Answer pings, and stand."""
    number = 1000
    while (message := await client.maybe()) is not None:
        if isinstance(message, wire.Ping):
            await client.send(wire.Pong(n=message.n))
        if isinstance(message, wire.Question):
            number += 1
            do = wire.Do.STAND if message.legal & 1 else wire.Do.REFUSE
            await client.send(wire.Decide(id=number, turn=message.turn, do=do))


async def test_a_cut_line_is_mended_and_the_seat_is_ours(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with together(monkeypatch) as (_, cable, ada, bo):
        ada.type("ready")
        await trio.sleep(1)
        assert ada.core.model.is_playing
        await cable.cut()
        await trio.sleep(2)
        assert ada.core.model.place is Place.SEATED
        assert ada.shown.count("No contact with the server; trying again.") == 1
        assert ada.shown.count("In contact again.") == 1
        heard = [message.news for message in bo.heard if isinstance(message, wire.RoomChanged)]
        assert [one for one in heard if one in {wire.News.LOST, wire.News.BACK}] == [wire.News.LOST, wire.News.BACK]
        assert ada.conversation.quit is None


async def test_the_status_tells_how_long_and_the_attempts_are_ever_farther_apart(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with together(monkeypatch) as (_, cable, ada, _bo):
        cable.is_plugged = False
        await cable.cut()
        begun = len(cable.tries)
        await trio.sleep(100)
        tries = cable.tries[begun:]
        gaps = [after - before for before, after in pairwise(tries)]
        assert all(0.5 <= gap <= 10 for gap in gaps)
        assert all(gap >= 5 for gap in gaps[-5:])
        assert f"no contact for 100 s, attempt {len(tries) + 1}" in ada.status()
        cable.is_plugged = True
        await trio.sleep(10)
        assert "no contact" not in ada.status()
        assert ada.core.model.place is Place.SEATED


async def test_what_was_typed_meanwhile_is_sent_once_and_its_answer_comes(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with together(monkeypatch) as (_, cable, ada, bo):
        cable.is_plugged = False
        await cable.cut()
        await trio.sleep(1)
        ada.type("say hello?")
        cable.is_plugged = True
        await trio.sleep(10)
        assert [message.text for message in bo.heard if isinstance(message, wire.Said)] == ["hello?"]
        assert not ada.core.waits
        cable.is_plugged = False
        await cable.cut()
        await trio.sleep(1)
        before = len(ada.shown)
        for k in range(30):
            ada.type(f"say {k}")
        assert ada.shown[before:] == [
            *["No contact with the server: say is sent when it is back."] * 16,
            *["No contact with the server: say is not done. Type it again when it is back."] * 14,
        ]


async def test_nothing_is_said_before_the_welcome(autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """§4.3: what is typed while the hello is under way waits with the rest."""
    async with together(monkeypatch) as (_, cable, ada, bo):
        connect = cable.connect

        async def connect_and_type(*where: object) -> BoundedEnd:
            end = await connect(*where)
            receive = end.receive_some

            async def receive_some(max_bytes: int | None = None) -> bytes:
                monkeypatch.setattr(end, "receive_some", receive)
                ada.type("say early")
                return await receive(max_bytes)

            monkeypatch.setattr(end, "receive_some", receive_some)
            return end

        monkeypatch.setattr(conversation_module, "connect", connect_and_type)
        await cable.cut()
        await trio.sleep(10)
        assert [message.text for message in bo.heard if isinstance(message, wire.Said)] == ["early"]
        assert ada.conversation.quit is None


async def test_a_line_that_is_dead_and_not_cut_is_noticed_and_the_old_one_fenced(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with together(monkeypatch) as (place, cable, ada, _bo):
        cable.go_dead()
        await trio.sleep(18)
        assert ada.core.model.place is Place.SEATED
        assert ada.shown.count("In contact again.") == 1
        await trio.sleep(30)
        assert ada.conversation.quit is None
        assert len(cable.tries) == 2
        assert place.server.carrier.speaking == 2


@row(39)
async def test_who_is_replaced_does_not_come_back(autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch) -> None:
    async with together(monkeypatch) as (place, cable, ada, _bo):
        again, _ = await place.back(ada.conversation._slot.ticket)
        place.nursery.start_soon(attend, again)
        await trio.sleep(100)
        assert ada.conversation.quit is not None
        assert ada.conversation.quit.code == 4
        assert len(cable.tries) == 1


async def test_who_was_forgotten_is_told_and_does_not_loop(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with together(monkeypatch) as (_, cable, ada, _bo):
        cable.is_plugged = False
        await cable.cut()
        await trio.sleep(300)
        cable.is_plugged = True
        await trio.sleep(15)
        tries = len(cable.tries)
        await trio.sleep(100)
        assert len(cable.tries) == tries
        assert ada.conversation.quit is not None
        assert ada.conversation.quit.text == "The server knows nobody by our ticket any more: the seat is gone."


async def test_a_client_that_was_killed_goes_on_with_the_ticket_in_its_file(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plan = Invitation(host="here", name="Ada", room="Room", returns=True, tickets=tmp_path)
    async with together(monkeypatch, plan) as (place, cable, ada, bo):
        ada.type("say first")
        await trio.sleep(1)
        ada.conversation._slot.close()  # as the end of its process would
        ada.conversation.leave(Quit(137))
        await cable.cut()
        again = Person(plan)
        place.nursery.start_soon(again.conversation.run)
        await trio.sleep(1)
        assert again.core.model.place is Place.SEATED
        assert "Your seat was kept." in again.shown
        again.type("say second")
        await trio.sleep(1)
        assert [message.text for message in bo.heard if isinstance(message, wire.Said)] == ["first", "second"]


async def test_a_ticket_of_another_day_is_forgotten_and_the_plan_is_followed(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    old = Slot(tmp_path, "here", PLAN.port, "Ada")
    old.keep("a" * 64)
    old.close()
    plan = Invitation(host="here", name="Ada", room="Room", returns=True, tickets=tmp_path)
    async with together(monkeypatch, plan) as (_, cable, ada, _bo):
        await trio.sleep(1)
        assert len(cable.tries) == 2
        assert ada.core.model.place is Place.SEATED


# --- a server that stops or breaks ------------------------------------------------------------------------------------

AGAINST_COMPUTER = options(2, computers=1, clock=60, pots=30)


@asynccontextmanager
async def remembering(folder: Path) -> AsyncIterator[Hall]:
    """A server with a store."""
    with closing(Store(folder)) as store:
        async with hall(memory=Disk(store).memory()) as place:
            yield place


async def stop(place: Hall, cable: Cable, *, is_told: bool) -> None:
    """The server is told to stop, or is killed."""
    if is_told:
        await place.server.shut_down()
        cable.is_plugged = False
        return
    cable.is_plugged = False
    place.server.halt()
    await cable.cut()


@pytest.mark.parametrize("is_told", [True, False])
async def test_a_person_finds_its_seat_when_the_server_is_started_anew(
    autojump_clock: MockClock,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    is_told: bool,  # noqa: FBT001  pytest hands it over by name
) -> None:
    plan = Invitation(host="here", name="Ada", create=AGAINST_COMPUTER, start=True, returns=True)
    ada = Person(plan)
    async with trio.open_nursery() as nursery:
        async with remembering(tmp_path) as first:
            cable = Cable(first)
            monkeypatch.setattr(conversation_module, "connect", cable.connect)
            nursery.start_soon(ada.conversation.run)
            await trio.sleep(8)
            assert ada.core.model.asked is not None
            before = ada.core.model
            await stop(first, cable, is_told=is_told)
        await trio.sleep(240)
        assert "no contact for 24" in ada.status()
        async with remembering(tmp_path) as second:
            cable.lead_to(second)
            await trio.sleep(11)
            after = ada.core.model
            assert after.asked is not None
            assert after.asked.turn == before.asked.turn if before.asked else False
            assert after.view == before.view
            told = ["The server is shutting down."] if is_told else []
            said = [*told, "No contact with the server; trying again.", "In contact again."]
            assert [text for text in ada.shown if text in said] == said
            assert ada.conversation.quit is None
            ada.conversation.leave(Quit(0))


@pytest.mark.parametrize("is_told", [True, False])
async def test_a_match_is_played_to_its_end_when_the_server_is_started_anew(
    autojump_clock: MockClock,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    is_told: bool,  # noqa: FBT001  pytest hands it over by name
) -> None:
    """By a person's client and a bot's, each of which comes back by itself."""
    told: list[object] = []
    for module in (conversation_module, bot_module):
        monkeypatch.setattr(module, "SystemRandom", lambda: Random(4))
    room = options(2, clock=60, pots=10, window=400, rest=1000)
    ada = Person(
        Invitation(host="here", name="Ada", room="Room", create=room, returns=True, autopilot=EasyBot(Random(2)))
    )
    bot = Engagement(host="", port=1, name="Bo", make=EasyBot, is_ours=True, room="Room", options=room, matches=1)
    async with trio.open_nursery() as nursery:
        async with remembering(tmp_path) as first:
            cable = Cable(first)
            monkeypatch.setattr(conversation_module, "connect", cable.connect)
            monkeypatch.setattr(bot_module, "connect", cable.connect)
            nursery.start_soon(ada.conversation.run)
            await trio.sleep(1)
            nursery.start_soon(partial(play_on_server, bot, Random(1), told.append, Complaints()))
            await trio.sleep(20)
            assert ada.core.model.is_playing
            await stop(first, cable, is_told=is_told)
        await trio.sleep(240)
        async with remembering(tmp_path) as second:
            cable.lead_to(second)
            await trio.sleep(600)
        assert [type(step) for step in told if not isinstance(step, Remark)] == [Entered, MatchOver]
        assert not [step for step in told if isinstance(step, Remark) and step.is_fault]
        assert ada.conversation.quit == Quit(0)


async def test_a_server_that_does_not_come_is_given_up(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with together(monkeypatch) as (place, cable, ada, _bo):
        await place.server.shut_down()
        cable.is_plugged = False
        await trio.sleep(PATIENCE - 15)
        assert ada.conversation.quit is None
        await trio.sleep(27)
        assert ada.conversation.quit == Quit(
            3, "No server answers at here:4747. Is the address right, and is the server running?"
        )
        tries = len(cable.tries)
        await trio.sleep(PATIENCE)
        assert len(cable.tries) == tries


class Dismissal:
    """A server that lets everybody in, and sends them away at once."""

    def __init__(self, code: wire.ByeCode) -> None:
        self._code = code
        self.tries: list[float] = []

    async def connect(self, *_: object) -> BoundedEnd:
        self.tries.append(trio.current_time())
        ours, theirs = bounded_pair(1 << 20)
        connection: ServerConnection = Connection(Role.SERVER)
        hello = wire.Hello(versions=(1,), agent="", name="Ada", bot=False, ticket=None, password=None)
        connection.receive_data(ClientConnection(Role.CLIENT).send(hello))
        assert isinstance(connection.next_message(), wire.Hello)
        welcome = wire.Welcome(
            version=1, agent="", name="Ada", settings={}, ticket="a" * 64, resumed=wire.Resumed.NO, last_id=0
        )
        await ours.send_all(connection.send(welcome))
        await ours.send_all(connection.send(bye(self._code)))
        return theirs


@row(39)
@pytest.mark.parametrize("code", [*wire.ByeCode])
async def test_nobody_loops(autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, code: wire.ByeCode) -> None:
    """A person's client and a bot's come back seldom and not for ever, and after most goodbyes not at all."""
    for is_bot in (False, True):
        dismissal = Dismissal(code)
        monkeypatch.setattr(conversation_module, "connect", dismissal.connect)
        monkeypatch.setattr(bot_module, "connect", dismissal.connect)
        begun = trio.current_time()
        if is_bot:
            engagement = Engagement(
                host="", port=1, name="Ada", make=EasyBot, is_ours=True, room=None, options=AGAINST_COMPUTER, matches=1
            )
            with pytest.raises(ServerBye), trio.fail_after(2 * PATIENCE):
                await play_on_server(engagement, Random(1), lambda _: None, Complaints())
        else:
            with trio.fail_after(2 * PATIENCE):
                assert (await Person(PLAN).conversation.run()).code in {3, 4}
        assert trio.current_time() <= begun + PATIENCE + 15
        if code not in PASSING:
            assert len(dismissal.tries) == 1
            continue
        gaps = [after - before for before, after in pairwise(dismissal.tries)]
        assert 60 < len(gaps) < 140
        assert all(5 <= gap <= 13 for gap in gaps[8:])


class Watcher(EasyBot):
    """Remembers what it saw and how often it was asked."""

    def __init__(self, chance: Random) -> None:
        super().__init__(chance)
        self.seen: list[Event] = []
        self.asked = 0

    @property
    def listens(self) -> bool:
        return True

    def saw(self, event: Event) -> None:
        self.seen.append(event)

    def decide(self, view: View) -> Action:
        self.asked += 1
        return super().decide(view)


@pytest.mark.parametrize("seed", range(12))
async def test_a_bot_plays_on_over_many_lines_and_is_blamed_for_nothing(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    chance = Random(seed)
    bots: list[Watcher] = []

    def make(rng: Random) -> Watcher:
        bots.append(Watcher(rng))
        return bots[-1]

    told: list[Told] = []
    async with hall(Limits(away=60.0)) as place:
        cable = Cable(place)
        monkeypatch.setattr(bot_module, "connect", cable.connect)
        bo = await place.guest("Bo", bot=True)
        room = options(3, computers=1, clock=60, window=0, pots=30)
        await bo.ask(lambda k: wire.Create(id=k, room="Room", options=room, password=None))
        await bo.ask(lambda k: wire.Ready(id=k, ready=True))
        place.nursery.start_soon(attend_slowly, bo)
        engagement = Engagement(
            host="here", port=1, name="Ada", make=make, is_ours=True, room="Room", options=room, matches=1
        )
        async with trio.open_nursery() as nursery:
            nursery.start_soon(partial(play_on_server, engagement, chance, told.append, Complaints()))
            for _ in range(8):
                await trio.sleep(chance.uniform(0.0, 6.0))
                await cable.cut()
        assert len(cable.tries) > 4
        remarks = [step.key for step in told if isinstance(step, Remark)]
        assert remarks[0] == "without", "the other bot has no part in it"
        assert set(remarks[1:]) <= {"partly", "weak", "late"}, "nobody is accused"
        assert [type(step) for step in told if not isinstance(step, Remark)] == [Entered, MatchOver]
        assert len(bots) == 1, "the same bot for the whole match"
        hands = [event.number for event in bots[0].seen if isinstance(event, HandBegan)]
        assert hands == sorted(set(hands)), "no event came twice"


async def attend_slowly(client: Client) -> None:
    """As `attend`, with a thought before each answer."""
    number = 1000
    while (message := await client.maybe()) is not None:
        if isinstance(message, wire.Ping):
            await client.send(wire.Pong(n=message.n))
        if isinstance(message, wire.Question):
            number += 1
            await trio.sleep(0.2)
            do = wire.Do.STAND if message.legal & 1 else wire.Do.REFUSE
            await client.send(wire.Decide(id=number, turn=message.turn, do=do))


async def test_a_bot_that_was_killed_takes_its_seat_again_and_ends_its_match(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    room = options(2, clock=60, window=0, pots=30)
    async with hall() as place:
        cable = Cable(place)
        monkeypatch.setattr(bot_module, "connect", cable.connect)
        bo = await place.guest("Bo", bot=True)
        await bo.ask(lambda k: wire.Create(id=k, room="Room", options=room, password=None))
        await bo.ask(lambda k: wire.Ready(id=k, ready=True))
        place.nursery.start_soon(attend_slowly, bo)
        bots: list[Watcher] = []
        told: list[Told] = []

        def make(rng: Random) -> Watcher:
            bots.append(Watcher(rng))
            return bots[-1]

        def engagement() -> Engagement:
            return Engagement(
                host="here",
                port=1,
                name="Ada",
                make=make,
                is_ours=True,
                room="Room",
                options=room,
                matches=1,
                slot=Slot(tmp_path, "here", 1, "Ada"),
            )

        async def killed_after(seconds: float) -> None:
            own = engagement()
            with trio.move_on_after(seconds):
                await play_on_server(own, Random(1), told.append, Complaints())
            own.slot.close()

        async def kill() -> None:  # just before, so that no goodbye comes through
            await trio.sleep(7.9)
            cable.is_plugged = False
            await cable.cut()

        place.nursery.start_soon(kill)
        await killed_after(8.0)
        assert [type(step) for step in told if not isinstance(step, Remark)] == [Entered]
        cable.is_plugged = True
        beside = engagement()
        second = engagement()
        assert (beside.slot.ticket is None, second.slot.ticket) == (False, None), "each has a ticket of its own"
        second.slot.close()
        finished = await play_on_server(beside, Random(2), told.append, Complaints())
        beside.slot.close()
        assert finished.removed is None
        assert [type(step) for step in told if not isinstance(step, Remark)] == [Entered, MatchOver]
        assert len(bots) == 2
        news = [(message.news, message.who) for message in bo.heard if isinstance(message, wire.RoomChanged)]
        assert news.count((wire.News.BACK, "Ada")) == 1
        assert engagement().slot.ticket is None, "it said that it was done"


async def test_a_bot_with_a_ticket_of_another_day_comes_in_as_anybody(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    slot = Slot(tmp_path, "here", 1, "Ada")
    slot.keep("a" * 64)
    told: list[Told] = []
    async with hall() as place:
        cable = Cable(place)
        monkeypatch.setattr(bot_module, "connect", cable.connect)
        engagement = Engagement(
            host="here",
            port=1,
            name="Ada",
            make=EasyBot,
            is_ours=True,
            room=None,
            options=options(2, computers=1),
            matches=1,
            slot=slot,
        )
        await play_on_server(engagement, Random(1), told.append, Complaints())
        assert len(cable.tries) == 2
    assert isinstance(told[-1], MatchOver | Remark)
