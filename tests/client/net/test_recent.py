"""The server that was joined last is remembered."""

import stat
from pathlib import Path

import pytest

from kille_net.client.net.recent import recall, remember


@pytest.mark.parametrize("place", [("kille.example", 4747), ("192.0.2.7", 1), ("fe80::1%eth0", 65535), ("::1", 80)])
def test_what_was_remembered_is_recalled(place: tuple[str, int], tmp_path: Path) -> None:
    file = tmp_path / "new" / "last_server"
    remember(file, "other", 5)
    remember(file, *place)
    assert recall(file) == place
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize(
    "text", [b"", b"\n", b"host", b"host:", b":1", b"host:0", b"host:65536", b"a\x1bb:1", b"\xff:1", b"h:" + b"9" * 900]
)
def test_what_cannot_be_read_is_nothing(text: bytes, tmp_path: Path) -> None:
    file = tmp_path / "last_server"
    assert recall(file) is None
    file.write_bytes(text)
    assert recall(file) is None
    assert recall(tmp_path) is None
