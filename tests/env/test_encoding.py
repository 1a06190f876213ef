"""What a seat may know, as numbers."""

from typing import Final

import numpy as np
import pytest

from kille_net.env.encoding import LAYOUT, SIZE, Vector, encode, named
from kille_net.game.actions import Phase
from kille_net.game.cards import Card
from kille_net.game.events import Event
from kille_net.game.folding import fold
from kille_net.game.hand import Deed
from kille_net.game.match import Match
from kille_net.game.rules import Ruleset
from kille_net.game.views import View, observe, redact
from tests.game.playing import some_matches
from tests.game.worked import in_the_midst, moves, pack

PHASES: Final = list(Phase)
DEEDS: Final = list(Deed)


def test_the_pieces_are_the_vector() -> None:
    vector = np.arange(SIZE, dtype=np.float32)
    pieces = named(vector)
    assert [*pieces] == [piece.name for piece in LAYOUT]
    assert np.concatenate([piece.ravel() for piece in pieces.values()]).tolist() == vector.tolist()
    pieces["gone"][-1] = 7
    assert vector[-1] == 7


def after(top: str, play: str) -> Match:
    """Three of four are in the hand, the third has no lives."""
    match = in_the_midst(Ruleset(pots=4), (3, 3, 0, 1), 3)
    match.points = (2, 0, 1, 0)
    match.deal(pack(top))
    for seat, action in moves(play):
        match.act(seat, action)
    return match


def ones(piece: Vector) -> list[tuple[int, ...]]:
    """Where it is not 0; all that is there is 1."""
    assert set(piece.ravel().tolist()) <= {0, 1}
    return [tuple(map(int, place)) for place in np.argwhere(piece)]


def test_a_view_is_told_from_its_own_seat_on() -> None:
    """Three of four are in the hand; the first swapped, the second swaps on, and the dealer is to speak."""
    match = after("5 harlekin 9", "0 swap, 1 swap")
    told = named(encode(observe(match, 1)))
    assert ones(told["phase"]) == [(PHASES.index(Phase.TURN),)]
    assert ones(told["to_act"]) == ones(told["dealer"]) == [(2,)]
    assert ones(told["behind"]) == [(1,)]
    assert told["lives"].tolist() == pytest.approx([1, 0, 1 / 3, 1, 0, 0, 0, 0])
    assert told["points"].tolist() == [0, 0.25, 0, 0.5, 0, 0, 0, 0]
    # It was given 5, which it knows at the dealer now, for the Harlekin that all see, and 5 for 9.
    assert ones(told["cards"]) == [(0, Card.N9), (2, Card.N5), (3, Card.HARLEKIN)]
    assert ones(told["face_up"]) == ones(told["low_harlekins"]) == [(3,)]
    assert ones(told["origins"]) == [(0, 2), (2, 3), (3, 0)]
    assert ones(told["deeds"]) == [
        (0, DEEDS.index(Deed.SWAPPED)),
        *((place, DEEDS.index(Deed.WAITS)) for place in (1, 2)),
        (3, DEEDS.index(Deed.SWAPPED)),
    ]
    assert not told["calling"].any()
    assert not told["can_ask"].any()
    assert ones(told["asks"]) == [(0,)]
    assert ones(named(encode(observe(match, 0)))["cards"]) == [(0, Card.HARLEKIN), (3, Card.N5)]
    assert ones(named(encode(observe(match, 3)))["cards"]) == [(0, Card.N5), (1, Card.HARLEKIN), (2, Card.N9)]


def test_what_came_from_the_talon_and_what_went_there() -> None:
    """Rules D1, D5: two matadors lie beside; the dealer alone knows what it gave."""
    match = after("7 8 4 kavall kavall 12", "0 stand, 1 stand, 3 swap")
    dealer, other = (named(encode(observe(match, seat))) for seat in (3, 0))
    for told in (dealer, other):
        assert told["beside"].nonzero()[0].tolist() == [Card.KAVALL]
        assert told["beside"][Card.KAVALL] == 1
    assert ones(dealer["origins"])[0] == (0, 8)
    assert dealer["gone"].tolist() == [0.5 * (card is Card.N4) for card in Card]
    assert not other["gone"].any()


def test_what_is_asked_shows() -> None:
    """Rules F4, M7."""
    match = after("7 kuku 4", "")
    assert named(encode(observe(match, 0)))["can_ask"].all()
    calling = encode(observe(match, 1), calling=True)
    assert np.flatnonzero(calling != encode(observe(match, 1))).tolist() == [0]
    assert named(calling)["calling"].all()
    struck = after("5 husar 9", "0 swap")
    assert ones(named(encode(observe(struck, 1)))["struck"]) == [(3,)]
    asked = after("7 6 4", "0 ask")
    assert ones(named(encode(observe(asked, 3)))["phase"]) == [(PHASES.index(Phase.ASKED),)]
    again = after("7 6 4", "0 ask, 3 depends, 1 accept")
    assert ones(named(encode(observe(again, 3)))["asks"]) == [(1,)]


@pytest.mark.parametrize("number", range(14))
def test_it_is_within_its_bounds_wherever_a_match_goes(number: int) -> None:
    """All formats and sizes, tie-breaks and slutspel; the view alone counts."""
    _, steps, end = some_matches(number)
    views: dict[int | None, View] = {
        viewer: observe(Match(end.ruleset, end.seats, end.first_dealer), viewer) for viewer in (None, 0, end.seats - 1)
    }

    def follow(event: Event) -> None:
        for viewer, view in views.items():
            views[viewer] = fold(view, redact(event, viewer))
            vector = encode(views[viewer])
            assert vector.dtype == np.float32
            assert vector.shape == (SIZE,)
            assert vector.min() >= 0
            assert vector.max() <= 1

    for step in steps:
        for event in step:
            follow(event)
    assert views[0] == observe(end, 0)
