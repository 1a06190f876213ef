"""What `kille arena` says of its results: a table, the test's verdict, and what its bots did wrong.

Owns the words and columns. Refuses to know how the results came about.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from kille_net.cli.columns import columns
from kille_net.cli.speaking import spoken, tell, tell_complaint, tell_many

if TYPE_CHECKING:
    from kille_net.arena.summary import Difference, Standing, Summary
    from kille_net.intervals import Estimate

__all__ = ["interval", "table", "tell_complaints"]


def table(summary: "Summary") -> list[str]:
    """Lines for standard output."""
    from kille_net.client.options import value_word

    plan, rules = summary.plan, summary.plan.rules
    lines = [
        tell(
            f"arena.head.{plan.design.value}",
            matches=tell_many("arena.matches", summary.matches),
            hands=tell_many("arena.hands", summary.hands),
            blocks=tell_many("arena.blocks", summary.blocks),
            rotations=plan.rotations,
        ),
        tell_many(
            "arena.rules",
            rules.pots,
            seats=plan.seats,
            format=value_word(rules.format.value, spoken()),
            dealt_harlekin=value_word(rules.dealt_harlekin.value, spoken()),
            seed=plan.seed,
        ),
        tell("arena.table", table=" ".join(plan.labels[bot] for bot in plan.lineup)),
    ]
    if summary.blocks < plan.blocks and not summary.is_decided:
        lines.append(tell_many("arena.cut", plan.matches))
    for measures in (("points", "rank"), ("share", "won")):
        rows = [(one.label, str(one.seats), *_measured(one, measures, ".3f")) for one in summary.standings]
        lines += ["", *columns([(tell("arena.bot"), tell("arena.seats"), *_headings(measures)), *rows])]
    lines += _made_for(summary)
    for measures in (("share", "won"), ("rank", "ahead")):
        rows = [(f"{one.first} - {one.second}", *_measured(one, measures, "+.3f")) for one in summary.differences]
        if rows:
            lines += ["", *columns([(tell("arena.difference"), *_headings(measures)), *rows])]
    return [*lines, "", *_verdict(summary), tell("arena.measures")]


def _made_for(summary: "Summary") -> list[str]:
    """Whose decisions were not all its own."""
    return [
        tell_many(
            "arena.made_for",
            found.decisions,
            bot=label,
            defaults=found.defaults,
            percent=f"{100 * found.defaults / found.decisions:.1f}",
        )
        for label, found in zip(summary.plan.labels, summary.complaints, strict=True)
        if found.defaults
    ]


def _verdict(summary: "Summary") -> list[str]:
    of, tested = summary.plan.test, summary.tested
    if of is None or tested is None:
        return []
    if summary.is_void:
        return [tell("arena.test.void", bots=", ".join(summary.absent)), ""]
    first, second = summary.plan.labels[:2]
    text = tell(
        f"arena.test.{tested.verdict.value}",
        first=first,
        second=second,
        low=f"{of.low:g}",
        high=f"{of.high:g}",
        alpha=f"{of.alpha:g}",
        beta=f"{of.beta:g}",
    )
    return [text, *([tell("arena.test.stopped")] if summary.is_decided else []), ""]


def _headings(measures: Sequence[str]) -> list[str]:
    return [heading for measure in measures for heading in (tell(f"arena.{measure}"), tell("arena.interval"))]


def _measured(one: "Standing | Difference", measures: Sequence[str], form: str) -> list[str]:
    forms = {"ahead": form.removeprefix("+")}  # it is no difference
    return [cell for measure in measures for cell in _cells(getattr(one, measure), forms.get(measure, form))]


def _cells(estimated: "Estimate", form: str) -> tuple[str, str]:
    mean = tell("arena.few") if estimated.mean is None else format(estimated.mean, form)
    return mean, interval(estimated, form)


def interval(estimated: "Estimate", form: str) -> str:
    if estimated.low is None or estimated.high is None:
        return tell("arena.few")
    return f"{estimated.low:{form}} {tell('arena.to')} {estimated.high:{form}}"


def tell_complaints(summary: "Summary") -> None:
    """On standard error, for the bots' authors."""
    for label, complaints in zip(summary.plan.labels, summary.complaints, strict=True):
        for complaint, times in complaints.counts.items():
            text = tell_many(
                "arena.complaint",
                times,
                bot=label,
                fault=tell(f"fault.{complaint.fault.name.lower()}"),
                doing=complaint.doing,
                text=tell_complaint(complaint),
            )
            click.echo(f"kille: {text}", err=True)
        if complaints.others:
            click.echo(f"kille: {tell_many('arena.others', complaints.others, bot=label)}", err=True)
