"""The catalogues of texts as they are written."""

import string
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from babel.messages.pofile import read_po

from kille_net.languages import LANGUAGES
from tests.compiling import LOCALE

__all__ = ["TEXTS", "fields", "read", "source"]


def source(lang: str, locale: Path = LOCALE) -> Path:
    return locale / lang / "LC_MESSAGES" / "kille.po"


def read(path: Path) -> dict[str, tuple[str, ...]]:
    """Each key with its text, or with all its forms where a number chooses one."""
    with path.open("rb") as file:
        catalogue = read_po(file, abort_invalid=True)
    return {key_of(message.id): forms_of(message.string) for message in catalogue if message.id}


def key_of(ids: str | list[str] | tuple[str, ...]) -> str:
    return ids if isinstance(ids, str) else ids[0]


def forms_of(strings: str | list[str] | tuple[str, ...] | None) -> tuple[str, ...]:
    return (strings,) if isinstance(strings, str) else tuple(strings or ())


TEXTS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {lang: read(source(lang)) for lang in LANGUAGES}


def fields(template: str) -> set[str]:
    """The names of the fields in it."""
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}
