"""What takes a seat or a line away is said twice; and no line that was typed is swallowed."""

from dataclasses import replace

import pytest

from kille_net.client.commands import Verb
from kille_net.client.core import Core
from kille_net.client.effects import Quit, Send
from kille_net.game.actions import Action
from kille_net.game.cards import Card
from kille_net.wire import messages as wire
from kille_net.wire.states import Place
from tests.client.fake_server import NAMES, room
from tests.client.looking import text_of
from tests.client.test_core import PLAN, WELCOME, Client, at_table, holding, in_lobby, in_room

SURE = "Leave for good? A computer takes your seat. Answer yes or no; Ctrl-C leaves and keeps the seat for a while."


def kinds(client: Client) -> list[type[wire.Message]]:
    return [type(message) for message in client.sent]


# --- a seat in a match ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("again", ["yes", "same", "other"])
@pytest.mark.parametrize("word", ["leave", "quit", "lämna", "sluta"])
def test_a_seat_in_a_match_is_given_away_after_a_question_only(word: str, again: str) -> None:
    client, _, _ = at_table()
    client.forget().type(word)
    assert (client.lines, client.sent, client.quit) == ([SURE], [], None)
    assert "leave for good? yes/no" in " ".join(text_of(client.core.status(0.0, (200, 24))))
    leaves = word in {"leave", "lämna"}
    client.type({"yes": "yes", "same": word, "other": "quit" if leaves else "leave"}[again])
    assert kinds(client) == [wire.Leave]
    assert (client.quit == Quit(0)) is (leaves if again == "other" else not leaves)


@pytest.mark.parametrize("line", ["no", "coach", "say hej", "stand"])
def test_anything_else_is_no_yes(line: str) -> None:
    client, _, _ = at_table()
    client.type("leave").type(line).forget().type("yes")
    assert wire.Leave not in kinds(client)
    assert client.quit is None


def test_a_no_is_said_to_the_question_that_was_asked_last() -> None:
    client, _, _ = at_table()
    holding(client, Card.HUSAR)
    client.type("swap").type("leave").forget().type("no").type("yes")
    assert client.lines[0] == "You stay."
    assert client.sent == []


def test_a_question_of_the_table_takes_the_place_of_this_one() -> None:
    client, outlet, table = at_table()
    client.type("leave")
    table.act(Action.STAND)
    assert table.step()
    client.hear(*outlet.take()).forget().type("yes")
    assert wire.Leave not in kinds(client)


def test_a_key_asks_too() -> None:
    client, _, _ = at_table()
    client.forget().took(client.core.press(Verb.QUIT))
    assert client.lines == [SURE]
    client.took(client.core.press(Verb.QUIT))
    assert client.quit == Quit(0)


def test_help_explains_the_open_question() -> None:
    client, _, _ = at_table()
    client.type("leave").type("table").forget().type("?")
    assert client.lines[0] == "You said that you would leave for good. Yes: you do. No: you stay."
    client.type("yes")
    assert kinds(client) == [wire.Leave]


@pytest.mark.parametrize("line", ["leave", "quit"])
@pytest.mark.parametrize("place", ["lobby", "watching", "open table"])
def test_where_no_seat_in_a_match_is_lost_nothing_is_asked(place: str, line: str) -> None:
    if place == "lobby":
        client, line = in_lobby(), "quit"
    elif place == "watching":
        client, _, _ = at_table()
        client.core.model = replace(client.core.model, seat=None)
    else:
        client = in_room()
    client.forget().type(line)
    assert client.lines == []
    assert client.sent or client.quit


def test_nobody_is_asked_where_nobody_sits_there_and_the_end_of_input_leaves() -> None:
    client, _, _ = at_table()
    core = Core(PLAN, plain=True, asks=False)
    core.model = client.core.model
    (leave,) = core.line("leave")
    assert isinstance(leave, Send)
    assert client.forget().took(client.core.quit()).quit == Quit(0)
    assert kinds(client) == [wire.Leave]


def test_who_leaves_the_table_of_a_private_server_leaves() -> None:
    client, _, _ = at_table(plan=replace(PLAN, private=True))
    client.forget().type("leave")
    assert client.lines == ["Leave for good? The match ends with it. Answer yes or no."]
    client.type("yes").hear(wire.Ok(id=client.sent[-1].id))
    assert client.quit == Quit(0)


