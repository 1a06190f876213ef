"""`kille arena`: many matches between bots. Owns the options, the progress line and the table that is printed."""

import json
import secrets
import sys
from collections.abc import Sequence
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
from kille_net.cli.speaking import Command, Words, argument, option, spoken, tell, tell_error, tell_many
from kille_net.systems import processors

if TYPE_CHECKING:
    from kille_net.arena.plan import Plan
    from kille_net.arena.summary import Difference, Standing, Summary, Tally
    from kille_net.game.rules import Ruleset
    from kille_net.intervals import Estimate

__all__ = ["command"]

_PROGRESS_EVERY: Final = 0.2
"""Seconds."""
_RECORDS: Final = "match-*.jsonl"


class _Seconds(click.FloatRange):
    """A range in which there is no NaN either, which no comparison keeps out."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401  as click declares it
        number: float = super().convert(value, param, ctx)
        if isnan(number):
            self.fail(tell("arena.no_seconds", value=value), param, ctx)
        return number


@click.command("arena", cls=Command)
@argument("bots", metavar="BOT...", nargs=-1, required=True)
@option("--seats", type=click.IntRange(2, 8), default=4)
@option("--format", "format_", type=Words(["pots", "sticks"]), default="pots")
@option("--length", type=Words(["short", "standard", "long"]), default="standard")
@option("--pots", type=click.IntRange(1, 1000))
@option("--dealt-harlekin", type=Words(["high", "low"]), default="high")
@option("--design", type=Words(["duplicate", "balanced"]), default="duplicate")
@option("--matches", type=click.IntRange(min=1), default=200)
@option("--seed", metavar="TEXT")
@option("--jobs", type=click.IntRange(1, 256))
@option("--budget", type=_Seconds(0.001, 3600), default=1.0)
@option("--records", metavar="DIR", type=click.Path(file_okay=False))
@option("--out", metavar="FILE", type=click.Path(dir_okay=False))
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
    design: str,
    matches: int,
    seed: str | None,
    jobs: int | None,
    budget: float,
    records: str | None,
    out: str | None,
) -> Exit:
    from kille_net.arena.plan import Design
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
        raise CliError(tell("arena.no_folder", file=out), code=Exit.WRONG_USE)
    with redirect_stdout(sys.stderr):  # a bot of one's own may print
        plan = _plan(bots, seats, rules, seed=secrets.token_hex(8) if seed is None else seed, seconds=budget)
        plan = replace(plan, design=Design(design), blocks=-(-matches // plan.rotations))
        summary, code = _play(plan, jobs or processors(), folder)
    _tell_complaints(summary)
    click.echo("\n".join(_table(summary)))
    if out is not None:
        _write(Path(out), summary)
    return code


def _plan(bots: Sequence[str], seats: int, rules: "Ruleset", *, seed: str, seconds: float) -> "Plan":
    """One block of it."""
    from kille_net.arena.plan import Plan
    from kille_net.bots import BotError, load

    if len(bots) > seats:
        raise CliError(tell("arena.too_many", bots=len(bots), seats=seats), code=Exit.WRONG_USE)
    try:
        seed.encode()
    except UnicodeEncodeError:
        raise CliError(tell("arena.seed_no_text"), code=Exit.WRONG_USE) from None
    try:
        for name in bots:
            load(name)
    except BotError as error:
        raise CliError(tell_error(error), code=Exit.WRONG_USE) from error
    return Plan(bots=tuple(bots), seats=seats, rules=rules, seed=seed, blocks=1, seconds=seconds)


def _folder_of(records: str | None) -> Path | None:
    if records is None:
        return None
    folder = Path(records)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = next(folder.glob(_RECORDS), None)
    except OSError as error:
        raise CliError(tell("arena.not_written", folder=records, why=tell_error(error)), code=Exit.WRONG_USE) from error
    if taken is not None:
        raise CliError(tell("arena.not_empty", folder=records), code=Exit.WRONG_USE)
    return folder


def _play(plan: "Plan", jobs: int, records: Path | None) -> tuple["Summary", Exit]:
    """Play to the end, or until Ctrl-C; what there is then is told all the same."""
    from kille_net.arena.blocks import WorkerLost, play_blocks
    from kille_net.arena.summary import Tally
    from kille_net.bots import BotError

    tally = Tally(plan)
    progress = _Progress(tally, plan)
    blocks = play_blocks(plan, jobs, records)
    code = Exit.DONE
    try:
        for block in blocks:
            tally.add(block)
            progress.show()
    except KeyboardInterrupt:
        code = Exit.SIGINT
    except BotError as error:
        raise CliError(tell_error(error), code=Exit.WRONG_USE) from error
    except OSError as error:
        raise CliError(tell("arena.not_written", folder=records, why=tell_error(error)), code=Exit.WRONG_USE) from error
    except WorkerLost:
        raise CliError(tell("arena.worker_lost"), code=Exit.DOES_NOT_HOLD) from None
    finally:
        blocks.close()
        progress.clear()
    return tally.summary(), code


class _Progress:
    """A line on standard error, where somebody sees it."""

    def __init__(self, tally: "Tally", plan: "Plan") -> None:
        self._tally = tally
        self._plan = plan
        self._began = self._shown = monotonic()
        self._is_seen = sys.stderr.isatty()

    def show(self) -> None:
        now = monotonic()
        if not self._is_seen or now - self._shown < _PROGRESS_EVERY:
            return
        self._shown = now
        done, plan = self._tally.blocks, self._plan
        left = (now - self._began) / done * (plan.blocks - done)
        text = tell("arena.progress", done=done * plan.rotations, planned=plan.matches, left=round(left))
        click.echo(f"\r{text}\033[K", err=True, nl=False)

    def clear(self) -> None:
        if self._is_seen:
            click.echo("\r\033[K", err=True, nl=False)


def _table(summary: "Summary") -> list[str]:
    from kille_net.client.commands import value_word

    plan, rules = summary.plan, summary.plan.rules
    lines = [
        tell(
            f"arena.head.{plan.design.value}",
            matches=summary.matches,
            hands=summary.hands,
            blocks=tell_many("arena.blocks", summary.blocks),
            rotations=plan.rotations,
        ),
        tell(
            "arena.rules",
            seats=plan.seats,
            format=value_word(rules.format.value, spoken()),
            pots=rules.pots,
            dealt_harlekin=value_word(rules.dealt_harlekin.value, spoken()),
            seed=plan.seed,
        ),
        tell("arena.table", table=" ".join(plan.labels[bot] for bot in plan.lineup)),
    ]
    if summary.blocks < plan.blocks:
        lines.append(tell("arena.cut", planned=plan.matches))
    for measures in (("points", "rank"), ("share", "won")):
        rows = [(one.label, str(one.seats), *_measured(one, measures, ".3f")) for one in summary.standings]
        lines += ["", *columns([(tell("arena.bot"), tell("arena.seats"), *_headings(measures)), *rows])]
    for measures in (("share", "won"), ("rank", "ahead")):
        rows = [(f"{one.first} - {one.second}", *_measured(one, measures, "+.3f")) for one in summary.differences]
        if rows:
            lines += ["", *columns([(tell("arena.difference"), *_headings(measures)), *rows])]
    return [*lines, "", tell("arena.measures")]


def _headings(measures: Sequence[str]) -> list[str]:
    return [heading for measure in measures for heading in (tell(f"arena.{measure}"), tell("arena.interval"))]


def _measured(one: "Standing | Difference", measures: Sequence[str], form: str) -> list[str]:
    forms = {"ahead": form.removeprefix("+")}  # it is no difference
    return [cell for measure in measures for cell in _cells(getattr(one, measure), forms.get(measure, form))]


def _cells(estimated: "Estimate", form: str) -> tuple[str, str]:
    mean = tell("arena.few") if estimated.mean is None else format(estimated.mean, form)
    if estimated.low is None or estimated.high is None:
        return mean, tell("arena.few")
    return mean, f"{estimated.low:{form}} {tell('arena.to')} {estimated.high:{form}}"


def _tell_complaints(summary: "Summary") -> None:
    for label, complaints in zip(summary.plan.labels, summary.complaints, strict=True):
        for complaint, times in complaints.counts.items():
            text = tell_many(
                "arena.complaint",
                times,
                bot=label,
                fault=tell(f"fault.{complaint.fault.name.lower()}"),
                doing=complaint.doing,
                text=complaint.text,
            )
            click.echo(f"kille: {text}", err=True)
        if complaints.others:
            click.echo(f"kille: {tell_many('arena.others', complaints.others, bot=label)}", err=True)


def _write(path: Path, summary: "Summary") -> None:
    text = json.dumps(summary.to_object(), ensure_ascii=False, allow_nan=False, indent=2)
    try:
        path.write_text(text + "\n", encoding="utf-8", newline="\n")
    except OSError as error:
        raise CliError(tell("arena.file_not_written", file=path, why=tell_error(error)), code=Exit.WRONG_USE) from error
