"""How the line client bears a burst of events: `python -m tests.bench.line [--json] [--seconds S] [--rate R]`.

A real `kille join` sits in a pseudo-terminal and hears a match from a scripted server over loopback TCP, faster than
anybody plays, while keys are pressed at random moments. What the terminal was sent is kept with the time when it came,
and read by an emulator afterwards, so that the emulator takes nothing from what is measured. A quiet run of the same
script, without keys and with a pause after every few events, says what must stand there in the end.

Owns the scenes, and what is measured of a run. Refuses to know how the client works: it sees bytes (`shown`) and a
process.
"""

import argparse
import json
import os
import select
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from random import Random
from typing import Any, Final

import msgspec

from kille_net.bench.plan import quantile
from kille_net.bench.process import cpu_seconds, waited_seconds
from kille_net.cli.columns import columns as in_columns
from kille_net.game.actions import Action, actions_of
from kille_net.wire import messages as wire
from tests.bench.shown import LAST, ROWS, Run, see
from tests.client.fake_server import NAMES, OPTIONS, FakeServer, Outlet, Peer, Table, room
from tests.client.screen import KILLE, Terminal, environment

PLAYERS: Final = NAMES[:4]
TABLE: Final = msgspec.structs.replace(OPTIONS, seats=4, computers=3, pots=3, length=wire.Length.STANDARD)
ECHO_MS: Final = 20.0
"""The goal: of 95 keys in 100 the echo takes no longer…"""
CPU: Final = 0.4
"""…the client takes no greater share of a processor…"""
BACKLOG_MS: Final = 100.0
"""…and all stands there so soon after the last event."""
_DISTURBED: Final = 0.1
"""A client that was kept waiting for a greater share of the time says nothing against the goal."""
_BETWEEN_KEYS: Final = 0.06
"""Seconds, on the average."""
_MOST_TYPED: Final = 20
"""Characters, after which the line is taken away by Ctrl-U."""
_CHUNK: Final = 65_536
_QUIET: Final = 0.15
"""Seconds without output after which all is shown."""
_PATIENCE: Final = 20.0
_QUIETLY: Final = 250
"""Events that the quiet run sends at once."""

Frames = list[tuple[wire.ServerMessage, ...]]
"""By event, what goes with it: a question follows the event that says whose turn it is."""


# --- what is sent -----------------------------------------------------------------------------------------------------


def matches(seat: int | None, number: int) -> Frames:
    """So many events of matches at random, as the seat (None: who watches) is told them."""
    outlet = Outlet()
    chance = Random(number)
    found: Frames = []
    for seed in count():
        table = Table(outlet, seed, PLAYERS, TABLE, seat=seat)
        table.begin()
        while table.step():
            table.act(chance.choice(actions_of(table.match.legal(0) & ~(1 << Action.KUKU))))
        table.end()
        for message in outlet.take():
            if isinstance(message, wire.Question):
                found[-1] = (*found[-1], message)
            else:
                found.append((message,))
        if len(found) >= number:
            return found[:number]
    raise AssertionError


def chat(number: int) -> Frames:
    """So many events that are a line each."""
    return [(wire.Said(seq=k + 1, who="Bo", text=f"line {k}"),) for k in range(number)]


SCENES: Final[dict[str, Callable[[int], Frames]]] = {
    "watched": lambda number: matches(None, number),
    "seated": lambda number: matches(0, number),
    "chat": chat,
    "idle": lambda _: [],
}
"""`idle`: what a key takes on this machine as it is now, without any event."""


# --- one run ----------------------------------------------------------------------------------------------------------


