"""A server makes itself known to its own network, by multicast DNS (protocol/discovery.md).

Owns the thread in which all of it happens, so that serving waits for nothing of it, and what is said on which
interface. Refuses to know the server: what it says and what it serves is handed in.
"""

import asyncio
import ipaddress
import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kille_net.server.addresses import is_loopback
from kille_net.server.logs import log, where
from kille_net.wire.announcement import SERVICE, Announcement

if TYPE_CHECKING:
    from ifaddr import Adapter
    from zeroconf.asyncio import AsyncZeroconf

__all__ = ["Link", "announcing", "is_for_others", "links"]

_LOOK_EVERY: Final = 15.0
"""Seconds after which it is seen that an interface came or went."""
_LAST_WORDS: Final = 1.0
"""Seconds for which the end waits until all know that the server is gone."""
_MOST_LINKS: Final = 16
_MOST_ADDRESSES: Final = 8


class Link(NamedTuple):
    """One interface with its addresses of one version that are served: nothing is said of them elsewhere."""

    interface: int
    version: int
    addresses: tuple[str, ...]


def is_for_others(bound: Iterable[tuple[str, int]]) -> bool:
    """Whether anybody but this machine can reach what is bound."""
    return any(not is_loopback(host) for host, _ in bound)


def links(adapters: "Iterable[Adapter]", hosts: Sequence[str], serves: Callable[[str], bool]) -> list[Link]:
    """Where something is to be said: on each interface, of its addresses that `hosts` bind and `serves` lets in."""
    bound = {ipaddress.ip_address(host.partition("%")[0]) for host in hosts}
    found: list[Link] = []
    for adapter in adapters:
        for version in (4, 6):
            served = [
                text
                for text in (ip.ip if isinstance(ip.ip, str) else ip.ip[0] for ip in adapter.ips)
                if (address := ipaddress.ip_address(text)).version == version
                and not address.is_loopback
                and (address in bound or any(one.is_unspecified and one.version == version for one in bound))
                and serves(text)
            ]
            if served:
                found.append(Link(adapter.index or 0, version, tuple(served[:_MOST_ADDRESSES])))
    return found[:_MOST_LINKS]


@contextmanager
def announcing(
    announcement: Announcement, bound: Sequence[tuple[str, int]], serves: Callable[[str], bool]
) -> Iterator[Callable[[], None]]:
    """Make the server known as long as the context, or until what it gives is called, which waits for nothing."""
    voice = _Voice(announcement, bound, serves)
    thread = threading.Thread(target=voice.run, name="announcing", daemon=True)
    thread.start()
    try:
        yield voice.withdraw
    finally:
        voice.withdraw()
        thread.join(_LAST_WORDS)


class _Voice:
    """All but `withdraw` happens in the thread of `run`."""

    def __init__(
        self, announcement: Announcement, bound: Sequence[tuple[str, int]], serves: Callable[[str], bool]
    ) -> None:
        self._announcement = announcement
        self._hosts = [host for host, _ in bound]
        self._port = bound[0][1]
        self._serves = serves
        self._loop = asyncio.new_event_loop()
        self._is_over = asyncio.Event()
        self._stations: dict[Link, AsyncZeroconf | None] = {}
        """None: nothing can be said there."""

    def withdraw(self) -> None:
        with suppress(RuntimeError):  # it is over
            self._loop.call_soon_threadsafe(self._is_over.set)

    def run(self) -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                runner.run(self._speak())
        except Exception as error:  # not to be found is no reason not to serve
            _complain(error)

    async def _speak(self) -> None:
        logging.getLogger("zeroconf").disabled = True  # one line of ours says that it does not work
        self._loop.set_exception_handler(_complain_of)
        speaking = asyncio.create_task(self._go_on())
        over = asyncio.create_task(self._is_over.wait())
        await asyncio.wait({speaking, over}, return_when=asyncio.FIRST_COMPLETED)
        speaking.cancel()
        try:
            with suppress(asyncio.CancelledError):
                await speaking
        finally:
            await self._close(list(self._stations))

    async def _go_on(self) -> None:
        while True:
            await self._adjust()
            await asyncio.sleep(_LOOK_EVERY)

    async def _adjust(self) -> None:
        """Speak on the interfaces that there are now, and on no others."""
        import ifaddr  # noqa: PLC0415  only where something is announced

        wanted = links(ifaddr.get_adapters(), self._hosts, self._serves)
        await self._close([link for link in self._stations if link not in wanted])
        await asyncio.gather(*(self._open(link) for link in wanted if link not in self._stations))

    async def _open(self, link: Link) -> None:
        from zeroconf import IPVersion, ServiceInfo  # noqa: PLC0415  slow to import, and for this thread alone
        from zeroconf.asyncio import AsyncZeroconf  # noqa: PLC0415  slow to import, and for this thread alone

        # Another on each link: whoever hears of it on two would take the one for a change of the other.
        label = f"{self._announcement.id}-{link.interface}-{link.version}"
        info = ServiceInfo(
            SERVICE,
            f"{label}.{SERVICE}",
            self._port,
            properties=self._announcement.properties(),
            server=f"{label}.local.",
            parsed_addresses=list(link.addresses),
        )
        self._stations[link] = None
        try:
            if link.version == 4:  # noqa: PLR2004  the version of an address is its name
                station = AsyncZeroconf(interfaces=[link.addresses[0]], ip_version=IPVersion.V4Only)
            else:
                station = AsyncZeroconf(interfaces=[link.interface], ip_version=IPVersion.V6Only)
            self._stations[link] = station
            await (await station.async_register_service(info, cooperating_responders=True))
        except Exception as error:  # whatever an interface may be like
            _complain(error, link)

    async def _close(self, gone: Sequence[Link]) -> None:
        stations = [station for link in gone if (station := self._stations.pop(link)) is not None]
        await asyncio.gather(*(station.async_close() for station in stations), return_exceptions=True)


def _complain(error: BaseException, link: Link | None = None) -> None:
    log.error("cannot_announce", addresses=() if link is None else link.addresses, error=where(error))


def _complain_of(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    error = context.get("exception")
    if isinstance(error, BaseException):
        _complain(error)
