"""Cards as pictures: each is told from the others, and none shifts a cell."""

import pytest
from wcwidth import wcwidth

from kille_net.client.effects import Shown, Span
from kille_net.client.showing.layout import cells, to_ascii
from kille_net.client.showing.pictures import HEIGHT, STYLE_OF, WIDTH, picture, side_by_side, turned_up
from kille_net.client.showing.texts import CARDS
from kille_net.game.cards import Card
from kille_net.game.events import Showdown
from tests.client.looking import text_of

LANGS = ("sv", "en")


@pytest.mark.parametrize("lang", LANGS)
def test_each_kind_has_its_name_its_place_and_a_figure_of_its_own(lang: str) -> None:
    drawn = {card: [span.text for span in picture(card, lang)] for card in Card}
    for card, lines in drawn.items():
        assert lines[1] == f"│{CARDS[lang][card]:11}│"
        place = 20 if card is Card.HARLEKIN else card + 1
        assert lines[-2].strip("│ ") == f"{place}/20"
    figures = {tuple(lines[2:-2]) for lines in drawn.values()}
    assert len(figures) == len(Card) == 21


def test_the_lilies_of_a_number_are_counted() -> None:
    for number in range(1, 13):
        (card,) = (card for card in Card if card.code == str(number))
        assert sum(span.text.count("ψ") for span in picture(card, "sv")) == number


def test_a_low_harlekin_says_so_and_a_hidden_card_says_nothing() -> None:
    assert picture(Card.HARLEKIN, "sv", is_low=True)[-2].text == "│        låg│"
    assert {span.text for span in picture(None, "sv")} == {f"┌{'─' * 11}┐", f"│{'░' * 11}│", f"└{'─' * 11}┘"}


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("card", [*Card, None])
def test_every_character_takes_one_cell_and_has_a_form_in_ascii(card: Card | None, lang: str) -> None:
    lines = [span.text for span in picture(card, lang)]
    assert len(lines) == HEIGHT
    for line in lines:
        assert [wcwidth(char) for char in line] == [1] * WIDTH
        assert len(to_ascii(line)) == WIDTH
        assert "?" not in to_ascii(line)


def test_kinds_that_do_different_things_have_different_colours() -> None:
    assert len({STYLE_OF[card] for card in Card if card >= Card.VARDSHUS}) == 6
    assert len({STYLE_OF[card] for card in Card if Card.N1 <= card <= Card.N12}) == 1
    assert {picture(card, "sv")[0].style for card in Card} == set(STYLE_OF.values())


@pytest.mark.parametrize("columns", [0, 12, 13, 27, 28, 80, 300])
def test_cards_side_by_side_fit(columns: int) -> None:
    cards = [Shown(card=card, above=(Span("日本" * 9),), below=(Span("x"),)) for card in Card]
    lines = text_of(side_by_side(cards, "en", columns))
    assert all(cells(line) <= columns for line in lines)
    assert (len(lines) == 0) is (columns < WIDTH)
    if lines:
        for card in Card:
            assert any(f"│{CARDS['en'][card]} " in line for line in lines)


def test_a_showdown_names_the_holders_and_says_under_each_card_why_it_cost_a_life() -> None:
    event = Showdown(
        cards=(Card.HUSAR, Card.HARLEKIN, None, Card.N1, Card.KUKU),
        struck=(0,),
        low_harlekins=(1,),
        lost=(0, 1, 3),
        lives=(2, 2, 0, 0, 3),
    )
    shown = turned_up(event, ["Ada", "Bo", "Cilla", "Doris", "Eva"], "en", own=4)
    assert [(one.card, one.is_low, one.above[0].text, [span.text for span in one.below]) for one in shown] == [
        (Card.HUSAR, False, "Ada", ["struck −1"]),
        (Card.HARLEKIN, True, "Bo", ["low −1"]),
        (Card.N1, False, "Doris", ["lowest −1"]),
        (Card.KUKU, False, "You", []),
    ]
