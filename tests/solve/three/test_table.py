"""The table for three: its file, its short form, and that it knows every question that there is."""

from dataclasses import replace
from random import Random

import pytest

from kille_net.bots import three
from kille_net.bots.perfect import PerfectBot
from kille_net.bots.sharp import SharpBot
from kille_net.bots.three import QUESTIONS, Below, short
from kille_net.game.actions import Action, Phase
from kille_net.game.cards import FULL_PACK, Card
from kille_net.game.events import HandBegan
from kille_net.game.match import Match
from kille_net.game.rules import Format, HarlekinRank, Ruleset
from kille_net.game.views import View, observe
from kille_net.solve.lines import Moves, view_of
from tests.deep import rounds
from tests.solve.three.conftest import Solved


def view(cards: str, moves: Moves = (), lives: tuple[int, ...] = (3, 3, 3), rules: Ruleset | None = None) -> View:
    """Of the seat that is asked."""
    seat = len(moves)
    dealt = tuple(map(Card.of_code, cards.split()))
    return view_of(rules or Ruleset(), seat, lives=lives, line=(dealt, moves))


def test_what_is_written_is_read_again(few: Solved) -> None:
    written = three.text({few.rules.format.value: few.table})
    assert three.read(written) == {few.rules.format.value: few.table}


def test_the_file_is_as_the_solver_writes_it() -> None:
    assert three.text(three.tables()) == three.TABLE.read_text(encoding="ascii")


def test_below_which_card_three_do_not_stand() -> None:
    tables = three.tables()
    assert short(tables["pots"])[3, 3, 3] == dict(
        zip(QUESTIONS, [Below(card, 0.0) for card in (Card.N6, Card.N7, Card.N8, Card.N2)], strict=True)
    )
    first = short(tables["pots"])[1, 1, 1]["first"]
    assert first.card is Card.N5
    assert 0.1 < first.chance < 0.2
    for form in tables.values():
        for below in short(form).values():
            assert all(Card.KRANSEN < one.card < Card.N10 for one in below.values())


def test_of_two_swapped_cards_the_higher_stands_and_the_lower_goes_on() -> None:
    """For all that is swapped by who plays so."""
    for table in three.tables().values():
        for lives, below in short(table).items():
            for question, seat, cards in [
                ("middle swapped waits waits", "first", "{gave} {own} -"),
                ("dealer stood swapped waits", "middle", "- {gave} {own}"),
            ]:
                for own in range(below[seat].card):
                    for gave in set(range(Card.VARDSHUS)) - {own}:
                        known = cards.format(own=Card(own).code, gave=Card(gave).code)
                        assert table.chance((question, known), lives) == float(own < gave)


def test_when_a_kuku_is_called_on_three_lives_each() -> None:
    """As players are told."""
    called = {
        question: table.chance((f"{question} kuku", cards), (3, 3, 3))
        for table in [three.tables()["pots"]]
        for question, cards in [
            ("first waits waits waits", "kuku - -"),
            ("first stood stood waits", "kuku - -"),
            ("middle waits waits waits", "- kuku -"),
            ("middle stood stood waits", "- kuku -"),
            ("dealer waits waits waits", "- - kuku"),
            ("dealer stood waits waits", "- - kuku"),
            ("dealer swapped waits waits", "- - kuku"),
        ]
    }
    assert list(called.values()) == [0, 0, 0, 0, 0, 1, 1]


def test_a_table_with_another_shape_has_no_short_form() -> None:
    table = three.tables()["pots"]
    hole = {**table.chances, (QUESTIONS["first"], "1 - -"): (0.0,)}
    with pytest.raises(ValueError, match="no card below which"):
        short(replace(table, chances=hole))


def test_among_three_the_perfect_player_goes_by_the_table() -> None:
    bot = PerfectBot()
    assert bot.decide(view("5 9 9")) is Action.SWAP
    assert bot.decide(view("6 9 9")) is Action.STAND
    stood = (0, Action.STAND)
    assert bot.decide(view("9 6 9", (stood,))) is Action.SWAP
    assert bot.decide(view("9 7 9", (stood,))) is Action.STAND
    assert bot.decide(view("9 9 7", (stood, (1, Action.STAND)))) is Action.SWAP
    assert bot.decide(view("9 9 8", (stood, (1, Action.STAND)))) is Action.STAND
    assert not bot.calls_kuku(view("kuku 9 9"))


def test_its_whims_are_those_of_its_chance() -> None:
    often = [
        PerfectBot(rng=Random(number)).decide(view("5 9 9", lives=(1, 1, 1))) is Action.SWAP for number in range(500)
    ]
    assert 0.09 < sum(often) / 500 < 0.2
    assert often == [
        PerfectBot(rng=Random(number)).decide(view("5 9 9", lives=(1, 1, 1))) is Action.SWAP for number in range(500)
    ]


def test_it_refuses_every_ask() -> None:
    match = Match.before(Ruleset(), HandBegan(1, 1, 2, (3, 3, 3), (0, 0, 0)))
    match.deal(FULL_PACK)
    match.act(0, Action.ASK)
    assert PerfectBot().decide(observe(match, 2)) is Action.REFUSE
    match.act(2, Action.DEPENDS)
    assert PerfectBot().decide(observe(match, 1)) is Action.REFUSE


def test_by_other_rules_and_on_other_lives_it_plays_as_sharp_does() -> None:
    low = Ruleset(dealt_harlekin=HarlekinRank.LOW)
    sticks = Ruleset(format=Format.STICKS)
    for card in Card:
        for seen in (
            view(f"{card.code} 9 8", rules=low),
            view(f"{card.code} 9 8", lives=(4, 1, 2), rules=sticks),
        ):
            assert not three.knows(three.tables(), seen)
            assert PerfectBot().decide(seen) is SharpBot().decide(seen)
            assert PerfectBot().calls_kuku(seen) is SharpBot().calls_kuku(seen)


@pytest.mark.parametrize("form", Format)
def test_no_question_is_missing(form: Format) -> None:
    """Also of those that nobody comes to who plays by the table, and after an ask."""
    tables = three.tables()
    rules = Ruleset(format=form)
    for number in rounds(300, 30_000):
        dice = Random(number)
        lives = dice.choice(tables[form.value].lives)
        match = Match.before(rules, HandBegan(1, 1, 2, tuple(lives), (0, 0, 0)))
        high = [Card.VARDSHUS, Card.KAVALL, Card.HUSU, Card.HUSAR, Card.KUKU, Card.HARLEKIN]
        pack = list(dice.sample(FULL_PACK, len(FULL_PACK)))
        pack.sort(key=lambda card: card not in dice.sample(high, 2))
        dealt = dice.sample(pack[:6], 3)
        for card in dealt:
            pack.remove(card)
        match.deal((*dealt, *pack))
        while match.hand is not None and (seat := match.hand.to_act) is not None:
            for holder in match.hand.kuku_seats():
                assert 0 <= three.chance(tables, observe(match, holder), calls=True) <= 1
            seen = observe(match, seat)
            if seen.phase is Phase.TURN:
                assert 0 <= three.chance(tables, seen, calls=False) <= 1
            actions = [action for action in seen.legal if action not in {Action.KUKU, Action.ACCEPT}]
            match.act(seat, dice.choice(actions))
