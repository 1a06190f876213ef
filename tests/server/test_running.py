"""A match in a room: questions and their numbers, windows, deadlines, pauses, Kuku, computers. Times are exact."""

import itertools
import json
from random import Random

import pytest

from kille_net.bots.simple import RandomBot
from kille_net.game.actions import DEFAULTS, Action, Phase
from kille_net.game.cards import Card
from kille_net.game.events import Dealt, Swapped
from kille_net.game.replay import verify
from kille_net.game.rules import MAX_ASKS
from kille_net.server.people import Computer
from kille_net.wire import messages as m
from tests.server.house import Guest, House, Stacked, Stander, choices, code, options, pack

LOW, MID, HIGH = Card.N1, Card.N6, Card.N12


def table(room_options: m.Options, *cards: Card, bots: bool = False) -> tuple[House, list[Guest]]:
    """A match whose seat 0 speaks first: the cards in the order of the seats, then the top of the talon."""
    dealer = room_options.seats - 1
    house = House(shuffle=lambda: Stacked([pack(*cards)], dealer))
    players = room_options.seats - room_options.computers
    return house, house.match(room_options, *("Ada", "Bo", "Cilla", "Doris")[:players], bots=bots)


def kinds(messages: list[m.ServerMessage]) -> list[str]:
    return [type(message).__name__ for message in messages]


class TestQuestions:
    def test_begin_with_the_hand_the_deal_and_a_turn_for_all_and_an_ask_for_one(self) -> None:
        _, (ada, bo, cilla) = table(options(3, clock=30, window=1500), LOW, MID, HIGH)
        assert kinds([message for _, message in ada.heard[-4:]]) == ["HandBegan", "Dealt", "Turn", "Question"]
        assert kinds([message for _, message in bo.heard[-3:]]) == ["HandBegan", "Dealt", "Turn"]
        assert ada.last(m.Turn) == bo.last(m.Turn) == cilla.last(m.Turn)
        turn, ask = ada.last(m.Turn), ada.last(m.Question)
        assert (turn.turn, turn.seat, turn.phase, turn.ms, turn.window) == (1, 0, m.Phase.TURN, 30_000, 1500)
        assert (ask.turn, ask.seq, ask.ms) == (1, turn.seq, 30_000)
        assert ask.view.cards == (int(LOW), None, None)
        assert choices(ask) == [m.Do.STAND, m.Do.SWAP, m.Do.ASK]
        assert [guest.last(m.Dealt).cards for guest in (ada, bo, cilla)] == [
            (int(LOW), None, None),
            (None, int(MID), None),
            (None, None, int(HIGH)),
        ]

    def test_are_answered_ok_before_what_follows(self) -> None:
        house, (ada, bo) = table(options(2), LOW, MID)
        ada.new()
        assert code(house.act(ada, m.Do.SWAP)) is None
        assert kinds(ada.new()) == ["Ok", "Swapped", "Turn"]
        assert kinds(bo.new())[-3:] == ["Swapped", "Turn", "Question"]

    def test_refuse_with_the_first_reason_that_holds(self) -> None:
        house, (ada, bo, cilla) = table(options(3), LOW, MID, HIGH)
        refused = m.RefusalCode
        assert code(house.act(ada, m.Do.STAND, 0)) is refused.OLD_TURN
        assert code(house.act(bo, m.Do.STAND, 7)) is refused.OLD_TURN
        assert code(house.act(bo, m.Do.STAND, 1)) is refused.NOT_YOUR_TURN
        assert code(house.act(bo, m.Do.ACCEPT, 1)) is refused.NOT_ASKED
        assert code(house.act(ada, m.Do.ACCEPT, 1)) is refused.NOT_ASKED
        assert code(house.act(ada, m.Do.ASK, 1)) is None
        assert code(house.act(cilla, m.Do.STAND, 2)) is refused.MUST_ANSWER
        assert code(house.act(cilla, m.Do.ACCEPT, 2)) is refused.WRONG_ANSWER
        assert code(house.act(cilla, m.Do.DEPENDS, 2)) is None
        assert code(house.act(bo, m.Do.DEPENDS, 3)) is refused.WRONG_ANSWER
        assert code(house.act(bo, m.Do.REFUSE, 3)) is None
        assert code(house.act(ada, m.Do.ASK, 4)) is refused.CANNOT_ASK
        assert code(house.act(ada, m.Do.STAND, 4)) is None
        assert code(house.act(ada, m.Do.STAND, 4)) is refused.OLD_TURN

    def test_of_a_seat_without_lives(self) -> None:
        lowest_to_seat_0 = [(LOW, MID, HIGH), (MID, HIGH, LOW), (MID, LOW, HIGH), (MID, HIGH)]
        house = House(shuffle=lambda: Stacked([pack(*cards) for cards in lowest_to_seat_0], 2))
        guests = house.match(options(3), "Ada", "Bo", "Cilla")
        for _ in range(9):
            turn = guests[0].last(m.Turn)
            assert code(house.act(guests[turn.seat], m.Do.STAND, turn.turn)) is None
        assert guests[0].last(m.HandBegan).lives == (0, 3, 3)
        assert code(house.act(guests[0], m.Do.STAND, guests[0].last(m.Turn).turn)) is m.RefusalCode.NOT_IN_HAND
        assert code(house.kuku(guests[0])) is m.RefusalCode.NOT_IN_HAND

    def test_are_no_hand_while_the_table_rests(self) -> None:
        house, (ada, bo) = table(options(2, rest=5000), LOW, HIGH)
        house.act(ada, m.Do.STAND)
        house.act(bo, m.Do.STAND)
        assert bo.all(m.Showdown)
        assert code(house.act(ada, m.Do.STAND, 1)) is m.RefusalCode.NO_HAND
        assert code(house.kuku(ada)) is m.RefusalCode.NO_HAND
        at = house.now
        house.wait(4.9)
        assert len(ada.all(m.HandBegan)) == 1
        house.wait(0.1)
        assert ada.heard[-1][0] == at + 5.0
        assert len(ada.all(m.HandBegan)) == 2

    def test_without_a_match_or_after_it(self) -> None:
        house = House()
        ada, _ = house.table(options(2), "Ada", "Bo")
        assert code(house.act(ada, m.Do.STAND, 1)) is m.RefusalCode.NOT_PLAYING
        assert code(house.kuku(ada)) is m.RefusalCode.NOT_PLAYING


