"""`client.toml` under the environment under the command line; what is wrong with it is one line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from click.testing import CliRunner, Result

from kille_net.cli import main
from kille_net.cli.exit_codes import Exit
from kille_net.client.invitation import Invitation
from kille_net.client.preferences import Preferences

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a client.toml that counts for this test."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))

    def writing(text: str) -> Path:
        path = platformdirs.user_config_path("kille", appauthor=False) / "client.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return writing


@pytest.fixture
def invited(monkeypatch: pytest.MonkeyPatch) -> list[Invitation]:
    """What clients were started with, none of which runs."""
    found: list[Invitation] = []

    def run(invitation: Invitation) -> int:
        found.append(invitation)
        return 0

    monkeypatch.setattr("kille_net.client.run.run", run)
    return found


def kille(*args: str, **env: Any) -> Result:  # noqa: ANN401  of the environment
    return CliRunner().invoke(main, ["--lang", "en", *args], env=env)


def join(*args: str, **env: Any) -> Result:  # noqa: ANN401  the same
    return kille("join", "127.0.0.1", *args, **env)


def test_without_a_file_all_is_as_it_is_by_default(write: Write, invited: list[Invitation]) -> None:
    assert join().exit_code == 0
    assert invited[0].preferences == Preferences()
    assert callable(write)


def test_the_file_says_what_the_environment_and_the_line_do_not(write: Write, invited: list[Invitation]) -> None:
    write('bell = false\ncoach = true\nmotion = false\npictures = false\ntitle = false\nname = "Åsa"\n')
    join()
    assert invited[0].preferences == Preferences(bell=False, title=False, motion=False, coach=True, pictures=False)
    assert invited[0].name == "Åsa"
    join("--bell", "--name", "Bo", KILLE_BELL="0", KILLE_COACH="0", KILLE_JOIN_MOTION="1")
    assert invited[1].preferences == Preferences(bell=True, title=False, motion=True, coach=False, pictures=False)
    assert invited[1].name == "Bo"
    join(KILLE_JOIN_NAME="Cilla")
    assert invited[2].name == "Cilla"


def test_kille_play_heeds_it_too(write: Write, invited: list[Invitation]) -> None:
    write("coach = true")
    assert kille("play", "--no-title").exit_code == 0
    assert invited[0].preferences == Preferences(coach=True, title=False)


def test_its_language_holds_where_none_is_chosen(write: Write, invited: list[Invitation]) -> None:
    write('lang = "sv"')
    CliRunner().invoke(main, ["join", "127.0.0.1"], env={"LANG": "en_GB.UTF-8", "LC_ALL": "", "LANGUAGE": ""})
    join()
    CliRunner().invoke(main, ["join", "127.0.0.1"], env={"KILLE_LANG": "en"})
    assert [invitation.lang for invitation in invited] == ["sv", "en", "en"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("bell = 1", "bell is to be true or false"),
        ('coach = "on"', "coach is to be true or false"),
        ("bells = true", "there is no setting bells; there are bell, title, motion, coach, pictures, name, lang"),
        ('lang = "xx"', "lang is to be one of sv, en"),
        ("lang = [1]", "lang is to be one of sv, en"),
        ('name = ""', "name: a name has 1 to 16 letters"),
        ('name = "\\u001b[2J"', "name: a name has 1 to 16 letters"),
        ("name = 3", "name: a name has 1 to 16 letters"),
        ("[table]\nbell = true", "there is no setting table"),
        ("bell =", "is no TOML"),
        ("\x00", "is no TOML"),
    ],
)
def test_a_file_that_is_wrong_is_one_line(write: Write, invited: list[Invitation], text: str, what: str) -> None:
    path = write(text)
    result = join()
    assert result.exit_code == Exit.WRONG_USE
    assert result.stderr.startswith("kille: ")
    assert result.stderr.count("\n") == 1
    assert str(path) in result.stderr
    assert what in result.stderr
    assert not invited


def test_a_file_that_cannot_be_read_is_one_line(write: Write) -> None:
    path = write("")
    path.unlink()
    path.mkdir()
    result = join()
    assert (result.exit_code, result.stderr.count("\n")) == (Exit.WRONG_USE, 1)
    assert "cannot read" in result.stderr


def test_a_wrong_word_in_the_environment_is_one_line(write: Write, invited: list[Invitation]) -> None:
    result = join(KILLE_BELL="loud")
    assert (result.exit_code, result.stderr.count("\n")) == (Exit.WRONG_USE, 1)
    assert not invited
    assert callable(write)
