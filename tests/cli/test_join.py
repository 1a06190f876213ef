"""`kille join`: where it goes, under what name, and what it says when nobody is there."""

import getpass
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kille_net.cli import main
from kille_net.cli.exit_codes import Exit
from kille_net.client import run as client
from kille_net.client.invitation import TYPED, Invitation
from kille_net.client.net.recent import FILE as RECENT
from kille_net.client.net.recent import recall
from kille_net.client.net.tickets import FOLDER, Slot
from kille_net.client.net.trust import FILE, Privacy, Trust
from kille_net.wire.messages import Format, Length, Quick
from tests.serving import kille as kille_process
from tests.serving import serving


@pytest.fixture
def invited(monkeypatch: pytest.MonkeyPatch) -> list[Invitation]:
    """What the client was started with; it ends with code 3."""
    seen: list[Invitation] = []

    def run(invitation: Invitation) -> int:
        seen.append(invitation)
        return 3

    monkeypatch.setattr(client, "run", run)
    return seen


def kille(*arguments: str, **env: str) -> Result:
    return CliRunner(env={"LANG": "C.UTF-8", "LC_ALL": "", "LANGUAGE": "", **env}).invoke(main, list(arguments))


def test_a_server_that_let_one_in_is_remembered_as_the_last(tmp_path: Path) -> None:
    def join(port: int) -> None:
        kille_process("--data", str(tmp_path), "join", "--plain", "--name", "Bo", f"127.0.0.1:{port}")

    join(1)
    assert recall(tmp_path / RECENT) is None, "nobody was there"
    with serving() as port:
        join(port)
        assert recall(tmp_path / RECENT) == ("127.0.0.1", port)


@pytest.mark.parametrize(
    ("server", "host", "port"),
    [
        ("kille.example", "kille.example", 4747),
        ("kille.example:5000", "kille.example", 5000),
        ("192.0.2.7", "192.0.2.7", 4747),
        ("[::1]:4748", "::1", 4748),
        ("::1", "::1", 4747),
        ("fe80::1%eth0", "fe80::1%eth0", 4747),
        ("[fe80::1%eth0]:4748", "fe80::1%eth0", 4748),
    ],
)
def test_where_it_goes(invited: list[Invitation], server: str, host: str, port: int) -> None:
    result = kille("join", server, "--name", "Bo")
    assert result.exit_code == Exit.NO_SERVER
    assert (invited[0].host, invited[0].port, invited[0].name) == (host, port, "Bo")


def test_options_reach_the_client(invited: list[Invitation]) -> None:
    kille(
        "--lang", "sv", "join", "h", "--name", "A\N{COMBINING RING ABOVE}sa", "--room", "Bordet", "--watch", "--plain"
    )
    assert invited == [
        Invitation(
            host="h",
            port=4747,
            name="Åsa",
            room="Bordet",
            watch=True,
            plain=True,
            lang="sv",
            trust=Trust(file=Path(os.environ["KILLE_DATA"], FILE)),
            returns=True,
            tickets=Path(os.environ["KILLE_DATA"], FOLDER),
            typed=Path(os.environ["KILLE_DATA"], TYPED),
            recent=Path(os.environ["KILLE_DATA"], RECENT),
        ),
    ]
    kille("join", "h", KILLE_JOIN_NAME="Bo", KILLE_JOIN_ROOM="B")
    assert (invited[1].name, invited[1].room) == ("Bo", "B")


def test_a_quick_match_is_asked_for_with_what_is_wished(invited: list[Invitation]) -> None:
    kille("join", "h", "--quick")
    kille("join", "h", "--quick", "--seats", "3", "--format", "sticks", "--length", "short")
    assert [one.quick for one in invited] == [
        Quick(id=0, seats=None, format=None, length=None),
        Quick(id=0, seats=3, format=Format.STICKS, length=Length.SHORT),
    ]


def test_what_the_user_says_of_trust_reaches_the_client(invited: list[Invitation], tmp_path: Path) -> None:
    kille("--data", str(tmp_path), "join", "h", "--trust", "--insecure-plaintext")
    kille("join", "h", "--tls", KILLE_DATA=str(tmp_path))
    file = tmp_path / FILE
    assert [one.trust for one in invited] == [
        Trust(file=file, privacy=Privacy.PLAIN, takes_changed=True),
        Trust(file=file, privacy=Privacy.TLS),
    ]
    assert [one.tickets for one in invited] == [tmp_path / FOLDER] * 2  # in the same folder


@pytest.mark.parametrize(
    ("user", "name"),
    [("bo", "bo"), ("bo.ek@work", "boekwork"), ("x" * 40, "x" * 16), ("...", "Spelare"), ("åsa ek", "åsaek")],
)
def test_without_a_name_it_is_the_users(
    invited: list[Invitation], monkeypatch: pytest.MonkeyPatch, user: str, name: str
) -> None:
    monkeypatch.setattr(getpass, "getuser", lambda: user)
    kille("join", "h")
    assert invited[0].name == name


def test_without_a_name_it_is_the_one_that_has_a_ticket_there(invited: list[Invitation], tmp_path: Path) -> None:
    def joined(*options: str, host: str = "h") -> str:
        kille("--data", str(tmp_path), "join", host, *options)
        return invited[-1].name

    user = joined()
    slot = Slot(tmp_path / FOLDER, "h", 4747, "Åke")
    slot.keep("0" * 64)
    assert joined() == user, "somebody plays there under that name"
    slot.close()
    assert joined() == "Åke"
    assert joined(host="i") == user
    assert joined("--name", "Bo") == "Bo"


@pytest.mark.parametrize("error", [KeyError("uid"), OSError("no user")])
def test_a_user_without_a_name_plays_too(
    invited: list[Invitation], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def nobody() -> str:
        raise error

    monkeypatch.setattr(getpass, "getuser", nobody)
    kille("join", "h")
    assert invited[0].name == "Spelare"


@pytest.mark.parametrize(
    "arguments",
    [
        ("h", "--name", "<b>"),
        ("h", "--name", ""),
        ("h", "--name", "x" * 17),
        ("h:0",),
        ("h:70000",),
        ("[::1",),
        ("h", "--nonsense"),
        ("h", "--tls", "--insecure-plaintext"),
        ("h", "i"),
        ("h", "--quick", "--room", "Bordet"),
        ("h", "--quick", "--watch"),
        ("h", "--quick", "--seats", "9"),
        ("h", "--seats", "3"),
        ("h", "--length", "short"),
    ],
)
def test_wrong_use_is_one_line(invited: list[Invitation], arguments: tuple[str, ...]) -> None:
    result = kille("join", *arguments)
    assert result.exit_code == Exit.WRONG_USE
    assert result.stdout == ""
    assert result.stderr.startswith("kille: ")
    assert result.stderr.count("\n") == 1
    assert invited == []


def test_nobody_there_is_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    code = client.run(Invitation(host="127.0.0.1", port=1, name="Bo", plain=True, lang="en"))
    out, err = capfd.readouterr()
    assert code == Exit.NO_SERVER
    assert out == ""
    assert err == "kille: No server answers at 127.0.0.1:1. Is the address right, and is the server running?\n"


def test_help_says_how_to_leave_a_terminal_that_looks_odd() -> None:
    result = kille("join", "--help")
    assert result.exit_code == 0
    assert "reset" in result.output