class TestWindow:
    def test_holds_an_answer_until_its_end_and_answers_it_then(self) -> None:
        house, (ada, bo) = table(options(2, window=1500), LOW, MID)
        house.wait(0.5)
        bo.new()
        assert house.act(ada, m.Do.SWAP) is None
        held = house.last_id
        assert bo.new() == []
        assert code(house.act(ada, m.Do.STAND)) is m.RefusalCode.ALREADY_ANSWERED
        house.wait(0.999)
        assert bo.new() == []
        began = house.now
        house.wait(0.001)
        assert kinds(bo.new()) == ["Swapped", "Turn", "Question"]
        assert bo.heard[-1][0] == pytest.approx(began + 0.001)
        assert ada.answers(held) == [m.Ok(id=held)]

    def test_over_an_answer_takes_effect_at_once(self) -> None:
        house, (ada, bo) = table(options(2, window=1500), LOW, MID)
        house.wait(1.5)
        assert code(house.act(ada, m.Do.SWAP)) is None
        assert kinds(bo.new())[-3:] == ["Swapped", "Turn", "Question"]

    def test_an_answer_at_its_very_end_takes_effect(self) -> None:
        house, (ada, _) = table(options(2, window=1500), LOW, MID)
        house.now += 1.5
        assert code(house.act(ada, m.Do.SWAP)) is None

    def test_a_kuku_in_it_overtakes(self) -> None:
        house, (ada, bo, cilla) = table(options(3, window=1500), LOW, MID, Card.KUKU)
        assert house.act(ada, m.Do.STAND) is None
        held = house.last_id
        house.wait(1.0)
        ada.new()
        cilla.new()
        assert code(house.kuku(cilla)) is None
        assert kinds(cilla.new())[:3] == ["Ok", "KukuCalled", "Showdown"]
        assert kinds(ada.new())[:3] == ["Refused", "KukuCalled", "Showdown"]
        assert code(ada.answers(held)[0]) is m.RefusalCode.OVERTAKEN
        assert bo.last(m.Showdown).struck == 0

    def test_ones_own_kuku_overtakes_ones_own_answer(self) -> None:
        house, (ada, _, _) = table(options(3, window=1500), Card.KUKU, MID, LOW)
        assert house.act(ada, m.Do.STAND) is None
        held = house.last_id
        assert code(house.kuku(ada)) is None
        assert code(ada.answers(held)[0]) is m.RefusalCode.OVERTAKEN

    def test_a_kuku_after_its_end_comes_after_the_answer_also_if_nobody_looked_at_the_clock(self) -> None:
        house, (ada, _, cilla) = table(options(3, window=1500), LOW, MID, Card.KUKU)
        assert house.act(ada, m.Do.STAND) is None
        held = house.last_id
        house.now += 1.5
        assert code(house.kuku(cilla)) is None
        assert ada.answers(held) == [m.Ok(id=held)]
        assert len(cilla.all(m.Stood)) == 1

    def test_a_false_kuku_is_nobody_elses_business(self) -> None:
        house, (ada, bo, cilla) = table(options(3, window=1500), LOW, MID, Card.KUKU)
        before = (ada.heard[:], cilla.heard[:])
        assert code(house.kuku(bo)) is m.RefusalCode.NO_KUKU
        assert (ada.heard, cilla.heard) == before

    def test_a_kuku_that_was_meant_for_cards_dealt_before_ends_no_hand(self) -> None:
        """§7.7"""
        house, (ada, bo) = table(options(2, kind=m.Format.STICKS, window=1500), Card.KUKU, MID, Card.KUKU, HIGH)
        seen = ada.seq
        house.wait(1.5)
        house.act(ada, m.Do.ASK)
        house.wait(1.5)
        house.act(bo, m.Do.ACCEPT)
        assert ada.last(m.Dealt).cards == (int(Card.KUKU), None)
        dealt = ada.last(m.Dealt).seq
        for seq in (0, seen, dealt - 1, ada.seq + 1):
            for guest in (ada, bo):  # whatever they hold
                assert code(house.kuku(guest, seq)) is m.RefusalCode.OLD_TURN
        assert code(house.kuku(bo, dealt)) is m.RefusalCode.NO_KUKU
        assert len(ada.all(m.HandBegan)) == 1
        assert code(house.kuku(ada, dealt)) is None

    def test_a_kuku_is_refused_for_the_first_reason_that_holds(self) -> None:
        """§7.7"""
        house, (ada, bo) = table(options(2, rest=5000, pots=2), LOW, MID)
        house.pause(ada)
        assert code(house.kuku(bo, 0)) is m.RefusalCode.PAUSED
        house.pause(ada, paused=False)
        house.act(ada, m.Do.STAND)
        house.act(bo, m.Do.STAND)
        assert code(house.kuku(bo, 0)) is m.RefusalCode.OLD_TURN
        assert code(house.kuku(bo)) is m.RefusalCode.NO_HAND

    def test_there_is_none_between_bots(self) -> None:
        house, (ada, _) = table(options(3, computers=1, window=1500), LOW, MID, HIGH, bots=True)
        assert ada.last(m.Turn).window == 0
        assert code(house.act(ada, m.Do.STAND)) is None

    def test_runs_while_a_better_cards_question_is_open_too(self) -> None:
        house, (ada, bo) = table(options(2, window=1500), LOW, MID)
        house.wait(1.5)
        house.act(ada, m.Do.ASK)
        assert (bo.last(m.Turn).phase, bo.last(m.Turn).window) == (m.Phase.ASKED, 1500)
        assert house.act(bo, m.Do.REFUSE) is None
        house.wait(1.5)
        assert ada.last(m.Question).view.can_ask is False


