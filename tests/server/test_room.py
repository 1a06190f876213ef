"""People and their room: ready, host, leaving for good and being lost, the end and the next match. Times are exact."""

import pytest

from kille_net.server.limits import Limits
from kille_net.server.register import Unwelcome
from kille_net.server.room import NOBODY_LEFT
from kille_net.wire import messages as m
from kille_net.wire.states import Place
from tests.server.house import Guest, House, choices, code, news, options


def stand(question: m.Question) -> m.Do:
    return next(do for do in (m.Do.STAND, m.Do.REFUSE) if do in choices(question))


def seats(guest: Guest) -> list[tuple[str, str, str]]:
    """Occupant, name and link of each seat, as the guest was told last."""
    return [
        (seat.occupant.value, seat.name, "here" if seat.away is None else "away")
        for seat in guest.last(m.RoomChanged).room.seats
    ]


class TestBeginning:
    def test_all_ready_and_all_seats_taken_begins_it(self) -> None:
        house = House()
        ada, bo = house.table(options(3, computers=1), "Ada", "Bo")
        assert code(house.ready(ada)) is None
        assert not ada.all(m.HandBegan)
        house.ready(bo)
        assert [news(message) for message in ada.all(m.RoomChanged)[-2:]] == [m.News.READY, m.News.STARTED]
        assert ada.last(m.RoomChanged).room.status is m.RoomStatus.PLAYING
        assert ada.last(m.HandBegan).hand == 1

    def test_a_computer_that_comes_last_begins_it(self) -> None:
        house = House()
        ada = house.guest("Ada")
        house.create(ada, options(3))
        house.ready(ada)
        assert (
            code(house.do(ada, lambda k: m.AddComputers(id=k, count=3, level=m.Level.EASY))) is m.RefusalCode.ROOM_FULL
        )
        house.do(ada, lambda k: m.AddComputers(id=k, count=2, level=m.Level.EASY))
        assert [news(message) for message in ada.all(m.RoomChanged)] == [
            m.News.READY, m.News.COMPUTER_ADDED, m.News.COMPUTER_ADDED, m.News.STARTED,
        ]  # fmt: skip

    def test_the_host_begins_it_as_soon_as_it_is_full(self) -> None:
        house = House()
        ada = house.guest("Ada")
        house.create(ada, options(2))
        assert code(house.start(ada)) is m.RefusalCode.NOT_FULL
        bo = house.guest("Bo")
        house.join(bo)
        assert code(house.start(bo)) is m.RefusalCode.NOT_HOST
        assert code(house.start(ada)) is None
        assert code(house.start(ada)) is m.RefusalCode.PLAYING
        assert code(house.ready(bo)) is m.RefusalCode.PLAYING

    def test_saying_ready_twice_is_no_news(self) -> None:
        house = House()
        ada, bo = house.table(options(3), "Ada", "Bo")
        bo.new()
        for ready in (True, True, False, False):
            assert code(house.ready(ada, ready=ready)) is None
        assert [news(message) for message in bo.new()] == [m.News.READY, m.News.NOT_READY]

    def test_nobody_can_put_it_off_by_coming_and_going(self) -> None:
        house = House()
        (ada, bo) = house.table(options(3), "Ada", "Bo")
        house.ready(ada)
        house.ready(bo)
        for k in range(20):
            cilla = house.guest(f"Cilla {k}")
            house.join(cilla)
            house.leave(cilla)
        doris = house.guest("Doris")
        house.join(doris)
        assert code(house.start(ada)) is None


