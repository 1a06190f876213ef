"""`kille bot step`: a bot asked again at one recorded decision. Owns the options and what is printed.

No clock runs and no guard stands between: the bot is called in the process that has the terminal, for `breakpoint()`.
"""

import os
from typing import TYPE_CHECKING

import click

from kille_net.cli.apart import go_apart, interrupted
from kille_net.cli.columns import columns
from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.ranges import Seed
from kille_net.cli.records import RECORD_FILE
from kille_net.cli.replay import load_replay, print_lines, seat_of
from kille_net.cli.settings import Settings
from kille_net.cli.speaking import Command, argument, option, tell, tell_complaint, tell_error, tell_many

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kille_net.bots import Bot
    from kille_net.client.replaying import Replay
    from kille_net.client.stepping import Asked
    from kille_net.game.actions import Action

__all__ = ["command"]


@click.command("step", cls=Command)
@argument("file", type=RECORD_FILE)
@option("--seat", metavar="SEAT", required=True)
@option("--at", type=click.IntRange(min=1))
@option("--bot", metavar="BOT")
@option("--before", is_flag=True)
@option("--seed", metavar="TEXT", type=Seed(), default="kille")
@option("--match", "number", type=click.IntRange(min=1), default=1)
@click.pass_obj
def command(
    settings: Settings,
    *,
    file: str,
    seat: str,
    at: int | None,
    bot: str | None,
    before: bool,
    seed: str,
    number: int,
) -> Exit:
    from kille_net.client.run import speaks_utf8
    from kille_net.client.stepping import questions

    lang = settings.lang
    replay = load_replay(file, number, lang)
    viewer = seat_of(replay, seat, lang)
    assert viewer is not None
    asked = list(questions(replay, viewer))
    ascii_only = os.isatty(1) and not speaks_utf8(os.environ)
    if at is None:
        print_lines(_listed(asked, lang), ascii_only=ascii_only)
        return Exit.DONE
    if at > len(asked):
        raise CliError(tell_many("step.no_question", len(asked), at=at), code=Exit.WRONG_USE)
    one = asked[at - 1]
    print_lines(_shown(replay, one, lang), ascii_only=ascii_only)
    if bot is None:
        return Exit.DONE
    go_apart([bot])
    try:
        return _ask(_make(bot, seed), asked[:at], before=before)
    except KeyboardInterrupt as error:
        raise interrupted(error) from None


def _listed(asked: "Sequence[Asked]", lang: str) -> list[str]:
    """A line for each question."""
    from kille_net.client.showing.texts import CARDS

    rows = [
        (
            str(number),
            tell("step.hand", hand=one.view.hand),
            CARDS[lang][one.view.card],
            _may(one),
            _played(one),
        )
        for number, one in enumerate(asked, 1)
    ]
    return columns(rows, left=len(rows[0])) if rows else [tell("step.none")]


def _shown(replay: "Replay", one: "Asked", lang: str) -> list[str]:
    """What the seat knew, what it may do, and what was done."""
    from kille_net.client.showing.listing import known_lines, score_title

    view = one.view
    return [
        tell("step.hand", hand=view.hand),
        score_title(view, lang),
        *known_lines(replay.model(one.step, view.seat), lang),
        tell("step.may", may=_may(one)),
        tell("step.played", played=_played(one)),
    ]


def _may(one: "Asked") -> str:
    return tell("step.kuku") if one.is_kuku else ", ".join(map(_called, one.view.legal))


def _called(action: "Action") -> str:
    """An action in the spoken language, with its code beside, by which a bot and a record have it."""
    word = tell(f"coach.do.{action.code}")
    return word if word == action.code else f"{word} ({action.code})"


def _played(one: "Asked") -> str:
    answer = tell("step.no_call") if one.answer is None else _called(one.answer)
    return answer if one.by is None else f"{answer} ({tell(f'step.by.{one.by.name.lower()}')})"


def _make(bot: str, seed: str) -> "Bot":
    from random import Random

    from kille_net.bots import BotError, load
    from kille_net.bots.guard import told

    try:
        make = load(bot)
    except BotError as error:
        raise CliError(tell_error(error), code=Exit.WRONG_USE) from error
    try:
        made = make(Random(seed))  # noqa: S311  a whim that repeats
        made.ready()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever an author's bot can raise, SystemExit too
        click.echo(told(error), err=True, nl=False)
        raise CliError(tell("step.unmade", bot=bot), code=Exit.DOES_NOT_HOLD) from error
    return made


def _ask(bot: "Bot", asked: "Sequence[Asked]", *, before: bool) -> Exit:
    """Let it see all that its seat saw, and ask the last of these; `before`: and all others."""
    from kille_net.bots.guard import call_fault_of, fault_of, told
    from kille_net.game.actions import Action

    answer: object = None
    try:
        for one in asked:
            for event in one.seen:
                bot.saw(event)
            if before or one is asked[-1]:
                answer = bot.calls_kuku(one.view) if one.is_kuku else bot.decide(one.view)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        click.echo(told(error), err=True, nl=False)
        click.echo(tell("step.raised"))
        return Exit.DOES_NOT_HOLD
    last = asked[-1]
    wrong = call_fault_of(answer) if last.is_kuku else fault_of(answer, last.view.legal)
    if wrong is not None:
        click.echo(tell("step.wrong", text=tell_complaint(wrong)))
        return Exit.DOES_NOT_HOLD
    action = answer if isinstance(answer, Action) else Action.KUKU if answer else None
    said = tell("step.no_call") if action is None else _called(action)
    click.echo(tell("step.answers", answer=said))
    return Exit.DONE
