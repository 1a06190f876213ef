"""Tournaments in the line client: what one types, what one is told, and how one comes to a table and back."""

from dataclasses import replace

import msgspec
import pytest

from kille_net.client.commands import TOURNAMENTS, Takes, Verb, suggest
from kille_net.client.effects import Bell, Print, Style
from kille_net.client.options import (
    PLANS,
    default_word,
    option_meaning,
    option_values,
    option_word,
    read_plan,
    values_of,
)
from kille_net.client.showing.contradictions import contradicted
from kille_net.client.showing.naming import nameable
from kille_net.game.actions import Action
from kille_net.languages import LANGUAGES, words
from kille_net.wire import messages as wire
from kille_net.wire.options import DEFAULT_OPTIONS, DEFAULT_PLAN
from kille_net.wire.states import Place
from tests.client.contests import listed, news, row, rows, standings, tables
from tests.client.fake_server import NAMES, room, seat
from tests.client.looking import text_of
from tests.client.test_core import PLAN, WELCOME, Client, at_table, in_lobby, in_room

H = wire.Happening
CALLED = news(H.CALLED, who="Ada", round=2, table=1, room="Torsdag 2-1", s=30, seats=("Ada", "Bo", "Cilla"))


def answer(client: Client, *lines: wire.TournamentLine, pages: int = 1, page: int = 0) -> Client:
    asked = client.sent[-1]
    assert isinstance(asked, wire.ListTournaments)
    return client.hear(wire.Tournaments(id=asked.id, page=page, pages=pages, tournaments=lines))


def among(*lines: wire.TournamentLine, **options: object) -> Client:
    """In the lobby, where there are these tournaments."""
    client = Client(has_tournaments=True, **options).hear(WELCOME)  # type: ignore[arg-type]  # as they are
    client.hear(wire.Rooms(id=client.sent[-1].id, page=0, pages=1, rooms=()))
    return answer(client, *lines).forget()


def entered(**options: object) -> Client:
    client = among(listed(), **options).type("enter")
    return client.hear(wire.Ok(id=client.sent[-1].id)).forget()


def table(*names: str, status: wire.RoomStatus = wire.RoomStatus.GATHERING) -> wire.RoomState:
    """A tournament's, to which all of them are called."""
    state = room(*names, name="Torsdag 2-1", status=status)
    return msgspec.structs.replace(state, host="", seats=tuple(seat(name, ready=True) for name in names))


def pulled(client: Client) -> Client:
    """The server calls us to our table."""
    return client.hear(CALLED, wire.Snapshot(seq=0, room=table(*NAMES[:3]), view=None, match=0, open=None, rest=None))


def shown(client: Client, columns: int = 80) -> str:
    return " ".join(text_of(client.core.status(client.now, (columns, 24))))


# --- the list ---------------------------------------------------------------------------------------------------------


def test_with_the_lobby_one_line_says_that_a_tournament_is_open_and_what_to_type() -> None:
    client = Client(has_tournaments=True).hear(WELCOME)
    client.hear(wire.Rooms(id=client.sent[-1].id, page=0, pages=1, rooms=())).lines.clear()
    answer(client, listed(starts=600), listed("Cup", stage=wire.TournamentStage.OVER))
    assert client.lines == [
        'Tournament Torsdag (Swiss, 5 signed up, open, begins in 10 min): "enter Torsdag" signs you up.'
    ]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ((), []),
        ((listed(entered=True),), ["Signed up for Torsdag."]),
        ((listed(stage=wire.TournamentStage.CANCELLED),), []),
        (
            (listed("Stegen", kind=wire.TournamentKind.LADDER, stage=wire.TournamentStage.PLAYING),),
            ['Tournament Stegen (ladder, 5 signed up, playing): "enter Stegen" signs you up.'],
        ),
        ((listed("A"), listed("B")), ['2 tournaments are open for signing up; "tournaments" shows them.']),
        (
            (listed(stage=wire.TournamentStage.PLAYING, round=2, rounds=3),),
            [
                "Tournament Torsdag (Swiss, 5 take part, playing, round 2 of 3): "
                '"follow Torsdag" tells you how it goes.',
            ],
        ),
    ],
)
def test_what_is_said_of_tournaments_in_the_lobby(lines: tuple[wire.TournamentLine, ...], said: list[str]) -> None:
    client = Client(has_tournaments=True).hear(WELCOME)
    client.hear(wire.Rooms(id=client.sent[-1].id, page=0, pages=1, rooms=())).lines.clear()
    assert answer(client, *lines).lines == said


def test_a_new_tournament_is_told_once_while_one_looks_on_the_lobby() -> None:
    client = among(listed("A"))
    for now in (40.0, 80.0):
        client.now = now
        client.took(client.core.tick(now))
        client.hear(wire.Rooms(id=client.sent[-1].id, page=0, pages=1, rooms=()))
        answer(client, listed("A"), listed("B"))
    assert [line.partition(" (")[0] for line in client.lines] == ["Tournament B"]


def test_between_two_looks_of_ours_at_tournaments_there_is_half_a_minute() -> None:
    client = among()
    client.now = 10.0
    client.took(client.core.tick(10.0))
    client.hear(wire.Rooms(id=client.sent[-1].id, page=0, pages=1, rooms=()))
    assert [type(message) for message in client.sent] == [wire.ListRooms]


def test_the_list_is_numbered_and_says_what_to_type() -> None:
    client = answer(
        among().type("tournaments"),
        listed(starts=600),
        listed("Cup", kind=wire.TournamentKind.KNOCK_OUT, stage=wire.TournamentStage.PLAYING, round=1, rounds=2),
    )
    assert client.lines[:2] == [
        "1  Torsdag  Swiss, tables of 4      5/64  open, begins in 10 min",
        "2  Cup      knock-out, tables of 4  5/64  playing, round 1 of 2",
    ]
    assert client.lines[2].startswith('"enter" and a number signs you up')
    assert client.forget().type("enter 2").sent[0].tournament == "Cup"


