"""A computer that stands in for somebody whose line was lost: it decides for itself, and the record says who did."""

import json
from typing import Any

import pytest

from kille_net.game.actions import Action
from kille_net.game.cards import Card
from kille_net.game.events import Event
from kille_net.game.views import View
from kille_net.server.limits import Limits
from kille_net.wire import messages as m
from tests.server.house import Guest, House, Stacked, news, options, pack

AWAY_S = 1.0


class Swapper:
    """Swaps, which is never the default, and calls its Kuku."""

    listens = False

    def decide(self, view: View) -> Action:
        return next(action for action in (Action.SWAP, Action.REFUSE) if action in view.legal)

    def calls_kuku(self, view: View) -> bool:
        return True

    def saw(self, event: Event) -> None:
        raise AssertionError("it does not listen")


def table(room_options: m.Options, *cards: Card) -> tuple[House, list[Guest]]:
    """A match whose seat 0 speaks first: the cards in the order of the seats."""
    house = House(
        shuffle=lambda: Stacked([pack(*cards)], room_options.seats - 1),
        computer=lambda _: Swapper(),
        limits=Limits(away=AWAY_S),
    )
    return house, house.match(room_options, *("Ada", "Bo", "Cilla")[: room_options.seats - room_options.computers])


def stand(_: m.Question) -> m.Do:
    return m.Do.STAND


def recorded(house: House) -> list[dict[str, Any]]:
    """The actions of the match that is over, in order."""
    (kept,) = house.kept
    return [action for line in map(json.loads, kept.lines) for action in line.get("actions", ())]


def test_it_decides_for_itself_where_the_default_was_to_follow() -> None:
    """§6.7: the line was lost and the player given up within one window."""
    house, (ada, bo) = table(options(2, window=5000), Card.N1, Card.N6)
    house.lose(ada)
    house.wait(AWAY_S)
    assert news(bo.heard[-1][1]) is m.News.STAND_IN
    house.wait(5.0 - AWAY_S)
    swapped = bo.last(m.Swapped)
    assert (swapped.seat, swapped.target) == (0, 1)
    assert not bo.all(m.Stood)
    assert not bo.all(m.Late)


def test_the_record_tells_its_decisions_from_others_and_from_defaults() -> None:
    house, (ada, bo) = table(options(3, computers=1), Card.N1, Card.N6, Card.N7)
    house.lose(ada)
    house.wait(0.0)  # the default follows at once
    assert [late.seat for late in bo.all(m.Late)] == [0]
    house.wait(AWAY_S)
    house.play([bo], stand)
    actions = recorded(house)
    assert (actions[0]["seat"], actions[0]["do"], actions[0]["by"]) == (0, "stand", "clock")
    assert {action["by"] for action in actions[1:] if action["seat"] == 0} == {"stand-in"}
    assert {action.get("by", "player") for action in actions if action["seat"] in {1, 2}} == {"player"}, (
        "a computer too"
    )


@pytest.mark.parametrize("window", [0, 5000])
def test_the_record_says_so_of_its_kuku_too(window: int) -> None:
    house, (ada, bo, cilla) = table(options(3, window=window), Card.KUKU, Card.N6, Card.N7)
    house.act(ada, m.Do.STAND)
    house.wait(window / 1000)
    house.lose(ada)
    house.wait(AWAY_S)
    house.act(bo, m.Do.STAND)
    house.wait(window / 1000)
    if not bo.all(m.KukuCalled):
        house.wait(window / 1000)  # its moment lay before it came: it calls in the next window
    assert [called.seat for called in bo.all(m.KukuCalled)] == [0]
    house.play([bo, cilla], stand)
    kuku = next(action for action in recorded(house) if action["do"] == "kuku")
    assert (kuku["seat"], kuku["by"]) == (0, "stand-in")
