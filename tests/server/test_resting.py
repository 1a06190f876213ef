"""§7.9: between two hands a table waits for the persons who are here, and for nobody and nothing else."""

from pathlib import Path

import pytest

from kille_net.game.cards import Card
from kille_net.wire import messages as m
from tests.server.house import Guest, House, Stacked, code, news, options, pack

MOST = 20.0
CARDS = (Card.N10, Card.N5, Card.N6)
ADA, BO, CILLA = 1, 2, 4
"""Their seats, as sets."""


def after_a_hand(
    people: int = 2, *, computers: int = 0, rest: int = 20_000, lives: int = 3
) -> tuple[House, list[Guest]]:
    """A table after its first hand, which Bo loses; with `lives` 1 he is out by it."""
    seats = people + computers
    kind = m.Format.POTS if lives == 3 else m.Format.STICKS
    house = House(shuffle=lambda: Stacked([pack(*CARDS[:seats])], seats - 1))
    room = options(seats, computers=computers, rest=rest, pots=3, kind=kind)
    guests = house.match(room, *("Ada", "Bo", "Cilla")[:people])
    for guest in guests:
        assert code(house.act(guest, m.Do.STAND)) is None
    for _ in range(2 * computers):  # each thinks, and then acts
        house.step()
    assert guests[0].all(m.Showdown)
    return house, guests


def say_next(house: House, guest: Guest, hand: int = 1) -> m.RefusalCode | None:
    return code(house.do(guest, lambda k: m.NextHand(id=k, hand=hand)))


def hands(guest: Guest) -> list[float]:
    """When each hand began."""
    return [when for when, message in guest.heard if isinstance(message, m.HandBegan)]


def rests(guest: Guest) -> list[tuple[int, int]]:
    """Whom the table waited for, and how long, as it was told."""
    return [(rest.seats, rest.ms) for rest in guest.all(m.Rest)]


class TestTheWait:
    def test_ends_when_the_time_is_over_and_no_earlier(self) -> None:
        house, (ada, bo) = after_a_hand()
        at = house.now
        house.wait(MOST - 0.001)
        assert len(hands(ada)) == 1
        house.wait(0.001)
        assert hands(ada)[1:] == hands(bo)[1:] == [at + MOST]
        assert rests(ada) == [(ADA | BO, 20_000)]

    def test_ends_as_soon_as_all_have_said_so(self) -> None:
        house, (ada, bo) = after_a_hand()
        house.wait(3.0)
        assert say_next(house, ada) is None
        house.wait(1.5)
        assert len(hands(ada)) == 1
        at = house.now
        assert say_next(house, bo) is None
        house.wait(0.0)
        assert hands(ada)[1:] == [at]
        assert rests(bo) == [(ADA | BO, 20_000), (BO, 17_000), (0, 0)]

    def test_to_say_it_twice_is_done_and_tells_nobody_anything(self) -> None:
        house, (ada, bo) = after_a_hand()
        assert say_next(house, ada) is None
        heard = len(bo.heard)
        assert say_next(house, ada) is None
        assert len(bo.heard) == heard
        house.wait(MOST - 1)
        assert len(hands(ada)) == 1

    def test_is_for_who_is_out_of_the_pot_as_well(self) -> None:
        house, (ada, bo, cilla) = after_a_hand(3, lives=1)
        assert bo.last(m.Showdown).lives[1] == 0
        assert say_next(house, ada) is None
        assert say_next(house, cilla) is None
        house.wait(1.0)
        assert rests(ada)[-1] == (BO, 20_000)
        assert len(hands(ada)) == 1
        assert say_next(house, bo) is None
        house.wait(0.0)
        assert len(hands(ada)) == 2

    def test_is_for_no_computer(self) -> None:
        house, (ada,) = after_a_hand(1, computers=1)
        assert rests(ada) == [(ADA, 20_000)]
        assert say_next(house, ada) is None
        house.wait(0.0)
        assert len(hands(ada)) == 2

    def test_is_not_begun_for_bots_alone_though_somebody_looks_on(self) -> None:
        house = House(shuffle=lambda: Stacked([pack(*CARDS[:2])], 1))
        ada, bo = house.table(options(2, rest=20_000, pots=3), "Ada", "Bo", bots=True)
        house.watch(watcher := house.guest("Doris"))
        house.start(ada)
        at = house.now
        for bot in (ada, bo):
            house.act(bot, m.Do.STAND)
        assert hands(watcher) == [at, at]
        assert not watcher.all(m.Rest)

    def test_is_not_begun_where_the_room_wants_none(self) -> None:
        _, (ada, _) = after_a_hand(rest=0)
        assert len(hands(ada)) == 2
        assert not ada.all(m.Rest)

    def test_is_for_the_persons_beside_a_bot_which_may_say_it_too(self) -> None:
        house = House(shuffle=lambda: Stacked([pack(*CARDS[:2])], 1))
        ada, bo = house.guest("Ada"), house.guest("Bo", bot=True)
        house.create(ada, options(2, rest=20_000, pots=3))
        house.join(bo)
        house.start(ada)
        for guest in (ada, bo):
            house.act(guest, m.Do.STAND)
        assert rests(bo) == [(ADA, 20_000)]
        assert say_next(house, bo) is None
        house.wait(1.0)
        assert len(hands(ada)) == 1
        assert say_next(house, ada) is None
        house.wait(0.0)
        assert len(hands(ada)) == 2

    def test_is_also_between_two_pots_and_never_after_the_last(self) -> None:
        house, (ada, bo) = after_a_hand(2, lives=1)
        assert ada.all(m.PotWon)
        assert rests(ada) == [(ADA | BO, 20_000)]
        guests = [ada, bo]
        house.play(guests, lambda question: m.Do.STAND if question.legal & 1 else m.Do.REFUSE)
        ends = len(ada.all(m.Rest))
        assert ends == len(ada.all(m.HandBegan)) - 1
        assert say_next(house, ada, ada.last(m.HandBegan).hand) is m.RefusalCode.NOT_PLAYING

    def test_is_not_begun_within_a_hand_though_cards_were_turned_up(self) -> None:
        """§11.8: a tie in a duel is dealt again in the same hand."""
        tie, other = pack(Card.N6, Card.N6), pack(*CARDS[:2])
        house = House(shuffle=lambda: Stacked([tie, other], 1))
        ada, bo = house.match(options(2, kind=m.Format.STICKS, rest=20_000, pots=3), "Ada", "Bo")
        for guest in (ada, bo):
            house.act(guest, m.Do.STAND)
        assert ada.last(m.CardsThrown).reason is m.RedealReason.TIE
        assert not ada.all(m.Rest)
        for guest in (ada, bo):
            house.act(guest, m.Do.STAND)
        assert rests(ada) == [(ADA | BO, 20_000)]


