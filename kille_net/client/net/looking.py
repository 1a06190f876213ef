"""Looks for servers on the networks of this machine, by multicast DNS (protocol/discovery.md).

Owns the sockets and how many strangers are listened to. Refuses to know what becomes of what is heard.
"""

import asyncio
import ipaddress
import logging
import socket
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Final

import ifaddr
from zeroconf import Error, IPVersion, ServiceStateChange, Zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from kille_net.client.net.servers import HERE, MOST_ADDRESSES, Networks, Sighting
from kille_net.wire.announcement import SERVICE, Announcement

__all__ = ["answers_here", "look", "own_networks"]

_MOST_LINKS: Final = 16
_MOST_NAMES: Final = 128
"""On one interface; strangers may say any number."""
_HERE_SECONDS: Final = 0.5


def own_networks() -> Networks:
    """This machine's own addresses, with their networks; none of the loopback's."""
    found = (
        ipaddress.ip_interface(f"{ip.ip if isinstance(ip.ip, str) else ip.ip[0]}/{ip.network_prefix}")
        for adapter in ifaddr.get_adapters()
        for ip in adapter.ips
    )
    return [interface for interface in found if not interface.is_loopback]


def answers_here(port: int) -> bool:
    """Whether somebody listens at this port of the machine."""
    try:
        with socket.create_connection((HERE, port), timeout=_HERE_SECONDS):
            return True
    except OSError:
        return False


def look(seconds: float, hear: Callable[[Sighting], None]) -> bool:
    """Tell what is heard for so long; False: there is no network on which anything can be heard."""
    logging.getLogger("zeroconf").disabled = True  # what strangers say wrong is not the reader's affair
    return asyncio.run(_look(seconds, hear))


async def _look(seconds: float, hear: Callable[[Sighting], None]) -> bool:
    asyncio.get_running_loop().set_exception_handler(lambda _loop, _context: None)  # …nor an interface that went away
    async with AsyncExitStack() as stack:
        ears = [_Ear(station, seconds, hear) for station in _stations()]
        for ear in ears:
            stack.push_async_callback(ear.close)
        if ears:
            await asyncio.sleep(seconds)
    return bool(ears)


def _stations() -> list[AsyncZeroconf]:
    """One for each interface and version, so that none that is odd silences the others."""
    stations: list[AsyncZeroconf] = []
    for adapter in list(ifaddr.get_adapters())[:_MOST_LINKS]:
        v4 = [ip.ip for ip in adapter.ips if isinstance(ip.ip, str)]
        v6 = [ip.ip for ip in adapter.ips if not isinstance(ip.ip, str)]
        if any(ipaddress.ip_address(address).is_loopback for address in v4):
            continue
        for interface, version in ((v4[:1], IPVersion.V4Only), ([adapter.index or 0][: len(v6)], IPVersion.V6Only)):
            try:
                if interface:
                    stations.append(AsyncZeroconf(interfaces=interface, ip_version=version))
            except (OSError, RuntimeError, Error):  # one that takes no multicast
                continue
    return stations


class _Ear:
    """Listens on one interface."""

    def __init__(self, station: AsyncZeroconf, seconds: float, hear: Callable[[Sighting], None]) -> None:
        self._station = station
        self._ms = seconds * 1000
        self._hear = hear
        self._names: set[str] = set()
        self._asking: list[asyncio.Task[None]] = []
        self._browser = AsyncServiceBrowser(station.zeroconf, SERVICE, handlers=[self._noticed])

    async def close(self) -> None:
        for task in self._asking:
            task.cancel()
        ends = await asyncio.gather(*self._asking, return_exceptions=True)
        await self._browser.async_cancel()
        await self._station.async_close()
        for end in ends:
            if isinstance(end, Exception):  # a bug of whoever hears
                raise end

    def _noticed(self, zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange) -> None:
        if state_change is ServiceStateChange.Removed or name in self._names or len(self._names) >= _MOST_NAMES:
            return
        self._names.add(name)
        self._asking.append(asyncio.ensure_future(self._ask(zeroconf, service_type, name)))

    async def _ask(self, zeroconf: Zeroconf, service_type: str, name: str) -> None:
        info = AsyncServiceInfo(service_type, name)
        if not await info.async_request(zeroconf, self._ms) or not info.port:
            return
        announcement = Announcement.read(info.properties)
        places = tuple((address, info.port) for address in info.parsed_scoped_addresses() if _may_be_joined(address))
        if announcement is not None:
            self._hear(Sighting(announcement=announcement, places=places[:MOST_ADDRESSES]))


def _may_be_joined(address: str) -> bool:
    """Whether it is another's address; a link-local one says on which link."""
    ip = ipaddress.ip_address(address)
    is_odd = ip.is_loopback or ip.is_unspecified or ip.is_multicast
    return not is_odd and (ip.version == 4 or not ip.is_link_local or "%" in address)  # noqa: PLR2004  its name
