"""A server makes itself known on the addresses that it serves, and serves as well where that fails."""

import asyncio
import ipaddress
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import ifaddr
import pytest
import zeroconf.asyncio

from kille_net.server.addresses import is_private
from kille_net.server.announcing import announcing, is_for_others, links
from kille_net.wire.announcement import SERVICE, Announcement
from tests.own_time import own_time

KROGEN = Announcement(id="a" * 16, name="Krogen", versions=(1,), wants_password=False, in_tls=True)
EVERYWHERE = (("0.0.0.0", 4747), ("::", 4747))
BOTH = ["0.0.0.0", "::"]


def adapter(index: int, *addresses: str) -> ifaddr.Adapter:
    ips = [ifaddr.IP(text if "." in text else (text, 0, index), 24, f"e{index}") for text in addresses]
    return ifaddr.Adapter(f"e{index}", f"e{index}", ips, index)


LOOPBACK = adapter(1, "127.0.0.1", "::1")
LAN = adapter(2, "192.168.1.7", "fe80::7", "fd00::7")
PUBLIC = adapter(3, "1.1.1.1", "2606:4700:4700::1111")
VPN = adapter(4, "10.8.0.7")


@pytest.mark.parametrize(
    ("hosts", "serves", "expected"),
    [
        (BOTH, is_private, [(2, 4, "192.168.1.7"), (2, 6, "fe80::7 fd00::7"), (4, 4, "10.8.0.7")]),
        (["0.0.0.0"], is_private, [(2, 4, "192.168.1.7"), (4, 4, "10.8.0.7")]),
        (["::"], is_private, [(2, 6, "fe80::7 fd00::7")]),
        (["10.8.0.7"], None, [(4, 4, "10.8.0.7")]),
        (["1.1.1.1"], None, [(3, 4, "1.1.1.1")]),
        (["127.0.0.1", "::1"], None, []),
        (["192.168.1.99"], None, []),
    ],
)
def test_it_is_announced_on_the_addresses_that_are_served_and_on_no_others(
    hosts: list[str], serves: Callable[[str], bool] | None, expected: list[tuple[int, int, str]]
) -> None:
    found = links([LOOPBACK, LAN, PUBLIC, VPN], hosts, serves or (lambda _: True))
    assert [(link.interface, link.version, " ".join(link.addresses)) for link in found] == expected


def test_a_machine_with_a_thousand_interfaces_is_bounded() -> None:
    many = [adapter(number + 1, *(f"10.0.{number % 250}.{k}" for k in range(1, 100))) for number in range(1000)]
    found = links(many, BOTH, is_private)
    assert len(found) == 16
    assert max(len(link.addresses) for link in found) == 8


@pytest.mark.parametrize(
    ("bound", "is_so"), [(("127.0.0.1", "::1"), False), (("0.0.0.0",), True), (("127.0.0.1", "10.0.0.1"), True)]
)
def test_what_only_this_machine_reaches_is_for_nobody_else(bound: tuple[str, ...], *, is_so: bool) -> None:
    assert is_for_others([(host, 1) for host in bound]) is is_so


@dataclass
class Air:
    """In place of zeroconf: what was registered where, and what is withdrawn."""

    adapters: list[ifaddr.Adapter] = field(default_factory=lambda: [LOOPBACK, LAN, VPN])
    broken: set[Any] = field(default_factory=set)
    stuck: set[Any] = field(default_factory=set)
    infos: dict[Any, zeroconf.ServiceInfo] = field(default_factory=dict)
    closed: list[Any] = field(default_factory=list)
    changed: threading.Condition = field(default_factory=threading.Condition)

    def station(self, *, interfaces: list[Any], ip_version: zeroconf.IPVersion) -> "Station":
        (interface,) = interfaces
        is_v4 = isinstance(interface, str) and ipaddress.ip_address(interface).version == 4
        assert ip_version is (zeroconf.IPVersion.V4Only if is_v4 else zeroconf.IPVersion.V6Only)
        if interface in self.broken:
            raise OSError(19, "No such device")
        return Station(self, interface)

    def note(self, change: Callable[[], object]) -> None:
        with self.changed:
            change()
            self.changed.notify_all()

    def wait(self, condition: Callable[[], bool]) -> None:
        with self.changed:
            assert self.changed.wait_for(condition, 20.0)