class TestRefusals:
    def test_another_hand_is_none_that_one_waits_after(self) -> None:
        house, (ada, _) = after_a_hand()
        for hand in (0, 2):
            assert say_next(house, ada, hand) is m.RefusalCode.OLD_TURN
        assert rests(ada) == [(ADA | BO, 20_000)]

    def test_what_comes_late_deals_no_other_hand(self) -> None:
        house, (ada, bo) = after_a_hand()
        house.wait(MOST)
        for guest in (ada, bo):
            assert say_next(house, guest, 1) is m.RefusalCode.OLD_TURN
            assert say_next(house, guest, 2) is m.RefusalCode.OLD_TURN

    def test_it_races_the_end_of_the_time_in_one_order_only(self) -> None:
        house, (ada, bo) = after_a_hand()
        house.now += MOST  # and nobody has looked since
        assert say_next(house, ada) is m.RefusalCode.OLD_TURN
        assert len(hands(bo)) == 2

    def test_it_counts_as_a_command_only_where_it_is_not_waited_for(self) -> None:
        house, (ada, _) = after_a_hand()
        (room,) = house.lobby.rooms
        awaited = m.NextHand(id=1, hand=1)
        assert room.is_answer(ada.player, awaited)
        assert not room.is_answer(ada.player, m.NextHand(id=1, hand=2))
        say_next(house, ada)
        assert not room.is_answer(ada.player, awaited)


class TestComingAndGoing:
    def test_who_is_lost_is_not_waited_for(self) -> None:
        house, (ada, bo) = after_a_hand()
        say_next(house, ada)
        house.wait(2.0)
        at = house.now
        house.lose(bo)
        house.wait(0.0)
        assert rests(ada) == [(ADA | BO, 20_000), (BO, 20_000), (0, 0)]
        assert hands(ada)[1:] == [at]

    def test_who_comes_back_is_waited_for_again(self) -> None:
        house, (ada, bo) = after_a_hand()
        house.lose(bo)
        house.wait(5.0)
        at_once = house.come_back(bo)
        snapshot = next(message for message in at_once if isinstance(message, m.Snapshot))
        assert snapshot.rest == m.OpenRest(hand=1, seats=ADA, ms=15_000), "what the last event said"
        assert rests(bo)[-1] == rests(ada)[-1] == (ADA | BO, 15_000)
        say_next(house, ada)
        house.wait(1.0)
        assert len(hands(ada)) == 1
        say_next(house, bo)
        house.wait(0.0)
        assert len(hands(ada)) == 2

    def test_what_it_had_said_stays_said(self) -> None:
        house, (_, bo) = after_a_hand()
        say_next(house, bo)
        house.lose(bo)
        house.come_back(bo)
        assert rests(bo)[-1][0] == ADA

    def test_who_leaves_for_good_is_not_waited_for(self) -> None:
        house, (ada, bo) = after_a_hand()
        say_next(house, ada)
        house.leave(bo)
        house.wait(0.0)
        assert len(hands(ada)) == 2

    def test_a_person_who_is_alone_and_lost_finds_the_table_as_it_was(self) -> None:
        house, (ada,) = after_a_hand(1, computers=1)
        house.wait(4.0)
        house.lose(ada)
        house.wait(90.0)
        (room,) = house.lobby.rooms
        assert room.play.match is not None
        assert room.play.match.match.number == 1
        house.come_back(ada)
        assert rests(ada)[-1] == (ADA, 16_000)
        at = house.now
        house.wait(MOST)
        assert hands(ada)[1:] == [at + 16.0]

    def test_who_begins_to_watch_is_told_of_it(self) -> None:
        house, (ada, _) = after_a_hand()
        say_next(house, ada)
        house.wait(2.5)
        house.watch(doris := house.guest("Doris"))
        assert doris.last(m.Snapshot).rest == m.OpenRest(hand=1, seats=BO, ms=17_500)


