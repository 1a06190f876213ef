"""`kille bot check`: a bot tried in the situations of the rules. Owns the options and the words of the report."""

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kille_net.cli.apart import go_apart
from kille_net.cli.columns import columns
from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.ranges import Range, Seed
from kille_net.cli.settings import Settings
from kille_net.cli.speaking import Command, argument, option, tell, tell_complaint, tell_error, tell_many, value_word

if TYPE_CHECKING:
    from kille_net.arena.examining import Finding, Report
    from kille_net.arena.situations import Situation

__all__ = ["command"]

_SEED: Final = "kille"
_INDENT: Final = "    "
_NAMED: Final = 5
"""Situations of one finding that are named."""


@click.command("check", cls=Command)
@argument("words", metavar="BOT", nargs=-1)
@option("--tcp", is_flag=True)
@option("--only", multiple=True, metavar="NAME")
@option("--list", "is_list", is_flag=True)
@option("--seed", metavar="TEXT", type=Seed(), default=_SEED)
@option("--budget", type=Range(0.001, 3600), default=1.0)
@option("--ready", type=Range(0.001, 3600), default=10.0)
@option("--records", type=click.Path(file_okay=False, path_type=Path), metavar="DIR")
@option("--strict", is_flag=True)
@option("--json", "is_json", is_flag=True)
@click.pass_obj
def command(
    settings: Settings,
    *,
    words: tuple[str, ...],
    tcp: bool,
    only: tuple[str, ...],
    is_list: bool,
    seed: str,
    budget: float,
    ready: float,
    records: Path | None,
    strict: bool,
    is_json: bool,
) -> Exit:
    from kille_net.arena.examining import examine
    from kille_net.bots import BotError, load_within
    from kille_net.bots.guard import Budget
    from kille_net.bots.printing import StreamLog, diverted

    if tcp:
        from kille_net.cli.bot_check_tcp import check

        _must_not_be_given("seed", "ready", "records")
        return check(words, only=only, is_list=is_list, budget=budget, strict=strict, is_json=is_json)
    situations = _chosen(only)
    if is_list:
        for row in columns([(one.key, _words(one, settings.lang), ", ".join(one.rules)) for one in situations], left=3):
            click.echo(row)
        return Exit.DONE
    if len(words) != 1:
        raise CliError(tell("check.no_bot"), code=Exit.WRONG_USE)
    (bot,) = words
    go_apart(words)
    try:
        if records is not None:
            records.mkdir(parents=True, exist_ok=True)
        with diverted():
            make = load_within(bot, ready, StreamLog(sys.stderr, f"kille: {tell('check.prints', bot=bot)}", "…"))
        report = examine(
            make, budget=Budget(start=ready, decision=budget), seed=seed, situations=situations, records=records
        )
    except BotError as error:
        raise CliError(tell_error(error), code=Exit.WRONG_USE) from error
    except OSError as error:
        raise CliError(tell("arena.not_written", folder=records, why=tell_error(error)), code=Exit.WRONG_USE) from error
    if is_json:
        click.echo(json.dumps(_object(bot, report), ensure_ascii=False, indent=2))
    else:
        for line in _lines(bot, report, records, settings.lang):
            click.echo(line)
    is_wrong = report.faults or (strict and report.remarks)
    return Exit.DOES_NOT_HOLD if is_wrong else Exit.DONE


def _must_not_be_given(*names: str) -> None:
    """What would mean nothing for a program of its own."""
    ctx = click.get_current_context()
    given = [name for name in names if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE]
    if given:
        options = ", ".join(f"--{name}" for name in given)
        raise CliError(tell("check.not_with_tcp", options=options), code=Exit.WRONG_USE)


def _chosen(only: tuple[str, ...]) -> "list[Situation]":
    """Those that are named, or whose names begin so; all, where none is."""
    from kille_net.arena.situations import SITUATIONS

    for name in only:
        if not any(_is_meant(name, one.key) for one in SITUATIONS):
            raise CliError(tell("check.no_situation", name=name), code=Exit.WRONG_USE)
    return [one for one in SITUATIONS if not only or any(_is_meant(name, one.key) for name in only)]


