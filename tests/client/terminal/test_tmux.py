"""The line client inside tmux, which draws, breaks and resizes as other terminals do not."""

import shlex
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kille_net.wire import messages as wire
from tests.client.fake_server import NAMES, FakeServer, Peer, Table, room
from tests.client.screen import KILLE, environment

HALF = "half a line, not sent"
SECONDS = 30.0


class Tmux:
    """A pane of a tmux of its own."""

    def __init__(self, socket: Path, **changes: str | None) -> None:
        self._base = ["tmux", "-S", str(socket), "-f", "/dev/null"]
        self._environ = environment(**changes)

    def __call__(self, *arguments: str) -> str:
        done = subprocess.run(
            [*self._base, *arguments], capture_output=True, text=True, timeout=SECONDS, check=True, env=self._environ
        )
        return done.stdout

    def close(self) -> None:
        subprocess.run([*self._base, "kill-server"], check=False, capture_output=True)

    @property
    def rows(self) -> list[str]:
        """What the pane shows, to its last line that is not empty."""
        return self("capture-pane", "-p").rstrip("\n").split("\n")

    def wait(self, condition: Callable[[list[str]], bool]) -> list[str]:
        """The rows as soon as they are so."""
        end = time.monotonic() + SECONDS
        while not condition(rows := self.rows):
            assert time.monotonic() < end, "\n".join(rows)
        return rows

    def see(self, text: str) -> list[str]:
        return self.wait(lambda rows: any(text in row for row in rows))


@contextmanager
def opened(folder: Path, *before: str, **changes: str | None) -> Iterator[tuple[Tmux, FakeServer]]:
    """A pane with a client in it, and the server that it knocks at; `before`: what the pane runs in its place."""
    tmux = Tmux(folder / "tmux", **changes)
    with FakeServer() as server:
        command = [*KILLE, "--lang", "en", "--data", str(folder / "data"), "join", "--name", "Ada", "--room", "Bordet"]
        command.append(f"127.0.0.1:{server.port}")
        tmux("new-session", "-d", "-x", "80", "-y", "24", *(before or command))
        try:
            if before:
                tmux("send-keys", "-l", shlex.join(command))
                tmux("send-keys", "Enter")
            yield tmux, server
        finally:
            tmux.close()


def seat(tmux: Tmux, peer: Peer) -> None:
    """Let the client in, and ask it for its card."""
    peer.welcome("Ada")
    peer.enter(room(*NAMES[:3]))
    table = Table(peer, 3)
    table.begin()
    table.step()
    tmux.see("YOUR TURN")


@contextmanager
def joined(folder: Path, *before: str, **changes: str | None) -> Iterator[tuple[Tmux, Peer]]:
    """A client that sits at a table, asked for its card."""
    with opened(folder, *before, **changes) as (tmux, server):
        peer = server.accept()
        seat(tmux, peer)
        yield tmux, peer


def chat(peer: Peer, number: int, text: str = "line") -> None:
    peer.send(*(peer.event(wire.Said, who="Bo", text=f"{text} {k}") for k in range(number)))


def prompts(rows: list[str]) -> int:
    return sum(row.startswith(">") and not row.startswith("> say") for row in rows)


@pytest.fixture
def pane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Tmux, Peer]]:
    with joined(tmp_path_factory.mktemp("t")) as both:  # a socket's path is short
        yield both


def test_a_half_typed_line_outlives_a_flood(pane: tuple[Tmux, Peer]) -> None:
    tmux, peer = pane
    tmux("send-keys", "-l", HALF[:4])
    tmux.see("> " + HALF[:4])
    for number, char in enumerate(HALF[4:]):
        chat(peer, 100, f"flood {number}")
        tmux("send-keys", "-l", char)
    rows = tmux.wait(lambda rows: rows[-1] == "> " + HALF and any("flood 16 99" in row for row in rows))
    assert prompts(rows) == 1
    assert sum("YOUR TURN" in row for row in rows) == 1


def test_forty_resizes_leave_one_prompt_and_one_card(pane: tuple[Tmux, Peer]) -> None:
    tmux, peer = pane
    tmux("send-keys", "-l", HALF)
    tmux.see("> " + HALF)
    for k in range(40):
        tmux("resize-window", "-x", str(120 - 2 * k if k % 2 else 60 + k), "-y", str(20 + k % 9))
    tmux("resize-window", "-x", "100", "-y", "30")
    chat(peer, 1, "after")
    tmux.see("after 0")
    tmux.wait(lambda rows: rows[-1] == "> " + HALF and rows[-8] == f"┌{'─' * 11}┐  →•You   ♥♥♥ deals")
    rows = tmux.rows
    assert prompts(rows) == 1
    assert sum("│Inn" in row for row in rows) == 1
    assert sum("YOUR TURN" in row for row in rows) == 1


def test_what_is_pasted_waits_for_enter_and_is_one_line(pane: tuple[Tmux, Peer]) -> None:
    tmux, peer = pane
    tmux("set-buffer", "say one\nswap\n\x1b[31mquit\n")
    tmux("paste-buffer", "-p")
    tmux.see("> say one")
    tmux("send-keys", "Enter")
    said = peer.receive(wire.Say)
    assert said.text.startswith("one swap ")
    assert said.text.isprintable()
    tmux.see("YOUR TURN")


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("t")


def test_ctrl_z_gives_the_pane_to_the_shell_and_fg_takes_it_back(folder: Path) -> None:
    with joined(folder, "sh", "-i", PS1="shell$ ") as (tmux, peer):
        tmux("send-keys", "-l", HALF)
        tmux.see("> " + HALF)
        tmux("send-keys", "C-z")
        tmux.see("Stopped")
        tmux("send-keys", "-l", "echo here; fg")
        tmux("send-keys", "Enter")
        tmux.see("here")
        chat(peer, 1, "after")
        tmux.see("after 0")
        assert tmux.wait(lambda rows: rows[-1] == "> " + HALF)


def test_a_lost_server_is_found_again_with_the_line_half_typed(folder: Path) -> None:
    def welcome(resumed: wire.Resumed) -> wire.Welcome:
        return wire.Welcome(
            version=1, agent="srv", name="Ada", settings={}, ticket="ab" * 32, resumed=resumed, last_id=9
        )

    with opened(folder) as (tmux, server):
        peer = server.accept()
        peer.receive(wire.Hello)
        peer.send(welcome(wire.Resumed.NO))
        peer.enter(room(*NAMES[:3]))
        tmux.see("Type ready")
        tmux("send-keys", "-l", HALF)
        tmux.see("> " + HALF)
        peer.close()
        tmux.see("No contact with the server")
        back = server.accept()
        back.receive(wire.Hello)
        state = room(*NAMES[:3], status=wire.RoomStatus.PLAYING)
        back.send(
            welcome(wire.Resumed.ROOM), wire.Snapshot(seq=0, room=state, view=None, match=0, open=None, rest=None)
        )
        tmux.see("In contact again.")
        rows = tmux.wait(lambda rows: rows[-1] == "> " + HALF)
        assert prompts(rows) == 1


def test_a_pane_without_utf_8_is_shown_ascii_and_no_control_of_a_peers(folder: Path) -> None:
    with joined(folder, LANG="C") as (tmux, peer):
        peer.send(peer.event(wire.Said, who="Bo", text="a\x1b]0;owned\x07b\x9b31m\u202e\U0001f642c"))
        rows = tmux.see("<Bo> a")
        assert all(row.isascii() for row in rows)
        assert "owned" not in tmux("display-message", "-p", "#{pane_title}")
