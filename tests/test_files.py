"""What is found in the place of a file of the user's keeps nobody waiting, and is one line."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import platformdirs
import pytest
from click.testing import CliRunner, Result

from kille_net.cli import main
from kille_net.cli.exit_codes import Exit
from kille_net.client.net.recent import recall
from kille_net.client.net.tickets import Slot, names
from kille_net.client.net.trust import BadKnownServers, Trust
from kille_net.client.terminal.typed import typed_lines
from kille_net.files import SETTINGS, is_there, read_file
from kille_net.languages import LANGUAGES
from kille_net.server.key import FILE as KEY

ODD: dict[str, Callable[[Path], None]] = {
    "a pipe": os.mkfifo,
    "what never ends": lambda path: path.symlink_to("/dev/zero"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a folder": Path.mkdir,
    "a closed file": lambda path: path.touch(0),
}


@pytest.fixture(autouse=True)
def in_time() -> Iterator[None]:
    """What waits for ever is an error."""

    def late(*_: object) -> None:
        pytest.fail("it waits")

    signal.signal(signal.SIGALRM, late)
    signal.alarm(10)
    yield
    signal.alarm(0)


@pytest.fixture(params=ODD)
def odd(request: pytest.FixtureRequest) -> Callable[[Path], Path]:
    def put(path: Path) -> Path:
        if request.param == "a closed file" and os.getuid() == 0:  # to whom nothing is closed: bytes that are no text
            path.write_bytes(b"\xff" * 100)
        else:
            ODD[request.param](path)
        return path

    return put


def test_a_file_is_read_up_to_its_bound(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"x" * 10)
    assert read_file(file, 10) == b"x" * 10
    with pytest.raises(OSError, match="File too large"):
        read_file(file, 9)
    link = tmp_path / "link"
    link.symlink_to(file)
    assert read_file(link, 10) == b"x" * 10, "a link is as good as what it leads to"


@pytest.mark.parametrize("kind", ["a pipe", "what never ends", "a link to itself", "a folder"])
def test_nothing_else_is_read(tmp_path: Path, kind: str) -> None:
    ODD[kind](tmp_path / "it")
    assert is_there(tmp_path / "it")
    with pytest.raises(OSError, match=r"regular|directory|links"):
        read_file(tmp_path / "it", SETTINGS)


def test_what_is_not_there_is_told_from_what_may_not_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "dangling").symlink_to("nothing")
    there = ["file", "none", "dangling", "file/below"]
    assert [is_there(tmp_path / name) for name in there] == [True, False, False, False]

    def closed(_: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "stat", closed)
    assert is_there(tmp_path / "none")


# --- those who read ---------------------------------------------------------------------------------------------------


def kille(*args: str, lang: str = "en") -> Result:
    return CliRunner().invoke(main, ["--lang", lang, *args])


def one_line(result: Result) -> str:
    assert (result.exit_code, result.stdout) == (Exit.WRONG_USE, "")
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    path = platformdirs.user_config_path("kille", appauthor=False) / "client.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


@pytest.mark.parametrize("lang", LANGUAGES)
def test_settings(settings: Path, tmp_path: Path, odd: Callable[[Path], Path], lang: str) -> None:
    for path, line in ((settings, ["join", "h"]), (tmp_path / "c.toml", ["serve", "--config", f"{tmp_path}/c.toml"])):
        assert str(odd(path)) in one_line(kille(*line, lang=lang))


def test_settings_in_a_closed_folder(settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also for who is root, to whom no folder is closed."""
    look, opened = Path.stat, os.open

    def stat(path: Path, **how: bool) -> os.stat_result:
        if path == settings:
            raise PermissionError(13, "Permission denied")
        return look(path, **how)

    def open_(path: Path, *how: int) -> int:
        if path == settings:
            raise PermissionError(13, "Permission denied")
        return opened(path, *how)

    monkeypatch.setattr(Path, "stat", stat)
    monkeypatch.setattr(os, "open", open_)
    assert one_line(kille("join", "h")).endswith(f"cannot read {settings}: Permission denied\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = " + "[" * 60_000, "nested too deeply"),
        ("a = " + "[" * 100_000, "too large"),
        ('"\\u001b[2J\\u0007\\u202e" = 1', "there is no setting \N{REPLACEMENT CHARACTER}[2J"),
        ("\x1b[2J = 1", "is no TOML"),
    ],
)
def test_settings_that_are_no_settings(settings: Path, tmp_path: Path, text: str, said: str) -> None:
    config = tmp_path / "c.toml"
    for path in (settings, config):
        path.write_text(text, encoding="utf-8")
    for line in (["join", "h"], ["serve", "--config", str(config)]):
        shown = one_line(kille(*line))
        assert said in shown
        assert shown.removesuffix("\n").isprintable()


@pytest.mark.parametrize(
    "typed", [["\x1b[2J"], ["join", "h", "--\x1b]0;x\x07"], ["rules", "\x1b[2J\u202e" + "x" * 9999]]
)
def test_what_was_typed_wrong_is_quoted_clean(typed: list[str]) -> None:
    shown = one_line(kille(*typed))
    assert shown.removesuffix("\n").isprintable()
    assert len(shown) < 2100


def test_a_mark_of_the_byte_order_is_no_setting(settings: Path, tmp_path: Path) -> None:
    settings.write_bytes(b"\xef\xbb\xbfbells = true\n")
    assert "no setting bells;" in one_line(kille("join", "h"))
    config = tmp_path / "c.toml"
    config.write_bytes(b"\xef\xbb\xbf[server]\nport = 5000\n")
    result = kille("serve", "--config", str(config), "--show-config")
    assert "\nport = 5000\n" in result.stdout


def test_known_servers(tmp_path: Path, odd: Callable[[Path], Path]) -> None:
    trust = Trust(file=odd(tmp_path / "known_servers"))
    with pytest.raises(BadKnownServers):
        trust.known("h", 1)


def test_the_last_server(tmp_path: Path, odd: Callable[[Path], Path]) -> None:
    assert recall(odd(tmp_path / "last_server")) is None


def test_typed_lines(tmp_path: Path, odd: Callable[[Path], Path]) -> None:
    history = typed_lines(odd(tmp_path / "typed"))
    history.append_string("rooms")
    assert [*history.load_history_strings()][:1] in ([], ["rooms"])
    assert history.get_strings() == ["rooms"]


def test_tickets(tmp_path: Path, odd: Callable[[Path], Path]) -> None:
    slot = Slot(tmp_path, "h", 1, "Ada")
    slot.keep("a" * 64)
    slot.close()
    odd(tmp_path / "other.json")
    assert names(tmp_path, "h", 1) == [("Ada", True)], "one that is odd hides no other"
    (file,) = tmp_path.glob("????????*.json")
    file.unlink()
    slot = Slot(tmp_path, "h", 1, "Ada")
    assert slot.ticket is None
    slot.close()
    odd(file)
    slot = Slot(tmp_path, "h", 1, "Ada")
    assert slot.ticket is None
    assert slot.problem
    slot.close()


def test_an_identity(tmp_path: Path, odd: Callable[[Path], Path]) -> None:
    one_line(kille("--data", str(tmp_path / "data"), "identity", "import", str(odd(tmp_path / "me.json"))))


def test_the_key_of_a_server(tmp_path: Path, odd: Callable[[Path], Path]) -> None:
    odd(tmp_path / KEY)
    one_line(kille("--data", str(tmp_path), "serve", "--port", "0"))
