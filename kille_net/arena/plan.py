"""What an arena is to play: who sits where, by which rules, with which packs.

Owns the design. A *block* is a match in every rotation of the bots round the table, so that each bot has had each seat
equally often; blocks are independent of each other, and the unit of every statistic.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from kille_net.arena.programs import is_program, label_of
from kille_net.arena.sprt import Hypotheses
from kille_net.bots import BUILT_IN
from kille_net.game.rules import Ruleset
from kille_net.game.shuffle import Seeded, match_id_of

__all__ = ["Design", "Plan", "labels_of"]


class Design(StrEnum):
    """Whose packs a match is played with."""

    DUPLICATE = "duplicate"
    """Those of its block: each bot has had every seat's luck, too."""
    BALANCED = "balanced"
    """Its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All that the numbers of an arena depend on; plain values, so that it can be sent to a worker."""

    bots: tuple[str, ...]
    """As `bots.load` takes them, or `programs`; fewer than seats are repeated round the table."""
    seats: int
    rules: Ruleset
    seed: str
    blocks: int
    seconds: float
    """For one decision of a bot that is not built in."""
    ready: float = 10.0
    """Seconds for such a bot to be loaded, and again to be made and ready for a match."""
    logs: str | None = None
    """The folder for what such bots print; None: some of it goes to standard error."""
    design: Design = Design.DUPLICATE
    test: Hypotheses | None = None
    """Of how much more share the first bot has than the second; it may end the run early."""

    @property
    def labels(self) -> tuple[str, ...]:
        return labels_of(self.bots)

    @property
    def rotations(self) -> int:
        """Matches of a block: as many as the table has different ones."""
        return len(self.bots) if self.seats % len(self.bots) == 0 else self.seats

    @property
    def matches(self) -> int:
        return self.blocks * self.rotations

    def player_at(self, seat: int, rotation: int) -> int:
        """Which place of the unrotated table sits there."""
        return (seat + rotation) % self.seats

    def bot_of(self, player: int) -> int:
        """Which of the bots a place of the unrotated table has."""
        return player % len(self.bots)

    @property
    def lineup(self) -> tuple[int, ...]:
        """Which of the bots sits where, unrotated."""
        return tuple(self.bot_of(player) for player in range(self.seats))

    def packs_of(self, block: int) -> bytes | None:
        """16 bytes, the same for the whole block: with the seed they make the packs. None: each match has its own."""
        return match_id_of(self.seed, block) if self.design is Design.DUPLICATE else None

    def whims_of(self, block: int, rotation: int) -> str:
        """What seeds all that the bots draw in that match."""
        return f"{self.seed}/{block}" if self.design is Design.DUPLICATE else f"{self.seed}/{block}/{rotation}"

    def chance(self, block: int, rotation: int) -> Seeded:
        """Of one match."""
        return Seeded(self.seed, self.match_id(block, rotation), self.packs_of(block))

    def match_id(self, block: int, rotation: int) -> bytes:
        """16 bytes, of one match."""
        return match_id_of(f"{self.seed}/{rotation}", block)

    def match_number(self, block: int, rotation: int) -> int:
        """Counts the matches from 1."""
        return block * self.rotations + rotation + 1


def labels_of(bots: Sequence[str]) -> tuple[str, ...]:
    """A short name for each, no two alike."""
    short = [name if name in BUILT_IN else _short(name) for name in bots]
    alike = Counter(short)
    labels: list[str] = []
    for name in short:
        labels.append(
            name if alike[name] == 1 else f"{name}#{1 + sum(other.split('#')[0] == name for other in labels)}"
        )
    return tuple(labels)


def _short(name: str) -> str:
    if is_program(name):
        return label_of(name)
    file, colon, inside = name.rpartition(".py:")
    return f"{Path(file).name}:{inside}" if colon else Path(name).stem
