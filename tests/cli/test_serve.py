"""`kille serve` as a program: what it prints, how it ends, and what it will not do."""

import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from click.testing import CliRunner

from kille_net.cli import main
from kille_net.cli.exit_codes import Exit
from kille_net.wire import Connection, Role
from kille_net.wire import messages as m
from tests.serving import KILLE, doomed


@contextmanager
def running(*options: str) -> Iterator[tuple["subprocess.Popen[str]", str, int]]:
    """A server that runs, and the address and port that it tells others to join."""
    command = [*KILLE, "--lang", "en", "serve", "--port", "0", *options]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process,
        doomed(process),
    ):
        assert process.stdout is not None
        found = re.fullmatch(r"kille join ([0-9.]+):(\d+)\n", process.stdout.readline())
        assert found is not None
        yield process, found[1], int(found[2])


def welcomed(port: int) -> tuple[socket.socket, m.Welcome]:
    """A client that was let in."""
    sock = socket.create_connection(("127.0.0.1", port), timeout=20)
    connection = Connection(Role.CLIENT)
    sock.sendall(
        connection.send(m.Hello(versions=(1,), agent="test", name="Ada", bot=False, ticket=None, password=None))
    )
    connection.receive_data(sock.recv(4096))
    welcome = connection.next_message()
    assert isinstance(welcome, m.Welcome)
    return sock, welcome


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_signal_says_goodbye_to_all_and_ends_it(number: signal.Signals, code: int) -> None:
    with running("--name", "Krogen") as (process, _, port):
        sock, welcome = welcomed(port)
        assert "Krogen" in welcome.agent
        process.send_signal(number)
        with sock:
            assert b"shutting_down" in sock.recv(4096)
            assert sock.recv(4096) == b""
        out, err = process.communicate(timeout=20)
        assert (process.returncode, out, err) == (code, "", "")


def test_a_taken_port_is_one_line() -> None:
    with running() as (_, _, port):
        ended = subprocess.run(
            [*KILLE, "--lang", "en", "serve", "--port", str(port)],
            capture_output=True, text=True, timeout=20, check=False,
        )  # fmt: skip
    assert ended.returncode == Exit.WRONG_USE
    assert ended.stdout == ""
    assert ended.stderr == f"kille: port {port} is taken; choose another with --port\n"


def test_it_serves_this_machine_alone_unless_told_otherwise() -> None:
    with running() as (_, host, _):
        assert host == "127.0.0.1"
    with running("--insecure-plaintext") as (_, host, _):
        assert host != "0.0.0.0"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--host", "192.0.2.7"], "serving 192.0.2.7 without encryption needs --insecure-plaintext"),
        (["--host", "example.org"], "serving example.org without encryption needs --insecure-plaintext"),
        (["--host", "192.0.2.7", "--insecure-plaintext"], "this machine has no address 192.0.2.7"),
        (["--port", "70000"], "Invalid value for '--port': 70000 is not in the range 0<=x<=65535."),
    ],
)
def test_wrong_use_is_one_line(options: list[str], says: str) -> None:
    result = CliRunner().invoke(main, ["--lang", "en", "serve", *options])
    assert result.exit_code == Exit.WRONG_USE
    assert result.stdout == ""
    assert result.stderr.startswith(f"kille: {says.removesuffix('.')}")
    assert result.stderr.count("\n") == 1
