"""Where every card of a hand lies, who knows it, and how a Harlekin counts (rules.md, parts 1, 5, 6, M3, M4, T5).

Owns the cards and moves them. Refuses to know whose turn it is and whether a move is lawful (`hand` does).

What is known of a card goes with it: whom it was dealt to, who knows which it is, whether it is face up, and whether it
is a low Harlekin. All that stands by the seat that holds it; the sets are bits.
"""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar, Final

from kille_net.game.cards import Card, Pack
from kille_net.game.compiling import mypyc_attr
from kille_net.game.events import HiddenCard
from kille_net.game.rules import MAX_SEATS, Seat
from kille_net.game.values import remade

__all__ = ["AROUND", "SEATS_OF", "Table", "bit_of"]

_SPECTATOR: Final = MAX_SEATS
"""The bit that stands for whoever has no seat, beside the seats' own."""
_EVERYONE: Final = (1 << _SPECTATOR + 1) - 1
SEATS_OF: Final = tuple(tuple(seat for seat in range(MAX_SEATS) if bits >> seat & 1) for bits in range(1 << MAX_SEATS))
"""By a set of seats as bits: the seats, ascending."""
AROUND: Final = tuple(
    [
        tuple([tuple([(seat + k) % seats for k in range(1, seats + 1)]) for seat in range(seats)])
        for seats in range(MAX_SEATS + 1)
    ]
)
"""By the number of seats and a seat: the seats from its left around the table, itself last (S1)."""
_HARLEKIN: Final = Card.HARLEKIN
# By the number of seats, for each seat the same: a list is copied faster than it is multiplied.
_NONE_EACH: Final[list[list[Any]]] = [[None] * seats for seats in range(MAX_SEATS + 1)]
_NOBODY_EACH: Final = [[0] * seats for seats in range(MAX_SEATS + 1)]


def bit_of(viewer: Seat | None) -> int:
    """The bit of a seat, or of a spectator (None), among those who know a card (`Table.known_by`)."""
    return 1 << (_SPECTATOR if viewer is None else viewer)


