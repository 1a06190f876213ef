"""`kille bench`: how many tables this machine carries. Owns its options and what it says; the rest is `bench`'s."""

import signal
import sqlite3
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.ranges import Range
from kille_net.cli.settings import Settings
from kille_net.cli.speaking import Command, option, spoken, tell, tell_error, tell_many
from kille_net.languages import say_of_english

if TYPE_CHECKING:
    from kille_net.bench.plan import Spread
    from kille_net.bench.verdict import Step, Verdict

__all__ = ["command"]

_ENDING: Final = {Exit.SIGTERM: "SIGTERM", Exit.SIGHUP: "SIGHUP"}


@click.command("bench", cls=Command)
@option("--tables", type=click.IntRange(1, 5000), default=2000)
@option("--seconds", type=Range(0.1, 600.0), default=10.0)
@option("--json", "as_json", is_flag=True)
@click.pass_obj
def command(settings: Settings, *, tables: int, seconds: float, as_json: bool) -> None:
    import msgspec

    from kille_net.bench.hosting import tables_for
    from kille_net.bench.table import Broken
    from kille_net.bench.verdict import judged

    folder = _nearest(settings.server_folder(None))
    most = min(tables, tables_for(tables))
    if most < 1:
        raise CliError(tell("bench.files"), code=Exit.WRONG_USE)
    _end_well()
    try:
        verdict = judged(folder, most=most, seconds=seconds, tell=_tell_step)
    except Broken as broken:
        why = say_of_english(spoken(), str(broken))
        raise CliError(tell("bench.broken", why=why), code=Exit.DOES_NOT_HOLD) from broken
    except OSError as error:
        raise CliError(tell("bench.no_folder", folder=folder, why=tell_error(error)), code=Exit.WRONG_USE) from error
    except sqlite3.Error as error:
        raise CliError(tell("bench.no_folder", folder=folder, why=error), code=Exit.WRONG_USE) from error
    click.echo(msgspec.json.encode(verdict).decode() if as_json else "\n".join(_lines(verdict)))


def _nearest(folder: Path) -> Path:
    """Where the server's disk is, whether or not it has been started there."""
    return next(one for one in (folder, *folder.absolute().parents) if one.is_dir())


def _end_well() -> None:
    """Also when told to end, so that what was started, and its folders, end with it."""
    for code, name in _ENDING.items():
        if hasattr(signal, name):  # Windows has no SIGHUP

            def leave(*_: Any, code: Exit = code) -> NoReturn:  # noqa: ANN401  a frame
                sys.exit(code)

            signal.signal(getattr(signal, name), leave)


def _tell_step(step: "Step") -> None:
    if sys.stderr.isatty():
        click.echo(tell(f"bench.step.{step.value}"), err=True)


def _lines(verdict: "Verdict") -> list[str]:
    """What was measured, and last what it means."""
    from kille_net.bench.verdict import PACE
    from kille_net.server.limits import Limits

    full, share = verdict.full, verdict.share
    lines = [
        tell("bench.commit", **_times(verdict.commit)),
        tell_many("bench.full", full.plan.tables, rate=_count(full.rate)),
        tell_many("bench.share", share.plan.tables, rate=_count(share.rate), **_times(share.delays)),
    ]
    if share.cost is not None and share.playing_memory is not None:
        lines.append(tell("bench.cost", us=f"{share.cost:.0f}", kib=f"{share.playing_memory:.0f}"))
    lines += ["", tell_many("bench.verdict", verdict.tables, tables=_count(verdict.tables), seconds=f"{1 / PACE:g}")]
    lines.append(tell(f"bench.grade.{verdict.grade.value}", **_times(share.delays)))
    if verdict.by_memory:
        lines.append(tell("bench.by_memory"))
    lines += [tell(f"bench.doubt.{doubt.value}", tables=share.plan.tables) for doubt in verdict.doubts]
    limits, seats = Limits(), 4
    connections, rooms = seats * verdict.tables, verdict.tables
    if connections > limits.connections or rooms > limits.rooms:
        given = {"connections": max(connections, limits.connections), "rooms": max(rooms, limits.rooms)}
        options = " ".join(f"--limit {name}={number}" for name, number in given.items())
        held = min(limits.connections // seats, limits.rooms)
        lines += ["", tell("bench.limits", held=held, options=options)]
    return lines


def _times(spread: "Spread") -> dict[str, str]:
    return {name: f"{getattr(spread, name):.1f}" for name in ("p50", "p99", "p999")}


def _count(number: float) -> str:
    """Two figures are as exact as this is."""
    digits = 2 - len(str(int(number)))
    return f"{round(number, min(digits, 0)):.0f}"
