"""The sockets by which peers come in. Owns how they are opened, all or none; refuses to know who comes."""

import errno
import socket
from collections.abc import Sequence
from typing import Final

import trio

__all__ = ["open_listeners"]

_BACKLOG: Final = 128
_NO_SUCH_ADDRESS: Final = {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}


async def open_listeners(hosts: Sequence[str], port: int) -> list[socket.socket]:
    """Listen on all these addresses, at one port; 0: any free one. Raises OSError, and then listens on none."""
    listeners: list[socket.socket] = []
    try:
        for host in hosts:
            found = await trio.socket.getaddrinfo(
                host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE | socket.AI_NUMERICSERV
            )
            for family, kind, protocol, _, address in found[:1]:
                try:
                    listener = _listen(family, kind, protocol, address)
                except OSError as error:
                    # Many machines have no IPv6: they listen on the other addresses.
                    if family == socket.AF_INET6 and listeners and error.errno in _NO_SUCH_ADDRESS:
                        continue
                    raise
                listeners.append(listener)
                port = listener.getsockname()[1]
    except BaseException:  # cancelled, too: no socket is left open
        for listener in listeners:
            listener.close()
        raise
    return listeners


def _listen(family: int, kind: int, protocol: int, address: tuple[object, ...]) -> socket.socket:
    listener = socket.socket(family, kind, protocol)
    try:
        listener.settimeout(0.0)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except BaseException:  # an interrupt, too: no socket is left open
        listener.close()
        raise
    return listener
