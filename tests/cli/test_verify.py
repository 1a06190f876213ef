"""`kille verify`: records that are true, and the first line of those that are not."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kille_net.cli import main
from kille_net.cli.exit_codes import Exit
from kille_net.game.actions import Action
from kille_net.game.match import Match, Stage
from kille_net.game.record import MatchLine, Recorder, SeatLabel, to_json
from kille_net.game.rules import Ruleset
from kille_net.game.shuffle import Seeded, match_id_of


def record(number: int) -> list[str]:
    """Two seats play one pot: they stand, or swap where that is all that is open."""
    seeded = Seeded("verify", match_id_of("verify", number))
    rules = Ruleset(pots=1)
    dealer = seeded.first_dealer(2)
    header = MatchLine(
        id=seeded.match_id,
        rules=rules,
        seats=(SeatLabel("Åsa"), SeatLabel("Bo")),
        first_dealer=dealer,
        shuffle=MatchLine.seeded("verify"),
    )
    match = Match(rules, 2, dealer)
    recorder = Recorder(header)
    lines = [to_json(header)]
    while match.stage is not Stage.OVER:
        if match.wants_pack:
            pack = seeded.pack(*match.next_pack)
            lines += map(to_json, recorder.dealt(pack, match.deal(pack)))
        else:
            seat = match.to_act
            assert seat is not None
            lines += map(to_json, recorder.acted(seat, Action.STAND, match.act(seat, Action.STAND)))
    return lines


@pytest.fixture
def true(tmp_path: Path) -> Path:
    path = tmp_path / "true.jsonl"
    path.write_text("\n".join(record(0)) + "\n", encoding="utf-8")
    return path


def verify(*paths: Path, lang: str = "en") -> Result:
    return CliRunner().invoke(main, ["--lang", lang, "verify", *map(str, paths)])


def test_a_true_record(true: Path) -> None:
    hands = sum('"type": "hand"' in line for line in true.read_text(encoding="utf-8").splitlines())
    result = verify(true)
    assert (result.exit_code, result.stdout, result.stderr) == (Exit.DONE, f"{true}: {hands} hands agree\n", "")
    assert verify(true, lang="sv").stdout == f"{true}: {hands} givar stämmer\n"


def test_a_false_record(true: Path, tmp_path: Path) -> None:
    lines = record(0)
    hand = json.loads(lines[2])
    hand["lost"] = [0, 1]
    false = tmp_path / "false.jsonl"
    false.write_text("\n".join([*lines[:2], json.dumps(hand), *lines[3:]]) + "\n", encoding="utf-8")
    result = verify(false, true)
    assert result.exit_code == Exit.DOES_NOT_HOLD
    assert result.stdout.startswith(f"{true}: ")
    assert result.stderr.startswith(f'kille: {false}, line 3: "lost" must be ')
    assert result.stderr.count("\n") == 1


def test_standard_input() -> None:
    result = CliRunner().invoke(main, ["verify", "-"], input="\n".join(record(1)))
    assert result.exit_code == Exit.DONE, result.stderr
    assert result.stdout.startswith("-: ")


def test_files_are_wanted() -> None:
    assert CliRunner().invoke(main, ["verify"]).exit_code == Exit.WRONG_USE


def test_a_folder_stands_for_its_records_sorted(tmp_path: Path) -> None:
    for number, name in enumerate(("b", "a")):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(record(number)) + "\n", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("no record", encoding="utf-8")
    result = verify(tmp_path)
    assert result.exit_code == Exit.DONE
    assert [line.partition(":")[0] for line in result.stdout.splitlines()] == [
        str(tmp_path / "a.jsonl"),
        str(tmp_path / "b.jsonl"),
    ]


def test_what_a_strangers_records_are_called_is_shown_clean(tmp_path: Path) -> None:
    (tmp_path / "a\x1b[2J\u202e.jsonl").write_text("\n".join(record(0)) + "\n", encoding="utf-8")
    (tmp_path / "b\x1b[2J\u202e.jsonl").write_text("no record", encoding="utf-8")
    result = verify(tmp_path)
    assert all(line.isprintable() for line in result.output.splitlines())
    assert (result.stdout.count("\n"), result.stderr.count("\n")) == (1, 1)


def test_a_folder_without_records_is_wrong_use(tmp_path: Path) -> None:
    result = verify(tmp_path)
    assert result.exit_code == Exit.WRONG_USE
    assert result.stderr == f"kille: there is no record (*.jsonl) in {tmp_path}\n"
