"""Other systems: what only POSIX has is named in one place, and nothing else needs it."""

import ast
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import kille_net
from kille_net import systems
from tests.elsewhere import POSIX_MODULES, POSIX_SIGNALS, TERMINAL
from tests.serving import doomed

PACKAGE = Path(kille_net.__file__).parent
ELSEWHERE = [sys.executable, "-m", "tests.elsewhere", "--lang", "en"]
ONLY_POSIX = {
    "os": "chown fchmod fchown fork forkpty getegid geteuid getgid getpgid getpgrp getsid getuid killpg mkfifo mknod "
    "openpty pread pwrite sched_getaffinity sched_setaffinity setgid setpgid setsid setuid statvfs sync tcgetpgrp "
    "tcsetpgrp ttyname uname wait wait3 wait4 waitid O_CLOEXEC O_DIRECTORY O_NOCTTY O_NOFOLLOW O_NONBLOCK O_SYNC",
    "signal": f"{' '.join(POSIX_SIGNALS)} SIGALRM alarm setitimer siginterrupt pthread_kill pthread_sigmask sigwait",
    "socket": "AF_UNIX SO_REUSEPORT TCP_USER_TIMEOUT sethostname",
}
"""By the documentation of the standard library: «Availability: Unix», or not Windows."""
GUARDED = {
    ("cli/apart.py", "os.fork"),
    ("cli/apart.py", "signal.pthread_sigmask"),
    ("server/channel.py", "socket.AF_UNIX"),
}
"""Used only where `systems` says that it is there."""


def posix_names(path: Path) -> set[str]:
    """What a module uses that other systems do not have."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                found |= {name.name for name in names} & POSIX_MODULES
            case ast.ImportFrom(module=str(module)):
                found |= {module} & POSIX_MODULES
            case ast.Attribute(value=ast.Name(id=module), attr=name) if name in ONLY_POSIX.get(module, "").split():
                found.add(f"{module}.{name}")
    return found


def test_what_only_posix_has_is_used_in_one_place_and_by_the_terminal() -> None:
    allowed = {"systems.py", *(f"client/terminal/{name.rpartition('.')[2]}.py" for name in TERMINAL)}
    used = {
        (file, name)
        for path in sorted(PACKAGE.rglob("*.py"))
        if (file := path.relative_to(PACKAGE).as_posix()) not in allowed
        for name in posix_names(path)
    }
    assert used == GUARDED
    affinity = {"os.sched_getaffinity", "os.sched_setaffinity"}
    assert posix_names(PACKAGE / "systems.py") == {"curses", "fcntl", "resource", "os.killpg"} | affinity
    assert "termios" in posix_names(PACKAGE / "client" / "terminal" / "toolkit.py"), "the scan finds what is there"


def run(*arguments: str, data: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    command = [*ELSEWHERE, "--data", data, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=90, check=False, input=typed)


def test_every_module_but_the_terminals_is_imported_without_posix() -> None:
    names = [module.name for module in pkgutil.walk_packages([str(PACKAGE)], "kille_net.")]
    wanted = [name for name in names if name not in TERMINAL and not name.endswith("__main__")]
    assert len(wanted) > 100
    code = f"from tests.elsewhere import *\ntake_posix_away()\nfor name in {wanted}: import_module(name)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_match_is_played_without_posix(tmp_path: Path) -> None:
    done = run("play", "--seats", "3", "--pots", "1", data=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search("(wins|You win) the match!", done.stdout)


def test_a_server_is_hosted_joined_asked_and_stopped_without_posix() -> None:
    with (
        TemporaryDirectory() as data,
        subprocess.Popen(
            [*ELSEWHERE, "--data", data, "serve", "--host", "127.0.0.1", "--port", "0"],
            stdout=subprocess.PIPE,
            text=True,
        ) as server,
        doomed(server),
    ):
        assert server.stdout is not None
        found = re.fullmatch(r"kille join (127\.0\.0\.1:\d+)\n", server.stdout.readline())
        assert found is not None
        typed = "create Bordet seats=2 computers=1 pots=1\nready\ntable\n"
        client = run("join", found[1], "--name", "Ada", data=f"{data}/client", typed=typed)
        assert client.returncode == 0, client.stderr
        assert "The match begins." in client.stdout
        status = run("admin", "--json", "status", data=data)
        assert (status.returncode, status.stderr) == (0, "")
        assert '"rooms":' in status.stdout
        drained = run("admin", "drain", data=data)
        assert (drained.returncode, drained.stderr) == (0, "")
        assert server.wait(timeout=40) == 0


def test_doctor_tells_what_it_can_without_posix(tmp_path: Path) -> None:
    done = run("doctor", data=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert "colours: unknown\n" in done.stdout
    assert "widths of characters: unknown\n" in done.stdout


@pytest.mark.parametrize(("mode", "is_open"), [(0o600, False), (0o700, False), (0o640, True), (0o604, True)])
def test_a_mode_that_lets_others_in_is_seen_where_modes_say_so(
    mode: int, *, is_open: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert systems.is_open_to_others(0o100000 | mode) is is_open
    monkeypatch.setattr(os, "name", "nt")
    assert not systems.is_open_to_others(0o100000 | mode)


def test_a_lock_has_one_holder_until_it_is_closed(tmp_path: Path) -> None:
    first, second = (os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT) for _ in range(2))
    assert systems.take_lock(first)
    assert not systems.take_lock(second)
    os.close(first)
    assert systems.take_lock(second)
    os.close(second)


def test_a_process_may_open_more_files_when_it_asks() -> None:
    found = subprocess.run(
        [
            sys.executable,
            "-c",
            "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (64, 96)); from kille_net.systems import *;"
            "print(most_files()); raise_most_files(70); print(most_files()); raise_most_files(60); print(most_files());"
            "raise_most_files(10_000); print(most_files())",
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    assert found.stdout.split() == ["64", "70", "70", "96"]


def test_a_process_may_be_kept_to_one_processor() -> None:
    code = "from kille_net.systems import *; keep_to(processor_numbers()[-1]); print(processors())"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30)
    assert found.stdout == "1\n"
