"""The server's key, made once and kept in its data folder, with the certificate that carries it (§2.4).

Owns that file and what TLS is offered. Refuses to know sockets and who connects.
"""

import datetime
import os
import ssl
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from kille_net.files import SETTINGS, read_file
from kille_net.systems import is_open_to_others, sync_folder
from kille_net.wire.fingerprint import fingerprint

__all__ = ["FILE", "BadKeyFile", "Key", "KeyFault", "open_key"]

FILE: Final = "tls.pem"
_NAME: Final = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "kille")])
_BEGIN: Final = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
_END: Final = datetime.datetime(9999, 12, 31, 23, 59, 59, tzinfo=datetime.UTC)
"""What RFC 5280 (4.1.2.5) writes for no end: the key is pinned, and the clocks of small machines are wrong."""


class KeyFault(Enum):
    OPEN_TO_OTHERS = "open_to_others"
    BROKEN = "broken"


class BadKeyFile(Exception):
    """The file is there and not to be used."""

    def __init__(self, path: Path, fault: KeyFault) -> None:
        super().__init__(f"{path}: {fault.value}")
        self.path = path
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Key:
    context: ssl.SSLContext
    fingerprint: bytes


def open_key(folder: Path) -> Key:
    """The key of this folder, made if it has none. Raises BadKeyFile and OSError."""
    for own in (folder.parent, folder):  # the mode is that of the last folder alone, whatever else is made
        own.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / FILE
    if not path.exists():
        _make(path)
    return _load(path)


def _make(path: Path) -> None:
    """Whole or not at all; where several make one at once, the first file is the one that stays."""
    descriptor, name = tempfile.mkstemp(prefix=".tls-", dir=path.parent)  # mode 0600
    try:
        with open(descriptor, "wb") as file:
            file.write(_new_pem())
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(name, path)
    finally:
        os.unlink(name)
    sync_folder(path.parent)


def _new_pem() -> bytes:
    """A key on P-256, the curve that every TLS library takes, and a certificate of its own for it."""
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = (
        x509.CertificateBuilder()
        .subject_name(_NAME)
        .issuer_name(_NAME)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(_BEGIN)
        .not_valid_after(_END)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return secret + certificate.public_bytes(serialization.Encoding.PEM)


def _load(path: Path) -> Key:
    if is_open_to_others(path.stat().st_mode):
        raise BadKeyFile(path, KeyFault.OPEN_TO_OTHERS)
    pem = read_file(path, SETTINGS)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # Nothing is resumed: a handshake costs half a millisecond, and a ticket would be another secret to keep.
    context.options |= ssl.OP_NO_TICKET | ssl.OP_NO_RENEGOTIATION
    context.num_tickets = 0
    try:
        public_key = serialization.load_pem_private_key(pem, None).public_key()
        context.load_cert_chain(path)
    except (ValueError, TypeError, UnsupportedAlgorithm, ssl.SSLError) as error:
        raise BadKeyFile(path, KeyFault.BROKEN) from error
    der = public_key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return Key(context, fingerprint(der))
