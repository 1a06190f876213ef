"""The client in plain Python plays with the real server, and sees at every moment what the server says it should."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from examples.raw_client import FaultError, Table, public_key
from tests.examples.running import FAST, PATIENCE_S, RAW, ROOT, Programs, finish, line, winners

SESSIONS = ROOT / "protocol/v1/vectors/sessions"


def sessions(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((SESSIONS / name).read_text("utf-8"))
    return found


def heard(session: dict[str, Any]) -> list[dict[str, Any]]:
    """What a table hears in a session of the vectors."""
    told = [one["message"] for one in session["lines"] if one["from"] == "server" and "message" in one]
    return [message for message in told if "seq" in message]


def folded(session: dict[str, Any], messages: list[dict[str, Any]]) -> Table:
    names = [one["message"]["name"] for one in session["lines"] if one.get("message", {}).get("t") == "welcome"]
    table = Table(*names)
    for message in messages:
        table.hear(message)
    return table


@pytest.mark.parametrize(
    ("seats", "options"),
    [
        (2, "format=pots"),
        (3, "format=pots dealt_harlekin=low level=careful"),
        (8, "format=pots level=random"),
        (2, "format=sticks dealt_harlekin=low"),
        (5, "format=sticks level=sharp"),
    ],
)
def test_it_plays_whole_matches(server: list[str], programs: Programs, seats: int, options: str) -> None:
    name = f"R{seats} {'pots' if 'pots' in options else 'sticks'}"
    made = [f"seats={seats}", f"computers={seats - 1}", *options.split(), *FAST]
    lines = programs.run(*RAW, *server, "--name", name, "--room", name, "--matches", "3", *made)
    assert lines[-4] == f"{name} is in {name}"
    assert len(winners(lines)) == 3


def test_it_speaks_tls_with_the_key_that_it_was_given_and_no_other(
    server: list[str], pin: list[str], programs: Programs
) -> None:
    made = ["--room", "Sealed raw", "seats=3", "computers=2", *FAST]
    assert len(winners(programs.run(*RAW, *server, *pin, *made))) == 1
    refused = programs.start(*RAW, *server, "--pin", "0" * 64, *made)
    _, err = refused.communicate(timeout=PATIENCE_S)
    assert refused.returncode == 1
    assert err.decode() == f"cannot connect: the server has another key: {pin[1]}\n"


@pytest.mark.parametrize("kind", [ec.SECP256R1, ec.SECP521R1, ed25519.Ed25519PrivateKey, rsa.RSAPrivateKey])
def test_it_finds_the_key_in_any_certificate(kind: type) -> None:
    if kind is rsa.RSAPrivateKey:
        key: Any = rsa.generate_private_key(65_537, 2048)
    else:
        key = kind.generate() if kind is ed25519.Ed25519PrivateKey else ec.generate_private_key(kind())
    name = x509.Name([x509.NameAttribute(x509.NameOID.ORGANIZATION_NAME, "x" * 64)])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), 2**150, datetime(2020, 1, 1), datetime(9999, 1, 1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, None if kind is ed25519.Ed25519PrivateKey else hashes.SHA256())
    )
    form = (serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    assert public_key(certificate.public_bytes(serialization.Encoding.DER)) == key.public_key().public_bytes(*form)


@pytest.mark.parametrize("form", ["pots", "sticks"])
def test_two_play_at_one_table_and_a_third_looks_on(server: list[str], programs: Programs, form: str) -> None:
    room = f"Both {form}"
    here = [*RAW, *server, "--room", room, "--matches", "2"]
    # The match begins when the last seat is taken, so that the one who looks on sees all of it.
    maker = programs.start(*here, "--name", f"Ada {form}", "seats=4", "computers=2", f"format={form}", *FAST)
    line(maker, f"is in {room}")
    watcher = programs.start(*here, "--name", f"Cia {form}", "--watch")
    line(watcher, f"is in {room}")
    ends = programs.run(*here, "--name", f"Bo {form}")[-2:]
    assert len(winners(ends)) == 2
    assert finish(maker) == ends
    assert finish(watcher) == ends


@pytest.mark.parametrize("path", sorted(SESSIONS.glob("*.json")), ids=lambda path: path.stem)
def test_its_view_is_the_one_in_every_question_of_the_vectors(path: Path) -> None:
    for session in sessions(path.name):
        if messages := heard(session):
            assert folded(session, messages).differences == [], session["comment"]


def test_a_view_that_differs_is_reported() -> None:
    session = sessions("two_seats.json")[0]
    messages = heard(session)
    ask = next(message for message in messages if message["t"] == "ask")
    ask["view"]["asks"] += 1
    assert folded(session, messages).differences == [f"{ask['seq']}: asks is 0 here, 1 there"]


def test_a_gap_is_a_fault() -> None:
    session = sessions("two_seats.json")[0]
    messages = heard(session)
    del messages[3]
    with pytest.raises(FaultError) as fault:
        folded(session, messages)
    assert fault.value.args == ("unexpected", "seq")
