"""The table as one client sees it: as the server's, message by message, and what of a client's words counts."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import msgspec
import pytest

from kille_net.arena.hosted import _REFUSED, HostedSeat, name_of
from kille_net.arena.play import Onlooker, play_match
from kille_net.bots import Bot
from kille_net.bots.careful import CarefulBot
from kille_net.bots.guard import Fault
from kille_net.bots.sharp import SharpBot
from kille_net.game.actions import Action, Phase
from kille_net.game.cards import Card
from kille_net.game.events import Event, KukuCalled
from kille_net.game.match import Match
from kille_net.game.rules import Format, HarlekinRank, Length, Ruleset, Seat
from kille_net.game.shuffle import Seeded
from kille_net.game.views import View, observe, redact
from kille_net.translate import from_view, to_do
from kille_net.wire import messages as m
from kille_net.wire.connection import ClientConnection, Connection
from kille_net.wire.states import COMMANDS, Role
from tests.server.house import House, options, pack

CHANCE = Seeded("hosted", bytes(16))


class Client:
    """The other end of the line, which hears at once."""

    def __init__(self, table: HostedSeat) -> None:
        self.table = table
        self.heard: list[m.Message] = []
        self._connection: ClientConnection = Connection(Role.CLIENT)
        self._last_id = 0

    def listen(self) -> None:
        self._connection.receive_data(self.table.take())
        while (message := self._connection.next_message()) is not None:
            self.heard.append(message)

    def say(self, message: m.ClientMessage) -> None:
        self.table.connection.receive_data(self._connection.send(message))
        while (heard := self.table.connection.next_message()) is not None:
            self.table.hear(heard)
        self.listen()

    def do(self, kind: type[m.Message], **fields: object) -> m.Message | None:
        """The answer to a command; None: it waits."""
        self._last_id += 1
        self.say(kind(id=self._last_id, **fields))  # type: ignore[arg-type]  # a command
        return next((heard for heard in self.heard if getattr(heard, "id", None) == self._last_id), None)

    def greet(self, *, bot: bool = True) -> None:
        self.say(m.Hello(versions=(1,), agent="", name="Ada", bot=bot, ticket=None, password=None))

    def sit(self) -> None:
        self.greet()
        self.do(m.Join, room="Krogen", password=None)
        self.do(m.Ready, ready=True)


class Wired(Onlooker):
    """A bot of ours at the other end, in its way of saying things."""

    def __init__(self, bot: Bot, table: HostedSeat) -> None:
        self.bot = bot
        self.table = table
        self.client = Client(table)
        self.client.sit()
        assert table.is_ready
        table.begin()

    def asked(self, seat: Seat, phase: Phase) -> None:
        self.table.turn(seat, phase)

    def saw(self, event: Event) -> None:
        self.table.saw(event)

    def decide(self, view: View) -> Action:
        self.table.ask(view)
        self.client.listen()
        question = self.client.heard[-1]
        assert isinstance(question, m.Question)
        if not self.table.has_answered:
            action = self.bot.decide(from_view(question.view))
            self.client.do(m.Decide, turn=question.turn, do=to_do(action))
        return self.table.answer()

    def calls_kuku(self, view: View) -> bool:
        self.table.offer_kuku(view)
        self.client.listen()
        assert not self.table.has_settled
        if self.bot.calls_kuku(view):
            self.client.do(m.CallKuku, seq=max(one.seq for one in self.client.heard if isinstance(one, m.Event)))
        elif isinstance(ping := self.client.heard[-1], m.Ping):
            self.client.say(m.Pong(n=ping.n))
        else:
            return False  # it answers the question
        assert self.table.has_settled
        return self.table.calls_kuku()


def hosted(rules: Ruleset, seats: int) -> list[m.Message]:
    wired = Wired(SharpBot(), HostedSeat(rules, seats, 0, 1.0))
    others = [CarefulBot() for _ in range(seats - 1)]
    play_match(Match(rules, seats, CHANCE.first_dealer(seats)), [wired, *others], CHANCE.pack)
    wired.table.over()
    wired.client.listen()
    return wired.client.heard


def served(rules: Ruleset, seats: int) -> list[m.Message]:
    """What the server tells of the same match."""
    house = House(shuffle=lambda: CHANCE, computer=lambda _level: CarefulBot())
    ada = house.guest("Ada", bot=True)
    kind = m.Format[rules.format.name]
    harlekin = m.Rank[rules.dealt_harlekin.name]
    house.create(ada, options(seats, computers=seats - 1, kind=kind, harlekin=harlekin, pots=rules.pots))
    house.ready(ada)
    bot = SharpBot()
    while not ada.all(m.MatchEnded):
        house.wait(0)
        if ada.all(m.MatchEnded):
            break
        question = ada.last(m.Question)
        view = from_view(question.view)
        if Action.KUKU in view.legal and bot.calls_kuku(view):
            house.do(ada, lambda k: m.CallKuku(id=k, seq=ada.seq))
        else:
            decided = partial(m.Decide, turn=question.turn, do=to_do(bot.decide(view)))
            house.do(ada, lambda k, decided=decided: decided(id=k))  # type: ignore[misc]  # a lambda has no types
    return [message for _, message in ada.heard]


def comparable(heard: Iterable[m.Message]) -> list[object]:
    """The match of it: numbers that count from elsewhere, and clocks, left out."""
    told: list[object] = []
    for message in heard:
        match message:
            case m.KukuCalled() if isinstance(told[-1], tuple):
                told[-1] = message  # at a safe point; whose turn it would have been, the server does not always say
            case m.Turn(seat=seat, phase=phase):
                told.append((seat, phase))
            case m.Question():
                told.append(msgspec.structs.replace(message, seq=0, turn=0, ms=0))
            case m.RoomChanged(news=m.News.STARTED | m.News.ENDED as news):
                told.append(news)
            case m.Event() if not isinstance(message, m.RoomChanged):
                told.append(message)
    return [msgspec.structs.replace(one, seq=0) if isinstance(one, m.Event) else one for one in told]


@pytest.mark.parametrize(
    ("seats", "rules"),
    [
        (2, Ruleset(pots=6)),
        (3, Ruleset(pots=5, dealt_harlekin=HarlekinRank.LOW)),
        (5, Ruleset(pots=5)),
        (2, Ruleset(format=Format.STICKS, pots=9)),
        (4, Ruleset(format=Format.STICKS, pots=6)),
    ],
)
def test_a_match_is_told_as_the_server_tells_it(seats: int, rules: Ruleset) -> None:
    rules = replace(rules, length=Length.SHORT)
    ours, theirs = comparable(hosted(rules, seats)), comparable(served(rules, seats))
    assert ours == theirs
    assert len(ours) > 100
    assert m.News.ENDED is ours[-1]


@pytest.mark.parametrize("seats", [2, 4, 8])
def test_events_are_numbered_without_a_gap(seats: int) -> None:
    heard = hosted(Ruleset(pots=2), seats)
    numbers = [message.seq for message in heard if isinstance(message, m.Event | m.Snapshot)]
    assert numbers == list(range(1, len(numbers) + 1))
    turns = [message.turn for message in heard if isinstance(message, m.Turn)]
    assert turns == list(range(1, len(turns) + 1))


# --- one word at a time -----------------------------------------------------------------------------------------------


def seated() -> Client:
    client = Client(HostedSeat(Ruleset(pots=1), 3, 0, 1.0))
    client.sit()
    return client


def dealt(client: Client, dealer: Seat, *cards: Card) -> View:
    """A match whose first hand is dealt so, from the dealer's left, up to its first question; the view of seat 0."""
    match = Match(Ruleset(pots=1), 3, dealer)
    client.table.begin()
    for event in match.deal(pack(*cards)):
        client.table.saw(redact(event, 0))
    assert match.to_act is not None
    client.table.turn(match.to_act, match.phase)
    client.listen()
    return observe(match, 0)


