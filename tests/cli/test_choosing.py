"""`kille join` without an address: what is listed, what may be answered, and where that leads."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kille_net.cli import choosing, main
from kille_net.cli.exit_codes import Exit
from kille_net.client import run as client
from kille_net.client.invitation import Invitation
from kille_net.client.net import looking
from kille_net.client.net.recent import FILE, remember
from kille_net.client.net.servers import Sighting
from kille_net.client.net.trust import FILE as KNOWN
from kille_net.client.net.trust import Trust
from kille_net.wire.announcement import Announcement

KROGEN = Announcement(id="a" * 16, name="Krogen", versions=(1,), wants_password=False, in_tls=True)
SALEN = replace(KROGEN, id="b" * 16, name="Salen", wants_password=True)


@dataclass
class Network:
    """What is heard in each search, the last one for all that follow, and what the client is then started with."""

    heard: list[list[Sighting]] = field(default_factory=lambda: [[]])
    here: bool = False
    there_is_one: bool = True
    searches: int = 0
    invited: list[Invitation] = field(default_factory=list)
    dead: set[str] = field(default_factory=set)

    def look(self, _seconds: float, hear: Callable[[Sighting], None]) -> bool:
        for sighting in self.heard[min(self.searches, len(self.heard) - 1)]:
            hear(sighting)
        self.searches += 1
        return self.there_is_one

    def run(self, invitation: Invitation) -> int:
        self.invited.append(invitation)
        return Exit.NO_SERVER if invitation.host in self.dead else Exit.DONE

    @property
    def went_to(self) -> list[tuple[str, int]]:
        return [(one.host, one.port) for one in self.invited]


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Network:
    found = Network()
    monkeypatch.setattr(looking, "look", found.look)
    monkeypatch.setattr(looking, "own_networks", list)
    monkeypatch.setattr(looking, "answers_here", lambda _port: found.here)
    monkeypatch.setattr(client, "run", found.run)
    monkeypatch.setattr(choosing, "_is_asked", lambda: True)
    monkeypatch.setenv("KILLE_DATA", str(tmp_path))
    return found


def kille(*arguments: str, typed: str = "", lang: str = "en") -> Result:
    env = {"LANG": "C.UTF-8", "LC_ALL": "", "LANGUAGE": ""}
    return CliRunner(env=env).invoke(main, ["--lang", lang, "join", *arguments], input=typed)


def seen(announcement: Announcement, host: str) -> Sighting:
    return Sighting(announcement=announcement, places=((host, 4747),))


TWO = [seen(KROGEN, "192.0.2.7"), seen(SALEN, "192.0.2.8")]


@pytest.mark.parametrize(
    ("typed", "place"),
    [
        ("\n", ("192.0.2.7", 4747)),
        ("2\n", ("192.0.2.8", 4747)),
        (" 1 \n", ("192.0.2.7", 4747)),
        ("kille.example:5000\n", ("kille.example", 5000)),
        ("::1\n", ("::1", 4747)),
        ("[fe80::1%eth0]:4748\n", ("fe80::1%eth0", 4748)),
        ("3\n0\n9999999999\nh:x\n2\n", ("192.0.2.8", 4747)),
    ],
)
def test_a_number_an_address_or_enter_chooses(network: Network, typed: str, place: tuple[str, int]) -> None:
    network.heard = [TWO]
    result = kille(typed=typed)
    assert result.exit_code == 0
    assert network.went_to == [place]
    assert "1  Krogen  192.0.2.7:4747\n2  Salen  192.0.2.8:4747, needs a password\n" in result.stdout


def test_what_is_chosen_goes_the_way_of_what_is_typed(network: Network) -> None:
    network.heard = [TWO]
    kille("--name", "Bo", "--room", "R", "--plain", typed="2\n")
    kille("--name", "Bo", "--room", "R", "--plain", "192.0.2.8")
    chosen, typed = network.invited
    assert chosen == typed
    assert chosen.trust == Trust(file=Path(os.environ["KILLE_DATA"], KNOWN)), "with the keys that are known"


@pytest.mark.parametrize("wrong", ["3", "0", "-1", "+1", "h:x", "a b", "\x1b[2J", "x" * 5000 + ":1:1"])
def test_a_wrong_answer_is_one_clean_line_and_asks_again(network: Network, wrong: str) -> None:
    network.heard = [TWO]
    result = kille(typed=f"{wrong}\nq\n")
    assert (result.exit_code, network.invited) == (0, [])
    _, said, rest = result.stdout.split("Number or address (Enter: 1, r: look again, q: leave): ")
    assert said.count("\n") == 1
    assert said.removesuffix("\n").isprintable()
    assert len(said) < 100
    assert rest == ""


@pytest.mark.parametrize("typed", ["q\n", "Q\n", ""])
def test_one_may_leave(network: Network, typed: str) -> None:
    network.heard = [TWO]
    assert kille(typed=typed).exit_code == Exit.DONE
    assert network.invited == []


def test_one_may_look_again(network: Network) -> None:
    network.heard = [[], TWO[:1], TWO]
    result = kille(typed="\nr\n2\n")
    assert result.exit_code == 0
    assert network.searches == 3
    assert network.went_to == [("192.0.2.8", 4747)]
    assert result.stdout.count("Found no server.") == 1


def test_a_server_that_is_gone_leads_back_to_the_list(network: Network) -> None:
    network.heard = [TWO]
    network.dead = {"192.0.2.7"}
    result = kille(typed="1\n1\n2\n")
    assert result.exit_code == Exit.DONE
    assert [host for host, _ in network.went_to] == ["192.0.2.7", "192.0.2.7", "192.0.2.8"]
    assert network.searches == 3
    assert kille(typed="1\nq\n").exit_code == Exit.NO_SERVER
    assert kille("192.0.2.7").exit_code == Exit.NO_SERVER, "who types an address gave no list to go back to"
    assert network.searches == 5


def test_the_last_one_is_offered_also_when_nothing_is_found(network: Network, tmp_path: Path) -> None:
    remember(tmp_path / FILE, "kille.example", 5000)
    result = kille(typed="\n")
    assert "1  Kille  kille.example:5000, joined last\n" in result.stdout
    assert network.went_to == [("kille.example", 5000)]
    network.heard = [TWO]
    kille(typed="\n")
    assert network.went_to[-1] == ("kille.example", 5000)


def test_the_client_is_told_where_to_remember_it(network: Network, tmp_path: Path) -> None:
    kille("h")
    assert network.invited[0].recent == tmp_path / FILE
    assert network.searches == 0, "who types an address waits for no search"


def test_a_server_on_this_machine_is_offered(network: Network) -> None:
    network.here = True
    assert "1  Kille  127.0.0.1:4747, on this machine\n" in kille(typed="\n").stdout
    assert network.went_to == [("127.0.0.1", 4747)]


def test_where_there_is_no_network_that_is_said(network: Network) -> None:
    network.there_is_one = False
    assert "There is no network here to look on.\n" in kille(typed="q\n").stdout


def test_a_hostile_name_is_shown_clean(network: Network) -> None:
    properties = {name.encode(): value.encode() for name, value in KROGEN.properties().items()}
    hostile = Announcement.read({**properties, b"name": b"\x1b]52;c;eA==\x07{lang}%s\n" + b"x" * 99})
    assert hostile is not None
    network.heard = [[seen(hostile, "192.0.2.7")]]
    (line,) = [line for line in kille(typed="q\n").stdout.splitlines() if line.startswith("1 ")]
    assert line.isprintable()
    assert len(line) < 80


@pytest.fixture
def no_terminal(network: Network, monkeypatch: pytest.MonkeyPatch) -> Network:
    monkeypatch.setattr(choosing, "_is_asked", lambda: False)
    return network


def test_without_a_terminal_they_are_listed_and_nothing_else(no_terminal: Network, tmp_path: Path) -> None:
    remember(tmp_path / FILE, "kille.example", 5000)
    no_terminal.heard = [TWO]
    result = kille(typed="1\n")
    assert result.exit_code == Exit.DONE
    assert result.stdout == "1  Krogen  192.0.2.7:4747\n2  Salen  192.0.2.8:4747, needs a password\n"
    assert result.stderr == ""
    assert no_terminal.invited == []


@pytest.mark.parametrize(
    ("lang", "line"),
    [
        ("en", "kille: found no server; give the address: kille join HOST[:PORT]\n"),
        ("sv", "kille: hittade ingen server; ange adressen: kille join VÄRD[:PORT]\n"),
    ],
)
def test_without_a_terminal_and_a_server_it_is_one_line(no_terminal: Network, lang: str, line: str) -> None:
    result = kille(lang=lang)
    assert (result.exit_code, result.stdout, result.stderr) == (Exit.NO_SERVER, "", line)
    assert no_terminal.invited == []