class TestHost:
    def test_passes_on_to_the_next_person_and_then_to_a_bot(self) -> None:
        house = House()
        ada = house.guest("Ada")
        bot = house.guest("Bot", bot=True)
        bo, cilla = house.guest("Bo"), house.guest("Cilla")
        house.create(ada, options(5))
        for guest in (bot, bo, cilla):
            house.join(guest)
        house.leave(ada)
        assert [(message.news, message.who) for message in cilla.all(m.RoomChanged)[-2:]] == [
            (m.News.LEFT, "Ada"),
            (m.News.HOST, "Bo"),
        ]
        assert [message.room.host for message in cilla.all(m.RoomChanged)[-2:]] == ["", "Bo"]
        house.lose(bo)
        assert cilla.last(m.RoomChanged).room.host == "Cilla"
        house.leave(cilla)
        assert bot.last(m.RoomChanged).room.host == "Bot"

    def test_is_a_person_as_soon_as_one_is_seated(self) -> None:
        """§6.5"""
        house = House()
        bot, other = house.table(options(4), "Bot", "Other", bots=True)
        assert bot.last(m.RoomChanged).room.host == "Bot"
        ada, bo = house.guest("Ada"), house.guest("Bo")
        house.watch(ada)
        assert other.last(m.RoomChanged).room.host == "Bot", "who looks on hosts nothing"
        house.leave(ada)
        house.join(ada)
        assert ada.last(m.Snapshot).room.host == "Bot"
        for guest in (bot, other, ada):
            assert (guest.last(m.RoomChanged).news, guest.last(m.RoomChanged).who) == (m.News.HOST, "Ada")
        assert code(house.do(ada, lambda k: m.AddComputers(id=k, count=1, level=m.Level.EASY))) is None
        house.do(ada, lambda k: m.RemoveComputer(id=k, seat=3))
        house.join(bo)
        assert bo.last(m.Snapshot).room.host == "Ada"
        assert ada.last(m.RoomChanged).news is m.News.JOINED
        assert code(house.start(bot)) is m.RefusalCode.NOT_HOST
        assert code(house.start(ada)) is None

    def test_goes_round_from_the_old_hosts_seat(self) -> None:
        house = House()
        ada, bo, cilla = house.table(options(4), "Ada", "Bo", "Cilla")
        house.leave(ada)
        assert cilla.last(m.RoomChanged).room.host == "Bo"
        doris = house.guest("Doris")
        house.join(doris)
        assert doris.last(m.Snapshot).room.seats[0].name == "Doris"
        house.leave(bo)
        assert cilla.last(m.RoomChanged).room.host == "Cilla"

    def test_lost_in_the_middle_of_a_match_is_not_host_any_more(self) -> None:
        house = House()
        ada, bo = house.match(options(2, window=1000), "Ada", "Bo")
        house.lose(ada)
        assert bo.last(m.RoomChanged).room.host == "Bo"
        assert code(house.pause(bo)) is None

    def test_stays_while_nobody_is_here(self) -> None:
        """§6.5"""
        house = House()
        ada, bo = house.match(options(2, window=1000), "Ada", "Bo")
        cilla = house.guest("Cilla")
        house.watch(cilla)
        house.lose(ada)
        house.lose(bo)
        assert cilla.last(m.RoomChanged).news is m.News.LOST
        assert cilla.last(m.RoomChanged).room.host == "Bo"

    def test_removes_computers_and_nobody_else(self) -> None:
        house = House()
        ada, bo = house.table(options(4, computers=1), "Ada", "Bo")
        for seat in (0, 2, 3, 7):
            answer = house.remove(ada, seat)
            assert code(answer) is m.RefusalCode.NO_SUCH_SEAT
        assert code(house.do(ada, lambda k: m.RemoveComputer(id=k, seat=1))) is None
        assert bo.last(m.RoomChanged).news is m.News.COMPUTER_REMOVED
        assert seats(bo)[1] == ("empty", "", "here")

    def test_kicks_players_and_nobody_else(self) -> None:
        house = House()
        ada, bo, cilla = house.table(options(5, computers=1), "Ada", "Bo", "Cilla")
        for seat in (0, 1, 4, 6):
            answer = house.kick(ada, seat)
            assert code(answer) is m.RefusalCode.NO_SUCH_SEAT
        assert code(house.do(bo, lambda k: m.Kick(id=k, seat=0))) is m.RefusalCode.NOT_HOST
        assert code(house.do(ada, lambda k: m.Kick(id=k, seat=2))) is None
        for guest in (bo, cilla):
            assert (guest.last(m.RoomChanged).news, guest.last(m.RoomChanged).who) == (m.News.KICKED, "Bo")
        assert house.lobby.place(bo.player) is Place.LOBBY
        heard = len(bo.heard)
        house.ready(cilla)
        assert len(bo.heard) == heard
        assert code(house.join(bo)) is None

    def test_kicks_in_the_middle_of_a_question(self) -> None:
        house = House()
        guests = house.match(options(3, clock=60, window=1000), "Ada", "Bo", "Cilla")
        ada = guests[0]
        asked = next(guest for guest in guests if guest.all(m.Question))
        if asked is ada:
            house.act(ada, m.Do.STAND)
            house.wait(1.0)
            asked = next(guest for guest in guests[1:] if guest.all(m.Question))
        assert house.act(asked, m.Do.STAND) is None
        held = house.last_id
        assert code(house.do(ada, lambda k: m.Kick(id=k, seat=guests.index(asked)))) is None
        assert code(asked.answers(held)[0]) is m.RefusalCode.OVERTAKEN
        assert seats(ada)[guests.index(asked)][0] == "computer"


