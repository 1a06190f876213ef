"""Who may be connected: how many in all and from one address, before the welcome and after it.

Owns the counts. Refuses to know sockets, and what is said to whoever is not let in.
"""

from collections import Counter

from kille_net.server.limits import Limits

__all__ = ["Admission", "Entry"]


class Admission:
    """Counts the connections that there are; each gives its place back, however it ends (`Entry.leave`)."""

    def __init__(self, limits: Limits, most: int) -> None:
        """`most`: connections in all, should there be fewer than the limits allow."""
        self._limits = limits
        self._most = min(limits.connections, most)
        self._greeting: Counter[str] = Counter()
        self._welcomed: Counter[str] = Counter()

    @property
    def greeting(self) -> int:
        """Connections that are not yet welcomed."""
        return self._greeting.total()

    @property
    def connections(self) -> int:
        return self.greeting + self._welcomed.total()

    def enter(self, address: str, *, is_near: bool) -> "Entry | None":
        """A place for one more connection; None: there is none for it now.

        `is_near`: of this machine, whose address is everybody's on it, and does not count.
        """
        if self.connections >= self._most or self.greeting >= self._limits.greeting_connections:
            return None
        if not is_near and self._greeting[address] >= self._limits.greeting_connections_of_address:
            return None
        self._greeting[address] += 1
        return Entry(self, address, is_near=is_near)

    def _welcome(self, address: str, *, is_near: bool) -> bool:
        if not is_near and self._welcomed[address] >= self._limits.connections_of_address:
            return False
        _take_one(self._greeting, address)
        self._welcomed[address] += 1
        return True

    def _leave(self, address: str, *, is_welcomed: bool) -> None:
        _take_one(self._welcomed if is_welcomed else self._greeting, address)


class Entry:
    """The place of one connection."""

    def __init__(self, admission: Admission, address: str, *, is_near: bool) -> None:
        self._admission = admission
        self._address = address
        self._is_near = is_near
        self._is_welcomed = False
        self._has_left = False

    def welcome(self) -> bool:
        """Whether the connection may be welcomed; if so, it counts as that from now on."""
        if not self._is_welcomed:
            self._is_welcomed = self._admission._welcome(self._address, is_near=self._is_near)
        return self._is_welcomed

    def leave(self) -> None:
        """Give the place back, once."""
        if not self._has_left:
            self._has_left = True
            self._admission._leave(self._address, is_welcomed=self._is_welcomed)


def _take_one(counts: Counter[str], address: str) -> None:
    """Addresses of nobody are not kept."""
    counts[address] -= 1
    if not counts[address]:
        del counts[address]
