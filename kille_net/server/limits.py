"""How much a server bears, as one value (hardening.md, part 1)."""

from dataclasses import dataclass

from kille_net.wire import CLIENT_LIMIT

__all__ = ["Limits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Times are in seconds."""

    hello: float = 5.0
    """From the connecting to the end of the hello."""
    frame: float = 5.0
    """From the first byte of a frame to its last."""
    write: float = 5.0
    """Until what was said has been taken."""
    ping: float = 5.0
    """Without a byte from the other end, until it is asked whether it is there…"""
    silence: float = 15.0
    """…and until it is held for dead."""
    outbox_messages: int = 64
    outbox_bytes: int = 65_536
    greeting_outbox_bytes: int = 4096
    """Before the welcome."""
    commands_per_second: int = 10
    commands_burst: int = 20
    strikes: int = 3
    """Commands beyond those, until the connection ends."""
    chat_lines: int = 10
    chat_characters: int = 1000
    chat_seconds: float = 10.0
    connections: int = 256
    connections_of_address: int = 64
    """Welcomed ones, of one address; those of this machine are not counted so…"""
    greeting_connections: int = 32
    """Not yet welcomed, in all…"""
    greeting_connections_of_address: int = 8
    """…and of one address, but for this machine's."""
    turned_away: int = 32
    """Peers at a time that there is no place for and that may still read why."""
    reserved_files: int = 64
    """File descriptors that are not for peers; those who are turned away are among them."""
    rooms: int = 256
    watchers: int = 64
    """In one room."""
    away: float = 120.0
    """Until a computer stands in for a player whose line was lost; until one without a match is forgotten."""
    empty: float = 600.0
    """Until a match is broken off whose players are all away."""
    absent: int = 1024
    """Players without a seat who may come back."""
    ticket_failures: int = 10
    """From one address, until no ticket is looked at…"""
    ticket_lock: float = 60.0
    """…for so long."""

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
