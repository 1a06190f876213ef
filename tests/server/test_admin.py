"""What whoever runs a server may ask of it, and what those who are meant notice of that."""

import errno
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest
import trio
import trio.testing

from kille_net.game.cards import Card
from kille_net.server.admin import COMMANDS, answerer
from kille_net.server.bans import BanList
from kille_net.server.channel import Refused
from kille_net.server.limits import Limits
from kille_net.server.room import BY_OPERATOR
from kille_net.server.serve import Config
from kille_net.server.sources import Sources
from kille_net.wire import messages as m
from tests.server.house import House, Stacked, Stander, choices, drawn_tickets, options, pack
from tests.server.scheduling.house import plan
from tests.server.streams import Client, Hall, hall
from tests.server.test_serve import served

Clock = trio.testing.MockClock


def quiet() -> Sources:
    """No card ends a hand by itself."""
    return Sources(
        shuffle=lambda: Stacked([pack(Card.N3, Card.N7)], dealer=1),
        chance=lambda: 0.5,
        computer=lambda _: Stander(),
        ticket=drawn_tickets(),
    )


async def ask(place: Hall, command: str, **arguments: str) -> Any:  # noqa: ANN401  any value of JSON
    return await answerer(place.server)({"command": command, **arguments})


async def refused(place: Hall, command: str, **arguments: Any) -> str:  # noqa: ANN401  any value of JSON
    with pytest.raises(Refused) as caught:
        await ask(place, command, **arguments)
    return caught.value.code


async def two_at_a_table(place: Hall) -> tuple[Client, Client]:
    """A match under way; the first is asked."""
    ada, bo = await place.guest("Ada"), await place.guest("Bo")
    room = options(2, pots=5)
    assert isinstance(await ada.ask(lambda k: m.Create(id=k, room="Room", options=room, password=None)), m.Ok)
    assert isinstance(await bo.ask(lambda k: m.Join(id=k, room="Room", password=None)), m.Ok)
    assert isinstance(await ada.ask(lambda k: m.Start(id=k)), m.Ok)
    await ada.until(m.Question)
    await bo.until(m.Turn)
    return ada, bo


def ticket_of(client: Client) -> str | None:
    return next(message for message in client.heard if isinstance(message, m.Welcome)).ticket


def code_of(message: m.ServerMessage | None) -> m.ByeCode | None:
    return message.code if isinstance(message, m.Bye) else None


async def test_it_shows_rooms_and_players_and_no_card(autojump_clock: Clock) -> None:
    async with hall(sources=quiet()) as place:
        assert (await ask(place, "rooms"), await ask(place, "players")) == ([], [])
        await two_at_a_table(place)
        await place.guest("Robot", bot=True)
        (room,) = await ask(place, "rooms")
        assert room | {"match": "", "host": ""} == {
            "name": "Room", "status": "playing", "seats": ["Ada", "Bo"], "watchers": 0, "host": "", "locked": False,
            "match": "",
        }  # fmt: skip
        assert len(room["match"]) == 32
        players = {player["name"]: player for player in await ask(place, "players")}
        assert players["Ada"] == {
            "name": "Ada", "bot": False, "here": True, "address": "", "room": "Room", "place": "seated",
        }  # fmt: skip
        assert (players["Robot"]["bot"], players["Robot"]["room"], players["Robot"]["place"]) == (True, "", "lobby")
        status = await ask(place, "status")
        assert (status["players"], status["rooms"], status["matches"], status["stopping"]) == (3, 1, 1, False)


async def test_a_player_who_is_kicked_hears_why_and_keeps_the_seat(autojump_clock: Clock) -> None:
    async with hall(sources=quiet()) as place:
        ada, bo = await two_at_a_table(place)
        assert await ask(place, "kick", name="ADA") is None
        assert code_of(await ada.end()) is m.ByeCode.KICKED
        assert (await bo.until(m.RoomChanged)).news is m.News.LOST
        again, welcome = await place.back(ticket_of(ada))
        assert welcome.resumed is m.Resumed.ROOM
        seat = (await again.until(m.Snapshot)).room.seats[0]
        assert (seat.name, seat.occupant, seat.away) == ("Ada", m.Occupant.PERSON, None)
        assert await refused(place, "kick", name="Erik") == "no_such_player"


async def test_a_bug_in_what_is_asked_is_counted_and_a_refusal_is_not(
    autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_: object) -> None:
        raise RuntimeError

    async with hall(sources=quiet()) as place:
        assert await refused(place, "close", room="Room") == "no_such_room"
        assert place.server.counts.faults == 0
        monkeypatch.setattr(place.server, "close_room", breaks)
        with pytest.raises(RuntimeError):
            await ask(place, "close", room="Room")
        assert place.server.counts.faults == 1


