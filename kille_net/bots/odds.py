"""How likely it is that nobody ends lower than a card: the arithmetic behind the strongest player.

Owns a model of a table at which everyone swaps what lies below a threshold. Exact over the cards that cannot be seen,
but for two things: a card that is met does not thin the rest for the next one, and what a pig gives back to others is
taken for what they had. It refuses to know views: it is handed counts and numbers.

Cards are compared as integers. *To end below x* is to hold, at the showdown, a card lower than x without being struck
and without its being a low Harlekin: only such a seat keeps the holder of x from losing on the lowest card (L2).
Seats to come are told by how many follow them; the dealer has none.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import mul
from typing import Final

from kille_net.game.cards import Card

__all__ = ["LOW", "Fate", "Odds", "odds_of"]

LOW: Final = -1
"""A low Harlekin among cards that are compared: whoever holds it passes it on if it can."""

_ORDINARY: Final = range(Card.VARDSHUS)
"""What is handed over as it is, and has its rank wherever it goes."""
_SKIPS: Final = (Card.VARDSHUS, Card.KAVALL)


@dataclass(frozen=True, slots=True)
class Fate:
    """What a seat's end depends on, besides the seats to come. A life lost on the lowest card costs 1."""

    settled: Sequence[float]
    """By x: that no seat which has spoken ends below x; 0 for what never loses on the lowest card."""
    struck: float
    """What it costs to be struck or to hold a low Harlekin: less than 1, for then somebody else is the lowest."""
    returned: int | None
    """The card that the seat was dealt, if it has another one now: it holds that again after a pig (M3), and somebody
    else is struck.
    """


