"""`kille referee`: judge hands that somebody wrote down (record.md)."""

import json
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import click

from kille_net.cli.exit_codes import Exit
from kille_net.cli.records import RECORD_FILE, lines_of
from kille_net.cli.settings import Settings

if TYPE_CHECKING:
    from kille_net.game.judge import Judgement

_TEXTS: Final = {
    "sv": {
        "hand": "Giv {number}: {dealer} ger. Liv: {lives}.",
        "seat": "Plats-{seat}",
        "to_act": "{who} ska svara.",
        "error": "Given kan inte spelas: {why}.",
        "error_at": "Handling {at} är inte giltig: {why}.",
        "no_hand": "given är slut",
        "not_in_hand": "platsen är inte med i given",
        "not_your_turn": "platsen är inte i tur",
        "not_asked": "platsen är inte tillfrågad om nya kort",
        "must_answer": "platsen måste först svara på frågan om nya kort",
        "wrong_answer": "platsen kan inte svara så på frågan om nya kort",
        "cannot_ask": "platsen kan inte fråga om nya kort nu",
        "no_kuku": "platsen har ingen Kuku",
    },
    "en": {
        "hand": "Hand {number}: {dealer} deals. Lives: {lives}.",
        "seat": "Seat-{seat}",
        "to_act": "{who} is to answer.",
        "error": "The hand cannot be played: {why}.",
        "error_at": "Action {at} is not legal: {why}.",
    },
}


@click.command("referee")
@click.argument("file", type=RECORD_FILE, default="-")
@click.option("--explain", is_flag=True, help="Tell each hand as text, event by event, in the chosen language.")
@click.pass_obj
def command(settings: Settings, *, file: str, explain: bool) -> Exit:
    """Judge hands by the rules.

    FILE holds a JSON object on every line, as match records do; without FILE they are read from standard input. Each
    hand is answered with one line as soon as it is read: who loses, whose turn it is, or which action is not legal.

    The exit status is 1 if a hand could not be played.
    """
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
    from kille_net.client.narrate import narrate
    from kille_net.client.texts import Who

    texts = _TEXTS[lang]
    if len(names) != len(judged.lives):
        names = [texts["seat"].format(seat=seat) for seat in range(len(judged.lives))]
    who = [Who(name, lang, is_you=False) for name in names]
    if judged.lives:
        lives = ", ".join(f"{who[seat]} {lives}" for seat, lives in enumerate(judged.lives) if lives)
        yield texts["hand"].format(number=number, dealer=who[judged.dealer], lives=lives)
    for event in judged.events:
        yield from narrate(event, names, lang)
    if not judged.playable:
        why, at = judged.answer["error"], judged.answer["at"]
        if judged.refusal is not None:
            why = texts.get(judged.refusal.value, why)
        if at is None:
            yield texts["error"].format(why=why)
        else:
            yield texts["error_at"].format(at=at + 1, why=why)
    elif not judged.answer["done"]:
        yield texts["to_act"].format(who=who[judged.answer["to_act"]])
