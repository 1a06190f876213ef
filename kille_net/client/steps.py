"""What a bot's errand says is to be done, or has come about, as values.

Refuses to know when.
"""

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from kille_net.client.shuffling import Remark
from kille_net.game.events import Event
from kille_net.game.views import View
from kille_net.wire import messages as wire

__all__ = [
    "Asks",
    "Awaits",
    "CalledOff",
    "Entered",
    "Finished",
    "Later",
    "MatchOver",
    "NewMatch",
    "Placed",
    "Question",
    "Rejected",
    "Saw",
    "SignedUp",
    "Step",
    "Told",
    "TurnedAway",
]


class TurnedAway(Exception):
    """The room, or the tournament, cannot be entered."""

    def __init__(self, room: str, code: wire.RefusalCode) -> None:
        super().__init__(f"{code.value}: {room}")
        self.room = room
        self.code = code


class Asks(Enum):
    """What a bot is asked."""

    DECIDE = "decide"
    CALL_KUKU = "call_kuku"


@dataclass(frozen=True, slots=True)
class Entered:
    """The bot sits in a room."""

    room: wire.RoomState
    name: str
    """What the bot is called there."""
    is_made: bool
    """By the bot itself."""


@dataclass(frozen=True, slots=True)
class NewMatch:
    """A match begins, or is met under way: time for a fresh bot."""


@dataclass(frozen=True, slots=True)
class Saw:
    """The bot's seat saw this."""

    event: Event


@dataclass(frozen=True, slots=True)
class Question:
    """The bot is to be asked; what it says goes to `Errand.answer`."""

    asks: Asks
    match: int
    """Which of those that the bot has met: an answer is to no other."""
    turn: int
    view: View
    seq: int
    """The last event that the view holds."""


@dataclass(frozen=True, slots=True)
class MatchOver:
    """A match was played, or broken off (no winner)."""

    number: int
    names: tuple[str, ...]
    points: tuple[int, ...]
    winner: str | None


@dataclass(frozen=True, slots=True)
class SignedUp:
    """The bot takes part in a tournament."""

    tournament: str


@dataclass(frozen=True, slots=True)
class Awaits:
    """There is no such tournament yet."""

    tournament: str
    others: tuple[str, ...] = ()
    """Some that there are."""


@dataclass(frozen=True, slots=True)
class Placed:
    """The tournament is over, or over for the bot, which stands there."""

    tournament: str
    kind: wire.TournamentKind
    row: wire.StandingLine


@dataclass(frozen=True, slots=True)
class CalledOff:
    """The tournament is."""

    tournament: str
    why: str


@dataclass(frozen=True, slots=True)
class Finished:
    """Nothing is left to do here."""

    removed: wire.News | None
    """Why the seat is lost: the host took it, or the room is gone."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """The server did not take an answer of the bot's, which came too late. (One that a Kuku overtook is no fault.)"""

    code: wire.RefusalCode


@dataclass(frozen=True, slots=True)
class Later:
    """To be sent in a while: it is too early, or the server had too much of us (protocol/v1/protocol.md §8.3)."""

    message: wire.ClientMessage
    seconds: float = 1.0


Told: TypeAlias = Entered | MatchOver | Rejected | Remark | SignedUp | Awaits | Placed | CalledOff
"""What whoever runs the bot may want to know."""
Step: TypeAlias = wire.ClientMessage | NewMatch | Saw | Question | Later | Finished | Told
