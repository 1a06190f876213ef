"""A lobby with a clock of its own and players who remember what they are told, without any stream."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, TypeVar

from kille_net.bots.simple import EasyBot
from kille_net.game.actions import Action
from kille_net.game.cards import FULL_PACK, Card, Pack
from kille_net.game.events import Event
from kille_net.game.shuffle import Seeded
from kille_net.game.views import View
from kille_net.server.effects import Effect, Fault, Keep, Part, Save, Search, Tell, Think
from kille_net.server.limits import Limits
from kille_net.server.lobby import Lobby
from kille_net.server.passwords import Trial
from kille_net.server.people import Computer, Player
from kille_net.server.room import Room
from kille_net.server.sources import Shuffle, Sources
from kille_net.server.store import Store
from kille_net.wire import messages as m

if TYPE_CHECKING:
    from kille_net.server.saving import Record

M = TypeVar("M", bound=m.Message)


def options(  # the quickest table, unless told otherwise
    seats: int = 2,
    *,
    computers: int = 0,
    clock: int = 0,
    pace: int = 0,
    window: int = 0,
    rest: int = 0,
    pots: int = 1,
    kind: m.Format = m.Format.POTS,
    harlekin: m.Rank = m.Rank.HIGH,
    watching: m.Watching = m.Watching.EVERYONE,
    coach: m.Coach = m.Coach.ALLOWED,
) -> m.Options:
    return m.Options(
        seats=seats,
        format=kind,
        length=m.Length.SHORT,
        dealt_harlekin=harlekin,
        pots=pots,
        computers=computers,
        level=m.Level.EASY,
        clock=clock,
        pace=pace,
        window=window,
        rest=rest,
        watching=watching,
        coach=coach,
    )


def plan(kind: m.TournamentKind = m.TournamentKind.SWISS) -> m.Plan:
    """Of a tournament that begins when its maker says so."""
    return m.Plan(
        kind=kind,
        options=options(4, clock=30),
        rounds=0,
        through=1,
        most=16,
        number=0,
        start=0,
        check_in=0,
        late=0,
        call=30,
        pause=10,
        minutes=30,
        at_once=8,
        duplicate=False,
    )


def cheap_proof(trial: Trial) -> str | None:
    """As `passwords.prove`, but quick."""
    lock = f"lock of {trial.password}"
    return lock if trial.lock in {None, lock} else None


def pack(*top: Card) -> Pack:
    """A whole pack that begins so."""
    rest = list(FULL_PACK)
    for card in top:
        rest.remove(card)
    return (*top, *rest)


@dataclass(slots=True)
class Stacked:
    """A shuffle that gives these packs in turn, the last one again and again; seat `dealer` deals first."""

    packs: Sequence[Pack]
    dealer: int = 0
    match_id: bytes = bytes(16)
    given: int = 0

    def pack(self, hand: int, redeal: int) -> Pack:
        self.given += 1
        return self.packs[min(self.given, len(self.packs)) - 1]

    def first_dealer(self, seats: int) -> int:
        return self.dealer

    @property
    def kept(self) -> bytes:
        return b""

    def told(self) -> dict[str, str]:
        return {"kind": "stacked"}

    def revealed(self) -> dict[str, str]:
        return {}


class Stander:
    """A computer that always stands, and remembers what it was shown."""

    listens = True

    def __init__(self, *, calls: bool = True) -> None:
        self.calls = calls
        self.events: list[Event] = []

    def decide(self, view: View) -> Action:
        return next(action for action in (Action.STAND, Action.REFUSE) if action in view.legal)

    def calls_kuku(self, view: View) -> bool:
        return self.calls

    def saw(self, event: Event) -> None:
        self.events.append(event)


def seeded(seed: str = "tests") -> Callable[[], Shuffle]:
    numbers = count()
    return lambda: Seeded(seed, next(numbers).to_bytes(16, "big"))


def drawn_tickets() -> Callable[[], str]:
    """One after the other, none twice."""
    numbers = count(1)
    return lambda: f"{next(numbers):064x}"


def easy(_level: m.Level) -> Computer:
    return EasyBot(Random(1))


@dataclass(slots=True, eq=False)
class Guest:
    """A player as somebody who only hears."""

    player: Player
    ticket: str = ""
    heard: list[tuple[float, m.ServerMessage]] = field(default_factory=list)
    news: int = 0
    """How much of it was read."""

    @property
    def name(self) -> str:
        return self.player.name

    def all(self, kind: type[M]) -> list[M]:
        return [message for _, message in self.heard if isinstance(message, kind)]

    @property
    def turn(self) -> int:
        """The number of the last question."""
        return self.last(m.Question).turn

    @property
    def seq(self) -> int:
        """The number of the last event heard."""
        return max((message.seq for _, message in self.heard if isinstance(message, m.Event | m.Snapshot)), default=0)

    def last(self, kind: type[M]) -> M:
        return self.all(kind)[-1]

    def new(self) -> list[m.ServerMessage]:
        """What was heard since this was last asked."""
        start, self.news = self.news, len(self.heard)
        return [message for _, message in self.heard[start:]]

    def answers(self, command_id: int) -> list[m.Answer]:
        return [message for _, message in self.heard if isinstance(message, m.Answer) and message.id == command_id]


class House:
    """What a server does, with time that passes only when it is told to."""

    def __init__(
        self,
        *,
        shuffle: Callable[[], Shuffle] | None = None,
        computer: Callable[[m.Level], Computer] = easy,
        chance: Callable[[], float] = lambda: 0.5,
        limits: Limits | None = None,
        data: Path | None = None,
    ) -> None:
        """`data`: the folder of a store, where everything is kept before it is told."""
        self._sources = Sources(
            shuffle=shuffle or seeded(),
            chance=chance,
            computer=computer,
            ticket=drawn_tickets(),
            epoch=lambda: self.now - self.set_back,
        )
        self._limits = limits or Limits()
        self.lobby = Lobby(self._sources, self._limits)
        self.now = 1000.0
        self.set_back = 0.0
        """Seconds that somebody has set the clock on the wall back."""
        self._data = data
        self.store = None if data is None else Store(data, now=lambda: self.now)
        self.guests: dict[Player, Guest] = {}
        self.kept: list[Record] = []
        self.closed: list[bool] = []
        """Of each of them, whether it is for nobody yet."""
        self.searches: list[Search] = []
        """What computers want to be searched for; nothing comes of it by itself."""
        self.faults: list[Exception] = []
        self.parted: list[Player] = []
        self.last_id = 0
        self.was_due = False
        """Whether something was due when the last command came, and so was done before it."""
        self._ids = count(1)

    def guest(self, name: str, *, bot: bool = False) -> Guest:
        player = self.lobby.enter(name, is_bot=bot)
        ticket, effects = self.lobby.give_ticket(player)
        self.guests[player] = Guest(player, ticket)
        self.carry(effects)
        return self.guests[player]

    def restart(self) -> None:
        """Kill the server, and start another from what it has kept; nobody is connected then."""
        assert self.store is not None
        assert self._data is not None
        self.store.close()
        self.store = Store(self._data, now=lambda: self.now)
        self.lobby = Lobby(self._sources, self._limits)
        guests, self.guests = self.guests, {}
        self.carry(self.lobby.restore(self.store.load(), self.now))
        for guest in guests.values():
            guest.player = self.lobby.find(guest.ticket)
            self.guests[guest.player] = guest

    def carry(self, effects: Iterable[Effect]) -> None:
        effects = list(effects)
        if self.store is not None:
            self.store.keep([effect.change for effect in effects if isinstance(effect, Save)])
        for effect in effects:
            match effect:
                case Tell(players, message):
                    for player in players:
                        if player.is_here:
                            self.guests[player].heard.append((self.now, message))
                case Keep():
                    self.kept.append(effect.record)
                    self.closed.append(effect.is_closed)
                case Fault(error):
                    self.faults.append(error)
                case Part(players):
                    self.parted += players
                case Think(tournament, work):
                    self.carry(self.lobby.thought(tournament, work(), self.now))
                case Search():
                    self.searches.append(effect)

    def do(self, guest: Guest, make: Callable[[int], m.Command]) -> m.Answer | None:
        """Let the guest send a command; the answer, unless that is still to come."""
        due = self.lobby.deadline()
        self.was_due = due is not None and due <= self.now
        self.last_id = next(self._ids)
        command = make(self.last_id)
        trial = self.lobby.trial(guest.player, command)
        proof = None if trial is None else cheap_proof(trial)
        self.carry(self.lobby.command(guest.player, command, self.now, proof))
        answers = guest.answers(command.id)
        assert len(answers) <= 1
        return answers[0] if answers else None

    def room(self, name: str) -> Room:
        (room,) = (room for room in self.lobby.rooms if room.name == name)
        return room

    @property
    def is_quiet(self) -> bool:
        """Whether nothing is due for a long time but forgetting people who have played."""
        due = self.lobby.deadline()
        return due is None or due > self.now + 1_000_000

    def lose(self, guest: Guest, *, is_done: bool = False) -> None:
        self.carry(self.lobby.lose(guest.player, self.now, is_done=is_done))

    def come_back(self, guest: Guest) -> list[m.ServerMessage]:
        """The guest speaks from another connection; what it is told at once."""
        guest.new()
        self.carry(self.lobby.come_back(guest.player, self.now))
        return guest.new()

    def wait(self, seconds: float) -> None:
        """Let time pass, and do what is due at the moments when it is."""
        until = self.now + seconds
        at_once = 0
        while (due := self.lobby.deadline()) is not None and due <= until:
            at_once = at_once + 1 if due <= self.now else 0
            assert at_once < 100_000, "no time passes"
            self.now = max(self.now, due)
            self.carry(self.lobby.tick(self.now))
        self.now = until

    def step(self) -> None:
        """Let pass what time it takes until one thing has been done."""
        due = self.lobby.deadline()
        assert due is not None, "nothing will ever be due"
        self.now = max(self.now, due)
        self.carry(self.lobby.tick(self.now))

    # --- what guests say ------------------------------------------------------------------------------------------

    def rooms(self, guest: Guest, page: int) -> m.Answer | None:
        return self.do(guest, lambda k: m.ListRooms(id=k, page=page))

    def create(
        self, guest: Guest, room_options: m.Options, room: str = "Room", password: str | None = None
    ) -> m.Answer | None:
        return self.do(guest, lambda k: m.Create(id=k, room=room, options=room_options, password=password))

    def join(self, guest: Guest, room: str = "Room", password: str | None = None) -> m.Answer | None:
        return self.do(guest, lambda k: m.Join(id=k, room=room, password=password))

    def quick(
        self,
        guest: Guest,
        seats: int | None = None,
        kind: m.Format | None = None,
        length: m.Length | None = None,
    ) -> m.RefusalCode | None:
        """Why the guest is not seated; None: it is."""
        return code(self.do(guest, lambda k: m.Quick(id=k, seats=seats, format=kind, length=length)))

    def watch(self, guest: Guest, room: str = "Room", password: str | None = None) -> m.Answer | None:
        return self.do(guest, lambda k: m.Watch(id=k, room=room, password=password))

    def leave(self, guest: Guest) -> m.Answer | None:
        return self.do(guest, lambda k: m.Leave(id=k))

    def ready(self, guest: Guest, *, ready: bool = True) -> m.Answer | None:
        return self.do(guest, lambda k: m.Ready(id=k, ready=ready))

    def start(self, guest: Guest) -> m.Answer | None:
        return self.do(guest, lambda k: m.Start(id=k))

    def pause(self, guest: Guest, *, paused: bool = True) -> m.Answer | None:
        return self.do(guest, lambda k: m.Pause(id=k, paused=paused))

    def remove(self, guest: Guest, seat: int) -> m.Answer | None:
        return self.do(guest, lambda k: m.RemoveComputer(id=k, seat=seat))

    def kick(self, guest: Guest, seat: int) -> m.Answer | None:
        return self.do(guest, lambda k: m.Kick(id=k, seat=seat))

    def act(self, guest: Guest, do: m.Do, turn: int | None = None) -> m.Answer | None:
        number = guest.last(m.Question).turn if turn is None else turn
        return self.do(guest, lambda k: m.Decide(id=k, turn=number, do=do))

    def kuku(self, guest: Guest, seq: int | None = None) -> m.Answer | None:
        seen = guest.seq if seq is None else seq
        return self.do(guest, lambda k: m.CallKuku(id=k, seq=seen))

    def table(self, room_options: m.Options, *names: str, bots: bool = False) -> list[Guest]:
        """A room in which these sit, in this order, nobody ready."""
        guests = [self.guest(name, bot=bots) for name in names]
        assert isinstance(self.create(guests[0], room_options), m.Ok)
        for guest in guests[1:]:
            assert isinstance(self.join(guest), m.Ok)
        return guests

    def match(self, room_options: m.Options, *names: str, bots: bool = False) -> list[Guest]:
        """A match that has begun."""
        guests = self.table(room_options, *names, bots=bots)
        assert isinstance(self.start(guests[0]), m.Ok)
        return guests

    def play(self, guests: Sequence[Guest], choose: Callable[[m.Question], m.Do]) -> None:
        """Let the guests answer what they are asked until the match is over."""
        ended = _ended(guests[0])
        answered = dict.fromkeys(guests, 0)
        while _ended(guests[0]) == ended:
            owing = [guest for guest in guests if guest.all(m.Question) and guest.turn > answered[guest]]
            for guest in owing:
                answered[guest] = guest.turn
                self.act(guest, choose(guest.last(m.Question)))
            if not owing:
                self.step()


def _ended(guest: Guest) -> int:
    return sum(news(message) is m.News.ENDED for message in guest.all(m.RoomChanged))


def news(message: m.ServerMessage) -> m.News | None:
    return message.news if isinstance(message, m.RoomChanged) else None


def code(answer: m.Answer | None) -> m.RefusalCode | None:
    """Why it was refused; None: it was not."""
    assert answer is not None
    return answer.code if isinstance(answer, m.Refused) else None


def choices(question: m.Question) -> list[m.Do]:
    return [do for bit, do in enumerate(m.Do) if question.legal >> bit & 1]
