"""A real server is found by real clients over real multicast, in networks that no packet leaves: one machine with
three interfaces, and a neighbour at each."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from kille_net.cli.exit_codes import Exit
from kille_net.client.net.recent import FILE, recall
from tests.client.screen import KILLE, Terminal, environment
from tests.serving import doomed

NOBODY = "kille: found no server; give the address: kille join HOST[:PORT]\n"


@dataclass
class Host:
    """A machine: a network namespace, as long as its process lives."""

    enter: list[str]
    pid: int
    data: Path

    @property
    def env(self) -> dict[str, str]:
        return {**environment(KILLE_DATA=str(self.data)), "KILLE_LANG": "en"}

    def run(self, *command: str) -> None:
        subprocess.run([*self.enter, *command], check=True, capture_output=True, timeout=20)

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [*self.enter, *KILLE, *arguments],
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    @contextmanager
    def serving(self, *options: str) -> Iterator["subprocess.Popen[str]"]:
        with self.start("serve", "--name", "Krogen", *options) as process, doomed(process):
            assert process.stdout is not None
            assert process.stdout.readline().startswith("kille join ")
            yield process


@contextmanager
def host(inside: list[str], unshare: list[str], data: Path) -> Iterator[Host]:
    """A new one, made from inside another."""
    command = [*inside, *unshare, "sh", "-c", "ip link set lo up && echo up && exec sleep 300"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process, doomed(process):
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        enter = ["nsenter", "-t", str(process.pid), "-U", "--preserve-credentials", "-n"]
        yield Host(enter, process.pid, data)


NETWORKS = (("10.9.0.1/24", "10.9.0.2/24"), ("10.8.0.1/24", "10.8.0.2/24"), ("fd00:8::1/64", "fd00:8::2/64"))


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Host, list[Host]]]:
    """One with three interfaces, the last of IPv6 alone; and the neighbours at each."""
    with ExitStack() as stack:
        folder = tmp_path_factory.mktemp("hosts")
        hub = stack.enter_context(host([], ["unshare", "-n", "-r"], folder / "hub"))
        neighbours = []
        for number, (here, there) in enumerate(NETWORKS):
            other = stack.enter_context(host(hub.enter, ["unshare", "-n"], folder / f"n{number}"))
            hub.run("ip", "link", "add", f"h{number}", "type", "veth", "peer", "name", "n0", "netns", str(other.pid))
            for one, name, address in ((hub, f"h{number}", here), (other, "n0", there)):
                one.run("ip", "link", "set", name, "addrgenmode", "none")
                one.run("ip", "addr", "add", address, "dev", name, *(["nodad"] if ":" in address else []))
                one.run("ip", "link", "set", name, "up")
            neighbours.append(other)
        yield hub, neighbours


def listed(*hosts: Host) -> list[tuple[int, str]]:
    """What `kille join` lists on each, all at once: the exit code, and what it says."""
    with ExitStack() as stack:
        searches = [stack.enter_context(host.start("join")) for host in hosts]
        said = [search.communicate(timeout=60) for search in searches]
    return [(search.returncode, out + err) for search, (out, err) in zip(searches, said, strict=True)]


def test_each_neighbour_finds_it_once_at_the_address_of_its_own_network(hosts: tuple[Host, list[Host]]) -> None:
    hub, neighbours = hosts
    with hub.serving() as server:
        assert listed(*neighbours, hub) == [
            (0, "1  Krogen  10.9.0.1:4747\n"),
            (0, "1  Krogen  10.8.0.1:4747\n"),
            (0, "1  Krogen  [fd00:8::1]:4747\n"),
            (0, "1  Krogen  127.0.0.1:4747, on this machine\n"),
        ]
        server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=20) == 0
        assert server.stderr is not None
        assert "announce" not in server.stderr.read()
    assert listed(neighbours[0]) == [(Exit.NO_SERVER, NOBODY)]


def test_it_is_found_only_where_it_serves_and_only_if_it_wants(hosts: tuple[Host, list[Host]]) -> None:
    hub, neighbours = hosts
    hidden = ("--no-discovery", "--port", "4748", "--data", str(hub.data / "hidden"))
    with hub.serving("--host", "10.8.0.1"), hub.serving(*hidden):
        assert listed(*neighbours) == [
            (Exit.NO_SERVER, NOBODY),
            (0, "1  Krogen  10.8.0.1:4747\n"),
            (Exit.NO_SERVER, NOBODY),
        ]


def test_a_person_who_knows_no_address_is_at_the_table_with_three_keys(hosts: tuple[Host, list[Host]]) -> None:
    hub, (neighbour, *_) = hosts
    with hub.serving() as server:
        assert server.stdout is not None
        words = server.stdout.readline().removeprefix("key: ").strip()
        with Terminal([*neighbour.enter, *KILLE, "join", "--name", "Bo"], size=(160, 24), env=neighbour.env) as here:
            here.see("1  Krogen  10.9.0.1:4747").see("Number or address (Enter: 1")
            here.press("1\r")
            here.see(f"10.9.0.1:4747 for the first time. Its key: {words}.").see("in the lobby")
        assert recall(neighbour.data / FILE) == ("10.9.0.1", 4747)
        with Terminal([*neighbour.enter, *KILLE, "join", "--name", "Bo"], size=(160, 24), env=neighbour.env) as here:
            here.see("1  Krogen  10.9.0.1:4747, joined last").see("Enter: 1")
            here.press("\r")
            here.see("in the lobby")
            assert words not in here.text
