"""Which folder a command uses: one answer, wherever and however it is named."""

import json
import tomllib
from pathlib import Path

import platformdirs
import pytest
from click.testing import CliRunner

from kille_net.cli import main
from kille_net.cli.exit_codes import Exit
from kille_net.cli.settings import Settings
from kille_net.server.schema import FILE


def make_server(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / FILE).touch()


@pytest.mark.parametrize("is_typed", [True, False])
def test_a_server_keeps_to_the_folder_that_is_named(tmp_path: Path, *, is_typed: bool) -> None:
    settings = Settings(lang="en", data=tmp_path, is_data_typed=is_typed)
    assert settings.server_folder(None) == tmp_path
    make_server(tmp_path / "server")
    assert settings.server_folder(None) == tmp_path / "server", "which is where it was kept"
    make_server(tmp_path / "new")
    make_server(tmp_path / "new" / "server")
    assert Settings(lang="en", data=tmp_path / "new").server_folder(None) == tmp_path / "new"
    assert settings.folder() == tmp_path, "a person's is the same all the time"


def test_without_a_name_it_is_beside_the_persons_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(platformdirs, "user_data_path", lambda *_, **__: tmp_path)
    assert Settings(lang="en").server_folder(None) == tmp_path / "server"


def test_what_is_typed_comes_before_what_the_command_was_told(tmp_path: Path) -> None:
    told, named = tmp_path / "told", tmp_path / "named"
    assert Settings(lang="en", data=named, is_data_typed=True).server_folder(told) == named
    assert Settings(lang="en", data=named).server_folder(told) == told, "by its own variable or its file"
    make_server(told / "server")
    assert Settings(lang="en", data=named).server_folder(told) == told / "server"


@pytest.mark.parametrize("place", [0, 1, 2])
def test_every_command_takes_it_anywhere(tmp_path: Path, place: int) -> None:
    def kille(*words: str) -> str:
        given = [*words]
        given[place:place] = ["--data", str(tmp_path / "d")]
        result = CliRunner().invoke(main, ["--lang", "en", *given])
        return result.stdout + result.stderr

    assert tomllib.loads(kille("serve", "--show-config"))["server"]["data"] == str(tmp_path / "d")
    assert f"there is no {tmp_path / 'd' / FILE};" in kille("history", "list")
    assert f"with the folder {tmp_path / 'd'};" in kille("admin", "status")
    assert f"{tmp_path / 'd'}" in json.loads(kille("doctor", "--json"))["folder.data"]
    assert str(tmp_path / "d") in kille("identity", "export", str(tmp_path / "me.json"))


def test_one_that_is_no_folder_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = CliRunner().invoke(main, ["--lang", "en", "history", "list", "--data", str(tmp_path / "file")])
    assert result.exit_code == Exit.WRONG_USE
    assert result.stderr.startswith("kille: Invalid value for '--data': ")
    assert result.stderr.count("\n") == 1
