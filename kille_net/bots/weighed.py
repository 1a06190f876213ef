"""What the strongest player makes of a view, and by what it chose: the value that both its choice and a coach go by.

Owns the kinds of reasons. Refuses to know how they are found (`sharp`, `asking`) and how they are told.
"""

from enum import Enum
from typing import NamedTuple

from kille_net.game.actions import Action

__all__ = ["Reason", "Weighed"]


class Reason(Enum):
    NEVER_LOWEST = "never_lowest"
    """Its card never loses as the lowest (L2)."""
    SAFE = "safe"
    """Standing costs nothing."""
    COSTS = "costs"
    """One of the two costs less."""
    ASKS = "asks"
    """A table: with these cards it asks for better ones."""
    ANSWERS = "answers"
    """A table: with these cards it accepts an ask."""
    DUEL_FIRST = "duel_first"
    """A table: with these cards the first of two swaps."""
    DUEL_DEALER = "duel_dealer"
    """A table: with these cards the dealer draws after the other stood."""
    DUEL_KNOWN = "duel_known"
    """The other's card is known; one of the two is worth more."""


class Weighed(NamedTuple):
    """What it does, and why."""

    action: Action
    reason: Reason
    stand: float = 0.0
    """COSTS: what standing costs, in lives; DUEL_KNOWN: what it is worth, from 1, a won hand, to -1, a lost one."""
    swap: float = 0.0
    """The same of swapping or drawing."""
    cards: range = range(0)
    """With which cards a table says so."""
