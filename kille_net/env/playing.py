"""What was trained, at any table: a policy over observations becomes a bot like others.

Owns the way from a view to an option, the same as in the environments. Refuses to know what a policy is made of.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kille_net.bots import Bot
from kille_net.env.asking import OPTIONS, PASS
from kille_net.env.encoding import Vector, encode
from kille_net.game.actions import Action
from kille_net.game.views import View

__all__ = ["Mask", "Policy", "PolicyBot", "mask_of"]

Mask: TypeAlias = npt.NDArray[np.int8]
"""1 at each option that there is."""
Policy: TypeAlias = Callable[[Vector, Mask], int]
"""The option chosen, of an observation and its mask."""


def mask_of(bits: int) -> Mask:
    return np.array([bits >> option & 1 for option in range(OPTIONS)], np.int8)


class PolicyBot(Bot):
    """Plays by a policy; a bot in a file makes one of its own (`examples/train.py`)."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def decide(self, view: View) -> Action:
        # Whoever is asked for its answer was asked for its Kuku a moment ago (`asking.options`).
        bits = sum(1 << action for action in view.legal if action is not Action.KUKU)
        return Action(self._policy(encode(view), mask_of(bits)))

    def calls_kuku(self, view: View) -> bool:
        return self._policy(encode(view, calling=True), mask_of(1 << Action.KUKU | 1 << PASS)) == Action.KUKU
