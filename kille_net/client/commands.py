"""What may be typed: one table, from which parsing, completion and help all come.

Owns what the words of the catalogues stand for, all of which are understood in every language. Refuses to know what an
order does.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from itertools import product
from types import MappingProxyType
from typing import Final, NamedTuple, get_type_hints

import msgspec

from kille_net.languages import LANGUAGES, words
from kille_net.wire.messages import Level, Options, Quick
from kille_net.wire.options import DEFAULT_OPTIONS
from kille_net.wire.states import Place

__all__ = [
    "OPTIONS",
    "PASSWORD",
    "TABLE",
    "TABLE_BY_VERB",
    "VALUES",
    "WISHES",
    "Fault",
    "Order",
    "Row",
    "Suggestion",
    "Takes",
    "Verb",
    "is_all",
    "is_marks",
    "option_values",
    "option_word",
    "parse",
    "read_level",
    "read_options",
    "read_switch",
    "read_wish",
    "row_of",
    "suggest",
    "value_word",
    "without_password",
]


class Verb(StrEnum):
    """What a person wants; its words are `words.verb.…`, and its help `help.…`."""

    ROOMS = "rooms"
    CREATE = "create"
    JOIN = "join"
    QUICK = "quick"
    WATCH = "watch"
    LEAVE = "leave"
    READY = "ready"
    AGAIN = "again"
    START = "start"
    PAUSE = "pause"
    RESUME = "resume"
    ADD = "add"
    REMOVE = "remove"
    KICK = "kick"
    STAND = "stand"
    SWAP = "swap"
    KUKU = "kuku"
    ASK = "ask"
    ACCEPT = "accept"
    REFUSE = "refuse"
    DEPENDS = "depends"
    NEXT = "next"
    SAY = "say"
    IGNORE = "ignore"
    UNIGNORE = "unignore"
    WHO = "who"
    SCORE = "score"
    CARD = "card"
    RULES = "rules"
    COACH = "coach"
    WHY = "why"
    HELP = "help"
    QUIT = "quit"


class Takes(Enum):
    """What may follow a verb; the texts of each are `takes.…`."""

    NOTHING = "nothing"
    ROOM = "room"
    NEW_ROOM = "new_room"
    WISH = "wish"
    YES_NO = "yes_no"
    ON_OFF = "on_off"
    COMPUTERS = "computers"
    SEAT = "seat"
    SPEAKER = "speaker"
    TEXT = "text"
    CARD = "card"
    TOPIC = "topic"
    VERB = "verb"


class Row(NamedTuple):
    verb: Verb
    takes: Takes
    places: frozenset[Place]
    """Where it means something."""

    def words(self, lang: str) -> tuple[str, ...]:
        """Its words in that language, the name first."""
        return words(lang, f"words.verb.{self.verb}")

    def shown(self, lang: str) -> str:
        """Its name, and its keys of one letter."""
        name, *others = self.words(lang)
        return ", ".join([name, *(word for word in others if len(word) == 1)])


_ANY: Final = frozenset(Place)
_LOBBY: Final = frozenset({Place.LOBBY})
_ROOM: Final = frozenset({Place.WATCHING, Place.SEATED})
_SEAT: Final = frozenset({Place.SEATED})

TABLE: Final[tuple[Row, ...]] = (
    Row(Verb.SWAP, Takes.NOTHING, _SEAT),
    Row(Verb.STAND, Takes.NOTHING, _SEAT),
    Row(Verb.KUKU, Takes.NOTHING, _SEAT),
    Row(Verb.ASK, Takes.NOTHING, _SEAT),
    Row(Verb.ACCEPT, Takes.NOTHING, _SEAT),
    Row(Verb.REFUSE, Takes.NOTHING, _SEAT),
    Row(Verb.DEPENDS, Takes.NOTHING, _SEAT),
    Row(Verb.NEXT, Takes.NOTHING, _SEAT),
    Row(Verb.ROOMS, Takes.NOTHING, _ANY),
    Row(Verb.QUICK, Takes.WISH, _LOBBY),
    Row(Verb.CREATE, Takes.NEW_ROOM, _LOBBY),
    Row(Verb.JOIN, Takes.ROOM, _LOBBY),
    Row(Verb.WATCH, Takes.ROOM, _LOBBY),
    Row(Verb.READY, Takes.YES_NO, _SEAT),
    Row(Verb.AGAIN, Takes.NOTHING, _SEAT),
    Row(Verb.START, Takes.NOTHING, _SEAT),
    Row(Verb.PAUSE, Takes.NOTHING, _SEAT),
    Row(Verb.RESUME, Takes.NOTHING, _SEAT),
    Row(Verb.ADD, Takes.COMPUTERS, _SEAT),
    Row(Verb.REMOVE, Takes.SEAT, _SEAT),
    Row(Verb.KICK, Takes.SEAT, _SEAT),
    Row(Verb.LEAVE, Takes.NOTHING, _ROOM),
    Row(Verb.SAY, Takes.TEXT, _ROOM),
    Row(Verb.IGNORE, Takes.SPEAKER, _ANY),
    Row(Verb.UNIGNORE, Takes.SPEAKER, _ANY),
    Row(Verb.WHO, Takes.NOTHING, _ANY),
    Row(Verb.SCORE, Takes.NOTHING, _ROOM),
    Row(Verb.CARD, Takes.CARD, _ANY),
    Row(Verb.RULES, Takes.TOPIC, _ANY),
    Row(Verb.COACH, Takes.ON_OFF, _ANY),
    Row(Verb.WHY, Takes.NOTHING, _ANY),
    Row(Verb.HELP, Takes.VERB, _ANY),
    Row(Verb.QUIT, Takes.NOTHING, _ANY),
)

PASSWORD: Final = "password"
"""The one option that is no part of what a room plays."""
_OPTION_TYPES: Final = get_type_hints(Options, include_extras=True)
OPTIONS: Final = (*_OPTION_TYPES, PASSWORD)
"""The options of a room, which may be called by these names and by `words.option.…`."""
WISHES: Final = ("seats", "format", "length")
"""The options that whoever wants to play soon may wish for."""
VALUES: Final = tuple(
    dict.fromkeys(
        word.value
        for kind in _OPTION_TYPES.values()
        if isinstance(kind, type) and issubclass(kind, Enum)
        for word in kind
    )
)
"""The words that options may have as their values; `words.value.…` are others for them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A line that was understood."""

    verb: Verb
    rest: str = ""
    """What followed the verb, the options taken out."""
    options: Mapping[str, str] | None = None
    """`name=value`, by the options' own names; only where a room is named."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a line was not understood: the key of a text, and what was typed."""

    key: str
    word: str = ""