def code(answer: m.Message | None) -> m.RefusalCode | None:
    return answer.code if isinstance(answer, m.Refused) else None


def faults(client: Client) -> list[Fault]:
    return [complaint.fault for complaint in client.table.complaints]


def turn_of(client: Client) -> int:
    return max(one.turn for one in client.heard if isinstance(one, m.Turn))


def seq_of(client: Client) -> int:
    return max(one.seq for one in client.heard if isinstance(one, m.Event))


OURS = (2, Card.N1, Card.N2, Card.N3)
"""Seat 0 is asked."""
THEIRS = (0, Card.N1, Card.N2, Card.N3)


def test_an_answer_takes_effect_once() -> None:
    client = seated()
    client.table.ask(dealt(client, *OURS))
    client.listen()
    assert client.do(m.Decide, turn=1, do=m.Do.SWAP) is None
    assert code(client.do(m.Decide, turn=1, do=m.Do.STAND)) is m.RefusalCode.ALREADY_ANSWERED
    assert client.table.answer() is Action.SWAP
    client.listen()
    assert isinstance(client.heard[-1], m.Ok)
    client.table.turn(1, Phase.TURN)
    assert code(client.do(m.Decide, turn=1, do=m.Do.STAND)) is m.RefusalCode.OLD_TURN
    assert code(client.do(m.Decide, turn=2, do=m.Do.STAND)) is m.RefusalCode.NOT_YOUR_TURN
    assert faults(client) == [Fault.UNASKED] * 3
    assert client.table.complaints[0].text == "it answered stand to a question that it had answered"
    assert client.table.complaints[1].text == "it answered stand to no question of its own"


