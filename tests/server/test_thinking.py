"""A computer thinks when it is asked, and acts when its pause is over: how long it thinks shows nobody its card."""

from kille_net.game.actions import Action
from kille_net.game.cards import Card
from kille_net.game.views import View
from kille_net.wire import messages as m
from tests.server.house import House, Stacked, Stander, options, pack

LOW, MID, HIGH = Card.N1, Card.N6, Card.N12


class Thinker(Stander):
    """Notes when it is asked, and what had been told by then."""

    def __init__(self) -> None:
        super().__init__()
        self.house: House | None = None
        self.asked: list[tuple[float, str]] = []

    def decide(self, view: View) -> Action:
        assert self.house is not None
        (person,) = self.house.guests.values()
        self.asked.append((self.house.now, type(person.heard[-1][1]).__name__))
        return super().decide(view)


def table(*cards: Card, computers: int) -> tuple[House, Thinker]:
    thinker = Thinker()
    seats = computers + 1
    house = House(shuffle=lambda: Stacked([pack(*cards)], seats - 1), computer=lambda _: thinker)
    thinker.house = house
    house.match(options(seats, computers=computers, pace=1000), "Ada")
    return house, thinker


def test_it_thinks_after_the_question_is_told_and_before_its_pause() -> None:
    house, thinker = table(LOW, MID, HIGH, computers=2)
    (ada,) = house.guests.values()
    house.act(ada, m.Do.STAND)
    asked_at = house.now
    house.wait(0)
    assert thinker.asked == [(asked_at, "Turn")]
    assert not [stood for stood in ada.all(m.Stood) if stood.seat == 1]
    house.wait(1.0)
    assert [stood.seat for stood in ada.all(m.Stood)] == [0, 1]
    assert thinker.asked == [(asked_at, "Turn"), (asked_at + 1.0, "Turn")]


def test_it_thinks_again_for_each_question_alone() -> None:
    house, thinker = table(LOW, MID, computers=1)
    (ada,) = house.guests.values()
    house.act(ada, m.Do.ASK)
    house.wait(0)
    assert len(thinker.asked) == 1
    house.wait(1.0)
    assert ada.last(m.AskAnswered).do is m.Do.REFUSE
    house.act(ada, m.Do.STAND)
    house.wait(0.999)
    assert len(thinker.asked) == 2
    assert not ada.all(m.Showdown)
    house.wait(0.001)
    assert ada.all(m.Showdown)
