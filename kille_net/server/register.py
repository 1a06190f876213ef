"""Who is known on this server: players by name and by ticket, and how long each may still come back.

Owns identities, from the entering until they are forgotten, and what is kept of them. Refuses to know rooms: it is told
who is in none any more, and says whom to forget.
"""

from collections.abc import Callable, Sequence
from itertools import count, islice
from typing import Final

from kille_net.server.absent import Absent
from kille_net.server.effects import Effect, Save
from kille_net.server.limits import Limits
from kille_net.server.people import Player, computer_names
from kille_net.server.saving import Answered, PlayerForgotten, PlayerKept, PlayerSaved
from kille_net.server.tickets import Tickets
from kille_net.server.timing import soonest
from kille_net.wire import messages as m
from kille_net.wire.text import name_key, valid_name

__all__ = ["Register", "Unwelcome"]

_DAY: Final = 86_400.0
_MOST_COMPUTERS: Final = 128
"""More than a tournament has."""
_RESERVED: Final = frozenset(
    name_key(name) for name in (*islice(computer_names(), _MOST_COMPUTERS), "Admin", "Kille", "Server")
)


class Unwelcome(Exception):
    """A player is not let in, for a reason that a `bye` gives."""

    def __init__(self, code: m.ByeCode) -> None:
        super().__init__(code.value)
        self.code = code


class Register:
    def __init__(self, limits: Limits, ticket: Callable[[], str]) -> None:
        """`ticket` draws one."""
        self.is_closed = False
        """Whether nobody new is let in."""
        self._limits = limits
        self._ticket = ticket
        self._players: dict[str, Player] = {}
        self._ids = count(1)
        self._tickets = Tickets()
        self._regulars = Absent(limits.names)
        """People who have played."""
        self._guests = Absent(limits.absent)
        """All others."""
        self._bots = Absent(limits.names)
        """Bots that have played and stayed away: their tickets are good, and their names anybody's who wants them."""
        self._changes: list[Effect] = []

    @property
    def players(self) -> tuple[Player, ...]:
        return tuple(self._players.values())

    def named(self, name: str) -> Player | None:
        return self._players.get(name_key(name))

    def take(self) -> list[Effect]:
        """What is to be kept since this was last asked."""
        changes, self._changes = self._changes, []
        return changes

    # --- coming in ------------------------------------------------------------------------------------------------

    def enter(self, name: str, *, is_bot: bool) -> Player:
        """A new player. Raises Unwelcome."""
        kept = valid_name(name)
        if kept is None:
            raise Unwelcome(m.ByeCode.BAD_NAME)
        if self.is_closed:
            raise Unwelcome(m.ByeCode.SHUTTING_DOWN)
        key = name_key(kept)
        holder = self._players.get(key)
        if key in _RESERVED or (holder is not None and holder not in self._bots):
            raise Unwelcome(m.ByeCode.NAME_TAKEN)
        if holder is not None:
            self.forget(holder)
        player = Player(next(self._ids), kept, is_bot)
        self._players[key] = player
        return player

    def find(self, ticket: str) -> Player:
        """Whose ticket it is. Raises Unwelcome, which says no more than that it is nobody's."""
        player = self._tickets.find(ticket)
        if player is None:
            raise Unwelcome(m.ByeCode.BAD_TICKET)
        return player

    def give_ticket(self, player: Player, shown: str | None) -> str:
        """A new secret by which the player is known, once it is kept; the one that it has shown stays good, too."""
        ticket = self._ticket()
        self._tickets.give(player, ticket, shown)
        self._keep(player)
        return ticket

    def confirm_ticket(self, player: Player) -> None:
        """The player has its last ticket: those before are good no more."""
        self._tickets.confirm(player)
        self._keep(player)

    # --- being away -----------------------------------------------------------------------------------------------

    def came_back(self, player: Player) -> None:
        player.is_here, player.is_done = True, False
        self.keep(player)

    def lost(self, player: Player, *, is_done: bool) -> None:
        player.is_here, player.is_done = False, is_done
        self._keep(player)  # when it was last here

    def wait_for(self, player: Player, now: float) -> Player | None:
        """The player, who is away, is in no room: it may come back for a while; who is to be forgotten for that."""
        if player in self._bots:
            return None
        if player.is_bot and player.is_done:
            return player
        if player.has_played and not player.is_bot:
            absent, seconds = self._regulars, self._limits.name_kept_days * _DAY
        else:
            absent, seconds = self._guests, self._limits.away
        absent.add(player, now + seconds)
        return absent.first if absent.is_too_full else None

    def keep(self, player: Player) -> None:
        """The player, who may be away, has a place again: nobody forgets it."""
        for absent in self._absent:
            absent.drop(player)

    def remember(self, player: Player, now: float) -> bool:
        """Whether one who is overdue may still come back, but is waited for no more."""
        if not (player.is_bot and player.has_played and player in self._guests):
            return False
        self._guests.drop(player)
        self._bots.add(player, now + self._limits.name_kept_days * _DAY)
        if self._bots.is_too_full:
            self.forget(self._bots.first)
        return True

    @property
    def _absent(self) -> tuple[Absent, ...]:
        return self._guests, self._regulars, self._bots

    def deadline(self) -> float | None:
        """When somebody is to be forgotten next."""
        return soonest(self._guests.until, self._regulars.until, self._bots.until)

    def overdue(self, now: float) -> Player | None:
        """Who is to be forgotten by now."""
        for absent in self._absent:
            if absent.until is not None and absent.until <= now:
                return absent.first
        return None

    def forget(self, player: Player) -> None:
        key = name_key(player.name)
        if self._players.get(key) is player:
            del self._players[key]
        self._tickets.drop(player)
        self.keep(player)
        self._changes.append(Save(PlayerForgotten(player.id)))

    # --- over a restart -------------------------------------------------------------------------------------------

    def _keep(self, player: Player) -> None:
        self._changes.append(
            Save(
                PlayerKept(
                    id=player.id,
                    name=player.name,
                    is_bot=player.is_bot,
                    is_here=player.is_here,
                    digests=self._tickets.digests(player),
                )
            )
        )

    def restore(self, players: Sequence[PlayerSaved], last_id: int) -> dict[int, Player]:
        """Know them again, all away, and say who is who by id; `last_id` is the highest that there was."""
        self._ids = count(last_id + 1)
        return {saved.kept.id: self._restore(saved) for saved in players}

    def _restore(self, saved: PlayerSaved) -> Player:
        kept = saved.kept
        player = Player(kept.id, kept.name, kept.is_bot, saved.has_played, is_here=False)
        player.answers.restore([_answer(answered) for answered in saved.answers])
        self._players[name_key(kept.name)] = player
        self._tickets.restore(player, kept.digests)
        return player


def _answer(answered: Answered) -> m.Answer:
    return m.Ok(id=answered.id) if answered.code is None else m.Refused(id=answered.id, code=answered.code)
