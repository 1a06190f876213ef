"""The file of known servers, and what is spoken with whom."""

import os
import stat
from pathlib import Path
from random import Random

import pytest

from kille_net.client.endings import distrusted
from kille_net.client.net.trust import BadKnownServers, Distrust, KeyChanged, NotEncrypted, Privacy, Trust, address_of
from kille_net.wire.fingerprint import words
from tests.catalogue.rows import row
from tests.deep import size

ONE, OTHER = bytes(range(32)), bytes(range(1, 33))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "known_servers"


def test_a_key_is_kept_at_the_first_meeting_for_the_user_alone(file: Path) -> None:
    trust = Trust(file=file)
    assert trust.known("h", 1) is None
    assert trust.check("h", 1, ONE), "new"
    assert not trust.check("h", 1, ONE)
    assert Trust(file=file).known("h", 1) == ONE
    assert file.read_text() == f"h:1 {ONE.hex()}\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


@row(41)
def test_another_key_is_refused_until_the_user_takes_it(file: Path) -> None:
    trust = Trust(file=file)
    trust.check("h", 1, ONE)
    for _ in range(2):
        with pytest.raises(KeyChanged) as changed:
            trust.check("h", 1, OTHER)
        assert (changed.value.address, changed.value.old, changed.value.new) == ("h:1", ONE, OTHER)
    assert Trust(file=file, takes_changed=True).check("h", 1, OTHER)
    assert not trust.check("h", 1, OTHER)
    with pytest.raises(KeyChanged):
        trust.check("h", 1, ONE)


@row(41)
def test_any_other_key_is_another(file: Path) -> None:
    """Also one of which a single bit is another."""
    trust, chance = Trust(file=file), Random(41)
    trust.check("h", 1, ONE)
    for number in range(size(256, 100_000)):
        bits = int.from_bytes(ONE, "big") ^ (1 << number if number < 256 else chance.randrange(1, 2**256))
        with pytest.raises(KeyChanged):
            trust.check("h", 1, bits.to_bytes(32, "big"))
    assert not trust.check("h", 1, ONE)


def test_servers_are_told_apart_by_host_and_port(file: Path) -> None:
    trust = Trust(file=file)
    assert trust.check("h", 1, ONE)
    assert trust.check("h", 2, OTHER)
    assert trust.check("g", 1, OTHER)
    assert trust.known("h", 1) == ONE


@pytest.mark.parametrize(
    ("host", "same"),
    [("Kille.Example", "kille.example."), ("::1", "0:0:0:0:0:0:0:1"), ("FE80::1%eth0", "fe80::1%eth0")],
)
def test_one_host_is_one_however_it_is_written(file: Path, host: str, same: str) -> None:
    Trust(file=file).check(host, 4747, ONE)
    assert Trust(file=file).known(same, 4747) == ONE
    assert address_of("::1", 5) == "[::1]:5"


@pytest.mark.parametrize(
    "line", ["h:1", f"h:1 {ONE.hex()[:-2]}", f"h:1 {ONE.hex()}0", "g:1 xy", f"h:1  zz{ONE.hex()}", "\udcff"]
)
def test_a_damaged_file_forgets_nobody_in_silence(file: Path, line: str) -> None:
    trust = Trust(file=file)
    trust.check("h", 1, ONE)
    with file.open("ab") as stream:
        stream.write(line.encode("utf-8", "surrogateescape") + b"\n")
    for known in (lambda: trust.known("other", 9), lambda: trust.check("h", 1, OTHER)):
        with pytest.raises(BadKnownServers, match="h") as bad:
            known()
        assert (bad.value.path, bad.value.why) == (file, "line 2")


def test_comments_and_empty_lines_are_passed_over(file: Path) -> None:
    file.parent.mkdir()
    file.write_text(f"# mine\n\nh:1 {ONE.hex()}\n")
    assert Trust(file=file).known("h", 1) == ONE


@pytest.mark.skipif(os.geteuid() == 0 and not Path("/dev/full").exists(), reason="root writes everywhere")
def test_a_file_that_cannot_be_used_is_an_error_and_no_first_meeting(tmp_path: Path) -> None:
    with pytest.raises(BadKnownServers):
        Trust(file=tmp_path).known("h", 1)
    (tmp_path / "file").write_text("")
    with pytest.raises(BadKnownServers):
        Trust(file=tmp_path / "file" / "known_servers").check("h", 1, ONE)


@pytest.mark.parametrize(
    ("host", "privacy", "is_known", "expected"),
    [
        ("127.0.0.1", Privacy.AS_FAR, False, False),
        ("localhost", Privacy.AS_FAR, False, False),
        ("::1", Privacy.AS_FAR, False, False),
        ("127.0.0.1", Privacy.AS_FAR, True, True),
        ("127.0.0.1", Privacy.TLS, False, True),
        ("192.0.2.7", Privacy.AS_FAR, False, True),
        ("kille.example", Privacy.AS_FAR, False, True),
        ("127.0.0.1.example", Privacy.AS_FAR, False, True),
        ("192.0.2.7", Privacy.PLAIN, False, False),
    ],
)
def test_what_is_spoken_with_whom(file: Path, host: str, privacy: Privacy, is_known: bool, expected: bool) -> None:  # noqa: FBT001  pytest hands it over by name
    if is_known:
        Trust(file=file).check(host, 1, ONE)
    assert Trust(file=file, privacy=privacy).wants_tls(host, 1) is expected


@row(41)
@pytest.mark.parametrize("host", ["127.0.0.1", "192.0.2.7"])
def test_plain_text_does_not_follow_on_tls(file: Path, host: str) -> None:
    Trust(file=file).check(host, 1, ONE)
    with pytest.raises(NotEncrypted) as refused:
        Trust(file=file, privacy=Privacy.PLAIN).wants_tls(host, 1)
    assert refused.value.is_known
    assert not Trust(file=file, privacy=Privacy.PLAIN, takes_changed=True).wants_tls(host, 1)


@row(41)
@pytest.mark.parametrize("lang", ["sv", "en"])
@pytest.mark.parametrize(
    ("distrust", "says"),
    [
        (KeyChanged("h:1", old=ONE, new=OTHER), [words(ONE), words(OTHER), "h:1", "--trust"]),
        (NotEncrypted("h:1", is_known=True), ["h:1", "--trust --insecure-plaintext"]),
        (NotEncrypted("h:1", is_known=False), ["h:1", "--insecure-plaintext"]),
        (BadKnownServers("h:1", Path("/x\x1b"), "line 2"), ["/x\N{REPLACEMENT CHARACTER}", "line 2"]),
    ],
)
def test_the_user_is_told_in_one_line_and_code_4(distrust: Distrust, says: list[str], lang: str) -> None:
    how = distrusted(distrust, lang)
    assert how.code == 4
    assert how.text.isprintable()
    assert [one for one in says if one not in how.text] == []


def test_a_changed_key_is_taken_the_first_time_only(file: Path) -> None:
    Trust(file=file).check("h", 1, ONE)
    trust = Trust(file=file, takes_changed=True)
    assert trust.check("h", 1, OTHER)
    with pytest.raises(KeyChanged):
        trust.once_met().check("h", 1, ONE)
    plain = Trust(file=file, privacy=Privacy.PLAIN, takes_changed=True)
    assert not plain.once_met().wants_tls("h", 1), "what was plain text at first can't be told from another"