class TestPause:
    def test_is_told_once_and_done_as_often_as_it_is_asked_for(self) -> None:
        house = House()
        ada, bo = house.table(options(2), "Ada", "Bo")
        assert code(house.pause(ada)) is m.RefusalCode.NOT_PLAYING
        house.start(ada)
        assert code(house.pause(bo)) is m.RefusalCode.NOT_HOST
        bo.new()
        assert code(house.pause(ada, paused=False)) is None
        assert code(house.pause(ada)) is None
        assert code(house.pause(ada)) is None
        assert [news(message) for message in bo.new()] == [m.News.PAUSED]
        assert bo.last(m.RoomChanged).room.status is m.RoomStatus.PAUSED

    def test_nothing_is_taken_meanwhile(self) -> None:
        house = House()
        ada, bo = house.match(options(2), "Ada", "Bo")
        house.pause(ada)
        for guest in (ada, bo):
            assert code(house.act(guest, m.Do.STAND, turn=1)) is m.RefusalCode.PAUSED
            assert code(house.kuku(guest)) is m.RefusalCode.PAUSED

    def test_ends_when_only_bots_are_left_to_end_it(self) -> None:
        house = House()
        ada, bot = house.guest("Ada"), house.guest("Bot", bot=True)
        house.create(ada, options(2, clock=10))
        house.join(bot)
        house.start(ada)
        house.pause(ada)
        house.leave(ada)
        assert [news(message) for message in bot.all(m.RoomChanged)[-3:]] == [
            m.News.LEFT, m.News.HOST, m.News.RESUMED,
        ]  # fmt: skip


