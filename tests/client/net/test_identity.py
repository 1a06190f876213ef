"""Who a user is, carried in a file: all of it arrives, and nothing that is there is lost or overwritten."""

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from kille_net.client.net.identity import BadIdentity, Carried, Fault, export_identity, import_identity
from kille_net.client.net.tickets import BOTS_FOLDER, FOLDER, Slot
from kille_net.client.net.trust import FILE, BadKnownServers, Trust

PLACES = [(FOLDER, "10.0.0.7", "Ada"), (FOLDER, "kille.example", "Åke"), (BOTS_FOLDER, "::1", "easy")]


def keep(folder: Path, below: str, host: str, name: str, ticket: str) -> None:
    slot = Slot(folder / below, host, 4747, name)
    slot.keep(ticket)
    slot.close()


def ticket(folder: Path, below: str, host: str, name: str) -> str | None:
    slot = Slot(folder / below, host, 4747, name)
    slot.close()
    return slot.ticket


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A data folder with three tickets and two servers."""
    folder = tmp_path / "home"
    for k, place in enumerate(PLACES):
        keep(folder, *place, f"{k}" * 64)
    trust = Trust(file=folder / FILE)
    trust.keep("10.0.0.7:4747", b"o" * 32)
    trust.keep("10.0.0.7:4747", b"a" * 32)  # the last one counts
    trust.keep("[fd00::1]:4747", b"b" * 32)
    return folder


def content(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock"}


def test_all_of_it_arrives_and_a_second_time_nothing_is_new(home: Path, tmp_path: Path) -> None:
    file, other = tmp_path / "me.json", tmp_path / "other"
    assert export_identity(home, file) == Carried(3, 2)
    assert import_identity(file, other, replace=False) == Carried(3, 2)
    assert [ticket(other, *place) for place in PLACES] == ["0" * 64, "1" * 64, "2" * 64]
    assert Trust(file=other / FILE).all_known() == {"10.0.0.7:4747": b"a" * 32, "[fd00::1]:4747": b"b" * 32}
    before = content(other)
    assert import_identity(file, other, replace=False) == Carried(0, 0)
    assert content(other) == before


@pytest.mark.skipif(sys.platform == "win32", reason="modes are of POSIX")
def test_nobody_else_may_read_it(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "me.json"
    before = os.umask(0)
    try:
        export_identity(home, file)
        import_identity(file, tmp_path / "other", replace=False)
    finally:
        os.umask(before)
    for path in (file, *(path for path in (tmp_path / "other").rglob("*") if path.is_file())):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


def test_it_overwrites_no_file(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "me.json"
    file.write_text("mine")
    with pytest.raises(FileExistsError):
        export_identity(home, file)
    assert file.read_text() == "mine"


def test_nothing_is_not_carried(tmp_path: Path) -> None:
    with pytest.raises(BadIdentity) as caught:
        export_identity(tmp_path / "nowhere", tmp_path / "me.json")
    assert caught.value.fault is Fault.NOTHING
    assert not (tmp_path / "me.json").exists()


def test_unreadable_tickets_are_left_out_and_unreadable_servers_are_an_error(home: Path, tmp_path: Path) -> None:
    for k, text in enumerate(("", "[]", '{"ticket": 1}', "[" * 100_000)):
        (home / FOLDER / f"{k}.json").write_text(text)
    assert export_identity(home, tmp_path / "me.json") == Carried(3, 2)
    (home / FILE).write_text("host:1 abc\n")
    with pytest.raises(BadKnownServers):
        export_identity(home, tmp_path / "me2.json")


class TestWhereThereIsAnother:
    @pytest.mark.parametrize("what", ["ticket", "key"])
    def test_nothing_changes_unless_it_is_to_be_replaced(self, home: Path, tmp_path: Path, what: str) -> None:
        file, other = tmp_path / "me.json", tmp_path / "other"
        export_identity(home, file)
        if what == "ticket":
            keep(other, *PLACES[2], "f" * 64)
        else:
            Trust(file=other / FILE).keep("10.0.0.7:4747", b"z" * 32)
        before = content(other)
        with pytest.raises(BadIdentity) as caught:
            import_identity(file, other, replace=False)
        assert caught.value.fault is Fault.DIFFERS
        assert caught.value.about == ("easy @ ::1:4747" if what == "ticket" else "10.0.0.7:4747")
        assert content(other) == before
        assert import_identity(file, other, replace=True) == Carried(3, 2)
        assert ticket(other, *PLACES[2]) == "2" * 64
        assert Trust(file=other / FILE).all_known()["10.0.0.7:4747"] == b"a" * 32

    def test_nothing_changes_under_a_client_that_runs(self, home: Path, tmp_path: Path) -> None:
        file, other = tmp_path / "me.json", tmp_path / "other"
        export_identity(home, file)
        running = Slot(other / FOLDER, "10.0.0.7", 4747, "Ada")
        with pytest.raises(BadIdentity) as caught:
            import_identity(file, other, replace=True)
        assert (caught.value.fault, caught.value.about) == (Fault.IN_USE, "Ada @ 10.0.0.7:4747")
        assert content(other) == {}
        running.close()


GOOD: dict[str, Any] = {
    "kille_identity": 1,
    "tickets": [{"server": "h:1", "name": "Ada", "ticket": "a" * 64}],
    "servers": [{"address": "h:1", "key": "b" * 64}],
}
TICKET, SERVER = GOOD["tickets"][0], GOOD["servers"][0]
FOREIGN: dict[str, object] = {
    "no object": [],
    "another's": {"hello": 1},
    "a version that is none": GOOD | {"kille_identity": "1"},
    "no tickets": {"kille_identity": 1, "servers": []},
    "a ticket that is none": GOOD | {"tickets": [TICKET | {"ticket": "A" * 64}]},
    "a ticket with a line after it": GOOD | {"tickets": [TICKET | {"ticket": "a" * 64 + "\n"}]},
    "a name that is a path": GOOD | {"tickets": [TICKET | {"name": "../../../x"}]},
    "a name with a control": GOOD | {"tickets": [TICKET | {"name": "A\x1bda"}]},
    "a name of half a character": GOOD | {"tickets": [TICKET | {"name": "\ud800"}]},
    "a server with a control": GOOD | {"tickets": [TICKET | {"server": "h\x1b[2J:1"}]},
    "a server without a port": GOOD | {"tickets": [TICKET | {"server": "h"}]},
    "a port that is none": GOOD | {"tickets": [TICKET | {"server": "h:٣"}]},
    "a port that is too high": GOOD | {"servers": [SERVER | {"address": "h:65536"}]},
    "an address with a second line": GOOD | {"servers": [SERVER | {"address": "h\nx:1"}]},
    "an address that is a remark": GOOD | {"servers": [SERVER | {"address": "#h:1"}]},
    "an address that is not as we write it": GOOD | {"servers": [SERVER | {"address": "H:1"}]},
    "a key that is none": GOOD | {"servers": [SERVER | {"key": "b"}]},
    "too many": GOOD | {"servers": [SERVER] * 10_001},
}


@pytest.mark.parametrize("case", FOREIGN)
def test_what_is_not_ours_changes_nothing(tmp_path: Path, case: str) -> None:
    file, other = tmp_path / "me.json", tmp_path / "other"
    file.write_text(json.dumps(GOOD))
    assert import_identity(file, tmp_path / "good", replace=False) == Carried(1, 1)
    file.write_text(json.dumps(FOREIGN[case]))
    with pytest.raises(BadIdentity) as caught:
        import_identity(file, other, replace=True)
    assert caught.value.fault is Fault.FOREIGN
    assert not other.exists()


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", Fault.FOREIGN),
        (b"\xff\xfe", Fault.FOREIGN),
        (b"[" * 1_000_000, Fault.FOREIGN),
        (b'{"kille_identity":1,"x":' + b"[" * 1_000_000, Fault.FOREIGN),
        (b" " * (5 << 20), Fault.TOO_BIG),
        (b'{"kille_identity": 2, "whatever": []}', Fault.NEWER),
    ],
)
def test_broken_huge_and_newer_files_are_refused(tmp_path: Path, data: bytes, fault: Fault) -> None:
    (tmp_path / "me.json").write_bytes(data)
    with pytest.raises(BadIdentity) as caught:
        import_identity(tmp_path / "me.json", tmp_path / "other", replace=True)
    assert caught.value.fault is fault
    assert not (tmp_path / "other").exists()


def test_what_is_written_stays_in_its_folders(tmp_path: Path) -> None:
    """Whatever a host is called: the name of a file is never one of theirs."""
    hosts = ["../../up", "/abs", "a/../../b", "C:\\x", "~", ".."]
    tickets = [{"server": f"{host}:1", "name": "Ada", "ticket": "a" * 64} for host in hosts]
    (tmp_path / "me.json").write_text(json.dumps(GOOD | {"tickets": tickets}))
    import_identity(tmp_path / "me.json", tmp_path / "other", replace=False)
    written = {path.relative_to(tmp_path).parent for path in tmp_path.rglob("*") if path.is_file()}
    assert written == {Path(), Path("other"), Path("other", FOLDER)}