def _every_word(kind: str, names: Iterable[str]) -> dict[str, str]:
    """Each word of every language → what it stands for; where languages fall out, the first of them is right."""
    found = {name: name for name in names}
    for lang, name in product(LANGUAGES, tuple(found)):
        for word in words(lang, f"words.{kind}.{name}"):
            found.setdefault(_plain(word), name)
    return found


def _plain(word: str) -> str:
    return unicodedata.normalize("NFC", word).casefold()


TABLE_BY_VERB: Final = {row.verb: row for row in TABLE}
_VERBS: Final = _every_word("verb", Verb)
_OPTIONS: Final = _every_word("option", OPTIONS)
_VALUES: Final = _every_word("value", VALUES)
_SWITCH: Final = _every_word("switch", ("on", "off"))
_WHOLE: Final = _every_word("every", ("all", "marks"))
_OPTION_GIVEN: Final = re.compile(r"(?<!\S)([^\s=]+)=\S+")
_OPTIONS_OF: Final[Mapping[Takes, tuple[frozenset[str], str]]] = MappingProxyType(
    {
        Takes.ROOM: (frozenset({PASSWORD}), "only_password"),
        Takes.NEW_ROOM: (frozenset(OPTIONS), "unknown_option"),
        Takes.WISH: (frozenset(WISHES), "unknown_wish"),
    }
)
"""What takes options → which, and the key of the text about others."""


def row_of(word: str) -> Row | None:
    """The row that a word stands for."""
    verb = _VERBS.get(_plain(word))
    return None if verb is None else TABLE_BY_VERB[Verb(verb)]


def parse(line: str) -> Order | Fault | None:
    """What a line orders; None: an empty one. A leading `/` is allowed, and `'` says what follows."""
    line = unicodedata.normalize("NFC", line).strip()
    if line.startswith("'"):
        return _order(TABLE_BY_VERB[Verb.SAY], line[1:].strip())
    word, _, rest = line.removeprefix("/").partition(" ")
    if not word:
        return None
    row = row_of(word)
    return Fault("unknown_command", word) if row is None else _order(row, rest.strip())


def without_password(line: str) -> str:
    """The line as it may be shown and kept."""
    normal = unicodedata.normalize("NFC", line)
    shown = _OPTION_GIVEN.sub(lambda found: f"{found[1]}=…" if _is_password(found[1]) else found[0], normal)
    return line if shown == normal else shown


def _is_password(name: str) -> bool:
    return _OPTIONS.get(_plain(name), _plain(name)) == PASSWORD


