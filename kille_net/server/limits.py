"""How much a server bears, as one value."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Final, TypeAlias, get_args, get_type_hints

from msgspec import Meta

from kille_net.wire import CLIENT_LIMIT

__all__ = ["BOUNDS", "Bound", "Limits"]

Seconds: TypeAlias = Annotated[float, Meta(ge=0.1, le=86_400.0)]
Count: TypeAlias = Annotated[int, Meta(ge=1, le=1_000_000)]
Bytes: TypeAlias = Annotated[int, Meta(ge=4096, le=16_777_216)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Each has one of the three types above, which says what it is counted in and how far it may go."""

    hello: Seconds = 5.0
    """From the connecting to the end of the hello."""
    frame: Seconds = 5.0
    """From the first byte of a frame to its last."""
    write: Seconds = 5.0
    """Until what was said has been taken."""
    ping: Seconds = 5.0
    """Without a byte from the other end, until it is asked whether it is there…"""
    silence: Seconds = 15.0
    """…and until it is held for dead."""
    outbox_messages: Count = 64
    outbox_bytes: Bytes = 65_536
    greeting_outbox_bytes: Bytes = 4096
    """Before the welcome."""
    commands_per_second: Count = 10
    commands_burst: Count = 20
    strikes: Count = 3
    """Commands beyond those, until the connection ends…"""
    pause: Seconds = 1.0
    """…and how long nothing is read after each."""
    chat_lines: Count = 10
    chat_characters: Count = 1000
    chat_seconds: Seconds = 10.0
    connections: Count = 256
    connections_of_address: Count = 64
    """Welcomed ones, of one address; those of this machine are not counted so…"""
    greeting_connections: Count = 32
    """Not yet welcomed, in all…"""
    greeting_connections_of_address: Count = 8
    """…and of one address, but for this machine's."""
    turned_away: Count = 32
    """Peers at a time that there is no place for and that may still read why."""
    reserved_files: Count = 64
    """File descriptors that are not for peers; those who are turned away are among them."""
    rooms: Count = 256
    rooms_of_player: Count = 5
    """That a player has made and that are still there."""
    tables: Count = 64
    """Of tournaments, at a time, beside those rooms."""
    tournaments: Count = 16
    """That are not over…"""
    tournaments_of_player: Count = 2
    """…and that a player has made."""
    watchers: Count = 64
    """In one room."""
    away: Seconds = 120.0
    """Until a computer stands in for a player whose line was lost; until one without a match is forgotten."""
    empty: Seconds = 600.0
    """Until a match is broken off whose players are all away."""
    absent: Count = 1024
    """Players without a seat who may come back."""
    quick: Seconds = 20.0
    """Until a table that gathers players begins, with computers for whoever is missing."""
    gather: Seconds = 15.0
    """After a restart, until a match goes on without those who are not back."""
    name_kept_days: Count = 30
    """Until a person is forgotten who has played, whose name and ticket are good until then."""
    names: Count = 10_000
    """Those of whom there are so many."""
    ticket_failures: Count = 10
    """From one address, until no ticket is looked at…"""
    ticket_lock: Seconds = 60.0
    """…for so long."""
    password_failures: Count = 5
    """From one address, until no password is looked at…"""
    password_lock: Seconds = 60.0
    """…for so long. Passwords that are right are not counted."""

    drain: Seconds = 30.0
    """For the hands that are under way when the server is told to stop."""

    def settings(self, *, is_loopback: bool) -> dict[str, int]:
        """What a client is told (protocol/v1/protocol.md §9)."""
        return {
            "max_frame": CLIENT_LIMIT,
            "ping_ms": round(self.ping * 1000),
            "silence_ms": round(self.silence * 1000),
            "commands_per_s": 0 if is_loopback else self.commands_per_second,
            "commands_burst": self.commands_burst,
            "chat_lines": self.chat_lines,
            "chat_chars": self.chat_characters,
            "away_ms": round(self.away * 1000),
            "empty_ms": round(self.empty * 1000),
        }


@dataclass(frozen=True, slots=True)
class Bound:
    """How far one limit may be moved."""

    unit: str
    """`seconds`, `counts` or `bytes`."""
    least: float
    most: float

    @property
    def is_whole(self) -> bool:
        return isinstance(self.least, int)


_UNITS: Final = ((Seconds, "seconds"), (Count, "counts"), (Bytes, "bytes"))


def _bound(hint: object) -> Bound:
    unit = next(unit for kind, unit in _UNITS if kind == hint)
    _, meta = get_args(hint)
    return Bound(unit, meta.ge, meta.le)


BOUNDS: Final[Mapping[str, Bound]] = MappingProxyType(
    {name: _bound(hint) for name, hint in get_type_hints(Limits, include_extras=True).items()}
)
"""Of every limit by its name, in their order."""
