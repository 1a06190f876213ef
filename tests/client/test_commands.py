"""One table: every word is understood, completed and explained in both languages."""

from itertools import product

import msgspec
import pytest

from kille_net.client.commands import TABLE, Order, Row, Takes, Verb, parse, row_of, suggest, without_password
from kille_net.client.options import OPTIONS, VALUES, Fault, option_word, read_level, read_options, value_word
from kille_net.client.showing.guidance import VERB_OF
from kille_net.client.showing.texts import say
from kille_net.game.actions import Action
from kille_net.languages import LANGUAGES, words
from kille_net.wire.messages import Level, Options
from kille_net.wire.options import DEFAULT_OPTIONS
from kille_net.wire.states import Place

DEFAULTS = msgspec.to_builtins(DEFAULT_OPTIONS)


def test_every_verb_has_one_row_and_every_action_a_verb() -> None:
    assert sorted(row.verb for row in TABLE) == sorted(Verb)
    assert set(VERB_OF) == set(Action)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: str(row.verb))
@pytest.mark.parametrize("lang", ["sv", "en"])
def test_every_row_is_understood_and_explained_in_both_languages(row: Row, lang: str) -> None:
    assert say(lang, f"help.{row.verb.value}")
    assert row.takes is Takes.NOTHING or say(lang, f"takes.{row.takes.value}")
    for word in row.words(lang):
        assert row_of(word) is row
        assert row_of(word.upper()) is row
    assert row.places


@pytest.mark.parametrize("row", [row for row in TABLE if row.verb in VERB_OF.values()], ids=lambda row: str(row.verb))
@pytest.mark.parametrize("lang", ["sv", "en"])
def test_every_act_at_the_table_has_a_key(row: Row, lang: str) -> None:
    assert len(row.words(lang)[1]) == 1


@pytest.mark.parametrize(
    ("line", "order"),
    [
        ("byt", Order(verb=Verb.SWAP)),
        ("  B ", Order(verb=Verb.SWAP)),
        ("/swap", Order(verb=Verb.SWAP)),
        ("sta\N{COMBINING RING ABOVE}", Order(verb=Verb.STAND)),
        ("stå", Order(verb=Verb.STAND)),
        ("?", Order(verb=Verb.HELP)),
        ("help swap", Order(verb=Verb.HELP, rest="swap")),
        ("delta Stora bordet", Order(verb=Verb.JOIN, rest="Stora bordet", options={})),
        ("join  A   B  password=x", Order(verb=Verb.JOIN, rest="A B", options={"password": "x"})),
        ("titta A lösenord=x", Order(verb=Verb.WATCH, rest="A", options={"password": "x"})),
        (
            "skapa Mitt bord platser=3 spel=pinnar",
            Order(verb=Verb.CREATE, rest="Mitt bord", options={"seats": "3", "format": "pinnar"}),
        ),
        ("say  hej  på dig", Order(verb=Verb.SAY, rest="hej  på dig")),
        ("'hej", Order(verb=Verb.SAY, rest="hej")),
        ("säg a=b", Order(verb=Verb.SAY, rest="a=b")),
        ("", None),
        ("   ", None),
        ("/", None),
        ("xyzzy", Fault("unknown_command", "xyzzy")),
        ("swap now", Fault("takes_nothing", "swap")),
        ("join A seats=3", Fault("only_password", "seats")),
        ("create A color=red", Fault("unknown_option", "color")),
    ],
)
def test_what_a_line_orders(line: str, order: Order | Fault | None) -> None:
    assert parse(line) == order


def test_every_option_of_a_room_can_be_given_in_both_languages() -> None:
    assert set(OPTIONS) == {*Options.__struct_fields__, "password"}
    for name in OPTIONS:
        for lang in LANGUAGES:
            for word in words(lang, f"words.option.{name}"):
                order = parse(f"create A {word}=1")
                assert isinstance(order, Order)
                assert order.options == {name: "1"}
        assert option_word(name, "en") == name


def test_every_value_can_be_given_in_every_language() -> None:
    assert {"pots", "low", "sharp", "nobody"} <= set(VALUES)
    for name, value in [(name, value) for name, value in DEFAULTS.items() if isinstance(value, str)]:
        for lang in LANGUAGES:
            for word in words(lang, f"words.value.{value}"):
                assert read_options({name: word}) == DEFAULT_OPTIONS


