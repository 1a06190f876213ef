"""Rude bots get nothing of a real server, and the kit that holds them says so when they do."""

import subprocess
import sys
from collections.abc import Iterator
from types import MappingProxyType

import pytest

from tests.rude import table
from tests.rude.manners import MANNERS, Rude
from tests.rude.table import Server, sit
from tests.serving import serving


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving("--no-discovery") as port:
        yield Server("127.0.0.1", port)


def test_a_table_is_played_to_its_end_whatever_one_of_its_bots_does(server: Server) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.rude", server.host, str(server.port)],
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split()[:2] for line in done.stdout.splitlines()] == [[manner, "held"] for manner in MANNERS]


class Babbler(Rude):
    """Says what no frame is."""

    def act(self) -> None:
        self.line.socket.sendall(b"\x00\x00\x00\x01\xc1")


class Harmless(Rude):
    must_refuse = frozenset({"wrong_place"})  # which nobody is refused with who is only late


@pytest.mark.parametrize(
    ("manner", "fault"),
    [(Babbler, "parted from the rude one: the server says bye: bad_encoding"), (Harmless, "refused nothing")],
)
def test_what_a_server_should_not_have_done_is_said(
    server: Server, monkeypatch: pytest.MonkeyPatch, manner: type[Rude], fault: str
) -> None:
    monkeypatch.setattr(table, "MANNERS", MappingProxyType({manner.__name__: manner}))
    (told,) = sit(server, manner.__name__).faults
    assert told.startswith(fault)
