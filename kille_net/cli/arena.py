"""`kille arena`: many matches between bots. Owns the options, the playing, and how it ends."""

import csv
import json
import secrets
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, redirect_stdout
from dataclasses import replace
from functools import partial
from math import isfinite
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import click

from kille_net.cli.arena_cluster import connected
from kille_net.cli.arena_run import Run, begun, gone_on, log_folder, must_load
from kille_net.cli.arena_table import table, tell_complaints
from kille_net.cli.columns import show
from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.players import BotName
from kille_net.cli.ranges import Range, Seed
from kille_net.cli.speaking import Command, Words, argument, option, tell, tell_error
from kille_net.systems import processors

if TYPE_CHECKING:
    from kille_net.arena.blocks import Block
    from kille_net.arena.kept import Kept
    from kille_net.arena.plan import Plan
    from kille_net.arena.sprt import Hypotheses
    from kille_net.arena.summary import Summary
    from kille_net.game.rules import Ruleset

__all__ = ["command"]

_MATCHES: Final = 200
_MATCHES_OF_A_TEST: Final = 20_000
"""At most, where nothing else is said: a test ends by itself."""
_CSV: Final = ".csv"

_Player: TypeAlias = 'Callable[..., Generator["Block", None, None]]'
"""As `arena.blocks.play_blocks` is, when it knows by how many processes."""