def test_a_long_list_comes_in_pages() -> None:
    client = among().type("turneringar")
    answer(client, *(listed(f"T {n}") for n in range(10)), pages=2)
    answer(client, listed("Sist"), page=1, pages=2)
    assert [message.page for message in client.sent] == [0, 1]
    assert client.lines[0].startswith(" 1  T 0")
    assert client.lines[10].startswith("11  Sist")


def test_where_there_are_none_one_is_told_how_to_make_one() -> None:
    client = answer(among().type("tournaments"))
    assert client.lines == ["There are no tournaments.", '"tournament" tells how to make one.']


# --- making one -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGUAGES)
def test_alone_the_word_explains_with_an_example_that_can_be_typed(lang: str) -> None:
    client = among(plan=replace(PLAN, lang=lang))
    lines = client.type(words(lang, "words.verb.tournament")[0]).lines
    assert 3 <= len(lines) <= 6
    (example,) = [line for line in lines if line.startswith("  ")]
    (command,) = client.forget().type(example).sent
    options = msgspec.structs.replace(DEFAULT_OPTIONS, computers=3)
    plan = msgspec.structs.replace(DEFAULT_PLAN, options=options, start=600)
    assert command == wire.OpenTournament(id=command.id, tournament="Torsdag", plan=plan)


@pytest.mark.parametrize(
    ("typed", "changes", "of_tables"),
    [
        ("", {}, {}),
        (" kind=cup through=1", {"kind": wire.TournamentKind.KNOCK_OUT, "through": 1}, {}),
        (" form=alla-mot-alla", {"kind": wire.TournamentKind.ROUND_ROBIN}, {}),
        (" slag=stege", {"kind": wire.TournamentKind.LADDER}, {}),
        (" duplikat=på minuter=2h", {"duplicate": True, "minutes": 120}, {}),
        (" kind=cup seats=3", {"kind": wire.TournamentKind.KNOCK_OUT, "through": 1}, {"seats": 3}),
        (" start=2h check_in=5m pause=90", {"start": 7200, "check_in": 300, "pause": 90}, {}),
        (" seats=3 clock=20 spel=pinnar", {"through": 1}, {"seats": 3, "clock": 20, "format": wire.Format.STICKS}),
    ],
)
def test_every_option_is_name_and_value(typed: str, changes: dict[str, object], of_tables: dict[str, object]) -> None:
    (command,) = among().type(f"tournament Min cup{typed}").sent
    options = msgspec.structs.replace(DEFAULT_OPTIONS, **of_tables)
    assert command.tournament == "Min cup"
    assert command.plan == msgspec.structs.replace(DEFAULT_PLAN, options=options, **changes)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("tournament Cup colour=red", "colour is no option of a tournament. Possible: kind, rounds,"),
        ("tournament Cup password=x", "password is no option of a tournament."),
        ("tournament Cup kind=poker", "kind=poker is not possible. Possible: kind=round_robin|swiss|knock_out|ladder."),
        ("tournament Cup most=65", "most=65 is not possible. Possible: most=2–64."),
        ("tournament Cup duplicate=2", "duplicate=2 is not possible. Possible: duplicate=on|off."),
        ("tournament Cup start=9d", "start=9d is not possible. Possible: start=0–604800|10m|2h|20:30."),
        ("tournament Cup start=24:00", "start=24:00 is not possible."),
        ("tournament Cup minutes=90s", "minutes=90s is not possible. Possible: minutes=1–600|10m|2h."),
        ("turnering Cup högst=65", "högst=65 is not possible. Possible: högst=2–64."),
        ("tournament Cup seats = 3", "There is no space around =: type it like seats=3."),
        ("tournament Cup seats= 3", "There is no space around ="),
        ("tournament Cup seats =3", "There is no space around ="),
        ("tournament Cup start=99999h", "start=99999h is not possible."),
        ("tournament kind=swiss", "A tournament needs a name"),
        ("tournament A:B", "A tournament's name has 1 to 16 letters"),
    ],
)
def test_what_cannot_be_is_one_line(typed: str, said: str) -> None:
    client = among().type(typed)
    assert client.sent == []
    (line,) = client.lines
    assert line.startswith(said)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("clock=0", "clock must not be 0 in a tournament"),
        ("antal=9 most=8", "antal=9 can never sign up: there is place for 8 (most)."),
        ("number=3 computers=3", "number=3 would be reached by the computers alone (computers=3)"),
        ("computers=7 most=4", "computers=7 do not fit: there is place for 4 (most)."),
        ("kind=cup through=3", "through=3 is too many: of a table of 4 at most 2 can go on"),
        ("kind=ladder number=4", "A ladder is open all the time"),
        ("kind=cup duplicate=on", "A knock-out has no duplicates"),
        ("start=60 check_in=2m", "check_in (120 s) cannot be longer than the time until the start (60 s)."),
    ],
)
def test_a_plan_that_contradicts_itself_is_not_sent_and_one_line_says_why(typed: str, said: str) -> None:
    client = among().type(f"tournament Cup {typed}")
    assert client.sent == []
    (line,) = client.lines
    assert line.startswith(said)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_contradiction_has_its_sentence(lang: str) -> None:
    told = {
        contradicted(read(given), {}, lang)
        for given in (
            {"clock": "0"},
            {"number": "9", "most": "8"},
            {"number": "3", "computers": "3"},
            {"computers": "7", "most": "4"},
            {"kind": "knock_out", "through": "3"},
            {"kind": "ladder", "start": "60"},
            {"kind": "knock_out", "duplicate": "on"},
            {"start": "60", "check_in": "61"},
        )
    }
    assert len(told) == 8
    assert all(line and "{" not in line for line in told)


