"""What of the game can be looked up, and under which names.

Owns the topics, the words of the table, and all names in both languages, each of which is understood in either. Refuses
to know what is said of them (`lessons`).
"""

import unicodedata
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

from kille_net.client.texts import CARDS, ONE_CARD
from kille_net.game.cards import Card

__all__ = ["ALSO", "TERMS", "Names", "Subject", "Term", "Topic", "find", "names", "near", "topic_names"]

_MOST_NEAR: Final = 3


class Topic(StrEnum):
    """What there is a lesson on, beside each card and word."""

    CARDS = "cards"
    MATADORS = "matadors"
    TALON = "talon"
    LIVES = "lives"
    FORMATS = "formats"
    POTS = "pots"
    STICKS = "sticks"
    BETTER = "better"
    DUEL = "duel"
    WORDS = "words"
    EXAMPLE = "example"


class Term(StrEnum):
    """A word of the table; what each means is `word.…`."""

    DEALER = "dealer"
    FIRST = "first"
    MIDDLE = "middle"
    HAND = "hand"
    PACK = "pack"
    TALON = "talon"
    DISCARD = "discard"
    SWAP = "swap"
    STAND = "stand"
    DRAW = "draw"
    MATADOR = "matador"
    STRUCK = "struck"
    STOP = "stop"
    SHOWDOWN = "showdown"
    LIFE = "life"
    OUT = "out"
    POT = "pot"
    POINT = "point"
    BETTER = "better"
    REDEAL = "redeal"
    DUEL = "duel"
    STICK = "stick"
    FINAL = "final"


Subject: TypeAlias = Topic | Card | Term


class Names(NamedTuple):
    """What it is called, the name that is shown first."""

    sv: tuple[str, ...]
    en: tuple[str, ...]

    def of(self, lang: str) -> tuple[str, ...]:
        return self.sv if lang == "sv" else self.en


_TOPICS: Final[Mapping[Topic, Names]] = {
    Topic.CARDS: Names(("kort", "korten"), ("cards", "card", "order")),
    Topic.MATADORS: Names(("matadorer",), ("matadors", "refusals")),
    Topic.TALON: Names(("talong", "talongen", "gå i lek"), ("talon", "stock")),
    Topic.LIVES: Names(("liv", "visning"), ("lives", "showdown")),
    # A round of either format is a parti in Swedish.
    Topic.FORMATS: Names(("spel", "partier", "längd"), ("formats", "format", "length", "lengths")),
    Topic.POTS: Names(("pots",), ("pots",)),
    Topic.STICKS: Names(("sticks", "pinnar", "slutspel"), ("sticks", "final")),
    Topic.BETTER: Names(("nya", "nya kort", "fråga"), ("better", "better cards", "ask", "accept")),
    Topic.DUEL: Names(("duell", "omgiv"), ("duel", "redeal")),
    Topic.WORDS: Names(("ord", "ordlista", "rop"), ("words", "glossary", "cries")),
    Topic.EXAMPLE: Names(("exempel",), ("example",)),
}
TERMS: Final[Mapping[Term, Names]] = {
    Term.DEALER: Names(("den som ger", "given", "givare"), ("dealer",)),
    Term.FIRST: Names(("den som börjar", "förhand", "efterhand"), ("first seat", "first")),
    Term.MIDDLE: Names(("mellanhand", "mellanhanden"), ("middle seat", "middle")),
    Term.HAND: Names(("giv", "omgång", "runda"), ("hand",)),
    Term.PACK: Names(("lek", "kortlek", "killelek"), ("pack", "deck")),
    Term.TALON: Names(("talong",), ("talon",)),
    Term.DISCARD: Names(("slänghög", "sakhög"), ("discard pile", "discard")),
    Term.SWAP: Names(("byta", "byte", "sticka kortet"), ("swap",)),
    Term.STAND: Names(("nöjd", "stå", "hålla"), ("stand", "content")),
    Term.DRAW: Names(("gå i lek", "går i lek"), ("go to the talon", "draw")),
    Term.MATADOR: Names(("matador",), ("matador",)),
    Term.STRUCK: Names(("uthuggen", "huggen"), ("struck",)),
    Term.STOP: Names(("bytesstopp",), ("end of swapping",)),
    Term.SHOWDOWN: Names(("visning", "uppvisning"), ("showdown",)),
    Term.LIFE: Names(("liv",), ("life",)),
    Term.OUT: Names(("åka ut", "dött"), ("knocked out", "out")),
    Term.POT: Names(("parti",), ("pot",)),
    Term.POINT: Names(("poäng",), ("point", "points")),
    Term.BETTER: Names(("nya kort", "bättre kort"), ("better cards",)),
    Term.REDEAL: Names(("omgiv",), ("redeal",)),
    Term.DUEL: Names(("duell",), ("duel",)),
    Term.STICK: Names(("pinne",), ("stick",)),
    Term.FINAL: Names(("slutspel",), ("final",)),
}
ALSO: Final[Mapping[Card, Names]] = {
    Card.BLAREN: Names(("Blarre",), ()),
    Card.BLOMPOTTAN: Names(("Pottan", "Blomkrukan"), ()),
    Card.KRANSEN: Names(("Krans",), ()),
    **{card: Names((f"Lilja {card.code}",), ()) for card in Card if card.code.isdigit()},
    Card.VARDSHUS: Names(("Värdshuset",), ()),
    Card.KAVALL: Names(("Kavallen", "Ryttaren"), ("Cavalier",)),
    Card.HUSU: Names(("Svinet", "Grisen"), ("Sow",)),
    Card.HUSAR: Names(("Husaren", "Husse"), ()),
    Card.KUKU: Names(("Göken", "Gök", "Kucku"), ()),
    Card.HARLEKIN: Names(("Killen", "Kille"), ()),
}
"""What cards are called beside their names."""


