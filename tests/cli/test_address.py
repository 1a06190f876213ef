"""kille_net.cli.address: what a person types for a server."""

import click
import pytest

from kille_net.cli.address import SERVER, Address, parse_address


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("host", "host", 4747),
        (" 127.0.0.1 ", "127.0.0.1", 4747),
        ("example.org:1", "example.org", 1),
        ("10.0.0.7:65535", "10.0.0.7", 65535),
        ("::1", "::1", 4747),
        ("[::1]", "::1", 4747),
        ("[fe80::1]:4748", "fe80::1", 4748),
        ("fe80::1%eth0", "fe80::1%eth0", 4747),
        ("[fe80::1%2]:4748", "fe80::1%2", 4748),
    ],
)
def test_an_address(text: str, host: str, port: int) -> None:
    address = parse_address(text)
    assert address == Address(host, port)
    assert parse_address(str(address)) == address


NO_ADDRESSES = (
    *("", " ", ":1", "host:", "host:0", "host:65536", "host:x", "host:+1", "host:1:2", "[::1", "[::1]x", "[host]:1"),
    *("a b", "a\x1bb", "fe80::1%\x1b", "fe80::1%", "host:٣", "host:99999999999999999999"),
)


@pytest.mark.parametrize("text", NO_ADDRESSES, ids=ascii)
def test_no_address(text: str) -> None:
    with pytest.raises(click.BadParameter, match="an address is HOST, HOST:PORT"):
        SERVER.convert(text, None, None)
