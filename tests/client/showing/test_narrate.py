"""What happened, told in order, in both languages, with the reason of every loss."""

import random
from collections.abc import Iterator

import pytest

from kille_net.client.showing.narrate import narrate
from kille_net.game.actions import Action, actions_of
from kille_net.game.cards import FULL_PACK, MATADORS, Card
from kille_net.game.events import (
    AskAnswered,
    BetterCardsAsked,
    CardRefused,
    CardsThrown,
    Dealt,
    Drew,
    Event,
    HandBegan,
    KukuCalled,
    MatchEnded,
    PotWon,
    RedealReason,
    Reshuffled,
    SeatStruck,
    Showdown,
    Stood,
    Swapped,
    SwapsUndone,
)
from kille_net.game.match import Match, Stage
from kille_net.game.rules import Format, Length, Ruleset
from kille_net.game.views import redact

NAMES = ("Ada", "Bo", "Cilla", "Doris")
H, K = Card.HARLEKIN, Card.KUKU

EN: list[tuple[Event, int | None, list[str]]] = [
    (
        HandBegan(3, 2, 1, (3, 2, 0, 1), (1, 0, 0, 0)),
        0,
        ["Hand 3, pot 2: Bo deals. Lives: You 3, Bo 2, Doris 1."],
    ),
    (HandBegan(9, None, 1, (0, 2, 1, 0), (0, 2, 1, 0)), 1, ["Hand 9, the final: You deal. Lives: You 2, Cilla 1."]),
    (Dealt((Card.N4, None, None, None)), 0, ["You are dealt a 4."]),
    (Dealt((None, None, None, None)), None, ["The cards are dealt."]),
    (Dealt((None, Card.N8, None, None)), 0, ["The cards are dealt: Bo 8."]),
    (Stood(1), 0, ["Bo: “Nöjd!” (I stand)"]),
    (Swapped(1, 2, None, None), 0, ["Bo swaps with Cilla."]),
    (Swapped(0, 1, Card.N4, Card.N8), 0, ["You swap with Bo: you gave a 4 and got an 8."]),
    (Swapped(3, 0, Card.N4, Card.N8), 0, ["Doris swaps with you: you gave an 8 and got a 4."]),
    (Swapped(1, 2, Card.N4, Card.N8), None, ["Bo swaps with Cilla: Bo gave a 4 and got an 8."]),
    (
        Swapped(1, 2, H, None),
        0,
        ["Bo swaps with Cilla.", "The Harlequin crosses face up, and is low for Cilla."],
    ),
    (
        Swapped(3, 0, None, H),
        2,
        ["Doris swaps with Ada.", "The Harlequin crosses face up, and is low for Doris."],
    ),
    (
        Swapped(0, 1, H, H),
        0,
        ["You swap with Bo: you gave a Harlequin and got a Harlequin.", "Two Harlequins meet: both are high."],
    ),
    (CardRefused(1, 0, Card.KAVALL), 0, ["Bo: “Kavall förbi!” (pass the Horse) Your swap goes on past Bo."]),
    (CardRefused(1, 0, Card.VARDSHUS), 1, ["You: “Värdshus förbi!” (pass the Inn) Ada's swap goes on past you."]),
    (CardRefused(1, 0, Card.HUSU), 0, ["Bo: “Svinhugg går igen!” (the Pig bites back) No swap for you."]),
    (CardRefused(1, 0, Card.HUSAR), 2, ["Bo: “Husar hugger!” (the Hussar strikes) No swap for Ada."]),
    (
        CardRefused(1, 0, K),
        2,
        ["Bo: “Kuku står, ingen byta får!” (the Cuckoo stays, nobody may swap) No swap for Ada; the swapping is over."],
    ),
    (
        SwapsUndone((3, 0), (Card.N2, None, None, Card.N5), ()),
        0,
        [
            "The card goes back to Doris; everyone on its way has their first card again.",
            "You hold a 2 again.",
        ],
    ),
    (SwapsUndone((0,), (Card.N2, None, None, None), ()), 0, ["The card stays with you."]),
    (SeatStruck(0), 0, ["You are struck."]),
    (SeatStruck(1), 0, ["Bo is struck."]),
    (Drew(1, None, kept=True), 0, ["Bo draws from the talon."]),
    (Drew(0, Card.BLAREN, kept=True), 0, ["You draw from the talon and get the Mask."]),
    (
        Drew(1, Card.HUSAR, kept=False),
        0,
        [
            "Bo draws from the talon and turns up a Hussar: “Husar hugger!” (the Hussar strikes)",
            "No swap: Bo keeps the old card.",
        ],
    ),
    (BetterCardsAsked(0), 0, ["You: “Nya kort?” (better cards?)"]),
    (AskAnswered(1, Action.ACCEPT), 0, ["Bo: “Ja!” (yes)"]),
    (AskAnswered(1, Action.REFUSE), 0, ["Bo: “Nej!” (no)"]),
    (AskAnswered(1, Action.DEPENDS), 0, ["Bo: “Det beror på!” (it depends)"]),
    (
        CardsThrown(RedealReason.AGREED, (None,) * 4, whole_pack=True),
        0,
        ["The cards are thrown in and dealt again."],
    ),
    (
        CardsThrown(RedealReason.HARLEKIN, (None, H, None, H), whole_pack=True),
        1,
        [
            "You were dealt a Harlequin with two left: new cards.",
            "Doris was dealt a Harlequin with two left: new cards.",
        ],
    ),
    (
        CardsThrown(RedealReason.HARLEKIN, (None,) * 4, whole_pack=True),
        1,
        ["A Harlequin with two left: new cards."],
    ),
    (
        CardsThrown(RedealReason.TIE, (None, K, K, None), whole_pack=True),
        0,
        ["The same card twice in the duel: it is dealt again."],
    ),
    (Reshuffled(), 0, ["The talon runs short: it is shuffled together with the discard pile."]),
    (KukuCalled(1, by_rule=False), 0, ["Bo: “Kuku står, ingen byta får!” (the Cuckoo stays, nobody may swap)"]),
    (
        KukuCalled(0, by_rule=True),
        0,
        [
            "You were dealt a Cuckoo with two left, and it is turned up. "
            "“Kuku står, ingen byta får!” (the Cuckoo stays, nobody may swap)"
        ],
    ),
    (PotWon(2, 1, (0, 2, 0, 0)), 0, ["Bo wins pot 2. Score: You 0, Bo 2, Cilla 0, Doris 0."]),
    (MatchEnded(0, (2, 1, 0, 0)), 0, ["You win the match! Score: You 2, Bo 1, Cilla 0, Doris 0."]),
    (MatchEnded(None, (1, 0, 0, 0)), None, ["The match is broken off. Score: Ada 1, Bo 0, Cilla 0, Doris 0."]),
    (
        MatchEnded(None, (1, 0, 0, 0), "dis\x1b[2Jk full"),
        None,
        ["The match is broken off (dis\ufffd[2Jk full). Score: Ada 1, Bo 0, Cilla 0, Doris 0."],
    ),
]


