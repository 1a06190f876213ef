"""Open cards for those who watch: each hand once, one hand late, to nobody who plays (protocol/v1/protocol.md §6.8)."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import msgspec
import pytest

from kille_net.bots.simple import RandomBot
from kille_net.game.events import CardsThrown, Dealt
from kille_net.game.record import HandLine
from kille_net.game.replay import replay
from kille_net.game.shuffle import Material
from kille_net.server.people import Computer
from kille_net.wire import decode, encode
from kille_net.wire import messages as m
from tests.server.house import Guest, House, choices, news, options

OPEN = m.Watching.OPEN


def whim(seed: str) -> Callable[[m.Question], m.Do]:
    random = Random(seed)
    return lambda question: random.choice([do for do in choices(question) if do is not m.Do.KUKU])


def house_of(seed: str, data: Path | None = None) -> House:
    random = Random(f"{seed} computers")

    def computer(_: m.Level) -> Computer:
        return RandomBot(random)

    return House(computer=computer, data=data)


def table(house: House, room: m.Options) -> tuple[list[Guest], Guest]:
    """A table of persons, the first of whom hosts, and one who watches from the beginning."""
    people = house.table(room, *("Ada", "Bo", "Cilla", "Doris")[: room.seats - room.computers])
    watcher = house.guest("Watcher")
    assert isinstance(house.watch(watcher), m.Ok)
    return people, watcher


def owes(house: House, guest: Guest) -> bool:
    """Whether an answer of the guest is waited for."""
    if not guest.all(m.Question):
        return False
    return house.lobby.is_answer(guest.player, m.Decide(id=0, turn=guest.turn, do=m.Do.STAND))


def until(house: House, people: list[Guest], choose: Callable[[m.Question], m.Do], done: Callable[[], bool]) -> None:
    """Let them play until that is so."""
    while not done():
        asked = next((guest for guest in people if owes(house, guest)), None)
        if asked is None:
            house.step()
        else:
            house.act(asked, choose(asked.last(m.Question)))


def truth(house: House) -> list[tuple[int, tuple[int | None, ...]]]:
    """The hand, and what its seats held after each move, but where they were dealt other cards at once; from a replay
    of the record."""
    held = []
    for step in replay(house.kept[-1].lines):
        if step.move is None or any(isinstance(event, Dealt | CardsThrown) for event in step.events):
            continue
        assert isinstance(step.line, HandLine)
        assert step.match.hand is not None
        cards = step.match.hand.table.cards()
        held.append((step.line.n, tuple(None if card is None else int(card) for card in cards)))
    return held


class TestWhat:
    @pytest.mark.parametrize("number", range(8))
    def test_is_the_table_as_it_was(self, number: int) -> None:
        """After every move that no other deal followed at once."""
        kind = list(m.Format)[number % 2]
        house = house_of(f"what {number}")
        people, watcher = table(house, options(2 + number % 4, kind=kind, pots=3, watching=OPEN, computers=number % 2))
        house.start(people[0])
        house.play(people, whim(f"what {number}"))
        told = watcher.all(m.HandShown)
        moved = [(one.hand, move.cards) for one in told for move in one.moves]
        for one in told:
            assert decode(encode(one)) == one
            assert len(one.moves) <= 9
        left = iter(moved)
        assert all(one in left for one in truth(house)), "in that order"

    def test_tells_what_every_seat_did_and_in_what_order(self) -> None:
        house = house_of("did")
        people, watcher = table(house, options(4, kind=m.Format.STICKS, pots=2, watching=OPEN))
        house.start(people[0])
        house.play(people, whim("did"))
        lines = [line for line in map(msgspec.json.decode, house.kept[-1].lines) if line["type"] == "hand"]
        for line in lines:
            told = [one for one in watcher.all(m.HandShown) if one.hand == line["n"]]
            assert [(move.seat, move.do.value) for one in told for move in one.moves] == [
                (action["seat"], action["do"]) for action in line["actions"]
            ]
            assert [one.deal for one in told] == list(range(1, len(told) + 1))
        assert {one.hand for one in watcher.all(m.HandShown)} == {line["n"] for line in lines}

    def test_names_with_whom_a_swap_was_and_the_talon(self) -> None:
        house = house_of("whom")
        people, watcher = table(house, options(3, pots=2, watching=OPEN))
        house.start(people[0])
        house.play(people, lambda question: m.Do.SWAP if m.Do.SWAP in choices(question) else choices(question)[-1])
        seen = set()
        for one in watcher.all(m.HandShown):
            before = one.cards
            for move in one.moves:
                changed = [seat for seat in range(3) if before[seat] != move.cards[seat]]
                if move.target == 3:
                    assert changed in ([], [move.seat])
                    seen.add("talon")
                elif move.target is not None:
                    assert set(changed) <= {move.seat, move.target}
                    assert (before[move.seat], before[move.target]) == (move.cards[move.target], move.cards[move.seat])
                    seen.add("seat")
                before = move.cards
        assert seen == {"talon", "seat"}


class TestWhen:
    @pytest.mark.parametrize("kind", m.Format)
    def test_is_one_hand_late_and_at_the_end_the_rest(self, kind: m.Format) -> None:
        house = house_of(f"late {kind}")
        people, watcher = table(house, options(3, kind=kind, pots=3, watching=OPEN))
        house.start(people[0])
        house.play(people, whim("late"))
        hands = 0
        is_over = False
        shown: set[int] = set()
        for message in (message for _, message in watcher.heard):
            match message:
                case m.HandBegan(hand=hand):
                    assert shown == set(range(1, hand - 1)), "all but the last one, before the next is dealt"
                    hands = hand
                case m.MatchEnded():
                    is_over = True
                case m.HandShown(hand=hand):
                    assert hand < hands or is_over
                    shown.add(hand)
                case m.RoomChanged(news=m.News.ENDED):
                    assert shown == set(range(1, hands + 1))
        assert is_over
        assert hands > 2

    def test_none_comes_before_the_next_hand_is_over(self) -> None:
        house = house_of("none")
        people, watcher = table(house, options(3, pots=3, watching=OPEN))
        house.start(people[0])
        until(house, people, whim("none"), lambda: bool(watcher.all(m.HandBegan)[1:]))
        assert watcher.all(m.Showdown)
        assert not watcher.all(m.HandShown)
        until(house, people, whim("none"), lambda: len(watcher.all(m.Showdown)) == 2)
        assert {one.hand for one in watcher.all(m.HandShown)} == {1}

    def test_a_match_that_is_broken_off_shows_its_last_hand_too(self) -> None:
        house = house_of("broken")
        people, watcher = table(house, options(3, pots=3, watching=OPEN))
        house.start(people[0])
        until(house, people, whim("broken"), lambda: len(watcher.all(m.HandBegan)) == 3)
        house.carry(house.lobby.close("Room", house.now) or [])
        assert [one.hand for one in watcher.all(m.HandShown)][-1] == 3
        heard = [message for _, message in watcher.heard]
        ended = next(k for k, message in enumerate(heard) if isinstance(message, m.MatchEnded))
        assert {one.hand for one in heard[:ended] if isinstance(one, m.HandShown)} == {1}
        assert news(heard[-1]) is m.News.CLOSED

    def test_the_secret_comes_first(self) -> None:
        house = House(shuffle=lambda: Material(b"s" * 32, b"m" * 16))
        people, watcher = table(house, options(2, pots=1, watching=OPEN))
        house.start(people[0])
        until(house, people, whim("secret"), lambda: bool(watcher.all(m.MatchEnded)))
        kinds = [type(message) for _, message in watcher.heard]
        assert kinds[-1] is m.RoomChanged
        at = kinds.index(m.MatchEnded)
        assert kinds[at + 1] is m.SecretRevealed
        assert set(kinds[at + 2 : -1]) == {m.HandShown}

    @pytest.mark.parametrize("watching", [m.Watching.EVERYONE, OPEN])
    def test_is_never_unless_the_room_says_so(self, watching: m.Watching) -> None:
        house = house_of("never")
        people, watcher = table(house, options(3, pots=2, watching=watching))
        house.start(people[0])
        house.play(people, whim("never"))
        assert bool(watcher.all(m.HandShown)) == (watching is OPEN)


class TestWhom:
    def test_nobody_who_sits_there_gets_one(self) -> None:
        house = house_of("sits")
        people, watcher = table(house, options(4, pots=2, watching=OPEN, computers=1))
        for _ in range(2):
            house.start(people[0])
            house.play(people, whim("sits"))
        assert watcher.all(m.HandShown)
        assert not any(guest.all(m.HandShown) for guest in people)

    @pytest.mark.parametrize("how", ["leaves", "is kicked", "leaves, is lost and comes back"])
    def test_who_sat_there_gets_none_before_the_match_is_over(self, how: str) -> None:
        house = house_of(how)
        people, watcher = table(house, options(3, pots=3, watching=OPEN))
        ada, bo, cilla = people
        house.start(ada)
        until(house, people, whim(how), lambda: len(watcher.all(m.HandBegan)) == 2)
        if how == "is kicked":
            house.kick(ada, 2)
        else:
            house.leave(cilla)
        assert isinstance(house.watch(cilla), m.Ok)
        if "lost" in how:
            house.lose(cilla)
            house.come_back(cilla)
            assert house.lobby.place(cilla.player).value == "watching"
        until(house, [ada, bo], whim(how), lambda: bool(watcher.all(m.MatchEnded)))
        heard = [message for _, message in cilla.heard]
        ended = next(k for k, message in enumerate(heard) if isinstance(message, m.MatchEnded))
        assert len({one.hand for one in watcher.all(m.HandShown)}) > 3
        assert not any(isinstance(message, m.HandShown) for message in heard[:ended])
        assert any(isinstance(message, m.HandShown) for message in heard[ended:]), "now it may know"

    def test_who_sat_in_another_match_there_gets_them(self) -> None:
        house = house_of("another")
        people, watcher = table(house, options(3, pots=1, watching=OPEN))
        ada, bo, cilla = people
        house.start(ada)
        house.play(people, whim("another"))
        house.leave(cilla)
        assert isinstance(house.watch(cilla), m.Ok)
        late = house.guest("Late")
        house.join(late)
        before = len(watcher.all(m.HandShown))
        house.start(ada)
        house.play([ada, bo, late], whim("another"))
        assert cilla.all(m.HandShown) == watcher.all(m.HandShown)[before:]
        assert not late.all(m.HandShown)

    def test_what_a_seat_is_sent_is_the_same_whether_or_not_anybody_sees_open_cards(self) -> None:
        for number in range(12):
            heard = [sent(number, watching) for watching in (m.Watching.EVERYONE, OPEN)]
            assert heard[0] == heard[1]

    def test_who_watches_hears_all_events_as_ever(self) -> None:
        """The numbers of events have no gap, and the open cards are besides."""
        house = house_of("as ever")
        people, watcher = table(house, options(3, pots=2, watching=OPEN))
        house.start(people[0])
        house.play(people, whim("as ever"))
        numbers = [message.seq for _, message in watcher.heard if isinstance(message, m.Event)]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        assert not any(isinstance(message, m.HandShown) and hasattr(message, "seq") for _, message in watcher.heard)


def sent(number: int, watching: m.Watching) -> list[list[tuple[float, bytes]]]:
    """What every seat is sent, and when, byte for byte, but for what the room says of who may watch."""
    house = house_of(f"sent {number}")
    room = options(3 + number % 2, kind=list(m.Format)[number % 2], pots=2, watching=watching, window=500, clock=9)
    people, watcher = table(house, room)
    house.start(people[0])
    moves = Random(f"sent {number}")
    for _ in range(120):
        asked = [one for one in people if one.all(m.Question) and one.player.is_here]
        guest = moves.choice(people)
        what, which = moves.random(), moves.random()
        if what < 0.7 and asked:
            newest = max(asked, key=lambda one: one.turn)
            legal = [do for do in choices(newest.last(m.Question)) if do is not m.Do.KUKU]
            house.act(newest, legal[int(which * len(legal))])
        elif what < 0.8 and guest is not people[0]:
            (house.lose if guest.player.is_here else house.come_back)(guest)
        elif what < 0.82 and len(people) > 2 and guest is people[-1]:
            house.leave(guest)
            house.watch(guest)
            people = people[:-1]
        house.wait(moves.choice([0.0, 0.5, 3.0]))
    assert not house.faults
    assert bool(watcher.all(m.HandShown)) == (watching is OPEN)
    return [[(at, encode(_alike(message))) for at, message in guest.heard] for guest in people]


def _alike(message: m.ServerMessage) -> m.ServerMessage:
    """The same as where nobody sees open cards."""
    if not isinstance(message, m.Snapshot | m.RoomChanged):
        return message
    room = message.room
    room = msgspec.structs.replace(room, options=msgspec.structs.replace(room.options, watching=m.Watching.EVERYONE))
    return msgspec.structs.replace(message, room=room)


class TestOverARestart:
    def played(self, data: Path, at: int | None) -> tuple[list[m.HandShown], list[m.HandShown]]:
        """What one who watches is shown, and one who left the match and watches; killed before the step of that
        number."""
        house = house_of("restart", data)
        people, watcher = table(house, options(4, pots=2, watching=OPEN, computers=1))
        house.start(people[0])
        until(house, people, whim("first"), lambda: len(watcher.all(m.HandBegan)) == 2)
        cilla = people.pop()
        house.leave(cilla)
        house.watch(cilla)
        choose = whim("then")
        count = 0
        while not watcher.all(m.MatchEnded):
            if count == at:
                house.restart()
                for guest in (*people, watcher, cilla):
                    house.come_back(guest)
            count += 1
            asked = next((guest for guest in people if owes(house, guest)), None)
            if asked is None:
                house.step()
            else:
                house.act(asked, choose(asked.last(m.Question)))
        return watcher.all(m.HandShown), cilla.all(m.HandShown)

    @pytest.mark.parametrize("at", [0, 1, 4, 7, 12])
    def test_the_same_is_shown_as_without_one(self, at: int, tmp_path: Path) -> None:
        """Of the hands before it; the computers draw anew what they do after it."""
        whole, _ = self.played(tmp_path / "whole", None)
        killed, left = self.played(tmp_path / "killed", at)
        hands = [one.hand for one in killed]
        assert hands == sorted(hands)
        assert set(hands) == set(range(1, hands[-1] + 1)), "none is lost, and none comes twice"
        assert len({(one.hand, one.deal) for one in killed}) == len(killed)
        assert killed[0] == whole[0]
        assert {one.hand for one in left} <= {hands[-1] - 1, hands[-1]}, "at the end, what was left then"
