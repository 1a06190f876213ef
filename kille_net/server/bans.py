"""Who is not let in: names and addresses that whoever runs the server has banned.

Owns the list and how a name or an address is looked up in it. Refuses to know where it is kept.
"""

from collections.abc import Iterable

from kille_net.server.addresses import block_of
from kille_net.wire.text import name_key, valid_name

__all__ = ["BanList"]


class BanList:
    """`bans` is all of it: names as they were written, and addresses (IPv6: the first of 2^64, with `/64`)."""

    def __init__(self, bans: Iterable[str] = ()) -> None:
        self._bans: dict[str, str] = {}  # what is looked up → what was banned
        for one in bans:
            self.add(one)

    @property
    def bans(self) -> tuple[str, ...]:
        return tuple(self._bans.values())

    def add(self, text: str) -> str:
        """Ban a name or an address; what the list holds of it now. Raises ValueError for what is neither."""
        key, shown = _key(text)
        self._bans[key] = shown
        return shown

    def remove(self, text: str) -> str | None:
        """What the list held of it; None: nothing. Raises ValueError for what is neither a name nor an address."""
        return self._bans.pop(_key(text)[0], None)

    def has(self, name: str, block: str) -> bool:
        """Whether whoever is called so, or comes from there, is banned; `block`: as `block_of` gives it."""
        return block in self._bans or f"name {name_key(name)}" in self._bans


def _key(text: str) -> tuple[str, str]:
    try:
        block = block_of(text.removesuffix("/64"))
    except ValueError:
        name = valid_name(text)
        if name is None:
            raise ValueError(text) from None
        return f"name {name_key(name)}", name
    return block, block
