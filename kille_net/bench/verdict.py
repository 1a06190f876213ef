"""What a machine carries, as far as a minute can tell: how many tables of four, at the pace of people.

Owns the plan of that minute and what its figures say. Refuses to know how it is told.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec

from kille_net.bench.disk import commit_times
from kille_net.bench.hosting import cores, kille_serve, loaded, started
from kille_net.bench.plan import SEATS, Plan, Result, Spread
from kille_net.bench.process import free_memory
from kille_net.bench.table import Broken

__all__ = ["PACE", "Doubt", "Grade", "Step", "Verdict", "grade_of", "judge", "judged"]

PACE: Final = 0.5
"""Actions a second at a table where people play: one at a time has to decide, and between two hands all look."""
_SHARES: Final = (1 / 2, 1 / 4, 1 / 8)
"""Of full speed: what a server can be asked for, the first that people do not notice. Full speed has waiting in it."""
_FAST: Final = 100
"""Tables at full speed, at most: more would only wait for each other."""
_UNNOTICED: Final = 100.0
"""Milliseconds, of the 99th percentile: less is felt as at once (Miller 1968; Nielsen 1993)…"""
_BEARABLE: Final = 500.0
"""…and what is more is felt as waiting."""
_OF_MEMORY: Final = 0.5
"""Of what is free: the rest is others'."""


class Step(StrEnum):
    """What is done next, for who waits."""

    DISK = "disk"
    FULL = "full"
    SHARE = "share"


class Grade(StrEnum):
    """Of playing at so many tables."""

    UNNOTICED = "unnoticed"
    BEARABLE = "bearable"
    SLOW = "slow"


class Doubt(StrEnum):
    """Why more may be possible, or what is wrong."""

    LOST = "lost"
    """Not every action was answered, or not every event came: a fault of ours."""
    SHARED = "shared"
    """The server and its load had one processor together."""
    DISTURBED = "disturbed"
    LIMITED = "limited"
    """The load was the slow one."""
    UNTRIED = "untried"
    """No more tables were tried."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    tables: int
    """Of four, at `PACE`."""
    by_memory: bool
    """Whether it is the memory that no more fit into."""
    grade: Grade
    doubts: tuple[Doubt, ...]
    commit: Spread
    full: Result
    share: Result
    """Those tables, all at once, at that pace; many players hear nothing for so long that they are asked whether they
    are there, which costs, too."""


def grade_of(delays: Spread) -> Grade:
    if delays.p99 <= _UNNOTICED:
        return Grade.UNNOTICED
    return Grade.BEARABLE if delays.p99 <= _BEARABLE else Grade.SLOW


def judge(
    commit: Spread, full: Result, share: Result, *, free: int | None, apart: bool, is_most: bool = False
) -> Verdict:
    """`free`: bytes of memory; None: not known; `apart`: whether server and load had processors of their own;
    `is_most`: whether no more tables were to be tried."""
    tables = int(share.plan.rate / PACE)
    grade = grade_of(share.delays)
    room = None
    if free is not None and share.playing_memory:
        room = int(free * _OF_MEMORY / (share.playing_memory * 1024 * SEATS))
    both = (full, share)
    doubts = {
        Doubt.LOST: not all(result.is_whole for result in both),
        Doubt.SHARED: not apart,
        Doubt.DISTURBED: apart and any(result.is_disturbed for result in both),
        Doubt.LIMITED: apart and any(result.is_limited for result in both),
        Doubt.UNTRIED: is_most and grade is Grade.UNNOTICED and (room is None or tables <= room),
    }
    return Verdict(
        tables=tables if room is None else min(tables, room),
        by_memory=room is not None and room < tables,
        grade=grade,
        doubts=tuple(doubt for doubt, is_so in doubts.items() if is_so),
        commit=commit,
        full=full,
        share=share,
    )


def judged(folder: Path, *, most: int, seconds: float, tell: Callable[[Step], None]) -> Verdict:
    """Measure a server of one's own, on the disk of that folder, which keeps nothing of it; `most`: tables, at most.

    Raises Broken, OSError and sqlite3.Error.
    """
    mine, others = cores() or (None, None)

    def run(tables: int, rate: float) -> Result:
        with (
            _folder_in(folder) as data,
            started(kille_serve(data / "server", tables), mine) as server,
        ):
            plan = Plan(
                port=server.port, tables=tables, seconds=seconds, warming=seconds / 5, rate=rate, server=server.pid,
                core=others,
            )  # fmt: skip
            return loaded(plan)

    tell(Step.DISK)
    with _folder_in(folder) as data:
        commit = commit_times(data, seconds / 5)
    tell(Step.FULL)
    free = free_memory()
    full = run(min(most, _FAST), 0.0)
    verdict: Verdict | None = None
    for share in _SHARES:
        tell(Step.SHARE)
        wanted = max(int(full.rate * share / PACE), 1)
        tables = min(wanted, most)
        try:
            measured = run(tables, tables * PACE)
        except Broken:
            if share == _SHARES[-1]:
                raise
            continue  # so many are too many
        verdict = judge(commit, full, measured, free=free, apart=others is not None, is_most=wanted > most)
        if verdict.grade is Grade.UNNOTICED:
            break
    assert verdict is not None
    return verdict


@contextmanager
def _folder_in(folder: Path) -> Iterator[Path]:
    with TemporaryDirectory(prefix="kille-bench-", dir=folder, ignore_cleanup_errors=True) as name:
        yield Path(name)