def read(given: dict[str, str], of_day: int = 0) -> wire.Plan:
    plan = read_plan(given, of_day=of_day)
    assert isinstance(plan, wire.Plan)
    return plan


@pytest.mark.parametrize(
    ("typed", "of_day", "start"),
    [
        ("20:30", 19 * 3600, 5400),
        ("9.05", 9 * 3600, 300),
        ("20:30", 20 * 3600 + 1800, 86_400),
        ("20:30", 20 * 3600 + 1801, 86_399),
        ("00:00", 23 * 3600, 3600),
    ],
)
def test_a_time_of_day_that_is_past_is_that_of_tomorrow(typed: str, of_day: int, start: int) -> None:
    assert read({"start": typed}, of_day).start == start


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("tournament Cup", 'Cup is open for signing up: "enter" signs you up, too; "begin Cup" begins it'),
        ("tournament Cup start=1h", "Cup is open for signing up, and begins in 60 min: "),
        ("tournament Cup number=8", "Cup is open for signing up, and begins when 8 have done so: "),
    ],
)
def test_who_has_made_one_is_told_how_it_begins(typed: str, said: str) -> None:
    client = among().type(typed)
    assert client.hear(wire.Ok(id=client.sent[-1].id)).lines[-1].startswith(said)


def test_who_has_made_one_need_not_name_it() -> None:
    client = among(listed("A"), listed("B")).type("tournament Cup")
    client.hear(wire.Ok(id=client.sent[-1].id))
    assert client.type("begin").sent[-1].tournament == "Cup"
    assert client.type("enter").sent[-1].tournament == "Cup"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_help_lists_every_option_with_its_range_default_and_meaning(lang: str) -> None:
    client = among(plan=replace(PLAN, lang=lang)).type("help tournament")
    for name in PLANS:
        start = f"  {option_word(name, lang)}={option_values(name, lang)} ({default_word(name, lang)}): "
        assert any(line.startswith(start) and len(line) > len(start) for line in client.lines), name


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_option_and_its_values_are_completed(lang: str) -> None:
    verb = words(lang, "words.verb.tournament")[0]
    found = {one.text: one.meaning for one in suggest(f"{verb} Cup ", lang, Place.LOBBY, lambda _: {}, str)}
    assert found == {f"{option_word(name, lang)}=": option_meaning(name, of_plan=True) for name in PLANS}
    for name in PLANS:
        given = option_word(name, lang)
        of_values = suggest(f"{verb} Cup {given}=", lang, Place.LOBBY, lambda _: {}, str)
        assert [one.text for one in of_values] == [f"{given}={value}" for value in values_of(name, lang)]


# --- what one types ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "command"),
    [
        ("enter torsdag", wire.SignUp(id=0, tournament="Torsdag")),
        ("anmäl 1", wire.SignUp(id=0, tournament="Torsdag")),
        ("enter", wire.SignUp(id=0, tournament="Torsdag")),
        ("enter Okänd", wire.SignUp(id=0, tournament="Okänd")),
        ("withdraw", wire.Withdraw(id=0)),
        ("avanmäl", wire.Withdraw(id=0)),
        ("here", wire.CheckIn(id=0)),
        ("här", wire.CheckIn(id=0)),
        ("begin", wire.BeginTournament(id=0, tournament="Torsdag")),
        ("börja Torsdag", wire.BeginTournament(id=0, tournament="Torsdag")),
        ("standings", wire.AskStandings(id=0, tournament="Torsdag", page=0)),
        ("tabell 1", wire.AskStandings(id=0, tournament="Torsdag", page=0)),
        ("ställning", wire.AskStandings(id=0, tournament="Torsdag", page=0)),
        ("schedule", wire.AskTables(id=0, tournament="Torsdag", round=0, page=0)),
        ("schedule 2", wire.AskTables(id=0, tournament="Torsdag", round=2, page=0)),
        ("spelschema torsdag 2", wire.AskTables(id=0, tournament="Torsdag", round=2, page=0)),
        ("follow", wire.Follow(id=0, tournament="Torsdag", on=True)),
        ("följ Torsdag", wire.Follow(id=0, tournament="Torsdag", on=True)),
        ("follow Torsdag off", wire.Follow(id=0, tournament="Torsdag", on=False)),
        ("avfölj", wire.Follow(id=0, tournament="Torsdag", on=False)),
    ],
)
def test_what_a_line_sends(typed: str, command: wire.Command) -> None:
    (sent,) = answer(among().type("tournaments"), listed()).forget().type(typed).sent
    assert msgspec.structs.replace(sent, id=0) == command


@pytest.mark.parametrize("typed", ["enter", "begin", "cancel", "standings", "schedule", "follow"])
def test_among_several_one_must_be_named_and_they_are_shown(typed: str) -> None:
    client = answer(among(listed("A"), listed("B")).type(typed), listed("A"), listed("B"))
    assert [type(message) for message in client.sent] == [wire.ListTournaments]
    assert client.lines[0] == "Which tournament? Type its name or its number after it; these there are:"
    assert client.lines[1].startswith("1  A ")


def test_a_number_after_schedule_is_one_of_the_list_where_no_tournament_is_meant() -> None:
    (command,) = among(listed("A"), listed("B")).type("schedule 2").sent
    assert (command.tournament, command.round) == ("B", 0)


