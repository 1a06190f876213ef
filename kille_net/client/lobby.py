"""The tables of the lobby, as the reader has seen them: the numbers by which they are joined, and what is new.

Owns the numbers, which mean the same table until the whole list is shown again, and when to look by ourselves.
Refuses to know what is done there.
"""

from collections.abc import Sequence
from typing import Final

from kille_net.client.effects import Effect, Print, Style
from kille_net.client.model import Model
from kille_net.client.showing.listing import room_line, rooms_lines
from kille_net.client.showing.texts import say
from kille_net.client.voice import Voice
from kille_net.wire import messages as wire

__all__ = ["Lobby"]

_MOST_PAGES: Final = 20
_EVERY: Final = 5.0
"""Seconds between two looks of ours, for each page of the list: a tenth of what a server takes from anybody."""
_MOST_DIGITS: Final = 6
_MOST_CHANGES: Final = 5
"""Lines that are told of one look."""


class Lobby:
    def __init__(self, voice: Voice, *, watches: bool) -> None:
        """`watches`: whether the reader came to look on."""
        self._voice = voice
        self._lang = voice.lang
        self._watches = watches
        self._numbered: list[str] = []
        """Names, from number 1 on."""
        self._told: dict[str, wire.RoomLine] = {}
        """By name, as it was told of last."""
        self._look_at: float | None = None
        """When to look again; None: the list has not been shown here."""
        self._quiet: set[int] = set()
        """The commands by which we look, and not the reader."""

    # --- looking --------------------------------------------------------------------------------------------------

    @property
    def has_been_shown(self) -> bool:
        return self._look_at is not None

    def is_due(self, now: float) -> bool:
        return self._look_at is None or now >= self._look_at

    def look(self, page: int = 0, *, quietly: bool = False) -> list[Effect]:
        """Ask for a page of the list; `quietly`: only what has changed will be told."""
        if not quietly and self._quiet:  # what is under way is as good, and the reader wants to see it
            self._quiet.clear()
            return []
        command = wire.ListRooms(id=self._voice.next_id(), page=page)
        if quietly:
            self._quiet.add(command.id)
        return self._voice.send(command)

    def listed(self, message: wire.Rooms, model: Model, now: float) -> list[Effect]:
        """A page has come; the model has it."""
        is_aloud = self.answered(message.id)
        if message.page + 1 < min(message.pages, _MOST_PAGES):
            return self.look(message.page + 1, quietly=not is_aloud)
        self.rest(now, message.pages)
        if not is_aloud:
            return [Print(line, Style.QUIET) for line in self.changes(model.rooms)]
        lines: list[Effect] = [Print(line) for line in self.whole(model.rooms)]
        if model.room is None:
            key = "hint_watch" if self._watches else "hint_lobby" if model.rooms else "hint_empty_lobby"
            lines += self._voice.tell(key, Style.QUIET)
        return lines

    def answered(self, command_id: int) -> bool:
        """Whether this was the reader's look; nothing has to be told of another."""
        is_quiet = command_id in self._quiet
        self._quiet.discard(command_id)
        return not is_quiet

    def shows(self, command_id: int) -> bool:
        """Whether the reader sees what comes of this look."""
        return command_id not in self._quiet

    def rest(self, now: float, pages: int = 1) -> None:
        """Look again after a while."""
        self._look_at = now + _EVERY * max(1, min(pages, _MOST_PAGES))

    def leave(self) -> None:
        """What was seen is old when one comes back."""
        self._look_at = None
        self._quiet.clear()

    # --- telling --------------------------------------------------------------------------------------------------

    def name_of(self, number: str) -> str | None:
        """The table that has this number."""
        if not (number.isascii() and number.isdigit() and len(number) <= _MOST_DIGITS):
            return None
        return self._numbered[int(number) - 1] if 1 <= int(number) <= len(self._numbered) else None

    def whole(self, rooms: Sequence[wire.RoomLine]) -> list[str]:
        """The list, with new numbers."""
        self._numbered = [room.name for room in rooms]
        self._told = {room.name: room for room in rooms}
        return rooms_lines(rooms, self._lang)

    def changes(self, rooms: Sequence[wire.RoomLine]) -> list[str]:
        """What is other than it was told, a line each; what is too much is counted."""
        now = {room.name: room for room in rooms}
        lines = [say(self._lang, "lobby.closed", name=name) for name in self._told if name not in now]
        for name, room in now.items():
            old = self._told.get(name)
            if old is not None and (old.taken, old.status) == (room.taken, room.status):
                continue
            if name not in self._numbered:
                self._numbered.append(name)
            line = room_line(self._numbered.index(name) + 1, room, self._lang)
            lines.append(say(self._lang, "lobby.new" if old is None else "lobby.changed", room=line))
        self._told = now
        left_out = len(lines) - _MOST_CHANGES
        if left_out > 0:
            lines[_MOST_CHANGES:] = [say(self._lang, "lobby.more", count=left_out)]
        return lines
