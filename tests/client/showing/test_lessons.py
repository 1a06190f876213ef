"""The rules as they are explained: whole in both languages, and saying what the tables of the rules say."""

import json
from dataclasses import replace
from itertools import product

import pytest

from kille_net.cli.play import command as play
from kille_net.client.showing import example, lessons, strategy
from kille_net.client.showing.example import HAND
from kille_net.client.showing.lessons import card_line, lesson, order_line, page, primer
from kille_net.client.showing.texts import CARDS, CRIES, cry, say
from kille_net.client.showing.topics import (
    Subject,
    Term,
    Topic,
    also_called,
    find,
    names,
    near,
    term_names,
    topic_names,
)
from kille_net.game.cards import Card
from kille_net.game.judge import Referee
from kille_net.game.rules import (
    FORMATS,
    LENGTHS,
    REFUSALS,
    Format,
    HarlekinRank,
    Length,
    Ruleset,
)
from kille_net.languages import text as template
from kille_net.wire.options import DEFAULT_OPTIONS
from tests.catalogues import TEXTS

LANGS = ("sv", "en")
SUBJECTS: tuple[Subject, ...] = (*Topic, *Card, *Term)


def told(subject: Subject, lang: str) -> str:
    return "\n".join(lesson(subject, lang))


# --- nothing is missing -----------------------------------------------------------------------------------------------


def test_no_text_is_never_told(monkeypatch: pytest.MonkeyPatch) -> None:
    said: set[str] = set()

    def spy(lang: str, key: str, /, **values: object) -> str:
        said.add(key)
        return say(lang, key, **values)

    monkeypatch.setattr(lessons, "say", spy)
    monkeypatch.setattr(example, "say", spy)
    monkeypatch.setattr(strategy, "say", spy)
    for lang in LANGS:
        for subject in SUBJECTS:
            lesson(subject, lang)
        for rules in all_rules():
            page(rules, lang, "rules", pots=5)
        primer(lang, "rules")
    assert {key for key in said if key.startswith("lesson.")} == {
        key for key in TEXTS["en"] if key.startswith("lesson.")
    }


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: f"{type(subject).__name__}-{subject.name}")
def test_there_is_a_lesson_on_everything(subject: Subject, lang: str) -> None:
    lines = lesson(subject, lang)
    assert lines
    assert not lines[0].startswith(" ")
    for line in lines:
        assert line.strip()
        assert line.isprintable()
        assert "{" not in line


# --- what is looked up ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "subject"),
    [
        ("husu", Card.HUSU),
        ("PIG", Card.HUSU),
        ("svinet", Card.HUSU),
        ("kuku", Card.KUKU),
        ("Göken", Card.KUKU),
        ("9", Card.N9),
        ("nia", Card.N9),
        ("Lilja 9", Card.N9),
        ("harlekin", Card.HARLEKIN),
        ("killen", Card.HARLEKIN),
        ("värdshus", Card.VARDSHUS),
        ("va\N{COMBINING DIAERESIS}rdshus", Card.VARDSHUS),
        ("vardshus", Card.VARDSHUS),
        ("mask", Card.BLAREN),
        ("pots", Topic.POTS),
        ("sticks", Topic.STICKS),
        ("pinnar", Topic.STICKS),
        ("partier", Topic.POTS),
        ("talong", Topic.TALON),
        ("ga  i LEK", Topic.TALON),
        ("better cards", Topic.BETTER),
        ("nya kort", Topic.BETTER),
        ("redeal", Topic.DUEL),
        ("duell", Topic.DUEL),
        ("liv", Topic.LIVES),
        ("ord", Topic.WORDS),
        ("exempel", Topic.EXAMPLE),
        ("uthuggen", Term.STRUCK),
        ("slanghog", Term.DISCARD),
        ("", None),
        ("husy", None),
        ("\x1b[31m", None),
    ],
)
def test_a_word_in_either_language_however_typed(word: str, subject: Subject | None) -> None:
    assert find(word) == subject
    assert type(find(word)) is type(subject)


@pytest.mark.parametrize("lang", LANGS)
def test_every_name_that_is_shown_finds_its_subject(lang: str) -> None:
    assert [find(name) for name in names(lang)] == [*Topic, *Card]
    for card in Card:
        assert find(card.code) is card
        assert all(find(name) is card for name in (*also_called(card, "sv"), *also_called(card, "en")))
    for term in Term:  # or a topic that tells more
        found = find(term_names(term, lang)[0])
        assert found is term or isinstance(found, Topic)


