"""Whether a server is the one that it was: the keys that a client has met, and what it does about others (§2.4).

Owns the file of known servers. Refuses to know connections, and how its choices are shown.
"""

import ipaddress
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Final

from kille_net.files import read_file
from kille_net.wire.fingerprint import SIZE

__all__ = ["FILE", "BadKnownServers", "Distrust", "KeyChanged", "NotEncrypted", "Privacy", "Trust", "address_of"]

FILE: Final = "known_servers"
_MOST_BYTES: Final = 4 << 20
"""Some 40,000 servers."""


class Privacy(Enum):
    """What is spoken, where no key is known."""

    AS_FAR = "as_far"
    """TLS to other machines, plain text on this one."""
    TLS = "tls"
    PLAIN = "plain"


class Distrust(Exception):
    """The server is not to be talked to, until the user has decided."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.address = address


class KeyChanged(Distrust):
    def __init__(self, address: str, *, old: bytes, new: bytes) -> None:
        super().__init__(address)
        self.old = old
        self.new = new


class NotEncrypted(Distrust):
    """It would be plain text, which was not asked for or must not follow on TLS."""

    def __init__(self, address: str, *, is_known: bool) -> None:
        super().__init__(address)
        self.is_known = is_known


class BadKnownServers(Distrust):
    """The file can't be read or written: with it, what is known would be forgotten."""

    def __init__(self, address: str, path: Path, why: str) -> None:
        super().__init__(address)
        self.path = path
        self.why = why


def address_of(host: str, port: int) -> str:
    """As a person types it, and as the file has it."""
    try:
        host = ipaddress.ip_address(host).compressed
    except ValueError:
        host = host.lower().rstrip(".")
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _is_near(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    file: Path | None = None
    """Where keys are kept: one line a server, address and fingerprint, the last one counts. None: nowhere."""
    privacy: Privacy = Privacy.AS_FAR
    takes_changed: bool = False
    """The user says that a server is to be taken as it is now."""
    is_near: Callable[[str], bool] = _is_near
    """Which hosts are this machine."""

    def wants_tls(self, host: str, port: int) -> bool:
        """Raises NotEncrypted and BadKnownServers."""
        is_known = self.known(host, port) is not None
        if self.privacy is Privacy.PLAIN:
            if is_known and not self.takes_changed:
                raise NotEncrypted(address_of(host, port), is_known=True)
            return False
        return is_known or self.privacy is Privacy.TLS or not self.is_near(host)

    def check(self, host: str, port: int, fingerprint: bytes) -> bool:
        """Whether the key is new, and kept from now on. Raises KeyChanged and BadKnownServers."""
        old = self.known(host, port)
        if old == fingerprint:
            return False
        if old is not None and not self.takes_changed:
            raise KeyChanged(address_of(host, port), old=old, new=fingerprint)
        self.keep(address_of(host, port), fingerprint)
        return True

    def once_met(self) -> "Trust":
        """For coming back to a server: that it may have changed was said of the first time only."""
        return self if self.privacy is Privacy.PLAIN else replace(self, takes_changed=False)

    def known(self, host: str, port: int) -> bytes | None:
        """The fingerprint that the server had. Raises BadKnownServers."""
        address = address_of(host, port)
        return self.all_known(address).get(address)

    def all_known(self, address: str = "") -> dict[str, bytes]:
        """By address, the fingerprints that servers had. Raises BadKnownServers, about that one."""
        found: dict[str, bytes] = {}
        for number, line in enumerate(self._lines(address), 1):
            name, _, digits = line.partition(" ")
            if not line or line.startswith("#"):
                continue
            try:
                fingerprint = bytes.fromhex(digits)
            except ValueError:
                fingerprint = b""
            if len(fingerprint) != SIZE:  # it may be the one that is asked for
                raise self._bad(address, f"line {number}")
            found[name] = fingerprint
        return found

    def _lines(self, address: str) -> list[str]:
        if self.file is None:
            return []
        try:
            return read_file(self.file, _MOST_BYTES).decode("utf-8", "replace").splitlines()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise self._bad(address, error.strerror or "") from error

    def keep(self, address: str, fingerprint: bytes) -> None:
        """The server has this key from now on: by one write at the end of the file, so that several clients do not undo
        each other. Raises BadKnownServers.
        """
        if self.file is None:
            return
        try:
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(self.file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with open(descriptor, "wb", buffering=0) as file:
                file.write(f"{address} {fingerprint.hex()}\n".encode())
        except OSError as error:
            raise self._bad(address, error.strerror or "") from error

    def _bad(self, address: str, why: str) -> BadKnownServers:
        assert self.file is not None
        return BadKnownServers(address, self.file, why)
