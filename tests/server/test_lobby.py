"""Names, rooms, the way in, and one answer to every command."""

from collections.abc import Callable
from typing import NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kille_net.server.limits import Limits
from kille_net.server.people import COMPUTER_NAMES
from kille_net.server.register import Unwelcome
from kille_net.wire import messages as m
from kille_net.wire.states import COMMANDS, PLACES, Place
from tests.catalogue.rows import row
from tests.server.house import Guest, House, code, news, options, plan


class TestNames:
    @pytest.mark.parametrize("name", ["", " Ada", "a" * 17, "a\x1b[2J", "Ada\n", "two  gaps", "<b>"])
    def test_a_bad_name_is_not_let_in(self, name: str) -> None:
        with pytest.raises(Unwelcome) as caught:
            House().guest(name)
        assert caught.value.code is m.ByeCode.BAD_NAME

    @pytest.mark.parametrize(
        "name", ["ada", "ADA", "\uff21da", "Ad\u0430", *COMPUTER_NAMES, "M0v1tz", "Ulla 2", "U11a l0", "server"]
    )
    def test_a_name_that_looks_like_anothers_is_taken(self, name: str) -> None:
        house = House()
        house.guest("Ada")
        with pytest.raises(Unwelcome) as caught:
            house.guest(name)
        assert caught.value.code is m.ByeCode.NAME_TAKEN

    def test_the_name_of_a_bot_is_free_again_when_it_has_gone(self) -> None:
        house = House()
        house.lose(house.guest("Ada", bot=True), is_done=True)
        house.guest("ada")

    def test_a_name_is_held_for_two_minutes_after_its_line_was_lost(self) -> None:
        """§6.7"""
        house = House()
        house.lose(house.guest("Ada"))
        house.wait(119.9)
        with pytest.raises(Unwelcome):
            house.guest("ada")
        house.wait(0.1)
        house.guest("ada")

    def test_a_name_is_held_while_its_seat_is(self) -> None:
        house = House()
        _, bo = house.match(options(2, clock=60), "Ada", "Bo")
        house.lose(bo)
        with pytest.raises(Unwelcome):
            house.guest("Bo")


