"""Every text that the client shows: one file per language, and how its sentences are put together.

A text is a template for `str.format`. A field that stands for a player is a `Who` and says in which form it is
wanted: `{who}` begins a sentence, `:m` stands inside one, `:o` is its object, `:p` its genitive, `:P` a genitive that
begins one, and `:takes|take` picks the verb for others or for you. The cries are Swedish in both languages, in English
with a translation beside them.
"""

from collections.abc import Mapping
from typing import Final

from kille_net.client import texts_en, texts_sv
from kille_net.wire.text import safe_text

__all__ = ["CARDS", "CRIES", "ONE_CARD", "TEXTS", "Who", "cry", "say"]


TEXTS: Final = {"sv": texts_sv.TEXTS, "en": texts_en.TEXTS}
CARDS: Final = {"sv": texts_sv.CARDS, "en": texts_en.CARDS}
ONE_CARD: Final = {"sv": texts_sv.ONE_CARD, "en": texts_en.ONE_CARD}
YOU: Final = {"sv": texts_sv.YOU, "en": texts_en.YOU}

_NAME_CELLS: Final = 32


class Who:
    """A player in a sentence: you, or somebody by name."""

    __slots__ = ("_is_you", "_lang", "_name")

    def __init__(self, name: str, lang: str, *, is_you: bool) -> None:
        self._name = safe_text(name, _NAME_CELLS)
        self._lang = lang
        self._is_you = is_you

    def __format__(self, form: str) -> str:
        others, bar, you = form.partition("|")
        if bar:
            return you if self._is_you else others
        if self._is_you:
            return YOU[self._lang][form]
        if form not in {"p", "P"}:
            return self._name
        if self._lang == "sv":
            return self._name if self._name[-1:].lower() in {"s", "x", "z"} else f"{self._name}s"
        return f"{self._name}'s"


def say(lang: str, key: str, /, **values: object) -> str:
    """The text `key` with its fields filled in; values are never read as templates."""
    return TEXTS[lang][key].format(**values)


def cry(lang: str, key: str) -> str:
    """What is cried at the table, in quotes."""
    swedish, english = CRIES[key]
    return f"”{swedish}”" if lang == "sv" else f"“{swedish}” ({english})"


CRIES: Final[Mapping[str, tuple[str, str]]] = {
    "kuku": ("Kuku står, ingen byta får!", "the Cuckoo stays, nobody may swap"),
    "husar": ("Husar hugger!", "the Hussar strikes"),
    "husu": ("Svinhugg går igen!", "the Pig bites back"),
    "kavall": ("Kavall förbi!", "pass the Horse"),
    "vardshus": ("Värdshus förbi!", "pass the Inn"),
    "show": ("Upp till bevis!", "show them"),
    "content": ("Nöjd!", "I stand"),
    "ask": ("Nya kort?", "better cards?"),
    "yes": ("Ja!", "yes"),
    "no": ("Nej!", "no"),
    "depends": ("Det beror på!", "it depends"),
}
"""Swedish, and what it means in English. A matador's cry has the code of its card."""
