"""Tells a room's people what happens in it: each event once, with its number, and no card to whom it may not be shown.

Owns the sequence numbers and who hears which form of an event. Refuses to know streams and time.
"""

from collections.abc import Callable, Collection, Sequence

from kille_net.game import events
from kille_net.game.views import privy, redact
from kille_net.server.effects import Effect, Keep, Note, Save, Search, Tell
from kille_net.server.people import Chair, Player
from kille_net.server.saving import Change
from kille_net.translate import to_event
from kille_net.wire.messages import RoomEvent, ServerMessage

__all__ = ["Herald"]


class Herald:
    """Collects effects until they are taken; what was not taken can be unsaid."""

    def __init__(self, chairs: Sequence[Chair]) -> None:
        self._chairs = chairs
        self._effects: list[Effect] = []
        self._taken_seq = 0
        self._audience: tuple[Player, ...] = ()
        self._watchers: tuple[Player, ...] = ()
        self._seats: tuple[tuple[int, Player], ...] = ()
        self.seq = 0
        """Number of the last event."""

    @property
    def has_told(self) -> bool:
        """Whether there were events since it was last taken."""
        return self.seq != self._taken_seq

    def restore(self, seq: int) -> None:
        """Go on after that event."""
        self.seq = self._taken_seq = seq

    def listen(self, watchers: Sequence[Player]) -> None:
        """Take note of who is in the room now."""
        seated = ((seat, chair.player) for seat, chair in enumerate(self._chairs) if chair.is_here)
        self._seats = tuple((seat, player) for seat, player in seated if player is not None)
        self._watchers = tuple(watchers)
        self._audience = (*(player for _, player in self._seats), *watchers)

    def tell(self, player: Player, message: ServerMessage) -> None:
        self._effects.append(Tell((player,), message))

    def tell_all(self, make: Callable[[int], RoomEvent], besides: Player | None = None) -> None:
        """The event that `make` makes of the next number, to all in the room, and to somebody who has just gone."""
        self.seq += 1
        audience = self._audience if besides is None else (*self._audience, besides)
        if audience:
            self._effects.append(Tell(audience, make(self.seq)))

    def tell_others(self, but: Player, make: Callable[[int], RoomEvent]) -> None:
        """As `tell_all`, leaving one out who is told otherwise."""
        self.seq += 1
        audience = tuple(player for player in self._audience if player is not but)
        if audience:
            self._effects.append(Tell(audience, make(self.seq)))

    def tell_watchers(self, messages: Sequence[ServerMessage], but: Collection[int]) -> None:
        """What is no event, to those who watch, but not to the players of these ids."""
        players = tuple(player for player in self._watchers if player.id not in but)
        if players:
            self._effects += [Tell(players, message) for message in messages]

    def tell_game(self, event: events.Event) -> None:
        """An event of the table: its public form, and a form of their own to the seats that may see more (T5)."""
        self.seq += 1
        public = redact(event, None)
        if public is event:  # nothing in it is hidden
            if self._audience:
                self._effects.append(Tell(self._audience, to_event(event, self.seq)))
            return
        seats = privy(event)
        private: dict[Player, events.Event] = {}
        for seat, player in self._seats:
            if seat in seats and (form := redact(event, seat)) != public:
                private[player] = form
        audience = tuple([player for player in self._audience if player not in private])
        if audience:
            self._effects.append(Tell(audience, to_event(public, self.seq)))
        for player, form in private.items():
            self._effects.append(Tell((player,), to_event(form, self.seq)))

    def keep(self, record: Keep) -> None:
        self._effects.append(record)

    def note(self, note: Note) -> None:
        self._effects.append(note)

    def search(self, search: Search) -> None:
        self._effects.append(search)

    def save(self, change: Change) -> None:
        self._effects.append(Save(change))

    def take(self) -> list[Effect]:
        """What has been said since it was last taken, in order."""
        effects, self._effects = self._effects, []
        self._taken_seq = self.seq
        return effects

    def unsay(self) -> None:
        """Drop what was not taken, its numbers too."""
        self._effects = []
        self.seq = self._taken_seq
