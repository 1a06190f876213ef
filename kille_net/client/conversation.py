"""The core at work on a session: what comes from the server goes in, what comes out is sent or shown.

Owns how the two halves meet, in trio alone or with trio as a guest. Refuses to know how things are shown.
"""

from collections.abc import Callable
from contextlib import suppress
from random import SystemRandom

import trio

from kille_net.client.core import Core
from kille_net.client.effects import Bell, Effect, Effects, Print, Quit, Send, Show, Style
from kille_net.client.endings import NO_SERVER, distrusted, ending
from kille_net.client.invitation import Invitation
from kille_net.client.net.connecting import connect
from kille_net.client.net.recent import remember
from kille_net.client.net.returning import Search, is_passing
from kille_net.client.net.session import NoServer, ServerBye, Session, SessionEnded, open_session
from kille_net.client.net.tickets import Slot
from kille_net.client.net.trust import Distrust, address_of
from kille_net.client.showing.texts import say
from kille_net.wire.errors import RemoteProtocolError
from kille_net.wire.fingerprint import words
from kille_net.wire.messages import ByeCode, Resumed
from kille_net.wire.text import safe_text

__all__ = ["Conversation"]

_PROBLEM_CELLS = 400
_TICK = 1.0
"""Seconds between two of the core's own moments."""


class Conversation:
    """From the connecting to the goodbye. All but `run` may be called from outside trio, in the same thread."""

    def __init__(
        self, invitation: Invitation, core: Core, show: Callable[[Print | Show | Bell], None], *, pause: float = 0.0
    ) -> None:
        """`pause`: seconds between two reads at least, where what comes is shown together anyway."""
        self.quit: Quit | None = None
        """How to leave, once that is clear."""
        self.changed = trio.Event()
        """Set, and replaced, after every message."""
        self.on_welcome: Callable[[], None] = lambda: None
        self._invitation = invitation
        self._core = core
        self._show = show
        self._pause = pause
        self._session: Session | None = None
        self._slot = Slot(None, "", 0, "")
        self._search = Search(SystemRandom().random)
        self._has_been_in = False
        self._scope = trio.CancelScope()
        self._clock: trio.abc.Clock | None = None

    @property
    def now(self) -> float:
        """By trio's clock; 0 before `run`."""
        return 0.0 if self._clock is None else self._clock.current_time()

    def apply(self, effects: Effects) -> None:
        """Do what the core wants done."""
        for effect in effects:
            self._apply(effect)

    def _apply(self, effect: Effect) -> None:
        match effect:
            case Send(message):
                if self._session is not None:
                    self._session.send(message)
            case Quit():
                self.leave(effect)
            case Print() | Show() | Bell():
                self._show(effect)

    def leave(self, how: Quit) -> None:
        """Say goodbye and end; the first reason counts."""
        if self.quit is None:
            self.quit = how
        self._scope.cancel()

    async def run(self) -> Quit:
        """Talk to the server until there is a reason to leave."""
        self._clock = trio.lowlevel.current_clock()
        plan = self._invitation
        self._slot = Slot(plan.tickets, plan.host, plan.port, plan.name)
        try:
            self._tell_problem()
            with self._scope:
                await self._stay()
        finally:
            self._slot.close()
        assert self.quit is not None
        return self.quit

    async def _stay(self) -> None:
        """One session after the other, as long as coming back makes sense."""
        plan, trust = self._invitation, self._invitation.trust
        while self.quit is None:
            end: SessionEnded | NoServer
            try:
                stream = await connect(plan.host, plan.port, trust, self._meet)
                trust = trust.once_met()
                async with open_session(stream, self._tick) as session:
                    await self._talk(session)
                return
            except Distrust as distrust:  # the ticket is for the server that it was
                self.leave(distrusted(distrust, plan.lang))
                return
            except (NoServer, SessionEnded) as error:
                end = error
            finally:
                self._session = None
            if isinstance(end, ServerBye) and end.message.code is ByeCode.BAD_TICKET and self._slot.ticket is not None:
                self._slot.drop()
                if not self._has_been_in:
                    continue  # what was left of another day: come in as anybody
            returns = plan.returns and self._has_been_in and self._slot.ticket is not None and is_passing(end)
            pause = self._search.next(self.now) if returns else None
            how = self._nobody() if isinstance(end, NoServer) else ending(end, self._address(), plan.lang)
            if pause is None:
                self.leave(how)
                return
            why = how.text if isinstance(end, ServerBye) else ""
            self.apply(self._core.lost(self.now, self._search.attempts, why))
            await trio.sleep(pause)

    def _tell_problem(self) -> None:
        if self._slot.problem:
            key = "ticket_broken" if self._slot.is_broken else "ticket_unkept"
            text = say(self._invitation.lang, key, what=safe_text(self._slot.problem, _PROBLEM_CELLS))
            self._slot.problem = ""
            self._show(Print(text, Style.FAULT))

    def _nobody(self) -> Quit:
        return Quit(NO_SERVER, say(self._invitation.lang, "no_server", address=self._address()))

    def _address(self) -> str:
        host, port = self._invitation.host, self._invitation.port
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    def _meet(self, fingerprint: bytes) -> None:
        """Show a key that is new, so that it can be compared."""
        plan = self._invitation
        address = address_of(plan.host, plan.port)
        self._show(Print(say(plan.lang, "new_key", address=address, words=words(fingerprint)), Style.LOUD))

    async def _talk(self, session: Session) -> None:
        plan = self._invitation
        message = await session.greet(plan.name, bot=False, ticket=self._slot.ticket, password=plan.server_password)
        self._slot.keep(message.ticket)  # before anything is said, which makes the old one worthless (§4.5)
        if message.resumed is not Resumed.NO:
            session.confirm()
        session.pause = self._pause
        self._tell_problem()
        if plan.recent is not None and not self._has_been_in:
            with suppress(OSError):  # what is lost is a line to type
                remember(plan.recent, plan.host, plan.port)
        self._session = session  # not earlier: before the welcome nothing may be said
        self._has_been_in = True
        self._search.found(self.now)
        self._tell(session, message)
        self.on_welcome()
        while self.quit is None:
            self._tell(session, await session.receive())

    async def _tick(self) -> None:
        while True:
            await trio.sleep(_TICK)
            if self.quit is None and self._session is not None:
                self.apply(self._core.tick(self.now))

    def _tell(self, session: Session, message: object) -> None:
        try:
            effects = self._core.message(message, self.now)  # type: ignore[arg-type]  # what a session gives
        except RemoteProtocolError as error:
            raise session.blame(error) from None
        self.apply(effects)
        self.changed.set()
        self.changed = trio.Event()

    def heard(self) -> None:
        """Tell the core when the server was heard last."""
        if self._session is not None:
            self._core.heard(self._session.heard_at)
