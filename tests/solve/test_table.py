"""The table that the perfect player plays by is that of the solution."""

import json
from dataclasses import replace

import pytest

from kille_net.bots.asking import DEALER_STANDS_FROM, FIRST_STANDS_FROM
from kille_net.bots.perfect import TABLE, PerfectBot, thresholds
from kille_net.bots.sharp import SharpBot
from kille_net.game.actions import Action
from kille_net.game.cards import Card
from kille_net.game.events import HandBegan
from kille_net.game.match import Match
from kille_net.game.rules import Format, Ruleset
from kille_net.game.views import observe
from kille_net.solve.table import rows, text
from kille_net.solve.table import thresholds as thresholds_for
from kille_net.solve.values import Hand, Worth, pot
from tests.bots.hands import pack, view

KINDS = [card for card in Card if card is not Card.HARLEKIN]


@pytest.mark.parametrize("form", Format)
def test_the_table_is_what_the_solver_finds(form: Format, hands: dict[Format, Hand]) -> None:
    rules, hand = Ruleset(format=form), hands[form]
    kept = json.loads(TABLE.read_text(encoding="ascii"))[form.value]
    assert [list(row) for row in rows(rules, hand, pot(hand, rules.rules.lives))] == kept


def test_the_table_of_a_pot_is_that_of_every_match(hands: dict[Format, Hand]) -> None:
    """What else is at stake in a match moves only how much it is worth that nobody loses, between these two."""
    for nobody in (0.4868, 0.5218):
        assert thresholds_for(hands[Format.POTS], Worth(0.0, 1.0, nobody)) == ("6", "8", "6")
    assert thresholds_for(hands[Format.POTS], Worth(0.0, 1.0, 0.6)) == ("6", "8", "8")


@pytest.mark.parametrize("form", Format)
def test_sharp_stands_with_the_same_cards_but_for_its_asks(form: Format) -> None:
    key = {"pots": ("pots", "3", "3"), "sticks": ("sticks", "0", "")}[form.value]
    assert (thresholds()[key].first, thresholds()[key].dealer) == (FIRST_STANDS_FROM, DEALER_STANDS_FROM)


def test_the_file_is_as_it_is_written() -> None:
    table = TABLE.read_text(encoding="ascii")
    assert text(json.loads(table)) == table


def test_there_is_a_row_for_all_that_a_seat_may_know() -> None:
    lives = {key[1:] for key in thresholds() if key[0] == "pots"}
    assert lives == {(str(a), str(b)) for a in (1, 2, 3) for b in (1, 2, 3)}
    sticks = {key[1:] for key in thresholds() if key[0] == "sticks"}
    assert {("0", ""), ("1", ""), ("2", "")} < sticks
    assert {cards for harlekins, cards in sticks if harlekins == "1"} == {
        "",
        *(card.code for card in KINDS),
    }


@pytest.mark.parametrize(("card", "action"), [("5", Action.SWAP), ("6", Action.STAND), ("husar", Action.STAND)])
def test_the_first_to_speak_swaps_what_is_below_a_six(card: str, action: Action) -> None:
    assert PerfectBot().decide(view(f"{card} 9", 2)) is action


@pytest.mark.parametrize(("card", "action"), [("7", Action.SWAP), ("8", Action.STAND)])
def test_the_dealer_draws_below_an_eight(card: str, action: Action) -> None:
    assert PerfectBot().decide(view(f"9 {card}", 2, [(0, Action.STAND)])) is action


@pytest.mark.parametrize(
    ("first", "dealer", "action"),
    [
        ("3", "9", Action.SWAP),  # it holds the 3 now
        ("9", "3", Action.STAND),
        ("5", "5", Action.SWAP),
        ("6", "6", Action.STAND),
    ],
)
def test_the_dealer_that_was_swapped_with_goes_by_who_is_behind(first: str, dealer: str, action: Action) -> None:
    assert PerfectBot().decide(view(f"{first} {dealer}", 2, [(0, Action.SWAP)])) is action


def test_it_never_asks_nor_accepts() -> None:
    for card in ("blaren", "6", "12"):
        assert PerfectBot().decide(view(f"9 {card}", 2, [(0, Action.ASK)])) is Action.REFUSE
        assert PerfectBot().decide(view(f"{card} 9", 2)) is not Action.ASK


def test_it_remembers_in_sticks_what_it_threw() -> None:
    """Who threw a high card beside the other's Harlekin finds fewer of them in what is left."""
    rules = Ruleset(format=Format.STICKS)
    assert PerfectBot().decide(view("12 harlekin 5 9", 2, rules=rules)) is Action.STAND
    assert PerfectBot().decide(view("1 harlekin 5 9", 2, rules=rules)) is Action.SWAP
    both = "harlekin harlekin 9 7"
    assert PerfectBot().decide(view(both, 2, [(0, Action.STAND)], rules)) is Action.STAND


def test_cards_that_no_row_knows_are_passed_over() -> None:
    seen = view("12 harlekin 5 9", 2, rules=Ruleset(format=Format.STICKS))
    more = replace(seen, gone=(*seen.gone, Card.N3, Card.N4))
    assert PerfectBot().decide(more) is Action.SWAP


def test_a_kuku_is_called_at_once() -> None:
    assert PerfectBot().calls_kuku(view("kuku 9", 2, rules=Ruleset(format=Format.STICKS)))


@pytest.mark.parametrize("seats", [4, 8])
def test_where_more_have_lives_it_plays_as_sharp_does(seats: int) -> None:
    for card in KINDS:
        for form in Format:
            seen = view(f"{card.code} 9 8 7 6 5 4 3", seats, rules=Ruleset(format=form))
            assert PerfectBot().decide(seen) is SharpBot().decide(seen)
            assert PerfectBot().calls_kuku(seen) is SharpBot().calls_kuku(seen)


def test_when_two_of_more_are_left_it_plays_by_their_lives() -> None:
    match = Match.before(Ruleset(pots=4), HandBegan(5, 1, 2, (1, 0, 2), (0, 0, 0)))
    match.deal(pack("5 9"))
    assert PerfectBot().decide(observe(match, 0)) is Action.SWAP
