"""Bots on a server: each with a stream of its own, asked in a thread if it is a stranger's, heard while it thinks.

Owns the tasks of one bot, and keeps the line alive whatever the bot does: a ping is answered when it has done with what
came before, so that whoever asks knows whether it calls its Kuku, or else after a while. Refuses to know what is said
when (`errand`).
"""

from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from random import Random, SystemRandom
from typing import Final, TypeAlias, TypeVar

import trio

from kille_net.bots import Bot, Factory
from kille_net.bots.guard import Budget, Complaints, GuardedBot
from kille_net.bots.printing import Log
from kille_net.client.errand import Errand
from kille_net.client.net.connecting import connect
from kille_net.client.net.returning import Search, is_passing
from kille_net.client.net.session import NoServer, ServerBye, Session, SessionEnded, open_session
from kille_net.client.net.tickets import Slot
from kille_net.client.net.trust import Distrust, Trust
from kille_net.client.steps import Asks, Finished, Later, NewMatch, Question, Saw, Step, Told, TurnedAway
from kille_net.game.views import View
from kille_net.wire import messages as wire
from kille_net.wire.errors import RemoteProtocolError

__all__ = ["Engagement", "Tell", "play_on_server"]

_Answer = TypeVar("_Answer")
Tell: TypeAlias = Callable[[Told], None]
"""Is told what whoever runs the bot may want to know."""

_BEHIND: Final = 10_000
"""Steps by which a bot may be behind its table."""
_SOON: Final = 2.0
"""Seconds after which a ping is answered, whatever the bot does (protocol/v1/protocol.md §8.1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engagement:
    """What one bot is sent out for."""

    host: str
    port: int
    name: str
    make: Factory
    is_ours: bool
    """A built-in bot, which needs no guard."""
    budget: Budget = field(default_factory=lambda: Budget(start=10.0, decision=5.0))
    log: Log | None = None
    """Takes what it prints, where the streams are diverted."""
    room: str | None
    options: wire.Options
    matches: int | None
    tournament: str | None = None
    """Entered instead of a room."""
    trust: Trust = field(default_factory=Trust)
    met: Callable[[bytes], None] = lambda _: None
    """Told the fingerprint of a key that is new."""
    password: str | None = field(default=None, repr=False)
    """The server's."""
    slot: Slot = field(default_factory=lambda: Slot(None, "", 0, ""))
    """Where its ticket is kept."""
    door: trio.CapacityLimiter = field(default_factory=lambda: trio.CapacityLimiter(1))
    """How many of those who share it come in at once: a server has few places for who is not yet welcomed."""


async def play_on_server(
    engagement: Engagement,
    rng: Random,
    tell: Tell,
    complaints: Complaints,
) -> Finished:
    """Play the matches and leave, over as many lines as it takes.

    Raises NoServer, Distrust, SessionEnded and TurnedAway.
    """
    errand = Errand(engagement.room, engagement.options, engagement.matches, tournament=engagement.tournament)
    line = _Line()
    player = _Player(engagement, rng, complaints)
    ways_in, ways_out = trio.open_memory_channel[Step | _Pinged](_BEHIND)
    finished = Finished(None)
    ending: Exception | None = None
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_think, player, errand, line, ways_out)
        try:
            finished = await _stay(engagement, errand, line, ways_in, tell, nursery=nursery)
        except (NoServer, Distrust, SessionEnded, TurnedAway) as error:
            ending = error
        finally:
            nursery.cancel_scope.cancel()
    await player.dismiss()
    if ending is not None:
        raise ending
    return finished


class _Line:
    """Whatever session there is; what is said while there is none, the errand says again."""

    def __init__(self) -> None:
        self.session: Session | None = None

    def send(self, message: wire.ClientMessage) -> None:
        if self.session is not None:
            self.session.send(message)


class _Pinged:
    """A ping that waits until the bot has done with what came before it."""

    def __init__(self, session: Session, number: int) -> None:
        self._session = session
        self._number = number
        self._answered = trio.Event()

    def answer(self) -> None:
        """Once or more."""
        if not self._answered.is_set():
            self._answered.set()
            self._session.pong(self._number)

    async def answer_soon(self) -> None:
        with trio.move_on_after(_SOON):
            await self._answered.wait()
        self.answer()


def _wait_its_turn(
    session: Session, steps: "trio.MemorySendChannel[Step | _Pinged]", nursery: trio.Nursery, number: int
) -> None:
    pinged = _Pinged(session, number)
    try:
        steps.send_nowait(pinged)
    except trio.WouldBlock:  # it is far behind
        pinged.answer()
    else:
        nursery.start_soon(pinged.answer_soon)


