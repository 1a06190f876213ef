"""Coming back after a lost line: the seat, the question, the stand-in, and each command at most once."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kille_net.server.answers import KEPT, Answers
from kille_net.server.limits import Limits
from kille_net.server.people import Player
from kille_net.server.register import Unwelcome
from kille_net.server.tickets import Tickets
from kille_net.server.timing import Lockout
from kille_net.wire import messages as m
from kille_net.wire.states import Place
from tests.catalogue.rows import row
from tests.server.house import Guest, House, code, drawn_tickets, news, options


def asked(guests: list[Guest]) -> Guest:
    """Who owes the answer to the last question."""
    return max((guest for guest in guests if guest.all(m.Question)), key=lambda guest: guest.turn)


def away(guest: Guest, seat: int) -> int | None:
    return guest.last(m.RoomChanged).room.seats[seat].away


class TestQuestion:
    """§6.7"""

    def test_that_is_open_is_asked_again_with_the_time_that_is_left_and_can_be_answered(self) -> None:
        house = House()
        guests = house.match(options(2, clock=60, window=10_000), "Ada", "Bo")
        one = asked(guests)
        question = one.last(m.Question)
        house.lose(one)
        house.wait(8.5)
        told = house.come_back(one)
        assert [type(message) for message in told] == [m.Snapshot, m.Question]
        snapshot, again = told
        assert isinstance(snapshot, m.Snapshot)
        assert isinstance(again, m.Question)
        assert snapshot.open == m.OpenQuestion(turn=question.turn, seat=again.view.to_act or 0, ms=51_500, window=1500)
        assert (again.turn, again.ms, again.view) == (question.turn, 51_500, question.view)
        assert snapshot.view == again.view
        assert house.act(one, m.Do.STAND) is None, "held until the window ends"
        house.wait(1.5)
        assert isinstance(one.answers(house.last_id)[0], m.Ok)

    def test_gets_its_default_when_the_window_ends_before_the_player_is_back(self) -> None:
        house = House()
        guests = house.match(options(2, clock=60, window=10_000), "Ada", "Bo")
        one = asked(guests)
        turn = one.turn
        house.lose(one)
        house.wait(10.0)
        told = house.come_back(one)
        assert isinstance(told[0], m.Snapshot)
        assert told[0].open is not None
        assert told[0].open.turn > turn

    def test_of_another_is_told_and_not_asked(self) -> None:
        house = House()
        guests = house.match(options(2, clock=60), "Ada", "Bo")
        one = asked(guests)
        other = next(guest for guest in guests if guest is not one)
        house.lose(other)
        told = house.come_back(other)
        assert [type(message) for message in told] == [m.Snapshot]
        assert isinstance(told[0], m.Snapshot)
        assert told[0].open is not None
        assert told[0].open.turn == one.turn
        assert one.last(m.RoomChanged).news is m.News.BACK

    def test_is_not_asked_again_while_its_answer_is_held(self) -> None:
        house = House()
        guests = house.match(options(2, clock=60, window=5000), "Ada", "Bo")
        one = asked(guests)
        assert house.act(one, m.Do.STAND) is None
        number, turn = house.last_id, one.turn
        house.lose(one)
        told = house.come_back(one)
        assert [type(message) for message in told] == [m.Snapshot]
        house.carry(house.lobby.command(one.player, m.Decide(id=number, turn=turn, do=m.Do.STAND), house.now))
        assert one.answers(number) == []
        house.wait(5.0)
        assert one.answers(number) == [m.Ok(id=number)]
        assert len(guests[0].all(m.Stood)) == 1

    def test_stands_still_while_nobody_is_there(self) -> None:
        house = House()
        guests = house.match(options(2, clock=60, window=1000), "Ada", "Bo")
        one, other = asked(guests), next(guest for guest in guests if guest is not asked(guests))
        house.wait(10.0)
        house.lose(other)
        house.lose(one)
        house.wait(599.0)
        told = house.come_back(one)
        assert isinstance(told[-1], m.Question)
        assert told[-1].ms == 50_000
        house.wait(0.0)
        assert one.last(m.RoomChanged).news is m.News.STAND_IN, "the other has been away for long"

    def test_is_not_asked_during_a_pause_but_after_it(self) -> None:
        house = House()
        guests = house.match(options(2, clock=60, window=5000), "Ada", "Bo")
        one = asked(guests)
        host, other = guests
        house.pause(host)
        house.lose(one)
        house.wait(30.0)
        assert [type(message) for message in house.come_back(one)] == [m.Snapshot]
        house.pause(one if one is other else host, paused=False)
        house.pause(other if one is host else host, paused=False)
        assert one.last(m.Question).ms == 60_000


class TestStandIn:
    """§6.7"""

    def test_answers_what_it_was_asked_and_hands_back_the_next(self) -> None:
        house = House()
        guests = house.match(options(2, clock=200, pace=10_000, window=1000, pots=40), "Ada", "Bo", bots=False)
        one = asked(guests)
        other = next(guest for guest in guests if guest is not one)
        house.lose(one)
        house.wait(120.0)
        while (turn := other.last(m.Turn)).seat != guests.index(one):
            house.act(other, m.Do.STAND)
            house.step()
        assert away(other, guests.index(one)) == 0
        told = house.come_back(one)
        assert [type(message) for message in told] == [m.Snapshot], "the computer has been asked"
        assert away(other, guests.index(one)) is None
        for _ in range(200):
            if one.turn > turn.turn:
                break
            if other.turn > turn.turn and asked(guests) is other:
                house.act(other, next(do for do in (m.Do.STAND, m.Do.REFUSE) if _legal(other, do)))
            house.step()
        assert one.turn > turn.turn

    @pytest.mark.parametrize(("seconds", "stood_in"), [(119.999, False), (120.0, True)])
    def test_comes_at_its_time_or_not_at_all(self, seconds: float, *, stood_in: bool) -> None:
        house = House()
        ada, bo = house.match(options(2, window=1000, rest=5000, pots=99), "Ada", "Bo")
        house.lose(bo)
        assert away(ada, 1) == 120_000
        house.wait(seconds)
        house.come_back(bo)
        told = [news(message) for message in ada.all(m.RoomChanged)]
        assert (m.News.STAND_IN in told) == stood_in
        assert told[-1] is m.News.BACK
        house.wait(500.0)
        assert [news(message) for message in ada.all(m.RoomChanged)].count(m.News.STAND_IN) == stood_in

    def test_the_countdown_goes_on_for_who_comes_later(self) -> None:
        house = House()
        _, bo = house.match(options(2, window=1000, pots=99), "Ada", "Bo")
        house.lose(bo)
        house.wait(30.0)
        cilla = house.guest("Cilla")
        house.watch(cilla)
        assert cilla.last(m.Snapshot).room.seats[1].away == 90_000


def _legal(guest: Guest, do: m.Do) -> bool:
    return bool(guest.last(m.Question).legal >> list(m.Do).index(do) & 1)


class TestPlace:
    """§6.7"""

    def test_in_the_lobby_nothing_follows(self) -> None:
        house = House()
        ada = house.guest("Ada")
        house.lose(ada)
        assert house.come_back(ada) == []
        house.wait(1000.0)
        with pytest.raises(Unwelcome):
            house.guest("Ada")

    def test_watching_is_gone_on_with_without_a_password(self) -> None:
        house = House()
        ada, cilla = house.guest("Ada"), house.guest("Cilla")
        house.create(ada, options(2), password="hemligt")
        house.watch(cilla, password="hemligt")
        house.lose(cilla)
        assert ada.last(m.RoomChanged).news is m.News.LEFT
        told = house.come_back(cilla)
        assert [type(message) for message in told] == [m.Snapshot]
        assert house.lobby.place(cilla.player) is Place.WATCHING
        assert (ada.last(m.RoomChanged).news, ada.last(m.RoomChanged).room.watchers) == (m.News.WATCHES, 1)

    def test_what_was_watched_and_is_gone_is_not(self) -> None:
        house = House()
        ada, cilla = house.guest("Ada"), house.guest("Cilla")
        house.create(ada, options(2))
        house.watch(cilla)
        house.lose(cilla)
        house.leave(ada)
        house.create(ada, options(2))  # another of the same name
        assert house.come_back(cilla) == []
        assert house.lobby.place(cilla.player) is Place.LOBBY

    def test_a_seat_is_come_back_to_where_nobody_may_watch_and_a_password_is_asked(self) -> None:
        house = House()
        ada, bo = house.guest("Ada"), house.guest("Bo")
        house.create(ada, options(2, clock=60, watching=m.Watching.NOBODY), password="hemligt")
        house.join(bo, password="hemligt")
        house.start(ada)
        house.lose(bo)
        told = house.come_back(bo)
        assert isinstance(told[0], m.Snapshot)
        assert told[0].view is not None
        assert told[0].view.seat == 1

    @row(32)
    def test_a_seated_player_cannot_watch_its_own_match(self) -> None:
        house = House()
        _, bo = house.match(options(2, clock=60), "Ada", "Bo")
        house.lose(bo)
        house.come_back(bo)
        assert code(house.watch(bo)) is m.RefusalCode.WRONG_PLACE

    def test_a_seat_without_a_match_is_kept_and_not_ready(self) -> None:
        house = House()
        ada, bo = house.table(options(2), "Ada", "Bo")
        house.ready(bo)
        house.lose(bo)
        house.ready(ada)
        assert ada.last(m.RoomChanged).room.status is m.RoomStatus.OPEN
        house.wait(60.0)
        house.come_back(bo)
        house.wait(500.0)
        assert house.lobby.place(bo.player) is Place.SEATED
        house.ready(bo)
        assert ada.last(m.RoomChanged).room.status is m.RoomStatus.PLAYING

    def test_a_player_kicked_while_away_is_in_the_lobby(self) -> None:
        house = House()
        ada, bo = house.match(options(2, clock=60), "Ada", "Bo")
        house.lose(bo)
        house.do(ada, lambda k: m.Kick(id=k, seat=1))
        assert house.come_back(bo) == []
        assert house.lobby.place(bo.player) is Place.LOBBY

    def test_the_host_is_handed_over_and_not_back(self) -> None:
        """§6.5"""
        house = House()
        ada, bo = house.match(options(2, clock=60), "Ada", "Bo")
        house.lose(ada)
        assert bo.last(m.RoomChanged).room.host == "Bo"
        house.come_back(ada)
        assert bo.last(m.RoomChanged).room.host == "Bo"

    def test_from_a_second_connection_the_others_are_told_nothing(self) -> None:
        house = House()
        ada, bo = house.match(options(2, clock=60), "Ada", "Bo")
        ada.new()
        told = house.come_back(bo)
        assert isinstance(told[0], m.Snapshot)
        assert told[0].seq == ada.seq
        assert ada.new() == []

    def test_the_snapshot_comes_before_every_event(self) -> None:
        """§4.5: what was due and had not been told is in it."""
        house = House()
        guests = house.match(options(2, clock=60, window=1000), "Ada", "Bo")
        one = asked(guests)
        house.act(one, m.Do.STAND)
        number = house.last_id
        house.now += 2.0  # nobody has looked at the clock yet
        told = house.come_back(one)
        assert [type(message) for message in told][:2] == [m.Ok, m.Snapshot]
        assert one.answers(number) == [m.Ok(id=number)]
        snapshot = told[1]
        assert isinstance(snapshot, m.Snapshot)
        assert [message.seq for message in told[2:] if isinstance(message, m.Event)] == []
        assert snapshot.seq == next(guest for guest in guests if guest is not one).seq

    def test_only_so_many_are_waited_for(self) -> None:
        house = House(limits=Limits(absent=2))
        for name in ("Ada", "Bo", "Cilla"):
            house.lose(house.guest(name))
        house.guest("Ada")
        with pytest.raises(Unwelcome):
            house.guest("Bo")

    @pytest.mark.parametrize("seed", range(20))
    def test_a_snapshot_is_what_another_at_the_seat_would_have_folded(self, seed: int) -> None:
        """§7.2: who is away at random moments sees at each return what its next question shows."""
        house = House()
        chance = Random(seed)
        guests = house.match(options(3, clock=60, window=500, pots=3), "Ada", "Bo", "Cilla")
        done: dict[Guest, int] = {}
        for _ in range(300):
            guest = chance.choice(guests)
            if not guest.player.is_here:
                told = house.come_back(guest)
                for message in told[1:]:
                    assert isinstance(told[0], m.Snapshot)
                    if isinstance(message, m.Question):
                        assert message.view == told[0].view
            elif chance.random() < 0.2:
                house.lose(guest)
            elif guest.all(m.Question) and done.get(guest) != guest.turn:
                done[guest] = guest.turn
                house.act(guest, next(do for do in (m.Do.SWAP, m.Do.REFUSE) if _legal(guest, do)))
            house.wait(chance.choice([0.0, 0.3, 2.0]))
            if news(guest.heard[-1][1]) is m.News.ENDED:
                break
        assert not house.faults


@row(40)
class TestAnswers:
    """§5.3"""

    def test_a_command_that_comes_again_is_answered_as_before_and_not_done(self) -> None:
        house = House()
        ada = house.guest("Ada")
        house.create(ada, options(2))
        for k, text in ((5000, "hej"), (5000, "nej")):
            house.carry(house.lobby.command(ada.player, m.Say(id=k, text=text), house.now))
        assert [said.text for said in ada.all(m.Said)] == ["hej"]
        assert ada.answers(5000) == [m.Ok(id=5000)] * 2

    def test_a_refusal_stays_one(self) -> None:
        house = House()
        ada, bo = house.guest("Ada"), house.guest("Bo")
        join = m.Join(id=7, room="Room", password=None)
        house.carry(house.lobby.command(ada.player, join, house.now))
        house.create(bo, options(2))
        house.carry(house.lobby.command(ada.player, join, house.now))
        assert ada.answers(7) == [m.Refused(id=7, code=m.RefusalCode.NO_SUCH_ROOM)] * 2

    def test_an_id_whose_answer_is_forgotten_is_refused(self) -> None:
        answers = Answers()
        for number in range(1, KEPT + 3):
            assert answers.is_new(number)
            answers.expect(number)
            answers.note(m.Ok(id=number))
        assert answers.last_id == KEPT + 2
        assert answers.again(3) == m.Ok(id=3)
        for number in (0, 1, 2):
            assert not answers.is_new(number)
            assert answers.again(number) == m.Refused(id=number, code=m.RefusalCode.OLD_ID)

    def test_one_that_waits_for_its_answer_is_not_forgotten(self) -> None:
        answers = Answers()
        answers.expect(1)
        for number in range(2, 3 * KEPT):
            answers.expect(number)
            answers.note(m.Ok(id=number))
        assert answers.again(1) is None
        assert not answers.is_new(1)

    @given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), max_size=60), st.randoms())
    def test_at_least_once_has_the_effect_of_exactly_once(self, faults: list[tuple[int, int]], chance: Random) -> None:
        """A client that sends again after each loss, and copies that come late and out of order."""
        house = House()
        ada = house.guest("Ada")
        house.create(ada, options(8))
        first = house.last_id
        sent: list[m.Say] = []
        for number, (kind, back) in enumerate(faults, start=first + 1):
            sent.append(m.Say(id=number, text=f"{number}"))
            house.carry(house.lobby.command(ada.player, sent[-1], house.now))
            if kind == 0:
                house.lose(ada)
                house.come_back(ada)
            for _ in range(back):
                house.carry(house.lobby.command(ada.player, chance.choice(sent), house.now))
        assert [said.text for said in ada.all(m.Said)] == [say.text for say in sent]
        for say in sent:
            assert set(ada.answers(say.id)) == {m.Ok(id=say.id)}


@row(38)
class TestTickets:
    """§4.5"""

    def test_the_one_shown_is_good_until_the_new_one_is_known_to_have_come(self) -> None:
        tickets, draw, ada = Tickets(), drawn_tickets(), Player(1, "Ada", is_bot=False)
        first, second, third, fourth = (draw() for _ in range(4))
        tickets.give(ada, first)
        assert tickets.find(first) is ada
        tickets.give(ada, second, first)  # the welcome with the second is lost…
        assert (tickets.find(first), tickets.find(second)) == (ada, ada)
        tickets.give(ada, third, first)  # …and so it shows the first again
        assert [tickets.find(one) for one in (first, second, third)] == [ada, None, ada]
        tickets.confirm(ada)
        assert [tickets.find(one) for one in (first, second, third)] == [None, None, ada]
        tickets.give(ada, fourth, third)
        tickets.drop(ada)
        assert [tickets.find(one) for one in (third, fourth)] == [None, None]

    def test_nothing_of_a_ticket_is_kept(self) -> None:
        tickets, ada = Tickets(), Player(1, "Ada", is_bot=False)
        ticket = drawn_tickets()()
        tickets.give(ada, ticket)
        assert ticket not in str(vars(tickets))
        assert bytes.fromhex(ticket) not in tickets._players

    def test_a_forgotten_player_has_none(self) -> None:
        house = House()
        ada = house.guest("Ada", bot=True)
        ticket, _ = house.lobby.give_ticket(ada.player)
        assert house.lobby.find(ticket) is ada.player
        house.lose(ada, is_done=True)
        with pytest.raises(Unwelcome) as caught:
            house.lobby.find(ticket)
        assert caught.value.code is m.ByeCode.BAD_TICKET

    def test_neither_tickets_nor_passwords_are_shown(self) -> None:
        ticket = "ab" * 32
        hello = m.Hello(versions=(1,), agent="", name="Ada", bot=False, ticket=ticket, password="hemligt")
        assert repr(hello) == (
            "Hello(versions=(1,), agent='', name='Ada', bot=False, ticket=<redacted>, password=<redacted>)"
        )
        assert "hemligt" not in repr(m.Join(id=1, room="Room", password="hemligt"))


@row(38)
class TestLockout:
    """§4.5"""

    def test_locks_for_a_minute_after_the_tenth(self) -> None:
        lockout = Lockout(10, 60.0)
        for k in range(10):
            assert not lockout.is_locked("a", float(k))
            lockout.fail("a", float(k))
        assert lockout.is_locked("a", 9.0)
        assert lockout.is_locked("a", 68.9)
        assert not lockout.is_locked("a", 69.0)
        assert not lockout.is_locked("b", 9.0)

    def test_slow_failures_do_not_add_up(self) -> None:
        lockout = Lockout(10, 60.0)
        for k in range(100):
            lockout.fail("a", 7.0 * k)
            assert not lockout.is_locked("a", 7.0 * k)

    def test_remembers_only_so_many(self) -> None:
        lockout = Lockout(1, 60.0, keys=2)
        for key in "abc":
            lockout.fail(key, 0.0)
        assert [lockout.is_locked(key, 0.0) for key in "abc"] == [False, True, True]