@mypyc_attr(acyclic=True, free_list_len=1)
class Table:
    """The cards of one hand. Whole and consistent after each method; what a method needs is its caller's to check."""

    __slots__: ClassVar = (
        "_dealt_low",
        "_discard",
        "_next",
        "_pack",
        "beside",
        "gone",
        "held",
        "low",
        "origin",
        "seen",
        "up",
    )

    def __init__(self, seats: int, *, dealt_low: bool) -> None:
        """`dealt_low`: whether a dealt Harlekin counts as low (H4)."""
        self._dealt_low: Final = dealt_low
        self._pack: Pack = ()  # the talon: what is left of it, from `_next` on
        self._next = 0
        self._discard: tuple[Card, ...] = ()
        self.held: list[HiddenCard] = _NONE_EACH[seats].copy()
        """Per seat, as `cards`; this and the next four are for reading."""
        self.seen = _NOBODY_EACH[seats].copy()
        """Per seat, as `known_by`."""
        self.origin: list[int | None] = _NONE_EACH[seats].copy()
        """Per seat, as `origins`."""
        self.up = 0
        """As `face_up`, as bits."""
        self.low = 0
        """As `low_harlekins`, as bits."""
        self.beside: tuple[Card, ...] = ()
        """Matadors drawn from the talon (D6)."""
        self.gone: tuple[tuple[Card, int], ...] = ()
        """Cards given for what was drawn or dealt again, each with who knows it, as bits (`bit_of`)."""

    def copy(self) -> "Table":
        """An independent table with the same cards."""
        twin = Table(len(self.held), dealt_low=self._dealt_low)
        twin._pack = self._pack
        twin._next = self._next
        twin._discard = self._discard
        twin.held = self.held[:]
        twin.seen = self.seen[:]
        twin.origin = self.origin[:]
        twin.up = self.up
        twin.low = self.low
        twin.beside = self.beside
        twin.gone = self.gone
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        return remade(self, partial(Table, len(self.held), dealt_low=self._dealt_low), "_dealt_low")

    # --- what lies where ------------------------------------------------------------------------------------------

    @property
    def talon(self) -> tuple[Card, ...]:
        """Top first. Nobody may see it."""
        return self._pack[self._next :]

    @property
    def discard(self) -> tuple[Card, ...]:
        """The discard pile of a duel (G3). Nobody may see it."""
        return self._discard

    def card(self, seat: Seat) -> HiddenCard:
        """The card that the seat holds; None before a deal and for a seat that is not in the hand."""
        return self.held[seat]

    def cards(self) -> tuple[HiddenCard, ...]:
        """Per seat, as `card`."""
        return tuple(self.held)

    def known_by(self) -> tuple[int, ...]:
        """Per seat who knows the card it holds, as bits (`bit_of`)."""
        return tuple(self.seen)

    def origins(self) -> tuple[int | None, ...]:
        """Per seat the seat that its card was dealt to; the number of seats: drawn; None: no card."""
        return tuple(self.origin)

    @property
    def face_up(self) -> tuple[Seat, ...]:
        """Seats whose card is face up, ascending."""
        return SEATS_OF[self.up]

    @property
    def low_harlekins(self) -> tuple[Seat, ...]:
        """Seats whose Harlekin counts as low (H1 to H4), ascending."""
        return SEATS_OF[self.low]

    # --- how it comes there ---------------------------------------------------------------------------------------

    def stack(self, pack: Pack) -> None:
        """A whole pack becomes the talon; no seat holds a card, and all that lay elsewhere is in it."""
        self._become(pack)
        self.beside = ()
        self.gone = ()

    def deal(self, order: tuple[Seat, ...]) -> None:
        """One card to each, from the top (S2); no seat holds one."""
        held, seen, origin, pack, at = self.held, self.seen, self.origin, self._pack, self._next
        for seat in order:
            held[seat] = pack[at]
            seen[seat] = 1 << seat
            origin[seat] = seat
            at += 1
        self._next = at
        if self._dealt_low:
            for seat in order:
                self._set_low(seat, low=held[seat] is _HARLEKIN)

    def turn_up(self, seat: Seat) -> None:
        """The seat's card lies face up from now on, wherever it goes."""
        self.up |= 1 << seat
        self.seen[seat] = _EVERYONE

    def turn_up_all(self, order: tuple[Seat, ...]) -> None:
        """The cards of these seats lie face up."""
        seen, up = self.seen, self.up
        for seat in order:
            seen[seat] = _EVERYONE
            up |= 1 << seat
        self.up = up

    def exchange(self, asker: Seat, target: Seat) -> None:
        """A swap between two seats (T5, H1 to H3)."""
        held, seen = self.held, self.seen
        both = 1 << asker | 1 << target
        seen[asker] = seen[asker] | both
        seen[target] = seen[target] | both
        self._cross(asker, target)
        if held[asker] is _HARLEKIN or held[target] is _HARLEKIN:
            harlekins = [seat for seat in (asker, target) if held[seat] is _HARLEKIN]
            for seat in harlekins:
                self.turn_up(seat)
                self._set_low(seat, low=len(harlekins) == 1)

    def _cross(self, one: Seat, other: Seat) -> None:
        """The two cards change places, with all that is known of them."""
        held, seen, origin = self.held, self.seen, self.origin
        held[one], held[other] = held[other], held[one]
        seen[one], seen[other] = seen[other], seen[one]
        origin[one], origin[other] = origin[other], origin[one]
        if self.up or self.low:
            both = 1 << one | 1 << other
            if self.up & both not in (0, both):
                self.up ^= both
            if self.low & both not in (0, both):
                self.low ^= both

    def send_back(self, path: Sequence[Seat]) -> None:
        """Everyone on the way of a card holds again what they were dealt, as it was dealt (M3, M4)."""
        for one, other in reversed(list(pairwise(path))):
            self._cross(one, other)
        for seat in path:
            if self.held[seat] is _HARLEKIN:
                self._set_low(seat, low=self._dealt_low)

    def lacks(self, number: int) -> bool:
        """Whether the talon is too short for so many cards (G4)."""
        return len(self._pack) - self._next < number

    def draw(self) -> Card:
        """The top card of the talon."""
        self._next += 1
        return self._pack[self._next - 1]

    def take(self, seat: Seat, card: Card) -> None:
        """The seat keeps what it drew (H1), and its old card goes under the talon (D1, D7)."""
        self._pack += (self._give(seat),)
        self.held[seat] = card
        self.seen[seat] = 1 << seat
        self.origin[seat] = len(self.held)

    def throw(self, order: Sequence[Seat]) -> None:
        """The cards of the seats go to the discard pile (G3)."""
        self._discard += tuple([self._give(seat) for seat in order])

    def reshuffle(self, pack: Pack) -> None:
        """The pack gives the order of the cards in talon and discard pile, which become the talon (G4)."""
        wanted = [*self.talon, *self._discard]
        order: list[Card] = []
        for card in pack:
            if card in wanted:
                wanted.remove(card)
                order.append(card)
        self._become(tuple(order))

    def _become(self, talon: tuple[Card, ...]) -> None:
        """These cards are the talon now, and the discard pile is in it."""
        self._pack = talon
        self._next = 0
        self._discard = ()

    def _give(self, seat: Seat) -> Card:
        """The seat's card, which it holds no more."""
        card = self.held[seat]
        assert card is not None
        self.gone += ((card, self.seen[seat]),)
        self.held[seat] = None
        self.seen[seat] = 0
        self.origin[seat] = None
        self.up &= ~(1 << seat)
        self.low &= ~(1 << seat)
        return card

    def _set_low(self, seat: Seat, *, low: bool) -> None:
        self.low = self.low | 1 << seat if low else self.low & ~(1 << seat)
