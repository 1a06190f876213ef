"""A server that is killed and started again: every room that played goes on as it was."""

import json
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import pytest

from kille_net.game import rules
from kille_net.game.replay import verify
from kille_net.game.shuffle import Material
from kille_net.server import chronicle
from kille_net.server.limits import Limits
from kille_net.server.register import Unwelcome
from kille_net.server.room import NOBODY_LEFT
from kille_net.server.saving import PlayerKept, Saved
from kille_net.wire import messages as m
from kille_net.wire.states import Place
from tests.catalogue.rows import row
from tests.server.house import Guest, House, Stander, choices, code, options

GATHER = Limits().gather


def first(question: m.Question) -> m.Do:
    """Always swaps, so that much happens."""
    legal = choices(question)
    return m.Do.SWAP if m.Do.SWAP in legal else legal[-1]


def answer_all(house: House, guests: Sequence[Guest], answered: dict[Guest, int]) -> bool:
    """Let one who owes an answer give it; whether somebody did."""
    for guest in guests:
        if guest.all(m.Question) and guest.turn > answered[guest]:
            answered[guest] = guest.turn
            house.act(guest, first(guest.last(m.Question)))
            return True
    return False


def play(folder: Path, room_options: m.Options, restart_after: int | None) -> tuple[House, int]:
    """A match of two people with computers; how many things happened in it, after one of which the server is killed."""
    house = House(data=folder, computer=lambda _: Stander())
    guests = house.match(room_options, "Ada", "Bo")
    answered = dict.fromkeys(guests, 0)
    happened = 0
    while not house.kept:
        if not answer_all(house, guests, answered):
            house.step()
        happened += 1
        if happened == restart_after:
            house.restart()
            for guest in guests:
                house.come_back(guest)
            answered = dict.fromkeys(guests, 0)  # an answer that waited for the end of a window is given again
    return house, happened


def hands(house: House) -> list[object]:
    """All that the record tells, but for times."""
    lines = [json.loads(line) for line in house.kept[0].lines]
    for line in lines:
        for action in line.get("actions", ()):
            del action["t"]
    return lines


TABLES = {
    "quick": options(4, computers=2, pots=1),
    "slow": options(3, computers=1, clock=60, window=800, pace=500, rest=2000, pots=1),
    "sticks": options(3, computers=1, pots=2, kind=m.Format.STICKS),
}


