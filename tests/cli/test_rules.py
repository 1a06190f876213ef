"""`kille rules`: plain text as wide as the terminal, in both languages, and one line where there is nothing to tell."""

import os
import subprocess
import sys

import click
import pexpect
import pytest
from click.testing import CliRunner, Result
from wcwidth import wcswidth

from kille_net.cli import main
from kille_net.cli.exit_codes import Exit
from kille_net.cli.rules import command
from kille_net.cli.settings import Settings
from kille_net.client.showing.layout import to_ascii
from kille_net.client.showing.lessons import lesson, primer
from kille_net.client.showing.texts import CARDS
from kille_net.client.showing.topics import Topic, names
from kille_net.game.cards import Card

LANGS = ("sv", "en")


def rules(*words: str, lang: str = "en", columns: int | None = None) -> Result:
    env = {"COLUMNS": None if columns is None else str(columns)}
    return CliRunner().invoke(main, ["--lang", lang, "rules", *words], env=env)


def flow(text: str) -> list[str]:
    return text.split()


@pytest.mark.parametrize("lang", LANGS)
def test_without_a_topic_it_is_the_page_for_newcomers(lang: str) -> None:
    result = rules(lang=lang)
    assert (result.exit_code, result.stderr) == (Exit.DONE, "")
    assert flow(result.stdout) == flow(" ".join(primer(lang, "kille rules")))


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("word", ["husu", "pig", "HUSU", "grisen"])
def test_a_card(word: str, lang: str) -> None:
    result = rules(word, lang=lang)
    assert (result.exit_code, result.stderr) == (Exit.DONE, "")
    assert flow(result.stdout) == flow(" ".join(lesson(Card.HUSU, lang)))


@pytest.mark.parametrize("lang", LANGS)
def test_a_rule_by_its_number(lang: str) -> None:
    result = rules("m5", lang=lang)
    assert (result.exit_code, result.stderr) == (Exit.DONE, "")
    told = 'M5 Husar ("Husar hugger"): no swap, the asker is struck. The turn goes to the seat after the hussar. (A)'
    assert flow(result.stdout) == flow(told)


def test_a_rule_that_there_is_not() -> None:
    assert rules("M99").exit_code == Exit.WRONG_USE


def test_a_topic_of_several_words() -> None:
    assert rules("nya", "kort").stdout == rules("better").stdout != ""


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("columns", [40, 79, 100, 300])
def test_no_line_is_wider_than_the_terminal_or_a_hundred(lang: str, columns: int) -> None:
    for topic in Topic:
        lines = rules(topic.value, lang=lang, columns=columns).stdout.splitlines()
        assert max(wcswidth(line) for line in lines) <= min(columns, 100)
        assert not any(line.endswith(" ") for line in lines)


def test_the_table_stands_in_columns() -> None:
    lines = rules("formats", columns=80).stdout.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("  seats"))
    assert len({len(line) for line in lines[at : at + 4]}) == 1


@pytest.mark.parametrize(
    ("lang", "stderr"),
    [
        ("en", "kille: There is no topic hussu. Try Husu, Husse\n"),
        ("sv", "kille: Det finns inget ämne hussu. Försök med Husu, Husse\n"),
    ],
)
def test_an_unknown_topic_is_wrong_use_and_names_the_nearest(lang: str, stderr: str) -> None:
    result = rules("hussu", lang=lang)
    assert (result.exit_code, result.stdout, result.stderr) == (Exit.WRONG_USE, "", stderr)


def test_what_was_typed_is_shown_clean() -> None:
    result = rules("\x1b[31m\nred")
    assert result.exit_code == Exit.WRONG_USE
    assert "\x1b" not in result.stderr
    assert result.stderr.count("\n") == 1


def test_help_lists_all_topics_and_cards_in_both_languages() -> None:
    text = " ".join(flow(rules("--help").stdout))
    for lang in LANGS:
        assert to_ascii(", ".join(names(lang))) in text


@pytest.mark.parametrize(
    ("lang", "incomplete", "words"),
    [
        ("en", "ma", ["matadors", "mask"]),
        ("sv", "k", ["kort", "kransen", "kavall", "kuku"]),
        ("sv", "VÄR", ["värdshus"]),
        ("en", "zz", []),
    ],
)
def test_topics_and_cards_are_completed(lang: str, incomplete: str, words: list[str]) -> None:
    (param,) = command.params
    ctx = click.Context(command, obj=Settings(lang=lang))
    assert [item.value for item in param.shell_complete(ctx, incomplete)] == words


def ran(lang: str, *words: str, **environ: str) -> bytes:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))} | environ
    script = f"from kille_net.cli import main; main({['--lang', lang, 'rules', *words]!r})"
    return subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=60, check=True, env=env).stdout


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_in_a_pipe_it_is_utf_8_whatever_python_thinks_of_it(encoding: str) -> None:
    text = ran("sv", "husar", LC_ALL="C", PYTHONIOENCODING=encoding).decode()
    assert "”Husar hugger!”" in text
    assert "får" in text


@pytest.mark.parametrize(("locale", "shown"), [("C", "Vardshus"), ("C.UTF-8", CARDS["sv"][Card.VARDSHUS])])
def test_a_terminal_that_shows_ascii_gets_ascii(locale: str, shown: str) -> None:
    env = {**os.environ, "LC_ALL": locale, "PYTHONUTF8": "1", "TERM": "xterm"}
    script = "from kille_net.cli import main; main(['--lang', 'sv', 'rules', 'kort'])"
    child = pexpect.spawn(sys.executable, ["-c", script], env=env, timeout=60, dimensions=(24, 60), encoding="utf-8")
    try:
        text = child.read()
    finally:
        child.close(force=True)
    assert f"  {shown}: " in text
    assert "\x1b" not in text
    assert max(len(line) for line in text.splitlines()) <= 60
