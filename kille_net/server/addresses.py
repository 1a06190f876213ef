"""What an address is, and how much of addresses one peer has. Refuses to know sockets."""

import ipaddress
from typing import TypeAlias

__all__ = ["block_of", "is_loopback", "is_private"]

_Ip: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address


def _ip_of(address: str) -> _Ip:
    """One of version 4 also where it is written as one of version 6. Raises ValueError."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    return (ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None) or ip


def block_of(address: str) -> str:
    """What one peer has of addresses: one of version 4, 2^64 of version 6. Raises ValueError."""
    ip = _ip_of(address)
    return str(ip) if ip.version == 4 else str(ipaddress.ip_network((ip, 64), strict=False))  # noqa: PLR2004  the version of an address is its name


def is_loopback(address: str) -> bool:
    return _ip_of(address).is_loopback


def is_private(address: str) -> bool:
    """Whether it is this machine's or its network's own, and nothing that the world can reach."""
    return not _ip_of(address).is_global