def test_what_may_not_be_answered_may_be_answered_again() -> None:
    client = seated()
    client.table.ask(dealt(client, *OURS))
    client.listen()
    assert code(client.do(m.Decide, turn=1, do=m.Do.ACCEPT)) is m.RefusalCode.WRONG_ANSWER
    assert not client.table.has_answered
    client.do(m.Decide, turn=1, do=m.Do.STAND)
    assert client.table.answer() is Action.STAND
    assert faults(client) == [Fault.ILLEGAL]


def test_a_question_is_asked_once() -> None:
    client = seated()
    view = dealt(client, 2, Card.KUKU, Card.N2, Card.N3)
    client.table.offer_kuku(view)
    client.table.ask(view)
    client.listen()
    assert sum(isinstance(one, m.Question) for one in client.heard) == 1
    assert not any(isinstance(one, m.Ping) for one in client.heard), "the answer says as much"


def test_a_kuku_is_called_before_the_pong_or_not_at_this_safe_point() -> None:
    client = seated()
    client.table.offer_kuku(dealt(client, 0, Card.N1, Card.N2, Card.KUKU))
    client.listen()
    ping = client.heard[-1]
    assert isinstance(ping, m.Ping)
    assert not client.table.has_settled
    client.say(m.Pong(n=ping.n + 1))
    assert not client.table.has_settled, "it answers no ping"
    client.say(m.Pong(n=ping.n))
    assert client.table.has_settled
    assert not client.table.calls_kuku()
    assert code(client.do(m.CallKuku, seq=seq_of(client))) is m.RefusalCode.NO_KUKU


@pytest.mark.parametrize(("cards", "asks"), [((0, Card.N1, Card.N2, Card.KUKU), False), ((2, Card.KUKU), True)])
def test_a_kuku_that_is_called_counts(cards: tuple[Seat, Card], *, asks: bool) -> None:
    client = seated()
    view = dealt(client, *cards)
    client.table.offer_kuku(view)
    client.listen()
    before = next(one.seq for one in client.heard if isinstance(one, m.Dealt)) - 1
    assert code(client.do(m.CallKuku, seq=before)) is m.RefusalCode.OLD_TURN
    assert code(client.do(m.CallKuku, seq=seq_of(client) + 1)) is m.RefusalCode.OLD_TURN
    assert client.do(m.CallKuku, seq=before + 1) is None
    assert client.table.has_settled
    assert client.table.calls_kuku()
    client.listen()
    assert isinstance(client.heard[-1], m.Ok)
    assert faults(client) == []
    assert asks == any(isinstance(one, m.Question) for one in client.heard)