class Client:
    """A client at the table of a scene, before anything happens there."""

    def __init__(self, terminal: Terminal, peer: Peer) -> None:
        self.run = Run()
        self.peer = peer
        self._child: Any = terminal.child
        self._fd: int = terminal.child.fileno()
        self.run.shown.append((time.perf_counter(), bytes(terminal.raw)))

    def read(self, until: float) -> bool:
        """Keep what is drawn until then; whether something was."""
        wait = max(until - time.perf_counter(), 0.0)
        if not select.select([self._fd], [], [], wait)[0]:
            return False
        self.run.shown.append((time.perf_counter(), os.read(self._fd, _CHUNK)))
        return True

    def read_all(self, last: bytes = b"") -> None:
        """Until that has come, and nothing more is drawn."""
        came, is_quiet = bytearray(), False
        while not is_quiet or last not in came:
            is_quiet = not self.read(time.perf_counter() + _QUIET)
            came += b"" if is_quiet else self.run.shown[-1][1]
            assert time.perf_counter() < self.run.sent + _PATIENCE, "it never ends"

    def press(self, key: str, then: str) -> None:
        self.run.pressed.append((time.perf_counter(), then))
        os.write(self._fd, key.encode())

    def times(self) -> tuple[float, float]:
        return cpu_seconds(self._child.pid) or 0.0, waited_seconds(self._child.pid) or 0.0


@contextmanager
def sitting(seat: int | None, columns: int, lang: str) -> Iterator[Client]:
    how = ("--watch",) if seat is None else ()
    command = (*KILLE, "--lang", lang, "join", *how, "--name", "Ada" if seat == 0 else "Zoe", "--room", "Bordet")
    with (
        FakeServer() as server,
        Terminal((*command, f"127.0.0.1:{server.port}"), size=(columns, ROWS), env=environment()) as terminal,
    ):
        peer = server.accept()
        peer.welcome()
        peer.ok(wire.Watch if seat is None else wire.Join)
        state = room(*PLAYERS, options=TABLE)
        peer.send(wire.Snapshot(seq=0, room=state, view=None, match=0, open=None, rest=None))
        terminal.wait(lambda: terminal.is_raw and terminal.text.endswith("\n>"), "the prompt")
        while terminal.pump(_QUIET):
            pass
        yield Client(terminal, peer)


def packed(peer: Peer, frames: Frames) -> list[bytes]:
    """The frames, and one more: a line that says that it is the last."""
    last = wire.Said(seq=len(frames) + 1, who="Bo", text=LAST)
    return [peer.pack(*messages) for messages in [*frames, (last,)]]


def burst(client: Client, frames: Frames, seconds: float, seed: int) -> Run:
    """All the frames in even steps, and keys at random moments."""
    run, data, chance = client.run, packed(client.peer, frames), Random(seed)
    cpu, waited = client.times()
    run.began = time.perf_counter()
    due = [run.began + seconds * k / max(len(frames), 1) for k in range(len(frames))] + [run.began + seconds]
    next_key, typed, k = run.began + chance.expovariate(1 / _BETWEEN_KEYS), "", 0
    while k < len(data):
        client.read(min(next_key, due[k]))
        now = time.perf_counter()
        if now >= next_key:
            key = "\x15" if len(typed) == _MOST_TYPED else chance.choice("abcdefghijklmnopqrstuvwxyz")
            typed = "" if key == "\x15" else typed + key
            client.press(key, typed)
            next_key = time.perf_counter() + chance.expovariate(1 / _BETWEEN_KEYS)
        first = k
        while k < len(data) and due[k] <= now:
            k += 1
        if first < k:
            run.lateness = max(run.lateness, now - due[first])
            run.sent = time.perf_counter()
            client.peer.send_raw(b"".join(data[first:k]))
    client.read_all(LAST.encode())
    run.ended = run.shown[-1][0]
    cpu_then, waited_then = client.times()
    run.cpu, run.waited = cpu_then - cpu, waited_then - waited
    client.press("\x15", "")
    client.read_all()
    return run


def quiet(client: Client, frames: Frames) -> Run:
    """The same without keys, little by little."""
    data = packed(client.peer, frames)
    for k in range(0, len(data), _QUIETLY):
        client.run.sent = time.perf_counter()
        client.peer.send_raw(b"".join(data[k : k + _QUIETLY]))
        client.read_all()
    return client.run


# --- what it comes to -------------------------------------------------------------------------------------------------