class TestDeadline:
    @pytest.mark.parametrize("phase", DEFAULTS, ids=lambda phase: phase.value)
    def test_gives_the_default_of_every_question(self, phase: Phase) -> None:
        house, guests = table(options(3, clock=10), LOW, MID, HIGH)
        ada, _, cilla = guests
        if phase is not Phase.TURN:
            house.act(ada, m.Do.ASK)
        if phase is Phase.MIDDLE:
            house.act(cilla, m.Do.DEPENDS)
        asked_at = house.now
        assert ada.last(m.Turn).phase.value == phase.value
        number = ada.last(m.Turn).turn
        house.wait(9.999)
        assert ada.last(m.Turn).turn == number
        house.wait(0.001)
        assert ada.last(m.Turn).turn == number + 1
        assert ada.heard[-1][0] == pytest.approx(asked_at + 10.0)
        if DEFAULTS[phase] is Action.STAND:
            assert ada.last(m.Stood).seat == 0
        else:
            assert ada.last(m.AskAnswered).do is m.Do.REFUSE
        told = [message for _, message in ada.heard if isinstance(message, m.Event)]
        late, default = told[-3:-1]
        assert isinstance(late, m.Late)
        assert isinstance(default, m.Stood | m.AskAnswered)
        assert late.seat == default.seat == {Phase.TURN: 0, Phase.ASKED: 2, Phase.MIDDLE: 1}[phase]
        assert len(ada.all(m.Late)) == 1

    def test_an_answer_in_time_is_not_late(self) -> None:
        house, (ada, bo) = table(options(2, clock=10, window=2000), LOW, MID)
        house.act(ada, m.Do.STAND)
        house.wait(2.0)
        assert bo.all(m.Stood)
        assert not bo.all(m.Late)

    def test_every_question_has_a_default(self) -> None:
        assert set(DEFAULTS) == set(Phase) - {Phase.DEAL, Phase.OVER}

    def test_is_decided_once_whoever_comes_first(self) -> None:
        house, (ada, _) = table(options(2, clock=10), LOW, MID)
        house.now += 10.0  # nobody has looked at the clock yet
        assert code(house.act(ada, m.Do.SWAP, 1)) is m.RefusalCode.OLD_TURN
        assert ada.last(m.Stood).seat == 0
        house, (ada, bo) = table(options(2, clock=10), LOW, MID)
        house.now += 9.999
        assert code(house.act(ada, m.Do.SWAP, 1)) is None
        house.wait(1.0)
        assert not bo.all(m.Stood)

    def test_does_not_fall_on_an_answer_that_is_held(self) -> None:
        house, (ada, bo) = table(options(2, clock=1, window=5000), LOW, MID)
        assert ada.last(m.Question).ms == 5000
        house.wait(4.0)
        house.act(ada, m.Do.SWAP)
        house.wait(1.0)
        assert bo.all(m.Swapped)

    def test_only_the_late_seat_pays(self) -> None:
        house, (ada, bo) = table(options(2, clock=10), LOW, MID)
        house.wait(10.0)
        assert bo.last(m.Question).ms == 10_000
        assert code(house.act(bo, m.Do.STAND)) is None
        assert ada.last(m.Showdown).struck == 0

    def test_there_is_none_without_a_clock(self) -> None:
        house, (ada, _) = table(options(2), LOW, MID)
        assert ada.last(m.Question).ms == 0
        house.wait(100_000.0)
        assert ada.last(m.Turn).turn == 1


