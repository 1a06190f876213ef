"""The servers that are found: which are one, in what order, and how many."""

import ipaddress
from dataclasses import replace

import pytest

from kille_net.client.net.servers import Place, Server, Servers, Sighting, server_line
from kille_net.wire.announcement import Announcement

KROGEN = Announcement(id="a" * 16, name="Krogen", versions=(1,), wants_password=False, in_tls=True)
SALEN = replace(KROGEN, id="b" * 16, name="Salen")
HOME = ipaddress.ip_interface("192.168.1.2/24")
VPN = ipaddress.ip_interface("10.8.0.2/16")


def servers(here: int | None = None, last: Place | None = None) -> Servers:
    return Servers([HOME, VPN], here=here, last=last)


def sighting(announcement: Announcement, *hosts: str, port: int = 4747) -> Sighting:
    return Sighting(announcement=announcement, places=tuple((host, port) for host in hosts))


def places(found: list[Server]) -> list[Place]:
    return [server.place for server in found]


def test_a_server_that_is_heard_on_every_interface_is_shown_once() -> None:
    found = servers()
    assert places(found.hear(sighting(KROGEN, "192.168.1.7"))) == [("192.168.1.7", 4747)]
    for host in ("fe80::7%2", "fe80::7%3", "192.168.1.7"):
        assert found.hear(sighting(KROGEN, host)) == []
    assert found.rest() == []
    assert places(found.shown) == [("192.168.1.7", 4747)]


def test_two_servers_of_one_name_are_two() -> None:
    found = servers()
    found.hear(sighting(KROGEN, "192.168.1.7"))
    found.hear(sighting(replace(KROGEN, id="c" * 16), "192.168.1.8"))
    assert len(found.shown) == 2


@pytest.mark.parametrize(
    ("hosts", "best"),
    [
        (("fe80::7%2", "192.168.1.7"), "192.168.1.7"),
        (("172.16.0.7", "10.8.0.7"), "10.8.0.7"),  # that of our own network
        (("fe80::7%2", "fd00::7"), "fd00::7"),
        (("fd00::7", "172.16.0.7"), "172.16.0.7"),
    ],
)
def test_the_address_that_is_most_likely_reached_is_shown(hosts: tuple[str, ...], best: str) -> None:
    found = servers()
    found.hear(sighting(KROGEN, *hosts))
    found.rest()
    assert places(found.shown) == [(best, 4747)]


def test_what_is_said_apart_for_each_version_is_of_one_server() -> None:
    """First that of IPv6, which waits for what is better."""
    found = servers()
    for hosts in (("fe80::7%2", "fd00::7"), ("fd00::7", "fe80::7%3"), ("192.168.1.7",), ("fd00::7",)):
        found.hear(sighting(KROGEN, *hosts))
    found.rest()
    assert places(found.shown) == [("192.168.1.7", 4747)]


def test_a_network_of_the_servers_own_is_no_other_server() -> None:
    found = servers()
    for host in ("172.17.0.1", "192.168.1.7", "172.18.0.1"):
        found.hear(sighting(KROGEN, host))
    assert found.rest() == []
    assert places(found.shown) == [("192.168.1.7", 4747)]


@pytest.mark.parametrize("host", ["192.168.1.7", "fe80::7%2", "fd00::7"])
def test_who_says_the_id_of_another_first_hides_it_not(host: str) -> None:
    for liar in ("192.168.1.66", "10.8.0.66", "172.16.0.66") if "." in host else ("fe80::66%2", "fd00::66"):
        found = servers()
        found.hear(sighting(replace(KROGEN, name="Liar"), liar))
        for _ in range(2):
            found.hear(sighting(KROGEN, host))
        found.rest()
        assert (host, 4747) in places(found.shown)
        assert len(found.shown) == (1 if liar == "172.16.0.66" else 2)


@pytest.mark.parametrize(("liar", "host"), [("192.168.1.66", "192.168.1.7"), ("fd00::66", "fe80::7%2")])
def test_nor_does_who_says_its_address_too(liar: str, host: str) -> None:
    found = servers()
    found.hear(sighting(replace(KROGEN, name="Liar"), liar, host))
    found.hear(sighting(KROGEN, host))
    found.rest()
    assert sorted(places(found.shown)) == sorted([(liar, 4747), (host, 4747)])


def test_one_id_at_a_thousand_addresses_fills_no_screen() -> None:
    found = servers()
    for number in range(1000):
        found.hear(sighting(KROGEN, f"10.8.{number // 250}.{number % 250 + 3}"))
        found.hear(sighting(KROGEN, f"fe80::{number + 3:x}%2"))
    found.rest()
    assert len(found.shown) == 32


