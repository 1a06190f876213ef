"""What a server says of itself to its own network, so that it is found there without its address
(protocol/discovery.md).

Owns the names of what is said, and the one reading of it: whoever is on the network can say anything. Refuses to know
how it is carried.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from kille_net.wire.messages import VERSIONS
from kille_net.wire.text import safe_text

__all__ = ["ID_DIGITS", "NAME_CELLS", "SERVICE", "Announcement"]

SERVICE: Final = "_kille._tcp.local."
"""The type of the service, as DNS-SD has it."""
ID_DIGITS: Final = 16
NAME_CELLS: Final = 32
_MOST_BYTES: Final = 240
"""Of one value: with its name it has to fit into 255."""
_MOST_VERSIONS: Final = 16
_DIGITS: Final = frozenset("0123456789abcdef")
_YES_NO: Final[Mapping[str, bool]] = {"1": True, "0": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """Nobody vouches for it: that a server is the one that it was, its key shows."""

    id: str
    """The same on all addresses of a server: the first hexadecimal digits of its key's fingerprint."""
    name: str
    """Fit for a terminal; may be empty."""
    versions: tuple[int, ...]
    """Of the protocol, that it speaks."""
    wants_password: bool
    in_tls: bool

    @property
    def is_spoken(self) -> bool:
        """Whether we have a version in common."""
        return not set(VERSIONS).isdisjoint(self.versions)

    def properties(self) -> dict[str, str]:
        """As the TXT record has it."""
        return {
            "txtvers": "1",
            "id": self.id,
            "name": self.name.encode()[:_MOST_BYTES].decode("utf-8", "ignore"),
            "versions": ",".join(str(version) for version in self.versions),
            "password": "1" if self.wants_password else "0",
            "tls": "1" if self.in_tls else "0",
        }

    @classmethod
    def read(cls, properties: Mapping[bytes, bytes | None]) -> "Announcement | None":
        """What was said; None: it is none of a server of ours. What is said besides is for later versions."""
        said = {name: _text(properties.get(name.encode())) for name in ("id", "name", "versions", "password", "tls")}
        versions = said["versions"].split(",")[:_MOST_VERSIONS]
        if len(said["id"]) != ID_DIGITS or not _DIGITS.issuperset(said["id"]):
            return None
        if not all(version.isascii() and version.isdigit() for version in versions):
            return None
        if said["password"] not in _YES_NO or said["tls"] not in _YES_NO:
            return None
        return cls(
            id=said["id"],
            name=safe_text(said["name"], NAME_CELLS),
            versions=tuple(int(version[:9]) for version in versions),
            wants_password=_YES_NO[said["password"]],
            in_tls=_YES_NO[said["tls"]],
        )


def _text(value: bytes | None) -> str:
    return (value or b"")[:_MOST_BYTES].decode("utf-8", "replace")