class TestLeavingAndLosing:
    def test_before_a_match_leaving_frees_the_seat_at_once_and_a_lost_line_after_a_while(self) -> None:
        """§6.7"""
        house = House()
        ada, bo, cilla, dan = house.table(options(5), "Ada", "Bo", "Cilla", "Dan")
        house.ready(cilla)
        house.leave(bo)
        house.lose(dan, is_done=True)
        house.lose(cilla)
        assert [news(message) for message in ada.all(m.RoomChanged)[-3:]] == [m.News.LEFT, m.News.LEFT, m.News.LOST]
        assert [seat[0] for seat in seats(ada)] == ["person", "empty", "person", "empty", "empty"]
        state = ada.last(m.RoomChanged).room.seats[2]
        assert (state.away, state.ready) == (120_000, False)
        house.wait(119.9)
        assert ada.last(m.RoomChanged).news is m.News.LOST
        house.wait(0.1)
        assert (ada.last(m.RoomChanged).news, ada.last(m.RoomChanged).who) == (m.News.LEFT, "Cilla")
        assert [seat[0] for seat in seats(ada)] == ["person", "empty", "empty", "empty", "empty"]

    def test_for_good_a_computer_plays_on_at_once_and_till_the_end(self) -> None:
        house = House()
        ada, bo = house.match(options(2, clock=60, pots=1), "Ada", "Bo")
        house.leave(bo)
        assert house.lobby.place(bo.player) is Place.LOBBY
        assert ada.last(m.RoomChanged).news is m.News.LEFT
        assert seats(ada)[1][0] == "computer"
        assert seats(ada)[1][1] != "Bo"
        house.play([ada], stand)
        assert m.News.STAND_IN not in {news(message) for message in ada.all(m.RoomChanged)}
        assert news(ada.heard[-1][1]) is m.News.ENDED
        assert seats(ada)[1][0] == "empty"

    def test_whoever_leaves_hears_what_came_before_it_and_then_no_more(self) -> None:
        """§5.3, §6.3"""
        house = House()
        guests = house.match(options(3, clock=60, window=1000), "Ada", "Bo", "Cilla")
        asked = next(guest for guest in guests if guest.all(m.Question))
        house.act(asked, m.Do.STAND)
        house.now += 1.0  # nobody has looked at the clock yet
        asked.new()
        house.leave(asked)
        assert [type(message) for message in asked.new()] == [m.Ok, m.Stood, m.Turn, m.Ok]
        house.wait(60.0)
        assert asked.new() == []

    def test_lost_the_seat_is_kept_and_the_defaults_play_until_a_computer_does(self) -> None:
        house = House()
        ada, bo = house.match(options(2, clock=10_000 // 25, window=1000, rest=5000, pots=99), "Ada", "Bo")
        lost_at = house.now
        house.lose(bo)
        assert (ada.last(m.RoomChanged).news, ada.last(m.RoomChanged).who) == (m.News.LOST, "Bo")
        assert seats(ada)[1] == ("person", "Bo", "away")
        answered = 0
        while house.now < lost_at + 119.5:
            if ada.all(m.Question) and ada.turn > answered:
                answered = ada.turn
                house.act(ada, m.Do.STAND)
            house.wait(0.5)
        assert {stood.seat for stood in ada.all(m.Stood)} == {0, 1}
        assert {late.seat for late in ada.all(m.Late)} == {1}
        assert not any(news(message) is m.News.STAND_IN for message in ada.all(m.RoomChanged))
        house.wait(0.5)
        told = [at for at, message in ada.heard if news(message) is m.News.STAND_IN]
        assert told == [lost_at + 120.0]
        defaults = len(ada.all(m.Late))
        house.wait(100.0)
        assert len(ada.all(m.Late)) == defaults, "a stand-in is not late"
        assert ada.last(m.RoomChanged).who == "Bo"
        assert seats(ada)[1] == ("person", "Bo", "away")

    @pytest.mark.parametrize(("seconds", "after"), [(0.0, "person"), (120.0, "empty")])
    def test_a_lost_seat_is_free_after_the_match_if_a_computer_played_it(self, seconds: float, after: str) -> None:
        """§6.4"""
        house = House()
        ada, bo = house.match(options(2, clock=200, window=5000, pots=1), "Ada", "Bo")
        house.lose(bo)
        house.wait(seconds)
        house.play([ada], stand)
        assert seats(ada)[1][0] == after
        house.wait(120.0)
        assert seats(ada)[1][0] == "empty"
        with pytest.raises(Unwelcome):
            house.guest("Bo")  # a person who has played is remembered
        house.wait(Limits().name_kept_days * 86_400)
        house.guest("Bo")

    def test_a_lost_watcher_has_left(self) -> None:
        house = House()
        (ada, _) = house.table(options(2), "Ada", "Bo")
        cilla = house.guest("Cilla")
        house.watch(cilla)
        house.lose(cilla)
        assert (ada.last(m.RoomChanged).news, ada.last(m.RoomChanged).room.watchers) == (m.News.LEFT, 0)

    @pytest.mark.parametrize("bots", [False, True])
    def test_the_table_waits_for_one_who_may_come_back_and_ends_after_that(self, *, bots: bool) -> None:
        house = House()
        ada, bo = house.match(options(3, computers=1, pots=99), "Ada", "Bo", bots=bots)
        cilla = house.guest("Cilla")
        house.watch(cilla)
        house.lose(ada)
        house.wait(50.0)
        house.lose(bo)
        events = len(cilla.heard)
        house.wait(599.0)
        assert len(cilla.heard) == events, "nobody is there to play"
        house.wait(1.0)
        end, closed = (message for _, message in cilla.heard[-2:])
        assert isinstance(end, m.MatchEnded)
        assert (end.winner, end.reason) == (None, NOBODY_LEFT)
        assert news(closed) is m.News.CLOSED
        assert house.lobby.place(cilla.player) is Place.LOBBY
        house.wait(120.0)
        assert house.is_quiet
        assert '"reason": "nobody is left"' in house.kept[0].lines[-1]
        house.wait(Limits().name_kept_days * 86_400)
        house.guest("Ada")

    def test_when_the_last_leaves_for_good_the_match_ends_at_once(self) -> None:
        house = House()
        ada, bo = house.match(options(3, computers=1, pots=99), "Ada", "Bo")
        house.leave(ada)
        house.leave(bo)
        assert house.is_quiet
        assert len(house.kept) == 1
        assert code(house.join(ada)) is m.RefusalCode.NO_SUCH_ROOM

    def test_when_the_last_leaves_it_waits_no_longer_for_whom_a_computer_plays(self) -> None:
        house = House()
        ada, bo = house.match(options(2, window=5000, rest=5000, pots=99), "Ada", "Bo")
        house.lose(bo)
        house.wait(120.0)
        assert ada.last(m.RoomChanged).news is m.News.STAND_IN
        house.leave(ada)
        house.wait(120.0)
        assert house.is_quiet

    def test_an_empty_room_is_gone(self) -> None:
        house = House()
        (ada,) = house.table(options(3, computers=2), "Ada")
        bo = house.guest("Bo")
        house.watch(bo)
        house.leave(ada)
        assert bo.last(m.RoomChanged).news is m.News.CLOSED
        assert code(house.join(bo)) is m.RefusalCode.NO_SUCH_ROOM

    def test_between_bots_a_match_with_a_leaver_goes_on_for_the_other(self) -> None:
        house = House()
        ada, bo = house.match(options(3, computers=1), "Ada", "Bo", bots=True)
        house.leave(ada)
        house.play([bo], stand)
        assert bo.last(m.MatchEnded).winner is not None


class TestNextMatch:
    def test_whoever_has_heard_the_end_may_be_ready(self) -> None:
        """§6.4"""
        house = House()
        ada, bo = house.match(options(2), "Ada", "Bo", bots=True)
        house.play([ada, bo], stand)
        last = [message for _, message in bo.heard[-2:]]
        assert [type(message) for message in last] == [m.MatchEnded, m.RoomChanged]
        assert news(last[1]) is m.News.ENDED
        assert code(house.ready(bo)) is None

    def test_the_room_is_open_again_and_the_deal_moves_on(self) -> None:
        """Rule S5; §6.4."""
        house = House()
        ada, bo, cilla = house.match(options(4, computers=1), "Ada", "Bo", "Cilla", bots=True)
        house.play([ada, bo, cilla], stand)
        last_dealer = ada.last(m.HandBegan).dealer
        ended = ada.last(m.RoomChanged)
        assert ended.news is m.News.ENDED
        assert ended.room.status is m.RoomStatus.OPEN
        assert [seat.ready for seat in ended.room.seats] == [False, True, False, False]
        hands = len(ada.all(m.HandBegan))
        for guest in (ada, bo, cilla):
            house.ready(guest)
        first = ada.all(m.HandBegan)[hands]
        assert (first.hand, first.dealer) == (1, (last_dealer + 1) % 4)

    def test_questions_go_on_counting(self) -> None:
        house = House()
        guests = house.match(options(2), "Ada", "Bo", bots=True)
        for _ in range(2):
            house.play(guests, stand)
            house.start(guests[0])
        turns = [message.turn for message in guests[0].all(m.Turn)]
        assert turns == sorted(set(turns))

    def test_whoever_comes_between_sees_the_last_table_as_a_spectator_did(self) -> None:
        house = House()
        ada, bo = house.match(options(2), "Ada", "Bo", bots=True)
        house.play([ada, bo], stand)
        house.leave(bo)
        house.join(bo)
        view = bo.last(m.Snapshot).view
        assert view is not None
        assert view.seat is None
        assert view.phase is m.Phase.OVER
        assert view.points == ada.last(m.MatchEnded).points


def test_chat_goes_to_all_and_is_safe_to_print() -> None:
    house = House()
    ada, bo = house.table(options(3), "Ada", "Bo")
    cilla = house.guest("Cilla")
    house.watch(cilla)
    house.do(cilla, lambda k: m.Say(id=k, text="\x1b[2Jhej\u202e"))
    for guest in (ada, bo, cilla):
        assert (guest.last(m.Said).who, guest.last(m.Said).text) == ("Cilla", "\ufffd[2Jhej\ufffd")
    house.do(ada, lambda k: m.Say(id=k, text="\U0001d160" * 200))
    assert len(bo.last(m.Said).text) <= 200
    assert cilla.last(m.Said).seq == bo.last(m.Said).seq