class TestRooms:
    def test_a_maker_gets_ok_and_a_snapshot_sits_on_seat_0_and_hosts(self) -> None:
        house = House()
        ada = house.guest("Ada")
        house.create(ada, options(4, computers=2))
        ok, snapshot = ada.new()
        assert isinstance(ok, m.Ok)
        assert isinstance(snapshot, m.Snapshot)
        assert snapshot.seq == 1
        assert snapshot.view is None
        assert snapshot.room.host == "Ada"
        assert [seat.occupant.value for seat in snapshot.room.seats] == ["person", "computer", "computer", "empty"]
        assert len({seat.name for seat in snapshot.room.seats}) == 4

    def test_whoever_joins_gets_the_state_after_the_event_that_the_others_get(self) -> None:
        house = House()
        ada, bo, cilla = house.guest("Ada"), house.guest("Bo", bot=True), house.guest("Cilla")
        house.create(ada, options(3))
        ada.new()
        house.join(bo)
        (event,) = ada.new()
        assert isinstance(event, m.RoomChanged)
        assert (event.news, event.who, event.seq) == (m.News.JOINED, "Bo", 2)
        assert [type(message) for message in bo.heard[0][1:]] == [m.Ok]
        assert bo.last(m.Snapshot).seq == 2
        assert bo.last(m.Snapshot).room == event.room
        assert event.room.seats[1].occupant is m.Occupant.BOT
        house.watch(cilla)
        assert bo.last(m.RoomChanged).news is m.News.WATCHES
        assert cilla.last(m.Snapshot).room.watchers == 1

    @pytest.mark.parametrize("name", ["", "a" * 17, "\u202eroom", " "])
    def test_the_name_of_a_room_is_checked_as_any_name(self, name: str) -> None:
        house = House()
        assert code(house.create(house.guest("Ada"), options(), name)) is m.RefusalCode.BAD_NAME

    def test_the_name_of_a_room_is_its_own(self) -> None:
        house = House()
        house.create(house.guest("Ada"), options(), "Krogen")
        assert code(house.create(house.guest("Bo"), options(), "KROGEN")) is m.RefusalCode.ROOM_EXISTS
        assert code(house.join(house.guest("Cilla"), "krogen")) is None

    def test_one_seat_is_the_makers(self) -> None:
        house = House()
        ada = house.guest("Ada")
        assert code(house.create(ada, options(2, computers=2))) is m.RefusalCode.ROOM_FULL
        assert house.lobby.place(ada.player) is Place.LOBBY

    def test_there_is_a_bound_on_rooms(self) -> None:
        house = House(limits=Limits(rooms=2))
        house.create(house.guest("Ada"), options(), "one")
        bo = house.guest("Bo")
        house.create(bo, options(), "two")
        cilla = house.guest("Cilla")
        assert code(house.create(cilla, options(), "three")) is m.RefusalCode.TOO_MANY_ROOMS
        house.leave(bo)
        assert code(house.create(cilla, options(), "three")) is None

    @row(20)
    def test_there_is_a_bound_on_the_rooms_that_one_has_made(self) -> None:
        """Those that others keep; its own is gone when nobody is left."""
        house = House()
        ada = house.guest("Ada")
        for k in range(5):
            house.create(ada, options(), f"room {k}")
            house.join(house.guest(f"Guest {k}"), f"room {k}")
            house.leave(ada)
        assert code(house.create(ada, options(), "one more")) is m.RefusalCode.TOO_MANY_ROOMS
        assert code(house.create(house.guest("Bo"), options(), "one more")) is None
        house.leave(next(guest for player, guest in house.guests.items() if player.name == "Guest 3"))
        assert code(house.create(ada, options(), "room 3")) is None

    def test_a_full_room_a_playing_room_and_none(self) -> None:
        house = House()
        house.table(options(2), "Ada", "Bo")
        cilla = house.guest("Cilla")
        assert code(house.join(cilla)) is m.RefusalCode.ROOM_FULL
        assert code(house.join(cilla, "other")) is m.RefusalCode.NO_SUCH_ROOM
        assert code(house.watch(cilla, "other")) is m.RefusalCode.NO_SUCH_ROOM
        house = House()
        house.match(options(2), "Ada", "Bo")
        cilla = house.guest("Cilla")
        assert code(house.join(cilla)) is m.RefusalCode.PLAYING
        assert code(house.watch(cilla)) is None

    def test_a_locked_room_wants_its_password_of_everybody(self) -> None:
        house = House()
        ada, bo = house.guest("Ada"), house.guest("Bo")
        house.create(ada, options(3), password="spader")
        assert ada.last(m.Snapshot).room.locked
        for wrong in (None, "", "Spader", "\ud800"):
            assert code(house.join(bo, password=wrong)) is m.RefusalCode.WRONG_PASSWORD
            assert code(house.watch(bo, password=wrong)) is m.RefusalCode.WRONG_PASSWORD
        assert code(house.join(bo, password="spader")) is None

    def test_a_room_without_a_password_asks_for_none(self) -> None:
        """§6.3"""
        house = House()
        house.create(house.guest("Ada"), options(3))
        assert code(house.join(house.guest("Bo"), password="spader")) is None
        assert code(house.watch(house.guest("Cilla"), password="spader")) is None

    def test_who_may_watch(self) -> None:
        house = House(limits=Limits(watchers=1))
        house.create(house.guest("Ada"), options(watching=m.Watching.NOBODY))
        assert code(house.watch(house.guest("Bo"))) is m.RefusalCode.WATCHING_CLOSED
        house.create(house.guest("Cilla"), options(), "open")
        assert code(house.watch(house.guest("Doris"), "open")) is None
        assert code(house.watch(house.guest("Eva"), "open")) is m.RefusalCode.ROOM_FULL


class TestList:
    def test_comes_in_pages_of_ten_by_name(self) -> None:
        house = House()
        for k in reversed(range(23)):
            house.create(house.guest(f"Host {k}"), options(4, computers=1), f"Room {k:02}")
        ada = house.guest("Ada")
        pages = [house.rooms(ada, page) for page in range(4)]
        lists = [page for page in pages if isinstance(page, m.Rooms)]
        assert [len(page.rooms) for page in lists] == [10, 10, 3, 0]
        assert {page.pages for page in lists} == {3}
        names = [line.name for page in lists for line in page.rooms]
        assert names == [f"Room {k:02}" for k in range(23)]
        assert (lists[0].rooms[0].taken, lists[0].rooms[0].seats) == (2, 4)

    def test_is_one_empty_page_when_there_is_nothing(self) -> None:
        house = House()
        answer = house.rooms(house.guest("Ada"), 0)
        assert answer == m.Rooms(id=1, page=0, pages=1, rooms=())


