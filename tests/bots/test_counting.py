"""The exact odds, against every deal that fits what a seat knows, each played out by the engine."""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations

import pytest

from kille_net.bots.counting import Count, Outcome, ways
from kille_net.bots.reading import unseen as unseen_by
from kille_net.game.actions import Action
from kille_net.game.cards import FULL_PACK, Card
from kille_net.game.events import CardRefused, Drew, SeatStruck, Showdown, Swapped
from kille_net.game.match import Match
from kille_net.game.rules import REFUSALS, Effect, Format, HarlekinRank, Ruleset, Seat
from kille_net.game.showdown import losers
from kille_net.game.views import View, observe
from tests.bots.hands import view

STAND, SWAP = Action.STAND, Action.SWAP
POTS = Ruleset()
STICKS = Ruleset(format=Format.STICKS)
LOW = Ruleset(dealt_harlekin=HarlekinRank.LOW)

SITUATIONS = [
    # seats, what the first cards are (? is one of those after the bar), what was played, by which rules
    (3, "4 ? ? | 3 5 4 kavall husar harlekin 9", "", POTS),
    (3, "husu ? ? | 2 12 vardshus husu kuku 4", "", POTS),
    (3, "harlekin ? ? | 2 12 harlekin husu kavall 4", "", POTS),
    (3, "harlekin ? ? | 2 12 harlekin 2 kavall 12", "", LOW),
    (3, "? ? 5 | 4 5 kavall 8 husu harlekin", "stand stand", POTS),
    (3, "? ? 5 | 4 5 kavall 8 husu harlekin", "stand stand", LOW),
    (3, "? ? 5 | 5 7 kavall 8 kavall 2", "stand stand", STICKS),
    (3, "? ? 7 | 4 2 vardshus 8 husu 9", "stand swap", POTS),
    (3, "? ? 7 | 4 7 kavall husar husu 9", "swap swap", STICKS),
    (4, "? 6 ? ? | 4 6 kavall husar harlekin 9", "swap", POTS),
    (4, "? 6 ? ? | harlekin 6 vardshus kuku harlekin 2", "swap", POTS),
    (4, "? 6 ? ? | harlekin 6 husar 4 harlekin 4", "swap", LOW),
    (4, "? ? ? 5 | 2 6 kavall husar harlekin 9", "swap stand swap", POTS),
    (4, "? ? husu 5 | 5 6 4 2 harlekin 9", "swap swap", POTS),
    (4, "? ? husar harlekin | 5 6 5 2 4 9", "swap swap", LOW),
    (3, "? harlekin 7 | 2 4 husu 9 kavall kuku", "swap swap", POTS),
    (3, "? harlekin 7 | 2 4 husu 9 kavall kuku", "swap swap", LOW),
    (2, "4 ? | 5 3 harlekin kuku 4 husu", "", POTS),
    (2, "4 ? | 5 3 harlekin kuku 4 kavall", "", STICKS),
    (2, "? 4 | 5 3 4 kavall husu 9", "swap", STICKS),
    (2, "? 4 | 5 3 4 vardshus husu 9", "stand", POTS),
]


def deals(seats: int, cards: str, play: str, rules: Ruleset) -> Iterator[tuple[Match, View]]:
    """Every deal of that shape after the play, with what the one on turn sees."""
    shape, _, loose = cards.partition("|")
    unseen = [Card.of_code(code) for code in loose.split()]
    for order in permutations(unseen):
        rest = iter(order)
        first = [next(rest) if code == "?" else Card.of_code(code) for code in shape.split()]
        top = [*first, *rest]
        below = list(FULL_PACK)
        for card in top:
            below.remove(card)
        match = Match(rules, seats, seats - 1)
        match.deal((*top, *below))
        for word in play.split():
            if match.to_act is not None:
                match.act(match.to_act, Action[word.upper()])
        if match.hand is not None and match.hand.showdown is None and not match.wants_pack and match.to_act is not None:
            yield match, observe(match, match.to_act)


def first_of(seats: int, cards: str, play: str, rules: Ruleset) -> tuple[View, list[Match], list[int]]:
    """A view, all the deals that fit it, and what may lie where its seat does not see."""
    found = list(deals(seats, cards, play, rules))
    view = max(Counter(view_key(view) for _, view in found).items(), key=lambda item: item[1])[0]
    matches = [match for match, other in found if view_key(other) == view]
    seen = next(other for _, other in found if view_key(other) == view)
    counts = [0] * len(Card)
    for code in cards.replace("|", " ").replace("?", " ").split():
        counts[Card.of_code(code)] += 1
    for card in (*seen.cards, *seen.beside, *seen.gone):
        if card is not None:
            counts[card] -= 1
    return seen, matches, counts


def view_key(view: View) -> str:
    return repr(view)