@dataclass
class Station:
    air: Air
    interface: Any

    async def async_register_service(self, info: zeroconf.ServiceInfo, **_: object) -> "asyncio.Future[None]":
        self.air.note(lambda: self.air.infos.__setitem__(self.interface, info))
        if self.interface in self.air.stuck:
            await asyncio.sleep(1000)
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        done.set_result(None)
        return done

    async def async_close(self) -> None:
        self.air.note(lambda: self.air.closed.append(self.interface))


@pytest.fixture
def air(monkeypatch: pytest.MonkeyPatch) -> Air:
    found = Air()
    monkeypatch.setattr(zeroconf.asyncio, "AsyncZeroconf", found.station)
    monkeypatch.setattr(ifaddr, "get_adapters", lambda: found.adapters)
    return found


def test_each_interface_hears_of_its_own_addresses_alone(air: Air) -> None:
    with announcing(KROGEN, EVERYWHERE, is_private):
        air.wait(lambda: len(air.infos) == 3)
        assert {where: info.parsed_addresses() for where, info in air.infos.items()} == {
            "192.168.1.7": ["192.168.1.7"],
            "10.8.0.7": ["10.8.0.7"],
            2: ["fe80::7", "fd00::7"],
        }
        for info in air.infos.values():
            assert info.type == SERVICE
            assert info.port == 4747
            assert Announcement.read(info.properties) == KROGEN
        assert len({info.name for info in air.infos.values()}) == 3, "or one would overwrite the other"
        assert len({info.server for info in air.infos.values()}) == 3


def test_it_is_withdrawn_when_it_stops_and_nobody_waits_for_that(air: Air) -> None:
    with announcing(KROGEN, EVERYWHERE, is_private) as withdraw:
        air.wait(lambda: len(air.infos) == 3)
        assert air.closed == []
        withdraw()
        air.wait(lambda: len(air.closed) == 3)
        withdraw()
    assert sorted(map(str, air.closed)) == ["10.8.0.7", "192.168.1.7", "2"]


def test_it_is_withdrawn_at_the_end_of_the_context(air: Air) -> None:
    with announcing(KROGEN, EVERYWHERE, is_private):
        air.wait(lambda: len(air.infos) == 3)
    assert len(air.closed) == 3


def test_interfaces_come_and_go(air: Air, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kille_net.server.announcing._LOOK_EVERY", 0.01)
    air.adapters = [LOOPBACK]
    with announcing(KROGEN, EVERYWHERE, is_private):
        air.adapters = [LOOPBACK, VPN]
        air.wait(lambda: "10.8.0.7" in air.infos)
        air.adapters = [LOOPBACK]
        air.wait(lambda: air.closed == ["10.8.0.7"])


def test_an_interface_that_takes_nothing_is_one_line_and_keeps_no_other_from_it(
    air: Air, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "kille")
    air.broken = {"192.168.1.7"}
    with announcing(KROGEN, EVERYWHERE, is_private):
        air.wait(lambda: len(air.infos) == 2)
    (line,) = caplog.messages
    assert "event=cannot_announce addresses=192.168.1.7" in line
    assert sorted(map(str, air.closed)) == ["10.8.0.7", "2"]


def test_a_fault_of_all_of_it_is_one_line(
    air: Air, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "kille")

    def fails() -> None:
        air.note(lambda: air.closed.append("tried"))
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(ifaddr, "get_adapters", fails)
    with announcing(KROGEN, EVERYWHERE, is_private):
        air.wait(lambda: bool(air.closed))
    (line,) = caplog.messages
    assert "event=cannot_announce" in line


def test_one_that_never_comes_to_an_end_delays_neither_the_start_nor_the_stop(air: Air) -> None:
    air.stuck = {"192.168.1.7"}
    began = own_time()
    with announcing(KROGEN, EVERYWHERE, is_private) as withdraw:
        thread = next(thread for thread in threading.enumerate() if thread.name == "announcing")
        withdraw()
        assert own_time() - began < 0.5
        air.wait(lambda: "192.168.1.7" in air.infos)
    assert not thread.is_alive()
    assert len(air.closed) == 3
