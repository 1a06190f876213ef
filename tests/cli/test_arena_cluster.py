"""`kille arena --cluster`: the bytes of a run without one, and a line for all that can be wrong with a cluster."""

import os
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kille_net.cli import main
from kille_net.cli.exit_codes import Exit
from tests.clusters import kill, running, stops
from tests.serving import doomed

RUDE = """
import random

print("loading")

def decide(view):
    print("hand", view.hand, "x" * 20_000)
    if view.hand == 2:
        raise ValueError("rude")
    return random.choice(view.legal)
"""


def arena(*words: str) -> Result:
    return CliRunner(env={"KILLE_LANG": "en"}).invoke(main, ["arena", *words])


def told(result: Result, code: Exit) -> str:
    """The one line on standard error."""
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    return line.removeprefix("kille: ")


def written(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_same_seed_gives_the_same_bytes_on_any_number_of_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Results in both forms, records and a log; of a bot that draws, prints more than is kept, and errs."""
    monkeypatch.chdir(tmp_path)
    Path("rude.py").write_text(RUDE, encoding="utf-8")
    (tmp_path / "dask").mkdir()

    def run(name: str, *where: str) -> tuple[dict[str, bytes], list[tuple[str, str]]]:
        said = []
        for out in ("out.json", "out.csv"):
            words = ["rude.py", "easy", "--matches", "80", "--pots", "1", "--seed", "x", "--records", f"{name}/{out}s"]
            result = arena(*words, "--log", f"{name}/log", "--out", f"{name}/{out}", *where)
            assert result.exit_code == Exit.DONE, result.output
            said.append((result.stdout, result.stderr.partition("\n")[2]))
        return written(Path(name)), said

    for name in ("none", "1", "2", "8"):
        Path(name).mkdir()
    alone = run("none", "--jobs", "1")
    assert len(alone[0]) == 80 * 2 + 4
    assert b"ValueError: rude" in alone[0]["out.json"]
    with running(tmp_path / "dask") as dask:
        for name, more in (("1", 1), ("2", 1), ("8", 6)):
            dask.work(more)
            assert run(name, "--cluster", dask.address) == alone


def test_a_test_ends_the_run_as_soon_as_it_can_tell(tmp_path: Path) -> None:
    words = ("sharp", "random", "--sprt", "0", "0.5", "--seats", "2", "--pots", "1", "--seed", "x")
    alone = arena(*words, "--jobs", "1")
    assert "Decided for H1" in alone.stdout
    with running(tmp_path) as dask:
        dask.work(2)
        assert arena(*words, "--cluster", dask.address).output == alone.output


WORDS = ("mine.py", "easy", "--matches", "40", "--pots", "1", "--seed", "x", "--ready", "100")


@contextmanager
def started(*words: str) -> Iterator[subprocess.Popen[str]]:
    """The command in a process of its own."""
    command = [sys.executable, "-c", "from kille_net.cli import main; main()", "--lang", "en", "arena", *words]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process,
        doomed(process),
    ):
        yield process


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_tells_what_there_is_and_the_run_goes_on_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bot = stops(Path("mine.py").absolute())
    with running(tmp_path) as dask:
        dask.work()
        with started(*WORDS, "--out", "out.json", "--cluster", dask.address) as process:
            stopped = int(bot.read_text().split()[1])
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        kill(stopped)
        go_on = f"kille arena --resume out.json --cluster {dask.address}"
        assert process.returncode == Exit.SIGINT
        assert err == f"kille: if this is broken off, go on with: {go_on}\n" * 2
        assert "Broken off; 40 matches were asked for." in out
        dask.work(2)
        resumed = arena(*shlex.split(go_on)[2:])
    assert resumed.exit_code == Exit.DONE
    assert arena(*WORDS, "--jobs", "1", "--out", "whole.json").stdout == resumed.stdout
    assert Path("out.json").read_bytes() == Path("whole.json").read_bytes()


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("out", [(), ("--out", "out.json")])
def test_a_cluster_that_is_lost_in_the_middle_is_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: tuple[str, ...]
) -> None:
    """Also where Dask's own logs would be seen."""
    monkeypatch.chdir(tmp_path)
    bot = stops(Path("mine.py").absolute())
    with running(tmp_path) as dask:
        dask.work()
        with started(*WORDS, *out, "--cluster", dask.address) as process:
            bot.read_text()
            kill(dask.scheduler)
            said, err = process.communicate(timeout=60)
    assert (process.returncode, said) == (Exit.NO_SERVER, "")
    lost = f"kille: the cluster at {dask.address} was lost"
    if not out:
        assert err == f"{lost}, and what it had played; with --out FILE that is kept\n"
        return
    go_on = f"kille arena --resume out.json --cluster {dask.address}"
    assert err.splitlines()[1:] == [f"{lost}; once it is back, go on with: {go_on}"]
    resumed = arena("--resume", "out.json", "--jobs", "1")
    assert arena(*WORDS, "--jobs", "1", "--out", "whole.json").stdout == resumed.stdout
    assert Path("out.json").read_bytes() == Path("whole.json").read_bytes()


def test_what_is_wrong_on_a_worker_is_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bot = tmp_path / "mine.py"
    bot.write_text("import os\nos.environ['AT_HOME']\ndef decide(view):\n    return view.legal[0]\n", encoding="utf-8")
    out = tmp_path / "out.json"
    with running(tmp_path) as dask:
        dask.work()
        monkeypatch.setenv("AT_HOME", "")
        result = arena(str(bot), "easy", "--cluster", dask.address)
        line = told(result, Exit.WRONG_USE)
        assert line.startswith("a worker of the cluster, to which a bot's own file is sent and nothing else, says: ")
        assert line.endswith(f"{bot}, line 2: KeyError: 'AT_HOME'")
        dask.work(kille="other")
        line = told(arena("easy", "random", "--cluster", dask.address, "--out", str(out)), Exit.REFUSED)
        assert line.startswith("at tcp://127.0.0.1:")
        assert "another one or another Python than here: install the same there" in line
    assert not out.exists()
    assert not out.with_name("out.json.blocks").exists()


def test_where_there_is_no_cluster_it_is_said_and_nothing_is_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kille_net.arena.cluster._PATIENCE", 4.0)  # in which a busy machine gets round to trying
    out = tmp_path / "out.json"
    line = told(arena("easy", "--cluster", "tcp://127.0.0.1:1", "--out", str(out)), Exit.NO_SERVER)
    assert line == "no scheduler of a Dask cluster answers at tcp://127.0.0.1:1: Connection refused"
    assert list(tmp_path.iterdir()) == []


def test_it_is_said_that_a_cluster_has_nobody_who_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kille_net.arena.cluster._LOOK", 0.1)
    with running(tmp_path) as dask:
        thread = threading.Timer(1, dask.work)
        thread.start()
        result = arena("easy", "random", "--matches", "4", "--pots", "1", "--seed", "x", "--cluster", dask.address)
        thread.join()
    assert result.stderr == f"kille: the cluster at {dask.address} has no worker: waiting for one\n"
    assert (
        result.stdout == arena("easy", "random", "--matches", "4", "--pots", "1", "--seed", "x", "--jobs", "1").stdout
    )


def test_one_plays_here_or_there() -> None:
    line = told(arena("easy", "--cluster", "tcp://127.0.0.1:1", "--jobs", "2"), Exit.WRONG_USE)
    assert line == "--jobs has this machine play, and --cluster others: leave out one of them"


def test_without_distributed_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kille_net.cli.arena_cluster.find_spec", lambda _name: None)
    line = told(arena("easy", "--cluster", "tcp://127.0.0.1:1"), Exit.WRONG_USE)
    assert line == "--cluster plays with distributed, which is not installed: pip install 'kille-net[cluster]'"


def test_who_plays_here_loads_no_dask() -> None:
    script = (
        "import sys\n"
        "from kille_net.cli import main\n"
        "try: main(['arena', 'easy', '--matches', '1', '--pots', '1', '--jobs', '1'])\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        "assert not {'dask', 'distributed'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", script], stdout=subprocess.DEVNULL, timeout=60, check=True)
