"""Whole programs: a client and a server are killed with signal 9, and a line is cut between them."""

import os
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from tests.serving import KILLE, doomed, serving

SECONDS = 30.0
CREATE = "create Krogen seats=4 clock=0 window=0 pace=0 rest=0 watching=nobody\nadd 3\n"


class Joined:
    """`kille join` through pipes."""

    def __init__(self, port: int, data: Path) -> None:
        self.process = subprocess.Popen(
            [*KILLE, "--lang", "en", "join", f"127.0.0.1:{port}", "--name", "Ada", "--plain"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "KILLE_DATA": str(data)},
        )
        self._alarm = threading.Timer(SECONDS, self.process.kill)
        self._alarm.start()

    def type(self, text: str) -> None:
        stdin: IO[str] | None = self.process.stdin
        assert stdin is not None
        stdin.write(text)
        stdin.flush()

    def until(self, text: str) -> str:
        assert self.process.stdout is not None
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if text in line:
                return line
        raise AssertionError((text, lines))

    def end(self) -> None:
        self._alarm.cancel()
        self.process.kill()
        self.process.communicate()


@contextmanager
def joined(port: int, data: Path) -> Iterator[Joined]:
    client = Joined(port, data)
    try:
        yield client
    finally:
        client.end()


class Proxy:
    """Carries bytes between clients and a server until it is told to cut them all off."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._socks: list[socket.socket] = []
        self._carrying: list[threading.Thread] = []
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
                far = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                return
            self._socks += [near, far]
            for here, there in ((near, far), (far, near)):
                self._carrying.append(threading.Thread(target=_carry, args=(here, there), daemon=True))
                self._carrying[-1].start()

    def cut(self) -> None:
        for sock in self._socks:
            with suppress(OSError):  # it may be over already
                sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
        self.cut()
        for thread in self._carrying:
            thread.join()
        for sock in (self._listener, *self._socks):
            sock.close()


def _carry(here: socket.socket, there: socket.socket) -> None:
    try:
        while data := here.recv(4096):
            there.sendall(data)
        there.shutdown(socket.SHUT_RDWR)
    except OSError:
        return


@contextmanager
def served(port: int, data: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A server of that port and folder."""
    where = ("--host", "127.0.0.1", "--port", str(port), "--data", str(data))
    command = [*KILLE, "serve", *where]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process, doomed(process):
        yield process


def _reach(port: int) -> None:
    """Wait until somebody listens."""
    for _ in range(int(SECONDS / 0.05)):
        with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.05)
    raise TimeoutError


def test_a_server_that_was_killed_goes_on_with_the_same_question(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    data = tmp_path / "server"
    with served(port, data) as first:
        _reach(port)
        with joined(port, tmp_path / "client") as client:
            client.type(CREATE + "start\n")
            asked = client.until("Your turn")
            first.kill()
            client.until("No contact with the server")
            with served(port, data) as second:
                client.until("In contact again")
                assert client.until("Your turn") == asked
                client.type("stand\n")
                client.until("You: “Nöjd!”")
                client.type("quit\n")
                assert client.process.wait(SECONDS) == 0
                second.terminate()
                assert second.wait(SECONDS) == 0


def test_a_client_that_was_killed_joins_again_in_its_seat_and_answers(tmp_path: Path) -> None:
    with serving() as port:
        with joined(port, tmp_path) as first:
            first.type(CREATE + "start\n")
            first.until("Your turn")
            first.process.kill()
        with joined(port, tmp_path) as second:
            second.until("Your seat was kept.")
            second.until("Your turn")
            second.type("stand\n")
            second.until("You: “Nöjd!”")
            second.type("quit\n")
            assert second.process.wait(SECONDS) == 0


def test_a_line_that_is_cut_is_mended(tmp_path: Path) -> None:
    with serving() as port:
        proxy = Proxy(port)
        try:
            with joined(proxy.port, tmp_path) as ada:
                ada.type(CREATE + "start\n")
                ada.until("Your turn")
                for _ in range(3):
                    proxy.cut()
                    ada.until("No contact with the server")
                    ada.until("In contact again.")
                    ada.until("Your turn")
                ada.type("stand\n")
                ada.until("You: “Nöjd!”")
                assert ada.process.poll() is None
        finally:
            proxy.close()


def test_a_second_client_beside_the_first_has_not_its_seat(tmp_path: Path) -> None:
    with serving() as port, joined(port, tmp_path) as first:
        first.type(CREATE + "start\n")
        first.until("Your turn")
        with joined(port, tmp_path) as second:
            assert second.process.wait(SECONDS) == 4, "the name is taken"
        first.type("stand\n")
        first.until("You: “Nöjd!”")