class _Number(click.types.FloatParamType):
    """Any that is one, and finite."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401  as click declares it
        number: float = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(tell("arena.no_number", value=value), param, ctx)
        return number


_ERROR_RATE: Final = Range(0, 0.5, min_open=True)


@click.command("arena", cls=Command)
@argument("bots", metavar="BOT...", nargs=-1, type=BotName())
@option("--seats", type=click.IntRange(2, 8), default=4)
@option("--format", "format_", type=Words(["pots", "sticks"]), default="pots")
@option("--length", type=Words(["short", "standard", "long"]), default="standard")
@option("--pots", type=click.IntRange(1, 1000))
@option("--dealt-harlekin", type=Words(["high", "low"]), default="high")
@option("--design", type=Words(["duplicate", "balanced"]), default="duplicate")
@option("--matches", type=click.IntRange(min=1))
@option("--sprt", metavar="LOW HIGH", nargs=2, type=_Number())
@option("--alpha", type=_ERROR_RATE, default=0.05)
@option("--beta", type=_ERROR_RATE, default=0.05)
@option("--seed", metavar="TEXT", type=Seed())
@option("--jobs", type=click.IntRange(1, 256))
@option("--cluster", metavar="ADDRESS")
@option("--budget", type=Range(0.001, 3600), default=1.0)
@option("--ready", type=Range(0.001, 3600), default=10.0)
@option("--log", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@option("--records", metavar="DIR", type=click.Path(file_okay=False))
@option("--out", metavar="FILE", type=click.Path(dir_okay=False))
@option("--plot", is_flag=True)
@option("--svg", metavar="FILE", type=click.Path(dir_okay=False))
@option("--resume", metavar="FILE", type=click.Path(dir_okay=False))
@click.pass_context
def command(
    ctx: click.Context,
    *,
    bots: tuple[str, ...],
    seats: int,
    format_: str,
    length: str,
    pots: int | None,
    dealt_harlekin: str,
    design: str,
    matches: int | None,
    sprt: tuple[float, float] | None,
    alpha: float,
    beta: float,
    seed: str | None,
    jobs: int | None,
    cluster: str | None,
    budget: float,
    ready: float,
    log: Path | None,
    records: str | None,
    out: str | None,
    plot: bool,
    svg: str | None,
    resume: str | None,
) -> Exit:
    from kille_net.arena.plan import Design
    from kille_net.game.rules import Format, HarlekinRank, Length, Ruleset

    if jobs is not None and cluster is not None:
        raise CliError(tell("arena.jobs_of_cluster"), code=Exit.WRONG_USE)
    with ExitStack() as until_end:
        with redirect_stdout(sys.stderr):  # a bot of one's own may print
            if resume is not None:
                _must_be_alone(ctx)
                begin = partial(gone_on, Path(resume))
            else:
                rules = Ruleset.for_seats(
                    seats,
                    format=Format(format_),
                    length=Length(length),
                    dealt_harlekin=HarlekinRank(dealt_harlekin),
                    pots=pots,
                )
                logs = None if log is None else log_folder(log)
                given = secrets.token_hex(8) if seed is None else seed
                if cluster is not None:
                    _must_play_there(bots)
                plan = _plan(bots, seats, rules, seed=given, seconds=budget, ready=ready, logs=logs)
                test = None if sprt is None else _test(plan, *sprt, alpha=alpha, beta=beta)
                matches = matches or (_MATCHES if test is None else _MATCHES_OF_A_TEST)
                plan = replace(plan, design=Design(design), test=test, blocks=-(-matches // plan.rotations))
                begin = partial(begun, plan, records, out, plot=plot, svg=svg)
            play = _here(jobs) if cluster is None else until_end.enter_context(connected(cluster)).play_blocks
            run = replace(begin(), cluster=cluster)
        return _run(run, play)


def _run(run: Run, play: _Player) -> Exit:
    if len(run.plan.bots) == 1:
        click.echo(f"kille: {tell('arena.alone', bot=run.plan.labels[0])}", err=True)
    run.tell_how_to_go_on()
    with run.closing():
        if run.cluster is not None:
            _must_play_there(run.plan.bots)
        with redirect_stdout(sys.stderr):
            summary, code = _play(run, play)
        tell_complaints(summary)
        show(table(summary))
        _draw(run, summary)
        if run.out is not None:
            _write(run.out, summary)
        if run.kept is not None and code is not Exit.SIGINT:
            run.kept.forget()
        if summary.absent and code is not Exit.SIGINT:
            raise CliError(tell("arena.absent", bots=", ".join(summary.absent)), code=Exit.WRONG_USE)
    if code is Exit.SIGINT:
        run.tell_how_to_go_on()
    return code


def _must_play_there(bots: Sequence[str]) -> None:
    """On a cluster, whose workers have none of what a command names."""
    from kille_net.arena.programs import is_program

    if any(is_program(bot) for bot in bots):
        raise CliError(tell("arena.programs_here"), code=Exit.WRONG_USE)


def _here(jobs: int | None) -> _Player:
    from kille_net.arena.blocks import play_blocks

    return partial(play_blocks, jobs=jobs or processors())


def _plan(
    bots: Sequence[str], seats: int, rules: "Ruleset", *, seed: str, seconds: float, ready: float, logs: str | None
) -> "Plan":
    """One block of it."""
    from kille_net.arena.hosted import MOST_POTS
    from kille_net.arena.plan import Plan
    from kille_net.arena.programs import is_program

    if not bots:
        raise click.MissingParameter(param=next(param for param in command.params if param.name == "bots"))
    if len(bots) > seats:
        raise CliError(tell("arena.too_many", bots=len(bots), seats=seats), code=Exit.WRONG_USE)
    if rules.pots > MOST_POTS and any(is_program(bot) for bot in bots):
        raise CliError(tell("arena.too_many_pots", most=MOST_POTS), code=Exit.WRONG_USE)
    must_load(bots, ready)
    return Plan(
        bots=tuple(bots), seats=seats, rules=rules, seed=seed, blocks=1, seconds=seconds, ready=ready, logs=logs
    )


def _test(plan: "Plan", low: float, high: float, *, alpha: float, beta: float) -> "Hypotheses":
    from kille_net.arena.measures import Measure, difference_bounds
    from kille_net.arena.sprt import Hypotheses

    if len(plan.bots) == 1:
        raise CliError(tell("arena.test_of_one"), code=Exit.WRONG_USE)
    least, most = difference_bounds(Measure.SHARE, plan, 0, 1)
    if not least < low < high < most:
        raise CliError(tell("arena.test_order", least=f"{least:g}", most=f"{most:g}"), code=Exit.WRONG_USE)
    return Hypotheses(low=low, high=high, alpha=alpha, beta=beta)


def _must_be_alone(ctx: click.Context) -> None:
    """With what was asked for once nothing else is asked for."""
    may = {"resume", "jobs", "cluster"}
    typed = click.core.ParameterSource.COMMANDLINE
    others = [
        param.metavar if isinstance(param, click.Argument) else param.opts[0]
        for param in ctx.command.params
        if param.name not in may and ctx.get_parameter_source(str(param.name)) is typed
    ]
    if others:
        options = ", ".join(str(other) for other in others)
        raise CliError(tell("arena.resume_alone", options=options), code=Exit.WRONG_USE)


def _play(run: Run, play: _Player) -> tuple["Summary", Exit]:
    """Play to the end, or until Ctrl-C; what there is then is told all the same."""
    from kille_net.arena.blocks import ClusterLost, WorkerLost
    from kille_net.arena.programs import is_own
    from kille_net.arena.sprt import Verdict
    from kille_net.arena.summary import Tally
    from kille_net.bots import BotError
    from kille_net.cli.arena_progress import progress

    plan = run.plan
    tally = Tally(plan)
    for block in run.before:
        tally.add(block)
    heads = [f"kille: {label}: {tell('bot.prints')}" for label in plan.labels]
    blocks = play(plan, records=run.records, first=plan.blocks if tally.is_decided else tally.blocks, heads=heads)
    code = Exit.DONE
    with progress(tally, plan) as bar:
        try:
            for block in blocks:
                if run.kept is not None:
                    _keep(run.kept, block)
                tally.add(block)
                bar.show()
                if tally.is_decided:
                    break
        except KeyboardInterrupt:
            code = Exit.SIGINT
        except BotError as error:
            text = tell_error(error) if run.cluster is None else tell("arena.on_worker", why=tell_error(error))
            raise CliError(text, code=Exit.WRONG_USE) from error
        except OSError as error:
            text = tell("arena.not_written", folder=run.records, why=tell_error(error))
            raise CliError(text, code=Exit.WRONG_USE) from error
        except WorkerLost as lost:
            bots = ", ".join(label for label, bot in zip(plan.labels, plan.bots, strict=True) if is_own(bot))
            key = "arena.worker_lost" if lost.status is None else "arena.worker_lost.status"
            raise CliError(tell(key, bots=bots, status=lost.status), code=Exit.DOES_NOT_HOLD) from None
        except ClusterLost:
            key = "arena.cluster_lost" if run.kept is None else "arena.cluster_lost.go_on"
            raise CliError(tell(key, cluster=run.cluster, command=run.go_on), code=Exit.NO_SERVER) from None
        finally:
            blocks.close()
    summary = tally.summary()
    if code is Exit.DONE and summary.tested is not None and summary.tested.verdict is not Verdict.H1:
        code = Exit.DOES_NOT_HOLD
    return summary, code


def _keep(kept: "Kept", block: "Block") -> None:
    try:
        kept.add(block)
    except OSError as error:
        text = tell("arena.file_not_written", file=kept.path, why=tell_error(error))
        raise CliError(text, code=Exit.WRONG_USE) from error


def _draw(run: Run, summary: "Summary") -> None:
    from kille_net.arena.picture import picture
    from kille_net.cli.arena_plot import plot

    if run.plot:
        click.echo("\n".join(["", *plot(summary, get_terminal_size().columns)]))
    if run.svg is not None:
        try:
            run.svg.write_text(picture(summary, tell("arena.plotted")), encoding="utf-8", newline="\n")
        except OSError as error:
            text = tell("arena.file_not_written", file=run.svg, why=tell_error(error))
            raise CliError(text, code=Exit.WRONG_USE) from error


def _write(path: Path, summary: "Summary") -> None:
    from kille_net.arena.summary import COLUMNS

    try:
        with path.open("w", encoding="utf-8", newline="\n") as file:
            if path.suffix.lower() == _CSV:
                csv.writer(file, lineterminator="\n").writerows([COLUMNS, *summary.rows()])
            else:
                json.dump(summary.to_object(), file, ensure_ascii=False, allow_nan=False, indent=2)
                file.write("\n")
    except OSError as error:
        raise CliError(tell("arena.file_not_written", file=path, why=tell_error(error)), code=Exit.WRONG_USE) from error
