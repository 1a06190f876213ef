"""How the lines of a match record are read back (protocol/record.md).

Owns the shape: every wrong type, missing field and unknown line ends in a RecordError, and nothing else is ever
raised. What the fields say of each other is for `judge` and `replay` to look at. An unknown field is passed over,
since fields may be added.
"""

import json
from enum import Enum
from math import inf
from typing import Any, Final, NoReturn, TypeVar

from kille_net.game.actions import Action
from kille_net.game.cards import Card, Pack, is_pack
from kille_net.game.record import (
    VERSION,
    By,
    EndLine,
    HandLine,
    Json,
    Line,
    MatchLine,
    Outcome,
    Played,
    PotLine,
    RecordError,
    SeatLabel,
)
from kille_net.game.rules import MAX_SEATS, MIN_SEATS, Format, HarlekinRank, Length, Ruleset, Seat

__all__ = ["parse_line", "read_action", "read_json", "read_packs", "read_rules", "read_table"]

_MOST_KEY: Final = 40
_BOM: Final = "\ufeff"
_E = TypeVar("_E", bound=Enum)


def _object(pairs: list[tuple[str, Any]]) -> Json:
    told: Json = {}
    for key, value in pairs:
        if key in told:
            raise RecordError("not a line of JSON: the key {key} comes twice", key=json.dumps(key[:_MOST_KEY]))
        told[key] = value
    return told


def _no_number(text: str) -> NoReturn:
    raise RecordError("not a line of JSON: {text} is no number there", text=text)


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_number)


def read_json(line: str | bytes) -> Json:
    """The object that a line holds. Raises RecordError for all that is none, also for a key that comes twice."""
    try:
        text = line if isinstance(line, str) else line.decode()
        if text.startswith(_BOM):
            raise RecordError(
                "not a line of JSON: it begins with a byte order mark; save the file as UTF-8 without one"
            )
        told = _DECODER.decode(text)
    except (ValueError, RecursionError):
        raise RecordError("not a line of JSON") from None
    if type(told) is not dict:
        raise RecordError("not a JSON object")
    return told


def parse_line(line: str | bytes) -> Line:
    """One line of a record. Raises RecordError; what its fields say of each other is not looked at."""
    told = read_json(line)
    match told.get("type"):
        case "match":
            return _match_line(told)
        case "hand":
            return _hand_line(told)
        case "pot":
            return PotLine(n=_integer(told, "n", 1), winner=_integer(told, "winner"), points=_integers(told, "points"))
        case "end":
            return _end_line(told)
    raise RecordError('a line whose "type" is none of match, hand, pot and end')


def _match_line(told: Json) -> MatchLine:
    if _integer(told, "v") != VERSION:
        raise RecordError(
            'its "v" is not {version}, the only shape of records that this version reads', version=VERSION
        )
    match_id, shuffle = _text(told, "id"), _mapping(told, "shuffle")
    if len(match_id) != 32 or not set(match_id) <= set("0123456789abcdef"):  # noqa: PLR2004  two digits a byte
        raise RecordError('"id" must be 32 hexadecimal digits')
    _text(shuffle, "kind")
    seats = _get(told, "seats")
    if type(seats) is not list or not MIN_SEATS <= len(seats) <= MAX_SEATS:
        raise RecordError('"seats" must be a list of 2 to 8')
    rules = _mapping(told, "rules")
    for key in ("format", "length", "dealt_harlekin", "pots"):
        _get(rules, key)
    return MatchLine(
        id=bytes.fromhex(match_id),
        rules=read_rules(rules),
        seats=tuple(map(_seat_label, seats)),
        first_dealer=_seat(told, "first_dealer", len(seats)),
        shuffle=shuffle,
        is_rematch=_flag(told, "rematch"),
        rules_version=_integer(told, "rules_version"),
    )


def _seat_label(told: object) -> SeatLabel:
    if type(told) is not dict:
        raise RecordError('"seats" must hold objects')
    return SeatLabel(_text(told, "name"), _text(told, "bot") if "bot" in told else None)


def _hand_line(told: Json) -> HandLine:
    lives, dealer = read_table(told)
    actions = _get(told, "actions")
    if type(actions) is not list:
        raise RecordError('"{key}" must be a list', key="actions")
    return HandLine(
        n=_integer(told, "n", 1),
        pot=None if _get(told, "pot") is None else _integer(told, "pot", 1),
        dealer=dealer,
        lives=lives,
        packs=read_packs(told),
        actions=tuple(map(_played, actions)),
        outcome=_outcome(told),
    )


def _played(told: object) -> Played:
    seat, action = read_action(told)
    assert isinstance(told, dict)
    t, by = told.get("t"), told.get("by")
    if t is not None and (type(t) not in {int, float} or not 0 <= t < inf):
        raise RecordError('"t" must be a number of seconds')
    return Played(seat, action, t, None if by is None else _choice(told, "by", By))


