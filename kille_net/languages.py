"""The languages that Kille speaks: a folder for each in `locale`, and in it the catalogue of all its texts.

Owns which there are, and how a text is found by its key. Refuses to know what the texts are about, and to import more
than the standard library, so that `kille --help` is quick.
"""

import gettext
import unicodedata
from functools import cache
from pathlib import Path
from struct import error as StructError
from typing import Final, NoReturn

__all__ = [
    "DEFAULT",
    "DOMAIN",
    "LANGUAGES",
    "LOCALE",
    "NATIVE",
    "CatalogueError",
    "by_name",
    "has",
    "must_be_whole",
    "say",
    "say_many",
    "say_of_english",
    "text",
    "words",
]

DEFAULT: Final = "en"
"""What is spoken where nothing else is asked for, or the asked for is not there."""
NATIVE: Final = "sv"
"""The game's own, in which its cries are, and the names that its cards have everywhere."""

LOCALE: Final = Path(__file__).parent / "locale"
DOMAIN: Final = "kille"
"""What gettext calls the catalogues."""
_CATALOGUE: Final = f"LC_MESSAGES/{DOMAIN}"
_NONE: Final = "-"
"""An empty list of words: an empty text would be one that is not translated."""


def _found() -> tuple[str, ...]:
    codes = {path.parts[-3] for path in LOCALE.glob(f"*/{_CATALOGUE}.[mp]o")}
    return tuple(sorted(codes, key=lambda code: (code != NATIVE, code)))


LANGUAGES: Final = _found()
"""Their codes, the game's own first."""


class CatalogueError(Exception):
    """The catalogue of a language is not there as it is read; says what to do, in English, which may be lost itself."""

    def __init__(self, lang: str, damaged: Path | None = None) -> None:
        super().__init__(
            f"the texts in '{lang}' are not compiled since they were changed; in the checkout run: make texts"
            f" (or: pip install -e .)"
            if damaged is None
            else f"the texts in '{lang}' are damaged; install Kille again, or in a checkout delete {damaged} and run:"
            f" make texts"
        )


class _Missing(gettext.NullTranslations):
    """Where gettext looks last: a key that nobody wrote a text for is an error, not a text."""

    def gettext(self, message: str) -> NoReturn:
        raise KeyError(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> NoReturn:
        raise KeyError(msgid1)


@cache
def _catalogue(lang: str) -> gettext.NullTranslations:
    """Raises CatalogueError, in a checkout also where the source is newer than what was compiled of it."""
    source, compiled = (LOCALE / lang / f"{_CATALOGUE}.{kind}" for kind in ("po", "mo"))
    try:
        if not compiled.exists() or (source.exists() and source.stat().st_mtime_ns > compiled.stat().st_mtime_ns):
            raise CatalogueError(lang)
        if not compiled.is_file():  # a pipe would be waited for
            raise CatalogueError(lang, compiled)
        catalogue = gettext.translation(DOMAIN, LOCALE, [lang])  # which click asks, too, and is read once
    except (OSError, ValueError, LookupError, StructError):
        raise CatalogueError(lang, compiled) from None
    catalogue.add_fallback(_Missing())
    return catalogue


def must_be_whole(lang: str) -> None:
    """Raises CatalogueError where the texts in that language cannot be read."""
    _catalogue(lang)


def text(lang: str, key: str) -> str:
    """The text as it is written, a template for `str.format`. Raises KeyError where there is none."""
    return _catalogue(lang).gettext(key)


def has(lang: str, key: str) -> bool:
    """Whether there is such a text."""
    try:
        text(lang, key)
    except KeyError:
        return False
    return True


def say(lang: str, key: str, /, **values: object) -> str:
    """The text `key` with its fields filled in; values are never read as templates."""
    return text(lang, key).format(**values)


def say_many(lang: str, key: str, count: int, /, **values: object) -> str:
    """The text `key` in the form that so many take, with its field `count` and the others filled in."""
    return _catalogue(lang).ngettext(key, key, count).format(count=count, **values)


def say_of_english(lang: str, english: str, /, **values: object) -> str:
    """What is known by its English, of a library, the system or a floor below; that itself where there is no text."""
    template = text(lang, english) if has(lang, english) else english
    return template.format(**values) if values else template


@cache
def words(lang: str, key: str) -> tuple[str, ...]:
    """A text that is a list, the one to be shown first."""
    listed = text(lang, key)
    return () if listed == _NONE else tuple(listed.split(", "))


# --- the order of names -----------------------------------------------------------------------------------------------


def by_name(lang: str, name: str) -> tuple[object, ...]:
    """Sorts names for readers of that language: letters as its alphabet has them, whatever their case; digits before.

    A letter that the alphabet has not stands with the one that it is a form of, é with e, or after all.
    """
    plain = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
    return tuple(_place(lang, char) for char in plain), plain, name


@cache
def _alphabet(lang: str) -> dict[str, int]:
    """The place of each letter; several may share one."""
    return {letter: place for place, letters in enumerate(words(lang, "alphabet")) for letter in letters}


def _place(lang: str, char: str) -> tuple[int, int]:
    alphabet = _alphabet(lang)
    for letter in (char, unicodedata.normalize("NFD", char)[0]):
        if letter in alphabet:
            return 1, alphabet[letter]
    return 2 if char.isalpha() else 0, ord(char)
