"""The load as a process, on our server and on servers without a game: small, and whole."""

import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from kille_net.bench import load
from kille_net.bench.disk import commit_times
from kille_net.bench.hosting import Started, kille_serve, loaded, program, started
from kille_net.bench.load import playing
from kille_net.bench.plan import Plan, Shape
from kille_net.bench.process import cpu_seconds, memory, waited_seconds
from kille_net.bench.table import OPTIONS, Broken, Player
from kille_net.wire import Length
from tests.bench.contestants import CONTESTANTS, KILLE, series, table
from tests.bench.floors import FLOORS

SHAPE = Shape(events=2.5, event_bytes=60.0, ask_bytes=280.0)
PER_ACTION = 4 * SHAPE.events + 2


@contextmanager
def floor(name: str = "direct") -> Iterator[Started]:
    figures = (SHAPE.events, SHAPE.event_bytes, SHAPE.ask_bytes)
    with started(program("tests.bench.floors", name, *map(str, figures))) as server:
        yield server


def plan(server: Started, *, tables: int = 3, seconds: float = 0.5, rate: float = 0.0, tls: bool = False) -> Plan:
    return Plan(port=server.port, tables=tables, seconds=seconds, warming=0.1, rate=rate, tls=tls, server=server.pid)


@pytest.mark.parametrize("tls", [False, True])
def test_our_server_answers_every_action_and_loses_no_event(tmp_path: Path, *, tls: bool) -> None:
    with started(kille_serve(tmp_path / "data", 3)) as server:
        result = loaded(plan(server, seconds=1.0, tls=tls))
    assert result.is_whole, result
    assert result.actions > 5
    assert result.delays.count == pytest.approx(4 * result.actions, abs=4 * 3 * 2)  # those under way at either end
    assert 0 < result.delays.p50 <= result.delays.p99 <= result.delays.p999 <= result.delays.most
    assert 2 < result.shape.events < 6
    assert 0 < result.load_busy < 1.1
    assert result.seconds >= 1.0


def test_whole_matches_are_played_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As short as they can be, so that there are some in little time."""
    short = msgspec.structs.replace(OPTIONS, pots=1, length=Length.SHORT)
    monkeypatch.setattr("kille_net.bench.table.OPTIONS", short)
    with started(kille_serve(tmp_path / "data", 2)) as server:
        result = playing(plan(server, tables=2, seconds=2.0)).run()
    assert result.is_whole, result
    assert result.matches > 1


def test_one_server_may_be_measured_again_at_once(tmp_path: Path) -> None:
    """Nobody and no table of the first time is there any more."""
    with started(kille_serve(tmp_path / "data", 3)) as server:
        for _ in range(2):
            result = loaded(plan(server))
            assert result.is_whole, result
            assert not result.refused


@pytest.mark.parametrize("name", FLOORS)
def test_a_floor_sends_what_it_is_told_to(name: str) -> None:
    with floor(name) as server:
        result = loaded(plan(server))
    assert result.is_whole, result
    assert result.messages == pytest.approx(
        PER_ACTION * result.actions, abs=2 * 3 * PER_ACTION
    )  # under way at the ends
    assert result.shape.events == pytest.approx(SHAPE.events, rel=0.05)
    assert result.shape.event_bytes == pytest.approx(SHAPE.event_bytes, abs=3)
    assert result.shape.ask_bytes == pytest.approx(SHAPE.ask_bytes, abs=3)


def test_a_relay_sends_one_event_to_each_seat_and_nothing_else() -> None:
    with started(program("tests.bench.floors", "direct", "1", "80", "0")) as server:
        result = loaded(plan(server), ("tests.bench.relay", "framed"))
    assert result.is_whole, result
    assert result.actions > 5
    assert result.messages == pytest.approx(4 * result.actions, abs=2 * 3 * 4)
    assert result.delays.count == pytest.approx(4 * result.actions, abs=2 * 3 * 4)
    assert result.shape.event_bytes == pytest.approx(80, abs=3)


def test_a_rate_is_kept() -> None:
    with floor() as server:
        result = loaded(plan(server, seconds=1.0, rate=60.0))
    assert result.is_whole, result
    assert result.actions == pytest.approx(60, abs=20)
    assert result.lateness is not None
    assert result.lateness.count == pytest.approx(60, abs=20)


def slowed(monkeypatch: pytest.MonkeyPatch, method: str, seconds: float) -> None:
    """Let that take so much of the processor besides."""
    real: Callable[..., None] = getattr(Player, method)

    def slow(*args: object) -> None:
        end = time.process_time() + seconds
        while time.process_time() < end:
            pass
        real(*args)

    monkeypatch.setattr(Player, method, slow)


def test_a_load_that_cannot_keep_up_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    slowed(monkeypatch, "hear", 0.003)
    with floor() as server:
        for _ in range(5):
            result = playing(plan(server)).run()
            assert result.is_whole, result
            if result.is_limited:
                return
            # While others have the processors, it may be the server that is too slow.
            assert result.is_disturbed, result
    pytest.fail("it says so in none of five runs")


def test_a_load_that_is_late_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with floor() as server:
        slowed(monkeypatch, "act", 0.02)
        result = playing(plan(server, rate=200.0)).run()
    assert result.is_limited
    assert result.lateness is not None
    assert result.delays.p50 > 20


def test_an_action_that_is_swallowed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The frame is lost on its way out, so that one table stands still from then on."""
    real, acts = load._send, 0

    def lossy(sock: socket.socket, data: bytes) -> None:
        nonlocal acts
        acts += b"\xa3act" in data
        if acts != 20:
            real(sock, data)
        else:
            acts += 1

    monkeypatch.setattr(load, "_send", lossy)
    monkeypatch.setattr(load, "_LAST", 0.2)
    with floor() as server:
        result = playing(plan(server)).run()
    assert (result.unanswered, result.unheard, result.is_whole) == (1, 1, False)


