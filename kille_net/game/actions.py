"""What a seat may do, and why it may not.

Owns the words only; `hand` alone decides which of them hold.
"""

from enum import Enum, IntEnum
from typing import Final

__all__ = [
    "ACTIONS_OF",
    "ANSWERS",
    "CALL",
    "DEFAULTS",
    "ON_FIRST_TURN",
    "ON_TURN",
    "Action",
    "IllegalAction",
    "Phase",
    "Refusal",
    "actions_of",
    "bits_of",
]


class Action(IntEnum):
    """An answer of a seat; its number is its bit in a set of actions."""

    STAND = 0
    SWAP = 1
    KUKU = 2
    ASK = 3
    ACCEPT = 4
    REFUSE = 5
    DEPENDS = 6

    __hash__ = int.__hash__  # an enum's own is a function of Python

    @property
    def code(self) -> str:
        """How files write it (protocol/record.md)."""
        return _CODES[self]

    @property
    def is_answer(self) -> bool:
        """Whether it answers an ask for better cards."""
        return self >= Action.ACCEPT


class Phase(Enum):
    """What a hand waits for."""

    DEAL = "deal"
    """A shuffled pack."""
    TURN = "turn"
    """The seat on turn stands, swaps or asks for better cards (T1, F4)."""
    ASKED = "asked"
    """The dealer answers an ask (F4, G3)."""
    MIDDLE = "middle"
    """The middle seat answers an ask on which the dealer said "it depends" (F4)."""
    OVER = "over"

    __hash__ = object.__hash__  # an enum's own is a function of Python


class Refusal(Enum):
    """Why an action is not legal. A function of what the seat itself knows, so that it tells nothing."""

    NO_HAND = "no_hand"
    NOT_IN_HAND = "not_in_hand"
    NOT_YOUR_TURN = "not_your_turn"
    NOT_ASKED = "not_asked"
    MUST_ANSWER = "must_answer"
    WRONG_ANSWER = "wrong_answer"
    CANNOT_ASK = "cannot_ask"
    NO_KUKU = "no_kuku"


class IllegalAction(Exception):
    """The action is not legal now; nothing has changed."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.value)
        self.refusal = refusal


DEFAULTS: Final = {Phase.TURN: Action.STAND, Phase.ASKED: Action.REFUSE, Phase.MIDDLE: Action.REFUSE}
"""What counts as the answer of a seat that gives none: one for every phase that asks a seat."""

_CODES: Final = tuple([action.name.lower() for action in Action])
ACTIONS_OF: Final = tuple(
    [tuple([action for action in Action if bits >> action & 1]) for bits in range(1 << len(Action))]
)
"""By a set of actions as bits: the actions, in their order."""


def actions_of(bits: int) -> tuple[Action, ...]:
    """The actions of a set of bits, in their order."""
    return ACTIONS_OF[bits]


def bits_of(*actions: Action) -> int:
    """The set of these actions, as bits."""
    return sum({1 << action for action in actions})


ON_TURN: Final = bits_of(Action.STAND, Action.SWAP)
"""What the seat on turn may do (T1)…"""
ON_FIRST_TURN: Final = ON_TURN | bits_of(Action.ASK)
"""…while the first to speak may still ask for better cards (F4, G3)."""
CALL: Final = bits_of(Action.KUKU)
"""What a seat may do as well that holds a Kuku, whoever is on turn (M7, M9)."""
ANSWERS: Final = {
    Phase.ASKED: {2: bits_of(Action.ACCEPT, Action.REFUSE), 3: bits_of(Action.REFUSE, Action.DEPENDS)},
    Phase.MIDDLE: {3: bits_of(Action.ACCEPT, Action.REFUSE)},
}
"""What may be said to an ask for better cards, by the number of seats left (F4)."""
