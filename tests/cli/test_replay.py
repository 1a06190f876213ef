"""`kille replay` in a pipe: what is printed, of whom, and how a bad record ends it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kille_net.cli import main
from kille_net.cli.exit_codes import Exit
from kille_net.client.replaying import Replay, load
from kille_net.game.record import to_json
from tests.game.playing import some_matches

TEXT = [to_json(line) for line in some_matches(2)[0]]
REPLAY = load(TEXT)
"""Of four seats: Åsa and three bots."""


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return written(tmp_path, *TEXT)


def written(folder: Path, *lines: str) -> Path:
    path = folder / "match.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def replay(*words: object, lang: str = "en", text: str | None = None) -> Result:
    return CliRunner().invoke(main, ["--lang", lang, "replay", *map(str, words)], input=text)


def told(result: Result) -> list[str]:
    assert (result.exit_code, result.stderr) == (Exit.DONE, "")
    return result.stdout.splitlines()


@pytest.mark.parametrize("lang", ["sv", "en"])
def test_the_whole_match_event_by_event(record: Path, lang: str) -> None:
    lines = told(replay(record, lang=lang))
    assert lines == list(REPLAY.story(None, lang))
    assert sum(line.startswith(("Hand ", "Giv ")) for line in lines) == REPLAY.hands
    assert any("wins the match" in line or "vinner matchen" in line for line in lines)


def test_from_a_seat_by_its_number_or_its_name(record: Path) -> None:
    assert told(replay(record, "--seat", 1)) == list(REPLAY.story(0, "en"))
    assert told(replay(record, "--seat", "åsa", "--plain")) == list(REPLAY.story(0, "en"))
    assert told(replay(record, "--seat", "Bot 2")) == list(REPLAY.story(2, "en"))


def test_one_hand(record: Path) -> None:
    assert told(replay(record, "--at", 3, "--seat", 2)) == list(REPLAY.story(1, "en", 3))
    pasted = told(replay(record, "--at", 3, "--text"))
    assert pasted == REPLAY.pasted(None, "en", 3)
    assert pasted[1].startswith("Hand 3, ")
    assert sum(line.startswith("Hand ") for line in told(replay(record, "--text"))) == REPLAY.hands


@pytest.mark.parametrize("lang", ["sv", "en"])
@pytest.mark.parametrize(
    "words",
    [
        ("--at", REPLAY.hands + 1),
        ("--at", 0),
        ("--match", 2),
        ("--seat", 5),
        ("--seat", 0),
        ("--seat", "Nobody\x1b[2J"),
        ("--seat", "9" * 5000),
        ("--speed", 0),
    ],
)
def test_what_is_not_there_is_wrong_use(record: Path, words: tuple[object, ...], lang: str) -> None:
    result = replay(record, *words, lang=lang)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (Exit.WRONG_USE, "", 1)
    assert result.stderr.rstrip("\n").isprintable()


def test_standard_input_and_one_of_several() -> None:
    other = [to_json(line) for line in some_matches(4)[0]]
    both = "\n".join([*other, *TEXT])
    assert told(replay("-", text="\n".join(TEXT))) == list(REPLAY.story(None, "en"))
    second = told(replay("-", "--match", 2, text=both))
    assert "Match 2 of 2 in the file; --match chooses." in second
    assert second[4:] == list(REPLAY.story(None, "en"))[3:]


def test_a_bad_record_ends_with_one_line_that_names_its_line(tmp_path: Path) -> None:
    at = next(k for k, line in enumerate(TEXT) if '"hand"' in line)
    hand = json.loads(TEXT[at])
    for bad, why in (
        ("no JSON", "not a line of JSON"),
        (json.dumps({**hand, "lost": [0, 1, 2, 3]}), '"lost" must be '),
        (json.dumps({**hand, "actions": [{"seat": 9, "do": "swap"}]}), "action 1: "),
        (json.dumps({**hand, "\x1b[2J": 1, "type": "\x1b[2J"}), 'a line whose "type" is none of'),
    ):
        path = written(tmp_path, *TEXT[:at], bad, *TEXT[at + 1 :])
        for words in ((), ("--at", "1"), ("--text",)):
            result = replay(path, *words)
            assert (result.exit_code, result.stdout) == (Exit.DOES_NOT_HOLD, "")
            assert f", line {at + 1}: {why}" in result.stderr
            assert result.stderr.count("\n") == 1
            assert result.stderr.rstrip("\n").isprintable()
    assert replay(written(tmp_path, *TEXT[:-1])).exit_code == Exit.DOES_NOT_HOLD
    assert replay(written(tmp_path, "")).exit_code == Exit.DOES_NOT_HOLD


def test_a_record_whose_packs_follow_from_nothing_is_shown(tmp_path: Path) -> None:
    first = {**json.loads(TEXT[0]), "shuffle": {"kind": "by hand"}}
    assert told(replay(written(tmp_path, json.dumps(first), *TEXT[1:]))) == list(REPLAY.story(None, "en"))


def test_what_cannot_be_read_is_wrong_use(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        result = replay(path)
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (Exit.WRONG_USE, "", 1)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="a file that opens and cannot be read")
def test_a_file_that_cannot_be_read() -> None:
    result = replay("/proc/self/mem")
    assert (result.exit_code, result.stdout) == (Exit.WRONG_USE, "")
    assert result.stderr.startswith("kille: cannot read /proc/self/mem: ")


def test_names_that_the_locale_cannot_write_are_utf8_in_a_pipe(record: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-X", "utf8=0", "-c", "from kille_net.cli import main; main()", "replay", str(record)],
        env={**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii:strict", "PYTHONCOERCECLOCALE": "0"},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (Exit.DONE, b"")
    assert ran.stdout.decode().splitlines() == list(REPLAY.story(None, "en"))


def test_the_replay_of_the_tests_is_worth_looking_at() -> None:
    assert isinstance(REPLAY, Replay)
    assert len(REPLAY.names) == 4
    assert REPLAY.hands > 5