def test_a_server_that_goes_away_is_told_in_a_line() -> None:
    with floor() as server:
        pass
    with pytest.raises(Broken, match=r"^Connection refused$"):
        loaded(plan(server))


def test_what_does_not_listen_is_told() -> None:
    with pytest.raises(Broken, match="No module named"), started(program("no_such_module")):
        pass


def test_what_its_user_has_chosen_for_other_servers_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KILLE_SERVE_CONFIG", str(tmp_path / "none.toml"))
    with started(kille_serve(tmp_path / "data", 1)) as server:
        assert server.port


def test_a_server_ends_with_whoever_started_it() -> None:
    command = program("tests.bench.floors", "direct", "1", "60", "60")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"kille join")
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(timeout=20) == 1


def test_time_and_memory_of_a_process() -> None:
    with floor() as server:
        before, size = cpu_seconds(server.pid), memory(server.pid)
        assert before is not None
        assert size is not None
        assert size > 1_000_000
        assert waited_seconds(server.pid) is not None
        loaded(plan(server))
        after = cpu_seconds(server.pid)
        assert after is not None
        assert after > before
    assert (cpu_seconds(server.pid), memory(server.pid), waited_seconds(server.pid)) == (None, None, None)


def test_commits_are_timed(tmp_path: Path) -> None:
    took = commit_times(tmp_path, 0.05)
    assert took.count > 0
    assert 0 < took.p50 <= took.most


def test_a_series_takes_turns_and_makes_a_table() -> None:
    names = [KILLE, "kille, no store", "trio, direct sends"]
    assert set(names) <= CONTESTANTS.keys()
    found = list(series(names, rounds=1, tables=2, seconds=0.5, warming=0.1))
    assert [name for name, _ in found] == names
    results = {name: [result] for name, result in found}
    assert all(result.is_whole for _, result in found), results
    per_action = [result.messages / result.actions for _, result in found]
    assert per_action == pytest.approx([per_action[0]] * 3, rel=0.25)
    head, *rows = table(results)
    assert [row[0] for row in rows] == names
    assert all(len(row) == len(head) for row in rows)
    assert rows[-1][3] == "1.00"