def test_without_a_name_ours_is_meant_then_the_one_that_is_followed() -> None:
    client = among(listed("A"), listed("B")).type("follow B")
    client.hear(wire.Ok(id=client.sent[-1].id))
    assert client.type("standings").sent[-1].tournament == "B"
    client.type("enter A")
    client.hear(wire.Ok(id=client.sent[-1].id))
    assert client.type("standings").sent[-1].tournament == "A"
    client.hear(news(H.CANCELLED, "B"), news(H.OVER, "A", who="Bo"))
    assert client.type("standings").sent[-1].tournament == "A", "the one that was over last"


def test_every_order_to_tournaments_is_answered_or_sends_something_at_every_place() -> None:
    for client in (among(listed()), in_room(*NAMES[:3]), at_table()[0]):
        for verb in TOURNAMENTS:
            client.forget().type(verb)
            assert client.sent or client.lines, verb


@pytest.mark.parametrize(
    ("second", "cancels"), [("yes", True), ("cancel Torsdag", True), ("no", False), ("who", False)]
)
def test_a_tournament_is_called_off_at_a_yes_only(second: str, *, cancels: bool) -> None:
    client = among(listed()).type("cancel Torsdag")
    assert client.sent == []
    assert client.lines == ["Call off Torsdag, for all who take part? Answer yes or no."]
    sent = client.type(second).sent
    assert [type(message) for message in sent] == [wire.CancelTournament] * cancels
    assert client.forget().type("yes").sent == []


def test_a_yes_to_a_question_of_the_game_calls_nothing_off() -> None:
    client, outlet, dealt = at_table()
    client.type("cancel Torsdag").forget()
    client.type("stand")
    client.hear(wire.Ok(id=client.sent[-1].id))
    dealt.act(Action.STAND)
    while not dealt.step():
        pass
    client.hear(*outlet.take())
    assert not any(isinstance(message, wire.CancelTournament) for message in client.forget().type("yes").sent)


def test_names_are_completed() -> None:
    client = among(listed(), listed("Tisdag"))
    for typed in ("enter t", "standings t", "schedule T", "följ t", "avfölj t", "begin t", "avlys t"):
        assert [text for text, _, _ in client.core.completions(typed)] == ["Torsdag", "Tisdag"], typed


def test_begin_alone_at_ones_table_begins_its_match() -> None:
    (command,) = in_room(*NAMES[:3]).type("begin").sent
    assert type(command) is wire.Start


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("code", [code for code in wire.RefusalCode if "tournament" in code or code == "too_late"])
def test_a_refusal_is_one_line(code: wire.RefusalCode, lang: str) -> None:
    client = among(listed(), plan=replace(PLAN, lang=lang)).type("enter")
    client.hear(wire.Refused(id=client.sent[-1].id, code=code))
    assert len(client.lines) == 1
    assert client.core.model.contest.entered == ""


@pytest.mark.parametrize(
    ("typed", "shown"),
    [("enter", ["1", "2", "3"]), ("follow", ["4", "5"]), ("cancel", ["1", "2", "3", "4", "5"])],
)
def test_only_those_are_offered_of_which_it_can_be_said(typed: str, shown: list[str]) -> None:
    playing, over = wire.TournamentStage.PLAYING, wire.TournamentStage.OVER
    ladder = listed("Stegen", kind=wire.TournamentKind.LADDER, stage=wire.TournamentStage.PLAYING, entered=False)
    lines = (
        listed("Slut", stage=over),
        listed("Cup", stage=playing),
        listed("Liga", stage=wire.TournamentStage.BETWEEN),
        listed("A"),
        listed("B"),
        msgspec.structs.replace(ladder, stage=wire.TournamentStage.OPEN),
    )
    client = answer(among(*lines).type(typed), *lines)
    assert [line.split()[0] for line in client.lines[1:]] == shown
    assert client.forget().type("standings 6").sent[-1].tournament == "Slut", "what is over stands last"


def test_who_can_enter_none_is_told_so() -> None:
    over = listed(stage=wire.TournamentStage.OVER)
    client = answer(among(over).type("enter"), over)
    assert client.lines == ["There is no tournament to sign up for."]


def test_of_those_that_are_over_few_are_listed_until_all_are_asked_for() -> None:
    past = tuple(listed(f"T{n}", stage=wire.TournamentStage.OVER) for n in range(5))
    client = answer(among().type("tournaments"), *past, listed("Ny"))
    assert [line.split()[1] for line in client.lines[:4]] == ["Ny", "T0", "T1", "T2"]
    assert client.lines[4] == '2 more are over; "tournaments all" shows them.'
    client = answer(among().type("turneringar alla"), *past, listed("Ny"))
    assert [line.split()[1] for line in client.lines[:6]] == ["Ny", "T0", "T1", "T2", "T3", "T4"]
    assert not in_lobby().type("tournaments x").sent


def test_who_makes_one_hears_what_becomes_of_it_without_playing() -> None:
    client = among().type("tournament Cup")
    client.hear(wire.Ok(id=client.sent[-1].id))
    follow = client.sent[-1]
    assert follow == wire.Follow(id=follow.id, tournament="Cup", on=True)
    client.forget().hear(wire.Ok(id=follow.id))
    assert client.lines == []
    client.type("begin").hear(wire.Ok(id=client.sent[-1].id), news(H.CANCELLED, "Cup", text="too few take part"))
    assert client.lines == ["Cup is called off: too few take part."]