def rank(match: Match, seat: Seat) -> int:
    assert match.hand is not None
    card = match.hand.table.card(seat)
    assert card is not None
    if card is Card.HARLEKIN:
        return -1 if seat in match.hand.table.low_harlekins else int(Card.KUKU)
    return int(card)


def outcome(match: Match, seat: Seat) -> Outcome:
    """What a swap does, by what the engine tells of it."""
    before = rank(match, seat)
    for event in match.act(seat, SWAP):
        match event:
            case Swapped(asker) if asker == seat:
                return compared(before, rank_got(event))
            case Drew(_, card, True):
                assert card is not None
                return compared(before, int(Card.KUKU) if card is Card.HARLEKIN else int(card))
            case SeatStruck(struck):
                return Outcome.STRUCK if struck == seat else Outcome.KEPT
            case CardRefused(_, _, card) if REFUSALS[card] is Effect.STOP:
                return Outcome.KEPT
    return Outcome.KEPT  # the talon showed what leaves one's card


def rank_got(event: Swapped) -> int:
    assert event.got is not None
    if event.got is Card.HARLEKIN:
        return int(Card.KUKU) if event.gave is Card.HARLEKIN else -1
    return int(event.got)


def compared(before: int, after: int) -> Outcome:
    return Outcome.BETTER if after > before else Outcome.WORSE if after < before else Outcome.SAME


def loses_now(match: Match, seat: Seat) -> bool:
    hand = match.hand
    assert hand is not None
    return bool(losers(hand.table.cards(), hand.strikes, hand.table.low) >> seat & 1)


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: f"{situation[1]} {situation[2]}")
def test_the_odds_are_those_of_all_deals_that_fit(situation: tuple[int, str, str, Ruleset]) -> None:
    view, matches, unseen = first_of(*situation)
    seat = view.seat
    assert seat is not None
    assert len(matches) > 1
    count = Count(view, unseen)
    found = Counter(outcome(match.copy(), seat) for match in matches)
    assert count.swap() == {what: Fraction(found[what], len(matches)) for what in Outcome}
    assert count.stand() == Fraction(sum(loses_now(match, seat) for match in matches), len(matches))
    if seat == view.dealer:
        assert count.draw() == Fraction(sum(lost_by(match.copy(), seat, SWAP) for match in matches), len(matches))
        assert count.stand() == Fraction(sum(lost_by(match.copy(), seat, STAND) for match in matches), len(matches))


def lost_by(match: Match, seat: Seat, action: Action) -> bool:
    """Whether the seat loses a life if it does this, with which the hand ends."""
    hand = match.hand
    assert hand is not None
    before = match.lives[seat]
    events = match.act(seat, action)
    (lives,) = (event.lives for event in events if isinstance(event, Showdown))
    return lives[seat] < before


def test_ways_are_counted_as_one_by_one() -> None:
    unseen = [0] * len(Card)
    for card in (Card.N1, Card.N1, Card.N2, Card.HUSU):
        unseen[card] += 1
    slots: Sequence[frozenset[Card]] = [frozenset({Card.N1, Card.N2}), frozenset(Card), frozenset({Card.HUSU, Card.N1})]
    pack = [Card.N1, Card.N1, Card.N2, Card.HUSU]
    by_hand = sum(
        all(card in slot for card, slot in zip(order, slots, strict=True)) for order in permutations(pack, len(slots))
    )
    assert ways(unseen, slots) == by_hand


def test_what_is_unseen_is_the_rest_of_the_pack() -> None:
    match = Match(POTS, 3, 2)
    match.deal(FULL_PACK)
    view = observe(match, 0)
    assert sum(unseen_by(view)) == len(FULL_PACK) - 1
    assert unseen_by(view)[view.card] == 1


def test_a_view_that_no_deal_fits_is_refused() -> None:
    match = Match(POTS, 3, 2)
    match.deal(FULL_PACK)
    with pytest.raises(ValueError, match="fits"):
        Count(observe(match, 0), [0] * len(Card))


@pytest.mark.parametrize(
    ("seen", "better"),
    [
        (view("7 2 9", 3), Fraction(2 * (5 + 5 + 1), 42)),  # 8 to 12, the matadors, the Harlekin
        (view("7 2 9", 3, rules=LOW), Fraction(2 * (5 + 5), 42)),
        (view("7 2", 2), Fraction(2 * (5 + 5), 40)),  # of two, nobody keeps a Harlekin
        (view("7 2", 2, rules=STICKS), Fraction(2 * (5 + 5), 39)),  # from what is left
    ],
)
def test_a_new_card_comes_from_what_is_dealt_again(seen: View, better: Fraction) -> None:
    fresh = Count(seen).fresh()
    assert fresh[Outcome.BETTER] == better
    assert sum(fresh.values()) == 1
