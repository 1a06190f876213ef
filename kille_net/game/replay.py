"""Whole match records, gone through event by event beside the engine, and whether they are true (protocol/record.md).

Owns the comparison of records with the engine. Pure and streaming: records are lines of text, and no line makes
anything here raise but RecordError.

- `replay(lines)` gives every step of a record, and raises at the first thing that does not hold.
- `verify(lines)` does that to the end and says what came of it.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kille_net.game.events import Event, HandBegan, HiddenCard, MatchEnded, PotWon
from kille_net.game.judge import OTHER_RULES, Unplayable, play
from kille_net.game.match import Match
from kille_net.game.reading import parse_line
from kille_net.game.record import (
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
from kille_net.game.shuffle import ID_SIZE, NONCE_SIZE, SECRET_SIZE, SEEDED, VERIFIABLE, Material, Seeded

if TYPE_CHECKING:
    from kille_net.game.cards import Pack

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
    error: RecordError | None
    """The first thing that does not hold."""


def replay(lines: Iterable[str | bytes], *, prepared: bool = False) -> Iterator[Step]:
    """Every step of the record, or of several one after the other. Raises RecordError, with its line.

    `prepared`: the packs are taken as they are, whatever they should follow from.
    """
    return _Reader(prepared=prepared).read(lines)


def verify(lines: Iterable[str | bytes], *, prepared: bool = False) -> Verdict:
    """Re-referee every hand, compare every outcome, shuffle every pack and count everything again.

    `prepared`: the packs were laid by hand, and follow from nothing.
    """
    reader = _Reader(prepared=prepared)
    error = None
    try:
        for _ in reader.read(lines):
            pass
    except RecordError as wrong:
        error = wrong
    return Verdict(reader.matches, reader.hands, error)


_COMMITMENT: Final = 'the "commitment" of "shuffle" must be {digits} hexadecimal digits'
_NONCE: Final = 'each of the "nonces" of "shuffle" must be {digits} hexadecimal digits'
_PACKS_OF: Final = 'the "packs_of" of "shuffle" must be {digits} hexadecimal digits'
_SECRET: Final = '"secret" must be {digits} hexadecimal digits'


def _compare(told: object, name: str, value: object) -> None:
    """Raise RecordError unless the record tells what the engine says."""
    if told != value:
        raise RecordError('"{name}" must be {value}', name=name, value=json.dumps(value))


def _codes(cards: tuple[HiddenCard, ...]) -> tuple[str | None, ...]:
    return tuple(None if card is None else card.code for card in cards)


def _shuffle(line: MatchLine, number: int) -> "Seeded | _Sealed":
    kind = line.shuffle["kind"]
    if kind == SEEDED:
        return _seeded(line)
    if kind == VERIFIABLE:
        return _Sealed(line, number)
    raise RecordError('the "kind" of "shuffle" must be {one} or {other}', one=VERIFIABLE, other=SEEDED)


def _seeded(line: MatchLine) -> Seeded:
    seed = line.shuffle.get("seed")
    if type(seed) is not str:
        raise RecordError('the "seed" of "shuffle" must be a string')
    told = line.shuffle.get("packs_of")
    packs_of = None if told is None else _bytes(told, _PACKS_OF, ID_SIZE)
    try:
        seeded = Seeded(seed, line.id, packs_of)
    except ValueError:
        raise RecordError('the "seed" of "shuffle" must be a string of whole characters') from None
    # Tables that share packs share the first dealer too, or the same seat would not have the same luck.
    if packs_of is not None and not line.is_rematch and seeded.first_dealer(len(line.seats)) != line.first_dealer:
        raise RecordError("the first dealer is not the one that the seed gives")
    return seeded


def _bytes(told: object, template: str, size: int) -> bytes:
    if type(told) is str and len(told) == 2 * size and set(told) <= set("0123456789abcdef"):
        return bytes.fromhex(told)
    raise RecordError(template, digits=2 * size)


class _Sealed:
    """A shuffle whose secret comes on the last line: what it must have given is kept until then."""

    def __init__(self, line: MatchLine, number: int) -> None:
        """From the match line and its number. Raises RecordError where it does not hold what is needed."""
        self._line = line
        self._number = number
        self._commitment = _bytes(line.shuffle.get("commitment"), _COMMITMENT, SECRET_SIZE)
        nonces = line.shuffle.get("nonces")
        if type(nonces) is not list or len(nonces) != len(line.seats):
            raise RecordError('the "nonces" of "shuffle" must be a list with one for each seat')
        self._nonces = tuple(None if nonce is None else _bytes(nonce, _NONCE, NONCE_SIZE) for nonce in nonces)
        self._packs: list[tuple[int, int, int, Pack]] = []

    def keep(self, number: int, line: HandLine) -> None:
        """The hand of that line of the record."""
        self._packs += [(number, line.n, redeal, pack) for redeal, pack in enumerate(line.packs)]

    def open(self, secret: object) -> None:
        """Raise RecordError, with its line, unless all of it follows from the secret."""
        line = self._line
        material = Material(_bytes(secret, _SECRET, SECRET_SIZE), line.id, self._nonces)
        if material.commitment != self._commitment:
            raise RecordError("the secret is not the one that was committed to")
        if not line.is_rematch and material.first_dealer(len(line.seats)) != line.first_dealer:
            raise RecordError("the first dealer is not the one that the secret gives", self._number)
        for number, hand, redeal, pack in self._packs:
            if pack != material.pack(hand, redeal):
                raise RecordError("pack {pack} is not the one that the secret gives", number, pack=redeal + 1)


class _Reader:
    """Goes through records line by line beside a match of its own."""

    def __init__(self, *, prepared: bool = False) -> None:
        self.matches = 0
        self.hands = 0
        self._prepared = prepared
        self._header: MatchLine | None = None
        self._match: Match | None = None
        self._shuffle: Seeded | _Sealed | None = None
        """None: the packs are prepared."""
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
            error.line = error.line or number or 1
            raise

    def _read_line(self, number: int, line: Line) -> Iterator[Step]:
        if isinstance(line, MatchLine):
            header, match = self._begin(line, number)
            yield Step(number, line, header, match)
            return
        if self._header is None or self._match is None:
            raise RecordError("a record begins with a match line")
        header, match = self._header, self._match
        if self._broken and not isinstance(line, EndLine):
            raise RecordError("only the end line can follow a hand without an outcome")
        if isinstance(line, HandLine):
            if isinstance(self._shuffle, _Sealed):
                self._shuffle.keep(number, line)
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

    def _begin(self, line: MatchLine, number: int) -> tuple[MatchLine, Match]:
        if self._header is not None:
            raise RecordError("another match begins before the end line of the last")
        if line.rules_version != RULES_VERSION:
            raise RecordError(OTHER_RULES, version=RULES_VERSION)
        self._shuffle = None if self._prepared else _shuffle(line, number)
        self.matches += 1
        self._header = line
        self._match = Match(line.rules, len(line.seats), line.first_dealer)
        self._due = []
        self._broken = False
        return self._header, self._match

    def _hand(self, line: HandLine, match: Match) -> Iterator[tuple[Played | None, list[Event]]]:
        if self._due:
            if isinstance(self._due[0], PotWon):
                raise RecordError("the pot line of the last hand is missing")
            raise RecordError("the end line of the last hand is missing")
        _compare(line.n, "n", match.next_pack[0])
        if isinstance(self._shuffle, Seeded):
            for redeal, pack in enumerate(line.packs):
                if pack != self._shuffle.pack(line.n, redeal):
                    raise RecordError("pack {pack} is not the one that the seed gives", pack=redeal + 1)
        packs = iter(line.packs)
        moves = ((played.seat, played.action) for played in line.actions)
        try:
            for at, events in play(match, packs, moves):
                self._note(line, events)
                yield None if at is None else line.actions[at], events
        except Unplayable as stop:
            # A match may be broken off between an action and the pack that it needs.
            if not (stop.lacks_pack and line.outcome is None and stop.at == len(line.actions) - 1):
                stop.error.action = stop.at + 1 if stop.at >= 0 else None
                raise stop.error from None
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
        if isinstance(self._shuffle, _Sealed):
            self._shuffle.open(line.revealed.get("secret"))
        self._header = None
        self._match = None
        self._due = []
