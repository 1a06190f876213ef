"""`kille solve`: how well two can play. Owns the options and the tables that are printed."""

import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from kille_net.cli.columns import columns
from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.speaking import Command, Words, option, spoken, tell, tell_error, value_word

if TYPE_CHECKING:
    from kille_net.bots import Bot
    from kille_net.game.rules import Ruleset
    from kille_net.solve.solution import Solution
    from kille_net.solve.table import Row

__all__ = ["command"]

_SEATS: Final = 2
"""That are solved to the end."""
_NEEDED: Final = ("numpy", "scipy")
_FOR_TWO: Final = frozenset({"length", "pots", "bots"})
_FOR_MORE: Final = frozenset({"hands", "seed"})
"""Parameters that mean something at two seats alone, and at more alone."""


class _ByChance(Exception):
    """A bot has drawn from its chance."""


class _NoChance(Random):
    """Chance that nobody may draw from."""

    def random(self) -> float:
        raise _ByChance

    def getrandbits(self, _number: int) -> int:
        raise _ByChance


@click.command("solve", cls=Command)
@option("--seats", type=click.IntRange(_SEATS, 8), default=_SEATS)
@option("--format", "format_", type=Words(["pots", "sticks"]), default="pots")
@option("--length", type=Words(["short", "standard", "long"]), default="standard")
@option("--pots", type=click.IntRange(1, 100))
@option("--bot", "bots", metavar="BOT", multiple=True)
@option("--hands", type=click.IntRange(min=1), default=40_000)
@option("--seed", default="kille")
@option("--json", "as_json", is_flag=True)
@option("--out", metavar="FILE", type=click.Path(dir_okay=False))
@click.pass_context
def command(
    ctx: click.Context,
    *,
    seats: int,
    format_: str,
    length: str,
    pots: int | None,
    bots: Sequence[str],
    hands: int,
    seed: str,
    as_json: bool,
    out: str | None,
) -> Exit:
    from kille_net.cli.solve_chart import chart
    from kille_net.game.rules import Format, Length, Ruleset

    _must_mean_something(ctx, seats)
    if out is not None and not Path(out).absolute().parent.is_dir():
        raise CliError(tell("arena.no_folder", file=out), code=Exit.WRONG_USE)
    if seats > _SEATS:
        rules = Ruleset(format=Format(format_))
        return chart(rules, seats, hands=hands, seed=seed, as_json=as_json, out=out)
    if any(find_spec(name) is None for name in _NEEDED):
        raise CliError(tell("solve.not_installed"), code=Exit.WRONG_USE)
    began = monotonic()
    rules = Ruleset.for_seats(_SEATS, format=Format(format_), length=Length(length), pots=pots)
    with redirect_stdout(sys.stderr):  # a bot of one's own may print
        solution = _solved(rules, bots)
    if as_json:
        click.echo(json.dumps(_object(solution), ensure_ascii=False, allow_nan=False))
    else:
        click.echo("\n".join(_table(solution, monotonic() - began)))
    if out is not None:
        _write(Path(out), solution)
    if not solution.holds:
        raise CliError(tell("solve.does_not_hold"), code=Exit.DOES_NOT_HOLD)
    return Exit.DONE


def _must_mean_something(ctx: click.Context, seats: int) -> None:
    """No option was given that says nothing at so many seats."""
    idle = _FOR_MORE if seats == _SEATS else _FOR_TWO
    for param in ctx.command.params:
        name = param.name or ""
        if name in idle and ctx.get_parameter_source(name) is not ParameterSource.DEFAULT:
            raise CliError(tell("solve.not_for", option=param.opts[0], seats=seats), code=Exit.WRONG_USE)


def _solved(rules: "Ruleset", names: Sequence[str]) -> "Solution":
    from kille_net.solve.best_response import Unanswerable
    from kille_net.solve.solution import against, solve

    found = []
    for name in names:
        try:
            found.append(against(rules, name, _bot(name)))
        except _ByChance:
            raise CliError(tell("solve.by_chance", bot=name), code=Exit.WRONG_USE) from None
        except Unanswerable as error:
            raise CliError(tell("solve.unanswerable", bot=name, why=tell_error(error)), code=Exit.WRONG_USE) from error
        except CliError:
            raise
        except Exception as error:  # whatever an author's bot can raise
            why = " ".join(f"{type(error).__name__}: {error}".split())
            raise CliError(tell("solve.bot_failed", bot=name, why=why), code=Exit.WRONG_USE) from error
    return solve(rules, found)


def _bot(name: str) -> "Bot":
    from kille_net.bots import BotError, load

    try:
        return load(name)(_NoChance())
    except BotError as error:
        raise CliError(tell_error(error), code=Exit.WRONG_USE) from error


# --- what is told -----------------------------------------------------------------------------------------------------