def test_an_answer_that_a_kuku_comes_before_is_overtaken() -> None:
    client = seated()
    client.table.offer_kuku(dealt(client, 2, Card.KUKU))
    client.listen()
    client.do(m.Decide, turn=1, do=m.Do.STAND)
    assert client.table.has_settled
    assert not client.table.calls_kuku()
    client.table.saw(KukuCalled(1, by_rule=False))
    client.listen()
    refused, called = client.heard[-2:]
    assert code(refused) is m.RefusalCode.OVERTAKEN
    assert isinstance(called, m.KukuCalled)
    assert not client.table.has_answered


def test_before_and_after_a_match_nothing_is_played() -> None:
    client = seated()
    for _ in range(2):
        assert code(client.do(m.Decide, turn=1, do=m.Do.STAND)) is m.RefusalCode.NOT_PLAYING
        assert code(client.do(m.CallKuku, seq=1)) is m.RefusalCode.NOT_PLAYING
        dealt(client, *THEIRS)
        assert not client.table.is_ready
        assert code(client.do(m.Ready, ready=True)) is m.RefusalCode.PLAYING
        client.table.over()
        client.listen()
    assert isinstance(client.do(m.Ready, ready=True), m.Ok)
    assert client.table.is_ready
    client.do(m.Ready, ready=False)
    assert not client.table.is_ready


def test_there_is_one_room_and_whoever_asks_sits_in_it() -> None:
    client = Client(HostedSeat(Ruleset(pots=7), 4, 2, 0.2))
    client.greet(bot=False)
    listed = client.do(m.ListRooms, page=0)
    assert isinstance(listed, m.Rooms)
    assert [line.name for line in listed.rooms] == ["Arena"]
    assert code(client.do(m.Ready, ready=True)) is m.RefusalCode.WRONG_PLACE
    given = options(2)
    assert code(client.do(m.Create, room="Krogen", options=given, password=None)) is m.RefusalCode.ROOM_EXISTS
    assert code(client.do(m.Watch, room="Krogen", password=None)) is m.RefusalCode.WATCHING_CLOSED
    assert isinstance(client.do(m.Join, room="Krogen", password="x"), m.Ok)
    snapshot = client.heard[-1]
    assert isinstance(snapshot, m.Snapshot)
    room = snapshot.room
    assert (room.name, room.options.pots, room.options.clock) == ("Krogen", 7, 1)
    assert [seat.name for seat in room.seats] == [name_of(seat) for seat in range(4)]
    assert [seat.ready for seat in room.seats] == [True, True, False, True]
    assert room.seats[2].occupant is m.Occupant.PERSON
    assert code(client.do(m.Start)) is m.RefusalCode.NOT_HOST
    assert code(client.do(m.SignUp, tournament="x")) is m.RefusalCode.NO_SUCH_TOURNAMENT
    assert isinstance(client.do(m.ListTournaments, page=0), m.Tournaments)
    assert isinstance(client.do(m.Say, text="hello"), m.Ok)
    assert isinstance(client.heard[-1], m.Said)
    client.say(m.Ping(n=7))
    assert m.Pong(n=7) in client.heard
    assert not client.table.has_left
    assert isinstance(client.do(m.Leave), m.Ok)
    assert client.table.has_left


def test_every_command_has_an_answer() -> None:
    """None is forgotten in the table of what there is not."""
    answered = {m.ListRooms, m.Join, m.Quick, m.Leave, m.Ready, m.Say, m.ListTournaments, m.Decide, m.CallKuku}
    assert set(COMMANDS) - answered == set(_REFUSED)
    assert not answered & set(_REFUSED)


def test_an_id_counts_once() -> None:
    client = seated()
    client.say(m.Say(id=1, text="again"))
    assert code(client.heard[-1]) is m.RefusalCode.OLD_ID


def test_who_speaks_no_version_of_ours_is_told_ours() -> None:
    client = Client(HostedSeat(Ruleset(), 2, 0, 1.0))
    client.say(m.Hello(versions=(9,), agent="", name="Ada", bot=True, ticket=None, password=None))
    assert client.heard == [m.Bye(code=m.ByeCode.UNSUPPORTED_VERSION, place="versions", versions=m.VERSIONS)]
    assert client.table.has_left
    client.table.end(m.ByeCode.DONE)
    assert client.table.take() == b""
