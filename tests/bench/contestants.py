"""Who is measured beside whom, and how a table of it is made.

Owns the list, and a series of runs that take turns, so that what changes on the machine changes for all. Refuses to
know where results go.
"""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from kille_net.bench.hosting import Started, cores, kille_serve, limits_for, loaded, program, started
from kille_net.bench.plan import Plan, Result, Shape
from tests.bench.peers import colyseus, install_colyseus

__all__ = ["CONTESTANTS", "FLOOR", "KILLE", "Contestant", "measure", "medians", "series", "table"]

KILLE: Final = "kille"
FLOOR: Final = "trio, direct sends"
_PEER: Final = "Colyseus, messages"
_RELAYED: Final = Shape(events=1.0, event_bytes=80.0, ask_bytes=0.0)
"""What servers send that relay only: one event, of so many bytes, to each seat."""


@dataclass(frozen=True, slots=True)
class Contestant:
    command: Callable[[Path, int, Shape], list[str]]
    """How it is started, with a folder of its own, for so many tables; a floor sends what this shape says."""
    tls: bool = False
    load: tuple[str, ...] = ("kille_net.bench.load",)
    prepare: Callable[[], None] = lambda: None
    """Once, before it is started. Raises Broken, if it cannot be had here."""


def _kille(folder: Path, tables: int, _: Shape) -> list[str]:
    return kille_serve(folder, tables)


def _unkept(folder: Path, tables: int, _: Shape) -> list[str]:
    limits = [f"{name}={number}" for name, number in limits_for(tables).items()]
    return program("tests.bench.unkept", str(folder), *limits)


def _floor(name: str) -> Callable[[Path, int, Shape], list[str]]:
    def command(_folder: Path, _tables: int, shape: Shape) -> list[str]:
        figures = (shape.events, shape.event_bytes, shape.ask_bytes)
        return program("tests.bench.floors", name, *map(str, figures))

    return command


def _relaying(_folder: Path, _tables: int, _: Shape) -> list[str]:
    figures = (_RELAYED.events, _RELAYED.event_bytes, _RELAYED.ask_bytes)
    return program("tests.bench.floors", "direct", *map(str, figures))


def _colyseus(how: str) -> Contestant:
    return Contestant(
        lambda *_: colyseus(how, round(_RELAYED.event_bytes)),
        load=("tests.bench.relay", "colyseus"),
        prepare=install_colyseus,
    )


CONTESTANTS: Final[Mapping[str, Contestant]] = {
    KILLE: Contestant(_kille),
    "kille, TLS": Contestant(_kille, tls=True),
    "kille, no store": Contestant(_unkept),
    "kille, TLS, no store": Contestant(_unkept, tls=True),
    "trio, send_all": Contestant(_floor("plain")),
    FLOOR: Contestant(_floor("direct")),
    "trio, direct sends, 4 messages": Contestant(_relaying, load=("tests.bench.relay", "framed")),
    _PEER: _colyseus("messages"),
    "Colyseus, schema": _colyseus("schema"),
}
"""The first tells what the floors are to send; from the one with 4 messages on, all send one event to each seat."""


@contextmanager
def _running(one: Contestant, tables: int, shape: Shape) -> Iterator[tuple[Started, int | None]]:
    """The server, and the processor that is left for the load."""
    mine, others = cores() or (None, None)
    with (
        tempfile.TemporaryDirectory(prefix="kille-bench-", ignore_cleanup_errors=True) as folder,
        started(one.command(Path(folder) / "server", tables, shape), mine) as server,
    ):
        yield server, others


def measure(one: Contestant, *, tables: int, seconds: float, warming: float, shape: Shape, rate: float = 0.0) -> Result:
    """Start it, load it, and let it end. Raises Broken."""
    with _running(one, tables, shape) as (server, core):
        return loaded(
            Plan(
                port=server.port,
                tables=tables,
                seconds=seconds,
                warming=warming,
                rate=rate,
                tls=one.tls,
                server=server.pid,
                core=core,
            ),
            one.load,
        )


