"""A match: hands, pots, points and the deal that moves on (rules.md, S4, S5 and part 8).

Owns what follows from a hand. It is rules + packs + actions: given the same it goes the same way. It refuses to
know where packs come from, who plays, and when.
"""

from enum import Enum
from functools import partial
from typing import Any, ClassVar, Final

from kille_net.game.actions import Action, IllegalAction, Phase, Refusal
from kille_net.game.cards import Pack
from kille_net.game.events import Event, HandBegan, MatchEnded, PotWon, Showdown
from kille_net.game.hand import Hand
from kille_net.game.rules import MAX_SEATS, MIN_SEATS, Ruleset, Seat
from kille_net.game.values import remade

__all__ = ["Match", "Stage", "next_seat"]


class Stage(Enum):
    """The part of the match that the coming or running hand belongs to."""

    POTS = "pots"
    """The pots or partier that were agreed on (F2, G2)."""
    TIE_BREAK = "tie_break"
    """One more pot between the tied seats (F3)."""
    FINAL = "final"
    """The slutspel, whose lives are the sticks (G5)."""
    OVER = "over"


_FINAL: Final = Stage.FINAL
_OVER: Final = Stage.OVER


def next_seat(seat: Seat, lives: tuple[int, ...]) -> Seat:
    """The next seat with lives on the left (S1)."""
    seats = len(lives)
    seat = (seat + 1) % seats
    while not lives[seat]:
        seat = (seat + 1) % seats
    return seat


