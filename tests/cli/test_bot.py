"""kille_net.cli.bot: bots at a real server's table, good ones and others."""

import json
import re
import signal
import subprocess
from pathlib import Path

import pytest

from kille_net.bots.guard import Complaint, Fault
from kille_net.bots.printing import FileLog
from kille_net.cli.bot import _names
from kille_net.cli.bot_faults import ToldComplaints
from kille_net.cli.speaking import speaking
from kille_net.client.net.tickets import BOTS_FOLDER
from tests.serving import KILLE, doomed, kille, serving

SHORT = ("--length", "short", "--matches", "1")
EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("format_", ["pots", "sticks"])
@pytest.mark.parametrize("bot", ["first_bot.py", "memory_bot.py"])
def test_the_examples_play_a_match(bot: str, format_: str) -> None:
    with serving() as port:
        done = kille(
            "bot", "run", str(EXAMPLES / bot), f"127.0.0.1:{port}", "--computers", "3", "--format", format_, *SHORT
        )
    name = bot.removesuffix(".py").replace("_", " ")
    assert done.stderr == f"kille: {name}: made the table {name}; all are ready\n"
    assert done.returncode == 0
    assert done.stdout.startswith(f"match 1: {name}: ")
    assert done.stdout.count("\n") == 1


def test_several_of_a_bot_meet_in_one_room_and_go_on() -> None:
    with serving() as port:
        done = kille("bot", "run", "easy", f"127.0.0.1:{port}", "--count", "5", "--length", "short", "--matches", "3")
    assert done.returncode == 0
    told = done.stderr.splitlines()
    assert (
        sorted(line.partition("; ")[0] for line in told)
        == [
            "kille: easy 2: joined the table easy",
            "kille: easy 3: joined the table easy",
            "kille: easy 4: joined the table easy",
            "kille: easy 5: joined the table easy",
            "kille: easy: made the table easy",
        ]
        or sum("made the table easy; 4 empty seats" in line for line in told) == 1
    )
    lines = done.stdout.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["match 1", "match 2", "match 3"]
    assert all("easy: " in line and "easy 5: " in line for line in lines)