class TestStandstill:
    def test_a_pause_stops_the_time_exactly(self) -> None:
        house, (ada, bo) = after_a_hand()
        house.wait(4.25)
        house.pause(ada)
        house.wait(500.0)
        assert say_next(house, ada) is m.RefusalCode.PAUSED
        assert rests(bo) == [(ADA | BO, 20_000)]
        house.pause(ada, paused=False)
        assert rests(bo)[1:] == [(ADA | BO, 15_750)]
        at = house.now
        house.wait(MOST)
        assert hands(ada)[1:] == [at + 15.75]

    def test_a_server_that_stops_deals_no_more_and_waits_for_nobody(self) -> None:
        house, (ada, bo) = after_a_hand()
        house.lobby.drain()
        assert house.lobby.hands == 0
        assert say_next(house, ada) is None
        assert say_next(house, bo) is None
        house.wait(MOST + 10)
        assert len(hands(ada)) == 1

    def test_a_hand_that_ends_while_the_server_stops_is_followed_by_no_wait(self) -> None:
        house = House(shuffle=lambda: Stacked([pack(*CARDS[:2])], 1))
        ada, bo = house.match(options(2, rest=20_000, pots=3), "Ada", "Bo")
        house.lobby.drain()
        for guest in (ada, bo):
            house.act(guest, m.Do.STAND)
        assert bo.all(m.Showdown)
        assert not bo.all(m.Rest)
        assert say_next(house, ada) is m.RefusalCode.OLD_TURN


def kept_after_a_hand(folder: Path) -> tuple[House, list[Guest]]:
    """The same, of a server that keeps everything."""
    house = House(data=folder)
    guests = house.match(options(2, rest=20_000, pots=3), "Ada", "Bo")
    play_hand(house, guests, 1)
    return house, guests


def play_hand(house: House, guests: list[Guest], number: int) -> None:
    """All stand until that hand is over."""
    while not any(rest.hand == number for rest in guests[0].all(m.Rest)):
        for guest in guests:
            if guest.all(m.Question) and guest.last(m.Question).turn == guest.last(m.Turn).turn:
                house.act(guest, m.Do.STAND)


class TestRestart:
    @pytest.mark.parametrize("said", [False, True])
    def test_the_wait_begins_anew_when_all_are_back(self, tmp_path: Path, *, said: bool) -> None:
        house, (ada, bo) = kept_after_a_hand(tmp_path)
        house.wait(12.0)
        if said:
            say_next(house, ada)
        house.restart()
        house.wait(3.0)
        for guest in (ada, bo):
            guest.heard.clear()
            house.come_back(guest)
        assert ada.last(m.Snapshot).rest is None, "everybody is away at first"
        assert ada.last(m.Rest) == bo.last(m.Rest)
        assert rests(bo)[-1] == (BO if said else ADA | BO, 20_000), "what was said is kept"
        at = house.now
        assert say_next(house, ada) is None
        house.wait(MOST)
        assert hands(ada) == [at + MOST]
        assert not house.faults

    def test_all_had_said_it_when_the_server_was_killed(self, tmp_path: Path) -> None:
        house, guests = kept_after_a_hand(tmp_path)
        for guest in guests:
            say_next(house, guest)
        house.restart()
        house.wait(1.0)
        for guest in guests:
            guest.heard.clear()
            house.come_back(guest)
        house.wait(0.0)
        assert [hands(guest) for guest in guests] == [[house.now]] * 2

    def test_what_was_said_after_one_hand_is_not_said_after_the_next(self, tmp_path: Path) -> None:
        house, guests = kept_after_a_hand(tmp_path)
        for guest in guests:
            say_next(house, guest)
        house.wait(0.0)
        play_hand(house, guests, 2)
        house.restart()
        for guest in guests:
            house.come_back(guest)
        assert rests(guests[0])[-1] == (ADA | BO, 20_000)

    def test_it_is_not_for_who_does_not_come(self, tmp_path: Path) -> None:
        house, (ada, bo) = kept_after_a_hand(tmp_path)
        house.restart()
        house.come_back(ada)
        assert say_next(house, ada) is None
        ada.heard.clear()
        house.wait(14.999)
        assert not hands(ada), "the table waits for its players first"
        house.wait(0.001)
        assert hands(ada) == [house.now]
        assert [news(message) for message in bo.all(m.RoomChanged)][-1] is not m.News.BACK
