"""Whose ticket is which (protocol/v1/protocol.md §4.5): what a player shows to come back.

Owns digests only, never a ticket. Refuses to draw tickets, and to know who may try how often.
"""

from hashlib import sha256
from hmac import compare_digest
from typing import Final

from kille_net.server.people import Player

__all__ = ["Tickets"]

_NOBODYS: Final = bytes(32)
"""Compared where there is no digest, so that each refusal costs the same."""


class Tickets:
    """Of a player up to two are good: the last one given, and the one before until the last is known to have come."""

    def __init__(self) -> None:
        self._players: dict[bytes, Player] = {}
        self._digests: dict[Player, tuple[bytes, ...]] = {}

    def find(self, ticket: str) -> Player | None:
        """Who is known by it.

        What is looked up is a digest: how long that takes says nothing about a ticket.
        """
        digest = _digest(ticket)
        player = self._players.get(digest)
        kept = () if player is None else self._digests[player]
        good = [compare_digest(digest, one) for one in (*kept, _NOBODYS, _NOBODYS)[:2]]
        return player if any(good) else None

    def give(self, player: Player, ticket: str, shown: str | None = None) -> None:
        """From now on this one is the player's, and the one that it has just shown, if any."""
        digests = (_digest(ticket),) if shown is None else (_digest(shown), _digest(ticket))
        self._keep(player, digests)

    def confirm(self, player: Player) -> None:
        """The last one has come: it alone is good."""
        self._keep(player, self._digests[player][-1:])

    def digests(self, player: Player) -> tuple[bytes, ...]:
        """Of the tickets that are good, the last one last."""
        return self._digests.get(player, ())

    def restore(self, player: Player, digests: tuple[bytes, ...]) -> None:
        """As they were."""
        self._keep(player, digests)

    def drop(self, player: Player) -> None:
        """None is good any more."""
        self._keep(player, ())

    def _keep(self, player: Player, digests: tuple[bytes, ...]) -> None:
        for digest in self._digests.pop(player, ()):
            del self._players[digest]
        if digests:
            self._digests[player] = digests
            self._players.update(dict.fromkeys(digests, player))


def _digest(ticket: str) -> bytes:
    return sha256(ticket.encode("ascii")).digest()