# --- one answer to every command ------------------------------------------------------------------------------------

SAMPLES: dict[type[m.Message], Callable[[int], m.Command]] = {
    m.ListRooms: lambda k: m.ListRooms(id=k, page=0),
    m.Create: lambda k: m.Create(id=k, room=f"New {k}", options=options(), password=None),
    m.Join: lambda k: m.Join(id=k, room="Room", password=None),
    m.Quick: lambda k: m.Quick(id=k, seats=None, format=None, length=None),
    m.Watch: lambda k: m.Watch(id=k, room="Room", password=None),
    m.Leave: lambda k: m.Leave(id=k),
    m.Ready: lambda k: m.Ready(id=k, ready=True),
    m.Start: lambda k: m.Start(id=k),
    m.Pause: lambda k: m.Pause(id=k, paused=True),
    m.AddComputers: lambda k: m.AddComputers(id=k, count=1, level=m.Level.EASY),
    m.RemoveComputer: lambda k: m.RemoveComputer(id=k, seat=2),
    m.Kick: lambda k: m.Kick(id=k, seat=1),
    m.Decide: lambda k: m.Decide(id=k, turn=1, do=m.Do.STAND),
    m.CallKuku: lambda k: m.CallKuku(id=k, seq=0),
    m.CommitNonce: lambda k: m.CommitNonce(id=k, match="0" * 32, commit="0" * 64),
    m.RevealNonce: lambda k: m.RevealNonce(id=k, match="0" * 32, nonce="0" * 64),
    m.NextHand: lambda k: m.NextHand(id=k, hand=1),
    m.Say: lambda k: m.Say(id=k, text="hej"),
    m.ListTournaments: lambda k: m.ListTournaments(id=k, page=0),
    m.OpenTournament: lambda k: m.OpenTournament(id=k, tournament="Cup", plan=plan()),
    m.SignUp: lambda k: m.SignUp(id=k, tournament="Cup"),
    m.Withdraw: lambda k: m.Withdraw(id=k),
    m.CheckIn: lambda k: m.CheckIn(id=k),
    m.BeginTournament: lambda k: m.BeginTournament(id=k, tournament="Cup"),
    m.CancelTournament: lambda k: m.CancelTournament(id=k, tournament="Cup"),
    m.AskStandings: lambda k: m.AskStandings(id=k, tournament="Cup", page=0),
    m.AskTables: lambda k: m.AskTables(id=k, tournament="Cup", round=0, page=0),
    m.Follow: lambda k: m.Follow(id=k, tournament="Cup", on=True),
}


def test_there_is_a_sample_of_every_command() -> None:
    assert set(SAMPLES) == set(COMMANDS)


