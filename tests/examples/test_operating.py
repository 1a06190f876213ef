"""The systemd unit, the container file and the README's commands are true of the server that there is."""

import re
import shlex
import shutil
import subprocess
import tomllib
from collections import defaultdict
from itertools import chain
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner

from kille_net.cli import main
from kille_net.client.commands import Order, parse
from kille_net.client.options import read_plan
from kille_net.server.admin import COMMANDS
from kille_net.server.effects import Milestone
from kille_net.server.limits import Limits
from kille_net.server.serve import PORT
from kille_net.wire.messages import Plan
from tests.examples.running import KILLE, ROOT

UNIT: Final = ROOT / "examples" / "systemd" / "kille.service"
CONTAINER: Final = ROOT / "examples" / "container" / "Containerfile"
README: Final = ROOT / "README.md"
TOURNAMENT: Final = ROOT / "examples" / "tournament.toml"
GOODBYE: Final = 5.0
"""Seconds that the server may take after its drain."""


def is_a_command(words: list[str]) -> None:
    """Fail unless `kille` takes these words, whose first is its name; nothing is done."""
    assert Path(words[0]).name == "kille", words
    result = CliRunner().invoke(main, [*words[1:], "--help"])
    assert result.exit_code == 0, (words, result.stderr)
    if words[1:2] == ["serve"]:
        result = CliRunner().invoke(main, [*words[1:], "--show-config"])
        assert result.exit_code == 0, (words, result.stderr)


# --- the unit -------------------------------------------------------------------------------------------------------


