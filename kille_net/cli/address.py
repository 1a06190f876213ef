"""Where a server is, as a person types it: HOST, HOST:PORT, ADDRESS or [ADDRESS]:PORT. Knows nothing of networks."""

import ipaddress
from dataclasses import dataclass
from typing import Final

import click

from kille_net.cli.speaking import tell

__all__ = ["DEFAULT_PORT", "SERVER", "Address", "parse_address"]

DEFAULT_PORT: Final = 4747
_MOST_PORT: Final = 65535


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    port: int = DEFAULT_PORT

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORT else f"{host}:{self.port}"


def parse_address(text: str) -> Address:
    """Raises ValueError for what is no address."""
    text = text.strip()
    if text.startswith("["):
        host, bracket, rest = text[1:].partition("]")
        if not bracket or (rest and not rest.startswith(":")) or not _is_ipv6(host):
            raise ValueError(text)
        return Address(host, _port(rest[1:])) if rest else Address(host)
    if _is_ipv6(text):
        return Address(text)
    host, colon, port = text.partition(":")
    if not host or any(char.isspace() or not char.isprintable() for char in host):
        raise ValueError(text)
    return Address(host, _port(port)) if colon else Address(host)


def _is_ipv6(text: str) -> bool:
    if not text.isprintable():  # a scope may be anything
        return False
    try:
        return ipaddress.ip_address(text).version == 6  # noqa: PLR2004  the version is the number's name
    except ValueError:
        return False


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:6]) <= _MOST_PORT):
        raise ValueError(text)
    return int(text)


class _Server(click.ParamType[Address]):
    name = "HOST[:PORT]"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Address:
        if isinstance(value, Address):
            return value
        try:
            return parse_address(str(value))
        except ValueError:
            self.fail(tell("cli.bad_address"), param, ctx)


SERVER: Final = _Server()
"""The type of an argument that names a server."""
