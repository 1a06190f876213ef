"""The chart of which card to swap: that it is found, that it holds, and that a player goes by it."""

from collections.abc import Iterator
from itertools import count
from random import Random

import pytest

from kille_net.bots.chart import Chart, ChartBot, chart, obvious, read, text
from kille_net.bots.reading import following, own
from kille_net.client.showing.strategy import RISKS
from kille_net.game.actions import Action, Phase
from kille_net.game.cards import FULL_PACK, Card, Pack
from kille_net.game.events import HandBegan
from kille_net.game.match import Match, Stage
from kille_net.game.rules import MAX_SEATS, Format, Ruleset
from kille_net.game.shuffle import Seeded, match_id_of
from kille_net.game.views import observe
from kille_net.solve.chart import Cell, Found, Place, search
from tests import deep

POTS = Ruleset(format=Format.POTS)


def packs(seed: str) -> Iterator[Pack]:
    chance = Seeded(seed, match_id_of(seed, 0))
    return (chance.pack(hand, 0) for hand in count(1))


@pytest.fixture(scope="module", params=[4, 8])
def found(request: pytest.FixtureRequest) -> tuple[int, Found]:
    seats: int = request.param
    return seats, search(POTS, seats, packs("found"), hands=deep.size(12_000 // seats, 200_000))


def test_a_worse_card_is_never_better_to_stand_with(found: tuple[int, Found]) -> None:
    """Whoever stands with the lowest card of all loses on it, and nobody does who stands with a refusing one (part 4)
    but when all that are lower are struck or have the like: it grows with the card in between.
    """
    seats, result = found
    for after in range(seats):
        cells = [(card, cell) for card in Card if (cell := result.cells.get(Place(after, card))) is not None]
        assert dict(cells)[Card.BLAREN].stand == 1.0
        low = [cell.stand for card, cell in cells if card <= Card.N3]
        high = [cell.stand for card, cell in cells if Card.N9 <= card < Card.KUKU]
        assert min(low) > max(high)


def test_the_chart_that_comes_with_the_game_holds(found: tuple[int, Found]) -> None:
    """What is dealt anew nowhere says clearly that another card should be swapped."""
    seats, result = found
    below = chart()[seats]
    for place, cell in result.cells.items():
        if abs(place.card - below[place.following]) > 1 and _is_clear(cell):
            assert cell.gain.mean is not None
            assert (cell.gain.mean > 0) == (place.card < below[place.following]), place


@pytest.mark.parametrize("found", [4], indirect=True)
def test_what_players_are_told_of_it_is_so(found: tuple[int, Found]) -> None:
    """To the whole number, and to five times the error of counting."""
    seats, result = found
    for name, card in (("low", Card.N2), ("high", Card.N8)):
        cell = result.cells[Place(seats - 1, card)]
        least = 0.5 + 5 * 50 / cell.gain.count**0.5
        assert abs(100 * cell.stand - RISKS[name]) < least
        assert abs(100 * cell.swap - RISKS[f"{name}_swapped"]) < least


def _is_clear(cell: Cell) -> bool:
    """By twice the interval, of about 150 cells."""
    assert cell.gain.mean is not None
    if cell.gain.low is None or cell.gain.count < 20:
        return False
    return abs(cell.gain.mean) > 2 * (cell.gain.mean - cell.gain.low)


def test_it_is_found_again_by_the_same_packs() -> None:
    first, again, other = (search(POTS, 5, packs(seed), hands=240) for seed in ("one", "one", "two"))
    assert first == again
    assert first != other


def test_every_hand_is_heard_of_and_no_more_packs_are_taken() -> None:
    heard: list[int] = []
    mine = packs("heard")
    result = search(POTS, 4, mine, hands=100, hear=heard.append)
    assert sum(1 for _ in heard) == 100
    assert result.hands == 100 - 12 * (100 // 2 // 12)
    assert next(mine) == list(next_packs("heard", 101))[-1]


def next_packs(seed: str, number: int) -> Iterator[Pack]:
    return (pack for pack, _ in zip(packs(seed), range(number), strict=False))


def test_the_file_is_written_as_it_is_read() -> None:
    assert read(text(chart())) == chart()
    assert set(chart()) == set(range(4, MAX_SEATS + 1))
    assert all(len(below) == seats for seats, below in chart().items())


# --- the player -------------------------------------------------------------------------------------------------------

SWAPS: Chart = {4: (Card.N7, Card.N6, Card.N5, Card.N4)}
"""The dealer's comes first."""


def dealt(*cards: Card) -> Match:
    """Four seats, the last of which deals, with these cards from the first to speak on."""
    match = Match.before(POTS, HandBegan(1, 1, 3, (3,) * 4, (0,) * 4))
    rest = list(FULL_PACK)
    for card in cards:
        rest.remove(card)
    match.deal((*cards, *rest))
    return match


@pytest.mark.parametrize(("seat", "least"), [(0, Card.N4), (1, Card.N5), (2, Card.N6), (3, Card.N7)])
def test_what_is_lower_than_the_chart_says_is_swapped(seat: int, least: Card) -> None:
    for card in (Card(least - 1), least):
        cards = [Card.N12, Card.N11, Card.N10, Card.N9]
        cards[seat] = card
        match = dealt(*cards)
        for stands in range(seat):
            match.act(stands, Action.STAND)
        assert ChartBot(SWAPS).decide(observe(match, seat)) is (Action.SWAP if card < least else Action.STAND)


def test_what_was_given_is_kept_only_if_the_giver_has_less() -> None:
    match = dealt(Card.N3, Card.N12, Card.N11, Card.N9)
    match.act(0, Action.SWAP)
    assert ChartBot(SWAPS).decide(observe(match, 1)) is Action.SWAP, "a 3, and the giver has a 12"
    match = dealt(Card.N3, Card.N2, Card.N11, Card.N9)
    match.act(0, Action.SWAP)
    assert ChartBot(SWAPS).decide(observe(match, 1)) is Action.STAND, "a 3, and the giver has a 2"


def test_a_harlekin_stays_where_it_was_dealt_and_goes_on_where_it_is_low() -> None:
    match = dealt(Card.HARLEKIN, Card.N12, Card.N11, Card.N9)
    assert ChartBot(SWAPS).decide(observe(match, 0)) is Action.STAND
    match.act(0, Action.SWAP)
    assert ChartBot(SWAPS).decide(observe(match, 1)) is Action.SWAP


def test_where_there_is_a_choice_it_is_the_charts() -> None:
    """In whole matches at every number of seats: legal always, and by the chart where nothing is obvious."""
    rng = Random(4)
    player = ChartBot()
    asked = 0
    for seats in range(4, MAX_SEATS + 1):
        match = Match(Ruleset(pots=1), seats, 0)
        while match.stage is not Stage.OVER:
            if match.wants_pack:
                pack = list(FULL_PACK)
                rng.shuffle(pack)
                match.deal(tuple(pack))
                continue
            seat = match.to_act
            assert seat is not None
            view = observe(match, seat)
            action = player.decide(view)
            assert action in view.legal
            below = chart().get(len(view.order))
            if below is not None and match.phase is Phase.TURN and obvious(view) is None:
                assert (action is Action.SWAP) == (own(view) < below[len(following(view))])
                asked += 1
            match.act(seat, action)
    assert asked > 100
