"""What counts as a bot."""

from random import Random

import pytest

from kille_net.bots import Bot, as_bot
from kille_net.bots.base import is_bot
from kille_net.game.actions import Action
from kille_net.game.events import Event, Stood
from kille_net.game.rules import Ruleset
from kille_net.game.views import View
from tests.bots.hands import Noting, play, view


def test_a_plain_function_is_a_whole_bot() -> None:
    def bot(view: View) -> Action:
        return view.legal[0]

    taken = as_bot(bot)
    assert taken.decide(view("4 5 6", 3)) is Action.STAND
    assert taken.calls_kuku(view("kuku 5 6", 3))
    assert not taken.listens
    play([taken, taken, taken], Ruleset(pots=1))


def test_a_class_with_decide_alone_is_a_whole_bot() -> None:
    class Only:
        def decide(self, view: View) -> Action:
            return view.legal[-1]

    taken = as_bot(Only)
    assert taken.decide(view("4 5 6 7", 4)) is Action.SWAP
    assert taken.calls_kuku(view("kuku 5 6", 3))
    assert not taken.listens


def test_a_class_may_hold_its_kuku_back_and_listen() -> None:
    class Full:
        def __init__(self) -> None:
            self.heard: list[Event] = []

        def decide(self, view: View) -> Action:
            return view.legal[0]

        def calls_kuku(self, view: View) -> bool:
            return False

        def saw(self, event: Event) -> None:
            self.heard.append(event)

    source = Full()
    taken = as_bot(source)
    assert taken.listens
    assert not taken.calls_kuku(view("kuku 5 6", 3))
    taken.saw(Stood(1))
    assert source.heard == [Stood(1)]


def test_a_class_that_asks_for_chance_by_name_is_given_it() -> None:
    class Whim:
        def __init__(self, *, rng: Random) -> None:
            self.rng = rng

        def decide(self, view: View) -> Action:
            return self.rng.choice(view.legal)

    class Number:
        def __init__(self, threshold: int = 7) -> None:
            self.threshold = threshold

        def decide(self, view: View) -> Action:
            return Action.STAND if self.threshold else Action.SWAP

    one, other = (as_bot(Whim, Random(5)) for _ in range(2))
    asked = view("4 5 6 7", 4)
    assert [one.decide(asked) for _ in range(50)] == [other.decide(asked) for _ in range(50)]
    assert as_bot(Number, Random(5)).decide(asked) is Action.STAND


def test_a_bot_is_left_as_it_is() -> None:
    bot = Noting(as_bot(lambda view: view.legal[0]))
    assert as_bot(bot) is bot
    assert bot.listens
    assert not Bot().listens


@pytest.mark.parametrize("source", [None, 7, "sharp", object()])
def test_anything_else_is_no_bot(source: object) -> None:
    assert not is_bot(source)
    with pytest.raises(TypeError, match="a bot is a function of a view"):
        as_bot(source)
