"""`quick`: what is sent for it, and what a table that gathers tells (protocol/v1/protocol.md §6.12)."""

from dataclasses import replace
from random import Random

import msgspec
import pytest

from kille_net.bots.simple import EasyBot
from kille_net.client.options import WISHES
from kille_net.client.preferences import Preferences
from kille_net.client.showing.status import Notes, status
from kille_net.wire import messages as wire
from tests.client.fake_server import room
from tests.client.looking import text_of
from tests.client.test_core import PLAN, WELCOME, Client, in_lobby

TELLS = "The match begins in {} s; computers take what is empty."


def gathering(*names: str, ms: int | None = 20_000) -> wire.RoomState:
    """A table at which these sit, and whose empty seats wait for so long."""
    made = room(*names)
    person = made.seats[0]
    seats = tuple(
        msgspec.structs.replace(person, name=name, ready=True)
        if name
        else msgspec.structs.replace(person, occupant=wire.Occupant.EMPTY, name="", ready=False, away=ms)
        for name in names
    )
    return msgspec.structs.replace(made, host="", status=wire.RoomStatus.GATHERING, seats=seats)


def seated(client: Client, *names: str) -> Client:
    """The server does what was asked last."""
    client.hear(wire.Ok(id=client.sent[-1].id))
    return client.hear(
        wire.Snapshot(seq=1, room=gathering(*names), view=None, match=0, open=None, rest=None),
    )


def quickly(*, plain: bool = False) -> Client:
    return seated(in_lobby(plain=plain).type("quick"), "Ada", "", "")


def news(client: Client, what: wire.News, who: str, state: wire.RoomState) -> Client:
    client.forget()
    return client.hear(wire.RoomChanged(seq=client.core.model.seq + 1, news=what, who=who, room=state))


def status_of(client: Client, now: float, lang: str = "en") -> str:
    return text_of(status(client.core.model, Notes(pictures=False), lang, now, (200, 24)))[-1]


@pytest.mark.parametrize(
    ("line", "seats", "kind", "length"),
    [
        ("quick", None, None, None),
        ("/snabb", None, None, None),
        ("quick seats=6", 6, None, None),
        ("snabb platser=2 spel=pinnar längd=kort", 2, wire.Format.STICKS, wire.Length.SHORT),
        ("quick format=pots length=long", None, wire.Format.POTS, wire.Length.LONG),
    ],
)
def test_what_is_wished_for_is_sent(
    line: str, seats: int | None, kind: wire.Format | None, length: wire.Length | None
) -> None:
    (sent,) = in_lobby().type(line).sent
    assert sent == wire.Quick(id=sent.id, seats=seats, format=kind, length=length)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("quick Krogen", "Krogen is nothing to wish for. Possible: seats=…, format=…, length=…."),
        ("quick clock=5", "clock is nothing to wish for. Possible: seats=…, format=…, length=…."),
        ("quick password=x", "password is nothing to wish for. Possible: seats=…, format=…, length=…."),
        ("quick seats=9", "seats=9 is not possible. Possible: seats=2–8."),
        ("quick seats=", "seats= is not possible. Possible: seats=2–8."),
        ("quick length=5", "length=5 is not possible. Possible: length=short|standard|long."),
    ],
)
def test_what_cannot_be_wished_for_is_one_line(line: str, told: str) -> None:
    client = in_lobby().type(line)
    assert client.lines == [told]
    assert not client.sent


def test_is_offered_in_the_lobby_with_what_may_be_wished_for() -> None:
    client = in_lobby()
    assert "quick" in [text for text, _, _ in client.core.completions("q")]
    assert [text for text, _, _ in client.core.completions("quick ")] == [f"{name}=" for name in WISHES]
    assert [text for text, _, _ in client.core.completions("quick seats=3 l")] == ["length="]
    assert "quick" not in [text for text, _, _ in quickly().core.completions("q")]


def test_its_help_tells_what_may_be_wished_for() -> None:
    lines = in_lobby().type("help quick").lines
    assert lines[0].lstrip().startswith("quick")
    assert [next(name for name in WISHES if f"{name}=" in line) for line in lines[2:]] == list(WISHES)


def test_an_invitation_may_ask_for_it_at_once() -> None:
    wish = wire.Quick(id=0, seats=3, format=None, length=None)
    client = Client(plan=replace(PLAN, quick=wish)).hear(WELCOME)
    (sent,) = client.sent
    assert sent == msgspec.structs.replace(wish, id=sent.id)
    assert sent.id > 0


def test_who_has_a_seat_already_does_not_ask_for_another() -> None:
    wish = wire.Quick(id=0, seats=3, format=None, length=None)
    back = msgspec.structs.replace(WELCOME, resumed=wire.Resumed.ROOM)
    assert not Client(plan=replace(PLAN, quick=wish)).hear(back).sent


def test_nothing_that_is_typed_overtakes_it() -> None:
    client = in_lobby().type("quick")
    assert client.core.is_moving
    assert not seated(client, "Ada", "", "").core.is_moving


@pytest.mark.parametrize("plain", [True, False])
def test_who_sits_down_is_told_when_the_match_begins(*, plain: bool) -> None:
    client = quickly(plain=plain)
    assert client.lines[-1] == TELLS.format(20)
    assert not any("Type ready" in line for line in client.lines)


def test_plain_lines_tell_it_again_with_all_who_come_and_go() -> None:
    client = quickly(plain=True)
    client.now = 7.6
    news(client, wire.News.JOINED, "Bo", gathering("Ada", "Bo", "", ms=12_400))
    assert client.lines[-1] == TELLS.format(12)
    news(client, wire.News.LEFT, "Bo", gathering("Ada", "", "", ms=9_000))
    assert client.lines[-1] == TELLS.format(9)
    news(client, wire.News.JOINED, "Bo", gathering("Ada", "Bo", "Cilla"))
    assert len(client.lines) == 1, "it begins"


def test_the_status_lines_count_down() -> None:
    client = quickly()
    assert "begins in 20 s · computers take what is empty" in status_of(client, 0.0)
    assert "begins in 8 s" in status_of(client, 12.0)
    assert "begins in 0 s" in status_of(client, 30.0)
    assert "börjar om 8 s · datorer tar det som är tomt" in status_of(client, 12.0, "sv")
    news(client, wire.News.JOINED, "Bo", gathering("Ada", "Bo", "", ms=2_000))
    assert "begins in 2 s" in status_of(client, 0.0)


def test_a_clock_that_shall_not_move_tells_whole_tens() -> None:
    client = in_lobby(plan=replace(PLAN, preferences=Preferences(motion=False)))
    client.now = 1003.0
    seated(client.type("quick"), "Ada", "", "")
    told = ["".join(text_of(client.core.status(now, (200, 24)))) for now in (1003.0, 1012.9, 1013.0, 1022.9)]
    assert [line.partition("begins in ")[2].partition(" s")[0] for line in told] == ["20", "20", "10", "10"]


def test_a_server_that_stops_begins_nothing() -> None:
    client = quickly()
    client.hear(wire.Notice(code=wire.NoticeCode.DRAINING, text="", ms=30_000))
    assert "begins" not in status_of(client, 0.0)


def test_the_autopilot_has_nothing_to_say_before_the_match() -> None:
    wish = wire.Quick(id=0, seats=3, format=None, length=None)
    client = Client(plan=replace(PLAN, quick=wish, autopilot=EasyBot(Random(1)))).hear(WELCOME)
    seated(client, "Ada", "", "")
    assert [type(message) for message in client.sent] == [wire.Quick]