def _is_meant(name: str, key: str) -> bool:
    return key == name or key.startswith(f"{name}.")


def _words(situation: "Situation", lang: str) -> str:
    from kille_net.client.showing.texts import ONE_CARD

    card = "" if situation.card is None else ONE_CARD[lang][situation.card]
    told = tell(f"situation.{situation.what}", card=card, seats=situation.seats)
    return f"{told} ({value_word(situation.format.value)})"


def _lines(bot: str, report: "Report", records: Path | None, lang: str) -> list[str]:
    lines = columns(_groups(report), left=3)
    for finding in report.findings:
        lines += ["", *_finding(bot, report, finding, records, lang)]
    if len(report.tried) < report.of:
        lines += ["", tell("check.given_up", tried=len(report.tried), of=report.of)]
    faults, remarks = len(report.faults), len(report.remarks)
    said = tell_many("check.faults", faults) if faults else tell("check.no_faults")
    if remarks:
        said = f"{said}, {tell_many('check.remarks', remarks)}"
    return [
        *lines,
        "",
        tell(
            "check.end",
            situations=tell_many("check.situations", len(report.tried)),
            questions=tell_many("check.questions", report.questions),
            slowest=f"{report.slowest:.3f}",
            start=f"{report.start:.3f}",
            said=said,
        ),
    ]


def _groups(report: "Report") -> list[tuple[str, ...]]:
    """A row for each group of situations that were tried."""
    from kille_net.arena.situations import Group

    wrong = {one for finding in report.faults for one in finding.situations}
    rows: list[tuple[str, ...]] = []
    for group in Group:
        tried = [one for one in report.tried if one.group is group]
        if tried:
            bad = len([one for one in tried if one in wrong])
            said = tell_many("check.bad", bad) if bad else tell("check.good")
            rows.append((tell(f"situation.{group.value}"), str(len(tried)), said))
    return rows


def _finding(bot: str, report: "Report", finding: "Finding", records: Path | None, lang: str) -> list[str]:
    first, times = finding.situations[0], len(finding.situations)
    if finding.is_fault:
        said = tell("check.fault", doing=finding.doing, fault=tell(f"fault.{finding.kind.name.lower()}"))
    else:
        said = tell(f"check.remark.{finding.kind.name.lower()}")
    text = "" if finding.complaint is None else tell_complaint(finding.complaint)
    lines = [said, *(_INDENT + line for line in text.splitlines())]
    where = tell("check.where", key=first.key, words=_words(first, lang), rules=", ".join(first.rules))
    lines.append(_INDENT + where)
    if times > 1:
        others = ", ".join(one.key for one in finding.situations[1:_NAMED])
        lines.append(_INDENT + tell_many("check.also", times - 1, keys=others + (", …" if times > _NAMED else "")))
    again = ["kille", "bot", "check", bot, "--only", first.key]
    if report.seed != _SEED:
        again += ["--seed", report.seed]
    lines.append(_INDENT + tell("check.again", command=shlex.join(again)))
    if records is not None and finding.at:
        seed = f"{report.seed}/{first.key}"
        step = ["kille", "bot", "step", str(records / f"{first.key}.jsonl"), "--seat", str(first.seat + 1)]
        step += ["--at", str(finding.at), "--bot", bot, "--seed", seed]
        lines.append(_INDENT + tell("check.step", command=shlex.join(step)))
    return lines


def _object(bot: str, report: "Report") -> dict[str, Any]:
    return {
        "bot": bot,
        "seed": report.seed,
        "tried": len(report.tried),
        "of": report.of,
        "questions": report.questions,
        "slowest_s": round(report.slowest, 6),
        "start_s": round(report.start, 6),
        "findings": [
            {
                "kind": finding.kind.name.lower(),
                "is_fault": finding.is_fault,
                "doing": finding.doing,
                "text": finding.text,
                "situations": [one.key for one in finding.situations],
                "rules": sorted({rule for one in finding.situations for rule in one.rules}),
                "at": finding.at,
            }
            for finding in report.findings
        ],
    }
