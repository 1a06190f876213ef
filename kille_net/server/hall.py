"""Where tournaments hold their tables: rooms among the others, for those who are called (`scheduling.calendar.Hall`).

Owns what such a room is like and what it is called. Refuses to know tournaments.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

from msgspec.structs import replace

from kille_net.game.shuffle import Seeded
from kille_net.server.effects import Effect, Milestone, Note
from kille_net.server.gathering import free_table_name
from kille_net.server.limits import Limits
from kille_net.server.people import Player
from kille_net.server.register import Register
from kille_net.server.room import TOURNAMENT_OVER
from kille_net.server.rooms import Rooms
from kille_net.server.saving import TableOf
from kille_net.server.scheduling.play import Call
from kille_net.server.sources import Sources
from kille_net.wire.messages import Options, Plan, Watching

__all__ = ["Hall"]

_SAME_PACKS: Final = bytes(16)
"""What the packs of duplicates are made of beside their seed."""


class Hall:
    def __init__(
        self,
        rooms: Rooms,
        register: Register,
        sources: Sources,
        limits: Limits,
        *,
        part: Callable[[Player], None],
        now: Callable[[], float],
    ) -> None:
        """`part` is told of whom no tournament needs any more; `now`: the lobby's time."""
        self._rooms = rooms
        self._register = register
        self._sources = sources
        self._limits = limits
        self._part = part
        self._now = now

    def has_place(self) -> bool:
        return self._rooms.tables < self._limits.tables

    def free_name(self, tournament: str, round_: int, table: int) -> str:
        return free_table_name(self._rooms, tournament, f"{round_}-{table}")

    def hold(self, call: Call, of: TableOf, name: str, plan: Plan) -> list[Effect]:
        """Take all who are called away from where they are, and seat them at a table of their own."""
        effects: list[Effect] = []
        for player in call.called:
            if isinstance(player, Player):
                self._register.keep(player)
                effects += self._rooms.release(player, self._now())
        room = self._rooms.make(
            name,
            _options(plan, len(call.called)),
            None,
            shuffle=partial(self._seeded, call.seed) if call.seed else None,
            table=of,
            is_closed=bool(call.seed),
        )
        effects.append(Note(Milestone.ROOM_MADE, room.name))
        return effects + self._rooms.call(room, lambda: room.call(call.called, self._now()))

    def _seeded(self, seed: str) -> Seeded:
        return Seeded(seed, self._sources.shuffle().match_id, _SAME_PACKS)

    def clear(self, name: str) -> list[Effect]:
        room = self._rooms.find(name)
        return [] if room is None else self._rooms.do(room, lambda: room.close(self._now(), TOURNAMENT_OVER))

    def release(self, player: Player) -> list[Effect]:
        room = self._rooms.of(player)
        return [] if room is None or room.table is None else self._rooms.release(player, self._now())

    def part(self, player: Player) -> None:
        if self._rooms.of(player) is None and self._register.named(player.name) is player:
            self._part(player)


def _options(plan: Plan, seats: int) -> Options:
    """What a table of so many seats plays: whoever sits there was called, and nobody sees duplicates before time."""
    watching = Watching.NOBODY if plan.duplicate else plan.options.watching
    return replace(plan.options, seats=seats, computers=0, watching=watching)