@pytest.mark.parametrize(
    ("typed", "stage", "said"),
    [
        ("begin", wire.TournamentStage.PLAYING, "Torsdag: playing, round 1."),
        ("begin", wire.TournamentStage.CANCELLED, "Torsdag: called off."),
        ("cancel/yes", wire.TournamentStage.CANCELLED, "Torsdag: called off."),
    ],
)
def test_who_follows_it_not_is_told_what_came_of_beginning_or_calling_off(
    typed: str, stage: wire.TournamentStage, said: str
) -> None:
    client = among(listed())
    for line in typed.split("/"):
        client.type(line)
    client.hear(wire.Ok(id=client.sent[-1].id)).lines.clear()
    assert answer(client, listed(stage=stage, round=1)).lines == [said]


def test_results_are_asked_for_like_a_schedule() -> None:
    (command,) = among(listed()).type("results Torsdag 2").sent
    assert msgspec.structs.replace(command, id=0) == wire.AskTables(id=0, tournament="Torsdag", round=2, page=0)
    assert among(listed()).type("resultat").sent[0].round == 0


@pytest.mark.parametrize(
    ("round_", "rounds", "said"),
    [
        (9, 3, "Torsdag has 3 rounds."),
        (2, 3, "Round 2 of Torsdag is not there yet."),
        (1, 3, "Torsdag has no tables yet."),
    ],
)
def test_a_round_that_is_not_there_is_told_so(round_: int, rounds: int, said: str) -> None:
    client = among(listed()).type(f"schedule Torsdag {round_}")
    empty = msgspec.structs.replace(tables(client.sent[-1].id), round=round_, rounds=rounds)
    assert client.hear(empty).lines == [said]


def test_a_round_is_a_number() -> None:
    client = among(listed()).type("schedule Torsdag två")
    assert client.sent == []
    assert client.lines == ["två is no round. Type a number after the name."]


# --- signing up -------------------------------------------------------------------------------------------------------


def test_who_has_signed_up_sees_it_and_what_comes() -> None:
    client = among(listed(starts=600, entered=True))
    assert "Torsdag begins in 10 min" in shown(client)
    client = entered()
    assert "signed up for Torsdag" in shown(client)
    client.now = 5.0
    client.hear(news(H.CHECK_IN, s=60))
    assert client.lines == ['Torsdag is about to begin: type "here" within 60 s, or you are not in it.']
    assert Bell() in client.effects
    assert 'Torsdag: type "here" within 60 s' in shown(client)
    client.type("here")
    client.hear(wire.Ok(id=client.sent[-1].id))
    assert "checked in, Torsdag begins in 60 s" in shown(client)


def test_the_sign_ups_of_others_are_quiet_and_ones_own_is_told_once() -> None:
    client = among(listed()).type("enter")
    client.hear(wire.Ok(id=client.sent[-1].id), news(H.SIGNED_UP, who="Ada"), news(H.SIGNED_UP, who="Bo"))
    told = [effect for effect in client.effects if isinstance(effect, Print)]
    assert [one.style for one in told] == [Style.LOUD, Style.QUIET]
    assert told[1].text == "Bo has signed up for Torsdag."


def test_who_has_withdrawn_takes_part_no_more() -> None:
    client = entered().type("withdraw")
    client.hear(wire.Ok(id=client.sent[-1].id), news(H.WITHDREW, who="Ada"))
    assert client.lines == ["You have withdrawn from Torsdag."]
    assert "Torsdag" not in shown(client)


def test_who_has_played_is_told_what_becomes_of_that() -> None:
    client = entered().hear(news(H.BYE, who="Ada", round=1)).forget().type("withdraw")
    client.hear(wire.Ok(id=client.sent[-1].id), news(H.WITHDREW, who="Ada"))
    line, hint = client.lines
    assert "what you have played counts" in line
    assert hint == '"follow Torsdag" tells you how it goes on.'


def test_who_follows_one_is_not_told_to() -> None:
    client = entered().type("follow Torsdag")
    client.hear(wire.Ok(id=client.sent[-1].id), news(H.BYE, who="Ada", round=1)).forget().type("withdraw")
    client.hear(wire.Ok(id=client.sent[-1].id))
    assert len(client.lines) == 1
    client.forget().type("list")
    client.hear(wire.Rooms(id=client.sent[-1].id, page=0, pages=1, rooms=())).lines.clear()
    assert answer(client, listed(stage=wire.TournamentStage.PLAYING, round=1)).lines == []


def test_who_missed_the_check_in_is_told_so_and_nothing_of_what_was_played() -> None:
    client = entered().hear(news(H.CHECK_IN, s=60)).forget().hear(news(H.DROPPED_OUT, who="Ada"), news(H.BEGAN))
    assert client.lines[0] == "You did not check in, so you are not in Torsdag."
    assert "Torsdag" not in shown(client)


def test_who_missed_too_much_is_told_so() -> None:
    client = entered().hear(news(H.BEGAN), news(H.ROUND, round=2)).forget().hear(news(H.DROPPED_OUT, who="Ada"))
    assert client.lines[0].startswith("You are out of Torsdag.")
    assert "What you have played stands" in client.lines[0]
    assert "Torsdag" not in shown(client)


@pytest.mark.parametrize("happening", list(H))
@pytest.mark.parametrize("lang", LANGUAGES)
def test_all_news_is_told_in_both_languages_whether_one_plays_or_follows(happening: H, lang: str) -> None:
    for client in (entered(plan=replace(PLAN, lang=lang)), among(listed(), plan=replace(PLAN, lang=lang))):
        client.hear(
            news(happening, who="Bo", round=1, table=2, s=15, seats=("Bo", "Eva"), places=(1, 2), text="x\x1b[31m")
        )
        assert client.lines
        assert all(line.isprintable() and "{" not in line for line in client.lines)


