"""`kille arena`: many matches between bots. Owns the options, the progress line and the table that is printed."""

import json
import secrets
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from math import isnan
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import click

from kille_net.cli.columns import columns
from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.settings import Settings
from kille_net.systems import processors

if TYPE_CHECKING:
    from kille_net.arena.intervals import Estimate
    from kille_net.arena.plan import Plan
    from kille_net.arena.summary import Summary, Tally
    from kille_net.game.rules import Ruleset

__all__ = ["command"]

_TEXTS: Final = {
    "en": {
        "head": "{matches} matches, {hands} hands: {blocks} of {rotations}, the same packs in every rotation"
        " of the seats",
        "block": "1 block",
        "blocks": "{number} blocks",
        "cut": "Broken off; {planned} matches were asked for.",
        "rules": "{seats} seats, {format}, {pots} pots a match, dealt Harlekin {dealt_harlekin}, seed {seed}",
        "table": "Table: {table}",
        "bot": "bot",
        "seats": "seats",
        "points": "points",
        "share": "share",
        "won": "won",
        "interval": "95 % interval",
        "measures": "Points of a seat in a match; its share of all points and of matches won, where 1.000 is even.",
        "to": "to",
        "difference": "difference",
        "few": "not enough data",
        "progress": "{done} of {planned} matches, {left} s left",
        "complaint": "{bot}: {fault} in {doing}, {times} times: {text}",
        "others": "{bot}: and {times} faults more",
    },
    "sv": {
        "head": "{matches} matcher, {hands} givar: {blocks} om {rotations}, samma lekar i varje vridning av platserna",
        "block": "1 block",
        "blocks": "{number} block",
        "cut": "Avbrutet; {planned} matcher var beställda.",
        "rules": "{seats} platser, {format}, {pots} potter per match, given Harlekin {dealt_harlekin}, frö {seed}",
        "table": "Bord: {table}",
        "bot": "bot",
        "seats": "platser",
        "points": "poäng",
        "share": "andel",
        "won": "vunna",
        "interval": "95 % intervall",
        "measures": "En plats poäng i en match; dess andel av poäng och av vunna matcher, där 1.000 är jämnt.",
        "to": "till",
        "difference": "skillnad",
        "few": "för lite data",
        "progress": "{done} av {planned} matcher, {left} s kvar",
        "complaint": "{bot}: {fault} i {doing}, {times} gånger: {text}",
        "others": "{bot}: och {times} fel till",
    },
}
_PROGRESS_EVERY: Final = 0.2
"""Seconds."""
_RECORDS: Final = "match-*.jsonl"


