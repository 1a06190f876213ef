"""The processes of programs that play over TCP, and their lines, from match to match.

Owns when they are started, heard and ended: no program outlives the process that it plays for, however that ends,
unless it leaves its process group on purpose.
Refuses to know what is asked (`remote`), and what is said (`hosted`).
"""

import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack, suppress
from time import monotonic
from types import TracebackType
from typing import IO, Final, Self

from kille_net.arena.hosted import ROOM, HostedSeat, name_of
from kille_net.arena.programs import filled, words_of
from kille_net.bots.guard import Budget, Complaint, Fault, complaint_of
from kille_net.bots.printing import Log
from kille_net.game.rules import Ruleset, Seat
from kille_net.systems import HAS_PROCESS_GROUPS, end_group
from kille_net.wire import messages as wire
from kille_net.wire.errors import RemoteProtocolError
from kille_net.wire.states import State
from kille_net.wire.text import safe_text

__all__ = ["GRACE", "NOT_READY", "Gone", "Left", "Program", "Programs"]

_HOST: Final = "127.0.0.1"
_MATCHES: Final = 1_000_000
"""More than there are: a program plays as many as it is given."""
_MOST_SAID: Final = 100
"""Messages of a program while it is waited for once."""
_LOOK: Final = 0.05
"""Seconds after which it is looked whether a program that does not come has ended."""
GRACE: Final = 2.0
"""Seconds in which a program that has heard the last word ends by itself."""
_QUIET: Final = 1.0
"""Seconds after which what happens at the table is sent also before the program is waited for."""
_LAST: Final = 0.5
"""Seconds for a program whose line has ended to end, too."""
_CHUNK: Final = 65_536
_CELLS: Final = 300
_LINES: Final = 20
"""That are told of what a program printed which never came: a traceback's end alone need not say why."""
NOT_READY: Final = "not at the table and ready in {seconds} s; the match is played by the defaults"
_ENDED: Final = "it has ended (status {status}) before it was ready at the table; the match is played by the defaults"
_NOT_STARTED: Final = "it cannot be started: {why}; the match is played by the defaults"
_LOST: Final = "its line has ended; the rest of the match is played by the defaults"
_BROKE: Final = "{what}; the rest of the match is played by the defaults"
_KEEPER: Final = "import os, sys; sys.stdin.read(); os.killpg(os.getpid(), 9)"


class Gone(Exception):
    """The program plays no more in this match."""

    def __init__(self, complaint: Complaint) -> None:
        super().__init__(complaint.text)
        self.complaint = complaint


class Left(Exception):
    """It has played as many matches as it wanted to."""