def test_what_may_have_been_meant() -> None:
    assert near("exampel", "en")[0] in {"example", "exempel"}
    assert near("kavalll", "en")[0] == "Kavall"
    assert 1 <= len(near("husa", "sv")) <= 3
    assert near("qqqq", "sv") == topic_names("sv")
    assert near("x" * 10_000, "en") == topic_names("en")


# --- text and tables --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("card", REFUSALS)
def test_what_a_card_refuses_is_told_wherever_it_is_spoken_of(card: Card, lang: str) -> None:
    """Rules M1, M3, M5, M6 and D2 to D5."""
    text = say(lang, f"lesson.refuses.{REFUSALS[card].value}")
    for subject in (Topic.CARDS, Topic.MATADORS, card):
        lines = [line for line in lesson(subject, lang) if text in line]
        assert any(line.strip().startswith(CARDS[lang][card]) or cry(lang, card.code) in line for line in lines)
    assert cry(lang, card.code) in told(card, lang)
    assert text in card_line(card, lang)
    for game in Format:
        assert say(lang, f"lesson.talon.{FORMATS[game].talon[card].value}") in told(card, lang)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("game", Format)
def test_the_talon_does_in_a_format_what_its_table_says(game: Format, lang: str) -> None:
    """Rule D5."""
    topic = Topic.POTS if game is Format.POTS else Topic.STICKS
    rows = [line for line in lesson(topic, lang) if line.startswith("  ")]
    for card, effect in FORMATS[game].talon.items():
        (row,) = [row for row in rows if CARDS[lang][card] in row.partition(":")[0].strip().split(", ")]
        assert row.endswith(say(lang, f"lesson.talon.{effect.value}"))


@pytest.mark.parametrize("lang", LANGS)
def test_the_order_of_the_cards(lang: str) -> None:
    """Rules P2 and P4."""
    line = order_line(lang)
    ranked = [CARDS[lang][card] for card in Card if not card.code.isdigit()]
    assert [line.index(name) for name in ranked] == sorted(line.index(name) for name in ranked)
    rows = [line.strip() for line in lesson(Topic.CARDS, lang) if line.startswith("  ")]
    assert [row.startswith(name) for row, name in zip([*rows[:3], *rows[4:]], ranked, strict=True)] == [True] * 9
    assert rows[3].startswith("1 ")
    assert "12" in rows[3]
    for card in (Card.N1, Card.N9, Card.HUSU):
        text = told(card, lang)
        assert f" {card + 1} " in text
        assert CARDS[lang][Card(card - 1)] in text
        assert CARDS[lang][Card(card + 1)] in text


@pytest.mark.parametrize("lang", LANGS)
def test_all_lengths_for_all_seats(lang: str) -> None:
    """Rules F2 and G2."""
    for topic in (Topic.FORMATS, Topic.POTS, Topic.STICKS):
        rows = [line.split()[1:] for line in lesson(topic, lang) if line.startswith("  ")][-4:]
        assert rows[0] == [str(seats) for seats in LENGTHS[Length.LONG]]
        assert rows[1:] == [[str(pots) for pots in LENGTHS[length].values()] for length in Length]


def test_where_nobody_says_otherwise() -> None:
    (length,) = [param for param in play.params if param.name == "length"]
    expected = f"A table opens on {DEFAULT_OPTIONS.length.value}, a match against the computers on {length.default}."
    assert expected in lesson(Topic.FORMATS, "en")[-1]
    assert primer("en", "rules")[0] == f"The rules of Kille, format {DEFAULT_OPTIONS.format.value}:"


def all_rules() -> list[Ruleset]:
    return [Ruleset(format=game, dealt_harlekin=dealt) for game, dealt in product(Format, HarlekinRank)]