class _Seconds(click.FloatRange):
    """A range in which there is no NaN either, which no comparison keeps out."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401  as click declares it
        number: float = super().convert(value, param, ctx)
        if isnan(number):
            self.fail(f"{value} is no number of seconds.", param, ctx)
        return number


@click.command("arena")
@click.argument("bots", metavar="BOT...", nargs=-1, required=True)
@click.option("--seats", type=click.IntRange(2, 8), default=4, help="Seats at the table.")
@click.option("--format", "format_", type=click.Choice(["pots", "sticks"]), default="pots", help="What is played.")
@click.option("--length", type=click.Choice(["short", "standard", "long"]), default="standard", help="Of a match.")
@click.option("--pots", type=click.IntRange(1, 1000), help="Pots (or partier) of a match.  [default: by the length]")
@click.option(
    "--dealt-harlekin", type=click.Choice(["high", "low"]), default="high", help="How a dealt Harlekin counts."
)
@click.option("--matches", type=click.IntRange(min=1), default=200, help="At least so many; whole blocks are played.")
@click.option("--seed", metavar="TEXT", help="The same seed gives the same matches.  [default: drawn, and shown]")
@click.option("--jobs", type=click.IntRange(1, 256), help="Processes that play.  [default: one a processor]")
@click.option("--budget", type=_Seconds(0.001, 3600), default=1.0, help="Seconds a bot of yours may think.")
@click.option("--records", metavar="DIR", type=click.Path(file_okay=False), help="Write a record of every match there.")
@click.option("--out", metavar="FILE", type=click.Path(dir_okay=False), help="Write the results there as JSON.")
@click.pass_obj
def command(
    settings: Settings,
    *,
    bots: tuple[str, ...],
    seats: int,
    format_: str,
    length: str,
    pots: int | None,
    dealt_harlekin: str,
    matches: int,
    seed: str | None,
    jobs: int | None,
    budget: float,
    records: str | None,
    out: str | None,
) -> Exit:
    """Let bots play many matches and see who is stronger.

    BOT is FILE.py, FILE.py:NAME when there are several in it, or a built-in one: random, easy, careful, sharp. Fewer
    bots than seats are repeated round the table.

    Every pack is played once in each rotation of the seats, so that luck cancels. A difference whose interval leaves
    zero out holds in other matches at such a table, too. It says nothing of other tables.
    """
    from kille_net.game.rules import Format, HarlekinRank, Length, Ruleset

    rules = Ruleset.for_seats(
        seats,
        format=Format(format_),
        length=Length(length),
        dealt_harlekin=HarlekinRank(dealt_harlekin),
        pots=pots,
    )
    folder = _folder_of(records)
    if out is not None and not Path(out).absolute().parent.is_dir():
        raise CliError(f"cannot write {out}: its folder does not exist", code=Exit.WRONG_USE)
    with redirect_stdout(sys.stderr):  # a bot of one's own may print
        plan = _plan(bots, seats, rules, seed=secrets.token_hex(8) if seed is None else seed, seconds=budget)
        plan = replace(plan, blocks=-(-matches // plan.rotations))
        summary, code = _play(plan, jobs or processors(), folder, _TEXTS[settings.lang])
    _tell_complaints(summary, _TEXTS[settings.lang])
    click.echo("\n".join(_table(summary, _TEXTS[settings.lang])))
    if out is not None:
        _write(Path(out), summary)
    return code


def _plan(bots: Sequence[str], seats: int, rules: "Ruleset", *, seed: str, seconds: float) -> "Plan":
    """One block of it."""
    from kille_net.arena.plan import Plan
    from kille_net.bots import BotError, load

    if len(bots) > seats:
        raise CliError(f"{len(bots)} bots do not fit at {seats} seats: use --seats", code=Exit.WRONG_USE)
    try:
        seed.encode()
    except UnicodeEncodeError:
        raise CliError("the seed is not text", code=Exit.WRONG_USE) from None
    try:
        for name in bots:
            load(name)
    except BotError as error:
        raise CliError(str(error), code=Exit.WRONG_USE) from error
    return Plan(bots=tuple(bots), seats=seats, rules=rules, seed=seed, blocks=1, seconds=seconds)


def _folder_of(records: str | None) -> Path | None:
    if records is None:
        return None
    folder = Path(records)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = next(folder.glob(_RECORDS), None)
    except OSError as error:
        raise CliError(f"cannot write to {records}: {error.strerror}", code=Exit.WRONG_USE) from error
    if taken is not None:
        raise CliError(f"{records} holds records already: name an empty folder", code=Exit.WRONG_USE)
    return folder


def _play(plan: "Plan", jobs: int, records: Path | None, texts: Mapping[str, str]) -> tuple["Summary", Exit]:
    """Play to the end, or until Ctrl-C; what there is then is told all the same."""
    from kille_net.arena.blocks import WorkerLost, play_blocks
    from kille_net.arena.summary import Tally
    from kille_net.bots import BotError

    tally = Tally(plan)
    progress = _Progress(tally, plan, texts)
    blocks = play_blocks(plan, jobs, records)
    code = Exit.DONE
    try:
        for block in blocks:
            tally.add(block)
            progress.show()
    except KeyboardInterrupt:
        code = Exit.SIGINT
    except BotError as error:
        raise CliError(str(error), code=Exit.WRONG_USE) from error
    except OSError as error:
        raise CliError(f"cannot write to {records}: {error.strerror}", code=Exit.WRONG_USE) from error
    except WorkerLost:
        raise CliError("a process that played has ended: did a bot end it?", code=Exit.DOES_NOT_HOLD) from None
    finally:
        blocks.close()
        progress.clear()
    return tally.summary(), code


class _Progress:
    """A line on standard error, where somebody sees it."""

    def __init__(self, tally: "Tally", plan: "Plan", texts: Mapping[str, str]) -> None:
        self._tally = tally
        self._plan = plan
        self._texts = texts
        self._began = self._shown = monotonic()
        self._is_seen = sys.stderr.isatty()

    def show(self) -> None:
        now = monotonic()
        if not self._is_seen or now - self._shown < _PROGRESS_EVERY:
            return
        self._shown = now
        done, plan = self._tally.blocks, self._plan
        left = (now - self._began) / done * (plan.blocks - done)
        text = self._texts["progress"].format(done=done * plan.rotations, planned=plan.matches, left=round(left))
        click.echo(f"\r{text}\033[K", err=True, nl=False)

    def clear(self) -> None:
        if self._is_seen:
            click.echo("\r\033[K", err=True, nl=False)


def _table(summary: "Summary", texts: Mapping[str, str]) -> list[str]:
    plan, rules = summary.plan, summary.plan.rules
    lines = [
        texts["head"].format(
            matches=summary.matches,
            hands=summary.hands,
            blocks=texts["block" if summary.blocks == 1 else "blocks"].format(number=summary.blocks),
            rotations=plan.rotations,
        ),
        texts["rules"].format(
            seats=plan.seats,
            format=rules.format.value,
            pots=rules.pots,
            dealt_harlekin=rules.dealt_harlekin.value,
            seed=plan.seed,
        ),
        texts["table"].format(table=" ".join(plan.labels[bot] for bot in plan.lineup)),
    ]
    if summary.blocks < plan.blocks:
        lines.append(texts["cut"].format(planned=plan.matches))
    interval = texts["interval"]
    rows: list[tuple[str, ...]] = [
        (texts["bot"], texts["seats"], texts["points"], texts["share"], interval, texts["won"], interval)
    ]
    for standing in summary.standings:
        points = texts["few"] if standing.points is None else f"{standing.points:.3f}"
        measures = (*_cells(standing.share, texts, ".3f"), *_cells(standing.won, texts, ".3f"))
        rows.append((standing.label, str(standing.seats), points, *measures))
    lines += ["", *columns(rows)]
    if summary.differences:
        rows = [(texts["difference"], texts["share"], interval, texts["won"], interval)]
        rows += [
            (
                f"{difference.first} - {difference.second}",
                *_cells(difference.share, texts, "+.3f"),
                *_cells(difference.won, texts, "+.3f"),
            )
            for difference in summary.differences
        ]
        lines += ["", *columns(rows)]
    return [*lines, "", texts["measures"]]


def _cells(estimated: "Estimate", texts: Mapping[str, str], form: str) -> tuple[str, str]:
    mean = texts["few"] if estimated.mean is None else format(estimated.mean, form)
    if estimated.low is None or estimated.high is None:
        return mean, texts["few"]
    return mean, f"{estimated.low:{form}} {texts['to']} {estimated.high:{form}}"


def _tell_complaints(summary: "Summary", texts: Mapping[str, str]) -> None:
    for label, complaints in zip(summary.plan.labels, summary.complaints, strict=True):
        for complaint, times in complaints.counts.items():
            text = texts["complaint"].format(
                bot=label, fault=complaint.fault.value, doing=complaint.doing, times=times, text=complaint.text
            )
            click.echo(f"kille: {text}", err=True)
        if complaints.others:
            click.echo(f"kille: {texts['others'].format(bot=label, times=complaints.others)}", err=True)


def _write(path: Path, summary: "Summary") -> None:
    text = json.dumps(summary.to_object(), ensure_ascii=False, allow_nan=False, indent=2)
    try:
        path.write_text(text + "\n", encoding="utf-8", newline="\n")
    except OSError as error:
        raise CliError(f"cannot write {path}: {error.strerror}", code=Exit.WRONG_USE) from error
