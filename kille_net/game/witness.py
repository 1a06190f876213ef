"""Whether the cards that one seat saw are those of the shuffle that was revealed (protocol/v1/protocol.md §7.8).

Owns what was seen, in order, and the search for a table that explains it: the packs are known at last, so only the
moves are left to find, most of which were seen too. Knows no message and no clock. Where something was missed, every
way in which it may have gone is gone through, as far as patience goes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from kille_net.game.actions import Phase, actions_of
from kille_net.game.events import Event, HandBegan, MatchEnded
from kille_net.game.match import Match
from kille_net.game.rules import Ruleset, Seat
from kille_net.game.shuffle import Material
from kille_net.game.views import View, Viewer, observe, redact

__all__ = ["Finding", "Witness"]

_MOST_SEEN: Final = 20_000
"""Events, beyond which nothing is noted: no match is so long, and memory is."""
_PATIENCE: Final = 5_000
"""Tables that are looked at for one thing that was missed; no gap in a hand of eight seats needs a tenth."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of a check."""

    hands: int
    """Of which something was seen."""
    is_whole: bool
    """Whether everything of the match was seen."""
    wrong_hand: int | None
    """The first hand that no moves explain; None: there is none."""
    wrong_dealer: bool = False
    """The first dealer is not the one that the shuffle gives."""

    @property
    def agrees(self) -> bool:
        return self.wrong_hand is None and not self.wrong_dealer


@dataclass(slots=True)
class Witness:
    """Notes what a seat, or a spectator, sees of one match."""

    ruleset: Ruleset
    seats: int
    viewer: Viewer
    _seen: list[Event | View] = field(default_factory=list)
    _is_full: bool = False

    def saw(self, event: Event) -> None:
        self._note(event)

    def missed(self, view: View | None) -> None:
        """Something happened unseen, and now the table looks so; None: no hand has begun."""
        if view is not None and view.hand:
            self._note(view)

    def _note(self, seen: Event | View) -> None:
        self._is_full = self._is_full or len(self._seen) >= _MOST_SEEN
        if not self._is_full:
            self._seen.append(seen)

    def check(self, material: Material, first_dealer: Seat | None) -> Finding:
        """Hold all that was seen against the packs; `first_dealer`: None where the shuffle decides."""
        search = _Search(self, material)
        wrong = None
        numbers: set[int] = set()
        is_whole = not self._is_full
        dealer = material.first_dealer(self.seats) if first_dealer is None else first_dealer
        wrong_dealer = False
        for seen in self._seen:
            if isinstance(seen, HandBegan):
                numbers.add(seen.number)
                wrong_dealer = wrong_dealer or (seen.number == 1 and seen.dealer != dealer)
            elif isinstance(seen, View):
                numbers.add(seen.hand)
                is_whole = False
            if not _holds(search, seen):
                wrong = search.number
                break
        is_whole = is_whole and not search.has_given_up
        return Finding(len(numbers), is_whole=is_whole, wrong_hand=wrong, wrong_dealer=wrong_dealer)


def _holds(search: "_Search", seen: Event | View) -> bool:
    try:
        return search.goes_on(seen)
    except ValueError:  # no table of this game
        return False


_Table: TypeAlias = tuple[Match, tuple[Event, ...]]
"""How the table may stand, and what has happened at it that is still to be seen."""


class _Search:
    """All tables that agree with what was seen so far; none while nothing is known of them."""

    def __init__(self, witness: Witness, material: Material) -> None:
        self._witness = witness
        self._material = material
        self._tables: list[_Table] | None = []
        self._has_begun = False
        self.has_given_up = False
        self.number = 0
        """The hand that is looked at."""

    def goes_on(self, seen: Event | View) -> bool:
        """Whether a table explains this, too."""
        if isinstance(seen, View):
            return self._goes_on_unseen(seen)
        if isinstance(seen, HandBegan):
            self.number = seen.number
            if self._tables is None or (not self._has_begun and seen.number == 1):
                self._tables = [(self._before(seen), ())]
        self._has_begun = True
        if self._tables is None:
            return True
        if isinstance(seen, MatchEnded) and seen.winner is None:
            return any(match.points == seen.points for match, _ in self._tables)
        self._tables = [
            (match, events[1:])
            for table in self._tables
            for match, events in self._next(table)
            if events and events[0] == seen
        ]
        return bool(self._tables)

    def _next(self, table: _Table) -> Iterator[_Table]:
        """The table as it stands while events are due, or else after each move."""
        match, due = table
        if due:
            yield table
            return
        for after, events in self._moves(match):
            yield after, tuple(redact(event, self._witness.viewer) for event in events)

    def _moves(self, match: Match) -> Iterator[tuple[Match, list[Event]]]:
        """Every way in which the table may go on."""
        if match.wants_pack:
            after = match.copy()
            yield after, after.deal(self._material.pack(*match.next_pack))
            return
        for seat in range(match.seats):
            for action in actions_of(match.legal(seat)):
                after = match.copy()
                yield after, after.act(seat, action)

    # --- what was missed ------------------------------------------------------------------------------------------

    def _goes_on_unseen(self, view: View) -> bool:
        self.number = view.hand
        self._has_begun = True
        known = self._tables
        if not known or any(match.number != view.hand for match, _ in known):
            known = [(self._dealt(view), ())]
        found = self._reach([match for match, _ in known], view)
        if found is None:  # it may have gone so, or not
            self.has_given_up = True
            self._tables = None
            return True
        # Where the hand is over and the lives before it were made up, the table is of no more use.
        self._tables = [(match, ()) for match in found if observe(match, self._witness.viewer) == view] or None
        return bool(found)

    def _reach(self, tables: list[Match], view: View) -> list[Match] | None:
        """The tables that look so, of all that may come of these in the same hand; None: there are too many."""
        found: list[Match] = []
        looked_at = 0
        while tables:
            match = tables.pop()
            looked_at += 1
            if looked_at > _PATIENCE:
                return None
            if self._looks(match, view):
                found.append(match)
            hand = match.hand
            assert hand is not None
            if hand.asks <= view.asks and (not match.wants_pack or match.next_pack[0] == view.hand):
                tables += [after for after, _ in self._moves(match)]
        return found

    def _looks(self, match: Match, view: View) -> bool:
        if match.phase is not view.phase or match.to_act != view.to_act:
            return False
        seen = observe(match, self._witness.viewer)
        if view.phase is Phase.OVER:  # the view has the lives after it, see `_dealt`
            seen = replace(seen, lives=view.lives, points=view.points)
        return seen == view

    def _dealt(self, view: View) -> Match:
        """The hand of the view as it was dealt; of one that is over the lives before it are made up."""
        lives, points = view.lives, view.points
        if view.phase is Phase.OVER:
            lives = tuple(int(origin is not None) for origin in view.origins)
            is_won = sum(points) == view.pot
            points = tuple(had - (is_won and left > 0) for had, left in zip(points, view.lives, strict=True))
        match = self._before(HandBegan(view.hand, view.pot, view.dealer, lives, points))
        match.deal(self._material.pack(*match.next_pack))
        return match

    def _before(self, began: HandBegan) -> Match:
        """A match in which this hand comes next."""
        if began.number == 1:
            return Match(self._witness.ruleset, self._witness.seats, began.dealer)
        return Match.before(self._witness.ruleset, began)
