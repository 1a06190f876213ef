"""Between two hands: Enter is enough, the autopilot waits for nothing, and all see for whom the table waits."""

from dataclasses import replace
from random import Random
from typing import Any

import msgspec
import pytest

from kille_net.bots.simple import EasyBot
from kille_net.client.effects import Style
from kille_net.client.model import OpenRest
from kille_net.client.showing.status import Notes, status
from kille_net.game.cards import FULL_PACK
from kille_net.game.views import observe
from kille_net.translate import to_view
from kille_net.wire import messages as wire
from kille_net.wire.errors import RemoteProtocolError
from tests.client.fake_server import NAMES, Outlet, Table, room
from tests.client.looking import text_of
from tests.client.test_core import PLAN, Client, in_room

ADA, BO, CILLA = 1, 2, 4
HINT = "Press Enter for the next hand."
BOT = replace(PLAN, autopilot=EasyBot(Random(1)))


class Between:
    """A client at a table whose first hand is over."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401  fields of Client
        self.client = in_room(**options)
        self.outlet = Outlet()
        self.table = Table(self.outlet, 3)
        self.table.begin()
        self.play()

    def play(self) -> None:
        """A hand in which all stand."""
        self.table.stand()
        self.client.hear(*self.outlet.take())

    def rest(self, seats: int, ms: int = 20_000) -> Client:
        hand = self.table.match.number
        return self.client.hear(self.outlet.event(wire.Rest, hand=hand, seats=seats, ms=ms))

    def news(self, news: wire.News, status: wire.RoomStatus) -> Client:
        state = room(*NAMES[:3], status=status)
        return self.client.hear(self.outlet.event(wire.RoomChanged, news=news, who="Ada", room=state))

    def status(self, now: float = 0.0, lang: str = "en") -> str:
        model = self.client.core.model
        return text_of(status(model, Notes(pictures=False), lang, now, (200, 24)))[-1]


def between(seats: int = ADA | BO, **options: Any) -> Between:  # noqa: ANN401  the same
    table = Between(**options)
    table.client.forget()
    table.rest(seats)
    return table


@pytest.mark.parametrize("line", ["", "  ", "next", "vidare", "/next"])
@pytest.mark.parametrize("plain", [True, False])
def test_enter_or_a_word_says_that_the_next_hand_may_come(line: str, *, plain: bool) -> None:
    client = between(plain=plain).client.forget().type(line)
    (said,) = client.sent
    assert (type(said), said.hand) == (wire.NextHand, 1)
    assert client.lines == []


@pytest.mark.parametrize("line", ["swap", "s", "yes", "kuku"])
def test_who_comes_too_late_for_the_hand_is_told_how_the_next_one_comes(line: str) -> None:
    table = between()
    client = table.client.forget()
    assert client.type(line).lines == ["The hand is over: Enter for the next."]
    table.rest(BO | CILLA)
    assert client.forget().type(line).lines == ["The hand is over. The table waits for Bo, Cilla."]
    table.rest(0, 0)
    assert client.forget().type(line).lines == ["The hand is over."]
    assert client.sent == []


@pytest.mark.parametrize("line", ["", "next"])
def test_who_has_said_it_hears_for_whom_the_table_waits(line: str) -> None:
    table = between()
    client = table.client.type("")
    client.hear(wire.Ok(id=client.sent[-1].id))
    table.rest(BO | CILLA)
    assert client.forget().type(line).lines == ["The table waits for Bo, Cilla."]
    assert client.sent == []


def test_an_empty_line_is_nothing_while_nothing_waits_for_it() -> None:
    client = Between().client.forget()
    assert client.type("").effects == []
    assert client.type("next").lines == ["Nothing waits for that now."]
    assert client.sent == []


def test_who_looks_on_says_nothing_by_enter() -> None:
    table = between()
    table.client.core.model = replace(table.client.core.model, seat=None)
    assert table.client.forget().type("").effects == []


def test_what_comes_too_late_is_not_worth_a_word() -> None:
    client = between().client.type("").forget()
    ids = [command.id for command in client.core._sent.open]
    assert client.hear(wire.Refused(id=ids[-1], code=wire.RefusalCode.OLD_TURN)).effects == []


def test_each_showdown_is_followed_by_a_hint_in_plain_text_where_nothing_else_says_it() -> None:
    table = between(plain=True)
    table.rest(ADA)
    hint = f"{HINT} The table waits for you, Bo, 20 s at most."
    assert table.client.lines == [hint]
    table.play()
    table.rest(ADA)
    assert [line for line in table.client.lines if line.startswith(HINT)] == [
        hint,
        f"{HINT} The table waits for you, 20 s at most.",
    ]


def test_the_hint_comes_once_above_status_lines_which_go_on_saying_it() -> None:
    table = between()
    table.play()
    table.rest(ADA)
    assert table.client.lines.count(HINT) == 1
    (hint,) = [effect for effect in table.client.effects if getattr(effect, "text", "") == HINT]
    assert getattr(hint, "style", None) is Style.QUIET


def test_there_is_no_hint_for_whom_nothing_waits() -> None:
    assert HINT not in between(BO, plain=True).client.lines


# --- what all see -----------------------------------------------------------------------------------------------------


def test_the_status_says_for_whom_the_table_waits_and_how_long() -> None:
    table = between()
    assert "next hand: Enter · waiting for Bo · 12 s" in table.status(8.0)
    assert "nästa giv: Enter · väntar på Bo · 20 s" in table.status(lang="sv")
    table.rest(BO | CILLA, 9_000)
    assert "waiting for Bo, Cilla · 9 s" in table.status()
    assert "Enter" not in table.status()
    table.rest(0, 0)
    assert "waiting" not in table.status()


def test_a_pause_stops_the_seconds() -> None:
    table = between()
    table.news(wire.News.PAUSED, wire.RoomStatus.PAUSED)
    assert table.client.core.model.rest == OpenRest(hand=1, seats=(0, 1), deadline=None)
    table.rest(ADA, 7_000)
    assert table.client.core.model.rest == OpenRest(hand=1, seats=(0,), deadline=None)
    table.news(wire.News.RESUMED, wire.RoomStatus.PLAYING)
    table.rest(ADA, 7_000)
    assert table.client.core.model.rest == OpenRest(hand=1, seats=(0,), deadline=7.0)


PAUSED = "The match is paused, until the host types resume."


@pytest.mark.parametrize(("host", "status"), [("Ada", "paused: resume"), ("Bo", "paused until the host resumes")])
def test_a_pause_asks_for_nothing_and_says_what_ends_it(host: str, status: str) -> None:
    table = Between(plain=True)
    client = table.client.forget()
    table.news(wire.News.PAUSED, wire.RoomStatus.PAUSED)
    state = client.core.model.room
    assert state is not None
    client.core.model = replace(client.core.model, room=msgspec.structs.replace(state, host=host))
    table.rest(ADA)
    assert client.lines == [PAUSED]
    assert status in table.status()
    assert "Enter" not in table.status()
    lines = client.forget().type("?").lines
    assert "until the host types resume" in lines[0]
    assert not any(line.startswith("  next") for line in lines)
    assert any(line.startswith("  resume") for line in lines) is (host == "Ada")
    assert client.forget().type("swap").lines == [PAUSED]
    table.news(wire.News.RESUMED, wire.RoomStatus.PLAYING)
    table.rest(ADA)
    assert client.lines[-1].startswith(HINT)


def test_where_the_server_stops_nobody_is_told_to_go_on() -> None:
    table = between()
    table.client.hear(wire.Notice(code=wire.NoticeCode.DRAINING, text="", ms=30_000))
    assert "Enter" not in table.status()


def test_it_ends_with_the_next_hand_and_with_the_match() -> None:
    table = between()
    table.play()
    assert table.client.core.model.rest is None
    table.rest(ADA)
    table.news(wire.News.ENDED, wire.RoomStatus.OPEN)
    assert table.client.core.model.rest is None


def test_a_snapshot_tells_it_to_who_comes_back() -> None:
    table = between()
    view = to_view(observe(table.table.match, 0))
    state = room(*NAMES[:3], status=wire.RoomStatus.PLAYING)
    rest = wire.OpenRest(hand=1, seats=ADA | CILLA, ms=4_000)
    client = table.client.forget()
    client.now = 100.0
    client.hear(wire.Snapshot(seq=99, room=state, view=view, match=1, open=None, rest=rest))
    assert client.core.model.rest == OpenRest(hand=1, seats=(0, 2), deadline=104.0)


@pytest.mark.parametrize(
    ("fields", "place"),
    [({"hand": 2}, "hand"), ({"hand": 0}, "hand"), ({"seats": 8}, "seats"), ({"seats": 255}, "seats")],
)
def test_a_wait_that_cannot_be_is_the_servers_fault(fields: dict[str, int], place: str) -> None:
    table = Between()
    event: Any = table.outlet.event(wire.Rest, hand=1, seats=1, ms=1)
    with pytest.raises(RemoteProtocolError) as caught:
        table.client.hear(msgspec.structs.replace(event, **fields))
    assert (caught.value.code, caught.value.place) == (wire.ByeCode.BAD_FIELD, place)


def test_a_wait_in_the_midst_of_a_hand_is_the_servers_fault() -> None:
    table = Between()
    table.table.tell(table.table.match.deal(FULL_PACK))
    table.client.hear(*table.outlet.take())
    with pytest.raises(RemoteProtocolError):
        table.rest(ADA)


# --- the autopilot ----------------------------------------------------------------------------------------------------


def test_the_autopilot_says_it_at_once_and_once() -> None:
    table = between(plan=BOT)
    client = table.client
    (said,) = client.sent
    assert (type(said), said.hand) == (wire.NextHand, 1)
    table.rest(ADA, 19_000)  # somebody else was quicker
    assert client.sent == [said]
    assert HINT not in client.lines


def test_the_autopilot_says_it_again_where_it_was_not_taken() -> None:
    table = between(plan=BOT)
    client = table.client
    client.hear(wire.Refused(id=client.sent[-1].id, code=wire.RefusalCode.PAUSED)).forget()
    table.rest(ADA)
    assert [type(message) for message in client.sent] == [wire.NextHand]
    client.hear(wire.Refused(id=client.sent[-1].id, code=wire.RefusalCode.CANNOT_SAVE)).forget()
    client.hear(wire.Notice(code=wire.NoticeCode.SAVING_AGAIN, text="", ms=0))
    assert [type(message) for message in client.sent] == [wire.NextHand]


def test_the_autopilot_says_nothing_where_nobody_waits_for_it() -> None:
    assert between(BO, plan=BOT).client.sent == []
