"""A player that taught itself: values of what it may do, linear in what it sees, learned in half a minute by playing.

    python examples/train.py                 # plays against itself, and keeps what it learned in train.npy
    kille arena examples/train.py easy --pots 1

It needs the extra `env`. The value of what was chosen moves towards what the hand brought: Monte Carlo with a linear
model, chapter 9 of Sutton and Barto, Reinforcement Learning.
"""

from pathlib import Path

import numpy as np

from kille_net.env.asking import OPTIONS
from kille_net.env.encoding import SIZE, Vector
from kille_net.env.playing import Mask, PolicyBot

SEATS = 4
WEIGHTS = Path(__file__).with_suffix(".npy")

POTS = 5000
SHOWN = 500
STEP = 0.001
WHIM = 0.1
"""How often it tries any option while it learns."""


class Trained(PolicyBot):
    """Plays what was learned; for tables of as many seats."""

    def __init__(self) -> None:
        weights = np.load(WEIGHTS)
        super().__init__(lambda seen, mask: best(weights, seen, mask))


def best(weights: Vector, seen: Vector, mask: Mask) -> int:
    """The option of the highest value among those that there are."""
    return int(np.argmax(np.where(mask, weights @ seen, -np.inf)))


def train(pots: int, seed: int) -> Vector:
    """Weights of shape (OPTIONS, length of an observation), after so many pots in all seats at once."""
    from kille_net.env.aec import env  # noqa: PLC0415  who only plays needs no PettingZoo

    table = env(seats=SEATS, pots=1, reward="hand")
    whim = np.random.default_rng(seed)
    weights = np.zeros((OPTIONS, SIZE), np.float32)
    for pot in range(pots):
        table.reset(seed=seed if pot == 0 else None)
        step = STEP * (1 - pot / pots)
        chosen: dict[str, list[tuple[Vector, int]]] = {agent: [] for agent in table.agents}
        for agent in table.agent_iter():
            now, reward, is_over, _, _ = table.last()
            if reward:
                for seen, option in chosen[agent]:
                    weights[option] += step * (reward - weights[option] @ seen) * seen
                chosen[agent].clear()
            if is_over:
                table.step(None)
                continue
            assert now is not None
            seen, mask = now["observation"], now["action_mask"]
            option = int(whim.choice(np.flatnonzero(mask))) if whim.random() < WHIM else best(weights, seen, mask)
            chosen[agent].append((seen, option))
            table.step(option)
        if (pot + 1) % SHOWN == 0:
            print(f"{pot + 1} of {pots} pots")
    return weights


if __name__ == "__main__":
    np.save(WEIGHTS, train(POTS, seed=1))
    print(f"what was learned is in {WEIGHTS}")