def series(
    names: Sequence[str], *, rounds: int, tables: int, seconds: float, warming: float, rate: float = 0.0
) -> Iterator[tuple[str, Result]]:
    """Each in turn, so many times; what our server sends in its first run, the floors send from then on."""
    shape: Shape | None = None
    for _ in range(rounds):
        for name in names:
            one = CONTESTANTS[name]
            if shape is None and name != KILLE:
                shape = measure(CONTESTANTS[KILLE], tables=10, seconds=1.0, warming=0.5, shape=Shape.NONE).shape
            result = measure(
                one,
                tables=tables,
                seconds=seconds,
                warming=warming,
                rate=rate,
                shape=shape or Shape.NONE,
            )
            shape = shape or result.shape
            yield name, result


def medians(results: Sequence[Result]) -> dict[str, float | None]:
    """Of each figure by itself, over the runs."""

    def of(figure: Callable[[Result], float | None]) -> float | None:
        found = [value for result in results if (value := figure(result)) is not None]
        return median(found) if found else None

    return {
        "actions_per_second": of(lambda r: r.rate),
        "messages_per_second": of(lambda r: r.messages / r.seconds),
        "bytes_per_second": of(lambda r: r.octets / r.seconds),
        "pings_per_second": of(lambda r: r.pings / r.seconds),
        "cpu_us_per_action": of(lambda r: r.cost),
        "p50_ms": of(lambda r: r.delays.p50),
        "p99_ms": of(lambda r: r.delays.p99),
        "p999_ms": of(lambda r: r.delays.p999),
        "idle_kib": of(lambda r: r.idle_memory),
        "playing_kib": of(lambda r: r.playing_memory),
        "load_busy": of(lambda r: r.load_busy),
        "server_waited": of(lambda r: r.server_waited),
    }


def _ratio(
    results: Mapping[str, Sequence[Result]], name: str, to: str, figure: Callable[[Result], float | None]
) -> float | None:
    """The median, over the rounds, of this one's figure to another's in the same round."""
    pairs = zip(results[name], results.get(to, ()), strict=False)
    found = [a / b for one, other in pairs if (a := figure(one)) is not None and (b := figure(other))]
    return median(found) if found else None


_HEAD: Final = (
    "", "actions/s", "(least–most)", "of direct", "of Colyseus", "messages/s", "pings/s", "CPU µs", "of direct",
    "of Colyseus", "p50 ms", "p99", "p99.9", "idle KiB", "playing", "load", "waited", "",
)  # fmt: skip


def table(results: Mapping[str, Sequence[Result]]) -> list[list[str]]:
    """Rows of cells, the head first: medians over the runs, and what is to be known beside them."""
    rows = [list(_HEAD)]
    for name, runs in results.items():
        middle = medians(runs)
        rates = sorted(run.rate for run in runs)
        flags = {
            "not whole": not all(run.is_whole for run in runs),
            "refused for being slow": any(run.is_overloaded for run in runs),
            "load at its limit": any(run.is_limited for run in runs),
            "disturbed": any(run.is_disturbed for run in runs),
        }
        rows.append(
            [
                name,
                _shown(middle["actions_per_second"], "{:,.0f}"),
                f"({rates[0]:,.0f}–{rates[-1]:,.0f})",
                *(_shown(_ratio(results, name, to, lambda run: run.rate), "{:.2f}") for to in (FLOOR, _PEER)),
                _shown(middle["messages_per_second"], "{:,.0f}"),
                _shown(middle["pings_per_second"], "{:,.0f}"),
                _shown(middle["cpu_us_per_action"], "{:.0f}"),
                *(_shown(_ratio(results, name, to, lambda run: run.cost), "{:.1f}") for to in (FLOOR, _PEER)),
                *(_shown(middle[f"{p}_ms"], "{:.2f}") for p in ("p50", "p99", "p999")),
                _shown(middle["idle_kib"], "{:.1f}"),
                _shown(middle["playing_kib"], "{:.1f}"),
                _shown(middle["load_busy"], "{:.0%}"),
                _shown(middle["server_waited"], "{:.0%}"),
                ", ".join(flag for flag, is_so in flags.items() if is_so),
            ]
        )
    return rows


def _shown(figure: float | None, form: str) -> str:
    return "?" if figure is None else form.format(figure)
