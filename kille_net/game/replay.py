"""Whole match records, gone through event by event beside the engine, and whether they are true (record.md).

Owns the comparison of records with the engine. Pure and streaming: records are lines of text, and no line makes
anything here raise but RecordError.

- `replay(lines)` gives every step of a record, and raises at the first thing that does not hold.
- `verify(lines)` does that to the end and says what came of it.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kille_net.game.events import Event, HandBegan, HiddenCard, MatchEnded, PotWon
from kille_net.game.judge import OTHER_RULES, Unplayable, play
from kille_net.game.match import Match
from kille_net.game.reading import parse_line
from kille_net.game.record import (
    SEEDED,
    VERIFIABLE,
    EndLine,
    HandLine,
    Line,
    MatchLine,
    Outcome,
    Played,
    PotLine,
    RecordError,
)
from kille_net.game.rules import RULES_VERSION
from kille_net.game.shuffle import Seeded

__all__ = ["Step", "Verdict", "replay", "verify"]


@dataclass(frozen=True, slots=True)
class Step:
    """Something that a record tells: a pack that was dealt, an action, a pot, the end."""

    number: int
    """Of the line in the record, from 1."""
    line: Line
    header: MatchLine
    match: Match
    """As it stands now; the next step changes it."""
    move: Played | None = None
    events: tuple[Event, ...] = ()
    """What followed, told whole; `views.redact` for one seat."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of verifying."""

    matches: int
    """Begun."""
    hands: int
    """That agree."""
    unchecked: int
    """Matches whose packs nobody has compared with what they say of their shuffle."""
    error: RecordError | None
    """The first thing that does not hold."""


def replay(lines: Iterable[str | bytes]) -> Iterator[Step]:
    """Every step of the record, or of several one after the other. Raises RecordError, with its line."""
    return _Reader().read(lines)


def verify(lines: Iterable[str | bytes]) -> Verdict:
    """Re-referee every hand, compare every outcome, count everything again."""
    reader = _Reader()
    error = None
    try:
        for _ in reader.read(lines):
            pass
    except RecordError as wrong:
        error = wrong
    return Verdict(reader.matches, reader.hands, reader.unchecked, error)


def _compare(told: object, name: str, value: object) -> None:
    """Raise RecordError unless the record tells what the engine says."""
    if told != value:
        raise RecordError(f'"{name}" must be {json.dumps(value)}')


def _codes(cards: tuple[HiddenCard, ...]) -> tuple[str | None, ...]:
    return tuple(None if card is None else card.code for card in cards)


def _seeded(line: MatchLine) -> Seeded:
    seed = line.shuffle.get("seed")
    if type(seed) is not str:
        raise RecordError('the "seed" of "shuffle" must be a string')
    try:
        return Seeded(seed, line.id)
    except ValueError:
        raise RecordError('the "seed" of "shuffle" must be a string of whole characters') from None


