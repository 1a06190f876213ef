"""Clients at a table whose server may cheat: the real lobby, the real client's checks, and a hand between them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count

import msgspec

from kille_net.client.model import Model, reduce
from kille_net.client.shuffling import Remark, Shuffling
from kille_net.game.shuffle import Material
from kille_net.server.effects import Fault, Tell
from kille_net.server.limits import Limits
from kille_net.server.lobby import Lobby
from kille_net.server.people import Player
from kille_net.server.sources import Shuffle, Sources
from kille_net.wire import messages as m
from tests.server.house import choices, drawn_tickets, easy, options

Tamper = Callable[[m.ServerMessage], Iterable[m.ServerMessage]]


def drawn(text: str, size: int = 32) -> bytes:
    return sha256(text.encode()).digest()[:size]


def honest(message: m.ServerMessage) -> list[m.ServerMessage]:
    return [message]


def secrets() -> Callable[[], Shuffle]:
    numbers = count()

    def draw() -> Shuffle:
        number = next(numbers)
        return Material(drawn(f"secret {number}"), drawn(f"id {number}", 16))

    return draw


@dataclass(slots=True)
class Client:
    """Somebody whose every message passes through `tamper`; events are counted anew after it."""

    player: Player
    tamper: Tamper = honest
    is_silent: bool = False
    """It keeps back its nonce."""
    model: Model = field(default_factory=lambda: Model(name=""))
    heard: list[m.ServerMessage] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    commands: list[m.Command] = field(default_factory=list)
    shuffling: Shuffling = field(init=False)
    ids: "count[int]" = field(default_factory=lambda: count(1))
    nonces: "count[int]" = field(default_factory=count)

    def __post_init__(self) -> None:
        self.model = Model(name=self.player.name)
        self.shuffling = Shuffling(self.draw, lambda: next(self.ids))

    @property
    def faults(self) -> list[str]:
        return [remark.key for remark in self.remarks if remark.is_fault]

    @property
    def keys(self) -> list[str]:
        return [remark.key for remark in self.remarks]

    def draw(self, number: int) -> bytes:
        return drawn(f"{self.player.name} {next(self.nonces)}", number)

    def hear(self, message: m.ServerMessage) -> None:
        for told in self.tamper(message):
            self.take(told)

    def take(self, told: m.ServerMessage) -> None:
        if isinstance(told, m.Event):
            told = msgspec.structs.replace(told, seq=self.model.seq + 1)
        self.heard.append(told)
        self.model = reduce(self.model, told, 0.0)
        for one in self.shuffling.message(told, self.model):
            if isinstance(one, Remark):
                self.remarks.append(one)
            elif not (self.is_silent and isinstance(one, m.RevealNonce)):
                self.commands.append(one)
        if isinstance(told, m.Question):
            self.answer(told)

    def answer(self, question: m.Question) -> None:
        """It swaps what is weak."""
        open_to_it = choices(question)
        do = next(do for do in open_to_it if do is not m.Do.KUKU)
        if (question.view.cards[question.view.seat or 0] or 0) < 9 and m.Do.SWAP in open_to_it:
            do = m.Do.SWAP
        if m.Do.REFUSE in open_to_it:
            do = m.Do.REFUSE
        self.commands.append(m.Decide(id=next(self.ids), turn=question.turn, do=do))


class Table:
    """A room of so many seats, all of them clients; the first one's server may be tampered with."""

    def __init__(
        self,
        seats: int = 3,
        shuffle: Callable[[], Shuffle] | None = None,
        *,
        watchers: int = 0,
        first: Callable[[Player], Client] = Client,
    ) -> None:
        """`first`: makes the first client."""
        source = shuffle or secrets()
        self.lobby = Lobby(Sources(shuffle=source, chance=lambda: 0.5, computer=easy, ticket=drawn_tickets()), Limits())
        self.now = 0.0
        self.clients: list[Client] = []
        self.watchers: list[Client] = []
        for number in range(seats + watchers):
            make = Client if number else first
            client = make(self.lobby.enter(f"Player {number}", is_bot=True))
            (self.clients if number < seats else self.watchers).append(client)
        create = m.Create(id=0, room="Room", options=options(seats), password=None)
        self.do(self.clients[0], create)
        for client in self.clients[1:]:
            self.do(client, m.Join(id=0, room="Room", password=None))
        for client in self.watchers:
            self.do(client, m.Watch(id=0, room="Room", password=None))

    def find(self, player: Player) -> Client:
        return next(client for client in (*self.clients, *self.watchers) if client.player is player)

    def carry(self, effects: Iterable[object]) -> None:
        for effect in effects:
            assert not isinstance(effect, Fault)
            if isinstance(effect, Tell):
                for player in effect.players:
                    if player.is_here:
                        self.find(player).hear(effect.message)

    def do(self, client: Client, command: m.Command) -> None:
        command = msgspec.structs.replace(command, id=command.id or next(client.ids))
        self.carry(self.lobby.command(client.player, command, self.now))

    @property
    def waits(self) -> float | None:
        """How long nobody here has anything to say; None: for ever."""
        if any(client.commands and client.player.is_here for client in (*self.clients, *self.watchers)):
            return 0.0
        due = self.lobby.deadline()
        return None if due is None else due - self.now

    def step(self) -> None:
        """What somebody has to say, or else what is due."""
        for client in (*self.clients, *self.watchers):
            if client.commands and client.player.is_here:
                self.do(client, client.commands.pop(0))
                return
        due = self.lobby.deadline()
        assert due is not None, "nothing will ever happen"
        self.now = max(self.now, due)
        self.carry(self.lobby.tick(self.now))

    def until(self, kind: type[m.ServerMessage], who: int = 0) -> None:
        """Until somebody has heard one more."""
        client = self.clients[who]
        heard = sum(isinstance(message, kind) for message in client.heard)
        while sum(isinstance(message, kind) for message in client.heard) == heard:
            self.step()

    def start(self) -> None:
        for client in self.clients:
            client.commands.append(m.Ready(id=next(client.ids), ready=True))

    def play(self) -> None:
        """A match, to the last word of it."""
        self.start()
        ended = self.ended
        while self.ended == ended:
            self.step()

    @property
    def ended(self) -> int:
        news = [message.news for message in self.clients[-1].heard if isinstance(message, m.RoomChanged)]
        return news.count(m.News.ENDED)

    def lose(self, client: Client) -> None:
        self.carry(self.lobby.lose(client.player, self.now))

    def come_back(self, client: Client) -> None:
        """It says what it had still to say, and is ready again where no match is played."""
        self.carry(self.lobby.come_back(client.player, self.now))
        if not client.model.is_playing:
            client.commands.append(m.Ready(id=next(client.ids), ready=True))
