"""Carries what a lobby wants done to those whom it concerns.

Owns who speaks for whom, and that a step is told whole, in its order, and only when what has changed with it is kept.
Refuses to know what is decided, and when.
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
from kille_net.wire import ByeCode, shared_frame
from kille_net.wire import messages as m
from kille_net.wire.text import safe_text

__all__ = ["Carrier"]

_MOST_TEXT: Final = 200
"""Characters of a notice."""

_OF_NOTES: Final = tuple(field.name for field in fields(Note) if field.name != "milestone")


class _Telling(msgspec.Struct, frozen=True, gc=False):
    """Messages that the same sessions are told, one after the other."""

    sessions: list[Session]
    messages: list[m.ServerMessage]


_Doing: TypeAlias = _Telling | Effect


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
        packed = shared_frame(notice)
        sessions = [session for session in self._speaking.values() if session.is_open]
        for session in sessions:
            session.send([packed])
        return len(sessions)

    # --- what comes of a step -------------------------------------------------------------------------------------

    def carry(self, effects: Sequence[Effect]) -> None:
        """Do what came of a step, once what has changed with it is kept."""
        changes: list[Change] = []
        doings: list[_Doing] = []
        audience: tuple[Player, ...] | None = None
        messages: list[m.ServerMessage] = []
        for effect in effects:
            if type(effect) is Tell:
                if effect.players is not audience:
                    audience, messages = effect.players, []
                    # Whoever speaks for them now: a later session begins with a snapshot of all this.
                    doings.append(
                        _Telling([self._speaking[one] for one in audience if one in self._speaking], messages)
                    )
                messages.append(effect.message)
                continue
            if type(effect) is Save:
                changes.append(effect.change)
                if type(effect.change) is not MatchesOpened:
                    continue
            audience = None
            doings.append(effect)
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
        for doing in doings:
            if isinstance(doing, _Telling):
                self._pack(doing, batches)
            else:
                self._do_besides(doing)
        for session, frames in batches.items():
            if session.is_open:
                session.send(frames)

    def _pack(self, telling: _Telling, batches: dict[Session, list[bytes]]) -> None:
        """Pack each message once, whoever hears it."""
        frames: list[bytes] = []
        for message in telling.messages:
            if type(message) is m.Welcome:
                for session in telling.sessions:
                    session.greet(message)
                continue
            if type(message) is m.Refused:
                self._counts.refusals[message.code] += 1
            frames.append(shared_frame(message))
        for session in telling.sessions:
            if session in batches:
                batches[session] += frames
            else:
                batches[session] = frames[:]

    def _do_besides(self, effect: Effect) -> None:
        match effect:
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
    for doing in doings:
        if isinstance(doing, _Telling):
            for session in doing.sessions:
                session.end(ByeCode.INTERNAL)
