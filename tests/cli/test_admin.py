"""`kille admin` and a real server."""

import json
import signal
import socket
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kille_net.cli import main
from kille_net.cli.exit_codes import Exit
from kille_net.server.channel import SOCKET
from kille_net.wire import messages as m
from tests.cli.test_serve import in_a_hand, running, welcomed


def admin(*words: str, lang: str = "en") -> Result:
    return CliRunner().invoke(main, ["--lang", lang, "admin", *words])


def test_a_server_is_looked_after(tmp_path: Path) -> None:
    data = ("--data", str(tmp_path))
    with running(*data) as (process, _, port):
        sock, _ = welcomed(port)
        with sock:
            in_a_hand(sock)
            assert admin(*data, "rooms").stdout == "Room: playing, Ada, Movitz\n"
            assert admin(*data, "players").stdout == "Ada: person, sits in Room, 127.0.0.1\n"
            assert json.loads(admin(*data, "--json", "status").stdout)["players"] == 1
            assert "players: 1\n" in admin(*data, "status").stdout
            assert admin(*data, "bans").stdout == "none\n"
            assert admin(*data, "announce", "hej").stdout == "1 player heard it\n"
            assert admin(*data, "ban", "Ada").stdout == "Ada is not let in\nsent away: Ada\n"
            told = b""
            while data_ := sock.recv(4096):
                told += data_
            assert b"hej" in told
            assert m.ByeCode.BANNED.value.encode() in told
        for words in (["announce", "x" * 8192], ["close", "å" * 1400]):
            long = admin(*data, *words)
            assert (long.exit_code, long.stderr) == (
                Exit.WRONG_USE,
                "kille: the text is too long; write a shorter one\n",
            )
        refused = admin(*data, "kick", "\x1bAda", lang="sv")
        assert (refused.exit_code, refused.stdout) == (Exit.REFUSED, "")
        assert refused.stderr == "kille: det finns ingen spelare \ufffdAda; kille admin players visar alla\n"
        copy = str(tmp_path / "copy")
        assert (admin(*data, "backup", copy).exit_code, Path(copy).read_bytes()[:6]) == (Exit.DONE, b"SQLite")
        for file, says in (
            (copy, "is there already; choose another name"),
            (f"{tmp_path}/none/copy", "make it first"),
            (f"{copy}/copy", "make it first"),
            ("/dev/full", "is there already"),
        ):
            failed = admin(*data, "backup", file)
            assert (failed.exit_code, failed.stderr.count("\n")) == (Exit.REFUSED, 1)
            assert says in failed.stderr
        assert admin(*data, "drain").stdout == "done\n"
        process.communicate(timeout=20)
        assert process.returncode == 0


def test_tournaments_are_looked_after(tmp_path: Path) -> None:
    data = ("--data", str(tmp_path))
    file = tmp_path / "club.toml"

    def opened(text: str) -> Result:
        file.write_text(text, encoding="utf-8")
        return admin(*data, "tournament", "open", str(file))

    with running(*data):
        assert admin(*data, "tournaments").stdout == "none\n"
        several = '[[tournament]]\nname = "Torsdag"\nnumber = 2\ncomputers = 1\n[[tournament]]\nname = "Stegen"\n'
        assert opened(several + 'kind = "ladder"\ncomputers = 1').stdout == "done\ndone\n"
        assert admin(*data, "tournaments").stdout == (
            "Stegen: ladder, playing, 1 entrant\nTorsdag: Swiss, open, 1 entrant\n"
        )
        shown = admin(*data, "tournament", "standings", "torsdag")
        assert shown.stdout == "1. Movitz 0.00 (0 tables)\n"
        shown = admin(*data, "tournament", "standings", "Stegen")
        assert shown.stdout == "1. Movitz rating 25.00 ±16.33, at least 8.67 (0 tables)\n"
        for text, says, code in (
            ('name = "TORSDAG"', "a tournament TORSDAG goes on already", Exit.REFUSED),
            ('name = "A"\nstart = 2026-01-01T10:00:00', "the date on which A was to start has passed", Exit.WRONG_USE),
            ('name = "A"\nseats = 1', "seats is to be a whole number from 2 to 8", Exit.WRONG_USE),
            (several + 'start = "now"', "tournament[2].start is to be a time", Exit.WRONG_USE),
        ):
            failed = opened(text)
            assert (failed.exit_code, failed.stdout, failed.stderr.count("\n")) == (code, "", 1)
            assert says in failed.stderr
        assert admin(*data, "tournament", "begin", "Torsdag").stdout == "done\n"
        for words, says in (
            (("begin", "Torsdag"), "kille: it is too late for that: Torsdag has begun, or is over\n"),
            (("cancel", "A"), "kille: there is no tournament A; kille admin tournaments lists all\n"),
            (("drop", "A"), "kille: there is no player A; kille admin players lists all\n"),
        ):
            refused = admin(*data, "tournament", *words)
            assert (refused.exit_code, refused.stdout, refused.stderr) == (Exit.REFUSED, "", says)
        assert admin(*data, "tournament", "cancel", "Stegen").stdout == "done\n"
        assert "Torsdag: Swiss, cancelled (too few take part), 1 entrant\n" in admin(*data, "tournaments").stdout


@pytest.mark.parametrize("asked_by", [0, 50])
def test_a_second_server_in_the_same_folder_is_one_line_and_harms_nothing(asked_by: int, tmp_path: Path) -> None:
    with running("--data", str(tmp_path)) as (process, _, _):
        with ExitStack() as stack:
            if asked_by:  # more than it can take: it answers nobody, and runs all the same
                process.send_signal(signal.SIGSTOP)
            for _ in range(asked_by):
                sock = stack.enter_context(socket.socket(socket.AF_UNIX))
                sock.settimeout(0)
                with suppress(BlockingIOError):
                    sock.connect(str(tmp_path / SOCKET))
            result = CliRunner().invoke(main, ["--lang", "en", "serve", "--port", "0", "--data", str(tmp_path)])
            assert (tmp_path / SOCKET).exists()
        process.send_signal(signal.SIGCONT)
        assert admin("--data", str(tmp_path), "bans").stdout == "none\n"
    assert result.exit_code == Exit.WRONG_USE
    assert result.stderr == f"kille: another server uses {tmp_path}; stop it, or choose another folder with --data\n"


@pytest.mark.parametrize("words", [["rooms"], ["kick", "Ada"], ["backup", "x"]])
def test_without_a_server_it_says_so(tmp_path: Path, words: list[str]) -> None:
    result = admin("--data", str(tmp_path), *words)
    assert (result.exit_code, result.stdout) == (Exit.NO_SERVER, "")
    assert result.stderr == f"kille: no server runs with the folder {tmp_path}; choose its folder with --data\n"
