"""Who takes part in a tournament: entrants by number, and how it is with each.

Owns who counts as there at the start, and who has dropped out. Refuses to know rounds and scores.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from kille_net.server.called import Called, Sitter
from kille_net.server.people import Player, computer_names
from kille_net.server.tournament.saved import HERE, Entry, Number
from kille_net.wire.messages import EntryStatus, Level, Occupant
from kille_net.wire.text import name_key

__all__ = ["Entrant", "Entrants"]

_MOST_MISSED: Final = 2
"""Tables in a row, after which one has dropped out (rule C6)."""


@dataclass(slots=True, eq=False)
class Entrant:
    number: Number
    name: str
    player: Player | None
    """None: a computer, or somebody whom the server has forgotten."""
    player_id: int | None
    is_bot: bool = False
    level: str = ""
    """Of a computer."""
    status: EntryStatus = EntryStatus.SIGNED_UP
    missed: int = 0
    """Tables in a row."""
    free_since: float = 0.0

    @property
    def takes_part(self) -> bool:
        return self.status in HERE

    @property
    def hears(self) -> bool:
        """Whether it is told what happens, which also who was knocked out is."""
        return self.status is not EntryStatus.OUT

    @property
    def is_computer(self) -> bool:
        return bool(self.level)

    @property
    def is_here(self) -> bool:
        """Whether it could be called to a table now."""
        return self.is_computer or (self.player is not None and self.player.is_here)

    @property
    def occupant(self) -> Occupant:
        if self.is_computer:
            return Occupant.COMPUTER
        return Occupant.BOT if self.is_bot else Occupant.PERSON

    def called(self, level: Level) -> Called:
        """Who sits at its tables; for who takes part no more a computer of that level, which counts as nobody."""
        if self.level:
            return Sitter(self.name, Level(self.level), takes_part=True)
        if self.player is None or not self.takes_part:
            return Sitter(self.name, level, takes_part=False)
        return self.player

    def was_at(self, *, is_missing: bool) -> bool:
        """A table of its is over; whether it has dropped out by that."""
        self.missed = self.missed + 1 if is_missing else 0
        return self.missed >= _MOST_MISSED and self.takes_part

    def saved(self) -> Entry:
        return Entry(
            number=self.number,
            name=self.name,
            player=self.player_id,
            is_bot=self.is_bot,
            level=self.level,
            status=self.status,
            missed=self.missed,
        )

    @staticmethod
    def restored(entry: Entry, players: Mapping[int, Player], now: float) -> "Entrant":
        player = None if entry.player is None else players.get(entry.player)
        is_lost = player is None and not entry.level and entry.status in HERE
        return Entrant(
            entry.number,
            entry.name,
            player,
            entry.player,
            entry.is_bot,
            entry.level,
            EntryStatus.OUT if is_lost else entry.status,
            entry.missed,
            now,
        )


class Entrants:
    """By number, in the order of signing up, which is that of the seeds."""

    def __init__(self) -> None:
        self._all: dict[Number, Entrant] = {}

    def __iter__(self) -> Iterator[Entrant]:
        return iter(self._all.values())

    def __getitem__(self, number: Number) -> Entrant:
        return self._all[number]

    @property
    def known(self) -> int:
        """How many there are, also of who has dropped out."""
        return len(self._all)

    @property
    def has_players(self) -> bool:
        """Whether it is about anybody but computers, though some may be knocked out."""
        return any(one.hears and not one.is_computer for one in self)

    @property
    def taking_part(self) -> list[Entrant]:
        return [one for one in self if one.takes_part]

    @property
    def playing(self) -> list[Entrant]:
        return [one for one in self if one.status is EntryStatus.PLAYING]

    def of(self, player: Player) -> Entrant | None:
        return next((one for one in self if one.player is player), None)

    def restore(self, entrant: Entrant) -> None:
        self._all[entrant.number] = entrant

    def add(self, player: Player, status: EntryStatus, now: float) -> Entrant:
        """Whoever was here before is it again, with its number."""
        entrant = self.of(player)
        if entrant is None:
            entrant = Entrant(self._next_number, player.name, player, player.id, player.is_bot)
            self._all[entrant.number] = entrant
        entrant.status, entrant.missed, entrant.free_since = status, 0, now
        return entrant

    def add_computer(self, level: Level, status: EntryStatus, now: float) -> Entrant:
        taken = {name_key(one.name) for one in self}
        name = next(name for name in computer_names() if name_key(name) not in taken)
        entrant = Entrant(self._next_number, name, None, None, level=level.value, status=status, free_since=now)
        self._all[entrant.number] = entrant
        return entrant

    def remove(self, entrant: Entrant) -> None:
        """Of whom nothing is left but that it was there."""
        del self._all[entrant.number]

    @property
    def _next_number(self) -> Number:
        return max(self._all, default=0) + 1
