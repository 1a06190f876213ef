"""The server: listens, lets peers in, and brings their sessions and the lobby together.

Owns sockets, tasks, the clock and the dice. Refuses to decide anything about rooms, and to know how what is decided
gets to whom it concerns.
"""

import errno
import math
import secrets
import socket
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import trio

from kille_net import __version__
from kille_net.bots import BUILT_IN
from kille_net.game.actions import Action
from kille_net.game.shuffle import ID_SIZE, SECRET_SIZE, Material
from kille_net.game.views import View
from kille_net.server.addresses import block_of, is_loopback
from kille_net.server.admission import Admission, Entry
from kille_net.server.bans import BanList
from kille_net.server.carrier import Carrier
from kille_net.server.counts import Counts
from kille_net.server.effects import Effect, Keep, Save, Search, Think
from kille_net.server.journal import Journal
from kille_net.server.limits import Limits
from kille_net.server.line import Line, LineLost, SocketLine, StreamLine, linger
from kille_net.server.lobby import Lobby
from kille_net.server.logs import log, where
from kille_net.server.people import Computer, Player
from kille_net.server.proving import Prove, Prover, in_thread
from kille_net.server.records import Closed, Records, keep_record
from kille_net.server.reminders import Reminders
from kille_net.server.saving import Banned, MatchesOpened, Record, RecordWritten, Unbanned
from kille_net.server.scheduling.calendar import Calendar
from kille_net.server.searching import Searchers
from kille_net.server.session import Session
from kille_net.server.sources import Sources
from kille_net.server.timing import Lockout, Stopwatch
from kille_net.server.tls import DoorLine
from kille_net.systems import most_files
from kille_net.wire import ByeCode, Level, bye, frame
from kille_net.wire import messages as m

if TYPE_CHECKING:
    from kille_net.server.clerk import Memory
    from kille_net.server.key import Key  # imports what only a server with a key needs

__all__ = [
    "EVERYWHERE",
    "LOOPBACK",
    "PORT",
    "Config",
    "Server",
    "drawn_sources",
]

PORT: Final = 4747
_TICKET_BYTES: Final = 32
LOOPBACK: Final = ("127.0.0.1", "::1")
EVERYWHERE: Final = ("0.0.0.0", "::")
_GOODBYE: Final = 4.0
"""Seconds in which sessions may end by themselves when the server stops."""
_LAST_COMMIT: Final = 2.0
"""…of which so many for keeping and telling what has happened."""
_BUSY: Final = frame(bye(ByeCode.BUSY))
_OUT_OF_RESOURCES: Final = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}


def drawn_sources() -> Sources:
    """Chance from the operating system, and the built-in players."""
    dice = secrets.SystemRandom()

    def computer(level: Level) -> Computer:
        return BUILT_IN[level.value](dice)

    return Sources(
        shuffle=lambda: Material(secrets.token_bytes(SECRET_SIZE), secrets.token_bytes(ID_SIZE)),
        chance=dice.random,
        computer=computer,
        ticket=lambda: secrets.token_hex(_TICKET_BYTES),
        epoch=time.time,
    )


def _is_any(address: str) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    hosts: tuple[str, ...] = LOOPBACK
    """Addresses to listen on."""
    serves: Callable[[str], bool] = _is_any
    """Which of the addresses that are reached by those may be used; addresses come and go while a server runs."""
    key: "Key | None" = None
    """For TLS; None: there is none, and plain text is taken from everywhere."""
    takes_plain: bool = False
    """With a key, whether plain text is taken from other machines."""
    is_near: Callable[[str], bool] = is_loopback
    """Which peers' addresses are this machine's: they may speak plain text, and have no rates."""
    port: int = PORT
    """0: any free one, the same on all addresses."""
    name: str = ""
    """What the server is called."""
    records: Path | None = None
    """The folder for the records of finished matches."""
    lock: str | None = field(default=None, repr=False)
    """What the server's password is checked by (`passwords.prove`); None: it has none."""
    prove: Prove = in_thread
    think: Callable[[Callable[[], Any]], Awaitable[Any]] = trio.to_thread.run_sync
    """Does what takes long, beside the loop."""
    search: Callable[[View, float], Awaitable[Action | None]] | None = None
    """What a searching computer does as a seat that sees this, within so many seconds; None: processes search."""
    limits: Limits = field(default_factory=Limits)
    sources: Sources = field(default_factory=drawn_sources)


