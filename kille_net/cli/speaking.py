"""How the command line speaks: the help of commands and options, click's own words, and all that a command says.

Owns which language this process speaks, and that help is found by convention: `cli.play` tells of `kille play`,
`cli.play.seats` of its option, `cli.option.seats` of that option wherever nothing else does, and `….default` what is
taken where the option is not given. Refuses to know any command.
"""

import gettext
import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import partial
from itertools import islice
from typing import Final, Protocol

import click

from kille_net.cli.settings import lang_of_locale
from kille_net.languages import DOMAIN, LANGUAGES, LOCALE, has, must_be_whole, say, say_many, say_of_english, words

__all__ = [
    "Command",
    "Group",
    "Option",
    "Words",
    "argument",
    "code_of",
    "named",
    "option",
    "speak",
    "speaking",
    "spoken",
    "tell",
    "tell_complaint",
    "tell_error",
    "tell_many",
    "value_word",
    "with_common_first",
]

_COMMON: Final = ("--lang", "--data")
"""What may stand anywhere; the language comes first, since it is that of what is said of the others."""
_LANG: Final = "--lang"
_VARIABLE: Final = "KILLE_LANG"
_SPOKEN: Final = "LANGUAGE"
"""The environment's, which gettext asks first, and so click."""


# --- which language ---------------------------------------------------------------------------------------------------


def with_common_first(args: Sequence[str]) -> list[str]:
    """The arguments with what is common to all commands, and may stand anywhere before `--`, where the group looks."""
    end = args.index("--") if "--" in args else len(args)
    left = iter(args[:end])
    common: dict[str, list[str]] = {name: [] for name in _COMMON}
    others: list[str] = []
    for arg in left:
        if arg in common:
            value = list(islice(left, 1))
            if not value:
                return [*common[_LANG], arg]  # which click says is wrong
            common[arg] += [arg, *value]
        else:
            common.get(arg.partition("=")[0], others).append(arg)
    return [*(arg for name in _COMMON for arg in common[name]), *others, *args[end:]]


@contextmanager
def speaking(args: Sequence[str]) -> Iterator[None]:
    """Speak as these arguments say, the language first, and the environment where they say nothing."""
    wanted = os.environ.get(_VARIABLE, "")
    if args[:1] == [_LANG]:
        wanted = args[1] if len(args) > 1 else wanted
    elif args and args[0].startswith(f"{_LANG}="):
        wanted = args[0].partition("=")[2]
    gettext.bindtextdomain(DOMAIN, LOCALE)
    gettext.textdomain(DOMAIN)
    before = os.environ.get(_SPOKEN)
    os.environ[_SPOKEN] = wanted if wanted in LANGUAGES else lang_of_locale(os.environ)
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SPOKEN]
        else:
            os.environ[_SPOKEN] = before


def speak(lang: str) -> None:
    """Speak that language from now on. Raises CatalogueError."""
    must_be_whole(lang)
    os.environ[_SPOKEN] = lang


def spoken() -> str:
    """The language that this process speaks."""
    return lang_of_locale(os.environ)


def tell(key: str, /, **values: object) -> str:
    """The text `key` in that language."""
    return say(spoken(), key, **values)


def tell_many(key: str, count: int, /, **values: object) -> str:
    """The same in the form that so many take, with its field `count`."""
    return say_many(spoken(), key, count, **values)


def named(kind: str, code: str) -> str:
    """What a code is called; itself, where whoever said it knows more of them than we."""
    key = f"{kind}.{code}"
    return tell(key) if has(spoken(), key) else code


class _Told(Protocol):
    """An error of a floor below, which is to be translated here."""

    template: str
    values: dict[str, object]


class _Complaint(Protocol):
    """The same, of a bot."""

    @property
    def text(self) -> str: ...
    @property
    def template(self) -> str: ...
    @property
    def values(self) -> tuple[tuple[str, str], ...]: ...


def tell_error(error: "_Told | OSError") -> str:
    """What an error says, which in itself is English."""
    if isinstance(error, OSError):
        return say_of_english(spoken(), error.strerror or str(error))
    return say_of_english(spoken(), error.template, **error.values)