def _table(solution: "Solution", seconds: float) -> list[str]:
    rules = solution.rules
    form = value_word(rules.format.value)
    lines = [
        tell(f"solve.head.{rules.format.value}", format=form, pots=rules.pots),
        tell("solve.match", chance=f"{solution.match:.5f}"),
        tell(f"solve.pot.{rules.format.value}", chance=f"{solution.pot[rules.rules.lives, rules.rules.lives]:.5f}"),
    ]
    if rules.rules.lives > 1:
        left = range(1, rules.rules.lives + 1)
        rows = [(f"{tell('solve.lives')}", *map(str, left))]
        rows += [(str(first), *(f"{solution.pot[first, dealer]:.5f}" for dealer in left)) for first in left]
        lines += ["", tell("solve.by_lives"), *columns(rows)]
    heading = (tell("solve.where"), tell("solve.first"), tell("solve.dealer"), tell("solve.tie"))
    lines += ["", tell("solve.below"), *columns([heading, *_thresholds(solution)]), tell("solve.besides")]
    if solution.against:
        lines += ["", tell("solve.against"), *_against(solution)]
    first, dealer = solution.gaps
    gaps = {"first": f"{first:.1e}", "dealer": f"{dealer:.1e}", "residual": f"{solution.residual:.1e}"}
    return [*lines, "", tell("solve.gaps", **gaps, seconds=f"{seconds:.1f}")]


def _thresholds(solution: "Solution") -> list[tuple[str, ...]]:
    """A line for all the places where the same holds."""
    cards = _cards()
    by_lives = solution.rules.rules.whole_pack
    table: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for one, two, *thresholds in solution.rows:
        table.setdefault((*("" if by_lives else one), *thresholds), []).append((one, two))
    if len(table) == 1:
        return [(tell("solve.always"), *(cards[code] for code in solution.rows[0][2:]))]
    return [(_places(places, by_lives=by_lives), *(cards[code] for code in key[-3:])) for key, places in table.items()]


def _places(places: Sequence[tuple[str, str]], *, by_lives: bool) -> str:
    if by_lives:
        return ", ".join(f"{first}-{dealer}" for first, dealer in places)
    (harlekins, _), *_ = places
    # In the order of the pack; who remembers nothing else stands for all others.
    cards = "" if any(not card for _, card in places) else _ranges([card for _, card in places])
    return tell("solve.thrown_with" if cards else "solve.thrown", number=harlekins, cards=cards)


def _ranges(codes: Sequence[str]) -> str:
    """The cards by name, neighbours as from one to another."""
    from kille_net.game.cards import Card

    cards = sorted(Card.of_code(code) for code in codes)
    names = _cards()
    runs = [list(run) for _, run in groupby(enumerate(cards), key=lambda pair: pair[1] - pair[0])]
    return ", ".join(
        names[run[0][1].code] if len(run) == 1 else f"{names[run[0][1].code]}–{names[run[-1][1].code]}" for run in runs
    )


def _cards() -> Mapping[str, str]:
    from kille_net.client.showing.texts import CARDS

    return {card.code: name for card, name in CARDS[spoken()].items()}


def _against(solution: "Solution") -> list[str]:
    lives = solution.rules.rules.lives
    value = solution.pot[lives, lives]
    rows = [(tell("solve.bot"), tell("solve.as_first"), tell("solve.as_dealer"), tell("solve.more"))]
    rows += [
        (one.bot, f"{one.first:.5f}", f"{one.dealer:.5f}", f"{(one.first + one.dealer - 1) / 2:+.5f}")
        for one in solution.against
    ]
    rows.append((tell("solve.perfect"), f"{value:.5f}", f"{1 - value:.5f}", f"{0:+.5f}"))
    return columns(rows)


def _object(solution: "Solution") -> dict[str, Any]:
    rules = solution.rules
    return {
        "rules": {"format": rules.format.value, "pots": rules.pots},
        "match": solution.match,
        "pot": [
            {"first": first, "dealer": dealer, "chance": chance} for (first, dealer), chance in solution.pot.items()
        ],
        "table": [list(row) for row in solution.rows],
        "gaps": dict(zip(("first", "dealer"), solution.gaps, strict=True)),
        "residual": solution.residual,
        "against": [{"bot": one.bot, "first": one.first, "dealer": one.dealer} for one in solution.against],
    }


def _write(path: Path, solution: "Solution") -> None:
    from kille_net.game.rules import Format, Ruleset
    from kille_net.solve.solution import rows_of
    from kille_net.solve.table import text

    tables: dict[str, Sequence[Row]] = {
        form.value: solution.rows if form is solution.rules.format else rows_of(Ruleset(format=form)) for form in Format
    }
    try:
        path.write_text(text(tables), encoding="ascii", newline="\n")
    except OSError as error:
        raise CliError(tell("arena.file_not_written", file=path, why=tell_error(error)), code=Exit.WRONG_USE) from error