async def test_a_player_who_is_not_connected_cannot_be_kicked(autojump_clock: Clock) -> None:
    async with hall(sources=quiet()) as place:
        ada, _ = await two_at_a_table(place)
        await ada.stream.aclose()
        await trio.testing.wait_all_tasks_blocked()
        assert await refused(place, "kick", name="Ada") == "not_here"


async def test_who_is_banned_by_name_loses_the_seat_and_does_not_come_in_again(autojump_clock: Clock) -> None:
    async with hall(sources=quiet()) as place:
        ada, bo = await two_at_a_table(place)
        assert await ask(place, "ban", who="ada") == {"banned": "ada", "sent_away": ["Ada"]}
        assert code_of(await ada.end()) is m.ByeCode.BANNED
        news = await bo.until(m.RoomChanged)
        assert (news.news, news.who) == (m.News.KICKED, "Ada")
        await bo.until(m.Stood)  # a computer plays on
        for name in ("Ada", "\u0410da"):  # …and a look-alike
            assert code_of(await place.connect().hello(name)) is m.ByeCode.BANNED
        assert code_of(await place.connect().hello("Cecilia", ticket=ticket_of(ada))) is m.ByeCode.BAD_TICKET
        assert await ask(place, "bans") == ["ada"]
        assert await ask(place, "unban", who="ADA") is None
        assert await refused(place, "unban", who="ADA") == "not_banned"
        assert isinstance(await place.connect().hello("Ada"), m.Welcome)


@pytest.mark.parametrize("where", ["lobby", "watching", "away"])
async def test_a_ban_reaches_a_player_anywhere(where: str, autojump_clock: Clock) -> None:
    async with hall(sources=quiet()) as place:
        _, bo = await two_at_a_table(place)
        erik = await place.guest("Erik")
        if where == "watching":
            assert isinstance(await erik.ask(lambda k: m.Watch(id=k, room="Room", password=None)), m.Ok)
        if where == "away":
            await erik.stream.aclose()
            await trio.testing.wait_all_tasks_blocked()
        await ask(place, "ban", who="Erik")
        if where == "watching":
            assert (await bo.until(m.RoomChanged)).news is m.News.WATCHES
            assert (await bo.until(m.RoomChanged)).news is m.News.KICKED
        assert [player["name"] for player in await ask(place, "players")] == ["Ada", "Bo"]
        assert code_of(await place.connect().hello("x", ticket=ticket_of(erik))) is m.ByeCode.BAD_TICKET


async def test_an_address_that_is_banned_is_not_let_in_and_who_came_from_it_is_sent_away() -> None:
    async with served(Config(port=0)) as town:
        ada = await town.guest("Ada")
        admin = answerer(town.server)
        (player,) = await admin({"command": "players"})
        assert player["address"] == "127.0.0.1"
        assert await admin({"command": "ban", "who": "::ffff:127.0.0.1"}) == {
            "banned": "127.0.0.1",
            "sent_away": ["Ada"],
        }
        assert code_of(await ada.end()) is m.ByeCode.BANNED
        assert code_of(await (await town.connect()).hello("Bo")) is m.ByeCode.BANNED


def test_a_ban_list_knows_names_by_their_looks_and_addresses_by_their_blocks() -> None:
    bans = BanList(["Ada", "10.0.0.7", "2001:db8::5"])
    assert bans.bans == ("Ada", "10.0.0.7", "2001:db8::/64")
    assert BanList(bans.bans).bans == bans.bans
    assert bans.has("ADA", "")
    assert bans.has("Bo", "2001:db8::/64")
    assert not bans.has("Bo", "10.0.0.8")
    assert not bans.has("10.0.0.7", "")
    with pytest.raises(ValueError, match="a/b"):
        bans.add("a/b")


async def test_a_room_that_is_closed_tells_its_people_why_once(autojump_clock: Clock) -> None:
    async with hall(sources=quiet()) as place:
        ada, bo = await two_at_a_table(place)
        assert await ask(place, "close", room="ROOM") is None
        assert await refused(place, "close", room="Room") == "no_such_room"
        for client in (ada, bo):
            end = await client.until(m.MatchEnded)
            assert (end.winner, end.reason) == (None, BY_OPERATOR)
            assert (await client.until(m.RoomChanged)).news is m.News.CLOSED
            assert isinstance(await client.ask(lambda k: m.ListRooms(id=k, page=0)), m.Rooms)
        assert await ask(place, "rooms") == []