class Match:
    """A match between its first deal and its end.

    Wants a pack (`deal`) while `wants_pack`, otherwise an action (`act`) of some seat; when `stage` is OVER, `winner`
    has won. `hand` is the running hand, or the last one while the next waits for its pack.
    """

    __slots__: ClassVar = (
        "_coming",
        "_rules",
        "dealer",
        "first_dealer",
        "hand",
        "lives",
        "number",
        "packs",
        "points",
        "pot",
        "ruleset",
        "stage",
        "winner",
    )

    def __init__(self, ruleset: Ruleset, seats: int, first_dealer: Seat) -> None:
        """Raises ValueError for a number of seats that the game does not have, or a dealer that is none of them."""
        if not MIN_SEATS <= seats <= MAX_SEATS or not 0 <= first_dealer < seats:
            raise ValueError("a match has 2 to 8 seats, one of which deals first")
        self.ruleset: Final = ruleset
        self.first_dealer: Final = first_dealer
        self.points: tuple[int, ...] = (0,) * seats
        self.stage = Stage.POTS
        self.winner: Seat | None = None
        self.number = 0
        """Hands begun."""
        self.packs = 0
        """Packs that the running or last hand was given."""
        self.pot: int | None = 1
        """That of the running or last hand, counted from 1; None: the slutspel."""
        self.dealer = first_dealer
        """Of the running hand; once that is over, of the coming one (S4)."""
        self.hand: Hand | None = None
        self._rules: Final = ruleset.rules
        self.lives = (self._rules.lives,) * seats
        """Those of the running hand, or those that the last one left."""
        self._coming: tuple[int | None, tuple[int, ...]] | None = 1, self.lives  # the pot and the lives of a hand

    @classmethod
    def before(cls, ruleset: Ruleset, began: HandBegan) -> "Match":
        """A match that waits for the pack of that hand, whatever came before it. Raises ValueError for none such."""
        match = cls(ruleset, len(began.lives), began.dealer)
        match.number = began.number - 1
        match.points = began.points
        match.stage = Stage.POTS
        if began.pot is None:
            match.stage = Stage.FINAL
        elif began.pot > ruleset.pots:
            match.stage = Stage.TIE_BREAK
        match.dealer = began.dealer
        match._coming = began.pot, began.lives
        return match

    @property
    def seats(self) -> int:
        return len(self.points)

    @property
    def wants_pack(self) -> bool:
        return (self.hand is None or self.hand.to_act is None) and self.stage is not _OVER

    @property
    def phase(self) -> Phase:
        """That of the hand; DEAL before the first."""
        return Phase.DEAL if self.hand is None else self.hand.phase

    @property
    def to_act(self) -> Seat | None:
        return None if self.hand is None else self.hand.to_act

    @property
    def next_pack(self) -> tuple[int, int]:
        """Which pack is wanted next: the number of its hand from 1, and of the pack in that hand from 0."""
        return (self.number, self.packs) if self._coming is None else (self.number + 1, 0)

    def why_not(self, seat: Seat, action: Action) -> Refusal | None:
        """Why the seat may not do this now; None: it may."""
        return Refusal.NO_HAND if self.hand is None else self.hand.why_not(seat, action)

    def legal(self, seat: Seat) -> int:
        """What the seat may do now, as bits (`Action`)."""
        return 0 if self.hand is None else self.hand.legal(seat)

    def copy(self) -> "Match":
        """An independent match in the same state."""
        twin = Match(self.ruleset, self.seats, self.first_dealer)
        twin.hand = None if self.hand is None else self.hand.copy()
        twin.points = self.points
        twin.stage = self.stage
        twin.winner = self.winner
        twin.number = self.number
        twin.packs = self.packs
        twin.pot = self.pot
        twin.dealer = self.dealer
        twin.lives = self.lives
        twin._coming = self._coming
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        made = partial(Match, self.ruleset, self.seats, self.first_dealer)
        return remade(self, made, "ruleset", "first_dealer", "_rules")

    def deal(self, pack: Pack) -> list[Event]:
        """Go on with this pack. Raises IllegalAction unless one is wanted."""
        if not self.wants_pack:
            raise IllegalAction(Refusal.NO_HAND)
        hand, coming, began = self.hand, self._coming, None
        if coming is not None:
            self.pot, lives = coming
            self.hand = hand = Hand(self.ruleset, lives, self.dealer)
            self.lives = lives
            self._coming = None
            self.number += 1
            self.packs = 0
            began = HandBegan(self.number, self.pot, self.dealer, lives, self.points)
        assert hand is not None
        self.packs += 1
        events = hand.deal(pack)
        if began is not None:
            events.insert(0, began)
        if hand.showdown is not None:
            self._settle(hand.showdown, events)
        return events

    def act(self, seat: Seat, action: Action) -> list[Event]:
        """What follows from it. Raises IllegalAction, and changes nothing, unless `why_not` is None."""
        hand = self.hand
        if hand is None:
            raise IllegalAction(Refusal.NO_HAND)
        events = hand.act(seat, action)
        if hand.showdown is not None:
            self._settle(hand.showdown, events)
        return events

    def break_off(self, reason: str) -> list[Event]:
        """End without a winner. Raises IllegalAction when the match is over."""
        if self.stage is Stage.OVER:
            raise IllegalAction(Refusal.NO_HAND)
        if self.hand is not None:
            self.hand.break_off()
        self.stage = Stage.OVER
        return [MatchEnded(None, self.points, reason)]

    def _settle(self, showdown: Showdown, events: list[Event]) -> None:
        """Who won what, and what comes next."""
        self.lives = lives = showdown.lives
        if lives.count(0) < len(lives) - 1:
            self._come(self.pot, lives)
            return
        winner = next_seat(self.dealer, lives)
        if self.stage is _FINAL:
            self._end(winner, events)
        else:
            self._win_pot(winner, events)

    def _come(self, pot: int | None, lives: tuple[int, ...]) -> None:
        """The next hand is played for that pot on these lives (S4)."""
        self._coming = pot, lives
        self.dealer = next_seat(self.dealer, lives)

    def _win_pot(self, winner: Seat, events: list[Event]) -> None:
        """F1 to F3, G1, G5."""
        self.points = tuple(had + (seat == winner) for seat, had in enumerate(self.points))
        played = sum(self.points)
        events.append(PotWon(played, winner, self.points))
        if played < self.ruleset.pots:
            self._come(played + 1, (self._rules.lives,) * self.seats)
            return
        most = max(self.points)
        leaders = [seat for seat, points in enumerate(self.points) if points == most]
        finalists = [seat for seat, points in enumerate(self.points) if points]
        if self._rules.final and len(finalists) > 1:
            self.stage = Stage.FINAL
            self._come(None, self.points)
        elif len(leaders) > 1:
            self.stage = Stage.TIE_BREAK
            self._come(played + 1, tuple(self._rules.lives * (points == most) for points in self.points))
        else:
            self._end(leaders[0], events)

    def _end(self, winner: Seat, events: list[Event]) -> None:
        self.stage = Stage.OVER
        self.winner = winner
        events.append(MatchEnded(winner, self.points))
