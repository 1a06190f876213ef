"""What a seat may know, as numbers: one vector for both environments, made of a `View` and nothing else.

Owns the layout, which is `LAYOUT` and the same for every table, so that what has learned at one can sit at another. A
`View` has no field for a hidden card (rule T5), so neither has the vector. Left out is what no choice can rest on: the
seat's own number and how many hands have been played.
"""

import math
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from kille_net.bots.reading import COPIES
from kille_net.game.actions import Phase
from kille_net.game.cards import Card
from kille_net.game.hand import Deed
from kille_net.game.rules import MAX_SEATS, Ruleset
from kille_net.game.views import View

__all__ = ["LAYOUT", "SIZE", "Piece", "Vector", "encode", "named"]

Vector: TypeAlias = npt.NDArray[np.float32]

_ASKS: Final = 4


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the vector."""

    name: str
    shape: tuple[int, ...]
    meaning: str


LAYOUT: Final = (
    Piece("calling", (1,), "1: it is asked whether it calls its Kuku now (M7)"),
    Piece("phase", (len(Phase),), "1 at what the hand waits for, in the order of `Phase`"),
    Piece("to_act", (MAX_SEATS,), "1 at the seat whose answer is open"),
    Piece("can_ask", (1,), "1: the first to speak may still ask for better cards (F4, G3)"),
    Piece("asks", (_ASKS,), "1 at how many asks were accepted in this hand: 0, 1, 2, or 3 and more"),
    Piece("dealer", (MAX_SEATS,), "1 at the dealer"),
    Piece("behind", (MAX_SEATS,), "1 at how many seats of the hand speak after the viewer"),
    Piece("lives", (MAX_SEATS,), "lives, as a part of the most that there can be"),
    Piece("points", (MAX_SEATS,), "points, as a part of the pots or partier of the match"),
    Piece("cards", (MAX_SEATS, len(Card)), "1 at the kind of each card that the viewer knows; its own comes first"),
    Piece("low_harlekins", (MAX_SEATS,), "1: a Harlekin that is known to be low"),
    Piece("face_up", (MAX_SEATS,), "1: its card is face up"),
    Piece("struck", (MAX_SEATS,), "1: it is struck"),
    Piece("origins", (MAX_SEATS, MAX_SEATS + 1), "1 at the seat that its card was dealt to, or at the talon"),
    Piece("deeds", (MAX_SEATS, len(Deed)), "1 at what it did with its turn, in the order of `Deed`"),
    Piece("beside", (len(Card),), "by kind: matadors drawn from the talon; ½ for each"),
    Piece("gone", (len(Card),), "by kind: cards that the viewer knows to be out of all hands; ½ for each"),
)
"""In this order, each piece row by row. Where it goes by seats, the first place is the viewer's own, the next that on
its left and so on; those that the table has not are empty. All numbers are between 0 and 1, 0 where nothing is said.
"""

_PHASES: Final = {phase: number for number, phase in enumerate(Phase)}
_DEEDS: Final = {deed: number for number, deed in enumerate(Deed)}
_SIZES: Final = tuple(math.prod(piece.shape) for piece in LAYOUT)
SIZE: Final = sum(_SIZES)
"""How long the vector is."""
_AT: Final = dict(zip((piece.name for piece in LAYOUT), accumulate(_SIZES, initial=0), strict=False))
"""Where each piece begins."""


def named(vector: Vector) -> dict[str, Vector]:
    """The pieces of a vector by name, each in its shape; they share its memory."""
    return {
        piece.name: vector[at : at + size].reshape(piece.shape)
        for piece, at, size in zip(LAYOUT, _AT.values(), _SIZES, strict=True)
    }


def encode(view: View, *, calling: bool = False) -> Vector:
    """The vector of a view; `calling`: the viewer is asked whether it calls its Kuku now.

    A spectator's is turned as that of the first seat.
    """
    seats = len(view.lives)
    at = _AT
    own = view.seat or 0
    left = [(seat - own) % seats for seat in range(seats)]  # by seat: how far on the left of the viewer
    ones = [at["phase"] + _PHASES[view.phase], at["asks"] + min(view.asks, _ASKS - 1), at["dealer"] + left[view.dealer]]
    if calling:
        ones.append(at["calling"])
    if view.can_ask:
        ones.append(at["can_ask"])
    if view.to_act is not None:
        ones.append(at["to_act"] + left[view.to_act])
    order = view.order
    if view.seat in order:
        ones.append(at["behind"] + len(order) - 1 - order.index(view.seat))
    for name in ("low_harlekins", "face_up", "struck"):
        ones += [at[name] + left[seat] for seat in getattr(view, name)]
    for seat, place in enumerate(left):
        if (card := view.cards[seat]) is not None:
            ones.append(at["cards"] + place * len(Card) + card)
        if (origin := view.origins[seat]) is not None:
            ones.append(at["origins"] + place * (MAX_SEATS + 1) + (left[origin] if origin < seats else MAX_SEATS))
        ones.append(at["deeds"] + place * len(_DEEDS) + _DEEDS[view.deeds[seat]])
    vector: Vector = np.zeros(SIZE, np.float32)
    vector[ones] = 1
    most = _most_lives(view.rules)
    for seat, place in enumerate(left):
        vector[at["lives"] + place] = view.lives[seat] / most
        vector[at["points"] + place] = view.points[seat] / view.rules.pots
    for name in ("beside", "gone"):
        for card in getattr(view, name):
            vector[at[name] + card] += 1 / COPIES
    return vector


def _most_lives(rules: Ruleset) -> int:
    """F1, G1; in the slutspel as many as sticks (G5)."""
    return max(rules.rules.lives, rules.pots if rules.rules.final else 0)