@pytest.mark.parametrize("steps", range(0, 60, 3))
def test_a_room_may_be_closed_at_any_point_and_more_than_once(steps: int) -> None:
    house = House()
    guests = house.match(options(3, computers=1, window=900, pace=900, rest=900, clock=3, pots=1), "Ada", "Bo")
    for _ in range(steps):
        if house.lobby.deadline() is not None:
            house.step()
        for guest in guests:
            if guest.all(m.Question) and steps % 2:
                house.act(guest, choices(guest.last(m.Question))[0])
    for _ in range(3):
        house.carry(house.lobby.close("Room", house.now) or [])
    house.wait(1000.0)
    for guest in guests:
        assert len(guest.all(m.MatchEnded)) == 1
        assert [news.news for news in guest.all(m.RoomChanged)].count(m.News.CLOSED) == 1
        sent = house.last_id
        answered = [message.id for _, message in guest.heard if isinstance(message, m.Answer)]
        assert len(answered) == len(set(answered)) <= sent
    assert (house.lobby.rooms, house.faults, len(house.kept)) == ((), [], 1)


async def test_an_announcement_is_counted_by_who_hears_it(autojump_clock: Clock) -> None:
    async with hall() as place:
        ada = await place.guest("Ada")
        await place.guest("Bo")
        place.connect()
        assert await ask(place, "announce", text="a break\x07 at nine") == {"told": 2}
        assert (await ada.until(m.Notice)).text == "a break\ufffd at nine"


async def test_it_asks_the_server_to_stop(autojump_clock: Clock) -> None:
    async with hall() as place:
        await ask(place, "drain")
        assert place.server.stop_asked.is_set()


async def test_a_backup_is_the_stores(tmp_path: Path, autojump_clock: Clock) -> None:
    async with hall() as place:
        assert await refused(place, "backup", file="/x") == "no_store"
        seen: list[Path] = []

        async def backup(file: Path) -> None:
            await trio.lowlevel.checkpoint()
            if seen:
                raise OSError
            seen.append(file)

        place.server.backup = backup
        assert await ask(place, "backup", file=str(tmp_path / "b")) is None
        assert seen == [tmp_path / "b"]
        assert await refused(place, "backup", file="/x") == "not_written"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (FileExistsError(), "file_exists"),
        (FileNotFoundError(), "no_folder"),
        (PermissionError(), "not_permitted"),
        (OSError(errno.ENOSPC, ""), "no_space"),
        (sqlite3.OperationalError("x"), "not_written"),
    ],
)
async def test_why_a_backup_cannot_be_written_is_said(error: Exception, code: str, autojump_clock: Clock) -> None:
    async def backup(_: Path) -> None:
        await trio.lowlevel.checkpoint()
        raise error

    async with hall() as place:
        place.server.backup = backup
        assert await refused(place, "backup", file="/x") == code


async def test_a_backup_for_which_there_is_no_room_is_said_to_be_one(tmp_path: Path, autojump_clock: Clock) -> None:
    async def backup(_: Path) -> None:
        await trio.lowlevel.checkpoint()
        with closing(sqlite3.connect(tmp_path / "file")) as db:
            db.execute("PRAGMA max_page_count = 1")
            db.execute("CREATE TABLE one (n)")

    async with hall() as place:
        place.server.backup = backup
        assert await refused(place, "backup", file="/x") == "no_space"


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({}, "no_such_command"),
        ({"command": 3}, "no_such_command"),
        ({"command": "rob"}, "no_such_command"),
        ({"command": "kick"}, "bad_request"),
        ({"command": "kick", "name": 3}, "bad_request"),
        ({"command": "kick", "name": "Ada", "more": "x"}, "bad_request"),
        ({"command": "rooms", "name": "Ada"}, "bad_request"),
        ({"command": "ban", "who": "a/b"}, "no_name_or_address"),
        ({"command": "unban", "who": ""}, "no_name_or_address"),
    ],
)
async def test_a_request_that_is_none_changes_nothing(
    request_: dict[str, Any], code: str, autojump_clock: Clock
) -> None:
    async with hall() as place:
        with pytest.raises(Refused) as caught:
            await answerer(place.server)(dict(request_))
        assert caught.value.code == code


def test_every_command_of_the_server_can_be_typed() -> None:
    from kille_net.cli.admin import command  # noqa: PLC0415  what the command line gives it

    typed = set()
    for name, one in command.commands.items():
        typed |= {f"{name} {part}" for part in one.commands} if isinstance(one, click.Group) else {name}
    assert typed == set(COMMANDS)


# --- tournaments ------------------------------------------------------------------------------------------------------


def text_of(kind: m.TournamentKind = m.TournamentKind.SWISS, **others: Any) -> str:  # noqa: ANN401  as in a plan
    """A plan, as it is asked for."""
    return msgspec.json.encode(plan(kind, 2, **others)).decode()


async def entrants(place: Hall, *names: str) -> list[Client]:
    """Bots that have signed up."""
    clients = []
    for name in names:
        client = await place.guest(name, bot=True)
        assert isinstance(await client.ask(lambda k: m.SignUp(id=k, tournament="Torsdag")), m.Ok)
        clients.append(client)
    return clients


