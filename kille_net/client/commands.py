"""What may be typed: one table, from which parsing, completion and help all come.

Owns what the words of the catalogues stand for, all of which are understood in every language. Refuses to know what an
order does.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple

from kille_net.client.options import (
    OPTIONS,
    PASSWORD,
    PLANS,
    WISHES,
    Fault,
    every_word,
    option_meaning,
    option_named,
    option_word,
    plain,
    value_word,
    values_of,
)
from kille_net.languages import words
from kille_net.wire.messages import Level
from kille_net.wire.states import Place

__all__ = [
    "TABLE",
    "TABLE_BY_VERB",
    "TOURNAMENTS",
    "Order",
    "Row",
    "Suggestion",
    "Takes",
    "Verb",
    "is_all",
    "is_marks",
    "parse",
    "row_of",
    "suggest",
    "without_password",
]


class Verb(StrEnum):
    """What a person wants; its words are `words.verb.…`, and its help `help.…`."""

    ROOMS = "rooms"
    CREATE = "create"
    JOIN = "join"
    QUICK = "quick"
    WATCH = "watch"
    TOURNAMENTS = "tournaments"
    TOURNAMENT = "tournament"
    ENTER = "enter"
    WITHDRAW = "withdraw"
    HERE = "here"
    BEGIN = "begin"
    CANCEL = "cancel"
    STANDINGS = "standings"
    SCHEDULE = "schedule"
    FOLLOW = "follow"
    UNFOLLOW = "unfollow"
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
    TOURNAMENT = "tournament"
    NEW_TOURNAMENT = "new_tournament"
    ROUND = "round"
    """Of a tournament."""
    YES_NO = "yes_no"
    ON_OFF = "on_off"
    COMPUTERS = "computers"
    SEAT = "seat"
    SPEAKER = "speaker"
    TEXT = "text"
    CARD = "card"
    TOPIC = "topic"
    ALL = "all"
    """What is over, too."""
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
    Row(Verb.TOURNAMENTS, Takes.ALL, _ANY),
    Row(Verb.TOURNAMENT, Takes.NEW_TOURNAMENT, _ANY),
    Row(Verb.ENTER, Takes.TOURNAMENT, _ANY),
    Row(Verb.WITHDRAW, Takes.NOTHING, _ANY),
    Row(Verb.HERE, Takes.NOTHING, _ANY),
    Row(Verb.BEGIN, Takes.TOURNAMENT, _ANY),
    Row(Verb.CANCEL, Takes.TOURNAMENT, _ANY),
    Row(Verb.STANDINGS, Takes.TOURNAMENT, _ANY),
    Row(Verb.SCHEDULE, Takes.ROUND, _ANY),
    Row(Verb.FOLLOW, Takes.TOURNAMENT, _ANY),
    Row(Verb.UNFOLLOW, Takes.TOURNAMENT, _ANY),
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

TOURNAMENTS: Final = (
    *(Verb.TOURNAMENTS, Verb.TOURNAMENT, Verb.ENTER, Verb.WITHDRAW, Verb.HERE, Verb.BEGIN, Verb.CANCEL),
    *(Verb.STANDINGS, Verb.SCHEDULE, Verb.FOLLOW, Verb.UNFOLLOW),
)
"""What is said of and to tournaments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A line that was understood."""

    verb: Verb
    rest: str = ""
    """What followed the verb, the options taken out."""
    options: Mapping[str, str] | None = None
    """`name=value`, by the options' own names; only where a room is named."""
    typed: Mapping[str, str] | None = field(default=None, compare=False, repr=False)
    """What each of these was called."""


