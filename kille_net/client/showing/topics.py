"""What of the game can be looked up, and under which names.

Owns the topics and the words of the table; all their names in every language are understood in each. Refuses to know
what is said of them (`lessons`).
"""

import unicodedata
from collections.abc import Iterator
from difflib import get_close_matches
from enum import StrEnum
from itertools import product
from typing import Final, TypeAlias

from kille_net.client.showing.texts import CARDS, ONE_CARD
from kille_net.game.cards import Card
from kille_net.languages import LANGUAGES, words

__all__ = ["Subject", "Term", "Topic", "also_called", "find", "names", "near", "term_names", "topic_names"]

_MOST_NEAR: Final = 3


class Topic(StrEnum):
    """What there is a lesson on, beside each card and word; their names are `words.topic.…`."""

    CARDS = "cards"
    MATADORS = "matadors"
    TALON = "talon"
    LIVES = "lives"
    FORMATS = "formats"
    POTS = "pots"
    STICKS = "sticks"
    BETTER = "better"
    DUEL = "duel"
    TOURNAMENTS = "tournaments"
    STRATEGY = "strategy"
    WORDS = "words"
    EXAMPLE = "example"


class Term(StrEnum):
    """A word of the table, called `words.term.…`; what each means is `lesson.word.…`."""

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


def topic_names(lang: str) -> list[str]:
    """The topics, by the names that are shown."""
    return [words(lang, f"words.topic.{topic}")[0] for topic in Topic]


def term_names(term: Term, lang: str) -> tuple[str, ...]:
    """What a word of the table is called, the name first that is shown."""
    return words(lang, f"words.term.{term}")


def also_called(card: Card, lang: str) -> tuple[str, ...]:
    """What a card is called beside its name."""
    return words(lang, f"words.card.{card.code}")


def _key(word: str) -> str:
    """What is typed, whatever its case, accents and spaces."""
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", word).casefold())
    return " ".join("".join(char for char in text if not unicodedata.combining(char)).split())


def _all_names() -> Iterator[tuple[str, Subject]]:
    """Topics before cards before words, where they share a name."""
    for topic, lang in product(Topic, LANGUAGES):
        yield from ((name, topic) for name in words(lang, f"words.topic.{topic}"))
    for card in Card:
        for lang in LANGUAGES:
            yield CARDS[lang][card], card
            yield ONE_CARD[lang][card].rpartition(" ")[2], card
            yield from ((name, card) for name in also_called(card, lang))
        yield card.code, card
    for term, lang in product(Term, LANGUAGES):
        yield from ((name, term) for name in term_names(term, lang))


def _lookup() -> dict[str, tuple[str, Subject]]:
    table: dict[str, tuple[str, Subject]] = {}
    for name, subject in _all_names():
        table.setdefault(_key(name), (name, subject))
    return table


_BY_KEY: Final = _lookup()


def find(word: str) -> Subject | None:
    """What there is to say something about, by any of its names in any language."""
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
