"""The command `kille` itself: its table, how quickly it answers, and how it ends."""

import os
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from kille_net import __version__
from kille_net.cli import COMMANDS, main
from kille_net.cli.errors import CliError, report_group
from kille_net.cli.exit_codes import Exit
from kille_net.cli.play import command as play
from kille_net.cli.settings import Settings, lang_of_locale
from kille_net.wire import Length
from kille_net.wire.options import DEFAULT_OPTIONS

HEAVY = (
    "distributed",
    "hypothesis",
    "ifaddr",
    "msgpack",
    "msgspec",
    "platformdirs",
    "prompt_toolkit",
    "sqlite3",
    "ssl",
    "trio",
    "zeroconf",
)


@pytest.fixture
def runner() -> CliRunner:
    return CliRunner(env={"LANG": "C.UTF-8", "LC_ALL": "", "LC_MESSAGES": "", "LANGUAGE": ""})


@pytest.fixture
def probe(monkeypatch: pytest.MonkeyPatch) -> click.Command:
    """A command `play` whose behaviour its option `--end` chooses."""

    @click.command()
    @click.option("--end", default="done")
    @click.pass_obj
    def command(settings: Settings, *, end: str) -> Exit | None:
        match end:
            case "done":
                click.echo(settings.lang)
                return None
            case "false":
                return Exit.DOES_NOT_HOLD
            case "lost":
                msg = "no server at 192.0.2.1:4747;\nis it running?"
                raise CliError(msg, code=Exit.NO_SERVER)
            case "interrupt":
                raise KeyboardInterrupt
            case _:
                msg = "not one of the ends"
                raise click.UsageError(msg)

    monkeypatch.setattr(main, "get_command", lambda _ctx, _name: command)
    return command