class _Keeper:
    """A process that ends its group, in which a program is with all that it starts, as soon as nobody holds its
    standard input open.

    So they end also where this process is killed. Each program has a group of its own, which it may end, too, as shells
    do by `kill 0`. Where there are no such groups, it is ended by itself.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        if HAS_PROCESS_GROUPS:
            words = [sys.executable, "-I", "-S", "-c", _KEEPER]
            self._process = subprocess.Popen(words, stdin=subprocess.PIPE, process_group=0)

    @property
    def group(self) -> int | None:
        return None if self._process is None else self._process.pid

    def close(self) -> None:
        """End the group, though the program may have ended its keeper."""
        if self._process is not None:
            assert self._process.stdin is not None
            end_group(self._process.pid)
            self._process.stdin.close()
            self._process.wait()


class Program:
    """One process and its line."""

    def __init__(self, name: str, table: HostedSeat, seat: Seat, log: Log | None) -> None:
        """Raises BotError, OSError."""
        self.table = table
        self._log = log
        self._said: deque[str] = deque(maxlen=_LINES)
        """The last lines that it printed."""
        self._socket: socket.socket | None = None
        self._unsent = bytearray()
        """What its socket has not taken yet."""
        self._sent_at = monotonic()
        with ExitStack() as in_vain:
            self._keeper = _Keeper()
            in_vain.callback(self._keeper.close)
            self._listener = socket.create_server((_HOST, 0), backlog=1)
            in_vain.callback(self._listener.close)
            port = self._listener.getsockname()[1]
            places = {"host": _HOST, "port": port, "name": name_of(seat), "room": ROOM, "matches": _MATCHES}
            self._process = subprocess.Popen(
                filled(words_of(name), places),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                process_group=self._keeper.group,
            )
            in_vain.pop_all()
        assert self._process.stdout is not None
        self._listening = threading.Thread(target=self._listen, args=(self._process.stdout,), daemon=True)
        self._listening.start()

    def come(self, seconds: float) -> None:
        """Until it is at the table, and ready for a match. Raises Gone."""
        until = monotonic() + seconds
        try:
            while self._socket is None:
                self._accept(until)
            self.wait(lambda: self.table.is_ready, "ready", until - monotonic())
        except (TimeoutError, Left):
            raise Gone(self._not_ready(seconds)) from None
        except Gone as gone:
            if gone.complaint.fault is not Fault.LOST or self._process.poll() is None:
                raise
            raise Gone(self._not_ready(seconds)) from None

    def _not_ready(self, seconds: float) -> Complaint:
        status = self._process.poll()
        if status is None:
            return self._complaint(Fault.NOT_READY, "ready", NOT_READY, _LINES, seconds=f"{seconds:g}")
        return self._complaint(Fault.NOT_READY, "ready", _ENDED, _LINES, status=str(status))

    def _accept(self, until: float) -> None:
        """Raises TimeoutError."""
        has_ended = self._process.poll() is not None
        self._listener.settimeout(_LOOK)
        try:
            self._socket, _ = self._listener.accept()
        except TimeoutError:
            if has_ended or monotonic() >= until:
                raise
            return
        self._listener.close()
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def wait(self, is_done: Callable[[], bool], doing: str, seconds: float) -> None:
        """Hear what it says until that is so, and no further. Raises Gone, Left, TimeoutError."""
        until, heard = monotonic() + seconds, 0
        table, connection = self.table, self.table.connection
        try:
            self._send(until)
            while not is_done():
                message = connection.next_message()
                if message is None:
                    if connection.state is State.CLOSED:
                        raise OSError
                    self._receive(until)
                    continue
                heard += 1
                if heard > _MOST_SAID:
                    raise RemoteProtocolError(wire.ByeCode.FLOOD)
                table.hear(message)
                self._send(until)
                if table.has_left:
                    raise Left
        except TimeoutError:
            raise
        except OSError:
            lines = _LINES if doing == "ready" else 1
            raise Gone(self._complaint(Fault.LOST, doing, _LOST, lines)) from None
        except RemoteProtocolError as error:
            table.end(error.code, error.place)
            with suppress(OSError):
                self._send(monotonic() + GRACE)
            what = f"{error.code.value} {error.place}".rstrip()
            raise Gone(complaint_of(Fault.BROKE, doing, _BROKE, what=what)) from None

    def freshen(self) -> None:
        """Let it hear something from time to time, also while others think for long."""
        if monotonic() >= self._sent_at + _QUIET:
            with suppress(OSError):  # which the next waiting finds
                self._send(monotonic() + _LOOK)

    @property
    def is_there(self) -> bool:
        """Whether it has not gone since the last match."""
        try:
            self.wait(lambda: False, "ready", 0.0)
        except TimeoutError:
            return self.table.is_ready
        except (Gone, Left):
            return False
        return True

    def lost(self, doing: str) -> Complaint:
        return self._complaint(Fault.LOST, doing, _LOST)

    def _send(self, until: float) -> None:
        """All that is to be said, and what was left of it. Raises OSError, and TimeoutError, which loses nothing."""
        self._unsent += self.table.take()
        while self._unsent and self._socket is not None:
            self._sent_at = monotonic()
            self._socket.settimeout(max(0.001, until - self._sent_at))
            del self._unsent[: self._socket.send(self._unsent)]

    def _receive(self, until: float) -> None:
        assert self._socket is not None
        self._socket.settimeout(max(0.0, until - monotonic()))
        try:
            data = self._socket.recv(_CHUNK)
        except BlockingIOError:  # there was no time to wait
            raise TimeoutError from None
        if data:
            self.table.connection.receive_data(data)
        else:
            self.table.connection.receive_eof()

    def _listen(self, output: IO[bytes]) -> None:
        """What it prints, until it and all that it started have ended."""
        with output, suppress(OSError, ValueError):
            for line in iter(lambda: output.readline(_CHUNK), b""):
                text = line.decode("utf-8", "replace")
                said = safe_text(text.rstrip(), _CELLS)
                if said:
                    self._said.append(said)
                if self._log is not None:
                    self._log.write(text)

    def _complaint(self, fault: Fault, doing: str, template: str, lines: int = 1, **values: str) -> Complaint:
        """With the last lines that it printed, which may say why, as soon as it has ended, be it a little later."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_LAST if fault is Fault.LOST else 0)
            self._listening.join(_LAST)
        said = "".join(f"\n{line}" for line in list(self._said)[-lines:])
        return complaint_of(fault, doing, template, said, **values)

    def say_bye(self) -> None:
        self.table.end(wire.ByeCode.DONE)
        with suppress(OSError):
            self._send(monotonic() + _LOOK)

    def end(self, seconds: float) -> None:
        """See to it that it has ended with what it has started, after so many seconds at the latest."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(max(0.0, seconds))
        self._process.kill()
        self._keeper.close()
        self._process.wait()
        self._listener.close()
        if self._socket is not None:
            self._socket.close()


class Programs:
    """The programs of one process that plays, one for each bot and seat: on a server, too, a seat is for many matches.

    Started when they are needed; they go on from match to match as long as they want to.
    """

    def __init__(self, rules: Ruleset, seats: int, budget: Budget) -> None:
        self._rules = rules
        self._seats = seats
        self.budget = budget
        self._programs: dict[tuple[int, Seat], Program] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def come(self, key: tuple[int, Seat], name: str, log: Log | None) -> Program:
        """The program of that key, ready for a match. Raises Gone."""
        program = self._programs.get(key)
        if program is not None and not program.is_there:
            self.drop(key, 0.0)
            program = None
        if program is None:
            program = self._programs[key] = self._start(name, key[1], log)
        try:
            program.come(self.budget.start)
        except Gone:
            self.drop(key, 0.0)
            raise
        return program

    def _start(self, name: str, seat: Seat, log: Log | None) -> Program:
        table = HostedSeat(self._rules, self._seats, seat, self.budget.decision)
        try:
            return Program(name, table, seat, log)
        except OSError as error:
            why = error.strerror or str(error)
            raise Gone(complaint_of(Fault.NOT_READY, "ready", _NOT_STARTED, why=why)) from None

    def drop(self, key: tuple[int, Seat], grace: float) -> None:
        program = self._programs.pop(key, None)
        if program is not None:
            program.end(grace)

    def close(self) -> None:
        """Once or more."""
        programs, self._programs = list(self._programs.values()), {}
        for program in programs:
            program.say_bye()
        until = monotonic() + GRACE
        for program in programs:
            program.end(until - monotonic())
