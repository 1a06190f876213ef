"""kille_net.cli.apart: bots that end the process that they run in, or never give it back."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pexpect
import pytest

from kille_net.cli.exit_codes import Exit
from kille_net.systems import CAN_DIVIDE
from tests.serving import KILLE, doomed, kille, serving

pytestmark = pytest.mark.skipif(not CAN_DIVIDE, reason="a process cannot be divided")

ENDS = {
    "exits": ("os._exit(3)", "has ended the process, with exit status 3"),
    "exits as if all were well": ("os._exit(0)", "has ended the process, with exit status 0"),
    "crashes": ("os.kill(os.getpid(), 11)", "has brought the process down: SIGSEGV"),
}
HANGS = """
import os
from pathlib import Path

def decide(view):
    Path("pid").write_text(f"{os.getpid()}\\n")
    while True:
        pass
"""
HANGS_ELSEWHERE = {
    "decide": HANGS,
    "ready": """
class Slow:
    def ready(self):
        open("pid", "w").write("1\\n")
        while True:
            pass

    def decide(self, view):
        pass
""",
    "loaded": "open('pid', 'w').write('1\\n')\nwhile True:\n    pass\n",
}


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("records")
    words = ("--matches", "1", "--seed", "7", "--jobs", "1", "--length", "short", "--records", str(folder))
    assert kille("arena", "easy", *words).returncode == Exit.DONE
    return str(min(folder.glob("*.jsonl")))


def commands(bot: str, record: str) -> dict[str, list[str]]:
    return {
        "check": ["bot", "check", bot],
        "step": ["bot", "step", record, "--seat", "2", "--at", "1", "--bot", bot],
        "solve": ["solve", "--bot", bot],
    }


@pytest.mark.parametrize("command", ["check", "step", "solve"])
@pytest.mark.parametrize("how", ENDS)
def test_a_bot_that_ends_the_process_is_named_in_one_line(how: str, command: str, record: str, tmp_path: Path) -> None:
    does, said = ENDS[how]
    (tmp_path / "cheat.py").write_text(f"import os\ndef decide(view):\n    {does}\n")
    done = kille(*commands("cheat.py", record)[command], cwd=tmp_path)
    assert done.stderr == f"kille: cheat.py {said}\n"
    assert done.returncode == Exit.DOES_NOT_HOLD
    assert done.stdout.startswith("hand ") if command == "step" else done.stdout == ""
    swedish = subprocess.run(
        [*KILLE, "--lang", "sv", *commands("cheat.py", record)[command]],
        capture_output=True,
        cwd=tmp_path,
        timeout=60,
        check=False,
    )
    assert swedish.stderr.startswith((b"kille: cheat.py har avslutat processen", "kille: cheat.py har fällt".encode()))


def test_so_it_is_at_a_server(tmp_path: Path) -> None:
    (tmp_path / "cheat.py").write_text("import os\ndef decide(view):\n    os._exit(3)\n")
    with serving() as port:
        done = kille("bot", "run", "cheat.py", f"127.0.0.1:{port}", "--computers", "3", cwd=tmp_path)
    assert done.returncode == Exit.DOES_NOT_HOLD
    assert done.stderr.splitlines()[-1] == "kille: cheat.py has ended the process, with exit status 3"


@pytest.mark.parametrize(
    ("command", "doing"), [("step", "decide"), ("solve", "decide"), ("step", "ready"), ("step", "loaded")]
)
@pytest.mark.parametrize("presses", [True, False], ids=["pressed", "sent"])
def test_ctrl_c_says_where_a_bot_hangs(command: str, doing: str, presses: bool, record: str, tmp_path: Path) -> None:  # noqa: FBT001  parametrized
    (tmp_path / "slow.py").write_text(HANGS_ELSEWHERE[doing])
    words = [*KILLE, "--lang", "en", *commands("slow.py", record)[command]]
    child = pexpect.spawn(
        words[0], list(words[1:]), cwd=str(tmp_path), timeout=60, encoding="utf-8", dimensions=(60, 200)
    )
    _until(lambda: (tmp_path / "pid").exists() and bool((tmp_path / "pid").read_text()))
    if presses:
        child.sendintr()
    else:
        assert child.pid is not None
        os.kill(child.pid, signal.SIGINT)
    said = child.read()
    child.close()
    assert child.exitstatus == Exit.SIGINT
    assert said.count("Traceback") == 1
    assert "slow.py" in said
    assert "KeyboardInterrupt\r\nkille: broken off; the lines above say where the bot was\r\n" in said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_what_ends_the_command_ends_the_bot(number: signal.Signals, record: str, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(HANGS)
    command = [*KILLE, *commands("slow.py", record)["step"]]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as run, doomed(run):
        bot = _pid(tmp_path)
        run.send_signal(number)
        _, told = run.communicate(timeout=20)
    assert (run.returncode, told) == (128 + number, b"")
    assert not _is_there(bot)


@pytest.mark.skipif(sys.platform != "linux", reason="no other system tells a child")
def test_nothing_is_left_of_a_command_that_is_killed(record: str, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(HANGS)
    command = [*KILLE, *commands("slow.py", record)["step"]]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL) as run, doomed(run):
        bot = _pid(tmp_path)
        run.kill()
        run.wait(20)
    _until(lambda: not _is_there(bot))


def _pid(folder: Path) -> int:
    file = folder / "pid"
    _until(lambda: file.exists() and file.read_text().endswith("\n"))
    return int(file.read_text())


def _is_there(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _until(holds: Callable[[], bool], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never comes"
        time.sleep(0.02)
