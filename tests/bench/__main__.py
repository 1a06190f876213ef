"""`make bench ARGS="…"`: how fast the server is, beside servers without a game, and how fast the rules are.

Parts, all of them unless some are named: `tables` (closed loop, everybody in turn), `paced` (a fixed rate), `growth`
(our server and the best floor at 10 to 2,000 tables), `start` (how long it takes until something can be done,
`starting.py`), `hands` (the rules, `hands.py`). Writes tables to standard output, and everything measured as JSON to
--out. What a run gave that matters goes into history.md, by hand.
"""

import argparse
import json
import os
import signal
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from platform import machine, python_version, system
from typing import Final

import msgspec

from kille_net.bench.disk import commit_times
from kille_net.bench.hosting import cores, tables_for
from kille_net.bench.plan import Result
from kille_net.bench.table import Broken
from kille_net.cli.columns import columns
from tests.bench import hands, starting
from tests.bench.contestants import CONTESTANTS, FLOOR, KILLE, series, table

PARTS: Final = ("tables", "paced", "growth", "start", "hands")


def main() -> int:
    parser = argparse.ArgumentParser(prog="make bench ARGS=…", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--quick", action="store_true", help="two rounds of two seconds, at few tables")
    parser.add_argument("--rounds", type=int, help="in which everybody has a turn (5)")
    parser.add_argument("--seconds", type=float, help="to measure, each time (10)")
    parser.add_argument("--tables", type=int, help="in the closed loop (100, and then 500), and in `paced` (500)")
    parser.add_argument("--rate", type=float, help="actions a second of `paced` (1,000)")
    parser.add_argument("--sizes", help="of `growth` (10,100,500,2000)")
    parser.add_argument("--only", action="append", choices=list(CONTESTANTS), help="of those that are measured")
    parser.add_argument("--out", type=Path, help="where the JSON goes")
    given = parser.parse_args()
    if unknown := set(given.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    for number in (signal.SIGTERM, signal.SIGHUP):  # …so that what was started is ended
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    quick = given.quick
    rounds, seconds = given.rounds or (2 if quick else 5), given.seconds or (2.0 if quick else 10.0)
    parts = given.parts or PARTS
    report: dict[str, object] = {"machine": _machine(seconds)}
    _say(*(f"{name}: {value}" for name, value in _machine_lines(report["machine"])))
    wanted = given.only or list(CONTESTANTS)
    names = _prepared(wanted) if {"tables", "paced"} & set(parts) else wanted
    try:
        if "tables" in parts:
            report["tables"] = {
                size: _compare(f"closed loop, {size} tables", names, rounds, size, seconds)
                for size in ([given.tables] if given.tables else [20] if quick else [100, 500])
            }
        if "paced" in parts:
            size, rate = given.tables or (50 if quick else 500), given.rate or (100.0 if quick else 1000.0)
            title = f"{rate:,.0f} actions/s over {size} tables, from when each was due"
            report["paced"] = _compare(title, names, rounds, size, seconds, rate=rate)
        if "growth" in parts:
            sizes = [int(one) for one in (given.sizes or ("10,50" if quick else "10,100,500,2000")).split(",")]
            ours = [name for name in (KILLE, FLOOR) if name in names]
            report["growth"] = {
                size: _compare(f"closed loop, {size} tables", ours, 1 if quick else min(rounds, 3), size, seconds)
                for size in sizes
            }
        if "start" in parts:
            report["start"] = started = starting.report(rounds=3 if quick else 11)
            _say("", *starting.lines(started))
    except Broken as broken:
        _say(f"cannot measure: {broken}")
        return 1
    if "hands" in parts:
        report["hands"] = found = hands.report(seconds=0.5 if quick else 2.0)
        _say("", *hands.lines(found))
    _say(f"load average at the end: {os.getloadavg()[0]:.1f}")
    if given.out is not None:
        given.out.write_text(json.dumps(msgspec.to_builtins(report, str_keys=True), indent=1) + "\n", encoding="utf-8")
    return 0


def _prepared(names: Sequence[str]) -> list[str]:
    """Those that can be had here; of the others, why not."""
    found = []
    for name in names:
        try:
            CONTESTANTS[name].prepare()
        except Broken as broken:
            _say(f"left out: {name}: {broken}")
        else:
            found.append(name)
    return found


def _compare(
    title: str, names: Sequence[str], rounds: int, size: int, seconds: float, *, rate: float = 0.0
) -> dict[str, list[Result]]:
    _say("", f"{title}; medians of {rounds} rounds of {seconds:g} s, {_kept_apart()}")
    if tables_for(size) < size:
        _say(f"left out: more open files are needed than the {size} tables may have (ulimit -n)")
        return {}
    results: dict[str, list[Result]] = defaultdict(list)
    for name, result in series(names, rounds=rounds, tables=size, seconds=seconds, warming=seconds / 5, rate=rate):
        results[name].append(result)
    _say(*columns(table(results)))
    return results


def _kept_apart() -> str:
    found = cores()
    return "on no processors of their own" if found is None else f"server on processor {found[0]}, load on {found[1]}"


def _machine(seconds: float) -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="kille-bench-") as folder:
        commit = commit_times(Path(folder), seconds / 5)
    return {
        "when": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "system": f"{system()} {machine()}, Python {python_version()}, {os.cpu_count()} processors",
        "load_average": os.getloadavg(),
        "commit": commit,
    }


def _machine_lines(found: object) -> list[tuple[str, object]]:
    assert isinstance(found, dict)
    commit = found["commit"]
    return [
        ("when", found["when"]),
        ("system", found["system"]),
        ("load average", " ".join(f"{one:.1f}" for one in found["load_average"])),
        ("a commit alone", f"{commit.p50:.2f} ms, p99 {commit.p99:.2f} ms"),
    ]


def _say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
