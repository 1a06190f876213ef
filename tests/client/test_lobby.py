"""The lobby that one can use without reading anything: numbers, Enter, and what is told of by itself."""

from dataclasses import replace

import pytest

from kille_net.client.effects import Print, Style
from kille_net.client.lobby import Lobby
from kille_net.client.sent import Sent
from kille_net.client.voice import Voice
from kille_net.wire import messages as wire
from tests.client.fake_server import NAMES, room
from tests.client.test_core import PLAN, WELCOME, Client, in_lobby, in_room


def line(name: str, taken: int = 1, *, status: wire.RoomStatus = wire.RoomStatus.OPEN) -> wire.RoomLine:
    return wire.RoomLine(
        name=name,
        seats=4,
        taken=taken,
        format=wire.Format.POTS,
        length=wire.Length.STANDARD,
        locked=False,
        status=status,
        watching=wire.Watching.EVERYONE,
    )


def listed(client: Client, *rooms: wire.RoomLine) -> Client:
    """The server answers what was asked last."""
    asked = client.sent[-1]
    assert isinstance(asked, wire.ListRooms)
    return client.hear(wire.Rooms(id=asked.id, page=0, pages=1, rooms=rooms))


def among(*rooms: wire.RoomLine, **options: object) -> Client:
    """In the lobby, where these were listed at once."""
    client = Client(**options).hear(WELCOME)  # type: ignore[arg-type]  # as they are
    return listed(client, *rooms).forget()


def welcomed() -> Client:
    client = Client().hear(WELCOME)
    client.lines.clear()
    return client


def tick(client: Client, now: float) -> Client:
    client.now = now
    return client.took(client.core.tick(now))


KROGEN, SALEN = line("Krogen", 3), line("Salen", 4, status=wire.RoomStatus.PLAYING)


# --- what one sees on entering ----------------------------------------------------------------------------------------


def test_the_list_has_numbers_and_says_what_to_type() -> None:
    client = listed(welcomed(), KROGEN, SALEN)
    assert client.lines == [
        "1  Krogen  3/4  pots, standard  waiting",
        "2  Salen   4/4  pots, standard  playing",
        "A number sits you down at that table, quick where others wait; watch and a number looks on; "
        "new makes a table; tournaments shows tournaments; Enter looks again; ? helps.",
    ]


def test_an_empty_lobby_says_what_to_type_as_well() -> None:
    client = listed(welcomed())
    assert client.lines == [
        "There are no tables yet.",
        "quick seats you with others, or soon with computers; new makes a table; tournaments shows tournaments; "
        "Enter looks again; ? helps.",
    ]


def test_more_than_nine_tables_stand_in_a_column() -> None:
    client = listed(welcomed(), *(line(f"Bord {letter}") for letter in "ABCDEFGHIJ"))
    assert client.lines[0].startswith(" 1  Bord A  1/4")
    assert client.lines[9].startswith("10  Bord J  1/4")


# --- what one types ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "command"),
    [
        ("2", wire.Join(id=3, room="Salen", password=None)),
        (" 1 ", wire.Join(id=3, room="Krogen", password=None)),
        ("1 password=x y", wire.Join(id=3, room="Krogen y", password="x")),
        ("join 2", wire.Join(id=3, room="Salen", password=None)),
        ("watch 2", wire.Watch(id=3, room="Salen", password=None)),
        ("titta 1", wire.Watch(id=3, room="Krogen", password=None)),
        ("join salen", wire.Join(id=3, room="Salen", password=None)),
        ("join 9", wire.Join(id=3, room="9", password=None)),
    ],
)
def test_a_number_stands_for_the_table_that_has_it(typed: str, command: wire.Command) -> None:
    assert among(KROGEN, SALEN).type(typed).sent == [command]


def test_who_came_to_watch_watches_by_a_number() -> None:
    client = among(KROGEN, plan=replace(PLAN, watch=True))
    assert client.type("1").sent == [wire.Watch(id=3, room="Krogen", password=None)]


def test_a_table_whose_name_is_a_number_is_reached_by_both() -> None:
    client = among(line("2"), line("Krogen"))
    assert client.type("2").sent[-1].room == "Krogen", "as the list has it"
    assert among(line("2"), line("Krogen")).type("join 2").sent[-1].room == "2", "as the order has it"


@pytest.mark.parametrize("typed", ["0", "3", "99999999999", "0000001", "٣", "1a", "-1"])
def test_what_is_no_number_of_the_list_is_one_line(typed: str) -> None:
    client = among(KROGEN, SALEN).type(typed)
    assert client.sent == []
    assert len(client.lines) == 1


@pytest.mark.parametrize(
    ("rooms", "name"),
    [((), "Ada"), ((line("Krogen"),), "Ada"), ((line("ADA"),), "Ada 2"), ((line("Ada"), line("ada 2")), "Ada 3")],
)
def test_a_table_without_a_name_has_its_makers(rooms: tuple[wire.RoomLine, ...], name: str) -> None:
    for word in ("new", "create", "ny"):
        (create,) = among(*rooms).type(f"{word} seats=3").sent
        assert isinstance(create, wire.Create)
        assert (create.room, create.options.seats) == (name, 3)


def test_a_long_name_is_cut_before_its_number() -> None:
    client = Client().hear(replace_name("A" * 16))
    listed(client, line("A" * 16)).forget()
    assert client.type("new").sent[0].room == "A" * 14 + " 2"