STICKS = {
    HandBegan(3, 2, 0, (1, 1, 1, 1), (1, 0, 0, 0)): {
        "en": "Hand 3, bout 2: You deal. Lives: You 1, Bo 1, Cilla 1, Doris 1.",
        "sv": "Giv 3, parti 2: Du ger. Liv: Du 1, Bo 1, Cilla 1, Doris 1.",
    },
    PotWon(2, 1, (0, 2, 0, 0)): {
        "en": "Bo wins bout 2, and a stick. Sticks: You 0, Bo 2, Cilla 0, Doris 0.",
        "sv": "Bo vinner parti 2, och en pinne. Pinnar: Du 0, Bo 2, Cilla 0, Doris 0.",
    },
    MatchEnded(0, (1, 1, 0, 0)): {
        "en": "You win the final, and with it the match! Sticks from the bouts: You 1, Bo 1, Cilla 0, Doris 0.",
        "sv": "Du vinner slutspelet, och därmed matchen! Pinnar ur partierna: Du 1, Bo 1, Cilla 0, Doris 0.",
    },
    MatchEnded(1, (0, 2, 0, 0)): {
        "en": "Bo wins the match! Nobody else has a stick. Sticks: You 0, Bo 2, Cilla 0, Doris 0.",
        "sv": "Bo vinner matchen! Ingen annan har en pinne. Pinnar: Du 0, Bo 2, Cilla 0, Doris 0.",
    },
}


@pytest.mark.parametrize("lang", ["sv", "en"])
@pytest.mark.parametrize("event", STICKS)
def test_sticks_are_told_as_sticks_and_its_match_is_decided_by_the_final(event: Event, lang: str) -> None:
    """G1, G5."""
    assert narrate(event, NAMES, lang, 0, Format.STICKS) == [STICKS[event][lang]]


@pytest.mark.parametrize(("event", "seat", "lines"), EN)
def test_in_english(event: Event, seat: int | None, lines: list[str]) -> None:
    assert narrate(event, NAMES, "en", seat) == lines


@pytest.mark.parametrize(
    ("event", "seat", "lines"),
    [
        (Swapped(3, 0, Card.N4, Card.N8), 0, ["Doris byter med dig: du gav en åtta och fick en fyra."]),
        (CardRefused(1, 0, Card.HUSAR), 0, ["Bo: ”Husar hugger!” Inget byte för dig."]),
        (SeatStruck(0), 0, ["Du är uthuggen."]),
        (Drew(0, Card.KRANSEN, kept=True), 0, ["Du går i lek och får Kransen."]),
        (
            Showdown((Card.N4, Card.N8, None, None), (), (), (0,), (2, 3, 0, 0)),
            0,
            ["”Upp till bevis!” Du 4, Bo 8.", "Du förlorar ett liv för lägsta kortet, en fyra; 2 kvar."],
        ),
    ],
)
def test_in_swedish(event: Event, seat: int | None, lines: list[str]) -> None:
    assert narrate(event, NAMES, "sv", seat) == lines


