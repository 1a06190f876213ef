"""Bots that are programs of their own, by name: `tcp:` and the command that starts one.

Owns what such a name says. Refuses to run it.
"""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import Final

from kille_net.bots import BUILT_IN, BotError

__all__ = ["PREFIX", "files_of", "filled", "is_own", "is_program", "label_of", "words_of"]

PREFIX: Final = "tcp:"


def is_program(bot: str) -> bool:
    return bot.startswith(PREFIX)


def is_own(bot: str) -> bool:
    """Whether it plays in the process that plays, and is not built in."""
    return bot not in BUILT_IN and not is_program(bot)


def words_of(bot: str) -> tuple[str, ...]:
    """The command, with its places still open, as `{host}`. Raises BotError."""
    try:
        words = tuple(shlex.split(bot.removeprefix(PREFIX)))
    except ValueError:  # a quotation mark without the other
        words = ()
    if not words:
        msg = "'{name}' names no program: tcp: and a command, as in 'tcp:node bot.mjs {place}'"
        raise BotError(msg, name=bot, place="{host} {port}")
    return words


def filled(words: Sequence[str], places: Mapping[str, object]) -> list[str]:
    """The command with its places taken."""
    for name, value in places.items():
        words = [word.replace(f"{{{name}}}", str(value)) for word in words]
    return list(words)


def label_of(bot: str) -> str:
    """What is short and says most: the last word before the first place that is no option."""
    label = ""
    for word in words_of(bot):
        if "{" in word:
            break
        if not word.startswith("-"):
            label = word
    return PurePath(label).stem or "tcp"


def files_of(bot: str) -> tuple[Path, ...]:
    """Those words that are files here, as the script is that an interpreter runs."""
    return tuple(path for path in map(Path, words_of(bot)) if path.is_file())