@pytest.mark.parametrize("rules", all_rules(), ids=lambda rules: f"{rules.format}-{rules.dealt_harlekin}")
def test_the_page_says_what_the_format_does(rules: Ruleset, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules F1 to F5, G1 to G6 and H4: with another table the page says something else."""

    def text() -> str:
        return " ".join(page(rules, "en", "rules", pots=7))

    whole = text()
    form = FORMATS[rules.format]
    assert {1: "one life", 3: "three lives"}[form.lives] in whole
    assert say("en", f"lesson.harlequin_{rules.dealt_harlekin.value}") in whole
    assert "to play: 7." in whole
    assert ("three times" in whole) is (form.max_asks is not None)
    assert ("With two or three left the first" in whole) is (form.ask_at == {2, 3})
    others = [
        replace(form, lives=5),
        replace(form, ask_at=frozenset({2}) if 3 in form.ask_at else frozenset({2, 3}), max_asks=2),
        replace(form, whole_pack=not form.whole_pack, max_asks=2),
        replace(form, kuku_shows_itself=not form.kuku_shows_itself),
        replace(form, ties_again=not form.ties_again),
        replace(form, final=not form.final),
    ]
    for other in others:
        monkeypatch.setattr(lessons, "FORMATS", {**FORMATS, rules.format: other})
        assert text() != whole


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("game", Format)
def test_what_is_different_with_two_left(game: Format, lang: str) -> None:
    """Rules F5 and G3."""
    form = FORMATS[game]
    says = {
        "harlequin_whole": form.whole_pack,
        "harlequin_talon": not form.whole_pack,
        "kuku_shows": form.kuku_shows_itself,
        "kuku_waits": not form.kuku_shows_itself,
        "tie_again": form.ties_again,
    }
    duel = lesson(Topic.DUEL, lang)
    of_game = duel[2 * list(Format).index(game) + 2]
    whole = " ".join(page(Ruleset(format=game), lang, "rules", pots=None))
    for key, is_said in says.items():
        assert (say(lang, f"lesson.{key}") in of_game) is is_said
        assert (say(lang, f"lesson.{key}") in whole) is is_said


@pytest.mark.parametrize("lang", LANGS)
def test_a_kuku_may_be_called_wherever_it_is_spoken_of(lang: str) -> None:
    """Rule M7."""
    call = say(lang, "lesson.call", card=CARDS[lang][Card.KUKU])
    for text in (card_line(Card.KUKU, lang), *(told(subject, lang) for subject in (Card.KUKU, Topic.MATADORS))):
        assert call in text
    assert call in page(Ruleset(), lang, "rules", pots=None)
    assert call in primer(lang, "rules")


@pytest.mark.parametrize("lang", LANGS)
def test_a_newcomer_reads_it_in_about_two_minutes(lang: str) -> None:
    assert 200 <= len(" ".join(primer(lang, "kille rules")).split()) <= 530


@pytest.mark.parametrize("lang", LANGS)
def test_all_cries_are_among_the_words(lang: str) -> None:
    text = told(Topic.WORDS, lang)
    for key in CRIES:
        assert cry(lang, key) in text
    for card in (*REFUSALS, Card.HARLEKIN, Card.BLAREN):
        assert f"{CARDS['sv'][card]} – {CARDS['en'][card]}" in text


# --- the example ------------------------------------------------------------------------------------------------------


def test_the_example_is_the_hand_of_the_record() -> None:
    judged = Referee().judge(json.dumps(HAND))
    assert judged is not None
    assert judged.answer == {
        "done": True,
        "cards": ["8", "kavall", "2", "4", "kuku"],
        "struck": [],
        "low_harlekins": [],
        "lost": [2],
        "lives_after": [3, 3, 2, 3, 3],
    }


@pytest.mark.parametrize("lang", LANGS)
def test_the_example_is_told_to_the_end_that_the_record_has(lang: str) -> None:
    lines = lesson(Topic.EXAMPLE, lang)
    judged = Referee().judge(json.dumps(HAND))
    assert judged is not None
    (lost,) = judged.answer["lost"]
    people = ["Anna", "Bo", "Cilla", "David", "Eva"]
    held = [
        f"{name} {CARDS[lang][Card.of_code(code)]}" for name, code in zip(people, judged.answer["cards"], strict=True)
    ]
    assert ", ".join(held) in lines[-2]
    assert lines[-1].strip().startswith(people[lost])
    assert f" {judged.answer['lives_after'][lost]} " in lines[-1]
    assert [line.split()[0] for line in lines if line.endswith(":")][1:] == ["Anna", "Cilla", "David"]
    text = "\n".join(lines)
    for card in (Card.KAVALL, Card.KUKU):
        assert cry(lang, card.code) in text
        assert say(lang, f"lesson.refuses.{REFUSALS[card].value}") in text
    passed = template(lang, "lesson.example_passed")
    assert [line.strip() for line in lines if line.endswith(passed.partition("}")[2])] == [passed.format(who="Bo")]
