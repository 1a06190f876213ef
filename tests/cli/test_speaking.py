"""The command line in every language: help for every command and option, and click's own words."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner

from kille_net.cli import COMMANDS, main
from kille_net.cli.exit_codes import Exit
from kille_net.cli.speaking import speaking, spoken, tell, with_common_first
from kille_net.client import run as client
from kille_net.languages import LANGUAGES, has, text
from kille_net.wire.messages import Format, Length, Level

if TYPE_CHECKING:
    from kille_net.client.invitation import Invitation

ENGLISH = re.compile(r"Usage|Options|Commands|Show this|\[default|OPTIONS|INTEGER|FLOAT|FILE\b|NAME\b|\bDIR\b")
"""What click says by itself, and names of values."""


@pytest.fixture
def runner() -> CliRunner:
    return CliRunner(env={"LANG": "C.UTF-8", "LC_ALL": "", "LC_MESSAGES": "", "LANGUAGE": ""})


def walk(command: click.Command, *path: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        for name in command.list_commands(ctx):
            inner = command.get_command(ctx, name)
            assert inner is not None
            yield from walk(inner, *path, name)


EVERYTHING = dict(walk(main))


def test_all_commands_are_walked() -> None:
    assert {path[0] for path in EVERYTHING if path} == set(COMMANDS)
    assert ("history", "export") in EVERYTHING


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("path", EVERYTHING, ids=" ".join)
def test_every_command_and_option_has_help_in_every_language(
    runner: CliRunner, lang: str, path: tuple[str, ...]
) -> None:
    shown = runner.invoke(main, [*path, "--help", "--lang", lang])
    assert (shown.exit_code, shown.stderr) == (Exit.DONE, "")
    flat = " ".join(shown.stdout.split())
    for paragraph in text(lang, ".".join(["cli", *path] if path else ["cli", "kille"])).split("\n\n"):
        assert paragraph in flat
    for option in EVERYTHING[path].params:
        if isinstance(option, click.Option):
            name = max(option.opts, key=len)
            words = name.removeprefix("--").replace("-", "_")
            keys = [f"cli.{'.'.join(path or ['kille'])}.{words}", f"cli.option.{words}"]
            help_ = next(text(lang, key) for key in keys if has(lang, key))
            assert re.search(rf"{name}( / --no-\S+)?( \S+){{0,{option.nargs}}} {re.escape(help_)}", flat)
    if lang == "sv":
        assert not ENGLISH.search(shown.stdout.replace("FILE.toml", ""))


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("path", [path for path, command in EVERYTHING.items() if isinstance(command, click.Group)])
def test_an_overview_has_the_first_sentence_of_each(runner: CliRunner, lang: str, path: tuple[str, ...]) -> None:
    shown = " ".join(runner.invoke(main, ["--lang", lang, *path, "--help"]).stdout.split())
    for inner in EVERYTHING:
        if len(inner) == len(path) + 1 and inner[: len(path)] == path:
            first = text(lang, ".".join(["cli", *inner])).partition(".")[0]
            assert f" {inner[-1]} {first}." in shown


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    "words",
    [
        ("--format", "sticks", "--level", "careful", "--length", "short"),
        ("--format", "pinnar", "--level", "Försiktig", "--length", "kort"),
        ("--format", "Sticks", "--level", "fo\N{COMBINING DIAERESIS}rsiktig", "--length", "SHORT"),
    ],
)
def test_a_code_is_said_in_words_of_any_language(
    monkeypatch: pytest.MonkeyPatch, lang: str, words: tuple[str, ...]
) -> None:
    invited: list[Invitation] = []

    def run(invitation: "Invitation") -> int:
        invited.append(invitation)
        return 0

    monkeypatch.setattr(client, "run", run)
    result = CliRunner().invoke(main, ["--lang", lang, "play", *words])
    assert result.exit_code == Exit.DONE, result.stderr
    options = invited[0].create
    assert options is not None
    assert (options.format, options.level, options.length) == (Format.STICKS, Level.CAREFUL, Length.SHORT)


def test_the_help_calls_codes_by_words_of_the_language(runner: CliRunner) -> None:
    shown = " ".join(runner.invoke(main, ["--lang", "sv", "play", "--help"]).stdout.split())
    assert "--level [slump|lätt|försiktig|skarp|djup]" in shown
    assert "[förvalt: försiktig]" in shown
    assert "--format [partier|pinnar]" in shown


# --- which language ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (["play", "--seats", "3"], ["play", "--seats", "3"]),
        (["play", "--lang", "sv", "--seats", "3"], ["--lang", "sv", "play", "--seats", "3"]),
        (["play", "--lang=sv"], ["--lang=sv", "play"]),
        (["--lang", "sv", "play"], ["--lang", "sv", "play"]),
        (["admin", "announce", "--", "--lang", "sv"], ["admin", "announce", "--", "--lang", "sv"]),
        (["play", "--lang"], ["--lang"]),
        (["serve", "--data", "d", "--port", "0"], ["--data", "d", "serve", "--port", "0"]),
        (["history", "list", "--data=d", "--json"], ["--data=d", "history", "list", "--json"]),
        (["--data", "d", "join", "h", "--lang", "sv"], ["--lang", "sv", "--data", "d", "join", "h"]),
        (["--lang", "sv", "admin", "status", "--data"], ["--lang", "sv", "--data"]),
        ([], []),
    ],
)
def test_the_language_and_the_data_folder_may_stand_anywhere(given: list[str], read: list[str]) -> None:
    assert with_common_first(given) == read


@pytest.mark.parametrize(
    ("args", "environment", "lang"),
    [
        ([], {}, "en"),
        ([], {"LANG": "sv_SE.UTF-8"}, "sv"),
        ([], {"LANG": "sv_SE.UTF-8", "KILLE_LANG": "en"}, "en"),
        (["--lang", "sv"], {"KILLE_LANG": "en"}, "sv"),
        (["--lang=sv"], {"KILLE_LANG": "en"}, "sv"),
        (["--lang", "xx"], {"LANG": "sv_SE.UTF-8"}, "sv"),
        (["--lang"], {"KILLE_LANG": "sv"}, "sv"),
    ],
)
def test_what_is_spoken(
    args: list[str], environment: dict[str, str], lang: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG", "KILLE_LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with speaking(args):
        assert spoken() == lang
        assert tell("bot.nobody") == {"sv": "ingen", "en": "nobody"}[lang]
    assert "LANGUAGE" not in os.environ


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["play", "--seats", "9"], "Ogiltigt värde för '--seats': 9 är inte inom gränserna 2<=x<=8 (se kille play"),
        (["play", "--seats", "x"], "Ogiltigt värde för '--seats': 'x' är inget sådant tal (se kille play --help)"),
        (
            ["play", "--level", "x"],
            "Ogiltigt värde för '--level': 'x' är inget av 'slump', 'lätt', 'försiktig', 'skarp'",
        ),
        (["play", "--color"], "Det finns ingen flagga '--color' (se kille play --help)"),
        (["play", "x"], "Ett argument för mycket (x) (se kille play --help)"),
        (["play", "--seats"], "Flaggan '--seats' måste följas av ett värde"),
        (["klack"], "Det finns inget kommando 'klack' (se kille --help)"),
        (["replay"], "Saknar argumentet 'FIL' (se kille replay --help)"),
        (["join", "a b"], "Ogiltigt värde för '[VÄRD[:PORT]]': en adress är VÄRD, VÄRD:PORT eller [IPV6]:PORT"),
        (["join", "--tls", "--insecure-plaintext"], "--tls och --insecure-plaintext utesluter varandra"),
        (["rules", "xyzzy"], "Det finns inget ämne xyzzy"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_in_swedish(runner: CliRunner, args: list[str], said: str) -> None:
    result = runner.invoke(main, ["--lang", "sv", *args])
    assert (result.exit_code, result.stdout) == (Exit.WRONG_USE, "")
    assert result.stderr.startswith(f"kille: {said}")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["verify", "empty"], "empty, rad 1: det finns inget protokoll här"),
        (["verify", "wrong"], 'wrong, rad 1: "v" saknas'),
        (["replay", "wrong"], 'wrong, rad 1: "v" saknas'),
        (["verify", "."], "det finns inget protokoll (*.jsonl) i ."),
        (
            ["arena", "nobody"],
            "det finns ingen inbyggd bot 'nobody' (random, easy, careful, chart, sharp, perfect, deep), och",
        ),
        (["arena", "none.py"], "det finns ingen fil none.py"),
        (
            ["join", "127.0.0.1", "--password-file", "none"],
            "det går inte att läsa none: filen eller mappen finns inte; ",
        ),
    ],
)
def test_what_floors_below_and_the_system_say_is_said_in_swedish(
    runner: CliRunner, args: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty").touch()
    Path("wrong").write_text('{"type": "match"}\n', encoding="utf-8")
    result = runner.invoke(main, ["--lang", "sv", *args])
    assert (result.exit_code != Exit.DONE, result.stdout) == (True, "")
    assert result.stderr.startswith(f"kille: {said}")
    assert result.stderr.count("\n") == 1