# --- without contact --------------------------------------------------------------------------------------------------


def without_contact() -> Client:
    client, _, _ = at_table()
    return client.took(client.core.lost(1.0, 1)).forget()


@pytest.mark.parametrize("line", ["pause", "say hej", "list"])
def test_what_can_wait_for_a_line_is_told_to_wait(line: str) -> None:
    client = without_contact().type(line)
    assert client.lines == [f"No contact with the server: {line.split(maxsplit=1)[0]} is sent when it is back."]
    assert len(client.sent) == 1


@pytest.mark.parametrize("line", ["swap", "stand", "kuku", "yes", "no", "ask", "next"])
def test_what_is_meant_for_the_moment_is_not_done_later(line: str) -> None:
    client = without_contact().type(line)
    assert client.lines == [f"No contact with the server: {line} is not done. Type it again when it is back."]
    assert client.sent == []
    assert not client.core.waits


@pytest.mark.parametrize("line", ["card husu", "rules", "score", "table", "coach", "why", "ignore Bo", "nonsense"])
def test_what_needs_no_server_is_done(line: str) -> None:
    client = without_contact().type(line)
    assert client.lines
    assert "No contact with the server:" not in " ".join(client.lines)


def test_help_says_first_that_contact_is_lost_and_what_becomes_of_the_seat() -> None:
    client = without_contact().type("?")
    assert client.lines[0].startswith("There is no contact with the server; it is sought again by itself. Your seat")
    assert any(line.startswith("  quit") for line in client.lines)
    assert not any(line.startswith(("  swap", "  stand")) for line in client.lines)
    lobby = in_lobby()
    lobby.took(lobby.core.lost(1.0, 1)).forget().type("?")
    assert lobby.lines[0].endswith("quit leaves.")


def test_without_contact_quit_leaves_at_once_and_nobody_hears_of_it() -> None:
    client = without_contact().type("quit")
    assert client.quit == Quit(0)
    assert client.sent == []


# --- lines typed ahead ------------------------------------------------------------------------------------------------


def left() -> Client:
    """Who has just left a table, and has no answer yet."""
    return in_room().type("leave")


def test_lines_are_obeyed_where_the_one_before_led() -> None:
    client = left().type("new").type("add").type("card husu")
    assert kinds(client) == [wire.Leave]
    assert client.lines == []
    client.hear(wire.Ok(id=client.sent[-1].id))
    assert kinds(client) == [wire.Leave, wire.Create]
    client.hear(wire.Ok(id=client.sent[-1].id))
    assert kinds(client) == [wire.Leave, wire.Create]
    client.hear(wire.Snapshot(seq=0, room=room("Ada", "", ""), view=None, match=0, open=None, rest=None))
    assert kinds(client) == [wire.Leave, wire.Create, wire.AddComputers]
    assert any(line.startswith("Husu") or "Pig" in line for line in client.lines)


def test_what_is_refused_lets_the_next_line_follow() -> None:
    client = in_lobby().type("join A").type("join B")
    client.hear(wire.Refused(id=client.sent[-1].id, code=wire.RefusalCode.NO_SUCH_ROOM))
    assert [message.room for message in client.sent] == ["A", "B"]


def test_too_much_is_left_out_and_said_so() -> None:
    client = left()
    for number in range(20):
        client.type(f"say {number}")
    assert client.lines == ["The server has still to answer what was typed before; this line is left out."] * 4


def test_quit_waits_for_nothing_and_gives_up_a_seat_that_is_on_its_way() -> None:
    client = in_lobby().type("join A").type("quit")
    assert kinds(client) == [wire.Join, wire.Leave]
    assert client.quit == Quit(0)


def test_lines_that_wait_when_contact_is_lost_are_answered() -> None:
    client = left().type("say hej").type("swap").forget()
    client.took(client.core.lost(1.0, 1))
    assert client.lines == [
        "No contact with the server; trying again.",
        "No contact with the server: say is sent when it is back.",
        "No contact with the server: swap is not done. Type it again when it is back.",
    ]


def test_nothing_is_held_back_from_who_is_somewhere() -> None:
    client = in_room().type("say hej").type("say då")
    assert kinds(client) == [wire.Say, wire.Say]
    assert client.core.model.place is Place.SEATED
    assert WELCOME.name == NAMES[0]