class TestPause:
    @pytest.mark.parametrize("before", [0.0, 0.5, 1.5, 4.0])
    def test_stops_the_clock_to_the_moment(self, before: float) -> None:
        house, (ada, bo) = table(options(2, clock=10, window=2000), LOW, MID)
        house.wait(before)
        for _ in range(3):
            house.pause(ada)
            house.wait(1000.0)
            house.pause(ada, paused=False)
        assert ada.last(m.Turn).turn == 1
        assert ada.last(m.Turn).ms == round((10 - before) * 1000)
        assert ada.last(m.Turn).window == max(0, round((2 - before) * 1000))
        assert ada.last(m.Question).ms == ada.last(m.Turn).ms
        assert ada.last(m.Question).seq == ada.last(m.Turn).seq
        house.wait(10.0 - before - 0.001)
        assert bo.last(m.Turn).turn == 1
        house.wait(0.001)
        assert bo.last(m.Turn).turn == 2

    def test_keeps_what_is_held_and_does_not_ask_for_it_again(self) -> None:
        house, (ada, _) = table(options(2, clock=10, window=2000), LOW, MID)
        house.wait(1.0)
        house.act(ada, m.Do.SWAP)
        held = house.last_id
        asks = len(ada.all(m.Question))
        house.pause(ada)
        house.wait(60.0)
        assert ada.answers(held) == []
        number, seq = ada.last(m.Turn).turn, ada.last(m.Turn).seq
        house.pause(ada, paused=False)
        assert len(ada.all(m.Question)) == asks
        assert (ada.last(m.Turn).turn, ada.last(m.Turn).window) == (number, 1000)
        assert ada.last(m.Turn).seq > seq
        assert code(house.act(ada, m.Do.STAND)) is m.RefusalCode.ALREADY_ANSWERED
        house.wait(0.999)
        assert ada.answers(held) == []
        house.wait(0.001)
        assert ada.answers(held) == [m.Ok(id=held)]

    def test_stops_the_rest_between_hands(self) -> None:
        house, (ada, bo) = table(options(2, rest=5000), LOW, HIGH)
        house.act(ada, m.Do.STAND)
        house.act(bo, m.Do.STAND)
        house.wait(2.0)
        house.pause(ada)
        house.wait(100.0)
        house.pause(ada, paused=False)
        house.wait(2.999)
        assert len(ada.all(m.HandBegan)) == 1
        house.wait(0.001)
        assert len(ada.all(m.HandBegan)) == 2

    def test_stops_a_computers_pause(self) -> None:
        house, (ada,) = table(options(2, computers=1, pace=1000), LOW, MID)
        house.act(ada, m.Do.STAND)
        house.wait(0.25)
        house.pause(ada)
        house.wait(100.0)
        house.pause(ada, paused=False)
        house.wait(0.749)
        assert not ada.all(m.Showdown)
        house.wait(0.001)
        assert ada.all(m.Showdown)


