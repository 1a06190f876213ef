"""The way in for whoever runs the server: one request and one answer, each a line of JSON, in the data folder.

A Unix socket that its owner alone may open; where there are none, or the folder's path is too long for one, a port of
this machine and a file, its owner's alone, with the port and a secret that every request must name. Owns both ends of
it and its bounds. Refuses to know what is asked.
"""

import json
import os
import secrets
import socket
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hmac import compare_digest
from pathlib import Path
from typing import Any, Final, TypeAlias

import trio

from kille_net.files import SETTINGS, read_file
from kille_net.server.logs import log, where
from kille_net.systems import HAS_UNIX_SOCKETS

__all__ = ["Channel", "NoChannel", "Refused", "TooLong", "ask", "open_channel", "serve_channel"]

SOCKET: Final = "admin.sock"
PORT: Final = "admin.json"
_MOST_REQUEST: Final = 8192
_MOST_ANSWER: Final = 1 << 22
_MOST_AT_ONCE: Final = 8
_PATIENCE: Final = 5.0
"""Seconds for a request to come, and for an answer to be taken."""
_AGAIN: Final = 0.05
_HERE: Final = "127.0.0.1"

Json: TypeAlias = Any
Do: TypeAlias = Callable[[dict[str, Json]], Awaitable[Json]]
"""Does what a request asks and gives its result. Raises Refused."""


class Refused(Exception):
    """What was asked is not done; `code` says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class NoChannel(Exception):
    """No server runs with this folder."""


class TooLong(Exception):
    """The request is longer than the server takes; it was not sent."""


@dataclass(frozen=True, slots=True)
class Channel:
    listener: socket.socket
    secret: str
    """Empty: whoever can open the socket may ask."""


@contextmanager
def open_channel(folder: Path) -> Iterator[Channel]:
    """In a folder that is there, and whose store the caller has open: nobody else serves from it. Raises OSError."""
    for name in (SOCKET, PORT):  # of a server that was killed
        (folder / name).unlink(missing_ok=True)
    channel = _unix(folder / SOCKET) or _port(folder / PORT)
    try:
        with channel.listener:
            yield channel
    finally:
        for name in (SOCKET, PORT):
            with suppress(OSError):
                (folder / name).unlink()


def _unix(path: Path) -> Channel | None:
    if not HAS_UNIX_SOCKETS:
        return None
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listener.bind(str(path))
        listener.listen(_MOST_AT_ONCE)
    except OSError as error:
        listener.close()
        if error.errno is None:  # the path is too long
            return None
        raise
    finally:
        os.umask(before)
    return Channel(listener, "")


def _port(path: Path) -> Channel:
    listener = socket.create_server((_HERE, 0), backlog=_MOST_AT_ONCE)
    secret = secrets.token_hex(32)
    try:
        with open(path, "x", opener=lambda name, flags: os.open(name, flags, 0o600), encoding="utf-8") as file:
            json.dump({"port": listener.getsockname()[1], "secret": secret}, file)
    except BaseException:
        listener.close()
        raise
    return Channel(listener, secret)


# --- the server's end -----------------------------------------------------------------------------------------------


async def serve_channel(channel: Channel, do: Do) -> None:
    """Answer until cancelled. Nothing that is asked ends it."""
    at_once = trio.CapacityLimiter(_MOST_AT_ONCE)

    async def attend(stream: trio.SocketStream) -> None:
        try:
            async with at_once, stream:
                line: bytes | None = None
                with trio.move_on_after(_PATIENCE):
                    line = await _line(stream)
                if line is None:
                    return
                answer = await _answer(line, channel.secret, do)
                with trio.move_on_after(_PATIENCE):
                    await stream.send_all(answer)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return

    listener = trio.SocketListener(trio.socket.from_stdlib_socket(channel.listener))
    await trio.serve_listeners(attend, [listener])


async def _line(stream: trio.SocketStream) -> bytes | None:
    """What comes before the first line's end; None: too much, or nothing whole."""
    taken = b""
    while b"\n" not in taken:
        data = await stream.receive_some(_MOST_REQUEST)
        taken += data
        if not data or len(taken) > _MOST_REQUEST:
            return None
    return taken.partition(b"\n")[0]


async def _answer(line: bytes, secret: str, do: Do) -> bytes:
    try:
        answer = {"ok": True, "result": await do(_request(line, secret))}
    except Refused as refused:
        answer = {"ok": False, "error": refused.code}
    except Exception as error:  # a bug of ours must not end the server
        log.error("admin_failed", error=where(error))
        answer = {"ok": False, "error": "internal"}
    return json.dumps(answer, ensure_ascii=False).encode() + b"\n"


def _request(line: bytes, secret: str) -> dict[str, Json]:
    """Raises Refused."""
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        raise Refused("bad_request") from None
    if not isinstance(request, dict):
        raise Refused("bad_request")
    given = request.pop("secret", "")
    if secret and not (isinstance(given, str) and compare_digest(given.encode(errors="replace"), secret.encode())):
        raise Refused("bad_secret")
    return request


# --- the other end --------------------------------------------------------------------------------------------------


def ask(folder: Path, request: dict[str, Json], seconds: float) -> Json:
    """The result of a request to the server that runs with this folder. Raises NoChannel, TooLong and Refused."""
    sock, secret = _connect(folder, seconds)
    line = json.dumps({**request, "secret": secret} if secret else request).encode() + b"\n"
    taken = bytearray()
    with sock:
        if len(line) > _MOST_REQUEST:
            raise TooLong
        try:
            sock.sendall(line)
            while not taken.endswith(b"\n") and len(taken) < _MOST_ANSWER and (data := sock.recv(65536)):
                taken += data
            answer = json.loads(taken)
        except (OSError, ValueError):
            raise NoChannel from None
    if not answer["ok"]:
        raise Refused(answer["error"])
    return answer["result"]


def _dial(sock: socket.socket, path: Path, until: float) -> None:
    """Connect, and wait for it while more ask than the server has places for. Raises OSError."""
    while True:
        try:
            sock.connect(str(path))
        except BlockingIOError:  # at once, whatever the timeout
            if time.monotonic() >= until:
                raise
            time.sleep(_AGAIN)
        else:
            return


def _connect(folder: Path, seconds: float) -> tuple[socket.socket, str]:
    """A socket to the server, and the secret to be named. Raises NoChannel."""
    try:
        if (folder / SOCKET).exists():
            sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            sock.settimeout(seconds)
            try:
                _dial(sock, folder / SOCKET, time.monotonic() + seconds)
            except BaseException:
                sock.close()
                raise
            return sock, ""
        found = json.loads(read_file(folder / PORT, SETTINGS))
        return socket.create_connection((_HERE, found["port"]), timeout=seconds), found["secret"]
    except PermissionError:
        raise
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise NoChannel from None