def _order(row: Row, rest: str) -> Order | Fault:
    if row.takes is Takes.NOTHING and rest:
        return Fault("takes_nothing", row.verb)
    if row.takes in _OPTIONS_OF:
        return _with_options(row, rest)
    return Order(verb=row.verb, rest=rest)


def _with_options(row: Row, rest: str) -> Order | Fault:
    allowed, other = _OPTIONS_OF[row.takes]
    options: dict[str, str] = {}
    named: list[str] = []
    for word in rest.split():
        name, equals, value = word.partition("=")
        if not equals:
            named.append(word)
            continue
        known = _OPTIONS.get(_plain(name))
        if known not in allowed:
            return Fault(other, name)
        options[known] = value
    if named and row.takes is Takes.WISH:
        return Fault(other, named[0])
    return Order(verb=row.verb, rest=" ".join(named), options=options)


def read_options(given: Mapping[str, str], base: Options = DEFAULT_OPTIONS) -> Options | Fault:
    """The options of a room: those given over those of `base`. A password is none of them."""
    options = base
    for name, word in given.items():
        if name == PASSWORD:
            continue
        plain = _plain(word)
        value: object = int(plain) if plain.isascii() and plain.isdigit() else _VALUES.get(plain, plain)
        try:
            options = msgspec.convert({**msgspec.to_builtins(options), name: value}, Options)
        except msgspec.ValidationError:
            return Fault("bad_option", f"{name}={word}")
    return options


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


def value_word(value: str, lang: str) -> str:
    """What a value of an option is called."""
    return words(lang, f"words.value.{value}")[0]


def read_level(word: str) -> Level | None:
    """The level of that name, in any language."""
    plain = _VALUES.get(_plain(word))
    return Level(plain) if plain in {level.value for level in Level} else None


def read_switch(word: str) -> bool | None:
    """Whether the word, of any language, is on or off; None: it is neither."""
    switch = _SWITCH.get(_plain(word))
    return None if switch is None else switch == "on"


def is_all(word: str) -> bool:
    """Whether the word, of any language, asks for all that there is."""
    return _WHOLE.get(_plain(word)) == "all"


def is_marks(word: str) -> bool:
    """Whether it asks what the marks in the status lines mean."""
    return _WHOLE.get(_plain(word)) == "marks"


class Suggestion(NamedTuple):
    """What a half-typed line could go on with."""

    text: str
    back: int
    """How many of the last characters it takes the place of."""
    meaning: str


def suggest(
    line: str, lang: str, place: Place, names: Callable[[Takes], Mapping[str, str]], explain: Callable[[str], str]
) -> list[Suggestion]:
    """What may come at the end of a half-typed line, in the order of the table, and what it means.

    `names` are those of the rooms, seats, cards and topics that there are, each with its meaning; `explain` gives the
    text of a key.
    """
    line = unicodedata.normalize("NFC", line).lstrip().removeprefix("/")
    word, space, rest = line.partition(" ")
    if not space:
        start = _plain(word)
        return [
            Suggestion(row.words(lang)[0], len(word), explain(f"help.{row.verb}"))
            for row in sorted(TABLE, key=lambda row: not row.words(lang)[0].startswith(start))
            if place in row.places and any(name.startswith(start) for name in row.words(lang))
        ]
    row = row_of(word)
    if row is None:
        return []
    rest = rest.lstrip()
    match row.takes:
        case Takes.NEW_ROOM | Takes.WISH:
            offered = WISHES if row.takes is Takes.WISH else OPTIONS
            rest = rest.rpartition(" ")[2]
            values: Mapping[str, str] = {f"{option_word(name, lang)}=": explain(f"option.{name}") for name in offered}
        case Takes.COMPUTERS:
            rest = rest.rpartition(" ")[2]
            values = {value_word(level.value, lang): explain("option.level") for level in Level}
        case Takes.ON_OFF:
            values = {words(lang, f"words.switch.{switch}")[0]: explain(f"help.{row.verb}") for switch in ("on", "off")}
        case Takes.VERB:
            values = {other.words(lang)[0]: explain(f"help.{other.verb}") for other in TABLE}
        case takes:
            values = names(takes)
    start = _plain(rest)
    return [Suggestion(value, len(rest), told) for value, told in values.items() if _plain(value).startswith(start)]


def option_word(name: str, lang: str) -> str:
    """What an option of a room is called."""
    return words(lang, f"words.option.{name}")[0]


def option_values(name: str, lang: str) -> str:
    """What an option of a room may be: a range, or words. Of a password: how long it is, which the texts say."""
    kind = _OPTION_TYPES[name]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return "|".join(value_word(word.value, lang) for word in kind)
    (limits,) = kind.__metadata__
    return f"{limits.ge}–{limits.le}"
