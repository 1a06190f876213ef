"""Who has no seat, is not here and may come back, and until when.

Owns the order in which they are forgotten. Refuses to know what is then forgotten of them.
"""

from collections import OrderedDict

from kille_net.server.people import Player

__all__ = ["Absent"]


class Absent:
    """Who is added later may be waited for as long as who was added before, but not less long."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._until: OrderedDict[Player, float] = OrderedDict()  # whose first is found at once, however many have gone

    def __contains__(self, player: Player) -> bool:
        return player in self._until

    @property
    def until(self) -> float | None:
        """How long the first is waited for; None: nobody is."""
        return next(iter(self._until.values()), None)

    @property
    def first(self) -> Player:
        """Who is waited for the shortest; there must be somebody."""
        return next(iter(self._until))

    @property
    def is_too_full(self) -> bool:
        return len(self._until) > self._most

    def add(self, player: Player, until: float) -> None:
        self._until[player] = until

    def drop(self, player: Player) -> None:
        self._until.pop(player, None)
