"""The load itself: one loop over all connections of all tables, in a process of its own.

`python -m kille_net.bench.load` reads a `Plan` as JSON from standard input and writes its `Result` to standard output.
Owns the sockets, the clock and the order of things. Refuses to know what is said (`table`).
"""

import gc
import heapq
import os
import secrets
import select
import selectors
import socket
import ssl
import sys
from collections.abc import Callable
from functools import partial
from time import perf_counter, process_time
from typing import Any, Final, Generic, Protocol, TypeVar

import msgspec

from kille_net.bench.plan import SEATS, Plan, Result, Shape, spread
from kille_net.bench.process import cpu_seconds, memory, waited_seconds
from kille_net.bench.table import Broken, Player, Table, Tally, Turns
from kille_net.systems import keep_to

__all__ = ["HOST", "Load", "Talker", "main", "playing"]

_CHUNK: Final = 65_536
_GREETING: Final = 24
"""Connections that are let in at once."""
_SEATING: Final = 50
"""Tables that are seated at once."""
_PATIENCE: Final = 60.0
"""Seconds for each such step…"""
_LAST: Final = 30.0
"""…and for the last answers."""
_LOST: Final = "a connection was lost"
HOST: Final = "127.0.0.1"
_CAN_BE_WAITED_FOR: Final = hasattr(selectors.DefaultSelector, "fileno")
_NONE: Final = (BlockingIOError, ssl.SSLWantReadError)
"""There was nothing to read after all."""


class Talker(Protocol):
    """A player, who owns what is said on one connection."""

    def greet(self) -> None:
        """Get in: the tally counts it."""
        ...

    def hear(self, data: bytes, now: float) -> None:
        """Take bytes as they came. Raises Broken."""
        ...

    def part(self) -> None:
        """Have the server end the connection."""
        ...


T = TypeVar("T", bound=Turns)