# --- at the table and back --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["lobby", "watching"])
def test_who_is_called_goes_to_the_table_at_once(where: str) -> None:
    client = entered()
    if where == "watching":
        client.type("watch Krogen")
        client.hear(wire.Ok(id=client.sent[-1].id))
        state = room("Doris", "Eva", "Frans", name="Krogen", status=wire.RoomStatus.PLAYING)
        client.hear(wire.Snapshot(seq=9, room=state, view=None, match=1, open=None, rest=None))
    pulled(client.forget())
    assert client.core.model.place is Place.SEATED
    assert client.core.model.is_called
    assert client.lines[0] == "You are called to table 1 in Torsdag, round 2, with Bo, Cilla."
    assert Bell() in client.effects
    assert client.sent == [], "it begins by itself"
    assert not any("ready when you" in line or "Type add" in line for line in client.lines)
    assert not any("30 s" in line for line in client.lines), "all are there"
    assert "begins in" not in shown(client)


def test_the_snapshot_may_come_before_the_news() -> None:
    client = entered()
    client.hear(wire.Snapshot(seq=0, room=table(*NAMES[:3]), view=None, match=0, open=None, rest=None), CALLED)
    assert client.core.model.is_called
    assert any(line.startswith("You are called to table 1") for line in client.lines)


def test_who_is_missing_is_seen() -> None:
    client = entered()
    state = table(*NAMES[:3])
    bo = msgspec.structs.replace(state.seats[1], away=0)
    state = msgspec.structs.replace(state, seats=(state.seats[0], bo, state.seats[2]))
    client.hear(CALLED, wire.Snapshot(seq=0, room=state, view=None, match=0, open=None, rest=None))
    assert "not here yet: Bo" in shown(client, 120)
    assert "begins in 30 s" in shown(client, 120)
    assert any(line.startswith("Not here yet: Bo. The match begins in 30 s at the latest") for line in client.lines)


def test_to_leave_the_table_of_a_tournament_is_asked_with_what_it_means() -> None:
    client = pulled(entered()).forget().type("leave")
    assert client.sent == []
    assert "you are out of the tournament Torsdag from the next round on" in client.lines[0]
    assert type(client.type("yes").sent[-1]) is wire.Leave
    client.hear(wire.Ok(id=client.sent[-1].id))
    assert '"follow Torsdag" tells you how it goes on.' in client.lines[-1]


@pytest.mark.parametrize(("answer_", "withdraws"), [("yes", True), ("withdraw", True), ("no", False), ("ready", False)])
def test_to_withdraw_at_ones_table_costs_the_seat_and_is_asked_like_leaving(answer_: str, *, withdraws: bool) -> None:
    client = pulled(entered()).forget().type("avanmäl")
    assert client.sent == []
    assert "you are out of the tournament Torsdag from the next round on" in client.lines[0]
    assert any(isinstance(sent, wire.Withdraw) for sent in client.type(answer_).sent) is withdraws


def test_to_withdraw_where_no_table_waits_is_not_asked() -> None:
    assert [type(sent) for sent in entered().type("withdraw").sent] == [wire.Withdraw]
    client, _, _ = at_table()
    assert [type(sent) for sent in client.forget().type("withdraw").sent] == [wire.Withdraw]


def test_at_the_end_of_the_table_one_is_in_the_lobby_with_what_comes_next() -> None:
    client = pulled(entered()).forget()
    client.hear(wire.RoomChanged(seq=1, news=wire.News.TABLE_OVER, who="", room=table(*NAMES[:3])))
    assert client.lines == ["The table is done. You are in the lobby."]
    assert [effect.style for effect in client.effects if isinstance(effect, Print)] == [Style.PLAIN]
    assert "your table is done" in shown(client)
    client.hear(news(H.TABLE_OVER, round=2, table=1, seats=NAMES[:3], places=(2, 1, 3)))
    assert client.lines[-1] == "Torsdag, your table: 1. Bo, 2. Ada (you), 3. Cilla."
    client.hear(news(H.ROUND_OVER, round=2, s=15))
    assert client.lines[-1] == "Torsdag: round 2 is over. The next one begins in 15 s."
    assert client.sent == [wire.AskStandings(id=client.sent[-1].id, tournament="Torsdag", page=0)]
    assert "the next round in 15 s" in shown(client)
    client.hear(news(H.BYE, who="Ada", round=3))
    assert client.lines[-1] == "Torsdag: you sit out round 3, for half a point."
    assert "you sit out round 3" in shown(client)


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ((1, 2), "Torsdag, table 3: 1. Bo, 2. Eva."),
        ((0, 0), "Torsdag, table 3, does not count."),
        ((), "Torsdag, table 3, is done."),
    ],
)
def test_the_tables_of_others_are_a_quiet_line_each(places: tuple[int, ...], said: str) -> None:
    client = entered().hear(news(H.TABLE_OVER, round=1, table=3, seats=("Bo", "Eva"), places=places))
    assert client.effects == [Print(said, Style.QUIET)]


def test_while_ones_tournament_is_played_the_lobby_is_not_listed_by_itself() -> None:
    client = pulled(entered()).forget()
    client.hear(wire.RoomChanged(seq=1, news=wire.News.TABLE_OVER, who="", room=table(*NAMES[:3])))
    client.now = 60.0
    assert client.forget().took(client.core.tick(60.0)).sent == []
    client.hear(news(H.OVER, who="Bo"))
    client.hear(standings(client.sent[-1].id, row(1, "Bo"))).forget()
    client.now = 61.0
    assert [type(message) for message in client.took(client.core.tick(61.0)).sent] == [wire.ListRooms]


