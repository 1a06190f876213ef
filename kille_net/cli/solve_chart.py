"""`kille solve --seats 4` to 8: the chart of which card to swap. Owns how it is printed."""

import json
import os
import sys
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kille_net.cli.columns import columns, show
from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.speaking import spoken, tell, tell_error, tell_many, value_word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kille_net.game.cards import Pack
    from kille_net.game.rules import Ruleset
    from kille_net.solve.chart import Cell, Found

__all__ = ["chart"]

_EVERY: Final = 100
"""Hands between two looks at the bar."""


def chart(rules: "Ruleset", seats: int, *, hands: int, seed: str, as_json: bool, out: str | None) -> Exit:
    """Search it, print it, and write it where it is to go. Raises CliError."""
    from kille_net.solve.chart import search

    is_seen = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    with click.progressbar(length=hands, file=sys.stderr, hidden=not is_seen) as bar:

        def hear(dealt: int) -> None:
            if dealt % _EVERY == 0:
                bar.update(_EVERY)

        found = search(rules, seats, _packs(seed, seats), hands=hands, hear=hear)
    if as_json:
        click.echo(json.dumps(_object(rules, seats, seed, found), ensure_ascii=False, allow_nan=False))
    else:
        show(_lines(rules, seats, found, hands))
    if out is not None:
        _write(Path(out), seats, found)
    return Exit.DONE


def _packs(seed: str, seats: int) -> "Iterator[Pack]":
    from kille_net.game.shuffle import Seeded, match_id_of

    chance = Seeded(seed, match_id_of(seed, seats))
    return (chance.pack(number, 0) for number in count(1))


def _lines(rules: "Ruleset", seats: int, found: "Found", hands: int) -> list[str]:
    from kille_net.client.showing.texts import CARDS
    from kille_net.game.cards import Card
    from kille_net.game.showdown import NEVER_LOWEST
    from kille_net.solve.chart import Place

    names = CARDS[spoken()]
    places = range(seats - 1, -1, -1)
    rows = [
        [tell("solve.chart.after"), *map(str, places)],
        [tell("solve.chart.below"), *(names[found.below[place]] for place in places)],
        [""] * (seats + 1),
        *(
            [names[card], *(_cell(found.cells.get(Place(place, card)), card < found.below[place]) for place in places)]
            for card in reversed(Card)
            if card not in NEVER_LOWEST
        ),
    ]
    form = value_word(rules.format.value)
    return [
        tell_many("solve.chart.head", rules.rules.lives, seats=seats, format=form, hands=hands),
        "",
        *columns(rows),
        "",
        tell("solve.chart.legend", hands=found.hands),
    ]


def _cell(cell: "Cell | None", is_swapped: bool) -> str:  # noqa: FBT001  it is what the chart says of the cell
    """In how many hands of 100 standing and swapping cost a life; in brackets what is swapped; ?: unsure."""
    if cell is None:
        return ""
    text = f"{100 * cell.stand:.0f}/{100 * cell.swap:.0f}{'' if cell.is_clear else '?'}"
    return f"[{text}]" if is_swapped else f"{text} "


def _object(rules: "Ruleset", seats: int, seed: str, found: "Found") -> dict[str, Any]:
    return {
        "rules": {"format": rules.format.value},
        "seats": seats,
        "seed": seed,
        "hands": found.hands,
        "below": [card.code for card in found.below],
        "cells": [
            {
                "following": place.following,
                "card": place.card.code,
                "hands": cell.gain.count,
                "stand": cell.stand,
                "swap": cell.swap,
                "gain": {"mean": cell.gain.mean, "low": cell.gain.low, "high": cell.gain.high},
            }
            for place, cell in sorted(found.cells.items())
        ],
    }


def _write(path: Path, seats: int, found: "Found") -> None:
    from kille_net.bots.chart import text

    try:
        path.write_text(text({seats: found.below}), encoding="ascii", newline="\n")
    except OSError as error:
        raise CliError(tell("arena.file_not_written", file=path, why=tell_error(error)), code=Exit.WRONG_USE) from error