class Server:
    """Runs sessions from `run` on until `shut_down` or a cancellation."""

    def __init__(self, config: Config, memory: "Memory | None" = None) -> None:
        self.agent: Final = f"kille-net {__version__} {config.name}".strip()[:64]
        self.limits: Final = config.limits
        self.lobby: Final = Lobby(config.sources, config.limits)
        self.lock: Final = config.lock
        self.prover: Final = Prover(config.limits, config.prove)
        self.lockout: Final = Lockout(config.limits.ticket_failures, config.limits.ticket_lock)
        self.addresses: tuple[tuple[str, int], ...] = ()
        """Where it listens."""
        self.started_at = 0.0
        self.bans: Final = BanList(() if memory is None else memory.saved.bans)
        self.counts: Final = Counts()
        self.backup: Callable[[Path], Awaitable[None]] | None = None if memory is None else memory.backup
        """Writes all that is kept to a file that is not there yet; None: nothing is kept. It raises OSError."""
        self.reminders: Final = Reminders()
        self.stop_asked: Final = trio.Event()
        """Set when somebody wants the server to stop in good order."""
        self._config = config
        self.admission: Final = Admission(config.limits, _files_for_peers(config.limits.reserved_files))
        self._lingering = 0
        self._thinking = trio.CapacityLimiter(1)
        """One tournament's turn at a time: however many there are, the loop shares its processor with one thread."""
        self._searchers = Searchers()
        self._all: set[Session] = set()
        self._alarm = trio.CancelScope()
        self._nursery: trio.Nursery
        self._accepting = trio.CancelScope()
        self._waking = trio.CancelScope()
        self._is_halted = False
        self._nobody = trio.Event()
        self._settling: set[trio.CancelScope] = set()
        self._clock = Stopwatch()
        self._memory = memory
        self._journal = None if memory is None else Journal(memory.keep, self)
        self._records: Records | None = None
        if memory is not None and config.records is not None:
            self._records = Records(config.records, memory.unrecorded, self._record_written)
        self._closed = Closed()
        self.carrier: Final = Carrier(
            self.counts,
            self._journal,
            keep_record=self._keep_record,
            open_records=self._open_records,
            fail_room=self._fail_room,
            think=lambda thought: self.spawn(partial(self._think, thought)),
            search=lambda search: self.spawn(partial(self._search, search)),
        )

    # --- its life -------------------------------------------------------------------------------------------------

    async def run(
        self,
        listeners: Sequence[socket.socket] = (),
        *,
        task_status: trio.TaskStatus["Server"] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Serve those who come in by the listeners, and those whom `attend` is given."""
        self.addresses = tuple(listener.getsockname()[:2] for listener in listeners)
        self.started_at = trio.current_time()
        try:
            async with trio.open_nursery() as self._nursery:
                if self._memory is not None and self._journal is not None:
                    self.carry(self.lobby.restore(self._memory.saved, self.now))
                    self._nursery.start_soon(self._journal.run)
                if self._records is not None:
                    self._nursery.start_soon(self._records.run)
                self._nursery.start_soon(self._wake_rooms)
                self._nursery.start_soon(self.reminders.run)
                async with trio.open_nursery() as accepting:
                    self._accepting = accepting.cancel_scope
                    for listener in listeners:
                        accepting.start_soon(self._accept, listener)
                    log.info("started", addresses=[f"{host} {port}" for host, port in self.addresses])
                    task_status.started(self)
                    await trio.sleep_forever()
        finally:
            for listener in listeners:
                listener.close()
            await self._searchers.close()

    def halt(self) -> None:
        """From now on nothing happens at any table: who is lost is lost because of us, and nobody plays for them."""
        self._is_halted = True
        self._waking.cancel()

    async def shut_down(self) -> None:
        """Tell all that has happened, say bye to everybody, and let `run` end."""
        self.halt()
        self._accepting.cancel()
        with trio.move_on_after(_GOODBYE):
            if self._journal is not None:
                with trio.move_on_after(_LAST_COMMIT):
                    await self._journal.flush()
            for session in self._all:
                session.end(ByeCode.SHUTTING_DOWN)
            while self._all:
                self._nobody = trio.Event()
                await self._nobody.wait()
        self._nursery.cancel_scope.cancel()

    async def attend(self, stream: trio.abc.Stream, *, is_loopback: bool = True) -> None:
        """Serve the peer at the other end of a stream until it ends; on this machine there are no rates."""
        session = Session(StreamLine(stream), self, address="", is_loopback=is_loopback)
        has_ended = trio.Event()

        async def run() -> None:  # among the server's own tasks, which send what the session leaves to them
            try:
                await self._attend(session)
            finally:
                has_ended.set()

        self._nursery.start_soon(run)
        try:
            await has_ended.wait()
        finally:
            session.end(ByeCode.SHUTTING_DOWN)

    async def _attend(self, session: Session) -> None:
        self._all.add(session)
        try:
            await session.run()
        finally:
            self._all.discard(session)
            self._nobody.set()

    # --- letting in -----------------------------------------------------------------------------------------------

    async def _accept(self, listener: socket.socket) -> None:
        """Accept for ever; nothing that a peer does ends it."""
        while True:
            await trio.lowlevel.wait_readable(listener)
            try:
                sock, address = listener.accept()
            except OSError as error:  # BlockingIOError: it was gone before it was let in
                if error.errno in _OUT_OF_RESOURCES:
                    log.error("cannot_let_in", why=error.strerror)
                    await trio.sleep(0.1)
                continue
            self._let_in(sock, address[0])

    def _let_in(self, sock: socket.socket, address: str) -> None:
        config = self._config
        try:
            if not config.serves(sock.getsockname()[0]):
                sock.close()
                return
            line = SocketLine(sock)
        except OSError:  # gone already
            sock.close()
            return
        is_near = config.is_near(address)
        block = block_of(address)
        entry = self.admission.enter(block, is_near=is_near)
        if entry is None:
            self.counts.byes[ByeCode.BUSY] += 1
            log.info("not_let_in", code=ByeCode.BUSY, by="server", address=block)
            self._turn_away(sock, line)
            return
        spoken: Line = line
        if config.key is not None:
            spoken = DoorLine(line, config.key.context, takes_plain=is_near or config.takes_plain)
        self._nursery.start_soon(partial(self._attend_socket, spoken, block, entry, is_loopback=is_near))

    async def _attend_socket(self, line: Line, address: str, entry: Entry, *, is_loopback: bool) -> None:
        try:
            await self._attend(Session(line, self, address=address, is_loopback=is_loopback, admit=entry.welcome))
        finally:
            entry.leave()

    def _turn_away(self, sock: socket.socket, line: SocketLine) -> None:
        """Say why, in plain text also where TLS is spoken."""
        try:
            line.send_now(_BUSY)
        except LineLost:
            sock.close()
            return
        if self._lingering >= self.limits.turned_away:  # …and whoever has said nothing yet reads it even so
            sock.close()
            return
        self._lingering += 1
        self._nursery.start_soon(self._linger, line)

    async def _linger(self, line: SocketLine) -> None:
        try:
            await linger(line)
        finally:
            self._lingering -= 1
            await line.close()

    # --- what sessions and the journal need of it (their `House`) ---------------------------------------------------

    def spawn(self, task: Callable[[], Awaitable[object]]) -> None:
        self._nursery.start_soon(task)

    def welcome(self, player: Player, session: Session) -> None:
        self.carrier.let_speak(player, session)

    def lose(self, player: Player, session: Session, *, is_done: bool) -> None:
        """The session has ended, and the player's line is lost with it unless it has another."""
        if self.carrier.session_of(player) is session:
            self.carrier.let_go(player)
            if not self._is_halted:
                self.carry(self.lobby.lose(player, self.now, is_done=is_done))

    def carry(self, effects: Sequence[Effect]) -> None:
        """Let be done what the lobby wants done."""
        self.carrier.carry(effects)
        self._set_alarm()

    def _keep_record(self, keep: Keep) -> None:
        if self._records is not None:
            self._records.note()
        elif self._config.records is not None and not self._closed.hold(keep):
            self.spawn(partial(keep_record, self._config.records, keep.record))

    def _open_records(self, opened: MatchesOpened) -> None:
        if self._records is not None:
            self._records.note()
        elif self._config.records is not None:
            for keep in self._closed.open(opened.matches):
                self.spawn(partial(keep_record, self._config.records, keep.record))

    async def _record_written(self, record: Record) -> None:
        assert self._journal is not None
        self.carry([Save(RecordWritten(bytes.fromhex(record.match_id)))])
        await self._journal.flush()

    def _fail_room(self, key: str, error: Exception) -> None:
        self.carry(self.lobby.fail(key, error, self.now))

    async def _think(self, thought: Think) -> None:
        try:
            async with self._thinking:
                result = await self._config.think(thought.work)
        except Exception as error:  # a bug of ours, which the lobby tells
            result = error
        if not self._is_halted:
            self.carry(self.lobby.thought(thought.tournament, result, self.now))

    async def _search(self, search: Search) -> None:
        action = await (self._config.search or self._searchers.search)(search.view, search.seconds)
        if action is not None:
            search.take(action)

    @property
    def now(self) -> float:
        """The lobby's time, which stands still while nothing can be kept."""
        return self._clock.read(trio.current_time())

    @property
    def is_stuck(self) -> bool:
        return self._clock.is_stopped

    def stick(self, why: str) -> None:
        log.error("cannot_save", why=why)
        self._clock.stop(trio.current_time())
        for waiting in self._settling:
            waiting.cancel()
        self.carrier.tell_everyone(m.Notice(code=m.NoticeCode.CANNOT_SAVE, text="", ms=0))

    def committed(self, seconds: float) -> None:
        self.counts.committed(seconds)

    async def settle(self) -> bool:
        """Wait until all that was done so far is kept; False: it cannot be kept now, and may be later."""
        if self._journal is None:
            return True
        is_kept = False
        with trio.CancelScope() as waiting:
            self._settling.add(waiting)
            try:
                if not self.is_stuck:
                    await self._journal.flush()
                    is_kept = True
            finally:
                self._settling.discard(waiting)
        return is_kept

    def unstick(self) -> None:
        log.info("saving_again")
        self._clock.go(trio.current_time())
        self._set_alarm()
        self.carrier.tell_everyone(m.Notice(code=m.NoticeCode.SAVING_AGAIN, text="", ms=0))

    # --- what whoever runs the server does ------------------------------------------------------------------------

    @property
    def sessions(self) -> tuple[Session, ...]:
        """Of all peers, welcomed or not."""
        return tuple(self._all)

    def is_banned(self, player: Player) -> bool:
        session = self.carrier.session_of(player)
        return self.bans.has(player.name, "" if session is None else session.address)

    def ban(self, text: str) -> tuple[str, tuple[Player, ...]]:
        """Let nobody of that name or address in any more; what was banned, and who was sent away.

        Raises ValueError for what is neither.
        """
        shown = self.bans.add(text)
        self.carry([Save(Banned(shown))])
        gone = tuple(player for player in self.lobby.players if self.is_banned(player))
        for player in gone:
            self.expel(player)
        return shown, gone

    def unban(self, text: str) -> bool:
        """Whether it was banned. Raises ValueError for what is neither a name nor an address."""
        shown = self.bans.remove(text)
        if shown is not None:
            self.carry([Save(Unbanned(shown))])
        return shown is not None

    def expel(self, player: Player) -> None:
        """Send the player away for good."""
        session = self.carrier.session_of(player)
        self.carrier.let_go(player)
        if session is not None:
            session.end(ByeCode.BANNED)
        self.carry(self.lobby.expel(player, self.now))

    def close_room(self, name: str) -> bool:
        """Whether there was one of this name."""
        effects = self.lobby.close(name, self.now)
        self.carry(effects or [])
        return effects is not None

    def schedule(self, step: Callable[[Calendar, float], list[Effect]]) -> None:
        """Let something happen to tournaments. Raises Refusing."""
        self.carry(self.lobby.schedule(step, self.now))

    # --- time -----------------------------------------------------------------------------------------------------

    def _set_alarm(self) -> None:
        due = self._clock.when(self.lobby.deadline())
        if due is not None and due < self._alarm.deadline:
            self._alarm.deadline = due

    async def _wake_rooms(self) -> None:
        """Let the rooms do what is due, one thing after the other."""
        with self._waking:
            while True:
                due = self._clock.when(self.lobby.deadline())
                self._alarm = trio.CancelScope(deadline=math.inf if due is None else due)
                with self._alarm:
                    await trio.sleep_forever()
                try:
                    if not self.is_stuck:
                        self.carry(self.lobby.tick(self.now))
                except Exception as error:  # a bug in the lobby must not end the server
                    log.error("lobby_failed", error=where(error))
                    self.counts.faults += 1


def _files_for_peers(reserved: int) -> int:
    """How many connections there are file descriptors for."""
    most = most_files()
    return most if most == sys.maxsize else most - reserved
