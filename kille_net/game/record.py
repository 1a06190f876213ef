"""Match records: what is written of a match, line by line (protocol/record.md).

Owns the lines as typed values, their JSON, and the recorder that makes them of what happens. Refuses to know files,
and whether a record is true.

To write, make a `MatchLine`, give it to a `Recorder`, write `to_json(recorder.header)`, and tell the recorder of
every pack and every action together with the events that followed; it answers with the lines that are finished::

    events = match.deal(pack)
    lines = recorder.dealt(pack, events)
    events = match.act(seat, action)
    lines = recorder.acted(seat, action, events, t=2.5, by=By.PLAYER)

To read one line, see `reading`; to judge a hand, `judge`; to replay or verify a whole record, `replay`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, TypeAlias

from kille_net.game.actions import Action
from kille_net.game.cards import Pack
from kille_net.game.events import (
    CardsThrown,
    Event,
    HandBegan,
    HiddenCard,
    MatchEnded,
    PotWon,
    Showdown,
)
from kille_net.game.rules import RULES_VERSION, Ruleset, Seat
from kille_net.game.shuffle import SEEDED, VERIFIABLE

__all__ = [
    "SEEDED",
    "VERIFIABLE",
    "VERSION",
    "By",
    "EndLine",
    "HandLine",
    "Json",
    "Line",
    "MatchLine",
    "Outcome",
    "Played",
    "PotLine",
    "RecordError",
    "Recorder",
    "SeatLabel",
    "to_json",
]

VERSION: Final = 1
"""The `v` of a match line: the shape of the record, as `rules_version` is that of the engine."""

Json: TypeAlias = dict[str, Any]


class RecordError(Exception):
    """A record, or a line of one, that does not hold; the text is one clause without a full stop.

    It is `template` with its `values`, by which it can be translated. `line` and `action`, of a hand, count from 1, and
    are None where a line was read by itself, or the line as a whole is meant.
    """

    def __init__(self, template: str, line: int | None = None, **values: object) -> None:
        super().__init__(template)
        self.template = template
        self.values = values
        self.line = line
        self.action: int | None = None

    @property
    def text(self) -> str:
        what = self.template.format(**self.values)
        return what if self.action is None else f"action {self.action}: {what}"

    def __str__(self) -> str:
        return self.text


class By(StrEnum):
    """Who took an action for a seat."""

    PLAYER = "player"
    CLOCK = "clock"
    STAND_IN = "stand-in"


@dataclass(frozen=True, slots=True)
class SeatLabel:
    name: str
    bot: str | None = None
    """What kind of computer sits there; None: a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchLine:
    """The first line of a record."""

    id: bytes
    """16 bytes."""
    rules: Ruleset
    seats: tuple[SeatLabel, ...]
    first_dealer: Seat
    shuffle: Mapping[str, Any]
    """`kind`, and what that kind needs (`told` of `shuffle`)."""
    is_rematch: bool = False
    """Whether the deal went on from a match before, so that the first dealer was not drawn."""
    rules_version: int = RULES_VERSION

    @staticmethod
    def seeded(seed: str) -> Mapping[str, str]:
        """The `shuffle` of a match whose packs come from `shuffle.Seeded` with this seed and the record's id."""
        return {"kind": SEEDED, "seed": seed}

    def to_object(self) -> Json:
        told = {
            "type": "match",
            "v": VERSION,
            "rules_version": self.rules_version,
            "id": self.id.hex(),
            "rules": {
                "format": self.rules.format.value,
                "length": self.rules.length.value,
                "dealt_harlekin": self.rules.dealt_harlekin.value,
                "pots": self.rules.pots,
            },
            "seats": [{"name": seat.name} | ({"bot": seat.bot} if seat.bot is not None else {}) for seat in self.seats],
            "first_dealer": self.first_dealer,
            "shuffle": dict(self.shuffle),
        }
        return told | {"rematch": True} if self.is_rematch else told


