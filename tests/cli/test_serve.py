"""`kille serve` as a program: what it prints, how it ends, and what it will not do."""

import json
import os
import re
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
import trio
from click.testing import CliRunner

from kille_net.cli import main, serve
from kille_net.cli.exit_codes import Exit
from kille_net.game.shuffle import commit_nonce
from kille_net.server import announcing
from kille_net.server.addresses import is_private
from kille_net.server.key import FILE, open_key
from kille_net.server.serve import Config, Server
from kille_net.wire import Connection, Role, frame
from kille_net.wire import messages as m
from kille_net.wire.announcement import Announcement
from tests.catalogue.rows import row
from tests.deep import size
from tests.protocol.documents import WELCOME
from tests.server.house import options
from tests.serving import KILLE, doomed, kille

NOT_TO_LISTEN = (
    *("argon2", "distributed", "numpy", "prompt_toolkit", "zeroconf"),
    *("kille_net.arena", "kille_net.bench", "kille_net.client", "kille_net.env", "kille_net.solve"),
)
"""What a server without a password, in no list and on its own needs none of."""
MOST_MODULES = 800
"""A seventh more than there were when this was written, at half a millisecond each."""


@contextmanager
def running(*options: str) -> Iterator[tuple["subprocess.Popen[str]", str, int]]:
    """A server that runs, and the address and port that it tells others to join."""
    command = [*KILLE, "--lang", "en", "serve", "--host", "127.0.0.1", "--port", "0"]
    with (
        TemporaryDirectory() as data,
        subprocess.Popen(
            [*command, "--data", data, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process,
        doomed(process),
    ):
        assert process.stdout is not None
        found = re.fullmatch(r"kille join ([0-9.]+):(\d+)\n", process.stdout.readline())
        assert found is not None
        assert re.fullmatch(r"key:( [a-z]+){8}\n", process.stdout.readline())
        assert re.fullmatch(r"pin: [0-9a-f]{64}\n", process.stdout.readline())
        yield process, found[1], int(found[2])


def test_nothing_is_imported_that_is_not_needed_to_listen(tmp_path: Path) -> None:
    """Nearly all that a start takes are imports, and these, unlike times, are the same on any machine."""
    given = ("--host", "127.0.0.1", "--port", "0", "--no-discovery", "--data", str(tmp_path / "data"))
    said = tmp_path / "imported"
    with (
        said.open("w") as errors,
        subprocess.Popen(
            [*KILLE, "serve", *given],
            stdout=subprocess.PIPE,
            stderr=errors,
            env={**os.environ, "PYTHONPROFILEIMPORTTIME": "1"},
        ) as process,
        doomed(process),
    ):
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"kille join")
    imported = re.findall(r"^import time: .*\| +(\S+)$", said.read_text(encoding="utf-8"), re.MULTILINE)
    assert "kille_net.server.serve" in imported
    assert not [name for name in imported if name.startswith(NOT_TO_LISTEN)]
    assert len(imported) < MOST_MODULES


def welcomed(port: int, name: str = "Ada") -> tuple[socket.socket, m.Welcome]:
    """A client that was let in."""
    sock = socket.create_connection(("127.0.0.1", port), timeout=20)
    connection = Connection(Role.CLIENT)
    sock.sendall(
        connection.send(m.Hello(versions=(1,), agent="test", name=name, bot=False, ticket=None, password=None))
    )
    connection.receive_data(sock.recv(4096))
    welcome = connection.next_message()
    assert isinstance(welcome, m.Welcome)
    return sock, welcome


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_says_goodbye_to_all_and_ends_it(number: signal.Signals) -> None:
    with running("--name", "Krogen", "--log-format", "json") as (process, _, port):
        sock, welcome = welcomed(port)
        assert "Krogen" in welcome.agent
        process.send_signal(number)
        with sock:
            assert b"shutting_down" in sock.recv(4096)
            assert sock.recv(4096) == b""
        out, err = process.communicate(timeout=20)
        assert (process.returncode, out) == (0, "")
    told = [json.loads(line) for line in err.splitlines()]
    assert [line["event"] for line in told] == ["started", "let_in", "draining", "drained", "session_ended"]
    assert (told[-1]["name"], told[-1]["code"]) == ("Ada", "shutting_down")


def in_a_hand(sock: socket.socket) -> None:
    """Let the client play against a computer, and never answer."""
    connection = Connection(Role.CLIENT)
    connection.send(m.Hello(versions=(1,), agent="test", name="Ada", bot=False, ticket=None, password=None))
    connection.receive_data(frame(WELCOME))
    connection.next_message()
    room = options(2, computers=1)
    sock.sendall(connection.send(m.Create(id=1, room="Room", options=room, password=None)))
    sock.sendall(connection.send(m.Start(id=2)))
    nonce, match = bytes(32), ""
    while True:
        match connection.next_message():
            case None:
                connection.receive_data(sock.recv(1))
            case m.ShuffleBegan() as began:
                match = began.match
                commit = commit_nonce(bytes.fromhex(match), 0, nonce).hex()
                sock.sendall(connection.send(m.CommitNonce(id=3, match=match, commit=commit)))
            case m.NoncesCommitted():
                sock.sendall(connection.send(m.RevealNonce(id=4, match=match, nonce=nonce.hex())))
            case m.Question():
                return


@row(46)
@pytest.mark.parametrize("first", ["a signal", "kille admin"])
@pytest.mark.parametrize(("second", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_once_it_stops_ends_it_at_once(first: str, second: signal.Signals, code: int, tmp_path: Path) -> None:
    with running("--data", str(tmp_path)) as (process, _, port):
        sock, _ = welcomed(port)
        with sock:
            in_a_hand(sock)
            if first == "a signal":
                process.send_signal(signal.SIGTERM)
            else:
                assert CliRunner().invoke(main, ["admin", "--data", str(tmp_path), "drain"]).exit_code == Exit.DONE
            while b"draining" not in sock.recv(4096):
                pass
            began = time.monotonic()
            process.send_signal(second)
            process.communicate(timeout=20)
        assert process.returncode == code
        assert time.monotonic() - began < 10.0, "and not at the end of the drain"


@row(46)
@pytest.mark.parametrize("seed", range(size(4, 500)))
def test_signals_at_any_moment_end_it_in_good_order(seed: int) -> None:
    random = Random(seed)
    with running("--limit", "drain=0.2") as (process, _, port):
        sock, _ = welcomed(port)
        with sock:
            in_a_hand(sock)
            sent = []
            for _ in range(random.choice([1, 2, 3])):
                time.sleep(random.uniform(0.0, 0.15))  # the moment is the subject
                if process.poll() is None:
                    sent.append(random.choice([signal.SIGINT, signal.SIGTERM]))
                    process.send_signal(sent[-1])
            _, err = process.communicate(timeout=20)
    assert process.returncode in {0, *(128 + number for number in sent[1:])}
    assert "Traceback" not in err
    assert "failed" not in err


@row(47)
def test_it_ends_in_time_with_a_hand_that_nobody_ends_a_stuck_client_and_two_hundred_that_do_not_go() -> None:
    """T47, with a shorter drain; 4 s are left for the goodbye whatever the drain is."""
    with running("--limit", "drain=0.5", "--limit", "connections=300") as (process, _, port), ExitStack() as stack:
        for number in range(201):
            sock, _ = welcomed(port, f"Guest {number}")
            stack.enter_context(sock)
            if not number:
                in_a_hand(sock)
            if number == 1:  # asks, and never reads
                for request in range(5, 4000):
                    try:
                        sock.send(frame(m.ListRooms(id=request, page=0)), socket.MSG_DONTWAIT)
                    except BlockingIOError:
                        break
        began = time.monotonic()
        process.terminate()
        process.communicate(timeout=30)
        assert process.returncode == 0
        assert 0.5 <= time.monotonic() - began <= 10.0, "what the machine itself takes is not ours"


def test_a_taken_port_is_one_line() -> None:
    with running() as (_, _, port):
        ended = subprocess.run(
            [*KILLE, "--lang", "en", "serve", "--host", "127.0.0.1", "--port", str(port)],
            capture_output=True, text=True, timeout=20, check=False,
        )  # fmt: skip
    assert ended.returncode == Exit.WRONG_USE
    assert ended.stdout == ""
    assert ended.stderr == f"kille: port {port} is taken; choose another with --port\n"


@pytest.fixture
def configs(monkeypatch: pytest.MonkeyPatch) -> list[Config]:
    """What a server would have been run with; it ends with code 0."""
    seen: list[Config] = []

    def run(_: object, config: Config, *__: object, **___: object) -> Exit:
        seen.append(config)
        return Exit.DONE

    monkeypatch.setattr(trio, "run", run)
    return seen


@pytest.mark.parametrize("options", [[], ["--insecure-plaintext"]])
def test_by_itself_it_serves_all_private_addresses(configs: list[Config], options: list[str]) -> None:
    assert CliRunner().invoke(main, ["serve", *options]).exit_code == 0
    (config,) = configs
    assert config.hosts == ("0.0.0.0", "::")
    assert config.serves("192.168.1.7")
    assert not config.serves("1.1.1.1")
    assert config.key is not None
    assert config.takes_plain == bool(options)


def test_an_address_that_is_named_is_served(configs: list[Config]) -> None:
    CliRunner().invoke(main, ["serve", "--host", "1.1.1.1"])
    (config,) = configs
    assert config.hosts == ("1.1.1.1",)
    assert config.serves("1.1.1.1")
    assert not config.takes_plain


@pytest.mark.parametrize(
    ("seen", "expected"),
    [("192.168.1.7", (["192.168.1.7:5"], True)), ("1.1.1.1", (["127.0.0.1:5"], False)), (None, ([], True))],
)
def test_others_are_told_only_what_is_served(
    monkeypatch: pytest.MonkeyPatch, seen: str | None, expected: tuple[list[str], bool]
) -> None:
    monkeypatch.setattr(serve, "_seen_by_others", lambda _: seen)
    assert serve._addresses([("0.0.0.0", 5), ("::", 5)], is_private) == expected
    assert serve._addresses([("::1", 5)], is_private) == (["[::1]:5"], True)


def test_the_key_is_in_the_folder_of_the_data(configs: list[Config], tmp_path: Path) -> None:
    for number, command in enumerate((["--data", "FOLDER", "serve"], ["serve", "--data", "FOLDER"])):
        folder = tmp_path / str(number)
        words = [str(folder) if word == "FOLDER" else word for word in command]
        assert CliRunner().invoke(main, words).exit_code == 0
        assert (folder / FILE).exists(), "wherever it stands"
    assert CliRunner(env={"KILLE_DATA": str(tmp_path / "named")}).invoke(main, ["serve"]).exit_code == 0
    assert (tmp_path / "named" / FILE).exists()


def test_a_bad_key_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    open_key(tmp_path / "open")
    (tmp_path / "open" / FILE).chmod(0o644)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / FILE).touch(0o600)
    for folder, says in (
        ("file/below", "cannot keep a key in"),
        ("open", "others can read"),
        ("broken", f"{tmp_path / 'broken' / FILE} is no key"),
    ):
        result = CliRunner().invoke(main, ["--lang", "en", "serve", "--data", str(tmp_path / folder)])
        assert result.exit_code == Exit.WRONG_USE
        assert result.stderr.startswith(f"kille: {says}")
        assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--host", "192.0.2.7"], "this machine has no address 192.0.2.7"),
        (["--host", "a" * 70], f"this machine has no address {'a' * 70}"),
        (["--port", "70000"], "Invalid value for '--port': 70000 is not in the range 0<=x<=65535."),
    ],
)
def test_wrong_use_is_one_line(options: list[str], says: str) -> None:
    result = CliRunner().invoke(main, ["--lang", "en", "serve", *options])
    assert result.exit_code == Exit.WRONG_USE
    assert result.stdout == ""
    assert result.stderr.startswith(f"kille: {says.removesuffix('.')}")
    assert result.stderr.count("\n") == 1


