"""`kille replay`: look back on a match that was recorded (protocol/record.md)."""

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import click

from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.records import RECORD_FILE, lines_of, record_error
from kille_net.cli.settings import Settings
from kille_net.cli.speaking import Command, argument, option, tell

if TYPE_CHECKING:
    from kille_net.client.replaying import Replay

__all__ = ["command", "load_replay", "print_lines", "seat_of"]

_NAME_CELLS: Final = 64


@click.command("replay", cls=Command)
@argument("file", type=RECORD_FILE)
@option("--seat", metavar="SEAT")
@option("--at", "hand", type=click.IntRange(min=1), metavar="HAND")
@option("--match", "number", type=click.IntRange(min=1), default=1)
@option("--text", is_flag=True)
@option("--speed", type=click.IntRange(6, 1200), default=60)
@option("--plain", is_flag=True)
@click.pass_obj
def command(
    settings: Settings,
    *,
    file: str,
    seat: str | None,
    hand: int | None,
    number: int,
    text: bool,
    speed: int,
    plain: bool,
) -> Exit:
    from kille_net.client.run import is_full_terminal, speaks_utf8
    from kille_net.client.showing.texts import say

    lang = settings.lang
    replay = load_replay(file, number, lang)
    viewer = seat_of(replay, seat, lang)
    if hand is not None and hand > replay.hands:
        raise CliError(say(lang, "replay.no_hand", hand=hand, hands=replay.hands), code=Exit.WRONG_USE)
    ascii_only = os.isatty(1) and not speaks_utf8(os.environ)
    if text:
        for n in range(1, replay.hands + 1) if hand is None else [hand]:
            print_lines([*replay.pasted(viewer, lang, n), *([""] if hand is None else [])], ascii_only=ascii_only)
        return Exit.DONE
    if plain or file == "-" or not is_full_terminal(os.environ):
        print_lines(replay.story(viewer, lang, hand), ascii_only=ascii_only)
        return Exit.DONE
    from kille_net.client.playback import Playback
    from kille_net.client.terminal.replay_prompt import run_replay
    from kille_net.client.terminal.signals import Signals

    position = 0 if hand is None else replay.steps_of(hand)[0]
    with Signals() as signals:
        how = run_replay(
            Playback(replay, lang, viewer=viewer, position=position, speed=speed), signals, ascii_only=ascii_only
        )
        return Exit(how.code if signals.exit_code is None else signals.exit_code)


def load_replay(file: str, number: int, lang: str) -> "Replay":
    """The match of that number in the file. Raises CliError."""
    from kille_net.client.replaying import NoSuchMatch, load
    from kille_net.client.showing.texts import say
    from kille_net.game.record import RecordError
    from kille_net.wire.text import safe_text

    try:
        return load(lines_of(file), number)
    except NoSuchMatch as few:
        text = say(lang, "replay.no_match", number=number, matches=few.matches)
        raise CliError(text, code=Exit.WRONG_USE) from None
    except RecordError as error:
        name = safe_text(click.format_filename(file), _NAME_CELLS)
        text = tell("records.bad_line", file=name, line=error.line, why=record_error(error))
        raise CliError(text, code=Exit.DOES_NOT_HOLD) from None


def seat_of(replay: "Replay", told: str | None, lang: str) -> int | None:
    """By name, or by number, from 1, where nobody is called so. Raises CliError."""
    from kille_net.client.showing.texts import say
    from kille_net.wire.text import name_key, safe_text

    if told is None:
        return None
    named = [seat for seat, name in enumerate(replay.names) if name_key(name) == name_key(told)]
    if len(named) == 1:
        return named[0]
    if told.isdecimal() and len(told) == 1 and 1 <= int(told) <= len(replay.names):
        return int(told) - 1
    seats = ", ".join(f"{number} {name}" for number, name in enumerate(replay.names, 1))
    text = say(lang, "replay.no_seat", seat=safe_text(told, _NAME_CELLS), seats=seats)
    raise CliError(text, code=Exit.WRONG_USE)


def print_lines(lines: Iterable[str], *, ascii_only: bool) -> None:
    """On standard output."""
    from kille_net.client.showing.layout import to_ascii

    for line in lines:
        # As bytes, since a record's names need not fit what the locale can write.
        click.echo((to_ascii(line) if ascii_only else line).encode("utf-8", "replace"))
