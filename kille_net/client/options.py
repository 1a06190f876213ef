"""The options of rooms and of tournaments, as people write them: `name=value`, in any language.

Owns their names, what each may be, and how what was typed becomes a room's options or a tournament's plan. Refuses to
know which commands take which.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import product
from typing import Any, Final, TypeVar, get_type_hints

import msgspec

from kille_net.languages import LANGUAGES, words
from kille_net.wire.messages import Level, Options, Plan, Quick
from kille_net.wire.options import DEFAULT_OPTIONS, DEFAULT_PLAN

__all__ = [
    "OPTIONS",
    "PASSWORD",
    "PLANS",
    "VALUES",
    "WISHES",
    "Fault",
    "default_word",
    "every_word",
    "option_meaning",
    "option_named",
    "option_values",
    "option_word",
    "plain",
    "read_level",
    "read_options",
    "read_plan",
    "read_switch",
    "read_wish",
    "value_word",
    "values_of",
]

_Kind = TypeVar("_Kind", Options, Plan)

PASSWORD: Final = "password"
"""The one option that is no part of what a room plays."""
_OPTION_TYPES: Final = get_type_hints(Options, include_extras=True)
_PLAN_TYPES: Final = {
    name: kind for name, kind in get_type_hints(Plan, include_extras=True).items() if name != "options"
}
_TYPES: Final[Mapping[str, Any]] = {**_OPTION_TYPES, **_PLAN_TYPES}
OPTIONS: Final = (*_OPTION_TYPES, PASSWORD)
"""The options of a room, which may be called by these names and by `words.option.…`."""
PLANS: Final = (*_PLAN_TYPES, *_OPTION_TYPES)
"""Those of a tournament: its own, and those of its tables."""
WISHES: Final = ("seats", "format", "length")
"""The options that whoever wants to play soon may wish for."""
VALUES: Final = tuple(
    dict.fromkeys(
        word.value for kind in _TYPES.values() if isinstance(kind, type) and issubclass(kind, Enum) for word in kind
    )
)
"""The words that options may have as their values; `words.value.…` are others for them."""
_IN_SECONDS: Final = frozenset({"start", "check_in", "call", "pause"})
"""Options in seconds that take `90`, `15m` and `2h` alike."""
_LASTING: Final = re.compile(r"([0-9]{1,6})(s|m|min|h|t|tim)")
_TIME_OF_DAY: Final = re.compile(r"([01]?[0-9]|2[0-3])[:.]([0-5][0-9])")
_DAY: Final = 86_400
_ALIKE: Final = {
    "start": "|10m|2h|20:30",
    "minutes": "|10m|2h",
    **dict.fromkeys(("check_in", "call", "pause"), "|90s|10m"),
}
"""How else these may be written, beside the plain number of their unit."""
_OF_PLANS: Final = frozenset({"seats", "computers"})
"""Options of tables that mean something else in a tournament."""
_SECONDS: Final = {"s": 1, "m": 60, "min": 60, "h": 3600, "t": 3600, "tim": 3600}


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a line was not understood: the key of a text, and what was typed."""

    key: str
    word: str = ""


def plain(word: str) -> str:
    """The word as it is compared."""
    return unicodedata.normalize("NFC", word).casefold()


def every_word(kind: str, names: Iterable[str]) -> dict[str, str]:
    """Each word of every language → what it stands for; where languages fall out, the first of them is right."""
    found = {name: name for name in names}
    for lang, name in product(LANGUAGES, tuple(found)):
        for word in words(lang, f"words.{kind}.{name}"):
            found.setdefault(plain(word), name)
    return found


_NAMES: Final = every_word("option", (*PLANS, PASSWORD))
_VALUES: Final = every_word("value", VALUES)
_SWITCH: Final = every_word("switch", ("on", "off"))


def option_named(word: str) -> str | None:
    """The option that a word of any language stands for."""
    return _NAMES.get(plain(word))


# --- reading ----------------------------------------------------------------------------------------------------------


def read_options(given: Mapping[str, str], base: Options = DEFAULT_OPTIONS) -> Options | Fault:
    """The options of a room: those given over those of `base`. A password is none of them."""
    return _read(Options, {name: word for name, word in given.items() if name != PASSWORD}, base)