class TestAway:
    def test_a_lost_seat_answers_by_default_when_the_window_ends(self) -> None:
        house, (ada, bo, _) = table(options(3, clock=60, window=1500), LOW, MID, HIGH)
        house.wait(0.5)
        house.lose(ada)
        house.wait(0.999)
        assert not bo.all(m.Stood)
        house.wait(0.001)
        assert bo.last(m.Stood).seat == 0

    def test_what_it_had_answered_counts(self) -> None:
        house, (ada, bo, _) = table(options(3, clock=60, window=1500), LOW, MID, HIGH)
        house.act(ada, m.Do.SWAP)
        house.lose(ada)
        house.wait(1.5)
        assert bo.last(m.Swapped).seat == 0

    def test_whoever_leaves_with_an_answer_held_hears_that_it_was_overtaken(self) -> None:
        house, (ada, bo, _) = table(options(3, clock=60, window=1500), LOW, MID, HIGH)
        house.act(ada, m.Do.SWAP)
        held = house.last_id
        house.leave(ada)
        assert code(ada.answers(held)[0]) is m.RefusalCode.OVERTAKEN
        house.wait(1.5)
        assert bo.last(m.Turn).turn == 2

    def test_a_question_that_comes_is_told_to_all_as_any(self) -> None:
        house, (ada, bo, cilla) = table(options(3, clock=60, window=1500), LOW, MID, HIGH)
        house.lose(bo)
        house.wait(1.5)
        house.act(ada, m.Do.STAND)
        turn = cilla.last(m.Turn)
        assert (turn.seat, turn.ms, turn.window) == (1, 60_000, 1500)
        house.wait(1.499)
        assert cilla.last(m.Turn) == turn
        house.wait(0.001)
        assert cilla.last(m.Turn).seat == 2


