"""Where a client keeps its ticket: one file, one client, nothing lost."""

import json
import os
import stat
import sys
from pathlib import Path

import pytest

from kille_net.client.net.tickets import Slot, names

TICKET = "0123456789abcdef" * 4
OTHER = "f" * 64


def slot(folder: Path | None, *, name: str = "Ada", port: int = 4747) -> Slot:
    return Slot(folder, "127.0.0.1", port, name)


def files(folder: Path, end: str) -> list[Path]:
    return sorted(folder.glob(f"*{end}"))


def test_a_ticket_outlives_its_client(tmp_path: Path) -> None:
    one = slot(tmp_path)
    assert one.ticket is None
    one.keep(TICKET)
    one.keep(OTHER)
    one.close()
    again = slot(tmp_path)
    assert (again.ticket, again.problem) == (OTHER, "")
    again.drop()
    again.close()
    assert slot(tmp_path).ticket is None


def test_each_server_and_name_has_its_own(tmp_path: Path) -> None:
    for k, (name, port) in enumerate([("Ada", 1), ("Bo", 1), ("Ada", 2)]):
        one = slot(tmp_path, name=name, port=port)
        assert one.ticket is None
        one.keep(f"{k}" * 64)
        one.close()
    assert slot(tmp_path, name="ada", port=1).ticket == "0" * 64, "names that are one to the server are one here"


def test_a_second_client_has_not_the_ticket_of_one_that_runs(tmp_path: Path) -> None:
    one = slot(tmp_path)
    one.keep(TICKET)
    second = slot(tmp_path)
    assert second.ticket is None
    second.keep(OTHER)  # in memory alone
    second.drop()
    second.close()
    one.close()
    assert slot(tmp_path).ticket == TICKET


@pytest.mark.skipif(sys.platform == "win32", reason="modes are of POSIX")
def test_the_names_of_a_server_come_newest_first_and_with_who_is_there(tmp_path: Path) -> None:
    def known(port: int = 4747) -> list[tuple[str, bool]]:
        return names(tmp_path, "127.0.0.1", port)

    assert known() == []
    for age, (name, port) in enumerate((("Di", 4748), ("Bo", 4747), ("Åke", 4747), ("Cy", 4747))):
        before = {*files(tmp_path, ".json")}
        one = slot(tmp_path, name=name, port=port)
        one.keep(TICKET)
        one.close()
        for path in {*files(tmp_path, ".json")} - before:
            os.utime(path, (age, age))
    (tmp_path / "broken.json").write_text("[")
    assert known() == [("Cy", True), ("Åke", True), ("Bo", True)]
    running = slot(tmp_path, name="Cy")
    assert known() == [("Cy", False), ("Åke", True), ("Bo", True)]
    assert known(4748) == [("Di", True)]
    running.close()


def test_nobody_else_may_read_it(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "tickets"
    one = slot(folder)
    one.keep(TICKET)
    assert {stat.S_IMODE(own.stat().st_mode) for own in (folder.parent, folder)} == {0o700}
    for path in folder.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert files(folder, ".part") == []


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"ticket": 7}', '{"ticket": "x"}', json.dumps({"ticket": TICKET[1:]})]
)
def test_a_broken_file_is_told_and_put_aside(tmp_path: Path, text: str) -> None:
    one = slot(tmp_path)
    one.keep(TICKET)
    one.close()
    (path,) = files(tmp_path, ".json")
    path.write_text(text)
    again = slot(tmp_path)
    assert again.ticket is None
    assert again.is_broken
    (aside,) = files(tmp_path, ".broken")
    assert again.problem == str(aside)
    assert aside.read_text() == text
    again.keep(OTHER)
    again.close()
    assert slot(tmp_path).ticket == OTHER


def test_where_none_can_be_written_the_client_goes_on_without(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    one = slot(tmp_path / "file" / "tickets")
    assert one.problem
    assert not one.is_broken
    one.keep(TICKET)
    assert one.ticket == TICKET


def test_an_unfinished_file_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = slot(tmp_path)
    one.keep(TICKET)

    def full(_file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    one.keep(OTHER)
    assert one.problem == "No space left on device"
    assert one.ticket == OTHER
    one.close()
    assert slot(tmp_path).ticket == TICKET


def test_no_ticket_is_shown(tmp_path: Path) -> None:
    one = slot(tmp_path)
    one.keep(TICKET)
    assert TICKET not in repr(one)