@dataclass(frozen=True, slots=True)
class Played:
    """An action that took effect."""

    seat: Seat
    action: Action
    t: float | None = None
    """Seconds since the deal."""
    by: By | None = None

    def to_object(self) -> Json:
        told: Json = {"seat": self.seat, "do": self.action.code}
        if self.t is not None:
            told["t"] = self.t
        if self.by is not None:
            told["by"] = self.by.value
        return told


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a hand ended."""

    cards: tuple[HiddenCard, ...]
    struck: tuple[Seat, ...]
    low_harlekins: tuple[Seat, ...]
    lost: tuple[Seat, ...]
    lives_after: tuple[int, ...]

    @classmethod
    def of(cls, showdown: Showdown) -> "Outcome":
        return cls(
            cards=showdown.cards,
            struck=showdown.struck,
            low_harlekins=showdown.low_harlekins,
            lost=showdown.lost,
            lives_after=showdown.lives,
        )

    def to_object(self) -> Json:
        return {
            "cards": [None if card is None else card.code for card in self.cards],
            "struck": list(self.struck),
            "low_harlekins": list(self.low_harlekins),
            "lost": list(self.lost),
            "lives_after": list(self.lives_after),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class HandLine:
    n: int
    pot: int | None
    """None: the slutspel."""
    dealer: Seat
    lives: tuple[int, ...]
    packs: tuple[Pack, ...]
    actions: tuple[Played, ...]
    outcome: Outcome | None
    """None: the match was broken off in this hand."""

    def to_object(self) -> Json:
        told = {
            "type": "hand",
            "n": self.n,
            "pot": self.pot,
            "dealer": self.dealer,
            "lives": list(self.lives),
            "packs": [[card.code for card in pack] for pack in self.packs],
            "actions": [played.to_object() for played in self.actions],
        }
        return told if self.outcome is None else told | self.outcome.to_object()


@dataclass(frozen=True, slots=True, kw_only=True)
class PotLine:
    n: int
    winner: Seat
    points: tuple[int, ...]

    def to_object(self) -> Json:
        return {"type": "pot", "n": self.n, "winner": self.winner, "points": list(self.points)}


@dataclass(frozen=True, slots=True, kw_only=True)
class EndLine:
    """The last line of a record."""

    winner: Seat | None
    """None: broken off, for a `reason`."""
    points: tuple[int, ...]
    reason: str | None = None
    revealed: Mapping[str, Any] = field(default_factory=dict)
    """Further fields: what a verifiable shuffle shows at last."""

    def to_object(self) -> Json:
        told: Json = {"type": "end", "winner": self.winner}
        if self.reason is not None:
            told["reason"] = self.reason
        return told | {"points": list(self.points)} | dict(self.revealed)


Line: TypeAlias = MatchLine | HandLine | PotLine | EndLine


def to_json(line: Line) -> str:
    """The line as a record has it, without the line's end."""
    return json.dumps(line.to_object(), ensure_ascii=False)


# --- writing ----------------------------------------------------------------------------------------------------------


class Recorder:
    """Follows one match and gives the lines of its record as they are finished."""

    def __init__(self, header: MatchLine, *, revealed: Mapping[str, Any] | None = None) -> None:
        """`revealed`: fields of the end line, the secret of a verifiable shuffle."""
        self.header: Final = header
        """The first line, which no method gives."""
        self._revealed = revealed or {}
        self._points: tuple[int, ...] = (0,) * len(header.seats)
        self._began: HandBegan | None = None
        self._packs: list[Pack] = []
        self._actions: list[Played] = []
        self._showdown: Showdown | None = None

    def dealt(self, pack: Pack, events: Sequence[Event]) -> list[Line]:
        """A pack was dealt, and the events followed from it."""
        self._packs.append(pack)
        return self._follow(events)

    def acted(
        self, seat: Seat, action: Action, events: Sequence[Event], *, t: float | None = None, by: By | None = None
    ) -> list[Line]:
        """An action took effect, and the events followed from it; `t` counts seconds since the deal."""
        self._actions.append(Played(seat, action, t, by))
        return self._follow(events)

    def broken_off(self, reason: str) -> list[Line]:
        """The match will not be played to its end."""
        lines: list[Line] = [] if self._began is None else [self._hand_line(self._began)]
        return [*lines, EndLine(winner=None, points=self._points, reason=reason, revealed=self._revealed)]

    def _follow(self, events: Sequence[Event]) -> list[Line]:
        lines: list[Line] = []
        for event in events:
            match event:
                case HandBegan():
                    self._began = event
                case Showdown():
                    self._showdown = event
                case CardsThrown():  # a tied duel is dealt again (G3)
                    self._showdown = None
        if self._showdown is None:
            return lines
        assert self._began is not None
        lines.append(self._hand_line(self._began))
        for event in events:
            match event:
                case PotWon(pot, winner, points):
                    self._points = points
                    lines.append(PotLine(n=pot, winner=winner, points=points))
                case MatchEnded(winner, points):
                    lines.append(EndLine(winner=winner, points=points, revealed=self._revealed))
        return lines

    def _hand_line(self, began: HandBegan) -> HandLine:
        line = HandLine(
            n=began.number,
            pot=began.pot,
            dealer=began.dealer,
            lives=began.lives,
            packs=tuple(self._packs),
            actions=tuple(self._actions),
            outcome=None if self._showdown is None else Outcome.of(self._showdown),
        )
        self._began = None
        self._packs = []
        self._actions = []
        self._showdown = None
        return line