class TestAtAnyMoment:
    """Hands, lives, packs and questions are those that would have been without the kill."""

    @pytest.mark.parametrize("name", TABLES)
    def test_the_match_ends_as_it_would_have(self, name: str, tmp_path: Path) -> None:
        whole, happened = play(tmp_path / "whole", TABLES[name], None)
        for moment in range(1, happened, max(1, happened // 8)):
            killed, _ = play(tmp_path / str(moment), TABLES[name], moment)
            assert hands(killed) == hands(whole), moment
            assert not killed.faults
            assert verify(killed.kept[0].lines).error is None

    def test_the_questions_have_the_numbers_that_they_had(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        guests = house.match(options(2, clock=60), "Ada", "Bo")
        for _ in range(3):
            one = max(guests, key=lambda guest: guest.turn if guest.all(m.Question) else 0)
            before = one.last(m.Question)
            house.wait(20.0)
            house.restart()
            told = [house.come_back(guest) for guest in guests]
            again = next(message for heard in told for message in heard if isinstance(message, m.Question))
            assert (again.turn, again.view, again.legal) == (before.turn, before.view, before.legal)
            assert again.ms == 60_000, "its whole time"
            house.act(one, m.Do.STAND)


class TestClocks:
    @row(49)
    def test_wait_for_those_who_are_not_back_yet(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        ada, bo = house.match(options(2, clock=60), "Ada", "Bo")
        asked, other = (ada, bo) if ada.all(m.Question) else (bo, ada)
        house.restart()
        house.come_back(other)
        house.wait(GATHER - 0.001)
        assert not other.all(m.Late), "no default is taken while the table waits"
        house.wait(0.001)
        assert other.all(m.Late)
        assert house.lobby.place(asked.player) is Place.SEATED

    def test_go_on_with_all_their_time_when_all_are_back(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        ada, bo = house.match(options(2, clock=60), "Ada", "Bo")
        house.restart()
        house.come_back(ada)
        house.wait(10.0)
        house.come_back(bo)
        assert ada.last(m.Turn).ms == 60_000
        house.wait(59.999)
        assert not ada.all(m.Late)
        house.wait(0.001)
        assert ada.all(m.Late)

    def test_wait_no_longer_when_the_match_ends_before_all_are_back(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        guests = house.match(options(2, clock=60, pots=1, kind=m.Format.STICKS), "Ada", "Bo")
        ahead, dealer = sorted(guests, key=lambda guest: not guest.all(m.Question))
        house.act(ahead, m.Do.STAND)
        house.restart()
        house.come_back(dealer)
        house.act(dealer, m.Do.STAND)
        assert house.kept
        house.wait(Limits().away)
        assert house.lobby.place(ahead.player) is Place.LOBBY

    def test_stand_still_where_nobody_comes_back_until_the_match_is_broken_off(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        house.match(options(2, clock=5), "Ada", "Bo")
        house.restart()
        house.wait(Limits().empty - 1)
        assert not house.kept
        house.wait(1.0)
        assert json.loads(house.kept[0].lines[-1])["reason"] == NOBODY_LEFT

    def test_of_a_pause_stand_still(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        ada, bo = house.match(options(2, clock=5), "Ada", "Bo")
        house.pause(ada)
        house.restart()
        for guest in (ada, bo):
            house.come_back(guest)
        house.wait(100.0)
        assert ada.last(m.Snapshot).room.status is m.RoomStatus.PAUSED
        assert not ada.all(m.Late)
        house.pause(ada, paused=False)
        house.wait(5.0)
        assert ada.all(m.Late)

    def test_of_a_pause_that_ends_still_wait_for_who_is_not_back(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        ada, _ = house.match(options(2, clock=5), "Ada", "Bo")
        house.pause(ada)
        house.restart()
        house.come_back(ada)
        house.pause(ada, paused=False)
        house.wait(GATHER - 0.1)
        assert not ada.all(m.Late)

    def test_between_hands_take_their_rest(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        ada, bo = house.match(options(2, clock=60, rest=4000), "Ada", "Bo")
        while not ada.all(m.Showdown):
            asked = max((ada, bo), key=lambda guest: guest.turn if guest.all(m.Question) else 0)
            house.act(asked, m.Do.STAND)
        house.restart()
        house.come_back(ada)
        house.come_back(bo)
        house.wait(3.999)
        assert len(ada.all(m.HandBegan)) == 1
        house.wait(0.001)
        assert len(ada.all(m.HandBegan)) == 2


class TestSeats:
    def test_of_an_absent_player_keep_the_stand_in_and_are_handed_back(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        ada, bo = house.match(options(2, clock=60, pots=2), "Ada", "Bo")
        house.lose(bo)
        house.wait(120.0)
        house.restart()
        house.come_back(ada)
        assert ada.last(m.Snapshot).room.seats[1].away == 0, "a computer plays"
        house.come_back(bo)
        house.play([ada, bo], first)
        assert bo.all(m.Question), "its next question is its own"
        assert house.lobby.place(bo.player) is Place.SEATED

    def test_in_a_room_that_has_not_begun_are_kept_for_a_while(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        ada, bo = house.table(options(3), "Ada", "Bo")
        house.restart()
        house.come_back(ada)
        assert [seat.name for seat in ada.last(m.Snapshot).room.seats] == ["Ada", "Bo", ""]
        house.wait(Limits().away)
        assert [seat.name for seat in ada.last(m.RoomChanged).room.seats] == ["Ada", "", ""]
        assert house.lobby.place(bo.player) is Place.LOBBY

    def test_are_given_up_by_those_who_were_kicked_or_left(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        ada, bo = house.match(options(2, clock=60, pots=99), "Ada", "Bo")
        house.kick(ada, 1)
        house.restart()
        assert house.lobby.place(bo.player) is Place.LOBBY
        house.come_back(ada)
        assert ada.last(m.Snapshot).room.seats[1].occupant is m.Occupant.COMPUTER

    def test_of_watchers_are_theirs_again(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        house.match(options(2, clock=60), "Ada", "Bo")
        cilla = house.guest("Cilla")
        house.watch(cilla)
        house.restart()
        house.come_back(cilla)
        assert house.lobby.place(cilla.player) is Place.WATCHING
        assert cilla.last(m.Snapshot).view is not None

    def test_a_password_is_asked_of_newcomers_only(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        ada = house.guest("Ada")
        house.create(ada, options(2), password="hemligt")
        house.restart()
        house.come_back(ada)
        assert house.lobby.place(ada.player) is Place.SEATED
        bo = house.guest("Bo")
        assert code(house.join(bo, password="annat")) is m.RefusalCode.WRONG_PASSWORD
        assert isinstance(house.join(bo, password="hemligt"), m.Ok)


class TestPlayers:
    def test_are_known_by_their_tickets_and_not_by_others(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        ada, _ = house.match(options(2), "Ada", "Bo")
        house.restart()
        with pytest.raises(Unwelcome):
            house.lobby.find("0" * 64)
        with pytest.raises(Unwelcome) as caught:
            house.lobby.enter("ada", is_bot=False)
        assert caught.value.code is m.ByeCode.NAME_TAKEN
        assert house.lobby.find(ada.ticket).name == "Ada"

    def test_who_have_played_are_remembered_for_a_month_and_others_shortly(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        ada, bo = house.match(options(2), "Ada", "Bo")
        cilla = house.guest("Cilla")
        for guest in (ada, bo):
            house.leave(guest)
        for guest in (ada, bo, cilla):
            house.lose(guest)
        house.wait(60.0)
        house.restart()
        house.wait(Limits().away - 60.0)
        with pytest.raises(Unwelcome):
            house.lobby.find(cilla.ticket)
        house.wait(Limits().name_kept_days * 86_400 - 121.0)
        assert house.lobby.find(ada.ticket) is ada.player
        house.wait(2.0)
        with pytest.raises(Unwelcome):
            house.lobby.find(ada.ticket)

    def test_who_was_here_for_long_and_watched_or_waited_comes_back(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        house.match(options(2, clock=60), "Ada", "Bo")
        cilla, david = house.guest("Cilla"), house.guest("David")
        house.watch(cilla)
        house.wait(Limits().away + 100.0)
        house.restart()
        house.wait(Limits().away - 1.0)
        for guest, place in ((cilla, Place.WATCHING), (david, Place.LOBBY)):
            house.come_back(guest)
            assert house.lobby.place(guest.player) is place

    def test_who_has_made_as_many_rooms_as_may_be_makes_no_more(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        others = [house.guest(f"B{number}") for number in range(5)]
        ada = house.guest("Ada")
        for number, other in enumerate(others):
            house.create(ada, options(2), f"R{number}")
            house.join(other, f"R{number}")
            house.leave(ada)
        house.restart()
        house.come_back(ada)
        assert code(house.create(ada, options(2), "R9")) is m.RefusalCode.TOO_MANY_ROOMS

    def test_a_number_is_never_given_twice(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        house.guest("Ada")
        bo = house.guest("Bo")
        last = bo.player.id
        house.lose(bo, is_done=True)
        del house.guests[bo.player]
        house.restart()
        assert house.guest("Cilla").player.id > last

    @row(49)
    def test_a_command_that_comes_again_is_answered_as_it_was(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        ada, bo = house.match(options(2, clock=60), "Ada", "Bo")
        asked = ada if ada.all(m.Question) else bo
        question = asked.last(m.Question)
        house.act(asked, m.Do.STAND)
        number = house.last_id
        house.restart()
        house.come_back(ada)
        house.come_back(bo)
        events = asked.seq
        effects = house.lobby.command(asked.player, m.Decide(id=number, turn=question.turn, do=m.Do.SWAP), house.now)
        house.carry(effects)
        assert asked.heard[-1][1] == m.Ok(id=number)
        assert asked.seq == events, "it is not done twice"
        assert asked.player.answers.last_id == number

    def test_the_answers_before_the_last_are_old(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        ada = house.guest("Ada")
        house.create(ada, options(2))
        for number in range(150):
            house.ready(ada, ready=number % 2 == 0)
        last = house.last_id
        house.restart()
        for number in (1, last - 64):
            house.carry(house.lobby.command(ada.player, m.Leave(id=number), house.now))
        house.come_back(ada)
        for number, known in ((last - 64, False), (last - 63, True)):
            house.carry(house.lobby.command(ada.player, m.Leave(id=number), house.now))
            answer = ada.heard[-1][1]
            assert (answer == m.Ok(id=number)) is known
        assert house.lobby.place(ada.player) is Place.SEATED


class TestOtherRules:
    """record.md: a match of another `rules_version` is not judged anew."""

    def test_end_a_match_with_a_reason_and_its_record_whole(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        house = House(data=tmp_path)
        ada, bo = house.match(options(3, computers=1, pots=3), "Ada", "Bo")
        answered = {ada: 0, bo: 0}
        while not ada.all(m.PotWon) or ada.seq < ada.all(m.PotWon)[-1].seq + 8:
            if not answer_all(house, (ada, bo), answered):
                house.step()
        points = ada.all(m.PotWon)[-1].points
        monkeypatch.setattr("kille_net.server.play.RULES_VERSION", rules.RULES_VERSION + 1)
        house.restart()
        lines = [json.loads(line) for line in house.kept[0].lines]
        assert lines[-1]["reason"] == chronicle.OTHER_RULES
        assert lines[-1]["points"] == list(points)
        assert "cards" not in lines[-2], "the hand that was under way"
        assert verify(house.kept[0].lines).error is None
        house.come_back(ada)
        assert ada.last(m.Snapshot).room.status is m.RoomStatus.OPEN
        assert isinstance(house.leave(ada), m.Ok)
        house.restart()
        assert len(house.kept) == 1, "it ends once"

    def test_do_not_disturb_a_room_whose_match_is_over(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        house = House(data=tmp_path)
        guests = house.match(options(2), "Ada", "Bo")
        house.play(guests, first)
        monkeypatch.setattr("kille_net.server.play.RULES_VERSION", rules.RULES_VERSION + 1)
        house.restart()
        for guest in guests:
            house.come_back(guest)
            house.ready(guest)
        assert len(guests[0].all(m.HandBegan)) > 0
        assert len(house.kept) == 1


class TestDrawnShuffle:
    """§7.8"""

    @staticmethod
    def house(folder: Path) -> tuple[House, list[Guest]]:
        numbers = count(1)
        house = House(data=folder, shuffle=lambda: Material(b"s" * 32, next(numbers).to_bytes(16, "big")))
        guests = house.table(options(2, clock=60), "Ada", "Bo")
        for guest in guests:
            house.ready(guest)
        return house, guests

    def test_goes_on_with_its_packs_and_is_shown_at_the_end(self, tmp_path: Path) -> None:
        house, guests = self.house(tmp_path)
        house.wait(5.0)  # nobody gives a nonce
        before = house.room("Room").snapshot(guests[0].player)
        house.restart()
        for guest in guests:
            house.come_back(guest)
        after = guests[0].last(m.Snapshot)
        assert (after.view, after.match) == (before.view, 1)
        assert guests[0].last(m.ShuffleState).nonces == (None, None)
        house.play(guests, first)
        assert guests[0].last(m.SecretRevealed).secret == (b"s" * 32).hex()
        assert verify(house.kept[0].lines).error is None

    def test_that_was_not_drawn_when_it_ended_is_void(self, tmp_path: Path) -> None:
        house, guests = self.house(tmp_path)
        assert guests[0].all(m.ShuffleBegan)
        house.restart()
        for guest in guests:
            house.come_back(guest)
            house.ready(guest)
        assert guests[0].last(m.Snapshot).match == 0
        started = guests[0].all(m.ShuffleBegan)
        assert len({one.match for one in started}) == 2, "drawn anew"


class TestRooms:
    def test_go_on_with_the_last_table_before_them(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        guests = house.match(options(2), "Ada", "Bo")
        house.play(guests, first)
        before = house.room("Room").snapshot(guests[0].player)
        assert before.view is not None
        last_to_come = before.view.dealer
        house.restart()
        told = house.come_back(guests[0])
        assert isinstance(told[0], m.Snapshot)
        assert (told[0].view, told[0].match) == (before.view, 1)
        house.come_back(guests[1])
        for guest in guests:
            house.ready(guest)
        assert guests[0].all(m.HandBegan)[-1].dealer == (last_to_come + 1) % 2, "the deal moves on"

    def test_that_make_no_sense_end_alone(self, tmp_path: Path) -> None:
        house = House(data=tmp_path)
        ada, bo = house.match(options(2, clock=60), "Ada", "Bo")
        cilla = house.guest("Cilla")
        house.create(cilla, options(2), "Other")
        house.act(ada if ada.all(m.Question) else bo, m.Do.STAND)
        assert house.store is not None
        house.store._db.execute("DELETE FROM step WHERE n = 0")
        house.restart()
        assert len(house.faults) == 1
        assert house.lobby.place(ada.player) is Place.LOBBY
        assert house.lobby.place(cilla.player) is Place.SEATED
        house.restart()
        assert len(house.faults) == 1, "it is gone for good"


def test_nothing_saved_is_a_lobby_as_new() -> None:
    house = House()
    assert house.lobby.restore(Saved(), house.now) == []
    assert house.guest("Ada").player.id == 1


def test_what_is_kept_of_tickets_is_in_no_text() -> None:
    assert "\\x01" not in repr(PlayerKept(id=1, name="Ada", is_bot=False, is_here=True, digests=(b"\x01" * 32,)))
