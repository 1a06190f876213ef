"""`kille solve`: how well the game can be played. Owns the options, and the tables of two that are printed; those of
three are `solve_three`'s, and the charts `solve_chart`'s.
"""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
from click.core import ParameterSource

from kille_net.cli.apart import go_apart, interrupted
from kille_net.cli.columns import columns, show
from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.players import BotName
from kille_net.cli.ranges import Seed
from kille_net.cli.speaking import (
    Command,
    Words,
    option,
    spoken,
    tell,
    tell_complaint,
    tell_error,
    tell_many,
    value_word,
)

if TYPE_CHECKING:
    from kille_net.bots import Bot
    from kille_net.game.rules import Ruleset
    from kille_net.solve.solution import Solution
    from kille_net.solve.table import Row
    from kille_net.solve.three import solution as of_three

__all__ = ["command"]

_Found = TypeVar("_Found")

_TWO: Final = 2
_THREE: Final = 3
_MOST_HANDS: Final = 10**9
_NEEDED: Final = ("numpy", "scipy")
_OF_TWO: Final = frozenset({"length", "pots", "bots"})
_OF_THREE: Final = frozenset({"rounds", "bots"})
_OF_CHARTS: Final = frozenset({"hands", "seed"})
"""Parameters that mean something for two, for three, and for a chart alone."""


class _ByChance(Exception):
    """A bot has drawn from its chance."""


class _NoChance(Random):
    """Chance that nobody may draw from."""

    def random(self) -> float:
        raise _ByChance

    def getrandbits(self, _number: int) -> int:
        raise _ByChance


@click.command("solve", cls=Command)
@option("--seats", type=click.IntRange(_TWO, 8), default=_TWO)
@option("--format", "format_", type=Words(["pots", "sticks"]), default="pots")
@option("--length", type=Words(["short", "standard", "long"]), default="standard")
@option("--pots", type=click.IntRange(1, 100))
@option("--bot", "bots", metavar="BOT", multiple=True, type=BotName())
@option("--rounds", type=click.IntRange(min=1), default=10_000)
@option("--hands", type=click.IntRange(1, _MOST_HANDS), default=40_000)
@option("--seed", metavar="TEXT", type=Seed(), default="kille")
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
    rounds: int,
    hands: int,
    seed: str,
    as_json: bool,
    out: str | None,
) -> Exit:
    from kille_net.cli.solve_chart import chart
    from kille_net.game.rules import Format, Length, Ruleset

    is_chart = seats > _THREE or (seats == _THREE and bool(_given(ctx) & _OF_CHARTS))
    _must_mean_something(ctx, seats, _OF_CHARTS if is_chart else _OF_TWO if seats == _TWO else _OF_THREE)
    if out is not None and not Path(out).absolute().parent.is_dir():
        raise CliError(tell("arena.no_folder", file=out), code=Exit.WRONG_USE)
    if is_chart:
        rules = Ruleset(format=Format(format_))
        return chart(rules, seats, hands=hands, seed=seed, as_json=as_json, out=out)
    if any(find_spec(name) is None for name in _NEEDED):
        raise CliError(tell("solve.not_installed"), code=Exit.WRONG_USE)
    rules = Ruleset.for_seats(seats, format=Format(format_), length=Length(length), pots=pots)
    file = None if out is None else Path(out)
    go_apart(bots)
    if seats == _TWO:
        holds = _two(rules, bots, as_json=as_json, out=file)
    else:
        holds = _three(rules, bots, rounds, as_json=as_json, out=file)
    if not holds:
        raise CliError(tell("solve.does_not_hold"), code=Exit.DOES_NOT_HOLD)
    return Exit.DONE


def _given(ctx: click.Context) -> set[str]:
    """The parameters that were named."""
    names = (param.name or "" for param in ctx.command.params)
    return {name for name in names if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT}


