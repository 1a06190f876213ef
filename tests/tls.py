"""A key for servers in tests, and the clients that meet it."""

import ssl
import tempfile
from functools import cache
from pathlib import Path

import trio

from kille_net.server.key import Key, open_key


@cache
def key(which: int = 0) -> Key:
    """A key; another for each number."""
    with tempfile.TemporaryDirectory() as folder:
        return open_key(Path(folder, str(which)))


def client_context(version: ssl.TLSVersion | None = None) -> ssl.SSLContext:
    """Takes whatever key it meets, with this version of TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    if version is not None:
        context.minimum_version = context.maximum_version = version
    return context


def in_tls(stream: trio.SocketStream) -> trio.SSLStream[trio.SocketStream]:
    return trio.SSLStream(stream, client_context(), https_compatible=True)


def nobody_is_near(address: str) -> bool:
    """As if every peer came from another machine."""
    return False