def test_a_bot_that_waits_says_for_what_and_one_that_is_sent_away_fails() -> None:
    with serving() as port:
        where = f"127.0.0.1:{port}"
        command = [*KILLE, "--lang", "en", "bot", "run", "easy", where, "--room", "Krogen", "--seats", "3"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as bot, doomed(bot):
            assert bot.stderr is not None
            assert bot.stderr.readline() == "kille: easy: made the table Krogen; 2 empty seats\n"
            person = subprocess.run(
                [*KILLE, "--lang", "en", "join", where, "--name", "Ada", "--room", "Krogen"],
                input="kick easy\n",
                capture_output=True,
                text=True,
                encoding="utf-8",
                timeout=60,
                check=True,
            )
            assert "Ada is the host." in person.stdout
            assert bot.wait(timeout=20) == 4
            assert bot.stderr.read() == "kille: easy: the host took its seat\n"


BAD_BOTS = {
    "raised": ("def decide(view):\n    raise RuntimeError('oh dear')\n", "oh dear"),
    "not an action": ("def decide(view):\n    return 'swap'\n", "answered with str"),
    "illegal": (
        "from kille_net.game.actions import Action\n"
        "def decide(view):\n    return Action.ACCEPT if Action.ACCEPT not in view.legal else Action.DEPENDS\n",
        "it answered",
    ),
}


@pytest.mark.parametrize("fault", BAD_BOTS)
def test_a_bad_bot_costs_its_own_seat_and_its_author_is_told(fault: str, tmp_path: Path) -> None:
    source, told = BAD_BOTS[fault]
    (tmp_path / "bad.py").write_text(source)
    with serving() as port:
        done = kille("bot", "run", str(tmp_path / "bad.py"), f"127.0.0.1:{port}", "--computers", "3", *SHORT)
    assert done.returncode == 0
    assert done.stdout.startswith("match 1: ")
    assert fault in done.stderr
    assert told in done.stderr


def test_a_bot_that_hangs_plays_on_by_the_defaults(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def decide(view):\n    while True:\n        pass\n")
    with serving() as port:
        done = kille("bot", "run", str(tmp_path / "bad.py"), f"127.0.0.1:{port}", "--computers", "3", *SHORT)
    assert done.returncode == 0
    assert done.stdout.startswith("match 1: ")
    assert "hung, 1 time: " in done.stderr
    assert "while True" in done.stderr


CRASHING = """
from kille_net.game.actions import Action

class Crashing:
    def __init__(self):
        self.asked = 0

    def decide(self, view):
        self.asked += 1
        if self.asked == 2:
            1 / 0
        if self.asked == 3:
            while True:
                pass
        return Action.STAND if Action.STAND in view.legal else Action.REFUSE
"""


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_what_a_bot_does_wrong_is_told_the_first_time_at_once_and_then_counted(
    tmp_path: Path, ending: signal.Signals
) -> None:
    (tmp_path / "bad.py").write_text(CRASHING)
    logs, told = tmp_path / "logs", tmp_path / "told"
    words = ["--computers", "3", "--length", "short", "--budget", "0.2", "--count", "1", "--log", str(logs)]
    with serving() as port, told.open("w") as stderr:
        run = [*KILLE, "--lang", "en", "bot", "run", str(tmp_path / "bad.py"), f"127.0.0.1:{port}", "--name", "Bad"]
        with subprocess.Popen([*run, *words], stdout=subprocess.PIPE, stderr=stderr, text=True) as bot, doomed(bot):
            assert bot.stdout is not None
            for _ in range(3):
                assert bot.stdout.readline().startswith("match ")
            at_once = told.read_text()
            bot.send_signal(ending)
            bot.wait(20)
    log = (logs / "Bad.log").read_text()
    for text in (at_once, log):
        assert text.count("kille: Bad: FAULT in decide: raised\n    Traceback (most recent call last):\n") == 1
        assert text.count("        1 / 0\n") == 1
        assert text.count("    ZeroDivisionError: division by zero\n") == 1
        assert "kille: Bad: FAULT in decide: hung\n    no answer in 0.2 s; the rest of the match" in text
        assert re.search("in decide\n +(while True:|pass)\n", text)
    end = told.read_text().removeprefix(at_once)
    if ending is signal.SIGKILL:
        assert not re.search("[0-9] times?: ", end)
    else:
        assert re.search(
            "kille: Bad: FAULT in decide: raised, [1-9][0-9]* times: ZeroDivisionError: division by zero\n", end
        )
        assert re.search("kille: Bad: FAULT in decide: hung, [1-9][0-9]* times?: no answer in 0.2 s; [^\n]*\n", end)
        assert end in log


def test_several_of_a_bot_tell_one_fault_once_and_each_in_its_own_log(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BAD_BOTS["raised"][0])
    with serving() as port:
        where = f"127.0.0.1:{port}"
        words = ["--count", "3", "--seats", "3", "--log", str(tmp_path / "logs"), *SHORT]
        done = subprocess.run(
            [*KILLE, "--lang", "sv", "bot", "run", str(tmp_path / "bad.py"), where, *words],
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
    assert done.stderr.count("FEL i decide: gav ett fel\n    Traceback") == 1
    counts = re.findall(
        "kille: (bad[ 23]*): FEL i decide: gav ett fel, ([0-9]+) gång(?:er)?: RuntimeError: oh dear", done.stderr
    )
    assert {name for name, _ in counts} == {"bad", "bad 2", "bad 3"}
    for name, count in counts:
        log = (tmp_path / "logs" / f"{name.replace(' ', '_')}.log").read_text()
        assert log.count(f"kille: {name}: FEL i decide: gav ett fel\n    Traceback") == 1
        assert f"gav ett fel, {count} gång" in log


def test_a_fault_that_goes_on_is_told_again_at_ten_times_its_number(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    log = FileLog(tmp_path / "bot.log")
    with speaking(["--lang", "en"]):
        complaints = ToldComplaints("Bad", log, set())
        for number in range(100):
            complaints.add(Complaint(Fault.RAISED, "saw", "Traceback:\n  1\nValueError: oh\n"))
            complaints.add(Complaint(Fault.RAISED, "decide", f"ValueError: {number}\n"))
        complaints.end()
    told = capsys.readouterr()
    assert told.out == ""
    assert (tmp_path / "bot.log").read_text() == told.err
    of_saw = [line for line in told.err.splitlines() if "saw" in line]
    assert of_saw == [
        "kille: Bad: FAULT in saw: raised",
        "kille: Bad: FAULT in saw: raised, 10 times: ValueError: oh",
        *["kille: Bad: FAULT in saw: raised, 100 times: ValueError: oh"] * 2,
    ]
    assert told.err.count("FAULT in decide: raised\n") == complaints.most - 1
    others = 100 - (complaints.most - 1)
    assert re.findall("and ([0-9]+) other", told.err) == ["1", "10", str(others)]


def test_what_a_bot_prints_is_in_its_log_and_no_result(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text("def decide(view):\n    print('thinking')\n    return view.legal[0]\n")
    words = (str(tmp_path / "loud.py"), "--computers", "3", *SHORT)
    with serving() as port:
        done = kille("bot", "run", words[0], f"127.0.0.1:{port}", *words[1:], "--log", str(tmp_path / "logs"))
        aside = kille("bot", "run", words[0], f"127.0.0.1:{port}", *words[1:])
    assert done.returncode == aside.returncode == 0
    assert done.stdout.count("\n") == aside.stdout.count("\n") == 1
    assert "thinking" not in done.stdout + done.stderr + aside.stdout
    assert set((tmp_path / "logs" / "loud.log").read_text().splitlines()) == {"thinking"}
    assert "kille: loud: it prints (with --log DIR into a file of its own):\nthinking\n" in aside.stderr


def test_of_a_bot_that_prints_much_it_is_said_where_the_rest_would_be(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text("print('x' * 30_000)\ndef decide(view):\n    return view.legal[0]\n")
    with serving() as port:
        where = f"127.0.0.1:{port}"
        done = kille("bot", "run", str(tmp_path / "loud.py"), where, "--computers", "3", "--name", "Lo", *SHORT)
    assert done.stderr.splitlines()[:3] == [
        "kille: Lo: it prints (with --log DIR into a file of its own):",
        "x" * 20_000,
        "kille: Lo: it prints more than is shown here: --log DIR keeps it",
    ]
    checked = kille("bot", "check", str(tmp_path / "loud.py"), "--only", "dealt.first.2")
    assert checked.stderr.startswith(f"kille: {tmp_path / 'loud.py'} prints while it is loaded:\nxxx")
    assert checked.stderr.endswith("xxx\n…\n")


def test_a_bot_has_a_time_to_get_ready_and_one_to_answer(tmp_path: Path) -> None:
    (tmp_path / "late.py").write_text(
        "import time\nclass Late:\n    def ready(self):\n        time.sleep(0.5)\n"
        "    def decide(self, view):\n        return view.legal[0]\n"
    )
    words = (str(tmp_path / "late.py"), "--computers", "3", *SHORT)
    with serving() as port:
        in_time, late = (
            kille("bot", "run", words[0], f"127.0.0.1:{port}", *words[1:], "--budget", budget, "--ready", ready)
            for budget, ready in (("0.4", "30"), ("30", "0.1"))
        )
    assert in_time.returncode == late.returncode == 0
    assert "late: made the table" in in_time.stderr
    assert "took too long" not in in_time.stderr
    assert "kille: late: FAULT in ready: took too long, 1 time: " in late.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("nosuch", "127.0.0.1:1"), 2, "there is no built-in bot 'nosuch'"),
        (("nosuch.py", "127.0.0.1:1"), 2, "there is no file"),
        (("easy", "127.0.0.1:0"), 2, "an address is HOST"),
        (("easy", "127.0.0.1:1"), 3, "No server answers at 127.0.0.1:1"),
    ],
)
def test_what_cannot_be_done_is_one_line(arguments: tuple[str, ...], code: int, told: str) -> None:
    done = kille("bot", "run", *arguments)
    assert done.returncode == code
    assert done.stdout == ""
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_name_that_is_taken_is_refused() -> None:
    with serving() as port:
        where = f"127.0.0.1:{port}"
        with (
            subprocess.Popen(
                [*KILLE, "bot", "run", "easy", where, "--length", "short", "--computers", "3"],
                stdout=subprocess.PIPE,
                text=True,
            ) as first,
            doomed(first),
        ):
            assert first.stdout is not None
            assert first.stdout.readline().startswith("match 1: ")
            second = kille("bot", "run", "easy", where, "--matches", "1")
            first.terminate()
            rest = first.stdout.read()
            first.wait(timeout=20)
    assert second.returncode == 4
    assert second.stderr.count("\n") == 1
    assert "That name is taken" in second.stderr
    assert first.returncode == 143
    assert rest == "" or rest.startswith("match ")


@pytest.mark.parametrize(
    ("bot", "name", "count", "expected"),
    [
        ("easy", None, 1, ["easy"]),
        ("some/where/my_bot.py", None, 2, ["my bot", "my bot 2"]),
        ("file.py:Wary", None, 1, ["Wary"]),
        ("easy", "Sixteen letters!"[:16], 2, ["Sixteen letters!", "Sixteen letter 2"]),
        ("a_name_that_is_too_long.py", None, 1, ["a name that is t"]),
        ("%%%.py", None, 1, ["bot"]),
    ],
)
def test_names_at_the_table(bot: str, name: str | None, count: int, expected: list[str]) -> None:
    assert _names(bot, name, count) == expected


def test_its_ticket_is_kept_while_it_plays_and_no_longer(tmp_path: Path) -> None:
    with serving() as port:
        where = f"127.0.0.1:{port}"
        with (
            subprocess.Popen(
                [*KILLE, "--data", str(tmp_path), "bot", "run", "easy", where, "--count", "2", "--seats", "3"],
                stderr=subprocess.PIPE,
                text=True,
            ) as waiting,
            doomed(waiting),
        ):
            assert waiting.stderr is not None
            for _ in range(2):
                assert "empty" in waiting.stderr.readline()
            kept = [json.loads(file.read_text()) for file in (tmp_path / BOTS_FOLDER).glob("*.json")]
            assert sorted(entry["name"] for entry in kept) == ["easy", "easy 2"]
            assert {entry["server"] for entry in kept} == {where}
            assert len({entry["ticket"] for entry in kept}) == 2
            waiting.kill()
        with (
            subprocess.Popen(
                [*KILLE, "bot", "run", "easy", where, "--name", "third", "--room", "easy", "--matches", "1"],
                stdout=subprocess.PIPE,
            ) as third,
            doomed(third),
        ):
            done = kille("--data", str(tmp_path), "bot", "run", "easy", where, "--count", "2", "--matches", "1")
            third.communicate(timeout=20)
    assert {"easy: ", "easy 2: ", "third: "} <= set(re.findall("[a-z]+(?: 2)?: ", done.stdout)), "in their old seats"
    assert done.returncode == 0, done.stderr
    assert not list((tmp_path / BOTS_FOLDER).glob("*.json"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_bot_that_is_stopped_and_started_again_is_the_same_entrant(tmp_path: Path, number: signal.Signals) -> None:
    own = ["--data", str(tmp_path / "own")]
    at = ["--data", str(tmp_path / "server")]
    with serving(*at, "--tournament", str(EXAMPLES / "ladder.toml")) as port:
        words = ["bot", "run", str(EXAMPLES / "first_bot.py"), f"127.0.0.1:{port}", "--tournament", "ladder"]
        for _ in range(3):
            with subprocess.Popen(
                [*KILLE, "--lang", "en", *own, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            ) as bot, doomed(bot):  # fmt: skip
                assert bot.stdout is not None
                assert bot.stderr is not None
                for _ in range(2):
                    assert bot.stdout.readline().startswith("match ")
                bot.send_signal(number)
                assert bot.wait(20) == 128 + number
                assert "joined the table" not in bot.stderr.read(), "a line a match, all night"
        told = kille("admin", *at, "--json", "tournament", "standings", "ladder")
        standing = [one for one in json.loads(told.stdout)["standings"] if one["kind"] == "bot"]
        (rated,) = [
            one
            for one in json.loads(kille("history", *at, "ratings", "--bots", "--json").stdout)
            if one["kind"] == "bot"
        ]
    assert [(one["name"], one["status"]) for one in standing] == [("first bot", "playing")]
    assert standing[0]["played"] >= 6
    assert rated["matches"] >= 5


def test_a_bot_that_is_stopped_before_a_match_leaves_its_seat_to_others(tmp_path: Path) -> None:
    with serving() as port:
        words = [*KILLE, "--data", str(tmp_path), "bot", "run", "easy", f"127.0.0.1:{port}", "--room", "Krogen"]
        with subprocess.Popen([*words, "--seats", "2"], stderr=subprocess.PIPE, text=True) as first, doomed(first):
            assert first.stderr is not None
            assert "empty" in first.stderr.readline()
            first.send_signal(signal.SIGINT)
            assert first.wait(20) == 128 + signal.SIGINT
        with subprocess.Popen([*words, "--seats", "2"], stderr=subprocess.PIPE, text=True) as again, doomed(again):
            assert again.stderr is not None
            assert "made the table" in again.stderr.readline(), "nobody sits there any more"


@pytest.mark.parametrize("lang", ["en", "sv"])
def test_a_bot_that_waits_for_a_tournament_names_those_that_there_are(lang: str) -> None:
    with serving("--tournament", str(EXAMPLES / "ladder.toml")) as port:
        words = [*KILLE, "--lang", lang, "bot", "run", "easy", f"127.0.0.1:{port}", "--tournament", "Snab"]
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, encoding="utf-8") as bot, doomed(bot):
            assert bot.stderr is not None
            said = bot.stderr.readline()
            assert "Snab" in said
            assert said.endswith(": Ladder\n")
