"""`kille bot new`: a bot to begin with, its test, and what to do next. Owns both files, as they are written."""

import keyword
import sys
from pathlib import Path
from shlex import quote
from textwrap import fill
from typing import Final

import click

from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.speaking import Command, argument, option, tell, tell_error

__all__ = ["command"]

_COLUMNS: Final = 100
_MOST_NAME: Final = 60
_BOT: Final = '''"""{doc}"""

from random import Random

from kille_net.game.actions import Action
from kille_net.game.cards import Card
from kille_net.game.events import Event
from kille_net.game.views import View

{swap_below}
SWAP_BELOW = (Card.N8, Card.N7, Card.N6, Card.N6, Card.N5, Card.N5, Card.N4, Card.N4)


class {name}:
    """{one_match}"""

    def __init__(self, rng: Random) -> None:
{chance}
        self.rng = rng

    def decide(self, view: View) -> Action:
        """{decide}"""
        order = view.order
        following = len(order) - 1 - order.index(view.seat)
        is_bad = view.seat in view.low_harlekins or view.card < SWAP_BELOW[following]
        if Action.SWAP in view.legal:
            return Action.SWAP if is_bad else Action.STAND
{asked}
        return Action.ACCEPT if is_bad and Action.ACCEPT in view.legal else Action.REFUSE

    def calls_kuku(self, view: View) -> bool:
        """{kuku}"""
        return True

    def saw(self, event: Event) -> None:
        """{saw}"""

    def ready(self) -> None:
        """{ready}"""
'''
_TEST: Final = '''"""{doc}"""

from pathlib import Path
from random import Random

from kille_net.arena.examining import examine
from kille_net.arena.situations import view_of
from kille_net.bots import load
from kille_net.game.actions import Action

BOT = Path(__file__).with_name("{file}")


def bot():
    return load(str(BOT))(Random(1))


def test_it_bears_every_situation_of_the_rules():
    report = examine(load(str(BOT)))
    assert not report.faults, report.faults
    assert not report.remarks, report.remarks


def test_it_gets_rid_of_a_bad_card_and_keeps_a_good_one():
{view}
    assert bot().decide(view_of("2 9 5 6")) is Action.SWAP
    assert bot().decide(view_of("kuku 9 5 6")) is Action.STAND
'''


@click.command("new", cls=Command)
@argument("name", metavar="NAME")
@option("--dir", "folder", type=click.Path(file_okay=False, path_type=Path), metavar="DIR", default=".")
def command(*, name: str, folder: Path) -> None:
    stem = _stem(name)
    files = {folder / f"{stem}.py": _bot(stem), folder / f"test_{stem}.py": _test(stem)}
    for path in files:
        if path.exists() or path.is_symlink():
            raise CliError(tell("bot.new.there", file=path), code=Exit.WRONG_USE)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in files.items():
            with path.open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
    except OSError as error:
        raise CliError(tell("bot.new.unwritten", folder=folder, why=tell_error(error)), code=Exit.WRONG_USE) from error
    bot, test = files
    is_as_named = stem == name.removesuffix(".py")
    click.echo(tell("bot.new.made" if is_as_named else "bot.new.made_as", bot=bot, test=test))
    typed = quote(str(bot))
    for key, what in (
        ("check", f"kille bot check {typed}"),
        ("arena", f"kille arena {typed} easy --matches 1000"),
        ("run", f"kille bot run {typed} {tell('metavar.HOST')}"),
    ):
        click.echo(f"  {what}  # {tell(f'bot.new.{key}')}")


def _stem(name: str) -> str:
    """A name by which Python can import the file, and which is nobody else's."""
    stem = name.removesuffix(".py").replace("-", "_").replace(" ", "_")
    if len(stem) > _MOST_NAME or not stem.isidentifier() or keyword.iskeyword(stem) or not stem.isascii():
        raise CliError(tell("bot.new.no_name", name=name), code=Exit.WRONG_USE)
    if stem in sys.stdlib_module_names or stem in {"kille_net", "pytest"}:
        raise CliError(tell("bot.new.pythons", name=stem), code=Exit.WRONG_USE)
    return stem


def _bot(stem: str) -> str:
    words = {key: tell(f"bot.new.file.{key}") for key in ("doc", "one_match", "decide", "kuku", "saw", "ready")}
    comments = {
        "swap_below": _comment("swap_below", 0),
        "chance": _comment("chance", 8),
        "asked": _comment("asked", 8),
    }
    name = "".join(part[:1].upper() + part[1:] for part in stem.split("_")) or "Bot"
    return _BOT.format(name=name, **words, **comments)


def _test(stem: str) -> str:
    return _TEST.format(doc=tell("bot.new.file.test", file=f"{stem}.py"), file=f"{stem}.py", view=_comment("view", 4))


def _comment(key: str, indent: int) -> str:
    begin = " " * indent + "# "
    return fill(tell(f"bot.new.file.{key}"), _COLUMNS, initial_indent=begin, subsequent_indent=begin)