@pytest.mark.parametrize(("kind", "names"), [("verb", tuple(Verb)), ("option", OPTIONS), ("value", VALUES)])
def test_a_word_means_the_same_in_every_language(kind: str, names: tuple[str, ...]) -> None:
    meant: dict[str, str] = {}
    for lang, name in product(LANGUAGES, names):
        for word in words(lang, f"words.{kind}.{name}"):
            assert meant.setdefault(word, name) == name, (lang, word)


def test_options_are_read_over_the_defaults() -> None:
    options = read_options({"seats": "8", "format": "Pinnar", "length": "short", "clock": "0", "password": "x"})
    assert isinstance(options, Options)
    assert (options.seats, options.format.value, options.length.value, options.clock) == (8, "sticks", "short", 0)
    assert options.rest == DEFAULT_OPTIONS.rest


@pytest.mark.parametrize(
    "given",
    [
        {"seats": "9"},
        {"seats": "1"},
        {"seats": "four"},
        {"seats": "-3"},
        {"seats": "٣"},
        {"format": "poker"},
        {"format": "3"},
        {"clock": "601"},
        {"clock": "99999999999999999999"},
        {"length": ""},
    ],
)
def test_options_that_no_room_has(given: dict[str, str]) -> None:
    ((name, value),) = given.items()
    assert read_options(given) == Fault("bad_option", f"{name}={value}")


@pytest.mark.parametrize("level", list(Level))
def test_levels_in_both_languages(level: Level) -> None:
    assert read_level(level.value) is level
    for lang in LANGUAGES:
        assert read_level(value_word(level.value, lang)) is level
    assert read_level("best") is None


NAMES = {Takes.ROOM: ["Bordet", "Stora bordet"], Takes.SEAT: ["Ada", "Bo"], Takes.CARD: ["Husu", "Husar"]}


def names(takes: Takes) -> dict[str, str]:
    return {name: f"what {name} is" for name in NAMES.get(takes, ())}


@pytest.mark.parametrize(
    ("line", "lang", "place", "words"),
    [
        ("sk", "sv", Place.LOBBY, ["ny"]),
        ("sw", "en", Place.SEATED, ["swap"]),
        ("sw", "en", Place.LOBBY, []),
        ("s", "en", Place.SEATED, ["swap", "stand", "standings", "schedule", "start", "say", "score", "enter"]),
        ("r", "sv", Place.SEATED, ["regler", "lista", "spelschema", "klar"]),
        ("/cr", "en", Place.LOBBY, ["new"]),
        ("b", "sv", Place.SEATED, ["byt", "börja", "bort", "bord", "mellanhand"]),
        ("delta S", "sv", Place.LOBBY, ["Stora bordet"]),
        ("join stora b", "en", Place.LOBBY, ["Stora bordet"]),
        ("kick ", "en", Place.SEATED, ["Ada", "Bo"]),
        ("kort hus", "sv", Place.SEATED, ["Husu", "Husar"]),
        ("create X le", "en", Place.LOBBY, ["length=", "level="]),
        ("skapa X kl", "sv", Place.LOBBY, ["klocka="]),
        ("add 2 s", "en", Place.SEATED, ["sharp"]),
        ("dator sk", "sv", Place.SEATED, ["skarp"]),
        ("hjälp kuk", "sv", Place.LOBBY, ["kuku"]),
        ("xyzzy ", "en", Place.LOBBY, []),
        ("swap ", "en", Place.SEATED, []),
    ],
)
def test_completions(line: str, lang: str, place: Place, words: list[str]) -> None:
    found = suggest(line, lang, place, names, str.upper)
    assert [one.text for one in found] == words
    for one in found:
        completed = line[: len(line) - one.back] + one.text
        is_word = " " not in line.strip()
        assert completed.casefold().startswith(line.casefold()) or is_word
        assert one.meaning


def test_what_is_completed_is_understood() -> None:
    for lang in ("sv", "en"):
        for place in Place:
            for one in suggest("", lang, place, names, str):
                row = row_of(one.text)
                assert row is not None
                assert one.meaning == f"help.{row.verb}"
                assert place in row.places


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("join A password=x", "join A password=…"),
        ("titta A lösenord=x seats=3", "titta A lösenord=… seats=3"),
        ("create A LO\u0308SENORD=öö", "create A LÖSENORD=…"),
        ("join a\u030a seats=3", "join a\u030a seats=3"),
        ("say mypassword=x", "say mypassword=x"),
        ("join A password=", "join A password="),
        ("join A pa\u00dfword=x", "join A pa\u00dfword=…"),  # read as a password, since case is folded
    ],
)
def test_a_line_is_shown_without_its_password(line: str, shown: str) -> None:
    assert without_password(line) == shown
