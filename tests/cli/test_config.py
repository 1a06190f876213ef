"""The settings of `kille serve`: what beats what, what is said of a wrong one, and that what is shown can be read."""

import tomllib
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import pytest
import trio
from click.testing import CliRunner, Result

from kille_net.cli import main
from kille_net.cli.exit_codes import Exit
from kille_net.cli.serve import command
from kille_net.server.limits import BOUNDS, Limits
from kille_net.server.serve import Config


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "kille.toml"


@pytest.fixture
def run(file: Path, monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401  a function
    """The config of a server that would be run with these options and this file."""
    seen: list[Config] = []

    def take(_: object, config: Config, *__: object, **___: object) -> Exit:
        seen.append(config)
        return Exit.DONE

    monkeypatch.setattr(trio, "run", take)

    def run(text: str, *options: str, env: dict[str, str] | None = None) -> Config:
        file.write_text(text, encoding="utf-8")
        result = CliRunner(env=env).invoke(main, ["--lang", "en", "serve", "--config", str(file), *options])
        assert (result.exit_code, result.stderr) == (0, "")
        return seen.pop()

    return run


def shown(*options: str, env: dict[str, str] | None = None) -> dict[str, Any]:
    result = CliRunner(env=env).invoke(main, ["serve", *options, "--show-config"])
    assert (result.exit_code, result.stderr) == (0, "")
    return tomllib.loads(result.stdout)


def refused(file: Path, text: str, *options: str) -> str:
    file.write_text(text, encoding="utf-8")
    result: Result = CliRunner().invoke(main, ["--lang", "en", "serve", "--config", str(file), *options])
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (Exit.WRONG_USE, "", 1)
    return result.stderr.removeprefix("kille: ").removeprefix(f"{file}: ").rstrip()


def test_a_file_sets_options_and_limits(run: Any) -> None:  # noqa: ANN401  the fixture that runs a command
    config = run('[server]\nport = 5000\nname = "Krogen"\ninsecure_plaintext = true\n[seconds]\ndrain = 7\n')
    assert (config.port, config.name, config.takes_plain) == (5000, "Krogen", True)
    assert config.limits == Limits(drain=7.0)


def test_the_command_line_beats_the_environment_which_beats_the_file_which_beats_the_default(run: Any) -> None:  # noqa: ANN401  the fixture that runs a command
    text = "[server]\nport = 5001\n[counts]\nrooms = 11\n"
    env = {"KILLE_SERVE_PORT": "5002", "KILLE_SERVE_LIMIT": "rooms=12"}
    line = ("--port", "5003", "--limit", "rooms=13")
    found = [run(text, *line, env=env), run(text, env=env), run(text), run("")]
    assert [config.port for config in found] == [5003, 5002, 5001, 4747]
    assert [config.limits.rooms for config in found] == [13, 12, 11, 256]


def test_the_file_itself_may_come_from_the_environment(file: Path) -> None:
    file.write_text("[seconds]\nhello = 2.5\n")
    assert shown(env={"KILLE_SERVE_CONFIG": str(file)})["seconds"]["hello"] == 2.5


def test_every_limit_is_shown_with_its_default_in_the_section_of_its_unit() -> None:
    found = shown()
    assert {name: found[bound.unit][name] for name, bound in BOUNDS.items()} == asdict(Limits())
    assert sum(len(found[unit]) for unit in ("seconds", "counts", "bytes")) == len(BOUNDS)


def test_every_option_of_the_command_is_shown() -> None:
    result = CliRunner().invoke(main, ["serve", "--show-config"])
    names = {param.name for param in command.params if isinstance(param, click.Option)}
    for name in names - {"config", "show_config", "limit", "tournament", "help"}:
        assert f"\n{name} =" in result.stdout or f"\n# {name} =" in result.stdout


def test_what_is_shown_can_be_fed_back(file: Path, tmp_path: Path) -> None:
    odd = 'Å"\\\x7f\t🃏'
    options = ["--name", odd, "--records", str(tmp_path / odd), "--host", "::1", "--port", "0", "--limit", "away=0.5"]
    first = CliRunner().invoke(main, ["serve", *options, "--show-config"]).stdout
    file.write_text(first, encoding="utf-8")
    assert CliRunner().invoke(main, ["serve", "--config", str(file), "--show-config"]).stdout == first
    assert tomllib.loads(first)["server"]["name"] == odd


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[server]\nprot = 1", "there is no setting server.prot; kille serve --show-config lists all"),
        ("port = 1", "there is no setting port; kille serve --show-config lists all"),
        ("[secs]\nhello = 1", "there is no setting secs.hello; kille serve --show-config lists all"),
        ("[counts]\nhello = 1", "there is no setting counts.hello; kille serve --show-config lists all"),
        ("[server]\nport = true", "server.port is to be a whole number from 0 to 65535"),
        ("[server]\nport = 70000", "server.port is to be a whole number from 0 to 65535"),
        ('[server]\nlog_format = "xml"', "server.log_format: 'xml' is not one of 'text', 'json'"),
        ("[server]\nname = 3", "server.name is to be a text"),
        *[
            (f'[server]\n{name} = "a\\u0000b"', f"server.{name} must not contain the character NUL")
            for name in ("data", "records", "password_file", "name", "host")
        ],
        ("[server.name]\nx = 3", "server.name is to be a text"),
        ('[server]\ninsecure_plaintext = "yes"', "server.insecure_plaintext is to be true or false"),
        ("[seconds]\nsilence = 4", "seconds.silence is to be greater than seconds.ping"),
    ],
)  # fmt: skip
def test_a_wrong_setting_is_named_in_one_line(file: Path, text: str, says: str) -> None:
    assert refused(file, text) == says


