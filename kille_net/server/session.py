"""One peer of the server: its connection from the hello to the bye.

Owns the peer's deadlines, rates and outbox, and ends with the connection, whatever the peer does. Refuses to know
rooms: commands go to the lobby, and what follows from them comes back as frames.
"""

import math
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, Protocol

import trio

from kille_net.server.bans import BanList
from kille_net.server.counts import Counts
from kille_net.server.effects import Effect, Tell
from kille_net.server.limits import Limits
from kille_net.server.line import Line, LineLost, linger
from kille_net.server.lobby import Lobby
from kille_net.server.logs import log, where
from kille_net.server.outbox import Outbox
from kille_net.server.passwords import Trial
from kille_net.server.people import Player
from kille_net.server.proving import Denied, Prover
from kille_net.server.register import Unwelcome
from kille_net.server.reminders import Reminders
from kille_net.server.timing import Bucket, Lockout, Recent
from kille_net.server.tls import NeedsTls
from kille_net.wire import (
    ByeCode,
    Connection,
    RemoteProtocolError,
    Role,
    ServerConnection,
    State,
    bye,
    negotiate,
)
from kille_net.wire import messages as m
from kille_net.wire.states import Place

__all__ = ["House", "Session"]

_OF_NAMES: Final = frozenset({ByeCode.BAD_NAME, ByeCode.NAME_TAKEN})


class House(Protocol):
    """What a session needs of the server; nothing of it waits."""

    @property
    def agent(self) -> str: ...
    @property
    def limits(self) -> Limits: ...
    @property
    def lobby(self) -> Lobby: ...
    @property
    def lockout(self) -> Lockout: ...
    @property
    def lock(self) -> str | None: ...
    @property
    def prover(self) -> Prover: ...
    @property
    def bans(self) -> BanList: ...
    @property
    def counts(self) -> Counts: ...
    @property
    def now(self) -> float:
        """The lobby's time, which stands still while nothing can be kept."""
        ...

    @property
    def is_stuck(self) -> bool:
        """Whether nothing can be kept now."""
        ...

    @property
    def reminders(self) -> Reminders: ...
    def spawn(self, task: Callable[[], Awaitable[None]]) -> None: ...
    def welcome(self, player: Player, session: "Session") -> None: ...
    def lose(self, player: Player, session: "Session", *, is_done: bool) -> None: ...
    def carry(self, effects: list[Effect]) -> None: ...


