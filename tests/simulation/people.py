"""Who plays in a simulation: people at the real client, real bots, and peers that do not keep to what is usual.

Owns what each of them does when. Refuses to know what the network does to them.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from random import Random
from typing import Final

import trio
from msgspec.structs import replace

from kille_net.bots.guard import Complaints
from kille_net.bots.simple import EasyBot
from kille_net.client.bot import Engagement, play_on_server
from kille_net.client.conversation import Conversation
from kille_net.client.core import Core
from kille_net.client.effects import Bell, Print, Show
from kille_net.client.invitation import Invitation
from kille_net.client.net.session import BadServer, NoServer, ServerBye, SessionEnded
from kille_net.client.net.trust import Trust
from kille_net.client.options import WISHES
from kille_net.client.shuffling import Remark
from kille_net.client.steps import Told, TurnedAway
from kille_net.game.actions import Action
from kille_net.wire import ClientConnection, Connection, RemoteProtocolError, Role, State
from kille_net.wire import messages as m
from kille_net.wire.states import Place
from tests.simulation.pipes import End

__all__ = ["BotPlayer", "Guest", "Person", "Raw", "Stranger"]

_WORD: Final = {
    Action.STAND: "stand",
    Action.SWAP: "swap",
    Action.KUKU: "kuku",
    Action.ASK: "ask",
    Action.ACCEPT: "yes",
    Action.REFUSE: "no",
    Action.DEPENDS: "depends",
}
_FAULTY: Final = frozenset(
    {
        m.ByeCode.FRAME_TOO_BIG,
        m.ByeCode.FRAME_EMPTY,
        m.ByeCode.BAD_ENCODING,
        m.ByeCode.TOO_COMPLEX,
        m.ByeCode.BAD_MESSAGE,
        m.ByeCode.BAD_FIELD,
        m.ByeCode.UNEXPECTED,
        m.ByeCode.INTERNAL,
    }
)
"""What a client of ours is never told."""
_LAWFUL: Final = frozenset({"missed", "weak", "late", "not_heard", "no_secret"})
"""What may be wrong with a shuffle for one who was away."""

Connect = Callable[[], Awaitable[End]]


@dataclass(slots=True, kw_only=True)
class Guest:
    """What all have: a name, and the room that they go to."""

    name: str
    room: str
    options: m.Options
    chance: Random
    is_maker: bool = False
    wish: m.Quick | None = None
    """Whoever has one goes not to the room, but where others wait to play such a match."""
    has_ended: bool = False
    why: str = ""
    """How it ended."""

    async def run(self, connect: Connect) -> None:
        try:
            await self.play(connect)
        finally:
            self.has_ended = True

    async def play(self, connect: Connect) -> None:
        raise NotImplementedError


@dataclass(slots=True, kw_only=True)
class BotPlayer(Guest):
    """A built-in bot over the real client, which comes back by itself."""

    told: list[Told] = field(default_factory=list)

    async def play(self, connect: Connect) -> None:
        engagement = Engagement(
            host=self.name,
            port=1,
            name=self.name,
            make=EasyBot,
            is_ours=True,
            room=self.room,
            options=self.options,
            matches=1,
            trust=Trust(),
        )
        try:
            finished = await play_on_server(engagement, self.chance, self.told.append, Complaints())
            self.why = f"finished {finished.removed}"
        except (NoServer, SessionEnded, TurnedAway) as error:
            self.why = f"{type(error).__name__} {error}"
            is_blamed = isinstance(error, ServerBye) and error.message.code in _FAULTY
            if is_blamed or isinstance(error, BadServer):
                raise AssertionError(self.why) from error
        wrong = [one for one in self.told if isinstance(one, Remark) and one.is_fault and one.key not in _LAWFUL]
        assert not wrong


@dataclass(slots=True, kw_only=True)
class Person(Guest):
    """Somebody who types into the real client, thinks, dawdles, talks, and sometimes goes."""

    watches: bool = False
    shown: list[str] = field(default_factory=list)
    _talk: "Conversation | None" = None
    _sat_since: float = 0.0

    async def play(self, connect: Connect) -> None:
        plan = Invitation(
            host=self.name,
            name=self.name,
            room=None if self.wish else self.room,
            create=self.options if self.is_maker else None,
            quick=self.wish,
            watch=self.watches,
            returns=True,
        )
        core = Core(plan, plain=True, asks=False)
        talk = Conversation(plan, core, self._show)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(partial(self._type, talk, core))
            quit_ = await talk.run()
            nursery.cancel_scope.cancel()
        self.why = f"left {quit_.code} {quit_.text}"
        assert "broke" not in quit_.text, self.why
        assert "protocol" not in quit_.text, self.why
        wrong = [text for text in self.shown if text.startswith("*** FALSE SHUFFLE:")]
        assert not wrong, wrong

    def _show(self, effect: Print | Show | Bell) -> None:
        if isinstance(effect, Print):
            self.shown.append(effect.text)

    async def _type(self, talk: Conversation, core: Core) -> None:
        said = count()
        while talk.quit is None:
            changed = talk.changed
            line, think = self._plan(core, said)
            if line:
                await trio.sleep(think)
                talk.apply(core.line(line))
            with trio.move_on_after(self.chance.uniform(4.0, 12.0)):
                await changed.wait()

    def _plan(self, core: Core, said: "count[int]") -> tuple[str, float]:
        """What to type next, and after how many seconds."""
        model, chance = core.model, self.chance
        if model.is_host and model.room is not None and model.room.status is m.RoomStatus.PAUSED and not core.is_moving:
            return "resume", chance.choice([1.0, 30.0, 200.0])
        if core.is_moving or core.waits:
            return "", 0.0
        if core.has_ended:
            return "quit", chance.uniform(0.0, 3.0)
        if model.room is None:
            return self._way_in(), chance.uniform(0.5, 5.0)
        if chance.random() < 0.03:
            return f"say {self.name} {next(said)}", chance.uniform(0.0, 2.0)
        if model.place is Place.WATCHING:
            return "", 0.0
        if not model.is_playing:
            return self._before_match(core)
        if model.is_host and chance.random() < 0.01:
            return "pause", 0.0
        if chance.random() < 0.004:
            return "leave", 0.0
        if model.asked is not None:
            words = [_WORD[action] for action in model.asked.legal]
            clock = self.options.clock
            is_late = clock and chance.random() < 0.06
            return chance.choice(words), chance.uniform(clock, clock + 3.0) if is_late else chance.expovariate(1.0)
        if model.is_rested_for and chance.random() < 0.7:
            return chance.choice([" ", "next"]), chance.expovariate(0.5)
        if chance.random() < 0.02:
            return "kuku", 0.0
        return "", 0.0

    def _way_in(self) -> str:
        if self.wish is None:
            return f"watch {self.room}" if self.watches else f"join {self.room}"
        wishes = {name: getattr(self.wish, name) for name in WISHES}
        return " ".join(["quick", *(f"{name}={wish}" for name, wish in wishes.items() if wish is not None)])

    def _before_match(self, core: Core) -> tuple[str, float]:
        model = core.model
        assert model.room is not None
        assert model.seat is not None
        if model.is_gathering:
            return self.chance.choice(["", "", "", "", "leave", "ready", "ready no"]), self.chance.uniform(0.0, 8.0)
        if model.is_host and self._sat_since > 20.0:
            self._sat_since = 10.0
            return ("add 7" if "-" in model.names else "start"), 1.0
        self._sat_since += 4.0
        return ("" if model.room.seats[model.seat].ready else "ready"), self.chance.uniform(0.5, 4.0)


class Raw:
    """A peer that speaks the protocol over a stream, and may say the same thing often."""

    def __init__(self, end: End) -> None:
        self.end = end
        self.connection: ClientConnection = Connection(Role.CLIENT)
        self.welcome: m.Welcome | None = None
        self.bye: m.Bye | None = None

    async def say(self, message: m.ClientMessage, times: int = 1) -> bool:
        """Whether it went out."""
        if self.connection.state in {State.CLOSED, State.FAILED}:
            return False
        data = self.connection.send(message) * times
        try:
            await self.end.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return False
        return True

    async def hello(self, name: str, ticket: str | None = None, *, bot: bool = True) -> m.ServerMessage | None:
        hello = m.Hello(versions=(1,), agent="raw", name=name, bot=bot, ticket=ticket, password=None)
        return await self.hear() if await self.say(hello) else None

    async def hear(self) -> m.ServerMessage | None:
        """The next message but for pings; None: the line is gone, or silent."""
        while True:
            try:
                message = self.connection.next_message()
            except RemoteProtocolError as error:
                raise AssertionError(f"the server broke the protocol: {error.code}") from None
            if isinstance(message, m.Ping):
                await self.say(m.Pong(n=message.n))
            elif message is not None:
                if isinstance(message, m.Welcome):
                    self.welcome = message
                if isinstance(message, m.Bye):
                    self.bye = message
                if not isinstance(message, m.Pong):
                    return message
            elif self.connection.state is State.CLOSED or not await self._read():
                return None

    async def _read(self) -> bool:
        try:
            with trio.fail_after(40.0):
                data = await self.end.receive_some()
        except (trio.BrokenResourceError, trio.ClosedResourceError, trio.TooSlowError):
            return False
        if data:
            self.connection.receive_data(data)
        return bool(data)


@dataclass(slots=True, kw_only=True)
class Stranger(Guest):
    """Plays a seat by whim, repeats commands, answers late, says what is out of place, and comes back with its ticket.

    `ticket`: somebody else's, whose seat it takes over.
    """

    ticket: str | None = None
    ids: int = 0
    _pending: dict[int, m.Command] = field(default_factory=dict)
    _done: m.Command | None = None
    """The last that was answered."""
    _is_over: bool = False

    async def play(self, connect: Connect) -> None:
        for _ in range(40):
            try:
                raw = Raw(await connect())
            except NoServer:
                await trio.sleep(self.chance.uniform(0.5, 5.0))
                continue
            try:
                await self._stay(raw)
            finally:
                await trio.aclose_forcefully(raw.end)
            code = None if raw.bye is None else raw.bye.code
            self.why = f"bye {code}"
            assert code not in _FAULTY, self.why
            if self._is_over or code in {m.ByeCode.REPLACED, m.ByeCode.NAME_TAKEN, m.ByeCode.BAD_NAME}:
                return
            if code is m.ByeCode.BAD_TICKET:
                self.ticket = None
                return
            await trio.sleep(self.chance.uniform(0.5, 5.0))

    async def _stay(self, raw: Raw) -> None:
        welcome = await raw.hello(self.name, self.ticket)
        if not isinstance(welcome, m.Welcome):
            return
        self.ticket = welcome.ticket
        self.ids = max(self.ids, welcome.last_id)
        again = [*([] if self._done is None else [self._done]), *self._pending.values()]
        for command in again:
            await raw.say(command, self.chance.choice([1, 1, 2]))
        if welcome.resumed is not m.Resumed.ROOM:
            await self._command(raw, self._enter)
        while not self._is_over and (message := await raw.hear()) is not None:
            await self._answer(raw, message)
        if self._is_over:
            await raw.say(m.Bye(code=m.ByeCode.DONE, place="", versions=(1,)))

    def _enter(self, k: int) -> m.Command:
        return m.Join(id=k, room=self.room, password=None) if self.wish is None else replace(self.wish, id=k)

    async def _command(self, raw: Raw, make: Callable[[int], m.Command]) -> None:
        self.ids += self.chance.choice([1, 1, 3])
        command = make(self.ids)
        self._pending[command.id] = command
        await raw.say(command, self.chance.choice([1, 1, 1, 2, 3]))

    async def _answer(self, raw: Raw, message: m.ServerMessage) -> None:
        match message:
            case m.Ok() | m.Refused() | m.Rooms() | m.Tournaments():
                command = self._pending.pop(message.id, None)
                self._done = command or self._done
                if isinstance(command, m.Join | m.Quick) and isinstance(message, m.Refused):
                    await trio.sleep(3.0)
                    await self._command(raw, self._enter)
            case m.Snapshot() | m.RoomChanged(news=m.News.STARTED | m.News.ENDED):
                if isinstance(message, m.RoomChanged) and message.news is m.News.ENDED:
                    self._is_over = True
                elif message.room.status is m.RoomStatus.PAUSED:
                    await self._command(raw, lambda k: m.Pause(id=k, paused=False))
                elif message.room.status is m.RoomStatus.OPEN:
                    await self._command(raw, lambda k: m.Ready(id=k, ready=True))
            case m.RoomChanged(news=m.News.FAILED | m.News.CLOSED):
                self._is_over = True
            case m.RoomChanged(news=m.News.PAUSED | m.News.HOST):  # whoever it was that paused
                await self._command(raw, lambda k: m.Pause(id=k, paused=False))
            case m.Question():
                await self._decide(raw, message)
            case m.Rest() if self.chance.random() < 0.6:
                await self._command(raw, lambda k: m.NextHand(id=k, hand=message.hand))
            case m.Event() if self.chance.random() < 0.05:
                await self._command(raw, partial(self._whim, message.seq))

    async def _decide(self, raw: Raw, question: m.Question) -> None:
        legal = [do for bit, do in enumerate(m.Do) if question.legal >> bit & 1 and do is not m.Do.KUKU]
        if self.chance.random() < 0.1:
            await trio.sleep(self.chance.uniform(0.0, 12.0))
        do = self.chance.choice(legal)
        await self._command(raw, lambda k: m.Decide(id=k, turn=question.turn, do=do))

    def _whim(self, seq: int, k: int) -> m.Command:
        """What makes no sense there, most of the time."""
        seat = self.chance.randrange(8)
        whims: list[m.Command] = [
            m.CallKuku(id=k, seq=max(0, seq - self.chance.choice([0, 0, 5]))),
            m.Decide(id=k, turn=self.chance.randrange(40), do=self.chance.choice(sorted(m.DECISIONS))),
            m.Ready(id=k, ready=self.chance.random() < 0.5),
            m.Start(id=k),
            m.Pause(id=k, paused=True),
            m.Kick(id=k, seat=seat),
            m.RemoveComputer(id=k, seat=seat),
            m.ListRooms(id=k, page=self.chance.randrange(3)),
            m.Watch(id=k, room=self.room, password=None),
            m.NextHand(id=k, hand=self.chance.randrange(20)),
            m.Say(id=k, text=f"whim {k} of {self.name}"),
        ]
        return self.chance.choice(whims)