def read_plan(given: Mapping[str, str], base: Plan = DEFAULT_PLAN, *, of_day: int = 0) -> Plan | Fault:
    """The plan of a tournament, and what its tables play: what is given over `base`.

    `of_day`: seconds since midnight; a time of day that is past is that of tomorrow.
    """
    tables = read_options({name: word for name, word in given.items() if name in _OPTION_TYPES}, base.options)
    if isinstance(tables, Fault):
        return tables
    own = {name: word for name, word in given.items() if name in _PLAN_TYPES}
    if (of_clock := _TIME_OF_DAY.fullmatch(own.get("start", ""))) is not None:
        seconds = int(of_clock[1]) * 3600 + int(of_clock[2]) * 60
        own["start"] = str((seconds - of_day) % _DAY or _DAY)
    through = min(base.through, tables.seats // 2)  # more than that is no plan (§6.13)
    return _read(Plan, own, msgspec.structs.replace(base, options=tables, through=through))


def _read(kind: type[_Kind], given: Mapping[str, str], base: _Kind) -> _Kind | Fault:
    for name, word in given.items():
        try:
            base = msgspec.convert({**msgspec.to_builtins(base), name: _value(name, plain(word))}, kind)
        except msgspec.ValidationError:
            return Fault("bad_option", f"{name}={word}")
    return base


def _value(name: str, word: str) -> object:
    if _TYPES[name] is bool:
        switch = read_switch(word)
        return word if switch is None else switch
    if name in _IN_SECONDS and (lasting := _LASTING.fullmatch(word)) is not None:
        return int(lasting[1]) * _SECONDS[lasting[2]]
    if name == "minutes" and (lasting := _LASTING.fullmatch(word)) is not None:
        minutes, rest = divmod(int(lasting[1]) * _SECONDS[lasting[2]], 60)
        return word if rest else minutes
    return int(word) if word.isascii() and word.isdigit() else _VALUES.get(word, word)


def read_wish(given: Mapping[str, str]) -> Quick | Fault:
    """What whoever wants to play soon wishes for, of `WISHES`; its id is 0."""
    options = read_options(given)
    if isinstance(options, Fault):
        return options
    return Quick(
        id=0,
        seats=options.seats if "seats" in given else None,
        format=options.format if "format" in given else None,
        length=options.length if "length" in given else None,
    )


def read_level(word: str) -> Level | None:
    """The level of that name, in any language."""
    known = _VALUES.get(plain(word))
    return Level(known) if known in {level.value for level in Level} else None


def read_switch(word: str) -> bool | None:
    """Whether the word, of any language, is on or off; None: it is neither."""
    switch = _SWITCH.get(plain(word))
    return None if switch is None else switch == "on"


# --- telling ----------------------------------------------------------------------------------------------------------


def value_word(value: str, lang: str) -> str:
    """What a value of an option is called."""
    return words(lang, f"words.value.{value}")[0]


def option_word(name: str, lang: str) -> str:
    """What an option is called."""
    return words(lang, f"words.option.{name}")[0]


def values_of(name: str, lang: str) -> tuple[str, ...]:
    """The words that an option may be; none where it is a number."""
    kind = _TYPES[name]
    if kind is bool:
        return tuple(words(lang, f"words.switch.{switch}")[0] for switch in ("on", "off"))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return tuple(value_word(word.value, lang) for word in kind)
    return ()


def option_values(name: str, lang: str) -> str:
    """What an option may be: a range, or words. Of a password: how long it is, which the texts say."""
    if named := values_of(name, lang):
        return "|".join(named)
    (limits,) = _TYPES[name].__metadata__
    return f"{limits.ge}–{limits.le}{_ALIKE.get(name, '')}"


def option_meaning(name: str, *, of_plan: bool = False) -> str:
    """The key of the text that says what an option means, to a room or to a tournament."""
    return f"plan.{name}" if of_plan and name in _OF_PLANS else f"option.{name}"


def default_word(name: str, lang: str) -> str:
    """What an option is where nothing is said."""
    default = getattr(DEFAULT_PLAN if name in _PLAN_TYPES else DEFAULT_OPTIONS, name)
    if isinstance(default, bool):
        return words(lang, f"words.switch.{'on' if default else 'off'}")[0]
    return str(default) if isinstance(default, int) else value_word(default.value, lang)
