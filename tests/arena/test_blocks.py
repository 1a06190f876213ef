"""Blocks: the same whatever plays them, with records that are true."""

from dataclasses import replace
from itertools import product
from multiprocessing import active_children
from pathlib import Path
from textwrap import dedent

import pytest

from kille_net.arena.blocks import Block, BlockPlayer, WorkerLost, forget_records, play_blocks
from kille_net.arena.plan import Design, Plan
from kille_net.bots import BotError
from kille_net.bots.guard import Fault
from kille_net.game.replay import verify
from kille_net.game.rules import Format, Ruleset

PLAN = Plan(bots=("random", "careful"), seats=4, rules=Ruleset(pots=2), seed="blocks", blocks=5, seconds=30)


def bot(folder: Path, text: str) -> str:
    path = folder / "mine.py"
    path.write_text(dedent(text), encoding="utf-8")
    return str(path)


def records_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


WHIM = """
    import random

    class Whim:
        def __init__(self, rng):
            self.rng = rng

        def decide(self, view):
            print("never mind")
            return (random if view.hand % 2 else self.rng).choice(view.legal)

        def saw(self, event):
            random.random()
"""


def test_the_same_seed_gives_the_same_numbers_and_records_whatever_the_jobs(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Also for a bot of one's own, that draws where it should and where it should not."""
    plan = replace(PLAN, bots=(bot(tmp_path, WHIM), "random", "sharp"), blocks=4)
    outcomes = []
    for jobs in (1, 2, 3):
        folder = tmp_path / str(jobs)
        folder.mkdir()
        blocks = list(play_blocks(plan, jobs, folder))
        outcomes.append(([(block.number, block.results) for block in blocks], records_of(folder)))
        if jobs > 1:
            assert capfd.readouterr().out == ""
        capfd.readouterr()
    assert outcomes[0] == outcomes[1] == outcomes[2]
    numbers, records = outcomes[0]
    assert [number for number, _ in numbers] == [0, 1, 2, 3]
    assert list(records) == [f"match-{number:06}.jsonl" for number in range(1, 17)]


@pytest.mark.parametrize("form", Format)
@pytest.mark.parametrize("design", Design)
def test_every_record_is_true_down_to_its_packs(tmp_path: Path, form: Format, design: Design) -> None:
    plan = replace(PLAN, rules=Ruleset(format=form, pots=2), blocks=2, design=design)
    blocks = list(play_blocks(plan, 1, tmp_path))
    hands = [result.hands for block in blocks for result in block.results]
    for text, number in zip(records_of(tmp_path).values(), hands, strict=True):
        verdict = verify(text.splitlines())
        assert (verdict.error, verdict.hands) == (None, number)


def test_another_seed_gives_other_matches() -> None:
    one, other = (
        [block.results for block in play_blocks(replace(PLAN, seed=seed), 1)] for seed in ("blocks", "others")
    )
    assert one != other


def test_all_matches_of_a_block_have_the_same_packs(tmp_path: Path) -> None:
    """With equal bots that leave nothing to chance each rotation is the same match."""
    plan = replace(PLAN, bots=("careful", "careful"))
    for block in play_blocks(plan, 1, tmp_path):
        assert block.results[0] == block.results[1]


DRAWS = """
    import random

    class Draws:
        def __init__(self, rng):
            with open({file!r}, "a") as file:
                print(rng.random(), random.random(), file=file)

        def decide(self, view):
            return view.legal[0]
"""


@pytest.mark.parametrize("design", Design)
def test_chance_of_a_bot_is_its_places_in_all_matches_that_share_packs(tmp_path: Path, design: Design) -> None:
    """What it is given goes round the table with its place; what it draws from where it should not is its match's."""
    drawn = tmp_path / "drawn"
    mine = bot(tmp_path, DRAWS.format(file=str(drawn)))
    own: dict[tuple[object, ...], str] = {}
    shared: dict[tuple[object, ...], str] = {}
    for seed in ("x", "y"):
        plan = replace(PLAN, bots=(mine, mine), seats=3, blocks=2, design=design, seed=seed)
        list(play_blocks(plan, 1))
        lines = iter(drawn.read_text(encoding="utf-8").splitlines())
        drawn.unlink()
        for block, rotation, seat in product(range(2), range(plan.rotations), range(3)):
            of_rng, of_module = next(lines).split()
            whose = (seed, block) if design is Design.DUPLICATE else (seed, block, rotation)
            assert own.setdefault((*whose, plan.player_at(seat, rotation)), of_rng) == of_rng
            assert shared.setdefault((*whose, seat), of_module) == of_module
        assert not list(lines)
    assert len(set(own.values())) == len(own)
    assert len(set(shared.values())) == len(shared)


def test_a_block_does_not_depend_on_those_before_it() -> None:
    in_order = {block.number: block.results for block in play_blocks(PLAN, 1)}
    player = BlockPlayer(PLAN)
    assert {number: player.play(number).results for number in (4, 0, 3)} == {n: in_order[n] for n in (4, 0, 3)}


def test_faults_of_a_bot_are_its_own(tmp_path: Path) -> None:
    rude = bot(tmp_path, "def decide(view):\n    raise ValueError\n")
    block = BlockPlayer(replace(PLAN, bots=(rude, "easy"))).play(0)
    ((complaint, times),) = block.complaints[0].counts.items()
    assert complaint.fault is Fault.RAISED
    assert times > 10
    assert not block.complaints[1].counts


def test_a_bot_that_ends_its_process_is_told_apart_from_an_answer(tmp_path: Path) -> None:
    plan = replace(PLAN, bots=(bot(tmp_path, "import os\ndef decide(view):\n    os._exit(3)\n"), "easy"))
    with pytest.raises(WorkerLost):
        list(play_blocks(plan, 2))


def test_a_name_without_a_bot_is_an_error_with_any_number_of_jobs() -> None:
    for jobs in (1, 2):
        with pytest.raises(BotError):
            list(play_blocks(replace(PLAN, bots=("none.py",)), jobs))


@pytest.mark.parametrize("jobs", [1, 2])
def test_from_a_block_on_they_are_those_of_a_whole_run(jobs: int, tmp_path: Path) -> None:
    whole = list(play_blocks(PLAN, 1, tmp_path))
    records = records_of(tmp_path)
    forget_records(tmp_path, after=6)
    assert list(records_of(tmp_path)) == [f"match-{number:06}.jsonl" for number in range(1, 7)]
    rest = list(play_blocks(PLAN, jobs, tmp_path, first=3))
    assert [(block.number, block.results) for block in rest] == [(block.number, block.results) for block in whole[3:]]
    assert records_of(tmp_path) == records
    assert list(play_blocks(PLAN, jobs, first=5)) == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_who_stops_listening_has_records_of_what_was_heard(jobs: int, tmp_path: Path) -> None:
    blocks = play_blocks(replace(PLAN, blocks=1000), jobs, tmp_path)
    assert [next(blocks).number for _ in range(3)] == [0, 1, 2]
    blocks.close()
    assert list(records_of(tmp_path)) == [f"match-{number:06}.jsonl" for number in range(1, 7)]


def test_no_worker_is_left_when_one_stops_listening() -> None:
    blocks = play_blocks(replace(PLAN, blocks=1000), 2)
    first = next(blocks)
    assert isinstance(first, Block)
    assert len(active_children()) == 2
    blocks.close()
    assert not active_children()