class _Reader:
    """Goes through records line by line beside a match of its own."""

    def __init__(self) -> None:
        self.matches = 0
        self.hands = 0
        self.unchecked = 0
        self._header: MatchLine | None = None
        self._match: Match | None = None
        self._seeded: Seeded | None = None
        self._due: list[PotWon | MatchEnded] = []
        """What the last hand decided and no line has told yet."""
        self._broken = False
        """Whether the last hand has no end."""

    def read(self, lines: Iterable[str | bytes]) -> Iterator[Step]:
        number = 0
        try:
            for number, text in enumerate(lines, 1):
                if text.strip():
                    yield from self._read_line(number, parse_line(text))
            if self._header is not None:
                raise RecordError("the record stops here, without an end line")
            if not self.matches:
                raise RecordError("there is no record here")
        except RecordError as error:
            raise RecordError(error.text, number or 1) from None

    def _read_line(self, number: int, line: Line) -> Iterator[Step]:
        if isinstance(line, MatchLine):
            header, match = self._begin(line)
            yield Step(number, line, header, match)
            return
        if self._header is None or self._match is None:
            raise RecordError("a record begins with a match line")
        header, match = self._header, self._match
        if self._broken and not isinstance(line, EndLine):
            raise RecordError("only the end line can follow a hand without an outcome")
        if isinstance(line, HandLine):
            for move, happened in self._hand(line, match):
                yield Step(number, line, header, match, move, tuple(happened))
            self.hands += 1
            return
        events: list[Event] = []
        if isinstance(line, PotLine):
            self._pot(line)
        else:
            self._end(line, match)
            if line.reason is not None and line.winner is None:
                events = match.break_off(line.reason)
        yield Step(number, line, header, match, events=tuple(events))

    def _begin(self, line: MatchLine) -> tuple[MatchLine, Match]:
        if self._header is not None:
            raise RecordError("another match begins before the end line of the last")
        if line.rules_version != RULES_VERSION:
            raise RecordError(OTHER_RULES)
        self._seeded = None
        if line.shuffle["kind"] == SEEDED:
            self._seeded = _seeded(line)
        elif line.shuffle["kind"] == VERIFIABLE:
            self.unchecked += 1
        else:
            raise RecordError(f'the "kind" of "shuffle" must be {VERIFIABLE} or {SEEDED}')
        self.matches += 1
        self._header = line
        self._match = Match(line.rules, len(line.seats), line.first_dealer)
        self._due = []
        self._broken = False
        return self._header, self._match

    def _hand(self, line: HandLine, match: Match) -> Iterator[tuple[Played | None, list[Event]]]:
        if self._due:
            line_due = "pot" if isinstance(self._due[0], PotWon) else "end"
            raise RecordError(f"the {line_due} line of the last hand is missing")
        _compare(line.n, "n", match.next_pack[0])
        if self._seeded is not None:
            for redeal, pack in enumerate(line.packs):
                if pack != self._seeded.pack(line.n, redeal):
                    raise RecordError(f"pack {redeal + 1} is not the one that the seed gives")
        packs = iter(line.packs)
        moves = ((played.seat, played.action) for played in line.actions)
        try:
            for at, events in play(match, packs, moves):
                self._note(line, events)
                yield None if at is None else line.actions[at], events
        except Unplayable as stop:
            # A match may be broken off between an action and the pack that it needs.
            if not (stop.lacks_pack and line.outcome is None and stop.at == len(line.actions) - 1):
                where = "" if stop.at < 0 else f"action {stop.at + 1}: "
                raise RecordError(f"{where}{stop.text}") from None
        if next(packs, None) is not None:
            raise RecordError("a pack is left over")
        self._close_hand(line, match)

    def _note(self, line: HandLine, events: Sequence[Event]) -> None:
        for event in events:
            match event:
                case HandBegan(_, pot, dealer, lives, _):
                    _compare(line.pot, "pot", pot)
                    _compare(line.dealer, "dealer", dealer)
                    _compare(line.lives, "lives", lives)
                case PotWon() | MatchEnded():
                    self._due.append(event)

    def _close_hand(self, line: HandLine, match: Match) -> None:
        assert match.hand is not None
        showdown, told = match.hand.showdown, line.outcome
        if showdown is None:
            if told is not None:
                raise RecordError("the hand is not over after its last action")
            self._broken = True
            return
        if told is None:
            raise RecordError("the hand is over, and its outcome is missing")
        outcome = Outcome.of(showdown)
        _compare(_codes(told.cards), "cards", _codes(outcome.cards))
        _compare(told.struck, "struck", outcome.struck)
        _compare(told.low_harlekins, "low_harlekins", outcome.low_harlekins)
        _compare(told.lost, "lost", outcome.lost)
        _compare(told.lives_after, "lives_after", outcome.lives_after)

    def _pot(self, line: PotLine) -> None:
        if not self._due or not isinstance(won := self._due.pop(0), PotWon):
            raise RecordError("no pot was won by the last hand")
        _compare(line.n, "n", won.pot)
        _compare(line.winner, "winner", won.winner)
        _compare(line.points, "points", won.points)

    def _end(self, line: EndLine, match: Match) -> None:
        if self._due and isinstance(self._due[0], PotWon):
            raise RecordError("the pot line of the last hand is missing")
        if match.winner is None and line.winner is not None:
            raise RecordError("the match is not decided yet")
        _compare(line.winner, "winner", match.winner)
        _compare(line.points, "points", match.points)
        self._header = None
        self._match = None
        self._due = []
