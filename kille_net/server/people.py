"""Who may sit in a room: players, and the computers that sit beside them or in for them.

Owns identities and chairs. Refuses to know what is played, and how anybody is reached.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Final, Protocol, runtime_checkable

from kille_net.game.actions import Action
from kille_net.game.events import Event
from kille_net.game.views import View
from kille_net.server.answers import Answers
from kille_net.server.timing import Bucket
from kille_net.wire.messages import Occupant, SeatState

__all__ = ["COMPUTER_NAMES", "Chair", "Computer", "Player", "Searcher", "computer_names"]

_RETURN_RATE: Final = 0.5
_RETURN_BURST: Final = 10

COMPUTER_NAMES = ("Movitz", "Ulla", "Mollberg", "Norström", "Fredman", "Wingmark", "Bergström", "Cajsa Stina")
"""What computers are called, one name for each seat; from the taverns in which the game was played."""


def computer_names() -> Iterator[str]:
    """As many as are needed where there are more computers than a table has seats."""
    return (name if turn == 1 else f"{name} {turn}" for turn in count(1) for name in COMPUTER_NAMES)


class Computer(Protocol):
    """What a computer's decisions come from (`kille_net.bots.Bot`). It is shown what its seat may know, and no more."""

    @property
    def listens(self) -> bool: ...
    def decide(self, view: View) -> Action: ...
    def calls_kuku(self, view: View) -> bool: ...
    def saw(self, event: Event) -> None: ...


@runtime_checkable
class Searcher(Protocol):
    """A computer that takes long to decide, and so has another answer for whoever cannot wait."""

    def at_once(self, view: View) -> Action: ...


@dataclass(slots=True, eq=False)
class Player:
    """An identity on this server, whatever becomes of its connection."""

    id: int
    """Its own for ever."""
    name: str
    is_bot: bool
    has_played: bool = False
    """Whether it ever sat at a match."""
    is_here: bool = True
    """Whether it is connected."""
    is_done: bool = False
    """Whether it said itself that it had finished, and so is not waited for."""
    answers: Answers = field(default_factory=Answers, repr=False)
    returns: Bucket = field(default_factory=lambda: Bucket(_RETURN_RATE, _RETURN_BURST), repr=False)
    """How often it may come back: its room is told each time."""


@dataclass(slots=True, eq=False)
class Chair:
    """A seat of a room and who sits on it."""

    player: Player | None = None
    computer: Computer | None = field(default=None, repr=False)
    """Who decides: a computer of its own, one that took the seat over, or a stand-in for an absent player."""
    computer_name: str = ""
    computer_level: str = ""
    is_ready: bool = False
    away_since: float | None = None
    is_for_match: bool = False
    """Whether the computer took the seat of somebody who left, for the rest of the match."""

    @property
    def searcher(self) -> Searcher | None:
        """Who decides, if that takes long. To ask it of a computer takes long, too."""
        computer = self.computer
        return computer if computer is not None and isinstance(computer, Searcher) else None

    @property
    def is_empty(self) -> bool:
        return self.player is None and self.computer is None

    @property
    def is_here(self) -> bool:
        """Whether a player sits here who can be asked."""
        return self.player is not None and self.away_since is None

    @property
    def is_absent(self) -> bool:
        """Whether nobody decides: the rules' defaults do."""
        return self.away_since is not None and self.computer is None

    @property
    def is_computers_own(self) -> bool:
        """Whether a computer sits here for nobody else."""
        return self.player is None and self.computer is not None and not self.is_for_match

    @property
    def wants_time(self) -> bool:
        """Whether a person plays here, for whom a table takes its time."""
        return self.player is not None and not self.player.is_bot and self.computer is None

    @property
    def name(self) -> str:
        return self.computer_name if self.player is None else self.player.name

    @property
    def occupant(self) -> Occupant:
        if self.player is not None:
            return Occupant.BOT if self.player.is_bot else Occupant.PERSON
        return Occupant.EMPTY if self.computer is None else Occupant.COMPUTER

    def take_back(self) -> None:
        """The player is here again: what played for it goes."""
        if self.is_here:
            self.computer = None

    def state(self, away: int | None) -> SeatState:
        """`away`: as it is told (`Seating.waits_for`)."""
        return SeatState(
            occupant=self.occupant,
            name=self.name,
            ready=self.is_ready,
            away=away,
        )

    def seat_player(self, player: Player) -> None:
        self.clear()
        self.player = player

    def seat_computer(self, computer: Computer, name: str, level: str, *, for_match: bool = False) -> None:
        self.clear()
        self.computer = computer
        self.computer_name = name
        self.computer_level = level
        self.is_for_match = for_match
        self.is_ready = True

    def clear(self) -> None:
        self.player = None
        self.computer = None
        self.computer_name = ""
        self.computer_level = ""
        self.is_ready = False
        self.away_since = None
        self.is_for_match = False
