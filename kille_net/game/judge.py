"""The referee: what the rules say of one hand that somebody wrote down (protocol/record.md).

Owns the playing of recorded packs and actions on the engine; `replay` does it for whole matches. Pure: a line goes in
and an answer comes out, whatever the line holds.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from kille_net.game.actions import Action, IllegalAction, Phase, Refusal
from kille_net.game.cards import Pack
from kille_net.game.events import Event, HiddenCard
from kille_net.game.hand import Hand
from kille_net.game.match import Match
from kille_net.game.reading import read_action, read_json, read_packs, read_rules, read_table
from kille_net.game.record import Json, Outcome, RecordError
from kille_net.game.rules import RULES_VERSION, Ruleset, Seat

__all__ = ["OTHER_RULES", "Judgement", "Move", "Referee", "Unplayable", "play", "referee"]

_WHY: Final = {
    Refusal.NO_HAND: "the hand is over",
    Refusal.NOT_IN_HAND: "the seat is not in the hand",
    Refusal.NOT_YOUR_TURN: "it is not the turn of the seat",
    Refusal.NOT_ASKED: "the seat was not asked for better cards",
    Refusal.MUST_ANSWER: "the seat must answer the ask for better cards first",
    Refusal.WRONG_ANSWER: "the seat cannot answer the ask for better cards so",
    Refusal.CANNOT_ASK: "the seat cannot ask for better cards now",
    Refusal.NO_KUKU: "the seat holds no Kuku",
}
OTHER_RULES: Final = "it was played by another version of the rules than {version}, the one judged by here"

Move: TypeAlias = tuple[Seat, Action]


class Unplayable(Exception):
    """The hand stops at the move `at`, from 0; -1: before the first."""

    def __init__(self, error: RecordError, at: int, *, lacks_pack: bool = False) -> None:
        super().__init__(error.text)
        self.error = error
        self.at = at
        self.lacks_pack = lacks_pack


def play(table: Hand | Match, packs: Iterator[Pack], moves: Iterator[Move]) -> Iterator[tuple[int | None, list[Event]]]:
    """Play one hand: the index of each move, or None for each pack, with what followed. Raises Unplayable."""
    at = -1
    dealt = False
    while True:
        while not dealt or table.phase is Phase.DEAL:
            pack = next(packs, None)
            if pack is None:
                raise Unplayable(RecordError("a pack is needed that is not there"), at, lacks_pack=True)
            yield None, table.deal(pack)
            dealt = True
        at += 1
        try:
            move = next(moves, None)
            if move is None:
                return
            events = table.act(*move)
        except RecordError as error:
            raise Unplayable(error, at) from None
        except IllegalAction as illegal:
            raise Unplayable(RecordError(_WHY[illegal.refusal]), at) from None
        yield at, events


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a referee says of a hand."""

    answer: Json
    """The line that `kille referee` writes."""
    events: tuple[Event, ...] = ()
    """What happened, as far as the hand could be played."""
    lives: tuple[int, ...] = ()
    """Before the hand; none where there was no table."""
    dealer: Seat = 0
    error: RecordError | None = None
    """What is wrong; None: nothing is."""

    @property
    def playable(self) -> bool:
        return "error" not in self.answer


def _error(error: RecordError, at: int | None = None) -> Json:
    return {"error": error.text, "at": at}


def referee(told: Json, rules: Ruleset) -> Judgement:
    """Judge a hand of which `lives`, `dealer`, `packs` and `actions` are looked at."""
    try:
        lives, dealer = read_table(told)
        packs = read_packs(told)
        actions = told.get("actions")
        if type(actions) is not list:
            raise RecordError('"{key}" must be a list', key="actions")
    except RecordError as error:
        return Judgement(_error(error), error=error)
    hand = Hand(rules, lives, dealer)
    events: list[Event] = []
    wrong = None
    try:
        for _, more in play(hand, iter(packs), map(read_action, actions)):
            events += more
        answer = _answer(hand)
    except Unplayable as stop:
        wrong = stop.error
        answer = _error(wrong, None if stop.at < 0 else stop.at)
    return Judgement(answer, tuple(events), lives, dealer, wrong)


def _answer(hand: Hand) -> Json:
    if hand.showdown is not None:
        return {"done": True} | Outcome.of(hand.showdown).to_object()
    return {
        "done": False,
        "to_act": hand.to_act,
        "cards": _codes(hand.table.cards()),
        "struck": list(hand.struck),
        "face_up": list(hand.table.face_up),
    }


def _codes(cards: tuple[HiddenCard, ...]) -> list[str | None]:
    return [None if card is None else card.code for card in cards]


class Referee:
    """Judges line after line, and keeps the rules of the last match line for the hands after it."""

    def __init__(self) -> None:
        self._rules: Ruleset | RecordError = Ruleset()
        self.names: tuple[str, ...] = ()
        """Of the seats, from the last match line; none where it names none."""

    def judge(self, line: str | bytes) -> Judgement | None:
        """What there is to say of a line; None: it is no hand. A line without a `type` is taken for one."""
        try:
            told = read_json(line)
            match told.get("type", "hand"):
                case "match":
                    self._read_match(told)
                case "hand":
                    return referee(told, self._rules_of(told))
        except RecordError as error:
            return Judgement(_error(error), error=error)
        return None

    def _read_match(self, told: Json) -> None:
        self.names = ()
        seats = told.get("seats")
        if type(seats) is list:
            names = [seat.get("name") for seat in seats if type(seat) is dict]
            self.names = tuple(name for name in names if type(name) is str)
        try:
            if told.get("rules_version", RULES_VERSION) != RULES_VERSION:
                raise RecordError(OTHER_RULES, version=RULES_VERSION)
            self._rules = read_rules(told.get("rules", {}))
        except RecordError as error:
            self._rules = error

    def _rules_of(self, told: Json) -> Ruleset:
        if "rules" in told:
            return read_rules(told["rules"])
        if isinstance(self._rules, RecordError):
            raise self._rules
        return self._rules
