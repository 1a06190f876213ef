"""What is heard on a network, in which anybody can say anything: against a stub of zeroconf."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import ifaddr
import pytest
from zeroconf import IPVersion, ServiceStateChange

from kille_net.client.net import looking
from kille_net.client.net.servers import Sighting
from kille_net.wire.announcement import SERVICE, Announcement

KROGEN = Announcement(id="a" * 16, name="Krogen", versions=(1,), wants_password=False, in_tls=True)


@dataclass
class Said:
    """What a service says, that is asked."""

    properties: dict[bytes, bytes | None] = field(
        default_factory=lambda: {name.encode(): value.encode() for name, value in KROGEN.properties().items()}
    )
    addresses: tuple[str, ...] = ("192.168.1.7",)
    port: int | None = 4747
    answers: bool = True


@dataclass
class Air:
    said: dict[str, Said] = field(default_factory=lambda: {"one": Said()})
    odd: set[Any] = field(default_factory=set)
    opened: list[Any] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    closed: int = 0

    def station(self, *, interfaces: list[Any], ip_version: IPVersion) -> "Station":
        (interface,) = interfaces
        assert ip_version is (IPVersion.V4Only if isinstance(interface, str) else IPVersion.V6Only)
        if interface in self.odd:
            raise OSError(95, "Operation not supported")
        self.opened.append(interface)
        return Station(self)


@dataclass
class Station:
    air: Air

    @property
    def zeroconf(self) -> "Station":
        return self

    async def async_close(self) -> None:
        self.air.closed += 1


class Browser:
    def __init__(self, station: Station, service_type: str, handlers: list[Callable[..., None]]) -> None:
        assert service_type == SERVICE
        for name in station.air.said:
            for change in ServiceStateChange:
                handlers[0](zeroconf=station, service_type=service_type, name=name, state_change=change)

    async def async_cancel(self) -> None:
        pass


class Info:
    def __init__(self, _service_type: str, name: str) -> None:
        self._name = name

    async def async_request(self, station: Station, _ms: float) -> bool:
        station.air.asked.append(self._name)
        self._said = station.air.said[self._name]
        if not self._said.answers:
            await asyncio.sleep(1000)
        return True

    @property
    def properties(self) -> dict[bytes, bytes | None]:
        return self._said.properties

    @property
    def port(self) -> int | None:
        return self._said.port

    def parsed_scoped_addresses(self) -> tuple[str, ...]:
        return self._said.addresses


def adapter(index: int, *addresses: str) -> ifaddr.Adapter:
    ips = [ifaddr.IP(text if "." in text else (text, 0, index), 24, "") for text in addresses]
    return ifaddr.Adapter("", "", ips, index)


@pytest.fixture
def air(monkeypatch: pytest.MonkeyPatch) -> Air:
    found = Air()
    adapters = [adapter(1, "127.0.0.1", "::1"), adapter(2, "192.168.1.2", "fd00::2"), adapter(3, "10.8.0.2")]
    monkeypatch.setattr(ifaddr, "get_adapters", lambda: adapters)
    monkeypatch.setattr(looking, "AsyncZeroconf", found.station)
    monkeypatch.setattr(looking, "AsyncServiceBrowser", Browser)
    monkeypatch.setattr(looking, "AsyncServiceInfo", Info)
    return found


def heard(seconds: float = 0.05) -> list[Sighting]:
    found: list[Sighting] = []
    assert looking.look(seconds, found.append)
    return found


def test_every_interface_but_the_loopback_is_listened_to(air: Air) -> None:
    assert heard() == [Sighting(announcement=KROGEN, places=(("192.168.1.7", 4747),))] * 3
    assert air.opened == ["192.168.1.2", 2, "10.8.0.2"]
    assert air.closed == 3


def test_an_interface_that_is_odd_silences_no_other(air: Air) -> None:
    air.odd = {"192.168.1.2"}
    assert len(heard()) == 2
    air.odd = {"192.168.1.2", 2, "10.8.0.2"}
    assert not looking.look(0.05, lambda _: None)


@pytest.mark.parametrize(
    "said",
    [
        Said(answers=False),
        Said(port=None),
        Said(port=0),
        Said(properties={}),
        Said(properties={b"id": b"\x1b" * 16}),
    ],
)
def test_what_says_too_little_is_none(air: Air, said: Said) -> None:
    air.said = {"one": said}
    assert heard() == []
    assert air.closed == 3


def test_only_addresses_of_others_are_taken_and_only_some(air: Air) -> None:
    odd = ("127.0.0.1", "::1", "0.0.0.0", "224.0.0.1", "ff02::1", "fe80::7", "fe80::7%2", "10.0.0.1")
    air.said = {"one": Said(addresses=odd), "two": Said(addresses=tuple(f"10.0.0.{k}" for k in range(200)))}
    by_length = sorted((sighting.places for sighting in heard()), key=len)
    assert by_length[0] == (("fe80::7%2", 4747), ("10.0.0.1", 4747))
    assert len(by_length[-1]) == 8


def test_of_a_flood_of_names_few_are_asked(air: Air) -> None:
    air.said = {str(number): Said(answers=False) for number in range(5000)}
    assert heard() == []
    assert len(air.asked) == 3 * 128


def test_a_bug_of_the_listener_is_not_hidden(air: Air) -> None:
    def hear(_: Sighting) -> None:
        raise LookupError

    with pytest.raises(LookupError):
        looking.look(0.05, hear)
    assert air.closed == 3