async def test_a_tournament_is_opened_begun_and_told_of(autojump_clock: Clock) -> None:
    async with hall(sources=quiet()) as place:
        assert await ask(place, "tournaments") == []
        assert await ask(place, "tournament open", name="Torsdag", plan=text_of(start=600)) is None
        assert await ask(place, "tournaments") == [
            {
                "name": "Torsdag", "kind": "swiss", "seats": 2, "duplicate": False, "stage": "open", "why": "",
                "round": 0, "rounds": 0, "entrants": 0, "starts": 600, "tables": [],
            }
        ]  # fmt: skip
        ada, bo = await entrants(place, "Ada", "Bo")
        assert await ask(place, "tournament begin", name="TORSDAG") is None
        for client in (ada, bo):
            assert (await client.until(m.Snapshot)).room.name == "Torsdag 1-1"
        (one,) = await ask(place, "tournaments")
        assert (one["stage"], one["round"], one["entrants"], one["starts"]) == ("playing", 1, 2, None)
        assert one["tables"] == ["Torsdag 1-1"]
        told = await ask(place, "tournament standings", name="torsdag")
        assert (told["name"], told["kind"], told["stage"], told["round"]) == ("Torsdag", "swiss", "playing", 1)
        assert [(line["rank"], line["name"], line["kind"]) for line in told["standings"]] == [
            (1, "Ada", "bot"),
            (1, "Bo", "bot"),
        ]


async def test_who_is_dropped_is_out_and_back_in_the_lobby(autojump_clock: Clock) -> None:
    async with hall(sources=quiet()) as place:
        await ask(place, "tournament open", name="Torsdag", plan=text_of())
        ada, bo = await entrants(place, "Ada", "Bo")
        await ask(place, "tournament begin", name="Torsdag")
        await bo.until(m.Snapshot)
        assert await ask(place, "tournament drop", name="ADA") is None
        await ada.until(m.RoomChanged)
        assert isinstance(await ada.ask(lambda k: m.ListRooms(id=k, page=0)), m.Rooms)
        assert await refused(place, "tournament drop", name="Ada") == "not_entered"
        told = await ask(place, "tournament standings", name="Torsdag")
        assert {line["name"]: line["status"] for line in told["standings"]}["Ada"] == "out"


async def test_a_tournament_that_is_cancelled_gives_up_its_tables(autojump_clock: Clock) -> None:
    async with hall(sources=quiet()) as place:
        await ask(place, "tournament open", name="Torsdag", plan=text_of())
        ada, _ = await entrants(place, "Ada", "Bo")
        await ask(place, "tournament begin", name="Torsdag")
        await ada.until(m.Snapshot)
        assert await ask(place, "tournament cancel", name="Torsdag") is None
        assert (await ada.until(m.MatchEnded)).reason == "its tournament has ended"
        while (news := await ada.until(m.TournamentNews)).news is not m.Happening.CANCELLED:
            pass
        assert news.text == "called off by whoever runs the server"
        assert await ask(place, "rooms") == []
        assert await refused(place, "tournament cancel", name="Torsdag") == "too_late"
        (one,) = await ask(place, "tournaments")
        assert (one["stage"], one["why"]) == ("cancelled", "called off by whoever runs the server")


@pytest.mark.parametrize(
    ("command", "arguments", "code"),
    [
        ("tournament open", {"name": "torsdag", "plan": text_of()}, "tournament_exists"),
        ("tournament open", {"name": "Fredag", "plan": text_of()}, "too_many_tournaments"),
        ("tournament open", {"name": "a/b", "plan": text_of()}, "bad_name"),
        ("tournament open", {"name": "Fredag", "plan": text_of(most=4, number=5)}, "bad_plan"),
        ("tournament open", {"name": "Fredag", "plan": text_of().replace("swiss", "cup")}, "bad_plan"),
        ("tournament open", {"name": "Fredag", "plan": "{"}, "bad_plan"),
        ("tournament open", {"name": "Fredag"}, "bad_request"),
        ("tournament begin", {"name": "Fredag"}, "no_such_tournament"),
        ("tournament cancel", {"name": "Fredag"}, "no_such_tournament"),
        ("tournament standings", {"name": "Fredag"}, "no_such_tournament"),
        ("tournament drop", {"name": "Fredag"}, "no_such_player"),
        ("tournament", {"name": "Torsdag"}, "no_such_command"),
    ],
)
async def test_what_cannot_be_done_to_tournaments_changes_none(
    command: str, arguments: dict[str, str], code: str, autojump_clock: Clock
) -> None:
    async with hall(Limits(tournaments=1)) as place:
        await ask(place, "tournament open", name="Torsdag", plan=text_of())
        before = await ask(place, "tournaments")
        assert await refused(place, command, **arguments) == code
        assert await ask(place, "tournaments") == before
        assert place.server.counts.faults == 0