@pytest.mark.parametrize("kind", COMMANDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("place", Place, ids=lambda place: place.value)
@pytest.mark.parametrize("is_playing", [False, True], ids=["open", "playing"])
def test_a_command_means_something_only_in_its_places(*, kind: type[m.Message], place: Place, is_playing: bool) -> None:
    house = House()
    seats = options(3, computers=1) if is_playing else options(4, computers=1)
    ada, bo = house.table(seats, "Ada", "Bo")
    if is_playing:
        house.start(ada)
    who = bo if place is Place.SEATED else house.guest("Cilla")
    if place is Place.WATCHING:
        house.watch(who)
    before = ada.heard[:]
    answer = house.do(who, SAMPLES[kind])
    refusal = code(answer)
    assert (refusal is m.RefusalCode.WRONG_PLACE) == (place not in PLACES[kind])
    if refusal is not None:
        assert ada.heard == before, "a refusal is nobody else's business"


@given(data=st.data())
def test_every_command_gets_exactly_one_answer_and_a_refused_one_changes_nothing(data: st.DataObject) -> None:
    """§5.3"""
    house = House()
    guests = [house.guest(name, bot=name in "CD") for name in "ABCDE"]
    house.create(guests[0], options(3, clock=5, window=1000, rest=500, pace=700))
    sent: list[tuple[Guest, int]] = []
    often: list[type[m.Message]] = [*SAMPLES, m.Decide, m.Decide, m.Ready, m.Join]
    for _ in range(data.draw(st.integers(0, 60))):
        guest = data.draw(st.sampled_from(guests))
        kind: type[m.Message] = data.draw(st.sampled_from(often))
        if data.draw(st.booleans()):
            house.wait(data.draw(st.sampled_from([0.25, 1.0, 5.0])))
        heard = sum(len(other.heard) for other in guests)
        if kind is m.Decide and guest.all(m.Question):
            answer = house.act(guest, m.Do.SWAP)
        elif kind is m.Create:
            answer = house.create(guest, options(3))
        else:
            answer = house.do(guest, SAMPLES[kind])
        sent.append((guest, house.last_id))
        if isinstance(answer, m.Refused) and not house.was_due:
            assert sum(len(other.heard) for other in guests) == heard + 1
    for guest in guests:  # an answer that is held waits for the end of a pause
        house.pause(guest, paused=False)
    house.wait(100.0)
    assert all(len(guest.answers(command_id)) == 1 for guest, command_id in sent)
    assert not house.faults


# --- a room that breaks down ----------------------------------------------------------------------------------------


def _break(*_: object) -> NoReturn:
    raise KeyError("kuku")


class TestBrokenRoom:
    def test_ends_alone_and_its_people_are_in_the_lobby(self, monkeypatch: pytest.MonkeyPatch) -> None:
        house = House()
        ada, bo = house.match(options(2, clock=60), "Ada", "Bo")
        cilla, doris = house.guest("Cilla"), house.guest("Doris")
        house.create(cilla, options(2), "other")
        room = house.lobby._rooms._of[ada.player]

        assert room.play.match is not None
        monkeypatch.setattr(room.play.match, "_announce", _break)
        asked = ada if ada.all(m.Question) else bo
        house.watch(doris)
        seq = doris.last(m.Snapshot).seq
        assert code(house.act(asked, m.Do.STAND)) is m.RefusalCode.NO_SUCH_ROOM
        assert [type(error) for error in house.faults] == [KeyError]
        for guest in (ada, bo, doris):
            last = guest.last(m.RoomChanged)
            assert (last.news, last.seq) == (m.News.FAILED, seq + 1)
            assert house.lobby.place(guest.player) is Place.LOBBY
        assert code(house.create(ada, options(2))) is None
        assert code(house.join(bo, "other")) is None

    def test_answers_what_waited(self, monkeypatch: pytest.MonkeyPatch) -> None:
        house = House()
        guests = house.match(options(2, window=1000), "Ada", "Bo")
        asked = next(guest for guest in guests if guest.all(m.Question))
        assert house.act(asked, m.Do.STAND) is None
        room = house.lobby._rooms._of[asked.player]
        assert room.play.match is not None
        monkeypatch.setattr(room.play.match, "_announce", _break)
        house.wait(1.0)
        assert code(asked.last(m.Refused)) is m.RefusalCode.NO_SUCH_ROOM

    def test_that_cannot_even_say_so_parts_from_its_people(self, monkeypatch: pytest.MonkeyPatch) -> None:
        house = House()
        ada, bo = house.table(options(2), "Ada", "Bo")
        room = house.lobby._rooms._of[ada.player]
        monkeypatch.setattr(room, "state", _break)
        assert code(house.ready(ada)) is m.RefusalCode.NO_SUCH_ROOM
        assert set(house.parted) == {ada.player, bo.player}
        assert house.lobby.place(ada.player) is Place.LOBBY
        assert len(house.faults) == 2

    @pytest.mark.parametrize("method", ["command", "tick", "lose", "come_back"])
    def test_may_do_so_anywhere(self, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
        house = House()
        ada, bo = house.match(options(2, clock=5), "Ada", "Bo")
        room = house.lobby._rooms._of[ada.player]
        monkeypatch.setattr(room, method, _break)
        match method:
            case "command":
                assert code(house.ready(ada)) is m.RefusalCode.NO_SUCH_ROOM
            case "tick":
                house.wait(5.0)
            case "come_back":
                house.lose(bo)
                house.come_back(bo)
            case _:
                house.lose(bo)
        assert news(ada.heard[-1][1]) is m.News.FAILED
        assert house.lobby.place(bo.player) is Place.LOBBY
        house.wait(120.0)
        assert house.is_quiet
