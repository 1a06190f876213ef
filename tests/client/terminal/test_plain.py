"""Lines in, lines out: through pipes, files and simple terminals, to the end of a match."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kille_net.client.run import speaks_utf8
from kille_net.wire import messages as wire
from kille_net.wire.connection import bye
from tests.catalogue.rows import row
from tests.client.fake_server import NAMES, FakeServer, Peer, Table, answered, room
from tests.client.screen import KILLE, Terminal, environment
from tests.serving import doomed

SECONDS = 20.0
AUTOPILOT = """
import sys
from random import Random
from kille_net.bots import load
from kille_net.client.invitation import Invitation
from kille_net.client.run import run
sys.exit(run(Invitation(host="127.0.0.1", port=int(sys.argv[1]), name="Ada", room="Bordet",
                        autopilot=load("easy")(Random(1)))))
"""


class Piped:
    """A client whose streams are pipes, and its server's end."""

    def __init__(self, process: "subprocess.Popen[str]", peer: Peer) -> None:
        self.process = process
        self.peer = peer

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().rstrip("\n")

    def until(self, text: str) -> list[str]:
        """The lines up to the one that has the text."""
        lines = [self.line()]
        while text not in lines[-1]:
            assert lines[-1] or self.process.poll() is None, lines
            lines.append(self.line())
        return lines

    def type(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def end(self) -> tuple[int, str, str]:
        """Exit code, the rest of the output, the errors."""
        out, err = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, out, err


@contextmanager
def piped(
    *arguments: str,
    command: tuple[str, ...] = KILLE,
    stdin: int | Any = subprocess.PIPE,  # noqa: ANN401  a file
    **changes: str | None,
) -> Iterator[Piped]:
    with FakeServer() as server:
        where = f"127.0.0.1:{server.port}" if command is KILLE else str(server.port)
        process = subprocess.Popen(
            [*command, *arguments, where],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(PYTHONFAULTHANDLER="1", **changes),
            encoding="utf-8",
        )
        try:
            with doomed(process):
                yield Piped(process, _accept(server, process))
        finally:
            process.communicate()


def _accept(server: FakeServer, process: "subprocess.Popen[str]") -> Peer:
    try:
        return server.accept()
    except TimeoutError:
        process.send_signal(signal.SIGABRT)
        _, err = process.communicate()
        message = f"the client never came\n{err}"
        raise AssertionError(message) from None


JOIN = ("--lang", "en", "join", "--name", "Ada")


def test_lines_are_obeyed_in_order_each_where_the_one_before_led() -> None:
    with piped(*JOIN) as client:
        client.type("join Bordet\nready\nsay hej\nnonsense\n")
        client.peer.welcome("Ada")
        rooms = client.peer.receive(wire.ListRooms)
        client.peer.send(wire.Rooms(id=rooms.id, page=0, pages=1, rooms=()))
        client.peer.enter(room(*NAMES[:3]))
        assert client.peer.ok(wire.Ready).ready
        assert client.peer.receive(wire.Say).text == "hej"
        assert client.until("nonsense") == [
            "Welcome to fake server, Ada. Type help to see what you can do.",
            "There are no tables yet.",
            "quick seats you with others, or soon with computers; new makes a table; tournaments shows tournaments; "
            "Enter looks again; ? helps.",
            "Table Bordet: pots, short, 3 seats.",
            "1. Ada (you), host, not ready",
            "2. Bo, computer",
            "3. Cilla, computer",
            "Type ready when you want to play.",
            "Unknown command: nonsense. Type help to see what you can do.",
        ]


def test_the_end_of_input_leaves_after_the_last_answers() -> None:
    with piped(*JOIN) as client:
        client.type("rooms")
        client.process.stdin.close()  # type: ignore[union-attr]  # it is a pipe
        client.process.stdin = None
        client.peer.welcome("Ada")
        for _ in range(2):
            rooms = client.peer.receive(wire.ListRooms)
            client.peer.send(wire.Rooms(id=rooms.id, page=0, pages=1, rooms=()))
        code, out, err = client.end()
        assert (code, err) == (0, "")
        assert out.count("There are no tables yet.") == 2
        assert client.peer.receive(wire.Bye).code is wire.ByeCode.DONE


def test_a_match_is_played_through_a_pipe_with_everything_said_in_words() -> None:
    with piped(*JOIN, "--room", "Bordet") as client:
        client.peer.welcome("Ada")
        client.peer.enter(room(*NAMES[:3]))
        table = Table(client.peer, 5)
        table.begin()
        turns = 0
        while table.step(ms=60_000):
            asked = client.until("Answer: " if table.match.legal(0) & 1 == 0 else "Your turn, with ")
            assert any(line.startswith(("You are dealt", "Hand ", "To act: ")) for line in asked) or turns
            client.type("s\n" if table.match.legal(0) & 1 else "no\n")
            answered(table, client.peer)
            turns += 1
        lines = client.until("the match")
        assert any("loses a life" in line or "lose a life" in line for line in lines)
        assert turns


def test_an_autopilot_plays_to_the_end_and_is_done() -> None:
    with piped(command=(sys.executable, "-c", AUTOPILOT), stdin=subprocess.DEVNULL) as client:
        client.peer.welcome("Ada")
        client.peer.enter(room(*NAMES[:3]))
        assert client.peer.ok(wire.Ready).ready
        table = Table(client.peer, 4)
        table.begin()
        while table.step():
            answered(table, client.peer)
        table.end()
        code, out, err = client.end()
        assert (code, err) == (0, "")
        *_, score, shuffle, last = out.rstrip().splitlines()
        assert score.count("the match! Score: You ") == 1
        assert shuffle.startswith("*** The shuffle of this match cannot be checked")
        assert last == "The match is over."
        assert client.peer.receive(wire.Bye).code is wire.ByeCode.DONE


@row(48)
def test_a_reader_who_has_seen_enough_ends_it_quietly() -> None:
    with piped(*JOIN, "--room", "Bordet") as client:
        client.peer.welcome("Ada")
        assert client.line().startswith("Welcome")
        client.process.stdout.close()  # type: ignore[union-attr]  # it is a pipe
        client.process.stdout = None
        client.peer.enter(room(*NAMES[:3]))
        assert client.peer.receive(wire.Bye).code is wire.ByeCode.DONE
        code, _, err = client.end()
        assert (code, err) == (0, "")


@row(48)
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_signals_end_it_with_a_goodbye(number: signal.Signals, code: int) -> None:
    with piped(*JOIN, "--room", "Bordet") as client:
        client.peer.welcome("Ada")
        client.peer.enter(room(*NAMES[:3]))
        client.until("Type ready")
        client.process.send_signal(number)
        assert client.peer.receive(wire.Bye).code is wire.ByeCode.DONE
        assert client.end() == (code, "", "")


def test_signals_end_it_also_when_nobody_reads() -> None:
    with piped(*JOIN, "--room", "Bordet") as client:
        client.peer.welcome("Ada")
        client.peer.enter(room(*NAMES[:3]))
        for _ in range(8):
            client.peer.send(*(client.peer.event(wire.Said, who="Bo", text="x" * 150) for _ in range(200)))
        client.peer.send(wire.Ping(n=5))
        assert client.peer.receive(wire.Pong).n == 5
        client.process.send_signal(signal.SIGTERM)
        assert client.process.wait(SECONDS) == 143


@pytest.mark.parametrize(
    ("last", "text", "code"),
    [
        (lambda peer: peer.close(), "kille: The connection to the server is lost.\n", 3),
        (lambda peer: peer.send(bye(wire.ByeCode.INTERNAL)), "because of an error of its own.\n", 3),
        (lambda peer: peer.send_raw(b"\0\0\0\0"), "breaks the protocol (frame_empty); the connection is closed.\n", 3),
    ],
)
def test_a_server_that_goes_is_told_in_one_line(last: Callable[[Peer], None], text: str, code: int) -> None:
    with piped(*JOIN) as client:
        client.peer.welcome("Ada")
        client.peer.receive(wire.ListRooms)
        last(client.peer)
        found, _, err = client.end()
        assert found == code
        assert err.endswith(text)
        assert err.count("\n") == 1


def test_a_version_that_is_not_ours_names_both() -> None:
    with piped(*JOIN) as client:
        client.peer.receive(wire.Hello)
        client.peer.send(wire.Bye(code=wire.ByeCode.UNSUPPORTED_VERSION, place="versions", versions=(2, 3)))
        code, _, err = client.end()
        assert code == 4
        assert err == "kille: The server speaks version 2, 3, this Kille 1; upgrade the older one.\n"


def test_input_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "orders"
    file.write_bytes(b"hj\xc3\xa4lp\n\xff\xfe\n" + b"x" * 20_000 + b"\nvilka")
    with file.open("rb") as orders, piped("--lang", "sv", "join", "--name", "Ada", stdin=orders) as client:
        client.peer.welcome("Ada")
        rooms = client.peer.receive(wire.ListRooms)
        client.peer.send(wire.Rooms(id=rooms.id, page=0, pages=1, rooms=()))
        code, out, err = client.end()
        assert (code, err) == (0, "")
        assert "Slut på indata lämnar." in out
        assert out.count("Okänt kommando: ") == 2
        assert max(len(line) for line in out.splitlines()) < 200
        assert "Du är i lobbyn." in out.splitlines()


def test_a_spectator_without_input_sees_the_match_to_its_end() -> None:
    with piped(*JOIN, "--watch", "--room", "Bordet", stdin=subprocess.DEVNULL) as client:
        client.peer.welcome("Ada")
        client.peer.ok(wire.Watch)
        client.peer.send(
            wire.Snapshot(seq=0, room=room("Bo", "Cilla", "Doris"), view=None, match=0, open=None, rest=None)
        )
        client.until("2. Cilla")
        client.peer.send(client.peer.event(wire.Said, who="Bo", text="later"))
        client.until("later")
        client.peer.send(client.peer.event(wire.HandBegan, hand=1, pot=1, dealer=0, lives=(3, 3, 3), points=(0, 0, 0)))
        client.peer.send(client.peer.event(wire.MatchEnded, winner=1, points=(0, 1, 0), reason=""))
        code, out, err = client.end()
        assert (code, err) == (0, "")
        assert "Cilla wins the match! Score: Bo 0, Cilla 1, Doris 0." in out


@row(44)
def test_hostile_text_through_a_pipe() -> None:
    with piped(*JOIN, "--room", "Bordet", LANG="C") as client:
        client.peer.welcome("Ada")
        client.peer.enter(room(*NAMES[:3]))
        client.peer.send(client.peer.event(wire.Said, who="Bo\x1b", text="\x1b]52;c;x\x07\u202e</b>%s å"))
        assert client.until("</b>%s")[-1] == "<Bo\ufffd> \ufffd]52;c;x\ufffd\ufffd</b>%s å"


def test_a_dumb_terminal_is_plain_and_says_so_in_ascii_if_it_must() -> None:
    for changes in ({"TERM": "dumb"}, {"LANG": "C"}):
        plain = () if "TERM" in changes else ("--plain",)
        with FakeServer() as server:
            command = (*KILLE, "--lang", "sv", "join", *plain, "--name", "Ada", f"127.0.0.1:{server.port}")
            with Terminal(command, env=environment(**changes)) as terminal:
                server.accept().welcome("Ada")
                terminal.see("Skriv hj").press("?\r").see("Slut p")
                assert not terminal.is_raw
                assert b"\x1b" not in terminal.raw
                assert ("hjälp" if "TERM" in changes else "hjalp") in terminal.printed
                terminal.press("\x03")
                assert terminal.end() == 130


@pytest.mark.parametrize(("option", "rings"), [("--bell", 1), ("--no-bell", 0)])
def test_a_turn_rings_also_in_plain_lines_on_a_terminal(option: str, rings: int) -> None:
    command = (*KILLE, *JOIN, "--plain", option, "--room", "Bordet")
    with (
        FakeServer() as server,
        Terminal((*command, f"127.0.0.1:{server.port}"), env=environment()) as terminal,
    ):
        peer = server.accept()
        peer.welcome("Ada")
        peer.enter(room(*NAMES[:3]))
        table = Table(peer, 3)
        table.begin()
        table.step(ms=20_000)
        terminal.see("Your turn").see("20 s left.")
        assert not any(len(line) > 80 for line in terminal.rows)
        assert sum(line.startswith("Your turn") for line in terminal.rows) == 1
        terminal.press("quit\rquit\r")
        peer.receive(wire.Leave)
        terminal.end()
        assert terminal.raw.count(b"\a") == rings


@pytest.mark.parametrize(
    ("environ", "utf8"),
    [
        ({}, True),
        ({"LANG": "sv_SE.UTF-8"}, True),
        ({"LANG": "C.utf8"}, True),
        ({"LANG": "C"}, False),
        ({"LANG": "sv_SE.ISO-8859-1"}, False),
        ({"LANG": "sv_SE"}, False),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, False),
        ({"LANG": "sv_SE.ISO-8859-1", "LC_CTYPE": "sv_SE.UTF-8"}, True),
        ({"LANG": "sv_SE.UTF-8", "LC_ALL": "C"}, False),
    ],
)
def test_what_the_locale_says_of_the_terminal(environ: dict[str, str], utf8: bool) -> None:  # noqa: FBT001  a column
    assert speaks_utf8(environ) is utf8
