"""Which card to swap where more than two have lives, found by dealing (`bots.chart`).

Owns the search. In each round many hands are dealt to players of the same chart; wherever one of them has a choice the
hand is played on from both, and what each is worth is added up by place and card. The chart of the next round is what
would have been better so far: fictitious play (Brown 1951) over what a person can learn by heart, later rounds counting
more. A last round measures the chart that is left. A seat's worth is its share of the lives that are left, which is its
chance to win the pot if all play alike.

Asks for better cards, which there are at three seats (F4), are left out. It refuses to draw anything by itself: packs
are handed to it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

from kille_net.bots import Bot
from kille_net.bots.chart import Below, ChartBot, obvious
from kille_net.bots.reading import following, own
from kille_net.game.actions import Action, Phase
from kille_net.game.cards import Card, Pack
from kille_net.game.events import HandBegan
from kille_net.game.match import Match
from kille_net.game.rules import Ruleset, Seat
from kille_net.game.views import observe
from kille_net.intervals import Estimate, estimate

__all__ = ["Cell", "Found", "Place", "search"]

_ROUNDS: Final = 12
_FADES: Final = 0.7
"""What a round counts when the next one does."""
_ASTRAY: Final = 20
"""Every so many-th choice goes the other way, so that hands come where the chart does not lead."""
_FIRST: Final = Card.N5
"""Below what all swap in the first round: anything will do."""

Packs: TypeAlias = Iterator[Pack]


class Place(NamedTuple):
    """Where a seat has to choose."""

    following: int
    """How many speak after it."""
    card: Card
    """It was dealt."""


class _Came(NamedTuple):
    """What came of one choice, both ways."""

    stand: bool
    """Whether who stood lost a life."""
    swap: bool
    gain: float
    """How much more of all lives the seat has by swapping."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A card at a place, measured."""

    stand: float
    """How often who stands with it loses a life."""
    swap: float
    gain: Estimate
    """How much more of all lives who swaps it has after the hand."""

    @property
    def is_clear(self) -> bool:
        """Whether the hands tell which of the two is better."""
        low, high = self.gain.low, self.gain.high
        return low is not None and high is not None and (low > 0 or high < 0)


@dataclass(frozen=True, slots=True)
class Found:
    below: Below
    cells: Mapping[Place, Cell]
    hands: int
    """Dealt for the cells."""


def search(
    rules: Ruleset, seats: int, packs: Packs, *, hands: int, hear: Callable[[int], None] = lambda _hands: None
) -> Found:
    """`hands`: dealt in all, half of them for the search and half to measure; `hear` is told of each."""
    each = max(1, hands // 2 // _ROUNDS)
    gains: dict[Place, float] = defaultdict(float)
    below: Below = (_FIRST,) * seats
    for _ in range(_ROUNDS):
        gains = defaultdict(float, {place: gain * _FADES for place, gain in gains.items()})
        for place, came in _choices(rules, seats, below, islice(packs, each), hear, astray=_ASTRAY):
            gains[place] += came.gain
        below = tuple(_best(following, gains) for following in range(seats))
    left = max(1, hands - each * _ROUNDS)
    measured: dict[Place, list[_Came]] = defaultdict(list)
    for place, came in _choices(rules, seats, below, islice(packs, left), hear):
        measured[place].append(came)
    return Found(below, {place: _cell(all_that_came) for place, all_that_came in measured.items()}, left)


def _best(following: int, gains: Mapping[Place, float]) -> Card:
    """The card below which swapping has gained the most in all."""
    best, most, total = Card.BLAREN, 0.0, 0.0
    for card, after in zip(Card, list(Card)[1:], strict=False):
        total += gains.get(Place(following, card), 0.0)
        if total > most:
            best, most = after, total
    return best


def _cell(came: Sequence[_Came]) -> Cell:
    hands = len(came)
    return Cell(
        sum(one.stand for one in came) / hands,
        sum(one.swap for one in came) / hands,
        estimate([one.gain for one in came], -1.0, 1.0),
    )


def _choices(
    rules: Ruleset, seats: int, below: Below, packs: Packs, hear: Callable[[int], None], *, astray: int = 0
) -> Iterator[tuple[Place, _Came]]:
    """Both ways of every choice in these hands; `astray`: every so many-th goes against the chart."""
    player = ChartBot({seats: below})
    full = (rules.rules.lives,) * seats
    choices = 0
    for dealt, pack in enumerate(packs, 1):
        match = Match.before(rules, HandBegan(1, 1, seats - 1, full, (0,) * seats))
        match.deal(pack)
        while match.phase is Phase.TURN:
            seat = match.to_act
            assert seat is not None
            view = observe(match, seat)
            action = player.decide(view)
            if obvious(view) is None:
                stand, swap = (_lives_after(match, seat, one, player) for one in (Action.STAND, Action.SWAP))
                gain = swap[seat] / sum(swap) - stand[seat] / sum(stand)
                before = match.lives[seat]
                yield Place(len(following(view)), own(view)), _Came(stand[seat] < before, swap[seat] < before, gain)
                choices += 1
                if astray and choices % astray == 0:
                    action = Action.STAND if action is Action.SWAP else Action.SWAP
            match.act(seat, action)
        hear(dealt)


def _lives_after(match: Match, seat: Seat, action: Action, player: Bot) -> tuple[int, ...]:
    """Those of all after the hand, if the seat does that now and all go by the chart after it."""
    twin = match.copy()
    twin.act(seat, action)
    while twin.phase is Phase.TURN:
        on_turn = twin.to_act
        assert on_turn is not None
        twin.act(on_turn, player.decide(observe(twin, on_turn)))
    return twin.lives
