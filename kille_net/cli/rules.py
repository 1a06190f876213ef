"""`kille rules`: how to play, and one card, word, format or numbered rule looked up."""

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import click
from click.shell_completion import CompletionItem

from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.numbered import numbered_rules
from kille_net.cli.settings import Settings
from kille_net.cli.speaking import Command, argument, spoken, tell
from kille_net.languages import LANGUAGES

__all__ = ["command"]

_COMMAND: Final = "kille rules"
_MOST_COLUMNS: Final = 100
_MOST_WORD: Final = 40
"""Cells of what was typed that are shown again."""


class _Rules(Command):
    """Lists in its help what can be looked up, as the lessons have it."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from kille_net.client.showing.layout import to_ascii
        from kille_net.client.showing.topics import names

        with formatter.section(tell("cli.topics")):
            for lang in sorted(LANGUAGES, key=lambda lang: lang != spoken()):
                formatter.write_text(to_ascii(", ".join(names(lang))))


def _complete(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from kille_net.client.showing.topics import names

    settings = ctx.find_object(Settings)
    lang = spoken() if settings is None else settings.lang
    return [CompletionItem(name) for name in map(str.lower, names(lang)) if name.startswith(incomplete.lower())]


@click.command("rules", cls=_Rules)
@argument("topic", nargs=-1, shell_complete=_complete)
@click.pass_obj
def command(settings: Settings, *, topic: Sequence[str]) -> Exit:
    from kille_net.client.showing.lessons import lesson, primer
    from kille_net.client.showing.texts import say
    from kille_net.client.showing.topics import find, near
    from kille_net.wire.text import safe_text

    lang = settings.lang
    word = " ".join(topic).strip()
    if not word:
        _show(primer(lang, _COMMAND))
        return Exit.DONE
    subject = find(word)
    if subject is None and (rule := numbered_rules().get(word.upper())) is not None:
        _show(rule)
        return Exit.DONE
    if subject is None:
        text = say(lang, "unknown_topic", word=safe_text(word, _MOST_WORD), near=", ".join(near(word, lang)))
        raise CliError(text.removesuffix("."), code=Exit.WRONG_USE)
    _show(lesson(subject, lang))
    return Exit.DONE


def _show(lines: Iterable[str]) -> None:
    from kille_net.client.run import speaks_utf8
    from kille_net.client.showing.layout import to_ascii, wrap

    columns = min(shutil.get_terminal_size().columns, _MOST_COLUMNS)
    text = "\n".join(line for paragraph in _spaced(lines) for line in wrap(paragraph, columns))
    ascii_only = os.isatty(1) and not speaks_utf8(os.environ)
    click.echo((to_ascii(text) if ascii_only else text).encode())


def _spaced(lines: Iterable[str]) -> Iterator[str]:
    """With an empty line before each paragraph but the first."""
    for number, line in enumerate(lines):
        if number and not line.startswith(" "):
            yield ""
        yield line
