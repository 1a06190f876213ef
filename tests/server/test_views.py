"""What is sent at once agrees with what was sent bit by bit (protocol/v1/protocol.md §7.2, §7.3)."""

from random import Random

import pytest

from kille_net.bots.simple import RandomBot
from kille_net.game.cards import FULL_PACK, Card
from kille_net.game.folding import fold
from kille_net.game.views import View
from kille_net.server.people import Computer
from kille_net.translate import from_event, from_view
from kille_net.wire import decode, encode
from kille_net.wire import messages as m
from tests.server.house import Guest, House, Stacked, choices, options

GAME_EVENTS = m.GameEvent.__args__


class Folder:
    """Keeps a view up to date from what a guest is sent."""

    def __init__(self, guest: Guest) -> None:
        self.guest = guest
        self.view: View | None = None
        self.compared = 0
        self._read = 0

    def read(self) -> View | None:
        for _, message in self.guest.heard[self._read :]:
            match message:
                case m.Snapshot(view=view) if view is not None:
                    self.view = from_view(view)
                case m.Question(view=view):
                    asked = from_view(view)
                    if self.view is not None:
                        assert asked == self.view
                        self.compared += 1
                    self.view = asked
                case _ if self.view is not None and isinstance(message, GAME_EVENTS):
                    self.view = fold(self.view, from_event(message))
        self._read = len(self.guest.heard)
        return self.view


def test_a_view_has_no_more_cards_gone_than_a_message_takes() -> None:
    """§7.3: a duel thrown as often as its talon lets it, in which the viewer sees both Harlekins go too."""
    rest = [card for card in FULL_PACK if card is not Card.HARLEKIN]
    cards = [*rest[:36], rest[36], Card.HARLEKIN, rest[37], Card.HARLEKIN, *rest[38:]]
    # The first to speak is dealt the first card of each two; the Harlekins come to the other.
    house = House(shuffle=lambda: Stacked([tuple(cards)], 1))
    ada, bo = house.match(options(2, kind=m.Format.STICKS), "Ada", "Bo", bots=True)
    most = 0
    for _ in range(25):
        house.act(ada, m.Do.ASK)
        house.act(bo, m.Do.ACCEPT)
        view = ada.last(m.Question).view
        decode(encode(ada.last(m.Question)))
        most = max(most, len(view.gone))
    assert most == 22
    assert ada.all(m.Reshuffled)


@pytest.mark.parametrize("kind", m.Format)
@pytest.mark.parametrize("seats", [2, 3, 5])
def test_questions_and_snapshots_are_the_events_folded(kind: m.Format, seats: int) -> None:
    random = Random(f"{kind}{seats}")

    def computer(_: m.Level) -> Computer:
        return RandomBot(random)

    house = House(computer=computer, chance=random.random)
    room = options(seats, computers=1, pots=12, kind=kind, clock=9, window=500)
    guests = house.match(room, "Ada", *"BCD"[: seats - 2])
    folders = [Folder(guest) for guest in guests]
    watchers: list[Folder] = []

    def choose(question: m.Question) -> m.Do:
        if len(watchers) < 50 and random.random() < 0.5:
            watcher = house.guest(f"Watcher {len(watchers)}")
            house.watch(watcher)
            newest = Folder(watcher)
            view = newest.read()
            assert view is not None
            for older in watchers:
                assert older.read() == view
            watchers.append(newest)
        return random.choice([do for do in choices(question) if do is not m.Do.KUKU])

    house.play(guests, choose)
    for folder in folders:
        folder.read()
        assert folder.compared > 2
    assert len(watchers) > 2
    assert not house.faults
