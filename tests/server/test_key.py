"""The key's file: made once, whole, for its owner alone, and what it gives."""

import os
import ssl
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from kille_net.server import key as keys
from kille_net.server.key import FILE, BadKeyFile, Key, KeyFault, open_key
from kille_net.wire.fingerprint import fingerprint
from tests.tls import client_context


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_it_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "server"
    first = open_key(folder)
    assert open_key(folder).fingerprint == first.fingerprint
    assert [path.name for path in folder.iterdir()] == [FILE]
    assert (mode(folder.parent), mode(folder), mode(folder / FILE)) == (0o700, 0o700, 0o600)
    assert open_key(tmp_path / "other").fingerprint != first.fingerprint


def test_many_starts_at_once_have_one_key(tmp_path: Path) -> None:
    many = 8
    together = Barrier(many)

    def start(_: int) -> bytes:
        together.wait()
        return open_key(tmp_path / "data").fingerprint

    with ThreadPoolExecutor(many) as pool:
        assert len(set(pool.map(start, range(many)))) == 1
    assert [path.name for path in (tmp_path / "data").iterdir()] == [FILE]


def test_whoever_makes_it_second_takes_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pem = keys._new_pem

    def slowly() -> bytes:
        monkeypatch.setattr(keys, "_new_pem", pem)
        seen.append(open_key(tmp_path))  # another start, between our looking and our making
        return pem()

    seen: list[Key] = []
    monkeypatch.setattr(keys, "_new_pem", slowly)
    assert open_key(tmp_path).fingerprint == seen[0].fingerprint


def test_a_disk_that_fails_leaves_nothing_half_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        open_key(tmp_path)
    assert list(tmp_path.iterdir()) == []


def open_to_others(path: Path) -> None:
    path.chmod(0o640)


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:100])


def without_certificate(path: Path) -> None:
    path.write_bytes(path.read_bytes().partition(b"-----BEGIN CERTIFICATE")[0])


def with_the_certificate_of_another_key(path: Path) -> None:
    open_key(path.parent / "other")
    other = (path.parent / "other" / FILE).read_bytes()
    path.write_bytes(
        path.read_bytes().partition(b"-----BEGIN CERT")[0] + b"".join(other.partition(b"-----BEGIN CERT")[1:])
    )


def with_a_passphrase(path: Path) -> None:
    secret = serialization.load_pem_private_key(path.read_bytes(), None)
    path.write_bytes(
        secret.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(b"secret"),
        )
    )


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (open_to_others, KeyFault.OPEN_TO_OTHERS),
        (cut_short, KeyFault.BROKEN),
        (without_certificate, KeyFault.BROKEN),
        (with_the_certificate_of_another_key, KeyFault.BROKEN),
        (with_a_passphrase, KeyFault.BROKEN),
    ],
)
def test_a_bad_file_is_neither_used_nor_replaced(
    tmp_path: Path, spoil: Callable[[Path], None], fault: KeyFault
) -> None:
    open_key(tmp_path)
    path = tmp_path / FILE
    spoil(path)
    before = path.read_bytes()
    with pytest.raises(BadKeyFile) as caught:
        open_key(tmp_path)
    assert (caught.value.path, caught.value.fault) == (path, fault)
    assert path.read_bytes() == before


def shaken(server: ssl.SSLContext, client: ssl.SSLContext) -> ssl.SSLObject:
    """The client's end after the handshake."""
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [client.wrap_bio(back, there), server.wrap_bio(there, back, server_side=True)]
    for _ in range(4):
        for end in ends:
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue
    return ends[0]


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3, None])
def test_the_certificate_carries_the_key_in_every_version(tmp_path: Path, version: ssl.TLSVersion | None) -> None:
    ours = open_key(tmp_path)
    end = shaken(ours.context, client_context(version))
    assert end.version() == ("TLSv1.2" if version is ssl.TLSVersion.TLSv1_2 else "TLSv1.3")
    der = end.getpeercert(binary_form=True)
    assert der is not None
    public_key = x509.load_der_x509_certificate(der).public_key()
    form = (serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    assert fingerprint(public_key.public_bytes(*form)) == ours.fingerprint


def test_an_older_version_is_not_spoken(tmp_path: Path) -> None:
    assert open_key(tmp_path).context.minimum_version is ssl.TLSVersion.TLSv1_2
