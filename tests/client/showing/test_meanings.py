"""What an action would mean: of hands that are played, by what the one who asks may know."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from kille_net.client.showing.meanings import fate, meanings, when_asked
from kille_net.game.actions import Action
from kille_net.game.cards import Card
from kille_net.game.rules import Format, HarlekinRank, Ruleset, Seat
from kille_net.game.views import View, observe
from tests.bots.hands import hand, view

NAMES = ("Ada", "Bo", "Cilla", "Doris")
STICKS = Ruleset(format=Format.STICKS)
SWAP, STAND = Action.SWAP, Action.STAND


def told(seen: View, action: Action, lang: str = "en") -> str:
    return meanings(seen, seen.legal, NAMES, lang)[action]


def seen_by(seat: Seat, top: str, seats: int, play: Sequence[tuple[Seat, Action]]) -> View:
    return observe(hand(top, seats, play), seat)


def test_every_legal_action_has_a_meaning_in_both_languages() -> None:
    for play in ([], [(0, Action.ASK)], [(0, Action.ASK), (2, Action.DEPENDS)]):
        seen = view("kuku 7 kuku", 3, play)
        for lang in ("sv", "en"):
            assert list(meanings(seen, seen.legal, NAMES, lang)) == list(seen.legal)


def test_a_swap_names_the_seat_and_what_a_matador_there_does() -> None:
    assert told(view("4 7 9 2", 4), SWAP) == (
        "you get what Bo holds, which you have not seen, and Bo gets your card. A Harlequin that you get is low. "
        "No swap if it is a matador: an Inn or a Horse sends you on to Cilla, a Hussar or a Pig strikes you, "
        "a Cuckoo ends the hand."
    )


def test_of_a_card_that_came_by_a_swap_it_is_told_whom_a_pig_would_strike() -> None:
    seen = view("2 7 9 3", 4, [(0, SWAP)])
    assert "a Pig strikes Ada, who was dealt your card" in told(seen, SWAP)
    assert told(seen, SWAP).endswith("After a Pig you hold again what you were dealt, a 7.")
    assert "Husu hugger Ada, som fick ditt kort i given" in told(seen, SWAP, "sv")


def test_the_last_before_the_dealer_may_be_sent_on_to_the_dealer_and_the_dealer_to_the_talon() -> None:
    assert "sends you on to Cilla" in told(view("2 7 9", 3), SWAP)
    assert "sends you on to the talon" in told(view("2 7 9", 3, [(0, STAND)]), SWAP)


@pytest.mark.parametrize(
    ("rules", "what"),
    [
        (Ruleset(), "an Inn or a Horse is laid aside, and you draw again"),
        (STICKS, "a Cuckoo, an Inn and a Horse leave you your card"),
    ],
)
def test_the_dealer_draws_by_the_format(rules: Ruleset, what: str) -> None:
    seen = view("7 2 9", 3, [(0, STAND), (1, STAND)], rules)
    assert told(seen, SWAP).startswith("you draw from the talon, and your card goes under it. Then all turn up.")
    assert what in told(seen, SWAP)
    assert told(seen, STAND).startswith("you keep your card; the swapping is over, and all turn up.")


def test_a_high_harlekin_is_given_away_as_a_low_one() -> None:
    assert "is low for Bo, unless it meets the other" in told(view("harlekin 7 9", 3), SWAP)


def known(seen: View, seat: Seat, card: Card, *, up: bool = False, origin: Seat | None = None) -> View:
    """The view of one who knows that card."""
    cards, origins = list(seen.cards), list(seen.origins)
    cards[seat], origins[seat] = card, seat if origin is None else origin
    return replace(seen, cards=tuple(cards), origins=tuple(origins), face_up=(seat,) if up else ())


def test_what_the_left_holds_is_told_if_it_is_known_and_how() -> None:
    seen = view("2 7 9", 3)
    assert told(known(seen, 1, Card.N4), SWAP).startswith(
        "you would get what Bo holds, a 4: Bo had given it to you before. Bo gets your card."
    )
    assert "a 4: you have had it in your hand" in told(known(seen, 1, Card.N4, origin=2), SWAP)
    low = told(known(seen, 1, Card.HARLEKIN, up=True), SWAP)
    assert "a Harlequin: it lies face up" in low
    assert low.endswith("A Harlequin that you get is low.")
    assert told(known(seen, 1, Card.HUSAR, up=True), SWAP) == "Bo holds a Hussar, which lets nobody have it."
    both = known(view("harlekin 7 9", 3), 1, Card.HARLEKIN, up=True)
    assert told(both, SWAP).endswith("Two Harlequins that meet are both high.")


def test_who_stands_and_knows_a_lower_card_cannot_be_lowest() -> None:
    seen = view("2 7 9 3", 4, [(0, SWAP), (1, SWAP)])  # Cilla holds the 2, and knows that Bo has her 9
    assert told(seen, STAND).endswith("It costs a life if nobody ends with a lower one.")
    seen = view("4 2 9 3", 4, [(0, SWAP)])  # Bo holds the 4, and gave Ada the 2
    assert told(seen, STAND) == "you keep your card, and Cilla comes next. Ada holds a 2, so you cannot be the lowest."


@pytest.mark.parametrize("out", [{"struck": (0,)}, {"low_harlekins": (0,)}])
def test_who_loses_anyway_is_no_cover(out: dict[str, tuple[Seat, ...]]) -> None:
    seen = replace(view("4 2 9 3", 4, [(0, SWAP)]), **out)  # type: ignore[arg-type]  # sets of seats
    assert told(seen, STAND).endswith(
        "if nobody else ends with a lower one; the struck and low Harlequins do not count."
    )


@pytest.mark.parametrize("low", [(), (1,)])
def test_where_all_others_are_struck_nothing_is_lost(low: tuple[Seat, ...]) -> None:
    """Rules L4 and L5."""
    seen = replace(seen_by(1, "4 2 9", 3, []), struck=(0, 2), low_harlekins=low)
    assert fate(seen, NAMES, "en").endswith("it costs you nothing.")


def test_a_low_harlekin_is_not_spared_where_somebody_is_struck() -> None:
    """Rule L4: then the lowest card is, and so everyone never is."""
    seen = replace(seen_by(1, "4 2 9", 3, []), low_harlekins=(1,))
    assert fate(seen, NAMES, "en").endswith("unless everyone would lose one.")
    seen = replace(seen, struck=(0,))
    assert fate(seen, NAMES, "en").endswith("unless all others are struck or have one, too.")


def test_the_ends_of_the_order_of_the_cards() -> None:
    blaren = view("blaren 7 9", 3)
    assert told(blaren, STAND).endswith("No card is lower: it costs a life, unless everyone would lose one.")
    assert told(view("kuku 7 9", 3), STAND).endswith("It never loses as the lowest.")
    assert told(view("harlekin 7 9", 3), STAND).endswith("It never loses as the lowest.")
    low = view("harlekin 7 9", 3, rules=Ruleset(dealt_harlekin=HarlekinRank.LOW))
    assert told(low, STAND).endswith("A low Harlequin costs a life, unless everyone would lose one.")


def test_a_pig_may_still_take_back_what_makes_one_safe() -> None:
    """Bo swapped the 4 away again, so that a pig would give the 2 back to Bo."""
    play = [(0, SWAP), (1, SWAP)]
    assert fate(seen_by(1, "4 2 9 3", 4, play), NAMES, "en") == "It costs a life if nobody ends with a lower one."
    stood = seen_by(1, "4 2 9 3", 4, [(0, SWAP), (1, STAND)])
    assert fate(stood, NAMES, "en") == "Ada holds a 2, so you cannot be the lowest."


def test_who_is_struck_loses_whatever_they_hold() -> None:
    seen = seen_by(0, "2 husar 9 kuku", 4, [(0, SWAP)])
    assert fate(seen, NAMES, "en") == "You are struck, and lose a life whatever you hold."
    seen = replace(seen_by(3, "2 husar 9 kuku", 4, [(0, SWAP)]), struck=(3,))
    assert meanings(seen, (Action.KUKU,), NAMES, "en")[Action.KUKU].endswith(
        "You are struck, and lose a life whatever you hold."
    )


@pytest.mark.parametrize(
    ("card", "what"),
    [
        ("7", "Whoever asks you gets it, and you are on turn with theirs."),
        ("kavall", "Whoever asks you is sent on, and your turn is gone."),
        ("vardshus", "Whoever asks you is sent on, and your turn is gone."),
        ("husu", "Whoever asks you gets nothing, and the card goes back to whom it was dealt, who is struck."),
        ("husar", "Whoever asks you is struck."),
        ("kuku", "Whoever asks you gets nothing, and the hand ends."),
    ],
)
def test_what_comes_of_being_asked(card: str, what: str) -> None:
    assert when_asked(seen_by(2, f"2 5 {card}", 3, []), NAMES, "en") == what


def test_better_cards_with_two_and_with_three() -> None:
    assert told(view("2 7 9", 3), Action.ASK) == (
        "Cilla refuses, or leaves it to Bo whether all cards are dealt again. If so, the whole pack is shuffled and "
        "dealt again. If not, you still choose whether to swap, and cannot ask again in this hand."
    )
    duel = view("2 7", 2, rules=STICKS)
    assert told(duel, Action.ASK).startswith("Bo may have the cards of both dealt again, or refuse. If so, both")
    asked = view("2 7 9", 3, [(0, Action.ASK)])
    assert told(asked, Action.DEPENDS) == "Bo says whether all cards are dealt again."
    assert told(asked, Action.REFUSE) == "everyone keeps their card, and Ada may swap now."
    middle = view("2 7 9", 3, [(0, Action.ASK), (2, Action.DEPENDS)])
    assert told(middle, Action.ACCEPT) == "your card and all the others are thrown in, and Cilla deals again."


def test_names_are_no_templates() -> None:
    seen = view("4 7 9", 3)
    names = ("Ada", "{0}%s", "{who}")
    assert "what {0}%s holds" in meanings(seen, seen.legal, names, "en")[SWAP]