def test_who_says_our_address_besides_its_own_is_not_on_this_machine() -> None:
    found = servers(here=4747, last=("192.168.1.66", 4747))
    (server,) = found.hear(sighting(KROGEN, "192.168.1.2", "192.168.1.66"))
    assert (server.place, server.is_here) == (("192.168.1.66", 4747), False)
    first = servers(here=4747)
    (server,) = first.hear(sighting(KROGEN, "192.168.1.66", "192.168.1.2"))
    assert (server.place, server.is_here) == (("192.168.1.66", 4747), False)
    assert first.rest() == [Server(place=("127.0.0.1", 4747), is_here=True)]


def test_the_server_of_this_machine_is_one_on_all_its_networks() -> None:
    found = servers(here=4747)
    assert len(found.hear(sighting(KROGEN, "192.168.1.2"))) == 1
    assert found.hear(sighting(KROGEN, "10.8.0.2")) == []


def test_what_has_only_a_long_way_is_shown_at_the_end() -> None:
    found = servers()
    assert found.hear(sighting(KROGEN, "fe80::7%2")) == []
    assert places(found.rest()) == [("fe80::7%2", 4747)]


def test_the_server_of_this_machine_is_shown_once_by_its_short_way() -> None:
    found = servers(here=4747)
    (server,) = found.hear(sighting(KROGEN, "192.168.1.2"))
    assert (server.place, server.is_here) == (("127.0.0.1", 4747), True)
    assert found.rest() == []


def test_the_server_of_this_machine_is_shown_though_nobody_announces_it() -> None:
    found = servers(here=4747)
    assert found.rest() == [Server(place=("127.0.0.1", 4747), is_here=True)]


def test_another_server_of_this_machine_is_shown_by_the_address_that_it_serves() -> None:
    found = servers(here=4747)
    (server,) = found.hear(sighting(KROGEN, "192.168.1.2", port=5000))
    assert (server.place, server.is_here) == (("192.168.1.2", 5000), True)
    assert places(found.rest()) == [("127.0.0.1", 4747)]


def test_the_one_that_was_joined_last_is_offered_found_or_not_and_is_the_default() -> None:
    away = servers(last=("kille.example", 4747))
    away.hear(sighting(SALEN, "192.168.1.8"))
    assert away.rest() == [Server(place=("kille.example", 4747), was_last=True)]
    assert away.default == 2
    near = servers(last=("192.168.1.8", 4747))
    near.hear(sighting(KROGEN, "192.168.1.7"))
    near.hear(sighting(SALEN, "192.168.1.9", "192.168.1.8"))
    assert near.rest() == []
    assert places(near.shown) == [("192.168.1.7", 4747), ("192.168.1.8", 4747)]
    assert near.default == 2


def test_one_that_claims_to_be_the_last_is_not_the_default() -> None:
    """An id is anybody's to say; an address leads to the key that is known."""
    found = servers(last=("192.168.1.8", 4747))
    found.hear(sighting(KROGEN, "192.168.1.66"))
    found.rest()
    assert [server.was_last for server in found.shown] == [False, True]


def test_without_a_last_the_first_is_the_default_and_without_any_none() -> None:
    found = servers()
    assert found.default is None
    found.hear(sighting(KROGEN, "192.168.1.7"))
    assert found.default == 1


def test_this_machine_is_no_last_one_where_no_server_runs() -> None:
    assert servers(last=("127.0.0.1", 4747)).rest() == []
    (server,) = servers(here=4747, last=("127.0.0.1", 4747)).rest()
    assert server.was_last


@pytest.mark.parametrize("host", ["192.168.1.7", "fe80::7%2"])
def test_a_crowd_fills_no_screen(host: str) -> None:
    found = servers()
    for number in range(1000):
        found.hear(sighting(replace(KROGEN, id=f"{number:016x}"), host))
    found.rest()
    assert len(found.shown) == 32


def test_no_crowd_hides_what_is_known() -> None:
    found = servers(here=4747, last=("kille.example", 4747))
    for number in range(1000):
        found.hear(sighting(replace(KROGEN, id=f"{number:016x}"), "192.168.1.7"))
    assert places(found.rest()) == [("127.0.0.1", 4747), ("kille.example", 4747)]
    assert (len(found.shown), found.default) == (34, 34)


def test_one_without_an_address_is_none() -> None:
    found = servers()
    assert found.hear(sighting(KROGEN)) == []
    assert found.rest() == []


def test_a_line_says_what_one_has_to_know() -> None:
    plain = Server(place=("192.168.1.7", 4747), announcement=KROGEN)
    assert server_line(1, plain, "en") == "1  Krogen  192.168.1.7:4747"
    told = replace(KROGEN, wants_password=True, in_tls=False, versions=(9,))
    full = Server(place=("fe80::7%2", 4747), announcement=told, is_here=True, was_last=True)
    assert server_line(2, full, "en") == (
        "2  Krogen  [fe80::7%2]:4747, on this machine, joined last, needs a password, not encrypted, of another version"
    )
    assert server_line(3, Server(place=("h", 1)), "sv") == "3  Kille  h:1"