class Result(msgspec.Struct, kw_only=True):
    scene: str
    columns: int
    lang: str
    events: int
    rows: int
    """That were printed."""
    seconds: float
    keys: int
    echo_ms: tuple[float, float, float, float]
    """From a key to its character at the prompt: p50, p95, p99, the longest."""
    cpu: float
    """Share of one processor that the client took, from the first event to the last line."""
    waited: float
    """Share of the time in which it was ready to run and had no processor: others took it."""
    backlog_ms: float
    """From the last event to its line."""
    lateness_ms: float
    """The most that an event was late."""
    is_whole: bool
    """Every line once and in its order, as in the quiet run."""
    prints: int
    draws: int
    load: float

    @property
    def goal(self) -> str:
        """Whether it is reached; where it is not and others took the processor, that is not known."""
        is_quick = self.echo_ms[1] <= ECHO_MS and self.backlog_ms <= BACKLOG_MS and self.cpu <= CPU
        return "yes" if is_quick and self.is_whole else "?" if self.is_whole and self.waited > _DISTURBED else "NO"


def measure(scene: str, columns: int, lang: str, *, seconds: float, rate: float, rounds: int) -> list[Result]:
    frames = SCENES[scene](round(seconds * rate))
    seat = 0 if scene == "seated" else None
    expected: list[str] = []
    if frames:
        with sitting(seat, columns, lang) as client:
            expected = see(quiet(client, frames), columns).rows
    results = []
    for number in range(rounds):
        load = os.getloadavg()[0]
        with sitting(seat, columns, lang) as client:
            run = burst(client, frames, seconds, number)
        seen = see(run, columns)
        ordered = sorted(1000 * echo for echo in seen.echoes)
        took = run.ended - run.began
        p50, p95, p99, most = (round(quantile(ordered, share), 2) for share in (0.5, 0.95, 0.99, 1.0))
        results.append(
            Result(
                scene=scene,
                columns=columns,
                lang=lang,
                events=len(frames),
                rows=len(seen.rows),
                seconds=round(took, 3),
                keys=len(ordered),
                echo_ms=(p50, p95, p99, most),
                cpu=round(run.cpu / took, 4),
                waited=round(run.waited / took, 4),
                backlog_ms=round(1000 * (seen.last - run.sent), 1),
                lateness_ms=round(1000 * run.lateness, 2),
                is_whole=not frames or seen.rows == expected,
                prints=run.prints,
                draws=run.draws,
                load=round(load, 1),
            )
        )
    return results


HEADINGS: Final = (
    *("scene", "columns", "lang", "events", "rows", "p50", "p95", "p99", "most ms", "CPU", "waited", "backlog ms"),
    *("late ms", "prints", "draws", "whole", "load", "goal"),
)


def line(one: Result) -> tuple[str, ...]:
    echoes = (f"{ms:.1f}" for ms in one.echo_ms)
    return (
        *(one.scene, str(one.columns), one.lang, str(one.events), str(one.rows), *echoes),
        *(f"{one.cpu:.0%}", f"{one.waited:.0%}", f"{one.backlog_ms:.0f}", f"{one.lateness_ms:.1f}"),
        *(str(one.prints), str(one.draws), "yes" if one.is_whole else "NO", f"{one.load:.1f}", one.goal),
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.line", description=__doc__)
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help=f"{', '.join(SCENES)}; all unless some are named")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.add_argument("--seconds", type=float, default=5.0, help="that a burst lasts (5)")
    parser.add_argument("--rate", type=float, default=1000.0, help="events a second (1,000)")
    parser.add_argument("--rounds", type=int, default=3, help="of each (3)")
    parser.add_argument("--columns", default="80,40", help="of the terminal (80,40)")
    parser.add_argument("--langs", default="en,sv", help="of the client (en,sv)")
    given = parser.parse_args()
    if unknown := set(given.scenes) - set(SCENES):
        parser.error(f"no such scene: {', '.join(sorted(unknown))}")
    results: list[Result] = []
    with tempfile.TemporaryDirectory(prefix="kille-bench-") as folder:
        os.environ["KILLE_DATA"] = folder
        for scene in given.scenes or SCENES:
            for width in map(int, given.columns.split(",")):
                for lang in given.langs.split(","):
                    results += measure(scene, width, lang, seconds=given.seconds, rate=given.rate, rounds=given.rounds)
    if given.json:
        sys.stdout.write(json.dumps(msgspec.to_builtins(results), indent=1) + "\n")
    else:
        sys.stdout.write("".join(f"{row}\n" for row in in_columns([HEADINGS, *map(line, results)])))
    return 1 if any(one.goal == "NO" for one in results) else 0


if __name__ == "__main__":
    sys.exit(main())
