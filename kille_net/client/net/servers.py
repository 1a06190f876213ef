"""The servers that one can join, as they are found: which of them are one, by what address each is joined, and in
what order they are shown.

Owns how much of it there may be: what is heard of a server, anybody on the network can have said. Refuses to know how
it is heard, and to trust it: choosing a server is the same as typing its address.
"""

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from kille_net.client.net.trust import address_of
from kille_net.client.showing.texts import say
from kille_net.wire.announcement import Announcement

__all__ = ["HERE", "MOST_ADDRESSES", "Networks", "Place", "Server", "Servers", "Sighting", "server_line"]

HERE: Final = "127.0.0.1"
MOST_ADDRESSES: Final = 8
"""Of one sighting."""
_MOST: Final = 32
"""Servers: a table for a network that is used by others, too."""
Place: TypeAlias = tuple[str, int]
"""Host and port."""
Networks: TypeAlias = Sequence[ipaddress.IPv4Interface | ipaddress.IPv6Interface]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """What one network says of a server."""

    announcement: Announcement
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One that can be chosen."""

    place: Place
    announcement: Announcement | None = None
    """None: it is not announced."""
    is_here: bool = False
    was_last: bool = False


class Servers:
    """Hears of servers, and says which are to be shown; their numbers are those of `shown`, from 1."""

    def __init__(self, networks: Networks, *, here: int | None, last: Place | None) -> None:
        """`networks`: our own addresses; `here`: the port at which this machine answers; `last`: joined last."""
        self.shown: list[Server] = []
        self.left_out = 0
        self._networks = networks
        self._own = {str(network.ip) for network in networks}
        self._here = here
        self._last = last
        self._held: list[Sighting] = []
        """What is shown only if nothing better is heard of it."""
        self._told: dict[str, list[Place]] = {}
        """By id, where those are that are shown or left out."""

    def hear(self, sighting: Sighting) -> list[Server]:
        """What is shown of it at once: a server that has an address of our own network, and for people."""
        if not sighting.places or self._is_told(sighting):
            return []
        place = self._best(sighting)
        if self._rank(place) <= _DIRECT or self._is_here(place):
            return self._show(sighting)
        if len(self._held) < _MOST and sighting not in self._held:
            self._held.append(sighting)
        return []

    def rest(self) -> list[Server]:
        """At the end: what was held back, this machine, and the one that was joined last."""
        self._held.sort(key=lambda sighting: self._rank(self._best(sighting)))
        more = [server for sighting in self._held if not self._is_told(sighting) for server in self._show(sighting)]
        self._held.clear()
        heard = len(more)
        if self._here is not None and not any(server.place == (HERE, self._here) for server in self.shown):
            more.append(Server(place=(HERE, self._here), is_here=True, was_last=self._is_last(HERE, self._here)))
        if self._last is not None and self._last[0] != HERE and not any(server.was_last for server in self.shown):
            more.append(Server(place=self._last, was_last=True))
        self.shown += more[heard:]  # however many strangers there are
        return more

    @property
    def default(self) -> int | None:
        """The number of the one that was joined last, or else of the first."""
        lasts = [number for number, server in enumerate(self.shown, 1) if server.was_last]
        return lasts[0] if lasts else 1 if self.shown else None

    def _show(self, sighting: Sighting) -> list[Server]:
        place = self._best(sighting)
        self._told.setdefault(sighting.announcement.id, []).append(place)
        is_here = self._is_here(place)
        if is_here and place[1] == self._here:
            place = (HERE, place[1])
        return self._add(
            Server(place=place, announcement=sighting.announcement, is_here=is_here, was_last=self._is_last(*place))
        )

    def _add(self, server: Server) -> list[Server]:
        if len(self.shown) >= _MOST:
            self.left_out += 1
            return []
        self.shown.append(server)
        return [server]

    def _is_told(self, sighting: Sighting) -> bool:
        """Whether a server of this id is told of at one of these addresses, or at one of a nearer kind: a server tells
        of each of its networks apart, and is heard on others, too. That the id is the same, which is anybody's to say,
        does not do.
        """
        places = set(map(self._bare, sighting.places))
        kind = self._kind(self._best(sighting))
        told = self._told.get(sighting.announcement.id, ())
        return any(self._bare(place) in places or self._kind(place) < kind for place in told)

    def _kind(self, place: Place) -> int:
        """Of those that are likely to be reached, of IPv4 elsewhere, and of IPv6."""
        return min(max(self._rank(place), _DIRECT), _DIRECT + 2)

    def _bare(self, place: Place) -> Place:
        """Without the link by which it is reached; this machine is one, whatever its addresses."""
        return HERE if self._is_here(place) else place[0].partition("%")[0], place[1]

    def _best(self, sighting: Sighting) -> Place:
        return min(sighting.places, key=self._rank)

    def _is_here(self, place: Place) -> bool:
        return place[0].partition("%")[0] in self._own

    def _is_last(self, host: str, port: int) -> bool:
        return self._last is not None and address_of(*self._last) == address_of(host, port)

    def _rank(self, place: Place) -> int:
        """The lower the better."""
        if self._is_last(*place):
            return 0
        address = ipaddress.ip_address(place[0].partition("%")[0])
        if address.version == 4:  # noqa: PLR2004  the version of an address is its name
            return _DIRECT if any(address in network.network for network in self._networks) else _DIRECT + 1
        return _DIRECT + (3 if address.is_link_local else 2)


_DIRECT: Final = 1
"""The rank of an address that is short, and reached without a router."""


def server_line(number: int, server: Server, lang: str) -> str:
    """A server as a line of the list."""
    announcement = server.announcement
    marks = [
        ("find.here", server.is_here),
        ("find.last", server.was_last),
        ("find.password", announcement is not None and announcement.wants_password),
        ("find.plain", announcement is not None and not announcement.in_tls),
        ("find.version", announcement is not None and not announcement.is_spoken),
    ]
    name = "" if announcement is None else announcement.name
    return say(
        lang,
        "find.line",
        number=number,
        name=name or say(lang, "find.unnamed"),
        address=address_of(*server.place),
        marks="".join(say(lang, key) for key, is_so in marks if is_so),
    )
