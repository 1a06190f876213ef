"""Rude bots get nothing of a real server, and the kit that holds them says so when they do."""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from errno import ECONNREFUSED
from functools import partial
from threading import Thread
from types import MappingProxyType
from typing import Any, Final, TypeVar

import msgspec
import pytest
import trio

from examples.raw_client import FaultError
from kille_net.game.actions import Action
from kille_net.server.limits import Limits
from kille_net.server.people import Player
from kille_net.server.running import RunningMatch
from kille_net.server.serve import Config
from kille_net.wire import PLACES, Connection
from kille_net.wire import messages as m
from kille_net.wire.states import Place
from tests.rude import manners, table
from tests.rude.manners import MANNERS, Rude
from tests.rude.table import Server, sit
from tests.server.test_serve import served
from tests.tls import nobody_is_near

Got = TypeVar("Got")

SHORT: Final[dict[str, Any]] = {
    "ping": 1.0,
    "silence": 3.0,
    "frame": 1.0,
    "write": 0.5,
    "pause": 0.1,
    "commands_per_second": 1000,
    "commands_burst": 250,
}
LONG: Final = 1000.0
MANY: Final = 1_000_000


class Boast(Limits):
    """Says that it has the short ones, whatever it has."""

    def settings(self, *, is_loopback: bool) -> dict[str, int]:
        return Limits(**SHORT).settings(is_loopback=is_loopback)


async def at(limits: Limits, do: Callable[[Server], Got]) -> Got:
    """What that says of a server with these limits, to which nobody is near."""
    async with served(Config(port=0, is_near=nobody_is_near, limits=limits)) as town:
        return await trio.to_thread.run_sync(do, Server(*town.server.addresses[0]))


def kit(server: Server, manners: tuple[str, ...] = ()) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "tests.rude", server.host, str(server.port), *manners],
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )


HELD: Final = {
    "hang": "",
    "fall-silent": "the server says bye: silent",
    "stop-reading": "the line is lost",
    "stop-and-go-on": "old_turn",
    "half-close": "the line is lost",
    "partial": "the server says bye: too_slow",
    "flood": "not_host, .*3 too_fast, the server says bye: flood",
    "answer-twice": "old_turn",
    "answer-old": "old_turn",
    "other-seat": "no_kuku, .*not_your_turn",
    "spectator": "2 wrong_place",
}
"""What our server does with each manner."""


async def test_a_table_is_played_to_its_end_whatever_one_of_its_bots_does() -> None:
    done = await at(Limits(**SHORT), kit)
    assert (done.returncode, done.stderr) == (0, "")
    told = dict(re.findall(r"^(\S+) +held \[(.*)\]$", done.stdout, re.MULTILINE))
    assert told.keys() == MANNERS.keys() == HELD.keys()
    assert {manner: seen for manner, seen in told.items() if not re.search(HELD[manner], seen)} == {}


WITHOUT: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "fall-silent": ({"silence": LONG}, "did not part from the rude one"),
    "stop-reading": (
        {"write": LONG, "outbox_messages": MANY, "outbox_bytes": 1 << 24},
        "did not part from the rude one",
    ),
    "partial": ({"frame": LONG}, "did not part from the rude one"),
    "flood": (
        {"commands_per_second": MANY, "commands_burst": MANY},
        "looked at 5000 commands, and says that it takes 1000 a second",
    ),
}
"""By manner: the limits that bear it, as if they were not there, and what is said then."""


async def test_a_limit_that_is_told_and_not_kept_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manners, "_PATIENCE", 2.0)
    monkeypatch.setattr(manners, "_DEAF", 5.0)
    faults: dict[tuple[str, bool], list[str]] = {}

    async def look(manner: str, limits: dict[str, Any], *, is_kept: bool) -> None:
        faults[manner, is_kept] = (await at(Boast(**{**SHORT, **limits}), partial(sit, manner=manner))).faults

    async with trio.open_nursery() as nursery:
        for manner, (limits, _) in WITHOUT.items():
            nursery.start_soon(partial(look, manner, {}, is_kept=True))
            nursery.start_soon(partial(look, manner, limits, is_kept=False))
    assert faults == {
        (manner, is_kept): [] if is_kept else [fault]
        for manner, (_, fault) in WITHOUT.items()
        for is_kept in (True, False)
    }


def without_a_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    real = RunningMatch._due_answer

    def due(self: RunningMatch, question: Any) -> Any:  # noqa: ANN401  of its own kinds
        found = real(self, question)
        return None if found is not None and found[1] == self._time_out else found

    monkeypatch.setattr(RunningMatch, "_due_answer", due)


def without_looking_at_whose_answer_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    real = RunningMatch.decide

    def decide(self: RunningMatch, seat: int, player: Player, command: m.Decide, time: float) -> None:
        if (question := self._open) is not None:
            seat, command = question.seat, msgspec.structs.replace(command, turn=question.number)
        real(self, seat, player, command, time)

    monkeypatch.setattr(RunningMatch, "decide", decide)