class TestComputers:
    def test_see_what_their_seat_may_and_nothing_else(self) -> None:
        computer = Stander()
        house = House(shuffle=lambda: Stacked([pack(LOW, MID)], 1), computer=lambda _: computer)
        (ada,) = house.match(options(2, computers=1), "Ada")
        house.act(ada, m.Do.SWAP)
        house.wait(0)
        assert computer.events[1:3] == [Dealt((None, MID)), Swapped(0, 1, LOW, MID)]
        assert ada.last(m.Showdown).cards == (int(MID), int(LOW))

    @pytest.mark.parametrize(("chance", "expected"), [(0.0, 0.5), (0.5, 1.0), (0.999, 1.499)])
    def test_take_about_their_pace_while_a_person_plays(self, chance: float, expected: float) -> None:
        house = House(shuffle=lambda: Stacked([pack(LOW, MID)], 1), chance=lambda: chance)
        (ada,) = house.match(options(2, computers=1, pace=1000), "Ada")
        at = house.now
        house.act(ada, m.Do.STAND)
        house.wait(2.0)
        assert [when for when, message in ada.heard if isinstance(message, m.Showdown)] == [at + expected]

    def test_wait_for_the_window(self) -> None:
        house = House(shuffle=lambda: Stacked([pack(LOW, MID, HIGH)], 2), computer=lambda _: Stander())
        (ada,) = house.match(options(3, computers=2, pace=100, window=1500), "Ada")
        house.wait(1.5)
        at = house.now
        house.act(ada, m.Do.STAND)
        house.wait(1.5)
        assert [when for when, message in ada.heard if isinstance(message, m.Stood)] == [at, at + 1.5]

    def test_take_no_time_between_themselves_and_bots(self) -> None:
        house = House(shuffle=lambda: Stacked([pack(LOW, MID, HIGH)], 2))
        (ada,) = house.match(options(3, computers=2, pace=1000, window=1500, rest=5000), "Ada", bots=True)
        at = house.now
        house.act(ada, m.Do.STAND)
        for _ in range(4):  # each of the two thinks, and then acts
            house.step()
        assert house.now == at
        assert ada.all(m.Showdown)

    def test_call_kuku_at_a_drawn_moment_in_the_window(self) -> None:
        draws = iter([0.9, 0.25, 0.9, 0.5, *itertools.repeat(0.5, 1000)])
        house = House(
            shuffle=lambda: Stacked([pack(LOW, Card.KUKU, HIGH)], 2),
            chance=lambda: next(draws),
            computer=lambda _: Stander(),
        )
        (ada,) = house.match(options(3, computers=2, window=2000, pace=100, rest=9000), "Ada")
        at = house.now
        house.wait(2.0)
        calls = [(when, message.seat) for when, message in ada.heard if isinstance(message, m.KukuCalled)]
        assert calls == [(at + 0.5, 1)]

    def test_call_in_seat_order_from_the_dealers_left_where_there_is_no_window(self) -> None:
        house = House(shuffle=lambda: Stacked([pack(LOW, Card.KUKU, Card.KUKU)], 2), computer=lambda _: Stander())
        (ada,) = house.match(options(3, computers=2), "Ada", bots=True)
        assert ada.all(m.KukuCalled)[0].seat == 1

    def test_may_keep_their_kuku(self) -> None:
        house = House(shuffle=lambda: Stacked([pack(LOW, Card.KUKU, HIGH)], 2), computer=lambda _: Stander(calls=False))
        (ada,) = house.match(options(3, computers=2), "Ada", bots=True)
        assert not ada.all(m.KukuCalled)

    def test_decline_the_hundred_and_first_ask_of_a_duel_by_the_servers_hand(self) -> None:
        house = House(shuffle=lambda: Stacked([pack(LOW, MID, HIGH)], 1))
        ada, bo = house.match(options(2, kind=m.Format.STICKS), "Ada", "Bo", bots=True)
        accepted = 0
        while True:
            assert code(house.act(ada, m.Do.ASK)) is None
            if bo.last(m.Turn).phase is not m.Phase.ASKED:
                break
            assert code(house.act(bo, m.Do.ACCEPT)) is None
            accepted += 1
        assert accepted == MAX_ASKS
        assert bo.last(m.AskAnswered) == m.AskAnswered(seq=bo.last(m.AskAnswered).seq, seat=1, do=m.Do.REFUSE)
        assert bo.last(m.Turn).seat == 0
        assert not bo.all(m.Late)
        assert ada.last(m.Question).view.can_ask is False


@pytest.mark.parametrize("kind", m.Format)
@pytest.mark.parametrize("seats", range(2, 9))
@pytest.mark.parametrize("harlekin", m.Rank)
def test_whole_matches_end_and_leave_a_true_record(kind: m.Format, seats: int, harlekin: m.Rank) -> None:
    random = Random(f"{kind}{seats}{harlekin}")

    def computer(_: m.Level) -> Computer:
        return RandomBot(random)

    people = (seats + 1) // 2
    house = House(computer=computer, chance=random.random)
    room = options(
        seats,
        computers=seats - people,
        pots=2,
        kind=kind,
        harlekin=harlekin,
        clock=20,
        window=1500,
        pace=800,
        rest=3000,
    )
    guests = house.match(room, *(f"Player {k}" for k in range(people)))
    house.play(guests, lambda question: random.choice([do for do in choices(question) if do is not m.Do.KUKU]))
    assert not house.faults
    for guest in guests:
        seqs = [message.seq for message in guest.all(m.Event)]
        start = guest.last(m.Snapshot).seq
        assert seqs == list(range(start + 1, start + 1 + len(seqs))), "no gap, nothing twice"
        assert guest.last(m.MatchEnded).winner is not None
    (kept,) = house.kept
    verdict = verify(kept.lines)
    assert verdict.error is None
    assert verdict.hands == len(guests[0].all(m.HandBegan))
    header = json.loads(kept.lines[0])
    assert [seat.get("bot") for seat in header["seats"]].count("easy") == seats - people
