"""The server's password from the command line: where it may stand, and that nobody sees it."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from kille_net.cli import main
from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.password import VARIABLE, read_password
from tests.client.screen import KILLE, Terminal, environment
from tests.serving import kille, serving

SECRET = "hjärter kung"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "password"
    path.touch(mode=0o600)
    path.write_text(SECRET + "\n", encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def _english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGUAGE", "en")


class TestReading:
    def test_a_file_comes_before_the_environment(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        assert read_password(None) is None
        monkeypatch.setenv(VARIABLE, "other")
        assert read_password(None) == "other"
        assert read_password(file) == SECRET
        monkeypatch.setenv(VARIABLE, "")
        assert read_password(None) is None

    @pytest.mark.skipif(os.name != "posix", reason="modes of files are POSIX's")
    @pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
    def test_a_file_that_others_can_read_is_refused(self, file: Path, mode: int) -> None:
        file.chmod(mode)
        with pytest.raises(CliError, match="chmod 600"):
            read_password(file)

    @pytest.mark.parametrize("text", ["", "\n", "two\nlines\n", "x" * 65, "x" * 10_000, "\x1b[2J", "tab\there"])
    def test_what_is_no_password_is_refused(self, file: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
        file.write_text(text)
        with pytest.raises(CliError, match="one line of 1 to 64 characters"):
            read_password(file)
        if text:
            monkeypatch.setenv(VARIABLE, text)
            with pytest.raises(CliError, match=VARIABLE):
                read_password(None)

    def test_what_cannot_be_read_is_said(self, file: Path) -> None:
        file.write_bytes(b"\xff\xff")
        with pytest.raises(CliError, match="one line"):
            read_password(file)
        with pytest.raises(CliError, match="No such file"):
            read_password(file.with_name("nothing"))

    @pytest.mark.parametrize("command", [("serve",), ("join",), ("bot", "run", "easy", "h")])
    def test_every_command_says_it_in_one_line(self, command: tuple[str, ...], file: Path) -> None:
        file.write_text("")
        result = CliRunner().invoke(main, ["--lang", "en", *command, "--password-file", str(file)])
        assert result.exit_code == Exit.WRONG_USE
        assert result.stderr.startswith("kille: in ")
        assert result.stderr.count("\n") == 1


def test_a_bot_gets_in_with_the_password_and_not_without(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = ("bot", "run", "easy", "--matches", "1", "--length", "short", "--computers", "3")
    with serving("--password-file", str(file)) as port:
        address = f"127.0.0.1:{port}"
        without = kille(*run, address)
        assert (without.returncode, without.stdout) == (Exit.REFUSED, "")
        assert (
            without.stderr == "kille: easy: The server's password is missing or wrong. Give it with --password-file.\n"
        )
        assert kille(*run, address, "--password-file", str(file)).stdout.startswith("match 1: ")
        monkeypatch.setenv(VARIABLE, SECRET)
        assert kille(*run, address).returncode == Exit.DONE


def test_a_person_is_asked_and_does_not_see_what_is_typed(file: Path) -> None:
    with serving("--password-file", str(file)) as port:
        command = (*KILLE, "--lang", "en", "join", "--name", "Ada", f"127.0.0.1:{port}")
        with Terminal(command, env=environment()) as terminal:
            terminal.see("The server's password:").press("wrong\r")
            terminal.wait(lambda: terminal.text.count("The server's password:") == 2, "another question")
            assert "is missing or wrong" in terminal.text
            terminal.press(f"{SECRET}\r")
            terminal.wait(lambda: terminal.is_raw and terminal.text.endswith("\n>"), "the prompt")
            terminal.press("quit\r")
            assert terminal.end() == Exit.DONE
            assert b"wrong\r" not in terminal.raw
            assert SECRET.encode() not in terminal.raw


def test_who_wants_to_tell_no_password_leaves(file: Path) -> None:
    with serving("--password-file", str(file)) as port:
        command = (*KILLE, "--lang", "en", "join", "--plain", "--name", "Ada", f"127.0.0.1:{port}")
        for key, code in (("\x03", Exit.SIGINT), ("\x04", Exit.REFUSED)):
            with Terminal(command, env=environment()) as terminal:
                terminal.see("The server's password:").press(key)
                assert terminal.end() == code
                assert b"Traceback" not in terminal.raw