TABLE_BY_VERB: Final = {row.verb: row for row in TABLE}
_VERBS: Final = every_word("verb", Verb)
_WHOLE: Final = every_word("every", ("all", "marks"))
_OPTION_GIVEN: Final = re.compile(r"(?<!\S)([^\s=]+)=\S+")
_OPTIONS_OF: Final[Mapping[Takes, tuple[frozenset[str], str]]] = MappingProxyType(
    {
        Takes.ROOM: (frozenset({PASSWORD}), "only_password"),
        Takes.NEW_ROOM: (frozenset(OPTIONS), "unknown_option"),
        Takes.WISH: (frozenset(WISHES), "unknown_wish"),
        Takes.NEW_TOURNAMENT: (frozenset(PLANS), "unknown_plan"),
    }
)
"""What takes options → which, and the key of the text about others."""


def row_of(word: str) -> Row | None:
    """The row that a word stands for."""
    verb = _VERBS.get(plain(word))
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
    return option_named(name) == PASSWORD


def _order(row: Row, rest: str) -> Order | Fault:
    if row.takes is Takes.NOTHING and rest:
        return Fault("takes_nothing", row.verb)
    if row.takes in _OPTIONS_OF:
        return _with_options(row, rest)
    if row.takes is Takes.ALL and rest and not is_all(rest):
        return Fault("takes_nothing", row.verb)
    return Order(verb=row.verb, rest=rest)


def _with_options(row: Row, rest: str) -> Order | Fault:
    allowed, other = _OPTIONS_OF[row.takes]
    options: dict[str, str] = {}
    typed: dict[str, str] = {}
    named: list[str] = []
    given = rest.split()
    for at, word in enumerate(given, 1):
        name, equals, value = word.partition("=")
        if equals and (not name or (not value and at < len(given))):
            return Fault("space_at_equals", word)
        if not equals:
            named.append(word)
            continue
        known = option_named(name)
        if known is None or known not in allowed:
            return Fault(other, name)
        options[known], typed[known] = value, name
    if named and row.takes is Takes.WISH:
        return Fault(other, named[0])
    return Order(verb=row.verb, rest=" ".join(named), options=options, typed=typed)


def is_all(word: str) -> bool:
    """Whether the word, of any language, asks for all that there is."""
    return _WHOLE.get(plain(word)) == "all"


def is_marks(word: str) -> bool:
    """Whether it asks what the marks in the status lines mean."""
    return _WHOLE.get(plain(word)) == "marks"


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
        start = plain(word)
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
        case Takes.NEW_ROOM | Takes.WISH | Takes.NEW_TOURNAMENT:
            rest = rest.rpartition(" ")[2]
            values: Mapping[str, str] = _options(row.takes, rest, lang, explain)
        case Takes.COMPUTERS:
            rest = rest.rpartition(" ")[2]
            values = {value_word(level.value, lang): explain("option.level") for level in Level}
        case Takes.ON_OFF:
            values = {words(lang, f"words.switch.{switch}")[0]: explain(f"help.{row.verb}") for switch in ("on", "off")}
        case Takes.ALL:
            values = {words(lang, "words.every.all")[0]: explain(f"help.{row.verb}")}
        case Takes.VERB:
            values = {other.words(lang)[0]: explain(f"help.{other.verb}") for other in TABLE}
        case takes:
            values = names(takes)
    start = plain(rest)
    return [Suggestion(value, len(rest), told) for value, told in values.items() if plain(value).startswith(start)]


def _options(takes: Takes, word: str, lang: str, explain: Callable[[str], str]) -> dict[str, str]:
    """What may be said of options, or of the one that the word begins to give, each with its meaning."""
    is_plan = takes is Takes.NEW_TOURNAMENT
    offered = PLANS if is_plan else WISHES if takes is Takes.WISH else OPTIONS
    given, equals, _ = word.partition("=")
    if equals:
        name = option_named(given)
        if name is None or name not in offered or name == PASSWORD:
            return {}
        meaning = explain(option_meaning(name, of_plan=is_plan))
        return {f"{given}={value}": meaning for value in values_of(name, lang)}
    return {f"{option_word(name, lang)}=": explain(option_meaning(name, of_plan=is_plan)) for name in offered}
