"""What a client does at a table, as somebody sees it who stands between it and a server (protocol/v1/protocol.md).

Owns which of it is wrong. Sync; refuses to know streams, and is handed the time.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from kille_net.wire import messages as wire
from kille_net.wire.text import name_key

__all__ = ["Breach", "Conduct", "Wrong"]

_GOODBYES: Final = frozenset({wire.ByeCode.DONE, wire.ByeCode.SHUTTING_DOWN})
_LATE: Final = frozenset(
    {
        wire.RefusalCode.OLD_TURN,
        wire.RefusalCode.OVERTAKEN,
        wire.RefusalCode.PAUSED,
        wire.RefusalCode.NOT_PLAYING,
        wire.RefusalCode.NO_HAND,
    }
)
"""As which an answer may be refused because the table has gone on (§7.4)."""
_TO_BE_EXPECTED: Final = _LATE | {
    wire.RefusalCode.NO_SUCH_ROOM,
    wire.RefusalCode.ROOM_EXISTS,
    wire.RefusalCode.TOO_FAST,
    wire.RefusalCode.CANNOT_SAVE,
    wire.RefusalCode.NOT_SHUFFLING,
}
_WAIT: Final = 1.0
"""Seconds that it is to wait then (§12)."""
_PONG: Final = 3.0
"""Seconds in which a ping is answered `soon` (§8.1)."""


class Wrong(StrEnum):
    UNANSWERED = "unanswered"
    """A question, whose time ran out (§8.2)."""
    TWICE = "twice"
    """Answered, though nothing was refused."""
    UNASKED = "unasked"
    """An answer to no question of its own."""
    ILLEGAL = "illegal"
    """An answer that `legal` has not (§7.4)."""
    REFUSED = "refused"
    """A command that nobody need send."""
    NO_PONG = "no_pong"
    BYE = "bye"
    """The server found a fault in what it sent."""
    GAVE_UP = "gave_up"
    """It found a fault where there was none."""
    LEFT = "left"
    """Its line ended before the match did."""
    UNPLAYED = "unplayed"
    """It did not play the match to its end in the time that there was."""
    NOT_BACK = "not_back"
    """It did not come back after a lost line (§4.5), which it only should."""


@dataclass(frozen=True, slots=True)
class Breach:
    wrong: Wrong
    what: str = ""
    """A code or word of the protocol."""


@dataclass(slots=True)
class _Asked:
    legal: int
    since: float
    answers: int = 0


@dataclass(slots=True)
class Conduct:
    """Of one client in its matches, over as many lines as it takes."""

    matches: int = 1
    breaches: list[Breach] = field(default_factory=list)
    questions: int = 0
    slowest: float = 0.0
    """Seconds until the slowest answer."""
    lines: int = 0
    ended_matches: int = 0
    """Whose end the client was told."""
    place: str = ""
    """The room that it is to enter, or the tournament; empty: any."""
    strayed: Callable[[str], None] = lambda _: None
    """Told the first time that it names another, and which."""
    is_back: bool = False
    """Whether it has come back with a ticket."""
    _asked: dict[int, _Asked] = field(default_factory=dict)
    _answers: dict[int, int] = field(default_factory=dict)
    """Command → turn."""
    _calls: set[int] = field(default_factory=set)
    _pings: dict[int, float] = field(default_factory=dict)
    """Of ours, by number, since when they wait."""
    _room: str = ""
    _seat: int | None = None
    _has_strayed: bool = False
    _is_over: bool = False
    """Whether it was said why the line ends."""

    @property
    def has_ended(self) -> bool:
        """Whether the client was told the end of the last match."""
        return self.ended_matches >= self.matches

    def began(self) -> None:
        """Another line."""
        self.lines += 1
        self._pings.clear()
        self._is_over = False

    def pinged(self, number: int, now: float) -> None:
        """We have sent a ping, too."""
        self._pings[number] = now

    def server(self, message: wire.Message, now: float) -> None:
        """It says this to the client."""
        match message:
            case wire.Question(turn=turn, legal=legal, view=view):
                self._seat = view.seat
                if turn not in self._asked:  # after a lost line it is asked again
                    self.questions += 1
                self._asked[turn] = _Asked(legal, now)
            case wire.Late(seat=seat) if seat == self._seat:
                self._note(Wrong.UNANSWERED)
            case wire.Refused(id=number, code=code):
                self._refused(number, code, now)
            case wire.Snapshot(room=room) if room.name != self._room:  # whose questions are counted anew
                self._room = room.name
                self._asked.clear()
            case wire.MatchEnded():
                self.ended_matches += 1
            case wire.Bye(code=code, place=place):
                self._is_over = True
                if code not in _GOODBYES:
                    self._note(Wrong.BYE, f"{code.value} {place}".rstrip())

    def client(self, message: wire.Message, now: float) -> bool:
        """It says this to the server; False: it is meant for us alone."""
        match message:
            case wire.Hello(ticket=ticket):
                self.is_back = self.is_back or (ticket is not None and self.lines > 1)
            case wire.Pong(n=number) if number in self._pings:
                del self._pings[number]
                return False
            case wire.Join(room=name) | wire.Create(room=name) | wire.SignUp(tournament=name):
                self._enters(name)
            case wire.Decide(id=number, turn=turn, do=do):
                self._answered(number, turn, do, now)
            case wire.CallKuku(id=number):
                self._calls.add(number)
            case wire.Bye(code=code, place=place):
                if code not in _GOODBYES:
                    self._is_over = True
                    self._note(Wrong.GAVE_UP, f"{code.value} {place}".rstrip())
        return True

    def ended(self, now: float, *, is_cut: bool) -> None:
        """The line is closed; `is_cut`: by us."""
        late = [since for since in self._pings.values() if now - since > _PONG]
        if late and not is_cut:
            self._note(Wrong.NO_PONG)
        self._pings.clear()
        if not (is_cut or self.has_ended or self._is_over):
            self._note(Wrong.LEFT)

    def not_played(self) -> None:
        """Nobody waits for the end any longer."""
        if not self.has_ended:
            self._note(Wrong.UNPLAYED)

    def not_back(self) -> None:
        self._note(Wrong.NOT_BACK)

    def _enters(self, name: str) -> None:
        if self.place and name_key(name) != name_key(self.place) and not self._has_strayed:
            self._has_strayed = True
            self.strayed(name)

    def _answered(self, number: int, turn: int, do: wire.Do, now: float) -> None:
        if number in self._answers:
            return  # sent again after a lost line (§5.3)
        self._answers[number] = turn
        question = self._asked.get(turn)
        if question is None:
            self._note(Wrong.UNASKED, do.value)
            return
        if question.answers:
            self._note(Wrong.TWICE, do.value)
        question.answers += 1
        self.slowest = max(self.slowest, now - question.since)
        if not question.legal >> _BITS[do] & 1:
            self._note(Wrong.ILLEGAL, do.value)

    def _refused(self, number: int, code: wire.RefusalCode, now: float) -> None:
        turn = self._answers.get(number)
        if turn in self._asked:
            self._asked[turn].answers -= 1  # it may answer again
            if code is wire.RefusalCode.CANNOT_SAVE:
                self._asked[turn].since = now + _WAIT
        allowed = _LATE if turn is not None else _TO_BE_EXPECTED
        if code is wire.RefusalCode.CANNOT_SAVE or code in allowed or (number in self._calls and code in _LATE):
            return
        self._note(Wrong.REFUSED, code.value)

    def _note(self, wrong: Wrong, what: str = "") -> None:
        self.breaches.append(Breach(wrong, what))


_BITS: Final = {do: bit for bit, do in enumerate(wire.Do)}