def test_help_imports_nothing_heavy() -> None:
    script = (
        "import sys\n"
        "from kille_net.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        f"print('heavy:', [name for name in {HEAVY!r} if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout.startswith("Usage: kille ")
    assert ran.stdout.splitlines()[-1] == "heavy: []"


def test_help_lists_every_command(runner: CliRunner) -> None:
    result = runner.invoke(main, ["--help"])
    assert result.exit_code == Exit.DONE
    listed = result.stdout.partition("Commands:\n")[2].partition("\n\n")[0].splitlines()
    assert [line.split()[0] for line in listed if line[2] != " "] == list(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_help(runner: CliRunner, name: str) -> None:
    result = runner.invoke(main, [name, "--help"])
    assert result.exit_code == Exit.DONE, result.output
    assert result.stdout.startswith(f"Usage: kille {name} ")


def test_version(runner: CliRunner) -> None:
    assert __version__ in runner.invoke(main, ["--version"]).stdout


def test_an_unknown_command_is_wrong_use_and_one_line(runner: CliRunner) -> None:
    result = runner.invoke(main, ["klack"])
    assert (result.exit_code, result.stdout) == (Exit.WRONG_USE, "")
    assert result.stderr.startswith("kille: ")
    assert result.stderr.count("\n") == 1


def test_a_command_whose_module_is_missing_is_wrong_use(runner: CliRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kille_net.cli.COMMANDS", {"play": "kille_net.cli.no_such"})
    result = runner.invoke(main, ["play"])
    assert result.exit_code == Exit.WRONG_USE
    assert result.stderr == "kille: The command 'play' is not in this version (see kille --help)\n"


@pytest.mark.usefixtures("probe")
@pytest.mark.parametrize(
    ("end", "code", "stderr"),
    [
        ("done", Exit.DONE, ""),
        ("false", Exit.DOES_NOT_HOLD, ""),
        ("lost", Exit.NO_SERVER, "kille: no server at 192.0.2.1:4747; is it running?\n"),
        ("interrupt", Exit.SIGINT, "\n"),
        ("other", Exit.WRONG_USE, "kille: not one of the ends (see kille play --help)\n"),
    ],
)
def test_how_a_command_ends(runner: CliRunner, end: str, code: Exit, stderr: str) -> None:
    result = runner.invoke(main, ["play", "--end", end])
    assert (result.exit_code, result.stderr) == (code, stderr)


@pytest.mark.usefixtures("probe")
def test_options_come_from_the_environment(runner: CliRunner) -> None:
    assert runner.invoke(main, ["play"]).stdout == "en\n"
    assert runner.invoke(main, ["play"], env={"KILLE_LANG": "sv"}).stdout == "sv\n"
    assert runner.invoke(main, ["play"], env={"KILLE_PLAY_END": "false"}).exit_code == Exit.DOES_NOT_HOLD


@pytest.mark.parametrize(
    ("environ", "lang"),
    [
        ({}, "en"),
        ({"LANG": "sv_SE.UTF-8"}, "sv"),
        ({"LANG": "sv"}, "sv"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "sv_SE.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "en_GB.UTF-8", "LC_MESSAGES": "sv_FI@euro"}, "sv"),
        ({"LANG": "en_GB.UTF-8", "LANGUAGE": "nb:sv:en"}, "sv"),
    ],
)
def test_the_language_is_the_locales(environ: dict[str, str], lang: str) -> None:
    assert lang_of_locale(environ) == lang


def nursery_of(*errors: BaseException) -> BaseExceptionGroup[BaseException]:
    return BaseExceptionGroup("outer", [BaseExceptionGroup("inner", errors)])


def test_an_error_out_of_a_nursery_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    refused = CliError("the server asks for a password: --password-file", code=Exit.REFUSED)
    assert report_group(nursery_of(KeyboardInterrupt(), refused)) is Exit.REFUSED
    assert capsys.readouterr().err == "kille: the server asks for a password: --password-file\n"


def test_an_interrupt_out_of_a_nursery_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    assert report_group(nursery_of(KeyboardInterrupt())) is Exit.SIGINT
    assert capsys.readouterr().err == ""


def test_a_bug_out_of_a_nursery_is_shown_whole() -> None:
    assert report_group(nursery_of(CliError("lost", code=Exit.NO_SERVER), ZeroDivisionError())) is None


# The second leaves its text in the buffer, for Python to find when it ends.
@pytest.mark.parametrize("prints", ["click.echo('a' * 100_000)", "sys.stdout.write('a')"])
def test_a_reader_that_goes_away_is_met_quietly(prints: str) -> None:
    script = (
        "import sys, click\n"
        "from kille_net.cli import main\n"
        f"main.get_command = lambda *_: click.Command('play', callback=lambda: {prints})\n"
        "main(['play'])"
    )
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as pipe:
        ran = subprocess.run(
            [sys.executable, "-c", script],
            stdout=pipe,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": ""},
            timeout=60,
            check=False,
        )
    assert ran.stderr == b""


def float_options(command: click.Command, *path: str) -> Iterator[tuple[str, ...]]:
    """The words up to each option that takes a number with a fraction."""
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        for name in command.list_commands(ctx):
            inner = command.get_command(ctx, name)
            assert inner is not None
            yield from float_options(inner, *path, name)
    yield from (
        (*path, param.opts[0]) for param in command.params if isinstance(param.type, click.types.FloatParamType)
    )


@pytest.mark.parametrize("number", ["nan", "-nan", "inf", "-inf", "-1", "0", "1e999", ""])
def test_no_option_takes_what_is_no_time(runner: CliRunner, number: str) -> None:
    found = list(float_options(main))
    assert ("arena", "--budget") in found
    for words in found:
        result = runner.invoke(main, [*words, number])
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (Exit.WRONG_USE, "", 1)


def test_rooms_open_on_standard_and_a_game_against_the_computers_on_long() -> None:
    """Rule F2."""
    assert DEFAULT_OPTIONS.length is Length.STANDARD
    assert DEFAULT_OPTIONS.pots == 0, "as many as the table says"
    assert next(param.default for param in play.params if param.name == "length") == "long"
