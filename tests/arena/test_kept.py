"""What is kept of a run: the same whenever its writer is killed, and nothing else is taken for it."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import kille_net
from kille_net.arena.blocks import Block, play_blocks
from kille_net.arena.kept import Damaged, Head, Kept, Taken, changed, fingerprints
from kille_net.arena.plan import Design, Plan
from kille_net.arena.sprt import Hypotheses
from kille_net.bots.guard import Complaint, Complaints, Fault
from kille_net.game.rules import Format, HarlekinRank, Length, Ruleset

PLAN = Plan(
    bots=("random", "easy", "random"),
    seats=5,
    rules=Ruleset(format=Format.STICKS, length=Length.LONG, dealt_harlekin=HarlekinRank.LOW, pots=2),
    seed="å",
    blocks=4,
    seconds=0.25,
    design=Design.BALANCED,
    test=Hypotheses(low=0, high=0.1, alpha=0.05, beta=0.1),
)


def head(plan: Plan = PLAN) -> Head:
    return Head(plan=plan, hashes=fingerprints(plan.bots), records="/somewhere")


def complaints() -> Complaints:
    told = Complaints(others=3, decisions=9, defaults=4)
    for fault in (Fault.HUNG, Fault.HUNG, Fault.RAISED):
        told.add(Complaint(fault, "decide", "why\nå \u2028"))
    return told


@pytest.fixture(scope="module")
def blocks() -> list[Block]:
    first, *others = play_blocks(PLAN, 1)
    return [replace(first, complaints=(complaints(), Complaints(), complaints())), *others]


def written(path: Path, blocks: list[Block], plan: Plan = PLAN) -> bytes:
    kept = Kept.begin(path, head(plan))
    for block in blocks:
        kept.add(block)
    kept.close()
    return path.read_bytes()


def read(path: Path) -> tuple[Head, list[Block]]:
    kept, found, blocks = Kept.go_on(path)
    kept.close()
    return found, blocks


def test_what_was_kept_is_what_was_played(tmp_path: Path, blocks: list[Block]) -> None:
    written(tmp_path / "x", blocks)
    assert read(tmp_path / "x") == (head(), blocks)


def test_wherever_the_writing_ended_only_a_line_that_is_not_whole_is_lost(tmp_path: Path, blocks: list[Block]) -> None:
    whole = written(tmp_path / "x", blocks)
    for size in range(whole.index(b"\n") + 1, len(whole) + 1):
        path = tmp_path / "y"
        path.write_bytes(whole[:size])
        kept, found, before = Kept.go_on(path)
        assert found == head()
        assert before == blocks[: whole[:size].count(b"\n") - 1]
        for block in blocks[len(before) :]:
            kept.add(block)
        kept.close()
        assert path.read_bytes() == whole


def test_a_head_that_is_not_whole_is_nothing_yet(tmp_path: Path, blocks: list[Block]) -> None:
    whole = written(tmp_path / "x", blocks)
    path = tmp_path / "y"
    path.write_bytes(whole[: whole.index(b"\n")])
    with pytest.raises(Damaged):
        Kept.go_on(path)
    assert written(path, blocks) == whole


def test_a_run_is_never_written_over(tmp_path: Path, blocks: list[Block]) -> None:
    whole = written(tmp_path / "x", blocks)
    with pytest.raises(FileExistsError):
        Kept.begin(tmp_path / "x", head())
    assert (tmp_path / "x").read_bytes() == whole


def test_one_process_writes_it(tmp_path: Path) -> None:
    kept = Kept.begin(tmp_path / "x", head())
    for again in (Kept.go_on, lambda path: Kept.begin(path, head())):
        with pytest.raises(Taken):
            again(tmp_path / "x")
    kept.close()
    read(tmp_path / "x")


def test_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Kept.go_on(tmp_path / "x")
    assert not (tmp_path / "x").exists()


DAMAGES: dict[str, str | dict[str, object]] = {
    "no JSON": "{",
    "another shape": "[]",
    "another block": {"block": 0},
    "a match too few": {"results": []},
    "a seat too few": {"points": [1, 1, 0, 0]},
    "points below none": {"points": [3, -1, 0, 0, 0]},
    "no points at all": {"points": [0, 0, 0, 0, 0]},
    "no such seat": {"winner": 5},
    "half a hand": {"hands": 0.5},
    "no such fault": {"complaints": [{"complaints": [[{"fault": "x", "doing": "", "text": ""}, 1]], "others": 0}] * 3},
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_line_that_was_not_written_so_is_named(tmp_path: Path, blocks: list[Block], damage: str) -> None:
    path = tmp_path / "x"
    lines = written(path, blocks).decode().split("\n")
    said = DAMAGES[damage]
    if isinstance(said, str):
        lines[2] = said
    else:
        line = json.loads(lines[2])
        result = line["results"][1]
        for key, value in said.items():
            (line if key in line else result)[key] = value
        lines[2] = json.dumps(line)
    text = "\n".join(lines).encode()
    path.write_bytes(text)
    with pytest.raises(Damaged) as raised:
        Kept.go_on(path)
    assert raised.value.line == 3
    assert path.read_bytes() == text


@pytest.mark.parametrize("change", [{"v": 2}, {"hashes": []}, {"seats": 9}, {"seats": 1}, {"blocks": 0}, {"bots": []}])
def test_a_head_that_cannot_be_is_named(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "x"
    line = json.loads(written(path, []))
    for key, value in change.items():
        (line if key in line else line["plan"])[key] = value
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    with pytest.raises(Damaged) as raised:
        Kept.go_on(path)
    assert raised.value.line == 1


def test_a_bot_that_is_another_now_is_named(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text("def decide(view): return view.legal[0]\n", encoding="utf-8")
    one = head(replace(PLAN, bots=("easy", f"{mine}:decide")))
    assert changed(one) is None
    mine.write_text("def decide(view): return view.legal[-1]\n", encoding="utf-8")
    assert changed(one) == f"{mine}:decide"
    mine.unlink()
    with pytest.raises(FileNotFoundError):
        changed(one)


def test_another_kille_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its code and its tables, not by what Python makes of them."""
    one = head()
    package = tmp_path / "kille_net"
    for folder in ("arena", "bots", "game", "wire"):
        shutil.copytree(Path(kille_net.__file__).parent / folder, package / folder)
    monkeypatch.setattr(kille_net, "__file__", str(package / "__init__.py"))
    (package / "game" / "match.pyc").write_bytes(b"")
    assert changed(one) is None
    for name in ("game/match.py", "bots/perfect.json"):
        file = package / name
        text = file.read_bytes()
        file.write_bytes(text + b"\n")
        assert changed(one) == ""
        file.write_bytes(text)
        assert changed(one) is None
