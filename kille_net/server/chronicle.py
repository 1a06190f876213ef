"""What is written down of a match while it is played: its steps, for the store, and the lines of its record.

Owns their numbers, so that both go on where they were after a restart. Refuses to know who plays, when and why.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from kille_net.game.actions import Action
from kille_net.game.cards import Pack
from kille_net.game.events import Event, HandBegan
from kille_net.game.match import Match
from kille_net.game.record import By, Line, MatchLine, Played, Recorder
from kille_net.game.rules import Seat
from kille_net.server.effects import Keep
from kille_net.server.herald import Herald
from kille_net.server.saving import LineKept, MatchOver, MatchSaved, Moved, PackDealt, Result, Step, last_lines
from kille_net.server.sources import Shuffle

__all__ = ["Chronicle", "end_unjudged", "results"]


class Chronicle:
    def __init__(self, header: MatchLine, shuffle: Shuffle, herald: Herald, *, is_closed: bool = False) -> None:
        """`is_closed`: its record may not be read before it is opened."""
        self._header: Final = header
        self._is_closed = is_closed
        self._shuffle = shuffle
        self._herald = herald
        self._recorder = Recorder(header, revealed=shuffle.revealed())
        self._lines: list[Line] = [header]
        self._steps = 0

    def dealt(self, pack: Pack, events: Sequence[Event]) -> None:
        """A pack was dealt, and the events followed from it."""
        began = next((event for event in events if isinstance(event, HandBegan)), None)
        self._step(PackDealt(began), self._recorder.dealt(pack, events))

    def acted(self, seat: Seat, action: Action, events: Sequence[Event], *, t: float, by: By) -> None:
        """An action took effect, and the events followed from it; `t` counts seconds since the deal."""
        self._step(Played(seat, action, t, by), self._recorder.acted(seat, action, events, t=t, by=by))

    def broken_off(self, reason: str) -> None:
        self._write(self._recorder.broken_off(reason))

    def over(self, match: Match, reason: str | None = None) -> None:
        """The match is over, played to its end or broken off for that reason."""
        of_seats = () if match.winner is None else tuple(results(match.points, match.winner))
        self._herald.save(MatchOver(self._header.id, reason, of_seats))
        self._herald.keep(Keep(self._header.id.hex(), tuple(self._lines), self._is_closed))

    def replay(self, match: Match, steps: Iterable[Step]) -> Iterator[list[Event]]:
        """Bring the match, which has not begun, to where these steps led; what followed from each.

        Raises IllegalAction when they do not lead anywhere.
        """
        for step in steps:
            if isinstance(step, PackDealt):
                pack = self._shuffle.pack(*match.next_pack)
                events = match.deal(pack)
                self._lines += self._recorder.dealt(pack, events)
            else:
                events = match.act(step.seat, step.action)
                self._lines += self._recorder.acted(step.seat, step.action, events, t=step.t, by=step.by)
            self._steps += 1
            yield events

    def _step(self, step: Step, lines: list[Line]) -> None:
        self._herald.save(Moved(self._header.id, self._steps, step))
        self._steps += 1
        self._write(lines)

    def _write(self, lines: list[Line]) -> None:
        for line in lines:
            self._herald.save(LineKept(self._header.id, len(self._lines), line))
            self._lines.append(line)


OTHER_RULES: Final = "the rules have changed since it began"


def end_unjudged(match: MatchSaved, shuffle: Shuffle, herald: Herald, *, is_closed: bool = False) -> None:
    """Break off a match of another `rules_version`, which would be judged otherwise now (protocol/record.md)."""
    lines: list[Line] = [match.header, *match.lines]
    for line in last_lines(match, shuffle, OTHER_RULES):
        herald.save(LineKept(match.header.id, len(lines), line))
        lines.append(line)
    herald.save(MatchOver(match.header.id, OTHER_RULES, ()))
    herald.keep(Keep(match.header.id.hex(), tuple(lines), is_closed))


def results(points: Sequence[int], winner: Seat) -> Iterator[Result]:
    """By seat, of a match that was played to its end."""
    for seat, own in enumerate(points):
        better = sum(other > own for rival, other in enumerate(points) if rival != winner)
        yield Result(seat, own, place=1 if seat == winner else 2 + better)
