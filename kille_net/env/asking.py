"""Who is asked what, and what it is worth: the questions of a match one by one, for both environments.

Owns the options, which are the actions and one more, and the order in which seats are asked. At each safe point (M7)
whoever holds a Kuku is asked first, from the dealer's left, whether it calls it now or passes; then the seat whose
answer is open. So are all matches in process played (`arena.play`). Refuses to know where cards come from.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from kille_net.game.actions import Action
from kille_net.game.match import Match
from kille_net.game.rules import Seat

__all__ = ["OPTIONS", "PASS", "Paid", "callers", "name_of", "options", "paid"]

PASS: Final = len(Action)
"""The option of a seat that holds a Kuku, and does not call it at this safe point."""
OPTIONS: Final = PASS + 1
"""The options: the actions by their numbers (`Action`), and PASS."""

_CALLING: Final = 1 << Action.KUKU | 1 << PASS


def name_of(option: int) -> str:
    return "pass" if option == PASS else Action(option).code


def callers(match: Match) -> tuple[Seat, ...]:
    """The seats that are to be asked at this safe point whether they call their Kuku, in turn."""
    return () if match.hand is None else match.hand.kuku_seats()


def options(match: Match, seat: Seat, *, calling: bool, max_asks: int) -> int:
    """What the seat that is asked may choose, as bits.

    A Kuku that was not called at this safe point is not called with the answer that follows.
    """
    if calling:
        return _CALLING
    assert match.hand is not None
    bits = match.legal(seat) & ~(1 << Action.KUKU)
    return bits if match.hand.asks < max_asks else bits & ~(1 << Action.ASK)


class Paid(StrEnum):
    """What a seat is paid for; always its lead over the mean of the others, so that the sum is none."""

    MATCH = "match"
    """Winning the match: 1, and −1 divided among the others."""
    HAND = "hand"
    """Each hand, to those in it: a life lost is −1."""


def paid(match: Match, by: Paid) -> Mapping[Seat, float]:
    """What the last step of a match brought the seats; those that are not named, nothing.

    It is to be asked once after every deal and every action.
    """
    if by is Paid.MATCH:
        return (
            _lead({seat: float(seat == match.winner) for seat in range(match.seats)})
            if match.winner is not None
            else {}
        )
    hand = match.hand
    if hand is None or hand.showdown is None:
        return {}
    return _lead({seat: -float(seat in hand.showdown.lost) for seat in hand.order})


def _lead(worth: Mapping[Seat, float]) -> Mapping[Seat, float]:
    total, others = sum(worth.values()), len(worth) - 1
    return {seat: own - (total - own) / others for seat, own in worth.items()}