@pytest.mark.parametrize("card", sorted(MATADORS))
@pytest.mark.parametrize("game", [None, *Format])
def test_a_drawn_matador_leaves_the_drawer_its_card_and_that_is_told(card: Card, game: Format | None) -> None:
    """D2 to D5"""
    lines = narrate(Drew(0, card, kept=False), NAMES, "en", 0, game)[1:]
    keeps = card in {Card.KUKU, Card.HUSAR} or (card is not Card.HUSU and game is Format.STICKS)
    assert lines == ["No swap: you keep the old card."] * keeps


@pytest.mark.parametrize(
    ("seat", "line"),
    [(0, "Bo: ”Kavall förbi!” Ditt byte går förbi Bo."), (1, "Du: ”Kavall förbi!” Adas byte går förbi dig.")],
)
def test_a_skipped_swap_is_somebodys(seat: int, line: str) -> None:
    assert narrate(CardRefused(1, 0, Card.KAVALL), NAMES, "sv", seat) == [line]


SHOWDOWNS: list[tuple[str, Showdown, list[str]]] = [
    (
        "struck, low Harlekin and lowest, in this order (L2)",
        Showdown((Card.N9, H, Card.N3, Card.KAVALL), (3,), (1,), (1, 2, 3), (3, 2, 1, 0)),
        [
            "Doris loses a life: struck; none left: out.",
            "Bo loses a life: a low Harlequin; 2 left.",
            "Cilla loses a life: the lowest card, a 3; 1 left.",
        ],
    ),
    (
        "ties lose together (L2)",
        Showdown((Card.N3, Card.N3, Card.N5, None), (), (), (0, 1), (1, 1, 2, 0)),
        [
            "Ada loses a life: the lowest card, a 3; 1 left.",
            "Bo loses a life: the lowest card, a 3; 1 left.",
        ],
    ),
    (
        "struck and low at once loses one life, as struck (L3)",
        Showdown((H, K, None, None), (0,), (0,), (0,), (1, 2, 0, 0)),
        ["Ada loses a life: struck; 1 left."],
    ),
    (
        "the lowest card goes free where all would lose (L4)",
        Showdown((Card.N3, Card.N8, None, None), (1,), (), (1,), (1, 1, 0, 0)),
        ["Bo loses a life: struck; 1 left.", "The lowest card, with Ada, goes free: everyone would have lost."],
    ),
    (
        "nobody loses where all would and nobody is struck (L4)",
        Showdown((Card.N3, Card.N3, None, None), (), (), (), (1, 1, 0, 0)),
        ["Nobody loses a life: it would have been everyone."],
    ),
    (
        "only the struck lose where struck and low are everyone (L5)",
        Showdown((H, Card.N8, None, None), (1,), (0,), (1,), (1, 1, 0, 0)),
        ["Bo loses a life: struck; 1 left.", "The low Harlequin, with Ada, goes free: everyone would have lost."],
    ),
    (
        "Kuku and high Harlekin never lose (L2)",
        Showdown((K, H, None, None), (), (), (), (1, 1, 0, 0)),
        ["Nobody loses a life: a Cuckoo and a high Harlequin never lose."],
    ),
]


@pytest.mark.parametrize(("case", "event", "lines"), SHOWDOWNS)
def test_the_reasons_at_a_showdown(case: str, event: Showdown, lines: list[str]) -> None:
    assert case
    first, *rest = narrate(event, NAMES, "en")
    assert first.startswith("“Upp till bevis!” (show them) Ada ")
    assert rest == lines


def test_a_low_harlekin_is_marked_at_the_showdown() -> None:
    event = Showdown((H, H, None, None), (), (1,), (1,), (1, 1, 0, 0))
    assert narrate(event, NAMES, "sv")[0] == "”Upp till bevis!” Ada Harlekin, Bo Harlekin (låg)."


def played(seed: int, rules: Ruleset, seats: int) -> Iterator[Event]:
    chance = random.Random(seed)
    match = Match(rules, seats, 0)
    while match.stage is not Stage.OVER:
        if match.wants_pack:
            pack = list(FULL_PACK)
            chance.shuffle(pack)
            yield from match.deal(tuple(pack))
        else:
            seat = match.to_act
            assert seat is not None
            yield from match.act(seat, chance.choice(actions_of(match.legal(seat))))


@pytest.mark.parametrize("lang", ["sv", "en"])
@pytest.mark.parametrize("game", list(Format))
def test_whole_matches_are_told_in_single_lines_to_everyone(game: Format, lang: str) -> None:
    seen: set[type] = set()
    for seats in (2, 3, 4):
        for event in played(seats, Ruleset.for_seats(seats, format=game, length=Length.SHORT), seats):
            seen.add(type(event))
            for seat in (None, *range(seats)):
                lines = narrate(redact(event, seat), NAMES, lang, seat)
                assert lines
                assert all(line and line.isprintable() for line in lines)
            assert narrate(event, NAMES, lang)
    assert Showdown in seen


@pytest.mark.parametrize("card", sorted(MATADORS))
def test_what_is_face_up_is_told_alike_to_all(card: Card) -> None:
    assert narrate(CardRefused(1, 0, card), NAMES, "sv", 2) == narrate(CardRefused(1, 0, card), NAMES, "sv")