def _key(word: str) -> str:
    """What is typed, whatever its case, accents and spaces."""
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", word).casefold())
    return " ".join("".join(char for char in text if not unicodedata.combining(char)).split())


def _all_names() -> Iterator[tuple[str, Subject]]:
    """Topics before cards before words, where they share a name."""
    for topic, topic_names in _TOPICS.items():
        yield from ((name, topic) for name in (*topic_names.sv, *topic_names.en))
    for card in Card:
        for lang in CARDS:
            yield CARDS[lang][card], card
            yield ONE_CARD[lang][card].rpartition(" ")[2], card
        yield card.code, card
        yield from ((name, card) for name in (*ALSO[card].sv, *ALSO[card].en))
    for term, term_names in TERMS.items():
        yield from ((name, term) for name in (*term_names.sv, *term_names.en))


def _lookup() -> dict[str, tuple[str, Subject]]:
    table: dict[str, tuple[str, Subject]] = {}
    for name, subject in _all_names():
        table.setdefault(_key(name), (name, subject))
    return table


_BY_KEY: Final = _lookup()


def find(word: str) -> Subject | None:
    """What there is to say something about, by any of its names in either language."""
    found = _BY_KEY.get(_key(word))
    return None if found is None else found[1]


def near(word: str, lang: str) -> list[str]:
    """Names that may have been meant, one a subject; all topics where there are none."""
    found: dict[Subject, str] = {}
    for key in get_close_matches(_key(word), _BY_KEY, n=2 * _MOST_NEAR):
        name, subject = _BY_KEY[key]
        found.setdefault(subject, name)
    return list(found.values())[:_MOST_NEAR] or topic_names(lang)


def names(lang: str) -> list[str]:
    """The topics and the cards, by the names that are shown."""
    return [*topic_names(lang), *(CARDS[lang][card] for card in Card)]


def topic_names(lang: str) -> list[str]:
    """The topics, by the names that are shown."""
    return [topic_names.of(lang)[0] for topic_names in _TOPICS.values()]