class Session:
    """Run once; `send` and `end` may be called at any time and wait for nothing."""

    def __init__(
        self, line: Line, house: House, *, address: str, is_loopback: bool, admit: Callable[[], bool] = lambda: True
    ) -> None:
        """`address`: what tickets that are refused are counted by; `admit`: whether there is a place for one more."""
        limits = house.limits
        self._line = line
        self._house = house
        self._limits = limits
        self._address = address
        self._is_loopback = is_loopback
        self._admit = admit
        self._connection: ServerConnection = Connection(Role.SERVER)
        self._outbox = Outbox(
            line,
            limits,
            limits.greeting_outbox_bytes,
            spawn=lambda: house.spawn(self._outbox.flush),
            too_slow=lambda: self.end(ByeCode.TOO_SLOW),
            failed=self._fail,
        )
        self._scope = trio.CancelScope()
        self._why: tuple[ByeCode, str] | None = None
        self._player: Player | None = None
        self._is_ticket_confirmed = False
        self._is_done = False
        self._has_heard = False
        self._their_word: ByeCode | None = None
        self._commands = Bucket(limits.commands_per_second, limits.commands_burst)
        self._chat = Recent(limits.chat_lines, limits.chat_characters, limits.chat_seconds)
        self._heard_at = self._began_at = trio.current_time()
        self._frame_since: float | None = None
        self._noted = math.inf
        """When we are reminded at the latest."""
        self._asked_at: float | None = None
        """When we asked whether it is there, if nothing has come since."""
        self._pings = 0
        self._ponged = 0
        self._waits: Callable[[], Awaitable[None]] | None = None
        """What is done before more is taken, if there is something."""

    # --- what others do with it -----------------------------------------------------------------------------------

    @property
    def address(self) -> str:
        """What the peer has of addresses; empty: it has none."""
        return self._address

    @property
    def waiting(self) -> tuple[int, int]:
        """How many frames, and bytes, are still to be sent."""
        return self._outbox.waiting

    @property
    def is_open(self) -> bool:
        """Whether frames can still be sent (`wire.shared_frame`)."""
        return self._why is None and self._connection.state is State.OPEN

    def send(self, frames: list[bytes]) -> None:
        """Whole frames, while it is open."""
        self._outbox.send(frames)

    def greet(self, welcome: m.Welcome) -> None:
        """Let the peer in, unless it has gone meanwhile."""
        if self._why is None and self._connection.state is State.GREETED:
            self._outbox.max_bytes = self._limits.outbox_bytes
            self._outbox.send([self._connection.send(welcome)])
            self._remind()  # from now on it is silence that is looked for

    def end(self, code: ByeCode, place: str = "") -> None:
        """Say why, and end; the first reason counts."""
        if self._why is None:
            self._why = (code, place)
        self._scope.cancel()

    # --- its life -------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """From the connecting to the end. Raises nothing that the peer can cause, and no bug of ours: others go on."""
        try:
            await self._live()
        except Exception as error:  # …in the last steps, after which there is nobody to tell
            self._fail(error)
        finally:
            self._outbox.let_go()

    async def _live(self) -> None:
        try:
            await self._listen()
        except LineLost:
            pass
        except NeedsTls:
            self.end(ByeCode.NEEDS_TLS)
        except RemoteProtocolError as error:
            self.end(error.code, error.place)
        except trio.Cancelled:
            self._leave(ByeCode.SHUTTING_DOWN)
            await self._line.close()
            raise
        except Exception as error:  # a bug of ours
            self._fail(error)
        try:
            self._leave()
            with trio.move_on_after(self._limits.write):
                await self._outbox.drain()
            await linger(self._line)
        finally:
            await self._line.close()

    def _fail(self, error: Exception) -> None:
        """Because of a bug of ours, wherever it was met: this session ends."""
        log.error("session_failed", error=where(error))
        self._house.counts.faults += 1
        self.end(ByeCode.INTERNAL)

    async def _listen(self) -> None:
        """Take what comes until there is a reason to end, or the other end has ended."""
        self._remind()
        try:
            with self._scope:
                while self._is_going():
                    if self._waits is None:
                        data = await self._line.receive()
                        now = trio.current_time()
                        self._hear(data, now)
                    else:
                        await self._waits()
                        self._waits = None
                        now = trio.current_time()
                    self._take(now)
        finally:
            self._house.reminders.drop(self)

    def _hold(self, waits: Callable[[], Awaitable[None]]) -> None:
        """Take nothing more until this is done."""
        self._waits = waits
        self._frame_since = None

    def _is_going(self) -> bool:
        return self._why is None and self._connection.state is not State.CLOSED

    def _leave(self, otherwise: ByeCode | None = None) -> None:
        """Give up the place in the house, and say the last word unless the other end has."""
        if self._why is None and otherwise is not None:
            self._why = (otherwise, "")
        self._log_end()
        if self._player is not None:
            player, self._player = self._player, None
            self._house.lose(player, self, is_done=self._is_done)
        if self._why is not None and self._connection.state is not State.CLOSED:
            self._house.counts.byes[self._why[0]] += 1
            self._outbox.end(self._connection.send(bye(*self._why)))

    def _log_end(self) -> None:
        code, place = self._why or (self._their_word or "lost", "")
        if self._player is None and code == "lost" and not self._has_heard:
            return  # who only looks whether somebody answers
        last = "client" if self._why is None and self._their_word is not None else "server"
        if self._player is None:
            log.info("not_let_in", code=code, place=place, by=last, address=self._address)
        else:
            log.info("session_ended", code=code, place=place, by=last, name=self._player.name)

    # --- time -----------------------------------------------------------------------------------------------------

    def _next_check(self) -> float:
        limits, state = self._limits, self._connection.state
        if state is State.GREETING:
            return self._began_at + limits.hello
        if state is State.GREETED:  # it is we who are slow
            at = self._heard_at + limits.silence
        elif self._asked_at is None:
            at = self._heard_at + limits.ping
        else:  # all of it from the asking, which comes late after we stood still
            at = self._asked_at + limits.silence - limits.ping
        return at if self._frame_since is None else min(at, self._frame_since + self._limits.frame)

    def _remind(self) -> None:
        """Be reminded of what is due next, unless that is done before."""
        if self._waits is None and self._is_going() and (at := self._next_check()) < self._noted:
            self._noted = at
            self._house.reminders.note(self, at)

    def check(self, now: float) -> None:
        """A time has come that was noted when there was less to go by."""
        self._noted = math.inf
        try:
            if self._waits is None and self._is_going() and now >= self._next_check():
                self._do_due(now)
            self._remind()
        except Exception as error:  # a bug of ours is no matter of whoever else is reminded
            self._fail(error)

    def _do_due(self, now: float) -> None:
        is_late = self._frame_since is not None and now >= self._frame_since + self._limits.frame
        state = self._connection.state
        if state is State.GREETING or is_late:
            self.end(ByeCode.TOO_SLOW)
        elif state is State.GREETED:
            self.end(ByeCode.BUSY)
        elif self._asked_at is not None:
            self.end(ByeCode.SILENT)
        else:
            self._asked_at = now
            self._pings += 1
            self._outbox.send([self._connection.send(m.Ping(n=self._pings))])

    # --- what comes -----------------------------------------------------------------------------------------------

    def _hear(self, data: bytes, now: float) -> None:
        self._heard_at = now
        self._asked_at = None
        if data:
            self._has_heard = True
            self._connection.receive_data(data)
        else:
            self._connection.receive_eof()

    def _take(self, now: float) -> None:
        """Take what has come, as far as it can be taken now."""
        took = False
        while self._waits is None and self._is_going() and (message := self._connection.next_message()) is not None:
            took = True
            self._handle(message, now)
        if self._waits is not None or not self._connection.is_mid_frame:
            self._frame_since = None
        elif took or self._frame_since is None:
            self._frame_since = now
        self._remind()

    def _handle(self, message: m.ClientMessage, now: float) -> None:
        if self._player is not None and not self._is_ticket_confirmed and not isinstance(message, m.Bye):
            self._is_ticket_confirmed = True
            self._house.carry(self._house.lobby.confirm_ticket(self._player))
        match message:
            case m.Hello():
                self._greet(message, now)
            case m.Ping(n=n):
                if self._has_permit(now):
                    self._outbox.send([self._connection.send(m.Pong(n=n))])
                else:
                    self._punish(now)
            case m.Pong(n=n) if self._ponged < n <= self._pings:
                self._ponged = n
            case m.Pong():
                if not self._is_loopback:
                    self._commands.strike(now)
                    self._punish(now)
            case m.Bye(code=code):
                self._their_word = code
                self._is_done = code is ByeCode.DONE
            case _:
                self._command(message, now)

    def _greet(self, hello: m.Hello, now: float) -> None:
        version = negotiate(hello.versions)
        if version is None:
            self.end(ByeCode.UNSUPPORTED_VERSION, "versions")
            return
        if self._house.bans.has(hello.name, self._address):
            self.end(ByeCode.BANNED)
            return
        lock = self._house.lock
        if hello.ticket is not None or lock is None:
            self._enter(hello, version, now)
        elif hello.password is None:
            self.end(ByeCode.WRONG_PASSWORD, "password")
        else:
            self._hold(partial(self._try_password, hello, version, Trial(hello.password, lock)))

    async def _try_password(self, hello: m.Hello, version: int, trial: Trial) -> None:
        proof = await self._house.prover.prove(trial, self._address)
        match proof:
            case Denied.WRONG:
                self.end(ByeCode.WRONG_PASSWORD, "password")
            case Denied.TOO_OFTEN:
                self.end(ByeCode.BUSY)
            case _ if self._is_going():
                self._enter(hello, version, trio.current_time())

    def _enter(self, hello: m.Hello, version: int, now: float) -> None:
        lobby, bans = self._house.lobby, self._house.bans
        if bans.has(hello.name, self._address):  # since its password began to be tried
            self.end(ByeCode.BANNED)
            return
        if self._house.is_stuck or not self._admit():
            self.end(ByeCode.BUSY)
            return
        effects: list[Effect] = []
        resumed = m.Resumed.NO
        if hello.ticket is None:
            try:
                player = lobby.enter(hello.name, is_bot=hello.bot)
            except Unwelcome as unwelcome:
                self.end(unwelcome.code, "name" if unwelcome.code in _OF_NAMES else "")
                return
        else:
            if self._house.lockout.is_locked(self._address, now):
                self.end(ByeCode.BUSY)
                return
            try:
                player = lobby.find(hello.ticket)
            except Unwelcome as unwelcome:
                self._house.lockout.fail(self._address, now)
                self.end(unwelcome.code, "ticket")
                return
            if bans.has(player.name, self._address):
                self.end(ByeCode.BANNED)
                return
            if lobby.place(player) is not Place.LOBBY and not player.returns.take(now):
                self.end(ByeCode.BUSY)
                return
            effects = lobby.come_back(player, self._house.now)
            resumed = m.Resumed.LOBBY if lobby.place(player) is Place.LOBBY else m.Resumed.ROOM
        self._player = player
        ticket, kept = lobby.give_ticket(player, hello.ticket)
        welcome = m.Welcome(
            version=version,
            agent=self._house.agent,
            name=player.name,
            settings=self._limits.settings(is_loopback=self._is_loopback),
            ticket=ticket,
            resumed=resumed,
            last_id=player.answers.last_id,
        )
        log.info("let_in", name=player.name, bot=player.is_bot, resumed=resumed, address=self._address)
        self._house.welcome(player, self)
        self._house.carry([*kept, Tell((player,), welcome), *effects])

    def _command(self, command: m.Command, now: float) -> None:
        player = self._player
        assert player is not None
        lobby = self._house.lobby
        has_permit = lobby.is_answer(player, command) or self._has_permit(now)
        if not has_permit or (isinstance(command, m.Say) and not self._chat.take(now, len(command.text))):
            self._refuse(player, command, m.RefusalCode.TOO_FAST)
            if not has_permit:
                self._punish(now)
        elif self._house.is_stuck:
            self._refuse(player, command, m.RefusalCode.CANNOT_SAVE)
        elif (trial := lobby.trial(player, command)) is None:
            self._house.carry(lobby.command(player, command, self._house.now))
        else:
            self._hold(partial(self._try, player, command, trial))

    async def _try(self, player: Player, command: m.Command, trial: Trial) -> None:
        """The command, once it is clear whether its password is right."""
        proof = await self._house.prover.prove(trial, self._address)
        if not self._is_going():
            return
        if proof is Denied.TOO_OFTEN:
            self._refuse(player, command, m.RefusalCode.TOO_FAST)
        elif self._house.is_stuck:
            self._refuse(player, command, m.RefusalCode.CANNOT_SAVE)
        else:
            known = None if proof is Denied.WRONG else proof
            self._house.carry(self._house.lobby.command(player, command, self._house.now, known))

    def _refuse(self, player: Player, command: m.Command, code: m.RefusalCode) -> None:
        lobby = self._house.lobby
        refused = lobby.refuse(player, command, code)
        if refused is None:
            self._house.carry(lobby.command(player, command, self._house.now))  # as it was, once kept
            return
        self._house.counts.refusals[code] += 1
        self._outbox.send([self._connection.send(refused)])

    def _has_permit(self, now: float) -> bool:
        """Whether the peer keeps to its rate."""
        return self._is_loopback or self._commands.take(now)

    def _punish(self, now: float) -> None:
        """Read nothing for a while, so that the peer has to wait; who goes on regardless is parted from."""
        if self._commands.strikes >= self._limits.strikes:
            self.end(ByeCode.FLOOD)
        else:
            self._hold(partial(trio.sleep_until, now + self._limits.pause))
