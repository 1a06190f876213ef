"""`kille referee`: judge hands that somebody wrote down (protocol/record.md)."""

import json
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from kille_net.cli.exit_codes import Exit
from kille_net.cli.records import RECORD_FILE, lines_of
from kille_net.cli.settings import Settings
from kille_net.cli.speaking import Command, argument, option, tell, tell_error

if TYPE_CHECKING:
    from kille_net.game.judge import Judgement


@click.command("referee", cls=Command)
@argument("file", type=RECORD_FILE, default="-")
@option("--explain", is_flag=True)
@click.pass_obj
def command(settings: Settings, *, file: str, explain: bool) -> Exit:
    from kille_net.game.judge import Referee

    referee = Referee()
    number = 0
    holds = True
    for line in lines_of(file):
        judged = referee.judge(line) if line.strip() else None
        if judged is None:
            continue
        number += 1
        holds &= judged.playable
        if explain:
            click.echo("\n".join(_explain(judged, number, referee.names, settings.lang)) + "\n")
        else:
            sys.stdout.write(json.dumps(judged.answer) + "\n")
            sys.stdout.flush()
    return Exit.DONE if holds else Exit.DOES_NOT_HOLD


def _explain(judged: "Judgement", number: int, names: Sequence[str], lang: str) -> Iterator[str]:
    """The hand as lines of text: how it began, each event, and what is wrong or open."""
    from kille_net.client.showing.narrate import narrate
    from kille_net.client.showing.texts import Who

    if len(names) != len(judged.lives):
        names = [tell("referee.seat", seat=seat + 1) for seat in range(len(judged.lives))]
    who = [Who(name, lang, is_you=False) for name in names]
    if judged.lives:
        lives = ", ".join(f"{who[seat]} {lives}" for seat, lives in enumerate(judged.lives) if lives)
        yield tell("referee.hand", number=number, dealer=who[judged.dealer], lives=lives)
    for event in judged.events:
        yield from narrate(event, names, lang)
    if not judged.playable:
        assert judged.error is not None
        why, at = tell_error(judged.error), judged.answer["at"]
        if at is None:
            yield tell("referee.error", why=why)
        else:
            yield tell("referee.error_at", at=at + 1, why=why)
    elif not judged.answer["done"]:
        yield tell("referee.to_act", who=who[judged.answer["to_act"]])