def test_who_comes_back_to_a_table_knows_what_leaving_means_and_asks_which_tournament_it_is() -> None:
    client = Client(has_tournaments=True).hear(msgspec.structs.replace(WELCOME, resumed=wire.Resumed.ROOM))
    client.hear(wire.Snapshot(seq=0, room=table(*NAMES[:3]), view=None, match=0, open=None, rest=None))
    assert "out of the tournament Torsdag" in client.type("leave").lines[-1]
    answer(client, listed(stage=wire.TournamentStage.PLAYING, round=2, entered=True))
    assert client.core.model.contest.entered == "Torsdag"


def test_what_was_missed_while_the_line_was_lost_is_asked_for() -> None:
    client = entered().hear(news(H.BYE, who="Ada", round=1)).forget()
    client.took(client.core.lost(5.0, 1))
    client.hear(msgspec.structs.replace(WELCOME, resumed=wire.Resumed.LOBBY, last_id=9))
    answer(client, listed(stage=wire.TournamentStage.BETWEEN, round=1, entered=True))
    assert "round 1 is over" in shown(client)
    client.took(client.core.lost(6.0, 1))
    client.hear(msgspec.structs.replace(WELCOME, resumed=wire.Resumed.LOBBY, last_id=20))
    answer(client, listed(stage=wire.TournamentStage.OVER, entered=True))
    assert "Torsdag" not in shown(client)


def test_who_comes_back_to_the_lobby_is_told_how_it_is() -> None:
    client = entered().hear(news(H.BYE, who="Ada", round=2)).forget()
    client.took(client.core.lost(5.0, 1))
    client.hear(msgspec.structs.replace(WELCOME, resumed=wire.Resumed.LOBBY, last_id=9)).lines.clear()
    answer(client, listed(stage=wire.TournamentStage.PLAYING, round=3, rounds=4, entered=True))
    assert client.lines[:2] == ["Torsdag, round 3 is being played.", '"standings" tells how it stands.']


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (listed(stage=wire.TournamentStage.OVER), "Torsdag: over."),
        (listed(stage=wire.TournamentStage.PLAYING, round=3), "You are not in Torsdag any more."),
    ],
)
def test_who_comes_back_when_it_is_over_or_one_is_out_is_told_so(line: wire.TournamentLine, said: str) -> None:
    client = entered().hear(news(H.BYE, who="Ada", round=2)).forget()
    client.took(client.core.lost(5.0, 1))
    client.hear(msgspec.structs.replace(WELCOME, resumed=wire.Resumed.LOBBY, last_id=9)).lines.clear()
    assert answer(client, line).lines[0].startswith(said)


def test_who_is_knocked_out_is_told_so_once_and_sees_it() -> None:
    client = entered()
    for round_ in (1, 2):
        client.forget().hear(news(H.ROUND_OVER, round=round_, s=15))
        client.hear(standings(client.sent[-1].id, row(1, "Bo"), row(2, "Ada", status=wire.EntryStatus.KNOCKED_OUT)))
        told = [line for line in client.lines if line.startswith("You are knocked out of Torsdag")]
        assert len(told) == (1 if round_ == 1 else 0)
        assert "Torsdag: you are out" in shown(client)
        assert "next round" not in shown(client)


def test_who_signs_up_sees_when_it_begins() -> None:
    client = among(listed(starts=600)).type("enter")
    client.now = 300.0
    client.hear(wire.Ok(id=client.sent[-1].id))
    assert "Torsdag begins in 5 min" in shown(client)


def test_who_follows_one_sees_its_round_too() -> None:
    client = among(listed(starts=600)).type("follow")
    client.hear(wire.Ok(id=client.sent[-1].id))
    client.now = 300.0
    assert "Torsdag: open, begins in 5 min" in shown(client)
    client.hear(news(H.BEGAN), news(H.ROUND, round=2))
    assert "Torsdag: playing, round 2" in shown(client)
    client.hear(news(H.OVER, who="Bo"))
    assert "Torsdag" not in shown(client)


# --- how it stands ----------------------------------------------------------------------------------------------------


def test_after_a_round_the_first_ten_and_ones_own_row_are_shown() -> None:
    client = entered().hear(news(H.ROUND_OVER, round=1, s=15))
    client.lines.clear()
    client.hear(standings(client.sent[-1].id, *rows(10), pages=3))
    client.hear(standings(client.sent[-1].id, *rows(4, 11), row(15, "Ada"), *rows(5, 16), page=1, pages=3))
    ranks = [line.split()[0] for line in client.lines[2:]]
    assert ranks == [f"{rank}." for rank in (*range(1, 11), 15)]
    assert [message.page for message in client.sent] == [0, 1], "no more than it takes"
    loud = [effect.text for effect in client.effects if isinstance(effect, Print) and effect.style is Style.LOUD]
    assert ["Ada (you)" in line for line in loud] == [True]


@pytest.mark.parametrize(
    ("happened", "title"),
    [
        ((news(H.ROUND, round=1),), "Torsdag during round 1:"),
        ((news(H.ROUND, round=1), news(H.ROUND_OVER, round=1, s=15)), "Torsdag after round 1:"),
        (
            (news(H.ROUND, round=1), news(H.ROUND_OVER, round=1), news(H.OVER, who="Bo")),
            "Torsdag, the final standings:",
        ),
        ((news(H.ROUND, round=2),), "Torsdag so far, in round 1:"),
    ],
)
def test_standings_say_whether_their_round_is_over(happened: tuple[wire.TournamentNews, ...], title: str) -> None:
    client = entered().hear(*happened).forget().type("standings")
    assert client.hear(standings(client.sent[-1].id, row(1, "Bo"))).lines == [title, *client.lines[1:]]


def test_of_a_round_that_nobody_tells_us_about_nothing_is_claimed() -> None:
    client = among(listed(stage=wire.TournamentStage.PLAYING, round=1)).type("standings")
    assert client.hear(standings(client.sent[-1].id, row(1, "Bo"))).lines[0] == "Torsdag so far, in round 1:"