def _outcome(told: Json) -> Outcome | None:
    keys = ("cards", "struck", "low_harlekins", "lost", "lives_after")
    if not any(key in told for key in keys):
        return None
    cards = _get(told, "cards")
    if type(cards) is not list:
        raise RecordError('"{key}" must be a list', key="cards")
    return Outcome(
        cards=tuple(None if code is None else _card(code) for code in cards),
        struck=_integers(told, "struck"),
        low_harlekins=_integers(told, "low_harlekins"),
        lost=_integers(told, "lost"),
        lives_after=_integers(told, "lives_after"),
    )


def _end_line(told: Json) -> EndLine:
    winner = None if _get(told, "winner") is None else _integer(told, "winner")
    known = {"type", "winner", "points", "reason"}
    return EndLine(
        winner=winner,
        points=_integers(told, "points"),
        reason=_text(told, "reason") if winner is None or "reason" in told else None,
        revealed={key: value for key, value in told.items() if key not in known},
    )


def read_rules(told: object) -> Ruleset:
    """The rules of a match or a hand; what is not said is as by default. Raises RecordError."""
    if type(told) is not dict:
        raise RecordError('"{key}" must be an object', key="rules")
    default = Ruleset()
    return Ruleset(
        format=_choice(told, "format", Format, default.format),
        length=_choice(told, "length", Length, default.length),
        dealt_harlekin=_choice(told, "dealt_harlekin", HarlekinRank, default.dealt_harlekin),
        pots=_integer(told, "pots", 1) if "pots" in told else default.pots,
    )


def read_table(told: Json) -> tuple[tuple[int, ...], Seat]:
    """The lives by seat, and the dealer, of a hand that can be dealt (S1). Raises RecordError."""
    lives = _integers(told, "lives")
    if not MIN_SEATS <= len(lives) <= MAX_SEATS:
        raise RecordError('"lives" must be those of 2 to 8 seats')
    if sum(number > 0 for number in lives) < MIN_SEATS:
        raise RecordError("fewer than two seats have lives")
    dealer = _seat(told, "dealer", len(lives))
    if not lives[dealer]:
        raise RecordError("the dealer has no lives")
    return lives, dealer


def read_packs(told: Json) -> tuple[Pack, ...]:
    """The packs of a hand. Raises RecordError unless each is one (P1)."""
    packs = _get(told, "packs")
    if type(packs) is not list:
        raise RecordError('"{key}" must be a list', key="packs")
    return tuple(map(_pack, packs))


def _pack(codes: object) -> Pack:
    if type(codes) is list:
        pack = tuple(map(_card, codes))
        if is_pack(pack):
            return pack
    raise RecordError("a pack must be the 42 cards, two of each kind")


def _card(code: object) -> Card:
    if type(code) is str:
        try:
            return Card.of_code(code)
        except KeyError:
            pass
    raise RecordError("a card must be one of the 21 codes")


_ACTIONS: Final = {action.code: action for action in Action}


def read_action(told: object) -> tuple[Seat, Action]:
    """Who did what. Raises RecordError; the seat may be none of the table's."""
    if type(told) is not dict:
        raise RecordError("an action must be an object")
    action = _ACTIONS.get(_text(told, "do"))
    if action is None:
        raise RecordError('"{key}" must be one of {words}', key="do", words=", ".join(_ACTIONS))
    seat = _get(told, "seat")
    if type(seat) is not int:
        raise RecordError('"seat" must be an integer')
    return seat, action


def _get(told: Json, key: str) -> object:
    if key not in told:
        raise RecordError('"{key}" is missing', key=key)
    return told[key]


def _integer(told: Json, key: str, least: int = 0) -> int:
    value = _get(told, key)
    if type(value) is not int or value < least:
        raise RecordError('"{key}" must be an integer, {least} or more', key=key, least=least)
    return value


def _integers(told: Json, key: str) -> tuple[int, ...]:
    values = _get(told, key)
    if type(values) is not list or not all(type(value) is int and value >= 0 for value in values):
        raise RecordError('"{key}" must be a list of integers, 0 or more', key=key)
    return tuple(values)


def _seat(told: Json, key: str, seats: int) -> Seat:
    seat = _integer(told, key)
    if seat >= seats:
        raise RecordError('"{key}" must be a seat of the table', key=key)
    return seat


def _flag(told: Json, key: str) -> bool:
    """False where it is not told."""
    value = told.get(key, False)
    if type(value) is not bool:
        raise RecordError('"{key}" must be true or false', key=key)
    return value


def _text(told: Json, key: str) -> str:
    value = _get(told, key)
    if type(value) is not str:
        raise RecordError('"{key}" must be a string', key=key)
    return value


def _mapping(told: Json, key: str) -> Json:
    value = _get(told, key)
    if type(value) is not dict:
        raise RecordError('"{key}" must be an object', key=key)
    return value


def _choice(told: Json, key: str, choices: type[_E], default: _E | None = None) -> _E:
    if default is not None and key not in told:
        return default
    try:
        return choices(_text(told, key))
    except ValueError:
        raise RecordError(
            '"{key}" must be one of {words}', key=key, words=", ".join(choice.value for choice in choices)
        ) from None
