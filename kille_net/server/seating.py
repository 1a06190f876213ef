"""Who is in a room: its chairs, its watchers and its host.

Owns who sits where, who hosts, and who is away since when and waited for until when. Refuses to know what is said
about it, and what is played.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from kille_net.game.rules import Seat
from kille_net.server.called import Called, Sitter
from kille_net.server.people import COMPUTER_NAMES, Chair, Computer, Player
from kille_net.server.saving import ChairSaved
from kille_net.wire.messages import Level

__all__ = ["Seating"]

_MAX_WAIT: Final = 3_600_000


class Seating:
    def __init__(
        self, seats: int, computer: Callable[[Level], Computer], *, away: float, empty: float, is_called: bool = False
    ) -> None:
        """`away` and `empty`: seconds for which one is waited for, and all of a match where nobody is here.

        `is_called`: who sits here was called, for one match: nobody hosts, and it goes on also while nobody is here.
        """
        self.chairs: Final = tuple(Chair() for _ in range(seats))
        self.watchers: Final[list[Player]] = []
        self.host: Player | None = None
        self.gathers_until: float | None = None
        """Until when computers wait for players to take the empty chairs; None: nobody gathers."""
        self._host_seat = -1
        self._is_called = is_called
        self._computer = computer
        self._away = away
        self._empty = empty

    @property
    def players(self) -> tuple[Player, ...]:
        """Who sits or watches, absent ones too."""
        return (*(chair.player for chair in self.chairs if chair.player is not None), *self.watchers)

    @property
    def empty(self) -> list[Chair]:
        return [chair for chair in self.chairs if chair.is_empty]

    @property
    def is_anyone_here(self) -> bool:
        """Whether a player sits here who can be asked."""
        return any(chair.is_here for chair in self.chairs)

    @property
    def is_deserted(self) -> bool:
        """Whether the table's time stands still, since nobody is here."""
        return not self._is_called and not self.is_anyone_here

    @property
    def is_anyone_awaited(self) -> bool:
        """Whether a player is away for whom no computer plays."""
        return any(chair.is_absent for chair in self.chairs)

    @property
    def is_given_up(self) -> bool:
        """Whether no player sits here, nor is waited for, where that is the end."""
        return not self._is_called and not any(chair.is_here or chair.is_absent for chair in self.chairs)

    @property
    def present(self) -> int:
        """How many are here, computers that sit for nobody else among them."""
        return sum(chair.is_here or chair.is_computers_own for chair in self.chairs)

    @property
    def are_all_ready(self) -> bool:
        return all(chair.is_ready for chair in self.chairs)

    def seat_of(self, player: Player) -> Seat | None:
        for seat, chair in enumerate(self.chairs):
            if chair.player is player:
                return seat
        return None

    # --- over a restart -------------------------------------------------------------------------------------------

    def saved(self) -> tuple[ChairSaved, ...]:
        return tuple(
            ChairSaved(
                player=None if chair.player is None else chair.player.id,
                level=chair.computer_level,
                name=chair.computer_name,
                is_for_match=chair.is_for_match,
                stands_in=chair.player is not None and chair.computer is not None,
            )
            for chair in self.chairs
        )

    def restore(self, chairs: Sequence[ChairSaved], players: Mapping[int, Player], level: Level, now: float) -> None:
        """As it was, but that every player is away, since now; `level`: of stand-ins."""
        for chair, saved in zip(self.chairs, chairs, strict=True):
            if saved.player is not None:
                chair.seat_player(players[saved.player])
                chair.away_since = now
                if saved.stands_in:
                    self.seat_stand_in(chair, level)
            elif saved.level:
                computer = self._computer(Level(saved.level))
                chair.seat_computer(computer, saved.name, saved.level, for_match=saved.is_for_match)

    # --- who is away ----------------------------------------------------------------------------------------------

    def waits_until(self, *, is_playing: bool) -> float | None:
        """When one who is absent is given up, or in a match without anybody here all are; None: nobody is absent.

        Whoever was called is waited for until the call is over.
        """
        if self._is_called and not is_playing:
            return None
        since = [chair.away_since for chair in self.chairs if chair.away_since is not None and chair.is_absent]
        if not since:
            return None
        if is_playing and self.is_deserted:
            return max(since) + self._empty
        return min(since) + self._away

    def waits_for(self, chair: Chair, now: float) -> int | None:
        """Milliseconds for which a player is still waited for there, 0: a computer plays for one; None: nobody is."""
        if not (chair.is_empty or chair.is_absent):
            return None if chair.away_since is None else 0
        since = chair.away_since
        times = (self.gathers_until, None if since is None else since + self._away)
        until = min((time for time in times if time is not None), default=None)
        return None if until is None else max(0, min(round((until - now) * 1000), _MAX_WAIT))

    def first_absent(self) -> Chair:
        """The absent player's whose line was lost first; there must be one."""
        return min(
            (chair for chair in self.chairs if chair.is_absent),
            key=lambda chair: 0.0 if chair.away_since is None else chair.away_since,
        )

    # --- who gathers ----------------------------------------------------------------------------------------------

    @property
    def gathers(self) -> bool:
        """Whether whoever sits here is ready, and nobody hosts."""
        return self.gathers_until is not None

    def seat_player(self, chair: Chair, player: Player) -> None:
        chair.seat_player(player)
        chair.is_ready = self.gathers

    def came_back(self, chair: Chair) -> None:
        """The chair's player is here again."""
        chair.away_since = None
        chair.is_ready = chair.is_ready or self.gathers

    def seat_called(self, chair: Chair, called: Called, now: float) -> None:
        """Give the chair to who is called to it, wherever that is."""
        if isinstance(called, Sitter):
            computer = self._computer(called.level)
            chair.seat_computer(computer, called.name, called.level.value, for_match=not called.takes_part)
            return
        self.seat_player(chair, called)
        if not called.is_here:
            chair.away_since, chair.is_ready = now, False

    # --- computers ------------------------------------------------------------------------------------------------

    def seat_computer(self, chair: Chair, level: Level, *, for_match: bool = False) -> str:
        """Give the chair to a computer, and say what that is called."""
        taken = {other.name for other in self.chairs if other is not chair}
        name = next(name for name in COMPUTER_NAMES if name not in taken)
        chair.seat_computer(self._computer(level), name, level.value, for_match=for_match)
        return name

    def seat_stand_in(self, chair: Chair, level: Level) -> None:
        """Let a computer play for the absent player of the chair."""
        chair.computer = self._computer(level)

    # --- the host -------------------------------------------------------------------------------------------------

    def new_host(self) -> Player | None:
        """Who hosts from now on, if that changes: the next person on the left, or else the next bot.

        It changes when the host is not here, and when it is a bot while a person is; nobody hosts who gather.
        """
        if self.gathers or self._is_called:
            return None
        is_here = False
        if self.host is not None and (seat := self.seat_of(self.host)) is not None:
            self._host_seat = seat
            is_here = self.chairs[seat].is_here
            if is_here and not self.host.is_bot:
                return None
        else:
            self.host = None
        seats = len(self.chairs)
        left = [self.chairs[(self._host_seat + k) % seats] for k in range(1, seats + 1)]
        here = [player for chair in left if chair.is_here and (player := chair.player) is not None]
        person = next((player for player in here if not player.is_bot), None)
        if not here or (is_here and person is None):
            return None
        self.host = here[0] if person is None else person
        return self.host

    # --- between matches ------------------------------------------------------------------------------------------

    def clear_after_match(self) -> list[Player]:
        """Free the seats in which computers played for somebody; say for whom who may still come back."""
        gone = []
        for chair in self.chairs:
            chair.take_back()
            if chair.player is not None and chair.computer is not None:
                gone.append(chair.player)
                chair.clear()
            elif chair.is_for_match:
                chair.clear()
            elif chair.player is not None:
                chair.is_ready = False
        return gone