def _must_mean_something(ctx: click.Context, seats: int, meant: frozenset[str]) -> None:
    """No option was given that says nothing at so many seats, or nothing of a chart."""
    idle = (_OF_TWO | _OF_THREE | _OF_CHARTS) - meant
    given = _given(ctx)
    option_of = {param.name: param.opts[0] for param in ctx.command.params}
    for param in ctx.command.params:
        if param.name in idle & given:
            beside = sorted(given & meant) if seats == _THREE and meant is _OF_CHARTS else []
            if beside:
                text = tell("solve.not_beside", option=param.opts[0], other=option_of[beside[0]])
            else:
                text = tell("solve.not_for", option=param.opts[0], seats=seats)
            raise CliError(text, code=Exit.WRONG_USE)


def _two(rules: "Ruleset", bots: Sequence[str], *, as_json: bool, out: Path | None) -> bool:
    """Tell of two; whether it holds."""
    from kille_net.solve.solution import against, solve

    began = monotonic()
    with redirect_stdout(sys.stderr):  # a bot of one's own may print
        solution = solve(rules, _answered(bots, lambda name, bot: against(rules, name, bot)))
    _print(_object(solution) if as_json else _table(solution, monotonic() - began))
    if out is not None:
        _write(out, _text(solution))
    return solution.holds


def _three(rules: "Ruleset", bots: Sequence[str], rounds: int, *, as_json: bool, out: Path | None) -> bool:
    """The same of three."""
    from kille_net.cli.solve_three import lines, object_of
    from kille_net.solve.three.solution import against, solve

    if sys.stderr.isatty():
        click.echo(f"kille: {tell('solve.three.wait')}", err=True)
    began = monotonic()
    with redirect_stdout(sys.stderr):
        others = _answered(bots, lambda name, bot: against(rules, name, bot))
        solution = solve(rules, others, rounds=rounds)
    _print(object_of(solution) if as_json else lines(solution, monotonic() - began))
    if out is not None:
        _write(out, _text_of_three(solution, rounds))
    return solution.holds


def _print(told: dict[str, Any] | Sequence[str]) -> None:
    if isinstance(told, dict):
        click.echo(json.dumps(told, ensure_ascii=False, allow_nan=False))
    else:
        show(told)


def _answered(names: Sequence[str], against: "Callable[[str, Bot], _Found]") -> list[_Found]:
    from kille_net.solve.best_response import Unanswerable, WrongAnswer

    found = []
    for name in names:
        try:
            found.append(against(name, _bot(name)))
        except _ByChance:
            raise CliError(tell("solve.by_chance", bot=name), code=Exit.WRONG_USE) from None
        except Unanswerable as error:
            raise CliError(tell("solve.unanswerable", bot=name, why=tell_error(error)), code=Exit.WRONG_USE) from error
        except WrongAnswer as error:
            why = tell_complaint(error.complaint)
            raise CliError(tell("solve.bot_failed", bot=name, why=why), code=Exit.WRONG_USE) from error
        except CliError:
            raise
        except KeyboardInterrupt as error:
            raise interrupted(error) from None
        except BaseException as error:  # whatever an author's bot can raise, SystemExit too
            why = " ".join(f"{type(error).__name__}: {error}".split())
            raise CliError(tell("solve.bot_failed", bot=name, why=why), code=Exit.WRONG_USE) from error
    return found


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
        tell_many(f"solve.head.{rules.format.value}", rules.pots, format=form),
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


def _text(solution: "Solution") -> str:
    """The tables of both formats."""
    from kille_net.game.rules import Format, Ruleset
    from kille_net.solve.solution import rows_of
    from kille_net.solve.table import text

    tables: dict[str, Sequence[Row]] = {
        form.value: solution.rows if form is solution.rules.format else rows_of(Ruleset(format=form)) for form in Format
    }
    return text(tables)


def _text_of_three(solution: "of_three.Solution", rounds: int) -> str:
    from kille_net.bots.three import text
    from kille_net.game.rules import Format, Ruleset
    from kille_net.solve.three.solution import table_for

    return text(
        {
            form.value: solution.table
            if form is solution.rules.format
            else table_for(Ruleset(format=form), rounds=rounds)
            for form in Format
        }
    )


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="ascii", newline="\n")
    except OSError as error:
        raise CliError(tell("arena.file_not_written", file=path, why=tell_error(error)), code=Exit.WRONG_USE) from error
