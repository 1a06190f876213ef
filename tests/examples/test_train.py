"""The example that learns: what it learned in seconds is a player that beats `easy`."""

import json
import shutil
from pathlib import Path

import numpy as np

from examples.train import train
from tests.deep import size
from tests.examples.running import ROOT
from tests.serving import kille


def test_what_was_learned_beats_the_easy_player(tmp_path: Path) -> None:
    bot, run = tmp_path / "train.py", tmp_path / "run.json"
    shutil.copy(ROOT / "examples/train.py", bot)
    np.save(bot.with_suffix(".npy"), train(size(1200, 5000), seed=1))
    arena = ("--seats", "4", "--pots", "1", "--seed", "x", "--jobs", "1", "--matches", str(size(600, 3000)))
    done = kille("arena", str(bot), "easy", *arena, "--out", str(run), seconds=300)
    assert done.returncode == 0, done.stderr
    (difference,) = json.loads(run.read_text(encoding="utf-8"))["differences"]
    assert difference["share"]["low"] > 0