class Load(Generic[T]):
    """Run once."""

    def __init__(
        self, plan: Plan, table: Callable[[str, Tally], T], player: Callable[[str, T, Callable[[bytes], None]], Talker]
    ) -> None:
        """`table` and `player` make them by their names; a player is told its table, and how it sends."""
        self._plan = plan
        self._tally = Tally()
        self._selector = selectors.DefaultSelector()
        self._sockets: list[socket.socket] = []
        self._tag = secrets.token_hex(2)  # so that a server that has not yet forgotten others takes these
        self._tables = [table(f"Table {self._tag} {number}", self._tally) for number in range(plan.tables)]
        self._player = player
        self._players: list[Talker] = []
        self._are_parting = False
        self._connected = 0
        self._context: ssl.SSLContext | None = None
        if plan.tls:  # whose key it is does not matter here
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            self._context.check_hostname, self._context.verify_mode = False, ssl.CERT_NONE
        self._due: list[tuple[float, int]] = []
        """With a rate: when each table is to act, a heap."""
        self._step = 0.0

    # --- its life -------------------------------------------------------------------------------------------------

    def run(self) -> Result:
        """Raises Broken and OSError."""
        try:
            return self._run()
        finally:
            self._selector.close()
            for sock in self._sockets:
                sock.close()

    def _run(self) -> Result:
        plan, tally = self._plan, self._tally
        before = self._memory()
        self._connect()
        idle = self._memory()
        self._seat()
        gc.collect()
        gc.freeze()  # what is there stays there: looking for it again would be a pause of ours
        self._go()
        self._for(plan.warming)
        tally.is_open = True
        began, worked, waited = perf_counter(), process_time(), waited_seconds(os.getpid())
        server, server_waited = self._of_server(cpu_seconds), self._of_server(waited_seconds)
        self._for(plan.seconds)
        tally.is_open = False
        seconds, worked = perf_counter() - began, process_time() - worked
        waited = _difference(waited_seconds(os.getpid()), waited)
        server = _difference(self._of_server(cpu_seconds), server)
        server_waited = _difference(self._of_server(waited_seconds), server_waited)
        playing = self._memory()
        tally.is_closing = True
        self._due.clear()
        self._until(self._has_settled, None, _LAST)
        self._are_parting = True
        for player in self._players:
            player.part()
        self._until(lambda: not self._connected, None, _LAST)
        return Result(
            plan=plan,
            seconds=seconds,
            actions=tally.actions,
            messages=tally.messages,
            octets=tally.octets,
            matches=tally.matches,
            pings=tally.pings,
            delays=spread(tally.delays),
            lateness=spread(tally.lateness) if plan.rate else None,
            shape=Shape(
                events=tally.events / SEATS / max(tally.actions, 1),
                event_bytes=tally.event_octets / max(tally.events, 1),
                ask_bytes=tally.ask_octets / max(tally.asks, 1),
            ),
            gaps=tally.gaps,
            unheard=sum(len(table.caused) for table in self._tables),
            unanswered=tally.open_acts,
            refused=dict(tally.refused),
            load_busy=worked / max(seconds - (waited or 0.0), 1e-9),
            load_waited=None if waited is None else waited / seconds,
            server_seconds=server,
            server_waited=None if server_waited is None else server_waited / seconds,
            memory=None if before is None or idle is None or playing is None else (before, idle, playing),
        )

    def _has_settled(self) -> bool:
        return not self._tally.open_acts and not any(table.caused for table in self._tables)

    def _memory(self) -> int | None:
        return None if self._plan.server is None else memory(self._plan.server)

    def _of_server(self, what: Callable[[int], float | None]) -> float | None:
        return None if self._plan.server is None else what(self._plan.server)

    # --- connecting -----------------------------------------------------------------------------------------------

    def _connect(self) -> None:
        names = [
            (table, f"{self._tag} {number} {seat}")
            for number, table in enumerate(self._tables)
            for seat in range(SEATS)
        ]
        for start in range(0, len(names), _GREETING):
            some = names[start : start + _GREETING]
            for table, name in some:
                self._let_in(table, name)
            wanted = start + len(some)
            self._until(lambda wanted=wanted: self._tally.welcomed >= wanted, "the players were not let in")  # type: ignore[misc]  # bound at once

    def _let_in(self, table: T, name: str) -> None:
        sock = socket.create_connection((HOST, self._plan.port), timeout=_PATIENCE)
        self._sockets.append(sock)
        self._connected += 1
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._context is not None:
            sock = self._sockets[-1] = self._context.wrap_socket(sock)
        sock.settimeout(0.0)
        player = self._player(name, table, partial(_send, sock))
        self._players.append(player)
        self._selector.register(sock, selectors.EVENT_READ, (sock, player))
        player.greet()

    def _seat(self) -> None:
        """Some tables at a time, and none plays before all have cards: a server that deals is not yet measured."""
        tally = self._tally
        for start in range(0, len(self._tables), _SEATING):
            some = self._tables[start : start + _SEATING]
            wanted = start + len(some)
            for table in some:
                table.begin()
            self._until(lambda wanted=wanted: tally.seated >= wanted, "the players were not seated")  # type: ignore[misc]  # bound at once
            for table in some:
                table.play()
            self._until(lambda wanted=wanted: tally.dealt >= wanted, "the players got no cards")  # type: ignore[misc]  # bound at once

    # --- the loop -------------------------------------------------------------------------------------------------

    def _until(self, holds: Callable[[], bool], why: str | None, patience: float = _PATIENCE) -> None:
        """Go on until it holds. Raises Broken if it takes too long, unless that is no matter (`why`: None)."""
        end = perf_counter() + patience
        while not holds():
            if (left := end - perf_counter()) <= 0:
                if why is None:
                    return
                raise Broken(why)
            self._turn(min(left, 0.1))

    def _for(self, seconds: float) -> None:
        end = perf_counter() + seconds
        while (left := end - perf_counter()) > 0:
            self._turn(left)

    def _turn(self, most: float) -> None:
        """Hear whatever has come, waiting for it, and let those act whose time it is."""
        if self._due:
            most = min(most, self._act_on_time())
            if _CAN_BE_WAITED_FOR:  # a selector waits for whole milliseconds; for the selector one can wait exactly
                select.select([self._selector.fileno()], [], [], most)
                most = 0.0
        for key, _ in self._selector.select(most):
            sock, player = key.data
            try:
                data = sock.recv(_CHUNK)
            except _NONE:
                continue
            except OSError:
                data = b""
            if data:
                player.hear(data, perf_counter())
            elif self._are_parting:
                self._selector.unregister(sock)
                self._connected -= 1
            else:
                raise Broken(_LOST)

    def _go(self) -> None:
        """Let all play: with a rate each table in turn, in even steps."""
        plan, now = self._plan, perf_counter()
        if plan.rate:
            self._step = plan.tables / plan.rate
            self._due = [(now + self._step * n / plan.tables, n) for n in range(plan.tables)]
            return
        for table in self._tables:
            table.is_paced = False
            table.take_due(now, now)

    def _act_on_time(self) -> float:
        """Seconds until the next one is due."""
        now = perf_counter()
        while (first := self._due[0])[0] <= now:
            due, number = first
            heapq.heapreplace(self._due, (due + self._step, number))
            self._tables[number].take_due(due, now)
            now = perf_counter()
        return first[0] - now


def _send(sock: socket.socket, data: bytes) -> None:
    """What a player says is little: a server that does not take it at once has failed."""
    try:
        if sock.send(data) == len(data):
            return
    except (BlockingIOError, ssl.SSLWantWriteError):
        pass
    except OSError:
        raise Broken(_LOST) from None
    raise Broken("the server does not read")


def _difference(after: float | None, before: float | None) -> float | None:
    return None if after is None or before is None else after - before


def playing(plan: Plan) -> Load[Table]:
    """Tables of ours, at which Kille is played."""
    return Load(plan, Table, Player)


def main(load: Callable[[Plan], Load[Any]] = playing) -> int:
    """0, or 1 and one line on standard error."""
    plan = msgspec.json.decode(sys.stdin.buffer.readline(), type=Plan)
    if plan.core is not None:
        keep_to(plan.core)
    try:
        result = load(plan).run()
    except (Broken, OSError) as error:
        sys.stderr.write(f"{getattr(error, 'strerror', None) or error}\n")
        return 1
    sys.stdout.buffer.write(msgspec.json.encode(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
