"""`kille identity`, and an imported identity at a real server."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kille_net.cli import main
from kille_net.cli.exit_codes import Exit
from kille_net.client.net.tickets import FOLDER, Slot
from tests.serving import serving
from tests.test_rejoin import CREATE, SECONDS, joined


def identity(data: Path, *words: str, lang: str = "en") -> Result:
    return CliRunner().invoke(main, ["--lang", lang, "--data", str(data), "identity", *words])


@pytest.mark.parametrize("is_killed", [True, False])
def test_an_imported_identity_gets_its_seat_and_the_machine_it_came_from_is_out(
    tmp_path: Path,
    is_killed: bool,  # noqa: FBT001  pytest hands it over by name
) -> None:
    file = tmp_path / "me.json"
    with serving() as port, joined(port, tmp_path / "one") as first:
        first.type(CREATE + "start\n")
        first.until("Your turn")
        if is_killed:
            first.process.kill()
            first.process.wait()
        exported = identity(tmp_path / "one", "export", str(file))
        assert (exported.exit_code, exported.stdout) == (Exit.DONE, f"{file}: tickets: 1, known servers: 0\n")
        assert f"kille: whoever has {file} is you" in exported.stderr
        imported = identity(tmp_path / "two", "import", str(file))
        assert (imported.exit_code, imported.output) == (Exit.DONE, "new here: tickets: 1, known servers: 0\n")
        with joined(port, tmp_path / "two") as second:
            second.until("Your seat was kept.")
            second.until("Your turn")
            if not is_killed:
                assert first.process.wait(SECONDS) == Exit.REFUSED
            second.type("stand\n")
            second.until("You: “Nöjd!”")
            second.type("quit\n")
            assert second.process.wait(SECONDS) == Exit.DONE


def test_what_goes_wrong_is_one_line(tmp_path: Path) -> None:
    home, other, file = tmp_path / "home", tmp_path / "other", tmp_path / "me.json"
    nothing = identity(home, "export", str(file), lang="sv")
    assert (nothing.exit_code, nothing.stdout) == (Exit.DOES_NOT_HOLD, "")
    assert nothing.stderr == f"kille: det finns inget att bära med sig i {home}\n"
    for folder, ticket in ((home, "a" * 64), (other, "b" * 64)):
        slot = Slot(folder / FOLDER, "h", 1, "Ada")
        slot.keep(ticket)
        slot.close()
    assert identity(home, "export", str(file)).exit_code == Exit.DONE
    again = identity(home, "export", str(file))
    assert (again.exit_code, again.stderr) == (
        Exit.WRONG_USE,
        f"kille: {file} exists already; choose another name\n",
    )
    differs = identity(other, "import", str(file))
    assert differs.exit_code == Exit.DOES_NOT_HOLD
    assert differs.stderr == "kille: there is another one here already for Ada @ h:1; --replace takes the file's\n"
    assert identity(other, "import", "--replace", str(file)).exit_code == Exit.DONE
    missing = identity(other, "import", str(tmp_path / "no"))
    assert (missing.exit_code, missing.stderr) == (
        Exit.WRONG_USE,
        f"kille: {tmp_path / 'no'}: No such file or directory\n",
    )
    file.write_text('{"kille_identity": 1}')
    foreign = identity(other, "import", str(file))
    assert (foreign.exit_code, foreign.stderr.count("\n")) == (Exit.WRONG_USE, 1)
    assert foreign.stderr.startswith(f"kille: {file} is not from kille identity export, or damaged: ")
    assert "a" * 64 not in foreign.stderr
