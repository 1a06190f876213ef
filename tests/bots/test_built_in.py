"""The built-in players: always legal, on what a seat may see alone, and some of what each knows."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from itertools import product
from random import Random

import pytest

from kille_net.bots import BUILT_IN, Bot, deep
from kille_net.game.actions import Action, Phase
from kille_net.game.cards import Card
from kille_net.game.rules import MAX_SEATS, MIN_SEATS, Format, HarlekinRank, Length, Ruleset, Seat
from kille_net.game.views import View
from tests.bots.hands import Noting, play, view

ALL = list(BUILT_IN)
FORMS = list(product(Format, HarlekinRank, range(MIN_SEATS, MAX_SEATS + 1)))


@pytest.fixture(autouse=True)
def _few_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deep, "LOOKS", (10,))


def rules_of(form: Format, harlekin: HarlekinRank, pots: int) -> Ruleset:
    return Ruleset(format=form, dealt_harlekin=harlekin, pots=pots)


def table(seats: int, number: int) -> list[Noting]:
    """Bots of all kinds, beginning with another one each time."""
    names = [ALL[(seat + number) % len(ALL)] for seat in range(seats)]
    return [Noting(BUILT_IN[name](Random(f"{number} {seat}"))) for seat, name in enumerate(names)]


@pytest.mark.parametrize(("form", "harlekin", "seats"), FORMS)
def test_no_bot_ever_does_what_is_not_legal(form: Format, harlekin: HarlekinRank, seats: int) -> None:
    """The table raises IllegalAction where one does."""
    asked: Counter[Phase] = Counter()
    for number in range(len(ALL)):
        bots = table(seats, number)
        match = play(bots, rules_of(form, harlekin, 3), number)
        assert match.winner is not None
        for bot in bots:
            for seen, action in bot.asked:
                assert action in seen.legal
                asked[seen.phase] += 1
    assert asked[Phase.TURN] > 25
    assert asked[Phase.ASKED]


def inside(value: object) -> Iterator[object]:
    """Everything that can be reached from a value by its fields and items."""
    yield value
    if is_dataclass(value):
        for field in fields(value):
            yield from inside(getattr(value, field.name))
    elif isinstance(value, tuple):
        for item in value:
            yield from inside(item)


def test_what_a_bot_is_given_leads_to_no_hidden_card() -> None:
    """A view holds values and nothing that belongs to the table, and each card in it is one that the seat may know."""
    bots = table(4, 0)
    play(bots, Ruleset(pots=2))
    for seat, bot in enumerate(bots):
        for seen, _ in [*bot.asked, *bot.called]:
            assert seen.seat == seat
            for value in inside(seen):
                assert value is None or isinstance(value, View | Ruleset | Enum | int | tuple), type(value)
            for other, card in enumerate(seen.cards):
                passed = seen.origins[other] == seat or seen.origins[seat] == other
                assert card is None or other == seat or other in seen.face_up or passed


@pytest.mark.parametrize("name", ALL)
def test_the_same_views_and_whims_give_the_same_answers(name: str) -> None:
    seen = [asked for bot in table(5, 3) for asked in _asked(bot, name)]
    one, other = (BUILT_IN[name](Random("whim")) for _ in range(2))
    assert [one.decide(asked) for asked in seen] == [other.decide(asked) for asked in seen]


def _asked(bot: Noting, name: str) -> list[View]:
    play([bot, *(BUILT_IN[name](Random(seat)) for seat in range(4))], Ruleset(pots=1))
    return [seen for seen, _ in bot.asked]


def bot_of(name: str) -> Bot:
    return BUILT_IN[name](Random(7))


@pytest.mark.parametrize("name", ["careful", "sharp"])
@pytest.mark.parametrize("seats", range(3, 9))
def test_who_knows_a_lower_card_among_those_who_have_spoken_stands(name: str, seats: int) -> None:
    """The first seat swaps its 2 for the next one's 1, which therefore is safe with the 2."""
    seen = view("2 1 9 9 10 10 11 11"[: seats * 2 + 4], seats, [(0, Action.SWAP)], Ruleset(pots=1))
    seen = replace(seen, can_ask=False)
    assert bot_of(name).decide(seen) is Action.STAND
    assert bot_of(name).decide(view("1 2 9 9 10 10 11 11", seats, [(0, Action.SWAP)])) is Action.SWAP