def replace_name(name: str) -> wire.Welcome:
    return wire.Welcome(version=1, agent="srv", name=name, settings={}, ticket=None, resumed=wire.Resumed.NO, last_id=0)


@pytest.mark.parametrize("typed", ["", "   ", "rooms"])
def test_enter_alone_looks_again(typed: str) -> None:
    client = listed(among(KROGEN).type(typed), SALEN)
    assert client.lines[0] == "1  Salen  4/4  pots, standard  playing"
    assert client.forget().type("1").sent[0].room == "Salen"


# --- what is told by itself -------------------------------------------------------------------------------------------


def test_we_look_by_ourselves_every_few_seconds_and_say_nothing_where_nothing_is_new() -> None:
    client = among(KROGEN)
    for now in (1.0, 2.0, 4.9):
        assert tick(client, now).sent == []
    for now in (5.0, 10.0, 15.0):
        tick(client, now)
        listed(client, KROGEN)
    assert len(client.sent) == 3
    assert client.lines == []


def test_only_what_is_new_is_told_and_quietly() -> None:
    client = listed(tick(among(KROGEN, SALEN), 5.0), line("Bos", 1), line("Krogen", 4))
    assert client.lines == [
        "Salen is closed.",
        "New table: 3  Bos  1/4  pots, standard  waiting",
        "Now: 1  Krogen  4/4  pots, standard  waiting",
    ]
    assert all(effect.style is Style.QUIET for effect in client.effects if isinstance(effect, Print))
    client = listed(tick(client.forget(), 10.0), line("Bos", 1), line("Krogen", 4))
    assert client.lines == [], "it was told once"


def test_a_number_means_the_same_table_until_the_list_is_shown_again() -> None:
    client = listed(tick(among(KROGEN, SALEN), 5.0), line("Ankan"), SALEN)
    assert client.forget().type("2").sent[0].room == "Salen"
    client = listed(tick(among(KROGEN, SALEN), 5.0), line("Ankan"), SALEN)
    assert client.forget().type("3").sent[0].room == "Ankan"


def test_a_lobby_in_which_everything_happens_at_once_fills_no_screen() -> None:
    lobby = Lobby(Voice("en", Sent()), watches=False)
    lobby.whole([line(f"Bord {k}") for k in range(100)])
    told = lobby.changes([line(f"Nytt {k}") for k in range(100)])
    assert len(told) == 6
    assert told[-1] == "(and 195 more; Enter shows all)"


def test_a_long_list_is_looked_at_less_often_so_that_a_server_is_never_pressed() -> None:
    client = Client().hear(WELCOME)
    for page in range(4):
        client.hear(wire.Rooms(id=client.sent[-1].id, page=page, pages=4, rooms=(line(f"Bord {page}"),)))
    client.forget()
    assert tick(client, 19.0).sent == []
    assert len(tick(client, 20.0).sent) == 1


def test_a_server_that_finds_it_too_fast_is_left_alone_for_a_while() -> None:
    client = tick(among(KROGEN), 5.0)
    client.hear(wire.Refused(id=client.sent[-1].id, code=wire.RefusalCode.TOO_FAST))
    assert client.lines == []
    assert tick(client.forget(), 9.0).sent == []
    assert len(tick(client, 10.0).sent) == 1


def test_a_look_that_is_under_way_is_shown_whole_to_who_presses_enter() -> None:
    client = tick(among(KROGEN), 5.0)
    assert len(client.type("").sent) == 1, "it is not asked twice"
    assert listed(client, KROGEN).lines[0].startswith("1  Krogen")


def test_while_an_answer_is_missing_we_do_not_look() -> None:
    client = among(KROGEN).type("1").forget()
    assert tick(client, 60.0).sent == []


def test_at_a_table_we_do_not_look_and_back_in_the_lobby_the_list_is_shown() -> None:
    client = in_room(*NAMES[:3])
    assert tick(client, 60.0).sent == []
    client.type("leave")
    client.hear(wire.Ok(id=client.sent[-1].id))
    assert client.lines == ["You are in the lobby."]
    client = listed(tick(client.forget(), 61.0), KROGEN)
    assert client.lines[0].startswith("1  Krogen")
    assert "? helps" in client.lines[1]


def test_without_a_line_we_do_not_look() -> None:
    client = among(KROGEN)
    client.core.lost(5.0, 1)
    assert tick(client, 60.0).sent == []


def test_before_the_welcome_nothing_is_asked() -> None:
    client = Client()
    assert tick(client, 60.0).type("").sent == []


# --- a rematch --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["again", "igen", "ready"])
def test_again_is_for_a_rematch(word: str) -> None:
    (ready,) = in_room(*NAMES[:3]).type(word).sent
    assert (type(ready), ready.ready) == (wire.Ready, True)


@pytest.mark.parametrize(("lang", "hint"), [("en", "Type again for a rematch"), ("sv", "Skriv igen för revansch")])
def test_the_end_of_a_match_says_how_and_enter_alone_begins_none(lang: str, hint: str) -> None:
    client = in_room(*NAMES[:3], status=wire.RoomStatus.PLAYING, plan=replace(PLAN, lang=lang))
    client.hear(wire.RoomChanged(seq=1, news=wire.News.ENDED, who="", room=room(*NAMES[:3])))
    assert client.lines[-1].startswith(hint)
    assert client.forget().type("").sent == []


def test_the_lobby_of_no_tables_has_no_numbers() -> None:
    assert in_lobby().type("1").sent == []
