"""Carries what a lobby wants done to those whom it concerns.

Owns who speaks for whom, and that a step is told whole, in its order, and only when what has changed with it is kept
(rule 4 of the server, architecture.md). Refuses to know what is decided, and when.
"""

from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import partial
from typing import Final, TypeAlias

import msgspec

from kille_net.server.counts import Counts
from kille_net.server.effects import Effect, Fault, Keep, Milestone, Note, Part, Save, Search, Tell, Think
from kille_net.server.journal import Journal
from kille_net.server.logs import log, where
from kille_net.server.people import Player
from kille_net.server.saving import Change, MatchesOpened, RoomAt, RoomKept
from kille_net.server.session import Session
from kille_net.wire import ByeCode, frame
from kille_net.wire import messages as m
from kille_net.wire.text import safe_text

__all__ = ["Carrier"]

_MOST_TEXT: Final = 200
"""Characters of a notice."""

_OF_NOTES: Final = tuple(field.name for field in fields(Note) if field.name != "milestone")

_Doing: TypeAlias = tuple[Effect, tuple[Session | None, ...]]
"""What is to be done, and by which sessions players are told of it."""


class Carrier:
    def __init__(
        self,
        counts: Counts,
        journal: Journal | None,
        *,
        keep_record: Callable[[Keep], None],
        open_records: Callable[[MatchesOpened], None],
        fail_room: Callable[[str, Exception], None],
        think: Callable[[Think], None],
        search: Callable[[Search], None],
    ) -> None:
        """`journal`: None where nothing is kept; `fail_room` gives up the room of that key; `think` and `search` do not
        wait.
        """
        self._counts = counts
        self._journal = journal
        self._keep_record = keep_record
        self._open_records = open_records
        self._fail_room = fail_room
        self._think = think
        self._search = search
        self._speaking: dict[Player, Session] = {}

    # --- who speaks for whom --------------------------------------------------------------------------------------

    @property
    def speaking(self) -> int:
        """For how many players a session speaks."""
        return len(self._speaking)

    def session_of(self, player: Player) -> Session | None:
        """None: the player is not connected."""
        return self._speaking.get(player)

    def let_speak(self, player: Player, session: Session) -> None:
        """The player speaks through this session from now on; another that it had is fenced off at once."""
        before = self._speaking.get(player)
        self._speaking[player] = session
        if before is not None:
            before.end(ByeCode.REPLACED)

    def let_go(self, player: Player) -> None:
        """No session speaks for the player."""
        self._speaking.pop(player, None)

    def tell_everyone(self, notice: m.Notice) -> int:
        """Tell all players at once, and count them."""
        notice = msgspec.structs.replace(notice, text=safe_text(notice.text, _MOST_TEXT)[:_MOST_TEXT])
        packed = frame(notice)
        sessions = [session for session in self._speaking.values() if session.may_send(m.Notice)]
        for session in sessions:
            session.send([packed])
        return len(sessions)

    # --- what comes of a step -------------------------------------------------------------------------------------

    def carry(self, effects: Sequence[Effect]) -> None:
        """Do what came of a step, once what has changed with it is kept."""
        changes = [effect.change for effect in effects if type(effect) is Save]
        # Who is told is whoever speaks for the player now: a later session begins with a snapshot of all this.
        doings = [
            (effect, tuple(self._speaking.get(player) for player in effect.players) if type(effect) is Tell else ())
            for effect in effects
            if type(effect) is not Save or isinstance(effect.change, MatchesOpened)
        ]
        if self._journal is None or (not changes and self._journal.is_idle):
            self._do(doings)
        else:
            self._journal.add(changes, partial(self._tell, doings), partial(self._spoil, changes, doings))

    def _tell(self, doings: Sequence[_Doing]) -> None:
        """A step that was held; a bug in the telling ends the sessions that were to be told, and nobody else's."""
        try:
            self._do(doings)
        except Exception as error:  # what was held is nobody's command any more that could take the blame
            log.error("step_not_told", error=where(error))
            self._counts.faults += 1
            _part(doings)

    def _do(self, doings: Sequence[_Doing]) -> None:
        """What one session is told goes out in one piece."""
        batches: dict[Session, list[bytes]] = {}
        for effect, sessions in doings:
            match effect:
                case Tell(_, m.Welcome() as welcome):
                    for session in sessions:
                        if session is not None:
                            session.greet(welcome)
                case Tell(_, message):
                    packed: bytes | None = None
                    kind = type(message)
                    if isinstance(message, m.Refused):
                        self._counts.refusals[message.code] += 1
                    for session in sessions:
                        if session is not None and session.may_send(kind):
                            packed = packed or frame(message)
                            batches.setdefault(session, []).append(packed)
                case Keep():
                    self._keep_record(effect)
                case Save(MatchesOpened() as opened):
                    self._open_records(opened)
                case Fault(error):
                    log.error("room_failed", error=where(error))
                    self._counts.faults += 1
                case Note():
                    self._counts.matches += effect.milestone is Milestone.MATCH_BEGUN
                    log.info(effect.milestone.value, **_told(effect))
                case Think():
                    self._think(effect)
                case Search():
                    self._search(effect)
                case Part(players):
                    for player in players:
                        if (session := self._speaking.get(player)) is not None:
                            session.end(ByeCode.INTERNAL)
        for session, frames in batches.items():
            session.send(frames)

    def _spoil(self, changes: Sequence[Change], doings: Sequence[_Doing], error: Exception) -> None:
        """A step that can never be kept, by a bug: it is not told, and its room is gone."""
        log.error("step_not_saved", error=where(error))
        self._counts.faults += 1
        _part(doings)
        for key in {change.key for change in changes if isinstance(change, RoomAt | RoomKept)}:
            self._fail_room(key, error)


def _told(note: Note) -> dict[str, object]:
    """What of it says anything."""
    return {field: value for field in _OF_NOTES if (value := getattr(note, field))}


def _part(doings: Sequence[_Doing]) -> None:
    """End the sessions by which these would have been told."""
    for _, sessions in doings:
        for session in sessions:
            if session is not None:
                session.end(ByeCode.INTERNAL)