@pytest.mark.parametrize("name", ["careful", "sharp"])
def test_a_low_harlekin_is_passed_on_and_a_high_one_kept(name: str) -> None:
    assert bot_of(name).decide(view("harlekin 9 9 10", 4)) is Action.STAND
    assert bot_of(name).decide(view("9 harlekin 9 10", 4, [(0, Action.SWAP)])) is Action.STAND
    assert bot_of(name).decide(view("harlekin 9 9 10", 4, [(0, Action.SWAP)])) is Action.SWAP
    low = Ruleset(dealt_harlekin=HarlekinRank.LOW)
    assert bot_of(name).decide(view("harlekin 9 9 10", 4, rules=low)) is Action.SWAP


@pytest.mark.parametrize("name", ["careful", "sharp"])
@pytest.mark.parametrize("seats", range(3, 9))
def test_the_lowest_card_is_swapped_and_a_high_one_is_not(name: str, seats: int) -> None:
    calm = replace(view("blaren 9 9 10 10 11 11 12", seats), can_ask=False)
    assert bot_of(name).decide(calm) is Action.SWAP
    calm = replace(view("12 9 9 10 10 11 11 12", seats), can_ask=False)
    assert bot_of(name).decide(calm) is Action.STAND


def test_sharp_keeps_its_kuku_back_while_others_may_be_struck_and_calls_in_a_duel() -> None:
    assert not bot_of("sharp").calls_kuku(view("9 9 kuku 10", 4))
    assert bot_of("sharp").calls_kuku(view("kuku 9", 2, rules=Ruleset(format=Format.STICKS)))
    assert bot_of("careful").calls_kuku(view("9 9 kuku 10", 4))


@pytest.mark.parametrize(
    ("mine", "theirs", "action"),
    [("8", "9", Action.SWAP), ("9", "8", Action.STAND), ("9", "husar", Action.SWAP), ("husar", "9", Action.STAND)],
)
def test_the_dealer_of_a_duel_that_knows_the_others_card_draws_when_it_is_behind(
    mine: str, theirs: str, action: Action
) -> None:
    """What the dealer holds came by a swap, so that it knows what the other got for it."""
    seen = view("8 9", 2, [(0, Action.SWAP)])
    cards = (Card.of_code(theirs), Card.of_code(mine))
    assert bot_of("sharp").decide(replace(seen, cards=cards)) is action


@pytest.mark.parametrize(
    ("card", "answer"), [("1", Action.REFUSE), ("6", Action.ACCEPT), ("12", Action.ACCEPT), ("husar", Action.REFUSE)]
)
def test_sharp_gives_up_what_the_asker_would_take_from_it(card: str, answer: Action) -> None:
    """Who asks has a bad card and will swap: a card that is still worse is safe with it, a good one is not."""
    assert bot_of("sharp").decide(view(f"2 {card}", 2, [(0, Action.ASK)])) is answer
    assert bot_of("careful").decide(view("2 1", 2, [(0, Action.ASK)])) is Action.ACCEPT


def test_after_a_refused_ask_sharp_takes_the_good_card() -> None:
    play: list[tuple[Seat, Action]] = [(0, Action.ASK), (1, Action.REFUSE)]
    assert bot_of("sharp").decide(view("7 11", 2)) is Action.ASK
    assert bot_of("sharp").decide(view("7 11", 2, play)) is Action.SWAP
    assert bot_of("sharp").decide(view("9 11", 2)) is Action.STAND


def test_easy_forgets_now_and_then() -> None:
    seen = view("1 9 9 10", 4)
    bot = bot_of("easy")
    answers = Counter(bot.decide(seen) for _ in range(1000))
    assert set(answers) == {Action.STAND, Action.SWAP}
    assert 50 < answers[Action.STAND] < 250


def test_random_does_everything_that_is_legal_about_as_often() -> None:
    answers = Counter(bot_of("random").decide(seen) for seen in [view("4 9", 2)] for _ in range(1))
    bot = bot_of("random")
    answers = Counter(bot.decide(view("4 9", 2)) for _ in range(900))
    assert set(answers) == {Action.STAND, Action.SWAP, Action.ASK}
    assert min(answers.values()) > 200


def test_lengths_do_not_matter_to_a_bot() -> None:
    """It is asked about one hand at a time; the whole match's rules come along in the view."""
    assert {bot_of("sharp").decide(view("4 9 9 10", 4, rules=Ruleset(length=length))) for length in Length} == {
        Action.SWAP
    }
