"""Typed lines are there another evening: private, bounded, and without passwords."""

import os
import stat
from pathlib import Path

import pytest
from prompt_toolkit.history import History

from kille_net.client.terminal.typed import typed_lines


def lines(history: History) -> list[str]:
    """The oldest first."""
    return [*history.load_history_strings()][::-1]


def test_what_was_typed_is_there_another_time_and_only_for_its_owner(tmp_path: Path) -> None:
    file = tmp_path / "kille" / "typed"
    history = typed_lines(file)
    for line in ("join Krogen", "säg åh ”hej” 🙂"):
        history.append_string(line)
    assert lines(typed_lines(file)) == ["join Krogen", "säg åh ”hej” 🙂"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("line", ["join Krogen password=hemligt", "skapa Krogen LÖSENORD=hemligt platser=3"])
def test_no_password_is_kept(line: str, tmp_path: Path) -> None:
    for file in (tmp_path / "typed", None):
        history = typed_lines(file)
        history.append_string(line)
        history.append_string("rooms")
        assert history.get_strings() == ["rooms"]
    assert b"hemligt" not in (tmp_path / "typed").read_bytes()


def test_it_does_not_grow_without_end_and_keeps_the_last(tmp_path: Path) -> None:
    file = tmp_path / "typed"
    for evening in range(8):
        history = typed_lines(file)
        for number in range(300):
            history.append_string(f"say {evening} {number}")
    kept = lines(typed_lines(file))
    assert file.stat().st_size <= 64 * 1024
    assert kept[-1] == "say 7 299"
    assert all(line.startswith("say ") for line in kept)
    assert kept == sorted(kept, key=lambda line: [int(word) for word in line.split()[1:]])


def test_noise_in_the_file_breaks_nothing(tmp_path: Path) -> None:
    file = tmp_path / "typed"
    file.write_bytes(os.urandom(100_000))
    history = typed_lines(file)
    history.append_string("rooms")
    assert lines(typed_lines(file))[-1] == "rooms"


def test_where_nothing_can_be_kept_it_is_remembered(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    history = typed_lines(tmp_path / "file" / "typed")
    history.append_string("rooms")
    assert history.get_strings() == ["rooms"]


def test_a_disk_that_fills_ends_no_game(tmp_path: Path) -> None:
    history = typed_lines(tmp_path / "typed")
    (tmp_path / "typed").unlink()
    (tmp_path / "typed").mkdir()
    history.append_string("rooms")
    assert history.get_strings() == ["rooms"]