@pytest.mark.parametrize("name", BOUNDS)
def test_every_limit_is_held_to_its_type_and_bounds(file: Path, name: str) -> None:
    bound = BOUNDS[name]
    wrong = ['"5"', "true", "[5]", str(bound.least / 2 if not bound.is_whole else bound.least - 1), str(bound.most + 1)]
    wrong += ["5000.5"] if bound.is_whole else ["nan", "inf", "-1.0"]
    for value in wrong:
        assert refused(file, f"[{bound.unit}]\n{name} = {value}").startswith(f"{bound.unit}.{name} is to be a ")
    default = getattr(Limits(), name)
    assert bound.least <= default <= bound.most
    assert type(default) is (int if bound.is_whole else float)


@pytest.mark.parametrize(
    ("limit", "says"),
    [
        ("what=3", "the command line: there is no setting what; kille serve --show-config lists all"),
        ("drain=soon", "the command line: drain is to be a number from 0.1 to 86400"),
        ("rooms=0", "the command line: rooms is to be a whole number from 1 to 1000000"),
        ("rooms", "the command line: rooms is to be a whole number from 1 to 1000000"),
        ("silence=1", "seconds.silence is to be greater than seconds.ping"),
    ],
)
def test_a_wrong_limit_on_the_command_line_is_named(file: Path, limit: str, says: str) -> None:
    assert refused(file, "", "--limit", limit) == says


def test_a_file_that_is_none_is_one_line(file: Path, tmp_path: Path) -> None:
    assert refused(file, "[server\n").startswith(f"{file} is no TOML: ")
    file.write_bytes(b"\xff")
    result = CliRunner().invoke(main, ["--lang", "en", "serve", "--config", str(file)])
    assert result.stderr.startswith(f"kille: {file} is no TOML: ")
    missing = tmp_path / "missing"
    result = CliRunner().invoke(main, ["--lang", "sv", "serve", "--config", str(missing)])
    assert (result.exit_code, result.stderr.count("\n")) == (Exit.WRONG_USE, 1)
    assert result.stderr.startswith(f"kille: det går inte att läsa {missing}: ")