def unit() -> dict[str, dict[str, list[str]]]:
    """Section → key → its values, in order."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    section = ""
    for line in UNIT.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        if head := re.fullmatch(r"\[(\w+)\]", line):
            section = head[1]
            continue
        key, equals, value = line.partition("=")
        assert equals
        assert key.isalpha()
        found[section][key].append(value)
    return found


def one(key: str) -> str:
    (value,) = unit()["Service"][key]
    return value


def test_the_unit_starts_a_server_that_keeps_its_data_in_its_own_folder() -> None:
    words = shlex.split(one("ExecStart"))
    is_a_command(words)
    assert words[1] == "serve"
    assert words[words.index("--data") + 1] == f"%S/{one('StateDirectory')}"


def test_the_unit_leaves_the_server_the_time_that_it_needs_to_stop() -> None:
    """T47"""
    assert one("KillSignal") == "SIGTERM"
    assert one("KillMode") == "mixed", "to the server itself"
    assert float(one("TimeoutStopSec")) >= Limits().drain + GOODBYE


def test_the_unit_starts_the_server_again_when_it_fails_and_not_when_it_was_stopped() -> None:
    assert one("Restart") == "on-failure"
    assert one("SuccessExitStatus").split() == ["130", "143"]


def test_the_unit_leaves_the_server_enough_files() -> None:
    limits = Limits()
    assert int(one("LimitNOFILE")) >= limits.connections + limits.reserved_files


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *((key, "yes") for key in (
            "DynamicUser", "NoNewPrivileges", "ProtectHome", "PrivateTmp", "PrivateDevices", "ProtectKernelTunables",
            "ProtectKernelModules", "ProtectKernelLogs", "ProtectControlGroups", "RestrictNamespaces",
            "RestrictSUIDSGID", "RestrictRealtime", "LockPersonality", "MemoryDenyWriteExecute",
        )),
        ("ProtectSystem", "strict"), ("CapabilityBoundingSet", ""), ("UMask", "0077"), ("StateDirectoryMode", "0700"),
        ("RestrictAddressFamilies", "AF_INET AF_INET6 AF_UNIX AF_NETLINK"),
    ],
)  # fmt: skip
def test_the_unit_lets_the_server_do_nothing_else(key: str, value: str) -> None:
    assert one(key) == value


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here")
def test_systemd_finds_no_fault_in_the_unit(tmp_path: Path) -> None:
    copy = tmp_path / UNIT.name
    copy.write_text(UNIT.read_text(encoding="utf-8").replace("/opt/kille/bin/kille ", f"{KILLE} "), encoding="utf-8")
    found = subprocess.run(
        ["systemd-analyze", "verify", str(copy)], capture_output=True, text=True, timeout=60, check=False
    )
    complaints = [line for line in found.stderr.splitlines() if UNIT.name in line]
    assert (found.returncode, complaints) == (0, [])


# --- the container --------------------------------------------------------------------------------------------------


def instructions() -> list[tuple[str, str]]:
    text = re.sub(r"\\\n", " ", CONTAINER.read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    found = [(name, rest.strip()) for name, _, rest in (line.partition(" ") for line in lines)]
    known = {
        "FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "VOLUME", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT",
    }  # fmt: skip
    assert {name for name, _ in found} <= known
    return found


def final_stage() -> list[tuple[str, str]]:
    found = instructions()
    last = max(number for number, (name, _) in enumerate(found) if name == "FROM")
    return found[last:]


def of(name: str) -> str:
    (value,) = [rest for kind, rest in final_stage() if kind == name]
    return value


def test_the_container_runs_a_server_and_asks_it_how_it_is() -> None:
    for value in (of("ENTRYPOINT"), of("HEALTHCHECK").partition("CMD ")[2]):
        words = re.findall(r'"([^"]*)"', value)
        assert value == "[" + ", ".join(f'"{word}"' for word in words) + "]", "without a shell, so that signals come"
        is_a_command(words)
        assert words[words.index("--data") + 1] == of("VOLUME")


def test_the_container_runs_as_nobody_special_and_owns_its_data_alone() -> None:
    assert of("USER") not in {"root", "0"}
    names = [name for name, _ in final_stage()]
    assert "RUN" not in names[names.index("USER") :]
    assert f"install -d -m 0700 -o {of('USER')} -g {of('USER')} {of('VOLUME')}" in of("RUN")


def test_the_container_is_stopped_and_reached_as_the_server_is() -> None:
    assert of("STOPSIGNAL") == "SIGTERM"
    assert of("EXPOSE") == f"{PORT}/tcp"
    (seconds,) = re.findall(r"--stop-timeout (\d+)", CONTAINER.read_text(encoding="utf-8"))
    assert int(seconds) >= Limits().drain + GOODBYE


def test_the_container_is_given_all_that_a_build_reads() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["tool"]["hatch"]["build"]["hooks"]["custom"] == {}, "hatch_build.py by its own name"
    read = {"pyproject.toml", "hatch_build.py", project["project"]["readme"], *project["project"]["license-files"]}
    read |= set(project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"])
    copied = [rest.split()[:-1] for name, rest in instructions() if name == "COPY"]
    assert read <= set(chain.from_iterable(copied))


def test_the_container_is_made_of_files_that_there_are() -> None:
    for name, rest in instructions():
        if name == "COPY" and not rest.startswith("--from="):
            for file in rest.split()[:-1]:
                assert (ROOT / file).exists(), file
    images = {rest.split()[0] for name, rest in instructions() if name == "FROM"}
    assert len(images) == 1, "built on what it runs on"
    (version,) = re.findall(r"python:(\d+\.\d+)-slim", images.pop())
    assert tuple(map(int, version.split("."))) >= (3, 11)


# --- what is told ---------------------------------------------------------------------------------------------------


def told() -> list[str]:
    """Every command in the README's blocks, and in the comments of the unit and the container."""
    blocks = "".join(re.findall(r"^```\n(.*?)^```", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL))
    comments = "".join(
        line.lstrip("# ") + "\n"
        for file in (UNIT, CONTAINER)
        for line in file.read_text(encoding="utf-8").splitlines()
        if line.startswith("#")
    )
    found = []
    for line in (blocks + comments).splitlines():
        command = re.split(r"#|    | > ", line)[0].removeprefix("podman exec kille ").strip()
        if re.match(r"(\S*/)?kille ", command):
            found.append(command)
    return found


@pytest.mark.parametrize("command", told())
def test_every_command_that_is_told_is_one(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kille.toml").touch()
    (tmp_path / "torsdag.toml").write_bytes(TOURNAMENT.read_bytes())
    monkeypatch.chdir(tmp_path)
    is_a_command(shlex.split(command.rpartition("| ")[2]))


def test_every_command_of_an_operator_is_told() -> None:
    text = README.read_text(encoding="utf-8")
    for word in COMMANDS:
        assert re.search(rf"^kille admin {word}\b", text, re.MULTILINE), word


def chapter(title: str) -> str:
    return README.read_text(encoding="utf-8").partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_what_the_lobby_is_told_of_a_club_evening_is_understood_there() -> None:
    prose = re.sub(r"```.*?```", "", chapter("A club evening"), flags=re.DOTALL)
    lines = [line for line in re.findall(r"`([^`]+)`", prose) if re.match(r"[a-z]+( |$)", line)]
    assert len(lines) > 4
    for line in lines:
        order = parse(line)
        assert isinstance(order, Order), line
        if order.options is not None:
            assert isinstance(read_plan(order.options), Plan), line


def test_every_milestone_of_the_log_is_told() -> None:
    text = README.read_text(encoding="utf-8")
    for milestone in Milestone:
        assert f"`{milestone.value}`" in text
