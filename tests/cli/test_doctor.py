"""`kille doctor`: what it tells, and what it does not."""

import json
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import ifaddr
import pexpect
import pytest
from click.testing import CliRunner, Result

from kille_net import __version__
from kille_net.cli import main
from kille_net.cli.facts import facts
from kille_net.cli.settings import Settings
from kille_net.client.net import looking
from kille_net.client.net.servers import Sighting
from kille_net.client.terminal.widths import SAMPLES, expected
from kille_net.languages import LANGUAGES, text
from kille_net.wire.announcement import Announcement
from tests.client.screen import KILLE, environment


def doctor(*arguments: str, **env: str) -> Result:
    result = CliRunner(env={"LANG": "C.UTF-8", "LC_ALL": "", **env}).invoke(
        main, ["--lang", "en", "doctor", *arguments]
    )
    assert (result.exit_code, result.stderr) == (0, "")
    return result


def told(*arguments: str, **env: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(doctor("--json", *arguments, **env).stdout)
    return found


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_fact_is_a_line_with_a_name_in_each_language(lang: str) -> None:
    shown = CliRunner(env={"LANG": "C.UTF-8"}).invoke(main, ["--lang", lang, "doctor"]).stdout.splitlines()
    assert [line.partition(": ")[0] for line in shown] == [text(lang, f"doctor.{name}") for name in told()]
    assert all(line.partition(": ")[2] for line in shown)


def test_it_tells_what_a_report_needs() -> None:
    found = told(TERM="xterm-kitty", NO_COLOR="1", LANG="sv_SE.ISO-8859-1")
    assert found["kille"] == __version__
    assert f"{sys.version_info[0]}.{sys.version_info[1]}" in str(found["python"])
    packages = found["packages"]
    assert isinstance(packages, list)
    assert {package.partition(" ")[0] for package in packages} >= {"trio", "msgpack", "prompt-toolkit", "zeroconf"}
    assert not [package for package in packages if package.endswith(" -")], "all that is needed is here"
    variables = found["terminal.variables"]
    assert isinstance(variables, list)
    assert {"TERM=xterm-kitty", "NO_COLOR=1"} <= set(variables)
    assert (found["terminal.is_input"], found["terminal.is_full"], found["terminal.colours"]) == (False, False, 0)
    assert (found["terminal.is_beyond_ascii"], found["locale.language"]) == (False, "en")
    assert "LANG=sv_SE.ISO-8859-1" in str(found["locale.variables"])
    assert "lo" in str(found["network.addresses"])


def test_no_secret_is_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "ada-lovelace"
    data = home / "data"
    (data / "tickets").mkdir(parents=True)
    (data / "known_servers").write_text("192.0.2.7:4747 5ec2e7")
    (data / "known_servers").chmod(0o600)
    (data / "tickets" / "5ec2e7.json").write_text("5ec2e7")
    monkeypatch.setenv("HOME", str(home))
    for arguments in ((), ("--json",)):
        shown = doctor(*arguments, KILLE_DATA=str(data), KILLE_PASSWORD="5ec2e7", SSH_CONNECTION="5ec2e7").stdout
        assert "5ec2e7" not in shown
        assert "lovelace" not in shown, "whose machine it is, is nobody's affair"
        assert "KILLE_PASSWORD" in shown
        assert "~/data (755, rwx)" in shown
        assert "known_servers 600" in shown
        assert "client.toml" in shown


def test_one_odd_file_hides_no_other(tmp_path: Path) -> None:
    (tmp_path / "known_servers").touch(0o600)
    (tmp_path / "nowhere").symlink_to("nothing")
    (tmp_path / "round").symlink_to("round")
    (tmp_path / "tickets").mkdir(0o700)
    assert told(KILLE_DATA=str(tmp_path))["folder.files"] == [
        "known_servers 600",
        "nowhere -",
        "round -",
        "tickets/ 700",
    ]


def test_what_the_environment_says_is_shown_clean() -> None:
    shown = doctor(TERM="\x1b[2Jx\n\u202e", COLORTERM="y" * 9000).stdout
    assert all(line.isprintable() and len(line) <= 400 for line in shown.splitlines())
    assert "[2Jx" in shown


def test_on_an_odd_machine_the_rest_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise OSError(97, "Address family not supported")

    monkeypatch.setattr(ifaddr, "get_adapters", fails)
    assert told()["network.addresses"] is None
    assert "addresses: unknown\n" in doctor().stdout


@pytest.mark.parametrize(("term", "colours"), [("dumb", {0, None}), ("no-such-terminal", {None}), ("xterm", {8, None})])
def test_how_many_colours_a_terminal_has_is_known_by_its_name(term: str, colours: set[int | None]) -> None:
    """Each in a process of its own, for the library that knows it looks once."""
    env = environment(TERM=term, COLORTERM=None)
    done = subprocess.run([*KILLE, "doctor", "--json"], env=env, capture_output=True, text=True, timeout=30, check=True)
    assert json.loads(done.stdout)["terminal.colours"] in colours
    assert facts(Settings(lang="en"), {"TERM": term, "COLORTERM": "truecolor"}, None)["terminal.colours"] == 1 << 24


def test_it_sends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def sent(*_: object) -> None:
        pytest.fail("something was sent")

    for name in ("connect", "connect_ex", "sendto", "sendmsg", "send", "sendall"):
        monkeypatch.setattr(socket.socket, name, sent)
    monkeypatch.setattr(looking, "look", sent)
    assert "network.servers" not in told()


def test_it_looks_for_servers_if_it_is_told_to(monkeypatch: pytest.MonkeyPatch) -> None:
    krogen = Announcement(id="a" * 16, name="Krogen", versions=(1,), wants_password=False, in_tls=True)

    def look(_seconds: float, hear: Callable[[Sighting], None]) -> bool:
        hear(Sighting(announcement=krogen, places=(("192.0.2.7", 4747),)))
        return True

    monkeypatch.setattr(looking, "look", look)
    assert told("--look")["network.servers"] == ["Krogen 192.0.2.7:4747"]
    assert "servers found: Krogen 192.0.2.7:4747\n" in doctor("--look").stdout


def in_terminal(answer: Callable[[str], int | None]) -> str:
    """What it prints on a terminal that says of each text how wide it is, or nothing at None."""
    child = pexpect.spawn(
        KILLE[0], [*KILLE[1:], "--lang", "en", "doctor"], env=environment(), timeout=20, encoding="utf-8"
    )
    child.delaybeforesend = None
    for sample in SAMPLES:
        child.expect_exact(f"{sample}\x1b[6n")
        width = answer(sample)
        if width is None:
            break
        child.send(f"\x1b[1;{width + 1}R")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    return str(child.before)


def test_a_terminal_is_asked_how_wide_it_shows_things() -> None:
    assert "widths of characters: as expected\r\n" in in_terminal(lambda sample: expected()[sample])
    wrong = in_terminal(lambda sample: 1 if sample == "日" else expected()[sample])
    assert "widths of characters: 日 1 (expected 2)\r\n" in wrong


def test_a_terminal_that_does_not_answer_is_not_waited_for() -> None:
    assert "widths of characters: unknown\r\n" in in_terminal(lambda _: None)