def tell_complaint(complaint: "_Complaint") -> str:
    """What a bot did wrong; what is its own, as a traceback, stays as it is."""
    if not complaint.template:
        return complaint.text
    _, end, rest = complaint.text.partition("\n")
    return say_of_english(spoken(), complaint.template, **dict(complaint.values)) + end + rest


# --- help -------------------------------------------------------------------------------------------------------------


def _path(ctx: click.Context) -> str:
    """`history.list`; of `kille` alone: `kille`."""
    names: list[str] = []
    here: click.Context | None = ctx
    while here is not None:
        names.insert(0, str(here.command.name))
        here = here.parent
    return ".".join(names[1:] or names)


def _of_option(ctx: click.Context, param: click.Option, what: str = "") -> str | None:
    name = max(param.opts, key=len).lstrip("-").replace("-", "_")
    for key in (f"cli.{_path(ctx)}.{name}{what}", f"cli.option.{name}{what}"):
        if has(spoken(), key):
            return tell(key)
    return None


def _metavar(text: str) -> str:
    """What stands for a value: its words in capitals are `metavar.…`."""
    return re.sub(r"[A-Z]+", lambda word: tell(f"metavar.{word[0]}"), text)


_NUMBERS: Final = frozenset({"INTEGER", "INTEGER RANGE", "FLOAT", "FLOAT RANGE"})
"""What click calls a number."""


class Words(click.Choice[str]):
    """One of some codes, each called by what `words.value.…` has for it: in any language, and shown in the spoken."""

    def normalize_choice(self, choice: object, ctx: click.Context | None) -> str:
        code = code_of(super().normalize_choice(choice, ctx), self.choices)
        return str(choice) if code is None else value_word(code)


def code_of(word: str, codes: Iterable[str]) -> str | None:
    """Which of these codes a word of any language stands for."""
    plain = unicodedata.normalize("NFC", word).casefold()
    return next((code for code in codes if plain in _called(code)), None)


def value_word(code: str) -> str:
    """What a code is called in the spoken language."""
    return _values(spoken(), code)[0]


def _called(code: str) -> set[str]:
    return {code, *(word for lang in LANGUAGES for word in _values(lang, code))}


def _values(lang: str, code: str) -> tuple[str, ...]:
    return words(lang, f"words.value.{code}")


class Option(click.Option):
    """Told by its place."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        told = copy(self)
        if isinstance(self.type, Words) and isinstance(self.default, str):
            told.default = self.type.normalize_choice(self.default, ctx)
        told.help = _of_option(ctx, self)
        told.show_default = _of_option(ctx, self, ".default") or self.show_default
        return click.Option.get_help_record(told, ctx)

    def make_metavar(self, ctx: click.Context) -> str:
        text = super().make_metavar(ctx)
        if isinstance(self.type, click.Choice):
            return text
        return tell("metavar.NUMBER") if text in _NUMBERS else _metavar(text)


class Argument(click.Argument):
    """Its name told, which its command explains."""

    def make_metavar(self, ctx: click.Context) -> str:
        return _metavar(super().make_metavar(ctx))


option = partial(click.option, cls=Option)
argument = partial(click.argument, cls=Argument)


class Command(click.Command):
    """Told by its place."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(tell(f"cli.{_path(ctx)}"))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        key = f"cli.{_path(ctx)}.epilog"
        if has(spoken(), key):
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(tell(key))

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        params = [piece for param in self.get_params(ctx) for piece in param.get_usage_pieces(ctx)]
        return [tell("metavar.options"), *params]

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        found = super().get_help_option(ctx)
        if found is not None:  # made once, for whatever is spoken later
            found.help = tell("cli.option.help")
        return found


class Group(Command, click.Group):
    """Told by its place, its commands by the first sentences of theirs."""

    command_class = Command

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return [*super().collect_usage_pieces(ctx), tell("metavar.command")]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        path = f"{_path(ctx)}." if ctx.parent else ""
        rows = [(name, _first_sentence(tell(f"cli.{path}{name}"))) for name in self.list_commands(ctx)]
        with formatter.section(gettext.gettext("Commands")):
            formatter.write_dl(rows)


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=\.)\s", text, maxsplit=1)[0]
