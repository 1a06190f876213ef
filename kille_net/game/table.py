"""Where every card of a hand lies, who knows it, and how a Harlekin counts (rules.md, parts 1, 5, 6, M3, M4, T5).

Owns the cards and moves them. Refuses to know whose turn it is and whether a move is lawful (`hand` does).

A card in play has an id: the seat that it was dealt to, or the number of seats for the one drawn and kept. Where each
id lies is known to all; which card it is, only to those in `_seen`.
"""

from collections.abc import Sequence
from typing import Final

from kille_net.game.cards import Card, Pack
from kille_net.game.events import HiddenCard
from kille_net.game.rules import Seat

__all__ = ["Table", "bit_of"]

_SPECTATOR: Final = 8
"""The bit that stands for whoever has no seat, beside the seats' own."""
_EVERYONE: Final = (1 << _SPECTATOR + 1) - 1
_NOWHERE: Final = -1


def bit_of(viewer: Seat | None) -> int:
    """The bit of a seat, or of a spectator (None), among those who know a card (`Table.known_by`)."""
    return 1 << (_SPECTATOR if viewer is None else viewer)


class Table:
    """The cards of one hand. Whole and consistent after each method; what a method needs is its caller's to check."""

    __slots__ = ("_at", "_cards", "_dealt_low", "_discard", "_low", "_seen", "_talon", "_up", "beside", "gone")

    def __init__(self, seats: int, *, dealt_low: bool) -> None:
        """`dealt_low`: whether a dealt Harlekin counts as low (H4)."""
        self._dealt_low: Final = dealt_low
        self._talon: list[Card] = []  # the top is last
        self._discard: list[Card] = []
        self.gone: list[tuple[Card, int]] = []
        """Cards given for what was drawn or dealt again, each with who knows it, as bits (`bit_of`)."""
        self._clear(seats)

    def _clear(self, seats: int) -> None:
        self._cards: list[HiddenCard] = [None] * (seats + 1)  # by id
        self._seen = [0] * (seats + 1)  # by id: who knows the card, as bits
        self._at = [_NOWHERE] * seats  # by seat: the id of the card it holds
        self._up = 0  # ids that are face up, as bits
        self._low = 0  # ids that are low Harlekins, as bits
        self.beside: list[Card] = []
        """Matadors drawn from the talon (D6)."""

    def copy(self) -> "Table":
        """An independent table with the same cards."""
        twin = Table.__new__(Table)
        for name in Table.__slots__:
            value = getattr(self, name)
            object.__setattr__(twin, name, value[:] if type(value) is list else value)
        return twin

    # --- what lies where ------------------------------------------------------------------------------------------

    @property
    def talon(self) -> tuple[Card, ...]:
        """Top first. Nobody may see it."""
        return tuple(reversed(self._talon))

    @property
    def discard(self) -> tuple[Card, ...]:
        """The discard pile of a duel (G3). Nobody may see it."""
        return tuple(self._discard)

    def card(self, seat: Seat) -> HiddenCard:
        """The card that the seat holds; None before a deal and for a seat that is not in the hand."""
        at = self._at[seat]
        return None if at < 0 else self._cards[at]

    def cards(self) -> tuple[HiddenCard, ...]:
        """Per seat, as `card`."""
        return tuple([None if at < 0 else self._cards[at] for at in self._at])

    def holds(self, card: Card) -> bool:
        """Whether some seat holds such a card, for a quick look before a slow one."""
        return card in self.cards()

    def known_by(self) -> tuple[int, ...]:
        """Per seat who knows the card it holds, as bits (`bit_of`)."""
        return tuple([0 if at < 0 else self._seen[at] for at in self._at])

    def origins(self) -> tuple[int | None, ...]:
        """Per seat the seat that its card was dealt to; the number of seats: drawn; None: no card."""
        return tuple([None if at < 0 else at for at in self._at])

    @property
    def face_up(self) -> tuple[Seat, ...]:
        """Seats whose card is face up, ascending."""
        return self._holding(self._up)

    @property
    def low_harlekins(self) -> tuple[Seat, ...]:
        """Seats whose Harlekin counts as low (H1 to H4), ascending."""
        return self._holding(self._low)

    def _holding(self, ids: int) -> tuple[Seat, ...]:
        if not ids:
            return ()
        return tuple([seat for seat, at in enumerate(self._at) if at >= 0 and ids >> at & 1])

    # --- how it comes there ---------------------------------------------------------------------------------------

    def stack(self, pack: Pack) -> None:
        """A whole pack becomes the talon; all that lay on the table is in it."""
        self._clear(len(self._at))
        self._talon = list(reversed(pack))
        self._discard = []
        self.gone = []

    def deal(self, order: Sequence[Seat]) -> None:
        """One card to each, from the top (S2)."""
        self._clear(len(self._at))
        for seat in order:
            card = self._talon.pop()
            self._cards[seat] = card
            self._seen[seat] = 1 << seat
            self._at[seat] = seat
            if card is Card.HARLEKIN:
                self._set_low(seat, low=self._dealt_low)

    def turn_up(self, seat: Seat) -> None:
        """The seat's card lies face up from now on, wherever it goes."""
        self._show(self._at[seat])

    def exchange(self, asker: Seat, target: Seat) -> None:
        """A swap between two seats (T5, H1 to H3)."""
        given, got = self._at[asker], self._at[target]
        self._at[asker], self._at[target] = got, given
        both = 1 << asker | 1 << target
        self._seen[given] |= both
        self._seen[got] |= both
        harlekins = [card_id for card_id in (given, got) if self._cards[card_id] is Card.HARLEKIN]
        for card_id in harlekins:
            self._show(card_id)
            self._set_low(card_id, low=len(harlekins) == 1)

    def send_back(self, path: Sequence[Seat]) -> None:
        """Everyone on the way of a card holds again what they were dealt, as it was dealt (M3, M4)."""
        for seat in path:
            self._at[seat] = seat
            if self._cards[seat] is Card.HARLEKIN:
                self._set_low(seat, low=self._dealt_low)

    def lacks(self, number: int) -> bool:
        """Whether the talon is too short for so many cards (G4)."""
        return len(self._talon) < number

    def draw(self) -> Card:
        """The top card of the talon."""
        return self._talon.pop()

    def take(self, seat: Seat, card: Card) -> None:
        """The seat keeps what it drew (H1), and its old card goes under the talon (D1, D7)."""
        old = self._at[seat]
        self._talon.insert(0, self._give(old))
        drawn = len(self._at)
        self._cards[drawn] = card
        self._seen[drawn] = 1 << seat
        self._at[seat] = drawn

    def throw(self, order: Sequence[Seat]) -> None:
        """The cards of the seats go to the discard pile (G3)."""
        for seat in order:
            self._discard.append(self._give(self._at[seat]))
            self._at[seat] = _NOWHERE

    def reshuffle(self, pack: Pack) -> None:
        """The pack gives the order of the cards in talon and discard pile, which become the talon (G4)."""
        wanted = self._talon + self._discard
        order: list[Card] = []
        for card in pack:
            if card in wanted:
                wanted.remove(card)
                order.append(card)
        self._talon = order[::-1]
        self._discard = []

    def _give(self, card_id: int) -> Card:
        card = self._cards[card_id]
        assert card is not None
        self.gone.append((card, self._seen[card_id]))
        return card

    def _show(self, card_id: int) -> None:
        self._up |= 1 << card_id
        self._seen[card_id] = _EVERYONE

    def _set_low(self, card_id: int, *, low: bool) -> None:
        self._low = self._low | 1 << card_id if low else self._low & ~(1 << card_id)
