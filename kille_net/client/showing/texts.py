"""Every text that the client shows: how what the catalogues hold becomes sentences.

A text is a template for `str.format`. A field that stands for a player is a `Who` and says in which form it is
wanted: `{who}` begins a sentence, `:m` stands inside one, `:o` is its object, `:p` its genitive, `:P` a genitive that
begins one, and `:takes|take` picks the verb for others or for you. The cries are Swedish in every language, elsewhere
with a translation beside them.
"""

from collections.abc import Mapping
from typing import Final

from kille_net.game.cards import Card
from kille_net.languages import LANGUAGES, say, say_many, say_of_english, text, words
from kille_net.wire.text import safe_text

__all__ = ["CARDS", "CRIES", "ONE_CARD", "Who", "cry", "reason", "say", "say_many"]

CARDS: Final[Mapping[str, Mapping[Card, str]]] = {
    lang: {card: text(lang, f"card.{card.code}") for card in Card} for lang in LANGUAGES
}
"""What a card is called where it stands alone."""
ONE_CARD: Final[Mapping[str, Mapping[Card, str]]] = {
    lang: {card: text(lang, f"one_card.{card.code}") for card in Card} for lang in LANGUAGES
}
"""What a card is called inside a sentence."""
CRIES: Final = ("kuku", "husar", "husu", "kavall", "vardshus", "show", "content", "ask", "yes", "no", "depends")
"""What is cried at the table; a matador's cry has the code of its card."""

_REASONS: Final = frozenset(
    {
        "nobody is left",
        "closed by whoever runs the server",
        "the room failed",
        "the rules have changed since it began",
        "its time was over",
        "its tournament has ended",
        "too few take part",
        "nobody began it",
        "called off by its maker",
        "called off by whoever runs the server",
        "the tournament failed",
    }
)
"""For which our servers break a match off, or cancel a tournament, in their words."""
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
            return text(self._lang, f"you.{form}" if form else "you")
        return self._genitive() if form in {"p", "P"} else self._name

    def _genitive(self) -> str:
        is_bare = self._name[-1:].lower() in words(self._lang, "genitive.bare_after")
        return say(self._lang, "genitive.bare" if is_bare else "genitive", name=self._name)


def cry(lang: str, key: str) -> str:
    """What is cried at the table, in quotes."""
    return say(lang, f"cry.{key}")


def reason(lang: str, said: str) -> str:
    """Why a server has broken a match off, or cancelled a tournament, translated where it is a reason that we know."""
    return say_of_english(lang, said) if said in _REASONS else said
