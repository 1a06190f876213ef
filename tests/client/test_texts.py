"""Both languages say everything, with the same fields."""

import string

import pytest

from kille_net.client.texts import CARDS, CRIES, ONE_CARD, TEXTS, Who, cry, say
from kille_net.game.cards import MATADORS, Card


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def test_no_text_is_missing_in_either_language() -> None:
    assert TEXTS["sv"].keys() == TEXTS["en"].keys()


@pytest.mark.parametrize("key", TEXTS["en"])
def test_both_languages_have_something_to_say_of_the_same(key: str) -> None:
    swedish, english = fields(TEXTS["sv"][key]), fields(TEXTS["en"][key])
    assert TEXTS["sv"][key].strip()
    assert TEXTS["en"][key].strip()
    assert swedish <= english or english <= swedish


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
        ("sv", "Lars", False, "Lars Lars Lars takes Lars"),
        ("sv", "Bo", True, "Du du din take dig"),
    ],
)
def test_a_player_in_a_sentence(lang: str, name: str, is_you: bool, shown: str) -> None:  # noqa: FBT001  a column of a table
    who = Who(name, lang, is_you=is_you)
    assert f"{who} {who:m} {who:p} {who:takes|take} {who:o}" == shown


def test_a_value_is_not_read_as_a_template() -> None:
    assert say("en", "struck", who=Who("{0}%s</b>", "en", is_you=False)) == "{0}%s</b> is struck."
