"""How sentences are put together of what the catalogues hold."""

import pytest

from kille_net.client.showing.texts import CARDS, CRIES, ONE_CARD, Who, cry, say, say_many
from kille_net.game.cards import MATADORS, Card


@pytest.mark.parametrize("lang", ["sv", "en"])
@pytest.mark.parametrize("table", [CARDS, ONE_CARD])
def test_every_card_has_a_name_of_its_own(lang: str, table: dict[str, dict[Card, str]]) -> None:
    assert set(table[lang]) == set(Card)
    assert len(set(table[lang].values())) == len(Card)


def test_every_matador_has_a_cry() -> None:
    assert {card.code for card in MATADORS} <= set(CRIES)
    assert cry("sv", "kavall") == "”Kavall förbi!”"
    assert cry("en", "kavall") == "“Kavall förbi!” (pass the Horse)"


@pytest.mark.parametrize(
    ("lang", "name", "is_you", "shown"),
    [
        ("en", "Bo", False, "Bo Bo Bo's takes Bo"),
        ("en", "Bo", True, "You you your take you"),
        ("sv", "Bo", False, "Bo Bo Bos takes Bo"),
        ("en", "Lars", False, "Lars Lars Lars's takes Lars"),
        ("sv", "Lars", False, "Lars Lars Lars takes Lars"),
        ("sv", "Bo", True, "Du du din take dig"),
    ],
)
def test_a_player_in_a_sentence(lang: str, name: str, is_you: bool, shown: str) -> None:  # noqa: FBT001  a column of a table
    who = Who(name, lang, is_you=is_you)
    assert f"{who} {who:m} {who:p} {who:takes|take} {who:o}" == shown


def test_a_value_is_not_read_as_a_template() -> None:
    assert say("en", "struck", who=Who("{0}%s</b>", "en", is_you=False)) == "{0}%s</b> is struck."


@pytest.mark.parametrize(
    ("lang", "count", "said"),
    [
        ("en", 1, "1 empty seat"),
        ("en", 2, "2 empty seats"),
        ("sv", 1, "1 ledig plats"),
        ("sv", 5, "5 lediga platser"),
    ],
)
def test_a_number_chooses_the_form(lang: str, count: int, said: str) -> None:
    assert say_many(lang, "waits_seats", count) == said
