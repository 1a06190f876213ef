"""A bot's part in a tournament: it signs up, and asks how it stands when that may be the end.

Owns when that is. Refuses to know the tables, to which the bot is called, and the clock.
"""

from collections.abc import Callable, Iterator
from typing import Final

from kille_net.client.steps import Awaits, CalledOff, Finished, Later, Placed, SignedUp, Step, TurnedAway
from kille_net.wire import messages as wire
from kille_net.wire.text import name_key, safe_text

__all__ = ["ENTRANTS", "Entrant"]

ENTRANTS: Final = (wire.SignUp, wire.AskStandings, wire.ListTournaments)
"""What it says to the server."""
_MOST_PAUSE: Final = 15.0
"""Seconds between two tries to sign up, at most."""
_MOST_PAGES: Final = 20
_MOST_NAME: Final = 64
_NAME_CELLS: Final = 32
_TEXT_CELLS: Final = 200
_GONE: Final = frozenset({wire.EntryStatus.OUT, wire.EntryStatus.KNOCKED_OUT})
_PAST: Final = frozenset({wire.TournamentStage.OVER, wire.TournamentStage.CANCELLED})
_AGAIN: Final = frozenset({wire.RefusalCode.TOO_FAST, wire.RefusalCode.CANNOT_SAVE})


class Entrant:
    def __init__(self, tournament: str, next_id: Callable[[], int]) -> None:
        self.is_in = False
        """Whether it has been let in."""
        self._name = tournament[:_MOST_NAME]
        self._next_id = next_id
        self._pause = 1.0
        self._is_over = False
        """Whether it is, for us at least, and only our place is still asked for."""

    def sign_up(self) -> wire.SignUp:
        return wire.SignUp(id=self._next_id(), tournament=self._name)

    def _ask(self, page: int = 0) -> wire.AskStandings:
        return wire.AskStandings(id=self._next_id(), tournament=self._name, page=page)

    def steps(self, command: wire.Command | None, message: wire.ServerMessage, own: str) -> Iterator[Step]:
        """What follows from a message that is the answer to the command, if it is one; `own`: what we are called.

        Raises TurnedAway.
        """
        match message:
            case wire.Ok() if isinstance(command, wire.SignUp):
                yield from self._entered()
            case wire.Refused() if isinstance(command, wire.SignUp):
                yield from self._not_entered(message.code)
            case wire.Refused() if isinstance(command, wire.AskStandings):
                if self._is_over:
                    yield Finished(None)
            case wire.Tournaments() if isinstance(command, wire.ListTournaments):
                yield Awaits(self._name, tuple(safe_text(one.name, _NAME_CELLS) for one in _running(message)))
            case wire.Refused() if isinstance(command, wire.ListTournaments):
                yield Awaits(self._name)
            case wire.Standings():
                yield from self._stands(message, own)
            case wire.TournamentNews() if name_key(message.tournament) == name_key(self._name):
                yield from self._happened(message, own)

    def _entered(self) -> Iterator[Step]:
        if not self.is_in:
            self.is_in = True
            yield SignedUp(self._name)

    def _not_entered(self, code: wire.RefusalCode) -> Iterator[Step]:
        """Once it has been in, it may be that all is over by now. Who is in no place to sign up has been called."""
        if code in {wire.RefusalCode.ALREADY_ENTERED, wire.RefusalCode.WRONG_PLACE}:
            yield from self._entered()
        elif code in _AGAIN:
            yield Later(self.sign_up())
        elif self.is_in:
            self._is_over = True
            yield self._ask()
        elif code is wire.RefusalCode.NO_SUCH_TOURNAMENT:
            if self._pause == 1.0:
                yield wire.ListTournaments(id=self._next_id(), page=0)
            yield Later(self.sign_up(), self._pause)
            self._pause = min(2 * self._pause, _MOST_PAUSE)
        else:
            raise TurnedAway(self._name, code)

    def _happened(self, news: wire.TournamentNews, own: str) -> Iterator[Step]:
        is_us = safe_text(news.who, _NAME_CELLS) == own
        match news.news:
            case wire.Happening.CANCELLED:
                yield CalledOff(self._name, safe_text(news.text, _TEXT_CELLS))
                yield Finished(None)
            case wire.Happening.OVER:
                self._is_over = True
                yield self._ask()
            case wire.Happening.DROPPED_OUT | wire.Happening.WITHDREW if is_us:
                self._is_over = True
                yield self._ask()
            case wire.Happening.ROUND_OVER if self.is_in:  # of a knock-out we hear in no other way that we are out
                yield self._ask()

    def _stands(self, message: wire.Standings, own: str) -> Iterator[Step]:
        row = next((row for row in message.standings if safe_text(row.name, _NAME_CELLS) == own), None)
        if row is None and message.page + 1 < min(message.pages, _MOST_PAGES):
            yield self._ask(message.page + 1)
        elif self._is_over or (row is not None and row.status in _GONE):
            if row is not None:
                yield Placed(self._name, message.kind, row)
            yield Finished(None)


def _running(message: wire.Tournaments) -> list[wire.TournamentLine]:
    return [one for one in message.tournaments if one.stage not in _PAST]
