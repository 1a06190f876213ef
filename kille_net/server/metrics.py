"""How a server is, in numbers for Prometheus, on an address of their own.

Owns the names of the numbers and how they are read. They hold no name of a player or room, and no card. Stands on
`prometheus-client`, which is there only where it was asked for (`kille-net[metrics]`).
"""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Final

import trio
from prometheus_client import CollectorRegistry, Histogram, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from kille_net import __version__
from kille_net.server.scheduling.tournament import RUNNING
from kille_net.server.serve import Server
from kille_net.wire.messages import ByeCode, RefusalCode, RoomStatus

__all__ = ["serve_metrics"]

_LAG_EVERY: Final = 0.1
"""Seconds."""
_LAGS: Final = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1.0)
_COMMITS: Final = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2.0)


async def serve_metrics(
    server: Server, host: str, port: int, *, task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED
) -> None:
    """Answer `GET /metrics` until cancelled; starts with the port. Raises OSError."""
    registry = CollectorRegistry()
    registry.register(_State(server))
    ProcessCollector(registry=registry)
    lag = Histogram("kille_loop_lag_seconds", "How late the loop was for a date.", buckets=_LAGS, registry=registry)
    commits = Histogram("kille_commit_seconds", "How long commits took.", buckets=_COMMITS, registry=registry)
    server.counts.committed = commits.observe
    # In threads, which come to the loop for what they show: nothing here speaks HTTP.
    listener, thread = start_http_server(port, host, registry)
    try:
        task_status.started(listener.server_port)
        while True:
            due = trio.current_time() + _LAG_EVERY
            await trio.sleep_until(due)
            lag.observe(max(0.0, trio.current_time() - due))
    finally:
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(listener.shutdown)
        listener.server_close()
        thread.join()


class _State(Collector):
    """What the server is at the moment when it is asked."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._token = trio.lowlevel.current_trio_token()

    def describe(self) -> Iterable[Metric]:
        return ()

    def collect(self) -> Iterable[Metric]:
        try:
            return trio.from_thread.run_sync(partial(_numbers, self._server), trio_token=self._token)
        except trio.RunFinishedError:
            return ()


def _numbers(server: Server) -> list[Metric]:
    counts, lobby, admission = server.counts, server.lobby, server.admission
    waiting = [session.waiting for session in server.sessions]
    status = [room.play.status for room in lobby.rooms]
    stages = [one.stage for one in lobby.calendar.tournaments]
    welcomed = admission.connections - admission.greeting
    return [
        _gauge("kille_info", "Always 1.", "version", {__version__: 1}),
        _gauge("kille_connections", "By state.", "state", {"greeting": admission.greeting, "welcomed": welcomed}),
        GaugeMetricFamily("kille_tasks", "That live.", trio.lowlevel.current_statistics().tasks_living),
        GaugeMetricFamily("kille_players", "Players, absent ones too.", len(lobby.players)),
        _gauge("kille_rooms", "By status.", "status", {one.value: status.count(one) for one in RoomStatus}),
        _gauge(
            "kille_tournaments",
            "That are not over, by stage.",
            "stage",
            {one: stages.count(one) for one in sorted(RUNNING)},
        ),
        *_sum_and_most("kille_outbox_messages", "Messages that wait to be sent", [messages for messages, _ in waiting]),
        *_sum_and_most("kille_outbox_bytes", "Bytes that wait to be sent", [size for _, size in waiting]),
        _counter("kille_commands_refused", "By code.", {code.value: counts.refusals[code] for code in RefusalCode}),
        _counter("kille_byes", "That the server said, by code.", {code.value: counts.byes[code] for code in ByeCode}),
        CounterMetricFamily("kille_matches", "Matches begun.", counts.matches),
        CounterMetricFamily("kille_actions", "Actions at all tables.", lobby.actions),
        CounterMetricFamily("kille_faults", "Errors of the server's own.", counts.faults),
    ]


def _sum_and_most(name: str, what: str, values: list[int]) -> Iterator[Metric]:
    yield GaugeMetricFamily(f"{name}_sum", f"{what}, for all together.", sum(values))
    yield GaugeMetricFamily(f"{name}_max", f"{what}, for the one with the most.", max(values, default=0))


def _gauge(name: str, what: str, label: str, values: dict[str, int]) -> Metric:
    family = GaugeMetricFamily(name, what, labels=[label])
    for key, value in values.items():
        family.add_metric([key], value)
    return family


def _counter(name: str, what: str, values: dict[str, int]) -> Metric:
    family = CounterMetricFamily(name, what, labels=["code"])
    for key, value in values.items():
        family.add_metric([key], value)
    return family