def test_a_folder_for_records_is_made_at_the_start(tmp_path: Path) -> None:
    folder = tmp_path / "some" / "where"
    with running("--records", str(folder)) as (process, _, _):
        assert folder.is_dir()
        assert not list(folder.iterdir())
        process.terminate()


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "records"
    result = CliRunner().invoke(main, ["--lang", "en", "serve", "--port", "0", "--records", str(folder)])
    assert result.exit_code == Exit.WRONG_USE
    assert result.stdout == ""
    assert result.stderr.startswith(f"kille: cannot write in {folder}: ")
    assert result.stderr.count("\n") == 1


def test_numbers_are_shown_at_an_address_of_their_own(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = kille("serve", "--host", "127.0.0.1", "--port", "0", "--data", str(tmp_path), "--metrics", str(port))
        assert result.returncode == Exit.WRONG_USE
        assert result.stderr.startswith(f"kille: cannot show numbers at 127.0.0.1:{port}: "), "nobody was let in before"
        assert result.stderr.count("\n") == 1
    with running("--metrics", str(port)) as (process, _, _):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as answer:
            assert b"kille_players 0.0\n" in answer.read()
        process.terminate()
        process.communicate(timeout=20)
        assert process.returncode == 0


@pytest.mark.parametrize(
    ("options", "expected"), [((), ["Krogen", "withdrawn", "drained"]), (("--no-discovery",), ["drained"])]
)
def test_it_is_withdrawn_from_its_network_before_the_last_hands_end(
    options: tuple[str, ...], expected: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    happened: list[str] = []

    @contextmanager
    def announced(announcement: Announcement, *_: object) -> Iterator[Callable[[], None]]:
        happened.append(announcement.name)
        yield lambda: happened.append("withdrawn")

    async def drain(server: Server) -> None:
        happened.append("drained")
        await server.shut_down()

    monkeypatch.setattr(announcing, "announcing", announced)
    monkeypatch.setattr(announcing, "is_for_others", lambda _: True)
    monkeypatch.setattr("kille_net.server.drain.drain", drain)
    monkeypatch.setattr("kille_net.server.logs.open_log", lambda *_: None)
    monkeypatch.setattr(serve, "_tell", lambda *_: os.kill(os.getpid(), signal.SIGTERM))
    monkeypatch.delenv("KILLE_SERVE_NO_DISCOVERY")
    where = ("--host", "127.0.0.1", "--port", "0", "--data", str(tmp_path))
    assert CliRunner().invoke(main, ["serve", "--name", "Krogen", *where, *options]).exit_code == 0
    assert happened == expected
