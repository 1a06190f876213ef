"""What may happen by the cards that a seat cannot see, counted exactly.

Owns the odds that are a matter of counting: every deal that fits what the seat knows is as likely as any other. What
others chose is not read, but for what it proves: a card that was handed over on a swap is no matador (part 4), and a
Harlekin that crosses is seen (H3). A card that another threw away in a duel may be any. Refuses to guess what others
will do (`odds` does) and to advise.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Final, TypeAlias

from kille_net.bots.reading import COPIES, following
from kille_net.bots.reading import unseen as unseen_by
from kille_net.game.cards import Card
from kille_net.game.hand import Deed
from kille_net.game.rules import MIN_SEATS, REFUSALS, Effect, HarlekinRank, Seat
from kille_net.game.showdown import NEVER_LOWEST
from kille_net.game.views import View

__all__ = ["Count", "Outcome", "ways"]

Kinds: TypeAlias = frozenset[Card]

_ALL: Final[Kinds] = frozenset(Card)
_CROSSED: Final[Kinds] = _ALL - {Card.HARLEKIN}
"""What a card may be that was swapped away face down (H3)."""
_HANDED_OVER: Final[Kinds] = frozenset(card for card in Card if card < Card.VARDSHUS)
"""What a card may be that was asked for and given face down (M1 to M6, H3)."""


class Outcome(Enum):
    """What comes of a swap or a draw, by the card that one has then."""

    BETTER = "better"
    SAME = "same"
    WORSE = "worse"
    KEPT = "kept"
    """Refused, and nothing happens to the asker."""
    STRUCK = "struck"
    """Refused, and the asker is struck."""


def ways(unseen: Sequence[int], slots: Iterable[Kinds]) -> int:
    """In how many ways the slots can be filled, each with one of its kinds; `unseen` by kind, copies told apart."""
    slots = tuple(slots)
    groups: dict[tuple[bool, ...], int] = {}
    for card in Card:
        where = tuple(card in slot for slot in slots)
        groups[where] = groups.get(where, 0) + unseen[card]
    fits = tuple(tuple(k for k, where in enumerate(groups) if where[slot]) for slot in range(len(slots)))
    return _ways(tuple(groups.values()), fits)


@lru_cache(maxsize=8192)
def _ways(sizes: tuple[int, ...], fits: tuple[tuple[int, ...], ...]) -> int:
    """The same by groups of kinds that fit into the same slots."""
    if not fits:
        return 1
    first, rest = fits[0], fits[1:]
    return sum(
        sizes[group] * _ways((*sizes[:group], sizes[group] - 1, *sizes[group + 1 :]), rest)
        for group in first
        if sizes[group]
    )


@dataclass(frozen=True, slots=True)
class _Cards:
    """The cards of a hand, as far as they are known; a card is told by the seat that it was dealt to."""

    unseen: tuple[int, ...]
    known: Mapping[int, Card]
    hidden: Mapping[int, Kinds]
    """What a card may be that is not known."""
    held: Mapping[Seat, int]
    """By seat the card that it holds."""
    low: frozenset[int]
    """Low Harlekins."""
    struck: frozenset[Seat]

    def chances(self, card_id: int | None) -> Iterator[tuple[Card, Fraction, "_Cards"]]:
        """Each kind that a card may be, how likely, and what is known then; None: the next of the talon."""
        if card_id is not None and card_id in self.known:
            yield self.known[card_id], Fraction(1), self
            return
        kinds = _ALL if card_id is None else self.hidden[card_id]
        hidden = {other: its for other, its in self.hidden.items() if other != card_id}
        total = ways(self.unseen, (*hidden.values(), kinds))
        for card in sorted(kinds):
            if not self.unseen[card]:
                continue
            unseen = (*self.unseen[:card], self.unseen[card] - 1, *self.unseen[card + 1 :])
            number = self.unseen[card] * ways(unseen, hidden.values())
            if number:
                known = self.known if card_id is None else {**self.known, card_id: card}
                yield card, Fraction(number, total), replace(self, unseen=unseen, known=known, hidden=hidden)


class Count:
    """The odds of the seat whose answer is open. Raises ValueError for a view that no deal fits."""

    def __init__(self, view: View, unseen: Sequence[int] | None = None) -> None:
        """`unseen`: by kind what may lie where the viewer does not see; None: what is left of the pack."""
        assert view.seat is not None
        self._view = view
        self._seat: Seat = view.seat
        self._dealt_low = view.rules.dealt_harlekin is HarlekinRank.LOW
        origins = {seat: origin for seat in view.order if (origin := view.origins[seat]) is not None}
        known = {origin: card for seat, origin in origins.items() if (card := view.cards[seat]) is not None}
        self._cards: Final = _Cards(
            unseen=unseen_by(view) if unseen is None else tuple(unseen),
            known=known,
            hidden={origin: self._kinds(origin) for origin in origins.values() if origin not in known},
            held=origins,
            low=frozenset(origins[seat] for seat in view.low_harlekins),
            struck=frozenset(view.struck),
        )
        is_fit = sorted(origins.values()) == sorted(origins) and min(self._cards.unseen) >= 0
        if not is_fit or not ways(self._cards.unseen, self._cards.hidden.values()):
            raise ValueError("no deal fits the view")

    def _kinds(self, card_id: int) -> Kinds:
        """What a hidden card may be, by the rules and what the seats have done (T2, M1, H3; F5 and G3 of two seats)."""
        view = self._view
        kinds = _ALL
        if len(view.order) == MIN_SEATS:
            kinds = _CROSSED - {Card.KUKU} if view.rules.rules.kuku_shows_itself else _CROSSED
        turns = [seat for seat in view.order if view.deeds[seat] is not Deed.PASSED_OVER]
        for asker, target in pairwise(turns):
            if view.deeds[asker] is Deed.SWAPPED and card_id in {asker, target}:
                kinds &= _HANDED_OVER if target == card_id else _CROSSED
        return kinds

    # --- swapping -------------------------------------------------------------------------------------------------

    def swap(self) -> dict[Outcome, Fraction]:
        """What comes of asking the seat on the left, or of drawing where there is none."""
        odds = dict.fromkeys(Outcome, Fraction())
        for outcome, chance in self._ask(following(self._view), self._cards):
            odds[outcome] += chance
        return odds

    def _ask(self, later: Sequence[Seat], cards: _Cards) -> Iterator[tuple[Outcome, Fraction]]:
        if not later:
            for card, effect, chance, _ in self._drawn(cards):
                yield self._outcome(card, effect, drawn=True), chance
            return
        for card, chance, then in cards.chances(cards.held[later[0]]):
            effect = REFUSALS.get(card)
            if effect is Effect.SKIP:
                yield from ((outcome, chance * further) for outcome, further in self._ask(later[1:], then))
            else:
                yield self._outcome(card, effect, drawn=False), chance

    def _outcome(self, card: Card, effect: Effect | None, *, drawn: bool) -> Outcome:
        match effect:
            case Effect.STRIKE:
                return Outcome.STRUCK
            case Effect.UNDO:
                return Outcome.STRUCK if self._cards.held[self._seat] == self._seat else Outcome.KEPT
            case Effect.STOP:
                return Outcome.KEPT
        after = _rank(card, low=not drawn and self._view.card is not Card.HARLEKIN)  # H1, H2
        return _compared(self._own_rank(), after)

    def fresh(self) -> dict[Outcome, Fraction]:
        """How one's card would compare with a new one, if the cards are dealt again (F4, G3)."""
        view = self._view
        unseen = (COPIES,) * len(Card) if view.rules.rules.whole_pack else self._cards.unseen
        kinds = _CROSSED if len(view.order) == MIN_SEATS else _ALL  # a Harlekin is dealt again by itself
        before = self._own_rank()
        odds = dict.fromkeys(Outcome, Fraction())
        for card in kinds:
            outcome = _compared(before, _rank(card, low=self._dealt_low))
            odds[outcome] += Fraction(unseen[card], sum(unseen[kind] for kind in kinds))
        return odds

    def _own_rank(self) -> int:
        return _rank(self._view.card, low=self._cards.held[self._seat] in self._cards.low)

    def _drawn(self, cards: _Cards) -> Iterator[tuple[Card, Effect | None, Fraction, _Cards]]:
        """What is drawn in the end, and what is known then (D1 to D5)."""
        for card, chance, then in cards.chances(None):
            effect = self._view.rules.rules.talon.get(card)
            if effect is Effect.SKIP:
                for last, what, further, known in self._drawn(then):
                    yield last, what, chance * further, known
            else:
                yield card, effect, chance, then

    # --- the showdown ---------------------------------------------------------------------------------------------

    def stand(self) -> Fraction:
        """How likely the seat loses a life if all turned up now: for who speaks last, by standing."""
        return self._loses(self._cards)

    def draw(self) -> Fraction:
        """How likely the seat, which speaks last, loses a life if it draws."""
        return sum(
            (chance * self._after_draw(card, effect, then) for card, effect, chance, then in self._drawn(self._cards)),
            Fraction(),
        )

    def _after_draw(self, card: Card, effect: Effect | None, cards: _Cards) -> Fraction:
        own = cards.held[self._seat]
        match effect:
            case None:
                drawn = len(self._view.lives)
                held = {**cards.held, self._seat: drawn}
                return self._loses(replace(cards, known={**cards.known, drawn: card}, held=held))
            case Effect.STRIKE:
                return self._loses(replace(cards, struck=cards.struck | {self._seat}))
            case Effect.UNDO:
                return self._loses(self._undone(cards, own))
        return self._loses(cards)

    def _undone(self, cards: _Cards, origin: Seat) -> _Cards:
        """After a pig: everyone on the way of the card holds what they were dealt, and the first of them is struck."""
        order = self._view.order
        way = [seat for seat in order[order.index(origin) :] if self._view.deeds[seat] is Deed.SWAPPED]
        back = {seat: seat for seat in (*way, self._seat)}
        dealt = {seat for seat in back if cards.known.get(seat) is Card.HARLEKIN}
        low = cards.low | dealt if self._dealt_low else cards.low - dealt
        return replace(cards, held={**cards.held, **back}, low=low, struck=cards.struck | {origin})

    def _loses(self, cards: _Cards) -> Fraction:
        """How likely the seat loses a life when all turn up (L2 to L5)."""
        if self._seat in cards.struck:
            return Fraction(1)
        own = cards.held[self._seat]
        others = [card_id for seat, card_id in cards.held.items() if seat != self._seat and seat not in cards.struck]
        free = [card_id for card_id in others if card_id not in cards.low]
        if own in cards.low:
            return 1 - self._goes_free_low(cards, free)
        card = cards.known[own]
        if card in NEVER_LOWEST:
            return Fraction()
        not_lower = self._all_are(cards, free, [other for other in Card if other >= card])
        return not_lower - self._all_are(cards, free, [card], or_low=True)  # L4: it would be everyone

    def _goes_free_low(self, cards: _Cards, free: Sequence[int]) -> Fraction:
        """How likely a low Harlekin is spared: when it would be everyone (L4, L5)."""
        only_low = self._all_are(cards, free, [], or_low=True)
        if cards.struck:
            return only_low
        ordinary = [card for card in Card if card not in NEVER_LOWEST]
        return only_low + sum(
            (self._all_are(cards, free, [card], or_low=True) - only_low for card in ordinary), Fraction()
        )

    def _all_are(self, cards: _Cards, ids: Collection[int], kinds: Iterable[Card], *, or_low: bool = False) -> Fraction:
        """How likely all these cards are of these kinds; `or_low`: or low Harlekins, as a dealt one may be (H4)."""
        kinds = frozenset(kinds)
        if any(cards.known[card_id] not in kinds for card_id in ids if card_id in cards.known):
            return Fraction()
        kinds |= {Card.HARLEKIN} if or_low and self._dealt_low else frozenset()
        wanted = [its & kinds if card_id in ids else its for card_id, its in cards.hidden.items()]
        return Fraction(ways(cards.unseen, wanted), ways(cards.unseen, cards.hidden.values()))


def _rank(card: Card, *, low: bool) -> int:
    """Where a card stands (P2, P4)."""
    if card is Card.HARLEKIN:
        return -1 if low else int(Card.KUKU)
    return int(card)


def _compared(before: int, after: int) -> Outcome:
    return Outcome.BETTER if after > before else Outcome.WORSE if after < before else Outcome.SAME
