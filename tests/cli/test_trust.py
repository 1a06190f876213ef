"""A server's key from `kille serve` to those who join it, as programs: shown, kept, and refused when it has changed."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kille_net.cli.exit_codes import Exit
from tests.catalogue.rows import row
from tests.serving import KILLE

BOT = ("bot", "run", "easy", "--matches", "1", "--length", "short", "--computers", "3")
PERSON = ("join", "--plain", "--name", "Ada")


@contextmanager
def server(data: Path, port: int = 0, *options: str) -> Iterator[tuple[int, str]]:
    """Its port, and the words of its key."""
    command = [
        *KILLE,
        "--lang",
        "en",
        "serve",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--data",
        str(data),
        *options,
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address, key = process.stdout.readline().split()[-1], process.stdout.readline().strip()
            yield int(address.rpartition(":")[2]), key.removeprefix("key: ")
        finally:
            process.terminate()


def kille(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [*KILLE, "--data", str(data), "--lang", "en", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)


@row(41)
@pytest.mark.parametrize("who", [PERSON, BOT], ids=["person", "bot"])
def test_the_words_are_the_same_at_both_ends_and_another_key_is_refused(tmp_path: Path, who: tuple[str, ...]) -> None:
    mine = tmp_path / "mine"
    with server(tmp_path / "one") as (port, words):
        here = f"127.0.0.1:{port}"
        first = kille(mine, *who, "--tls", here)
        assert first.returncode == 0, first.stderr
        assert f"{here} for the first time. Its key: {words}." in first.stdout + first.stderr
        again = kille(mine, *who, here)  # what was met in TLS stays in TLS
        assert again.returncode == 0, again.stderr
        assert words not in again.stdout + again.stderr
        plain = kille(mine, *who, "--insecure-plaintext", here)
        assert plain.returncode == Exit.REFUSED
        assert "was encrypted before" in plain.stderr
    with server(tmp_path / "other", port) as (_, others):
        assert others != words
        refused = kille(mine, *who, here)
        assert refused.returncode == Exit.REFUSED
        assert refused.stdout == ""
        assert refused.stderr.count("\n") == 1
        assert words in refused.stderr
        assert others in refused.stderr
        assert kille(mine, *who, "--trust", here).returncode == 0
        assert kille(mine, *who, here).returncode == 0


def test_many_bots_meet_a_key_once(tmp_path: Path) -> None:
    with server(tmp_path / "one") as (port, words):
        done = kille(tmp_path / "mine", *BOT[:-2], "--count", "4", "--tls", f"127.0.0.1:{port}")
    assert done.returncode == 0
    assert done.stderr.count(words) == 1
    assert (tmp_path / "mine" / "known_servers").read_text().count("\n") == 1
