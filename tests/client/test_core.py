"""The client without a terminal: what is typed, heard and pressed, and what comes of it."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from kille_net.bots import Bot
from kille_net.client.commands import TABLE
from kille_net.client.core import Core
from kille_net.client.effects import Bell, Effect, Print, Quit, Send, Show, Style
from kille_net.client.invitation import Invitation
from kille_net.client.options import option_word
from kille_net.client.showing.guidance import help_line
from kille_net.client.showing.lessons import card_line, lesson, order_line
from kille_net.client.showing.texts import say
from kille_net.client.showing.topics import Subject, Term, Topic
from kille_net.game.actions import Action, Phase
from kille_net.game.cards import Card
from kille_net.game.views import View, observe
from kille_net.translate import from_do, to_view
from kille_net.wire import messages as wire
from kille_net.wire.errors import RemoteProtocolError
from kille_net.wire.states import Place
from tests.client.fake_server import NAMES, OPTIONS, Outlet, Table, room

PLAN = Invitation(host="127.0.0.1", name="Ada", lang="en")
WELCOME = wire.Welcome(version=1, agent="srv", name="Ada", settings={}, ticket=None, resumed=wire.Resumed.NO, last_id=0)


class Client:
    """A core and what it did, in order."""

    def __init__(self, *, plan: Invitation = PLAN, plain: bool = False, has_tournaments: bool = False) -> None:
        """`has_tournaments`: whether the test says which there are; else there are none."""
        self.core = Core(plan, plain=plain)
        self._has_tournaments = has_tournaments
        self.lines: list[str] = []
        self.sent: list[Any] = []
        self.effects: list[Effect] = []
        self.now = 0.0

    def took(self, effects: list[Effect]) -> "Client":
        self.effects += effects
        self.lines += [effect.text for effect in effects if isinstance(effect, Print)]
        for effect in effects:
            if not isinstance(effect, Send):
                continue
            if isinstance(effect.message, wire.ListTournaments) and not self._has_tournaments:
                self.hear(wire.Tournaments(id=effect.message.id, page=0, pages=1, tournaments=()))
            else:
                self.sent.append(effect.message)
        return self

    def hear(self, *messages: wire.ServerMessage) -> "Client":
        for message in messages:
            self.took(self.core.message(message, self.now))
        return self

    def type(self, line: str) -> "Client":
        return self.took(self.core.line(line))

    def forget(self) -> "Client":
        self.lines.clear()
        self.sent.clear()
        self.effects.clear()
        return self

    @property
    def quit(self) -> Quit | None:
        return next((effect for effect in self.effects if isinstance(effect, Quit)), None)


def in_lobby(**options: Any) -> Client:  # noqa: ANN401  fields of Options
    client = Client(**options).hear(WELCOME)
    (listing,) = client.sent
    client.hear(wire.Rooms(id=listing.id, page=0, pages=1, rooms=()))
    return client.forget()


def in_room(*names: str, status: wire.RoomStatus = wire.RoomStatus.OPEN, **options: Any) -> Client:  # noqa: ANN401  fields of Options
    client = in_lobby(**options).type("join Bordet")
    client.hear(wire.Ok(id=client.sent[-1].id))
    client.hear(
        wire.Snapshot(seq=0, room=room(*(names or NAMES[:3]), status=status), view=None, match=0, open=None, rest=None)
    )
    return client.forget()


OTHERS_FOLLOW = 9
"""A seed of a table where others speak after us."""


def at_table(seed: int = 3, *, ms: int = 0, **options: Any) -> tuple[Client, Outlet, Table]:  # noqa: ANN401  the same
    client = in_room(**options)
    outlet = Outlet()
    table = Table(outlet, seed)
    table.begin()
    assert table.step(ms=ms)
    client.hear(*outlet.take())
    return client, outlet, table


def holding(client: Client, card: Card, *, low: bool = False) -> None:
    """Put a card into our hand, as if it had been dealt."""
    model = client.core.model
    assert model.view is not None
    cards = (card, *model.view.cards[1:])
    view = replace(model.view, cards=cards, low_harlekins=(0,) if low else ())
    client.core.model = replace(model, view=view)


# --- coming in --------------------------------------------------------------------------------------------------------


def test_without_a_room_the_lobby_is_shown() -> None:
    client = Client().hear(WELCOME)
    assert client.lines == ["Welcome to srv, Ada. Type help to see what you can do."]
    assert [type(message) for message in client.sent] == [wire.ListRooms]
    client.hear(wire.Rooms(id=client.sent[0].id, page=0, pages=1, rooms=()))
    assert client.lines[1] == "There are no tables yet."
    assert not client.core.waits


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ("kille-net 0.1.0", "Welcome, Ada."),
        ("kille-net 0.1.0 Krogen på hörnet", "Welcome to Krogen på hörnet, Ada."),
        ("kille-netto", "Welcome to kille-netto, Ada."),
        ("", "Welcome, Ada."),
    ],
)
def test_the_welcome_names_the_server_and_not_its_program(agent: str, said: str) -> None:
    assert Client().hear(msgspec.structs.replace(WELCOME, agent=agent)).lines[0].startswith(f"{said} Type ")


def test_a_long_list_is_fetched_page_by_page_but_not_for_ever() -> None:
    client = Client().hear(WELCOME)
    for page in range(30):
        client.hear(wire.Rooms(id=client.sent[-1].id, page=page, pages=1000, rooms=()))
        if not client.core.waits:
            break
    assert len(client.sent) == 20


@pytest.mark.parametrize(
    ("plan", "command"),
    [
        (replace(PLAN, room="Bordet"), wire.Join(id=1, room="Bordet", password=None)),
        (replace(PLAN, room="Bordet", watch=True), wire.Watch(id=1, room="Bordet", password=None)),
        (replace(PLAN, room="Bordet", password="x"), wire.Join(id=1, room="Bordet", password="x")),
        (replace(PLAN, create=OPTIONS), wire.Create(id=1, room="Ada", options=OPTIONS, password=None)),
        (replace(PLAN, create=OPTIONS, room="B"), wire.Create(id=1, room="B", options=OPTIONS, password=None)),
    ],
)
def test_an_invitation_is_followed_at_once(plan: Invitation, command: wire.Message) -> None:
    client = Client(plan=plan).hear(WELCOME)
    assert client.sent == [command]
    assert client.core.is_moving


def test_a_room_that_is_made_to_start_starts() -> None:
    client = Client(plan=replace(PLAN, create=OPTIONS, start=True)).hear(WELCOME, wire.Ok(id=1))
    assert client.core.is_moving
    client.forget().hear(wire.Snapshot(seq=1, room=room(*NAMES[:3]), view=None, match=0, open=None, rest=None))
    assert client.sent == [wire.Start(id=2)]
    assert not client.core.is_moving


def test_who_comes_into_a_room_is_told_what_to_do() -> None:
    client = in_lobby().type("join bordet")
    assert client.sent == [wire.Join(id=3, room="bordet", password=None)]
    client.hear(
        wire.Ok(id=3), wire.Snapshot(seq=0, room=room("Ada", "", "Bo"), view=None, match=0, open=None, rest=None)
    )
    assert client.lines == [
        "Table Bordet: pots, short, 3 seats.",
        "1. Ada (you), host, not ready",
        "2. (empty)",
        "3. Bo, computer",
        "Type add to fill the empty seats with computers.",
        "Type ready when you want to play.",
    ]


# --- orders -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("rooms", wire.ListRooms(id=4, page=0)),
        ("leave", wire.Leave(id=4)),
        ("klar", wire.Ready(id=4, ready=True)),
        ("start", wire.Start(id=4)),
        ("paus", wire.Pause(id=4, paused=True)),
        ("fortsätt", wire.Pause(id=4, paused=False)),
        ("add", wire.AddComputers(id=4, count=1, level=wire.Level.EASY)),
        ("add 2 sharp", wire.AddComputers(id=4, count=2, level=wire.Level.SHARP)),
        ("dator skarp", wire.AddComputers(id=4, count=1, level=wire.Level.SHARP)),
        ("remove cilla", wire.RemoveComputer(id=4, seat=2)),
        ("bort 2", wire.RemoveComputer(id=4, seat=1)),
        ("kick BO", wire.Kick(id=4, seat=1)),
        ("say hej <b>%s", wire.Say(id=4, text="hej <b>%s")),
        ("'\x1b[31m", wire.Say(id=4, text="\ufffd[31m")),
    ],
)
def test_what_a_line_sends_in_a_room(line: str, command: wire.Message) -> None:
    client = in_room().type(line)
    assert client.sent == [command]
    assert client.lines == []


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("xyzzy", "Unknown command: xyzzy. Type help to see what you can do."),
        ("\x1b]2;x\x07", "Unknown command: \ufffd]2;x\ufffd. Type help to see what you can do."),
        ("{0}%s", "Unknown command: {0}%s. Type help to see what you can do."),
        ("swap", "No match is being played."),
        ("kuku", "No match is being played."),
        ("join B", "No join here: you are at a table already, type leave first."),
        ("ready no", "It is so already."),
        ("ready maybe", "Type yes or no after it."),
        ("add many", "A number (1 to 7) and a level: random, easy, careful, sharp, deep."),
        ("remove Zed", "Who? Type a name at the table or the number of a seat."),
        ("kick", "Who? Type a name at the table or the number of a seat."),
        ("say", "What do you want to say?"),
        ("card joker", "joker is no card."),
        ("card husu", card_line(Card.HUSU, "en")),
        ("kort svinet", card_line(Card.HUSU, "en")),
        ("card talon", "talon is no card."),
        ("rules hussu", "There is no topic hussu. Try Husu, Husse."),
        ("help nonsense", "Unknown command: nonsense. Type help to see what you can do."),
        ("help swap", "swap, b: swap with the seat on your left; the dealer draws from the talon"),
    ],
)
def test_lines_that_send_nothing(line: str, text: str) -> None:
    client = in_room().type(line)
    assert client.lines == [text]
    assert client.sent == []


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("swap", "No swap here: you are in the lobby, type the number of a table, or new for one of your own."),
        ("join", "Which table? Type list to see them."),
        ("create <b>", "A table's name has 1 to 16 letters, digits, spaces and -_'."),
        ("create A seats=9", "seats=9 is not possible. Possible: seats=2–8."),
        ("create A format=poker", "format=poker is not possible. Possible: format=pots|sticks."),
        (
            "create A smell=3",
            "smell is no option of a table. Possible: seats, format, length, dealt_harlekin, pots, computers, level, "
            "clock, pace, window, rest, watching, coach, password.",
        ),
        ("join A seats=3", "seats is no option here. Possible: password."),
        (f"create A password={'x' * 65}", "A password has at most 64 characters."),
        ("leave now", "leave stands alone on its line."),
    ],
)
def test_lines_that_send_nothing_in_the_lobby(line: str, text: str) -> None:
    client = in_lobby().type(line)
    assert client.lines == [text]
    assert client.sent == []


@pytest.mark.parametrize(("lang", "order"), [("en", "Low to high: Mask"), ("sv", "Lågt till högt: Blaren")])
@pytest.mark.parametrize("card", [None, Card.HUSU, Card.N7])
def test_the_order_of_the_cards_is_shown_whatever_is_held(lang: str, order: str, card: Card | None) -> None:
    client, _, _ = at_table(plan=replace(PLAN, lang=lang))
    if card is not None:
        holding(client, card)
    else:
        client = in_room(plan=replace(PLAN, lang=lang))
    client.forget().type("card")
    (line,) = [line for line in client.lines if line.startswith(order)]
    assert "Harle" in line
    assert len(client.lines) == (2 if card is not None else 7)
    assert client.forget().type("card 7").lines[0].startswith("7: ")


@pytest.mark.parametrize("line", ["card husu", "kort svinet", "rules pig", "card"])
def test_a_card_is_drawn_where_it_is_told_of_but_not_in_plain_lines(line: str) -> None:
    client, _, _ = at_table()
    holding(client, Card.HUSU)
    (shown,) = [effect for effect in client.forget().type(line).effects if isinstance(effect, Show)]
    assert [one.card for one in shown.cards] == [Card.HUSU]
    plain, _, _ = at_table(plain=True)
    assert not [effect for effect in plain.forget().type(line).effects if isinstance(effect, Show)]


@pytest.mark.parametrize("lang", ["sv", "en"])
@pytest.mark.parametrize("game", list(wire.Format))
@pytest.mark.parametrize("dealt", list(wire.Rank))
@pytest.mark.parametrize("word", ["rules", "regler", "help rules", "hjälp regler"])
def test_the_rules_are_those_of_the_table(word: str, lang: str, game: wire.Format, dealt: wire.Rank) -> None:
    client = in_room(plan=replace(PLAN, lang=lang))
    assert client.core.model.room is not None
    options = msgspec.structs.replace(OPTIONS, format=game, dealt_harlekin=dealt)
    state = msgspec.structs.replace(client.core.model.room, options=options)
    client.core.model = replace(client.core.model, room=state)
    client.type(word)
    assert 12 <= len(client.lines) <= 22
    assert say(lang, f"value.{game.value}") in client.lines[0]
    text = " ".join(client.lines)
    assert ("slutspel" in text or "the final" in text) is (game is wire.Format.STICKS)
    assert say(lang, f"lesson.harlequin_{dealt.value}") in text
    assert order_line(lang) in client.lines
    client.forget().type("card harlekin")
    assert say(lang, f"lesson.harlequin_{dealt.value}") in client.lines[0]
    assert "{" not in text


@pytest.mark.parametrize("lang", ["sv", "en"])
@pytest.mark.parametrize(
    ("line", "subject"),
    [("/rules husu", Card.HUSU), ("regler slänghög", Term.DISCARD), ("rules exempel", Topic.EXAMPLE)],
)
def test_a_topic_is_looked_up_at_the_table_and_in_the_lobby(line: str, subject: Subject, lang: str) -> None:
    plan = replace(PLAN, lang=lang)
    for client in (in_room(plan=plan), in_lobby(plan=plan), in_lobby(plan=plan, plain=True)):
        assert client.forget().type(line).lines == lesson(subject, lang)
        assert client.sent == []


def test_topics_are_completed_in_the_language_that_is_spoken() -> None:
    client = in_room(plan=replace(PLAN, lang="sv"))
    assert [text for text, _, _ in client.core.completions("regler k")] == ["kort", "Kransen", "Kavall", "Kuku"]


def test_in_the_lobby_the_rules_are_those_of_a_room_that_nobody_chose_otherwise() -> None:
    assert in_lobby().type("rules").lines[0] == "The rules of Kille, format pots:"


@pytest.mark.parametrize("lang", ["sv", "en"])
def test_help_create_has_a_line_for_every_option(lang: str) -> None:
    lines = in_lobby(plan=replace(PLAN, lang=lang)).type("help create").lines[2:]
    names = [line.strip().partition("=")[0] for line in lines]
    assert names == [option_word(name, lang) for name in (*wire.Options.__struct_fields__, "password")]
    clock = {"en": "  clock=0–600 (60): seconds for a decision; 0: no clock"}
    clock["sv"] = "  klocka=0–600 (60): sekunder för ett beslut; 0: ingen klocka"
    assert clock[lang] in lines


def test_the_formats_have_swedish_names() -> None:
    lines = in_lobby(plan=replace(PLAN, lang="sv")).type("help create").lines
    assert any(line.startswith("  spel=partier|pinnar (partier): ") for line in lines)
    told = in_room(plan=replace(PLAN, lang="sv")).type("bord").lines
    assert told[0] == "Bordet Bordet: partier (tre liv), kort, 3 platser."


@pytest.mark.parametrize("watch", [True, False])
def test_who_came_to_watch_is_told_how(*, watch: bool) -> None:
    client = Client(plan=replace(PLAN, watch=watch)).hear(WELCOME)
    client.hear(wire.Rooms(id=client.sent[-1].id, page=0, pages=1, rooms=()))
    hint = "The number of a table lets you look on there; Enter looks again; ? helps."
    assert (hint in client.lines) is watch


def test_help_begins_with_what_the_hand_waits_for() -> None:
    client, _, _ = at_table()
    holding(client, Card.KUKU)
    lines = client.forget().type("help all").lines
    words = [line.strip().partition(":")[0].partition(",")[0].partition(" ")[0] for line in lines if line[0] == " "]
    assert words == [
        "swap", "stand", "kuku", "next", "list", "leave", "say", "ignore", "unignore", "table", "score",
        "card", "rules", "coach", "why", "help", "quit", "pause", "resume", "kick", "ask", "yes", "no", "depends",
        "tournaments", "tournament", "enter", "withdraw", "here", "begin", "cancel", "standings", "schedule", "follow",
        "unfollow", "quick", "new", "join", "watch", "ready", "again", "start", "add", "remove",
    ]  # fmt: skip
    assert lines[0] == "What you can answer now:"
    assert "As host:" in lines


@pytest.mark.parametrize("lang", ["sv", "en"])
@pytest.mark.parametrize("where", ["lobby", "room", "hand", "watching"])
def test_all_means_all(where: str, lang: str) -> None:
    plan = replace(PLAN, lang=lang)
    client = {"lobby": in_lobby, "room": in_room}.get(where, lambda **options: at_table(**options)[0])(plan=plan)
    if where == "watching":
        client.core.model = replace(client.core.model, seat=None)
    lines = client.forget().type("help all").lines
    for row in TABLE:
        assert sum(line.startswith(f"  {help_line(row, lang)}") for line in lines) == 1


def test_the_marks_are_explained() -> None:
    (marks,) = in_lobby().type("help marks").lines
    assert all(mark in marks for mark in ("→ whose turn", "• changed", "16/20", "(9)", "[9]", "x struck", "d deals"))
    assert in_lobby(plan=replace(PLAN, lang="sv")).type("hjälp märken").lines[0].startswith("I statusraderna: →")
    assert marks in in_lobby().type("help all").lines


@pytest.mark.parametrize("lang", ["sv", "en"])
def test_again_is_for_a_table_and_says_so(lang: str) -> None:
    word = "igen" if lang == "sv" else "again"
    (line,) = in_lobby(plan=replace(PLAN, lang=lang)).type(word).lines
    assert line.startswith(f"{word} ")
    assert "samma folk" in line or "same people" in line
    client = in_room(plan=replace(PLAN, lang=lang)).type(word)
    assert client.sent == [wire.Ready(id=client.sent[0].id, ready=True)]


def test_help_for_who_is_not_host_and_not_asked() -> None:
    client = in_room("Bo", "Ada", "Cilla", plan=replace(PLAN, name="Bo"))
    model = client.core.model
    assert model.room is not None
    client.core.model = replace(model, seat=1, name="Ada", room=msgspec.structs.replace(model.room, host="Bo"))
    lines = client.type("hjälp allt").lines
    assert "As host:" not in lines
    assert any(line.startswith("  ready") for line in lines)
    here = lines[: lines.index("Elsewhere, or at other times:")]
    assert not any(line.startswith(("  swap", "  start", "  pause")) for line in here)


def test_who_adds_computers_is_told_how_well_they_play() -> None:
    client = in_room("Ada", "", "").forget().type("add 1 sharp")
    (command,) = client.sent
    client.hear(wire.Ok(id=command.id))
    assert client.lines == ["Level: sharp."]


def test_a_room_is_made_with_options() -> None:
    client = in_lobby().type("skapa Mitt bord platser=3 spel=pinnar coach=av lösenord=hemligt")
    (create,) = client.sent
    assert create.options.coach is wire.Coach.OFF
    assert (create.room, create.password) == ("Mitt bord", "hemligt")
    assert (create.options.seats, create.options.format) == (3, wire.Format.STICKS)


def test_every_command_is_answered_in_one_line_or_by_what_it_brings_about() -> None:
    client = in_room().type("leave")
    client.hear(wire.Ok(id=client.sent[-1].id))
    assert client.lines == ["You are in the lobby."]
    assert client.core.model.place is Place.LOBBY
    assert not client.core.waits


@pytest.mark.parametrize("code", list(wire.RefusalCode))
@pytest.mark.parametrize("lang", ["sv", "en"])
def test_every_refusal_is_one_line(code: wire.RefusalCode, lang: str) -> None:
    client = in_lobby(plan=replace(PLAN, lang=lang)).type("join B")
    client.hear(wire.Refused(id=client.sent[-1].id, code=code))
    keys = {wire.RefusalCode.PLAYING: "join_playing", wire.RefusalCode.ROOM_FULL: "join_full"}
    assert client.lines == [say(lang, keys.get(code, f"refused.{code.value}"), room="B")]
    assert not client.core.waits
    assert not client.core.is_moving


@pytest.mark.parametrize("code", [wire.RefusalCode.PLAYING, wire.RefusalCode.ROOM_FULL])
def test_who_cannot_sit_down_is_told_what_else_can_be_done(code: wire.RefusalCode) -> None:
    client = in_lobby().type("join Svea")
    client.hear(wire.Refused(id=client.sent[-1].id, code=code))
    assert "watch Svea looks on; new makes a table of your own." in client.lines[-1]
    client.forget().type("watch Svea")
    assert client.sent == [wire.Watch(id=client.sent[0].id, room="Svea", password=None)]


@pytest.mark.parametrize("line", ["join B", "watch B", "new"])
def test_who_watches_must_leave_before_going_elsewhere(line: str) -> None:
    client = in_room()
    client.core.model = replace(client.core.model, seat=None)
    assert client.type(line).lines[-1].endswith(" here: you are watching a table, type leave first.")
    assert client.forget().type("swap").lines == ["No swap here: you are watching."]


@pytest.mark.parametrize("news", list(wire.News))
@pytest.mark.parametrize("lang", ["sv", "en"])
def test_all_news_is_told(news: wire.News, lang: str) -> None:
    client = in_room(plan=replace(PLAN, lang=lang))
    client.hear(wire.RoomChanged(seq=1, news=news, who="Bo\x1b", room=room(*NAMES[:3])))
    assert client.lines
    assert all(line.isprintable() for line in client.lines)
    assert any("Bo\ufffd" in line for line in client.lines) or news.value in {
        "started",
        "paused",
        "resumed",
        "ended",
        "failed",
        "closed",
        "table_over",
    }


@pytest.mark.parametrize(
    ("news", "line"),
    [
        (wire.News.CLOSED, "The table is closed. You are in the lobby."),
        (wire.News.FAILED, "The table was lost to an error of the server. You are in the lobby."),
        (wire.News.TABLE_OVER, "The table is done. You are in the lobby."),
    ],
)
def test_a_room_that_was_closed_did_not_break_down(news: wire.News, line: str) -> None:
    client = in_room()
    client.hear(wire.RoomChanged(seq=1, news=news, who="", room=room("", "Bo", "Cilla")))
    assert client.lines == [line]


@pytest.mark.parametrize("news", [wire.News.LEFT, wire.News.KICKED])
@pytest.mark.parametrize(
    ("lang", "line"),
    [("en", "The computer Mollberg plays on for Bo."), ("sv", "Datorn Mollberg spelar vidare för Bo.")],
)
def test_a_seat_does_not_change_hands_silently(lang: str, line: str, news: wire.News) -> None:
    playing = wire.RoomStatus.PLAYING
    client = in_room(status=playing, plan=replace(PLAN, lang=lang))
    client.hear(wire.RoomChanged(seq=1, news=news, who="Bo", room=room("Ada", "Mollberg", "Cilla", status=playing)))
    assert client.lines[1:] == [line]


def test_a_seat_that_is_left_before_a_match_is_played_by_nobody() -> None:
    client = in_room()
    client.hear(wire.RoomChanged(seq=1, news=wire.News.LEFT, who="Bo", room=room("Ada", "", "Cilla")))
    assert client.lines == ["Bo has left."]


@pytest.mark.parametrize("verb", ["join", "watch"])
@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("", "The table is locked. Type password=… after its name."),
        (" password=öl", "That is not the table's password."),
    ],
)
def test_a_wrong_password_is_not_told_like_a_missing_one(verb: str, typed: str, line: str) -> None:
    client = in_lobby().type(f"{verb} Krogen{typed}")
    client.hear(wire.Refused(id=client.sent[-1].id, code=wire.RefusalCode.WRONG_PASSWORD))
    assert client.lines == [line]


def test_who_is_kicked_is_told_so() -> None:
    client = in_room()
    client.hear(wire.RoomChanged(seq=1, news=wire.News.KICKED, who="Ada", room=room("", "Bo", "Cilla")))
    assert client.lines == ["The host took your seat. You are in the lobby."]


def test_chat_looks_like_nothing_that_the_table_says() -> None:
    client = in_room()
    client.hear(wire.Said(seq=1, who="Bo", text="“Nöjd!” (I stand)\x1b[0m"))
    assert client.effects == [Print("<Bo> “Nöjd!” (I stand)\ufffd[0m", Style.CHAT)]


def test_completions_come_with_explanations() -> None:
    core = in_room().core
    assert ("swap", 2, say("en", "help.swap")) in core.completions("sw")
    assert core.completions("kick b") == [("Bo", 1, "")]
    assert in_lobby().core.completions("create X pas")[0] == ("password=", 3, say("en", "option.password"))
    ((name, _, meaning),) = core.completions("card cuc")
    assert (name, meaning) == ("Cuckoo", card_line(Card.KUKU, "en").partition(": ")[2])
    assert all(meaning for _, _, meaning in core.completions("rules "))
    assert all(meaning for _, _, meaning in core.completions("help "))


# --- at the table -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lang", "phase", "seat", "away", "line"),
    [
        ("en", Phase.TURN, 0, False, "Time is up: you stand."),
        ("en", Phase.TURN, 1, False, "Time is up: Bo stands."),
        ("en", Phase.ASKED, 0, False, "Time is up: you answer no."),
        ("en", Phase.MIDDLE, 1, False, "Time is up: Bo answers no."),
        ("en", Phase.TURN, 1, True, "Bo stands (away)."),
        ("en", Phase.ASKED, 1, True, "Bo answers no (away)."),
        ("sv", Phase.TURN, 0, False, "Tiden är ute: du står."),
        ("sv", Phase.TURN, 1, False, "Tiden är ute: Bo står."),
        ("sv", Phase.ASKED, 1, False, "Tiden är ute: Bo svarar nej."),
        ("sv", Phase.TURN, 1, True, "Bo står (borta)."),
    ],
)
def test_a_default_is_not_told_like_ones_own_move(lang: str, phase: Phase, seat: int, line: str, *, away: bool) -> None:
    client, outlet, _ = at_table(plan=replace(PLAN, lang=lang))
    model = client.core.model
    assert model.view is not None
    assert model.room is not None
    left = 90_000 if away else None
    seats = list(model.room.seats)
    seats[seat] = msgspec.structs.replace(seats[seat], away=left)
    state = msgspec.structs.replace(model.room, seats=tuple(seats))
    client.core.model = replace(model, room=state, view=replace(model.view, phase=phase, to_act=seat))
    client.forget().hear(outlet.event(wire.Late, seat=seat))
    assert client.lines == [line]


def test_a_question_is_told_with_its_answers_and_a_bell() -> None:
    client, _, _ = at_table()
    assert client.lines[-3:] == [
        "Bo: “Nöjd!” (I stand)",
        "Cilla swaps with you: you gave the Mask and got an Inn.",
        "Your turn, with an Inn: stand (s), draw from the talon (b).",
    ]
    assert client.effects[-1] == Bell()


@pytest.mark.parametrize(("line", "action"), [("s", Action.STAND), ("stå", Action.STAND), ("nöjd", Action.STAND)])
def test_an_answer_names_the_question(line: str, action: Action) -> None:
    client, outlet, table = at_table()
    client.forget().type(line)
    (decide,) = client.sent
    assert from_do(decide.do) is action
    assert client.core.model.asked is not None
    assert decide.turn == client.core.model.asked.turn
    client.hear(wire.Ok(id=decide.id))
    table.act(action)
    client.hear(*outlet.take())
    assert "You: “Nöjd!” (I stand)" in client.lines


def test_a_second_answer_is_not_sent() -> None:
    client, _, _ = at_table()
    client.type("s").forget().type("b")
    assert client.sent == []
    assert client.lines == ["Your answer is sent already."]


def test_a_refused_answer_can_be_given_again() -> None:
    client, _, _ = at_table()
    client.type("s")
    client.hear(wire.Refused(id=client.sent[-1].id, code=wire.RefusalCode.TOO_FAST))
    client.forget().type("s")
    assert len(client.sent) == 1


def test_a_question_told_again_after_a_pause_is_not_asked_twice_of_who_has_answered() -> None:
    client, outlet, table = at_table()
    question = wire.Question(
        seq=outlet.seq,
        turn=client.core.model.asked.turn,  # type: ignore[union-attr]  # it was asked
        legal=3,
        ms=0,
        view=to_view(observe(table.match, 0)),
    )
    client.forget().hear(question)
    assert len(client.lines) == 1
    client.type("s").forget().hear(question)
    assert client.lines == []


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("ja", "Nobody has asked you."),
        ("depends", "Nobody has asked you."),
    ],
)
def test_answers_that_do_not_fit_the_question(line: str, text: str) -> None:
    client, _, _ = at_table()
    client.forget().type(line)
    assert client.lines == [text]
    assert client.sent == []


def test_answers_that_do_not_fit_an_ask_for_better_cards() -> None:
    client, _, _ = at_table()
    model = client.core.model
    assert model.asked is not None
    client.core.model = replace(model, asked=replace(model.asked, legal=(Action.REFUSE, Action.DEPENDS)))
    client.forget().type("s").type("ja").type("beror")
    assert client.lines == ["Answer first whether there are to be better cards.", "That is no answer to this question."]
    assert [message.do for message in client.sent] == [wire.Do.DEPENDS]


def test_out_of_turn_there_is_nothing_to_answer() -> None:
    client, outlet, table = at_table(OTHERS_FOLLOW)
    table.act(Action.STAND)
    client.hear(*outlet.take()).forget().type("s").type("nej")
    assert client.lines == ["It is not your turn.", "There is nothing to answer."]
    assert client.sent == []


@pytest.mark.parametrize(
    ("card", "low", "asks"),
    [
        (Card.VARDSHUS, False, True),
        (Card.KAVALL, False, True),
        (Card.HUSU, False, True),
        (Card.HUSAR, False, True),
        (Card.KUKU, False, True),
        (Card.HARLEKIN, False, True),
        (Card.HARLEKIN, True, False),
        (Card.N12, False, False),
        (Card.BLAREN, False, False),
    ],
)
def test_giving_away_a_matador_or_a_high_harlekin_is_asked_about_first(card: Card, low: bool, asks: bool) -> None:  # noqa: FBT001  columns
    """Rule T3."""
    client, _, _ = at_table()
    holding(client, card, low=low)
    client.forget().type("b")
    assert bool(client.sent) is not asks
    assert bool(client.lines) is asks
    if asks:
        client.type("ja")
        assert [message.do for message in client.sent] == [wire.Do.SWAP]


def test_who_is_not_sure_keeps_the_card() -> None:
    client, _, _ = at_table()
    holding(client, Card.HUSAR)
    client.forget().type("b").type("nej")
    assert client.sent == []
    assert client.lines[-1] == "You keep your card. stand (s), draw from the talon (b)."
    client.forget().type("ja")
    assert client.lines == ["Nobody has asked you."]
    client.type("b").type("s")
    assert [message.do for message in client.sent] == [wire.Do.STAND]


def test_a_yes_to_an_earlier_question_swaps_nothing() -> None:
    client, outlet, table = at_table()
    holding(client, Card.HUSAR)
    client.type("b")
    table.act(Action.STAND)
    assert table.step()
    client.hear(*outlet.take()).forget().type("ja")
    assert client.sent == []


# --- Kuku -------------------------------------------------------------------------------------------------------------


def test_kuku_is_called_out_of_turn_and_never_twice_at_once() -> None:
    """Rule M7."""
    client, outlet, table = at_table(OTHERS_FOLLOW)
    table.act(Action.STAND)
    client.hear(*outlet.take()).forget()
    for _ in range(5):
        client.took(client.core.kuku())
    assert client.sent == [wire.CallKuku(id=client.sent[0].id, seq=outlet.seq)]
    assert client.lines == ["You call Kuku …"]
    client.hear(wire.Refused(id=client.sent[0].id, code=wire.RefusalCode.NO_KUKU))
    assert client.lines[-1] == "You hold no Cuckoo."
    client.type("kuku")
    assert len(client.sent) == 2
    client.hear(wire.Ok(id=client.sent[1].id))
    client.took(client.core.kuku())
    assert len(client.sent) == 3


def test_kuku_leaves_the_open_question_open() -> None:
    client, _, _ = at_table()
    client.forget().took(client.core.kuku()).type("s")
    assert [type(message) for message in client.sent] == [wire.CallKuku, wire.Decide]


def test_kuku_outside_a_match_is_told_and_not_sent() -> None:
    client = in_room()
    client.took(client.core.kuku())
    assert client.lines == ["No match is being played."]
    spectator = in_room("Bo", "Cilla", "Doris")
    spectator.took(spectator.core.kuku())
    assert spectator.lines == ["No kuku here: you are watching."]
    assert spectator.sent == []


# --- autopilot, plain, leaving ----------------------------------------------------------------------------------------


class Standing(Bot):
    def __init__(self) -> None:
        self.seen: list[Any] = []
        self.calls = 0

    def decide(self, view: View) -> Action:
        return view.legal[0] if Action.STAND not in view.legal else Action.STAND

    def calls_kuku(self, view: View) -> bool:
        self.calls += 1
        return True

    def saw(self, event: object) -> None:
        self.seen.append(event)


@pytest.mark.parametrize("seed", range(8))
def test_an_autopilot_plays_to_the_end_and_leaves(seed: int) -> None:
    bot = Standing()
    client = in_lobby(plan=replace(PLAN, autopilot=bot)).type("join Bordet")
    client.hear(
        wire.Ok(id=client.sent[-1].id),
        wire.Snapshot(seq=0, room=room(*NAMES[:3]), view=None, match=0, open=None, rest=None),
    )
    assert client.sent[-1] == wire.Ready(id=client.sent[-1].id, ready=True)
    outlet = Outlet()
    table = Table(outlet, seed)
    table.begin()
    while table.step():
        client.forget().hear(*outlet.take())
        answers = [message for message in client.sent if isinstance(message, wire.Decide | wire.CallKuku)]
        holds_kuku = Action.KUKU in observe(table.match, 0).legal
        assert any(isinstance(message, wire.CallKuku) for message in answers) or not holds_kuku
        for answer in answers:
            if isinstance(answer, wire.CallKuku) and not holds_kuku:  # it is swapped away by now
                client.hear(wire.Refused(id=answer.id, code=wire.RefusalCode.NO_KUKU))
                continue
            client.hear(wire.Ok(id=answer.id))
            table.act(Action.KUKU if isinstance(answer, wire.CallKuku) else from_do(answer.do))
            break
        assert client.quit is None
    client.forget().hear(*outlet.take())
    assert client.quit is None, "the shuffle is still to be told of"
    table.end()
    client.hear(*outlet.take())
    assert client.quit == Quit(0)
    assert bot.seen
    assert Bell() not in client.effects


def test_an_autopilot_that_is_refused_takes_the_default() -> None:
    client, _, _ = at_table(plan=replace(PLAN, autopilot=Standing()))
    answer = client.sent[-1]
    client.forget().hear(wire.Refused(id=answer.id, code=wire.RefusalCode.TOO_FAST))
    assert [message.do for message in client.sent] == [wire.Do.STAND]
    client.forget().hear(wire.Refused(id=client.core._sent._last_id, code=wire.RefusalCode.OLD_TURN))
    assert client.sent == []


def test_an_autopilot_without_a_place_leaves() -> None:
    client = Client(plan=replace(PLAN, room="Bordet", autopilot=Standing())).hear(WELCOME)
    client.hear(wire.Refused(id=1, code=wire.RefusalCode.ROOM_FULL))
    assert client.quit == Quit(4)


def test_plain_mode_says_whose_turn_it_is() -> None:
    client = in_room(plain=True)
    outlet = Outlet()
    table = Table(outlet, 3)
    table.begin()
    table.step(ms=20_000)
    client.hear(*outlet.take())
    assert "To act: Bo, 20 s." in client.lines
    assert "To act: you, 20 s." not in client.lines
    quiet = in_room()
    table = Table(Outlet(), 3)
    table.begin()
    table.step(ms=20_000)
    assert not any(line.startswith("To act") for line in quiet.lines)


def test_leaving_on_purpose_gives_up_the_seat() -> None:
    client = in_room().type("quit")
    assert [type(message) for message in client.sent] == [wire.Leave]
    assert client.quit == Quit(0)
    client = in_lobby().type("sluta")
    assert client.sent == []
    assert client.quit == Quit(0)


def test_the_end_of_a_match_invites_to_another() -> None:
    client, outlet, table = at_table()
    table.act(Action.STAND)
    while table.step():
        table.act(Action.STAND if Action.STAND in observe(table.match, 0).legal else Action.REFUSE)
    outlet.send(outlet.event(wire.RoomChanged, news=wire.News.ENDED, who="", room=room(*NAMES[:3])))
    client.hear(*outlet.take())
    assert client.lines[-2:] == [
        "The match is over.",
        "Type again for a rematch with the same people, leave for the lobby.",
    ]
    assert client.core.has_ended
    assert client.core.model.asked is None


def test_the_silence_of_a_server_is_told() -> None:
    client = in_room()
    client.core.heard(10.0)
    assert client.core.status(16.0, (80, 24))[0][0].text == "Bordet 3/3"
    assert client.core.status(19.5, (80, 24))[0][0].text == "no contact for 9 s"


def test_of_a_lost_line_the_age_and_the_attempts_are_told_and_not_when_the_server_stops() -> None:
    client = in_room()
    client.hear(wire.Notice(code=wire.NoticeCode.DRAINING, text="", ms=30_000))
    client.core.heard(10.0)
    assert any("stops" in span.text for span in client.core.status(10.0, (80, 24))[0])
    client.forget().took(client.core.lost(12.0, 1, "The server is shutting down."))
    assert client.lines == ["The server is shutting down.", "No contact with the server; trying again."]
    client.forget().took(client.core.lost(13.0, 4, "The server has no room for you now."))
    assert client.lines == [], "it is said once"
    line = client.core.status(14.0, (80, 24))[0]
    assert "".join(span.text for span in line).startswith("no contact for 4 s, attempt 4 · Bordet 3/3")


def test_what_cannot_be_true_is_not_believed() -> None:
    client, outlet, _ = at_table()
    with pytest.raises(RemoteProtocolError):
        client.hear(wire.Stood(seq=outlet.seq + 5, seat=0))


def test_hostile_texts_are_shown_as_they_are() -> None:
    evil = ("Ada", "</b>%s{0}", "\x1b]52;c;x\x07")
    state = msgspec.structs.replace(room(*evil), name="\x9b2J\u202e")
    client = in_lobby().type("join x")
    client.hear(
        wire.Ok(id=client.sent[-1].id), wire.Snapshot(seq=0, room=state, view=None, match=0, open=None, rest=None)
    )
    outlet = Outlet()
    table = Table(outlet, 3, evil)
    table.begin()
    table.step()
    client.hear(*outlet.take()).type("bord")
    shown = client.lines + ["".join(span.text for span in line) for line in client.core.status(0.0, (80, 24))]
    assert all(line.isprintable() for line in shown)
    assert any("</b>%s{0}" in line for line in shown)


# --- after a lost line ------------------------------------------------------------------------------------------------


def back(client: Client, resumed: wire.Resumed = wire.Resumed.ROOM, last_id: int = 0) -> Client:
    welcome = wire.Welcome(
        version=1, agent="srv", name="Ada", settings={}, ticket="a" * 64, resumed=resumed, last_id=last_id
    )
    return client.took(client.core.lost(client.now, 1)).hear(welcome)


def test_what_was_not_answered_is_said_again_with_its_number() -> None:
    client = in_room()
    client.type("say one").type("say two")
    one, two = client.sent[-2:]
    client.hear(wire.Ok(id=one.id)).forget()
    back(client)
    assert client.sent == [two]
    assert client.core.is_moving


def test_what_was_said_again_may_be_answered_twice_and_no_oftener() -> None:
    """§5.3: an answer that was held is given just before the command comes again."""
    client = in_room()
    client.type("say one")
    one = client.sent[-1]
    back(client)
    client.hear(wire.Ok(id=one.id), wire.Ok(id=one.id))
    with pytest.raises(RemoteProtocolError):
        client.hear(wire.Ok(id=one.id))


def test_the_seat_that_is_gone_is_told() -> None:
    client = in_room()
    back(client, wire.Resumed.LOBBY)
    assert client.core.model.place is Place.LOBBY
    assert client.lines[-1] == "Your seat is gone; you are in the lobby."


def test_another_client_of_ours_goes_on_above_our_numbers_and_does_not_join() -> None:
    client = Client(plan=replace(PLAN, room="Bordet"))
    welcome = wire.Welcome(
        version=1, agent="srv", name="Ada", settings={}, ticket="a" * 64, resumed=wire.Resumed.ROOM, last_id=41
    )
    client.hear(welcome)
    assert client.sent == []
    client.hear(wire.Snapshot(seq=9, room=room(*NAMES[:3]), view=None, match=0, open=None, rest=None))
    client.type("ready")
    assert client.sent[-1].id > 41


def test_an_answer_under_way_is_not_asked_for_again() -> None:
    """The snapshot and the question come before the server has our answer once more."""
    client, _, table = at_table()
    client.type("stand")
    decision = client.sent[-1]
    back(client)
    assert client.sent[-1] == decision
    state = room(*NAMES[:3], options=OPTIONS, status=wire.RoomStatus.PLAYING)
    view = to_view(observe(table.match, 0))
    question = wire.OpenQuestion(turn=decision.turn, seat=0, ms=7000, window=0)
    client.hear(wire.Snapshot(seq=99, room=state, view=view, match=1, open=question, rest=None)).forget()
    assert client.core.model.turn is not None
    assert client.core.model.turn.deadline == 7.0
    client.hear(wire.Question(seq=99, turn=decision.turn, legal=table.match.legal(0), ms=7000, view=view))
    assert client.effects == []
    client.hear(wire.Refused(id=decision.id, code=wire.RefusalCode.OLD_TURN)).type("stand")
    assert client.sent[-1].id > decision.id


# --- a server that says what nobody asked -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer",
    [
        wire.Ok(id=77),
        wire.Refused(id=77, code=wire.RefusalCode.TOO_FAST),
        wire.Rooms(id=77, page=0, pages=1, rooms=()),
        wire.Rooms(id=1, page=1, pages=2, rooms=()),
        wire.Tournaments(id=77, page=0, pages=1, tournaments=()),
    ],
)
def test_an_answer_to_nothing_is_the_servers_fault(answer: wire.ServerMessage) -> None:
    for client in (in_lobby(), in_room()):
        model = client.core.model
        with pytest.raises(RemoteProtocolError) as error:
            client.hear(answer)
        assert (error.value.code, error.value.place) == (wire.ByeCode.BAD_FIELD, "id")
        assert client.core.model == model
        assert not client.effects


@pytest.mark.parametrize(
    ("answer", "code", "place"),
    [
        (wire.Ok(id=1), wire.ByeCode.UNEXPECTED, "t"),
        (wire.Tournaments(id=1, page=0, pages=1, tournaments=()), wire.ByeCode.UNEXPECTED, "t"),
        (wire.Rooms(id=1, page=3, pages=4, rooms=()), wire.ByeCode.BAD_FIELD, "page"),
    ],
)
def test_an_answer_to_something_else_is_the_servers_fault(
    answer: wire.ServerMessage, code: wire.ByeCode, place: str
) -> None:
    client = Client().hear(WELCOME)
    with pytest.raises(RemoteProtocolError) as error:
        client.hear(answer)
    assert (error.value.code, error.value.place) == (code, place)


def test_a_list_is_no_answer_to_a_way_in() -> None:
    client = in_lobby().type("join Bordet")
    with pytest.raises(RemoteProtocolError) as error:
        client.hear(wire.Rooms(id=client.sent[-1].id, page=0, pages=1, rooms=()))
    assert (error.value.code, error.value.place) == (wire.ByeCode.UNEXPECTED, "t")


def test_the_bell_rings_once_a_second_at_most() -> None:
    client, outlet, table = at_table()
    bells = []
    for turn in range(50):
        client.now = turn * 0.1
        table.ask(0)
        client.forget().hear(*outlet.take())
        bells += [client.now for effect in client.effects if isinstance(effect, Bell)]
    assert bells == [1.0, 2.0, 3.0, 4.0]


# --- what the server says of itself -----------------------------------------------------------------------------------


def notice(code: wire.NoticeCode, text: str = "", ms: int = 0) -> wire.Notice:
    return wire.Notice(code=code, text=text, ms=ms)


def status_of(client: Client) -> str:
    return "\n".join("".join(span.text for span in line) for line in client.core.status(client.now, (80, 24)))


@pytest.mark.parametrize("where", [in_lobby, in_room], ids=["lobby", "room"])
def test_a_notice_is_told_wherever_we_are_and_holds_nothing_that_a_terminal_obeys(where: Any) -> None:  # noqa: ANN401  either
    client = where().hear(notice(wire.NoticeCode.ANNOUNCE, "back\x1b[2J at nine\u202e"))
    assert client.lines == ["*** From the server: back\ufffd[2J at nine\ufffd"]


def test_the_status_line_counts_down_to_the_end_of_the_server() -> None:
    client = in_room().hear(notice(wire.NoticeCode.DRAINING, "new disk", 30_000))
    assert client.lines == ["*** The server stops in 30 s.", "*** From the server: new disk"]
    client.now = 12.0
    assert "the server stops in 18 s" in status_of(client)
    assert "stops" not in status_of(client.hear(WELCOME))


def test_the_status_line_tells_that_the_server_cannot_save_until_it_can() -> None:
    client = in_room().hear(notice(wire.NoticeCode.CANNOT_SAVE))
    assert "cannot save" in status_of(client)
    assert "cannot save" not in status_of(client.hear(notice(wire.NoticeCode.SAVING_AGAIN)))


def test_an_autopilot_answers_again_once_the_server_can_save_and_not_before() -> None:
    client, _, _ = at_table(plan=replace(PLAN, autopilot=Standing()))
    answer = client.sent[-1]
    assert isinstance(answer, wire.Decide)
    client.forget().hear(
        notice(wire.NoticeCode.CANNOT_SAVE), wire.Refused(id=answer.id, code=wire.RefusalCode.CANNOT_SAVE)
    )
    assert not client.sent
    client.hear(notice(wire.NoticeCode.SAVING_AGAIN))
    (again,) = client.sent
    assert isinstance(again, wire.Decide)
    assert (again.turn, again.id > answer.id) == (answer.turn, True)
    client.forget().hear(notice(wire.NoticeCode.SAVING_AGAIN))
    assert not client.sent, "that answer is under way"


def test_the_score_is_shown_after_each_pot_and_the_showdown_as_cards_between_its_words() -> None:
    client, outlet, table = at_table()
    is_asked = True
    while is_asked:
        asked = client.core.model.asked
        assert asked is not None
        table.act(Action.STAND if Action.STAND in asked.legal else Action.REFUSE)
        is_asked = table.step()
        client.hear(*outlet.take())
    view = client.core.model.view
    assert view is not None
    ((pot, winner),) = client.core.model.won
    assert (pot, view.points[winner]) == (1, 1)
    score = client.lines.index("Score, pot 1 of 1:")
    assert client.lines[score + 1].startswith(f"1. {NAMES[winner]}")
    shown = [n for n, effect in enumerate(client.effects) if isinstance(effect, Show)]
    assert shown
    for n in shown:
        before, cards, after = client.effects[n - 1 : n + 2]
        assert isinstance(before, Print)
        assert isinstance(cards, Show)
        assert isinstance(after, Print)
        assert "Upp till bevis!" in before.text
        assert any(word in after.text for word in ("life", "lives"))
        assert len(cards.cards) == before.text.count(",") + 1


def test_who_watches_is_told_past_hands_with_open_cards() -> None:
    client = in_room("Bo", "Cilla", "Doris", status=wire.RoomStatus.PLAYING)
    four, eight, nine = int(Card.N4), int(Card.N8), int(Card.N9)
    move = wire.Move(seat=1, do=wire.Do.SWAP, target=2, cards=(four, nine, eight))
    client.hear(wire.HandShown(hand=4, deal=1, cards=(four, eight, nine), moves=(move,)))
    assert client.lines == [
        "Hand 4, which is over, with open cards:",
        "  [4] The cards are dealt: Bo 4, Cilla 8, Doris 9.",
        "  [4] Cilla swaps with Doris: Cilla gave an 8 and got a 9.",
    ]
    assert {effect.style for effect in client.effects if isinstance(effect, Print)} == {Style.QUIET}
    assert not client.sent
