"""Tells who takes part in a tournament, who follows it, and whoever runs the server, what happens there
(protocol/v1/protocol.md §6.13).

Owns who hears of it. Refuses to know what follows.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypedDict, Unpack

from msgspec.structs import replace

from kille_net.server.effects import Effect, Milestone, Note, Tell
from kille_net.server.scheduling.entrants import Entrant, Entrants
from kille_net.wire.messages import EntryStatus, Happening, TournamentNews

if TYPE_CHECKING:
    from kille_net.server.people import Player

__all__ = ["Crier", "Details"]


class Details(TypedDict, total=False):
    """What a piece of news says beside what it is; as in `TournamentNews`."""

    who: str
    round: int
    table: int
    room: str
    s: int
    seats: tuple[str, ...]
    places: tuple[int, ...]
    text: str


class Crier:
    def __init__(self, tournament: str, entrants: Entrants, say: Callable[[Effect], None]) -> None:
        """`say` takes what is to be told, in order."""
        self.followers: Final[set[Player]] = set()
        self._entrants = entrants
        self._say = say
        self._plain = TournamentNews(
            tournament=tournament,
            news=Happening.BEGAN,
            who="",
            round=0,
            table=0,
            room="",
            s=0,
            seats=(),
            places=(),
            text="",
        )

    def tell(self, news: Happening, **details: Unpack[Details]) -> None:
        """To all."""
        own = {one.player for one in self._entrants if one.hears and one.player is not None}
        audience = tuple(sorted(own | self.followers, key=lambda player: player.id))
        if audience:
            self._say(Tell(audience, replace(self._plain, news=news, **details)))

    def tell_one(self, one: Entrant, news: Happening, **details: Unpack[Details]) -> None:
        if one.player is not None and one.hears:
            self._say(Tell((one.player,), replace(self._plain, news=news, who=one.name, **details)))

    def note(self, milestone: Milestone, **details: Any) -> None:  # noqa: ANN401 -- as `Note` has them
        """To whoever runs the server."""
        self._say(Note(milestone, tournament=self._plain.tournament, **details))

    def drop_out(self, one: Entrant) -> None:
        """It takes part no more, and that was not its wish."""
        self.tell(Happening.DROPPED_OUT, who=one.name)
        one.status = EntryStatus.OUT