async def _stay(
    engagement: Engagement,
    errand: Errand,
    line: _Line,
    steps: "trio.MemorySendChannel[Step | _Pinged]",
    tell: Tell,
    *,
    nursery: trio.Nursery,
) -> Finished:
    """One session after the other, as long as a seat is kept.

    Raises NoServer, Distrust, SessionEnded and TurnedAway.
    """
    search = Search(SystemRandom().random)
    trust, slot = engagement.trust, engagement.slot
    has_been_in = False
    while True:
        try:
            async with AsyncExitStack() as stack:
                async with engagement.door:
                    stream = await connect(engagement.host, engagement.port, trust, engagement.met)
                    trust = trust.once_met()
                    session = await stack.enter_async_context(open_session(stream))
                    welcome = await session.greet(
                        engagement.name, bot=True, ticket=slot.ticket, password=engagement.password
                    )
                slot.keep(welcome.ticket)  # before anything is said, which makes the old one worthless (§4.5)
                if welcome.resumed is not wire.Resumed.NO:
                    session.confirm()
                session.pinged = partial(_wait_its_turn, session, steps, nursery)
                has_been_in = True
                search.found(trio.current_time())
                line.session = session
                session.is_done = not slot.is_ours  # who is stopped, and started again, is the same one
                try:
                    finished = await _hear(errand, line, session, welcome, steps, tell, nursery=nursery)
                except TurnedAway:
                    _part(session, slot)
                    raise
                except trio.Cancelled:
                    if (leave := errand.stopped()) is not None:
                        session.send(leave)
                    raise
                _part(session, slot)
                return finished
        except (NoServer, SessionEnded) as error:
            if isinstance(error, ServerBye) and error.message.code is wire.ByeCode.BAD_TICKET:
                was_of_another_day = slot.ticket is not None and not has_been_in
                slot.drop()
                if was_of_another_day:
                    continue
            pause = None
            if has_been_in and slot.ticket is not None and is_passing(error):
                pause = search.next(trio.current_time())
            if pause is None:
                raise
        finally:
            line.session = None
        await trio.sleep(pause)


def _part(session: Session, slot: Slot) -> None:
    """For good: a bot that says that it is done is forgotten."""
    session.is_done = True
    slot.drop()


async def _hear(  # noqa: PLR0917  the ends of one conversation
    errand: Errand,
    line: _Line,
    session: Session,
    message: wire.ServerMessage,
    steps: "trio.MemorySendChannel[Step | _Pinged]",
    tell: Tell,
    *,
    nursery: trio.Nursery,
) -> Finished:
    """Take messages as they come, whatever the bot does meanwhile."""
    while True:
        try:
            due = errand.message(message, trio.current_time())
        except RemoteProtocolError as error:
            raise session.blame(error) from None
        for step in due:
            if isinstance(step, Told):
                tell(step)
                continue
            match step:
                case Finished():
                    return step
                case NewMatch() | Saw() | Question():
                    await steps.send(step)
                case Later():
                    nursery.start_soon(_send_later, line, step)
                case _:
                    session.send(step)
        message = await session.receive()


async def _send_later(line: _Line, later: Later) -> None:
    await trio.sleep(later.seconds)
    line.send(later.message)


async def _think(
    player: "_Player", errand: Errand, line: _Line, steps: "trio.MemoryReceiveChannel[Step | _Pinged]"
) -> None:
    async for step in steps:
        match step:
            case _Pinged():
                step.answer()
            case NewMatch():
                await player.begin()
            case Saw(event):
                player.bot.saw(event)
            case Question():
                if (answer := await _answer(player, errand, step)) is not None:
                    line.send(answer)


async def _answer(player: "_Player", errand: Errand, question: Question) -> wire.ClientMessage | None:
    if question.asks is Asks.DECIDE:
        return errand.decides(question, await player.ask(player.bot.decide, question.view))
    if await player.ask(player.bot.calls_kuku, question.view):
        return errand.calls_kuku(question)
    return None


class _Player:
    """The bot of the match that is played; a fresh one for each."""

    def __init__(self, engagement: Engagement, rng: Random, complaints: Complaints) -> None:
        self._engagement = engagement
        self._rng = rng
        self._complaints = complaints
        self._bot: Bot | None = None

    @property
    def bot(self) -> Bot:
        assert self._bot is not None
        return self._bot

    async def begin(self) -> None:
        await self.dismiss()
        engagement = self._engagement
        make = partial(engagement.make, self._rng)
        self._bot = (
            make()
            if engagement.is_ours
            else await _in_thread(partial(GuardedBot, make, self._complaints, engagement.budget, engagement.log))
        )

    async def ask(self, method: Callable[[View], _Answer], view: View) -> _Answer:
        if self._engagement.is_ours:
            return method(view)
        return await _in_thread(partial(method, view))

    async def dismiss(self) -> None:
        bot, self._bot = self._bot, None
        if isinstance(bot, GuardedBot):
            await _in_thread(bot.close)


async def _in_thread(call: Callable[[], _Answer]) -> _Answer:
    """A guarded bot answers within its budget, so that the thread comes back by itself."""
    return await trio.to_thread.run_sync(call, abandon_on_cancel=True)