def without_looking_for_the_kuku(monkeypatch: pytest.MonkeyPatch) -> None:
    real = RunningMatch._check

    def check(self: RunningMatch, seat: int, action: Action) -> None:
        if action is not Action.KUKU:
            real(self, seat, action)

    monkeypatch.setattr(RunningMatch, "_check", check)


def without_an_end_of_what_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Connection, "receive_eof", lambda _: None)


def without_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kille_net.server.lobby.PLACES", dict.fromkeys(PLACES, frozenset(Place)))


@pytest.mark.parametrize(
    ("take_out", "faults"),
    [
        (without_a_clock, {"hang": "the table was not played to its end", "stop-and-go-on": "took "}),
        (without_an_end_of_what_comes, {"half-close": "did not part from the rude one"}),
        (without_looking_at_whose_answer_is_open, dict.fromkeys(("answer-twice", "answer-old", "other-seat"), "took ")),
        (without_looking_for_the_kuku, {"other-seat": "refused nothing with any of no_kuku"}),
        (without_places, {"spectator": "took "}),
    ],
)
async def test_what_a_server_should_have_looked_at_is_missed(
    monkeypatch: pytest.MonkeyPatch, take_out: Callable[[pytest.MonkeyPatch], None], faults: dict[str, str]
) -> None:
    monkeypatch.setattr(manners, "_PATIENCE", 1.0)
    monkeypatch.setattr(table, "_SECONDS", 2.5)
    take_out(monkeypatch)
    told: dict[str, list[str]] = {}

    def look(server: Server) -> None:
        with ThreadPoolExecutor() as pool:
            told.update(
                zip(faults, (outcome.faults for outcome in pool.map(partial(sit, server), faults)), strict=True)
            )

    await at(Limits(**SHORT), look)
    missed = {manner for manner, found in told.items() if any(fault.startswith(faults[manner]) for fault in found)}
    assert missed == faults.keys(), told


class Babbler(Rude):
    """Says what no frame is."""

    def act(self) -> None:
        self.line.socket.sendall(b"\x00\x00\x00\x01\xc1")


class Harmless(Rude):
    must_refuse = (frozenset({"wrong_place"}),)  # which nobody is refused with who is only late


@pytest.mark.parametrize(
    ("manner", "fault"),
    [
        (Babbler, "parted from the rude one: the server says bye: bad_encoding"),
        (Harmless, "refused nothing"),
    ],
)
async def test_what_a_server_should_not_have_done_is_said(
    monkeypatch: pytest.MonkeyPatch, manner: type[Rude], fault: str
) -> None:
    monkeypatch.setattr(table, "MANNERS", MappingProxyType({manner.__name__: manner}))
    (told,) = (await at(Limits(), partial(sit, manner=manner.__name__))).faults
    assert told.startswith(fault)


async def test_what_is_broken_for_an_honest_player_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def act(_: table.Honest) -> None:
        raise FaultError("unexpected", "seq")

    monkeypatch.setattr(table.Honest, "act", act)
    told = (await at(Limits(), partial(sit, manner="half-close"))).faults
    assert told == ["an honest player could not play on: the protocol is broken: unexpected seq"] * 2


async def test_it_can_be_tried_again_at_once() -> None:
    def twice(server: Server) -> list[list[str]]:
        return [sit(server, "half-close").faults for _ in range(2)]

    assert await at(Limits(**SHORT), twice) == [[], []]


async def test_where_nobody_sits_down_that_is_said() -> None:
    told = (await at(Limits(connections_of_address=2), partial(sit, manner="hang"))).faults
    assert told == ["let nobody sit down: the server says bye: busy"]


async def test_the_exit_status_says_whether_it_held() -> None:
    done = await at(Boast(**{**SHORT, **WITHOUT["flood"][0]}), partial(kit, manners=("spectator", "flood")))
    assert (done.returncode, done.stderr) == (1, "")
    assert re.findall(r"^(?:spectator +held|flood +looked at)", done.stdout, re.MULTILINE) == [
        "spectator      held",
        "flood          looked at",
    ]


async def test_where_there_is_no_rate_that_is_said() -> None:
    async with served(Config(port=0)) as town:
        outcome = await trio.to_thread.run_sync(partial(sit, manner="flood"), Server(*town.server.addresses[0]))
    assert (outcome.faults, outcome.refused["not_host"]) == ([], 5000)
    assert outcome.note == "it sets no rate to those who come from here"


@pytest.mark.parametrize(
    ("greeting", "why"),
    [
        (None, str(ConnectionRefusedError(ECONNREFUSED, os.strerror(ECONNREFUSED)))),
        (b"", "the line is lost"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "the protocol is broken: frame_too_big"),
        (b"\x00\x00\x00\x04\x81\xa1t\x01", "the protocol is broken: bad_message t"),
    ],
)
def test_where_no_server_is_that_is_one_line(greeting: bytes | None, why: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = Server(*listener.getsockname())
        if greeting is None:
            listener.close()
        else:
            Thread(target=greet, args=(listener, greeting)).start()
        done = kit(server)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == f"{server.host} {server.port} lets nobody in: {why}\n"


def greet(listener: socket.socket, greeting: bytes) -> None:
    peer, _ = listener.accept()
    with peer:
        peer.recv(4096)
        peer.sendall(greeting)