class Odds:
    """The odds when the cards that cannot be seen are these.

    A seat that holds a Kuku is thought to call it, so that none is at a seat while the hand goes on.
    """

    __slots__ = (
        "_beneath",
        "_drawn_from",
        "_rest",
        "dealt",
        "drawn",
        "husar",
        "husu",
        "kept",
        "ordinary",
        "skip",
        "stays",
    )

    def __init__(self, counts: Sequence[int], beneath: Sequence[int], *, draws_again: bool) -> None:
        """`counts` by kind; `beneath`: below what a seat swaps, by how many follow it; `draws_again`: D5 in `pots`."""
        held = max(sum(counts) - counts[Card.KUKU], 1)
        self.dealt: Final = [0.0 if card is Card.KUKU else counts[card] / held for card in Card]
        """What a card at a seat is, by kind."""
        drawable = max(sum(counts) - draws_again * sum(counts[card] for card in _SKIPS), 1)
        self.drawn: Final = [0.0 if draws_again and card in _SKIPS else counts[card] / drawable for card in Card]
        """What is drawn from the talon, by kind; where one draws again, what comes in the end."""
        self.skip: Final = sum(self.dealt[card] for card in _SKIPS)
        self.husu: Final = self.dealt[Card.HUSU]
        self.husar: Final = self.dealt[Card.HUSAR]
        self.stays: Final = self.drawn[Card.KUKU] + sum(self.drawn[card] for card in _SKIPS)
        """That a draw leaves the drawer its card, and costs nothing (D2, D5)."""
        self.kept: Final = [sum(self.dealt[x:]) for x in range(len(Card))]
        """By x: that a card at a seat is not below it."""
        self.ordinary: Final = [sum(self.dealt[x : _ORDINARY.stop]) for x in range(len(Card))]
        """By x: that a card at a seat is handed over and is not below it."""
        self._beneath: Final = tuple(beneath)
        kept = self.drawn[Card.HARLEKIN] + self.drawn[Card.HUSAR]
        self._drawn_from: Final = [sum(self.drawn[x : _ORDINARY.stop]) + kept for x in range(len(Card))]
        self._rest: Final[dict[int, tuple[list[float], Iterator[float]]]] = {}

    def rest(self, x: int, following: int) -> list[float]:
        """By the number of seats to come, the first of which is on turn with the card it was dealt: that none of them
        ends below x. For so many at least.
        """
        if x not in self._rest:
            self._rest[x] = [], self._one_by_one(x)
        rest, more = self._rest[x]
        while len(rest) <= following:
            rest.append(next(more))
        return rest

    def _one_by_one(self, x: int) -> Iterator[float]:
        later = 1.0
        # By card: that nobody ends below x from where its holder, who swaps, asks the next seat to come.
        asking = [self._draw(x, card) + self.drawn[Card.HUSU] for card in range(max(self._beneath))]
        higher = [self.ordinary[max(x, card)] for card in range(len(asking))]
        stops = self.husar + self.husu + self.ordinary[x]
        for beneath in self._beneath:
            yield later
            rest = self.kept[max(x, beneath)] * later + sum(map(mul, self.dealt, asking[:beneath]))
            for card, past in enumerate(asking):
                on_turn = past if card < beneath else later * (card >= x)
                passed_on = (higher[card] + self.dealt[Card.HARLEKIN]) * on_turn
                asking[card] = self.skip * past + (stops - higher[card]) * later + passed_on
            later = rest

    def _draw(self, x: int, card: int) -> float:
        """That who draws for this card does not end below x; without the pig."""
        return self._drawn_from[x] + self.stays * (card >= x or card == LOW)

    def stand(self, card: int, following: int, fate: Fate) -> float:
        """What it costs a seat to keep the card."""
        return fate.struck if card == LOW else fate.settled[card] * self.rest(card, following)[following]

    def swap(self, card: int, following: int, fate: Fate) -> float:
        """What it costs a seat to ask for another card."""
        stopped = self.husar * fate.struck
        if card != LOW:
            stopped += self.dealt[Card.HARLEKIN] * fate.struck
        pigs = self._pigs(card, following, fate)
        costs = [stopped + self.husu * self._undone(later, fate) for later in range(following)]
        for got in _ORDINARY:
            often = self.dealt[got]
            if not often:
                continue
            settled = fate.settled[got]
            if card > got:  # the other seat knows that it is not the lowest, and stands
                rest = self.rest(got, following - 1)
                for later in range(following):
                    costs[later] += often * settled * rest[later]
            else:
                for later, nobody in enumerate(self._handed_on(card, got, following)):
                    costs[later] += often * (settled * nobody + pigs[later])
        cost = self.draw(card, fate)
        for here in costs:
            cost = here + self.skip * cost
        return cost

    def draw(self, card: int, fate: Fate) -> float:
        """What it costs a seat to go to the talon, when nobody else is to come."""
        drawn = self.drawn
        cost = drawn[Card.HUSAR] * fate.struck + drawn[Card.HUSU] * self._undone(0, fate)
        cost += self.stays * (fate.struck if card == LOW else fate.settled[card])
        return cost + sum(drawn[got] * fate.settled[got] for got in _ORDINARY)

    def _undone(self, later: int, fate: Fate) -> float:
        if fate.returned is None:
            return fate.struck
        return fate.settled[fate.returned] * self.rest(fate.returned, later)[later] - (1 - fate.struck)

    def _handed_on(self, card: int, x: int, following: int) -> list[float]:
        """By the number of seats after one that is on turn with a card that it got for x: that nobody ends below x, but
        for the card's meeting a pig.
        """
        rest = self.rest(x, following - 1)
        higher = self.ordinary[max(x, card)]
        passed_on = higher + self.dealt[Card.HARLEKIN]
        stops = self.husar + self.ordinary[x] - higher
        asking, nobody = self._draw(x, card), []
        for later in range(following):
            on_turn = asking if card < self._beneath[later] else rest[later] * (card >= x)
            nobody.append(on_turn)
            asking = stops * rest[later] + passed_on * on_turn + self.skip * asking
        return nobody

    def _pigs(self, card: int, following: int, fate: Fate) -> list[float]:
        """By the number of seats after one that is on turn with the card: what it costs to have handed it on, in that
        it may meet a pig.
        """
        passed_on = self.ordinary[max(card, 0)] + self.dealt[Card.HARLEKIN]
        asking, costs = self.drawn[Card.HUSU] * self._undone(0, fate), []
        for later in range(following):
            on_turn = asking if card < self._beneath[later] else 0.0
            costs.append(on_turn)
            asking = self.husu * self._undone(later, fate) + passed_on * on_turn + self.skip * asking
        return costs


@lru_cache(maxsize=4096)
def odds_of(counts: tuple[int, ...], beneath: tuple[int, ...], *, draws_again: bool) -> Odds:
    """The same odds for the same cards."""
    return Odds(counts, beneath, draws_again=draws_again)