@pytest.mark.parametrize(
    ("stage", "said"),
    [
        (wire.TournamentStage.PLAYING, "It is too late for that: Torsdag has begun."),
        (wire.TournamentStage.OVER, "It is too late for that: Torsdag is over."),
        (wire.TournamentStage.OPEN, "It is too late for that: the tournament has begun, or is over."),
    ],
)
def test_what_comes_too_late_says_for_what_as_far_as_that_is_known(stage: wire.TournamentStage, said: str) -> None:
    client = among(listed(stage=stage)).type("enter Torsdag")
    assert client.hear(wire.Refused(id=client.sent[-1].id, code=wire.RefusalCode.TOO_LATE)).lines == [said]


def test_below_duplicates_it_is_told_what_they_did_to_the_margins() -> None:
    client = among(listed()).type("standings")
    compared = (row(1, "Bo", margin=67, plain_margin=101), row(2, "Ada", margin=67, plain_margin=101))
    client.hear(standings(client.sent[-1].id, *compared))
    assert client.lines[-1] == "With duplicates ±0.08, without ±0.12"
    loud = [effect.text for effect in client.effects if isinstance(effect, Print) and effect.style is Style.LOUD]
    assert ["Ada (you)" in line for line in loud] == [True]


def test_a_follower_sees_the_first_ten() -> None:
    client = among(listed()).type("follow")
    client.hear(wire.Ok(id=client.sent[-1].id), news(H.ROUND_OVER, round=1, s=15)).lines.clear()
    client.hear(standings(client.sent[-1].id, *rows(10), pages=3))
    assert len(client.lines) == 12
    assert client.sent[-1].page == 0


def test_who_asks_sees_all() -> None:
    client = among(listed()).type("standings")
    client.hear(standings(client.sent[-1].id, *rows(10), pages=2))
    client.hear(standings(client.sent[-1].id, *rows(3, 11), page=1, pages=2))
    assert len(client.lines) == 15


def test_at_the_end_it_is_shown_once() -> None:
    client = entered().hear(news(H.ROUND_OVER, round=2), news(H.OVER, who="Bo"))
    assert [type(message) for message in client.sent] == [wire.AskStandings]


def test_nothing_comes_between_a_player_and_the_match() -> None:
    client, _, _ = at_table()
    client.forget().hear(news(H.ROUND_OVER, round=1, s=15))
    assert client.sent == []


def test_what_we_ask_ourselves_is_not_complained_about() -> None:
    client = entered().hear(news(H.OVER, who="Bo"))
    asked = client.sent[-1].id
    client.forget().hear(wire.Refused(id=asked, code=wire.RefusalCode.NO_SUCH_TOURNAMENT))
    assert client.lines == []


def test_a_schedule_comes_in_pages() -> None:
    client = among(listed()).type("schedule 1")
    one = wire.TableLine(number=1, status=wire.TableStatus.PLAYED, room="", seats=("Bo", "Ada"), places=(1, 2))
    sits_out = wire.TableLine(number=0, status=wire.TableStatus.BYE, room="", seats=("Eva",), places=())
    client.hear(tables(client.sent[-1].id, one, pages=2))
    assert client.sent[-1] == wire.AskTables(id=client.sent[-1].id, tournament="Torsdag", round=1, page=1)
    client.hear(tables(client.sent[-1].id, sits_out, page=1, pages=2))
    assert client.lines == ["Torsdag, round 1 of 3:", "  Table 1: 1. Bo, 2. Ada (you)", "  Sits out: Eva"]


# --- the rest of the client -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGUAGES)
def test_help_groups_what_is_said_to_tournaments(lang: str) -> None:
    title = {"en": "Tournaments:", "sv": "Turneringar:"}[lang]
    lines = in_lobby(plan=replace(PLAN, lang=lang)).type("help all").lines
    start = lines.index(title)
    told = [line.strip().partition(" ")[0].rstrip(":,") for line in lines[start + 1 : start + 1 + len(TOURNAMENTS)]]
    assert told == [words(lang, f"words.verb.{verb}")[0] for verb in TOURNAMENTS]


def test_the_question_mark_says_how_it_is_in_the_tournament() -> None:
    client = entered().hear(news(H.BYE, who="Ada", round=1)).forget().type("?")
    assert client.lines[1] == "Torsdag: you sit out round 1."
    assert any(line.startswith("  withdraw") for line in client.lines)
    assert not any(line.startswith("  here") for line in client.lines)
    assert any(line.startswith("  here") for line in entered().hear(news(H.CHECK_IN, s=9)).type("?").lines)


def test_the_rules_of_tournaments_are_a_topic() -> None:
    for typed in ("rules tournaments", "regler turneringar"):
        lines = in_lobby().type(typed).lines
        assert [line.partition(".")[0] for line in lines if line[0].isdigit()] == [str(n) for n in range(1, 11)]


def test_nothing_that_a_server_calls_a_tournament_breaks_a_line() -> None:
    client = among(listed("\x1b[31mA\n"))
    answer(client.type("tournaments"), listed("\x1b[31mA\n"))
    client.hear(news(H.CALLED, "\x07\x07", seats=("\x1b]0;x\x07",), room="\x9b1m", who="\x00"))
    assert all(line.isprintable() for line in client.lines)
    assert all(name.isprintable() for name in nameable_names(client))


def nameable_names(client: Client) -> list[str]:
    return list(nameable(Takes.TOURNAMENT, client.core.model, "en"))


def test_every_verb_for_tournaments_is_one() -> None:
    assert set(TOURNAMENTS) <= set(Verb)
