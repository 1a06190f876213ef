"""How likely the deals of two seats are, and what each of the two knows beside its own card.

Owns the counting of the pack before the first choice: a Harlekin that is dealt throws both cards away (F5, G3), and
where they are not shuffled in again each seat remembers its own. Refuses to know what happens after the deal.

Once both Harlekins are gone nobody remembers what else was thrown: that happens in one hand of 170, the memory is worth
little, and `best_response`, which forgets nothing, says how little. A card that is forgotten is as likely here as
anywhere in the talon, for there is no Harlekin left which it could not be.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from kille_net.game.cards import Card
from kille_net.game.rules import Ruleset
from kille_net.solve.tree import Tree, is_dealt_again

__all__ = ["SITUATIONS", "Counts", "Deal", "Situation", "deals_in", "situations"]

Counts: TypeAlias = tuple[int, ...]
"""How many cards there are, by kind."""

_COPIES: Final = 2
_HIGH: Final = _COPIES
_OTHERS: Final = _COPIES * (len(Card) - 1)


@dataclass(frozen=True, slots=True)
class Situation:
    """What is remembered of what was thrown, before the deal that is played."""

    harlekins: int = 0
    """How many have been thrown."""
    others: tuple[int, int] = (0, 0)
    """How many other cards the first to speak remembers, and how many the dealer."""


SITUATIONS: Final = (Situation(), Situation(1, (0, 1)), Situation(1, (1, 0)), Situation(2))
"""Every one; where the whole pack is shuffled there is only the first."""


@dataclass(frozen=True, slots=True)
class Deal:
    """A deal that is played."""

    weight: float
    """How likely it is; those of a situation come to 1."""
    tree: Tree
    unseen: Counts
    """What the talon holds."""
    thrown: tuple[tuple[Card, ...], tuple[Card, ...]] = ((), ())
    """What each of the two remembers."""


def situations(rules: Ruleset) -> dict[Situation, float]:
    """How likely each is at the deal that is played, as long as no seat asks for better cards."""
    whole, *later = SITUATIONS
    if rules.rules.whole_pack:
        return {whole: 1.0}
    none, one, both = _chances(_HIGH, _OTHERS)
    none_then, one_then, _ = _chances(_HIGH - 1, _OTHERS - 1)
    return dict(
        zip([whole, *later], [none, one / 2 * none_then, one / 2 * none_then, both + one * one_then], strict=True)
    )


def _chances(high: int, others: int) -> tuple[float, float, float]:
    """That none, one and both of two cards are one of `high`."""
    ways = (high + others) * (high + others - 1)
    return others * (others - 1) / ways, 2 * high * others / ways, high * (high - 1) / ways


def _without(counts: Sequence[int], cards: Sequence[Card]) -> tuple[int, Counts]:
    """In how many ways such cards come, one after the other, and what is left then."""
    left = list(counts)
    ways = 1
    for card in cards:
        ways *= left[card]
        left[card] -= 1
    return ways, tuple(left)


def deals_in(situation: Situation, trees: Sequence[Tree]) -> list[Deal]:
    """Every deal that is played in it, with everything that may be remembered."""
    pack = _without((_COPIES,) * len(Card), (Card.HARLEKIN,) * situation.harlekins)[1]
    first, dealer = (_throws(number) for number in situation.others)
    found = [
        (ways, Deal(0.0, tree, left, (a, b)))
        for a in first
        for b in dealer
        for tree in trees
        for ways, left in [_without(pack, (*a, *b, *tree.cards))]
        if ways
    ]
    total = sum(ways for ways, _ in found)
    return [Deal(ways / total, deal.tree, deal.unseen, deal.thrown) for ways, deal in found]


def _throws(number: int) -> list[tuple[Card, ...]]:
    """What a seat may remember: a card at most."""
    return [(card,) for card in Card if not is_dealt_again(card, card)] if number else [()]
