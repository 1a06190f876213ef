"""Whole programs: a client killed with signal 9 joins again, and a line is cut between a client and its server."""

import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from tests.serving import KILLE, serving

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
