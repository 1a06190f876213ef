"""A Dask cluster of real processes: the same blocks whoever is lost, and nobody plays who is another Kille."""

import os
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path

import distributed
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kille_net.arena.blocks import ClusterLost, WorkerLost, play_blocks
from kille_net.arena.chunks import OtherKille
from kille_net.arena.cluster import Cluster, NoCluster, chunk_size, cluster
from kille_net.arena.plan import Plan
from kille_net.game.rules import Ruleset
from tests.clusters import Running, kill, running, stops

PLAN = Plan(bots=("easy", "careful"), seats=2, rules=Ruleset(pots=1), seed="cluster", blocks=40, seconds=30)


@contextmanager
def reached(folder: Path, *, deaths: int = 3, idle: threading.Event | None = None) -> Iterator[tuple[Running, Cluster]]:
    with running(folder, deaths=deaths) as dask:
        if idle is None:
            dask.work()
        with cluster(dask.address, threading.Event().set if idle is None else idle.set) as found:
            yield dask, found


def test_from_a_block_on_they_are_those_of_a_whole_run_and_those_not_listened_to_are_given_up(tmp_path: Path) -> None:
    with reached(tmp_path) as (dask, found):
        assert list(found.play_blocks(replace(PLAN, blocks=12), first=7)) == list(
            play_blocks(replace(PLAN, blocks=12), 1, first=7)
        )
        (tmp_path / "records").mkdir()
        blocks = found.play_blocks(replace(PLAN, blocks=10_000), tmp_path / "records")
        assert [block.number for block in islice(blocks, 3)] == [0, 1, 2]
        blocks.close()
        assert len(list((tmp_path / "records").iterdir())) == 6
        with distributed.Client(dask.address, set_as_default=False) as other:
            until = time.monotonic() + 30
            while other.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)):
                assert time.monotonic() < until


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("who", [0, 1], ids=["process", "worker"])
def test_who_is_killed_in_the_middle_changes_nothing(tmp_path: Path, who: int) -> None:
    told = stops(tmp_path / "mine.py")
    plan = replace(PLAN, bots=(str(tmp_path / "mine.py"), "easy"), ready=100)
    killed: list[int] = []
    with reached(tmp_path) as (dask, found):
        dask.work()

        def kill_who_stops() -> None:
            killed.append(int(told.read_text().split()[who]))
            kill(killed[0])

        thread = threading.Thread(target=kill_who_stops)
        thread.start()
        got = list(found.play_blocks(plan))
        thread.join()
    assert len(killed) == 1
    assert got == list(play_blocks(plan, 1))


def test_a_bot_that_ends_every_process_is_not_played_for_ever(tmp_path: Path) -> None:
    (tmp_path / "gone.py").write_text("import os\ndef decide(view):\n    os._exit(3)\n", encoding="utf-8")
    with reached(tmp_path) as (_, found), pytest.raises(WorkerLost):
        list(found.play_blocks(replace(PLAN, bots=(str(tmp_path / "gone.py"),))))


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_bot_that_ends_every_worker_is_not_played_for_ever(tmp_path: Path) -> None:
    text = "import os, signal\ndef decide(view):\n    os.kill(os.getppid(), signal.SIGKILL)\n"
    (tmp_path / "gone.py").write_text(text, encoding="utf-8")
    with reached(tmp_path, deaths=0) as (_, found), pytest.raises(WorkerLost):
        list(found.play_blocks(replace(PLAN, bots=(str(tmp_path / "gone.py"),))))


@pytest.mark.parametrize("kille", ["other", "none"])
def test_a_worker_with_another_kille_is_refused_at_first_and_later(tmp_path: Path, kille: str) -> None:
    with reached(tmp_path) as (dask, found):
        blocks = found.play_blocks(replace(PLAN, blocks=100_000))
        next(blocks)
        dask.work(kille=kille)
        with pytest.raises(OtherKille) as error:
            list(blocks)
        with distributed.Client(dask.address, set_as_default=False) as other:
            workers = list(other.nthreads())
        assert len(workers) == 2
        assert f"{error.value}" in workers
        with pytest.raises(OtherKille, match=f"^{error.value}$"), cluster(dask.address):
            pass


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_cluster_is_lost_also_for_who_looks_up_long_after(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kille_net.arena.cluster._PATIENCE", 0.5)
    with reached(tmp_path) as (dask, found):
        blocks = found.play_blocks(replace(PLAN, blocks=10_000))
        next(blocks)
        kill(dask.scheduler)
        until = time.monotonic() + 60
        while found._client.status != "closed":
            assert time.monotonic() < until
        with pytest.raises(ClusterLost):
            list(blocks)


def test_workers_may_come_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kille_net.arena.cluster._LOOK", 0.1)
    idle = threading.Event()
    with reached(tmp_path, idle=idle) as (dask, found):

        def come() -> None:
            idle.wait()
            dask.work(2, threads=2)

        thread = threading.Thread(target=come)
        thread.start()
        assert list(found.play_blocks(PLAN)) == list(play_blocks(PLAN, 1))
        thread.join()


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("", "missing port"),
        ("nothing", "missing port"),
        ("tcp://127.0.0.1", "missing port"),
        ("tcp://127.0.0.1:1", "Connection refused|Timed out trying to connect"),  # by when its time is up
        ("foo://127.0.0.1:1", "unknown address scheme 'foo'"),
    ],
)
def test_where_there_is_no_cluster_nothing_is_waited_for(
    address: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "kille_net.arena.cluster._PATIENCE", 2.0
    )  # half of it for Dask, which tries again and then says why
    with pytest.raises(NoCluster) as error, cluster(address):
        pass
    assert re.search(why, str(error.value.__cause__))


@pytest.mark.parametrize("said", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n"])
def test_a_stranger_at_the_address_is_no_cluster(said: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kille_net.arena.cluster._PATIENCE", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            peer, _ = server.accept()
            with peer:
                peer.sendall(said)
                while peer.recv(1000):
                    pass

        thread = threading.Thread(target=answer)
        thread.start()
        begun = time.monotonic()
        with pytest.raises(NoCluster), cluster(f"tcp://127.0.0.1:{server.getsockname()[1]}"):
            pass
        assert time.monotonic() - begun < 30
        thread.join()


def test_a_worker_is_no_cluster_and_tls_wants_its_certificates(tmp_path: Path) -> None:
    with running(tmp_path) as dask:
        dask.work()
        with distributed.Client(dask.address, set_as_default=False) as client:
            (worker,) = client.nthreads()
        with pytest.raises(NoCluster) as error, cluster(worker):
            pass
        assert error.value.__cause__ is None, "it answers, but as what it is"
        with pytest.raises(NoCluster) as error, cluster(dask.address.replace("tcp:", "tls:")):
            pass
        assert "check your TLS configuration" in str(error.value.__cause__)


@given(st.integers(0, 10**6), st.integers(1, 10**6), st.integers(1, 500))
def test_what_is_given_out_ahead_is_a_part_of_what_was_given_out(given_: int, left: int, threads: int) -> None:
    size = chunk_size(given_, left, threads)
    assert 1 <= size <= min(left, 16)
    assert size == 1 or 2 * threads * size <= min(given_ / 4, left)
