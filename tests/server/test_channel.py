"""The way in for whoever runs the server: who may use it, and that nothing that comes in by it ends the server."""

import errno
import json
import os
import socket
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio

from kille_net.server import channel
from kille_net.server.channel import PORT, SOCKET, NoChannel, Refused, ask, open_channel, serve_channel


async def echo(request: dict[str, Any]) -> Any:  # noqa: ANN401  any value of JSON
    await trio.lowlevel.checkpoint()
    match request.get("command"):
        case "refuse":
            raise Refused("no_such_room")
        case "break":
            raise KeyError("harlekin")
    return request


@pytest.fixture(params=["socket", "port"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """One whose path is short enough for a Unix socket, and one whose path is not."""
    folder = tmp_path if request.param == "socket" else tmp_path / ("x" * 110)
    folder.mkdir(exist_ok=True)
    if request.param == "socket" and not hasattr(socket, "AF_UNIX"):
        pytest.skip("no Unix sockets here")
    return folder


@asynccontextmanager
async def answering(folder: Path) -> AsyncIterator[None]:
    with open_channel(folder) as opened:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(serve_channel, opened, echo)
            with trio.fail_after(20):
                yield
            nursery.cancel_scope.cancel()


async def asked(folder: Path, **request: Any) -> Any:  # noqa: ANN401  any value of JSON
    return await trio.to_thread.run_sync(partial(ask, folder, request, 10.0))


def raw(folder: Path, data: bytes, *, ends: bool = True) -> bytes:
    """What comes back for these bytes."""
    sock, _ = channel._connect(folder, 10.0)
    with sock:
        try:
            sock.sendall(data)
            if ends:
                with suppress(OSError):  # reset by a server that has had enough: it is connected no more
                    sock.shutdown(socket.SHUT_WR)
            return sock.recv(65536)
        except ConnectionError:
            return b""


async def test_a_request_is_answered(folder: Path) -> None:
    async with answering(folder):
        assert await asked(folder, command="x", text="Å🃏") == {"command": "x", "text": "Å🃏"}
        with pytest.raises(Refused, match="no_such_room"):
            await asked(folder, command="refuse")


async def test_what_was_opened_is_its_owners_alone_and_gone_afterwards(folder: Path) -> None:
    before = os.umask(0)
    try:
        async with answering(folder):
            path = folder / (PORT if folder.name.startswith("x") else SOCKET)
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
    finally:
        os.umask(before)
    assert not path.exists()
    with pytest.raises(NoChannel):
        ask(folder, {}, 1.0)


async def test_a_port_asks_for_the_secret_of_its_file(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 110)
    folder.mkdir()
    async with answering(folder):
        port = json.loads((folder / PORT).read_text())["port"]
        for given in ({}, {"secret": ""}, {"secret": "0" * 64}, {"secret": 3}, {"secret": "\ud800"}):
            line = json.dumps({"command": "x", **given}).encode() + b"\n"
            answer = await trio.to_thread.run_sync(raw, folder, line)
            assert json.loads(answer) == {"ok": False, "error": "bad_secret"}
        assert port


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"x\n", b"[]\n", b"[" * 8000 + b"\n", b"\xff\n", b"3\n", b'{"a": 1', b"x" * 100_000]
)  # fmt: skip
async def test_no_request_ends_it(folder: Path, data: bytes) -> None:
    async with answering(folder):
        answer = await trio.to_thread.run_sync(raw, folder, data)
        assert answer in {b"", b'{"ok": false, "error": "bad_request"}\n'}
        with pytest.raises(Refused, match="internal"):
            await asked(folder, command="break")
        assert await asked(folder, command="x") == {"command": "x"}


async def test_a_caller_that_says_nothing_is_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channel, "_PATIENCE", 0.5)
    async with answering(tmp_path):
        sockets = [channel._connect(tmp_path, 10.0)[0] for _ in range(8)]
        try:
            assert await asked(tmp_path, command="x") == {"command": "x"}
        finally:
            for sock in sockets:
                sock.close()


async def test_what_a_killed_server_left_is_no_hindrance(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(folder / SOCKET)) if folder.name[0] != "x" else None
    (folder / PORT).write_text('{"port": 1, "secret": "x"}')
    async with answering(folder):
        assert await asked(folder, command="x") == {"command": "x"}


def test_what_it_could_not_make_it_does_not_take_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def made_by_another(path: Path) -> None:
        path.write_text("")
        raise OSError(errno.EADDRINUSE, "taken")

    monkeypatch.setattr(channel, "_unix", made_by_another)
    with pytest.raises(OSError, match="taken"), open_channel(tmp_path):
        pass
    assert (tmp_path / SOCKET).exists()
